# SPDX-License-Identifier: MIT
# The pages' links to each other and to files lead somewhere, and so do their anchors; the site has every page of docs.
. "$LS_SOURCE/tests/hipcc/lib.inc"

# broken FOLDER: what does not resolve in the pages below it, a line each; fails when there is any.
broken() {
    (cd "$1" && find . \( -name .git -o -name 'build*' -o -name .packages \) -prune -o -name '*.md' -print | sed 's,^\./,,' | sort >"$work/pages" &&
        awk -v list="$work/pages" -f "$LS_SOURCE/docs/site/anchors.awk" -f "$LS_SOURCE/tests/house/links.awk" </dev/null)
}
ok "links of the pages" broken "$LS_SOURCE"

mkdir -p tree/docs
printf '# A page\n\n[good](docs/b.md#what-is-it) [bad](docs/c.md) [worse](docs/b.md#no)\n\n```\n[code](nowhere.md)\n```\n`[too](nowhere.md)` [folder](docs)\n' >tree/a.md
printf '# B\n\n## What is it?\n\n[up](../a.md) [here](#b) [x](#c) [w](https://example.invalid/)\n\n## `code`, and **more**\n\n[m](#code-and-more)\n' >tree/docs/b.md
broken tree >found
ok "a page that is not there" has found "a.md:3: docs/c.md"
ok "an anchor that is not there" has found "a.md:3: docs/b.md#no"
ok "one of the page itself" has found "docs/b.md:5: #c"
ok "and nothing else" test "$(wc -l <found)" = 3

sed '/^[#[]/d' "$LS_SOURCE/docs/site/pages.list" | awk 'NF > 1 && !/^:/ {print $1}' | sort >listed
(cd "$LS_SOURCE" && ls README.md CONTRIBUTING.md docs/*.md docs/results/*.md) | sort >there
ok "the site has all pages" sh -c "comm -3 listed there | grep . && exit 1 || exit 0"
if command -v cmark-gfm >/dev/null; then
    ok "the site" sh "$LS_SOURCE/scripts/site.sh" "$LS_BUILD" "$work/site"
    ok "its links to its own pages" sh -c "cd site && grep -ohE 'href=\"[^\":#]+[\"#]' *.html | tr -d '\"#' | cut -c6- | sort -u | grep . | while read -r f; do [ -e \"\$f\" ] || { echo \"\$f\"; exit 1; }; done"
    ok "variables of the table" sh -c "sed -n 's/^LS_ENV(\([A-Z_]*\),.*/LOCKSTEP_\1/p' '$LS_SOURCE/src/base/env.def' | while read -r v; do grep -q \"<code>\$v</code>\" site/variables.html || { echo \$v; exit 1; }; done"
    ok "options of the table" has site/options.html "<code>--offload-compress</code>"
fi
finish
