# SPDX-License-Identifier: MIT
# From llvm-dwarfdump's text: one line for each enumerator and member of a HIP type, and each size.
#   enum <name> <value>    member <type>.<path> <offset>    size <type> <bytes>

function value(line) {
    sub(/^[^(]*\(/, "", line)
    sub(/\)[^)]*$/, "", line)
    gsub(/"/, "", line)
    return line
}

function number(text,    i, n) {
    if (text !~ /^0x/)
        return text
    n = 0
    for (i = 3; i <= length(text); i++)
        n = n * 16 + index("0123456789abcdef", tolower(substr(text, i, 1))) - 1
    return n
}

function is_type() {
    return (tag == "DW_TAG_structure_type" || tag == "DW_TAG_union_type") && name ~ /^(hip|HIP)/
}

# Speaks of the entry that was read, before the next one begins.
function flush() {
    if (tag == "DW_TAG_enumerator" && name ~ /^(hip|HIP)/)
        print "enum", name, val
    else if (tag == "DW_TAG_member" && owner[depth] != "")
        print "member", owner[depth] "." (name == "" ? "-" : name), offset
    if (is_type() && size != "")
        print "size", name, size
    tag = ""
}

/^0x[0-9a-f]+: +DW_TAG_/ {
    flush()
    match($0, /DW_TAG_/)
    depth = int((RSTART - 12) / 2)
    tag = $2
    name = val = size = ""
    offset = 0
    owner[depth + 1] = ""
    next
}
/DW_AT_name/ {
    name = value($0)
    if (is_type())
        owner[depth + 1] = name
}
/DW_AT_const_value/ { val = number(value($0)) }
/DW_AT_data_member_location/ { offset = number(value($0)) }
/DW_AT_byte_size/ { size = number(value($0)) }
END { flush() }
