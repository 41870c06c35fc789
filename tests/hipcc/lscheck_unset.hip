/* SPDX-License-Identifier: MIT */
/* Variables of a thread that it reads before it has written them, which lscheck finds, and their
 * repaired twins: `bad` runs the faults, `good` the twins. The reads that are reported are marked:
 * FAULT, name, kind. Scalars are there without optimisation alone: ANY stands for those that are
 * found with it, too. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

enum { BLOCK = 64 };

struct point {
    float x, y;
    int n;
};

struct bits {
    unsigned a : 3, b : 5, c : 8;
};

template <bool good>
__global__ void
branch(int *v, const int *index, int n)
{
    int x;

    if (n > 5 || good)
        x = 3;
    v[threadIdx.x] = x; // FAULT branch uninitialised-variable
}

template <bool good>
__global__ void
some_lanes(int *v, const int *index, int n)
{
    int t = threadIdx.x, x;

    if (t < 50 || good)
        x = index[t & 15];
    if (t < 60)
        v[t] = x + 1; // FAULT some-lanes uninitialised-variable
}

template <bool good>
__global__ void
no_start(int *v, const int *index, int n)
{
    int sum;

    if (good)
        sum = 0;
    for (int i = 0; i < n; i++)
        sum += index[i]; // FAULT no-start uninitialised-variable
    v[threadIdx.x] = sum;
}

template <bool good>
__global__ void
member(int *v, const int *index, int n)
{
    point p;

    p.x = 1;
    if (good)
        p.y = 2;
    v[threadIdx.x] = (int)(p.x + p.y); // FAULT member uninitialised-variable
}

template <bool good>
__global__ void
copied(int *v, const int *index, int n)
{
    point p, q;

    p.x = 1;
    p.n = 2;
    q = p;
    v[threadIdx.x] = good ? q.n : (int)q.y; // FAULT copied uninitialised-variable
}

template <bool good>
__global__ void
vector(int *v, const int *index, int n)
{
    float4 f;

    f.x = 1;
    f.y = 2;
    v[threadIdx.x] = (int)(good ? f.y : f.z); // FAULT vector uninitialised-variable
}

__device__ void
set_if(int *to, int n)
{
    if (n > 5)
        *to = n;
}

template <bool good>
__global__ void
by_address(int *v, const int *index, int n)
{
    int x;

    set_if(&x, good ? 6 : n);
    v[threadIdx.x] = x; // FAULT by-address uninitialised-variable
}

template <bool good>
__global__ void
decides(int *v, const int *index, int n)
{
    bool found;

    for (int i = 0; i < n; i++)
        if (index[i] == (good ? 2 : 99))
            found = true;
    v[threadIdx.x] = 0;
    if (found) // FAULT decides uninitialised-variable
        v[threadIdx.x] = 1;
}

template <bool good>
__global__ void
place(int *v, const int *index, int n)
{
    int at;

    if (n == (good ? 5 : 4))
        at = threadIdx.x;
    v[at & 63] = 1; // FAULT place uninitialised-variable
}

/* A part that nobody has written may be of no use to the program, as in the twin. */
template <bool good>
__global__ void
given_away(int *v, const int *index, int n)
{
    point p;

    if (good)
        p.n = n;
    ((point *)v)[threadIdx.x] = p; // FAULT given-away uninitialised-variable
}

__device__ void
give(point *to, const point &p)
{
    *to = p; // FAULT given-shared uninitialised-variable
}

template <bool good>
__global__ void
given_shared(int *v, const int *index, int n)
{
    __shared__ point all[BLOCK];
    point p, q;

    give(&q, p); /* to memory of its own: nobody has read it */
    if (good)
        q = {1, 2, n};
    give(&all[threadIdx.x], q);
    v[threadIdx.x] = n;
}

/* Arrays, also with optimisation. */

template <bool good>
__global__ void
small_array(int *v, const int *index, int n)
{
    int a[16], sum = 0;

    for (int i = 0; i < (good ? 16 : 15); i++)
        a[index[i]] = i;
    for (int i = 0; i < 16; i++)
        sum += a[index[15 - i]]; // FAULT small-array uninitialised-variable ANY
    v[threadIdx.x] = sum;
}

template <bool good>
__global__ void
large_array(int *v, const int *index, int n)
{
    int a[200], sum = 0;

    for (int i = 0; i < (good ? 16 : 15); i++)
        a[index[i] * n] = i;
    for (int i = 0; i < 16; i++)
        sum += a[index[15 - i] * n]; // FAULT large-array uninitialised-variable ANY
    v[threadIdx.x] = sum;
}

__device__ void
fill(int *a, const int *index, int n)
{
    for (int i = 0; i < n; i++)
        a[index[i] * 5] = i;
}

__device__ int
total(const int *a, const int *index, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[index[i] * 5]; // FAULT through-pointer uninitialised-variable ANY
    return sum;
}

template <bool good>
__global__ void
through_pointer(int *v, const int *index, int n)
{
    int a[100];

    fill(a, index, good ? 16 : 13);
    v[threadIdx.x] = total(a, index, 16);
}

template <bool good>
__global__ void
added_up(int *v, const int *index, int n)
{
    float a[40];

    for (int i = 0; good && i < 40; i++)
        a[i] = 0;
    for (int i = 0; i < 16; i++)
        a[index[i] * 2] += (float)i;
    v[threadIdx.x] = (int)a[index[3] * 2]; // FAULT added-up uninitialised-variable
}

template <bool good>
__global__ void
stack(int *v, const int *index, int n)
{
    int all[64], top = 0, sum = 0;

    all[top++] = index[threadIdx.x & 15];
    while (top > 0) {
        int x = all[--top + (good ? 0 : 1)]; // FAULT stack uninitialised-variable ANY

        sum += x;
        if (x > 1 && top < 60) {
            all[top++] = x / 2;
            all[top++] = x - x / 2 - 1;
        }
    }
    v[threadIdx.x] = sum;
}

/* ---- What is right ---- */

/* Read early by the optimiser, not by the program. */
__global__ void
best(int *v, const int *index, int n)
{
    int at[4], large[64], k = 0;

    for (int i = 0; i < n; i++)
        if (index[i] < 0)
            large[k & 63] = at[k++ & 3] = i;
    v[threadIdx.x] = k > 0 ? at[(k - 1) & 3] * 2 + large[(k - 1) & 63] : 0;
}

/* Only the first lane's value is used. */
__global__ void
first_lane(int *v, const int *index, int n)
{
    int x;

    if (threadIdx.x % 32 == 0)
        x = index[3];
    v[threadIdx.x] = __shfl(x, 0, 32);
}

/* Fields share a word; padding is copied with the rest. */
__global__ void
fields(int *v, const int *index, int n)
{
    bits b;
    point p, *q = (point *)v;

    b.a = 1;
    b.b = 2;
    b.c = 3;
    p.x = 1;
    p.y = 2;
    p.n = b.a + b.b + b.c;
    q[threadIdx.x] = p;
}

/* A value that nobody uses is copied. */
__global__ void
unused(int *v, const int *index, int n)
{
    int x, y;
    char raw[12];
    point p;

    if (n > 99)
        x = 1;
    y = x;
    p.x = 1;
    p.n = 4;
    memcpy(raw, &p, sizeof(p));
    memcpy(&p, raw, sizeof(p));
    if (n > 99)
        v[1] = y;
    v[threadIdx.x] = p.n;
}

/* Vectors of three are read as four elements. */
__global__ void
three(int *v, const int *index, int n)
{
    char3 a = {1, 2, 3}, b = {4, 5, (char)n}, c = a + b;

    v[threadIdx.x] = c.x + c.z;
}

template <bool good>
static void
run(int *v, const int *index)
{
    branch<good><<<1, BLOCK>>>(v, index, 5);
    some_lanes<good><<<1, BLOCK>>>(v, index, 5);
    no_start<good><<<1, BLOCK>>>(v, index, 5);
    member<good><<<1, BLOCK>>>(v, index, 5);
    copied<good><<<1, BLOCK>>>(v, index, 5);
    vector<good><<<1, BLOCK>>>(v, index, 5);
    by_address<good><<<1, BLOCK>>>(v, index, 5);
    decides<good><<<1, BLOCK>>>(v, index, 5);
    place<good><<<1, BLOCK>>>(v, index, 5);
    given_away<good><<<1, BLOCK>>>(v, index, 5);
    given_shared<good><<<1, BLOCK>>>(v, index, 5);
    small_array<good><<<1, BLOCK>>>(v, index, 5);
    large_array<good><<<1, BLOCK>>>(v, index, 5);
    through_pointer<good><<<1, BLOCK>>>(v, index, 5);
    added_up<good><<<1, BLOCK>>>(v, index, 5);
    stack<good><<<1, BLOCK>>>(v, index, 5);
    best<<<1, BLOCK>>>(v, index, 5);
    first_lane<<<1, BLOCK>>>(v, index, 5);
    fields<<<1, BLOCK>>>(v, index, 5);
    unused<<<1, BLOCK>>>(v, index, 5);
    three<<<1, BLOCK>>>(v, index, 5);
}

int
main(int argc, char **argv)
{
    int *v, *index, host[16];

    for (int i = 0; i < 16; i++)
        host[i] = i;
    if (hipMalloc(&v, 4096) != hipSuccess || hipMemset(v, 0, 4096) != hipSuccess ||
        hipMalloc(&index, sizeof(host)) != hipSuccess ||
        hipMemcpy(index, host, sizeof(host), hipMemcpyHostToDevice) != hipSuccess)
        return 3;
    if (argc > 1 && !strcmp(argv[1], "good"))
        run<true>(v, index);
    else
        run<false>(v, index);
    return hipDeviceSynchronize() != hipSuccess;
}
