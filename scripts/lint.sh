#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh BUILD: every header compiles alone, rooms include only whom they may, clang-tidy and cppcheck if here.
set -eu
build=$1
cd "$(dirname "$0")/.."
failed=0

for header in $(git ls-files 'src/*.h' 'tools/*.h'); do
    case $header in src/devlib/*) continue ;; esac
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -fsyntax-only -Isrc -Isrc/compiler -Iinclude -D__HIP_PLATFORM_AMD__=1 -I/usr/lib/llvm-19/include \
        -x c "$header" 2>&1 | grep -v 'pragma once in main file' | grep -E 'error|warning' && failed=1
done

# Headers, where floors.sh sees symbols: base knows nobody; the runtime and devices know no compiler and no LLVM.
forbid() {
    if grep -rnE "#include [<\"]($2)" "$1" --include='*.[ch]'; then
        echo "lint: $1 must not include the above"
        failed=1
    fi
}
forbid src/base 'runtime/|device/|compiler/|llvm-c/'
forbid src/device 'runtime/|compiler/[a-z]+/|llvm-c/'
forbid src/runtime 'llvm-c/|compiler/[a-z]+/'
forbid src/compiler 'runtime/'

sh scripts/floors.sh "$build" || failed=1

# Only base/env.c knows which variables a privileged program may hear.
if grep -rnwE "(secure_)?getenv|environ" src --include='*.[ch]' | grep -vE "^src/(base/env|compiler/door/lscompile)\.c:|:[0-9]+: *(/\*|\*)"; then
    echo "lint: the environment is read by base/env.c alone"
    failed=1
fi

if command -v cppcheck >/dev/null 2>&1; then
    cppcheck --quiet --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 \
        --suppress=missingIncludeSystem -Isrc src tools/hipcc || failed=1
fi
if command -v clang-tidy-19 >/dev/null 2>&1; then
    git ls-files 'src/*.c' 'tools/*.c' | grep -v '^src/devlib/' |
        xargs -P2 -n8 clang-tidy-19 --quiet -p "$build" \
            --checks='-*,bugprone-*,-bugprone-easily-swappable-parameters' || failed=1
fi
exit $failed
