/* SPDX-License-Identifier: MIT */
/* What this machine has: caches, and how threads wait for each other. */
#include <cpuid.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "device/cpu/cpu_priv.h"

/* Reads the beginning of a file into text: with locks of the runtime held, so without memory of its
 * own, and by calls that a thread cannot be cancelled in. */
static bool
read_text(const char *path, char *text, size_t bytes)
{
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    long n = fd < 0 ? -1 : syscall(SYS_read, fd, text, bytes - 1);

    if (fd >= 0)
        syscall(SYS_close, fd);
    text[n > 0 ? n : 0] = 0;
    return n > 0;
}

size_t
ls_cpu_last_cache_bytes(void)
{
    static size_t bytes; /* several threads may write it at once, as they find the same */
    size_t n = __atomic_load_n(&bytes, __ATOMIC_RELAXED), kib;
    char text[32];

    if (n)
        return n;
    n = (size_t)32 << 20;
    if (read_text("/sys/devices/system/cpu/cpu0/cache/index3/size", text, sizeof(text)) &&
        sscanf(text, "%zuK", &kib) == 1 && kib)
        n = kib << 10;
    __atomic_store_n(&bytes, n, __ATOMIC_RELAXED);
    return n;
}

bool
ls_cpu_is_virtual(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) && (c & 1u << 31); /* a hypervisor is present */
}

static bool
read_number(const char *dir, const char *file, long long *value)
{
    char path[1200], text[64];

    snprintf(path, sizeof(path), "%s/%s", dir, file);
    return read_text(path, text, sizeof(text)) && sscanf(text, "%lld", value) == 1;
}

/* The limit of one group: "max 100000" or "150000 100000" in version 2; two files in version 1. 0:
 * none. */
static uint32_t
group_limit(const char *dir)
{
    long long quota = 0, period = 0;
    char path[1200], text[64];

    snprintf(path, sizeof(path), "%s/cpu.max", dir);
    if (read_text(path, text, sizeof(text))) {
        if (sscanf(text, "%lld %lld", &quota, &period) != 2)
            return 0;
    } else if (!read_number(dir, "cpu.cfs_quota_us", &quota) ||
               !read_number(dir, "cpu.cfs_period_us", &period)) {
        return 0;
    }
    if (quota <= 0 || period <= 0)
        return 0;
    quota = quota / period + (quota % period != 0);
    return quota < UINT32_MAX ? (uint32_t)quota : UINT32_MAX;
}

/* The least limit of the group `path` below `root` and of those above it. */
static uint32_t
least_limit(const char *root, const char *path)
{
    uint32_t least = 0;
    char dir[1024];
    size_t n;

    snprintf(dir, sizeof(dir), "%s%s", root, path);
    for (n = strlen(dir); n >= strlen(root); n--) {
        uint32_t limit;

        if (n > strlen(root) && dir[n] != '/' && dir[n] != 0)
            continue;
        dir[n] = 0;
        limit = group_limit(dir);
        if (limit && (!least || limit < least))
            least = limit;
    }
    return least;
}

uint32_t
ls_cpu_quota(const char *root, const char *groups)
{
    uint32_t least = 0;

    while (*groups) { /* number:controllers:path */
        int end = (int)strcspn(groups, "\n");
        char names[256] = "", path[512] = "", below[600];
        uint32_t limit = 0;

        if (sscanf(groups, "%*d::%511[^\n]", path) == 1)
            limit = least_limit(root, path);
        else if (sscanf(groups, "%*d:%255[^:]:%511[^\n]", names, path) == 2 &&
                 strncmp(names, "cpu", 3) == 0 && strncmp(names, "cpuset", 6) != 0) {
            snprintf(below, sizeof(below), "%s/%s", root, names);
            limit = least_limit(below, path);
        }
        if (limit && (!least || limit < least))
            least = limit;
        groups += end + (groups[end] != 0);
    }
    return least;
}

uint32_t
ls_cpu_count_cpus(pid_t thread)
{
    char groups[4096];
    uint32_t n, limit = 0;
    cpu_set_t mask;

    if (sched_getaffinity(thread, sizeof(mask), &mask) != 0)
        return 0;
    n = (uint32_t)CPU_COUNT(&mask);
    if (n > 1 && read_text("/proc/self/cgroup", groups, sizeof(groups)))
        limit = ls_cpu_quota("/sys/fs/cgroup", groups);
    return limit && limit < n ? limit : n;
}

void
ls_futex_wait(atomic_uint *word, unsigned value, uint64_t ns)
{
    struct timespec ts = {.tv_sec = (time_t)(ns / 1000000000u),
                          .tv_nsec = (long)(ns % 1000000000u)};

    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ns ? &ts : NULL, NULL, 0);
}

void
ls_futex_wake(atomic_uint *word, int n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}
