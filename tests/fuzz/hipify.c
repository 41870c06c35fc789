/* SPDX-License-Identifier: MIT */
/* Fuzzes hipify-perl's lexer and translator: any bytes make tokens that lie in order with nothing
 * but blanks and comments between them, a translation ends, and a source in which nothing was
 * counted comes out as it went in. */
#include "fuzz/mutate.h"
#include "source.h"

static const char seed_source[] =
    "#pragma once\n#include <cuda_runtime.h>\n#include \"cublas_v2.h\"\n"
    "#if defined(X) && (CUDA_VERSION >= 11000 || 1 << 3) // c\n#define R(k, ...) \\\n  k<<<1, "
    "2>>>(__VA_ARGS__)\n#elif X\n#else\n#endif\n/* cudaFree */\n"
    "template <typename T, int N> __global__ void __launch_bounds__(64) k(T *p, half2 h)\n"
    "{ extern __shared__ float s[]; half2 a = h, b(h); p[threadIdx.x] = a.x + b.y + max(1, 2); }\n"
    "auto r = R\"x(cudaMalloc)x\"; const char *t = u8\"cudaMalloc \\\" 'x'\"; int n = 1'000 + "
    "0x1p-3;\n"
    "int main() { cudaMemcpyToSymbol(v<1, 2>, &x, sizeof(x)); cudaEventCreate(&e, 1);\r\n"
    "n::k<A<B<int>>, 3><<<dim3(1, 2), f<2>(a, b), 0, s>>>(x, y);\n"
    "  cuOccupancyMaxPotentialBlockSize(&g, &b, f, 0, n, l); cudnnSoftmaxForward(h, a, m, p1, x, "
    "d, p2, y, e);\n"
    "  cusparseDgtsvInterleavedBatch(h, 0, 1, a, b, c, d, 7, 8); (*q)<<<1, 2>>>(); o->k[3]<<<1, "
    "2>>>();\n"
    "  cub::X x; ::cub::Y y; thrust::cuda::par; cudaUnknown(); cudaDataType t; }\n#endif\n";

static void
begin(void)
{
    if (!ls_names_init() || !ls_calls_init())
        exit(2);
}

static size_t
compose(struct fuzz_random *r, char *text, size_t cap)
{
    return fuzz_compose(r, seed_source, sizeof(seed_source) - 1, text, cap);
}

static bool
are_in_order(const char *text, size_t bytes)
{
    struct ls_tokens tokens;
    uint32_t at = 0;
    bool ok = true;

    if (!ls_lex(text, bytes, &tokens))
        return false;
    for (size_t i = 0; ok && i < tokens.n; i++) {
        const struct ls_token *t = &tokens.v[i];

        ok = t->at >= at && t->at + t->bytes <= bytes &&
             t->bytes >= (t->kind < LS_TOKEN_DIRECTIVE_END);
        if (ok && t->at > at) /* what no token holds is blank, or a comment that begins there */
            ok = strchr(" \t\v\f\r\n\\/", text[at]) && text[at];
        at = t->at + t->bytes;
    }
    ok = ok && tokens.n && tokens.v[tokens.n - 1].kind == LS_TOKEN_END;
    ls_tokens_free(&tokens);
    if (!ok)
        printf("hipify: tokens are not in order\n");
    return ok;
}

static bool
one(uint64_t seed)
{
    struct fuzz_random r = {seed};
    static char buffer[1 << 14];
    struct ls_hipify_options opt = {.quiet_warnings = fuzz_below(&r, 4) != 0,
                                    .hip_launches = fuzz_below(&r, 2),
                                    .dynamic_shared = fuzz_below(&r, 2),
                                    .roc = fuzz_below(&r, 2),
                                    .experimental = fuzz_below(&r, 2),
                                    .skip_excluded = fuzz_below(&r, 2),
                                    .amap = fuzz_below(&r, 2)};
    size_t n = compose(&r, buffer, sizeof(buffer) - 1), out_bytes = 0;
    char *text = malloc(n + 1), *out; /* of just that size, so that sanitizers see its end */
    struct ls_stats stats;
    bool ok;

    opt.miopen = opt.roc && fuzz_below(&r, 2);
    if (!text || !ls_stats_init(&stats, "fuzz"))
        exit(2);
    memcpy(text, buffer, n);
    text[n] = 0;
    ok = are_in_order(text, n);
    out = ls_translate(&opt, "fuzz", text, n, NULL, &stats, &out_bytes);
    if (!out) {
        printf("hipify: no translation\n");
        ok = false;
    } else if (!stats.touched_lines && (out_bytes != n || memcmp(out, text, n) != 0)) {
        printf("hipify: nothing was touched, and it is not the same\n");
        ok = false;
    }
    ls_stats_free(&stats);
    free(text);
    free(out);
    return ok;
}

int
main(int argc, char **argv)
{
    return fuzz_main(argc, argv, &(struct fuzzer){"hipify", begin, one});
}
