/* SPDX-License-Identifier: MIT */
/* Every atomic on every type it has, in global memory and LDS, on one cell and on many. */
#include "../check.h"

/* OP(name, expression on cell p with operand v, serial form on x) for operations whose order does
 * not matter */
#define EACH_OP(OP)                                                                                \
    OP(add, atomicAdd(p, v), x = (T)(x + v))                                                       \
    OP(min, atomicMin(p, v), x = v < x ? v : x)                                                    \
    OP(max, atomicMax(p, v), x = v > x ? v : x)
#define INT_OP(OP)                                                                                 \
    OP(sub, atomicSub(p, v), x = (T)(x - v))                                                       \
    OP(and_, atomicAnd(p, (T)(v | (T)~(T)15)), x = (T)(x & (v | (T)~(T)15)))                       \
    OP(or_, atomicOr(p, v), x = (T)(x | v))                                                        \
    OP(xor_, atomicXor(p, v), x = (T)(x ^ v))

#define KERNEL(name, expression, serial)                                                           \
    template <typename T>                                                                          \
    __global__ void g_##name(T *cells, const T *in, int n, int n_cells)                            \
    {                                                                                              \
        int i = (int)global_id();                                                                  \
        if (i < n && i % 7 != 2) {                                                                 \
            T *p = cells + i % n_cells, v = in[i];                                                 \
            (void)(expression);                                                                    \
        }                                                                                          \
    }                                                                                              \
    template <typename T>                                                                          \
    __global__ void l_##name(T *cells, const T *in, int n, int n_cells)                            \
    {                                                                                              \
        __shared__ T lds[32];                                                                      \
        int t = (int)local_id();                                                                   \
        for (int k = t; k < n_cells; k += (int)block_threads())                                    \
            lds[k] = cells[k];                                                                     \
        __syncthreads();                                                                           \
        for (int i = t; i < n; i += (int)block_threads()) {                                        \
            if (i % 7 != 2) {                                                                      \
                T *p = lds + i % n_cells, v = in[i];                                               \
                (void)(expression);                                                                \
            }                                                                                      \
        }                                                                                          \
        __syncthreads();                                                                           \
        for (int k = t; k < n_cells; k += (int)block_threads())                                    \
            cells[k] = lds[k];                                                                     \
    }
EACH_OP(KERNEL)
INT_OP(KERNEL)

static const int N = 1000;

#define RUN(name, expression, serial)                                                              \
    for (int n_cells : {1, 5, 32}) {                                                               \
        {                                                                                          \
            const unsigned threads = 256;                                                          \
            std::vector<T> start(32, (T)20), want = start;                                         \
            for (int i = 0; i < N; i++) {                                                          \
                if (i % 7 != 2) {                                                                  \
                    T &x = want[i % n_cells], v = in[i];                                           \
                    serial;                                                                        \
                }                                                                                  \
            }                                                                                      \
            char label[80];                                                                        \
            snprintf(label, sizeof(label), "%s %s, %d cells, %u threads", #name, type, n_cells,    \
                     threads);                                                                     \
            Dev<T> cells(start);                                                                   \
            g_##name<T>                                                                            \
                <<<((unsigned)N + threads - 1) / threads, threads>>>(cells.p, din.p, N, n_cells);  \
            check_same(label, cells.get(), want);                                                  \
            cells.set(start);                                                                      \
            l_##name<T><<<1, threads>>>(cells.p, din.p, N, n_cells);                               \
            check_same(label, cells.get(), want);                                                  \
        }                                                                                          \
    }

template <typename T>
static void
each(const char *type)
{
    std::vector<T> in(N);

    for (int i = 0; i < N; i++)
        in[i] = (T)(mix((uint32_t)i) & 63);
    Dev<T> din(in);
    EACH_OP(RUN)
}

template <typename T>
static void
integer(const char *type)
{
    std::vector<T> in(N);

    for (int i = 0; i < N; i++)
        in[i] = (T)(mix((uint32_t)i) & 63);
    Dev<T> din(in);
    INT_OP(RUN)
}

int
main()
{
    each<int>("int");
    each<unsigned>("unsigned");
    each<unsigned long long>("unsigned long long");
    each<float>("float");
    each<double>("double");
    integer<int>("int");
    integer<unsigned>("unsigned");
    integer<unsigned long long>("unsigned long long");
    return 0;
}
