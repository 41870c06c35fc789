/* SPDX-License-Identifier: MIT */
/* Plain-C unit tests: LS_TEST(name) { ... EXPECT_EQ(a, b); ... } in a test_<module>.c that includes
 * this once. Each test runs in a process of its own with a time limit; the program closes with "N
 * passed, N failed". */
#ifndef LS_TESTS_UNIT_TEST_H
#define LS_TESTS_UNIT_TEST_H

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __has_include
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif
#ifndef RUNNING_ON_VALGRIND
#define RUNNING_ON_VALGRIND 0
#endif

#ifndef LS_TEST_SECONDS
#define LS_TEST_SECONDS 60
#endif

struct ls_test {
    const char *name;
    void (*run)(void);
    struct ls_test *next;
};

static struct ls_test *ls_tests, **ls_tests_end = &ls_tests;
static int ls_test_failures;

#define LS_TEST(id)                                                                                \
    static void test_##id(void);                                                                   \
    __attribute__((constructor)) static void register_##id(void)                                   \
    {                                                                                              \
        static struct ls_test test = {#id, test_##id, NULL};                                       \
        *ls_tests_end = &test;                                                                     \
        ls_tests_end = &test.next;                                                                 \
    }                                                                                              \
    static void test_##id(void)

#define EXPECT(cond)                                                                               \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond);                     \
            ls_test_failures++;                                                                    \
        }                                                                                          \
    } while (0)

/* Integers and pointers. */
#define EXPECT_EQ(a, b)                                                                            \
    do {                                                                                           \
        intmax_t a_ = (intmax_t)(a), b_ = (intmax_t)(b);                                           \
        if (a_ != b_) {                                                                            \
            fprintf(stderr, "%s:%d: %s is %" PRIdMAX ", %s is %" PRIdMAX "\n", __FILE__, __LINE__, \
                    #a, a_, #b, b_);                                                               \
            ls_test_failures++;                                                                    \
        }                                                                                          \
    } while (0)

#define EXPECT_STR(a, b)                                                                           \
    do {                                                                                           \
        const char *a_ = (a), *b_ = (b);                                                           \
        if (!a_ || !b_ || strcmp(a_, b_)) {                                                        \
            fprintf(stderr, "%s:%d: %s is \"%s\", %s is \"%s\"\n", __FILE__, __LINE__, #a,         \
                    a_ ? a_ : "(null)", #b, b_ ? b_ : "(null)");                                   \
            ls_test_failures++;                                                                    \
        }                                                                                          \
    } while (0)

/* Ends the test when what follows would make no sense. */
#define REQUIRE(cond)                                                                              \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond);                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static bool
ls_test_run(const struct ls_test *test)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();

    if (pid == 0) {
        alarm(LS_TEST_SECONDS);
        test->run();
        exit(ls_test_failures ? 1 : 0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return false;
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s: ended by signal %d%s\n", test->name, WTERMSIG(status),
                WTERMSIG(status) == SIGALRM ? " (time limit)" : "");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* LS_TEST_SKIP: names of tests with a space in front of and behind each. */
static bool
ls_test_is_skipped(const struct ls_test *test)
{
    const char *list = getenv("LS_TEST_SKIP"), *at = list;
    size_t n = strlen(test->name);

    while (at && (at = strstr(at, test->name)) != NULL) {
        if (at > list && at[-1] == ' ' && at[n] == ' ')
            return true;
        at += n;
    }
    return false;
}

int
main(int argc, char **argv)
{
    int n_passed = 0, n_failed = 0;

    for (const struct ls_test *test = ls_tests; test; test = test->next) {
        if ((argc > 1 && strcmp(argv[1], test->name)) || (argc <= 1 && ls_test_is_skipped(test)))
            continue;
        if (argc > 1) { /* one named test: in this process, for a debugger */
            test->run();
            return ls_test_failures ? 1 : 0;
        }
        if (ls_test_run(test)) {
            n_passed++;
        } else {
            n_failed++;
            fprintf(stderr, "FAIL %s\n", test->name);
        }
    }
    printf("%d passed, %d failed\n", n_passed, n_failed);
    return n_failed ? 1 : 0;
}

#endif
