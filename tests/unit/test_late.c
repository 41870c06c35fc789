/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_device_cpu ls_base */
/* A thread that is late: between its look at a job and its claim the job becomes another work's.
 * job.c is compiled here with its loads watched, so that the test says what happens in between. */
#include <stdlib.h>

#include "base/log.h"
#include "device/cpu/cpu_priv.h"

static void happens(void);

#undef atomic_load
#define atomic_load(object) (happens(), atomic_load_explicit(object, memory_order_seq_cst))
#include "../../src/device/cpu/job.c"

#include "unit/test.h"

enum { LATE = 3, HOLDER = 1 };

static struct ls_cpu_job *job;
static struct ls_work first, next;
static bool armed;

/* The next launch has four parts; the holder of the second claims the front of it. */
static void
happens(void)
{
    struct ls_cpu_piece p;

    if (!armed)
        return;
    armed = false;
    ls_job_deal(job, &next, 4);
    REQUIRE(ls_job_claim(job, HOLDER, 2, &p));
    REQUIRE(ls_job_claim(job, HOLDER, 16, &p));
    for (uint32_t other = 0; other < 4; other += 2)
        while (ls_job_claim(job, other, UINT32_MAX, &p))
            continue;
    EXPECT(ls_job_is_dealt(job)); /* what is left is the holder's */
}

/* By then the late thread claims from the holder's part as if it were its own. Neither of them
 * holds it, and one must know that somebody else has to come for the rest. */
LS_TEST(what_a_late_thread_leaves_is_for_others)
{
    struct ls_cpu_piece late;

    job = ls_job_create(0, false, 8);
    ls_cpu_of(&first)->n_items = 4;
    ls_cpu_of(&first)->least = 1;
    ls_cpu_of(&first)->most = 1000;
    ls_cpu_of(&next)->n_items = 412;
    ls_cpu_of(&next)->least = 100;
    ls_cpu_of(&next)->most = 1000;
    ls_job_deal(job, &first, 2);
    armed = true;
    REQUIRE(ls_job_claim(job, LATE, 2, &late));
    EXPECT(!armed);
    EXPECT(late.first >= 103 && late.first < 206); /* its own part would be the fourth */
    EXPECT(ls_job_unclaimed(job) > 0);
    EXPECT(ls_job_let_go(job, HOLDER) || ls_job_let_go(job, LATE) || late.astray);
    EXPECT(!ls_job_is_dealt(job));
    free(job);
}
