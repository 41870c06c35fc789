/* SPDX-License-Identifier: MIT */
/* hipcc: compiles and links HIP programs with stock clang; the order of the steps. */
#include "hipcc_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* CMake reads where HIP lies from this line, which clang prints for an installation of AMD's. */
static int
ask_clang(const struct ls_plan *plan, const struct ls_strv *words)
{
    struct ls_strv argv = {0};

    if (plan->as_clang && plan->verbose)
        fprintf(stderr, "Found HIP installation: %s, version %s\n", ls_install.root,
                LS_HIP_VERSION_STRING);
    ls_strv_push(&argv, ls_install.clang);
    ls_strv_append(&argv, words);
    return ls_run(&argv);
}

static int
show_version(const struct ls_plan *plan)
{
    struct ls_strv words = {0};

    if (!plan->as_clang)
        puts("HIP version: " LS_HIP_VERSION_STRING);
    fflush(stdout);
    ls_strv_push(&words, "--version");
    return ask_clang(plan, &words);
}

static int
show_help(void)
{
    fputs("usage: hipcc [options] files\n"
          "\n"
          "Compiles HIP sources (.hip .cpp .cc .cxx .cu), C (.c), assembly and objects with stock "
          "clang 19 and\n"
          "links them with Lockstep's runtime. clang's options are understood; among them and "
          "besides:\n"
          "\n"
          "  -c, -S, -E, -M, -MM, -fsyntax-only   stop after that step\n"
          "  -o FILE                              where the result goes\n"
          "  -x hip | c++ | c | none              language of the files that follow\n"
          "  -O0 .. -O3                           optimisation; -O3 when none is given, as AMD's "
          "hipcc\n"
          "  --offload-arch=gfx1100[,gfx90a]      targets: the identity that devices take, and a "
          "code object for\n"
          "                                       AMD hardware; " LS_HIPCC_DEFAULT_ARCH
          " without code object when not given\n"
          "  --offload-arch=x86-64-v2|v3|v4|native  also store code for these CPUs ahead of time "
          "(sse4, avx2,\n"
          "                                       avx512: the same by LOCKSTEP_ISA's names)\n"
          "  --offload-host-only, --offload-device-only   one pass alone\n"
          "  --genco                              device code alone, for hipModuleLoad\n"
          "  -fgpu-rdc                            device functions may live in several files\n"
          "  --offload-compress                   a compressed bundle (zstd); "
          "--offload-compression-level=N\n"
          "  --cuda                               .cu files are CUDA, nvcc's options are "
          "understood; so by\n"
          "                                       the name nvcc\n"
          "  -parallel-jobs=N                     compile N files at a time\n"
          "  -save-temps[=cwd|obj]                keep what lies between the steps\n"
          "  -v, -###                             show the commands; -### runs none\n"
          "  --version, --help\n"
          "  @FILE                                options from a file\n"
          "\n"
          "Environment: HIPCC_COMPILE_FLAGS_APPEND, HIPCC_LINK_FLAGS_APPEND, HIPCC_VERBOSE (1: "
          "commands,\n"
          "2: paths, 4: arguments), HIP_CLANG_PATH, HCC_AMDGPU_TARGET, TMPDIR. "
          "HIP_PLATFORM=nvidia:\n"
          "nvcc of CUDA_PATH compiles.\n",
          stdout);
    return 0;
}

static void
apply_verbose_env(struct ls_plan *plan, int argc, char **argv)
{
    const char *value = getenv("HIPCC_VERBOSE");
    int bits = value ? atoi(value) : 0;

    if (bits & 2)
        fprintf(stderr, "HIP_PATH=%s\nHIP_PLATFORM=amd\nHIP_COMPILER=clang\nHIP_CLANG_PATH=%s\n",
                ls_install.root, ls_install.clang);
    if (bits & 4) {
        fputs("hipcc-args:", stderr);
        for (int i = 1; i < argc; i++)
            fprintf(stderr, " %s", argv[i]);
        fputc('\n', stderr);
    }
    if (bits & 1)
        plan->verbose = true;
}

/* NULL = clang's choice (standard output for -E and -M). */
static char *
output_of(const struct ls_plan *plan, const struct ls_input *input)
{
    char *stem = ls_path_stem(input->path);

    switch (plan->mode) {
    case LS_MODE_LINK: return ls_temp_path(ls_hipcc_format("%s.o", stem));
    case LS_MODE_OBJECT:
        if (plan->output)
            return ls_hipcc_format("%s", plan->output);
        return ls_hipcc_format("%s.%s", stem, plan->emit_llvm ? "bc" : "o");
    case LS_MODE_ASSEMBLY:
        if (plan->output)
            return ls_hipcc_format("%s", plan->output);
        if (plan->host_text)
            return ls_hipcc_format("%s.cpp.ii", ls_path_base(input->path));
        return ls_hipcc_format("%s.%s", stem, plan->emit_llvm ? "ll" : "s");
    default: return plan->output ? ls_hipcc_format("%s", plan->output) : NULL;
    }
}

/* The assembly text of the host's pass, with the code for devices in it, becomes a source of C++
 * that any compiler of the host makes an object of. */
static bool
wrap_text(const char *path)
{
    static const char before[] = "asm(R\"lockstep(", after[] = ")lockstep\");\n";
    struct ls_buf text = {0}, all = {0};
    bool ok = ls_buf_read(&text, path);

    if (ok) {
        ls_buf_add(&all, before, strlen(before));
        ls_buf_add(&all, text.data, text.n);
        ls_buf_add(&all, after, strlen(after));
        ok = ls_file_write(path, all.data, all.n);
    }
    free(text.data);
    free(all.data);
    if (!ok)
        ls_say_error("cannot write %s", path);
    return ok;
}

static int
compile_one(const struct ls_plan *plan, const struct ls_input *input, const char *output)
{
    int result;

    if (plan->genco || plan->passes == LS_PASSES_DEVICE)
        return ls_compile_device(plan, input, plan->output);
    result = ls_compile_source(plan, input, output);
    if (!result && plan->host_text && input->cuda && !plan->dry_run && !wrap_text(output))
        return 1;
    return result;
}

/* -parallel-jobs: each source in a process of its own, at most n_jobs at a time. The first failure
 * counts. */
static int
compile_in_parallel(const struct ls_plan *plan, char **outputs)
{
    unsigned n_running = 0;
    int result = 0;

    for (size_t i = 0; i < plan->n_inputs || n_running;) {
        if (i < plan->n_inputs && plan->inputs[i].kind == LS_INPUT_LINKER) {
            i++;
        } else if (i < plan->n_inputs && n_running < plan->n_jobs) {
            pid_t pid = fork();

            if (pid == 0) {
                ls_proc_forked();
                int status = compile_one(plan, &plan->inputs[i], outputs[i]);

                ls_temp_cleanup();
                fflush(NULL);
                _exit(status);
            }
            if (pid < 0)
                return 1;
            ls_child_adopt(pid);
            n_running++;
            i++;
        } else {
            int status;
            pid_t pid = wait(&status);

            if (pid < 0)
                break;
            ls_child_forget(pid);
            n_running--;
            if (status && !result)
                result = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        }
    }
    return result;
}

/* Every source is tried, as clang does, so that one run shows all errors. */
static int
compile_all(const struct ls_plan *plan, char **outputs)
{
    int result = 0;

    for (size_t i = 0; i < plan->n_inputs; i++) {
        if (plan->inputs[i].kind == LS_INPUT_LINKER) {
            if (plan->mode != LS_MODE_LINK)
                ls_say_warning("%s: linker input unused", plan->inputs[i].path);
            continue;
        }
        outputs[i] = output_of(plan, &plan->inputs[i]);
    }
    if (plan->n_jobs > 1)
        return compile_in_parallel(plan, outputs);
    for (size_t i = 0; i < plan->n_inputs; i++)
        if (plan->inputs[i].kind != LS_INPUT_LINKER) {
            int status = compile_one(plan, &plan->inputs[i], outputs[i]);

            result = result ? result : status;
        }
    return result;
}

/* Without files: whether the linker is asked something, as Meson asks which one it is. */
static bool
asks_linker(const struct ls_strv *args)
{
    for (size_t i = 0; i < args->n; i++)
        if (!strncmp(args->v[i], "-Wl,", 4) || !strcmp(args->v[i], "-Xlinker"))
            return true;
    return false;
}

static int
drive(struct ls_plan *plan)
{
    char **outputs = ls_hipcc_alloc((plan->n_inputs + 1) * sizeof(*outputs));
    int status;

    if (plan->show_help)
        return show_help();
    if (plan->show_version)
        return show_version(plan);
    if (!plan->n_inputs && (plan->is_query || plan->verbose || asks_linker(&plan->query)))
        return ask_clang(plan, &plan->query);
    if (plan->is_query)
        return ask_clang(plan, &plan->query);
    if (!plan->n_inputs) {
        ls_say_error("no input files");
        return 1;
    }
    status = compile_all(plan, outputs);
    if (status || plan->mode != LS_MODE_LINK || plan->genco || plan->passes == LS_PASSES_DEVICE)
        return status;
    return ls_link(plan, outputs);
}

int
main(int argc, char **argv)
{
    struct ls_plan plan;

    if (ls_platform_is_nvidia() && !strcmp(ls_path_base(argv[0]), "hipcc"))
        return ls_install_find_root() ? ls_nvidia_main(argc, argv) : 1;
    if (!ls_install_find() || !ls_plan_parse(&plan, argc, argv))
        return 1;
    apply_verbose_env(&plan, argc, argv);
    ls_proc_init(plan.dry_run);
    int status = drive(&plan);
    ls_temp_cleanup();
    return status;
}
