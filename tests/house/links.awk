# SPDX-License-Identifier: MIT
# Links of the pages that `list` names, checked. Read behind docs/site/anchors.awk, in the folder that the pages' names begin in.
function resolve(page, to,    parts, n, i, out, depth, folder) {
    folder = page
    if (!sub(/\/[^\/]*$/, "", folder))
        folder = "."
    n = split(folder "/" to, parts, "/")
    depth = 0
    for (i = 1; i <= n; i++) {
        if (parts[i] == "." || parts[i] == "")
            continue
        if (parts[i] == ".." && depth > 0 && out[depth] != "..")
            depth--
        else
            out[++depth] = parts[i]
    }
    to = ""
    for (i = 1; i <= depth; i++)
        to = to (i > 1 ? "/" : "") out[i]
    return to == "" ? "." : to
}

function exists(path) {
    if (!(path in there))
        there[path] = system("test -e '" path "'") == 0
    return there[path]
}

# Line by line, without code; what is left of a line is in `text`.
function read_page(page, how,    line, number, fence, links, to, path, fragment) {
    begin_page()
    number = 0
    fence = 0
    while ((getline line < page) > 0) {
        number++
        if (line ~ /^ *```/) {
            fence = !fence
            continue
        }
        if (fence)
            continue
        if (how == "anchors") {
            if (match(line, /<a id="[^"]*"/))
                anchors[page "#" substr(line, RSTART + 7, RLENGTH - 8)] = 1
            if (line ~ /^#+ /) {
                sub(/^#+ +/, "", line)
                anchors[page "#" anchor(line)] = 1
            }
            continue
        }
        gsub(/`[^`]*`/, "", line)
        while (match(line, /\]\([^)]*\)/)) {
            to = substr(line, RSTART + 2, RLENGTH - 3)
            line = substr(line, RSTART + RLENGTH)
            if (to ~ /^[a-z]+:/)
                continue
            fragment = ""
            path = to
            if (match(path, /#.*/)) {
                fragment = substr(path, RSTART)
                path = substr(path, 1, RSTART - 1)
            }
            path = path == "" ? page : resolve(page, path)
            if (!exists(path) || (fragment != "" && path ~ /\.md$/ && !((path fragment) in anchors))) {
                print page ":" number ": " to
                bad = 1
            }
        }
    }
    close(page)
}

BEGIN {
    while ((getline page < list) > 0)
        pages[++n] = page
    for (i = 1; i <= n; i++)
        read_page(pages[i], "anchors")
    for (i = 1; i <= n; i++)
        read_page(pages[i], "links")
    exit bad
}
