/* SPDX-License-Identifier: MIT */
/* Writes the headers by which hipcc --cuda compiles sources of CUDA, at build time, from the table
 * of names: names.h, the macros that give CUDA's names HIP's meaning; driver_names.h, driver
 * functions that take device addresses as numbers; and a header for each of CUDA's, which includes
 * the one of ours that stands for it, or says that there is none. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "names.h"

/* Headers of CUDA for which HIP's alone would not do. */
static const struct {
    const char *cuda, *ours;
} own_headers[] = {
#define LS_CUDA_HEADER(cuda, ours) {cuda, ours},
#include "cuda_headers.def"
#undef LS_CUDA_HEADER
};

static const char *folder;
static bool failed;

static FILE *
create(const char *name)
{
    char path[PATH_MAX];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            fprintf(stderr, "cuda_headers: error: '%s': %s\n", path, strerror(errno));
        *slash = '/';
    }
    f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "cuda_headers: error: '%s': %s\n", path, strerror(errno));
        failed = true;
    }
    return f;
}

static void
close_file(FILE *f, const char *name)
{
    bool written = !ferror(f);

    if (fclose(f) != 0 || !written) {
        fprintf(stderr, "cuda_headers: error: cannot write '%s'\n", name);
        failed = true;
    }
}

__attribute__((format(printf, 2, 3))) static void
write_file(const char *name, const char *format, ...)
{
    FILE *f = create(name);
    va_list args;

    if (!f)
        return;
    va_start(args, format);
    fputs("/* Made at build time of the table of names (tools/hipify). */\n", f);
    vfprintf(f, format, args);
    va_end(args);
    close_file(f, name);
}

static bool
is_header(const struct ls_name *n)
{
    return n->kind >= LS_KIND_INCLUDE && n->kind <= LS_KIND_INCLUDE_CUDA_MAIN_V2_H;
}

/* Whether the name is of CUDA itself, and not of one of its libraries. */
static bool
is_of_core(const struct ls_name *n)
{
    return n->api == LS_API_DRIVER || n->api == LS_API_RUNTIME || n->api == LS_API_COMPLEX;
}

/* Which names become macros: guards of headers and what the compiler itself defines do not. */
static bool
is_macro(const struct ls_name *n)
{
    size_t length = strlen(n->cuda);
    bool is_guard = !strncmp(n->cuda, "__", 2) && !strcmp(n->cuda + length - 2, "__");

    return !is_header(n) && !is_guard && *n->hip && !(n->marks & LS_MARK_NO_HIP) &&
           strcmp(n->cuda, n->hip) != 0;
}

/* Driver functions that may take or give device addresses. */
static bool
takes_addresses(const struct ls_name *n)
{
    static const char *const prefixes[] = {"cuMem",       "cuModuleGetGlobal", "cuPointer",
                                           "cuIpc",       "cuStreamWrite",     "cuStreamWait",
                                           "cuStreamAtt", "cuTexRef",          "cuLibraryGetGlobal",
                                           "cuTexObject", "cuSurfObject",      "cuGraphAddMem"};

    if (n->api != LS_API_DRIVER || n->kind == LS_KIND_TYPE || n->kind == LS_KIND_NUMERIC_LITERAL)
        return false;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (!strncmp(n->cuda, prefixes[i], strlen(prefixes[i])) &&
            strcmp(n->cuda, "cuStreamWaitEvent") != 0)
            return true;
    return false;
}

static void
write_names(const char *name, bool (*wanted)(const struct ls_name *))
{
    FILE *f = create(name);

    if (!f)
        return;
    fputs("/* Made at build time of the table of names (tools/hipify). */\n", f);
    for (size_t i = 0; i < ls_n_names; i++)
        if (is_macro(&ls_names[i]) && wanted(&ls_names[i]))
            fprintf(f, "#define %s %s\n", ls_names[i].cuda, ls_names[i].hip);
    close_file(f, name);
}

static void
write_driver(const char *name)
{
    FILE *f = create(name);

    if (!f)
        return;
    fputs("/* Made at build time of the table of names (tools/hipify). */\n", f);
    for (size_t i = 0; i < ls_n_names; i++)
        if (is_macro(&ls_names[i]) && takes_addresses(&ls_names[i]))
            fprintf(f, "#undef %s\nLS_CUDA_DRIVER(%s, %s)\n", ls_names[i].cuda, ls_names[i].cuda,
                    ls_names[i].hip);
    close_file(f, name);
}

static const char *
own_header(const char *cuda)
{
    for (size_t i = 0; i < sizeof(own_headers) / sizeof(*own_headers); i++)
        if (!strcmp(own_headers[i].cuda, cuda))
            return own_headers[i].ours;
    return NULL;
}

/* The file of the macros for one library's names. */
static void
api_file(char *out, size_t size, enum ls_api api)
{
    snprintf(out, size, "lockstep_cuda/names_%d.h", (int)api);
}

static enum ls_api wanted_api;

static bool
is_of_wanted_api(const struct ls_name *n)
{
    return n->api == wanted_api;
}

static void
write_header(const struct ls_name *n)
{
    const char *ours = own_header(n->cuda);
    char names[64];

    api_file(names, sizeof(names), n->api);
    if (ours)
        return;
    if (is_of_core(n))
        write_file(n->cuda, "#include <lockstep/cuda/runtime.h>\n%s%s%s",
                   *n->hip ? "#include <" : "", n->hip, *n->hip ? ">\n" : "");
    else if (*n->hip && !(n->marks & LS_MARK_NO_HIP))
        write_file(n->cuda,
                   "#include <lockstep/cuda/runtime.h>\n"
                   "#if __has_include(<%s>)\n#include <%s>\n#include <%s>\n%s#else\n"
                   "#error \"%s is %s by HIP's header %s, which is not installed here\"\n#endif\n",
                   n->hip, n->hip, names,
                   n->api == LS_API_CUB      ? "#include <lockstep/cuda/cub.h>\n"
                   : n->api == LS_API_THRUST ? "#include <lockstep/cuda/thrust.h>\n"
                                             : "",
                   n->cuda, ls_api_names[n->api], n->hip);
    else
        write_file(n->cuda, "#error \"%s has no substitute in HIP\"\n", n->cuda);
}

static void
write_versions(void)
{
    FILE *f = create("lockstep_cuda/versions.h");

    if (!f)
        return;
    fputs("/* Made at build time (tools/hipify/versions.def). */\n", f);
#define LS_VERSION(macro, value)                                                                   \
    if (strncmp(#macro, "__", 2) != 0)                                                             \
        fputs("#ifndef " #macro "\n#define " #macro " " #value "\n#endif\n", f);
#include "versions.def"
#undef LS_VERSION
    close_file(f, "versions.h");
}

/* What kernels may ask of an error: CUDA has these for both sides, HIP for the host. */
static void
write_errors(void)
{
    FILE *f = create("lockstep_cuda/errors.h");

    if (!f)
        return;
    fputs("/* Made at build time (src/runtime/core/errors.def). */\n", f);
    for (int name = 0; name < 2; name++) {
        fprintf(f,
                "static __device__ inline const char *\n%s(hipError_t error)\n{\n"
                "    switch (error) {\n",
                name ? "hipGetErrorName" : "hipGetErrorString");
#define LS_ERROR(error, text)                                                                      \
    fprintf(f, "    case %s: return \"%s\";\n", #error, name ? #error : text);
#include "../../src/runtime/core/errors.def"
#undef LS_ERROR
        fprintf(f, "    default: return \"%s\";\n    }\n}\n",
                name ? "hipErrorUnknown" : "unknown error");
    }
    close_file(f, "errors.h");
}

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: cuda_headers FOLDER\n", stderr);
        return 2;
    }
    folder = argv[1];
    write_versions();
    write_errors();
    write_names("lockstep_cuda/names.h", is_of_core);
    write_driver("lockstep_cuda/driver_names.h");
    for (int api = 0; api < LS_N_APIS; api++) {
        char name[64];

        wanted_api = (enum ls_api)api;
        api_file(name, sizeof(name), wanted_api);
        write_names(name, is_of_wanted_api);
    }
    for (size_t i = 0; i < ls_n_names && !failed; i++)
        if (is_header(&ls_names[i]))
            write_header(&ls_names[i]);
    for (size_t i = 0; i < sizeof(own_headers) / sizeof(*own_headers); i++)
        write_file(own_headers[i].cuda, "#include <%s>\n", own_headers[i].ours);
    /* by which most programs of Thrust name a stream */
    write_file("thrust/execution_policy.h", "#include_next <thrust/execution_policy.h>\n"
                                            "#include <lockstep/cuda/thrust.h>\n");
    return failed;
}
