#!/bin/sh
# SPDX-License-Identifier: MIT
# Every public header compiles alone: as C11 and C++11 for the host, the kernel language as HIP.
#   headers_alone.sh <include dir>
set -u

include=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
passed=0

try() {
    if "$@" >"$work/log" 2>&1 && [ ! -s "$work/log" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "fails: $*"
        cat "$work/log"
    fi
}

strict="-Wall -Wextra -Wpedantic -Wshadow -Werror"
for header in "$include"/hip/*.h; do
    name=hip/$(basename "$header")
    printf '#include <%s>\n#include <%s>\nextern int x;\n' "$name" "$name" >"$work/t.c"
    cp "$work/t.c" "$work/t.cpp"
    try gcc -std=c11 $strict -I"$include" -fsyntax-only "$work/t.c"
    try g++ -std=c++11 -Wall -Wextra -I"$include" -fsyntax-only "$work/t.cpp"
done

clang=$(command -v clang-19 || true)
if [ -n "$clang" ]; then
    resources=$("$clang" -print-resource-dir)
    for name in hip_runtime hip_fp16 hip_bf16 hip_bfloat16 hip_fp8 hip_cooperative_groups \
                hip_complex hip_ext; do
        printf '#include <hip/%s.h>\n' "$name" >"$work/t.hip"
        for pass in device host; do
            try "$clang" -x hip -std=c++14 --offload-arch=gfx90a "--offload-$pass-only" \
                -nogpulib -nogpuinc -isystem "$resources/include/cuda_wrappers" \
                -include __clang_hip_runtime_wrapper.h -isystem "$include" -Wall -fsyntax-only \
                "$work/t.hip"
        done
    done
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
