/* SPDX-License-Identifier: MIT */
/* printf from the device: all kinds of arguments, order within a thread, masked lanes silent. */
// EXPECT-OUTPUT: thread 3 of block 1: -7 4000000000 1.5 0x1f abc % c lockstep 123456789012
#include "../check.h"

__global__ void
speak(int who)
{
    int i = (int)global_id();

    if (i == who) {
        printf("thread %u of block %d: %d %u %g 0x%x %s %% %c ", threadIdx.x, (int)blockIdx.x, -7,
               4000000000u, 1.5, 31, "abc", 'c');
        printf("%s %lld\n", "lockstep", 123456789012ll);
    }
}

__global__ void
returns(int *out)
{
    out[threadIdx.x] = threadIdx.x & 1 ? printf("%d\n", (int)threadIdx.x) : -1;
}

int
main()
{
    Dev<int> out(4);

    speak<<<4, 32>>>(35);
    CHECK_RUN();
    returns<<<1, 4>>>(out);
    std::vector<int> got = out.get();
    CHECK(got[0] == -1 && got[1] >= 0 && got[2] == -1 && got[3] >= 0);
    return 0;
}
