/* SPDX-License-Identifier: MIT */
/* Kernels in the driver's modules, one each, and their launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/lsbc.h"
#include "device/cuda/cuda_priv.h"
#include "base/thread.h"
#include "device/cuda/text.h"

#define PLAIN_SHARED_BYTES 49152u /* more must be asked for */
#define LOG_BYTES          4096u
#define MAX_REGISTERS      255u
#define MAX_LOCAL_BYTES    (512 << 10) /* CUDA C++ Programming Guide, "Technical Specifications" */
#define FEW_KERNELS        8u          /* that the compiler would have to make */
#define STACK_BYTES        ((size_t)8 << 10)
#define RING_BYTES         ((size_t)32 << 20)
#define FEW_BYTES          (1u << 20)
#define USUAL_ARGS         32u
#define LOADERS            4u       /* threads */
#define LONG_NS            2000000u /* a kernel that is translated takes longer than this */

struct ls_code {
    struct ls_code *next; /* of the kernel, on any device */
    struct ls_cuda *c;
    struct ls_cu_module *module; /* owned */
    struct ls_cu_function *function;
    uint32_t max_threads; /* of a block */
    atomic_uint shapes;   /* bits of enum ls_cuda_shape: of blocks that have none better */
    uint64_t globals;     /* address of LS_CUDA_GLOBALS; 0: there is none */
    uint32_t n_globals;
    bool prints;
    uint64_t *written; /* owned, n_globals: what it holds; guarded by c->lock, as the next two */
    bool is_written;
    uint32_t shared_bytes; /* that may be asked for */
};

/* In ls_kernel_source.priv. */
struct source {
    _Atomic(struct ls_code *) codes; /* written under load_lock */
    atomic_uint refused; /* bits of the devices for which there is none: it was said why */
    atomic_int why;      /* hipError_t */
} __attribute__((may_alias));
_Static_assert(sizeof(struct source) <= LS_SOURCE_ROOM, "no room");

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;

static struct source *
source_of(struct ls_kernel_source *src)
{
    return (struct source *)(void *)src->priv[LS_DEVICE_cuda];
}

/* Of several the one with the most registers. */
static struct ls_code *
find_code(const struct ls_cuda *c, struct ls_kernel_source *src, enum ls_cuda_shape shape,
          uint32_t n_threads)
{
    struct ls_code *code = atomic_load_explicit(&source_of(src)->codes,
                                                memory_order_acquire), /* with what it holds */
        *best = NULL;

    for (; code; code = code->next)
        if (code->c == c && code->max_threads >= n_threads &&
            (atomic_load(&code->shapes) & 1u << shape) &&
            (!best || code->max_threads < best->max_threads))
            best = code;
    return best;
}

/* Has the driver translate the text; max_registers 0: as it likes. */
static hipError_t
load_module(struct ls_cuda *c, const struct ls_kernel_source *src, enum ls_log_level level,
            const char *text, uint32_t max_registers, struct ls_cu_module **module)
{
    char error[LOG_BYTES] = "", info[LOG_BYTES] = "";
    int options[] = {LS_CU_JIT_ERROR_LOG, LS_CU_JIT_ERROR_LOG_BYTES, LS_CU_JIT_INFO_LOG,
                     LS_CU_JIT_INFO_LOG_BYTES, LS_CU_JIT_MAX_REGISTERS};
    void *values[] = {error, (void *)(uintptr_t)(LOG_BYTES - 1), info,
                      (void *)(uintptr_t)(LOG_BYTES - 1), (void *)(uintptr_t)max_registers};
    int result = LS_CU(cuModuleLoadDataEx, module, text, max_registers ? 5 : 4, options, values);

    if (info[0])
        ls_log(LS_LOG_INFO, "kernel %s: %s", src->display_name, info);
    if (result == LS_CU_SUCCESS)
        return hipSuccess;
    ls_log(level, "the CUDA driver does not take the code of kernel %s: %s%s%s", src->display_name,
           ls_cu_name(result), error[0] ? "\n" : "", error);
    return ls_cuda_failed(c, result);
}

/* What the text says about itself. */
static hipError_t
read_info(struct ls_cuda *c, const struct ls_kernel_source *src, enum ls_log_level level,
          const char *text, struct ls_cu_module *module)
{
    uint32_t words[LS_CUDA_INFO_WORDS] = {LS_CUDA_ABI_VERSION};
    uint64_t at = 0;
    size_t bytes = 0;

    if (!strstr(text, LS_CUDA_INFO) ||
        ls_cu.cuModuleGetGlobal(&at, &bytes, module, LS_CUDA_INFO) != LS_CU_SUCCESS)
        return hipSuccess;
    ls_cuda_read(c->dev, words, (const void *)(uintptr_t)at,
                 bytes < sizeof(words) ? bytes : sizeof(words));
    if (words[0] == LS_CUDA_ABI_VERSION)
        return hipSuccess;
    ls_log(level, "the code of kernel %s is of version %u, not %u: built by another hipcc",
           src->display_name, words[0], LS_CUDA_ABI_VERSION);
    return hipErrorInvalidImage;
}

/* Finds what is in a loaded module. */
static hipError_t
look_into(struct ls_code *code, const struct ls_kernel_source *src, enum ls_log_level level,
          const char *text)
{
    int threads = 0, registers = 0, local = 0;
    size_t bytes = 0;
    hipError_t err = LS_CU_TRY(cuModuleGetFunction, &code->function, code->module, LS_CUDA_KERNEL);

    if (err == hipSuccess && ls_cu.cuFuncLoad) /* now, and not in front of the first launch */
        err = LS_CU_TRY(cuFuncLoad, code->function);
    if (err == hipSuccess)
        err = LS_CU_TRY(cuFuncGetAttribute, &threads, LS_CU_FUNCTION_MAX_THREADS_PER_BLOCK,
                        code->function);
    if (err == hipSuccess)
        err = read_info(code->c, src, level, text, code->module);
    if (err != hipSuccess)
        return err;
    LS_CU(cuFuncGetAttribute, &registers, LS_CU_FUNCTION_REGISTERS, code->function);
    LS_CU(cuFuncGetAttribute, &local, LS_CU_FUNCTION_LOCAL_BYTES, code->function);
    ls_log(LS_LOG_INFO, "kernel %s: %d registers, %d bytes of local memory, blocks of %d threads",
           src->display_name, registers, local, threads);
    if (local > MAX_LOCAL_BYTES) {
        ls_log(
            level,
            "kernel %s: a thread needs %d bytes of private memory, and the device has %d for each",
            src->display_name, local, MAX_LOCAL_BYTES);
        return hipErrorLaunchOutOfResources;
    }
    code->max_threads = threads > 0 ? (uint32_t)threads : 0;
    code->shared_bytes = PLAIN_SHARED_BYTES;
    /* Of what is not there tools like compute-sanitizer would tell as of an error. */
    if (!strstr(text, LS_CUDA_GLOBALS) ||
        ls_cu.cuModuleGetGlobal(&code->globals, &bytes, code->module, LS_CUDA_GLOBALS) !=
            LS_CU_SUCCESS)
        code->globals = bytes = 0;
    if (bytes / 8 > src->n_globals) {
        ls_log(level, "the code of kernel %s is for a module with other variables",
               src->display_name);
        return hipErrorInvalidImage;
    }
    code->n_globals = (uint32_t)(bytes / 8);
    code->written = calloc(code->n_globals + 1u, sizeof(*code->written));
    return code->written ? hipSuccess : hipErrorOutOfMemory;
}

static void
destroy(struct ls_code *code)
{
    if (!code)
        return;
    if (code->module) {
        LS_CUDA_ENTER(code->c);

        LS_CU(cuModuleUnload, code->module);
    }
    free(code->written);
    free(code);
}

static hipError_t
make_code(struct ls_cuda *c, const struct ls_kernel_source *src, enum ls_log_level level,
          const char *text, uint32_t max_registers, struct ls_code **out)
{
    struct ls_code *code = calloc(1, sizeof(*code));
    hipError_t err;

    *out = NULL;
    if (!code)
        return hipErrorOutOfMemory;
    code->c = c;
    err = load_module(c, src, level, text, max_registers, &code->module);
    if (err == hipSuccess)
        err = look_into(code, src, level, text);
    if (err == hipSuccess)
        *out = code;
    else
        destroy(code);
    return err;
}

/* Whether the driver has moved to memory what would not go into the registers that the text wishes
 * for, which has no such memory otherwise. */
static bool
overflows(const struct ls_code *code, const char *text)
{
    int local = 0;

    return strstr(text, LS_CUDA_WISH) &&
           LS_CU(cuFuncGetAttribute, &local, LS_CU_FUNCTION_LOCAL_BYTES, code->function) ==
               LS_CU_SUCCESS &&
           local > 0;
}

/* The text without its wish; NULL: no memory. */
static char *
without_wish(const char *text)
{
    char *plain = strdup(text), *wish = plain ? strstr(plain, LS_CUDA_WISH) : NULL;

    if (wish)
        memset(wish, ' ', sizeof(LS_CUDA_WISH) - 2); /* the line's end stays */
    return plain;
}

/* Code as the driver likes it best. */
static hipError_t
make_freely(struct ls_cuda *c, const struct ls_kernel_source *src, enum ls_log_level level,
            const char *text, struct ls_code **out)
{
    hipError_t err = make_code(c, src, level, text, 0, out);
    char *plain;

    if (err != hipSuccess || !overflows(*out, text))
        return err;
    destroy(*out);
    *out = NULL;
    plain = without_wish(text);
    err = plain ? make_code(c, src, level, plain, 0, out) : hipErrorOutOfMemory;
    free(plain);
    return err;
}

/* Code that runs blocks of so many threads: where the driver took more registers than they have
 * between them, it has to do with fewer. */
static hipError_t
make_fitting(struct ls_cuda *c, const struct ls_kernel_source *src, enum ls_log_level level,
             const char *text, uint32_t n_threads, struct ls_code **out)
{
    uint32_t warps = (n_threads + 31) / 32 * 32, registers = c->registers / warps / 8 * 8;
    hipError_t err = make_freely(c, src, level, text, out);

    if (err != hipSuccess || (*out)->max_threads >= n_threads)
        return err;
    destroy(*out);
    err =
        make_code(c, src, level, text, registers < MAX_REGISTERS ? registers : MAX_REGISTERS, out);
    if (err != hipSuccess || (*out)->max_threads >= n_threads)
        return err;
    ls_log(level, "kernel %s: blocks of %u threads, and its code runs in blocks of %u",
           src->display_name, n_threads, (*out)->max_threads);
    destroy(*out);
    *out = NULL;
    return hipErrorLaunchOutOfResources;
}

/* Kernels with functions of their own need more stack than the driver gives a thread, and nobody
 * would notice where it ends. */
static void
make_stack(const char *text)
{
    size_t bytes = 0;

    if (!strstr(text, "\n.func") || !ls_cu.cuCtxGetLimit || !ls_cu.cuCtxSetLimit)
        return;
    if (LS_CU(cuCtxGetLimit, &bytes, LS_CU_LIMIT_STACK) == LS_CU_SUCCESS && bytes < STACK_BYTES)
        LS_CU(cuCtxSetLimit, LS_CU_LIMIT_STACK, STACK_BYTES);
}

static bool
prints(const char *text)
{
    return strstr(text, " vprintf") != NULL;
}

/* The driver keeps what kernels print in a ring, in which the latest replaces the oldest. Its size
 * can be set until one of them has run. */
static void
make_ring(const char *text)
{
    size_t bytes = 0;

    if (!prints(text) || !ls_cu.cuCtxGetLimit || !ls_cu.cuCtxSetLimit)
        return;
    if (LS_CU(cuCtxGetLimit, &bytes, LS_CU_LIMIT_PRINTF_FIFO) == LS_CU_SUCCESS &&
        bytes < RING_BYTES)
        LS_CU(cuCtxSetLimit, LS_CU_LIMIT_PRINTF_FIFO, RING_BYTES);
}

bool
ls_cuda_prints(const struct ls_work_kernel *k)
{
    return k->code->prints;
}

/* `shape`: that the text is for. Threads that translate the same text at the same time keep the
 * first result. */
static hipError_t
load(struct ls_cuda *c, struct ls_kernel_source *src, enum ls_log_level level,
     enum ls_cuda_shape shape, const char *text, uint32_t n_threads, struct ls_code **out)
{
    struct ls_code *made = NULL;
    hipError_t err;
    LS_CUDA_ENTER(c);

    pthread_mutex_lock(&load_lock);
    make_stack(text);
    make_ring(text);
    pthread_mutex_unlock(&load_lock);
    err = make_fitting(c, src, level, text, n_threads, &made);
    if (err != hipSuccess)
        return err;
    pthread_mutex_lock(&load_lock);
    *out = find_code(c, src, shape, n_threads);
    if (!*out) {
        made->prints = prints(text);
        atomic_store(&made->shapes, 1u << shape);
        made->next = atomic_load(&source_of(src)->codes);
        atomic_store_explicit(&source_of(src)->codes, made,
                              memory_order_release); /* publishes what it holds */
        *out = made;
        made = NULL;
    }
    pthread_mutex_unlock(&load_lock);
    destroy(made);
    return err;
}

/* Asks for text, and loads what it gets. */
static hipError_t
make(struct ls_cuda *c, struct ls_kernel_source *src, enum ls_cuda_shape wanted, uint32_t n_threads,
     enum ls_log_level level, struct ls_code **out)
{
    enum ls_cuda_shape shape = wanted;
    char *text = NULL;
    size_t bytes = 0;
    hipError_t err = ls_cuda_find_text(c->capability, src, level, &shape, &text, &bytes);

    if (err != hipSuccess)
        return err;
    err = load(c, src, level, shape, text, n_threads, out);
    free(text);
    if (err == hipSuccess)
        atomic_fetch_or(&(*out)->shapes, 1u << wanted); /* there is none better */
    return err;
}

/* Of a kernel that has none yet. `level`: of what is said when there is none. That there is none is
 * remembered if it was said to all. */
static hipError_t
make_code_of(struct ls_cuda *c, struct ls_kernel_source *src, enum ls_cuda_shape shape,
             uint32_t n_threads, enum ls_log_level level, struct ls_code **out)
{
    uint32_t bit = 1u << c->dev->part;
    struct source *s = source_of(src);
    hipError_t err;
    LS_UNCANCELLED();

    if (atomic_load(&s->refused) & bit)
        return (hipError_t)atomic_load(&s->why);
    err = make(c, src, shape, n_threads, level, out);
    if (err != hipSuccess && err != hipErrorOutOfMemory && err != hipErrorLaunchOutOfResources &&
        level == LS_LOG_ERROR) {
        atomic_store(&s->why, (int)err);
        atomic_fetch_or(&s->refused, bit);
    }
    return err;
}

static hipError_t
get_code(struct ls_cuda *c, struct ls_kernel_source *src, enum ls_cuda_shape shape,
         uint32_t n_threads, enum ls_log_level level, struct ls_code **out)
{
    *out = find_code(c, src, shape, n_threads);
    return *out ? hipSuccess : make_code_of(c, src, shape, n_threads, level, out);
}

hipError_t
ls_cuda_get_code(struct ls_device *dev, struct ls_kernel_source *src, const uint32_t block[3],
                 uint64_t distinct, struct ls_code **out)
{
    (void)distinct;
    return get_code(ls_cuda_of(dev), src, ls_cuda_shape_of(block), block[0] * block[1] * block[2],
                    LS_LOG_ERROR, out);
}

/* Kernels that several threads load. */
struct loading {
    struct ls_cuda *c;
    struct ls_kernel_source *const *sources;
    enum ls_cuda_shape shape;
    uint32_t n;
    atomic_uint next;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    unsigned n_helpers; /* guarded by lock */
};

static void
load_one(struct loading *l, uint32_t i)
{
    struct ls_code *code;

    if (get_code(l->c, l->sources[i], l->shape, l->shape == LS_CUDA_ALL ? 1 : 32, LS_LOG_INFO,
                 &code) == hipSuccess)
        ls_log(LS_LOG_TRACE, "kernel %s is loaded with its module", l->sources[i]->display_name);
}

static void
load_some(struct loading *l)
{
    for (uint32_t i; (i = atomic_fetch_add(&l->next, 1)) < l->n;)
        load_one(l, i);
}

static void *
help_to_load(void *arg)
{
    struct loading *l = arg;

    load_some(l);
    pthread_mutex_lock(&l->lock);
    if (--l->n_helpers == 0)
        pthread_cond_signal(&l->ended);
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* Code that the driver has in its cache is there sooner than a thread. */
static void
load_known(struct loading *l)
{
    uint64_t from = ls_now_ns();

    while (atomic_load(&l->next) < l->n && ls_now_ns() - from < LONG_NS) {
        from = ls_now_ns();
        load_one(l, atomic_fetch_add(&l->next, 1));
    }
}

static void
load_all(struct loading *l)
{
    load_known(l);
    if (atomic_load(&l->next) >= l->n)
        return;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->ended, NULL);
    pthread_mutex_lock(&l->lock);
    while (l->n_helpers + 1 < l->n && l->n_helpers + 1 < LOADERS) {
        if (!ls_thread_start(help_to_load, l))
            break;
        l->n_helpers++;
    }
    pthread_mutex_unlock(&l->lock);
    load_some(l);
    pthread_mutex_lock(&l->lock);
    while (l->n_helpers > 0)
        pthread_cond_wait(&l->ended, &l->lock);
    pthread_mutex_unlock(&l->lock);
    pthread_cond_destroy(&l->ended);
    pthread_mutex_destroy(&l->lock);
}

uint32_t
ls_cuda_shape_class(const uint32_t block[3])
{
    return ls_cuda_shape_of(block) != LS_CUDA_ALL;
}

/* Translating and loading code waits for what runs, which may wait for a kernel that comes then:
 * the kernels of a module are loaded together, as the driver does with its programs. Not of a large
 * one, of which most are never used. */
bool
ls_cuda_prepare(struct ls_device *dev, struct ls_kernel_source *const *sources, uint32_t n,
                const uint32_t block[3], bool early)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    enum ls_cuda_shape shape = ls_cuda_shape_of(block);
    struct loading l = {.c = c, .sources = sources, .shape = shape, .n = n};
    uint64_t bytes = 0;
    uint32_t n_made = 0;
    LS_UNCANCELLED();

    for (uint32_t i = 0; i < n; i++) {
        const struct ls_lsao_object *o =
            ls_cuda_find_object(sources[i]->aot, sources[i]->name, c->capability, shape);

        bytes += o ? o->elf_bytes : 0;
        n_made += o != NULL;
    }
    if (early && n_made < n)
        return false;
    if (bytes > FEW_BYTES || (n_made < n && n > FEW_KERNELS)) {
        ls_log(LS_LOG_INFO, "a module of %u kernels: each is loaded when it is launched", n);
        return true;
    }
    load_all(&l);
    return true;
}

void
ls_cuda_release_kernel(struct ls_device *dev, struct ls_kernel_source *src)
{
    struct ls_code *code = atomic_exchange(&source_of(src)->codes, NULL);

    (void)dev;
    while (code) {
        struct ls_code *next = code->next;

        destroy(code);
        code = next;
    }
}

/* c->lock held: lets the kernel have so much shared memory. */
static int
allow_shared(struct ls_code *code, uint32_t bytes)
{
    int result;

    if (bytes <= code->shared_bytes)
        return LS_CU_SUCCESS;
    result = LS_CU(cuFuncSetAttribute, code->function, LS_CU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES,
                   (int)bytes);
    if (result == LS_CU_SUCCESS)
        code->shared_bytes = bytes;
    return result;
}

static uint32_t
round_lds(uint32_t bytes)
{
    return (bytes + LS_CUDA_LDS_ALIGN - 1) / LS_CUDA_LDS_ALIGN * LS_CUDA_LDS_ALIGN;
}

uint32_t
ls_cuda_max_resident_blocks(struct ls_device *dev, struct ls_kernel_source *src, uint32_t n_threads,
                            uint64_t lds_bytes)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    struct ls_code *code;
    int n = 0, result;
    LS_CUDA_ENTER(c);

    if (n_threads == 0 || lds_bytes > UINT32_MAX / 2 ||
        ls_cuda_get_code(dev, src, (const uint32_t[]){n_threads, 1, 1}, 0, &code) != hipSuccess)
        return 0;
    pthread_mutex_lock(&c->lock);
    result = allow_shared(code, round_lds((uint32_t)lds_bytes));
    if (result == LS_CU_SUCCESS)
        result = LS_CU(cuOccupancyMaxActiveBlocksPerMultiprocessor, &n, code->function,
                       (int)n_threads, round_lds((uint32_t)lds_bytes));
    pthread_mutex_unlock(&c->lock);
    return result == LS_CU_SUCCESS && n > 0 ? (uint32_t)n : 0;
}

bool
ls_cuda_reads_globals(const struct ls_work_kernel *k)
{
    return k->code->n_globals > 0;
}

/* The addresses of a module's variables hardly ever change while its code is loaded. */
int
ls_cuda_write_globals(const struct ls_work_kernel *k)
{
    struct ls_code *code = k->code;
    void *const *globals = k->globals;
    size_t bytes = code->n_globals * sizeof(*code->written);
    struct ls_cuda *c = code->c;
    int result = LS_CU_SUCCESS;

    if (!bytes || (code->is_written && memcmp(code->written, globals, bytes) == 0))
        return result;
    if (code->is_written) /* launches that have the old ones */
        result = ls_cu_check("cuCtxSynchronize", ls_cu.cuCtxSynchronize());
    memcpy(code->written, globals, bytes);
    if (result == LS_CU_SUCCESS)
        result = LS_CU(cuMemcpyAsync, code->globals, ls_cuda_address(code->written), bytes,
                       ls_cuda_side(c, LS_CUDA_NOW));
    if (result == LS_CU_SUCCESS)
        result = LS_CU(cuStreamSynchronize, ls_cuda_side(c, LS_CUDA_NOW));
    code->is_written = result == LS_CU_SUCCESS;
    return result;
}

int
ls_cuda_launch_with(struct ls_cuda *c, const struct ls_work_kernel *k, void **args,
                    struct ls_cu_stream *stream)
{
    struct ls_code *code = k->code;
    uint32_t shared = round_lds(k->source->lds_bytes) + k->dyn_lds_bytes;
    int result = ls_cuda_write_globals(k);

    if (code->c != c) { /* a graph of another device's */
        ls_log(LS_LOG_ERROR, "kernel %s: its graph was made for another device",
               k->source->display_name);
        return LS_CU_INVALID_HANDLE;
    }
    if (result == LS_CU_SUCCESS)
        result = allow_shared(code, shared);
    if (result == LS_CU_SUCCESS && k->cooperative)
        result = LS_CU(cuLaunchCooperativeKernel, code->function, k->grid[0], k->grid[1],
                       k->grid[2], k->block[0], k->block[1], k->block[2], shared, stream, args);
    else if (result == LS_CU_SUCCESS)
        result = LS_CU(cuLaunchKernel, code->function, k->grid[0], k->grid[1], k->grid[2],
                       k->block[0], k->block[1], k->block[2], shared, stream, args, NULL);
    return result;
}

int
ls_cuda_launch(struct ls_cuda *c, const struct ls_work_kernel *k, struct ls_cu_stream *stream)
{
    void *few[USUAL_ARGS], **list = few;
    int result;

    if (k->source->n_args > USUAL_ARGS && !(list = malloc(k->source->n_args * sizeof(*list))))
        return LS_CU_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < k->source->n_args; i++)
        list[i] = (char *)(uintptr_t)k->kernarg + k->source->args[i].offset;
    result = ls_cuda_launch_with(c, k, list, stream);
    if (list != few)
        free(list);
    return result;
}
