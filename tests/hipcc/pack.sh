# SPDX-License-Identifier: MIT
# Programs packed for another machine (make check-cuda PACK=DIR): the pack's own ./run runs them and judges them; here on the CPU,
# whose code the programs hold too, as the bitcode is there.
. "$LS_SOURCE/tests/hipcc/lib.inc"

pack() {
    CUDA=1 PACK=$PWD/pack T=$1 sh "$LS_SOURCE/scripts/check.sh" "$LS_BUILD" >pack.log 2>&1
}
run_pack() {
    LOCKSTEP_DEVICES=cpu LOCKSTEP_COMPILER=$LS_BUILD/lib/liblockstep-compiler.so ./pack/run "$@" >run.log 2>&1
}

ok "a case is packed" pack 'hip/warp/vot*'
ok "and runs there" run_pack
ok "which counts" has run.log "1 passed, 0 failed"
ok "what is left out" not pack 'hip/warp/fpenv*'
ok "packed again" pack 'hip/warp/vot*'
sed -i 's/^exit 0/exit 3/' pack/runs
ok "a run that ends otherwise" not run_pack
ok "is said" has run.log "exit code 0"
echo 'colour blue' >>pack/runs
ok "a line that is not understood" not run_pack
ok "is named" has run.log "'colour' is not understood"
rm pack/runs
ok "no pack" not run_pack
ok "is named, too" has run.log "runs: No such file"
finish
