# SPDX-License-Identifier: GPL-2.0-or-later
#
# What people and CI type. The work is done by scripts/, user/Makefile,
# tests/ and Kbuild; everything that is made lies under build/.

KVER	?= $(shell uname -r)
KDIR	?= /lib/modules/$(KVER)/build
KERNELS	?=
CASES	?=
STAGE	:= $(CURDIR)/build/module/local

all: user module	## module and program

module:	## build/ktally.ko for the running kernel, KDIR=headers or KERNEL=name
ifdef KERNEL
	@install -D -m 644 "$$(scripts/kernels module $(KERNEL))" build/ktally.ko
else
	@test -d $(KDIR) || { echo "make: $(KDIR): no kernel headers there;" \
		"type: apt-get install linux-headers-$$(uname -r), or make module KERNEL=$$(. /etc/os-release; echo $$VERSION_CODENAME)" >&2; exit 2; }
	@scripts/stage $(STAGE)
	$(MAKE) -C $(KDIR) M=$(STAGE) modules
	@install -D -m 644 $(STAGE)/ktally.ko build/ktally.ko
endif

user:	## the program, build/user/ktally
	$(MAKE) -C user

demo:	## record a Debian booting and working in a guest, and show the report
	@scripts/demo

check:	## packages, build, host tests, guest cases on this suite's kernel
	@scripts/check

check-host: user	## host tests alone
	$(MAKE) -C tests/host check

check-vm:	## guest cases; KERNELS='trixie sid-rt' CASES='S0*'
	@tests/vm/run $(KERNELS:%=--kernel %) $(foreach c,$(CASES),--cases '$(c)')

check-debug:	## guest cases on a kernel with KASAN, lockdep and the like; KERNEL=6.1|7.x|6.1-kcsan CASES= JOBS=
	@scripts/check-debug $(if $(JOBS),--jobs $(JOBS)) $(or $(KERNEL),6.1) $(foreach c,$(CASES),'$(c)')

fuzz:	## libFuzzer on each target; SECONDS=60 TARGETS='wire model', see tests/fuzz/Makefile
	@$(MAKE) -s -C tests/fuzz run

check-long:	## what takes long: packages installed, upgraded, removed and booted; long guest cases
	@tests/packages/run
	@tests/vm/run --long

bench:	## what it costs, counted and timed in guests: packets, lives, a live view; a quarter of an hour
	@tests/bench/run

bench-peers:	## the same work under other recorders, their readers and live views; ten minutes
	@tests/bench/run --only peers

include packaging/install.mk

clean:	## remove what was built; kernels, guest roots and chroots stay
	rm -rf build/user build/module build/tests build/steps build/ktally.ko

distclean:	## remove everything that was made or fetched
	rm -rf build

help:	## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1@\2/p' $(MAKEFILE_LIST) | awk -F@ '{ printf "make %-16s %s\n", $$1, $$2 }'

.PHONY: all module user demo check check-host check-vm check-debug fuzz check-long bench bench-peers clean distclean help
