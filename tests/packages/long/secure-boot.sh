# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Secure Boot as a Debian has it: a firmware with Microsoft's keys, Debian's signed shim,
# GRUB and stock kernel, none of them changed. The unsigned module is refused, and what
# to do is said; done as the manual says it, by a key made there, the module loads with
# all its probes and counts, in either degree of lockdown.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$ARCH" = amd64 ] || skip "this machine's packages are for $ARCH, the guest is amd64"
have qemu-system-x86_64 || skip 'qemu-system-x86_64: not installed; type: scripts/deps'
have openssl || skip 'openssl: not installed; type: apt-get install openssl'

suite=$(own_suite)
chain=$SERVERS/secure-boot
fetch_chain()
{
	[ ! -e "$chain" ] || return 0
	(update_lists "$suite") || skip 'the mirror does not serve it'
	# shellcheck disable=SC2046 # a word each
	unpack "$suite" "$chain" ovmf shim-signed shim-helpers-amd64-signed grub-efi-amd64-signed \
		$(lacking "$suite" mokutil)
}
with_lock "$chain.lock" fetch_chain
kernel=$(ARCH=$ARCH "$ROOT/scripts/kernels" fetch "$suite")
# shellcheck source=/dev/null
. "$kernel/kernel.env"
module=$("$ROOT/scripts/kernels" module "$suite")
make -s -C "$ROOT/user" static >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"

# --- what is done in the guest --------------------------------------------------

root=$scratch/root
mkdir -p "$root"
# The commands as the manual has them.
sed -n '/^\.Sh SIGNED MODULES/,/^\.Ed/ { /^openssl/,/^mokutil/ { s/\\e$/\\/; p } }' \
	"$ROOT/user/man/ktally.1" >"$root/sign"
awk '/^hand, for/ { hand = 1 } hand && /^```/ { n++; next } n == 1' "$PACKAGING/README.md" |
	diff "$root/sign" - || fail 'packaging/README.md has other commands than the manual'

# What the first boot leaves for the last lies on a disk, as an archive.
cat >"$root/init" <<'END'
#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t securityfs securityfs /sys/kernel/security
for m in /modules/*.ko; do insmod "$m"; done
mount -t efivarfs efivarfs /sys/firmware/efi/efivars
exec >/dev/ttyS1 2>&1
cd /root
tar -xf /dev/vdb -C /
if [ -e mok.der ]; then . /last; else . /first; fi
echo ended
poweroff -f
END
cat >"$root/try" <<'END'
# LABEL COMMAND...: its words, and its status
label=$1
shift
"$@" >/tmp/said 2>&1
status=$?
sed "s/^/$label: /" /tmp/said
echo "$label= $status"
END
cat >"$root/first" <<'END'
sh /try state mokutil --sb-state
sh /try locked cat /sys/kernel/security/lockdown
sh /try unsigned ktally load
sh /try unsigned-doctor ktally doctor
printf 'once\nonce\n' | sh /try sign sh -e /sign
sh /try unknown ktally load
sh /try unknown-doctor ktally doctor
sh /try log dmesg
tar -cf /dev/vdb -C / root lib/modules
END
cat >"$root/last" <<'END'
sh /try enrolled mokutil --test-key mok.der
sh /try signer modinfo -F signer ktally
sh /try locked cat /sys/kernel/security/lockdown
sh /try load ktally load
sh /try doctor ktally doctor
sh /try status ktally status
sh /try devices ktally status --devices --json
sh /try record ktally record -o /tmp/a.ktl -- sh -c '/bin/true; /bin/false; exit 3'
base64 /tmp/a.ktl | sed 's/^/KTL /'
sh /try unload ktally unload
echo confidentiality >/sys/kernel/security/lockdown
sh /try locked-more cat /sys/kernel/security/lockdown
sh /try load-more ktally load
sh /try status-more ktally status
sh /try devices-more ktally status --devices --json
END

# --- what it consists of ----------------------------------------------------------

busybox=$("$ROOT/scripts/vm.d/busybox" "$ARCH")
plant()
{
	local applet n=10 file
	mkdir -p "$root"/{bin,sbin,usr/bin,usr/sbin,proc,sys,dev,tmp,root,modules}
	install -m 755 "$busybox" "$root/bin/busybox"
	for applet in $("$busybox" --list-full); do
		[ -e "$root/$applet" ] || ln -s /bin/busybox "$root/$applet"
	done
	# busybox's own shell prefers its own commands.
	rm -f "$root"/bin/sh "$root"/sbin/{modprobe,rmmod,modinfo}
	add_file "$(command -v dash)" /bin/sh "$root"
	for file in modprobe rmmod modinfo; do
		add_file "$(PATH=$PATH:/usr/sbin:/sbin command -v $file)" /sbin/$file "$root"
	done
	add_file "$(command -v openssl)" /usr/bin/openssl "$root"
	install -D -m 644 /etc/ssl/openssl.cnf "$root/usr/lib/ssl/openssl.cnf"
	add_file "$chain/usr/bin/mokutil" /usr/bin/mokutil "$root"
	for file in "$chain"/usr/lib/x86_64-linux-gnu/lib*.so.*; do
		add_file "$file" "/lib/x86_64-linux-gnu/${file##*/}" "$root"
	done
	add_file "$HEADERS/scripts/sign-file" "/usr/src/linux-headers-$KVER/scripts/sign-file" "$root"
	install -m 755 "$BUILD/user/ktally-static" "$root/usr/bin/ktally"
	for file in $(modules_of virtio_pci virtio_blk efivarfs); do
		cp "$file" "$root/modules/$((n++))-${file##*/}"
	done
	install -D -m 644 "$module" "$root/lib/modules/$KVER/updates/ktally.ko"
	# shellcheck disable=SC2153 # kernel.env's
	cp "$TREE/lib/modules/$KVER"/modules.{order,builtin,builtin.modinfo} "$root/lib/modules/$KVER/"
	depmod -b "$root" "$KVER"
	chmod 755 "$root/init"
}

# modules_of NAME...: files, in an order in which they load
modules_of()
{
	local name
	for name; do
		modprobe -d "$TREE" -S "$KVER" --show-depends "$name"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

plant
esp=$scratch/esp
install -D -m 644 "$chain/usr/lib/shim/shimx64.efi.signed" "$esp/EFI/BOOT/BOOTX64.EFI"
install -m 644 "$chain/usr/lib/shim/mmx64.efi.signed" "$esp/EFI/BOOT/mmx64.efi"
install -m 644 "$chain/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed" "$esp/EFI/BOOT/grubx64.efi"
install -m 644 "$IMAGE" "$esp/vmlinuz"
(cd "$root" && find . -print0 | cpio -0 -o -H newc -R 0:0 --quiet) >"$esp/initrd"
mkdir -p "$esp/EFI/debian"
cat >"$esp/EFI/debian/grub.cfg" <<'END'
linux /vmlinuz console=ttyS0 panic=-1 oops=panic panic_on_warn=1
initrd /initrd
boot
END
install -m 644 "$chain/usr/share/OVMF/OVMF_VARS_4M.ms.fd" "$scratch/variables"
truncate -s 64M "$scratch/disk"

# --- boots ----------------------------------------------------------------------

# boot NAME: the firmware's console is its input and output.
boot()
{
	timeout 600 qemu-system-x86_64 -M q35,smm=on -cpu qemu64 -accel tcg,thread=multi -m 1024 -smp 2 \
		-nodefaults -no-user-config -display none -no-reboot \
		-global driver=cfi.pflash01,property=secure,value=on -global ICH9-LPC.disable_s3=1 \
		-drive "if=pflash,unit=0,format=raw,readonly=on,file=$chain/usr/share/OVMF/OVMF_CODE_4M.secboot.fd" \
		-drive "if=pflash,unit=1,format=raw,file=$scratch/variables" \
		-drive "if=none,id=esp,format=raw,readonly=on,file=fat:$esp" -device virtio-blk-pci,drive=esp,bootindex=1 \
		-drive "if=none,id=disk,format=raw,file=$scratch/disk" -device virtio-blk-pci,drive=disk \
		-serial stdio -serial "file:$scratch/$1" >"$scratch/console" 2>&1 ||
		fail "$1: the guest did not end: $(tail -n 30 "$scratch/console")"
}

# answer WORDS KEYS: when the firmware has shown these.
answer()
{
	until grep -aqF "$1" "$scratch/console"; do
		[ -e "$scratch" ]
		sleep 0.5
	done
	sleep 1
	printf '%b' "$2"
}

# What a person does at the blue screen.
enrol()
{
	local down='\033[B'
	answer 'Press any key to perform MOK management' ' '
	answer 'Continue boot' "$down\r"
	answer 'View key 0' "$down\r"
	answer 'Enroll the key(s)?' "$down\r"
	answer 'Password:' 'once\r'
	answer 'Reboot' '\r'
}

# run_linux NAME
run_linux()
{
	boot "$1" </dev/null
	if grep -aE 'WARNING:|BUG:|Oops|Kernel panic' "$scratch/console"; then
		fail "$1: see the kernel's words above"
	fi
	tr -d '\r' <"$scratch/$1" >"$scratch/words"
	grep -qx ended "$scratch/words" || fail "$1: no end: $(cat "$scratch/words") $(tail -n 30 "$scratch/console")"
	[ -z "${KEEP:-}" ] || cp "$scratch/words" "$KEEP/$1"
}

# told LABEL STATUS REGEX...
told()
{
	local words regex
	words=$(sed -n "s/^$1: //p" "$scratch/words")
	grep -qx "$1= $2" "$scratch/words" || fail "$1: not status $2: $(grep "^$1= " "$scratch/words") $words"
	for regex in "${@:3}"; do
		grep -Eq -- "$regex" <<<"$words" || fail "$1: no '$regex' in: $words"
	done
}

run_linux first
told state 0 '^SecureBoot enabled$'
told locked 0 '\[integrity\]'
told unsigned 5 'signed by a key it knows.*ktally doctor'
told unsigned-doctor 4 'missing +signatures +Secure Boot: .*not signed' 'sign it and enrol the key: man ktally, SIGNED MODULES'
told sign 0
told unknown 5 'signed by a key it knows.*ktally doctor'
told unknown-doctor 4 'note +signatures +Secure Boot: ' 'mokutil --import'
told log 0 'locked down from EFI Secure Boot' 'Loading of unsigned module is rejected' \
	'Loading of module with unavailable key is rejected'

: >"$scratch/console"	# the last boot's words answer nothing
boot blue < <(enrol)

run_linux last
told enrolled 1 'mok.der is already enrolled'
told signer 0 '^modules of this machine$'
told locked 0 '\[integrity\]'
told load 0
told doctor 0 'ok +signatures +Secure Boot: ' 'ok +ends of processes +by a kprobe, exact' 'ok +figures +all are measured'
for degree in '' -more; do
	told "status$degree" 0 'ends by kprobe'
	told "devices$degree" 0 '"udp_kprobes":1\b'
done
told record 3 'lost 0'
told unload 0
told locked-more 0 '\[confidentiality\]'
told load-more 0

# --- the recording ----------------------------------------------------------------

sed -n 's/^KTL //p' "$scratch/words" | base64 -d >"$scratch/a.ktl"
report=$("$BUILD/user/ktally-static" report --strict "$scratch/a.ktl") || fail "report: $? $report"
echo "$report"
awk '/^balance:/ && $2 + $5 == $8 + $11 && $5 == 3 && $14 == 0 { ok = 1 } END { exit !ok }' <<<"$report" ||
	fail 'the balance is not that of three lives'
same 'ends with 3' 1 "$(grep -Ec ' 3 +sh -c' <<<"$report")"

# --- locked down by the command line, with another error of the kernel's ------------

# shellcheck disable=SC2016 # for the guest
"$ROOT/scripts/vm" --no-load --boot lockdown=integrity -- sh -c '
mount -t securityfs securityfs /sys/kernel/security
for try in load doctor; do ktally $try 2>&1 | sed "s/^/$try: /"; done
ktally load >/dev/null 2>&1; echo "load= $?"
ktally doctor >/dev/null 2>&1; echo "doctor= $?"' >"$scratch/words" || fail "$(cat "$scratch/words")"
told load 5 'locked down and takes signed modules only'
told doctor 4 'missing +signatures +lockdown: .*not signed'
