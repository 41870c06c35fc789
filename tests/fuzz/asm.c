/* SPDX-License-Identifier: MIT */
/* Fuzzes what turns inline PTX into C++: any bytes are read to their end, what holds no asm comes
 * out as it went in, and no line is lost or added. */
#include "fuzz/mutate.h"
#include "ptx.h"

static const char seed_source[] =
    "# 1 \"a.cu\" 1\nint f(int) __asm__(\"exit\"); const char *r = R\"x(asm(\"trap;\"))x\"; int n "
    "= 1'000;\n"
    "asm volatile(\"{.reg .pred p<2>, q; @!p1 mov.b64 {%0, %1}, %2; \" // c\n \"bra L_%=; L_%=: "
    "ret; }\"\n"
    " : [d] \"=r\"(a[1, 2]), \"+f\"(b.x) : \"l\"(&c), \"n\"((1, 2)), \"0\"(3)\n# 9 \"b.h\" 2\n : "
    "\"memory\", \"cc\");\n"
    "asm(\"ld.global.nc.v4.u32 {%[d],_,%r1,0f3F800000}, [%1+-0x4];st.shared::cta.f16x2 [%1], "
    "{%2};\" :: \"r\"(1));\n"
    "__asm(\"setp.lt.and.s32 p|q, %0, 1.5, !p; atom.cas.relaxed.sys.b64 %0, [p], 1, 2; cp.async.ca "
    "[a],[b],16,%1;\"::\"l\"(x));\n"
    "asm volatile(\"shfl.sync.idx.b32 %0|p, 1, 2, 3, -1; add.cc.u32 a,b,c; addc.u64 a,b,c; /* \\\" "
    "*/ lop3.b32 a,b,c,d,0x96;\");\n";

static void
begin(void)
{
}

static size_t
compose(struct fuzz_random *r, char *text, size_t cap)
{
    return fuzz_compose(r, seed_source, sizeof(seed_source) - 1, text, cap);
}

static size_t
count_lines(const char *text, size_t n)
{
    size_t lines = 0;

    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    return lines;
}

static bool
one(uint64_t seed)
{
    struct fuzz_random r = {seed};
    static char buffer[1 << 14];
    size_t n = compose(&r, buffer, sizeof(buffer) - 1);
    struct ls_buf in = {malloc(n + 1), n, n}, out = {0}; /* of just that size but for one byte */
    bool ok = true;

    if (!in.data)
        exit(2);
    memcpy(in.data, buffer, n);
    in.data[n] = 0;
    ls_asm_rewrite(&in, &out);
    if (!memmem(in.data, n, "asm", 3) && (out.n != n || (n && memcmp(out.data, in.data, n) != 0))) {
        printf("asm: there was none, and it is not the same\n");
        ok = false;
    }
    if (!memchr(in.data, '\r', n) && count_lines(out.data, out.n) != count_lines(in.data, n)) {
        printf("asm: %zu lines of %zu\n", count_lines(out.data, out.n), count_lines(in.data, n));
        ok = false;
    }
    free(in.data);
    free(out.data);
    return ok;
}

int
main(int argc, char **argv)
{
    return fuzz_main(argc, argv, &(struct fuzzer){"asm", begin, one});
}
