// SPDX-License-Identifier: GPL-2.0-only
/*
 * pipes.c - HOT: the pipes at descriptors 0 and 1 of current. A shell joins the
 * members of a pipeline by them and nothing else tells for certain which commands
 * are one. Only reads, under RCU; takes no reference and no lock, for the caller may
 * be an end, where none may be taken.
 */
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "pipes.h"

/* Pipes without a name; a FIFO's number is its file system's and may be a pipe's too. */
static u32 pipe_number(const struct inode *inode)
{
	if (!inode || !S_ISFIFO(READ_ONCE(inode->i_mode)))
		return 0;
	return inode->i_sb->s_magic == PIPEFS_MAGIC ? (u32)inode->i_ino : 0;
}

/*
 * Who shares the table may close the file meanwhile, and since 6.7 its memory may at
 * once be another file's. Inodes outlive the RCU section, and a file that has left
 * its place is not asked.
 */
static u32 pipe_of(struct file __rcu **place)
{
	const struct file *file = rcu_dereference(*place);
	const struct inode *inode;

	if (!file)
		return 0;
	inode = data_race(READ_ONCE(file->f_inode));
	/* The place is looked at after the file; partner: the stores of close(). */
	smp_rmb();
	return rcu_access_pointer(*place) == file ? pipe_number(inode) : 0;
}

u32 kt_pipe_at(unsigned int fd)
{
	struct files_struct *files = current->files;
	struct fdtable *fdt;

	if (!files)
		return 0;
	fdt = rcu_dereference(files->fdt);
	return fd < fdt->max_fds ? pipe_of(&fdt->fd[fd]) : 0;
}
