// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * field.c - the one table of everything that can be said of a life, by name, unit and
 * the way it adds up. Every format, heading and help text is made from it; the values
 * come from the functions of getter.h.
 */
#include <string.h>

#include "getter.h"

#define NET_AT(class, counter) \
	(offsetof(struct ktally_traffic, net_##class) / 8 + KTALLY_N_##counter)
#define NET(prefix, heading, class, what) \
	{ prefix "rx_packets", heading "RXP", "packets received over " what, KTALLY_COUNT, KTALLY_SUM, 8, get_traffic, NET_AT(class, RX_PACKETS) }, \
	{ prefix "rx_wire_bytes", heading "RX", "bytes received over " what ", headers and segments included", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, NET_AT(class, RX_WIRE) }, \
	{ prefix "tx_packets", heading "TXP", "packets sent over " what, KTALLY_COUNT, KTALLY_SUM, 8, get_traffic, NET_AT(class, TX_PACKETS) }, \
	{ prefix "tx_wire_bytes", heading "TX", "bytes sent over " what ", headers and segments included", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, NET_AT(class, TX_WIRE) }
#define NET_DEVICE(prefix, heading, class, what) \
	{ prefix "rx_device_bytes", heading "RXDEV", "bytes received over " what ", as drivers count", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, NET_AT(class, RX_DEVICE) }, \
	{ prefix "tx_device_bytes", heading "TXDEV", "bytes sent over " what ", as drivers count", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, NET_AT(class, TX_DEVICE) }

/* name, title, help, unit, sum, width, get, arg. Columns are only ever appended. */
static const struct ktally_field fields[] = {
	{ "pid", "PID", "process ID in the initial PID namespace", KTALLY_ID, KTALLY_SAME, 7, get_pid, 0 },
	{ "ppid", "PPID", "process ID of the parent it was born to", KTALLY_ID, KTALLY_SAME, 7, get_ppid, 0 },
	{ "uid", "UID", "real user ID", KTALLY_ID, KTALLY_SAME, 5, get_owner, KTALLY_HAS_uid },
	{ "user", "USER", "real user by name", KTALLY_TEXT, KTALLY_SAME, -8, get_user, 0 },
	{ "gid", "GID", "real group ID", KTALLY_ID, KTALLY_SAME, 5, get_owner, KTALLY_HAS_gid },
	{ "start_ns", "START", "when it was forked", KTALLY_TIME, KTALLY_MIN, 9, get_start, 0 },
	{ "end_ns", "END", "when its last thread ended", KTALLY_TIME, KTALLY_MAX, 9, get_end, 0 },
	{ "life_ns", "TIME", "from fork to end, or as long as it was seen", KTALLY_NS, KTALLY_SUM, 10, get_life, 0 },
	{ "cpu_ns", "CPU", "time on a CPU, all threads", KTALLY_NS, KTALLY_SUM, 9, get_cpu, 0 },
	{ "cpu_user_ns", "USER-CPU", "of it in user mode", KTALLY_NS, KTALLY_SUM, 9, get_cpu_part, KTALLY_U_UTIME },
	{ "cpu_sys_ns", "SYS-CPU", "of it in the kernel", KTALLY_NS, KTALLY_SUM, 9, get_cpu_part, KTALLY_U_STIME },
	{ "run_delay_ns", "DELAY", "ready to run but waiting for a CPU, all threads", KTALLY_NS, KTALLY_SUM, 9, get_run_delay, 0 },
	{ "rss_bytes", "RSS", "resident memory now or at the end", KTALLY_BYTES, KTALLY_BOUND, 7, get_use, KTALLY_U_RSS },
	{ "peak_rss_bytes", "PEAK", "most resident memory of its last program (VmHWM)", KTALLY_BYTES, KTALLY_MAX, 7, get_use, KTALLY_U_PEAK_RSS },
	{ "vm_bytes", "VM", "address space now or at the end", KTALLY_BYTES, KTALLY_BOUND, 7, get_use, KTALLY_U_VM },
	{ "peak_vm_bytes", "PEAKVM", "largest address space of its last program (VmPeak)", KTALLY_BYTES, KTALLY_MAX, 7, get_use, KTALLY_U_PEAK_VM },
	{ "swap_bytes", "SWAP", "swapped out now or at the end", KTALLY_BYTES, KTALLY_SUM, 7, get_use, KTALLY_U_SWAP },
	{ "maxrss_bytes", "MAXRSS", "most resident memory over all programs, as wait4() tells", KTALLY_BYTES, KTALLY_MAX, 7, get_use, KTALLY_U_MAXRSS },
	{ "minflt", "MINFLT", "page faults without I/O", KTALLY_COUNT, KTALLY_SUM, 8, get_use, KTALLY_U_MINFLT },
	{ "majflt", "MAJFLT", "page faults with I/O", KTALLY_COUNT, KTALLY_SUM, 7, get_use, KTALLY_U_MAJFLT },
	{ "nvcsw", "CSW", "voluntary context switches", KTALLY_COUNT, KTALLY_SUM, 8, get_use, KTALLY_U_NVCSW },
	{ "nivcsw", "ICSW", "involuntary context switches", KTALLY_COUNT, KTALLY_SUM, 8, get_use, KTALLY_U_NIVCSW },
	{ "read_bytes", "READ", "bytes fetched from storage", KTALLY_BYTES, KTALLY_SUM, 7, get_use, KTALLY_U_READ_BYTES },
	{ "write_bytes", "WRITE", "bytes sent to storage", KTALLY_BYTES, KTALLY_SUM, 7, get_use, KTALLY_U_WRITE_BYTES },
	{ "cancelled_write_bytes", "CANCEL", "bytes of it that never had to be written", KTALLY_BYTES, KTALLY_SUM, 7, get_use, KTALLY_U_CANCELLED_WRITE_BYTES },
	{ "rchar_bytes", "RCHAR", "bytes through read calls", KTALLY_BYTES, KTALLY_SUM, 7, get_use, KTALLY_U_RCHAR },
	{ "wchar_bytes", "WCHAR", "bytes through write calls", KTALLY_BYTES, KTALLY_SUM, 7, get_use, KTALLY_U_WCHAR },
	{ "read_calls", "SYSCR", "read calls", KTALLY_COUNT, KTALLY_SUM, 8, get_use, KTALLY_U_SYSCR },
	{ "write_calls", "SYSCW", "write calls", KTALLY_COUNT, KTALLY_SUM, 8, get_use, KTALLY_U_SYSCW },
	NET("", "", phys, "physical devices"),
	NET("loop_", "LO-", loop, "loopback"),
	NET("virt_", "V-", virt, "virtual devices"),
	{ "tcp_rx_bytes", "TCPRX", "TCP payload received", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, offsetof(struct ktally_traffic, tcp_rx) / 8 },
	{ "tcp_tx_bytes", "TCPTX", "TCP payload sent", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, offsetof(struct ktally_traffic, tcp_tx) / 8 },
	{ "udp_rx_bytes", "UDPRX", "UDP payload received", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, offsetof(struct ktally_traffic, udp_rx) / 8 },
	{ "udp_tx_bytes", "UDPTX", "UDP payload sent", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, offsetof(struct ktally_traffic, udp_tx) / 8 },
	{ "rx_dropped", "RXDROP", "datagrams dropped at a full socket", KTALLY_COUNT, KTALLY_SUM, 7, get_traffic, offsetof(struct ktally_traffic, rx_dropped) / 8 },
	{ "status", "EXIT", "how it ended", KTALLY_STATUS, KTALLY_SAME, 5, get_status, WHOLE_STATUS },
	{ "exit_code", "CODE", "exit code, unknown if a signal ended it", KTALLY_ID, KTALLY_SAME, 4, get_status, EXIT_CODE },
	{ "exit_signal", "SIGNAL", "signal that ended it", KTALLY_ID, KTALLY_SAME, 6, get_status, EXIT_SIGNAL },
	{ "core_dumped", "CORE", "1: it left a core dump", KTALLY_BOOL, KTALLY_SUM, 4, get_status, CORE_DUMPED },
	{ "failed", "FAILED", "1: it ended with another status than 0", KTALLY_BOOL, KTALLY_SUM, 6, get_status, FAILED },
	{ "state", "STATE", "running, ended, end unseen, end lost or end unknown", KTALLY_TEXT, KTALLY_SAME, -11, get_state, 0 },
	{ "comm", "COMM", "name of the main thread, the newest", KTALLY_TEXT, KTALLY_SAME, -15, get_comm, 0 },
	{ "program", "PROGRAM", "name of its last program, or of its parent's if it executed none", KTALLY_TEXT, KTALLY_SAME, -16, get_program, 0 },
	{ "exe", "EXE", "file that was loaded; of a script the interpreter", KTALLY_TEXT, KTALLY_SAME, -24, get_exe, 0 },
	{ "filename", "FILE", "file that was executed; of a script the script", KTALLY_TEXT, KTALLY_SAME, -24, get_filename, 0 },
	{ "argv", "COMMAND", "exact command line of its last program, or of its parent's", KTALLY_ARGV, KTALLY_SAME, 0, get_argv, 0 },
	{ "cgroup", "CGROUP", "path of its control group", KTALLY_TEXT, KTALLY_SAME, -24, get_place, PLACE_PATH },
	{ "cgroup_id", "CGROUPID", "number of its control group", KTALLY_ID, KTALLY_SAME, 8, get_owner, KTALLY_HAS_cgroup },
	{ "unit", "UNIT", "systemd unit; empty if none", KTALLY_TEXT, KTALLY_SAME, -20, get_place, PLACE_UNIT },
	{ "container", "CONTAINER", "container; empty if none", KTALLY_TEXT, KTALLY_SAME, -12, get_place, PLACE_CONTAINER },
	{ "netns", "NETNS", "network namespace", KTALLY_ID, KTALLY_SAME, 10, get_owner, KTALLY_HAS_netns },
	{ "pidns", "PIDNS", "PID namespace", KTALLY_ID, KTALLY_SAME, 10, get_owner, KTALLY_HAS_pidns },
	{ "nspid", "NSPID", "process ID in its own PID namespace", KTALLY_ID, KTALLY_SAME, 7, get_owner, KTALLY_HAS_nspid },
	{ "sid", "SID", "session leader", KTALLY_ID, KTALLY_SAME, 7, get_owner, KTALLY_HAS_sid },
	{ "pgrp", "PGRP", "process group leader", KTALLY_ID, KTALLY_SAME, 7, get_owner, KTALLY_HAS_pgrp },
	{ "image", "IMAGE", "number of its last program since the boot's first fork", KTALLY_ID, KTALLY_SAME, 5, get_image, 0 },
	{ "execs", "EXECS", "programs it executed", KTALLY_COUNT, KTALLY_SUM, 5, get_execs, 0 },
	{ "count", "PROCS", "processes", KTALLY_COUNT, KTALLY_SUM, 6, get_count, 0 },
	{ "threads", "THREADS", "threads of a running process", KTALLY_COUNT, KTALLY_SUM, 7, get_threads, 0 },
	{ "threads_ended", "THRENDED", "threads that ended before the process did", KTALLY_COUNT, KTALLY_SUM, 8, get_threads_ended, 0 },
	{ "kthread", "KTHREAD", "1: a kernel thread", KTALLY_BOOL, KTALLY_SUM, 7, get_kthread, 0 },
	{ "partial", "PARTIAL", "1: began before the recording, or something of it is lost", KTALLY_BOOL, KTALLY_SUM, 7, get_partial, 0 },
	{ "flags", "FLAGS", "what its figures are worth: oom, fallback, unstable, many-threads; shared: a socket changed hands", KTALLY_TEXT, KTALLY_SAME, -12, get_flags, 0 },
	{ "argc", "ARGC", "words of its command line, those of a #! line included", KTALLY_COUNT, KTALLY_SAME, 5, get_argv_facts, ARGV_WORDS },
	{ "argv_bytes", "ARGBYTES", "true length of its command line, a NUL behind each word", KTALLY_BYTES, KTALLY_SAME, 8, get_argv_facts, ARGV_TRUE_BYTES },
	{ "argv_cut", "ARGCUT", "1: argv is not all of it", KTALLY_BOOL, KTALLY_SUM, 6, get_argv_facts, ARGV_IS_CUT },
	{ "parent_start_ns", "PARENTSTART", "when that parent was forked: with ppid it names the parent", KTALLY_TIME, KTALLY_SAME, 11, get_parent_start, 0 },
	NET_DEVICE("", "", phys, "physical devices"),
	NET_DEVICE("loop_", "LO-", loop, "loopback"),
	NET_DEVICE("virt_", "V-", virt, "virtual devices"),
	{ "rx_payload_bytes", "RXPAY", "payload received, TCP and UDP", KTALLY_BYTES, KTALLY_SUM, 8, get_payload, PAYLOAD_RX },
	{ "tx_payload_bytes", "TXPAY", "payload sent, TCP and UDP", KTALLY_BYTES, KTALLY_SUM, 8, get_payload, PAYLOAD_TX },
};

size_t ktally_fields(const struct ktally_field **out)
{
	*out = fields;
	return sizeof(fields) / sizeof(fields[0]);
}

const struct ktally_field *ktally_field_find(const char *name)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	return NULL;
}

struct ktally_value ktally_field_value(const struct ktally_field *f, const struct ktally_life *l,
				       struct ktally_field_ctx *c)
{
	return f->get(f, l, c);
}

const char *ktally_unit_name(enum ktally_unit unit)
{
	static const char *const names[] = {
		[KTALLY_NONE] = "", [KTALLY_ID] = "id", [KTALLY_NS] = "ns", [KTALLY_TIME] = "time",
		[KTALLY_BYTES] = "bytes", [KTALLY_COUNT] = "count", [KTALLY_PERCENT] = "percent",
		[KTALLY_STATUS] = "status", [KTALLY_BOOL] = "bool", [KTALLY_TEXT] = "text",
		[KTALLY_ARGV] = "argv", [KTALLY_NUMBERS] = "numbers",
	};

	return names[unit];
}

const char *ktally_sum_name(enum ktally_sum sum)
{
	static const char *const names[] = {
		[KTALLY_SUM] = "sum", [KTALLY_MAX] = "max", [KTALLY_MIN] = "min",
		[KTALLY_BOUND] = "bound", [KTALLY_SAME] = "same",
	};

	return names[sum];
}
