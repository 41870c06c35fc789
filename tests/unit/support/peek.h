/* SPDX-License-Identifier: MIT */
/* What device memory holds: the host cannot touch it on every device (LOCKSTEP_FAR). */
#ifndef LS_TESTS_UNIT_PEEK_H
#define LS_TESTS_UNIT_PEEK_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <hip/hip_runtime_api.h>

static inline int
peek_int(const void *p)
{
    int value = -1;

    return hipMemcpy(&value, p, sizeof(value), hipMemcpyDeviceToHost) == hipSuccess ? value : -1;
}

static inline int
peek_byte(const void *p)
{
    unsigned char value = 0;

    return hipMemcpy(&value, p, 1, hipMemcpyDeviceToHost) == hipSuccess ? value : -1;
}

static inline bool
same_bytes(const void *a, const void *b, size_t n)
{
    char *x = malloc(n), *y = malloc(n);
    bool same = x && y && hipMemcpy(x, a, n, hipMemcpyDefault) == hipSuccess &&
                hipMemcpy(y, b, n, hipMemcpyDefault) == hipSuccess && memcmp(x, y, n) == 0;

    free(x);
    free(y);
    return same;
}

#endif
