/* SPDX-License-Identifier: MIT */
/* A loop carries v = x - v, and only one lane's v is asked for, by its number: LLVM's InstCombine
 * may carry this lane's alone, and takes the operands the other way round. */
#include "../check.h"

__global__ void
carried(const int *in, float *out, int n)
{
    int v = in[threadIdx.x];
    float f = v, g = v;

    for (int i = 0; i < n; i++) {
        v = 1000 - v;
        f = 8.0f - f;
        g = 8.0f / g;
    }
    out[0] = __builtin_amdgcn_readlane(v, 3);
    out[1] = __int_as_float(__builtin_amdgcn_readlane(__float_as_int(f), 4));
    out[2] = __int_as_float(__builtin_amdgcn_readlane(__float_as_int(g), 5));
}

int
main()
{
    std::vector<int> in(32);

    for (int i = 0; i < 32; i++)
        in[i] = 3 * i + 1;
    Dev<int> din(in);
    for (int n = 0; n < 6; n++) {
        Dev<float> out(3);
        int v = in[3];
        float f = in[4], g = in[5];

        for (int i = 0; i < n; i++) {
            v = 1000 - v;
            f = 8.0f - f;
            g = 8.0f / g;
        }
        carried<<<1, 32>>>((const int *)din, (float *)out, n);
        CHECK_RUN();
        const float want[3] = {(float)v, f, g};
        check_same("lanes", out.get().data(), want, 3, 1e-6);
    }
}
