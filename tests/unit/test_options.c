/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_base */
/* The table of compile options: what goes over all of them misses none. */
#include "base/isa.h"
#include "base/options.h"
#include "unit/test.h"

/* Another value than the default one, for each kind. */
static const char *
another(const struct ls_option *o)
{
    switch (o->kind) {
    case LS_OPTION_TEXT:
        return "x=y";
    case LS_OPTION_ISA:
        return "sse2";
    case LS_OPTION_NUMBER:
        return "4000000000";
    case LS_OPTION_BITS:
        return "18446744073709551615";
    case LS_OPTION_SWITCH:
        return "1";
    case LS_OPTION_SHAPE:
        return "16,8,2";
    }
    return "";
}

static void
key_of(const struct ls_compile_options *opt, uint8_t digest[32])
{
    struct ls_sha256 sha;

    ls_sha256_init(&sha);
    ls_options_add_key(opt, &sha);
    ls_sha256_final(&sha, digest);
}

static bool
same_key(const struct ls_compile_options *a, const struct ls_compile_options *b)
{
    uint8_t one[32], other[32];

    key_of(a, one);
    key_of(b, other);
    return memcmp(one, other, 32) == 0;
}

/* An option that the key misses would let code made with it serve those who want it otherwise. */
LS_TEST(every_option_changes_the_key)
{
    struct ls_compile_options plain, changed;

    ls_options_init(&plain);
    for (const struct ls_option *o = ls_option_next(NULL); o; o = ls_option_next(o)) {
        changed = plain;
        EXPECT(same_key(&plain, &changed));
        EXPECT(ls_option_set(o, &changed, another(o)));
        if (same_key(&plain, &changed) != !o->is_key)
            EXPECT_STR(o->name, "an option whose change the key sees");
    }
}

LS_TEST(each_number_of_a_shape_is_in_the_key)
{
    struct ls_compile_options a, b;

    ls_options_init(&a);
    for (int i = 0; i < 3; i++) {
        b = a;
        b.block[i] = 7;
        EXPECT(!same_key(&a, &b));
    }
}

/* Neighbours' text does not run together. */
LS_TEST(values_end)
{
    struct ls_compile_options a, b;

    ls_options_init(&a);
    b = a;
    a.kernel = "kernel1";
    b.kernel = "kernel";
    b.block[0] = 1;
    EXPECT(!same_key(&a, &b));
}

LS_TEST(a_set_has_one_key)
{
    struct ls_compile_options a, b;

    ls_options_init(&a);
    b = a;
    a.isa = "avx2";
    b.isa = "x86-64-v3";
    EXPECT(same_key(&a, &b));
    b.isa = "native";
    EXPECT(!same_key(&a, &b));
    a.isa = NULL;
    EXPECT(same_key(&a, &b));
    a.isa = ls_isa_best(ls_cpu_features())
                ->name; /* native has more: what this processor has beyond its level */
    EXPECT(!same_key(&a, &b));
}

static void
expect_same(const struct ls_compile_options *a, const struct ls_compile_options *b)
{
    char one[64], other[64];

    for (const struct ls_option *o = ls_option_next(NULL); o; o = ls_option_next(o)) {
        ls_option_get(o, a, one, sizeof(one));
        ls_option_get(o, b, other, sizeof(other));
        EXPECT_STR(one, other);
    }
}

/* To another process and back: each option alone, and all. */
LS_TEST(as_text)
{
    struct ls_compile_options plain, all, opt, back;
    char text[1024];

    ls_options_init(&plain);
    all = plain;
    for (const struct ls_option *o = ls_option_next(NULL);; o = ls_option_next(o)) {
        opt = o ? plain : all;
        if (o && (!ls_option_set(o, &opt, another(o)) || !ls_option_set(o, &all, another(o))))
            EXPECT_STR(o->name, "an option that takes its value");
        size_t n = ls_options_write(&opt, NULL);
        REQUIRE(n < sizeof(text) && ls_options_write(&opt, text) == n);
        text[n] = 'x';
        text[n + 1] = 0;
        ls_options_init(&back);
        EXPECT(ls_options_read(&back, text, text + n + 2) == text + n);
        expect_same(&opt, &back);
        if (!o)
            break;
    }
    EXPECT_STR(back.kernel, "x=y");
    EXPECT_EQ(back.block[1], 8);
    EXPECT(back.interleave);
}

static bool
is_read(const char *text, size_t bytes)
{
    struct ls_compile_options opt;

    ls_options_init(&opt);
    return ls_options_read(&opt, text, text + bytes) != NULL;
}

/* What a compiler of another build, or nobody, would say. */
LS_TEST(nonsense_is_refused)
{
    EXPECT(is_read("", 1));
    EXPECT(is_read("block=1\0", 9));
    EXPECT(is_read("block=1,2\0", 11));
    EXPECT(!is_read("warp_size=32", 13)); /* no end */
    EXPECT(!is_read("warp=32\0", 9));
    EXPECT(!is_read("warp_size\0", 11));
    EXPECT(!is_read("warp_size=\0", 12));
    EXPECT(!is_read("warp_size=-1\0", 14));
    EXPECT(!is_read("warp_size=4294967296\0", 22));
    EXPECT(!is_read("warp_size=3x\0", 14));
    EXPECT(!is_read("interleave=2\0", 14));
    EXPECT(!is_read("block=1,2,3,4\0", 15));
    EXPECT(!is_read("block=1,,3\0", 12));
}

LS_TEST(flags_are_different)
{
    for (const struct ls_option *o = ls_option_next(NULL); o; o = ls_option_next(o))
        for (const struct ls_option *p = ls_option_next(o); p; p = ls_option_next(p))
            EXPECT(strcmp(o->flag, p->flag) != 0 && strcmp(o->name, p->name) != 0);
}
