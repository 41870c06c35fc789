/* SPDX-License-Identifier: MIT */
/* lsopt: runs the kernel compiler up to one stage on one IR file, for tests and for looking. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/lsbc.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/rows.h"
#include "compiler/pipeline.h"
#include "compiler/print/print.h"

static const char USAGE[] =
    "lsopt [options] FILE.ll|FILE.bc\n"
    "  --until=STAGE    load, prepare, region, vectorize or finish (for NVIDIA load, prepare,\n"
    "                   threads or optimise): print the IR after it\n"
    "  --print=WHAT     what the stages found: shapes, linear, plan, rows or accesses (several "
    "with commas), instead of code\n"
    "  --rows           list the builtins that have a lowering\n"
    "  --describe       print the tables of the LSBC image\n"
    "  --repeat=N       compile N times, for timing\n"
    "  -o FILE          write IR, or without --until the shared object, there\n"
    "and how the kernel is compiled:\n";

static bool
is_letter(const struct ls_option *option)
{
    return !option->flag[1];
}

static void
print_usage(void)
{
    char left[64];

    fputs(USAGE, stderr);
    for (const struct ls_option *o = ls_option_next(NULL); o; o = ls_option_next(o)) {
        snprintf(left, sizeof(left), "%s%s%s%s", is_letter(o) ? "-" : "--", o->flag,
                 *o->argument && !is_letter(o) ? "=" : "", o->argument);
        fprintf(stderr, "  %-16s %s\n", left, o->help);
    }
}

static void
print_diag(void *user, enum ls_diag_level level, const char *message)
{
    static const char *const names[] = {"", "note", "warning", "error"};

    (void)user;
    fprintf(stderr, "lsopt: %s: %s\n", names[level], message);
}

/* Name of the first kernel: a convenience, so that most command lines are short. */
static char *
first_kernel(const void *data, size_t bytes)
{
    struct ls_compile_options opt = {.sink = print_diag, .warp_size = 32};
    struct ls_cc *cc = ls_cc_create(&opt);
    char *name = NULL;

    cc->mod = ls_ir_parse(cc, data, bytes);
    for (LLVMValueRef fn = cc->mod ? LLVMGetFirstFunction(cc->mod) : NULL; fn && !name;
         fn = LLVMGetNextFunction(fn)) {
        size_t len;
        if (LLVMGetFunctionCallConv(fn) == LLVMAMDGPUKERNELCallConv)
            name = strdup(LLVMGetValueName2(fn, &len));
    }
    ls_cc_destroy(cc);
    return name;
}

static int
print_tables(const void *data, size_t bytes)
{
    void *image;
    size_t n;

    if (!ls_describe_bitcode(data, bytes, NULL, 0, print_diag, NULL, &image, &n))
        return 1;
    const struct ls_lsbc_header *h = image;
    const char *base = image;
    printf("arch %s warp %u kernels %u globals %u relocs %u\n", h->arch, h->warp_size, h->n_kernels,
           h->n_globals, h->n_relocs);
    for (uint32_t i = 0; i < h->n_kernels; i++) {
        const struct ls_lsbc_kernel *k = (const void *)(base + h->kernels_off + i * sizeof(*k));
        const struct ls_lsbc_arg *a = (const void *)(base + k->args_off);

        printf("kernel %s kernarg %u lds %u private %u max %u flags %u args", base + k->name_off,
               k->kernarg_bytes, k->lds_bytes, k->private_bytes, k->max_threads, k->flags);
        for (uint32_t j = 0; j < k->n_args; j++)
            printf(" %u:%u", a[j].offset, a[j].size);
        printf("\n");
    }
    for (uint32_t i = 0; i < h->n_globals; i++) {
        const struct ls_lsbc_global *g = (const void *)(base + h->globals_off + i * sizeof(*g));

        printf("global %s bytes %llu align %u flags %u%s\n", base + g->name_off,
               (unsigned long long)g->bytes, g->align, g->flags, g->init_off ? " init" : "");
    }
    for (uint32_t i = 0; i < h->n_relocs; i++) {
        const struct ls_lsbc_reloc *r = (const void *)(base + h->relocs_off + i * sizeof(*r));

        printf("reloc %u+%llu = %u+%lld\n", r->where, (unsigned long long)r->where_off, r->target,
               (long long)r->addend);
    }
    free(image);
    return 0;
}

struct args {
    struct ls_compile_options opt;
    const char *until, *out;
    bool describe, rows;
    unsigned print;
    int repeat;
};

static bool
parse_print(char *words, unsigned *print)
{
    static const struct {
        const char *name;
        unsigned bit;
    } all[] = {{"shapes", LS_PRINT_SHAPES},
               {"linear", LS_PRINT_LINEAR},
               {"plan", LS_PRINT_PLAN},
               {"rows", LS_PRINT_ROWS},
               {"accesses", LS_PRINT_ACCESSES}};
    unsigned bit;

    for (char *word = strtok(words, ","); word; word = strtok(NULL, ",")) {
        bit = 0;
        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
            if (!strcmp(word, all[i].name))
                bit = all[i].bit;
        if (!bit)
            return false;
        *print |= bit;
    }
    return true;
}

static void
print_table(void)
{
    for (const struct ls_intrin *row = ls_lower_next_row(NULL); row; row = ls_lower_next_row(row))
        puts(row->name);
}

enum { MAX_FLAGS = 64 };

static bool
parse_args(int argc, char **argv, struct args *a)
{
    struct option longs[MAX_FLAGS + 1] = {{"until", 1, 0, 'u'},
                                          {"describe", 0, 0, 'd'},
                                          {"repeat", 1, 0, 'r'},
                                          {"print", 1, 0, 'p'},
                                          {"rows", 0, 0, 'R'}};
    const struct ls_option *by_code[256 + MAX_FLAGS] = {NULL};
    char letters[2 * MAX_FLAGS] = "o:";
    int n = 5;

    for (const struct ls_option *o = ls_option_next(NULL); o; o = ls_option_next(o)) {
        int code = is_letter(o) ? (unsigned char)o->flag[0] : 256 + n;

        LS_ASSERT(n < MAX_FLAGS);
        by_code[code] = o;
        if (is_letter(o))
            strcat(strcat(letters, o->flag), *o->argument ? ":" : "");
        else
            longs[n++] = (struct option){o->flag, *o->argument != 0, 0, code};
    }
    for (int c; (c = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        switch (c) {
        case 'u': a->until = optarg; break;
        case 'd': a->describe = true; break;
        case 'p':
            if (!parse_print(optarg, &a->print))
                return false;
            break;
        case 'R': a->rows = true; break;
        case 'r': a->repeat = atoi(optarg); break;
        case 'o': a->out = optarg; break;
        default:
            if (!by_code[c] ||
                !ls_option_set(by_code[c], &a->opt, *by_code[c]->argument ? optarg : "1"))
                return false;
        }
    }
    return optind + !a->rows == argc;
}

static bool
write_elf(const char *path, const void *elf, size_t bytes)
{
    if (ls_file_write(path, elf, bytes))
        return true;
    fprintf(stderr, "lsopt: cannot write %s: %s\n", path, strerror(errno));
    return false;
}

static bool
print_ir(struct ls_cc *cc, const char *out)
{
    char *why = NULL;

    if (out)
        return !LLVMPrintModuleToFile(cc->mod, out, &why);
    char *text = LLVMPrintModuleToString(cc->mod);
    fputs(text, stdout);
    LLVMDisposeMessage(text);
    return true;
}

int
main(int argc, char **argv)
{
    struct args a = {.repeat = 1};
    bool ok = true;
    void *data;
    size_t bytes;

    ls_heap_keep();
    ls_options_init(&a.opt);
    a.opt.sink = print_diag;
    if (!parse_args(argc, argv, &a)) {
        print_usage();
        return 2;
    }
    if (a.rows) {
        print_table();
        return 0;
    }
    if (a.print && !a.until)
        a.until = a.print == LS_PRINT_PLAN ? "region" : "vectorize";
    if (!ls_file_read(strcmp(argv[optind], "-") ? argv[optind] : "/dev/stdin", &data, &bytes)) {
        fprintf(stderr, "lsopt: cannot read %s: %s\n", argv[optind], strerror(errno));
        return 1;
    }
    if (a.describe)
        return print_tables(data, bytes);
    if (!a.opt.kernel && !(a.opt.kernel = first_kernel(data, bytes))) {
        fprintf(stderr, "lsopt: no kernel in %s\n", argv[optind]);
        return 1;
    }
    for (int i = 0; i < a.repeat && ok; i++) {
        struct ls_cc *cc = ls_cc_create(&a.opt);
        void *elf = NULL;
        size_t elf_bytes;

        cc->print = a.print;
        ok = ls_cc_configure(cc) && ls_pipeline_run(cc, data, bytes, a.until, &elf, &elf_bytes);
        if (ok && (!a.print || a.out))
            ok = a.until ? print_ir(cc, a.out)
                         : write_elf(a.out ? a.out : "lsopt.so", elf, elf_bytes);
        free(elf);
        ls_cc_destroy(cc);
    }
    free(data);
    return !ok;
}
