/* SPDX-License-Identifier: MIT */
/* The translator: one way through the tokens, in which each name, launch and string is looked at.
 */
#include "source.h"

#include <stdlib.h>
#include <string.h>

bool
ls_offsets_have(const struct ls_offsets *offsets, uint32_t at)
{
    size_t low = 0, high = offsets->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (offsets->v[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < offsets->n && offsets->v[low] == at;
}

bool
ls_to_roc(const struct ls_source *src, const struct ls_name *name)
{
    return src->opt->roc && ls_api_has_roc[name->api] &&
           (src->opt->miopen || !(name->marks & LS_MARK_MIOPEN_ONLY));
}

static const char *
target(const struct ls_source *src, const struct ls_name *name)
{
    return ls_to_roc(src, name) && *name->roc ? name->roc : name->hip;
}

static bool
is_header(const struct ls_name *name)
{
    return name->kind >= LS_KIND_INCLUDE && name->kind <= LS_KIND_INCLUDE_CUDA_MAIN_V2_H;
}

/* ---- what is said of a name ---- */

static void
warn_of_age(struct ls_source *src, uint32_t at, const struct ls_name *name)
{
    bool removed = name->removed != 0;
    unsigned v = removed ? name->removed : name->deprecated;
    const char *what = removed ? "removed from" : "deprecated in";

    if (name->api == LS_API_DNN && v)
        ls_warn(src, at, "'%s' is %s CUDNN since %u.%u.%u", name->cuda, what, v / 100, v / 10 % 10,
                v % 10);
    else if (v)
        ls_warn(src, at, "'%s' is %s CUDA since %u.%u", name->cuda, what, v / 1000, v / 10 % 100);
    else if (name->marks & LS_MARK_CUDA_DEPRECATED)
        ls_warn(src, at, "'%s' is deprecated in CUDA", name->cuda);
}

/* Whether the name can be translated; warns when it cannot. */
static bool
is_supported(struct ls_source *src, uint32_t at, const struct ls_name *name)
{
    bool roc = ls_to_roc(src, name);
    const char *where = roc ? "ROC" : "HIP";

    if (name->marks & LS_MARK_EXPERIMENTAL && !src->opt->experimental) {
        ls_warn(src, at, "'%s' is experimental in %s: -experimental translates it", name->cuda,
                where);
        return false;
    }
    if (name->marks & LS_MARK_V2_ONLY && src->has_blas_v1) {
        ls_warn(src, at,
                "'%s' is in %s as '%s_v2' alone: include cublas_v2.h, and pass it a handle",
                name->cuda, where, name->cuda);
        return false;
    }
    if (name->marks & (roc ? LS_MARK_NO_ROC : LS_MARK_NO_HIP)) {
        ls_warn(src, at, "'%s' is unsupported in %s: it stays, and is to be replaced by hand",
                name->cuda, where);
        return false;
    }
    return true;
}

/* ---- names ---- */

static unsigned
kind_before(const struct ls_source *src, size_t i)
{
    size_t before = ls_tok_previous(src, i);

    return before == i ? LS_TOKEN_END : ls_tok(src, before)->kind;
}

static unsigned
kind_behind(const struct ls_source *src, size_t i)
{
    return ls_tok(src, ls_tok_next(src, i))->kind;
}

/* Whether a name in front of name i leaves it a call: `return`, or a macro's that stands for it. */
static bool
calls_behind(const struct ls_source *src, size_t before)
{
    return ls_tok_is(src, before, "return") ||
           (ls_tok(src, before)->flags & LS_TOKEN_DIRECTIVE &&
            ls_tok_is(src, ls_tok_previous(src, before), "define"));
}

/* Whether it may be a function of the device there. What a macro stands for may be of the host:
 * there it has to be one whose arguments differ, and those have no other use.
 * __nv_cvt_float_to_fp8 and its like are the host's, too. */
static bool
may_be_device(const struct ls_name *name, unsigned flags)
{
    return flags & LS_TOKEN_DEVICE || (flags & LS_TOKEN_DIRECTIVE && ls_has_call(name)) ||
           strncmp(name->cuda, "__nv_", 5) == 0;
}

/* A function of the device is its own name in HIP: it is counted, or warned of. */
static void
device_function(struct ls_source *src, size_t i, const struct ls_name *name)
{
    unsigned before = kind_before(src, i);

    if (!may_be_device(name, ls_tok(src, i)->flags) || kind_behind(src, i) != '(' ||
        before == '.' || before == LS_TOKEN_ARROW || before == LS_TOKEN_SCOPE ||
        (before == LS_TOKEN_NAME && !calls_behind(src, ls_tok_previous(src, i))))
        return;
    if (name->marks & LS_MARK_NO_HIP) {
        ls_stats_count(src->stats, name, false);
        ls_warn(src, ls_tok(src, i)->at,
                "the device function '%s' is unsupported in HIP, unless it is your own",
                name->cuda);
        return;
    }
    ls_stats_count(src->stats, name, true);
    if (ls_has_call(name) && !(ls_tok(src, i)->flags & LS_TOKEN_EXCLUDED))
        ls_call(src, i);
    if (strcmp(name->hip, name->cuda) != 0 && *name->hip)
        ls_edit_replace(src, ls_tok(src, i)->at, ls_tok_end(src, i), name->hip);
}

static void
known_name(struct ls_source *src, size_t i, const struct ls_name *name)
{
    const struct ls_token *t = ls_tok(src, i);
    const char *to = target(src, name), *other = NULL;
    bool supported;

    if (name->kind == LS_KIND_DEVICE_FUNC) {
        device_function(src, i, name);
        return;
    }
    if (is_header(name) || (src->sem && ls_offsets_have(&src->sem->own, t->at)))
        return;
    warn_of_age(src, t->at, name);
    supported = is_supported(src, t->at, name);
    ls_stats_count(src->stats, name, supported);
    src->uses_hip = true;
    if (!supported)
        return;
    if (src->opt->hip_data_types && !strncmp(name->cuda, "cudaDataType", 12) &&
        kind_behind(src, i) == LS_TOKEN_NAME)
        to = "hipDataType";
    if (!src->has_blas_only && !strcmp(to, "hip_bfloat16"))
        to = "__hip_bfloat16"; /* with functions on it; the other is hipBLAS's */
    if (!(t->flags & LS_TOKEN_EXCLUDED) && ls_has_call(name))
        other = ls_call(src, i);
    if (other)
        to = other;
    if (*to && (strlen(to) != t->bytes || memcmp(to, src->text + t->at, t->bytes) != 0))
        ls_edit_replace(src, t->at, t->at + t->bytes, to);
}

/* cub:: is hipcub::, ::cub:: too; another namespace's is not. */
static void
cub(struct ls_source *src, size_t i)
{
    size_t before = ls_tok_previous(src, i);
    unsigned behind = kind_behind(src, i), kind = kind_before(src, i);
    bool is_used = behind == ';' && ls_tok_is(src, before, "namespace") &&
                   ls_tok_is(src, ls_tok_previous(src, before), "using");
    bool is_alias = behind == ';' && kind == '=' &&
                    ls_tok_is(src, ls_tok_previous(src, ls_tok_previous(src, before)), "namespace");

    if (kind == LS_TOKEN_SCOPE && !ls_is_global(src, before))
        return;
    if (kind == '.' || kind == LS_TOKEN_ARROW ||
        (behind != LS_TOKEN_SCOPE && !is_used && !is_alias))
        return;
    ls_edit_replace(src, ls_tok(src, i)->at, ls_tok_end(src, i), "hipcub");
    src->uses_hip = true;
}

/* thrust::cuda:: and thrust::system::cuda:: */
static void
thrust(struct ls_source *src, size_t i)
{
    size_t scope = ls_tok_previous(src, i), outer = ls_tok_previous(src, scope);

    if (ls_tok(src, scope)->kind != LS_TOKEN_SCOPE || kind_behind(src, i) != LS_TOKEN_SCOPE)
        return;
    if (ls_tok_is(src, outer, "system"))
        outer = ls_tok_previous(src, ls_tok_previous(src, outer));
    if (ls_tok_is(src, outer, "thrust"))
        ls_edit_replace(src, ls_tok(src, i)->at, ls_tok_end(src, i), "hip");
}

/* extern __shared__ T name[]; */
static void
dynamic_shared(struct ls_source *src, size_t i)
{
    size_t before = ls_tok_previous(src, i), first = ls_tok_next(src, i), end = first;
    size_t last = src->tokens.n - 1, name = 0;

    if (!ls_tok_is(src, before, "extern"))
        return;
    while (end < last && ls_tok(src, end)->kind != '[' && ls_tok(src, end)->kind != ';') {
        if (ls_tok(src, end)->kind == '(')
            end = ls_tok_close(src, end);
        name = end;
        end = ls_tok_next(src, end);
    }
    if (ls_tok(src, end)->kind != '[' || ls_tok_next(src, end) != ls_tok_close(src, end) ||
        name <= first || ls_tok(src, name)->kind != LS_TOKEN_NAME ||
        kind_behind(src, ls_tok_close(src, end)) != ';')
        return;
    ls_edit_replace(src, ls_tok(src, before)->at, ls_tok(src, first)->at, "HIP_DYNAMIC_SHARED(");
    ls_edit_replace(src, ls_tok_end(src, ls_tok_previous(src, name)), ls_tok(src, name)->at, ", ");
    ls_edit_replace(src, ls_tok(src, end)->at, ls_tok_end(src, ls_tok_close(src, end)), ")");
    src->stats->n_shared++;
}

/* Names that have no row: of namespaces, and those that are the same in HIP. */
static bool
special_name(struct ls_source *src, size_t i)
{
    static const char *const builtins[] = {"threadIdx", "blockIdx", "blockDim", "gridDim",
                                           "warpSize"};
    const struct ls_token *t = ls_tok(src, i);
    const char *name = src->text + t->at;

    switch (*name) {
    case 'b':
    case 'g':
    case 't':
    case 'w':
        for (size_t k = 0; k < sizeof(builtins) / sizeof(*builtins); k++)
            if (*builtins[k] == *name && ls_tok_is(src, i, builtins[k])) {
                src->stats->n_builtins++;
                src->uses_hip = true;
                return true;
            }
        return false;
    case 'c':
        if (t->bytes == 3 && !memcmp(name, "cub", 3))
            cub(src, i);
        else if (t->bytes == 4 && !memcmp(name, "cuda", 4))
            thrust(src, i);
        else
            return false;
        return true;
    case '_':
        if (src->opt->dynamic_shared && ls_tok_is(src, i, "__shared__"))
            dynamic_shared(src, i);
        return false;
    default:
        return false;
    }
}

/* ---- names that look like CUDA's ---- */

static bool
looks_like_cuda(const char *name, size_t bytes)
{
    static const char *const prefixes[] = {"cuda",  "cublas",   "cusparse", "curand",
                                           "cufft", "cusolver", "cudnn",    "nvrtc"};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
        size_t n = strlen(prefixes[i]);

        if (bytes > n && !memcmp(name, prefixes[i], n) && name[n] >= 'A' && name[n] <= 'Z')
            return true;
    }
    return false;
}

/* Whether token k stands where a declaration or #define has its name: behind another name, with *
 * and & between. */
static bool
is_declared(const struct ls_source *src, size_t k)
{
    size_t before = ls_tok_previous(src, k);
    unsigned behind = kind_behind(src, k);
    bool pointer = false;

    while (before && (ls_tok(src, before)->kind == '*' || ls_tok(src, before)->kind == '&')) {
        before = ls_tok_previous(src, before);
        pointer = true;
    }
    return before != k && ls_tok(src, before)->kind == LS_TOKEN_NAME &&
           !ls_tok_is(src, before, "return") &&
           (!pointer || behind == ';' || behind == '=' || behind == ',' || behind == ')' ||
            behind == '[');
}

/* Whether the file itself declares the name that token i is. */
static bool
is_own(const struct ls_source *src, size_t i)
{
    const struct ls_token *t = ls_tok(src, i);

    for (size_t k = 0; k + 1 < src->tokens.n; k++) {
        const struct ls_token *u = ls_tok(src, k);

        if (u->kind == LS_TOKEN_NAME && u->bytes == t->bytes &&
            !memcmp(src->text + u->at, src->text + t->at, t->bytes) && is_declared(src, k))
            return true;
    }
    return false;
}

enum { MAX_UNKNOWN = 64 };

struct unknown {
    size_t v[MAX_UNKNOWN];
    size_t n;
};

static void
unknown_name(struct ls_source *src, size_t i, struct unknown *unknown)
{
    const struct ls_token *t = ls_tok(src, i);

    if (src->opt->quiet_warnings || unknown->n == MAX_UNKNOWN ||
        ls_list_has(&src->opt->whitelist, src->text + t->at, t->bytes))
        return;
    for (size_t k = 0; k < unknown->n; k++) {
        const struct ls_token *u = ls_tok(src, unknown->v[k]);

        if (u->bytes == t->bytes && !memcmp(src->text + u->at, src->text + t->at, t->bytes))
            return;
    }
    unknown->v[unknown->n++] = i;
    if (!is_own(src, i))
        ls_warn(src, t->at,
                "'%.*s' looks like CUDA and is not known: it stays (said once; -whitelist "
                "silences it)",
                (int)t->bytes, src->text + t->at);
}

/* ---- strings ---- */

/* Names of CUDA in a string, as in messages and in what is looked up at run time. */
static void
string(struct ls_source *src, size_t i)
{
    const struct ls_token *t = ls_tok(src, i);
    uint32_t end = t->at + t->bytes;

    for (uint32_t at = t->at; at < end;) {
        uint32_t begin = at;
        const struct ls_name *name;

        if (!ls_is_name_character(src->text[at])) {
            at += src->text[at] == '\\' ? 2 : 1;
            continue;
        }
        while (at < end && ls_is_name_character(src->text[at]))
            at++;
        if (at - begin < 5 || memcmp(src->text + begin, "cu", 2) != 0)
            continue;
        name = ls_name_find(src->text + begin, at - begin);
        if (!name || is_header(name) || name->kind == LS_KIND_DEVICE_FUNC ||
            name->marks & (ls_to_roc(src, name) ? LS_MARK_NO_ROC : LS_MARK_NO_HIP) ||
            (name->marks & LS_MARK_EXPERIMENTAL && !src->opt->experimental))
            continue;
        ls_stats_count(src->stats, name, true);
        if (*target(src, name))
            ls_edit_replace(src, begin, at, target(src, name));
    }
}

/* ---- the way through ---- */

static bool
is_include_path(const struct ls_source *src, size_t i)
{
    size_t before = ls_tok_previous(src, i);

    return ls_tok(src, i)->flags & LS_TOKEN_DIRECTIVE && before != i &&
           ls_tok(src, before)->bytes >= 7 &&
           !memcmp(src->text + ls_tok(src, before)->at, "include", 7);
}

static void
look_at(struct ls_source *src, size_t i, struct unknown *unknown)
{
    const struct ls_token *t = ls_tok(src, i);
    const char *name = src->text + t->at;
    const struct ls_name *row;

    if (t->flags & LS_TOKEN_EXCLUDED && !src->opt->amap)
        return;
    if (t->kind == LS_TOKEN_LAUNCH && !(t->flags & LS_TOKEN_EXCLUDED)) {
        ls_launch(src, i);
    } else if (t->kind == LS_TOKEN_STRING && !is_include_path(src, i)) {
        string(src, i);
    } else if (t->kind == LS_TOKEN_NAME && !(t->flags & LS_TOKEN_SPLICED)) {
        if (special_name(src, i))
            return;
        row = ls_name_find(name, t->bytes);
        if (row)
            known_name(src, i, row);
        else if (t->bytes > 4 && (*name == 'c' || *name == 'n') && looks_like_cuda(name, t->bytes))
            unknown_name(src, i, unknown);
    }
}

/* What the preprocessor of a compiler skipped. */
static void
mark_skipped(struct ls_source *src)
{
    const struct ls_offsets *skipped = &src->sem->skipped;
    size_t k = 0;

    for (size_t i = 0; i < src->tokens.n; i++) {
        struct ls_token *t = &src->tokens.v[i];

        while (k + 1 < skipped->n && skipped->v[k + 1] <= t->at)
            k += 2;
        if (k + 1 < skipped->n && skipped->v[k] <= t->at)
            t->flags |= LS_TOKEN_EXCLUDED;
    }
}

static void
translate(struct ls_source *src)
{
    struct unknown unknown = {.n = 0};

    if (src->opt->skip_excluded && src->sem)
        mark_skipped(src);
    else if (src->opt->skip_excluded)
        ls_mark_excluded(src);
    ls_tok_match(src);
    if (src->failed)
        return;
    ls_headers(src);
    ls_mark_device(src);
    if (!src->opt->no_undocumented && src->sem)
        ls_half2_known(src);
    else if (!src->opt->no_undocumented)
        ls_half2(src);
    for (size_t i = 0; i < src->tokens.n && !src->failed; i++)
        look_at(src, i, &unknown);
    if (src->uses_hip)
        ls_add_runtime_header(src);
}

char *
ls_translate(const struct ls_hipify_options *opt, const char *path, const char *text, size_t bytes,
             const struct ls_semantics *sem, struct ls_stats *stats, size_t *out_bytes)
{
    const char *line = memchr(text, '\n', bytes);
    struct ls_source src = {.path = path,
                            .opt = opt,
                            .sem = sem,
                            .stats = stats,
                            .text = text,
                            .bytes = bytes,
                            .line_end = line && line > text && line[-1] == '\r' ? "\r\n" : "\n"};
    char *out = NULL;

    if (bytes <= LS_SOURCE_MAX_BYTES && ls_lex(text, bytes, &src.tokens)) {
        translate(&src);
        if (!src.failed && !stats->failed)
            out = ls_edits_apply(&src, out_bytes);
        (void)ls_line_of(&src, 0);
        stats->lines = src.n_lines ? src.n_lines - 1 : 0;
        stats->bytes = bytes;
    }
    for (size_t i = 0; i < src.n_kernels; i++)
        free(src.kernels[i]);
    free(src.kernels);
    ls_tokens_free(&src.tokens);
    free(src.edits);
    free(src.lines);
    free(src.match);
    clock_gettime(CLOCK_MONOTONIC, &stats->end);
    return out;
}
