// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cards: the state that endpoints of a board share, and register access under the card lock and the
 * BAR policy.
 *
 * Two PCI functions with the same type and serial number, in the same place and with different
 * endpoint numbers, are one board. They share registers, so a read-modify-write takes the lock of
 * the card.
 */
#include <linux/capability.h>
#include <linux/list.h>
#include <linux/nospec.h>
#include <linux/pci.h>
#include <linux/security.h>
#include <linux/slab.h>

#include "core/roc.h"
#include "core/trace.h"

static LIST_HEAD(roc_cards);
static DEFINE_MUTEX(roc_cards_lock);

/*
 * Each endpoint of a board is behind its own port, and these ports are on one bus, that of the
 * switch of the board. An endpoint without a port is on that bus itself.
 */
static const struct pci_bus *roc_card_place(const struct pci_dev *pdev)
{
	return pdev->bus->parent ?: pdev->bus;
}

/* Serial numbers are assigned by hand, so two boards may have the same one. */
static bool roc_card_is(const struct roc_card *card, const struct roc_endpoint *ep)
{
	lockdep_assert_held(&roc_cards_lock);
	return ep->serial >= 0 && card->type == ep->ops->type && card->serial == ep->serial &&
	       card->place == roc_card_place(ep->pdev) && !(card->endpoints & BIT(ep->number));
}

int roc_card_get(struct roc_endpoint *ep)
{
	struct roc_card *card;
	int err = 0;

	mutex_lock(&roc_cards_lock);
	list_for_each_entry(card, &roc_cards, node)
		if (roc_card_is(card, ep))
			goto found;
	card = kzalloc(sizeof(*card), GFP_KERNEL);
	if (!card) {
		err = -ENOMEM;
		goto out;
	}
	card->type = ep->ops->type;
	card->serial = ep->serial;
	card->place = roc_card_place(ep->pdev);
	mutex_init(&card->lock);
	init_waitqueue_head(&card->lock_wait);
	list_add(&card->node, &roc_cards);
found:
	card->refs++;
	card->endpoints |= BIT(ep->number);
	ep->card = card;
out:
	mutex_unlock(&roc_cards_lock);
	return err;
}

static void roc_card_unref(struct roc_card *card)
{
	lockdep_assert_held(&roc_cards_lock);
	if (--card->refs)
		return;
	list_del(&card->node);
	mutex_destroy(&card->lock);
	kfree(card);
}

/* Drop the reference of the endpoint, so that another function may take its place. */
void roc_card_put(struct roc_endpoint *ep)
{
	mutex_lock(&roc_cards_lock);
	ep->card->endpoints &= ~BIT(ep->number);
	roc_card_unref(ep->card);
	mutex_unlock(&roc_cards_lock);
}

/*
 * Parse four ASCII digits, the first in the low byte. Return: -1 if there is no valid serial
 * number.
 */
int roc_parse_serial(u32 word)
{
	int serial = 0;
	int i;

	for (i = 0; i < 4; i++, word >>= 8) {
		char digit = word & 0xff;

		if (digit < '0' || digit > '9')
			return i && !digit ? serial : -1;
		serial = serial * 10 + digit - '0';
	}
	return serial ?: -1;
}

static bool roc_try_lock(struct roc_card *card, const void *lock_owner)
{
	return !cmpxchg(&card->lock_owner, NULL, lock_owner);
}

static int roc_lock_owner_pid(struct roc_card *card)
{
	int pid;

	mutex_lock(&card->lock);
	pid = roc_pid_for_caller(card->lock_owner_pid);
	mutex_unlock(&card->lock);
	return pid;
}

/*
 * Take the advisory lock. It holds a reference to the card, because it may outlive the endpoint
 * through which it was taken. Inside the SRCU read side: a removal wakes the waiter and changes the
 * epoch.
 */
int roc_card_lock(struct roc_endpoint *ep, u32 epoch, const void *lock_owner,
		  struct roc_card_lock *arg)
{
	struct roc_card *card = ep->card;
	u64 now = ktime_get_ns();
	bool taken;

	if (READ_ONCE(card->lock_owner) == lock_owner) {
		arg->owner = roc_lock_owner_pid(card);
		return -EDEADLK;
	}
	taken = roc_try_lock(card, lock_owner);
	if (!taken && arg->deadline > now) {
		u64 left = min_t(u64, arg->deadline - now, KTIME_MAX);
		int err = wait_event_interruptible_hrtimeout(
			card->lock_wait,
			READ_ONCE(ep->epoch) != epoch || (taken = roc_try_lock(card, lock_owner)),
			ns_to_ktime(left));

		if (err == -ERESTARTSYS)
			return -ERESTARTNOHAND;
	}
	if (!taken) {
		arg->owner = roc_lock_owner_pid(card);
		return READ_ONCE(ep->epoch) == epoch ? -EBUSY : -ENODEV;
	}
	mutex_lock(&card->lock);
	card->lock_owner_pid = get_pid(task_tgid(current));
	mutex_unlock(&card->lock);
	arg->owner = roc_lock_owner_pid(card);
	mutex_lock(&roc_cards_lock);
	card->refs++;
	mutex_unlock(&roc_cards_lock);
	return 0;
}

int roc_card_unlock(struct roc_card *card, const void *lock_owner)
{
	struct pid *pid = NULL;

	if (READ_ONCE(card->lock_owner) != lock_owner)
		return -EPERM;
	mutex_lock(&card->lock);
	swap(pid, card->lock_owner_pid);
	mutex_unlock(&card->lock);
	put_pid(pid);
	/* Pairs with roc_try_lock(): the next owner must not see this owner's process. */
	smp_store_release(&card->lock_owner, NULL);
	wake_up(&card->lock_wait);
	mutex_lock(&roc_cards_lock);
	roc_card_unref(card);
	mutex_unlock(&roc_cards_lock);
	return 0;
}

/*
 * Access beyond the card's policy. Lockdown also restricts root, because a card can write to the
 * memory of the kernel.
 */
static bool roc_rawio(void)
{
	return capable(CAP_SYS_RAWIO) && !security_locked_down(LOCKDOWN_PCI_ACCESS);
}

/* Does the page at @at contain a protected register? */
bool roc_page_protected(const struct roc_endpoint *ep, unsigned int bar, u64 at)
{
	const struct roc_bar_policy *policy = &ep->ops->policy[bar];
	unsigned int i;

	for (i = 0; i < policy->protected_count; i++) {
		const struct roc_protected *p = &policy->protected[i];

		if (p->offset < at + PAGE_SIZE && at < (u64)p->offset + p->size)
			return true;
	}
	return false;
}

/*
 * Does this range of a BAR contain a page that a mapping may write? The range consists of whole
 * pages.
 */
bool roc_bar_writable(const struct roc_endpoint *ep, unsigned int bar, u64 offset, u64 length)
{
	u64 at;

	for (at = offset; at < offset + length; at += PAGE_SIZE)
		if (!roc_page_protected(ep, bar, at))
			return true;
	return false;
}

/* Access of the caller to a BAR: the card's policy, or everything with CAP_SYS_RAWIO. */
u32 roc_bar_access(struct roc_endpoint *ep, unsigned int bar)
{
	u32 access = ep->ops->policy[bar].access;

	if (roc_rawio())
		access = ROC_BAR_MMAP_READ | ROC_BAR_MMAP_WRITE | ROC_BAR_REG_WRITE;
	else if (ep->privileged_bars & BIT(bar))
		access &= ~(ROC_BAR_MMAP_READ | ROC_BAR_MMAP_WRITE);
	if (!roc_bar_writable(ep, bar, 0, ep->bar_length[bar]))
		access &= ~ROC_BAR_MMAP_WRITE;
	return access;
}

static bool roc_may_write(struct roc_endpoint *ep, unsigned int bar, u32 offset)
{
	const struct roc_bar_policy *policy = &ep->ops->policy[bar];
	unsigned int i;

	if (policy->access & ROC_BAR_REG_WRITE)
		return true;
	for (i = 0; i < policy->writable_count; i++)
		if (policy->writable[i] == offset)
			return true;
	return roc_rawio();
}

/* May users without CAP_SYS_RAWIO write anywhere in this range? */
bool roc_users_may_write(const struct roc_endpoint *ep, unsigned int bar, u64 offset, u32 size)
{
	const struct roc_bar_policy *policy = &ep->ops->policy[bar];
	unsigned int i;

	if (policy->access & (ROC_BAR_MMAP_WRITE | ROC_BAR_REG_WRITE))
		return true;
	for (i = 0; i < policy->writable_count; i++)
		if (policy->writable[i] + 4 > offset && policy->writable[i] < offset + size)
			return true;
	return false;
}

static bool roc_may_read(struct roc_endpoint *ep, unsigned int bar, u32 offset)
{
	const struct roc_bar_policy *policy = &ep->ops->policy[bar];
	unsigned int i, n;

	for (i = 0; i < policy->hidden_count; i++) {
		const struct roc_hidden *h = &policy->hidden[i];

		for (n = 0; n < h->count; n++)
			if (offset - h->offset - n * h->stride < 4 * h->words)
				return roc_rawio();
	}
	return true;
}

/* Read one register. The caller does not hold the card lock. */
u32 roc_card_read(struct roc_endpoint *ep, unsigned int bar, u32 offset)
{
	u32 value;

	roc_serial_lock(ep);
	value = roc_read(ep, bar, offset);
	roc_serial_unlock(ep);
	return value;
}

bool roc_alive(struct roc_endpoint *ep)
{
	bool alive;

	roc_serial_lock(ep);
	alive = ep->ops->alive(ep);
	roc_serial_unlock(ep);
	return alive;
}

/* May a card that is being removed still be accessed? Valid until its BARs are unmapped. */
bool roc_reachable(struct roc_endpoint *ep)
{
	return READ_ONCE(ep->reachable) && pci_device_is_present(ep->pdev) && roc_alive(ep);
}

/*
 * Could both structures belong to one board? Also true for two with different endpoint numbers if
 * one of them has no serial number.
 */
static bool roc_card_same_board(const struct roc_card *card, const struct roc_card *other)
{
	lockdep_assert_held(&roc_cards_lock);
	if (card == other)
		return true;
	return card->type == other->type && card->place == other->place &&
	       (card->serial < 0 || other->serial < 0) && !(card->endpoints & other->endpoints);
}

/*
 * Does a channel of the board run? The card lock excludes starts of this card. An endpoint that may
 * belong to the same board can still start.
 */
static bool roc_card_runs(const struct roc_card *card)
{
	const struct roc_card *other;
	bool runs = false;

	lockdep_assert_held(&card->lock);
	mutex_lock(&roc_cards_lock);
	list_for_each_entry(other, &roc_cards, node)
		if (roc_card_same_board(card, other) &&
		    (READ_ONCE(other->bus_masters) || READ_ONCE(other->starting)))
			runs = true;
	mutex_unlock(&roc_cards_lock);
	return runs;
}

/* Check the restrictions on writing @word if it changes a protected register. */
static int roc_check_protected(struct roc_endpoint *ep, unsigned int bar, u32 offset, u32 word)
{
	const struct roc_bar_policy *policy = &ep->ops->policy[bar];
	unsigned int i;

	lockdep_assert_held(&ep->card->lock);
	for (i = 0; i < policy->protected_count; i++) {
		const struct roc_protected *p = &policy->protected[i];

		if (offset < p->offset || offset - p->offset >= p->size ||
		    (word & p->mask) != p->value)
			continue;
		if (!roc_rawio())
			return -EPERM;
		if (roc_card_runs(ep->card))
			return -EBUSY;
	}
	return 0;
}

/* Compute the word to be written. After an error nothing was written. */
static int roc_prepare_write(struct roc_endpoint *ep, struct roc_reg *reg, bool modify, u32 *word)
{
	u32 in_use = ep->ops->in_use ? ep->ops->in_use(ep, reg->bar, reg->offset) : 0;
	u32 old = 0;
	int err;

	lockdep_assert_held(&ep->card->lock);
	if (modify || in_use) {
		old = roc_read(ep, reg->bar, reg->offset);
		if (old == ROC_ALL_ONES && !ep->ops->alive(ep))
			return -EIO;
	}
	*word = modify ? (old & ~reg->mask) | reg->value : reg->value;
	err = roc_check_protected(ep, reg->bar, reg->offset, *word);
	if (err)
		return err;
	if ((old ^ *word) & in_use)
		return -EBUSY;
	if (modify)
		reg->old = old;
	return 0;
}

static int roc_reg_check(struct roc_endpoint *ep, struct roc_reg *reg)
{
	if (reg->flags || reg->reserved || reg->old || reg->offset % 4)
		return -EINVAL;
	if (reg->bar >= ROC_BARS)
		return -ENOENT;
	reg->bar = array_index_nospec(reg->bar, ROC_BARS);
	if (!ep->bar[reg->bar])
		return -ENOENT;
	if (reg->offset > ep->bar_length[reg->bar] - 4)
		return -ERANGE;
	return 0;
}

/*
 * Flush writes to a shared register before the card lock is released. Writes are posted, and a read
 * through the other endpoint takes another path to the card, so it could overtake them.
 */
void roc_card_flush(struct roc_endpoint *ep, unsigned int bar)
{
	if (ep->ops->shared_bars & BIT(bar))
		ep->ops->alive(ep);
}

/* Implement the three register ioctls. Context: inside the SRCU read side. */
int roc_reg_access(struct roc_endpoint *ep, unsigned int nr, struct roc_reg *reg)
{
	bool modify = nr == _IOC_NR(ROC_REG_MODIFY);
	u32 word;
	int err;

	err = roc_reg_check(ep, reg);
	if (err)
		return err;
	if (modify ? !reg->mask : reg->mask)
		return -EINVAL;
	if (nr == _IOC_NR(ROC_REG_READ)) {
		if (!roc_may_read(ep, reg->bar, reg->offset))
			return -EPERM;
		reg->value = roc_card_read(ep, reg->bar, reg->offset);
		return reg->value == ROC_ALL_ONES && !roc_alive(ep) ? -EIO : 0;
	}
	if (modify && (reg->value & ~reg->mask))
		return -ERANGE;
	if (!roc_may_write(ep, reg->bar, reg->offset))
		return -EPERM;
	mutex_lock(&ep->card->lock);
	err = roc_prepare_write(ep, reg, modify, &word);
	if (!err) {
		roc_write(ep, reg->bar, reg->offset, word);
		WRITE_ONCE(ep->card->writes, ep->card->writes + 1);
		roc_card_flush(ep, reg->bar);
		if (modify)
			reg->value = word;
		trace_roc_reg_write(ep->minor, reg->bar, reg->offset, word);
	}
	mutex_unlock(&ep->card->lock);
	return err;
}
