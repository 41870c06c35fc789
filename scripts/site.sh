#!/bin/sh
# SPDX-License-Identifier: MIT
# site.sh BUILD [OUT]: the documentation as static pages, in BUILD/site: docs/site/pages.list says which. Needs cmark-gfm.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
out=${2:-$build/site}
list=docs/site/pages.list
rm -rf "$out"
mkdir -p "$out"
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

# The page that the build makes.
generated() {
    case $1 in
    :variables) "$build/tools/man/lsman" variables ;;
    :options) "$build/tools/man/lsman" options ;;
    :tools)
        printf '# Tools\n\nWhat each prints of itself.\n'
        for page in "$build"/share/man/man1/*.1; do
            tool=$(basename "$page" .1)
            printf '\n## %s\n\n```\n' "$tool"
            cat "$build/tools/man/$tool.txt"
            printf '```\n'
        done
        ;;
    :examples)
        printf '# Examples\n\nEach compiles with `hipcc -O3 NAME.hip -o NAME`, says what it found, and checks it against the host.\n'
        for example in examples/*.hip; do
            printf '\n## %s\n\n' "$(basename "$example" .hip)"
            sed -n '2,/\*\//{s,^/\* ,,; s,^ \* ,,; s, \*/$,,; p}' "$example"
            printf '\n```cpp\n'
            sed '1,/\*\/$/d' "$example" | sed '1,/\*\/$/d'
            printf '```\n'
        done
        ;;
    esac
}

sed '/^#/d; /^$/d' "$list" >"$temporary/list"
while read -r page title; do
    case $page in
    \[*) continue ;;
    :*) target=${page#:}.html
        generated "$page" >"$temporary/page.md" ;;
    README.md) target=index.html
        cp "$page" "$temporary/page.md" ;;
    *)  target=$(basename "$page" .md).html
        [ "${page#docs/results/}" = "$page" ] || target=results-$target
        cp "$page" "$temporary/page.md" ;;
    esac
    {
        printf '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        printf '<title>%s</title>\n<link rel="stylesheet" href="style.css">\n</head>\n<body>\n<nav>\n' \
            "$([ "$title" = Lockstep ] && echo "Lockstep: HIP without a GPU" || echo "$title - Lockstep")"
        printf '<label><input type="radio" name="theme" id="auto" checked> auto</label><label><input type="radio" name="theme" id="light"> light</label><label><input type="radio" name="theme" id="dark"> dark</label>\n'
        awk -v here="$page" '
            /^\[/ { gsub(/[][]/, ""); print "<h2>" $0 "</h2>"; next }
            {
                page = $1
                href = page
                sub(/^[^ ]+ +/, "")
                if (href == "README.md") href = "index"
                sub(/^:/, "", href); sub(/^docs\/results\//, "results-", href); sub(/^docs\//, "", href); sub(/\.md$/, "", href)
                printf "<a href=\"%s.html\"%s>%s</a>\n", href, page == here ? " aria-current=\"page\"" : "", $0
            }' "$temporary/list"
        printf '</nav>\n<main>\n'
        cmark-gfm -e table -e autolink -e strikethrough --unsafe "$temporary/page.md" |
            awk -v from="$page" -f docs/site/anchors.awk -f docs/site/links.awk
        printf '</main>\n</body>\n</html>\n'
    } >"$out/$target"
done <"$temporary/list"
cp docs/site/style.css "$out"
cp -r docs/ci Dockerfile "$out"
for picture in docs/*.svg docs/*.png; do
    [ ! -e "$picture" ] || cp "$picture" "$out"
done
echo "$(ls "$out" | grep -c html) pages: $out/index.html"
