/* SPDX-License-Identifier: MIT */
/* The graph lock, and what is put off until somebody gives it back. */
#include "runtime/graph/graph.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct ls_dead *) dead;
static struct ls_dead *leaving; /* guarded by lock */

void
ls_graph_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void
end_all(struct ls_dead *list)
{
    while (list) {
        struct ls_dead *next = list->next;

        list->end(list);
        list = next;
    }
}

void
ls_graph_unlock(void)
{
    do {
        struct ls_dead *gone;

        end_all(atomic_exchange(&dead, NULL));
        gone = leaving;
        leaving = NULL;
        pthread_mutex_unlock(&lock);
        end_all(gone);
    } while (atomic_load(&dead) && pthread_mutex_trylock(&lock) == 0);
}

void
ls_graph_end_locked(struct ls_dead *d)
{
    d->next = atomic_load(&dead);
    while (!atomic_compare_exchange_weak(&dead, &d->next, d))
        ;
}

void
ls_graph_end_now(void)
{
    if (pthread_mutex_trylock(&lock) == 0)
        ls_graph_unlock();
}

void
ls_graph_end_unlocked(struct ls_dead *d)
{
    d->next = leaving;
    leaving = d;
}
