/* SPDX-License-Identifier: MIT */
/* Numbers for sites. Code may be unloaded while what its kernels did is still of interest: each
 * numbered site is a copy with its texts. Accesses but stores that are the same in all that is
 * reported of them, as those of a structure's members may be, have one number. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

enum { N_SITES = 1 << 16, N_ROWS = 1 << 17, MOST_ROWS = N_ROWS / 4 * 3 };

struct row {
    const struct ls_check_site *site; /* in the code */
    uint16_t number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct ls_check_site *_Atomic copies[N_SITES]; /* owned; they stay */
static struct row *rows;  /* guarded by lock, as the next two: a hash table by site */
static uint16_t *numbers; /* a hash table by what a site says */
static unsigned n_sites = 1, n_rows;

static const char *
text_of(const struct ls_check_site *site, int32_t at)
{
    return at ? (const char *)site + at : "";
}

static struct ls_check_site *
copy(const struct ls_check_site *site)
{
    const char *variable = text_of(site, site->variable), *trace = text_of(site, site->trace);
    size_t n_variable = strlen(variable) + 1, n_trace = strlen(trace) + 1;
    struct ls_check_site *c = malloc(sizeof(*c) + n_variable + n_trace);

    if (!c)
        return NULL;
    *c = *site;
    memcpy(c + 1, variable, n_variable);
    memcpy((char *)(c + 1) + n_variable, trace, n_trace);
    c->variable = site->variable ? (int32_t)sizeof(*c) : 0;
    c->trace = site->trace ? (int32_t)(sizeof(*c) + n_variable) : 0;
    return c;
}

/* Whether a copy is of what now lies at that address. */
static bool
is_of(const struct ls_check_site *c, const struct ls_check_site *site)
{
    struct ls_check_site plain = *site;

    plain.variable = c->variable;
    plain.trace = c->trace;
    plain.slot = c->slot; /* no matter */
    return memcmp(&plain, c, sizeof(plain)) == 0 &&
           !strcmp(text_of(c, c->variable), text_of(site, site->variable)) &&
           !strcmp(text_of(c, c->trace), text_of(site, site->trace));
}

static size_t
hash_of(const struct ls_check_site *site)
{
    uint64_t h = site->bytes * 256u + site->kind;

    for (const char *p = text_of(site, site->trace); *p; p++)
        h = (h ^ (unsigned char)*p) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

/* Lock held: the number of one that says the same; 0: there is none, and *i is where it belongs. */
static uint16_t
find_number(const struct ls_check_site *site, size_t *i)
{
    for (*i = hash_of(site); numbers[*i % N_ROWS]; ++*i)
        if (is_of(copies[numbers[*i % N_ROWS]], site))
            return numbers[*i % N_ROWS];
    return 0;
}

/* Lock held. */
static uint16_t
number_of(const struct ls_check_site *site)
{
    size_t i = (size_t)((uintptr_t)site * 0x9e3779b97f4a7c15u >> 40);
    struct ls_check_site *c;
    uint16_t number;
    size_t at = 0;

    if (!rows && !(rows = calloc(N_ROWS, sizeof(*rows))))
        return 0;
    if (!numbers && !(numbers = calloc(N_ROWS, sizeof(*numbers))))
        return 0;
    while (rows[i % N_ROWS].site && rows[i % N_ROWS].site != site)
        i++;
    if (rows[i % N_ROWS].site && is_of(copies[rows[i % N_ROWS].number], site))
        return rows[i % N_ROWS].number;
    number = site->kind != LS_CHECK_STORE ? find_number(site, &at) : 0;
    if (!number) {
        if (n_sites == N_SITES || !(c = copy(site)))
            return 0;
        number = (uint16_t)n_sites++;
        atomic_store(&copies[number], c);
        if (site->kind != LS_CHECK_STORE)
            numbers[at % N_ROWS] = number;
    }
    if (rows[i % N_ROWS].site || n_rows < MOST_ROWS) {
        n_rows += !rows[i % N_ROWS].site;
        rows[i % N_ROWS] = (struct row){site, number};
    }
    return number;
}

uint16_t
ls_check_site_number(const struct ls_check_site *site)
{
    uint16_t number;

    pthread_mutex_lock(&lock);
    number = number_of(site);
    pthread_mutex_unlock(&lock);
    return number;
}

const struct ls_check_site *
ls_check_site_of(uint16_t number)
{
    return atomic_load(&copies[number]);
}
