# SPDX-License-Identifier: MIT
# Writes OUT with a hash over the files listed in LIST: run as `cmake -DLIST=.. -DOUT=.. -P`.
file(STRINGS ${LIST} files)
set(all "")
foreach(f ${files})
    file(SHA256 ${f} h)
    string(APPEND all ${h})
endforeach()
string(SHA256 id "${all}")
file(WRITE ${OUT}.new "/* SPDX-License-Identifier: MIT */\n/* Generated: changes with the sources that decide what code is generated. */\n#define LS_BUILD_ID \"${id}\"\n")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
file(REMOVE ${OUT}.new)
