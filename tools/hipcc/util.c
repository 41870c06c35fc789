/* SPDX-License-Identifier: MIT */
/* Strings, lists, byte buffers and files for the driver. */
#include "hipcc_priv.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tells the leak sanitizer that memory lives as long as the process: nothing is freed. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int
__lsan_is_turned_off(void)
{
    return 1;
}

static void *
checked(void *memory)
{
    if (memory)
        return memory;
    fputs("hipcc: error: out of memory\n", stderr);
    ls_temp_cleanup();
    _exit(1);
}

void *
ls_hipcc_alloc(size_t n_bytes)
{
    return checked(calloc(1, n_bytes ? n_bytes : 1));
}

static char *
format_list(const char *format, va_list list)
{
    char *text = NULL;

    if (vasprintf(&text, format, list) < 0)
        text = NULL;
    return checked(text);
}

char *
ls_hipcc_format(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    char *text = format_list(format, list);
    va_end(list);
    return text;
}

void
ls_strv_push(struct ls_strv *list, const char *text)
{
    if (list->n + 2 > list->cap) {
        list->cap = list->cap ? 2 * list->cap : 16;
        list->v = checked(realloc(list->v, list->cap * sizeof(*list->v)));
    }
    list->v[list->n++] = checked(strdup(text));
    list->v[list->n] = NULL;
}

void
ls_strv_pushf(struct ls_strv *list, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    char *text = format_list(format, args);
    va_end(args);
    ls_strv_push(list, text);
    free(text);
}

void
ls_strv_append(struct ls_strv *list, const struct ls_strv *more)
{
    for (size_t i = 0; i < more->n; i++)
        ls_strv_push(list, more->v[i]);
}

bool
ls_strv_has(const struct ls_strv *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(list->v[i], text))
            return true;
    return false;
}

void *
ls_buf_grow(struct ls_buf *buf, size_t n)
{
    if (n > SIZE_MAX / 2 - buf->n)
        checked(NULL);
    if (buf->n + n > buf->cap) {
        size_t cap = buf->cap ? buf->cap : 4096;

        while (cap < buf->n + n)
            cap *= 2;
        buf->data = checked(realloc(buf->data, cap));
        buf->cap = cap;
    }
    char *start = buf->data + buf->n;
    memset(start, 0, n);
    buf->n += n;
    return start;
}

void
ls_buf_add(struct ls_buf *buf, const void *data, size_t n)
{
    if (n)
        memcpy(ls_buf_grow(buf, n), data, n);
}

void
ls_buf_align(struct ls_buf *buf, size_t align)
{
    size_t rest = buf->n % align;

    if (rest)
        ls_buf_grow(buf, align - rest);
}

bool
ls_buf_read(struct ls_buf *out, const char *path)
{
    void *data;
    size_t n;

    if (!ls_file_read(path, &data, &n))
        return false;
    free(out->data);
    *out = (struct ls_buf){data, n, n + 1};
    return true;
}

bool
ls_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

const char *
ls_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *
ls_path_ext(const char *path)
{
    const char *base = ls_path_base(path);
    const char *dot = strrchr(base, '.');

    return dot && dot != base ? dot + 1 : "";
}

char *
ls_path_stem(const char *path)
{
    char *stem = ls_hipcc_format("%s", ls_path_base(path));
    char *dot = strrchr(stem, '.');

    if (dot && dot != stem)
        *dot = '\0';
    return stem;
}

bool
ls_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* FNV-1a */
uint64_t
ls_hash64(uint64_t seed, const void *data, size_t n)
{
    const unsigned char *at = data;
    uint64_t hash = seed ^ 0xcbf29ce484222325u;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}
