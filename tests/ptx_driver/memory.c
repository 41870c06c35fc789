/* SPDX-License-Identifier: MIT */
/* Memory of all spaces. Every access must lie within one piece of memory that is there, and be
 * aligned as its type. */
#include <math.h>
#include <string.h>

#include "ptx_priv.h"

enum { ILLEGAL_ADDRESS = 700, MISALIGNED_ADDRESS = 716, INVALID_ADDRESS_SPACE = 717 };

/* ---- Where an address leads ---- */

static void *
in_global(struct ptx_thread *t, uint64_t address, uint64_t bytes)
{
    struct ptx_run *run = t->block->run;
    struct ptx_piece found;

    if (run->generation != driver_generation()) {
        run->generation = driver_generation();
        memset(run->pieces, 0, sizeof(run->pieces));
    }
    for (unsigned k = 0; k < 4; k++) {
        const struct ptx_piece *p = &run->pieces[k];

        if (address - p->base < p->bytes && bytes <= p->bytes - (address - p->base))
            return p->at + (address - p->base);
    }
    if (!driver_find(address, &found) || bytes > found.bytes - (address - found.base))
        return NULL;
    run->pieces[run->next_piece++ % 4] = found;
    return found.at + (address - found.base);
}

static void *
in_shared(const struct ptx_thread *t, uint64_t at, uint64_t bytes)
{
    const struct ptx_block *b = t->block;
    uint64_t declared = t->block->run->fn->module->shared_bytes, dynamic = b->run->dynamic_bytes;

    if (at - SHARED_START < declared && bytes <= declared - (at - SHARED_START))
        return b->shared + (at - SHARED_START);
    if (at - DYNAMIC_START < dynamic && bytes <= dynamic - (at - DYNAMIC_START))
        return b->shared + declared + (at - DYNAMIC_START);
    return NULL;
}

static void *
in_local(const struct ptx_thread *t, uint64_t at, uint64_t bytes)
{
    return at >= LOCAL_START && at < t->memory_bytes && bytes <= t->memory_bytes - at
               ? t->memory + at
               : NULL;
}

static void *
in_args(const struct ptx_thread *t, uint64_t at, uint64_t bytes)
{
    const struct ptx_run *run = t->block->run;

    return at < run->fn->args_bytes && bytes <= run->fn->args_bytes - at
               ? (char *)(uintptr_t)run->args + at
               : NULL;
}

static void *
find(struct ptx_thread *t, enum ptx_space space, uint64_t address, uint64_t bytes)
{
    switch (space) {
    case SPACE_SHARED:
        return in_shared(t, address, bytes);
    case SPACE_LOCAL:
        return in_local(t, address, bytes);
    case SPACE_GLOBAL:
    case SPACE_CONST:
        return in_global(t, address, bytes);
    default:
        if (address - SHARED_BASE < SPACE_BYTES)
            return in_shared(t, address - SHARED_BASE, bytes);
        if (address - LOCAL_BASE < SPACE_BYTES)
            return in_local(t, address - LOCAL_BASE, bytes);
        if (address - ARGS_BASE < SPACE_BYTES)
            return in_args(t, address - ARGS_BASE, bytes);
        return in_global(t, address, bytes);
    }
}

void *
ptx_reach(struct ptx_thread *t, const struct ptx_insn *i, enum ptx_space space, uint64_t address,
          uint32_t bytes)
{
    static const char *const names[] = {"generic", "global", "shared", "local", "param", "const"};
    void *at;

    if (address % bytes) {
        ptx_fault(t, i, MISALIGNED_ADDRESS, "%u bytes at %#llx, which are not aligned", bytes,
                  (unsigned long long)address);
        return NULL;
    }
    at = find(t, space, address, bytes);
    if (!at)
        ptx_fault(t, i, ILLEGAL_ADDRESS, "%u bytes at %#llx (%s), where no memory is", bytes,
                  (unsigned long long)address, names[space]);
    return at;
}

const char *
ptx_string(struct ptx_thread *t, const struct ptx_insn *i, uint64_t address)
{
    const char *from = find(t, SPACE_GENERIC, address, 1);

    for (uint64_t n = 0; from; n++) {
        if (!find(t, SPACE_GENERIC, address + n, 1))
            break;
        if (!from[n])
            return from;
    }
    ptx_fault(t, i, ILLEGAL_ADDRESS, "a string at %#llx has no end", (unsigned long long)address);
    return NULL;
}

/* ---- Loads and stores ---- */

/* The instruction's address, of which operand n is the base. */
static uint64_t
address(const struct ptx_thread *t, const struct ptx_insn *i, unsigned n, enum ptx_space *space)
{
    *space = (enum ptx_space)i->space;
    if (i->base == BASE_FRAME || i->base == BASE_ARGS || *space == SPACE_PARAM)
        *space = SPACE_GENERIC;
    if (i->base == BASE_FRAME)
        return LOCAL_BASE + t->frame_at + (uint64_t)i->offset;
    if (i->base == BASE_ARGS)
        return ARGS_BASE + (uint64_t)i->offset;
    return IN(n) + (uint64_t)i->offset;
}

static uint64_t
load(const char *from, enum ptx_type type)
{
    uint64_t v = 0;

    switch (ptx_bits[type]) {
    case 8:
        v = *(const uint8_t *)from;
        return type == TYPE_s8 ? (uint64_t)(int8_t)v : v;
    case 16:
        v = __atomic_load_n((const uint16_t *)(const void *)from, __ATOMIC_ACQUIRE);
        return type == TYPE_s16 ? (uint64_t)(int16_t)v : v;
    case 32:
        v = __atomic_load_n((const uint32_t *)(const void *)from, __ATOMIC_ACQUIRE);
        return type == TYPE_s32 ? (uint64_t)(int32_t)v : v;
    default:
        return __atomic_load_n((const uint64_t *)(const void *)from, __ATOMIC_ACQUIRE);
    }
}

static void
store(char *to, enum ptx_type type, uint64_t v)
{
    switch (ptx_bits[type]) {
    case 1:
    case 8:
        *(uint8_t *)to = (uint8_t)v;
        break;
    case 16:
        __atomic_store_n((uint16_t *)(void *)to, (uint16_t)v, __ATOMIC_RELEASE);
        break;
    case 32:
        __atomic_store_n((uint32_t *)(void *)to, (uint32_t)v, __ATOMIC_RELEASE);
        break;
    default:
        __atomic_store_n((uint64_t *)(void *)to, v, __ATOMIC_RELEASE);
        break;
    }
}

enum ptx_next
op_ld(struct ptx_thread *t, const struct ptx_insn *i)
{
    enum ptx_type type = (enum ptx_type)i->types[0];
    unsigned n = i->vector ? i->vector : 1, bytes = (ptx_bits[type] + 7u) / 8;
    enum ptx_space space;
    uint64_t from = address(t, i, n, &space);
    const char *at = ptx_reach(t, i, space, from, n * bytes);

    if (!at)
        return NEXT_FAULT;
    for (unsigned k = 0; k < n; k++)
        OUT(k) = load(at + k * bytes, type);
    return NEXT_GO;
}

enum ptx_next
op_st(struct ptx_thread *t, const struct ptx_insn *i)
{
    enum ptx_type type = (enum ptx_type)i->types[0];
    unsigned n = i->vector ? i->vector : 1, bytes = (ptx_bits[type] + 7u) / 8;
    enum ptx_space space;
    uint64_t to = address(t, i, 0, &space);
    char *at = ptx_reach(t, i, space, to, n * bytes);

    if (!at)
        return NEXT_FAULT;
    if (space == SPACE_CONST || to - ARGS_BASE < SPACE_BYTES)
        return ptx_fault(t, i, INVALID_ADDRESS_SPACE, "a store to memory that is only read");
    for (unsigned k = 0; k < n; k++)
        store(at + k * bytes, type, IN(k + 1));
    return NEXT_GO;
}

/* ---- Atomic operations ---- */

static float
float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;

    memcpy(&f, &low, sizeof(f));
    return f;
}

static uint64_t
bits_of(float f)
{
    uint32_t low;

    memcpy(&low, &f, sizeof(low));
    return isnan(f) ? 0x7fffffff : low;
}

/* In global memory such sums have no subnormal numbers (PTX ISA, atom). */
static float
flush(float f, bool global)
{
    return global && fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}

static uint64_t
sum_of(enum ptx_type type, uint64_t a, uint64_t b, bool global)
{
    double x, y;
    uint64_t v;

    switch (type) {
    case TYPE_f32:
        return bits_of(flush(flush(float_of(a), global) + flush(float_of(b), global), global));
    case TYPE_f64:
        memcpy(&x, &a, sizeof(x));
        memcpy(&y, &b, sizeof(y));
        x += y;
        memcpy(&v, &x, sizeof(v));
        return v;
    case TYPE_f16:
        return ptx_to_half((double)ptx_from_half((uint16_t)a) + ptx_from_half((uint16_t)b),
                           ROUND_NEAREST);
    case TYPE_bf16:
        return ptx_to_bf16((double)ptx_from_bf16((uint16_t)a) + ptx_from_bf16((uint16_t)b),
                           ROUND_NEAREST);
    case TYPE_f16x2:
        return sum_of(TYPE_f16, a & 0xffff, b & 0xffff, global) |
               sum_of(TYPE_f16, a >> 16 & 0xffff, b >> 16 & 0xffff, global) << 16;
    case TYPE_bf16x2:
        return sum_of(TYPE_bf16, a & 0xffff, b & 0xffff, global) |
               sum_of(TYPE_bf16, a >> 16 & 0xffff, b >> 16 & 0xffff, global) << 16;
    default:
        return a + b;
    }
}

static bool
is_less(enum ptx_type type, uint64_t a, uint64_t b)
{
    if (type == TYPE_s32)
        return (int32_t)a < (int32_t)b;
    return type == TYPE_s64 ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t
new_value(const struct ptx_insn *i, uint64_t old, uint64_t b, uint64_t c, bool global)
{
    enum ptx_type type = (enum ptx_type)i->types[0];

    switch (i->action) {
    case ACTION_ADD:
        return sum_of(type, old, b, global);
    case ACTION_MIN:
        return is_less(type, b, old) ? b : old;
    case ACTION_MAX:
        return is_less(type, old, b) ? b : old;
    case ACTION_AND:
        return old & b;
    case ACTION_OR:
        return old | b;
    case ACTION_XOR:
        return old ^ b;
    case ACTION_INC:
        return old >= b ? 0 : old + 1;
    case ACTION_DEC:
        return old == 0 || old > b ? b : old - 1;
    case ACTION_CAS:
        return old == b ? c : old;
    case ACTION_EXCH:
    default:
        return b;
    }
}

#define EXCHANGE(type)                                                                             \
    static bool exchange_##type(void *at, uint64_t *old, uint64_t new)                             \
    {                                                                                              \
        type expected = (type)*old;                                                                \
        bool done = __atomic_compare_exchange_n((type *)at, &expected, (type) new, false,          \
                                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
                                                                                                   \
        *old = expected;                                                                           \
        return done;                                                                               \
    }
EXCHANGE(uint16_t)
EXCHANGE(uint32_t)
EXCHANGE(uint64_t)

static bool
exchange(void *at, unsigned bits, uint64_t *old, uint64_t new)
{
    return bits == 16   ? exchange_uint16_t(at, old, new)
           : bits == 32 ? exchange_uint32_t(at, old, new)
                        : exchange_uint64_t(at, old, new);
}

enum ptx_next
op_atom(struct ptx_thread *t, const struct ptx_insn *i) /* and red */
{
    unsigned bits = ptx_bits[i->types[0]], at_operand = i->n_results;
    uint64_t mask = UINT64_MAX >> (64 - bits), b = IN(at_operand + 1) & mask, old = 0,
             c = i->action == ACTION_CAS ? IN(at_operand + 2) & mask : 0;
    enum ptx_space space;
    uint64_t address_at = address(t, i, at_operand, &space);
    char *at = ptx_reach(t, i, space, address_at, bits / 8);
    bool global = space == SPACE_GLOBAL ||
                  (space == SPACE_GENERIC && address_at - SHARED_BASE >= SPACE_BYTES);

    if (!at)
        return NEXT_FAULT;
    if (address_at - LOCAL_BASE < SPACE_BYTES && space == SPACE_GENERIC)
        return ptx_fault(t, i, INVALID_ADDRESS_SPACE, "an atomic operation in local memory");
    memcpy(&old, at, bits / 8);
    while (!exchange(at, bits, &old, new_value(i, old, b, c, global)))
        continue;
    if (i->n_results)
        OUT(0) = old;
    return NEXT_GO;
}

/* ---- Addresses ---- */

static uint64_t
base_of(enum ptx_space space)
{
    return space == SPACE_SHARED ? SHARED_BASE : space == SPACE_LOCAL ? LOCAL_BASE : 0;
}

enum ptx_next
op_cvta(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t base = base_of((enum ptx_space)i->space);
    uint64_t v =
        i->base == BASE_FRAME ? LOCAL_BASE + t->frame_at + (uint64_t)i->offset - base : IN(1);

    OUT(0) = i->action == ACTION_TO ? v - base : v + base;
    return NEXT_GO;
}

enum ptx_next
op_isspacep(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t v = IN(1);
    bool shared = v - SHARED_BASE < SPACE_BYTES, local = v - LOCAL_BASE < SPACE_BYTES,
         args = v - ARGS_BASE < SPACE_BYTES;

    OUT(0) = i->space == SPACE_SHARED   ? shared
             : i->space == SPACE_LOCAL  ? local
             : i->space == SPACE_PARAM  ? args
             : i->space == SPACE_GLOBAL ? !shared && !local && !args
                                        : false;
    return NEXT_GO;
}

enum ptx_next
op_nothing(struct ptx_thread *t, const struct ptx_insn *i)
{
    (void)t, (void)i;
    return NEXT_GO;
}
