// SPDX-License-Identifier: GPL-2.0-only
/*
 * fds.c - walks open files (fds.h). Another task's table is pinned by its
 * task_lock, as cgroup controllers do; one's own, at the end, is walked under
 * RCU alone, since no lock may be taken where ends are seen.
 */
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "compat_net.h"
#include "fds.h"
#include "guess.h"
#include "owner.h"
#include "sample.h"
#include "sock.h"

#define FDS_OWN_MAX	1024	/* of a process that ends, preemption off; others tell later */
#define FDS_AT_ONCE	1024	/* of another task's, under its locks */

/* --- folding -------------------------------------------------------------- */

static struct sock *sock_of(struct file *file)
{
	struct socket *sock = kt_sock_from_file(file);

	return sock ? READ_ONCE(sock->sk) : NULL;
}

/* Of whose sockets something is counted. They live on for an RCU grace period. */
static bool is_counted(const struct socket *sock, bool sole)
{
	const struct proto_ops *ops = data_race(READ_ONCE(sock->ops));

	if (!ops)
		return false;
	/*
	 * Who shares the files may close them now, and others than TCP's are freed at once:
	 * SCTP's are streams too, but none that can be read in place.
	 */
	if (!sole && (sock->type != SOCK_STREAM || !ops->read_sock))
		return false;
	return ops->family == PF_INET || ops->family == PF_INET6 || ops->family == PF_PACKET;
}

/* Others may open and close files meanwhile, by plain stores: each is asked for its place. */
static struct socket *socket_of(struct file *file)
{
	return data_race(kt_sock_from_file(file));
}

/*
 * Nothing pins the file: since 6.7 its memory may at once be another file's, even one at
 * the same place, and private_data no socket. Then it has left its place, or a second
 * look differs; until both have been asked nothing is read through it.
 */
static struct sock *sock_at(struct file __rcu **place, struct file *file, bool sole)
{
	struct socket *sock = socket_of(file);

	/* The place is looked at after the file; partner: the stores of close(). */
	smp_rmb();
	if (!sock || rcu_access_pointer(*place) != file)
		return NULL;
	/* And the file once more after the place. */
	smp_rmb();
	if (socket_of(file) != sock || !is_counted(sock, sole))
		return NULL;
	return data_race(READ_ONCE(sock->sk));
}

/* True: it is one of those that current owns. */
static bool fold_own_file(struct file __rcu **place, struct file *file, bool sole)
{
	struct sock *sk = sock_at(place, file, sole);

	if (!sk)
		return false;
	if (sole && file_count(file) == 1)
		kt_guess_last_holder(sk);
	kt_owner_fold(sk);
	return kt_sock_is_mine(sk);
}

static unsigned int next_open(const struct fdtable *fdt, unsigned int max, unsigned int fd)
{
	return data_race(find_next_bit(fdt->open_fds, max, fd));
}

/*
 * A file may be closed and its memory reused meanwhile by a process that shares
 * the table. Sockets' inodes and TCP's sockets live on until the end of the RCU
 * section, and folding compares cookies; nothing is written to either. Preemption
 * is off, so no more is looked at than there are sockets to be found.
 */
void kt_fds_fold_own(unsigned int sockets)
{
	struct files_struct *files = current->files;
	struct fdtable *fdt;
	struct file *file;
	unsigned int fd, max;
	bool sole;

	if (!files)
		return;
	rcu_read_lock();
	sole = atomic_read(&files->count) == 1;
	fdt = rcu_dereference(files->fdt);
	max = min_t(unsigned int, fdt->max_fds, FDS_OWN_MAX);
	for (fd = next_open(fdt, max, 0); fd < max; fd = next_open(fdt, max, fd + 1)) {
		file = rcu_dereference(fdt->fd[fd]);
		if (file && fold_own_file(&fdt->fd[fd], file, sole) && !--sockets)
			break;
	}
	rcu_read_unlock();
}

/* --- another task's files -------------------------------------------------- */

struct visit {
	void (*each)(struct sock *sk, struct task_struct *leader);
	struct task_struct *leader;
	unsigned int left;	/* files until the locks are dropped */
};

static int visit_file(const void *data, struct file *file, unsigned int fd)
{
	struct visit *v = (struct visit *)data;
	struct sock *sk = sock_of(file);

	if (sk)
		v->each(sk, v->leader);
	return --v->left ? 0 : fd + 1;
}

/* A piece at a time: a process may have a million files. May sleep. */
static void visit_sockets(struct task_struct *leader,
			  void (*each)(struct sock *sk, struct task_struct *leader))
{
	struct visit v = { .each = each, .leader = leader };
	unsigned int fd = 0;

	do {
		v.left = FDS_AT_ONCE;
		task_lock(leader);
		rcu_read_lock();
		fd = leader->files ? iterate_fd(leader->files, fd, visit_file, &v) : 0;
		rcu_read_unlock();
		task_unlock(leader);
		cond_resched();
	} while (fd);
}

static void fold_socket(struct sock *sk, struct task_struct *leader)
{
	kt_owner_fold(sk);
}

void kt_fds_fold(struct task_struct *leader)
{
	visit_sockets(leader, fold_socket);
}

/* --- scanning ------------------------------------------------------------- */

void kt_fds_scan(void)
{
	struct task_struct *p;
	int nr = 1;

	while ((p = kt_sample_next(&nr))) {
		visit_sockets(p, kt_guess_found);
		put_task_struct(p);
		cond_resched();
	}
	kt_guess_scanned();
}
