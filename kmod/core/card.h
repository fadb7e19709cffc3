/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A card: what its endpoints share, what the driver knows of it, and its registers.
 */
#ifndef ROC_CARD_H
#define ROC_CARD_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <uapi/linux/roc.h>

#define ROC_BARS 6
#define ROC_ALL_ONES 0xffffffffu
#define ROC_CARRIED_MAX 4

struct attribute_group;
struct pci_bus;
struct pci_dev;
struct pci_device_id;
struct pid;
struct roc_channel;
struct roc_contract_card;
struct roc_endpoint;
struct roc_channel_type;

/**
 * struct roc_card - a board, shared by its endpoints
 * @node: in the list of cards, under the list's lock
 * @refs: endpoints that have it and the file that holds the advisory lock, under the list's lock
 * @type: with @serial and @place the key; a card without a serial is never shared
 * @serial: -1 if unknown
 * @place: an identity, never followed
 * @endpoints: mask of those that it has now: two with the same number are not one card; under the
 *	list's lock
 * @lock: every read-modify-write of a register that endpoints share, and what follows
 * @writes: counts register writes of users; under @lock
 * @runs: channels that want the card's run enable
 * @bus_masters: channels that may master the bus; under @lock
 * @starting: channels whose start is in progress; under @lock
 * @lock_owner: open file that has the advisory lock (an identity, never followed), NULL = nobody;
 *	taken by cmpxchg, so that a waiter can try without sleeping
 * @lock_owner_pid: its process
 * @lock_wait: who wants the advisory lock
 *
 * Owned by the list of cards, for as long as it has references.
 */
struct roc_card {
	struct list_head node;
	unsigned int refs;
	enum roc_card_type type;
	int serial;
	const struct pci_bus *place;
	unsigned long endpoints;
	struct mutex lock;
	u32 writes;
	unsigned int runs;
	unsigned int bus_masters;
	unsigned int starting;
	const void *lock_owner;
	struct pid *lock_owner_pid;
	wait_queue_head_t lock_wait;
};

/* Registers that users may not read: @words of them, @count times, @stride bytes apart. */
struct roc_hidden {
	u32 offset;
	u32 words;
	u32 count;
	u32 stride;
};

/*
 * Registers that change what outlasts the power, or replace the firmware: @size bytes from @offset
 * on. With a @mask only words in which its bits are @value count. A write takes CAP_SYS_RAWIO and
 * a card of which no channel runs. No mapping may write a page that holds such a register: a
 * mapping is checked once, and a channel may start after that.
 */
struct roc_protected {
	u32 offset;
	u32 size;
	u32 mask;
	u32 value;
};

/*
 * What user space may do with a BAR without CAP_SYS_RAWIO. Hidden is what tells a bus address, or
 * whose read takes something away. Who may map a BAR sees it all.
 */
struct roc_bar_policy {
	u32 access;	     /* enum roc_bar_flags */
	const u32 *writable; /* allow-list of offsets when ROC_BAR_REG_WRITE is not set */
	unsigned int writable_count;
	const struct roc_hidden *hidden;
	unsigned int hidden_count;
	const struct roc_protected *protected;
	unsigned int protected_count;
};

struct roc_register {
	unsigned int bar;
	u32 offset;
};

/**
 * struct roc_card_ops - a card: its constants and what the core asks of its hardware
 *
 * Constant, and the first member of what the card's kind of channel asks of it. Everything from
 * @quiesce on is called with channel->lock held. Nothing of it allocates. A card with @serial does
 * not bear two accesses at once: everybody takes card->lock for each group of accesses, and the
 * backend does so itself.
 *
 * @type: as user space has it
 * @name: of the card, a constant string
 * @channel_type: of all its channels
 * @contract: see cards/cards.h; NULL: none
 * @bar_size: least size of each BAR in bytes, 0: not used
 * @shared_bars: mask of the BARs that are one space for all endpoints
 * @channels: of each endpoint
 * @dma_bits: width of the bus addresses that the card can use
 * @serial: all access under card->lock
 * @host_memory: bytes of endpoint->memory, for the card to write to
 * @policy: of each BAR, [ROC_BARS]
 * @carried: configuration that a function reset clears
 * @carried_count: entries of @carried, up to ROC_CARRIED_MAX
 * @identity: see roc_answers(); reads change nothing
 * @identity_count: entries of @identity
 * @scratch: scratch register of a card without a function block: see suspend.c
 * @channel_size: bytes of the backend's own state of a channel
 * @groups: card's own sysfs files of an endpoint
 * @channel_groups: card's own sysfs files of a channel
 * @temperature_max: millidegrees: warn; see monitor.c
 * @temperature_crit: millidegrees: critical
 * @reset: reset the channel to a level
 */
struct roc_card_ops {
	enum roc_card_type type;
	const char *name;
	const struct roc_channel_type *channel_type;
	const struct roc_contract_card *contract;
	u32 bar_size[ROC_BARS];
	unsigned int shared_bars;
	unsigned int channels;
	unsigned int dma_bits;
	bool serial;
	size_t host_memory;
	const struct roc_bar_policy *policy;
	const struct roc_register *carried;
	unsigned int carried_count;
	const struct roc_register *identity;
	unsigned int identity_count;
	const struct roc_register *scratch;
	size_t channel_size;
	const struct attribute_group **groups;
	const struct attribute_group **channel_groups;
	long temperature_max;
	long temperature_crit;

	/**
	 * @foreign: True: these registers are another design's with the same PCI IDs. Reads only,
	 * and only registers whose read changes nothing in designs that are known to have these
	 * IDs. A card that reads 0 or all ones is foreign only if its IDs are generic. NULL: the
	 * IDs suffice.
	 */
	bool (*foreign)(struct roc_endpoint *ep);
	/** @identify: Fill the endpoint's identity; -EIO if this is not a live card. */
	int (*identify)(struct roc_endpoint *ep);
	/**
	 * @alive: Does it answer at all? Tells a real 0xffffffff from a dead bus. See roc_alive().
	 */
	bool (*alive)(struct roc_endpoint *ep);
	/**
	 * @in_use: Bits that may not change through the register ioctls while channels run. NULL:
	 * none.
	 */
	u32 (*in_use)(struct roc_endpoint *ep, unsigned int bar, u32 offset);
	/** @temperature: Millidegrees; -ENODATA: no value. NULL: the card has no sensor. */
	int (*temperature)(struct roc_endpoint *ep, long *value);

	/**
	 * @quiesce: Stop, forget all that it was given, let go of what the card's endpoints share,
	 * and prove that the card writes no more; -EIO if it does. Of a channel that is
	 * @dma_configured the reset must be seen to work, else -ENODATA: one that is ignored
	 * changes nothing, and nothing would tell. Also for channels that this driver never
	 * started. Not @present: no access, only let go. NULL: the kind's disable() does it all.
	 */
	int (*quiesce)(struct roc_channel *ch, bool present);
	/** @left_running: At probe: may the channel have been left with work to do? */
	bool (*left_running)(struct roc_channel *ch);
	/**
	 * @after_reset: The function was reset: see to what the card's endpoints share. NULL:
	 * nothing.
	 */
	void (*after_reset)(struct roc_channel *ch);
	int (*reset)(struct roc_channel *ch, enum roc_reset_level level);
};

/* The cards that there are, as PCI has them: cards/cards.c. */
extern const struct pci_device_id roc_ids[];

/*
 * identity.c. A card answers if its configuration space is there, its BARs have the addresses that
 * the kernel assigned, and at least one register of @identity reads neither 0 nor all ones.
 */
int roc_check_bars(struct pci_dev *pdev, const struct roc_card_ops *ops);
int roc_identity_check(struct roc_endpoint *ep);
bool roc_answers(struct roc_endpoint *ep);

/* card.c */
int roc_card_get(struct roc_endpoint *ep);
void roc_card_put(struct roc_endpoint *ep);
int roc_card_lock(struct roc_endpoint *ep, u32 epoch, const void *lock_owner,
		  struct roc_card_lock *arg);
int roc_card_unlock(struct roc_card *card, const void *lock_owner);
int roc_reg_access(struct roc_endpoint *ep, unsigned int nr, struct roc_reg *reg);
u32 roc_bar_access(struct roc_endpoint *ep, unsigned int bar);
bool roc_page_protected(const struct roc_endpoint *ep, unsigned int bar, u64 at);
bool roc_bar_writable(const struct roc_endpoint *ep, unsigned int bar, u64 offset, u64 length);
bool roc_users_may_write(const struct roc_endpoint *ep, unsigned int bar, u64 offset, u32 size);
void roc_card_flush(struct roc_endpoint *ep, unsigned int bar);
u32 roc_card_read(struct roc_endpoint *ep, unsigned int bar, u32 offset);
bool roc_alive(struct roc_endpoint *ep);
bool roc_reachable(struct roc_endpoint *ep);
int roc_parse_serial(u32 word);

#endif /* ROC_CARD_H */
