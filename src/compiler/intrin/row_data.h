/* SPDX-License-Identifier: MIT */
/* Names for the numbers in the last column of intrinsics.def: what a row tells its lowering.
 * Comments name the lowerings. */
#ifndef LS_INTRIN_ROW_DATA_H
#define LS_INTRIN_ROW_DATA_H

#include "device/cpu/kernel_abi.h" /* of services and traps: their enums */

enum { LS_DATA_NONE = 0 };           /* the lowering needs no parameter */
enum { LS_UNSIGNED = 0, LS_SIGNED }; /* bfe, dot2, cvt_pk_i16, fp_to_int_sat */
enum {
    LS_CALL_BARRIER = 0,
    LS_CALL_YIELD,
    LS_CALL_GRID_SYNC
};                                           /* ctx_call: function of struct ls_cpu_ctx */
enum { LS_CLOCK_CYCLES = 0, LS_CLOCK_WALL }; /* clock */

/* Between lanes. */
enum { LS_COMPARE_INT = 0, LS_COMPARE_FP }; /* compare_vote */
enum { LS_LANES_LOW = 0, LS_LANES_HIGH };   /* mbcnt: lanes 0 to 31, 32 to 63 */
enum { LS_WAVE_UMIN = 0, LS_WAVE_UMAX };    /* wave_reduce */
enum { LS_DPP_MOV = 0, LS_DPP_UPDATE };     /* dpp: update has an `old` in front of src */
enum {
    LS_SAME_ROW = 0,
    LS_OTHER_ROW
}; /* permlane16: from the own row of 16 lanes, its neighbour */

/* Memory. */
enum { LS_COPY_MEMCPY = 0, LS_COPY_MEMMOVE, LS_COPY_MEMSET };
enum { LS_ATOMIC_FADD = 0, LS_ATOMIC_FMIN, LS_ATOMIC_FMAX };
enum { LS_COUNT_UP = 0, LS_COUNT_DOWN }; /* lds_count */

/* pass: how the host's intrinsic is overloaded. */
enum {
    LS_OVER_ARG = 0,    /* by the first argument's type */
    LS_OVER_RESULT,
    LS_OVER_RESULT_ARG, /* by the result's and the first argument's */
};
enum {
    LS_REDUCE_ADD = 0,
    LS_REDUCE_MUL,
    LS_REDUCE_AND,
    LS_REDUCE_OR,
    LS_REDUCE_XOR,
    LS_REDUCE_SMAX,
    LS_REDUCE_SMIN,
    LS_REDUCE_UMAX,
    LS_REDUCE_UMIN,
    LS_REDUCE_FADD,
    LS_REDUCE_FMUL,
    LS_REDUCE_FMAX,
    LS_REDUCE_FMIN,
    LS_REDUCE_FMAXIMUM,
    LS_REDUCE_FMINIMUM,
};

/* Integers. */
enum {
    LS_SAD_U8 = 0,
    LS_SAD_MASKED_U8,
    LS_SAD_HIGH_U8,
    LS_SAD_U16
};                                                               /* sad; qsad has the first two */
enum { LS_MUL24_U = 0, LS_MUL24_SIGNED = 1, LS_MUL24_HIGH = 2 }; /* bits */
#define LS_DOT_U(bits) (bits) /* dot, sudot: width of an element */
#define LS_DOT_S(bits) (-(bits))

/* Floating point. */
enum { LS_ROUND_EVEN = 0, LS_ROUND_AWAY };                   /* round_to_int: halves */
enum { LS_FREXP_MANTISSA = 0, LS_FREXP_EXPONENT };
enum {
    LS_TRANS_EXP2 = 0,
    LS_TRANS_EXP,
    LS_TRANS_EXP10,
    LS_TRANS_LOG2,
    LS_TRANS_LOG,
    LS_TRANS_LOG10,
    LS_TRANS_SIN,
    LS_TRANS_COS,
    LS_TRANS_TURN_SIN,
    LS_TRANS_TURN_COS,
    LS_TRANS_RSQRT,
};
enum { LS_CLAMPED_RSQ = 0, LS_CLAMPED_LOG };
enum { LS_RCP_IEEE = 0, LS_RCP_LEGACY };                     /* legacy: 1/0 is the largest number */
enum { LS_LEGACY_MUL = 0, LS_LEGACY_FMA };                   /* 0 times anything is 0 */
enum { LS_DIV_SCALE = 0, LS_DIV_FMAS, LS_DIV_FIXUP, LS_DIV_FAST };
enum { LS_CUBE_FACE = 0, LS_CUBE_MAJOR, LS_CUBE_S, LS_CUBE_T };
enum { LS_PACK_F16 = 0, LS_PACK_NORM_I16, LS_PACK_NORM_U16 }; /* cvt_pk: f16 towards zero */
enum { LS_FDOT_32 = 0, LS_FDOT_16 };                          /* fdot2: bits of the sum */
enum { LS_FP8 = 0, LS_BF8 = 1, LS_FP8_PAIR = 2 }; /* bits; the pair of cvt_from_fp8 alone */

/* Matrix products: `data` of their rows. Shape, number of blocks, formats of A and B, form. */
enum ls_matrix_elem {
    LS_ME_NONE = 0,
    LS_ME_F16,
    LS_ME_BF16,
    LS_ME_F32,
    LS_ME_XF32,
    LS_ME_F64,
    LS_ME_I8,
    LS_ME_I4,
    LS_ME_FP8,
    LS_ME_BF8,
};
#define LS_MATRIX_WMMA   (1ul << 40) /* gfx11: every lane group holds all of A and B */
#define LS_MATRIX_SPARSE (1ul << 41) /* A has two of four values of k, an index says which */
#define LS_MATRIX_HALVES (1ul << 42) /* C and D have 16 bits, every other component counts */
#define LS_MATRIX(m, n, k, blocks, a, b, form)                                                     \
    (long)((unsigned long)(m) | (n) << 8 | (k) << 16 | (unsigned long)(blocks) << 24 |             \
           (unsigned long)LS_ME_##a << 32 | (unsigned long)LS_ME_##b << 36 | (form))

#endif
