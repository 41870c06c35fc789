#!/bin/sh
# SPDX-License-Identifier: MIT
# hipconvertinplace.sh DIRECTORY [options of hipify-clang] [-- options of the compiler]: translates its sources where they
# are; the originals stay beside them as FILE.prehip.
[ -d "$1" ] || { echo "usage: hipconvertinplace.sh DIRECTORY [options of hipify-clang] [-- options of the compiler]" >&2; exit 1; }
here=$(dirname "$(readlink -f "$0")")
directory=$1
shift
"$here/hipify-findcode.sh" all "$directory" | "$here/hipify-clang" -inplace -print-stats -files-from=- "$@"
