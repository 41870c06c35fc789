/* SPDX-License-Identifier: MIT */
/* Block- and warp-level rocPRIM (the distribution's package) against the host: types, block sizes,
 * logical warps. */
// FLAGS: -isystem $SOURCE/.packages/librocprim-dev/usr/include
// NEEDS: .packages/librocprim-dev
// OPT: -O3
// ISA: native
// TIMEOUT: 240
// SCALAR: no, its blocks are made of what warps do
#include "../check.h"

#include <rocprim/block/block_shuffle.hpp>
#include <rocprim/rocprim.hpp>

#include <algorithm>

#include "storage.h"

/* In blocks of B threads with I items each; three blocks, so that LDS is used again. */
constexpr unsigned n_blocks = 3;

/* What a thread's items are loaded and stored with, in turn. */
template <class T, unsigned B, unsigned I, int M> struct io {
    static constexpr auto load_method =
        M == 0 ? rocprim::block_load_method::block_load_direct
      : M == 1 ? rocprim::block_load_method::block_load_vectorize
      : M == 2 ? rocprim::block_load_method::block_load_transpose
               : rocprim::block_load_method::block_load_warp_transpose;
    static constexpr auto store_method =
        M == 0 ? rocprim::block_store_method::block_store_transpose
      : M == 1 ? rocprim::block_store_method::block_store_vectorize
      : M == 2 ? rocprim::block_store_method::block_store_direct
               : rocprim::block_store_method::block_store_warp_transpose;
    using load = rocprim::block_load<T, B, I, load_method>;
    using store = rocprim::block_store<T, B, I, store_method>;
};

template <class T, unsigned B, unsigned I, rocprim::block_scan_algorithm A, int M>
__global__ __launch_bounds__(B) void
k_scan(const T *in, T *inc, T *exc, T *total)
{
    using scan = rocprim::block_scan<T, B, A>;
    __shared__ typename io<T, B, I, M>::load::storage_type load_storage;
    __shared__ typename io<T, B, I, M>::store::storage_type store_storage;
    __shared__ typename scan::storage_type storage;
    T items[I], out[I], sum;
    const unsigned first = blockIdx.x * B * I;

    typename io<T, B, I, M>::load().load(const_cast<T *>(in) + first, items, load_storage);
    scan().inclusive_scan(items, out, sum, storage, rocprim::plus<T>());
    typename io<T, B, I, M>::store().store(inc + first, out, store_storage);
    rocprim::syncthreads();
    scan().exclusive_scan(items, out, (T)3, storage, rocprim::plus<T>());
    rocprim::syncthreads();
    typename io<T, B, I, M>::store().store(exc + first, out, store_storage);
    if (threadIdx.x == 0)
        total[blockIdx.x] = sum;
}

template <class T, unsigned B, unsigned I, rocprim::block_scan_algorithm A, int M> static void
test_scan()
{
    std::vector<T> in = numbers<T>(n_blocks * B * I, 4), inc(in.size()), exc(in.size()),
                   total(n_blocks);
    buffer<T> d_in(in), d_inc(in.size()), d_exc(in.size()), d_total(n_blocks);

    for (unsigned block = 0; block < n_blocks; block++) {
        T sum = (T)0;
        for (unsigned i = block * B * I; i < (block + 1) * B * I; i++) {
            exc[i] = (T)(sum + (T)3);
            sum = (T)(sum + in[i]);
            inc[i] = sum;
        }
        total[block] = sum;
    }
    k_scan<T, B, I, A, M><<<n_blocks, B>>>(d_in.ptr, d_inc.ptr, d_exc.ptr, d_total.ptr);
    CHECK_RUN();
    compare("block inclusive_scan", d_inc.get(), inc);
    compare("block exclusive_scan", d_exc.get(), exc);
    compare("block scan, sum", d_total.get(), total);
}

template <class T, unsigned B, unsigned I, rocprim::block_reduce_algorithm A>
__global__ __launch_bounds__(B) void
k_reduce(const T *in, T *out, T *part, unsigned valid)
{
    using reduce = rocprim::block_reduce<T, B, A>;
    __shared__ typename reduce::storage_type storage;
    T items[I], all, some;

    rocprim::block_load_direct_blocked(threadIdx.x, in + blockIdx.x * B * I, items);
    reduce().reduce(items, all, storage, rocprim::plus<T>());
    rocprim::syncthreads();
    reduce().reduce(items[0], some, valid, storage, rocprim::maximum<T>());
    if (threadIdx.x == 0) {
        out[blockIdx.x] = all;
        part[blockIdx.x] = some;
    }
}

template <class T, unsigned B, unsigned I, rocprim::block_reduce_algorithm A> static void
test_reduce()
{
    const unsigned valid = B * 2 / 3 + 1;
    std::vector<T> in = numbers<T>(n_blocks * B * I, 50), out(n_blocks, (T)0), part(n_blocks, (T)0);
    buffer<T> d_in(in), d_out(n_blocks), d_part(n_blocks);

    for (unsigned i = 0; i < in.size(); i++) {
        unsigned block = i / (B * I), in_block = i % (B * I);
        out[block] = (T)(out[block] + in[i]);
        if (in_block % I == 0 && in_block / I < valid)
            part[block] = std::max(part[block], in[i]);
    }
    k_reduce<T, B, I, A><<<n_blocks, B>>>(d_in.ptr, d_out.ptr, d_part.ptr, valid);
    CHECK_RUN();
    compare("block reduce", d_out.get(), out);
    compare("block reduce of valid items", d_part.get(), part);
}

template <class K, class V, unsigned B, unsigned I>
__global__ __launch_bounds__(B) void
k_radix_sort(const K *keys, const V *values, K *out, V *moved)
{
    using sort = rocprim::block_radix_sort<K, B, I, V>;
    __shared__ typename sort::storage_type storage;
    K k[I];
    V v[I];
    const unsigned first = blockIdx.x * B * I;

    rocprim::block_load_direct_blocked(threadIdx.x, keys + first, k);
    rocprim::block_load_direct_blocked(threadIdx.x, values + first, v);
    sort().sort_desc_to_striped(k, v, storage);
    rocprim::block_store_direct_striped<B>(threadIdx.x, out + first, k);
    rocprim::block_store_direct_striped<B>(threadIdx.x, moved + first, v);
}

template <class K, class V, unsigned B, unsigned I>
__global__ __launch_bounds__(B) void
k_sort(const K *keys, const V *values, K *out, V *moved)
{
    using sort = rocprim::block_sort<K, B, I, V>;
    __shared__ typename sort::storage_type storage;
    const unsigned first = blockIdx.x * B * I;
    K k[I];
    V v[I];

    rocprim::block_load_direct_blocked(threadIdx.x, keys + first, k);
    rocprim::block_load_direct_blocked(threadIdx.x, values + first, v);
    sort().sort(k, v, storage, rocprim::greater<K>());
    rocprim::block_store_direct_blocked(threadIdx.x, out + first, k);
    rocprim::block_store_direct_blocked(threadIdx.x, moved + first, v);
}

template <class K, class V, unsigned W, unsigned B>
__global__ __launch_bounds__(B) void
k_warp_sort(const K *keys, const V *values, K *out, V *moved)
{
    using sort = rocprim::warp_sort<K, W, V>;
    const unsigned i = blockIdx.x * B + threadIdx.x;
    K k = keys[i];
    V v = values[i];

    sort().sort(k, v, rocprim::greater<K>());
    out[i] = k;
    moved[i] = v;
}

/* Sorts groups of `group` items downwards by `launch`. Equal keys may change places unless
 * `stable`. */
template <class K, class V, class L> static void
test_sort(const char *what, unsigned group, bool stable, L launch)
{
    const unsigned n = n_blocks * group;
    std::vector<K> keys = numbers<K>(n, 150), want(n);
    std::vector<V> values(n), moved(n);
    std::vector<unsigned> order(n);

    if (!stable) { /* all different in a group */
        for (unsigned i = 0; i < n; i++)
            keys[i] = (K)(i * 37u % group);
    }
    for (unsigned i = 0; i < n; i++) {
        values[i] = V{(decltype(V::a))i};
        order[i] = i;
    }
    for (unsigned g = 0; g < n; g += group)
        std::stable_sort(order.begin() + g, order.begin() + g + group,
                         [&](unsigned a, unsigned b) { return keys[b] < keys[a]; });
    for (unsigned i = 0; i < n; i++) {
        want[i] = keys[order[i]];
        moved[i] = values[order[i]];
    }
    buffer<K> d_keys(keys), d_out(n);
    buffer<V> d_values(values), d_moved(n);
    launch(d_keys.ptr, d_values.ptr, d_out.ptr, d_moved.ptr);
    CHECK_RUN();
    compare(what, d_out.get(), want);
    compare(what, d_moved.get(), moved);
}

template <class K, class V, unsigned B, unsigned I> static void
test_radix_sort()
{
    test_sort<K, V>("block radix sort", B * I, true, [](K *k, V *v, K *out, V *moved) {
        k_radix_sort<K, V, B, I><<<n_blocks, B>>>(k, v, out, moved);
    });
}

template <class K, class V, unsigned B, unsigned I> static void
test_block_sort()
{
    test_sort<K, V>("block sort", B * I, false, [](K *k, V *v, K *out, V *moved) {
        k_sort<K, V, B, I><<<n_blocks, B>>>(k, v, out, moved);
    });
}

template <class K, class V, unsigned W> static void
test_warp_sort()
{
    test_sort<K, V>("warp sort", W, false, [](K *k, V *v, K *out, V *moved) {
        k_warp_sort<K, V, W, W><<<n_blocks, W>>>(k, v, out, moved);
    });
}

/* There and back again by other ways, and what is where on the way. */
template <class T, unsigned B, unsigned I>
__global__ __launch_bounds__(B) void
k_exchange(const T *in, T *striped, T *back, T *scattered)
{
    using exchange = rocprim::block_exchange<T, B, I>;
    __shared__ typename exchange::storage_type storage;
    T items[I], other[I];
    unsigned ranks[I];
    const unsigned first = blockIdx.x * B * I, t = threadIdx.x;

    for (unsigned i = 0; i < I; i++) {
        items[i] = in[first + t * I + i];
        ranks[i] = B * I - 1 - (t * I + i);
    }
    exchange().blocked_to_striped(items, other, storage);
    for (unsigned i = 0; i < I; i++)
        striped[first + t * I + i] = other[i];
    rocprim::syncthreads();
    exchange().striped_to_blocked(other, other, storage);
    rocprim::syncthreads();
    exchange().blocked_to_warp_striped(other, other, storage);
    rocprim::syncthreads();
    exchange().warp_striped_to_blocked(other, other, storage);
    for (unsigned i = 0; i < I; i++)
        back[first + t * I + i] = other[i];
    rocprim::syncthreads();
    exchange().scatter_to_blocked(items, other, ranks, storage);
    for (unsigned i = 0; i < I; i++)
        scattered[first + t * I + i] = other[i];
}

template <class T, unsigned B, unsigned I> static void
test_exchange(const std::vector<T> &in)
{
    std::vector<T> striped(in.size()), scattered(in.size());
    buffer<T> d_in(in), d_striped(in.size()), d_back(in.size()), d_scattered(in.size());

    for (unsigned i = 0; i < in.size(); i++) {
        unsigned block = i / (B * I), t = i % (B * I) / I, item = i % I;
        striped[i] = in[block * B * I + item * B + t];
        scattered[i] = in[block * B * I + B * I - 1 - i % (B * I)];
    }
    k_exchange<T, B, I><<<n_blocks, B>>>(d_in.ptr, d_striped.ptr, d_back.ptr, d_scattered.ptr);
    CHECK_RUN();
    compare("block exchange to striped", d_striped.get(), striped);
    compare("block exchange and back", d_back.get(), in);
    compare("block exchange by ranks", d_scattered.get(), scattered);
}

template <class T, unsigned B>
__global__ __launch_bounds__(B) void
k_shuffle(const T *in, T *offset, T *rotated, T *up, T *down)
{
    using shuffle = rocprim::block_shuffle<T, B>;
    __shared__ typename shuffle::storage_type storage;
    const unsigned t = threadIdx.x, i = blockIdx.x * B + t;
    T mine = in[i], got = mine, pair[2] = {mine, in[blockIdx.x * B + (t ^ 1)]}, prev[2], next[2];

    shuffle().offset(t, mine, got, -3, storage);
    offset[i] = got;
    rocprim::syncthreads();
    shuffle().rotate(t, mine, got, 5, storage);
    rotated[i] = got;
    rocprim::syncthreads();
    shuffle().up(t, pair, prev, storage);
    up[i] = t ? prev[0] : mine;
    rocprim::syncthreads();
    shuffle().down(t, pair, next, storage);
    down[i] = t + 1 < B ? next[1] : mine;
}

template <class T, unsigned B> static void
test_shuffle(const std::vector<T> &in)
{
    std::vector<T> offset(in), rotated(in), up(in), down(in);
    buffer<T> d_in(in), d_offset(in.size()), d_rotated(in.size()), d_up(in.size()),
        d_down(in.size());

    for (unsigned i = 0; i < in.size(); i++) {
        unsigned first = i / B * B, t = i % B;
        if (t >= 3)
            offset[i] = in[i - 3];
        rotated[i] = in[first + (t + 5) % B];
        if (t)
            up[i] = in[first + ((t - 1) ^ 1)];
        if (t + 1 < B)
            down[i] = in[i + 1];
    }
    k_shuffle<T, B><<<n_blocks, B>>>(d_in.ptr, d_offset.ptr, d_rotated.ptr, d_up.ptr, d_down.ptr);
    CHECK_RUN();
    compare("block shuffle offset", d_offset.get(), offset);
    compare("block shuffle rotate", d_rotated.get(), rotated);
    compare("block shuffle up", d_up.get(), up);
    compare("block shuffle down", d_down.get(), down);
}

template <class T, unsigned B, unsigned I>
__global__ __launch_bounds__(B) void
k_flags(const T *in, int *flags, unsigned *bins, unsigned *bins_sorted)
{
    using flag = rocprim::block_discontinuity<T, B>;
    using count =
        rocprim::block_histogram<T, B, I, 32, rocprim::block_histogram_algorithm::using_atomic>;
    using count_sorted =
        rocprim::block_histogram<T, B, I, 32, rocprim::block_histogram_algorithm::using_sort>;
    __shared__ typename flag::storage_type storage;
    __shared__ typename count::storage_type count_storage;
    __shared__ typename count_sorted::storage_type sorted_storage;
    __shared__ unsigned hist[32], hist_sorted[32];
    T items[I];
    int head[I], tail[I];
    const unsigned first = blockIdx.x * B * I;

    rocprim::block_load_direct_blocked(threadIdx.x, in + first, items);
    flag().flag_heads_and_tails(head, tail, items, rocprim::not_equal_to<T>(), storage);
    for (unsigned i = 0; i < I; i++)
        flags[first + threadIdx.x * I + i] = head[i] + 2 * tail[i];
    count().histogram(items, hist, count_storage);
    count_sorted().histogram(items, hist_sorted, sorted_storage);
    rocprim::syncthreads();
    if (threadIdx.x < 32) {
        bins[blockIdx.x * 32 + threadIdx.x] = hist[threadIdx.x];
        bins_sorted[blockIdx.x * 32 + threadIdx.x] = hist_sorted[threadIdx.x];
    }
}

template <class T, unsigned B, unsigned I> static void
test_flags()
{
    const unsigned size = B * I;
    std::vector<T> in = numbers<T>(n_blocks * size, 3);
    std::vector<int> flags(in.size());
    std::vector<unsigned> bins(n_blocks * 32);
    buffer<T> d_in(in);
    buffer<int> d_flags(in.size());
    buffer<unsigned> d_bins(bins.size()), d_sorted(bins.size());

    for (unsigned i = 0; i < in.size(); i++) {
        bool head = i % size == 0 || in[i] != in[i - 1];
        bool tail = (i + 1) % size == 0 || in[i] != in[i + 1];
        flags[i] = head + 2 * tail;
        bins[i / size * 32 + (unsigned)in[i]]++;
    }
    k_flags<T, B, I><<<n_blocks, B>>>(d_in.ptr, d_flags.ptr, d_bins.ptr, d_sorted.ptr);
    CHECK_RUN();
    compare("block discontinuity", d_flags.get(), flags);
    compare("block histogram", d_bins.get(), bins);
    compare("block histogram by sorting", d_sorted.get(), bins);
}

/* Logical warps of W lanes. W that is no power of two goes through LDS without barriers. */
template <class T, unsigned W, unsigned B>
__global__ __launch_bounds__(B) void
k_warp(const T *in, T *sum, T *inc, T *exc, T *total, T *heads)
{
    using reduce = rocprim::warp_reduce<T, W, true>;
    using segments = rocprim::warp_reduce<T, W>;
    using scan = rocprim::warp_scan<T, W>;
    __shared__ typename reduce::storage_type r[B / W];
    __shared__ typename segments::storage_type s[B / W];
    __shared__ typename scan::storage_type c[B / W];
    const unsigned i = blockIdx.x * B + threadIdx.x, warp = threadIdx.x / W, lid = threadIdx.x % W;
    T mine = in[i], out = mine, out2 = mine, all = mine;

    reduce().reduce(mine, out, r[warp], rocprim::plus<T>());
    sum[i] = out;
    scan().scan(mine, out, out2, (T)2, all, c[warp], rocprim::plus<T>());
    inc[i] = out;
    exc[i] = out2;
    total[i] = all;
    segments().head_segmented_reduce(mine, out, lid % 4 == 0, s[warp], rocprim::plus<T>());
    heads[i] = lid % 4 == 0 ? out : mine;
}

template <class T, unsigned W> static void
test_warp()
{
    constexpr unsigned B = 32 / W * W;
    std::vector<T> in = numbers<T>(n_blocks * B, 4), sum(in), inc(in), exc(in), heads(in);
    buffer<T> d_in(in), d_sum(in.size()), d_inc(in.size()), d_exc(in.size()), d_total(in.size()),
        d_heads(in.size());

    for (unsigned first = 0; first < in.size(); first += W) {
        T s = (T)0;
        for (unsigned l = 0; l < W; l++) {
            exc[first + l] = (T)(s + (T)2);
            s = (T)(s + in[first + l]);
            inc[first + l] = s;
            if (l % 4)
                heads[first + l / 4 * 4] = (T)(heads[first + l / 4 * 4] + in[first + l]);
        }
        for (unsigned l = 0; l < W; l++)
            sum[first + l] = s;
    }
    k_warp<T, W, B><<<n_blocks, B>>>(d_in.ptr, d_sum.ptr, d_inc.ptr, d_exc.ptr, d_total.ptr,
                                     d_heads.ptr);
    CHECK_RUN();
    compare("warp reduce", d_sum.get(), sum);
    compare("warp scan, inclusive", d_inc.get(), inc);
    compare("warp scan, exclusive", d_exc.get(), exc);
    compare("warp scan, sum", d_total.get(), sum);
    compare("warp reduce by heads", d_heads.get(), heads);
}

template <class T, unsigned W, unsigned I, int M>
__global__ __launch_bounds__(128) void
k_warp_io(T *in, T *out, T *striped)
{
    using namespace rocprim;
    constexpr auto from =
        M == 0 ? warp_load_method::warp_load_vectorize : warp_load_method::warp_load_transpose;
    constexpr auto to =
        M == 0 ? warp_store_method::warp_store_transpose : warp_store_method::warp_store_vectorize;
    using load = warp_load<T, I, W, from>;
    using store = warp_store<T, I, W, to>;
    using exchange = warp_exchange<T, I, W>;
    __shared__ typename load::storage_type l[128 / W];
    __shared__ typename store::storage_type s[128 / W];
    __shared__ typename exchange::storage_type e[128 / W];
    const unsigned warp = threadIdx.x / W, first = (blockIdx.x * 128 + warp * W) * I;
    T items[I], other[I];

    load().load(in + first, items, l[warp]);
    exchange().blocked_to_striped(items, other, e[warp]);
    for (unsigned i = 0; i < I; i++)
        striped[first + threadIdx.x % W * I + i] = other[i];
    exchange().striped_to_blocked(other, items, e[warp]);
    store().store(out + first, items, s[warp]);
}

template <class T, unsigned W, unsigned I, int M> static void
test_warp_io(const std::vector<T> &in)
{
    std::vector<T> striped(in.size());
    buffer<T> d_in(in), d_out(in.size()), d_striped(in.size());

    for (unsigned i = 0; i < in.size(); i++)
        striped[i] = in[i / (W * I) * W * I + i % I * W + i % (W * I) / I];
    k_warp_io<T, W, I, M>
        <<<(unsigned)in.size() / (128 * I), 128>>>(d_in.ptr, d_out.ptr, d_striped.ptr);
    CHECK_RUN();
    compare("warp load and store", d_out.get(), in);
    compare("warp exchange", d_striped.get(), striped);
}

static std::vector<odd>
odds(unsigned n)
{
    std::vector<odd> v(n);

    for (unsigned i = 0; i < n; i++)
        v[i] = {(short)next_random(),
                {(unsigned char)i, (unsigned char)(i >> 8), (unsigned char)next_random()}};
    return v;
}

int
main()
{
    using scan_by = rocprim::block_scan_algorithm;
    using reduce_by = rocprim::block_reduce_algorithm;
    hipDeviceProp_t p;

    CHECK_HIP(hipGetDeviceProperties(&p, 0));
    test_scan<int, 256, 4, scan_by::using_warp_scan, 1>();
    test_scan<double, 128, 3, scan_by::reduce_then_scan, 2>();
    test_scan<unsigned char, 162, 1, scan_by::using_warp_scan, 0>();
    test_scan<float, 192, 8, scan_by::using_warp_scan, 3>();
    test_reduce<int, 256, 3, reduce_by::using_warp_reduce>();
    test_reduce<unsigned char, 37, 2, reduce_by::using_warp_reduce>();
    test_reduce<double, 128, 4, reduce_by::raking_reduce>();
    test_reduce<float, 192, 1, reduce_by::raking_reduce_commutative_only>();
    test_radix_sort<unsigned, odd, 64, 5>();
    test_radix_sort<float, pair_of, 128, 1>();
    test_radix_sort<unsigned char, pair_of, 192, 3>();
    test_block_sort<int, odd, 256, 1>();
    test_block_sort<double, pair_of, 100, 1>();
    test_block_sort<long long, odd, 64, 4>();
    test_warp_sort<int, odd, 32>();
    test_warp_sort<unsigned char, pair_of, 8>();
    test_exchange<int, 128, 4>(numbers<int>(n_blocks * 128 * 4, 1000));
    test_exchange<odd, 192, 3>(odds(n_blocks * 192 * 3));
    test_shuffle<double, 128>(numbers<double>(n_blocks * 128, 1000));
    test_shuffle<odd, 100>(odds(n_blocks * 100));
    test_flags<int, 128, 3>();
    test_flags<unsigned char, 64, 7>();
    test_warp<int, 32>();
    test_warp<double, 8>();
    test_warp<unsigned char, 15>();
    test_warp<float, 3>();
    test_warp_io<int, 16, 4, 0>(numbers<int>(128 * 8, 1000));
    test_warp_io<unsigned char, 32, 5, 1>(numbers<unsigned char>(128 * 10, 200));
    test_warp_io<odd, 8, 3, 1>(odds(128 * 6));
    return 0;
}
