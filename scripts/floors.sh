#!/bin/sh
# SPDX-License-Identifier: MIT
# floors.sh BUILD [TABLE]: proves by the symbols of BUILD's objects that rooms use only whom TABLE (src/floors.def)
# allows them, and that no files use each other in a circle where the table forbids it.
# `floors.sh BUILD --edges` prints who uses what: FROM TO SYMBOL.
set -eu
build=$1
top=$(cd "$(dirname "$0")/.." && pwd)
table=${2:-$top/src/floors.def}

edges() {
    find "$build/src" -name "*.c.o" | sort | while read -r object; do
        source=$(echo "${object#"$build"/}" | sed "s#CMakeFiles/[^/]*\.dir/##; s#^.*/__/##; s#\.o\$##")
        [ ! -f "$top/$source" ] || echo "$object" # not what is left of files that have moved
    done | xargs nm -A -p | awk -v prefix="$build/" '
        {
            colon = index($0, ".o:")
            file = substr($0, length(prefix) + 1, colon - length(prefix) - 1)
            gsub(/CMakeFiles\/[^\/]*\.dir\//, "", file)
            sub(/^.*\/__\//, "", file) # of another folder: tools
            kind = $(NF - 1)
            if ($NF ~ /^_Z(nw|dl)/)
                next # of C++ itself, which a program may replace
            if (kind ~ /^[TDBRVWC]$/)
                home[$NF] = home[$NF] " " file
            else if (kind == "U")
                use[file " " $NF]
        }
        END {
            for (u in use) {
                split(u, part, " ")
                n = split(home[part[2]], at, " ")
                own = 0
                for (i = 1; i <= n; i++)
                    own = own || at[i] == part[1]
                if (n && !own)
                    print part[1], at[1], part[2]
            }
        }' | sort
}

if [ "$table" = --edges ]; then
    edges
    exit
fi
edges | awk -v table="$table" '
    function room_of(file) { sub(/\/[^\/]*$/, "", file); return file }
    function is_ordered(file,   i) {
        for (i = 1; i <= n_ordered; i++)
            if (index(file, ordered[i] "/") == 1)
                return 1
        return 0
    }
    # Tarjan: files that reach each other
    function visit(v,   next_of, n, i, w, list, count) {
        when[v] = low[v] = ++clock
        stack[++depth] = v
        here[v] = 1
        n = split(uses[v], next_of, " ")
        for (i = 1; i <= n; i++) {
            w = next_of[i]
            if (!(w in when)) {
                visit(w)
                if (low[w] < low[v])
                    low[v] = low[w]
            } else if (here[w] && when[w] < low[v])
                low[v] = when[w]
        }
        if (low[v] != when[v])
            return
        do {
            w = stack[depth--]
            here[w] = 0
            list = list " " w
            count++
        } while (w != v)
        if (count > 1) {
            print "floors: these use each other in a circle:" list
            bad = 1
        }
    }
    BEGIN {
        while ((getline line < table) > 0) {
            n = split(line, word, /[ :]+/)
            if (word[1] == "room") {
                for (i = 3; i <= n; i++) {
                    if (word[i] == "")
                        continue
                    allowed[word[2], word[i]]
                    if (!(word[i] in known)) {
                        print "floors: " word[2] " may not stand on " word[i] ", whose line does not come before"
                        bad = 1
                    }
                }
                known[word[2]]
            } else if (word[1] == "order")
                for (i = 2; i <= n; i++)
                    ordered[++n_ordered] = word[i]
        }
        if (!n_ordered) {
            print "floors: " table " says nothing"
            exit bad = 1
        }
    }
    {
        n_edges++
        from = room_of($1)
        to = room_of($2)
        if (!(from in known) && !(from in told)) {
            told[from]
            print "floors: no line for " from " in " table
            bad = 1
        }
        if (from != to && !((from, to) in allowed)) {
            print "floors: " $1 " may not use " $3 " of " $2
            bad = 1
        }
        if ($1 != $2 && is_ordered($1) && is_ordered($2) && !(($1, $2) in seen)) {
            seen[$1, $2]
            uses[$1] = uses[$1] " " $2
        }
    }
    END {
        for (v in uses)
            if (!(v in when))
                visit(v)
        if (!n_edges) {
            print "floors: no objects"
            bad = 1
        }
        exit bad
    }'
