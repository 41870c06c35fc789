/* SPDX-License-Identifier: MIT */
/* Addresses that are affine in the thread: unit stride, strides, reversed, offset, 2D, per warp
 * broadcast. */
#include "../check.h"

MAP(Unit, int) { return in[i]; }
MAP(Offset, int) { return i + 3 < n ? in[i + 3] : -1; }
MAP(Reverse, int) { return in[n - 1 - i]; }
MAP(Stride2, int) { return 2 * i + 1 < n ? in[2 * i] - in[2 * i + 1] : in[i]; }
MAP(Stride3, int) { return 3 * i < n ? in[3 * i] : -3; }
MAP(Stride5, int) { return 5 * i + 4 < n ? in[5 * i] ^ in[5 * i + 4] : 5; }
MAP(Broadcast, int) { return in[n / 2] + in[0]; }
MAP(Pairs, int) { return in[i / 2]; }
MAP(Modulo, int) { return in[i % 32]; }
MAP(Neighbours, int) { return (i > 0 ? in[i - 1] : 0) + in[i] + (i + 1 < n ? in[i + 1] : 0); }
MAP(Xor1, int) { return (i ^ 1) < n ? in[i ^ 1] : 0; }
MAP(AsBytes, int) { return ((const unsigned char *)in)[i] + ((const signed char *)in)[i + 1]; }
MAP(AsShorts, int) { return ((const short *)in)[i] * 3 + ((const unsigned short *)in)[2 * i]; }
MAP(AsLongs, long long) { return ((const long long *)in)[i / 2 % (n / 2)]; } /* n is odd */
MAP(Pointer, int)
{
    const int *p = in + i, *q = in + n;
    int s = 0;
    for (; p < q; p += 61)
        s += *p;
    return s;
}

template <typename T>
__global__ void
copy_rect(T *out, const T *in, int w, int h, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < w && y < h)
        out[y * w + x] = in[y * pitch + x] + (T)1;
}

template <typename T>
__global__ void
transpose(T *out, const T *in, int w, int h)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < (unsigned)w && y < (unsigned)h)
        out[x * h + y] = in[y * w + x];
}

template <typename T>
static void
rects(const char *name)
{
    const int w = 45, h = 23, pitch = 64;
    const dim3 shapes[] = {dim3(16, 16), dim3(8, 8), dim3(37, 3), dim3(64, 4), dim3(1, 32)};
    std::vector<T> in(pitch * h), want(w * h), turned(w * h);

    for (size_t k = 0; k < in.size(); k++)
        in[k] = (T)mix((uint32_t)k);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            want[y * w + x] = (T)(in[y * pitch + x] + (T)1);
            turned[x * h + y] = in[y * w + x];
        }
    Dev<T> din(in);
    for (dim3 b : shapes) {
        Dev<T> out(w * h);
        dim3 grid((w + b.x - 1) / b.x, (h + b.y - 1) / b.y);
        copy_rect<T><<<grid, b>>>(out, din, w, h, pitch);
        check_same(name, out.get(), want);
        transpose<T><<<grid, b>>>(out, din, w, h);
        check_same(name, out.get(), turned);
    }
}

int
main()
{
    RUN_MAP(Unit);
    RUN_MAP(Offset);
    RUN_MAP(Reverse);
    RUN_MAP(Stride2);
    RUN_MAP(Stride3);
    RUN_MAP(Stride5);
    RUN_MAP(Broadcast);
    RUN_MAP(Pairs);
    RUN_MAP(Modulo);
    RUN_MAP(Neighbours);
    RUN_MAP(Xor1);
    RUN_MAP(AsBytes);
    RUN_MAP(AsShorts);
    RUN_MAP(AsLongs);
    RUN_MAP(Pointer);
    rects<uint8_t>("bytes");
    rects<uint16_t>("shorts");
    rects<uint32_t>("words");
    rects<uint64_t>("longs");
    return 0;
}
