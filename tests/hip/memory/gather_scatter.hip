/* SPDX-License-Identifier: MIT */
/* Indexed loads and stores of every width, indices of every width, under masks. */
#include "../check.h"

template <typename T, typename I>
__global__ void
permute(T *out, const T *in, const I *to, const I *from, int n)
{
    int i = (int)global_id();

    if (i < n && (i % 5) != 2)
        out[to[i]] = in[from[i]];
}

template <typename T, typename I>
static void
run(const char *name)
{
    const int n = 120; /* fits signed char */
    std::vector<T> in(n), want(n, (T)0);
    std::vector<I> to(n), from(n);

    for (int i = 0; i < n; i++) {
        in[i] = (T)(mix((uint32_t)i) | 1);
        to[i] = (I)(i * 7 % n);
        from[i] = (I)(i * 11 % n);
    }
    for (int i = 0; i < n; i++)
        if (i % 5 != 2)
            want[(int)to[i]] = in[(int)from[i]];
    Dev<T> din(in);
    Dev<I> dto(to), dfrom(from);
    for (dim3 b : {dim3(37), dim3(128)}) {
        Dev<T> out(n);
        permute<T, I><<<dim3(blocks_for(n, b)), b>>>(out, din, dto, dfrom, n);
        check_same(name, out.get(), want);
    }
}

template <typename T>
static void
widths(const char *name)
{
    run<T, int>(name);
    run<T, int64_t>(name);
    run<T, uint8_t>(name);
}

int
main()
{
    widths<int8_t>("i8");
    widths<int16_t>("i16");
    widths<int32_t>("i32");
    widths<int64_t>("i64");
    widths<float>("f32");
    widths<double>("f64");
    run<int, int8_t>("i32 by i8");
    run<int, uint16_t>("i32 by u16");
    run<int, uint32_t>("i32 by u32");
    run<int, uint64_t>("i32 by u64");
    return 0;
}
