/* SPDX-License-Identifier: MIT */
/* hipconfig: tells build systems where this HIP lies and what it is. */
#include "hipcc_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Set once: CUDA's platform, and where CUDA lies or NULL. */
static bool nvidia;

static void
print_cpp_config(void)
{
    if (nvidia)
        printf("-D__HIP_PLATFORM_NVCC__= -D__HIP_PLATFORM_NVIDIA__= -I%s -I%s/include",
               ls_install.include_dir, ls_install.cuda);
    else
        printf("-D__HIP_PLATFORM_HCC__= -D__HIP_PLATFORM_AMD__= -I%s", ls_install.include_dir);
}

static void
print_full(void)
{
    struct utsname host;

    printf("HIP version: %s\n\n==hipconfig\n", LS_HIP_VERSION_STRING);
    printf("HIP_PATH           : %s\n", ls_install.root);
    printf("ROCM_PATH          : %s\n", ls_install.root);
    printf("HIP_COMPILER       : %s\nHIP_PLATFORM       : %s\nHIP_RUNTIME        : %s\n",
           nvidia ? "nvcc" : "clang", nvidia ? "nvidia" : "amd", nvidia ? "cuda" : "rocclr");
    printf("CPP_CONFIG         : ");
    print_cpp_config();
    if (nvidia)
        printf("\n\n==nvcc\nCUDA_PATH          : %s\n", ls_install.cuda);
    else
        printf("\n\n==hip-clang\nHIP_CLANG_PATH     : %s/llvm/bin\n", ls_install.lib_dir);
    if (!uname(&host))
        printf("\n==Host\n%s %s %s %s\n", host.sysname, host.nodename, host.release, host.machine);
}

static int
show_help(FILE *to)
{
    fputs("usage: hipconfig [option]\n"
          "  --path, -p         folder of this HIP\n"
          "  --rocmpath, -R     the same: there is no other ROCm\n"
          "  --cpp_config, -C   options for a C++ compiler (also --cxx_config)\n"
          "  --compiler, -c     clang; nvcc with HIP_PLATFORM=nvidia\n"
          "  --platform, -P     amd; nvidia with HIP_PLATFORM=nvidia\n"
          "  --runtime, -r      rocclr (the ABI that the runtime speaks); cuda likewise\n"
          "  --hipclangpath, -l folder of clang++ with HIP, for CMake and its like\n"
          "  --version, -v      version of HIP\n"
          "  --newline, -n      end with a line break\n"
          "  --full, -f         everything\n",
          to);
    return to == stderr;
}

enum question {
    ASK_FULL = 0, ASK_PATH, ASK_ROCM_PATH, ASK_CPP_CONFIG, ASK_COMPILER, ASK_PLATFORM, ASK_RUNTIME,
    ASK_CLANG_PATH, ASK_VERSION, ASK_NEWLINE, ASK_HELP,
};

static const struct {
    const char *name, *letter;
    enum question question;
} questions[] = {
    {"path", "p", ASK_PATH},           {"rocmpath", "R", ASK_ROCM_PATH},
    {"cpp_config", "C", ASK_CPP_CONFIG}, {"cxx_config", "", ASK_CPP_CONFIG},
    {"compiler", "c", ASK_COMPILER},
    {"platform", "P", ASK_PLATFORM},   {"runtime", "r", ASK_RUNTIME},
    {"hipclangpath", "l", ASK_CLANG_PATH}, {"version", "v", ASK_VERSION},
    {"newline", "n", ASK_NEWLINE},     {"full", "f", ASK_FULL},
    {"check", "", ASK_FULL},           {"help", "h", ASK_HELP},
};

static void
answer(enum question question)
{
    switch (question) {
    case ASK_PATH:
    case ASK_ROCM_PATH: fputs(ls_install.root, stdout); break;
    case ASK_CPP_CONFIG: print_cpp_config(); break;
    case ASK_COMPILER: fputs(nvidia ? "nvcc" : "clang", stdout); break;
    case ASK_PLATFORM: fputs(nvidia ? "nvidia" : "amd", stdout); break;
    case ASK_RUNTIME: fputs(nvidia ? "cuda" : "rocclr", stdout); break;
    case ASK_CLANG_PATH: printf("%s/llvm/bin", ls_install.lib_dir); break;
    case ASK_VERSION: fputs(LS_HIP_VERSION_STRING, stdout); break;
    case ASK_NEWLINE: putchar('\n'); break;
    default: print_full(); break;
    }
}

int
main(int argc, char **argv)
{
    ls_file_check_output();
    nvidia = ls_platform_is_nvidia();
    if (nvidia ? !ls_install_find_root() || !ls_nvcc_find() : !ls_install_find())
        return 1;
    if (argc == 1)
        answer(ASK_FULL);
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        bool found = false;

        while (*name == '-')
            name++;
        for (size_t j = 0; j < sizeof(questions) / sizeof(questions[0]) && !found; j++) {
            found = !strcmp(name, questions[j].name) ||
                    (*questions[j].letter && !strcmp(name, questions[j].letter));
            if (found && questions[j].question == ASK_HELP)
                return show_help(stdout);
            if (found)
                answer(questions[j].question);
        }
        if (!found) {
            fprintf(stderr, "hipconfig: unknown option '%s'\n", argv[i]);
            return show_help(stderr);
        }
    }
    return 0;
}
