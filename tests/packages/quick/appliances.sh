# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Recipes for appliances name what is there: Buildroot's and OpenWrt's install
# commands run, with the least of their surroundings, and those that build
# compile without a screen and -Werror; Yocto's fit version and licence. A kernel's tree gets ktally once, and is as it was after --undo.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

installed() { (cd "$1" && find . -type f | sort | paste -sd' '); }

# builds LOG: what the recipe's make would do
builds()
{
	grep -q ' -o .*/top/noscreen.o' "$1" || fail "builds with a screen, or nothing: $(head -n 20 "$1")"
	! grep -q -e -Werror "$1" || fail 'a warning of its compiler would end the build'
}

buildroot()
{
	local dir=$scratch/buildroot
	install -D -m 755 /bin/true "$dir/D/build/user/ktally"
	cp -a "$PACKAGING" "$ROOT/user" "$ROOT/Kbuild" "$dir/D/"
	cat >"$dir/Makefile" <<-END
	.RECIPEPREFIX := >
	BR2_EXTERNAL_KTALLY_PATH := $PACKAGING/buildroot
	BR2_PACKAGE_KTALLY_BOOT := y
	BR2_PACKAGE_HAS_UDEV := y
	MAKE := make -n
	INSTALL := install
	TARGET_DIR := $dir/T
	$dir/D/all:
	>test -e \$(KTALLY_SITE)/Kbuild -a -e \$(KTALLY_SITE)/\$(KTALLY_LICENSE_FILES)
	>\$(KTALLY_BUILD_CMDS)
	>\$(KTALLY_INSTALL_TARGET_CMDS)
	>\$(KTALLY_INSTALL_INIT_SYSV)
	>\$(KTALLY_INSTALL_INIT_SYSTEMD)
	include \$(BR2_EXTERNAL_KTALLY_PATH)/external.mk
	END
	make -s -C "$dir" >"$dir/log" 2>&1 || fail "Buildroot: $(cat "$dir/log")"
	same Buildroot './etc/init.d/S99ktally-boot ./etc/ktally/boot.conf ./usr/bin/ktally ./usr/lib/ktally/boot-init ./usr/lib/ktally/early-load ./usr/lib/systemd/system/ktally-boot.service ./usr/lib/udev/rules.d/60-ktally.rules' \
		"$(installed "$dir/T")"
	builds "$dir/log"
}

openwrt()
{
	local dir=$scratch/openwrt
	mkdir -p "$dir/include"
	touch "$dir/rules.mk" "$dir/include/kernel.mk" "$dir/include/package.mk"
	cat >"$dir/Makefile" <<-END
	.RECIPEPREFIX := >
	TOPDIR := $dir
	INCLUDE_DIR := $dir/include
	PKG_BUILD_DIR := $dir/D
	SOURCE_DIR := $ROOT
	KERNEL_MAKE := true
	MAKE := make -n
	INSTALL_DIR := install -d
	INSTALL_BIN := install -m 755
	all:
	>test "\$(PKG_VERSION)" = "$VERSION"
	>\$(Build/Prepare)
	>\$(Build/Compile)
	>install -D -m 755 /bin/true \$(PKG_BUILD_DIR)/build/user/ktally
	>\$(call Package/ktally/install,$dir/T)
	include $PACKAGING/openwrt/ktally/Makefile
	END
	make -s -C "$dir" >"$dir/log" 2>&1 || fail "OpenWrt: $(cat "$dir/log")"
	same OpenWrt ./usr/bin/ktally "$(installed "$dir/T")"
	builds "$dir/log"
}

yocto()
{
	local recipe md5
	md5=$(md5sum <"$ROOT/COPYING" | cut -d' ' -f1)
	for recipe in "$PACKAGING/yocto/ktally-mod_$VERSION.bb" "$PACKAGING/yocto/ktally_$VERSION.bb"; do
		grep -q "COPYING;md5=$md5\"" "$recipe" || fail "$recipe: not the licence's sum, or not this version"
	done
	recipe=$(sed -n 's/^RRECOMMENDS:[^ ]* = "\(.*\)"/\1/p' "$PACKAGING/yocto/ktally_$VERSION.bb")
	[ -e "$PACKAGING/yocto/${recipe}_$VERSION.bb" ] || fail "Yocto: no recipe makes $recipe"
	grep -q '^EXTRA_OEMAKE = .* NCURSES= .* WERROR=' "$PACKAGING/yocto/ktally_$VERSION.bb" || fail 'Yocto: builds with a screen or -Werror'
}

# The three ways to a kernel with all that ktally uses ask for the same.
kernel_options()
{
	local yocto
	yocto=$(sed -n 's/=y$//p' "$PACKAGING/yocto/ktally.cfg" | sort)
	same 'options of Buildroot and Yocto' "$yocto" \
		"$(grep -o 'ENABLE_OPT,CONFIG_[A-Z_]*' "$PACKAGING/buildroot/package/ktally/ktally.mk" | cut -d, -f2 | sort)"
	same 'options of OpenWrt and Yocto' "$yocto" \
		"$(grep -o 'CONFIG_[A-Z_]*=y' "$PACKAGING/openwrt/ktally/Makefile" | cut -d= -f1 | sort)"
}

built_in()
{
	local tree=$scratch/kernel
	mkdir -p "$tree/drivers"
	printf 'menu "Device Drivers"\n\nsource "drivers/hte/Kconfig"\n\nendmenu\n' >"$tree/drivers/Kconfig"
	# shellcheck disable=SC2016 # make's
	echo 'obj-$(CONFIG_HTE) += hte/' >"$tree/drivers/Makefile"
	cp -a "$tree" "$scratch/before"
	"$ROOT/scripts/built-in" "$tree"
	cp -a "$tree" "$scratch/once"
	"$ROOT/scripts/built-in" "$tree"
	diff -r "$scratch/once" "$tree" || fail 'a second time changes the tree'
	same 'what names it' 2 "$(cat "$tree"/drivers/{Makefile,Kconfig} | grep -c ktally)"
	same 'end of the menu' endmenu "$(tail -n 1 "$tree/drivers/Kconfig")"
	"$ROOT/scripts/built-in" --undo "$tree"
	diff -r "$scratch/before" "$tree" || fail '--undo leaves something'
	! "$ROOT/scripts/built-in" "$scratch" 2>/dev/null || fail 'takes a directory that is no kernel'
}

buildroot
openwrt
yocto
kernel_options
built_in
