/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* Virtual memory management: reservations, physical memory, mappings, access, other processes. */
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/test.h"

#include "unit/support/setup.h"

static const hipMemAllocationProp plain = {.type = hipMemAllocationTypePinned,
                                           .location = {hipMemLocationTypeDevice, 0}};
static const hipMemAllocationProp shareable = {.type = hipMemAllocationTypePinned,
                                               .requestedHandleType =
                                                   hipMemHandleTypePosixFileDescriptor,
                                               .location = {hipMemLocationTypeDevice, 0}};

static size_t
granularity(void)
{
    size_t g = 0;

    OK(hipMemGetAllocationGranularity(&g, &plain, hipMemAllocationGranularityMinimum));
    REQUIRE(g >= 4096);
    return g;
}

/* Where kernels run: what set_up tells the device must be there when that starts. */
static size_t
ready(void)
{
    set_up();
    return granularity();
}

static void
allow(void *ptr, size_t bytes, hipMemAccessFlags flags)
{
    hipMemAccessDesc desc = {{hipMemLocationTypeDevice, 0}, flags};

    OK(hipMemSetAccess(ptr, bytes, &desc, 1));
}

LS_TEST(copies_and_kernels)
{
    size_t g = ready(), bytes = 16 * g, n = bytes / sizeof(float), used, free0, free1, total;
    hipMemGenericAllocationHandle_t handle;
    float *host = malloc(bytes), a = 2;
    int count = (int)n;
    void *ptr;

    OK(hipMemGetInfo(&free0, &total));
    OK(hipMemAddressReserve(&ptr, bytes, 0, NULL, 0));
    OK(hipMemCreate(&handle, bytes, &plain, 0));
    OK(hipMemGetInfo(&free1, &total));
    used = free0 - free1;
    EXPECT_EQ(used, bytes);
    OK(hipMemMap(ptr, bytes, 0, handle, 0));
    OK(hipMemRelease(handle)); /* the mapping keeps it */
    allow(ptr, bytes, hipMemAccessFlagsProtReadWrite);
    for (size_t i = 0; i < n; i++)
        host[i] = (float)i;
    OK(hipMemcpy(ptr, host, bytes, hipMemcpyHostToDevice));
    OK(launch("scale", (unsigned)(n + 255) / 256, 256, (void *[]){&ptr, &ptr, &a, &count}, NULL));
    OK(hipMemcpy(host, ptr, bytes, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        REQUIRE(host[i] == 2.0f * (float)i);
    OK(hipMemUnmap(ptr, bytes));
    OK(hipMemGetInfo(&free1, &total));
    EXPECT_EQ(free1, free0);
    OK(hipMemAddressFree(ptr, bytes));
    free(host);
}

LS_TEST(many_chunks_are_one_range)
{
    enum { N = 5 };
    size_t g = granularity(), bytes = N * g;
    hipMemGenericAllocationHandle_t handles[N], got;
    hipPointerAttribute_t attr;
    unsigned char *host = malloc(bytes);
    char *ptr;

    OK(hipMemAddressReserve((void **)&ptr, bytes, 0, NULL, 0));
    for (int i = 0; i < N; i++) {
        OK(hipMemCreate(&handles[i], g, &plain, 0));
        OK(hipMemMap(ptr + (size_t)i * g, g, 0, handles[i], 0));
    }
    allow(ptr, bytes, hipMemAccessFlagsProtReadWrite);
    OK(hipMemset(ptr, 7, bytes));
    OK(hipMemcpy(host, ptr, bytes, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < bytes; i++)
        REQUIRE(host[i] == 7);
    EXPECT_EQ(hipMemset(ptr, 7, bytes + 1), hipErrorInvalidValue);
    OK(hipPointerGetAttributes(&attr, ptr + g + 1));
    EXPECT_EQ(attr.type, hipMemoryTypeDevice);
    OK(hipMemRetainAllocationHandle(&got, ptr + 2 * g));
    EXPECT(got == handles[2]);
    OK(hipMemRelease(got));
    OK(hipMemUnmap(ptr, 2 * g));
    EXPECT_EQ(hipMemRetainAllocationHandle(&got, ptr), hipErrorInvalidValue);
    EXPECT_EQ(hipMemAddressFree(ptr, bytes), hipErrorInvalidValue); /* something is mapped */
    OK(hipMemUnmap(ptr + 2 * g, 3 * g));
    for (int i = 0; i < N; i++)
        OK(hipMemRelease(handles[i]));
    OK(hipMemAddressFree(ptr, bytes));
    free(host);
}

LS_TEST(one_memory_at_two_addresses)
{
    size_t g = granularity();
    hipMemGenericAllocationHandle_t handle;
    int *a, *b, value = 5, back = 0;

    OK(hipMemCreate(&handle, 2 * g, &plain, 0));
    OK(hipMemAddressReserve((void **)&a, g, 0, NULL, 0));
    OK(hipMemAddressReserve((void **)&b, 2 * g, 0, NULL, 0));
    OK(hipMemMap(a, g, 0, handle, 0)); /* a part of it */
    OK(hipMemMap(b, 2 * g, 0, handle, 0));
    allow(a, g, hipMemAccessFlagsProtReadWrite);
    allow(b, 2 * g, hipMemAccessFlagsProtRead);
    OK(hipMemcpy(a, &value, sizeof(value), hipMemcpyHostToDevice));
    OK(hipMemcpy(&back, b, sizeof(back), hipMemcpyDeviceToHost));
    EXPECT_EQ(back, 5);
    EXPECT_EQ(hipMemMap(a, g, 0, handle, 0), hipErrorInvalidValue); /* taken */
    OK(hipMemUnmap(a, g));
    OK(hipMemMap(a, g, 0, handle, 0));
    allow(a, g, hipMemAccessFlagsProtReadWrite);
    OK(hipMemcpy(&back, a, sizeof(back), hipMemcpyDeviceToHost));
    EXPECT_EQ(back, 5);
    OK(hipMemUnmap(a, g));
    OK(hipMemUnmap(b, 2 * g));
    OK(hipMemRelease(handle));
    EXPECT_EQ(hipMemRelease(handle), hipErrorInvalidValue);
    OK(hipMemAddressFree(a, g));
    OK(hipMemAddressFree(b, 2 * g));
}

LS_TEST(access)
{
    size_t g = granularity();
    hipMemGenericAllocationHandle_t handle;
    hipMemLocation here = {hipMemLocationTypeDevice, 0};
    unsigned long long flags;
    int *ptr, value = 1;

    OK(hipMemAddressReserve((void **)&ptr, 2 * g, 0, NULL, 0));
    OK(hipMemCreate(&handle, g, &plain, 0));
    EXPECT_EQ(hipMemGetAccess(&flags, &here, ptr), hipErrorInvalidValue);
    OK(hipMemMap(ptr, g, 0, handle, 0));
    OK(hipMemGetAccess(&flags, &here, ptr));
    EXPECT_EQ(flags, hipMemAccessFlagsProtNone);
    EXPECT_EQ(hipMemcpyHtoD(ptr, &value, sizeof(value)), hipErrorInvalidValue);
    allow(ptr, g, hipMemAccessFlagsProtRead);
    OK(hipMemGetAccess(&flags, &here, ptr));
    EXPECT_EQ(flags, hipMemAccessFlagsProtRead);
    OK(hipMemcpyDtoH(&value, ptr, sizeof(value)));
    EXPECT_EQ(value, 0); /* new memory */
    EXPECT_EQ(hipMemcpyHtoD(ptr, &value, sizeof(value)), hipErrorInvalidValue);
    EXPECT_EQ(hipMemset(ptr, 1, 4), hipErrorInvalidValue);
    allow(ptr, g, hipMemAccessFlagsProtReadWrite);
    OK(hipMemset(ptr, 1, 4));
    allow(ptr, g, hipMemAccessFlagsProtNone);
    EXPECT_EQ(hipMemcpyDtoH(&value, ptr, sizeof(value)), hipErrorInvalidValue);
    OK(hipMemUnmap(ptr, g));
    OK(hipMemRelease(handle));
    OK(hipMemAddressFree(ptr, 2 * g));
}

/* A kernel's access to what is reserved only, or not accessible, is the device's fault. */
LS_TEST(faults)
{
    size_t g = ready();
    unsigned block = 0;
    void *ptr;

    if (RUNNING_ON_VALGRIND)
        return; /* memcheck would report the accesses, which are bad on purpose */
    OK(hipMemAddressReserve(&ptr, g, 0, NULL, 0));
    OK(launch("fault", 1, 64, (void *[]){&ptr, &block}, NULL));
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
    OK(hipDeviceReset());
    OK(hipMemAddressFree(ptr, g));
}

LS_TEST(arguments)
{
    size_t g = granularity(), size;
    hipMemGenericAllocationHandle_t handle, none = NULL;
    hipMemAllocationProp prop = plain, back;
    hipMemAccessDesc desc = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    hipMemLocation here = {hipMemLocationTypeDevice, 0}, there = {hipMemLocationTypeDevice, 9};
    unsigned long long flags;
    hipArrayMapInfo info;
    void *ptr, *other;
    int fd;

    memset(&info, 0, sizeof(info));
    EXPECT_EQ(hipMemAddressReserve(NULL, g, 0, NULL, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemAddressReserve(&ptr, g, 0, NULL, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemAddressReserve(&ptr, 0, 0, NULL, 0), hipErrorMemoryAllocation);
    EXPECT_EQ(hipMemAddressReserve(&ptr, g, 3, NULL, 0), hipErrorMemoryAllocation);
    EXPECT_EQ(hipMemAddressReserve(&ptr, g - 1, 0, NULL, 0), hipErrorMemoryAllocation);
    OK(hipMemAddressReserve(&ptr, g, 1u << 22, NULL, 0));
    EXPECT_EQ((uintptr_t)ptr % (1u << 22), 0);
    EXPECT_EQ(hipMemAddressFree(NULL, g), hipErrorInvalidValue);
    EXPECT_EQ(hipMemAddressFree(ptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemAddressFree(ptr, 2 * g), hipErrorInvalidValue);

    EXPECT_EQ(hipMemCreate(NULL, g, &plain, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemCreate(&handle, g, NULL, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemCreate(&handle, 0, &plain, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemCreate(&handle, g - 1, &plain, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemCreate(&handle, g, &plain, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemCreate(&handle, (size_t)1 << 46, &plain, 0), hipErrorOutOfMemory);
    prop.type = hipMemAllocationTypeInvalid;
    EXPECT_EQ(hipMemCreate(&handle, g, &prop, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemGetAllocationGranularity(&size, &prop, hipMemAllocationGranularityMinimum),
              hipErrorInvalidValue);
    prop = plain;
    prop.location = there;
    EXPECT_EQ(hipMemCreate(&handle, g, &prop, 0), hipErrorInvalidValue);
    prop = plain;
    prop.requestedHandleType = hipMemHandleTypeWin32;
    EXPECT_EQ(hipMemCreate(&handle, g, &prop, 0), hipErrorNotSupported);
    EXPECT_EQ(hipMemGetAllocationGranularity(NULL, &plain, hipMemAllocationGranularityMinimum),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemGetAllocationGranularity(&size, NULL, hipMemAllocationGranularityMinimum),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemGetAllocationGranularity(&size, &plain, (hipMemAllocationGranularity_flags)2),
              hipErrorInvalidValue);
    OK(hipMemGetAllocationGranularity(&size, &plain, hipMemAllocationGranularityRecommended));
    EXPECT(size >= g && size % g == 0);

    OK(hipMemCreate(&handle, g, &plain, 0));
    OK(hipMemGetAllocationPropertiesFromHandle(&back, handle));
    EXPECT_EQ(back.type, plain.type);
    EXPECT_EQ(back.location.type, plain.location.type);
    EXPECT_EQ(hipMemGetAllocationPropertiesFromHandle(NULL, handle), hipErrorInvalidValue);
    EXPECT_EQ(hipMemGetAllocationPropertiesFromHandle(&back, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipMemGetAllocationPropertiesFromHandle(&back, (void *)&g), hipErrorInvalidValue);
    EXPECT_EQ(hipMemMap(NULL, g, 0, handle, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemMap(ptr, 0, 0, handle, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemMap(ptr, g, g, handle, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemMap(ptr, g, 0, handle, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemMap(ptr, g, 0, none, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemMap((char *)ptr + 1, g, 0, handle, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemMap(ptr, 2 * g, 0, handle, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemMap(&info, g, 0, handle, 0), hipErrorInvalidValue); /* not reserved */
    EXPECT_EQ(hipMemSetAccess(ptr, g, &desc, 1), hipErrorInvalidValue); /* not mapped */
    OK(hipMemMap(ptr, g, 0, handle, 0));
    EXPECT_EQ(hipMemSetAccess(NULL, g, &desc, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemSetAccess(ptr, 0, &desc, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemSetAccess(ptr, g + 1, &desc, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemSetAccess(ptr, g - 1, &desc, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemSetAccess(ptr, g, NULL, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemSetAccess(ptr, g, &desc, 0), hipErrorInvalidValue);
    desc.flags = (hipMemAccessFlags)2;
    EXPECT_EQ(hipMemSetAccess(ptr, g, &desc, 1), hipErrorInvalidValue);
    desc.location = there;
    EXPECT_EQ(hipMemSetAccess(ptr, g, &desc, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemGetAccess(NULL, &here, ptr), hipErrorInvalidValue);
    EXPECT_EQ(hipMemGetAccess(&flags, NULL, ptr), hipErrorInvalidValue);
    EXPECT_EQ(hipMemGetAccess(&flags, &there, ptr), hipErrorInvalidValue);
    EXPECT_EQ(hipMemGetAccess(&flags, &here, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipMemRetainAllocationHandle(NULL, ptr), hipErrorInvalidValue);
    EXPECT_EQ(hipMemExportToShareableHandle(&fd, handle, hipMemHandleTypePosixFileDescriptor, 0),
              hipErrorInvalidValue); /* not asked for when it was made */
    EXPECT_EQ(hipMemUnmap(NULL, g), hipErrorInvalidValue);
    EXPECT_EQ(hipMemUnmap(ptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemUnmap(ptr, g - 1), hipErrorInvalidValue);
    EXPECT_EQ(hipFree(ptr), hipErrorInvalidValue);
    OK(hipMemUnmap(ptr, g));
    EXPECT_EQ(hipMemUnmap(ptr, g), hipErrorInvalidValue);
    EXPECT_EQ(hipMemRelease(NULL), hipErrorInvalidValue);
    OK(hipMemRelease(handle));
    OK(hipMemAddressFree(ptr, g));
    EXPECT_EQ(hipMemMapArrayAsync(NULL, 1, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipMemMapArrayAsync(&info, 0, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipMemMapArrayAsync(&info, 1, NULL), hipErrorNotSupported);
    OK(hipMemAddressReserve(&ptr, g, 0, NULL, 0));
    OK(hipMemAddressFree(ptr, g));
    OK(hipMemAddressReserve(&other, g, 0, ptr, 0)); /* the address is a wish */
    OK(hipMemAddressFree(other, g));
}

static void
send_fd(int socket, int fd)
{
    char byte = 0, control[CMSG_SPACE(sizeof(int))];
    struct iovec data = {&byte, 1};
    struct msghdr msg = {.msg_iov = &data,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof(control)};
    struct cmsghdr *head;

    memset(control, 0, sizeof(control));
    head = CMSG_FIRSTHDR(&msg);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &fd, sizeof(fd));
    REQUIRE(sendmsg(socket, &msg, 0) == 1);
}

static int
receive_fd(int socket)
{
    char byte, control[CMSG_SPACE(sizeof(int))];
    struct iovec data = {&byte, 1};
    struct msghdr msg = {.msg_iov = &data,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof(control)};
    int fd = -1;

    REQUIRE(recvmsg(socket, &msg, 0) == 1);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
    return fd;
}

static void *
map_all(hipMemGenericAllocationHandle_t handle, size_t bytes)
{
    void *ptr;

    OK(hipMemAddressReserve(&ptr, bytes, 0, NULL, 0));
    OK(hipMemMap(ptr, bytes, 0, handle, 0));
    allow(ptr, bytes, hipMemAccessFlagsProtReadWrite);
    return ptr;
}

LS_TEST(another_process)
{
    hipMemGenericAllocationHandle_t handle;
    int sockets[2], fd, status, value = 41;
    size_t g;
    pid_t pid;
    void *ptr;

    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    pid = fork();
    REQUIRE(pid >= 0);
    g = granularity();
    if (pid == 0) {
        fd = receive_fd(sockets[1]);
        OK(hipMemImportFromShareableHandle(&handle, &fd, hipMemHandleTypePosixFileDescriptor));
        close(fd);
        ptr = map_all(handle, 2 * g);
        OK(hipMemcpy(&value, (char *)ptr + g, sizeof(value), hipMemcpyDeviceToHost));
        value++;
        OK(hipMemcpy(ptr, &value, sizeof(value), hipMemcpyHostToDevice));
        OK(hipMemUnmap(ptr, 2 * g));
        OK(hipMemRelease(handle));
        _exit(ls_test_failures ? 1 : 0);
    }
    OK(hipMemCreate(&handle, 2 * g, &shareable, 0));
    ptr = map_all(handle, 2 * g);
    OK(hipMemcpy((char *)ptr + g, &value, sizeof(value), hipMemcpyHostToDevice));
    EXPECT_EQ(hipMemExportToShareableHandle(NULL, handle, hipMemHandleTypePosixFileDescriptor, 0),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemExportToShareableHandle(&fd, NULL, hipMemHandleTypePosixFileDescriptor, 0),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemExportToShareableHandle(&fd, handle, hipMemHandleTypeWin32, 0),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemExportToShareableHandle(&fd, handle, hipMemHandleTypePosixFileDescriptor, 1),
              hipErrorInvalidValue);
    OK(hipMemExportToShareableHandle(&fd, handle, hipMemHandleTypePosixFileDescriptor, 0));
    EXPECT_EQ(hipMemImportFromShareableHandle(NULL, &fd, hipMemHandleTypePosixFileDescriptor),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemImportFromShareableHandle(&handle, NULL, hipMemHandleTypePosixFileDescriptor),
              hipErrorInvalidValue);
    EXPECT_EQ(
        hipMemImportFromShareableHandle(&handle, &sockets[0], hipMemHandleTypePosixFileDescriptor),
        hipErrorInvalidValue);
    send_fd(sockets[0], fd);
    close(fd);
    REQUIRE(waitpid(pid, &status, 0) == pid);
    EXPECT_EQ(status, 0);
    OK(hipMemcpy(&value, ptr, sizeof(value), hipMemcpyDeviceToHost));
    EXPECT_EQ(value, 42);
    OK(hipMemUnmap(ptr, 2 * g));
    OK(hipMemRelease(handle));
}
