/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_base */
/* SHA-256 against the standard's examples; environment variables; whole files. */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "base/file.h"
#include "base/log.h"
#include "base/sha256.h"
#include "unit/test.h"

static void
expect_hash(const char *text, size_t n, const char *want)
{
    struct ls_sha256 sha;
    uint8_t digest[32];
    char hex[65];

    ls_sha256_of(text, n, digest);
    ls_sha256_hex(digest, hex);
    EXPECT_STR(hex, want);
    ls_sha256_init(&sha); /* the same in uneven pieces */
    for (size_t i = 0; i < n; i += 1 + i % 71)
        ls_sha256_add(&sha, text + i, i + 1 + i % 71 < n ? 1 + i % 71 : n - i);
    ls_sha256_final(&sha, digest);
    ls_sha256_hex(digest, hex);
    EXPECT_STR(hex, want);
}

LS_TEST(sha256)
{
    static char million[1000000];

    memset(million, 'a', sizeof(million));
    expect_hash("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_hash("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect_hash(million, sizeof(million),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* What stderr got while `ask` read a variable. */
static const char *
said(enum ls_env var, long lo, long hi)
{
    static char text[256];
    int fds[2], old = dup(2);

    REQUIRE(old >= 0 && pipe(fds) == 0 && dup2(fds[1], 2) == 2);
    ls_env_long(var, lo, hi);
    dup2(old, 2);
    close(fds[1]);
    close(old);
    ssize_t n = read(fds[0], text, sizeof(text) - 1);
    close(fds[0]);
    text[n > 0 ? n : 0] = 0;
    return text;
}

LS_TEST(numbers_out_of_range_are_said_once)
{
    setenv("LOCKSTEP_OPT", "99", 1);
    EXPECT_STR(said(LS_ENV_OPT, 0, 3),
               "lockstep: LOCKSTEP_OPT=99 is no number from 0 to 3: 3 is taken\n");
    EXPECT_STR(said(LS_ENV_OPT, 0, 3), "");
    setenv("LOCKSTEP_THREADS", "two", 1);
    EXPECT_STR(said(LS_ENV_THREADS, 0, 4096),
               "lockstep: LOCKSTEP_THREADS=two is no number from 0 to 4096: 0 is taken\n");
    setenv("LOCKSTEP_STACK_MB", "32", 1);
    EXPECT_STR(said(LS_ENV_STACK_MB, 1, 64), "");
    setenv("AMD_LOG_LEVEL", "9", 1); /* as in AMD's runtime */
    EXPECT_STR(said(LS_ENV_AMD_LOG_LEVEL, 0, 5), "");
}

LS_TEST(environment)
{
    unsetenv("LOCKSTEP_OPT");
    EXPECT_EQ(ls_env_long(LS_ENV_OPT, 0, 3), 3);
    setenv("LOCKSTEP_OPT", "1", 1);
    EXPECT_EQ(ls_env_long(LS_ENV_OPT, 0, 3), 1);
    setenv("LOCKSTEP_OPT", "99", 1);
    EXPECT_EQ(ls_env_long(LS_ENV_OPT, 0, 3), 3);
    setenv("LOCKSTEP_OPT", "x", 1);
    EXPECT_EQ(ls_env_long(LS_ENV_OPT, 0, 3), 3);
    setenv("LOCKSTEP_ISA", "", 1);
    EXPECT_STR(ls_env_str(LS_ENV_ISA), "native");
    setenv("LOCKSTEP_CACHE", "0", 1);
    EXPECT_EQ(ls_env_bool(LS_ENV_CACHE), false);
}

LS_TEST(whole_files)
{
    static char big[200000], name[] = "/tmp/ls-test-base-XXXXXX";
    const size_t sizes[] = {0, 1, 65535, 65536, 65537, sizeof(big)};
    void *data;
    size_t n;
    int fd = mkstemp(name), ends[2];

    REQUIRE(fd >= 0 && !close(fd));
    for (size_t i = 0; i < sizeof(big); i++)
        big[i] = (char)(i * 2654435761u >> 13);
    /* downwards: what was longer is cut off */
    for (size_t i = sizeof(sizes) / sizeof(sizes[0]); i-- > 0;) {
        EXPECT(ls_file_write(name, big, sizes[i]));
        REQUIRE(ls_file_read(name, &data, &n));
        EXPECT(n == sizes[i] && !memcmp(data, big, n) && !((char *)data)[n]);
        free(data);
    }
    unlink(name);
    REQUIRE(!pipe(ends));
    pid_t child = fork();
    if (!child) /* more than a pipe holds, so it comes in parts */
        _exit(write(ends[1], big, sizeof(big)) != (ssize_t)sizeof(big));
    close(ends[1]);
    char path[64];
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    REQUIRE(ls_file_read(path, &data, &n));
    EXPECT(n == sizeof(big) && !memcmp(data, big, n));
    free(data);
    close(ends[0]);
    EXPECT(waitpid(child, NULL, 0) == child);

    EXPECT(!ls_file_read("/nowhere/file", &data, &n) && errno == ENOENT);
    EXPECT(!ls_file_read("/tmp", &data, &n) && errno == EISDIR);
    EXPECT(!ls_file_read("/dev/zero", &data, &n) && errno == EFBIG); /* it has no end */
    EXPECT(!ls_file_write("/nowhere/file", "x", 1) && errno == ENOENT);
    EXPECT(!ls_file_write("/dev/full", "x", 1) && errno == ENOSPC);
}

/* What the process that broke a promise says on its way out. */
static void
break_promise(int which, char *said, size_t size)
{
    unsigned n = 65;
    size_t have = 0;
    int ends[2], status = 0;

    said[0] = 0;
    REQUIRE(!pipe(ends));
    pid_t child = fork();
    if (!child) {
        dup2(ends[1], 2);
        switch (which) {
        case 0: LS_ASSERT(n < 64); break;
        case 1: LS_ASSERT_FITS(n, 64); break;
        default: LS_BUG("a part of kind %u", n);
        }
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got; have + 1 < size && (got = read(ends[0], said + have, size - 1 - have)) > 0;)
        have += (size_t)got;
    said[have] = 0;
    close(ends[0]);
    EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGABRT);
}

/* Bugs name the file, what was wrong, and the value; in every build. */
LS_TEST(broken_promises)
{
    char said[512];

    break_promise(0, said, sizeof(said));
    EXPECT(strstr(said, "lockstep: bug at ") && strstr(said, "test_base.c:") &&
           strstr(said, ": not so: n < 64\n"));
    break_promise(1, said, sizeof(said));
    EXPECT(strstr(said, ": n is 65, and there is room for 64\n") != NULL);
    break_promise(2, said, sizeof(said));
    EXPECT(strstr(said, ": a part of kind 65\n") != NULL);
    LS_ASSERT(said[0]);
    LS_ASSERT_FITS(64, 64);
}
