/* SPDX-License-Identifier: MIT */
/* What the fuzzers that are guided by coverage share: one input to a call, in memory of just its
 * size, and a broken promise is an abort. */
#ifndef LS_TESTS_FUZZ_GUIDED_H
#define LS_TESTS_FUZZ_GUIDED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

#define GUIDED_ASSERT(x)                                                                           \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #x);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Reads all bytes, so that a sanitizer sees those that are not there. */
static inline unsigned
guided_touch(const void *data, size_t n)
{
    const volatile unsigned char *at = data;
    unsigned sum = 0;

    for (size_t i = 0; i < n; i += 64)
        sum += at[i];
    return n ? sum + at[n - 1] : sum;
}

#endif
