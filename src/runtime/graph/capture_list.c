/* SPDX-License-Identifier: MIT */
#include "runtime/graph/capture_list.h"

#include "runtime/graph/capture.h"

struct ls_capture *ls_captures;

void
ls_capture_forget_graph(const struct ihipGraph *graph)
{
    for (struct ls_capture *c = ls_captures; c; c = c->next)
        if (c->graph == graph) {
            c->graph = NULL;
            c->invalid = true;
        }
}

bool
ls_capture_is_into(const struct ihipGraph *graph)
{
    for (const struct ls_capture *c = ls_captures; c; c = c->next)
        if (c->graph == graph)
            return true;
    return false;
}
