# SPDX-License-Identifier: MIT
# HTML of one page, `from`: headings get their anchors, and links to other pages, pictures and files of the sources what they are
# called on the site. Read behind anchors.awk.
BEGIN {
    begin_page()
    folder = from
    if (!sub(/\/[^\/]*$/, "", folder))
        folder = ""
    while ((getline line < "docs/site/pages.list") > 0)
        if (line !~ /^[[#]/ && split(line, words, / +/) > 1)
            pages[words[1]] = 1
    made["src/base/env.def"] = "variables.html"
    made["tools/hipcc/options.def"] = "options.html"
    made["examples"] = "examples.html"
    made["examples/"] = "examples.html"
}

# The path that `to` is, seen from the page's folder.
function resolve(to,    parts, n, i, out, depth) {
    n = split(folder == "" ? to : folder "/" to, parts, "/")
    depth = 0
    for (i = 1; i <= n; i++) {
        if (parts[i] == "." || parts[i] == "")
            continue
        if (parts[i] == "..")
            depth--
        else
            out[++depth] = parts[i]
    }
    to = ""
    for (i = 1; i <= depth; i++)
        to = to (i > 1 ? "/" : "") out[i]
    return to
}

function on_site(to,    path, fragment, name) {
    if (to ~ /^[a-z]+:/ || to ~ /^#/)
        return to
    fragment = ""
    if (match(to, /#.*/)) {
        fragment = substr(to, RSTART)
        to = substr(to, 1, RSTART - 1)
    }
    path = resolve(to)
    if (path in made)
        return made[path] fragment
    if (path == "README.md")
        return "index.html" fragment
    if (path in pages) {
        name = path
        sub(/^docs\/results\//, "results-", name); sub(/^docs\//, "", name); sub(/\.md$/, "", name)
        return name ".html" fragment
    }
    if (path ~ /^docs\/ci\// || path == "Dockerfile") {
        sub(/^docs\//, "", path)
        return path
    }
    if (path ~ /^docs\/[^\/]*\.(svg|png)$/) {
        sub(/^docs\//, "", path)
        return path
    }
    return "" # a file of the sources, which is not here
}

{
    line = $0
    if (match(line, /^<h[1-6]>/)) {
        level = substr(line, 3, 1)
        text = line
        sub(/^<h[1-6]>/, "", text)
        sub(/<\/h[1-6]>.*$/, "", text)
        name = anchor(text)
        line = "<h" level " id=\"" name "\">" (level > 1 ? "<a href=\"#" name "\">" text "</a>" : text) "</h" level ">"
        if (text ~ /<a /)
            line = "<h" level " id=\"" name "\">" text "</h" level ">"
    }
    rest = line
    line = ""
    while (match(rest, /(href|src)="[^"]*"/)) {
        link = substr(rest, RSTART, RLENGTH)
        before = substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        kind = link
        sub(/=.*/, "", kind)
        to = substr(link, length(kind) + 3, length(link) - length(kind) - 3)
        new = on_site(to)
        line = line before (new == "" ? "title=\"" to ", in the sources\"" : kind "=\"" new "\"")
    }
    print line rest
}
