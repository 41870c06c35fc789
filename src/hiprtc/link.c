/* SPDX-License-Identifier: MIT */
/* The linker: bitcode out of files, bundles and archives, linked and described by the compiler's
 * child. */
#include "hiprtc/rtc_priv.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUNDLE_MAGIC "__CLANG_OFFLOAD_BUNDLE__"
#define AR_MAGIC     "!<arch>\n"

static hiprtcResult
add_bitcode(hiprtcLinkState state, const char *data, size_t n)
{
    struct ls_rtc_input *more = realloc(state->inputs, (state->n_inputs + 1) * sizeof(*more));
    char *copy = more ? malloc(n) : NULL;

    if (more)
        state->inputs = more;
    if (!copy)
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    memcpy(copy, data, n);
    state->inputs[state->n_inputs++] = (struct ls_rtc_input){copy, n};
    return HIPRTC_SUCCESS;
}

static uint64_t
read64(const char *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

/* Does an entry called "hip-amdgcn-amd-amdhsa--gfx90a:xnack-" belong to `arch`, given without
 * features? */
static bool
is_for(const char *id, size_t n, const char *arch)
{
    size_t n_arch = strlen(arch);
    const char *at;

    if (n < 3 || memcmp(id, "hip", 3) != 0 || !(at = memmem(id, n, "--", 2)))
        return false;
    at += 2;
    n -= (size_t)(at - id);
    return n >= n_arch && memcmp(at, arch, n_arch) == 0 && (n == n_arch || at[n_arch] == ':');
}

/* Magic, number of entries, then for each: offset, size, length of its id, id. Adds the one for our
 * device. */
static hiprtcResult
add_bundle(hiprtcLinkState state, const char *data, size_t n)
{
    char arch[256];
    uint64_t entries;
    size_t at = 32;

    if (n < 32 || memcmp(data, BUNDLE_MAGIC, 24) != 0 || !ls_rtc_device_arch(arch, sizeof(arch)))
        return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    arch[strcspn(arch, ":")] = 0;
    entries = read64(data + 24);
    for (uint64_t i = 0; i < entries; i++) {
        uint64_t off, size, id;

        if (n - at < 24)
            return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
        off = read64(data + at);
        size = read64(data + at + 8);
        id = read64(data + at + 16);
        at += 24;
        if (id > n - at || off > n || size > n - off)
            return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
        if (size && is_for(data + at, id, arch))
            return add_bitcode(state, data + off, size);
        at += id;
    }
    return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
}

/* Members: 60 bytes of text (size at 48, 10 digits), data, padding to even. Tables of names hold no
 * bundles. */
static hiprtcResult
add_archive(hiprtcLinkState state, const char *data, size_t n)
{
    hiprtcResult result = HIPRTC_SUCCESS;

    if (n < 8 || memcmp(data, AR_MAGIC, 8) != 0)
        return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    for (size_t at = 8; n - at >= 60 && result == HIPRTC_SUCCESS;) {
        char digits[11] = {0};
        size_t size;

        memcpy(digits, data + at + 48, 10);
        size = strtoull(digits, NULL, 10);
        at += 60;
        if (size > n - at)
            return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
        if (size >= 32 && memcmp(data + at, BUNDLE_MAGIC, 24) == 0)
            result = add_bundle(state, data + at, size);
        at += size;
        at += at < n && size % 2;
    }
    return result;
}

hiprtcResult
ls_rtc_link_add(hiprtcLinkState state, hiprtcJITInputType type, const char *data, size_t n)
{
    switch (type) {
    case HIPRTC_JIT_INPUT_LLVM_BITCODE:
        return add_bitcode(state, data, n);
    case HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE:
        return add_bundle(state, data, n);
    case HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE:
        return add_archive(state, data, n);
    default:
        return HIPRTC_ERROR_INVALID_INPUT;
    }
}

static void
tell(char *buffer, size_t bytes, const struct ls_rtc_buf *log)
{
    if (buffer && bytes)
        snprintf(buffer, bytes, "%s", log->n ? log->data : "");
}

hiprtcResult
ls_rtc_link(hiprtcLinkState state)
{
    struct ls_rtc_buf linked = {0};
    bool ok = false;

    ls_rtc_buf_fini(&state->code);
    ls_rtc_buf_fini(&state->log);
    if (!state->n_inputs)
        ls_rtc_addf(&state->log, "error: nothing to link\n");
    else
        ok = ls_rtc_link_bitcode(state->inputs, state->n_inputs, &linked, &state->log) &&
             ls_rtc_describe(&linked, NULL, &state->code, &state->log);
    tell(ok ? state->info_log : state->error_log, ok ? state->info_bytes : state->error_bytes,
         &state->log);
    ls_rtc_buf_fini(&linked);
    return ok ? HIPRTC_SUCCESS : HIPRTC_ERROR_LINKING;
}
