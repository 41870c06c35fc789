// SPDX-License-Identifier: MIT
// HIP on NVIDIA's platform as it runs: what the tables, the driver's functions and the kernel
// language's own parts do. Needs a GPU; without one it says so and ends with 77.
#include <hip/hip_runtime.h>

#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>

static int n_failed;

#define EXPECT(what) \
    do { \
        if (!(what)) { \
            printf("line %d: %s\n", __LINE__, #what); \
            n_failed++; \
        } \
    } while (0)
#define TRY(call) EXPECT((call) == hipSuccess)

struct answers {
    int shuffled, any, all;
    unsigned long long ballot, lanes_below;
    float largest, smallest, sum;
    double dsum;
    long long ticks;
    float4 vector;
};

__constant__ int table[4];
__device__ int variable;

__global__ void
ask(answers *out, float *cells, double *dcells)
{
    int lane = hipThreadIdx_x;
    long long start = wall_clock64();
    int up = __shfl_up(lane, 1), down = __shfl_down(lane, 1), x = __shfl_xor(lane, 1);
    int third = __shfl(lane, 3);
    unsigned long long odd = __ballot(lane & 1);
    int any = __any(lane == 31), all = __all(lane < 31);
    unsigned long long below = 0;

    if (lane < 4) /* votes ask who is there */
        below = __ballot(1);
    atomicMax(&cells[0], (float)lane - 5.5f);
    atomicMin(&cells[1], (float)lane - 5.5f);
    unsafeAtomicAdd(&cells[2], 0.5f);
    safeAtomicAdd(&dcells[0], 0.25);
    __syncthreads();
    if (lane == 2) {
        out->shuffled = up * 1000 + down * 100 + x * 10 + third;
        out->any = any;
        out->all = all;
        out->ballot = odd;
        out->lanes_below = below;
        out->largest = cells[0];
        out->smallest = cells[1];
        out->sum = cells[2];
        out->dsum = dcells[0];
        out->ticks = wall_clock64() - start;
        out->vector = (make_float4(1, 2, 3, 4) * 2.0f + make_float4(1, 1, 1, 1)) / 2;
        variable = table[1] + table[3];
    }
}

__global__ void
twice(int *p, int factor)
{
    HIP_DYNAMIC_SHARED(int, lds)
    lds[threadIdx.x] = p[threadIdx.x] * factor;
    __syncthreads();
    p[threadIdx.x] = lds[threadIdx.x];
}

__global__ void
whole_grid(int *p)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();

    atomicAdd(p, 1);
    grid.sync();
    if (grid.thread_rank() == 0)
        p[1] = *(volatile int *)p;
}

static void
check_kernels()
{
    answers *out, host;
    float *cells, start[3] = {-100, 100, 0};
    double *dcells;
    int numbers[4] = {1, 2, 3, 4}, sum = 0;

    TRY(hipMalloc(&out, sizeof(*out)));
    TRY(hipMalloc(&cells, sizeof(start)));
    TRY(hipMalloc(&dcells, sizeof(double)));
    TRY(hipMemcpy(cells, start, sizeof(start), hipMemcpyHostToDevice));
    TRY(hipMemset(dcells, 0, sizeof(double)));
    TRY(hipMemcpyToSymbol(HIP_SYMBOL(table), numbers, sizeof(numbers)));
    hipLaunchKernelGGL(ask, dim3(1), dim3(32), 0, 0, out, cells, dcells);
    TRY(hipGetLastError());
    TRY(hipMemcpy(&host, out, sizeof(host), hipMemcpyDeviceToHost));
    TRY(hipMemcpyFromSymbol(&sum, HIP_SYMBOL(variable), sizeof(sum)));
    EXPECT(host.shuffled == 1000 + 300 + 30 + 3);
    EXPECT(host.any == 1 && host.all == 0);
    EXPECT(host.ballot == 0xaaaaaaaaull);
    EXPECT(host.lanes_below == 0xf);
    EXPECT(host.largest == 25.5f && host.smallest == -5.5f && host.sum == 16 && host.dsum == 8);
    EXPECT(host.ticks >= 0);
    EXPECT(host.vector.x == 1.5f && host.vector.w == 4.5f);
    EXPECT(sum == 6);
    TRY(hipFree(out));
    TRY(hipFree(cells));
    TRY(hipFree(dcells));
}

static void
check_errors()
{
    hipDevice_t device;
    void *p;

    EXPECT(hipMalloc(&p, (size_t)1 << 60) == hipErrorOutOfMemory);
    EXPECT(hipGetLastError() == hipErrorOutOfMemory);
    EXPECT(hipGetLastError() == hipSuccess);
    EXPECT(hipSetDevice(1000) == hipErrorInvalidDevice);
    (void)hipGetLastError();
    EXPECT(hipDeviceGet(&device, 1000) == hipErrorInvalidDevice);
    EXPECT(!strcmp(hipGetErrorName(hipErrorNotReady), "hipErrorNotReady"));
    EXPECT(hipExtGetLinkTypeAndHopCount(0, 0, nullptr, nullptr) == hipErrorNotSupported);
    EXPECT(hipErrorToCudaError(hipErrorInvalidHandle) == cudaErrorInvalidResourceHandle);
}

static void
check_devices()
{
    hipDeviceProp_t prop;
    int value = 0, major = 0, minor = 0;
    size_t total = 0, free_bytes = 0, all = 0;
    char name[256] = "";
    hipUUID uuid;

    TRY(hipGetDeviceProperties(&prop, 0));
    TRY(hipDeviceComputeCapability(&major, &minor, 0));
    EXPECT(prop.warpSize == 32 && prop.major == major && prop.minor == minor);
    EXPECT(prop.clockRate > 0 && prop.arch.hasDoubles && prop.maxThreadsDim[0] == 1024);
    TRY(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
    EXPECT(value == prop.multiProcessorCount);
    TRY(hipDeviceGetAttribute(&value, hipDeviceAttributeWallClockRate, 0));
    EXPECT(value == 1000000);
    TRY(hipDeviceTotalMem(&total, 0));
    TRY(hipMemGetInfo(&free_bytes, &all));
    EXPECT(total == prop.totalGlobalMem && free_bytes <= all);
    TRY(hipDeviceGetName(name, sizeof(name), 0));
    EXPECT(!strcmp(name, prop.name));
    TRY(hipDeviceGetUuid(&uuid, 0));
    EXPECT(!memcmp(&uuid, &prop.uuid, sizeof(uuid)));
    printf("%s, %d.%d\n", prop.name, prop.major, prop.minor);
}

static void
called_back(hipStream_t stream, hipError_t status, void *data)
{
    *(int *)data = status == hipSuccess ? 7 : -1;
}

static void
check_streams_and_graphs()
{
    int host[32], *p, *signal, called = 0, factor = 3;
    void *arguments[] = {&p, &factor};
    hipStream_t stream;
    hipEvent_t start, stop;
    hipGraph_t graph;
    hipGraphExec_t instance;
    size_t n_nodes = 0;
    float ms = -1;

    for (int i = 0; i < 32; i++)
        host[i] = i;
    TRY(hipMalloc(&p, sizeof(host)));
    TRY(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    TRY(hipEventCreate(&start));
    TRY(hipEventCreate(&stop));
    TRY(hipEventRecord(start, stream));
    TRY(hipMemcpyAsync(p, host, sizeof(host), hipMemcpyHostToDevice, stream));
    twice<<<1, 32, sizeof(host), stream>>>(p, 2);
    TRY(hipLaunchKernel(twice, dim3(1), dim3(32), arguments, sizeof(host), stream));
    TRY(hipStreamAddCallback(stream, called_back, &called, 0));
    TRY(hipEventRecord(stop, stream));
    TRY(hipStreamSynchronize(stream));
    TRY(hipEventElapsedTime(&ms, start, stop));
    EXPECT(called == 7 && ms >= 0);
    TRY(hipMemcpy(host, p, sizeof(host), hipMemcpyDefault));
    EXPECT(host[5] == 30);

    TRY(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    twice<<<1, 32, sizeof(host), stream>>>(p, 2);
    twice<<<1, 32, sizeof(host), stream>>>(p, 5);
    TRY(hipStreamEndCapture(stream, &graph));
    TRY(hipGraphGetNodes(graph, nullptr, &n_nodes));
    EXPECT(n_nodes == 2);
    TRY(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
    TRY(hipGraphLaunch(instance, stream));
    TRY(hipStreamSynchronize(stream));
    TRY(hipMemcpyWithStream(host, p, sizeof(host), hipMemcpyDeviceToHost, stream));
    EXPECT(host[5] == 300);
    TRY(hipMemcpy_spt(host, p, sizeof(host), hipMemcpyDeviceToHost));

    TRY(hipMalloc(&signal, sizeof(int)));
    TRY(hipStreamWriteValue32(stream, signal, 5, 0));
    TRY(hipStreamWaitValue32(stream, signal, 5, hipStreamWaitValueGte));
    TRY(hipStreamSynchronize(stream));
    TRY(hipMemcpyDtoH(&called, (hipDeviceptr_t)signal, sizeof(int)));
    EXPECT(called == 5);

    TRY(hipMemset(p, 0, sizeof(host)));
    void *grid_arguments[] = {&p};
    TRY(hipLaunchCooperativeKernel(whole_grid, dim3(4), dim3(32), grid_arguments, 0, stream));
    TRY(hipStreamSynchronize(stream));
    TRY(hipMemcpy(host, p, 8, hipMemcpyDeviceToHost));
    EXPECT(host[1] == 128);
    TRY(hipStreamDestroy(stream));
}

static void
check_memory()
{
    hipPointerAttribute_t attributes;
    hipDeviceptr_t a, base;
    hip_Memcpy2D copy = {};
    hipMemAllocationProp prop = {};
    hipMemGenericAllocationHandle_t handle;
    hipMemAccessDesc access = {};
    size_t size = 0, granularity = 0;
    int *managed, host[16], *pinned;
    void *reserved;

    TRY(hipMalloc((void **)&a, 256));
    TRY(hipMemsetD32(a, 9, 64));
    TRY(hipMemcpyDtoH(host, a, sizeof(host)));
    EXPECT(host[15] == 9);
    TRY(hipMemGetAddressRange(&base, &size, a + 4));
    EXPECT(base == a && size == 256);
    TRY(hipPointerGetAttributes(&attributes, (void *)a));
    EXPECT(attributes.type == hipMemoryTypeDevice && !attributes.isManaged);
    copy.srcMemoryType = hipMemoryTypeDevice;
    copy.srcDevice = a;
    copy.srcPitch = 16;
    copy.dstMemoryType = hipMemoryTypeHost;
    copy.dstHost = host;
    copy.dstPitch = 16;
    copy.WidthInBytes = 8;
    copy.Height = 4;
    memset(host, 0, sizeof(host));
    TRY(hipMemcpyParam2D(&copy));
    EXPECT(host[13] == 9 && host[14] == 0);
    TRY(hipFree(a));

    TRY(hipMallocManaged(&managed, 64));
    managed[3] = 4;
    TRY(hipMemPrefetchAsync(managed, 64, 0));
    TRY(hipDeviceSynchronize());
    TRY(hipPointerGetAttributes(&attributes, managed));
    EXPECT(attributes.type == hipMemoryTypeManaged && managed[3] == 4);
    TRY(hipHostMalloc(&pinned, 64));
    TRY(hipPointerGetAttributes(&attributes, pinned));
    EXPECT(attributes.type == hipMemoryTypeHost && attributes.hostPointer == pinned);
    TRY(hipHostFree(pinned));

    prop.type = hipMemAllocationTypePinned;
    prop.location.type = hipMemLocationTypeDevice;
    TRY(hipMemGetAllocationGranularity(&granularity, &prop, hipMemAllocationGranularityMinimum));
    TRY(hipMemCreate(&handle, granularity, &prop, 0));
    TRY(hipMemAddressReserve(&reserved, granularity, 0, nullptr, 0));
    TRY(hipMemMap(reserved, granularity, 0, handle, 0));
    access.location = prop.location;
    access.flags = hipMemAccessFlagsProtReadWrite;
    TRY(hipMemSetAccess(reserved, granularity, &access, 1));
    TRY(hipMemset(reserved, 1, granularity));
    TRY(hipDeviceSynchronize()); /* which CUDA's memset does not */
    TRY(hipMemUnmap(reserved, granularity));
    TRY(hipMemAddressFree(reserved, granularity));
    TRY(hipMemRelease(handle));
}

static const char ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry store(.param .u64 p) {\n"
                          ".reg .b64 %a; ld.param.u64 %a, [p]; cvta.to.global.u64 %a, %a;\n"
                          "st.global.u32 [%a], 42; ret; }\n";

static void
check_modules()
{
    hipModule_t module;
    hipFunction_t kernel, none;
    hipCtx_t context;
    int *p, host = 0, value = 0;
    hipJitOption options[] = {hipJitOptionMaxRegisters};
    void *values[] = {(void *)32};

    TRY(hipMalloc(&p, 4));
    size_t size = sizeof(p);
    void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &p, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                      HIP_LAUNCH_PARAM_END};
    TRY(hipModuleLoadDataEx(&module, ptx, 1, options, values));
    TRY(hipModuleGetFunction(&kernel, module, "store"));
    TRY(hipModuleLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, config));
    TRY(hipMemcpy(&host, p, 4, hipMemcpyDeviceToHost));
    EXPECT(host == 42);
    EXPECT(hipModuleGetFunction(&none, module, "none") == hipErrorNotFound);
    TRY(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel));
    EXPECT(value > 0);
    TRY(hipModuleUnload(module));
    TRY(hipCtxGetCurrent(&context));
    EXPECT(context != nullptr);
    TRY(hipCtxCreate(&context, 0, 0));
    TRY(hipCtxSynchronize());
    value = -1;
    TRY(hipCtxGetDevice(&value));
    EXPECT(value == 0);
    TRY(hipCtxDestroy(context));
}

/* The first call of all: the thread has no context. */
static void
check_first_module()
{
    hipModule_t module;

    TRY(hipModuleLoadData(&module, ptx));
    TRY(hipModuleUnload(module));
}

int
main()
{
    int count = 0;
    int grid, block;

    if (hipGetDeviceCount(&count) != hipSuccess || !count) {
        printf("no GPU\n");
        return 77;
    }
    check_first_module();
    TRY(hipInit(0));
    check_devices();
    check_kernels();
    check_errors();
    check_streams_and_graphs();
    check_memory();
    check_modules();
    TRY(hipOccupancyMaxPotentialBlockSize(&grid, &block, twice, 0, 0));
    EXPECT(grid > 0 && block >= 32);
    TRY(hipOccupancyMaxActiveBlocksPerMultiprocessor(&grid, twice, 128, 0));
    EXPECT(grid > 0);
    printf("%d failed\n", n_failed);
    return n_failed != 0;
}
