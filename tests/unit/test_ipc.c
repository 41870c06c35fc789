/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* Handles that another process made up. What they name is opened only when it is a memory file of
 * HIP's; tests/fuzz/ipc.c tries the rest at random. */
#include "unit/test.h"

#include <fcntl.h>
#include <hip/hip_runtime_api.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/mem/share.h"

#define MAGIC 0x4c535348u
#define BYTES 8192

struct offer {
    const char *what;
    int fd;
    uint64_t offset, bytes;
};

static int
memory_file(const char *name, uint64_t bytes, int seals)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (ftruncate(fd, (off_t)bytes) != 0 || (seals && fcntl(fd, F_ADD_SEALS, seals) != 0))
        return -1;
    return fd;
}

static struct ls_share_handle
forge(pid_t pid, const struct offer *o)
{
    struct stat st;

    fstat(o->fd, &st);
    return (struct ls_share_handle){.magic = MAGIC,
                                    .pid = pid,
                                    .fd = o->fd,
                                    .dev = st.st_dev,
                                    .ino = st.st_ino,
                                    .offset = o->offset,
                                    .bytes = o->bytes};
}

static void
refuse(const char *what, const struct ls_share_handle *forged)
{
    hipMemPoolPtrExportData data = {0};
    hipIpcEventHandle_t event_handle = {0};
    hipIpcMemHandle_t handle = {0};
    hipMemPool_t pool;
    hipEvent_t event;
    void *ptr;
    bool refused;

    memcpy(handle.reserved, forged, sizeof(*forged));
    memcpy(event_handle.reserved, forged, sizeof(*forged));
    memcpy(data.reserved, forged, sizeof(*forged));
    EXPECT_EQ(hipDeviceGetDefaultMemPool(&pool, 0), hipSuccess);
    refused = hipIpcOpenMemHandle(&ptr, handle, hipIpcMemLazyEnablePeerAccess) != hipSuccess &&
              hipIpcOpenEventHandle(&event, event_handle) != hipSuccess &&
              hipMemPoolImportPointer(&ptr, pool, &data) != hipSuccess;
    if (!refused)
        fprintf(stderr, "taken: %s\n", what);
    EXPECT(refused);
}

/* A file of ours that only we may read is the prize: it must not even be opened. */
LS_TEST(ipc_forged_handles)
{
    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    char path[] = "/tmp/lockstep-test-XXXXXX", fifo[64];
    int disk = mkstemp(path), down[2];
    struct offer offers[] = {
        {"a file on disk", disk, 0, 4096},
        {"a mere path to it", open(path, O_PATH), 0, 4096},
        {"a device", open("/dev/zero", O_RDWR), 0, 4096},
        {"a folder", open("/tmp", O_RDONLY), 0, 4096},
        {"a pipe by path", -1, 0, 4096},
        {"an unsealed file of HIP's name", memory_file("hip-ipc", BYTES, 0), 0, BYTES},
        {"a file that can grow", memory_file("hip-ipc", BYTES, F_SEAL_SHRINK | F_SEAL_SEAL), 0,
         BYTES},
        {"a file that can shrink", memory_file("hip-ipc", BYTES, F_SEAL_GROW | F_SEAL_SEAL), 0,
         BYTES},
        {"an unsealed event", memory_file("hip-event", 4096, 0), 0, 24},
        {"a program's own file", memory_file("secret", BYTES, all), 0, BYTES},
        {"a name that begins so", memory_file("hip-ipc2", BYTES, all), 0, BYTES},
        {"bytes behind the end", memory_file("hip-ipc", BYTES, all), 0, BYTES + 1},
        {"an offset behind the end", memory_file("hip-ipc", BYTES, all), BYTES + 1, 1},
        {"a sum that wraps", memory_file("hip-ipc", BYTES, all), UINT64_MAX - 4, 8},
        {"no bytes", memory_file("hip-ipc", BYTES, all), 0, 0},
    };
    struct ls_share_handle handles[sizeof(offers) / sizeof(offers[0])];
    const size_t n = sizeof(offers) / sizeof(offers[0]);
    pid_t pid;

    REQUIRE(disk >= 0 && ftruncate(disk, 65536) == 0 && pipe(down) == 0);
    snprintf(fifo, sizeof(fifo), "%s-fifo", path);
    REQUIRE(mkfifo(fifo, 0600) == 0);
    offers[4].fd = open(fifo, O_PATH); /* opening it for writing would wait for ever */
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        char byte;

        close(down[1]);
        _exit(read(down[0], &byte, 1) != 0);
    }
    for (size_t i = 0; i < n; i++)
        handles[i] = forge(pid, &offers[i]);
    for (size_t i = 0; i < n; i++) {
        EXPECT(offers[i].fd >= 0);
        refuse(offers[i].what, &handles[i]);
    }
    close(down[1]);
    waitpid(pid, NULL, 0);
    unlink(path);
    unlink(fifo);
}

/* One mapping serves all handles of a file, and holds all of it, whatever the first one said. */
LS_TEST(ipc_larger_extent)
{
    struct offer small = {"",
                          memory_file("hip-ipc", 1 << 20,
                                      F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL),
                          0, 4096},
                 large = {"", small.fd, 0, 1 << 20};
    struct ls_share_handle forged;
    hipIpcMemHandle_t handle = {0};
    char *ptr, *again;
    int down[2];
    pid_t pid;

    REQUIRE(pipe(down) == 0);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        char byte;

        close(down[1]);
        _exit(read(down[0], &byte, 1) != 0);
    }
    forged = forge(pid, &small);
    memcpy(handle.reserved, &forged, sizeof(forged));
    EXPECT_EQ(hipIpcOpenMemHandle((void **)&ptr, handle, hipIpcMemLazyEnablePeerAccess),
              hipSuccess);
    forged = forge(pid, &large);
    memcpy(handle.reserved, &forged, sizeof(forged));
    EXPECT_EQ(hipIpcOpenMemHandle((void **)&again, handle, hipIpcMemLazyEnablePeerAccess),
              hipSuccess);
    EXPECT(ptr == again);
    EXPECT_EQ(hipIpcCloseMemHandle(ptr), hipSuccess);
    EXPECT_EQ(hipMemset(again, 1, 1 << 20), hipSuccess);
    EXPECT_EQ(hipIpcCloseMemHandle(again), hipSuccess);
    close(down[1]);
    waitpid(pid, NULL, 0);
}

/* Descriptors that were handed over: only files whose size stays. */
LS_TEST(ipc_forged_files)
{
    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    int unsealed = memory_file("hip-memory", BYTES, 0), odd = memory_file("hip-memory", 5000, all),
        pool_file = memory_file("hip-pool", 128, all);
    hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                             .handleTypes = hipMemHandleTypePosixFileDescriptor,
                             .location = {.type = hipMemLocationTypeDevice}};
    hipExternalMemoryHandleDesc desc = {.type = hipExternalMemoryHandleTypeOpaqueFd,
                                        .size = BYTES + 4096};
    hipMemGenericAllocationHandle_t handle;
    char bytes[256] = {0};
    hipExternalMemory_t external;
    hipMemPool_t pool, imported;
    ssize_t n;
    int fd, forged;

    EXPECT_EQ(
        hipMemImportFromShareableHandle(&handle, &unsealed, hipMemHandleTypePosixFileDescriptor),
        hipErrorInvalidValue);
    EXPECT_EQ(hipMemImportFromShareableHandle(&handle, &odd, hipMemHandleTypePosixFileDescriptor),
              hipErrorInvalidValue);
    desc.handle.fd = unsealed;
    EXPECT_EQ(hipImportExternalMemory(&external, &desc),
              hipErrorInvalidValue); /* longer than the file */
    EXPECT(hipMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)pool_file,
                                               hipMemHandleTypePosixFileDescriptor,
                                               0) != hipSuccess);
    EXPECT_EQ(hipMemPoolCreate(&pool, &props), hipSuccess);
    EXPECT_EQ(hipMemPoolExportToShareableHandle(&fd, pool, hipMemHandleTypePosixFileDescriptor, 0),
              hipSuccess);
    n = pread(fd, bytes, sizeof(bytes), 0);
    REQUIRE(n > (ssize_t)sizeof(props));
    for (size_t at = 0; at < (size_t)n;
         at += 4) { /* a device that is not there, wherever it may stand */
        char copy[256];

        memcpy(copy, bytes, sizeof(copy));
        memset(copy + at, 0x7f, 4);
        forged = memfd_create("hip-pool", MFD_ALLOW_SEALING);
        REQUIRE(pwrite(forged, copy, (size_t)n, 0) == n && fcntl(forged, F_ADD_SEALS, all) == 0);
        if (hipMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)forged,
                                                hipMemHandleTypePosixFileDescriptor,
                                                0) == hipSuccess) {
            hipMemPool_t current;

            EXPECT_EQ(hipDeviceSetMemPool(0, imported), hipSuccess);
            EXPECT_EQ(hipDeviceGetMemPool(&current, 0), hipSuccess);
            EXPECT_EQ(hipMemPoolDestroy(imported), hipSuccess);
        }
        close(forged);
    }
    EXPECT_EQ(hipMemPoolDestroy(pool), hipSuccess);
}
