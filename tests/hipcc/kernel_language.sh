# SPDX-License-Identifier: MIT
# The kernel language as docs/kernel-language.md lists it: a call of every signature compiles for both warp widths, and
# on the host where the item is for both; constructs that only have to compile do; what is refused says so.
. "$LS_SOURCE/tests/hipcc/lib.inc"

list=$LS_SOURCE/docs/kernel-language.md

# A function that calls each `type name(type arg, ...)` of the sections with prototypes.
awk -F'|' '
/^## / { section = $0; sub(/^## /, "", section); sub(/ .*/, "", section) }
section ~ /^C\.(7|8|9|10|14|15|16|17|18)$/ && $3 ~ /done/ && $2 ~ /^ `[A-Za-z_][^`]*\([^`]*\)`/ {
    text = $2
    sub(/^ `/, "", text)
    sub(/`.*/, "", text)
    open = index(text, "(")
    head = substr(text, 1, open - 1)
    args = substr(text, open + 1)
    sub(/\)$/, "", args)
    match(head, /[A-Za-z_0-9]+ *$/)
    name = substr(head, RSTART)
    sub(/ *$/, "", name)
    result = substr(head, 1, RSTART - 1)
    if (result == "")
        result = "auto "
    n = split(args, arg, ",")
    call = ""
    params = ""
    for (i = 1; i <= n; i++) {
        sub(/=.*/, "", arg[i])
        match(arg[i], /[A-Za-z_0-9]+ *$/)
        call = call (i > 1 ? ", " : "") substr(arg[i], RSTART)
        params = params (i > 1 ? "," : "") arg[i]
    }
    count++
    printf "__device__ %sdevice_%d(%s) { return %s(%s); }\n", result, count, params, name, call
    if (section ~ /^C\.[78]$/ && name !~ /^nanf?$/)
        printf "__host__ %shost_%d(%s) { return %s(%s); }\n", result, count, params, name, call
}
END { printf "// %d signatures\n", count }' "$list" >calls.inc
{ echo '#include <hip/hip_runtime.h>'; echo '#include <hip/hip_fp16.h>'; echo 'typedef int T;'; cat calls.inc; } >calls.hip
ok "the list has its signatures" test "$(grep -c '^__device__' calls.inc)" -gt 250
for arch in gfx1100 gfx90a; do
    ok "every signature, $arch" quiet "$hipcc" -fsyntax-only --offload-arch=$arch calls.hip
done

# Constructs
cat >flags.hip <<'END'
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
__global__ void a(float *p, __half2 *h) { unsafeAtomicAdd(p, 1.0f); atomicAdd(h, *h); *p = __fadd_rd(*p, 1.0f); }
END
cat >constructs.hip <<'END'
#include <hip/hip_bf16.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
namespace cg = cooperative_groups;

__global__ void dynamic_shared(float *out) { HIP_DYNAMIC_SHARED(float, lds) lds[0] = 1; *out = lds[0]; }
__global__ void restricted(int *__restrict__ a, const int *__restrict__ b) { *a = *b + __ldg(b); }
__global__ void old_names(int *a) { *a = hipBlockDim_x + hipBlockIdx_y + hipThreadIdx_z + hipGridDim_x; }
__global__ void print() { printf("%d %d\n", (int)threadIdx.x, (int)blockIdx.x); }
__global__ void unroll(int *a, int n)
{
#pragma unroll 16
    for (int i = 0; i < n; i++) a[i] = i;
#pragma unroll 1
    for (int i = 0; i < n; i++) a[i] += i;
#pragma unroll
    for (int i = 0; i < 8; i++) a[i] *= 2;
}
__global__ void keyword(int *a) { register int x = 1; uint y = 2; *a = x + (int)y; }
struct config { unsigned block_size; };
template <class C> constexpr config params() { return config{C::size}; }
struct small { static constexpr unsigned size = 64; };
template <class C> __global__ void __launch_bounds__(params<C>().block_size) bounded(int *a) { *a = 1; }
template __global__ void bounded<small>(int *);
#ifdef __HIP_PLATFORM_AMD__
__global__ void __launch_bounds__(256, 2) two_bounds(int *a) { *a = 1; }
#endif
#ifdef __HIP_DEVICE_COMPILE__
#if !__HIP_ARCH_HAS_WARP_VOTE__ || !__HIP_ARCH_HAS_WARP_BALLOT__ || !__HIP_ARCH_HAS_WARP_SHUFFLE__ || \
    !__HIP_ARCH_HAS_GLOBAL_INT32_ATOMICS__ || !__HIP_ARCH_HAS_DOUBLES__
#error "features"
#endif
#endif
__global__ void grids(unsigned *a)
{
    auto all = cg::this_multi_grid();
    all.sync();
    a[0] = all.size() + all.thread_rank() + all.is_valid() + all.num_grids() + all.grid_rank();
    auto grid = cg::this_grid();
    a[1] = grid.size() + grid.thread_rank() + grid.is_valid();
    cg::thread_group group = cg::this_thread_block();
    a[2] = group.size() + group.thread_rank() + group.is_valid();
}
__global__ void halves(__half *h, __half2 *h2, __hip_bfloat16 *b, __hip_bfloat162 *b2)
{
    *h = __shfl(*h, 1) + __shfl_up(*h, 1) + __shfl_down(*h, 1) + __shfl_xor(*h, 1);
    *h2 = __shfl_sync(~0ull, *h2, 1) + __shfl_xor(*h2, 1);
    *b = __shfl(*b, 1) + __shfl_xor_sync(~0ull, *b, 1);
    *b2 = __shfl_down(*b2, 1);
}
template <typename F> __global__ void classes(bool *o, F x)
{
    *o = isfinite(x) + isinf(x) + isnan(x) + signbit(x);
}
template __global__ void classes<float>(bool *, float);
template __global__ void classes<double>(bool *, double);
__global__ void more_atomics(unsigned short *s, double *d, unsigned long long *u, long long *l, float *f)
{
    atomicCAS(s, (unsigned short)1, (unsigned short)2);
    atomicExch(d, 1.0);
    atomicExch_system(f, 1.0f);
    atomicSub(u, 1ull);
    atomicSub(f, 1.0f);
    atomicSub(d, 1.0);
    atomicMin(l, 1ll);
    atomicMax(l, 1ll);
    atomicMin(f, 1.0f);
    atomicMax(d, 1.0);
    atomicMin_system(u, 1ull);
    atomicMax_system(u, 1ull);
}

/* Every operator of every vector, on both sides. */
template <typename V> __host__ __device__ void numbers(V &a, V b)
{
    a = a + b - b * b / (b + 1) + 2 * b;
    a += b; a -= b; a *= b; a /= b; a += 1; a -= 1; a *= 2; a /= 2;
    ++a; --a; a++; a--;
    if (a == b || a != b) a = b;
    a.x = b.x;
}
template <typename V> __host__ __device__ void integers(V &a, V b)
{
    numbers(a, b);
    a = (a % b) & (a | b) ^ (a << 1) & (b >> 1) & ~b;
    a %= b; a &= b; a |= b; a ^= b; a <<= b; a >>= b;
}
#define FAMILY(fn, name, T) \
    __host__ __device__ void all_##name() \
    { \
        name##1 a = make_##name##1((T)1); name##2 b = make_##name##2((T)1, (T)2); \
        name##3 c = make_##name##3((T)1, (T)2, (T)3); name##4 d = make_##name##4((T)1, (T)2, (T)3, (T)4); \
        fn(a, a); fn(b, b); fn(c, c); fn(d, d); \
        static_assert(sizeof(a) == sizeof(T) && sizeof(b) == 2 * sizeof(T) && sizeof(c) == 3 * sizeof(T) && \
                      sizeof(d) == 4 * sizeof(T) && alignof(name##4) == 4 * sizeof(T), "layout"); \
        b.y = c.z; d.w = b.x; \
    }
FAMILY(integers, char, char) FAMILY(integers, uchar, unsigned char) FAMILY(integers, short, short)
FAMILY(integers, ushort, unsigned short) FAMILY(integers, int, int) FAMILY(integers, uint, unsigned int)
FAMILY(integers, long, long) FAMILY(integers, ulong, unsigned long) FAMILY(integers, longlong, long long)
FAMILY(integers, ulonglong, unsigned long long) FAMILY(numbers, float, float) FAMILY(numbers, double, double)
END
for arch in gfx1100 gfx90a; do
    ok "constructs, $arch" "$hipcc" -fsyntax-only --offload-arch=$arch constructs.hip
done
for flag in -munsafe-fp-atomics -mno-unsafe-fp-atomics '-D__HIP_NO_HALF_OPERATORS__=1 -D__HIP_NO_HALF_CONVERSIONS__=1' \
    -DOCML_BASIC_ROUNDED_OPERATIONS -DHIP_ENABLE_WARP_SYNC_BUILTINS; do
    # shellcheck disable=SC2086
    ok "$flag" "$hipcc" -fsyntax-only --offload-device-only $flag flags.hip
done

# What is refused. said TEXT SOURCE: all in one source, each under a name of its own for clang's messages.
said() {
    n_said=$((n_said + 1))
    printf '#line 1 "refused-%d"\nnamespace refused_%d {\n%s\n}\n' $n_said $n_said "$2" >>refused.hip
    printf '%s\n%s\n' "$1" "$2" >said.$n_said
}
n_said=0
printf '#include <hip/hip_runtime.h>\n#include <hip/hip_cooperative_groups.h>\n#include <typeinfo>\n' >refused.hip
said "reference to __global__ function 'a'" '__global__ void a() {} __global__ void b() { a<<<1, 1>>>(); }'
said 'must have void return type' '__global__ int a() { return 1; }'
said "reference to __device__ function" 'int f() { return threadIdx.x; }'
said 'attributes are not compatible' '__host__ __global__ void a() {}'
said 'the lane mask of a _sync function is a 64-bit integer' '__global__ void a(int *p) { *p = __shfl_sync(~0u, *p, 1); }'
said 'the lane mask of a _sync function is a 64-bit integer' '__global__ void a(int *p) { *p = __all_sync(~0u, *p); }'
said 'HIP has no profiler counters in kernels' '__global__ void a() { __prof_trigger(1); }'
said "cannot use 'try' in __global__ function" '__global__ void a(int *p) { try { *p = 1; } catch (...) { } }'
said "cannot use 'throw' in __global__ function" '__global__ void a() { throw 1; }'
said "reference to __host__ function 'name'" 'struct A { __device__ virtual int f() { return 1; } }; __global__ void k(A *a, const char **p) { *p = typeid(*a).name(); }'
said "use of undeclared identifier 'load_matrix_sync'" '__global__ void a() { load_matrix_sync(1, 2, 3); }'
said "use of undeclared identifier 'mma_sync'" '__global__ void a() { mma_sync(1, 2, 3); }'
said 'the size of a tile is a power of two' '__global__ void a() { auto t = cooperative_groups::tiled_partition<24>(cooperative_groups::this_thread_block()); t.sync(); }'
# refuses WHERE TEXT: an error with the text, and it or a note of it names the place.
refuses() {
    awk -v where="$1" -v text="$2" '/ error: / { hit = index($0, text) } hit && index($0, where) == 1 { found = 1 }
        END { exit !found }' refused.log || { cat refused.log; return 1; }
}
"$hipcc" -fsyntax-only -ferror-limit=0 refused.hip >refused.log 2>&1
for i in $(seq 1 $n_said); do
    ok "refused: $(sed 1d said.$i)" refuses "refused-$i:" "$(head -1 said.$i)"
done
ok "--maxregcount" says 'unknown argument' "$hipcc" --maxregcount=32 -c refused.hip
ok "-Wregister" says "'register' storage class specifier" "$hipcc" -Wregister -fsyntax-only constructs.hip

# The list itself: its tests exist.
ok "the list's tests" sh "$LS_SOURCE/scripts/coverage.sh"
sed 's/`--fgpu-rdc`/`--fgpu-never`/' "$LS_SOURCE/docs/status.md" >status.md
ok "an item that its tests do not name" says "no test of the row has --fgpu-never" sh -c "cd '$LS_SOURCE' && awk -f scripts/covered.awk '$work/status.md'"
finish
