# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# profile.sh - a Debian with systemd that is set up by `ktally boot enable`, boots by
# its own initramfs and is judged: as many forks and threads as the kernel counts, every
# PID number named, systemd's account of its units. Sourced by the tests of each
# generator, after lib.sh.
# shellcheck source=tests/packages/pids.sh
. "$(dirname "${BASH_SOURCE[0]}")/pids.sh"

[ "$ARCH" = amd64 ] || skip "this machine's packages are for $ARCH, the guest is amd64"
have qemu-system-x86_64 || skip 'qemu-system-x86_64: not installed; type: scripts/deps'

# --- in the guest -----------------------------------------------------------

# shellcheck disable=SC2154
mkdir -p "$scratch/guest/bin"
# What the kernel itself counts, read without a fork.
# shellcheck disable=SC2016
count='while read -r a b _; do [ "$a" != processes ] || n=$b; done </proc/stat; read -r _ _ _ _ p </proc/loadavg'
# In the initramfs, by whatever runs hooks there.
cat >"$scratch/guest/count" <<END
#!/bin/sh
case \${1:-} in prereqs) exit 0 ;; esac
$count
echo "TRUTH early processes=\$n last_pid=\$p own=\$\$" >/run/early
END
# The first process after the recording: the saver asks systemd what it knows, through
# a shell, which may become this or start it.
cat >"$scratch/guest/bin/systemctl" <<END
#!/bin/sh
if [ ! -e /run/late ]; then
	$count
	read -r starter </proc/\$PPID/comm
	[ "\$starter" = sh ] && own=\$PPID || own=\$\$
	echo "TRUTH late processes=\$n last_pid=\$p own=\$own" >/run/late
	for task in /proc/[0-9]*/task/[0-9]*; do echo "LIVING \${task##*/}"; done >/run/living
fi
exec /usr/bin/systemctl "\$@"
END
cat >"$scratch/guest/step" <<'END'
#!/bin/bash
exec >/dev/ttyS1 2>&1
trap 'echo "line $LINENO: $BASH_COMMAND"; systemctl --no-pager status ktally-boot; journalctl --no-pager -b -n 50; systemctl poweroff' ERR
set -eEu -o pipefail
# Without a fork until the recording is over: it would come between its end and the
# look at the kernel's counter.
exec {never}<> <(:)
n=0
until [ -e /run/living ] && [ $n -ge 5 ]; do
	[ ! -e /run/living ] || n=$((n + 1))
	read -rt 1 -u $never || true
	test $SECONDS -lt 200
done
until [ "$(systemctl is-active ktally-boot)" = inactive ]; do
	sleep 1
	test $SECONDS -lt 900
done
cat /run/early /run/late /run/living
systemd-analyze time | sed 's/^/TIME /'
systemd-analyze blame --no-pager | sed 's/^/BLAME /'
systemd-analyze critical-chain --no-pager | sed 's/^/CHAIN /'
systemctl show --no-pager '*' -p Id,Type | awk -F= '/^Type=/ { t = $2 } /^Id=/ { id = $2 } /^$/ { print "TYPE", id, t; t = "" } END { print "TYPE", id, t }'
base64 /var/lib/ktally/boot.ktl | sed 's/^/KTL /'
[ ! -x /guest/after ] || /guest/after
echo passed
systemctl poweroff
END
cat >"$scratch/guest/packages-test.service" <<'END'
[Unit]
After=multi-user.target graphical.target
[Service]
Type=exec
ExecStart=/guest/step
[Install]
WantedBy=multi-user.target
END
chmod 755 "$scratch/guest/step" "$scratch/guest/count" "$scratch/guest/bin/systemctl"

# --- the machine ------------------------------------------------------------

# set_up ROOT MACHINE KERNEL PLANT [OPTION]: packages, the parts above, and ktally boot
# enable. PLANT is a command that puts /guest/count into the initramfs.
set_up()
{
	local inside
	inside=$(cat <<'END'
set -eux
for other in /lib/modules/*; do		# one initramfs is enough
	[ "$other" = "/lib/modules/$1" ] || rm -rf "$other" /boot/*-"${other##*/}"
done
dpkg -i /debs/ktally_*.deb /debs/ktally-dkms_*.deb
mkdir /guest
cp -r /new/. /guest/
eval "$2"
mkdir -p /etc/systemd/system/ktally-boot.service.d
# When the recording ends nobody else shall be forking: see pids.sh.
printf '[Service]\nEnvironment=PATH=/guest/bin:/usr/sbin:/usr/bin:/sbin:/bin\nExecStartPre=sleep 10\n' >/etc/systemd/system/ktally-boot.service.d/path.conf
systemctl enable /guest/packages-test.service
for unit in getty@tty1 serial-getty@ttyS0 systemd-timesyncd getty-static apt-daily.timer apt-daily-upgrade.timer; do
	systemctl mask "$unit"
done
printf '/dev/vda / ext4 defaults 0 1\n' >/etc/fstab
ktally boot enable --parameter boot_kb=32768 ${3:+"$3"} >/enabled
END
)
	in_root "$1" "$2" debs="$(packages)" new="$scratch/guest" -- \
		bash -c "$inside" sh "$3" "$4" "${5:-}" >"$scratch/log" 2>&1 || fail "$(tail -n 60 "$scratch/log")"
}

# boot_it ROOT MACHINE KERNEL: the recording is $boot then, what the guest said $scratch/words.
boot_it()
{
	local root=$1 machine=$2 cloud=$3
	disk_of "$root" "$machine" "$scratch/disk"
	timeout 1200 qemu-system-x86_64 -M pc -cpu qemu64 -accel tcg,thread=multi -m 1024 -smp 2 \
		-nodefaults -no-user-config -display none -no-reboot \
		-drive "file=$scratch/disk,format=raw,if=virtio,cache=unsafe" \
		-serial "file:$scratch/console" -serial "file:$scratch/answer" \
		-kernel "$root/boot/vmlinuz-$cloud" -initrd "$machine/changes/boot/initrd.img-$cloud" \
		-append "root=/dev/vda rw console=ttyS0 panic=-1 oops=panic panic_on_warn=1" ||
		fail "the guest did not end: $(tail -n 20 "$scratch/console")"
	tr -d '\r' <"$scratch/answer" >"$scratch/words"
	[ -z "${KEEP:-}" ] || cp "$scratch/words" "$KEEP/$(basename "$0" .sh).words"
	grep -qx passed "$scratch/words" || fail "$(grep -v '^KTL' "$scratch/words") $(tail -n 30 "$scratch/console")"
	if grep -aE 'WARNING:|BUG:|Oops|Kernel panic' "$scratch/console"; then
		fail "see the kernel's words above"
	fi
	boot=$scratch/boot.ktl
	sed -n 's/^KTL //p' "$scratch/words" | base64 -d >"$boot"
	[ -z "${KEEP:-}" ] || cp "$boot" "$KEEP/$(basename "$0" .sh).ktl"
}

# --- the truth --------------------------------------------------------------

# judge_it REGEX: what is known of the initramfs
judge_it()
{
	local ktally=$BUILD/user/ktally
	# shellcheck disable=SC2153 # ROOT is of scripts/lib.sh
	make -s -C "$ROOT/user" >/dev/null
	all_named "$ktally" "$boot" "$scratch/words"
	"$ktally" boot time --csv "$boot" | cut -d, -f1 | paste -sd' ' |
		grep -qx 'phase kernel initramfs system' || fail "phases: $("$ktally" boot time "$boot")"
	"$ktally" report --csv "$boot" >"$scratch/report.csv"
	grep -q "$1" "$scratch/report.csv" || fail 'nothing of the initramfs'

	# The same units, to the ms that systemd-analyze prints. Units that are over when their
	# processes are became active when the last of them had ended. (When they began says
	# systemd only after the fork.)
	"$ktally" boot blame --units --csv "$boot" >"$scratch/units.csv"
	grep -E '^(BLAME|TYPE) ' "$scratch/words" | awk -F, -v csv="$scratch/units.csv" '
		function ns(text,    n, part, sum, i) {
			n = split(text, part, " ")
			for (i = 1; i <= n; i++) {
				if (part[i] ~ /min$/) sum += part[i] * 60e9
				else if (part[i] ~ /ms$/) sum += part[i] * 1e6
				else if (part[i] ~ /us$/) sum += part[i] * 1e3
				else if (part[i] ~ /s$/) sum += part[i] * 1e9
			}
			return sum
		}
		BEGIN {
			getline <csv
			while ((getline <csv) > 0) { time[$8] = $1; begin[$8] = $2; active[$8] = $3; first[$8] = $4; last[$8] = $5; n[$8] = $7 }
		}
		/^BLAME/ {
			sub(/^BLAME */, ""); id = $0; sub(/.* /, "", id); text = $0; sub(/ [^ ]*$/, "", text)
			theirs = ns(text); seen++
			if (!(id in time) || time[id] == "") { missing = missing " " id; next }
			d = time[id] - theirs
			if (d < -1e6 || d > 1e6 + theirs * 0.001) { print id ": systemd-analyze " theirs ", here " time[id]; bad = 1 } else agree++
		}
		/^TYPE/ { split($0, w, " "); if (w[3] == "oneshot" && n[w[2]] && begin[w[2]] && active[w[2]]) {
			id = w[2]; one++
			if (first[id] > active[id] || (last[id] && last[id] > active[id] + 1e6)) {
				print id ": processes from " first[id] " to " last[id] ", unit from " begin[id] " to " active[id]; bad = 1 } } }
		END {
			printf "systemd-analyze blame: %d units, %d with the same time, not known here:%s; %d oneshot units hold their processes\n", seen, agree, missing ? missing : " none", one
			exit bad || agree < 5 || one < 3
		}' || fail 'systemd says otherwise, see above'
	# What systemd's chain waited for is in this one, too. systemd-analyze passes over
	# oneshot units that leave nothing: what became ready while such a one ran held nobody up.
	"$ktally" boot chain --csv "$boot" >"$scratch/chain.csv"
	sed -n 's/^CHAIN .*─\([^ ]*\) @.*/\1/p' "$scratch/words" | grep -E '\.(service|target)$' >"$scratch/theirs"
	awk -F, -v words="$scratch/words" -v units="$scratch/units.csv" -v chain="$scratch/chain.csv" '
		# Those that are over are in no list of types any more.
		function leaves_nothing(id) {
			return id ~ /\.service$/ && (!(id in type) || type[id] == "oneshot")
		}
		BEGIN {
			while ((getline <words) > 0)
				if (split($0, w, " ") == 3 && w[1] == "TYPE") type[w[2]] = w[3]
			while ((getline <units) > 0) active[$8] = $3
			while ((getline <chain) > 0) { from[++n] = $1; to[n] = $2; unit[n] = $8; ours[$8] }
		}
		{ theirs[$1] }
		END {
			for (id in theirs) {
				ok = id in ours
				for (i = 1; !ok && i <= n; i++)
					ok = active[id] >= from[i] && active[id] < to[i] && \
					     leaves_nothing(unit[i]) && !(unit[i] in theirs)
				if (!ok) { print id " is in the chain of systemd alone"; bad = 1 }
				common += id in ours
			}
			printf "systemd-analyze critical-chain: %d units, %d in both\n", NR, common
			exit bad || common < 5
		}' "$scratch/theirs" || fail "$("$ktally" boot chain "$boot") $(grep CHAIN "$scratch/words")"
}
