# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Install, upgrade, remove, purge, with two kernels: the module is there for
# both, nothing is enabled, dpkg finds nothing half done, and at the end the
# files are those of the beginning.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

root=$(life_root)
tree=$(snapshot)
sed -i "s/^KTALLY_VERSION := .*/&.1/" "$tree/Kbuild"
build_packages "$tree" "$scratch/next"
inside=$(cat <<'END'
# Names, kinds, modes and contents of everything but what dpkg, apt and the
# tools for users and groups keep as a log or as the state before.
files()
{
	find / -xdev \( -path /proc -o -path /debs -o -path /next -o -path /tmp \
		-o -path /var/log -o -path /var/cache -o -path /var/lib/apt -o -path '/var/lib/dpkg/*-old' \
		-o -path /var/lib/dpkg/triggers -o -path /var/lib/dpkg/lock \
		-o -path '/etc/*-' -o -path /etc/.pwd.lock \) -prune \
		-o -type d -printf '%p %m\n' -o -printf '%p %m %y %s %l\n' | sort
	find /etc /var/lib /usr/share/bash-completion /lib/modules/*/modules.* -xdev -type f \
		! -path '/var/lib/apt/*' ! -path '/var/lib/dpkg/*-old' ! -path '/var/lib/dpkg/triggers/*' \
		! -path '/etc/*-' -exec sha256sum {} + | sort
}

# versions: those of the module for each kernel, as modprobe would take it.
versions() { for k in $(ls /lib/modules); do modinfo -k "$k" -F version ktally; done | paste -sd' '; }

audit() { test -z "$(dpkg --audit)" || { dpkg --audit; exit 1; }; }

set -eux
version=$1 next=$2
files >/tmp/before

dpkg -i /debs/ktally_*.deb /debs/ktally-dkms_*.deb
audit
test "$(versions)" = "$version $version"
getent group ktally
for unit in ktally-load ktally-record; do
	test "$(systemctl is-enabled $unit)" = disabled
done
ktally --version || test $? = 4

# What an administrator did survives an upgrade.
systemctl enable ktally-record
echo 'options ktally argv=0' >>/etc/modprobe.d/ktally.conf
mkdir -p /var/lib/ktally && echo kept >/var/lib/ktally/ktally.ktl
dpkg -i --force-confold /next/ktally_*.deb /next/ktally-dkms_*.deb
audit
test "$(versions)" = "$next $next"
test ! -e "/usr/src/ktally-$version"
test "$(systemctl is-enabled ktally-record)" = enabled
tail -n 1 /etc/modprobe.d/ktally.conf | grep argv=0
grep kept /var/lib/ktally/ktally.ktl

# What `ktally boot enable --once` leaves under systemd, and under OpenRC.
mkdir -p /etc/systemd/system/ktally-boot.service.d
touch /etc/systemd/system/ktally-boot.service.d/boot.conf /etc/init.d/ktally-boot

dpkg -r ktally ktally-dkms
audit
test -z "$(find /lib/modules /usr/src /var/lib/dkms -name '*ktally*')"
test ! -e /usr/bin/ktally
grep kept /var/lib/ktally/ktally.ktl
tail -n 1 /etc/modprobe.d/ktally.conf | grep argv=0

dpkg -P ktally ktally-dkms
audit
files >/tmp/after
diff /tmp/before /tmp/after
END
)
in_root "$root" "$scratch/root" debs="$(packages)" next="$scratch/next" -- \
	bash -c "$inside" sh "$VERSION" "$VERSION.1" || fail "see above"
