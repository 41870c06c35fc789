/* SPDX-License-Identifier: MIT */
/* hipify-clang: hipify-perl with a compiler's knowledge. libclang parses the source against the
 * headers of HIP, with macros that give CUDA's names HIP's meaning, made of the table of names: no
 * CUDA is needed. What it finds decides where a lexer must guess: names that are the program's own,
 * templates, members of half2, blocks that are skipped. What it cannot resolve (libraries without
 * headers here) stays hipify-perl's decision. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lex.h"
#include "libclang.h"
#include "names.h"
#include "run.h"

struct session {
    struct ls_cx cx;
    void *index, *database;
    char folder[32]; /* of the headers that stand for CUDA's; "" when there is none */
    char include[PATH_MAX];
};

struct arguments {
    const char **v; /* owned; strings are borrowed or in `owned` */
    size_t n, cap;
    char **owned;
    size_t n_owned;
    bool failed;
};

/* ---- the headers that stand for CUDA's ---- */

static FILE *
create(const struct session *s, const char *name)
{
    char path[PATH_MAX];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", s->folder, name);
    for (char *slash = strchr(path + strlen(s->folder) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            fprintf(stderr, "hipify-clang: error: '%s': %s\n", path, strerror(errno));
        *slash = '/';
    }
    f = fopen(path, "w");
    if (!f)
        fprintf(stderr, "hipify-clang: error: '%s': %s\n", path, strerror(errno));
    return f;
}

static bool
is_header(const struct ls_name *n)
{
    return n->kind >= LS_KIND_INCLUDE && n->kind <= LS_KIND_INCLUDE_CUDA_MAIN_V2_H;
}

static bool
write_header(const struct session *s, const struct ls_name *n)
{
    FILE *f = create(s, n->cuda);

    if (!f)
        return false;
    if (*n->hip)
        fprintf(f, "#if __has_include(<%s>)\n#include <%s>\n#endif\n", n->hip, n->hip);
    return fclose(f) == 0;
}

static bool
write_names(const struct session *s)
{
    FILE *f = create(s, "lockstep_cuda_names.h");

    if (!f)
        return false;
#define LS_VERSION(macro, value)                                                                   \
    fputs("#ifndef " #macro "\n#define " #macro " " #value "\n#endif\n", f);
#include "versions.def"
#undef LS_VERSION
    fputs("#define cub hipcub\n", f);
    for (size_t i = 0; i < ls_n_names; i++) {
        const struct ls_name *n = &ls_names[i];

        if (!is_header(n) && *n->hip && strcmp(n->cuda, n->hip) != 0)
            fprintf(f, "#define %s %s\n", n->cuda, n->hip);
    }
    return fclose(f) == 0;
}

/* Headers and names are taken away again. */
static void
remove_folder(struct session *s)
{
    char path[PATH_MAX];

    if (!*s->folder)
        return;
    snprintf(path, sizeof(path), "%s/lockstep_cuda_names.h", s->folder);
    unlink(path);
    for (size_t i = 0; i < ls_n_names; i++)
        if (is_header(&ls_names[i])) {
            snprintf(path, sizeof(path), "%s/%s", s->folder, ls_names[i].cuda);
            unlink(path);
        }
    for (size_t i = 0; i < ls_n_names; i++) /* folders go when they are empty */
        if (is_header(&ls_names[i]))
            for (snprintf(path, sizeof(path), "%s/%s", s->folder, ls_names[i].cuda);
                 strlen(dirname(path)) > strlen(s->folder) && rmdir(path) == 0;)
                ;
    rmdir(s->folder);
    *s->folder = 0;
}

static bool
make_folder(struct session *s)
{
    bool ok;

    strcpy(s->folder, "/tmp/hipify-XXXXXX");
    if (!mkdtemp(s->folder)) {
        fprintf(stderr, "hipify-clang: error: '%s': %s\n", s->folder, strerror(errno));
        *s->folder = 0;
        return false;
    }
    ok = write_names(s);
    for (size_t i = 0; i < ls_n_names && ok; i++)
        if (is_header(&ls_names[i]))
            ok = write_header(s, &ls_names[i]);
    if (!ok)
        remove_folder(s);
    return ok;
}

/* ---- options of the compiler ---- */

static void
add(struct arguments *a, const char *text)
{
    if (a->n == a->cap) {
        size_t cap = a->cap ? 2 * a->cap : 64;
        const char **v = realloc(a->v, cap * sizeof(*v));

        if (!v) {
            a->failed = true;
            return;
        }
        a->v = v;
        a->cap = cap;
    }
    a->v[a->n++] = text;
}

static void
add_copy(struct arguments *a, const char *before, const char *text)
{
    char **owned = realloc(a->owned, (a->n_owned + 1) * sizeof(*owned)), *copy = NULL;

    if (owned)
        a->owned = owned;
    if (!owned || asprintf(&copy, "%s%s", before, text) < 0) {
        a->failed = true;
        return;
    }
    a->owned[a->n_owned++] = copy;
    add(a, copy);
}

/* Options of nvcc's and clang's CUDA that say nothing of how the source reads. */
static bool
is_of_no_use(const char *option)
{
    static const char *const prefixes[] = {"-x",
                                           "--cuda",
                                           "-arch",
                                           "-gencode",
                                           "-c",
                                           "-o",
                                           "-O",
                                           "-Xptxas",
                                           "--expt",
                                           "-Xcompiler",
                                           "-rdc",
                                           "-lineinfo",
                                           "-use_fast",
                                           "--offload",
                                           "-v",
                                           "-dc",
                                           "-dlink",
                                           "-maxrregcount",
                                           "--maxrregcount",
                                           "--ptxas",
                                           "--generate-code",
                                           "--gpu-arch",
                                           "--use_fast",
                                           "--compiler-options",
                                           "--relocatable"};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (!strncmp(option, prefixes[i], strlen(prefixes[i])))
            return true;
    return *option != '-';
}

static bool
has_value(const char *option)
{
    return !strcmp(option, "-I") || !strcmp(option, "-D") || !strcmp(option, "-isystem") ||
           !strcmp(option, "-include") || !strcmp(option, "-U") || !strcmp(option, "-iquote") ||
           !strcmp(option, "-idirafter");
}

static void
add_user(struct arguments *a, const char *option, const char *next, bool *skip)
{
    *skip = !strcmp(option, "-x") || !strcmp(option, "-o") || !strcmp(option, "-arch") ||
            !strcmp(option, "-gencode") || !strcmp(option, "-Xcompiler");
    if (has_value(option) && next) {
        add_copy(a, "", option);
        add_copy(a, "", next);
        *skip = true;
    } else if (!is_of_no_use(option)) {
        add_copy(a, "", option);
    }
}

/* Those of compile_commands.json; the folder that they count from. */
static void
add_database(struct session *s, const char *path, struct arguments *a)
{
    char *full = realpath(path, NULL);
    void *commands = full ? s->cx.CompilationDatabase_getCompileCommands(s->database, full) : NULL;

    free(full);
    if (!commands)
        return;
    if (s->cx.CompileCommands_getSize(commands) > 0) {
        void *command = s->cx.CompileCommands_getCommand(commands, 0);
        struct ls_cx_string folder = s->cx.CompileCommand_getDirectory(command);
        unsigned n = s->cx.CompileCommand_getNumArgs(command);
        bool skip = false;

        add(a, "-working-directory");
        add_copy(a, "", s->cx.getCString(folder));
        s->cx.disposeString(folder);
        for (unsigned i = 1; i < n; i++) {
            struct ls_cx_string option = s->cx.CompileCommand_getArg(command, i);
            struct ls_cx_string next = {0};

            if (i + 1 < n)
                next = s->cx.CompileCommand_getArg(command, i + 1);
            if (skip)
                skip = false;
            else
                add_user(a, s->cx.getCString(option), i + 1 < n ? s->cx.getCString(next) : NULL,
                         &skip);
            s->cx.disposeString(option);
            if (i + 1 < n)
                s->cx.disposeString(next);
        }
    }
    s->cx.CompileCommands_dispose(commands);
}

static void
add_all(struct session *s, const struct ls_hipify_options *opt, const char *path,
        struct arguments *a)
{
    static const char *const fixed[] = {"-x",
                                        "hip",
                                        "--offload-host-only",
                                        "--offload-arch=gfx1100",
                                        "-nogpulib",
                                        "-nogpuinc",
                                        "-w",
                                        "-ferror-limit=0",
                                        "-D__HIP_PLATFORM_AMD__=1",
                                        "-D__AMDGCN_WAVEFRONT_SIZE=32",
                                        "-D__AMDGCN_WAVEFRONT_SIZE__=32",
                                        "-D__LS_HIPIFY__=1", /* asked by our headers */
                                        "-resource-dir",
                                        LS_CLANG_RESOURCE_DIR,
                                        "-isystem",
                                        LS_CLANG_RESOURCE_DIR "/include/cuda_wrappers",
                                        "-include",
                                        "__clang_hip_runtime_wrapper.h",
                                        "-include",
                                        "hip/hip_runtime.h"};

    for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
        add(a, fixed[i]);
    add(a, "-isystem");
    add(a, s->include);
    add(a, "-idirafter");
    add_copy(a, s->include, "/hip/detail/bare");
    add(a, "-include");
    add_copy(a, s->folder, "/lockstep_cuda_names.h");
    for (size_t i = 0; i < opt->includes.n; i++)
        add_copy(a, "-I", opt->includes.v[i]);
    if (s->database)
        add_database(s, path, a);
    for (char **p = opt->compiler; p && *p; p++) {
        bool skip = false;

        add_user(a, *p, p[1], &skip);
        p += skip && p[1];
    }
    for (size_t i = 0; i < opt->defines.n; i++)
        add_copy(a, "-D", opt->defines.v[i]);
    add(a, "-isystem");
    add(a, s->folder);
}

static void
arguments_free(struct arguments *a)
{
    for (size_t i = 0; i < a->n_owned; i++)
        free(a->owned[i]);
    free(a->owned);
    free(a->v);
}

/* ---- what the parse says ---- */

struct visit {
    struct session *s;
    struct ls_semantics *out;
    void *file;
    const char *text;
    size_t bytes;
};

static void
offsets_add(struct ls_semantics *sem, struct ls_offsets *to, uint32_t at)
{
    if (to->n == to->cap) {
        size_t cap = to->cap ? 2 * to->cap : 64;
        uint32_t *v = realloc(to->v, cap * sizeof(*v));

        if (!v) {
            sem->failed = true;
            return;
        }
        to->v = v;
        to->cap = cap;
    }
    to->v[to->n++] = at;
}

/* Where in the file a location is, that of a macro's use for what comes of one; false: elsewhere.
 */
static bool
offset_of(const struct visit *v, struct ls_cx_location location, uint32_t *at)
{
    unsigned line, column, offset;
    void *file;

    v->s->cx.getExpansionLocation(location, &file, &line, &column, &offset);
    *at = offset;
    return file && v->s->cx.File_isEqual(file, v->file) && offset < v->bytes;
}

/* Whether the declaration is the program's, and not one of the global names that CUDA has. */
static bool
is_own(const struct visit *v, struct ls_cx_cursor cursor)
{
    const struct ls_cx *cx = &v->s->cx;
    struct ls_cx_cursor parent;

    if (cx->Cursor_isNull(cursor) || cx->Location_isInSystemHeader(cx->getCursorLocation(cursor)))
        return false;
    parent = cx->getCursorSemanticParent(cursor);
    while (parent.kind == LS_CX_ENUM)
        parent = cx->getCursorSemanticParent(parent);
    return !cx->Cursor_isNull(parent) && parent.kind != LS_CX_UNIT && parent.kind != LS_CX_LINKAGE;
}

/* Whether the declaration has the name that the one in the source is a macro for. */
static bool
stands_for(const struct visit *v, struct ls_cx_cursor cursor, uint32_t at)
{
    const struct ls_cx *cx = &v->s->cx;
    const struct ls_name *name;
    struct ls_cx_string text;
    size_t bytes = 0;
    bool does;

    while (at + bytes < v->bytes && ls_is_name_character(v->text[at + bytes]))
        bytes++;
    name = ls_name_find(v->text + at, bytes);
    if (!name)
        return false;
    text = cx->getCursorSpelling(cursor);
    does = cx->getCString(text) &&
           (!strcmp(cx->getCString(text), name->hip) || !strcmp(cx->getCString(text), name->cuda));
    cx->disposeString(text);
    return does;
}

static int
first_child(struct ls_cx_cursor cursor, struct ls_cx_cursor parent, void *user)
{
    (void)parent;
    *(struct ls_cx_cursor *)user = cursor;
    return LS_CX_BREAK;
}

static bool
has_type(const struct visit *v, struct ls_cx_cursor cursor, const char *name)
{
    const struct ls_cx *cx = &v->s->cx;
    struct ls_cx_string text = cx->getTypeSpelling(cx->getCanonicalType(cx->getCursorType(cursor)));
    const char *p = cx->getCString(text);
    bool is;

    p = p && !strncmp(p, "const ", 6) ? p + 6 : p;
    is = p && !strcmp(p, name);
    cx->disposeString(text);
    return is;
}

/* h.x and h.y of a half2, when they are written so. */
static void
member(struct visit *v, struct ls_cx_cursor cursor)
{
    const struct ls_cx *cx = &v->s->cx;
    struct ls_cx_range extent = cx->getCursorExtent(cursor);
    struct ls_cx_cursor base = {0};
    uint32_t begin, end;

    if (!offset_of(v, cx->getRangeStart(extent), &begin) ||
        !offset_of(v, cx->getRangeEnd(extent), &end) || end < begin + 3 ||
        v->text[end - 2] != '.' || (v->text[end - 1] != 'x' && v->text[end - 1] != 'y'))
        return;
    cx->visitChildren(cursor, first_child, &base);
    if (base.kind && has_type(v, base, "__half2")) {
        offsets_add(v->out, &v->out->half2, begin);
        offsets_add(v->out, &v->out->half2, end);
    }
}

static int
visit(struct ls_cx_cursor cursor, struct ls_cx_cursor parent, void *user)
{
    struct visit *v = user;
    const struct ls_cx *cx = &v->s->cx;
    struct ls_cx_cursor to = cursor;
    uint32_t at;

    if (parent.kind == LS_CX_UNIT && !cx->Location_isFromMainFile(cx->getCursorLocation(cursor)))
        return LS_CX_CONTINUE;
    if (cursor.kind == LS_CX_TYPE_REF || cursor.kind == LS_CX_TEMPLATE_REF ||
        cursor.kind == LS_CX_NAMESPACE_REF || cursor.kind == LS_CX_DECL_REF ||
        cursor.kind == LS_CX_MEMBER_REF)
        to = cx->getCursorReferenced(cursor);
    else if (cursor.kind > LS_CX_PARAMETER + 30) /* no declaration */
        return LS_CX_RECURSE;
    if (!offset_of(v, cx->getCursorLocation(cursor), &at))
        return LS_CX_RECURSE;
    if (cursor.kind == LS_CX_MEMBER_REF)
        member(v, cursor);
    if (cursor.kind == LS_CX_DECL_REF && !cx->Cursor_isNull(to) &&
        !cx->Cursor_isNull(cx->getSpecializedCursorTemplate(to)))
        offsets_add(v->out, &v->out->templates, at);
    if (is_own(v, to) && stands_for(v, to, at))
        offsets_add(v->out, &v->out->own, at);
    return LS_CX_RECURSE;
}

static void
count_errors(struct session *s, void *unit, struct ls_semantics *out, bool print)
{
    for (unsigned i = 0; i < s->cx.getNumDiagnostics(unit); i++) {
        void *diagnostic = s->cx.getDiagnostic(unit, i);

        if (s->cx.getDiagnosticSeverity(diagnostic) >= LS_CX_ERROR) {
            struct ls_cx_string text = s->cx.formatDiagnostic(diagnostic, 3);

            if (print && out->n_errors < 5)
                fprintf(stderr, "%s\n", s->cx.getCString(text));
            s->cx.disposeString(text);
            out->n_errors++;
        }
        s->cx.disposeDiagnostic(diagnostic);
    }
}

static int
compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void
sort(struct ls_offsets *offsets)
{
    if (offsets->n)
        qsort(offsets->v, offsets->n, sizeof(*offsets->v), compare);
}

/* A half2's member in a template is met once for each instance. */
static void
sort_pairs(struct ls_offsets *offsets)
{
    size_t n = 0;

    if (offsets->n)
        qsort(offsets->v, offsets->n / 2, 2 * sizeof(*offsets->v), compare);
    for (size_t i = 0; i + 1 < offsets->n; i += 2)
        if (!n || offsets->v[n - 2] != offsets->v[i]) {
            offsets->v[n++] = offsets->v[i];
            offsets->v[n++] = offsets->v[i + 1];
        }
    offsets->n = n;
}

static void
find_skipped(struct visit *v, void *unit)
{
    struct ls_cx_ranges *ranges = v->s->cx.getSkippedRanges(unit, v->file);
    uint32_t begin, end;

    for (unsigned i = 0; ranges && i < ranges->n; i++)
        if (offset_of(v, v->s->cx.getRangeStart(ranges->v[i]), &begin) &&
            offset_of(v, v->s->cx.getRangeEnd(ranges->v[i]), &end)) {
            offsets_add(v->out, &v->out->skipped, begin);
            offsets_add(v->out, &v->out->skipped, end);
        }
    if (ranges)
        v->s->cx.disposeSourceRangeList(ranges);
    sort_pairs(&v->out->skipped);
}

static bool
analyse(void *user, const struct ls_hipify_options *opt, const char *path, const char *text,
        size_t bytes, struct ls_semantics *out)
{
    struct session *s = user;
    struct arguments a = {0};
    const char *name = strcmp(path, "-") != 0 ? path : "stdin.cu";
    struct ls_cx_unsaved unsaved = {name, text, bytes};
    void *unit = NULL;
    int error;

    add_all(s, opt, path, &a);
    if (a.failed) {
        arguments_free(&a);
        fprintf(stderr, "hipify-clang: error: '%s': no memory\n", path);
        return false;
    }
    error = s->cx.parseTranslationUnit2(s->index, name, a.v, (int)a.n, &unsaved, 1,
                                        LS_CX_RECORD | LS_CX_KEEP_GOING, &unit);
    arguments_free(&a);
    if (error || !unit) {
        fprintf(stderr, "hipify-clang: error: '%s': libclang does not parse it, error %d\n", path,
                error);
        return false;
    }
    struct visit v = {s, out, s->cx.getFile(unit, name), text, bytes};
    count_errors(s, unit, out, !opt->quiet_warnings);
    s->cx.visitChildren(s->cx.getTranslationUnitCursor(unit), visit, &v);
    find_skipped(&v, unit);
    s->cx.disposeTranslationUnit(unit);
    sort(&out->own);
    sort(&out->templates);
    sort_pairs(&out->half2);
    if (out->n_errors && !opt->quiet_warnings)
        fprintf(stderr,
                "%s:1:1: warning: %u error%s of the compiler: what it could not resolve is "
                "translated as hipify-perl would\n",
                path, out->n_errors, out->n_errors == 1 ? "" : "s");
    if (out->failed)
        fprintf(stderr, "hipify-clang: error: '%s': no memory\n", path);
    return !out->failed;
}

static void
end(void *user)
{
    struct session *s = user;

    if (s->database)
        s->cx.CompilationDatabase_dispose(s->database);
    if (s->index)
        s->cx.disposeIndex(s->index);
    remove_folder(s);
}

static bool
begin(void *user, const struct ls_hipify_options *opt)
{
    struct session *s = user;
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    int error = 0;

    if (n <= 0)
        return false;
    self[n] = 0;
    snprintf(s->include, sizeof(s->include), "%.*s/../include", (int)(strrchr(self, '/') - self),
             self);
    if (!ls_cx_open(&s->cx) || !make_folder(s))
        return false;
    s->index = s->cx.createIndex(0, 0);
    if (opt->database) {
        s->database = s->cx.CompilationDatabase_fromDirectory(opt->database, &error);
        if (!s->database) {
            fprintf(stderr,
                    "hipify-clang: error: '%s': has no compile_commands.json that can be read\n",
                    opt->database);
            end(s);
            return false;
        }
    }
    return true;
}

int
ls_hipify_clang(int argc, char **argv)
{
    static struct session session;

    return ls_hipify_main(argc, argv, &(struct ls_analysis){analyse, begin, end, &session});
}
