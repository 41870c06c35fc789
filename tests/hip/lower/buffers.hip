// SPDX-License-Identifier: MIT
// Buffer accesses by a resource descriptor: what lies outside reads as 0 and is not written;
// atomics; assembly.
// OPT: -O3
// ISA: avx512 sse2
#include "../check.h"

typedef int i4 __attribute__((ext_vector_type(4)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef _Float16 h2 __attribute__((ext_vector_type(2)));

__device__ float load_f32(i4, int, int, int) __asm("llvm.amdgcn.raw.buffer.load.f32");
__device__ f4 load_f32x4(i4, int, int, int) __asm("llvm.amdgcn.raw.buffer.load.v4f32");
__device__ char load_i8(i4, int, int, int) __asm("llvm.amdgcn.raw.buffer.load.i8");
__device__ void store_f32(float, i4, int, int, int) __asm("llvm.amdgcn.raw.buffer.store.f32");
__device__ void store_h2(h2, i4, int, int, int) __asm("llvm.amdgcn.raw.buffer.store.v2f16");
__device__ int add_i32(int, i4, int, int, int) __asm("llvm.amdgcn.raw.buffer.atomic.add.i32");
__device__ float add_f32(float, i4, int, int, int) __asm("llvm.amdgcn.raw.buffer.atomic.fadd.f32");

__device__ static i4
resource(const void *p, int bytes)
{
    uint64_t a = (uint64_t)p;
    i4 r = {(int)(uint32_t)a, (int)((a >> 32) & 0xffff), bytes, 0x31004000};
    return r;
}

__global__ void
accesses(float *out, float *stored, const float *in, int n, int *counter)
{
    int l = (int)threadIdx.x;
    i4 from = resource(in, 4 * n), to = resource(stored, 4 * n);
    float *o = out + 8 * l;

    o[0] = load_f32(from, 4 * l, 0, 0);
    o[1] = load_f32(from, 4 * (63 - l), 8, 0);
    f4 v = load_f32x4(from, 16 * l, 0, 0);
    o[2] = v.x + v.w;
    o[3] = (float)load_i8(from, 4 * l + 3, 0, 0);
    o[4] = load_f32(from, l % 3 ? 4 * l : (int)0x80000000, 0, 0);
    float t = -1.0f;
    asm volatile("buffer_load_dword %0, %1, %2, 0 offen offset:%3\n\ts_waitcnt vmcnt(0)"
                 : "=v"(t)
                 : "v"(4 * l), "s"(from), "n"(16)
                 : "memory");
    o[5] = t;
    store_f32((float)l, to, 4 * l + 4, 0, 0);
    h2 pair = {1, 2};
    store_h2(pair, to, l == 5 ? 0 : -4, 0, 0);
    add_i32(2, resource(counter, 8), l % 2 ? 4 : 8, 0, 0);
    o[6] = add_f32(1.0f, resource(counter, 4), 4 * l, 0, 0);
}

int
main()
{
    const int n = 37;
    std::vector<float> in(64 + 4), out(8 * 64), stored(65);
    float *din, *dout, *dstored;
    int *dcounter, counter[2] = {0, 0};

    for (size_t i = 0; i < in.size(); i++)
        in[i] = (float)(3 * i) - 50.0f;
    CHECK_HIP(hipMalloc((void **)&din, in.size() * 4));
    CHECK_HIP(hipMalloc((void **)&dout, out.size() * 4));
    CHECK_HIP(hipMalloc((void **)&dstored, stored.size() * 4));
    CHECK_HIP(hipMalloc((void **)&dcounter, 8));
    CHECK_HIP(hipMemset(dstored, 0, stored.size() * 4));
    CHECK_HIP(hipMemset(dcounter, 0, 8));
    CHECK_HIP(hipMemcpy(din, in.data(), in.size() * 4, hipMemcpyHostToDevice));
    accesses<<<1, 64>>>(dout, dstored, din, n, dcounter);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(out.data(), dout, out.size() * 4, hipMemcpyDeviceToHost));
    CHECK_HIP(hipMemcpy(stored.data(), dstored, stored.size() * 4, hipMemcpyDeviceToHost));
    CHECK_HIP(hipMemcpy(counter, dcounter, 8, hipMemcpyDeviceToHost));
    auto at = [&](int i) { return i < n ? in[(size_t)i] : 0.0f; };
    for (int l = 0; l < 64; l++) {
        const float *o = &out[(size_t)(8 * l)];
        CHECK(o[0] == at(l));
        CHECK(o[1] == at(65 - l));
        CHECK(o[2] == (4 * l + 3 < n ? in[(size_t)(4 * l)] + in[(size_t)(4 * l + 3)] : 0.0f));
        CHECK(o[3] == (l < n ? (float)((const signed char *)in.data())[4 * l + 3] : 0.0f));
        CHECK(o[4] == (l % 3 ? at(l) : 0.0f));
        CHECK(o[5] == at(l + 4));
        CHECK(o[6] == 0.0f);
    }
    for (int i = 1; i < 65; i++)
        CHECK(stored[(size_t)i] == (i < n ? (float)(i - 1) : 0.0f));
    uint32_t pair;
    memcpy(&pair, &stored[0], 4);
    CHECK(pair == 0x40003c00);
    float one = 1.0f;
    CHECK(counter[1] == 64 && !memcmp(&counter[0], &one, 4));
    return 0;
}
