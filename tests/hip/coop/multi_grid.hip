/* SPDX-License-Identifier: MIT */
/* Grids of several devices: ranks, sizes and barriers of multi_grid_group. */
// ARCH: gfx1100
// ISA: avx2
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

#define N_DEVICES 3
#define CHECK(call)                                                                                \
    do {                                                                                           \
        hipError_t err_ = (call);                                                                  \
        if (err_ != hipSuccess) {                                                                  \
            printf("%s: %s\n", #call, hipGetErrorName(err_));                                      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__device__ unsigned launches; /* each device has its own */

/* Everybody adds its rank, meets all others, and reads what they added. */
__global__ void
ranks(unsigned long long *sums, unsigned *facts)
{
    cg::multi_grid_group all = cg::this_multi_grid();

    if (cg::this_grid().thread_rank() == 0)
        launches++;
    for (int round = 0; round < 3; round++) {
        atomicAdd_system(&sums[round], (unsigned long long)all.thread_rank());
        all.sync();
        if (sums[round] != (unsigned long long)all.size() * (all.size() - 1) / 2)
            atomicAdd(&facts[5], 1u);
    }
    if (cg::this_grid().thread_rank() == 0) {
        facts[0] = all.num_grids();
        facts[1] = all.grid_rank();
        facts[2] = all.size();
        facts[3] = all.thread_rank();
        facts[4] = all.is_valid();
    }
}

__global__ void
alone(unsigned *facts)
{
    cg::multi_grid_group all = cg::this_multi_grid();

    facts[0] = all.is_valid();
    facts[1] = all.num_grids();
    facts[2] = all.size();
}

__global__ void
meet()
{
    cg::this_multi_grid().sync();
}

__global__ void
wait_for(volatile int *flag)
{
    while (*flag == 0)
        ;
}

/* Two launches over the same devices, each of which comes first on one of them. */
static void
crossing_launches()
{
    hipLaunchParams list[2][2];
    volatile int *flag;

    CHECK(hipHostMalloc((void **)&flag, 4));
    *flag = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) {
            CHECK(hipSetDevice(i));
            list[k][i] = {(void *)meet, dim3(1), dim3(32), nullptr, 0, nullptr};
            CHECK(hipStreamCreateWithFlags(&list[k][i].stream, hipStreamNonBlocking));
        }
    CHECK(hipSetDevice(0));
    wait_for<<<1, 1, 0, list[0][0].stream>>>(flag);
    for (int k = 0; k < 2; k++)
        CHECK(hipLaunchCooperativeKernelMultiDevice(
            list[k], 2,
            hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync));
    *flag = 1;
    for (int i = 0; i < 2; i++) {
        CHECK(hipSetDevice(i));
        CHECK(hipDeviceSynchronize());
    }
    CHECK(hipSetDevice(N_DEVICES - 1));
}

int
main()
{
    hipLaunchParams list[N_DEVICES];
    unsigned long long *sums;
    unsigned *facts[N_DEVICES];
    void *args[N_DEVICES][2];
    int n;

    setenv("LOCKSTEP_CPU_DEVICES", "3", 1);
    CHECK(hipGetDeviceCount(&n));
    printf("%d devices\n", n);
    CHECK(hipHostMalloc((void **)&sums, 3 * sizeof(*sums)));
    sums[0] = sums[1] = sums[2] = 0;
    for (int i = 0; i < N_DEVICES; i++) {
        CHECK(hipSetDevice(i));
        CHECK(hipMallocManaged((void **)&facts[i], 6 * sizeof(unsigned)));
        CHECK(hipMemset(facts[i], 0, 6 * sizeof(unsigned)));
        args[i][0] = &sums;
        args[i][1] = &facts[i];
        list[i].func = reinterpret_cast<void *>(ranks);
        list[i].gridDim = dim3(2, i + 1);
        list[i].blockDim = dim3(48, 2);
        list[i].args = args[i];
        list[i].sharedMem = 0;
        CHECK(hipStreamCreate(&list[i].stream));
    }
    CHECK(hipLaunchCooperativeKernelMultiDevice(list, N_DEVICES, 0));
    for (int i = 0; i < N_DEVICES; i++) {
        unsigned f[6], launched;

        CHECK(hipSetDevice(i));
        CHECK(hipMemcpy(f, facts[i], sizeof(f), hipMemcpyDeviceToHost));
        CHECK(hipMemcpyFromSymbol(&launched, HIP_SYMBOL(launches), sizeof(launched)));
        printf("device %d: grid %u of %u, thread %u of %u, valid %u, wrong sums %u, launches %u\n",
               i, f[1], f[0], f[3], f[2], f[4], f[5], launched);
    }
    crossing_launches();
    alone<<<2, 32>>>(facts[2]);
    CHECK(hipDeviceSynchronize());
    printf("alone: valid %u, grids %u, threads %u\n", facts[2][0], facts[2][1], facts[2][2]);
}
