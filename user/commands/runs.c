// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * runs.c - a row per run: who ran what, from when to when, how it ended and
 * what it cost. The command is argv as it was executed.
 */
#include "cmd.h"
#include "commands.h"

enum column {
	PID, PPID, START, END, DURATION, SELF, CPU, PEAK, READ, WRITE, RCHAR, WCHAR, RX, TX,
	STATUS, EXIT_CODE, EXIT_SIGNAL, STATE, UID, PROGRAM, FILENAME, NAME, NAME_ARGV, ARGV,
	COLUMNS
};

static const struct ktally_field fields[COLUMNS] = {
	[PID] = COLUMN("pid", "PID", "process", KTALLY_ID, KTALLY_SAME, 7),
	[PPID] = COLUMN("ppid", "PPID", "its parent at birth", KTALLY_ID, KTALLY_SAME, 7),
	[START] = COLUMN("start_ns", "START", "exec", KTALLY_TIME, KTALLY_MIN, 9),
	[END] = COLUMN("end_ns", "END", "next exec or end of the process", KTALLY_TIME, KTALLY_MAX, 9),
	[DURATION] = COLUMN("duration_ns", "TIME", "from one to the other", KTALLY_NS, KTALLY_SUM, 8),
	[SELF] = COLUMN("self_ns", "SELF", "of it, with none of its children running", KTALLY_NS, KTALLY_SUM, 8),
	[CPU] = COLUMN("cpu_ns", "CPU", "CPU time of this run alone", KTALLY_NS, KTALLY_SUM, 8),
	[PEAK] = COLUMN("peak_rss_bytes", "PEAK", "its peak memory", KTALLY_BYTES, KTALLY_MAX, 6),
	[READ] = COLUMN("read_bytes", "READ", "bytes fetched from storage", KTALLY_BYTES, KTALLY_SUM, 6),
	[WRITE] = COLUMN("write_bytes", "WRITE", "bytes sent to storage", KTALLY_BYTES, KTALLY_SUM, 6),
	[RCHAR] = COLUMN("rchar_bytes", "RCHAR", "bytes through read calls", KTALLY_BYTES, KTALLY_SUM, 6),
	[WCHAR] = COLUMN("wchar_bytes", "WCHAR", "bytes through write calls", KTALLY_BYTES, KTALLY_SUM, 6),
	[RX] = COLUMN("rx_wire_bytes", "RX", "bytes received over physical devices, headers included; unknown if the process executed something else too", KTALLY_BYTES, KTALLY_SUM, 6),
	[TX] = COLUMN("tx_wire_bytes", "TX", "bytes sent over physical devices, the same way", KTALLY_BYTES, KTALLY_SUM, 6),
	[STATUS] = COLUMN("status", "EXIT", "how it ended, as wait() sees it", KTALLY_STATUS, KTALLY_SAME, 4),
	[EXIT_CODE] = COLUMN("exit_code", "CODE", "exit status; unknown for a signal", KTALLY_ID, KTALLY_SAME, 4),
	[EXIT_SIGNAL] = COLUMN("exit_signal", "SIGNAL", "signal that ended it", KTALLY_ID, KTALLY_SAME, 6),
	[STATE] = COLUMN("state", "STATE", "ended, replaced (by another exec), running, or unknown", KTALLY_TEXT, KTALLY_SAME, -8),
	[UID] = COLUMN("uid", "UID", "user's number", KTALLY_ID, KTALLY_SAME, 5),
	[PROGRAM] = COLUMN("program", "PROGRAM", "name of the file", KTALLY_TEXT, KTALLY_SAME, -10),
	[FILENAME] = COLUMN("filename", "FILE", "the file as it was called; of a script the script", KTALLY_TEXT, KTALLY_SAME, -12),
	[NAME] = COLUMN("key", "KEY", "the key of --by", KTALLY_TEXT, KTALLY_SAME, -12),
	[NAME_ARGV] = COLUMN("key", "KEY", "the key of --by", KTALLY_ARGV, KTALLY_SAME, -12),
	[ARGV] = COLUMN("argv", "COMMAND", "exact command", KTALLY_ARGV, KTALLY_SAME, 0),
};

const struct commands_columns run_columns = {
	.schema = "ktally.runs/1",
	.usual = "pid,ppid,start_ns,end_ns,duration_ns,cpu_ns,peak_rss_bytes,status,argv",
	.sort = "start_ns",
	.fields = fields,
	.n = COLUMNS,
};

static const char *state(const struct ktally_run *run)
{
	if (!run->last)
		return "replaced";
	if (run->life->state == KTALLY_ENDED)
		return "ended";
	return run->life->state == KTALLY_RUNNING ? "running" : "unknown";
}

static struct ktally_value use(const struct ktally_run *run, enum ktally_usage what)
{
	struct ktally_value v;
	struct ktally_use u;
	const __u64 *all = &u.utime;	/* in the order of enum ktally_usage */

	ktally_image_use(run->life, run->image, &u);
	v = commands_known(u.known >> what & 1, all[what]);
	v.upper = u.upper >> what & 1;
	return v;
}

/* It ended, and how is known. */
bool commands_ended(const struct ktally_life *l)
{
	return l->state == KTALLY_ENDED && l->present >> KTALLY_HAS_status & 1;
}

/* Machines get only what is known; people, the program's name at least. */
struct ktally_value commands_argv(const struct ktally_image *im, bool for_people)
{
	if (im->argv && im->argv_len)
		return commands_text((struct ktally_str){ im->argv, im->argv_len });
	return for_people ? commands_text(ktally_image_program(im)) :
			    (struct ktally_value){ .type = KTALLY_V_UNKNOWN };
}

struct ktally_value run_value(void *of, size_t row, const struct ktally_field *f)
{
	const struct run_rows *r = of;
	const struct ktally_run *run = &r->runs[row];
	const struct ktally_image *im = ktally_run_image(run);
	const struct ktally_life *l = run->life;
	bool ended = run->last && commands_ended(l);
	uint32_t signal = l->status & 0x7f;

	switch ((enum column)(f - fields)) {
	case PID:		return out_u64(l->tgid);
	case PPID:		return commands_known(l->ppid || !l->parent_start, l->ppid);
	case START:		return commands_known(im->begin_known, im->begin);
	case END:		return commands_known(im->end, im->end);
	case DURATION:		return commands_known(run->whole, run->duration);
	case SELF:		return commands_known(run->whole, run->self);
	case CPU:		return use(run, KTALLY_U_RUNTIME);
	case PEAK:		return use(run, KTALLY_U_PEAK_RSS);
	case READ:		return use(run, KTALLY_U_READ_BYTES);
	case WRITE:		return use(run, KTALLY_U_WRITE_BYTES);
	case RCHAR:		return use(run, KTALLY_U_RCHAR);
	case WCHAR:		return use(run, KTALLY_U_WCHAR);
	case RX:		return ktally_run_network(run, false, &r->reading->ctx);
	case TX:		return ktally_run_network(run, true, &r->reading->ctx);
	case STATUS:		return commands_known(ended, l->status);
	case EXIT_CODE:		return commands_known(ended && !signal, l->status >> 8 & 0xff);
	case EXIT_SIGNAL:	return commands_known(ended && signal, signal);
	case STATE:		return out_text(state(run));
	case UID:		return out_u64(l->owner.uid);
	case PROGRAM:		return commands_text(ktally_image_program(im));
	case FILENAME:		return out_text(im->filename);
	case NAME:
	case NAME_ARGV:		return commands_text(run->name);
	default:		return commands_argv(im, r->for_people);
	}
}
