/* SPDX-License-Identifier: MIT */
/* Strings of JSON. */
#include <string.h>

#include "front.h"

void
put_text(FILE *to, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        unsigned n = *c < 0x80 ? 0 : *c >= 0xf0 ? 3 : *c >= 0xe0 ? 2 : 1, k = 1;

        if (*c == '"' || *c == '\\') {
            fprintf(to, "\\%c", *c);
        } else if (*c < 0x20) {
            fprintf(to, "\\u%04x", *c);
        } else if (!n) {
            fputc(*c, to);
        } else {
            while (k <= n && (c[k] & 0xc0) == 0x80)
                k++;
            if (*c < 0xc2 || *c > 0xf4 || k <= n) {
                fputc('?', to);
                continue;
            }
            fwrite(c, 1, n + 1, to);
            c += n;
        }
    }
}

void
put_string(FILE *to, const char *text)
{
    fputc('"', to);
    put_text(to, text);
    fputc('"', to);
}

void
put_member(FILE *to, const char *name, const char *text)
{
    put_string(to, name);
    fputc(':', to);
    put_string(to, text);
}
