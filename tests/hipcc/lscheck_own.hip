/* SPDX-License-Identifier: MIT */
/* Races in kernels that look as if each thread had elements for itself, or as if memory was only
 * read. `bad` runs the faults, `good` their repaired twins, of the cases that are named, else of
 * all. The program makes no stream. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

enum { BLOCK = 64, BLOCKS = 6, N = BLOCK * BLOCKS, WORDS = 1 << 16 };

#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL __global__ void

static int *v;
static int **pointers;

struct two {
    long n;
    int *to;
    const int *from;
};
#pragma pack(push, 1)
struct packed {
    char c;
    int *to, *from;
};
#pragma pack(pop)

KERNEL
add_next(int *to, const int *from)
{
    to[I] = from[I + 1]; // FAULT the-same global-read/global-write
}

static void
the_same(bool good)
{
    add_next<<<BLOCKS, BLOCK>>>(v, good ? v + 4096 : v); /* one allocation, but other words */
}

KERNEL
shift(int *a, int *b)
{
    a[I] = 1; // FAULT two-views global-write
    b[I] = 2; // FAULT two-views global-write
}

static void
two_views(bool good)
{
    shift<<<BLOCKS, BLOCK>>>(v, good ? v + N : v + BLOCK);
}

KERNEL
rows(int *to, int n)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y;

    to[y * n + x] = x + 1000 * y; // FAULT narrow-rows global-write
}

static void
narrow_rows(bool good)
{
    rows<<<dim3(3, 4), dim3(32, 4)>>>(v, good ? 96 : 64);
}

KERNEL
line(int *to)
{
    to[I] = blockIdx.y + 1; // FAULT grid-of-rows global-write
}

static void
grid_of_rows(bool good)
{
    line<<<dim3(BLOCKS, good ? 1 : 2), BLOCK>>>(v);
}

KERNEL
layer(int *to)
{
    to[I] = blockIdx.z + 1; // FAULT grid-of-layers global-write
}

static void
grid_of_layers(bool good)
{
    layer<<<dim3(BLOCKS, 1, good ? 1 : 2), BLOCK>>>(v);
}

typedef long words __attribute__((aligned(4)));

KERNEL
wide(int *to)
{
    *(words *)(to + I) = I; // FAULT too-wide global-write
}

KERNEL
wide_right(int *to)
{
    *(words *)(to + 2 * I) = I;
}

static void
too_wide(bool good)
{
    (good ? wide_right : wide)<<<BLOCKS, BLOCK>>>(v);
}

KERNEL
both(int *to, int n)
{
    to[I] = 3; // FAULT another-index global-write
    if (n)
        to[N - 1 - I] = 4; // FAULT another-index global-write
}

static void
another_index(bool good)
{
    both<<<BLOCKS, BLOCK>>>(v, !good);
}

KERNEL
sum(int *to, int n)
{
    atomicAdd(&to[I % 8], 1); // FAULT atomic-and-plain global-write/global-read
    if (n && I == N - 1)
        to[40] = to[3]; // FAULT atomic-and-plain global-write/global-read
}

static void
atomic_and_plain(bool good)
{
    sum<<<BLOCKS, BLOCK>>>(v, !good);
}

KERNEL
by_structure(two t)
{
    t.to[I] = t.from[I + 1]; // FAULT by-structure global-read/global-write
}

static void
through_structure(bool good)
{
    by_structure<<<BLOCKS, BLOCK>>>(two{1, v, good ? v + 4096 : v});
}

KERNEL
by_packed(packed t)
{
    t.to[I] = t.from[I + 1]; // FAULT by-packed global-read/global-write
}

static void
through_packed(bool good)
{
    by_packed<<<BLOCKS, BLOCK>>>(packed{1, v, good ? v + 4096 : v});
}

KERNEL
by_pointers(int **to, const int *from)
{
    to[0][I] = from[I + 1]; // FAULT by-pointers global-read/global-write
}

static void
through_pointers(bool good)
{
    by_pointers<<<BLOCKS, BLOCK>>>(pointers, good ? v + 4096 : v);
}

KERNEL
by_number(unsigned long to, const int *from)
{
    ((int *)to)[I] = from[I + 1]; // FAULT by-number global-read/global-write
}

static void
through_number(bool good)
{
    by_number<<<BLOCKS, BLOCK>>>((unsigned long)v, good ? v + 4096 : v);
}

KERNEL
either(int *a, int *b, int *c, int n)
{
    int *to = n > 5 ? a : b;

    for (int i = 0; i < 2; i++, to += 4096)
        to[I] = c[I + 1]; // FAULT chosen global-read/global-write
}

static void
chosen(bool good)
{
    either<<<BLOCKS, BLOCK>>>(v + 20000, v, good ? v + 32768 : v, 1);
}

KERNEL
from_in_front(int *to, const int *from)
{
    to[I + 70000] = from[I + 1]; // FAULT in-front global-read/global-write
}

static void
in_front(bool good) /* the pointer itself points to no memory */
{
    from_in_front<<<BLOCKS, BLOCK>>>(v - 70000, good ? v + 4096 : v);
}

static const struct {
    const char *name;
    void (*run)(bool good);
} FAULTS[] = {
    {"the-same", the_same},
    {"two-views", two_views},
    {"narrow-rows", narrow_rows},
    {"grid-of-rows", grid_of_rows},
    {"grid-of-layers", grid_of_layers},
    {"too-wide", too_wide},
    {"another-index", another_index},
    {"atomic-and-plain", atomic_and_plain},
    {"by-structure", through_structure},
    {"by-packed", through_packed},
    {"by-pointers", through_pointers},
    {"by-number", through_number},
    {"chosen", chosen},
    {"in-front", in_front},
};

int
main(int argc, char **argv)
{
    bool good = argc > 1 && !strcmp(argv[1], "good");

    if (argc < 2 || hipMalloc(&v, WORDS * sizeof(int)) != hipSuccess ||
        hipMalloc(&pointers, sizeof(int *)) != hipSuccess ||
        hipMemcpy(pointers, &v, sizeof(v), hipMemcpyHostToDevice) != hipSuccess ||
        hipMemset(v, 1, WORDS * sizeof(int)) != hipSuccess)
        return 2;
    for (const auto &f : FAULTS)
        if (argc == 2 || !strcmp(f.name, argv[2]))
            f.run(good);
    hipError_t err = hipDeviceSynchronize();
    if (err != hipSuccess)
        fprintf(stderr, "%s\n", hipGetErrorString(err));
    return err != hipSuccess;
}
