/* SPDX-License-Identifier: MIT */
/* When events came, on the host's clock. The driver says how long after another event one came; for
 * one of them, the base, that is known on both clocks: it was seen to have come, a little later
 * than it did. Whoever is seen sooner, which then seems to come after it was seen, makes that
 * better. */
#include "base/clock.h"
#include "device/cuda/cuda_priv.h"

/* The driver answers in milliseconds with 24 bits: half a microsecond of eight seconds. */
#define NEW_BASE_NS 8000000000u
#define TOO_OLD_NS                                                                                 \
    (8 * (uint64_t)NEW_BASE_NS) /* so far behind the base nothing is known better                  \
                                 */

static struct ls_cu_event *
set_base(struct ls_cuda *c, struct ls_cu_event *event, uint64_t ns)
{
    struct ls_cu_event *old = c->base;

    c->base = event;
    c->base_ns = ns;
    return old;
}

uint64_t
ls_cuda_time_of(struct ls_cuda *c, struct ls_cu_event **event)
{
    uint64_t now = ls_now_ns(), ns;
    float ms = 0;

    if (!c->base || now - c->base_ns > TOO_OLD_NS) {
        *event = set_base(c, *event, now);
        return now;
    }
    if (LS_CU(cuEventElapsedTime, &ms, c->base, *event) != LS_CU_SUCCESS)
        return 0; /* also where it was recorded late, and has not come */
    ns = c->base_ns + (uint64_t)(int64_t)((double)ms * 1e6);
    if (ns > now) {
        c->base_ns -= ns - now;
        ns = now;
    }
    if (ns - c->base_ns > NEW_BASE_NS)
        *event = set_base(c, *event, ns);
    return ns;
}
