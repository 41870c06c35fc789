/* SPDX-License-Identifier: MIT */
/* Runs the test suites side by side and closes with "N passed, N failed".
 *
 *   unit   every program in <build>/tests/unit
 *   hipcc  every tests/hipcc/<name>.sh
 *   house  every tests/house/<name>.sh: the source itself
 *   fuzz   a dozen random kernels against the host (tests/fuzz/run), another with divergent warp
 *          operations against an emulator (tests/fuzz/run_warps)
 *          every program in <build>/tests/fuzz: hostile bytes, for two seconds each
 *   accuracy  the mathematical functions against exact values (tests/accuracy/run), few points
 *   hip    tests/hip/<area>/<case>.hip, each compiled for both warp widths at -O3, for one of them
 *          in turns at -O0 (wants_level), and run with the widest instruction set of this machine,
 *          at -O3 with narrower ones too, in turns (wants_isa)
 *          and, for gfx1100 at the first level, one lane at a time (scalar): the oracle of the
 *          vectoriser. Kernels that look at other lanes of their warp are refused then, which
 *          counts as nothing
 *
 * A program that closes with "N passed, N failed" itself counts as that many tests, any other as
 * one: it passes by exiting with 0. The first lines of a .hip case may say
 *   // FLAGS: options of the compiler        // ARGS: arguments of the program
 *                                           ($SOURCE/...: a path in this tree)
 *   // ENV: NAME=VALUE ...                   // TIMEOUT: seconds of one run
 *   // ARCH: gfx90a ...                      only these targets (gfx942: only where it is named)
 *   // OPT: -O3 ...                          only these levels
 *   // ISA: avx2 ...                         only these (native: only where it is named)
 *   // SCALAR: no, because ...               not one lane at a time, see below
 *   // FAR: yes                              also once on the far device (LOCKSTEP_FAR)
 *   // PTX: yes                              also once as PTX, by tests/ptx_driver
 *   // HOST: optimized, because ...           the host's half too: see "the precompiled header"
 *   // NEEDS: path in this tree              without it the case is skipped, said and counted
 *   // EXPECT-ERROR: text that the failing compilation prints
 *   // EXPECT-EXIT: exit code, instead of 0
 *   // EXPECT-OUTPUT: text that the run prints
 * and <case>.out beside it is the expected standard output of every run.
 * With --far unit tests and cases run on the far device alone, cases once each: but for those that
 * tests/far.txt lists; with --strict in strict mode, and tests/strict.txt; both may be said. With
 * --cuda both run on an NVIDIA GPU, cases with code made ahead of time for the processor $SM, but
 * for those of tests/cuda.txt, and with --random N so many random programs and kernels; with --ptx
 * too by tests/ptx_driver, but for those of tests/ptx.txt; with --pack DIR cases are built for
 * another machine, which needs this program with --unpack DIR and the runtime alone. With
 * --full OPT and ISA are ignored, everything runs with every instruction set, headers are read as
 * text, scripts see LS_CHECK_FULL=1, and limits of time are FULL_PATIENCE times as long. With
 * --times it ends with what each folder took. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/isa.h"
#include "run.h"

#define MAX_JOBS      64
#define OUTPUT_LIMIT  (256 * 1024)
#define FULL_PATIENCE 8
#define RANDOM_BATCH  25
#define SCALAR        "scalar" /* of LOCKSTEP_ISA */
#define NOT_SCALAR                                                                                 \
    "not in scalar code" /* what the compiler says of kernels that look at other lanes */

static struct {
    const char *build, *source, *filter, *suite;
    const char *pack, *unpack; /* folders: written, run */
    int n_jobs, n_random;
    bool keep, list, full, times;
    const char *mode; /* names of those that are on; NULL: none is */
    const char *cuda; /* the processor that the mode is for, or NULL */
} opt = {.n_jobs = 2};

static struct task **queue;
static size_t n_queue, queue_cap, queue_next;
static long n_passed, n_failed, n_skipped;

/* ---- small things ---- */

void *
check_memory(void *memory)
{
    if (!memory) {
        fputs("run: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

char *
text(const char *format, ...)
{
    struct kept {
        struct kept *next;
        char chars[];
    };
    static struct kept *all;
    struct kept *new;
    va_list list, again;
    int n;

    va_start(list, format);
    va_copy(again, list);
    n = vsnprintf(NULL, 0, format, list);
    new = check_memory(malloc(sizeof(*new) + (size_t)n + 1));
    vsnprintf(new->chars, (size_t)n + 1, format, again);
    va_end(again);
    va_end(list);
    new->next = all;
    all = new;
    return new->chars;
}

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double
seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

void
enqueue(struct task *task)
{
    if (n_queue == queue_cap) {
        queue_cap = queue_cap ? 2 * queue_cap : 1024;
        queue = check_memory(realloc(queue, queue_cap * sizeof(struct task *)));
    }
    queue[n_queue++] = task;
}

struct task *
new_task(enum kind kind, char *name, int timeout_s)
{
    struct task *task = check_memory(calloc(1, sizeof(*task)));

    task->kind = kind;
    task->name = name;
    task->timeout_s = timeout_s;
    return task;
}

void
add_word(struct task *task, const char *word)
{
    if (task->n_argv + 1 < MAX_ARGS)
        task->argv[task->n_argv++] = text("%s", word);
}

/* $SOURCE in front of a word: this tree. */
static void
add_words(struct task *task, const char *words)
{
    char *copy = text("%s", words ? words : ""), *state = NULL;

    for (char *word = strtok_r(copy, " \t", &state); word; word = strtok_r(NULL, " \t", &state))
        add_word(task, strncmp(word, "$SOURCE/", 8) ? word : text("%s%s", opt.source, word + 7));
}

static void
add_env(struct task *task, const char *words)
{
    char *copy = text("%s", words ? words : ""), *state = NULL;

    for (char *word = strtok_r(copy, " \t", &state); word; word = strtok_r(NULL, " \t", &state))
        if (task->n_env < 32)
            task->env[task->n_env++] = text("%s", word);
}

/* Is `word` in the list? No list means every word is. */
static bool
listed(const char *list, const char *word)
{
    size_t n = strlen(word);

    if (!list)
        return true;
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

static bool
wanted(const char *name)
{
    if (!opt.filter || !*opt.filter)
        return true;
    char *pattern = text("*%s*", opt.filter);
    bool match = !fnmatch(pattern, name, 0);

    return match;
}

char *
read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t cap = 65536, n = 0;

    if (!file)
        return NULL;
    char *data = check_memory(malloc(cap + 1));
    for (size_t got; (got = fread(data + n, 1, cap - n, file)) > 0;) {
        n += got;
        if (n == cap)
            data = check_memory(realloc(data, (cap *= 2) + 1));
    }
    fclose(file);
    data[n] = '\0';
    return data;
}

/* ---- finding tests ---- */

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The entries of a folder in order of name; hidden ones left out. */
static char **
entries(const char *folder, size_t *n)
{
    char **names = NULL;
    DIR *dir = opendir(folder);

    *n = 0;
    if (!dir)
        return NULL;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.') {
            names = check_memory(realloc(names, (*n + 1) * sizeof(*names)));
            names[(*n)++] = text("%s", entry->d_name);
        }
    closedir(dir);
    if (names)
        qsort(names, *n, sizeof(*names), by_name);
    return names;
}

static bool
has_ext(const char *name, const char *ext)
{
    size_t n = strlen(name), m = strlen(ext);

    return n > m && !strcmp(name + n - m, ext);
}

/* ---- modes: all runs in them alone ---- */

static const struct mode {
    const char *option, *variable, *value;
} modes[] = {{"--far", "LOCKSTEP_FAR", "1"},
             {"--strict", "LOCKSTEP_STRICT", "1"},
             {"--cuda", "LOCKSTEP_DEVICES", "cuda"},
             {"--ptx", "PTX_DRIVER_SM", "90"}};

static char *exceptions; /* tests/MODE.txt, of all modes that are on */

static bool
set_mode(const char *option)
{
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        if (!strcmp(option, modes[i].option)) {
            setenv(modes[i].variable, modes[i].value, 1);
            opt.mode = text("%s%s%s", opt.mode ? opt.mode : "", opt.mode ? " " : "", option + 2);
            return true;
        }
    return false;
}

static void
read_exceptions(void)
{
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        if (listed(opt.mode, modes[i].option + 2)) {
            char *list = read_file(text("%s/tests/%s.txt", opt.source, modes[i].option + 2));

            exceptions = text("%s%s", exceptions ? exceptions : "", list ? list : "");
            free(list);
        }
}

/* The names behind that of a test in its lines, apart from each other by spaces: parts of it that
 * are left out. NULL: it has no line; "": it is left out altogether. */
static char *
left_out(const char *name)
{
    size_t n = strlen(name);
    char *parts = NULL;

    for (const char *at = exceptions; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        if (strncmp(at, name, n) || (at[n] != ':' && at[n] != ' '))
            continue;
        if (at[n] == ':')
            return text("%s", "");
        parts = text("%s %.*s", parts ? parts : "", (int)strcspn(at + n + 1, ":\n"), at + n + 1);
    }
    return parts;
}

static void
use_ptx_driver(struct task *run)
{
    run->env[run->n_env++] = text("LD_LIBRARY_PATH=%s/tests/ptx_driver", opt.build);
}

static void
find_programs(char *suite, const char *folder, const char *ext, int timeout_s)
{
    size_t n;
    char **names = entries(folder, &n);

    for (size_t i = 0; i < n; i++) {
        char *path = text("%s/%s", folder, names[i]);
        char *name = text("%s/%s", suite, names[i]);
        struct stat info;

        if (stat(path, &info) || !S_ISREG(info.st_mode) || !has_ext(names[i], ext) ||
            (!*ext && access(path, X_OK)) || !wanted(name))
            continue;
        char *parts = left_out(name);
        if (parts && !*parts)
            continue;
        struct task *task = new_task(KIND_PROGRAM, name, timeout_s);
        if (parts)
            task->env[task->n_env++] = text("LS_TEST_SKIP=%s ", parts);
        if (opt.mode && listed(opt.mode, "ptx"))
            use_ptx_driver(task);
        if (*ext)
            add_word(task, "sh");
        add_word(task, path);
        enqueue(task);
    }
    free(names);
}

static char *
directive(const char *source, const char *name)
{
    char *key = text("// %s:", name);
    const char *at = strstr(source, key);
    const char *limit = source;

    for (int lines = 0; *limit && lines < 24; limit++)
        lines += *limit == '\n';
    if (at && at >= limit)
        at = NULL;
    if (at) {
        at += strlen(key);
        at += strspn(at, " \t");
    }
    return at ? text("%.*s", (int)strcspn(at, "\r\n"), at) : NULL;
}

static struct directives *
read_directives(const char *path)
{
    struct directives *d = check_memory(calloc(1, sizeof(*d)));
    char *source = read_file(path);

    if (!source)
        return d;
    d->flags = directive(source, "FLAGS");
    d->args = directive(source, "ARGS");
    d->env = directive(source, "ENV");
    d->arch = directive(source, "ARCH");
    d->opt = opt.full ? NULL : directive(source, "OPT");
    d->isa = directive(source, "ISA");
    d->scalar = directive(source, "SCALAR");
    d->far = directive(source, "FAR");
    d->ptx = directive(source, "PTX");
    d->host = directive(source, "HOST");
    d->needs = directive(source, "NEEDS");
    d->expect_error = directive(source, "EXPECT-ERROR");
    d->expect_output = directive(source, "EXPECT-OUTPUT");
    char *timeout = directive(source, "TIMEOUT"), *code = directive(source, "EXPECT-EXIT");
    d->timeout_s = (timeout ? atoi(timeout) : 300) * (opt.full ? FULL_PATIENCE : 1);
    d->expect_exit = code ? atoi(code) : 0;
    char *golden = text("%.*s.out", (int)(strrchr(path, '.') - path), path);
    d->golden = read_file(golden);
    free(source);
    return d;
}

/* The instruction sets that this machine has, of those that tests are run with, narrowest first. */
static int
machine_isas(const char **out)
{
    static const char *const tried[] = {"sse2", "avx2", "avx512"};
    int n = 0;

    for (size_t i = 0; i < sizeof(tried) / sizeof(*tried); i++)
        if (ls_isa_supported(ls_isa_find(tried[i])))
            out[n++] = tried[i];
    return n;
}

/* Without --full: -O3 takes the widest instruction set and those that the case names; of the others
 * the two widths of warps take one each, in turns, but the narrowest with the wide warps in every
 * fourth case alone: that code is the longest and takes a tenth of all the time. -O0 takes the
 * widest. */
static bool
wants_isa(const struct directives *d, const char *isa, int rank, int n_isas, int arch, int level)
{
    static int n_cases;
    bool both = listed(d->arch, "gfx1100") && listed(d->arch, "gfx90a");

    n_cases += arch == 0 && level == 0 && rank == 0;
    if (opt.full || !listed(d->isa, isa))
        return opt.full;
    if (d->isa || rank + 1 == n_isas)
        return true;
    bool in_turn = (rank + arch + n_cases) % 2;
    if (both && rank == 0 && n_isas > 2) /* of four cases one with wide warps */
        in_turn = (arch == 1) == (n_cases % 4 == 0);
    return level == 0 && (!both || in_turn);
}

/* Without --full a case that says nothing of targets and levels is compiled at -O0 for one width of
 * warps: what that level changes lies in front of the vectoriser, where widths hardly matter. */
static bool
wants_level(const struct directives *d, size_t arch, size_t level)
{
    static unsigned n_cases;

    n_cases += arch == 0 && level == 0;
    return opt.full || opt.mode || level == 0 || d->arch || d->opt || arch == n_cases % 2;
}

/* ---- the precompiled header ----
 * Parsing check.h, HIP's headers and clang's is two thirds of a case's compilation. Where a source
 * begins with check.h and has no flags of its own, a precompiled one has the same meaning; clang
 * makes the same code of it. And half of what is left went into optimising the host's half, which
 * prepares data and compares: it is left as it is, and the level is the device's. The others, those
 * that say HOST, and all with --full are read as text and optimised whole. */

#define HEADER_PAYS 3 /* compilations */
#define HOST_LEVEL  "-Xarch_host -O0 -Xarch_host -D__OPTIMIZE__"

static const char *const archs[] = {"gfx1100", "gfx90a", "gfx942"};
static const char *const levels[] = {"-O3", "-O0"};

/* Of each target and level, two passes: clang takes from the folder what fits. */
static struct header {
    char *folder;
    struct task *passes[2];
    int n_users;
} headers[3][2];

static bool
is_guard(const char *line)
{
    return !strncmp(line, "#pragma once", 12) || !strncmp(line, "#ifndef LS_TESTS_", 17) ||
           !strncmp(line, "#define LS_TESTS_", 17);
}

/* Is check.h the first that it includes, be it in a header of the folder, and nothing defined
 * before? */
static bool
begins_with_check(const char *path)
{
    char *source = read_file(path), name[64] = "";
    const char *at = source;
    bool begins = false;

    while (at && (*at != '#' || is_guard(at))) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    if (at && sscanf(at, "#include \"%63[^\"]\"", name) == 1)
        begins = !strcmp(name, "../check.h") ||
                 (!strchr(name, '/') &&
                  begins_with_check(text("%.*s/%s", (int)(strrchr(path, '/') - path), path, name)));
    free(source);
    return begins;
}

static void
add_header(size_t arch, size_t level)
{
    struct header *header = &headers[arch][level];

    header->folder = text("%s/tests/pch/%s%s", opt.build, archs[arch], levels[level]);
    mkdir(header->folder, 0777);
    for (int i = 0; i < 2; i++) {
        const char *pass = i ? "device" : "host";
        struct task *task =
            new_task(KIND_HEADER, text("header/%s %s %s", archs[arch], levels[level], pass), 240);

        task->binary = text("%s/%s", header->folder, pass);
        unlink(task->binary);
        add_word(task, text("%s/bin/hipcc", opt.build));
        add_words(task, text("%s --offload-arch=%s -fno-lockstep-code-object", levels[level],
                             archs[arch]));
        if (level == 0)
            add_words(task, HOST_LEVEL);
        add_words(task, text("--offload-%s-only -fsyntax-only -include", pass));
        add_word(task, text("%s/tests/hip/check.h", opt.source));
        add_words(task, "-Xclang -emit-pch -Xclang -o -Xclang");
        add_word(task, task->binary);
        add_words(task, "-x hip");
        add_word(task, text("%s/tests/pch/empty", opt.build));
        header->passes[i] = task;
        enqueue(task);
    }
}

/* Behind find_cases, which counts the users: the headers go first. */
static void
add_headers(void)
{
    size_t n_cases = n_queue;
    FILE *empty;

    mkdir(text("%s/tests/pch", opt.build), 0777);
    empty = fopen(text("%s/tests/pch/empty", opt.build), "w");
    for (size_t a = 0; a < 3 && empty; a++)
        for (size_t l = 0; l < 2; l++)
            if (headers[a][l].n_users >= HEADER_PAYS)
                add_header(a, l);
    if (empty)
        fclose(empty);
    size_t n = n_queue - n_cases;
    struct task **added = check_memory(malloc((n + 1) * sizeof(*added)));
    memcpy(added, queue + n_cases, n * sizeof(*added));
    memmove(queue + n, queue, n_cases * sizeof(*added));
    memcpy(queue, added, n * sizeof(*added));
    free(added);
}

/* A compilation that begins before its header is there reads the text. */
static void
use_header(struct task *compile)
{
    const struct header *header = compile->header;

    if (!header || !header->folder || !header->passes[0]->is_done || !header->passes[1]->is_done)
        return;
    compile->n_header_words = compile->n_argv;
    add_words(compile, "-Xclang -include-pch -Xclang");
    add_word(compile, header->folder);
    compile->n_header_words = compile->n_argv - compile->n_header_words;
}

/* The next program's name: where it runs, as a pack's lie in its own folder. */
static char *
new_binary(void)
{
    static int serial;

    return opt.pack ? text("bin/%d", serial++) : text("%s/tests/bin/%d", opt.build, serial++);
}

static char *
built_at(char *binary)
{
    return opt.pack ? text("%s/%s", opt.pack, binary) : binary;
}

/* PTX runs on the CPU, by a driver that is found first. */
static void
add_run(struct task *compile, char *name, const char *isa)
{
    const struct directives *d = compile->directives;
    struct task *run = new_task(KIND_RUN, name, d->timeout_s);

    run->directives = d;
    run->binary = compile->binary;
    run->compile = compile;
    run->is_scalar = !strcmp(isa, SCALAR);
    run->env[run->n_env++] = text("LOCKSTEP_ISA=%s", isa);
    if (!opt.pack)
        run->env[run->n_env++] = text("LOCKSTEP_CACHE_DIR=%s/tests/cache", opt.build);
    if (opt.mode && listed(opt.mode, "ptx"))
        use_ptx_driver(run);
    add_env(run, d->env);
    add_word(run, compile->binary);
    add_words(run, d->args);
    compile->after[compile->n_after++] = run;
}

static void
add_runs(struct task *compile, const char *name, int arch, int level)
{
    const char *isas[6];
    const struct directives *d = compile->directives;
    int n_isas = machine_isas(isas);

    if (d->isa && listed(d->isa, "native")) /* with what this very processor has beyond its level */
        isas[n_isas++] = "native";
    int n_vectors = n_isas;
    if (arch == 0 && (level == 0 || !listed(d->opt, "-O3")) && !d->isa && !d->scalar)
        isas[n_isas++] = SCALAR;
    compile->after = check_memory(calloc((size_t)n_isas + 2, sizeof(struct task *)));
    const char *far_isa = NULL;
    for (int i = 0; i < n_isas && !opt.mode; i++) {
        if (strcmp(isas[i], SCALAR) && !wants_isa(d, isas[i], i, n_vectors, arch, level))
            continue;
        add_run(compile, text("%s %s", name, isas[i]), isas[i]);
        if (d->far && arch == 0 && level == 0 && strcmp(isas[i], SCALAR))
            far_isa = isas[i]; /* for which there is code by then */
    }
    if (opt.mode)
        add_run(compile, text("%s %s", name, opt.mode), "native");
    if (far_isa) {
        add_run(compile, text("%s far", name), far_isa);
        struct task *run = compile->after[compile->n_after - 1];
        run->env[run->n_env++] = text("LOCKSTEP_FAR=1");
    }
    if (compile->has_ptx) {
        add_run(compile, text("%s ptx", name), "native");
        struct task *run = compile->after[compile->n_after - 1];
        run->env[run->n_env++] = text("LOCKSTEP_DEVICES=cuda");
        use_ptx_driver(run);
    }
    compile->runs_left = compile->n_after;
}

static void
add_case(const char *path, const char *name)
{
    const struct directives *d = read_directives(path);
    bool may_have_header =
        !opt.full && !opt.cuda && !d->flags && !d->host && begins_with_check(path);

    if (d->needs && access(text("%s/%s", opt.source, d->needs), R_OK)) {
        n_skipped++;
        printf("SKIP %s: there is no %s (scripts/deps.sh check)\n", name, d->needs);
        return;
    }
    bool added = opt.mode && (left_out(name) || d->expect_error);
    for (size_t a = 0; a < 3; a++)
        for (size_t l = 0; l < 2 && !added; l++) {
            if (!listed(d->arch, archs[a]) || !listed(d->opt, levels[l]) || (a == 2 && !d->arch) ||
                (a && opt.cuda) || !wants_level(d, a, l)) /* the first has warps of 32 */
                continue;
            char *full = text("%s %s %s", name, archs[a], levels[l]);
            struct task *compile =
                new_task(KIND_COMPILE, full, 240 * (opt.full ? FULL_PATIENCE : 1));

            bool has_ptx = d->ptx && !opt.mode && a == 0 && !strcmp(levels[l], "-O3"),
                 has_header = may_have_header && !has_ptx;
            compile->directives = d;
            compile->has_ptx = has_ptx;
            compile->binary = new_binary();
            add_word(compile, text("%s/bin/hipcc", opt.build));
            add_word(compile, levels[l]);
            if (has_header && l == 0)
                add_words(compile, HOST_LEVEL);
            add_words(compile, d->flags);
            add_word(compile, text("--offload-arch=%s", archs[a]));
            add_word(compile, "-fno-lockstep-code-object"); /* for hardware: not run here */
            if (has_ptx)
                add_word(compile, "--offload-arch=sm_80");
            if (opt.cuda)
                add_word(compile, text("--offload-arch=%s", opt.cuda));
            add_word(compile, path);
            add_word(compile, "-o");
            if (has_header) {
                compile->header = &headers[a][l];
                headers[a][l].n_users++;
            }
            add_word(compile, built_at(compile->binary));
            if (!d->expect_error)
                add_runs(compile, full, (int)a, (int)l);
            enqueue(compile);
            added = opt.mode;
        }
}

static void
find_cases(const char *folder)
{
    size_t n_areas;
    char **areas = entries(folder, &n_areas);

    for (size_t i = 0; i < n_areas; i++) {
        char *area = text("%s/%s", folder, areas[i]);
        size_t n;
        char **names = entries(area, &n);

        for (size_t j = 0; j < n; j++) {
            char *name = text("hip/%s/%s", areas[i], names[j]);

            if (has_ext(names[j], ".hip") && wanted(name))
                add_case(text("%s/%s", area, names[j]), name);
        }
        free(names);
    }
    free(areas);
}

/* Random programs, RANDOM_BATCH to one, and as many random kernels, which the emulator knows too.
 */
static void
add_random(int first, bool warps)
{
    static const struct directives none;
    char *name = text("fuzz/%s %d-%d %s", warps ? "kernels" : "programs", first,
                      first + RANDOM_BATCH - 1, opt.mode);
    struct task *compile = new_task(KIND_COMPILE, name, 1200);

    if (!wanted(name))
        return;
    compile->directives = &none;
    compile->binary = new_binary();
    add_words(compile, text("sh %s/tests/fuzz/%s %d %d", opt.source,
                            warps ? "build_warps" : "build_programs", first, RANDOM_BATCH));
    add_word(compile, built_at(compile->binary));
    add_words(compile, "-O3 --offload-arch=gfx1100 -fno-lockstep-code-object");
    if (opt.cuda) /* which clamps whole numbers of 64 bits, AMD's compiler their halves */
        add_words(compile, text("--offload-arch=%s%s", opt.cuda, warps ? " -DCLAMP_64" : ""));
    compile->env[compile->n_env++] = text("LS_BUILD=%s", opt.build);
    compile->after = check_memory(calloc(1, sizeof(struct task *)));
    add_run(compile, name, "native");
    struct task *run = compile->after[0];
    if (warps) {
        run->argv[run->n_argv++] = run->argv[0];
        run->argv[0] = opt.pack ? text("./ls-compare") : text("%s/bin/ls-compare", opt.build);
        run->env[run->n_env++] = text("LOCKSTEP_ARCH=gfx1100");
    }
    run->timeout_s = 600;
    compile->runs_left = 1;
    enqueue(compile);
}

/* ---- running ---- */

/* ---- times: of processors, as the machine may have other work ---- */

static int
by_time(const void *a, const void *b)
{
    const struct task *x = *(struct task *const *)a, *y = *(struct task *const *)b;

    return (x->processor_s < y->processor_s) - (x->processor_s > y->processor_s);
}

/* The length of a name's folder: "hip/warp" of a case, "unit" of a program. */
static int
folder_length(const char *name)
{
    size_t n = strcspn(name, "/");

    return (int)(strncmp(name, "hip/", 4) ? n : n + 1 + strcspn(name + n + 1, "/"));
}

/* What each folder took, and every task that took a second or more. The queue is sorted by time. */
static void
print_all_times(void)
{
    struct folder {
        const char *name;
        int length;
        long n[2];
        double seconds[2]; /* compilations and the rest */
    } *folders = check_memory(calloc(n_queue, sizeof(*folders)));
    size_t n_folders = 0;

    for (size_t i = 0; i < n_queue; i++) {
        const struct task *task = queue[i];
        int length = folder_length(task->name),
            rest = task->kind == KIND_PROGRAM || task->kind == KIND_RUN;
        size_t f = 0;

        while (f < n_folders && (folders[f].length != length ||
                                 strncmp(folders[f].name, task->name, (size_t)length)))
            f++;
        if (f == n_folders)
            folders[n_folders++] = (struct folder){.name = task->name, .length = length};
        folders[f].n[rest]++;
        folders[f].seconds[rest] += task->processor_s;
        if (task->processor_s >= 1)
            printf("%8.1f s  %s%s\n", task->processor_s, rest ? "" : "compile ", task->name);
    }
    printf("%-16s %21s %21s\n", "", "compilations", "programs");
    for (size_t f = 0; f < n_folders; f++)
        printf("%-16.*s %6ld in %9.1f s %6ld in %9.1f s\n", folders[f].length, folders[f].name,
               folders[f].n[0], folders[f].seconds[0], folders[f].n[1], folders[f].seconds[1]);
    free(folders);
}

static void
print_times(double seconds)
{
    double sum = 0;

    for (size_t i = 0; i < n_queue; i++)
        sum += queue[i]->processor_s;
    qsort(queue, n_queue, sizeof(struct task *), by_time);
    if (opt.times)
        print_all_times();
    printf("time: %.0f s, of processors %.0f s; the longest:", seconds, sum);
    for (size_t i = 0; i < n_queue && i < 12; i++)
        printf("%s %s %.0f", i ? "," : "", queue[i]->name, queue[i]->processor_s);
    printf("\n");
}

/* ---- tasks ---- */

/* Stands between the runner and the task and waits for all that descends from it, the compiler's
 * processes too, which are nobody's children: their time counts for the task then. Returns in the
 * process that becomes the task. */
static void
supervise(void)
{
    pid_t task, ended;
    int status, result, patience = 200; /* two seconds, for what stays */

    if (prctl(PR_SET_CHILD_SUBREAPER, 1) || (task = fork()) <= 0)
        return;
    close(1);
    close(2);
    while ((ended = wait(&status)) != task)
        if (ended < 0 && errno != EINTR)
            _exit(127);
    for (result = status; (ended = waitpid(-1, &status, WNOHANG)) >= 0 && patience-- > 0;)
        if (ended == 0)
            usleep(10000);
    if (WIFEXITED(result))
        _exit(WEXITSTATUS(result));
    signal(WTERMSIG(result), SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    raise(WTERMSIG(result));
    _exit(127);
}

static void
start(struct task *task)
{
    int pipe_fds[2];

    if (task->kind == KIND_COMPILE)
        use_header(task);
    task->started = now();
    task->fd = -1;
    if (pipe2(pipe_fds, O_CLOEXEC))
        return;
    task->pid = fork();
    if (task->pid == 0) {
        setpgid(0, 0);
        int null = open("/dev/null", O_RDONLY);
        dup2(null, 0);
        dup2(pipe_fds[1], 1);
        dup2(pipe_fds[1], 2);
        if (opt.times)
            supervise();
        for (int i = 0; i < task->n_env; i++)
            putenv(task->env[i]);
        execvp(task->argv[0], task->argv);
        dprintf(2, "cannot run %s: %s\n", task->argv[0], strerror(errno));
        _exit(127);
    }
    close(pipe_fds[1]);
    task->fd = pipe_fds[0];
    fcntl(task->fd, F_SETFL, O_NONBLOCK);
}

/* False at end of file. */
static bool
drain(struct task *task)
{
    char bytes[16384];

    for (;;) {
        ssize_t got = read(task->fd, bytes, sizeof(bytes));

        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        if (!got)
            return false;
        if (task->n_output + (size_t)got > OUTPUT_LIMIT)
            continue;
        task->output = check_memory(realloc(task->output, task->n_output + (size_t)got + 1));
        memcpy(task->output + task->n_output, bytes, (size_t)got);
        task->n_output += (size_t)got;
        task->output[task->n_output] = '\0';
    }
}

static void
report_failure(const struct task *task, const char *why)
{
    const char *output = task->output ? task->output : "";
    size_t n = strlen(output), shown = n > 4000 ? 4000 : n;

    printf("FAIL %s: %s\n", task->name, why);
    if (shown)
        printf("%s%.*s%s", n > shown ? "  ...\n" : "", (int)shown, output + n - shown,
               output[n - 1] == '\n' ? "" : "\n");
    fflush(stdout);
}

/* "N passed, N failed" in the last line, perhaps with ", N skipped" behind. */
static bool
closing_counts(const char *output, long *passed, long *failed)
{
    size_t n = output ? strlen(output) : 0;
    int end = -1;

    while (n && (output[n - 1] == '\n' || output[n - 1] == ' '))
        n--;
    size_t start = n;
    while (start && output[start - 1] != '\n')
        start--;
    return output &&
           sscanf(output + start, "%ld passed, %ld failed%n", passed, failed, &end) >= 2 && end > 0;
}

static void
judge_program(struct task *task, int code)
{
    long passed = 0, failed = 0;
    bool counted = closing_counts(task->output, &passed, &failed);

    if (counted) {
        n_passed += passed;
        n_failed += failed;
        if (!failed && code) /* it died behind its own count */
            n_failed++;
        if (failed || code)
            report_failure(task, text("%ld of %ld", failed, passed + failed));
    } else if (code) {
        n_failed++;
        report_failure(task, task->timed_out ? text("no end after %d s", task->timeout_s)
                                             : text("exit code %d", code));
    } else {
        n_passed++;
    }
}

static void
judge_header(struct task *task, int code)
{
    task->is_done = !code;
    if (code) {
        n_failed++;
        report_failure(task, text("exit code %d", code));
    }
}

/* Somebody changed a header since it was precompiled: from here on the text is read, by this
 * compilation again. */
static bool
without_header(struct task *task, int code)
{
    if (!code || !task->n_header_words || !task->output ||
        !strstr(task->output, task->header->folder))
        return false;
    task->n_argv -= task->n_header_words;
    task->argv[task->n_argv] = NULL;
    task->n_header_words = 0;
    task->header->passes[0]->is_done = false;
    task->n_output = 0;
    enqueue(task);
    return true;
}

static void
judge_compile(struct task *task, int code)
{
    const char *expected = task->directives->expect_error;

    if (without_header(task, code))
        return;
    if (expected) {
        bool ok = code && !task->timed_out && task->output && strstr(task->output, expected);

        n_passed += ok;
        n_failed += !ok;
        if (!ok)
            report_failure(task, text("expected an error with '%s', exit code %d", expected, code));
        return;
    }
    if (!code && opt.pack) {
        for (int i = 0; i < task->n_after; i++)
            if (pack_write(opt.pack, task->after[i])) {
                n_passed++;
            } else {
                n_failed++;
                report_failure(task, text("%s: %s", opt.pack, strerror(errno)));
            }
        return;
    }
    if (!code) { /* its runs come next */
        for (int i = 0; i < task->n_after; i++)
            enqueue(task->after[i]);
        size_t n = (size_t)task->n_after;
        memmove(&queue[queue_next + n], &queue[queue_next],
                (n_queue - n - queue_next) * sizeof(struct task *));
        for (size_t i = 0; i < n; i++)
            queue[queue_next + i] = task->after[i];
        return;
    }
    n_failed += task->n_after ? task->n_after : 1;
    report_failure(task, task->timed_out ? "the compiler does not end"
                                         : text("compiler exit code %d", code));
}

static void
judge_run(struct task *task, int code)
{
    const struct directives *d = task->directives;
    const char *why = NULL;

    if (task->timed_out)
        why = text("no end after %d s", task->timeout_s);
    else if (code != d->expect_exit)
        why = text("exit code %d", code);
    else if (d->expect_output && (!task->output || !strstr(task->output, d->expect_output)))
        why = text("'%s' is not in its output", d->expect_output);
    else if (d->golden && strcmp(d->golden, task->output ? task->output : ""))
        why = "its output differs from the expected one";
    if (!task->is_scalar || !task->output || !strstr(task->output, NOT_SCALAR)) {
        n_passed += !why;
        n_failed += why != NULL;
        if (why)
            report_failure(task, why);
    }
    if (--task->compile->runs_left == 0 && !opt.keep)
        unlink(task->binary);
}

static void
finish(struct task *task)
{
    int status = 0;
    struct rusage use = {0};

    if (task->pid > 0) {
        while (wait4(task->pid, &status, 0, &use) < 0 && errno == EINTR)
            ;
        task->processor_s += seconds_of(use.ru_utime) + seconds_of(use.ru_stime);
        kill(-task->pid, SIGKILL); /* what it left behind */
    }
    if (task->fd >= 0)
        close(task->fd);
    int code = task->pid <= 0      ? 127
               : WIFEXITED(status) ? WEXITSTATUS(status)
                                   : 128 + WTERMSIG(status);

    switch (task->kind) {
    case KIND_PROGRAM:
        judge_program(task, code);
        break;
    case KIND_HEADER:
        judge_header(task, code);
        break;
    case KIND_COMPILE:
        judge_compile(task, code);
        break;
    case KIND_RUN:
        judge_run(task, code);
        break;
    }
    free(task->output);
    task->output = NULL;
}

static void
step(struct task **running, int n_running)
{
    struct pollfd fds[MAX_JOBS];

    for (int i = 0; i < n_running; i++)
        fds[i] = (struct pollfd){.fd = running[i]->fd, .events = POLLIN};
    poll(fds, (nfds_t)n_running, 200);
    for (int i = 0; i < n_running; i++)
        if (!running[i]->timed_out && now() - running[i]->started > running[i]->timeout_s) {
            running[i]->timed_out = true;
            kill(-running[i]->pid, SIGKILL);
        }
}

static void
run_all(void)
{
    struct task *running[MAX_JOBS];
    int n_running = 0;
    double last = now();

    while (queue_next < n_queue || n_running) {
        while (n_running < opt.n_jobs && queue_next < n_queue) {
            struct task *task = queue[queue_next++];

            start(task);
            running[n_running++] = task;
        }
        step(running, n_running);
        for (int i = 0; i < n_running;) {
            if (running[i]->fd >= 0 && drain(running[i]) && !running[i]->timed_out) {
                i++;
                continue;
            }
            finish(running[i]);
            running[i] = running[--n_running];
        }
        if (now() - last > 30) {
            last = now();
            printf("... %ld passed, %ld failed so far\n", n_passed, n_failed);
            fflush(stdout);
        }
    }
}

static void
usage(void)
{
    fputs("usage: ls-check --build DIR --source DIR [--suite unit|hipcc|house|fuzz|accuracy|hip] "
          "[--filter GLOB] [--jobs N]\n"
          "                [--keep] [--list] [--full] [--far] [--strict] [--times]\n"
          "                [--cuda [--ptx] [--random N] [--pack DIR]]\n"
          "       ls-check --unpack DIR [--filter GLOB] [--jobs N] [--list]\n",
          stderr);
    exit(2);
}

static void
parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (!strcmp(argv[i], "--keep")) {
            opt.keep = true;
            continue;
        }
        if (!strcmp(argv[i], "--list")) {
            opt.list = true;
            continue;
        }
        if (set_mode(argv[i]))
            continue;
        if (!strcmp(argv[i], "--full")) {
            opt.full = true;
            continue;
        }
        if (!strcmp(argv[i], "--times")) {
            opt.times = true;
            continue;
        }
        if (!value)
            usage();
        if (!strcmp(argv[i], "--build"))
            opt.build = realpath(value, NULL);
        else if (!strcmp(argv[i], "--source"))
            opt.source = realpath(value, NULL);
        else if (!strcmp(argv[i], "--suite"))
            opt.suite = value;
        else if (!strcmp(argv[i], "--filter"))
            opt.filter = value;
        else if (!strcmp(argv[i], "--jobs"))
            opt.n_jobs = atoi(value);
        else if (!strcmp(argv[i], "--random"))
            opt.n_random = atoi(value);
        else if (!strcmp(argv[i], "--pack"))
            opt.pack = value;
        else if (!strcmp(argv[i], "--unpack"))
            opt.unpack = value;
        else
            usage();
        i++;
    }
    if (!opt.unpack && (!opt.build || !opt.source))
        usage();
    if (listed(opt.mode ? opt.mode : "", "cuda")) {
        const char *processor = getenv("SM");

        opt.cuda = processor && *processor ? processor : "sm_90";
    }
    if ((opt.pack || opt.n_random) && !opt.cuda)
        usage();
    if (opt.n_jobs < 1)
        opt.n_jobs = 1;
    if (opt.n_jobs > MAX_JOBS)
        opt.n_jobs = MAX_JOBS;
}

static bool
suite(const char *name)
{
    if (opt.mode && (opt.pack || strcmp(name, "unit")) && strcmp(name, "hip"))
        return false;
    return !opt.suite || !strcmp(opt.suite, name);
}

static int
make_folder(const char *path)
{
    return mkdir(path, 0777) && errno != EEXIST;
}

static int
run_queue(double started)
{
    if (opt.list) {
        for (size_t i = 0; i < n_queue; i++)
            puts(queue[i]->name);
        return 0;
    }
    run_all();
    print_times(now() - started);
    printf("%ld passed, %ld failed", n_passed, n_failed);
    if (n_skipped)
        printf(", %ld skipped", n_skipped);
    printf("\n");
    return n_failed || !(n_passed + n_failed);
}

static int
run_pack(double started)
{
    if (chdir(opt.unpack)) {
        fprintf(stderr, "ls-check: %s: %s\n", opt.unpack, strerror(errno));
        return 2;
    }
    return pack_read(opt.unpack, wanted) ? run_queue(started) : 2;
}

int
main(int argc, char **argv)
{
    double started = now();

    parse(argc, argv);
    setenv("LC_ALL", "C", 1);
    if (opt.unpack)
        return run_pack(started);
    mkdir(text("%s/tests/bin", opt.build), 0777);
    setenv("LS_BUILD", opt.build, 1);
    setenv("LS_SOURCE", opt.source, 1);
    if (opt.full)
        setenv("LS_CHECK_FULL", "1", 1);
    if (opt.mode)
        read_exceptions();
    if (suite("unit"))
        find_programs("unit", text("%s/tests/unit", opt.build), "", 300);
    if (suite("hipcc"))
        find_programs("hipcc", text("%s/tests/hipcc", opt.source), ".sh", 600);
    if (suite("house"))
        find_programs("house", text("%s/tests/house", opt.source), ".sh", 100);
    if (suite("fuzz"))
        find_programs("fuzz", text("%s/tests/fuzz", opt.build), "", 300);
    if (suite("fuzz") && wanted("fuzz/random kernels")) {
        struct task *task = new_task(KIND_PROGRAM, text("fuzz/random kernels"), 600);

        add_words(task, text("sh %s/tests/fuzz/run 1 12", opt.source));
        task->env[task->n_env++] = text("HIPCC=%s/bin/hipcc", opt.build);
        enqueue(task);
    }
    if (suite("fuzz") && wanted("fuzz/divergent kernels")) {
        struct task *task = new_task(KIND_PROGRAM, text("fuzz/divergent kernels"), 600);

        add_words(task, text("sh %s/tests/fuzz/run_warps 1 12", opt.source));
        task->env[task->n_env++] = text("BIN=%s/bin", opt.build);
        task->env[task->n_env++] = text("DIR=%s/fuzz", opt.build);
        task->env[task->n_env++] = text("BATCH=3");
        enqueue(task);
    }
    if (suite("accuracy") && wanted("accuracy/functions")) {
        struct task *task = new_task(KIND_PROGRAM, text("accuracy/functions"), 300);

        add_words(task, text("sh %s/tests/accuracy/run --points 10", opt.source));
        task->env[task->n_env++] = text("HIPCC=%s/bin/hipcc", opt.build);
        enqueue(task);
    }
    if (suite("accuracy") && wanted("accuracy/nvidia")) {
        struct task *task = new_task(KIND_PROGRAM, text("accuracy/nvidia"), 300);

        add_words(task, text("sh %s/tests/accuracy/run --nvidia --points 10", opt.source));
        task->env[task->n_env++] = text("HIPCC=%s/bin/hipcc", opt.build);
        enqueue(task);
    }
    for (int i = 1; suite("hip") && i <= opt.n_random; i += RANDOM_BATCH) {
        add_random(i, false);
        add_random(i, true);
    }
    if (suite("hip")) {
        find_cases(text("%s/tests/hip", opt.source));
        add_headers();
    }
    if (opt.pack && (make_folder(opt.pack) || make_folder(text("%s/bin", opt.pack)))) {
        fprintf(stderr, "ls-check: %s: %s\n", opt.pack, strerror(errno));
        return 2;
    }
    if (opt.pack)
        unlink(text("%s/runs", opt.pack));
    return run_queue(started);
}
