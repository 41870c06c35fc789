/* SPDX-License-Identifier: MIT */
/* The control constants that OCML reads: what it may assume of the program and of the device.
 *
 * Compiled with LS_WAVE (32 or 64) and LS_FAST (0 or 1: no NaN, no infinity, unsafe math).
 * Constants of the device library lie in address space 4, and fold once they are linked.
 */

#include "devlib.h"

#define LS_OCLC(type, name, value) \
    extern const __attribute__((address_space(4), visibility("hidden"))) type name; \
    const __attribute__((address_space(4), visibility("hidden"))) type name = value;

LS_OCLC(int32_t, __oclc_ISA_version, LS_WAVE == 32 ? 11000 : 9010)
LS_OCLC(uint8_t, __oclc_wavefrontsize64, LS_WAVE == 64)
LS_OCLC(uint8_t, __oclc_wavefrontsize_log2, LS_WAVE == 64 ? 6 : 5)
LS_OCLC(uint8_t, __oclc_finite_only_opt, LS_FAST)
LS_OCLC(uint8_t, __oclc_unsafe_math_opt, LS_FAST)
LS_OCLC(uint8_t, __oclc_daz_opt, 0)
LS_OCLC(uint8_t, __oclc_correctly_rounded_sqrt32, 1)
