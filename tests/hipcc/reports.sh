# SPDX-License-Identifier: MIT
# Reports about devices, and what build scripts look for in them.
. "$LS_SOURCE/tests/hipcc/lib.inc"
PATH=$LS_BUILD/bin:$PATH
unset LOCKSTEP_ARCH HIP_VISIBLE_DEVICES

# hipInfo: the lines of HIP Programming Guide 3.6.4
sed -n 's/^LS_INFO[A-Z_]*("\([^"]*\)".*/\1/p' "$LS_SOURCE/tools/report/hip_info.def" >names
ok "the table" test "$(wc -l <names)" -gt 55
ok "hipInfo" sh -c "hipInfo >info"
while read -r name; do
    ok "hipInfo: $name" sh -c "grep -q '^$name:  *[^ ]' info"
done <names
for line in 'warpSize:  *32$' 'major:  *11$' 'gcnArch:  *1100$' 'arch.has3dGrid:  *1$' 'maxSharedMemoryPerMultiProcessor: *64.00 KB$' 'peers: *$' \
    'non-peers:  *device#0' 'memInfo.total:  *[0-9.]* GB$' 'memInfo.free:  *[0-9.]* GB ([0-9]*%)$' 'clockRate:  *[0-9.]* Mhz$' 'device#:  *0$'; do
    ok "hipInfo: $line" grep -q "^$line" info
done
ok "hipinfo, as the document spells it" says "gcnArchName:                      gfx90a" env LOCKSTEP_ARCH=gfx90a hipinfo
ok "all devices" counts 3 "device#:" env LOCKSTEP_CPU_DEVICES=3 hipInfo
ok "which reach each other" says "device#1 device#2" env LOCKSTEP_CPU_DEVICES=3 hipInfo
ok "no device" fails 1 env HIP_VISIBLE_DEVICES=-1 hipInfo
ok "its calls are logged" says "hipGetDeviceProperties" env AMD_LOG_LEVEL=4 hipInfo

# rocminfo, as scripts read it
rocminfo >rocm
for arch in gfx1100 gfx90a gfx942; do
    ok "$arch: grep | awk" test "$(LOCKSTEP_ARCH=$arch rocminfo | grep gfx | head -1 | awk '{print $2}')" = $arch
    ok "$arch: grep -o" test "$(LOCKSTEP_ARCH=$arch rocminfo | grep -o -m1 'gfx.*' | sed 's/ *$//')" = $arch
    ok "$arch: the name of its instruction set" says "amdgcn-amd-amdhsa--$arch" env LOCKSTEP_ARCH=$arch rocminfo
done
ok "two agents" counts 2 "Device Type:" cat rocm
ok "the host" says "Device Type:             CPU" cat rocm
ok "the device" says "Device Type:             GPU" cat rocm
ok "wavefront size" test "$(rocminfo | grep 'Wavefront Size' | awk '{print $3}')" = "32(0x20)"
ok "of wave64" test "$(LOCKSTEP_ARCH=gfx90a rocminfo | grep 'Wavefront Size' | awk '{print $3}')" = "64(0x40)"
ok "compute units of the device" sh -c "[ \$(grep 'Compute Unit:' rocm | tail -1 | awk '{print \$3}') = \$(awk '/^multiProcessorCount/ {print \$2}' info) ]"
ok "marketing names" counts 2 "Marketing Name:" cat rocm
ok "its end" sh -c "tail -1 rocm | grep -q '^\*\*\* Done \*\*\*'"
ok "four agents of three devices" counts 4 "Marketing Name:" env LOCKSTEP_CPU_DEVICES=3 rocminfo

# rocm_agent_enumerator, amdgpu-arch
ok "rocm_agent_enumerator" test "$(rocm_agent_enumerator | tr '\n' ' ')" = "gfx000 gfx1100 "
ok "-t GPU" test "$(LOCKSTEP_ARCH=gfx90a rocm_agent_enumerator -t GPU)" = gfx90a
ok "-t CPU" test "$(rocm_agent_enumerator -t CPU)" = gfx000
ok "-name" says gfx1100 rocm_agent_enumerator -name
ok "each device" counts 2 gfx1100 env LOCKSTEP_CPU_DEVICES=2 rocm_agent_enumerator
ok "another kind" fails 2 rocm_agent_enumerator -t FPGA
ok "amdgpu-arch" test "$(LOCKSTEP_ARCH=gfx90a LOCKSTEP_CPU_DEVICES=2 amdgpu-arch | tr '\n' ' ')" = "gfx90a gfx90a "
ok "where clang looks for it" test "$("$LS_BUILD/lib/llvm/bin/amdgpu-arch")" = gfx1100
ok "an unknown option" fails 1 amdgpu-arch --what
ok "native is what the devices are" says gfx90a env LOCKSTEP_ARCH=gfx90a "$hipcc" '-###' --offload-arch=native -c twice.hip
ok "or the default" says gfx1100 "$hipcc" '-###' --offload-arch=native -c twice.hip

# hipBusBandwidth
ok "hipBusBandwidth" sh -c "hipBusBandwidth --endsize 4096 --iterations 3 >bus"
ok "its head" sh -c "head -1 bus | grep -q '^Device:.*Mem=.*GB #CUs=[0-9]* Freq=[0-9]*Mhz MallocMode=pinned'"
ok "three sizes in three directions" counts 9 "GB/sec" cat bus
ok "numbers that are some" awk '/GB\/sec/ && !($5 > 0 && $8 > 0 && $9 >= $8) { bad = 1 } END { exit bad }' bus
ok "one of each" counts 1 "GB/sec" hipBusBandwidth --d2h --unpinned --onesize 1000000 --iterations 2
ok "--h2d, --beginsize" counts 2 "GB/sec" hipBusBandwidth --h2d --beginsize 1024 --endsize 2048 --iterations 1
ok "--bidir" counts 1 "GB/sec" hipBusBandwidth --bidir --onesize 4096 --iterations 1
ok "no such device" says hipErrorInvalidDevice hipBusBandwidth --d 99
ok "no number" fails 2 hipBusBandwidth --iterations 0

# What cannot be written is an error
ok "a program" "$hipcc" -c twice.hip
while read -r command; do
    # shellcheck disable=SC2086
    ok "$command to a full disk" sh -c "$command </dev/null >/dev/full 2>why; [ \$? = 1 ] && grep -qx '${command%% *}: cannot write: No space left on device' why"
done <<'END2'
hipInfo
rocminfo
rocm_agent_enumerator
amdgpu-arch
hipBusBandwidth --d2h --onesize 4096 --iterations 1
hipconfig
hipconfig --version
lscache
lsobj -k twice.o
roc-obj-ls twice.o
roc-obj --help
roc-obj-extract -h
END2
finish
