// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What sysfs shows of a card that works: counters that only grow, for everybody.
 */
#include "common/case.h"

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
			{"refused", (info).refused}, {"looks", (info).looks},                      \
			{"mmio_reads", (info).mmio_reads}, {"mmio_writes", (info).mmio_writes},    \
			{"retries", (info).retries}, {"turns", (info).turns},                      \
			{"bad_index", (info).bad_index},                                           \
	}

struct count {
	const char *name;
	uint64_t since_open;
};

/* What sysfs says lies between what the ioctl says before and after: the thread may still turn. */
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
		UNIT_EQ(info.completed | info.bytes | info.pushed | info.looks | info.turns |
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
		CU_ASSERT(info.looks && info.turns && info.mmio_writes);
		compare(rig_fd(&r), before, gaps_before);
		rig_close(&r);
	}
}

/* Who may not open the nodes. */
static int look_at_all(void *unused)
{
	struct count all[] = COUNTERS((struct roc_ch_info){});
	size_t i;

	for (i = 0; i < N(all); i++)
		if (!*node_attr(EP0, 0, all[i].name))
			return i + 1;
	return !*node_attr(EP0, 0, "gaps") || strcmp(node_attr(EP0, 0, "state"), "stopped") ||
			       strcmp(node_attr(EP0, 0, "owner_pid"), "0")
		       ? 100
		       : 0;
}

static void for_everybody(void)
{
	UNIT_EQ(child_run(AS_STRANGER, look_at_all, NULL, 10000), 0);
}

UNIT_MAIN("sysfs", {"counters grow", counters_grow}, {"for everybody", for_everybody})
