#!/bin/sh
# SPDX-License-Identifier: MIT
# session.sh BUILD: runs the commands of docs/site/session.txt, and prints what they did as a moving picture (SVG), for the README:
#   scripts/session.sh build >docs/session.svg
set -eu
LS_BUILD=$(cd "$1" && pwd)
LS_SOURCE=$(cd "$(dirname "$0")/.." && pwd)
export LS_SOURCE PATH="$LS_BUILD/bin:$PATH"
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
mkdir run
export XDG_CACHE_HOME="$here/cache" LC_ALL=C

# Lines of the record: seconds since the line before, a kind, a text.
while IFS= read -r line; do
    case $line in
    '#'*) continue ;;
    '!'*) (cd run && sh -ec "${line#!}"); continue ;;
    esac
    printf '0.6 $ %s\n' "$line"
    start=$(date +%s.%N)
    (cd run && sh -c "$line" >../said 2>&1 || true)
    sed -i "s,$here/run/,,g" said
    took=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN {t = b - a; if (t < 0.2) t = 0.2; if (t > 4) t = 4; print t}')
    awk -v t="$took" '{print (NR == 1 ? t : 0.03) " > " $0}' said
done <"$LS_SOURCE/docs/site/session.txt" >record

awk '
function escaped(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
{
    text = $0
    sub(/^[^ ]+ . ?/, "", text)
    at += $1
    kind[++n] = $2
    time[n] = at
    if ($2 == "$")
        at += 0.9 # typing
    while (length(text) > columns) { # as terminals do
        line[n] = substr(text, 1, columns)
        text = substr(text, columns + 1)
        kind[++n] = ">"
        time[n] = at
    }
    line[n] = text
}
BEGIN { columns = 106; high = 19; margin = 16 }
END {
    end = at + 6
    width = columns * 8.4 + 2 * margin
    height = n * high + 2 * margin + 30
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"A terminal session\">\n", width, height, width, height
    print "<!-- SPDX-License-Identifier: MIT. Recorded by scripts/session.sh -->"
    print "<style>"
    print "text { font: 14px ui-monospace, \"DejaVu Sans Mono\", Menlo, Consolas, monospace; fill: #c9d1d9; white-space: pre; }"
    print ".p { fill: #7ee787; } .c { fill: #fff; } .n { fill: #8b949e; } .w { fill: #ffa657; } .g { fill: #7ee787; }"
    for (i = 1; i <= n; i++) {
        p = 100 * time[i] / end
        printf "@keyframes k%d { 0%%, %.2f%% { opacity: 0; } %.2f%%, 100%% { opacity: 1; } }\n", i, p, p + 0.01
        printf "#l%d { animation: k%d %.1fs infinite; }\n", i, i, end
    }
    print "@media (prefers-reduced-motion: reduce) { text { animation: none !important; } }"
    print "</style>"
    printf "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#0d1117\"/>\n", width, height
    printf "<circle cx=\"20\" cy=\"18\" r=\"6\" fill=\"#ff5f57\"/><circle cx=\"40\" cy=\"18\" r=\"6\" fill=\"#febc2e\"/><circle cx=\"60\" cy=\"18\" r=\"6\" fill=\"#28c840\"/>\n"
    for (i = 1; i <= n; i++) {
        y = margin + 30 + i * high - 5
        if (kind[i] == "$") {
            command = line[i]
            note = ""
            if (match(command, / +# /)) {
                note = substr(command, RSTART)
                command = substr(command, 1, RSTART - 1)
            }
            printf "<text id=\"l%d\" x=\"%d\" y=\"%d\" xml:space=\"preserve\"><tspan class=\"p\">$ </tspan><tspan class=\"c\">%s</tspan><tspan class=\"n\">%s</tspan></text>\n", i, margin, y, escaped(command), escaped(note)
        } else {
            class = line[i] ~ /verified|PASSED/ ? " class=\"g\"" : line[i] ~ /^lscheck/ ? " class=\"w\"" : ""
            printf "<text id=\"l%d\"%s x=\"%d\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", i, class, margin, y, escaped(line[i])
        }
    }
    print "</svg>"
}' record
