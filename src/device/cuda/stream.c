/* SPDX-License-Identifier: MIT */
/* Works in the driver's streams. Behind some of them are events, the marks: behind every 64th, and
 * behind the last one when somebody looks. Whoever reaps asks for the first mark of each stream and
 * ends the works in front of those that have come. Who waits, while nobody enqueues, asks whether
 * the stream is idle instead: an event costs the host and the hardware time behind each work. One
 * thread reaps at a time, so that the works of a stream end in order; nobody waits for it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "device/cuda/cuda_priv.h"

/* Works of one stream that the hardware has before it at most: the driver takes about a thousand
 * launches and then makes the caller wait, who holds locks. The rest waits here. */
#define MAX_AHEAD    512u
#define MAX_UNMARKED 64u
/* Launches that one work has behind its first at most, and of how many launches one has earlier
 * works end. */
#define MAX_JOINED   32u
#define JOINED_TURN  32u
#define PAUSE_PART   16u /* of what was waited before */
#define MAX_PAUSE_NS 5000u

/* The driver's priority for the runtime's: -1, 0 or 1. */
static int
priority_of(const struct ls_cuda *c, int priority)
{
    priority--; /* 0 is the driver's least */
    return priority < c->greatest ? c->greatest : priority > c->least ? c->least : priority;
}

/* Lock held, or nobody else has the device. */
static struct ls_cuda_stream *
add_stream(struct ls_cuda *c, int priority)
{
    unsigned n = atomic_load(&c->n_streams);
    struct ls_cuda_stream *s = n < LS_CUDA_STREAMS ? calloc(1, sizeof(*s)) : NULL;

    if (!s)
        return NULL;
    if (LS_CU(cuStreamCreateWithPriority, &s->cu, LS_CU_STREAM_NON_BLOCKING, priority) !=
        LS_CU_SUCCESS) {
        free(s);
        return NULL;
    }
    s->priority = priority;
    c->streams[n] = s;
    atomic_store(&c->n_streams, n + 1);
    return s;
}

hipError_t
ls_cuda_open_streams(struct ls_cuda *c)
{
    hipError_t err = LS_CU_TRY(cuCtxGetStreamPriorityRange, &c->least, &c->greatest);

    c->serial = 1;
    if (err == hipSuccess && !add_stream(c, priority_of(c, 0))) /* there is always one */
        err = hipErrorOutOfMemory;
    return err;
}

/* Lock held, as in all static functions down to ls_cuda_submit_to_stream. */

/* Where a work goes: in order, where those of its stream are; else where nothing is. */
static struct ls_cuda_stream *
choose_stream(struct ls_cuda *c, const struct ls_work *w, bool in_order)
{
    uint64_t number = in_order ? w->stream : LS_CUDA_NO_NUMBER;
    int priority = priority_of(c, w->priority);
    unsigned n = atomic_load(&c->n_streams);
    struct ls_cuda_stream *s = c->latest, *idle = NULL;

    if (in_order && s && s->number == number && (s->head || s->priority == priority))
        return s;
    for (unsigned i = 0; i < n; i++) {
        s = c->streams[i];
        if (in_order && s->number == number && s->head)
            return c->latest = s;
        if (!s->head && s->priority == priority && (!idle || s->number == number))
            idle = s;
    }
    if (c->streams[0]->head && c->streams[0]->number == LS_CUDA_ANY_NUMBER)
        return c->streams[0];
    s = idle ? idle : add_stream(c, priority);
    if (!s) { /* no more of them: this one is for all numbers until it has been idle */
        s = c->streams[0];
        number = LS_CUDA_ANY_NUMBER;
    }
    s->number = number;
    return c->latest = s;
}

/* Marks the latest work that was issued. Without an event, waits until it has ended. */
static int
mark(struct ls_cuda *c, struct ls_cuda_stream *s, bool timed, struct ls_cu_event **time)
{
    unsigned end = atomic_load(&s->end_mark);
    struct ls_cu_event *event =
        end - atomic_load(&s->first_mark) < LS_CUDA_MARKS ? ls_cuda_get_event(c, timed) : NULL;
    int result = event ? LS_CU(cuEventRecord, event, s->cu) : LS_CU_OUT_OF_MEMORY;
    struct ls_cuda_mark *m;

    if (result == LS_CU_SUCCESS) {
        s->marked = s->place;
        m = &s->marks[end % LS_CUDA_MARKS];
        atomic_store(&m->event, event);
        m->place = s->place;
        m->is_time = timed;
        atomic_store(&s->end_mark, end + 1);
        if (timed)
            *time = event;
        return result;
    }
    ls_cuda_put_event(c, timed, event);
    result = LS_CU(cuStreamSynchronize, s->cu);
    if (result == LS_CU_SUCCESS) {
        s->marked = s->place;
        atomic_store(&s->ended, s->place);
    }
    return result; /* a failure comes again when it is tried again */
}

static int
hand_over(struct ls_cuda *c, struct ls_work *w, struct ls_cu_stream *stream)
{
    if (ls_cuda_is_staged(w))
        return ls_cuda_copy_staged(c, w, stream);
    return w->kind == LS_WORK_GRAPH ? ls_cuda_launch_graph(w->graph, stream)
                                    : ls_cuda_hand_over(c, w, stream);
}

static void
issue(struct ls_cuda *c, struct ls_cuda_stream *s, struct ls_work *w)
{
    struct ls_cuda_room *room = ls_cuda_room(w);
    int dead = atomic_load(&c->dead), result;
    bool timed = atomic_fetch_or(&w->end, LS_END_UNTIMED) & LS_END_WANTED;

    room->issue_ns = c->dev->timed ? ls_now_ns() : 0;
    room->refused = dead ? dead : hand_over(c, w, s->cu);
    room->was_taken = room->refused == LS_CU_SUCCESS;
    room->in = s;
    room->place = ++s->place;
    if (!room->was_taken || !(timed || s->place - s->marked >= MAX_UNMARKED))
        return;
    result = mark(c, s, timed, &room->time);
    if (result != LS_CU_SUCCESS)
        room->refused = result;
}

/* The runtime's stream has nothing behind the work, but may share the driver's with others: then
 * nobody knows. One that was just seen to have ended did so before now. */
void
ls_cuda_time_end(struct ls_device *dev, struct ls_work *w)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    struct ls_cuda_room *room = ls_cuda_room(w);
    struct ls_cu_event *time = NULL;
    LS_CUDA_ENTER(c);

    pthread_mutex_lock(&c->lock);
    if (room->was_taken && !room->is_ending && !room->time && room->in->tail == w)
        time = ls_cuda_get_event(c, true);
    if (time && LS_CU(cuEventRecord, time, room->in->cu) == LS_CU_SUCCESS) {
        room->time = time;
        room->late = ++room->in->n_late;
    } else {
        ls_cuda_put_event(c, true, time);
    }
    if (room->was_taken && room->is_ending && !w->end_ns)
        w->end_ns = ls_now_ns();
    pthread_mutex_unlock(&c->lock);
}

/* Takes away the first mark, which has come. */
static void
take_mark(struct ls_cuda *c, struct ls_cuda_stream *s)
{
    unsigned i = atomic_load(&s->first_mark);
    struct ls_cuda_mark *m = &s->marks[i % LS_CUDA_MARKS];

    if (atomic_load(&s->ended) < m->place)
        atomic_store(&s->ended, m->place);
    if (!m->is_time)
        ls_cuda_put_event(c, false, atomic_load(&m->event));
    atomic_store(&s->first_mark, i + 1);
}

/* Whether the hardware has few works before it. Who enqueues looks for itself: a work that is left
 * for others to issue costs both threads the lock. */
static bool
has_room(struct ls_cuda *c, struct ls_cuda_stream *s)
{
    unsigned i;

    while (s->place - atomic_load(&s->ended) >= MAX_AHEAD) {
        i = atomic_load(&s->first_mark);
        if (i == atomic_load(&s->end_mark) ||
            LS_CU(cuEventQuery, atomic_load(&s->marks[i % LS_CUDA_MARKS].event)) != LS_CU_SUCCESS)
            return false;
        take_mark(c, s);
    }
    return true;
}

static void
issue_more(struct ls_cuda *c, struct ls_cuda_stream *s)
{
    while (s->next && has_room(c, s)) {
        struct ls_work *w = s->next;

        s->next = ls_cuda_room(w)->next;
        issue(c, s, w);
        if (s->head == w)
            atomic_store(&s->first, w); /* with its event */
    }
}

/* After n_pending has grown. */
static void
rouse_watch(struct ls_cuda *c)
{
    if (!atomic_load(&c->watch_sleeps))
        return;
    pthread_mutex_lock(&c->watch_lock);
    pthread_cond_signal(&c->watch);
    pthread_mutex_unlock(&c->watch_lock);
}

void
ls_cuda_submit_to_stream(struct ls_cuda *c, struct ls_work *w, bool in_order)
{
    struct ls_cuda_room *room = ls_cuda_room(w);
    struct ls_cuda_stream *s;
    LS_CUDA_ENTER(c);

    room->next = NULL;
    room->time = NULL;
    room->late = 0;
    room->slot = NULL;
    atomic_store_explicit(&room->place, 0, memory_order_relaxed);
    room->n_joined = 0;
    room->refused = LS_CU_SUCCESS;
    room->was_taken = room->is_ending = false;
    pthread_mutex_lock(&c->lock);
    s = choose_stream(c, w, in_order);
    room->serial = c->serial++;
    if (s->head)
        ls_cuda_room(s->tail)->next = w;
    else
        s->head = w;
    s->tail = w;
    if (!s->next)
        s->next = w;
    atomic_fetch_add(&c->n_pending, 1);
    issue_more(c, s);
    pthread_mutex_unlock(&c->lock);
    rouse_watch(c);
}

enum ls_join
ls_cuda_join(struct ls_device *dev, struct ls_work *w, const struct ls_work_kernel *k, void **args)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    struct ls_cuda_room *room = ls_cuda_room(w);
    enum ls_join how = LS_JOIN_NO;
    struct ls_cuda_stream *s;
    LS_CUDA_ENTER(c);

    pthread_mutex_lock(&c->lock);
    s = room->in; /* if it was taken */
    if (room->was_taken && !room->is_ending && !room->time && room->refused == LS_CU_SUCCESS &&
        room->n_joined < MAX_JOINED && s->tail == w && !s->next && !dev->timed &&
        !(atomic_load(&w->end) & LS_END_WANTED) && !atomic_load(&c->dead) && !ls_cuda_prints(k) &&
        has_room(c, s) && ls_cuda_launch_with(c, k, args, s->cu) == LS_CU_SUCCESS) {
        unsigned passed = atomic_load_explicit(&c->n_passed, memory_order_relaxed);

        room->n_joined++;
        atomic_store(&room->place, ++s->place);
        if (s->place - s->marked >= MAX_UNMARKED)
            room->refused = mark(c, s, false, NULL);
        /* Some that are lost, as others count, too, are no matter. */
        atomic_store_explicit(&c->n_passed, passed + 1, memory_order_relaxed);
        how = passed % JOINED_TURN == 0 && s->place - atomic_load(&s->ended) >= MAX_UNMARKED
                  ? LS_JOIN_POKE
                  : LS_JOIN_DONE;
    }
    pthread_mutex_unlock(&c->lock);
    return how;
}

/* Ending */

/* What became of a work. Before it leaves its stream, as it may be the one to be named. */
static hipError_t
judge(struct ls_cuda *c, const struct ls_work *w, int result)
{
    const struct ls_cuda_room *room = ls_cuda_room(w);
    bool was_dead = atomic_load(&c->dead) != 0;

    if (room->was_taken && was_dead)
        return hipSuccess; /* another work has failed */
    if (result == LS_CU_SUCCESS)
        return hipSuccess;
    if (!room->was_taken && !was_dead && !ls_cu_ends(result) && result != LS_CU_DEINITIALIZED)
        ls_log(LS_LOG_ERROR, "%s was refused: %s",
               w->kind == LS_WORK_KERNEL  ? w->kernel.source->display_name
               : w->kind == LS_WORK_COPY  ? "a copy"
               : w->kind == LS_WORK_GRAPH ? "a graph"
                                          : "a fill",
               ls_cu_name(result));
    return ls_cuda_failed(c, result);
}

/* What the device has to do with a work that has ended, before others hear of it. */
static void
settle(struct ls_cuda *c, struct ls_cuda_stream *s, struct ls_work *w, hipError_t err)
{
    if (c->dev->timed) {
        uint64_t issued = ls_cuda_room(w)->issue_ns;

        w->trace.start_ns = issued > s->ended_ns ? issued : s->ended_ns;
        s->ended_ns = ls_now_ns();
    }
    ls_cuda_end_staged(c, w, err == hipSuccess);
}

static void
finish(struct ls_cuda *c, struct ls_cuda_stream *s, struct ls_work *w, hipError_t err)
{
    settle(c, s, w, err);
    atomic_fetch_add(&c->n_ended, 1);
    atomic_fetch_sub(&c->n_pending, 1);
    w->done(w, err);
}

static void
tell_all(struct ls_cuda *c, struct ls_work *const *works, unsigned n)
{
    atomic_fetch_add(&c->n_ended, n);
    atomic_fetch_sub(&c->n_pending, n);
    if (n)
        c->dev->usual_done_all(works, n);
}

/* Asks for the marks in turn until one has not come. */
static int
look_at_marks(struct ls_cuda *c, struct ls_cuda_stream *s)
{
    unsigned i;

    while ((i = atomic_load(&s->first_mark)) != atomic_load(&s->end_mark)) {
        int result = LS_CU(cuEventQuery, atomic_load(&s->marks[i % LS_CUDA_MARKS].event));

        if (result != LS_CU_SUCCESS)
            return result;
        pthread_mutex_lock(&c->lock);
        if (atomic_load(&s->first_mark) == i) /* else who enqueues has taken it */
            take_mark(c, s);
        pthread_mutex_unlock(&c->lock);
    }
    return LS_CU_SUCCESS;
}

/* Asks whether the stream is idle, and so has done all up to a place, with that many late events.
 */
static int
look_at_all(struct ls_cuda *c, struct ls_cuda_stream *s, uint64_t place, uint64_t late)
{
    int result = LS_CU(cuStreamQuery, s->cu);

    if (result != LS_CU_SUCCESS)
        return result;
    pthread_mutex_lock(&c->lock);
    while (atomic_load(&s->first_mark) != atomic_load(&s->end_mark) &&
           s->marks[atomic_load(&s->first_mark) % LS_CUDA_MARKS].place <= place)
        take_mark(c, s);
    if (atomic_load(&s->ended) < place)
        atomic_store(&s->ended, place);
    if (s->marked < place)
        s->marked = place;
    s->seen_late = late;
    pthread_mutex_unlock(&c->lock);
    return result;
}

/* Lock held: whether to ask for the whole stream what becomes of a work without a mark. Not when
 * something was enqueued since that was asked first: the stream may never be idle. */
static bool
may_be_idle(const struct ls_cuda *c, struct ls_cuda_stream *s)
{
    if (atomic_load(&c->n_spinning) == 0 ||
        (s->asked > atomic_load(&s->ended) && s->asked != s->place))
        return false;
    s->asked = s->place;
    return true;
}

/* What became of a work that was issued; LS_CU_NOT_READY: it has not ended. */
static int
look_at(struct ls_cuda *c, struct ls_cuda_stream *s, const struct ls_cuda_room *room)
{
    int result = LS_CU_SUCCESS;

    if (atomic_load(&s->ended) < room->place) {
        uint64_t all = 0, late;

        pthread_mutex_lock(&c->lock);
        late = s->n_late;
        if (s->marked < room->place && may_be_idle(c, s))
            all = s->place;
        else if (s->marked < room->place)
            result = mark(c, s, false, NULL);
        pthread_mutex_unlock(&c->lock);
        if (result == LS_CU_SUCCESS)
            result = all ? look_at_all(c, s, all, late) : look_at_marks(c, s);
    }
    if (atomic_load(&s->ended) >= room->place)
        return room->refused;
    return result == LS_CU_NOT_READY || room->was_taken ? result : room->refused;
}

/* The driver writes what kernels have printed when somebody waits for a stream; for one in which
 * nothing is that takes no time. */
static void
write_prints(struct ls_cuda *c, const struct ls_work *w)
{
    if (w->kind == LS_WORK_KERNEL  ? ls_cuda_prints(&w->kernel)
        : w->kind == LS_WORK_GRAPH ? ls_cuda_graph_prints(w->graph)
                                   : false)
        LS_CU(cuStreamSynchronize, ls_cuda_side(c, LS_CUDA_NOW));
}

/* The first work of a stream, if it has ended; *err: how. */
static struct ls_work *
take_ended(struct ls_cuda *c, struct ls_cuda_stream *s, hipError_t *err)
{
    struct ls_cuda_room *room;
    struct ls_work *w = atomic_load(&s->first);
    int result;

    if (!w)
        return NULL;
    room = ls_cuda_room(w);
    result = look_at(c, s, room);
    if (result == LS_CU_NOT_READY)
        return NULL;
    *err = judge(c, w, result);
    if (room->was_taken)
        write_prints(c, w);
    pthread_mutex_lock(&c->lock);
    if (result == LS_CU_SUCCESS && room->place > atomic_load(&s->ended)) { /* it was joined */
        pthread_mutex_unlock(&c->lock);
        return NULL;
    }
    room->is_ending = true;
    if (room->time && result == LS_CU_SUCCESS)
        w->end_ns = ls_cuda_time_later(c, &room->time, room->late <= s->seen_late);
    s->head = room->next;
    if (!s->head)
        s->tail = NULL;
    atomic_store(&s->first, s->head != s->next ? s->head : NULL);
    if (result == LS_CU_SUCCESS)
        ls_cuda_put_event(c, true, room->time);
    issue_more(c, s);
    pthread_mutex_unlock(&c->lock);
    return w;
}

/* Takes all works at the head that are known to have ended well: a list, whose last one `last` is.
 * With one lock for all of them, as the thread that enqueues holds it most of the time. NULL: there
 * is none; *runs: as the first has not ended. */
static struct ls_work *
take_many(struct ls_cuda *c, struct ls_cuda_stream *s, struct ls_work **last, bool *runs)
{
    struct ls_work *head = atomic_load(&s->first), *w;
    int result = head ? look_at(c, s, ls_cuda_room(head)) : LS_CU_NOT_READY;

    *last = NULL;
    *runs = result == LS_CU_NOT_READY;
    if (result != LS_CU_SUCCESS)
        return NULL;
    pthread_mutex_lock(&c->lock);
    for (w = head; w && w != s->next; w = ls_cuda_room(w)->next) {
        struct ls_cuda_room *room = ls_cuda_room(w);

        if (room->place > atomic_load(&s->ended) || room->refused != LS_CU_SUCCESS)
            break;
        room->is_ending = true;
        if (room->time)
            w->end_ns = ls_cuda_time_later(c, &room->time, room->late <= s->seen_late);
        ls_cuda_put_event(c, true, room->time);
        *last = w;
    }
    s->head = w;
    if (!w)
        s->tail = NULL;
    atomic_store(&s->first, w != s->next ? w : NULL);
    issue_more(c, s);
    pthread_mutex_unlock(&c->lock);
    return *last ? head : NULL;
}

static bool
end_many(struct ls_cuda *c, struct ls_cuda_stream *s, bool *runs)
{
    struct ls_work *last, *w = take_many(c, s, &last, runs), *next, *works[MAX_UNMARKED];
    unsigned n = 0;

    if (!w)
        return false;
    for (bool more = true; more; w = next) {
        bool is_usual = w->done == c->dev->usual_done;

        more = w != last;
        next = ls_cuda_room(w)->next; /* before it is gone */
        write_prints(c, w);
        if (!is_usual || n == MAX_UNMARKED) {
            tell_all(c, works, n);
            n = 0;
        }
        if (is_usual) {
            settle(c, s, w, hipSuccess);
            works[n++] = w;
        } else {
            finish(c, s, w, hipSuccess);
        }
    }
    tell_all(c, works, n);
    return true;
}

/* Ends what has ended. In the context, by who reaps. */
static bool
reap_once(struct ls_cuda *c)
{
    bool any = false;

    for (unsigned i = 0; i < atomic_load(&c->n_streams); i++) {
        struct ls_cuda_stream *s = c->streams[i];
        struct ls_work *w;
        hipError_t err;
        bool runs;

        while (end_many(c, s, &runs))
            any = true;
        while (!runs && (w = take_ended(c, s, &err))) {
            finish(c, s, w, err);
            any = true;
        }
    }
    return any;
}

static bool
begin_reaping(struct ls_cuda *c)
{
    return atomic_load(&c->n_pending) > 0 && !atomic_load(&c->reaping) &&
           !atomic_exchange(&c->reaping, true);
}

bool
ls_cuda_reap(struct ls_cuda *c)
{
    bool any;

    if (!begin_reaping(c))
        return false;
    {
        LS_CUDA_ENTER(c);

        any = reap_once(c);
    }
    atomic_store(&c->reaping, false);
    return any;
}

/* Asking the driver again and again slows down what the hardware does: the longer the wait, the
 * longer the pause between two questions. */
static void
pause_for(uint64_t waited_ns)
{
    uint64_t ns = waited_ns / PAUSE_PART < MAX_PAUSE_NS ? waited_ns / PAUSE_PART : MAX_PAUSE_NS,
             since = ls_now_ns();

    while (ls_now_ns() - since < ns)
        __builtin_ia32_pause();
}

bool
ls_cuda_reap_until(struct ls_cuda *c, bool (*done)(void *arg), void *arg, uint64_t spin_ns)
{
    uint64_t since = ls_now_ns();
    bool is_done = false;

    if (!begin_reaping(c))
        return false;
    {
        LS_CUDA_ENTER(c);

        while (!(is_done = done(arg)) && atomic_load(&c->n_pending) > 0) {
            if (reap_once(c))
                since = ls_now_ns(); /* where works end others will soon */
            else if (ls_now_ns() - since > spin_ns)
                break;
            else
                pause_for(ls_now_ns() - since);
        }
    }
    atomic_store(&c->reaping, false);
    return is_done;
}
