/* SPDX-License-Identifier: MIT */
/* Commands: device bitcode -> code object for AMD hardware. */
#include "hipcc_priv.h"

#include <stdlib.h>

static void
add_builtin_bitcode(struct ls_strv *argv, const char *path)
{
    ls_strv_push(argv, "-Xclang");
    ls_strv_push(argv, "-mlink-builtin-bitcode");
    ls_strv_push(argv, "-Xclang");
    ls_strv_push(argv, path);
}

void
ls_device_libraries(const struct ls_plan *plan, const char *arch, enum ls_device_code code,
                    struct ls_strv *argv)
{
    char *own = ls_hipcc_format("%s/devlib_w%u%s.bc", ls_install.bitcode_dir,
                                ls_arch_warp_size(plan, arch), plan->fast_math ? "_fast" : "");
    char *ocml = ls_hipcc_format("%s/ocml.bc", ls_install.rocm_bitcode_dir);
    char *math = ls_hipcc_format("%s/devlib_math.bc", ls_install.bitcode_dir);

    if (code == LS_DEVICE_CODE_NVIDIA)
        add_builtin_bitcode(argv,
                            ls_hipcc_format("%s/devlib_nvidia.bc", ls_install.bitcode_dir));
    add_builtin_bitcode(argv, math);
    add_builtin_bitcode(argv, ocml);
    add_builtin_bitcode(argv, own);
    free(own);
    free(ocml);
    free(math);
}

/* Clang does it in one process with -c, and takes three to link as well. */
void
ls_codegen_command(const struct ls_plan *plan, const char *arch, const char *bitcode_path,
                   const char *object_path, struct ls_strv *argv)
{
    ls_strv_push(argv, ls_install.clang);
    ls_strv_push(argv, "--target=amdgcn-amd-amdhsa");
    ls_strv_pushf(argv, "-mcpu=%s", arch);
    ls_strv_pushf(argv, "-O%d", plan->opt_level);
    ls_strv_push(argv, "-nogpulib");
    ls_strv_push(argv, "-Xclang");
    ls_strv_push(argv, "-disable-llvm-passes"); /* the passes ran when the bitcode was made */
    add_builtin_bitcode(argv, ls_hipcc_format("%s/devlib_gfx.bc", ls_install.bitcode_dir));
    add_builtin_bitcode(argv, ls_hipcc_format("%s/ockl.bc", ls_install.rocm_bitcode_dir));
    add_builtin_bitcode(argv,
                        ls_hipcc_format("%s/oclc_abi_version_%d.bc", ls_install.rocm_bitcode_dir,
                                        plan->object_version == 4 ? 400 : 500));
    ls_device_libraries(plan, arch, LS_DEVICE_CODE_COMMON, argv);
    ls_strv_push(argv, "-Wno-unused-command-line-argument");
    ls_strv_push(argv, "-c");
    ls_strv_push(argv, "-x");
    ls_strv_push(argv, "ir");
    ls_strv_push(argv, bitcode_path);
    ls_strv_push(argv, "-o");
    ls_strv_push(argv, object_path);
}

void
ls_codelink_command(const struct ls_plan *plan, const char *arch, const char *object_path,
                    const char *output, struct ls_strv *argv)
{
    if (ls_install.lld) {
        ls_strv_push(argv, ls_install.lld);
        ls_strv_push(argv, "-flavor");
        ls_strv_push(argv, "gnu");
        ls_strv_push(argv, "--no-undefined");
        ls_strv_push(argv, "-shared");
    } else {
        ls_strv_push(argv, ls_install.clang);
        ls_strv_push(argv, "--target=amdgcn-amd-amdhsa");
        ls_strv_pushf(argv, "-mcpu=%s", arch);
        ls_strv_push(argv, "-nogpulib");
    }
    if (!plan->has_debug)
        ls_strv_push(argv, ls_install.lld ? "--strip-debug" : "-Wl,--strip-debug");
    ls_strv_push(argv, object_path);
    ls_strv_push(argv, "-o");
    ls_strv_push(argv, output);
}
