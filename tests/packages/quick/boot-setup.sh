# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What `ktally boot enable` and `disable` leave in systems of each kind; the programs
# that would do it for real are stand-ins that say how they were called.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

# a_system NAME: a root with the early parts, whose programs write down their words.
a_system()
{
	system=$scratch/$1
	mkdir -p "$system"/{etc,bin,lib/modules/6.1.0/updates}
	: >"$system/lib/modules/6.1.0/updates/ktally.ko"
	DESTDIR=$system PREFIX=/usr "$PACKAGING/place" put early >/dev/null
	rm -f "$system"/usr/share/initramfs-tools/hooks/ktally "$system"/usr/lib/dracut/modules.d/90ktally/module-setup.sh
	mkdir -p "$scratch/bin"
	for program in chroot systemctl; do
		printf '#!/bin/sh\necho "%s $*" >>%s\n' $program "$system/did" >"$scratch/bin/$program"
	done
	# "chroot ROOT sh -c 'command -v NAME'": there if the system has it.
	cat >"$scratch/bin/chroot" <<END
#!/bin/sh
if [ "\$2" = sh ]; then [ -e "\$1/bin/\${4#command -v }" ]; exit; fi
echo "\$*" >>$system/did
END
	chmod 755 "$scratch"/bin/*
	: >"$system/did"
}

setup() { PATH=$scratch/bin:$PATH sh "$PACKAGING/early/boot-setup" "$1" --root "$system" "${@:2}"; }

a_system debian
mkdir -p "$system/lib/systemd" "$system/usr/share/initramfs-tools/hooks"
: >"$system/lib/systemd/systemd"
: >"$system/usr/share/initramfs-tools/hooks/ktally"
: >"$system/bin/update-initramfs"
said=$(setup enable --once --end 'mark:login ready' --parameter boot_kb=4096 --parameter argv=0) || fail "$said"
grep -q 'ktally.disable=1' <<<"$said" || fail "nothing of booting without it: $said"
same parameters 'boot_kb=4096 argv=0' "$(grep -v '^#' "$system/etc/ktally/boot.conf" | paste -sd' ')"
grep -q update-initramfs "$system/did" || fail "no initramfs was made: $(cat "$system/did")"
grep -q "systemctl --root=$system enable ktally-boot.service" "$system/did" || fail "no unit: $(cat "$system/did")"
same 'what saves' "ExecStart=ktally boot save --end 'mark:login ready' --once" \
	"$(grep save "$system/etc/systemd/system/ktally-boot.service.d/boot.conf")"
# Parameters that are there stay, unless given anew.
setup enable --parameter boot_kb=8192 --end unit:x.service >/dev/null
same 'parameters again' 'boot_kb=8192 argv=0' "$(grep -v '^#' "$system/etc/ktally/boot.conf" | paste -sd' ')"
grep -qx After=x.service "$system/etc/systemd/system/ktally-boot.service.d/boot.conf" || fail 'not after x.service'
echo >"$system/etc/systemd/system/ktally-boot.service.d/own.conf"
setup enable >/dev/null
same "drop-ins: the administrator's alone" own.conf "$(ls "$system/etc/systemd/system/ktally-boot.service.d")"
setup disable >/dev/null
[ ! -e "$system/etc/ktally" ] || fail 'disable leaves its parameters'
grep -q "systemctl --root=$system disable ktally-boot.service" "$system/did" || fail 'the unit stays enabled'

a_system dracut
mkdir -p "$system/usr/lib/systemd" "$system/usr/lib/dracut/modules.d/90ktally"
: >"$system/usr/lib/systemd/systemd"
: >"$system/usr/lib/dracut/modules.d/90ktally/module-setup.sh"
: >"$system/bin/dracut"
setup enable >/dev/null
grep -q 'dracut --force --regenerate-all' "$system/did" || fail "no dracut: $(cat "$system/did")"

a_system openrc
mkdir -p "$system/etc/init.d"
: >"$system/bin/rc-update"
said=$(setup enable --end process:sshd) || fail "$said"
grep -q 'init=/usr/lib/ktally/boot-init' <<<"$said" || fail "nothing of init=: $said"
grep -q 'rc-update -q add ktally-boot default' "$system/did" || fail "not added: $(cat "$system/did")"
grep -q "^options=\" --end 'process:sshd'\"" "$system/etc/init.d/ktally-boot" || fail "$(cat "$system/etc/init.d/ktally-boot")"
setup disable >/dev/null
[ ! -e "$system/etc/init.d/ktally-boot" ] || fail 'the script stays'

a_system busybox
mkdir -p "$system/etc/init.d"
setup enable >/dev/null
[ -x "$system/etc/init.d/S99ktally-boot" ] || fail 'no S99ktally-boot'
sh -n "$system/etc/init.d/S99ktally-boot" || fail 'S99ktally-boot: no script'
setup disable >/dev/null
[ ! -e "$system/etc/init.d/S99ktally-boot" ] || fail 'S99ktally-boot stays'

# Modules of a kernel's own tree, of OpenWrt, of an appliance without a tree.
for module in lib/modules/6.1.0/kernel/drivers/ktally/ktally.ko.xz lib/modules/6.1.0/ktally.ko usr/lib/ktally/ktally.ko; do
	rm "$system"/lib/modules/6.1.0/updates/ktally.ko*
	install -D /dev/null "$system/$module"
	setup enable >/dev/null || fail "$module is no module"
	mv "$system/$module" "$system/lib/modules/6.1.0/updates/"
done

a_system empty
rm "$system/lib/modules/6.1.0/updates/ktally.ko"
said=$(setup enable 2>&1) && fail 'without a module: enabled'
grep -q 'ktally doctor' <<<"$said" || fail "$said"
[ ! -e "$system/etc/ktally" ] || fail 'refused, and yet written'
for end in multi-user.target "mark:it's" 'mark:a
b'; do
	! setup enable --end "$end" >/dev/null 2>&1 || fail "--end '$end' is taken"
done
