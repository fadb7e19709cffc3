// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operations on a channel of each card type for tests. See target.h.
 */
#include "target.h"

#include <stdio.h>

#include "emu.h"
#include "mem.h"
#include "reader.h"
#include "rig.h"
#include "taker.h"

#define RUN_MS 10000
#define SUPERPAGE (128u << 10)
#define RING (256u << 10)
#define HUGE (2u << 20)
#define LINKS 0xfu /* of a CRU: four */

void target_normal(const struct target *t)
{
	if (t->type == ROC_CARD_P40)
		emu_keys_p40(t->card);
	else if (t->type == ROC_CARD_ROBINNP)
		emu_keys_robinnp(t->card);
	else if (t->type == ROC_CARD_CRORC)
		emu_normal_crorc(t->card);
	else
		emu_normal(t->card, LINKS);
}

void target_rate(const struct target *t, unsigned int channel, unsigned int rate)
{
	if (t->type == ROC_CARD_P40 || t->type == ROC_CARD_ROBINNP)
		emu(t->card, "set all rate %u", rate);
	else if (t->type == ROC_CARD_CRORC)
		emu(t->card, "set all rate %u=%u", channel, rate);
	else
		emu(t->card, "set %u rate %u", channel, rate);
}

void target_fail(const struct target *t)
{
	if (t->events)
		emu(t->card, "fault all record-sequence 5");
	else if (t->type == ROC_CARD_P40)
		emu(t->card, "fault 0 beyond-ring 0x7f 1000000");
	else if (t->type == ROC_CARD_ROBINNP)
		emu(t->card, "fault 0 fetch-error 3 1");
	else if (t->type == ROC_CARD_CRORC)
		emu(t->card, "fault 0 count-jump 0x3f 50");
	else
		emu(t->card, "fault all size-index 5");
}

static bool was(bool good, const char *id, unsigned int channel, unsigned int errors,
		const char *wrong)
{
	if (!good || errors)
		printf("# run of %s channel %u: %u errors, first: %s\n", id, channel, errors,
		       wrong[0] ? wrong : "expected data missing after the time limit");
	return good && !errors;
}

static bool pool_runs(const char *id, unsigned int channel, enum roc_source source, void *memory,
		      bool stop)
{
	struct rig r = {.id = id,
			.channel = channel,
			.source = source,
			.memory = memory,
			.superpage = SUPERPAGE,
			.count = HUGE / SUPERPAGE};
	bool good = rig_open(&r);

	if (!good)
		return was(good, id, channel, r.found.count, r.found.first);
	rig_push(&r, RIG_MAX);
	good = rig_start(&r) && rig_run(&r, 24, RUN_MS) && (!stop || rig_stop(&r));
	rig_close(&r);
	return was(good, id, channel, r.found.count, r.found.first);
}

static bool stream_runs(const char *id, unsigned int stream, bool stop)
{
	struct reader r = {.id = id, .stream = stream, .ring = RING};
	bool good = reader_open(&r);

	if (!good)
		return was(good, id, stream, r.found.count, r.found.first);
	reader_generate(&r, 0, 1000, 1000, 0, 0, 0);
	good = reader_start(&r) && reader_run(&r, 1000, RUN_MS) && (!stop || reader_stop(&r));
	reader_close(&r);
	return was(good, id, stream, r.found.count, r.found.first);
}

static bool fragments_run(const char *id, unsigned int sub, bool stop)
{
	struct taker t = {.id = id, .sub = sub, .percent = 50, .pages = 64};
	bool good = taker_open(&t);

	if (!good)
		return was(good, id, sub, t.found.count, t.found.first);
	good = taker_generate(&t, TAKER_ALL_LINKS, 400, 1600, 2000, 0, 0) && taker_start(&t, 0) &&
	       taker_run(&t, 500, RUN_MS) && (!stop || taker_stop(&t));
	taker_close(&t);
	return was(good, id, sub, t.found.count, t.found.first);
}

bool target_runs(const struct target *t, const char *id, unsigned int channel, void *memory,
		 bool stop)
{
	if (t->type == ROC_CARD_P40)
		return stream_runs(id, channel, stop);
	if (t->type == ROC_CARD_ROBINNP)
		return fragments_run(id, channel, stop);
	return pool_runs(id, channel, t->source, memory, stop);
}
