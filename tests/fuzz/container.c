/* SPDX-License-Identifier: MIT */
/* Fuzzes the loader of containers, with launches of what loads. LS_FUZZ_IMAGE names a bundle of the
 * kernels below, with code made ahead of time; or else hipcc makes it.
 *
 * - Damage without right hashes is what accidents do: an error, or every kernel computes what it
 * should.
 * - Damage with hashes made anew, of the tables or of the bitcode, is what forgers do: errors, or
 * code is made of it. It isn't run: what bitcode says it may do, a kernel may, and it may store
 * anywhere. */
#include <sys/stat.h>

#include <hip/hip_runtime_api.h>

#include "fuzz/mutate.h"
#include "unit/support/image.h"

static const char source[] =
    "#include <hip/hip_runtime.h>\n"
    "__device__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
    "__device__ int *pointer = table + 2;\n"
    "extern \"C\" __global__ void add(int *out, const int *a, const int *b, int n)\n"
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = a[i] + b[i]; }\n"
    "extern \"C\" __global__ void sums(int *out, const int *a, const int *b, int n)\n"
    "{ __shared__ int s[256]; int t = threadIdx.x; s[t] = t < n ? a[t] * b[t] : 0; "
    "__syncthreads();\n"
    "  for (int k = 128; k; k /= 2) { if (t < k) s[t] += s[t + k]; __syncthreads(); }\n"
    "  out[t] = s[0] + __shfl_xor(t, 1); }\n"
    "extern \"C\" __global__ void look(int *out, const int *a, const int *b, int n)\n"
    "{ int t = threadIdx.x; double d = a[t]; for (int i = 0; i < n && i < b[t] % 5; i++) d = d * "
    "0.5 + table[i];\n"
    "  out[t] = (int)d + *pointer; }\n";

enum { N = 256 };
static const char *const names[] = {"add", "sums", "look"};

static char folder[64], bundle_path[128];
static struct image bundle, bare; /* bare: the LSBC image in the bundle */
static int *mem;                  /* out, a, b */

static void
read_image(const char *path, struct image *im)
{
    FILE *f = fopen(path, "rb");
    struct stat st;

    if (!f || fstat(fileno(f), &st) != 0 || !(im->data = malloc((size_t)st.st_size)) ||
        fread(im->data, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
        printf("container: no image %s\n", path);
        exit(2);
    }
    im->bytes = (size_t)st.st_size;
    fclose(f);
}

/* Before there are processes that try. */
static void
make_bundle_file(void)
{
    char command[1024];
    FILE *f;

    snprintf(folder, sizeof(folder), "/tmp/ls-fuzz-XXXXXX");
    if (!mkdtemp(folder))
        exit(2);
    snprintf(bundle_path, sizeof(bundle_path), "%s/k.hip", folder);
    f = fopen(bundle_path, "w");
    if (!f || fputs(source, f) < 0 || fclose(f) != 0)
        exit(2);
    if (getenv("LS_FUZZ_IMAGE")) {
        read_image(getenv("LS_FUZZ_IMAGE"), &bundle);
    } else {
        snprintf(command, sizeof(command),
                 "%s/bin/hipcc -O2 -w --genco --offload-arch=gfx1100 --offload-arch=x86-64-v2 "
                 "-fno-lockstep-code-object "
                 "%s/k.hip -o %s/k.co",
                 LS_FUZZ_BUILD, folder, folder);
        if (system(command) != 0)
            exit(2);
        snprintf(bundle_path, sizeof(bundle_path), "%s/k.co", folder);
        read_image(bundle_path, &bundle);
    }
    for (size_t i = 0; i + sizeof(struct ls_lsbc_header) < bundle.bytes; i += 8) {
        struct ls_lsbc_header h;

        memcpy(&h, bundle.data + i, sizeof(h));
        if (h.magic != LS_LSBC_MAGIC || h.version != LS_LSBC_VERSION ||
            h.image_bytes > bundle.bytes - i)
            continue;
        bare.data = malloc(h.image_bytes);
        bare.bytes = h.image_bytes;
        if (bare.data)
            memcpy(bare.data, bundle.data + i, bare.bytes);
        return;
    }
    exit(2);
}

static void
begin(void)
{
    setenv("LOCKSTEP_CACHE_DIR", folder, 1);
    setenv("LOCKSTEP_MEMORY_MB", "512", 1);
    setenv("LOCKSTEP_COMPILER_SECONDS", "20", 1);
    setenv("LOCKSTEP_CACHE_LIMIT_MB", "64", 1);
    if (hipMallocManaged((void **)&mem, 3 * N * sizeof(*mem), 1) != hipSuccess)
        exit(2);
}

static int
expected(int kernel, int t)
{
    static const int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const int *a = mem + N, *b = mem + 2 * N;
    double d = a[t];
    int sum = 0;

    switch (kernel) {
    case 0:
        return a[t] + b[t];
    case 1:
        for (int i = 0; i < N; i++)
            sum += a[i] * b[i];
        return sum + (t ^ 1);
    default:
        for (int i = 0; i < b[t] % 5; i++)
            d = d * 0.5 + table[i];
        return (int)d + table[2];
    }
}

static bool
say(const char *what, hipError_t err)
{
    printf("container: %s: %s\n", what, hipGetErrorName(err));
    return false;
}

/* Runs a kernel of what was loaded: hipErrorInvalidImage at the launch, or right. */
static bool
run(hipModule_t m, int kernel)
{
    int *out = mem, *a = mem + N, *b = mem + 2 * N, n = N;
    void *args[] = {&out, &a, &b, &n};
    hipFunction_t f;
    hipError_t err = hipModuleGetFunction(&f, m, names[kernel]);

    if (err != hipSuccess)
        return say(names[kernel], err);
    for (int i = 0; i < N; i++)
        out[i] = -1, a[i] = i * 3, b[i] = 1000 - i;
    err = hipModuleLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, NULL, args, NULL);
    if (err == hipErrorInvalidImage)
        return true;
    if (err == hipSuccess)
        err = hipDeviceSynchronize();
    if (err != hipSuccess)
        return say("launch", err);
    for (int i = 0; i < N; i++)
        if (out[i] != expected(kernel, i)) {
            printf("container: %s: out[%d] is %d, not %d\n", names[kernel], i, out[i],
                   expected(kernel, i));
            return false;
        }
    return true;
}

static bool
accident(struct fuzz_random *r)
{
    const struct image *from = fuzz_below(r, 3) ? &bundle : &bare;
    char *data = malloc(from->bytes);
    size_t n = from->bytes;
    hipModule_t m;
    bool ok = true;
    char path[96];
    FILE *f;

    if (!data)
        return false;
    memcpy(data, from->data, n);
    fuzz_damage(r, data, &n);
    snprintf(path, sizeof(path), "%s/damaged", folder);
    f = fopen(path, "wb"); /* a file's size is known, memory's is not */
    if (f) {
        fwrite(data, 1, n, f);
        fclose(f);
    }
    free(data);
    if (hipModuleLoad(&m, path) != hipSuccess)
        return true;
    for (int k = 0; ok && k < 3; k++)
        ok = run(m, k);
    return hipModuleUnload(m) == hipSuccess && ok;
}

/* Makes code of a kernel without running it: a graph holds it. */
static void
make_code(hipModule_t m, const char *name)
{
    static char bytes[(1 << 20) + 64];
    static void *args[65536];
    hipKernelNodeParams params = {
        .blockDim = {N, 1, 1}, .gridDim = {1, 1, 1}, .kernelParams = args};
    hipGraphExec_t exec;
    hipGraphNode_t node;
    hipGraph_t graph;
    hipFunction_t f;

    if (hipModuleGetFunction(&f, m, name) != hipSuccess || hipGraphCreate(&graph, 0) != hipSuccess)
        return;
    for (size_t i = 0; i < sizeof(args) / sizeof(*args); i++)
        args[i] = bytes;
    params.func = f;
    if (hipGraphAddKernelNode(&node, graph, NULL, 0, &params) == hipSuccess &&
        hipGraphInstantiate(&exec, graph, NULL, NULL, 0) == hipSuccess)
        hipGraphExecDestroy(exec);
    hipGraphDestroy(graph);
}

static bool
forgery(struct fuzz_random *r)
{
    char *data = malloc(bare.bytes), *part;
    struct ls_lsbc_header h;
    hipModule_t m;
    size_t n;
    bool tables = fuzz_below(r, 3) == 0;

    if (!data)
        return false;
    memcpy(data, bare.data, bare.bytes);
    memcpy(&h, data, sizeof(h));
    part = tables ? data : data + h.bitcode_off;
    n = tables ? h.bitcode_off : h.bitcode_bytes;
    for (size_t times = 1 + fuzz_below(r, 3); times; times--) {
        size_t left = n;

        fuzz_damage(r, part, &left);
        if (left < n && !tables) { /* a shorter one */
            h.bitcode_bytes = n = left;
            memcpy(data, &h, sizeof(h));
        }
    }
    if (forge_hashes(data, bare.bytes) && hipModuleLoadData(&m, data) == hipSuccess) {
        for (int k = 0; k < 3; k++)
            make_code(m, names[k]);
        hipModuleUnload(m);
    }
    free(data);
    return true;
}

static bool
one(uint64_t seed)
{
    struct fuzz_random r = {seed};

    return fuzz_below(&r, 4) ? accident(&r) : forgery(&r);
}

int
main(int argc, char **argv)
{
    char command[128];
    int status;

    make_bundle_file();
    status = fuzz_main(argc, argv, &(struct fuzzer){"container", begin, one});
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command) != 0 ? 2 : status;
}
