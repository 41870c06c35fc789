/* SPDX-License-Identifier: MIT */
/* What the caller's side of the door has in common. */
#ifndef LS_COMPILER_DOOR_PRIV_H
#define LS_COMPILER_DOOR_PRIV_H

#include "compiler/door.h"
#include "compiler/door/wire.h"

struct ls_door_blob {
    const void *data;
    uint64_t bytes;
};

struct ls_door_job {
    struct ls_wire_request q;
    const char *word; /* the arch of what is described, the prefix of names; or NULL */
    const struct ls_compile_options *opt; /* of what is compiled; or NULL */
    const struct ls_door_blob *blobs;
    const void *id; /* 32 bytes, or NULL */
    ls_diag_sink sink;
    void *sink_user;
    /* answers */
    void *out;
    size_t out_bytes;
    char **names; /* q.n_names */
    char *why;    /* why there is no library */
    size_t why_bytes;
};

/* MORE: an answer that others follow. */
enum ls_door_outcome { OUT_OF_REACH, NO_MEMORY, LOST, DIED, NO_LIBRARY, FAILED, DONE, MORE };

struct ls_door_child {
    pid_t user; /* the process a thread of which uses it, or 0; guarded by lock. A forked process
                   inherits what its parent's other threads were doing, and none of them goes on */
    /* The user's: */
    struct ls_wire wire;
    pid_t owner; /* the process that made the child: a forked process inherits these variables,
                    but must make its own */
    dev_t sock_dev;
    ino_t sock_ino; /* identity of the socket: programs close descriptors that are not theirs,
                       and then get the number for something else */
    uint8_t sent[LS_WIRE_SLOTS][32];
    bool is_sent[LS_WIRE_SLOTS];
    unsigned next_slot;
};

#define LS_DOOR_NOBODY                                                                             \
    {                                                                                              \
        .wire.fd = -1                                                                              \
    }

/* Makes sure that there is a child; *fresh: it was started by this call. Returns 0, or an errno
 * when none can be started. */
int ls_door_connect(struct ls_door_child *c, bool *fresh);
void ls_door_hang_up(struct ls_door_child *c);
bool ls_door_is_connected(const struct ls_door_child *c);
/* How much is sent besides bitcode and names. */
size_t ls_door_text_bytes(const struct ls_door_job *job);
/* Returns DONE when the request was sent, else LOST or NO_MEMORY. */
enum ls_door_outcome ls_door_send(struct ls_door_child *c, struct ls_door_job *job);
/* Reads the next answer. */
enum ls_door_outcome ls_door_read(struct ls_door_child *c, struct ls_door_job *job);
void ls_door_forget_answers(struct ls_door_job *job);
void ls_door_set_limits(struct ls_door_job *job);

#endif
