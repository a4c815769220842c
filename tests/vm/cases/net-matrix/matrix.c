// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * matrix on|off - every protocol, family, link and size once, each by two processes
 * of its own, one after the other. The word says what the devices' offloads are: big
 * UDP calls are cut by the device if on, by IP fragments if off. Each end prints what
 * both ends must have had: nothing is lost on these links.
 */
#include "xfer.h"

static const struct link {
	const char *name, *send_from, *receive_in, *address[2];
	int mtu;
} links[] = {
	{ "lo", "A", "A", { "127.0.0.1", "::1" }, 65536 },
	{ "veth", "A", "B", { "10.9.1.2", "fd00:1::2" }, 1500 },
	{ "bridge", "A", "H", { "10.9.2.2", "fd00:2::2" }, 1500 },
	{ "vlan", "A", "B", { "10.9.3.2", "fd00:3::2" }, 1500 },
};

static const struct size {
	const char *name;
	long count, size, udp_size[2];	/* udp: offload off, on */
} sizes[] = {
	{ "1", 60, 1, { 1, 1 } },
	{ "1400", 60, 1400, { 1400, 1400 } },
	{ "64k", 16, 65536, { 65507, 45 * 1400 } },
};

struct end {
	char role[64];
	struct xfer x;
	pid_t pid;
	int told[2];		/* the cost, from the process */
	struct xfer_cost cost;
};

static void enter(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	need(fd >= 0 && setns(fd, CLONE_NEWNET) == 0, path);
	close(fd);
}

static void tell(const struct end *e, const struct xfer_cost *c)
{
	need(write(e->told[1], c, sizeof(*c)) == sizeof(*c), "tell");
	_exit(0);
}

static void start_receiver(struct end *e, const struct link *l, int ready)
{
	e->pid = fork();
	if (e->pid == 0) {
		struct xfer_cost c;
		int s;

		set_name("receives");
		enter(l->receive_in);
		s = xfer_ready(&e->x);
		need(write(ready, "", 1) == 1, "ready");
		c = xfer_receive(&e->x, s);
		tell(e, &c);
	}
}

static void start_sender(struct end *e, const struct link *l)
{
	e->pid = fork();
	if (e->pid == 0) {
		struct xfer_cost c;

		set_name("sends");
		enter(l->send_from);
		c = xfer_send(&e->x);
		tell(e, &c);
	}
}

static void finish(struct end *e)
{
	int st;

	close(e->told[1]);
	need(read(e->told[0], &e->cost, sizeof(e->cost)) == sizeof(e->cost), e->role);
	need(waitpid(e->pid, &st, 0) == e->pid && code_of(st) == 0, e->role);
	close(e->told[0]);
}

static void print(const struct end *e, const struct xfer_cost *other)
{
	const struct xfer_cost *c = &e->cost;
	const bool tcp = e->x.stream;

	truth("role=%s pid=%d tcp_tx=%lld tcp_rx=%lld udp_tx=%lld udp_rx=%lld packets_tx=%ld packets_rx=%ld wire_tx=%lld wire_rx=%lld",
	      e->role, e->pid, tcp ? c->tx : 0, tcp ? c->rx : 0, tcp ? 0 : c->tx, tcp ? 0 : c->rx,
	      c->packets_tx, other->packets_tx, c->wire_tx, other->wire_tx);
}

static void transfer(const struct link *l, const struct size *z, bool tcp, bool v6, bool offload)
{
	static int port = 2000;
	const char *protocol = tcp ? "tcp" : !strcmp(z->name, "64k") && offload ? "udp-gso" : "udp";
	const long size = tcp ? z->size : z->udp_size[offload];
	struct end ends[2];
	int ready[2];
	char c;

	port++;
	need(pipe(ready) == 0, "pipe");
	for (int i = 0; i < 2; i++) {
		struct end *e = &ends[i];

		snprintf(e->role, sizeof(e->role), "%s-%s-%s%c-%s-%s", i ? "send" : "recv", l->name,
			 tcp ? "tcp" : "udp", v6 ? '6' : '4', z->name, offload ? "on" : "off");
		xfer_init(&e->x, e->role, protocol, l->address[v6], port, z->count, size);
		e->x.mtu = l->mtu;
		need(pipe(e->told) == 0, "pipe");
	}
	start_receiver(&ends[0], l, ready[1]);
	need(read(ready[0], &c, 1) == 1, "receiver is ready");
	start_sender(&ends[1], l);
	finish(&ends[1]);
	finish(&ends[0]);
	print(&ends[0], &ends[1].cost);
	print(&ends[1], &ends[0].cost);
	close(ready[0]);
	close(ready[1]);
}

int main(int argc, char **argv)
{
	const bool offload = argc > 1 && !strcmp(argv[1], "on");

	for (size_t l = 0; l < sizeof(links) / sizeof(*links); l++)
		for (size_t z = 0; z < sizeof(sizes) / sizeof(*sizes); z++)
			for (int k = 0; k < 4; k++)
				transfer(&links[l], &sizes[z], k & 1, k & 2, offload);
	return 0;
}
