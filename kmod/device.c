// SPDX-License-Identifier: GPL-2.0-only
/*
 * device.c - /dev/ktally: one open file is one session, its ioctls are a table;
 * a descriptor per CPU reads the buffers. Every descriptor holds the session, so
 * that its buffers live as long as someone can read them. Process context; takes
 * arguments by their size field, refuses what it does not know.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "device.h"
#include "ioctl.h"
#include "main.h"
#include "select.h"
#include "session.h"
#include "timing.h"

/* An open file; session is set once, by START. */
struct handle {
	struct kt_opener opener;
	struct mutex starting;	/* one START or SELECT at a time; protects selected */
	struct kt_select *selected;	/* before START: what the session will be about */
	struct kt_session *session;
	bool timing;		/* it had the hooks timed; for timing.c */
};

/* --- one descriptor per CPU --- */

struct reader {
	struct kt_session *session;
	unsigned int cpu;
};

static ssize_t reader_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	struct reader *r = file->private_data;

	return kt_channel_read(r->session->channel, r->cpu, to, size,
			       !(file->f_flags & O_NONBLOCK));
}

static __poll_t reader_poll(struct file *file, poll_table *table)
{
	struct reader *r = file->private_data;

	return kt_channel_poll(r->session->channel, r->cpu, file, table);
}

static int reader_release(struct inode *inode, struct file *file)
{
	struct reader *r = file->private_data;

	kt_session_put(r->session);
	kfree(r);
	return 0;
}

static const struct file_operations reader_fops = {
	.owner = THIS_MODULE,
	.read = reader_read,
	.poll = reader_poll,
	.release = reader_release,
	.llseek = noop_llseek,
};

static long ioctl_cpu(struct kt_session *s, unsigned long cpu)
{
	struct reader *r;
	int fd;

	if (cpu >= nr_cpu_ids)
		return -ENODEV;
	/* Whatever branch the CPU guesses, no other memory than a buffer's. */
	cpu = array_index_nospec(cpu, nr_cpu_ids);
	if (!kt_channel_has_cpu(s->channel, cpu))
		return -ENODEV;
	r = kmalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
	if (!r)
		return -ENOMEM;
	*r = (struct reader){ .session = s, .cpu = cpu };
	kt_session_get(s);
	fd = anon_inode_getfd("[ktally]", &reader_fops, r, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		kt_session_put(s);
		kfree(r);
	}
	return fd;
}

/* --- ioctls of a session --- */

static long ioctl_flush(struct kt_session *s, unsigned long arg)
{
	long err = -EINVAL;

	if (mutex_lock_interruptible(&s->lock))
		return -ERESTARTSYS;
	if (s->state != KT_ENDED)
		err = kt_channel_flush(s->channel, false);
	mutex_unlock(&s->lock);
	return err;
}

static long ioctl_end(struct kt_session *s, unsigned long arg)
{
	long err;

	if (mutex_lock_interruptible(&s->lock))
		return -ERESTARTSYS;
	err = kt_session_end(s);
	mutex_unlock(&s->lock);
	return err;
}

/* --- ioctls of the file --- */

static bool start_is_known(const struct ktally_start *a)
{
	const u32 flags = KTALLY_START_BOOT | KTALLY_START_FLIGHT;
	const u32 filters = KTALLY_FILTER_UID | KTALLY_FILTER_CGROUP |
			    KTALLY_FILTER_PIDNS | KTALLY_FILTER_NETNS;

	return !(a->flags & ~flags) && a->flags != flags && !(a->filter & ~filters) && !a->pad;
}

static void describe(const struct kt_session *s, struct ktally_start *a)
{
	const struct kt_channel_shape *shape = kt_channel_shape(s->channel);

	a->api = KTALLY_API_VERSION;
	a->session = s->number;
	a->cpus = nr_cpu_ids;
	a->subbuf_size = shape->subbuf_size;
	a->subbufs = shape->subbufs;
	a->load_id = kt_load_id;
}

/* What was selected before, or else START's own filter. */
static long start_new(struct handle *h, const struct ktally_start *a, struct kt_session **s)
{
	struct kt_select *sel = h->selected ?: kt_select_started(a);
	long err;

	if (IS_ERR(sel))
		return PTR_ERR(sel);
	err = kt_session_start(&h->opener, a, sel, s);
	if (!err)
		h->selected = NULL;
	else if (sel != h->selected)
		kt_select_free(sel);
	return err;
}

/* Whoever cannot be told of its session has none: START may be tried again. */
static long start(struct handle *h, struct ktally_start *a, void __user *user)
{
	bool boot = a->flags & KTALLY_START_BOOT;
	struct kt_session *s;
	long err;

	if (h->session)
		return -EBUSY;
	if (h->selected && (boot || a->filter))
		return -EINVAL;
	err = boot ? kt_session_adopt(&h->opener, &s) : start_new(h, a, &s);
	if (err)
		return err;
	describe(s, a);
	err = kt_give(user, a, sizeof(*a));
	if (!err)
		/* Partner: smp_load_acquire() in session_of(). */
		smp_store_release(&h->session, s);
	else if (boot)
		kt_session_give_back(s);
	else
		kt_session_abandon(s);
	return err;
}

static long ioctl_start(struct handle *h, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct ktally_start a;
	long err = kt_take(&a, sizeof(a), user);

	if (err)
		return err;
	if (!start_is_known(&a))
		return -EINVAL;
	if (mutex_lock_interruptible(&h->starting))
		return -ERESTARTSYS;
	err = start(h, &a, user);
	mutex_unlock(&h->starting);
	return err;
}

/* *sel is NULL when it is in use. */
static long select_in(struct kt_session *s, struct kt_select **sel)
{
	long err = -EINVAL;

	mutex_lock(&s->lock);
	if (s->state == KT_RUNNING) {
		kt_session_select(s, *sel);
		*sel = NULL;
		err = 0;
	}
	mutex_unlock(&s->lock);
	return err;
}

static long ioctl_select(struct handle *h, unsigned long arg)
{
	struct ktally_select a;
	struct kt_select *sel;
	long err = kt_take(&a, sizeof(a), (void __user *)arg);

	if (err)
		return err;
	sel = kt_select_asked(&a, h->opener.pidns);
	if (IS_ERR(sel))
		return PTR_ERR(sel);
	mutex_lock(&h->starting);
	if (!h->session)
		swap(h->selected, sel);
	else
		err = select_in(h->session, &sel);
	mutex_unlock(&h->starting);
	kt_select_free(sel);
	return err;
}

/* How long the hooks take; until this file is closed. */
static long ioctl_timing(struct handle *h, unsigned long arg)
{
	return kt_timing_ioctl(&h->timing, arg);
}

/* --- the table --- */

/* By number: the size in a command's code grows when its struct does. */
static const struct {
	long (*of_file)(const struct kt_opener *opener, unsigned long arg);
	long (*of_handle)(struct handle *h, unsigned long arg);
	long (*of_session)(struct kt_session *s, unsigned long arg);
} ioctls[] = {
	[_IOC_NR(KTALLY_IOC_START)]	= { .of_handle = ioctl_start },
	[_IOC_NR(KTALLY_IOC_CPU)]	= { .of_session = ioctl_cpu },
	[_IOC_NR(KTALLY_IOC_WALK)]	= { .of_session = kt_ioctl_walk },
	[_IOC_NR(KTALLY_IOC_FLUSH)]	= { .of_session = ioctl_flush },
	[_IOC_NR(KTALLY_IOC_END)]	= { .of_session = ioctl_end },
	[_IOC_NR(KTALLY_IOC_MARK)]	= { .of_file = kt_ioctl_mark },
	[_IOC_NR(KTALLY_IOC_COUNTS)]	= { .of_session = kt_ioctl_counts },
	[_IOC_NR(KTALLY_IOC_STATUS)]	= { .of_file = kt_ioctl_status },
	[_IOC_NR(KTALLY_IOC_SNAPSHOT)]	= { .of_session = kt_ioctl_snapshot },
	[_IOC_NR(KTALLY_IOC_SELECT)]	= { .of_handle = ioctl_select },
	[_IOC_NR(KTALLY_IOC_TOTALS)]	= { .of_file = kt_ioctl_totals },
	[_IOC_NR(KTALLY_IOC_TOTALS_RESET)] = { .of_file = kt_ioctl_totals_reset },
	[_IOC_NR(KTALLY_IOC_WORK)]	= { .of_file = kt_ioctl_work },
	[_IOC_NR(KTALLY_IOC_TIMING)]	= { .of_handle = ioctl_timing },
};

static struct kt_session *session_of(struct handle *h)
{
	/* Partner: smp_store_release() in start(). */
	return smp_load_acquire(&h->session);
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct handle *h = file->private_data;
	unsigned int nr = _IOC_NR(cmd);
	struct kt_session *s;

	if (_IOC_TYPE(cmd) != KTALLY_IOC_MAGIC || nr >= ARRAY_SIZE(ioctls))
		return -ENOTTY;
	/* Whatever branch the CPU guesses, no call beyond the table. */
	nr = array_index_nospec(nr, ARRAY_SIZE(ioctls));
	if (ioctls[nr].of_file)
		return ioctls[nr].of_file(&h->opener, arg);
	if (ioctls[nr].of_handle)
		return ioctls[nr].of_handle(h, arg);
	if (!ioctls[nr].of_session)
		return -ENOTTY;
	s = session_of(h);
	return s ? ioctls[nr].of_session(s, arg) : -EINVAL;
}

static __poll_t device_poll(struct file *file, poll_table *table)
{
	struct kt_session *s = session_of(file->private_data);

	if (!s)
		return EPOLLERR;
	poll_wait(file, &s->announce, table);
	return kt_channel_cpus(s->channel) != READ_ONCE(s->cpus_told) ? EPOLLPRI : 0;
}

/* What a session may see is decided by who opened the file, here and now. */
static int device_open(struct inode *inode, struct file *file)
{
	struct handle *h = kzalloc(sizeof(*h), GFP_KERNEL_ACCOUNT);

	if (!h)
		return -ENOMEM;
	h->opener = (struct kt_opener){
		.tgid = current->tgid,
		.uid = __kuid_val(current_uid()),
		.all_argv = perfmon_capable(),
		.pidns = get_pid_ns(task_active_pid_ns(current)),
	};
	mutex_init(&h->starting);
	file->private_data = h;
	return nonseekable_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	struct handle *h = file->private_data;

	kt_timing_stop(&h->timing);
	if (h->session)
		kt_session_abandon(h->session);
	kt_select_free(h->selected);
	put_pid_ns(h->opener.pidns);
	kfree(h);
	return 0;
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = device_poll,
	.llseek = noop_llseek,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ktally",
	.fops = &device_fops,
	.mode = 0660,
};

int __init kt_device_open(void)
{
	return misc_register(&device);
}

void kt_device_close(void)
{
	misc_deregister(&device);
}
