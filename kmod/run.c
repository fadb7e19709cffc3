// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run: superpages go from the fill ring into the card and come back in the ready ring.
 *
 * One kernel thread per session drives it in timer mode: look at the links that are due, collect
 * what the card finished, refill from the fill ring, sleep until the next link is due. In busy
 * mode the reader does the same through ROC_CH_KICK. Everything here runs under the channel
 * lock. Nothing allocates between start and stop.
 *
 * Every superpage taken from the fill ring comes back exactly once. Room in the ready ring is
 * reserved before one is taken: held by the reader + in flight <= entries, always.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "compat/compat.h"
#include "roc.h"
#include "trace.h"

/* Sleeping longer than this with a half-empty card: the reader must kick for new superpages. */
#define ROC_KICK_HORIZON_NS 1000000ull
/* The thread looks at the fill ring (memory, no MMIO) at least this often. */
#define ROC_IDLE_NS 20000000ull
/* The ready ring is full: how soon to see whether the reader made room. */
#define ROC_BLOCKED_NS 1000000ull
/* How long a flush may take to show its last superpages. */
#define ROC_FLUSH_TRIES 10

static struct roc_flight *roc_flight(struct roc_session *s, struct roc_link *link, u32 index)
{
	return &link->flights[index & (roundup_pow_of_two(s->depth) - 1)];
}

static void roc_give_back(struct roc_session *s, const struct roc_fill *fill, int link, u32 bytes,
			  u32 flags, enum roc_why why, u64 now)
{
	struct roc_ready ready = {
		.cookie = fill->cookie,
		.offset = fill->offset,
		.time = now,
		.sequence = s->sequence++,
		.buffer = fill->buffer,
		.length = fill->length,
		.received = bytes,
		.link = link,
		.flags = flags,
		.why = why,
		.run = s->run,
	};

	trace_roc_ready(s->ch->ep->minor, s->ch->number, &ready);
	roc_ring_ready_put(&s->rings, &ready);
}

static void roc_publish(struct roc_session *s)
{
	if (!roc_ring_publish(&s->rings))
		return;
	wake_up_interruptible_poll(&s->wait, EPOLLIN | EPOLLRDNORM);
	if (s->eventfd)
		roc_eventfd_signal(s->eventfd);
}

/* Fill entries that may be taken now without overcommitting the ready ring. */
static u32 roc_room(struct roc_session *s)
{
	return s->rings.ready_entries - roc_ring_ready_held(&s->rings) - s->in_flight;
}

static enum roc_why roc_check_fill(struct roc_session *s, const struct roc_fill *fill,
				   struct roc_flight *flight)
{
	const struct roc_card_ops *ops = s->ch->ep->ops;
	int err;

	if (fill->reserved)
		return ROC_WHY_RESERVED;
	flight->buffer = xa_load(&s->buffers, fill->buffer);
	if (!flight->buffer)
		return ROC_WHY_HANDLE;
	if (!fill->length || fill->length % ops->superpage_align ||
	    fill->length > ops->superpage_max)
		return ROC_WHY_LENGTH;
	if (fill->offset % 4)
		return ROC_WHY_ALIGN;
	err = roc_extents_find(&flight->buffer->extents, fill->offset, fill->length, &flight->bus);
	if (err == -ERANGE)
		return ROC_WHY_RANGE;
	if (err)
		return ROC_WHY_EXTENT;
	return ROC_WHY_NONE;
}

/* The link with the fewest superpages, the first of these on a tie. NULL: all are full. */
static struct roc_link *roc_emptiest(struct roc_session *s)
{
	struct roc_link *best = NULL;
	u32 fewest = s->depth;
	unsigned int i;

	for (i = 0; i < s->link_count; i++) {
		u32 queued = s->link[i].head - s->link[i].tail;

		if (queued < fewest) {
			fewest = queued;
			best = &s->link[i];
		}
	}
	return best;
}

static void roc_push(struct roc_session *s, struct roc_link *link, const struct roc_flight *flight,
		     u64 now)
{
	struct roc_channel *ch = s->ch;

	if (flight->buffer->sync)
		dma_sync_single_for_device(&ch->ep->pdev->dev, flight->bus, flight->fill.length,
					   DMA_FROM_DEVICE);
	/* An empty link was not looked at: its next look may be long past, or too far away. */
	if (link->head == link->tail)
		link->pace.next = now + ROC_PACE_MIN;
	*roc_flight(s, link, link->head++) = *flight;
	s->in_flight++;
	ch->ep->ops->push(ch, link->slot, flight->bus, flight->fill.length);
	ch->stats.pushed++;
	trace_roc_push(ch->ep->minor, ch->number, link->slot, &flight->fill);
}

/* Take from the fill ring while the card and the ready ring have room. True: no ready room. */
static bool roc_refill(struct roc_session *s, u64 now)
{
	u32 count = roc_ring_fill_count(&s->rings);
	u32 room = count ? roc_room(s) : 0;

	for (; count && room; count--, room--) {
		struct roc_link *link = roc_emptiest(s);
		struct roc_flight flight;
		enum roc_why why;

		if (!link)
			return false;
		roc_ring_fill_take(&s->rings, &flight.fill);
		why = roc_check_fill(s, &flight.fill, &flight);
		if (!why) {
			roc_push(s, link, &flight, now);
			continue;
		}
		s->ch->stats.refused++;
		roc_give_back(s, &flight.fill, -1, 0, ROC_READY_REFUSED, why, now);
	}
	return count && !room;
}

static int roc_collect_one(struct roc_session *s, struct roc_link *link, u64 now)
{
	struct roc_channel *ch = s->ch;
	struct roc_flight *flight = roc_flight(s, link, link->tail);
	u32 bytes;
	int err;

	err = ch->ep->ops->received(ch, link->slot, flight->fill.length, &bytes);
	if (err)
		return err;
	if (flight->buffer->sync)
		dma_sync_single_for_cpu(&ch->ep->pdev->dev, flight->bus, flight->fill.length,
					DMA_FROM_DEVICE);
	link->tail++;
	s->in_flight--;
	ch->stats.completed++;
	ch->stats.bytes += bytes;
	roc_give_back(s, &flight->fill, link->slot, bytes, ROC_READY_FILLED, ROC_WHY_NONE, now);
	return 0;
}

/* Look at one link. Superpages found, or -1 with @why when the card broke its contract. */
static int roc_look_link(struct roc_session *s, struct roc_link *link, u64 now, enum roc_why *why)
{
	struct roc_channel *ch = s->ch;
	u32 finished = ch->ep->ops->finished(ch, link->slot);
	u32 fresh = finished - link->found;
	u32 i;

	if (fresh > link->head - link->tail) {
		*why = ch->ep->ops->alive(ch->ep) ? ROC_WHY_COUNT : ROC_WHY_LOST;
		return -1;
	}
	for (i = 0; i < fresh; i++) {
		if (roc_collect_one(s, link, now)) {
			*why = ch->ep->ops->alive(ch->ep) ? ROC_WHY_SIZE : ROC_WHY_LOST;
			return -1;
		}
	}
	link->found = finished;
	return fresh;
}

/* One pass over the links: all of them, or those that are due. Superpages found. */
static u32 roc_pass(struct roc_session *s, u64 now, bool all)
{
	u32 total = 0;
	unsigned int i;

	s->ch->stats.looks++;
	for (i = 0; i < s->link_count; i++) {
		struct roc_link *link = &s->link[i];
		enum roc_why why;
		int found;

		if (link->head == link->tail || (!all && link->pace.next > now))
			continue;
		found = roc_look_link(s, link, now, &why);
		if (found < 0) {
			roc_run_abort(s, ROC_CH_FAILED, why, why != ROC_WHY_LOST);
			return total;
		}
		roc_pace_looked(&link->pace, now, found, link->head - link->tail);
		total += found;
	}
	return total;
}

/* Look at everything now and refill: busy mode. Superpages found. */
u32 roc_run_look(struct roc_session *s)
{
	u64 now = ktime_get_ns();
	u32 found = roc_pass(s, now, true);

	if (s->ch->state == ROC_CH_RUNNING)
		roc_refill(s, now);
	roc_publish(s);
	return found;
}

/* ns until the next look is due, 0 if it is overdue. */
static u64 roc_time_to_look(struct roc_session *s, u64 now)
{
	u64 next = now + ROC_IDLE_NS;
	unsigned int i;

	for (i = 0; i < s->link_count; i++)
		if (s->link[i].head != s->link[i].tail)
			next = min(next, s->link[i].pace.next);
	return next > now ? next - now : 0;
}

/* One turn of the thread: ns to sleep, U64_MAX = until woken. */
static u64 roc_turn(struct roc_session *s)
{
	u64 now = ktime_get_ns();
	u64 sleep;
	bool blocked;

	if (s->ch->state != ROC_CH_RUNNING || s->mode != ROC_MODE_TIMER || s->retired)
		return U64_MAX;
	roc_ring_set_flags(&s->rings, 0, ROC_RING_NEED_KICK);
	roc_pass(s, now, false);
	if (s->ch->state != ROC_CH_RUNNING)
		return U64_MAX;
	blocked = roc_refill(s, now);
	roc_publish(s);

	sleep = roc_time_to_look(s, now);
	if (blocked)
		return min(sleep, ROC_BLOCKED_NS);
	if (sleep >= ROC_KICK_HORIZON_NS && s->in_flight < s->link_count * s->depth / 2 &&
	    roc_ring_arm_kick(&s->rings))
		return 0;
	return sleep;
}

static int roc_thread(void *arg)
{
	struct roc_session *s = arg;

	while (!kthread_should_stop()) {
		ktime_t sleep;
		u64 ns;

		WRITE_ONCE(s->kicked, false);
		smp_mb(); /* a kick after this is seen below, one before it by the turn */
		mutex_lock(&s->ch->lock);
		ns = roc_turn(s);
		mutex_unlock(&s->ch->lock);

		set_current_state(TASK_IDLE);
		if (READ_ONCE(s->kicked) || kthread_should_stop()) {
			__set_current_state(TASK_RUNNING);
		} else if (ns == U64_MAX) {
			schedule();
		} else {
			sleep = ns_to_ktime(ns);
			schedule_hrtimeout_range(&sleep, ns / 16, HRTIMER_MODE_REL);
		}
	}
	return 0;
}

void roc_run_kick(struct roc_session *s)
{
	struct task_struct *thread = READ_ONCE(s->thread);

	WRITE_ONCE(s->kicked, true);
	if (thread)
		wake_up_process(thread);
}

/* What outlives a run: the thread and the links' tables. */
static int roc_run_prepare(struct roc_session *s)
{
	struct roc_endpoint *ep = s->ch->ep;
	struct task_struct *thread;
	unsigned int i;

	s->depth = ep->fifo_depth;
	for (i = 0; i < ep->ops->link_slots; i++) {
		if (s->link[i].flights)
			continue;
		s->link[i].flights = kvcalloc(roundup_pow_of_two(s->depth),
					      sizeof(struct roc_flight), GFP_KERNEL_ACCOUNT);
		if (!s->link[i].flights)
			return -ENOMEM;
	}
	if (s->thread)
		return 0;
	thread = kthread_create_on_node(roc_thread, s, dev_to_node(&ep->pdev->dev), "roc/%d.%u",
					ep->minor, s->ch->number);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	WRITE_ONCE(s->thread, thread);
	return 0;
}

static void roc_setup_links(struct roc_session *s, u64 now)
{
	unsigned int slot;

	s->link_count = 0;
	for (slot = 0; slot < ROC_LINKS_MAX; slot++) {
		struct roc_link *link = &s->link[s->link_count];

		if (!(s->links & BIT(slot)))
			continue;
		link->slot = slot;
		link->head = 0;
		link->tail = 0;
		link->found = 0;
		roc_pace_start(&link->pace, now);
		s->link_count++;
	}
}

int roc_run_start(struct roc_session *s)
{
	struct roc_channel *ch = s->ch;
	const struct roc_card_ops *ops = ch->ep->ops;
	u32 enabled;
	int err;

	if (ch->state == ROC_CH_RUNNING)
		return -EBUSY;
	if (!s->rings_ready)
		return -EPIPE;
	if (!ops->alive(ch->ep) || !roc_run_settle(ch))
		return -EIO;
	enabled = ops->enabled_links(ch);
	if (!enabled || s->links_wanted & ~enabled)
		return -ENOLINK;
	err = roc_run_prepare(s);
	if (err)
		return err;
	s->links = s->links_wanted ?: enabled;
	err = ops->start(ch, s->source, s->links);
	if (err)
		return err;
	s->run++;
	roc_setup_links(s, ktime_get_ns());
	ch->why = ROC_WHY_NONE;
	WRITE_ONCE(ch->state, ROC_CH_RUNNING);
	trace_roc_start(ch->ep->minor, ch->number, s->source, s->links);
	roc_ring_set_flags(&s->rings, 0, ROC_RING_STOPPED);
	roc_refill(s, ktime_get_ns());
	roc_publish(s);
	roc_run_kick(s);
	return 0;
}

/* Hand back all that the card held. Only when the card is quiet. */
static u32 roc_reclaim(struct roc_session *s, enum roc_why why)
{
	u64 now = ktime_get_ns();
	u32 count = 0;
	unsigned int i;

	for (i = 0; i < s->link_count; i++) {
		struct roc_link *link = &s->link[i];

		for (; link->tail != link->head; link->tail++, count++)
			roc_give_back(s, &roc_flight(s, link, link->tail)->fill, link->slot, 0,
				      ROC_READY_RECLAIMED, why, now);
	}
	s->in_flight = 0;
	s->ch->stats.reclaimed += count;
	return count;
}

/* Take the bus from the card. True if it is certain that the card does not have it any more. */
static bool roc_bus_taken(struct roc_endpoint *ep)
{
	u16 command;

	pci_clear_master(ep->pdev);
	/* This read also pushes out what the card had on the way. */
	pci_read_config_word(ep->pdev, PCI_COMMAND, &command);
	if (command != 0xffff)
		return !(command & PCI_COMMAND_MASTER);
	/* It does not answer, and may come back as it was. Unless it has left its slot. */
	return ep->pdev->error_state == pci_channel_io_perm_failure;
}

/*
 * The card writes no more: because it says so and its counters prove it, or because it may not
 * master the bus. If neither can be had the pages must not go back to the system.
 */
static void roc_make_quiet(struct roc_session *s, bool present)
{
	struct roc_endpoint *ep = s->ch->ep;

	if (!ep->ops->quiesce(s->ch, present) && present)
		return;
	if (roc_bus_taken(ep))
		return;
	s->leak = true;
	dev_alert(&ep->pdev->dev,
		  "roc%dch%u: the card cannot be stopped; its buffers stay pinned until it can\n",
		  ep->minor, s->ch->number);
}

/*
 * A card that could not be stopped may answer again: then take the bus from it and let go of what
 * it could have written. Only while nothing runs, channel lock held. False: it still does not.
 */
bool roc_run_settle(struct roc_channel *ch)
{
	bool leak = ch->session && ch->session->leak;

	if (!ch->held && !leak)
		return true;
	if (!roc_bus_taken(ch->ep))
		return false;
	if (leak)
		ch->session->leak = false;
	roc_buffer_free_held(ch);
	return true;
}

static u32 roc_run_end(struct roc_session *s, enum roc_ch_state state, enum roc_why why,
		       bool present)
{
	struct roc_channel *ch = s->ch;
	u32 reclaimed;

	roc_make_quiet(s, present);
	reclaimed = roc_reclaim(s, state == ROC_CH_FAILED ? why : ROC_WHY_STOPPED);
	WRITE_ONCE(ch->state, state);
	ch->why = state == ROC_CH_FAILED ? why : ROC_WHY_NONE;
	trace_roc_stop(ch->ep->minor, ch->number, why, reclaimed);
	roc_ring_set_flags(&s->rings, ROC_RING_STOPPED, ROC_RING_NEED_KICK);
	roc_publish(s);
	wake_up_all(&s->wait);
	return reclaimed;
}

int roc_run_stop(struct roc_session *s, u32 *reclaimed)
{
	struct roc_channel *ch = s->ch;
	int tries, idle = 0;

	if (ch->state != ROC_CH_RUNNING)
		return -EALREADY;
	ch->ep->ops->flush(ch);
	/* Two looks in a row with nothing new: what the flush closed is in. */
	for (tries = 0; tries < ROC_FLUSH_TRIES && idle < 2; tries++) {
		if (tries)
			usleep_range(500, 1000);
		idle = roc_pass(s, ktime_get_ns(), true) ? 0 : idle + 1;
		if (ch->state != ROC_CH_RUNNING)
			return -EIO;
	}
	*reclaimed = roc_run_end(s, ROC_CH_STOPPED, ROC_WHY_NONE, true);
	return 0;
}

/* End a run without the reader's help: a broken contract, the last close, removal. */
void roc_run_abort(struct roc_session *s, enum roc_ch_state state, enum roc_why why, bool present)
{
	if (s->ch->state != ROC_CH_RUNNING)
		return;
	if (present)
		s->ch->ep->ops->flush(s->ch);
	roc_run_end(s, state, why, present);
}
