/* SPDX-License-Identifier: MIT */
/* Cooperative launch: every block alive at once, grid.sync() between phases, too many blocks
 * refused. */
// PTX: yes
#include "../check.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void
phases(int *a, int *b, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    unsigned i = global_id(), n = gridDim.x * block_threads();

    for (int k = 0; k < rounds; k++) {
        b[i] = a[(i + 1) % n] + k;
        grid.sync();
        a[i] = b[(i * 7 + 3) % n];
        grid.sync();
    }
    if (grid.thread_rank() == 0)
        a[0] += grid.is_valid() ? (int)grid.size() * 0 : 1000000;
}

int
main()
{
    int per_cu = 0, cooperative = 0;
    hipDeviceProp_t props;

    CHECK_HIP(hipGetDeviceProperties(&props, 0));
    CHECK_HIP(hipDeviceGetAttribute(&cooperative, hipDeviceAttributeCooperativeLaunch, 0));
    CHECK(cooperative == 1);
    for (dim3 block : {dim3(64), dim3(256), dim3(8, 8, 4)}) {
        unsigned t = threads_of(block);
        CHECK_HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_cu, phases, (int)t, 0));
        CHECK(per_cu >= 1);
        unsigned most = (unsigned)per_cu * (unsigned)props.multiProcessorCount,
                 blocks = most < 8 ? most : 8;
        unsigned n = t * blocks;
        int rounds = 5;
        std::vector<int> a = map_input(n), b(n);
        Dev<int> da(a), db(n);
        int *pa = da.p, *pb = db.p;
        void *args[] = {&pa, &pb, &rounds};
        CHECK_HIP(hipLaunchCooperativeKernel((const void *)phases, dim3(blocks), block, args, 0,
                                             nullptr));
        for (int k = 0; k < rounds; k++) {
            for (unsigned i = 0; i < n; i++)
                b[i] = a[(i + 1) % n] + k;
            for (unsigned i = 0; i < n; i++)
                a[i] = b[(i * 7 + 3) % n];
        }
        check_same("phases", da.get(), a);
        CHECK_ERR(hipLaunchCooperativeKernel((const void *)phases, dim3(most * 64 + 1), block, args,
                                             0, nullptr),
                  hipErrorCooperativeLaunchTooLarge);
        (void)hipGetLastError();
    }
    return 0;
}
