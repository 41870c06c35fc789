/* SPDX-License-Identifier: MIT */
/* A program -> hipcc -> bitcode -> names and image. The same program makes the same bytes in every
 * process, as the code cache knows kernels by the hash of their bitcode: no path of the temporary
 * folder may get into them. */
#include "hiprtc/rtc_priv.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

#include "base/env.h"
#include "base/file.h"
#include "base/sha256.h"
#include "compiler/door.h"

#define MARKER "__ls_rtc_name_"
#define INPUT  "/dev/fd/0"
/* So deep that "../" in the names of headers stays inside of the private folder. */
#define HEADERS_DIR "i/i/i/i/i/i/i/i"

struct job {
    hiprtcProgram prog;
    char folder[PATH_MAX];
    struct ls_rtc_args language; /* options that the precompiled header depends on */
    struct ls_rtc_args other;
    bool rdc, no_header, wants_stdint;
    bool prints;  /* -mllvm -print-...: what LLVM prints belongs to stderr, as in-process compilers
                     have it */
    bool refused; /* an option, and the log says which */
};

static void
job_fini(struct job *job)
{
    if (job->folder[0])
        ls_rtc_temp_remove(job->folder);
    ls_rtc_args_fini(&job->language);
    ls_rtc_args_fini(&job->other);
}

static bool
starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* ---- options ---- */

/* Whether our headers could look at this macro. */
static bool
is_header_macro(const char *definition)
{
    return definition[0] == '_' || starts_with(definition, "HIP") ||
           starts_with(definition, "LS_") || starts_with(definition, "CUDA") ||
           starts_with(definition, "NDEBUG") || starts_with(definition, "assert");
}

/* Options that change nothing in the precompiled header; *n of them belong together. */
static bool
is_other(const char *const *options, size_t left, size_t *n)
{
    static const char *const with_value[] = {"-I",       "-D",      "-include",
                                             "-isystem", "-iquote", "-idirafter"};
    const char *option = options[0];

    for (size_t i = 0; i < sizeof(with_value) / sizeof(with_value[0]); i++)
        if (strcmp(option, with_value[i]) == 0) {
            *n = left > 1 ? 2 : 1;
            return strcmp(option, "-D") != 0 || (left > 1 && !is_header_macro(options[1]));
        }
    *n = 1;
    if (starts_with(option, "-D"))
        return !is_header_macro(option + 2);
    return starts_with(option, "-I") || starts_with(option, "-W") || strcmp(option, "-w") == 0 ||
           starts_with(option, "-ferror-limit");
}

/* Divides the options into kinds. False: no architecture is named among them. */
static bool
sort_options(struct job *job, const char *const *options, size_t n_options)
{
    static const char cuda_style[] = "--gpu-architecture=";
    bool has_arch = false;
    size_t n;

    for (size_t i = 0; i < n_options; i += n) {
        struct ls_rtc_args *to =
            is_other(options + i, n_options - i, &n) ? &job->other : &job->language;

        if (ls_rtc_refuses(options[i])) {
            ls_rtc_addf(&job->prog->log,
                        "error: '%s' has the compiler run other code: LOCKSTEP_HIPRTC_PLUGINS=1 "
                        "allows it\n",
                        options[i]);
            job->refused = true;
        }
        if (strcmp(options[i], "-hip-pch") == 0)
            continue;
        if (strcmp(options[i], "--hiprtc-no-builtin-header") == 0) {
            job->no_header = true;
            continue;
        }
        if (starts_with(options[i], cuda_style)) {
            ls_rtc_arg(to, "--offload-arch=%s", options[i] + strlen(cuda_style));
            has_arch = true;
            continue;
        }
        if (starts_with(options[i], "--offload-arch") ||
            starts_with(options[i], "--cuda-gpu-arch="))
            has_arch = true;
        if (starts_with(options[i], "-print-"))
            job->prints = true;
        if (strcmp(options[i], "-fgpu-rdc") == 0)
            job->rdc = true;
        for (size_t k = 0; k < n; k++)
            ls_rtc_arg(to, "%s", options[i + k]);
    }
    return has_arch;
}

bool
ls_rtc_device_arch(char *arch, size_t bytes)
{
    hipError_t (*get_device)(int *);
    hipError_t (*get_properties)(hipDeviceProp_t *, int);
    void *handle = dlopen("libamdhip64.so.6", RTLD_LAZY | RTLD_LOCAL);
    hipDeviceProp_t *prop;
    bool ok = false;
    int device;

    if (!handle)
        return false;
    *(void **)&get_device = dlsym(handle, "hipGetDevice");
    *(void **)&get_properties = dlsym(handle, "hipGetDevicePropertiesR0600");
    prop = malloc(sizeof(*prop));
    if (prop && get_device && get_properties && get_device(&device) == hipSuccess &&
        get_properties(prop, device) == hipSuccess)
        ok = (size_t)snprintf(arch, bytes, "%s", prop->gcnArchName) < bytes;
    free(prop);
    return ok; /* the library is not closed, as its threads may be running */
}

static bool
set_options(struct job *job, const char *const *options, size_t n_options)
{
    const char *more =
        ls_env_get("HIPRTC_COMPILE_OPTIONS_APPEND"); /* AMD's hiprtc has the same variable */
    char *words = more ? strdup(more) : NULL, *rest = NULL, arch[256];
    bool has_arch;

    ls_rtc_arg(&job->language, "--offload-device-only");
    ls_rtc_arg(&job->language, "-O3");
    ls_rtc_arg(&job->language, "-std=c++14");
    has_arch = sort_options(job, options, n_options);
    for (const char *word = words ? strtok_r(words, " \t\n", &rest) : NULL; word;
         word = strtok_r(NULL, " \t\n", &rest))
        has_arch = sort_options(job, &word, 1) || has_arch;
    free(words);
    if (!has_arch && ls_rtc_device_arch(arch, sizeof(arch)))
        ls_rtc_arg(&job->language, "--offload-arch=%s", arch);
    /* clang's own wrapper header reads no hip_version.h for hiprtc. */
    ls_rtc_arg(&job->language, "-DHIP_VERSION_MAJOR=%d", HIP_VERSION_MAJOR);
    ls_rtc_arg(&job->language, "-DHIP_VERSION_MINOR=%d", HIP_VERSION_MINOR);
    ls_rtc_arg(&job->language, "-DHIP_VERSION_PATCH=%d", HIP_VERSION_PATCH);
    if (!job->no_header)
        ls_rtc_arg(&job->language, "-D__HIPCC_RTC__=1");
    ls_rtc_arg(&job->other, "-Wno-gnu-line-marker");
    ls_rtc_arg(&job->other, "-Wno-missing-prototypes");
    return !job->language.failed && !job->other.failed;
}

/* ---- files ---- */

static void
add_line_marker(struct ls_rtc_buf *text, const char *name)
{
    ls_rtc_addf(text, "#line 1 \"");
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            ls_rtc_add(text, "\\", 1);
        if (*name != '\n')
            ls_rtc_add(text, name, 1);
    }
    ls_rtc_addf(text, "\"\n");
}

/* A variable that points to what the expression names: instantiates templates and leaves the name
 * in the IR. */
static void
add_marker(struct ls_rtc_buf *text, const char *expression, size_t i)
{
    const char *sign = expression[0] == '&' || expression[0] == '(' ? "" : "&";

    ls_rtc_addf(text, "\n");
    add_line_marker(text, expression);
    ls_rtc_addf(text,
                "extern \"C\" __attribute__((device)) const void *" MARKER
                "%zu = (const void *)%s%s;\n",
                i, sign, expression);
}

static bool
write_source(struct job *job, const char *path)
{
    struct ls_rtc_buf text = {0};
    bool ok;

    add_line_marker(&text, job->prog->name);
    ls_rtc_add(&text, job->prog->source, strlen(job->prog->source));
    for (size_t i = 0; i < job->prog->n_names; i++)
        add_marker(&text, job->prog->names[i].expression, i);
    ls_rtc_addf(&text, "\n");
    ok = !text.failed && ls_file_write(path, text.data, text.n);
    ls_rtc_buf_fini(&text);
    return ok;
}

/* Makes every folder in front of the last '/' behind the first `from` characters. */
static void
make_folders(char *path, size_t from)
{
    for (char *p = path + from; (p = strchr(p, '/')) != NULL; p++) {
        *p = 0;
        mkdir(path, 0700);
        *p = '/';
    }
}

static bool
write_headers(struct job *job)
{
    char path[PATH_MAX];
    size_t from = strlen(job->folder) + 1;

    for (size_t i = 0; i < job->prog->n_headers; i++) {
        const struct ls_rtc_header *header = &job->prog->headers[i];

        if (snprintf(path, sizeof(path), "%s/" HEADERS_DIR "/%s", job->folder, header->name) >=
            PATH_MAX)
            return false;
        make_folders(path, from);
        if (!ls_file_write(path, header->text, strlen(header->text)))
            return false;
    }
    return true;
}

/* The id of the translation unit, a hash of program and options: names of static kernels contain
 * it, and must not differ from process to process. */
static void
unit_id(const struct job *job, char hex[65])
{
    struct ls_sha256 sha;
    unsigned char digest[32];

    ls_sha256_init(&sha);
    ls_sha256_add(&sha, job->prog->source, strlen(job->prog->source));
    for (size_t i = 0; i < job->language.n; i++)
        ls_sha256_add(&sha, job->language.v[i], strlen(job->language.v[i]) + 1);
    for (size_t i = 0; i < job->other.n; i++)
        ls_sha256_add(&sha, job->other.v[i], strlen(job->other.v[i]) + 1);
    ls_sha256_final(&sha, digest);
    ls_sha256_hex(digest, hex);
    hex[16] = 0;
}

/* ---- the compiler ---- */

static void
add_all(struct ls_rtc_args *args, const struct ls_rtc_args *more)
{
    for (size_t i = 0; i < more->n; i++)
        ls_rtc_arg(args, "%s", more->v[i]);
}

static int
run_hipcc(struct job *job, const char *hipcc, const char *pch, const char *source,
          const char *output, struct ls_rtc_buf *log)
{
    struct ls_rtc_args args = {0};
    char id[65];
    int status;

    unit_id(job, id);
    ls_rtc_arg(&args, "%s", hipcc);
    add_all(&args, &job->language);
    if (pch) {
        ls_rtc_arg(&args, "-Xclang");
        ls_rtc_arg(&args, "-include-pch");
        ls_rtc_arg(&args, "-Xclang");
        ls_rtc_arg(&args, "%s", pch);
    } else if (!job->no_header) {
        ls_rtc_arg(&args, "-include");
        ls_rtc_arg(&args, "hip/detail/rtc_runtime.h");
    }
    if (job->wants_stdint) {
        ls_rtc_arg(&args, "-include");
        ls_rtc_arg(&args, "hip/detail/rtc_stdint.h");
    }
    if (job->prog->n_headers)
        ls_rtc_arg(&args, "-I%s/" HEADERS_DIR, job->folder);
    add_all(&args, &job->other);
    ls_rtc_arg(&args, "-ffile-prefix-map=%s/" HEADERS_DIR "/=", job->folder);
    ls_rtc_arg(&args, "-cuid=%s", id);
    ls_rtc_arg(&args, "-emit-llvm");
    ls_rtc_arg(&args, "-c");
    ls_rtc_arg(&args, "-o");
    ls_rtc_arg(&args, "%s", output);
    ls_rtc_arg(&args, "-x");
    ls_rtc_arg(&args, "hip");
    ls_rtc_arg(&args, INPUT);
    status = ls_rtc_run(&args, source, output, log);
    ls_rtc_args_fini(&args);
    return status;
}

/* Headers in memory are called by the user's names. */
static void
hide_folder(const struct job *job, struct ls_rtc_buf *log)
{
    char folder[PATH_MAX + 32];
    size_t n = (size_t)snprintf(folder, sizeof(folder), "%s/" HEADERS_DIR "/", job->folder);
    char *at = log->data;

    while (at && (at = strstr(at, folder)) != NULL) {
        memmove(at, at + n, log->n - (size_t)(at - log->data) - n + 1);
        log->n -= n;
    }
}

/* Whether the program uses int64_t or uint64_t and has none. */
static bool
lacks_stdint(const char *log)
{
    static const char *const names[] = {"'int64_t'", "'uint64_t'"};
    static const char *const complaints[] = {"unknown type name ", "undeclared identifier ",
                                             "no type named ", "no member named "};

    for (size_t i = 0; i < 2; i++)
        for (const char *at = log; (at = strstr(at, names[i])) != NULL; at++)
            for (size_t k = 0; k < 4; k++) {
                size_t n = strlen(complaints[k]);
                if ((size_t)(at - log) >= n && !memcmp(at - n, complaints[k], n))
                    return true;
            }
    return false;
}

static bool
front_end(struct job *job)
{
    struct ls_rtc_buf *log = &job->prog->log;
    char hipcc[PATH_MAX], pch[PATH_MAX], source[PATH_MAX + 16], output[PATH_MAX + 16];
    int status;

    snprintf(source, sizeof(source), "%s/source.hip", job->folder);
    snprintf(output, sizeof(output), "%s/output.bc", job->folder);
    if (!ls_rtc_hipcc(hipcc) || !write_source(job, source) || !write_headers(job)) {
        ls_rtc_addf(log, "error: cannot write the program to %s\n", job->folder);
        return false;
    }
    bool precompiled =
        !job->no_header && ls_rtc_pch_find(hipcc, job->language.v, job->language.n, pch);
    status = run_hipcc(job, hipcc, precompiled ? pch : NULL, source, output, log);
    if (status && precompiled && log->n && strstr(log->data, pch)) {
        unlink(pch); /* clang refuses the precompiled header: it is deleted, and made anew the next
                        time */
        precompiled = false;
        ls_rtc_buf_fini(log);
        status = run_hipcc(job, hipcc, NULL, source, output, log);
    }
    if (status && !job->no_header && log->n && lacks_stdint(log->data)) {
        job->wants_stdint = true;
        ls_rtc_buf_fini(log);
        status = run_hipcc(job, hipcc, precompiled ? pch : NULL, source, output, log);
    }
    hide_folder(job, log);
    if (status == 0 && job->prints && log->n) {
        fputs(log->data, stderr);
        ls_rtc_buf_fini(log);
    }
    return status == 0 && ls_rtc_read_file(output, &job->prog->bitcode);
}

/* The last architecture that is named; NULL: none is. */
static const char *
named_arch(const struct ls_rtc_args *args)
{
    static const char *const spellings[] = {"--offload-arch", "--cuda-gpu-arch"};
    const char *arch = NULL;

    for (size_t i = 0; i < args->n; i++)
        for (size_t k = 0; k < sizeof(spellings) / sizeof(*spellings); k++) {
            const char *rest;

            if (!starts_with(args->v[i], spellings[k]))
                continue;
            rest = args->v[i] + strlen(spellings[k]);
            if (*rest == '=')
                arch = rest + 1;
            else if (*rest == 0 && i + 1 < args->n)
                arch = args->v[i + 1];
        }
    return arch;
}

static bool
compile(struct job *job)
{
    hiprtcProgram prog = job->prog;

    ls_door_prepare(); /* the compiler's child opens LLVM while clang runs */
    if (!front_end(job))
        return false;
    if (prog->n_names &&
        !ls_rtc_take_names(&prog->bitcode, MARKER, prog->names, prog->n_names, &prog->log))
        return false;
    if (job->rdc)
        return true;
    return ls_rtc_describe(&prog->bitcode, named_arch(&job->language), &prog->code, &prog->log);
}

hiprtcResult
ls_rtc_compile(hiprtcProgram prog, int n_options, const char **options)
{
    struct job job = {.prog = prog};
    bool ok;

    ls_rtc_buf_fini(&prog->log);
    ls_rtc_buf_fini(&prog->code);
    ls_rtc_buf_fini(&prog->bitcode);
    prog->compiled = false;
    ok = set_options(&job, options, (size_t)n_options);
    if (job.refused) {
        job_fini(&job);
        return HIPRTC_ERROR_INVALID_OPTION;
    }
    if (!ok || !ls_rtc_temp_create(job.folder)) {
        ls_rtc_addf(&prog->log, "error: cannot write to %s\n", job.folder);
        job.folder[0] = 0;
        job_fini(&job);
        return HIPRTC_ERROR_INTERNAL_ERROR;
    }
    ok = compile(&job);
    if (!ok || !job.rdc)
        ls_rtc_buf_fini(&prog->bitcode);
    prog->compiled = ok;
    job_fini(&job);
    return ok ? HIPRTC_SUCCESS : HIPRTC_ERROR_COMPILATION;
}
