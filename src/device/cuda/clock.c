/* SPDX-License-Identifier: MIT */
/* The driver's events, and when works ended, by events behind them. The driver says how long after
 * another event, the base, one came: that is the device's own clock, and times of one device are
 * exact to each other. On the host's clock an event came before it was seen; of what that says
 * about the two clocks the tightest bound is kept, of as long as two bases last, as the clocks do
 * not run alike. */
#include <stdlib.h>

#include "base/clock.h"
#include "device/cuda/cuda_priv.h"

/* An event with a time costs a microsecond when it is recorded, and the hardware two. */
struct ls_cu_event *
ls_cuda_get_event(struct ls_cuda *c, bool timed)
{
    struct ls_cuda_events *events = &c->events[timed];
    unsigned flags = timed ? LS_CU_EVENT_DEFAULT : LS_CU_EVENT_DISABLE_TIMING;
    struct ls_cu_event *event = NULL;

    if (events->n > 0)
        return events->list[--events->n];
    return LS_CU(cuEventCreate, &event, flags) == LS_CU_SUCCESS ? event : NULL;
}

void
ls_cuda_put_event(struct ls_cuda *c, bool timed, struct ls_cu_event *event)
{
    struct ls_cuda_events *events = &c->events[timed];

    if (!event)
        return;
    if (events->n == events->room) {
        unsigned room = 2 * events->room + 64;
        struct ls_cu_event **more = realloc(events->list, room * sizeof(struct ls_cu_event *));

        if (!more)
            return; /* the context keeps it */
        events->list = more;
        events->room = room;
    }
    events->list[events->n++] = event;
}

/* The driver answers in milliseconds with 24 bits: half a microsecond of eight seconds. */
#define NEW_BASE_NS 8000000000
/* So far behind the base the host's clock is better. */
#define TOO_OLD_NS (8 * NEW_BASE_NS)
/* Where the own clock begins: earlier times are no negative ones. */
#define BEGIN_NS (LS_CUDA_OWN_TIME >> 2u)

static int64_t
host_offset(const struct ls_cuda *c)
{
    return c->offset[0] < c->offset[1] ? c->offset[0] : c->offset[1];
}

static void
set_base(struct ls_cuda *c, struct ls_cuda_time *t, uint64_t own)
{
    struct ls_cu_event *old = c->base;

    c->offset[1] = old ? c->offset[0] : INT64_MAX;
    c->offset[0] = (int64_t)(t->ns - own);
    c->base = t->event;
    c->base_ns = own;
    t->event = old;
}

/* The time of an event, by the device's own clock if that is known. The event may become the base,
 * and the time has another one, or none. */
static void
ask(struct ls_cuda *c, struct ls_cuda_time *t)
{
    uint64_t seen = t->ns, own = BEGIN_NS;
    float ms = 0;

    if (c->base && (int64_t)(seen - c->base_ns) - host_offset(c) > TOO_OLD_NS) {
        own = seen - (uint64_t)host_offset(c);
        set_base(c, t, own);
    } else if (!c->base) {
        set_base(c, t, own);
    } else if (LS_CU(cuEventElapsedTime, &ms, c->base, t->event) == LS_CU_SUCCESS) {
        own = c->base_ns + (uint64_t)(int64_t)((double)ms * 1e6);
        if (c->offset[0] > (int64_t)(seen - own))
            c->offset[0] = (int64_t)(seen - own);
        if ((int64_t)(own - c->base_ns) > NEW_BASE_NS)
            set_base(c, t, own);
    } else {
        return; /* when it was seen */
    }
    t->ns = LS_CUDA_OWN_TIME | own;
}

/* ---- Times that are asked for later ---- */

static struct ls_cuda_time *
slot_of(struct ls_cuda *c, uint64_t number)
{
    return &c->times[number % LS_CUDA_TIMES];
}

static void
put_time(_Atomic uint64_t *place, uint64_t number, uint64_t ns)
{
    atomic_compare_exchange_strong(place, &number, ns);
}

/* Asks the driver, but where another record of the HIP event has come meanwhile: nobody can want
 * the time then. */
static void
settle_time(struct ls_cuda *c, struct ls_cuda_time *t)
{
    if (!t->place || atomic_load(t->place) == t->number) {
        ask(c, t);
        if (t->place)
            put_time(t->place, t->number, t->ns);
    }
    ls_cuda_put_event(c, true, t->event);
    t->event = NULL;
}

/* Those up to `number`, in the order in which they came: the base goes on with them. */
static void
settle_up_to(struct ls_cuda *c, uint64_t number)
{
    while (c->first_time < c->end_time && (LS_TIME_LATE | c->first_time) <= number)
        settle_time(c, slot_of(c, c->first_time++));
}

uint64_t
ls_cuda_time_later(struct ls_cuda *c, struct ls_cu_event **event, bool was_seen)
{
    uint64_t number = LS_TIME_LATE | c->end_time++, now;

    while (!was_seen) /* it is right behind what has ended */
        was_seen = LS_CU(cuEventQuery, *event) != LS_CU_NOT_READY;
    now = ls_now_ns();
    if (c->end_time > LS_CUDA_LATE)
        settle_up_to(c, number - LS_CUDA_LATE);
    *slot_of(c, number) = (struct ls_cuda_time){.number = number, .event = *event, .ns = now};
    *event = NULL;
    return number;
}

/* A time that two HIP events have is asked for at once. */
void
ls_cuda_keep_time(struct ls_device *dev, uint64_t late, _Atomic uint64_t *place)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    struct ls_cuda_time *t = slot_of(c, late);
    LS_CUDA_ENTER(c);

    pthread_mutex_lock(&c->lock);
    if (t->number == late && t->event && t->place && atomic_load(t->place) == late)
        settle_up_to(c, late);
    if (t->number != late)
        put_time(place, late, ls_now_ns());
    else if (!t->event)
        put_time(place, late, t->ns);
    else
        t->place = place;
    pthread_mutex_unlock(&c->lock);
}

/* Lock held. */
static uint64_t
known_time(struct ls_cuda *c, const _Atomic uint64_t *place)
{
    uint64_t ns = atomic_load(place);

    if (!(ns & LS_TIME_LATE))
        return ns;
    settle_up_to(c, ns);
    return atomic_load(place);
}

double
ls_cuda_elapsed(struct ls_device *dev, const _Atomic uint64_t *from, const _Atomic uint64_t *to)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    uint64_t a, b;
    LS_CUDA_ENTER(c);

    pthread_mutex_lock(&c->lock);
    a = known_time(c, from);
    b = known_time(c, to);
    if ((a ^ b) & LS_CUDA_OWN_TIME) { /* one of them is the host's: both are to be */
        a += a & LS_CUDA_OWN_TIME ? (uint64_t)host_offset(c) - LS_CUDA_OWN_TIME : 0;
        b += b & LS_CUDA_OWN_TIME ? (uint64_t)host_offset(c) - LS_CUDA_OWN_TIME : 0;
    }
    pthread_mutex_unlock(&c->lock);
    return (double)(int64_t)(b - a);
}
