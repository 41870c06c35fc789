/* SPDX-License-Identifier: MIT */
/* roc-obj-extract: writes the code objects that URIs name to files, or to standard output. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "uri.h"

struct request {
    const char *folder; /* NULL: the current one */
    bool to_stdout, verbose;
};

static bool
say(const char *uri, const char *why)
{
    fprintf(stderr, "roc-obj-extract: '%s': %s\n", uri, why);
    return false;
}

static bool
write_file(const struct request *request, const char *text, const struct uri *uri,
           struct bytes data)
{
    char *name = uri_file_name(uri), *path = NULL, why[512];
    bool ok;

    if (!name || asprintf(&path, "%s%s%s", request->folder ? request->folder : "",
                          request->folder ? "/" : "", name) < 0) {
        free(name);
        return say(text, "out of memory");
    }
    ok = ls_file_write(path, data.data, data.n);
    snprintf(why, sizeof(why), "cannot write '%s': %s", path, strerror(errno));
    if (ok && request->verbose)
        printf("%s: %zu bytes\n", path, data.n);
    free(name);
    free(path);
    return ok || say(text, why);
}

/* ---- the id of an entry, for -v ---- */

struct look_up {
    const struct uri *uri;
    char *id;
};

static bool
match(void *user, const struct entry *entry)
{
    struct look_up *l = user;
    const struct container *c = entry->container;
    bool here = l->uri->has_entry ? c->offset == l->uri->offset && entry->index == l->uri->entry
                                  : !c->is_packed && entry->file_offset == l->uri->offset &&
                                        entry->data.n == l->uri->size;

    if (here)
        l->id = strdup(entry->id);
    return !here;
}

/* Says the URI, and the id of the entry if it is one of a file's. */
static void
describe(const struct request *request, const char *text, const struct uri *uri)
{
    struct look_up l = {uri, NULL};
    struct visitor visitor = {NULL, match, &l};
    struct bytes file;
    char why[512];
    void *data;

    if (uri->path && ls_file_read(uri->path, &data, &file.n)) {
        file.data = data;
        container_visit(file, &visitor, why, sizeof(why));
        free(data);
    }
    fprintf(request->to_stdout ? stderr : stdout, "%s%s%s\n", l.id ? l.id : "", l.id ? " " : "",
            text);
    free(l.id);
}

/* An empty object, as that of the host, is none. */
static bool
extract(const struct request *request, const char *text)
{
    struct bytes data;
    struct uri uri;
    void *memory;
    char why[512];
    bool ok = true;

    if (!uri_parse(text, &uri, why, sizeof(why)))
        return say(text, why);
    if (!uri_read(&uri, &memory, &data, why, sizeof(why))) {
        uri_fini(&uri);
        return say(text, why);
    }
    if (request->verbose)
        describe(request, text, &uri);
    if (!data.n) {
        if (request->verbose)
            fprintf(request->to_stdout ? stderr : stdout, "%s: nothing to extract\n", text);
    } else if (!request->to_stdout) {
        ok = write_file(request, text, &uri, data);
    } else if (fwrite(data.data, 1, data.n, stdout) != data.n || fflush(stdout) != 0) {
        snprintf(why, sizeof(why), "cannot write: %s", strerror(errno));
        ok = say(text, why);
    }
    free(memory);
    uri_fini(&uri);
    return ok;
}

/* The last word of a line: what roc-obj-ls prints can be piped as it is. NULL: an empty line, or
 * the names of roc-obj-ls's columns. */
static const char *
uri_of_line(char *line)
{
    size_t n = strlen(line);

    while (n > 0 && isspace((unsigned char)line[n - 1]))
        line[--n] = 0;
    while (n > 0 && !isspace((unsigned char)line[n - 1]))
        n--;
    return line[n] && strcmp(line + n, "URI:") != 0 ? line + n : NULL;
}

static bool
extract_lines(const struct request *request)
{
    char *line = NULL;
    size_t bytes = 0;
    const char *uri;
    bool ok = true;

    while (getline(&line, &bytes, stdin) >= 0)
        if ((uri = uri_of_line(line)))
            ok &= extract(request, uri);
    free(line);
    return ok;
}

static int
usage(FILE *to)
{
    fputs("Usage: roc-obj-extract [-o|v|h] URI...\n"
          "  URIs can be read from STDIN, one per line.\n"
          "  From the URIs specified, extracts code objects into files named:\n"
          "  <executable_name>-[pid<number>]-offset<number>-size<number>.co\n"
          "\n"
          "Options:\n"
          "  -o <path>  Path for output, a folder. If \"-\" specified, code object is printed to "
          "STDOUT.\n"
          "  -v         Verbose output (includes Entry ID).\n"
          "  -h         Show this help message.\n"
          "\n"
          "URI syntax:\n"
          "  code_object_uri ::= file_uri | memory_uri\n"
          "  file_uri        ::= file:// extract_file [ range_specifier ]\n"
          "  memory_uri      ::= memory:// process_id range_specifier\n"
          "  range_specifier ::= [ # | ? ] offset= number & size= number [ & entry= number ]\n"
          "  extract_file    ::= URI_ENCODED_OS_FILE_PATH\n"
          "  process_id      ::= DECIMAL_NUMBER\n"
          "  number          ::= HEX_NUMBER | DECIMAL_NUMBER | OCTAL_NUMBER\n"
          "Without size= a file's object reaches to its end. entry= is an extension: that entry, "
          "from 0 on, of\n"
          "the bundle in the range, which may be compressed. In a shell '&' must be quoted.\n"
          "Example: file://dir1/dir2/hello_world#offset=133\\&size=14472\n",
          to);
    return to == stderr;
}

int
main(int argc, char **argv)
{
    struct request request = {.folder = NULL};
    struct stat st;
    bool ok = true;
    int c;

    ls_file_check_output();
    while ((c = getopt(argc, argv, "o:vh")) != -1)
        switch (c) {
        case 'o':
            request.to_stdout = !strcmp(optarg, "-");
            request.folder = request.to_stdout ? NULL : optarg;
            break;
        case 'v':
            request.verbose = true;
            break;
        case 'h':
            return usage(stdout);
        default:
            return usage(stderr);
        }
    if (request.folder && (stat(request.folder, &st) != 0 || !S_ISDIR(st.st_mode))) {
        fprintf(stderr, "roc-obj-extract: '%s' is no folder\n", request.folder);
        return 1;
    }
    if (optind == argc && isatty(0)) {
        fputs("roc-obj-extract: no URI\n", stderr);
        return usage(stderr);
    }
    if (optind == argc)
        return !extract_lines(&request);
    for (int i = optind; i < argc; i++)
        ok &= extract(&request, argv[i]);
    return !ok;
}
