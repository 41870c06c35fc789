#!/bin/sh
# SPDX-License-Identifier: MIT
# coverage.sh: counts the items of docs/kernel-language.md by state, and fails when a row has no state, an item that is
# done or refused says nothing of how it is known, or a test that it names does not exist.
set -eu
cd "$(dirname "$0")/.."
list=docs/kernel-language.md

awk -F'|' '
/^## / { section = substr($0, 4) }
/^\| / && !/^\| (item|---)/ {
    state = $3
    reason = $4
    gsub(/ /, "", state)
    if (state !~ /^(done|refused|missing|remark)$/ || NF < 5) {
        print FILENAME ":" FNR ": no state" > "/dev/stderr"
        bad = 1
    }
    if (state ~ /^(done|refused)$/ && reason ~ /^ *$/) {
        print FILENAME ":" FNR ": how is it known?" > "/dev/stderr"
        bad = 1
    }
    count[state]++
    total++
}
END {
    printf "kernel language: %d items: %d done, %d refused with a diagnostic, %d missing, %d remarks\n", total,
        count["done"], count["refused"], count["missing"], count["remark"]
    exit bad
}' "$list"

for test in $(grep -o 'tests/[A-Za-z0-9_/.]*[A-Za-z0-9]' "$list" | sort -u); do
    [ -e "$test" ] || { echo "$list: $test does not exist" >&2; exit 1; }
done
