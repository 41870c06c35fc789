/* SPDX-License-Identifier: MIT */
/* Clocks go forward, s_sleep returns, fences and waits are accepted. */
#include "../check.h"

__global__ void
clocks(int *out)
{
    long long a = clock64(), w = wall_clock64();
    clock_t c = clock();

    __builtin_amdgcn_s_sleep(2);
    int spin = 0;
    while (clock64() - a < 1000 && spin < 1000000)
        spin++;
    long long b = clock64(), x = wall_clock64();
    (void)c;
    __builtin_amdgcn_s_waitcnt(0);
    __threadfence();
    __builtin_amdgcn_s_barrier();
    out[global_id()] = (b > a) + 2 * (x >= w) + 4 * (b - a >= 1000);
}

int
main()
{
    Dev<int> out(256);

    clocks<<<4, 64>>>(out);
    check_same("clocks", out.get(), std::vector<int>(256, 7));
    return 0;
}
