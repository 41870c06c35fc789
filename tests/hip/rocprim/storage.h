/* SPDX-License-Identifier: MIT */
/* Device buffers, pseudo-random numbers and types of the rocPRIM cases. */
#ifndef LS_TESTS_HIP_STORAGE_H
#define LS_TESTS_HIP_STORAGE_H

#include "../check.h"

/* Pseudo-random, the same everywhere. */
static unsigned
next_random()
{
    static uint64_t state = 88172645463325252ull;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 16);
}

template <class T> struct buffer {
    T *ptr = nullptr;
    size_t n;

    explicit buffer(size_t count) : n(count)
    {
        CHECK_HIP(hipMalloc((void **)&ptr, (n + 1) * sizeof(T)));
        CHECK_HIP(hipMemset(ptr, 0xa5, (n + 1) * sizeof(T)));
    }
    explicit buffer(const std::vector<T> &v) : buffer(v.size())
    {
        CHECK_HIP(hipMemcpy(ptr, v.data(), n * sizeof(T), hipMemcpyHostToDevice));
    }
    buffer(const buffer &) = delete;
    ~buffer()
    {
        (void)hipFree(ptr);
    }
    std::vector<T> get(size_t count) const
    {
        std::vector<T> v(count);

        CHECK_HIP(hipMemcpy(v.data(), ptr, count * sizeof(T), hipMemcpyDeviceToHost));
        return v;
    }
    std::vector<T> get() const
    {
        return get(n);
    }
};

/* Calls f(temporary storage, its size) twice, as all device functions of rocPRIM want it. */
template <class F> static void
with_storage(F f)
{
    size_t bytes = 0;
    void *storage = nullptr;

    CHECK_HIP(f(nullptr, bytes));
    CHECK_HIP(hipMalloc(&storage, bytes + 1));
    CHECK_HIP(f(storage, bytes));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_HIP(hipFree(storage));
}

/* Small whole numbers, so that sums of any order are exact. */
template <class T> static std::vector<T>
numbers(size_t n, unsigned range)
{
    std::vector<T> v(n);

    for (T &x : v)
        x = (T)(next_random() % range);
    return v;
}

template <class T> static bool
same(const T &a, const T &b)
{
    return a == b;
}

template <class T> static void
compare(const char *what, const std::vector<T> &got, const std::vector<T> &want)
{
    if (got.size() != want.size())
        FAIL("%s: %zu elements, expected %zu", what, got.size(), want.size());
    for (size_t i = 0; i < got.size(); i++)
        if (!same(got[i], want[i]))
            FAIL("%s: element %zu of %zu differs", what, i, got.size());
}

/* A type that rocPRIM has to move as bytes: no multiple of a register. */
struct odd {
    short a;
    unsigned char b[3];

    __host__ __device__ bool operator==(const odd &o) const
    {
        return a == o.a && b[0] == o.b[0] && b[1] == o.b[1] && b[2] == o.b[2];
    }
};

/* Made by constructors and copied by an operator, none of them trivial. */
struct made {
    double x, y;

    __host__ __device__ made() : x(12), y(34) {}
    __host__ __device__ made(double a, double b) : x(a), y(b) {}
    __host__ __device__ made(const made &o) : x(o.x), y(o.y) {}
    __host__ __device__ ~made() {}
    __host__ __device__ made &operator=(const made &o)
    {
        x = o.x;
        y = o.y;
        return *this;
    }
    __host__ __device__ bool operator<(const made &o) const
    {
        return x < o.x || (x == o.x && y < o.y);
    }
    __host__ __device__ bool operator==(const made &o) const
    {
        return x == o.x && y == o.y;
    }
};

struct pair_of {
    int a;
    double b;

    __host__ __device__ bool operator==(const pair_of &o) const
    {
        return a == o.a && b == o.b;
    }
};

struct add_pairs {
    __host__ __device__ pair_of operator()(const pair_of &x, const pair_of &y) const
    {
        return {x.a + y.a, x.b + y.b};
    }
};

#endif
