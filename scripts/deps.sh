#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing of the named groups: build, check, lint, valgrind. Root is needed only then.
set -eu

build='make cmake ninja-build gcc g++ clang-19 llvm-19-dev lld-19 rocm-device-libs'
check='libmpfr-dev libsleef-dev gdb'
valgrind='valgrind'
lint='clang-format clang-tidy-19 cppcheck'

wanted=
for group in "$@"; do
    case $group in
    build) wanted="$wanted $build" ;;
    check) wanted="$wanted $check" ;;
    lint) wanted="$wanted $lint" ;;
    valgrind) wanted="$wanted $valgrind" ;;
    *) echo "deps.sh: unknown group '$group'" >&2; exit 2 ;;
    esac
done

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    echo "deps.sh: not a Debian system; what is needed is, by Debian's names:$wanted" >&2
    exit 0
fi

missing=
for package in $wanted; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "Installing:$missing"
as_root=
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null 2>&1; then
        as_root=sudo
    else
        echo "deps.sh: needs root once, to run: apt-get install$missing" >&2
        exit 1
    fi
fi
install() {
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
}
$as_root apt-get update -q
install
