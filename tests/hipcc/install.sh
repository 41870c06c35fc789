# SPDX-License-Identifier: MIT
# An installation, moved to where it was not made for, and what a project finds in it that expects ROCm in /opt/rocm.
. "$LS_SOURCE/tests/hipcc/lib.inc"
unset LOCKSTEP_ARCH ROCM_PATH HIP_PATH

ok "install" sh -c "cmake --install \"$LS_BUILD\" --prefix \"$work/first\" >install.log"
mkdir "a place"
mv first "a place/rocm"
rocm="$work/a place/rocm"
# What packages have: each rule names its part.
ok "nothing is left out of the packages" sh -c "cmake --install \"$LS_BUILD\" --prefix \"$work/none\" --component Unspecified >unspecified.log && ! find none -type f -o -type l 2>/dev/null | grep ."
ok "nothing names the place it was made for" sh -c "! grep -rlF '$work/first' '$rocm'"
ok "nor that of the build" sh -c "! grep -rlF --exclude-dir=llvm --binary-files=without-match '$LS_BUILD' '$rocm'"
for path in bin/lscheck bin/lsreview bin/lscache bin/hipify-perl bin/hipify-clang bin/hipexamine.sh bin/hipcc bin/hipconfig bin/rocminfo bin/rocm_agent_enumerator bin/amdclang++ bin/roc-obj llvm/bin/clang++ lib/llvm/bin/clang \
    lib/libamdhip64.so lib/libamdhip64.so.6 lib/libhiprtc.so include/hip/hip_runtime.h include/rocm-core/rocm_version.h \
    lib/cmake/hip/hip-config.cmake lib/cmake/hip/FindHIP.cmake lib/cmake/hip-lang/hip-lang-config.cmake lib/cmake/hiprtc/hiprtc-config.cmake \
    lib/pkgconfig/hip.pc amdgcn/bitcode/ocml.bc share/hip/version .info/version; do
    ok "$path" test -e "$rocm/$path"
done
ok "hipcc" "$rocm/bin/hipcc" twice.hip -o twice
ok "its program" says "factor 2" ./twice
ok "takes the moved runtime" sh -c "ldd twice | grep -F 'a place/rocm/lib/libamdhip64.so.6'"
ok "hipconfig --path" says "$rocm" "$rocm/bin/hipconfig" --path
ok "hipconfig --rocmpath" says "$rocm" "$rocm/bin/hipconfig" --rocmpath
ok "versions agree" sh -c ". '$rocm/share/hip/version' && '$rocm/bin/hipconfig' --version | grep -q \"^\$HIP_VERSION_MAJOR.\$HIP_VERSION_MINOR.\$HIP_VERSION_PATCH\""

cat >host.c <<'END2'
#include <hip/hip_runtime_api.h>
#include <rocm-core/rocm_version.h>
#include <stdio.h>
int main(void)
{
    int n = 0;
    if (hipGetDeviceCount(&n) || n < 1)
        return 1;
    printf("ROCm %d\n", ROCM_VERSION_MAJOR);
    return 0;
}
END2
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH="$rocm/lib/pkgconfig"
    ok "pkg-config" sh -c "eval \${CC:-cc} host.c -o host \$(pkg-config --cflags --libs hip)"
    ok "its program" says "ROCm 6" ./host
    ok "pkg-config hiprtc" says "-lhiprtc" pkg-config --libs hiprtc
fi

mkdir project
cp twice.hip project/twice.cpp
cp host.c project
cat >project/CMakeLists.txt <<'END2'
cmake_minimum_required(VERSION 3.21)
project(twice LANGUAGES C CXX)
list(APPEND CMAKE_PREFIX_PATH "$ENV{ROCM_PATH}")
find_package(hip REQUIRED)
find_package(hiprtc REQUIRED)
add_executable(twice twice.cpp)
target_link_libraries(twice hip::device)
add_executable(host host.c)
target_link_libraries(host hip::host hiprtc::hiprtc)
END2
export ROCM_PATH="$rocm" HIP_PATH="$rocm"
ok "CMake by ROCM_PATH" cmake -S project -B out -G Ninja -DCMAKE_CXX_COMPILER="$rocm/bin/hipcc"
ok "builds" cmake --build out
ok "for the device" says "factor 2" ./out/twice
ok "and the host" says "ROCm 6" ./out/host

# CMake's language HIP
mkdir lang
cp twice.hip lang
cat >lang/CMakeLists.txt <<'END2'
cmake_minimum_required(VERSION 3.21)
project(lang LANGUAGES HIP)
add_executable(twice twice.hip)
END2
ok "language HIP" cmake -S lang -B lang-out -G Ninja -DCMAKE_HIP_COMPILER="$rocm/lib/llvm/bin/clang++" -DCMAKE_HIP_ARCHITECTURES=gfx1100 \
    -DCMAKE_PREFIX_PATH="$rocm"
ok "language HIP: builds" cmake --build lang-out
ok "language HIP: runs" says "factor 2" ./lang-out/twice

# What makes packages installs what cpack asks for
for file in Dockerfile docs/ci/github.yml docs/ci/gitlab.yml docs/packages.md; do
    ok "$file: cpack's needs" sh -c "grep -q 'cpack -G DEB' '$LS_SOURCE/$file' && grep -q 'install.* file dpkg-dev' '$LS_SOURCE/$file'"
done

# CMAKE_INSTALL_PREFIX, and what a build is where nobody says
ok "CMAKE_INSTALL_PREFIX" cmake -DCMAKE_INSTALL_PREFIX="$work/prefix" -DCMAKE_INSTALL_COMPONENT=runtime -P "$LS_BUILD/cmake_install.cmake"
ok "lies there" test -e prefix/lib/libamdhip64.so.6
ok "a release build by default" sh -c "grep -A1 'NOT CMAKE_BUILD_TYPE' '$LS_SOURCE/CMakeLists.txt' | grep -q RelWithDebInfo"

# Highlighting for editors: each word that one of them knows the other knows, and those of the kernel language are there.
vim="$rocm/share/vim/vimfiles" gedit="$rocm/share/gtksourceview-4/language-specs/hip.lang"
sed -n 's/^syn keyword hip\(Qualifier\|Variable\) //p' "$vim/syntax/hip.vim" | tr ' ' '\n' | grep -v '^hip' | sort >vim.words
sed -n 's,.*<keyword>\([_a-zA-Z]*\)</keyword>.*,\1,p' "$gedit" | grep -v '^hip\|^dim3' | sort >gedit.words
ok "editors: the same words" cmp vim.words gedit.words
for word in __global__ __device__ __shared__ __constant__ __managed__ __launch_bounds__ threadIdx gridDim warpSize; do
    ok "editors: $word" grep -qx -e $word vim.words
done
ok "editors: for .hip" sh -c "grep -q '[*][.]hip' '$vim/ftdetect/hip.vim' && grep -q '[*][.]hip' '$gedit'"
if vim --version 2>/dev/null | grep -q '+syntax'; then
    printf '__global__ void k() {}\n' >seen.hip
    echo 'syntax on | call writefile([synIDattr(synID(1, 1, 1), "name")], "seen") | quit!' >seen.vim
    ln -s "$vim" vimfiles # its options end at blanks
    ok "Vim" sh -c "vim -es -u NONE -i NONE --cmd 'set rtp^=$work/vimfiles' -c 'filetype on' -c 'edit seen.hip' -S seen.vim </dev/null; grep -qx hipQualifier seen"
fi
if command -v xmllint >/dev/null; then
    ok "gedit's is XML" xmllint --noout "$gedit"
fi

# Manual pages and completions
man1="$rocm/share/man/man1"
for tool in hipcc hipconfig lsobj roc-obj roc-obj-ls roc-obj-extract lscache hipInfo rocminfo rocm_agent_enumerator amdgpu-arch hipBusBandwidth lscheck lsreview hipify hipify-clang; do
    ok "$tool(1)" grep -q "^\.TH \"$tool\" 1" "$man1/$tool.1"
    ok "$tool: completion" bash -n "$rocm/share/bash-completion/completions/$tool"
done
sed -n 's/^LS_OPT("\([^"]*\)".*/\1/p' "$LS_SOURCE/tools/hipcc/options.def" | sed 's/-/\\-/g' >options
ok "hipcc(1) has each option of the table" sh -c "while read -r o; do grep -qF -e \"\$o\" '$man1/hipcc.1' || { echo \"\$o\"; exit 1; }; done <options"
ok "lockstep(7) has each variable" sh -c "sed -n 's/^LS_ENV(\([A-Z_]*\),.*/LOCKSTEP_\1/p' '$LS_SOURCE/src/base/env.def' | while read -r v; do grep -qx \".B \$v\" '$rocm/share/man/man7/lockstep.7' || exit 1; done"
if command -v man >/dev/null; then
    ok "no warnings of man" sh -c "for page in '$rocm'/share/man/man?/*; do man -l --warnings -E UTF-8 -Tutf8 \"\$page\" 2>&1 >/dev/null; done | grep . && exit 1 || exit 0"
fi
# completes TOOL WORD EXPECTED: what bash offers for the word has it.
completes() {
    bash -c '. "$1"; COMP_WORDS=("$2" "$3"); COMP_CWORD=1; compopt() { :; }; f=$(complete -p "$2"); f=${f#*-F }; "${f%% *}"
        printf "%s\n" "${COMPREPLY[@]}"' - "$rocm/share/bash-completion/completions/$1" "$1" "$2" | grep -qxF -e "$3"
}
ok "hipcc --offload-c" completes hipcc --offload-c --offload-compress
ok "roc-obj --dis" completes roc-obj --dis --disassemble
ok "lscache --" completes lscache -- --older=
ok "hipconfig --" completes hipconfig -- --cpp_config
finish
