/* SPDX-License-Identifier: MIT */
/* Conversions between integers of all widths and float, double; only values where C defines the
 * result. */
#include "../check.h"

template <typename T>
struct FromInt {
    __host__ __device__ double
    operator()(int i, int, const int *in) const
    {
        T v = (T)((int64_t)in[i] * ((i & 1) ? 1 : 127) * (sizeof(T) == 8 ? 0x10001 : 1));
        return (double)(float)v + (double)v;
    }
};

template <typename T, typename F>
struct ToInt {
    __host__ __device__ int64_t
    operator()(int i, int, const int *in) const
    {
        F f = (F)(in[i] % 90) * (F)1.37;
        if ((T)-1 > (T)0 && f < 0)
            f = -f;
        return (int64_t)(T)f;
    }
};

MAP(Widen, int64_t)
{
    return (int64_t)(signed char)in[i] + (int64_t)(unsigned char)in[i] * 3 +
           (int64_t)(short)in[i] * 5 + (int64_t)(unsigned short)in[i] * 7 +
           (int64_t)(unsigned)in[i] * 11 + (int64_t)in[i] * 13;
}

MAP(FloatDouble, double)
{
    double d = in[i] * 1.000000123456789;
    float f = (float)d;
    return (double)f * 3.0 + d;
}

MAP(Bool, int)
{
    bool b = in[i];
    bool c = (float)(in[i] & 3);
    return (int)b + 2 * (int)c + (b ? 4 : 8);
}

MAP(Pointers, int64_t)
{
    uintptr_t a = (uintptr_t)(in + i), b = (uintptr_t)in;
    return (int64_t)(a - b) + (in + i == in) + 2 * (in + i > in + 5);
}

__global__ void
rounding(int *out, const float *in, int n)
{
    int i = (int)global_id();

    if (i < n) {
        out[4 * i] = __float2int_rn(in[i]);
        out[4 * i + 1] = __float2int_rz(in[i]);
        out[4 * i + 2] = __float2int_ru(in[i]);
        out[4 * i + 3] = __float2int_rd(in[i]);
    }
}

int
main()
{
    check_map<FromInt<int8_t>, double>("from i8");
    check_map<FromInt<uint8_t>, double>("from u8");
    check_map<FromInt<int16_t>, double>("from i16");
    check_map<FromInt<uint16_t>, double>("from u16");
    check_map<FromInt<int32_t>, double>("from i32");
    check_map<FromInt<uint32_t>, double>("from u32");
    check_map<FromInt<int64_t>, double>("from i64");
    check_map<FromInt<uint64_t>, double>("from u64");
    check_map<ToInt<int8_t, float>, int64_t>("float to i8");
    check_map<ToInt<uint8_t, float>, int64_t>("float to u8");
    check_map<ToInt<int16_t, double>, int64_t>("double to i16");
    check_map<ToInt<uint16_t, float>, int64_t>("float to u16");
    check_map<ToInt<int32_t, float>, int64_t>("float to i32");
    check_map<ToInt<uint32_t, double>, int64_t>("double to u32");
    check_map<ToInt<int64_t, float>, int64_t>("float to i64");
    check_map<ToInt<uint64_t, double>, int64_t>("double to u64");
    RUN_MAP(Widen);
    RUN_MAP(FloatDouble);
    RUN_MAP(Bool);
    RUN_MAP(Pointers);

    const int n = 100;
    std::vector<float> in(n);
    std::vector<int> want(4 * n);
    for (int i = 0; i < n; i++) {
        in[i] = (float)(i - 50) * 0.25f;
        want[4 * i] = (int)rintf(in[i]);
        want[4 * i + 1] = (int)truncf(in[i]);
        want[4 * i + 2] = (int)ceilf(in[i]);
        want[4 * i + 3] = (int)floorf(in[i]);
    }
    Dev<float> din(in);
    Dev<int> out(4 * n);
    rounding<<<4, 32>>>(out, din, n);
    check_same("rounding", out.get(), want);
    return 0;
}
