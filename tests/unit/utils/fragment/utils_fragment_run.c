// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the end of a roc-fragment run with a simulated card and clock: two links send the same
 * events, and each request uses a host page until it is complete.
 */
#include "unit.h"

#include <errno.h>

#include "tests/unit/utils/error_logged.h"
#include "utils/common/clock.h"
#include "utils/common/tool.h"
#include "utils/fragment/fragment.h"

#define LINKS 2
#define TRIES_MAX 100000 /* far more polls than any limit here allows */
#define BEFORE 1000	 /* counts of earlier runs */
#define HOLDS 3		 /* of each link per run */

static struct fragment_options options;
static char *printed; /* output of the last run */

static struct {
	uint64_t ns; /* elapsed time */
	unsigned int pages, outstanding, requests;
	uint64_t taken;		/* fragments */
	uint64_t events;	/* events that the links have left */
	unsigned int batch;	/* events that arrive at once */
	uint64_t done_ns, next; /* requests complete event by event; 0: never */
	bool interrupt;		/* a signal arrives during a wait for requests */
	bool removed;		/* the card is removed then, and requests stay incomplete */
	bool reset;		/* the card's counters are reset before the stop */
	bool requested, started, stopped;
	unsigned int tries;
	struct roc_fragments_damage damage;
	int take_error; /* from the fifth event on */
	uint32_t lost;
	bool fails;		/* the sub-unit stops by itself, and just before that ... */
	unsigned int published; /* ... this many events arrive and requests complete */
	bool failed, completed;
} card;

int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_roc_find(const char *id, struct roc_card *c);
int __wrap_roc_open_card(const struct roc_card *c, const char *id, struct roc_endpoint **ep);
void __wrap_roc_close(struct roc_endpoint *ep);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	*t = (struct timespec){(time_t)(1 + card.ns / NS_PER_S), (long)(card.ns % NS_PER_S)};
	return 0;
}

int __wrap_roc_find(const char *id, struct roc_card *c)
{
	*c = (struct roc_card){.type = ROC_CARD_ROBINNP};
	return 0;
}

int __wrap_roc_open_card(const struct roc_card *c, const char *id, struct roc_endpoint **ep)
{
	*ep = NULL;
	return 0;
}

void __wrap_roc_close(struct roc_endpoint *ep)
{
}

static int status_read(struct roc_endpoint *ep, struct roc_robinnp_status *s)
{
	memset(s, 0, sizeof(*s));
	return 0;
}

static int generator_read(struct roc_endpoint *ep, unsigned int link,
			  struct roc_robinnp_generator *g)
{
	*g = (struct roc_robinnp_generator){.running = link < LINKS};
	return 0;
}

static const struct fragment_registers registers = {
	.status_read = status_read,
	.generator_read = generator_read,
};

const struct card_type card_types[] = {
	{.type = ROC_CARD_ROBINNP, .fragments = &registers},
	{0},
};

int fragment_links_check(const struct fragment_options *o, unsigned int links)
{
	return 0;
}

int fragment_counters_read(struct roc_endpoint *ep, const struct fragment_registers *read,
			   unsigned int sub, unsigned int links, struct fragment_counters *b)
{
	uint64_t before = card.reset && card.stopped ? 0 : BEFORE;
	unsigned int i;

	memset(b, 0, sizeof(*b));
	b->links = links;
	for (i = 0; i < links; i++)
		b->link[i].counts = (struct roc_robinnp_link){
			.fragments = before + card.taken / LINKS,
			.discarded = before + card.stopped,
			.holds = before + card.stopped * HOLDS,
			.hold_cycles = before + card.stopped * HOLDS * 100,
		};
	return 0;
}

int roc_fragments_open_card(const struct roc_card *c, const char *id, const char *sub,
			    struct roc_fragments **f)
{
	*f = (struct roc_fragments *)&card;
	return 0;
}

void roc_fragments_close(struct roc_fragments *f)
{
}

unsigned int roc_fragments_number(const struct roc_fragments *f)
{
	return 0;
}

unsigned int roc_fragments_links(const struct roc_fragments *f)
{
	return LINKS;
}

int roc_fragments_rings(struct roc_fragments *f, uint32_t page, uint32_t pages, uint32_t host_page,
			uint32_t commands)
{
	return 0;
}

int roc_fragments_add(struct roc_fragments *f, void *addr, size_t length)
{
	return 0;
}

int roc_fragments_start(struct roc_fragments *f)
{
	card.started = true;
	return 0;
}

int roc_fragments_stop(struct roc_fragments *f, bool now)
{
	card.stopped = true;
	return 0;
}

bool roc_fragments_running(const struct roc_fragments *f)
{
	if (card.fails && !card.failed) {
		card.failed = true;
		card.completed = card.outstanding;
		card.events += card.published;
	}
	return card.started && !card.stopped && !card.failed;
}

int roc_fragments_info(struct roc_fragments *f, struct roc_fr_info *info)
{
	memset(info, 0, sizeof(*info));
	info->state = roc_fragments_running(f) ? ROC_CH_RUNNING : ROC_CH_STOPPED;
	info->lost = card.stopped ? card.lost : 0;
	return 0;
}

void roc_fragments_counts(const struct roc_fragments *f, struct roc_fragments_counts *c)
{
	*c = (struct roc_fragments_counts){.taken = card.taken,
					   .failed = card.stopped ? card.requests : 0,
					   .outstanding = card.outstanding,
					   .room = card.pages - card.outstanding};
}

void roc_fragments_damage(const struct roc_fragments *f, struct roc_fragments_damage *d)
{
	*d = card.damage;
}

int roc_fragments_take(struct roc_fragments *f, struct roc_fragment_kept *kept, unsigned int n)
{
	unsigned int i, link, events = card.batch < card.events ? card.batch : card.events;

	if (card.take_error && card.taken >= 4 * LINKS)
		return roc_fail(-card.take_error, "descriptor 9 is missing");
	if (card.stopped)
		return 0;
	UNIT_NEED(events * LINKS <= n);
	for (i = 0; i < events; i++) {
		for (link = 0; link < LINKS; link++)
			kept[i * LINKS + link] =
				(struct roc_fragment_kept){.event = (uint32_t)card.taken / LINKS,
							   .link = link,
							   .links = (2u << link) - 1};
		card.taken += LINKS;
	}
	card.events -= events;
	return (int)(events * LINKS);
}

unsigned int roc_fragments_clear(struct roc_fragments *f, const uint32_t *events, unsigned int n)
{
	return n;
}

uint32_t roc_fragments_oldest(const struct roc_fragments *f, uint32_t *event, uint64_t *age_ns)
{
	return 0;
}

/* A caller that retries for ever gets space at last. */
int roc_fragments_request(struct roc_fragments *f, uint32_t event, uint32_t links, uint64_t tag)
{
	UNIT_EQ(links, options.links.given ? options.links.value : (1u << LINKS) - 1);
	if (++card.tries > TRIES_MAX)
		return 0;
	if (card.pages - card.outstanding < LINKS)
		return -EAGAIN;
	if (!card.outstanding)
		card.next = card.ns + card.done_ns;
	card.outstanding += LINKS;
	card.requests += LINKS;
	return (int)links;
}

/* Requests complete without data, as after a stop. */
int roc_fragments_done(struct roc_fragments *f, struct roc_fragment_fetched *got, unsigned int n)
{
	unsigned int i;

	if (!card.outstanding ||
	    !(card.completed || card.stopped || (card.done_ns && card.ns >= card.next)))
		return 0;
	card.completed = false;
	for (i = 0; i < LINKS; i++)
		got[i] = (struct roc_fragment_fetched){.error = -ECANCELED};
	card.next += card.done_ns;
	card.outstanding -= LINKS;
	return LINKS;
}

int roc_fragments_return(struct roc_fragments *f, uint64_t handle)
{
	return 0;
}

int roc_fragments_flush(struct roc_fragments *f)
{
	card.ns += NS_PER_MS;
	return 0;
}

int roc_fragments_wait(struct roc_fragments *f, unsigned int data, unsigned int done,
		       int timeout_ms)
{
	if (data && card.events)
		return ROC_FRAGMENTS_DATA;
	if (done && !card.outstanding && !data)
		return 0;
	if (done && card.interrupt && !card.requested) {
		card.requested = true;
		return -EINTR;
	}
	/* A wait for a removed card fails at once. */
	if (!data && card.removed && ++card.tries <= TRIES_MAX)
		return -ENODEV;
	card.ns += (uint64_t)timeout_ms * NS_PER_MS;
	return card.done_ns && card.ns >= card.next ? ROC_FRAGMENTS_DONE : -ETIME;
}

void stop_on_first_signals(void)
{
}

void stop_not_by_readers(void)
{
}

bool stop_requested(void)
{
	return card.requested;
}

/* Requests of four events have space, and ten events arrive at once. */
static void start(void)
{
	memset(&card, 0, sizeof(card));
	card.pages = 4 * LINKS;
	card.batch = 10;
	card.events = 1000000;
	options = (struct fragment_options){
		.channel = {.id = "#0", .json = true, .no_display = true, .stall_limit = 10},
		.percent = 100,
		.whole_within = 1000,
		.page = 2048,
		.memory = 4096,
		.batch = 64};
}

static void runs(int code)
{
	FILE *out = stdout;
	size_t length;

	free(printed);
	stdout = open_memstream(&printed, &length);
	UNIT_EQ(fragment_run(&options), code);
	fclose(stdout);
	stdout = out;
	card.ns = 0; /* timeouts of the framework use this clock, too */
	CU_ASSERT_TRUE(card.tries <= TRIES_MAX);
}

static void expect_value(const char *key, const char *value)
{
	char line[64];
	const char *at;

	snprintf(line, sizeof(line), "\"%s\": %s,", key, value);
	if (strstr(printed, line))
		return;
	snprintf(line, sizeof(line), "\"%s\": ", key);
	at = strstr(printed, line);
	unit_note("not %s but %.*s", value, at ? (int)strcspn(at, ",\n") : 0, at ? at : "");
	CU_FAIL("unexpected value in the report");
}

/* By the simulated clock, so a slow machine does not matter. */
static void lasts(double limit)
{
	const char *at = strstr(printed, "\"seconds\": ");
	double seconds = at ? strtod(at + strlen("\"seconds\": "), NULL) : -1;

	if (seconds < limit || seconds > limit + 0.2)
		unit_note("%g s", seconds);
	CU_ASSERT_TRUE(seconds >= limit && seconds <= limit + 0.2);
}

static void never_done(bool busy)
{
	start();
	options.channel.busy = busy;
	options.channel.stall_limit = 2;
	runs(1);
	expect_value("end", "\"stall\"");
	lasts(2);
	/* Events whose requests had no space are not counted. */
	expect_value("events", "4");
	expect_value("requested", "4");
	start();
	options.channel.busy = busy;
	options.channel.time = 3;
	runs(0);
	expect_value("end", "\"time\"");
	lasts(3);
}

static void asleep(void)
{
	never_done(false);
}

static void awake(void)
{
	never_done(true);
}

static void signalled(void)
{
	start();
	card.interrupt = true;
	runs(0);
	expect_value("end", "\"signal\"");
}

/* Ten events take longer than the limit, but there is constant progress. */
static void slow(void)
{
	start();
	card.done_ns = NS_PER_S;
	card.events = 20;
	options.channel.stall_limit = 2;
	options.events = 20;
	runs(0);
	expect_value("end", "\"events\"");
	expect_value("requested", "20");
}

/* The last selected event is requested even if there is no space at first. */
static void last_event(void)
{
	start();
	card.done_ns = 10 * NS_PER_MS;
	options.events = 7;
	runs(0);
	expect_value("end", "\"events\"");
	expect_value("events", "7");
	expect_value("requested", "7");
}

/* Fragments of other links of an event do not cause another request. */
static void one_of_the_links(void)
{
	start();
	card.done_ns = NS_PER_MS;
	card.events = 4;
	options.links.given = true;
	options.links.value = 1;
	options.channel.time = 2;
	runs(0);
	expect_value("end", "\"time\"");
	expect_value("events", "4");
	expect_value("requested", "4");
}

/* The run ends, and does not retry until a limit. */
static void removed_at_the_end(void)
{
	start();
	card.removed = true;
	options.events = 4;
	runs(1);
	expect_value("requested", "4");
}

/* The reset is reported once; the card's own counters count from the reset. */
static void counters_reset(bool reset)
{
	start();
	card.done_ns = 10 * NS_PER_MS;
	card.reset = reset;
	options.events = 7;
	error_logged[0] = '\0';
	runs(reset);
	UNIT_STR(error_logged, reset ? COUNTERS_RESET : "");
	expect_value("errors", reset ? "1" : "0");
	expect_value("discarded", "2");
	expect_value("holds", "6");
	expect_value("held", "6");
	expect_value("holdCycles", "600");
}

static void counters(void)
{
	counters_reset(false);
	counters_reset(true);
}

/* One of each type of damage fails the run, and is reported with other errors. */
static void damage(void)
{
	static const struct {
		const char *key;
		struct roc_fragments_damage damage;
	} types[] = {{"damaged", {.damaged = 1}},
		     {"sequenceErrors", {.sequence_errors = 1}},
		     {"short", {.too_short = 1}},
		     {"empty", {.empty = 1}}};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		start();
		card.done_ns = NS_PER_MS;
		card.damage = types[i].damage;
		options.events = 7;
		runs(1);
		expect_value("end", "\"events\"");
		expect_value(types[i].key, "1");
		expect_value("errors", "0");
	}
}

/* If the card omits a descriptor, even a run without limits ends, and at once. */
static void left_out(bool busy)
{
	start();
	card.done_ns = NS_PER_MS;
	card.take_error = -EBADMSG;
	card.batch = 4;
	card.lost = 12;
	options.channel.busy = busy;
	options.channel.stall_limit = 0;
	runs(1);
	expect_value("end", "\"failed\"");
	expect_value("lost", "12");
	CU_ASSERT_PTR_NOT_NULL(strstr(printed, "descriptor 9 is missing"));
	lasts(0);
}

static void left_out_asleep(void)
{
	left_out(false);
}

static void left_out_awake(void)
{
	left_out(true);
}

/* Data between the last empty poll and the stop are delivered before the failure. */
static void stopped_by_itself(void)
{
	start();
	options.channel.busy = true;
	options.percent = 0;
	card.fails = true;
	card.events = 0;
	card.published = 3;
	runs(1);
	expect_value("end", "\"failed\"");
	expect_value("events", "3");
	/* The completed request frees the space for the second event. */
	start();
	options.channel.busy = true;
	card.fails = true;
	card.pages = LINKS;
	card.events = 2;
	runs(1);
	expect_value("end", "\"failed\"");
	expect_value("requested", "2");
}

static void no_host_memory(void)
{
	start();
	card.pages = LINKS - 1;
	runs(1);
	CU_ASSERT_FALSE(card.started);
	/* A run that fetches nothing needs no host memory. */
	start();
	card.pages = 0;
	options.percent = 0;
	options.events = 100;
	runs(0);
	expect_value("end", "\"events\"");
}

UNIT_MAIN("utils fragment run", {"requests that never complete", asleep},
	  {"the same in a busy run", awake}, {"signal while there is no space", signalled},
	  {"slow progress", slow}, {"last event", last_event},
	  {"card removed at the end", removed_at_the_end},
	  {"events of some of the sending links", one_of_the_links},
	  {"card counters reset during the run", counters}, {"each type of damage", damage},
	  {"missing descriptor", left_out_asleep}, {"the same in a busy run", left_out_awake},
	  {"data just before the sub-unit stops, in a busy run", stopped_by_itself},
	  {"host memory for less than an event", no_host_memory})
