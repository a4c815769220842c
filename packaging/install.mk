# SPDX-License-Identifier: GPL-2.0-or-later
#
# install.mk - make install and make uninstall; included by the top Makefile,
# whose targets user and module build what is installed here.
#
#   DESTDIR  a directory to install into instead of the running system
#   PREFIX   /usr/local
#   KVER     the kernel to build the module for: the running one
#   KDIR     its headers: /lib/modules/KVER/build

PREFIX	?= /usr/local
export UNITDIR UDEVDIR BASHDIR ZSHDIR FISHDIR

pkg_version := $(shell sed -n 's/^KTALLY_VERSION := //p' Kbuild)
pkg_dkms    := $(DESTDIR)/usr/src/ktally-$(pkg_version)
pkg_place   := DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' packaging/place

install: install-program install-system install-module	## all on this machine; DESTDIR= PREFIX= KVER=
	@$(pkg_place) settle $(KVER)

install-program: user	## the program, its pages and completions alone
	@$(pkg_place) put program

install-system:	## rules, units, hooks and the group alone
	@$(pkg_place) put system early
	@$(pkg_place) settle

install-module: module	## the module of the kernel KVER alone
	$(MAKE) -C $(KDIR) M=$(STAGE) INSTALL_MOD_PATH='$(DESTDIR)' INSTALL_MOD_DIR=updates \
		DEPMOD=true modules_install

install-dkms:	## the module's source for DKMS alone
	install -d $(pkg_dkms)/include
	cp -r Kbuild kmod $(pkg_dkms)/
	cp -r include/uapi $(pkg_dkms)/include/
	sed 's/#MODULE_VERSION#/$(pkg_version)/' packaging/dkms/dkms.conf >$(pkg_dkms)/dkms.conf

uninstall:	## take away all that install put there
	@$(pkg_place) remove
	@$(pkg_place) settle

.PHONY: install install-program install-system install-module install-dkms uninstall
