// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run of a sub-unit: poll the progress of the card in its two rings, and detect missing entries.
 * All polls are of host memory. The driver reads registers of the card only after a silence or an
 * error, and at the end of a run. See core/run.h.
 */
#include <linux/iopoll.h>

#include "core/block.h"
#include "fragment/fragment.h"

#define ROC_DRAIN_TRY_US 500
#define ROC_DRAIN_US USEC_PER_SEC

static_assert((int)ROC_FR_STOPPED == ROC_RUN_STOPPED && (int)ROC_FR_FAILED == ROC_RUN_FAILED &&
	      (int)ROC_FR_GONE == ROC_RUN_GONE);
static_assert(sizeof(struct roc_fr_kernel) == sizeof(struct roc_run_page) &&
	      offsetof(struct roc_fr_kernel, run) == offsetof(struct roc_run_page, run));
static_assert(sizeof(struct roc_fr_reset) == sizeof(struct roc_reset_arg) &&
	      offsetof(struct roc_fr_reset, sub) == offsetof(struct roc_reset_arg, number) &&
	      offsetof(struct roc_fr_reset, level) == offsetof(struct roc_reset_arg, level));
static_assert(ROC_FR_ALL == ROC_RESET_ALL && ROC_FR_RESET_DEFAULT == 0);

/* Poll both lanes. An invalid count of the reader is ignored, and counted as an error. */
static void roc_fragment_poll(struct roc_run *run)
{
	struct roc_fragment_run *r = roc_fragment_run(run);
	unsigned int i;

	for (i = 0; i < ROC_LANES; i++) {
		struct roc_count *count = &r->lane[i].count;
		u32 taken = roc_lane_taken(run, i);

		/*
		 * If the driver was delayed, card and reader may both have moved by more than a
		 * lap.
		 */
		if (!roc_count_update(count, taken) && roc_lane_taken(run, i) == taken) {
			r->bad = true;
			run->open.ch->stats.bad_index++;
		}
		run->queue[i].count = count->known;
		/* An entry is missing: the watchdog reads the card's counts. */
		if (roc_count_next(count, taken) != count->known)
			run->error_pending = true;
	}
}

static bool roc_fragment_readable(const struct roc_run *run)
{
	const struct roc_fragment_run *r = roc_fragment_run(run);
	unsigned int i;

	for (i = 0; i < ROC_LANES; i++)
		if (roc_count_fresh(&r->lane[i].count, roc_lane_taken(run, i)))
			return true;
	return false;
}

/* An interrupt that was requested for a lower count still serves, unless its entry has come. */
static bool roc_fragment_armed_for(const struct roc_run *run, const struct roc_event_queue *q,
				   u32 seen)
{
	return q->armed && roc_count_ahead(q->seen, seen) <= 0 && !roc_queue_fresh(q);
}

static s64 roc_fragment_due(const struct roc_run *run, const struct roc_event_queue *q)
{
	return READ_ONCE(roc_sub(run->open.ch)->settings.time[q->purpose]);
}

static u32 *roc_fr_wait_count(struct roc_fr_wait *arg, unsigned int lane)
{
	return lane == ROC_LANE_DATA ? &arg->descriptors : &arg->completions;
}

/* Check the wait condition, and set @arg->ready to the lanes whose count is reached. */
static bool roc_fragment_wait(struct roc_run *run, void *data, bool runs)
{
	struct roc_fr_wait *arg = data;
	unsigned int i;

	arg->ready = 0;
	for (i = 0; i < ROC_LANES; i++)
		if (arg->mask & BIT(i) && roc_count_reached(&roc_fragment_run(run)->lane[i].count,
							    *roc_fr_wait_count(arg, i)))
			arg->ready |= BIT(i);
	for (i = 0; i < ROC_LANES && runs && !arg->ready; i++)
		if (arg->mask & BIT(i))
			roc_queue_wait(run, &run->queue[i], *roc_fr_wait_count(arg, i));
	return arg->ready;
}

/* Return true if a count is more than a ring ahead of the card, which cannot be reached. */
static bool roc_fragment_never_met(struct roc_run *run, const void *data)
{
	struct roc_fr_wait arg = *(const struct roc_fr_wait *)data;
	bool far = false;
	unsigned int i;

	for (i = 0; i < ROC_LANES; i++) {
		const struct roc_count *c = &roc_fragment_run(run)->lane[i].count;

		far |= arg.mask & BIT(i) && roc_count_ahead(*roc_fr_wait_count(&arg, i), c->known) >
						    (s32)roc_count_entries(c);
	}
	return far;
}

static void roc_fragment_wait_result(struct roc_run *run, void *data)
{
	const struct roc_fragment_run *r = roc_fragment_run(run);
	struct roc_fr_wait *arg = data;

	arg->descriptors = r->lane[ROC_LANE_DATA].count.known;
	arg->completions = r->lane[ROC_LANE_DONE].count.known;
}

/*
 * Return true if the card has counted entry @next, but the entry is not in memory. Entries that the
 * card has counted are in memory once it has answered a later read of its generation. If the card
 * is more than a lap ahead it has overwritten the phases, which is normal for a reader that does
 * not report its position.
 */
static bool roc_fragment_entry_missing(const struct roc_fragment_run *r, unsigned int lane,
				       u32 next)
{
	const struct roc_fragment_lane *l = &r->lane[lane];
	u32 missing = l->counted - next;

	return !r->bad && missing && missing <= roc_count_entries(&l->count);
}

/*
 * An interrupt may be so late that the card has written more than one lap since the last poll. The
 * phases do not show that, only the count of the card does.
 */
static void roc_fragment_lapped(struct roc_run *run, unsigned int lane)
{
	struct roc_fragment_lane *l = &roc_fragment_run(run)->lane[lane];
	struct roc_event_queue *q = &run->queue[lane];
	u32 taken = l->count.taken;

	if (!(q->armed || q->waiting || roc_queue_has_listener(run)) ||
	    roc_count_ahead(l->counted, l->count.known) <= (s32)roc_count_entries(&l->count))
		return;
	roc_count_update(&l->count, l->counted);
	l->count.taken = taken; /* the reader did not report it */
	q->count = l->count.known;
	roc_queue_missed(run, q);
}

/**
 * struct roc_missing - entries that the card counted, but that were not in memory
 * @lanes: mask of lanes that miss an entry
 * @next: the first missing entry of each of these lanes
 */
struct roc_missing {
	u32 lanes;
	u32 next[ROC_LANES];
};

/* Record the missing entry of a lane. True: it was missing at the @last query, too, and is lost. */
static bool roc_fragment_record_missing(struct roc_run *run, unsigned int lane,
					const struct roc_missing *last, struct roc_missing *now)
{
	const struct roc_fragment_run *r = roc_fragment_run(run);
	u32 next = roc_count_next(&r->lane[lane].count, roc_lane_taken(run, lane));

	if (!roc_fragment_entry_missing(r, lane, next))
		return false;
	now->lanes |= BIT(lane);
	now->next[lane] = next;
	return last->lanes & BIT(lane) && last->next[lane] == next;
}

/*
 * Check that the card is present, that it still runs, and that the entries that it counted are in
 * memory. The channel lock keeps the run from starting or stopping meanwhile. An entry that was
 * missing @last is lost if the card is still less than a lap further. Otherwise the entry was
 * there, and a later lap wrote over it.
 */
static struct roc_missing roc_fragment_query_once(struct roc_run *run,
						  const struct roc_missing *last)
{
	struct roc_fragment_run *r = roc_fragment_run(run);
	struct roc_channel *ch = run->open.ch;
	enum roc_reason reason = ROC_REASON_NONE;
	u32 written[ROC_LANES], status;
	struct roc_missing now = {};
	unsigned int i;

	lockdep_assert_held(&ch->lock);
	for (i = 0; i < ROC_LANES; i++)
		written[i] = roc_fragment_written(ch, i);
	/*
	 * The card answers this read after its earlier writes: all counted entries are in memory.
	 */
	roc_block_read(ch, BLOCK_GENERATION);
	status = roc_block_status(ch);
	spin_lock_irq(&ch->run_lock);
	ch->stats.mmio_reads += ROC_LANES + 2;
	if (roc_run_poll(run)) {
		reason = roc_block_reason(ch, status);
		for (i = 0; i < ROC_LANES && !reason; i++) {
			r->lane[i].counted = written[i];
			roc_fragment_lapped(run, i);
			if (roc_fragment_record_missing(run, i, last, &now))
				reason = ROC_REASON_RECORD;
		}
		if (reason)
			roc_run_fail(run, reason);
		else if (status & BLOCK_STATUS_HOST_ERROR)
			roc_run_bad_index(run);
	}
	spin_unlock_irq(&ch->run_lock);
	return now;
}

static void roc_fragment_query(struct roc_run *run)
{
	const struct roc_missing none = {};
	struct roc_missing first = roc_fragment_query_once(run, &none);

	if (first.lanes)
		roc_fragment_query_once(run, &first);
}

/*
 * Initialise the counts of reader and driver with the start of the run. The previous run is over
 * even if the card does not start.
 */
static void roc_fragment_begin(struct roc_run *run, u32 start)
{
	static const enum roc_fragment_ring ring[ROC_LANES] = {ROC_RING_DATA, ROC_RING_DONE};
	struct roc_fr_user *user = run->open.shared->area[ROC_AREA_USER].cpu;
	struct roc_fragment_run *r = roc_fragment_run(run);
	const struct roc_sub_rings *rings = roc_fragment_rings(run);
	struct roc_channel *ch = run->open.ch;
	unsigned int i;

	roc_sub_rings_clear(roc_fragment_rings(run));
	spin_lock_irq(&ch->run_lock);
	WRITE_ONCE(user->descriptors, start);
	WRITE_ONCE(user->completions, start);
	for (i = 0; i < ROC_LANES; i++) {
		r->lane[i] = (struct roc_fragment_lane){
			.count = {.entries = rings->shared.area[ring[i]].cpu,
				  .log2 = rings->log2[ring[i]],
				  .start = start,
				  .known = start,
				  .taken = start},
			.counted = start,
		};
		roc_queue_start(&run->queue[i], i, start);
	}
	r->bad = false;
	r->stopping = false;
	r->drained = false;
	spin_unlock_irq(&ch->run_lock);
}

/*
 * Wait until the card has completed all commands, or has failed, which no other path checks during
 * a stop. All links are disabled, and a change of settings does not enable them again.
 */
static enum roc_reason roc_fragment_drain(struct roc_run *run, u32 flags)
{
	struct roc_fragment_run *r = roc_fragment_run(run);
	struct roc_channel *ch = run->open.ch;
	enum roc_reason reason;
	unsigned int i;

	spin_lock_irq(&ch->run_lock);
	r->stopping = true;
	roc_fragment_enable_links(ch, 0);
	spin_unlock_irq(&ch->run_lock);
	if (flags & ROC_FR_STOP_NOW)
		r->commands = roc_block_read(ch, FRAGMENT_COMMANDS);
	else
		read_poll_timeout(roc_block_read, r->commands,
				  roc_fragment_written(ch, ROC_LANE_DONE) == r->commands ||
					  READ_ONCE(run->reason) || roc_block_trouble(ch),
				  ROC_DRAIN_TRY_US, ROC_DRAIN_US, false, ch, FRAGMENT_COMMANDS);
	for (i = 0; i < ROC_LANES; i++)
		r->written[i] = roc_fragment_written(ch, i);
	reason = roc_block_trouble(ch);
	/* If the card is gone all ones were read, which are no counts. */
	r->drained = reason != ROC_REASON_LOST;
	return reason;
}

/* If the card left out entries, read its counts, so that these entries are counted as lost. */
static bool roc_fragment_quiesce(struct roc_run *run, enum roc_reason reason, bool present)
{
	struct roc_fragment_run *r = roc_fragment_run(run);
	struct roc_channel *ch = run->open.ch;
	unsigned int i;
	u32 written;

	for (i = 0; i < ROC_LANES && present && reason == ROC_REASON_RECORD; i++) {
		written = roc_fragment_written(ch, i);
		spin_lock_irq(&ch->run_lock);
		if (written != ROC_ALL_ONES)
			r->lane[i].counted = written;
		spin_unlock_irq(&ch->run_lock);
	}
	return present;
}

/*
 * Count lost entries: those that the card left out and all later ones, because the reader cannot
 * get past a missing entry. The rings are long, so the search does not hold run_lock: no other path
 * writes these counts now.
 */
static bool roc_fragment_lost(struct roc_run *run)
{
	struct roc_fragment_run *r = roc_fragment_run(run);
	struct roc_channel *ch = run->open.ch;
	struct roc_count count;
	u32 lost, all = 0;
	unsigned int i;

	lockdep_assert_held(&ch->lock);
	for (i = 0; i < ROC_LANES; i++) {
		count = r->lane[i].count;
		lost = roc_count_lost(&count, roc_lane_taken(run, i), r->lane[i].counted);
		spin_lock_irq(&ch->run_lock);
		r->lane[i].count = count;
		ch->stats.lost += lost;
		spin_unlock_irq(&ch->run_lock);
		all |= lost;
	}
	return all;
}

/*
 * Take over the final counts. Phases show the progress of the card only within a lap of the reader,
 * and a reader that never waits need not report its position. So after a stop the driver uses the
 * card's own counts, whose entries are in memory by now, unless the card violated the protocol.
 */
static enum roc_reason roc_fragment_finish(struct roc_run *run, enum roc_reason reason)
{
	struct roc_fragment_run *r = roc_fragment_run(run);
	bool counts = r->drained &&
		      (!reason || reason == ROC_REASON_CARD || reason == ROC_REASON_SUSPENDED);
	struct roc_channel *ch = run->open.ch;
	unsigned int i;

	spin_lock_irq(&ch->run_lock);
	for (i = 0; i < ROC_LANES; i++) {
		roc_count_update(&r->lane[i].count, roc_lane_taken(run, i));
		if (!counts)
			continue;
		r->lane[i].counted = r->written[i];
		roc_count_update(&r->lane[i].count, r->written[i]);
	}
	spin_unlock_irq(&ch->run_lock);
	/* Without the card's counts a reader that reports no position may be laps behind. */
	if ((counts || reason == ROC_REASON_RECORD) && roc_fragment_lost(run))
		return ROC_REASON_RECORD;
	return ROC_REASON_NONE;
}

/*
 * The reader may have submitted more commands since @commands was read, and the card completed
 * them.
 */
static void roc_fragment_report(struct roc_run *run, void *data)
{
	const struct roc_fragment_run *r = roc_fragment_run(run);
	struct roc_fr_stop *arg = data;

	arg->descriptors = r->lane[ROC_LANE_DATA].count.known;
	arg->completions = r->lane[ROC_LANE_DONE].count.known;
	if (r->drained && roc_count_ahead(r->commands, arg->completions) > 0)
		arg->lost = r->commands - arg->completions;
	else
		arg->lost = 0;
}

static const struct roc_run_level roc_fragment_levels[] = {
	[ROC_FR_RESET_DEFAULT] = {.bits = BLOCK_RESET_DEFAULT, .stops = true},
	[ROC_FR_RESET_LOGIC] = {.bits = BLOCK_RESET_LOGIC, .stops = true},
	[ROC_FR_RESET_COUNTERS] = {.bits = BLOCK_RESET_COUNTERS, .unowned = true},
};

const struct roc_run_ops roc_fragment_run_ops = {
	.queues = ROC_LANES,
	.levels = roc_fragment_levels,
	.level_count = ARRAY_SIZE(roc_fragment_levels),
	.prepare = roc_table_make,
	.begin = roc_fragment_begin,
	.setup = roc_fragment_setup,
	.drain = roc_fragment_drain,
	.check = roc_block_trouble,
	.quiesce = roc_fragment_quiesce,
	.finish = roc_fragment_finish,
	.report = roc_fragment_report,
	.query = roc_fragment_query,
	.reset = roc_fragment_reset,
	.poll = roc_fragment_poll,
	.readable = roc_fragment_readable,
	.wait = roc_fragment_wait,
	.never_met = roc_fragment_never_met,
	.wait_result = roc_fragment_wait_result,
	.moderate = roc_fragment_moderate,
	.armed_for = roc_fragment_armed_for,
	.arm = roc_fragment_arm,
	.due = roc_fragment_due,
};
