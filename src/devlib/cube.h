/* SPDX-License-Identifier: MIT */
/* Cubemaps: from directions to places on faces. */
#ifndef LS_DEVLIB_CUBE_H
#define LS_DEVLIB_CUBE_H

#include "devlib.h"

#define LS_INLINE static inline __attribute__((always_inline))

typedef float float4 __attribute__((ext_vector_type(4)));

/* A direction's major axis, and what lies across it: face coordinates are s / m and t / m. */
struct cube {
    int32_t face;
    float m, s, t;
};

LS_INLINE struct cube
cube_of(float4 c)
{
    float ax = __builtin_fabsf(c.x), ay = __builtin_fabsf(c.y), az = __builtin_fabsf(c.z);
    bool is_x = ax > ay && ax > az, is_y = !is_x && ay > az;
    bool neg = (is_x ? c.x : is_y ? c.y : c.z) < 0.0f;
    struct cube k;

    k.face = (is_x ? 0 : is_y ? 2 : 4) + (neg ? 1 : 0);
    k.m = is_x ? ax : is_y ? ay : az;
    k.s = is_x ? (neg ? c.z : -c.z) : is_y ? c.x : neg ? -c.x : c.x;
    k.t = is_y ? (neg ? -c.z : c.z) : -c.y;
    return k;
}

/* The step of the face coordinates for a step d of the direction: the quotient rule. */
LS_INLINE float4
cube_step(float4 c, float4 d)
{
    struct cube k = cube_of(c);
    bool is_x = k.face < 2, is_y = !is_x && k.face < 4, neg = k.face & 1;
    float dm = is_x ? d.x : is_y ? d.y : d.z;
    float ds = is_x ? (neg ? d.z : -d.z) : is_y ? d.x : neg ? -d.x : d.x;
    float dt = is_y ? (neg ? -d.z : d.z) : -d.y;
    float scale = 0.5f / (k.m * k.m);

    dm = neg ? -dm : dm;
    return (float4){(ds * k.m - k.s * dm) * scale, (dt * k.m - k.t * dm) * scale, 0.0f, 0.0f};
}

#endif
