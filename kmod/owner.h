/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * owner.h - who owns a socket: its last user. Owners change under the entry's
 * lock; bytes that waited for one are moved behind it. Under RCU, any context
 * in which sockets are used; nothing here sleeps.
 */
#ifndef KTALLY_OWNER_H
#define KTALLY_OWNER_H

#include "sock.h"

/* The running process uses sk; ahead: what it is sending now, which sk has counted. */
void kt_owner_learn(struct sock *sk, u32 ahead);
/* The state of a TCP socket changes. */
void kt_owner_state(struct sock *sk, int newstate);
/* A UDP socket is being closed or unbound. */
void kt_owner_unbound(struct sock *sk);
/* Folds the socket's own counters into its owner's account. */
void kt_owner_fold(struct sock *sk);

/* By use, or (guess) only because it is the one holder; then sk may be NULL. */
void kt_owner_set(struct kt_sock_entry *e, const struct sock *sk, struct task_struct *leader,
		  bool guess, u32 ahead);
/* A child that nobody accepted belongs to who listened. */
struct kt_acct *kt_owner_of(const struct kt_sock_entry *e);
/* Bytes that waited go to a. */
void kt_owner_settle(struct kt_sock_entry *e, struct kt_acct *a);
void kt_owner_let_go(struct kt_sock_entry *e);
/* What a new entry's socket has counted is not ours; segs: of the packet at hand. */
void kt_owner_set_base(struct kt_sock_entry *e, const struct sock *sk, u32 segs);

u64 kt_owner_learned(void);

#endif
