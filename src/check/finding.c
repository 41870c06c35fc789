/* SPDX-License-Identifier: MIT */
/* Findings: each place in the source once, as text at once, and for lscheck as records in a file
 * (LOCKSTEP_CHECK_FILE), which is whole whenever the process ends. */

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "check/check_priv.h"

enum { MOST_FINDINGS = 1000, TEXT_BYTES = 16384, STACK_FRAMES = 32 };

struct known {
    uint64_t hash, count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known known[MOST_FINDINGS]; /* guarded by lock, as the next three */
static unsigned n_known;
static uint64_t n_dropped;
static int file = -1;

struct text {
    char bytes[TEXT_BYTES];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void
add(struct text *t, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    int n = vsnprintf(t->bytes + t->n, sizeof(t->bytes) - t->n, format, ap);
    va_end(ap);
    if (n > 0)
        t->n += (size_t)n < sizeof(t->bytes) - t->n ? (size_t)n : sizeof(t->bytes) - t->n - 1;
}

static uint64_t
hash_text(uint64_t h, const char *text)
{
    for (; text && *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return (h ^ 0xff) * 0x100000001b3u;
}

/* Counts a finding; true: it is new. *id: its number, from 1. */
static bool
is_new(const struct ls_check_finding *f, unsigned *id)
{
    uint64_t h = hash_text(0xcbf29ce484222325u, f->check);

    h = hash_text(h, f->kind);
    h = hash_text(h, f->message);
    h = hash_text(h, f->trace ? f->trace : f->key ? f->key : f->notes);
    for (unsigned i = 0; i < n_known; i++)
        if (known[i].hash == h) {
            known[i].count++;
            return false;
        }
    if (n_known == MOST_FINDINGS) {
        n_dropped++;
        return false;
    }
    known[n_known++] = (struct known){h, 1};
    *id = n_known;
    return true;
}

/* A line of a trace: function, file, line, column, with tabs between them. Returns what follows. */
static const char *
read_frame(const char *at, char function[256], char place[1024])
{
    char name[768] = "", number[2][16] = {"", ""};
    size_t n = strcspn(at, "\n");

    function[0] = '\0';
    sscanf(at, "%255[^\t\n]", function);
    const char *rest = memchr(at, '\t', n);
    if (rest)
        sscanf(rest + 1, "%767[^\t\n]\t%15[0-9]\t%15[0-9]", name, number[0], number[1]);
    snprintf(place, 1024, "%s:%s%s%s", name, number[0], strcmp(number[1], "0") ? ":" : "",
             strcmp(number[1], "0") ? number[1] : "");
    return at[n] ? at + n + 1 : at + n;
}

static void
add_trace(struct text *t, const char *trace, const char *margin)
{
    char function[256], place[1024];

    for (const char *at = trace; at && *at;) {
        const char *next = read_frame(at, function, place);

        add(t, "%s%s %s, %s\n", margin, at == trace ? "in" : "inlined into", function, place);
        at = next;
    }
}

void
ls_check_say_trace(const char *trace, char *to, size_t bytes)
{
    struct text t = {.n = 0};

    add_trace(&t, trace, "  ");
    snprintf(to, bytes, "%s", t.bytes);
}

static void
print(const struct ls_check_finding *f)
{
    struct text t = {.n = 0};

    add(&t, "%s: %s [%s/%s]\n", ls_checks() & LS_CHECK_NOTES ? "lsreview" : "lscheck", f->message,
        f->check, f->kind);
    add_trace(&t, f->trace, "    ");
    if (f->where)
        add(&t, "    %s\n", f->where);
    for (const char *at = f->notes; at && *at; at += strcspn(at, "\n") + 1) {
        add(&t, "    %.*s\n", (int)strcspn(at, "\n"), at);
        if (!at[strcspn(at, "\n")])
            break;
    }
    fflush(stdout);
    fwrite(t.bytes, 1, t.n, stderr);
}

/* A field of a record: no tabs and ends of lines. */
static void
add_field(struct text *t, const char *text)
{
    add(t, "\t");
    for (; text && *text; text++)
        add(t, "%c", *text == '\t' || *text == '\n' ? ' ' : *text);
}

static void
add_lines(struct text *t, char letter, unsigned id, const char *lines)
{
    for (const char *at = lines; at && *at;) {
        size_t n = strcspn(at, "\n");

        add(t, "%c\t%d\t%u\t%.*s\n", letter, (int)getpid(), id, (int)n, at);
        at += n + (at[n] == '\n');
    }
}

static void
write_record(const struct text *t)
{
    const char *path = ls_env_str(LS_ENV_CHECK_FILE);

    if (file < 0 && *path)
        file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0 && write(file, t->bytes, t->n) != (ssize_t)t->n)
        fprintf(stderr, "lscheck: cannot write to %s\n", path);
}

static void
record(const struct ls_check_finding *f, unsigned id)
{
    struct text t = {.n = 0};

    add(&t, "F\t%d\t%u", (int)getpid(), id);
    add_field(&t, f->check);
    add_field(&t, f->kind);
    add_field(&t, f->message);
    add_field(&t, f->where);
    add(&t, "\n");
    add_lines(&t, 'T', id, f->trace);
    add_lines(&t, 'N', id, f->notes);
    write_record(&t);
}

void
ls_check_record_start(void)
{
    struct text t = {.n = 0};

    add(&t, "S\t%d\t0\n", (int)getpid());
    pthread_mutex_lock(&lock);
    write_record(&t);
    pthread_mutex_unlock(&lock);
}

void
ls_check_report(const struct ls_check_finding *finding)
{
    unsigned id;

    if (ls_check_is_suppressed(finding))
        return;
    pthread_mutex_lock(&lock);
    if (is_new(finding, &id)) {
        print(finding);
        record(finding, id);
    }
    pthread_mutex_unlock(&lock);
}

const char *
ls_check_verb(const struct ls_check_site *site)
{
    return site->kind == LS_CHECK_LOAD    ? "read"
           : site->kind == LS_CHECK_STORE ? "write"
                                          : "atomic operation";
}

const char *
ls_check_words(const struct ls_check_site *site, char text[64])
{
    if (site->flags & LS_CHECK_SIZED) /* one finding, whatever the lengths are */
        return ls_check_verb(site);
    snprintf(text, 64, "%u-byte %s", site->bytes, ls_check_verb(site));
    return text;
}

void
ls_check_report_at(const struct ls_check_warp *warp, const struct ls_check_site *site,
                   const char *check, const char *kind, const char *message, const char *notes,
                   uint64_t bad)
{
    uint32_t t = warp->first_thread + (uint32_t)__builtin_ctzll(bad);
    char where[1024], kernel[768];

    ls_check_name(warp->kernel, kernel, sizeof(kernel));
    snprintf(where, sizeof(where), "kernel %s, block (%u,%u,%u), thread (%u,%u,%u)%s", kernel,
             warp->block_id[0], warp->block_id[1], warp->block_id[2], t % warp->block[0],
             t / warp->block[0] % warp->block[1], t / warp->block[0] / warp->block[1],
             bad & (bad - 1) ? " and others of its warp" : "");
    ls_check_report(&(struct ls_check_finding){
        .check = check,
        .kind = kind,
        .message = message,
        .trace = site->trace ? (const char *)site + site->trace : NULL,
        .where = where,
        .notes = notes,
    });
}

void
ls_check_counts_end(void)
{
    struct text t = {.n = 0};

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n_known; i++) {
        t.n = 0;
        add(&t, "C\t%d\t%u\t%" PRIu64 "\n", (int)getpid(), i + 1, known[i].count);
        write_record(&t);
    }
    if (n_dropped)
        fprintf(stderr, "lscheck: %" PRIu64 " more findings at other places were not kept\n",
                n_dropped);
    pthread_mutex_unlock(&lock);
}

/* One frame; false: there is nothing to say of it. Functions of this library are named where the
 * program called one. */
static bool
say_frame(void *frame, bool *inside, char *line, size_t bytes)
{
    Dl_info info = {.dli_fname = NULL}, own = {.dli_fname = NULL};
    const char *slash;

    if (!dladdr(frame, &info) || !info.dli_fname)
        return false;
    if (dladdr((void *)(uintptr_t)ls_check_stack, &own) && own.dli_fbase == info.dli_fbase) {
        snprintf(line, bytes, "  by %s\n", info.dli_sname ? info.dli_sname : "the runtime");
        return *inside && info.dli_sname;
    }
    *inside = false;
    slash = strrchr(info.dli_fname, '/');
    slash = slash ? slash + 1 : info.dli_fname;
    if (!strncmp(slash, "libc.so", 7)) /* what calls main */
        return false;
    if (info.dli_sname)
        snprintf(line, bytes, "  by %s (%s+0x%tx)\n", info.dli_sname, slash,
                 (char *)frame - (char *)info.dli_fbase - 1);
    else
        snprintf(line, bytes, "  by %s+0x%tx\n", slash, (char *)frame - (char *)info.dli_fbase - 1);
    return true;
}

void
ls_check_first_frame(void *const *frames, int n, char *to, size_t bytes)
{
    char line[512] = "";
    bool inside = true;

    for (int i = 0; i < n && !say_frame(frames[i], &inside, line, sizeof(line)); i++)
        ;
    snprintf(to, bytes, "%.*s", (int)strcspn(line + (*line ? 5 : 0), "\n"), line + (*line ? 5 : 0));
}

char *
ls_check_stack(void)
{
    void *frames[STACK_FRAMES];
    int n = backtrace(frames, STACK_FRAMES);
    char line[512], *text = calloc(1, (size_t)n * sizeof(line) + 1);
    bool inside = true;
    size_t at = 0;

    for (int i = 1; text && i < n; i++)
        if (say_frame(frames[i], &inside, line, sizeof(line)))
            at += (size_t)sprintf(text + at, "%s", line);
    return text ? realloc(text, at + 1) : NULL;
}
