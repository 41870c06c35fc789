/* SPDX-License-Identifier: MIT */
/* __constant__, __device__ with initialisers and pointers between them, __managed__, the symbol
 * API. */
#include "../check.h"

struct Row {
    int id;
    const int *where;
    float f[3];
};

__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__constant__ float scale;
__device__ int counter = 100;
__device__ int array[64];
__device__ int *pointer = &array[5];
__device__ Row rows[2] = {{7, &array[1], {0.5f, 1.5f, 2.5f}}, {8, &counter, {1, 2, 3}}};
__managed__ int managed = 11;
__managed__ int m = 5; /* the shortest name */
__device__ const char *text = "lockstep";
static __device__ double hidden = 2.5;
__device__ long long wide;

template <typename T>
__device__ T in_template = (T)6;

__global__ void
use(int *out)
{
    int i = (int)global_id();

    out[i] = table[i & 7] + (int)(scale * 2) + array[i & 63] + pointer[1] + rows[i & 1].id +
             (int)(rows[i & 1].f[i % 3] * 2) + text[i & 7] + (int)(hidden * 2) + managed +
             in_template<int> + table[2];
}

__global__ void
change()
{
    if (global_id() == 0) {
        counter = *rows[1].where + 1;
        *pointer = 1234;
        managed += 5;
        m *= 3;
        hidden *= 2;
        wide = -(1ll << 40);
        pointer = array + 9;
    }
    array[global_id() & 63] += 0;
}

int
main()
{
    std::vector<int> values(64), got(64), want(128);
    float s = 1.5f;
    int v = 0;
    size_t bytes = 0;
    void *address = nullptr;
    long long w = 0;
    Dev<int> out(128);

    for (int i = 0; i < 64; i++)
        values[i] = i * i;
    CHECK(managed == 11);
    managed = 12;
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(scale), &s, sizeof(s)));
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(array), values.data(), 64 * sizeof(int), 0,
                                hipMemcpyHostToDevice));
    use<<<4, 32>>>(out);
    const float f[2][3] = {{0.5f, 1.5f, 2.5f}, {1, 2, 3}};
    const int pi[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    for (int i = 0; i < 128; i++)
        want[i] = pi[i & 7] + 3 + values[i & 63] + values[6] + (i & 1 ? 8 : 7) +
                  (int)(f[i & 1][i % 3] * 2) + "lockstep"[i & 7] + 5 + 12 + 6 + 4;
    check_same("use", out.get(), want);

    change<<<1, 1>>>();
    CHECK_RUN();
    CHECK_HIP(hipMemcpyFromSymbol(&v, HIP_SYMBOL(counter), sizeof(v)));
    CHECK(v == 101);
    CHECK_HIP(hipMemcpyFromSymbol(&v, HIP_SYMBOL(array), sizeof(v), 5 * sizeof(int)));
    CHECK(v == 1234);
    CHECK(managed == 17);
    CHECK(m == 15);
    CHECK_HIP(hipMemcpyFromSymbol(&w, HIP_SYMBOL(wide), sizeof(w)));
    CHECK(w == -(1ll << 40));
    CHECK_HIP(hipGetSymbolSize(&bytes, HIP_SYMBOL(array)));
    CHECK(bytes == 64 * sizeof(int));
    CHECK_HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(array)));
    CHECK_HIP(hipMemcpy(got.data(), address, 64 * sizeof(int), hipMemcpyDeviceToHost));
    values[5] = 1234;
    check_same("array", got, values);
    v = 55;
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(array), &v, sizeof(v), 6 * sizeof(int)));
    use<<<4, 32>>>(out);
    CHECK(out.get()[0] == 3 + 3 + 0 + values[10] + 7 + 1 + 'l' + 10 + 17 + 6 + 4);
    return 0;
}
