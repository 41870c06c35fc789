# SPDX-License-Identifier: MIT
# Public headers in plain C and C++: programs whose host part another compiler builds include them, too.
. "$LS_SOURCE/tests/hipcc/lib.inc"

for header in "$LS_SOURCE"/include/hip/*.h "$LS_SOURCE"/include/hip/amd_detail/*.h; do
    echo "#include <hip/${header#*/include/hip/}>"
done >all.c
cp all.c all.cpp
cat >>all.c <<'END'
double root(double x);
double root(double x) { return sqrt(x); } /* <math.h> comes along */
END
ok "all in C" cc -std=c11 -fsyntax-only -Wall -Wextra -Werror -I"$LS_SOURCE/include" all.c
ok "all in C++" c++ -std=c++11 -fsyntax-only -Wall -Wextra -Werror -I"$LS_SOURCE/include" all.cpp

# Groups of unknown kind refer to launches on several devices: that must link for hardware, too.
cat >groups.hip <<'END'
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
__global__ void k(const cooperative_groups::thread_group *group, int *p)
{
    group->sync();
    p[threadIdx.x] = (int)group->thread_rank();
}
int main() { return 0; }
END
ok "groups for hardware" silent "no code object" "$hipcc" --offload-arch=gfx1100 groups.hip -o groups

# Half on the host: the values are the bits of the results.
cat >half.cpp <<'END'
#include <hip/hip_fp16.h>
#include <cmath>
#include <cstdio>
static int failed;
static void check(__half h, unsigned bits)
{
    __half_raw raw = h;
    if (raw.x != bits) {
        std::printf("%04x is not %04x\n", raw.x, bits);
        failed = 1;
    }
}
int main()
{
    check(__half(1), 0x3c00);
    check(__half(-2.5), 0xc100);
    check(__half(1 + 0x1p-11f), 0x3c00); /* ties to even */
    check(__half(1 + 0x3p-11f), 0x3c02);
    check(__half(65519.0f), 0x7bff);
    check(__half(65520.0f), 0x7c00);
    check(__half(-INFINITY), 0xfc00);
    check(__half(0x1p-24f), 0x0001);
    check(__half(0x1p-25f), 0x0000);
    check(__half(0x1.8p-25f), 0x0001);
    check(__half(0x1.ffcp-15f), 0x0400); /* up to the least normal number */
    check(__half(-0.0f), 0x8000);
    check(__float2half_rz(1e6f), 0x7bff);
    check(__float2half_rz(-1.9999f), 0xbfff);
    check(__float2half_rd(-1e-9f), 0x8001);
    check(__float2half_rd(1e-9f), 0x0000);
    check(__float2half_rd(1e6f), 0x7bff);
    check(__float2half_ru(1e6f), 0x7c00);
    check(__float2half_ru(1 + 0x1p-20f), 0x3c01);
    check(__float2half_ru(-1 - 0x1p-20f), 0xbc00);
    check(__half(NAN), 0x7e00);
    for (unsigned i = 0; i < 0x10000; i++) { /* all go to float and back */
        __half_raw raw;
        raw.x = (unsigned short)i;
        if ((i & 0x7c00) != 0x7c00 || !(i & 0x3ff))
            check(__half((float)__half(raw)), i);
        else if (!std::isnan(__half2float(raw)))
            failed = 1;
    }
    __half2 two = __floats2half2_rn(3, 4);
    half sum = __half(__low2float(two) + __high2float(two)), more = __half2float(sum) * 2 + __half2float(two.x);
    check(more, 0x4c40); /* 17 */
    return failed;
}
END
ok "half in C++" c++ -std=c++17 -Wall -Wextra -Werror -I"$LS_SOURCE/include" half.cpp -o half
ok "conversions of half" ./half
ok "the same by clang" "$hipcc" -x c++ -std=c++17 -Wall -Wextra -Werror half.cpp -o half
ok "the same conversions by clang" ./half
cat >own.cpp <<'END'
typedef struct own_half half;
#include <hip/amd_detail/hip_fp16_gcc.h>
__half h;
END
ok "HIP_NO_HALF" c++ -std=c++11 -DHIP_NO_HALF -fsyntax-only -I"$LS_SOURCE/include" own.cpp

finish
