/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* The rows of errors.def: NULL, stale, foreign and out-of-range arguments, and the error that AMD's
 * reference gives. LS_TEST_TABLE=1 prints them as Markdown. */
#include <dlfcn.h>

#include <hip/hip_ext.h>
#include <hip/hip_gl_interop.h>

#include "unit/test.h"

#include "unit/support/setup.h"

void __hipRegisterVar(void **handle, void *host, char *device_name, char *name, int ext,
                      size_t bytes, int constant, int global);

static int variable; /* a device variable of this program */
#define SYMBOL ((const void *)&variable)
#define KERNEL ((const void *)&setup_host[3])

static char junk[8192]; /* what a handle that was never given out points to */
#define JUNK(type) ((type)(void *)junk)

/* ---- live and dead objects ---- */

static hipStream_t s, s_dead, s_out;
static hipEvent_t e, e_dead, e_new, e_mute, e_out;
static hipMemPool_t pool, pool_dead, pool_default, pool_out;
static hipCtx_t ctx, ctx_out;
static hipArray_t a, a_dead, a_out;
static hipMipmappedArray_t mip, mip_out;
static hipModule_t mod, mod_dead, mod_out;
static hipFunction_t fn, fn_out;
static hipTextureObject_t tex, tex_out;
static hipSurfaceObject_t surf, surf_out;
static hipGraph_t g, g_dead, g_child, g_out;
static hipGraphConditionalHandle cond;
static hipGraphNode_t kernel_node, copy_node, fill_node, host_node, empty_node, child_node,
    record_node, wait_node, node_dead, node_far, node_out;
static hipGraphExec_t x, x_dead, x_out;
static hipUserObject_t object_out, object;
static hipMemGenericAllocationHandle_t vm, vm_out;
static char *d, *d_dead, *h, *m, u[8192], text[256];

/* ---- outputs and descriptions ---- */

static int i, zero, far_device = 99;
static unsigned u32;
static uint64_t u64;
static unsigned long long ull;
static size_t z;
static float f32;
static void *p, *data[1] = {text};
static const char *string;
static hipUUID uuid;
static hipDeviceProp_t prop;
static hipPointerAttribute_t attr;
static hipPitchedPtr pitched;
static hipIpcMemHandle_t ipc_memory;
static hipIpcEventHandle_t ipc_event;
static hipPointer_attribute which = HIP_POINTER_ATTRIBUTE_MEMORY_TYPE;
static hipMemRangeAttribute range_which = hipMemRangeAttributeReadMostly;
static hipMemAccessFlags access_flags;
static hipMemLocation here = {hipMemLocationTypeDevice, 0}, there = {hipMemLocationTypeDevice, 99};
static hipMemAccessDesc access_desc = {{hipMemLocationTypeDevice, 0},
                                       hipMemAccessFlagsProtReadWrite};
static hipMemAccessDesc access_far = {{hipMemLocationTypeDevice, 99},
                                      hipMemAccessFlagsProtReadWrite};
static hipMemPoolProps pool_props = {.allocType = hipMemAllocationTypePinned,
                                     .location = {hipMemLocationTypeDevice, 0}};
static hipMemPoolProps pool_props_far = {.allocType = hipMemAllocationTypePinned,
                                         .location = {hipMemLocationTypeDevice, 99}};
static hipMemPoolProps pool_props_empty;
static hipMemPoolPtrExportData export_data;
static hipMemAllocationProp vm_prop = {.type = hipMemAllocationTypePinned,
                                       .location = {hipMemLocationTypeDevice, 0}};
static hipMemAllocationProp vm_prop_out;
static hipArrayMapInfo map_info;
static hipExternalMemory_t ext_out;
static hipExternalMemoryHandleDesc ext_desc = {.type = hipExternalMemoryHandleTypeOpaqueFd};
static hipExternalMemoryBufferDesc ext_part = {.size = 4};
static hipExternalMemoryMipmappedArrayDesc ext_levels = {
    .formatDesc = {32, 0, 0, 0, hipChannelFormatKindFloat}, .extent = {4, 4, 0}, .numLevels = 1};
static hipExternalSemaphore_t sem_out;
static hipExternalSemaphoreHandleDesc sem_desc;
static hipExternalSemaphoreSignalParams sem_up;
static hipExternalSemaphoreWaitParams sem_down;
static hipStreamBatchMemOpParams op;
static hipChannelFormatDesc f32x1 = {32, 0, 0, 0, hipChannelFormatKindFloat}, desc_out;
static hipMemcpy3DParms copy3d, copy3d_empty;
static dim3 one = {1, 1, 1}, block = {64, 1, 1};
static void *kernel_args[1];
static hipKernelNodeParams kernel_params;
static hipMemsetParams fill_params;
static hipHostNodeParams host_params;
static hipFuncAttributes fn_attr;
static hipChannelFormatDesc bad_format = {7, 0, 0, 0, hipChannelFormatKindFloat};
static HIP_ARRAY_DESCRIPTOR array_desc = {64, 4, HIP_AD_FORMAT_FLOAT, 1};
static HIP_ARRAY_DESCRIPTOR array_desc_empty, array_desc_out;
static HIP_ARRAY3D_DESCRIPTOR array3d_desc = {64, 4, 0, HIP_AD_FORMAT_FLOAT, 1, 0};
static HIP_ARRAY3D_DESCRIPTOR array3d_desc_out;
static hipResourceDesc res_array, res_out, res_no_array, res_linear;
static struct hipResourceViewDesc view_out;
static hipTextureDesc tex_desc, tex_desc_out;
static HIP_RESOURCE_DESC drv_res, drv_res_out;
static HIP_TEXTURE_DESC drv_tex, drv_tex_out;
static HIP_RESOURCE_VIEW_DESC drv_view_out;
static textureReference ref, *ref_out;
static enum hipTextureAddressMode mode;
static enum hipTextureFilterMode filter;
static hipArray_Format format;
static hipKernelNodeParams kernel_params_empty, kernel_params_out;
static hipMemsetParams fill_params_empty, fill_params_out;
static HIP_MEMSET_NODE_PARAMS drv_fill;
static hipHostNodeParams host_params_empty, host_params_out;
static hipMemcpy3DParms copy3d_out;
static HIP_MEMCPY3D drv_copy;
static hipMemAllocNodeParams alloc_params; /* of no pool */
static hipGraphNodeParams node_params;
static hipGraphInstantiateParams inst_params;
static hipGraphNodeType node_type;
static hipGraphExecUpdateResult update;
static hipKernelNodeAttrValue node_attr;
static hipExternalSemaphoreSignalNodeParams up_params;
static hipExternalSemaphoreWaitNodeParams down_params;
static hipBatchMemOpNodeParams batch_params;
static hipStreamCaptureStatus capturing;
static hipStreamCaptureMode bad_mode = (hipStreamCaptureMode)77;
static hipLinkState_t linker, linker_out;
static hipLibrary_t lib, lib_dead, lib_out;
static hipKernel_t kernel, kernel_out;
static hipJitOption jit;
static hipLaunchConfig_t launch_config = {.gridDim = {1, 1, 1}, .blockDim = {64, 1, 1}};
static HIP_LAUNCH_CONFIG drv_launch_config = {1, 1, 1, 64, 1, 1, 0, NULL, NULL, 0},
                         drv_launch_empty;
static hipStreamAttrValue stream_attr;
static hipMemcpy3DBatchOp box_op;
static hipMemcpy3DPeerParms peer_far = {.srcDevice = 99};
static hipArrayMemoryRequirements mip_need;
static hipMemLocation nowhere;
static size_t four = 4, z_zero, too_many = 4097;
static void *managed[1];

static void
host_fn(void *user)
{
    (void)user;
}

static void
callback(hipStream_t stream, hipError_t status, void *user)
{
    (void)stream, (void)status, (void)user;
}

static void
make_memory(void)
{
    OK(hipMalloc((void **)&d, 4096));
    OK(hipHostMalloc((void **)&h, 4096, 0));
    OK(hipMallocManaged((void **)&m, 4096, hipMemAttachGlobal));
    managed[0] = m;
    OK(hipMemPoolCreate(&pool, &pool_props));
    OK(hipMemPoolCreate(&pool_dead, &pool_props));
    OK(hipMemPoolDestroy(pool_dead));
    OK(hipDeviceGetDefaultMemPool(&pool_default, 0));
    OK(hipMemCreate(&vm, 65536, &vm_prop, 0));
    OK(hipMallocArray(&a_dead, &f32x1, 64, 4, 0));
    OK(hipMallocArray(&a, &f32x1, 64, 4, hipArraySurfaceLoadStore));
    OK(hipFreeArray(a_dead));
    OK(hipMallocMipmappedArray(&mip, &f32x1, make_hipExtent(64, 64, 0), 3, 0));
    OK(hipMalloc((void **)&d_dead, (size_t)100 << 20)); /* nothing smaller takes its place */
    OK(hipFree(d_dead));
    copy3d.srcPtr = make_hipPitchedPtr(u, 64, 64, 4);
    copy3d.dstPtr = make_hipPitchedPtr(d, 64, 64, 4);
    copy3d.extent = make_hipExtent(64, 4, 1);
    copy3d.kind = hipMemcpyHostToDevice;
}

static void
make_order(void)
{
    OK(hipStreamQuery(
        hipStreamPerThread)); /* is made now, so that it doesn't take another's place */
    OK(hipStreamCreate(&s));
    OK(hipStreamCreate(&s_dead));
    OK(hipStreamDestroy(s_dead));
    OK(hipEventCreate(&e));
    OK(hipEventRecord(e, s));
    OK(hipEventCreate(&e_new));
    OK(hipEventCreateWithFlags(&e_mute, hipEventDisableTiming));
    OK(hipEventRecord(e_mute, s));
    OK(hipEventCreate(&e_dead));
    OK(hipEventDestroy(e_dead));
    OK(hipStreamSynchronize(s));
}

static const int var_init = 41;
static const struct test_global module_globals[] = {{.name = "var", .bytes = 4, .init = &var_init}};

static void
make_code(void)
{
    static const char *const ids[] = {"host-x86_64-unknown-linux--", "lockstep-bc--gfx1100"};
    static struct {
        uint32_t magic, version;
        const void *binary, *reserved;
    } wrapper = {0x48495046u, 1, NULL, NULL};
    struct image images[2] = {{0}};
    void **handle;
    void *address;

    set_up();
    images[1] = make_lsbc("gfx1100", 32, setup_kernels, N_SETUP, module_globals, 1, NULL);
    wrapper.binary = make_bundle(ids, images, 2).data; /* lives as long as the process */
    handle = __hipRegisterFatBinary(&wrapper);
    __hipRegisterVar(handle, &variable, (char *)(uintptr_t) "var", (char *)(uintptr_t) "var", 0, 4,
                     0, 0);
    OK(hipModuleLoadData(&mod, images[1].data));
    OK(hipModuleGetFunction(&fn, mod, "count"));
    OK(hipLibraryLoadData(&lib, images[1].data, NULL, NULL, 0, NULL, NULL, 0));
    OK(hipLibraryGetKernel(&kernel, lib, "count"));
    OK(hipLinkCreate(0, NULL, NULL, &linker));
    OK(hipGetSymbolAddress(&address, &variable)); /* modules of the program are made at first use */
    OK(hipGetFuncBySymbol((hipFunction_t *)&address, (void *)(uintptr_t)KERNEL));
    /* last, or a living module may get the address of a dead one */
    OK(hipModuleLoadData(&mod_dead, images[1].data));
    OK(hipLibraryLoadData(&lib_dead, images[1].data, NULL, NULL, 0, NULL, NULL, 0));
    OK(hipModuleUnload(mod_dead));
    OK(hipLibraryUnload(lib_dead));
    free(images[1].data);
    OK(hipDevicePrimaryCtxRetain(&ctx, 0));
}

static void
make_graphs(void)
{
    OK(hipGraphCreate(&g_child, 0));
    OK(hipGraphAddEmptyNode(&node_far, g_child, NULL, 0));
    kernel_args[0] = &d;
    kernel_params = (hipKernelNodeParams){.func = (void *)(uintptr_t)KERNEL,
                                          .gridDim = one,
                                          .blockDim = block,
                                          .kernelParams = kernel_args};
    fill_params =
        (hipMemsetParams){.dst = (char *)d + 2048, .elementSize = 4, .width = 4, .height = 1};
    host_params = (hipHostNodeParams){host_fn, NULL};
    OK(hipGraphCreate(&g, 0));
    OK(hipGraphAddKernelNode(&kernel_node, g, NULL, 0, &kernel_params));
    OK(hipGraphAddMemcpyNode1D(&copy_node, g, NULL, 0, (char *)d + 1024, u, 16,
                               hipMemcpyHostToDevice));
    OK(hipGraphAddMemsetNode(&fill_node, g, NULL, 0, &fill_params));
    OK(hipGraphAddHostNode(&host_node, g, NULL, 0, &host_params));
    OK(hipGraphAddEmptyNode(&empty_node, g, NULL, 0));
    OK(hipGraphAddChildGraphNode(&child_node, g, NULL, 0, g_child));
    OK(hipGraphAddEventRecordNode(&record_node, g, NULL, 0, e));
    OK(hipGraphAddEventWaitNode(&wait_node, g, NULL, 0, e));
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(hipGraphCreate(&g_dead, 0)); /* after the others, which would take its place */
    OK(hipGraphAddEmptyNode(&node_dead, g_dead, NULL, 0));
    OK(hipGraphInstantiate(&x_dead, g_dead, NULL, NULL, 0));
    OK(hipGraphExecDestroy(x_dead));
    OK(hipGraphDestroy(g_dead));
    OK(hipUserObjectCreate(&object, u, host_fn, 1, hipUserObjectNoDestructorSync));
}

static void
make_textures(void)
{
    res_array.resType = res_no_array.resType = hipResourceTypeArray;
    res_linear.resType = hipResourceTypeLinear;
    res_array.res.array.array = a;
    OK(hipCreateTextureObject(&tex, &res_array, &tex_desc, NULL));
    OK(hipCreateSurfaceObject(&surf, &res_array));
}

static void
make_all(void)
{
    make_code();
    make_memory();
    make_order();
    make_graphs();
    make_textures();
    OK(hipGetLastError());
}

/* ---- the rows ---- */

static bool printing;
static unsigned n_rows;

static void
print_row(const char *function, const char *args, const char *want, const char *source)
{
    printf("| `%s` | `", function);
    for (const char *c = args; *c; c++)
        printf(*c == '|' ? "\\|" : "%c", *c);
    printf("` | %s | %s |\n", want, source);
}

static void
check(const char *function, const char *args, hipError_t got, hipError_t want, const char *source,
      int line)
{
    hipError_t last = hipGetLastError();

    n_rows++;
    if (printing) {
        print_row(function, args, hipGetErrorName(want), source);
        return;
    }
    if (got != want) {
        fprintf(stderr, "errors.def:%d: %s%s: %s, %s says %s\n", line, function, args,
                hipGetErrorName(got), source, hipGetErrorName(want));
        ls_test_failures++;
    } else if (want != hipSuccess && last != want) {
        fprintf(stderr, "errors.def:%d: %s%s: hipGetLastError says %s\n", line, function, args,
                hipGetErrorName(last));
        ls_test_failures++;
    }
}

#define TALK(function, args)                                                                       \
    if (talk)                                                                                      \
    fprintf(stderr, "%s%s\n", function, args)
#define CLR(file)  "clr hip_" #file
#define CLR7(file) "clr 7 hip_" #file
#define TEST       "hip-tests"
#define DOC        "API reference"
#define OURS       "Lockstep"

static void
run_rows(void)
{
    bool talk = getenv("LS_TEST_TALK") != NULL;

#define ERR(function, args, error, source)                                                         \
    TALK(#function, #args);                                                                        \
    check(#function, #args, function args, hipError##error, source, __LINE__);
#define FINE(function, args, source)                                                               \
    TALK(#function, #args);                                                                        \
    check(#function, #args, function args, hipSuccess, source, __LINE__);
#define NONE(function)
#include "unit/errors.def"
#undef NONE
#undef FINE
#undef ERR
}

LS_TEST(errors_of_bad_arguments)
{
    printing = getenv("LS_TEST_TABLE") != NULL;
    make_all();
    if (printing)
        printf("| function | arguments | error | source |\n| --- | --- | --- | --- |\n");
    run_rows();
    OK(hipDeviceSynchronize()); /* nothing was broken */
    OK(launch("count", 1, 64, kernel_args, s));
    OK(hipGraphLaunch(x, s));
    OK(hipStreamSynchronize(s));
    EXPECT(n_rows > 600);
}

static const char *const exported[] = {
#define LS_API(version, function)             #function,
#define LS_API_ANYWHERE(version, function)    #function,
#define LS_API_UNSUPPORTED(version, function) #function,
#include "runtime/api/hip_api.def"
#undef LS_API
#undef LS_API_ANYWHERE
#undef LS_API_UNSUPPORTED
};

/* Every function of the table of exports has rows, or a reason to have none. */
LS_TEST(every_function)
{
    static const char *const covered[] = {
#define ERR(function, args, error, source) #function,
#define FINE(function, args, source)       #function,
#define NONE(function)                     #function,
#include "unit/errors.def"
    };
    size_t n_covered = sizeof(covered) / sizeof(*covered), k;

    for (size_t f = 0; f < sizeof(exported) / sizeof(*exported); f++) {
        for (k = 0; k < n_covered && strcmp(covered[k], exported[f]); k++)
            continue;
        if (k < n_covered || !strncmp(exported[f], "__hip", 5))
            continue;
        fprintf(stderr, "no row for %s\n", exported[f]);
        ls_test_failures++;
    }
}

/* AMD's functions look for a device before they look at their arguments: with none to be seen,
 * every one of them gives the same answer, to arguments that are all 0. */
LS_TEST(without_a_device)
{
    static const char *const needs_device[] = {
#define LS_API(version, function) #function,
#define LS_API_ANYWHERE(version, function)
#define LS_API_UNSUPPORTED(version, function)
#include "runtime/api/hip_api.def"
    };
    static const char *const no_error_code[] = {"hipApiName", "hipKernelNameRef",
                                                "hipKernelNameRefByPtr", "hipGetStreamDeviceId",
                                                "hipCreateChannelDesc"};
    int n = 1, version = 0;
    unsigned asked = 0;

    setenv("HIP_VISIBLE_DEVICES", "-1", 1);
    for (size_t f = 0; f < sizeof(needs_device) / sizeof(*needs_device); f++) {
        int (*call)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
        void *found = dlsym(RTLD_DEFAULT, needs_device[f]);
        hipError_t err;
        bool skip = strncmp(needs_device[f], "hip", 3) != 0;

        for (size_t k = 0; k < sizeof(no_error_code) / sizeof(*no_error_code); k++)
            skip = skip || !strcmp(needs_device[f], no_error_code[k]);
        if (skip)
            continue;
        if (!found) {
            fprintf(stderr, "%s is not exported\n", needs_device[f]);
            ls_test_failures++;
            continue;
        }
        memcpy(&call, &found, sizeof(call));
        err = (hipError_t)call(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        if (err != hipErrorNoDevice) {
            fprintf(stderr, "%s: %s\n", needs_device[f], hipGetErrorName(err));
            ls_test_failures++;
        }
        asked++;
    }
    EXPECT(asked > 500);
    EXPECT_EQ(hipGetDeviceCount(&n), hipErrorNoDevice);
    EXPECT_EQ(n, 0);
    EXPECT_EQ(hipSetDevice(0), hipErrorNoDevice);
    OK(hipRuntimeGetVersion(&version));
    OK(hipDriverGetVersion(&version));
    EXPECT_EQ(version, HIP_VERSION);
}
