# SPDX-License-Identifier: MIT
# Takes the commands out of a page: DIR/N.sh for the Nth block, with the page's line as its first. Blocks are those marked sh, and lines
# that begin with `$ ` in blocks without a mark. Comments of the page say more, each for the next block:
#   <!-- not run: WHY -->      it is left out; the reason is printed
#   <!-- file: NAME -->        no commands: its text is that file
#   <!-- file: NAME ... -->    the file is in the comment itself, over several lines
#   <!-- before: ... -->       commands that come first, over several lines
#   <!-- prints: TEXT -->      what the commands print has the text
#   <!-- fails -->             the last command is not to succeed
function put(text) {
    print text >(dir "/" n ".sh")
}

function begin_block() {
    n++
    put("# " page ":" NR)
    if (prints != "")
        print prints >(dir "/" n ".prints")
    if (fails)
        print "" >(dir "/" n ".fails")
    put("set -e")
    prints = ""
    fails = 0
    printf "%s", before >(dir "/" n ".sh")
    before = ""
}

function quoted(text) {
    gsub(/'/, "'\\''", text)
    return "'" text "'"
}

# a comment over several lines
comment == "before" && /^-->/ { comment = ""; next }
comment == "before" { before = before $0 "\n"; next }
comment == "file" && /^-->/ { comment = ""; before = before "LS_END_OF_FILE\n"; next }
comment == "file" { before = before $0 "\n"; next }
/^<!-- before:$/ { comment = "before"; next }
/^<!-- file: [^ ]+$/ { comment = "file"; before = before "mkdir -p \"$(dirname " quoted($3) ")\"; cat >" quoted($3) " <<'LS_END_OF_FILE'\n"; next }

/^<!-- not run: .* -->$/ { reason = $0; sub(/^<!-- not run: /, "", reason); sub(/ -->$/, "", reason); next }
/^<!-- file: [^ ]+ -->$/ { file = $3; next }
/^<!-- prints: .* -->$/ { prints = $0; sub(/^<!-- prints: /, "", prints); sub(/ -->$/, "", prints); next }
/^<!-- fails -->$/ { fails = 1; next }

/^ *```/ && inside == "" {
    kind = $0
    sub(/^ *```/, "", kind)
    inside = "text"
    if (file != "") {
        inside = "file"
        before = before "mkdir -p \"$(dirname " quoted(file) ")\"; cat >" quoted(file) " <<'LS_END_OF_FILE'\n"
        file = ""
    } else if (reason != "") {
        print page ":" NR ": not run: " reason
        reason = ""
        before = ""
        inside = "left out"
    } else if (kind == "sh") {
        inside = "sh"
        begin_block()
    } else if (kind == "") {
        inside = "transcript"
        begun = 0
    }
    next
}
/^ *```/ {
    if (inside == "file")
        before = before "LS_END_OF_FILE\n"
    inside = ""
    next
}
inside == "file" { before = before $0 "\n" }
inside == "sh" { put($0) }
inside == "transcript" && /^\$ / {
    if (!begun)
        begin_block()
    begun = 1
    put(substr($0, 3))
}
END {
    if (comment != "" || inside != "" || reason != "" || file != "" || before != "" || prints != "") {
        print page ": a mark or a block without its end, or without what it is for"
        exit 1
    }
}
