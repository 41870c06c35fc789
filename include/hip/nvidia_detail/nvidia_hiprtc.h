/* SPDX-License-Identifier: MIT */
/* hiprtc on NVIDIA's platform: NVRTC, and the driver's linker. hiprtcResult has NVRTC's numbers and
 * the linker's options have the driver's. */
#ifndef HIP_NVIDIA_DETAIL_HIPRTC_H
#define HIP_NVIDIA_DETAIL_HIPRTC_H

#include <nvrtc.h>
#include <stdlib.h>
#include <string.h>

#include <hip/hip_runtime_api.h>

typedef nvrtcProgram hiprtcProgram;
typedef CUlinkState hiprtcLinkState;

static inline hiprtcResult
ls_nvrtc_result(nvrtcResult result)
{
    return result >= NVRTC_SUCCESS && result <= NVRTC_ERROR_INTERNAL_ERROR
               ? (hiprtcResult)result
               : HIPRTC_ERROR_INTERNAL_ERROR;
}

static inline const char *
hiprtcGetErrorString(hiprtcResult result)
{
    return result == HIPRTC_ERROR_LINKING ? "HIPRTC_ERROR_LINKING"
                                          : nvrtcGetErrorString((nvrtcResult)result);
}

#define LS_NVRTC(hip, nv, params, args) \
    static inline hiprtcResult hip params \
    { \
        return ls_nvrtc_result(nv args); \
    }
LS_NVRTC(hiprtcVersion, nvrtcVersion, (int *major, int *minor), (major, minor))
LS_NVRTC(hiprtcCreateProgram, nvrtcCreateProgram,
         (hiprtcProgram *prog, const char *src, const char *name, int numHeaders,
          const char **headers, const char **includeNames),
         (prog, src, name, numHeaders, headers, includeNames))
LS_NVRTC(hiprtcDestroyProgram, nvrtcDestroyProgram, (hiprtcProgram *prog), (prog))
LS_NVRTC(hiprtcAddNameExpression, nvrtcAddNameExpression,
         (hiprtcProgram prog, const char *name_expression), (prog, name_expression))
LS_NVRTC(hiprtcGetLoweredName, nvrtcGetLoweredName,
         (hiprtcProgram prog, const char *name_expression, const char **lowered_name),
         (prog, name_expression, lowered_name))
LS_NVRTC(hiprtcGetProgramLogSize, nvrtcGetProgramLogSize,
         (hiprtcProgram prog, size_t *logSizeRet), (prog, logSizeRet))
LS_NVRTC(hiprtcGetProgramLog, nvrtcGetProgramLog, (hiprtcProgram prog, char *log), (prog, log))
LS_NVRTC(hiprtcGetCodeSize, nvrtcGetPTXSize, (hiprtcProgram prog, size_t *codeSizeRet),
         (prog, codeSizeRet))
LS_NVRTC(hiprtcGetCode, nvrtcGetPTX, (hiprtcProgram prog, char *code), (prog, code))
LS_NVRTC(hiprtcGetBitcodeSize, nvrtcGetLTOIRSize, (hiprtcProgram prog, size_t *bitcode_size),
         (prog, bitcode_size))
LS_NVRTC(hiprtcGetBitcode, nvrtcGetLTOIR, (hiprtcProgram prog, char *bitcode), (prog, bitcode))
#undef LS_NVRTC

/* HIP's options as NVRTC has them: --offload-arch= is --gpu-architecture=; the level of
 * optimisation and AMD's targets mean nothing to it. NULL = to be left out. */
static inline const char *
ls_nvrtc_option(const char *option, char **made)
{
    static const char arch[] = "--offload-arch=", nv_arch[] = "--gpu-architecture=";
    const char *target = strstr(option, "=gfx");

    *made = NULL;
    if ((option[0] == '-' && option[1] == 'O') || (target && strstr(option, "arch")))
        return NULL;
    if (!strcmp(option, "-fgpu-rdc"))
        return "-dlto";
    if (strncmp(option, arch, sizeof(arch) - 1) != 0)
        return option;
    *made = (char *)malloc(strlen(option) + sizeof(nv_arch));
    if (!*made)
        return option;
    strcpy(*made, nv_arch);
    return strcat(*made, option + sizeof(arch) - 1);
}

static inline hiprtcResult
hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char **options)
{
    const char **list = (const char **)calloc((size_t)numOptions + 1, 2 * sizeof(*list));
    char **made = (char **)(list + numOptions + 1);
    hiprtcResult result;
    int n = 0;

    if (!list)
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < numOptions; i++) {
        list[n] = ls_nvrtc_option(options[i], &made[i]);
        n += list[n] != NULL;
    }
    result = ls_nvrtc_result(nvrtcCompileProgram(prog, n, list));
    for (int i = 0; i < numOptions; i++)
        free(made[i]);
    free(list);
    return result;
}

static inline hiprtcResult
ls_nvrtc_linked(hipError_t error)
{
    switch (error) {
    case hipSuccess: return HIPRTC_SUCCESS;
    case hipErrorOutOfMemory: return HIPRTC_ERROR_OUT_OF_MEMORY;
    case hipErrorInvalidValue: return HIPRTC_ERROR_INVALID_INPUT;
    default: return HIPRTC_ERROR_LINKING;
    }
}

static inline hiprtcResult
hiprtcLinkCreate(unsigned int num_options, hiprtcJIT_option *option_ptr, void **option_vals_pptr,
                 hiprtcLinkState *hip_link_state_ptr)
{
    return ls_nvrtc_linked(
        hipLinkCreate(num_options, (hipJitOption *)option_ptr, option_vals_pptr,
                      hip_link_state_ptr));
}

static inline hiprtcResult
hiprtcLinkAddFile(hiprtcLinkState hip_link_state, hiprtcJITInputType input_type,
                  const char *file_path, unsigned int num_options, hiprtcJIT_option *options_ptr,
                  void **option_values)
{
    return ls_nvrtc_linked(hipLinkAddFile(hip_link_state, (hipJitInputType)input_type, file_path,
                                          num_options, (hipJitOption *)options_ptr,
                                          option_values));
}

static inline hiprtcResult
hiprtcLinkAddData(hiprtcLinkState hip_link_state, hiprtcJITInputType input_type, void *image,
                  size_t image_size, const char *name, unsigned int num_options,
                  hiprtcJIT_option *options_ptr, void **option_values)
{
    return ls_nvrtc_linked(hipLinkAddData(hip_link_state, (hipJitInputType)input_type, image,
                                          image_size, name, num_options,
                                          (hipJitOption *)options_ptr, option_values));
}

static inline hiprtcResult
hiprtcLinkComplete(hiprtcLinkState hip_link_state, void **bin_out, size_t *size_out)
{
    return ls_nvrtc_linked(hipLinkComplete(hip_link_state, bin_out, size_out));
}

static inline hiprtcResult
hiprtcLinkDestroy(hiprtcLinkState hip_link_state)
{
    return ls_nvrtc_linked(hipLinkDestroy(hip_link_state));
}

#endif
