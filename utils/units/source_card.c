// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A channel of a card as a source, by roc/lend.h. The code below does not depend on the channel
 * type.
 */
#include "sources.h"

#include <roc/firmware.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"
#include "utils/common/card.h"
#include "utils/common/numbers.h"
#include "utils/common/tool.h"

#define WINDOWS_MAX 4096 /* windows of a stream that can be lent */

struct card_source {
	struct source source;
	struct roc_card card;
	struct roc_endpoint *ep;
	struct roc_ep_info info;
	struct roc_channel *ch;
	struct roc_stream *stream;
	struct roc_memory memory;
	struct roc_lender *lender;
	bool slept; /* since the last unit */
	bool stopped;
	bool counts; /* from the start on */
	struct roc_ch_info before;
	/*
	 * Counters of the card can be reset. seen_*: last value read; the others: sum since the
	 * start.
	 */
	uint64_t seen_dropped, seen_bytes;
	uint64_t dropped, bytes;
	uint64_t seen_discarded, discarded; /* stream */
};

static struct card_source *of(struct source *s)
{
	return (struct card_source *)s;
}

static int start(struct source *s)
{
	struct card_source *c = of(s);
	struct roc_st_info st = {0};
	int ret;

	if (c->stream) {
		ret = roc_stream_info(c->stream, &st);
		c->counts = !ret;
		c->seen_dropped = st.card.throttled;
		c->seen_discarded = st.card.discarded;
		c->seen_bytes = st.card.bytes;
		if (!ret)
			ret = roc_stream_start(c->stream, 0);
	} else {
		ret = roc_channel_info(c->ch, &c->before);
		c->counts = !ret;
		c->seen_dropped = c->before.dropped;
		if (!ret)
			ret = roc_channel_start(c->ch);
	}
	return ret ? lent_fail(s, ret) : 0;
}

/* Called once, when all units are taken and the card has counted all events. */
static void compare_events(struct source *s)
{
	struct card_source *c = of(s);
	struct roc_stream_damage d;

	roc_stream_damage(c->stream, &d);
	if (s->incomplete || (!d.backward && d.missing <= c->dropped + c->discarded))
		return;
	s->incomplete = true;
	snprintf(s->note, sizeof(s->note),
		 "The event ids of the stream are wrong: %" PRIu64
		 " are missing, of which the card throttled %" PRIu64 " and discarded %" PRIu64
		 ", and %" PRIu64 " packets have a lower event id than the one before.",
		 d.missing, c->dropped, c->discarded, d.backward);
}

static int take(struct source *s, struct unit *u)
{
	struct card_source *c = of(s);
	struct roc_unit r;
	int ret;

	ret = roc_lender_take(c->lender, &r);
	if (!ret && c->slept) {
		/* Check whether the channel still runs. */
		c->slept = false;
		s->calls++;
		ret = c->stopped ? 0 : roc_lender_wait(c->lender, 0);
		/* An end that was not requested is a failure; libroc has the reason. */
		if (ret == -ENODATA)
			return lent_fail(s, -EIO);
		ret = ret == -ETIME || ret == -EINTR ? 0 : ret;
	}
	if (!ret && c->stopped)
		return -ENODATA;
	if (ret <= 0)
		return ret && ret != -EAGAIN ? lent_fail(s, ret) : ret;
	lent_unit(&r, u);
	u->first = units_first(s->format.content, r.data, r.length);
	u->link = r.link;
	return 1;
}

static int give_back(struct source *s, uint64_t handle)
{
	return lent_return(s, of(s)->lender, handle);
}

static int stop(struct source *s)
{
	struct card_source *c = of(s);
	int ret = c->stream ? roc_stream_stop(c->stream, NULL) : roc_channel_stop(c->ch, NULL);

	c->stopped = true;
	return ret && ret != -EALREADY ? lent_fail(s, ret) : 0;
}

/*
 * The descriptor is readable when there is data that was not taken, or after a failure of the run.
 * Lent units do not make it readable.
 */
static void card_source_sleep(struct source *s, struct units_sleep *sleep)
{
	struct card_source *c = of(s);

	units_sleep_fd(sleep, c->stream ? roc_stream_fd(c->stream) : roc_channel_fd(c->ch), POLLIN);
	c->slept = true;
}

/*
 * Add the difference to the last value: in a long run the 32-bit counter can overflow more than
 * once.
 */
static void count_channel(struct card_source *c, const struct roc_ch_info *ch)
{
	c->dropped += counter32_since(c->seen_dropped, ch->dropped);
	c->seen_dropped = ch->dropped;
}

/* Add the difference to the last values: the counters may be reset at any time. */
static void count_stream(struct card_source *c, const struct roc_st_counters *card)
{
	c->dropped += counter64_since(c->seen_dropped, card->throttled);
	c->bytes += counter64_since(c->seen_bytes, card->bytes);
	c->discarded += counter64_since(c->seen_discarded, card->discarded);
	c->seen_dropped = card->throttled;
	c->seen_discarded = card->discarded;
	c->seen_bytes = card->bytes;
}

static void counters(struct source *s, struct unit_counters *b)
{
	struct card_source *c = of(s);
	struct roc_ch_info ch;
	struct roc_st_info st;

	memset(b, 0, sizeof(*b));
	/* Without counters at the start, no difference can be reported. */
	if (!c->counts)
		return;
	if (c->stream && !roc_stream_info(c->stream, &st)) {
		count_stream(c, &st.card);
		if (c->stopped)
			compare_events(s);
		*b = (struct unit_counters){
			.known = true,
			.bytes = c->bytes,
			.dropped = c->dropped,
			.dropped_what = "events",
		};
	} else if (c->ch && !roc_channel_info(c->ch, &ch)) {
		count_channel(c, &ch);
		*b = (struct unit_counters){
			.known = true,
			.units = ch.completed - c->before.completed,
			.bytes = ch.bytes - c->before.bytes,
			.dropped = c->dropped,
			.dropped_what = "packets",
		};
	}
}

static void close_source(struct source *s)
{
	struct card_source *c = of(s);

	roc_lender_close(c->lender);
	/* Close the channel before its memory, which it pins. */
	roc_channel_close(c->ch);
	roc_stream_close(c->stream);
	roc_memory_free(&c->memory);
	roc_close(c->ep);
	free(c);
}

static const struct source_ops ops = {
	.name = "card",
	.start = start,
	.take = take,
	.give_back = give_back,
	.stop = stop,
	.sleep = card_source_sleep,
	.counters = counters,
	.close = close_source,
};

static enum unit_content content_of(enum check_data data)
{
	switch (data) {
	case CHECK_INTERNAL:
		return UNIT_COUNTER;
	case CHECK_DDG:
		return UNIT_DDG;
	case CHECK_RUNNING:
		return UNIT_RUNNING;
	default:
		return UNIT_HEADERS;
	}
}

static const struct source_card_words options = {
	.channel = "--dma-channel",
	.stream = "--stream",
	.sub = "--sub",
	.data_source = "--data-source",
	.links = "--links",
	.buffer = "--buffer-size",
	.unit = "--superpage-size",
	.bypass = "--bypass-fw-check",
};

static const struct source_card_words *words_of(const struct source_card_options *o)
{
	return o->words ? o->words : &options;
}

static int unit_usage(uint64_t unit, const struct source_card_words *words)
{
	return unit && unit <= UINT32_MAX
		       ? TOOL_OK
		       : tool_usage("%s: the size must be between 1 and 4294967295 bytes.",
				    words->unit);
}

int source_card_usage(uint64_t buffer, uint64_t unit, const struct source_card_words *words)
{
	words = words ? words : &options;
	if (unit_usage(unit, words))
		return TOOL_USAGE;
	return buffer >= unit ? TOOL_OK
			      : tool_usage("The buffer (%s) is smaller than one superpage (%s).",
					   words->buffer, words->unit);
}

static int open_pool(struct card_source *c, const struct source_card_options *o,
		     const struct card_type *type)
{
	struct roc_channel_config config = {
		.source = (enum roc_source)o->data_source,
		.links = o->links,
	};
	unsigned int flags = o->plain_memory		    ? ROC_MEMORY_PLAIN
			     : c->info.caps & ROC_CAP_IOMMU ? ROC_MEMORY_PLAIN_OK
							    : 0;
	uint32_t ring = ROC_RING_MIN;

	if (source_card_usage(o->buffer, o->unit, o->words))
		return TOOL_USAGE;
	while (ring < o->buffer / o->unit && ring < ROC_RING_MAX)
		ring *= 2;
	if (type->data[o->data_source] == CHECK_NONE)
		return tool_fail("A %s does not have this data source (%s).",
				 roc_card_type_name(c->info.card_type), words_of(o)->data_source);
	if (roc_channel_open_card(&c->card, o->id, o->dma_channel, &c->ch) ||
	    roc_channel_configure(c->ch, &config) ||
	    roc_memory_alloc(o->buffer, c->info.numa_node, flags, &c->memory) ||
	    roc_channel_rings(c->ch, ring, ring) ||
	    roc_lender_pool(c->ch, (unsigned int)(o->buffer / o->unit), &c->lender) ||
	    roc_lender_add(c->lender, c->memory.addr, o->buffer - o->buffer % o->unit,
			   (uint32_t)o->unit))
		return tool_fail("%s", roc_error());
	c->source.regions[0] =
		(struct unit_region){.addr = c->memory.addr, .length = c->memory.length};
	c->source.format = (struct unit_format){
		.content = content_of(type->data[o->data_source]),
		.any_link = type->any_link,
		.page_bytes = c->info.page_size,
		.unit_max = o->unit,
	};
	snprintf(c->source.format.from, sizeof(c->source.format.from), "%s channel %u",
		 c->card.pci_address, o->dma_channel);
	return TOOL_OK;
}

static int open_stream(struct card_source *c, const struct source_card_options *o)
{
	uint64_t length;
	const void *base;

	if (roc_stream_open_card(&c->card, o->id, o->stream ? o->stream : "main", &c->stream) ||
	    roc_stream_ring(c->stream, o->buffer) ||
	    roc_lender_stream(c->stream, WINDOWS_MAX, o->unit, &c->lender))
		return tool_fail("%s", roc_error());
	base = roc_stream_base(c->stream, &length);
	/* The ring is mapped twice, back to back. A sink that registers it only reads. */
	c->source.regions[0] =
		(struct unit_region){.addr = (void *)(uintptr_t)base, .length = 2 * length};
	c->source.format = (struct unit_format){
		.content = UNIT_PACKETS,
		/* A packet that is larger than the window is lent as a whole. */
		.unit_max = o->unit > 2 << 20 ? o->unit : 2 << 20,
	};
	snprintf(c->source.format.from, sizeof(c->source.format.from), "%s stream %s",
		 c->card.pci_address, roc_stream_name(c->stream));
	return TOOL_OK;
}

static int check_firmware(const struct card_source *c, const struct source_card_options *o)
{
	struct roc_firmware_list *list;
	int ret;

	if (o->bypass_fw_check)
		return TOOL_OK;
	ret = roc_firmware_open(NULL, &list);
	if (!ret) {
		ret = roc_firmware_check(list, (enum roc_card_type)c->info.card_type,
					 c->info.firmware);
		roc_firmware_close(list);
	}
	return ret ? tool_fail("%s: %s (%s skips this check)", card_called(&c->card, o->id),
			       roc_error(), words_of(o)->bypass)
		   : TOOL_OK;
}

static int open_fragments(const struct source_card_options *o, struct source **source)
{
	struct source_fragment_options fragment = {
		.id = o->id,
		.sub = o->sub,
		.links = o->links,
		.page = o->page,
		.buffer = o->buffer,
		.buffer_word = words_of(o)->buffer,
	};

	return source_fragment(&fragment, source);
}

/* Reject options that have no effect: the user would get other data than requested. */
static int refuse_unused(const struct source_card_options *o, const char *name, bool streams)
{
	const char *type = streams ? "stream" : "sub-unit";
	const struct source_card_words *w = words_of(o);

	if (o->dma_channel)
		return tool_fail("The channels of a %s are %ss: use %s instead of %s.", name, type,
				 streams ? w->stream : w->sub, w->channel);
	if (o->data_source_given)
		return tool_fail("The %ss of a %s have no selectable data source: omit %s.", type,
				 name, w->data_source);
	if (o->links && streams)
		return tool_fail(
			"The streams of a %s have no selectable links: omit %s, and select the stream with %s.",
			name, w->links, w->stream);
	return TOOL_OK;
}

static int open_card(struct card_source *c, const struct source_card_options *o)
{
	const struct card_type *type;
	const char *name;
	int code;

	code = card_open(o->id, &c->card, &c->ep, &type);
	if (code)
		return code;
	if (roc_info(c->ep, &c->info))
		return tool_fail("%s", roc_error());
	name = roc_card_type_name(c->info.card_type);
	if (o->sub && !(c->info.caps & ROC_CAP_FRAGMENTS))
		return tool_fail("The channels of a %s are not sub-units: omit %s.", name,
				 words_of(o)->sub);
	if (c->info.caps & ROC_CAP_STREAMS) {
		code = refuse_unused(o, name, true);
		return code ? code : open_stream(c, o);
	}
	if (o->stream)
		return tool_fail("The channels of a %s are not streams: omit %s.", name,
				 words_of(o)->stream);
	/* open_fragments() opens these. */
	if (c->info.caps & ROC_CAP_FRAGMENTS)
		return refuse_unused(o, name, false);
	code = check_firmware(c, o);
	if (code)
		return code;
	return open_pool(c, o, type);
}

int source_card(const struct source_card_options *o, struct source **source)
{
	struct card_source *c;
	int code;

	if (unit_usage(o->unit, words_of(o)))
		return TOOL_USAGE;
	c = calloc(1, sizeof(*c));
	if (!c)
		return tool_fail("Cannot allocate the source for a channel.");
	c->source.ops = &ops;
	c->source.region_count = 1;
	code = open_card(c, o);
	if (code || c->info.caps & ROC_CAP_FRAGMENTS) {
		close_source(&c->source);
		return code ? code : open_fragments(o, source);
	}
	*source = &c->source;
	return TOOL_OK;
}
