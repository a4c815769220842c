# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The loader of the initramfs loads when it is asked to, with the parameters it
# was given, not when the kernel's command line says no, and never fails.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

cat >"$scratch/modprobe" <<END
#!/bin/sh
echo "\$*" >"$scratch/did"
exit 1
END
chmod 755 "$scratch/modprobe"
sed "s|/etc/ktally/|$scratch/|; s|/proc/cmdline|$scratch/cmdline|; s|/sbin/modprobe|$scratch/modprobe|" \
	"$PACKAGING/early/early-load" >"$scratch/early-load"

# did SHELL CMDLINE: the words modprobe got, or 'nothing'.
did()
{
	echo nothing >"$scratch/did"
	echo "$2" >"$scratch/cmdline"
	# shellcheck disable=SC2086 # busybox sh is two words
	$1 "$scratch/early-load" 2>/dev/null || fail "$1: status $? for '$2'"
	cat "$scratch/did"
}

for shell in dash bash 'busybox sh'; do
	have "${shell%% *}" || continue
	rm -f "$scratch/boot.conf"
	same "$shell, not enabled" nothing "$(did "$shell" 'root=/dev/vda quiet')"
	printf '# a comment\n\nbuffer_kb=8192\nboot_seconds=60' >"$scratch/boot.conf"
	loaded='ktally boot=1 buffer_kb=8192 boot_seconds=60'
	same "$shell" "$loaded" "$(did "$shell" 'root=/dev/vda quiet')"
	for no in ktally.disable=1 ktally.disable=Y ktally.boot=0 module_blacklist=ktally \
		module_blacklist=floppy,ktally,pcspkr modprobe.blacklist=ktally; do
		same "$shell, $no" nothing "$(did "$shell" "quiet $no ro")"
	done
	for yes in ktally.disable=0 module_blacklist=notktally ktally.boot=1 module_blacklist=ktally2; do
		same "$shell, $yes" "$loaded" "$(did "$shell" "$yes")"
	done
done
