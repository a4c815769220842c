/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktally.h - the one contract between the module ktally.ko and its readers.
 *
 * It fixes the records of the stream and the ioctls of /dev/ktally, and nothing
 * else. Records evolve by appending fields and kinds; a name, number or offset
 * that was once published never changes. Readers take offsets from the format
 * descriptions that open every stream; only the layouts of struct ktally_record,
 * struct ktally_common, `header` and `format` are frozen, because a reader needs
 * them before it has read a description.
 *
 * All integers are in the byte order of the machine that wrote them. All times
 * are nanoseconds, all sizes bytes, unless a field says otherwise.
 */
#ifndef _UAPI_LINUX_KTALLY_H
#define _UAPI_LINUX_KTALLY_H

#include <linux/types.h>
#include <linux/ioctl.h>

/* First field of every sub-buffer's header: "KTLY" read as a native u32. */
#define KTALLY_MAGIC		0x594c544bU
/* Raised when an old reader could no longer make sense of the stream. */
#define KTALLY_STREAM_VERSION	1
/* Raised when the meaning of an ioctl changes; structs grow by their size field. */
#define KTALLY_API_VERSION	1

#define KTALLY_RECORD_MAX	3584	/* bytes; a trace.dat event must fit a 4 KiB page */
#define KTALLY_ARGV_INLINE	512	/* bytes of argv inside an exec or task record */
#define KTALLY_FILENAME_MAX	1024	/* bytes of file name inside an exec record */
#define KTALLY_INTERP_MAX	256	/* bytes of interpreter inside an exec record */
#define KTALLY_COMM_LEN		16	/* TASK_COMM_LEN, with the final NUL */
#define KTALLY_KINDS		32	/* places in the counters by kind */
#define KTALLY_SESSIONS		8	/* sessions at once, the boot session included */
#define KTALLY_MARK_MAX		256	/* bytes of a mark's text */
#define KTALLY_NAME_MAX		64	/* bytes of a name in a selection, with the final NUL */
#define KTALLY_SELECT_MAX	1024	/* entries of each list of a selection */

/*
 * Frame of every record. len counts from here to the next record: a multiple of
 * 8, zero padded. seq numbers the attempts of one CPU in one session: a gap is a
 * loss. time is CLOCK_BOOTTIME, taken with interrupts off beside the reservation,
 * so it never runs backwards within one CPU's stream. Headers are no attempts:
 * they carry the seq of the record after them.
 */
struct ktally_record {
	__u32 len;
	__u32 seq;
	__u64 time;
};

/* First part of every payload: the common fields of an ftrace event. */
struct ktally_common {
	__u16 type;		/* enum ktally_kind */
	__u8 flags;		/* 0 */
	__u8 preempt_count;	/* 0 */
	__s32 pid;		/* thread that wrote the record; 0 for header */
};

enum ktally_kind {
	KTALLY_HEADER		= 1,	/* first in each sub-buffer */
	KTALLY_FORMAT		= 2,	/* description of a kind */
	KTALLY_INFO		= 3,	/* machine and module */
	KTALLY_FORK		= 4,
	KTALLY_EXEC		= 5,
	KTALLY_ARGS		= 6,	/* more of an exec's argv */
	KTALLY_THREAD_EXIT	= 7,	/* a thread that did not end its process */
	KTALLY_EXIT		= 8,	/* the end of a process, once */
	KTALLY_TASK		= 9,	/* a living process, from a walk */
	KTALLY_NET_LATE		= 10,	/* bytes that moved after the exit record */
	KTALLY_DEVICE		= 11,	/* a network device and what the hooks saw on it */
	KTALLY_CGROUP		= 12,	/* cgroup id -> path */
	KTALLY_MARK		= 13,	/* a named point */
	KTALLY_WALK_BEGIN	= 14,
	KTALLY_WALK_END		= 15,
	KTALLY_END		= 16,	/* last record of a session */
	KTALLY_SELECTION	= 17,	/* from here on the session records a part of the machine */
};

/*
 * Field lists. Each kind has one list; the C struct, the format description and
 * the tables of readers are made from it:
 *   F(type, name)     a number
 *   A(type, name, n)  an array of n numbers, or with type char a string
 *   S(name)           __data_loc: u32, length << 16 | offset from the payload's start
 * Text ends with a NUL that counts in its length. Blocks of bytes (format.text,
 * exec.argv, task.argv, args.data) have exactly their bytes in it; a NUL stands
 * behind them all the same. What is absent has length 0.
 * Fields are naturally aligned without holes: a static assertion checks it.
 */

/* Which process: a life is (boot, tgid, start); image counts its execs. */
#define KTALLY_LIFE_FIELDS(F, A, S)					\
	F(__u32, tgid)		/* in the initial PID namespace */	\
	F(__u32, image)		/* task_struct.self_exec_id, low half; a child begins with its parent's */ \
	F(__u64, start)		/* leader's start_boottime, ns */

/* Whose it is. Numbers as the initial namespaces see them. */
#define KTALLY_OWNER_FIELDS(F, A, S)					\
	F(__u32, ppid)		/* tgid of real_parent */		\
	F(__u32, nspid)		/* tgid in its own PID namespace */	\
	F(__u64, parent_start)	/* start of real_parent's leader, ns */	\
	F(__u64, cgroup)	/* cgroup_id on the default hierarchy; 1 = root or v1 only; 0 = no cgroups */ \
	F(__u32, pidns)		/* inode number of its PID namespace */	\
	F(__u32, netns)		/* of its network namespace; 0 = none any more */ \
	F(__u32, uid)		/* real */				\
	F(__u32, gid)		/* real */				\
	F(__u32, sid)		/* session leader's PID */		\
	F(__u32, pgrp)		/* process group leader's PID */	\
	A(char, comm, KTALLY_COMM_LEN) /* leader's name, NUL ended */

/*
 * What it used: cumulative since the life began (peaks: since the image began),
 * over all threads, ended ones included. `known` has a bit per field that was
 * measured, `upper` a bit per field that is only an upper bound; bit numbers are
 * enum ktally_usage. A field whose bit is clear in `known` is 0 and means nothing.
 */
#define KTALLY_USAGE_FIELDS(F, A, S)					\
	F(__u64, known)							\
	F(__u64, upper)							\
	F(__u64, utime)		/* ns, tick samples: scale to runtime */ \
	F(__u64, stime)		/* ns, tick samples: scale to runtime */ \
	F(__u64, runtime)	/* ns on a CPU, exact, running slice included */ \
	F(__u64, run_delay)	/* ns runnable but waiting; exit and thread_exit: of this thread only */ \
	F(__u64, nvcsw)		/* voluntary context switches */	\
	F(__u64, nivcsw)	/* involuntary ones */			\
	F(__u64, minflt)	/* minor page faults */			\
	F(__u64, majflt)	/* major page faults */			\
	F(__u64, rchar)		/* bytes through read calls */		\
	F(__u64, wchar)		/* bytes through write calls */		\
	F(__u64, syscr)		/* read calls */			\
	F(__u64, syscw)		/* write calls */			\
	F(__u64, read_bytes)	/* bytes fetched from storage */	\
	F(__u64, write_bytes)	/* bytes sent to storage */		\
	F(__u64, cancelled_write_bytes)					\
	F(__u64, rss)		/* resident bytes now */		\
	F(__u64, peak_rss)	/* the image's peak = VmHWM */		\
	F(__u64, vm)		/* address space, bytes */		\
	F(__u64, peak_vm)	/* the image's peak = VmPeak */		\
	F(__u64, swap)		/* bytes swapped out now */		\
	F(__u64, maxrss)	/* signal_struct.maxrss: over all images, inherited at exec */

/* Bits of known and upper, in the order of KTALLY_USAGE_FIELDS after them. */
enum ktally_usage {
	KTALLY_U_UTIME, KTALLY_U_STIME, KTALLY_U_RUNTIME, KTALLY_U_RUN_DELAY,
	KTALLY_U_NVCSW, KTALLY_U_NIVCSW, KTALLY_U_MINFLT, KTALLY_U_MAJFLT,
	KTALLY_U_RCHAR, KTALLY_U_WCHAR, KTALLY_U_SYSCR, KTALLY_U_SYSCW,
	KTALLY_U_READ_BYTES, KTALLY_U_WRITE_BYTES, KTALLY_U_CANCELLED_WRITE_BYTES,
	KTALLY_U_RSS, KTALLY_U_PEAK_RSS, KTALLY_U_VM, KTALLY_U_PEAK_VM,
	KTALLY_U_SWAP, KTALLY_U_MAXRSS,
	/* The network fields below: all of a group are measured or none. */
	KTALLY_U_NET,		/* packets, wire and device bytes by class */
	KTALLY_U_TCP_PAYLOAD,
	KTALLY_U_UDP_PAYLOAD,
};

/* Places in the arrays of KTALLY_NET_FIELDS. Classes are never added up. */
enum ktally_net {
	KTALLY_N_RX_PACKETS, KTALLY_N_RX_WIRE, KTALLY_N_RX_DEVICE,
	KTALLY_N_TX_PACKETS, KTALLY_N_TX_WIRE, KTALLY_N_TX_DEVICE,
	KTALLY_N_COUNTERS
};

#define KTALLY_NET_FIELDS(F, A, S)					\
	A(__u64, net_phys, 6)	/* devices with a parent on a bus */	\
	A(__u64, net_loop, 6)	/* loopback */				\
	A(__u64, net_virt, 6)	/* veth, tun, bridge, ... */		\
	F(__u64, tcp_rx)	/* payload bytes */			\
	F(__u64, tcp_tx)						\
	F(__u64, udp_rx)						\
	F(__u64, udp_tx)						\
	F(__u64, rx_dropped)	/* datagrams dropped at a full socket */ \
	F(__u32, net_flags)	/* KTALLY_NET_* */			\
	F(__u32, net_sockets)	/* sockets this process was last user of */

#define KTALLY_NET_SHARED	(1U << 0)	/* a socket changed hands between processes */

#define KTALLY_HEADER_FIELDS(F, A, S)					\
	F(__u32, magic)		/* KTALLY_MAGIC */			\
	F(__u32, version)	/* KTALLY_STREAM_VERSION */		\
	F(__u32, cpu)							\
	F(__u32, session)	/* number of the session since load */	\
	F(__u64, load_id)	/* CLOCK_BOOTTIME of the module's load, ns */ \
	F(__u64, first_seq)	/* 64-bit sequence of the next record */ \
	F(__u64, boottime)	/* clock pair, read together, ns */	\
	F(__u64, realtime)						\
	F(__u64, threads)	/* threads created so far, seen on this CPU */ \
	A(__u64, attempts, KTALLY_KINDS) /* records this CPU wanted to write so far: first_seq in all */ \
	A(__u64, filtered, KTALLY_KINDS) /* events refused by mask, filter or visibility */

#define KTALLY_FORMAT_FIELDS(F, A, S)					\
	F(__u32, id)		/* kind that is described */		\
	F(__u32, offset)	/* of this piece in the description */	\
	F(__u32, total)		/* length of the whole description */	\
	S(text)

#define KTALLY_INFO_FIELDS(F, A, S)					\
	F(__u64, load_id)						\
	F(__u64, features)	/* KTALLY_FEAT_* */			\
	F(__u64, mem_bytes)	/* memory of the machine */		\
	F(__u32, page_size)						\
	F(__u32, cpus)		/* possible CPUs */			\
	F(__u32, hz)		/* ticks per second: step of utime and stime */ \
	F(__u32, kinds)		/* highest kind + 1 */			\
	F(__u32, arg_bytes)	/* argv bytes kept per exec */		\
	S(release)		/* uname -r */				\
	S(machine)		/* uname -m */				\
	S(module)		/* version of the module */

#define KTALLY_FORK_FIELDS(F, A, S)					\
	KTALLY_LIFE_FIELDS(F, A, S)	/* the child's */		\
	KTALLY_OWNER_FIELDS(F, A, S)					\
	F(__u32, parent_image)						\
	F(__u32, flags)		/* KTALLY_FORK_* */

#define KTALLY_FORK_VM		(1U << 0)	/* shares the parent's memory: vfork, posix_spawn */
#define KTALLY_FORK_KTHREAD	(1U << 1)	/* a kernel thread */

#define KTALLY_EXEC_FIELDS(F, A, S)					\
	KTALLY_LIFE_FIELDS(F, A, S)	/* image: the new one's */	\
	KTALLY_OWNER_FIELDS(F, A, S)	/* comm: the new one's */	\
	KTALLY_USAGE_FIELDS(F, A, S)	/* so far; peaks: of the image that ended, rss: of the new */ \
	F(__u32, old_tid)	/* thread that called exec */		\
	F(__u32, argc)		/* with the words a #! line inserted */	\
	F(__u32, envc)							\
	F(__u32, argv_len)	/* true length of the argument block */	\
	F(__u32, argv_kept)	/* of it, bytes in this record and its args records */ \
	F(__u32, flags)		/* KTALLY_EXEC_* */			\
	S(filename)		/* as passed; for a script the script */ \
	S(interp)		/* file that was loaded; equals filename unless a script */ \
	S(argv)			/* first bytes of argv, NUL-separated as stored */ \
	F(__u32, pad)							\
	F(__u32, pipe_in)	/* number of the pipe it reads at descriptor 0; 0 = none */ \
	F(__u32, pipe_out)	/* that it writes at descriptor 1 */

#define KTALLY_EXEC_ARGV_CUT	(1U << 0)	/* argv_len > argv_kept, or pages not resident */
#define KTALLY_EXEC_ARGV_HIDDEN	(1U << 1)	/* withheld: other user's, or argv=0 */
#define KTALLY_EXEC_NAME_CUT	(1U << 2)	/* filename or interp shortened */

#define KTALLY_ARGS_FIELDS(F, A, S)					\
	KTALLY_LIFE_FIELDS(F, A, S)					\
	F(__u32, offset)	/* of data in the argument block */	\
	F(__u32, total)		/* bytes kept in all */			\
	S(data)								\
	F(__u32, flags)		/* KTALLY_EXEC_ARGV_CUT: data could not be read, zeroes instead */

#define KTALLY_THREAD_EXIT_FIELDS(F, A, S)				\
	KTALLY_LIFE_FIELDS(F, A, S)	/* of its process */		\
	F(__u32, tid)							\
	F(__u32, exit_code)	/* the thread's own */			\
	F(__u64, thread_start)	/* ns */				\
	F(__u64, utime)		/* this thread's, ns */			\
	F(__u64, stime)							\
	F(__u64, runtime)						\
	F(__u64, run_delay)						\
	A(char, comm, KTALLY_COMM_LEN)

#define KTALLY_EXIT_FIELDS(F, A, S)					\
	KTALLY_LIFE_FIELDS(F, A, S)					\
	KTALLY_OWNER_FIELDS(F, A, S)					\
	KTALLY_USAGE_FIELDS(F, A, S)					\
	KTALLY_NET_FIELDS(F, A, S)					\
	F(__u32, status)	/* as wait() sees it: code << 8 | signal | 0x80 core */ \
	F(__u32, flags)		/* KTALLY_EXIT_* */			\
	F(__u32, tid)		/* thread that ended last */		\
	F(__u32, threads)	/* threads not yet released, this one included */ \
	F(__u32, pipe_in)	/* as in exec, at its end */		\
	F(__u32, pipe_out)						\
	F(__u32, argv_len)	/* true length of the argument block; 0 unless KTALLY_SELECT_EXITS asks for it */ \
	S(argv)			/* first bytes of it, as it stood in memory at the end */

#define KTALLY_EXIT_MAYBE_DUP	(1U << 0)	/* fallback only: a second record may exist; keep the first */
#define KTALLY_EXIT_OOM		(1U << 1)	/* the OOM killer chose it; peak may be too small */
#define KTALLY_EXIT_FALLBACK	(1U << 2)	/* memory already gone: peaks are bounds or unknown */
#define KTALLY_EXIT_UNSTABLE	(1U << 3)	/* sums raced with a thread's release: bounds */
#define KTALLY_EXIT_MANY	(1U << 4)	/* more threads than were walked */
#define KTALLY_EXIT_KTHREAD	(1U << 5)
#define KTALLY_EXIT_NOEXEC	(1U << 6)	/* PF_FORKNOEXEC: never executed a program */
#define KTALLY_EXIT_ARGV_HIDDEN	(1U << 7)	/* withheld: other user's, argv=0, or its memory was gone */
#define KTALLY_EXIT_ARGV_CUT	(1U << 8)	/* argv_len is more than argv has */

#define KTALLY_TASK_FIELDS(F, A, S)					\
	KTALLY_LIFE_FIELDS(F, A, S)					\
	KTALLY_OWNER_FIELDS(F, A, S)					\
	KTALLY_USAGE_FIELDS(F, A, S)					\
	KTALLY_NET_FIELDS(F, A, S)					\
	F(__u64, sampled)	/* CLOCK_BOOTTIME of the reading, ns */	\
	F(__u32, walk)		/* number of the walk in this session */ \
	F(__u32, state)		/* letter of the leader's state, as ps shows it */ \
	F(__u32, threads)	/* threads not yet released */		\
	F(__u32, live)		/* threads that have not begun to end; 0: it is ending */ \
	F(__u32, status)	/* of a zombie: as wait() will see it */ \
	F(__u32, flags)		/* KTALLY_TASK_* */			\
	F(__u32, argv_len)						\
	S(argv)			/* as it stands in memory now; a process may rewrite it */

#define KTALLY_TASK_KTHREAD	(1U << 0)
#define KTALLY_TASK_ZOMBIE	(1U << 1)
#define KTALLY_TASK_ARGV_HIDDEN	(1U << 2)
#define KTALLY_TASK_ARGV_CUT	(1U << 3)
#define KTALLY_TASK_UNSTABLE	(1U << 4)
#define KTALLY_TASK_NOEXEC	(1U << 5)

#define KTALLY_NET_LATE_FIELDS(F, A, S)					\
	KTALLY_LIFE_FIELDS(F, A, S)					\
	KTALLY_NET_FIELDS(F, A, S)	/* cumulative, as in exit */

#define KTALLY_DEVICE_FIELDS(F, A, S)					\
	F(__u32, ifindex)						\
	F(__u32, netns)							\
	F(__u32, class)		/* 0 physical, 1 loopback, 2 virtual */	\
	F(__u32, flags)		/* KTALLY_DEVICE_* */			\
	A(char, name, 16)						\
	A(__u64, hook, 6)	/* what the hooks saw, enum ktally_net */ \
	A(__u64, dev, 4)	/* what it counted itself meanwhile: rx packets, rx bytes, tx packets, tx bytes */ \
	A(__u64, bucket, 32)	/* enum ktally_bucket, _share, _net_table or _packet, by flags */

#define KTALLY_DEVICE_CREDITED	(1U << 0)	/* packets of sockets in its namespace are credited here */
#define KTALLY_DEVICE_GONE	(1U << 1)	/* the device's last record; drivers forget some of their counters by then */
#define KTALLY_DEVICE_CLASS	(1U << 2)	/* no device: whose a class's bytes are; hook: its sockets' on all devices */
#define KTALLY_DEVICE_TABLES	(1U << 3)	/* no device: state of the module's network tables */
#define KTALLY_DEVICE_NO_RX	(1U << 4)	/* received packets are seen on the device below only */
#define KTALLY_DEVICE_KINDS	(1U << 5)	/* no device: packets of no process by kind, of a class */

/*
 * Places in the bucket array of a device: wire bytes by what became of the
 * packet, received ones from 0, sent ones from KTALLY_B_TX on. Each packet is
 * counted in exactly one bucket, so each direction adds up to its hook bytes.
 */
enum ktally_bucket {
	KTALLY_B_SOCKET,	/* a socket's: in an account, or pending */
	KTALLY_B_CARRIED,	/* not credited here: another device of its class or namespace is */
	KTALLY_B_FORWARDED,	/* routed or bridged on; received: addressed elsewhere, or to no socket where packets are forwarded */
	KTALLY_B_MULTICAST,	/* received multicast and broadcast: any number of receivers */
	KTALLY_B_AMBIGUOUS,	/* a program chooses the socket of its reuseport group */
	KTALLY_B_UNPARSED,	/* neither IPv4 nor IPv6 (ARP, ...), or unreadable */
	KTALLY_B_FRAGMENT,	/* IP fragments whose first one was not seen */
	KTALLY_B_SYN,		/* TCP: connection requests that were not taken up */
	KTALLY_B_TCP,		/* TCP: other segments without a socket */
	KTALLY_B_UDP,		/* UDP without a socket */
	KTALLY_B_ICMP,		/* ICMP that is the kernel's own business */
	KTALLY_B_OTHER,		/* other IP protocols */
	KTALLY_B_LOCAL,		/* sent by the kernel without a socket */
	KTALLY_B_LOOPED,	/* copies of own multicasts; the device does not count them */
	KTALLY_B_KINDS,
	KTALLY_B_TX = KTALLY_B_KINDS,
	/* Terms of the comparison with the device's own counters. */
	KTALLY_B_RX_SEGMENTS = 2 * KTALLY_B_KINDS, /* packets beyond one per skb */
	KTALLY_B_TX_SEGMENTS,
	KTALLY_B_TX_REFUSED,	/* wire bytes given back by the driver: in no bucket */
	KTALLY_B_RX_LOOPED_PACKETS
};

/* KTALLY_DEVICE_CLASS: bucket[4 * share + count]. The shares add up to hook. */
enum ktally_share {
	KTALLY_S_PROCESS,	/* processes, living and ended */
	KTALLY_S_KERNEL,	/* the kernel's own sockets */
	KTALLY_S_PENDING,	/* owner not known yet */
	KTALLY_S_UNOWNED,	/* the socket ended without one */
	KTALLY_S_FULL,		/* no room in the tables */
	KTALLY_S_KINDS
};

enum ktally_share_count {
	KTALLY_SC_RX_PACKETS, KTALLY_SC_RX_WIRE, KTALLY_SC_TX_PACKETS, KTALLY_SC_TX_WIRE,
	KTALLY_SC_COUNTERS
};

/* KTALLY_DEVICE_KINDS: what is told by kind, in ifindex; no record while there is none. */
enum ktally_apart {
	KTALLY_A_KERNEL,	/* the share of the kernel's own sockets */
	KTALLY_A_UNOWNED,	/* the share of sockets that ended without an owner */
	KTALLY_A_LOCAL,		/* the bucket of what the kernel sent without a socket */
	KTALLY_A_UNPARSED,	/* the bucket of what is not IP */
	KTALLY_A_KINDS
};

/* KTALLY_DEVICE_KINDS: bucket[4 * packet + enum ktally_share_count]. They add up to hook. */
enum ktally_packet {
	KTALLY_P_SYN,		/* TCP: SYN, also with ACK; requests whose connection nobody took */
	KTALLY_P_RST,
	KTALLY_P_TIME_WAIT,	/* TCP: for or to connections that are over, but RST and SYN */
	KTALLY_P_TCP,		/* TCP: all others */
	KTALLY_P_UDP,
	KTALLY_P_ICMP,		/* also IPv6's */
	KTALLY_P_OTHER,		/* other protocols */
	KTALLY_P_ARP,
	KTALLY_P_KINDS
};

/* KTALLY_DEVICE_TABLES: places in bucket. */
enum ktally_net_table {
	KTALLY_T_SOCKETS,	/* entries in use */
	KTALLY_T_SOCKETS_FULL,	/* times a socket found no room */
	KTALLY_T_SOCKETS_EVICTED, /* put out before their socket had ended */
	KTALLY_T_LEARNED,	/* times an owner was learned */
	KTALLY_T_ACCOUNTS,
	KTALLY_T_ACCOUNTS_FULL,	/* times a process found no room */
	KTALLY_T_LATE,		/* net_late records */
	KTALLY_T_FLOWS,
	KTALLY_T_FLOWS_FULL,	/* times a flow found no room */
	KTALLY_T_UDP_LOOKUPS,	/* times the kernel's table was asked */
	KTALLY_T_UDP_KPROBES,	/* 1: answers may be kept, ports are watched */
	KTALLY_T_DEVICES,
	KTALLY_T_DEVICES_FULL,
	KTALLY_T_NO_DEVICE,	/* packets on devices without a place */
	KTALLY_T_DROPPED,	/* packets the driver dropped: taken back */
	KTALLY_T_BUSY,		/* packets the driver was too busy for: taken back */
	KTALLY_T_NOT_TAKEN_BACK, /* of those, not found any more */
	KTALLY_T_TAKEN_UP,	/* connection requests credited in hindsight */
	KTALLY_T_SCANS,		/* looks into the open files of all processes */
	KTALLY_T_KINDS
};

#define KTALLY_CGROUP_FIELDS(F, A, S)					\
	F(__u64, id)							\
	F(__u32, op)		/* 0 there at start, 1 made, 2 renamed, 3 removed */ \
	S(path)

#define KTALLY_MARK_FIELDS(F, A, S)					\
	KTALLY_LIFE_FIELDS(F, A, S)	/* who set it */		\
	F(__u32, pad)							\
	S(text)

#define KTALLY_WALK_BEGIN_FIELDS(F, A, S)				\
	F(__u32, walk)		/* number in this session, from 1 */	\
	F(__u32, purpose)	/* enum ktally_purpose */		\
	F(__u32, flags)		/* KTALLY_SNAPSHOT_* */			\
	F(__u32, pad)

#define KTALLY_WALK_END_FIELDS(F, A, S)					\
	F(__u32, walk)							\
	F(__u32, purpose)						\
	F(__u64, tasks)		/* task records attempted in it */	\
	F(__u64, lost)		/* of them, not written */		\
	F(__u64, idle)		/* processes passed over: they did not run, nor were they asked for */

#define KTALLY_END_FIELDS(F, A, S)					\
	F(__u64, threads)						\
	A(__u64, attempts, KTALLY_KINDS) /* all CPUs; END itself included */ \
	A(__u64, filtered, KTALLY_KINDS)				\
	F(__u64, kp_missed)	/* ends of tasks in this session that passed the tracepoint but not the kprobe */ \
	F(__u64, disarmed)	/* not 0: the module stopped itself, what came after that is missing */ \
	F(__u64, ends)		/* processes that ended meanwhile, as the totals count: recorded, lost or filtered */ \
	F(__u64, ends_runtime)	/* these fields of what their exit records say, added up */ \
	A(__u64, ends_net, 6)	/* rx and tx wire bytes of net_phys, net_loop, net_virt */

#define KTALLY_SELECTION_FIELDS(F, A, S)					\
	F(__u32, what)		/* KTALLY_SELECT_*; 0: everything again */ \
	F(__u32, flags)		/* 0 */					\
	F(__u32, n_pids)						\
	F(__u32, n_names)						\
	F(__u32, n_uids)						\
	F(__u32, n_cgroups)						\
	F(__u64, min_life)	/* ns */				\
	F(__u32, netns)							\
	F(__u32, pidns)

enum ktally_purpose {
	KTALLY_WALK_OPENING = 1,
	KTALLY_WALK_CLOSING = 2,
	KTALLY_WALK_SNAPSHOT = 3,
};

/* The table of kinds: K(number, name, FIELD LIST). */
#define KTALLY_KIND_LIST(K)						\
	K(KTALLY_HEADER,	header,		KTALLY_HEADER_FIELDS)	\
	K(KTALLY_FORMAT,	format,		KTALLY_FORMAT_FIELDS)	\
	K(KTALLY_INFO,		info,		KTALLY_INFO_FIELDS)	\
	K(KTALLY_FORK,		fork,		KTALLY_FORK_FIELDS)	\
	K(KTALLY_EXEC,		exec,		KTALLY_EXEC_FIELDS)	\
	K(KTALLY_ARGS,		args,		KTALLY_ARGS_FIELDS)	\
	K(KTALLY_THREAD_EXIT,	thread_exit,	KTALLY_THREAD_EXIT_FIELDS) \
	K(KTALLY_EXIT,		exit,		KTALLY_EXIT_FIELDS)	\
	K(KTALLY_TASK,		task,		KTALLY_TASK_FIELDS)	\
	K(KTALLY_NET_LATE,	net_late,	KTALLY_NET_LATE_FIELDS)	\
	K(KTALLY_DEVICE,	device,		KTALLY_DEVICE_FIELDS)	\
	K(KTALLY_CGROUP,	cgroup,		KTALLY_CGROUP_FIELDS)	\
	K(KTALLY_MARK,		mark,		KTALLY_MARK_FIELDS)	\
	K(KTALLY_WALK_BEGIN,	walk_begin,	KTALLY_WALK_BEGIN_FIELDS) \
	K(KTALLY_WALK_END,	walk_end,	KTALLY_WALK_END_FIELDS)	\
	K(KTALLY_END,		end,		KTALLY_END_FIELDS)	\
	K(KTALLY_SELECTION,	selection,	KTALLY_SELECTION_FIELDS)

/* struct ktally_fork and so on: payloads, common fields first. */
#define KTALLY__F(type, name)		type name;
#define KTALLY__A(type, name, n)	type name[n];
#define KTALLY__S(name)			__u32 name;
#define KTALLY__STRUCT(number, kind, FIELDS)				\
	struct ktally_##kind {						\
		struct ktally_common common;				\
		FIELDS(KTALLY__F, KTALLY__A, KTALLY__S)			\
	};
KTALLY_KIND_LIST(KTALLY__STRUCT)

/* What this kernel gives and which way the module took. */
#define KTALLY_FEAT_EXIT_ARG	(1ULL << 0)	/* sched_process_exit has group_dead (6.16 on) */
#define KTALLY_FEAT_EXIT_KPROBE	(1ULL << 1)	/* kprobe on taskstats_exit is in use */
#define KTALLY_FEAT_EXIT_SLOTS	(1ULL << 2)	/* fallback: one claim per dying process */
#define KTALLY_FEAT_PREPARE_EXEC (1ULL << 3)	/* peaks of the image that exec ends are exact */
#define KTALLY_FEAT_CGROUP	(1ULL << 4)
#define KTALLY_FEAT_CGROUP_PATHS (1ULL << 5)	/* cgroup records: tracepoints found */
#define KTALLY_FEAT_IO		(1ULL << 6)	/* CONFIG_TASK_IO_ACCOUNTING */
#define KTALLY_FEAT_RUN_DELAY	(1ULL << 7)	/* CONFIG_SCHED_INFO */
#define KTALLY_FEAT_SLICE	(1ULL << 8)	/* the running slice can be added to runtime */
#define KTALLY_FEAT_NET		(1ULL << 9)
#define KTALLY_FEAT_SOCK_LENGTH	(1ULL << 10)	/* sock_send_length, sock_recv_length found */
#define KTALLY_FEAT_SNAPSHOT	(1ULL << 11)	/* KTALLY_IOC_SNAPSHOT */
#define KTALLY_FEAT_SELECT	(1ULL << 12)	/* KTALLY_IOC_SELECT */
#define KTALLY_FEAT_TOTALS	(1ULL << 13)	/* KTALLY_IOC_TOTALS */
#define KTALLY_FEAT_FLIGHT	(1ULL << 14)	/* KTALLY_START_FLIGHT */
#define KTALLY_FEAT_WORK	(1ULL << 15)	/* KTALLY_IOC_WORK */

/*
 * ioctls of /dev/ktally. Every struct begins with its size as the caller knows
 * it; a bigger one is refused with E2BIG unless the rest is zero, unknown flags
 * with EINVAL. One open file is one session, begun by KTALLY_IOC_START.
 */
#define KTALLY_IOC_MAGIC	0xCA

#define KTALLY_START_BOOT	(1U << 0)	/* take over the session that began at load; ENOENT if none */
/*
 * Keep the newest: a full buffer begins anew at its oldest sub-buffer. It may be read at
 * any time: a read gives the oldest sub-buffer that is whole, each one once, in order per
 * CPU; what was overwritten unread shows in the next header's attempts. Nothing is lost
 * for want of room. Not with BOOT.
 */
#define KTALLY_START_FLIGHT	(1U << 1)

#define KTALLY_FILTER_UID	(1U << 0)
#define KTALLY_FILTER_CGROUP	(1U << 1)
#define KTALLY_FILTER_PIDNS	(1U << 2)
#define KTALLY_FILTER_NETNS	(1U << 3)

struct ktally_start {
	__u32 size;
	__u32 flags;		/* KTALLY_START_* */
	__u64 kinds;		/* mask by kind; 0 = all. header, format, info, walk_*, end are always there */
	__u32 buffer_kb;	/* all CPUs together; 0 = the module's default */
	__u32 subbuf_kb;	/* 0 = default */
	__u32 filter;		/* KTALLY_FILTER_*: all named must match */
	__u32 uid;
	__u64 cgroup;
	__u32 pidns;
	__u32 netns;
	/* out */
	__u32 api;		/* KTALLY_API_VERSION */
	__u32 session;
	__u32 cpus;		/* CPU numbers are below this */
	__u32 subbuf_size;	/* bytes; what a read must offer */
	__u32 subbufs;		/* per CPU */
	__u32 pad;
	__u64 load_id;
};

struct ktally_walk {
	__u32 size;
	__u32 purpose;		/* enum ktally_purpose */
	__u32 cursor;		/* in/out: 0 begins; hand back what came out; 0 when done */
	__u32 walk;		/* out: its number */
	__u64 ran_since;	/* SNAPSHOT: only processes that used CPU since; 0 = all (not in API 1) */
	__u32 written;		/* out: records this call wrote */
	__u32 lost;		/* out: records this call could not write */
};

struct ktally_mark_arg {
	__u32 size;
	__u32 len;		/* 1 to KTALLY_MARK_MAX */
	__u64 text;		/* user pointer */
};

/* Counters of this file's session, all CPUs. */
struct ktally_counts {
	__u32 size;
	__u32 cpus;		/* generation: grows when a CPU comes up with a new buffer */
	__u64 attempts[KTALLY_KINDS];
	__u64 lost[KTALLY_KINDS];
	__u64 filtered[KTALLY_KINDS];
	__u64 threads;
};

struct ktally_session_status {
	__u32 session;		/* 0: the place is free, or taken by another PID namespace */
	__u32 boot;		/* 1: began at load and not taken over yet */
	__u32 tgid;		/* of the opener; 0: it began at load */
	__u32 buffer_kb;
	__u64 started;		/* CLOCK_BOOTTIME, ns */
	__u64 attempts;		/* all kinds */
	__u64 lost;
	__u64 filtered;
};

struct ktally_status {
	__u32 size;
	__u32 api;
	__u64 load_id;
	__u64 features;		/* KTALLY_FEAT_* */
	__u64 kp_hits;		/* ends seen by the kprobe; told in the initial PID namespace only */
	__u64 tp_hits;		/* ends seen by the tracepoint; as well */
	__u64 kp_missed;	/* ends the kprobe missed; watch it with FEAT_EXIT_KPROBE */
	__u64 disarmed;		/* inner inconsistencies; not 0: the module stopped itself */
	__u32 buffer_kb;	/* default of a session */
	__u32 arg_bytes;
	__u32 argv;		/* 1: argv is recorded */
	__u32 pad;
	char version[16];
	struct ktally_session_status sessions[KTALLY_SESSIONS];
};

/*
 * A look at the living, for views that refresh. Without RAN and PIDS: all of them.
 *
 * RAN: those that ran since this session's last walk or snapshot over all, that is:
 * one of their threads, ended ones included, was on a CPU or waits for one, or a
 * packet of theirs was counted. A record tells everything up to its own time, so
 * what is passed over has still the figures of its last record; only its memory may
 * have changed from outside, by reclaim or another process. Records that found no
 * room are not lost: the call comes back early, the cursor goes on there.
 */
struct ktally_snapshot {
	__u32 size;
	__u32 flags;		/* KTALLY_SNAPSHOT_* */
	__u32 cursor;		/* in/out: 0 begins; hand back what came out; 0 when done */
	__u32 n_pids;		/* at most KTALLY_SELECT_MAX; the same in each call of a snapshot */
	__u64 pids;		/* user pointer to __u32: tgids as records have them */
	/* out */
	__u32 walk;		/* its number: task, walk_begin and walk_end carry it */
	__u32 written;		/* records this call wrote */
	__u32 idle;		/* processes this call passed over */
	__u32 pad;
};

#define KTALLY_SNAPSHOT_RAN	(1U << 0)	/* who ran since the last one */
#define KTALLY_SNAPSHOT_PIDS	(1U << 1)	/* those in the list; with RAN: as well */
#define KTALLY_SNAPSHOT_NO_ARGV	(1U << 2)	/* leave argv out (exec tells it): a third of the cost */
/*
 * No device records; and bytes that came after ends are told by the module's own time, within
 * two seconds, and not at once.
 */
#define KTALLY_SNAPSHOT_NO_DEVICES (1U << 3)

/*
 * Which processes the session records; before START or at any time. A process that
 * was once selected stays so until it ends, therefore its exit record is there.
 * Lists add up in themselves, everything named narrows: (PID or name) and user and
 * cgroup and namespace. What is refused is counted in `filtered`, by kind.
 */
struct ktally_select {
	__u32 size;
	__u32 what;		/* KTALLY_SELECT_*; 0: everything again */
	__u32 n_pids, n_names, n_uids, n_cgroups;
	__u64 pids;		/* user pointer to __u32: as the opener's PID namespace has them */
	__u64 names;		/* user pointer to char[KTALLY_NAME_MAX], NUL ended: *, ?, [...] */
	__u64 uids;		/* user pointer to __u32 */
	__u64 cgroups;		/* user pointer to __u64: these and those below */
	__u64 min_life;		/* ns */
	__u32 netns, pidns;	/* inode numbers */
};

#define KTALLY_SELECT_PIDS	(1U << 0)	/* processes of pids */
#define KTALLY_SELECT_NAMES	(1U << 1)	/* processes that bear or ever bore a name of names: comm, or base name of the file */
#define KTALLY_SELECT_TREE	(1U << 2)	/* with these two: and all they start, directly or not */
#define KTALLY_SELECT_UIDS	(1U << 3)	/* real user ids */
#define KTALLY_SELECT_CGROUPS	(1U << 4)
#define KTALLY_SELECT_NETNS	(1U << 5)
#define KTALLY_SELECT_PIDNS	(1U << 6)
#define KTALLY_SELECT_EXITS	(1U << 7)	/* of processes exit records only, with argv; run_delay unknown */
#define KTALLY_SELECT_MIN_LIFE	(1U << 8)	/* with EXITS: of those that lived so long */

/*
 * Sums since load or the last reset: what ended, by program, user and cgroup, and
 * what lives now, by the same keys. Needs no session and loses nothing with one.
 */
struct ktally_totals_row {
	__u64 cgroup;		/* as in records; of a removed one: its nearest living ancestor */
	__u32 uid;		/* real, at the end */
	__u32 flags;		/* KTALLY_TOTALS_* */
	char program[KTALLY_COMM_LEN]; /* comm at the end; of a kernel thread up to the / */
	__u64 processes;
	__u64 failed;		/* ended with a status other than 0 */
	__u64 life;		/* ns they lived, all together; from before load too */
	__u64 utime, stime, runtime;
	__u64 nvcsw, nivcsw, minflt, majflt;
	__u64 rchar, wchar, syscr, syscw, read_bytes, write_bytes, cancelled_write_bytes;
	__u64 peak_rss;		/* largest of one process */
	__u64 rss;		/* ALIVE: now */
	__u64 net_phys[KTALLY_N_COUNTERS], net_loop[KTALLY_N_COUNTERS], net_virt[KTALLY_N_COUNTERS];
	__u64 tcp_rx, tcp_tx, udp_rx, udp_tx, rx_dropped;
};

#define KTALLY_TOTALS_ALIVE	(1U << 0)	/* of those that live now */
#define KTALLY_TOTALS_OTHER	(1U << 1)	/* all keys that found no place in the table */

struct ktally_totals {
	__u32 size;
	__u32 row_size;		/* bytes of a row as the caller knows it */
	__u32 room;		/* rows that fit; ENOSPC: fewer than `rows_max`, which is told */
	__u32 pad;
	__u64 rows;		/* user pointer */
	/* out */
	__u32 n;		/* rows written */
	__u32 rows_max;
	__u64 known;		/* bits of enum ktally_usage that are measured here */
	__u64 since, until;	/* BOOTTIME: load or reset, and this reading; ns */
	__u64 ends;		/* processes in rows that are not ALIVE */
	__u64 others;		/* of them, in OTHER */
	__u64 alive;
	__u64 folded;		/* rows given to an ancestor of a removed cgroup so far */
	__u64 twice;		/* ends not added: KTALLY_EXIT_MAYBE_DUP */
	__u64 kp_missed;	/* ends that no hook saw: missing here */
};

/* What the module itself had to do since load: times what each costs, that is its price. */
struct ktally_work {
	__u32 size;
	__u32 pad;
	/* out */
	__u64 until;		/* this reading, BOOTTIME ns; it began at load_id */
	__u64 attempts[KTALLY_KINDS]; /* records of all sessions, also of those that are over */
	__u64 ends;		/* tasks that ended */
	__u64 received, sent;	/* packets at the hooks; one of many segments is one */
};

/* One hook of the module: how often it was called, and how long that took. */
#define KTALLY_TOOK	32
struct ktally_hook_time {
	char name[32];
	__u64 calls;
	__u64 sum, most;	/* ns, without those of the clock */
	__u64 took[KTALLY_TOOK]; /* calls below 1, 2, 4, 8 ... ns; in the last one all others */
};

/*
 * How long the hooks take: with BEGIN callbacks that read the clock are attached around
 * each, until the file is closed; then what they have counted so far. Kretprobes at UDP
 * ports are not timed.
 */
struct ktally_timing {
	__u32 size;
	__u32 flags;		/* KTALLY_TIMING_BEGIN */
	__u32 hook_size;	/* sizeof(struct ktally_hook_time) */
	__u32 room;		/* hooks that fit */
	__u64 hooks;		/* user pointer */
	/* out */
	__u32 n;		/* hooks written */
	__u32 clock_ns;		/* what reading the clock takes: has been taken off each call */
	__u64 since, until;	/* BOOTTIME, ns */
};

#define KTALLY_TIMING_BEGIN	(1U << 0)

/*
 * Begin the session: descriptions and info are its first records. EBUSY: already
 * begun; EUSERS: no place free; ENOBUFS: all sessions' buffers would pass max_kb;
 * ESHUTDOWN: the module has stopped itself (ktally_status.disarmed).
 * With KTALLY_START_BOOT kinds, filter and sizes are those of the load; EPERM:
 * needs CAP_PERFMON in the initial PID namespace.
 */
#define KTALLY_IOC_START	_IOWR(KTALLY_IOC_MAGIC, 1, struct ktally_start)
/* Descriptor of one CPU's buffer (argument: the CPU). ENODEV: that CPU has none yet. A read returns one finished sub-buffer. */
#define KTALLY_IOC_CPU		_IO(KTALLY_IOC_MAGIC, 2)
/* Write records of living processes, a piece per call; drain and call again while cursor is not 0. EAGAIN: no room, drain first. */
#define KTALLY_IOC_WALK		_IOWR(KTALLY_IOC_MAGIC, 3, struct ktally_walk)
/*
 * Finish the begun sub-buffer of every CPU that holds records. EAGAIN: a CPU has half
 * of its sub-buffers finished and unread and was left out, drain and call again.
 */
#define KTALLY_IOC_FLUSH	_IO(KTALLY_IOC_MAGIC, 4)
/* Write `end` and stop recording. EAGAIN: no room, drain first. */
#define KTALLY_IOC_END		_IO(KTALLY_IOC_MAGIC, 5)
/* A named point in the streams of all sessions that may see the caller. */
#define KTALLY_IOC_MARK		_IOW(KTALLY_IOC_MAGIC, 6, struct ktally_mark_arg)
#define KTALLY_IOC_COUNTS	_IOWR(KTALLY_IOC_MAGIC, 7, struct ktally_counts)
/* State of the module; needs no session. */
#define KTALLY_IOC_STATUS	_IOWR(KTALLY_IOC_MAGIC, 8, struct ktally_status)
/* Task records of the living, a piece per call, as WALK. EAGAIN: no room, drain first. */
#define KTALLY_IOC_SNAPSHOT	_IOWR(KTALLY_IOC_MAGIC, 9, struct ktally_snapshot)
/* What the session is about. ESRCH: a PID of pids is not there; ENOMEM: half a MiB per list and session is needed. */
#define KTALLY_IOC_SELECT	_IOW(KTALLY_IOC_MAGIC, 10, struct ktally_select)
/* The sums; needs no session. EPERM: not in the initial PID namespace. EOPNOTSUPP: totals_rows=0. */
#define KTALLY_IOC_TOTALS	_IOWR(KTALLY_IOC_MAGIC, 11, struct ktally_totals)
/* They begin anew. EPERM: needs CAP_SYS_ADMIN. */
#define KTALLY_IOC_TOTALS_RESET	_IO(KTALLY_IOC_MAGIC, 12)
/* EPERM: not in the initial PID namespace. */
#define KTALLY_IOC_WORK		_IOWR(KTALLY_IOC_MAGIC, 13, struct ktally_work)
/* EPERM: needs CAP_SYS_ADMIN; EBUSY: another file has it begun; EINVAL: this one has not. */
#define KTALLY_IOC_TIMING	_IOWR(KTALLY_IOC_MAGIC, 14, struct ktally_timing)

#endif /* _UAPI_LINUX_KTALLY_H */
