/* SPDX-License-Identifier: MIT */
/* Finds the installation from the running program, and clang. Shared by hipcc and hipconfig. */
#include "hipcc_priv.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

struct ls_install ls_install;

static char *
own_folder(void)
{
    char *path = realpath("/proc/self/exe", NULL);

    if (!path && getauxval(AT_EXECFN)) /* there is no /proc */
        path = realpath((const char *)(uintptr_t)getauxval(AT_EXECFN), NULL);
    return path ? dirname(path) : NULL;
}

/* clang's own headers lie beside the program itself: <llvm>/bin/clang, <llvm>/lib/clang/19. */
static const char *
resource_dir_of(const char *clang)
{
    char *path = realpath(clang, NULL);

    if (!path)
        return LS_CLANG_RESOURCE_DIR;
    char *folder = dirname(path);
    char *found =
        ls_hipcc_format("%s/../lib/clang/%s", folder, ls_path_base(LS_CLANG_RESOURCE_DIR));
    return ls_file_exists(found) ? found : LS_CLANG_RESOURCE_DIR;
}

/* The linker for code objects, beside clang itself; not by its name ld.lld: what CMake finds behind
 * that name in the output of -v it takes for the link of the program. */
static const char *
lld_of(const char *clang)
{
    char *path = realpath(clang, NULL);
    char *found = path ? ls_hipcc_format("%s/lld", dirname(path)) : NULL;

    return found && ls_file_exists(found) ? found : NULL;
}

/* lib/llvm/bin/clang is a link to hipcc. */
static bool
is_ourselves(const char *clang)
{
    char *real = realpath(clang, NULL), *own = realpath("/proc/self/exe", NULL);
    bool same = real && own && (!strcmp(real, own) || !strcmp(ls_path_base(real), "hipcc"));

    free(real);
    free(own);
    return same;
}

bool
ls_install_find_root(void)
{
    char *folder = own_folder();

    if (!folder) {
        ls_say_error("cannot find the folder that this program lies in");
        return false;
    }
    ls_install.root = dirname(ls_hipcc_format("%s", folder));
    ls_install.include_dir = ls_hipcc_format("%s/include", ls_install.root);
    ls_install.lib_dir = ls_hipcc_format("%s/lib", ls_install.root);
    return true;
}

bool
ls_platform_is_nvidia(void)
{
    const char *platform = getenv("HIP_PLATFORM");

    return platform && (!strcmp(platform, "nvidia") || !strcmp(platform, "nvcc"));
}

/* nvcc in PATH, or NULL. */
static char *
nvcc_in_path(void)
{
    const char *path = getenv("PATH");

    for (const char *at = path; at && *at;) {
        size_t n = strcspn(at, ":");
        char *found = ls_hipcc_format("%.*s/nvcc", (int)n, at);

        if (n && !access(found, X_OK))
            return found;
        at += n + (at[n] != '\0');
    }
    return NULL;
}

/* The folder that nvcc says it belongs to (TOP), or NULL: packages put a script into PATH that
 * calls the real one. */
static char *
top_of_nvcc(char *nvcc)
{
    static char says_top[] = "#$ TOP=";
    struct ls_strv argv = {0};
    struct ls_child child, *children[] = {&child};
    const char *words[] = {nvcc, "--dryrun", "-x", "cu", "/dev/null"};

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        ls_strv_push(&argv, words[i]);
    if (!ls_child_start(&child, &argv, LS_CHILD_CAPTURE))
        return NULL;
    while (ls_children_step(children, 1))
        continue;
    ls_buf_add(&child.err, "", 1);
    const char *top = strstr(child.err.data, says_top);
    if (!top)
        return NULL;
    top += strlen(says_top);
    return realpath(ls_hipcc_format("%.*s", (int)strcspn(top, "\r\n"), top), NULL);
}

/* Where the CUDA of an nvcc that was found in PATH lies: beside it, behind links, or where it says
 * itself. */
static char *
cuda_of(char *nvcc)
{
    char *real = realpath(nvcc, NULL);
    char *cuda = dirname(dirname(ls_hipcc_format("%s", real ? real : nvcc)));

    free(real);
    if (ls_file_exists(ls_hipcc_format("%s/include/cuda_runtime.h", cuda)))
        return cuda;
    char *top = top_of_nvcc(nvcc);
    return top ? top : cuda;
}

bool
ls_nvcc_find(void)
{
    const char *from_env = getenv("CUDA_PATH");
    char *nvcc = from_env && *from_env ? ls_hipcc_format("%s/bin/nvcc", from_env) : nvcc_in_path();

    if (!nvcc)
        nvcc = ls_hipcc_format("/usr/local/cuda/bin/nvcc");
    if (access(nvcc, X_OK) != 0) {
        ls_say_error("HIP_PLATFORM=nvidia needs nvcc of CUDA 12 or later, and '%s' is none: "
                     "CUDA_PATH says where CUDA lies",
                     nvcc);
        return false;
    }
    ls_install.nvcc = nvcc;
    ls_install.cuda = from_env && *from_env ? ls_hipcc_format("%s", from_env) : cuda_of(nvcc);
    return true;
}

/* The first of the folders that has AMD's device libraries; none: where they were for the build. */
static const char *
find_rocm_bitcode(void)
{
    const char *dirs = LS_ROCM_BITCODE_DIRS;

    for (const char *at = dirs; *at;) {
        int n = (int)strcspn(at, ":");
        char *file = ls_hipcc_format("%.*s/ocml.bc", n, at);
        bool found = ls_file_exists(file);

        free(file);
        if (found)
            return ls_hipcc_format("%.*s", n, at);
        at += n + (at[n] != '\0');
    }
    return ls_hipcc_format("%.*s", (int)strcspn(dirs, ":"), dirs);
}

bool
ls_install_find(void)
{
    const char *from_env = getenv("HIP_CLANG_PATH");

    if (!ls_install_find_root())
        return false;
    ls_install.bitcode_dir = ls_hipcc_format("%s/lib/lockstep", ls_install.root);
    ls_install.rocm_bitcode_dir = find_rocm_bitcode();
    ls_install.clang = from_env && *from_env ? ls_hipcc_format("%s/clang", from_env) : LS_CLANG;
    if (is_ourselves(ls_install.clang)) /* HIP_CLANG_PATH=`hipconfig -l` */
        ls_install.clang = LS_CLANG;
    if (!ls_file_exists(ls_install.clang)) {
        ls_say_error("clang 19 is needed and '%s' does not exist (Debian: apt install clang-19)",
                     ls_install.clang);
        return false;
    }
    ls_install.resource_dir = resource_dir_of(ls_install.clang);
    ls_install.lld = lld_of(ls_install.clang);
    return true;
}
