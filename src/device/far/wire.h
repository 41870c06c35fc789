/* SPDX-License-Identifier: MIT */
/* What the two processes of a far device say to each other. Both are of one build: plain structs
 * over stream sockets.
 *
 * `work` carries works to the device and what becomes of them back, with nobody waiting; `calls`
 * are questions with their answers, one at a time on each. With the first message come the other
 * sockets and the file of shared memory. */
#ifndef LS_DEVICE_FAR_WIRE_H
#define LS_DEVICE_FAR_WIRE_H

#include <sys/uio.h>

#include "device/device.h"

/* The addresses of memory, the same in both processes: that of the device alone, which the host has
 * reserved and can't touch, and that which both can, a file. Above what programs and sanitizers
 * have at low addresses. */
#define LS_FAR_DEVICE_BASE  ((uintptr_t)0x200000000000)
#define LS_FAR_DEVICE_BYTES ((size_t)16 << 40)
#define LS_FAR_SHARED_BASE  (LS_FAR_DEVICE_BASE + LS_FAR_DEVICE_BYTES)
#define LS_FAR_SHARED_BYTES ((size_t)4 << 40)

#define LS_FAR_DEVICES 16

#define LS_FAR_CALLS 2 /* sockets for calls: making code takes long, and has one of its own */
#define LS_FAR_FDS   (LS_FAR_CALLS + 1)

struct ls_far_hello {
    uint64_t build; /* LS_FAR_BUILD */
};
#define LS_FAR_BUILD                                                                               \
    (0x4c530000u + (uint32_t)(sizeof(struct ls_far_work) + sizeof(struct ls_device_info)))

enum ls_far_kind {
    LS_FAR_NONE = 0,
    /* On `work`, to the device */
    LS_FAR_SUBMIT,
    LS_FAR_ANSWER,
    /* and from it */
    LS_FAR_DONE,
    LS_FAR_TEXT,
    LS_FAR_EXPLAIN,
    LS_FAR_LAUNCH,
    /* Calls */
    LS_FAR_OPEN,
    LS_FAR_ALLOC,
    LS_FAR_FREE,
    LS_FAR_READ,
    LS_FAR_WRITE,
    LS_FAR_ZERO,
    LS_FAR_SHARE,
    LS_FAR_UNSHARE,
    LS_FAR_RESERVE,
    LS_FAR_UNRESERVE,
    LS_FAR_CREATE,
    LS_FAR_IMPORT,
    LS_FAR_FILE,
    LS_FAR_DESTROY,
    LS_FAR_MAP,
    LS_FAR_UNMAP,
    LS_FAR_SET_ACCESS,
    LS_FAR_MULTI_CREATE,
    LS_FAR_MULTI_CANCEL,
    LS_FAR_GET_CODE,
    LS_FAR_RELEASE,
    LS_FAR_RESIDENT,
};

/* To the device; behind it `bytes` bytes. A kernel's are its arguments and the addresses of its
 * module's variables. */
struct ls_far_work {
    uint32_t kind, device;
    uint64_t bytes;
    uint64_t id;     /* number of the work, or of the question */
    uint64_t stream; /* if it is in order with others of it */
    uint64_t n_failed; /* failed works of the device that the host knew of */
    int32_t sticky;    /* with those */
    uint32_t timed, in_order;
    uint64_t printf_bytes;
    struct ls_work_kernel kernel; /* source, code and multi: the device's own */
    struct ls_work_copy copy;
    struct ls_work_fill fill;
    uint32_t work_kind; /* enum ls_work_kind */
    int32_t priority;
};

/* From the device; behind it `bytes` bytes of text. */
struct ls_far_event {
    uint32_t kind, device;
    uint64_t bytes;
    uint64_t id;       /* of the work */
    uint64_t question; /* to be answered with it */
    int32_t err;
    uint64_t start_ns;
    int64_t heap_bytes;
    uint64_t args[2];
};

/* A question; behind it `bytes` bytes. */
struct ls_far_call {
    uint32_t kind, device;
    uint64_t bytes;
    uint64_t args[6];
};

struct ls_far_reply {
    int32_t err; /* hipError_t */
    uint32_t has_fd;
    uint64_t bytes;
    uint64_t values[3];
};

/* What code is made of; at LS_FAR_SOURCE_ROOM code made ahead of time, at the next multiple of 64
 * the bitcode, the name and the name for messages, each with its NUL. */
#define LS_FAR_SOURCE_ROOM 128u
struct ls_far_source {
    uint64_t name_bytes, display_bytes, bitcode_bytes, aot_bytes;
    uint8_t bitcode_sha256[32];
    uint32_t warp_size, lds_bytes, max_threads, kernarg_bytes, n_globals;
};

/* Sends all parts, with at most LS_FAR_FDS descriptors; the array is changed. False when the other
 * side is gone. */
bool ls_far_send(int sock, struct iovec *parts, unsigned n, const int *fds, unsigned n_fds);
bool ls_far_receive(int sock, void *data, size_t bytes);
bool ls_far_receive_fds(int sock, void *data, size_t bytes, int *fds, unsigned n_fds);

#endif
