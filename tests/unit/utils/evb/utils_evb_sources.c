// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test sources of event building: they lend the requested bytes in order, and their counters are
 * correct.
 */
#include <dlfcn.h>

#include "unit.h"

#include "tests/unit/utils/tool_run.h"
#include "utils/check/rdh.h"
#include "utils/evb/source.h"
#include "utils/units/content.h"

static struct evb_source source;
static char reason[UNITS_REASON];

#define YEARS (UINT64_C(50) * 365 * 86400 * UNITS_NS_PER_S)

/* Offset of the clock, to simulate that it is set. */
static uint64_t ahead;
uint64_t __real_fabric_realtime(void);
uint64_t __wrap_fabric_realtime(void);
uint64_t __wrap_fabric_realtime(void)
{
	return __real_fabric_realtime() + ahead;
}

static void open_it(const char *text)
{
	reason[0] = '\0';
	UNIT_EQ(evb_source_open(text, "ru1", &source, reason), 0);
	if (reason[0])
		unit_note("%s", reason);
	UNIT_NEED(source.ops);
	UNIT_EQ(source.ops->start(source.self), 0);
}

static struct evb_source_counters counters(void)
{
	struct evb_source_counters b = {0};

	source.counters(source.self, &b);
	return b;
}

/* Take the next fragment within two seconds; else return the last result of take(). */
static int take(struct roc_evb_fragment *f)
{
	int ret = 0;

	if (!UNIT_WAIT((ret = source.ops->take(source.self, f)) != 0, 2000))
		return 0;
	return ret;
}

static void give(uint64_t handle)
{
	UNIT_EQ(source.ops->give_back(source.self, handle), 0);
}

/* Count wrong bytes of a fragment, and check that its parts are in the regions of the source. */
static unsigned int wrong_bytes(const struct roc_evb_fragment *f, const char *name)
{
	struct content c = content_of(content_source(name), f->event, f->bytes);
	struct roc_evb_region region[ROC_EVB_REGIONS];
	unsigned int count = source.ops->regions(source.self, region, ROC_EVB_REGIONS), i, r,
		     wrong = 0;
	uint64_t at = 0;

	for (i = 0; i < f->count; i++) {
		const char *data = f->parts[i].data;

		for (r = 0; r < count; r++) {
			if (data >= (char *)region[r].addr &&
			    data + f->parts[i].bytes <= (char *)region[r].addr + region[r].length)
				break;
		}
		wrong += r == count;
		wrong += content_check(&c, at, data, f->parts[i].bytes) >= 0;
		at += f->parts[i].bytes;
	}
	return wrong + (at != f->bytes);
}

/* go_on() sets the next event, but not with ids that follow the clock, and not backwards. */
static void go_on(void)
{
	static const struct {
		const char *text;
		uint64_t first;
	} kinds[] = {
		{"synthetic:size=100", 5000},
		{"synthetic:size=100,first=6000", 6000},
		{"synthetic:size=100,first=7,rate=1k", 5000},
		{"cpu:record=4Ki,buffer=1Mi", 5000},
		{"gpu:record=4Ki,buffer=1Mi", 5000},
	};
	struct roc_evb_fragment f;
	uint64_t before;
	size_t i;

	/*
	 * A library of the test replaces the GPU driver; dlopen() finds it by its name from now on.
	 */
	UNIT_NEED(dlopen(FAKE_LIBRARIES "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL));
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		open_it(kinds[i].text);
		UNIT_NEED(source.ops->go_on);
		UNIT_EQ(source.ops->go_on(source.self, 5000), 0);
		UNIT_EQ(take(&f), 1);
		UNIT_EQ(f.event, kinds[i].first);
		UNIT_EQ(wrong_bytes(&f, "ru1"), 0);
		give(f.handle);
		UNIT_EQ(source.ops->go_on(source.self, 3), 0);
		UNIT_EQ(take(&f), 1);
		UNIT_EQ(f.event, kinds[i].first + 1);
		give(f.handle);
		evb_source_close(&source);
	}
	open_it("synthetic:size=100,rate=1k");
	UNIT_EQ(take(&f), 1);
	before = f.event;
	give(f.handle);
	UNIT_EQ(source.ops->go_on(source.self, before + 1000000), 0);
	UNIT_EQ(take(&f), 1);
	CU_ASSERT_TRUE(f.event > before && f.event < before + 1000000);
	give(f.handle);
	evb_source_close(&source);
}

static void synthetic(const char *text, uint64_t first, unsigned int events, uint64_t least,
		      uint64_t most)
{
	uint64_t handles[1000], sum = 0, next = first, small = UINT64_MAX, large = 0;
	struct roc_evb_fragment f;
	unsigned int n = 0, wrong = 0;

	open_it(text);
	while (take(&f) == 1) {
		UNIT_NEED(n < 1000);
		wrong += f.event != next++ || wrong_bytes(&f, "ru1");
		sum += f.bytes;
		small = f.bytes < small ? f.bytes : small;
		large = f.bytes > large ? f.bytes : large;
		handles[n++] = f.handle;
		/* Return fragments out of order. */
		if (n % 7 == 6) {
			give(handles[n - 3]);
			handles[n - 3] = 0;
		}
	}
	UNIT_EQ(n, events);
	UNIT_EQ(wrong, 0);
	UNIT_EQ(source.ops->take(source.self, &f), -ENODATA);
	CU_ASSERT_TRUE(small >= least && large <= most && large <= source.fragment_max);
	UNIT_EQ(counters().events, events);
	UNIT_EQ(counters().bytes, sum);
	while (n--) {
		if (handles[n])
			give(handles[n]);
	}
	UNIT_EQ(counters().returned, events);
	evb_source_close(&source);
}

static void made(void)
{
	synthetic("synthetic:size=1000,events=500,first=7", 7, 500, 1000, 1000);
	synthetic("synthetic:size=1000,events=500,spread=even", 0, 500, 0, 2000);
	synthetic("synthetic:size=1000,events=500,spread=exponential,parts=3", 0, 500, 0, 8000);
	synthetic("synthetic:size=5000,events=500,fill=head,spread=even", 0, 500, 0, 10000);
	synthetic("synthetic:size=33,events=20,fill=head", 0, 20, 33, 33);
	synthetic("synthetic:size=0,events=20", 0, 20, 0, 0);
	synthetic("synthetic:size=100,events=90,first=18446744073709551600", UINT64_MAX - 15, 90,
		  100, 100);
	synthetic("cpu:record=100000,events=300,first=3", 3, 300, 100000, 100000);
	synthetic("cpu:record=4096,events=300,streams=5,rate=100000,first=1", 1, 300, 4096, 4096);
}

static void full(void)
{
	struct roc_evb_fragment f[3];
	struct roc_evb_part part;

	open_it("synthetic:size=4000,buffer=8400");
	UNIT_EQ(take(&f[0]), 1);
	part = f[0].parts[0];
	f[0].parts = &part;
	UNIT_EQ(take(&f[1]), 1);
	UNIT_EQ(source.ops->take(source.self, &f[2]), -EAGAIN);
	give(f[1].handle);
	UNIT_EQ(take(&f[2]), 1);
	UNIT_EQ(f[2].event, 2);
	/* Each fragment can be returned once, and only if it was lent. */
	UNIT_EQ(source.ops->give_back(source.self, f[1].handle), -EINVAL);
	UNIT_EQ(source.ops->give_back(source.self, 0), -EINVAL);
	UNIT_EQ(source.ops->give_back(source.self, UINT64_MAX), -EINVAL);
	CU_ASSERT_TRUE(wrong_bytes(&f[0], "ru1") == 0);
	give(f[0].handle);
	/* The slot has another fragment now. */
	CU_ASSERT_TRUE(wrong_bytes(&f[0], "ru1") > 0);
	UNIT_EQ(source.ops->stop(source.self), 0);
	UNIT_EQ(source.ops->take(source.self, &f[0]), -ENODATA);
	evb_source_close(&source);
}

/* Gaps, damage and wrong bytes have the requested shares; all but wrong bytes are reported. */
static void by_lot(void)
{
	unsigned int n = 0, damaged = 0, wrong = 0;
	struct roc_evb_fragment f;

	open_it("synthetic:size=500,events=5000,gaps=10%,damage=0.05,wrong=2%,buffer=1Mi");
	while (take(&f) == 1) {
		bool bad = wrong_bytes(&f, "ru1");

		n++;
		damaged += f.flags & ROC_EVB_FRAGMENT_DAMAGED;
		CU_ASSERT_TRUE(!(f.flags & ROC_EVB_FRAGMENT_DAMAGED) || bad);
		wrong += bad && !(f.flags & ROC_EVB_FRAGMENT_DAMAGED);
		give(f.handle);
	}
	UNIT_EQ(counters().gaps + n, 5000);
	UNIT_EQ(counters().damaged, damaged);
	UNIT_EQ(counters().dropped, 0);
	CU_ASSERT_TRUE(counters().gaps > 350 && counters().gaps < 650);
	CU_ASSERT_TRUE(damaged > 150 && damaged < 300);
	CU_ASSERT_TRUE(wrong > 50 && wrong < 150);
	evb_source_close(&source);
}

/* Two sources of the same rate agree on event and time. Events without a free slot are dropped. */
static void by_clock(void)
{
	struct roc_evb_fragment a, b;
	uint64_t before = units_realtime(), ns;
	struct evb_trigger t;

	open_it("synthetic:size=500,rate=1000,buffer=2000");
	UNIT_EQ(take(&a), 1);
	ns = a.event * 1000000;
	CU_ASSERT_TRUE(a.time == ns && ns >= before && ns <= units_realtime());
	evb_trigger_start(&t, 1000, EVB_TRIGGER_CLOCK, a.time - 1);
	UNIT_EQ(t.first, a.event);
	UNIT_EQ(take(&b), 1);
	UNIT_EQ(b.event, a.event + 1);
	UNIT_EQ(take(&b), 1);
	/* No fragment is returned, so further events are dropped. */
	CU_ASSERT_TRUE(UNIT_WAIT(
		source.ops->take(source.self, &b) == -EAGAIN && counters().dropped >= 5, 2000));
	give(a.handle);
	UNIT_EQ(take(&b), 1);
	UNIT_EQ(b.event, a.event + 3 + counters().dropped);
	evb_source_close(&source);
}

/*
 * The clock is set forward by years: the passed events are dropped at once, and the source
 * continues.
 */
static void clock_set(void)
{
	static const char *const kinds[] = {
		"synthetic:size=500,rate=1000,buffer=2000",
		"synthetic:size=500,rate=1000,buffer=2000,gaps=10%",
		"cpu:record=4Ki,buffer=64Ki,rate=1000",
	};
	struct roc_evb_fragment f, first;
	uint64_t before;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		open_it(kinds[i]);
		UNIT_EQ(take(&first), 1);
		while (take(&f) == 1)
			;
		before = counters().dropped;
		ahead = YEARS;
		UNIT_EQ(take(&f), -EAGAIN);
		CU_ASSERT_TRUE(counters().dropped - before >= YEARS / 1000000);
		give(first.handle);
		UNIT_EQ(take(&f), 1);
		CU_ASSERT_TRUE(f.time > first.time + YEARS);
		evb_source_close(&source);
		ahead = 0;
	}
}

static void refused(void)
{
	static const struct {
		const char *text, *expected;
	} wrong[] = {
		{"radio", "Unknown source \"radio\""},
		{"synthetics", "Unknown source"},
		{"synthetic:size", "size needs a value"},
		{"synthetic:size=lots", "\"lots\" is not a size"},
		{"synthetic:size=5Ti", "is out of range"},
		{"synthetic:colour=red", "unknown parameter \"colour\": valid are size, spread"},
		{"synthetic:spread=odd", "is not a valid value"},
		{"synthetic:gaps=2", "is not a fraction"},
		{"synthetic:gaps=nan", "is not a fraction"},
		{"synthetic:size=1Mi,buffer=64Ki", "must hold at least one fragment"},
		{"synthetic:fill=head,parts=2", "parts cannot be used with fill=head"},
		{"cpu:record=8", "is out of range"},
		{"cpu:record=1Mi,buffer=1Mi", "must hold a record"},
		{"cpu:pageable=1", "pageable does not accept a value"},
		{"recording", "the directory is missing"},
		{"recording:/tmp/roc-nowhere", "roc-nowhere"},
		{"recording:/tmp/roc-nowhere,hold=5", "is not a time"},
		{"card", "id= is missing"},
		{"Card:no-id,data-source=Ddg", "cannot be used as a source"},
		{"card:no-id,data-source=noise", "is not a valid value"},
		{"SYNTHETIC:spread=Exponential,fill=HEAD,parts=2",
		 "parts cannot be used with fill=head"},
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		reason[0] = '\0';
		CU_ASSERT_TRUE(evb_source_open(wrong[i].text, "ru1", &source, reason) < 0);
		if (!strstr(reason, wrong[i].expected))
			unit_note("%s: %s", wrong[i].text, reason);
		CU_ASSERT_TRUE(strstr(reason, wrong[i].expected) != NULL);
		evb_source_close(&source);
	}
}

/* Each superpage of three links is an orbit, so each event has three parts, in order. */
static void recorded(void)
{
	char dir[] = "/tmp/roc-evb-XXXXXX", text[128];
	unsigned int n = 0, wrong = 0, i;
	struct roc_evb_fragment f;

	UNIT_NEED(mkdtemp(dir));
	UNIT_EQ(tool_run(
			"record %s --synthetic --links=0-2 --buffer-size=4Mi --superpage-size=64Ki --units=60 --no-display",
			dir),
		0);
	snprintf(text, sizeof(text), "recording:%s,links=3", dir);
	open_it(text);
	UNIT_EQ(source.ops->content, EVB_CONTENT_RDH);
	while (take(&f) == 1) {
		wrong += f.event != n++ || f.count != 3 || f.bytes != 3 * 65536 || f.flags;
		for (i = 0; i < f.count; i++)
			wrong += rdh_orbit(f.parts[i].data) != f.event ||
				 rdh_link(f.parts[i].data) != i;
		give(f.handle);
	}
	UNIT_EQ(n, 20);
	UNIT_EQ(wrong, 0);
	UNIT_EQ(counters().returned, 20);
	UNIT_EQ(counters().late + counters().disorder, 0);
	evb_source_close(&source);

	/* With a rate, events get ids of the present time. */
	snprintf(text, sizeof(text), "recording:%s,links=3,rate=1000", dir);
	open_it(text);
	for (n = 0; n < 5; n++) {
		UNIT_EQ(take(&f), 1);
		CU_ASSERT_TRUE(f.time == f.event * 1000000 &&
			       units_realtime() - f.time < 2 * UNITS_NS_PER_S);
		UNIT_EQ(rdh_orbit(f.parts[0].data), n);
		/* The last fragment is not returned: closing the source must free it. */
		if (n < 4)
			give(f.handle);
	}
	ahead = YEARS;
	UNIT_EQ(take(&f), 1);
	CU_ASSERT_TRUE(units_realtime() - f.time < 2 * UNITS_NS_PER_S);
	ahead = 0;
	evb_source_close(&source);
	snprintf(text, sizeof(text), "rm -rf %s", dir);
	UNIT_EQ(system(text), 0);
}

UNIT_MAIN("Sources of event building", {"content and order", made}, {"no free slot", full},
	  {"gaps, damage, wrong bytes", by_lot}, {"ids and times by the clock", by_clock},
	  {"clock is set", clock_set}, {"refused arguments", refused}, {"recording", recorded},
	  {"continue in a running system", go_on})
