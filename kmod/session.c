// SPDX-License-Identifier: GPL-2.0-only
/*
 * session.c - the open sessions: who records, what each may see, and the way of
 * a packed record into every session that wants it. Probes read the set of
 * recording sessions under RCU; it is replaced as a whole under sessions_lock.
 * Starting and ending run in process context and may sleep.
 *
 * Lock order: a session's lock, then sessions_lock, then the CPU hotplug lock.
 */
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "cgroup.h"
#include "dump.h"
#include "ends.h"
#include "main.h"
#include "opening.h"
#include "select.h"
#include "session.h"
#include "shape.h"

struct kt_set __rcu *kt_recording;

/* Protects the places, who records, the sums below and the set's replacement. */
static DEFINE_MUTEX(sessions_lock);
static struct kt_session *places[KTALLY_SESSIONS];
static bool recording[KTALLY_SESSIONS];
static unsigned int used_kb;
static u32 last_number;
static u64 past[KTALLY_KINDS];	/* records of sessions that are over */
static enum cpuhp_state hotplug;

/* --- the set that probes see --- */

static void fill_set(struct kt_set *set)
{
	const struct kt_select *sel;
	unsigned int i;

	set->n = 0;
	set->selecting = false;
	set->exit_argv = false;
	for (i = 0; i < KTALLY_SESSIONS; i++) {
		if (!recording[i])
			continue;
		sel = rcu_dereference_protected(places[i]->filter.select, true);
		set->selecting |= !!sel;
		set->exit_argv |= sel && (sel->what & KTALLY_SELECT_EXITS);
		set->session[set->n++] = places[i];
	}
}

/* Two sets are enough: after each change nobody is left in the other one. */
static void publish(void)
{
	static struct kt_set sets[2];
	static unsigned int turn;
	struct kt_set *set = &sets[turn ^= 1];

	fill_set(set);
	rcu_assign_pointer(kt_recording, set->n ? set : NULL);
	/* kt_disarm() clears the pointer from anywhere; it has the last word. */
	smp_mb();
	if (kt_disarmed())
		RCU_INIT_POINTER(kt_recording, NULL);
	synchronize_rcu();
}

static int place_of(const struct kt_session *s)
{
	int i;

	for (i = 0; i < KTALLY_SESSIONS; i++)
		if (places[i] == s)
			return i;
	return -1;
}

static void set_recording(struct kt_session *s, bool on)
{
	mutex_lock(&sessions_lock);
	recording[place_of(s)] = on;
	publish();
	mutex_unlock(&sessions_lock);
}

/* Under RCU, any context but NMI. */
void kt_emit(const struct kt_set *set, unsigned long chosen, const struct kt_record *r)
{
	unsigned int i;

	for (i = 0; chosen; i++, chosen >>= 1)
		if (chosen & 1)
			kt_channel_write(set->session[i]->channel, r);
}

bool kt_session_wants(const struct kt_session *s, unsigned int kind, const struct kt_who *who)
{
	bool wants;

	rcu_read_lock();
	wants = kt_wants(s, kind, who);
	rcu_read_unlock();
	return wants;
}

bool kt_emit_to_all(const struct kt_record *r, const struct kt_who *who)
{
	const struct kt_set *set;
	bool written = true;
	unsigned int i;

	rcu_read_lock();
	set = kt_set();
	for (i = 0; set && i < set->n; i++)
		if (kt_session_wants(set->session[i], r->kind, who))
			written &= kt_channel_write(set->session[i]->channel, r);
	rcu_read_unlock();
	return written;
}

/* --- starting --- */

static void free_session(struct kt_session *s)
{
	if (s->channel)
		kt_channel_close(s->channel);
	kt_ran_close(&s->ran);
	kt_select_free(rcu_dereference_protected(s->filter.select, true));
	put_pid_ns(s->opener.pidns);
	kfree(s);
}

static struct kt_session *new_session(const struct kt_opener *opener,
				      const struct ktally_start *how)
{
	struct kt_channel_shape shape = kt_shape_of(how->buffer_kb, how->subbuf_kb);
	struct kt_session *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	kref_init(&s->ref);
	mutex_init(&s->lock);
	init_waitqueue_head(&s->announce);
	s->opener = *opener;
	get_pid_ns(s->opener.pidns);
	s->kinds = (how->kinds ?: ~0ULL) | KT_KINDS_ALWAYS;
	if (s->opener.pidns != &init_pid_ns)
		s->filter.visible = s->opener.pidns;
	s->started = ktime_get_boottime_ns();
	s->missed_before = kt_ends_missed();
	s->buffer_kb = kt_shape_kb(&shape);
	shape.session = last_number + 1;
	shape.flight = how->flags & KTALLY_START_FLIGHT;
	s->number = shape.session;
	s->channel = kt_channel_open(&shape);
	if (!s->channel) {
		free_session(s);
		return NULL;
	}
	s->cpus_told = kt_channel_cpus(s->channel);
	return s;
}

/* --- what it is about --- */

static bool write_selection(struct kt_session *s, const struct kt_select *sel)
{
	struct ktally_selection rec;
	const struct kt_record r = KT_RECORD(KTALLY_SELECTION, &rec);

	kt_select_record(sel, &rec);
	return kt_channel_write(s->channel, &r);
}

/*
 * The session's lock is held, sel becomes the session's. Marked before, so that
 * nobody's events are refused for want of a mark, and after, for those who were
 * forked in between.
 */
void kt_session_select(struct kt_session *s, struct kt_select *sel)
{
	struct kt_select *old;

	kt_select_mark(sel);
	write_selection(s, sel);
	mutex_lock(&sessions_lock);
	old = rcu_dereference_protected(s->filter.select, true);
	rcu_assign_pointer(s->filter.select, sel);
	publish();
	mutex_unlock(&sessions_lock);
	kt_select_mark(sel);
	kt_select_free(old);
}

/* Is there a place, and memory left under max_kb? Returns the place. */
static int find_place(u32 buffer_kb)
{
	int place = place_of(NULL);

	if (place < 0)
		return -EUSERS;
	return (u64)used_kb + buffer_kb > kt_max_kb ? -ENOBUFS : place;
}

static int start_locked(const struct kt_opener *opener, const struct ktally_start *how,
			struct kt_select *sel, struct kt_session **made)
{
	struct kt_channel_shape shape = kt_shape_of(how->buffer_kb, how->subbuf_kb);
	int err, place = find_place(kt_shape_kb(&shape));
	struct kt_session *s;

	if (place < 0)
		return place;
	s = new_session(opener, how);
	if (!s)
		return -ENOMEM;
	/* Nobody else writes yet, so these come first and find room. */
	err = kt_opening_write(s->channel);
	if (!err && sel && !write_selection(s, sel))
		err = -ENOBUFS;
	if (err) {
		free_session(s);
		return err;
	}
	last_number++;
	used_kb += s->buffer_kb;
	places[place] = s;
	recording[place] = true;
	RCU_INIT_POINTER(s->filter.select, sel);
	publish();
	*made = s;
	return 0;
}

int kt_session_start(const struct kt_opener *opener, const struct ktally_start *how,
		     struct kt_select *sel, struct kt_session **made)
{
	int err;

	if (kt_disarmed())
		return -ESHUTDOWN;
	kt_select_mark(sel);
	mutex_lock(&sessions_lock);
	err = start_locked(opener, how, sel, made);
	mutex_unlock(&sessions_lock);
	/* Once more, for those who were forked in between. */
	if (!err)
		kt_select_mark(sel);
	return err;
}

void kt_session_get(struct kt_session *s)
{
	kref_get(&s->ref);
}

static void release(struct kref *ref)
{
	struct kt_session *s = container_of(ref, struct kt_session, ref);

	mutex_lock(&sessions_lock);
	kt_channel_attempts(s->channel, past);
	places[place_of(s)] = NULL;
	used_kb -= s->buffer_kb;
	mutex_unlock(&sessions_lock);
	free_session(s);
}

void kt_session_put(struct kt_session *s)
{
	kref_put(&s->ref, release);
}

/* --- ending; the session's lock is held --- */

static void stop(struct kt_session *s)
{
	if (s->state != KT_RUNNING)
		return;
	s->state = KT_STOPPED;
	set_recording(s, false);
	kt_walk_drop(s);
}

/* The machine's: not for who sees a PID namespace only, as the totals are not. */
static void fill_ends(const struct kt_session *s, struct ktally_end *e)
{
	unsigned int i;

	if (s->filter.visible)
		return;
	e->ends = atomic64_read(&s->ended.processes);
	e->ends_runtime = atomic64_read(&s->ended.runtime);
	for (i = 0; i < ARRAY_SIZE(e->ends_net); i++)
		e->ends_net[i] = atomic64_read(&s->ended.net[i]);
}

static bool write_end(struct kt_session *s, struct ktally_counts *sum)
{
	struct ktally_end e = {};
	struct kt_record r = KT_RECORD(KTALLY_END, &e);

	kt_channel_counts(s->channel, sum);
	sum->attempts[KTALLY_END]++;
	e.threads = sum->threads;
	e.kp_missed = kt_ends_missed() - s->missed_before;
	e.disarmed = kt_disarmed();
	fill_ends(s, &e);
	memcpy(e.attempts, sum->attempts, sizeof(e.attempts));
	memcpy(e.filtered, sum->filtered, sizeof(e.filtered));
	return kt_channel_try(s->channel, &r);
}

int kt_session_end(struct kt_session *s)
{
	struct ktally_counts *sum;
	bool written;

	if (s->state == KT_ENDED)
		return -EINVAL;
	stop(s);
	sum = kzalloc(sizeof(*sum), GFP_KERNEL);
	if (!sum)
		return -ENOMEM;
	written = write_end(s, sum);
	kfree(sum);
	if (!written)
		return -EAGAIN;
	s->state = KT_ENDED;
	kt_channel_finish(s->channel);
	return 0;
}

/* The owner is gone: whoever holds a CPU's descriptor still gets what is left. */
void kt_session_abandon(struct kt_session *s)
{
	mutex_lock(&s->lock);
	stop(s);
	if (s->state != KT_ENDED) {
		s->state = KT_ENDED;
		kt_channel_finish(s->channel);
	}
	mutex_unlock(&s->lock);
	kt_session_put(s);
}

/* --- the session that begins at load --- */

static struct kt_session *boot_session(void)
{
	int i;

	for (i = 0; i < KTALLY_SESSIONS; i++)
		if (places[i] && places[i]->boot)
			return places[i];
	return NULL;
}

/* Takes the boot session away from the module: its reference goes with it. */
static struct kt_session *take_boot(void)
{
	struct kt_session *s;

	mutex_lock(&sessions_lock);
	s = boot_session();
	if (s)
		s->boot = false;
	mutex_unlock(&sessions_lock);
	return s;
}

static void expire_boot(struct work_struct *work)
{
	struct kt_session *s = take_boot();

	if (!s)
		return;
	pr_info("ktally: nobody took over the boot session in %u s: freed\n", kt_boot_seconds);
	kt_session_abandon(s);
}

static DECLARE_DELAYED_WORK(boot_expiry, expire_boot);

/* On 32 bits ticks reach for some weeks, longer patience ends there. */
static void expect_adoption(void)
{
	u64 ticks = (u64)kt_boot_seconds * HZ;

	if (ticks)
		schedule_delayed_work(&boot_expiry, min_t(u64, ticks, MAX_JIFFY_OFFSET));
}

/* It holds what all users did, so only who may see that may have it. */
int kt_session_adopt(const struct kt_opener *opener, struct kt_session **adopted)
{
	struct kt_session *s;

	if (!opener->all_argv || opener->pidns != &init_pid_ns)
		return -EPERM;
	s = take_boot();
	if (!s)
		return -ENOENT;
	mutex_lock(&sessions_lock);
	s->opener.tgid = opener->tgid;
	mutex_unlock(&sessions_lock);
	*adopted = s;
	return 0;
}

/* Undoes the above. */
void kt_session_give_back(struct kt_session *s)
{
	mutex_lock(&sessions_lock);
	s->opener.tgid = 0;
	s->boot = true;
	mutex_unlock(&sessions_lock);
	expect_adoption();
}

int __init kt_session_boot(void)
{
	const struct kt_opener kernel = { .all_argv = true, .pidns = &init_pid_ns };
	const struct ktally_start how = { .buffer_kb = kt_boot_kb };
	struct kt_session *s;
	int err;

	if (!kt_boot)
		return 0;
	err = kt_session_start(&kernel, &how, NULL, &s);
	if (err)
		return err;
	mutex_lock(&sessions_lock);
	s->boot = true;
	mutex_unlock(&sessions_lock);
	kt_walk_at_load(s);
	expect_adoption();
	return 0;
}

/* --- state, CPUs that come up --- */

/* Who sees a PID namespace only knows of no session that others opened. */
static bool may_know(const struct kt_opener *asks, const struct kt_session *s)
{
	return asks->pidns == &init_pid_ns || asks->pidns == s->opener.pidns;
}

static void fill_status(const struct kt_session *s, struct ktally_session_status *st,
			struct ktally_counts *sum)
{
	unsigned int kind;

	memset(sum, 0, sizeof(*sum));
	kt_channel_counts(s->channel, sum);
	st->session = s->number;
	st->boot = s->boot;
	st->tgid = s->opener.tgid;
	st->buffer_kb = s->buffer_kb;
	st->started = s->started;
	for (kind = 0; kind < KTALLY_KINDS; kind++) {
		st->attempts += sum->attempts[kind];
		st->lost += sum->lost[kind];
		st->filtered += sum->filtered[kind];
	}
}

/* st: KTALLY_SESSIONS of them, zeroed; sum: scratch. */
void kt_sessions_status(const struct kt_opener *asks, struct ktally_session_status *st,
			struct ktally_counts *sum)
{
	unsigned int i;

	mutex_lock(&sessions_lock);
	for (i = 0; i < KTALLY_SESSIONS; i++)
		if (places[i] && may_know(asks, places[i]))
			fill_status(places[i], &st[i], sum);
	mutex_unlock(&sessions_lock);
}

/* Records of all sessions since load. */
void kt_sessions_attempts(u64 sum[KTALLY_KINDS])
{
	unsigned int i;

	mutex_lock(&sessions_lock);
	memcpy(sum, past, sizeof(past));
	for (i = 0; i < KTALLY_SESSIONS; i++)
		if (places[i])
			kt_channel_attempts(places[i]->channel, sum);
	mutex_unlock(&sessions_lock);
}

/* Relay has made the new CPU's buffers by now. Must not take sessions_lock. */
static int announce_cpu(unsigned int cpu)
{
	const struct kt_set *set;
	unsigned int i;

	rcu_read_lock();
	set = kt_set();
	for (i = 0; set && i < set->n; i++)
		wake_up_interruptible_all(&set->session[i]->announce);
	rcu_read_unlock();
	return 0;
}

int __init kt_sessions_open(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "ktally:online",
					      announce_cpu, NULL);

	if (state < 0)
		return state;
	hotplug = state;
	return 0;
}

/* No file is open: at most the boot session is left. */
void kt_sessions_close(void)
{
	struct kt_session *s;

	cancel_delayed_work_sync(&boot_expiry);
	s = take_boot();
	if (s)
		kt_session_abandon(s);
	cpuhp_remove_state_nocalls(hotplug);
}
