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
        "_Z1kIDF16_eEvPT_T0_",       /* k<_Float16, long double> */
        "_Z1kPDF16bDB7_e",           /* k(__bf16 *, _BitInt(7), long double) */
        "_Z1kDv4_fDv2_e",
        "_Z1kU3AS1PDhPFeiE",         /* k(half AS1 *, long double (*)(int)) */
        "_Z1kIJiDnDu1seEEvDpT_",     /* k<int, nullptr_t, char8_t, s, long double> */
        "_Z1kIZN1SeqERKS0_EUlieE_EvT_", /* of a lambda with that parameter */
        "_Z1kM1SKFevE",
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
        "_Z1kIDF16_22a_structure_with_edgesEvPT_T0_",
        "_Z1kIDF16bEvPT_9with_edge",
        "_Z1kIDF32_DF64_DF128_DF32xEvv",
        "_Z1kDf",
        "_Z1kDd",
        "_Z1kDe",
        "_Z1kDh",
        "_Z1kDu",
        "_Z1kDs",
        "_Z1kDi",
        "_Z1kDn",
        "_Z1kDa",
        "_Z1kDc",
        "_Z1kDB11_DU5_4type",
        "_Z1kDv4_DF16_Dv8_h9one_enter",
        "_Z1kPDoFvvEPFvvOE",
        "_Z1kIZN1SeqERKS0_EUlT_E_EvT_", /* of a lambda in operator== */
        "_Z1kIZN1SdeEvEUliE0_EvT_",     /* operator* */
        "_Z1kIZN1ScviEvE1eEvT_",        /* a local class of a conversion */
        "_Z1kIXleT_Li5EEe",             /* behind an expression: not read */
        "_Z1kILe7fEEvv",                /* a number */
        "_Z1kITnDa4edgeEvv",
        "_ZNK1AIiE1kB5abi_eEv",
    };

    for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++)
        EXPECT(ls_mangled_has_long_double(with[i]));
    for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
        EXPECT(!ls_mangled_has_long_double(without[i]));
}
