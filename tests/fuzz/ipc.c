/* SPDX-License-Identifier: MIT */
/* Random handles of memory, events, pools and pool pointers: ipc [--seconds N] [--seed S].
 *
 * A child exports a few things and keeps all kinds of other files open; the parent imports what it
 * is told, with some of it changed, and uses what it gets. The process must not die, what was not
 * changed must be taken, and what is taken must be usable to its last byte. The sequence depends on
 * the seed alone. */
#include <errno.h>
#include <fcntl.h>
#include <hip/hip_runtime_api.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/mem/share.h"

#define N_MEMORY 4u
#define N_POOL   3u
#define N_OTHER  14u
#define SEALS    (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* What the child tells. */
struct offer {
    hipIpcMemHandle_t memory[N_MEMORY];
    size_t bytes[N_MEMORY];
    hipIpcEventHandle_t event;
    hipMemPoolPtrExportData pointers[N_POOL];
    int other[N_OTHER];
};

static uint64_t state;

static uint32_t
any(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static uint64_t
any64(void)
{
    static const uint64_t nasty[] = {0,        1,         4095,       4096,      4097,
                                     1u << 20, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    uint32_t n = any(16);

    if (n < sizeof(nasty) / sizeof(nasty[0]))
        return nasty[n];
    return (uint64_t)any(UINT32_MAX) << any(33) | any(65536);
}

#define MUST(x)                                                                                    \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "ipc: %s:%d: not so: %s\n", __FILE__, __LINE__, #x);                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define OK(x) MUST((x) == hipSuccess)

static int
memory_file(const char *name, size_t bytes, int seals)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    MUST(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 &&
         (!seals || fcntl(fd, F_ADD_SEALS, seals) == 0));
    return fd;
}

static void
open_others(int other[N_OTHER])
{
    int ends[2], n = 0, file;
    char path[] = "/tmp/lockstep-fuzz-XXXXXX";

    file = mkstemp(path);
    MUST(file >= 0 && ftruncate(file, 1 << 20) == 0);
    other[n++] = file;
    other[n++] = open(path, O_PATH | O_CLOEXEC);
    unlink(path);
    MUST(mkfifo(path, 0600) == 0);
    other[n++] = open(path, O_PATH | O_CLOEXEC);
    unlink(path);
    other[n++] = open("/dev/zero", O_RDWR | O_CLOEXEC);
    other[n++] = open("/", O_RDONLY | O_CLOEXEC);
    MUST(pipe(ends) == 0);
    other[n++] = ends[0];
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    other[n++] = ends[0];
    other[n++] = memory_file("hip-ipc", 1 << 20, 0);
    other[n++] = memory_file("hip-ipc", 1 << 20, F_SEAL_GROW);
    other[n++] = memory_file("hip-ipc", 4096, SEALS); /* as good as ours */
    other[n++] = memory_file("hip-event", 4096, SEALS);
    other[n++] = memory_file("hip-event", 8192, SEALS);
    other[n++] = memory_file("hip-pool", 64, SEALS);
    other[n++] = memory_file("other", 1 << 20, SEALS);
    MUST(n == (int)N_OTHER);
}

static void
child(int out, int end)
{
    static const size_t sizes[N_MEMORY] = {1, 4096, 100000, 3 << 20};
    struct offer o = {0};
    hipEvent_t event;
    char byte;
    void *p;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (uint32_t i = 0; i < N_MEMORY; i++) {
        OK(hipMalloc(&p, sizes[i]));
        OK(hipMemset(p, (int)i + 1, sizes[i]));
        OK(hipIpcGetMemHandle(&o.memory[i], p));
        o.bytes[i] = sizes[i];
    }
    OK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
    OK(hipEventRecord(event, NULL));
    OK(hipEventSynchronize(event));
    OK(hipIpcGetEventHandle(&o.event, event));
    for (uint32_t i = 0; i < N_POOL; i++) {
        OK(hipMallocAsync(&p, 5000 * (i + 1), NULL));
        OK(hipStreamSynchronize(NULL));
        OK(hipMemPoolExportPointer(&o.pointers[i], p));
    }
    open_others(o.other);
    MUST(write(out, &o, sizeof(o)) == (ssize_t)sizeof(o));
    while (read(end, &byte, 1) < 0 && errno == EINTR)
        continue;
    _exit(0);
}

/* A number of the child's that stands for something, with what tells files apart set to fit. */
static void
point_to(struct ls_share_handle *h, pid_t pid, int fd)
{
    char path[64];
    struct stat st;

    h->pid = pid;
    h->fd = fd;
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
    if (any(8) != 0 && stat(path, &st) == 0) {
        h->dev = st.st_dev;
        h->ino = st.st_ino;
    }
}

/* True when nothing was changed. */
static bool
spoil(struct ls_share_handle *h, const struct offer *o, pid_t pid)
{
    uint32_t n = any(4);
    unsigned char *bytes = (void *)h;

    for (uint32_t i = 0; i < n; i++)
        switch (any(8)) {
        case 0:
            bytes[any(sizeof(*h))] ^= (unsigned char)(1u << any(8));
            break;
        case 1:
            h->offset = any64();
            break;
        case 2:
            h->bytes = any64();
            break;
        case 3:
            h->offset = any(4u << 20);
            h->bytes = 1 + any(4u << 20);
            break;
        case 4:
            h->pid = any(3) == 0 ? getpid() : (int32_t)any64();
            break;
        case 5:
            point_to(h, pid, (int)any(40));
            break;
        case 6:
            point_to(h, pid, o->other[any(N_OTHER)]);
            break;
        default:
            memcpy(bytes + any(sizeof(*h) - 8), &(uint64_t){any64()}, 8);
            break;
        }
    return n == 0;
}

/* The last of the bytes that the handle grants can be written and read. */
static void
use(char *p, uint64_t bytes)
{
    char byte = 0x5a, back = 0;

    OK(hipMemcpy(p + bytes - 1, &byte, 1, hipMemcpyHostToDevice));
    OK(hipMemcpy(&back, p + bytes - 1, 1, hipMemcpyDeviceToHost));
    MUST(byte == back);
    OK(hipMemsetAsync(p, 1, bytes, NULL));
    OK(hipStreamSynchronize(NULL));
}

static char *kept[8]; /* stay open for a while: handles meet mappings that are there */

static void
try_memory(const struct offer *o, pid_t pid)
{
    hipIpcMemHandle_t handle = o->memory[any(N_MEMORY)];
    struct ls_share_handle h;
    uint32_t slot = any(8);
    bool whole;
    char *p;

    memcpy(&h, handle.reserved, sizeof(h));
    whole = spoil(&h, o, pid);
    memcpy(handle.reserved, &h, sizeof(h));
    if (hipIpcOpenMemHandle((void **)&p, handle, hipIpcMemLazyEnablePeerAccess) != hipSuccess) {
        MUST(!whole);
        return;
    }
    use(p, h.bytes);
    if (kept[slot])
        OK(hipIpcCloseMemHandle(kept[slot]));
    kept[slot] = p;
}

static void
try_event(const struct offer *o, pid_t pid)
{
    hipIpcEventHandle_t handle = o->event;
    struct ls_share_handle h;
    hipEvent_t event;
    bool whole;

    memcpy(&h, handle.reserved, sizeof(h));
    whole = spoil(&h, o, pid);
    memcpy(handle.reserved, &h, sizeof(h));
    if (hipIpcOpenEventHandle(&event, handle) != hipSuccess) {
        MUST(!whole);
        return;
    }
    (void)hipEventQuery(event);
    OK(hipEventRecord(event, NULL));
    OK(hipStreamWaitEvent(NULL, event, 0));
    OK(hipEventSynchronize(event));
    OK(hipEventDestroy(event));
}

static void
try_pointer(const struct offer *o, pid_t pid, hipMemPool_t pool)
{
    hipMemPoolPtrExportData data = o->pointers[any(N_POOL)];
    struct ls_share_handle h;
    bool whole;
    char *p;

    memcpy(&h, data.reserved, sizeof(h));
    whole = spoil(&h, o, pid);
    memcpy(data.reserved, &h, sizeof(h));
    if (hipMemPoolImportPointer((void **)&p, pool, &data) != hipSuccess) {
        MUST(!whole);
        return;
    }
    use(p, h.bytes);
    OK(hipFreeAsync(p, NULL));
}

/* Descriptors of our own: files with random contents, sizes and seals. */
static void
try_file(const struct offer *o, int exported)
{
    static const char *const names[] = {"hip-pool", "hip-memory", "hip-event", "x"};
    char bytes[256];
    ssize_t n = pread(exported, bytes, sizeof(bytes), 0);
    size_t size = any(3) ? (size_t)n : any(4) * 4096u + any(2) * any(300);
    hipExternalMemoryHandleDesc desc = {.type = hipExternalMemoryHandleTypeOpaqueFd,
                                        .size = any64()};
    hipExternalMemoryBufferDesc buffer = {.offset = any64(), .size = any64()};
    hipMemGenericAllocationHandle_t handle;
    hipExternalMemory_t external;
    hipMemPool_t pool;
    int fd;
    void *p;

    (void)o;
    for (uint32_t i = any(4); i-- > 0;)
        memcpy(bytes + any(sizeof(bytes) - 8), &(uint64_t){any64()}, any(8) + 1);
    fd = memory_file(names[any(4)], size, 0);
    MUST(pwrite(fd, bytes, size < sizeof(bytes) ? size : sizeof(bytes), 0) >= 0);
    if (any(4))
        MUST(fcntl(fd, F_ADD_SEALS, SEALS) == 0);
    if (hipMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd,
                                            hipMemHandleTypePosixFileDescriptor, 0) == hipSuccess) {
        MUST(hipMallocFromPoolAsync(&p, 100, pool, NULL) != hipSuccess);
        (void)hipMemPoolTrimTo(pool, 0);
        OK(hipMemPoolDestroy(pool));
    }
    if (hipMemImportFromShareableHandle(&handle, &fd, hipMemHandleTypePosixFileDescriptor) ==
        hipSuccess) {
        hipMemAccessDesc access = {.location = {.type = hipMemLocationTypeDevice},
                                   .flags = hipMemAccessFlagsProtReadWrite};

        OK(hipMemAddressReserve(&p, size, 0, NULL, 0));
        OK(hipMemMap(p, size, 0, handle, 0));
        OK(hipMemSetAccess(p, size, &access, 1));
        use(p, size);
        OK(hipMemUnmap(p, size));
        OK(hipMemAddressFree(p, size));
        OK(hipMemRelease(handle));
    }
    desc.handle.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* the import takes it */
    if (hipImportExternalMemory(&external, &desc) == hipSuccess) {
        if (hipExternalMemoryGetMappedBuffer(&p, external, &buffer) == hipSuccess) {
            use(p, buffer.size);
            OK(hipFree(p));
        }
        OK(hipDestroyExternalMemory(external));
    } else {
        close(desc.handle.fd);
    }
    close(fd);
}

static double
now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

int
main(int argc, char **argv)
{
    hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                             .handleTypes = hipMemHandleTypePosixFileDescriptor,
                             .location = {.type = hipMemLocationTypeDevice}};
    double seconds = 2, end;
    int up[2], down[2], exported, status;
    uint64_t rounds = 0, seed = 1;
    hipMemPool_t pool;
    struct offer o;
    pid_t pid;

    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--seconds") == 0)
            seconds = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 0);
    state = seed * 0x9e3779b97f4a7c15u + 1;
    MUST(pipe(up) == 0 && pipe(down) == 0);
    pid = fork();
    MUST(pid >= 0);
    if (pid == 0) {
        close(down[1]);
        child(up[1], down[0]);
    }
    close(up[1]);
    close(down[0]);
    MUST(read(up[0], &o, sizeof(o)) == (ssize_t)sizeof(o));
    OK(hipMemPoolCreate(&pool, &props));
    OK(hipMemPoolExportToShareableHandle(&exported, pool, hipMemHandleTypePosixFileDescriptor, 0));
    for (end = now() + seconds; now() < end; rounds++)
        switch (any(6)) {
        case 0:
        case 1:
        case 2:
            try_memory(&o, pid);
            break;
        case 3:
            try_event(&o, pid);
            break;
        case 4:
            try_pointer(&o, pid, pool);
            break;
        default:
            try_file(&o, exported);
            break;
        }
    close(down[1]);
    MUST(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    fprintf(stderr, "ipc: seed %" PRIu64 ", %" PRIu64 " handles\n", seed, rounds);
    printf("1 passed, 0 failed\n");
    return 0;
}
