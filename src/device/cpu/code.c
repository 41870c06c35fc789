/* SPDX-License-Identifier: MIT */
/* A kernel's code for a block shape: from memory, the disk cache, the fat binary, or the
 * compiler. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/env.h"
#include "base/isa.h"
#include "base/log.h"
#include "base/lsbc.h"
#include "base/progress.h"
#include "check/check.h"
#include "compiler/door.h"
#include "device/common/messages.h"
#include "device/cpu/cpu_priv.h"

/* Held while code is looked for and loaded, but not while the compiler works: threads that launch
 * different kernels first have them made at the same time. */
static pthread_mutex_t make_lock = PTHREAD_MUTEX_INITIALIZER;
/* The list of what is made got shorter. */
static pthread_cond_t made_one = PTHREAD_COND_INITIALIZER;
static struct making *all_making;                      /* guarded by make_lock */
static struct ls_code *spare; /* guarded by make_lock: loading asks for no memory of its own */

/* What a thread is having made. Lies on its stack. */
struct making {
    struct making *next;
    const struct ls_kernel_source *src; /* borrowed */
    uint32_t shape[3];
    uint64_t distinct;
};

#define USUAL_MAKE_TICKS 100000000u /* of code that nobody has made here yet */

/* How good code for one shape is for blocks of another. */
enum match { MATCH_NONE = 0, MATCH_ANY, MATCH_ROWS, MATCH_ROW, MATCH_EXACT };

/* Shapes that others fit: all; one or several rows of whole warps. */
static const uint32_t wide_shapes[][3] = {
    [MATCH_ANY] = {0, 0, 0},
    [MATCH_ROWS] = {0, 0, 1},
    [MATCH_ROW] = {0, 1, 1},
};

static bool
is_same(const uint32_t a[3], const uint32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* How well a shape suits blocks of another one. */
static enum match
match(const uint32_t shape[3], const uint32_t block[3], uint32_t warp_size)
{
    bool rows = block[0] % warp_size == 0 && block[2] == 1;

    if (is_same(shape, block))
        return MATCH_EXACT;
    if (is_same(shape, wide_shapes[MATCH_ROW]))
        return rows && block[1] == 1 ? MATCH_ROW : MATCH_NONE;
    if (is_same(shape, wide_shapes[MATCH_ROWS]))
        return rows ? MATCH_ROWS : MATCH_NONE;
    return is_same(shape, wide_shapes[MATCH_ANY]) ? MATCH_ANY : MATCH_NONE;
}

/* The wide shape that suits a block best. */
static const uint32_t *
widen(const uint32_t block[3], uint32_t warp_size)
{
    unsigned at = MATCH_ROW;

    while (match(wide_shapes[at], block, warp_size) == MATCH_NONE)
        at--;
    return wide_shapes[at];
}

/* What code is made for: a kernel that sees very many shapes is not worth code for each. */
static const uint32_t *
shape_for(struct ls_kernel_source *src, const uint32_t block[3])
{
    bool many = atomic_load(&ls_cpu_source_of(src)->n_codes) >=
                (unsigned)ls_env_long(LS_ENV_SHAPES, 0, 100000);

    return many ? widen(block, src->warp_size) : block;
}

/* What is known of the arguments, as far as code for this kernel can make something of it. */
static uint64_t
settle_distinct(struct ls_kernel_source *src, uint64_t distinct)
{
    return distinct & ~atomic_load_explicit(&src->indistinct, memory_order_relaxed);
}

/* The best code at hand, no worse than `least`, that relies on nothing but `distinct`. */
static struct ls_code *
find_code(struct ls_kernel_source *src, const uint32_t block[3], uint64_t distinct,
          enum match least)
{
    struct ls_code *c = atomic_load_explicit(&ls_cpu_source_of(src)->codes,
                                             memory_order_acquire); /* pairs with publish */
    struct ls_code *best = NULL;

    for (; c; c = c->next) {
        enum match how = match(c->block, block, src->warp_size);

        if (how == MATCH_EXACT && c->distinct == distinct)
            return c;
        if (how < least || how == MATCH_EXACT || c->kernel->distinct & ~distinct)
            continue;
        least = how + 1u; /* the next one must be better */
        best = c;
    }
    return best;
}

/* Code for just this shape that is right for these arguments, although it does not use all that is
 * known of them. */
static struct ls_code *
find_usable(struct ls_kernel_source *src, const uint32_t block[3], uint64_t distinct)
{
    struct ls_code *c = atomic_load(&ls_cpu_source_of(src)->codes);

    while (c && (!is_same(c->kernel->block, block) || c->kernel->distinct & ~distinct))
        c = c->next;
    return c;
}

static bool
fits(const struct ls_cpu_kernel *k, const struct ls_kernel_source *src, const uint32_t block[3])
{
    if (k->magic != LS_CPU_KERNEL_MAGIC || k->abi_version != LS_CPU_ABI_VERSION)
        return false;
    if (k->warp_size != src->warp_size && k->warp_size != 1 &&
        (k->warp_size != LS_CPU_ROW_LANES || src->warp_size != 2 * LS_CPU_ROW_LANES))
        return false;
    if (match(k->block, block, src->warp_size) == MATCH_NONE)
        return false;
    if (k->lds_bytes > LS_MAX_LDS_BYTES || k->stack_bytes > LS_CPU_MAX_STACK)
        return false;
    return k->mode == LS_CPU_MODE_BLOCK ? k->run_blocks != NULL
                                        : k->mode == LS_CPU_MODE_FIBER && k->run_warp != NULL;
}

static void
publish(struct ls_kernel_source *src, struct ls_code *c)
{
    c->next = atomic_load(&ls_cpu_source_of(src)->codes);
    atomic_store_explicit(&ls_cpu_source_of(src)->codes, c,
                          memory_order_release); /* what c holds */
}

/* Code that serves a shape and arguments, as an entry for just these: the next launch finds it
 * without a lock, and blocks of each shape take a time of their own. When it has run for as long
 * as making code takes, they get their own (is_worth_its_own): whatever comes then, no more
 * than twice the time is lost that was to be lost. `made`: it was made for them. */
static struct ls_code *
enter_for(struct ls_kernel_source *src, struct ls_code *code, const uint32_t block[3],
          uint64_t distinct, bool made)
{
    struct ls_code *c;

    distinct = settle_distinct(src, distinct);
    if ((is_same(code->block, block) && code->distinct == distinct) || !(c = calloc(1, sizeof(*c))))
        return code;
    memcpy(c->block, block, sizeof(c->block));
    c->distinct = distinct;
    c->kernel = code->kernel;
    c->plain = code->plain;
    c->fd = -1;
    if (!made || !is_same(code->block, block))
        atomic_init(&c->price_ticks, ls_cpu_source_of(src)->make_ticks
                                         ? ls_cpu_source_of(src)->make_ticks
                                         : USUAL_MAKE_TICKS);
    publish(src, c);
    return c;
}

/* Whether a shape that is served by other code has run for so long that it should have had its
 * own. */
static bool
is_worth_its_own(struct ls_code *c)
{
    /* relaxed: later will do, too */
    uint64_t price = atomic_load_explicit(&c->price_ticks, memory_order_relaxed);

    return price && atomic_load_explicit(&c->spent_ticks, memory_order_relaxed) >= price;
}

/* Generated code calls the mathematics of the C library, and libgcc for what no instruction does (a
 * division of 128 bits). It finds them where all objects of the process look, and there they need
 * not be: a program in C may have neither, and an interpreter has them for its modules alone. */
static void *
open_object(const char *path)
{
    static const char *const libraries[] = {"libm.so.6", "libgcc_s.so.1"};
    static bool present; /* guarded by make_lock */
    void *dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (dl || present)
        return dl;
    present = true;
    for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
        dlopen(libraries[i], RTLD_NOW | RTLD_GLOBAL); /* stays; what is missing is said below */
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static bool
has_spare(void)
{
    if (!spare)
        spare = calloc(1, sizeof(*spare));
    return spare != NULL;
}

/* Code for a kernel could make something of knowing these arguments distinct. Under make_lock. */
static void
note_wish(struct ls_kernel_source *src, uint64_t wish)
{
    struct ls_cpu_source *s = ls_cpu_source_of(src);

    s->wish |= wish;
    atomic_store_explicit(&src->indistinct, ~s->wish, memory_order_relaxed);
}

/* Opens a shared object and puts its kernel into the table; `level`: of the message when it
 * can't. */
static struct ls_code *
load(struct ls_kernel_source *src, const char *path, const uint32_t block[3],
     enum ls_log_level level)
{
    void *dl = open_object(path);
    const struct ls_cpu_kernel *k = dl ? dlsym(dl, LS_CPU_KERNEL_SYMBOL) : NULL;
    struct ls_code *c = spare;

    if (!k || !fits(k, src, block)) {
        const char *why = dl ? NULL : dlerror();

        ls_log(level, "%s is no code for kernel %s: %s", path, src->name,
               why ? why : "wrong contents");
        if (dl)
            dlclose(dl);
        return NULL;
    }
    spare = NULL;
    c->dl = dl;
    c->fd = -1;
    c->kernel = k;
    memcpy(c->block, k->block, sizeof(c->block));
    c->distinct = k->distinct;
    note_wish(src, k->distinct_wish);
    publish(src, c);
    atomic_fetch_add(&ls_cpu_source_of(src)->n_codes, 1);
    return c;
}

/* From the cache, where more is known of it. */
static struct ls_code *
load_cached(struct ls_kernel_source *src, const char *path, const uint32_t block[3],
            const struct ls_cache_key *key)
{
    struct ls_code *code = load(src, path, block, LS_LOG_WARN);

    if (code)
        ls_cpu_recall_forms(code, key, src->display_name);
    return code;
}

static struct ls_code *
load_memory(struct ls_kernel_source *src, const void *elf, size_t elf_bytes,
            const uint32_t block[3], enum ls_log_level level)
{
    char path[64];
    int fd = ls_code_memory(elf, elf_bytes, path, sizeof(path));
    struct ls_code *code = fd < 0 ? NULL : load(src, path, block, level);

    if (code)
        code->fd = fd;
    else if (fd >= 0)
        close(fd);
    else
        ls_log(level, "no memory file for the code of kernel %s: %s", src->display_name,
               strerror(errno));
    return code;
}

/* In a file that goes at once. */
static struct ls_code *
load_file(struct ls_kernel_source *src, const void *elf, size_t elf_bytes, const uint32_t block[3],
          enum ls_log_level level)
{
    struct ls_code *code;
    char path[PATH_MAX];

    if (!ls_code_file(elf, elf_bytes, path, sizeof(path)))
        return NULL;
    code = load(src, path, block, level);
    ls_code_file_discard(path);
    return code;
}

static bool
warps_are_fibers(bool *interleave)
{
    uint64_t seed;
    enum ls_warp_order order = ls_warp_order(&seed);

    *interleave = order == LS_ORDER_INTERLEAVED;
    return ls_env_bool(LS_ENV_FIBERS) || order != LS_ORDER_USUAL;
}

/* LOCKSTEP_ISA. NULL after a message: there is no such set, or not here. */
static const struct ls_isa *
choose_isa(const char *name, struct ls_messages *said)
{
    char text[512], names[400];
    const struct ls_isa *isa = ls_isa_choose(name, names, sizeof(names));
    uint32_t missing = isa ? ls_isa_missing(isa, ls_cpu_features()) : 0;

    if (isa && !missing)
        return isa;
    if (isa)
        snprintf(text, sizeof(text), "LOCKSTEP_ISA=%s: this processor has no %s", name,
                 ls_cpu_feature_names(missing, names, sizeof(names)));
    else
        snprintf(text, sizeof(text), "LOCKSTEP_ISA: %s, scalar", names);
    ls_messages_collect(said, LS_DIAG_ERROR, text);
    return NULL;
}

/* How kernels are compiled here, but for the block's shape; *limit: code made ahead of time may
 * have this instruction set. False after a message. */
static bool
choose_options(const struct ls_kernel_source *src, struct ls_messages *said,
               struct ls_compile_options *opt, const struct ls_isa **limit)
{
    const char *isa = ls_env_str(LS_ENV_ISA);
    bool is_scalar = strcmp(isa, "scalar") ==
                     0; /* one lane at a time, the oracle that tests compare vectors with */

    *opt = (struct ls_compile_options){.kernel = src->name,
                                       .warp_size = is_scalar ? 1 : src->warp_size,
                                       .isa = is_scalar ? ls_isa_next(NULL)->name : isa,
                                       .opt_level = (int)ls_env_long(LS_ENV_OPT, 0, 3),
                                       .inline_limit =
                                           (uint32_t)ls_env_long(LS_ENV_INLINE, 0, INT32_MAX),
                                       .budget = (uint32_t)ls_env_long(LS_ENV_COMPILER_BUDGET,
                                                                       0, 100000),
                                       .slow_gathers = ls_cpu_gathers_slowly(),
                                       .debug_info = true,
                                       .host_passes = ls_env_str(LS_ENV_HOST_PASSES),
                                       .sink = ls_messages_collect,
                                       .sink_user = said};
    opt->force_fibers = warps_are_fibers(&opt->interleave);
    opt->checks = ls_checks();
    if (opt->checks & LS_CHECK_NOTES && *ls_env_str(LS_ENV_CHECK_INFER))
        opt->infer = ls_env_str(LS_ENV_CHECK_INFER);
    *limit = is_scalar ? NULL : choose_isa(isa, said);
    return is_scalar || *limit;
}

/* Code made ahead of time */

/* Code for just this block shape, or else the best for it; no better than `limit` (NULL: none). Its
 * hash is looked at here, as most of a library's code is never used. */
static struct ls_code *
load_aot(struct ls_kernel_source *src, const uint32_t block[3], bool exact,
         const struct ls_isa *limit, bool *damaged)
{
    const char *image = src->aot;
    const struct ls_lsao_header *h = src->aot;
    const struct ls_lsao_object *best = NULL, *list;
    enum ls_isa_id best_rank = LS_ISA_NONE;
    enum match best_match = exact ? MATCH_ROW : MATCH_NONE; /* to be bettered */
    struct ls_code *code;

    if (!h || !limit || ls_checks()) /* it has no checks */
        return NULL;
    list = (const struct ls_lsao_object *)(const void *)(image + h->objects_off);
    for (uint32_t i = 0; i < h->n_objects; i++) {
        const struct ls_isa *isa = ls_isa_find(image + list[i].isa_off); /* NULL: unknown here */

        if (!isa || isa->id > limit->id || !ls_isa_supported(isa) ||
            strcmp(image + list[i].name_off, src->name) != 0)
            continue;
        enum match how = match(list[i].block, block, src->warp_size);

        if (how > best_match || (best && how == best_match && isa->id > best_rank)) {
            best_match = how;
            best_rank = isa->id;
            best = &list[i];
        }
    }
    if (!best)
        return NULL;
    if (!ls_lsao_object_is_sealed(image, best)) {
        ls_log(LS_LOG_ERROR,
               "code made ahead of time for kernel %s is damaged: it is not what its hash is of",
               src->display_name);
        *damaged = true;
        return NULL;
    }
    code = load_memory(src, image + best->elf_off, best->elf_bytes, block, LS_LOG_WARN);
    return code ? code : load_file(src, image + best->elf_off, best->elf_bytes, block, LS_LOG_WARN);
}

/* The compiler */

/* False after a message of the given level. */
static bool
has_compiler(enum ls_log_level missing)
{
    char why[512];

    if (ls_door_is_there(why, sizeof(why)))
        return true;
    ls_log(missing, "the lowering library can't be opened: %s", why);
    return false;
}

static bool
is_being_made(const struct ls_kernel_source *src, const uint32_t shape[3], uint64_t distinct)
{
    const struct making *m = all_making;

    while (m && !(m->src == src && is_same(m->shape, shape) && m->distinct == distinct))
        m = m->next;
    return m != NULL;
}

/* What people wait for: kernels that are compiled now, and those that were. Under make_lock. */
static struct {
    int running, done;
    uint64_t ns; /* that compiling has taken */
} waits;

static void
say_start(const struct ls_kernel_source *src)
{
    char name[64];

    waits.running++;
    if (waits.ns / 1000000 < (uint64_t)ls_progress_after_ms())
        return;
    ls_check_name(src->display_name, name, sizeof(name));
    ls_progress_say("lockstep: compiling kernels for this processor: %d done, now %s", waits.done,
                    name);
}

static void
say_end(uint64_t ns)
{
    waits.ns += ns;
    waits.done++;
    if (--waits.running == 0)
        ls_progress_clear();
}

/* Has the compiler work, without the lock meanwhile. False: *err says why, as the door's. */
static bool
compile(struct ls_kernel_source *src, const uint32_t shape[3], const struct ls_compile_options *opt,
        const struct ls_cache_key *key, void **elf, size_t *bytes, int *err)
{
    struct making m = {.next = all_making, .src = src}, **at = &all_making;
    uint64_t start = __builtin_ia32_rdtsc(), start_ns = ls_now_ns(), ticks;
    bool ok, ahead;

    memcpy(m.shape, shape, sizeof(m.shape));
    m.distinct = opt->distinct;
    all_making = &m;
    say_start(src);
    pthread_mutex_unlock(&make_lock);
    ls_cpu_ahead_note(src, opt);
    ls_cpu_ahead_go(src, opt);
    ahead = ls_cpu_ahead_take(key, elf, bytes);
    ok = ahead || ls_door_compile_kernel(src->bitcode, src->bitcode_bytes, src->bitcode_sha256, opt,
                                         elf, bytes);
    *err = ok ? 0 : errno;
    ticks = __builtin_ia32_rdtsc() - start;
    pthread_mutex_lock(&make_lock);
    say_end(ls_now_ns() - start_ns);
    while (*at != &m)
        at = &(*at)->next;
    *at = m.next;
    pthread_cond_broadcast(&made_one);
    if (ok && !ahead)
        ls_cpu_source_of(src)->make_ticks = ticks;
    return ok;
}

/* Into the cache, or a temporary file, or memory: folders may be full, read-only or closed to code.
 * *err: as the door's. Gives the lock up for a time. */
static struct ls_code *
make(struct ls_kernel_source *src, const uint32_t block[3], const struct ls_compile_options *opt,
     const struct ls_cache_key *key, int *err)
{
    struct ls_code *code = NULL;
    char path[PATH_MAX];
    size_t bytes;
    void *elf;

    if (!compile(src, block, opt, key, &elf, &bytes, err))
        return NULL;
    if (!has_spare()) { /* another thread has used it meanwhile */
        free(elf);
        *err = ENOMEM;
        return NULL;
    }
    if (ls_cache_store(key, elf, bytes, path, sizeof(path)))
        code = load_cached(src, path, block, key);
    if (!code)
        code = load_file(src, elf, bytes, block, LS_LOG_WARN);
    if (!code)
        code = load_memory(src, elf, bytes, block, LS_LOG_ERROR);
    free(elf);
    return code;
}

/* For reviews: the same code without, for blocks that are not looked at. Gives the lock up for a
 * time. */
static void
add_plain(struct ls_kernel_source *src, struct ls_code *code, struct ls_compile_options opt)
{
    const struct ls_cpu_kernel *k = code->kernel, *plain;
    struct ls_cache_key key;
    char path[PATH_MAX];
    size_t bytes;
    void *elf, *dl;
    int err;

    if (code->plain || k->mode != LS_CPU_MODE_BLOCK ||
        k->flags & (LS_CPU_KERNEL_GRID_SYNC | LS_CPU_KERNEL_SPINS))
        return;
    opt.checks = 0;
    memcpy(opt.block, k->block, sizeof(opt.block));
    ls_cpu_code_key(src, &opt, &key);
    if (!ls_cache_find(&key, path, sizeof(path))) {
        if (!compile(src, opt.block, &opt, &key, &elf, &bytes, &err))
            return;
        bool stored = ls_cache_store(&key, elf, bytes, path, sizeof(path));

        free(elf);
        if (!stored)
            return;
    }
    dl = open_object(path); /* stays, as code of kernels mostly does */
    plain = dl ? dlsym(dl, LS_CPU_KERNEL_SYMBOL) : NULL;
    if (plain && fits(plain, src, k->block) && plain->mode == k->mode &&
        plain->warp_size == k->warp_size && plain->lds_bytes == k->lds_bytes)
        code->plain = plain;
    else if (dl)
        dlclose(dl);
}

/* A shape that was refused, so that a program that launches it again and again is told once. */
struct ls_refusal {
    struct ls_refusal *next;
    uint32_t block[3];
    bool final; /* the compiler said why, and would say it again */
};

static struct ls_refusal *
find_refusal(struct ls_kernel_source *src, const uint32_t block[3])
{
    struct ls_refusal *r = ls_cpu_source_of(src)->refusals;

    while (r && memcmp(r->block, block, sizeof(r->block)) != 0)
        r = r->next;
    return r;
}

static void
refuse(struct ls_kernel_source *src, const uint32_t block[3], const struct ls_messages *said,
       bool final)
{
    struct ls_refusal *r = find_refusal(src, block);

    if (!r || (final && !r->final)) /* what was not final may have had another reason */
        ls_log(LS_LOG_ERROR, "no code for kernel %s with blocks of (%u,%u,%u)%s%s",
               src->display_name, block[0], block[1], block[2], said->n ? ":\n  " : "", said->text);
    if (!r) {
        r = calloc(1, sizeof(*r));
        if (!r)
            return;
        memcpy(r->block, block, sizeof(r->block));
        r->next = ls_cpu_source_of(src)->refusals;
        ls_cpu_source_of(src)->refusals = r;
    }
    r->final = final;
}

/* What code is to be made for: arguments that meet in ever other ways are not worth code for
 * each. */
static uint64_t
choose_distinct(struct ls_kernel_source *src, const uint32_t block[3], uint64_t distinct)
{
    enum { MOST = 4 };
    uint64_t seen[MOST];
    unsigned n = 0;

    distinct = settle_distinct(src, distinct);
    for (const struct ls_code *c = atomic_load(&ls_cpu_source_of(src)->codes); c; c = c->next) {
        unsigned i = 0;

        if (!is_same(c->block, block) || !c->distinct)
            continue;
        if (c->distinct == distinct)
            return distinct;
        while (i < n && seen[i] != c->distinct)
            i++;
        if (i == n && n < MOST)
            seen[n++] = c->distinct;
    }
    return n == MOST ? 0 : distinct;
}

/* Code that is not at hand yet. */
__attribute__((noinline)) static hipError_t
find_or_make(struct ls_kernel_source *src, const uint32_t block[3], uint64_t distinct,
             struct ls_code **out)
{
    struct ls_messages said = {.n = 0, .text = ""};
    struct ls_compile_options opt;
    const struct ls_isa *limit;
    struct ls_cache_key key;
    const uint32_t *shape = block;
    const struct ls_refusal *refused;
    char path[PATH_MAX];
    bool damaged = false, goes_on = false; /* others of the module may be wanted soon */
    bool made = false;
    struct ls_code *other; /* code for more shapes, that this one shall not have any more */
    int err = 0;
    uint64_t seed;

    LS_UNCANCELLED();
    pthread_mutex_lock(&make_lock);
    distinct = choose_distinct(src, block, distinct);
    while (!find_code(src, block, settle_distinct(src, distinct), MATCH_EXACT) &&
           is_being_made(src, shape_for(src, block), distinct))
        pthread_cond_wait(&made_one, &make_lock);
    distinct = choose_distinct(src, block, distinct);
    refused = find_refusal(src, block);
    if (refused && refused->final) {
        pthread_mutex_unlock(&make_lock);
        return hipErrorInvalidKernelFile;
    }
    if (!choose_options(src, &said, &opt, &limit)) {
        refuse(src, block, &said, true);
        pthread_mutex_unlock(&make_lock);
        return hipErrorInvalidKernelFile;
    }
    if (!has_spare()) {
        pthread_mutex_unlock(&make_lock);
        return hipErrorOutOfMemory;
    }
    other = find_code(src, block, distinct, MATCH_EXACT);
    other = other && is_worth_its_own(other) ? other : NULL;
    if (other && is_being_made(src, block, distinct)) {
        *out = other;
        pthread_mutex_unlock(&make_lock);
        return hipSuccess;
    }
    if (!other)
        shape = shape_for(src, block);
    *out = other ? NULL : find_code(src, block, distinct, match(shape, block, src->warp_size));
    if (!*out) {
        memcpy(opt.block, shape, sizeof(opt.block));
        opt.distinct = distinct;
        ls_cpu_code_key(src, &opt, &key);
        /* Comments may have changed where the code has not. */
        if (!(opt.checks & LS_CHECK_NOTES) && ls_cache_find(&key, path, sizeof(path)) &&
            !(*out = load_cached(src, path, block, &key)))
            ls_cache_discard(&key);
        goes_on = *out && ls_cpu_ahead_was(&key);
        made = *out != NULL;
    }
    /* What came ahead of time serves at once; arguments get code of their own later. */
    if (!*out && !other && src->aot)
        *out = find_usable(src, block, distinct);
    if (!*out && !(other && is_same(other->kernel->block, block)) &&
        (ls_warp_order(&seed) == LS_ORDER_USUAL || !has_compiler(LS_LOG_INFO)))
        *out = load_aot(src, block, true, limit, &damaged);
    /* Code for any shape is slow: it serves where nothing better can be made. */
    if (!*out && !damaged && src->bitcode_bytes && (!src->aot || has_compiler(LS_LOG_INFO)))
        made = goes_on = (*out = make(src, shape, &opt, &key, &err)) != NULL;
    if (other) { /* there is no more to be said of it */
        atomic_store(&other->price_ticks, 0);
        *out = *out ? *out : other;
        ls_log(LS_LOG_INFO, "kernel %s, blocks of (%u,%u,%u): %s", src->display_name, block[0],
               block[1], block[2], *out == other ? "stays with other code" : "code of its own");
    }
    if (!*out && !damaged)
        *out = find_usable(src, block, distinct);
    if (!*out && !damaged && has_spare())
        *out = load_aot(src, block, false, limit, &damaged);
    if (!*out && !damaged && err != ENOMEM)
        refuse(src, block, &said, said.n && err != EAGAIN);
    if (*out && ls_checks() & LS_CHECK_REVIEW)
        add_plain(src, *out, opt);
    if (*out)
        *out = enter_for(src, *out, block, distinct, made);
    pthread_mutex_unlock(&make_lock);
    if (goes_on)
        ls_cpu_ahead_go(src, &opt);
    if (*out)
        return hipSuccess;
    if (damaged)
        return hipErrorInvalidImage;
    if (err == ENOMEM)
        return hipErrorOutOfMemory;
    return hipErrorInvalidKernelFile;
}

hipError_t
ls_cpu_get_code(struct ls_device *dev, struct ls_kernel_source *src, const uint32_t block[3],
                uint64_t distinct, struct ls_code **out)
{
    (void)dev;
    if (ls_checks()) /* they look at what the source says */
        distinct = 0;
    *out = find_code(src, block, settle_distinct(src, distinct), MATCH_EXACT);
    if (!*out) /* there may be enough of such code */
        *out = find_code(src, block, choose_distinct(src, block, distinct), MATCH_EXACT);
    return *out && !is_worth_its_own(*out) ? hipSuccess : find_or_make(src, block, distinct, out);
}

void
ls_cpu_release_kernel(struct ls_device *dev, struct ls_kernel_source *src)
{
    struct ls_code *c = atomic_exchange(&ls_cpu_source_of(src)->codes, NULL);
    struct ls_refusal *r = ls_cpu_source_of(src)->refusals;

    (void)dev;
    while (c) {
        struct ls_code *next = c->next;

        if (c->dl)
            dlclose(c->dl);
        if (c->fd >= 0)
            close(c->fd);
        free(c);
        c = next;
    }
    ls_cpu_source_of(src)->refusals = NULL;
    while (r) {
        struct ls_refusal *next = r->next;

        free(r);
        r = next;
    }
}
