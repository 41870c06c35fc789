/* SPDX-License-Identifier: MIT */
/* Libraries add to our types: a class whose operators come before its std::is_arithmetic is
 * specialised, with all of our number types in sight; and vectors of more than four components, by
 * HIP_vector_base. */
// FLAGS: -Wall -Wextra -Werror
// OPT: -O3
// ISA: native
#include <hip/hip_bf16.h>
#include <hip/hip_bfloat16.h>
#include <hip/hip_complex.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>
#include "../check.h"

/* Overload resolution of each operator looks at conversions to every type of the headers. */
struct Tenth {
    int count;
    __host__ __device__ explicit operator float() const { return (float)count / 10; }
};

#define OPERATOR(type, op)                                                                         \
    __host__ __device__ inline type operator op(Tenth a, Tenth b)                                  \
    {                                                                                              \
        return type(a.count op b.count);                                                           \
    }
#define NUMBER_OPERATOR(op)                                                                        \
    __host__ __device__ inline Tenth operator op(Tenth a, Tenth b)                                 \
    {                                                                                              \
        return Tenth{a.count op b.count};                                                          \
    }
OPERATOR(bool, ==)
OPERATOR(bool, !=)
OPERATOR(bool, <)
NUMBER_OPERATOR(+)
NUMBER_OPERATOR(-)
__host__ __device__ inline bool operator>(Tenth a, Tenth b) { return !(a == b) && !(a < b); }
__host__ __device__ inline Tenth &operator+=(Tenth &a, Tenth b) { return a = a + b; }

__host__ __device__ inline float as_float(__hip_fp8_e4m3) { return -1; }
__host__ __device__ inline float as_float(__hip_fp8_e5m2_fnuz) { return -2; }
__host__ __device__ inline float as_float(__hip_bfloat16) { return -3; }
__host__ __device__ inline float as_float(__half) { return -4; }
__host__ __device__ inline float as_float(float) { return -5; }
__host__ __device__ inline float as_float(Tenth a, int = 0) { return float(a); }
__host__ __device__ inline float
twice(Tenth a)
{
    return as_float(a) + as_float(a + a) - as_float(a);
}

namespace std
{
template <> struct is_arithmetic<Tenth> : true_type {};
template <> struct is_floating_point<Tenth> : true_type {};
template <> struct is_integral<Tenth> : false_type {};
} // namespace std

/* What the headers take for a number stays what the language has. */
enum plain { one = 1 };
static_assert(std::is_constructible<__hip_bfloat16, long>::value &&
                  std::is_constructible<__half, bool>::value &&
                  std::is_constructible<__hip_fp8_e5m2, double>::value &&
                  std::is_constructible<__half, char16_t>::value &&
                  std::is_constructible<__hip_bfloat16, unsigned __int128>::value,
              "numbers");
static_assert(!std::is_constructible<__hip_bfloat16, Tenth *>::value &&
                  !std::is_convertible<Tenth, __half>::value &&
                  std::is_constructible<__hip_fp8_e4m3, long double>::value,
              "no numbers");

template <> struct HIP_vector_base<float, 8> {
    typedef float Native_vec_ __attribute__((ext_vector_type(8)));
    typedef float value_type;
    union {
        Native_vec_ data;
    };
    HIP_vector_base() = default;
    __host__ __device__ constexpr explicit HIP_vector_base(float all) noexcept : data(all) {}
    __host__ __device__ constexpr HIP_vector_base(float a, float b, float c, float d, float e,
                                                  float f, float g, float h) noexcept
        : data{a, b, c, d, e, f, g, h}
    {
    }
};

template <> struct HIP_vector_base<unsigned, 16> {
    typedef unsigned Native_vec_ __attribute__((ext_vector_type(16)));
    typedef unsigned value_type;
    union {
        Native_vec_ data;
    };
    HIP_vector_base() = default;
    __host__ __device__ constexpr explicit HIP_vector_base(unsigned all) noexcept : data(all) {}
};

/* Not the compiler's vectors: a class with the operators that a vector needs. */
struct five_tenths {
    Tenth at[5];
    __host__ __device__ Tenth &operator[](unsigned i) { return at[i]; }
    __host__ __device__ Tenth operator[](unsigned i) const { return at[i]; }
    __host__ __device__ five_tenths &operator+=(const five_tenths &b)
    {
        for (int i = 0; i < 5; i++)
            at[i] += b.at[i];
        return *this;
    }
};

template <> struct HIP_vector_base<Tenth, 5> {
    typedef five_tenths Native_vec_;
    typedef Tenth value_type;
    union {
        Native_vec_ data;
    };
    HIP_vector_base() = default;
    __host__ __device__ constexpr HIP_vector_base(Tenth a, Tenth b, Tenth c, Tenth d,
                                                  Tenth e) noexcept
        : data{{a, b, c, d, e}}
    {
    }
};

typedef HIP_vector_type<float, 8> float8;
typedef HIP_vector_type<unsigned, 16> uint16;
typedef HIP_vector_type<Tenth, 5> tenth5;

__host__ __device__ static void
compute(float *o)
{
    float8 a(1, 2, 3, 4, 5, 6, 7, 8), b(2.0f);
    a += b;
    a = a * b;
    a++;
    a -= 1;
    --a;
    a = -(a / 2.0f) + 1;
    for (int i = 0; i < 8; i++)
        o[i] = a.data[i];
    o[8] = a == a && a != b && b == 2.0f && !(b != 2);

    uint16 u(0x35u), v(6u);
    u &= uint16(0x1fu);
    u = (u | v) ^ 1u;
    u = (u << 2u) % uint16(50u);
    u >>= uint16(1u);
    o[9] = (float)(~0u - (~u).data[15]);
    o[10] = (float)u.data[7];

    Tenth t = {1};
    tenth5 x(t, Tenth{2}, Tenth{3}, t, t), y = x + x;
    y += x;
    o[11] = as_float(y.data[2]) + (y == x ? 100.0f : 0.0f) + (y != x ? 10.0f : 0.0f);
    o[12] = twice(t);
}

__global__ void
k(float *o)
{
    compute(o);
}

int
main()
{
    const float want[13] = {-1.5f, -2.5f, -3.5f, -4.5f, -5.5f, -6.5f, -7.5f,
                            -8.5f, 1,     19,    19,    10.9f, 0.2f};
    float host[13], *device, got[13];

    compute(host);
    CHECK_HIP(hipMalloc(&device, sizeof(got)));
    k<<<1, 1>>>(device);
    CHECK_HIP(hipMemcpy(got, device, sizeof(got), hipMemcpyDefault));
    for (int i = 0; i < 13; i++) {
        if (host[i] != got[i] || fabsf(got[i] - want[i]) > 1e-6f * fabsf(want[i]))
            FAIL("%d: %g on the host, %g on the device, not %g", i, (double)host[i], (double)got[i],
                 (double)want[i]);
    }
    return 0;
}
