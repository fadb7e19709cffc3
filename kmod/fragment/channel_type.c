// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations of the sub-unit channel type: see core/channel_type.h. They call all other files of
 * this folder.
 */
#include <linux/log2.h>
#include <linux/seq_file.h>

#include "fragment/fragment.h"

static void roc_fragment_describe(struct roc_endpoint *ep, struct roc_ep_info *info)
{
	info->link_slots = roc_sub(&ep->channels[0])->links;
}

static void roc_fragment_fdinfo(struct roc_open *o, struct seq_file *m)
{
	const struct roc_fragment_lane *lane = roc_fragment_run(roc_run(o))->lane;
	u32 data, done;

	spin_lock_irq(&o->ch->run_lock);
	data = lane[ROC_LANE_DATA].count.known;
	done = lane[ROC_LANE_DONE].count.known;
	spin_unlock_irq(&o->ch->run_lock);
	seq_printf(m, "roc-sub:\t%u\n", o->ch->number);
	seq_printf(m, "roc-descriptors:\t%u\n", data);
	seq_printf(m, "roc-completions:\t%u\n", done);
}

/* Constraints of host pages are checked at the start: see table.c. */
static int roc_fragment_check_buffer(struct roc_endpoint *ep, struct roc_buf_register *arg,
				     bool *kernel_access)
{
	if (!arg->granule)
		arg->granule = PAGE_SIZE;
	if (!is_power_of_2(arg->granule) || arg->granule < ROC_FR_HOST_PAGE_MIN)
		return -EINVAL;
	*kernel_access = false;
	return 0;
}

static const char *const roc_fragment_purpose_names[ROC_FRAGMENT_PURPOSES] = {
	[ROC_LANE_DATA] = "data",
	[ROC_LANE_DONE] = "done",
	[ROC_FRAGMENT_ERROR] = "error",
};

const struct roc_channel_type roc_fragment_type = {
	.name = "fragment",
	.open_size = sizeof(struct roc_fragment_run),
	.channel_size = sizeof(struct roc_sub),
	.purposes = ROC_FRAGMENT_PURPOSES,
	.purpose_names = roc_fragment_purpose_names,
	.block = &roc_fragment_regs,
	.run = &roc_fragment_run_ops,
	.groups = roc_fragment_groups,
	.ioctls = &roc_fragment_ioctls,
	.card_ioctls = &roc_fragment_card_ioctls,
	.probe = roc_fragment_probe,
	.describe = roc_fragment_describe,
	ROC_RUN_TYPE_OPS,
	.fdinfo = roc_fragment_fdinfo,
	.check_buffer = roc_fragment_check_buffer,
	.disable = roc_block_disable,
};
