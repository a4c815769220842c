// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * save.c - takes over the recording that began with the module, waits for the
 * chosen end if it is one that records tell of, ends it and writes it down, with what
 * systemd says of its units beside the records.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot.h"
#include "cmd.h"
#include "out/text.h"
#include "secrets.h"
#include "session.h"

#define SYSTEMCTL	"systemctl show --no-pager --all '*' -p Id,After,InactiveExitTimestampMonotonic,ActiveEnterTimestampMonotonic,InactiveEnterTimestampMonotonic 2>/dev/null"

enum { PATIENCE = 600, TURN_MS = 250 };	/* seconds to wait for the end; ms between looks */

struct awaited {
	uint32_t kind;			/* of record; 0 = nothing is waited for */
	const char *name;
};

struct saver {
	const struct boot_args *args;
	const char *path;
	struct session session;
	struct ktally_file *file;
	struct ktally_wire *wire;
	struct awaited awaited;
	struct ktally_redact *redact;
	bool seen;
};

static bool is_text(struct ktally_str s, const char *name)
{
	return s.p && s.len == strlen(name) && !memcmp(s.p, name, s.len);
}

static struct ktally_str base(struct ktally_str path)
{
	const char *slash = path.p ? memrchr(path.p, '/', path.len) : NULL;

	if (slash)
		path = (struct ktally_str){ slash + 1, (uint32_t)(path.p + path.len - slash - 1) };
	return path;
}

/* An exit record has the kernel's name only, cut at 15 bytes. */
static bool is_awaited(const struct awaited *a, const struct ktally_event *ev)
{
	if (ev->kind != a->kind || !ev->decoded)
		return false;
	if (a->kind == KTALLY_MARK)
		return is_text(ev->str[0], a->name);
	if (a->kind == KTALLY_EXEC)
		return is_text(base(ev->str[0]), a->name);
	return !strncmp(ev->u.exit.comm, a->name, KTALLY_COMM_LEN - 1);
}

static void look(struct saver *s, const void *subbuf, size_t n)
{
	struct ktally_cursor c;
	struct ktally_event ev;

	ktally_cursor_init(&c, subbuf, n);
	while (ktally_wire_next(s->wire, &c, &ev) == 1)
		if (is_awaited(&s->awaited, &ev))
			s->seen = true;
}

static int take(void *arg, const void *subbuf, size_t n)
{
	struct saver *s = arg;

	if (s->awaited.kind && !s->seen)
		look(s, subbuf, n);
	if (ktally_file_add(s->file, subbuf, n))
		return say_error(FAILED, "%s", ktally_file_error(s->file));
	return 0;
}

/* A unit is waited for by systemd's own ordering, "saved" is now. */
static void choose_awaited(struct saver *s)
{
	static const struct { const char *prefix; uint32_t kind; } ways[] = {
		{ "mark:", KTALLY_MARK }, { "process:", KTALLY_EXEC }, { "exit:", KTALLY_EXIT },
	};

	for (size_t i = 0; s->args->end && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strncmp(s->args->end, ways[i].prefix, strlen(ways[i].prefix)))
			s->awaited = (struct awaited){
				ways[i].kind, s->args->end + strlen(ways[i].prefix) };
}

static int wait_for_end(struct saver *s)
{
	uint64_t until = session_now() + PATIENCE * 1000000000ULL;
	int status = OPT_GO_ON;

	while (status == OPT_GO_ON && s->awaited.kind && !s->seen) {
		if (session_now() > until) {
			say_warning("boot save: '%s' did not come within %d s; saving what there is",
				    s->args->end, PATIENCE);
			break;
		}
		if (ktally_live_wait(s->session.live, TURN_MS, -1) < 0)
			return say_error(FAILED, "%s", ktally_live_error(s->session.live));
		status = session_flush(&s->session);
	}
	return status;
}

/* ---- beside the records ---- */

static char *read_all(FILE *f, char *text, size_t *n)
{
	size_t room = *n + 1;

	for (;;) {
		char *more = realloc(text, room += 65536);

		if (!more) {
			free(text);
			return NULL;
		}
		text = more;
		*n += fread(text + *n, 1, room - *n - 1, f);
		if (*n + 1 < room)
			break;
	}
	text[*n] = '\0';
	return text;
}

/* The output of a fixed command, behind what is there already. */
static char *output_of(const char *command, char *text, size_t *n)
{
	FILE *f = popen(command, "r");

	if (!f)
		return text;
	text = read_all(f, text, n);
	pclose(f);
	return text;
}

/* Units that are over, too (--all). Where systemd does not run there is nothing to ask. */
static void note_units(struct saver *s)
{
	static const char key[] = "DefaultTarget=";
	size_t n = sizeof(key) - 1;
	char *text;

	if (access("/run/systemd/system", F_OK))
		return;
	text = malloc(sizeof(key));
	if (text)
		text = output_of("systemctl get-default 2>/dev/null", memcpy(text, key, sizeof(key)), &n);
	if (text)
		text = output_of("echo; " SYSTEMCTL, text, &n);
	if (!text || ktally_file_note(s->file, UNITS_NOTE, text, n))
		say_warning("boot save: what systemd says of its units could not be kept");
	free(text);
}

static void note_end(struct saver *s)
{
	const char *end = s->args->end;

	if (end && ktally_file_note(s->file, BOOT_END_NOTE, end, strlen(end)))
		say_warning("boot save: %s", ktally_file_error(s->file));
}

/* ---- the way of it ---- */

static int create(struct saver *s)
{
	struct ktally_file_options options = { .command = "boot" };

	if (!s->args->show.out.path)
		mkdir("/var/lib/ktally", 0750);
	if (!ktally_file_create(&s->file, s->path, &options))
		return OPT_GO_ON;
	say_error(FAILED, "%s", ktally_file_error(s->file));
	ktally_file_close(s->file);
	s->file = NULL;
	return FAILED;
}

static int record(struct saver *s)
{
	const struct ktally_live_options live = { .boot = true, .redact = s->redact };
	int status = session_open(&s->session, &live);

	if (status != OPT_GO_ON) {
		ktally_file_discard(s->file);
		return status;
	}
	status = wait_for_end(s);
	if (status == OPT_GO_ON)
		status = session_walk(&s->session, KTALLY_WALK_OPENING);
	if (status == OPT_GO_ON)
		status = session_end(&s->session);
	return status;
}

static int finish(struct saver *s, uint64_t lost)
{
	char records[32], bytes[32], lost_text[32];

	note_units(s);
	note_end(s);
	if (ktally_file_finish(s->file))
		return say_error(FAILED, "%s", ktally_file_error(s->file));
	say("boot saved to %s: %s records, %s, lost %s; see: ktally boot time %s", s->path,
	    say_count(records, ktally_file_records(s->file)),
	    say_size(bytes, ktally_file_bytes(s->file)), say_count(lost_text, lost), s->path);
	return DONE;
}

int boot_save(const struct boot_args *args)
{
	struct saver s = { .args = args, .path = args->show.out.path };
	int status;

	if (!s.path)
		s.path = BOOT_SAVE_PATH;
	choose_awaited(&s);
	s.session.take = take;
	s.session.arg = &s;
	s.wire = ktally_wire_open();
	status = s.wire ? secrets_open(&s.redact, &args->secrets) : say_error(FAILED, "out of memory");
	if (status == OPT_GO_ON)
		status = create(&s);
	if (status == OPT_GO_ON)
		status = record(&s);
	if (status == OPT_GO_ON)
		status = finish(&s, session_lost(&s.session));
	ktally_file_close(s.file);
	session_close(&s.session);
	ktally_redact_close(s.redact);
	ktally_wire_close(s.wire);
	return status == DONE && args->once ? boot_disable(args) : status;
}
