/* SPDX-License-Identifier: MIT */
/* LLVM's "User Guide for AMDGPU Backend" has the note: a map whose "amdhsa.kernels" is an array of
 * maps. */
#include "base/codeobject.h"

#include <elf.h>
#include <string.h>

#define NT_AMDGPU_METADATA 32u
#define MAX_DEPTH          16u

const void *
ls_codeobject_notes(const void *elf, size_t bytes, size_t *notes_bytes)
{
    const char *base = elf;
    Elf64_Ehdr h;

    if (bytes < sizeof(h))
        return NULL;
    memcpy(&h, base, sizeof(h));
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_phentsize != sizeof(Elf64_Phdr) || h.e_phoff > bytes ||
        (size_t)h.e_phnum * sizeof(Elf64_Phdr) > bytes - h.e_phoff)
        return NULL;
    for (size_t i = 0; i < h.e_phnum; i++) {
        Elf64_Phdr p;

        memcpy(&p, base + h.e_phoff + i * sizeof(p), sizeof(p));
        if (p.p_type != PT_NOTE || p.p_offset > bytes || p.p_filesz > bytes - p.p_offset)
            continue;
        for (uint64_t at = 0; p.p_filesz - at >= sizeof(Elf64_Nhdr);) {
            const char *note = base + p.p_offset + at;
            uint64_t name, desc;
            Elf64_Nhdr n;

            memcpy(&n, note, sizeof(n));
            name = ((uint64_t)n.n_namesz + 3) / 4 * 4;
            desc = ((uint64_t)n.n_descsz + 3) / 4 * 4;
            if (name + desc > p.p_filesz - at - sizeof(n))
                break;
            if (n.n_type == NT_AMDGPU_METADATA && n.n_namesz == 7 &&
                memcmp(note + sizeof(n), "AMDGPU", 7) == 0) {
                *notes_bytes = n.n_descsz;
                return note + sizeof(n) + name;
            }
            at += sizeof(n) + name + desc;
        }
    }
    return NULL;
}

/* msgpack */

struct reader {
    const unsigned char *at, *end;
};

enum kind { BROKEN = 0, NUMBER, TEXT, MAP, ARRAY, OTHER };

struct item {
    enum kind kind;
    uint64_t value;   /* NUMBER; MAP, ARRAY: how many follow; TEXT, OTHER: bytes */
    const char *text; /* TEXT */
};

/* A big-endian number of 1 to 8 bytes. */
static bool
number(struct reader *r, unsigned bytes, uint64_t *out)
{
    if ((size_t)(r->end - r->at) < bytes)
        return false;
    for (*out = 0; bytes > 0; bytes--)
        *out = *out << 8 | *r->at++;
    return true;
}

static struct item
payload(struct reader *r, enum kind kind, uint64_t bytes)
{
    struct item it = {.kind = kind, .value = bytes, .text = (const char *)r->at};

    if (bytes > (size_t)(r->end - r->at))
        return (struct item){BROKEN, 0, NULL};
    r->at += bytes;
    return it;
}

/* Items that begin with a byte above 0xbf, in order: their kind, bytes of the number that follows,
 * and bytes behind that number. */
static const struct {
    unsigned char kind, bytes, more;
} forms[0x20] = {
    {OTHER, 0, 0},  {BROKEN, 0, 0}, {NUMBER, 0, 0}, {NUMBER, 0, 0}, /* nil, -, false, true */
    {OTHER, 1, 0},  {OTHER, 2, 0},  {OTHER, 4, 0},                  /* bin */
    {OTHER, 1, 1},  {OTHER, 2, 1},  {OTHER, 4, 1},                  /* ext: and a type */
    {OTHER, 0, 4},  {OTHER, 0, 8},                                  /* floats */
    {NUMBER, 1, 0}, {NUMBER, 2, 0}, {NUMBER, 4, 0}, {NUMBER, 8, 0}, /* unsigned */
    {NUMBER, 1, 0}, {NUMBER, 2, 0}, {NUMBER, 4, 0}, {NUMBER, 8, 0}, /* signed: none is needed */
    {OTHER, 0, 2},  {OTHER, 0, 3},  {OTHER, 0, 5},  {OTHER, 0, 9},  {OTHER, 0, 17}, /* fixed ext */
    {TEXT, 1, 0},   {TEXT, 2, 0},   {TEXT, 4, 0},                                   /* str */
    {ARRAY, 2, 0},  {ARRAY, 4, 0},  {MAP, 2, 0},    {MAP, 4, 0},
};

static struct item
next(struct reader *r)
{
    const struct item broken = {BROKEN, 0, NULL};
    uint64_t n = 0;
    unsigned b;

    if (r->at == r->end)
        return broken;
    b = *r->at++;
    if (b < 0x80)
        return (struct item){NUMBER, b, NULL};
    if (b < 0x90)
        return (struct item){MAP, b & 15, NULL};
    if (b < 0xa0)
        return (struct item){ARRAY, b & 15, NULL};
    if (b < 0xc0)
        return payload(r, TEXT, b & 31);
    if (b >= 0xe0)
        return (struct item){NUMBER, 0, NULL}; /* negative */
    b -= 0xc0;
    if (!number(r, forms[b].bytes, &n))
        return broken;
    if (forms[b].kind == NUMBER && forms[b].bytes == 0)
        n = b == 3; /* true */
    if (forms[b].kind == TEXT || forms[b].kind == OTHER)
        return payload(r, (enum kind)forms[b].kind, n + forms[b].more);
    return (struct item){(enum kind)forms[b].kind, n, NULL};
}

/* Skips all that belongs to the item `it`. The number of items in it may be wrong: each takes at
 * least a byte, so this stops at the end of the text. */
static bool
skip(struct reader *r, struct item it, unsigned depth)
{
    uint64_t n = it.kind == MAP ? 2 * it.value : it.kind == ARRAY ? it.value : 0;

    if (it.kind == BROKEN || depth > MAX_DEPTH)
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (!skip(r, next(r), depth + 1))
            return false;
    return true;
}

static bool
is(struct item it, const char *text)
{
    return it.kind == TEXT && it.value == strlen(text) && memcmp(it.text, text, it.value) == 0;
}

/* A number of the metadata, and the largest that is believed. */
struct field {
    const char *key;
    size_t offset;
    uint32_t most;
};

/* The rows' offsets are those of a struct ls_metadata_kernel. */
#define NEEDS(member) offsetof(struct ls_metadata_kernel, needs.member)
static const struct field kernel_fields[] = {
    {".vgpr_count", NEEDS(vgprs), 4096},
    {".agpr_count", NEEDS(agprs), 4096},
    {".sgpr_count", NEEDS(sgprs), 4096},
    {".private_segment_fixed_size", NEEDS(private_bytes), 1u << 30},
    {".group_segment_fixed_size", NEEDS(lds_bytes), 1u << 30},
    {".max_flat_workgroup_size", NEEDS(max_threads), 1u << 20},
    {".wavefront_size", NEEDS(wave), 64},
    {".kernarg_segment_size", offsetof(struct ls_metadata_kernel, kernarg_bytes), 1u << 20},
    {".sgpr_spill_count", offsetof(struct ls_metadata_kernel, sgpr_spills), 1u << 30},
    {".vgpr_spill_count", offsetof(struct ls_metadata_kernel, vgpr_spills), 1u << 30},
    {NULL, 0, 0},
};
static const struct field arg_fields[] = {
    {".offset", offsetof(struct ls_metadata_arg, offset), 1u << 20},
    {".size", offsetof(struct ls_metadata_arg, bytes), 1u << 20},
    {NULL, 0, 0},
};

/* Takes the number if its key is in the table. False: it is none that can be. */
static bool
take_number(const struct field *table, struct item key, struct item value, void *out)
{
    uint32_t v = (uint32_t)value.value;

    for (const struct field *f = table; f->key; f++) {
        if (!is(key, f->key))
            continue;
        if (value.kind != NUMBER || value.value > f->most)
            return false;
        memcpy((char *)out + f->offset, &v, sizeof(v));
    }
    return true;
}

static void
take_text(struct item key, const char *name, struct item value, struct ls_metadata_text *out)
{
    if (is(key, name) && value.kind == TEXT)
        *out = (struct ls_metadata_text){value.text, value.value};
}

/* Reads the map of one kernel, of n pairs. *args becomes where the list of its arguments begins. */
static bool
read_kernel(struct reader *r, uint64_t n, struct ls_metadata_kernel *out, struct reader *args)
{
    *out = (struct ls_metadata_kernel){.n_args = 0};
    for (uint64_t i = 0; i < n; i++) {
        struct item key = next(r), value = next(r);

        if (is(key, ".args") && value.kind == ARRAY) {
            *args = *r;
            out->n_args = value.value < UINT32_MAX ? (uint32_t)value.value : UINT32_MAX;
        }
        if (key.kind != TEXT || value.kind == BROKEN || !skip(r, value, 0))
            return false;
        take_text(key, ".name", value, &out->name);
        if (is(key, ".workgroup_processor_mode"))
            out->needs.is_wgp_mode = value.kind == NUMBER && value.value != 0;
        if (!take_number(kernel_fields, key, value, out))
            return false;
    }
    return true;
}

static bool
read_arg(struct reader *r, struct ls_metadata_arg *out)
{
    struct item map = next(r);

    *out = (struct ls_metadata_arg){.offset = 0};
    for (uint64_t i = 0; map.kind == MAP && i < map.value; i++) {
        struct item key = next(r), value = next(r);

        if (key.kind != TEXT || value.kind == BROKEN || !skip(r, value, 0) ||
            !take_number(arg_fields, key, value, out))
            return false;
        take_text(key, ".name", value, &out->name);
        take_text(key, ".type_name", value, &out->type);
        take_text(key, ".value_kind", value, &out->kind);
        take_text(key, ".address_space", value, &out->space);
    }
    return map.kind == MAP;
}

/* Goes to the list of kernels; *n becomes how many it has. */
static bool
find_kernels(struct reader *r, uint64_t *n)
{
    struct item top = next(r), key, list;

    for (uint64_t i = 0; top.kind == MAP && i < top.value; i++) {
        key = next(r);
        list = next(r);
        if (is(key, "amdhsa.kernels")) {
            *n = list.value;
            return list.kind == ARRAY;
        }
        if (key.kind != TEXT || !skip(r, list, 0))
            return false;
    }
    return false;
}

static bool
next_kernel(struct reader *r, struct ls_metadata_kernel *out, struct reader *args)
{
    struct item map = next(r);

    return map.kind == MAP && read_kernel(r, map.value, out, args);
}

bool
ls_codeobject_kernel(const void *notes, size_t bytes, const char *kernel, struct ls_resources *out)
{
    struct reader r = {notes, (const unsigned char *)notes + bytes}, args = r;
    struct ls_metadata_kernel k;
    uint64_t n;

    if (!find_kernels(&r, &n))
        return false;
    for (uint64_t i = 0; i < n && next_kernel(&r, &k, &args); i++)
        if (k.name.at && k.name.n == strlen(kernel) && memcmp(k.name.at, kernel, k.name.n) == 0) {
            *out = k.needs;
            return (out->wave == 32 || out->wave == 64) && out->max_threads > 0;
        }
    return false;
}

bool
ls_codeobject_visit(const void *notes, size_t bytes, const struct ls_metadata_visitor *visitor)
{
    struct reader r = {notes, (const unsigned char *)notes + bytes}, args = r;
    struct ls_metadata_kernel k;
    struct ls_metadata_arg arg;
    uint64_t n;

    if (!find_kernels(&r, &n))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!next_kernel(&r, &k, &args))
            return false;
        visitor->kernel(visitor->user, &k);
        for (uint32_t a = 0; a < k.n_args; a++) {
            if (!read_arg(&args, &arg))
                return false;
            visitor->arg(visitor->user, &arg);
        }
    }
    return true;
}
