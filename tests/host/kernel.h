/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h - as much of a kernel as kmod/channel*.c stand on, for the
 * host: a CPU is a thread, an interrupt a call it takes when it allows interrupts again.
 * relay behaves as its documentation says. Only t_ring.c includes it.
 */
#ifndef KTALLY_TEST_KERNEL_H
#define KTALLY_TEST_KERNEL_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/types.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef unsigned int umode_t, __poll_t;
#define __user
#define __percpu
#define __maybe_unused	__attribute__((unused))
#define likely(x)	(x)
#define unlikely(x)	(x)
#define min_t(T, a, b)	((T)(a) < (T)(b) ? (T)(a) : (T)(b))
#define container_of(p, T, m) ((T *)((char *)(p) - offsetof(T, m)))
#define static_assert	_Static_assert
#define ERESTARTSYS	512
#define EPOLLIN		1
#define EPOLLRDNORM	2
#define EPOLLHUP	4

#define data_race(expr) (expr)
#define READ_ONCE(x)	__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)

#define GFP_KERNEL	0
#define kzalloc(n, flags) calloc(1, n)
#define kfree		free

/* ---- CPUs ---- */

#define CPUS		3

struct call {
	void (*fn)(void *arg);
	void *arg;
};

static __thread unsigned int this_cpu;
static __thread int irqs_off;
static struct call *calls[CPUS];	/* what the CPU is asked to run */
static const unsigned int nr_cpu_ids = CPUS;

static struct task { int pid; } some_task, *current = &some_task;

static void take_interrupt(void)
{
	struct call *c = __atomic_load_n(&calls[this_cpu], __ATOMIC_ACQUIRE);

	if (!c || irqs_off)
		return;
	irqs_off = 1;
	c->fn(c->arg);
	irqs_off = 0;
	__atomic_store_n(&calls[this_cpu], NULL, __ATOMIC_RELEASE);
}

static int irqs_disable(void)
{
	int before = irqs_off;

	irqs_off = 1;
	return before;
}

#define local_irq_save(flags) ((flags) = (unsigned long)irqs_disable())
#define local_irq_restore(flags) (irqs_off = (int)(flags), take_interrupt())

/* Callers take turns: channel.c calls under a mutex. */
static int smp_call_function_single(unsigned int cpu, void (*fn)(void *), void *arg, int wait)
{
	struct call c = { fn, arg };

	(void)wait;
	__atomic_store_n(&calls[cpu], &c, __ATOMIC_RELEASE);
	while (__atomic_load_n(&calls[cpu], __ATOMIC_ACQUIRE))
		sched_yield();
	return 0;
}

#define cpu_online(cpu)		true
#define cpu_possible(cpu)	true
#define cpus_read_lock()	((void)0)
#define cpus_read_unlock()	((void)0)
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < CPUS; (cpu)++)
#define alloc_percpu(T)		((T *)calloc(CPUS, sizeof(T)))
#define free_percpu		free
#define per_cpu_ptr(p, cpu)	(&(p)[cpu])
#define this_cpu_ptr(p)		(&(p)[this_cpu])

/* ---- locks, waiting, time ---- */

struct mutex { pthread_mutex_t lock; };
#define mutex_init(m)		pthread_mutex_init(&(m)->lock, NULL)
#define mutex_lock(m)		pthread_mutex_lock(&(m)->lock)
#define mutex_unlock(m)		pthread_mutex_unlock(&(m)->lock)
#define mutex_lock_interruptible(m) pthread_mutex_lock(&(m)->lock)

struct u64_stats_sync { char none; };
#define u64_stats_init(s)	((void)(s))
#define u64_stats_update_begin(s) ((void)(s))
#define u64_stats_update_end(s)	((void)(s))
#define u64_stats_fetch_begin(s) ((void)(s), 0)
#define u64_stats_fetch_retry(s, start) ((void)(start), 0)

typedef struct { char none; } wait_queue_head_t;
struct irq_work { void (*fn)(struct irq_work *); };
#define init_waitqueue_head(w)	((void)(w))
#define init_irq_work(w, f)	((w)->fn = (f))
#define irq_work_queue(w)	((w)->fn(w))
#define irq_work_sync(w)	((void)(w))
#define wq_has_sleeper(w)	((void)(w), false)
#define wake_up_interruptible_all(w) ((void)(w))
#define wait_event_interruptible(w, cond) ({ while (!(cond)) sched_yield(); 0; })
#define fatal_signal_pending(task) ((void)(task), false)

struct file;
typedef struct { char none; } poll_table;
#define poll_wait(file, wait, table) ((void)(file), (void)(wait), (void)(table))

static u64 ktime_get_boottime_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}
#define ktime_get_real_ns	ktime_get_boottime_ns

/*
 * In flight mode it copies what is written meanwhile, on purpose. It may sleep on a fault:
 * every other time it does, half-way, and writers go on.
 */
static int copy_to_user(void *to, const void *from, size_t n)
{
	static unsigned int calls_so_far;
	size_t half = n / 2;

	memcpy(to, from, half);
	if (calls_so_far++ % 2)
		sched_yield();
	memcpy((char *)to + half, (const char *)from + half, n - half);
	return 0;
}

/* ---- relay ---- */

struct rchan;
struct dentry { char none; };

struct rchan_buf {
	char *start, *data;
	size_t offset, subbufs_produced, subbufs_consumed;
	struct rchan *chan;
	size_t *padding;
	unsigned int cpu;
};

struct rchan_callbacks {
	int (*subbuf_start)(struct rchan_buf *buf, void *subbuf, void *prev);
	struct dentry *(*create_buf_file)(const char *name, struct dentry *parent, umode_t mode,
					  struct rchan_buf *buf, int *is_global);
	int (*remove_buf_file)(struct dentry *dentry);
};

struct rchan {
	size_t subbuf_size, n_subbufs;
	const struct rchan_callbacks *cb;
	void *private_data;
	struct rchan_buf **buf;
};

static size_t relay_switch_subbuf(struct rchan_buf *buf, size_t length)
{
	struct rchan *chan = buf->chan;
	void *prev = buf->data;
	char *next;

	if (length > chan->subbuf_size)
		return 0;
	if (buf->offset != chan->subbuf_size + 1) {
		buf->padding[buf->subbufs_produced % chan->n_subbufs] = chan->subbuf_size - buf->offset;
		buf->subbufs_produced++;
	}
	next = buf->start + buf->subbufs_produced % chan->n_subbufs * chan->subbuf_size;
	buf->offset = 0;
	if (!chan->cb->subbuf_start(buf, next, prev)) {
		buf->offset = chan->subbuf_size + 1;
		return 0;
	}
	buf->data = next;
	buf->padding[buf->subbufs_produced % chan->n_subbufs] = 0;
	return length + buf->offset > chan->subbuf_size ? 0 : length;
}

static void *relay_reserve(struct rchan *chan, size_t length)
{
	struct rchan_buf *buf = chan->buf[this_cpu];
	char *slot;

	if (buf->offset + length > chan->subbuf_size) {
		length = relay_switch_subbuf(buf, length);
		if (!length)
			return NULL;
	}
	slot = buf->data + buf->offset;
	buf->offset += length;
	return slot;
}

#define subbuf_start_reserve(buf, length) ((buf)->offset = (length))

static struct rchan *relay_open(const char *name, struct dentry *parent, size_t size, size_t n,
				const struct rchan_callbacks *cb, void *private_data)
{
	struct rchan *chan = calloc(1, sizeof(*chan));

	(void)name, (void)parent;
	*chan = (struct rchan){ .subbuf_size = size, .n_subbufs = n, .cb = cb,
				.private_data = private_data, .buf = calloc(CPUS, sizeof(*chan->buf)) };
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		struct rchan_buf *buf = calloc(1, sizeof(*buf));

		*buf = (struct rchan_buf){ .chan = chan, .cpu = cpu, .start = malloc(size * n),
					   .padding = calloc(n, sizeof(*buf->padding)) };
		buf->data = buf->start;
		chan->buf[cpu] = buf;
		cb->subbuf_start(buf, buf->data, NULL);
	}
	return chan;
}

static void relay_close(struct rchan *chan)
{
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		free(chan->buf[cpu]->start);
		free(chan->buf[cpu]->padding);
		free(chan->buf[cpu]);
	}
	free(chan->buf);
	free(chan);
}

#endif
