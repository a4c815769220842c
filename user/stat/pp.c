// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stat/pp.c - ProcessPerformance's spelling of stat. Options in any case and order, before
 * getopt would read -csv as letters; all names are one line; CPU is divided by the
 * number of CPUs. What differs: processes that lived and died between two lines are
 * counted, and bytes per process are known here.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "child.h"
#include "cmd.h"
#include "iface.h"
#include "lib/whole.h"
#include "machine.h"
#include "pp.h"
#include "watching.h"

#define MS	1000000ULL
enum { NAMES_MOST = 64, LONGEST_MS = 24 * 3600 * 1000 };

struct pp {
	const char *names[NAMES_MOST];
	size_t n_names;
	const char *network, *command;
	uint64_t interval;
	bool csv, help;
	char joined[1024];		/* the names, as the lines begin */
	struct iface iface;
	struct iface_counts net_base, net_from, net_now;
	bool net_begun;
	struct child child;
	struct watching view;
	int signals;
	bool stop;
};

bool pp_is_name(const char *argv0)
{
	const char *slash = strrchr(argv0, '/');

	return !strcasecmp(slash ? slash + 1 : argv0, "processperformance");
}

static bool is_style(char **argv, int i)
{
	return !strcmp(argv[i], "--style=pp") || (!strcmp(argv[i], "--style") && argv[i + 1] &&
						  !strcmp(argv[i + 1], "pp"));
}

bool pp_is_meant(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (is_style(argv, i))
			return true;
	return false;
}

/* ---- words ---- */

static int show_help(void)
{
	printf("Usage: processperformance [OPTION...] [NAME|PID...]\n"
	       "  -help              show this\n"
	       "  -interval:MS       a line every MS milliseconds (default: 1000)\n"
	       "  -network:ADDRESS   beside it the traffic of the interface with this address\n"
	       "  -csv               comma-separated values\n"
	       "  -command:\"CMD\"     run CMD, watch it and what it starts, end with its status\n"
	       "A NAME is a part of a process name in any case. All names together are one line;\n"
	       "none: all processes. Ctrl-C ends.\n");
	return fflush(stdout) ? say_error(FAILED, "standard output: cannot write the help") : DONE;
}

static int take_interval(struct pp *p, const char *value)
{
	uint64_t ms;

	if (opt_parse_u64(value, &ms) || !ms || ms > LONGEST_MS)
		return say_error(FAILED, "-interval:%s: milliseconds from 1 to %d are wanted: -interval:500", value,
				 LONGEST_MS);
	p->interval = ms * MS;
	return OPT_GO_ON;
}

static int take_network(struct pp *p, const char *value)
{
	char why[512];

	p->network = value;
	if (!iface_find(&p->iface, value, why, sizeof(why)))
		return OPT_GO_ON;
	return say_error(FAILED, "-network:%s: no interface has this address; there are: %s", value, why);
}

static int take_command(struct pp *p, const char *value)
{
	p->command = value;
	return *value ? OPT_GO_ON : say_error(FAILED, "-command: is empty: -command:\"make -j2\"");
}

static int take_name(struct pp *p, const char *word)
{
	if (p->n_names == NAMES_MOST)
		return say_error(FAILED, "'%s': more than %d names", word, NAMES_MOST);
	p->names[p->n_names++] = word;
	return OPT_GO_ON;
}

static const struct {
	const char *begin;
	int (*take)(struct pp *p, const char *value);
} with_value[] = {
	{ "-interval:", take_interval }, { "-network:", take_network }, { "-command:", take_command },
};

static int take_word(struct pp *p, const char *word)
{
	if (*word != '-' || !word[1])
		return take_name(p, word);
	for (size_t i = 0; i < sizeof(with_value) / sizeof(with_value[0]); i++) {
		size_t n = strlen(with_value[i].begin);

		if (!strncasecmp(word, with_value[i].begin, n))
			return with_value[i].take(p, word + n);
	}
	if (!strcasecmp(word, "-csv"))
		p->csv = true;
	else if (!strcasecmp(word, "-help") || !strcasecmp(word, "--help"))
		p->help = true;
	else
		return say_error(FAILED, "'%s': no such option; see: processperformance -help", word);
	return OPT_GO_ON;
}

static void join_names(struct pp *p)
{
	size_t at = 0;

	for (size_t i = 0; i < p->n_names && at < sizeof(p->joined); i++)
		at += (size_t)snprintf(p->joined + at, sizeof(p->joined) - at, "%s%s", i ? "+" : "", p->names[i]);
	if (p->command && !p->n_names)
		snprintf(p->joined, sizeof(p->joined), "%.*s", (int)strcspn(p->command, " "), p->command);
}

static int take_words(struct pp *p, int argc, char **argv)
{
	int status = OPT_GO_ON;

	p->interval = 1000 * MS;
	for (int i = 1; i < argc && status == OPT_GO_ON; i++) {
		if (is_style(argv, i))
			i += !strcmp(argv[i], "--style");
		else
			status = take_word(p, argv[i]);
	}
	join_names(p);
	return status;
}

/* ---- whom ---- */

static bool holds(const char *text, size_t n, const char *part)
{
	size_t len = strlen(part);

	for (size_t i = 0; i + len <= n; i++)
		if (!strncasecmp(text + i, part, len))
			return true;
	return false;
}

static bool is_meant(const struct ktally_life *l, const char *name)
{
	struct ktally_str program = l->n_images ? ktally_image_program(&l->images[0]) : (struct ktally_str){ NULL, 0 };
	uint64_t pid;

	if (!opt_parse_u64(name, &pid) && pid == l->tgid)
		return true;
	return holds(program.p ? program.p : "", program.len, name) ||
	       holds(l->owner.comm, strnlen(l->owner.comm, sizeof(l->owner.comm)), name);
}

static bool want(const struct ktally_life *l, void *arg)
{
	const struct pp *p = arg;

	if (p->command && l->tgid == (uint32_t)p->child.pid)
		return true;
	for (size_t i = 0; i < p->n_names; i++)
		if (is_meant(l, p->names[i]))
			return true;
	return !p->n_names && !p->command;
}

/* ---- lines ---- */

/* What a line says; all numbers whole. */
struct line {
	uint64_t count, memory_mb;
	double cpu;
	uint64_t sent_kb, sent_kbps, received_kb, received_kbps;
	uint64_t net_sent_kb, net_sent_kbps, net_received_kb, net_received_kbps;
};

static uint64_t kbps(uint64_t bytes, uint64_t ns)
{
	return whole_of((double)bytes * 8e6 / (double)(ns ? ns : 1));
}

static uint64_t risen(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static uint64_t both(const struct ktally_cost *c, int tcp, int udp)
{
	return c->of[tcp] + c->of[udp];
}

static void make_line(const struct pp *p, struct line *l)
{
	const struct ktally_interval *i = ktally_watch_interval(p->view.watch);
	const struct ktally_tally *t = ktally_watch_total(p->view.watch);
	uint64_t ns = i->end - i->begin;

	l->count = t->alive;
	l->memory_mb = t->peak_alive >> 20;
	l->cpu = 100 * (double)t->interval.of[KTALLY_COST_CPU] / (double)(ns ? ns : 1) / machine_cpus();
	l->sent_kb = both(&t->total, KTALLY_COST_TCP_TX, KTALLY_COST_UDP_TX) / 1024;
	l->received_kb = both(&t->total, KTALLY_COST_TCP_RX, KTALLY_COST_UDP_RX) / 1024;
	l->sent_kbps = kbps(both(&t->interval, KTALLY_COST_TCP_TX, KTALLY_COST_UDP_TX), ns);
	l->received_kbps = kbps(both(&t->interval, KTALLY_COST_TCP_RX, KTALLY_COST_UDP_RX), ns);
	l->net_sent_kb = risen(p->net_base.tx_bytes, p->net_now.tx_bytes) / 1024;
	l->net_received_kb = risen(p->net_base.rx_bytes, p->net_now.rx_bytes) / 1024;
	l->net_sent_kbps = kbps(risen(p->net_from.tx_bytes, p->net_now.tx_bytes), ns);
	l->net_received_kbps = kbps(risen(p->net_from.rx_bytes, p->net_now.rx_bytes), ns);
}

static void put_header(const struct pp *p)
{
	printf("Process Name(s),Processes(s),CPU (%%),Memory (MB),Process Sent (KB),Process Upload Speed (kbps),Process Received (KB),Process Download Speed (kbps)");
	if (p->network)
		printf(",Network Sent (KB),Network Upload Speed (kbps),Network Received (KB),Network Download Speed (kbps)");
	putchar('\n');
}

static void put_csv_name(const char *name)
{
	if (!strpbrk(name, ",\"\n")) {
		fputs(name, stdout);
		return;
	}
	putchar('"');
	for (; *name; name++)
		printf(*name == '"' ? "\"\"" : "%c", *name);
	putchar('"');
}

static void put_csv(const struct pp *p, const struct line *l)
{
	const unsigned long long n[] = { l->sent_kb, l->sent_kbps, l->received_kb, l->received_kbps,
					 l->net_sent_kb, l->net_sent_kbps, l->net_received_kb, l->net_received_kbps };

	put_csv_name(p->joined);
	printf(",%llu,%.2f%%,%llu", (unsigned long long)l->count, l->cpu, (unsigned long long)l->memory_mb);
	for (int i = 0; i < (p->network ? 8 : 4); i++)
		printf(",%llu", n[i]);
	putchar('\n');
}

static void put_traffic(const char *what, uint64_t sent, uint64_t up, uint64_t received, uint64_t down)
{
	char a[32], b[32], c[32], d[32];

	printf(" | %s: Sent %s KB (%s kbps) - Received %s KB (%s kbps)", what, say_count(a, sent),
	       say_count(b, up), say_count(c, received), say_count(d, down));
}

static void put_text(const struct pp *p, const struct line *l)
{
	char count[32];

	fputs(p->joined, stdout);
	if (l->count != 1)
		printf(" (%s processes)", say_count(count, l->count));
	printf(": CPU: %.2f%% | Memory: %s MB", l->cpu, say_count(count, l->memory_mb));
	put_traffic("Process", l->sent_kb, l->sent_kbps, l->received_kb, l->received_kbps);
	if (p->network)
		put_traffic("Network", l->net_sent_kb, l->net_sent_kbps, l->net_received_kb, l->net_received_kbps);
	putchar('\n');
}

/* Network bytes count from the first line on. */
static void read_network(struct pp *p)
{
	if (!p->network || !iface_read(&p->iface, &p->net_now))
		return;
	if (!p->net_begun)
		p->net_base = p->net_from = p->net_now;
	p->net_begun = true;
}

static int put_line(struct pp *p)
{
	const struct ktally_tally *t;
	struct line l;
	int status = watching_refresh(&p->view);

	if (status != OPT_GO_ON)
		return status;
	read_network(p);
	t = ktally_watch_total(p->view.watch);
	make_line(p, &l);
	if (p->csv)
		put_csv(p, &l);
	else if (t->alive || t->ended)
		put_text(p, &l);
	else
		printf("No \"%s\" process is running.\n", p->joined);
	p->net_from = p->net_now;
	if (!fflush(stdout))
		return OPT_GO_ON;
	return errno == EPIPE ? FAILED : say_error(FAILED, "standard output: %s", strerror(errno));
}

/* ---- the way through it ---- */

static void read_signals(struct pp *p)
{
	struct signalfd_siginfo si;

	while (read(p->signals, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD || si.ssi_signo == SIGUSR2)
			continue;
		if (p->command && !p->child.ended)
			child_hand_on(&p->child, &si);
		else
			p->stop = true;
	}
	if (p->command && child_poll(&p->child, false))
		p->stop = true;
}

static int loop(struct pp *p)
{
	uint64_t deadline = p->view.begin;
	int status = OPT_GO_ON;

	while (status == OPT_GO_ON && !p->stop) {
		deadline += p->interval;
		while (deadline + p->interval <= session_now())
			deadline += p->interval;
		while (!p->stop && status == OPT_GO_ON && session_now() < deadline) {
			status = watching_wait(&p->view, deadline, p->signals);
			read_signals(p);
		}
		/* The end of CMD is worth a line, Ctrl-C is not. */
		if (status == OPT_GO_ON && (!p->stop || p->command))
			status = put_line(p);
	}
	return status;
}

static int start(struct pp *p, sigset_t *old)
{
	struct ktally_watch_options watch = {
		.key = KTALLY_BY_ALL, .want = want, .arg = p, .tree = p->command, .heads = p->command,
	};
	const struct ktally_live_options live = {
		.kinds = 1ULL << KTALLY_FORK | 1ULL << KTALLY_EXEC | 1ULL << KTALLY_EXIT |
			 1ULL << KTALLY_TASK | 1ULL << KTALLY_NET_LATE,
	};
	char *shell[] = { (char *)"/bin/sh", (char *)"-c", (char *)p->command, NULL };
	int err = p->command ? child_prepare(&p->child, shell, old) : 0, status;

	if (err)
		return say_error(FAILED_BEFORE_CMD, "fork: %s", strerror(-err));
	status = watching_open(&p->view, &watch, &live);
	if (p->command && status == OPT_GO_ON)
		child_release(&p->child);
	else if (p->command)
		child_cancel(&p->child);
	return status;
}

static int watch_them(struct pp *p)
{
	sigset_t old;
	int err = child_signals(&p->signals, &old), status;

	if (err)
		return say_error(FAILED, "signals: %s", strerror(-err));
	status = start(p, &old);
	if (status == OPT_GO_ON) {
		if (p->csv)
			put_header(p);
		fflush(stdout);
		status = loop(p);
		if (p->command) {
			child_poll(&p->child, true);
			status = child_status(&p->child, "/bin/sh");
		}
	}
	watching_close(&p->view);
	return status == OPT_GO_ON ? DONE : status;
}

int pp_run(int argc, char **argv)
{
	struct pp *p = calloc(1, sizeof(*p));
	int status;

	if (!p)
		return say_error(FAILED, "out of memory");
	status = take_words(p, argc, argv);
	if (status == OPT_GO_ON)
		status = p->help ? show_help() : watch_them(p);
	free(p);
	return status;
}
