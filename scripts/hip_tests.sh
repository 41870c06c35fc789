#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the cases of one directory of AMD's hip-tests, sources unmodified, and runs each in a process of its own:
#   scripts/hip_tests.sh <hip-tests checkout> <unit directory, for instance graph> [output folder]
# Prints the counts and every case that did not pass. A case that says it was skipped (two GPUs...) counts as skipped; one
# without a single assertion is told apart. HIPCC names the compiler, JOBS how many compile at a time.
set -e
tests=$(cd "$1" && pwd)/catch
unit=$2
top=$(cd "$(dirname "$0")/.." && pwd)
out=${3:-$top/build/hip-tests/$unit}
hipcc=${HIPCC:-$top/build/bin/hipcc}
mkdir -p "$out/o"
out=$(cd "$out" && pwd)
: >"$out/results"
for source in "$tests"/hipTestMain/main.cc "$tests"/hipTestMain/hip_test_*.cc "$tests/unit/$unit"/*.cc; do
    case $source in
    *negative_kernels*) continue ;; # which must not compile
    */unit/*) grep -q '^int main(' "$source" && continue ;; # a program that a case starts
    esac
    echo "$source"
done | xargs -P "${JOBS:-2}" -I{} sh -c '
    o=$1/o/$(basename "$4" .cc).o
    case $4 in */printf*NonHost.cc) kind=-mprintf-kind=buffered ;; *) kind= ;; esac # as in its CMakeLists.txt
    [ "$o" -nt "$4" ] || "$2" -std=c++17 --offload-arch=gfx1100 -O1 -w -I"$3/include" -I"$3/external/Catch2" \
        -I"$3/external/picojson" -I"$3/kernels" -I"$(dirname "$4")" -DKERNELS_PATH=\"./\" $kind -c "$4" -o "$o" >"$o.log" 2>&1 || echo "NOBUILD $4" >>"$1/results"
    exit 0' sh "$out" "$hipcc" "$tests" {}
for source in "$tests/unit/$unit"/*.cpp "$tests/unit/$unit"/hipMatMul.cc; do # code objects that cases load
    [ -f "$source" ] || continue
    "$hipcc" --genco --offload-arch=gfx1100 -O2 -w -I"$tests/include" -I"$tests/kernels" "$source" \
        -o "$out/$(basename "${source%.*}").code" >/dev/null 2>&1 || true
done
"$hipcc" "$out"/o/*.o -o "$out/cases"
cd "$out"
: >failures
./cases --list-test-names-only 2>/dev/null | sort -u >names || true
while IFS= read -r name; do
    [ -n "$name" ] || continue
    pattern=$(printf '%s' "$name" | sed 's/,/\\,/g; s/\[/\\[/g')
    rc=0
    timeout 120 ./cases "$pattern" >last 2>&1 </dev/null || rc=$?
    if [ "$rc" = 0 ] && grep -q 'HIP_SKIP_THIS_TEST' last; then
        state=SKIP
    elif [ "$rc" = 0 ] && grep -q 'No assertions\|assertions: - none -' last; then
        state=EMPTY
    elif [ "$rc" = 0 ]; then
        state=PASS
    else
        state=FAIL
        { echo "=== $name (exit $rc)"; head -c 4000 last; } >>failures
    fi
    echo "$state $name" >>results
done <names
grep -v '^PASS' results || true
cut -d' ' -f1 results | sort | uniq -c
