/* SPDX-License-Identifier: MIT */
/* The captures under way, for capture.c, and for graphs that end before them. */
#ifndef LS_RUNTIME_CAPTURE_LIST_H
#define LS_RUNTIME_CAPTURE_LIST_H

#include "runtime/graph/graph.h"

struct ls_member {
    struct ls_member *next;
    struct ihipStream_t *stream;
    struct ls_nodes last; /* the next node waits for these */
};

/* Guarded by the graph lock. */
struct ls_capture {
    struct ls_capture *next; /* all captures under way */
    uint64_t id;
    hipStreamCaptureMode mode;
    bool invalid;
    struct ihipGraph *graph; /* owned unless it was given */
    bool is_given;
    struct ls_thread *thread; /* that began it: an identity only */
    struct ls_member *members;   /* the origin is the last */
    struct ihipStream_t *origin;
    bool has_removed; /* dependencies were replaced: no look for unjoined work */
};

extern struct ls_capture *ls_captures; /* guarded by the graph lock */

/* The graph goes, and with it the captures into it. Graph lock held. */
void ls_capture_forget_graph(const struct ihipGraph *graph);

#endif
