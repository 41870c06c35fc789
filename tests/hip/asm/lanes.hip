// SPDX-License-Identifier: MIT
// Inline assembly that reads other lanes or memory: DPP forms, readlane, flat, global and LDS
// accesses.
// OPT: -O3
// ISA: avx512
#include "../check.h"

static const int ROW = 24;

__global__ void
lanes(uint32_t *out, const uint32_t *in)
{
    int l = (int)threadIdx.x;
    uint32_t a = in[l], b = in[64 + l], *o = out + ROW * l, t;

    asm volatile("s_nop 1\n\tv_mov_b32_dpp %0, %1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf "
                 "bound_ctrl:0"
                 : "=v"(t)
                 : "v"(a));
    o[0] = t;
    t = b; /* lanes without a source keep what they had */
    asm volatile("v_mov_b32_dpp %0, %1 row_shr:1 row_mask:0xf bank_mask:0xf" : "+v"(t) : "v"(a));
    o[1] = t;
    asm volatile("v_add_u32_dpp %0, %1, %2 row_shl:3 row_mask:0xf bank_mask:0xf bound_ctrl:0"
                 : "=v"(t)
                 : "v"(a), "v"(b));
    o[2] = t;
    t = b;
    asm volatile("v_add_u32_dpp %0, %1, %2 row_ror:4 row_mask:0x1 bank_mask:0xf"
                 : "+v"(t)
                 : "v"(a), "v"(b));
    o[3] = t;
    asm volatile("v_mov_b32_dpp %0, %1 row_mirror row_mask:0xf bank_mask:0xf bound_ctrl:0"
                 : "=v"(t)
                 : "v"(a));
    o[4] = t;
    uint32_t s;
    asm volatile("v_readfirstlane_b32 %0, %1" : "=s"(s) : "v"(a));
    o[5] = s;
    asm volatile("v_readlane_b32 %0, %1, 9" : "=s"(s) : "v"(a));
    o[6] = s;
    asm volatile("v_mbcnt_lo_u32_b32 %0, -1, 0" : "=v"(t));
    o[7] = t;
#if __AMDGCN_WAVEFRONT_SIZE__ == 32
    asm volatile("v_mov_b32_dpp %0, %1 dpp8:[7,6,5,4,3,2,1,0]" : "=v"(t) : "v"(a));
    o[8] = t;
    asm volatile("v_permlane16_b32 %0, %1, 0x76543210, 0xfedcba98" : "=v"(t) : "v"(a));
    o[9] = t;
#else
    o[8] = in[l ^ 7];
    o[9] = a;
#endif
}

__global__ void
memory(uint32_t *out, const uint32_t *in, uint64_t *wide)
{
    __shared__ uint32_t room[64];
    int l = (int)threadIdx.x;
    uint32_t *o = out + ROW * l, t, x;
    uint64_t w;

    asm volatile("flat_load_dword %0, %1 glc\n\ts_waitcnt vmcnt(%2)"
                 : "=v"(t)
                 : "v"(in + l), "I"(0));
    o[0] = t;
    asm volatile("flat_load_ubyte %0, %1\n\ts_waitcnt vmcnt(0)"
                 : "=v"(t)
                 : "v"((const char *)in + l));
    o[1] = t;
    asm volatile("global_load_sshort %0, %1, off offset:2\n\ts_waitcnt vmcnt(0)"
                 : "=v"(t)
                 : "v"(in + l)
                 : "memory");
    o[2] = t;
    asm volatile("flat_load_dwordx2 %0, %1" : "=v"(w) : "v"(wide + l));
    o[3] = (uint32_t)(w >> 32);
    asm volatile("flat_store_dword %0, %1 glc\n\ts_waitcnt vmcnt(0)"
                 :
                 : "v"(o + 4), "v"(in[l] + 1)
                 : "memory");
    uint32_t at = (uint32_t)(uintptr_t)(__attribute__((address_space(3))) uint32_t *)&room[l];
    asm volatile("ds_write_b32 %0, %1\n\ts_waitcnt lgkmcnt(0)"
                 :
                 : "v"(at), "v"(in[l] * 3)
                 : "memory");
    __syncthreads();
    asm volatile("ds_read_b32 %0, %1 offset:4\n\ts_waitcnt lgkmcnt(0)"
                 : "=v"(x)
                 : "v"(l < 63 ? at : at - 4)
                 : "memory");
    o[5] = x;
}

int
main()
{
    const int W = warpSize;
    std::vector<uint32_t> in(128), got((size_t)(ROW * 64)), want(got.size());
    std::vector<uint64_t> wide(64);
    uint32_t *di, *dout, state = 3;
    uint64_t *dw;

    for (auto &x : in)
        x = state = state * 1664525u + 1013904223u;
    for (size_t i = 0; i < 64; i++)
        wide[i] = (uint64_t)in[i] << 32 | i;
    CHECK_HIP(hipMalloc((void **)&di, 512));
    CHECK_HIP(hipMalloc((void **)&dw, 512));
    CHECK_HIP(hipMalloc((void **)&dout, got.size() * 4));
    CHECK_HIP(hipMemset(dout, 0, got.size() * 4));
    CHECK_HIP(hipMemcpy(di, in.data(), 512, hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(dw, wide.data(), 512, hipMemcpyHostToDevice));
    lanes<<<1, 64>>>(dout, di);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(got.data(), dout, got.size() * 4, hipMemcpyDeviceToHost));
    for (int l = 0; l < 64; l++) {
        uint32_t *o = &want[(size_t)(ROW * l)], b = in[(size_t)(64 + l)];
        int row = l & ~15, in_row = l & 15, warp = l / W * W;
        auto a = [&](int lane) { return in[(size_t)lane]; };

        o[0] = a(l ^ 1);
        o[1] = in_row >= 1 ? a(l - 1) : b;
        o[2] = (in_row + 3 < 16 ? a(l + 3) : 0) + b;
        o[3] = (l - warp) / 16 == 0 ? a(row + ((in_row - 4) & 15)) + b : b;
        o[4] = a(row + 15 - in_row);
        o[5] = a(warp);
        o[6] = a(warp + 9);
        o[7] = (uint32_t)(l - warp < 32 ? l - warp : 32);
        o[8] = a(l ^ 7);
        o[9] = a(l);
    }
    check_same("lanes", got.data(), want.data(), got.size());
    memory<<<1, 64>>>(dout, di, dw);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(got.data(), dout, got.size() * 4, hipMemcpyDeviceToHost));
    for (int l = 0; l < 64; l++) {
        uint32_t *o = &want[(size_t)(ROW * l)];
        o[0] = in[(size_t)l];
        o[1] = ((const unsigned char *)in.data())[l];
        o[2] = (uint32_t)(int32_t)(int16_t)(in[(size_t)l] >> 16);
        o[3] = in[(size_t)l];
        o[4] = in[(size_t)l] + 1;
        o[5] = in[(size_t)(l < 63 ? l + 1 : l)] * 3;
    }
    check_same("memory", got.data(), want.data(), got.size());
    return 0;
}
