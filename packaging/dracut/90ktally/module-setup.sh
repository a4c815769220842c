#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# module-setup.sh - dracut module: take the kernel module and its loader along,
# if /etc/ktally/boot.conf asks for recording from the initramfs on.
# shellcheck disable=SC2154 # kernel, moddir and dracutsysrootdir are dracut's

check()
{
	[ -e "$dracutsysrootdir/etc/ktally/boot.conf" ] || return 255
	modinfo -k "$kernel" ktally >/dev/null 2>&1
}

depends() { :; }

installkernel() { instmods ktally; }

install()
{
	inst_simple /etc/ktally/boot.conf
	inst_script /usr/lib/ktally/early-load
	inst_hook cmdline 00 "$moddir/load.sh"
}
