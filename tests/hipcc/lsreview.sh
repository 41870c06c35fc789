# SPDX-License-Identifier: MIT
# lsreview: what kernels of lsreview.hip cost is found at its line with its numbers, for warps of 32 and 64, and nothing else;
# comments switch findings off; the tool's options, formats and exit codes.
. "$LS_SOURCE/tests/hipcc/lib.inc"
. "$LS_SOURCE/tests/hipcc/browser.inc"
lsreview=$LS_BUILD/bin/lsreview
source=$LS_SOURCE/tests/hipcc/lsreview.hip
export LOCKSTEP_CACHE_DIR="$LS_BUILD/tests/cache"

# finds WARP: each mark has a finding at its line with its words, each finding a mark.
finds() {
    awk -v warp="$1" '
        BEGIN {
            words["lines"] = "touches " warp " lines of 128 bytes"
            words["shifted"] = "touches " warp / 32 + 1 " lines of 128 bytes, " warp / 32 " would do"
            words["bytes"] = "8-bit"
            words["banks"] = "up to 32-way bank conflicts"
            words["atomics"] = warp / 2 " lanes of a warp go to one address"
            words["literal"] = "by the literal 0.1, which is a double"
            words["call"] = "by a call of sin"
            words["lanes"] = "for which " warp / 4 " of " warp " lanes of a warp are active"
            words["bounds"] = "no __launch_bounds__, launched with blocks of 64 threads"
        }
        FNR == NR {
            if (match($0, /\/\/ FIND [a-z]+/))
                marks[FNR] = words[substr($0, RSTART + 8, RLENGTH - 8)]
            next
        }
        /^lsreview: .*\[/ { message = $0; is_open = 1 }
        is_open && match($0, /lsreview\.hip:[0-9]+/) {
            line = substr($0, RSTART + 13, RLENGTH - 13) + 0
            if (line in marks && index(message, marks[line]))
                seen[line] = 1
            else if (message !~ /occupancy/)
                print "no mark explains:", line, message
            is_open = 0
        }
        END {
            for (line in marks)
                if (!(line in seen))
                    print "missed:", line, marks[line]
        }' "$source" found.log
}

for target in gfx1100:32 gfx90a:64; do
    arch=${target%:*} warp=${target#*:}
    ok "the program for $arch" quiet "$hipcc" -O2 --offload-arch="$arch" "$source" -o costly
    ok "a review for $arch" says 'it ran' timeout 60 "$lsreview" --all --log-file=found.log --json="$arch.json" ./costly
    finds "$warp" >unexpected.log
    ok "findings for $arch" not grep . unexpected.log
    [ -s unexpected.log ] && cat unexpected.log
    ok "what comments allow" has found.log ' more that comments allow'
    ok "what comments deny" has found.log 'a comment there says that it is not so'
    ok "registers of the real code" grep -q "on $arch: [0-9]* vector and [0-9]* scalar registers" found.log
    ok "kernels" [ "$(grep -c '^lsreview: kernel ' found.log)" = 15 ]
done

# Numbers of the second run, for warps of 64.
at() {
    grep -nF -e "$1" "$source" | head -1 | cut -d: -f1
}
ok "rows are ideal" grep -q "lsreview.hip:$(at 'out[i] = in[i];'):.* 32-bit read, 1 times, 64 lanes: 2 lines of 2, 8 sectors of 8" found.log
ok "128 bits a lane" grep -q "lsreview.hip:$(at 'out4[i] = in4[i];'):.* 128-bit write, 1 times, 64 lanes: 8 lines of 8, 32 sectors of 32" found.log
ok "a column" has found.log '32-bit read: a warp touches 64 lines of 128 bytes, 2 would do: efficiency 3.12%, of sectors of 32 bytes 12.5%'
ok "a shifted row" has found.log '32-bit read: a warp touches 3 lines of 128 bytes, 2 would do: efficiency 66.7%, of sectors of 32 bytes 88.9%'
ok "conflicts" has found.log '32-bit write of shared memory: up to 32-way bank conflicts, 64 cycles in place of 2 (gfx90a)'
ok "atomics" has found.log '32-bit atomic operation: 32 lanes of a warp go to one address'

# Operations and bytes that are known: 32 and 16 operations a thread, 8 and 16 bytes.
ok "operations" has found.log '3.07e+03 operations (33.3% in double precision), 1.54e+03 bytes of memory without caches: 2 a byte'
ok "the roof of the code's GPU" has found.log 'one of the two dies of Instinct MI250X: 14.6 a byte keep both busy; at least 9.37e-07 ms for memory'
ok "the roof of a chosen GPU" says 'H100 SXM: 15.1 a byte keep both busy; at least 4.59e-07 ms for memory, of all launches' "$lsreview" --gpu=h100 ./costly
ok "a chosen GPU's banks" says 'in place of 2 (sm_70)' "$lsreview" --gpu=h100 ./costly
ok "a GPU of which no roof is known" not says 'keep both busy' "$lsreview" --gpu=gfx1103 ./costly

ok "another GPU's banks" says 'in place of 2 (sm_70)' "$lsreview" --gpu=sm_89 ./costly
ok "an unknown GPU" says "lsreview: --gpu=gfx3: nothing is known of its shared memory; known are: gfx900" "$lsreview" --gpu=gfx3 ./costly
ok "an unknown GPU's exit code" fails 2 "$lsreview" --gpu=gfx3 ./costly
ok "--error-exitcode" fails 7 "$lsreview" --error-exitcode=7 ./costly
ok "a wrong --error-exitcode" fails 2 "$lsreview" --error-exitcode=300 ./costly
ok "the program's exit code" fails 0 "$lsreview" ./costly
ok "no program" fails 2 "$lsreview"
ok "a program that is not there" fails 127 "$lsreview" ./none
ok "a program without kernels" says 'nothing was measured: the program did not use this HIP' "$lsreview" true
ok "--help" says 'line by line' "$lsreview" --help
ok "review goes alone" says 'review goes alone' env LOCKSTEP_CHECK=review,memory LOCKSTEP_CHECK_FILE=records ./costly

# The page: whole, with nothing from elsewhere and no scripts; a browser shows it, where one is installed.
"$lsreview" --html=page.html ./costly >/dev/null 2>&1
ok "a page" grep -q '^</body></html>$' page.html
ok "nothing from elsewhere" not grep -qE '(src|href)="[a-z]*:|url\(|@import|<script|<link' page.html
ok "findings" has page.html '64 lines of 128 bytes, 2 would do'
ok "one for each" [ "$(grep -c '<section class="f">' page.html)" = "$(grep -c '^lsreview: .*\[' found.log)" ]
ok "pictures" [ "$(grep -o '<svg ' page.html | wc -l)" = "$(grep -o '</svg>' page.html | wc -l)" ]
"$lsreview" --sarif=costly.sarif ./costly >/dev/null 2>&1
ok "SARIF" grep -q '"ruleId":"shared/conflicts","level":"warning"' costly.sarif
ok "SARIF has each" [ "$(grep -c '"ruleId"' costly.sarif)" = "$(grep -c '^lsreview: .*\[' found.log)" ]
ok "a picture of the roof" has page.html 'MI250X: 2 operations a byte, 14.6 keep both busy'
ok "a picture of banks" grep -q 'bank [0-9]*: 32 words, lanes 0 1 2 3' page.html
ok "a picture of lines" has page.html 'word 0: lanes 63'
ok "sources" has page.html 'columns(const float *in, float *out)'
ok "light and dark" has page.html 'prefers-color-scheme:dark'
ok "a page that can't be written" fails 2 "$lsreview" --html=/no-such-folder/x ./costly
drawn page.html
if command -v python3 >/dev/null; then
    ok "JSON" python3 -c "
import json
r = json.load(open('gfx90a.json'))
assert len(r['kernels']) == 15 and all(k['warp'] == 64 and k['code'] for k in r['kernels'])
k = [k for k in r['kernels'] if 'polynomials' in k['name']][0]
assert (k['singles'], k['doubles'], k['memoryBytes'], k['askedBytes']) == (2048, 1024, 1536, 1536) and k['roofline']['memorySeconds'] > k['roofline']['arithmeticSeconds']
tile = [m for m in r['measures'] if 'tile' in m['kernel'] and m['memory'] == 'shared']
assert tile and all(m['banks'][g]['degree'] == 32 for m in tile for g in ('gfx9', 'gfx90a', 'gfx11', 'sm_70'))
padded = [m for m in r['measures'] if 'padded' in m['kernel'] and m['memory'] == 'shared']
assert padded and all(b['degree'] == 1 and b['cycles'] == b['idealCycles'] for m in padded for b in m['banks'].values())
often = [m for m in r['measures'] if 'often' in m['kernel'] and m['kind'] == 'read']
assert abs(sum(m['executions'] for m in often) / (512 * 4096) - 1) < 0.05 and sum(m['samples'] for m in often) < 50000
"
fi
finish
