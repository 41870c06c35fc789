/* SPDX-License-Identifier: MIT */
/* The linker: bitcode out of files, bundles and archives, linked and described by the compiler's
 * child. */
#include "hiprtc/rtc_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bundle.h"
#include "base/log.h"

#define AR_MAGIC "!<arch>\n"

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

/* Does an entry called "hip-amdgcn-amd-amdhsa--gfx90a:xnack-" belong to `arch`, given without
 * features? */
static bool
is_for(const char *id, const char *arch)
{
    size_t n = strlen(arch);
    const char *at;

    if (strncmp(id, "hip", 3) != 0 || !(at = strstr(id, "--")))
        return false;
    at += 2;
    return strncmp(at, arch, n) == 0 && (at[n] == 0 || at[n] == ':');
}

/* Adds the entry for our device. */
static hiprtcResult
add_plain_bundle(hiprtcLinkState state, const char *data, size_t n)
{
    char arch[256];
    struct ls_bundle bundle;
    struct ls_bundle_entry entry;

    if (!ls_bundle_open(data, n, &bundle) || !ls_rtc_device_arch(arch, sizeof(arch)))
        return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    arch[strcspn(arch, ":")] = 0;
    while (ls_bundle_next(&bundle, &entry))
        if (entry.bytes && is_for(entry.id, arch))
            return add_bitcode(state, entry.data, entry.bytes);
    return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
}

static bool
is_bundle(const char *data, size_t n)
{
    struct ls_bundle bundle;

    return ls_packed_is(data, n) || ls_bundle_open(data, n, &bundle);
}

static hiprtcResult
add_bundle(hiprtcLinkState state, const char *data, size_t n)
{
    hiprtcResult result;
    void *plain;
    char why[256];
    size_t bytes;

    if (!ls_packed_is(data, n))
        return add_plain_bundle(state, data, n);
    if (!ls_packed_unpack(data, n, &plain, &bytes, NULL, why, sizeof(why))) {
        ls_log(LS_LOG_ERROR, "hiprtc: compressed offload bundle: %s", why);
        return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    }
    result = add_plain_bundle(state, plain, bytes);
    free(plain);
    return result;
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
        if (is_bundle(data + at, size))
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
