/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connect the library to the model of an emulated card, without a driver between them. The model
 * sees every access of the library, and time advances only when the library sleeps.
 *
 * There is one card at a time: card_begin() creates it, card_end() removes it. The including file
 * has included emu_host_card.h with HOST_CARD, and defines:
 *
 *	CARD_TYPE	enum roc_card_type
 *	CARD_SERIAL_NUMBER its serial number
 *	CARD_HASH_AT	BAR and offset of the firmware's hash
 */
#ifndef ROC_UNIT_LIBROC_CARD_H
#define ROC_UNIT_LIBROC_CARD_H

#include <errno.h>

#include "libroc/core/libroc.h"
#include "tests/unit/libroc/libroc_error.h"

static struct {
	struct roc_endpoint ep[CARD_FUNCTIONS];
	unsigned int reads, writes;
	unsigned int locks; /* total of locks */
	int lock_errno;	    /* errno of the lock */
	int lock_owner;	    /* and the reported owner */
	int unlock_errno;   /* errno of the unlock, which succeeds nevertheless */
	bool locked;
	bool running;		/* a channel runs */
	uint32_t starts;	/* a write to this register starts one; 0: none */
	unsigned int stuck_bar; /* register that writes do not change; offset 0: none */
	uint32_t stuck;
	unsigned int count_bar; /* register of 64 bits that counts reads of it; offset 0: none */
	uint32_t count_at;
	uint64_t count;
	unsigned int count_jumps;  /* number of reads at which it jumps by 2^32 */
	unsigned int modify_fails; /* number of the modify from here that fails; 0: none */
	unsigned int killed_after; /* number of writes before the card disappears; 0: never */
	bool gone;		   /* the card answers all ones */
	void (*asleep)(unsigned int us);
	unsigned int card_type;
	uint64_t slept_us;
} card;

static unsigned int card_function(struct roc_endpoint *ep)
{
	return ep - card.ep;
}

static uint32_t card_read(unsigned int fn, unsigned int bar, uint32_t offset)
{
	card.reads++;
	host.now += 1000;
	if (card.count_at && bar == card.count_bar && (offset & ~4u) == card.count_at) {
		if (card.count_jumps) {
			card.count_jumps--;
			card.count += UINT64_C(1) << 32;
		}
		return card.count++ >> (offset & 4 ? 32 : 0);
	}
	return HOST_CARD.read(host.card, fn, bar, offset);
}

static void card_write(unsigned int fn, unsigned int bar, uint32_t offset, uint32_t value)
{
	card.writes++;
	if (card.killed_after && card.writes > card.killed_after) {
		card.gone = true;
		return;
	}
	card.running |= card.starts && offset == card.starts;
	host.now += 1000;
	if (bar != card.stuck_bar || !card.stuck || offset != card.stuck)
		HOST_CARD.write(host.card, fn, bar, offset, value);
}

static int card_lock_ioctl(unsigned long request, struct roc_card_lock *lock)
{
	if (request == ROC_CARD_UNLOCK) {
		if (!card.locked)
			return -EPERM;
		card.locked = false;
		return -card.unlock_errno;
	}
	if (card.lock_errno) {
		lock->owner = card.lock_owner;
		return -card.lock_errno;
	}
	if (card.locked)
		return -EDEADLK;
	card.locked = true;
	card.locks++;
	return 0;
}

static int card_ioctl(struct roc_endpoint *ep, unsigned long request, void *arg)
{
	unsigned int fn = card_function(ep);
	struct roc_ep_info *info = arg;
	struct roc_reg *reg = arg;

	switch (request) {
	case ROC_EP_INFO:
		info->card_type = card.card_type;
		info->serial = CARD_SERIAL_NUMBER;
		info->endpoint = fn;
		snprintf(info->firmware, sizeof(info->firmware), "%x",
			 HOST_CARD.peek(host.card, fn, CARD_HASH_AT));
		return 0;
	case ROC_REG_READ:
		if (card.gone)
			return -EIO;
		reg->value = card_read(fn, reg->bar, reg->offset);
		return 0;
	case ROC_REG_WRITE:
		card_write(fn, reg->bar, reg->offset, reg->value);
		return 0;
	case ROC_REG_MODIFY:
		if (!reg->mask || reg->value & ~reg->mask)
			return -EINVAL;
		/* Like the driver, fail if the register reads all ones, without a write. */
		if (card.gone || (card.modify_fails && !--card.modify_fails))
			return -EIO;
		reg->old = card_read(fn, reg->bar, reg->offset);
		reg->value |= reg->old & ~reg->mask;
		card_write(fn, reg->bar, reg->offset, reg->value);
		return 0;
	case ROC_CARD_LOCK:
	case ROC_CARD_UNLOCK:
		return card_lock_ioctl(request, arg);
	default:
		return -ENOTTY;
	}
}

static void card_sleep(struct roc_endpoint *ep, unsigned int us)
{
	host.now += us * 1000ull;
	card.slept_us += us;
	if (card.asleep)
		card.asleep(us);
}

static int card_running(struct roc_endpoint *ep)
{
	return card.running;
}

static const struct libroc_backend card_backend = {
	.ioctl = card_ioctl,
	.sleep = card_sleep,
	.running = card_running,
};

static void card_begin(void)
{
	unsigned int e;

	host_begin();
	memset(&card, 0, sizeof(card));
	card.card_type = CARD_TYPE;
	for (e = 0; e < CARD_FUNCTIONS; e++) {
		card.ep[e] = (struct roc_endpoint){.backend = &card_backend, .fd = -1};
		snprintf(card.ep[e].name, sizeof(card.ep[e].name), "#%u (0000:3b:00.0)", e);
	}
}

/* The lock must have been released, even after an error. */
static void card_end(void)
{
	CU_ASSERT_FALSE(card.locked);
	host_end();
}

__attribute__((unused)) static bool has_difference(const struct roc_config_result *result,
						   const char *name, const char *wanted,
						   const char *have)
{
	unsigned int i;

	for (i = 0; i < result->count; i++)
		if (!strcmp(result->diffs[i].name, name))
			return !strcmp(result->diffs[i].wanted, wanted) &&
			       !strcmp(result->diffs[i].have, have);
	return false;
}

#endif /* ROC_UNIT_LIBROC_CARD_H */
