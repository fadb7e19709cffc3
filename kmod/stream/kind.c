// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stream as the core sees it: see core/kind.h.
 */
#include <linux/seq_file.h>

#include "stream/stream.h"

static int roc_stream_open(struct roc_open *o)
{
	struct roc_reader *r = roc_reader(o);
	struct roc_stream *st = roc_stream(o->ch);

	INIT_DELAYED_WORK(&r->watch, roc_stream_watch);
	/* A run that follows is compared with what the card counted until now. */
	roc_stream_refresh(o->ch);
	spin_lock_irq(&st->lock);
	st->base = st->stats;
	st->opened = r;
	spin_unlock_irq(&st->lock);
	return 0;
}

static void roc_stream_retire(struct roc_open *o, bool present)
{
	roc_stream_abort(roc_reader(o), ROC_CH_STOPPED, ROC_WHY_REMOVED, present);
}

static void roc_stream_suspend(struct roc_open *o)
{
	struct roc_st_stop reply = {};

	roc_stream_stop(roc_reader(o), ROC_WHY_SUSPENDED, &reply);
}

static void roc_stream_gone(struct roc_open *o)
{
	roc_stream_flags(roc_reader(o), ROC_ST_GONE, 0);
}

static void roc_stream_close_open(struct roc_open *o)
{
	struct roc_stream *st = roc_stream(o->ch);

	spin_lock_irq(&st->lock);
	st->opened = NULL;
	spin_unlock_irq(&st->lock);
	cancel_delayed_work_sync(&roc_reader(o)->watch);
}

static void roc_stream_share(struct roc_open *o, struct roc_shared_memory *shared)
{
	struct roc_reader *r = roc_reader(o);
	struct roc_stream *st = roc_stream(o->ch);

	spin_lock_irq(&st->lock);
	o->shared = shared;
	r->ring = shared ? container_of(shared, struct roc_stream_ring, shared) : NULL;
	spin_unlock_irq(&st->lock);
	roc_stream_flags(r, ROC_ST_STOPPED, 0);
}

/*
 * Who finds nothing is going to sleep; and who polls for edges does not come back when it has taken
 * what it found. Registers are there only inside the read side.
 */
static __poll_t roc_stream_poll(struct roc_open *o, poll_table *pt)
{
	struct roc_reader *r = roc_reader(o);
	struct roc_stream *st = roc_stream(o->ch);
	bool readable = false;
	int idx;

	if (!smp_load_acquire(&o->committed))
		return 0;
	if (!roc_enter(o->ch->ep, o->epoch, &idx))
		return 0;
	spin_lock_irq(&st->lock);
	if (poll_requested_events(pt) & EPOLLET)
		r->edge = true;
	if (roc_stream_look(r)) {
		readable = roc_stream_readable(r);
		if (readable && !r->edge)
			roc_stream_relieve(r);
		else
			roc_stream_attend(r);
	} else {
		readable = roc_stream_readable(r);
	}
	spin_unlock_irq(&st->lock);
	roc_leave(o->ch->ep, idx);
	return readable ? EPOLLIN | EPOLLRDNORM : 0;
}

static void roc_stream_listen(struct roc_open *o)
{
	struct roc_reader *r = roc_reader(o);
	struct roc_stream *st = roc_stream(o->ch);

	spin_lock_irq(&st->lock);
	if (roc_stream_look(r)) {
		if (roc_stream_readable(r))
			roc_open_signal(o);
		roc_stream_attend(r);
	}
	spin_unlock_irq(&st->lock);
}

/* A ring that the caller does not know of yet may still be taken back. */
static struct roc_memory *roc_stream_lend(struct roc_open *o)
{
	return o->committed ? &o->shared->memory : ERR_PTR(-EPIPE);
}

static void roc_stream_fdinfo(struct roc_open *o, struct seq_file *m)
{
	struct roc_reader *r = roc_reader(o);
	struct roc_stream *st = roc_stream(o->ch);
	u32 written, read;

	spin_lock_irq(&st->lock);
	roc_stream_look(r);
	written = r->position.written;
	read = r->position.read;
	spin_unlock_irq(&st->lock);
	seq_printf(m, "roc-stream:\t%s\n", st->name);
	seq_printf(m, "roc-lines:\t%u\n", written - read);
}

const struct roc_kind roc_stream_kind = {
	.name = "stream",
	.open_size = sizeof(struct roc_reader),
	.channel_size = sizeof(struct roc_stream),
	.purposes = 1,
	.block = &roc_stream_regs,
	.groups = roc_stream_groups,
	.ioctls = roc_stream_ioctls,
	.ioctl_count = ROC_STREAM_IOCTLS,
	.card_ioctls = roc_stream_card_ioctls,
	.card_ioctl_count = ROC_STREAM_CARD_IOCTLS,
	.probe = roc_stream_probe,
	.open = roc_stream_open,
	.retire = roc_stream_retire,
	.suspend = roc_stream_suspend,
	.gone = roc_stream_gone,
	.close = roc_stream_close_open,
	.poll = roc_stream_poll,
	.mmap = roc_shared_mmap,
	.listen = roc_stream_listen,
	.fdinfo = roc_stream_fdinfo,
	.share = roc_stream_share,
	.lend = roc_stream_lend,
	.irq = roc_stream_irq,
	.doubt = roc_stream_doubt,
	.disable = roc_stream_disable,
};
