// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test start, stop and reset: the documented order of registers, no state of a run in the next one,
 * and two endpoints that share one run-enable bit.
 */
#include "common/case.h"

#include "kmod/pool/event_regs.h"

#define MS 1000ull
#define LATE_MS 20   /* the card's process may record a write that much later than it was made, */
#define LATEST_MS 60 /* on a slow machine more, but documented waits are 100 ms; */
#define LATE_TRIES 5 /* and on a busy machine later still, but not each time */
#define EVENTS                                                                                     \
	0x1000 /* the channel's block, if it has events: section 2 of the event interface          \
		*/

/* A step of a documented sequence: an access, and the least time since the previous step. */
struct step {
	bool write;
	unsigned int bar;
	uint32_t offset, value, mask;
	uint64_t after_us;
};

#define W0(offset, value, after)                                                                   \
	{                                                                                          \
		true, CRU_BAR_DMA, offset, value, UINT32_MAX, after                                \
	}
#define R0(offset, value, after)                                                                   \
	{                                                                                          \
		false, CRU_BAR_DMA, offset, value, UINT32_MAX, after                               \
	}
#define RUN_BIT(value, after)                                                                      \
	{                                                                                          \
		true, CRU_BAR_CARD, CRU_USER_CONTROL, value, 1, after                              \
	}

/* Accesses of the sequence: all but reads of counters and accesses of the data path. */
static bool counts(const struct emu_access *a)
{
	if (a->bar == CRU_BAR_CARD)
		return a->write;
	if (a->offset >= EVENTS && a->offset < EVENTS + EVENT_CHANNEL_SIZE)
		return false;
	if (a->offset >= CRU_SP_HIGH(0) && a->offset <= CRU_SP_PUSH(15) &&
	    a->offset != CRU_FIRMWARE_COMPILE_INFO)
		return false;
	if (a->offset == CRU_TIME_FRAME || a->offset == CRU_DMA_CONTROL)
		return true;
	return a->write && !(a->offset >= CRU_SP_SIZE(0) && a->offset <= CRU_SP_SIZE(15));
}

static uint64_t late_us(void)
{
	return MS * (limit_ms(LATE_MS) < LATEST_MS ? limit_ms(LATE_MS) : LATEST_MS);
}

/* Fails if the order is wrong. False: a step came too early after the previous one. */
static bool check_steps(const char *what, const struct step *steps, unsigned int count,
			const struct emu_access *list, unsigned int length)
{
	unsigned int i, n = 0;
	bool waited = true;
	uint64_t last = 0;

	for (i = 0; i < length; i++) {
		const struct emu_access *a = &list[i];
		const struct step *s = &steps[n];

		if (!counts(a))
			continue;
		if (n == count || a->write != s->write || a->bar != s->bar ||
		    a->offset != s->offset || (a->value ^ s->value) & s->mask) {
			unit_note("%s, step %u: %s bar %u 0x%x 0x%x", what, n,
				  a->write ? "write" : "read", a->bar, a->offset, a->value);
			CU_FAIL("not the documented order");
			return true;
		}
		if (n && a->us - last + late_us() < s->after_us) {
			unit_note("%s, step %u: after %llu us, not %llu", what, n,
				  (unsigned long long)(a->us - last),
				  (unsigned long long)s->after_us);
			waited = false;
		}
		last = a->us;
		n++;
	}
	UNIT_EQ(n, count);
	return waited;
}

/* Index in the list where a register was first written with this value; -1: none. */
static int written(const struct emu_access *list, unsigned int count, uint32_t offset,
		   uint32_t value)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (list[i].write && list[i].bar == CRU_BAR_DMA && list[i].offset == offset &&
		    list[i].value == value)
			return i;
	return -1;
}

/* A channel is enabled between reset and start, and disabled between flush and reset. */
static void check_event_order(const struct emu_access *start, unsigned int starts,
			      const struct emu_access *stop, unsigned int stops)
{
	int enable = written(start, starts, EVENTS + EVENT_CONTROL, EVENT_CONTROL_ENABLE);
	int disable = written(stop, stops, EVENTS + EVENT_CONTROL, 0);
	int reset = written(start, starts, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	int flush = written(stop, stops, CRU_DMA_CONTROL,
			    CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);

	CU_ASSERT(reset >= 0 && reset < enable);
	CU_ASSERT(enable >= 0 &&
		  enable < written(start, starts, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START));
	CU_ASSERT(flush >= 0 && flush < disable);
	CU_ASSERT(disable < written(stop, stops, CRU_RESET_CONTROL, CRU_RESET_GENERAL));
}

/* Trace one start and one stop; the caller frees the lists. */
static bool traced_run(struct rig *r, struct emu_access **start, unsigned int *start_count,
		       struct emu_access **stop, unsigned int *stop_count)
{
	if (!rig_open(r))
		return false;
	emu_trace_start(CARD0, 0);
	if (!rig_start(r))
		return false;
	*start_count = emu_trace_stop(CARD0, 0, start);
	rig_push(r, RIG_MAX);
	if (!rig_run(r, 10, 5000))
		return false;
	emu_trace_start(CARD0, 0);
	if (!rig_stop(r))
		return false;
	ch_info(rig_fd(r)); /* reads: the last write was posted */
	*stop_count = emu_trace_stop(CARD0, 0, stop);
	rig_close(r);
	return true;
}

static bool try_order(enum roc_source source, const struct step *start_steps, unsigned int starts,
		      const struct step *stop_steps, unsigned int stops)
{
	struct rig r = {.id = EP0, .source = source, .links = 0x1, .count = 4};
	struct emu_access *start = NULL, *stop = NULL;
	unsigned int start_count = 0, stop_count = 0;
	bool waited = true;

	emu_normal(CARD0, FOUR_LINKS);
	CU_ASSERT(traced_run(&r, &start, &start_count, &stop, &stop_count));
	RIG_OK(&r);
	if (start && stop) {
		waited = check_steps("start", start_steps, starts, start, start_count);
		waited = check_steps("stop", stop_steps, stops, stop, stop_count) && waited;
		if (has_events(EP0))
			check_event_order(start, start_count, stop, stop_count);
	}
	free(start);
	free(stop);
	return waited;
}

static void check_order(enum roc_source source, const struct step *start_steps, unsigned int starts,
			const struct step *stop_steps, unsigned int stops)
{
	unsigned int tries = LATE_TRIES;

	while (!try_order(source, start_steps, starts, stop_steps, stops) && --tries)
		;
	CU_ASSERT(tries > 0);
}

static void order_internal(void)
{
	static const struct step start[] = {
		R0(CRU_TIME_FRAME, 256u << 20, 0),
		W0(CRU_DATA_SOURCE, CRU_DATA_SOURCE_INTERNAL, 0),
		W0(CRU_RESET_CONTROL, CRU_RESET_GENERATOR, 0),
		W0(CRU_RESET_CONTROL, CRU_RESET_GENERAL, 100 * MS),
		W0(CRU_DMA_CONTROL, CRU_DMA_CONTROL_START, 100 * MS),
	};
	static const struct step stop[] = {
		R0(CRU_DMA_CONTROL, CRU_DMA_CONTROL_START, 0),
		W0(CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH, 0),
		/*
		 * Beyond the documented stop the driver verifies that nothing stays in the card. It
		 * polls for the reset, and then nothing may change for 10 ms.
		 */
		W0(CRU_RESET_CONTROL, CRU_RESET_GENERAL, 0),
		W0(CRU_DMA_CONTROL, 0, 0),
		R0(CRU_DMA_CONTROL, 0, 10 * MS),
	};

	check_order(ROC_SOURCE_INTERNAL, start, N(start), stop, N(stop));
}

/*
 * With the time-frame register at 0 the driver sets the generator's debug bit, and clears it
 * afterwards.
 */
static void order_internal_debug(void)
{
	static const struct step start[] = {
		R0(CRU_TIME_FRAME, 0, 0),
		W0(CRU_TIME_FRAME, CRU_TIME_FRAME_DEBUG, 0),
		W0(CRU_DATA_SOURCE, CRU_DATA_SOURCE_INTERNAL, 0),
		W0(CRU_RESET_CONTROL, CRU_RESET_GENERATOR, 0),
		W0(CRU_RESET_CONTROL, CRU_RESET_GENERAL, 100 * MS),
		W0(CRU_DMA_CONTROL, CRU_DMA_CONTROL_START, 100 * MS),
	};
	static const struct step stop[] = {
		R0(CRU_DMA_CONTROL, CRU_DMA_CONTROL_START, 0),
		W0(CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH, 0),
		W0(CRU_RESET_CONTROL, CRU_RESET_GENERAL, 0),
		W0(CRU_DMA_CONTROL, 0, 0),
		R0(CRU_DMA_CONTROL, 0, 10 * MS),
		R0(CRU_TIME_FRAME, CRU_TIME_FRAME_DEBUG, 0),
		W0(CRU_TIME_FRAME, 0, 0),
	};

	emu_poke(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME, 0);
	check_order(ROC_SOURCE_INTERNAL, start, N(start), stop, N(stop));
	emu_poke(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME, 256u << 20);
}

/* A length configured beside the debug bit stays after the run, which clears the bit. */
static void length_beside_debug(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_INTERNAL, .links = 0x1, .count = 4};
	int fd = node_open(EP0, -1);
	uint32_t v = 0;

	UNIT_NEED(fd >= 0);
	emu_normal(CARD0, FOUR_LINKS);
	emu_poke(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME, 0);
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r) && rig_run(&r, 10, 5000));
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME), CRU_TIME_FRAME_DEBUG);
	UNIT_EQ(reg_modify(fd, CRU_BAR_DMA, CRU_TIME_FRAME, 0xfffu << 20, 128u << 20, NULL), 0);
	CU_ASSERT(rig_stop(&r));
	UNIT_EQ(reg_read(fd, CRU_BAR_DMA, CRU_TIME_FRAME, &v), 0);
	UNIT_EQ(v, 128u << 20);
	RIG_OK(&r);
	rig_close(&r);
	close(fd);
	emu_poke(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME, 256u << 20);
}

static void order_datapath(void)
{
	static const struct step start[] = {
		W0(CRU_DATA_SOURCE, CRU_DATA_SOURCE_DATAPATH, 0),
		RUN_BIT(0, 0),
		W0(CRU_RESET_CONTROL, CRU_RESET_GENERATOR, 0),
		W0(CRU_RESET_CONTROL, CRU_RESET_GENERAL, 100 * MS),
		W0(CRU_DMA_CONTROL, CRU_DMA_CONTROL_START, 100 * MS),
		RUN_BIT(1, 10 * MS),
	};
	static const struct step stop[] = {
		R0(CRU_DMA_CONTROL, CRU_DMA_CONTROL_START, 0),
		W0(CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH, 0),
		RUN_BIT(0, 0),
		W0(CRU_RESET_CONTROL, CRU_RESET_GENERAL, 0),
		W0(CRU_DMA_CONTROL, 0, 0),
		R0(CRU_DMA_CONTROL, 0, 10 * MS),
	};

	check_order(ROC_SOURCE_DDG, start, N(start), stop, N(stop));
	check_order(ROC_SOURCE_FEE, start, N(start), stop, N(stop));
}

/* Index where the card last got superpages, and where data flow was enabled; -1: none. */
static int last_push(const struct emu_access *list, unsigned int count, unsigned int link)
{
	uint32_t offset = has_events(EP0) ? EVENTS + EVENT_DOORBELL : CRU_SP_PUSH(link);
	int i;

	for (i = count - 1; i >= 0; i--)
		if (list[i].write && list[i].bar == CRU_BAR_DMA && list[i].offset == offset)
			return i;
	return -1;
}

static int run_enabled(const struct emu_access *list, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (list[i].write && list[i].bar == CRU_BAR_CARD &&
		    list[i].offset == CRU_USER_CONTROL && list[i].value & CRU_USER_CONTROL_RUN)
			return i;
	return -1;
}

/* Data without a superpage are dropped, so the card must get its superpages before. */
static void superpages_before_data(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 8};
	struct emu_access *list;
	unsigned int count, l;

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	emu_trace_start(CARD0, 0);
	CU_ASSERT(rig_start(&r));
	count = emu_trace_stop(CARD0, 0, &list);
	CU_ASSERT(run_enabled(list, count) >= 0);
	for (l = 0; l < 4; l++) {
		CU_ASSERT(last_push(list, count, l) >= 0);
		CU_ASSERT(last_push(list, count, l) < run_enabled(list, count));
	}
	free(list);
	CU_ASSERT(rig_run(&r, 20, 5000));
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

/* With events: one doorbell, and no register is read. */
static void check_event_push(const struct emu_access *list, unsigned int count)
{
	unsigned int i, bells = 0;

	for (i = 0; i < count; i++) {
		if (list[i].bar == CRU_BAR_CARD) /* the temperature */
			continue;
		CU_ASSERT(list[i].write);
		bells += list[i].offset == EVENTS + EVENT_DOORBELL;
		CU_ASSERT(list[i].offset == EVENTS + EVENT_DOORBELL ||
			  list[i].offset == EVENTS + EVENT_ARM ||
			  list[i].offset == EVENTS + EVENT_MODERATION);
	}
	UNIT_EQ(bells, 1);
}

/* Three writes submit a superpage, in this order; the run makes no other write. */
static void order_of_a_push(void)
{
	struct rig r = {.id = EP0, .links = 0x2, .count = 1, .superpage = 96 * KIB};
	struct emu_access *list;
	unsigned int i, n = 0, count;
	static const uint32_t offsets[] = {CRU_SP_HIGH(1), CRU_SP_LOW(1), CRU_SP_PUSH(1),
					   CRU_SP_SIZE(1)};

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r) && rig_start(&r));
	emu_trace_start(CARD0, 0);
	rig_push(&r, 1);
	UNIT_EQ(rig_wait(&r, 1, 2000), 1);
	count = emu_trace_stop(CARD0, 0, &list);
	if (has_events(EP0))
		check_event_push(list, count);
	for (i = 0; i < count && !has_events(EP0); i++) {
		if (!list[i].write)
			continue;
		CU_ASSERT(n < N(offsets));
		if (n < N(offsets))
			UNIT_EQ(list[i].offset, offsets[n]);
		if (n == 2)
			UNIT_EQ(list[i].value, 12);
		if (n == 3)
			UNIT_EQ(list[i].value, CRU_SP_SIZE_ADVANCE);
		n++;
	}
	if (!has_events(EP0))
		UNIT_EQ(n, 4);
	free(list);
	rig_take(&r, false);
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

/* On each socket: accesses from the other one take longer. */
static void thread_is_near(const char *id, int node)
{
	struct rig r = {.id = id};
	char allowed[256], near[256];
	int minor = -1;

	UNIT_NEED(sscanf(node_path(id, -1), "/dev/roc%d", &minor) == 1);
	UNIT_NEED(rig_open(&r) && rig_start(&r));
	UNIT_EQ(atoi(node_attr(id, -1, "numa_node")), node);
	UNIT_EQ(shell(near, sizeof(near), 5000, "cat /sys/devices/system/node/node%d/cpulist",
		      node),
		0);
	UNIT_EQ(shell(allowed, sizeof(allowed), 5000,
		      "cd /proc/$(grep -lx 'roc/%d.0' /proc/[0-9]*/comm | cut -d/ -f3) && sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' status",
		      minor),
		0);
	UNIT_STR(allowed, near);
	rig_stop(&r);
	rig_close(&r);
}

static void threads_are_near_their_cards(void)
{
	emu_normal(CARD0, FOUR_LINKS);
	emu_normal(CARD1, FOUR_LINKS);
	thread_is_near(EP0, 0);
	thread_is_near("246:0", 1);
}

/*
 * Before its first start, and after a stop, the card must not write. One with events may always
 * write, for its alarms; the driver has stopped it before.
 */
static void bus_mastering(void)
{
	struct rig r = {.id = EP0};
	bool always;

	emu_poke(CARD0, 0, CRU_BAR_DMA, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	UNIT_NEED(rebind_card(CARD0));
	always = has_events(EP0);
	if (always)
		UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_DMA_CONTROL), 0);
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_EQ(bus_master(EP0), always);
	UNIT_NEED(rig_open(&r));
	UNIT_EQ(bus_master(EP0), always);
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(bus_master(EP0));
	rig_stop(&r);
	rig_close(&r);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_DMA_CONTROL), 0);
	UNIT_EQ(emu_count(CARD0, 0, "dma_no_master"), 0);
}

/* Consecutive runs: the rig checks run numbers and that counters start anew. */
static void run_after_run(enum roc_source source)
{
	struct rig r = {.id = EP0, .source = source, .count = 24, .superpage = 256 * KIB};
	struct roc_ch_info info;
	uint64_t filled = 0;
	int run;

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	for (run = 1; run <= 3; run++) {
		rig_push(&r, RIG_MAX);
		emu(CARD0, "clear");
		UNIT_NEED(rig_start(&r) && rig_run(&r, 30, 8000));
		/* The card has half-filled superpages, and the reader has unread entries. */
		sleep_ms(20);
		rig_stop(&r);
		rig_agrees(&r, CARD0, 0);
		filled += r.filled;
		UNIT_EQ(rig_missing(&r), 0);
	}
	info = ch_info(rig_fd(&r));
	UNIT_EQ(info.completed, filled);
	UNIT_EQ(info.state, ROC_CH_STOPPED);
	RIG_OK(&r);
	rig_close(&r);
}

static void runs_internal(void)
{
	run_after_run(ROC_SOURCE_INTERNAL);
}

static void runs_ddg(void)
{
	run_after_run(ROC_SOURCE_DDG);
}

/* Entries that the card did not take stay in the fill ring for the next run. */
static void left_in_the_ring(void)
{
	struct rig r = {.id = EP0, .links = 0x1, .count = 200, .superpage = 32 * KIB, .ring = 256};

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 stall");
	UNIT_NEED(rig_open(&r));
	UNIT_EQ(rig_push(&r, RIG_MAX), 200);
	UNIT_NEED(rig_start(&r));
	UNIT_EQ(ch_info(rig_fd(&r)).in_flight, 128);
	/* A stalled card with events writes no END. */
	UNIT_EQ(roc_channel_stop(r.ch, NULL), has_events(EP0) ? -EIO : 0);
	rig_take(&r, false);
	UNIT_EQ(r.reclaimed, 128);
	UNIT_EQ(r.out, 72);
	emu(CARD0, "fault 0 clear");
	UNIT_NEED(rig_start(&r));
	UNIT_EQ(rig_wait(&r, 72, 3000), 72);
	UNIT_EQ(rig_take(&r, false), 72);
	UNIT_EQ(r.out, 0);
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

static void reset_levels(void)
{
	unsigned int count, tries = LATE_TRIES;
	struct emu_access *list;
	bool waited;
	static const struct step internal[] = {
		W0(CRU_RESET_CONTROL, CRU_RESET_GENERATOR, 0),
		W0(CRU_RESET_CONTROL, CRU_RESET_GENERAL, 100 * MS),
	};
	int fd = node_open(EP0, 0);

	UNIT_NEED(fd >= 0);
	emu_trace_start(CARD0, 0);
	UNIT_EQ(control(fd, ROC_CH_RESET, 0, ROC_RESET_NOTHING), 0);
	count = emu_trace_stop(CARD0, 0, &list);
	check_steps("reset NOTHING", internal, 0, list, count);
	free(list);
	do {
		emu_trace_start(CARD0, 0);
		UNIT_EQ(control(fd, ROC_CH_RESET, 0, ROC_RESET_INTERNAL), 0);
		count = emu_trace_stop(CARD0, 0, &list);
		waited = check_steps("reset", internal, N(internal), list, count);
		free(list);
	} while (!waited && --tries);
	CU_ASSERT(waited);
	UNIT_EQ(control(fd, ROC_CH_RESET, 0, ROC_RESET_INTERNAL_SIU), -EOPNOTSUPP);
	close(fd);
}

/*
 * Two endpoints share a run-enable bit: the first one to stop must not stop the other one's data.
 */
static void shared_run_enable(void)
{
	struct rig a = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 8};
	struct rig b = {.id = EP1, .source = ROC_SOURCE_DDG, .count = 8};
	struct emu_access *list;
	unsigned int i, count;

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&a) && rig_open(&b));
	rig_push(&a, RIG_MAX);
	UNIT_NEED(rig_start(&a) && rig_run(&a, 10, 5000));
	/* The second start must not clear the bit of the first. */
	emu_trace_start(CARD0, 1);
	rig_push(&b, RIG_MAX);
	UNIT_NEED(rig_start(&b));
	count = emu_trace_stop(CARD0, 1, &list);
	for (i = 0; i < count; i++)
		if (list[i].write && list[i].bar == CRU_BAR_CARD &&
		    list[i].offset == CRU_USER_CONTROL)
			UNIT_EQ(list[i].value & 1, 1);
	free(list);
	CU_ASSERT(rig_run(&a, a.filled + 10, 5000));
	CU_ASSERT(rig_run(&b, 10, 5000));
	rig_stop(&a);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL) & 1, 1);
	CU_ASSERT(rig_run(&b, b.filled + 20, 5000));
	/* And in the other order, with a stopped one started again. */
	rig_push(&a, RIG_MAX);
	UNIT_NEED(rig_start(&a) && rig_run(&a, 10, 5000));
	rig_close(&b); /* without a stop */
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL) & 1, 1);
	CU_ASSERT(rig_run(&a, a.filled + 20, 5000));
	rig_stop(&a);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL) & 1, 0);
	RIG_OK(&a);
	RIG_OK(&b);
	rig_close(&a);
}

/* Crashed software left the bit set: the next start clears it first. */
static void stale_run_enable(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG};

	emu_poke(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL, 1);
	CU_ASSERT(rig_once(&r, 20, 5000));
	RIG_OK(&r);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL) & 1, 0);
	rig_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

UNIT_MAIN("lifecycle", {"order, internal", order_internal},
	  {"order, internal with debug bit", order_internal_debug},
	  {"length beside debug", length_beside_debug}, {"order, datapath", order_datapath},
	  {"superpages before data", superpages_before_data}, {"order of a push", order_of_a_push},
	  {"bus mastering", bus_mastering}, {"runs, internal", runs_internal},
	  {"runs, DDG", runs_ddg}, {"left in the ring", left_in_the_ring},
	  {"reset levels", reset_levels}, {"shared run enable", shared_run_enable},
	  {"stale run enable", stale_run_enable},
	  {"threads are near their cards", threads_are_near_their_cards})
