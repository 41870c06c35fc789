#!/bin/sh
# SPDX-License-Identifier: MIT
# packages.sh BUILD SUITE: makes the Debian packages of BUILD and tries them in a bare root of that suite (bookworm, trixie; noble,
# which is Ubuntu 24.04): the runtime alone, a program that was compiled ahead of time; then all, a program compiled there; then
# purged. As root; needs debootstrap and a network. MIRROR is another archive.
set -eu
build=$(cd "$1" && pwd)
suite=$2
top=$(cd "$(dirname "$0")/.." && pwd)
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/root sh -ec "$1"; }

(cd "$build" && rm -f lockstep-*.deb && cpack -G DEB >packages.log 2>&1)
options='--variant=minbase --include=ca-certificates' mirror=${MIRROR:-http://deb.debian.org/debian} script=
if [ "$suite" = noble ]; then
    mirror=${MIRROR:-http://archive.ubuntu.com/ubuntu} script=gutsy # that is debootstrap's for all of Ubuntu's
    options="$options --components=main,universe"
    # A root to be thrown away; its own apt checks what it installs.
    [ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || options="$options --no-check-gpg"
fi
# shellcheck disable=SC2086
debootstrap $options "$suite" "$root" "$mirror" $script >"$build/debootstrap.log"
[ "$suite" != noble ] || echo "deb $mirror noble-updates main universe" >>"$root/etc/apt/sources.list"
mount -t proc proc "$root/proc"
cp "$build"/lockstep-*.deb "$top"/examples/matmul_tiled.hip "$top"/examples/saxpy.hip "$top"/examples/common.h "$root/tmp"
"$build/bin/hipcc" --offload-arch=x86-64-v2 --offload-compress -static-libstdc++ "$top/examples/matmul_tiled.hip" -o "$root/tmp/ahead"

inside 'apt-get update -q >/dev/null; apt-get install -qy --no-install-recommends /tmp/lockstep-runtime_*.deb >/dev/null'
inside 'dpkg -l | grep -qi llvm && exit 1; rocminfo=/usr/lib/lockstep/bin/rocminfo; $rocminfo | grep -q "Name: *gfx1100"'
inside 'LD_LIBRARY_PATH=/usr/lib/lockstep/lib LOCKSTEP_ISA=x86-64-v2 /tmp/ahead'
echo "packages: the runtime alone: fine"
inside 'apt-get install -qy --no-install-recommends /tmp/lockstep-*.deb >/dev/null; cd /tmp; /opt/rocm/bin/hipcc -O3 saxpy.hip -o saxpy; ./saxpy | grep "1048576 numbers, 0 wrong"; /opt/rocm/bin/hipcc -O3 matmul_tiled.hip -o matmul; ./matmul; for tool in lscheck lsreview; do /opt/rocm/bin/$tool ./matmul; done; for tool in hipify-perl rocminfo roc-obj-ls lscache hipconfig; do [ -x /opt/rocm/bin/$tool ]; done'
bytes=$(inside 'du -sb /usr/lib/lockstep | cut -f1') said=$(inside "dpkg-query -Wf '\${Installed-Size}\n' 'lockstep-*'" | awk '{ kb += $1 } END { print kb * 1024 }')
echo "packages: with compiler and hipcc: fine; bytes: $bytes, and $said by their own word"
[ "$bytes" -lt 50000000 ] && [ "$said" -lt 60000000 ]
inside 'apt-get purge -qy lockstep-dev lockstep-compiler lockstep-runtime >/dev/null; rm -rf /root/.cache /tmp/lockstep-*.deb'
inside 'left=$(find / -xdev -name "*lockstep*" -not -path "/proc/*"); [ -z "$left" ] || { echo "$left"; exit 1; }; [ ! -e /opt/rocm ] && [ ! -L /opt/rocm ]'
echo "packages: nothing is left of them"
