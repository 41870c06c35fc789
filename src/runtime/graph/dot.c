/* SPDX-License-Identifier: MIT */
/* Graphs in Graphviz' language, to look at. */
#include <stdarg.h>
#include <stdio.h>

#include "base/file.h"
#include "runtime/graph/graph.h"
#include "runtime/mem/mem.h"

struct label {
    FILE *f;
    unsigned flags;
};

static const char *
type_name(hipGraphNodeType type)
{
    switch ((int)type) {
    case hipGraphNodeTypeKernel:
        return "KERNEL";
    case hipGraphNodeTypeMemcpy:
        return "MEMCPY";
    case hipGraphNodeTypeMemset:
        return "MEMSET";
    case hipGraphNodeTypeHost:
    case LS_NODE_OPAQUE:
        return "HOST";
    case hipGraphNodeTypeGraph:
        return "GRAPH";
    case hipGraphNodeTypeConditional:
        return "CONDITIONAL";
    case hipGraphNodeTypeWaitEvent:
        return "EVENT_WAIT";
    case hipGraphNodeTypeEventRecord:
        return "EVENT_RECORD";
    case hipGraphNodeTypeMemAlloc:
        return "MEM_ALLOC";
    case hipGraphNodeTypeMemFree:
        return "MEM_FREE";
    case LS_NODE_BATCH:
        return "BATCH_MEM_OP";
    case hipGraphNodeTypeExtSemaphoreSignal:
        return "EXTERNAL_SEMAPHORE_SIGNAL";
    case hipGraphNodeTypeExtSemaphoreWait:
        return "EXTERNAL_SEMAPHORE_WAIT";
    default:
        return "EMPTY";
    }
}

static bool
wants(const struct label *l, unsigned flag)
{
    return l->flags & (flag | hipGraphDebugDotFlagsVerbose);
}

static void
print_kernel(const struct label *l, const struct ls_payload *p)
{
    const hipKernelNodeParams *k = &p->kernel.params;

    fprintf(l->f, "\\n%s", p->kernel.symbol->source.display_name);
    if (wants(l, hipGraphDebugDotFlagsKernelNodeParams))
        fprintf(l->f, "\\n<<<(%u,%u,%u),(%u,%u,%u),%u>>>", k->gridDim.x, k->gridDim.y, k->gridDim.z,
                k->blockDim.x, k->blockDim.y, k->blockDim.z, k->sharedMemBytes);
    if (wants(l, hipGraphDebugDotFlagsKernelNodeAttributes))
        fprintf(l->f, "\\ncooperative %d, priority %d", p->kernel.attr.cooperative,
                p->kernel.attr.priority);
}

/* "H", "D" or "A": memory that HIP doesn't know, memory that it does, an array. */
static const char *
place(const void *ptr, bool is_array)
{
    struct ls_mem_range range;

    return is_array ? "A" : ls_mem_find(ptr, &range) ? "D" : "H";
}

static void
print_copy(const struct label *l, const struct ls_payload *p)
{
    bool driver = p->copy.form == LS_COPY_DRIVER;
    bool from = driver ? p->copy.driver.srcMemoryType == hipMemoryTypeArray
                       : p->copy.params.srcArray != NULL;
    bool to = driver ? p->copy.driver.dstMemoryType == hipMemoryTypeArray
                     : p->copy.params.dstArray != NULL;

    fprintf(l->f, "\\n%sto%s", place(p->copy.box.src, from), place(p->copy.box.dst, to));
    if (wants(l, hipGraphDebugDotFlagsMemcpyNodeParams))
        fprintf(l->f, "\\n%p <- %p, %zux%zux%zu", (void *)p->copy.box.dst,
                (const void *)p->copy.box.src, p->copy.box.row_bytes, p->copy.box.height,
                p->copy.box.depth);
}

static void
print_payload(const struct label *l, const struct ls_payload *p)
{
    switch ((int)p->type) {
    case hipGraphNodeTypeKernel:
        print_kernel(l, p);
        break;
    case hipGraphNodeTypeMemcpy:
        print_copy(l, p);
        break;
    case hipGraphNodeTypeMemset:
        if (wants(l, hipGraphDebugDotFlagsMemsetNodeParams))
            fprintf(l->f, "\\n%p <- %u, %zux%zux%zu", (void *)p->fill.box.dst, p->fill.box.value,
                    p->fill.box.row_bytes, p->fill.box.height, p->fill.box.depth);
        break;
    case hipGraphNodeTypeHost:
        if (wants(l, hipGraphDebugDotFlagsHostNodeParams))
            fprintf(l->f, "\\nfn %p, data %p", (void *)(uintptr_t)p->host.fn, p->host.userData);
        break;
    case hipGraphNodeTypeEventRecord:
    case hipGraphNodeTypeWaitEvent:
        if (wants(l, hipGraphDebugDotFlagsEventNodeParams))
            fprintf(l->f, "\\nevent %p", (void *)p->event);
        break;
    case hipGraphNodeTypeMemAlloc:
    case hipGraphNodeTypeMemFree:
        fprintf(l->f, "\\n%p", p->memory.params.dptr);
        break;
    default:
        break;
    }
}

static void
print_graph(const struct label *l, const struct ihipGraph *g)
{
    struct ihipGraph **children;
    uint32_t n_children;

    fprintf(l->f, "subgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n",
            (unsigned long long)g->id, (unsigned long long)g->id);
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const struct hipGraphNode *n = g->nodes.items[i];

        fprintf(l->f, "\"graph_%llu_node_%u\"[shape=\"%s\" label=\"%u\\n%s",
                (unsigned long long)g->id, i,
                n->payload.type == hipGraphNodeTypeKernel ? "octagon" : "rectangle", i,
                type_name(n->payload.type));
        if (wants(l, hipGraphDebugDotFlagsHandles))
            fprintf(l->f, "\\n%p", (const void *)n);
        children = ls_payload_children(&n->payload, &n_children);
        for (uint32_t k = 0; k < n_children; k++)
            fprintf(l->f, "\\ngraph_%llu", (unsigned long long)children[k]->id);
        print_payload(l, &n->payload);
        fprintf(l->f, "\"];\n");
    }
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const struct hipGraphNode *n = g->nodes.items[i];

        for (uint32_t e = 0; e < n->edges.n; e++)
            fprintf(l->f, "\"graph_%llu_node_%u\" -> \"graph_%llu_node_%u\";\n",
                    (unsigned long long)g->id, i, (unsigned long long)g->id,
                    n->edges.items[e]->index);
    }
    fprintf(l->f, "}\n");
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        children = ls_payload_children(&g->nodes.items[i]->payload, &n_children);
        for (uint32_t k = 0; k < n_children; k++)
            print_graph(l, children[k]);
    }
}

hipError_t
ls_graph_print(struct ihipGraph *g, const char *path, unsigned flags)
{
    struct label l = {ls_file_stream(path, 'w'), flags};
    bool ok;

    if (!l.f)
        return ls_err(hipErrorOperatingSystem, "%s can't be written", path);
    fprintf(l.f, "digraph dot {\n");
    print_graph(&l, g);
    fprintf(l.f, "}\n");
    ok = !ferror(l.f);
    return fclose(l.f) == 0 && ok ? hipSuccess : ls_err(hipErrorOperatingSystem, "%s", path);
}
