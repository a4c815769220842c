# SPDX-License-Identifier: GPL-2.0-or-later
#
# The program's files, in the order a reader may want them. It needs no library
# beside libtraceevent; with ncurses, top has a screen; with libsqlite3, export has
# databases; with libmicrohttpd, metrics has an endpoint; with libcurl and zlib, ship
# has a way to its server.

NCURSES ?= $(shell $(PKG_CONFIG) --exists ncursesw && echo ncursesw)
TOP_SCREEN := $(if $(NCURSES),top/screen.c,top/noscreen.c)
ifneq ($(NCURSES),)
PROG_CFLAGS += $(shell $(PKG_CONFIG) --cflags $(NCURSES))
PROG_LIBS += $(shell $(PKG_CONFIG) --libs $(NCURSES))
PROG_LIBS_STATIC += $(shell $(PKG_CONFIG) --static --libs $(NCURSES))
endif

SQLITE ?= $(shell $(PKG_CONFIG) --exists sqlite3 && echo sqlite3)
EXPORT_SQLITE := $(if $(SQLITE),export/sqlite.c,export/nosqlite.c)
ifneq ($(SQLITE),)
PROG_CFLAGS += $(shell $(PKG_CONFIG) --cflags $(SQLITE))
PROG_LIBS += $(shell $(PKG_CONFIG) --libs $(SQLITE))
# Its shell alone needs zlib, the library does not.
PROG_LIBS_STATIC += $(filter-out -lz,$(shell $(PKG_CONFIG) --static --libs $(SQLITE)))
endif

MICROHTTPD ?= $(shell $(PKG_CONFIG) --exists libmicrohttpd && echo libmicrohttpd)
METRICS_HTTP := $(if $(MICROHTTPD),metrics/http.c,metrics/nohttp.c)
ifneq ($(MICROHTTPD),)
# Opened when it is needed, not linked; a static program cannot.
PROG_CFLAGS += $(shell $(PKG_CONFIG) --cflags $(MICROHTTPD))
endif

CURL ?= $(shell $(PKG_CONFIG) --exists libcurl zlib && echo libcurl)
SHIP_HTTP := $(if $(CURL),ship/http.c,ship/nohttp.c)
ifneq ($(CURL),)
# The same.
PROG_CFLAGS += $(shell $(PKG_CONFIG) --cflags $(CURL) zlib)
endif

CMD_SRCS := ktally.c help.c opt.c opt-value.c opt-nearest.c modes.c config.c say.c pattern.c sel.c select.c reading.c \
	    session.c secrets.c child.c \
	    service.c show.c bounds.c lives.c lives-footer.c devices.c nettables.c lacks.c names.c when.c machine.c iface.c replace.c \
	    cmd-record.c record/spool.c record/rotate.c record/select.c record/file.c record/flight.c \
	    cmd-report.c cmd-run.c cmd-tree.c cmd-dump.c cmd-events.c cmd-schema.c cmd-diff.c diff.c \
	    cmd-stat.c watching.c interval.c stat/statrow.c stat/rows.c stat/pp.c \
	    cmd-top.c top/rows.c top/cells.c $(TOP_SCREEN) top/keys.c \
	    cmd-commands.c commands/counts.c commands/runs.c commands/steps.c commands/step-rows.c cmd-import.c \
	    commands/scores.c commands/scores-write.c commands/scores-merge.c commands/scores-read.c \
	    cmd-boot.c boot/time.c boot/blame.c boot/commands.c boot/chain.c boot/diff.c boot/plot.c \
	    boot/save.c boot/setup.c \
	    cmd-measure.c series.c figures.c json.c measure/plan.c measure/run.c measure/show.c measure/plot.c \
	    measure/each.c measure/read.c measure/compare.c measure/host.c measure/method.c \
	    measure/method-plan.c measure/method-print.c measure/method-start.c measure/method-worker.c measure/method-role.c \
	    cmd-export.c export/folded.c export/spans.c export/chrome.c export/perfetto.c $(EXPORT_SQLITE) \
	    export/records.c export/tracedat.c export/ctf.c export/rows.c export/stream.c export/openmetrics.c \
	    cmd-metrics.c metrics/metrics.c metrics/groups.c metrics/metrics-module.c metrics/lives.c $(METRICS_HTTP) \
	    cmd-ship.c ship/loop.c ship/queue.c ship/rows.c ship/files.c ship/live.c ship/table.c $(SHIP_HTTP) \
	    cmd-totals.c totals.c sumfile.c cgroups.c cmd-mark.c cmd-status.c status/price.c status/timing.c \
	    cmd-doctor.c cmd-load.c \
	    module.c modprobe.c
OUT_SRCS := out/out.c out/sink.c out/text.c out/table.c out/lay.c out/csv.c out/json.c out/raw.c out/influx.c \
	    out/markup.c out/picture.c out/chart.c out/chart_bars.c out/page.c out/boxes.c out/proto.c

# The page that plot writes is built in as it stands.
PROG_CFLAGS += -DPAGE_HTML='"$(top)/user/out/page.html"'
$(O)/out/page.o: $(top)/user/out/page.html

# What is made from the option tables and kept in the tree: a test compares.
.DEFAULT_GOAL := all
TEXTS := man/ktally.1 completion/ktally.bash completion/_ktally completion/ktally.fish

texts: $(O)/ktally
	@$(O)/ktally help man > $(O)/man.part
	@awk -v part=$(O)/man.part '/^\.\\" END made/ { skip = 0 } !skip { print } \
		/^\.\\" BEGIN made/ { skip = 1; while ((getline line < part) > 0) print line }' \
		man/ktally.1 > $(O)/ktally.1 && cp $(O)/ktally.1 man/ktally.1
	@$(O)/ktally help bash > completion/ktally.bash
	@$(O)/ktally help zsh > completion/_ktally
	@$(O)/ktally help fish > completion/ktally.fish
.PHONY: texts
