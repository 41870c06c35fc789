# SPDX-License-Identifier: MIT
# Each option of hipcc's table goes to the steps that the table says, and to no other; the driver's own are taken.
. "$LS_SOURCE/tests/hipcc/lib.inc"

# OPTION FORM ROUTE, as far as a route is a union of steps
sed -n 's/^LS_OPT("\([^"]*\)", \([A-Z]*\), \([A-Z_0-9 |]*\)).*/\1 \2 \3/p' "$LS_SOURCE/tools/hipcc/options.def" |
    tr -d '|' | tr -s ' ' >rows
ok "the table is read" test "$(wc -l <rows)" = "$(grep -c '^LS_OPT(' "$LS_SOURCE/tools/hipcc/options.def")"

# try WORDS...: what of them is in the command of each step, as HOST DEVICE LINK
steps() {
    "$hipcc" -nogpuinc -fno-lockstep-code-object -o q bare.hip "$@" '-###' >said 2>&1 || { cat said; return 1; }
    last=
    for word in "$@"; do last=$word; done
    seen=
    grep -qF -e "\"$last\"" <<END && seen="$seen HOST"
$(grep -F offload-host-only said)
END
    grep -qF -e "\"$last\"" <<END && seen="$seen DEVICE"
$(grep -F offload-device-only said)
END
    grep -qF -e "\"$last\"" <<END && seen="$seen LINK"
$(grep -F driver-mode=g++ said)
END
    echo $seen
}
goes() {
    wanted=$1
    shift
    got=$(steps "$@")
    [ "$got" = "$wanted" ] || { echo "$*: goes to '$got', not to '$wanted'"; return 1; }
}
while read -r option form route; do
    [ "$option" != -nogpulib ] || continue # which is always there
    case $route in
    *HOST* | *DEVICE* | LINK) case $route in *_*) continue ;; esac ;;
    IGNORED) route= ;;
    *) continue ;;
    esac
    case $form in FLAG) set -- "$option" ;; SEPARATE) set -- "$option" q7 ;; *) set -- "${option}q7" ;; esac
    ok "$option: $route" goes "$route" "$@"
    [ $form != EITHER ] || ok "$option, apart: $route" goes "$route" "$option" q7
done <rows
finish
