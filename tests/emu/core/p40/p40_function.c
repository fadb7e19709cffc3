// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the block of the function asks the PCIe40's streams for.
 */
#include "p40.h"

static bool notice(void *model, uint64_t addr, const void *data, size_t bytes)
{
	return p40_put(&((struct p40 *)model)->st[0], addr, data, bytes);
}

static uint32_t in_trouble(const void *model)
{
	const struct p40 *c = model;
	uint32_t mask = 0;
	unsigned int s;

	for (s = 0; s < P40_STREAMS; s++) {
		const struct p40_stream *st = &c->st[s];

		if (st->setup_error || st->fetch_error || st->host_error || st->spill.throttling)
			mask |= 1u << s;
	}
	return mask;
}

static void reset_all(void *model, uint32_t levels)
{
	struct p40 *c = model;
	unsigned int s;

	for (s = 0; s < P40_STREAMS; s++)
		p40_stream_reset(&c->st[s], levels);
	if (levels & STREAM_RESET_DEFAULT && !c->fault[P40_RESET_IGNORED])
		p40_card_default(c);
}

const struct function_block_ops p40_function_ops = {
	.id = (uint32_t)STREAM_ID_FUNCTION << 16 | STREAM_VSEC_REVISION << 8 | P40_STREAMS,
	.enables = STREAM_CAUSE_ALL,
	.units = P40_STREAMS,
	.levels = STREAM_RESET_ALL,
	.put = notice,
	.trouble = in_trouble,
	.reset = reset_all,
};
