// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pump units from a source to a sink. One batch consists of the units that are ready: the pump puts
 * all of them, then flushes the sink once. It returns completed units, then flushes the source
 * once.
 */
#include "pump.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "utils/common/tool.h"

#define BATCH 64
/* a signal that arrives just before the sleep waits at most so long */
#define SLEEP_MAX_NS (100 * 1000 * 1000)

static const char *const ends[] = {
	[PUMP_END_SOURCE] = "source", [PUMP_END_BYTES] = "bytes",   [PUMP_END_UNITS] = "units",
	[PUMP_END_TIME] = "time",     [PUMP_END_SIGNAL] = "signal", [PUMP_END_STALL] = "stall",
	[PUMP_END_FULL] = "full",     [PUMP_END_FAILED] = "failed",
};

const char *pump_end_name(enum pump_end end)
{
	return ends[end];
}

static int fail(struct pump *p, int err, const char *reason)
{
	return units_fail(p->reason, -err, "%s", reason[0] ? reason : strerror(-err));
}

static void count(struct pump *p, const struct unit *u)
{
	struct pump_counts *n = &p->n;

	n->units++;
	n->bytes += u->bytes;
	n->damaged += !!(u->flags & UNIT_DAMAGED);
	n->out++;
	if (n->out > n->out_most)
		n->out_most = n->out;
	if (u->link >= 0 && u->link < UNITS_LINKS) {
		n->links[u->link].units++;
		n->links[u->link].bytes += u->bytes;
	}
}

static int give_back(struct pump *p, uint64_t handle)
{
	int ret = p->source->ops->give_back(p->source, handle);

	return ret ? fail(p, ret, p->source->reason) : 0;
}

/* Return a unit that the sink did not complete. */
static int refuse(struct pump *p, uint64_t handle)
{
	const struct source_ops *ops = p->source->ops;
	int ret = (ops->refuse ? ops->refuse : ops->give_back)(p->source, handle);

	return ret ? fail(p, ret, p->source->reason) : 0;
}

/* Put one unit: 1; 0 when there is no space or the sink is full; -errno. */
static int put(struct pump *p, const struct unit *u)
{
	int ret = p->full ? -ENOSPC : p->sink->ops->put(p->sink, u);

	if (ret > 0) {
		count(p, u);
		return 1;
	}
	if (!ret) {
		p->pending = *u;
		p->has_pending = true;
		return 0;
	}
	if (ret != -ENOSPC) {
		/* The unit goes back at the end. */
		p->pending = *u;
		p->has_pending = true;
		return fail(p, ret, p->sink->reason);
	}
	p->full = true;
	p->n.left++;
	p->n.left_bytes += u->bytes;
	return refuse(p, u->handle);
}

static bool enough(const struct pump *p)
{
	return (p->limits.bytes && p->n.bytes >= p->limits.bytes) ||
	       (p->limits.units && p->n.units >= p->limits.units);
}

/*
 * Take and put the units that are ready. Return: their number; -ENODATA: no more will come; -errno.
 */
static int move(struct pump *p, bool all)
{
	struct unit u;
	int n = 0, ret;

	p->exhausted = false;
	if (p->has_pending) {
		p->has_pending = false;
		u = p->pending;
		ret = put(p, &u);
		if (ret < 0 || p->has_pending)
			return ret;
		n += ret;
	}
	while (n < BATCH && (all || (!p->full && !enough(p)))) {
		ret = p->source->ops->take(p->source, &u);
		p->exhausted = ret == -EAGAIN || ret == -ENODATA;
		if (!ret || ret == -EAGAIN)
			break;
		if (ret == -ENODATA)
			return n ? n : ret;
		if (ret < 0)
			return fail(p, ret, p->source->reason);
		ret = put(p, &u);
		if (ret < 0)
			return ret;
		n += ret;
		/* When the sink is full, the caller returns the remaining units to the source. */
		if (p->has_pending || (!ret && !all))
			break;
	}
	return n;
}

/*
 * Collect handles from the sink by @out and return them by @back. Return: their number, or -errno.
 * If one cannot be returned, the others still are.
 */
static int pass_back(struct pump *p, int (*out)(struct sink *, uint64_t *, unsigned int),
		     int (*back)(struct pump *, uint64_t))
{
	uint64_t handles[BATCH];
	int n, i, err = 0;

	n = out(p->sink, handles, BATCH);
	if (n == -ENOSPC) {
		p->full = true;
		return 0;
	}
	if (n < 0)
		return fail(p, n, p->sink->reason);
	for (i = 0; i < n; i++) {
		int ret = back(p, handles[i]);

		p->n.out--;
		p->n.returned += !ret;
		err = err ?: ret;
	}
	return err ?: n;
}

/* Return the units that the sink has completed or lost. Return: their number, or -errno. */
static int collect(struct pump *p)
{
	const struct sink_ops *ops = p->sink->ops;
	int n, lost;

	n = pass_back(p, ops->done, give_back);
	if (n < 0 || !ops->lost)
		return n;
	lost = pass_back(p, ops->lost, refuse);
	return lost < 0 ? lost : n + lost;
}

/*
 * If a unit is ready but cannot be taken now, waiting for the source would end every sleep at once.
 */
static void pump_sleep(struct pump *p)
{
	const struct source_ops *ops = p->source->ops;
	struct units_sleep s = {.ns = SLEEP_MAX_NS};
	bool can_take = !p->has_pending && !p->exhausted;

	p->sink->ops->sleep(p->sink, &s);
	if (s.ns && can_take)
		ops->sleep(p->source, &s);
	else if (s.ns && ops->sleep_blocked)
		ops->sleep_blocked(p->source, &s);
	p->n.sleeps += doze(&p->doze, &s);
}

/* Move one batch and return completed units. Return: number of both; errors as move(). */
static int turn(struct pump *p, bool all)
{
	int moved, back, ret;

	moved = move(p, all);
	if (moved < 0 && moved != -ENODATA)
		return moved;
	ret = p->sink->ops->flush(p->sink);
	if (ret == -ENOSPC)
		p->full = true;
	else if (ret)
		return fail(p, ret, p->sink->reason);
	back = collect(p);
	if (back < 0)
		return back;
	if (p->source->ops->flush) {
		ret = p->source->ops->flush(p->source);
		if (ret)
			return fail(p, ret, p->source->reason);
	}
	if (moved == -ENODATA)
		return back ? back : moved;
	return moved + back;
}

static bool finished(struct pump *p, uint64_t now, uint64_t progress)
{
	const struct pump_limits *l = &p->limits;

	if (p->reason[0])
		p->end = PUMP_END_FAILED;
	else if (p->full)
		p->end = PUMP_END_FULL;
	else if (stop_requested())
		p->end = PUMP_END_SIGNAL;
	else if (l->bytes && p->n.bytes >= l->bytes)
		p->end = PUMP_END_BYTES;
	else if (l->units && p->n.units >= l->units)
		p->end = PUMP_END_UNITS;
	else if (l->time && now - p->n.start >= l->time * UNITS_NS_PER_S)
		p->end = PUMP_END_TIME;
	else if (l->stall && now - progress >= l->stall * UNITS_NS_PER_S)
		p->end = PUMP_END_STALL;
	else
		return false;
	return true;
}

static void flow(struct pump *p)
{
	uint64_t now = units_now(), progress = now, tick = now + p->tick_ns, units;
	int ret;

	while (!finished(p, now, progress)) {
		units = p->n.units + p->n.returned;
		ret = turn(p, false);
		if (ret == -ENODATA && !p->n.out && !p->has_pending) {
			p->end = PUMP_END_SOURCE;
			return;
		}
		if (ret > 0)
			doze_moved(&p->doze);
		else if (!p->reason[0])
			pump_sleep(p);
		now = units_now();
		/* Units that the sink keeps do not count as a stall of the source. */
		if (units != p->n.units + p->n.returned || p->n.out || p->has_pending ||
		    p->source->paced)
			progress = now;
		if (now >= tick) {
			if (p->tick)
				p->tick(p, p->context);
			tick = now + p->tick_ns;
		}
	}
}

/*
 * After the stop of the source, take its remaining units and wait until the sink has completed all.
 */
static void drain(struct pump *p)
{
	uint64_t patience = p->limits.finish * UNITS_NS_PER_S, until = units_now() + patience, now;
	bool dry = false;
	int ret;

	while (!p->reason[0] && (!dry || p->n.out || p->has_pending)) {
		/* A full sink has its own message. */
		if (p->limits.second_stop && !p->full && stop_requested_twice()) {
			p->abandoned = true;
			return;
		}
		/*
		 * Read the clock before the turn: time in which this thread did not run is not the
		 * sink's.
		 */
		now = units_now();
		ret = turn(p, true);
		if (ret < 0 && ret != -ENODATA)
			return;
		/*
		 * Progress restarts the limit, because the number of units is finite. A disk sync
		 * suspends it.
		 */
		if (ret > 0 || p->sink->syncing)
			until = units_now() + patience;
		if (ret > 0)
			continue;
		/* Nothing moved. The source may show more units when the sink returns some. */
		if (ret == -ENODATA && !p->n.out && !p->has_pending)
			dry = true;
		else if (now > until)
			units_fail(p->reason, ETIME,
				   "%" PRIu64
				   " units were not completed: no progress within %" PRIu64 " s.",
				   p->n.out, p->limits.finish);
		else
			pump_sleep(p);
	}
}

/*
 * Report what was abandoned, including units that the source still has. A source that still fetches
 * does not know their number.
 */
static void report_abandoned(struct pump *p)
{
	const struct sink_counts *n = &p->sink->n;
	bool more;

	p->full = true;
	more = move(p, true) != -ENODATA;
	if (p->n.left + n->lost || more)
		units_fail(p->reason, EINTR,
			   "Interrupted twice: %" PRIu64 " units, %" PRIu64
			   " bytes in total, were abandoned%s.",
			   p->n.left + n->lost, p->n.left_bytes + n->lost_bytes,
			   more ? ", and those that the source had not fetched" : "");
}

/* Abandon the units of the sink: they are lost, but must go back before their memory is freed. */
static void abandon_sink(struct pump *p)
{
	char kept[UNITS_REASON];
	uint64_t out = UINT64_MAX;

	memcpy(kept, p->reason, sizeof(kept));
	p->sink->ops->abandon(p->sink);
	p->reason[0] = '\0';
	/* The hung file system caused all other errors. */
	if (p->sink->hung)
		fail(p, -ETIME, p->sink->reason);
	while (p->n.out && p->n.out < out) {
		out = p->n.out;
		collect(p);
	}
	if (p->has_pending && !refuse(p, p->pending.handle)) {
		p->has_pending = false;
		p->n.left++;
		p->n.left_bytes += p->pending.bytes;
	}
	if (p->abandoned)
		report_abandoned(p);
	if (kept[0] && !p->sink->hung)
		memcpy(p->reason, kept, sizeof(kept));
}

void pump_run(struct pump *p)
{
	int ret;

	if (!p->limits.finish)
		p->limits.finish = 10;
	if (!p->tick_ns)
		p->tick_ns = UNITS_NS_PER_S;
	p->n.start = units_now();
	ret = p->source->ops->start(p->source);
	if (ret) {
		fail(p, ret, p->source->reason);
		p->end = PUMP_END_FAILED;
		p->n.finish = units_now();
		return;
	}
	flow(p);
	ret = p->source->ops->stop(p->source);
	if (ret)
		fail(p, ret, p->source->reason);
	drain(p);
	abandon_sink(p);
	p->n.finish = units_now();
	ret = p->sink->ops->finish(p->sink);
	if (ret)
		fail(p, ret, p->sink->reason);
	p->source->ops->counters(p->source, &p->counters);
	if (p->reason[0] && p->end != PUMP_END_FULL)
		p->end = PUMP_END_FAILED;
	if (p->tick)
		p->tick(p, p->context);
}
