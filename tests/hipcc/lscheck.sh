# SPDX-License-Identifier: MIT
# lscheck: each fault of lscheck_memory.hip and lscheck_race.hip is found at its line, with its kind, and
# its repaired twin is silent; the tool's options, formats and exit codes.
. "$LS_SOURCE/tests/hipcc/lib.inc"
. "$LS_SOURCE/tests/hipcc/browser.inc"
lscheck=$LS_BUILD/bin/lscheck
source=$LS_SOURCE/tests/hipcc/lscheck_memory.hip
export LOCKSTEP_CACHE_DIR="$LS_BUILD/tests/cache"
ok "the faulty program" quiet "$hipcc" -O2 "$source" -o faulty

# finds NAME: the fault is reported where the source says, and nothing of another kind.
finds() {
    line=$(grep -n "// FAULT $1 " "$source" | cut -d: -f1)
    kind=$(sed -n "${line}s/.* //p" "$source")
    timeout 60 "$lscheck" ./faulty "$1" >found.log 2>&1
    cat found.log
    grep -q "^lscheck: .*\[memory/$kind\]" found.log || return 1
    grep -q "    in.*lscheck_memory.hip:$line:" found.log || return 1
    ! grep '^lscheck: .*\[' found.log | grep -qv "/$kind\]"
}

# clean NAME: the twin is silent.
clean() {
    timeout 60 "$lscheck" --leak-check=full --error-exitcode=9 ./faulty "$1" good >found.log 2>&1
    status=$?
    cat found.log
    [ $status = 0 ] && grep -q '^lscheck: nothing was found' found.log
}

names=$(sed -n 's,.*// FAULT \([a-z-]*\) .*,\1,p' "$source")
ok "there are faults" test "$(echo "$names" | wc -l)" -ge 20
for name in $names; do
    ok "$name" finds "$name"
    ok "the twin of $name" clean "$name"
done
for name in double-free invalid-free leak; do
    ok "$name" says "/$name]" "$lscheck" --check=memory,leaks ./faulty "$name"
    ok "the twin of $name" clean "$name"
done

ok "the default names what it leaves out" says "nothing was found by memory; --check=memory,init,race,sync looks for more" \
    "$lscheck" ./faulty double-free good
ok "what is chosen does not" silent "looks for more" "$lscheck" --check=memory ./faulty double-free good

# Races: all faults in one run, all twins in another.

# Which of two accesses of different blocks is reported depends on who came last: one is enough.
# reported FILE CHECK: "line kind name" of each fault that the source marks, or what of its reports no mark explains.
reported() {
    awk -v file="lscheck_$1.hip" -v file_kind="$1" -v check="$2" '
        function explain(i) {
            if (!n)
                return
            for (i = 1; i <= n; i++)
                if ((at[i] " " kind) in marks)
                    seen[at[i] " " kind] = explained = 1
            if (!explained)
                print "no mark explains:" text
        }
        FNR == NR {
            while (match($0, /FAULT [a-z0-9-]+ [a-z\/-]+/)) {
                split(substr($0, RSTART, RLENGTH), part, " ")
                for (i = split(part[3], kinds, "/"); i > 0; i--)
                    marks[FNR " " (kinds[i] ~ /-/ || file_kind == check ? "" : file_kind "-") kinds[i]] = part[2]
                $0 = substr($0, RSTART + RLENGTH)
            }
            next
        }
        $0 ~ "^lscheck: .*\\[" check "/" {
            explain()
            n = explained = 0
            text = " " $0
            kind = $0
            sub(/.*\//, "", kind)
            sub(/\].*/, "", kind)
        }
        /^    (in|inlined into) / && index($NF, file) {
            split($NF, part, ":")
            at[++n] = part[2]
            text = text $0
        }
        END {
            explain()
            for (mark in marks)
                if (mark in seen)
                    found[marks[mark]] = 1
            for (mark in marks)
                if (mark in seen)
                    print "found", mark, marks[mark]
                else if (file_kind !~ /^(global|rows|own)$/ || !(marks[mark] in found))
                    print "missed", mark, marks[mark]
        }' "$LS_SOURCE/tests/hipcc/lscheck_$1.hip" "$1.log"
}

# checks FILE CHECK N [NAME]: builds the program, and looks at what is reported of it: at least N faults, of the check
# NAME where that has another name.
level=-O2
checks() {
    ok "the program for $1" quiet "$hipcc" $level "$LS_SOURCE/tests/hipcc/lscheck_$1.hip" -o "$1"
    ok "the twins for $1" fails 0 timeout 60 "$lscheck" --check="$2" --error-exitcode=9 "./$1" good
    timeout 60 "$lscheck" --check="$2" "./$1" bad >"$1.log" 2>&1
    ok "the faults for $1 run" test $? = 0
    reported "$1" "${4:-$2}" >reported.log
    ok "$1: faults are found" test "$(grep '^found' reported.log | sed 's/.* //' | sort -u | wc -l)" -ge "$3"
    ok "$1: none is missed, nothing else is said" silent "" grep -v '^found' reported.log
}
checks race race 20
checks global race 42
ok "what nobody waits for is looked at" says "race/global-read" "$lscheck" --check=race ./global leave last-warp
checks rows race 13
checks own race 14
checks init init 21
checks sync sync 36
checks lanes lanes 10
checks barriers barriers 9 sync

# Variables of a thread: without optimisation all, with it arrays.
level=-O0
checks unset init 16
# Faults that LLVM drops, as they can't be right, where clang has left them.
checks dropped memory 4
level=-O2
unset=$LS_SOURCE/tests/hipcc/lscheck_unset.hip
ok "unset, with optimisation" quiet "$hipcc" -O2 -Wno-uninitialized "$unset" -o unset
ok "... the twins" fails 0 "$lscheck" --check=init --error-exitcode=9 ./unset good
"$lscheck" --check=init ./unset bad >unset.log 2>&1
reported unset init >reported.log
grep -n ' ANY$' "$unset" | sed 's/:.*//; s/.*/found &/' >expected
ok "... arrays are found" test "$(grep -c -f expected reported.log)" = "$(wc -l <expected)"
ok "... and nothing else is said" silent "no mark explains" cat reported.log

# Calls of the API: what is said stands in the source, once for each.
calls=$LS_SOURCE/tests/hipcc/lscheck_calls.hip
sed -n 's,.*// STALE \([^ ]*\) \(.*\),\1 is given \2 that was destroyed [memory/stale-handle],p; s,.*// FAILS \([^ ]*\) \(.*\),\1 fails: \2 [api/error],p' "$calls" >expected
ok "the program for calls" quiet "$hipcc" "$calls" -o calls
"$lscheck" --check=memory,api ./calls bad >calls.log 2>&1
sed -n 's,^lscheck: \(.* is given .*\),\1,p; s,^lscheck: \(.* fails: [A-Za-z]*\) ([0-9]*)\(.*\),\1\2,p' calls.log >told
grep '// STALE' "$calls" | sed 's,.*// STALE \([^ ]*\) .*,\1,' >stale # each of these fails, too
ok "there are 25 faulty calls" test "$(wc -l <expected)" -ge 25
ok "calls: each is told" silent "" grep -vxFf told expected
ok "calls: failures of those with stale handles, and no others" test "$(wc -l <told)" = "$(($(wc -l <expected) + $(wc -l <stale)))"
ok "calls: the twins" fails 0 "$lscheck" --check=memory,api --error-exitcode=9 ./calls good
ok "calls: who destroyed it" says "destroyed by hipStreamDestroy" cat calls.log
ok "failing calls are for who asks" fails 0 "$lscheck" --check=memory --error-exitcode=9 ./faulty fails
ok "... as compute-sanitizer does" says "[api/error]" "$lscheck" --tool memcheck ./faulty fails
ok "... or not" fails 0 "$lscheck" --tool memcheck --report-api-errors no --error-exitcode=9 ./faulty fails
ok "... in its words" says "explicit, all or no" "$lscheck" --report-api-errors=some ./faulty fails
# Addresses of shared memory that are constants: as -O0 leaves them.
cat >shared.hip <<'EOF'
#include <hip/hip_runtime.h>
__shared__ int first[64], second[2];
extern __shared__ int rest[]; /* behind these */
__global__ void sum(int *v)
{
    int t = threadIdx.x;
    first[t] = t;
    second[1] = 2;
    __syncthreads();
    if (t == 0)
        v[0] = first[63] + second[0] + rest[1];
}
int main()
{
    int *v;
    (void)hipMalloc(&v, 4);
    sum<<<1, 64, 16>>>(v);
    return hipDeviceSynchronize() != hipSuccess;
}
EOF
ok "a program without optimisation" quiet "$hipcc" -O0 shared.hip -o shared
ok "... is checked" says "byte 0 of second" "$lscheck" --check=init,race,sync ./shared
ok "... what the launch adds, too" says "of shared memory, by rest" "$lscheck" --check=init ./shared
# Copies of the host have no line of a kernel: each is told once, with what it reads.
sed -n 's,.*// COPY [a-z0-9-]* \([0-9]*\) \([0-9]*\)$,\1 \2,p' "$LS_SOURCE/tests/hipcc/lscheck_init.hip" | sort >copies
sed -n 's,^ *byte \([0-9]*\) of the \([0-9]*\) that were copied:$,\1 \2,p' init.log | sort >told
ok "init: copies to the host" cmp copies told

# Streams: one fault a process, as the host's last wait would order them.
ok "the program for streams" quiet "$hipcc" -O2 "$LS_SOURCE/tests/hipcc/lscheck_stream.hip" -o stream
ok "the twins for streams" fails 0 timeout 60 "$lscheck" --check=race --error-exitcode=9 ./stream all good
./stream >cases
ok "there are faults of streams" test "$(wc -l <cases)" -ge 20
while read -r name; do
    ok "streams: $name" says "[race/stream-" "$lscheck" --check=race ./stream "$name" bad
done <cases

# The host, and memory that it shares with the device.
ok "the program for the host" quiet "$hipcc" -O2 -g "$LS_SOURCE/tests/hipcc/lscheck_host.hip" -o host -pthread
ok "the twins for the host" fails 0 timeout 60 "$lscheck" --check=host --error-exitcode=9 ./host all good
./host >cases
ok "there are faults of the host" test "$(wc -l <cases)" -ge 10
while read -r name; do
    ok "the host: $name" says "[race/host-" "$lscheck" --check=host ./host "$name" bad
done <cases
ok "the host: where" says "by the host (host+0x" "$lscheck" --check=host ./host managed-read bad
ok "the host is for who asks" fails 0 "$lscheck" --check=memory,race,init,sync --error-exitcode=9 ./host managed-read bad

# What else the reports say.
ok "inlined calls" says "inlined into inlined" "$lscheck" ./faulty inlined
ok "where memory came from" says "which was allocated" "$lscheck" ./faulty write-end
ok "how far behind the end" says "0 bytes behind the end of the 4000 bytes" "$lscheck" ./faulty write-end
ok "the kernel, block and thread" says "kernel write_end(float*, int), block (7,0,0), thread (104,0,0)" "$lscheck" ./faulty write-end
ok "the variable" says "byte 256 of the 256 bytes of s, shared memory" "$lscheck" ./faulty shared

# Without lscheck nothing is looked at.
ok "nothing without it" silent lscheck ./faulty shared

# Exit codes
ok "the program's exit code" fails 2 "$lscheck" ./faulty no-such
ok "a code for findings" fails 9 "$lscheck" --error-exitcode=9 ./faulty shared
ok "no program" fails 127 "$lscheck" ./no-such-program
ok "a program without HIP" says "nothing was checked" "$lscheck" true
ok "no words" fails 2 "$lscheck"
ok "a wrong option" fails 2 "$lscheck" --no-such ./faulty shared
ok "a wrong number" says "from 0 to 255" "$lscheck" --error-exitcode=x ./faulty shared
ok "a wrong check" says "is no check" "$lscheck" --check=no-such ./faulty shared
ok "... is refused" fails 2 "$lscheck" --check=memory,racee ./faulty shared
ok "a tool of compute-sanitizer" fails 9 "$lscheck" --tool memcheck --error-exitcode=9 ./faulty shared
ok "a tool that is not there" says "is not there" "$lscheck" --tool=nocheck ./faulty shared
ok "all processes" fails 9 "$lscheck" --target-processes all --error-exitcode=9 sh -c './faulty shared'
ok "... not one alone" fails 2 "$lscheck" --target-processes=application-only ./faulty shared
ok "help" says "--sarif=FILE" "$lscheck" --help

# Suppressions: by function and line, by kernel.
line=$(grep -n "// FAULT shared " "$source" | cut -d: -f1)
printf '# a comment\nmemory/shared-* shared *lscheck_memory.hip:%s\n' "$line" >known
ok "suppressed by its line" fails 0 "$lscheck" --suppressions=known --error-exitcode=9 ./faulty shared
echo 'memory/* kernel shared(float*, int)*' >known
ok "suppressed by its kernel" fails 0 "$lscheck" --suppressions=known --error-exitcode=9 ./faulty shared
echo 'memory/null-pointer *' >known
ok "another kind is not" fails 9 "$lscheck" --suppressions=known --error-exitcode=9 ./faulty shared
ok "no such file" says "no-such-file" "$lscheck" --suppressions=no-such-file ./faulty shared

# Formats
"$lscheck" --json=out.json --sarif=out.sarif --log-file=text.log ./faulty inlined >/dev/null 2>&1
line=$(grep -n "// FAULT inlined " "$source" | cut -d: -f1)
ok "JSON: the kind" says '"check":"memory","kind":"out-of-bounds"' cat out.json
ok "JSON: the line" says "\"line\":$line" cat out.json
ok "JSON: the program" says '"program":["./faulty","inlined"]' cat out.json
ok "SARIF: the rule" says '"ruleId":"memory/out-of-bounds"' cat out.sarif
ok "SARIF: the place" says "lscheck_memory.hip\"},\"region\":{\"startLine\":$line" cat out.sarif
ok "SARIF: the version" says '"version":"2.1.0"' cat out.sarif
ok "a log file" says "[memory/out-of-bounds]" cat text.log
# The page: whole, with nothing from elsewhere and no scripts.
"$lscheck" --check=race --html=page.html ./race bad >race.log 2>&1
ok "a page" grep -q '^</body></html>$' page.html
ok "nothing from elsewhere" not grep -qE '(src|href)="[a-z]*:|url\(|@import|<script|<link' page.html
ok "each finding" [ "$(grep -c '<section class="f">' page.html)" = "$(grep -c '^lscheck: .*\[' race.log)" ]
ok "the source around" grep -q '<tr class="here"><td class="n">[0-9]*</td><td class="t">.*// FAULT product shared-write' page.html
ok "names are text" not grep -q '<false>' page.html
counts=$(sed -n 's/.*>seen \([0-9]*\) times.*/\1/p' page.html)
ok "the most frequent first" [ "$counts" = "$(echo "$counts" | sort -rn)" ]
drawn page.html
"$lscheck" --html=clean.html ./race no-such >/dev/null 2>&1
ok "a page of nothing" grep -qE 'Nothing was (found|checked)' clean.html
ok "a page that can't be written" fails 2 "$lscheck" --html=/no-such-folder/x ./faulty inlined
ok "a place that can't be written to" fails 2 "$lscheck" --json=/no-such-folder/x ./faulty inlined
# Blocks that store the same are no race, also where the thread that runs one of them waits for a processor in front of its store.
cat >alike.hip <<'EOF'
#include <hip/hip_runtime.h>
__global__ void same(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }
int main()
{
    int *p;
    if (hipMalloc(&p, 4096))
        return 1;
    for (int i = 0; i < 500; i++) {
        if (hipMemset(p, 255, 4096))
            return 1;
        same<<<64, 1024>>>(p, i);
    }
    return hipDeviceSynchronize() != hipSuccess;
}
EOF
ok "blocks that store the same" quiet "$hipcc" -O1 alike.hip -o alike
ok "... on more threads than processors" fails 0 env LOCKSTEP_THREADS=8 "$lscheck" --check=race --error-exitcode=9 ./alike
# A row of shared memory of which the lanes that do not take part lie in front of its begin.
cat >front.hip <<'EOF'
#include <hip/hip_runtime.h>
__global__ void front(int *v, int n)
{
    extern __shared__ int tile[];
    int t = threadIdx.x;
    if (t >= (int)blockDim.x - n)
        tile[t - ((int)blockDim.x - n)] = v[t];
    tile[t + n] = v[t];
    __syncthreads();
    v[t] = tile[t] + tile[t + n];
}
int main()
{
    int *v;
    if (hipMalloc(&v, 256) || hipMemset(v, 0, 256))
        return 1;
    front<<<1, 64, 80 * sizeof(int)>>>(v, 3);
    return hipDeviceSynchronize() != hipSuccess;
}
EOF
ok "lanes in front of shared memory" quiet "$hipcc" -O2 front.hip -o front
for c in init init,race memory,init,race; do
    ok "... under $c" fails 0 "$lscheck" --check=$c --error-exitcode=9 ./front
done
# clang keeps a small array as a vector, writes it in all threads and chooses: those that the program sends elsewhere go nowhere.
cat >chosen.hip <<'EOF'
#include <hip/hip_runtime.h>
__global__ void heads(unsigned *out, const unsigned *in, unsigned at, unsigned of)
{
    unsigned flags[15], s = 0, t = threadIdx.x;
    for (int i = 0; i < 15; i++)
        flags[i] = in[t * 15 + i];
    if (t == of)
        flags[at - t * 15] = 1;
    for (int i = 0; i < 15; i++)
        s = s * 3 + flags[i];
    out[t] = s;
}
int main(int argc, char **)
{
    unsigned *a, *b;
    if (hipMalloc(&a, 256 * 60) || hipMalloc(&b, 1024) || hipMemset(a, 0, 256 * 60))
        return 1;
    heads<<<1, 256>>>(b, a, 64, argc > 1 ? 64 : 4);
    return hipDeviceSynchronize() != hipSuccess;
}
EOF
ok "elements that some threads write" quiet "$hipcc" -O3 chosen.hip -o chosen
ok "... within the array" fails 0 "$lscheck" --error-exitcode=9 ./chosen
ok "... and outside of it" says "thread (64,0,0)" "$lscheck" ./chosen outside
finish
