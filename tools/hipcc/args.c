/* SPDX-License-Identifier: MIT */
/* Arguments -> plan: which options each of clang's passes and the link get, and in which order. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/isa.h"

/* -Xarch_gfx90a -O1: the option's name swallowed the target as a joined value; its word is the next
 * one. */
static bool
next_xarch(const struct ls_strv *args, size_t *at, struct arg *arg)
{
    if (arg->n_words == 2)
        return true;
    if (*at >= args->n) {
        ls_say_error("argument to '%s' is missing (expected 1 value)", arg->words[0]);
        return false;
    }
    arg->words[1] = args->v[*at];
    arg->n_words = 2;
    *at += 1;
    return true;
}

/* ---- what the options do ---- */

static void
add_words(struct ls_strv *list, const struct arg *arg)
{
    for (int i = 0; i < arg->n_words; i++)
        ls_strv_push(list, arg->words[i]);
}

static void
add_link_item(struct ls_plan *plan, struct ls_link_item item)
{
    if (plan->n_link % 64 == 0) {
        struct ls_link_item *grown = ls_hipcc_alloc((plan->n_link + 64) * sizeof(*grown));

        if (plan->n_link)
            memcpy(grown, plan->link, plan->n_link * sizeof(*grown));
        free(plan->link);
        plan->link = grown;
    }
    plan->link[plan->n_link++] = item;
}

static void
route_words(struct ls_plan *plan, const struct arg *arg, unsigned route)
{
    if (route & HOST)
        add_words(&plan->host, arg);
    if (route & DEVICE)
        add_words(&plan->device, arg);
    if (route & LINK)
        for (int i = 0; i < arg->n_words; i++)
            add_link_item(plan, (struct ls_link_item){.option = arg->words[i]});
}

/* The architecture that devices answer as here, where the environment says which. */
static void
add_native_arch(struct ls_plan *plan)
{
    const char *arch = getenv("LOCKSTEP_ARCH");

    if (arch && ls_starts_with(arch, "gfx") && !ls_strv_has(&plan->archs, arch))
        ls_strv_push(&plan->archs, arch);
}

/* "gfx90a,gfx1100", "x86-64-v3", "avx2", "native" */
static bool
add_archs(struct ls_plan *plan, const char *list)
{
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",;");
        char *arch = ls_hipcc_format("%.*s", (int)n, at);

        if (!strcmp(arch, "native") || ls_starts_with(arch, "x86-64") || ls_isa_find(arch)) {
            char names[256];
            const struct ls_isa *isa =
                !strcmp(arch, "native") ? ls_isa_best(ls_cpu_features()) : ls_isa_find(arch);

            if (!isa) {
                ls_say_error("unknown target '%s': native, %s", arch,
                             ls_isa_names(names, sizeof(names)));
                return false;
            }
            if (!ls_strv_has(&plan->cpu_levels, isa->level))
                ls_strv_push(&plan->cpu_levels, isa->level);
            if (!strcmp(arch, "native"))
                add_native_arch(plan);
        } else if (ls_starts_with(arch, "gfx")) {
            if (!ls_strv_has(&plan->archs, arch))
                ls_strv_push(&plan->archs, arch);
            plan->archs_named = true;
        } else if (n) {
            ls_say_error("unsupported HIP gpu architecture: '%s'", arch);
            return false;
        }
        at += n + (at[n] != '\0');
    }
    return true;
}

static void
remove_archs(struct ls_plan *plan, const char *name)
{
    size_t kept = 0;

    for (size_t i = 0; i < plan->archs.n; i++)
        if (strcmp(name, "all") && strcmp(name, plan->archs.v[i]))
            plan->archs.v[kept++] = plan->archs.v[i];
    plan->archs.n = kept;
    plan->archs_named = kept > 0;
}

static void
set_mode(struct ls_plan *plan, enum ls_mode mode)
{
    if (mode > plan->mode) /* as clang: -E wins over -S, which wins over -c */
        plan->mode = mode;
}

/* -Wp,-MD,file and -Wp,-MMD,file; other -Wp,-M options go to the host pass as they are. */
static void
add_wp_deps(struct ls_plan *plan, const struct arg *arg)
{
    const char *text = arg->words[0] + strlen("-Wp,");
    const char *comma = strchr(text, ',');

    if (!comma || (strncmp(text, "-MD,", 4) && strncmp(text, "-MMD,", 5))) {
        add_words(&plan->deps, arg);
        return;
    }
    ls_strv_pushf(&plan->deps, "%.*s", (int)(comma - text), text);
    plan->dep_file = comma + 1;
    plan->wants_deps = true;
}

static void
set_opt_level(struct ls_plan *plan, const char *value)
{
    plan->opt_debug = !strcmp(value, "g");
    if (!strcmp(value, "fast"))
        plan->fast_math = true;
    if (!*value)
        plan->opt_level = 1;
    else if (isdigit((unsigned char)*value))
        plan->opt_level = *value > '3' ? 3 : *value - '0';
    else if (!strcmp(value, "fast"))
        plan->opt_level = 3;
    else
        plan->opt_level = *value == 'g' ? 1 : 2;
}

static bool
is_ignored(const char *text)
{
    const struct option *option = ls_option_find(text);

    return option && option->route == IGNORED && option->form == FLAG;
}

/* zstd's levels; zlib's end at 9. */
static bool
set_compression_level(struct ls_plan *plan, const struct arg *arg)
{
    char *end;
    long level = strtol(arg->value, &end, 10);

    if (!*arg->value || *end || level < 0 || level > 22) {
        ls_say_error("invalid integral value '%s' in '%s': 0 to 22", arg->value, arg->words[0]);
        return false;
    }
    plan->compression_level = (int)level;
    return true;
}

static bool
act(struct ls_plan *plan, const struct arg *arg, const char **lang)
{
    switch (arg->option->route) {
    case OBJECT: set_mode(plan, LS_MODE_OBJECT); break;
    case ASSEMBLY: set_mode(plan, LS_MODE_ASSEMBLY); break;
    case PREPROCESS: set_mode(plan, LS_MODE_PREPROCESS); break;
    case DEPS_ONLY:
        set_mode(plan, LS_MODE_DEPS);
        add_words(&plan->deps, arg);
        break;
    case SYNTAX: set_mode(plan, LS_MODE_SYNTAX); break;
    case EMIT_LLVM: plan->emit_llvm = true; break;
    case OUTPUT: plan->output = arg->value; break;
    case LANGUAGE: *lang = strcmp(arg->value, "none") ? arg->value : NULL; break;
    case VERBOSE:
        plan->verbose = true;
        route_words(plan, arg, HOST | DEVICE | LINK);
        break;
    case DRY_RUN: plan->dry_run = true; break;
    case VERSION: plan->show_version = true; break;
    case HELP: plan->show_help = true; break;
    case SAVE_TEMPS: plan->save_temps = arg->value && *arg->value ? arg->value : "cwd"; break;
    case ARCH: return add_archs(plan, arg->value);
    case NO_ARCH: remove_archs(plan, arg->value); break;
    case DEVICE_ONLY: plan->passes = LS_PASSES_DEVICE; break;
    case HOST_ONLY: plan->passes = LS_PASSES_HOST; break;
    case BOTH_PASSES: plan->passes = LS_PASSES_BOTH; break;
    case GENCO: plan->genco = true; break;
    case STATIC_LIB: plan->static_lib = true; break;
    case RDC: plan->rdc = true; break;
    case NO_RDC: plan->rdc = false; break;
    case BUNDLE: plan->no_bundle = false; break;
    case NO_BUNDLE: plan->no_bundle = true; break;
    case JOBS: {
        long n = strtol(arg->value, NULL, 10);

        if (n < 1) {
            ls_say_error("invalid integral value '%s' in '%s'", arg->value, arg->words[0]);
            return false;
        }
        plan->n_jobs = n > 128 ? 128 : (unsigned)n;
        break;
    }
    case ROCM_PATH: plan->rocm_path = arg->value; break;
    case IGNORED: break;
    case NO_RUNTIME: plan->no_runtime = true; break;
    case NO_WRAPPER: plan->no_wrapper = true; break;
    case HIP_LINK: plan->no_runtime = false; break;
    case STATIC_RUNTIME:
        ls_say_warning("'%s': the runtime is a shared library only", arg->words[0]);
        break;
    case NO_DEVICE_LINK:
        ls_say_warning("'%s %s' is ignored: device code is bitcode here, that no linker works on",
                       arg->words[0], arg->words[1] ? arg->words[1] : "");
        break;
    case NO_DEVICE_CHECKS:
        ls_say_warning(
            "'%s' is ignored: kernels are not instrumented (LOCKSTEP_STRICT=1 watches the host)",
            arg->words[0]);
        break;
    case WARN_REGISTER: /* in C++17 it is an error by another name, and pass_options() switches it
                           off */
        route_words(plan, arg, HOST | DEVICE);
        route_words(plan,
                    &(struct arg){.words = {"-Wregister", "-Wno-error=register"}, .n_words = 2},
                    HOST | DEVICE);
        break;
    case FORWARDED: /* an option that is kept from clang is kept from it behind -Xclang and its
                       like, too */
        if (!is_ignored(arg->value))
            route_words(plan, arg, HOST | DEVICE);
        break;
    case UNSUPPORTED:
        ls_say_error("not supported yet: '%s'", arg->words[0]);
        return false;
    case CUID: plan->cuid = arg->value; break;
    case WAVE64:
    case WAVE32:
        plan->wave64 = arg->option->route == WAVE64;
        route_words(plan, arg, DEVICE);
        break;
    case DEPS:
        plan->wants_deps = true;
        add_words(&plan->deps, arg);
        break;
    case DEP_OPTION: add_words(&plan->deps, arg); break;
    case DEP_FILE: plan->dep_file = arg->value; break;
    case DEP_TARGET:
        plan->dep_target = arg->value;
        add_words(&plan->deps, arg);
        break;
    case DEPS_WP: add_wp_deps(plan, arg); break;
    case QUERY: plan->is_query = true; break;
    case DEFINE:
        if (ls_starts_with(arg->value, "__HIP_PLATFORM_"))
            plan->defines_platform = true;
        route_words(plan, arg, HOST | DEVICE);
        break;
    case XARCH_HOST:
        if (!is_ignored(arg->value))
            ls_strv_push(&plan->host, arg->words[1]);
        break;
    case XARCH_DEVICE:
        if (!is_ignored(arg->value))
            ls_strv_push(&plan->device, arg->words[1]);
        break;
    case XARCH: add_words(&plan->device, arg); break;
    case PARTIAL_LINK:
        plan->partial_link = true;
        route_words(plan, arg, LINK);
        break;
    case OPT_LEVEL:
        set_opt_level(plan, arg->value);
        route_words(plan, arg, HOST | DEVICE | LINK);
        break;
    case CODE_OBJECT:
    case NO_CODE_OBJECT:
        plan->code_object = arg->option->route == CODE_OBJECT ? 1 : -1;
        break;
    case COMPRESS:
    case NO_COMPRESS:
        plan->compress = arg->option->route == COMPRESS;
        break;
    case COMPRESSION_LEVEL:
        return set_compression_level(plan, arg);
    case OBJECT_VERSION:
        plan->object_version = atoi(arg->value);
        if (plan->object_version < 4 || plan->object_version > 6) {
            ls_say_error("invalid integral value '%s' in '%s': 4, 5 or 6", arg->value,
                         arg->words[0]);
            return false;
        }
        route_words(plan, arg, DEVICE);
        break;
    case FAST_MATH:
    case NO_FAST_MATH:
        plan->fast_math = arg->option->route == FAST_MATH;
        route_words(plan, arg, HOST | DEVICE | LINK);
        break;
    case DEBUG:
        plan->has_debug = strcmp(arg->value, "0") != 0;
        route_words(plan, arg, HOST | DEVICE | LINK);
        break;
    default: route_words(plan, arg, arg->option->route); break;
    }
    return true;
}

/* ---- inputs ---- */

static enum ls_input_kind
kind_of(const struct ls_plan *plan, const char *path, const char *lang)
{
    static const char *const hip[] = {"hip", "cu",  "cpp", "cc",  "cxx",
                                      "C",   "c++", "cp",  "CPP", "cppm"};
    static const char *const plain[] = {"c",  "s",  "S", "asm", "i", "ii",
                                        "ll", "bc", "h", "hpp", "hh"};
    const char *ext = ls_path_ext(path);

    if (lang)
        return !strcmp(lang, "hip") || !strcmp(lang, "cuda") || !strcmp(lang, "cu") ? LS_INPUT_HIP
                                                                                  : LS_INPUT_PLAIN;
    for (size_t i = 0; i < sizeof(hip) / sizeof(hip[0]); i++)
        if (!strcmp(ext, hip[i]))
            return (plan->as_clang || plan->cuda) && i > 1 ? LS_INPUT_PLAIN : LS_INPUT_HIP;
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
        if (!strcmp(ext, plain[i]))
            return LS_INPUT_PLAIN;
    return LS_INPUT_LINKER;
}

/* A source of CUDA's, by its name only where --cuda says so: else .cu is HIP. */
static bool
is_cuda(const struct ls_plan *plan, const char *path, const char *lang)
{
    if (lang)
        return !strcmp(lang, "cuda") || !strcmp(lang, "cu");
    return plan->cuda && !strcmp(ls_path_ext(path), "cu");
}

static void
add_input(struct ls_plan *plan, const char *path, const char *lang)
{
    if (plan->n_inputs % 64 == 0) {
        struct ls_input *grown = ls_hipcc_alloc((plan->n_inputs + 64) * sizeof(*grown));

        if (plan->n_inputs)
            memcpy(grown, plan->inputs, plan->n_inputs * sizeof(*grown));
        free(plan->inputs);
        plan->inputs = grown;
    }
    plan->inputs[plan->n_inputs] = (struct ls_input){.path = path,
                                                     .lang = lang,
                                                     .kind = kind_of(plan, path, lang),
                                                     .cuda = is_cuda(plan, path, lang)};
    add_link_item(plan, (struct ls_link_item){.input = plan->n_inputs});
    plan->n_inputs++;
}

/* ---- the whole ---- */

static bool
parse_list(struct ls_plan *plan, const struct ls_strv *args)
{
    const char *lang = NULL;
    bool only_inputs = false;

    for (size_t at = 0; at < args->n;) {
        struct arg arg;
        const char *text = args->v[at];

        if (!only_inputs && !strcmp(text, "--")) {
            only_inputs = true;
            at++;
        } else if (only_inputs || text[0] != '-' || !text[1]) {
            add_input(plan, text, lang);
            at++;
        } else if (!ls_arg_next(args, &at, &arg)) {
            return false;
        } else if (!arg.option) {
            route_words(plan, &arg, HOST | DEVICE | LINK);
        } else if ((arg.option->route == XARCH || arg.option->route == NO_DEVICE_LINK) &&
                   !next_xarch(args, &at, &arg)) {
            return false;
        } else if (!act(plan, &arg, &lang)) {
            return false;
        }
    }
    return true;
}

/* Whether an input is preprocessed HIP. That is the text of one pass, so that no code can be made
 * of it. */
static bool
is_preprocessed_hip(const struct ls_input *input)
{
    const char *ext = ls_path_ext(input->path);

    return input->lang
               ? !strcmp(input->lang, "hip-cpp-output") || !strcmp(input->lang, "cuda-cpp-output")
               : !strcmp(ext, "hipi") || !strcmp(ext, "cui");
}

static bool
has_warps_of_cuda(const struct ls_plan *plan)
{
    for (size_t i = 0; i < plan->archs.n; i++)
        if (ls_arch_warp_size(plan, plan->archs.v[i]) != 32) {
            ls_say_error("--cuda: CUDA has warps of 32 threads, and those of '%s' have 64",
                         plan->archs.v[i]);
            return false;
        }
    return true;
}

static bool
finish(struct ls_plan *plan)
{
    const char *from_env = getenv("HCC_AMDGPU_TARGET");
    size_t n_compiled = 0;

    if (plan->mode == LS_MODE_NONE)
        plan->mode = LS_MODE_LINK;
    if (!plan->archs.n && from_env && *from_env && !add_archs(plan, from_env))
        return false;
    if (!plan->archs.n)
        ls_strv_push(&plan->archs, LS_HIPCC_DEFAULT_ARCH);
    if (plan->opt_level < 0 && plan->as_clang)
        plan->opt_level = 0;
    if (plan->opt_level < 0) { /* as AMD's driver: optimised unless told otherwise */
        plan->opt_level = 3;
        ls_strv_push(&plan->host, "-O3");
        ls_strv_push(&plan->device, "-O3");
    }
    plan->wants_code =
        plan->code_object >=
        0; /* a code object says how many registers a kernel would take on the hardware */
    for (size_t i = 0; i < plan->n_inputs; i++)
        if (is_preprocessed_hip(&plan->inputs[i])) {
            ls_say_error("'%s' is preprocessed HIP, which is the text of one pass: compile the "
                         "source that it was made of",
                         plan->inputs[i].path);
            return false;
        }
    for (size_t i = 0; i < plan->n_inputs; i++)
        n_compiled += plan->inputs[i].kind != LS_INPUT_LINKER;
    for (size_t i = 0; i < plan->n_inputs; i++)
        if (plan->inputs[i].cuda && !has_warps_of_cuda(plan))
            return false;
    if (plan->output && n_compiled > 1 && (plan->mode != LS_MODE_LINK || plan->genco) &&
        plan->mode != LS_MODE_SYNTAX) {
        ls_say_error("cannot specify -o when generating multiple output files");
        return false;
    }
    return true;
}

bool
ls_plan_parse(struct ls_plan *plan, int argc, char **argv)
{
    struct ls_strv args = {0};
    const char *name = ls_path_base(argv[0]);

    *plan = (struct ls_plan){
        .opt_level = -1, .object_version = 5, .n_jobs = 1, .compression_level = -1,
        .cuda_arch = 10 * LS_CUDA_DEFAULT_ARCH};
    plan->as_clang = ls_starts_with(name, "clang") || ls_starts_with(name, "amdclang");
    plan->no_runtime = plan->as_clang;
    for (int i = 1; i < argc; i++)
        if (!ls_args_expand(argv[i], 0, &args))
            return false;
    if (ls_cuda_wanted(argc, argv)) {
        struct ls_strv translated = {0};

        plan->cuda = true;
        if (!ls_cuda_translate(plan, &args, &translated))
            return false;
        args = translated;
    }
    ls_strv_append(&plan->query, &args);
    if (!parse_list(plan, &args))
        return false;

    struct ls_strv more = {0};
    bool links = plan->mode == LS_MODE_NONE;
    if (!ls_args_append_env("HIPCC_COMPILE_FLAGS_APPEND", &more) ||
        (links && !ls_args_append_env("HIPCC_LINK_FLAGS_APPEND", &more)) ||
        !parse_list(plan, &more))
        return false;
    return finish(plan);
}
