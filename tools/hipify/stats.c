/* SPDX-License-Identifier: MIT */
/* Counts, and the three forms in which they are printed. */
#include "stats.h"

#include <stdlib.h>
#include <string.h>

/* What is translated and has no row among the names. */
static const struct ls_name extras[] = {
    {.cuda = "cudaLaunchKernel", .kind = LS_KIND_KERNEL_LAUNCH, .api = LS_API_RUNTIME},
    {.cuda = "extern __shared__", .kind = LS_KIND_EXTERN_SHARED, .api = LS_API_RUNTIME},
};

bool
ls_stats_init(struct ls_stats *stats, const char *path)
{
    *stats = (struct ls_stats){.path = path, .index = calloc(ls_n_names, sizeof(*stats->index))};
    clock_gettime(CLOCK_MONOTONIC, &stats->begin);
    return stats->index != NULL;
}

void
ls_stats_free(struct ls_stats *stats)
{
    for (size_t i = 0; i < stats->n_kernels; i++)
        free(stats->kernels[i].name);
    free(stats->kernels);
    free(stats->counts);
    free(stats->index);
}

static void
count(struct ls_stats *stats, const struct ls_name *name, bool converted, unsigned n)
{
    size_t i = (size_t)(name - ls_names);

    if (!stats->index[i]) {
        if (stats->n_counts == stats->cap_counts) {
            size_t cap = stats->cap_counts ? 2 * stats->cap_counts : 64;
            struct ls_count *v = realloc(stats->counts, cap * sizeof(*v));

            if (!v) {
                stats->failed = true;
                return;
            }
            stats->counts = v;
            stats->cap_counts = cap;
        }
        stats->counts[stats->n_counts++] = (struct ls_count){name, 0, converted};
        stats->index[i] = (uint16_t)stats->n_counts;
    }
    stats->counts[stats->index[i] - 1].n += n;
}

void
ls_stats_count(struct ls_stats *stats, const struct ls_name *name, bool converted)
{
    count(stats, name, converted, 1);
}

static void
count_kernel(struct ls_stats *stats, const char *kernel, size_t bytes, unsigned n)
{
    struct ls_kernel_count *v;

    for (size_t i = 0; i < stats->n_kernels; i++)
        if (strlen(stats->kernels[i].name) == bytes &&
            !memcmp(stats->kernels[i].name, kernel, bytes)) {
            stats->kernels[i].n += n;
            return;
        }
    v = realloc(stats->kernels, (stats->n_kernels + 1) * sizeof(*v));
    if (v) {
        stats->kernels = v;
        v[stats->n_kernels] = (struct ls_kernel_count){strndup(kernel, bytes), n};
    }
    if (!v || !v[stats->n_kernels].name)
        stats->failed = true;
    else
        stats->n_kernels++;
}

void
ls_stats_launch(struct ls_stats *stats, const char *kernel, size_t bytes)
{
    stats->n_launches++;
    count_kernel(stats, kernel, bytes, 1);
}

void
ls_stats_touch(struct ls_stats *stats, unsigned line, size_t bytes)
{
    stats->touched_bytes += bytes;
    stats->touched_lines += line != stats->last_line;
    stats->last_line = line;
}

void
ls_stats_add(struct ls_stats *sum, const struct ls_stats *stats)
{
    for (size_t i = 0; i < stats->n_counts; i++)
        count(sum, stats->counts[i].name, stats->counts[i].converted, stats->counts[i].n);
    for (size_t i = 0; i < stats->n_kernels; i++)
        count_kernel(sum, stats->kernels[i].name, strlen(stats->kernels[i].name),
                     stats->kernels[i].n);
    sum->n_launches += stats->n_launches;
    sum->n_shared += stats->n_shared;
    sum->n_builtins += stats->n_builtins;
    sum->n_warnings += stats->n_warnings;
    sum->touched_lines += stats->touched_lines;
    sum->touched_bytes += stats->touched_bytes;
    sum->lines += stats->lines;
    sum->bytes += stats->bytes;
    sum->n_files++;
    sum->n_touched_files += stats->touched_lines > 0;
    sum->failed |= stats->failed;
}

/* ---- printing ---- */

struct printer {
    const struct ls_stats *stats;
    FILE *to;
    bool csv;
};

static void
line(const struct printer *p, const char *name, const char *value)
{
    fprintf(p->to, p->csv ? "%s;%s\n" : "  %s: %s\n", name, value);
}

static void
number(const struct printer *p, const char *name, size_t value)
{
    char text[32];

    snprintf(text, sizeof(text), "%zu", value);
    line(p, name, text);
}

static void
fraction(const struct printer *p, const char *name, double value, int digits)
{
    char text[32];

    snprintf(text, sizeof(text), "%.*f", digits, value);
    line(p, name, text);
}

static size_t
n_extra(const struct ls_stats *stats, size_t i)
{
    return i ? stats->n_shared : stats->n_launches;
}

static size_t
sum(const struct ls_stats *stats, bool converted)
{
    size_t n = converted ? stats->n_launches + stats->n_shared : 0;

    for (size_t i = 0; i < stats->n_counts; i++)
        if (stats->counts[i].converted == converted)
            n += stats->counts[i].n;
    return n;
}

static int
compare(const void *a, const void *b)
{
    const struct ls_count *x = a, *y = b;

    return strcmp(x->name->cuda, y->name->cuda);
}

static void
part(const struct printer *p, bool converted, const char *what, const char *title)
{
    fprintf(p->to, p->csv ? "\n%.0s%s;Count\n" : "[HIPIFY] info: %s refs by %s:\n",
            converted ? "CONVERTED" : "UNCONVERTED", p->csv ? title : what);
}

static void
print_counts(const struct printer *p, bool converted)
{
    size_t kinds[LS_N_KINDS] = {0}, apis[LS_N_APIS] = {0};
    const struct ls_stats *s = p->stats;

    if (!sum(s, converted))
        return;
    for (size_t i = 0; i < s->n_counts; i++)
        if (s->counts[i].converted == converted) {
            kinds[s->counts[i].name->kind] += s->counts[i].n;
            apis[s->counts[i].name->api] += s->counts[i].n;
        }
    for (size_t i = 0; converted && i < 2; i++) {
        kinds[extras[i].kind] += n_extra(s, i);
        apis[extras[i].api] += n_extra(s, i);
    }
    part(p, converted, "type", "CUDA ref type");
    for (size_t i = 0; i < LS_N_KINDS; i++)
        if (kinds[i])
            number(p, ls_kind_names[i], kinds[i]);
    part(p, converted, "API", "CUDA API");
    for (size_t i = 0; i < LS_N_APIS; i++)
        if (apis[i])
            number(p, ls_api_names[i], apis[i]);
    part(p, converted, "names", "CUDA ref name");
    for (size_t i = 0; i < s->n_counts; i++)
        if (s->counts[i].converted == converted)
            number(p, s->counts[i].name->cuda, s->counts[i].n);
    for (size_t i = 0; converted && i < 2; i++)
        if (n_extra(s, i))
            number(p, extras[i].cuda, n_extra(s, i));
}

static double
percent(size_t part_of, size_t all)
{
    return all ? 100.0 * (double)part_of / (double)all : 0;
}

void
ls_stats_print(const struct ls_stats *stats, FILE *to, bool csv, bool total)
{
    const struct printer p = {stats, to, csv};
    size_t yes = sum(stats, true), no = sum(stats, false);

    if (stats->n_counts)
        qsort(stats->counts, stats->n_counts, sizeof(*stats->counts), compare);
    fprintf(to, csv ? "\nfile '%s' statistics:\n" : "\n[HIPIFY] info: file '%s' statistics:\n",
            stats->path);
    number(&p, "CONVERTED refs count", yes);
    number(&p, "UNCONVERTED refs count", no);
    fraction(&p, "CONVERSION %", percent(yes, yes + no), 1);
    number(&p, "REPLACED bytes", stats->touched_bytes);
    number(&p, "TOTAL bytes", stats->bytes);
    number(&p, "CHANGED lines of code", stats->touched_lines);
    number(&p, "TOTAL lines of code", stats->lines);
    fraction(&p, "CODE CHANGED (in bytes) %", percent(stats->touched_bytes, stats->bytes), 1);
    fraction(&p, "CODE CHANGED (in lines) %", percent(stats->touched_lines, stats->lines), 1);
    number(&p, "WARNINGS", stats->n_warnings);
    fraction(&p, "TIME ELAPSED s",
             (double)(stats->end.tv_sec - stats->begin.tv_sec) +
                 1e-9 * (double)(stats->end.tv_nsec - stats->begin.tv_nsec),
             2);
    print_counts(&p, true);
    print_counts(&p, false);
    if (!total)
        return;
    fprintf(to, csv ? "\nTOTAL statistics:\n" : "\n[HIPIFY] info: TOTAL statistics:\n");
    number(&p, "CONVERTED files", stats->n_touched_files);
    number(&p, "PROCESSED files", stats->n_files);
}

/* Types, values and macros belong to what they are for. */
static enum ls_group
group_of(const struct ls_name *name)
{
    static const struct {
        const char *prefix;
        enum ls_group group;
    } prefixes[] = {
        {"cudaMem", LS_GROUP_MEM},           {"cudaHost", LS_GROUP_MEM},
        {"cudaError", LS_GROUP_ERR},         {"cudaSuccess", LS_GROUP_ERR},
        {"CUDA_ERROR", LS_GROUP_ERR},        {"CUDA_SUCCESS", LS_GROUP_ERR},
        {"cudaEvent", LS_GROUP_EVENT},       {"cudaStream", LS_GROUP_STREAM},
        {"cudaAddressMode", LS_GROUP_TEX},   {"cudaFilterMode", LS_GROUP_TEX},
        {"cudaReadMode", LS_GROUP_TEX},      {"cudaTexture", LS_GROUP_TEX},
        {"cudaChannelFormat", LS_GROUP_TEX}, {"texture", LS_GROUP_TEX},
        {"cudaDevice", LS_GROUP_DEV},
    };

    if (name->kind == LS_KIND_TYPE || name->kind == LS_KIND_NUMERIC_LITERAL ||
        name->kind == LS_KIND_DEFINE)
        for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
            if (!strncmp(name->cuda, prefixes[i].prefix, strlen(prefixes[i].prefix)))
                return prefixes[i].group;
    return ls_kind_groups[name->kind];
}

void
ls_stats_print_classic(const struct ls_stats *stats, FILE *to, bool total)
{
    size_t groups[LS_N_GROUPS] = {
        [LS_GROUP_BUILTIN] = stats->n_builtins, [LS_GROUP_KERN] = stats->n_launches};
    size_t all = stats->n_launches + stats->n_builtins;

    for (size_t i = 0; i < stats->n_counts; i++)
        if (stats->counts[i].converted) {
            groups[group_of(stats->counts[i].name)] += stats->counts[i].n;
            all += stats->counts[i].n;
        }
    if (!total)
        fprintf(to, "info: hipify %s =====>\n", stats->path);
    if (!all && !stats->n_warnings && !total)
        return;
    fprintf(to, "%s %zu CUDA->HIP refs( ", total ? "info: TOTAL-converted" : "  info: converted",
            all);
    for (size_t i = 0; i < LS_N_GROUPS; i++)
        fprintf(to, "%s:%zu ", ls_group_names[i], groups[i]);
    fprintf(to, ") warn:%u LOC:%zu\n", stats->n_warnings, stats->lines);
    if (!total)
        return;
    fprintf(to, "  kernels (%zu total) :", stats->n_kernels);
    for (size_t i = 0; i < stats->n_kernels; i++)
        fprintf(to, "  %s(%u)", stats->kernels[i].name, stats->kernels[i].n);
    fputc('\n', to);
}
