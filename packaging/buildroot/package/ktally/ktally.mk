################################################################################
#
# ktally
#
################################################################################

# The tree that this directory is a part of.
KTALLY_SITE = $(BR2_EXTERNAL_KTALLY_PATH)/../..
KTALLY_SITE_METHOD = local
KTALLY_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = --exclude build
KTALLY_LICENSE = GPL-2.0 (module), GPL-2.0+ (program), LGPL-2.1+ (library)
KTALLY_LICENSE_FILES = COPYING
KTALLY_DEPENDENCIES = host-pkgconf libtraceevent

define KTALLY_LINUX_CONFIG_FIXUPS
	$(call KCONFIG_ENABLE_OPT,CONFIG_RELAY)
	$(call KCONFIG_ENABLE_OPT,CONFIG_PERF_EVENTS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_FTRACE)
	$(call KCONFIG_ENABLE_OPT,CONFIG_KPROBES)
	$(call KCONFIG_ENABLE_OPT,CONFIG_KPROBE_EVENTS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_TASKSTATS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_TASK_DELAY_ACCT)
	$(call KCONFIG_ENABLE_OPT,CONFIG_TASK_XACCT)
	$(call KCONFIG_ENABLE_OPT,CONFIG_TASK_IO_ACCOUNTING)
endef

# No curses, no SQLite: top has no screen, export no databases; all else is there.
define KTALLY_BUILD_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) -C $(@D)/user $(TARGET_CONFIGURE_OPTS) NCURSES= SQLITE= MICROHTTPD= CURL= ZSTD= WERROR=
endef

define KTALLY_INSTALL_TARGET_CMDS
	$(INSTALL) -D -m 0755 $(@D)/build/user/ktally $(TARGET_DIR)/usr/bin/ktally
	$(KTALLY_INSTALL_RULES)
	$(KTALLY_INSTALL_BOOT)
endef

# Without udev /dev/ktally is root's alone.
ifeq ($(BR2_PACKAGE_HAS_UDEV),y)
define KTALLY_INSTALL_RULES
	$(INSTALL) -D -m 0644 $(@D)/packaging/udev/60-ktally.rules $(TARGET_DIR)/usr/lib/udev/rules.d/60-ktally.rules
endef
endif

ifeq ($(BR2_PACKAGE_KTALLY_BOOT),y)
define KTALLY_INSTALL_BOOT
	$(INSTALL) -D -m 0755 $(@D)/packaging/early/early-load $(TARGET_DIR)/usr/lib/ktally/early-load
	$(INSTALL) -D -m 0755 $(@D)/packaging/early/boot-init $(TARGET_DIR)/usr/lib/ktally/boot-init
	mkdir -p $(TARGET_DIR)/etc/ktally
	touch $(TARGET_DIR)/etc/ktally/boot.conf
endef

define KTALLY_INSTALL_INIT_SYSV
	$(INSTALL) -D -m 0755 $(@D)/packaging/init.d/S99ktally-boot $(TARGET_DIR)/etc/init.d/S99ktally-boot
endef

define KTALLY_INSTALL_INIT_SYSTEMD
	$(INSTALL) -D -m 0644 $(@D)/packaging/systemd/ktally-boot.service $(TARGET_DIR)/usr/lib/systemd/system/ktally-boot.service
endef
endif

define KTALLY_USERS
	- - ktally -1 - - - - -
endef

$(eval $(kernel-module))
$(eval $(generic-package))
