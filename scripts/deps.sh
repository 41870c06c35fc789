#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing of the named groups: build, check, lint, site, valgrind. Root is needed only then.
set -eu

# LLVM's archives, which are linked in, use zlib and zstd.
build='make cmake ninja-build gcc g++ clang-19 llvm-19-dev lld-19 zlib1g-dev libzstd-dev rocm-device-libs'
check='libmpfr-dev libsleef-dev gdb libclang1-19 libomp-19-dev cmark-gfm libclang-rt-19-dev'
# Packages of headers that are tests' material. They are unpacked, not installed: what they depend on is AMD's HIP
# with its own runtime and headers, which must not lie beside ours.
unpacked='librocprim-dev'
valgrind='valgrind'
site='cmark-gfm'
lint='clang-format clang-tidy-19 cppcheck'

wanted=
to_unpack=
for group in "$@"; do
    case $group in
    build) wanted="$wanted $build" ;;
    check) wanted="$wanted $check" to_unpack=$unpacked ;;
    site) wanted="$wanted $site" ;;
    lint) wanted="$wanted $lint" ;;
    valgrind) wanted="$wanted $valgrind" ;;
    *) echo "deps.sh: unknown group '$group'" >&2; exit 2 ;;
    esac
done

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    echo "deps.sh: not a Debian system; what is needed is, by Debian's names:$wanted $to_unpack" >&2
    exit 0
fi

root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        echo "deps.sh: needs root once, to run: $*" >&2
        exit 1
    fi
}

missing=
for package in $wanted; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
folder=$(dirname "$0")/../.packages
absent=
for package in $to_unpack; do
    [ -d "$folder/$package" ] || absent="$absent $package"
done
[ -n "$missing$absent" ] || exit 0

echo "Installing:$missing$absent"
# shellcheck disable=SC2086
if [ -n "$missing" ]; then
    root apt-get update -q
elif ! apt-cache show $absent >/dev/null 2>&1; then
    (root apt-get update -q) || true
fi
# shellcheck disable=SC2086
[ -z "$missing" ] ||
    root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing

unpack() {
    rm -rf "$folder/$1.new"
    mkdir -p "$folder/$1.new"
    (cd "$folder/$1.new" && apt-get download -q "$1" && dpkg-deb -x ./*.deb . && rm ./*.deb) &&
        mv "$folder/$1.new" "$folder/$1"
}
for package in $absent; do
    unpack "$package" || echo "deps.sh: no $package: the tests that need it are skipped" >&2
done
