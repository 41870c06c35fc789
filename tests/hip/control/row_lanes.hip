/* SPDX-License-Identifier: MIT */
/* Blocks that are 16 threads wide, whose rows are warps where no thread can tell, and are not where
 * one can. Rows of blocks are dealt out together: each block runs once, whatever the grid is. */
#include "../check.h"

__global__ void
straight(int *out, const int *in, int w, int h, int d)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int z = (int)(blockIdx.z * blockDim.z + threadIdx.z);

    if (x < w && y < h && z < d) {
        int i = (z * h + y) * w + x, left = x ? in[i - 1] : 7, up = y ? in[i - w] : 9;

        out[i] += in[i] * 3 + left - up;
    }
}

__global__ void
columns(int *out, const int *in, int w, int h)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);

    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];
}

/* What a thread learns of its warp, in ways that a warp of one row would show. */
enum way { SHUFFLE, BALLOT, LANE, SIZE, ANY, N_WAYS };

template <int WAY>
__global__ void
ask(int *out)
{
    unsigned i = threadIdx.y * blockDim.x + threadIdx.x;
    int v = (int)mix(i);

    if (WAY == SHUFFLE)
        v = __shfl_xor(v, 16);
    if (WAY == BALLOT)
        v = (int)__popcll(__ballot(v & 1));
    if (WAY == LANE)
        v = (int)__lane_id();
    if (WAY == SIZE)
        v = warpSize;
    if (WAY == ANY)
        v = __any(i % 32 == 17 && i > 32);
    out[i] = v;
}

/* Warps in lock step may hand on values in memory without more. */
template <typename T>
__global__ void
hand_on(int *out, T *room)
{
    unsigned i = threadIdx.y * blockDim.x + threadIdx.x;

    room[i] = (int)mix(i);
    out[i] = room[i ^ 16];
}

static int
answer(int way, unsigned i, unsigned n, int warp)
{
    unsigned first = i / (unsigned)warp * (unsigned)warp, count = 0;

    for (unsigned k = first; k < first + (unsigned)warp && k < n; k++)
        count += way == BALLOT ? mix(k) & 1 : k % 32 == 17 && k > 32;
    switch (way) {
    case SHUFFLE:
        return (int)mix(i ^ 16);
    case BALLOT:
        return (int)count;
    case LANE:
        return (int)(i - first);
    case SIZE:
        return warp;
    default:
        return count > 0;
    }
}

template <int WAY>
static void
check_way(int warp)
{
    for (unsigned rows : {2u, 4u, 16u}) {
        unsigned n = 16 * rows;
        std::vector<int> want(n);
        Dev<int> out(n);

        if (n % (unsigned)warp)
            continue;
        for (unsigned i = 0; i < n; i++)
            want[i] = answer(WAY, i, n, warp);
        ask<WAY><<<1, dim3(16, rows)>>>(out);
        check_same("ask", out.get(), want);
    }
}

template <typename T>
static void
check_hand_on()
{
    enum { MANY = 256 };
    Dev<int> out(MANY), room(MANY);
    std::vector<int> want(MANY);

    for (unsigned i = 0; i < MANY; i++)
        want[i] = (int)mix(i ^ 16);
    hand_on<T><<<1, dim3(16, MANY / 16)>>>(out, (T *)(int *)room);
    check_same("hand_on", out.get(), want);
}

static void
check_straight(int w, int h, int d, dim3 block)
{
    size_t n = (size_t)w * (size_t)h * (size_t)d;
    std::vector<int> in(n), want(n), across(n);
    dim3 grid(((unsigned)w + block.x - 1) / block.x, ((unsigned)h + block.y - 1) / block.y,
              ((unsigned)d + block.z - 1) / block.z);

    for (size_t i = 0; i < n; i++)
        in[i] = (int)(mix((uint32_t)i) & 0xfffff);
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                size_t i = ((size_t)z * (size_t)h + (size_t)y) * (size_t)w + (size_t)x;

                want[i] = in[i] * 3 + (x ? in[i - 1] : 7) - (y ? in[i - (size_t)w] : 9);
                if (z == 0)
                    across[(size_t)x * (size_t)h + (size_t)y] = in[i];
            }
    Dev<int> out(n), din(in);
    for (int turn = 1; turn < 4; turn++) { /* the later ones know how long a block takes */
        std::vector<int> sum(n);

        straight<<<grid, block>>>(out, din, w, h, d);
        for (size_t i = 0; i < n; i++)
            sum[i] = want[i] * turn;
        check_same("straight", out.get(), sum);
    }
    if (d == 1) {
        columns<<<grid, block>>>(out, din, w, h);
        check_same("columns", out.get(), across);
    }
}

int
main()
{
    int warp;

    CHECK_HIP(hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 0));
    for (dim3 block : {dim3(16, 16), dim3(16, 3), dim3(16, 2), dim3(16, 32), dim3(16, 4, 2),
                       dim3(16, 64), dim3(32, 8), dim3(64, 4), dim3(8, 8)}) {
        check_straight(16, 16, 1, block);
        check_straight(1, 70, 1, block);
        check_straight(100, 37, 1, block);
        check_straight(333, 130, 1, block);
        check_straight(50, 20, 9, block);
    }
    check_straight(4099, 300, 1, dim3(16, 16));
    const char *isa = getenv("LOCKSTEP_ISA");
    if (!isa || strcmp(isa, "scalar")) { /* one thread after the other is in no step */
        check_hand_on<int>();
        check_hand_on<volatile int>();
    }
    check_way<SHUFFLE>(warp);
    check_way<BALLOT>(warp);
    check_way<LANE>(warp);
    check_way<SIZE>(warp);
    check_way<ANY>(warp);
    return 0;
}
