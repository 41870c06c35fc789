/* SPDX-License-Identifier: MIT */
/* HIP's integer intrinsics against plain C. */
#include "../check.h"

__global__ void
intrinsics(uint64_t *out, const int *in, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    int a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
    unsigned ua = (unsigned)a * 2654435761u, ub = (unsigned)b * 40503u;
    long long la = (long long)a * 0x100000007ll;
    uint64_t *o = out + 20 * (size_t)i;

    o[0] = (uint64_t)__popc(ua) + 100 * (uint64_t)__popcll((unsigned long long)la);
    o[1] = (uint64_t)__clz((int)ua) + 100 * (uint64_t)__clzll(la);
    o[2] = (uint64_t)__ffs((int)ua) + 100 * (uint64_t)__ffsll((unsigned long long)la);
    o[3] = __brev(ua);
    o[4] = __brevll((unsigned long long)la);
    o[5] = (uint64_t)(unsigned)__mulhi((int)ua, (int)ub);
    o[6] = __umulhi(ua, ub);
    o[7] = (uint64_t)__mul64hi(la, (long long)ub << 20);
    o[8] = __umul64hi((unsigned long long)la, (unsigned long long)ub << 20);
    o[9] = (uint64_t)(unsigned)__mul24(a & 0x7fffff, b & 0xff);
    o[10] = (unsigned)__umul24(ua & 0xffffff, ub & 0xff);
    o[11] = __byte_perm(ua, ub, (unsigned)(i * 0x1234) & 0x7777);
    o[12] = __sad(a, b, 5);
    o[13] = __usad(ua, ub, 5u);
    o[14] = (uint64_t)(unsigned)__hadd(a, b);
    o[15] = (uint64_t)(unsigned)__rhadd(a, b);
    o[16] = (uint64_t)(unsigned)abs(a) + (uint64_t)max(a, b) * 3 + (uint64_t)min(b, c) * 7;
    o[17] = __funnelshift_l(ua, ub, (unsigned)i & 31);
    o[18] = __funnelshift_r(ua, ub, (unsigned)i & 31);
    o[19] = (uint64_t)__float_as_uint(__uint_as_float(ua)) +
            (uint64_t)__double_as_longlong(__longlong_as_double(la));
}

static uint64_t
reverse(uint64_t v, int bits)
{
    uint64_t r = 0;

    for (int k = 0; k < bits; k++)
        r |= (v >> k & 1) << (bits - 1 - k);
    return r;
}

int
main()
{
    const int n = 333;
    std::vector<int> in = map_input(n);
    std::vector<uint64_t> want(20 * n);
    Dev<int> din(in);

    for (int i = 0; i < n; i++) {
        int a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
        unsigned ua = (unsigned)a * 2654435761u, ub = (unsigned)b * 40503u;
        long long la = (long long)a * 0x100000007ll;
        uint64_t *o = &want[20 * i], ula = (uint64_t)la;
        unsigned sel = (unsigned)(i * 0x1234) & 0x7777, perm = 0, s = (unsigned)i & 31;

        o[0] = (uint64_t)__builtin_popcount(ua) + 100 * (uint64_t)__builtin_popcountll(ula);
        o[1] = (uint64_t)(ua ? __builtin_clz(ua) : 32) +
               100 * (uint64_t)(la ? __builtin_clzll(ula) : 64);
        o[2] = (uint64_t)__builtin_ffs((int)ua) + 100 * (uint64_t)__builtin_ffsll(la);
        o[3] = reverse(ua, 32);
        o[4] = reverse(ula, 64);
        o[5] = (uint64_t)(unsigned)(((int64_t)(int)ua * (int)ub) >> 32);
        o[6] = ((uint64_t)ua * ub) >> 32;
        o[7] = (uint64_t)(((__int128)la * ((long long)ub << 20)) >> 64);
        o[8] = (uint64_t)(((unsigned __int128)ula * ((uint64_t)ub << 20)) >> 64);
        o[9] = (uint64_t)(unsigned)((a & 0x7fffff) * (b & 0xff));
        o[10] = (unsigned)((ua & 0xffffff) * (ub & 0xff));
        for (int k = 0; k < 4; k++)
            perm |= (unsigned)((((uint64_t)ub << 32 | ua) >> 8 * (sel >> 4 * k & 7)) & 255)
                    << 8 * k;
        o[11] = perm;
        o[12] = (unsigned)((a > b ? a - b : b - a) + 5);
        o[13] = (ua > ub ? ua - ub : ub - ua) + 5u;
        o[14] = (uint64_t)(unsigned)(((int64_t)a + b) >> 1);
        o[15] = (uint64_t)(unsigned)(((int64_t)a + b + 1) >> 1);
        o[16] = (uint64_t)(unsigned)(a < 0 ? -a : a) + (uint64_t)(a > b ? a : b) * 3 +
                (uint64_t)(b < c ? b : c) * 7;
        o[17] = (unsigned)(((uint64_t)ub << 32 | ua) << s >> 32);
        o[18] = (unsigned)(((uint64_t)ub << 32 | ua) >> s);
        o[19] = (uint64_t)ua + ula;
    }
    for (dim3 b : {dim3(37), dim3(256)}) {
        Dev<uint64_t> out(20 * n);
        intrinsics<<<dim3(blocks_for(n, b)), b>>>(out, din, n);
        std::vector<uint64_t> got = out.get();
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 20; k++)
                if (got[20 * i + k] != want[20 * i + k])
                    FAIL("intrinsic %d, thread %d: got %llx, expected %llx", k, i,
                         (unsigned long long)got[20 * i + k], (unsigned long long)want[20 * i + k]);
    }
    return 0;
}
