/* SPDX-License-Identifier: MIT */
/* Dot products of four bytes with and without signs, of any bytes and of such as are known to be
 * small, whose ends are the largest and least there are. */
#include "../check.h"

enum { N_FORMS = 6 };

/* By number: both with signs, and with a or b cut to nibbles; the same three without signs. */
__global__ void
dots(int *out, const int *a, const int *b, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    int x = a[i], y = b[i], low_x = x & 0x0f0f0f0f, low_y = y >> 4 & 0x0f0f0f0f;
#if defined(__GFX11__)
    int s0 = __builtin_amdgcn_sudot4(true, x, true, y, i, false);
    int s1 = __builtin_amdgcn_sudot4(true, low_x, true, y, i, false);
    int s2 = __builtin_amdgcn_sudot4(true, x, true, low_y, i, false);
    out[N_FORMS * n + i] = __builtin_amdgcn_sudot4(false, x, true, y, i, false);
    out[(N_FORMS + 1) * n + i] = __builtin_amdgcn_sudot4(true, x, false, y, i, false);
#elif defined(__gfx90a__)
    int s0 = __builtin_amdgcn_sdot4(x, y, i, false);
    int s1 = __builtin_amdgcn_sdot4(low_x, y, i, false);
    int s2 = __builtin_amdgcn_sdot4(x, low_y, i, false);
#else
    int s0 = 0, s1 = 0, s2 = 0;
#endif
    out[i] = s0;
    out[n + i] = s1;
    out[2 * n + i] = s2;
    out[3 * n + i] = (int)__builtin_amdgcn_udot4((unsigned)x, (unsigned)y, (unsigned)i, false);
    out[4 * n + i] = (int)__builtin_amdgcn_udot4((unsigned)low_x, (unsigned)y, (unsigned)i, false);
    out[5 * n + i] = (int)__builtin_amdgcn_udot4((unsigned)x, (unsigned)low_y, (unsigned)i, false);
}

static int
expected(int a, bool a_signed, int b, bool b_signed, int sum)
{
    for (int k = 0; k < 32; k += 8) {
        int x = a >> k & 255, y = b >> k & 255;
        sum += (a_signed && x > 127 ? x - 256 : x) * (b_signed && y > 127 ? y - 256 : y);
    }
    return sum;
}

int
main()
{
    static const unsigned ends[] = {0, 0x80808080, 0x7f7f7f7f, 0xffffffff, 0x01010101, 0x807f00ff};
    const int n = 333, extra = 2;
    std::vector<int> a(n), b(n), want((N_FORMS + extra) * n);
    Dev<int> out(want.size());
    hipDeviceProp_t prop;

    CHECK_HIP(hipGetDeviceProperties(&prop, 0));
    bool mixed = strncmp(prop.gcnArchName, "gfx11", 5) == 0;
    for (int i = 0; i < n; i++) {
        a[i] = i < 36 ? (int)ends[i / 6] : (int)((unsigned)i * 2654435761u);
        b[i] = i < 36 ? (int)ends[i % 6] : (int)((unsigned)i * 2246822519u >> 3);
    }
    for (int i = 0; i < n; i++) {
        int low_a = a[i] & 0x0f0f0f0f, low_b = b[i] >> 4 & 0x0f0f0f0f;
        want[i] = expected(a[i], true, b[i], true, i);
        want[n + i] = expected(low_a, true, b[i], true, i);
        want[2 * n + i] = expected(a[i], true, low_b, true, i);
        want[3 * n + i] = expected(a[i], false, b[i], false, i);
        want[4 * n + i] = expected(low_a, false, b[i], false, i);
        want[5 * n + i] = expected(a[i], false, low_b, false, i);
        want[6 * n + i] = mixed ? expected(a[i], false, b[i], true, i) : 0;
        want[7 * n + i] = mixed ? expected(a[i], true, b[i], false, i) : 0;
    }
    CHECK_HIP(hipMemset(out, 0, want.size() * sizeof(int)));
    dots<<<(n + 63) / 64, 64>>>(out, Dev<int>(a), Dev<int>(b), n);
    check_same("dot products of bytes", out.get(), want);
    return 0;
}
