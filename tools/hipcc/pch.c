/* SPDX-License-Identifier: MIT */
/* The headers that each pass reads first, precompiled: clang's wrapper, and HIP's where the source
 * begins with them, or CUDA's for a source of CUDA. Reading them is most of a small source's
 * compile time. They lie in the code cache, one file for each set of options, from the second use
 * of these options on; meaning and code are the same with and without. */
#include "hipcc_priv.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "base/env.h"
#include "base/pch.h"

#define WRAPPER "__clang_hip_runtime_wrapper.h"
#define RUNTIME "hip/hip_runtime.h"
#define CUDA "lockstep/cuda/runtime.h" /* which each pass of a source of CUDA includes itself */
#define THRUST "thrust/system/hip/config.h" /* which that header looks for */

static bool is_off;
static struct ls_strv used; /* the precompiled headers that passes of this process were given */

/* ---- which options allow it ---- */

/* Words of clang's that a header depends on through their text alone, or not at all. */
static const char *const plain[] = {
    "-D",       "-U",       "-O",         "-W",       "-g",
    "-std=",    "-m",       "-f",         "-w",       "-I",
    "-iquote",  "-isystem", "-idirafter", "-nogpu",   "-pedantic",
    "-pthread", "-ansi",    "--offload-", "-Qunused", "-no-canonical-prefixes", "-pipe",
};
static const char *const not_plain[] = {
    "-fmodule", "-fcxx-modules", "-fplugin",     "-fpass-plugin",
    "-fpch",    "-fno-pch",      "-include-pch", "-Wp,",
};
/* The next word belongs to these where nothing is joined to them. */
static const char *const takes_next[] = {"-D", "-U", "-I", "-iquote", "-isystem", "-idirafter"};
/* Folders that are looked through before the system's. */
static const char *const adds_folder[] = {"-I", "-iquote", "-isystem"};

static bool
begins_with_any(const char *word, const char *const *list, size_t n, size_t *length)
{
    for (size_t i = 0; i < n; i++)
        if (ls_starts_with(word, list[i])) {
            if (length)
                *length = strlen(list[i]);
            return true;
        }
    return false;
}
#define BEGINS(word, list, length)                                                                 \
    begins_with_any(word, list, sizeof(list) / sizeof(*(list)), length)

/* From C++20 on clang knows modules, and then takes functions for one that a precompiled header has
 * for the host and for the device. */
static bool
has_modules(const char *word)
{
    const char *year = ls_starts_with(word, "-std=c++")     ? word + strlen("-std=c++")
                       : ls_starts_with(word, "-std=gnu++") ? word + strlen("-std=gnu++")
                                                            : NULL;

    return year && *year == '2';
}

struct view {
    struct ls_strv words;   /* what the header depends on */
    struct ls_strv folders; /* where the user's headers are */
    bool is_relative, has_include, has_wrapper, has_cuda;
};

/* Whether a folder is HIP's own, or clang's. */
static bool
is_ours(const char *folder)
{
    char *cuda = ls_hipcc_format("%s/share/lockstep/cuda/include", ls_install.root);
    const char *const ours[] = {ls_install.include_dir, ls_install.resource_dir, cuda};
    char *real = realpath(folder, NULL);
    bool is = false;

    for (size_t i = 0; i < 3 && real && !is; i++) {
        char *other = realpath(ours[i], NULL);

        is = other && ls_starts_with(real, other) &&
             (real[strlen(other)] == 0 || real[strlen(other)] == '/');
        free(other);
    }
    free(real);
    return is;
}

/* False: with these options none is used. Words that no header depends on are left out. */
static bool
look(const struct ls_strv *argv, struct view *view)
{
    for (size_t i = 1; i < argv->n; i++) {
        const char *word = argv->v[i], *next = i + 1 < argv->n ? argv->v[i + 1] : "", *value;
        size_t length;

        if (!strcmp(word, "-Xclang")) {
            if (!strcmp(next, "-mlink-builtin-bitcode"))
                i += 3;
            else if (ls_starts_with(next, "-cuid="))
                i += 1;
            else if (!strcmp(next, "-disable-O0-optnone"))
                i += 1;
            else if (!strcmp(next, "-dwarf-debug-flags"))
                i += 3;
            else
                return false;
            continue;
        }
        if (ls_starts_with(word, "-cuid=") || !strcmp(word, "-fcolor-diagnostics"))
            continue;
        if (!strcmp(word, "-mllvm")) { /* about code */
            i++;
            continue;
        }
        if (!strcmp(word, "-include")) { /* clang includes the user's behind what is precompiled */
            if (!strcmp(next, WRAPPER))
                view->has_wrapper = true;
            else if (!strcmp(next, CUDA) && !view->has_include)
                view->has_cuda = true;
            else
                view->has_include = true;
            i++;
            continue;
        }
        if (!BEGINS(word, plain, NULL) || BEGINS(word, not_plain, NULL) || has_modules(word))
            return false;
        ls_strv_push(&view->words, word);
        if (!BEGINS(word, takes_next, &length))
            continue;
        value = word + length;
        if (!*value) {
            value = next;
            ls_strv_push(&view->words, value);
            i++;
        }
        if (word[1] != 'D' && word[1] != 'U' && *value != '/')
            view->is_relative = true;
        if (BEGINS(word, adds_folder, NULL) && !is_ours(value))
            ls_strv_push(&view->folders, value);
    }
    return view->has_wrapper; /* else: -nogpuinc */
}

/* ---- which headers ---- */

/* Headers that may stand in front of HIP's without a change of meaning: the order of the standard's
 * is free (ISO C++, using.headers). */
static const char *const standard[] = {
    "algorithm",     "any",          "array",
    "assert.h",      "atomic",       "bit",
    "bitset",        "cassert",      "cctype",
    "cerrno",        "cfloat",       "charconv",
    "chrono",        "cinttypes",    "climits",
    "cmath",         "complex",      "condition_variable",
    "csignal",       "cstdarg",      "cstddef",
    "cstdint",       "cstdio",       "cstdlib",
    "cstring",       "ctime",        "ctype.h",
    "deque",         "errno.h",      "exception",
    "fcntl.h",       "filesystem",   "float.h",
    "forward_list",  "fstream",      "functional",
    "future",        "getopt.h",     "initializer_list",
    "inttypes.h",    "iomanip",      "ios",
    "iosfwd",        "iostream",     "istream",
    "iterator",      "limits",       "limits.h",
    "list",          "locale",       "map",
    "math.h",        "memory",       "mutex",
    "new",           "numeric",      "optional",
    "ostream",       "queue",        "random",
    "ratio",         "regex",        "set",
    "signal.h",      "span",         "sstream",
    "stack",         "stdarg.h",     "stdbool.h",
    "stddef.h",      "stdexcept",    "stdint.h",
    "stdio.h",       "stdlib.h",     "streambuf",
    "string",        "string.h",     "string_view",
    "strings.h",     "sys/stat.h",   "sys/time.h",
    "sys/types.h",   "system_error", "thread",
    "time.h",        "tuple",        "type_traits",
    "typeinfo",      "unistd.h",     "unordered_map",
    "unordered_set", "utility",      "valarray",
    "variant",       "vector",
};

static bool
is_standard(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof(standard) / sizeof(*standard); i++)
        if (strlen(standard[i]) == n && !memcmp(standard[i], name, n))
            return true;
    return false;
}

/* Behind white space and comments; NULL: a comment has no end. */
static const char *
skip_comments(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n\f\v");
        if (at[0] == '/' && at[1] == '/') {
            const char *end = strchr(at, '\n');

            if (!end || end[-1] == '\\' || (end[-1] == '\r' && end[-2] == '\\'))
                return NULL; /* the comment may go on in the next line */
            at = end;
        } else if (at[0] == '/' && at[1] == '*') {
            at = strstr(at + 2, "*/");
            if (!at)
                return NULL;
            at += 2;
        } else {
            return at;
        }
    }
}

/* Whether HIP's header is the first that the source includes, but for headers of the standard. */
static bool
begins_with_hip(const char *source)
{
    char folder[PATH_MAX];
    struct ls_buf text = {0};
    const char *at;
    bool is = false;

    if (!ls_buf_read(&text, source))
        return false;
    ls_buf_add(&text, "", 1);
    at = text.data;
    while ((at = skip_comments(at)) != NULL && *at == '#') {
        size_t n;
        char close;

        at += 1 + strspn(at + 1, " \t");
        if (!ls_starts_with(at, "include"))
            break;
        at += 7 + strspn(at + 7, " \t");
        close = *at == '<' ? '>' : '"';
        if (*at != '<' && *at != '"')
            break;
        n = strcspn(++at, ">\"\n");
        if (at[n] != close)
            break;
        if (n == strlen(RUNTIME) && !memcmp(at, RUNTIME, n)) {
            snprintf(folder, sizeof(folder), "%.*s" RUNTIME, (int)(ls_path_base(source) - source),
                     source);
            is = close == '>' || !ls_file_exists(folder);
            break;
        }
        if (close != '>' || !is_standard(at, n))
            break;
        at += n + 1;
        at += strspn(at, " \t\r");
        if (*at != '\n' && !ls_starts_with(at, "//"))
            break;
    }
    return is;
}

/* ---- headers of the user that stand before the system's ---- */

/* The first part of the name by which a header was included, as far as its path tells: what lies
 * behind the folders that compilers look through. */
static const char *
included_name(const char *path, size_t *n)
{
    const char *at = path, *next;

    if (ls_starts_with(path, ls_install.include_dir))
        at = path + strlen(ls_install.include_dir);
    for (next = strstr(at, "/include/"); next; next = strstr(at, "/include/"))
        at = next + strlen("/include");
    at += *at == '/';
    for (;;) { /* x86_64-linux-gnu/, c++/12/, cuda_wrappers/ */
        const char *slash = strchr(at, '/'), *dash;

        if (!slash)
            break;
        dash = memchr(at, '-', (size_t)(slash - at));
        if (dash && memchr(dash + 1, '-', (size_t)(slash - dash - 1)))
            at = slash + 1;
        else if (ls_starts_with(at, "c++/") && isdigit((unsigned char)at[4]))
            at = at + 4 + strcspn(at + 4, "/") + (at[4 + strcspn(at + 4, "/")] == '/');
        else if (ls_starts_with(at, "cuda_wrappers/"))
            at = slash + 1;
        else
            break;
    }
    *n = strcspn(at, "/");
    return at;
}

/* The text of a file of dependencies -> a line for each first part. */
static char *
names_of(const struct ls_buf *deps)
{
    struct ls_strv names = {0};
    struct ls_buf out = {0};
    char *word = strchr(deps->data, ':'), *save;

    if (!word)
        return NULL;
    for (word = strtok_r(word + 1, " \\\n", &save); word; word = strtok_r(NULL, " \\\n", &save)) {
        size_t n;
        const char *name = included_name(word, &n);
        char *copy = ls_hipcc_format("%.*s", (int)n, name);

        if (n && !ls_strv_has(&names, copy))
            ls_strv_push(&names, copy);
    }
    for (size_t i = 0; i < names.n; i++) {
        ls_buf_add(&out, names.v[i], strlen(names.v[i]));
        ls_buf_add(&out, "\n", 1);
    }
    ls_buf_add(&out, "", 1);
    return out.data;
}

/* Whether one of the user's folders has what the headers' own includes could find there: it need
 * not have been there when the header was made. */
static bool
is_shadowed(const struct ls_strv *folders, const char *names)
{
    char path[PATH_MAX];

    for (size_t i = 0; i < folders->n; i++)
        for (const char *at = names; *at; at += strcspn(at, "\n") + 1) {
            snprintf(path, sizeof(path), "%s/%.*s", folders->v[i], (int)strcspn(at, "\n"), at);
            if (!access(path, F_OK))
                return true;
        }
    return false;
}

/* ---- making one ---- */

static void
key_of(const struct view *view, const char *header, uint8_t key[32])
{
    struct ls_sha256 sha;
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *cwd = view->is_relative ? getcwd(NULL, 0) : NULL;

    self[n > 0 ? n : 0] = 0;
    ls_sha256_init(&sha);
    ls_pch_hash_text(&sha, "hipcc 1 " WRAPPER);
    ls_pch_hash_text(&sha, header ? header : "");
    if (view->has_cuda) {
        char *ours = ls_hipcc_format("%s/" THRUST, ls_install.include_dir);

        ls_pch_hash_text(&sha, ls_file_exists(ours) ? ours : "");
        ls_pch_hash_text(&sha, ls_file_exists("/usr/include/" THRUST) ? "thrust" : "");
        free(ours);
    }
    ls_pch_hash_state(&sha, self);
    ls_pch_hash_state(&sha, ls_install.clang);
    ls_pch_hash_text(&sha, cwd ? cwd : "");
    for (size_t i = 0; i < view->words.n; i++)
        ls_pch_hash_text(&sha, view->words.v[i]);
    ls_sha256_final(&sha, key);
}

static bool
run_clang(const struct view *view, const char *header, const char *pch, const char *deps)
{
    struct ls_strv argv = {0};
    struct ls_child child, *children = &child;

    ls_strv_push(&argv, ls_install.clang);
    ls_strv_append(&argv, &view->words);
    ls_strv_push(&argv, "-Wno-unused-command-line-argument");
    ls_strv_push(&argv, "-include");
    ls_strv_push(&argv, WRAPPER);
    if (header) {
        ls_strv_push(&argv, "-include");
        ls_strv_push(&argv, header);
    }
    ls_strv_push(&argv, "-fsyntax-only");
    ls_strv_push(&argv, "-MD");
    ls_strv_push(&argv, "-MF");
    ls_strv_push(&argv, deps);
    ls_strv_push(&argv, "-Xclang");
    ls_strv_push(&argv, "-emit-pch");
    ls_strv_push(&argv, "-Xclang");
    ls_strv_push(&argv, "-o");
    ls_strv_push(&argv, "-Xclang");
    ls_strv_push(&argv, pch);
    ls_strv_push(&argv, "-x");
    ls_strv_push(&argv, "hip");
    ls_strv_push(&argv, "-"); /* a file would be named among the user's dependencies */
    if (!ls_child_start(&child, &argv, LS_CHILD_CAPTURE | LS_CHILD_NO_INPUT))
        return false;
    while (ls_children_step(&children, 1))
        ;
    return child.status == 0;
}

/* In a folder that nobody else can enter, as with some umasks clang makes files that others may
 * write to. */
static bool
make(const struct view *view, const char *header, int dir, const char *folder,
     const uint8_t key[32], char name[LS_PCH_NAME_BYTES])
{
    char *temp = ls_hipcc_format("%s/tmp-XXXXXX", folder), *pch, *deps;
    struct ls_buf text = {0};
    char *names = NULL;
    bool ok = false;

    if (!mkdtemp(temp))
        return false;
    pch = ls_hipcc_format("%s/pch", temp);
    deps = ls_temp_path("pch.d");
    if (run_clang(view, header, pch, deps) && chmod(pch, 0600) == 0 && ls_buf_read(&text, deps)) {
        if (view->has_cuda)
            ls_buf_add(&text, " " THRUST, strlen(" " THRUST));
        ls_buf_add(&text, "", 1);
        names = names_of(&text);
        ok = names && !is_shadowed(&view->folders, names) &&
             ls_pch_keep(dir, key, strrchr(temp, '/') + 1, names, name);
    }
    unlink(pch);
    rmdir(temp);
    return ok;
}

/* Finds the header of these options, or makes it when they come the second time and no other
 * process does. */
static char *
find(const struct view *view, const char *header)
{
    char folder[PATH_MAX], name[LS_PCH_NAME_BYTES], *names = NULL, *path = NULL;
    int dir = ls_cachedir_open(folder, sizeof(folder)), claim;
    uint8_t key[32];

    if (dir < 0)
        return NULL;
    key_of(view, header, key);
    if (ls_pch_find(dir, "hipcc", key, name, &names)) {
        if (!is_shadowed(&view->folders, names))
            path = ls_hipcc_format("%s/%s", folder, name);
    } else {
        claim = ls_pch_claim(dir, key);
        if (claim >= 0 && make(view, header, dir, folder, key, name))
            path = ls_hipcc_format("%s/%s", folder, name);
        if (claim >= 0)
            ls_pch_claim_end(claim, path != NULL);
    }
    close(dir);
    return path;
}

void
ls_pch_use(const char *source, struct ls_strv *argv)
{
    const char *env[] = {getenv("CPATH"), getenv("CPLUS_INCLUDE_PATH")};
    struct ls_strv out = {0};
    struct view view = {0};
    const char *header = NULL;
    char *path;

    if (is_off || !ls_env_bool(LS_ENV_PCH) || (env[0] && *env[0]) || (env[1] && *env[1]) ||
        !look(argv, &view))
        return;
    if (view.has_cuda)
        header = CUDA;
    else if (!view.has_include && begins_with_hip(source))
        header = RUNTIME;
    path = find(&view, header);
    if (!path)
        return;
    ls_strv_push(&used, path);
    for (size_t i = 0; i < argv->n; i++)
        if (!strcmp(argv->v[i], "-include") && !strcmp(argv->v[i + 1], WRAPPER)) {
            ls_strv_push(&out, "-Xclang");
            ls_strv_push(&out, "-include-pch");
            ls_strv_push(&out, "-Xclang");
            ls_strv_push(&out, path);
            i++;
        } else if (header && !strcmp(argv->v[i], "-include") && !strcmp(argv->v[i + 1], header)) {
            i++;
        } else {
            ls_strv_push(&out, argv->v[i]);
        }
    *argv = out;
}

bool
ls_pch_was_refused(const struct ls_buf *messages)
{
    bool is = false;

    for (size_t i = 0; i < used.n; i++)
        if (messages->n && memmem(messages->data, messages->n, used.v[i], strlen(used.v[i]))) {
            unlink(used.v[i]);
            is = is_off = true;
        }
    return is;
}
