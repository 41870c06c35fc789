/* SPDX-License-Identifier: MIT */
/* Device bitcode -> what the fat binary holds, by the lowering library, which is opened when first
 * needed. */
#include "hipcc_priv.h"

#include "base/isa.h"
#include "base/lsbc.h"
#include "base/progress.h"
#include "compiler/compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The types of the library's functions are those of compiler.h. */
static struct {
    void *handle;
    __typeof__(ls_describe_bitcode) *describe;
    __typeof__(ls_link_bitcode) *link;
    __typeof__(ls_compile_kernel) *compile;
} lowering;

static void *
find_symbol(const char *name)
{
    void *symbol = dlsym(lowering.handle, name);

    if (!symbol)
        ls_say_error("%s has no %s: the installation is incomplete", LS_COMPILER_SONAME, name);
    return symbol;
}

bool
ls_lowering_open(void)
{
    if (lowering.handle)
        return lowering.describe && lowering.link && lowering.compile;
    char *path = ls_hipcc_format("%s/%s", ls_install.lib_dir, LS_COMPILER_SONAME);

    lowering.handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    free(path);
    if (!lowering.handle) {
        ls_say_error("cannot load the lowering library: %s", dlerror());
        return false;
    }
    *(void **)&lowering.describe = find_symbol("ls_describe_bitcode");
    *(void **)&lowering.link = find_symbol("ls_link_bitcode");
    *(void **)&lowering.compile = find_symbol("ls_compile_kernel");
    return lowering.describe && lowering.link && lowering.compile;
}

static void
print_diagnostic(void *user, enum ls_diag_level level, const char *message)
{
    static const char *const words[] = {
        [LS_DIAG_NOTE] = "note", [LS_DIAG_WARNING] = "warning", [LS_DIAG_ERROR] = "error"};

    (void)user;
    ls_say(level > LS_DIAG_NONE && level <= LS_DIAG_ERROR ? words[level] : "note", "%s", message);
}

/* Makes warnings of errors: code that cannot be made ahead of time is made when the program
 * runs. */
static void
print_ahead_diagnostic(void *user, enum ls_diag_level level, const char *message)
{
    (void)level;
    ls_say_warning("no code ahead of time for %s: %s", (const char *)user, message);
}

/* ---- ahead-of-time objects ---- */

/* The block shapes that code is made for: wide ones, which all others fit, and some that programs
 * often have whose rows are no whole warps. On other kinds of devices two each are worth it. */
enum { ON_CPU = 1, ELSEWHERE = 2, EVERYWHERE = 3 };
static const struct ahead_shape {
    uint32_t block[3];
    int line, plane; /* where: for kernels that do not ask for threadIdx.y, and that do */
} ahead_shapes[] = {
    {{0, 0, 0}, EVERYWHERE, EVERYWHERE},
    {{0, 1, 1}, EVERYWHERE, ON_CPU},
    {{0, 0, 1}, 0, EVERYWHERE},
    {{16, 16, 1}, 0, ON_CPU},
    {{8, 8, 1}, 0, ON_CPU},
};
#define N_AHEAD_SHAPES (sizeof(ahead_shapes) / sizeof(*ahead_shapes))

static bool
is_elsewhere(const char *level)
{
    return ls_isa_find(level)->needs & LS_CPU_ELSEWHERE;
}

bool
ls_wants_nvidia(const struct ls_plan *plan)
{
    for (size_t i = 0; i < plan->cpu_levels.n; i++)
        if (is_elsewhere(plan->cpu_levels.v[i]))
            return true;
    return false;
}

/* One object to be made, for a kernel, a level and a shape. */
struct ahead_object {
    const char *kernel, *level;
    const uint32_t *block;
    bool failed;
    struct ls_buf elf;
};

/* Whether the object is for the same code as another one, which failed for all shapes then. */
static bool
is_same_code(const struct ahead_object *a, const struct ahead_object *b)
{
    return a->kernel == b->kernel && a->level == b->level;
}

static bool
compile_object(const struct ls_plan *plan, const struct ls_image *image,
               const struct ahead_object *object, void **elf, size_t *bytes)
{
    const struct ls_buf *bitcode =
        is_elsewhere(object->level) && image->nvidia.n ? &image->nvidia : &image->bitcode;
    const uint32_t *block = object->block;
    struct ls_lsbc_header header;

    memcpy(&header, image->lsbc.data, sizeof(header));
    struct ls_compile_options options = {
        .kernel = object->kernel,
        .block = {block[0], block[1], block[2]},
        .warp_size = header.warp_size,
        .isa = object->level,
        .opt_level = plan->opt_level,
        .debug_info = plan->has_debug,
        .sink = print_ahead_diagnostic,
        .sink_user = (void *)(uintptr_t)object->kernel,
    };
    return lowering.compile(bitcode->data, bitcode->n, &options, elf, bytes);
}

/* In the child: for each object its size, 0 when it failed, and its bytes. */
_Noreturn static void
compile_and_leave(const struct ls_plan *plan, const struct ls_image *image,
                  const struct ahead_object *objects, size_t n, int fd)
{
    const struct ahead_object *failed = NULL;

    ls_proc_forked();
    for (size_t i = 0; i < n; i++) {
        void *elf = NULL;
        size_t bytes = 0;

        if ((!failed || !is_same_code(failed, &objects[i])) &&
            !compile_object(plan, image, &objects[i], &elf, &bytes)) {
            failed = &objects[i]; /* it was said why */
            bytes = 0;
        }
        if (!ls_file_put(fd, &bytes, sizeof(bytes)) || !ls_file_put(fd, elf, bytes))
            _exit(1);
        free(elf);
    }
    _exit(0);
}

/* False at the end of what the child writes. */
static bool
read_whole(int fd, void *to, size_t bytes)
{
    for (size_t got = 0; got < bytes;) {
        ssize_t n = read(fd, (char *)to + got, bytes - got);

        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        got += n > 0 ? (size_t)n : 0;
    }
    return true;
}

enum { MANY = 6 }; /* objects that a line on a terminal counts */

/* How many objects the child has told of. */
static size_t
read_objects(int fd, struct ahead_object *objects, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t bytes;

        if (n >= MANY)
            ls_progress_say("hipcc: code ahead of time [%zu/%zu] %s, %s", i + 1, n,
                            objects[i].kernel, objects[i].level);
        if (!read_whole(fd, &bytes, sizeof(bytes)))
            return i;
        objects[i].failed = bytes == 0;
        if (!read_whole(fd, ls_buf_grow(&objects[i].elf, bytes), bytes))
            return i;
    }
    return n;
}

/* Compiles in a process of its own: LLVM's fatal errors end that and not hipcc. The number of
 * objects that it was through with; the next one ended it. */
static size_t
compile_in_child(const struct ls_plan *plan, const struct ls_image *image,
                 struct ahead_object *objects, size_t n)
{
    size_t done;
    int ends[2], status = 0;
    pid_t pid;

    fflush(NULL);
    pid = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
    if (pid == 0)
        compile_and_leave(plan, image, objects, n, ends[1]);
    if (pid < 0) {
        ls_say_warning("no code ahead of time for %s: no process for it: %s", objects->kernel,
                       strerror(errno));
        return 0;
    }
    ls_child_adopt(pid);
    close(ends[1]);
    done = read_objects(ends[0], objects, n);
    ls_progress_clear();
    close(ends[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    ls_child_forget(pid);
    if (done < n && WIFSIGNALED(status))
        ls_say_warning("no code ahead of time for %s on %s: the compiler was ended by signal %d "
                       "(%s)",
                       objects[done].kernel, objects[done].level, WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    return done;
}

static void
compile_objects(const struct ls_plan *plan, const struct ls_image *image,
                struct ahead_object *objects, size_t n)
{
    for (size_t i = 0; i < n;) {
        const struct ahead_object *cause;

        i += compile_in_child(plan, image, objects + i, n - i);
        if (i == n)
            break;
        for (cause = &objects[i]; i < n && is_same_code(&objects[i], cause); i++)
            objects[i].failed = true;
    }
}

static void
pack_ahead(const struct ahead_object *objects, size_t n, struct ls_buf *out)
{
    struct ls_lsao_header header = {.magic = LS_LSAO_MAGIC,
                                    .version = LS_LSAO_VERSION,
                                    .n_objects = (uint32_t)n,
                                    .objects_off = sizeof(header)};
    struct ls_lsao_object *table = ls_hipcc_alloc((n + 1) * sizeof(*table));

    ls_buf_grow(out, sizeof(header) + n * sizeof(*table));
    for (size_t i = 0; i < n; i++) {
        table[i].name_off = out->n;
        ls_buf_add(out, objects[i].kernel, strlen(objects[i].kernel) + 1);
        table[i].isa_off = out->n;
        ls_buf_add(out, objects[i].level, strlen(objects[i].level) + 1);
        ls_buf_align(out, 64);
        table[i].elf_off = out->n;
        table[i].elf_bytes = objects[i].elf.n;
        memcpy(table[i].block, objects[i].block, sizeof(table[i].block));
        ls_buf_add(out, objects[i].elf.data, objects[i].elf.n);
    }
    header.image_bytes = out->n;
    memcpy(out->data, &header, sizeof(header));
    memcpy(out->data + sizeof(header), table, n * sizeof(*table));
    ls_lsao_seal(out->data);
    free(table);
}

/* Appends the objects of one kernel for one level. */
static size_t
list_shapes(const struct ls_lsbc_kernel *kernel, const char *name, const char *level,
            struct ahead_object *objects)
{
    int here = is_elsewhere(level) ? ELSEWHERE : ON_CPU;
    size_t n = 0;

    for (size_t s = 0; s < N_AHEAD_SHAPES; s++) {
        const uint32_t *block = ahead_shapes[s].block;
        bool is_plane = kernel->flags & LS_LSBC_KERNEL_ROWS;

        if (!((is_plane ? ahead_shapes[s].plane : ahead_shapes[s].line) & here) ||
            block[0] * block[1] * block[2] > kernel->max_threads)
            continue;
        objects[n++] = (struct ahead_object){.kernel = name, .level = level, .block = block};
    }
    return n;
}

static void
build_ahead(const struct ls_plan *plan, struct ls_image *image)
{
    struct ls_lsbc_header header;
    size_t n = 0, n_made = 0;

    memcpy(&header, image->lsbc.data, sizeof(header));
    struct ahead_object *objects = ls_hipcc_alloc(
        (header.n_kernels * plan->cpu_levels.n * N_AHEAD_SHAPES + 1) * sizeof(*objects));
    const struct ls_lsbc_kernel *kernels =
        (const struct ls_lsbc_kernel *)(const void *)(image->lsbc.data + header.kernels_off);

    for (size_t i = 0; i < plan->cpu_levels.n; i++)
        for (uint32_t k = 0; k < header.n_kernels; k++)
            n += list_shapes(&kernels[k], image->lsbc.data + kernels[k].name_off,
                             plan->cpu_levels.v[i], objects + n);
    compile_objects(plan, image, objects, n);
    for (size_t i = 0; i < n; i++)
        if (!objects[i].failed)
            objects[n_made++] = objects[i];
    if (n_made)
        pack_ahead(objects, n_made, &image->ahead);
    free(objects);
}

/* Whether two images have the same variables at the same numbers: the runtime knows those of the
 * first. */
static bool
has_same_variables(const char *a, const char *b)
{
    struct ls_lsbc_header x, y;
    struct ls_lsbc_global u, v;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    if (x.n_globals != y.n_globals || x.n_relocs != y.n_relocs)
        return false;
    for (uint32_t i = 0; i < x.n_globals; i++) {
        memcpy(&u, a + x.globals_off + i * sizeof(u), sizeof(u));
        memcpy(&v, b + y.globals_off + i * sizeof(v), sizeof(v));
        if (u.bytes != v.bytes || strcmp(a + u.name_off, b + v.name_off) != 0)
            return false;
    }
    return true;
}

/* Drops the bitcode for NVIDIA's GPUs if it numbers variables differently. */
static void
check_nvidia(const struct ls_plan *plan, struct ls_image *image)
{
    void *data = NULL;
    size_t n = 0;

    if (!image->nvidia.n)
        return;
    if (!lowering.describe(image->nvidia.data, image->nvidia.n, image->arch,
                           ls_arch_warp_size(plan, image->arch), print_diagnostic, NULL, &data,
                           &n) ||
        !has_same_variables(image->lsbc.data, data))
        image->nvidia.n = 0;
    free(data);
}

/* ---- functions for the other files ---- */

bool
ls_image_describe(const struct ls_plan *plan, struct ls_image *image)
{
    void *data = NULL;
    size_t n = 0;

    if (!ls_lowering_open() ||
        !lowering.describe(image->bitcode.data, image->bitcode.n, image->arch,
                           ls_arch_warp_size(plan, image->arch), print_diagnostic, NULL, &data, &n))
        return false;
    ls_buf_add(&image->lsbc, data, n);
    free(data);
    check_nvidia(plan, image);
    if (plan->cpu_levels.n)
        build_ahead(plan, image);
    return true;
}

bool
ls_image_link(const struct ls_buf *bitcode, size_t n, struct ls_buf *out)
{
    const void **data = ls_hipcc_alloc(n * sizeof(*data));
    size_t *n_bytes = ls_hipcc_alloc(n * sizeof(*n_bytes));
    void *linked = NULL;
    size_t n_linked = 0;

    for (size_t i = 0; i < n; i++) {
        data[i] = bitcode[i].data;
        n_bytes[i] = bitcode[i].n;
    }
    bool ok = ls_lowering_open() &&
              lowering.link(data, n_bytes, n, print_diagnostic, NULL, &linked, &n_linked);
    if (ok)
        ls_buf_add(out, linked, n_linked);
    free(linked);
    free(data);
    free(n_bytes);
    return ok;
}
