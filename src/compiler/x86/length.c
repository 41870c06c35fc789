/* SPDX-License-Identifier: MIT */
/* What an instruction's length takes: its prefixes, whether its opcode has a ModRM byte, and the
 * bytes of its constants. LLVM's disassembler knows that, too, with 2.5 MB of tables. */
#include "compiler/x86/length.h"

#include <stdbool.h>
#include <string.h>

/* Of an opcode: M ModRM, b one byte of constant, B both, z four bytes (two behind 66), Z ModRM and
 * four; - nothing, x none known. The others are looked at by name. */
static const char one_byte[] = "MMMMbzxxMMMMbzxx" /* 00 */
                               "MMMMbzxxMMMMbzxx"
                               "MMMMbzxxMMMMbzxx" /* 20 */
                               "MMMMbzxxMMMMbzxx"
                               "xxxxxxxxxxxxxxxx" /* 40: REX */
                               "----------------"
                               "xxxMxxxxzZbB----" /* 60 */
                               "bbbbbbbbbbbbbbbb"
                               "BZxBMMMMMMMMMMMM" /* 80 */
                               "----------x-----"
                               "oooo----bz------" /* a0 */
                               "bbbbbbbbvvvvvvvv"
                               "BBw-xxBZe-w--bx-" /* c0 */
                               "MMMMxxx-MMMMMMMM"
                               "bbbbbbbbjjxb----" /* e0 */
                               "x-xx--tt------MM";
static const char two_bytes[] = "MMMMx-----x-xM-B" /* 0f 00 */
                                "MMMMMMMMMMMMMMMM"
                                "MMMMxxxxMMMMMMMM" /* 20 */
                                "--------xxxxxxxx"
                                "MMMMMMMMMMMMMMMM" /* 40 */
                                "MMMMMMMMMMMMMMMM"
                                "MMMMMMMMMMMMMMMM" /* 60 */
                                "BBBBMMM-MMMMMMMM"
                                "jjjjjjjjjjjjjjjj" /* 80 */
                                "MMMMMMMMMMMMMMMM"
                                "---MBMxx---MBMMM" /* a0 */
                                "MMMMMMMMMMBMMMMM"
                                "MMBMBBBM--------" /* c0 */
                                "MMMMMMMMMMMMMMMM"
                                "MMMMMMMMMMMMMMMM" /* e0 */
                                "MMMMMMMMMMMMMMMM";

/* What ModRM and what belongs to it take; more than n when it does not end. */
static size_t
modrm_bytes(const unsigned char *p, size_t n)
{
    unsigned mod, rm;
    size_t bytes = 1;

    if (n == 0)
        return 1;
    mod = p[0] >> 6;
    rm = p[0] & 7;
    if (mod == 3)
        return 1;
    if (rm == 4) {
        bytes++;
        if (n > 1 && mod == 0 && (p[1] & 7) == 5)
            bytes += 4;
    } else if (mod == 0 && rm == 5) {
        bytes += 4;
    }
    return bytes + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* The constant and ModRM of an opcode of this form, which lie at p. -1: not known. */
static long
rest(char form, const unsigned char *p, size_t n, bool is_short, bool is_wide, bool is_near)
{
    size_t modrm = modrm_bytes(p, n);

    switch (form) {
    case '-':
        return 0;
    case 'M':
        return (long)modrm;
    case 'b':
        return 1;
    case 'B':
        return (long)modrm + 1;
    case 'z':
        return is_short ? 2 : 4;
    case 'Z':
        return (long)modrm + (is_short ? 2 : 4);
    case 'j': /* jumps are of four bytes whatever is before them */
        return 4;
    case 'w':
        return 2;
    case 'e': /* enter */
        return 3;
    case 'o': /* an address */
        return is_near ? 4 : 8;
    case 'v': /* mov to a register */
        return is_wide ? 8 : is_short ? 2 : 4;
    default:
        return -1;
    }
}

size_t
ls_x86_length(const unsigned char *code, size_t n)
{
    bool is_short = false, is_wide = false, is_near = false;
    size_t at = 0;
    unsigned opcode, map;
    char form;
    long more;

    for (; at < n && at < 15 && code[at] && strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3",
                                                   code[at]);
         at++) {
        is_short |= code[at] == 0x66;
        is_near |= code[at] == 0x67;
    }
    if (at < n && (code[at] & 0xf0) == 0x40)
        is_wide = code[at++] & 8;
    if (at >= n)
        return 0;
    opcode = code[at++];
    form = one_byte[opcode];
    if (opcode == 0xc5 || opcode == 0xc4 || opcode == 0x62) { /* VEX of 2 and 3 bytes, EVEX */
        size_t payload = opcode == 0xc5 ? 1 : opcode == 0xc4 ? 2 : 3;

        if (n - at < payload + 1)
            return 0;
        map = opcode == 0xc5 ? 1 : code[at] & (opcode == 0x62 ? 7 : 31);
        at += payload;
        opcode = code[at++];
        form = map == 1                             ? two_bytes[opcode]
               : map == 2 || map == 5 || map == 6   ? 'M'
               : map == 3                           ? 'B'
                                                    : 'x';
        if (form == '-' && opcode != 0x77)
            return 0;
    } else if (opcode == 0x0f) {
        if (at >= n)
            return 0;
        opcode = code[at++];
        form = two_bytes[opcode];
        if (opcode == 0x38 || opcode == 0x3a) {
            form = opcode == 0x38 ? 'M' : 'B';
            at++;
        }
        if (at > n)
            return 0;
    } else if (form == 't') { /* test, and others of the same opcode without a constant */
        form = at < n && (code[at] & 0x38) > 0x08 ? 'M' : opcode == 0xf6 ? 'B' : 'Z';
    } else if (opcode == 0x8f && at < n && (code[at] & 0x38)) {
        return 0; /* XOP */
    }
    if (is_wide) /* it goes before 66 */
        is_short = false;
    more = rest(form, code + at, n - at, is_short, is_wide, is_near);
    return more < 0 || (size_t)more > n - at ? 0 : at + (size_t)more;
}
