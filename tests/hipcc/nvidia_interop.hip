// SPDX-License-Identifier: MIT
// HIP Programming Guide 4.9 and the API's C++ forms on NVIDIA's platform: handles are CUDA's, so
// that code of both, and of CUDA's driver, stands in one program.
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

#include <type_traits>
#include <vector>

static_assert(std::is_same<hipModule_t, CUmodule>::value, "4.9.1");
static_assert(std::is_same<hipFunction_t, CUfunction>::value, "4.9.1");
static_assert(std::is_same<hipCtx_t, CUcontext>::value, "4.9.1");
static_assert(std::is_same<hipDevice_t, CUdevice>::value, "4.9.1");
static_assert(std::is_same<hipStream_t, CUstream>::value, "4.9.1");
static_assert(std::is_same<hipStream_t, cudaStream_t>::value, "4.9.1");
static_assert(std::is_same<hipEvent_t, CUevent>::value, "4.9.1");
static_assert(std::is_same<hipEvent_t, cudaEvent_t>::value, "4.9.1");
static_assert(std::is_same<hipArray, cudaArray>::value, "4.9.1");
static_assert(sizeof(HIP_RESOURCE_DESC) == sizeof(CUDA_RESOURCE_DESC), "a cast leads to it");
static_assert(sizeof(hipMemAllocationProp) == sizeof(CUmemAllocationProp), "a cast leads to it");
static_assert(sizeof(hipMemAccessDesc) == sizeof(CUmemAccessDesc), "a cast leads to it");
static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute), "a cast leads to it");

__constant__ float table[4];
__device__ int symbol;

template <class T>
__global__ void
fill(T *p)
{
    *p = T(1);
}

#define TRY(call) \
    do { \
        hipError_t error = (call); \
        if (error != hipSuccess) \
            printf("%s: %s\n", #call, hipGetErrorName(error)); \
    } while (0)

/* 4.9.2: options of the driver's compiler; 4.9.3: its texture references. */
static void
modules(const void *image)
{
    const int count = 1;
    hipJitOption options[count] = {hipJitOptionMaxRegisters};
    unsigned registers = 15;
    void *values[count] = {(void *)(size_t)registers};
    textureReference *texture;
    hipModule_t module;
    hipFunction_t kernel;
    hipDevice_t device;
    hipCtx_t context;
    hipDeviceptr_t a;

    TRY(hipInit(0));
    TRY(hipDeviceGet(&device, 0));
    TRY(hipCtxCreate(&context, 0, device));
    CUcontext same = context;
    TRY(hipCtxSetCurrent(same));
    TRY(hipMalloc((void **)&a, 256));
    TRY(hipModuleLoadDataEx(&module, image, count, options, values));
    TRY(hipModuleGetFunction(&kernel, module, "hello_world"));
    std::vector<void *> arguments(2);
    size_t size = arguments.size() * sizeof(void *);
    void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments[0], HIP_LAUNCH_PARAM_BUFFER_SIZE,
                      &size, HIP_LAUNCH_PARAM_END};
    TRY(hipModuleLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, 0, NULL, (void **)&config));
    TRY(hipModuleGetTexRef(&texture, module, "tex"));
    TRY(hipTexRefSetAddressMode(texture, 0, hipAddressModeWrap));
    TRY(hipTexRefSetFilterMode(texture, hipFilterModePoint));
    TRY(hipTexRefSetFormat(texture, HIP_AD_FORMAT_FLOAT, 1));
    TRY(hipCtxDestroy(context));
}

static void
symbols()
{
    void *address;
    int n = 0;
    enum hipMemcpyKind kind = hipMemcpyHostToDevice;

    const void *pointer = HIP_SYMBOL(symbol);

    TRY(hipMemcpyToSymbol(HIP_SYMBOL(table), &n, 4));
    TRY(hipMemcpyToSymbol(pointer, &n, 4));
    TRY(hipMemcpyToSymbol(symbol, &n, sizeof(n), 0, kind));
    TRY(hipMemcpyFromSymbol(&n, HIP_SYMBOL(symbol), sizeof(n)));
    TRY(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
    switch (kind) {
    case hipMemcpyHostToDevice:
    case hipMemcpyDeviceToHost: break;
    default: printf("another kind\n");
    }
}

static void
memory()
{
    float *p = nullptr;
    struct hipPitchedPtr pitched = make_hipPitchedPtr(p, 4, 4, 4);
    hipMemAllocationProp prop = {};
    hipMemPoolProps pool = {};
    hip_Memcpy2D copy = {};
    hipPointerAttribute_t attributes = {};
    hipResourceDesc resource = {};
    hipTextureDesc description = {};
    hipTextureObject_t texture;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray_t array;
    size_t granularity;

    TRY(hipMalloc(&p, 256));
    TRY(hipHostMalloc(&p, 4));
    TRY(hipHostMalloc((void **)&p, 4, hipHostMallocDefault | hipHostMallocCoherent));
    TRY(hipMallocManaged(&p, 4));
    TRY(hipMemset3D(pitched, 0, make_hipExtent(4, 4, 1)));
    prop.type = hipMemAllocationTypePinned;
    prop.location.type = hipMemLocationTypeDevice;
    TRY(hipMemGetAllocationGranularity(&granularity, &prop, hipMemAllocationGranularityMinimum));
    pool.allocType = hipMemAllocationTypePinned;
    copy.srcMemoryType = hipMemoryTypeHost;
    copy.dstMemoryType = hipMemoryTypeArray;
    TRY(hipMemcpyParam2D(&copy));
    TRY(hipPointerGetAttributes(&attributes, p));
    if (attributes.type == hipMemoryTypeDevice && pool.allocType)
        printf("a device's\n");
    TRY(hipMallocArray(&array, &format, 4, 4));
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    description.addressMode[0] = hipAddressModeClamp;
    description.readMode = hipReadModeElementType;
    TRY(hipCreateTextureObject(&texture, &resource, &description, nullptr));
    TRY(hipMemAdvise(p, 4, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
}

static void
kernels()
{
    int n, size, *p = nullptr;
    void *arguments[] = {&p};
    hipDeviceProp_t prop;
    hipFuncAttributes attributes;

    TRY(hipOccupancyMaxPotentialBlockSize(&n, &size, fill<float>, 0, 0));
    TRY(hipOccupancyMaxActiveBlocksPerMultiprocessor(&n, fill<float>, 256, 0));
    TRY(hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(fill<float>)));
    TRY(hipGetDeviceProperties(&prop, 0));
    TRY(hipDeviceGetAttribute(&n, hipDeviceAttributeWarpSize, 0));
    TRY(hipLaunchKernel((const void *)fill<int>, dim3(1), dim3(1), arguments, 0, 0));
    TRY(hipLaunchKernel(fill<int>, dim3(1), dim3(1), arguments, 0, nullptr));
    TRY(hipLaunchCooperativeKernel(fill<int>, dim3(1), dim3(1), arguments, 0, 0));
}

static void
runtime_compilation()
{
    hiprtcProgram program;
    const char *options[] = {"--offload-arch=sm_90", "-O3"};

    if (hiprtcCreateProgram(&program, "extern \"C\" __global__ void k() {}", "k.cu", 0, 0, 0) ||
        hiprtcCompileProgram(program, 2, options))
        printf("hiprtc failed\n");
}

int
main()
{
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t instance;

    TRY(hipStreamCreate(&stream));
    cudaStream_t same = stream;
    TRY(hipCUDAErrorTohipError(cudaStreamSynchronize(same)));
    TRY(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    TRY(hipStreamEndCapture(stream, &graph));
    TRY(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
    symbols();
    memory();
    kernels();
    runtime_compilation();
    modules("");
    return hipPeekAtLastError() != hipSuccess;
}
