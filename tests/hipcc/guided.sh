# SPDX-License-Identifier: MIT
# The fuzzers that coverage guides (tests/fuzz/guided): a quarter of a minute each, with address and undefined sanitizers.
. "$LS_SOURCE/tests/hipcc/lib.inc"
runtime=$(ls /usr/lib/llvm-19/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a 2>/dev/null)
if [ -z "$runtime" ]; then
    echo "1 passed (skipped: needs libclang-rt-19-dev)"
    exit 0
fi
guided=$LS_SOURCE/tests/fuzz/guided
ok "they are built" sh "$guided/build" "$work/fuzz" "$LS_BUILD"
readelf -d fuzz/bundle fuzz/image fuzz/cache fuzz/hipify 2>/dev/null | grep NEEDED >needed
ok "they need nothing but the C and C++ libraries" not \
    grep -v -E '(lib(c|m|stdc\+\+|gcc_s|resolv)|ld-linux-x86-64)\.so' needed
for name in bundle image cache hipify; do
    ok "$name" env NAMES=$name sh "$guided/run" "$work/fuzz" "${LS_GUIDED_SECONDS:-15}"
done
printf '#!/bin/sh\necho Aborted\nexit 77\n' >fuzz/bundle
ok "one that dies is told" fails 1 env NAMES=bundle sh "$guided/run" "$work/fuzz" 1
finish
