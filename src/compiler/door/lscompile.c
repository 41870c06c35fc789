/* SPDX-License-Identifier: MIT */
/* The child behind the door: opens the lowering library and does what the socket says. Only here
 * and in tools may bitcode that nobody vouches for meet LLVM. lscompile LIBRARY, started by
 * client.c, is of no use by hand. */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/heap.h"
#include "compiler/compiler.h"
#include "compiler/door/news.h"
#include "compiler/door/wire.h"

#define REST_MS     1000 /* behind this memory is given back */
#define IDLE_MS     59000
#define LEAST_BYTES ((uint64_t)1 << 30)

struct blob {
    void *data;
    size_t bytes;
};

static struct {
    __typeof__(ls_compile_kernel) *compile;
    __typeof__(ls_describe_bitcode) *describe;
    __typeof__(ls_link_bitcode) *link;
    __typeof__(ls_take_names) *take_names;
} lowering;
static const struct ls_wire caller = {.fd = LS_WIRE_FD};
static char why_not[512]; /* empty: the library is open */
static struct blob slots[LS_WIRE_SLOTS];

/* Ends the process without a message: the other side is gone, or sends what makes no sense. */
static _Noreturn void
leave(void)
{
    _exit(0);
}

static void
reply(enum ls_wire_reply_kind kind, uint32_t value, const void *data, size_t bytes)
{
    struct ls_wire_reply r = {LS_WIRE_MAGIC, kind, value, 0, bytes};

    if (!ls_wire_send(&caller, &r, sizeof(r)) || !ls_wire_send(&caller, data, bytes))
        leave();
}

static void
on_death(int sig)
{
    struct ls_wire_reply r = {LS_WIRE_MAGIC, LS_REPLY_DIED, (uint32_t)sig, 0, 0};

    ls_wire_send(&caller, &r, sizeof(r));
    _exit(1);
}

/* A thread that ends the process when the caller is gone, even in the middle of work. */
static void *
watch(void *unused)
{
    struct pollfd fd = {.fd = LS_WIRE_FD, .events = POLLRDHUP};

    (void)unused;
    while (poll(&fd, 1, -1) < 1)
        ;
    leave();
}

/* Called at exit: LLVM may end the process by itself, which is reported as a death. A process that
 * was killed cannot report. */
static void
on_exit_called(void)
{
    on_death(0);
}

static void
set_up(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL,  SIGFPE,
                                 SIGABRT, SIGSYS, SIGXCPU, SIGXFSZ};
    struct sigaction act = {.sa_handler = on_death, .sa_flags = SA_ONSTACK};
    pthread_t watcher;
    sigset_t all, then;
    int fd;

    for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
        sigaction(deadly[i], &act, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &then);
    if (pthread_create(&watcher, NULL, watch, NULL) == 0)
        pthread_detach(watcher);
    pthread_sigmask(SIG_SETMASK, &then, NULL);
    fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) { /* where memory is short this process goes, not the program */
        if (write(fd, "900", 3) < 0)
            errno = 0;
        close(fd);
    }
}

static void
open_library(const char *path)
{
    void *dl = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

    if (!dl) {
        snprintf(why_not, sizeof(why_not), "%s", dlerror());
        return;
    }
    *(void **)&lowering.compile = dlsym(dl, "ls_compile_kernel");
    *(void **)&lowering.describe = dlsym(dl, "ls_describe_bitcode");
    *(void **)&lowering.link = dlsym(dl, "ls_link_bitcode");
    *(void **)&lowering.take_names = dlsym(dl, "ls_take_names");
    if (!lowering.compile)
        snprintf(why_not, sizeof(why_not), "%.300s has no ls_compile_kernel", path);
}

static void
sink(void *user, enum ls_diag_level level, const char *message)
{
    char acknowledged;

    (void)user;
    reply(LS_REPLY_DIAG, level, message, strlen(message) + 1);
    if (!ls_wire_receive(&caller, &acknowledged, 1))
        leave();
}

/* Limits the processor time to what this process has used so far, and `seconds` more. */
static void
limit_time(uint32_t seconds)
{
    struct rlimit limit;
    struct rusage used;

    if (getrlimit(RLIMIT_CPU, &limit) != 0 || getrusage(RUSAGE_SELF, &used) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    if (seconds) {
        rlim_t end = (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec + seconds + 1;

        if (limit.rlim_max == RLIM_INFINITY || end < limit.rlim_max)
            limit.rlim_cur = end;
    }
    setrlimit(RLIMIT_CPU, &limit);
}

#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void);

__attribute__((visibility("default"))) const char *
__asan_default_options(void)
{
    return "max_allocation_size_mb=4096:hard_rss_limit_mb=8192";
}
#endif

/* 0: half of the machine's. Sanitizers want more address space than there is memory. */
static void
limit_memory(uint64_t mb)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)mb;
#else
    uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) != 0)
        return;
    limit.rlim_cur = mb ? mb << 20 : half < LEAST_BYTES ? LEAST_BYTES : half;
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
#endif
}

/* LOCKSTEP_... as the caller has them now. */
static void
set_environment(const char *p, const char *end)
{
    extern char **environ;
    char name[128];

    for (char **e = environ; e && *e;) {
        const char *this = *e;

        if (strncmp(this, "LOCKSTEP_", 9) == 0 && strcspn(this, "=") < sizeof(name)) {
            snprintf(name, sizeof(name), "%.*s", (int)strcspn(this, "="), this);
            unsetenv(
                name); /* unsetenv moves the later variables up, so the place is looked at again */
        }
        e += *e == this;
    }
    for (; p < end; p += strlen(p) + 1) {
        const char *eq = strchr(p, '=');

        if (!eq || (size_t)(eq - p) >= sizeof(name))
            continue;
        memcpy(name, p, (size_t)(eq - p));
        name[eq - p] = 0;
        setenv(name, eq + 1, 1);
    }
}

static void *
need(void *memory)
{
    if (!memory)
        on_death(SIGKILL); /* reported like a death by the kernel's out-of-memory killer */
    return memory;
}

static bool
compile(struct ls_compile_options *opt, const struct blob *b, struct blob *out)
{
    opt->sink = sink;
    return lowering.compile(b->data, b->bytes, opt, &out->data, &out->bytes);
}

static bool
link_all(const struct blob *blobs, size_t n, struct blob *out)
{
    const void **data = need(calloc(n + 1, sizeof(*data)));
    size_t *bytes = need(calloc(n + 1, sizeof(*bytes)));
    bool ok;

    for (size_t i = 0; i < n; i++) {
        data[i] = blobs[i].data;
        bytes[i] = blobs[i].bytes;
    }
    ok = lowering.link && lowering.link(data, bytes, n, sink, NULL, &out->data, &out->bytes);
    free(data);
    free(bytes);
    return ok;
}

static bool
take_names(const struct ls_wire_request *q, const char *prefix, const struct blob *b,
           struct blob *out)
{
    char **names = need(calloc(q->n_names + 1, sizeof(*names)));
    bool ok =
        lowering.take_names && lowering.take_names(b->data, b->bytes, prefix, q->n_names, sink,
                                                   NULL, names, &out->data, &out->bytes);

    for (uint64_t i = 0; i < q->n_names; i++) {
        if (ok && names[i])
            reply(LS_REPLY_NAME, (uint32_t)i, names[i], strlen(names[i]) + 1);
        free(names[i]);
    }
    free(names);
    return ok;
}

static void
work(const struct ls_wire_request *q, const char *text, const struct blob *blobs)
{
    const char *word = text, *end = text + q->text_bytes, *env;
    struct ls_compile_options opt;
    const struct blob *first = q->slot < LS_WIRE_SLOTS ? &slots[q->slot] : blobs;
    struct blob out = {NULL, 0};
    bool ok = false;

    ls_options_init(&opt);
    env = ls_options_read(&opt, word + strlen(word) + 1, end);
    if (!env)
        leave();
    if (why_not[0]) {
        reply(LS_REPLY_LIBRARY, 0, why_not, strlen(why_not) + 1);
        return;
    }
    set_environment(env, end);
    limit_time(q->seconds);
    limit_memory(q->memory_mb);
    switch (q->kind) {
    case LS_WIRE_HELLO:
        ok = true;
        break;
    case LS_WIRE_COMPILE:
        ok = compile(&opt, first, &out);
        break;
    case LS_WIRE_DESCRIBE:
        ok =
            lowering.describe && lowering.describe(first->data, first->bytes, *word ? word : NULL,
                                                   q->warp_size, sink, NULL, &out.data, &out.bytes);
        break;
    case LS_WIRE_LINK:
        ok = link_all(blobs, q->n_blobs, &out);
        break;
    case LS_WIRE_NAMES:
        ok = take_names(q, word, first, &out);
        break;
    default:
        leave();
    }
    limit_time(0);
    if (ok && out.data)
        reply(LS_REPLY_RESULT, 0, out.data, out.bytes);
    free(out.data);
    reply(LS_REPLY_DONE, ok, NULL, 0);
}

/* Reads a request and answers it. */
static void
serve(void)
{
    struct ls_wire_request q;
    struct blob *blobs;
    uint64_t *sizes;
    int n_zeros = 0;
    char *text;

    if (!ls_wire_receive(&caller, &q, sizeof(q)) || q.magic != LS_WIRE_MAGIC ||
        q.slot > LS_WIRE_SLOTS || q.n_blobs > LS_WIRE_MAX_BLOBS ||
        q.text_bytes > LS_WIRE_MAX_TEXT || q.n_names > LS_WIRE_MAX_BLOBS ||
        (q.slot == LS_WIRE_SLOTS && q.kind != LS_WIRE_HELLO && !q.n_blobs))
        leave();
    text = need(malloc(q.text_bytes + 1));
    sizes = need(calloc(q.n_blobs + 1, sizeof(*sizes)));
    blobs = need(calloc(q.n_blobs + 1, sizeof(*blobs)));
    if (!ls_wire_receive(&caller, text, q.text_bytes) ||
        !ls_wire_receive(&caller, sizes, q.n_blobs * sizeof(*sizes)))
        leave();
    for (uint64_t i = 0; i < q.text_bytes; i++)
        n_zeros += text[i] == 0 && n_zeros < 2;
    if (n_zeros < 2 || text[q.text_bytes - 1] != 0)
        leave();
    for (uint64_t i = 0; i < q.n_blobs; i++) {
        if (sizes[i] > LS_WIRE_MAX_BYTES)
            leave();
        blobs[i] = (struct blob){need(malloc(sizes[i] + 1)), sizes[i]};
        if (!ls_wire_receive(&caller, blobs[i].data, sizes[i]))
            leave();
    }
    if (q.slot < LS_WIRE_SLOTS && q.n_blobs) {
        free(slots[q.slot].data);
        slots[q.slot] = blobs[0];
        blobs[0].data = NULL;
    }
    work(&q, text, blobs);
    for (uint64_t i = 0; i < q.n_blobs; i++)
        free(blobs[i].data);
    free(blobs);
    free(sizes);
    free(text);
}

static void *
serve_all(void *library)
{
    static char stack[65536];
    struct pollfd fd = {.fd = LS_WIRE_FD, .events = POLLIN};

    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof(stack)},
                NULL); /* the handler of SIGSEGV needs a stack of its own: the other one is full
                          after deep recursion */
    open_library(library);
    atexit(on_exit_called); /* registered behind the library's own, so called before them */
    for (;;) {
        if (poll(&fd, 1, REST_MS) == 0) {
            ls_news_drop();
            if (poll(&fd, 1, IDLE_MS) == 0)
                leave();
        }
        serve();
    }
}

/* Serves in a thread with the stack that LLVM needs, when the limit that the program left us is too
 * low and cannot be raised. */
static void
serve_in_thread(void *library)
{
    struct rlimit limit;
    pthread_attr_t attr;
    pthread_t server;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= LS_WIRE_STACK ||
        pthread_attr_init(&attr) != 0)
        return;
    if (pthread_attr_setstacksize(&attr, LS_WIRE_STACK) == 0 &&
        pthread_create(&server, &attr, serve_all, library) == 0)
        pthread_join(server, NULL); /* the thread ends the process, so this does not return */
    pthread_attr_destroy(&attr);
}

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "lscompile is started by libamdhip64 and libhiprtc\n");
        return 2;
    }
    ls_heap_keep();
    set_up();
    serve_in_thread(argv[1]);
    serve_all(argv[1]);
}
