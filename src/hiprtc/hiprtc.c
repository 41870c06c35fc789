/* SPDX-License-Identifier: MIT */
/* The functions of hiprtc: check arguments and handles, keep programs and link states. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "hiprtc/rtc_priv.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct _hiprtcProgram *programs;  /* guarded by lock */
static struct ihiprtcLinkState *linkers; /* guarded by lock */

static bool
is_program(hiprtcProgram prog)
{
    struct _hiprtcProgram *p;

    pthread_mutex_lock(&lock);
    for (p = programs; p && p != prog; p = p->next)
        ;
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

static bool
is_linker(hiprtcLinkState state)
{
    struct ihiprtcLinkState *s;

    pthread_mutex_lock(&lock);
    for (s = linkers; s && s != state; s = s->next)
        ;
    pthread_mutex_unlock(&lock);
    return s != NULL;
}

#define CHECK(cond, code)                                                                          \
    do {                                                                                           \
        if (!(cond))                                                                               \
            return code;                                                                           \
    } while (0)

const char *
hiprtcGetErrorString(hiprtcResult result)
{
    switch (result) {
#define NAME(x)                                                                                    \
    case x:                                                                                        \
        return #x
        NAME(HIPRTC_SUCCESS);
        NAME(HIPRTC_ERROR_OUT_OF_MEMORY);
        NAME(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
        NAME(HIPRTC_ERROR_INVALID_INPUT);
        NAME(HIPRTC_ERROR_INVALID_PROGRAM);
        NAME(HIPRTC_ERROR_INVALID_OPTION);
        NAME(HIPRTC_ERROR_COMPILATION);
        NAME(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE);
        NAME(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
        NAME(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
        NAME(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
        NAME(HIPRTC_ERROR_INTERNAL_ERROR);
        NAME(HIPRTC_ERROR_LINKING);
#undef NAME
    }
    return NULL;
}

hiprtcResult
hiprtcVersion(int *major, int *minor)
{
    CHECK(major && minor, HIPRTC_ERROR_INVALID_INPUT);
    *major = 9;
    *minor = 0;
    return HIPRTC_SUCCESS;
}

/* ---- programs ---- */

static void
program_free(hiprtcProgram prog)
{
    for (size_t i = 0; i < prog->n_headers; i++) {
        free(prog->headers[i].text);
        free(prog->headers[i].name);
    }
    for (size_t i = 0; i < prog->n_names; i++) {
        free(prog->names[i].expression);
        free(prog->names[i].lowered);
    }
    free(prog->headers);
    free(prog->names);
    free(prog->source);
    free(prog->name);
    ls_rtc_buf_fini(&prog->log);
    ls_rtc_buf_fini(&prog->code);
    ls_rtc_buf_fini(&prog->bitcode);
    free(prog);
}

static bool
copy_headers(hiprtcProgram prog, size_t n, const char **headers, const char **names)
{
    prog->headers = calloc(n ? n : 1, sizeof(*prog->headers));
    if (!prog->headers)
        return false;
    for (; prog->n_headers < n; prog->n_headers++) {
        struct ls_rtc_header *header = &prog->headers[prog->n_headers];

        header->text = strdup(headers[prog->n_headers]);
        header->name = strdup(names[prog->n_headers]);
        if (!header->text || !header->name) {
            free(header->text);
            free(header->name);
            return false;
        }
    }
    return true;
}

/* Whether a header's name is a relative path that stays inside of compile.c's folder, which has
 * room for eight "../". */
static bool
is_header_name(const char *name)
{
    int up = 0;

    for (const char *p = name; (p = strstr(p, "..")) != NULL; p += 2)
        up++;
    return name[0] && name[0] != '/' && up <= 7 && strlen(name) < 512;
}

hiprtcResult
hiprtcCreateProgram(hiprtcProgram *out, const char *src, const char *name, int n_headers,
                    const char **headers, const char **include_names)
{
    hiprtcProgram prog;

    CHECK(out, HIPRTC_ERROR_INVALID_PROGRAM);
    CHECK(src && *src && n_headers >= 0 && (n_headers == 0 || (headers && include_names)),
          HIPRTC_ERROR_INVALID_INPUT);
    for (int i = 0; i < n_headers; i++)
        CHECK(headers[i] && *headers[i] && include_names[i] && is_header_name(include_names[i]),
              HIPRTC_ERROR_INVALID_INPUT);
    prog = calloc(1, sizeof(*prog));
    CHECK(prog, HIPRTC_ERROR_OUT_OF_MEMORY);
    prog->source = strdup(src);
    prog->name = strdup(name && *name ? name : "CompileSource");
    if (!prog->source || !prog->name ||
        !copy_headers(prog, (size_t)n_headers, headers, include_names)) {
        program_free(prog);
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&lock);
    prog->next = programs;
    programs = prog;
    pthread_mutex_unlock(&lock);
    *out = prog;
    return HIPRTC_SUCCESS;
}

hiprtcResult
hiprtcDestroyProgram(hiprtcProgram *prog)
{
    LS_UNCANCELLED();
    struct _hiprtcProgram **at, *found;

    CHECK(prog, HIPRTC_ERROR_INVALID_INPUT);
    pthread_mutex_lock(&lock);
    for (at = &programs; *at && *at != *prog; at = &(*at)->next)
        ;
    found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&lock);
    CHECK(found, HIPRTC_ERROR_INVALID_PROGRAM);
    program_free(found);
    *prog = NULL;
    return HIPRTC_SUCCESS;
}

/* The expression without a leading '&': "kernel<int>" and "&kernel<int>" mean the same. */
static const char *
bare(const char *expression)
{
    while (*expression == ' ' || *expression == '&')
        expression++;
    return expression;
}

static struct ls_rtc_name *
find_name(hiprtcProgram prog, const char *expression)
{
    for (size_t i = 0; i < prog->n_names; i++)
        if (strcmp(bare(prog->names[i].expression), bare(expression)) == 0)
            return &prog->names[i];
    return NULL;
}

hiprtcResult
hiprtcAddNameExpression(hiprtcProgram prog, const char *expression)
{
    struct ls_rtc_name *more;

    CHECK(expression && *bare(expression), HIPRTC_ERROR_INVALID_INPUT);
    CHECK(is_program(prog), HIPRTC_ERROR_INVALID_PROGRAM);
    CHECK(!prog->compiled, HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    if (find_name(prog, expression))
        return HIPRTC_SUCCESS;
    more = realloc(prog->names, (prog->n_names + 1) * sizeof(*more));
    CHECK(more, HIPRTC_ERROR_OUT_OF_MEMORY);
    prog->names = more;
    more[prog->n_names] = (struct ls_rtc_name){.expression = strdup(expression)};
    CHECK(more[prog->n_names].expression, HIPRTC_ERROR_OUT_OF_MEMORY);
    prog->n_names++;
    return HIPRTC_SUCCESS;
}

hiprtcResult
hiprtcGetLoweredName(hiprtcProgram prog, const char *expression, const char **lowered)
{
    const struct ls_rtc_name *name;

    CHECK(expression && lowered, HIPRTC_ERROR_INVALID_INPUT);
    CHECK(is_program(prog), HIPRTC_ERROR_INVALID_PROGRAM);
    CHECK(prog->compiled, HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    name = find_name(prog, expression);
    CHECK(name && name->lowered, HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    *lowered = name->lowered;
    return HIPRTC_SUCCESS;
}

hiprtcResult
hiprtcCompileProgram(hiprtcProgram prog, int n_options, const char **options)
{
    LS_UNCANCELLED();
    CHECK(n_options >= 0 && (n_options == 0 || options), HIPRTC_ERROR_INVALID_INPUT);
    CHECK(is_program(prog), HIPRTC_ERROR_INVALID_PROGRAM);
    for (int i = 0; i < n_options; i++)
        CHECK(options[i], HIPRTC_ERROR_INVALID_INPUT);
    return ls_rtc_compile(prog, n_options, options);
}

static hiprtcResult
size_of(const struct ls_rtc_buf *buf, size_t final, size_t *out)
{
    *out = buf->n ? buf->n + final : 0;
    return HIPRTC_SUCCESS;
}

static hiprtcResult
copy_of(const struct ls_rtc_buf *buf, size_t final, char *out)
{
    if (buf->n)
        memcpy(out, buf->data, buf->n + final);
    return HIPRTC_SUCCESS;
}

hiprtcResult
hiprtcGetProgramLogSize(hiprtcProgram prog, size_t *out)
{
    CHECK(out, HIPRTC_ERROR_INVALID_INPUT);
    CHECK(is_program(prog), HIPRTC_ERROR_INVALID_PROGRAM);
    return size_of(&prog->log, 1, out);
}

hiprtcResult
hiprtcGetProgramLog(hiprtcProgram prog, char *out)
{
    CHECK(out, HIPRTC_ERROR_INVALID_INPUT);
    CHECK(is_program(prog), HIPRTC_ERROR_INVALID_PROGRAM);
    return copy_of(&prog->log, 1, out);
}

hiprtcResult
hiprtcGetCodeSize(hiprtcProgram prog, size_t *out)
{
    CHECK(out, HIPRTC_ERROR_INVALID_INPUT);
    CHECK(is_program(prog), HIPRTC_ERROR_INVALID_PROGRAM);
    return size_of(&prog->code, 0, out);
}

hiprtcResult
hiprtcGetCode(hiprtcProgram prog, char *out)
{
    CHECK(out, HIPRTC_ERROR_INVALID_INPUT);
    CHECK(is_program(prog), HIPRTC_ERROR_INVALID_PROGRAM);
    return copy_of(&prog->code, 0, out);
}

hiprtcResult
hiprtcGetBitcodeSize(hiprtcProgram prog, size_t *out)
{
    CHECK(out, HIPRTC_ERROR_INVALID_INPUT);
    CHECK(is_program(prog) && prog->bitcode.n, HIPRTC_ERROR_INVALID_PROGRAM);
    *out = prog->bitcode.n;
    return HIPRTC_SUCCESS;
}

hiprtcResult
hiprtcGetBitcode(hiprtcProgram prog, char *out)
{
    CHECK(out, HIPRTC_ERROR_INVALID_INPUT);
    CHECK(is_program(prog) && prog->bitcode.n, HIPRTC_ERROR_INVALID_PROGRAM);
    CHECK(is_program(prog), HIPRTC_ERROR_INVALID_PROGRAM);
    return copy_of(&prog->bitcode, 0, out);
}

/* ---- linkers ---- */

/* Reads one option. False: it is a buffer, and has no address. */
static bool
read_option(hiprtcLinkState state, hiprtcJIT_option option, void *value)
{
    switch (option) {
    case HIPRTC_JIT_INFO_LOG_BUFFER:
        return (state->info_log = value) != NULL;
    case HIPRTC_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        state->info_bytes = (size_t)(uintptr_t)value;
        return true;
    case HIPRTC_JIT_ERROR_LOG_BUFFER:
        return (state->error_log = value) != NULL;
    case HIPRTC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        state->error_bytes = (size_t)(uintptr_t)value;
        return true;
    case HIPRTC_JIT_GLOBAL_SYMBOL_NAMES:
    case HIPRTC_JIT_GLOBAL_SYMBOL_ADDRESS:
    case HIPRTC_JIT_IR_TO_ISA_OPT_EXT:
        return value != NULL;
    default:
        return true;
    }
}

hiprtcResult
hiprtcLinkCreate(unsigned n_options, hiprtcJIT_option *options, void **values, hiprtcLinkState *out)
{
    hiprtcLinkState state;

    CHECK(out && (n_options == 0 || (options && values)), HIPRTC_ERROR_INVALID_INPUT);
    state = calloc(1, sizeof(*state));
    CHECK(state, HIPRTC_ERROR_OUT_OF_MEMORY);
    for (unsigned i = 0; i < n_options; i++)
        if (!read_option(state, options[i], values[i])) {
            free(state);
            return HIPRTC_ERROR_INVALID_OPTION;
        }
    pthread_mutex_lock(&lock);
    state->next = linkers;
    linkers = state;
    pthread_mutex_unlock(&lock);
    *out = state;
    return HIPRTC_SUCCESS;
}

hiprtcResult
hiprtcLinkAddFile(hiprtcLinkState state, hiprtcJITInputType type, const char *path,
                  unsigned n_options, hiprtcJIT_option *options, void **values)
{
    LS_UNCANCELLED();
    struct ls_rtc_buf file = {0};
    hiprtcResult result;

    (void)n_options, (void)options, (void)values;
    CHECK(path && type >= HIPRTC_JIT_INPUT_LLVM_BITCODE, HIPRTC_ERROR_INVALID_INPUT);
    CHECK(is_linker(state), HIPRTC_ERROR_INVALID_INPUT);
    if (ls_rtc_read_file(path, &file) && file.n)
        result = ls_rtc_link_add(state, type, file.data, file.n);
    else
        result = HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    ls_rtc_buf_fini(&file);
    return result;
}

hiprtcResult
hiprtcLinkAddData(hiprtcLinkState state, hiprtcJITInputType type, void *image, size_t bytes,
                  const char *name, unsigned n_options, hiprtcJIT_option *options, void **values)
{
    LS_UNCANCELLED();
    (void)name, (void)n_options, (void)options, (void)values;
    CHECK(image && bytes && type >= HIPRTC_JIT_INPUT_LLVM_BITCODE, HIPRTC_ERROR_INVALID_INPUT);
    CHECK(is_linker(state), HIPRTC_ERROR_INVALID_INPUT);
    return ls_rtc_link_add(state, type, image, bytes);
}

hiprtcResult
hiprtcLinkComplete(hiprtcLinkState state, void **out, size_t *bytes)
{
    LS_UNCANCELLED();
    hiprtcResult result;

    CHECK(out && bytes, HIPRTC_ERROR_INVALID_INPUT);
    CHECK(is_linker(state), HIPRTC_ERROR_INVALID_INPUT);
    result = ls_rtc_link(state);
    if (result == HIPRTC_SUCCESS) {
        *out = state->code.data;
        *bytes = state->code.n;
    }
    return result;
}

hiprtcResult
hiprtcLinkDestroy(hiprtcLinkState state)
{
    LS_UNCANCELLED();
    struct ihiprtcLinkState **at, *found;

    pthread_mutex_lock(&lock);
    for (at = &linkers; *at && *at != state; at = &(*at)->next)
        ;
    found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&lock);
    CHECK(found, HIPRTC_ERROR_INVALID_INPUT);
    for (size_t i = 0; i < found->n_inputs; i++)
        free(found->inputs[i].data);
    free(found->inputs);
    ls_rtc_buf_fini(&found->log);
    ls_rtc_buf_fini(&found->code);
    free(found);
    return HIPRTC_SUCCESS;
}
