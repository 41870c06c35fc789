/* SPDX-License-Identifier: MIT */
/* NEEDS: lockstep_compiler_objects ls_base */
/* Which kernels take long double, by their mangled names (as clang makes them). */
#include "compiler/ir/mangled.h"
#include "unit/test.h"

LS_TEST(long_double_in_mangled_names)
{
    static const char *const with[] = {
        "_Z6kernelPde",              /* kernel(double *, long double) */
        "_Z6kernelPKei",             /* kernel(const long double *, int) */
        "_Z6kernelIeEvPT_",          /* kernel<long double>(long double *) */
        "_ZN5space6kernelIieEEvT0_", /* space::kernel<int, long double>(long double) */
        "_Z6kernelILi16EEve",        /* kernel<16>(long double) */
        "_Z6kernelILN1n4enumE3EEve", /* kernel<n::enum(3)>(long double) */
        "_Z6kernelA12_e",
        "_ZL6kernelPde",
        "_ZN12_GLOBAL__N_1L6kernelEPde",
        "_Z6kernelSt7complexIeE",
    };
    static const char *const without[] = {
        "kernel",
        "_Z6kerneeRKd",
        "_Z9eeeeeeeeePd",
        "_Z6kernelILb1EEvPf",
        "_Z6kernelI4typeEvT_",
        "_Z6kernelDnDpDe",
        "_Z6kernelIdLN5space4modeE1EEvPT_",
        "_Z6kernelIZ4mainEUlT_E12_EvS0_",
        "_Z6kernelPd.intern.e",
        "_Z6kernelIiEvXeqT_Li5EE",
        "_Z99short",
        "_ZL14func_set_value13hipPitchedPtr9hipExtenth", /* static */
        "_ZN12_GLOBAL__N_1L6kernelE9hipExtentPi",
        "_ZN5spaceL6kernelI9hipExtentEEvT_",
    };

    for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++)
        EXPECT(ls_mangled_has_long_double(with[i]));
    for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
        EXPECT(!ls_mangled_has_long_double(without[i]));
}
