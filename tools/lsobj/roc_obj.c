/* SPDX-License-Identifier: MIT */
/* roc-obj: writes the code objects in programs to files, and runs commands on each. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "container.h"

struct request {
    const char *folder;  /* NULL: the current one */
    const char *replace; /* this text stands for the object's path in ARGS; NULL: none */
    regex_t target;
    bool has_target, disassembles;
};

/* One file: what it is called, and the objects of all. */
struct state {
    const struct request *request;
    const char *executable;
    char **objects; /* owned paths */
    size_t n_objects;
};

_Noreturn static void
no_memory(void)
{
    fputs("roc-obj: out of memory\n", stderr);
    exit(1);
}

static void
add_object(struct state *state, char *path)
{
    char **more = realloc(state->objects, (state->n_objects + 1) * sizeof(*more));

    if (!more)
        no_memory();
    state->objects = more;
    state->objects[state->n_objects++] = path;
}

/* The entries that are code for AMD hardware and match; those of the host are empty. */
static bool
write_entry(void *user, const struct entry *entry)
{
    struct state *state = user;
    const struct request *request = state->request;
    const char *slash = strrchr(state->executable, '/');
    char *path;

    if (!entry->data.n || !strncmp(entry->id, "lockstep-", 9) ||
        (request->has_target && regexec(&request->target, entry->id, 0, NULL, 0) != 0))
        return true;
    if (strchr(entry->id, '/')) {
        fprintf(stderr, "roc-obj: '%s': the entry '%s' can't be a file's name\n", state->executable,
                entry->id);
        return false;
    }
    if (asprintf(&path, "%s%s%s:%u.%s", request->folder ? request->folder : "",
                 request->folder ? "/" : "", slash ? slash + 1 : state->executable,
                 entry->container->number, entry->id) < 0)
        no_memory();
    if (!ls_file_write(path, entry->data.data, entry->data.n)) {
        fprintf(stderr, "roc-obj: cannot write '%s': %s\n", path, strerror(errno));
        return false;
    }
    add_object(state, path);
    return true;
}

static bool
extract(struct state *state)
{
    struct visitor visitor = {NULL, write_entry, state};
    struct bytes file;
    char why[512];
    void *data;
    bool ok;

    if (!ls_file_read(state->executable, &data, &file.n)) {
        fprintf(stderr, "roc-obj: cannot read '%s': %s\n", state->executable, strerror(errno));
        return false;
    }
    file.data = data;
    ok = container_visit(file, &visitor, why, sizeof(why));
    if (!ok && *why)
        fprintf(stderr, "roc-obj: '%s': %s\n", state->executable, why);
    free(data);
    return ok;
}

/* Makes a folder and those above it. */
static bool
make_folder(const char *path)
{
    char *copy = strdup(path);
    bool ok = copy != NULL;

    for (char *at = copy; ok && *at; at++)
        if (at > copy && *at == '/') {
            *at = 0;
            ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
            *at = '/';
        }
    ok = ok && (mkdir(copy, 0777) == 0 || errno == EEXIST);
    if (!ok)
        fprintf(stderr, "roc-obj: cannot make '%s': %s\n", path, strerror(errno));
    free(copy);
    return ok;
}

/* ---- commands ---- */

/* `text` with all `what` in it replaced. */
static char *
replaced(const char *text, const char *what, const char *with)
{
    size_t n_what = what ? strlen(what) : 0, n_with = strlen(with), n = 1;
    char *out, *to;

    for (const char *at = text; *at; at++)
        n += n_what && !strncmp(at, what, n_what) ? n_with : 1;
    out = to = malloc(n);
    if (!out)
        no_memory();
    while (*text) {
        if (n_what && !strncmp(text, what, n_what)) {
            memcpy(to, with, n_with);
            to += n_with;
            text += n_what;
        } else {
            *to++ = *text++;
        }
    }
    *to = 0;
    return out;
}

/* In the child. */
_Noreturn static void
become(char **argv, const char *object, const char *output)
{
    int in = open(object, O_RDONLY),
        out = output ? open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

    if (in < 0 || (output && out < 0) || dup2(in, 0) < 0 || (output && dup2(out, 1) < 0)) {
        fprintf(stderr, "roc-obj: '%s': %s\n", in < 0 ? object : output, strerror(errno));
        _exit(126);
    }
    execvp(argv[0], argv);
    fprintf(stderr, "roc-obj: cannot run '%s': %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* SUFFIX COMMAND ARGS... on one object. */
static bool
run_on(const struct request *request, char **words, size_t n, const char *object)
{
    const char *suffix = words[0];
    char **argv = calloc(n + 1, sizeof(*argv)), *output = NULL;
    int status = 0;
    pid_t pid;

    if (!argv || (strcmp(suffix, "-") && strcmp(suffix, "!") &&
                  asprintf(&output, "%s%s", object, suffix) < 0))
        no_memory();
    for (size_t i = 1; i < n; i++)
        argv[i - 1] = replaced(words[i], i > 1 ? request->replace : NULL, object);
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        become(argv, object, strcmp(suffix, "!") ? output : "/dev/null");
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        fprintf(stderr, "roc-obj: cannot start '%s': %s\n", argv[0], strerror(errno));
    else if (status != 0)
        fprintf(stderr, "roc-obj: '%s' failed on '%s'\n", argv[0], object);
    for (size_t i = 0; i + 1 < n; i++)
        free(argv[i]);
    free(argv);
    free(output);
    return pid > 0 && status == 0;
}

static bool
run_on_all(const struct state *state, char **words, size_t n)
{
    if (n < 2) {
        fprintf(stderr, "roc-obj: '%s': a command needs a suffix and a name\n", n ? words[0] : ":");
        return false;
    }
    for (size_t i = 0; i < state->n_objects; i++)
        if (!run_on(state->request, words, n, state->objects[i]))
            return false;
    return true;
}

/* "SUFFIX COMMAND ARGS ; SUFFIX COMMAND ..." */
static bool
run_commands(const struct state *state, char **words, int n)
{
    for (int at = 0; at < n;) {
        int end = at;

        while (end < n && strcmp(words[end], ";") != 0)
            end++;
        if (!run_on_all(state, words + at, (size_t)(end - at)))
            return false;
        at = end + 1;
    }
    return true;
}

/* Where llvm-objdump is: beside this program, in HIP_CLANG_PATH or else lib/llvm/bin, in PATH. */
static char *
find_objdump(void)
{
    const char *from_env = getenv("HIP_CLANG_PATH");
    char own[PATH_MAX], *path, *bin;
    ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

    own[n > 0 ? n : 0] = 0;
    bin = dirname(own);
    if (asprintf(&path, "%s/llvm-objdump", bin) < 0)
        no_memory();
    if (access(path, X_OK) == 0)
        return path;
    free(path);
    if ((from_env && *from_env ? asprintf(&path, "%s/llvm-objdump", from_env)
                               : asprintf(&path, "%s/../lib/llvm/bin/llvm-objdump", bin)) < 0)
        no_memory();
    if (access(path, X_OK) == 0)
        return path;
    free(path);
    return strdup("llvm-objdump");
}

static bool
disassemble(const struct state *state)
{
    char *words[] = {".s", find_objdump(), "-d", "-"};
    bool ok = words[1] ? run_on_all(state, words, 4) : false;

    free(words[1]);
    return ok;
}

static int
usage(FILE *to)
{
    fputs("Usage: roc-obj [-h] [-t REGEXP] [-o OUTDIR] [-I REPLACE-STRING|-i] [-d]\n"
          "               EXECUTABLE... [: [SUFFIX COMMAND [ARGS...] ;]...]\n"
          "\n"
          "Extracts the code objects embedded in each EXECUTABLE (program, object, shared library "
          "or\n"
          "offload bundle) into files EXECUTABLE:BUNDLE.ENTRY-ID, and runs each COMMAND on each, "
          "with\n"
          "the object as its standard input. What it prints goes to a file named by the object's "
          "with\n"
          "SUFFIX behind it; SUFFIX - leaves it, SUFFIX ! throws it away.\n"
          "\n"
          "  -h, --help              print this help text and exit\n"
          "  -t, --target-id         only code objects whose entry ID matches the POSIX extended "
          "regular\n"
          "                          expression REGEXP, e.g. gfx9\n"
          "  -o, --outdir            the output directory, which is created if it does not exist\n"
          "  -I, --replace-string    in ARGS, put the object's path in the place of "
          "REPLACE-STRING\n"
          "  -i, --replace           the same as -I {}\n"
          "  -d, --disassemble       disassemble the objects; as : .s llvm-objdump -d - ;\n",
          to);
    return to == stderr;
}

/* False: what is wrong was said. */
static bool
set_target(struct request *request, const char *text)
{
    char why[256];
    int err = regcomp(&request->target, text, REG_EXTENDED | REG_NOSUB);

    request->has_target = err == 0;
    if (err) {
        regerror(err, &request->target, why, sizeof(why));
        fprintf(stderr, "roc-obj: '%s' is no regular expression: %s\n", text, why);
    }
    return err == 0;
}

int
main(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},
        {"target-id", required_argument, NULL, 't'},
        {"outdir", required_argument, NULL, 'o'},
        {"replace-string", required_argument, NULL, 'I'},
        {"replace", no_argument, NULL, 'i'},
        {"disassemble", no_argument, NULL, 'd'},
        {NULL, 0, NULL, 0},
    };
    struct request request = {.folder = NULL};
    struct state state = {.request = &request};
    int c, n_files;

    ls_file_check_output();
    while ((c = getopt_long(argc, argv, "+ht:o:I:id", options, NULL)) != -1)
        switch (c) {
        case 'h':
            return usage(stdout);
        case 't':
            if (!set_target(&request, optarg))
                return 2;
            break;
        case 'o':
            request.folder = optarg;
            break;
        case 'I':
            request.replace = optarg;
            break;
        case 'i':
            request.replace = "{}";
            break;
        case 'd':
            request.disassembles = true;
            break;
        default:
            return usage(stderr);
        }
    argv += optind;
    argc -= optind;
    for (n_files = 0; n_files < argc && strcmp(argv[n_files], ":") != 0;)
        n_files++;
    if (!n_files) {
        fputs("roc-obj: no executables specified\n", stderr);
        return usage(stderr);
    }
    if (request.folder && !make_folder(request.folder))
        return 1;
    for (int i = 0; i < n_files; i++) {
        state.executable = argv[i];
        if (!extract(&state))
            return 1;
    }
    if (!state.n_objects) {
        fputs("roc-obj: no code object that is asked for lies in these files\n", stderr);
        return 1;
    }
    if (n_files < argc && !run_commands(&state, argv + n_files + 1, argc - n_files - 1))
        return 1;
    return request.disassembles && !disassemble(&state);
}
