#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh BUILD [SUITE]: runs the tests of a built tree. T=GLOB picks tests, JOBS=N how many at a time,
# FULL=1 widens the kernel corpus (ls-check --full), FAR=1 takes the far device (--far), STRICT=1 strict mode (--strict),
# TIMES=1 closes with what each folder took (--times). CUDA=1 runs the kernel corpus and RANDOM_PROGRAMS=N random programs and kernels on
# an NVIDIA GPU, with PTX=1 by tests/ptx_driver on the CPU; with PACK=DIR they are built into DIR, whose ./run runs them on a machine without compiler or LLVM.
set -eu
build=$1
suite=${2:-}
source=$(cd "$(dirname "$0")/.." && pwd)

[ -n "$suite${T:-}${FAR:-}${STRICT:-}${CUDA:-}" ] || sh "$source/scripts/coverage.sh"
check() {
    # One test more than processors: some wait.
    "$build/bin/ls-check" --build "$build" --source "$source" --jobs "$((${JOBS:-2} + 1))" \
        ${FULL:+--full} ${FAR:+--far} ${STRICT:+--strict} ${TIMES:+--times} ${suite:+--suite "$suite"} ${T:+--filter "$T"} \
        ${CUDA:+--cuda} ${PTX:+--ptx} ${RANDOM_PROGRAMS:+--random "$RANDOM_PROGRAMS"} ${PACK:+--pack "$PACK"}
}

status=0
check || status=$?
if [ -n "${PACK:-}" ]; then
    mkdir -p "$PACK/lib"
    cp "$build/bin/ls-check" "$build/bin/ls-compare" "$PACK/"
    cp -L "$build"/lib/libamdhip64.so.6 "$build"/lib/libhiprtc.so.6 "$PACK/lib/"
    strip "$PACK/ls-check" "$PACK/ls-compare" "$PACK"/lib/*
    cat >"$PACK/run" <<'END'
#!/bin/sh
# run [ls-check options]: this folder's programs on the NVIDIA GPU of this machine.
cd "$(dirname "$0")" || exit 2
export LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" LOCKSTEP_DEVICES="${LOCKSTEP_DEVICES:-cuda}"
exec ./ls-check --unpack . --jobs "${JOBS:-4}" "$@"
END
    chmod +x "$PACK/run"
fi
exit $status
