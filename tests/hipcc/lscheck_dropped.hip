/* SPDX-License-Identifier: MIT */
/* Faults that can't be anything else, which LLVM's passes therefore drop, and their repaired twins:
 * `bad` runs the faults, `good` the twins. A fault's report stands at the line that is marked:
 * FAULT, name, kind. */
#include <hip/hip_runtime.h>

#include <cstring>

enum { BLOCK = 64 };

struct pair {
    short x, y;
};

__constant__ int table[BLOCK];

template <bool good>
__global__ void
copy_to_null(pair *v)
{
    if (good)
        __builtin_memcpy(v + BLOCK + threadIdx.x, v + threadIdx.x, sizeof(pair));
    else
        __builtin_memcpy((void *)nullptr, v, sizeof(pair)); // FAULT to-null null-pointer
}

template <bool good>
__global__ void
copy_from_null(pair *v)
{
    if (good)
        __builtin_memcpy(v + BLOCK + threadIdx.x, v + threadIdx.x, sizeof(pair));
    else
        __builtin_memcpy(v, (void *)nullptr, sizeof(pair)); // FAULT from-null null-pointer
}

/* Of two functions, as a call through a pointer of one type could go to one alone. */
__device__ void
twice(pair *v)
{
    v->x *= 2;
}

__device__ void
thrice(pair *v)
{
    v->x *= 3;
}

template <bool good>
__global__ void
call(pair *v, int n)
{
    void (*f)(pair *);

    if (n == 1)
        f = twice;
    else if (n == 2)
        f = thrice;
    else
        f = nullptr;
    f(v + threadIdx.x); // FAULT null-call null-function
}

template <bool good>
__global__ void
write_constant(pair *v)
{
    if (good)
        v[threadIdx.x].x = (short)table[threadIdx.x];
    else
        table[threadIdx.x] = v[threadIdx.x].x; // FAULT constant read-only
}

static pair *
pairs()
{
    pair *v;

    if (hipMalloc(&v, 2 * BLOCK * sizeof(pair)) || hipMemset(v, 0, 2 * BLOCK * sizeof(pair)))
        __builtin_trap();
    return v;
}

/* A fault ends all work of its process's device. */
static void
done()
{
    if (hipDeviceSynchronize() && hipDeviceReset())
        __builtin_trap();
}

template <bool good>
static void
run()
{
    copy_to_null<good><<<1, BLOCK>>>(pairs());
    done();
    copy_from_null<good><<<1, BLOCK>>>(pairs());
    done();
    call<good><<<1, BLOCK>>>(pairs(), good ? 2 : 3);
    done();
    write_constant<good><<<1, BLOCK>>>(pairs());
    done();
}

int
main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (!strcmp(argv[1], "good"))
        run<true>();
    else
        run<false>();
    return 0;
}
