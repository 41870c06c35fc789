/* SPDX-License-Identifier: MIT */
/* PoCL: the same kernels in OpenCL C, through the ICD loader. BENCH_CL_SOURCE names kernels.cl. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../peer.h"

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cl_int err_ = (call);                                                                      \
        if (err_ != CL_SUCCESS) {                                                                  \
            fprintf(stderr, "opencl: %s: %d\n", #call, err_);                                      \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static enum bench_case now;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static cl_mem in[3];
static cl_mem out;
static size_t out_bytes;

/* One row a case: kernel, scalars and local memory are set in bind(). */
static const struct shape {
    const char *kernel;
    cl_uint dims;
    size_t global[2];
    size_t local[2];
    int n_launches;
} shapes[BENCH_COUNT] = {
    [BENCH_copy] = {"k_copy", 1, {N_STREAM, 1}, {256, 1}, 1},
    [BENCH_triad] = {"k_triad", 1, {N_STREAM, 1}, {256, 1}, 1},
    [BENCH_saxpy] = {"k_saxpy", 1, {N_SAXPY, 1}, {256, 1}, SAXPY_REPS},
    [BENCH_nbody] = {"k_nbody", 1, {N_BODY, 1}, {256, 1}, 1},
    [BENCH_matmul] = {"k_matmul", 2, {N_MATMUL, N_MATMUL}, {16, 16}, 1},
    [BENCH_tree] = {"k_tree", 1, {N_REDUCE, 1}, {256, 1}, 1},
    [BENCH_shuffle] = {"k_shuffle", 1, {N_REDUCE, 1}, {256, 1}, 1},
    [BENCH_histogram] = {"k_histogram", 1, {1024 * 256, 1}, {256, 1}, 1},
    [BENCH_atomic1] = {"k_atomic1", 1, {N_ATOMIC, 1}, {256, 1}, 1},
    [BENCH_atomic16] = {"k_atomic16", 1, {N_ATOMIC, 1}, {256, 1}, 1},
    [BENCH_mandel] = {"k_mandel", 2, {N_MANDEL, N_MANDEL}, {16, 16}, 1},
    [BENCH_blackscholes] = {"k_blackscholes", 1, {N_OPTION, 1}, {256, 1}, 1},
    [BENCH_stencil] = {"k_stencil", 2, {N_STENCIL, N_STENCIL}, {32, 8}, 1},
    [BENCH_transpose] = {"k_transpose", 2, {N_TRANSPOSE, N_TRANSPOSE / 4}, {32, 8}, 1},
    [BENCH_scan] = {"k_scan", 1, {N_SCAN, 1}, {SCAN_BLOCK, 1}, 1},
    [BENCH_bitonic] = {"k_bitonic", 1, {N_BITONIC, 1}, {BITONIC_BLOCK, 1}, 1},
    [BENCH_gather] = {"k_gather", 1, {N_GATHER, 1}, {256, 1}, 1},
    [BENCH_texture] = {"k_texture", 2, {N_TEXTURE, N_TEXTURE}, {32, 8}, 1},
    [BENCH_launch1] = {"k_empty", 1, {256, 1}, {256, 1}, 1},
    [BENCH_launch1024] = {"k_empty", 1, {1024 * 256, 1}, {256, 1}, 1},
    [BENCH_graph1000] =
        {"k_empty", 1, {256, 1}, {256, 1}, 1000}, /* no graphs there: 1000 launches */
};

static char *
read_source(void)
{
    const char *path = getenv("BENCH_CL_SOURCE");
    FILE *f = fopen(path ? path : "opencl/kernels.cl", "r");
    char *text = calloc(1, 1 << 16);

    if (!f || !text || !fread(text, 1, (1 << 16) - 1, f)) {
        perror("kernels.cl");
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    return text;
}

static int
build(void)
{
    char options[512], log[4096];
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    char *text = read_source();

    if (!text)
        return 1;
    TRY(clGetPlatformIDs(1, &platform, NULL));
    TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    TRY(err);
    queue = clCreateCommandQueue(context, device, 0, &err);
    TRY(err);
    program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &err);
    TRY(err);
    snprintf(options, sizeof(options),
             "-DNBODY_SOFT=%.9gf -DRISK_FREE=%.9gf -DVOLATILITY=%.9gf -DSCAN_BLOCK=%u "
             "-DBITONIC_BLOCK=%u "
             "-DTEXTURE_COS=%.9gf -DTEXTURE_SIN=%.9gf",
             (double)NBODY_SOFT, (double)RISK_FREE, (double)VOLATILITY, SCAN_BLOCK, BITONIC_BLOCK,
             (double)TEXTURE_COS, (double)TEXTURE_SIN);
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "opencl: %s\n", log);
        return 1;
    }
    free(text);
    return 0;
}

static int
arg_int(cl_uint i, int v)
{
    TRY(clSetKernelArg(kernel, i, sizeof(v), &v));
    return 0;
}

static int
arg_float(cl_uint i, float v)
{
    TRY(clSetKernelArg(kernel, i, sizeof(v), &v));
    return 0;
}

/* Buffers first (output, then inputs), then the scalars in the order of the kernel's list. */
static int
bind(void)
{
    cl_uint n = 0;

    if (out)
        TRY(clSetKernelArg(kernel, n++, sizeof(out), &out));
    for (int i = 0; i < 3; i++)
        if (in[i])
            TRY(clSetKernelArg(kernel, n++, sizeof(in[i]), &in[i]));
    switch (now) {
    case BENCH_copy:
        return arg_int(n, N_STREAM);
    case BENCH_triad:
        return arg_float(n, TRIAD_SCALE) || arg_int(n + 1, N_STREAM);
    case BENCH_saxpy:
        return arg_float(n, SAXPY_SCALE) || arg_int(n + 1, N_SAXPY);
    case BENCH_nbody:
        return arg_int(n, N_BODY);
    case BENCH_matmul:
        return arg_int(n, N_MATMUL);
    case BENCH_tree:
    case BENCH_shuffle:
        TRY(clSetKernelArg(kernel, n + 1, 256 * sizeof(float), NULL));
        return arg_int(n, N_REDUCE);
    case BENCH_histogram:
        return arg_int(n, N_HISTOGRAM);
    case BENCH_atomic1:
    case BENCH_atomic16:
        return arg_int(n, N_ATOMIC);
    case BENCH_mandel:
        return arg_int(n, N_MANDEL) || arg_int(n + 1, MANDEL_ITERS);
    case BENCH_blackscholes:
        return arg_int(n, N_OPTION);
    case BENCH_stencil:
        return arg_int(n, N_STENCIL);
    case BENCH_transpose:
        return arg_int(n, N_TRANSPOSE);
    case BENCH_scan:
        return arg_int(n, N_SCAN);
    case BENCH_gather:
        return arg_int(n, N_GATHER);
    case BENCH_texture:
        return arg_int(n, N_TEXTURE);
    default:
        return 0;
    }
}

static int
zero_out(void)
{
    const cl_uint zero = 0;

    TRY(clEnqueueFillBuffer(queue, out, &zero, sizeof(zero), 0, out_bytes, 0, NULL, NULL));
    return 0;
}

static int
make_image(const void *texels)
{
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = N_TEXTURE, .image_height = N_TEXTURE};
    const size_t origin[3] = {0, 0, 0}, region[3] = {N_TEXTURE, N_TEXTURE, 1};
    cl_int err;

    in[0] = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &err);
    TRY(err);
    TRY(clEnqueueWriteImage(queue, in[0], CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    return 0;
}

static int
setup(enum bench_case c, const struct bench_data *data)
{
    cl_int err;

    now = c;
    if (!shapes[c].kernel)
        return BENCH_SKIP;
    if (build())
        return 1;
    kernel = clCreateKernel(program, shapes[c].kernel, &err);
    TRY(err);
    for (int i = 0; i < 3; i++) {
        if (!data->in_bytes[i])
            continue;
        if (c == BENCH_texture) {
            if (make_image(data->in[i]))
                return 1;
            continue;
        }
        in[i] = clCreateBuffer(context, CL_MEM_READ_ONLY, data->in_bytes[i], NULL, &err);
        TRY(err);
        TRY(clEnqueueWriteBuffer(queue, in[i], CL_TRUE, 0, data->in_bytes[i], data->in[i], 0, NULL,
                                 NULL));
    }
    out_bytes =
        c == BENCH_tree || c == BENCH_shuffle ? N_REDUCE / 256 * sizeof(float) : data->out_bytes;
    if (out_bytes) {
        out = clCreateBuffer(context, CL_MEM_READ_WRITE, out_bytes, NULL, &err);
        TRY(err);
        if (zero_out())
            return 1;
    }
    return bind();
}

static int
run(void)
{
    const struct shape *s = &shapes[now];

    if ((now == BENCH_saxpy || now == BENCH_histogram || now == BENCH_atomic1 ||
         now == BENCH_atomic16) &&
        zero_out())
        return 1;
    for (int r = 0; r < s->n_launches; r++)
        TRY(clEnqueueNDRangeKernel(queue, kernel, s->dims, NULL, s->global, s->local, 0, NULL,
                                   NULL));
    TRY(clFinish(queue));
    return 0;
}

static int
fetch(const struct bench_data *data)
{
    if (now == BENCH_tree || now == BENCH_shuffle) {
        float *partial = malloc(out_bytes);
        double sum = 0;
        TRY(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, out_bytes, partial, 0, NULL, NULL));
        for (size_t i = 0; i < out_bytes / sizeof(float); i++)
            sum += (double)partial[i];
        memcpy(data->out, &sum, sizeof(sum));
        free(partial);
    } else if (out_bytes) {
        TRY(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, out_bytes, data->out, 0, NULL, NULL));
    }
    return 0;
}

static void
teardown(void)
{
    for (int i = 0; i < 3; i++)
        if (in[i])
            clReleaseMemObject(in[i]);
    if (out)
        clReleaseMemObject(out);
}

extern const struct bench_peer bench_peer;
const struct bench_peer bench_peer = {"PoCL", setup, run, fetch, teardown};
