// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test invalid contents of the shared rings: whatever a reader writes there affects only its own
 * data.
 */
#include "common/case.h"
#include "common/cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#define PAGE 4096ul

struct raw {
	int fd;
	struct roc_ch_rings made;
};

static bool raw_open(struct raw *w, uint32_t entries)
{
	w->fd = node_open(EP0, 0);
	w->made = (struct roc_ch_rings){
		.size = sizeof(w->made), .fill_entries = entries, .ready_entries = entries};
	return w->fd >= 0 && !abi(w->fd, ROC_CH_RINGS, &w->made);
}

static int map_err(int fd, size_t length, int prot, int flags, uint64_t offset)
{
	void *p = mmap(NULL, length, prot, flags, fd, offset);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, length);
	return 0;
}

static void mappings(void)
{
	struct raw w;
	uint64_t user, kernel;
	size_t ul, kl;

	UNIT_NEED(raw_open(&w, 4096));
	user = w.made.user_offset;
	kernel = w.made.kernel_offset;
	ul = w.made.user_length;
	kl = w.made.kernel_length;
	UNIT_EQ(map_err(w.fd, ul, PROT_READ | PROT_WRITE, MAP_SHARED, user), 0);
	UNIT_EQ(map_err(w.fd, ul, PROT_READ, MAP_SHARED, user), 0);
	UNIT_EQ(map_err(w.fd, kl, PROT_READ, MAP_SHARED, kernel), 0);
	/* Only mappings of exactly this size and offset. */
	UNIT_EQ(map_err(w.fd, ul - PAGE, PROT_READ, MAP_SHARED, user), -EINVAL);
	UNIT_EQ(map_err(w.fd, ul + PAGE, PROT_READ, MAP_SHARED, user), -EINVAL);
	UNIT_EQ(map_err(w.fd, ul - PAGE, PROT_READ, MAP_SHARED, user + PAGE), -EINVAL);
	UNIT_EQ(map_err(w.fd, PAGE, PROT_READ, MAP_SHARED, kernel), -EINVAL);
	UNIT_EQ(map_err(w.fd, kl + PAGE, PROT_READ, MAP_SHARED, kernel), -EINVAL);
	UNIT_EQ(map_err(w.fd, kl, PROT_READ, MAP_SHARED, kernel + PAGE), -EINVAL);
	UNIT_EQ(map_err(w.fd, PAGE, PROT_READ, MAP_SHARED, 0), -EINVAL);
	UNIT_EQ(map_err(w.fd, ul, PROT_READ, MAP_SHARED, kernel + (kernel - user)), -EINVAL);
	/* A private mapping is refused. */
	UNIT_EQ(map_err(w.fd, ul, PROT_READ | PROT_WRITE, MAP_PRIVATE, user), -EINVAL);
	UNIT_EQ(map_err(w.fd, kl, PROT_READ | PROT_WRITE, MAP_PRIVATE, kernel), -EINVAL);
	close(w.fd);
}

static void write_word(void *p)
{
	*(volatile uint32_t *)p = 1;
}

static void kernel_area_is_read_only(void)
{
	struct raw w;
	void *p;

	UNIT_NEED(raw_open(&w, 64));
	UNIT_EQ(map_err(w.fd, w.made.kernel_length, PROT_READ | PROT_WRITE, MAP_SHARED,
			w.made.kernel_offset),
		-EPERM);
	UNIT_EQ(map_err(w.fd, w.made.kernel_length, PROT_WRITE, MAP_SHARED, w.made.kernel_offset),
		-EPERM);
	p = mmap(NULL, w.made.kernel_length, PROT_READ, MAP_SHARED, w.fd, w.made.kernel_offset);
	UNIT_NEED(p != MAP_FAILED);
	CU_ASSERT(mprotect(p, w.made.kernel_length, PROT_READ | PROT_WRITE) && errno == EACCES);
	CU_ASSERT(mprotect(p, PAGE, PROT_WRITE) && errno == EACCES);
	UNIT_EQ(faults(write_word, p), SIGSEGV);
	CU_ASSERT(mremap(p, w.made.kernel_length, w.made.kernel_length + PAGE, MREMAP_MAYMOVE) ==
		  MAP_FAILED);
	munmap(p, w.made.kernel_length);
	close(w.fd);
}

/* The memory of the rings is zero before use, whatever it contained before. */
static void fresh_memory(void)
{
	struct raw w;
	uint64_t *p;
	size_t i;

	UNIT_NEED(raw_open(&w, 1024));
	p = mmap(NULL, w.made.user_length, PROT_READ | PROT_WRITE, MAP_SHARED, w.fd,
		 w.made.user_offset);
	UNIT_NEED(p != MAP_FAILED);
	for (i = 0; i < w.made.user_length / 8 && !p[i]; i++)
		;
	UNIT_EQ(i, w.made.user_length / 8);
	memset(p, 0xee, w.made.user_length);
	munmap(p, w.made.user_length);
	p = mmap(NULL, w.made.kernel_length, PROT_READ, MAP_SHARED, w.fd, w.made.kernel_offset);
	UNIT_NEED(p != MAP_FAILED);
	for (i = PAGE / 8; i < w.made.kernel_length / 8 && !p[i]; i++)
		;
	UNIT_EQ(i, w.made.kernel_length / 8);
	munmap(p, w.made.kernel_length);
	close(w.fd);
}

static bool hostile_rig(struct rig *r)
{
	*r = (struct rig){.id = EP0, .count = 8, .superpage = 64 * KIB, .ring = 16, .links = 0x1};
	emu_normal(CARD0, FOUR_LINKS);
	return rig_open(r) && rig_start(r);
}

static uint64_t bad_indices(struct rig *r)
{
	return ch_info(rig_fd(r)).bad_index;
}

/* A fill_prod beyond the ring's entries: none is taken. */
static void bad_fill_prod(void)
{
	static const uint32_t bad[] = {17, 0x80000000, 0xffffffff, 0x7fffffff, 1000000};
	struct rig r;
	size_t i;

	UNIT_NEED(hostile_rig(&r));
	for (i = 0; i < N(bad); i++) {
		uint64_t before = bad_indices(&r);

		__atomic_store_n(&r.rings->user->fill_prod, bad[i], __ATOMIC_RELEASE);
		roc_channel_kick(r.ch);
		CU_ASSERT(UNIT_WAIT(bad_indices(&r) > before, 2000));
		UNIT_EQ(ch_info(rig_fd(&r)).pushed, 0);
		UNIT_EQ(r.rings->kernel->fill_cons, 0);
		UNIT_EQ(r.rings->kernel->ready_prod, 0);
		UNIT_EQ(ch_info(rig_fd(&r)).state, ROC_CH_RUNNING);
	}
	/* Valid again, and it goes on normally. */
	__atomic_store_n(&r.rings->user->fill_prod, 0, __ATOMIC_RELEASE);
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_run(&r, 50, 5000));
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/* The card can write only into registered memory, so random entries are harmless. */
static void garbage_entries(void)
{
	struct rig r;
	unsigned int i, k, seed = 1, refused = 0;
	struct roc_ready e;

	UNIT_NEED(hostile_rig(&r));
	for (i = 0; i < 500; i++) {
		for (k = 0; k < sizeof(struct roc_fill) / 4 * 8; k++) {
			seed = seed * 1664525 + 1013904223;
			((uint32_t *)
				 r.rings->fill)[(i * 8 % 16) * sizeof(struct roc_fill) / 4 + k] =
				seed;
		}
		r.rings->fill_prod += 8;
		__atomic_store_n(&r.rings->user->fill_prod, r.rings->fill_prod, __ATOMIC_RELEASE);
		if (roc_channel_poll(r.ch) < 0)
			break;
		while (roc_pop(r.ch, &e) == 1)
			refused += e.flags == ROC_READY_REFUSED && e.sequence == refused;
	}
	UNIT_EQ(refused, 4000);
	UNIT_EQ(ch_info(rig_fd(&r)).refused, 4000);
	UNIT_EQ(ch_info(rig_fd(&r)).pushed, 0);
	UNIT_EQ(emu_count(CARD0, 0, "dma_writes"), 0);
	rig_close(&r);
}

/* An impossible ready_cons: the ring counts as full, nothing is taken or overwritten. */
static void bad_ready_cons(void)
{
	static const uint32_t bad[] = {1, 0x80000000, 0xffffff00, 5};
	struct rig r;
	size_t i;

	UNIT_NEED(hostile_rig(&r));
	for (i = 0; i < N(bad); i++) {
		uint64_t before = bad_indices(&r);

		__atomic_store_n(&r.rings->user->ready_cons, bad[i], __ATOMIC_RELEASE);
		if (!i)
			rig_push(&r, RIG_MAX);
		roc_channel_kick(r.ch);
		CU_ASSERT(UNIT_WAIT(bad_indices(&r) > before, 2000));
		UNIT_EQ(ch_info(rig_fd(&r)).pushed, 0);
		UNIT_EQ(r.rings->kernel->ready_prod, 0);
	}
	__atomic_store_n(&r.rings->user->ready_cons, 0, __ATOMIC_RELEASE);
	CU_ASSERT(rig_run(&r, 50, 5000));
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

/* Superpages in the card have reserved space in the ready ring, whatever ready_cons is. */
static void bad_ready_cons_in_flight(void)
{
	/* Out of range, and in range but impossibly far behind. */
	static const uint32_t bad[] = {1, 0x80000000, 0u - 16};
	struct rig r = {.id = EP0, .count = 32, .superpage = 64 * KIB, .ring = 16, .links = 0x1};
	size_t i;

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 stall");
	UNIT_NEED(rig_open(&r));
	rig_push(&r, 8);
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(UNIT_WAIT(ch_info(rig_fd(&r)).in_flight == 8, 2000));
	for (i = 0; i < N(bad); i++) {
		__atomic_store_n(&r.rings->user->ready_cons, bad[i], __ATOMIC_RELEASE);
		if (!i)
			rig_push(&r, 8);
		CU_ASSERT(roc_channel_poll(r.ch) == 0);
		UNIT_EQ(ch_info(rig_fd(&r)).pushed, 8);
	}
	__atomic_store_n(&r.rings->user->ready_cons, 0, __ATOMIC_RELEASE);
	emu(CARD0, "fault all clear");
	CU_ASSERT(rig_run(&r, 50, 5000));
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

struct scribbler {
	volatile bool begun;
	uint64_t bad;
};

static int scribble(void *arg)
{
	struct scribbler *s = arg;
	struct rig r;
	unsigned int seed = 7;
	int64_t end;

	if (!hostile_rig(&r))
		return 1;
	/* Settings and resets of both endpoints, too. */
	s->begun = true;
	rig_push(&r, RIG_MAX);
	end = now_ms() + 1500;
	while (now_ms() < end) {
		seed = seed * 1664525 + 1013904223;
		switch (seed >> 29) {
		case 0:
			r.rings->user->fill_prod = seed;
			break;
		case 1:
			r.rings->user->ready_cons = seed;
			break;
		case 2:
			r.rings->user->fill_prod = r.rings->kernel->fill_cons + (seed >> 8) % 20;
			break;
		case 3:
			r.rings->user->ready_cons = r.rings->kernel->ready_prod - (seed >> 8) % 20;
			break;
		case 4:
			r.rings->fill[seed % 16].offset = (seed >> 8) % 8 * 64 * KIB;
			r.rings->fill[seed % 16].length = 64 * KIB;
			r.rings->fill[seed % 16].buffer = r.handle;
			break;
		case 5:
			r.rings->fill[seed % 16].length = seed;
			break;
		case 6:
			memset(r.rings->user->pad0, seed, sizeof(r.rings->user->pad0));
			break;
		default:
			roc_channel_kick(r.ch);
			roc_channel_poll(r.ch);
		}
	}
	s->bad = bad_indices(&r);
	return 0; /* without a stop */
}

/* All invalid values at random, while the other endpoint takes data. */
static void scribbler_and_neighbour(void)
{
	struct rig other = {.id = EP1, .source = ROC_SOURCE_DDG, .count = 16};
	struct scribbler *s = shared_alloc(sizeof(*s));
	int64_t before;
	pid_t pid;

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&other));
	before = pins();
	pid = child_start(AS_READER, scribble, s);
	CU_ASSERT(UNIT_WAIT(s->begun, 10000));
	rig_push(&other, RIG_MAX);
	CU_ASSERT(rig_start(&other) && rig_run(&other, 50, 10000));
	rig_stop(&other);
	UNIT_EQ(child_wait(pid, 10000), 0);
	CU_ASSERT(s->bad > 0);
	RIG_OK(&other);
	UNIT_EQ(pins(), before);
	rig_close(&other);
	CU_ASSERT(emu_idle(CARD0, 0, 100));
	CU_ASSERT(emu_clean(CARD0));
	shared_free(s, sizeof(*s));
}

/* The reader takes nothing: the card gets no more superpages than the ready ring has space for. */
static void back_pressure(void)
{
	struct rig r = {.id = EP0, .count = 64, .superpage = 32 * KIB, .ring = 16, .links = 0x1};
	struct roc_ch_info info;
	uint64_t last;
	int i;

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	UNIT_EQ(rig_push(&r, RIG_MAX), 16);
	UNIT_NEED(rig_start(&r));
	UNIT_EQ(rig_wait(&r, 16, 3000), 16);
	/* More entries in the fill ring, no space in the ready ring. */
	UNIT_EQ(rig_push(&r, RIG_MAX), 16);
	sleep_ms(200);
	info = ch_info(rig_fd(&r));
	UNIT_EQ(info.pushed, 16);
	UNIT_EQ(info.in_flight, 0);
	UNIT_EQ(rig_push(&r, RIG_MAX), 0);
	UNIT_EQ(emu_count(CARD0, 0, "superpages"), 16);
	/* One entry taken, one more superpage goes to the card. */
	for (i = 0; i < 4; i++) {
		last = ch_info(rig_fd(&r)).pushed;
		CU_ASSERT(roc_ready_peek(r.rings) != NULL);
		r.lent[roc_ready_peek(r.rings)->offset / r.superpage] = false;
		r.out--;
		r.sequence++;
		r.counter += 32 * KIB / 32;
		roc_ready_release(r.rings, 1);
		CU_ASSERT(UNIT_WAIT(ch_info(rig_fd(&r)).pushed == last + 1, 2000));
		UNIT_EQ(rig_wait(&r, 16, 2000), 16);
	}
	/* Once drained, it runs at full speed. */
	CU_ASSERT(rig_run(&r, 200, 5000));
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

/* The smallest rings and a long run: the indices wrap many times. */
static void tiny_rings(void)
{
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_DDG,
			.count = 16,
			.superpage = 32 * KIB,
			.ring = 16};

	emu_normal(CARD0, FOUR_LINKS);
	CU_ASSERT(rig_once(&r, 1000, 15000));
	rig_agrees(&r, CARD0, 0);
	RIG_OK(&r);
	CU_ASSERT(r.rings->ready_cons >= 1000);
	rig_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/* MiB, rounded, that the largest rings add to the cgroup, without what the kernel charged ahead. */
static int make_largest_rings(void *unused)
{
	struct roc_ch_rings rings = {
		.size = sizeof(rings), .fill_entries = ROC_RING_MAX, .ready_entries = ROC_RING_MAX};
	int64_t before;
	int fd;

	if (cgroup_enter())
		return 100;
	fd = node_open(EP0, 0);
	before = cgroup_left();
	if (abi(fd, ROC_CH_RINGS, &rings))
		return 101;
	return (cgroup_left() - before + (1 << 19)) >> 20;
}

static int make_rings(void *channel)
{
	struct roc_ch_rings rings = {.size = sizeof(rings)};

	return -abi(*(int *)channel, ROC_CH_RINGS, &rings);
}

/* Rings are charged to the opener; a child of it cannot make any. */
static void charged_to_the_opener(void)
{
	int length = (ROC_RING_MAX * (sizeof(struct roc_fill) + sizeof(struct roc_ready))) >> 20;
	int charged, fd;

	UNIT_NEED(cgroup_make());
	charged = child_run(AS_ROOT, make_largest_rings, NULL, 10000);
	CU_ASSERT(charged >= length && charged <= length + 2);
	unit_note("%d MiB of rings, %d MiB charged", length, charged);
	CU_ASSERT(cgroup_end());
	fd = node_open(EP0, 0);
	UNIT_EQ(child_run(AS_ROOT, make_rings, &fd, 10000), EPERM);
	UNIT_EQ(make_rings(&fd), 0);
	close(fd);
}

UNIT_MAIN("rings", {"mappings", mappings}, {"kernel area is read-only", kernel_area_is_read_only},
	  {"fresh memory", fresh_memory}, {"bad fill_prod", bad_fill_prod},
	  {"garbage entries", garbage_entries}, {"bad ready_cons", bad_ready_cons},
	  {"bad ready_cons beside superpages in the card", bad_ready_cons_in_flight},
	  {"scribbler and neighbour", scribbler_and_neighbour}, {"back pressure", back_pressure},
	  {"tiny rings", tiny_rings}, {"charged to the opener", charged_to_the_opener})
