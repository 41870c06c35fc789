/* SPDX-License-Identifier: MIT */
/* Sizes and places asked of the device library with an axis that only the running kernel knows. */
#include "../check.h"

extern "C" {
__device__ size_t __ockl_get_local_size(unsigned axis);
__device__ size_t __ockl_get_num_groups(unsigned axis);
__device__ size_t __ockl_get_local_id(unsigned axis);
__device__ size_t __ockl_get_group_id(unsigned axis);
}

/* Thread t asks for axis t % 4; axis 3 has size 1 and place 0. */
__global__ void
by_axis(int *out)
{
    unsigned t = threadIdx.x + blockDim.x * threadIdx.y;
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned axis = t % 4;

    out[block * blockDim.x * blockDim.y + t] =
        (int)(__ockl_get_local_size(axis) + 100 * __ockl_get_num_groups(axis) +
              10000 * __ockl_get_local_id(axis) + 1000000 * __ockl_get_group_id(axis));
}

int
main()
{
    const dim3 grid(3, 2, 2), block(16, 5);
    Dev<int> out(12 * 80);
    std::vector<int> want;

    for (int b = 0; b < 12; b++)
        for (int t = 0; t < 80; t++) {
            const int size[] = {16, 5, 1, 1}, count[] = {3, 2, 2, 1}, id[] = {t % 16, t / 16, 0, 0},
                      group[] = {b % 3, b / 3 % 2, b / 6, 0}, a = t % 4;
            want.push_back(size[a] + 100 * count[a] + 10000 * id[a] + 1000000 * group[a]);
        }
    by_axis<<<grid, block>>>(out.p);
    check_same("by_axis", out.get(), want);
    return 0;
}
