/* SPDX-License-Identifier: MIT */
/* What hiprtc does with bitcode, behind the door: a program may bring any that it has. */
#include "hiprtc/rtc_priv.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/door.h"

static void
sink(void *user, enum ls_diag_level level, const char *message)
{
    static const char *const words[] = {
        [LS_DIAG_NOTE] = "note", [LS_DIAG_WARNING] = "warning", [LS_DIAG_ERROR] = "error"};
    bool known = level > LS_DIAG_NONE && level <= LS_DIAG_ERROR;

    ls_rtc_addf(user, "%s: %s\n", known ? words[level] : "note", message);
}

/* Takes malloc'ed `data` over. */
static bool
take(struct ls_rtc_buf *buf, void *data, size_t n)
{
    ls_rtc_buf_fini(buf);
    ls_rtc_add(buf, data, n);
    free(data);
    return !buf->failed;
}

bool
ls_rtc_take_names(struct ls_rtc_buf *bitcode, const char *prefix, struct ls_rtc_name *names,
                  size_t n_names, struct ls_rtc_buf *log)
{
    char **lowered = calloc(n_names, sizeof(*lowered));
    void *out = NULL;
    size_t n_out = 0;

    if (!lowered ||
        !ls_door_take_names(bitcode->data, bitcode->n, prefix, n_names, sink, log, lowered, &out,
                             &n_out)) {
        free(lowered);
        return false;
    }
    for (size_t i = 0; i < n_names; i++) {
        free(names[i].lowered);
        names[i].lowered = lowered[i];
    }
    free(lowered);
    return take(bitcode, out, n_out);
}

bool
ls_rtc_describe(const struct ls_rtc_buf *bitcode, const char *arch, struct ls_rtc_buf *image,
                struct ls_rtc_buf *log)
{
    void *out = NULL;
    size_t n_out = 0;

    return ls_door_describe_bitcode(bitcode->data, bitcode->n, arch, 0, sink, log, &out, &n_out) &&
           take(image, out, n_out);
}

bool
ls_rtc_link_bitcode(const struct ls_rtc_input *inputs, size_t n, struct ls_rtc_buf *out,
                    struct ls_rtc_buf *log)
{
    const void **data = calloc(n, sizeof(*data));
    size_t *bytes = calloc(n, sizeof(*bytes)), n_linked = 0;
    void *linked = NULL;
    bool ok = false;

    for (size_t i = 0; data && bytes && i < n; i++) {
        data[i] = inputs[i].data;
        bytes[i] = inputs[i].n;
    }
    if (data && bytes)
        ok = ls_door_link_bitcode(data, bytes, n, sink, log, &linked, &n_linked) &&
             take(out, linked, n_linked);
    free(data);
    free(bytes);
    return ok;
}
