/* SPDX-License-Identifier: MIT */
/* The floating-point environment: get_fpenv answers the mode that kernels start with, and set_fpenv
 * takes it back, also as a constant, in branches and in loops. */
#include "../check.h"

#define MODE 0x3f0 /* to nearest, denormals kept, DX10 clamp, IEEE mode */

__global__ void
environments(unsigned *straight, unsigned *branch, unsigned *loop)
{
    unsigned i = global_id();
    unsigned long env = __builtin_amdgcn_get_fpenv();

    straight[i] = (unsigned)env;
    if (i % 3 == 1) {
        branch[i] = (unsigned)__builtin_amdgcn_get_fpenv() + 1;
        __builtin_amdgcn_set_fpenv(env);
    }
    for (unsigned n = 0; n < i % 5; n++) {
        loop[i] += (unsigned)__builtin_amdgcn_get_fpenv();
        __builtin_amdgcn_set_fpenv(MODE);
    }
    __builtin_amdgcn_set_fpenv(env);
}

int
main()
{
    const unsigned n = 4 * 64;
    Dev<unsigned> straight(n), branch(n), loop(n);
    std::vector<unsigned> branched(n), looped(n);

    environments<<<4, 64>>>(straight, branch, loop);
    CHECK_RUN();
    for (unsigned i = 0; i < n; i++) {
        branched[i] = i % 3 == 1 ? MODE + 1 : 0;
        looped[i] = i % 5 * MODE;
    }
    check_same("straight", straight.get(), std::vector<unsigned>(n, MODE));
    check_same("branch", branch.get(), branched);
    check_same("loop", loop.get(), looped);
    return 0;
}
