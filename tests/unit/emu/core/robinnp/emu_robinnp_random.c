// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hosts with random accesses: whatever they write, the RobinNP's counter sums hold after every
 * action, it writes only into permitted memory, and page ownership matches the descriptors and
 * completions that the host has received.
 */
#include "tests/unit/emu/emu_dice.h"
#include "emu_robinnp.h"

#define HOSTS 12
#define ACTS 5000
#define PAGES 6
#define LOG2 6

static uint32_t any_page(void)
{
	return any(20) ? FRAGMENT_PAGE(any(6), any(PAGES)) : FRAGMENT_PAGE(any(8), any_value());
}

static void any_setting(void)
{
	static const uint32_t off[] = {
		FRAGMENT_LINK_GENERATOR, FRAGMENT_LINK_SIZE_MIN, FRAGMENT_LINK_SIZE_MAX,
		FRAGMENT_LINK_RATE,	 FRAGMENT_LINK_FIRST,	 FRAGMENT_LINK_LIMIT,
	};

	link_wr(any(12), off[any(sizeof(off) / sizeof(off[0]))],
		any_value() & (any(3) ? ~3u : ~0u));
}

static void any_register(unsigned int s)
{
	static const uint32_t off[] = {
		FRAGMENT_LINKS,	       BLOCK_CONTROL,	    BLOCK_RESET,      FRAGMENT_ARM_DATA,
		FRAGMENT_ARM_DONE,     FRAGMENT_DATA_COUNT, FRAGMENT_DATA_NS, FRAGMENT_DONE_VECTOR,
		FRAGMENT_ERROR_ENABLE, FRAGMENT_DONE_NS,    FRAGMENT_START,
	};

	wr(s, off[any(sizeof(off) / sizeof(off[0]))], any_value());
}

static void start(unsigned int s)
{
	unsigned int l;

	if (rd(s, BLOCK_STATUS) & (BLOCK_STATUS_ENABLED | BLOCK_STATUS_LOADING))
		return;
	memset(host.memory + DATA_AT(s), 0, 16u << LOG2);
	memset(host.memory + DONE_AT(s), 0, 16u << LOG2);
	table(s);
	addresses(s);
	sizes(s, PAGES, LOG2, LOG2);
	reader[s] = (struct reader){
		.data_log2 = LOG2,
		.free_log2 = LOG2,
		.command_log2 = LOG2,
		.pages = PAGES,
		.start = rd(s, FRAGMENT_START),
	};
	reader[s].freed = reader[s].requested = reader[s].done = reader[s].taken = reader[s].start;
	wr(s, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	give_all(s);
	for (l = 6 * s; l < 6 * s + 6; l++)
		link_wr(l, FRAGMENT_LINK_GENERATOR, any(4));
}

/* A host with mostly valid accesses. */
static void some_commands(unsigned int s)
{
	uint32_t n = any(8);

	while (n--)
		ask(s, any_page(), any(10) ? any(HOST_PAGES) : any_value(), any_value(),
		    any(10) ? 1 + any(3) : any_value());
	if (any(3))
		command_doorbell(s);
	else
		wr0(ROBINNP_DOORBELL(s) + FRAGMENT_COMMAND, any_value());
}

static void some_pages(unsigned int s)
{
	uint32_t n = any(8);

	while (n--)
		give(s, any_page());
	if (any(3))
		free_doorbell(s);
	else
		wr0(ROBINNP_DOORBELL(s) + FRAGMENT_FREE, any_value());
}

/* The host returns all pages that were reported, half of them by commands. */
static void valid_host(unsigned int s)
{
	struct fragment_descriptor d;
	struct fragment_completion c;

	while (reader[s].pages && take(s, &d)) {
		UNIT_NEED(FRAGMENT_PAGE_LINK(d.page) < 6 && FRAGMENT_PAGE_NUMBER(d.page) < PAGES);
		UNIT_NEED(d.size <= 2048);
		if (any(2))
			give(s, d.page);
		else
			ask(s, d.page, any(HOST_PAGES), d.event, 1 + any(3));
	}
	while (reader[s].pages && done(s, &c))
		UNIT_NEED(c.size <= 2048 &&
			  FRAGMENT_DONE_STATUS(c.status) <= FRAGMENT_DONE_ABORTED);
	free_doorbell(s);
	command_doorbell(s);
}

static void act(void)
{
	unsigned int s = any(ROBINNP_SUBS);

	switch (any(24)) {
	case 0 ... 1:
		start(s);
		break;
	case 2 ... 4:
		any_setting();
		break;
	case 5:
		any_register(s);
		break;
	case 6:
		wr0(ROBINNP_FUNCTION + 4 * any(9), any(4) ? any_value() : BLOCK_RESET_LOGIC);
		/* The notice may be at any address. */
		wr0(ROBINNP_FUNCTION + FUNCTION_NOTICE_LOW, 0);
		wr0(ROBINNP_FUNCTION + FUNCTION_NOTICE_HIGH, 0);
		break;
	case 7:
		host.no_master = !any(3);
		break;
	case 8:
		host.now += any(20000000);
		break;
	case 9 ... 10:
		some_commands(s);
		break;
	case 11 ... 12:
		some_pages(s);
		break;
	case 13 ... 15:
		valid_host(s);
		break;
	default:
		host.now += any(2000);
		robinnp_card.step(host.card, 0, 64 + any(20000));
	}
}

/* Memory outside rings and host pages is unchanged. */
static bool untouched(void)
{
	static const struct {
		uint32_t from, to;
	} gaps[] = {
		{16u << LOG2, MIB},
		{MIB + (4u << LOG2), 2 * MIB},
		{2 * MIB + (16u << LOG2), 3 * MIB},
		{3 * MIB + (16u << LOG2), 4 * MIB},
		{4 * MIB + 8 * HOST_PAGES, 8 * MIB},
		{8 * MIB + (HOST_PAGES << HOST_PAGE_LOG2), 16 * MIB},
	};
	unsigned int s, i, p;
	uint32_t at;

	for (s = 0; s < ROBINNP_SUBS; s++) {
		for (i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
			for (at = gaps[i].from; at < gaps[i].to; at++) {
				if (host.memory[DATA_AT(s) + at] != 0xee)
					return false;
			}
		}
		/* A fragment is at most half a host page. */
		for (p = 0; p < HOST_PAGES; p++) {
			for (at = 2048; at < 1 << HOST_PAGE_LOG2; at++) {
				if (host.memory[host_page_at(s, p) + at] != 0xee)
					return false;
			}
		}
	}
	for (at = 32 * MIB; at < HOST_MEMORY; at++) {
		if (host.memory[at] != 0xee)
			return false;
	}
	return true;
}

static void anything(void)
{
	uint64_t fragments = 0, transfers = 0, hold_count = 0, refused = 0, discarded = 0;
	unsigned int h, n, s;

	for (h = 0; h < HOSTS; h++) {
		dice = h + 1;
		host_begin();
		memset(reader, 0, sizeof(reader));
		key(0, "shuffle", h % 2 ? "on" : "off");
		for (n = 0; n < ACTS; n++) {
			act();
			for (s = 0; s < ROBINNP_SUBS; s++) {
				if (even(s))
					continue;
				unit_note("host %u, act %u, sub-unit %u", h, n, s);
				UNIT_NEED(even(s));
			}
		}
		UNIT_NEED(untouched());
		UNIT_EQ(count(0, -1, "dma_outside"), 0);
		fragments += count(0, -1, "fragments");
		transfers += count(0, -1, "transfers");
		hold_count += count(0, -1, "holds");
		refused += count(0, -1, "bad_free") + count(0, -1, "bad_page") +
			   count(0, -1, "bad_op") + count(0, -1, "bad_host_page");
		discarded += count(0, -1, "discarded") + count(0, -1, "commands_discarded");
		host_end();
	}
	unit_note("%llu fragments, %llu transfers, %llu holds, %llu refused, %llu discarded",
		  (unsigned long long)fragments, (unsigned long long)transfers,
		  (unsigned long long)hold_count, (unsigned long long)refused,
		  (unsigned long long)discarded);
	UNIT_NEED(fragments > 10000);
	UNIT_NEED(transfers > 3000);
	UNIT_NEED(hold_count > 1000);
	UNIT_NEED(refused > 1000);
	UNIT_NEED(discarded > 100);
}

/* A host that obeys the rules, with random timing: no fragment is lost, mixed up or refused. */
static void a_good_one(void)
{
	uint32_t next[6] = {0}, n, l, requested_now = 0, kept_count = 0;
	struct fragment_descriptor d, kept[64];
	struct fragment_completion c;

	host_begin();
	key(0, "shuffle", "on");
	dice = 99;
	begin(0, PAGES, LOG2, LOG2);
	give_all(0);
	for (l = 0; l < 6; l++) {
		link_wr(l, FRAGMENT_LINK_RATE, 20000 * (l + 1));
		generate(l, 0, 16, 2600, 0);
	}
	for (n = 0; n < 100000; n++) {
		host.now += any(30000);
		robinnp_card.step(host.card, 0, 64 + any(20000));
		while (kept_count < 64 && any(4) && take(0, &d)) {
			l = FRAGMENT_PAGE_LINK(d.page);
			UNIT_NEED(d.event == next[l]++);
			kept[kept_count++] = d;
		}
		while (kept_count && any(3)) {
			uint32_t i = any(kept_count);

			/* The tag identifies the expected fragment. */
			if (!any(3)) {
				give(0, kept[i].page);
			} else if (requested_now < 1 << LOG2) {
				ask(0, kept[i].page, requested_now % HOST_PAGES,
				    FRAGMENT_PAGE_LINK(kept[i].page) << 28 | kept[i].event, BOTH);
				requested_now++;
			} else {
				break;
			}
			kept[i] = kept[--kept_count];
		}
		free_doorbell(0);
		command_doorbell(0);
		while (done(0, &c)) {
			UNIT_NEED(FRAGMENT_DONE_STATUS(c.status) == FRAGMENT_DONE_OK);
			UNIT_NEED(c.event == (c.tag & 0x0fffffff));
			requested_now--;
		}
	}
	UNIT_NEED(even(0) && pages_even(0));
	UNIT_EQ(rd(0, BLOCK_STATUS) & FRAGMENT_STATUS_ERRORS, 0);
	for (l = 0; l < 6; l++)
		UNIT_NEED(next[l] > 10000 && LINK(l, HOLDS) > 100);
	unit_note("%llu fragments, %llu holds", (unsigned long long)count(0, -1, "fragments"),
		  (unsigned long long)count(0, -1, "holds"));
	host_end();
}

UNIT_MAIN("emulated RobinNP: any host", {"anything at any time", anything},
	  {"a host that obeys the rules", a_good_one})
