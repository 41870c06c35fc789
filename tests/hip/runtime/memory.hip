/* SPDX-License-Identifier: MIT */
/* The memory API as programs use it: all directions, 2D, memset of all widths, host pointers,
 * attributes. */
#include "../check.h"

int
main()
{
    const size_t w = 50, h = 20;
    std::vector<unsigned char> a(w * h), b(w * h, 0);
    size_t pitch = 0, free_bytes = 0, total = 0;
    unsigned char *p = nullptr, *q = nullptr, *host = nullptr, *mapped = nullptr;
    hipPointerAttribute_t attr;

    for (size_t k = 0; k < a.size(); k++)
        a[k] = (unsigned char)mix((uint32_t)k);
    CHECK_HIP(hipMallocPitch((void **)&p, &pitch, w, h));
    CHECK(pitch >= w);
    CHECK_HIP(hipMemcpy2D(p, pitch, a.data(), w, w, h, hipMemcpyHostToDevice));
    CHECK_HIP(hipMalloc((void **)&q, w * h));
    CHECK_HIP(hipMemcpy2D(q, w, p, pitch, w, h, hipMemcpyDeviceToDevice));
    CHECK_HIP(hipMemcpy(b.data(), q, w * h, hipMemcpyDefault));
    check_same("2D", b, a);
    CHECK_HIP(hipMemset2D(p, pitch, 7, w, h - 1));
    CHECK_HIP(hipMemcpy2D(b.data(), w, p, pitch, w, h, hipMemcpyDeviceToHost));
    for (size_t k = 0; k < w * h; k++)
        CHECK(b[k] == (k < w * (h - 1) ? 7 : a[k]));
    CHECK_HIP(hipMemsetD32((hipDeviceptr_t)q, 0x01020304, 10));
    CHECK_HIP(hipMemsetD16((hipDeviceptr_t)(q + 40), 0x0506, 5));
    CHECK_HIP(hipMemsetD8((hipDeviceptr_t)(q + 50), 9, 5));
    CHECK_HIP(hipMemcpy(b.data(), q, 60, hipMemcpyDeviceToHost));
    CHECK(b[0] == 4 && b[39] == 1 && b[40] == 6 && b[49] == 5 && b[50] == 9 && b[54] == 9 &&
          b[55] == a[55]);

    CHECK_HIP(hipHostMalloc((void **)&host, 1000, hipHostMallocMapped));
    CHECK_HIP(hipHostGetDevicePointer((void **)&mapped, host, 0));
    CHECK_HIP(hipMemset(mapped, 3, 1000));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK(host[0] == 3 && host[999] == 3);
    CHECK_HIP(hipPointerGetAttributes(&attr, q + 5));
    CHECK(attr.type == hipMemoryTypeDevice);
    CHECK_HIP(hipPointerGetAttributes(&attr, host));
    CHECK(attr.type == hipMemoryTypeHost);
    CHECK_HIP(hipMemGetInfo(&free_bytes, &total));
    CHECK(free_bytes > 0 && free_bytes <= total);

    CHECK_HIP(hipFree(nullptr));
    CHECK_HIP(hipFree(q));
    CHECK_ERR(hipFree(q), hipErrorInvalidValue);
    CHECK_ERR(hipFree(p + 1), hipErrorInvalidValue);
    CHECK_HIP(hipFree(p));
    CHECK_HIP(hipHostFree(host));
    CHECK_ERR(hipMalloc((void **)&p, (size_t)1 << 60), hipErrorOutOfMemory);
    CHECK(hipMalloc((void **)&p, 0) == hipSuccess && p == nullptr);
    CHECK_ERR(hipMemcpy(nullptr, a.data(), 10, hipMemcpyHostToDevice), hipErrorInvalidValue);
    CHECK(hipGetLastError() == hipErrorInvalidValue);
    CHECK(hipGetLastError() == hipSuccess);
    return 0;
}
