/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_compiler_door ls_test_support */
/* The compiler's child: what kills it, what it inherits, who meets it; with a compiler that does
 * what it is told. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/door.h"
#include "unit/test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static struct {
    char last[512], warning[512];
    int n_errors;
} said;

static void
sink(void *user, enum ls_diag_level level, const char *message)
{
    (void)user;
    snprintf(level == LS_DIAG_WARNING ? said.warning : said.last, sizeof(said.last), "%s", message);
    said.n_errors += level == LS_DIAG_ERROR;
}

static bool
compile(const char *kernel, const void *bitcode, size_t bytes, const void *id, void **elf,
        size_t *elf_bytes)
{
    struct ls_compile_options opt = {.kernel = kernel, .warp_size = 32, .sink = sink};

    memset(&said, 0, sizeof(said));
    return ls_door_compile_kernel(bitcode, bytes, id, &opt, elf, elf_bytes);
}

/* What the compiler says to a question. */
static const char *
ask(const char *question)
{
    size_t n = 0;
    void *elf = NULL;

    EXPECT(!compile(question, "test", 4, NULL, &elf, &n));
    EXPECT_EQ(said.n_errors, 1);
    return said.warning;
}

static void
expect_good(void)
{
    void *elf = NULL;
    size_t n = 0;

    REQUIRE(compile("empty", "bitcode", 7, NULL, &elf, &n));
    EXPECT(n > 1000 && memcmp(elf, "\177ELF", 4) == 0);
    free(elf);
}

static void
set_up(void)
{
    setenv("LOCKSTEP_COMPILER", LS_TEST_SUPPORT "/ls_fake_compiler.so", 1);
    setenv("LS_TEST_KERNELS", LS_TEST_SUPPORT, 1);
}

static void
expect_death(const char *how, const char *message)
{
    ask(how);
    if (!strstr(said.last, message))
        fprintf(stderr, "%s: %s\n", how, said.last);
    EXPECT(strstr(said.last, message) && strstr(said.last, how));
    expect_good(); /* another child */
}

LS_TEST(a_compiler_that_dies_is_an_error)
{
    set_up();
    expect_good();
    expect_death("signal_11", "the compiler died of signal 11");
    expect_death("signal_6", "the compiler died of signal 6");
    expect_death("signal_4", "the compiler died of signal 4");
    expect_death("signal_8", "the compiler died of signal 8");
    expect_death("signal_9", "the compiler ended without an answer");
    expect_death("wild", "the compiler died of signal 11");
    expect_death("exit", "the compiler ended without an answer");
    expect_death("quit", "the compiler ended without an answer");
}

/* Signals that compilers are to die of, the last one first; the file is not kept. */
static int
plan_deaths(const char *signals, size_t n)
{
    static char path[] = "/tmp/ls-door-XXXXXX";
    int fd = mkstemp(path);

    REQUIRE(fd >= 0 && write(fd, signals, n) == (ssize_t)n);
    setenv("LS_TEST_DEATHS", path, 1);
    return fd;
}

/* By somebody's hand or for want of memory: another child is asked, once. Of what the kernel does
 * none is. */
LS_TEST(a_killed_compiler_is_asked_again)
{
    static const char again[] = {SIGKILL, SIGTERM, SIGKILL, SIGSEGV, SIGKILL, SIGTERM};
    void *elf = NULL;
    size_t n = 0;
    int fd = plan_deaths(again, sizeof(again));

    set_up();
    EXPECT(!compile("empty", "bitcode", 7, NULL, &elf, &n));
    EXPECT_EQ(errno, EAGAIN);
    EXPECT(said.n_errors == 1 &&
           strstr(said.last, "kernel empty: the compiler ended without an answer"));
    EXPECT_EQ(lseek(fd, 0, SEEK_END), 4);
    EXPECT(!compile("empty", "bitcode", 7, NULL, &elf, &n));
    EXPECT_EQ(errno, 0);
    EXPECT(said.n_errors == 1 && strstr(said.last, "died of signal 11"));
    EXPECT_EQ(lseek(fd, 0, SEEK_END), 3);
    REQUIRE(ftruncate(fd, 1) == 0);
    expect_good();
    EXPECT_EQ(said.n_errors, 0);
    EXPECT_EQ(lseek(fd, 0, SEEK_END), 0);
    unlink(getenv("LS_TEST_DEATHS"));
}

/* By whomever: it goes on, as nobody else would tell it to. */
LS_TEST(a_stopped_compiler_goes_on)
{
    static const char stop[] = {SIGSTOP, SIGSTOP};
    int fd = plan_deaths(stop, sizeof(stop));
    char first[64];

    set_up();
    snprintf(first, sizeof(first), "%s", ask("pid"));
    expect_good();
    EXPECT_STR(ask("pid"), first);
    EXPECT_EQ(lseek(fd, 0, SEEK_END), 0);
    unlink(getenv("LS_TEST_DEATHS"));
}

LS_TEST(recursion_without_end)
{
    set_up();
    if (!SANITIZED)
        expect_death("recurse", "the compiler died of signal 11");
}

/* The program may have next to no stack, and no right to more. */
LS_TEST(a_compiler_has_a_deep_stack)
{
    struct rlimit low = {65536, 65536};

    set_up();
    REQUIRE(setrlimit(RLIMIT_STACK, &low) == 0);
    EXPECT(*ask("deep"));
    if (!SANITIZED)
        expect_death("recurse", "the compiler died of signal 11");
}

LS_TEST(time_without_end)
{
    set_up();
    setenv("LOCKSTEP_COMPILER_SECONDS", "1", 1);
    if (!SANITIZED) /* the thread sanitizer keeps signals back */
        expect_death("spin", "the compiler took more than 1 s");
}

LS_TEST(memory_without_end)
{
    set_up();
    setenv("LOCKSTEP_COMPILER_MB", "300", 1);
    if (!SANITIZED)
        expect_death("eat", "the compiler died of signal 6");
}

LS_TEST(one_child_serves_all)
{
    char first[64];

    set_up();
    snprintf(first, sizeof(first), "%s", ask("pid"));
    EXPECT(atol(first) > 0 && atol(first) != getpid());
    EXPECT_STR(ask("pid"), first);
    expect_good();
    EXPECT_STR(ask("pid"), first);
    kill((pid_t)atol(first), SIGKILL); /* by whomever: another is asked */
    EXPECT(strcmp(ask("pid"), first) != 0);
}

static atomic_bool kills;

/* Whatever child this process has for a moment, sooner or later. */
static void *
kill_children(void *path)
{
    for (useconds_t n = 0; atomic_load(&kills); n++) {
        FILE *f = fopen(path, "r");
        long pid;

        while (f && fscanf(f, "%ld", &pid) == 1)
            usleep(n % 8 * 50), kill((pid_t)pid, SIGKILL);
        if (f)
            fclose(f);
    }
    return NULL;
}

/* In the middle of a birth, when three processes share this one's memory. */
LS_TEST(a_midwife_that_is_killed)
{
    char path[64];
    pthread_t killer;

    set_up();
    snprintf(path, sizeof(path), "/proc/self/task/%ld/children", (long)gettid());
    atomic_store(&kills, true);
    REQUIRE(pthread_create(&killer, NULL, kill_children, path) == 0);
    for (int i = 0; i < 40; i++) {
        size_t n = 0;
        void *elf = NULL;

        if (compile("empty", "bitcode", 7, NULL, &elf, &n))
            free(elf);
        else
            EXPECT(errno == EAGAIN && strstr(said.last, "the compiler ended without an answer"));
        compile("signal_11", "test", 4, NULL, &elf, &n); /* so that there must be another */
    }
    atomic_store(&kills, false);
    pthread_join(killer, NULL);
    expect_good();
}

LS_TEST(in_this_process_if_told)
{
    set_up();
    setenv("LOCKSTEP_COMPILER_CHILD", "0", 1);
    EXPECT_EQ(atol(ask("pid")), getpid());
    expect_good();
}

/* A sandbox that allows no processes: the library works here. */
LS_TEST(in_this_process_where_none_can_be_made)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_vfork, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog filter = {sizeof(code) / sizeof(*code), code};

    set_up();
    if (SANITIZED)
        return; /* they make threads when a test ends */
    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return; /* no such thing here */
    EXPECT_EQ(atol(ask("pid")), getpid());
    expect_good();
}

LS_TEST(no_library)
{
    char why[256];
    void *elf;
    size_t n;

    setenv("LOCKSTEP_COMPILER", "/nowhere/library.so", 1);
    EXPECT(!ls_door_is_there(why, sizeof(why)) && strstr(why, "/nowhere/library.so"));
    EXPECT(!compile("empty", "bitcode", 7, NULL, &elf, &n) &&
           strstr(said.last, "/nowhere/library.so"));
    set_up();
    EXPECT(ls_door_is_there(why, sizeof(why)));
    expect_good();
}

static volatile sig_atomic_t n_signals;

static void
on_signal(int sig)
{
    (void)sig;
    n_signals = n_signals + 1;
}

/* A program that waits for all its children does not wait for ours, and no signal says that it
 * ended. */
LS_TEST(the_child_is_nobodys)
{
    pid_t helper;
    int status;

    set_up();
    signal(SIGCHLD, on_signal);
    helper = (pid_t)atol(ask("pid"));
    EXPECT(waitpid(-1, &status, 0) == -1 && errno == ECHILD);
    kill(helper, SIGKILL);
    for (int i = 0; i < 10000 && kill(helper, 0) == 0; i++)
        usleep(1000);
    EXPECT(waitpid(-1, &status, 0) == -1 && errno == ECHILD);
    EXPECT_EQ(n_signals, 0);
    EXPECT(getsid(helper) != getsid(0));
}

/* It inherits no descriptors but what it prints to, handlers and masks neither, and of the
 * environment what it needs. */
LS_TEST(what_the_child_inherits)
{
    int fds[2];

    set_up();
    setenv("SECRET", "x", 1);
    setenv("LS_TEST_OF_DOOR", "known", 1);
    setenv("LOCKSTEP_OPT", "2", 1);
    signal(SIGSEGV, on_signal);
    REQUIRE(pipe(fds) == 0);
    EXPECT_STR(ask("files"), "0,-1");
    EXPECT_STR(ask("env_SECRET"), "unset");
    EXPECT_STR(ask("env_LS_TEST_OF_DOOR"), "known");
    EXPECT_STR(ask("env_LOCKSTEP_OPT"), "2");
    setenv("LOCKSTEP_OPT", "1", 1);
    EXPECT_STR(ask("env_LOCKSTEP_OPT"), "1");
    unsetenv("LOCKSTEP_OPT");
    EXPECT_STR(ask("env_LOCKSTEP_OPT"), "unset");
    EXPECT_EQ(n_signals, 0);
}

/* Programs that go into the background close whatever they find. What they open then is theirs. */
LS_TEST(descriptors_closed_behind_our_back)
{
    char path[] = "/tmp/ls-door-XXXXXX";
    off_t bytes = 0;
    int fd;

    set_up();
    expect_good();
    for (int i = 3; i < 100; i++)
        close(i);
    fd = mkstemp(path);
    REQUIRE(fd >= 3 && unlink(path) == 0);
    for (int i = fd + 1; i < 50; i++)
        dup2(fd, i);
    expect_good();
    expect_good();
    for (int i = fd; i < 50; i++)
        bytes += lseek(i, 0, SEEK_END);
    EXPECT_EQ(bytes, 0);
}

LS_TEST(standard_descriptors_closed)
{
    int err = dup(2);

    set_up();
    close(0);
    close(1);
    close(2);
    expect_good();
    EXPECT_STR(ask("print"), "14");
    dup2(err, 2);
    expect_good();
}

LS_TEST(a_forked_process_has_its_own)
{
    char parents[64];
    int status;
    pid_t pid;

    set_up();
    snprintf(parents, sizeof(parents), "%s", ask("pid"));
    pid = fork();
    if (pid == 0) {
        expect_good();
        EXPECT(strcmp(ask("pid"), parents) != 0);
        _exit(ls_test_failures ? 1 : 0);
    }
    expect_good();
    REQUIRE(waitpid(pid, &status, 0) == pid);
    EXPECT_EQ(status, 0);
    EXPECT_STR(ask("pid"), parents);
}

static void
quiet_sink(void *user, enum ls_diag_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

static void *
ask_quietly(void *question)
{
    struct ls_compile_options opt = {.kernel = question, .warp_size = 32, .sink = quiet_sink};
    void *elf;
    size_t n;

    ls_door_compile_kernel("test", 4, NULL, &opt, &elf, &n);
    return NULL;
}

/* Threads that wait for a compiler are not there in a forked process, and must not be woken. */
LS_TEST(a_process_forked_while_threads_wait)
{
    cpu_set_t all, one;
    pthread_t threads[8];
    int status;
    pid_t pid;

    set_up();
    if (SANITIZED)
        return; /* they allow no threads then */
    REQUIRE(sched_getaffinity(0, sizeof(all), &all) == 0);
    CPU_ZERO(&one);
    for (unsigned i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0); /* so that there is one compiler */
    for (int i = 0; i < 4; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, ask_quietly, i ? "pid" : "spin") == 0);
        usleep(100000);
    }
    pid = fork();
    if (pid == 0) {
        alarm(10);
        expect_good();
        for (int i = 0; i < 8; i++)
            REQUIRE(pthread_create(&threads[i], NULL, ask_quietly, "pid") == 0);
        for (int i = 0; i < 8; i++)
            pthread_join(threads[i], NULL);
        _exit(ls_test_failures ? 1 : 0);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid);
    EXPECT_EQ(status, 0);
}

/* Nothing stays behind, not even in the middle of work. */
LS_TEST(ends_with_the_process)
{
    int fds[2], status;
    char text[64] = "";
    pid_t pid, helper;

    set_up();
    REQUIRE(pipe(fds) == 0);
    pid = fork();
    if (pid == 0) {
        const char *helpers = ask("pid");

        if (write(fds[1], helpers, strlen(helpers)) > 0)
            ask("spin");
        _exit(0);
    }
    REQUIRE(read(fds[0], text, sizeof(text) - 1) > 0);
    helper = (pid_t)atol(text);
    EXPECT(kill(helper, 0) == 0);
    kill(pid, SIGKILL);
    REQUIRE(waitpid(pid, &status, 0) == pid);
    for (int i = 0; i < 20000 && kill(helper, 0) == 0; i++)
        usleep(1000);
    EXPECT(kill(helper, 0) != 0);
}

static void
print_sink(void *user, enum ls_diag_level level, const char *message)
{
    (void)user;
    fprintf(stderr, "said %d %s\n", level, message);
}

LS_TEST(what_both_sides_print_is_in_order)
{
    struct ls_compile_options opt = {.kernel = "print", .warp_size = 32, .sink = print_sink};
    char path[] = "/tmp/ls-door-XXXXXX", text[512] = "";
    int fd = mkstemp(path), err = dup(2);
    size_t n;
    void *elf;

    set_up();
    REQUIRE(fd >= 0 && unlink(path) == 0 && fcntl(fd, F_SETFL, O_APPEND) == 0);
    dup2(fd, 2);
    ls_door_compile_kernel("test", 4, NULL, &opt, &elf, &n);
    dup2(err, 2);
    REQUIRE(pread(fd, text, sizeof(text) - 1, 0) > 0);
    EXPECT_STR(text, "printed first\nsaid 2 14\nprinted last\nsaid 3 asked\n");
}

/* Bitcode with a name is sent once and kept, of several modules in turns. */
LS_TEST(bitcode_is_kept)
{
    uint8_t id[12][32];
    void *elf;
    size_t n;

    set_up();
    for (int round = 0; round < 3; round++)
        for (unsigned i = 0; i < 12; i++) {
            memset(id[i], (int)i + 1, 32);
            REQUIRE(compile("empty", "bitcode", 7, id[i], &elf, &n));
            free(elf);
            REQUIRE(compile("empty", "bitcode", 7, id[i], &elf, &n));
            free(elf);
        }
    EXPECT(!compile("pid", "test", 4, "0123456789abcdef0123456789abcdef", &elf, &n) &&
           said.warning[0]);
    EXPECT(!compile("signal_11", "test", 4, "0123456789abcdef0123456789abcdef", &elf, &n));
    EXPECT(!compile("pid", "test", 4, "0123456789abcdef0123456789abcdef", &elf, &n) &&
           said.warning[0]);
}

static bool
send_ahead(unsigned n_children, const char *kernel, uint8_t key)
{
    const struct ls_compile_options opt = {.kernel = kernel, .warp_size = 32, .sink = sink};
    uint8_t id[32] = {1}, name[LS_DOOR_KEY_BYTES] = {key};

    return ls_door_ahead(n_children, "test", 4, id, &opt, name);
}

/* Until a child takes it: the first calls start them. */
static void
expect_sent(unsigned n_children, const char *kernel, uint8_t key)
{
    for (int i = 0; !send_ahead(n_children, kernel, key); i++) {
        uint8_t found[LS_DOOR_KEY_BYTES];
        size_t n;
        void *elf;

        REQUIRE(i < 20000);
        EXPECT(!ls_door_ahead_next(found, &elf, &n));
        usleep(1000);
    }
    EXPECT(ls_door_ahead_has((uint8_t[LS_DOOR_KEY_BYTES]){key}));
}

static bool
take_ahead(uint8_t key)
{
    void *elf = NULL;
    size_t n = 0;
    bool ok = ls_door_ahead_take((uint8_t[LS_DOOR_KEY_BYTES]){key}, &elf, &n);

    EXPECT(!ok || (n > 1000 && memcmp(elf, "\177ELF", 4) == 0));
    free(ok ? elf : NULL);
    return ok;
}

/* Of the kernel that is done next; *elf may be NULL. */
static uint8_t
wait_for_next(void **elf)
{
    uint8_t found[LS_DOOR_KEY_BYTES] = {0};
    size_t n;

    for (int i = 0; i < 20000 && !ls_door_ahead_next(found, elf, &n); i++)
        usleep(1000);
    return found[0];
}

LS_TEST(kernels_are_compiled_ahead)
{
    void *elf = NULL;
    int status;
    pid_t pid;

    set_up();
    setenv("LOCKSTEP_COMPILER_SECONDS", "1", 1);
    EXPECT(!take_ahead(1));
    expect_sent(2, "empty", 1);
    EXPECT(take_ahead(1) && !take_ahead(1));
    expect_sent(2, "empty", 2);
    EXPECT_EQ(wait_for_next(&elf), 2);
    EXPECT(elf != NULL);
    free(elf);
    /* Who waits for other work is not waited for, and a fault of it is nobody's. */
    expect_sent(1, "spin", 3);
    expect_sent(1, "empty", 4);
    EXPECT(!send_ahead(1, "empty", 5)); /* enough for one child */
    EXPECT(!take_ahead(4));
    expect_good(); /* by the child that people wait for */
    EXPECT_EQ(wait_for_next(&elf), 3);
    EXPECT(elf == NULL);
    EXPECT(!ls_door_ahead_has((uint8_t[LS_DOOR_KEY_BYTES]){4}));
    expect_sent(1, "pid", 6); /* asks, and gets no code */
    EXPECT(!take_ahead(6));
    expect_sent(1, "spin", 7);
    pid = fork();
    if (pid == 0) { /* has children of its own */
        EXPECT(!ls_door_ahead_has((uint8_t[LS_DOOR_KEY_BYTES]){7}));
        expect_sent(1, "empty", 8);
        _exit(take_ahead(8) ? 0 : 1);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid);
    EXPECT_EQ(status, 0);
    EXPECT(ls_door_ahead_has((uint8_t[LS_DOOR_KEY_BYTES]){7}));
    setenv("LOCKSTEP_COMPILER_AHEAD", "0", 1);
    EXPECT(!send_ahead(2, "empty", 9) && !take_ahead(7));
}
