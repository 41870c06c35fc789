/* SPDX-License-Identifier: MIT */
/* Fuzzes the loader of the code cache: under a file's name lies damage, a pipe, a link, a device, a
 * folder, a file of terabytes, or the folder itself is not to be trusted; the kernel's result must
 * be right each time. Needs no LLVM. */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <hip/hip_runtime_api.h>

#include "fuzz/mutate.h"
#include "unit/support/image.h"

static char folder[64];
static struct image image;

static void
remove_folder(const char *path)
{
    char command[256];

    snprintf(command, sizeof(command), "chmod -R u+rwX %s; rm -rf %s %s.moved", path, path, path);
    if (system(command) != 0)
        printf("left behind: %s\n", path);
}

static void
at_end(void)
{
    remove_folder(folder);
}

static void
begin(void)
{
    static const struct test_kernel kernels[] = {{.name = "scale", .args = {8, 8, 4, 4}}};

    snprintf(folder, sizeof(folder), "/tmp/ls-fuzz-XXXXXX");
    if (!mkdtemp(folder))
        exit(2);
    atexit(at_end);
    setenv("LOCKSTEP_CACHE_DIR", folder, 1);
    setenv("LOCKSTEP_COMPILER", LS_TEST_SUPPORT "/ls_fake_compiler.so", 1);
    setenv("LS_TEST_KERNELS", LS_TEST_SUPPORT, 1);
    image = make_lsbc("gfx1100", 32, kernels, 1, NULL, 0, NULL);
}

/* The one file of code there. */
static bool
find_file(char path[256])
{
    char command[128];
    FILE *f;
    bool ok;

    snprintf(command, sizeof(command), "ls -d %s/*.so 2>/dev/null", folder);
    f = popen(command, "r");
    ok = f && fgets(path, 256, f);
    if (f)
        pclose(f);
    if (ok)
        path[strcspn(path, "\n")] = 0;
    return ok;
}

static void
rewrite(const char *path, struct fuzz_random *r)
{
    static char data[1 << 20];
    FILE *f = fopen(path, "r+b");
    size_t n = f ? fread(data, 1, sizeof(data), f) : 0;
    bool in_place = fuzz_below(r, 2);

    if (f)
        fclose(f);
    for (size_t times = 1 + fuzz_below(r, 3); times; times--)
        fuzz_damage(r, data, &n);
    if (!in_place)
        unlink(path);
    f = fopen(path, "wb");
    if (f) {
        fwrite(data, 1, n, f);
        fclose(f);
    }
}

static void
bind_socket(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(a.sun_path, sizeof(a.sun_path), "%.107s", path);
    if (bind(fd, (const struct sockaddr *)(const void *)&a, sizeof(a)) != 0)
        printf("no socket\n");
    close(fd);
}

/* What lies under the file's name instead of it. */
static void
replace(const char *path, struct fuzz_random *r)
{
    int fd;

    unlink(path);
    switch (fuzz_below(r, 8)) {
    case 0:
        mkfifo(path, 0600);
        break;
    case 1:
        mkdir(path, 0700);
        break;
    case 2:
        if (symlink("/dev/zero", path) != 0)
            printf("no link\n");
        break;
    case 3:
        if (symlink(path, path) != 0)
            printf("no link\n");
        break;
    case 4:
        if (mknod(path, S_IFCHR | 0600, 0x105) != 0) /* /dev/zero, where that is allowed */
            mkfifo(path, 0600);
        break;
    case 5:
        bind_socket(path);
        break;
    case 6:
        fd = open(path, O_WRONLY | O_CREAT, 0600);
        if (fd >= 0 &&
            ftruncate(fd, (off_t)(fuzz_next(r) >> fuzz_below(r, 40)) & ((off_t)1 << 43)) != 0)
            printf("no hole\n");
        close(fd);
        break;
    default:
        fd = open(path, O_WRONLY | O_CREAT, 0666);
        fchmod(fd, 0666);
        close(fd);
        break;
    }
}

static void
damage(const char *path, struct fuzz_random *r)
{
    char moved[80];

    snprintf(moved, sizeof(moved), "%s.moved", folder);
    switch (fuzz_below(r, 8)) {
    case 0:
        chmod(folder, 0777);
        break;
    case 1:
        if (rename(folder, moved) != 0 || symlink(moved, folder) != 0)
            printf("no link\n");
        break;
    case 2:
        remove_folder(folder);
        break;
    case 3:
    case 4:
        replace(path, r);
        break;
    default:
        rewrite(path, r);
        break;
    }
}

/* The folder as it should be. */
static void
repair(void)
{
    struct stat st;

    if (lstat(folder, &st) == 0 && S_ISLNK(st.st_mode))
        remove_folder(folder);
    mkdir(folder, 0700);
    chmod(folder, 0700);
}

static bool
run(void)
{
    enum { N = 64 };
    float *in = NULL, *out = NULL, factor = 3;
    int n = N;
    void *args[] = {&out, &in, &factor, &n};
    hipModule_t m;
    hipFunction_t f;
    hipError_t err = hipModuleLoadData(&m, image.data);
    bool ok = false;

    if (err == hipSuccess)
        err = hipModuleGetFunction(&f, m, "scale");
    if (err == hipSuccess && hipMallocManaged((void **)&in, N * sizeof(*in), 1) == hipSuccess &&
        hipMallocManaged((void **)&out, N * sizeof(*out), 1) == hipSuccess) {
        for (int i = 0; i < N; i++)
            in[i] = (float)i, out[i] = -1;
        err = hipModuleLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, NULL, args, NULL);
        if (err == hipSuccess)
            err = hipDeviceSynchronize();
        ok = err == hipSuccess;
        for (int i = 0; ok && i < N; i++)
            ok = out[i] == 3 * (float)i;
    }
    if (!ok)
        printf("cache: %s\n", hipGetErrorName(err));
    hipFree(in);
    hipFree(out);
    hipModuleUnload(m);
    return ok;
}

static bool
one(uint64_t seed)
{
    struct fuzz_random r = {seed};
    char path[256];

    repair();
    if (!find_file(path) && !(run() && find_file(path)))
        return false;
    damage(path, &r);
    return run();
}

int
main(int argc, char **argv)
{
    return fuzz_main(argc, argv, &(struct fuzzer){"cache", begin, one});
}
