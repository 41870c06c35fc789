/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_base */
/* The table of instruction sets, and what processors have. */
#include "base/isa.h"
#include "unit/test.h"

LS_TEST(both_names_of_a_set_are_one)
{
    for (const struct ls_isa *isa = ls_isa_next(NULL); isa; isa = ls_isa_next(isa)) {
        EXPECT(ls_isa_find(isa->name) == isa);
        EXPECT(ls_isa_find(isa->level) == isa);
    }
    EXPECT(ls_isa_find("sse4") == ls_isa_find("x86-64-v2"));
    EXPECT(!ls_isa_find("x86-64-v9"));
    EXPECT(!ls_isa_find("native"));
    EXPECT(!ls_isa_find(""));
}

/* Rows go from the least to the most: what a set needs, those above it need, too. */
LS_TEST(a_better_set_needs_more)
{
    for (const struct ls_isa *less = NULL, *isa = ls_isa_next(NULL); isa;
         less = isa, isa = ls_isa_next(isa)) {
        uint32_t needs = ls_isa_missing(isa, 0), before = 0;

        if (less && strcmp(less->target, isa->target) == 0)
            before = ls_isa_missing(less, 0);
        EXPECT_EQ(needs & before, before);
        EXPECT(needs != before || needs & LS_CPU_ELSEWHERE);
        EXPECT_EQ(ls_isa_missing(isa, needs), 0);
        EXPECT(needs & LS_CPU_ELSEWHERE || ls_isa_best(needs) == isa);
    }
}

/* A level is all of its features: processors and virtual machines are known that lack one. */
LS_TEST(one_feature_less_is_a_set_less)
{
    const struct ls_isa *less = NULL;

    for (const struct ls_isa *isa = ls_isa_next(NULL); isa; less = isa, isa = ls_isa_next(isa))
        for (uint32_t bit = 1; bit; bit <<= 1)
            if (isa->needs & bit && bit != LS_CPU_ELSEWHERE) {
                EXPECT_EQ(ls_isa_missing(isa, ~bit), bit);
                if (less && strcmp(less->target, isa->target) == 0)
                    EXPECT(ls_isa_best(ls_isa_missing(isa, 0) & ~bit) == less);
            }
}

/* Those that the compiler has a name for. */
LS_TEST(whose_gathers_are_slow)
{
    __builtin_cpu_init();
    if (__builtin_cpu_is("skylake-avx512") || __builtin_cpu_is("cascadelake") ||
        __builtin_cpu_is("icelake-server") || __builtin_cpu_is("tigerlake"))
        EXPECT(ls_cpu_gathers_slowly());
    if (__builtin_cpu_is("amd") || __builtin_cpu_is("sapphirerapids") ||
        __builtin_cpu_is("haswell"))
        EXPECT(!ls_cpu_gathers_slowly());
}

LS_TEST(what_the_processor_has)
{
    uint32_t has = ls_cpu_features();

    __builtin_cpu_init();
    EXPECT_EQ(!!(has & LS_CPU_SSE2), !!__builtin_cpu_supports("sse2"));
    EXPECT_EQ(!!(has & LS_CPU_SSE4_2), !!__builtin_cpu_supports("sse4.2"));
    EXPECT_EQ(!!(has & LS_CPU_POPCNT), !!__builtin_cpu_supports("popcnt"));
    EXPECT_EQ(!!(has & LS_CPU_AVX2), !!__builtin_cpu_supports("avx2"));
    EXPECT_EQ(!!(has & LS_CPU_FMA), !!__builtin_cpu_supports("fma"));
    EXPECT_EQ(!!(has & LS_CPU_BMI2), !!__builtin_cpu_supports("bmi2"));
    EXPECT_EQ(!!(has & LS_CPU_AVX512F), !!__builtin_cpu_supports("avx512f"));
    EXPECT_EQ(!!(has & LS_CPU_AVX512CD), !!__builtin_cpu_supports("avx512cd"));
    EXPECT_EQ(!!(has & LS_CPU_AVX512VL), !!__builtin_cpu_supports("avx512vl"));
    EXPECT_EQ(ls_cpu_features(), has);
    EXPECT(ls_isa_supported(ls_isa_best(has)));
    EXPECT(!(has & LS_CPU_ELSEWHERE));
}

LS_TEST(a_wrong_name_is_told_what_there_is)
{
    char why[400] = "";

    EXPECT(ls_isa_choose("native", why, sizeof(why)) == ls_isa_best(ls_cpu_features()));
    EXPECT(ls_isa_choose(NULL, why, sizeof(why)) == ls_isa_best(ls_cpu_features()));
    EXPECT_STR(why, "");
    EXPECT(!ls_isa_choose("avx1024", why, sizeof(why)));
    EXPECT(strstr(why, "unknown instruction set 'avx1024': native, sse2 (x86-64), sse4 "
                       "(x86-64-v2), avx2 (x86-64-v3), "
                       "avx512 (x86-64-v4)") == why);
    EXPECT(!ls_isa_choose("avx1024", why, 12)); /* a short answer is cut */
    EXPECT_STR(why, "unknown ins");
    EXPECT_STR(ls_cpu_feature_names(LS_CPU_AVX512F | LS_CPU_MOVBE, why, sizeof(why)),
               "movbe, avx512f");
    EXPECT_STR(ls_cpu_feature_names(LS_CPU_ELSEWHERE, why, sizeof(why)), "cores of that kind");
    EXPECT_STR(ls_cpu_feature_names(0, why, sizeof(why)), "");
}
