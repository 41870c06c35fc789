# SPDX-License-Identifier: MIT
# Rooms use only whom src/floors.def allows; an edge that it does not allow is found, and a circle of files is.
. "$LS_SOURCE/tests/hipcc/lib.inc"
floors=$LS_SOURCE/scripts/floors.sh

ok "the build" sh "$floors" "$LS_BUILD"

# refused TEXT COMMAND...: fails and says the text.
refused() {
    text=$1
    shift
    not "$@" >said.log 2>&1 && has said.log "$text"
}

# Two objects under names that the table knows.
mkdir -p built/src/base/CMakeFiles/x.dir built/src/compiler/CMakeFiles/x.dir/cc
compile() {
    ${CC:-cc} -x c -c - -o "built/src/$1.o"
}
echo 'void ls_seed(void); void ls_other(void); void ls_other(void) { ls_seed(); }' | compile base/CMakeFiles/x.dir/log.c
echo 'void ls_seed(void); void ls_seed(void) {}' | compile compiler/CMakeFiles/x.dir/cc/cc.c
ok "an edge upwards" refused "src/base/log.c may not use ls_seed of src/compiler/cc/cc.c" sh "$floors" built

echo 'void ls_seed(void); void ls_other(void); void ls_other(void) { ls_seed(); }' | compile base/CMakeFiles/x.dir/log.c
echo 'void ls_seed(void); void ls_other(void); void ls_seed(void) { ls_other(); }' | compile base/CMakeFiles/x.dir/env.c
rm built/src/compiler/CMakeFiles/x.dir/cc/cc.c.o
ok "a circle" refused "these use each other in a circle" sh "$floors" built

printf 'room src/base: src/compiler/cc\nroom src/compiler/cc: src/base\norder src/base\n' >table
ok "a circle of rooms" refused "src/base may not stand on src/compiler/cc" sh "$floors" built table

rm -r built/src
mkdir -p built/src
ok "nothing to look at" refused "no objects" sh "$floors" built
finish
