/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_test_support ls_device_cuda */
/* The driver that runs PTX (tests/ptx_driver): what instructions leave, and that what is undefined
 * is told and not waited for. */
#include <dlfcn.h>

#include "device/cuda/driver.h"
#include "unit/test.h"

#define LIBRARY LS_TEST_SUPPORT "/../ptx_driver/libcuda.so.1"
#define WORDS   64u

static struct ls_cu cu; /* the library's functions */
static struct ls_cu_stream *stream;
static uint64_t memory;
static char log_text[1024];

static void
set_up(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW);
    struct ls_cu_context *context;

    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
#define LS_CU_REQUIRED(name, symbol, parameters)                                                   \
    cu.name = (int(*) parameters)(uintptr_t)dlsym(library, #symbol);
#include "device/cuda/symbols.def"
    EXPECT_EQ(cu.cuInit(0), 0);
    EXPECT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 0), 0);
    EXPECT_EQ(cu.cuCtxSetCurrent(context), 0);
    EXPECT_EQ(cu.cuStreamCreateWithPriority(&stream, LS_CU_STREAM_NON_BLOCKING, 0), 0);
    EXPECT_EQ(cu.cuMemAlloc(&memory, WORDS * 4), 0);
}

/* A kernel of one pointer, p, in %rd1; %r1 is the thread's number, %rd2 where its word is. */
static int
load(const char *body, struct ls_cu_function **f)
{
    static const char head[] =
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n.shared .align 8 .b8 s[256];\n"
        "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
        "add.s64 %rd2, %rd1, %rd2;\n";
    int options[] = {LS_CU_JIT_ERROR_LOG, LS_CU_JIT_ERROR_LOG_BYTES};
    void *values[] = {log_text, (void *)(uintptr_t)(sizeof(log_text) - 1)};
    char text[8192];
    struct ls_cu_module *m;
    int result;

    snprintf(text, sizeof(text), "%s%s\nret;\n}\n", head, body);
    log_text[0] = 0;
    result = cu.cuModuleLoadDataEx(&m, text, 2, options, values);
    if (result)
        return result;
    return cu.cuModuleGetFunction(f, m, "k");
}

/* The result of a launch, and what it left. */
static int
run(const char *body, unsigned threads, uint32_t words[WORDS])
{
    struct ls_cu_function *f;
    void *args[] = {&memory};
    int result;

    set_up();
    result = load(body, &f);
    if (result) {
        fprintf(stderr, "%s\n", log_text);
        return result;
    }
    result = cu.cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, stream, args, NULL);
    if (!result && words)
        result = cu.cuMemcpyAsync((uint64_t)(uintptr_t)words, memory, WORDS * 4, stream);
    return result ? result : cu.cuStreamSynchronize(stream);
}

LS_TEST(lanes_exchange)
{
    uint32_t w[WORDS];

    EXPECT_EQ(run("shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; mul.lo.u32 %r2, %r2, 3;\n"
                  "st.global.u32 [%rd2], %r2;",
                  64, w),
              0);
    for (unsigned i = 0; i < 64; i++)
        EXPECT_EQ(w[i], 3 * ((i & 31) ^ 1) + 96 * (i / 32));
}

/* Each lane goes its own way: one waits for what a later one does. */
LS_TEST(lanes_make_progress_apart)
{
    uint32_t w[WORDS];

    EXPECT_EQ(run("setp.eq.s32 %p1, %r1, 31;\n@%p1 st.volatile.shared.u32 [s], 5;\n"
                  "again: ld.volatile.shared.u32 %r2, [s];\nsetp.ne.s32 %p2, %r2, 5;\n"
                  "@%p2 bra again;\nst.global.u32 [%rd2], %r2;",
                  32, w),
              0);
    EXPECT_EQ(w[0], 5);
}

LS_TEST(roundings)
{
    uint32_t w[WORDS];

    EXPECT_EQ(run("mov.b32 %r2, 0f3F800000;\nmov.b32 %r3, 0f33000000;\n" /* 1 + 2^-25 */
                  "add.rn.f32 %r4, %r2, %r3;\nst.global.u32 [%rd1], %r4;\n"
                  "add.rp.f32 %r4, %r2, %r3;\nst.global.u32 [%rd1+4], %r4;\n"
                  "cvt.rzi.s32.f32 %r4, 0f7FC00000;\nst.global.u32 [%rd1+8], %r4;\n"
                  "cvt.rzi.u32.f32 %r4, 0fBF800000;\nst.global.u32 [%rd1+12], %r4;\n"
                  "sub.rn.f32 %r4, 0f7F800000, 0f7F800000;\nst.global.u32 [%rd1+16], %r4;",
                  1, w),
              0);
    EXPECT_EQ(w[0], 0x3f800000);
    EXPECT_EQ(w[1], 0x3f800001);
    EXPECT_EQ(w[2], 0);
    EXPECT_EQ(w[3], 0);
    EXPECT_EQ(w[4], 0x7fffffff);
}

LS_TEST(memory_that_is_not_there)
{
    EXPECT_EQ(run("st.global.u32 [%rd2], %r1;", WORDS + 1, NULL), 700);
}

LS_TEST(memory_that_is_not_aligned)
{
    EXPECT_EQ(run("ld.global.u64 %rd3, [%rd1+4];", 1, NULL), 716);
}

LS_TEST(a_lane_that_never_comes)
{
    EXPECT_EQ(run("setp.eq.s32 %p1, %r1, 3;\n@%p1 bra other;\nbar.warp.sync -1;\nbra end;\n"
                  "other: bar.sync 1;\nend:",
                  32, NULL),
              719);
}

LS_TEST(a_lane_outside_of_its_mask)
{
    EXPECT_EQ(run("vote.sync.ballot.b32 %r2, 1, 15;", 32, NULL), 719);
}

LS_TEST(a_barrier_that_is_missed)
{
    EXPECT_EQ(run("setp.lt.s32 %p1, %r1, 32;\n@%p1 bar.sync 0;\n@!%p1 bar.sync 1;", 64, NULL), 719);
}

LS_TEST(a_barrier_for_whole_warps)
{
    EXPECT_EQ(run("setp.lt.s32 %p1, %r1, 16;\n@%p1 bra one;\nbar.sync 0;\nbra end;\n"
                  "one: bar.sync 0;\nend:",
                  32, NULL),
              719);
}

LS_TEST(lanes_that_have_ended_are_not_waited_for)
{
    uint32_t w[WORDS];

    EXPECT_EQ(run("setp.gt.s32 %p1, %r1, 7;\n@%p1 exit;\nvote.sync.ballot.b32 %r2, 1, -1;\n"
                  "bar.sync 0;\nst.global.u32 [%rd2], %r2;",
                  64, w),
              0);
    EXPECT_EQ(w[7], 255);
}

LS_TEST(what_is_not_known_is_refused)
{
    struct ls_cu_function *f;

    set_up();
    EXPECT_EQ(load("frobnicate.b32 %r2, %r1;", &f), 218);
    EXPECT(strstr(log_text, "line 14") && strstr(log_text, "frobnicate"));
    EXPECT_EQ(load("add.slowly.s32 %r2, %r1, 1;", &f), 218);
    EXPECT(strstr(log_text, "slowly") != NULL);
    EXPECT_EQ(load("add.wide.s32 %r2, %r1, 1;", &f), 218);
    EXPECT_EQ(load("add.s32 %r99, %r1, 1;", &f), 218);
    EXPECT_EQ(load("bra nowhere;", &f), 218);
}
