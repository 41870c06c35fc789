/* SPDX-License-Identifier: MIT */
/* hipify-perl's lexer and translator: tokens lie in order, every source is translated, and one in
 * which nothing was counted comes out as it went in. The last byte chooses the options. */
#include <string.h>

#include "guided.h"
#include "source.h"

static void
check_tokens(const char *text, size_t n)
{
    struct ls_tokens tokens;
    uint32_t at = 0;

    GUIDED_ASSERT(ls_lex(text, n, &tokens));
    for (size_t i = 0; i < tokens.n; i++) {
        const struct ls_token *t = &tokens.v[i];

        GUIDED_ASSERT(t->at >= at && t->at + t->bytes <= n);
        GUIDED_ASSERT(t->bytes >= (t->kind < LS_TOKEN_DIRECTIVE_END));
        if (t->at > at) /* what no token holds is blank, or a comment that begins there */
            GUIDED_ASSERT(text[at] && strchr(" \t\v\f\r\n\\/", text[at]));
        at = t->at + t->bytes;
    }
    GUIDED_ASSERT(tokens.n && tokens.v[tokens.n - 1].kind == LS_TOKEN_END);
    ls_tokens_free(&tokens);
}

int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
    static bool begun;
    unsigned bits = n ? input[n - 1] : 0;
    struct ls_hipify_options opt = {.quiet_warnings = true,
                                    .hip_launches = bits & 1,
                                    .dynamic_shared = bits & 2,
                                    .roc = bits & 4,
                                    .experimental = bits & 8,
                                    .skip_excluded = bits & 16,
                                    .amap = bits & 32,
                                    .miopen = (bits & 4) && (bits & 64)};
    char *text = malloc(n + 1), *out;
    struct ls_stats stats;
    size_t out_bytes;

    if (!begun && (!ls_names_init() || !ls_calls_init()))
        exit(2);
    begun = true;
    if (!text || !ls_stats_init(&stats, "fuzz"))
        exit(2);
    if (n)
        memcpy(text, input, n);
    text[n] = 0;
    check_tokens(text, n);
    out = ls_translate(&opt, "fuzz", text, n, NULL, &stats, &out_bytes);
    GUIDED_ASSERT(out && !out[out_bytes]);
    if (!stats.touched_lines)
        GUIDED_ASSERT(out_bytes == n && !memcmp(out, text, n));
    ls_stats_free(&stats);
    free(text);
    free(out);
    return 0;
}
