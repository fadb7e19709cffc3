// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations of the stream channel type: see core/channel_type.h. They call all other files of this
 * folder.
 */
#include <linux/seq_file.h>

#include "stream/stream.h"

/* An uncommitted ring may still be released, so it cannot be exported. */
static struct roc_memory *roc_stream_export_memory(struct roc_open *o)
{
	return o->committed ? &o->shared->memory : ERR_PTR(-EPIPE);
}

static void roc_stream_fdinfo(struct roc_open *o, struct seq_file *m)
{
	u64 level;

	spin_lock_irq(&o->ch->run_lock);
	roc_run_poll(roc_run(o));
	level = roc_stream_level(roc_run(o));
	spin_unlock_irq(&o->ch->run_lock);
	seq_printf(m, "roc-stream:\t%s\n", roc_stream(o->ch)->name);
	seq_printf(m, "roc-lines:\t%llu\n", level / STREAM_LINE);
}

const struct roc_channel_type roc_stream_type = {
	.name = "stream",
	.open_size = sizeof(struct roc_stream_run),
	.channel_size = sizeof(struct roc_stream),
	.purposes = 1,
	.block = &roc_stream_regs,
	.run = &roc_stream_run_ops,
	.groups = roc_stream_groups,
	.ioctls = &roc_stream_ioctls,
	.card_ioctls = &roc_stream_card_ioctls,
	.probe = roc_stream_probe,
	ROC_RUN_TYPE_OPS,
	.fdinfo = roc_stream_fdinfo,
	.export_memory = roc_stream_export_memory,
	.disable = roc_stream_disable,
};
