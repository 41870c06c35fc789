/* SPDX-License-Identifier: MIT */
/* What the examples share: errors end the program, a timer, and the verdict. */
#ifndef LS_EXAMPLES_COMMON_H
#define LS_EXAMPLES_COMMON_H

#include <hip/hip_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#define HIP_CHECK(call)                                                                            \
    do {                                                                                           \
        hipError_t status_ = (call);                                                               \
        if (status_ != hipSuccess) {                                                               \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                     \
                         hipGetErrorString(status_));                                              \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

inline double
seconds()
{
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/* The shortest of five times, so that none has the compiler in it. */
template <class Launch>
double
best_seconds(Launch launch)
{
    double best = 1e9;

    for (int round = 0; round < 5; round++) {
        double start = seconds();
        launch();
        HIP_CHECK(hipGetLastError());
        HIP_CHECK(hipDeviceSynchronize());
        double took = seconds() - start;
        best = took < best ? took : best;
    }
    return best;
}

/* The same numbers on every machine. */
struct Random {
    unsigned state = 12345;

    float
    next() /* in [0, 1) */
    {
        state = state * 1664525u + 1013904223u;
        return (float)(state >> 8) * (1.0f / 16777216.0f);
    }
};

inline void
print_device()
{
    char name[256];
    int warp_size;
    HIP_CHECK(hipDeviceGetName(name, sizeof(name), 0));
    HIP_CHECK(hipDeviceGetAttribute(&warp_size, hipDeviceAttributeWarpSize, 0));
    std::printf("   on %s, warp of %d\n", name, warp_size);
}

/* A picture of red, green and blue bytes that any viewer opens. */
inline void
write_picture(const char *name, int width, int height, const unsigned char *rgb)
{
    if (FILE *file = std::fopen(name, "wb")) {
        std::fprintf(file, "P6\n%d %d\n255\n", width, height);
        std::fwrite(rgb, 3, (size_t)width * height, file);
        std::fclose(file);
        std::printf("   picture: %s\n", name);
    }
}

inline int
verdict(bool ok, const char *what)
{
    std::printf("   %s: %s\n", what, ok ? "verified" : "WRONG");
    return ok ? 0 : 1;
}

#endif
