# SPDX-License-Identifier: MIT
# Meson with hipcc as its C++ compiler: it asks the linker's name, and finds dependency('hip') by pkg-config and, in check-full, by CMake's files.
. "$LS_SOURCE/tests/hipcc/lib.inc"
unset LOCKSTEP_ARCH ROCM_PATH HIP_PATH

ok "the linker's name" says "GNU ld" "$hipcc" -Wl,--version
ok "by -Xlinker" says "GNU ld" "$hipcc" -Xlinker --version
ok "no files are an error still" says "no input files" "$hipcc" -O2
if command -v meson >/dev/null; then
    mkdir project
    cp light.h project
    cp light.hip project/main.cpp
    echo "option('how', type : 'string', value : 'auto')" >project/meson_options.txt
    cat >project/meson.build <<'END'
project('twice', 'cpp')
executable('twice', 'main.cpp', cpp_args : '-nogpuinc',
    dependencies : dependency('hip', version : '>=6', method : get_option('how')))
END
    export CXX="$hipcc" PKG_CONFIG_PATH="$LS_BUILD/lib/pkgconfig"
    for how in pkg-config ${LS_CHECK_FULL:+cmake}; do # by CMake it takes seven seconds
        ok "$how" meson setup "out-$how" project -Dhow=$how --cmake-prefix-path="$LS_BUILD"
        ok "$how: build" ninja -C "out-$how"
        ok "$how: run" says "factor 2" "out-$how/twice"
    done
fi
finish
