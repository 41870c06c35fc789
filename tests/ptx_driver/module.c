/* SPDX-License-Identifier: MIT */
/* A PTX module: variables, functions and their parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"

const uint8_t ptx_bits[N_TYPES] = {
#define PTX_TYPE(name, bits, kind) [TYPE_##name] = bits,
#include "types.def"
};
const uint8_t ptx_kinds[N_TYPES] = {
#define PTX_TYPE(name, bits, kind) [TYPE_##name] = KIND_##kind,
#include "types.def"
};
static const char *const type_names[N_TYPES] = {
#define PTX_TYPE(name, bits, kind) [TYPE_##name] = #name,
#include "types.def"
};

enum ptx_type
ptx_type_of(const char *text, size_t n)
{
    for (enum ptx_type t = 1; t < N_TYPES; t++)
        if (strlen(type_names[t]) == n && memcmp(type_names[t], text, n) == 0)
            return t;
    return TYPE_NONE;
}

uint32_t
ptx_place(uint32_t *end, uint32_t bytes, uint32_t align)
{
    uint32_t at = (*end + align - 1) / align * align;

    *end = at + bytes;
    return at;
}

static uint32_t
read_small(struct reader *r)
{
    uint64_t n = r->word.number;

    if (r->word.kind != WORD_NUMBER || n > UINT32_MAX / 2)
        ptx_refuse(r, r->word.line, "'%.*s' where a number should be", (int)r->word.n,
                   r->word.text);
    ptx_next(r);
    return (uint32_t)n;
}

struct word
ptx_read_shape(struct reader *r, uint32_t *bytes, uint32_t *align, enum ptx_type *type)
{
    uint32_t given = 0, vector = 1;
    uint64_t n = 1;
    struct word name;

    *type = TYPE_NONE;
    for (;;) {
        if (ptx_take(r, ".align")) {
            given = read_small(r);
        } else if (ptx_take(r, ".v2")) {
            vector = 2;
        } else if (ptx_take(r, ".v4")) {
            vector = 4;
        } else if (ptx_take(r, ".ptr")) {
            while (ptx_take(r, ".global") || ptx_take(r, ".shared") || ptx_take(r, ".local") ||
                   ptx_take(r, ".const"))
                continue;
            if (ptx_take(r, ".align"))
                read_small(r); /* of what it points to */
        } else if (r->word.kind == WORD_NAME && r->word.text[0] == '.' &&
                   (*type = ptx_type_of(r->word.text + 1, r->word.n - 1)) != TYPE_NONE) {
            ptx_next(r);
        } else {
            break;
        }
    }
    if (*type == TYPE_NONE || r->word.kind != WORD_NAME)
        ptx_refuse(r, r->word.line, "'%.*s' in a declaration", (int)r->word.n, r->word.text);
    name = r->word;
    ptx_next(r);
    while (ptx_take(r, "[")) {
        n *= ptx_is(r, "]") ? 0 : read_small(r);
        ptx_want(r, "]");
    }
    n *= vector * (ptx_bits[*type] + 7) / 8;
    if (n > UINT32_MAX / 4)
        ptx_refuse(r, name.line, "%llu bytes", (unsigned long long)n);
    *bytes = (uint32_t)n;
    *align = given ? given : vector * (ptx_bits[*type] + 7) / 8;
    if (*align & (*align - 1))
        ptx_refuse(r, name.line, "an alignment of %u", *align);
    return name;
}

struct ptx_function *
ptx_function_named(struct reader *r, const struct word *w)
{
    for (uint32_t i = 0; i < r->m->n_functions; i++)
        if (ptx_same(w, r->m->functions[i]->name))
            return r->m->functions[i];
    return NULL;
}

struct ptx_variable *
ptx_variable_named(struct reader *r, const struct word *w)
{
    for (struct ptx_variable *v = r->m->variables; v; v = v->next)
        if (ptx_same(w, v->name))
            return v;
    return NULL;
}

/* ---- Variables ---- */

/* An address in an initialiser: a name, generic(name), with a number added. */
static uint64_t
read_address(struct reader *r)
{
    bool generic = ptx_take(r, "generic");
    struct ptx_variable *v;
    struct ptx_function *f;
    uint64_t value;

    if (generic)
        ptx_want(r, "(");
    v = ptx_variable_named(r, &r->word);
    f = ptx_function_named(r, &r->word);
    if (!v && !f)
        ptx_refuse(r, r->word.line, "nothing is called '%.*s'", (int)r->word.n, r->word.text);
    value = f                                     ? FUNCTION_BASE + 16 * (f->index + 1)
            : v->space == SPACE_SHARED && generic ? SHARED_BASE + v->at
                                                  : v->at;
    ptx_next(r);
    if (generic)
        ptx_want(r, ")");
    if (ptx_take(r, "+")) {
        bool minus = ptx_take(r, "-");
        uint64_t by = r->word.number;

        ptx_next(r);
        value += minus ? -by : by;
    }
    return value;
}

static uint64_t
read_item(struct reader *r)
{
    bool minus = ptx_take(r, "-");
    uint64_t value;

    if (r->word.kind == WORD_NAME)
        return read_address(r);
    if (r->word.kind != WORD_NUMBER && r->word.kind != WORD_FLOAT)
        ptx_refuse(r, r->word.line, "'%.*s' in an initialiser", (int)r->word.n, r->word.text);
    value = minus ? -r->word.number : r->word.number;
    ptx_next(r);
    if (ptx_take(r, "(")) { /* one byte of an address: 0xFF00(name) */
        uint64_t mask = value;

        value = read_address(r) & mask;
        value >>= mask ? (unsigned)__builtin_ctzll(mask) : 0;
        ptx_want(r, ")");
    }
    return value;
}

static void
read_items(struct reader *r, char *to, uint32_t bytes, uint32_t item, uint32_t *at)
{
    if (!ptx_take(r, "{")) {
        uint64_t value = read_item(r);

        if (*at + item > bytes)
            ptx_refuse(r, r->word.line, "more values than there is room for");
        memcpy(to + *at, &value, item);
        *at += item;
        return;
    }
    while (!ptx_take(r, "}")) {
        read_items(r, to, bytes, item, at);
        ptx_take(r, ",");
    }
}

void
ptx_read_variable(struct reader *r, enum ptx_space space)
{
    uint32_t bytes, align, at = 0;
    enum ptx_type type;
    struct word name;
    struct ptx_variable *v;
    struct ptx_piece piece;

    while (ptx_take(r, ".attribute"))
        while (!ptx_take(r, ")"))
            ptx_next(r);
    name = ptx_read_shape(r, &bytes, &align, &type);
    v = ptx_variable_named(r, &name);
    if (v && v->bytes != bytes)
        ptx_refuse(r, name.line, "%s has two sizes", v->name);
    if (!v) {
        v = ptx_keep(r->m, sizeof(*v));
        v->name = ptx_keep_text(r, &name);
        v->bytes = bytes;
        v->space = space;
        if (space == SPACE_SHARED) {
            v->is_dynamic = bytes == 0;
            if (align > r->m->shared_align)
                r->m->shared_align = align;
            v->at =
                bytes ? SHARED_START + ptx_place(&r->m->shared_bytes, bytes, align) : DYNAMIC_START;
        } else if ((v->at = driver_alloc(bytes ? bytes : 1)) == 0) {
            ptx_refuse(r, name.line, "no memory for %s", v->name);
        } else if (driver_find(v->at, &piece)) {
            memset(piece.at + (v->at - piece.base), 0, bytes);
        }
        v->next = r->m->variables;
        r->m->variables = v;
    }
    if (ptx_take(r, "=")) {
        if (space == SPACE_SHARED || !driver_find(v->at, &piece))
            ptx_refuse(r, name.line, "%s has a value", v->name);
        read_items(r, piece.at + (v->at - piece.base), bytes, (ptx_bits[type] + 7u) / 8, &at);
    }
    ptx_want(r, ";");
}

/* ---- Functions ---- */

static struct ptx_function *
add_function(struct reader *r, const struct word *name)
{
    struct ptx_module *m = r->m;
    struct ptx_function *f = ptx_function_named(r, name);
    struct ptx_function **grown;

    if (f)
        return f;
    f = ptx_keep(m, sizeof(*f));
    f->name = ptx_keep_text(r, name);
    f->module = m;
    f->index = m->n_functions;
    f->builtin = ptx_builtin(f->name);
    grown = ptx_keep(m, (m->n_functions + 1) * sizeof(*grown));
    if (m->n_functions)
        memcpy(grown, m->functions, m->n_functions * sizeof(*grown));
    grown[m->n_functions++] = f;
    m->functions = grown;
    return f;
}

struct list {
    struct ptx_param params[256];
    uint32_t aligns[256];
    struct word names[256];
    uint32_t n;
};

static void
read_params(struct reader *r, struct list *l)
{
    l->n = 0;
    if (!ptx_take(r, "("))
        return;
    while (!ptx_take(r, ")")) {
        enum ptx_type type;

        if (l->n == sizeof(l->params) / sizeof(*l->params))
            ptx_refuse(r, r->word.line, "too many parameters");
        ptx_want(r, ".param");
        l->names[l->n] = ptx_read_shape(r, &l->params[l->n].bytes, &l->aligns[l->n], &type);
        l->n++;
        ptx_take(r, ",");
    }
}

/* The parameters' places: a kernel's in its arguments, others in the frame. */
static void
place_params(struct reader *r, struct ptx_function *f, struct list *l, struct list *results)
{
    f->n_params = l->n;
    f->params = ptx_keep(r->m, (l->n + 1) * sizeof(*f->params));
    f->param_at = ptx_keep(r->m, (l->n + 1) * sizeof(uint32_t));
    f->param_bytes = ptx_keep(r->m, (l->n + 1) * sizeof(uint32_t));
    f->args_bytes = f->frame_bytes = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t at = ptx_place(f->is_kernel ? &f->args_bytes : &f->frame_bytes, l->params[i].bytes,
                                l->aligns[i]);

        f->params[i] = (struct ptx_param){at, l->params[i].bytes};
        f->param_at[i] = at;
        f->param_bytes[i] = l->params[i].bytes;
        ptx_declare(r, (struct symbol){.name = ptx_keep_text(r, &l->names[i]),
                                       .kind = f->is_kernel ? SYMBOL_ARGS : SYMBOL_FRAME,
                                       .value = at,
                                       .bytes = l->params[i].bytes});
    }
    f->n_results = results->n;
    for (uint32_t i = 0; i < results->n; i++) {
        if (i == 4)
            ptx_refuse(r, r->word.line, "too many results");
        f->results[i] =
            (struct ptx_param){ptx_place(&f->frame_bytes, results->params[i].bytes,
                                         results->aligns[i] > 8 ? results->aligns[i] : 8),
                               results->params[i].bytes};
        ptx_declare(r, (struct symbol){.name = ptx_keep_text(r, &results->names[i]),
                                       .kind = SYMBOL_FRAME,
                                       .value = f->results[i].at,
                                       .bytes = results->params[i].bytes});
    }
}

static void
read_bounds(struct reader *r, struct ptx_function *f)
{
    f->max_threads = 1024;
    for (;;) {
        if (ptx_take(r, ".maxntid") || ptx_take(r, ".reqntid")) {
            uint64_t n = read_small(r);

            while (ptx_take(r, ","))
                n *= read_small(r);
            f->max_threads = n < 1024 ? (uint32_t)n : 1024;
        } else if (ptx_take(r, ".minnctapersm") || ptx_take(r, ".maxnreg")) {
            read_small(r);
        } else if (ptx_take(r, ".pragma")) {
            while (!ptx_take(r, ";"))
                ptx_next(r);
        } else if (!ptx_take(r, ".noreturn")) {
            return;
        }
    }
}

static void
read_function(struct reader *r, bool is_kernel)
{
    struct list *results = ptx_keep(r->m, 2 * sizeof(*results)), *params = results + 1;
    struct ptx_function *f;
    struct word name;

    memset(r->symbols, 0, sizeof(r->symbols));
    r->scope = r->n_scopes = 0;
    if (!is_kernel)
        read_params(r, results);
    name = r->word;
    if (name.kind != WORD_NAME)
        ptx_refuse(r, name.line, "a function without a name");
    ptx_next(r);
    f = add_function(r, &name);
    f->is_kernel = is_kernel;
    read_params(r, params);
    if (!f->has_body)
        place_params(r, f, params, results);
    read_bounds(r, f);
    if (ptx_take(r, ";"))
        return;
    if (f->has_body)
        ptx_refuse(r, name.line, "%s twice", f->name);
    f->has_body = true;
    ptx_read_body(r, f);
}

/* ---- The text ---- */

static void
skip_braces(struct reader *r)
{
    int depth = 0;

    do {
        depth += ptx_is(r, "{") - ptx_is(r, "}");
        if (r->word.kind == WORD_END)
            ptx_refuse(r, r->word.line, "a brace is open");
        ptx_next(r);
    } while (depth > 0);
}

/* ".loc file line column", with what it was inlined into behind it on the same line. */
void
ptx_read_location(struct reader *r)
{
    uint32_t line = r->word.line, file = read_small(r), number = read_small(r);

    while (r->word.line == line && r->word.kind != WORD_END)
        ptx_next(r);
    if (r->m->n_sources % 1024 == 0) {
        struct ptx_source *grown = ptx_keep(r->m, (r->m->n_sources + 1024) * sizeof(*grown));

        if (r->m->n_sources)
            memcpy(grown, r->m->sources, r->m->n_sources * sizeof(*grown));
        r->m->sources = grown;
    }
    r->m->sources[r->m->n_sources++] = (struct ptx_source){file, number};
    r->source = (int32_t)r->m->n_sources;
}

static void
read_file(struct reader *r)
{
    uint32_t n = read_small(r);

    if (r->word.kind != WORD_STRING)
        ptx_refuse(r, r->word.line, "a file without a name");
    if (n < 256)
        r->m->files[n] = ptx_keep_text(r, &r->word);
    ptx_next(r);
    if (ptx_take(r, ",")) {
        ptx_next(r);
        ptx_want(r, ",");
        ptx_next(r);
    }
}

static void
read_target(struct reader *r, uint32_t capability)
{
    uint32_t n = r->word.n > 3 && memcmp(r->word.text, "sm_", 3) == 0
                     ? (uint32_t)strtoul(r->word.text + 3, NULL, 10)
                     : 0;

    if (n == 0 || n > capability)
        ptx_refuse(r, r->word.line, "code for %.*s, and this is sm_%u", (int)r->word.n,
                   r->word.text, capability);
    ptx_next(r);
    while (ptx_take(r, ","))
        ptx_next(r);
}

static void
read_statement(struct reader *r, uint32_t capability)
{
    if (ptx_take(r, ".version")) {
        ptx_next(r);
    } else if (ptx_take(r, ".target")) {
        read_target(r, capability);
    } else if (ptx_take(r, ".address_size")) {
        if (read_small(r) != 64)
            ptx_refuse(r, r->word.line, "addresses of other than 64 bits");
    } else if (ptx_take(r, ".visible") || ptx_take(r, ".extern") || ptx_take(r, ".weak") ||
               ptx_take(r, ".common")) {
        return;
    } else if (ptx_take(r, ".global")) {
        ptx_read_variable(r, SPACE_GLOBAL);
    } else if (ptx_take(r, ".const")) {
        ptx_read_variable(r, SPACE_CONST);
    } else if (ptx_take(r, ".shared")) {
        ptx_read_variable(r, SPACE_SHARED);
    } else if (ptx_take(r, ".entry")) {
        read_function(r, true);
    } else if (ptx_take(r, ".func")) {
        read_function(r, false);
    } else if (ptx_take(r, ".file")) {
        read_file(r);
    } else if (ptx_take(r, ".loc")) {
        ptx_read_location(r);
    } else if (ptx_take(r, ".section")) {
        ptx_next(r);
        skip_braces(r);
    } else if (ptx_take(r, ".pragma")) {
        while (!ptx_take(r, ";"))
            ptx_next(r);
    } else {
        ptx_refuse(r, r->word.line, "'%.*s' is not known", (int)r->word.n, r->word.text);
    }
}

static bool
read_all(struct reader *r)
{
    if (setjmp(r->failed))
        return false;
    for (ptx_next(r); r->word.kind != WORD_END;)
        read_statement(r, r->m->capability);
    return true;
}

struct ptx_module *
ptx_load(const char *text, uint32_t capability, uint32_t max_registers, char log[PTX_LOG])
{
    struct ptx_module *m = calloc(1, sizeof(*m));
    struct reader *r = calloc(1, sizeof(*r));

    (void)max_registers;
    if (m)
        m->text = strdup(text);
    if (!r || !m || !m->text)
        abort();
    m->capability = capability;
    m->shared_align = 16;
    log[0] = 0;
    r->m = m;
    r->log = log;
    r->at = m->text;
    r->line = 1;
    if (!read_all(r)) {
        ptx_unload(m);
        m = NULL;
    }
    free(r);
    return m;
}

struct ptx_function *
ptx_find_kernel(struct ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (m->functions[i]->is_kernel && strcmp(m->functions[i]->name, name) == 0)
            return m->functions[i];
    return NULL;
}

bool
ptx_find_variable(const struct ptx_module *m, const char *name, uint64_t *at, size_t *bytes)
{
    for (const struct ptx_variable *v = m->variables; v; v = v->next)
        if (v->space != SPACE_SHARED && strcmp(v->name, name) == 0) {
            *at = v->at;
            *bytes = v->bytes;
            return true;
        }
    return false;
}

struct ptx_facts
ptx_facts_of(const struct ptx_function *f)
{
    return (struct ptx_facts){.max_threads = f->max_threads,
                              .shared_bytes = f->module->shared_bytes,
                              .local_bytes = f->frame_bytes,
                              .n_params = f->n_params,
                              .param_at = f->param_at,
                              .param_bytes = f->param_bytes,
                              .args_bytes = f->args_bytes,
                              .registers = 32};
}
