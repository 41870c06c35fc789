/* SPDX-License-Identifier: MIT */
/* ds_append and ds_consume: a counter in LDS goes up or down by the number of lanes that are on;
 * all get what it was. */
// PTX: yes
#include "../check.h"

#include <algorithm>

typedef __attribute__((address_space(3))) int lds_int;

__device__ int
append(int *counter)
{
    return __builtin_amdgcn_ds_append((lds_int *)counter);
}

__device__ int
consume(int *counter)
{
    return __builtin_amdgcn_ds_consume((lds_int *)counter);
}

/* Positive values of a block, packed; warps come in any order. */
__global__ void
keep(int *out, int *n_kept, const int *in)
{
    __shared__ int n;
    unsigned t = local_id();

    if (t == 0)
        n = 0;
    __syncthreads();
    int v = in[global_id()];
    if (v > 0) {
        uint64_t below = (uint64_t)__activemask() & ((1ull << __lane_id()) - 1);
        int at = append(&n) + __popcll(below);
        out[blockIdx.x * block_threads() + (unsigned)at] = v;
    }
    __syncthreads();
    if (t == 0)
        n_kept[blockIdx.x] = n;
}

/* Each warp has counters of its own. */
__global__ void
seen(int *out, const int *in)
{
    __shared__ int counters[2 * 1024];
    unsigned t = local_id(), i = global_id();
    int *c = counters + t / warpSize * 2, v = in[i], r[8] = {0};

    if (t % warpSize == 0) {
        c[0] = -7;
        c[1] = 1000;
    }
    __syncthreads();
    r[0] = append(c);
    r[1] = consume(c + 1);
    if (v > 0)
        r[2] = append(c);
    else
        r[2] = consume(c + 1);
    if (v == 0x7fffffff) /* no lane: `c + v` is nowhere */
        r[3] = append(c + v);
    for (int k = 0; k < (int)(i & 3); k++)
        r[3] += append(c + 1) * (k + 1);
    if (v & 1)
        r[4] = append(c + (v > 0)); /* the first lane that is on says where */
    if (v & 2)
        consume(c); /* nobody asks what was there */
    r[5] = c[0];
    r[6] = c[1];
    for (int k = 0; k < 8; k++)
        out[8 * (size_t)i + (size_t)k] = r[k];
}

/* One step of a warp on the host: the lanes that are on get what was there, times `factor`, added
 * to result `r`. */
template <typename F>
static void
step(int *counter, int sign, unsigned size, int *out, int r, int factor, F is_on)
{
    int old = *counter;

    for (unsigned l = 0; l < size; l++)
        if (is_on(l)) {
            out[8 * l + (unsigned)r] += old * factor;
            *counter += sign;
        }
}

int
main()
{
    const unsigned warp = (unsigned)host_warp_size();

    for (dim3 b : test_shapes()) {
        const unsigned t = threads_of(b), blocks = 3, n = t * blocks;
        std::vector<int> in = map_input(n), want(8 * n, 0);
        Dev<int> din(in), out(n), n_kept(blocks), dseen(8 * n);

        keep<<<blocks, b>>>(out, n_kept, din);
        CHECK_RUN();
        std::vector<int> got = out.get(), got_n = n_kept.get();
        for (unsigned k = 0; k < blocks; k++) {
            std::vector<int> all, kept;
            for (unsigned i = k * t; i < (k + 1) * t; i++)
                if (in[i] > 0)
                    all.push_back(in[i]);
            CHECK(all.size() == (size_t)got_n[k]);
            kept.assign(got.begin() + k * t, got.begin() + k * t + got_n[k]);
            std::sort(all.begin(), all.end());
            std::sort(kept.begin(), kept.end());
            check_same("keep", kept, all);
        }

        for (unsigned first = 0, size; first < n; first += size) {
            const int *v = &in[first];
            int c[2] = {-7, 1000}, *w = &want[8 * (size_t)first], where = 0;

            size = t - first % t < warp ? t - first % t : warp;
            step(&c[0], 1, size, w, 0, 1, [](unsigned) { return true; });
            step(&c[1], -1, size, w, 1, 1, [](unsigned) { return true; });
            step(&c[0], 1, size, w, 2, 1, [&](unsigned l) { return v[l] > 0; });
            step(&c[1], -1, size, w, 2, 1, [&](unsigned l) { return v[l] <= 0; });
            for (int k = 0; k < 3; k++)
                step(&c[1], 1, size, w, 3, k + 1,
                     [&](unsigned l) { return (int)((first + l) & 3) > k; });
            for (unsigned l = size; l-- > 0;)
                where = v[l] & 1 ? v[l] > 0 : where;
            step(&c[where], 1, size, w, 4, 1, [&](unsigned l) { return v[l] & 1; });
            step(&c[0], -1, size, w, 7, 0, [&](unsigned l) { return v[l] & 2; });
            for (unsigned l = 0; l < size; l++) {
                w[8 * l + 5] = c[0];
                w[8 * l + 6] = c[1];
            }
        }
        seen<<<blocks, b>>>(dseen, din);
        check_same("seen", dseen.get(), want);
    }
    return 0;
}
