/* SPDX-License-Identifier: MIT */
/* A program with a few kernels made by hand, for unit tests of the runtime: set_up(), then
 * launch(). Include behind unit/test.h. */
#ifndef LS_TESTS_SETUP_H
#define LS_TESTS_SETUP_H

#include <hip/hip_runtime_api.h>

#include "unit/support/cache.h"
#include "unit/support/image.h"

#define OK(call) EXPECT_EQ(call, hipSuccess)

void **__hipRegisterFatBinary(const void *data);
void __hipRegisterFunction(void **handle, const void *host, char *device_name, const char *name,
                           unsigned limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                           int *size);

static const struct test_kernel setup_kernels[] = {
    {.name = "scale", .args = {8, 8, 4, 4}}, /* out = a * in */
    {.name = "fault", .args = {8, 4}},       /* writes 1 to p in that block */
    {.name = "await", .args = {8, 8}},       /* waits for *flag, then sets *set */
    {.name = "count", .args = {8}},          /* adds 1 to runs[block] */
    {.name = "crowd", .args = {8}},          /* n[1] = the most runs of blocks at once */
};
#define N_SETUP (sizeof(setup_kernels) / sizeof(*setup_kernels))

static char setup_host[N_SETUP];

static void
set_up(void)
{
    static const char *const ids[] = {"host-x86_64-unknown-linux--", "lockstep-bc--gfx1100"};
    static struct {
        uint32_t magic, version;
        const void *binary, *reserved;
    } wrapper = {0x48495046u, 1, NULL, NULL};
    struct image images[2] = {{0}};
    void **handle;

    make_cache();
    setenv("LOCKSTEP_CACHE_DIR", test_cache, 1);
    setenv("LOCKSTEP_COMPILER_AHEAD", "0", 1); /* tests count compilers */
    setenv("LOCKSTEP_COMPILER", LS_TEST_SUPPORT "/ls_fake_compiler.so", 1);
    setenv("LS_TEST_KERNELS", LS_TEST_SUPPORT, 1);
    images[1] = make_lsbc("gfx1100", 32, setup_kernels, N_SETUP, NULL, 0, NULL);
    wrapper.binary = make_bundle(ids, images, 2).data; /* lives as long as the process */
    free(images[1].data);
    handle = __hipRegisterFatBinary(&wrapper);
    for (size_t i = 0; i < N_SETUP; i++)
        __hipRegisterFunction(handle, &setup_host[i], (char *)(uintptr_t)setup_kernels[i].name,
                              setup_kernels[i].name, ~0u, NULL, NULL, NULL, NULL, NULL);
}

static hipError_t
launch(const char *name, unsigned grid, unsigned block, void **args, hipStream_t stream)
{
    size_t i = 0;

    while (i + 1 < N_SETUP && strcmp(setup_kernels[i].name, name))
        i++;
    return hipLaunchKernel(&setup_host[i], (dim3){grid, 1, 1}, (dim3){block, 1, 1}, args, 0,
                           stream);
}

#endif
