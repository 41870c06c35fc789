/* SPDX-License-Identifier: MIT */
/* HIP_PLATFORM=nvidia: hipcc's options become nvcc's, by nvcc.def. Each source is compiled by a run
 * of nvcc, as C++ with CUDA or as C; one more run links. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

enum { COMPILE = 1 }; /* the other step is LINK */

enum nvcc_how {
    SAME,
    AS,       /* text, and the value joined */
    AS_APART, /* text, and the value as a word of its own */
    ALSO,
    TO_HOST,
    LINKER,
    DROP,
    VALUE,   /* the value alone */
    COMMAS,  /* text and value, whose commas would part it */
    LIBRARY, /* HIP's libraries are none here */
    CHOSEN,  /* as it is, and it names what to compile for */
    OPTIMIZE, DEBUG_INFO, STANDARD, ARCHES, MODE, CHECK_ONLY, REFUSED, ARCHIVE, OUTPUT_FILE,
    LANGUAGE_OF, SHOW, SHOW_ONLY, ASK_VERSION, ASK_HELP,
};

struct nvcc_option {
    const char *name;
    enum form form;
    unsigned step;
    enum nvcc_how how;
    const char *text;
};

static const struct nvcc_option nvcc_options[] = {
#define LS_NVCC(spelling, form, step, how, text) {spelling, form, step, how, text},
#include "nvcc.def"
#undef LS_NVCC
};

struct nvcc_input {
    const char *path, *lang; /* "cu", "c"; NULL = for the linker */
};

/* What a command line asks of nvcc. */
struct nvcc_plan {
    struct ls_strv compile, link;
    struct ls_strv cxx, c;     /* -std= and its like, for one language */
    struct ls_strv arches;     /* "sm_90" */
    struct nvcc_input *inputs;
    size_t n_inputs;
    const char *mode;          /* "-c" and its like; NULL = link */
    const char *output, *lang; /* -o; -x */
    bool optimized, chosen, check_only, archive, show, dry, ask_version, ask_help;
};

/* nvcc parts values at commas. */
static char *
escape_commas(const char *text)
{
    char *out = ls_hipcc_alloc(2 * strlen(text) + 1), *at = out;

    for (; *text; text++) {
        if (*text == ',')
            *at++ = '\\';
        *at++ = *text;
    }
    return out;
}

static void
add(struct nvcc_plan *plan, unsigned step, const char *word)
{
    if (step & COMPILE)
        ls_strv_push(&plan->compile, word);
    if (step & LINK)
        ls_strv_push(&plan->link, word);
}

static void
add_through(struct nvcc_plan *plan, unsigned step, const char *through, const char *word)
{
    add(plan, step, through);
    add(plan, step, escape_commas(word));
}

static const struct nvcc_option *
find_nvcc_option(const char *text)
{
    const struct nvcc_option *best = NULL;
    size_t best_length = 0;

    for (size_t i = 0; i < sizeof(nvcc_options) / sizeof(nvcc_options[0]); i++) {
        const struct nvcc_option *option = &nvcc_options[i];
        size_t length = strlen(option->name);

        if (!strcmp(text, option->name))
            return option;
        if ((option->form == JOINED || option->form == EITHER) && length > best_length &&
            ls_starts_with(text, option->name)) {
            best = option;
            best_length = length;
        }
    }
    return best;
}

/* "c++", "hip", "cu": HIP's sources, which nvcc calls cu. */
static const char *
language_of(const char *lang)
{
    if (!strcmp(lang, "none"))
        return NULL;
    return !strcmp(lang, "c") ? "c" : "cu";
}

static const char *
language_by_name(const char *path)
{
    static const char *const cxx[] = {"hip", "cu", "cpp", "cc", "cxx", "C", "c++", "cp", "CPP"};
    const char *ext = ls_path_ext(path);

    for (size_t i = 0; i < sizeof(cxx) / sizeof(cxx[0]); i++)
        if (!strcmp(ext, cxx[i]))
            return "cu";
    return !strcmp(ext, "c") ? "c" : NULL;
}

/* nvcc has no GNU dialects, and not the newest ones. */
static void
add_standard(struct nvcc_plan *plan, const char *value)
{
    static const char *const names[][2] = {{"98", "03"}, {"0x", "11"}, {"1y", "14"}, {"1z", "17"},
                                           {"2a", "20"}, {"2b", "20"}, {"23", "20"}, {"2c", "20"}};
    const char *year = strstr(value, "++");

    if (!year) {
        ls_strv_push(&plan->c, "-Xcompiler");
        ls_strv_pushf(&plan->c, "-std=%s", value);
        return;
    }
    year += 2;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(year, names[i][0]))
            year = names[i][1];
    ls_strv_pushf(&plan->cxx, "-std=c++%s", year);
}

static void
add_arches(struct nvcc_plan *plan, const char *list)
{
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",;");
        char *arch = ls_hipcc_format("%.*s", (int)n, at);

        if (ls_starts_with(arch, "sm_") || ls_starts_with(arch, "compute_") ||
            !strcmp(arch, "native")) {
            if (!ls_strv_has(&plan->arches, arch))
                ls_strv_push(&plan->arches, arch);
        } else if (n) {
            ls_say_warning("'%s' is no target of nvcc's and is ignored", arch);
        }
        at += n + (at[n] != '\0');
    }
}

static void
add_optimization(struct nvcc_plan *plan, const char *value)
{
    plan->optimized = true;
    if (!strcmp(value, "fast")) {
        add(plan, COMPILE, "-O3");
        add(plan, COMPILE, "-use_fast_math");
    } else if (*value >= '0' && *value <= '3') {
        ls_strv_pushf(&plan->compile, "-O%c", *value);
    } else {
        add(plan, COMPILE, !strcmp(value, "g") ? "-O1" : !*value ? "-O1" : "-O2");
    }
}

static void
add_library(struct nvcc_plan *plan, const char *name)
{
    if (!strcmp(name, "hiprtc"))
        add(plan, LINK, "-lnvrtc");
    else if (strcmp(name, "amdhip64") != 0)
        ls_strv_pushf(&plan->link, "-l%s", name);
}

/* An option that nvcc.def has. words: it and, where it stands apart, its value. */
static bool
act(struct nvcc_plan *plan, const struct nvcc_option *option, char **words, int n_words,
    const char *value)
{
    switch (option->how) {
    case CHOSEN: plan->chosen = true; /* fallthrough */
    case SAME:
        for (int i = 0; i < n_words; i++)
            add(plan, option->step, words[i]);
        break;
    case AS: add(plan, option->step, option->text); break;
    case AS_APART:
        add(plan, option->step, option->text);
        add(plan, option->step, value);
        break;
    case ALSO:
        add(plan, option->step, option->text);
        add_through(plan, option->step, "-Xcompiler", words[0]);
        break;
    case TO_HOST: add_through(plan, option->step, "-Xcompiler", value); break;
    case LINKER:
        add_through(plan, LINK, "-Xlinker", option->text);
        add_through(plan, LINK, "-Xlinker", value);
        break;
    case VALUE: add(plan, option->step, value); break;
    case COMMAS:
        add(plan, option->step, ls_hipcc_format("%s%s", option->text, escape_commas(value)));
        break;
    case LIBRARY: add_library(plan, value); break;
    case OPTIMIZE: add_optimization(plan, value); break;
    case DEBUG_INFO:
        if (strcmp(value, "0") != 0)
            add(plan, option->step, "-g");
        break;
    case STANDARD: add_standard(plan, value); break;
    case ARCHES: add_arches(plan, value); break;
    case CHECK_ONLY: plan->check_only = true; /* fallthrough */
    case MODE: plan->mode = option->text; break;
    case REFUSED:
        ls_say_error("'%s' is not possible with HIP_PLATFORM=nvidia", words[0]);
        return false;
    case ARCHIVE: plan->archive = true; break;
    case OUTPUT_FILE: plan->output = value; break;
    case LANGUAGE_OF: plan->lang = language_of(value); break;
    case SHOW_ONLY: plan->dry = true; /* fallthrough */
    case SHOW: plan->show = true; break;
    case ASK_VERSION: plan->ask_version = true; break;
    case ASK_HELP: plan->ask_help = true; break;
    case DROP: break;
    }
    return true;
}

/* -Wp,-MD,file and its like, of which clang knows -MMD, too. */
static void
add_dependency_words(struct nvcc_plan *plan, const char *value)
{
    const char *comma = strchr(value, ',');

    add(plan, COMPILE, *value == 'M' ? "-MMD" : "-MD");
    if (comma) {
        add(plan, COMPILE, "-MF");
        add(plan, COMPILE, comma + 1);
    }
}

/* An option that nvcc.def has not. */
static bool
act_by_routes(struct nvcc_plan *plan, const struct arg *arg)
{
    const char *text = arg->words[0];
    unsigned route = arg->option ? arg->option->route : 0, step = 0;

    if (!arg->option) {
        if (strchr("fmWp", text[1]) && text[1])
            add_through(plan, COMPILE | LINK, "-Xcompiler", text);
        else
            add(plan, text[1] == '-' ? COMPILE : COMPILE | LINK, text);
        return true;
    }
    if (route == UNSUPPORTED || route == QUERY) {
        ls_say_error("'%s' is not possible with HIP_PLATFORM=nvidia", text);
        return false;
    }
    if (route == DEPS_WP)
        add_dependency_words(plan, arg->value);
    if (route > ACTION)
        return true; /* what clang's driver does with code for AMD */
    if (route & HOST)
        step |= COMPILE;
    if (route & LINK)
        step |= LINK;
    for (int i = 0; i < arg->n_words && step; i++)
        add_through(plan, step, "-Xcompiler", arg->words[i]);
    return true;
}

static void
add_nvcc_input(struct nvcc_plan *plan, const char *path)
{
    const char *lang = plan->lang ? plan->lang : language_by_name(path);

    if (plan->n_inputs % 64 == 0) {
        struct nvcc_input *grown = ls_hipcc_alloc((plan->n_inputs + 64) * sizeof(*grown));

        if (plan->n_inputs)
            memcpy(grown, plan->inputs, plan->n_inputs * sizeof(*grown));
        free(plan->inputs);
        plan->inputs = grown;
    }
    plan->inputs[plan->n_inputs++] = (struct nvcc_input){path, lang};
}

static bool
read_words(struct nvcc_plan *plan, const struct ls_strv *args)
{
    for (size_t at = 0; at < args->n;) {
        char *text = args->v[at];
        bool is_option = text[0] == '-' && text[1];
        const struct nvcc_option *option = is_option ? find_nvcc_option(text) : NULL;
        size_t length = option ? strlen(option->name) : 0;
        struct arg arg;

        if (!is_option) {
            add_nvcc_input(plan, text);
            at++;
        } else if (!option) {
            if (!ls_arg_next(args, &at, &arg) || !act_by_routes(plan, &arg))
                return false;
        } else {
            bool apart = option->form == SEPARATE || (option->form == EITHER && !text[length]);

            if (apart && at + 1 >= args->n) {
                ls_say_error("argument to '%s' is missing (expected 1 value)", text);
                return false;
            }
            if (!act(plan, option, &args->v[at], 1 + apart,
                     apart ? args->v[at + 1] : text + length))
                return false;
            at += 1 + apart;
        }
    }
    return true;
}

/* One target: -arch, which also stores PTX; several: each by itself. */
static void
add_targets(struct nvcc_plan *plan)
{
    if (plan->arches.n == 1 && !plan->chosen)
        add(plan, COMPILE | LINK, ls_hipcc_format("-arch=%s", plan->arches.v[0]));
    else
        for (size_t i = 0; i < plan->arches.n; i++) {
            const char *number = strchr(plan->arches.v[i], '_');

            if (number)
                add(plan, COMPILE | LINK,
                    ls_hipcc_format("-gencode=arch=compute_%s,code=[%s,compute_%s]", number + 1,
                                    plan->arches.v[i], number + 1));
        }
}

static int
run(const struct nvcc_plan *plan, const struct ls_strv *argv)
{
    if (plan->show)
        ls_command_print(argv);
    return plan->dry ? 0 : ls_run(argv);
}

static const char *
suffix_of(const char *mode)
{
    static const char *const suffixes[][2] = {
        {"-c", "o"}, {"-ptx", "ptx"}, {"-cubin", "cubin"}, {"-fatbin", "fatbin"}};

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
        if (!strcmp(mode, suffixes[i][0]))
            return suffixes[i][1];
    return NULL; /* to standard output */
}

static int
compile(const struct nvcc_plan *plan, const struct nvcc_input *input, const char *mode,
        const char *output)
{
    struct ls_strv argv = {0};
    bool is_c = !strcmp(input->lang, "c");

    ls_strv_push(&argv, ls_install.nvcc);
    ls_strv_push(&argv, "-Wno-deprecated-gpu-targets");
    ls_strv_push(&argv, "-D__HIP_PLATFORM_NVIDIA__=1");
    ls_strv_push(&argv, "-D__NV_NO_VECTOR_DEPRECATION_DIAG"); /* double4 is HIP's still */
    if (!is_c) { /* as in clang: std::max in kernels, lambdas that are the device's */
        ls_strv_push(&argv, "--expt-relaxed-constexpr");
        ls_strv_push(&argv, "--extended-lambda");
    }
    ls_strv_append(&argv, is_c ? &plan->c : &plan->cxx);
    ls_strv_append(&argv, &plan->compile);
    ls_strv_push(&argv, "-isystem");
    ls_strv_push(&argv, ls_install.include_dir);
    ls_strv_push(&argv, "-x");
    ls_strv_push(&argv, input->lang);
    ls_strv_push(&argv, mode);
    ls_strv_push(&argv, input->path);
    if (output) {
        ls_strv_push(&argv, "-o");
        ls_strv_push(&argv, output);
    }
    return run(plan, &argv);
}

/* Libraries that HIP's headers may call, where they are and only if they are called. They stand
 * behind -Xlinker, since nvcc puts those words in front of all -l. */
static void
add_own_libraries(struct ls_strv *argv)
{
    static const char *const libraries[][2] = {{"lib64", "nvrtc"}, {"lib64/stubs", "cuda"}};
    static const char *const before[] = {"--push-state", "--as-needed"};

    for (size_t i = 0; i < 2; i++) {
        ls_strv_push(argv, "-Xlinker");
        ls_strv_push(argv, before[i]);
    }
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        char *folder = ls_hipcc_format("%s/%s", ls_install.cuda, libraries[i][0]);

        if (!ls_file_exists(ls_hipcc_format("%s/lib%s.so", folder, libraries[i][1])))
            continue;
        ls_strv_pushf(argv, "-L%s", folder);
        ls_strv_push(argv, "-Xlinker");
        ls_strv_pushf(argv, "-l%s", libraries[i][1]);
    }
    ls_strv_push(argv, "-Xlinker");
    ls_strv_push(argv, "--pop-state");
}

static int
link_objects(const struct nvcc_plan *plan, char **objects)
{
    struct ls_strv argv = {0};

    ls_strv_push(&argv, ls_install.nvcc);
    ls_strv_push(&argv, "-Wno-deprecated-gpu-targets");
    if (plan->archive)
        ls_strv_push(&argv, "-lib");
    for (size_t i = 0; i < plan->n_inputs; i++)
        ls_strv_push(&argv, objects[i] ? objects[i] : plan->inputs[i].path);
    ls_strv_append(&argv, &plan->link);
    if (!plan->archive)
        add_own_libraries(&argv);
    ls_strv_push(&argv, "-o");
    ls_strv_push(&argv, plan->output ? plan->output : "a.out");
    return run(plan, &argv);
}

static int
compile_each(const struct nvcc_plan *plan, char **objects)
{
    const char *suffix = suffix_of(plan->mode ? plan->mode : "-c");
    int result = 0;

    for (size_t i = 0; i < plan->n_inputs; i++) {
        const struct nvcc_input *input = &plan->inputs[i];
        const char *output = plan->output;
        int status;

        if (!input->lang) {
            if (plan->mode)
                ls_say_warning("%s: linker input unused", input->path);
            continue;
        }
        if (!plan->mode)
            output = objects[i] = ls_temp_path(
                ls_hipcc_format("%zu_%s.o", i, ls_path_stem(input->path)));
        else if (plan->check_only)
            output = ls_temp_path("checked.o");
        else if (!output && suffix)
            output = ls_hipcc_format("%s.%s", ls_path_stem(input->path), suffix);
        status = compile(plan, input, plan->mode ? plan->mode : "-c", output);
        result = result ? result : status;
    }
    return result;
}

static int
ask_nvcc(const char *word)
{
    struct ls_strv argv = {0};

    fflush(stdout);
    ls_strv_push(&argv, ls_install.nvcc);
    ls_strv_push(&argv, word);
    return ls_run(&argv);
}

static int
drive(struct nvcc_plan *plan)
{
    char **objects = ls_hipcc_alloc((plan->n_inputs + 1) * sizeof(*objects));
    size_t n_sources = 0;
    int status;

    if (plan->ask_help) {
        puts("hipcc with HIP_PLATFORM=nvidia: options of hipcc are translated for nvcc, others "
             "handed to it.\n");
        return ask_nvcc("--help");
    }
    if (plan->ask_version) {
        puts("HIP version: " LS_HIP_VERSION_STRING);
        return ask_nvcc("--version");
    }
    if (!plan->n_inputs) {
        ls_say_error("no input files");
        return 1;
    }
    for (size_t i = 0; i < plan->n_inputs; i++)
        n_sources += plan->inputs[i].lang != NULL;
    if (plan->mode && plan->output && n_sources > 1 && !plan->check_only) {
        ls_say_error("cannot specify -o when generating multiple output files");
        return 1;
    }
    add_targets(plan);
    if (!plan->optimized)
        add(plan, COMPILE, "-O3");
    status = compile_each(plan, objects);
    if (status || plan->mode)
        return status;
    return link_objects(plan, objects);
}

int
ls_nvidia_main(int argc, char **argv)
{
    const char *verbose = getenv("HIPCC_VERBOSE");
    int bits = verbose ? atoi(verbose) : 0;
    struct nvcc_plan plan = {.show = bits & 1};
    struct ls_strv args = {0}, more = {0};

    for (int i = 1; i < argc; i++)
        if (!ls_args_expand(argv[i], 0, &args))
            return 1;
    if (!read_words(&plan, &args) || !ls_args_append_env("HIPCC_COMPILE_FLAGS_APPEND", &more) ||
        (!plan.mode && !ls_args_append_env("HIPCC_LINK_FLAGS_APPEND", &more)) ||
        !read_words(&plan, &more) || !ls_nvcc_find())
        return 1;
    if (bits & 2)
        fprintf(stderr, "HIP_PATH=%s\nHIP_PLATFORM=nvidia\nHIP_COMPILER=nvcc\nCUDA_PATH=%s\n",
                ls_install.root, ls_install.cuda);
    if (bits & 4) {
        fputs("hipcc-args:", stderr);
        for (int i = 1; i < argc; i++)
            fprintf(stderr, " %s", argv[i]);
        fputc('\n', stderr);
    }
    ls_proc_init(plan.dry);
    int status = drive(&plan);
    ls_temp_cleanup();
    return status;
}
