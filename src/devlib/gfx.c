/* SPDX-License-Identifier: MIT */
/* Our own services for genuine AMD code objects, where no lowering of ours stands behind them. */

#include "devlib.h"

#define LS_GFX __attribute__((visibility("hidden")))

void __ockl_grid_sync(void);

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

LS_GFX void __ls_grid_sync(void);
LS_GFX void
__ls_grid_sync(void)
{
    __ockl_grid_sync();
}

/* The instruction flushes denormal inputs: scale them up by an even power of two. */
LS_GFX float __ls_rsqrt_f32(float x);
LS_GFX float
__ls_rsqrt_f32(float x)
{
    bool small = x < 0x1p-100f;
    float r = __builtin_amdgcn_rsqf(small ? x * 0x1p24f : x);

    return small ? r * 0x1p12f : r;
}
