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

# The items of the documents in docs/status.md: what they count, and whether their tests are there.
awk -F'\\|' '
/^## / { on = /^## The documents, item by item/ }
on && /^\| / && !/^\| (item|---)/ {
    n = $3 + 0
    if (NF != 6 || n < 1 || $4 ~ /^ *$/) {
        print FILENAME ":" FNR ": no count or no state" > "/dev/stderr"
        bad = 1
    }
    items += n
    if ($5 ~ /`/)
        tested += n
}
END {
    printf "documents: %d items, %d with a test\n", items, tested
    exit bad || items != 226
}' docs/status.md

for test in $(grep -oh 'tests/[A-Za-z0-9_/.]*[A-Za-z0-9]' "$list" docs/status.md | sort -u); do
    [ -e "$test" ] || { echo "$list, docs/status.md: $test does not exist" >&2; exit 1; }
done

awk -f scripts/covered.awk docs/status.md
