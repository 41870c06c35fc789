/* SPDX-License-Identifier: MIT */
/* __shfl, _up, _down, _xor: all widths, all types, reductions and scans made of them. */
#include "../check.h"

template <typename T>
__global__ void
all(T *out, const T *in, int width)
{
    unsigned i = global_id();
    T v = in[i];
    T *o = out + 8 * (size_t)i;

    o[0] = __shfl(v, 3, width);
    o[1] = __shfl(v, (int)(i * 7 + 1), width); /* varying source, wraps in the width */
    o[2] = __shfl_up(v, 1, width);
    o[3] = __shfl_up(v, 5, width);
    o[4] = __shfl_down(v, 2, width);
    o[5] = __shfl_down(v, (unsigned)width / 2, width);
    o[6] = __shfl_xor(v, 1, width);
    o[7] = __shfl_xor(v, width / 2, width);
}

template <typename T>
static void
run(const char *name)
{
    const unsigned warp = (unsigned)host_warp_size(), n = 512;
    std::vector<T> in(n), want(8 * n);

    for (unsigned i = 0; i < n; i++)
        in[i] = (T)(mix(i) & 0x7fff) * (T)(sizeof(T) == 8 ? 0x400000001 : 1);
    Dev<T> din(in), out(8 * n);
    for (int width = 2; width <= (int)warp; width *= 2) {
        const unsigned w = (unsigned)width;
        for (unsigned i = 0; i < n; i++) {
            unsigned base = i / w * w, l = i % w;
            T *o = &want[8 * i];
            o[0] = in[base + 3 % w];
            o[1] = in[base + (i * 7 + 1) % w];
            o[2] = in[l >= 1 ? i - 1 : i];
            o[3] = in[l >= 5 ? i - 5 : i];
            o[4] = in[l + 2 < w ? i + 2 : i];
            o[5] = in[l + w / 2 < w ? i + w / 2 : i];
            o[6] = in[base + (l ^ 1)];
            o[7] = in[base + (l ^ (w / 2))];
        }
        all<T><<<n / 128, 128>>>(out.p, din.p, width);
        check_same(name, out.get(), want);
    }
}

__global__ void
reduce(int *sum, int *scan, const int *in)
{
    unsigned i = global_id();
    int lane = (int)(local_id() % warpSize), v = in[i], s = v, x = v;

    for (int d = warpSize / 2; d > 0; d /= 2)
        s += __shfl_down(s, (unsigned)d);
    s = __shfl(s, 0);
    for (int d = 1; d < warpSize; d *= 2) {
        int y = __shfl_up(x, (unsigned)d);
        if (lane >= d)
            x += y;
    }
    int b = v;
    for (int d = 1; d < warpSize; d *= 2)
        b += __shfl_xor(b, d);
    sum[i] = s == b ? s : -1;
    scan[i] = x;
}

__global__ void
in_branch(int *out, const int *in)
{
    unsigned i = global_id();
    int r = -1;

    if (in[blockIdx.x] & 1) /* uniform by block */
        r = __shfl_xor((int)i, 1);
    for (int k = 0; k < (int)(local_id() / warpSize); k++) /* uniform by warp */
        r += __shfl((int)i, k);
    out[i] = r;
}

int
main()
{
    const unsigned warp = (unsigned)host_warp_size(), n = 1024;
    std::vector<int> in = map_input(n), sum(n), scan(n), want(n);
    Dev<int> din(in), dsum(n), dscan(n), out(n);

    run<int>("int");
    run<unsigned>("unsigned");
    run<float>("float");
    run<long long>("long long");
    run<unsigned long long>("unsigned long long");
    run<double>("double");
    run<long>("long");

    for (unsigned base = 0; base < n; base += warp) {
        int s = 0;
        for (unsigned l = 0; l < warp; l++)
            scan[base + l] = s += in[base + l];
        for (unsigned l = 0; l < warp; l++)
            sum[base + l] = s;
    }
    for (dim3 b : {dim3(64), dim3(256), dim3(16, 16), dim3(8, 8, 4), dim3(1024)}) {
        reduce<<<n / threads_of(b), b>>>(dsum, dscan, din);
        check_same("reduce", dsum.get(), sum);
        check_same("scan", dscan.get(), scan);
        for (unsigned i = 0; i < n; i++) {
            unsigned g = i / threads_of(b), t = i % threads_of(b), w0 = i - t % warp;
            int r = in[g] & 1 ? (int)(i ^ 1) : -1;
            for (unsigned k = 0; k < t / warp; k++)
                r += (int)(w0 + k % warp);
            want[i] = r;
        }
        in_branch<<<n / threads_of(b), b>>>(out, din);
        check_same("in_branch", out.get(), want);
    }
    return 0;
}
