/* SPDX-License-Identifier: MIT */
/* Other orders of warps and blocks than the usual one, to find races in programs: LOCKSTEP_WARPS.
 * The same seed gives a block the same order each time. */
#include "device/cpu/cpu_priv.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/log.h"

static const char *const NAMES[] = {
    [LS_ORDER_USUAL] = "ordered",
    [LS_ORDER_SHUFFLED] = "shuffled",
    [LS_ORDER_INTERLEAVED] = "interleaved",
};

enum ls_warp_order
ls_warp_order(uint64_t *seed)
{
    static atomic_bool said;
    const char *s = ls_env_str(LS_ENV_WARPS);
    size_t n = strcspn(s, ":");
    char *end = "";

    *seed = s[n] ? strtoull(s + n + 1, &end, 0) : 1;
    for (int i = 0; i < (int)(sizeof(NAMES) / sizeof(*NAMES)) && !*end; i++)
        if (strlen(NAMES[i]) == n && !memcmp(NAMES[i], s, n))
            return (enum ls_warp_order)i;
    if (!atomic_exchange(&said, true))
        ls_log(LS_LOG_ERROR, "LOCKSTEP_WARPS=%s: ordered, shuffled[:seed] or interleaved[:seed]",
               s);
    return LS_ORDER_USUAL;
}

static uint64_t
mix(uint64_t x)
{
    x = (x ^ x >> 32) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

uint64_t
ls_order_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return mix(*state);
}

void
ls_order_begin(uint64_t *state, uint64_t seed, uint64_t block)
{
    *state = mix(seed * 0x100000001b3u + block + 1);
}

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint64_t
ls_order_block(uint64_t seed, uint64_t n_blocks, uint64_t i)
{
    uint64_t step = mix(seed) % n_blocks;

    if (n_blocks > UINT32_MAX) /* the product below would not fit into 64 bits */
        return i;
    while (common_divisor(step, n_blocks) != 1)
        step = step + 1 < n_blocks ? step + 1 : 1;
    return (i * step % n_blocks + mix(seed + 1) % n_blocks) % n_blocks;
}
