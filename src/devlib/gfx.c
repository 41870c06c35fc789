/* SPDX-License-Identifier: MIT */
/* Our own services for genuine AMD code objects, where no lowering of ours stands behind them. */

#include "devlib.h"

#include "cube.h"

#define LS_GFX __attribute__((visibility("hidden")))

void __ockl_grid_sync(void);
size_t __ockl_get_global_size(uint32_t axis);

LS_GFX __attribute__((noreturn)) void __ls_assert_fail(const char *message, const char *file,
                                                       uint32_t line, const char *function);
LS_GFX void
__ls_assert_fail(const char *message, const char *file, uint32_t line, const char *function)
{
    (void)message;
    (void)file;
    (void)line;
    (void)function;
    __builtin_trap();
}

LS_GFX __attribute__((noreturn)) void __ls_abort(void);
LS_GFX void
__ls_abort(void)
{
    __builtin_trap();
}

LS_GFX void __ls_grid_sync(void);
LS_GFX void
__ls_grid_sync(void)
{
    __ockl_grid_sync();
}

/* Answers ockl.c's questions about multi-grid launches, by number: on AMD hardware a launch is
 * always a single grid. */
LS_GFX uint64_t __ls_multi_grid(uint32_t question);
LS_GFX uint64_t
__ls_multi_grid(uint32_t question)
{
    switch (question) {
    case 0: return 1; /* number of grids */
    case 3:
        return __ockl_get_global_size(0) * __ockl_get_global_size(1) * __ockl_get_global_size(2);
    default: return 0;
    }
}

/* Launching a graph from a kernel would need AMD's runtime to wait for such requests. */
LS_GFX int __ls_graph_launch(void *exec, void *stream);
LS_GFX int
__ls_graph_launch(void *exec, void *stream)
{
    (void)exec;
    (void)stream;
    return 801; /* hipErrorNotSupported */
}

/* printf of -mprintf-kind=buffered: room in the launch's buffer, which begins with how much is
 * taken and how much there is. ABI 5 has its address among the hidden arguments. */
#define PRINTF_BUFFER_OFFSET 72
#define LS_GLOBAL            __attribute__((address_space(1)))

LS_GFX LS_GLOBAL char *__printf_alloc(uint32_t bytes);
LS_GFX LS_GLOBAL char *
__printf_alloc(uint32_t bytes)
{
    const __attribute__((address_space(4))) char *hidden = __builtin_amdgcn_implicitarg_ptr();
    LS_GLOBAL uint32_t *buffer =
        *(LS_GLOBAL uint32_t *const
          __attribute__((address_space(4))) *)(hidden + PRINTF_BUFFER_OFFSET);
    uint32_t taken = __scoped_atomic_load_n(buffer, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);

    do
        if (taken + 8 + bytes > buffer[1])
            return 0;
    while (!__scoped_atomic_compare_exchange_n(buffer, &taken, taken + bytes, 0, __ATOMIC_RELAXED,
                                               __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE));
    return (LS_GLOBAL char *)(buffer + 2) + taken;
}

/* Atomic adds of pairs: compare and swap, repeated until no other thread has changed the value
 * meanwhile. */

typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef short short2 __attribute__((ext_vector_type(2)));
typedef uint32_t uint2 __attribute__((ext_vector_type(2)));
typedef float float2 __attribute__((ext_vector_type(2)));

static short2
add_bfloats(short2 a, short2 b)
{
    float2 x = __builtin_bit_cast(float2, __builtin_convertvector(a, uint2) << 16);
    float2 y = __builtin_bit_cast(float2, __builtin_convertvector(b, uint2) << 16);
    float2 sum = x + y;
    uint2 bits = __builtin_bit_cast(uint2, sum), nan = __builtin_bit_cast(uint2, sum != sum);
    uint2 rounded = bits + 0x7fff + (bits >> 16 & 1), quiet = bits | 0x400000;

    return __builtin_convertvector(((rounded & ~nan) | (quiet & nan)) >> 16, short2);
}

#define LS_ATOMIC_ADD_PAIR(name, pair, sum_of)                                                     \
    LS_GFX pair name(uint32_t *address, pair value);                                               \
    LS_GFX pair name(uint32_t *address, pair value)                                                \
    {                                                                                              \
        uint32_t old = __scoped_atomic_load_n(address, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE),   \
                 next;                                                                             \
        do {                                                                                       \
            next = __builtin_bit_cast(uint32_t, sum_of(__builtin_bit_cast(pair, old), value));     \
        } while (!__scoped_atomic_compare_exchange_n(address, &old, next, 0, __ATOMIC_RELAXED,     \
                                                     __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE));    \
        return __builtin_bit_cast(pair, old);                                                      \
    }

static half2
add_halves(half2 a, half2 b)
{
    return a + b;
}

LS_ATOMIC_ADD_PAIR(__ls_atomic_add_v2f16, half2, add_halves)
LS_ATOMIC_ADD_PAIR(__ls_atomic_add_v2bf16, short2, add_bfloats)

/* OCKL samples cubemaps, but not by gradient. The face's coordinates and their steps count as in
 * OCKL. */

typedef uint32_t uint4 __attribute__((ext_vector_type(4)));
typedef uint32_t uint8 __attribute__((ext_vector_type(8)));
typedef const __attribute__((address_space(4))) uint32_t *desc_t;
#define LS_EXTENDED __attribute__((target("extended-image-insts")))

float4 image_sample_d_cube(uint32_t mask, float dsdx, float dtdx, float dsdy, float dtdy, float s,
                           float t, float face, uint8 image, uint4 sampler, bool unnormalized,
                           uint32_t fail, uint32_t cache) LS_EXTENDED
    __asm("llvm.amdgcn.image.sample.d.cube.v4f32.f32.f32");

LS_EXTENDED static float4
sample_grad(desc_t i, desc_t s, float4 c, float4 dx, float4 dy, float layer)
{
    const __attribute__((address_space(4))) uint8 *image =
        (const __attribute__((address_space(4))) uint8 *)i;
    const __attribute__((address_space(4))) uint4 *sampler =
        (const __attribute__((address_space(4))) uint4 *)s;
    struct cube k = cube_of(c);
    float4 x = cube_step(c, dx), y = cube_step(c, dy);

    return image_sample_d_cube(15, x.x, x.y, y.x, y.y, 0.5f * (k.s / k.m) + 0.5f,
                               0.5f * (k.t / k.m) + 0.5f, layer * 8.0f + (float)k.face, *image,
                               *sampler, 0, 0, 0);
}

LS_GFX LS_EXTENDED float4 __ls_image_sample_grad_CM(desc_t i, desc_t s, float4 c, float4 dx,
                                                    float4 dy);
LS_GFX LS_EXTENDED float4
__ls_image_sample_grad_CM(desc_t i, desc_t s, float4 c, float4 dx, float4 dy)
{
    return sample_grad(i, s, c, dx, dy, 0.0f);
}

LS_GFX LS_EXTENDED float4 __ls_image_sample_grad_CMa(desc_t i, desc_t s, float4 c, float4 dx,
                                                     float4 dy);
LS_GFX LS_EXTENDED float4
__ls_image_sample_grad_CMa(desc_t i, desc_t s, float4 c, float4 dx, float4 dy)
{
    return sample_grad(i, s, c, dx, dy, __builtin_rintf(c.w));
}
