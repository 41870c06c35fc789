/* SPDX-License-Identifier: MIT */
/* Component-wise operators of short vectors, as HIP's vectors have them. They are templates: what
 * a program defines for its own use, as CUDA's programs must, comes first. */
#ifndef HIP_NVIDIA_DETAIL_VECTOR_OPERATORS_H
#define HIP_NVIDIA_DETAIL_VECTOR_OPERATORS_H

#include <type_traits>

/* CUDA 13 wants double4 and its like to be named with their alignment. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace hip_impl {
/* n components of type T; n = 0 means that V is no vector. */
template <class V> struct ls_vector {
    enum { n = 0 };
};

#define LS_NV_VECTOR(name, component, count) \
    template <> struct ls_vector<name##count> { \
        typedef component type; \
        enum { n = count }; \
    };
#define LS_NV_VECTORS(name, component) \
    LS_NV_VECTOR(name, component, 1) LS_NV_VECTOR(name, component, 2) \
    LS_NV_VECTOR(name, component, 3) LS_NV_VECTOR(name, component, 4)
LS_NV_VECTORS(char, signed char)
LS_NV_VECTORS(uchar, unsigned char)
LS_NV_VECTORS(short, short)
LS_NV_VECTORS(ushort, unsigned short)
LS_NV_VECTORS(int, int)
LS_NV_VECTORS(uint, unsigned int)
LS_NV_VECTORS(long, long)
LS_NV_VECTORS(ulong, unsigned long)
LS_NV_VECTORS(longlong, long long)
LS_NV_VECTORS(ulonglong, unsigned long long)
LS_NV_VECTORS(float, float)
LS_NV_VECTORS(double, double)
#pragma GCC diagnostic pop
#undef LS_NV_VECTORS
#undef LS_NV_VECTOR

template <class V> LS_HIP_HD inline typename ls_vector<V>::type *
ls_components(V &v)
{
    return reinterpret_cast<typename ls_vector<V>::type *>(&v);
}

template <class V> LS_HIP_HD inline const typename ls_vector<V>::type *
ls_components(const V &v)
{
    return reinterpret_cast<const typename ls_vector<V>::type *>(&v);
}

template <class V, class S> LS_HIP_HD inline V
ls_splat(S value)
{
    V v;
    for (int i = 0; i < ls_vector<V>::n; i++)
        ls_components(v)[i] = static_cast<typename ls_vector<V>::type>(value);
    return v;
}

/* R where V is a vector and W is V, too. They are two parameters, so that a template of the
 * program's with one comes first. */
template <class V, class W, class R>
using ls_if_vectors =
    typename std::enable_if<(ls_vector<V>::n > 0) && std::is_same<V, W>::value, R>::type;
/* R where V is a vector and S a number. */
template <class V, class S, class R>
using ls_if_scaled =
    typename std::enable_if<(ls_vector<V>::n > 0) && std::is_arithmetic<S>::value, R>::type;
} // namespace hip_impl

#define LS_NV_OPERATOR(op) \
    template <class V, class W> \
    LS_HIP_HD inline hip_impl::ls_if_vectors<V, W, V &> operator op##=(V &a, W b) \
    { \
        for (int i = 0; i < hip_impl::ls_vector<V>::n; i++) \
            hip_impl::ls_components(a)[i] op##= hip_impl::ls_components(b)[i]; \
        return a; \
    } \
    template <class V, class S> \
    LS_HIP_HD inline hip_impl::ls_if_scaled<V, S, V &> operator op##=(V &a, S b) \
    { \
        return a op##= hip_impl::ls_splat<V>(b); \
    } \
    template <class V, class W> \
    LS_HIP_HD inline hip_impl::ls_if_vectors<V, W, V> operator op(V a, W b) \
    { \
        return a op##= b; \
    } \
    template <class V, class S> \
    LS_HIP_HD inline hip_impl::ls_if_scaled<V, S, V> operator op(V a, S b) \
    { \
        return a op##= hip_impl::ls_splat<V>(b); \
    } \
    template <class S, class V> \
    LS_HIP_HD inline hip_impl::ls_if_scaled<V, S, V> operator op(S a, V b) \
    { \
        return hip_impl::ls_splat<V>(a) op b; \
    }
LS_NV_OPERATOR(+)
LS_NV_OPERATOR(-)
LS_NV_OPERATOR(*)
LS_NV_OPERATOR(/)
/* Of whole numbers */
LS_NV_OPERATOR(%)
LS_NV_OPERATOR(&)
LS_NV_OPERATOR(|)
LS_NV_OPERATOR(^)
LS_NV_OPERATOR(<<)
LS_NV_OPERATOR(>>)
#undef LS_NV_OPERATOR

template <class V> LS_HIP_HD inline hip_impl::ls_if_vectors<V, V, V>
operator-(V a)
{
    for (int i = 0; i < hip_impl::ls_vector<V>::n; i++)
        hip_impl::ls_components(a)[i] = -hip_impl::ls_components(a)[i];
    return a;
}

template <class V> LS_HIP_HD inline hip_impl::ls_if_vectors<V, V, V>
operator~(V a)
{
    for (int i = 0; i < hip_impl::ls_vector<V>::n; i++)
        hip_impl::ls_components(a)[i] = ~hip_impl::ls_components(a)[i];
    return a;
}

template <class V, class W> LS_HIP_HD inline hip_impl::ls_if_vectors<V, W, bool>
operator==(V a, W b)
{
    bool same = true;
    for (int i = 0; i < hip_impl::ls_vector<V>::n; i++)
        same = same && hip_impl::ls_components(a)[i] == hip_impl::ls_components(b)[i];
    return same;
}

template <class V, class W> LS_HIP_HD inline hip_impl::ls_if_vectors<V, W, bool>
operator!=(V a, W b)
{
    return !(a == b);
}

#endif
