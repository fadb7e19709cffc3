// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run: fragments are taken in; as soon as an event is whole it is decided whether it is fetched;
 * what was decided on is cleared. What was fetched is checked where the card wrote it. At the end
 * our books are compared with the card's.
 */
#include "fragment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/common/card.h"
#include "utils/common/clock.h"
#include "utils/common/output.h"
#include "utils/common/stop.h"
#include "utils/common/tool.h"

#define WAIT_MS 100 /* a signal between the look and the sleep waits so long */
#define BATCH 256
#define LOOKS 64  /* of a busy run, between two at the clock */
#define TELL_MS 2 /* a busy run tells the card of few requests so rarely */

__attribute__((format(printf, 2, 3))) static void fail(struct fragment_run *r, const char *fmt, ...)
{
	va_list ap;

	if (r->failure[0])
		return;
	va_start(ap, fmt);
	vsnprintf(r->failure, sizeof(r->failure), fmt, ap);
	va_end(ap);
}

/* Requests that are done: looked at, and their memory back. The tag is when it was made. */
static int fetch(struct fragment_run *r)
{
	struct roc_fragment_fetched got[BATCH];
	int i, n = roc_fragments_done(r->f, got, BATCH);
	uint64_t now = now_ns();

	if (n < 0) {
		fail(r, "%s", roc_error());
		return 0;
	}
	if (n)
		r->progress = now;
	for (i = 0; i < n; i++) {
		if (got[i].error) {
			if (got[i].error != -ECANCELED)
				error_log_add(&r->errors,
					      "event %" PRIu32 " of link %" PRIu32
					      ": the card refused to send it",
					      got[i].event, got[i].link);
			continue;
		}
		fragment_check_one(&r->check, &got[i]);
		r->bytes += got[i].size;
		if (now - got[i].tag > r->latency_ns)
			r->latency_ns = now - got[i].tag;
		if (roc_fragments_return(r->f, got[i].handle))
			fail(r, "%s", roc_error());
	}
	return n;
}

/* It does not go on: why? */
static void explain(struct fragment_run *r)
{
	struct roc_fr_info info;

	if (roc_fragments_info(r->f, &info))
		fail(r, "%s", roc_error());
	else if (info.state == ROC_CH_FAILED)
		fail(r, "The sub-unit failed: %s", roc_why_text(info.why));
	else
		fail(r, "The sub-unit was stopped by something else.");
}

/* Those of 100 that are fetched, evenly. */
static bool wanted(const struct fragment_run *r, uint32_t event)
{
	uint64_t percent = r->opt->percent;

	return (event + UINT64_C(1)) * percent / 100 != event * percent / 100;
}

/* For good: what comes after it does not set the run going again. */
static bool finished(struct fragment_run *r, uint64_t now)
{
	const struct fragment_options *o = r->opt;

	if (r->ended)
		return true;
	if (r->failure[0])
		r->end = FRAGMENT_END_FAILED;
	else if (stop_asked())
		r->end = FRAGMENT_END_SIGNAL;
	else if (o->events && r->events >= o->events)
		r->end = FRAGMENT_END_EVENTS;
	else if (o->time && now - r->start >= o->time * NS_PER_S)
		r->end = FRAGMENT_END_TIME;
	else if (o->stall_limit && now - r->progress >= o->stall_limit * NS_PER_S)
		r->end = FRAGMENT_END_STALL;
	else
		return false;
	r->ended = true;
	return true;
}

/* As roc_fragments_wait(); an error that is none of time or a signal ends the run. */
static int wait_for(struct fragment_run *r, unsigned int data, unsigned int done)
{
	int ret = roc_fragments_wait(r->f, data, done, WAIT_MS);

	if (ret < 0 && ret != -ETIME && ret != -EINTR)
		fail(r, "%s", roc_error());
	return ret;
}

/* Until one of those that are outstanding is done; a busy run does not sleep for that either. */
static void make_room(struct fragment_run *r)
{
	r->full++;
	if (r->opt->busy) {
		if (roc_fragments_flush(r->f))
			fail(r, "%s", roc_error());
		/* Requests may have been completed between an empty fetch() and the stop. */
		if (!fetch(r) && !roc_fragments_running(r->f) && !fetch(r))
			explain(r);
		return;
	}
	r->waits++;
	if (!wait_for(r, 0, 1))
		explain(r);
	fetch(r);
}

/* False: the run ended before there was room. */
static bool decide(struct fragment_run *r, uint32_t event)
{
	int ret = 0;

	while (wanted(r, event) &&
	       (ret = roc_fragments_request(r->f, event, r->links, now_ns())) == -EAGAIN) {
		if (finished(r, now_ns()))
			return false;
		make_room(r);
	}
	r->events++;
	r->requested += ret > 0;
	return true;
}

/* What came; whole events are decided on and cleared. How many fragments. */
static int take(struct fragment_run *r)
{
	struct roc_fragment_kept kept[BATCH];
	struct roc_fragments_counts c;
	uint32_t cleared[BATCH];
	int i, clear = 0, n = roc_fragments_take(r->f, kept, BATCH);

	if (n < 0) {
		fail(r, "%s", roc_error());
		return 0;
	}
	if (n)
		r->progress = now_ns();
	for (i = 0; i < n && !r->failure[0]; i++) {
		/* It is whole, and by this one. */
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
 * Events that will not be whole any more: they were too old when all that the card had told of was
 * taken in, which was at @then. Since then we may have been held up ourselves.
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

/* Who looks all the time would ring for each event: requests go in batches, or after a while. */
static void look_busily(struct fragment_run *r)
{
	struct roc_fragments_counts c;
	uint64_t now = now_ns();

	roc_fragments_counts(r->f, &c);
	if (c.queued && c.queued < r->opt->batch && now - r->told < TELL_MS * NS_PER_MS)
		return;
	if (c.queued)
		r->told = now;
	if (roc_fragments_flush(r->f))
		fail(r, "%s", roc_error());
}

/* Something came, or a moment passed. */
static void look(struct fragment_run *r)
{
	if (r->opt->busy) {
		look_busily(r);
		return;
	}
	r->waits++;
	if (!wait_for(r, r->opt->batch, r->opt->batch))
		explain(r);
}

static void run(struct fragment_run *r)
{
	uint64_t now = now_ns(), tick = now + NS_PER_S;
	unsigned int looks = 0;
	bool stopped = false; /* the rings were polled after the stop, too */
	uint64_t before;
	int taken;

	r->start = r->progress = now;
	while (!finished(r, now)) {
		look(r);
		before = now_ns();
		taken = take(r);
		if (taken < BATCH)
			clear_old(r, before);
		if (!(taken + fetch(r)) && r->opt->busy) {
			if (stopped)
				explain(r);
			else if (++looks % LOOKS)
				continue;
			stopped = !roc_fragments_running(r->f);
		}
		now = now_ns();
		if (now >= tick) {
			fragment_live(r, now);
			tick = now + NS_PER_S;
		}
	}
	r->finish = now_ns();
}

/* Requests on their way are waited for; then the card is stopped, and what it told of counted. */
static void end(struct fragment_run *r)
{
	uint64_t limit = now_ns() + 10 * NS_PER_S;
	struct roc_fragments_counts c;

	roc_fragments_counts(r->f, &c);
	while (!r->failure[0] && c.outstanding && now_ns() < limit) {
		wait_for(r, 0, c.outstanding);
		fetch(r);
		roc_fragments_counts(r->f, &c);
	}
	if (roc_fragments_stop(r->f, false))
		fail(r, "%s", roc_error());
	while (!r->failure[0] && roc_fragments_take(r->f, NULL, BATCH) > 0)
		;
	while (!r->failure[0] && fetch(r))
		;
}

static uint64_t sum(const struct fragment_books *b, size_t member)
{
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < ROC_ROBINNP_LINKS; i++)
		total += *(const uint64_t *)((const char *)&b->link[i] + member);
	return total;
}

#define SUM(r, member)                                                                             \
	(sum(&(r)->after, offsetof(struct roc_robinnp_link, member)) -                             \
	 sum(&(r)->before, offsetof(struct roc_robinnp_link, member)))

static bool shrank(const struct fragment_run *r)
{
	unsigned int i;

	for (i = 0; i < ROC_ROBINNP_LINKS; i++)
		if (r->after.link[i].fragments < r->before.link[i].fragments)
			return true;
	return false;
}

/* Our counts against the card's, of the time between two looks at it while it stood still. */
static void compare(struct fragment_run *r)
{
	const struct roc_robinnp_sub *a = &r->before.sub, *b = &r->after.sub;

	if (b->transfers < a->transfers || b->bytes < a->bytes || shrank(r)) {
		error_log_add(&r->errors, "the card's counters were reset meanwhile, so that what "
					  "came cannot be compared with them");
		return;
	}
	if (SUM(r, fragments) != r->counts.taken)
		error_log_add(&r->errors,
			      "the card says that it told of %" PRIu64 " fragments, but %" PRIu64
			      " came",
			      SUM(r, fragments), r->counts.taken);
	if (b->transfers - a->transfers != r->counts.fetched || b->bytes - a->bytes != r->bytes)
		error_log_add(&r->errors,
			      "the card says that it sent %" PRIu64 " fragments and %" PRIu64
			      " bytes, but %" PRIu64 " and %" PRIu64 " came",
			      b->transfers - a->transfers, b->bytes - a->bytes, r->counts.fetched,
			      r->bytes);
	if (b->bad_page != a->bad_page || b->bad_host_page != a->bad_host_page ||
	    b->bad_op != a->bad_op || b->bad_free != a->bad_free)
		error_log_add(&r->errors, "the card refused commands or pages: see roc-fragment "
					  "stats --verbose");
}

/* What makes the fragments, if a generator does; and by default what makes an event whole. */
static int learn_generators(struct fragment_run *r)
{
	struct roc_robinnp_status status;
	uint32_t running = 0;
	unsigned int i;

	if (roc_open_card(&r->card, r->opt->id, &r->ep) ||
	    roc_robinnp_status_read(r->ep, &status) ||
	    fragment_books_read(r->ep, roc_fragments_number(r->f), &r->before))
		return tool_fail("%s", roc_error());
	r->check.source = status.source;
	r->check.first_link = roc_fragments_number(r->f) * ROC_ROBINNP_LINKS;
	for (i = 0; i < ROC_ROBINNP_LINKS; i++) {
		if (roc_robinnp_generator_read(r->ep, r->check.first_link + i,
					       &r->check.generator[i]))
			return tool_fail("%s", roc_error());
		running |= (uint32_t)r->check.generator[i].running << i;
	}
	r->links = r->opt->links.given ? r->opt->links.value : running;
	r->check.known = (r->links & running) == r->links;
	if (!r->links)
		return tool_fail("No link makes an event whole: no generator runs (roc-fragment "
				 "set --generator), and --links was not given.");
	return TOOL_OK;
}

/* For an event at least, or the first one waits for ever. */
static int check_room(struct fragment_run *r)
{
	int needed = r->opt->percent ? __builtin_popcount(r->links) : 0;
	struct roc_fragments_counts c;

	roc_fragments_counts(r->f, &c);
	if ((int)c.room >= needed)
		return TOOL_OK;
	return tool_fail("The host memory has not room for a fragment of each link: these are %d, "
			 "and it has %" PRIu32 " pages: give it more (--memory).",
			 needed, c.room);
}

static int prepare(struct fragment_run *r)
{
	const struct fragment_options *o = r->opt;
	int err;

	err = roc_find(o->id, &r->card);
	if (err)
		return tool_fail_card(err);
	if (roc_fragments_open_card(&r->card, o->id, o->sub ? o->sub : "sub0", &r->f) ||
	    roc_fragments_rings(r->f, (uint32_t)o->page, (uint32_t)o->pages, (uint32_t)o->host_page,
				(uint32_t)o->commands) ||
	    roc_memory_alloc(o->memory, r->card.numa_node, ROC_MEMORY_PLAIN_OK, &r->memory) ||
	    roc_fragments_add(r->f, r->memory.addr, r->memory.length))
		return tool_fail("%s", roc_error());
	r->errors.path = ERROR_LOG_FILE;
	r->errors.card = r->card.pci_address;
	r->check.errors = &r->errors;
	r->check.headers = o->no_errorcheck;
	r->check.page = (uint32_t)o->page;
	r->live = output_is_live(stdout) && !o->no_display && !o->json;
	err = learn_generators(r);
	return err ? err : check_room(r);
}

static void take_fragments(struct fragment_run *r)
{
	struct roc_fr_info ended;

	if (roc_fragments_start(r->f)) {
		fail(r, "%s", roc_error());
		return;
	}
	run(r);
	fragment_live_end(r);
	if (roc_fragments_info(r->f, &r->info))
		fail(r, "%s", roc_error());
	end(r);
	roc_fragments_counts(r->f, &r->counts);
	roc_fragments_damage(r->f, &r->damage);
	/* It is known when the run has ended. */
	if (roc_fragments_info(r->f, &ended))
		fail(r, "%s", roc_error());
	else
		r->lost = ended.lost;
	if (fragment_books_read(r->ep, roc_fragments_number(r->f), &r->after))
		fail(r, "%s", roc_error());
	else
		r->books = true;
	if (!r->failure[0])
		compare(r);
}

/* What the card flagged, and what it should have flagged. False: there is nothing of it. */
static bool damaged(const struct fragment_run *r)
{
	const struct roc_fragments_damage *d = &r->damage;

	if (!(d->damaged + d->sequence_errors + d->too_short + d->empty))
		return false;
	tool_fail("Of %" PRIu64 " fragments %" PRIu64 " were flagged as damaged, %" PRIu64
		  " had a wrong event id, %" PRIu64 " were too short, %" PRIu64
		  " were empty: see which link sent them (roc-fragment stats --verbose).",
		  r->counts.taken, d->damaged, d->sequence_errors, d->too_short, d->empty);
	return true;
}

static int verdict(struct fragment_run *r)
{
	bool bad = damaged(r);

	if (r->end == FRAGMENT_END_STALL && r->counts.failed)
		return tool_fail("Nothing came for %u s, and %" PRIu64 " requests were not done: "
				 "does the card say why (roc-fragment stats --verbose)?",
				 r->opt->stall_limit, r->counts.failed);
	if (r->end == FRAGMENT_END_STALL)
		return tool_fail("Nothing came for %u s: do its links send (roc-fragment stats), "
				 "and all of those that make an event whole (--links)?",
				 r->opt->stall_limit);
	if (r->failure[0])
		return tool_fail("%s", r->failure);
	if (r->errors.count)
		return error_log_verdict(&r->errors);
	return bad ? TOOL_FAILED : TOOL_OK;
}

int fragment_run(const struct fragment_options *o)
{
	struct fragment_run *r = calloc(1, sizeof(*r));
	int code;

	if (!r)
		return tool_fail("There is no memory left.");
	r->opt = o;
	stop_on_first_signals();
	stop_not_by_readers();
	code = prepare(r);
	if (!code) {
		take_fragments(r);
		error_log_close(&r->errors);
		if (o->json)
			fragment_report_json(stdout, r);
		else
			fragment_report_text(stdout, r);
		code = verdict(r);
	}
	roc_fragments_close(r->f);
	roc_memory_free(&r->memory);
	roc_close(r->ep);
	free(r);
	return code;
}
