SUMMARY = "What every process cost: CPU, memory, network, I/O, command"
LICENSE = "GPL-2.0-or-later & LGPL-2.1-or-later"
LIC_FILES_CHKSUM = "file://COPYING;md5=b234ee4d69f5fce4486a80fdaf4a4263"
DEPENDS = "libtraceevent"
# By its recipe, whose package brings the module: the kernel's says that it makes whatever
# is called kernel-module-NAME, so nothing would build this one.
RRECOMMENDS:${PN} = "ktally-mod"

# The tree that this directory is a part of; or set it in local.conf.
KTALLY_TREE ?= "${THISDIR}/../.."
inherit externalsrc pkgconfig useradd
EXTERNALSRC = "${KTALLY_TREE}"

USERADD_PACKAGES = "${PN}"
GROUPADD_PARAM:${PN} = "-r ktally"

# Without curses and SQLite: top has no screen, export no databases.
EXTRA_OEMAKE = "O=${B}/user NCURSES= SQLITE= MICROHTTPD= CURL= ZSTD= WERROR="

do_compile() {
	oe_runmake -C ${S}/user
}
do_install() {
	oe_runmake -C ${S}/user install DESTDIR=${D} PREFIX=${prefix}
	install -D -m 0644 ${S}/packaging/udev/60-ktally.rules \
		${D}${nonarch_base_libdir}/udev/rules.d/60-ktally.rules
}
