/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cards: the state that the endpoints of a board share, the description of a card by its backend,
 * and register access.
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
 * @node: entry in the list of cards; under the list lock
 * @refs: references of endpoints, and of the file that has the advisory lock; under the list lock
 * @type: part of the key, with @serial and @place. A card without a serial number is never shared
 * @serial: serial number, -1 if unknown
 * @place: bus of the board; compared only, never dereferenced
 * @endpoints: mask of the endpoint numbers in use. Two functions with the same number are never one
 *	card; under the list lock
 * @lock: guards read-modify-writes of registers that endpoints share, and the members below
 * @writes: number of register writes by users; under @lock
 * @runs: channels that need the card's run enable
 * @bus_masters: channels that need bus mastering; under @lock
 * @starting: start calls in progress; under @lock
 * @lock_owner: file that has the advisory lock (compared only, never dereferenced), NULL: none. Set
 *	by cmpxchg, so that the condition of a waiter does not sleep
 * @lock_owner_pid: process of that file
 * @lock_wait: waiters for the advisory lock
 *
 * The list of cards owns it as long as there are references.
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
 * Registers whose change survives a power cycle, or that replace the firmware: @size bytes from
 * @offset on. If @mask is not 0, only words whose masked bits are @value are protected. A write
 * requires CAP_SYS_RAWIO, and that no channel of the card runs. No mapping may write a page that
 * contains such a register, because a mapping is checked only when it is made, and a channel may
 * start later.
 */
struct roc_protected {
	u32 offset;
	u32 size;
	u32 mask;
	u32 value;
};

/*
 * What user space may do with a BAR without CAP_SYS_RAWIO. A register is hidden if it contains a
 * bus address, or if its read has a side effect. A process that may map a BAR can read all of it.
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
 * struct roc_card_ops - description of a card: its constants and its operations
 *
 * Constant, and the first member of the structure that the channel type requires from a card.
 * Operations from @quiesce on are called with channel->lock held. No operation allocates memory.
 *
 * A card with @serial does not support concurrent register accesses: the core and the backend take
 * card->lock for each group of accesses.
 *
 * @type: type of the card in the UAPI
 * @name: name of the card, a constant string
 * @channel_type: type of all its channels
 * @contract: see cards/cards.h; NULL: none
 * @bar_size: minimum size of each BAR in bytes, 0: not used
 * @shared_bars: mask of the BARs that all endpoints of a board share
 * @channels: channels of each endpoint
 * @dma_bits: width of the bus addresses that the card can use
 * @serial: all register accesses are made under card->lock
 * @host_memory: size of endpoint->memory in bytes, for the card to write to
 * @policy: policy of each BAR, [ROC_BARS]
 * @carried: configuration registers that a function reset clears, and that the driver restores
 * @carried_count: entries of @carried, up to ROC_CARRIED_MAX
 * @identity: registers for roc_answers(); a read has no side effect
 * @identity_count: entries of @identity
 * @scratch: scratch register of a card without a function block: see suspend.c
 * @channel_size: size of the backend's state of a channel, in bytes
 * @groups: attribute groups of an endpoint of this card
 * @channel_groups: attribute groups of a channel of this card
 * @temperature_max: limit for a warning, millidegrees Celsius; see monitor.c
 * @temperature_crit: critical limit, millidegrees Celsius
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
	 * @foreign: Return true if the registers are those of another design with the same PCI IDs.
	 *	Read only registers whose read has no side effect in the designs that are known to
	 *	have these IDs. A card whose registers read 0 or all ones is foreign only if its IDs
	 *	are generic. NULL: the IDs suffice.
	 */
	bool (*foreign)(struct roc_endpoint *ep);
	/** @identify: Fill in the identity of the endpoint; -EIO if the card does not work. */
	int (*identify)(struct roc_endpoint *ep);
	/**
	 * @alive: Does the card answer? Distinguishes a register that reads 0xffffffff from a card
	 *	that does not respond. See roc_alive().
	 */
	bool (*alive)(struct roc_endpoint *ep);
	/** @in_use: Bits that the register ioctls may not change while channels run. NULL: none. */
	u32 (*in_use)(struct roc_endpoint *ep, unsigned int bar, u32 offset);
	/**
	 * @temperature: Read the sensor, millidegrees Celsius; -ENODATA: no value. NULL: no sensor.
	 */
	int (*temperature)(struct roc_endpoint *ep, long *value);

	/**
	 * @quiesce: Stop the channel, discard everything that it was configured with, release what
	 *	the endpoints of the card share, and verify that the card writes no more; -EIO if it
	 *	does. If the channel is @dma_configured, the reset must have a visible effect, else
	 *	return -ENODATA: a card that ignores its reset looks the same. Also called for
	 *	channels that this driver never started. If not @present, access no register and
	 *	only release. NULL: the type's disable() does all of this.
	 */
	int (*quiesce)(struct roc_channel *ch, bool present);
	/** @left_running: At probe: may an earlier owner have left the channel running? */
	bool (*left_running)(struct roc_channel *ch);
	/**
	 * @after_reset: The function was reset: update what the card's endpoints share. NULL:
	 *	nothing to do.
	 */
	void (*after_reset)(struct roc_channel *ch);
	int (*reset)(struct roc_channel *ch, enum roc_reset_level level);
};

/* PCI IDs of all supported cards: cards/cards.c. */
extern const struct pci_device_id roc_ids[];

/*
 * identity.c. A card answers if its configuration space is accessible, its BARs have the addresses
 * that the kernel assigned, and at least one register of @identity reads neither 0 nor all ones.
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
