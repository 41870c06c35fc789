/* SPDX-License-Identifier: MIT */
/* The captures under way, for capture.c, and for graphs that end before them. */
#ifndef LS_RUNTIME_CAPTURE_LIST_H
#define LS_RUNTIME_CAPTURE_LIST_H

#include "runtime/graph/graph.h"

struct ls_member {
    struct ls_member *next;
    struct ihipStream_t *stream;
    struct ls_nodes last; /* nodes that the next node of this stream waits for */
};

/* Guarded by the graph lock. */
struct ls_capture {
    struct ls_capture *next; /* all captures under way */
    uint64_t id;
    hipStreamCaptureMode mode;
    bool invalid;
    struct ihipGraph *graph; /* owned unless it was given */
    bool is_given;
    struct ls_thread *thread; /* the thread that began it; only compared, never followed */
    struct ls_member *members;   /* its streams; the last is the one that it began on */
    struct ihipStream_t *origin;
    bool has_removed; /* dependencies were replaced by the program, so work that is not joined is no
                         error */
};

extern struct ls_capture *ls_captures; /* guarded by the graph lock */

/* Ends the captures into a graph that is about to be destroyed. Graph lock held. */
void ls_capture_forget_graph(const struct ihipGraph *graph);

#endif
