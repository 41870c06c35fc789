#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh BUILD [SUITE]: runs the tests of a built tree. T=GLOB picks tests, JOBS=N how many at a time,
# FULL=1 widens the kernel corpus (ls-check --full), FAR=1 takes the far device (--far), STRICT=1 strict mode (--strict),
# TIMES=1 closes with what each folder took (--times).
set -eu
build=$1
suite=${2:-}
source=$(cd "$(dirname "$0")/.." && pwd)

[ -n "$suite${T:-}${FAR:-}${STRICT:-}" ] || sh "$source/scripts/coverage.sh"
# One test more than processors: some wait.
exec "$build/bin/ls-check" --build "$build" --source "$source" --jobs "$((${JOBS:-2} + 1))" \
    ${FULL:+--full} ${FAR:+--far} ${STRICT:+--strict} ${TIMES:+--times} ${suite:+--suite "$suite"} ${T:+--filter "$T"}
