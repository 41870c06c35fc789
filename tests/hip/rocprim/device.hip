/* SPDX-License-Identifier: MIT */
/* Device-level rocPRIM (the distribution's package) against the host: sizes around the tiles'
 * edges, several types. */
// FLAGS: -isystem $SOURCE/.packages/librocprim-dev/usr/include
// NEEDS: .packages/librocprim-dev
// OPT: -O3
// ISA: native
// TIMEOUT: 240
// SCALAR: no, its blocks are made of what warps do
#include "../check.h"

#include <rocprim/rocprim.hpp>

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "storage.h"

template <class T> static void
test_reduce(size_t n)
{
    std::vector<T> in = numbers<T>(n, sizeof(T) == 1 ? 3 : 100);
    buffer<T> d_in(in), d_out(1);
    T sum = (T)5, most = (T)0;

    for (T x : in) {
        sum = (T)(sum + x);
        most = std::max(most, x);
    }
    with_storage([&](void *t, size_t &b) {
        return rocprim::reduce(t, b, d_in.ptr, d_out.ptr, (T)5, n, rocprim::plus<T>());
    });
    compare("reduce", d_out.get(), {sum});
    with_storage([&](void *t, size_t &b) {
        return rocprim::reduce(t, b, d_in.ptr, d_out.ptr, (T)0, n, rocprim::maximum<T>());
    });
    compare("reduce maximum", d_out.get(), {most});
}

template <class T> static void
test_scan(size_t n)
{
    std::vector<T> in = numbers<T>(n, 4), inc(n), exc(n);
    buffer<T> d_in(in), d_out(n);
    T sum = (T)0;

    for (size_t i = 0; i < n; i++) {
        exc[i] = (T)(sum + (T)9);
        sum = (T)(sum + in[i]);
        inc[i] = sum;
    }
    with_storage([&](void *t, size_t &b) {
        return rocprim::inclusive_scan(t, b, d_in.ptr, d_out.ptr, n, rocprim::plus<T>());
    });
    compare("inclusive_scan", d_out.get(), inc);
    with_storage([&](void *t, size_t &b) {
        return rocprim::exclusive_scan(t, b, d_in.ptr, d_out.ptr, (T)9, n, rocprim::plus<T>());
    });
    compare("exclusive_scan", d_out.get(), exc);
}

static void
test_struct_scan(size_t n)
{
    std::vector<pair_of> in(n), want(n);
    buffer<pair_of> d_out(n), d_sum(1);
    pair_of sum = {0, 0};

    for (size_t i = 0; i < n; i++) {
        in[i] = {(int)(next_random() % 50), (double)(next_random() % 50)};
        sum = add_pairs()(sum, in[i]);
        want[i] = sum;
    }
    buffer<pair_of> d_in(in);
    with_storage([&](void *t, size_t &b) {
        return rocprim::inclusive_scan(t, b, d_in.ptr, d_out.ptr, n, add_pairs());
    });
    compare("inclusive_scan of structs", d_out.get(), want);
    with_storage([&](void *t, size_t &b) {
        return rocprim::reduce(t, b, d_in.ptr, d_sum.ptr, pair_of{0, 0}, n, add_pairs());
    });
    compare("reduce of structs", d_sum.get(), {sum});
}

/* Any bits, but no NaNs: those have no order. */
template <class T> static std::vector<T>
keys_of(size_t n)
{
    std::vector<T> v(n);

    for (T &x : v) {
        uint64_t bits = (uint64_t)next_random() << 32 ^ next_random();

        if (std::is_floating_point<T>::value)
            x = (T)(int)bits / (T)64;
        else
            x = (T)bits;
    }
    return v;
}

template <class K, class V> static void
test_radix_sort(size_t n)
{
    std::vector<K> keys = keys_of<K>(n), want = keys;
    std::vector<V> values(n), moved(n);
    std::vector<size_t> order(n);
    buffer<K> d_in(keys), d_out(n);
    buffer<V> d_moved(n);

    for (size_t i = 0; i < n; i++)
        values[i] = (V)i;
    buffer<V> d_values(values);
    std::sort(want.begin(), want.end());
    with_storage([&](void *t, size_t &b) {
        return rocprim::radix_sort_keys(t, b, d_in.ptr, d_out.ptr, n);
    });
    compare("radix_sort_keys", d_out.get(), want);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return keys[b] < keys[a]; });
    for (size_t i = 0; i < n; i++) {
        want[i] = keys[order[i]];
        moved[i] = values[order[i]];
    }
    with_storage([&](void *t, size_t &b) {
        return rocprim::radix_sort_pairs_desc(t, b, d_in.ptr, d_out.ptr, d_values.ptr, d_moved.ptr,
                                              n);
    });
    compare("radix_sort_pairs_desc, keys", d_out.get(), want);
    compare("radix_sort_pairs_desc, values", d_moved.get(), moved);
}

template <class K> static void
test_merge_sort(size_t n)
{
    std::vector<K> keys = numbers<K>(n, 200), want(n);
    std::vector<odd> values(n), moved(n);
    std::vector<size_t> order(n);
    buffer<K> d_in(keys), d_out(n);
    buffer<odd> d_moved(n);

    for (size_t i = 0; i < n; i++)
        values[i] = {(short)i, {(unsigned char)(i >> 4), (unsigned char)(i >> 11), 7}};
    buffer<odd> d_values(values);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return keys[a] < keys[b]; });
    for (size_t i = 0; i < n; i++) {
        want[i] = keys[order[i]];
        moved[i] = values[order[i]];
    }
    with_storage([&](void *t, size_t &b) {
        return rocprim::merge_sort(t, b, d_in.ptr, d_out.ptr, d_values.ptr, d_moved.ptr, n,
                                   rocprim::less<K>());
    });
    compare("merge_sort, keys", d_out.get(), want);
    compare("merge_sort, values", d_moved.get(), moved);
}

template <class T> static void
test_select(size_t n)
{
    std::vector<T> in = numbers<T>(n, 7), want, rest, unique;
    std::vector<unsigned char> flags = numbers<unsigned char>(n, 2);
    buffer<T> d_in(in), d_out(n);
    buffer<unsigned char> d_flags(flags);
    buffer<unsigned> d_n(1);
    auto small = [] __device__ __host__(const T &x) { return x < (T)3; };

    for (size_t i = 0; i < n; i++) {
        if (flags[i])
            want.push_back(in[i]);
        if (i == 0 || !(in[i] == in[i - 1]))
            unique.push_back(in[i]);
    }
    with_storage([&](void *t, size_t &b) {
        return rocprim::select(t, b, d_in.ptr, d_flags.ptr, d_out.ptr, d_n.ptr, n);
    });
    compare("select by flags", d_out.get(d_n.get()[0]), want);
    with_storage([&](void *t, size_t &b) {
        return rocprim::unique(t, b, d_in.ptr, d_out.ptr, d_n.ptr, n, rocprim::equal_to<T>());
    });
    compare("unique", d_out.get(d_n.get()[0]), unique);

    want.clear();
    for (size_t i = 0; i < n; i++)
        (small(in[i]) ? want : rest).push_back(in[i]);
    with_storage([&](void *t, size_t &b) {
        return rocprim::select(t, b, d_in.ptr, d_out.ptr, d_n.ptr, n, small);
    });
    compare("select by predicate", d_out.get(d_n.get()[0]), want);
    with_storage([&](void *t, size_t &b) {
        return rocprim::partition(t, b, d_in.ptr, d_out.ptr, d_n.ptr, n, small);
    });
    compare("partition, how many", d_n.get(), {(unsigned)want.size()});
    want.insert(want.end(), rest.rbegin(), rest.rend());
    compare("partition", d_out.get(), want);
}

template <class T> static void
test_histogram(size_t n)
{
    constexpr unsigned bins = 37;
    std::vector<T> in = numbers<T>(n, 100);
    std::vector<unsigned> want(bins);
    std::vector<T> levels = {(T)0, (T)3, (T)10, (T)40, (T)90};
    buffer<T> d_in(in), d_levels(levels);
    buffer<unsigned> d_bins(bins);

    for (T x : in)
        if (x < (T)(2 * bins))
            want[(unsigned)x / 2]++;
    with_storage([&](void *t, size_t &b) {
        return rocprim::histogram_even(t, b, d_in.ptr, (unsigned)n, d_bins.ptr, bins + 1, (T)0,
                                       (T)(2 * bins));
    });
    compare("histogram_even", d_bins.get(), want);
    want.assign(levels.size() - 1, 0);
    for (T x : in)
        for (size_t i = 0; i + 1 < levels.size(); i++)
            want[i] += x >= levels[i] && x < levels[i + 1];
    with_storage([&](void *t, size_t &b) {
        return rocprim::histogram_range(t, b, d_in.ptr, (unsigned)n, d_bins.ptr,
                                        (unsigned)levels.size(), d_levels.ptr);
    });
    compare("histogram_range", d_bins.get(levels.size() - 1), want);
}

template <class T> static void
test_runs(size_t n)
{
    std::vector<T> in = numbers<T>(n, 2), first, sums;
    std::vector<unsigned> length;
    std::vector<T> values = numbers<T>(n, 3);
    buffer<T> d_in(in), d_first(n), d_values(values), d_sums(n);
    buffer<unsigned> d_length(n), d_n(1);

    for (size_t i = 0; i < n; i++)
        if (i > 0 && in[i] == in[i - 1]) {
            length.back()++;
            sums.back() = (T)(sums.back() + values[i]);
        } else {
            first.push_back(in[i]);
            length.push_back(1);
            sums.push_back(values[i]);
        }
    with_storage([&](void *t, size_t &b) {
        return rocprim::run_length_encode(t, b, d_in.ptr, (unsigned)n, d_first.ptr, d_length.ptr,
                                          d_n.ptr);
    });
    compare("run_length_encode, runs", d_n.get(), {(unsigned)first.size()});
    compare("run_length_encode, values", d_first.get(first.size()), first);
    compare("run_length_encode, lengths", d_length.get(first.size()), length);
    with_storage([&](void *t, size_t &b) {
        return rocprim::reduce_by_key(t, b, d_in.ptr, d_values.ptr, (unsigned)n, d_first.ptr,
                                      d_sums.ptr, d_n.ptr);
    });
    compare("reduce_by_key, runs", d_n.get(), {(unsigned)first.size()});
    compare("reduce_by_key, keys", d_first.get(first.size()), first);
    compare("reduce_by_key, sums", d_sums.get(first.size()), sums);
}

template <class T> static void
test_transform(size_t n)
{
    std::vector<T> a = numbers<T>(n, 60), b = numbers<T>(n, 60), want(n);
    buffer<T> d_a(a), d_b(b), d_out(n);

    for (size_t i = 0; i < n; i++)
        want[i] = (T)(a[i] + (T)(b[i] * (T)2));
    CHECK_HIP(rocprim::transform(d_a.ptr, d_b.ptr, d_out.ptr, n,
                                 [] __device__(T x, T y) { return (T)(x + (T)(y * (T)2)); }));
    compare("transform", d_out.get(), want);
}

/* Items with constructors, which rocPRIM keeps in private memory across barriers. */
static void
test_made(size_t n)
{
    std::vector<int> key = numbers<int>(n, 2), key_first;
    std::vector<made> value(n), least;
    buffer<int> d_key(key), d_first(n);
    buffer<made> d_least(n);
    buffer<unsigned> d_n(1);

    for (size_t i = 0; i < n; i++) {
        value[i] = made(next_random() % 9, next_random() % 9);
        if (i == 0 || key[i] != key[i - 1]) {
            key_first.push_back(key[i]);
            least.push_back(value[i]);
        } else if (value[i] < least.back()) {
            least.back() = value[i];
        }
    }
    buffer<made> d_value(value);
    with_storage([&](void *t, size_t &b) {
        return rocprim::reduce_by_key(t, b, d_key.ptr, d_value.ptr, (unsigned)n, d_first.ptr,
                                      d_least.ptr, d_n.ptr, rocprim::minimum<made>());
    });
    compare("reduce_by_key with constructors, runs", d_n.get(), {(unsigned)least.size()});
    compare("reduce_by_key with constructors, keys", d_first.get(least.size()), key_first);
    compare("reduce_by_key with constructors, least", d_least.get(least.size()), least);
}

int
main()
{
    for (size_t n : {0, 1, 257, 4099, 100003}) {
        test_reduce<double>(n);
        test_reduce<unsigned char>(n);
        test_scan<int>(n);
        test_scan<double>(n);
        test_struct_scan(n);
        test_radix_sort<float, short>(n);
        test_radix_sort<long long, unsigned char>(n);
        test_merge_sort<int>(n);
        test_select<unsigned char>(n);
        test_select<double>(n);
        test_histogram<int>(n);
        test_runs<int>(n);
        test_made(n);
        test_transform<float>(n);
        test_transform<unsigned char>(n);
    }
    return 0;
}
