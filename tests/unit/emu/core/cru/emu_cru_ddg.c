// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets of the emulated CRU: headers, heartbeat and time frames, superpage switch, payload,
 * drops, gates. The tests read everything from memory, as a reader of the data does.
 */
#include "tests/unit/emu/emu_host.h"

#define PAGES 16
#define BYTES (PAGES * CRU_PAGE_SIZE)
#define DATAPATH CRU_DATA_SOURCE_DATAPATH

struct rdh {
	uint32_t w[16];
};

static struct rdh rdh(const uint8_t *at)
{
	struct rdh h;

	memcpy(&h, at, sizeof(h));
	return h;
}

#define OFFSET(h) ((h).w[2] & 0xffff)
#define MEMSIZE(h) ((h).w[2] >> 16)
#define LINK(h) ((h).w[3] & 0xff)
#define COUNTER(h) ((h).w[3] >> 8 & 0xff)
#define ORBIT(h) ((h).w[5])
#define TRIGGER(h) ((h).w[8])
#define HBF_PAGE(h) ((h).w[9] & 0xffff)
#define STOP(h) ((h).w[9] >> 16 & 0xff)
#define SOC (1u << 9)
#define EOC (1u << 10)
#define TF (1u << 11)

/* Reader of one link: expected values and results. */
struct reader {
	unsigned int fn, link, first_sp; /* its superpages: first_sp, first_sp + 1, ... in memory */
	uint32_t collected;
	bool any, hbf_open;
	uint8_t counter;
	uint32_t payload, orbit, page;
	uint64_t packets, superpages, tfs, stops, sox, eox, partly;
	unsigned int wrong, gaps;
};

static unsigned int wrong_payload(const uint8_t *data, uint32_t bytes, uint32_t c)
{
	unsigned int wrong = 0;
	uint32_t w[4], i;

	for (i = 0; i < bytes / 16; i++, c++) {
		memcpy(w, data + 16 * i, 16);
		wrong += w[0] != c || w[1] != c || w[2] != (c & 0xffff) || w[3];
	}
	return wrong;
}

static void read_packet(struct reader *r, const struct rdh *h, const uint8_t *at, uint32_t offset)
{
	bool gap = r->any && COUNTER(*h) != (uint8_t)(r->counter + 1);
	uint32_t payload = MEMSIZE(*h) - 64, c;

	r->wrong += (h->w[0] & 0xffff) != 0x4007;
	r->wrong += MEMSIZE(*h) < 64 || MEMSIZE(*h) > OFFSET(*h);
	r->wrong += LINK(*h) != r->link || h->w[3] >> 28 != r->fn;
	r->gaps += gap;
	r->wrong += !r->any && !(TRIGGER(*h) & SOC);
	r->sox += !!(TRIGGER(*h) & SOC);
	r->eox += !!(TRIGGER(*h) & EOC);
	if (TRIGGER(*h) & TF) {
		r->tfs++;
		r->wrong += offset != 0;
	}
	/* Heartbeat frames: same orbit, pages counted, stop at the end; orbits go up. */
	if (gap) {
		r->wrong += ORBIT(*h) < r->orbit;
		r->payload = 0;
	}
	if (!gap && r->hbf_open && r->any)
		r->wrong += ORBIT(*h) != r->orbit || HBF_PAGE(*h) != r->page + 1;
	else if (!gap && r->any)
		r->wrong += ORBIT(*h) <= r->orbit || HBF_PAGE(*h);
	r->wrong += STOP(*h) > 1 || (STOP(*h) && payload);
	r->stops += STOP(*h);
	if (payload >= 16) {
		memcpy(&c, at + 64, 4);
		r->wrong += r->payload && c != r->payload;
		r->wrong += wrong_payload(at + 64, payload, c);
		r->payload = c + payload / 16;
	}
	r->hbf_open = !STOP(*h);
	r->any = true;
	r->counter = COUNTER(*h);
	r->orbit = ORBIT(*h);
	r->page = HBF_PAGE(*h);
	r->packets++;
}

/* Read all ready superpages by the contract of ready count and size FIFO. */
static void collect(struct reader *r)
{
	while (r->collected != rd(r->fn, CRU_SP_READY(r->link))) {
		uint32_t entry = next_size(r->fn, r->link), bytes = entry & CRU_SP_SIZE_BYTES;
		uint8_t *sp = superpage(r->first_sp + r->collected, PAGES);
		uint32_t at = 0;

		r->wrong += entry >> CRU_SP_SIZE_INDEX_SHIFT != (r->collected & 0xff);
		r->wrong += bytes == 0 || bytes > BYTES;
		r->partly += bytes < BYTES;
		while (at < bytes) {
			struct rdh h = rdh(sp + at);

			read_packet(r, &h, sp + at, at);
			if (!OFFSET(h) || r->wrong)
				return;
			at += OFFSET(h);
		}
		r->wrong += at != bytes;
		r->collected++;
		r->superpages++;
	}
}

static void run_enable(bool on)
{
	uint32_t v = rd2(CRU_USER_CONTROL) & ~CRU_USER_CONTROL_RUN;

	wr2(CRU_USER_CONTROL, v | on);
}

static void push_many(unsigned int fn, unsigned int l, unsigned int first, unsigned int n)
{
	while (n--)
		push(fn, l, first++, PAGES);
}

static void header_fields(void)
{
	struct rdh h;

	host_begin();
	wr2(CRU_DATAPATH_LINK(1, 3) + CRU_DPL_IDS, 0x00123456);
	wr2(CRU_USER_CONTROL, 0x0abc0000);
	wr2(CRU_DATAPATH(1), 0x8);
	key(1, "orbit", "0x5000");
	start(1, DATAPATH);
	push(1, 3, 0, PAGES);
	run_enable(true);
	run(1);
	h = rdh(host.memory);
	UNIT_EQ(h.w[0], 0x34564007);
	UNIT_EQ(h.w[1], 0x1200);
	UNIT_EQ(h.w[2], 0x20002000);
	UNIT_EQ(h.w[3], 0x1abc0003);
	UNIT_EQ(h.w[4], 0);
	UNIT_EQ(h.w[5], 0x5000);
	UNIT_EQ(h.w[6] | h.w[7] | h.w[10] | h.w[11] | h.w[12] | h.w[13] | h.w[14] | h.w[15], 0);
	UNIT_EQ(h.w[8], SOC | TF | 3);
	UNIT_EQ(h.w[9], 0);
	h = rdh(host.memory + CRU_PAGE_SIZE);
	UNIT_EQ(h.w[3], 0x1abc0103);
	UNIT_EQ(h.w[8], 3);
	UNIT_EQ(h.w[9], 1);
	UNIT_EQ(rd2(CRU_DATAPATH_LINK(1, 3) + CRU_DPL_ORBIT_SOR), 0x5000);
	host_end();
}

static void one_link(void)
{
	struct reader r = {.link = 0};

	host_begin();
	wr2(CRU_DATAPATH(0), 1);
	key(0, "packets-per-tf", "100");
	start(0, DATAPATH);
	push_many(0, 0, 0, 70);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	UNIT_EQ(count(0, -1, "generated"), 0);
	run_enable(true);
	run(0);
	collect(&r);
	UNIT_EQ(r.wrong, 0);
	UNIT_EQ(r.gaps, 0);
	/* 100 packets are 6 full superpages and one with 4: ten time frames in 70. */
	UNIT_EQ(r.superpages, 70);
	UNIT_EQ(r.tfs, 10);
	UNIT_EQ(r.partly, 10);
	UNIT_EQ(r.packets, 1000);
	UNIT_EQ(r.sox, 1);
	/* 50 heartbeat frames in 256 orbits, ten times. */
	UNIT_EQ(r.stops, 500);
	UNIT_EQ(r.orbit, 9 * 256 + 49 * 256 / 50);
	UNIT_EQ(count(0, 0, "packets"), 1000);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_TOTAL_PACKETS), 1000);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_DROPPED_PACKETS), 0);
	UNIT_EQ(rd2(CRU_DATAPATH_LINK(0, 0) + CRU_DPL_ACCEPTED), 1000);
	UNIT_EQ(rd2(CRU_DATAPATH_LINK(0, 0) + CRU_DPL_FIRST_ORBIT), 0);
	ledger(0);
	host_end();
}

static void every_orbit(void)
{
	struct reader r = {.link = 0};

	host_begin();
	wr2(CRU_DATAPATH(0), 1);
	wr(0, CRU_TIME_FRAME, 32 << CRU_TIME_FRAME_LENGTH_SHIFT);
	key(0, "packets-per-tf", "100");
	start(0, DATAPATH);
	push_many(0, 0, 0, 7);
	run_enable(true);
	run(0);
	collect(&r);
	UNIT_EQ(r.wrong, 0);
	UNIT_EQ(r.packets, 100);
	UNIT_EQ(r.stops, 32);
	UNIT_EQ(r.orbit, 31);
	host_end();
}

static void packed(void)
{
	struct reader r = {.link = 0};

	host_begin();
	wr2(CRU_DATAPATH(0), CRU_DATAPATH_DYNAMIC_OFFSET | 1);
	key(0, "packet", "1008"); /* 1072 with header, 1088 when packed */
	key(0, "packets-per-tf", "301");
	start(0, DATAPATH);
	push_many(0, 0, 0, 20);
	run_enable(true);
	run(0);
	UNIT_EQ(OFFSET(rdh(host.memory)), 1088);
	UNIT_EQ(MEMSIZE(rdh(host.memory)), 1072);
	UNIT_EQ(OFFSET(rdh(host.memory + 1088)), 64);
	collect(&r);
	UNIT_EQ(r.wrong, 0);
	UNIT_EQ(r.gaps, 0);
	/* Off again: slots of 8 KiB. */
	wr2(CRU_DATAPATH(0), 1);
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	push(0, 0, 100, PAGES);
	run(0);
	UNIT_EQ(OFFSET(rdh(superpage(100, PAGES))), 0x2000);
	UNIT_EQ(superpage(100, PAGES)[1072], 0xee);
	host_end();
}

static void several_links(void)
{
	struct reader r[3] = {
		{.link = 0}, {.link = 5, .first_sp = 20}, {.link = 11, .first_sp = 40}};
	unsigned int i;

	host_begin();
	wr2(CRU_DATAPATH(0), 1 << 0 | 1 << 5 | 1 << 11);
	key(0, "packets-per-tf", "50");
	key(0, "orbit", "512");
	start(0, DATAPATH);
	for (i = 0; i < 3; i++)
		push_many(0, r[i].link, r[i].first_sp, 20 - 5 * i);
	push(0, 1, 100, PAGES); /* not enabled */
	run_enable(true);
	run(0);
	for (i = 0; i < 3; i++) {
		UNIT_EQ(ORBIT(rdh(superpage(r[i].first_sp, PAGES))), 512);
		collect(&r[i]);
		UNIT_EQ(r[i].wrong, 0);
		UNIT_EQ(r[i].gaps, 0);
		UNIT_EQ(r[i].superpages, 20 - 5 * i);
		UNIT_EQ(r[i].sox, 1);
		UNIT_EQ(count(0, r[i].link, "packets"), r[i].packets);
	}
	UNIT_EQ(rd(0, CRU_SP_READY(1)), 0);
	UNIT_EQ(superpage(100, PAGES)[0], 0xee);
	UNIT_EQ(rd(0, CRU_SP_EMPTY(0)), 1);
	UNIT_EQ(rd(0, CRU_SP_EMPTY(11)), 1);
	ledger(0);
	host_end();
}

static void flush_mid_frame(void)
{
	struct reader r = {.link = 0};

	host_begin();
	wr2(CRU_DATAPATH(0), 1);
	start(0, DATAPATH);
	push_many(0, 0, 0, 4);
	run_enable(true);
	cru_card.step(host.card, 0, 20 * CRU_PAGE_SIZE);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	run_enable(false);
	collect(&r);
	UNIT_EQ(r.wrong, 0);
	UNIT_EQ(r.superpages, 2);
	UNIT_EQ(r.packets, 20);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	UNIT_EQ(count(0, -1, "open"), 0);
	UNIT_EQ(count(0, 0, "queued"), 2);
	ledger(0);
	host_end();
}

static void drops_are_counted(void)
{
	struct reader r = {.link = 0};

	host_begin();
	wr2(CRU_DATAPATH(0), 1);
	key(0, "rate", "81920000"); /* a packet every 100 us */
	key(0, "packets-per-tf", "1000");
	start(0, DATAPATH);
	run_enable(true);
	/* Before the first superpage of a link nothing is generated. */
	run_for(0, 5000000);
	UNIT_EQ(count(0, -1, "generated"), 0);
	push_many(0, 0, 0, 2);
	run_for(0, 10000000);
	CU_ASSERT(count(0, -1, "dropped") >= 68);
	push_many(0, 0, 2, 2);
	run_for(0, 10000000);
	collect(&r);
	UNIT_EQ(r.wrong, 0);
	UNIT_EQ(r.gaps, 1);
	UNIT_EQ(r.packets, 4 * PAGES);
	UNIT_EQ(count(0, 0, "generated"), r.packets + count(0, 0, "dropped"));
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_TOTAL_PACKETS), count(0, 0, "generated"));
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_DROPPED_PACKETS), count(0, 0, "dropped"));
	UNIT_EQ(rd2(CRU_DATAPATH(1) + CRU_DATAPATH_DROPPED_PACKETS), 0);
	UNIT_EQ(rd2(CRU_DATAPATH_LINK(0, 0) + CRU_DPL_ACCEPTED), r.packets);
	ledger(0);
	/* Counters restart with the run. */
	run_enable(false);
	run_enable(true);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_DROPPED_PACKETS), 0);
	host_end();
}

/* A time frame whose start was dropped still begins in its own superpage. */
static void dropped_tf_start(void)
{
	struct reader r = {.link = 0};

	host_begin();
	wr2(CRU_DATAPATH(0), 1);
	key(0, "rate", "81920000");
	key(0, "packets-per-tf", "40");
	start(0, DATAPATH);
	run_enable(true);
	push_many(0, 0, 0, 1);
	run_for(0, 4000000); /* 41 packets: 16 placed, all others dropped */
	UNIT_EQ(count(0, -1, "generated"), 41);
	push_many(0, 0, 1, 2);
	run_for(0, 4000000);
	collect(&r);
	UNIT_EQ(r.wrong, 0);
	UNIT_EQ(r.superpages, 3);
	UNIT_EQ(ORBIT(rdh(superpage(1, PAGES))) / 256, 1);
	UNIT_EQ(TRIGGER(rdh(superpage(1, PAGES))) & TF, 0);
	host_end();
}

static void packet_rates(void)
{
	host_begin();
	wr2(CRU_DATAPATH(0), 1);
	key(0, "rate", "8192000"); /* 1000 packets/s */
	start(0, DATAPATH);
	push_many(0, 0, 0, 50);
	run_enable(true);
	run_for(0, 999900000);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_PACKET_RATE), 0);
	run_for(0, 100000);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_PACKET_RATE), 1000);
	run_for(0, 1000000000);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_PACKET_RATE), 1000);
	CU_ASSERT(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_DROPPED_RATE) > 0);
	host_end();
}

static void run_enable_is_common(void)
{
	struct reader r0 = {.fn = 0}, r1 = {.fn = 1, .first_sp = 40};

	host_begin();
	wr2(CRU_DATAPATH(0), 1);
	wr2(CRU_DATAPATH(1), 1);
	start(0, DATAPATH);
	start(1, DATAPATH);
	push_many(0, 0, 0, 40);
	push_many(1, 0, 40, 40);
	/* Write through the second function: both share the register. */
	cru_card.write(host.card, 1, CRU_BAR_CARD, CRU_USER_CONTROL, 1);
	UNIT_EQ(rd2(CRU_USER_CONTROL), 1);
	cru_card.step(host.card, 0, 20 * CRU_PAGE_SIZE);
	cru_card.step(host.card, 1, 20 * CRU_PAGE_SIZE);
	UNIT_EQ(count(0, -1, "generated"), 20);
	UNIT_EQ(count(1, -1, "generated"), 20);
	cru_card.write(host.card, 1, CRU_BAR_CARD, CRU_USER_CONTROL, 0);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	UNIT_EQ(run(1), CARD_STEP_IDLE);
	UNIT_EQ(count(0, -1, "generated"), 20);
	collect(&r0);
	collect(&r1);
	UNIT_EQ(r0.wrong + r1.wrong, 0);
	host_end();
}

/*
 * The second endpoint joins a run of the first: its stream is complete, and the other stream
 * continues.
 */
static void join_a_run(void)
{
	struct reader r0 = {.fn = 0}, r1 = {.fn = 1, .first_sp = 40};

	host_begin();
	wr2(CRU_DATAPATH(0), 1);
	wr2(CRU_DATAPATH(1), 1);
	start(0, DATAPATH);
	push_many(0, 0, 0, 10);
	run_enable(true);
	run(0);
	start(1, DATAPATH);
	push_many(1, 0, 40, 10);
	run(1);
	run_enable(true); /* already is: no new run */
	push_many(0, 0, 10, 10);
	run(0);
	collect(&r0);
	collect(&r1);
	UNIT_EQ(r0.wrong + r1.wrong, 0);
	UNIT_EQ(r0.gaps + r1.gaps, 0);
	UNIT_EQ(r0.sox, 1);
	UNIT_EQ(r1.sox, 1);
	UNIT_EQ(r0.packets, 20 * PAGES);
	host_end();
}

static void new_run_new_stream(void)
{
	struct reader r = {.link = 0};

	host_begin();
	wr2(CRU_DATAPATH(0), 1);
	start(0, DATAPATH);
	push_many(0, 0, 0, 10);
	run_enable(true);
	cru_card.step(host.card, 0, 5 * CRU_PAGE_SIZE);
	run_enable(false);
	start(0, DATAPATH);
	push_many(0, 0, 20, 10);
	run_enable(true);
	run(0);
	r.first_sp = 20;
	collect(&r);
	UNIT_EQ(r.wrong, 0);
	UNIT_EQ(r.superpages, 10);
	UNIT_EQ(COUNTER(rdh(superpage(20, PAGES))), 0);
	UNIT_EQ(count(0, -1, "discarded"), 5);
	ledger(0);
	host_end();
}

static void no_time_frames(void)
{
	struct reader r = {.link = 0};

	host_begin();
	wr2(CRU_DATAPATH(0), 1);
	wr(0, CRU_TIME_FRAME, 0);
	key(0, "packets-per-tf", "100");
	start(0, DATAPATH);
	push_many(0, 0, 0, 20);
	run_enable(true);
	run(0);
	collect(&r);
	UNIT_EQ(r.wrong, 0);
	UNIT_EQ(r.tfs, 0);
	UNIT_EQ(r.partly, 0);
	UNIT_EQ(r.superpages, 20);
	host_end();
}

static void user_logic(void)
{
	host_begin();
	wr2(CRU_DATAPATH(0), 1 << 15 | 1);
	start(0, DATAPATH);
	push_many(0, 0, 0, 2);
	push_many(0, 15, 2, 2);
	run_enable(true);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	UNIT_EQ(rd(0, CRU_SP_READY(15)), 2);
	UNIT_EQ(LINK(rdh(superpage(2, PAGES))), 15);
	wr2(CRU_DATAPATH(0), 1 << 30 | 1 << 15 | 1);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 2);
	host_end();
}

static void ctp_run(void)
{
	struct reader r[2] = {{.link = 0}, {.link = 1, .first_sp = 50}};
	unsigned int i;

	host_begin();
	wr2(CRU_DATAPATH(0), 3);
	key(0, "source-mode", "ctp");
	wr2(CRU_CTP_INIT_ORBIT, 0x700);
	start(0, DATAPATH);
	for (i = 0; i < 2; i++)
		push_many(0, i, r[i].first_sp, 20);
	run_enable(true);
	run(0);
	UNIT_EQ(count(0, -1, "generated"), 0);
	wr2(CRU_CTP_RUN_MODE, 1);
	/* Stops in the middle of a heartbeat frame. */
	cru_card.step(host.card, 0, 26 * CRU_PAGE_SIZE);
	UNIT_EQ(count(0, -1, "generated"), 26);
	wr2(CRU_CTP_RUN_MODE, 3);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	for (i = 0; i < 2; i++) {
		collect(&r[i]);
		UNIT_EQ(r[i].wrong, 0);
		UNIT_EQ(r[i].gaps, 0);
		UNIT_EQ(r[i].sox, 1);
		UNIT_EQ(r[i].eox, 2); /* first and stop packet of the last frame */
		UNIT_EQ(r[i].hbf_open, false);
		UNIT_EQ(ORBIT(rdh(superpage(r[i].first_sp, PAGES))), 0x700);
	}
	/* The next CTP run starts a new stream. */
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	wr2(CRU_CTP_RUN_MODE, 2);
	run(0);
	UNIT_EQ(TRIGGER(rdh(superpage(r[0].collected, PAGES))) & SOC, SOC);
	host_end();
}

UNIT_MAIN("emulated CRU, packets", {"every field of the header", header_fields},
	  {"one link: frames, counters, payload", one_link},
	  {"a heartbeat frame in every orbit", every_orbit}, {"dynamic offset", packed},
	  {"several links at once", several_links},
	  {"flush in the middle of a frame", flush_mid_frame},
	  {"generated = delivered + dropped", drops_are_counted},
	  {"time frame whose start was dropped", dropped_tf_start},
	  {"packets per second", packet_rates},
	  {"run enable is common to both endpoints", run_enable_is_common},
	  {"an endpoint joins a run", join_a_run},
	  {"a new run is a new stream", new_run_new_stream},
	  {"time-frame length 0", no_time_frames}, {"user logic alone and with links", user_logic},
	  {"CTP emulator: start, SOX, EOX, idle", ctp_run})
