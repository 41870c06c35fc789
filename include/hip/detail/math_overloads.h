/* SPDX-License-Identifier: MIT */
/* Overloads of mathematics on both sides, where the functions of device and host are known.
 * Included by hip/hip_runtime.h. */
#ifndef HIP_DETAIL_MATH_OVERLOADS_H
#define HIP_DETAIL_MATH_OVERLOADS_H

#include <hip/detail/device_math.h>

/* HIP Programming Guide lists normcdf of a float with a float result. A template: an integer goes
 * to the function of a double, and a program's own function of a float comes before this one. */
template <typename T, typename std::enable_if<__is_same(T, float)>::type * = nullptr>
__host__ __device__ inline T
normcdf(T x)
{
    return normcdff(x);
}

#endif
