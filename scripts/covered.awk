# SPDX-License-Identifier: MIT
# Of the items of the documents in docs/status.md, those whose names (in backquotes) stand in none of the tests that their row has.
# What ends in "..." is the begin of names; of commands the first word counts.
BEGIN { FS = " \\| " }
/^## / { on = /^## The documents, item by item/ }
on && /^\| / && !/^\| (item|---)/ {
    item = $1
    tests = $0
    sub(/.* \| /, "", tests)
    if (tests !~ /`/)
        next
    text = ""
    while (match(tests, /`[^`]+`/)) {
        file = substr(tests, RSTART + 1, RLENGTH - 2)
        tests = substr(tests, RSTART + RLENGTH)
        if (file ~ /^tests\/hip\/[a-z]+$/)
            file = "-r " file
        text = text " " file
    }
    while (match(item, /`[^`]+`/)) {
        name = substr(item, RSTART + 1, RLENGTH - 2)
        item = substr(item, RSTART + RLENGTH)
        sub(/\.\.\.$/, "", name)
        sub(/ .*/, "", name)
        gsub(/'/, "", name)
        if (system("grep -qF -e '" name "' " text) != 0) {
            print FILENAME ":" FNR ": no test of the row has " name > "/dev/stderr"
            bad = 1
        }
    }
}
END { exit bad }
