/* SPDX-License-Identifier: MIT */
/* What the two sides of the door say to each other, over a stream socket. Both are of one build:
 * plain structs.
 *
 * A request is its struct, the text, the sizes of the blobs (uint64_t each), the blobs. It is
 * answered by replies up to LS_REPLY_DONE, LS_REPLY_LIBRARY or LS_REPLY_DIED. Each LS_REPLY_DIAG is
 * acknowledged by a byte, so that what either side prints stays in order. */
#ifndef LS_COMPILER_DOOR_WIRE_H
#define LS_COMPILER_DOOR_WIRE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/child.h"

#define LS_WIRE_FD        LS_CHILD_FD
#define LS_WIRE_STACK     ((size_t)64 << 20) /* stack of the child: LLVM recurses */
/* Says that both sides have the same structs. They differ when the files were replaced by another
 * build while a program runs. */
#define LS_WIRE_MAGIC     (0x4c530000u + (uint32_t)sizeof(struct ls_wire_request))
/* The caller looks so often whether a silent child is stopped. */
#define LS_WIRE_PATIENCE_US 200000
#define LS_WIRE_SLOTS     8 /* images of bitcode that the child keeps */
#define LS_WIRE_MAX_BLOBS 65536u
#define LS_WIRE_MAX_BYTES ((uint64_t)2 << 30)
#define LS_WIRE_MAX_TEXT  ((uint64_t)16 << 20)

enum ls_wire_kind {
    LS_WIRE_NONE = 0,
    LS_WIRE_HELLO, /* asks whether the lowering library can be opened */
    LS_WIRE_COMPILE,
    LS_WIRE_DESCRIBE,
    LS_WIRE_LINK,
    LS_WIRE_NAMES,
};

struct ls_wire_request {
    uint32_t magic, kind;
    uint32_t warp_size; /* of what is described */
    uint32_t
        slot; /* where the bitcode is or goes; LS_WIRE_SLOTS: not kept, blob 0 is the bitcode */
    uint32_t seconds; /* of processor time; 0 = no limit */
    uint32_t reserved;
    uint64_t memory_mb; /* 0 = half of the machine's */
    uint64_t n_names;
    uint64_t text_bytes; /* arch or prefix, the options (ls_options_write), the environment's
                            LOCKSTEP_...=...; a 0 behind each */
    uint64_t n_blobs;    /* 0: what is in the slot */
};

enum ls_wire_reply_kind {
    LS_REPLY_NONE = 0,
    LS_REPLY_DIAG,    /* value: level; data: message and 0 */
    LS_REPLY_RESULT,  /* data */
    LS_REPLY_NAME,    /* value: which; data: it and 0 */
    LS_REPLY_DONE,    /* value: success */
    LS_REPLY_LIBRARY, /* data: why there is none, and 0 */
    LS_REPLY_DIED,    /* value: signal */
};

struct ls_wire_reply {
    uint32_t magic, kind, value, reserved;
    uint64_t bytes; /* of data that follow */
};

/* An end of the socket. */
struct ls_wire {
    int fd;
    pid_t child; /* at the caller's end, which has limits of time; else 0 */
};

/* Whether to try again after a call that did nothing. */
static inline bool
ls_wire_goes_on(const struct ls_wire *w)
{
    if (errno == EINTR)
        return true;
    if (errno != EAGAIN)
        return false;
    ls_child_wake(w->child);
    return true;
}

static inline bool
ls_wire_send(const struct ls_wire *w, const void *data, size_t bytes)
{
    const char *p = data;

    while (bytes) {
        ssize_t n = send(w->fd, p, bytes, MSG_NOSIGNAL);

        if (n < 0 && !ls_wire_goes_on(w))
            return false;
        if (n > 0) {
            p += n;
            bytes -= (size_t)n;
        }
    }
    return true;
}

static inline bool
ls_wire_receive(const struct ls_wire *w, void *data, size_t bytes)
{
    char *p = data;

    while (bytes) {
        ssize_t n = recv(w->fd, p, bytes, 0);

        if (n == 0 || (n < 0 && !ls_wire_goes_on(w)))
            return false;
        if (n > 0) {
            p += n;
            bytes -= (size_t)n;
        }
    }
    return true;
}

#endif
