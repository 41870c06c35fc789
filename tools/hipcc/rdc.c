/* SPDX-License-Identifier: MIT */
/* -fgpu-rdc: device bitcode travels in the objects (section .llvm.offloading, which linkers drop)
 * and is linked to one fat binary when the host objects are. Each translation unit refers to
 * symbols of its own,
 * __hip_fatbin_<cuid> and __hip_gpubin_handle_<cuid>; all of them become names of the one fat
 * binary.
 *
 * The section is a row of LLVM's offload binaries (base/offload.h), one for each target. Objects
 * and archives come from disk, so every offset is checked. */
#include "hipcc_priv.h"

#include "base/offload.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RDC_SECTION ".llvm.offloading"
#define RDC_NVIDIA  "/nvidia" /* behind a target's name: the bitcode for NVIDIA's GPUs */

static void
add_target(const char *cuid, const char *arch, const char *device, const struct ls_buf *bitcode,
           struct ls_buf *out)
{
    struct ls_offload offload = {arch, cuid, device, bitcode->data, bitcode->n};

    ls_offload_write(&offload, ls_buf_grow(out, ls_offload_bytes(&offload)));
}

void
ls_rdc_wrap(const char *cuid, const struct ls_image *images, size_t n, struct ls_buf *out)
{
    for (size_t i = 0; i < n; i++) {
        add_target(cuid, images[i].arch, "", &images[i].bitcode, out);
        if (images[i].nvidia.n)
            add_target(cuid, images[i].arch, "nvidia", &images[i].nvidia, out);
    }
}

/* ---- reading them back ---- */

struct target_code {
    const char *arch;
    struct ls_buf *bitcode; /* one per unit */
    size_t n, cap;
};

struct collection {
    struct target_code *targets;
    size_t n_targets;
    struct ls_strv images;   /* "unit/arch/device" of those that were read */
    struct ls_strv suffixes; /* of __hip_fatbin_<suffix>: clang hashes the cuid again */
};

static void
add_bitcode(struct collection *all, const char *arch, const char *data, size_t n)
{
    struct target_code *target = NULL;

    for (size_t i = 0; i < all->n_targets; i++)
        if (!strcmp(all->targets[i].arch, arch))
            target = &all->targets[i];
    if (!target) {
        struct target_code *grown = ls_hipcc_alloc((all->n_targets + 1) * sizeof(*grown));

        if (all->n_targets)
            memcpy(grown, all->targets, all->n_targets * sizeof(*grown));
        free(all->targets);
        all->targets = grown;
        target = &all->targets[all->n_targets++];
        target->arch = ls_hipcc_format("%s", arch);
    }
    if (target->n == target->cap) {
        size_t cap = target->cap ? 2 * target->cap : 16;
        struct ls_buf *grown = ls_hipcc_alloc(cap * sizeof(*grown));

        if (target->n)
            memcpy(grown, target->bitcode, target->n * sizeof(*grown));
        free(target->bitcode);
        target->bitcode = grown;
        target->cap = cap;
    }
    ls_buf_add(&target->bitcode[target->n++], data, n);
}

static void
read_image(struct collection *all, const struct ls_offload *offload)
{
    char *name = ls_hipcc_format("%s/%s/%s", offload->unit, offload->arch, offload->device);

    if (ls_strv_has(&all->images, name)) /* the object stands twice on the link line */
        return;
    ls_strv_push(&all->images, name);
    name = ls_hipcc_format("%s%s", offload->arch, *offload->device ? RDC_NVIDIA : "");
    add_bitcode(all, name, offload->image, offload->image_bytes);
}

/* Other compilers' images are left alone. */
static bool
read_section(struct collection *all, const char *data, size_t n)
{
    enum ls_offload_result result = LS_OFFLOAD_READ;

    for (size_t at = 0, used; at < n && result == LS_OFFLOAD_READ; at += used) {
        struct ls_offload offload;

        used = 0;
        result = ls_offload_read(data + at, n - at, &offload, &used);
        if (result == LS_OFFLOAD_READ && offload.unit)
            read_image(all, &offload);
    }
    return result != LS_OFFLOAD_DAMAGED;
}

/* Null-terminated text of a string section, or NULL when the offset is bad. */
static const char *
string_at(const char *data, const Elf64_Shdr *strings, uint64_t offset)
{
    if (offset >= strings->sh_size ||
        !memchr(data + strings->sh_offset + offset, 0, strings->sh_size - offset))
        return NULL;
    return data + strings->sh_offset + offset;
}

/* The names that the fat binary must get, from the symbols that the unit left undefined. */
static bool
read_symbols(struct collection *all, const char *data, const Elf64_Shdr *symbols,
             const Elf64_Shdr *strings)
{
    for (uint64_t at = 0; symbols->sh_size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;

        memcpy(&symbol, data + symbols->sh_offset + at, sizeof(symbol));
        const char *name = string_at(data, strings, symbol.st_name);
        if (!name)
            return false;
        if (ls_starts_with(name, "__hip_fatbin_") && symbol.st_shndx == SHN_UNDEF &&
            !ls_strv_has(&all->suffixes, name + strlen("__hip_fatbin_")))
            ls_strv_push(&all->suffixes, name + strlen("__hip_fatbin_"));
    }
    return true;
}

/* Reads section header `i`; false when it or its bytes lie outside the file. */
static bool
read_header(const char *data, size_t n, const Elf64_Ehdr *elf, unsigned i, Elf64_Shdr *out)
{
    if (i >= elf->e_shnum)
        return false;
    memcpy(out, data + elf->e_shoff + i * sizeof(*out), sizeof(*out));
    return out->sh_type == SHT_NOBITS ||
           (out->sh_offset <= n && out->sh_size <= n - out->sh_offset);
}

static bool
read_object(struct collection *all, const char *data, size_t n)
{
    Elf64_Ehdr elf;

    if (n < sizeof(elf))
        return true;
    memcpy(&elf, data, sizeof(elf));
    if (memcmp(elf.e_ident, ELFMAG, SELFMAG) || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
        elf.e_type != ET_REL || elf.e_shentsize != sizeof(Elf64_Shdr))
        return true; /* shared libraries have no device code to link */
    if (elf.e_shoff > n || (n - elf.e_shoff) / sizeof(Elf64_Shdr) < elf.e_shnum)
        return false;

    Elf64_Shdr names, section, strings;
    if (!read_header(data, n, &elf, elf.e_shstrndx, &names) || names.sh_type == SHT_NOBITS)
        return false;
    for (unsigned i = 0; i < elf.e_shnum; i++) {
        if (!read_header(data, n, &elf, i, &section))
            return false;
        const char *name = string_at(data, &names, section.sh_name);
        if (!name)
            return false;
        if (!strcmp(name, RDC_SECTION) &&
            (section.sh_type == SHT_NOBITS ||
             !read_section(all, data + section.sh_offset, section.sh_size)))
            return false;
        if (section.sh_type == SHT_SYMTAB &&
            (!read_header(data, n, &elf, section.sh_link, &strings) ||
             strings.sh_type == SHT_NOBITS || !read_symbols(all, data, &section, &strings)))
            return false;
    }
    return true;
}

/* "!<arch>\n", then members: 60 bytes of text (size at 48, 10 digits), data, padding to even. Every
 * member counts: device code of an archive is linked whole. */
static bool
read_archive(struct collection *all, const char *data, size_t n)
{
    for (size_t at = 8; at + 60 <= n;) {
        char digits[11] = {0};

        memcpy(digits, data + at + 48, 10);
        size_t size = strtoull(digits, NULL, 10);
        at += 60;
        if (size > n - at || !read_object(all, data + at, size))
            return false;
        at += size + (size & 1);
    }
    return true;
}

static bool
read_input(struct collection *all, const char *path)
{
    struct ls_buf file = {0};
    bool ok = true;

    if (!ls_buf_read(&file, path))
        return true; /* the linker will report what is wrong with it */
    if (file.n >= 8 && !memcmp(file.data, "!<arch>\n", 8))
        ok = read_archive(all, file.data, file.n);
    else
        ok = read_object(all, file.data, file.n);
    free(file.data);
    if (!ok)
        ls_say_error("'%s': damaged device code section", path);
    return ok;
}

/* ---- the link line as the linker reads it ---- */

struct word {
    const char *text;
    bool is_file; /* names a file, if no option in front of it takes it as its value */
};

struct line {
    struct word *words;
    size_t n, cap;
};

static void
add_word(struct line *line, const char *text, bool is_file)
{
    if (line->n == line->cap) {
        struct word *grown = ls_hipcc_alloc((line->cap + 64) * sizeof(*grown));

        if (line->n)
            memcpy(grown, line->words, line->n * sizeof(*grown));
        free(line->words);
        line->words = grown;
        line->cap += 64;
    }
    line->words[line->n++] = (struct word){text, is_file};
}

static void
read_line(const struct ls_plan *plan, char **objects, struct line *line)
{
    bool is_linkers = false; /* behind -Xlinker */

    for (size_t i = 0; i < plan->n_link; i++) {
        const char *option = plan->link[i].option;
        size_t input = plan->link[i].input;

        if (!option) {
            add_word(line, objects[input] ? objects[input] : plan->inputs[input].path, true);
        } else if (!is_linkers && !strcmp(option, "-Xlinker")) {
            is_linkers = true;
            continue;
        } else if (!is_linkers && ls_starts_with(option, "-Wl,")) {
            for (const char *at = option + strlen("-Wl,"); at;
                 at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
                add_word(line, ls_hipcc_format("%.*s", (int)strcspn(at, ","), at), *at != '-');
        } else {
            add_word(line, option, is_linkers && *option != '-');
        }
        is_linkers = false;
    }
}

enum { NAMES_NOTHING = 0, NAMES_FOLDER, NAMES_LIBRARY };

/* Reads the word at *at, if it concerns libraries; moves to its value where that is a word of its
 * own. */
static int
library_option(const struct line *line, size_t *at, const char **value)
{
    static const struct {
        const char *spelling;
        int names;
    } options[] = {
        {"--library-directory", NAMES_FOLDER},
        {"--library-path", NAMES_FOLDER},
        {"--library", NAMES_LIBRARY},
        {"-L", NAMES_FOLDER},
        {"-l", NAMES_LIBRARY},
    };
    const struct word *word = &line->words[*at];

    for (size_t i = 0; !word->is_file && i < sizeof(options) / sizeof(options[0]); i++) {
        size_t n = strlen(options[i].spelling);
        bool is_long = options[i].spelling[1] == '-';

        if (strncmp(word->text, options[i].spelling, n) != 0 ||
            (is_long && word->text[n] && word->text[n] != '='))
            continue;
        if (!word->text[n] && *at + 1 == line->n)
            return NAMES_NOTHING; /* the linker will report it */
        *value = word->text[n] ? word->text + n + is_long : line->words[++*at].text;
        return options[i].names;
    }
    return NAMES_NOTHING;
}

/* Reads an archive, or with -l:name a file of any name, if the folder has it. Shared libraries have
 * no device code to link. */
static bool
read_library_in(struct collection *all, const char *folder, size_t n, const char *name, bool *found)
{
    char *path = *name == ':' ? ls_hipcc_format("%.*s/%s", (int)n, folder, name + 1)
                               : ls_hipcc_format("%.*s/lib%s.a", (int)n, folder, name);
    bool ok = true;

    *found = ls_file_exists(path);
    if (*found)
        ok = read_input(all, path);
    free(path);
    return ok;
}

/* Looks for a library in the folders of all -L, wherever they stand, and behind them in those of
 * LIBRARY_PATH, which clang adds. */
static bool
read_library(struct collection *all, const struct line *line, const char *name)
{
    const char *folder, *more = getenv("LIBRARY_PATH");
    bool found = false, ok = true;

    for (size_t i = 0; i < line->n && !found; i++)
        if (library_option(line, &i, &folder) == NAMES_FOLDER)
            ok = read_library_in(all, folder, strlen(folder), name, &found);
    while (more && *more && !found) {
        size_t n = strcspn(more, ":");

        if (n)
            ok = read_library_in(all, more, n, name, &found);
        more += n + (more[n] == ':');
    }
    return ok;
}

/* ---- the fat binary's object ---- */

/* The user has asked for no hardware's code, so a missing code object is not reported. */
static bool
is_code_expected(const struct ls_plan *plan)
{
    return plan->archs_named || plan->code_object > 0;
}

static bool
run_quietly(const struct ls_plan *plan, const struct ls_strv *argv)
{
    struct ls_child child = {0}, *children[] = {&child};

    if (is_code_expected(plan))
        return ls_run(argv) == 0;
    if (plan->verbose)
        ls_command_print(argv);
    if (!ls_child_start(&child, argv, LS_CHILD_CAPTURE))
        return false;
    while (ls_children_step(children, 1))
        ;
    return child.status == 0;
}

static bool
make_code_object(const struct ls_plan *plan, struct ls_image *image)
{
    char *bitcode_path = ls_temp_path("linked.bc"), *object_path = ls_temp_path("linked.o");
    char *code_path = ls_temp_path("linked.co");
    struct ls_strv codegen = {0}, codelink = {0};

    ls_codegen_command(plan, image->arch, bitcode_path, object_path, &codegen);
    ls_codelink_command(plan, image->arch, object_path, code_path, &codelink);
    return ls_file_write(bitcode_path, image->bitcode.data, image->bitcode.n) &&
           run_quietly(plan, &codegen) && run_quietly(plan, &codelink) &&
           ls_buf_read(&image->code, code_path);
}

/* The bitcode for NVIDIA's GPUs of a target, if all units have it. */
static bool
link_nvidia(const struct collection *all, const struct target_code *target, struct ls_image *image)
{
    char *name = ls_hipcc_format("%s" RDC_NVIDIA, target->arch);
    bool ok = true;

    for (size_t i = 0; i < all->n_targets; i++)
        if (!strcmp(all->targets[i].arch, name) && all->targets[i].n == target->n)
            ok = ls_image_link(all->targets[i].bitcode, all->targets[i].n, &image->nvidia);
    free(name);
    return ok;
}

static bool
build_images(const struct ls_plan *plan, const struct collection *all, struct ls_buf *fatbin)
{
    struct ls_image *images = ls_hipcc_alloc(all->n_targets * sizeof(*images));
    size_t n = 0;

    for (size_t i = 0; i < all->n_targets; i++) {
        struct ls_image *image = &images[n];

        if (strstr(all->targets[i].arch, RDC_NVIDIA))
            continue;
        n++;
        image->arch = all->targets[i].arch;
        if ((ls_wants_nvidia(plan) && !link_nvidia(all, &all->targets[i], image)) ||
            !ls_image_link(all->targets[i].bitcode, all->targets[i].n, &image->bitcode) ||
            !ls_image_describe(plan, image))
            return false;
        if (plan->wants_code && !make_code_object(plan, image) && is_code_expected(plan))
            ls_say_warning(
                "no code object for %s hardware in this binary: clang could not generate it",
                image->arch);
    }
    ls_bundle_build(plan, images, n, fatbin);
    return true;
}

/* What -dlink makes is weak: hipcc's own link, which links the device code again, comes before
 * it. */
static void
add_names(struct ls_buf *text, const struct ls_strv *suffixes, bool weak, const char *stem,
          const char *target)
{
    for (size_t i = 0; i < suffixes->n; i++) {
        char *lines =
            ls_hipcc_format("    .%s %s_%s\n    .hidden %s_%s\n    .set %s_%s, %s\n",
                            weak ? "weak" : "globl", stem, suffixes->v[i], stem, suffixes->v[i],
                            stem, suffixes->v[i], target);

        ls_buf_add(text, lines, strlen(lines));
        free(lines);
    }
}

static bool
assemble(const struct collection *all, const struct ls_buf *fatbin, bool weak, char **object)
{
    char *fatbin_path = ls_temp_path("linked.hipfb");
    char *source_path = ls_temp_path("linked.s");
    struct ls_buf text = {0};
    struct ls_strv argv = {0};
    char *head = ls_hipcc_format("    .section .note.GNU-stack,\"\",@progbits\n"
                                 "    .section .hip_fatbin,\"a\",@progbits\n"
                                 "    .p2align 12\n"
                                 "ls_fatbin:\n"
                                 "    .incbin \"%s\"\n"
                                 "    .section .bss.ls_gpubin_handle,\"aw\",@nobits\n"
                                 "    .p2align 3\n"
                                 "ls_gpubin_handle:\n"
                                 "    .zero 8\n",
                                 fatbin_path);

    ls_buf_add(&text, head, strlen(head));
    add_names(&text, &all->suffixes, weak, "__hip_fatbin", "ls_fatbin");
    add_names(&text, &all->suffixes, weak, "__hip_gpubin_handle", "ls_gpubin_handle");
    if (!ls_file_write(fatbin_path, fatbin->data, fatbin->n) ||
        !ls_file_write(source_path, text.data, text.n)) {
        ls_say_error("cannot write a temporary file: %s", strerror(errno));
        return false;
    }
    *object = ls_temp_path("linked.o");
    ls_strv_push(&argv, ls_install.clang);
    ls_strv_push(&argv, "-c");
    ls_strv_push(&argv, source_path);
    ls_strv_push(&argv, "-o");
    ls_strv_push(&argv, *object);
    return ls_run(&argv) == 0;
}

int
ls_rdc_link(const struct ls_plan *plan, char **objects, char **object)
{
    struct collection all = {0};
    struct line line = {0};
    struct ls_buf fatbin = {0};

    *object = NULL;
    read_line(plan, objects, &line);
    for (size_t i = 0; i < line.n; i++) {
        const char *name;
        bool ok = true;

        if (line.words[i].is_file)
            ok = read_input(&all, line.words[i].text);
        else if (library_option(&line, &i, &name) == NAMES_LIBRARY)
            ok = read_library(&all, &line, name);
        if (!ok)
            return 1;
    }
    if (!all.n_targets && !plan->device_link)
        return 0;
    return build_images(plan, &all, &fatbin) && assemble(&all, &fatbin, plan->device_link, object)
               ? 0
               : 1;
}
