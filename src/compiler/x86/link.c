/* SPDX-License-Identifier: MIT */
/* A linker for our own objects: one input, three segments, no lazy binding.
 *
 * Layout: [headers, dynamic symbols, relocations, constants] [code, import stubs] [tables with
 * addresses, GOT, dynamic section], each segment on pages of its own, file offset equal to address.
 * Behind them, unmapped: symbol table and debug sections, for gdb and perf. */
#include "compiler/x86/link.h"

#include <elf.h>
#include <string.h>

#define PAGE 4096u

enum segment {
    SEG_NONE = 0,
    SEG_RO,
    SEG_TEXT,
    SEG_RW,
    SEG_DEBUG, /* in the file alone, not loaded */
};

struct section {
    const Elf64_Shdr *sh;
    const char *name;
    enum segment seg;
    uint64_t
        addr; /* of the loaded ones: also the file offset; debug sections: file offset, address 0 */
    unsigned index; /* in the output's section table */
};

struct symbol {
    const Elf64_Sym *sym;
    const char *name;
    bool import;
    unsigned dynsym; /* 0 = none */
    int got, stub;   /* slot numbers, -1 = none */
};

struct linker {
    struct ls_arena *arena;
    const unsigned char *in;
    size_t in_bytes;
    const Elf64_Ehdr *eh;
    struct section *sections;
    unsigned n_sections;
    struct symbol *symbols;
    unsigned n_symbols;
    const char *strings;
    unsigned n_imports, n_exports, n_got, n_stubs, n_dyn_relocs;
    bool needs_libm, has_data;
    /* addresses in the output */
    uint64_t dynsym, dynstr, hash, rela, stubs, got, dynamic, end_ro, text, end_text, rw, end_rw;
    uint64_t symtab, strtab, shstrtab, shdrs;
    size_t dynstr_bytes, strtab_bytes, shstrtab_bytes, out_bytes;
    unsigned char *out;
    Elf64_Rela *next_rela;
};

static bool
in_range(const struct linker *l, uint64_t offset, uint64_t bytes)
{
    return offset <= l->in_bytes && bytes <= l->in_bytes - offset;
}

static bool
has_name(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, list[i]))
            return true;
    return false;
}

static bool
starts_with(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

/* Where a section goes; false: a kind that this linker doesn't know. */
static bool
classify(struct linker *l, struct section *s)
{
    const Elf64_Shdr *sh = s->sh;

    if (!(sh->sh_flags & SHF_ALLOC)) {
        if (starts_with(s->name, ".debug_") && sh->sh_type == SHT_PROGBITS)
            s->seg = SEG_DEBUG;
        return true;
    }
    if (sh->sh_flags & (SHF_TLS | SHF_GROUP | SHF_COMPRESSED))
        return false;
    if (sh->sh_type != SHT_PROGBITS && sh->sh_type != SHT_NOBITS &&
        sh->sh_type != SHT_X86_64_UNWIND)
        return false;
    s->seg = sh->sh_flags & SHF_EXECINSTR ? SEG_TEXT : sh->sh_flags & SHF_WRITE ? SEG_RW : SEG_RO;
    if (s->seg == SEG_TEXT && sh->sh_flags & SHF_WRITE)
        return false;
    if (s->seg == SEG_RW && !starts_with(s->name, ".data.rel.ro"))
        l->has_data = true;
    return sh->sh_addralign <= PAGE;
}

static bool
read_sections(struct linker *l)
{
    const Elf64_Ehdr *eh = l->eh = (const Elf64_Ehdr *)l->in;
    const Elf64_Shdr *sh;
    const char *names;

    if (l->in_bytes < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG) || eh->e_type != ET_REL ||
        eh->e_machine != EM_X86_64 || eh->e_shentsize != sizeof(*sh) || (uintptr_t)l->in % 8 ||
        eh->e_shoff % 8 || !in_range(l, eh->e_shoff, (uint64_t)eh->e_shnum * sizeof(*sh)) ||
        eh->e_shstrndx >= eh->e_shnum)
        return false;
    sh = (const Elf64_Shdr *)(l->in + eh->e_shoff);
    names = (const char *)l->in + sh[eh->e_shstrndx].sh_offset;
    l->n_sections = eh->e_shnum;
    l->sections = ls_arena_alloc(l->arena, l->n_sections * sizeof(*l->sections));
    for (unsigned i = 0; i < l->n_sections; i++) {
        struct section *s = &l->sections[i];

        s->sh = &sh[i];
        s->name = names + sh[i].sh_name;
        if (sh[i].sh_type != SHT_NOBITS && !in_range(l, sh[i].sh_offset, sh[i].sh_size))
            return false;
        if (sh[i].sh_type == SHT_SYMTAB) {
            l->n_symbols = (unsigned)(sh[i].sh_size / sizeof(Elf64_Sym));
            l->symbols = ls_arena_alloc(l->arena, (l->n_symbols + 1) * sizeof(*l->symbols));
            l->strings = (const char *)l->in + sh[sh[i].sh_link].sh_offset;
            for (unsigned k = 0; k < l->n_symbols; k++)
                l->symbols[k].sym = (const Elf64_Sym *)(l->in + sh[i].sh_offset) + k;
        }
        if (!classify(l, s))
            return false;
    }
    return l->symbols != NULL;
}

static bool
read_symbols(struct linker *l)
{
    static const char *const in_libc[] = {"memcpy", "memset", "memmove", "memcmp", "abort"};

    for (unsigned i = 0; i < l->n_symbols; i++) {
        struct symbol *s = &l->symbols[i];
        unsigned type = ELF64_ST_TYPE(s->sym->st_info), section = s->sym->st_shndx;

        s->name = l->strings + s->sym->st_name;
        s->got = s->stub = -1;
        if (!i)
            continue;
        if (section == SHN_COMMON || type == STT_TLS || type == STT_GNU_IFUNC ||
            (section >= SHN_LORESERVE && section != SHN_ABS))
            return false;
        if (section == SHN_UNDEF) {
            /* Symbols that a linker defines itself are not supported. */
            if (!strcmp(s->name, "_GLOBAL_OFFSET_TABLE_"))
                return false;
            s->import = true;
            s->dynsym = 1 + l->n_imports++;
            l->dynstr_bytes += strlen(s->name) + 1;
            l->needs_libm |= !has_name(s->name, in_libc, sizeof(in_libc) / sizeof(in_libc[0]));
        }
        l->strtab_bytes += strlen(s->name) + 1;
    }
    for (unsigned i = 1; i < l->n_symbols; i++) {
        struct symbol *s = &l->symbols[i];

        if (s->import || ELF64_ST_BIND(s->sym->st_info) == STB_LOCAL ||
            ELF64_ST_VISIBILITY(s->sym->st_other) != STV_DEFAULT)
            continue;
        s->dynsym = 1 + l->n_imports + l->n_exports++;
        l->dynstr_bytes += strlen(s->name) + 1;
    }
    return true;
}

typedef bool (*rela_fn)(struct linker *l, struct section *target, const Elf64_Rela *rela);

static bool
each_relocation(struct linker *l, rela_fn visit)
{
    for (unsigned i = 0; i < l->n_sections; i++) {
        const Elf64_Shdr *sh = l->sections[i].sh;

        if (sh->sh_type == SHT_REL)
            return false;
        if (sh->sh_type != SHT_RELA)
            continue;
        if (sh->sh_info >= l->n_sections)
            return false;
        struct section *target = &l->sections[sh->sh_info];
        const Elf64_Rela *r = (const Elf64_Rela *)(l->in + sh->sh_offset);
        for (uint64_t k = 0; target->seg != SEG_NONE && k < sh->sh_size / sizeof(*r); k++)
            if (ELF64_R_SYM(r[k].r_info) >= l->n_symbols || r[k].r_offset > target->sh->sh_size ||
                !visit(l, target, &r[k]))
                return false;
    }
    return true;
}

static struct symbol *
symbol_of(struct linker *l, const Elf64_Rela *r)
{
    return &l->symbols[ELF64_R_SYM(r->r_info)];
}

static void
want_got(struct linker *l, struct symbol *s)
{
    if (s->got >= 0)
        return;
    s->got = (int)l->n_got++;
    l->n_dyn_relocs++;
}

/* First walk: how many slots, stubs and dynamic relocations; and is every relocation of a known
 * type? */
static bool
count_relocation(struct linker *l, struct section *target, const Elf64_Rela *r)
{
    struct symbol *s = symbol_of(l, r);

    if (target->seg == SEG_DEBUG)
        return ELF64_R_TYPE(r->r_info) == R_X86_64_64 || ELF64_R_TYPE(r->r_info) == R_X86_64_32;
    switch (ELF64_R_TYPE(r->r_info)) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        if (!s->import)
            return true;
        if (ELF64_R_TYPE(r->r_info) == R_X86_64_PC32)
            return false;
        want_got(l, s);
        if (s->stub < 0)
            s->stub = (int)l->n_stubs++;
        return true;
    case R_X86_64_PC64:
        return !s->import;
    case R_X86_64_64:
        l->n_dyn_relocs++;
        return target->seg == SEG_RW;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        want_got(l, s);
        return true;
    default:
        return false;
    }
}

/* ---- Layout ---- */

static uint64_t
align_up(uint64_t v, uint64_t a)
{
    return a > 1 ? (v + a - 1) & ~(a - 1) : v;
}

static uint64_t
place_segment(struct linker *l, enum segment seg, uint64_t at)
{
    for (unsigned i = 0; i < l->n_sections; i++) {
        struct section *s = &l->sections[i];

        if (s->seg != seg || !s->sh->sh_size)
            continue;
        at = align_up(at, s->sh->sh_addralign);
        s->addr = at;
        at += s->sh->sh_size;
    }
    return at;
}

#define N_PHDRS   6
#define STUB_SIZE 8
#define LIBC      "libc.so.6"
#define LIBM      "libm.so.6"

static void
lay_out(struct linker *l)
{
    unsigned n_dynsyms = 1 + l->n_imports + l->n_exports;
    uint64_t at = sizeof(Elf64_Ehdr) + N_PHDRS * sizeof(Elf64_Phdr);

    l->dynsym = at = align_up(at, 8);
    l->hash = at += n_dynsyms * sizeof(Elf64_Sym);
    at += (2 + 1 + n_dynsyms) * sizeof(uint32_t);
    l->rela = at = align_up(at, 8);
    at += l->n_dyn_relocs * sizeof(Elf64_Rela);
    l->dynstr = at;
    l->dynstr_bytes += 1 + sizeof(LIBC) + sizeof(LIBM);
    at += l->dynstr_bytes;
    l->end_ro = place_segment(l, SEG_RO, at);

    l->text = align_up(l->end_ro, PAGE);
    l->stubs = align_up(place_segment(l, SEG_TEXT, l->text), STUB_SIZE);
    l->end_text = l->stubs + l->n_stubs * STUB_SIZE;

    l->rw = align_up(l->end_text, PAGE);
    l->got = align_up(place_segment(l, SEG_RW, l->rw), 8);
    l->dynamic = l->got + l->n_got * 8;
    l->end_rw = l->dynamic + 16 * sizeof(Elf64_Dyn);

    at = place_segment(l, SEG_DEBUG, l->end_rw);
    l->symtab = align_up(at, 8);
    l->strtab = l->symtab + (l->n_symbols + 1) * sizeof(Elf64_Sym);
    l->strtab_bytes += 1;
    l->shstrtab = l->strtab + l->strtab_bytes;
    for (unsigned i = 0; i < l->n_sections; i++)
        if (l->sections[i].seg != SEG_NONE)
            l->shstrtab_bytes += strlen(l->sections[i].name) + 1;
    l->shstrtab_bytes += 128; /* the names of our own sections */
    l->shdrs = align_up(l->shstrtab + l->shstrtab_bytes, 8);
    l->out_bytes = l->shdrs + (l->n_sections + 12) * sizeof(Elf64_Shdr);
}

/* ---- Contents ---- */

static bool
symbol_address(const struct linker *l, const struct symbol *s, uint64_t *addr)
{
    unsigned section = s->sym->st_shndx;

    if (section == SHN_ABS) {
        *addr = s->sym->st_value;
        return true;
    }
    if (section >= l->n_sections || l->sections[section].seg == SEG_NONE)
        return false;
    *addr = s->sym->st_value;
    if (l->sections[section].seg != SEG_DEBUG)
        *addr += l->sections[section].addr;
    return true;
}

static void
add_dynamic(struct linker *l, uint64_t where, unsigned type, unsigned sym, int64_t addend)
{
    *l->next_rela++ = (Elf64_Rela){where, ELF64_R_INFO((uint64_t)sym, type), addend};
}

static bool
put32(unsigned char *at, int64_t v)
{
    int32_t narrow = (int32_t)v;

    memcpy(at, &narrow, 4);
    return narrow == v;
}

static bool
apply_relocation(struct linker *l, struct section *target, const Elf64_Rela *r)
{
    struct symbol *s = symbol_of(l, r);
    uint64_t place = target->addr + r->r_offset, addr = 0;
    unsigned char *at = l->out + place;
    unsigned type = ELF64_R_TYPE(r->r_info);

    if (!s->import && !symbol_address(l, s, &addr))
        return false;
    if (target->seg == SEG_DEBUG) {
        uint64_t v = addr + (uint64_t)r->r_addend;
        memcpy(at, &v, type == R_X86_64_64 ? 8 : 4);
        return true;
    }
    switch (type) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        if (s->import)
            addr = l->stubs + (unsigned)s->stub * STUB_SIZE;
        return put32(at, (int64_t)(addr + (uint64_t)r->r_addend - place));
    case R_X86_64_PC64: {
        uint64_t v = addr + (uint64_t)r->r_addend - place;
        memcpy(at, &v, 8);
        return true;
    }
    case R_X86_64_64:
        if (s->import)
            add_dynamic(l, place, R_X86_64_64, s->dynsym, r->r_addend);
        else
            add_dynamic(l, place, R_X86_64_RELATIVE, 0, (int64_t)(addr + (uint64_t)r->r_addend));
        return true;
    default: /* relocations to the GOT: count_relocation has let no others pass */
        return put32(at, (int64_t)(l->got + (unsigned)s->got * 8 + (uint64_t)r->r_addend - place));
    }
}

static bool
fill_got_and_stubs(struct linker *l)
{
    for (unsigned i = 1; i < l->n_symbols; i++) {
        struct symbol *s = &l->symbols[i];
        uint64_t slot = l->got + (unsigned)s->got * 8, addr;

        if (s->got < 0)
            continue;
        if (s->import)
            add_dynamic(l, slot, R_X86_64_GLOB_DAT, s->dynsym, 0);
        else if (symbol_address(l, s, &addr))
            add_dynamic(l, slot, R_X86_64_RELATIVE, 0, (int64_t)addr);
        else
            return false;
        if (s->stub < 0)
            continue;
        uint64_t stub = l->stubs + (unsigned)s->stub * STUB_SIZE;
        unsigned char *code = l->out + stub;
        code[0] = 0xff; /* jmp *slot(%rip) */
        code[1] = 0x25;
        if (!put32(code + 2, (int64_t)(slot - (stub + 6))))
            return false;
        code[6] = code[7] = 0xcc;
    }
    return true;
}

static void
copy_sections(struct linker *l)
{
    for (unsigned i = 0; i < l->n_sections; i++) {
        const struct section *s = &l->sections[i];

        if (s->seg != SEG_NONE && s->sh->sh_type != SHT_NOBITS)
            memcpy(l->out + s->addr, l->in + s->sh->sh_offset, s->sh->sh_size);
    }
}

static uint32_t
add_string(unsigned char *table, size_t *used, const char *s)
{
    uint32_t at = (uint32_t)*used;

    memcpy(table + at, s, strlen(s) + 1);
    *used += strlen(s) + 1;
    return at;
}

/* Dynamic symbols are what the loader sees; one hash bucket, as there are only a few. */
static void
write_dynamic_symbols(struct linker *l, uint32_t *libc, uint32_t *libm)
{
    unsigned n = 1 + l->n_imports + l->n_exports;
    Elf64_Sym *out = (Elf64_Sym *)(l->out + l->dynsym);
    uint32_t *hash = (uint32_t *)(l->out + l->hash);
    unsigned char *strings = l->out + l->dynstr;
    size_t used = 1;

    for (unsigned i = 1; i < l->n_symbols; i++) {
        struct symbol *s = &l->symbols[i];
        Elf64_Sym *d = &out[s->dynsym];
        uint64_t addr;

        if (!s->dynsym)
            continue;
        d->st_name = add_string(strings, &used, s->name);
        if (s->import) {
            d->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
            continue;
        }
        if (!symbol_address(l, s, &addr))
            continue;
        d->st_info = s->sym->st_info;
        d->st_shndx = (uint16_t)l->sections[s->sym->st_shndx].index;
        d->st_value = addr;
        d->st_size = s->sym->st_size;
    }
    hash[0] = 1;
    hash[1] = n;
    hash[2] = n > 1 ? 1 : 0;
    for (unsigned i = 1; i + 1 < n; i++)
        hash[3 + i] = i + 1;
    *libc = add_string(strings, &used, LIBC);
    *libm = add_string(strings, &used, LIBM);
}

static void
write_dynamic_section(struct linker *l, uint32_t libc, uint32_t libm)
{
    Elf64_Dyn *d = (Elf64_Dyn *)(l->out + l->dynamic);

    if (l->n_imports && l->needs_libm)
        *d++ = (Elf64_Dyn){DT_NEEDED, {libm}};
    if (l->n_imports)
        *d++ = (Elf64_Dyn){DT_NEEDED, {libc}};
    *d++ = (Elf64_Dyn){DT_HASH, {l->hash}};
    *d++ = (Elf64_Dyn){DT_SYMTAB, {l->dynsym}};
    *d++ = (Elf64_Dyn){DT_SYMENT, {sizeof(Elf64_Sym)}};
    *d++ = (Elf64_Dyn){DT_STRTAB, {l->dynstr}};
    *d++ = (Elf64_Dyn){DT_STRSZ, {l->dynstr_bytes}};
    *d++ = (Elf64_Dyn){DT_RELA, {l->rela}};
    *d++ = (Elf64_Dyn){DT_RELASZ, {l->n_dyn_relocs * sizeof(Elf64_Rela)}};
    *d++ = (Elf64_Dyn){DT_RELAENT, {sizeof(Elf64_Rela)}};
    *d++ = (Elf64_Dyn){DT_FLAGS, {DF_BIND_NOW}};
    *d = (Elf64_Dyn){DT_NULL, {0}};
}

static Elf64_Phdr
segment_header(uint32_t type, uint32_t flags, uint64_t at, uint64_t end, uint64_t align)
{
    return (Elf64_Phdr){.p_type = type,
                        .p_flags = flags,
                        .p_offset = at,
                        .p_vaddr = at,
                        .p_paddr = at,
                        .p_filesz = end - at,
                        .p_memsz = end - at,
                        .p_align = align};
}

static void
write_headers(struct linker *l, unsigned n_shdrs, unsigned shstrndx)
{
    Elf64_Ehdr *eh = (Elf64_Ehdr *)l->out;
    Elf64_Phdr *ph = (Elf64_Phdr *)(l->out + sizeof(*eh));

    memcpy(eh->e_ident, l->eh->e_ident, EI_NIDENT);
    eh->e_type = ET_DYN;
    eh->e_machine = EM_X86_64;
    eh->e_version = EV_CURRENT;
    eh->e_phoff = sizeof(*eh);
    eh->e_shoff = l->shdrs;
    eh->e_ehsize = sizeof(*eh);
    eh->e_phentsize = sizeof(*ph);
    eh->e_phnum = N_PHDRS;
    eh->e_shentsize = sizeof(Elf64_Shdr);
    eh->e_shnum = (uint16_t)n_shdrs;
    eh->e_shstrndx = (uint16_t)shstrndx;
    ph[0] = segment_header(PT_LOAD, PF_R, 0, l->end_ro, PAGE);
    ph[1] = segment_header(PT_LOAD, PF_R | PF_X, l->text, l->end_text, PAGE);
    ph[2] = segment_header(PT_LOAD, PF_R | PF_W, l->rw, l->end_rw, PAGE);
    ph[3] = segment_header(PT_DYNAMIC, PF_R | PF_W, l->dynamic, l->end_rw, 8);
    ph[4] = segment_header(PT_GNU_STACK, PF_R | PF_W, 0, 0, 16);
    ph[5] = segment_header(PT_GNU_RELRO, PF_R, l->rw, l->end_rw, 1);
    if (l->has_data)
        ph[5].p_type = PT_NULL;
}

struct section_table {
    struct linker *l;
    Elf64_Shdr *next;
    unsigned n;
    size_t names;
};

static Elf64_Shdr *
add_section(struct section_table *t, const char *name, uint32_t type, uint64_t flags, uint64_t at,
            uint64_t bytes, uint64_t align)
{
    Elf64_Shdr *sh = t->next++;

    sh->sh_name = add_string(t->l->out + t->l->shstrtab, &t->names, name);
    sh->sh_type = type;
    sh->sh_flags = flags;
    sh->sh_addr = flags & SHF_ALLOC ? at : 0;
    sh->sh_offset = at;
    sh->sh_size = bytes;
    sh->sh_addralign = align;
    t->n++;
    return sh;
}

static unsigned
write_symbol_table(struct linker *l)
{
    Elf64_Sym *out = (Elf64_Sym *)(l->out + l->symtab);
    size_t used = 1;
    unsigned n = 1;

    for (unsigned i = 1; i < l->n_symbols; i++) {
        const struct symbol *s = &l->symbols[i];
        unsigned section = s->sym->st_shndx;
        uint64_t addr;

        if (s->import || section == SHN_ABS || !symbol_address(l, s, &addr) ||
            ELF64_ST_TYPE(s->sym->st_info) == STT_SECTION || !s->name[0])
            continue;
        out[n] = *s->sym;
        /* All symbols are local: the table is only for debuggers and profilers. */
        out[n].st_info = ELF64_ST_INFO(STB_LOCAL, ELF64_ST_TYPE(s->sym->st_info));
        out[n].st_name = add_string(l->out + l->strtab, &used, s->name);
        out[n].st_shndx = (uint16_t)l->sections[section].index;
        out[n++].st_value = addr;
    }
    return n;
}

static void
write_section_table(struct linker *l)
{
    struct section_table t = {
        .l = l, .next = (Elf64_Shdr *)(l->out + l->shdrs) + 1, .n = 1, .names = 1};
    unsigned n_dynsyms = 1 + l->n_imports + l->n_exports, n_symbols, dynstr, strtab, shstrtab;
    Elf64_Shdr *dynsym, *sh;

    for (unsigned i = 0; i < l->n_sections; i++) {
        struct section *s = &l->sections[i];

        if (s->seg == SEG_NONE || !s->sh->sh_size)
            continue;
        s->index = t.n;
        add_section(&t, s->name, SHT_PROGBITS,
                    s->sh->sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR), s->addr,
                    s->sh->sh_size, s->sh->sh_addralign);
    }
    dynstr = t.n;
    add_section(&t, ".dynstr", SHT_STRTAB, SHF_ALLOC, l->dynstr, l->dynstr_bytes, 1);
    dynsym = add_section(&t, ".dynsym", SHT_DYNSYM, SHF_ALLOC, l->dynsym,
                         n_dynsyms * sizeof(Elf64_Sym), 8);
    dynsym->sh_link = dynstr;
    dynsym->sh_info = 1;
    dynsym->sh_entsize = sizeof(Elf64_Sym);
    sh = add_section(&t, ".hash", SHT_HASH, SHF_ALLOC, l->hash, (3 + n_dynsyms) * 4, 8);
    sh->sh_link = dynstr + 1;
    sh->sh_entsize = 4;
    sh = add_section(&t, ".rela.dyn", SHT_RELA, SHF_ALLOC, l->rela,
                     l->n_dyn_relocs * sizeof(Elf64_Rela), 8);
    sh->sh_link = dynstr + 1;
    sh->sh_entsize = sizeof(Elf64_Rela);
    if (l->n_got)
        add_section(&t, ".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, l->got, l->n_got * 8, 8);
    sh = add_section(&t, ".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, l->dynamic,
                     l->end_rw - l->dynamic, 8);
    sh->sh_link = dynstr;
    sh->sh_entsize = sizeof(Elf64_Dyn);
    n_symbols = write_symbol_table(l);
    strtab = t.n;
    add_section(&t, ".strtab", SHT_STRTAB, 0, l->strtab, l->strtab_bytes, 1);
    sh = add_section(&t, ".symtab", SHT_SYMTAB, 0, l->symtab, n_symbols * sizeof(Elf64_Sym), 8);
    sh->sh_link = strtab;
    sh->sh_info = n_symbols;
    sh->sh_entsize = sizeof(Elf64_Sym);
    shstrtab = t.n;
    add_section(&t, ".shstrtab", SHT_STRTAB, 0, l->shstrtab, l->shstrtab_bytes, 1);
    write_headers(l, t.n, shstrtab);
}

bool
ls_x86_link_object(struct ls_arena *arena, const void *object, size_t bytes, void **image,
               size_t *image_bytes)
{
    struct linker l = {.arena = arena, .in = object, .in_bytes = bytes};
    uint32_t libc, libm;

    if (!read_sections(&l) || !read_symbols(&l) || !each_relocation(&l, count_relocation))
        return false;
    lay_out(&l);
    l.out = ls_arena_alloc(arena, l.out_bytes);
    l.next_rela = (Elf64_Rela *)(l.out + l.rela);
    copy_sections(&l);
    if (!each_relocation(&l, apply_relocation) || !fill_got_and_stubs(&l))
        return false;
    write_section_table(&l);
    write_dynamic_symbols(&l, &libc, &libm);
    write_dynamic_section(&l, libc, libm);
    *image = l.out;
    *image_bytes = l.out_bytes;
    return true;
}
