/* SPDX-License-Identifier: MIT */
/* The driver's parts: words (options.c), arguments -> plan (args.c), child processes (proc.c),
 * one source file (compile.c), its headers (pch.c), the link (link.c), relocatable device code
 * (rdc.c), the fat binary (bundle.c), messages (messages.c); instead of all this nvcc (nvidia.c).
 * The process ends when the driver is done, so strings are never freed. */
#ifndef LS_HIPCC_PRIV_H
#define LS_HIPCC_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/file.h"

#define LS_HIPCC_DEFAULT_ARCH "gfx1100"

/* ---- util.c
 * ------------------------------------------------------------------------------------ */

/* A NULL-terminated list of strings, ready to be an argv. Zero-initialised = empty. */
struct ls_strv {
    char **v;
    size_t n, cap;
};

/* Bytes that grow. Zero-initialised = empty. */
struct ls_buf {
    char *data;
    size_t n, cap;
};

void ls_strv_push(struct ls_strv *list, const char *text);
void ls_strv_pushf(struct ls_strv *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ls_strv_append(struct ls_strv *list, const struct ls_strv *more);
bool ls_strv_has(const struct ls_strv *list, const char *text);

/* Makes room for n more bytes, zeroed, counts them as used and returns where they start. */
void *ls_buf_grow(struct ls_buf *buf, size_t n);
void ls_buf_add(struct ls_buf *buf, const void *data, size_t n);
void ls_buf_align(struct ls_buf *buf, size_t align);

/* Allocates a string and prints into it; lack of memory ends the program. */
void *ls_hipcc_alloc(size_t n_bytes);
char *ls_hipcc_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The file's bytes take the place of what `out` held. false: errno says why. */
bool ls_buf_read(struct ls_buf *out, const char *path);
bool ls_file_exists(const char *path);
const char *ls_path_base(const char *path); /* behind the last '/' */
const char *ls_path_ext(const char *path);  /* behind the last '.' of the base, or "" */
char *ls_path_stem(const char *path);       /* base without extension */
bool ls_starts_with(const char *text, const char *prefix);
uint64_t ls_hash64(uint64_t seed, const void *data,
                   size_t n); /* a hash without cryptographic strength */

/* ---- messages.c
 * -------------------------------------------------------------------------------- */

void ls_say(const char *level, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define ls_say_error(...)   ls_say("error", __VA_ARGS__)
#define ls_say_warning(...) ls_say("warning", __VA_ARGS__)

/* Prints clang's output of the host pass whole, and of the device passes what the host did not
 * say. */
void ls_messages_print(const struct ls_buf *host, const struct ls_buf *device, size_t n_device);

/* ---- proc.c
 * ------------------------------------------------------------------------------------ */

/* A running child. Its stderr is collected; bytes can be fed to it through LS_CHILD_FEED_PATH. */
struct ls_child {
    pid_t pid;
    int err_fd, feed_fd;       /* -1 = closed */
    struct ls_buf err;
    const char *feed;          /* borrowed; set by ls_child_feed */
    size_t feed_left;
    bool running;
    int status;                /* exit code as a shell gives it */
};

enum ls_child_flags {
    LS_CHILD_PLAIN = 0,
    LS_CHILD_CAPTURE = 1,      /* collect stderr instead of passing it through */
    LS_CHILD_FEED = 2,         /* the child can read LS_CHILD_FEED_PATH */
    LS_CHILD_NO_INPUT = 4,     /* its standard input is empty */
};
#define LS_CHILD_FEED_FD   9
#define LS_CHILD_FEED_PATH "/dev/fd/9"

/* Registers a child that the driver has forked itself, so that a signal ends it, too. */
void ls_child_adopt(pid_t pid);
void ls_child_forget(pid_t pid);
/* To be called first in such a child. */
void ls_proc_forked(void);

bool ls_child_start(struct ls_child *child, const struct ls_strv *argv, unsigned flags);
/* The whole input of the child; it sees end of file after it. NULL, 0 = end of file at once. */
void ls_child_feed(struct ls_child *child, const void *data, size_t n);
/* Moves bytes until at least one of the running children has ended; false when none is running. */
bool ls_children_step(struct ls_child **children, size_t n);
/* Starts a child, waits for it and returns its exit code. */
int ls_run(const struct ls_strv *argv);

/* A fresh path in a private folder that is removed when the driver ends, by signals too. */
char *ls_temp_path(const char *name);
void ls_temp_cleanup(void);
void ls_proc_init(bool dry_run);
void ls_command_print(const struct ls_strv *argv);

/* ---- args.c
 * ------------------------------------------------------------------------------------ */

enum ls_mode {
    LS_MODE_NONE = 0,
    LS_MODE_LINK,
    LS_MODE_OBJECT,     /* -c */
    LS_MODE_ASSEMBLY,   /* -S */
    LS_MODE_PREPROCESS, /* -E */
    LS_MODE_DEPS,       /* -M, -MM */
    LS_MODE_SYNTAX,     /* -fsyntax-only */
};

enum ls_input_kind {
    LS_INPUT_NONE = 0,
    LS_INPUT_HIP,    /* two passes */
    LS_INPUT_PLAIN,  /* one pass by clang: C, C++ by -x, assembly, IR */
    LS_INPUT_LINKER, /* objects, archives, shared libraries, linker scripts */
};

enum ls_passes {
    LS_PASSES_BOTH = 0,
    LS_PASSES_HOST,
    LS_PASSES_DEVICE,
};

struct ls_input {
    const char *path;
    const char *lang;    /* language given by -x; NULL = by the file's name */
    enum ls_input_kind kind;
    bool cuda;           /* a source of CUDA's */
};

/* What the link line says at one place: an option, or the input of that index. */
struct ls_link_item {
    const char *option;
    size_t input;
};

struct ls_plan {
    enum ls_mode mode;
    enum ls_passes passes;
    struct ls_input *inputs;
    size_t n_inputs;
    struct ls_link_item *link;
    size_t n_link;
    struct ls_strv host, device; /* clang's options per pass */
    struct ls_strv deps;         /* -MD and its like: the host pass of each source */
    struct ls_strv archs;        /* gfx targets, as written; never empty after parsing */
    struct ls_strv cpu_levels;   /* "x86-64-v3": ahead-of-time code */
    struct ls_strv query; /* all arguments, which are handed to clang as they are for -print-*,
                             -dump* and their like */
    const char *output;   /* -o */
    const char *dep_file, *dep_target;
    const char *save_temps;       /* NULL, "cwd" or "obj" */
    const char *cuid;
    const char *rocm_path;
    int object_version;           /* -mcode-object-version=, 5 when not given */
    int compression_level;        /* -1 = clang's */
    int opt_level;                /* -Os, -Oz = 2, -Ofast = 3 */
    unsigned n_jobs;
    int code_object;              /* -f[no-]lockstep-code-object: 1, -1, 0 = not said */
    bool archs_named, wants_code; /* --offload-arch named a gfx, so that it matters when there is
                                     none; real code objects are wanted */
    bool emit_llvm, rdc, genco, static_lib, no_bundle, compress;
    bool is_query, verbose, dry_run, show_version, show_help, has_debug, opt_debug, no_runtime,
        no_wrapper, partial_link;
    bool wants_deps, wave64, fast_math, defines_platform;
    bool cuda;                  /* --cuda: nvcc's options, sources of CUDA */
    bool device_link;           /* -dlink */
    bool host_text;             /* nvcc's -cuda: C++ for the host's compiler */
    unsigned cuda_arch;         /* what __CUDA_ARCH__ is */
    const char *code_extension; /* of what -fatbin and its like write; NULL = hipcc's own */
    bool as_clang; /* called by the name of clang or amdclang: only -x hip and .hip are HIP, no
                      default -O3, no runtime */
};

/* Expands @files, reads the environment's additions, parses. False: messages were printed. */
bool ls_plan_parse(struct ls_plan *plan, int argc, char **argv);

/* ---- install.c, compile.c
 * -------------------------------------------------------------------------- */

/* Where the parts of the installation are. */
struct ls_install {
    const char *root;        /* folder of bin, lib and include */
    const char *include_dir, *lib_dir, *bitcode_dir;
    const char *clang, *resource_dir, *rocm_bitcode_dir;
    const char *lld;         /* NULL = clang shall look for it */
    const char *cuda, *nvcc; /* set by ls_nvcc_find */
};
extern struct ls_install ls_install;

/* The folders of the installation alone, and clang, too. False: a message was printed. */
bool ls_install_find_root(void);
bool ls_install_find(void);
/* Whether HIP_PLATFORM says nvidia. */
bool ls_platform_is_nvidia(void);
/* Finds nvcc: $CUDA_PATH, then PATH, then /usr/local/cuda. False: a message was printed. */
bool ls_nvcc_find(void);

/* ---- nvidia.c
 * ------------------------------------------------------------------------------------ */

/* hipcc with HIP_PLATFORM=nvidia. The exit code. */
int ls_nvidia_main(int argc, char **argv);

/* ---- cuda.c
 * ------------------------------------------------------------------------------------ */

#define LS_CUDA_DEFAULT_ARCH 70 /* without -arch */

/* Whether --cuda is given, or the name is nvcc. */
bool ls_cuda_wanted(int argc, char **argv);
/* Adds hipcc's options to `out` for those of nvcc. False: a message was printed. */
bool ls_cuda_translate(struct ls_plan *plan, const struct ls_strv *args, struct ls_strv *out);
/* The folder of CUDA's headers, in front of the system's others: rocThrust has some of the same
 * names. */
void ls_cuda_include(struct ls_strv *argv);
/* What a source of CUDA is compiled with besides the user's options. */
void ls_cuda_options(const struct ls_plan *plan, bool device, struct ls_strv *argv);
/* What C and C++ are compiled with under --cuda, the user's options too. */
void ls_cuda_plain_options(const struct ls_plan *plan, const struct ls_input *input,
                           struct ls_strv *argv);

unsigned ls_arch_warp_size(const struct ls_plan *plan, const char *arch);

/* ---- compile.c
 * --------------------------------------------------------------------------------- */

/* Compiles one source to `output` (NULL = standard output or clang's choice). The exit code. */
int ls_compile_source(const struct ls_plan *plan, const struct ls_input *input, const char *output);
/* --genco and device-only compilations: a file that holds the fat binary, or one code object. */
int ls_compile_device(const struct ls_plan *plan, const struct ls_input *input, const char *output);
/* What a host compilation of any language gets in front of the user's options. */
void ls_host_options(const struct ls_plan *plan, bool cuda, struct ls_strv *argv);

/* ---- pch.c
 * ---------------------------------------------------------------------------------- */

/* Lets a pass over `source` with these options have the headers that it reads first precompiled, if
 * that changes nothing: replaces *argv. */
void ls_pch_use(const char *source, struct ls_strv *argv);
/* Whether clang refused one that it was given, as its messages show: it is deleted, and none is
 * used any more. */
bool ls_pch_was_refused(const struct ls_buf *messages);

/* ---- image.c: device bitcode -> fat binary entries
 * ---------------------------------------------- */

struct ls_image {
    const char *arch;
    struct ls_buf bitcode;
    struct ls_buf nvidia;    /* bitcode for NVIDIA's GPUs; empty = the other serves them, too */
    struct ls_buf lsbc;      /* LSBC image */
    struct ls_buf code;      /* real code object, empty = none */
    struct ls_buf ahead;     /* LSAO image, empty = none */
};

/* Opens the lowering library; cheap when repeated. False: a message was printed. */
bool ls_lowering_open(void);
bool ls_image_describe(const struct ls_plan *plan, struct ls_image *image);
bool ls_image_link(const struct ls_buf *bitcode, size_t n, struct ls_buf *out);

/* ---- codeobject.c
 * ------------------------------------------------------------------------------ */

/* Which devices a device pass is for. */
enum ls_device_code {
    LS_DEVICE_CODE_COMMON = 0, /* AMD's, and all that is lowered from the same bitcode */
    LS_DEVICE_CODE_NVIDIA,     /* bitcode that code for NVIDIA's GPUs is made of */
};

/* Whether an --offload-arch names a GPU of NVIDIA's. */
bool ls_wants_nvidia(const struct ls_plan *plan);

/* Clang's options for the device libraries; the first that has a function gives it: our functions
 * for NVIDIA's hardware, ours that replace some of OCML's, OCML, and our library with the constants
 * that OCML asks for and OCKL's functions. */
void ls_device_libraries(const struct ls_plan *plan, const char *arch, enum ls_device_code code,
                         struct ls_strv *argv);
/* The commands that make an object of a bitcode file, and a code object of that. */
void ls_codegen_command(const struct ls_plan *plan, const char *arch, const char *bitcode_path,
                        const char *object_path, struct ls_strv *argv);
void ls_codelink_command(const struct ls_plan *plan, const char *arch, const char *object_path,
                         const char *output, struct ls_strv *argv);

/* ---- bundle.c: the offload bundle
 * ---------------------------------------------------------------- */

void ls_bundle_build(const struct ls_plan *plan, const struct ls_image *images, size_t n,
                     struct ls_buf *out);

/* ---- link.c, rdc.c
 * ------------------------------------------------------------------------------- */

/* `objects[i]` replaces input i where it is not NULL. */
int ls_link(const struct ls_plan *plan, char **objects);
/* Collects the device code of the objects and archives of the link line; *object becomes the path
 * of an object that holds it linked, or NULL when no input has any. */
int ls_rdc_link(const struct ls_plan *plan, char **objects, char **object);
/* Wraps the bitcodes of one source for the object file that will carry them. */
void ls_rdc_wrap(const char *cuid, const struct ls_image *images, size_t n, struct ls_buf *out);

#endif
