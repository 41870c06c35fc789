/* SPDX-License-Identifier: MIT */
/* What orders launches, copies and fills: streams, events, graphs and the host. A stream counts its
 * commands; a clock says for each stream how many of them have happened before (C. Fidge, 1988).
 * All threads of the host count as one, as nobody sees how they order themselves. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

_Thread_local const struct ls_check_clock *ls_check_copy_clock;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* guarded by lock, as the next one */
static uint32_t steps[LS_CHECK_CLOCK_LANES], users[LS_CHECK_CLOCK_LANES];
static struct ls_check_clock host;
static atomic_uint n_streams; /* made by the program, or doing something; some count twice */

static bool
make(struct ls_check_clock **c)
{
    return *c || (*c = calloc(1, sizeof(**c)));
}

static void
learn(struct ls_check_clock *to, const struct ls_check_clock *from)
{
    for (unsigned i = 0; i < LS_CHECK_CLOCK_LANES; i++)
        to->at[i] = from->at[i] > to->at[i] ? from->at[i] : to->at[i];
    to->is_blind |= from->is_blind;
}

void
ls_check_clock_join(struct ls_check_clock **to, const struct ls_check_clock *from)
{
    if (from && from != *to && make(to))
        learn(*to, from);
}

void
ls_check_clock_set(struct ls_check_clock **to, const struct ls_check_clock *from)
{
    if (!from) {
        ls_check_clock_drop(to);
    } else if (make(to)) {
        **to = *from;
    }
}

void
ls_check_clock_drop(struct ls_check_clock **c)
{
    free(*c);
    *c = NULL;
}

void
ls_check_clock_end(struct ls_check_clock **stream)
{
    if (*stream && (*stream)->has_lane) {
        pthread_mutex_lock(&lock);
        users[(*stream)->lane]--;
        pthread_mutex_unlock(&lock);
    }
    ls_check_clock_drop(stream);
}

/* Lock held: a lane for one more stream. Where there are more streams than lanes, some that share
 * one count as ordered. */
static uint8_t
least_used(void)
{
    unsigned best = 0;

    for (unsigned i = 1; i < LS_CHECK_CLOCK_LANES; i++)
        if (users[i] < users[best])
            best = i;
    users[best]++;
    return (uint8_t)best;
}

void
ls_check_clock_step(struct ls_check_clock **stream)
{
    struct ls_check_clock *c;

    if (!make(stream))
        return;
    c = *stream;
    pthread_mutex_lock(&lock);
    if (!c->has_lane) {
        c->lane = least_used();
        atomic_fetch_add(&n_streams, 1);
    }
    c->has_lane = true;
    learn(c, &host);
    c->at[c->lane] = ++steps[c->lane];
    pthread_mutex_unlock(&lock);
}

void
ls_check_clock_blind(struct ls_check_clock **c)
{
    if (make(c))
        (*c)->is_blind = true;
}

void
ls_check_host_saw(const struct ls_check_clock *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&lock);
    learn(&host, c);
    host.is_blind = false; /* what the host has seen is over */
    pthread_mutex_unlock(&lock);
}

void
ls_check_stream_made(void)
{
    atomic_fetch_add(&n_streams, 2); /* the null stream is there, too */
}

bool
ls_check_is_one_stream(void)
{
    return atomic_load(&n_streams) <= 1;
}
