/* SPDX-License-Identifier: MIT */
/* hipBusBandwidth: how fast copies between host and device are, by size and direction, in the form
 * of HIP's sample of that name. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "device.h"

#define PROGRAM   "hipBusBandwidth"
#define MAX_TIMES 1000

struct request {
    size_t first_bytes, last_bytes;
    int device, iterations;
    bool pinned, h2d, d2h, bidirectional;
};

struct buffers {
    char *host[2], *device[2];
    hipStream_t streams[2];
};

enum direction { H2D, D2H, BOTH };

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
copy(const struct buffers *b, enum direction direction, size_t bytes)
{
    if (direction != D2H)
        check(
            PROGRAM, "hipMemcpyAsync",
            hipMemcpyAsync(b->device[0], b->host[0], bytes, hipMemcpyHostToDevice, b->streams[0]));
    if (direction != H2D)
        check(
            PROGRAM, "hipMemcpyAsync",
            hipMemcpyAsync(b->host[1], b->device[1], bytes, hipMemcpyDeviceToHost, b->streams[1]));
    check(PROGRAM, "hipDeviceSynchronize", hipDeviceSynchronize());
}

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void
print_row(const char *name, size_t bytes, double *rates, int n)
{
    double sum = 0, squares = 0, mean;
    bool small = bytes < 1 << 20;
    int width;

    for (int i = 0; i < n; i++)
        sum += rates[i];
    mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (rates[i] - mean) * (rates[i] - mean);
    qsort(rates, (size_t)n, sizeof(*rates), by_value);
    width =
        printf("%s %.4g%s", name, (double)bytes / (small ? 1 << 10 : 1 << 20), small ? "kB" : "MB");
    printf("%*s %6d  GB/sec %8.4f %8.4f %8.4f %8.4f %8.4f\n", 34 - width, "", n, rates[n / 2], mean,
           n > 1 ? sqrt(squares / (n - 1)) : 0, rates[0], rates[n - 1]);
}

static void
measure(const struct request *request, const struct buffers *b, enum direction direction)
{
    static const char *const names[] = {"H2D_Bandwidth", "D2H_Bandwidth", "Bidir_Bandwidth"};
    static double rates[MAX_TIMES];
    char name[64];

    snprintf(name, sizeof(name), "%s_%s", names[direction],
             request->pinned ? "pinned" : "unpinned");
    for (size_t bytes = request->first_bytes; bytes <= request->last_bytes; bytes *= 2) {
        copy(b, direction, bytes);
        for (int i = 0; i < request->iterations; i++) {
            double start = now();

            copy(b, direction, bytes);
            rates[i] = (double)bytes * (direction == BOTH ? 2 : 1) / (now() - start) / 1e9;
        }
        print_row(name, bytes, rates, request->iterations);
    }
}

static void
prepare(const struct request *request, struct buffers *b)
{
    for (int i = 0; i < 2; i++) {
        check(PROGRAM, "hipMalloc", hipMalloc((void **)&b->device[i], request->last_bytes));
        if (request->pinned)
            check(PROGRAM, "hipHostMalloc",
                  hipHostMalloc((void **)&b->host[i], request->last_bytes, 0));
        else if (!(b->host[i] = malloc(request->last_bytes)))
            check(PROGRAM, "malloc", hipErrorOutOfMemory);
        memset(b->host[i], i, request->last_bytes);
        check(PROGRAM, "hipMemset", hipMemset(b->device[i], i, request->last_bytes));
        check(PROGRAM, "hipStreamCreate", hipStreamCreate(&b->streams[i]));
    }
}

static int
usage(FILE *to)
{
    fputs("usage: hipBusBandwidth [options]\n"
          "  --h2d, --d2h, --bidir     only these directions\n"
          "  --unpinned                memory of malloc instead of hipHostMalloc\n"
          "  --beginsize N, --endsize N, --onesize N   bytes; 1024 to 67108864, doubled each time\n"
          "  --iterations N            copies of each size, 10\n"
          "  --d N                     the device\n",
          to);
    return to == stderr ? 2 : 0;
}

/* A number behind an option; what it can't be ends the program. */
static unsigned long long
value(char **argv, int argc, int *i, unsigned long long lo, unsigned long long hi)
{
    char *end = NULL;
    unsigned long long n = *i + 1 < argc ? strtoull(argv[*i + 1], &end, 0) : 0;

    if (!end || *end || n < lo || n > hi) {
        fprintf(stderr, PROGRAM ": %s: a number from %llu to %llu is needed\n", argv[*i], lo, hi);
        exit(2);
    }
    ++*i;
    return n;
}

static int
read_arguments(int argc, char **argv, struct request *r)
{
    const unsigned long long most = 1ull << 40;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return usage(stdout) + 1;
        if (!strcmp(argv[i], "--h2d"))
            r->h2d = true;
        else if (!strcmp(argv[i], "--d2h"))
            r->d2h = true;
        else if (!strcmp(argv[i], "--bidir"))
            r->bidirectional = true;
        else if (!strcmp(argv[i], "--unpinned"))
            r->pinned = false;
        else if (!strcmp(argv[i], "--beginsize"))
            r->first_bytes = value(argv, argc, &i, 1, most);
        else if (!strcmp(argv[i], "--endsize"))
            r->last_bytes = value(argv, argc, &i, 1, most);
        else if (!strcmp(argv[i], "--onesize"))
            r->first_bytes = r->last_bytes = value(argv, argc, &i, 1, most);
        else if (!strcmp(argv[i], "--iterations"))
            r->iterations = (int)value(argv, argc, &i, 1, MAX_TIMES);
        else if (!strcmp(argv[i], "--d"))
            r->device = (int)value(argv, argc, &i, 0, 1000);
        else
            return usage(stderr) + 1;
    }
    if (!r->h2d && !r->d2h && !r->bidirectional)
        r->h2d = r->d2h = r->bidirectional = true;
    return 0;
}

int
main(int argc, char **argv)
{
    struct request request = {
        .first_bytes = 1024, .last_bytes = (size_t)64 << 20, .iterations = 10, .pinned = true};
    int status;
    struct buffers b;
    hipDeviceProp_t prop;

    ls_file_check_output();
    status = read_arguments(argc, argv, &request);
    if (status)
        return status - 1;
    check(PROGRAM, "hipSetDevice", hipSetDevice(request.device));
    check(PROGRAM, "hipGetDeviceProperties", hipGetDeviceProperties(&prop, request.device));
    printf("Device:%s Mem=%.1fGB #CUs=%d Freq=%dMhz MallocMode=%s\n", prop.name,
           (double)prop.totalGlobalMem / (1 << 30), prop.multiProcessorCount, prop.clockRate / 1000,
           request.pinned ? "pinned" : "unpinned");
    printf("%-34s %6s  %6s %8s %8s %8s %8s %8s\n", "test", "atts", "units", "median", "mean",
           "stddev", "min", "max");
    prepare(&request, &b);
    if (request.h2d)
        measure(&request, &b, H2D);
    if (request.d2h)
        measure(&request, &b, D2H);
    if (request.bidirectional)
        measure(&request, &b, BOTH);
    return 0;
}
