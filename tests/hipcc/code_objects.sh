# SPDX-License-Identifier: MIT
# Code objects: roc-obj, roc-obj-ls, roc-obj-extract and their URIs; bundles taken apart and made; compressed ones.
. "$LS_SOURCE/tests/hipcc/lib.inc"

bin=$LS_BUILD/bin
PATH=$bin:$LS_BUILD/lib/llvm/bin:$PATH
lines() { [ "$(wc -l <"$1")" = "$2" ] || { cat "$1"; return 1; }; }
fields() { awk -v n="$1" 'NF != n { bad = 1 } END { exit bad || NR == 0 }' "$2"; }

ok "a program for two targets" "$hipcc" --offload-arch=gfx90a,gfx1100 twice.hip -o exe
ok "compressed" "$hipcc" --offload-compress --offload-arch=gfx90a,gfx1100 -c twice.hip -o packed.o
ok "linked" "$hipcc" packed.o -o packed

# roc-obj-ls
ok "roc-obj-ls" sh -c "roc-obj-ls exe >list"
ok "three entries" lines list 3
ok "number of the bundle, id, URI" fields 3 list
ok "that of the host is first" sh -c "head -1 list | grep -q '^1  *host-.*file://exe#offset=[0-9]*&size=0$'"
ok "-v has names of columns" says "Bundle# Entry ID:" roc-obj-ls -v exe
ok "-a has Lockstep's, too" says lockstep-bc--gfx90a roc-obj-ls -a exe
ok "which are no code objects for AMD hardware" silent lockstep-bc roc-obj-ls exe
ok "-h" says "Usage: roc-obj-ls [-v|h" roc-obj-ls -h
ok "no arguments" fails 1 roc-obj-ls
ok "no such file" says "cannot read 'nothing'" roc-obj-ls nothing
ok "no device code" sh -c "! roc-obj-ls bare.hip 2>why && grep -q 'holds no device code' why"
ok "what has no end" sh -c "! roc-obj-ls /dev/zero 2>why && grep -q 'cannot read.*File too large' why"
cp exe "a file"
ok "a path is encoded" says "file://a%20file#" roc-obj-ls "a file"

# The document's pipes
isa() { roc-obj-ls -v "$2" | awk "/$1/{print \$3}" | roc-obj-extract -o - | llvm-objdump -d -; }
for exe in exe packed "a file"; do
    ok "$exe: the ISA for gfx90a" sh -c "roc-obj-ls -v '$exe' | awk '/gfx90a/{print \$3}' | roc-obj-extract -o - | llvm-objdump -d - >exe.gfx90a.isa"
    ok "$exe: has the kernel" has exe.gfx90a.isa "<_Z5twicePi>:"
    ok "$exe: e_flags" sh -c "roc-obj-ls -v '$exe' | awk '/gfx1100/{print \$3}' | roc-obj-extract -o - | llvm-readelf -h - | grep Flags | grep -q gfx1100"
    ok "$exe: the third code object" sh -c "roc-obj-ls '$exe' | sed -n 3p | roc-obj-extract -o - | llvm-objdump -d - | grep -q s_endpgm"
done
ok "by size" sh -c "for uri in \$(roc-obj-ls exe | awk '{print \$3}'); do
    printf '%d: %s\\n' \"\$(roc-obj-extract -o - \"\$uri\" | wc -c)\" \"\$uri\"; done | sort -n >sizes"
ok "three sizes, the host's is 0" sh -c "[ \$(wc -l <sizes) = 3 ] && head -1 sizes | grep -q '^0: '"
isa gfx90a exe >a.isa
isa gfx1100 exe >b.isa
isa gfx90a packed >c.isa
ok "two targets' code differs" not cmp -s a.isa b.isa
ok "compressed it is the same" cmp a.isa c.isa

# roc-obj-extract
uri=$(awk '/gfx90a/ { print $3 }' list)
offset=${uri##*offset=} offset=${offset%&*} size=${uri##*size=}
ok "to a file" roc-obj-extract "$uri"
ok "named by program and range" cmp exe-offset"$offset"-size"$size".co "exe-offset$offset-size$size.co"
mkdir folder
ok "-o folder" roc-obj-extract -o folder "$uri"
ok "lies there" cmp "folder/exe-offset$offset-size$size.co" "exe-offset$offset-size$size.co"
ok "-o no folder" says "is no folder" roc-obj-extract -o nowhere "$uri"
ok "-v names the entry" says "hipv4-amdgcn-amd-amdhsa--gfx90a file://" roc-obj-extract -v "$uri"
ok "-v of a compressed one" sh -c "roc-obj-ls packed | roc-obj-extract -v -o folder | grep -q '^hipv4-amdgcn-amd-amdhsa--gfx1100 file://packed'"
ok "-h tells the syntax" says "code_object_uri" roc-obj-extract -h
same() { roc-obj-extract -o - "$1" >got && cmp got "exe-offset$offset-size$size.co"; }
ok "? for #" same "file://exe?offset=$offset&size=$size"
ok "hexadecimal" same "file://exe#offset=$(printf 0x%x "$offset")&size=$(printf 0x%X "$size")"
ok "octal" same "file://exe#size=$(printf 0%o "$size")&offset=$(printf 0%o "$offset")"
ok "an absolute path" same "file://$PWD/exe#offset=$offset&size=$size"
ok "an encoded path" same "file://a%20file#offset=$offset&size=$size"
ok "no size: to the end" sh -c "[ \$(roc-obj-extract -o - 'file://exe#offset=$offset' | wc -c) = \$((\$(wc -c <exe) - $offset)) ]"
ok "no range: the file" sh -c "roc-obj-extract -o - file://exe | cmp - exe"
for bad in "$uri"xxi file://exe#offset=1\&size=99999999 file://exe#offset=99999999 file://none exe ftp://exe file:// \
    memory://1 memory://x#offset=0\&size=1 file://exe#offset=-1\&size=1 file://exe#offset=0\&offset=1 "$uri&entry=0" \
    file://exe#offset=99999999999999999999\&size=1; do
    ok "refused: $bad" fails 1 roc-obj-extract -o - "$bad"
done
sleep 60 &
pid=$!
address=$(awk '/r--p 00000000.*sleep/ { print $1; exit }' /proc/$pid/maps | cut -d- -f1)
if [ -n "$address" ]; then
    ok "memory of a process" sh -c "roc-obj-extract -o - 'memory://$pid#offset=0x$address&size=64' | head -c 4 | grep -q ELF"
    ok "to a file with its number" sh -c "roc-obj-extract 'memory://$pid#offset=0x$address&size=64' && ls | grep -q '^[a-z-]*-pid$pid-offset[0-9]*-size64.co'"
fi
ok "memory that is not there" says "has 0 of the 64 bytes" roc-obj-extract -o - "memory://$pid#offset=8&size=64"
kill $pid

# roc-obj
ok "roc-obj" roc-obj exe
ok "all code objects" sh -c "ls exe:1.hipv4-amdgcn-amd-amdhsa--gfx90a exe:1.hipv4-amdgcn-amd-amdhsa--gfx1100"
ok "and nothing of the host's" no_file exe:1.host-x86_64-unknown-linux--
for option in -d --disassemble; do
    rm -rf out
    ok "$option" roc-obj -o out/of/all $option exe packed
    ok "$option: text" has out/of/all/packed:1.hipv4-amdgcn-amd-amdhsa--gfx90a.s s_endpgm
done
for option in "-t gfx9" "--target-id gfx9" "--target-id=^hip.*90a$"; do
    rm -rf out
    # shellcheck disable=SC2086
    ok "$option" roc-obj $option --outdir out/ exe
    ok "$option: only these" sh -c "[ \"\$(ls out)\" = exe:1.hipv4-amdgcn-amd-amdhsa--gfx90a ]"
done
ok "a target that is not there" fails 1 roc-obj -t gfx803 exe
ok "no expression" says "is no regular expression" roc-obj -t '(' exe
ok "commands" roc-obj -I '{}' -o out exe : .count wc -c \; .hdr llvm-readelf -h '{}' \; ! llvm-objcopy -O binary --only-section=.text '{}' '{}.text'
ok "the first's output" sh -c "[ \$(cat out/exe:1.hipv4-amdgcn-amd-amdhsa--gfx90a.count) = $size ]"
ok "the second's" has out/exe:1.hipv4-amdgcn-amd-amdhsa--gfx90a.hdr gfx90a
ok "the third's" test -s out/exe:1.hipv4-amdgcn-amd-amdhsa--gfx1100.text
ok "-i" roc-obj -i -o out exe : .ident echo '{}' \;
ok "is -I {}" has out/exe:1.hipv4-amdgcn-amd-amdhsa--gfx90a.ident out/exe:1.hipv4-amdgcn-amd-amdhsa--gfx90a
ok "--replace" roc-obj --replace -o out exe : .long echo '{}' \;
ok "is the same" cmp out/exe:1.hipv4-amdgcn-amd-amdhsa--gfx90a.ident out/exe:1.hipv4-amdgcn-amd-amdhsa--gfx90a.long
ok "--replace-string" roc-obj --replace-string @@ -o out exe : .text echo @@ \;
ok "another word" cmp out/exe:1.hipv4-amdgcn-amd-amdhsa--gfx90a.ident out/exe:1.hipv4-amdgcn-amd-amdhsa--gfx90a.text
ok "a command's failure" fails 1 roc-obj -o out exe : - false
ok "no such command" says "cannot run '/no/command'" roc-obj -o out exe : - /no/command
ok "--help" says "Usage: roc-obj [-h]" roc-obj --help

# Bundles taken apart and made
mkdir parts
ok "lsobj --unbundle" lsobj --unbundle parts exe
ok "all entries" sh -c "[ \$(ls parts | wc -l) = 5 ]"
for how in "" --compress --compress=zlib "--compress=zstd --level=19"; do
    # shellcheck disable=SC2086
    ok "lsobj --bundle $how" lsobj --bundle made.co $how host-x86_64-unknown-linux--= \
        hipv4-amdgcn-amd-amdhsa--gfx90a=parts/1.hipv4-amdgcn-amd-amdhsa--gfx90a lockstep-bc--gfx90a=parts/1.lockstep-bc--gfx90a
    ok "$how: is read" sh -c "lsobj --extract hipv4-amdgcn-amd-amdhsa--gfx90a made.co | cmp - parts/1.hipv4-amdgcn-amd-amdhsa--gfx90a"
done
ok "a damaged one" sh -c "head -c 3000 made.co >cut.co; ! lsobj cut.co 2>why && grep -q 'not all are there' why"
ok "metadata: registers, memory" sh -c "lsobj -k packed | grep -q 'kernel _Z5twicePi: [0-9]* VGPRs, 0 AGPRs, [0-9]* SGPRs.*LDS 0, scratch 0, wave of 64'"
ok "metadata: arguments" says "at 0, 8 bytes: global_buffer" lsobj -k packed
bundler=$(command -v clang-offload-bundler-19 || command -v clang-offload-bundler || true)
if [ -n "$bundler" ]; then
    ok "LLVM lists ours" says lockstep-bc--gfx90a "$bundler" -type=o -list -input=made.co
    ok "LLVM takes ours apart" "$bundler" -type=o -unbundle -input=made.co -output=one -targets=hipv4-amdgcn-amd-amdhsa--gfx90a
    ok "to the same bytes" cmp one parts/1.hipv4-amdgcn-amd-amdhsa--gfx90a
    for how in "" --compress --compress=zlib; do
        # shellcheck disable=SC2086
        lsobj --bundle made.co $how host-x86_64-unknown-linux--= hipv4-amdgcn-amd-amdhsa--gfx90a=one
        ok "LLVM takes ours apart, $how" "$bundler" -type=o -unbundle -input=made.co -output=two \
            -targets=hipv4-amdgcn-amd-amdhsa--gfx90a
        ok "to the same bytes, $how" cmp one two
        rm -f two
    done
    for how in "" -compress "-compress -compression-level=19"; do
        # shellcheck disable=SC2086
        ok "LLVM's bundle, $how" "$bundler" -type=o $how -targets=host-x86_64-unknown-linux-gnu-,hipv4-amdgcn-amd-amdhsa--gfx90a \
            -input=/dev/null -input=one -output=theirs.co
        ok "is taken apart, $how" sh -c "lsobj --extract hipv4-amdgcn-amd-amdhsa--gfx90a theirs.co | cmp - one"
    done
fi
for target in gfx90a gfx1100; do
    ok "LLVM reads our code object for $target" says "amdhsa.target:   amdgcn-amd-amdhsa--$target" \
        llvm-readelf --notes parts/1.hipv4-amdgcn-amd-amdhsa--$target
    ok "and its header" says ", $target" llvm-readelf -h parts/1.hipv4-amdgcn-amd-amdhsa--$target
done

# clang's own, which has no part of ours
cat >k.hip <<'END2'
__attribute__((device)) int variable = 5;
extern "C" __attribute__((global)) void kernel(int *p) { p[__builtin_amdgcn_workitem_id_x()] = variable; }
END2
clang_of() { clang++ -x hip --offload-arch=gfx90a -nogpuinc -nogpulib "$@"; }
for how in --no-offload-compress --offload-compress; do
    ok "clang's bundle $how" clang_of --offload-device-only --gpu-bundle-output --offload-arch=gfx1100 $how k.hip -o theirs.co
    ok "has metadata $how" says "kernel kernel: " lsobj -k theirs.co
    ok "its URIs are of use $how" sh -c "roc-obj-ls theirs.co | awk '/gfx1100/{ print \$3 }' | roc-obj-extract -o - | llvm-readelf -h - | grep -q gfx1100"
done
head -1 k.hip >variable.hip
ok "clang's object for linking later" clang_of -fgpu-rdc --offload-new-driver -c variable.hip -o theirs.o
ok "hipcc's" "$hipcc" -fgpu-rdc -c --offload-arch=gfx90a variable.hip -o ours.o
for object in theirs.o ours.o; do
    ok "$object: LLVM lists it" says "llvm ir" llvm-objdump --offloading $object
    ok "$object: so does lsobj" says offload--gfx90a lsobj $object
    ok "$object: its bitcode" sh -c "lsobj --extract offload--gfx90a $object | head -c 2 | grep -q BC"
done
ok "no such entry" says "holds no offload--gfx1100" lsobj --extract offload--gfx1100 ours.o

# Variables that nothing else tries
ok "LOCKSTEP_SPIN_US=0" says "factor 2" env LOCKSTEP_SPIN_US=0 ./exe
ok "LOCKSTEP_HOST_PASSES" says "factor 2" env LOCKSTEP_CACHE=0 "LOCKSTEP_HOST_PASSES=function(instcombine<no-verify-fixpoint>)" ./exe
ok "passes that inline and delete functions" says "factor 2" env LOCKSTEP_CACHE=0 "LOCKSTEP_HOST_PASSES=default<O1>" ./exe
ok "passes that are none" says "unknown pass name 'nonsense'" env LOCKSTEP_CACHE=0 LOCKSTEP_HOST_PASSES=nonsense ./exe

# Programs with compressed bundles
ok "a program that is compressed runs" says "factor 2" ./packed
ok "and is smaller" sh -c "[ \$(wc -c <packed) -lt \$(wc -c <exe) ]"
echo "__attribute__((device)) int variable = 5;" >variable.hip
ok "--no-offload-compress" "$hipcc" --offload-compress --no-offload-compress -c variable.hip -o plain.o
ok "is not" silent compressed lsobj plain.o
ok "a level" "$hipcc" --offload-compress --offload-compression-level=19 -c variable.hip -o high.o
ok "is compressed" says "compressed by zstd, version 2" lsobj high.o
ok "no level" says "invalid integral value 'x'" "$hipcc" --offload-compression-level=x -c bare.hip
ok "two units" "$hipcc" packed.o high.o -o both
ok "have two bundles" says "bundle 2: compressed" lsobj both
ok "and run" ./both
ok "rdc" "$hipcc" -fgpu-rdc --offload-compress twice.hip -o rdc
ok "is compressed" says "compressed by zstd" lsobj rdc
ok "and runs" ./rdc
cat >load.cpp <<'END2'
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>
int main(int argc, char **argv)
{
    std::vector<char> data(1 << 20);
    hipModule_t module;
    hipFunction_t f;
    FILE *in = fopen(argv[1], "rb");
    if (!in || fread(data.data(), 1, data.size(), in) == 0 || argc != 2)
        return 2;
    for (int i = 0; i < 2; i++) {
        hipError_t err = i ? hipModuleLoadData(&module, data.data()) : hipModuleLoad(&module, argv[1]);
        if (err || hipModuleGetFunction(&f, module, "_Z5twicePi") || hipModuleUnload(module)) {
            printf("refused: %s\n", hipGetErrorName(err));
            return 1;
        }
    }
    puts("loaded");
    return 0;
}
END2
ok "a program without device code" "$hipcc" load.cpp -o load
for how in "" --compress --compress=zlib; do
    # shellcheck disable=SC2086
    lsobj --bundle made.co $how hipv4-amdgcn-amd-amdhsa--gfx90a=parts/1.hipv4-amdgcn-amd-amdhsa--gfx90a lockstep-bc--gfx90a=parts/1.lockstep-bc--gfx90a
    ok "loads a bundle $how" says loaded ./load made.co
done
# The same stream behind the header of version 1, which does not say how long it is.
{ head -c 4 made.co; printf '\001\000\000\000'; tail -c +13 made.co; } >one.co
ok "version 1" says "version 1" lsobj one.co
ok "loads version 1" says loaded ./load one.co
printf 'XXXX' | dd of=made.co bs=1 seek=40 conv=notrunc 2>/dev/null
ok "a damaged one is refused" says "refused: hipErrorInvalidImage" env LOCKSTEP_DEBUG=1 ./load made.co

# The code cache
export LOCKSTEP_CACHE_DIR="$PWD/cache"
ok "an empty cache" says "cache: 0 files, 0.0 MiB of at most 1024" lscache
ok "a program fills it" ./exe
ok "one kernel" says "cache: 1 files" lscache
ok "--list" says "code for this processor" lscache --list
ok "--size" sh -c "[ \$(lscache --size) = \$(cat cache/*.so | wc -c) ]"
touch cache/other.so
ok "not so old" says "0 files deleted" lscache --clear --older=1
touch -d '3 days ago' cache/0*.so cache/[1-9a-f]*.so 2>/dev/null
ok "older" says "1 files deleted" lscache --clear --older=2
ok "what is not the cache's stays" test -f cache/other.so
./exe >/dev/null
ok "--clear" says "1 files deleted" lscache --clear
ok "and it is empty" sh -c "[ \$(lscache --size) = 0 ]"
ok "no cache" says "there is no code cache" env LOCKSTEP_CACHE=0 lscache
ok "no number" fails 1 lscache --clear --older=x
ok "no verb" fails 2 lscache list
ok "--help" says "usage: lscache" lscache --help
finish
