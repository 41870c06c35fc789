#!/bin/sh
# SPDX-License-Identifier: MIT
# hipexamine-perl.sh DIRECTORY [options of hipify-perl]: says which of its sources are CUDA and how much of them would be
# translated. Nothing is written.
[ -d "$1" ] || { echo "usage: hipexamine-perl.sh DIRECTORY [options of hipify-perl]" >&2; exit 1; }
here=$(dirname "$(readlink -f "$0")")
directory=$1
shift
"$here/hipify-findcode.sh" all "$directory" | "$here/hipify-perl" -no-output -print-stats -stats-format=classic -files-from=- "$@"
