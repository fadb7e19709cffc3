// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Set up the generators of a PCIe40's streams. The card keeps the old value if it does not support
 * a new one, so every write is read back.
 */
#include <errno.h>

#include <roc/p40.h>

#include "kmod/cards/p40/p40_regs.h"
#include "kmod/stream/stream_regs.h"
#include "libroc/board/libroc_pass.h"

static int check_stream(struct roc_endpoint *ep, unsigned int stream)
{
	if (stream < P40_STREAMS && stream != P40_STREAM_META)
		return 0;
	return roc_fail(
		ENOENT, "%s: stream %u has no generator: %u (main) and %u to %u (ODIN) have one",
		roc_endpoint_name(ep), stream, P40_STREAM_MAIN, P40_STREAM_ODIN, P40_STREAMS - 1);
}

static uint32_t word(struct libroc_pass *c, unsigned int stream, uint32_t offset)
{
	return libroc_pass_read(c, P40_BAR_CARD, P40_SETTINGS(stream) + offset);
}

/* Read a 64-bit setting, which does not change meanwhile. */
static uint64_t wide(struct libroc_pass *c, unsigned int stream, uint32_t offset)
{
	uint32_t low = word(c, stream, offset);

	return (uint64_t)word(c, stream, offset + 4) << 32 | low;
}

static void read_all(struct libroc_pass *c, unsigned int stream, struct roc_p40_generator *g)
{
	uint32_t control = word(c, stream, STREAM_SET_GENERATOR), align;

	align = word(c, stream, STREAM_SET_ALIGN);
	*g = (struct roc_p40_generator){
		.first = wide(c, stream, STREAM_SET_FIRST),
		.limit = wide(c, stream, STREAM_SET_LIMIT),
		.generated = libroc_pass_read_count(c, P40_BAR_CARD,
						    P40_SETTINGS(stream) + STREAM_SET_GENERATED),
		.size_min = word(c, stream, STREAM_SET_SIZE_MIN),
		.size_max = word(c, stream, STREAM_SET_SIZE_MAX),
		.rate = word(c, stream, STREAM_SET_RATE),
		.align = stream == P40_STREAM_MAIN ? 1u << (align & 31) : 0,
		.running = control & STREAM_GENERATOR_RUN,
		.distributed = control & STREAM_GENERATOR_DISTRIBUTED,
		.clocked = control & STREAM_GENERATOR_CLOCKED,
	};
}

int roc_p40_generator_read(struct roc_endpoint *ep, unsigned int stream,
			   struct roc_p40_generator *generator)
{
	struct roc_p40_generator now;
	struct libroc_pass c;
	int ret;

	ret = check_stream(ep, stream);
	if (ret)
		return ret;
	ret = libroc_pass_begin(ep, &c, ROC_CARD_P40, false, NULL);
	if (ret)
		return ret;
	read_all(&c, stream, &now);
	ret = libroc_pass_end(&c);
	if (!ret)
		*generator = now;
	return ret;
}

static int check_card(struct roc_endpoint *ep)
{
	const struct libroc_where feature = {P40_BAR_CARD, P40_CARD + CARD_FEATURES,
					     CARD_FEATURE_GENERATORS};

	return libroc_pass_need_feature(ep, ROC_CARD_P40, feature, "generators");
}

static int check_values(struct roc_endpoint *ep, unsigned int stream,
			const struct roc_p40_generator *g)
{
	if (g->rate > STREAM_GENERATOR_RATE_MAX)
		return roc_fail(
			ERANGE,
			"%s: the rate of %u events per second is too high: the maximum is %u",
			roc_endpoint_name(ep), g->rate, STREAM_GENERATOR_RATE_MAX);
	if (g->clocked && !g->rate)
		return roc_fail(ERANGE, "%s: the rate is 0: a clocked generator needs a rate",
				roc_endpoint_name(ep));
	if (stream != P40_STREAM_MAIN) {
		if (g->size_min || g->size_max || g->distributed || g->align)
			return roc_fail(
				ERANGE,
				"%s: records of stream %u have a fixed size: set sizes and alignment to 0",
				roc_endpoint_name(ep), stream);
		return 0;
	}
	if (g->size_min > STREAM_FRAGMENT_MAX || g->size_max > STREAM_FRAGMENT_MAX)
		return roc_fail(
			ERANGE,
			"%s: the sizes of fragments, %u to %u bytes, are too large: the maximum is %u",
			roc_endpoint_name(ep), g->size_min, g->size_max, STREAM_FRAGMENT_MAX);
	if (g->distributed && g->size_min > g->size_max)
		return roc_fail(
			ERANGE,
			"%s: the sizes of fragments, %u to %u bytes, are reversed: the second must not be lower",
			roc_endpoint_name(ep), g->size_min, g->size_max);
	if (g->align < 1u << STREAM_SET_ALIGN_MIN || g->align > 1u << STREAM_SET_ALIGN_MAX ||
	    g->align & (g->align - 1))
		return roc_fail(
			ERANGE,
			"%s: the alignment of fragments is %u: it must be 4, 8, 16, 32 or 64",
			roc_endpoint_name(ep), g->align);
	return 0;
}

static void put(struct libroc_pass *c, unsigned int stream, uint32_t offset, uint32_t value)
{
	uint32_t at = P40_SETTINGS(stream) + offset, now;

	if (c->err || libroc_pass_read(c, P40_BAR_CARD, at) == value)
		return;
	libroc_pass_write(c, P40_BAR_CARD, at, value);
	now = libroc_pass_read(c, P40_BAR_CARD, at);
	if (!c->err && now != value)
		libroc_pass_fail(
			c,
			roc_fail(
				EIO,
				"%s: the card reads 0x%x from register 0x%x of BAR %d after 0x%x was written: this library does not support its firmware",
				roc_endpoint_name(c->ep), now, at, P40_BAR_CARD, value));
}

static void put_wide(struct libroc_pass *c, unsigned int stream, uint32_t offset, uint64_t value)
{
	put(c, stream, offset, value);
	put(c, stream, offset + 4, value >> 32);
}

int roc_p40_generator_set(struct roc_endpoint *ep, unsigned int stream,
			  const struct roc_p40_generator *g)
{
	uint32_t control = (g->running ? STREAM_GENERATOR_RUN : 0) |
			   (g->distributed ? STREAM_GENERATOR_DISTRIBUTED : 0) |
			   (g->clocked ? STREAM_GENERATOR_CLOCKED : 0);
	struct roc_p40_generator now;
	struct libroc_pass c;
	int ret;

	ret = check_stream(ep, stream);
	if (!ret)
		ret = check_card(ep);
	if (!ret)
		ret = check_values(ep, stream, g);
	if (!ret)
		ret = libroc_pass_begin(ep, &c, ROC_CARD_P40, true, NULL);
	if (ret)
		return ret;
	read_all(&c, stream, &now);
	/* @first and @limit take effect at the start. */
	if (now.running && (now.first != g->first || now.limit != g->limit))
		put(&c, stream, STREAM_SET_GENERATOR, control & ~STREAM_GENERATOR_RUN);
	put_wide(&c, stream, STREAM_SET_FIRST, g->first);
	put_wide(&c, stream, STREAM_SET_LIMIT, g->limit);
	if (stream == P40_STREAM_MAIN) {
		put(&c, stream, STREAM_SET_ALIGN, __builtin_ctz(g->align));
		put(&c, stream, STREAM_SET_SIZE_MIN, g->size_min);
		put(&c, stream, STREAM_SET_SIZE_MAX, g->size_max);
	}
	put(&c, stream, STREAM_SET_RATE, g->rate);
	put(&c, stream, STREAM_SET_GENERATOR, control);
	return libroc_pass_end(&c);
}
