// SPDX-License-Identifier: GPL-2.0-or-later
/* The check of units: counters continue within one run, whatever other senders send in between. */
#include "unit.h"

#include "utils/units/sources.h"

#define UNIT_BYTES_EACH (4 * SYNTHETIC_PACKET)

static const struct check_config config = {.enabled = true,
					   .payload = true,
					   .resync = true,
					   .tf_check = true,
					   .frequency = 1,
					   .packet_modulo = 256,
					   .tf_length = 256};

static struct source *sender(void)
{
	const struct synthetic_options o = {
		.unit = UNIT_BYTES_EACH, .total = 8 * UNIT_BYTES_EACH, .links = 1};
	char reason[UNITS_REASON] = "";
	struct source *s = source_synthetic(&o, reason);

	UNIT_STR(reason, "");
	UNIT_NEED(s);
	UNIT_EQ(s->ops->start(s), 0);
	return s;
}

/* Put the next unit of @from, which has link 0 like all, as one of run @run; @skip: it is lost. */
static void one(struct sink *sink, struct source *from, uint64_t run, bool skip)
{
	uint64_t handle;
	struct unit u;

	UNIT_NEED(from->ops->take(from, &u) == 1);
	UNIT_EQ(u.link, 0);
	u.run = run;
	if (!skip) {
		UNIT_EQ(sink->ops->put(sink, &u), 1);
		UNIT_EQ(sink->ops->done(sink, &handle, 1), 1);
	}
	UNIT_EQ(from->ops->give_back(from, u.handle), 0);
}

static void two_senders(void)
{
	struct source *a = sender(), *b = sender();
	struct error_log errors = {0};
	struct sink *sink = sink_check(&a->format, &config, &errors);
	unsigned int i;

	UNIT_NEED(sink);
	for (i = 0; i < 5; i++) {
		one(sink, a, 1, false);
		one(sink, b, 2, false);
	}
	UNIT_EQ(errors.count, 0);
	/* A lost unit of one of them is detected once. */
	one(sink, a, 1, true);
	one(sink, b, 2, false);
	UNIT_EQ(errors.count, 0);
	one(sink, a, 1, false);
	CU_ASSERT_TRUE(errors.count > 0);
	errors.count = 0;
	one(sink, b, 2, false);
	one(sink, a, 1, false);
	UNIT_EQ(errors.count, 0);
	sink_close(sink);
	source_close(a);
	source_close(b);
}

/*
 * A receiver runs for weeks: the state of the run without units for longest is dropped, and not
 * that of an active sender.
 */
static void many_short_runs(void)
{
	struct source *long_run = sender(), *other;
	struct error_log errors = {0};
	struct sink *sink = sink_check(&long_run->format, &config, &errors);
	uint64_t run;

	UNIT_NEED(sink);
	for (run = 2; run < 1000; run++) {
		one(sink, long_run, 1, false);
		other = sender();
		one(sink, other, run, false);
		one(sink, other, run, false);
		source_close(other);
	}
	UNIT_EQ(errors.count, 0);
	one(sink, long_run, 1, true);
	one(sink, long_run, 1, false);
	CU_ASSERT_TRUE(errors.count > 0);
	sink_close(sink);
	source_close(long_run);
}

UNIT_MAIN("the check of units", {"two senders of the same link", two_senders},
	  {"many short runs beside a long one", many_short_runs})
