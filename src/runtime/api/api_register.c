/* SPDX-License-Identifier: MIT */
/* What compiled programs call before main and behind it: clang's registration of device code. */
#include "runtime/api/api.h"
#include "runtime/module/register.h"

void **__hipRegisterFatBinary(const void *data);
void __hipUnregisterFatBinary(void **handle);
void __hipRegisterFunction(void **handle, const void *host, char *device_name, const char *name,
                           unsigned limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                           int *size);
void __hipRegisterVar(void **handle, void *host, char *device_name, char *name, int ext,
                      size_t bytes, int constant, int global);
void __hipRegisterManagedVar(void **handle, void **pointer, void *init, const char *name,
                             size_t bytes, unsigned align);
void __hipRegisterSurface(void **handle, void *host, char *device_name, char *name, int type,
                          int ext);
void __hipRegisterTexture(void **handle, void *host, char *device_name, char *name, int type,
                          int norm, int ext);

static struct ls_fatbin *
fatbin_of(void **handle)
{
    return (struct ls_fatbin *)(void *)handle;
}

LS_EXPORT void **
__hipRegisterFatBinary(const void *data)
{
    return (void **)(void *)ls_register_fatbin(data);
}

/* Called when the process ends. The code object stays, as work that still runs may need it. */
LS_EXPORT void
__hipUnregisterFatBinary(void **handle)
{
    if (handle && (!atomic_load(&ls_rt.leaving) || (ls_start() == hipSuccess && ls_queue_settle())))
        ls_unregister_fatbin(fatbin_of(handle));
}

LS_EXPORT void
__hipRegisterFunction(void **handle, const void *host, char *device_name, const char *name,
                      unsigned limit, void *tid, void *bid, dim3 *block, dim3 *grid, int *size)
{
    (void)name, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
    ls_register_kernel(fatbin_of(handle), host, device_name);
}

LS_EXPORT void
__hipRegisterVar(void **handle, void *host, char *device_name, char *name, int ext, size_t bytes,
                 int constant, int global)
{
    (void)device_name, (void)ext, (void)constant, (void)global;
    ls_register_var(fatbin_of(handle), host, name, bytes);
}

LS_EXPORT void
__hipRegisterManagedVar(void **handle, void **pointer, void *init, const char *name, size_t bytes,
                        unsigned align)
{
    struct ls_registered *var = ls_register_var(fatbin_of(handle), pointer, name, bytes);

    if (!var)
        return;
    if (ls_start() == hipSuccess)
        ls_register_managed(var, pointer, init, align);
    else
        *pointer = init;
}

LS_EXPORT void
__hipRegisterSurface(void **handle, void *host, char *device_name, char *name, int type, int ext)
{
    (void)device_name, (void)type, (void)ext;
    ls_register_var(fatbin_of(handle), host, name, sizeof(struct surfaceReference));
}

LS_EXPORT void
__hipRegisterTexture(void **handle, void *host, char *device_name, char *name, int type, int norm,
                     int ext)
{
    (void)device_name, (void)type, (void)norm, (void)ext;
    ls_register_var(fatbin_of(handle), host, name, sizeof(textureReference));
}
