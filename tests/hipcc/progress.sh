# SPDX-License-Identifier: MIT
# Where people wait, a line moves on a terminal; in a pipe there is not a word of it.
. "$LS_SOURCE/tests/hipcc/lib.inc"
export LOCKSTEP_CACHE=0 LOCKSTEP_PROGRESS=0 TERM=xterm
unset LOCKSTEP_ARCH

printf '\r\033[K' >away
# ends_clean FILE: what was written last over the line is nothing.
ends_clean() {
    tail -c 300 "$1" | grep -qF "$(cat away)" || return 1
    tail -c 300 "$1" | tr -d '\r' | awk -F"$(printf '\033')" '/compiling|ahead of time/ {left = $NF} END {exit left ~ /compiling|ahead/}'
}

"$hipcc" -O1 light.hip -o light -nogpuinc || exit 1
ok "cold kernels, in a pipe: nothing" silent "compiling" ./light
ok "hipcc, in a pipe: nothing" silent "ahead of time" "$hipcc" -O1 --offload-arch=x86-64-v2,x86-64-v3,x86-64-v4 light.hip -nogpuinc -c -o light.o
if command -v script >/dev/null; then
    ok "cold kernels on a terminal" script -qec ./light terminal.log
    ok "a line says so" has terminal.log "lockstep: compiling kernels for this processor: 0 done, now twice(int*)"
    ok "and is taken away" ends_clean terminal.log
    ok "not wanted" script -qec "LOCKSTEP_PROGRESS=-1 ./light" none.log
    ok "then there is none" silent compiling cat none.log
    ok "nor on a terminal that can't go back" sh -c "TERM=dumb script -qec ./light dumb.log && ! grep compiling dumb.log"
    ok "nor before it has taken long" sh -c "LOCKSTEP_PROGRESS=1000000 script -qec ./light soon.log && ! grep compiling soon.log"
    ok "hipcc, ahead of time" script -qec "$hipcc -O1 --offload-arch=x86-64-v2,x86-64-v3,x86-64-v4 light.hip -nogpuinc -c -o light.o" ahead.log
    ok "counts what it makes" has ahead.log "hipcc: code ahead of time [1/"
    ok "and takes it away" ends_clean ahead.log
fi
finish
