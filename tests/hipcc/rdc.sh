# SPDX-License-Identifier: MIT
# -fgpu-rdc: device functions and variables across files, archives and shared libraries.
. "$LS_SOURCE/tests/hipcc/lib.inc"

cat >caller.hip <<'END'
#include <hip/hip_runtime.h>
#include <cstdio>
extern __device__ int helper(int);
extern __device__ int counter;
__global__ void call(int *p) { p[threadIdx.x] = helper(threadIdx.x) + counter; }
int other();
int main()
{
    int *d, h[64];
    if (hipMalloc((void **)&d, sizeof(h)))
        return 2;
    call<<<1, 64>>>(d);
    if (hipMemcpy(h, d, sizeof(h), hipMemcpyDeviceToHost))
        return 3;
    for (int i = 0; i < 64; i++)
        if (h[i] != 3 * i + 100)
            return 1;
    std::printf("other %d\n", other());
    return 0;
}
END
cat >helper.hip <<'END'
#include <hip/hip_runtime.h>
__device__ int counter = 100;
__device__ __attribute__((noinline)) int helper(int x) { return 3 * x; }
static __global__ void local(int *p) { *p = helper(14); }
int other() { int *d, h = 0; (void)hipMalloc((void **)&d, 4); local<<<1, 1>>>(d);
    (void)hipMemcpy(&h, d, 4, hipMemcpyDeviceToHost); return h; }
END
ok "without -fgpu-rdc an undefined function is refused" not sh -c "\"$hipcc\" caller.hip helper.hip -o plain >plain.log 2>&1"
ok "by name" has plain.log 'undefined device function _Z'
ok "one step" "$hipcc" -fgpu-rdc caller.hip helper.hip -o one
ok "runs" says 'other 42' ./one
ok "objects" "$hipcc" -fgpu-rdc -c caller.hip helper.hip
ok "LLVM shows their device code" sh -c "\"$LS_BUILD/lib/llvm/bin/llvm-objdump\" --offloading caller.o | tr -s ' \n' ' ' | grep -q 'kind llvm ir arch gfx1100 triple amdgcn-amd-amdhsa producer hip'"
ok "--hip-link" "$hipcc" --hip-link -fgpu-rdc caller.o helper.o -o objects
ok "objects run" says 'other 42' ./objects
ar rcs libhelper.a helper.o
ok "archive as a file" "$hipcc" -fgpu-rdc caller.o libhelper.a -o archive
ok "archive runs" says 'other 42' ./archive
rm libhelper.a
ok "--emit-static-lib" "$hipcc" -fgpu-rdc --emit-static-lib helper.hip -o libhelper.a
ok "archive by -l" "$hipcc" -fgpu-rdc caller.o -L. -lhelper -o dashl
ok "-l runs" says 'other 42' ./dashl
ar rcs libforms.a helper.o
mv libforms.a forms.lib
ok "-l: is a file's exact name" "$hipcc" -fgpu-rdc caller.o -L. -l:forms.lib -o exact
ok "-l: runs" says 'other 42' ./exact
mkdir folder
cp libhelper.a folder/libonly.a
for form in "-L folder -l only" "-Wl,-L,folder -Wl,-l,only" "-Xlinker -Lfolder -Xlinker -lonly" "--library-directory=folder -Wl,--library=only" "-Wl,--library-path=folder,--whole-archive,-l:libonly.a,--no-whole-archive" "-Wl,--whole-archive,folder/libonly.a,--no-whole-archive"; do
    # shellcheck disable=SC2086
    ok "$form" "$hipcc" -fgpu-rdc caller.o $form -o form
done
ok "-l in LIBRARY_PATH" env LIBRARY_PATH=/nowhere:folder "$hipcc" -fgpu-rdc caller.o -lonly -o path
ok "with a code object" "$hipcc" -fgpu-rdc --offload-arch=gfx90a caller.hip helper.hip -o gfx90a
ok "which runs" says 'other 42' ./gfx90a
ok "mixed with ordinary objects" sh -c "\"$hipcc\" -c twice.hip -Dmain=twice_main && \"$hipcc\" -fgpu-rdc caller.o helper.o twice.o -o mixed && ./mixed"
head -c 3000 caller.o >broken.o
ok "a damaged object is an error, not a crash" fails 1 "$hipcc" -fgpu-rdc broken.o helper.o -o broken
ok "--fgpu-rdc is -fgpu-rdc" sh -c "'$hipcc' --fgpu-rdc -c bare.hip -o double.o && '$LS_BUILD/bin/lsobj' double.o | grep -q offload--"
finish
