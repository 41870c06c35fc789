# SPDX-License-Identifier: MIT
# What begins with #! can be called: make and the guides call it by its name alone. Parts of packages (.in) are copied.
. "$LS_SOURCE/tests/hipcc/lib.inc"

# callable FOLDER: each script in it has the mode of a program; says which have not.
callable() {
    find "$1" \( -name .git -o -name 'build*' \) -prune -o -type f ! -perm -u+x ! -name '*.in' -exec awk 'FNR == 1 {
        if (/^#!/) { print FILENAME ": not executable"; bad = 1 }
        nextfile
    } END {exit bad}' {} +
}

ok "all scripts" callable "$LS_SOURCE"
mkdir folder
echo '#!/bin/sh' >folder/script
ok "one that is not is found" not callable folder
finish
