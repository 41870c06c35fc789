# SPDX-License-Identifier: MIT
# No line of the C and HIP sources has more than 100 columns. Tables (.def) keep the columns of their rows.
. "$LS_SOURCE/tests/hipcc/lib.inc"

# in_columns FOLDER: all lines of its sources; says which are not.
in_columns() {
    (cd "$1" && find . \( -name .git -o -name 'build*' \) -prune -o -name '*.[ch]' -print -o -name '*.hip' -print) |
        (cd "$1" && xargs awk 'length($0) > 100 {print FILENAME ":" FNR ": " length($0) " columns"; bad = 1} END {exit bad}')
}

ok "100 columns" in_columns "$LS_SOURCE"
mkdir folder
printf '/* %098d */\n' 0 >folder/long.c
ok "a longer line is found" not in_columns folder
finish
