// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sel.c - SEL: which processes are meant.
 *
 * Names and PIDs say who is meant and add to each other; everything else narrows.
 * A life bears several names (what it runs, what it ran, what it calls itself);
 * any of them will do.
 */
#include <errno.h>
#include <fnmatch.h>
#include <pwd.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "pattern.h"
#include "sel.h"
#include "when.h"

const struct opt sel_opts[] = {
	{ 'n', "name", "NAME", "processes of this name: exact, a pattern (cc*), or /regex/; as a plain word too", opt_list,
	  offsetof(struct sel, names), 0, NULL },
	{ 'p', "pid", "PID[,PID]", "these processes; one that is not there is an error", opt_list,
	  offsetof(struct sel, pids), 0, "@pid" },
	{ 0, "tree", NULL, "also everything they started, directly or not", opt_flag,
	  offsetof(struct sel, tree), 0, NULL },
	{ 'u', "user", "USER", "of this user, by name or number", opt_list,
	  offsetof(struct sel, users), 0, "@user" },
	{ 'G', "cgroup", "PATH", "in this control group or below it", opt_list,
	  offsetof(struct sel, cgroups), 0, NULL },
	{ 0, "netns", "ID", "in the network namespace with this inode number", opt_string,
	  offsetof(struct sel, netns), 0, NULL },
	{ 0, "since", "TIME", "from TIME on: after the beginning (2.5, 3m), before the end (-10), or a clock (14:05:30, the last one there was; Z behind it: UTC); costs are those of this time", opt_string,
	  offsetof(struct sel, since), 0, NULL },
	{ 0, "until", "TIME", "up to TIME", opt_string,
	  offsetof(struct sel, until), 0, NULL },
	{ 0, "min-duration", "TIME", "that lived at least so long", opt_time,
	  offsetof(struct sel, min_duration), 0, NULL },
	{ 0, "failed", NULL, "that ended with a status other than 0", opt_flag,
	  offsetof(struct sel, failed), 0, NULL },
	{ 'a', "all", NULL, "also kernel threads, and processes outside the tree that was recorded", opt_flag,
	  offsetof(struct sel, all), 0, NULL },
};
_Static_assert(sizeof(sel_opts) / sizeof(sel_opts[0]) == SEL_OPTS, "sel.h counts the rows");

struct name_match {
	const char *text;	/* exact or pattern */
	bool is_regex;
	bool seen;		/* something bore it */
	regex_t regex;
};

struct numbers {
	uint32_t *at;
	size_t n;
};

struct sel_match {
	const struct sel *sel;
	struct name_match *names;
	size_t n_names;
	struct numbers pids, users;
	uint64_t netns;
	bool has_netns;
	/* Bound: */
	const struct ktally_model *model;
	const struct ktally_field_ctx *live;
	uint64_t pids_until;	/* a PID means who began before this */
};

static bool add_number(struct numbers *list, uint32_t v)
{
	uint32_t *at = realloc(list->at, (list->n + 1) * sizeof(*at));

	if (!at)
		return false;
	at[list->n++] = v;
	list->at = at;
	return true;
}

static bool has_number(const struct numbers *list, uint32_t v)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i] == v)
			return true;
	return false;
}

/* "12,34": digits and commas. */
static int add_pids(struct numbers *pids, const char *text)
{
	const char *at = text;
	char word[24];
	uint64_t v;

	for (;;) {
		size_t len = strcspn(at, ",");

		snprintf(word, sizeof(word), "%.*s", (int)len, at);
		if (len >= sizeof(word) || opt_parse_u64(word, &v) || !v || v > INT32_MAX)
			return say_error(WRONG_USE, "-p '%s': process numbers are wanted: 12,34", text);
		if (!add_number(pids, (uint32_t)v))
			return say_error(FAILED, "out of memory");
		if (!at[len])
			return OPT_GO_ON;
		at += len + 1;
	}
}

static int add_user(struct numbers *users, const char *text)
{
	const struct passwd *pw = getpwnam(text);
	uint64_t v;

	if (pw)
		v = pw->pw_uid;
	else if (opt_parse_u64(text, &v) || v > UINT32_MAX)
		return say_error(WRONG_USE, "-u '%s': no such user here; a number works everywhere", text);
	return add_number(users, (uint32_t)v) ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

static int add_name(struct sel_match *m, const char *text)
{
	struct name_match *n = &m->names[m->n_names];
	size_t len = strlen(text);
	char pattern[512], why[160];
	int err;

	n->text = text;
	n->is_regex = len > 2 && text[0] == '/' && text[len - 1] == '/';
	if (!n->is_regex) {
		m->n_names++;
		return OPT_GO_ON;
	}
	if (len - 2 >= sizeof(pattern))
		return say_error(WRONG_USE, "'%s': the expression is longer than %zu bytes", text,
				 sizeof(pattern) - 1);
	snprintf(pattern, sizeof(pattern), "%.*s", (int)len - 2, text + 1);
	if (pattern_size(pattern) >= PATTERN_SIZE_MAX)
		return say_error(WRONG_USE, "'%s': repetitions of repetitions make it too large; write fewer", text);
	err = regcomp(&n->regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (!err) {
		m->n_names++;
		return OPT_GO_ON;
	}
	regerror(err, &n->regex, why, sizeof(why));
	return say_error(WRONG_USE, "'%s': not a regular expression: %s", text, why);
}

static int compile_lists(struct sel_match *m, char *const *words, int n)
{
	const struct sel *sel = m->sel;
	int rc = OPT_GO_ON;

	m->names = calloc(sel->names.n + (size_t)n + 1, sizeof(*m->names));
	if (!m->names)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < sel->names.n && rc == OPT_GO_ON; i++)
		rc = add_name(m, sel->names.at[i]);
	for (int i = 0; i < n && rc == OPT_GO_ON; i++)
		rc = add_name(m, words[i]);
	for (size_t i = 0; i < sel->pids.n && rc == OPT_GO_ON; i++)
		rc = add_pids(&m->pids, sel->pids.at[i]);
	for (size_t i = 0; i < sel->users.n && rc == OPT_GO_ON; i++)
		rc = add_user(&m->users, sel->users.at[i]);
	return rc;
}

static int check_single(struct sel_match *m)
{
	const struct sel *sel = m->sel;
	static const char times[] = "2.5 or 3m after the beginning, -10 before the end, 14:05:30";

	if (sel->netns && opt_parse_u64(sel->netns, &m->netns))
		return say_error(WRONG_USE, "--netns '%s': an inode number is wanted, as in: readlink /proc/PID/ns/net",
				 sel->netns);
	m->has_netns = sel->netns;
	if (sel->since && !when_like(sel->since))
		return say_error(WRONG_USE, "--since '%s': a time is wanted: %s", sel->since, times);
	if (sel->until && !when_like(sel->until))
		return say_error(WRONG_USE, "--until '%s': a time is wanted: %s", sel->until, times);
	return OPT_GO_ON;
}

struct sel_match *sel_compile(const struct sel *sel, char *const *words, int n, int *status)
{
	struct sel_match *m = calloc(1, sizeof(*m));

	if (!m) {
		*status = say_error(FAILED, "out of memory");
		return NULL;
	}
	m->sel = sel;
	*status = compile_lists(m, words, n);
	if (*status == OPT_GO_ON)
		*status = check_single(m);
	if (*status == OPT_GO_ON)
		return m;
	sel_free(m);
	return NULL;
}

void sel_free(struct sel_match *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n_names; i++)
		if (m->names[i].is_regex)
			regfree(&m->names[i].regex);
	free(m->names);
	free(m->pids.at);
	free(m->users.at);
	free(m);
}

bool sel_empty(const struct sel_match *m)
{
	const struct sel *sel = m->sel;

	return !m->n_names && !m->pids.n && !m->users.n && !sel->cgroups.n && !m->has_netns &&
	       !sel->since && !sel->until && !sel->min_duration.set && !sel->failed;
}

size_t sel_pids(const struct sel_match *m, const uint32_t **pids)
{
	*pids = m->pids.at;
	return m->pids.n;
}

size_t sel_users(const struct sel_match *m, const uint32_t **uids)
{
	*uids = m->users.at;
	return m->users.n;
}

bool sel_netns(const struct sel_match *m, uint32_t *netns)
{
	if (m->has_netns)
		*netns = (uint32_t)m->netns;
	return m->has_netns;
}

static int check_pids(const struct sel_match *m)
{
	for (size_t i = 0; i < m->pids.n; i++)
		if (!ktally_model_find(m->model, m->pids.at[i], 0))
			return say_error(NOTHING_MATCHED, "-p %u: no such process here", m->pids.at[i]);
	return OPT_GO_ON;
}

int sel_bind(struct sel_match *m, const struct ktally_model *model)
{
	m->model = model;
	m->pids_until = UINT64_MAX;
	return check_pids(m);
}

void sel_bind_live(struct sel_match *m, const struct ktally_field_ctx *ctx, uint64_t now)
{
	m->live = ctx;
	m->pids_until = now;
}

int sel_check_live(const struct sel_match *m)
{
	for (size_t i = 0; i < m->pids.n; i++)
		if (!ktally_watch_pid(m->live->watch, m->pids.at[i]))
			return say_error(NOTHING_MATCHED, "-p %u: no such process", m->pids.at[i]);
	return OPT_GO_ON;
}

const char *sel_unseen(const struct sel_match *m, size_t i, bool *end)
{
	*end = i >= m->n_names;
	return *end || m->names[i].seen ? NULL : m->names[i].text;
}

const char *sel_past(const struct sel *sel)
{
	if (sel->since)
		return "since";
	if (sel->until)
		return "until";
	if (sel->min_duration.set)
		return "min-duration";
	return sel->failed ? "failed" : NULL;
}

static bool name_is(const struct name_match *n, const char *name, size_t len)
{
	char text[1024];

	if (!len || len >= sizeof(text))
		return false;
	memcpy(text, name, len);
	text[len] = '\0';
	if (n->is_regex)
		return !regexec(&n->regex, text, 0, NULL, 0);
	return !strcmp(n->text, text) || !fnmatch(n->text, text, FNM_NOESCAPE);
}

static bool image_named(const struct name_match *n, const struct ktally_image *im)
{
	struct ktally_str program = ktally_image_program(im), script = ktally_image_script(im);
	const char *base;

	if (program.p && name_is(n, program.p, program.len))
		return true;
	if (script.p && name_is(n, script.p, script.len))
		return true;
	if (name_is(n, im->comm, strnlen(im->comm, sizeof(im->comm))))
		return true;
	if (!im->argv || !im->argv_len)
		return false;
	base = memrchr(im->argv, '/', strnlen(im->argv, im->argv_len));
	base = base ? base + 1 : im->argv;
	return name_is(n, base, strnlen(base, (size_t)(im->argv + im->argv_len - base)));
}

/* Between fork and exec a process has its parent's program: that is not what it is. */
static bool passed_on(const struct ktally_life *l, uint32_t image)
{
	const struct ktally_image *im = &l->images[image];

	return l->saw_fork && !im->has_exec && !im->unknown && image + 1 < l->n_images;
}

static bool bears(const struct ktally_life *l, const struct name_match *n)
{
	if (name_is(n, l->owner.comm, strnlen(l->owner.comm, sizeof(l->owner.comm))))
		return true;
	for (uint32_t k = 0; k < l->n_images; k++)
		if (!passed_on(l, k) && image_named(n, &l->images[k]))
			return true;
	return false;
}

static bool named(const struct sel_match *m, const struct ktally_life *l)
{
	for (size_t i = 0; i < m->n_names; i++) {
		if (!bears(l, &m->names[i]))
			continue;
		m->names[i].seen = true;
		return true;
	}
	return false;
}

static bool meant_itself(const struct sel_match *m, const struct ktally_life *l)
{
	return (has_number(&m->pids, l->tgid) && l->start <= m->pids_until) || named(m, l);
}

static bool meant(const struct sel_match *m, const struct ktally_life *l)
{
	if (!m->n_names && !m->pids.n)
		return true;
	if (!m->sel->tree)
		return meant_itself(m, l);
	for (; l; l = l->parent)
		if (meant_itself(m, l))
			return true;
	return false;
}

static bool in_cgroup(const struct sel_match *m, const struct ktally_life *l)
{
	const char *path = m->live ? ktally_watch_cgroup(m->live->watch, l->owner.cgroup) :
				     ktally_model_cgroup(m->model, l->boot, l->owner.cgroup);

	for (size_t i = 0; path && i < m->sel->cgroups.n; i++) {
		const char *want = m->sel->cgroups.at[i];
		size_t len = strlen(want);

		while (len > 1 && want[len - 1] == '/')
			len--;
		if (len == 1 && *want == '/')
			return true;
		if (!strncmp(path, want, len) && (!path[len] || path[len] == '/'))
			return true;
		if (!fnmatch(want, path, FNM_NOESCAPE))
			return true;
	}
	return false;
}

static uint64_t end_of(const struct ktally_life *l)
{
	return l->end ? l->end : l->last_seen;
}

static bool in_time(const struct sel_match *m, const struct ktally_life *l)
{
	if (m->model && !ktally_model_within(m->model, l))
		return false;
	if (!m->sel->min_duration.set)
		return true;
	return end_of(l) >= l->start && end_of(l) - l->start >= m->sel->min_duration.ns;
}

bool sel_want(const struct ktally_life *l, void *arg)
{
	const struct sel_match *m = arg;
	const struct sel *sel = m->sel;

	if (!sel->all && !l->in_tree)
		return false;
	if (l->kthread && !sel->all && !m->pids.n && !m->n_names)
		return false;
	if (sel->failed && !(l->state == KTALLY_ENDED && l->status))
		return false;
	if (m->users.n && !has_number(&m->users, l->owner.uid))
		return false;
	if (m->has_netns && l->owner.netns != m->netns)
		return false;
	if (sel->cgroups.n && !in_cgroup(m, l))
		return false;
	return in_time(m, l) && meant(m, l);
}
