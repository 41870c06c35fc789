/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* Logs, the timeline, serialisation, hidden devices: what the environment switches on. */
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <time.h>

#include <hip/hip_runtime_api.h>

#include "unit/support/image.h"
#include "unit/test.h"

#define OK(call) EXPECT_EQ(call, hipSuccess)

static const struct test_kernel kernels[] = {{.name = "empty"}, {.name = "await", .args = {8, 8}}};

static char folder[] = "/tmp/ls-trace-XXXXXX";

static pid_t owner;

static void
remove_folder(void)
{
    char command[128];

    if (getpid() != owner || chdir("/") != 0)
        return;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "left behind: %s\n", folder);
}

static void
set_up(void)
{
    REQUIRE(mkdtemp(folder));
    owner = getpid();
    atexit(remove_folder);
    setenv("LOCKSTEP_CACHE", "0", 1);
    setenv("LOCKSTEP_ARCH", "gfx1100", 1);
    setenv("LOCKSTEP_COMPILER", LS_TEST_SUPPORT "/ls_fake_compiler.so", 1);
    setenv("LS_TEST_KERNELS", LS_TEST_SUPPORT, 1);
    setenv("LS_TEST_COMPILE_LOG", "/dev/null", 1);
    REQUIRE(chdir(folder) == 0);
}

static hipModule_t
load(void)
{
    struct image image = make_lsbc("gfx1100", 32, kernels, 2, NULL, 0, NULL);
    hipModule_t module = NULL;

    OK(hipModuleLoadData(&module, image.data));
    REQUIRE(module);
    free(image.data);
    return module;
}

static hipError_t
launch(hipModule_t module, const char *name, void **args, hipStream_t stream)
{
    hipFunction_t function = NULL;

    OK(hipModuleGetFunction(&function, module, name));
    return hipModuleLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL);
}

static char *
read_all(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    if (f && fread(text, 1, (1 << 20) - 1, f) == 0)
        fprintf(stderr, "%s is empty\n", path);
    if (f)
        fclose(f);
    return text;
}

/* Some line matches the extended regular expression. */
static bool
has_line(const char *text, const char *pattern)
{
    regex_t re;
    bool found;

    REQUIRE(regcomp(&re, pattern, REG_EXTENDED | REG_NEWLINE | REG_NOSUB) == 0);
    found = regexec(&re, text, 0, NULL, 0) == 0;
    regfree(&re);
    return found;
}

LS_TEST(calls_are_logged_as_amd_does)
{
    hipModule_t module;
    char *text;
    void *p;
    int n;

    set_up();
    setenv("AMD_LOG_LEVEL", "3", 1);
    setenv("AMD_LOG_LEVEL_FILE", "log", 1);
    OK(hipGetDeviceCount(&n));
    OK(hipSetDevice(0));
    EXPECT_EQ(hipSetDevice(7), hipErrorInvalidDevice);
    OK(hipMalloc(&p, 100));
    OK(hipFree(p));
    EXPECT_EQ(hipMalloc(NULL, 5), hipErrorInvalidValue);
    module = load();
    OK(launch(module, "empty", NULL, NULL));
    OK(hipDeviceSynchronize());
    text = read_all("log");
    EXPECT(has_line(
        text,
        "^:3:hip_api\\.def +:[0-9]+ +: [0-9]+: [0-9]+ : \\[[0-9a-f]+\\] hipSetDevice \\( 7 \\)$"));
    EXPECT(has_line(text, "\\] hipSetDevice: Returned hipErrorInvalidDevice$"));
    EXPECT(has_line(text, "\\] hipGetDeviceCount: Returned hipSuccess$"));
    EXPECT(has_line(text, "\\] hipMalloc \\( 0x[0-9a-f]+, 100 \\)$"));
    EXPECT(has_line(text, "\\] hipMalloc \\( <null>, 5 \\)$"));
    EXPECT(has_line(text, "^:1:api_memory\\.c +:[0-9]+ *: [0-9]+: hipErrorInvalidValue: "));
    EXPECT(has_line(text, "^:3:device\\.c +:[0-9]+ *: [0-9]+: ShaderName : empty$"));
    EXPECT(has_line(text, "hipModuleGetFunction \\( 0x[0-9a-f]+, 0x[0-9a-f]+, empty \\)$"));
    EXPECT(!has_line(text, "^:4:"));
    free(text);
}

LS_TEST(the_mask_chooses)
{
    hipModule_t module;
    char *text;

    set_up();
    setenv("AMD_LOG_LEVEL", "4", 1);
    setenv("AMD_LOG_MASK", "0x2", 1); /* commands, and no places */
    setenv("AMD_LOG_LEVEL_FILE", "log", 1);
    module = load();
    OK(launch(module, "empty", NULL, NULL));
    OK(hipDeviceSynchronize());
    text = read_all("log");
    EXPECT(has_line(text, "^:4: +: +: [0-9]+: stream 0: command 0x[0-9a-f]+: empty$"));
    EXPECT(has_line(text, "stream 0: command 0x[0-9a-f]+ ended: 0$"));
    EXPECT(!has_line(text, "hipModuleLoadData"));
    free(text);
}

/* ClPrint's rule: a line is said from its level on, and where the mask has its bit; errors always
 * (LOG_ALWAYS), even with no mask. */
LS_TEST(level_and_mask_have_to_agree_but_for_what_is_always_said)
{
    static const struct {
        const char *level, *mask, *line; /* NULL: none at all, but for the error */
    } cases[] = {
        {"3", "0x800", "^:3: +: +: [0-9]+: Initializing the cpu device: 0$"},
        {"2", "0x800", NULL},
        {"4", "0x100", NULL},
        {"4", "0", NULL},
        {"1", "0", NULL},
        {"0", "0xffffffff", NULL},
    };
    const size_t n = sizeof(cases) / sizeof(cases[0]);

    set_up();
    for (size_t i = 0; i < n; i++) {
        pid_t pid = fork();
        int status;

        if (pid == 0) {
            char *text, name[32];

            snprintf(name, sizeof(name), "rule%zu", i);
            close(open(name, O_CREAT | O_WRONLY, 0600));
            setenv("AMD_LOG_LEVEL", cases[i].level, 1);
            setenv("AMD_LOG_MASK", cases[i].mask, 1);
            setenv("AMD_LOG_LEVEL_FILE", name, 1);
            EXPECT_EQ(hipMalloc(NULL, 5), hipErrorInvalidValue);
            text = read_all(name);
            EXPECT_EQ(has_line(text, "hipErrorInvalidValue: "), *cases[i].level != '0');
            if (cases[i].line)
                EXPECT(has_line(text, cases[i].line));
            else
                EXPECT(!has_line(text, "^:[234]:"));
            free(text);
            exit(ls_test_failures != 0);
        }
        waitpid(pid, &status, 0);
        EXPECT_EQ(status, 0);
    }
}

/* Every category of the guide but locks, by itself: the line that only it prints. */
LS_TEST(every_mask_prints)
{
    static const struct {
        const char *mask, *line;
    } masks[] = {
        {"0x1", "hipModuleLoadData"},
        {"0x2", "stream 0: command 0x[0-9a-f]+ ended: 0$"},
        {"0x4", ": waiting$"},
        {"0x8", ": dispatch empty: grid_size .* workgroup_size .* kernarg_address "},
        {"0x10", "enters the queue, 1 are in it$"},
        {"0x20", "signals its end"},
        {"0x80", "ShaderName : empty$"},
        {"0x100", ": copy 0x[0-9a-f]+ to 0x[0-9a-f]+$"},
        {"0x200", ": copy of 1 slices of 1 rows of 4096 bytes: from 0x"},
        {"0x400", ": device memory 0x"},
        {"0x800", ": Initializing the cpu device: 0$"},
        {"0x1000", ": LOCKSTEP_ISA="},
        {"0x2000", ": dispatch empty: words [0-9a-f ]+$"},
        {"0x4000", ": code of empty for blocks of "},
        {"0x8000", ": stream 0: command 0x[0-9a-f]+, kind [0-9]+, ended [0-9]+ ns after"},
    };
    const size_t n = sizeof(masks) / sizeof(masks[0]);

    set_up();
    for (size_t i = 0; i < n; i++) {
        pid_t pid = fork();
        int status;

        if (pid == 0) {
            hipModule_t module;
            char *p, *text;

            setenv("AMD_LOG_LEVEL", "4", 1);
            setenv("AMD_LOG_MASK", masks[i].mask, 1);
            setenv("AMD_LOG_LEVEL_FILE", masks[i].mask, 1);
            module = load();
            OK(hipMalloc((void **)&p, 64 << 20));
            OK(launch(module, "empty", NULL, NULL));
            OK(hipDeviceSynchronize());
            OK(hipMemcpyAsync(p, p + 4096, 4096, hipMemcpyDeviceToDevice, NULL));
            OK(hipDeviceSynchronize());
            text = read_all(masks[i].mask);
            EXPECT(has_line(text, masks[i].line));
            for (size_t j = 0; j < n; j++)
                EXPECT(j == i || !has_line(text, masks[j].line));
            exit(ls_test_failures != 0);
        }
        waitpid(pid, &status, 0);
        EXPECT_EQ(status, 0);
    }
}

static void
do_work(void)
{
    hipModule_t module = load();
    hipStream_t stream;
    char *p;

    OK(hipStreamCreate(&stream));
    OK(hipMalloc((void **)&p, 8192));
    OK(launch(module, "empty", NULL, stream));
    OK(hipMemcpyAsync(p, p + 4096, 4096, hipMemcpyDeviceToDevice, stream));
    OK(hipDeviceSynchronize());
    hipModuleUnload(NULL);
}

LS_TEST(timeline)
{
    char *text, name[64];
    int status;
    pid_t pid;

    set_up();
    setenv("LOCKSTEP_TRACE", "t-%p.json", 1);
    pid = fork();
    if (pid == 0) {
        do_work();
        if (fork() == 0) { /* writes nothing into it */
            int n;

            hipGetDeviceCount(&n);
            exit(ls_test_failures != 0);
        }
        wait(NULL);
        exit(ls_test_failures != 0);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid && status == 0);
    snprintf(name, sizeof(name), "t-%d.json", (int)pid);
    text = read_all(name);
    EXPECT(has_line(text, "^\\[$"));
    EXPECT(has_line(text, "^\\{\\}\\]$"));
    EXPECT(has_line(text, "\"name\":\"hipModuleLaunchKernel\",\"cat\":\"api\",\"ph\":\"X\".*"
                          "\"result\":\"hipSuccess\""));
    EXPECT(has_line(text, "\"name\":\"hipModuleUnload\".*\"result\":\"hipErrorInvalidHandle\""));
    EXPECT(has_line(text, "\"name\":\"empty\",\"cat\":\"device\",\"ph\":\"X\",\"pid\":1,\"tid\":1,."
                          "*\"grid\":\"1,1,1\","
                          "\"block\":\"32,1,1\""));
    EXPECT(has_line(text, "\"name\":\"copy 4096 bytes\",\"cat\":\"device\".*\"tid\":1,"));
    EXPECT(has_line(text, "\"thread_name\".*\"name\":\"stream 1\""));
    EXPECT(!has_line(text, "hipGetDeviceCount"));
    free(text);
}

/* The spans of a process that says when its profile begins and ends. */
static char *
profile_of(const char *from_the_start)
{
    void *none = NULL, *args[] = {&none, &none};
    hipModule_t module;
    hipStream_t stream;
    char name[64];
    int status, n;
    pid_t pid;

    setenv("LOCKSTEP_TRACE", "p-%p.json", 1);
    setenv("LOCKSTEP_TRACE_START", from_the_start, 1);
    pid = fork();
    if (pid == 0) {
        OK(hipGetDeviceCount(&n));
        OK(hipProfilerStart());
        module = load();
        OK(hipStreamCreate(&stream));
        OK(launch(module, "empty", args, stream));
        OK(hipProfilerStop());
        OK(hipDeviceSynchronize()); /* work that was handed over in time counts */
        OK(hipProfilerStop());
        OK(hipStreamQuery(stream));
        OK(hipProfilerStart());
        OK(hipProfilerStart());
        OK(hipStreamDestroy(stream));
        exit(ls_test_failures != 0);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid && status == 0);
    snprintf(name, sizeof(name), "p-%d.json", (int)pid);
    return read_all(name);
}

LS_TEST(a_program_chooses_what_is_on_the_timeline)
{
    set_up();
    for (int start = 0; start < 2; start++) {
        char *text = profile_of(start ? "1" : "0");

        EXPECT_EQ(has_line(text, "\"name\":\"hipGetDeviceCount\""), start == 1);
        EXPECT(has_line(text, "\"name\":\"hipModuleLaunchKernel\""));
        EXPECT(has_line(text, "\"name\":\"empty\",\"cat\":\"device\""));
        EXPECT(!has_line(text, "\"name\":\"hipDeviceSynchronize\""));
        EXPECT(!has_line(text, "\"name\":\"hipStreamQuery\""));
        EXPECT(has_line(text, "\"name\":\"hipStreamDestroy\""));
        EXPECT(has_line(text, "^\\{\\}\\]$"));
        free(text);
    }
}

LS_TEST(a_timeline_that_cannot_be_written)
{
    set_up();
    setenv("LOCKSTEP_TRACE", "/no/such/folder/t.json", 1);
    do_work();
}

static int *flag; /* which kernels read */

/* After a while; with an argument, after *arg has been set, for ten seconds at most. */
static void *
raise_flag(void *arg)
{
    int *returned = arg;
    struct timespec ts = {.tv_sec = RUNNING_ON_VALGRIND ? 3 : 0, .tv_nsec = 50 * 1000 * 1000};

    for (int i = 0; returned && !__atomic_load_n(returned, __ATOMIC_ACQUIRE) && i < 200; i++)
        nanosleep(&ts, NULL);
    nanosleep(&ts, NULL);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void
blocks(const char *variable, const char *value)
{
    void *none = NULL, *args[] = {&flag, &none};
    hipModule_t module;
    hipStream_t stream;
    pthread_t thread;

    set_up();
    setenv(variable, value, 1);
    module = load();
    OK(hipHostMalloc((void **)&flag, sizeof(*flag), 0));
    OK(hipStreamCreate(&stream));
    REQUIRE(pthread_create(&thread, NULL, raise_flag, NULL) == 0);
    OK(launch(module, "await", args, stream));
    EXPECT_EQ(__atomic_load_n(flag, __ATOMIC_ACQUIRE), 1); /* the launch waited for the kernel */
    OK(hipStreamQuery(stream));
    pthread_join(thread, NULL);
}

LS_TEST(launch_blocking)
{
    blocks("HIP_LAUNCH_BLOCKING", "1");
}

LS_TEST(serialized_kernels)
{
    blocks("AMD_SERIALIZE_KERNEL", "2");
}

LS_TEST(serialized_copies_wait_before)
{
    void *none = NULL, *args[] = {&flag, &none};
    hipModule_t module;
    hipStream_t one, two;
    pthread_t thread;
    int returned = 0;
    char *p;

    set_up();
    setenv("AMD_SERIALIZE_COPY", "1", 1);
    module = load();
    OK(hipHostMalloc((void **)&flag, sizeof(*flag), 0));
    OK(hipStreamCreate(&one));
    OK(hipStreamCreate(&two));
    OK(hipMalloc((void **)&p, 4096));
    REQUIRE(pthread_create(&thread, NULL, raise_flag, &returned) == 0);
    OK(launch(module, "await", args, one));
    EXPECT_EQ(__atomic_load_n(flag, __ATOMIC_ACQUIRE), 0); /* launches are not */
    __atomic_store_n(&returned, 1, __ATOMIC_RELEASE);
    OK(hipMemsetAsync(p, 0, 16, two));
    EXPECT_EQ(__atomic_load_n(flag, __ATOMIC_ACQUIRE), 1);
    pthread_join(thread, NULL);
}

LS_TEST(hidden_devices)
{
    int n = 5;

    set_up();
    setenv("HIP_VISIBLE_DEVICES", "1", 1);
    EXPECT_EQ(hipGetDeviceCount(&n), hipErrorNoDevice);
    EXPECT_EQ(n, 0);
    EXPECT_EQ(hipSetDevice(0), hipErrorNoDevice);
}

LS_TEST(visible_devices)
{
    int n = 5;

    set_up();
    setenv("HIP_VISIBLE_DEVICES", "0,1", 1);
    setenv("ROCR_VISIBLE_DEVICES", "0", 1);
    OK(hipGetDeviceCount(&n));
    EXPECT_EQ(n, 1);
}

LS_TEST(code_objects_are_dumped)
{
    char *text;

    set_up();
    setenv("GPU_DUMP_CODE_OBJECT", "1", 1);
    load();
    load();
    EXPECT(access("_code_object0000.bc", R_OK) == 0);
    text = read_all("_code_object0001.bc");
    EXPECT(text[0] != 0);
    free(text);
}
