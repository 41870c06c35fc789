/* SPDX-License-Identifier: MIT */
/* NEEDS: hiprtc amdhip64 */
/* hiprtc: programs in memory, compiled by the real compiler and run. */
#include <dirent.h>
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>

#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include "unit/test.h"

#define OK(call)          EXPECT_EQ(call, hipSuccess)
#define RTC(call)         EXPECT_EQ(call, HIPRTC_SUCCESS)
#define FAILS(code, call) EXPECT_EQ(call, HIPRTC_ERROR_##code)

/* One folder for what these tests leave in the cache, so that the header is precompiled once. */
__attribute__((constructor)) static void
own_cache(void)
{
    char path[PATH_MAX] = "", cache[PATH_MAX + 32];

    if (readlink("/proc/self/exe", path, sizeof(path) - 1) > 0) {
        snprintf(cache, sizeof(cache), "%s/hiprtc-cache", dirname(path));
        setenv("LOCKSTEP_CACHE_DIR", cache, 1);
    }
}

static hiprtcProgram
create(const char *source)
{
    hiprtcProgram prog = NULL;

    RTC(hiprtcCreateProgram(&prog, source, "unit.cu", 0, NULL, NULL));
    REQUIRE(prog);
    return prog;
}

static char *
log_of(hiprtcProgram prog)
{
    size_t n = 0;
    char *log;

    RTC(hiprtcGetProgramLogSize(prog, &n));
    log = calloc(1, n + 1);
    RTC(hiprtcGetProgramLog(prog, log));
    if (n)
        EXPECT_EQ(strlen(log), n - 1);
    return log;
}

static hiprtcResult
compile(hiprtcProgram prog, int n, const char **options)
{
    hiprtcResult result = hiprtcCompileProgram(prog, n, options);

    if (result != HIPRTC_SUCCESS) {
        char *log = log_of(prog);

        fprintf(stderr, "%s\n", log);
        free(log);
    }
    return result;
}

static char *
code_of(hiprtcProgram prog, size_t *n)
{
    char *code;

    *n = 0;
    RTC(hiprtcGetCodeSize(prog, n));
    REQUIRE(*n);
    code = malloc(*n);
    RTC(hiprtcGetCode(prog, code));
    return code;
}

static hipModule_t
load(hiprtcProgram prog)
{
    hipModule_t module = NULL;
    size_t n;
    char *code = code_of(prog, &n);

    OK(hipModuleLoadData(&module, code));
    REQUIRE(module);
    free(code);
    return module;
}

/* Runs kernel(int *out) with one block of 64 threads; out[0..63] starts as zeros. */
static void
run(hipModule_t module, const char *kernel, int out[64])
{
    hipFunction_t function = NULL;
    int *device;
    void *args[] = {&device};

    OK(hipModuleGetFunction(&function, module, kernel));
    REQUIRE(function);
    OK(hipMalloc((void **)&device, 64 * sizeof(int)));
    OK(hipMemset(device, 0, 64 * sizeof(int)));
    OK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
    OK(hipMemcpy(out, device, 64 * sizeof(int), hipMemcpyDeviceToHost));
    OK(hipFree(device));
}

static void
run_program(hiprtcProgram prog, const char *kernel, int out[64])
{
    hipModule_t module = load(prog);

    run(module, kernel, out);
    OK(hipModuleUnload(module));
}

LS_TEST(a_kernel_runs)
{
    hiprtcProgram prog =
        create("extern \"C\" __global__ void f(int *p) { p[threadIdx.x] = 3 * threadIdx.x; }");
    int out[64];

    RTC(compile(prog, 0, NULL));
    run_program(prog, "f", out);
    for (int i = 0; i < 64; i++)
        EXPECT_EQ(out[i], 3 * i);
    RTC(hiprtcDestroyProgram(&prog));
    EXPECT(prog == NULL);
}

static const char templates[] =
    "template <typename T, int n> __global__ void add(T *p) { p[threadIdx.x] += (T)n; }\n"
    "namespace ns { __device__ int var = 5; __constant__ float table[4]; }\n"
    "template <typename T> __device__ T slot = 7;\n"
    "static __global__ void hidden(int *p) { p[0] = ns::var + slot<int>; }\n";

LS_TEST(name_expressions)
{
    static const char *const want[][2] = {
        {"add<int, 1 + 2>", "_Z3addIiLi3EEvPT_"},
        {"&add<unsigned,4>", "_Z3addIjLi4EEvPT_"},
        {"ns::var", "_ZN2ns3varE"},
        {"&ns::table", "_ZN2ns5tableE"},
        {"slot<int>", "_Z4slotIiE"},
    };
    hiprtcProgram prog = create(templates);
    const char *name = NULL;
    hipModule_t module;
    hipDeviceptr_t var;
    size_t bytes;
    int out[64];

    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
        RTC(hiprtcAddNameExpression(prog, want[i][0]));
    RTC(hiprtcAddNameExpression(prog, "hidden"));
    RTC(hiprtcAddNameExpression(prog, "&hidden")); /* the same again */
    FAILS(NO_LOWERED_NAMES_BEFORE_COMPILATION, hiprtcGetLoweredName(prog, "ns::var", &name));
    RTC(compile(prog, 0, NULL));
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        RTC(hiprtcGetLoweredName(prog, want[i][0], &name));
        EXPECT_STR(name, want[i][1]);
    }
    FAILS(NAME_EXPRESSION_NOT_VALID, hiprtcGetLoweredName(prog, "add<char, 1>", &name));
    FAILS(NO_NAME_EXPRESSIONS_AFTER_COMPILATION, hiprtcAddNameExpression(prog, "add<char, 1>"));

    module = load(prog);
    OK(hipModuleGetGlobal(&var, &bytes, module, "_ZN2ns3varE"));
    EXPECT_EQ(bytes, 4);
    run(module, "_Z3addIiLi3EEvPT_", out);
    EXPECT_EQ(out[63], 3);
    RTC(hiprtcGetLoweredName(prog, "hidden", &name));
    run(module, name, out);
    EXPECT_EQ(out[0], 12);
    /* What finds the names leaves nothing behind. */
    EXPECT_EQ(hipModuleGetGlobal(&var, &bytes, module, "__ls_rtc_name_0"), hipErrorNotFound);
    OK(hipModuleUnload(module));
    RTC(hiprtcDestroyProgram(&prog));
}

LS_TEST(errors_are_in_the_log)
{
    hiprtcProgram prog = create("__global__ void f(int *p)\n{\n    p[0] = nothing;\n}\n");
    const char *bad_option = "--no-such-option", *werror[] = {"-Wall", "-Werror"};
    size_t n = 1;
    char *log;

    FAILS(COMPILATION, hiprtcCompileProgram(prog, 0, NULL));
    log = log_of(prog);
    EXPECT(strstr(log, "unit.cu:3:12: error: use of undeclared identifier 'nothing'"));
    EXPECT(strstr(log, "p[0] = nothing;"));
    free(log);
    RTC(hiprtcGetCodeSize(prog, &n));
    EXPECT_EQ(n, 0);
    FAILS(INVALID_PROGRAM, hiprtcGetBitcodeSize(prog, &n));
    RTC(hiprtcDestroyProgram(&prog));

    prog = create("extern \"C\" __global__ void f(int *p) { int unused; p[0] = 1; }");
    FAILS(COMPILATION, hiprtcCompileProgram(prog, 1, &bad_option));
    log = log_of(prog);
    EXPECT(strstr(log, "--no-such-option"));
    free(log);
    FAILS(COMPILATION, hiprtcCompileProgram(prog, 2, werror));
    RTC(hiprtcCompileProgram(prog, 1, werror)); /* the same program again, with a warning */
    log = log_of(prog);
    EXPECT(strstr(log, "unused variable"));
    free(log);
    RTC(hiprtcDestroyProgram(&prog));

    prog = create("__global__ void f(int *p) {}");
    RTC(hiprtcAddNameExpression(prog, "g<int>"));
    FAILS(COMPILATION, hiprtcCompileProgram(prog, 0, NULL));
    log = log_of(prog);
    EXPECT(strstr(log, "g<int>:1:"));
    free(log);
    RTC(hiprtcDestroyProgram(&prog));
}

LS_TEST(headers_in_memory)
{
    const char *names[] = {"types.h", "deep/er/inner.h", "../up.h", "bad.h"};
    const char *texts[] = {"#include <deep/er/inner.h>\ntypedef int number;\n",
                           "#include \"../up.h\"\n#define N 40\n", "#define M 2\n",
                           "\n\nsyntax error\n"};
    const char *source = "#include \"types.h\"\n"
                         "#include \"../up.h\"\n"
                         "extern \"C\" __global__ void f(number *p) { p[0] = N + M; }\n";
    hiprtcProgram prog;
    char *log;
    int out[64];

    names[1] = "inner.h";
    texts[0] = "#include <inner.h>\ntypedef int number;\n";
    texts[1] = "#define N 40\n";
    RTC(hiprtcCreateProgram(&prog, source, NULL, 3, texts, names));
    RTC(compile(prog, 0, NULL));
    run_program(prog, "f", out);
    EXPECT_EQ(out[0], 42);
    RTC(hiprtcDestroyProgram(&prog));

    RTC(hiprtcCreateProgram(&prog, "#include \"sub/bad.h\"\n", "x.cu", 1, texts + 3,
                            (const char *[]){"sub/bad.h"}));
    FAILS(COMPILATION, hiprtcCompileProgram(prog, 0, NULL));
    log = log_of(prog);
    EXPECT(strstr(log, "In file included from x.cu:1:"));
    EXPECT(strstr(log, "\nsub/bad.h:3:"));
    free(log);
    RTC(hiprtcDestroyProgram(&prog));

    names[0] = "/etc/passwd";
    FAILS(INVALID_INPUT, hiprtcCreateProgram(&prog, source, NULL, 1, texts, names));
    names[0] = "../../../../../../../../../../x.h";
    FAILS(INVALID_INPUT, hiprtcCreateProgram(&prog, source, NULL, 1, texts, names));
    names[0] = "a.h";
    texts[0] = "";
    FAILS(INVALID_INPUT, hiprtcCreateProgram(&prog, source, NULL, 1, texts, names));
}

LS_TEST(no_library_headers_are_needed)
{
    /* Names of the C and C++ library are the program's own; what belongs to HIP is there. */
    hiprtcProgram prog =
        create("typedef long long int64_t;\n"
               "namespace std { template <bool b, typename T = void> struct enable_if {}; }\n"
               "static_assert(__hip_internal::is_same<int64_t, long long>::value, \"\");\n"
               "__device__ __half h = 1.5f;\n"
               "extern \"C\" __global__ void f(int *p) {\n"
               "    float4 v = make_float4(1, 2, 3, 4);\n"
               "    assert(v.w == 4.0f);\n"
               "    hip_bfloat16 b(2.0f);\n"
               "    char *heap = (char *)malloc(16);\n"
               "    memset(heap, 1, 16);\n"
               "    p[threadIdx.x] = (int)(float)(h + h) + (int)b + (int)sqrtf(v.w) + heap[3] + "
               "__popc(warpSize);\n"
               "    free(heap);\n"
               "    atomicAdd(&p[0], HIP_VERSION_MAJOR);\n"
               "}\n");
    int out[64];

    RTC(compile(prog, 0, NULL));
    run_program(prog, "f", out);
    EXPECT_EQ(out[63], 3 + 2 + 2 + 1 + 1);
    EXPECT_EQ(out[0], 9 + 64 * 6);
    RTC(hiprtcDestroyProgram(&prog));

    /* The fixed-width integers of AMD's headers are there for who lacks them. */
    prog = create(
        "static_assert(__hip_internal::is_same<int64_t, long long>::value, \"\");\n"
        "extern \"C\" __global__ void f(uint32_t *p) {\n"
        "    p[0] = (uint32_t)(uint64_t)sizeof(std::uint64_t) + (uint32_t)sizeof(std::int32_t);\n"
        "}\n");
    RTC(compile(prog, 0, NULL));
    run_program(prog, "f", out);
    EXPECT_EQ(out[0], 12);
    RTC(hiprtcDestroyProgram(&prog));

    prog = create("#include <type_traits>\n#include <cstdint>\n#include <hip/hip_bf16.h>\n#include "
                  "<hip/hip_fp8.h>\n"
                  "extern \"C\" __global__ void f(std::int32_t *p) { p[0] = std::is_same<int, "
                  "std::int32_t>::value; }");
    RTC(compile(prog, 0, NULL));
    run_program(prog, "f", out);
    EXPECT_EQ(out[0], 1);
    RTC(hiprtcDestroyProgram(&prog));
}

LS_TEST(options)
{
    const char *options[] = {"-DVALUE=41", "-D",  "STEP=1",
                             "-std=c++17", "-O1", "--gpu-architecture=gfx1100",
                             "-DHIP_OWN=1"};
    const char *no_header[] = {"--hiprtc-no-builtin-header"};
    const char *other_arch[] = {"--offload-arch=gfx90a"};
    hiprtcProgram prog = create(
        "template <typename T> constexpr int two() { if constexpr (sizeof(T) == 4) return 2; "
        "else return 3; }\n"
        "extern \"C\" __global__ void f(int *p) { p[0] = VALUE + STEP; p[1] = __cplusplus / 100; "
        "p[2] = two<int>() + HIP_OWN; }");
    hipModule_t module;
    char *code;
    size_t n;
    int out[64];

    RTC(compile(prog, 7, options));
    run_program(prog, "f", out);
    EXPECT_EQ(out[0], 42);
    EXPECT_EQ(out[1], 2017);
    EXPECT_EQ(out[2], 3);
    RTC(hiprtcDestroyProgram(&prog));

    prog = create("__device__ int i; __attribute__((global)) void k() { __syncthreads(); }");
    FAILS(COMPILATION, hiprtcCompileProgram(prog, 1, no_header));
    RTC(hiprtcDestroyProgram(&prog));

    prog = create("extern \"C\" __global__ void f(int *p) { p[0] = warpSize; }");
    RTC(compile(prog, 1, other_arch));
    code = code_of(prog, &n);
    EXPECT_EQ(hipModuleLoadData(&module, code), hipErrorNoBinaryForGpu);
    free(code);
    RTC(hiprtcDestroyProgram(&prog));
    setenv("HIPRTC_COMPILE_OPTIONS_APPEND", "-DA=1  -DB=2", 1);
    prog = create("extern \"C\" __global__ void f(int *p) { p[0] = A + B; }");
    RTC(compile(prog, 0, NULL));
    RTC(hiprtcDestroyProgram(&prog));
}

static void *
bitcode_of(const char *source, size_t *n)
{
    const char *rdc = "-fgpu-rdc";
    hiprtcProgram prog = create(source);
    void *bitcode;

    RTC(compile(prog, 1, &rdc));
    *n = 1;
    RTC(hiprtcGetCodeSize(prog, n));
    EXPECT_EQ(*n, 0);
    RTC(hiprtcGetBitcodeSize(prog, n));
    REQUIRE(*n);
    bitcode = malloc(*n);
    RTC(hiprtcGetBitcode(prog, bitcode));
    RTC(hiprtcDestroyProgram(&prog));
    return bitcode;
}

/* An offload bundle with one entry for the device and one for another. */
static char *
bundle_of(const void *bitcode, size_t n, size_t *n_bundle)
{
    static const char *const ids[] = {"hip-amdgcn-amd-amdhsa--gfx803",
                                      "hip-amdgcn-amd-amdhsa--gfx1100"};
    uint64_t count = 2, at = 32 + 2 * 24 + strlen(ids[0]) + strlen(ids[1]);
    char *bundle = calloc(1, at + n), *p = bundle;

    memcpy(p, "__CLANG_OFFLOAD_BUNDLE__", 24);
    memcpy(p + 24, &count, 8);
    p += 32;
    for (int i = 0; i < 2; i++) {
        uint64_t entry[3] = {at, i ? n : 0, strlen(ids[i])};

        memcpy(p, entry, 24);
        memcpy(p + 24, ids[i], strlen(ids[i]));
        p += 24 + strlen(ids[i]);
    }
    memcpy(p, bitcode, n);
    *n_bundle = at + n;
    return bundle;
}

/* Bitcode may kill the linker, but not the program. */
LS_TEST(linker_of_hostile_bitcode)
{
    size_t n, n_code;
    char *good =
        bitcode_of("extern \"C\" __global__ void f(int *p) { p[threadIdx.x] = threadIdx.x; }", &n);
    char *bad = malloc(n);
    uint32_t r = 1;

    REQUIRE(bad);
    for (int i = 0; i < 60; i++) {
        hiprtcLinkState state = NULL;
        void *code = NULL;

        memcpy(bad, good, n);
        for (int k = 0; k <= i % 3; k++) {
            r = r * 1664525u + 1013904223u;
            bad[(r >> 8) % n] ^= (char)(1u << (r >> 4 & 7));
        }
        RTC(hiprtcLinkCreate(0, NULL, NULL, &state));
        if (hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, bad, n, "bad", 0, NULL, NULL) ==
            HIPRTC_SUCCESS)
            (void)hiprtcLinkComplete(state, &code, &n_code);
        RTC(hiprtcLinkDestroy(state));
    }
    free(bad);
    free(good);
}

LS_TEST(linker)
{
    size_t n_kernel, n_callee, n_code, n_bundle;
    void *kernel = bitcode_of(
        "__device__ int twice(int x); extern __device__ int offset;\n"
        "extern \"C\" __global__ void f(int *p) { p[threadIdx.x] = twice(threadIdx.x) + offset; }",
        &n_kernel);
    void *callee = bitcode_of(
        "__device__ int offset = 9; __device__ int twice(int x) { return 2 * x; }", &n_callee);
    char *bundle = bundle_of(callee, n_callee, &n_bundle), errors[4096] = "";
    hiprtcJIT_option options[] = {HIPRTC_JIT_ERROR_LOG_BUFFER,
                                  HIPRTC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                                  HIPRTC_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {errors, (void *)sizeof(errors), (void *)2}, *code = NULL;
    hiprtcLinkState state = NULL;
    hipModule_t module = NULL;
    int out[64];

    RTC(hiprtcLinkCreate(3, options, values, &state));
    FAILS(INVALID_INPUT,
          hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_PTX, kernel, n_kernel, "k", 0, NULL, NULL));
    FAILS(PROGRAM_CREATION_FAILURE,
          hiprtcLinkAddFile(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, "/no/such/file", 0, NULL, NULL));
    FAILS(PROGRAM_CREATION_FAILURE, hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE,
                                                      bundle, n_bundle / 2, "half", 0, NULL, NULL));
    RTC(hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, kernel, n_kernel, "k", 0, NULL,
                          NULL));
    RTC(hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE, bundle, n_bundle, NULL, 0,
                          NULL, NULL));
    RTC(hiprtcLinkComplete(state, &code, &n_code));
    REQUIRE(code && n_code);
    OK(hipModuleLoadData(&module, code));
    REQUIRE(module);
    run(module, "f", out);
    EXPECT_EQ(out[5], 19);
    OK(hipModuleUnload(module));
    RTC(hiprtcLinkDestroy(state));
    FAILS(INVALID_INPUT, hiprtcLinkDestroy(state)); /* stale */

    RTC(hiprtcLinkCreate(3, options, values, &state));
    FAILS(LINKING, hiprtcLinkComplete(state, &code, &n_code)); /* nothing */
    RTC(hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, bundle, n_bundle, "not bitcode", 0,
                          NULL, NULL));
    errors[0] = 0;
    FAILS(LINKING, hiprtcLinkComplete(state, &code, &n_code));
    EXPECT(errors[0] != 0);
    RTC(hiprtcLinkDestroy(state));
    values[0] = NULL;
    FAILS(INVALID_OPTION, hiprtcLinkCreate(3, options, values, &state));
    free(bundle);
    free(kernel);
    free(callee);
}

/* The same by HIP's own names, into a library. */
LS_TEST(hip_link)
{
    size_t n_kernel, n_code = 0;
    void *kernel = bitcode_of(
        "extern \"C\" __global__ void f(int *o) { o[threadIdx.x] = 3 * threadIdx.x; }", &n_kernel);
    hipLinkState_t state = NULL;
    hipLibrary_t library = NULL;
    hipKernel_t k = NULL;
    hipModule_t module = NULL;
    void *code = NULL;
    int out[64];

    OK(hipLinkCreate(0, NULL, NULL, &state));
    EXPECT_EQ(hipLinkAddFile(state, hipJitInputLLVMBitcode, "/no/such/file", 0, NULL, NULL),
              hipErrorInvalidConfiguration);
    EXPECT_EQ(hipLinkAddData(state, hipJitInputPtx, kernel, n_kernel, "k", 0, NULL, NULL),
              hipErrorInvalidValue);
    EXPECT_EQ(hipLinkAddData(state, hipJitInputLLVMBitcode, NULL, 0, "k", 0, NULL, NULL),
              hipErrorInvalidImage);
    OK(hipLinkAddData(state, hipJitInputLLVMBitcode, kernel, n_kernel, "k", 0, NULL, NULL));
    OK(hipLinkComplete(state, &code, &n_code));
    REQUIRE(code && n_code);
    OK(hipLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0));
    OK(hipLinkDestroy(state)); /* the library has a copy */
    EXPECT_EQ(hipLinkDestroy(NULL), hipErrorInvalidValue);
    OK(hipLibraryGetKernel(&k, library, "f"));
    OK(hipLibraryGetModule(&module, library));
    run(module, "f", out);
    EXPECT_EQ(out[5], 15);
    OK(hipLibraryUnload(library));
    OK(hipLinkCreate(0, NULL, NULL, &state));
    EXPECT_EQ(hipLinkComplete(state, &code, &n_code), hipErrorInvalidConfiguration); /* nothing */
    OK(hipLinkDestroy(state));
    free(kernel);
}

LS_TEST(bad_arguments)
{
    hiprtcProgram prog = create("__device__ int x;"), stale = prog, none = NULL;
    hiprtcLinkState state;
    const char *text = NULL;
    size_t n;
    int i;

    RTC(hiprtcDestroyProgram(&prog));
    FAILS(INVALID_PROGRAM, hiprtcDestroyProgram(&stale));
    FAILS(INVALID_INPUT, hiprtcDestroyProgram(NULL));
    FAILS(INVALID_PROGRAM, hiprtcCompileProgram(stale, 0, NULL));
    FAILS(INVALID_PROGRAM, hiprtcCompileProgram(none, 0, NULL));
    FAILS(INVALID_PROGRAM, hiprtcGetCodeSize(none, &n));
    FAILS(INVALID_PROGRAM, hiprtcGetProgramLogSize(stale, &n));
    FAILS(INVALID_PROGRAM, hiprtcAddNameExpression(none, "x"));
    FAILS(INVALID_PROGRAM, hiprtcCreateProgram(NULL, "x", "y", 0, NULL, NULL));
    FAILS(INVALID_INPUT, hiprtcCreateProgram(&prog, NULL, "y", 0, NULL, NULL));
    FAILS(INVALID_INPUT, hiprtcCreateProgram(&prog, "", "y", 0, NULL, NULL));
    FAILS(INVALID_INPUT, hiprtcCreateProgram(&prog, "x", "y", -1, NULL, NULL));
    FAILS(INVALID_INPUT, hiprtcCreateProgram(&prog, "x", "y", 1, NULL, NULL));
    FAILS(INVALID_INPUT, hiprtcVersion(NULL, &i));
    FAILS(INVALID_INPUT, hiprtcLinkCreate(0, NULL, NULL, NULL));
    FAILS(INVALID_INPUT, hiprtcLinkCreate(1, NULL, NULL, &state));
    FAILS(INVALID_INPUT, hiprtcLinkDestroy(NULL));
    prog = create("__device__ int x;");
    FAILS(INVALID_INPUT, hiprtcCompileProgram(prog, 1, NULL));
    FAILS(INVALID_INPUT, hiprtcCompileProgram(prog, -1, NULL));
    FAILS(INVALID_INPUT, hiprtcCompileProgram(prog, 1, &text));
    FAILS(INVALID_INPUT, hiprtcGetCodeSize(prog, NULL));
    FAILS(INVALID_INPUT, hiprtcGetCode(prog, NULL));
    FAILS(INVALID_INPUT, hiprtcGetProgramLog(prog, NULL));
    FAILS(INVALID_INPUT, hiprtcGetBitcode(prog, NULL));
    FAILS(INVALID_INPUT, hiprtcGetLoweredName(prog, NULL, &text));
    FAILS(INVALID_INPUT, hiprtcAddNameExpression(prog, NULL));
    FAILS(INVALID_INPUT, hiprtcAddNameExpression(prog, ""));
    RTC(hiprtcDestroyProgram(&prog));
    EXPECT_STR(hiprtcGetErrorString(HIPRTC_ERROR_LINKING), "HIPRTC_ERROR_LINKING");
    EXPECT(hiprtcGetErrorString((hiprtcResult)42) == NULL);
}

static void *
compile_one(void *arg)
{
    int me = (int)(intptr_t)arg;
    char source[256];
    hiprtcProgram prog;
    const char *name;
    int out[64];

    snprintf(source, sizeof(source),
             "template <int n> __global__ void f(int *p) { p[threadIdx.x] = n * %d; }", me + 1);
    prog = create(source);
    RTC(hiprtcAddNameExpression(prog, "f<100>"));
    RTC(compile(prog, 0, NULL));
    RTC(hiprtcGetLoweredName(prog, "f<100>", &name));
    run_program(prog, name, out);
    EXPECT_EQ(out[63], 100 * (me + 1));
    RTC(hiprtcDestroyProgram(&prog));
    return NULL;
}

LS_TEST(eight_threads)
{
    pthread_t threads[8];

    for (int i = 0; i < 8; i++)
        REQUIRE(pthread_create(&threads[i], NULL, compile_one, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

/* The code cache finds kernels by the hash of their code. */
LS_TEST(same_program_same_code_and_no_files_left)
{
    const char *header = "static __device__ int one() { return 1; }", *name = "one.h";
    char folder[] = "/tmp/ls-hiprtc-XXXXXX", *code[2];
    size_t n[2];
    DIR *dir;
    int entries = 0;

    REQUIRE(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
    for (int i = 0; i < 2; i++) {
        hiprtcProgram prog;

        RTC(hiprtcCreateProgram(
            &prog, "#include \"one.h\"\nstatic __global__ void f(int *p) { p[0] = one(); }", NULL,
            1, &header, &name));
        RTC(hiprtcAddNameExpression(prog, "f"));
        RTC(compile(prog, 0, NULL));
        code[i] = code_of(prog, &n[i]);
        RTC(hiprtcDestroyProgram(&prog));
    }
    EXPECT_EQ(n[0], n[1]);
    EXPECT(n[0] == n[1] && memcmp(code[0], code[1], n[0]) == 0);
    dir = opendir(folder);
    while (dir && readdir(dir))
        entries++;
    EXPECT_EQ(entries, 2); /* . and .. */
    closedir(dir);
    rmdir(folder);
    free(code[0]);
    free(code[1]);
}

LS_TEST(a_program_that_ignores_sigchld)
{
    hiprtcProgram prog = create("extern \"C\" __global__ void f(int *p) { p[0] = 8; }");
    int out[64];

    signal(SIGCHLD, SIG_IGN);
    RTC(compile(prog, 0, NULL));
    run_program(prog, "f", out);
    EXPECT_EQ(out[0], 8);
    RTC(hiprtcDestroyProgram(&prog));
}

LS_TEST(libamdhip64_exports_them_too)
{
    static const char *const names[] = {
        "hiprtcVersion",           "hiprtcCreateProgram",     "hiprtcDestroyProgram",
        "hiprtcAddNameExpression", "hiprtcGetLoweredName",    "hiprtcCompileProgram",
        "hiprtcGetProgramLog",     "hiprtcGetProgramLogSize", "hiprtcGetCode",
        "hiprtcGetCodeSize",       "hiprtcLinkCreate",        "hiprtcLinkAddFile",
        "hiprtcLinkAddData",       "hiprtcLinkComplete",      "hiprtcLinkDestroy",
        "hiprtcGetErrorString",
    };
    void *lib = dlopen("libamdhip64.so.6", RTLD_LAZY | RTLD_NOLOAD);
    hiprtcResult (*create_program)(hiprtcProgram *, const char *, const char *, int, const char **,
                                   const char **);
    const char *(*error_string)(hiprtcResult);
    hiprtcProgram prog = NULL;

    REQUIRE(lib);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        EXPECT(dlvsym(lib, names[i], "hip_4.2") != NULL);
    EXPECT(dlvsym(lib, "hiprtcGetBitcode", "hip_5.3") != NULL);
    EXPECT(dlvsym(lib, "hiprtcGetBitcodeSize", "hip_5.3") != NULL);
    *(void **)&create_program = dlvsym(lib, "hiprtcCreateProgram", "hip_4.2");
    *(void **)&error_string = dlvsym(lib, "hiprtcGetErrorString", "hip_4.2");
    REQUIRE(create_program && error_string);
    EXPECT_STR(error_string(HIPRTC_SUCCESS), "HIPRTC_SUCCESS");
    RTC(create_program(&prog, "__device__ int x;", NULL, 0, NULL, NULL));
    RTC(hiprtcDestroyProgram(&prog)); /* libhiprtc's own: the same programs */
}
