# SPDX-License-Identifier: MIT
# The guides' commands, run as they are printed, each page in a folder of its own: guides.awk says how. Paths of an installation are
# those of the build.
. "$LS_SOURCE/tests/hipcc/lib.inc"
unset LOCKSTEP_ARCH ROCM_PATH HIP_PATH
export PATH="$LS_BUILD/bin:$PATH" XDG_CACHE_HOME="${XDG_CACHE_HOME:-$HOME/.cache}" LS_SOURCE

# run_block NAME: NAME.sh in the current folder; what it prints has what NAME.prints says.
run_block() {
    sed -i "s,/opt/rocm/,$LS_BUILD/,g; s,/opt/lockstep/,$LS_BUILD/,g" "$1.sh"
    status=0
    sh -e "$1.sh" </dev/null >"$1.log" 2>&1 || status=$?
    cat "$1.log"
    if [ -e "$1.fails" ]; then
        [ $status != 0 ] || return 1
    else
        [ $status = 0 ] || return 1
    fi
    [ ! -e "$1.prints" ] || grep -qF -e "$(cat "$1.prints")" "$1.log"
}

ran=0
for page in README.md docs/ci.md docs/packages.md docs/cuda.md docs/hipify.md docs/debugging.md docs/checking.md docs/review.md docs/timeline.md \
    docs/fast-kernels.md docs/code-objects.md docs/nvidia.md docs/security.md; do
    blocks=$work/blocks/$page
    mkdir -p "$blocks" "$work/at/$page"
    ok "$page" sh -c "awk -v dir='$blocks' -v page='$page' -f '$LS_SOURCE/tests/hipcc/guides.awk' '$LS_SOURCE/$page' >'$blocks/said'"
    cat "$blocks/said"
    cd "$work/at/$page" || exit 1
    [ "$page" != README.md ] || ln -s "$LS_BUILD" build
    ln -s "$LS_SOURCE/examples" examples
    for block in $(ls "$blocks" | sed -n 's/\.sh$//p' | sort -n); do
        ok "$(sed -n '1s/# //p' "$blocks/$block.sh")" run_block "$blocks/$block"
        ran=$((ran + 1))
    done
    cd "$work" || exit 1
done
# the workflows run what the guide shows
for command in "-DCMAKE_CXX_COMPILER=/opt/rocm/bin/hipcc -DGPU_TARGETS=" "cmake --build out -j 2" "ctest --test-dir out --output-on-failure" \
    "lscheck --check=memory,init,race,sync --error-exitcode=1 --sarif=findings.sarif out/saxpy"; do
    for file in ci.md ci/github.yml ci/gitlab.yml; do
        ok "$file: $command" has "$LS_SOURCE/docs/$file" "$command"
    done
done
ok "some were run" test $ran -gt 15
finish
