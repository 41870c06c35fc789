/* SPDX-License-Identifier: MIT */
/* hip_bfloat16: the older bfloat16 type, with its bits in `data`. */
#ifndef HIP_BFLOAT16_H
#define HIP_BFLOAT16_H

/* One of AMD's include guards, by which programs see what is included. */
#define _HIP_INCLUDE_HIP_AMD_DETAIL_HIP_BFLOAT16_H_

#if !defined(__HIPCC_RTC__)
#include <stdint.h>
#endif

#if !defined(__cplusplus)

typedef struct {
    uint16_t data;
} hip_bfloat16;

#else

#include <hip/hip_vector_types.h>
#include <hip/detail/bf16_bits.h>

struct hip_bfloat16 {
    uint16_t data;

    enum truncate_t {
        truncate
    };

    hip_bfloat16() = default;
    explicit LS_HIP_HD hip_bfloat16(float f) : data(__ls_float_to_bf16(f)) {}
    /* Cuts the lower half off instead of rounding. */
    explicit LS_HIP_HD hip_bfloat16(float f, truncate_t) : data(cut(f)) {}
    LS_HIP_HD operator float() const { return __ls_bf16_to_float(data); }
    LS_HIP_HD hip_bfloat16 &operator=(const float &f)
    {
        data = __ls_float_to_bf16(f);
        return *this;
    }
    static LS_HIP_HD hip_bfloat16 round_to_bfloat16(float f) { return hip_bfloat16(f); }
    static LS_HIP_HD hip_bfloat16 round_to_bfloat16(float f, truncate_t)
    {
        return hip_bfloat16(f, truncate);
    }

  private:
    static LS_HIP_HD uint16_t cut(float f)
    {
        unsigned int word;
        __builtin_memcpy(&word, &f, sizeof(word));
        bool nan = (word & 0x7fffffffu) > 0x7f800000u;
        return (uint16_t)(word >> 16 | (nan ? 0x40 : 0));
    }
};

#define LS_BFLOAT16_OP(op) \
    inline LS_HIP_HD hip_bfloat16 operator op(hip_bfloat16 a, hip_bfloat16 b) \
    { \
        return hip_bfloat16((float)a op(float) b); \
    } \
    inline LS_HIP_HD hip_bfloat16 &operator op##=(hip_bfloat16 &a, hip_bfloat16 b) \
    { \
        return a = a op b; \
    }
#define LS_BFLOAT16_COMPARE(op) \
    inline LS_HIP_HD bool operator op(hip_bfloat16 a, hip_bfloat16 b) \
    { \
        return (float)a op(float) b; \
    }

LS_BFLOAT16_OP(+)
LS_BFLOAT16_OP(-)
LS_BFLOAT16_OP(*)
LS_BFLOAT16_OP(/)
LS_BFLOAT16_COMPARE(==)
LS_BFLOAT16_COMPARE(!=)
LS_BFLOAT16_COMPARE(<)
LS_BFLOAT16_COMPARE(<=)
LS_BFLOAT16_COMPARE(>)
LS_BFLOAT16_COMPARE(>=)
#undef LS_BFLOAT16_COMPARE
#undef LS_BFLOAT16_OP

inline LS_HIP_HD hip_bfloat16
operator+(hip_bfloat16 a)
{
    return a;
}

inline LS_HIP_HD hip_bfloat16
operator-(hip_bfloat16 a)
{
    a.data ^= 0x8000;
    return a;
}

#define LS_BFLOAT16_STEP(op, by) \
    inline LS_HIP_HD hip_bfloat16 &operator op(hip_bfloat16 &a) \
    { \
        return a = hip_bfloat16((float)a + by); \
    } \
    inline LS_HIP_HD hip_bfloat16 operator op(hip_bfloat16 &a, int) \
    { \
        hip_bfloat16 old = a; \
        op a; \
        return old; \
    }
LS_BFLOAT16_STEP(++, 1)
LS_BFLOAT16_STEP(--, -1)
#undef LS_BFLOAT16_STEP

namespace std {
constexpr LS_HIP_HD bool
isinf(hip_bfloat16 a)
{
    return (a.data & 0x7fff) == 0x7f80;
}

constexpr LS_HIP_HD bool
isnan(hip_bfloat16 a)
{
    return (a.data & 0x7fff) > 0x7f80;
}

constexpr LS_HIP_HD bool
iszero(hip_bfloat16 a)
{
    return (a.data & 0x7fff) == 0;
}
} // namespace std

#endif

#endif
