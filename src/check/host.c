/* SPDX-License-Identifier: MIT */
/* What the host itself reads and writes: as if by a copy that all of the host waits for. */
#include <pthread.h>
#include <stdio.h>

#include "check/check_priv.h"

bool
ls_check_find_hosts(const void *at, struct ls_check_range *range)
{
    uint64_t offset;

    /* Memory of its own that the program has registered lies elsewhere. */
    return ls_check_arena_offset(at, 1, &offset) && ls_check_memory.find((uintptr_t)at, range) &&
           range->is_hosts;
}

void
ls_check_host_touched(const void *at, bool is_write, void *const *frames, int n)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct ls_check_clock *clock; /* guarded by lock: of all that the host does so */
    char place[256], name[sizeof(place) + 32];
    struct ls_check_launch *launch;

    ls_check_first_frame(frames, n, place, sizeof(place));
    snprintf(name, sizeof(name), "the host (%s)", *place ? place : "unknown code");
    pthread_mutex_lock(&lock);
    ls_check_clock_step(&clock);
    launch = ls_check_launch_begin(&(struct ls_check_work){.name = name,
                                                           .is_host = true,
                                                           .grid = {1, 1, 1},
                                                           .block = {1, 1, 1},
                                                           .width = 1,
                                                           .n_blocks = 1,
                                                           .clock = clock});
    ls_check_moved(launch, is_write ? at : NULL, is_write ? NULL : at, 1);
    ls_check_launch_end(launch);
    ls_check_host_saw(clock);
    pthread_mutex_unlock(&lock);
}
