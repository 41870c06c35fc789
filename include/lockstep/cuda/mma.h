/* SPDX-License-Identifier: MIT */
/* mma.h of hipcc --cuda: matrix products of a warp, by shuffles. Correct for all shapes and types,
 * and not fast: lockstep/wmma.h has products by the hardware's instructions. */
#ifndef LOCKSTEP_CUDA_MMA_H
#define LOCKSTEP_CUDA_MMA_H

#include <lockstep/cuda/bf16.h>

#if __HIP_CLANG_ONLY__
namespace nvcuda
{
namespace wmma
{

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision
{
struct tf32;
}

namespace detail
{
/* What an element is stored as, and what it is added up as. */
template <class T> struct element {
    typedef T stored;
    typedef float sum;
};
template <> struct element<precision::tf32> {
    typedef float stored;
    typedef float sum;
};
template <> struct element<double> {
    typedef double stored;
    typedef double sum;
};
template <> struct element<int> {
    typedef int stored;
    typedef int sum;
};
template <> struct element<signed char> {
    typedef signed char stored;
    typedef int sum;
};
template <> struct element<unsigned char> {
    typedef unsigned char stored;
    typedef int sum;
};

template <class Use, int m, int n, int k> struct shape { /* the sum's */
    enum { rows = m, cols = n };
};
template <int m, int n, int k> struct shape<matrix_a, m, n, k> {
    enum { rows = m, cols = k };
};
template <int m, int n, int k> struct shape<matrix_b, m, n, k> {
    enum { rows = k, cols = n };
};

/* Element `place` of the matrix, counted row by row, which lies in one of the items `low` to
 * `high` of another lane. */
template <class T>
LS_HIP_DEVICE T
fetch(const T *x, int place, int low, int high)
{
    T found = __ls_shfl(x[low], place & 31, 32);
#pragma unroll
    for (int i = low + 1; i <= high; i++) {
        T other = __ls_shfl(x[i], place & 31, 32);
        if (place / 32 == i)
            found = other;
    }
    return found;
}
} // namespace detail

/* Item i of a lane is element 32 * i + lane of the matrix, counted row by row. */
template <class Use, int m, int n, int k, class T, class Layout = void> class fragment
{
  public:
    typedef T element_type;
    typedef typename detail::element<T>::stored storage_element_type;
    enum {
        rows = detail::shape<Use, m, n, k>::rows,
        cols = detail::shape<Use, m, n, k>::cols,
        num_elements = rows * cols / 32,
        num_storage_elements = num_elements
    };
    storage_element_type x[num_elements];
};

template <class F, class V>
LS_HIP_DEVICE void
fill_fragment(F &f, const V &value)
{
    for (int i = 0; i < F::num_elements; i++)
        f.x[i] = value;
}

namespace detail
{
template <class F>
LS_HIP_DEVICE unsigned int
offset(int i, unsigned int stride, bool by_rows)
{
    int place = 32 * i + (int)__lane_id(), row = place / F::cols, col = place % F::cols;
    return by_rows ? row * stride + col : col * stride + row;
}
} // namespace detail

template <class Use, int m, int n, int k, class T, class Layout, class V>
LS_HIP_DEVICE void
load_matrix_sync(fragment<Use, m, n, k, T, Layout> &f, const V *ptr, unsigned int stride)
{
    typedef fragment<Use, m, n, k, T, Layout> F;
    for (int i = 0; i < F::num_elements; i++)
        f.x[i] = ptr[detail::offset<F>(i, stride, std::is_same<Layout, row_major>::value)];
}

template <int m, int n, int k, class T, class V>
LS_HIP_DEVICE void
load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const V *ptr, unsigned int stride,
                 layout_t layout)
{
    typedef fragment<accumulator, m, n, k, T> F;
    for (int i = 0; i < F::num_elements; i++)
        f.x[i] = ptr[detail::offset<F>(i, stride, layout == mem_row_major)];
}

template <int m, int n, int k, class T, class V>
LS_HIP_DEVICE void
store_matrix_sync(V *ptr, const fragment<accumulator, m, n, k, T> &f, unsigned int stride,
                  layout_t layout)
{
    typedef fragment<accumulator, m, n, k, T> F;
    for (int i = 0; i < F::num_elements; i++)
        ptr[detail::offset<F>(i, stride, layout == mem_row_major)] = f.x[i];
    __ls_sync_warp();
}

template <int m, int n, int k, class T, class LA, class LB, class D, class C>
LS_HIP_DEVICE void
mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, LA> &a,
         const fragment<matrix_b, m, n, k, T, LB> &b, const fragment<accumulator, m, n, k, C> &c)
{
    typedef typename detail::element<T>::sum sum;
    enum { items = fragment<accumulator, m, n, k, D>::num_elements };
    int lane = (int)__lane_id();
    sum sums[items];

#pragma unroll
    for (int i = 0; i < items; i++)
        sums[i] = (sum)c.x[i];
#pragma unroll
    for (int at = 0; at < k; at++) {
        sum right = (sum)detail::fetch(b.x, at * n + lane % n, at * n / 32, (at * n + n - 1) / 32);
#pragma unroll
        for (int i = 0; i < items; i++) {
            int row = (32 * i + lane) / n, first = 32 * i / n, last = (32 * i + 31) / n;
            sum left =
                (sum)detail::fetch(a.x, row * k + at, (first * k + at) / 32, (last * k + at) / 32);
            sums[i] += left * right;
        }
    }
    for (int i = 0; i < items; i++)
        d.x[i] = sums[i];
}

LS_HIP_DEVICE float
__float_to_tf32(float x)
{
    return __builtin_bit_cast(float, (__builtin_bit_cast(unsigned int, x) + 0x1000) & 0xffffe000);
}

} // namespace wmma
} // namespace nvcuda
#endif

#endif
