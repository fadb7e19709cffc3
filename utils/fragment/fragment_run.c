// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run of roc-fragment.
 *
 * The run reads the notifications of fragments that the card keeps. Once an event is complete, the
 * run decides whether to fetch it, and then clears it. Fetched fragments are checked in place. At
 * the end the counts of the run are compared with the card's counters.
 */
#include "fragment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/clock.h"
#include "utils/common/tool.h"

#define WAIT_MS 100 /* longest sleep, also if a signal comes just before it */
#define BATCH 256
#define POLLS 64   /* polls between two checks of the clock in a busy run */
#define FLUSH_MS 2 /* longest time that a busy run queues few requests before it flushes them */

/*
 * Check the fragments of completed requests and return their memory. The tag has the time of the
 * request.
 */
static int reap_requests(struct fragment_run *r)
{
	struct roc_fragment_fetched got[BATCH];
	int i, n = roc_fragments_done(r->f, got, BATCH);
	uint64_t now = now_ns();

	if (n < 0) {
		channel_fail(&r->run, "%s", roc_error());
		return 0;
	}
	if (n)
		r->run.progress = now;
	for (i = 0; i < n; i++) {
		if (got[i].error) {
			if (got[i].error != -ECANCELED)
				error_log_add(&r->run.errors,
					      "event %" PRIu32 " of link %" PRIu32
					      ": the card rejected the request",
					      got[i].event, got[i].link);
			continue;
		}
		fragment_check_one(&r->check, &got[i]);
		r->bytes += got[i].size;
		if (now - got[i].tag > r->latency_ns)
			r->latency_ns = now - got[i].tag;
		if (roc_fragments_return(r->f, got[i].handle))
			channel_fail(&r->run, "%s", roc_error());
	}
	return n;
}

/* Record why the sub-unit delivers no more data. */
static void explain(struct fragment_run *r)
{
	struct roc_fr_info info;

	if (roc_fragments_info(r->f, &info))
		channel_fail(&r->run, "%s", roc_error());
	else
		channel_explain(&r->run, "The sub-unit", info.state, info.reason);
}

/*
 * True if the event is among the --percent of events that are fetched, which are evenly
 * distributed.
 */
static bool is_selected(const struct fragment_run *r, uint32_t event)
{
	uint64_t percent = r->opt->percent;

	return (event + UINT64_C(1)) * percent / 100 != event * percent / 100;
}

/* Once true, always true: later data must not resume the run. */
static bool finished(struct fragment_run *r, uint64_t now)
{
	uint64_t most = r->opt->events;

	if (!r->ended)
		r->ended = channel_run_finished(&r->run, now,
						most && r->events >= most ? CHANNEL_END_EVENTS
									  : CHANNEL_END_NONE);
	return r->ended;
}

/* As roc_fragments_wait(); an error other than a timeout or a signal fails the run. */
static int wait_for(struct fragment_run *r, unsigned int data, unsigned int done)
{
	int ret = roc_fragments_wait(r->f, data, done, WAIT_MS);

	if (ret < 0 && ret != -ETIME && ret != -EINTR)
		channel_fail(&r->run, "%s", roc_error());
	return ret;
}

/* Wait for the completion of an outstanding request, without sleeping in a busy run. */
static void wait_for_space(struct fragment_run *r)
{
	r->full++;
	if (r->opt->channel.busy) {
		if (roc_fragments_flush(r->f))
			channel_fail(&r->run, "%s", roc_error());
		/* Requests may complete between an empty reap_requests() and the stop. */
		if (!reap_requests(r) && !roc_fragments_running(r->f) && !reap_requests(r))
			explain(r);
		return;
	}
	r->run.waits++;
	if (!wait_for(r, 0, 1))
		explain(r);
	reap_requests(r);
}

/*
 * Request the event if it is selected. False: the run ended before there was space for the request.
 */
static bool decide(struct fragment_run *r, uint32_t event)
{
	int ret = 0;

	while (is_selected(r, event) &&
	       (ret = roc_fragments_request(r->f, event, r->links, now_ns())) == -EAGAIN) {
		if (finished(r, now_ns()))
			return false;
		wait_for_space(r);
	}
	r->events++;
	r->requested += ret > 0;
	return true;
}

/*
 * Read the new notifications; request and clear the complete events. Return the number of
 * fragments.
 */
static int consume_kept(struct fragment_run *r)
{
	struct roc_fragment_kept kept[BATCH];
	struct roc_fragments_counts c;
	uint32_t cleared[BATCH];
	int i, clear = 0, n = roc_fragments_take(r->f, kept, BATCH);

	if (n < 0) {
		channel_fail(&r->run, "%s", roc_error());
		return 0;
	}
	if (n)
		r->run.progress = now_ns();
	for (i = 0; i < n && !r->run.failure[0]; i++) {
		/* The event is complete, and this fragment completed it. */
		if ((kept[i].links & r->links) != r->links || !(r->links >> kept[i].link & 1))
			continue;
		if (!decide(r, kept[i].event))
			break;
		cleared[clear++] = kept[i].event;
	}
	roc_fragments_counts(r->f, &c);
	if (c.kept > r->kept_most)
		r->kept_most = c.kept;
	roc_fragments_clear(r->f, cleared, (unsigned int)clear);
	return n;
}

/*
 * Clear events that stayed incomplete for longer than --whole-within. Their age counts until @then,
 * when all earlier notifications had been read: this process may have been delayed since.
 */
static void clear_old(struct fragment_run *r, uint64_t then)
{
	uint32_t event;
	uint64_t age;

	while (roc_fragments_oldest(r->f, &event, &age) &&
	       age >= r->opt->whole_within * NS_PER_MS + (now_ns() - then)) {
		roc_fragments_clear(r->f, &event, 1);
		r->incomplete++;
	}
}

/*
 * Flush requests in batches or after FLUSH_MS, because a busy run would write a doorbell for each
 * event.
 */
static void flush_requests(struct fragment_run *r)
{
	struct roc_fragments_counts c;
	uint64_t now = now_ns();

	roc_fragments_counts(r->f, &c);
	if (c.queued && c.queued < r->opt->batch && now - r->flushed_at < FLUSH_MS * NS_PER_MS)
		return;
	if (c.queued)
		r->flushed_at = now;
	if (roc_fragments_flush(r->f))
		channel_fail(&r->run, "%s", roc_error());
}

/* Wait for new data at most WAIT_MS; a busy run does not wait. */
static void poll_sub_unit(struct fragment_run *r)
{
	if (r->opt->channel.busy) {
		flush_requests(r);
		return;
	}
	r->run.waits++;
	if (!wait_for(r, r->opt->batch, r->opt->batch))
		explain(r);
}

static void run(struct fragment_run *r)
{
	uint64_t now = now_ns();
	unsigned int polls = 0;
	bool stopped = false; /* the rings were polled once more after the stop */
	uint64_t before;
	int taken;

	channel_run_begin(&r->run, now);
	while (!finished(r, now)) {
		poll_sub_unit(r);
		before = now_ns();
		taken = consume_kept(r);
		if (taken < BATCH)
			clear_old(r, before);
		if (!(taken + reap_requests(r)) && r->opt->channel.busy) {
			if (stopped)
				explain(r);
			else if (++polls % POLLS)
				continue;
			stopped = !roc_fragments_running(r->f);
		}
		now = now_ns();
		if (channel_run_tick(&r->run, now))
			fragment_live(r, now);
	}
	r->run.finish = now_ns();
}

/* Wait for the outstanding requests, then stop the card and count the remaining notifications. */
static void end(struct fragment_run *r)
{
	uint64_t limit = now_ns() + 10 * NS_PER_S;
	struct roc_fragments_counts c;

	roc_fragments_counts(r->f, &c);
	while (!r->run.failure[0] && c.outstanding && now_ns() < limit) {
		wait_for(r, 0, c.outstanding);
		reap_requests(r);
		roc_fragments_counts(r->f, &c);
	}
	if (roc_fragments_stop(r->f, false))
		channel_fail(&r->run, "%s", roc_error());
	while (!r->run.failure[0] && roc_fragments_take(r->f, NULL, BATCH) > 0)
		;
	while (!r->run.failure[0] && reap_requests(r))
		;
}

static uint64_t sum(const struct fragment_counters *b, size_t member)
{
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < b->links; i++)
		total += *(const uint64_t *)((const char *)&b->link[i].counts + member);
	return total;
}

#define SUM(r, member)                                                                             \
	(sum(&(r)->after, offsetof(struct roc_robinnp_link, member)) -                             \
	 sum(&(r)->before, offsetof(struct roc_robinnp_link, member)))

static bool shrank(const struct fragment_run *r)
{
	unsigned int i;

	for (i = 0; i < r->after.links; i++)
		if (r->after.link[i].counts.fragments < r->before.link[i].counts.fragments)
			return true;
	return false;
}

/*
 * Compare the counts of the run with the card's counters, which were read before and after the run
 * while the sub-unit was stopped.
 */
static void compare(struct fragment_run *r)
{
	const struct roc_robinnp_sub *a = &r->before.sub, *b = &r->after.sub;

	if (b->transfers < a->transfers || b->bytes < a->bytes || shrank(r)) {
		error_log_add(
			&r->run.errors,
			"the card's counters were reset during the run: the received data cannot be compared with them");
		return;
	}
	if (SUM(r, fragments) != r->counts.taken)
		error_log_add(&r->run.errors,
			      "the card reported %" PRIu64 " fragments, but %" PRIu64
			      " were received",
			      SUM(r, fragments), r->counts.taken);
	if (b->transfers - a->transfers != r->counts.fetched || b->bytes - a->bytes != r->bytes)
		error_log_add(&r->run.errors,
			      "the card sent %" PRIu64 " fragments and %" PRIu64
			      " bytes, but %" PRIu64 " fragments and %" PRIu64
			      " bytes were received",
			      b->transfers - a->transfers, b->bytes - a->bytes, r->counts.fetched,
			      r->bytes);
	if (b->bad_page != a->bad_page || b->bad_host_page != a->bad_host_page ||
	    b->bad_op != a->bad_op || b->bad_free != a->bad_free)
		error_log_add(
			&r->run.errors,
			"the card rejected commands or pages: see roc-fragment stats --verbose");
}

/*
 * Read the generator settings. By default the links with a running generator make an event
 * complete.
 */
static int read_generators(struct fragment_run *r)
{
	unsigned int i, sub = roc_fragments_number(r->f), links = roc_fragments_links(r->f);
	struct roc_robinnp_status status;
	uint32_t running = 0;
	int code;

	code = card_fragments(&r->run.card, r->opt->channel.id, &r->registers);
	if (!code)
		code = fragment_links_check(r->opt, links);
	if (code)
		return code;
	if (roc_open_card(&r->run.card, r->opt->channel.id, &r->ep) ||
	    r->registers->status_read(r->ep, &status) ||
	    fragment_counters_read(r->ep, r->registers, sub, links, &r->before))
		return tool_fail("%s", roc_error());
	r->check.source = status.source;
	r->check.first_link = sub * links;
	for (i = 0; i < links; i++) {
		if (r->registers->generator_read(r->ep, r->check.first_link + i,
						 &r->check.generator[i]))
			return tool_fail("%s", roc_error());
		running |= (uint32_t)r->check.generator[i].running << i;
	}
	r->links = r->opt->links.given ? r->opt->links.value : running;
	r->check.known = (r->links & running) == r->links;
	if (!r->links)
		return tool_fail(
			"No link is selected: no generator runs (roc-fragment set --generator), and --links is not set.");
	return TOOL_OK;
}

/* The host memory must hold one fragment of each link, else the first event waits for ever. */
static int check_host_memory(struct fragment_run *r)
{
	int needed = r->opt->percent ? __builtin_popcount(r->links) : 0;
	struct roc_fragments_counts c;

	roc_fragments_counts(r->f, &c);
	if ((int)c.space >= needed)
		return TOOL_OK;
	return tool_fail("An event needs %d host pages, but the host memory has only %" PRIu32
			 ": set a larger --memory.",
			 needed, c.space);
}

static int prepare(struct channel_run *channel)
{
	struct fragment_run *r = (struct fragment_run *)channel;
	const struct fragment_options *o = r->opt;
	int code;

	code = channel_run_prepare(&r->run, &o->channel, true);
	if (code)
		return code;
	if (roc_fragments_open_card(&r->run.card, o->channel.id,
				    o->channel.name ? o->channel.name : "sub0", &r->f) ||
	    roc_fragments_rings(r->f, (uint32_t)o->page, (uint32_t)o->pages, (uint32_t)o->host_page,
				(uint32_t)o->commands) ||
	    roc_memory_alloc(o->memory, r->run.card.numa_node, ROC_MEMORY_PLAIN_OK, &r->memory) ||
	    roc_fragments_add(r->f, r->memory.addr, r->memory.length))
		return tool_fail("%s", roc_error());
	r->check.errors = &r->run.errors;
	r->check.headers = o->channel.no_errorcheck;
	r->check.page = (uint32_t)o->page;
	code = read_generators(r);
	return code ? code : check_host_memory(r);
}

static void run_sub_unit(struct channel_run *channel)
{
	struct fragment_run *r = (struct fragment_run *)channel;
	struct roc_fr_info ended;

	if (roc_fragments_start(r->f)) {
		channel_fail(&r->run, "%s", roc_error());
		return;
	}
	run(r);
	channel_live_end(&r->run);
	if (roc_fragments_info(r->f, &r->info))
		channel_fail(&r->run, "%s", roc_error());
	end(r);
	roc_fragments_counts(r->f, &r->counts);
	roc_fragments_damage(r->f, &r->damage);
	/* The number of lost entries is known after the stop. */
	if (roc_fragments_info(r->f, &ended))
		channel_fail(&r->run, "%s", roc_error());
	else
		r->lost = ended.lost;
	if (fragment_counters_read(r->ep, r->registers, roc_fragments_number(r->f), r->before.links,
				   &r->after))
		channel_fail(&r->run, "%s", roc_error());
	else
		r->counters_valid = true;
	if (!r->run.failure[0])
		compare(r);
}

/*
 * Report fragments that the card flagged, or should have flagged, as damaged. False: there are
 * none.
 */
static bool damaged(const struct fragment_run *r)
{
	const struct roc_fragments_damage *d = &r->damage;

	if (!(d->damaged + d->sequence_errors + d->too_short + d->empty))
		return false;
	tool_fail("Of %" PRIu64 " fragments, %" PRIu64 " were flagged as damaged, %" PRIu64
		  " had a wrong event id, %" PRIu64 " were too short, %" PRIu64
		  " were empty: find the links with roc-fragment stats --verbose.",
		  r->counts.taken, d->damaged, d->sequence_errors, d->too_short, d->empty);
	return true;
}

static int verdict(struct channel_run *channel)
{
	struct fragment_run *r = (struct fragment_run *)channel;
	bool bad = damaged(r);

	if (r->run.end == CHANNEL_END_STALL && r->counts.failed)
		return tool_fail(
			"No fragment arrived for %u s (--stall-limit), and %" PRIu64
			" requests did not complete: check the card with roc-fragment stats --verbose.",
			r->opt->channel.stall_limit, r->counts.failed);
	if (r->run.end == CHANNEL_END_STALL)
		return tool_fail(
			"No fragment arrived for %u s (--stall-limit): check with roc-fragment stats that all links of --links send.",
			r->opt->channel.stall_limit);
	if (r->run.failure[0])
		return tool_fail("%s", r->run.failure);
	if (r->run.errors.count)
		return error_log_verdict(&r->run.errors);
	return bad ? TOOL_FAILED : TOOL_OK;
}

static void close_fragments(struct channel_run *channel)
{
	struct fragment_run *r = (struct fragment_run *)channel;

	roc_fragments_close(r->f);
	roc_memory_free(&r->memory);
	roc_close(r->ep);
}

int fragment_run(const void *options)
{
	const struct fragment_options *o = options;
	static const struct channel_run_ops ops = {prepare, run_sub_unit, verdict, close_fragments};
	struct fragment_run *r = calloc(1, sizeof(*r));
	int code;

	if (!r)
		return tool_fail("Cannot allocate the state of the run.");
	r->opt = o;
	code = channel_run(&r->run, &o->channel, &ops, &fragment_report);
	free(r);
	return code;
}
