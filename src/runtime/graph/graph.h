/* SPDX-License-Identifier: MIT */
/* Graphs: nodes with parameters and edges, and instances made of them.
 *
 * One lock, the graph lock, guards all of it: every function here that says nothing else wants it
 * held. It comes before the module lock and the queue lock, and is never held across a user's
 * function or a wait. Handles live in slabs: a stale one is told by its magic. */
#ifndef LS_RUNTIME_GRAPH_H
#define LS_RUNTIME_GRAPH_H

#include "runtime/module/launch.h"
#include "runtime/queue/plan.h"

#define LS_GRAPH_MAGIC 0x47524150u
#define LS_NODE_MAGIC  0x4e4f4445u
#define LS_EXEC_MAGIC  0x45584543u
#define LS_USER_MAGIC  0x55534552u

/* Node types that the headers of ROCm 6.3 have no name for. */
#define LS_NODE_BATCH ((hipGraphNodeType)14)

enum ls_copy_form {
    LS_COPY_3D = 0,
    LS_COPY_1D,
    LS_COPY_DRIVER,
    LS_COPY_TO_SYMBOL,
    LS_COPY_FROM_SYMBOL
};

/* The memory of an alloc node: one allocation, which has the same address in every launch. */
struct ls_graph_mem;

/* What a node does. Owns `heap`, a child graph and a reference to graph memory. */
struct ls_payload {
    hipGraphNodeType type;
    void *heap;
    union {
        struct {
            hipKernelNodeParams params; /* pointers to heap; func as the caller gave it */
            struct ihipModuleSymbol_t *symbol;
            struct ls_work_kernel work; /* kernarg in heap */
            hipKernelNodeAttrValue attr;
            unsigned attr_id; /* hipLaunchAttributeID set, or 0 */
        } kernel;
        struct {
            enum ls_copy_form form;
            hipMemcpy3DParms params;
            HIP_MEMCPY3D driver;
            struct ls_work_copy box;
            bool captured; /* the kind was found by the pointers, not given by the program */
        } copy;
        struct {
            hipMemsetParams params;
            size_t depth;
            struct ls_work_fill box;
        } fill;
        hipHostNodeParams host;
        struct ihipGraph *child; /* owned */
        struct ihipEvent_t *event;
        struct {
            hipMemAllocNodeParams params; /* dptr is the address of the memory, accessDescs points
                                             to the program's array */
            struct ls_graph_mem *mem;
            bool claims; /* a free node that counts as the one of `mem`; copies of it do not */
        } memory;
        struct {
            union {
                hipBatchMemOpNodeParams batch;
                hipExternalSemaphoreSignalNodeParams signal;
                hipExternalSemaphoreWaitNodeParams wait;
            };                     /* arrays in heap */
            struct ls_step *steps; /* in heap */
            uint32_t n_steps;
            size_t heap_bytes;
        } values; /* LS_NODE_BATCH, and signals of and waits for external semaphores */
        struct {
            void (*fn)(void *user, hipError_t status);
            size_t bytes; /* size of heap, to which `user` points; 0: `user` is the program's
                             pointer */
            void *user;
        } opaque; /* a command that only the queue knows; LS_NODE_OPAQUE */
        struct {
            hipConditionalNodeParams params; /* phGraph_out: bodies, in heap */
            struct ls_cond *cond;            /* owned reference */
        } conditional;
    };
};
#define LS_NODE_OPAQUE ((hipGraphNodeType)100) /* shown to programs as hipGraphNodeTypeHost */

/* What the handle of a conditional node stands for. */
struct ls_cond {
    atomic_uint *value; /* kernels write it: its address is the handle */
    unsigned initial, flags;
    uint32_t n_refs;
    bool has_node;
    struct ihipGraph *graph; /* the graph that it was made for, or NULL when that is gone; the graph
                                has a reference to this */
    struct ls_cond *next;
};

struct ls_nodes {
    struct hipGraphNode **items; /* owned array */
    uint32_t n, cap;
};

struct hipGraphNode {
    uint32_t magic;
    struct hipGraphNode *next_free;
    struct ihipGraph *graph;
    uint64_t id;
    uint64_t origin_id, root_id; /* ids of the node that it was copied from, and of the first one in
                                    this chain of copies */
    uint64_t capture_id;         /* id of the capture that made it, or 0 */
    uint32_t index;              /* in graph->nodes */
    struct ls_nodes deps, edges; /* nodes that it waits for; nodes that wait for it */
    bool disabled;
    struct ls_payload payload;
    uint32_t n_open, entry, exit; /* scratch for whatever function holds the lock */
};

struct ls_user_ref {
    struct hipUserObject *object;
    uint64_t serial; /* the object's id: another object may have its memory by now */
    unsigned count;
};

/* Something whose end is put off until the lock is given back. */
struct ls_dead {
    struct ls_dead *next;
    void (*end)(struct ls_dead *self); /* may free it */
};

struct ihipGraph {
    uint32_t magic;
    struct ls_dead dead; /* of a plan that is gone */
    struct ihipGraph *next_free;
    uint64_t id, origin_id;
    struct ls_nodes nodes;      /* owned, in order of addition */
    struct hipGraphNode *owner; /* the node whose child it is, or NULL */
    struct ls_user_ref *users;
    uint32_t n_users;
    bool instantiated;
    bool hidden; /* an instance's own copy: no handle leads to it or to its nodes */
};

struct hipGraphExec {
    struct ls_turn turn; /* must be first; its n_refs counts the handle and launches under way */
    uint32_t magic;
    struct ls_dead dead; /* its last reference is gone */
    struct hipGraphExec *next_free;
    struct ihipGraph *graph; /* owned copy */
    struct ls_plan
        *plan; /* owned reference; NULL: must be made of `graph` before the next launch */
    struct ls_plan *launched; /* owned reference: the plan of the latest launch, or NULL */
    unsigned long long flags;
};

/* lock.c */
void ls_graph_lock(void);
/* Also ends what is dead by then. */
void ls_graph_unlock(void);
/* To be ended with the lock held. No lock needed: a caller may have the queue's, or this one. */
void ls_graph_end_locked(struct ls_dead *dead);
/* Does so now, unless somebody has the lock, who will. */
void ls_graph_end_now(void);
/* To be ended behind the lock. Graph lock held. */
void ls_graph_end_unlocked(struct ls_dead *dead);

/* graph.c */
bool ls_graph_is_valid(const struct ihipGraph *graph);
bool ls_node_is_valid(const struct hipGraphNode *node);
struct ihipGraph *ls_graph_create(void); /* NULL when out of memory */
void ls_graph_destroy(struct ihipGraph *graph);
/* Takes the payload over, also when it fails. deps: valid nodes of the graph, none twice. */
hipError_t ls_node_add(struct ihipGraph *graph, const hipGraphNode_t *deps, size_t n_deps,
                       struct ls_payload *payload, struct hipGraphNode **out);
void ls_node_destroy(struct hipGraphNode *node);
hipError_t ls_edge_add(struct hipGraphNode *from, struct hipGraphNode *to);
bool ls_edge_remove(struct hipGraphNode *from, struct hipGraphNode *to);
bool ls_nodes_hold(const struct ls_nodes *nodes, const struct hipGraphNode *node);
bool ls_nodes_push(struct ls_nodes *nodes, struct hipGraphNode *node);
/* Nodes in an order that edges allow, nodes->n of them; hipErrorInvalidValue when there is a cycle.
 */
hipError_t ls_graph_order(struct ihipGraph *graph, struct hipGraphNode ***order);
hipError_t ls_graph_copy(struct ihipGraph *graph, struct ihipGraph **copy);
/* The node of `copy`, or of a child graph in it, that was copied from `original`; NULL. */
struct hipGraphNode *ls_graph_find_copy(struct ihipGraph *copy, const struct hipGraphNode *original,
                                        bool any_ancestor);
bool ls_graph_has_memory(const struct ihipGraph *graph);

/* payload.c: made of parameters, which are checked as HIP does. No lock needed. */
hipError_t ls_payload_kernel(const hipKernelNodeParams *params, struct ls_payload *out);
hipError_t ls_payload_copy_3d(const hipMemcpy3DParms *params, struct ls_payload *out);
hipError_t ls_payload_copy_driver(const HIP_MEMCPY3D *params, struct ls_payload *out);
hipError_t ls_payload_copy_1d(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                              struct ls_payload *out);
hipError_t ls_payload_to_symbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                                hipMemcpyKind kind, bool strict, struct ls_payload *out);
hipError_t ls_payload_from_symbol(void *dst, const void *symbol, size_t bytes, size_t offset,
                                  hipMemcpyKind kind, bool strict, struct ls_payload *out);
hipError_t ls_payload_fill(const hipMemsetParams *params, struct ls_payload *out);
hipError_t ls_payload_alloc(hipMemAllocNodeParams *params, struct ls_payload *out);
/* Memory of an alloc node may have one free node that was added, and any number of captured ones.
 */
hipError_t ls_payload_free(void *ptr, bool captured, struct ls_payload *out);
/* `steps` are made of the parameters. */
hipError_t ls_payload_batch(const hipBatchMemOpNodeParams *params, const struct ls_step *steps,
                            uint32_t n_steps, struct ls_payload *out);
hipError_t ls_payload_signal(const hipExternalSemaphoreSignalNodeParams *params,
                             struct ls_payload *out);
hipError_t ls_payload_wait(const hipExternalSemaphoreWaitNodeParams *params,
                           struct ls_payload *out);
/* Graph lock held. The bodies are empty graphs. */
hipError_t ls_payload_conditional(const hipConditionalNodeParams *params, struct ls_payload *out);
/* The payload that does what a command does. hipErrorStreamCaptureUnsupported when no node can do
 * that. */
hipError_t ls_payload_cmd(const struct ls_cmd *cmd, struct ls_payload *out);
/* Graph lock held for those with a child graph. */
hipError_t ls_payload_dup(const struct ls_payload *from, struct ls_payload *out);
void ls_payload_fini(struct ls_payload *payload);

/* The graphs within a node, *n of them: its child graph, or bodies of a conditional node. */
struct ihipGraph **ls_payload_children(const struct ls_payload *payload, uint32_t *n);
/* Tells the graphs within a payload which node they belong to now. */
void ls_payload_belongs(const struct ls_payload *payload, struct hipGraphNode *node);

/* conditional.c */
hipError_t ls_cond_create(struct ihipGraph *graph, unsigned initial, unsigned flags,
                          struct ls_cond **out);
struct ls_cond *ls_cond_find(hipGraphConditionalHandle handle); /* NULL: there is none such */
struct ls_cond *ls_cond_ref(struct ls_cond *cond);
void ls_cond_unref(struct ls_cond *cond); /* takes NULL */
/* Called when a graph is destroyed: frees its handles that no node has. */
void ls_cond_forget(const struct ihipGraph *graph);

/* exec.c */
bool ls_exec_is_valid(const struct hipGraphExec *exec);
hipError_t ls_exec_create(struct ihipGraph *graph, unsigned long long flags,
                          struct hipGraphExec **out);
/* Launches under way still run. */
void ls_exec_destroy(struct hipGraphExec *exec);
/* To be called when parameters of the instance have changed: later launches get a new plan. */
void ls_exec_touch(struct hipGraphExec *exec);
/* Launches the instance. *wait: it copies to host memory that HIP does not know, so the caller must
 * wait for the stream, without the lock, as it would for such a copy by itself. */
hipError_t ls_exec_launch(struct hipGraphExec *exec, struct ihipStream_t *stream, bool *wait);
/* Launches the instance for a kernel of this work's command (see ls_plan_launch_by). No lock may be
 * held. */
hipError_t ls_exec_launch_by(struct ls_work *work, void *exec, hipStream_t how);
/* Makes the plan, so that the first launch is fast. */
hipError_t ls_exec_prepare(struct hipGraphExec *exec);
/* hipErrorGraphExecUpdateFailure with the reason in *result and the node in *node. */
hipError_t ls_exec_update(struct hipGraphExec *exec, struct ihipGraph *graph,
                          hipGraphExecUpdateResult *result, struct hipGraphNode **node);
/* Gives the node of the instance new parameters of the same type; takes them over. */
hipError_t ls_exec_set(struct hipGraphExec *exec, struct hipGraphNode *copy,
                       struct ls_payload *payload);

/* Gives a child graph node of the instance the parameters of another graph of the same shape;
 * hipErrorUnknown when it has another. */
hipError_t ls_exec_set_child(struct hipGraphExec *exec, struct hipGraphNode *copy,
                             struct ihipGraph *child);

/* memory.c: has a lock of its own, which is a leaf. */
struct ls_graph_mem *ls_graph_mem_create(uint32_t device, size_t bytes);
struct ls_graph_mem *ls_graph_mem_ref(struct ls_graph_mem *mem);
void ls_graph_mem_unref(struct ls_graph_mem *mem);
void *ls_graph_mem_ptr(const struct ls_graph_mem *mem);
/* The memory of alloc nodes that starts at ptr, or NULL. */
struct ls_graph_mem *ls_graph_mem_find(const void *ptr);
/* Marks that a free node was made for it; false when there was one. */
bool ls_graph_mem_claim_free(struct ls_graph_mem *mem);
void ls_graph_mem_unclaim_free(struct ls_graph_mem *mem);
/* What alloc and free nodes do when they run; user is the ls_graph_mem. */
void ls_graph_mem_on(void *user, hipError_t status);
void ls_graph_mem_off(void *user, hipError_t status);
/* Whether the latest enqueued launch or free of this memory, whether it has run or not, leaves it
 * allocated. */
bool ls_graph_mem_is_owed(struct ls_graph_mem *mem);
void ls_graph_mem_owe(struct ls_graph_mem *mem, bool owed);
/* To be called when the host enqueues a free of ptr, which may also be memory of another kind. */
void ls_graph_mem_pay(void *ptr);
/* For hipFree: *known is false when ptr is no graph memory; hipErrorInvalidValue when it is, but
 * not in use. */
hipError_t ls_graph_mem_free(void *ptr, bool *known);
/* The same, and any other memory: for LS_CMD_FREE. */
void ls_graph_mem_free_any(void *ptr);
hipError_t ls_graph_mem_get(uint32_t device, hipGraphMemAttributeType attr, uint64_t *value);
/* Resets a high-water mark to what is in use now. */
hipError_t ls_graph_mem_reset(uint32_t device, hipGraphMemAttributeType attr);
void ls_graph_mem_trim(void);
/* To be called before all allocations of the device are freed. */
void ls_graph_mem_forget(uint32_t device);

/* user.c */
hipError_t ls_user_create(void *ptr, hipHostFn_t destroy, unsigned count,
                          struct hipUserObject **out);
/* Whether this is a user object, or was one that has no reference any more. */
bool ls_user_is_known(const struct hipUserObject *object);
bool ls_user_is_valid(const struct hipUserObject *object);
/* False when the object is gone though a graph refers to it, as the program has dropped too many
 * references. */
bool ls_user_is_held(const struct ls_user_ref *ref);
void ls_user_retain(struct hipUserObject *object, unsigned count);
void ls_user_release(struct hipUserObject *object, unsigned count);
unsigned ls_user_count(const struct hipUserObject *object);
hipError_t ls_graph_retain_user(struct ihipGraph *graph, struct hipUserObject *object,
                                unsigned count, bool move);
/* Drops up to `count` references that the graph has. */
void ls_graph_release_user(struct ihipGraph *graph, struct hipUserObject *object, unsigned count);
/* Gives the copy of a graph one reference to each of its user objects. */
hipError_t ls_graph_copy_users(const struct ihipGraph *from, struct ihipGraph *to);
void ls_graph_release_users(struct ihipGraph *graph);

/* dot.c: hipErrorOperatingSystem when the file can't be written. */
hipError_t ls_graph_print(struct ihipGraph *graph, const char *path, unsigned flags);

#endif
