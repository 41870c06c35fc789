/* SPDX-License-Identifier: MIT */
/* What every case uses: checks, device buffers, block shapes, and the map test that compares a
 * functor run on the device with the same functor run on the host. */
#ifndef LS_TESTS_HIP_CHECK_H
#define LS_TESTS_HIP_CHECK_H

#include <hip/hip_runtime.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

/* Ends the test with a line that says where and why. */
#define FAIL(...)                                                                                  \
    do {                                                                                           \
        fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                            \
        fprintf(stderr, __VA_ARGS__);                                                              \
        fprintf(stderr, "\n");                                                                     \
        exit(1);                                                                                   \
    } while (0)

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond))                                                                               \
            FAIL("not so: %s", #cond);                                                             \
    } while (0)

#define CHECK_HIP(call)                                                                            \
    do {                                                                                           \
        hipError_t err_ = (call);                                                                  \
        if (err_ != hipSuccess)                                                                    \
            FAIL("%s: %d %s", #call, (int)err_, hipGetErrorString(err_));                          \
    } while (0)

#define CHECK_ERR(call, want)                                                                      \
    do {                                                                                           \
        hipError_t err_ = (call);                                                                  \
        if (err_ != (want))                                                                        \
            FAIL("%s: got %d %s, expected %s", #call, (int)err_, hipGetErrorString(err_), #want);  \
    } while (0)

/* After a launch: errors of the launch itself, then of the run. */
#define CHECK_RUN()                                                                                \
    do {                                                                                           \
        CHECK_HIP(hipGetLastError());                                                              \
        CHECK_HIP(hipDeviceSynchronize());                                                         \
    } while (0)

inline void
print_value(const char *label, const void *p, size_t bytes)
{
    const unsigned char *c = (const unsigned char *)p;
    char num[64] = "";
    float f;
    double d;

    fprintf(stderr, "%s 0x", label);
    for (size_t i = bytes; i-- > 0;)
        fprintf(stderr, "%02x", c[i]);
    if (bytes == 4) {
        memcpy(&f, p, 4);
        snprintf(num, sizeof(num), " (%.9g)", (double)f);
    } else if (bytes == 8) {
        memcpy(&d, p, 8);
        snprintf(num, sizeof(num), " (%.17g)", d);
    }
    fprintf(stderr, "%s", num);
}

template <typename T>
inline bool
equal_bits(const T &a, const T &b)
{
    return memcmp(&a, &b, sizeof(T)) == 0;
}

/* Within rel of the larger, or both NaN; rel 0 means equal bits. */
template <typename T>
inline bool
close_enough(const T &a, const T &b, double)
{
    return equal_bits(a, b);
}

inline bool
close_enough(const double &a, const double &b, double rel)
{
    if (rel == 0)
        return equal_bits(a, b) || (a != a && b != b);
    if (a != a || b != b)
        return a != a && b != b;
    return a == b || fabs(a - b) <= rel * fmax(fabs(a), fabs(b));
}

inline bool
close_enough(const float &a, const float &b, double rel)
{
    if (rel == 0)
        return equal_bits(a, b) || (a != a && b != b);
    return close_enough((double)a, (double)b, rel);
}

template <typename T>
inline void
check_same(const char *what, const T *got, const T *want, size_t n, double rel = 0)
{
    for (size_t i = 0; i < n; i++) {
        if (close_enough(got[i], want[i], rel))
            continue;
        fprintf(stderr, "%s: element %zu of %zu:", what, i, n);
        print_value(" got", &got[i], sizeof(T));
        print_value(", expected", &want[i], sizeof(T));
        fprintf(stderr, "\n");
        exit(1);
    }
}

template <typename T>
inline void
check_same(const char *what, const std::vector<T> &got, const std::vector<T> &want, double rel = 0)
{
    CHECK(got.size() == want.size());
    check_same(what, got.data(), want.data(), got.size(), rel);
}

/* A device buffer of n elements; get() synchronises and copies back. */
template <typename T>
struct Dev {
    T *p;
    size_t n;

    explicit Dev(size_t count) : p(nullptr), n(count)
    {
        CHECK_HIP(hipMalloc((void **)&p, n * sizeof(T)));
        CHECK_HIP(hipMemset(p, 0, n * sizeof(T)));
        CHECK_HIP(hipDeviceSynchronize()); /* streams that do not block need not wait for fills */
    }
    explicit Dev(const std::vector<T> &v) : p(nullptr), n(v.size())
    {
        CHECK_HIP(hipMalloc((void **)&p, n * sizeof(T)));
        set(v);
    }
    ~Dev()
    {
        (void)hipFree(p);
    }
    Dev(const Dev &) = delete;
    Dev &operator=(const Dev &) = delete;
    operator T *() const
    {
        return p;
    }
    void set(const std::vector<T> &v)
    {
        CHECK_HIP(hipMemcpy(p, v.data(), v.size() * sizeof(T), hipMemcpyHostToDevice));
    }
    void zero()
    {
        CHECK_HIP(hipMemset(p, 0, n * sizeof(T)));
        CHECK_HIP(hipDeviceSynchronize());
    }
    std::vector<T> get() const
    {
        std::vector<T> v(n);
        CHECK_RUN();
        CHECK_HIP(hipMemcpy(v.data(), p, n * sizeof(T), hipMemcpyDeviceToHost));
        return v;
    }
};

/* The block shapes of the corpus. Each new shape of a kernel costs a compilation, so a caller with
 * many kernels asks for `want` of the seven; successive calls then take turns through them all.
 * LS_TEST_SHAPES=all gives everybody all seven. */
inline std::vector<dim3>
test_shapes(unsigned want = 7)
{
    static const dim3 all[7] = {dim3(37),   dim3(256),     dim3(1), dim3(16, 16),
                                dim3(1024), dim3(8, 8, 4), dim3(64)};
    static unsigned turn;
    const char *mode = getenv("LS_TEST_SHAPES");
    std::vector<dim3> v;

    if (mode && strcmp(mode, "all") == 0)
        want = 7;
    for (unsigned k = 0; k < want; k++)
        v.push_back(all[turn++ % 7]);
    return v;
}

inline unsigned
threads_of(dim3 b)
{
    return b.x * b.y * b.z;
}

inline unsigned
blocks_for(unsigned n, dim3 b)
{
    return (n + threads_of(b) - 1) / threads_of(b);
}

inline int
host_warp_size()
{
    hipDeviceProp_t props;

    CHECK_HIP(hipGetDeviceProperties(&props, 0));
    return props.warpSize;
}

/* Linear thread number in the block and in a grid of one dimension. */
__device__ inline unsigned
local_id()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ inline unsigned
block_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

__device__ inline unsigned
global_id()
{
    return blockIdx.x * block_threads() + local_id();
}

__host__ __device__ inline uint32_t
mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    x ^= x >> 16;
    return x;
}

/* The input of map tests: mixed 24-bit values (sums and small multiples cannot overflow), some
 * zeros and small ones among them. */
inline std::vector<int>
map_input(unsigned n)
{
    std::vector<int> v(n);

    for (unsigned i = 0; i < n; i++)
        v[i] = i % 7 == 3 ? 0 : i % 3 == 1 ? (int)(mix(i) % 100) - 50 : (int)mix(i + 12345) >> 8;
    return v;
}

template <typename F, typename R>
__global__ void
map_kernel(R *out, const int *in, int n)
{
    int i = (int)global_id();

    if (i < n)
        out[i] = F()(i, n, in);
}

/* F has `__host__ __device__ R operator()(int i, int n, const int *in) const`: run for every i < n
 * on the device in two of the block shapes, and once on the host: the results must agree. */
template <typename F, typename R>
inline void
check_map(const char *name, double rel = 0, unsigned n = 777)
{
    std::vector<int> in = map_input(n);
    std::vector<R> want(n);
    Dev<int> din(in);

    for (unsigned i = 0; i < n; i++)
        want[i] = F()((int)i, (int)n, in.data());
    for (dim3 block : test_shapes(2)) {
        Dev<R> out(n);
        char label[160];

        snprintf(label, sizeof(label), "%s, block (%u,%u,%u)", name, block.x, block.y, block.z);
        CHECK_HIP(hipMemset(out, 0xee, n * sizeof(R)));
        map_kernel<F, R><<<dim3(blocks_for(n, block)), block>>>(out.p, din.p, (int)n);
        std::vector<R> got = out.get();
        check_same(label, got, want, rel);
    }
}

/* MAP(Name, R) { body with i, n, in }: declares the functor; RUN_MAP(Name) checks it. */
#define MAP(name, type)                                                                            \
    struct name {                                                                                  \
        typedef type result;                                                                       \
        __host__ __device__ type operator()(int i, int n, const int *in) const;                    \
    };                                                                                             \
    __host__ __device__ inline type name::operator()([[maybe_unused]] int i,                       \
                                                     [[maybe_unused]] int n,                       \
                                                     [[maybe_unused]] const int *in) const
#define RUN_MAP(name)            check_map<name, name::result>(#name)
#define RUN_MAP_NEAR(name, rel)  check_map<name, name::result>(#name, rel)

#endif
