// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the attributes of a working card in sysfs: counters only grow, all users may read them as
 * often as they like, and reads cost the card nothing.
 */
#include "common/case.h"

#include <fcntl.h>
#include <glob.h>

#define LOOKS 1000
#define APART_MS 100 /* least time between two reads of a register */

/* A counter, read by root. */
static uint64_t counter(const char *name)
{
	return strtoull(node_attr(EP0, 0, name), NULL, 10);
}

static uint64_t gaps(void)
{
	char text[512], *at = text, *end;
	uint64_t sum = 0;
	unsigned int n;

	snprintf(text, sizeof(text), "%s", node_attr(EP0, 0, "gaps"));
	for (n = 0;; n++, at = end) {
		uint64_t count = strtoull(at, &end, 10);

		if (end == at)
			break;
		sum += count;
	}
	UNIT_EQ(n, ROC_GAPS);
	return sum;
}

static uint64_t sum_of_gaps(const struct roc_ch_info *info)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < ROC_GAPS; i++)
		sum += info->gaps[i];
	return sum;
}

#define COUNTERS(info)                                                                             \
	{                                                                                          \
		{"superpages", (info).completed}, {"bytes", (info).bytes},                         \
			{"pushed", (info).pushed}, {"reclaimed", (info).reclaimed},                \
			{"refused", (info).refused}, {"polls", (info).polls},                      \
			{"looks", (info).polls}, {"mmio_reads", (info).mmio_reads},                \
			{"mmio_writes", (info).mmio_writes}, {"retries", (info).retries},          \
			{"turns", (info).turns}, {"bad_index", (info).bad_index},                  \
	}

struct count {
	const char *name;
	uint64_t since_open;
};

/* sysfs values lie between the ioctl's values before and after: the thread may run meanwhile. */
static void compare(int fd, const uint64_t *before, uint64_t gaps_before)
{
	struct roc_ch_info low = ch_info(fd), high;
	struct count from[] = COUNTERS(low);
	uint64_t now[N(from)];
	size_t i;

	for (i = 0; i < N(from); i++)
		now[i] = counter(from[i].name);
	UNIT_EQ(gaps(), gaps_before + sum_of_gaps(&low));
	high = ch_info(fd);
	{
		struct count to[] = COUNTERS(high);

		for (i = 0; i < N(from); i++) {
			if (now[i] < before[i] + from[i].since_open ||
			    now[i] > before[i] + to[i].since_open)
				unit_note("%s: %llu, before %llu, since open %llu", from[i].name,
					  (unsigned long long)now[i], (unsigned long long)before[i],
					  (unsigned long long)from[i].since_open);
			CU_ASSERT(now[i] >= before[i] + from[i].since_open);
			CU_ASSERT(now[i] <= before[i] + to[i].since_open);
		}
	}
}

/* The ioctl counts since open, sysfs since the driver took the card. */
static void counters_grow(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 8, .superpage = 256 * KIB};
	struct count all[] = COUNTERS((struct roc_ch_info){});
	uint64_t before[N(all)], gaps_before;
	struct roc_ch_info info;
	unsigned int open;
	size_t i;

	emu_normal(CARD0, FOUR_LINKS);
	for (open = 0; open < 2; open++) {
		for (i = 0; i < N(all); i++)
			before[i] = counter(all[i].name);
		gaps_before = gaps();
		UNIT_NEED(rig_open(&r));
		info = ch_info(rig_fd(&r));
		UNIT_EQ(info.completed | info.bytes | info.pushed | info.polls | info.turns |
				info.mmio_writes | info.bad_index | sum_of_gaps(&info),
			0);
		compare(rig_fd(&r), before, gaps_before);
		rig_push(&r, RIG_MAX);
		CU_ASSERT(rig_start(&r) && rig_run(&r, 20, 10000));
		/* More entries than there are. */
		__atomic_store_n(&r.rings->user->fill_prod, r.rings->fill_prod + 0x10000,
				 __ATOMIC_RELEASE);
		roc_channel_kick(r.ch);
		CU_ASSERT(UNIT_WAIT(ch_info(rig_fd(&r)).bad_index > 0, 5000));
		__atomic_store_n(&r.rings->user->fill_prod, r.rings->fill_prod, __ATOMIC_RELEASE);
		CU_ASSERT(rig_stop(&r));
		RIG_OK(&r);
		info = ch_info(rig_fd(&r));
		UNIT_EQ(info.completed, r.filled);
		UNIT_EQ(info.bytes, r.bytes);
		CU_ASSERT(info.polls && info.turns && info.mmio_writes);
		compare(rig_fd(&r), before, gaps_before);
		rig_close(&r);
	}
}

/* A user without the right to open the nodes. */
static int read_all(void *unused)
{
	struct count all[] = COUNTERS((struct roc_ch_info){});
	size_t i;

	for (i = 0; i < N(all); i++)
		if (!*node_attr(EP0, 0, all[i].name))
			return i + 1;
	return !*node_attr(EP0, 0, "gaps") || strcmp(node_attr(EP0, 0, "state"), "stopped") ||
			       strcmp(node_attr(EP0, 0, "channel_type"), "pool") ||
			       strcmp(node_attr(EP0, 0, "kind"), "pool") ||
			       strcmp(node_attr(EP0, 0, "owner_pid"), "0")
		       ? 100
		       : 0;
}

static void world_readable(void)
{
	UNIT_EQ(child_run(AS_STRANGER, read_all, NULL, 10000), 0);
}

/* The card counts in each run; sysfs has the sum, during the run and afterwards. */
static void fifo_empty(void)
{
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_DDG,
			.links = 0x1,
			.count = 8,
			.superpage = 64 * KIB};
	uint64_t first = counter("fifo_empty"), before = first, seen;
	uint32_t card = emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_SP_EMPTY(0));
	unsigned int run;

	UNIT_NEED(rig_open(&r));
	for (run = 0; run < 2; run++) {
		rig_push(&r, RIG_MAX);
		CU_ASSERT(rig_start(&r));
		/* All its superpages are full, and the reader returns none. */
		CU_ASSERT(UNIT_WAIT(counter("fifo_empty") > before, 10000));
		/* Not all of them need be complete when the first ones are submitted again. */
		CU_ASSERT(
			UNIT_WAIT((rig_take(&r, true), ch_info(rig_fd(&r)).fifo_empty > 1), 10000));
		seen = ch_info(rig_fd(&r)).fifo_empty;
		rig_stop(&r);
		CU_ASSERT(UNIT_WAIT(counter("fifo_empty") >= before + seen, 5000));
		before = counter("fifo_empty");
	}
	RIG_OK(&r);
	rig_close(&r);
	card = emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_SP_EMPTY(0)) - card;
	CU_ASSERT(counter("fifo_empty") - first <= card);
}

/* A file that is read repeatedly. */
struct looks {
	char path[256];
	int64_t ms; /* duration of the reads */
};

static int read_attr(void *arg)
{
	struct looks *l = arg;
	int64_t begin = now_ms();
	unsigned int i;
	char text[64];

	for (i = 0; i < LOOKS; i++) {
		int fd = open(l->path, O_RDONLY);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

		close(fd);
		if (n <= 0)
			return 1;
	}
	l->ms = now_ms() - begin;
	return 0;
}

/* Read as a user without any rights: the card is not accessed more often. */
static void read_often(unsigned int card, unsigned int ep, const char *path, unsigned int reads)
{
	struct looks *l = shared_alloc(sizeof(*l));
	uint64_t most, seen;

	snprintf(l->path, sizeof(l->path), "%s", path);
	emu(card, "clear");
	UNIT_EQ(child_run(AS_STRANGER, read_attr, l, 30000), 0);
	/* Plus the driver's own poll of the temperature, which is another read or two. */
	most = (l->ms / APART_MS + 2) * reads + 2;
	seen = emu_count(card, ep, "mmio_reads");
	if (seen > most)
		unit_note("%s: %llu reads in %lld ms", path, (unsigned long long)seen,
			  (long long)l->ms);
	CU_ASSERT(seen <= most);
	UNIT_EQ(emu_count(card, ep, "mmio_writes"), 0);
	shared_free(l, sizeof(*l));
}

static void read_node_attr(unsigned int card, unsigned int ep, const char *id, int channel,
			   const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/class/roc/%s/%s",
		 node_path(id, channel) + strlen("/dev/"), name);
	read_often(card, ep, path, 1);
}

static void reads_cost_nothing(void)
{
	static const char *const cru[] = {"cru_id",	     "run_enable",
					  "ctp_clock_hz",    "local_clock_hz",
					  "dropped_packets", "packets_per_second"};
	static const char *const crorc[] = {"crorc_id", "dynamic_offset", "time_frame_length",
					    "time_frame_detection", "laser"};
	static const char *const channel[] = {"link_down", "packets_per_second", "packets",
					      "orbit_sor"};
	char pattern[128];
	glob_t found;
	size_t i;

	for (i = 0; i < N(cru); i++)
		read_node_attr(CARD0, 1, EP1, -1, cru[i]);
	read_node_attr(CARD0, 1, EP1, 0, "dropped");
	read_node_attr(CARD0, 1, EP1, 0, "fifo_empty");
	for (i = 0; i < N(crorc); i++)
		read_node_attr(CRORC0, 0, CRORC_ID, -1, crorc[i]);
	for (i = 0; i < N(channel); i++)
		read_node_attr(CRORC0, 0, CRORC_ID, 5, channel[i]);
	snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/hwmon/hwmon*/temp1_*",
		 pci_address(EP0));
	UNIT_EQ(glob(pattern, 0, NULL, &found), 0);
	CU_ASSERT(found.gl_pathc >= 6);
	for (i = 0; i < found.gl_pathc; i++)
		read_often(CARD0, 0, found.gl_pathv[i], 1);
	globfree(&found);
}

/* Also while a channel runs, when the FIFO-empty counters are read for each link. */
static void reads_cost_nothing_in_run(void)
{
	struct rig r = {.id = EP1, .mode = ROC_MODE_BUSY};
	char path[256];

	UNIT_NEED(rig_open(&r) && rig_start(&r));
	snprintf(path, sizeof(path), "/sys/class/roc/%s/fifo_empty",
		 node_path(EP1, 0) + strlen("/dev/"));
	read_often(CARD0, 1, path, 5);
	rig_stop(&r);
	rig_close(&r);
}

/* A cached value is used only for a short time, and never after the reader's own write. */
static void cached_values_expire(void)
{
	int fd = node_open(EP0, -1);
	char text[32];
	uint32_t id;

	for (id = 1; id <= 50; id++) {
		UNIT_EQ(reg_modify(fd, CRU_BAR_CARD, CRU_USER_CONTROL, CRU_USER_CONTROL_CRU_ID,
				   id << CRU_USER_CONTROL_CRU_ID_SHIFT, NULL),
			0);
		snprintf(text, sizeof(text), "%u", id);
		UNIT_STR(node_attr(EP0, -1, "cru_id"), text);
		UNIT_STR(node_attr(EP1, -1, "cru_id"), text);
	}
	emu_poke(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL, 99 << CRU_USER_CONTROL_CRU_ID_SHIFT);
	CU_ASSERT(UNIT_WAIT(!strcmp(node_attr(EP0, -1, "cru_id"), "99"), 5000));
	emu_poke(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL, 0);
	close(fd);
}

UNIT_MAIN("sysfs", {"counters grow", counters_grow}, {"world-readable", world_readable},
	  {"FIFO empty", fifo_empty}, {"reads cost the card nothing", reads_cost_nothing},
	  {"reads cost the card nothing in a run", reads_cost_nothing_in_run},
	  {"cached values expire", cached_values_expire})
