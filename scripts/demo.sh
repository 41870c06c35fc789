#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh BUILD: compiles the examples with our hipcc, runs them and says whether their results hold.
set -eu
build=$1
source=$(cd "$(dirname "$0")/.." && pwd)
out=$build/examples
mkdir -p "$out"
failed=0

for program in matmul_tiled image_filter nbody; do
    echo "== $program"
    echo "   hipcc -O3 examples/$program.hip -o $out/$program"
    if "$build/bin/hipcc" -O3 "$source/examples/$program.hip" -o "$out/$program" &&
        (cd "$out" && "./$program"); then
        :
    else
        echo "   $program FAILED"
        failed=$((failed + 1))
    fi
done
[ $failed = 0 ] && echo "All three programs verified against the host." || exit 1
