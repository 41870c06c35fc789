/* SPDX-License-Identifier: MIT */
/* One HIP source: a device pass for each target beside the host pass. The host pass reads the fat
 * binary from a pipe only after it has parsed the source, so the passes run at the same time. */
#include "hipcc_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/compiler.h"
#include "ptx.h"

enum stage { STAGE_WAITING = 0, STAGE_FRONT, STAGE_CODE, STAGE_LINK, STAGE_DONE, STAGE_FAILED };

/* The work for one --offload-arch of one source. */
struct device_job {
    struct ls_image image;
    struct ls_child child;
    struct ls_child nvidia; /* the front once more, with the library for NVIDIA's GPUs */
    struct ls_buf messages;
    enum stage stage;
    char *bitcode_path, *nvidia_path, *object_path, *code_path;
};

struct unit {
    const struct ls_plan *plan;
    const struct ls_input *input;
    const char *output;
    char *source;            /* the input, or a copy of standard input */
    char *overlay;           /* of ls_launch_overlay, or NULL */
    char *cuid;
    struct device_job *jobs;
    size_t n_jobs;
    struct ls_child host;
    struct ls_buf fatbin;
    bool host_started, failed;
};

/* ---- options of the passes ---- */

static void
add_color(struct ls_strv *argv)
{
    if (isatty(2))
        ls_strv_push(argv, "-fcolor-diagnostics");
}

void
ls_host_options(const struct ls_plan *plan, bool cuda, struct ls_strv *argv)
{
    ls_strv_push(argv, ls_install.clang);
    add_color(argv);
    if (cuda)
        ls_cuda_include(argv);
    ls_strv_push(argv, "-isystem");
    ls_strv_push(argv, ls_install.include_dir);
    if (!plan->defines_platform)
        ls_strv_push(argv, "-D__HIP_PLATFORM_AMD__=1");
}

unsigned
ls_arch_warp_size(const struct ls_plan *plan, const char *arch)
{
    bool rdna = ls_starts_with(arch, "gfx10") || ls_starts_with(arch, "gfx11") ||
                ls_starts_with(arch, "gfx12");

    return rdna && !plan->wave64 ? 32 : 64;
}

/* Adds, behind all others, the folder with headers that old examples include without a folder, and
 * with an empty cuda.h. A configure script that asks whether there is a cuda.h means CUDA, so it
 * does not get this folder. */
static void
add_bare_headers(const char *source, struct ls_strv *argv)
{
    static const char *const checks[] = {"/CMakeScratch/", "/CMakeTmp/", "/meson-private/"};

    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        if (strstr(source, checks[i]))
            return;
    if (ls_starts_with(ls_path_base(source), "conftest."))
        return;
    ls_strv_push(argv, "-idirafter");
    ls_strv_pushf(argv, "%s/hip/detail/bare", ls_install.include_dir);
}

/* What both passes get: HIP with our headers, clang's own device math, and none of its search for
 * ROCm. */
static void
pass_options(const struct unit *unit, const char *which, const char *arch, struct ls_strv *argv)
{
    ls_host_options(unit->plan, unit->input->cuda, argv);
    ls_strv_pushf(argv, "--offload-%s-only", which);
    ls_strv_pushf(argv, "--offload-arch=%s", arch);
    ls_strv_push(argv, "-nogpulib");
    ls_strv_push(argv, "-nogpuinc");
    ls_strv_push(argv, "-isystem");
    ls_strv_pushf(argv, "%s/include/cuda_wrappers", ls_install.resource_dir);
    if (!unit->input->cuda)
        add_bare_headers(unit->input->path, argv);
    if (!unit->plan->no_wrapper || unit->input->cuda) {
        ls_strv_push(argv, "-include");
        ls_strv_push(argv, "__clang_hip_runtime_wrapper.h");
    }
    ls_strv_pushf(argv, "-cuid=%s", unit->cuid);
    ls_strv_push(argv, "-Xclang"); /* once more for clang itself, as its driver drops the option
                                      when it runs the host pass alone */
    ls_strv_pushf(argv, "-cuid=%s", unit->cuid);
    if (unit->input->cuda)
        ls_cuda_options(unit->plan, !strcmp(which, "device"), argv);
    if (unit->overlay) {
        ls_strv_push(argv, "-ivfsoverlay");
        ls_strv_push(argv, unit->overlay);
    }
    ls_strv_push(argv, "-Wno-unused-command-line-argument");
    ls_strv_push(argv, "-Wno-register"); /* HIP allows and ignores the keyword */
    if (unit->plan->rdc)
        ls_strv_push(argv, "-fgpu-rdc");
}

static void
add_source(const struct unit *unit, struct ls_strv *argv)
{
    ls_strv_push(argv, "-x");
    ls_strv_push(argv, "hip");
    ls_strv_push(argv, unit->source);
}

/* Whether debuggers shall see source variables. That works in unoptimised device code, where they
 * lie in memory. */
static bool
debugs_variables(const struct ls_plan *plan)
{
    return plan->has_debug && (plan->opt_level == 0 || plan->opt_debug);
}

static void
device_options(const struct unit *unit, const char *arch, enum ls_device_code code,
               struct ls_strv *argv)
{
    pass_options(unit, "device", arch, argv);
    ls_strv_push(argv, "-gline-tables-only"); /* diagnostics and fault reports name source lines */
    ls_strv_append(argv, &unit->plan->device);
    ls_strv_push(argv, "-fno-vectorize"); /* must stand behind -O3, which switches it on */
    ls_strv_push(argv, "-fno-slp-vectorize");
    if (debugs_variables(unit->plan)) {
        ls_strv_push(argv, "-O0"); /* -Og means -O0 for device code */
        ls_strv_push(argv, "-Xclang");
        ls_strv_push(argv, "-dwarf-debug-flags");
        ls_strv_push(argv, "-Xclang");
        ls_strv_push(argv, LS_DEBUG_VARIABLES);
    }
    if (unit->plan->opt_level == 0 ||
        unit->plan->opt_debug) { /* optnone would keep the kernel compiler from optimising, too */
        ls_strv_push(argv, "-Xclang");
        ls_strv_push(argv, "-disable-O0-optnone");
    }
    if (code == LS_DEVICE_CODE_NVIDIA) {
        ls_strv_push(argv, "-D__LS_NVIDIA__=1");
        ls_strv_push(argv, "-mllvm"); /* loops with branches are no shorter unrolled there */
        ls_strv_push(argv, "-amdgpu-unroll-threshold-if=0");
    }
    /* src/devlib/math.c */
    ls_strv_push(argv, "-D__ocml_pow_f32=__ls_pow_f32");
    ls_strv_push(argv, "-D__ocml_pow_f64=__ls_pow_f64");
    ls_strv_push(argv, "-D__ocml_pown_f32=__ls_pown_f32");
    ls_strv_push(argv, "-D__ocml_pown_f64=__ls_pown_f64");
    ls_device_libraries(unit->plan, arch, code, argv);
}

/* The host pass follows the first target: libraries choose launch sizes by these macros. */
static void
host_options(const struct unit *unit, struct ls_strv *argv)
{
    const char *arch = unit->plan->archs.v[0];
    unsigned warp_size = ls_arch_warp_size(unit->plan, arch);

    pass_options(unit, "host", arch, argv);
    ls_strv_push(
        argv,
        "-Wno-option-ignored"); /* clang would warn that it ignores -fsanitize for the device */
    ls_strv_push(argv, "-U__AMDGCN_WAVEFRONT_SIZE");
    ls_strv_push(argv, "-U__AMDGCN_WAVEFRONT_SIZE__");
    ls_strv_pushf(argv, "-D__AMDGCN_WAVEFRONT_SIZE=%u", warp_size);
    ls_strv_pushf(argv, "-D__AMDGCN_WAVEFRONT_SIZE__=%u", warp_size);
    ls_strv_pushf(argv, "-D__amdgcn_processor__=\"%.*s\"", (int)strcspn(arch, ":"), arch);
    ls_strv_pushf(argv, "-D__amdgcn_target_id__=\"%s\"", arch);
    ls_strv_append(argv, &unit->plan->host);
}

static void
add_mode(const struct ls_plan *plan, struct ls_strv *argv)
{
    switch (plan->mode) {
    case LS_MODE_ASSEMBLY: ls_strv_push(argv, "-S"); break;
    case LS_MODE_PREPROCESS: ls_strv_push(argv, "-E"); break;
    case LS_MODE_SYNTAX: ls_strv_push(argv, "-fsyntax-only"); break;
    case LS_MODE_DEPS: break; /* -M and -MM are in plan->deps already */
    default: ls_strv_push(argv, "-c"); break;
    }
    if (plan->emit_llvm)
        ls_strv_push(argv, "-emit-llvm");
}

static void
add_output(const char *output, struct ls_strv *argv)
{
    if (output) {
        ls_strv_push(argv, "-o");
        ls_strv_push(argv, output);
    }
}

/* Where clang alone would write dependencies: beside the output; in a link the output is a
 * temporary. */
static void
add_deps(const struct ls_plan *plan, const struct ls_input *input, struct ls_strv *argv)
{
    ls_strv_append(argv, &plan->deps);
    if (plan->dep_file) {
        ls_strv_push(argv, "-MF");
        ls_strv_push(argv, plan->dep_file);
    } else if (plan->wants_deps && plan->mode == LS_MODE_LINK) {
        const char *name = plan->output ? plan->output : input->path;
        char *stem = ls_path_stem(name);
        int folder = plan->output ? (int)(ls_path_base(name) - name) : 0;

        ls_strv_push(argv, "-MF");
        ls_strv_pushf(argv, "%.*s%s.d", folder, name, stem);
        free(stem);
    }
    if (plan->wants_deps && !plan->dep_target && plan->mode == LS_MODE_LINK) {
        char *stem = ls_path_stem(input->path);

        ls_strv_push(argv, "-MT");
        ls_strv_pushf(argv, plan->output ? "%s" : "%s.o", plan->output ? plan->output : stem);
        free(stem);
    }
}

/* ---- device jobs ---- */

static void
show(const struct ls_plan *plan, const struct ls_strv *argv)
{
    if (plan->verbose || plan->dry_run)
        ls_command_print(argv);
}

/* Starts a job's next process. */
static bool
start(const struct unit *unit, struct device_job *job, const struct ls_strv *argv)
{
    show(unit->plan, argv);
    return unit->plan->dry_run || ls_child_start(&job->child, argv, LS_CHILD_CAPTURE);
}

/* What is shown or kept is as the user would write it. */
static void
precompiled(const struct unit *unit, struct ls_strv *argv)
{
    if (!unit->plan->dry_run && !unit->plan->save_temps && !unit->overlay)
        ls_pch_use(unit->source, argv);
}

/* CUDA's inline assembly is PTX: the pass gets text in which that is C++. NULL: there is none, or
 * the preprocessor failed, whose messages the pass will print as well. */
static char *
without_ptx(const struct unit *unit, const char *arch, enum ls_device_code code)
{
    struct ls_strv argv = {0};
    struct ls_buf text = {0}, changed = {0};
    struct ls_child child;
    char *path = NULL;

    if (!unit->input->cuda || unit->plan->dry_run ||
        !ls_asm_is_used(&unit->plan->device, unit->source))
        return NULL;
    char *whole = ls_temp_path("device.ii");
    device_options(unit, arch, code, &argv);
    ls_strv_push(&argv, "-include");
    ls_strv_push(&argv, "lockstep/cuda/ptx.h");
    ls_strv_push(&argv, "-E");
    add_output(whole, &argv);
    add_source(unit, &argv);
    if (ls_child_start(&child, &argv, LS_CHILD_CAPTURE)) {
        struct ls_child *children[] = {&child};

        while (child.running && ls_children_step(children, 1))
            ;
        if (!child.status && ls_buf_read(&text, whole)) {
            ls_asm_rewrite(&text, &changed);
            path = ls_temp_path("device-cxx.ii");
            if (!ls_file_write(path, changed.data, changed.n))
                path = NULL;
        }
        free(text.data);
        free(changed.data);
    }
    return path;
}

/* The source of a device pass, or what without_ptx made of it, which wants no macro and no header
 * any more. Clang's own language for such text would ask for a bundle of both passes. */
static void
add_device_source(const struct unit *unit, const char *changed, struct ls_strv *argv)
{
    struct ls_strv rest = {0};

    if (!changed) {
        add_source(unit, argv);
        return;
    }
    for (size_t i = 0; i < argv->n; i++) {
        const char *word = argv->v[i];

        if (!strcmp(word, "-include") || !strcmp(word, "-D") || !strcmp(word, "-U"))
            i++;
        else if (!ls_starts_with(word, "-D") && !ls_starts_with(word, "-U"))
            ls_strv_push(&rest, word);
    }
    *argv = rest;
    ls_strv_push(argv, "-x");
    ls_strv_push(argv, "hip");
    ls_strv_push(argv, changed);
}

static char *
front_command(const struct unit *unit, const struct device_job *job, enum ls_device_code code,
              struct ls_strv *argv)
{
    char *stem = ls_path_stem(unit->input->path);
    char *name = ls_hipcc_format("%s-%s%s.bc", stem, job->image.arch,
                                 code == LS_DEVICE_CODE_NVIDIA ? "-nvidia" : "");
    char *path = ls_temp_path(name);

    free(name);
    free(stem);
    char *changed = without_ptx(unit, job->image.arch, code);

    device_options(unit, job->image.arch, code, argv);
    if (!changed)
        precompiled(unit, argv);
    if (unit->plan->mode == LS_MODE_SYNTAX) {
        ls_strv_push(argv, "-fsyntax-only");
    } else {
        ls_strv_push(argv, "-emit-llvm");
        ls_strv_push(argv, "-c");
        add_output(path, argv);
    }
    add_device_source(unit, changed, argv);
    return path;
}

/* Where code for NVIDIA's GPUs is wanted, a second front makes the bitcode for it meanwhile. */
static bool
start_front(struct unit *unit, struct device_job *job)
{
    struct ls_strv argv = {0}, nvidia = {0};

    job->bitcode_path = front_command(unit, job, LS_DEVICE_CODE_COMMON, &argv);
    job->stage = STAGE_FRONT;
    if (!start(unit, job, &argv))
        return false;
    if (!ls_wants_nvidia(unit->plan) || unit->plan->mode == LS_MODE_SYNTAX)
        return true;
    job->nvidia_path = front_command(unit, job, LS_DEVICE_CODE_NVIDIA, &nvidia);
    show(unit->plan, &nvidia);
    return unit->plan->dry_run || ls_child_start(&job->nvidia, &nvidia, LS_CHILD_CAPTURE);
}

static bool
start_codegen(struct unit *unit, struct device_job *job)
{
    struct ls_strv argv = {0};
    char *name = ls_hipcc_format("%s.o", job->image.arch);

    job->object_path = ls_temp_path(name);
    free(name);
    ls_codegen_command(unit->plan, job->image.arch, job->bitcode_path, job->object_path, &argv);
    job->messages = job->child.err;
    return start(unit, job, &argv);
}

static bool
start_codelink(struct unit *unit, struct device_job *job)
{
    struct ls_strv argv = {0};
    char *name = ls_hipcc_format("%s.co", job->image.arch);

    job->code_path = ls_temp_path(name);
    free(name);
    ls_codelink_command(unit->plan, job->image.arch, job->object_path, job->code_path, &argv);
    return start(unit, job, &argv);
}

static void
save_temp(const struct unit *unit, const char *arch, const char *ext, const struct ls_buf *data)
{
    const struct ls_plan *plan = unit->plan;
    char *stem = ls_path_stem(unit->input->path);
    const char *output = plan->output ? plan->output : "";
    int folder = !strcmp(plan->save_temps, "obj") ? (int)(ls_path_base(output) - output) : 0;
    char *path = arch ? ls_hipcc_format("%.*s%s-hip-amdgcn-amd-amdhsa-%s.%s", folder, output, stem,
                                        arch, ext)
                      : ls_hipcc_format("%.*s%s.%s", folder, output, stem, ext);

    if (!ls_file_write(path, data->data, data->n))
        ls_say_warning("cannot write '%s': %s", path, strerror(errno));
    free(path);
    free(stem);
}

static void
finish_front(struct unit *unit, struct device_job *job)
{
    const struct ls_plan *plan = unit->plan;
    bool code = plan->wants_code && !plan->rdc;

    job->stage = STAGE_FAILED;
    if (job->child.status) {
        job->messages = job->child.err;
        return;
    }
    if (plan->mode == LS_MODE_SYNTAX) {
        job->messages = job->child.err;
        job->stage = STAGE_DONE;
        return;
    }
    if (!ls_buf_read(&job->image.bitcode, job->bitcode_path)) {
        ls_say_error("cannot read '%s': %s", job->bitcode_path, strerror(errno));
        return;
    }
    if (plan->save_temps)
        save_temp(unit, job->image.arch, "bc", &job->image.bitcode);
    if (job->nvidia_path) { /* if it failed where the other did not, code is made of the other */
        if (!job->nvidia.status && !ls_buf_read(&job->image.nvidia, job->nvidia_path)) {
            ls_say_error("cannot read '%s': %s", job->nvidia_path, strerror(errno));
            return;
        }
        if (plan->save_temps)
            save_temp(unit, job->image.arch, "nvidia.bc", &job->image.nvidia);
    }
    job->messages = job->child.err;
    if (code && !start_codegen(unit, job))
        return;
    if (!plan->rdc && !ls_image_describe(plan, &job->image))
        unit->failed = true; /* goes on, as a child that makes the code object must be waited for */
    job->stage = code ? STAGE_CODE : STAGE_DONE;
}

/* Length of the first line. */
static size_t
first_line(const struct ls_buf *text)
{
    const char *end = text->n ? memchr(text->data, '\n', text->n) : NULL;

    return end ? (size_t)(end - text->data) : text->n;
}

/* What makes the code object has ended, or failed on the way. */
static void
finish_codelink(struct unit *unit, struct device_job *job)
{
    job->stage = STAGE_DONE;
    if (!job->child.status && ls_buf_read(&job->image.code, job->code_path)) {
        if (unit->plan->save_temps)
            save_temp(unit, job->image.arch, "out", &job->image.code);
        return;
    }
    job->image.code.n = 0;
    if (job->child.err.n && unit->plan->verbose)
        fwrite(job->child.err.data, 1, job->child.err.n, stderr);
    if (!unit->plan->archs_named && unit->plan->code_object == 0)
        return;
    ls_say_warning(
        "%s: no code object for %s hardware in this binary: clang could not generate it%s%.*s",
        unit->input->path, job->image.arch, job->child.err.n ? ": " : "",
        (int)first_line(&job->child.err), job->child.err.n ? job->child.err.data : "");
}

static void
finish_codegen(struct unit *unit, struct device_job *job)
{
    if (!job->child.status && start_codelink(unit, job))
        job->stage = STAGE_LINK;
    else
        finish_codelink(unit, job);
}

/* Starts as many waiting jobs as there are free processors, and does the next step of those whose
 * child has ended. */
static void
advance_jobs(struct unit *unit)
{
    long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t slots = n_cpus > 2 ? (size_t)n_cpus - 1 : 1, n_running = 0;

    for (size_t i = 0; i < unit->n_jobs; i++) {
        struct device_job *job = &unit->jobs[i];

        if (!job->child.running && !job->nvidia.running && job->stage == STAGE_FRONT)
            finish_front(unit, job);
        else if (!job->child.running && job->stage == STAGE_CODE)
            finish_codegen(unit, job);
        else if (!job->child.running && job->stage == STAGE_LINK)
            finish_codelink(unit, job);
        if (job->stage == STAGE_FAILED)
            unit->failed = true;
        n_running += (size_t)job->child.running + job->nvidia.running;
    }
    for (size_t i = 0; i < unit->n_jobs && n_running < slots; i++) {
        struct device_job *job = &unit->jobs[i];

        if (job->stage != STAGE_WAITING)
            continue;
        n_running += ls_wants_nvidia(unit->plan) ? 2 : 1;
        if (!start_front(unit, job)) {
            job->stage = STAGE_FAILED;
            unit->failed = true;
        }
    }
}

static bool
jobs_done(const struct unit *unit)
{
    for (size_t i = 0; i < unit->n_jobs; i++)
        if (unit->jobs[i].stage < STAGE_DONE)
            return false;
    return true;
}

/* ---- the host pass ---- */

static bool
start_host(struct unit *unit, const char *fatbin_path)
{
    const struct ls_plan *plan = unit->plan;
    struct ls_strv argv = {0};
    bool fed = !strcmp(fatbin_path, LS_CHILD_FEED_PATH);

    host_options(unit, &argv);
    precompiled(unit, &argv);
    add_deps(plan, unit->input, &argv);
    if (plan->save_temps)
        ls_strv_pushf(&argv, "-save-temps=%s", plan->save_temps);
    if (plan->mode != LS_MODE_SYNTAX && plan->rdc) {
        ls_strv_push(&argv, "-Xclang");
        ls_strv_pushf(&argv, "-fembed-offload-object=%s", fatbin_path);
    } else if (plan->mode != LS_MODE_SYNTAX) {
        ls_strv_push(&argv, "-Xclang");
        ls_strv_push(&argv, "-fcuda-include-gpubinary");
        ls_strv_push(&argv, "-Xclang");
        ls_strv_push(&argv, fatbin_path);
    }
    add_mode(plan, &argv);
    add_output(plan->mode == LS_MODE_SYNTAX ? NULL : unit->output, &argv);
    add_source(unit, &argv);
    show(plan, &argv);
    unit->host_started = true;
    return plan->dry_run ||
           ls_child_start(&unit->host, &argv, LS_CHILD_CAPTURE | (fed ? LS_CHILD_FEED : 0));
}

static void
build_fatbin(struct unit *unit)
{
    struct ls_image *images = ls_hipcc_alloc(unit->n_jobs * sizeof(*images));

    for (size_t i = 0; i < unit->n_jobs; i++)
        images[i] = unit->jobs[i].image;
    if (unit->plan->rdc)
        ls_rdc_wrap(unit->cuid, images, unit->n_jobs, &unit->fatbin);
    else
        ls_bundle_build(unit->plan, images, unit->n_jobs, &unit->fatbin);
    free(images);
}

/* ---- a unit ---- */

/* Both passes read the source: standard input must be kept for the second. */
static bool
keep_stdin(struct unit *unit)
{
    struct ls_buf text = {0};

    unit->source = ls_temp_path("stdin.hip");
    if (unit->plan->dry_run ||
        (ls_buf_read(&text, "/dev/stdin") && ls_file_write(unit->source, text.data, text.n)))
        return true;
    ls_say_error("cannot keep standard input: %s", strerror(errno));
    return false;
}

/* The id that clang puts into names that must be unique to a translation unit; the same in all its
 * passes. */
static char *
make_cuid(const struct ls_plan *plan, const char *path)
{
    char *full = realpath(path, NULL);
    const char *name = full ? full : path;
    uint64_t hash = ls_hash64(0, name, strlen(name));

    for (size_t i = 0; i < plan->query.n; i++)
        hash = ls_hash64(hash, plan->query.v[i], strlen(plan->query.v[i]) + 1);
    free(full);
    return plan->cuid ? ls_hipcc_format("%s", plan->cuid)
                      : ls_hipcc_format("%016llx", (unsigned long long)hash);
}

static bool
unit_init(struct unit *unit, const struct ls_plan *plan, const struct ls_input *input,
          const char *output, bool reads_twice)
{
    *unit = (struct unit){.plan = plan, .input = input, .output = output};
    unit->host.err_fd = unit->host.feed_fd = -1;
    unit->source = ls_hipcc_format("%s", input->path);
    unit->cuid = make_cuid(plan, input->path);
    if (!strcmp(input->path, "-") && reads_twice && !keep_stdin(unit))
        return false;
    if (input->cuda && !plan->dry_run)
        unit->overlay = ls_launch_overlay(&plan->device, unit->source);
    unit->n_jobs = plan->archs.n;
    unit->jobs = ls_hipcc_alloc(unit->n_jobs * sizeof(*unit->jobs));
    for (size_t i = 0; i < unit->n_jobs; i++)
        unit->jobs[i].image.arch = plan->archs.v[i];
    return true;
}

static void
print_messages(struct unit *unit)
{
    struct ls_buf *device = ls_hipcc_alloc(unit->n_jobs * sizeof(*device));

    for (size_t i = 0; i < unit->n_jobs; i++)
        device[i] = unit->jobs[i].messages;
    ls_messages_print(&unit->host.err, device, unit->n_jobs);
    free(device);
}

/* Runs the device jobs, and the host pass beside them if it has been started; feeds it when they
 * end. */
static void
run_children(struct unit *unit)
{
    struct ls_child **children = ls_hipcc_alloc((2 * unit->n_jobs + 1) * sizeof(*children));
    bool fed = !unit->host_started;

    children[0] = &unit->host;
    for (size_t i = 0; i < unit->n_jobs; i++) {
        children[2 * i + 1] = &unit->jobs[i].child;
        children[2 * i + 2] = &unit->jobs[i].nvidia;
    }
    advance_jobs(unit);
    if (unit->plan->mode != LS_MODE_SYNTAX && !unit->plan->rdc)
        unit->failed =
            !ls_lowering_open() || unit->failed; /* the library is loaded while clang works */
    do {
        advance_jobs(unit);
        if (!fed && jobs_done(unit)) {
            if (!unit->failed)
                build_fatbin(unit);
            ls_child_feed(&unit->host, unit->fatbin.data, unit->fatbin.n);
            fed = true;
        }
    } while (ls_children_step(children, 2 * unit->n_jobs + 1));
    free(children);
}

static bool
refused_precompiled(const struct unit *unit)
{
    bool refused = ls_pch_was_refused(&unit->host.err);

    for (size_t i = 0; i < unit->n_jobs; i++)
        refused |= ls_pch_was_refused(&unit->jobs[i].child.err) |
                   ls_pch_was_refused(&unit->jobs[i].messages) |
                   ls_pch_was_refused(&unit->jobs[i].nvidia.err);
    return refused;
}

/* All passes, and once more where one of the headers that were precompiled is no longer as it was.
 * False: a message was printed. */
static bool
run_passes(struct unit *unit, bool with_host)
{
    for (;;) {
        if (with_host && !start_host(unit, LS_CHILD_FEED_PATH))
            return false;
        run_children(unit);
        if (!refused_precompiled(unit))
            return true;
        for (size_t i = 0; i < unit->n_jobs; i++)
            unit->jobs[i] = (struct device_job){.image = {.arch = unit->plan->archs.v[i]}};
        unit->fatbin = (struct ls_buf){0};
        unit->failed = false;
    }
}

static int
print_dry_run(struct unit *unit)
{
    for (size_t i = 0; i < unit->n_jobs; i++) {
        start_front(unit, &unit->jobs[i]);
        if (unit->plan->wants_code && !unit->plan->rdc && unit->plan->mode != LS_MODE_SYNTAX) {
            start_codegen(unit, &unit->jobs[i]);
            start_codelink(unit, &unit->jobs[i]);
        }
    }
    return start_host(unit, LS_CHILD_FEED_PATH) ? 0 : 1;
}

static int
run_unit(struct unit *unit)
{
    int status = 0;

    if (unit->plan->dry_run)
        return print_dry_run(unit);
    if (unit->plan->save_temps && *ls_path_base(unit->input->path) == '-') {
        ls_say_error(
            "-save-temps: what clang keeps of '%s' would have names that it takes for options",
            unit->input->path);
        return 1;
    }
    if (!unit->plan->save_temps) {
        if (!run_passes(unit, true))
            return 1;
    } else { /* clang runs several steps of its own, which read the fat binary from a file */
        char *path = ls_temp_path("fatbin.hipfb");

        run_children(unit);
        if (!unit->failed) {
            struct ls_child *host = &unit->host;

            build_fatbin(unit);
            save_temp(unit, NULL, "hipfb", &unit->fatbin);
            if (!ls_file_write(path, unit->fatbin.data, unit->fatbin.n) || !start_host(unit, path))
                return 1;
            while (ls_children_step(&host, 1))
                ;
        }
    }
    print_messages(unit);
    for (size_t i = 0; i < unit->n_jobs; i++)
        if (!status && unit->jobs[i].stage == STAGE_FAILED)
            status = unit->jobs[i].child.status;
    if (unit->host_started && unit->host.status)
        status = unit->host.status;
    return status ? status : unit->failed;
}

static void
remove_output(const char *path)
{
    struct stat info;

    if (path && !stat(path, &info) && S_ISREG(info.st_mode))
        unlink(path);
}

/* One pass, clang's messages straight to the user: -E, -M, --offload-host-only, other languages. */
static int
run_single(const struct ls_plan *plan, struct ls_strv *argv)
{
    show(plan, argv);
    return plan->dry_run ? 0 : ls_run(argv);
}

static int
compile_plain(const struct ls_plan *plan, const struct ls_input *input, const char *output)
{
    struct ls_strv argv = {0};

    if (plan->as_clang)
        ls_strv_push(&argv, ls_install.clang);
    else
        ls_host_options(plan, plan->cuda, &argv);
    if (plan->cuda)
        ls_cuda_plain_options(plan, input, &argv);
    else
        ls_strv_append(&argv, &plan->host);
    ls_strv_push(&argv, "-Wno-unused-command-line-argument");
    add_deps(plan, input, &argv);
    if (plan->save_temps)
        ls_strv_pushf(&argv, "-save-temps=%s", plan->save_temps);
    add_mode(plan, &argv);
    add_output(output, &argv);
    if (input->lang) {
        ls_strv_push(&argv, "-x");
        ls_strv_push(&argv, input->lang);
    }
    ls_strv_push(&argv, input->path);
    return run_single(plan, &argv);
}

int
ls_compile_source(const struct ls_plan *plan, const struct ls_input *input, const char *output)
{
    struct unit unit;
    bool one_pass = plan->passes == LS_PASSES_HOST || plan->mode == LS_MODE_PREPROCESS ||
                    plan->mode == LS_MODE_DEPS;

    if (input->kind == LS_INPUT_PLAIN)
        return compile_plain(plan, input, output);
    if (!unit_init(&unit, plan, input, output, !one_pass))
        return 1;
    if (one_pass) {
        struct ls_strv argv = {0};

        host_options(&unit, &argv);
        add_deps(plan, input, &argv);
        add_mode(plan, &argv);
        add_output(output, &argv);
        add_source(&unit, &argv);
        return run_single(plan, &argv);
    }
    int status = run_unit(&unit);
    if (status && plan->mode != LS_MODE_SYNTAX && !plan->dry_run)
        remove_output(output);
    return status;
}

/* ---- device-only compilations ---- */

/* Text, bitcode or dependencies of each target, written by clang itself. */
static int
device_texts(struct unit *unit, const char *ext)
{
    const struct ls_plan *plan = unit->plan;
    int status = 0;

    if (unit->n_jobs > 1 && unit->output) {
        ls_say_error("cannot specify -o when generating multiple output files");
        return 1;
    }
    for (size_t i = 0; i < unit->n_jobs && !status; i++) {
        struct ls_strv argv = {0};
        const char *arch = unit->jobs[i].image.arch;
        char *stem = ls_path_stem(unit->input->path);

        device_options(unit, arch, LS_DEVICE_CODE_COMMON, &argv);
        ls_strv_append(&argv, &plan->deps);
        add_mode(plan, &argv);
        if (unit->output)
            add_output(unit->output, &argv);
        else if (ext)
            add_output(ls_hipcc_format("%s-hip-amdgcn-amd-amdhsa-%s.%s", stem, arch, ext), &argv);
        add_device_source(unit, ext ? without_ptx(unit, arch, LS_DEVICE_CODE_COMMON) : NULL,
                          &argv);
        status = run_single(plan, &argv);
        free(stem);
    }
    return status;
}

static int
write_device_output(struct unit *unit)
{
    const struct ls_plan *plan = unit->plan;
    const struct ls_buf *data = &unit->fatbin;
    char *stem = ls_path_stem(unit->input->path);
    const char *output =
        unit->output ? unit->output
        : plan->code_extension ? ls_hipcc_format("%s.%s", stem, plan->code_extension)
                               : ls_hipcc_format("%s-hip-amdgcn-amd-amdhsa.hipfb", stem);

    free(stem);
    if (plan->no_bundle && unit->n_jobs == 1 && unit->jobs[0].image.code.n)
        data = &unit->jobs[0].image.code;
    else
        build_fatbin(unit);
    if (ls_file_write(output, data->data, data->n))
        return 0;
    ls_say_error("cannot write '%s': %s", output, strerror(errno));
    return 1;
}

int
ls_compile_device(const struct ls_plan *plan, const struct ls_input *input, const char *output)
{
    struct unit unit;
    int status = 0;

    if (input->kind != LS_INPUT_HIP) {
        ls_say_error("'%s' is not a HIP source: it has no device code", input->path);
        return 1;
    }
    if (plan->rdc && !plan->emit_llvm) {
        ls_say_error("not supported yet: -fgpu-rdc with --genco or --offload-device-only");
        return 1;
    }
    if (!unit_init(&unit, plan, input, output, false))
        return 1;
    switch (plan->mode) {
    case LS_MODE_PREPROCESS:
    case LS_MODE_DEPS:
    case LS_MODE_SYNTAX: return device_texts(&unit, NULL);
    case LS_MODE_ASSEMBLY: return device_texts(&unit, plan->emit_llvm ? "ll" : "s");
    default:
        if (plan->emit_llvm)
            return device_texts(&unit, "bc");
    }
    if (plan->dry_run) {
        for (size_t i = 0; i < unit.n_jobs; i++)
            start_front(&unit, &unit.jobs[i]);
        return 0;
    }
    run_passes(&unit, false);
    print_messages(&unit);
    for (size_t i = 0; i < unit.n_jobs; i++)
        if (unit.jobs[i].stage == STAGE_FAILED)
            status = unit.jobs[i].child.status ? unit.jobs[i].child.status : 1;
    return status || unit.failed ? (status ? status : 1) : write_device_output(&unit);
}
