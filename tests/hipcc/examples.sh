    archs=gfx1100
    [ $((n % 2)) = 0 ] || archs=gfx90a
    [ -z "$both" ] || archs=gfx1100,gfx90a
# SPDX-License-Identifier: MIT
# Each example compiles without a warning, and its result is that of the host: in turns with warps of 32 on the widest vectors, and with warps of
# 64 on the narrowest; both of each in check-full. It is one screen of code, and prints a number or writes a picture.
. "$LS_SOURCE/tests/hipcc/lib.inc"
unset LOCKSTEP_ARCH
export PATH="$LS_BUILD/bin:$PATH"
cp -r "$LS_SOURCE/examples" . || exit 1
cd examples || exit 1
work=$PWD

# proves LOG: it says that something was verified, and nothing else of it; a picture that it names is one.
proves() {
    grep -q ': verified$' "$1" && ! grep -q 'WRONG' "$1" && grep -q '[0-9]' "$1" || { cat "$1"; return 1; }
    for picture in $(sed -n 's/^ *picture: \(.*\.ppm\)$/\1/p' "$1"); do
        [ "$(head -c 2 "$picture")" = P6 ] && [ "$(wc -c <"$picture")" -gt 100000 ] || return 1
    done
}

n=0
for source in *.hip; do
    name=${source%.hip}
    both=${LS_CHECK_FULL:-}
    archs=gfx1100
    [ $((n % 2)) = 0 ] || archs=gfx90a
    ok "$name: no warning" quiet "$hipcc" -O3 -Wall -Wextra --offload-arch=$archs "$source" -o "$name"
    if [ $archs != gfx90a ]; then
        ok "$name" sh -c "LOCKSTEP_ARCH=gfx1100 ./$name >$name.log"
        ok "$name: its result" proves "$name.log"
        rm -f "$name.ppm"
    fi
    if [ $archs != gfx1100 ]; then
        ok "$name: wave64, SSE2" sh -c "LOCKSTEP_ARCH=gfx90a LOCKSTEP_ISA=sse2 ./$name >$name.log"
        ok "$name: its result" proves "$name.log"
    fi
    case $name in
    image_filter | nbody | ray_tracer) ;; # they came before the gallery, or hold a scene
    *) ok "$name: a screen" test "$(wc -l <"$source")" -le 94 ;;
    esac
    n=$((n + 1))
done
ok "some" test $n -ge 20

# the samples in folders, by their makefiles
for folder in square module_api static_library; do
    ok "$folder" make -s -C "$folder" CC=cc
done
cd square && for program in square.out square.out.static square.cu.out; do
    ok "$program" says "PASSED!" "./$program"
    ok "$program says what the guide says" says "info: allocate host mem (  7.63 MB)" "./$program"
done
cd ../module_api && ok "module_api" says "64 threads ran, 0 wrong" ./module_api
cd ../static_library && ok "linked by the C compiler" says "squares: verified" ./host.out
ok "linked by hipcc" says "cubes: verified" ./device.out
finish
