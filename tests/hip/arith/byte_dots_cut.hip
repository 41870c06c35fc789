/* SPDX-License-Identifier: MIT */
/* Dot products of four bytes of which one side is cut by a mask, up to where two products do not
 * fit into 16 bits any more; and sums that are clamped to 32 bits. */
#include "../check.h"

enum { N_MASKS = 6, N_FORMS = 4 };

static const unsigned masks[N_MASKS] = {0x7f7f7f7f, 0x80808080, 0x40404040,
                                        0x41414141, 0x40ff0040, 0};

/* udot4 and a dot product of a without and b with signs; of a plain sum and one that is clamped. */
template <unsigned MASK>
__device__ void
dots_cut(int *out, int n, int i, int x, int y, int sum)
{
    unsigned cut = (unsigned)x & MASK;

    out[i] = (int)__builtin_amdgcn_udot4(cut, (unsigned)y, (unsigned)sum, false);
    out[n + i] = (int)__builtin_amdgcn_udot4((unsigned)y, cut, (unsigned)sum, true);
#if defined(__GFX11__)
    out[2 * n + i] = __builtin_amdgcn_sudot4(false, (int)cut, true, y, sum, false);
    out[3 * n + i] = __builtin_amdgcn_sudot4(true, y, false, (int)cut, sum, true);
#elif defined(__gfx90a__)
    out[2 * n + i] = __builtin_amdgcn_sdot4((int)cut, y, sum, false);
    out[3 * n + i] = __builtin_amdgcn_sdot4(y, (int)cut, sum, true);
#endif
}

__global__ void
dots(int *out, const int *a, const int *b, const int *sums, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    dots_cut<0x7f7f7f7f>(out, n, i, a[i], b[i], sums[i]);
    dots_cut<0x80808080>(out + 1 * N_FORMS * n, n, i, a[i], b[i], sums[i]);
    dots_cut<0x40404040>(out + 2 * N_FORMS * n, n, i, a[i], b[i], sums[i]);
    dots_cut<0x41414141>(out + 3 * N_FORMS * n, n, i, a[i], b[i], sums[i]);
    dots_cut<0x40ff0040>(out + 4 * N_FORMS * n, n, i, a[i], b[i], sums[i]);
    dots_cut<0>(out + 5 * N_FORMS * n, n, i, a[i], b[i], sums[i]);
}

static long long
expected(unsigned a, bool a_signed, unsigned b, bool b_signed)
{
    long long sum = 0;

    for (int k = 0; k < 32; k += 8) {
        int x = a >> k & 255, y = b >> k & 255;
        sum += (a_signed && x > 127 ? x - 256 : x) * (b_signed && y > 127 ? y - 256 : y);
    }
    return sum;
}

static int
clamped(long long sum, bool is_signed)
{
    long long least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX;

    return (int)(sum < least ? least : sum > most ? most : sum);
}

int
main()
{
    static const unsigned ends[] = {0, 0x80808080, 0x7f7f7f7f, 0xffffffff, 0x01010101, 0x807f00ff};
    const int n = 333;
    std::vector<int> a(n), b(n), sums(n), want(N_MASKS * N_FORMS * n);
    Dev<int> out(want.size());
    hipDeviceProp_t prop;

    CHECK_HIP(hipGetDeviceProperties(&prop, 0));
    bool mixed = strncmp(prop.gcnArchName, "gfx11", 5) == 0;
    bool both = strncmp(prop.gcnArchName, "gfx90a", 6) == 0;
    for (int i = 0; i < n; i++) {
        a[i] = i < 36 ? (int)ends[i / 6] : (int)((unsigned)i * 2654435761u);
        b[i] = i < 36 ? (int)ends[i % 6] : (int)((unsigned)i * 2246822519u >> 3);
        sums[i] = i % 4 == 0 ? INT32_MAX - i : i % 4 == 1 ? INT32_MIN + i : i % 4 == 2 ? -i : i;
    }
    for (int m = 0; m < N_MASKS; m++)
        for (int i = 0; i < n; i++) {
            unsigned x = (unsigned)a[i] & masks[m], y = (unsigned)b[i];
            int *w = &want[m * N_FORMS * n + i];

            w[0] = (int)(sums[i] + expected(x, false, y, false));
            w[n] = clamped((unsigned)sums[i] + expected(x, false, y, false), false);
            if (mixed || both) {
                w[2 * n] = (int)(sums[i] + expected(x, both, y, true));
                w[3 * n] = clamped(sums[i] + expected(y, true, x, both), true);
            }
        }
    CHECK_HIP(hipMemset(out, 0, want.size() * sizeof(int)));
    dots<<<(n + 63) / 64, 64>>>(out, Dev<int>(a), Dev<int>(b), Dev<int>(sums), n);
    check_same("dot products of cut bytes", out.get(), want);
    return 0;
}
