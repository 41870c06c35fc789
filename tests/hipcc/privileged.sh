# SPDX-License-Identifier: MIT
# A program with rights that its caller lacks hears none of the caller's variables, whatever their names. A real uid that
# is not the effective one makes a program so (AT_SECURE), as a setuid bit does; only root can arrange it.
. "$LS_SOURCE/tests/hipcc/lib.inc"
if [ "$(id -u)" != 0 ] || ! setpriv --ruid 65534 true 2>/dev/null; then
    echo "1 passed (skipped: needs root)"
    exit 0
fi
unset LOCKSTEP_CACHE LOCKSTEP_CACHE_DIR LOCKSTEP_DEBUG
cat >program.hip <<'END'
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void seven(int *out) { *out = 7; }
int main()
{
    int *dev, host = 0, n = 0;

    hipGetDeviceCount(&n);
    if (hipMalloc(&dev, sizeof(int)) == hipSuccess) {
        seven<<<1, 1>>>(dev);
        hipMemcpy(&host, dev, sizeof(int), hipMemcpyDeviceToHost);
    }
    std::printf("%d devices, result %d\n", n, host);
}
END
cat >rtc.cpp <<'END'
#include <hip/hiprtc.h>
#include <cstdio>
int main()
{
    hiprtcProgram program;
    static char log[4096];
    size_t bytes;

    hiprtcCreateProgram(&program, "__global__ void k() {}", "k.hip", 0, nullptr, nullptr);
    std::printf("compiled: %d\n", (int)hiprtcCompileProgram(program, 0, nullptr));
    if (hiprtcGetProgramLogSize(program, &bytes) == HIPRTC_SUCCESS && bytes <= sizeof(log)) {
        hiprtcGetProgramLog(program, log);
        std::puts(log);
    }
}
END
cat >evil.c <<'END'
#include <stdio.h>
__attribute__((constructor)) static void loaded(void) { fputs("code of the caller runs\n", stderr); }
END
printf '#!/bin/sh\necho "a program of the caller runs"\nexit 1\n' >evil-hipcc
chmod +x evil-hipcc
ok "build" "$hipcc" program.hip -o program
ok "build with hiprtc" "$hipcc" rtc.cpp -o rtc -lhiprtc
ok "build what is to be loaded" cc -shared -fPIC evil.c -o evil.so

# run plain|raised NAME=VALUE... PROGRAM: in an environment of these variables alone.
run() {
    case $1 in plain) shift && env -i "$@" ;; raised) shift && setpriv --ruid 65534 env -i "$@" ;; esac
}
no_file_in() { [ -z "$(find "$1" ! -type d)" ] || { find "$1"; return 1; }; }
right='result 7'

for how in plain raised; do
    case $how in plain) heard= ignored=not ;; raised) heard=not ignored= ;; esac
    mkdir home-$how xdg-$how tmp-$how log-$how
    home=HOME=$work/home-$how log=$work/log-$how
    ok "$how: a compiler of the caller is loaded" $heard says 'code of the caller runs' \
        run $how LOCKSTEP_CACHE=0 LOCKSTEP_COMPILER="$work/evil.so" ./program
    ok "$how: a hipcc of the caller is started" $heard says 'a program of the caller runs' \
        run $how "$home" LOCKSTEP_HIPCC="$work/evil-hipcc" HIPRTC_COMPILE_OPTIONS_APPEND=-v ./rtc
    ok "$how: hiprtc without it" says "compiled: 0" run $how PATH=/usr/bin:/bin "$home" ./rtc
    ok "$how: a log and a trace" says "$right" run $how LOCKSTEP_CACHE=0 LOCKSTEP_TRACE="$log/trace" AMD_LOG_LEVEL=4 \
        AMD_LOG_LEVEL_FILE="$log/log" ./program
    ok "$how: are written" $ignored no_file_in "$log"
    ok "$how: a home's cache" says "$right" run $how "$home" TMPDIR="$work/tmp-$how" ./program
    ok "$how: is filled" $ignored no_file_in "$work/home-$how"
    ok "$how: other cache folders" says "$right" run $how XDG_CACHE_HOME="$work/xdg-$how/1" ./program
    ok "$how: by name" says "$right" run $how LOCKSTEP_CACHE_DIR="$work/xdg-$how/2" ./program
    ok "$how: are filled" $ignored no_file_in "$work/xdg-$how"
    ok "$how: nothing is left for a folder of the caller" no_file_in "$work/tmp-$how"
    ok "$how: settings are heard" $heard says '3 devices' run $how LOCKSTEP_CPU_DEVICES=3 LOCKSTEP_CACHE=0 ./program
    ok "$how: AMD's too" $heard says '0 devices' run $how HIP_VISIBLE_DEVICES=-1 LOCKSTEP_CACHE=0 ./program
    ok "$how: by the compiler's child, too" $heard says '; --- after load' run $how LOCKSTEP_CACHE=0 LOCKSTEP_DUMP=load ./program
done
# What the privileged program starts, it starts with an environment of its own.
cat >show.c <<'END'
#include "base/env.h"
#include <stdio.h>
int main(void)
{
    for (char **e = ls_env_child(); *e; e++)
        puts(*e);
}
END
ok "a child's environment: build" cc -D_GNU_SOURCE -I"$LS_SOURCE/src" show.c "$LS_SOURCE/src/base/env.c" -o show
ok "plain: all of ours" says "LD_PRELOAD=x" run plain LD_PRELOAD=x ./show
ok "raised: of the caller's nothing" counts 1 '=' run raised LOCKSTEP_X=1 CPATH=/x HIPCC_COMPILE_FLAGS_APPEND=-fplugin=x PATH=/x ./show
finish
