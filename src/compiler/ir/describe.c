/* SPDX-License-Identifier: MIT */
/* Bitcode to LSBC: tables of kernels and variables, so that the runtime needs no LLVM to answer
 * questions. */
#include "compiler/ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arch.h"
#include "base/lsbc.h"
#include "base/ptrmap.h"
#include "compiler/ir/mangled.h"
#include "compiler/pipeline.h"
#include "intrin/intrinsics.h"

/* A growing byte buffer; offsets into it are final. */
struct image {
    struct ls_arena *arena;
    char *data;
    size_t n, cap;
};

static uint64_t
put(struct image *im, const void *data, size_t bytes, size_t align)
{
    size_t at = (im->n + align - 1) & ~(align - 1);

    if (at + bytes > im->cap) {
        size_t cap = (at + bytes) * 2 + 4096;
        char *more = ls_arena_alloc(im->arena, cap);

        if (im->n)
            memcpy(more, im->data, im->n);
        im->data = more;
        im->cap = cap;
    }
    if (data && bytes)
        memcpy(im->data + at, data, bytes);
    im->n = at + bytes;
    return at;
}

static uint64_t
put_string(struct image *im, const char *s)
{
    return put(im, s, strlen(s) + 1, 1);
}

struct describer {
    struct ls_cc *cc;
    LLVMModuleRef mod;
    LLVMTargetDataRef layout;
    struct image im;
    struct ls_ptrmap index;     /* global -> index + 1 */
    struct ls_ptrmap undefined; /* functions that were reported already */
    LLVMValueRef *globals;  /* by index */
    uint32_t n_globals, cap_globals;
    struct ls_lsbc_reloc *relocs;
    size_t n_relocs, cap_relocs;
    /* of the current kernel */
    struct ls_world world;
    uint32_t flags, private_bytes;
};

static void
add_reloc(struct describer *d, struct ls_lsbc_reloc r)
{
    if (d->n_relocs == d->cap_relocs) {
        size_t cap = d->cap_relocs * 2 + 16;
        struct ls_lsbc_reloc *more = ls_arena_alloc(d->cc->arena, cap * sizeof(*more));

        if (d->n_relocs)
            memcpy(more, d->relocs, d->n_relocs * sizeof(*more));
        d->relocs = more;
        d->cap_relocs = cap;
    }
    d->relocs[d->n_relocs++] = r;
}

/* Folds a constant pointer expression to variable or function + addend. */
static bool
resolve_pointer(struct describer *d, LLVMValueRef v, LLVMValueRef *base, int64_t *addend)
{
    *addend = 0;
    for (;;) {
        if (LLVMIsAGlobalVariable(v) || LLVMIsAFunction(v)) {
            *base = v;
            return true;
        }
        if (LLVMIsAGlobalAlias(v)) {
            v = LLVMAliasGetAliasee(v);
            continue;
        }
        if (!LLVMIsAConstantExpr(v))
            return false;
        switch (LLVMGetConstOpcode(v)) {
        case LLVMAddrSpaceCast:
        case LLVMBitCast:
        case LLVMPtrToInt:
        case LLVMIntToPtr:
            break;
        case LLVMGetElementPtr: {
            LLVMTypeRef type = LLVMGetGEPSourceElementType(v);

            for (int i = 1, n = LLVMGetNumOperands(v); i < n; i++) {
                LLVMValueRef index = LLVMGetOperand(v, (unsigned)i);
                int64_t k;

                if (!LLVMIsAConstantInt(index))
                    return false;
                k = LLVMConstIntGetSExtValue(index);
                if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
                    *addend += (int64_t)LLVMOffsetOfElement(d->layout, type, (unsigned)k);
                    type = LLVMStructGetTypeAtIndex(type, (unsigned)k);
                    continue;
                }
                if (i > 1)
                    type = LLVMGetElementType(type);
                *addend += k * (int64_t)LLVMABISizeOfType(d->layout, type);
            }
            break;
        }
        default:
            return false;
        }
        v = LLVMGetOperand(v, 0);
    }
}

static void
write_int(LLVMBuilderRef b, LLVMValueRef v, char *out, size_t bytes)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    unsigned width = LLVMGetIntTypeWidth(type);

    for (size_t i = 0; i < bytes; i += 8) {
        LLVMValueRef part = i ? LLVMBuildLShr(b, v, LLVMConstInt(type, i * 8, false), "") : v;
        uint64_t bits;

        if (width > 64)
            part = LLVMBuildTrunc(b, part, LLVMInt64TypeInContext(LLVMGetTypeContext(type)), "");
        bits = LLVMConstIntGetZExtValue(part);
        memcpy(out + i, &bits, bytes - i < 8 ? bytes - i : 8);
    }
}

/* Bytes of a constant as device memory holds them. `var` and `where` say where relocations
 * apply. */
static bool
write_constant(struct describer *d, LLVMBuilderRef b, LLVMValueRef var, uint32_t var_index,
               uint64_t where, LLVMValueRef v, char *out)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    size_t bytes = LLVMStoreSizeOfType(d->layout, type);

    if (LLVMIsNull(v) || LLVMIsUndef(v))
        return true; /* poison is undef; memory is zeroed */
    if (LLVMIsAConstantInt(v)) {
        write_int(b, v, out + where, bytes);
        return true;
    }
    if (LLVMIsAConstantFP(v)) {
        LLVMTypeRef as_int = LLVMIntTypeInContext(d->cc->llvm, (unsigned)bytes * 8);

        write_int(b, LLVMConstBitCast(v, as_int), out + where, bytes);
        return true;
    }
    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind) {
        LLVMTypeRef elem = kind == LLVMStructTypeKind ? NULL : LLVMGetElementType(type);
        unsigned long n = kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                          : kind == LLVMArrayTypeKind ? LLVMGetArrayLength2(type)
                                                      : LLVMGetVectorSize(type);
        size_t stride = !elem ? 0
                        : kind == LLVMArrayTypeKind ? LLVMABISizeOfType(d->layout, elem)
                                                    : LLVMStoreSizeOfType(d->layout, elem);

        for (unsigned i = 0; i < n; i++) {
            uint64_t at = where + (elem ? i * stride : LLVMOffsetOfElement(d->layout, type, i));

            if (!write_constant(d, b, var, var_index, at, LLVMGetAggregateElement(v, i), out))
                return false;
        }
        return true;
    }
    struct ls_lsbc_reloc r = {.where = var_index, .where_off = where};
    LLVMValueRef base;
    if (bytes == 8 && resolve_pointer(d, v, &base, &r.addend)) {
        unsigned number;

        if (LLVMIsAFunction(base) && ls_ir_function_number(base, &number)) {
            uint64_t address = LS_IR_FN_ADDRESS(number) + (uint64_t)r.addend;

            memcpy(out + where, &address, sizeof(address));
            return true;
        }
        /* Only declared here: a pure virtual function, or a host function in a constant that clang
         * offers to both sides. Device code cannot call it: address 0. */
        if (LLVMIsAFunction(base))
            return true;
        r.target = (uint32_t)(uintptr_t)ls_ptrmap_get(&d->index, base);
        if (r.target--) {
            add_reloc(d, r);
            return true;
        }
    }
    size_t len;
    return ls_diag(
        d->cc, LS_DIAG_ERROR, var,
        "device variable %s: its initial value is no number, and no address of a variable or "
        "function that this module defines",
        LLVMGetValueName2(var, &len));
}

static void
add_global(struct describer *d, LLVMValueRef g)
{
    if (d->n_globals == d->cap_globals) {
        uint32_t cap = d->cap_globals * 2 + 64;
        LLVMValueRef *more = ls_arena_alloc(d->cc->arena, cap * sizeof(*more));

        if (d->n_globals)
            memcpy(more, d->globals, d->n_globals * sizeof(*more));
        d->globals = more;
        d->cap_globals = cap;
    }
    d->globals[d->n_globals++] = g;
    ls_ptrmap_set(&d->index, g, (void *)(uintptr_t)d->n_globals);
}

/* A constant to which a variable points (a string, a table): it needs a place in device memory. */
static void
add_pointed_to(void *user, LLVMValueRef v)
{
    struct describer *d = user;

    if (LLVMIsAGlobalVariable(v) && !ls_ptrmap_get(&d->index, v) && LLVMGetInitializer(v) &&
        LLVMGetPointerAddressSpace(LLVMTypeOf(v)) != 3)
        add_global(d, v);
}

/* Collects the variables: first those that load.c numbers too, in the same order, and behind them
 * the constants that they point to. */
static void
collect_globals(struct describer *d)
{
    uint32_t n;

    for (LLVMValueRef g = LLVMGetFirstGlobal(d->mod); g; g = LLVMGetNextGlobal(g))
        if (ls_ir_global_is_indexed(g))
            add_global(d, g);
    n = d->n_globals;
    for (uint32_t i = 0; i < n; i++)
        if (LLVMGetInitializer(d->globals[i]))
            ls_ir_walk_constant(LLVMGetInitializer(d->globals[i]), add_pointed_to, d);
}

static bool
describe_global(struct describer *d, LLVMBuilderRef b, LLVMValueRef g, uint32_t index,
                struct ls_lsbc_global *out)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(g);
    LLVMValueRef init = LLVMGetInitializer(g);
    unsigned as = LLVMGetPointerAddressSpace(LLVMTypeOf(g));
    size_t len;
    const char *name = LLVMGetValueName2(g, &len);

    out->name_off = put_string(&d->im, name);
    out->bytes = LLVMABISizeOfType(d->layout, type);
    out->align = LLVMGetAlignment(g);
    if (!out->align)
        out->align = LLVMABIAlignmentOfType(d->layout, type);
    if (as == 4)
        out->flags |= LS_LSBC_GLOBAL_CONSTANT;
    if (!init)
        out->flags |= LS_LSBC_GLOBAL_EXTERN;
    char *storage = ls_arena_printf(d->cc->arena, "%s.managed", name);
    if (LLVMGetNamedGlobal(d->mod, storage))
        out->flags |= LS_LSBC_GLOBAL_MANAGED;
    if (!init || LLVMIsNull(init) || LLVMIsUndef(init))
        return true;
    char *bytes = ls_arena_alloc(d->cc->arena, out->bytes + 16);
    if (!write_constant(d, b, g, index, 0, init, bytes))
        return false;
    out->init_off = put(&d->im, bytes, out->bytes, 16);
    return true;
}

static void
walk_function(struct describer *d, LLVMValueRef fn)
{
    size_t len;
    const char *name = LLVMGetValueName2(fn, &len);

    if (ls_ir_has_prefix(name, "llvm.amdgcn.s.barrier"))
        d->flags |= LS_LSBC_KERNEL_BARRIER;
    if (ls_ir_is_grid_sync(name))
        d->flags |= LS_LSBC_KERNEL_GRID_SYNC;
    if (!strcmp(name, LS_DEVICE_GRAPH_LAUNCH))
        d->flags |= LS_LSBC_KERNEL_LAUNCHES;
    if (!strcmp(name, "llvm.amdgcn.workitem.id.y"))
        d->flags |= LS_LSBC_KERNEL_ROWS;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i))
                d->private_bytes +=
                    (uint32_t)LLVMABISizeOfType(d->layout, LLVMGetAllocatedType(i));
}

static bool
is_reached(void *user, LLVMValueRef g)
{
    struct describer *d = user;

    return ls_ptrmap_get(&d->world.reached, g) != NULL;
}

static bool
reaches_dynamic_lds(struct describer *d)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(d->mod); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3 && is_reached(d, g) &&
            !LLVMABISizeOfType(d->layout, LLVMGlobalGetValueType(g)))
            return true;
    return false;
}

/* __launch_bounds__ that no launch or no multiprocessor can keep. The second one only guides the
 * choice of registers, and programs made for other hardware name blocks there where warps are
 * meant: a warning. */
static void
check_bounds(struct describer *d, LLVMValueRef fn, const char *arch)
{
    LLVMAttributeRef threads = LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                                             "amdgpu-flat-work-group-size", 27);
    LLVMAttributeRef waves =
        LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, "amdgpu-waves-per-eu", 19);
    uint32_t most = ls_arch_find(arch)->waves;
    unsigned len, lo, hi;
    size_t n;

    if (threads && sscanf(LLVMGetStringAttributeValue(threads, &len), "%u,%u", &lo, &hi) == 2 &&
        hi > 1024)
        ls_diag(d->cc, LS_DIAG_ERROR, NULL,
                "kernel %s: __launch_bounds__(%u): a block has 1024 threads at most, so that the "
                "kernel could never be "
                "launched so",
                LLVMGetValueName2(fn, &n), hi);
    if (waves && sscanf(LLVMGetStringAttributeValue(waves, &len), "%u", &lo) == 1 && lo > most)
        ls_diag(d->cc, LS_DIAG_WARNING, NULL,
                "kernel %s: __launch_bounds__ asks for %u warps on an execution unit at least; on "
                "%s there are never more "
                "than %u: ignored",
                LLVMGetValueName2(fn, &n), lo, arch, most);
}

/* Upper bound of "amdgpu-flat-work-group-size"="lo,hi": __launch_bounds__, or 1024. */
static uint32_t
max_threads(LLVMValueRef fn)
{
    LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                                       "amdgpu-flat-work-group-size", 27);
    unsigned len, lo, hi;

    if (a && sscanf(LLVMGetStringAttributeValue(a, &len), "%u,%u", &lo, &hi) == 2 && hi <= 1024)
        return hi;
    return 1024;
}

/* Reports a function or variable that a kernel uses and nobody defines. No other module can define
 * it later, so it is an error now and not only at the launch. */
static void
check_defined(struct describer *d, LLVMValueRef kernel, LLVMValueRef v, const char *what)
{
    size_t len, kernel_len;
    const char *name = LLVMGetValueName2(v, &len);

    if (ls_ir_has_prefix(name, "llvm.") || ls_ptrmap_get(&d->undefined, v) ||
        (LLVMIsAFunction(v) && (ls_intrin_find(name) || ls_ir_is_grid_sync(name) ||
                                ls_ir_has_image_function(d->cc, name))))
        return;
    ls_ptrmap_set(&d->undefined, v, v);
    ls_diag(d->cc, LS_DIAG_ERROR, NULL,
            "undefined device %s %s, used by kernel %s (defined elsewhere? -fgpu-rdc)", what, name,
            LLVMGetValueName2(kernel, &kernel_len));
}

static void
check_reached(struct describer *d, LLVMValueRef kernel)
{
    for (size_t i = 0; i < d->world.n_fns; i++)
        if (LLVMIsDeclaration(d->world.fns[i]))
            check_defined(d, kernel, d->world.fns[i], "function");
    for (uint32_t i = 0; i < d->n_globals; i++)
        if (!LLVMGetInitializer(d->globals[i]) && is_reached(d, d->globals[i]))
            check_defined(d, kernel, d->globals[i], "variable");
}

static void
describe_kernel(struct describer *d, LLVMValueRef fn, struct ls_lsbc_kernel *out)
{
    struct ls_kernarg *args = ls_ir_kernargs(d->cc, d->layout, fn, &out->kernarg_bytes);
    size_t len;

    if (ls_mangled_has_long_double(LLVMGetValueName2(fn, &len)))
        ls_diag(
            d->cc, LS_DIAG_ERROR, NULL,
            "kernel %s takes long double: it has 16 bytes on the host and 8, as double, in kernels",
            LLVMGetValueName2(fn, &len));
    out->name_off = put_string(&d->im, LLVMGetValueName2(fn, &len));
    out->n_args = LLVMCountParams(fn);
    out->args_off = put(&d->im, NULL, out->n_args * sizeof(struct ls_lsbc_arg), 8);
    for (uint32_t i = 0; i < out->n_args; i++) {
        struct ls_lsbc_arg arg = {args[i].offset, args[i].size};
        memcpy(d->im.data + out->args_off + i * sizeof(arg), &arg, sizeof(arg));
    }
    d->flags = d->private_bytes = 0;
    ls_world_reach(&d->world, fn);
    for (size_t i = 0; i < d->world.n_fns; i++)
        walk_function(d, d->world.fns[i]);
    check_reached(d, fn);
    if (reaches_dynamic_lds(d))
        d->flags |= LS_LSBC_KERNEL_DYN_LDS;
    out->lds_bytes = ls_ir_lds_layout(d->layout, d->mod, is_reached, NULL, d);
    out->private_bytes = d->private_bytes;
    out->max_threads = max_threads(fn);
    out->flags = d->flags;
}

static bool
is_kernel(LLVMValueRef fn)
{
    return !LLVMIsDeclaration(fn) && LLVMGetFunctionCallConv(fn) == LLVMAMDGPUKERNELCallConv;
}

/* Whether warps have 64 lanes where the arch has 32 by default: -mwavefrontsize64 makes clang say
 * so in each function. */
static bool
is_wide(LLVMModuleRef mod)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn)) {
        LLVMAttributeRef a = LLVMIsDeclaration(fn)
                                 ? NULL
                                 : LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                                                 "target-features", 15);
        unsigned length = 0;
        const char *features = a ? LLVMGetStringAttributeValue(a, &length) : "";

        if (memmem(features, length, "+wavefrontsize64", 16))
            return true;
    }
    return false;
}

static uint32_t
warp_size_of(const char *arch, LLVMModuleRef mod)
{
    unsigned major = 0;

    if (is_wide(mod))
        return 64;
    return arch && sscanf(arch, "gfx%2u", &major) == 1 && major >= 10 && strlen(arch) == 7 ? 32
                                                                                           : 64;
}

/* A texture reference that a module declares `extern`, as HIP Programming Guide does in the source
 * of a code object, is the module's own all the same: hipModuleGetTexRef binds it. */
static void
define_texture_references(struct describer *d)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(d->mod); g; g = LLVMGetNextGlobal(g)) {
        LLVMTypeRef type = LLVMGlobalGetValueType(g), base = NULL;

        if (LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMCountStructElementTypes(type) == 1)
            base = LLVMStructGetTypeAtIndex(type, 0);
        if (base && !LLVMGetInitializer(g) && LLVMGetTypeKind(base) == LLVMStructTypeKind &&
            LLVMGetStructName(base) &&
            ls_ir_has_prefix(LLVMGetStructName(base), "struct.textureReference"))
            LLVMSetInitializer(g, LLVMConstNull(type));
    }
}

static bool
describe_module(struct describer *d, const char *named_arch, uint32_t named_warp_size,
                struct ls_lsbc_header *h)
{
    const char *said = ls_ir_arch(d->cc, d->mod), *arch = said         ? said
                                                          : named_arch ? named_arch
                                                                       : "gfx1100";
    LLVMBuilderRef b = LLVMCreateBuilderInContext(d->cc->llvm);
    bool ok = true;
    uint32_t i = 0;

    snprintf(h->arch, sizeof(h->arch), "%.*s", (int)strcspn(arch, ":"), arch);
    h->warp_size = !said && named_warp_size ? named_warp_size : warp_size_of(h->arch, d->mod);
    define_texture_references(d);
    collect_globals(d);
    h->n_globals = d->n_globals;
    for (LLVMValueRef fn = LLVMGetFirstFunction(d->mod); fn; fn = LLVMGetNextFunction(fn))
        h->n_kernels += is_kernel(fn);
    h->kernels_off = put(&d->im, NULL, h->n_kernels * sizeof(struct ls_lsbc_kernel), 16);
    h->globals_off = put(&d->im, NULL, h->n_globals * sizeof(struct ls_lsbc_global), 16);
    for (LLVMValueRef fn = LLVMGetFirstFunction(d->mod); fn; fn = LLVMGetNextFunction(fn)) {
        struct ls_lsbc_kernel k = {0};

        if (!is_kernel(fn))
            continue;
        check_bounds(d, fn, h->arch);
        describe_kernel(d, fn, &k);
        memcpy(d->im.data + h->kernels_off + i++ * sizeof(k), &k, sizeof(k));
    }
    for (i = 0; i < d->n_globals && ok; i++) {
        struct ls_lsbc_global entry = {0};

        ok = describe_global(d, b, d->globals[i], i, &entry);
        memcpy(d->im.data + h->globals_off + i * sizeof(entry), &entry, sizeof(entry));
    }
    h->n_relocs = (uint32_t)d->n_relocs;
    h->relocs_off = put(&d->im, d->relocs, d->n_relocs * sizeof(*d->relocs), 16);
    LLVMDisposeBuilder(b);
    return ok && !d->cc->n_errors;
}

bool
ls_describe_bitcode(const void *bitcode, size_t bitcode_bytes, const char *arch, uint32_t warp_size,
                    ls_diag_sink sink, void *sink_user, void **image, size_t *image_bytes)
{
    const struct ls_compile_options opt = {.sink = sink, .sink_user = sink_user};
    struct ls_cc *cc = ls_cc_create(&opt);
    struct describer d = {.cc = cc, .im.arena = cc->arena};
    struct ls_lsbc_header h = {.magic = LS_LSBC_MAGIC, .version = LS_LSBC_VERSION};
    bool ok = false;

    d.mod = cc->mod = ls_ir_parse(cc, bitcode, bitcode_bytes);
    if (!d.mod || !ls_ir_check_valid(cc, d.mod))
        goto out;
    d.layout = cc->device.layout = LLVMCreateTargetData(LLVMGetDataLayoutStr(d.mod));
    ls_ptrmap_init(&d.index, cc->arena);
    ls_ptrmap_init(&d.undefined, cc->arena);
    ls_ir_index_constants(d.mod);
    ls_ir_number_functions(d.mod);
    ls_world_init(&d.world, cc, d.mod);
    put(&d.im, NULL, sizeof(h), 16);
    if (!describe_module(&d, arch, warp_size, &h))
        goto out;
    h.bitcode_bytes = bitcode_bytes;
    h.bitcode_off = put(&d.im, bitcode, bitcode_bytes, 64);
    put(&d.im, NULL, 0, 16);
    h.image_bytes = d.im.n;
    memcpy(d.im.data, &h, sizeof(h));
    *image = malloc(d.im.n);
    if (!*image) {
        ls_diag(cc, LS_DIAG_ERROR, NULL, "out of memory");
        goto out;
    }
    memcpy(*image, d.im.data, d.im.n);
    ls_lsbc_seal(*image);
    *image_bytes = d.im.n;
    ok = true;
out:
    ls_cc_destroy(cc);
    return ok;
}
