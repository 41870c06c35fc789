/* SPDX-License-Identifier: MIT */
/* Ours: the HIP programs of the benchmark, built by hipcc into a peer. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels.h"

#define TRY(call)                                                                                  \
    do {                                                                                           \
        hipError_t err_ = (call);                                                                  \
        if (err_ != hipSuccess) {                                                                  \
            fprintf(stderr, "hip: %s: %s\n", #call, hipGetErrorString(err_));                      \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static enum bench_case now;
static void *in[3];
static void *out;
static size_t out_bytes;
static hipArray_t image;
static hipTextureObject_t texture_object;
static hipGraphExec_t graph;

/* What a kernel writes, where that is not what the host compares. */
static size_t
device_out_bytes(enum bench_case c, const struct bench_data *data)
{
    if (c == BENCH_tree || c == BENCH_shuffle)
        return N_REDUCE / 256 * sizeof(float);
    return data->out_bytes;
}

/* A chain, as a stream captures it. */
static int
make_graph(void)
{
    hipStream_t stream;
    hipGraph_t captured;

    TRY(hipStreamCreate(&stream));
    TRY(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
    for (int i = 0; i < 1000; i++)
        k_empty<<<1, 256, 0, stream>>>();
    TRY(hipStreamEndCapture(stream, &captured));
    TRY(hipGraphInstantiate(&graph, captured, NULL, NULL, 0));
    TRY(hipGraphDestroy(captured));
    TRY(hipStreamDestroy(stream));
    return 0;
}

static int
make_texture(const void *texels)
{
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    const size_t pitch = N_TEXTURE * sizeof(float);
    hipResourceDesc resource = {};
    hipTextureDesc desc = {};

    TRY(hipMallocArray(&image, &format, N_TEXTURE, N_TEXTURE));
    TRY(hipMemcpy2DToArray(image, 0, 0, texels, pitch, pitch, N_TEXTURE, hipMemcpyHostToDevice));
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = image;
    desc.addressMode[0] = desc.addressMode[1] = hipAddressModeClamp;
    desc.filterMode = hipFilterModeLinear;
    TRY(hipCreateTextureObject(&texture_object, &resource, &desc, NULL));
    return 0;
}

static int
setup(enum bench_case c, const struct bench_data *data)
{
    now = c;
    if (c == BENCH_graph1000)
        return make_graph();
    for (int i = 0; i < 3; i++) {
        if (!data->in_bytes[i])
            continue;
        TRY(hipMalloc(&in[i], data->in_bytes[i]));
        TRY(hipMemcpy(in[i], data->in[i], data->in_bytes[i], hipMemcpyHostToDevice));
    }
    out_bytes = device_out_bytes(c, data);
    if (out_bytes) {
        TRY(hipMalloc(&out, out_bytes));
        TRY(hipMemset(out, 0, out_bytes));
    }
    return c == BENCH_texture ? make_texture(data->in[0]) : 0;
}

static int
run(void)
{
    float *f = (float *)out, *a = (float *)in[0], *b = (float *)in[1], *c = (float *)in[2];

    switch (now) {
    case BENCH_copy:
        k_copy<<<N_STREAM / 256, 256>>>(f, a, N_STREAM);
        break;
    case BENCH_triad:
        k_triad<<<N_STREAM / 256, 256>>>(f, a, b, TRIAD_SCALE, N_STREAM);
        break;
    case BENCH_saxpy:
        TRY(hipMemsetAsync(f, 0, out_bytes, 0));
        for (int r = 0; r < SAXPY_REPS; r++)
            k_saxpy<<<N_SAXPY / 256, 256>>>(f, a, SAXPY_SCALE, N_SAXPY);
        break;
    case BENCH_nbody:
        k_nbody<<<N_BODY / 256, 256>>>((float4 *)out, (const float4 *)in[0], N_BODY);
        break;
    case BENCH_matmul64:
        k_matmul64<<<dim3(N_MATMUL / TILE64, N_MATMUL / TILE64), dim3(TILE64 / 4, TILE64 / 4)>>>(
            f, a, b, N_MATMUL);
        break;
    case BENCH_matmul:
    case BENCH_tiled:
    case BENCH_tiled_blas:
        k_matmul<<<dim3(N_MATMUL / TILE, N_MATMUL / TILE), dim3(TILE, TILE)>>>(f, a, b, N_MATMUL);
        break;
    case BENCH_wmma_f16:
        k_wmma<<<dim3(N_WMMA / 128, N_WMMA / 128), 128>>>(f, (const _Float16 *)in[0],
                                                          (const _Float16 *)in[1], N_WMMA);
        break;
    case BENCH_wmma_bf16:
        k_wmma<<<dim3(N_WMMA / 128, N_WMMA / 128), 128>>>(f, (const __hip_bfloat16 *)in[0],
                                                          (const __hip_bfloat16 *)in[1], N_WMMA);
        break;
    case BENCH_tree:
        k_tree<<<N_REDUCE / 256, 256, 256 * sizeof(float)>>>(f, a, N_REDUCE);
        break;
    case BENCH_shuffle:
        k_shuffle<<<N_REDUCE / 256, 256>>>(f, a, N_REDUCE);
        break;
    case BENCH_histogram:
        TRY(hipMemsetAsync(out, 0, out_bytes, 0));
        k_histogram<<<1024, 256>>>((unsigned *)out, (const unsigned char *)in[0], N_HISTOGRAM);
        break;
    case BENCH_atomic1:
        TRY(hipMemsetAsync(out, 0, out_bytes, 0));
        k_atomic1<<<N_ATOMIC / 256, 256>>>(f, a, N_ATOMIC);
        break;
    case BENCH_atomic16:
        TRY(hipMemsetAsync(out, 0, out_bytes, 0));
        k_atomic16<<<N_ATOMIC / 256, 256>>>((unsigned *)out, (const unsigned *)in[0], N_ATOMIC);
        break;
    case BENCH_mandel:
        k_mandel<<<dim3(N_MANDEL / 16, N_MANDEL / 16), dim3(16, 16)>>>((int *)out, N_MANDEL,
                                                                       MANDEL_ITERS);
        break;
    case BENCH_blackscholes:
        k_blackscholes<<<N_OPTION / 256, 256>>>(f, f + N_OPTION, a, b, c, N_OPTION);
        break;
    case BENCH_stencil:
        k_stencil<<<dim3(N_STENCIL / 32, N_STENCIL / 8), dim3(32, 8)>>>(f, a, N_STENCIL);
        break;
    case BENCH_sobel:
        k_sobel<<<dim3(N_SOBEL / 16, N_SOBEL / 16), dim3(16, 16)>>>(f, a, N_SOBEL, N_SOBEL);
        break;
    case BENCH_transpose:
        k_transpose<<<dim3(N_TRANSPOSE / 32, N_TRANSPOSE / 32), dim3(32, 8)>>>(f, a, N_TRANSPOSE);
        break;
    case BENCH_scan:
        k_scan<<<N_SCAN / SCAN_BLOCK, SCAN_BLOCK>>>(f, a, N_SCAN);
        break;
    case BENCH_bitonic:
        k_bitonic<<<N_BITONIC / BITONIC_BLOCK, BITONIC_BLOCK>>>((unsigned *)out,
                                                                (const unsigned *)in[0]);
        break;
    case BENCH_gather:
        k_gather<<<N_GATHER / 256, 256>>>(f, a, (const int *)in[1], N_GATHER);
        break;
    case BENCH_gemv:
        k_gemv<<<N_GEMV, 256>>>((double *)out, (const double *)in[0], (const double *)in[1],
                                N_GEMV);
        break;
    case BENCH_walk:
        k_walk<<<WALK_PARTS, 256>>>((double *)out, (const double *)in[0], (const double *)in[1],
                                    N_WALK / WALK_PARTS);
        break;
    case BENCH_points:
        k_points<<<N_POINTS / 256, 256>>>(f, (const float *)in[0], (const float *)in[1], N_POINTS);
        break;
    case BENCH_own:
        k_own<<<N_OWN / 256, 256>>>(f, (const float *)in[0], N_OWN, OWN_LENGTH);
        break;
    case BENCH_plain:
        k_plain<<<dim3(N_MATMUL / 16, N_MATMUL / 16), dim3(16, 16)>>>(f, a, b, N_MATMUL);
        break;
    case BENCH_columns:
        k_columns<<<N_COLUMNS / 256, 256>>>(f, (float *)in[0], (float *)in[1], N_COLUMNS);
        break;
    case BENCH_q4:
        k_q4<<<N_Q4, 32>>>(f, (const bench_q4 *)in[0], (const bench_q8 *)in[1], N_Q4 / Q4_BLOCK);
        break;
    case BENCH_texture:
        k_texture<<<dim3(N_TEXTURE / 32, N_TEXTURE / 8), dim3(32, 8)>>>(f, texture_object,
                                                                        N_TEXTURE);
        break;
    case BENCH_launch1:
        k_empty<<<1, 256>>>();
        break;
    case BENCH_launch1024:
        k_empty<<<1024, 256>>>();
        break;
    case BENCH_graph1000:
        TRY(hipGraphLaunch(graph, 0));
        break;
    default:
        return BENCH_SKIP;
    }
    TRY(hipGetLastError());
    TRY(hipDeviceSynchronize());
    return 0;
}

static int
fetch(const struct bench_data *data)
{
    if (now == BENCH_tree || now == BENCH_shuffle) {
        float *partial = (float *)malloc(out_bytes);
        double sum = 0;
        TRY(hipMemcpy(partial, out, out_bytes, hipMemcpyDeviceToHost));
        for (size_t i = 0; i < out_bytes / sizeof(float); i++)
            sum += partial[i];
        *(double *)data->out = sum;
        free(partial);
    } else if (out_bytes) {
        TRY(hipMemcpy(data->out, out, out_bytes, hipMemcpyDeviceToHost));
    }
    return 0;
}

static void
teardown(void)
{
    (void)hipDestroyTextureObject(texture_object);
    if (image)
        (void)hipFreeArray(image);
    if (graph)
        (void)hipGraphExecDestroy(graph);
    for (int i = 0; i < 3; i++)
        (void)hipFree(in[i]);
    (void)hipFree(out);
}

extern "C" const struct bench_peer bench_peer;
const struct bench_peer bench_peer = {"lockstep", setup, run, fetch, teardown};
