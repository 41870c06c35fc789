# SPDX-License-Identifier: MIT
# anchor(TEXT): the name that code hosts give a heading: small letters, digits, _ and -, a - for each blank; a second one of a page
# gets -1 and so on. begin_page() forgets those of the page before.
function begin_page(    i) {
    for (i in anchors_seen)
        delete anchors_seen[i]
}

function anchor(text,    name) {
    gsub(/<[^>]*>/, "", text)
    gsub(/&(lt|gt|amp|quot);/, "", text)
    while (match(text, /\[[^\]]*\]\([^)]*\)/)) # a link counts by its words
        text = substr(text, 1, RSTART - 1) gensub_link(substr(text, RSTART, RLENGTH)) substr(text, RSTART + RLENGTH)
    name = tolower(text)
    gsub(/[][!"#$%&'()*+,.\/:;<=>?@\\^`{|}~]/, "", name)
    sub(/^ +/, "", name)
    sub(/ +$/, "", name)
    gsub(/ /, "-", name)
    if (name in anchors_seen)
        return name "-" ++anchors_seen[name]
    anchors_seen[name] = 0
    return name
}

function gensub_link(link) {
    sub(/^\[/, "", link)
    sub(/\].*$/, "", link)
    return link
}
