# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# systemd finds nothing to complain about in the units, as they are installed; none of them
# tries again for ever what cannot come to pass.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

have systemd-analyze || skip 'systemd-analyze: not installed'
DESTDIR=$scratch PREFIX=/usr "$PACKAGING/place" put system >/dev/null
units=$scratch/usr/lib/systemd/system
# verify wants the commands and targets to be there; what they do is for guests.
mkdir -p "$scratch/usr/bin" "$scratch/usr/sbin"
for program in bin/ktally sbin/modprobe bin/touch bin/sync bin/rm bin/sh bin/kill; do
	printf '#!/bin/sh\n' >"$scratch/usr/$program"
	chmod 755 "$scratch/usr/$program"
done
for target in sysinit basic shutdown local-fs multi-user graphical timers paths sockets slices umount; do
	echo '[Unit]' >"$units/$target.target"
done
for unit in ktally-load.service ktally-load-ok.service ktally-load-ok.timer ktally-record.service ktally-boot.service \
	ktally-totals.service ktally-totals-save.service ktally-totals.timer ktally-metrics.service ktally-ship.service; do
	[ -e "$units/$unit" ] || fail "$unit: not installed"
	words=$(SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no \
		--root="$scratch" "$unit" 2>&1) || fail "$words"
	! grep "$unit" <<<"$words" || fail "$unit: see above"
	! grep -q ^Restart= "$units/$unit" || grep -qx 'RestartPreventExitStatus=2 4 5' "$units/$unit" ||
		fail "$unit: tries again for ever without a module"
done
