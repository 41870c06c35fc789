/* SPDX-License-Identifier: MIT */
/* What is in modules; libraries, which are modules for all devices, and their kernels; linking. */
#include <stdio.h>

#include "runtime/api/api.h"
#include "runtime/module/module.h"

#include <hip/hiprtc.h>

/* Modules */

LS_EXPORT hipError_t
hipModuleGetFunctionCount(unsigned *count, hipModule_t module)
{
    LS_ENTER();
    LS_CHECK(count, hipErrorInvalidValue);
    LS_CHECK(ls_module_is_valid(module), hipErrorInvalidHandle);
    *count = module->header->n_kernels;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipModuleEnumerateFunctions(hipFunction_t *functions, unsigned n, hipModule_t module)
{
    LS_ENTER();
    LS_CHECK(functions && module, hipErrorInvalidValue);
    LS_CHECK(ls_module_is_valid(module), hipErrorInvalidHandle);
    for (unsigned i = 0; i < n && i < module->header->n_kernels; i++)
        functions[i] = &module->kernels[i];
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipModuleLoadFatBinary(hipModule_t *module, const void *fatbin)
{
    LS_ENTER();
    LS_CHECK(module && fatbin, hipErrorInvalidValue);
    LS_RETURN(ls_module_load(ls_fatbin_unwrap(fatbin), SIZE_MAX, true, true, module));
}

/* Libraries */

static struct ihipModule_t *
module_of(hipLibrary_t library)
{
    struct ihipModule_t *m = (struct ihipModule_t *)(void *)library;

    return m && ls_module_is_valid(m) && m->library ? m : NULL;
}

/* Checks the options. They say whether the caller keeps the image, which is copied in any case. */
static hipError_t
check_options(const hipLibrary_t *library, const void *image, unsigned n_jit,
              const hipLibraryOption *options, unsigned n_options)
{
    if (!library || !image || n_jit > 0 || (n_options > 0 && !options))
        return ls_err(hipErrorInvalidValue, "%u JIT options, %u options", n_jit, n_options);
    for (unsigned i = 0; i < n_options; i++)
        if ((unsigned)options[i] > hipLibraryBinaryIsPreserved)
            return ls_err(hipErrorInvalidValue, "option %u", (unsigned)options[i]);
    return hipSuccess;
}

static hipError_t
give(hipError_t err, struct ihipModule_t *m, hipLibrary_t *library)
{
    if (err != hipSuccess)
        return err;
    m->library = true;
    *library = (hipLibrary_t)(void *)m;
    return hipSuccess;
}

LS_EXPORT hipError_t
hipLibraryLoadData(hipLibrary_t *library, const void *code, hipJitOption *jit, void **jit_values,
                   unsigned n_jit, hipLibraryOption *options, void **values, unsigned n_options)
{
    struct ihipModule_t *m = NULL;
    hipError_t err;

    (void)jit, (void)jit_values, (void)values;
    LS_ENTER();
    LS_TRY(check_options(library, code, n_jit, options, n_options));
    err = ls_module_load(ls_fatbin_unwrap(code), SIZE_MAX, true, false, &m);
    err = give(err, m, library);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipLibraryLoadFromFile(hipLibrary_t *library, const char *path, hipJitOption *jit,
                       void **jit_values, unsigned n_jit, hipLibraryOption *options, void **values,
                       unsigned n_options)
{
    struct ihipModule_t *m = NULL;
    hipError_t err;

    (void)jit, (void)jit_values, (void)values;
    LS_ENTER();
    LS_TRY(check_options(library, path, n_jit, options, n_options));
    err = ls_module_load_file(path, false, &m);
    err = give(err == hipErrorFileNotFound ? hipErrorInvalidValue : err, m, library);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipLibraryUnload(hipLibrary_t library)
{
    struct ihipModule_t *m;

    m = module_of(library);
    LS_CHECK(m, hipErrorInvalidHandle);
    ls_module_unload(m);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipLibraryGetKernelCount(unsigned *count, hipLibrary_t library)
{
    struct ihipModule_t *m;

    LS_ENTER();
    m = module_of(library);
    LS_CHECK(m && count, hipErrorInvalidValue);
    *count = m->header->n_kernels;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipLibraryGetKernel(hipKernel_t *kernel, hipLibrary_t library, const char *name)
{
    struct ihipModule_t *m;

    LS_ENTER();
    m = module_of(library);
    LS_CHECK(m && name && kernel, hipErrorInvalidValue);
    *kernel = (hipKernel_t)(void *)ls_module_find_kernel(m, name);
    LS_RETURN(*kernel ? hipSuccess : ls_err(hipErrorNotFound, "no kernel %s", name));
}

LS_EXPORT hipError_t
hipLibraryEnumerateKernels(hipKernel_t *kernels, unsigned n, hipLibrary_t library)
{
    struct ihipModule_t *m;

    LS_ENTER();
    m = module_of(library);
    LS_CHECK(m && kernels, hipErrorInvalidValue);
    for (unsigned i = 0; i < n && i < m->header->n_kernels; i++)
        kernels[i] = (hipKernel_t)(void *)&m->kernels[i];
    LS_RETURN(hipSuccess);
}

static hipError_t
get_variable(void **ptr, size_t *bytes, hipLibrary_t library, const char *name, const char *suffix)
{
    struct ihipModule_t *m;
    char whole[512];
    size_t n;
    void *p;

    LS_ENTER();
    LS_CHECK((ptr || bytes) && name && *name, hipErrorInvalidValue);
    m = module_of(library);
    LS_CHECK(m, hipErrorInvalidHandle);
    LS_CHECK(snprintf(whole, sizeof(whole), "%s%s", name, suffix) < (int)sizeof(whole),
             hipErrorInvalidValue);
    if (!ls_module_find_global(m, ls_gpu_current()->dev.index, whole, &p, &n))
        LS_RETURN(ls_err(hipErrorNotFound, "no variable %s", name));
    if (ptr)
        *ptr = p;
    if (bytes)
        *bytes = n;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipLibraryGetGlobal(void **ptr, size_t *bytes, hipLibrary_t library, const char *name)
{
    return get_variable(ptr, bytes, library, name, "");
}

LS_EXPORT hipError_t
hipLibraryGetManaged(void **ptr, size_t *bytes, hipLibrary_t library, const char *name)
{
    return get_variable(ptr, bytes, library, name, LS_MANAGED_SUFFIX);
}

LS_EXPORT hipError_t
hipLibraryGetModule(hipModule_t *module, hipLibrary_t library)
{
    LS_ENTER();
    LS_CHECK(module, hipErrorInvalidValue);
    LS_CHECK(module_of(library), hipErrorInvalidHandle);
    *module = module_of(library);
    LS_RETURN(hipSuccess);
}

/* Kernels of libraries */

static struct ihipModuleSymbol_t *
symbol_of(hipKernel_t kernel)
{
    struct ihipModuleSymbol_t *k = (struct ihipModuleSymbol_t *)(void *)kernel;

    return ls_kernel_is_valid(k) ? k : NULL;
}

LS_EXPORT hipError_t
hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel)
{
    const struct ihipModuleSymbol_t *k;

    LS_ENTER();
    LS_CHECK(library && kernel, hipErrorInvalidValue);
    k = symbol_of(kernel);
    LS_CHECK(k && k->module->library, hipErrorInvalidHandle);
    *library = (hipLibrary_t)(void *)k->module;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipKernelGetName(const char **name, hipKernel_t kernel)
{
    const struct ihipModuleSymbol_t *k;

    LS_ENTER();
    LS_CHECK(name && kernel, hipErrorInvalidValue);
    k = symbol_of(kernel);
    LS_CHECK(k && k->module->library, hipErrorInvalidHandle);
    *name = k->source.name;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipKernelGetParamInfo(hipKernel_t kernel, size_t index, size_t *offset, size_t *bytes)
{
    const struct ihipModuleSymbol_t *k;

    LS_ENTER();
    LS_CHECK(kernel && offset, hipErrorInvalidValue);
    k = symbol_of(kernel);
    LS_CHECK(k, hipErrorInvalidDeviceFunction);
    LS_CHECK(index < k->info->n_args, hipErrorInvalidValue);
    *offset = k->args[index].offset;
    if (bytes)
        *bytes = k->args[index].size;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipKernelGetAttribute(int *value, hipFunction_attribute which, hipKernel_t kernel,
                      hipDevice_t device)
{
    LS_ENTER();
    LS_CHECK(value, hipErrorInvalidValue);
    LS_CHECK(kernel, hipErrorInvalidHandle);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    LS_CHECK(symbol_of(kernel), hipErrorInvalidDeviceFunction);
    LS_RETURN(ls_function_attribute(value, which, symbol_of(kernel)));
}

LS_EXPORT hipError_t
hipKernelSetAttribute(hipFunction_attribute which, int value, hipKernel_t kernel,
                      hipDevice_t device)
{
    LS_ENTER();
    LS_CHECK(kernel, hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    LS_CHECK(symbol_of(kernel), hipErrorInvalidDeviceFunction);
    LS_RETURN(ls_function_set_attribute(symbol_of(kernel), (int)which, value));
}

LS_EXPORT hipError_t
hipKernelGetFunction(hipFunction_t *function, hipKernel_t kernel)
{
    LS_ENTER();
    LS_CHECK(function && kernel, hipErrorInvalidValue);
    LS_CHECK(symbol_of(kernel), hipErrorInvalidHandle);
    *function = symbol_of(kernel);
    LS_RETURN(hipSuccess);
}

/* Linking: hiprtc's, whose options and kinds of input have the same numbers. */

static hipError_t
linked(hiprtcResult result)
{
    switch (result) {
    case HIPRTC_SUCCESS:
        return hipSuccess;
    case HIPRTC_ERROR_OUT_OF_MEMORY:
        return hipErrorOutOfMemory;
    case HIPRTC_ERROR_INVALID_INPUT:
    case HIPRTC_ERROR_INVALID_OPTION:
    case HIPRTC_ERROR_INVALID_PROGRAM:
        return ls_err(hipErrorInvalidValue, "%s", hiprtcGetErrorString(result));
    case HIPRTC_ERROR_PROGRAM_CREATION_FAILURE: /* a file that cannot be read */
    case HIPRTC_ERROR_LINKING:
        return ls_err(hipErrorInvalidConfiguration, "%s", hiprtcGetErrorString(result));
    default:
        return ls_err(hipErrorUnknown, "hiprtc: error %d", (int)result);
    }
}

LS_EXPORT hipError_t
hipLinkCreate(unsigned n, hipJitOption *options, void **values, hipLinkState_t *state)
{
    LS_ENTER();
    LS_CHECK(state && (n == 0 || (options && values)), hipErrorInvalidValue);
    LS_RETURN(linked(hiprtcLinkCreate(n, (hiprtcJIT_option *)(void *)options, values, state)));
}

LS_EXPORT hipError_t
hipLinkAddData(hipLinkState_t state, hipJitInputType type, void *data, size_t bytes,
               const char *name, unsigned n, hipJitOption *options, void **values)
{
    LS_ENTER();
    LS_CHECK(data && bytes > 0, hipErrorInvalidImage);
    LS_CHECK(state, hipErrorInvalidHandle);
    LS_RETURN(linked(hiprtcLinkAddData(state, (hiprtcJITInputType)type, data, bytes, name, n,
                                       (hiprtcJIT_option *)(void *)options, values)));
}

LS_EXPORT hipError_t
hipLinkAddFile(hipLinkState_t state, hipJitInputType type, const char *path, unsigned n,
               hipJitOption *options, void **values)
{
    LS_ENTER();
    LS_CHECK(state, hipErrorInvalidHandle);
    LS_CHECK(path && *path, hipErrorInvalidValue);
    LS_RETURN(linked(hiprtcLinkAddFile(state, (hiprtcJITInputType)type, path, n,
                                       (hiprtcJIT_option *)(void *)options, values)));
}

LS_EXPORT hipError_t
hipLinkComplete(hipLinkState_t state, void **out, size_t *bytes)
{
    LS_ENTER();
    LS_CHECK(state && out && bytes, hipErrorInvalidValue);
    LS_RETURN(linked(hiprtcLinkComplete(state, out, bytes)));
}

LS_EXPORT hipError_t
hipLinkDestroy(hipLinkState_t state)
{
    LS_CHECK(state, hipErrorInvalidValue);
    LS_RETURN(linked(hiprtcLinkDestroy(state)));
}
