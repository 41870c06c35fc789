/* SPDX-License-Identifier: MIT */
/* Barriers in straight code, in loops, nested loops, uniform ifs, loops whose bounds are loaded
 * values. */
#include "../check.h"

__global__ void
tree(int *out, const int *in)
{
    __shared__ int s[1024];
    unsigned t = local_id(), n = block_threads();

    s[t] = in[global_id()];
    __syncthreads();
    unsigned width = 1;
    while (width < n)
        width *= 2;
    for (unsigned d = width / 2; d > 0; d >>= 1) {
        if (t < d && t + d < n)
            s[t] += s[t + d];
        __syncthreads();
    }
    out[global_id()] = s[0];
}

__global__ void
scan(int *out, const int *in)
{
    __shared__ int s[1024];
    unsigned t = local_id(), n = block_threads();

    s[t] = in[global_id()];
    __syncthreads();
    for (unsigned d = 1; d < n; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    out[global_id()] = s[t];
}

__global__ void
nested(int *out, const int *in, const int *rounds)
{
    __shared__ int s[1024];
    unsigned t = local_id(), n = block_threads();
    int keep = in[global_id()] & 15, total = 0;

    for (int a = 0; a < rounds[0]; a++) {
        s[t] = keep + a;
        __syncthreads();
        for (int b = 0; b < rounds[1]; b++) {
            int v = s[(t + (unsigned)b + 1) % n];
            __syncthreads();
            s[t] = v + b;
            if (b & 1)
                __syncthreads();
            else
                __syncthreads();
            total += s[(t * 3) % n];
            __syncthreads();
        }
        keep ^= total & 7;
    }
    out[global_id()] = total;
}

/* Conditions that the compiler cannot prove uniform, and are. */
__global__ void
dynamic(int *out, const int *in, const int *flags, int n_flags)
{
    __shared__ int s[1024];
    unsigned t = local_id(), n = block_threads();
    int r = in[global_id()] & 255;

    for (int k = 0; k < n_flags; k++) {
        if (flags[k + (int)(t - t)]) {
            s[t] = r;
            __syncthreads();
            r += s[n - 1 - t];
            __syncthreads();
        } else {
            r++;
        }
        if (flags[k] == 2)
            break;
    }
    out[global_id()] = r;
}

__device__ __attribute__((noinline)) int
exchange(int *s, int v, unsigned t, unsigned n)
{
    s[t] = v;
    __syncthreads();
    int r = s[(t + 1) % n];
    __syncthreads();
    return r;
}

__global__ void
in_function(int *out, const int *in)
{
    __shared__ int s[1024];
    unsigned t = local_id(), n = block_threads();
    int v = in[global_id()];

    for (int k = 0; k < 3; k++)
        v = exchange(s, v, t, n);
    out[global_id()] = v;
}

static void
check_tree(dim3 b, const std::vector<int> &in, const Dev<int> &din, unsigned blocks)
{
    unsigned n = threads_of(b);
    std::vector<int> want(in.size());
    Dev<int> out(in.size());

    for (unsigned g = 0; g < blocks; g++) {
        int sum = 0;
        for (unsigned t = 0; t < n; t++)
            sum += in[g * n + t];
        for (unsigned t = 0; t < n; t++)
            want[g * n + t] = sum;
    }
    tree<<<blocks, b>>>(out, din);
    check_same("tree", out.get(), want);
    for (unsigned g = 0; g < blocks; g++)
        for (unsigned t = 0; t < n; t++)
            want[g * n + t] = in[g * n + t] + (t ? want[g * n + t - 1] : 0);
    scan<<<blocks, b>>>(out, din);
    check_same("scan", out.get(), want);
    for (unsigned g = 0; g < blocks; g++)
        for (unsigned t = 0; t < n; t++)
            want[g * n + t] = in[g * n + (t + 3) % n];
    in_function<<<blocks, b>>>(out, din);
    check_same("in_function", out.get(), want);
}

static void
check_nested(dim3 b, const std::vector<int> &in, const Dev<int> &din, unsigned blocks)
{
    const int rounds[2] = {3, 4};
    unsigned n = threads_of(b);
    std::vector<int> want(in.size());
    Dev<int> out(in.size()), drounds(std::vector<int>(rounds, rounds + 2));

    for (unsigned g = 0; g < blocks; g++) {
        std::vector<int> keep(n), total(n, 0), s(n), old(n);
        for (unsigned t = 0; t < n; t++)
            keep[t] = in[g * n + t] & 15;
        for (int a = 0; a < rounds[0]; a++) {
            for (unsigned t = 0; t < n; t++)
                s[t] = keep[t] + a;
            for (int k = 0; k < rounds[1]; k++) {
                old = s;
                for (unsigned t = 0; t < n; t++)
                    s[t] = old[(t + (unsigned)k + 1) % n] + k;
                for (unsigned t = 0; t < n; t++)
                    total[t] += s[(t * 3) % n];
            }
            for (unsigned t = 0; t < n; t++)
                keep[t] ^= total[t] & 7;
        }
        for (unsigned t = 0; t < n; t++)
            want[g * n + t] = total[t];
    }
    nested<<<blocks, b>>>(out, din, drounds);
    check_same("nested", out.get(), want);
}

static void
check_dynamic(dim3 b, const std::vector<int> &in, const Dev<int> &din, unsigned blocks)
{
    const std::vector<int> flags = {1, 0, 0, 1, 2, 1, 1};
    unsigned n = threads_of(b);
    std::vector<int> want(in.size());
    Dev<int> out(in.size()), dflags(flags);

    for (unsigned g = 0; g < blocks; g++) {
        std::vector<int> r(n);
        for (unsigned t = 0; t < n; t++)
            r[t] = in[g * n + t] & 255;
        for (size_t k = 0; k < flags.size(); k++) {
            std::vector<int> s = r;
            for (unsigned t = 0; t < n; t++)
                r[t] += flags[k] ? s[n - 1 - t] : 1;
            if (flags[k] == 2)
                break;
        }
        for (unsigned t = 0; t < n; t++)
            want[g * n + t] = r[t];
    }
    dynamic<<<blocks, b>>>(out, din, dflags, (int)flags.size());
    check_same("dynamic", out.get(), want);
}

int
main()
{
    const unsigned blocks = 5;

    for (dim3 b : test_shapes()) {
        std::vector<int> in = map_input(threads_of(b) * blocks);
        Dev<int> din(in);
        check_tree(b, in, din, blocks);
        check_nested(b, in, din, blocks);
        check_dynamic(b, in, din, blocks);
    }
    return 0;
}
