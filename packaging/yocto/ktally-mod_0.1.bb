SUMMARY = "What every process cost: the kernel module"
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://COPYING;md5=b234ee4d69f5fce4486a80fdaf4a4263"

# The tree that this directory is a part of; or set it in local.conf.
KTALLY_TREE ?= "${THISDIR}/../.."
inherit module externalsrc
EXTERNALSRC = "${KTALLY_TREE}"

# Its kernel needs ktally.cfg, beside this file, and CONFIG_TRIM_UNUSED_KSYMS=n.
MODULES_INSTALL_TARGET = "modules_install"
do_compile() {
	unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS
	${S}/scripts/stage ${B}/module
	oe_runmake -C ${STAGING_KERNEL_BUILDDIR} M=${B}/module CC="${KERNEL_CC}" LD="${KERNEL_LD}" modules
}
do_install() {
	install -D -m 0644 ${B}/module/ktally.ko \
		${D}${nonarch_base_libdir}/modules/${KERNEL_VERSION}/updates/ktally.ko
}

# Loaded at boot; recording from then on: KERNEL_MODULE_PROBECONF += "ktally" and
# module_conf_ktally = "options ktally boot=1" in local.conf.
KERNEL_MODULE_AUTOLOAD += "ktally"
