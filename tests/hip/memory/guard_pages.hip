/* SPDX-License-Identifier: MIT */
/* Masked lanes must not touch memory: arrays that end at, and begin after, pages that may not be
 * read. Host memory of hipHostMalloc is device-accessible, so its neighbours can be protected
 * here. */
#include "../check.h"

#include <sys/mman.h>
#include <unistd.h>

template <typename T>
__global__ void
scale(T *v, int n)
{
    int i = (int)global_id();

    if (i < n)
        v[i] = v[i] + v[i];
}

template <typename T>
__global__ void
neighbours(T *out, const T *in, unsigned n)
{
    unsigned i = global_id();

    if (i < n) {
        T left = i > 0 ? in[i - 1] : (T)0; /* lane 0 would index 2^32 - 1 */
        T right = i + 1 < n ? in[i + 1] : (T)0;
        out[i] = left + right;
    }
}

template <typename T>
__global__ void
strided(T *out, const T *in, int n)
{
    int i = (int)global_id();

    if (2 * i + 1 < n)
        out[i] = in[2 * i] - in[2 * i + 1];
    if (3 * i + 2 < n)
        out[i] += in[3 * i] + in[3 * i + 2];
}

template <typename T>
__global__ void
odd_lanes(T *out, const T *const *where, int n)
{
    int i = (int)global_id();

    if (i < n && where[i])
        out[i] = *where[i]; /* null for the others */
}

/* n elements flush against the end (or the begin) of an accessible region. */
template <typename T>
static T *
fenced(size_t n, bool at_end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = n * sizeof(T);
    size_t body = (bytes + page - 1) / page * page;
    char *p;

    CHECK_HIP(hipHostMalloc((void **)&p, body + 4 * page, 0));
    char *base = (char *)(((uintptr_t)p + page - 1) / page * page) + page;
    CHECK(mprotect(base - page, page, PROT_NONE) == 0);
    CHECK(mprotect(base + body, page, PROT_NONE) == 0);
    return (T *)(at_end ? base + body - bytes : base);
}

template <typename T>
static void
run(const char *name)
{
    for (int n : {1, 5, 31, 33, 100, 1027}) {
        for (bool at_end : {false, true}) {
            T *a = fenced<T>(n, at_end), *b = fenced<T>(n, at_end);
            const T **where = fenced<const T *>(n, at_end);
            std::vector<T> want(n);
            for (dim3 block : {dim3(64), dim3(256)}) {
                dim3 grid(blocks_for(n, block) + 2);
                for (int i = 0; i < n; i++)
                    a[i] = (T)(i % 50);
                scale<T><<<grid, block>>>(a, n);
                CHECK_RUN();
                for (int i = 0; i < n; i++)
                    want[i] = (T)(2 * (i % 50));
                check_same(name, a, want.data(), n);
                neighbours<T><<<grid, block>>>(b, a, n);
                CHECK_RUN();
                for (int i = 0; i < n; i++)
                    want[i] = (T)((i > 0 ? a[i - 1] : (T)0) + (i + 1 < n ? a[i + 1] : (T)0));
                check_same(name, b, want.data(), n);
                strided<T><<<grid, block>>>(b, a, n);
                CHECK_RUN();
                for (int i = 0; i < n; i++) {
                    if (2 * i + 1 < n)
                        want[i] = (T)(a[2 * i] - a[2 * i + 1]);
                    if (3 * i + 2 < n)
                        want[i] = (T)(want[i] + a[3 * i] + a[3 * i + 2]);
                }
                check_same(name, b, want.data(), n);
                for (int i = 0; i < n; i++)
                    where[i] = i & 1 ? &a[n - 1 - i] : nullptr;
                odd_lanes<T><<<grid, block>>>(b, where, n);
                CHECK_RUN();
                for (int i = 1; i < n; i += 2)
                    want[i] = a[n - 1 - i];
                check_same(name, b, want.data(), n);
            }
        }
    }
}

int
main()
{
    run<int8_t>("i8");
    run<int16_t>("i16");
    run<float>("f32");
    run<double>("f64");
    return 0;
}
