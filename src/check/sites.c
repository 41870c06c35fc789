/* SPDX-License-Identifier: MIT */
/* Numbers for sites. Code may be unloaded while what its kernels did is still of interest: each
 * numbered site is a copy with its texts. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

enum { N_SITES = 1 << 16, N_ROWS = 1 << 17 };

struct row {
    const struct ls_check_site *site; /* in the code */
    uint16_t number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct ls_check_site *_Atomic copies[N_SITES]; /* owned; they stay */
static struct row *rows; /* guarded by lock, as the next one: a hash table by site */
static unsigned n_sites = 1;

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
    return memcmp(&plain, c, sizeof(plain)) == 0 &&
           !strcmp(text_of(c, c->variable), text_of(site, site->variable)) &&
           !strcmp(text_of(c, c->trace), text_of(site, site->trace));
}

/* Lock held. */
static uint16_t
number_of(const struct ls_check_site *site)
{
    size_t i = (size_t)((uintptr_t)site * 0x9e3779b97f4a7c15u >> 40);
    struct ls_check_site *c;

    if (!rows && !(rows = calloc(N_ROWS, sizeof(*rows))))
        return 0;
    while (rows[i % N_ROWS].site && rows[i % N_ROWS].site != site)
        i++;
    if (rows[i % N_ROWS].site && is_of(copies[rows[i % N_ROWS].number], site))
        return rows[i % N_ROWS].number;
    if (n_sites == N_SITES || !(c = copy(site)))
        return 0;
    atomic_store(&copies[n_sites], c);
    rows[i % N_ROWS] = (struct row){site, (uint16_t)n_sites};
    return (uint16_t)n_sites++;
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
