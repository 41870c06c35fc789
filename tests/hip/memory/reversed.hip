/* SPDX-License-Identifier: MIT */
/* Neighbouring lanes at falling addresses: elements of 1 to 16 bytes, whole and in part, next to
 * pages that nobody may touch, and lanes that share a place with those of another group. */
#include "../check.h"

#include <sys/mman.h>
#include <unistd.h>

template <typename T>
__global__ void
from_behind(T *out, const T *in, int n)
{
    int i = (int)global_id();

    if (i < n)
        out[i] = in[n - 1 - i];
}

template <typename T>
__global__ void
to_behind(T *out, const T *in, int n, int from)
{
    int i = (int)global_id();

    if (i >= from && i < n)
        out[n - 1 - i] = in[i];
}

/* Warps of 8 lanes each the other way round, in shared memory and back. */
template <typename T>
__global__ void
in_parts(T *out, const T *in, int n)
{
    __shared__ T tile[256];
    int i = (int)global_id(), t = (int)threadIdx.x;

    tile[t] = i < n ? in[i] : T();
    __syncthreads();
    if (i < n)
        out[i] = tile[(t / 8) * 8 + 7 - t % 8];
}

/* n elements that end where nothing is, and begin there. */
template <typename T>
struct Fenced {
    size_t page, bytes;
    char *all, *first;
    T *p;

    Fenced(size_t n, bool at_end) : page((size_t)sysconf(_SC_PAGESIZE))
    {
        bytes = (n * sizeof(T) + page - 1) / page * page;
        CHECK_HIP(hipHostMalloc((void **)&all, bytes + 3 * page, 0));
        first = (char *)(((uintptr_t)all + page - 1) / page * page) + page;
        protect(PROT_NONE);
        p = (T *)(first + (at_end ? bytes - n * sizeof(T) : 0));
    }
    ~Fenced()
    {
        protect(PROT_READ | PROT_WRITE);
        CHECK_HIP(hipHostFree(all));
    }
    void protect(int how)
    {
        CHECK(mprotect(first - page, page, how) == 0);
        CHECK(mprotect(first + bytes, page, how) == 0);
    }
};

template <typename T>
static void
check(const char *what)
{
    static const int sizes[] = {1, 31, 32, 77, 256, 300};

    for (int n : sizes)
        for (int at_end = 0; at_end < 2; at_end++) {
            Fenced<T> in((size_t)n, at_end), out((size_t)n, !at_end);
            unsigned char *bytes = (unsigned char *)in.p;
            auto same = [&](int a, int b) { return memcmp(&out.p[a], &in.p[b], sizeof(T)) == 0; };

            for (size_t k = 0; k < n * sizeof(T); k++)
                bytes[k] = (unsigned char)(k * 7 + k / 251);
            from_behind<<<(n + 127) / 128, 128>>>(out.p, in.p, n);
            CHECK_RUN();
            for (int i = 0; i < n; i++)
                if (!same(i, n - 1 - i))
                    FAIL("%s: %d of %d elements from behind", what, i, n);
            memset(out.p, 0, n * sizeof(T));
            to_behind<<<(n + 127) / 128, 128>>>(out.p, in.p, n, 3);
            CHECK_RUN();
            T zero = T();
            for (int i = 0; i < n; i++)
                if (i >= 3 ? !same(n - 1 - i, i) : memcmp(&out.p[n - 1 - i], &zero, sizeof(T)) != 0)
                    FAIL("%s: %d of %d elements to behind", what, i, n);
            in_parts<<<(n + 255) / 256, 256>>>(out.p, in.p, n);
            CHECK_RUN();
            for (int i = 0; i < n / 8 * 8; i++)
                if (!same(i, i / 8 * 8 + 7 - i % 8))
                    FAIL("%s: %d of %d elements in parts", what, i, n);
        }
}

int
main()
{
    check<unsigned char>("char");
    check<unsigned short>("short");
    check<unsigned>("int");
    check<double>("double");
    check<uchar4>("uchar4");
    check<float2>("float2");
    check<float4>("float4");
    check<double2>("double2");
    return 0;
}
