/* SPDX-License-Identifier: MIT */
/* Memory next to pages that nobody may touch. */
#ifndef LS_TESTS_HIP_FENCED_H
#define LS_TESTS_HIP_FENCED_H

#include "../check.h"

#include <sys/mman.h>
#include <unistd.h>

/* n bytes between pages that nobody may touch, at the end of their own or at the beginning. */
struct Fenced {
    size_t page, bytes;
    char *all, *first;
    unsigned char *p;

    Fenced(size_t n, bool at_end) : page((size_t)sysconf(_SC_PAGESIZE))
    {
        bytes = (n + page - 1) / page * page;
        CHECK_HIP(hipHostMalloc((void **)&all, bytes + 3 * page, 0));
        first = (char *)(((uintptr_t)all + page - 1) / page * page) + page;
        p = (unsigned char *)first + (at_end ? bytes - n : 0);
        for (size_t i = 0; i < n; i++)
            p[i] = (unsigned char)(i * 7 + i / 251);
        protect(PROT_NONE);
    }
    ~Fenced()
    {
        protect(PROT_READ | PROT_WRITE);
        CHECK_HIP(hipHostFree(all));
    }
    void protect(int how)
    {
        CHECK(mprotect(first - page, page, how) == 0);
        CHECK(mprotect(first + bytes, page, how) == 0);
    }
};

#endif
