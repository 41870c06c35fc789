/* SPDX-License-Identifier: MIT */
/* lsobj: lists and extracts what fat binaries hold, takes bundles apart and makes them. It trusts
 * none of its files. */
#include "base/file.h"
#include "base/lsbc.h"

#include "container.h"
#include "show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFFLOAD "offload--"

struct request {
    const char *extract;  /* entry id, NULL = list */
    const char *unbundle; /* folder, NULL = list */
    const char *output;
    bool details, found, failed;
};

static int
usage(FILE *to)
{
    fputs("usage: lsobj [-k] FILE                     what its offload bundles hold; -k: kernels "
          "and variables too\n"
          "       lsobj --extract ID [-o OUT] FILE    one entry, e.g. lockstep-bc--gfx1100; "
          "bitcode--gfx1100\n"
          "                                           for the LLVM bitcode inside it; "
          "offload--gfx1100\n"
          "                                           of an object that is linked with -fgpu-rdc\n"
          "       lsobj --unbundle FOLDER FILE        all entries, to FOLDER/BUNDLE.ID\n"
          "       lsobj --bundle OUT [--compress[=zstd|zlib]] [--level=N] ID=FILE...\n"
          "                                           makes a bundle; ID= alone is an empty entry\n"
          "FILE is a program, shared library, object or offload bundle, compressed or not.\n",
          to);
    return to == stderr ? 2 : 0;
}

/* ---- entries ---- */

static bool
write_entry(struct bytes entry, const char *path)
{
    bool ok = strcmp(path, "-")
                  ? ls_file_write(path, entry.data, entry.n)
                  : fwrite(entry.data, 1, entry.n, stdout) == entry.n && !fflush(stdout);

    if (!ok)
        fprintf(stderr, "lsobj: cannot write '%s': %s\n", path, strerror(errno));
    return ok;
}

/* "bitcode--gfx1100" is not an entry of its own: it is what lies inside lockstep-bc--gfx1100. */
static bool
bitcode_of(const char *wanted, const char *id, struct bytes *entry)
{
    struct ls_lsbc_header header;

    if (strncmp(wanted, "bitcode--", 9) || strncmp(id, "lockstep-bc--", 13) ||
        strcmp(wanted + 9, id + 13))
        return false;
    return read_at(*entry, 0, &header, sizeof(header)) && header.magic == LS_LSBC_MAGIC &&
           slice(*entry, header.bitcode_off, header.bitcode_bytes, entry);
}

/* FOLDER/BUNDLE.ID */
static bool
write_to_folder(struct request *request, const struct entry *entry)
{
    char *path;
    bool ok;

    if (strchr(entry->id, '/') ||
        asprintf(&path, "%s/%u.%s", request->unbundle, entry->container->number, entry->id) < 0) {
        fprintf(stderr, "lsobj: the entry '%s' can't be a file's name\n", entry->id);
        return false;
    }
    request->found = true;
    ok = write_entry(entry->data, path);
    free(path);
    return ok;
}

static bool
handle_bundle(void *user, const struct container *c)
{
    const struct request *request = user;
    const struct ls_packed *packed = &c->packed;

    if (request->extract || request->unbundle || !c->is_packed)
        return true;
    printf("bundle %u: compressed by %s, version %u, %llu bytes for %llu%s\n", c->number,
           packed->packing == LS_PACKING_ZSTD ? "zstd" : "zlib", packed->version,
           (unsigned long long)c->length, (unsigned long long)packed->plain_bytes,
           ls_packed_hash_fits(packed, c->bundle.data, c->bundle.n)
               ? ""
               : " (damaged: not what its hash is of)");
    return true;
}

static bool
handle_entry(void *user, const struct entry *entry)
{
    struct request *request = user;
    struct bytes data = entry->data;

    if (request->extract) {
        if (request->found || (strcmp(entry->id, request->extract) &&
                               !bitcode_of(request->extract, entry->id, &data)))
            return true;
        request->found = true;
        return write_entry(data, request->output);
    }
    if (request->unbundle)
        return write_to_folder(request, entry);
    printf("%-48s %10zu bytes\n", entry->id, data.n);
    if (ls_bundle_target(entry->id, LS_BUNDLE_ID_LSBC))
        show_lsbc(data, request->details);
    else if (ls_bundle_target(entry->id, LS_BUNDLE_ID_LSAO))
        show_lsao(data);
    else if (request->details && data.n)
        show_code_object(data);
    return true;
}

/* Of an object for -fgpu-rdc, or of clang's "new driver": as an entry "offload--ARCH". */
static bool
handle_offload(void *user, const struct ls_offload *offload)
{
    struct request *request = user;
    struct bytes data = {offload->image, offload->image_bytes};

    if (request->unbundle)
        return false;
    if (!request->extract) {
        printf("%s%-*s %10zu bytes%s%s\n", OFFLOAD, 48 - (int)strlen(OFFLOAD), offload->arch,
               data.n, *offload->device ? " for " : "", offload->device);
        return true;
    }
    if (strncmp(request->extract, OFFLOAD, strlen(OFFLOAD)) ||
        strcmp(request->extract + strlen(OFFLOAD), offload->arch))
        return true;
    request->found = true;
    request->failed = !write_entry(data, request->output);
    return false;
}

static int
read_file(struct request *request, const char *path)
{
    struct visitor visitor = {handle_bundle, handle_entry, request};
    struct bytes file;
    char why[512];
    void *data;
    bool ok;

    if (!ls_file_read(path, &data, &file.n)) {
        fprintf(stderr, "lsobj: cannot read '%s': %s\n", path, strerror(errno));
        return 1;
    }
    file.data = data;
    ok = container_visit(file, &visitor, why, sizeof(why));
    if (ok && !request->found && !container_visit_offload(file, handle_offload, request)) {
        snprintf(why, sizeof(why), "damaged offload binary");
        ok = false;
    }
    if (!ok && *why)
        fprintf(stderr, "lsobj: '%s': %s\n", path, why);
    free(data);
    if (ok && (request->extract || request->unbundle) && !request->found) {
        fprintf(stderr, "lsobj: '%s' holds no %s\n", path,
                request->extract ? request->extract : "bundle");
        return 1;
    }
    return !ok || request->failed;
}

/* ---- making a bundle ---- */

struct making {
    const char *output;
    bool compresses;
    enum ls_packing packing;
    int level;
    struct ls_bundle_part parts[LS_BUNDLE_MAX_ENTRIES];
    size_t n;
};

/* "ID=FILE" */
static bool
add_part(struct making *making, char *word)
{
    char *path = strchr(word, '=');
    struct ls_bundle_part *part = &making->parts[making->n];
    void *data;

    if (!path || path == word || path - word >= (ptrdiff_t)LS_BUNDLE_MAX_ID ||
        making->n == LS_BUNDLE_MAX_ENTRIES) {
        fprintf(stderr,
                "lsobj: '%s': entries are ID=FILE, with ids below %u bytes, and at most %u\n", word,
                LS_BUNDLE_MAX_ID, LS_BUNDLE_MAX_ENTRIES);
        return false;
    }
    *path++ = 0;
    part->id = word;
    if (*path && !ls_file_read(path, &data, &part->bytes)) {
        fprintf(stderr, "lsobj: cannot read '%s': %s\n", path, strerror(errno));
        return false;
    }
    if (*path)
        part->data = data;
    making->n++;
    return true;
}

static int
make_bundle(const struct making *making)
{
    size_t n = ls_bundle_bytes(making->parts, making->n);
    char *plain = calloc(1, n), why[256] = "out of memory";
    void *packed = NULL;
    bool ok = plain != NULL;

    if (ok)
        ls_bundle_write(making->parts, making->n, plain);
    if (ok && making->compresses)
        ok =
            ls_packed_pack(plain, n, making->packing, making->level, &packed, &n, why, sizeof(why));
    if (!ok)
        fprintf(stderr, "lsobj: '%s': %s\n", making->output, why);
    ok = ok && write_entry((struct bytes){packed ? packed : plain, n}, making->output);
    free(packed);
    free(plain);
    return !ok;
}

/* lsobj --bundle OUT ... */
static int
bundle_main(int argc, char **argv)
{
    static struct making making = {.packing = LS_PACKING_ZSTD, .level = -1};

    if (argc < 2)
        return usage(stderr);
    making.output = argv[0];
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--compress") || !strcmp(argv[i], "--compress=zstd")) {
            making.compresses = true;
        } else if (!strcmp(argv[i], "--compress=zlib")) {
            making.compresses = true;
            making.packing = LS_PACKING_ZLIB;
        } else if (!strncmp(argv[i], "--level=", 8)) {
            making.level = atoi(argv[i] + 8);
        } else if (argv[i][0] == '-') {
            return usage(stderr);
        } else if (!add_part(&making, argv[i])) {
            return 1;
        }
    }
    return make_bundle(&making);
}

int
main(int argc, char **argv)
{
    struct request request = {.output = "-"};
    const char *path = NULL;

    ls_file_check_output();
    if (argc > 1 && !strcmp(argv[1], "--bundle"))
        return bundle_main(argc - 2, argv + 2);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help"))
            return usage(stdout);
        if (!strcmp(argv[i], "-k"))
            request.details = true;
        else if (!strcmp(argv[i], "--extract") && i + 1 < argc)
            request.extract = argv[++i];
        else if (!strcmp(argv[i], "--unbundle") && i + 1 < argc)
            request.unbundle = argv[++i];
        else if (!strcmp(argv[i], "-o") && i + 1 < argc)
            request.output = argv[++i];
        else if (argv[i][0] == '-' || path)
            return usage(stderr);
        else
            path = argv[i];
    }
    return path ? read_file(&request, path) : usage(stderr);
}
