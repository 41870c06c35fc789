/* SPDX-License-Identifier: MIT */
/* lsobj: lists and extracts what a fat binary holds. It reads programs, shared libraries, objects
 * and bare offload bundles, and trusts none of them: every offset is checked against the bytes that
 * are there. */
#include "base/file.h"
#include "base/lsbc.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUNDLE_MAGIC "__CLANG_OFFLOAD_BUNDLE__"
#define MAGIC_BYTES  (sizeof(BUNDLE_MAGIC) - 1)

struct bytes {
    const char *data;
    size_t n;
};

struct request {
    const char *extract; /* entry id, NULL = list */
    const char *output;
    bool details, found;
};

/* ---- checked access ---- */

static bool
slice(struct bytes from, uint64_t offset, uint64_t n, struct bytes *out)
{
    if (offset > from.n || n > from.n - offset)
        return false;
    *out = (struct bytes){from.data + offset, n};
    return true;
}

static bool
read_at(struct bytes from, uint64_t offset, void *out, size_t n)
{
    struct bytes part;

    if (!slice(from, offset, n, &part))
        return false;
    memcpy(out, part.data, n);
    return true;
}

static const char *
string_at(struct bytes from, uint64_t offset)
{
    if (offset >= from.n || !memchr(from.data + offset, 0, from.n - offset))
        return "(damaged)";
    return from.data + offset;
}

/* ---- what entries hold ---- */

static void
list_kernels(struct bytes image, const struct ls_lsbc_header *header)
{
    for (uint32_t i = 0; i < header->n_kernels; i++) {
        struct ls_lsbc_kernel kernel;

        if (!read_at(image, header->kernels_off + i * sizeof(kernel), &kernel, sizeof(kernel))) {
            puts("    (damaged)");
            return;
        }
        printf("    kernel %s: %u arguments in %u bytes, LDS %u%s, private %u, at most %u "
               "threads%s%s\n",
               string_at(image, kernel.name_off), kernel.n_args, kernel.kernarg_bytes,
               kernel.lds_bytes, kernel.flags & LS_LSBC_KERNEL_DYN_LDS ? " and dynamic" : "",
               kernel.private_bytes, kernel.max_threads,
               kernel.flags & LS_LSBC_KERNEL_BARRIER ? ", barriers" : "",
               kernel.flags & LS_LSBC_KERNEL_GRID_SYNC ? ", grid sync" : "");
    }
}

static void
list_globals(struct bytes image, const struct ls_lsbc_header *header)
{
    for (uint32_t i = 0; i < header->n_globals; i++) {
        struct ls_lsbc_global global;

        if (!read_at(image, header->globals_off + i * sizeof(global), &global, sizeof(global))) {
            puts("    (damaged)");
            return;
        }
        printf("    variable %s: %llu bytes, align %u%s%s%s%s\n", string_at(image, global.name_off),
               (unsigned long long)global.bytes, global.align,
               global.flags & LS_LSBC_GLOBAL_CONSTANT ? ", constant" : "",
               global.flags & LS_LSBC_GLOBAL_EXTERN ? ", external" : "",
               global.flags & LS_LSBC_GLOBAL_MANAGED ? ", managed" : "",
               global.init_off ? ", initialised" : "");
    }
}

/* Whether an image is whole: its parts lie inside, and its hashes fit. */
static bool
is_whole(struct bytes image, const struct ls_lsbc_header *h)
{
    return h->version == LS_LSBC_VERSION && h->image_bytes <= image.n &&
           h->bitcode_off >= sizeof(*h) && h->bitcode_off <= h->image_bytes &&
           h->bitcode_bytes <= h->image_bytes - h->bitcode_off && ls_lsbc_is_sealed(image.data);
}

static void
list_lsbc(struct bytes image, bool details)
{
    struct ls_lsbc_header header;

    if (!read_at(image, 0, &header, sizeof(header)) || header.magic != LS_LSBC_MAGIC) {
        puts("  (damaged)");
        return;
    }
    printf("  %.*s, warp of %u, %u kernels, %u variables, %llu bytes of bitcode\n",
           (int)sizeof(header.arch), header.arch, header.warp_size, header.n_kernels,
           header.n_globals, (unsigned long long)header.bitcode_bytes);
    if (!is_whole(image, &header))
        puts("  (damaged: not what its hashes are of)");
    if (details) {
        list_kernels(image, &header);
        list_globals(image, &header);
    }
}

static void
list_lsao(struct bytes image)
{
    struct ls_lsao_header header;

    if (!read_at(image, 0, &header, sizeof(header)) || header.magic != LS_LSAO_MAGIC) {
        puts("  (damaged)");
        return;
    }
    for (uint32_t i = 0; i < header.n_objects; i++) {
        struct ls_lsao_object object;

        if (!read_at(image, header.objects_off + i * sizeof(object), &object, sizeof(object))) {
            puts("  (damaged)");
            return;
        }
        printf("    %s for %s, block ", string_at(image, object.name_off),
               string_at(image, object.isa_off));
        if (object.block[0])
            printf("%u,%u,%u", object.block[0], object.block[1], object.block[2]);
        else if (object.block[2])
            printf(object.block[1] ? "a row of whole warps" : "rows of whole warps");
        else
            printf("any");
        printf(": %llu bytes%s\n", (unsigned long long)object.elf_bytes,
               object.elf_off <= image.n && object.elf_bytes <= image.n - object.elf_off &&
                       ls_lsao_object_is_sealed(image.data, &object)
                   ? ""
                   : " (damaged)");
    }
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

static bool
handle_entry(struct request *request, const char *id, struct bytes entry)
{
    if (request->extract) {
        if (request->found ||
            (strcmp(id, request->extract) && !bitcode_of(request->extract, id, &entry)))
            return true;
        request->found = true;
        return write_entry(entry, request->output);
    }
    printf("%-48s %10zu bytes\n", id, entry.n);
    if (!strncmp(id, "lockstep-bc--", 13))
        list_lsbc(entry, request->details);
    else if (!strncmp(id, "lockstep-cpu--", 14))
        list_lsao(entry);
    return true;
}

/* One bundle; *used becomes its length. */
static bool
handle_bundle(struct request *request, struct bytes bundle, size_t *used)
{
    uint64_t n_entries, at = MAGIC_BYTES + 8, end = at;

    if (!read_at(bundle, MAGIC_BYTES, &n_entries, 8))
        return false;
    for (uint64_t i = 0; i < n_entries; i++) {
        uint64_t fields[3]; /* offset, bytes, length of the id */
        struct bytes id, entry;

        if (!read_at(bundle, at, fields, sizeof(fields)) || fields[2] > 4096 ||
            !slice(bundle, at + sizeof(fields), fields[2], &id) ||
            !slice(bundle, fields[0], fields[1], &entry))
            return false;
        char name[4097];
        memcpy(name, id.data, id.n);
        name[id.n] = '\0';
        if (!handle_entry(request, name, entry))
            exit(1);
        at += sizeof(fields) + fields[2];
        if (fields[0] + fields[1] > end)
            end = fields[0] + fields[1];
    }
    *used = end;
    return true;
}

/* A section may hold the bundles of several translation units, each on a page boundary of its
 * own. */
static bool
handle_bundles(struct request *request, struct bytes section)
{
    for (size_t at = 0; at + MAGIC_BYTES <= section.n;) {
        struct bytes rest = {section.data + at, section.n - at};
        size_t used = 0;

        if (memcmp(rest.data, BUNDLE_MAGIC, MAGIC_BYTES)) {
            at += 8;
            continue;
        }
        if (!handle_bundle(request, rest, &used)) {
            fputs("lsobj: damaged offload bundle\n", stderr);
            return false;
        }
        at += (used + 7) / 8 * 8;
    }
    return true;
}

/* The .hip_fatbin section of an ELF file; an empty slice when there is none. */
static bool
find_fatbin(struct bytes file, struct bytes *out)
{
    Elf64_Ehdr elf;
    Elf64_Shdr names, section;
    struct bytes strings;

    *out = (struct bytes){NULL, 0};
    if (!read_at(file, 0, &elf, sizeof(elf)) || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
        !read_at(file, elf.e_shoff + (uint64_t)elf.e_shstrndx * sizeof(names), &names,
                 sizeof(names)) ||
        !slice(file, names.sh_offset, names.sh_size, &strings))
        return false;
    for (unsigned i = 0; i < elf.e_shnum; i++) {
        if (!read_at(file, elf.e_shoff + i * sizeof(section), &section, sizeof(section)))
            return false;
        if (!strcmp(string_at(strings, section.sh_name), ".hip_fatbin"))
            return slice(file, section.sh_offset, section.sh_size, out);
    }
    return true;
}

static int
usage(FILE *to)
{
    fputs("usage: lsobj [-k] FILE                     what its fat binaries hold; -k: kernels and "
          "variables too\n"
          "       lsobj --extract ID [-o OUT] FILE    one entry, e.g. lockstep-bc--gfx1100; "
          "bitcode--gfx1100\n"
          "                                           for the LLVM bitcode inside it\n"
          "FILE is a program, shared library, object or offload bundle.\n",
          to);
    return to == stderr ? 2 : 0;
}

int
main(int argc, char **argv)
{
    struct request request = {.output = "-"};
    const char *path = NULL;
    struct bytes file, fatbin;
    void *data;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help"))
            return usage(stdout);
        if (!strcmp(argv[i], "-k"))
            request.details = true;
        else if (!strcmp(argv[i], "--extract") && i + 1 < argc)
            request.extract = argv[++i];
        else if (!strcmp(argv[i], "-o") && i + 1 < argc)
            request.output = argv[++i];
        else if (argv[i][0] == '-' || path)
            return usage(stderr);
        else
            path = argv[i];
    }
    if (!path)
        return usage(stderr);
    if (!ls_file_read(path, &data, &file.n)) {
        fprintf(stderr, "lsobj: cannot read '%s': %s\n", path, strerror(errno));
        return 1;
    }
    file.data = data;
    fatbin = file;
    if (file.n >= SELFMAG && !memcmp(file.data, ELFMAG, SELFMAG) && !find_fatbin(file, &fatbin)) {
        fprintf(stderr, "lsobj: '%s': damaged ELF file\n", path);
        return 1;
    }
    if (!handle_bundles(&request, fatbin))
        return 1;
    if (request.extract && !request.found) {
        fprintf(stderr, "lsobj: '%s' holds no %s\n", path, request.extract);
        return 1;
    }
    return 0;
}
