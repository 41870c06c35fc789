/* SPDX-License-Identifier: MIT */
/* Data-parallel primitives: fixed lane patterns in an operand (DPP), and ds_swizzle. All constant
 * shuffles. */
#include "lower/lower_priv.h"

/* A pattern: for each lane the lane it reads, or -1 when that lies outside. */
struct pattern {
    int from[LS_MAX_LANES];
};

/* Fields of dpp_ctrl, by value. */
enum {
    DPP_QUAD_PERM_LAST = 0xff,
    DPP_ROW_SHL = 0x100,
    DPP_ROW_SHR = 0x110,
    DPP_ROW_ROR = 0x120,
    DPP_WAVE_SHL = 0x130,
    DPP_WAVE_ROL = 0x134,
    DPP_WAVE_SHR = 0x138,
    DPP_WAVE_ROR = 0x13c,
    DPP_ROW_MIRROR = 0x140,
    DPP_ROW_HALF_MIRROR = 0x141,
    DPP_ROW_BCAST15 = 0x142,
    DPP_ROW_BCAST31 = 0x143,
    DPP_ROW_SHARE = 0x150,
    DPP_ROW_XMASK = 0x160,
};

static int
row_lane(unsigned lane, int in_row)
{
    return in_row >= 0 && in_row < 16 ? (int)(lane & ~15u) + in_row : -1;
}

/* The lane that `lane` reads; -1 outside; -2 for a control that does not exist. */
static int
dpp_source(unsigned ctrl, unsigned lane, unsigned n_lanes)
{
    int in_row = (int)(lane & 15), n = (int)(ctrl & 15), last = (int)n_lanes - 1;

    if (ctrl <= DPP_QUAD_PERM_LAST)
        return (int)((lane & ~3u) + ((ctrl >> (2 * (lane & 3))) & 3));
    switch (ctrl & ~15u) {
    case DPP_ROW_SHL:
        return n ? row_lane(lane, in_row + n) : -2;
    case DPP_ROW_SHR:
        return n ? row_lane(lane, in_row - n) : -2;
    case DPP_ROW_ROR:
        return n ? row_lane(lane, (in_row - n) & 15) : -2;
    case DPP_ROW_SHARE:
        return row_lane(lane, n);
    case DPP_ROW_XMASK:
        return row_lane(lane, in_row ^ n);
    default:
        break;
    }
    switch (ctrl) {
    case DPP_WAVE_SHL:
        return (int)lane < last ? (int)lane + 1 : -1;
    case DPP_WAVE_ROL:
        return (int)lane < last ? (int)lane + 1 : 0;
    case DPP_WAVE_SHR:
        return (int)lane - 1;
    case DPP_WAVE_ROR:
        return lane ? (int)lane - 1 : last;
    case DPP_ROW_MIRROR:
        return row_lane(lane, 15 - in_row);
    case DPP_ROW_HALF_MIRROR:
        return row_lane(lane, in_row ^ 7);
    case DPP_ROW_BCAST15:
        return lane > 15 ? (int)(lane & 0x30) - 1 : -1;
    case DPP_ROW_BCAST31:
        return lane > 31 ? 31 : -1;
    default:
        return -2;
    }
}

/* update.dpp and mov.dpp: the operands from src on are (src, ctrl, row mask, bank mask, bound
 * control). A lane outside of the masks keeps `old`; so does one whose source lies outside or is
 * inactive, unless bound control makes that 0. update has an `old` before src */
LLVMValueRef
ls_lower_dpp(struct ls_vf *vf, LLVMValueRef call, long data)
{
    unsigned first = data == LS_DPP_UPDATE ? 1 : 0;
    unsigned long long ctrl, row_mask, bank_mask, bound_control;
    struct pattern p;

    if (!ls_lower_const_arg(vf, call, first + 1, &ctrl) ||
        !ls_lower_const_arg(vf, call, first + 2, &row_mask) ||
        !ls_lower_const_arg(vf, call, first + 3, &bank_mask) ||
        !ls_lower_const_arg(vf, call, first + 4, &bound_control))
        return NULL;
    LLVMValueRef src = ls_vf_vector(vf, LLVMGetOperand(call, first));
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(src));
    LLVMValueRef old = data == LS_DPP_UPDATE ? ls_vf_vector(vf, LLVMGetOperand(call, 0)) : zero;
    unsigned long long keeps = 0; /* lanes whose result is `old` because of the masks */

    for (unsigned l = 0; l < vf->n_lanes; l++) {
        p.from[l] = dpp_source((unsigned)ctrl, l, vf->n_lanes);
        if (p.from[l] == -2) {
            ls_diag(vf->cc, LS_DIAG_ERROR, call, "DPP control 0x%llx is not supported", ctrl);
            return NULL;
        }
        if (p.from[l] >= (int)vf->n_lanes)
            p.from[l] = -1;
        if (!((row_mask >> (l / 16)) & 1) || !((bank_mask >> ((l / 4) & 3)) & 1)) {
            keeps |= 1ull << l;
            p.from[l] = -1;
        }
    }
    LLVMValueRef outside = bound_control ? zero : old;
    LLVMValueRef result = ls_lower_shuffle(vf, src, outside, p.from);
    if (vf->mask) {
        LLVMValueRef active = ls_vf_mask(vf);
        active = ls_lower_shuffle(vf, active, LLVMConstNull(LLVMTypeOf(active)), p.from);
        result = ls_vf_select(vf, active, result, outside);
    }
    if (keeps && bound_control)
        result = ls_vf_select(vf, ls_lower_const_mask(vf, keeps), old, result);
    return ls_lower_finish(vf, call, result);
}

/* A shuffle that reads 0 from inactive lanes: ds_swizzle, and DPP8 as LLVM emits it, without "fetch
 * inactive". */
static LLVMValueRef
shuffle_active(struct ls_vf *vf, LLVMValueRef src, const struct pattern *p)
{
    LLVMTypeRef type = LLVMTypeOf(src);

    if (vf->mask)
        src = ls_vf_select(vf, ls_vf_mask(vf), src, LLVMConstNull(type));
    return ls_lower_shuffle(vf, src, LLVMGetPoison(type), p->from);
}

/* (src, selectors): each of eight neighbours reads one of the eight, three bits each */
LLVMValueRef
ls_lower_dpp8(struct ls_vf *vf, LLVMValueRef call, long data)
{
    unsigned long long selectors;
    struct pattern p;

    (void)data;
    if (!ls_lower_const_arg(vf, call, 1, &selectors))
        return NULL;
    LLVMValueRef src = ls_vf_vector(vf, LLVMGetOperand(call, 0));
    for (unsigned l = 0; l < vf->n_lanes; l++)
        p.from[l] = (int)(((l & ~7u) + ((selectors >> (3 * (l & 7))) & 7)) & (vf->n_lanes - 1));
    return ls_lower_finish(vf, call, shuffle_active(vf, src, &p));
}

/* ds_swizzle: groups of 32 lanes. Offset 0xe000 and above (the FFT form) is not lowered. */
static int
swizzle_source(unsigned offset, unsigned lane)
{
    unsigned group = lane & ~31u, l = lane & 31;

    if (offset >= 0xe000)
        return -2;
    if (offset >= 0xc000) { /* rotate within the lanes that the mask does not hold fixed */
        unsigned fixed = offset & 31, by = (offset >> 5) & 31;
        unsigned moved = offset & 0x400 ? l - by : l + by;
        return (int)(group + ((l & fixed) | (moved & 31 & ~fixed)));
    }
    if (offset & 0x8000)
        return (int)((lane & ~3u) + ((offset >> (2 * (lane & 3))) & 3));
    unsigned and_mask = offset & 31, or_mask = (offset >> 5) & 31, xor_mask = (offset >> 10) & 31;
    return (int)(group + (((l & and_mask) | or_mask) ^ xor_mask));
}

LLVMValueRef
ls_lower_swizzle(struct ls_vf *vf, LLVMValueRef call, long data)
{
    unsigned long long offset;
    struct pattern p;

    (void)data;
    if (!ls_lower_const_arg(vf, call, 1, &offset))
        return NULL;
    LLVMValueRef src = ls_vf_vector(vf, LLVMGetOperand(call, 0));
    for (unsigned l = 0; l < vf->n_lanes; l++) {
        int from = swizzle_source((unsigned)offset & 0xffff, l);
        if (from == -2) {
            ls_diag(vf->cc, LS_DIAG_ERROR, call, "ds_swizzle mode 0x%llx is not supported", offset);
            return NULL;
        }
        p.from[l] = from & (int)(vf->n_lanes - 1);
    }
    return ls_lower_finish(vf, call, shuffle_active(vf, src, &p));
}
