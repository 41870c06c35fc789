/* SPDX-License-Identifier: MIT */
/* Launches that write more than any cache holds may store past it: what they wrote is there for the
 * kernels, copies and host reads behind them, whatever the lines' alignment, the guard and the
 * element. */
#include "../check.h"

static const size_t n = (size_t)12 << 20; /* 48 MiB of int */

__device__ __host__ unsigned
scramble(unsigned i)
{
    return i * 2654435761u ^ i >> 7;
}

template <typename T>
__global__ void
write(T *__restrict__ out, size_t count, unsigned salt)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < count)
        out[i] = (T)scramble((unsigned)i + salt);
}

__global__ void
write4(uint4 *out, size_t count, unsigned salt)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < count)
        out[i] = make_uint4(scramble((unsigned)i + salt), (unsigned)i, salt, 7);
}

__global__ void
write_two(unsigned *__restrict__ a, unsigned *__restrict__ b, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    a[y * width + x] = scramble(y * width + x);
    if (x % 64 < 48)
        b[y * width + x] = scramble(x) + y;
}

/* The arrays in a struct that is an argument. */
struct Arrays {
    unsigned *__restrict__ out[2];
    const unsigned *__restrict__ in;
};

__global__ void
write_members(Arrays a, unsigned salt)
{
    unsigned i = global_id();

    a.out[0][i] = a.in[i] + salt;
    a.out[1][i] = a.in[i] ^ salt;
}

/* Reads what its neighbour in the block has just written. */
__global__ void
write_and_read(unsigned *out, unsigned *sums)
{
    unsigned i = global_id(), k = i ^ 1;

    out[i] = scramble(i);
    __syncthreads();
    sums[i] = out[k] + 1;
}

__global__ void
change(unsigned *p)
{
    p[global_id()] += 3;
}

__global__ void
count_wrong(const unsigned *p, unsigned salt, unsigned plus, unsigned *wrong)
{
    if (p[global_id()] != scramble(global_id() + salt) + plus)
        atomicAdd(wrong, 1);
}

template <typename T>
static void
check_written(T *out, size_t offset, unsigned salt)
{
    size_t count = n - offset - 11;
    std::vector<T> got(n);

    CHECK_HIP(hipMemset(out, 0x5a, n * sizeof(T)));
    write<<<(unsigned)((n + 255) / 256), 256>>>(out + offset, count, salt);
    CHECK_HIP(hipMemcpy(got.data(), out, n * sizeof(T), hipMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        if (got[offset + i] != (T)scramble((unsigned)i + salt))
            FAIL("element %zu of %zu bytes, offset %zu", i, sizeof(T), offset);
    CHECK(*(unsigned char *)&got[offset + count] == 0x5a);
    CHECK(offset == 0 || *(unsigned char *)&got[offset - 1] == 0x5a);
}

int
main()
{
    unsigned *a, *b, *wrong, n_wrong;
    const unsigned width = 4096, height = (unsigned)(n / width);
    std::vector<unsigned> got(n);

    CHECK_HIP(hipMalloc(&a, n * sizeof(double)));
    CHECK_HIP(hipMalloc(&b, n * sizeof(unsigned)));
    CHECK_HIP(hipMalloc(&wrong, sizeof(*wrong)));
    for (size_t offset : {0, 16, 1}) {
        check_written(a, offset, 5);
        check_written((double *)a, offset, 6);
        check_written((unsigned short *)a, offset, 7);
    }

    write4<<<(unsigned)(n / 2 / 512), 512>>>((uint4 *)a, n / 2, 8);
    CHECK_HIP(hipDeviceSynchronize());
    for (size_t i = 0; i < n / 2; i += 1001) {
        uint4 v;

        CHECK_HIP(hipMemcpy(&v, (uint4 *)a + i, sizeof(v), hipMemcpyDeviceToHost));
        CHECK(v.x == scramble((unsigned)i + 8) && v.y == i && v.z == 8 && v.w == 7);
    }

    CHECK_HIP(hipMemset(b, 1, n * sizeof(unsigned)));
    for (int k = 0; k < 12; k++) /* both forms are tried */
        write_members<<<(unsigned)(n / 2 / 256), 256>>>({{a, a + n / 2}, b}, (unsigned)k);
    CHECK_HIP(hipMemcpy(got.data(), a, n * 4, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < n / 2; i++)
        CHECK(got[i] == 0x01010101u + 11 && got[n / 2 + i] == (0x01010101u ^ 11));

    CHECK_HIP(hipMemset(b, 0, n * sizeof(unsigned)));
    write_two<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(a, b, (int)width);
    CHECK_HIP(hipMemcpy(got.data(), a, n * 4, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; i++)
        CHECK(got[i] == scramble(i));
    CHECK_HIP(hipMemcpy(got.data(), b, n * 4, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; i++)
        CHECK(got[i] == (i % width % 64 < 48 ? scramble(i % width) + i / width : 0));

    CHECK_HIP(hipMemset(wrong, 0, sizeof(*wrong)));
    write_and_read<<<(unsigned)(n / 256), 256>>>(a, b);
    change<<<(unsigned)(n / 256), 256>>>(a);
    count_wrong<<<(unsigned)(n / 256), 256>>>(a, 0, 3, wrong);
    CHECK_HIP(hipMemcpy(got.data(), b, n * 4, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; i++)
        CHECK(got[i] == scramble(i ^ 1) + 1);
    write<<<(unsigned)(n / 64), 64>>>(a, n, 9); /* the next one starts before the host knows */
    count_wrong<<<(unsigned)(n / 256), 256>>>(a, 9, 0, wrong);
    CHECK_HIP(hipMemcpy(&n_wrong, wrong, sizeof(n_wrong), hipMemcpyDeviceToHost));
    CHECK(n_wrong == 0);
    return 0;
}
