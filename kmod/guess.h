/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guess.h - owners of sockets that nobody has used yet: receive-only ones, and
 * those older than the module. Found among the open files of processes.
 */
#ifndef KTALLY_GUESS_H
#define KTALLY_GUESS_H

#include "sock.h"

extern atomic_t kt_guesses;		/* entries owned by guess, or to be */

/* The entry is owned, or to be owned, by guess; both under its lock. */
void kt_guess_begin(struct kt_sock_entry *e);
void kt_guess_end(struct kt_sock_entry *e);
/* Is any entry owned by guess? Does any wait for an owner? */
static inline bool kt_guess_any(void)
{
	return atomic_read(&kt_guesses);
}

bool kt_guess_any_open(void);

/* The running process binds sk. Who receives on it may be another. */
void kt_guess_bound(struct sock *sk);
/* Datagrams reach e, and nobody was seen to bind its socket. */
void kt_guess_received(struct kt_sock_entry *e);
/* The running process ends and is the only one to hold sk. */
void kt_guess_last_holder(struct sock *sk);

/*
 * A scan found sk among the files of a process; when it has been through all
 * processes, sockets that one alone holds are taken to be its.
 */
void kt_guess_found(struct sock *sk, struct task_struct *leader);
void kt_guess_scanned(void);

/* Worker: pending bytes that a scan may find an owner for. */
void kt_guess_ask(struct kt_sock_entry *e);
bool kt_guess_wants_scan(void);

#endif
