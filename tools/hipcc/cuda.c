/* SPDX-License-Identifier: MIT */
/* hipcc --cuda: nvcc's options become hipcc's, by cuda.def; and what sources of CUDA are compiled
 * with besides. */
#include "options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE = EITHER + 1 }; /* a form: behind '=' or the next argument */

enum how {
    DROP,
    WORDS,
    CHOICE,
    VALUES,
    ARCHES,
    CODE,
    TO_HOST,
    LIBRARY,
    INCLUDE_PATH,
    SAME_VALUE,
    JOINED_VALUE,
    ERRORS,
    DEVICE_LINK,
    HOST_TEXT,
    OPTIONS_FILE,
    SAY_VERSION,
};

struct cuda_option {
    const char *name, *abbreviation;
    int form;
    enum how how;
    const char *text;
};

static const struct cuda_option cuda_options[] = {
#define LS_CUDA(name, abbreviation, form, how, text) {name, abbreviation, form, how, text},
#define LS_CUDA_LIBRARY(cuda, ours)
#include "cuda.def"
#undef LS_CUDA_LIBRARY
#undef LS_CUDA
};

static const struct {
    const char *cuda, *ours;
} libraries[] = {
#define LS_CUDA(name, abbreviation, form, how, text)
#define LS_CUDA_LIBRARY(cuda, ours) {cuda, ours},
#include "cuda.def"
#undef LS_CUDA_LIBRARY
#undef LS_CUDA
};

/* The version that sources are told (tools/hipify/versions.def), and what they are told of the
 * compiler. */
enum version {
#define LS_VERSION(macro, value) VERSION_##macro = value,
#include "../hipify/versions.def"
#undef LS_VERSION
};

/* Whether the option has this name: 0, or how long that is; then the value that is joined to it. */
static size_t
matches(const char *text, const char *name, int form, const char **value)
{
    size_t n = strlen(name);
    const char *found = NULL;

    if (strncmp(text, name, n) != 0)
        return 0;
    if (text[n] == '=' && form != FLAG)
        found = text + n + 1;
    else if (text[n] && form == EITHER)
        found = text + n;
    else if (text[n])
        return 0;
    *value = found;
    return n;
}

/* The option with the longest name that fits. */
static const struct cuda_option *
find(const char *text, const char **value)
{
    bool is_long = text[1] == '-';
    const char *name = text + 1 + is_long, *at = NULL;
    const struct cuda_option *best = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < sizeof(cuda_options) / sizeof(*cuda_options); i++) {
        const struct cuda_option *option = &cuda_options[i];
        size_t n = matches(name, option->name, option->form == EITHER ? VALUE : option->form, &at);

        if (!n && !(is_long && !option->abbreviation[1]))
            n = matches(name, option->abbreviation, option->form, &at);
        if (n > longest) {
            best = option;
            longest = n;
            *value = at;
        }
    }
    return best;
}

/* The parts between commas, each behind `before` where that is not NULL. */
static void
add_parts(const char *text, const char *before, struct ls_strv *out)
{
    while (*text) {
        size_t n = strcspn(text, ",");

        if (n) {
            if (before)
                ls_strv_push(out, before);
            ls_strv_pushf(out, "%.*s", (int)n, text);
        }
        text += n + (text[n] != 0);
    }
}

/* " value value": what a choice can be. */
static char *
choice_names(const char *text)
{
    char *names = ls_hipcc_format(" %s", text), *to = names + 1;

    for (const char *at = names + 1; *at; at++) {
        if (*at == ':')
            at += strcspn(at, " ");
        *to++ = *at;
        if (!*at)
            break;
    }
    *to = 0;
    return names;
}

/* The words of "value:word,word value: ...". */
static bool
add_choice(const struct cuda_option *option, const char *word, const char *value,
           struct ls_strv *out)
{
    size_t length = strlen(value);

    for (const char *at = option->text; *at;) {
        size_t n = strcspn(at, " ");
        char *choice = ls_hipcc_format("%.*s", (int)n, at);

        if (!strncmp(choice, value, length) && choice[length] == ':') {
            add_parts(choice + length + 1, NULL, out);
            return true;
        }
        at += n + (at[n] != 0);
    }
    ls_say_error("invalid value '%s' of '%s':%s", value, word, choice_names(option->text));
    return false;
}

/* "sm_80", "compute_80,sm_86", "arch=compute_90a,code=[sm_90a,compute_90a]": the largest number
 * wins, as there is one device. */
static void
set_arch(const char *value, unsigned *arch)
{
    for (const char *at = value; (at = strchr(at, '_')); at++) {
        unsigned number = (unsigned)strtoul(at + 1, NULL, 10);

        if (number > *arch)
            *arch = number;
    }
}

/* What options for the host's compiler mean here: those of the linker and of both go their way, all
 * else to the host pass alone. */
static void
add_host_word(const char *word, struct ls_strv *out)
{
    static const char *const for_all[] = {"-D", "-U", "-I", "-i", "-std", "-pthread"};
    const struct option *option = ls_option_find(word);

    if (option && option->route < ACTION && (option->route & LINK)) {
        ls_strv_push(out, word);
        return;
    }
    for (size_t i = 0; i < sizeof(for_all) / sizeof(*for_all); i++)
        if (ls_starts_with(word, for_all[i])) {
            ls_strv_push(out, word);
            return;
        }
    ls_strv_push(out, "-Xarch_host");
    ls_strv_push(out, word);
}

static void
add_host_words(const char *value, struct ls_strv *out)
{
    struct ls_strv words = {0};

    add_parts(value, NULL, &words);
    for (size_t i = 0; i < words.n; i++) {
        char *word = words.v[i], *quote;

        while ((quote = strpbrk(word, "\"'"))) /* makefiles quote a list once more */
            memmove(quote, quote + 1, strlen(quote));
        for (char *part = strtok(word, " "); part; part = strtok(NULL, " "))
            add_host_word(part, out);
    }
}

static void
add_library(const char *name, struct ls_strv *out)
{
    for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
        if (!strcmp(name, libraries[i].cuda)) {
            if (*libraries[i].ours)
                ls_strv_pushf(out, "-l%s", libraries[i].ours);
            return;
        }
    ls_strv_pushf(out, "-l%s", name);
}

/* NVIDIA's own headers would take the place of ours. */
static void
add_include_path(const char *before, const char *path, struct ls_strv *out)
{
    char *host_config = ls_hipcc_format("%s/crt/host_config.h", path);

    if (!ls_file_exists(host_config)) {
        ls_strv_push(out, before);
        ls_strv_push(out, path);
    }
    free(host_config);
}

/* As scripts and CMake read it from nvcc. */
static void
say_version(void)
{
    int major = VERSION_CUDA_VERSION / 1000, minor = VERSION_CUDA_VERSION / 10 % 100;

    printf("nvcc: NVIDIA (R) Cuda compiler driver, by Lockstep's hipcc %s\n"
           "Cuda compilation tools, release %d.%d, V%d.%d.0\n",
           LS_HIP_VERSION_STRING, major, minor, major, minor);
}

/* What -v says first, in nvcc's form: CMake reads there where the toolkit is, for what code is made
 * and who links, which is hipcc by nvcc's name. */
static void
say_toolkit(unsigned arch)
{
    char *top = ls_hipcc_format("%s/share/lockstep/cuda", ls_install.root);

    fprintf(stderr,
            "#$ TOP=%s\n"
            "#$ PATH=%s/bin:%s\n"
            "#$ LIBRARIES=  \"-L%s/lib64\"\n"
            "#$ INCLUDES=\"-I%s/include\"\n"
            "#$ code for -arch compute_%u\n"
            "#$ \"%s/bin/nvcc\" -o \"a.out\" \"a.o\"   \"-L%s/lib64\" -lcudadevrt -lcudart_static "
            "-lrt -lpthread -ldl\n",
            top, top, getenv("PATH") ? getenv("PATH") : "", top, top, arch / 10, top, top);
    free(top);
}

bool
ls_cuda_wanted(int argc, char **argv)
{
    if (!strcmp(ls_path_base(argv[0]), "nvcc"))
        return true;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--cuda"))
            return true;
    return false;
}

struct translation {
    struct ls_plan *plan;
    unsigned arch;
    struct ls_strv *out;
};

static bool translate_all(struct translation *t, const struct ls_strv *args);

static bool
translate_file(struct translation *t, const char *path)
{
    struct ls_strv args = {0};
    char *at = ls_hipcc_format("@%s", path);

    if (!ls_file_exists(path)) {
        ls_say_error("'%s': no such file of options", path);
        return false;
    }
    return ls_args_expand(at, 0, &args) && translate_all(t, &args);
}

static bool
translate(struct translation *t, const struct cuda_option *option, const char *word,
          const char *value)
{
    switch (option->how) {
    case DROP:
        break;
    case WORDS:
        add_parts(option->text, NULL, t->out);
        break;
    case CHOICE:
        return add_choice(option, word, value, t->out);
    case VALUES:
        add_parts(value, option->text, t->out);
        break;
    case ARCHES:
        set_arch(value, &t->arch);
        break;
    case CODE:
        ls_strv_push(t->out, "--genco");
        t->plan->code_extension = option->text;
        break;
    case TO_HOST:
        add_host_words(value, t->out);
        break;
    case LIBRARY:
        add_library(value, t->out);
        break;
    case INCLUDE_PATH:
        add_include_path(option->text, value, t->out);
        break;
    case SAME_VALUE:
        ls_strv_push(t->out, option->text);
        ls_strv_push(t->out, value);
        break;
    case JOINED_VALUE:
        ls_strv_pushf(t->out, "%s%s", option->text, value);
        break;
    case ERRORS:
        if (strstr(value, "all-warnings"))
            ls_strv_push(t->out, "-Werror");
        break;
    case OPTIONS_FILE:
        return translate_file(t, value);
    case DEVICE_LINK:
        t->plan->device_link = true;
        break;
    case HOST_TEXT:
        add_parts(option->text, NULL, t->out);
        t->plan->host_text = true;
        break;
    case SAY_VERSION:
        say_version();
        exit(0);
    }
    return true;
}

static bool
translate_all(struct translation *t, const struct ls_strv *args)
{
    for (size_t i = 0; i < args->n; i++) {
        const char *word = args->v[i], *value = NULL;
        const struct cuda_option *option = word[0] == '-' && word[1] ? find(word, &value) : NULL;

        if (!strcmp(word, "--cuda"))
            continue;
        if (!option) {
            ls_strv_push(t->out, word);
            continue;
        }
        if (option->form != FLAG && !value) {
            if (i + 1 >= args->n) {
                ls_say_error("argument to '%s' is missing (expected 1 value)", word);
                return false;
            }
            value = args->v[++i];
        }
        if (!translate(t, option, word, value))
            return false;
    }
    return true;
}

bool
ls_cuda_translate(struct ls_plan *plan, const struct ls_strv *args, struct ls_strv *out)
{
    struct translation t = {.plan = plan, .out = out};

    if (!translate_all(&t, args))
        return false;
    plan->cuda_arch = 10 * (t.arch ? t.arch : LS_CUDA_DEFAULT_ARCH);
    if (ls_strv_has(args, "-v"))
        say_toolkit(plan->cuda_arch);
    return true;
}

void
ls_cuda_include(struct ls_strv *argv)
{
    ls_strv_push(argv, "-isystem");
    ls_strv_pushf(argv, "%s/share/lockstep/cuda/include", ls_install.root);
}

void
ls_cuda_options(const struct ls_plan *plan, bool device, struct ls_strv *argv)
{
    ls_strv_push(argv, "-D__LS_CUDA__=1"); /* asked by our headers */
#define LS_VERSION(macro, value)                                                                   \
    if (!strncmp(#macro, "__", 2))                                                                 \
        ls_strv_push(argv, "-D" #macro "=" #value);
#include "../hipify/versions.def"
#undef LS_VERSION
    ls_strv_pushf(argv, "-D__CUDACC_VER_MAJOR__=%d", VERSION_CUDA_VERSION / 1000);
    ls_strv_pushf(argv, "-D__CUDACC_VER_MINOR__=%d", VERSION_CUDA_VERSION / 10 % 100);
    ls_strv_push(argv, "-D__CUDACC_VER_BUILD__=0");
    ls_strv_pushf(argv, "-D__CUDA_ARCH_LIST__=%u", plan->cuda_arch);
    if (device)
        ls_strv_pushf(argv, "-D__CUDA_ARCH__=%u", plan->cuda_arch);
    ls_strv_push(argv, "-include");
    ls_strv_push(argv, "lockstep/cuda/runtime.h");
    /* nvcc and its host's compiler say less of these */
    ls_strv_push(argv, "-Wno-c++11-narrowing");
    ls_strv_push(argv, "-Wno-unknown-warning-option");
    ls_strv_push(argv, "-Wno-unknown-pragmas");
}

void
ls_cuda_plain_options(const struct ls_plan *plan, const struct ls_input *input,
                      struct ls_strv *argv)
{
    bool is_c = input->lang ? !strcmp(input->lang, "c") : !strcmp(ls_path_ext(input->path), "c");

    for (size_t i = 0; i < plan->host.n; i++) { /* nvcc says nothing to C of C++'s standard */
        const char *word = plan->host.v[i];

        if (!is_c || !ls_starts_with(word, "-std=") || !strstr(word, "++"))
            ls_strv_push(argv, word);
    }
}
