// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pump. One batch is what is there when we look: all of it is put, then the sink is flushed
 * once; what is done goes back, then the source is flushed once.
 */
#include "pump.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "utils/common/tool.h"

#define BATCH 64
#define SLEEP_MAX_NS (100 * 1000 * 1000) /* a signal between look and sleep waits so long */

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

/* Of a unit that did not get where it should. */
static int refuse(struct pump *p, uint64_t handle)
{
	const struct source_ops *ops = p->source->ops;
	int ret = (ops->refuse ? ops->refuse : ops->give_back)(p->source, handle);

	return ret ? fail(p, ret, p->source->reason) : 0;
}

/* Hand one unit over: 1; 0 no room, or no more; -errno. */
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
		/* It goes back at the end. */
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

/* Take and put what is there: how many; -ENODATA there will be no more; -errno. */
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
		/* Of a sink that is full, what is left goes back without it. */
		if (p->has_pending || (!ret && !all))
			break;
	}
	return n;
}

/*
 * Units come out of the sink by @out and go back by @back: how many, or -errno. One that cannot go
 * back keeps no other.
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

/* What the sink is done with goes back: how many, or -errno. */
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

/* A unit that is there, but cannot be taken now, would end the sleep at once and again. */
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

/* One batch there and what is done back: how many in all; as move(). */
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
		/* What is with the sink is the sink's affair. */
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

/* The source is stopped: take what it had, and wait until the sink is done with everything. */
static void drain(struct pump *p)
{
	uint64_t patience = p->limits.finish * UNITS_NS_PER_S, until = units_now() + patience, now;
	bool dry = false;
	int ret;

	while (!p->reason[0] && (!dry || p->n.out || p->has_pending)) {
		/* What is full has its own sentence. */
		if (p->limits.twice && !p->full && stop_requested_twice()) {
			p->abandoned = true;
			return;
		}
		/* Before the look: that we were kept from looking is not its fault. */
		now = units_now();
		ret = turn(p, true);
		if (ret < 0 && ret != -ENODATA)
			return;
		/* Who goes on is slow, and what there is has an end; who syncs may go on. */
		if (ret > 0 || p->sink->syncing)
			until = units_now() + patience;
		if (ret > 0)
			continue;
		/* Nothing moved: what is with the sink may give the source room to show more. */
		if (ret == -ENODATA && !p->n.out && !p->has_pending)
			dry = true;
		else if (now > until)
			units_fail(p->reason, ETIME,
				   "%" PRIu64 " units did not come to their end within %" PRIu64
				   " s.",
				   p->n.out, p->limits.finish);
		else
			pump_sleep(p);
	}
}

/*
 * The sink has nothing any more. How much the source still had is to be known, too, as far as it
 * shows it: one that still fetches does not know.
 */
static void report_abandoned(struct pump *p)
{
	const struct sink_counts *n = &p->sink->n;
	bool more;

	p->full = true;
	more = move(p, true) != -ENODATA;
	if (p->n.left + n->lost || more)
		units_fail(p->reason, EINTR,
			   "Told twice to end: %" PRIu64 " units, %" PRIu64
			   " bytes in all, were given up%s.",
			   p->n.left + n->lost, p->n.left_bytes + n->lost_bytes,
			   more ? ", and what the source had not fetched yet" : "");
}

/* Whatever the sink still has is lost, but goes back: memory must not be freed under it. */
static void abandon_sink(struct pump *p)
{
	char kept[UNITS_REASON];
	uint64_t out = UINT64_MAX;

	memcpy(kept, p->reason, sizeof(kept));
	p->sink->ops->abandon(p->sink);
	p->reason[0] = '\0';
	/* The reason for all else. */
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
