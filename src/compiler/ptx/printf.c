/* SPDX-License-Identifier: MIT */
/* printf by the driver's vprintf(format, arguments). Clang has made a chain of calls of each printf
 * that carry its format, its strings and its numbers, all numbers in 64 bits; vprintf wants each as
 * wide as the format says, and knows fewer formats than C. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

#define PREFIX   "__ockl_printf_"
#define MAX_ARGS 128u

/* ---- The chain ---- */

static bool
is_part(LLVMValueRef inst, const char *which)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name && ls_ir_has_prefix(name, PREFIX) && ls_ir_has_prefix(name + strlen(PREFIX), which);
}

static bool
is_last(LLVMValueRef call)
{
    LLVMValueRef flag;

    if (!is_part(call, "append_"))
        return false;
    flag = LLVMGetOperand(call, LLVMGetNumArgOperands(call) - 1);
    return LLVMIsAConstantInt(flag) && LLVMConstIntGetZExtValue(flag) != 0;
}

struct arguments {
    LLVMValueRef format, list[MAX_ARGS]; /* strings as pointers */
    unsigned n;
};

static bool
add_argument(struct arguments *a, LLVMValueRef v)
{
    if (a->n == MAX_ARGS)
        return false;
    a->list[a->n++] = v;
    return true;
}

/* From the last call back to the first, and then in order. */
static bool
collect(LLVMValueRef last, struct arguments *a)
{
    LLVMValueRef links[MAX_ARGS + 1], at = last;
    unsigned n = 0;

    for (; is_part(at, "append_"); at = LLVMGetOperand(at, 0)) {
        if (n > MAX_ARGS)
            return false;
        links[n++] = at;
    }
    if (!is_part(at, "begin") || n == 0 || !is_part(links[n - 1], "append_string_n"))
        return false;
    a->format = LLVMGetOperand(links[n - 1], 1);
    a->n = 0;
    for (unsigned i = n - 1; i-- > 0;) {
        LLVMValueRef count = LLVMGetOperand(links[i], 1);

        if (is_part(links[i], "append_string_n")) {
            if (!add_argument(a, count)) /* the string */
                return false;
            continue;
        }
        if (!LLVMIsAConstantInt(count))
            return false;
        for (unsigned k = 0; k < LLVMConstIntGetZExtValue(count); k++)
            if (!add_argument(a, LLVMGetOperand(links[i], 2 + k)))
                return false;
    }
    return true;
}

/* The text that a pointer leads to, with its NUL; NULL: that is not known. */
static const char *
text_of(LLVMValueRef v)
{
    LLVMValueRef text;
    size_t n;
    const char *s;

    while (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMAddrSpaceCast)
        v = LLVMGetOperand(v, 0);
    if (!LLVMIsAGlobalVariable(v) || !LLVMIsGlobalConstant(v) || !LLVMGetInitializer(v))
        return NULL;
    text = LLVMGetInitializer(v);
    if (LLVMIsNull(text))
        return "";
    if (!LLVMIsConstantString(text))
        return NULL;
    s = LLVMGetAsString(text, &n);
    return memchr(s, 0, n) ? s : NULL;
}

/* ---- The format ---- */

enum kind { KIND_INT = 1, KIND_LONG, KIND_DOUBLE, KIND_STRING, KIND_POINTER };

struct conversion {
    enum kind kind;
    unsigned bits; /* of an integer that is converted to a smaller one first; 0 */
    bool is_signed;
    unsigned n_stars; /* ints in front of it */
};

struct format {
    const char *at;
    char *out; /* rewritten, as long as the original and one character more for each of it */
};

static void
put(struct format *f, char c)
{
    *f->out++ = c;
}

static unsigned
length_bits(struct format *f)
{
    unsigned bits = 32;

    for (;; f->at++)
        switch (*f->at) {
        case 'h':
            bits = bits == 32 ? 16 : 8;
            break;
        case 'l':
        case 'q':
        case 'j':
        case 'z':
        case 't':
            bits = 64;
            break;
        case 'L':
            break;
        default:
            return bits;
        }
}

/* Behind its '%'. False: a conversion that the driver does not have. */
static bool
read_conversion(struct format *f, struct conversion *c)
{
    char letter;
    unsigned bits;
    bool wide;

    *c = (struct conversion){0};
    for (; strchr("-+ #0123456789.*'", *f->at) && *f->at; f->at++) {
        c->n_stars += *f->at == '*';
        if (*f->at != '\'')
            put(f, *f->at);
    }
    bits = length_bits(f);
    wide = bits == 64;
    letter = *f->at++;
    switch (letter) {
    case 'd':
    case 'i':
        c->is_signed = true;
        /* fall through */
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        c->kind = wide ? KIND_LONG : KIND_INT;
        c->bits = bits < 32 ? bits : 0;
        if (wide) {
            put(f, 'l');
            put(f, 'l');
        }
        break;
    case 'c':
        c->kind = KIND_INT;
        break;
    case 'F':
        letter = 'f';
        /* fall through */
    case 'f':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        c->kind = KIND_DOUBLE;
        wide = false;
        break;
    case 's':
        c->kind = KIND_STRING;
        break;
    case 'p':
        c->kind = KIND_POINTER;
        break;
    default:
        return false;
    }
    put(f, letter);
    return !wide || c->kind == KIND_LONG; /* no characters of several bytes */
}

/* ---- The call ---- */

struct packet {
    struct ls_ptx *p;
    struct arguments *args;
    unsigned next; /* argument */
    LLVMValueRef values[2 * MAX_ARGS];
    unsigned n;
};

static LLVMValueRef
next_argument(struct packet *k)
{
    return k->next < k->args->n ? k->args->list[k->next++] : LLVMConstNull(k->p->i64);
}

static LLVMValueRef
as_integer(struct packet *k, LLVMValueRef v, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind)
        v = LLVMBuildPtrToInt(k->p->b, v, k->p->i64, "");
    return LLVMBuildIntCast2(k->p->b, v, type, false, "");
}

static void
add_value(struct packet *k, const struct conversion *c)
{
    LLVMBuilderRef b = k->p->b;
    LLVMValueRef v;

    for (unsigned i = 0; i < c->n_stars; i++)
        k->values[k->n++] = as_integer(k, next_argument(k), k->p->i32);
    v = next_argument(k);
    if (c->kind != KIND_INT) {
        k->values[k->n++] = as_integer(k, v, k->p->i64);
        return;
    }
    v = as_integer(k, v, k->p->i32);
    if (c->bits) {
        v = LLVMBuildTrunc(b, v, LLVMIntTypeInContext(k->p->cc->llvm, c->bits), "");
        v = LLVMBuildIntCast2(b, v, k->p->i32, c->is_signed, "");
    }
    k->values[k->n++] = v;
}

/* What a format wants. */
struct wants {
    struct conversion list[MAX_ARGS];
    unsigned n;
};

/* Writes the driver's format to `out`. */
static bool
translate(const char *text, char *out, struct wants *w)
{
    struct format f = {.at = text, .out = out};

    while (*f.at) {
        char letter = *f.at++;

        put(&f, letter);
        if (letter != '%')
            continue;
        if (*f.at == '%') {
            put(&f, *f.at++);
            continue;
        }
        if (w->n == MAX_ARGS || !read_conversion(&f, &w->list[w->n]))
            return false;
        w->n++;
    }
    put(&f, 0);
    return true;
}

static bool
want_the_same(const struct wants *a, const struct wants *b)
{
    for (unsigned i = 0; i < a->n && i < b->n; i++)
        if (a->list[i].kind != b->list[i].kind || a->list[i].bits != b->list[i].bits ||
            (a->list[i].bits && a->list[i].is_signed != b->list[i].is_signed) ||
            a->list[i].n_stars != b->list[i].n_stars)
            return false;
    return a->n == b->n;
}

/* A variable of the thread's own with the values, each where its size wants it. */
static LLVMValueRef
store_values(struct packet *k)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(k->p->cc->llvm);
    LLVMTypeRef type, types[2 * MAX_ARGS];
    LLVMValueRef room;

    for (unsigned i = 0; i < k->n; i++)
        types[i] = LLVMTypeOf(k->values[i]);
    type = LLVMStructTypeInContext(k->p->cc->llvm, types, k->n, false);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(k->p->fn)));
    room = LLVMBuildAlloca(b, type, "");
    LLVMSetAlignment(room, 8);
    LLVMDisposeBuilder(b);
    for (unsigned i = 0; i < k->n; i++)
        LLVMBuildStore(k->p->b, k->values[i], LLVMBuildStructGEP2(k->p->b, type, room, i, ""));
    return LLVMTypeOf(room) == k->p->ptr ? room
                                         : LLVMBuildAddrSpaceCast(k->p->b, room, k->p->ptr, "");
}

static LLVMValueRef
place_text(struct ls_ptx *p, const char *text)
{
    LLVMValueRef s = LLVMConstStringInContext(p->cc->llvm, text, (unsigned)strlen(text), false), g;

    g = LLVMAddGlobalInAddressSpace(p->cc->mod, LLVMTypeOf(s), "ls_format", LS_SPACE_GLOBAL);
    LLVMSetInitializer(g, s);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    return LLVMConstAddrSpaceCast(g, p->ptr);
}

/* The formats of one call: where calls were joined, it is chosen among several, which must want the
 * same. */
struct wording {
    struct ls_ptx *p;
    struct wants *wants; /* NULL: none was seen so far */
    const char *refused; /* a text with a conversion that the driver does not have */
};

#define MAX_CHOICES 8u /* one within the other */

static LLVMValueRef choose(struct wording *w, LLVMValueRef v, unsigned depth);

static LLVMValueRef
place_format(struct wording *w, const char *text)
{
    char *out = ls_arena_alloc(w->p->cc->arena, 2 * strlen(text) + 1);
    struct wants *wants = ls_arena_alloc(w->p->cc->arena, sizeof(*wants));

    wants->n = 0;
    if (!translate(text, out, wants)) {
        w->refused = text;
        return NULL;
    }
    if (w->wants && !want_the_same(wants, w->wants))
        return NULL;
    w->wants = wants;
    return place_text(w->p, out);
}

static LLVMValueRef
choose_by_phi(struct wording *w, LLVMValueRef phi, unsigned depth)
{
    LLVMValueRef chosen;

    LLVMPositionBuilderBefore(w->p->b, phi);
    chosen = LLVMBuildPhi(w->p->b, w->p->ptr, "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef v = choose(w, LLVMGetIncomingValue(phi, i), depth);

        if (!v)
            return NULL;
        LLVMAddIncoming(chosen, &v, &from, 1);
    }
    return chosen;
}

/* What the driver gets for a format; NULL: it is not known. */
static LLVMValueRef
choose(struct wording *w, LLVMValueRef v, unsigned depth)
{
    const char *text = text_of(v);
    LLVMValueRef yes, no;

    if (text)
        return place_format(w, text);
    if (depth == MAX_CHOICES)
        return NULL;
    if (LLVMIsAAddrSpaceCastInst(v))
        return choose(w, LLVMGetOperand(v, 0), depth + 1);
    if (LLVMIsAPHINode(v))
        return choose_by_phi(w, v, depth + 1);
    if (!LLVMIsASelectInst(v))
        return NULL;
    yes = choose(w, LLVMGetOperand(v, 1), depth + 1);
    no = yes ? choose(w, LLVMGetOperand(v, 2), depth + 1) : NULL;
    if (!no)
        return NULL;
    LLVMPositionBuilderBefore(w->p->b, v);
    return LLVMBuildSelect(w->p->b, LLVMGetOperand(v, 0), yes, no, "");
}

static bool
replace(struct ls_ptx *p, LLVMValueRef last)
{
    struct ls_arena *arena = p->cc->arena;
    struct arguments *a = ls_arena_alloc(arena, sizeof(*a));
    struct packet *k = ls_arena_alloc(arena, sizeof(*k));
    struct wording w = {.p = p};
    LLVMValueRef args[2], v;

    if (!collect(last, a))
        return ls_diag(p->cc, LS_DIAG_ERROR, last,
                       "printf of several formats in one place is not supported on NVIDIA GPUs");
    args[0] = choose(&w, a->format, 0);
    if (w.refused)
        return ls_diag(p->cc, LS_DIAG_ERROR, last,
                       "printf: \"%.60s\" has a conversion that NVIDIA GPUs do not have",
                       w.refused);
    if (!args[0])
        return ls_diag(p->cc, LS_DIAG_ERROR, last,
                       "printf with a format that is not a string literal is not supported on "
                       "NVIDIA GPUs");
    *k = (struct packet){.p = p, .args = a};
    LLVMPositionBuilderBefore(p->b, last);
    for (unsigned i = 0; i < w.wants->n; i++) {
        if (k->n + w.wants->list[i].n_stars + 1 > 2 * MAX_ARGS)
            return ls_diag(p->cc, LS_DIAG_ERROR, last, "printf of more than %u values",
                           2 * MAX_ARGS);
        add_value(k, &w.wants->list[i]);
    }
    args[1] = k->n ? store_values(k) : LLVMConstNull(p->ptr);
    v = ls_ptx_call_system(p, "vprintf", p->i32, args, 2);
    LLVMReplaceAllUsesWith(last, LLVMBuildSExt(p->b, v, LLVMTypeOf(last), ""));
    LLVMInstructionEraseFromParent(last);
    return true;
}

/* Calls that nobody uses any more, the last first. */
static void
drop_chains(LLVMValueRef fn)
{
    bool any = true;

    while (any) {
        any = false;
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetLastInstruction(bb), before; i; i = before) {
                before = LLVMGetPreviousInstruction(i);
                if (!LLVMGetFirstUse(i) && (is_part(i, "begin") || is_part(i, "append_"))) {
                    LLVMInstructionEraseFromParent(i);
                    any = true;
                }
            }
    }
}

bool
ls_ptx_print(struct ls_ptx *p)
{
    bool any = false;

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(p->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!is_last(i))
                continue;
            any = true;
            if (!replace(p, i))
                return false;
        }
    if (any)
        drop_chains(p->fn);
    return true;
}
