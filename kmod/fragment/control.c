// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ioctls on the node of a sub-unit and of the endpoint: state and counters, settings, resets.
 *
 * A caller on the endpoint's node can change only the counters of an open sub-unit. Except for a
 * reset, it takes no channel lock while the sub-unit runs.
 */
#include "fragment/fragment.h"

static void roc_sub_show_run(const struct roc_run *run, struct roc_fr_info *info)
{
	const struct roc_fragment_run *r = roc_fragment_run(run);
	const struct roc_sub_rings *rings = roc_fragment_rings(run);

	info->run = run->number;
	info->page_size = 1u << rings->page_log2;
	info->pages = rings->pages;
	info->host_page_size = 1u << rings->host_page_log2;
	info->host_pages = rings->host_pages;
	info->descriptors = r->lane[ROC_LANE_DATA].count.known;
	info->completions = r->lane[ROC_LANE_DONE].count.known;
}

int roc_sub_info(struct file *file, void *data)
{
	struct roc_fr_info *info = data;
	const struct roc_open *caller;
	struct roc_channel *ch = roc_named_channel(file, info->sub, &caller);
	struct roc_channel_snapshot shown;
	const struct roc_sub *sub;
	struct roc_stats stats;

	if (info->flags)
		return -EINVAL;
	if (!ch)
		return -ENOENT;
	sub = roc_sub(ch);
	shown = roc_channel_snapshot(ch);
	*info = (struct roc_fr_info){
		.size = info->size,
		.sub = ch->number,
		.state = shown.state,
		.reason = shown.reason,
		.owner = shown.owner,
		.links = sub->links,
		.link_memory = sub->memory,
		.host_pages_max = sub->host_pages_max,
		.commands_max = 1u << sub->command_log2,
	};
	snprintf(info->name, sizeof(info->name), "sub%u", ch->number);
	spin_lock_irq(&ch->run_lock);
	if (ch->open && ch->open->shared)
		roc_sub_show_run(roc_run(ch->open), info);
	info->mask = sub->settings.links;
	stats = roc_run_stats(ch, !!caller);
	spin_unlock_irq(&ch->run_lock);
	roc_run_info(info, &stats);
	info->data_interrupts = stats.purpose[ROC_LANE_DATA];
	info->done_interrupts = stats.purpose[ROC_LANE_DONE];
	info->error_interrupts = stats.purpose[ROC_FRAGMENT_ERROR];
	info->lost = min_t(u64, stats.lost, U32_MAX);
	return 0;
}

static void roc_sub_set_now(struct roc_sub_settings *s, const struct roc_fr_settings *arg)
{
	if (arg->set & ROC_FR_SET_LINKS)
		WRITE_ONCE(s->links, arg->links);
	if (arg->set & ROC_FR_SET_DATA_COUNT)
		WRITE_ONCE(s->count[ROC_LANE_DATA], arg->data_count);
	if (arg->set & ROC_FR_SET_DATA_TIME)
		WRITE_ONCE(s->time[ROC_LANE_DATA], arg->data_time);
	if (arg->set & ROC_FR_SET_DONE_COUNT)
		WRITE_ONCE(s->count[ROC_LANE_DONE], arg->done_count);
	if (arg->set & ROC_FR_SET_DONE_TIME)
		WRITE_ONCE(s->time[ROC_LANE_DONE], arg->done_time);
}

int roc_sub_set(struct file *file, void *data)
{
	struct roc_fr_settings *arg = data;
	const struct roc_open *caller;
	struct roc_channel *ch = roc_named_channel(file, arg->sub, &caller);
	const u32 known = ROC_FR_SET_LINKS | ROC_FR_SET_DATA_COUNT | ROC_FR_SET_DATA_TIME |
			  ROC_FR_SET_DONE_COUNT | ROC_FR_SET_DONE_TIME;
	struct roc_sub_settings *s;
	int err = 0;

	if (!ch)
		return -ENOENT;
	if (arg->flags || arg->reserved || arg->set & ~known)
		return -EINVAL;
	if (arg->set & ROC_FR_SET_LINKS && arg->links & ~(BIT(roc_sub(ch)->links) - 1))
		return -ERANGE;
	s = &roc_sub(ch)->settings;
	spin_lock_irq(&ch->run_lock);
	if (arg->set && roc_open_by_other(ch->open, caller))
		err = -EBUSY;
	if (arg->set && !err) {
		roc_sub_set_now(s, arg);
		roc_run_changed(ch);
	}
	arg->sub = ch->number;
	arg->links = s->links;
	arg->data_count = s->count[ROC_LANE_DATA];
	arg->data_time = s->time[ROC_LANE_DATA];
	arg->done_count = s->count[ROC_LANE_DONE];
	arg->done_time = s->time[ROC_LANE_DONE];
	spin_unlock_irq(&ch->run_lock);
	return err;
}

int roc_fragment_reset(struct roc_channel *ch, unsigned int level)
{
	int err = roc_block_reset(ch, ch->type->run->levels[level].bits);

	lockdep_assert_held(&ch->lock);
	if (!err && level == ROC_FR_RESET_DEFAULT) {
		spin_lock_irq(&ch->run_lock);
		roc_sub_defaults(roc_sub(ch));
		spin_unlock_irq(&ch->run_lock);
	}
	return err;
}

static const struct roc_ioctl roc_fragment_card_calls[] = {
	ROC_IOCTL(ROC_FR_INFO, roc_fr_info, bad_index, roc_sub_info),
	ROC_IOCTL(ROC_FR_SETTINGS, roc_fr_settings, reserved, roc_sub_set),
	ROC_IOCTL(ROC_FR_RESET, roc_fr_reset, level, roc_run_reset, .registers = true),
};

const struct roc_ioctl_table roc_fragment_card_ioctls = ROC_IOCTL_TABLE(roc_fragment_card_calls);
