/* SPDX-License-Identifier: MIT */
/* What pages of lscheck and lsreview share. */
#include "html.h"

const char HTML_STYLE[] =
    ":root{color-scheme:light dark;--fg:#1c2128;--bg:#fff;--soft:#f3f5f8;--rule:#d5dae1;"
    "--dim:#66707d;--bad:#c62f2f;--mid:#9a6a00;--good:#23793a;--cell:#2f6fb3}"
    "@media(prefers-color-scheme:dark){:root{--fg:#d9dee5;--bg:#14171b;--soft:#1d2127;"
    "--rule:#353b44;--dim:#8d97a4;--bad:#ff7b72;--mid:#e3b341;--good:#56d364;--cell:#6cb6ff}}"
    "body{margin:2rem auto;max-width:78rem;padding:0 1rem;font:15px/1.45 system-ui,sans-serif;"
    "color:var(--fg);background:var(--bg)}"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid var(--rule)}"
    "code,pre,.src{font:12.5px/1.5 ui-monospace,monospace}a{color:var(--cell)}"
    "table{border-collapse:collapse}td,th{padding:0 .6rem;text-align:right;white-space:nowrap}"
    "th{font-weight:600;color:var(--dim);font-size:.8rem}.l{text-align:left}"
    ".src td{border:0}.src .t{white-space:pre;text-align:left;border-left:1px solid var(--rule)}"
    ".src .n{color:var(--dim)}.hot{background:var(--soft)}.bad{color:var(--bad);font-weight:600}"
    ".mid{color:var(--mid)}.good{color:var(--good)}.dim{color:var(--dim)}"
    ".f{border-left:4px solid var(--bad);background:var(--soft);margin:.6rem 0;padding:.5rem .8rem}"
    ".ks{display:grid;gap:.6rem;"
    "grid-template-columns:repeat(auto-fill,minmax(min(22rem,100%),1fr))}"
    ".k{border:1px solid var(--rule);padding:.5rem .8rem}.k p{margin:.15rem 0;"
    "overflow-wrap:anywhere}"
    "pre{overflow-x:auto;margin:.4rem 0}.f p{margin:.15rem "
    "0;overflow-wrap:anywhere}.wide{overflow-x:auto}summary{cursor:pointer;color:var(--dim)}"
    "svg text{fill:var(--fg);font:9px ui-monospace,monospace}svg .c{fill:var(--cell)}"
    "svg .b{fill:var(--bad)}svg .o{fill:none;stroke:var(--rule)}.here{background:var(--rule)}"
    ".tag{font:12px ui-monospace,monospace;color:var(--dim);float:right}"
    "svg .r{fill:none;stroke:var(--dim);stroke-width:2}";

void
put_html(FILE *to, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        default:
            if ((unsigned char)*text >= 0x20 || *text == '\t')
                fputc(*text, to);
        }
}
