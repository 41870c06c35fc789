/* SPDX-License-Identifier: MIT */
/* URIs of code objects: text to range and back, and the bytes they name. */
#include "uri.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"

#define MOST_MEMORY ((uint64_t)1 << 32) /* bytes of a process that are read at once */

static int
hex_digit(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? tolower(c) - 'a' + 10
                                        : -1;
}

static char *
decode(const char *text, size_t n)
{
    char *out = malloc(n + 1), *to = out;

    for (size_t i = 0; out && i < n; i++) {
        if (text[i] == '%' && i + 2 < n && hex_digit(text[i + 1]) >= 0 &&
            hex_digit(text[i + 2]) >= 0) {
            *to++ = (char)(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
            i += 2;
        } else {
            *to++ = text[i];
        }
    }
    if (out)
        *to = 0;
    return out;
}

char *
uri_encode(const char *path)
{
    char *out = malloc(3 * strlen(path) + 1), *to = out;

    for (; out && *path; path++) {
        unsigned char c = (unsigned char)*path;

        if (isalnum(c) || strchr("-_.~/:+,=@", c))
            *to++ = (char)c;
        else
            to += sprintf(to, "%%%02X", c);
    }
    if (out)
        *to = 0;
    return out;
}

/* Decimal, 0x hexadecimal or 0 octal, and nothing behind it. */
static bool
read_number(const char *text, size_t n, uint64_t *out)
{
    char digits[32], *end;

    if (n == 0 || n >= sizeof(digits) || !isdigit((unsigned char)text[0]))
        return false;
    memcpy(digits, text, n);
    digits[n] = 0;
    errno = 0;
    *out = strtoull(digits, &end, 0);
    return errno == 0 && *end == 0;
}

/* "offset=1&size=2" */
static bool
read_range(const char *range, struct uri *out, char *why, size_t why_bytes)
{
    static const char *const names[] = {"offset=", "size=", "entry="};
    uint64_t values[3] = {0};
    bool seen[3] = {false};

    for (const char *at = range; *at;) {
        size_t n = strcspn(at, "&"), i = 0;

        while (i < 3 && strncmp(at, names[i], strlen(names[i])) != 0)
            i++;
        if (i == 3 || seen[i] ||
            !read_number(at + strlen(names[i]), n - strlen(names[i]), &values[i])) {
            snprintf(why, why_bytes, "'%.*s' is no offset=NUMBER, size=NUMBER or entry=NUMBER",
                     (int)n, at);
            return false;
        }
        seen[i] = true;
        at += n + (at[n] == '&');
    }
    out->offset = values[0];
    out->size = values[1];
    out->has_size = seen[1];
    out->entry = values[2];
    out->has_entry = seen[2];
    return true;
}

bool
uri_parse(const char *text, struct uri *out, char *why, size_t why_bytes)
{
    const char *rest = strstr(text, "://"), *range;
    uint64_t pid;
    size_t n;

    *out = (struct uri){.path = NULL};
    if (!rest || (strncasecmp(text, "file:", 5) != 0 && strncasecmp(text, "memory:", 7) != 0)) {
        snprintf(why, why_bytes, "it is no file:// or memory:// URI");
        return false;
    }
    rest += 3;
    n = strcspn(rest, "#?");
    range = rest[n] ? rest + n + 1 : rest + n;
    if (!read_range(range, out, why, why_bytes))
        return false;
    if (text[0] == 'f' || text[0] == 'F') {
        if (n > 0 && (out->path = decode(rest, n)))
            return true;
        snprintf(why, why_bytes, n ? "out of memory" : "it names no file");
        return false;
    }
    if (n == 0 || strspn(rest, "0123456789") != n || !read_number(rest, n, &pid) || pid > INT_MAX ||
        pid == 0) {
        snprintf(why, why_bytes, "'%.*s' is no number of a process", (int)n, rest);
        return false;
    }
    if (!out->has_size) {
        snprintf(why, why_bytes, "memory needs offset= and size=");
        return false;
    }
    out->pid = (long)pid;
    return true;
}

void
uri_fini(struct uri *uri)
{
    free(uri->path);
}

static bool
read_file(const struct uri *uri, void **memory, struct bytes *data, char *why, size_t why_bytes)
{
    size_t n;
    uint64_t size;

    if (!ls_file_read(uri->path, memory, &n)) {
        snprintf(why, why_bytes, "cannot read '%s': %s", uri->path, strerror(errno));
        return false;
    }
    size = uri->has_size ? uri->size : uri->offset <= n ? n - uri->offset : 0;
    if (slice((struct bytes){*memory, n}, uri->offset, size, data))
        return true;
    snprintf(why, why_bytes, "offset %llu and size %llu exceed the %zu bytes of '%s'",
             (unsigned long long)uri->offset, (unsigned long long)size, n, uri->path);
    free(*memory);
    return false;
}

static bool
read_memory(const struct uri *uri, void **memory, struct bytes *data, char *why, size_t why_bytes)
{
    char path[64];
    size_t got = 0;
    ssize_t n = 1;
    int fd;

    snprintf(path, sizeof(path), "/proc/%ld/mem", uri->pid);
    if (uri->size > MOST_MEMORY || uri->offset > INT64_MAX) {
        snprintf(why, why_bytes, "offset %llu, size %llu: up to %llu bytes of memory can be read",
                 (unsigned long long)uri->offset, (unsigned long long)uri->size,
                 (unsigned long long)MOST_MEMORY);
        return false;
    }
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(why, why_bytes, "cannot read the memory of process %ld: %s", uri->pid,
                 strerror(errno));
        return false;
    }
    *memory = malloc(uri->size ? uri->size : 1);
    while (*memory && got < uri->size && n > 0) {
        n = pread(fd, (char *)*memory + got, uri->size - got, (off_t)(uri->offset + got));
        got += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    *data = (struct bytes){*memory, got};
    if (*memory && got == uri->size)
        return true;
    snprintf(why, why_bytes, "process %ld has %zu of the %llu bytes at %#llx", uri->pid, got,
             (unsigned long long)uri->size, (unsigned long long)uri->offset);
    free(*memory);
    return false;
}

/* The entry of a bundle, which may be compressed; the bundle's bytes are freed, or kept. */
static bool
take_entry(uint64_t index, void **memory, struct bytes *data, char *why, size_t why_bytes)
{
    struct ls_bundle bundle;
    struct ls_bundle_entry e;
    void *plain;
    size_t n;

    if (ls_packed_is(data->data, data->n)) {
        if (!ls_packed_unpack(data->data, data->n, &plain, &n, NULL, why, why_bytes))
            return false;
        free(*memory);
        *memory = plain;
        *data = (struct bytes){plain, n};
    }
    snprintf(why, why_bytes, "no bundle with an entry %llu lies there", (unsigned long long)index);
    if (!ls_bundle_open(data->data, data->n, &bundle))
        return false;
    while (ls_bundle_next(&bundle, &e))
        if (bundle.next - 1 == index) {
            *data = (struct bytes){e.data, e.bytes};
            return true;
        }
    return false;
}

bool
uri_read(struct uri *uri, void **memory, struct bytes *data, char *why, size_t why_bytes)
{
    bool ok = uri->path ? read_file(uri, memory, data, why, why_bytes)
                        : read_memory(uri, memory, data, why, why_bytes);

    if (ok)
        uri->size = data->n;
    if (ok && uri->has_entry && !take_entry(uri->entry, memory, data, why, why_bytes)) {
        free(*memory);
        ok = false;
    }
    return ok;
}

/* The name of a process' program; "memory" when it can't be told. */
static const char *
program_of(long pid, char *path, size_t bytes)
{
    char link[64], *slash;
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/%ld/exe", pid);
    n = readlink(link, path, bytes - 1);
    if (n <= 0)
        return "memory";
    path[n] = 0;
    slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

char *
uri_file_name(const struct uri *uri)
{
    char program[PATH_MAX], pid[32] = "", entry[32] = "", *out;
    const char *name, *slash;
    int n;

    if (uri->path) {
        slash = strrchr(uri->path, '/');
        name = slash ? slash + 1 : uri->path;
    } else {
        name = program_of(uri->pid, program, sizeof(program));
        snprintf(pid, sizeof(pid), "-pid%ld", uri->pid);
    }
    if (uri->has_entry)
        snprintf(entry, sizeof(entry), "-entry%llu", (unsigned long long)uri->entry);
    n = asprintf(&out, "%s%s-offset%llu-size%llu%s.co", name, pid, (unsigned long long)uri->offset,
                 (unsigned long long)uri->size, entry);
    return n < 0 ? NULL : out;
}
