/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_base */
/* The metadata of code objects, whole, cut and damaged; and how many blocks fit on a
 * multiprocessor. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/codeobject.h"
#include "unit/test.h"

struct text {
    unsigned char bytes[4096];
    size_t n;
};

static void
byte(struct text *t, unsigned b)
{
    t->bytes[t->n++] = (unsigned char)b;
}

static void
str(struct text *t, const char *s)
{
    if (strlen(s) < 32) {
        byte(t, 0xa0 | (unsigned)strlen(s));
    } else {
        byte(t, 0xd9);
        byte(t, (unsigned)strlen(s));
    }
    memcpy(t->bytes + t->n, s, strlen(s));
    t->n += strlen(s);
}

/* In the form of that many bytes behind the first one. */
static void
number(struct text *t, const char *key, unsigned value, unsigned form)
{
    str(t, key);
    if (form > 0)
        byte(t, form == 1 ? 0xcc : form == 2 ? 0xcd : form == 4 ? 0xce : 0xcf);
    else
        byte(t, value);
    for (unsigned i = form; i-- > 0;)
        byte(t, i < 4 ? value >> 8 * i & 255 : 0);
}

static void
kernel(struct text *t, const char *name, unsigned vgprs, unsigned wave)
{
    byte(t, 0xde); /* map 16 */
    byte(t, 0);
    byte(t, 10);
    str(t, ".args");
    byte(t, 0x92); /* things in things */
    byte(t, 0x81);
    str(t, ".offset");
    byte(t, 0);
    byte(t, 0x81);
    str(t, ".name");
    str(t, name[0] == 'a' ? "second" : "first");
    str(t, ".name");
    str(t, name);
    number(t, ".vgpr_count", vgprs, 2);
    number(t, ".sgpr_count", 20, 0);
    number(t, ".agpr_count", 8, 1);
    number(t, ".private_segment_fixed_size", 800, 4);
    number(t, ".group_segment_fixed_size", 32768, 8);
    number(t, ".max_flat_workgroup_size", 256, 2);
    number(t, ".wavefront_size", wave, 0);
    number(t, ".workgroup_processor_mode", 1, 0);
}

static struct text
metadata(void)
{
    struct text t = {.n = 0};

    byte(&t, 0x83);
    str(&t, "amdhsa.version");
    byte(&t, 0x92);
    byte(&t, 1);
    byte(&t, 2);
    str(&t, "amdhsa.kernels");
    byte(&t, 0x92);
    kernel(&t, "first", 3, 32);
    kernel(&t, "a.kernel.whose.name.is.longer.than.thirty.one.bytes", 412, 64);
    str(&t, "amdhsa.target");
    str(&t, "amdgcn-amd-amdhsa--gfx90a");
    return t;
}

LS_TEST(metadata)
{
    struct text t = metadata();
    struct ls_resources r;

    REQUIRE(ls_codeobject_kernel(t.bytes, t.n, "first", &r));
    EXPECT_EQ(r.vgprs, 3);
    EXPECT_EQ(r.sgprs, 20);
    EXPECT_EQ(r.agprs, 8);
    EXPECT_EQ(r.private_bytes, 800);
    EXPECT_EQ(r.lds_bytes, 32768);
    EXPECT_EQ(r.max_threads, 256);
    EXPECT_EQ(r.wave, 32);
    EXPECT(r.is_wgp_mode);
    REQUIRE(ls_codeobject_kernel(t.bytes, t.n,
                                 "a.kernel.whose.name.is.longer.than.thirty.one.bytes", &r));
    EXPECT_EQ(r.vgprs, 412);
    EXPECT_EQ(r.wave, 64);
    EXPECT(!ls_codeobject_kernel(t.bytes, t.n, "second", &r)); /* an argument's name */
    EXPECT(!ls_codeobject_kernel(t.bytes, t.n, "firs", &r));
}

/* Whatever it says, nothing outside is read (a copy of the exact size shows it to the sanitizers).
 */
static void
read_all(const unsigned char *bytes, size_t n)
{
    unsigned char *copy = malloc(n + 1);
    struct ls_resources r;

    REQUIRE(copy != NULL);
    memcpy(copy, bytes, n);
    ls_codeobject_kernel(copy, n, "first", &r);
    ls_codeobject_kernel(copy, n, "nothing", &r);
    free(copy);
}

/* A kernel without a name is none that has an empty one. */
LS_TEST(metadata_without_a_name)
{
    struct text t = metadata();
    unsigned char *name = memmem(t.bytes, t.n, "\xa5.name\xa5" "first\xab", 13);
    struct ls_resources r;

    REQUIRE(name && ls_codeobject_kernel(t.bytes, t.n, "first", &r));
    name[1] = ',';
    EXPECT(!ls_codeobject_kernel(t.bytes, t.n, "first", &r));
    EXPECT(!ls_codeobject_kernel(t.bytes, t.n, "", &r));
}

LS_TEST(damaged_metadata)
{
    struct text whole = metadata(), t;
    uint32_t seed = 1;

    for (size_t n = 0; n <= whole.n; n++)
        read_all(whole.bytes, n);
    for (int round = 0; round < 20000; round++) {
        t = whole;
        for (int k = 0; k < 1 + round % 4; k++) {
            seed = seed * 1664525u + 1013904223u;
            t.bytes[(seed >> 8) % t.n] = (unsigned char)(seed >> 24);
        }
        read_all(t.bytes, t.n);
    }
    memset(t.bytes, 0x91, sizeof(t.bytes)); /* deeper than anything is */
    read_all(t.bytes, sizeof(t.bytes));
    memset(t.bytes, 0xdf, sizeof(t.bytes)); /* maps of 3755991007 */
    read_all(t.bytes, sizeof(t.bytes));
}

static size_t
make_elf(unsigned char *out, const struct text *t)
{
    Elf64_Ehdr h = {.e_phoff = sizeof(h), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2};
    Elf64_Nhdr n = {.n_namesz = 7, .n_descsz = (Elf64_Word)t->n, .n_type = 32};
    Elf64_Nhdr other = {.n_namesz = 4, .n_descsz = 4, .n_type = 3};
    Elf64_Phdr p[2] = {{.p_type = PT_LOAD}, {.p_type = PT_NOTE, .p_offset = sizeof(h) + sizeof(p)}};
    size_t at = sizeof(h) + sizeof(p);

    memcpy(h.e_ident, ELFMAG, SELFMAG);
    h.e_ident[EI_CLASS] = ELFCLASS64;
    p[1].p_filesz = sizeof(other) + 8 + sizeof(n) + 8 + (t->n + 3) / 4 * 4;
    memcpy(out, &h, sizeof(h));
    memcpy(out + sizeof(h), p, sizeof(p));
    memcpy(out + at, &other, sizeof(other));
    memcpy(out + at + sizeof(other), "GNU\0abcd", 8);
    at += sizeof(other) + 8;
    memcpy(out + at, &n, sizeof(n));
    memcpy(out + at + sizeof(n), "AMDGPU\0", 8);
    memcpy(out + at + sizeof(n) + 8, t->bytes, t->n);
    return at + sizeof(n) + 8 + (t->n + 3) / 4 * 4;
}

LS_TEST(elf)
{
    static unsigned char file[8192];
    struct text t = metadata();
    size_t bytes = make_elf(file, &t), n = 0;
    const void *notes = ls_codeobject_notes(file, bytes, &n);
    uint32_t seed = 1;

    REQUIRE(notes != NULL);
    EXPECT_EQ(n, t.n);
    EXPECT(memcmp(notes, t.bytes, n) == 0);
    for (size_t cut = 0; cut < bytes; cut++) {
        unsigned char *copy = malloc(cut + 1);

        REQUIRE(copy != NULL);
        memcpy(copy, file, cut);
        EXPECT(!ls_codeobject_notes(copy, cut, &n));
        free(copy);
    }
    for (int round = 0; round < 20000; round++) {
        unsigned char *copy = malloc(bytes);
        const unsigned char *found;

        REQUIRE(copy != NULL);
        memcpy(copy, file, bytes);
        seed = seed * 1664525u + 1013904223u;
        copy[(seed >> 8) % 240] = (unsigned char)(seed >> 24); /* the headers */
        found = ls_codeobject_notes(copy, bytes, &n);
        EXPECT(!found || (found >= copy && n <= bytes && found + n <= copy + bytes));
        free(copy);
    }
}

LS_TEST(blocks_that_fit)
{
    static const struct {
        const char *arch;
        struct ls_resources need;
        uint32_t n_threads, dynamic, blocks;
    } rows[] = {
        {"gfx90a", {.vgprs = 3, .sgprs = 20, .wave = 64}, 256, 0, 8}, /* 32 waves */
        {"gfx90a", {.vgprs = 412, .wave = 64}, 256, 0, 1},            /* 512 / 416: 1 wave a SIMD */
        {"gfx90a", {.vgprs = 128, .wave = 64}, 256, 0, 4},
        {"gfx90a", {.vgprs = 129, .wave = 64}, 256, 0, 3},
        {"gfx90a:sramecc+",
         {.vgprs = 8, .sgprs = 112, .wave = 64},
         64,
         0,
         28}, /* 800 / 112: 7 waves */
        {"gfx908", {.vgprs = 128, .wave = 64}, 256, 0, 2},
        {"gfx942", {.vgprs = 128, .wave = 64}, 256, 0, 4},
        {"gfx1100",
         {.vgprs = 256, .wave = 32, .is_wgp_mode = true},
         256,
         0,
         2}, /* 1536 / 264: 5 waves */
        {"gfx1100", {.vgprs = 96, .wave = 32, .is_wgp_mode = true}, 256, 0, 8},
        {"gfx1100", {.vgprs = 97, .wave = 32, .is_wgp_mode = true}, 256, 0, 6},
        {"gfx1100", {.vgprs = 96, .wave = 32}, 256, 0, 4}, /* a CU has half a WGP */
        {"gfx1100",
         {.vgprs = 96, .wave = 64, .is_wgp_mode = true},
         256,
         0,
         8}, /* 768 / 96: 8 waves of 64 */
        {"gfx1102", {.vgprs = 96, .wave = 32, .is_wgp_mode = true}, 256, 0, 5},
        {"gfx1030",
         {.vgprs = 72, .wave = 32, .is_wgp_mode = true},
         256,
         0,
         6}, /* 1024 / 80: 12 waves */
        {"gfx1010",
         {.vgprs = 72, .wave = 32, .is_wgp_mode = true},
         256,
         0,
         7}, /* 1024 / 72: 14 waves */
        {"gfx90a", {.vgprs = 3, .lds_bytes = 32768, .wave = 64}, 256, 0, 2},
        {"gfx90a", {.vgprs = 3, .lds_bytes = 32768, .wave = 64}, 256, 1, 1},
        {"gfx90a", {.vgprs = 3, .wave = 64}, 65, 0, 16}, /* two waves each */
        {"gfx90a", {.vgprs = 3, .wave = 64}, 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        uint32_t n = ls_arch_blocks(ls_arch_find(rows[i].arch), &rows[i].need, rows[i].n_threads,
                                    rows[i].dynamic);

        if (n != rows[i].blocks)
            fprintf(stderr, "row %zu\n", i);
        EXPECT_EQ(n, rows[i].blocks);
    }
    EXPECT_EQ(ls_arch_free_vgprs(ls_arch_find("gfx90a"), 64), 64);
    EXPECT_EQ(ls_arch_free_vgprs(ls_arch_find("gfx1100"), 32), 96);
    EXPECT_EQ(ls_arch_free_vgprs(ls_arch_find("gfx906"), 64), 32);
}
