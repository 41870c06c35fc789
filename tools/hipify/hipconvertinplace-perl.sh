#!/bin/sh
# SPDX-License-Identifier: MIT
# hipconvertinplace-perl.sh DIRECTORY [-filter=all|headers|sources|cuda] [options of hipify-perl]: translates its sources
# where they are; the originals stay beside them as FILE.prehip.
[ -d "$1" ] || { echo "usage: hipconvertinplace-perl.sh DIRECTORY [-filter=all|headers|sources|cuda] [options of hipify-perl]" >&2; exit 1; }
here=$(dirname "$(readlink -f "$0")")
directory=$1
shift
which=all
case $1 in
-filter=*)
    which=${1#-filter=}
    shift
    ;;
esac
list=$("$here/hipify-findcode.sh" "$which" "$directory") || exit 1
printf '%s\n' "$list" | "$here/hipify-perl" -inplace -print-stats -files-from=- "$@"
