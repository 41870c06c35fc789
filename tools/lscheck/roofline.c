/* SPDX-License-Identifier: MIT */
/* How much a kernel computes for each byte that it moves, and what a GPU would need for that at
 * least (the roofline: S. Williams, A. Waterman and D. Patterson, 2009). */
#include <string.h>

#include "base/check_site.h"
#include "lsreview.h"

static const struct peak PEAKS[] = {
#define LS_PEAK(name, arch, what, single, twice, bytes, source)                                    \
    {name, arch, what, source, (single)*1e12, (twice)*1e12, (bytes)*1e9},
#include "peaks.def"
};
enum { N_PEAKS = sizeof(PEAKS) / sizeof(PEAKS[0]) };

const struct peak *
peak_named(const char *name)
{
    for (size_t i = 0; i < N_PEAKS; i++)
        if (!strcmp(PEAKS[i].name, name))
            return &PEAKS[i];
    return NULL;
}

/* gpu: as gfx90a:xnack- or sm_90a. */
static const struct peak *
peak_of_arch(const char *gpu)
{
    size_t n = strcspn(gpu, ":");

    n -= !strncmp(gpu, "sm_", 3) && n > 3 && gpu[n - 1] == 'a';
    for (size_t i = 0; i < N_PEAKS; i++)
        if (strlen(PEAKS[i].arch) == n && !memcmp(PEAKS[i].arch, gpu, n))
            return &PEAKS[i];
    return NULL;
}

void
print_peaks(FILE *to)
{
    for (size_t i = 0; i < N_PEAKS; i++)
        fprintf(to, " %s", PEAKS[i].name);
}

const struct peak *
peak_for(const struct review *r, const struct kernel *k)
{
    const struct peak *named = r->gpu_name ? peak_named(r->gpu_name) : NULL;

    if (named || r->gpu_name)
        return named ? named : peak_of_arch(r->gpu_name);
    return k->n_codes ? peak_of_arch(k->codes[0].arch) : NULL;
}

struct work
work_of(const struct review *r, const struct kernel *k)
{
    struct work w = {0};

    for (size_t i = 0; i < r->m.n; i++) {
        const struct measure *m = &r->m.all[i];

        if (strcmp(m->kernel, k->name) != 0)
            continue;
        if (m->kind == LS_CHECK_STEP) {
            w.singles += (double)m->lanes * m->singles;
            w.doubles += (double)m->lanes * m->doubles;
        } else if (is_access(m) && !m->is_shared) {
            w.bytes += (double)m->sectors * SECTOR_BYTES;
            w.asked += (double)m->lanes * m->bytes;
        }
    }
    return w;
}

double
compute_s(const struct peak *p, const struct work *w)
{
    return w->singles / p->singles + w->doubles / p->doubles;
}

double
memory_s(const struct peak *p, const struct work *w)
{
    return w->bytes / p->bytes;
}

double
balance(const struct peak *p, const struct work *w)
{
    double all = w->singles + w->doubles, seconds = compute_s(p, w);

    return (seconds > 0 ? all / seconds : p->singles) / p->bytes;
}
