/* SPDX-License-Identifier: MIT */
/* The caller's side of the door. */
#include "compiler/door/door_priv.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/dl.h"
#include "base/env.h"
#include "base/log.h"

#define HELPER "lockstep/lscompile"

/* A child works for one thread at a time; others start more, as many as there are processors. */
#define MAX_CHILDREN 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER; /* a child has no user any more */
static struct ls_door_child children[MAX_CHILDREN] = {
    LS_DOOR_NOBODY, LS_DOOR_NOBODY, LS_DOOR_NOBODY, LS_DOOR_NOBODY,
    LS_DOOR_NOBODY, LS_DOOR_NOBODY, LS_DOOR_NOBODY, LS_DOOR_NOBODY};
static atomic_bool said_why;

/* ---- the child ---- */

/* Environment variables that the child gets: what the loader and programs it starts need. The rest
 * stays here, and LOCKSTEP_... comes with each request. */
static bool
is_handed_on(const char *var)
{
    static const char *const list[] = {
        "PATH=",         "TMPDIR=",       "LD_LIBRARY_PATH=", "LANG=",         "LC_ALL=",
        "ASAN_OPTIONS=", "TSAN_OPTIONS=", "UBSAN_OPTIONS=",   "LSAN_OPTIONS=", "LS_TEST_"};

    for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
        if (strncmp(var, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

static const char *
library_path(char *room, size_t bytes)
{
    const char *path = ls_env_str(LS_ENV_COMPILER);

    if (!*path)
        path = ls_dl_beside(LS_COMPILER_SONAME, room, bytes) ? room : LS_COMPILER_SONAME;
    return path;
}

static int
start_helper(int fd, pid_t *pid)
{
    char helper[PATH_MAX], room[PATH_MAX];
    char *argv[] = {helper, (char *)(uintptr_t)library_path(room, sizeof(room)), NULL};
    size_t n = 0, k = 0;
    char **from = ls_env_child(), **env;
    int err;

    if (!ls_dl_beside(HELPER, helper, sizeof(helper)))
        return ENOENT;
    while (from && from[n])
        n++;
    env = calloc(n + 1, sizeof(*env));
    if (!env)
        return ENOMEM;
    for (size_t i = 0; i < n && from[i]; i++)
        if (is_handed_on(from[i]))
            env[k++] = from[i];
    err = ls_child_start(argv, env, fd, LS_WIRE_STACK, pid);
    free(env);
    return err;
}

/* ---- the connection ---- */

bool
ls_door_is_connected(const struct ls_door_child *c)
{
    struct stat st;

    return c->wire.fd >= 0 && c->owner == getpid() && fstat(c->wire.fd, &st) == 0 &&
           S_ISSOCK(st.st_mode) && st.st_dev == c->sock_dev && st.st_ino == c->sock_ino;
}

void
ls_door_hang_up(struct ls_door_child *c)
{
    struct stat st;

    /* The program may have closed our descriptor and got its number for a file of its own: that one
     * is not closed. */
    if (c->wire.fd >= 0 && fstat(c->wire.fd, &st) == 0 && st.st_dev == c->sock_dev &&
        st.st_ino == c->sock_ino)
        close(c->wire.fd);
    c->wire.fd = -1;
    memset(c->is_sent, 0, sizeof(c->is_sent));
}

int
ls_door_connect(struct ls_door_child *c, bool *fresh)
{
    const struct timeval patience = {.tv_usec = LS_WIRE_PATIENCE_US};
    int fds[2], err;
    struct stat st;

    *fresh = false;
    if (ls_door_is_connected(c))
        return 0;
    ls_door_hang_up(c);
    *fresh = true;
    if (!ls_child_pair(fds))
        err = errno;
    else if ((err = start_helper(fds[1], &c->wire.child)) == 0 && fstat(fds[0], &st) == 0) {
        close(fds[1]);
        c->wire.fd = fds[0];
        setsockopt(c->wire.fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        setsockopt(c->wire.fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
        c->owner = getpid();
        c->sock_dev = st.st_dev;
        c->sock_ino = st.st_ino;
        return 0;
    } else {
        close(fds[0]);
        close(fds[1]);
    }
    if (err != ENOMEM && !atomic_exchange(&said_why, true))
        ls_log(LS_LOG_WARN, "no process for the compiler (%s): it works in this one",
               strerror(err));
    return err;
}

/* ---- a request ---- */

static size_t
add_text(char *to, const char *text)
{
    size_t n = strlen(text) + 1;

    if (to)
        memcpy(to, text, n);
    return n;
}

/* Writes the text of a request to `to`, or only counts when that is NULL; returns its size. */
static size_t
make_text(const struct ls_door_job *job, char *to)
{
    size_t n = add_text(to, job->word ? job->word : "");

    if (job->opt)
        n += ls_options_write(job->opt, to ? to + n : NULL);
    else
        n += add_text(to ? to + n : NULL, ""); /* none */
    for (char **e = ls_env_child(); e && *e; e++)
        if (strncmp(*e, "LOCKSTEP_", 9) == 0)
            n += add_text(to ? to + n : NULL, *e);
    return n;
}

size_t
ls_door_text_bytes(const struct ls_door_job *job)
{
    return make_text(job, NULL);
}

/* Chooses a slot of the child for bitcode with a hash: it is kept there, and sent only once. */
static void
choose_slot(struct ls_door_child *c, struct ls_door_job *job)
{
    unsigned i = 0;

    job->q.slot = LS_WIRE_SLOTS;
    if (!job->id)
        return;
    while (i < LS_WIRE_SLOTS && !(c->is_sent[i] && memcmp(c->sent[i], job->id, 32) == 0))
        i++;
    if (i < LS_WIRE_SLOTS) {
        job->q.slot = i;
        job->q.n_blobs = 0;
        return;
    }
    job->q.slot = c->next_slot;
    memcpy(c->sent[c->next_slot], job->id, 32);
    c->is_sent[c->next_slot] = true;
    c->next_slot = (c->next_slot + 1) % LS_WIRE_SLOTS;
}

enum ls_door_outcome
ls_door_send(struct ls_door_child *c, struct ls_door_job *job)
{
    uint64_t n_blobs = job->q.n_blobs;
    char *text;
    bool ok;

    job->q.text_bytes = make_text(job, NULL);
    text = malloc(job->q.text_bytes);
    if (!text)
        return NO_MEMORY;
    make_text(job, text);
    choose_slot(c, job);
    ok = ls_wire_send(&c->wire, &job->q, sizeof(job->q)) &&
         ls_wire_send(&c->wire, text, job->q.text_bytes);
    for (uint64_t i = 0; ok && i < job->q.n_blobs; i++)
        ok = ls_wire_send(&c->wire, &job->blobs[i].bytes, sizeof(job->blobs[i].bytes));
    for (uint64_t i = 0; ok && i < job->q.n_blobs; i++)
        ok = ls_wire_send(&c->wire, job->blobs[i].data, job->blobs[i].bytes);
    job->q.n_blobs = n_blobs; /* as it was, for another try */
    free(text);
    return ok ? DONE : LOST;
}

static void
tell(const struct ls_door_job *job, const char *message)
{
    if (job->sink)
        job->sink(job->sink_user, LS_DIAG_ERROR, message);
    else
        ls_log(LS_LOG_ERROR, "%s", message);
}

static void
tell_death(const struct ls_door_job *job, uint32_t sig)
{
    char message[256];
    const char *kernel = job->opt ? job->opt->kernel : NULL;

    if (sig == SIGXCPU)
        snprintf(message, sizeof(message),
                 "%s%s%sthe compiler took more than %u s (LOCKSTEP_COMPILER_SECONDS)",
                 kernel ? "kernel " : "", kernel ? kernel : "", kernel ? ": " : "", job->q.seconds);
    else if (sig)
        snprintf(message, sizeof(message), "%s%s%sthe compiler died of signal %u, %s",
                 kernel ? "kernel " : "", kernel ? kernel : "", kernel ? ": " : "", sig,
                 strsignal((int)sig));
    else
        snprintf(message, sizeof(message), "%s%s%sthe compiler ended without an answer",
                 kernel ? "kernel " : "", kernel ? kernel : "", kernel ? ": " : "");
    tell(job, message);
}

/* Takes over `data`, or frees it when the job does not want it. False: the reply makes no sense. */
static bool
take_reply(struct ls_door_child *c, struct ls_door_job *job, const struct ls_wire_reply *r,
           char *data)
{
    bool is_text = r->bytes && data[r->bytes - 1] == 0;

    switch (r->kind) {
    case LS_REPLY_DIAG:
        if (is_text && job->sink)
            job->sink(job->sink_user, r->value, data);
        free(data);
        return is_text && ls_wire_send(&c->wire, "", 1);
    case LS_REPLY_RESULT:
        free(job->out);
        job->out = data;
        job->out_bytes = r->bytes;
        return r->bytes != 0;
    case LS_REPLY_NAME:
        if (!is_text || !job->names || r->value >= job->q.n_names) {
            free(data);
            return false;
        }
        free(job->names[r->value]);
        job->names[r->value] = data;
        return true;
    default:
        free(data);
        return false;
    }
}

enum ls_door_outcome
ls_door_read(struct ls_door_child *c, struct ls_door_job *job)
{
    struct ls_wire_reply r;
    char *data = NULL;

    if (!ls_wire_receive(&c->wire, &r, sizeof(r)) || r.magic != LS_WIRE_MAGIC ||
        r.bytes > LS_WIRE_MAX_BYTES)
        return LOST;
    if (r.kind == LS_REPLY_DIED) {
        tell_death(job, r.value);
        return DIED;
    }
    if (r.kind == LS_REPLY_DONE)
        return r.value ? DONE : FAILED;
    if (r.bytes && !(data = malloc(r.bytes)))
        return NO_MEMORY;
    if (!ls_wire_receive(&c->wire, data, r.bytes)) {
        free(data);
        return LOST;
    }
    if (r.kind == LS_REPLY_LIBRARY) {
        if (job->why && r.bytes && data[r.bytes - 1] == 0)
            snprintf(job->why, job->why_bytes, "%s", data);
        free(data);
        return NO_LIBRARY;
    }
    return take_reply(c, job, &r, data) ? MORE : LOST;
}

static enum ls_door_outcome
read_replies(struct ls_door_child *c, struct ls_door_job *job)
{
    enum ls_door_outcome got;

    while ((got = ls_door_read(c, job)) == MORE)
        ;
    return got;
}

void
ls_door_forget_answers(struct ls_door_job *job)
{
    free(job->out);
    job->out = NULL;
    for (uint64_t i = 0; job->names && i < job->q.n_names; i++) {
        free(job->names[i]);
        job->names[i] = NULL;
    }
}

/* Sends a request to a child and reads its answer. A child that ended without
 * a word was idle for long, or was killed, perhaps as memory was short. That is not the request's
 * fault, so another child is asked, twice at most. */
static enum ls_door_outcome
ask_child(struct ls_door_child *c, struct ls_door_job *job)
{
    enum ls_door_outcome got = LOST;
    int n_fresh = 0;

    while (got == LOST && n_fresh < 2) {
        bool fresh;
        int err = ls_door_connect(c, &fresh);

        if (err)
            return err == ENOMEM ? NO_MEMORY : OUT_OF_REACH;
        n_fresh += fresh;
        got = ls_door_send(c, job);
        if (got == DONE)
            got = read_replies(c, job);
        if (got != DONE && got != FAILED)
            ls_door_hang_up(
                c); /* the child is gone, or in the middle of a reply that nobody reads */
        if (got != DONE)
            ls_door_forget_answers(job);
    }
    if (got == LOST)
        tell_death(job, 0);
    return got;
}

static unsigned
most_children(void)
{
    cpu_set_t cpus;
    int n = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : MAX_CHILDREN;

    return n < MAX_CHILDREN ? (unsigned)n : MAX_CHILDREN;
}

/* A forked process has none of the threads that hold the lock or wait, and a condition that they
 * wait for would wake those first. */

static void
before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void
after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

static void
forked(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    freed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

static void
expect_forks(void)
{
    pthread_atfork(before_fork, after_fork, forked);
}

/* A child for this thread alone: one that is there and idle, or else one to be started. NULL when
 * all are at work and the caller does not wait. */
static struct ls_door_child *
take_child(bool waits)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pid_t self = getpid();
    struct ls_door_child *c = NULL;

    pthread_once(&once, expect_forks);
    pthread_mutex_lock(&lock);
    for (;;) {
        unsigned n_used = 0;

        for (unsigned i = MAX_CHILDREN; i-- > 0;)
            if (children[i].user == self)
                n_used++;
            else if (!c || ls_door_is_connected(&children[i]) || !ls_door_is_connected(c))
                c = &children[i];
        if (c && n_used && n_used >= most_children())
            c = NULL;
        if (c || !waits)
            break;
        pthread_cond_wait(&freed, &lock);
    }
    if (c)
        c->user = self;
    pthread_mutex_unlock(&lock);
    return c;
}

static void
leave_child(struct ls_door_child *c)
{
    pthread_mutex_lock(&lock);
    c->user = 0;
    pthread_cond_signal(&freed);
    pthread_mutex_unlock(&lock);
}

void
ls_door_set_limits(struct ls_door_job *job)
{
    job->q.magic = LS_WIRE_MAGIC;
    job->q.seconds = (uint32_t)ls_env_long(LS_ENV_COMPILER_SECONDS, 0, INT32_MAX);
    job->q.memory_mb = (uint64_t)ls_env_long(LS_ENV_COMPILER_MB, 0, INT32_MAX);
}

/* Asks the child. Returns OUT_OF_REACH when there can be none: the caller then does the work in
 * this process. */
static enum ls_door_outcome
ask(struct ls_door_job *job)
{
    enum ls_door_outcome got = OUT_OF_REACH;
    struct ls_door_child *c;
    int cancel;

    if (!ls_env_bool(LS_ENV_COMPILER_CHILD))
        return got;
    ls_door_set_limits(job);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    c = take_child(true);
    got = ask_child(c, job);
    leave_child(c);
    pthread_setcancelstate(cancel, NULL);
    if (got == NO_MEMORY && job->sink)
        tell(job, "out of memory");
    if (got == NO_LIBRARY && job->q.kind != LS_WIRE_HELLO) {
        char message[768];

        snprintf(message, sizeof(message), "the lowering library can't be opened: %s",
                 job->why ? job->why : "");
        tell(job, message);
    }
    errno = got == NO_MEMORY ? ENOMEM : got == LOST ? EAGAIN : 0;
    return got;
}

/* ---- in this process ---- */

static struct {
    __typeof__(ls_compile_kernel) *compile;
    __typeof__(ls_describe_bitcode) *describe;
    __typeof__(ls_link_bitcode) *link;
    __typeof__(ls_take_names) *take_names;
    char why[512];
} here; /* guarded by here_lock until is_open_here */
static pthread_mutex_t here_lock = PTHREAD_MUTEX_INITIALIZER;

static bool
is_open_here(void)
{
    const char *path;
    char room[PATH_MAX];
    void *dl;

    pthread_mutex_lock(&here_lock);
    if (!here.compile) {
        path = library_path(room, sizeof(room));
        dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!dl) {
            snprintf(here.why, sizeof(here.why), "%s", dlerror());
        } else {
            *(void **)&here.describe = dlsym(dl, "ls_describe_bitcode");
            *(void **)&here.link = dlsym(dl, "ls_link_bitcode");
            *(void **)&here.take_names = dlsym(dl, "ls_take_names");
            *(void **)&here.compile = dlsym(dl, "ls_compile_kernel");
            if (!here.compile)
                snprintf(here.why, sizeof(here.why), "%.300s has no ls_compile_kernel", path);
        }
    }
    pthread_mutex_unlock(&here_lock);
    return here.compile != NULL;
}

static bool
opens_here(ls_diag_sink sink, void *user)
{
    char message[768];

    errno = 0;
    if (is_open_here())
        return true;
    snprintf(message, sizeof(message), "the lowering library can't be opened: %s", here.why);
    tell(&(struct ls_door_job){.sink = sink, .sink_user = user}, message);
    return false;
}

/* One at a time: LLVM has switches that are the process's. */
static bool
compile_here(const void *bitcode, size_t bytes, const struct ls_compile_options *opt, void **elf,
             size_t *elf_bytes)
{
    bool ok;

    pthread_mutex_lock(&here_lock);
    ok = here.compile(bitcode, bytes, opt, elf, elf_bytes);
    pthread_mutex_unlock(&here_lock);
    return ok;
}

/* ---- functions of door.h ---- */

void
ls_door_prepare(void)
{
    struct ls_door_child *c;
    bool fresh;
    int cancel;

    if (!ls_env_bool(LS_ENV_COMPILER_CHILD))
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    c = take_child(false);
    if (c) {
        ls_door_connect(c, &fresh);
        leave_child(c);
    }
    pthread_setcancelstate(cancel, NULL);
}

bool
ls_door_is_there(char *why, size_t bytes)
{
    struct ls_door_job job = {
        .q.kind = LS_WIRE_HELLO, .q.slot = LS_WIRE_SLOTS, .why = why, .why_bytes = bytes};
    enum ls_door_outcome got;

    if (bytes)
        snprintf(why, bytes, "no answer from lscompile");
    got = ask(&job);
    if (got == OUT_OF_REACH && !is_open_here()) {
        snprintf(why, bytes, "%s", here.why);
        return false;
    }
    return got == OUT_OF_REACH || got == DONE;
}

bool
ls_door_is_installed(void)
{
    char room[PATH_MAX];
    const char *path = library_path(room, sizeof(room));

    return strchr(path, '/') ? access(path, R_OK) == 0 : is_open_here();
}

bool
ls_door_compile_kernel(const void *bitcode, size_t bitcode_bytes, const void *id,
                       const struct ls_compile_options *opt, void **elf, size_t *elf_bytes)
{
    const struct ls_door_blob blob = {bitcode, bitcode_bytes};
    char why[512] = "";
    struct ls_door_job job = {.q = {.kind = LS_WIRE_COMPILE, .n_blobs = 1},
                              .opt = opt,
                              .blobs = &blob,
                              .id = id,
                              .sink = opt->sink,
                              .sink_user = opt->sink_user,
                              .why = why,
                              .why_bytes = sizeof(why)};
    enum ls_door_outcome got = ask(&job);

    if (got == OUT_OF_REACH)
        return opens_here(opt->sink, opt->sink_user) &&
               compile_here(bitcode, bitcode_bytes, opt, elf, elf_bytes);
    *elf = job.out;
    *elf_bytes = job.out_bytes;
    return got == DONE && job.out;
}

bool
ls_door_describe_bitcode(const void *bitcode, size_t bitcode_bytes, const char *arch,
                         uint32_t warp_size, ls_diag_sink sink, void *sink_user, void **image,
                         size_t *image_bytes)
{
    const struct ls_door_blob blob = {bitcode, bitcode_bytes};
    char why[512] = "";
    struct ls_door_job job = {.q = {.kind = LS_WIRE_DESCRIBE, .warp_size = warp_size, .n_blobs = 1},
                              .word = arch,
                              .blobs = &blob,
                              .sink = sink,
                              .sink_user = sink_user,
                              .why = why,
                              .why_bytes = sizeof(why)};
    enum ls_door_outcome got = ask(&job);

    if (got == OUT_OF_REACH)
        return opens_here(sink, sink_user) && here.describe &&
               here.describe(bitcode, bitcode_bytes, arch, warp_size, sink, sink_user, image,
                             image_bytes);
    *image = job.out;
    *image_bytes = job.out_bytes;
    return got == DONE && job.out;
}

bool
ls_door_link_bitcode(const void *const *bitcode, const size_t *bitcode_bytes, size_t n,
                     ls_diag_sink sink, void *sink_user, void **out, size_t *out_bytes)
{
    struct ls_door_blob *blobs = calloc(n + 1, sizeof(*blobs));
    char why[512] = "";
    struct ls_door_job job = {.q = {.kind = LS_WIRE_LINK, .n_blobs = n},
                              .blobs = blobs,
                              .sink = sink,
                              .sink_user = sink_user,
                              .why = why,
                              .why_bytes = sizeof(why)};
    enum ls_door_outcome got;

    if (!blobs || n > LS_WIRE_MAX_BLOBS) {
        free(blobs);
        tell(&job, "out of memory");
        return false;
    }
    for (size_t i = 0; i < n; i++)
        blobs[i] = (struct ls_door_blob){bitcode[i], bitcode_bytes[i]};
    got = ask(&job);
    free(blobs);
    if (got == OUT_OF_REACH)
        return opens_here(sink, sink_user) && here.link &&
               here.link(bitcode, bitcode_bytes, n, sink, sink_user, out, out_bytes);
    *out = job.out;
    *out_bytes = job.out_bytes;
    return got == DONE && job.out;
}

bool
ls_door_take_names(const void *bitcode, size_t bitcode_bytes, const char *prefix, size_t n,
                   ls_diag_sink sink, void *sink_user, char **names, void **out, size_t *out_bytes)
{
    const struct ls_door_blob blob = {bitcode, bitcode_bytes};
    char why[512] = "";
    struct ls_door_job job = {.q = {.kind = LS_WIRE_NAMES, .n_blobs = 1, .n_names = n},
                              .word = prefix,
                              .blobs = &blob,
                              .sink = sink,
                              .sink_user = sink_user,
                              .names = names,
                              .why = why,
                              .why_bytes = sizeof(why)};
    enum ls_door_outcome got;

    memset(names, 0, n * sizeof(*names));
    got = n > LS_WIRE_MAX_BLOBS ? OUT_OF_REACH : ask(&job);
    if (got == OUT_OF_REACH)
        return opens_here(sink, sink_user) && here.take_names &&
               here.take_names(bitcode, bitcode_bytes, prefix, n, sink, sink_user, names, out,
                               out_bytes);
    *out = job.out;
    *out_bytes = job.out_bytes;
    return got == DONE && job.out;
}
