#!/bin/sh
# SPDX-License-Identifier: MIT
# hipexamine.sh DIRECTORY [options of hipify-clang] [-- options of the compiler]: says how much of its sources would be
# translated. Nothing is written.
[ -d "$1" ] || { echo "usage: hipexamine.sh DIRECTORY [options of hipify-clang] [-- options of the compiler]" >&2; exit 1; }
here=$(dirname "$(readlink -f "$0")")
directory=$1
shift
"$here/hipify-findcode.sh" all "$directory" | "$here/hipify-clang" -examine -files-from=- "$@"
