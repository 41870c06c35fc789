/* SPDX-License-Identifier: MIT */
/* Code objects: fat binaries, their kernels and variables. Hostile input ends here.
 *
 * Lock: the module lock guards all tables; look-ups of kernels by host address take none. */
#ifndef LS_RUNTIME_MODULE_H
#define LS_RUNTIME_MODULE_H

#include "base/arch.h"
#include "base/lsbc.h"
#include "runtime/core/core.h"

/* What the devices answer as where nothing else is said. */
#define LS_DEFAULT_ARCH "gfx1100"

/* What was found of the arguments of a launch (distinct.c). */
struct ls_kept_distinct {
    _Atomic uint32_t generation; /* odd: it is being written */
    _Atomic uint64_t asked[10];  /* where pointers may be, ls_mem_changes, and these words */
    _Atomic uint64_t bits;
};
#define LS_KEPT_DISTINCT 4u /* a power of two */

/* A kernel of a loaded module. */
struct ihipModuleSymbol_t {
    uint32_t magic;
    struct ls_kernel_source source;
    struct ihipModule_t *module;
    const struct ls_lsbc_kernel *info;
    const struct ls_lsbc_arg *args;
    struct ls_kernel_facts *facts; /* borrowed from the module */
    struct ls_kept_distinct kept_distinct[LS_KEPT_DISTINCT];
};
#define LS_KERNEL_MAGIC 0x4b45524eu

/* What is read from the code object when somebody asks for it. */
struct ls_kernel_facts {
    atomic_bool known;
    struct ls_resources resources; /* guarded by known */
};

/* A __managed__ variable whose storage the module doesn't have. */
struct ls_managed {
    struct ls_managed *next;
    uint32_t index; /* of the pointer */
    void *storage;  /* borrowed */
};

struct ihipModule_t {
    uint32_t magic;
    struct ihipModule_t *next; /* all loaded modules */
    void *copy;                /* owned copy of the image, or NULL when it is the program's */
    const char *image;         /* LSBC */
    const struct ls_lsbc_header *header;
    struct ihipModuleSymbol_t *kernels; /* owned, header->n_kernels */
    /* Each device has variables of its own, made at first use: owned, header->n_globals
     * addresses. */
    _Atomic(void **) globals[LS_MAX_DEVICES];
    char *arenas[LS_MAX_DEVICES]; /* their memory */
    char *managed_arena;          /* and that of managed ones, on the device that is home */
    char arch[64];              /* of the device that was current when it was loaded: the image's */
    uint32_t home;              /* device that was current when it was loaded */
    bool bound;                 /* it exists on its home device alone */
    atomic_uint prepared[2];    /* bits of devices that were told of all its kernels, by class of
                                   block shapes */
    bool library;               /* loaded by hipLibraryLoad... */
    struct ls_managed *managed; /* owned */
    /* The code object (borrowed) or, in a module with a copy, its metadata alone; either may be
     * NULL. */
    const char *code, *notes;
    size_t code_bytes, notes_bytes;
    struct ls_kernel_facts *facts; /* owned, of each kernel */
};
#define LS_MODULE_MAGIC 0x4d4f4455u

/* The name of a __managed__ variable's storage is that of the variable with this suffix. */
#define LS_MANAGED_SUFFIX ".managed"

/* The images of a bundle for one architecture. */
struct ls_images {
    const char *lsbc, *lsao;
    size_t lsbc_bytes, lsao_bytes;
    const char *code; /* the code object of the same architecture, an ELF file; NULL = none */
    size_t code_bytes;
    bool has_amd_code; /* a code object for real hardware is there */
};

/* Looks into an offload bundle (or takes a bare LSBC image). bytes = SIZE_MAX when unknown.
 * hipErrorInvalidImage when it is neither, hipErrorNoBinaryForGpu when the arch is missing. The
 * images themselves are not looked into. */
hipError_t ls_fatbin_find(const void *data, size_t bytes, const char *arch,
                          struct ls_images *images);
/* Puts the bundle inside a compressed one in its place: *plain is that, to be freed, or NULL when
 * nothing was compressed. hipErrorInvalidImage: it can't be read. */
hipError_t ls_fatbin_unpack(const void **data, size_t *bytes, void **plain);
/* Calls back for each architecture that the bundle has Lockstep code for. */
void ls_fatbin_list(const void *data, size_t bytes, void (*each)(void *user, const char *arch),
                    void *user);
/* The architecture that a device takes which may answer as any: the default one if the bundle has
 * it, else the first. False: there is none. The bundle may be compressed. */
bool ls_fatbin_choose(const void *data, size_t bytes, char *arch, size_t arch_bytes);
/* The binary inside what hipcc embeds, or `data` itself when it is none such. */
const void *ls_fatbin_unwrap(const void *data);
/* True when all offsets and strings of the image lie within it. */
bool ls_lsbc_is_sound(const void *image, size_t bytes);
bool ls_lsao_is_sound(const void *image, size_t bytes);

/* The architecture of the device when the environment names none. False when the program has no
 * device code, so that it is the default. */
bool ls_module_choose_arch(char *arch, size_t bytes);
/* The same of device code that is loaded with the program, but not registered yet. */
bool ls_program_choose_arch(char *arch, size_t bytes);
/* Warp width of the program's code for an arch, which -mwavefrontsize64 changes; 0 when it has no
 * code for it. */
uint32_t ls_module_warp_size(const char *arch);
/* The first image of code made ahead of time for an arch among what the program has registered,
 * checked for bounds; NULL: there is none. */
const void *ls_module_aot(const char *arch);

/* Loads a module from a bundle, compressed or not, or an image. `copy`: the caller's memory may go
 * away. `bound`: for the current device alone. */
hipError_t ls_module_load(const void *data, size_t bytes, bool copy, bool bound,
                          struct ihipModule_t **out);
void ls_module_unload(struct ihipModule_t *module);
bool ls_module_is_valid(const struct ihipModule_t *module);
struct ihipModuleSymbol_t *ls_module_find_kernel(struct ihipModule_t *module, const char *name);
/* Address, on a device (a bound module: on its own), and size of a variable. False when there is
 * none of this name. */
bool ls_module_find_global(struct ihipModule_t *module, uint32_t device, const char *name,
                           void **ptr, size_t *bytes);
/* All variables on a device. hipErrorInvalidDevice when the module is bound to another one. */
hipError_t ls_module_globals(struct ihipModule_t *module, uint32_t device, void ***globals);
/* Tells a device of all kernels, once, before the first launch of one. */
void ls_module_prepare(struct ihipModule_t *module, struct ls_device *dev, const uint32_t block[3],
                       bool early);
/* Lets the pointer of a managed variable point to storage, on all devices. */
void ls_module_set_managed(struct ihipModule_t *module, const char *name, void *storage);
/* What the kernel takes of a multiprocessor: what its code object says; where there is none
 * (hiprtc, and what clang has no code for), the memory that it names, and as many registers as let
 * all waves fit. */
const struct ls_resources *ls_kernel_resources(const struct ihipModuleSymbol_t *kernel);
/* True when `function` is a kernel of a loaded module. */
bool ls_kernel_is_valid(const struct ihipModuleSymbol_t *function);

/* The kernel registered for a host function; loads its fat binary at first use. */
hipError_t ls_registered_kernel(const void *host, struct ihipModuleSymbol_t **out);
/* The variable registered for a host variable, on the current device. */
hipError_t ls_registered_var(const void *host, void **ptr, size_t *bytes);
/* The address of some bytes of such a variable, which must lie inside. */
hipError_t ls_registered_part(const void *host, size_t bytes, size_t offset, char **ptr);

#endif
