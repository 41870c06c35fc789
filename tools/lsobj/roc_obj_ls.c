/* SPDX-License-Identifier: MIT */
/* roc-obj-ls: lists the code objects in programs: number of the bundle, id of the entry, URI. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "uri.h"

struct listing {
    const char *uri_path; /* encoded */
    bool verbose, all;
    unsigned n;
};

static bool
show_bundle(void *user, const struct container *c)
{
    const struct listing *list = user;

    if (list->verbose)
        printf("%s%-8s%-40s%35s\n", c->number > 1 ? "\n" : "", "Bundle#", "Entry ID:", "URI:");
    return true;
}

static bool
show_entry(void *user, const struct entry *entry)
{
    struct listing *list = user;
    const struct container *c = entry->container;
    char range[128];

    list->n++;
    if (!list->all && !strncmp(entry->id, "lockstep-", 9))
        return true;
    if (c->is_packed)
        snprintf(range, sizeof(range), "offset=%llu&size=%llu&entry=%u",
                 (unsigned long long)c->offset, (unsigned long long)c->length, entry->index);
    else
        snprintf(range, sizeof(range), "offset=%llu&size=%zu",
                 (unsigned long long)entry->file_offset, entry->data.n);
    printf("%-8u%-40s%35s%s#%s\n", c->number, entry->id, " file://", list->uri_path, range);
    return true;
}

static bool
list_file(const char *path, const struct listing *options)
{
    struct listing list = *options;
    struct visitor visitor = {show_bundle, show_entry, &list};
    struct bytes file;
    char why[512], *encoded;
    void *data;
    bool ok;

    if (!ls_file_read(path, &data, &file.n)) {
        fprintf(stderr, "roc-obj-ls: cannot read '%s': %s\n", path, strerror(errno));
        return false;
    }
    file.data = data;
    encoded = uri_encode(path);
    list.uri_path = encoded ? encoded : path;
    ok = container_visit(file, &visitor, why, sizeof(why));
    if (!ok)
        fprintf(stderr, "roc-obj-ls: '%s': %s\n", path, why);
    else if (!list.n)
        fprintf(stderr, "roc-obj-ls: '%s' holds no device code\n", path);
    free(encoded);
    free(data);
    return ok && list.n;
}

static int
usage(FILE *to)
{
    fputs("Usage: roc-obj-ls [-v|h|a] executable...\n"
          "List the URIs of the code objects embedded in the specified host executables, objects, "
          "shared\n"
          "libraries and offload bundles: number of the bundle, id of the entry, URI.\n"
          "-v      Verbose output - Adds column headers for more human readable format\n"
          "-a      All entries, with those that are Lockstep's alone (lockstep-...)\n"
          "-h      Show this help message\n",
          to);
    return to == stderr;
}

int
main(int argc, char **argv)
{
    struct listing options = {.verbose = false};
    bool ok = true;
    int c;

    ls_file_check_output();
    while ((c = getopt(argc, argv, "vah")) != -1)
        switch (c) {
        case 'v':
            options.verbose = true;
            break;
        case 'a':
            options.all = true;
            break;
        case 'h':
            return usage(stdout);
        default:
            return usage(stderr);
        }
    if (optind == argc)
        return usage(stderr);
    for (int i = optind; i < argc; i++)
        ok &= list_file(argv[i], &options);
    return !ok;
}
