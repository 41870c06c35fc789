#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares enumerators, sizes and offsets of our C API with those of AMD's own headers.
#   abi_layout.sh <our include dir> [<AMD's include dir> | <file of facts>]
# Without a second argument, Debian's libamdhip64-dev is used if it can be fetched.
# Exit code 77 means skipped.
# abi_layout.known lists what differs between AMD's versions, with the reason.
set -eu

here=$(dirname "$0")
ours=$1
theirs=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cc=${CC:-gcc}
dump=$(command -v llvm-dwarfdump-19 || command -v llvm-dwarfdump || true)
if [ -z "$dump" ]; then
    echo "abi_layout: no llvm-dwarfdump, skipped"
    exit 77
fi
if [ -z "$theirs" ]; then
    if ! (cd "$work" && apt-get download libamdhip64-dev >/dev/null 2>&1 &&
          dpkg -x libamdhip64-dev_*.deb deb); then
        echo "abi_layout: AMD's headers are not at hand, skipped"
        exit 77
    fi
    theirs=$work/deb/usr/include
fi

facts() {
    if [ -f "$1" ]; then
        cp "$1" "$work/$2.facts"
        return
    fi
    "$cc" -std=c11 -g -O0 -w -fno-eliminate-unused-debug-types -D__HIP_PLATFORM_AMD__ \
        -isystem "$1" -c "$here/abi_layout.c" -o "$work/$2.o"
    "$dump" --debug-info "$work/$2.o" >"$work/$2.dump"
    awk -f "$here/abi_layout.awk" "$work/$2.dump" | sort -u >"$work/$2.facts"
}

facts "$ours" ours
facts "$theirs" theirs

# Facts about a name that both have, but not the same; a known one is no failure.
awk -v known="$here/abi_layout.known" '
    function is_known(fact,    i) {
        for (i = 1; i <= n_prefixes; i++)
            if (prefix[i] == fact || (open[i] && index(fact, prefix[i]) == 1))
                return 1
        return 0
    }
    BEGIN {
        while ((getline line < known) > 0)
            if (line !~ /^#/ && split(line, f, " ") >= 2) {
                prefix[++n_prefixes] = f[1] " " f[2]
                open[n_prefixes] = sub(/\*$/, "", prefix[n_prefixes])
            }
    }
    FNR == NR { ours[$1 " " $2] = $3; next }
    /^#/ { next }
    ($1 " " $2) in ours {
        n++
        if (ours[$1 " " $2] == $3)
            next
        if (is_known($1 " " $2)) {
            n_known++
            next
        }
        print "differs: " $1, $2, "ours", ours[$1 " " $2], "theirs", $3
        n_bad++
    }
    END {
        printf "abi_layout: %d facts compared, %d known differences, %d wrong\n", n, n_known, n_bad
        exit n_bad > 0 || n < 500
    }' "$work/ours.facts" "$work/theirs.facts"
