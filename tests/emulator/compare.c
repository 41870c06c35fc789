/* SPDX-License-Identifier: MIT */
/* ls-compare [options] MODULE...: runs each kernel of a module (an offload bundle, as hipcc --genco
 * writes them) by the runtime and by the emulator, with the same inputs, and compares what they
 * leave in memory.
 *
 *   --only NAME    only this kernel
 *   --seed N       of inputs, block shapes and the warps' turns (1)
 *   --block X,Y,Z  threads of a block, instead of a shape by chance
 *   --emulate      only the emulator: prints a sum of what each kernel leaves
 *   --show N       what thread N leaves: by the runtime, by the emulator
 *   --words N      words of results of a thread
 *   --dump         prints all words of results that differ, not the first few; of the emulator
 * alone, all words
 *
 * A kernel is void (unsigned *out, const unsigned *in, unsigned *shared): out has 16 words
 * (--words) for each thread of the grid, in has IN_WORDS, shared SHARED_WORDS that begin as 0. The
 * last line is "N passed, N failed". */
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lsbc.h"
#include "emulate.h"

enum { IN_WORDS = 1024, SHARED_WORDS = 2048, DYNAMIC_LDS = 2048, MAX_THREADS = 4096 };

static const char *only;
static uint64_t first_seed = 1;
static uint32_t fixed_block[3];
static int emulate_only, dump;
static unsigned out_words = 16;
static long show = -1;
static unsigned n_passed, n_failed;

static uint64_t
next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static char *
read_all(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *data;
    long size;

    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) {
        fprintf(stderr, "ls-compare: %s: cannot read\n", path);
        exit(2);
    }
    rewind(f);
    data = malloc((size_t)size + 1);
    if (!data || fread(data, 1, (size_t)size, f) != (size_t)size)
        exit(2);
    fclose(f);
    *n = (size_t)size;
    return data;
}

/* The first LSBC image of an offload bundle. */
static const struct ls_lsbc_header *
find_image(const char *data, size_t n)
{
    uint64_t count, at = 32, fields[3];

    if (n < 32 || memcmp(data, "__CLANG_OFFLOAD_BUNDLE__", 24))
        return NULL;
    for (memcpy(&count, data + 24, 8); count && at + 24 <= n; count--) {
        memcpy(fields, data + at, 24); /* offset, bytes, length of the name */
        at += 24;
        if (fields[2] > n - at)
            return NULL;
        if (fields[2] > 13 && !memcmp(data + at, "lockstep-bc--", 13) && fields[0] + fields[1] <= n)
            return (const struct ls_lsbc_header *)(const void *)(data + fields[0]);
        at += fields[2];
    }
    return NULL;
}

struct buffers {
    uint32_t *out, *in, *shared;
};

static struct buffers should, is;

struct shape {
    uint32_t blocks[3], threads[3];
    size_t out_words;
};

/* Words of all kinds: small, large, with one bit, numbers of a common size. */
static void
fill(struct buffers *b, uint64_t seed)
{
    for (unsigned k = 0; k < IN_WORDS; k++) {
        uint64_t r = next(&seed);
        float x = (float)(int64_t)(r >> 40) / 64.0f - 1000.0f;
        uint32_t word = (uint32_t)r;

        switch (r >> 60) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
            word &= 63;
            break;
        case 5:
            word = 1u << (word & 31);
            break;
        case 6:
            word = (uint32_t)-(int32_t)(word & 255);
            break;
        case 7:
        case 8:
            memcpy(&word, &x, 4);
            break;
        case 9:
            word = 0;
            break;
        default:
            break;
        }
        b->in[k] = word;
    }
    memset(b->shared, 0, SHARED_WORDS * 4);
    memset(b->out, 0, MAX_THREADS * out_words * 4);
}

static struct shape
choose_shape(uint64_t seed)
{
    static const uint32_t threads[][3] = {{32, 1, 1},  {64, 1, 1},  {48, 1, 1},  {33, 1, 1},
                                          {128, 1, 1}, {16, 16, 1}, {8, 4, 3},   {100, 1, 1},
                                          {1, 1, 1},   {5, 7, 3},   {256, 1, 1}, {64, 2, 1},
                                          {96, 1, 1},  {3, 50, 1},  {17, 1, 2},  {65, 1, 1}};
    struct shape s = {.blocks = {1 + (uint32_t)(next(&seed) % 3), 1, 1}};

    memcpy(s.threads, fixed_block[0] ? fixed_block : threads[next(&seed) % 16], sizeof(s.threads));
    s.out_words = (size_t)s.blocks[0] * s.threads[0] * s.threads[1] * s.threads[2] * out_words;
    return s;
}

static void
try(hipError_t e, const char *what)
{
    if (e != hipSuccess) {
        fprintf(stderr, "ls-compare: %s: %s\n", what, hipGetErrorString(e));
        exit(2);
    }
}

static int
run_really(hipModule_t module, const char *kernel, const struct shape *s, struct buffers *device,
           struct buffers *result)
{
    hipFunction_t function;
    void *args[] = {&device->out, &device->in, &device->shared};
    hipError_t e;

    try(hipMemcpy(device->in, result->in, IN_WORDS * 4, hipMemcpyHostToDevice), "copy");
    try(hipMemset(device->shared, 0, SHARED_WORDS * 4), "clear");
    try(hipMemset(device->out, 0, MAX_THREADS * out_words * 4), "clear");
    e = hipModuleGetFunction(&function, module, kernel);
    if (e == hipSuccess)
        e = hipModuleLaunchKernel(function, s->blocks[0], s->blocks[1], s->blocks[2], s->threads[0],
                                  s->threads[1], s->threads[2], DYNAMIC_LDS, NULL, args, NULL);
    if (e == hipSuccess)
        e = hipDeviceSynchronize();
    if (e != hipSuccess) {
        printf("%s: %s\n", kernel, hipGetErrorString(e));
        return 0;
    }
    try(hipMemcpy(result->out, device->out, MAX_THREADS * out_words * 4, hipMemcpyDeviceToHost),
        "copy");
    try(hipMemcpy(result->shared, device->shared, SHARED_WORDS * 4, hipMemcpyDeviceToHost), "copy");
    return 1;
}

static int
differ(const char *what, const struct shape *s, const char *kernel, const uint32_t *found,
       const uint32_t *right, size_t n, unsigned per_thread)
{
    unsigned n_differ = 0;

    for (size_t k = 0; k < n; k++) {
        if (found[k] == right[k])
            continue;
        if (n_differ++ < 4 || dump)
            printf("%s: block of (%u, %u, %u), %s %zu word %zu (behind %u): 0x%x, the emulator "
                   "says 0x%x\n",
                   kernel, s->threads[0], s->threads[1], s->threads[2], what, k / per_thread,
                   k % per_thread, k ? right[k - 1] : 0, found[k], right[k]);
    }
    if (n_differ > 4)
        printf("%s: %u words of %s differ\n", kernel, n_differ, what);
    return n_differ != 0;
}

static void
compare(struct emu *emu, hipModule_t module, const char *kernel, struct buffers *device)
{
    uint64_t seed = first_seed;
    char error[256];
    struct shape s;

    for (const char *c = kernel; *c; c++)
        seed = seed * 131 + (unsigned char)*c;
    s = choose_shape(seed);
    fill(&should, seed);
    fill(&is, seed);
    struct emu_launch launch = {kernel,
                                {s.blocks[0], s.blocks[1], s.blocks[2]},
                                {s.threads[0], s.threads[1], s.threads[2]},
                                &should,
                                sizeof(should),
                                DYNAMIC_LDS,
                                seed};
    if (!emu_run(emu, &launch, error)) {
        printf("%s: the emulator stopped: %s\n", kernel, error);
        n_failed++;
        return;
    }
    if (show >= 0 && (size_t)show * out_words < s.out_words && !emulate_only &&
        run_really(module, kernel, &s, device, &is))
        for (size_t k = (size_t)show * out_words; k < ((size_t)show + 1) * out_words; k++)
            if (is.out[k] || should.out[k])
                printf("%s: thread %ld word %zu: 0x%x, 0x%x\n", kernel, show, k % out_words,
                       is.out[k], should.out[k]);
    if (emulate_only) {
        uint32_t sum = 0;
        for (size_t k = 0; k < s.out_words; k++) {
            sum = sum * 31 + should.out[k];
            if (dump && should.out[k])
                printf("%s: thread %zu word %zu: 0x%x\n", kernel, k / out_words, k % out_words,
                       should.out[k]);
        }
        printf("%s: %08x\n", kernel, sum);
        n_passed++;
        return;
    }
    if (!run_really(module, kernel, &s, device, &is) ||
        differ("thread", &s, kernel, is.out, should.out, s.out_words, out_words) |
            differ("shared", &s, kernel, is.shared, should.shared, SHARED_WORDS, SHARED_WORDS))
        n_failed++;
    else
        n_passed++;
    fflush(stdout);
}

static void
compare_module(const char *path)
{
    size_t n;
    char *data = read_all(path, &n), error[256];
    const struct ls_lsbc_header *image = find_image(data, n);
    struct buffers device;
    hipModule_t module = NULL;
    struct emu *emu;
    const char *kernel;

    if (!image) {
        fprintf(stderr, "ls-compare: %s: no bundle with bitcode\n", path);
        exit(2);
    }
    emu = emu_create((const char *)image + image->bitcode_off, image->bitcode_bytes,
                     image->warp_size, error);
    if (!emu) {
        printf("%s: %s\n", path, error);
        n_failed++;
        free(data);
        return;
    }
    if (!emu_map(emu, should.out, MAX_THREADS * out_words * 4) ||
        !emu_map(emu, should.in, IN_WORDS * 4) || !emu_map(emu, should.shared, SHARED_WORDS * 4))
        exit(2);
    if (!emulate_only) {
        try(hipModuleLoadData(&module, data), path);
        try(hipMalloc((void **)&device.out, MAX_THREADS * out_words * 4), "memory");
        try(hipMalloc((void **)&device.in, IN_WORDS * 4), "memory");
        try(hipMalloc((void **)&device.shared, SHARED_WORDS * 4), "memory");
    }
    for (unsigned k = 0; (kernel = emu_kernel(emu, k)) != NULL; k++)
        if (!only || !strcmp(only, kernel))
            compare(emu, module, kernel, &device);
    if (!emulate_only)
        try(hipModuleUnload(module), path);
    emu_destroy(emu);
    free(data);
}

int
main(int argc, char **argv)
{
    int k = 1;

    for (; k < argc && argv[k][0] == '-'; k++) {
        if (!strcmp(argv[k], "--emulate"))
            emulate_only = 1;
        else if (!strcmp(argv[k], "--dump"))
            dump = 1;
        else if (!strcmp(argv[k], "--only") && k + 1 < argc)
            only = argv[++k];
        else if (!strcmp(argv[k], "--show") && k + 1 < argc)
            show = strtol(argv[++k], NULL, 0);
        else if (!strcmp(argv[k], "--words") && k + 1 < argc)
            out_words = (unsigned)strtoul(argv[++k], NULL, 0);
        else if (!strcmp(argv[k], "--seed") && k + 1 < argc)
            first_seed = strtoull(argv[++k], NULL, 0);
        else if (!strcmp(argv[k], "--block") && k + 1 < argc &&
                 sscanf(argv[++k], "%u,%u,%u", &fixed_block[0], &fixed_block[1], &fixed_block[2]) ==
                     3)
            continue;
        else
            break;
    }
    if (k == argc || argv[k][0] == '-') {
        fprintf(stderr, "usage: ls-compare [--only KERNEL] [--seed N] [--block X,Y,Z] [--emulate] "
                        "[--dump] MODULE...\n");
        return 2;
    }
    for (int side = 0; side < 2; side++) {
        struct buffers *b = side ? &is : &should;
        b->out = malloc(MAX_THREADS * out_words * 4);
        b->in = malloc(IN_WORDS * 4);
        b->shared = malloc(SHARED_WORDS * 4);
        if (!b->out || !b->in || !b->shared)
            return 2;
    }
    for (; k < argc; k++)
        compare_module(argv[k]);
    printf("%u passed, %u failed\n", n_passed, n_failed);
    return n_failed != 0;
}
