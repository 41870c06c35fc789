/* SPDX-License-Identifier: MIT */
/* Kernels that nobody waits for yet. Each child is given a few requests at once, which wait in its
 * socket, as do the answers until somebody reads them: there is no thread, and a child whose
 * answers nobody reads stops by itself. */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "compiler/door/door_priv.h"

#define MAX_CHILDREN 8
#define MAX_ERRANDS  2      /* of a child: what it works on, and what it goes on with */
#define FITS_BYTES   32768u /* what a socket holds at least, with answers unread at its other end */
#define MAX_LOSSES   4      /* so many children may be lost before no more are started */

struct errand {
    struct ls_door_job job;
    uint8_t key[LS_DOOR_KEY_BYTES];
    bool greets; /* asks whether the library can be opened: the answer says that it is */
};

struct helper {
    struct ls_door_child child;
    struct errand errands[MAX_ERRANDS]; /* answered in this order */
    unsigned n;
    bool ready; /* it has answered: it reads what is sent */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* only tried: a forked process may find it
                                                            taken for ever */
static struct helper helpers[MAX_CHILDREN];
static unsigned n_helpers; /* that have been started */
static unsigned n_losses;

static void
say_nothing(void *user, enum ls_diag_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

static void
lose(struct helper *h)
{
    for (unsigned i = 0; i < h->n; i++)
        ls_door_forget_answers(&h->errands[i].job);
    ls_door_hang_up(&h->child);
    h->n = 0;
    h->ready = false;
}

/* A forked process has its parent's children, which are none of its own. */
static bool
is_ours(struct helper *h)
{
    if (ls_door_is_connected(&h->child))
        return true;
    if (h->child.wire.fd >= 0 || h->n)
        lose(h);
    return false;
}

static bool
send_errand(struct helper *h, struct errand *e)
{
    e->job.sink = say_nothing;
    ls_door_set_limits(&e->job);
    if (ls_door_send(&h->child, &e->job) != DONE) {
        n_losses++;
        lose(h);
        return false;
    }
    e->job.opt = NULL; /* these are the caller's */
    e->job.blobs = NULL;
    e->job.id = NULL;
    h->errands[h->n++] = *e;
    return true;
}

static void
start(struct helper *h)
{
    struct errand hello = {.job.q = {.kind = LS_WIRE_HELLO, .slot = LS_WIRE_SLOTS}, .greets = true};
    bool fresh;

    h->child.wire.fd = -1;
    if (ls_door_connect(&h->child, &fresh) != 0)
        n_losses = MAX_LOSSES;
    else
        send_errand(h, &hello);
}

static bool
is_readable(const struct helper *h)
{
    struct pollfd fd = {.fd = h->child.wire.fd, .events = POLLIN};

    return poll(&fd, 1, 0) == 1;
}

/* Reads an answer of the first errand. True: that was its last, and *done is what became of it. */
static bool
step(struct helper *h, struct errand *done)
{
    struct errand *e = &h->errands[0];
    enum ls_door_outcome got = ls_door_read(&h->child, &e->job);

    if (got == MORE)
        return false;
    if (got != DONE)
        ls_door_forget_answers(&e->job);
    *done = *e;
    h->n--;
    memmove(e, e + 1, h->n * sizeof(*e));
    h->ready = h->ready || got == DONE;
    if (got != DONE && got != FAILED) {
        n_losses++;
        lose(h);
    }
    return true;
}

/* The same of all answers that are there, up to an errand that is not only a greeting. */
static bool
step_on(struct helper *h, struct errand *done)
{
    while (is_ours(h) && h->n && is_readable(h))
        if (step(h, done) && !done->greets)
            return true;
    return false;
}

static bool
may_begin(void)
{
    return ls_env_bool(LS_ENV_COMPILER_AHEAD) && ls_env_bool(LS_ENV_COMPILER_CHILD) &&
           pthread_mutex_trylock(&lock) == 0;
}

bool
ls_door_ahead(unsigned n_children, const void *bitcode, size_t bitcode_bytes, const void *id,
              const struct ls_compile_options *opt, const uint8_t key[LS_DOOR_KEY_BYTES])
{
    const struct ls_door_blob blob = {bitcode, bitcode_bytes};
    struct errand e = {
        .job = {
            .q = {.kind = LS_WIRE_COMPILE, .n_blobs = 1}, .opt = opt, .blobs = &blob, .id = id}};
    struct helper *best = NULL;
    bool ok = false, fits;

    if (!may_begin())
        return false;
    fits = ls_door_text_bytes(&e.job) < FITS_BYTES;
    memcpy(e.key, key, sizeof(e.key));
    for (; n_helpers < n_children && n_helpers < MAX_CHILDREN && n_losses < MAX_LOSSES; n_helpers++)
        start(&helpers[n_helpers]);
    for (unsigned i = 0; i < n_helpers && i < n_children; i++) {
        struct helper *h = &helpers[i];
        bool knows = false;

        if (!is_ours(h) && n_losses < MAX_LOSSES)
            start(h);
        for (unsigned k = 0; k < LS_WIRE_SLOTS; k++)
            knows = knows || (h->child.is_sent[k] && memcmp(h->child.sent[k], id, 32) == 0);
        /* What may be more than a socket holds goes to a child that reads. */
        if (is_ours(h) && h->ready && h->n < MAX_ERRANDS && ((knows && fits) || !h->n) &&
            (!best || h->n < best->n))
            best = h;
    }
    if (best)
        ok = send_errand(best, &e);
    pthread_mutex_unlock(&lock);
    return ok;
}

/* The child that has this kernel, and as which of its errands. */
static struct helper *
find(const uint8_t key[LS_DOOR_KEY_BYTES], unsigned *which)
{
    for (unsigned i = 0; i < n_helpers; i++)
        for (unsigned k = 0; is_ours(&helpers[i]) && k < helpers[i].n; k++)
            if (!helpers[i].errands[k].greets &&
                memcmp(helpers[i].errands[k].key, key, LS_DOOR_KEY_BYTES) == 0) {
                *which = k;
                return &helpers[i];
            }
    return NULL;
}

bool
ls_door_ahead_has(const uint8_t key[LS_DOOR_KEY_BYTES])
{
    unsigned which;
    bool has;

    if (!may_begin())
        return false;
    has = find(key, &which) != NULL;
    pthread_mutex_unlock(&lock);
    return has;
}

bool
ls_door_ahead_next(uint8_t key[LS_DOOR_KEY_BYTES], void **elf, size_t *elf_bytes)
{
    struct errand done;
    bool ok = false;

    if (!may_begin())
        return false;
    for (unsigned i = 0; i < n_helpers && !ok; i++)
        ok = step_on(&helpers[i], &done);
    pthread_mutex_unlock(&lock);
    if (ok) {
        memcpy(key, done.key, LS_DOOR_KEY_BYTES);
        *elf = done.job.out;
        *elf_bytes = done.job.out_bytes;
    }
    return ok;
}

bool
ls_door_ahead_take(const uint8_t key[LS_DOOR_KEY_BYTES], void **elf, size_t *elf_bytes)
{
    struct errand done;
    struct helper *h;
    unsigned which;
    bool ok = false;

    if (!may_begin())
        return false;
    h = find(key, &which);
    if (h && which == 0) {
        while (!step(h, &done))
            ;
        ok = done.job.out != NULL;
    }
    pthread_mutex_unlock(&lock);
    if (ok) {
        *elf = done.job.out;
        *elf_bytes = done.job.out_bytes;
    }
    return ok;
}
