# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The program for appliances: one static file of 1 MiB at most that records and
# reports in a busybox guest within 8 MiB of memory, on amd64 and arm64. That of armhf
# runs by QEMU's user mode: there it tells of a recording what amd64's does.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

# Peaks are wait4's, as busybox's time prints them.
# shellcheck disable=SC2016 # for the guest
work='
peak() { time -v "$@" 2>/tmp/time || cat /tmp/time; sed -n "s/.*Maximum resident set size (kbytes): /peak /p" /tmp/time; }
peak ktally record -o /tmp/a.ktl -- sh -c "for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done; sleep 0.1; exit 3"
peak ktally report /tmp/a.ktl
peak ktally commands /tmp/a.ktl
cp /tmp/a.ktl /out/
'

# build ARCH: sets program
build()
{
	program=$("$ROOT/scripts/core" "$1") || skip "$1: not to be had here"
	[ "$(stat -c %s "$program")" -le 1048576 ] || fail "$1: $(stat -c %s "$program") bytes"
	! readelf -l "$program" | grep INTERP || fail "$1: not static"
}

runs() # ARCH
{
	build "$1"
	"$ROOT/scripts/vm" --out "$scratch/out-$1" --arch "$1" --program "$program" --timeout 600 -- sh -c "$work" >"$scratch/$1" 2>&1 ||
		fail "$1: $(cat "$scratch/$1")"
	cat "$scratch/$1"
	same "$1: programs measured" 3 "$(grep -c '^peak' "$scratch/$1")"
	awk -v arch="$1" '$1 == "peak" && $2 > 8192 { print arch ": " $2 " KiB"; bad = 1 } END { exit bad }' "$scratch/$1"
	grep -Eq ' 3  +sh -c' "$scratch/$1" || fail "$1: the report lacks the shell that ended with 3"
	same "$1: runs of true" 9 "$(grep -c ' 0  /bin/true$' "$scratch/$1")"
}

# restamp BITS <RECORDING: as if a machine of that word size had made it.
restamp()
{
	# shellcheck disable=SC2016 # perl's
	perl -e 'binmode $_ for *STDIN, *STDOUT;
		local $/;
		my $all = <STDIN>;
		substr($all, 14, 1) = chr shift;
		my $crc = 0xffffffff;
		for (unpack "C*", substr $all, 0, 24) {
			$crc ^= $_;
			$crc = $crc & 1 ? $crc >> 1 ^ 0x82f63b78 : $crc >> 1 for 1 .. 8;
		}
		substr($all, 24, 4) = pack "V", $crc ^ 0xffffffff;
		print $all' "$1"
}

# reads ARCH: what runs in no guest, beside amd64's.
reads()
{
	local amd64=$BUILD/core/amd64/ktally own=$scratch/out-amd64/a.ktl foreign=$scratch/foreign.ktl words emulated
	build "$1"
	emulated=("qemu-${1%hf}-static" "$program")
	same "$1: --version" "ktally $VERSION" "$("${emulated[@]}" --version | head -n 1)"
	same "$1: --help" "$("$amd64" --help)" "$("${emulated[@]}" --help)"
	same "$1: another word size" "1 ktally: $own: recorded on a machine of other word size; read it on such a machine" \
		"$(said=$("${emulated[@]}" report "$own" 2>&1) && echo "0 $said" || echo "$? $said")"
	restamp 64 <"$own" >"$foreign"
	cmp "$own" "$foreign" || fail 'the head of a recording is no longer so'
	restamp 32 <"$own" >"$foreign"
	for words in report 'report --csv' commands tree dump 'boot time'; do
		# shellcheck disable=SC2086 # a command and options
		"$amd64" $words "$own" >"$scratch/wanted" 2>&1 || fail "$words: $(cat "$scratch/wanted")"
		# shellcheck disable=SC2086
		"${emulated[@]}" $words "$foreign" 2>&1 | diff "$scratch/wanted" - || fail "$1: $words differs"
	done
}

have qemu-arm-static || skip 'qemu-arm-static: not installed; type: scripts/deps armhf'
runs amd64
reads armhf
runs arm64
