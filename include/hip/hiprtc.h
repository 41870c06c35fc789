/* SPDX-License-Identifier: MIT */
/* hiprtc: compiles HIP sources held in memory while the program runs (HIP Programming
 * Guide 3.3.7.3, "HIP Runtime Compilation"; AMD's API reference, "Runtime Compilation"). Link with
 * -lhiprtc; libamdhip64 exports the functions too.
 *
 * A source needs no #include for the kernel language. __HIPCC_RTC__ is defined in it. All functions
 * may be called from any thread; two threads must not use one program or link state at the same
 * time.
 */
#ifndef HIP_HIPRTC_H
#define HIP_HIPRTC_H

#include <stddef.h>
#include <hip/hip_common.h>
#ifdef __HIP_PLATFORM_NVIDIA__
#include <nvrtc.h>
#include <hip/hip_runtime_api.h>
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef enum hiprtcResult {
    HIPRTC_SUCCESS = 0,
    HIPRTC_ERROR_OUT_OF_MEMORY = 1,
    HIPRTC_ERROR_PROGRAM_CREATION_FAILURE = 2, /* also: a linker input that can't be read */
    HIPRTC_ERROR_INVALID_INPUT = 3,
    HIPRTC_ERROR_INVALID_PROGRAM =
        4, /* no such program, or it has no result of the kind asked for */
    HIPRTC_ERROR_INVALID_OPTION = 5,
    HIPRTC_ERROR_COMPILATION = 6, /* the program log says why */
    HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    HIPRTC_ERROR_INTERNAL_ERROR = 11,
    HIPRTC_ERROR_LINKING = 100 /* the error log buffer, if one was given, says why */
} hiprtcResult;

/* Options of the linker. Those of AMD's reference that name CUDA alone are accepted and mean
 * nothing. */
typedef enum hiprtcJIT_option {
    HIPRTC_JIT_MAX_REGISTERS = 0,
    HIPRTC_JIT_THREADS_PER_BLOCK,
    HIPRTC_JIT_WALL_TIME,
    HIPRTC_JIT_INFO_LOG_BUFFER,             /* value: char *, receives messages */
    HIPRTC_JIT_INFO_LOG_BUFFER_SIZE_BYTES,  /* value: the size itself, as a pointer */
    HIPRTC_JIT_ERROR_LOG_BUFFER,            /* value: char *, receives errors */
    HIPRTC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, /* value: the size itself, as a pointer */
    HIPRTC_JIT_OPTIMIZATION_LEVEL,
    HIPRTC_JIT_TARGET_FROM_HIPCONTEXT,
    HIPRTC_JIT_TARGET,
    HIPRTC_JIT_FALLBACK_STRATEGY,
    HIPRTC_JIT_GENERATE_DEBUG_INFO,
    HIPRTC_JIT_LOG_VERBOSE,
    HIPRTC_JIT_GENERATE_LINE_INFO,
    HIPRTC_JIT_CACHE_MODE,
    HIPRTC_JIT_NEW_SM3X_OPT,
    HIPRTC_JIT_FAST_COMPILE,
    HIPRTC_JIT_GLOBAL_SYMBOL_NAMES,
    HIPRTC_JIT_GLOBAL_SYMBOL_ADDRESS,
    HIPRTC_JIT_GLOBAL_SYMBOL_COUNT,
    HIPRTC_JIT_LTO,
    HIPRTC_JIT_FTZ,
    HIPRTC_JIT_PREC_DIV,
    HIPRTC_JIT_PREC_SQRT,
    HIPRTC_JIT_FMA,
    HIPRTC_JIT_NUM_OPTIONS,
    HIPRTC_JIT_IR_TO_ISA_OPT_EXT =
        10000, /* value: const char **, options for AMD's code generator: not used here */
    HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT
} hiprtcJIT_option;

/* What the linker is given. Only the three LLVM kinds are accepted. */
typedef enum hiprtcJITInputType {
    HIPRTC_JIT_INPUT_CUBIN = 0,
    HIPRTC_JIT_INPUT_PTX,
    HIPRTC_JIT_INPUT_FATBINARY,
    HIPRTC_JIT_INPUT_OBJECT,
    HIPRTC_JIT_INPUT_LIBRARY,
    HIPRTC_JIT_INPUT_NVVM,
    HIPRTC_JIT_NUM_LEGACY_INPUT_TYPES,
    HIPRTC_JIT_INPUT_LLVM_BITCODE = 100,                     /* bitcode or LLVM's assembly */
    HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE = 101,             /* an offload bundle of bitcode */
    HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE = 102, /* an archive of such bundles */
    HIPRTC_JIT_NUM_INPUT_TYPES = (HIPRTC_JIT_NUM_LEGACY_INPUT_TYPES + 3)
} hiprtcJITInputType;

#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/nvidia_detail/nvidia_hiprtc.h>
#else

typedef struct _hiprtcProgram *hiprtcProgram;
typedef struct ihiprtcLinkState *hiprtcLinkState;

/* The result's name; static storage. NULL for a number that is none. */
const char *hiprtcGetErrorString(hiprtcResult result);
/* Version of the interface: 9.0, as AMD's. */
hiprtcResult hiprtcVersion(int *major, int *minor);

/* A program of source text `src`, called `name` in messages (NULL: a made-up name). Header i is
 * headers[i], found by #include of includeNames[i], a relative path. Everything is copied. Neither
 * src nor a header may be empty. */
hiprtcResult hiprtcCreateProgram(hiprtcProgram *prog, const char *src, const char *name,
    int numHeaders, const char **headers, const char **includeNames);
/* Frees it and sets *prog to NULL. */
hiprtcResult hiprtcDestroyProgram(hiprtcProgram *prog);

/* Before compiling: asks for the lowered name of a kernel, __device__ or __constant__ variable,
 * like "kernel<float>" or "&ns::var"; templates are instantiated by it. */
hiprtcResult hiprtcAddNameExpression(hiprtcProgram prog, const char *name_expression);
/* After compiling: the symbol's name, for hipModuleGetFunction and hipModuleGetGlobal. Valid until
 * the program is destroyed. */
hiprtcResult hiprtcGetLoweredName(hiprtcProgram prog, const char *name_expression,
    const char **lowered_name);

/* Options are clang's, with --gpu-architecture=gfx... besides --offload-arch=. Without one of them
 * the target is the current device's. Defaults: -O3 -std=c++14. -fgpu-rdc makes bitcode for the
 * linker instead of code;
 * --hiprtc-no-builtin-header leaves out the kernel language. */
hiprtcResult hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char **options);

/* The compiler's messages with a final 0; the size is 0 when there are none. */
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram prog, size_t *logSizeRet);
hiprtcResult hiprtcGetProgramLog(hiprtcProgram prog, char *log);
/* What hipModuleLoadData loads; the size is 0 without a successful compilation and for
 * -fgpu-rdc. */
hiprtcResult hiprtcGetCodeSize(hiprtcProgram prog, size_t *codeSizeRet);
hiprtcResult hiprtcGetCode(hiprtcProgram prog, char *code);
/* LLVM bitcode of a compilation with -fgpu-rdc, else HIPRTC_ERROR_INVALID_PROGRAM. */
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram prog, size_t *bitcode_size);
hiprtcResult hiprtcGetBitcode(hiprtcProgram prog, char *bitcode);

/* A linker. Arrays of options and their values are read now, the log buffers written by
 * hiprtcLinkComplete. */
hiprtcResult hiprtcLinkCreate(unsigned int num_options, hiprtcJIT_option *option_ptr,
    void **option_vals_pptr, hiprtcLinkState *hip_link_state_ptr);
/* Adds an input; options per input mean nothing. Data is copied. */
hiprtcResult hiprtcLinkAddFile(hiprtcLinkState hip_link_state, hiprtcJITInputType input_type,
    const char *file_path, unsigned int num_options, hiprtcJIT_option *options_ptr,
    void **option_values);
hiprtcResult hiprtcLinkAddData(hiprtcLinkState hip_link_state, hiprtcJITInputType input_type,
    void *image, size_t image_size, const char *name, unsigned int num_options,
    hiprtcJIT_option *options_ptr, void **option_values);
/* Links for the current device. *bin_out is what hipModuleLoadData loads, valid until
 * hiprtcLinkDestroy. */
hiprtcResult hiprtcLinkComplete(hiprtcLinkState hip_link_state, void **bin_out, size_t *size_out);
hiprtcResult hiprtcLinkDestroy(hiprtcLinkState hip_link_state);
#endif

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
