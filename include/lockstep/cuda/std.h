/* SPDX-License-Identifier: MIT */
/* <cuda/std/...> of hipcc --cuda: the C++ library's own headers under a second name. What is
 * constexpr there, which is nearly all that kernels use, may be called in kernels. */
#ifndef LOCKSTEP_CUDA_STD_H
#define LOCKSTEP_CUDA_STD_H

#include <lockstep/cuda/runtime.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <numeric>
#include <ratio>
#include <tuple>
#include <type_traits>
#include <utility>
#if __cplusplus >= 201703L
#include <optional>
#include <string_view>
#include <variant>
#endif
#if __cplusplus >= 202002L
#include <bit>
#include <concepts>
#include <ranges>
#include <span>
#endif

namespace cuda
{
namespace std
{
using namespace ::std;

#if __cplusplus < 202002L
struct identity {
    template <class T>
    __host__ __device__ constexpr T &&operator()(T &&x) const noexcept
    {
        return static_cast<T &&>(x);
    }
};
#endif
} // namespace std
} // namespace cuda

#endif
