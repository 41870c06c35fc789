# SPDX-License-Identifier: MIT
# A program that opens the runtime by dlopen has some 1,600 bytes for thread-local variables, of all libraries together:
# beyond that it is told "cannot allocate memory in static TLS block".
. "$LS_SOURCE/tests/hipcc/lib.inc"

# few_bytes LIBRARY: its thread-local variables fit.
few_bytes() {
    bytes=$(readelf -lW "$1" | awk '$1 == "TLS" {print $6}')
    echo "$1: ${bytes:-0x0} bytes of thread-local variables"
    [ $((${bytes:-0})) -le 800 ]
}

ok "the runtime" few_bytes "$LS_BUILD/lib/libamdhip64.so.6"
printf '_Thread_local char much[900]; char *f(void) {return much;}\n' >much.c
cc -shared -fPIC -o much.so much.c
ok "too many are found" not few_bytes ./much.so
finish
