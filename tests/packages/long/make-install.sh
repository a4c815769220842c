# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# make install puts program and module where they are found, for two PREFIXes,
# and make uninstall leaves the system as it was, also when it was set up to record its boot.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

tree=$(snapshot)
root=$(build_root)
kernel=$(kernels_in "$root" | grep cloud)
inside=$(cat <<'END'
set -eu
kernel=$1
files()
{
	find / -xdev \( -path /proc -o -path /src -o -path /tmp -o -path /var/log -o -path /var/cache \
		-o -path "/etc/*-" -o -path /etc/.pwd.lock \) -prune \
		-o -type d -printf "%p %m\n" -o -printf "%p %m %y %l %s\n" | sort
}
# No systemd here: what it is asked to do.
printf '#!/bin/sh\necho "$@" >>/tmp/systemctl\n' >/usr/sbin/systemctl
chmod 755 /usr/sbin/systemctl
# depmod writes its files when the first module comes.
depmod "$kernel"
files >/tmp/before
cd /src
for prefix in /usr/local /usr; do
	make -s install KVER="$kernel" PREFIX=$prefix >/tmp/log 2>&1 || { tail -n 30 /tmp/log; exit 1; }
	test "$(command -v ktally)" = "$prefix/bin/ktally"
	modinfo -k "$kernel" -F version ktally
	getent group ktally
	test -x /usr/share/initramfs-tools/hooks/ktally
	"$prefix/bin/ktally" boot enable
	test -e /etc/ktally/boot.conf -a -e /etc/init.d/S99ktally-boot
	rm -f /tmp/systemctl
	make -s uninstall PREFIX=$prefix
	for unit in packaging/systemd/*.service; do
		! grep -q '^\[Install\]' "$unit" || grep "disable.* ${unit##*/}" /tmp/systemctl
	done
	test -z "$(find "/lib/modules/$kernel" -name 'ktally*')"
	files >/tmp/after
	diff /tmp/before /tmp/after
done
END
)
in_root "$root" "$scratch/root" src="$tree" -- \
	bash -c "$inside" sh "$kernel" || fail "see above"
