/* SPDX-License-Identifier: MIT */
/* A code cache of the test's own, which goes when the test ends. Include once. */
#ifndef LS_TESTS_CACHE_H
#define LS_TESTS_CACHE_H

#include <stdio.h>
#include <stdlib.h>

#include "unit/test.h"

static char test_cache[] = "/tmp/ls-test-XXXXXX";

static void
remove_cache(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", test_cache);
    if (system(command) != 0)
        fprintf(stderr, "left behind: %s\n", test_cache);
}

static void
make_cache(void)
{
    REQUIRE(mkdtemp(test_cache));
    atexit(remove_cache);
}

#endif
