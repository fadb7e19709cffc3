// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ioctls on the node of a stream and of the endpoint: state and counters, settings, resets, and
 * what the streams of a card share.
 *
 * A caller on the endpoint's node can change only slow control of an open stream: settings that are
 * registers in the open BAR, and counters. Except for a reset, it takes no channel lock while the
 * stream runs.
 */
#include <linux/math64.h>

#include "stream/stream.h"

/*
 * Convert cycles of the card to ns. The value comes from the card and may be anything, so a result
 * that does not fit wraps. mul_u64_u32_div() would trap then, by its divide instruction on x86.
 */
static u64 roc_stream_cycles_ns(const struct roc_stream *st, __le64 cycles)
{
	u32 rest;
	u64 seconds = div_u64_rem(le64_to_cpu(cycles), st->clock, &rest);

	return seconds * NSEC_PER_SEC + div_u64((u64)rest * NSEC_PER_SEC, st->clock);
}

static void roc_stream_show_counters(const struct roc_stream *st, const struct stream_counters *c,
				     struct roc_st_counters *to)
{
	*to = (struct roc_st_counters){
		.units = le64_to_cpu(c->units),
		.bytes = le64_to_cpu(c->bytes),
		.offered = le64_to_cpu(c->offered),
		.events = le64_to_cpu(c->events),
		.discarded = le64_to_cpu(c->discarded),
		.waiting = le64_to_cpu(c->waiting),
		.throttles = le64_to_cpu(c->throttles),
		.throttled = le64_to_cpu(c->throttled),
		.throttle_time = roc_stream_cycles_ns(st, c->throttle_cycles),
		.throttle_first = le64_to_cpu(c->throttle_first),
		.throttle_from = le64_to_cpu(c->throttle_from),
		.throttle_to = le64_to_cpu(c->throttle_to),
		.truncations = le64_to_cpu(c->truncations),
		.truncated = le64_to_cpu(c->truncated),
		.truncated_bytes = le64_to_cpu(c->truncated_bytes),
		.truncate_time = roc_stream_cycles_ns(st, c->truncate_cycles),
		.truncate_first = le64_to_cpu(c->truncate_first),
		.truncate_from = le64_to_cpu(c->truncate_from),
		.truncate_to = le64_to_cpu(c->truncate_to),
	};
}

/* Counters of the card: from its page while the stream runs, else as of the end of the run. */
void roc_stream_counters(struct roc_channel *ch, struct roc_st_counters *to)
{
	struct roc_stream *st = roc_stream(ch);

	spin_lock_irq(&ch->run_lock);
	if (ch->running)
		roc_stream_page_counters(ch->running, &st->last);
	roc_stream_show_counters(st, &st->last, to);
	spin_unlock_irq(&ch->run_lock);
}

static void roc_stream_show_run(struct roc_run *run, struct roc_st_info *info)
{
	const struct roc_position *p = &roc_stream_run(run)->position;

	roc_run_poll(run);
	info->run = run->number;
	info->ring = 1ull << roc_stream_ring(run)->log2;
	info->segments = roc_stream_ring(run)->segments;
	info->written = p->written;
	info->read = p->read;
	if (roc_run_bound(run))
		info->level = le32_to_cpu(READ_ONCE(roc_stream_state(run)->level));
}

int roc_stream_info(struct file *file, void *data)
{
	struct roc_st_info *info = data;
	const struct roc_open *caller;
	struct roc_channel *ch = roc_named_channel(file, info->stream, &caller);
	struct roc_channel_snapshot shown;
	struct roc_stats stats;

	if (info->flags)
		return -EINVAL;
	if (!ch)
		return -ENOENT;
	shown = roc_channel_snapshot(ch);
	*info = (struct roc_st_info){
		.size = info->size,
		.stream = ch->number,
		.state = shown.state,
		.reason = shown.reason,
		.owner = shown.owner,
	};
	strscpy(info->name, roc_stream(ch)->name, sizeof(info->name));
	spin_lock_irq(&ch->run_lock);
	if (ch->open && ch->open->shared)
		roc_stream_show_run(roc_run(ch->open), info);
	stats = roc_run_stats(ch, !!caller);
	spin_unlock_irq(&ch->run_lock);
	roc_stream_counters(ch, &info->card);
	roc_run_info(info, &stats);
	info->bytes = stats.bytes;
	return 0;
}

/* A setting that is a register of the card. */
struct roc_stream_register {
	u32 bit; /* enum roc_st_set */
	u32 offset;
	size_t member;
};

#define ROC_STREAM_REGISTER(_bit, _offset, _member)                                                \
	{                                                                                          \
		_bit, _offset, offsetof(struct roc_st_settings, _member)                           \
	}

static const struct roc_stream_register roc_stream_registers[] = {
	ROC_STREAM_REGISTER(ROC_ST_SET_POLICY, STREAM_SET_POLICY, policy),
	ROC_STREAM_REGISTER(ROC_ST_SET_PACK_EVENTS, STREAM_SET_PACK_EVENTS, pack_events),
	ROC_STREAM_REGISTER(ROC_ST_SET_PACK_BYTES, STREAM_SET_PACK_BYTES, pack_bytes),
	ROC_STREAM_REGISTER(ROC_ST_SET_PACK_TIME, STREAM_SET_PACK_NS, pack_time),
	ROC_STREAM_REGISTER(ROC_ST_SET_THROTTLE_ON, STREAM_SET_THROTTLE_ON, throttle_on),
	ROC_STREAM_REGISTER(ROC_ST_SET_THROTTLE_OFF, STREAM_SET_THROTTLE_OFF, throttle_off),
	ROC_STREAM_REGISTER(ROC_ST_SET_TRUNCATE_ON, STREAM_SET_TRUNCATE_ON, truncate_on),
	ROC_STREAM_REGISTER(0, STREAM_SET_SPILL_SIZE, spill),
};

#define ROC_STREAM_SET_DRIVER                                                                      \
	(ROC_ST_SET_INTERRUPT_BYTES | ROC_ST_SET_INTERRUPT_TIME | ROC_ST_SET_LOW_WATER)
#define ROC_STREAM_SET_META ROC_ST_SET_POLICY
#define ROC_STREAM_SET_ODIN (ROC_ST_SET_POLICY | ROC_ST_SET_THROTTLE_ON | ROC_ST_SET_THROTTLE_OFF)
#define ROC_STREAM_SET_MAIN                                                                        \
	(ROC_STREAM_SET_ODIN | ROC_ST_SET_PACK_EVENTS | ROC_ST_SET_PACK_BYTES |                    \
	 ROC_ST_SET_PACK_TIME | ROC_ST_SET_TRUNCATE_ON)

static u32 roc_stream_settings_mask(const struct roc_stream *st)
{
	switch (st->type) {
	case STREAM_TYPE_MAIN:
		return ROC_STREAM_SET_MAIN | ROC_STREAM_SET_DRIVER;
	case STREAM_TYPE_META:
		return ROC_STREAM_SET_META | ROC_STREAM_SET_DRIVER;
	default:
		return ROC_STREAM_SET_ODIN | ROC_STREAM_SET_DRIVER;
	}
}

static u32 *roc_stream_register_value(struct roc_st_settings *arg,
				      const struct roc_stream_register *setting)
{
	return (void *)arg + setting->member;
}

/* The card ignores an invalid value. Users may write the same registers, so all are read back. */
static int roc_stream_set_card(struct roc_channel *ch, struct roc_st_settings *arg)
{
	void __iomem *open = roc_stream(ch)->open;
	unsigned int i;
	int err = 0;

	mutex_lock(&ch->ep->card->lock);
	for (i = 0; i < ARRAY_SIZE(roc_stream_registers) && !err; i++) {
		const struct roc_stream_register *setting = &roc_stream_registers[i];
		u32 value = *roc_stream_register_value(arg, setting);

		if (!(arg->set & setting->bit))
			continue;
		iowrite32(value, open + setting->offset);
		if (ioread32(open + setting->offset) != value)
			err = -ERANGE;
	}
	for (i = 0; i < ARRAY_SIZE(roc_stream_registers); i++)
		*roc_stream_register_value(arg, &roc_stream_registers[i]) =
			ioread32(open + roc_stream_registers[i].offset);
	mutex_unlock(&ch->ep->card->lock);
	return roc_alive(ch->ep) ? err : -EIO;
}

/*
 * Only the opener may change settings that the driver keeps. The low-water mark must not exceed the
 * ring.
 */
static int roc_stream_set_allowed(const struct roc_channel *ch, const struct roc_st_settings *arg,
				  const struct roc_open *caller)
{
	const struct roc_open *o = ch->open;
	u64 ring = o && o->shared ? 1ull << roc_stream_ring(roc_run(ch->open))->log2
				  : roc_stream(ch)->ring_max;

	lockdep_assert_held(&ch->run_lock);
	if (arg->set & ROC_STREAM_SET_DRIVER && roc_open_by_other(o, caller))
		return -EBUSY;
	return arg->set & ROC_ST_SET_LOW_WATER && arg->low_water > ring ? -EINVAL : 0;
}

static int roc_stream_check(struct roc_channel *ch, const struct roc_st_settings *arg,
			    const struct roc_open *caller)
{
	int err;

	spin_lock_irq(&ch->run_lock);
	err = roc_stream_set_allowed(ch, arg, caller);
	spin_unlock_irq(&ch->run_lock);
	return err;
}

static int roc_stream_set_driver(struct roc_channel *ch, struct roc_st_settings *arg,
				 const struct roc_open *caller)
{
	struct roc_stream_settings *s = &roc_stream(ch)->settings;
	int err;

	spin_lock_irq(&ch->run_lock);
	err = roc_stream_set_allowed(ch, arg, caller);
	if (err)
		goto out;
	if (arg->set & ROC_ST_SET_INTERRUPT_BYTES)
		WRITE_ONCE(s->interrupt_bytes, arg->interrupt_bytes);
	if (arg->set & ROC_ST_SET_INTERRUPT_TIME)
		WRITE_ONCE(s->interrupt_time, arg->interrupt_time);
	if (arg->set & ROC_ST_SET_LOW_WATER)
		s->low_water = arg->low_water;
	if (arg->set & (ROC_ST_SET_INTERRUPT_BYTES | ROC_ST_SET_INTERRUPT_TIME))
		roc_run_changed(ch);
	if (ch->running && arg->set & ROC_ST_SET_LOW_WATER)
		roc_run_readable(ch->running);
	arg->interrupt_bytes = s->interrupt_bytes;
	arg->interrupt_time = s->interrupt_time;
	arg->low_water = s->low_water;
out:
	spin_unlock_irq(&ch->run_lock);
	return err;
}

int roc_stream_set(struct file *file, void *data)
{
	struct roc_st_settings *arg = data;
	const struct roc_open *caller;
	struct roc_channel *ch = roc_named_channel(file, arg->stream, &caller);
	int err;

	if (!ch)
		return -ENOENT;
	if (arg->flags || arg->set & ~(ROC_STREAM_SET_MAIN | ROC_STREAM_SET_DRIVER))
		return -EINVAL;
	if (arg->set & ~roc_stream_settings_mask(roc_stream(ch)))
		return -EOPNOTSUPP;
	if ((arg->set & ROC_ST_SET_INTERRUPT_BYTES && arg->interrupt_bytes > U32_MAX) ||
	    (arg->set & ROC_ST_SET_INTERRUPT_TIME && arg->interrupt_time > U32_MAX))
		return -ERANGE;
	arg->stream = ch->number;
	/* Check before any register is written: a refused call must not change a setting. */
	err = roc_stream_check(ch, arg, caller);
	return err ?: roc_stream_set_card(ch, arg) ?: roc_stream_set_driver(ch, arg, caller);
}

/* Reset a stream. The count of events lost in this run survives a reset of the counters. */
int roc_stream_reset(struct roc_channel *ch, unsigned int level)
{
	bool running = level == ROC_ST_RESET_COUNTERS && ch->state == ROC_CH_RUNNING;
	struct stream_counters last = {};
	int err;

	lockdep_assert_held(&ch->lock);
	if (running)
		roc_stream_read_counters(ch, &last);
	err = roc_block_reset(ch, ch->type->run->levels[level].bits);
	if (err)
		return err;
	if (running)
		roc_stream_run(roc_run(ch->open))->discarded -= le64_to_cpu(last.discarded);
	if (level == ROC_ST_RESET_DEFAULT) {
		spin_lock_irq(&ch->run_lock);
		roc_stream_defaults(roc_stream(ch));
		spin_unlock_irq(&ch->run_lock);
	}
	if (ch->state != ROC_CH_RUNNING)
		roc_stream_refresh(ch);
	return 0;
}

/* Reset what the streams of the card share: its source id, and which streams are enabled. */
int roc_stream_reset_card(struct roc_endpoint *ep)
{
	void __iomem *card = roc_stream(&ep->channels[0])->card;

	mutex_lock(&ep->card->lock);
	iowrite32(STREAM_CARD_SOURCE_DEFAULT, card + CARD_SOURCE);
	iowrite32(BIT(ep->ops->channels) - 1, card + STREAM_CARD_ENABLE);
	mutex_unlock(&ep->card->lock);
	return roc_alive(ep) ? 0 : -EIO;
}

static int roc_st_card(struct file *file, void *data)
{
	struct roc_endpoint *ep = roc_endpoint_of(file);
	void __iomem *card = roc_stream(&ep->channels[0])->card;
	u32 all = BIT(ep->ops->channels) - 1, i;
	struct roc_st_card *arg = data;

	if (arg->flags || arg->reserved || arg->set & ~(ROC_ST_CARD_ENABLED | ROC_ST_CARD_SOURCE))
		return -EINVAL;
	if (arg->set & ROC_ST_CARD_ENABLED && arg->enabled & ~all)
		return -ENOENT;
	if (arg->set & ROC_ST_CARD_SOURCE && arg->source > U16_MAX)
		return -ERANGE;
	mutex_lock(&ep->card->lock);
	if (arg->set & ROC_ST_CARD_ENABLED)
		iowrite32(arg->enabled, card + STREAM_CARD_ENABLE);
	if (arg->set & ROC_ST_CARD_SOURCE)
		iowrite32(arg->source, card + CARD_SOURCE);
	arg->enabled = ioread32(card + STREAM_CARD_ENABLE);
	arg->source = ioread32(card + CARD_SOURCE);
	mutex_unlock(&ep->card->lock);
	arg->streams = ep->ops->channels;
	arg->running = 0;
	for (i = 0; i < ep->ops->channels; i++)
		if (READ_ONCE(ep->channels[i].state) == ROC_CH_RUNNING)
			arg->running |= BIT(i);
	return roc_alive(ep) ? 0 : -EIO;
}

static const struct roc_ioctl roc_stream_card_calls[] = {
	ROC_IOCTL(ROC_ST_INFO, roc_st_info, bad_index, roc_stream_info),
	ROC_IOCTL(ROC_ST_SETTINGS, roc_st_settings, low_water, roc_stream_set, .registers = true),
	ROC_IOCTL(ROC_ST_RESET, roc_st_reset, level, roc_run_reset, .registers = true),
	ROC_IOCTL(ROC_ST_CARD, roc_st_card, reserved, roc_st_card, .registers = true),
};

const struct roc_ioctl_table roc_stream_card_ioctls = ROC_IOCTL_TABLE(roc_stream_card_calls);
