/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_base */
/* Comments that say where elements of arrays lie: all examples of document 001, other forms that
 * mean the same, and what is no notation or a wrong one. */
#include "base/notation.h"
#include "unit/test.h"

static struct ls_notation_file file;

static void
read_text(const char *text)
{
    EXPECT(ls_notation_read(text, strlen(text), &file));
}

/* The only assignment of a text, as it is printed. */
static const char *
printed(const struct ls_notation *n)
{
    static char text[2048];

    ls_notation_print(n, "", text, sizeof(text));
    return text;
}

static const char *
error_of(const char *text)
{
    static char error[160];
    struct ls_notation n;

    error[0] = '\0';
    return ls_notation_parse(text, &n, error) ? "" : error;
}

LS_TEST(with_left_sides)
{
    read_text("// x has the following register assigment.\n"
              "// See below for an explanation of this \"register assignment\" notation.\n"
              "//   simd:      s0              <->  k0\n"
              "//   register:  r1 r0           <->  j3 j2\n"
              "//   thread:    t4 t3 t2 t1 t0  <->  j1 j0 k3 k2 k1\n"
              "//   warp:      w3 w2 w1 w0     <->  i3 i2 i1 i0\n"
              "__half2 y0;\n");
    EXPECT_EQ(file.n_comments, 1);
    EXPECT_EQ(file.comments[0].first, 1);
    EXPECT_EQ(file.comments[0].line, 3);
    EXPECT_EQ(file.comments[0].last, 6);
    EXPECT_STR(file.comments[0].error, "");
    EXPECT_STR(printed(&file.comments[0].assignment),
               "simd:      s0              <->  k0\n"
               "register:  r1 r0           <->  j3 j2\n"
               "thread:    t4 t3 t2 t1 t0  <->  j1 j0 k3 k2 k1\n"
               "warp:      w3 w2 w1 w0     <->  i3 i2 i1 i0\n");
    ls_notation_free(&file);
}

LS_TEST(without_left_sides_and_unchanged)
{
    read_text("f();\n"
              "    // Now the y array is the same logical array as x, but with a new register "
              "assignment:\n"
              "    //   simd:      j3\n"
              "    //   register:  k0 j2\n"
              "    //   thread:    j1 j0 k3 k2 k1   (unchanged)\n"
              "    //   warp:      i3 i2 i1 i0      (unchanged)\n");
    EXPECT_EQ(file.n_comments, 1);
    EXPECT(file.comments[0].assignment.parts[LS_NOTATION_THREAD].is_unchanged);
    EXPECT(!file.comments[0].assignment.parts[LS_NOTATION_SIMD].is_unchanged);
    EXPECT_STR(printed(&file.comments[0].assignment),
               "simd:      s0              <->  j3\n"
               "register:  r1 r0           <->  k0 j2\n"
               "thread:    t4 t3 t2 t1 t0  <->  j1 j0 k3 k2 k1\n"
               "warp:      w3 w2 w1 w0     <->  i3 i2 i1 i0\n");
    ls_notation_free(&file);
}

LS_TEST(parts_alone_and_other_names)
{
    read_text("/* 8-bit, packed:\n"
              " *   simd:      i1 i2\n"
              " *   register:  i0 */\n"
              "uint y0 = 0; // simd: s0 <-> ReIm\n"
              "/* simd: ReIm; the rest is a sentence */\n"
              "f();\n"
              "// thread: col1 col0\n");
    EXPECT_EQ(file.n_comments, 3);
    EXPECT_STR(printed(&file.comments[0].assignment), "simd:      s1 s0  <->  i1 i2\n"
                                                      "register:  r0     <->  i0\n");
    EXPECT_STR(printed(&file.comments[1].assignment), "simd:      s0  <->  ReIm\n");
    EXPECT_EQ(file.comments[1].first, 4);
    EXPECT_STR(printed(&file.comments[2].assignment), "thread:    t1 t0  <->  col1 col0\n");
    ls_notation_free(&file);
    EXPECT_STR(error_of("register: r0 r1 <-> a0 a1; thread: t4 t2 <-> * b10"), "");
}

LS_TEST(some_bits_of_a_part)
{
    struct ls_notation n;
    char error[160];

    EXPECT(ls_notation_parse("thread: t4 t2 <-> * b10", &n, error));
    EXPECT_EQ(n.parts[LS_NOTATION_THREAD].known, 0x14);
    EXPECT_EQ(n.parts[LS_NOTATION_THREAD].n, 5);
    EXPECT_STR(printed(&n), "thread:    t4 t2  <->  * b10\n");
    EXPECT(ls_notation_parse("thread: t4 \xe2\x86\x94 b1", &n, error));
}

LS_TEST(errors)
{
    EXPECT_STR(error_of("simd: s0 <-> k0 k1"), "simd: 1 bits on the left of <->, 2 on the right");
    EXPECT_STR(error_of("simd: s0 <-> k0; register: k0"), "index bit k0 stands in two places");
    EXPECT_STR(error_of("register: r0 r0 <-> k0 k1"), "register: r0 is named twice");
    EXPECT_STR(error_of("register: s0 <-> k0"),
               "register: on the left stands s0, where bits are called r0, r1, ...");
    EXPECT_STR(error_of("simd: k0; simd: k1"), "two lines for simd");
    EXPECT_STR(error_of("lane: k0"),
               "a line begins with simd:, register:, thread: or warp:, not with lane: k0");
    EXPECT_STR(error_of("simd: k99"), "no index has a bit 99: k99");
    EXPECT_STR(error_of("simd: 3"),
               "an index bit is a name and a number, as j3, but here stands: 3");
    EXPECT_STR(error_of(""), "no index bits are named");
    EXPECT_STR(error_of("simd: s0 <-> k0 <-> k1"), "simd: a second <->");
    EXPECT_STR(error_of("simd: (k0"), "a parenthesis is not closed: (k0");
    EXPECT_STR(error_of("thread: a b c d e f g h i j k l m"), "more than 12 bits");
}

LS_TEST(errors_have_lines)
{
    read_text("int a;\n"
              "// simd: k0\n"
              "// regsiter: r0 <-> k1\n"
              "// thread: t0 <-> k2 k3\n");
    EXPECT_EQ(file.n_comments, 1);
    EXPECT_EQ(file.comments[0].error_line, 3);
    EXPECT_STR(file.comments[0].error,
               "a line begins with simd:, register:, thread: or warp:, not with regsiter:");
    ls_notation_free(&file);
}

LS_TEST(sentences_are_none)
{
    read_text("// thread: the one that runs\n"
              "// Each warp: waits.\n"
              "char *s = \"// simd: k0\";\n"
              "char c = '\"'; // warp: 7 of them\n");
    EXPECT_EQ(file.n_comments, 0);
    ls_notation_free(&file);
}

LS_TEST(unchanged_without_bits)
{
    read_text("// simd: k0\n"
              "// thread: j1 j0\n"
              "f();\n"
              "// simd: k1\n"
              "// thread: (unchanged)\n");
    EXPECT_EQ(file.n_comments, 2);
    EXPECT_STR(printed(&file.comments[1].assignment), "simd:      s0     <->  k1\n"
                                                      "thread:    t1 t0  <->  j1 j0\n");
    ls_notation_free(&file);
}

LS_TEST(arrays)
{
    read_text("// Pointer to a 3-d array in global GPU memory p[i,j,k], shape (16,8,4).\n"
              "__half *p;\n"
              "// q[a,b] of shape (4,4), strides (2*8, 2)\n");
    EXPECT_EQ(file.n_arrays, 2);
    EXPECT_STR(file.arrays[0].name, "p");
    EXPECT_STR(file.arrays[0].index[2], "k");
    EXPECT_EQ(file.arrays[0].view.strides[0], 32);
    EXPECT_EQ(file.arrays[0].view.strides[2], 1);
    EXPECT_EQ(file.arrays[1].view.strides[0], 16);
    ls_notation_free(&file);
}

LS_TEST(views)
{
    read_text("    // Apply per-block offset\n"
              "    //   before: shape (32,128,1024), contiguous\n"
              "    //   after: shape (32,32), strides (128*1024, 1)\n"
              "    \n"
              "    p += (blockIdx.x * 1024) + (blockIdx.y * 32);\n"
              "    // Apply per-warp offset\n"
              "    //   before: shape=(32,32), strides (128*1024, 1)\n"
              "    //   after: shape=(32,), contiguous\n"
              "    // before: shape (32,32), strides (1)\n"
              "    // after: shape (32)\n");
    EXPECT_EQ(file.n_comments, 2);
    EXPECT_EQ(file.comments[0].level, LS_NOTATION_PER_BLOCK);
    EXPECT_EQ(file.comments[0].before.n, 3);
    EXPECT_EQ(file.comments[0].before.strides[0], 131072);
    EXPECT_EQ(file.comments[0].after.strides[0], 131072);
    EXPECT_EQ(file.comments[0].line, 2);
    EXPECT_EQ(file.comments[1].level, LS_NOTATION_PER_WARP);
    EXPECT_STR(file.comments[1].error, "2 dimensions, but 1 strides");
    ls_notation_free(&file);
}

LS_TEST(bodies)
{
    read_text("void f(int a); // {\n"
              "void g(int a)\n"
              "{\n"
              "    if (a) { h('}'); }\n"
              "}\n");
    EXPECT_EQ(ls_notation_end_of(&file, 2), 5);
    EXPECT_EQ(ls_notation_end_of(&file, 1), 0);
    ls_notation_free(&file);
}

LS_TEST(subjects)
{
    static const char *const names[] = {"p", "x", "y", "a"};

    EXPECT_EQ(ls_notation_subject("x has the following register assigment.", names, 4), 1);
    EXPECT_EQ(ls_notation_subject("suppose we have a 3-d array x[i,j,k] with", names, 4), 1);
    EXPECT_EQ(ls_notation_subject("Now the y array is the same array as x, but", names, 4), 2);
    EXPECT_EQ(ls_notation_subject("the y-array contains the same data as x", names, 4), 2);
    EXPECT_EQ(ls_notation_subject("Continuing the example above, 'y' has it:", names, 4), 2);
    EXPECT_EQ(ls_notation_subject("an 8-bit array which has been packed into a", names, 4), -1);
}
