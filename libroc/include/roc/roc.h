/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: C interface to the readout cards driven by roc.ko.
 *
 * Functions return 0 (or a count) on success and a negative errno on failure; they never set
 * errno and never print. After a failure roc_error() has one sentence, with the cure, for the
 * calling thread. Handles are not locked: one thread at a time per handle, any number of
 * handles. The ring functions at the end are inline and make no system call.
 *
 * All sizes and offsets are bytes, all times nanoseconds of CLOCK_MONOTONIC unless said
 * otherwise. Results are written only on success, unless said otherwise.
 *
 * Errors of every function that talks to the driver, not repeated below:
 *   -ENODEV  the card was removed or reset: close the handle and open it again
 *   -ENOTTY, -E2BIG  the loaded roc module is older than this library and cannot do this
 *   -EIO     the card answers all ones (it is off the bus, or its firmware is being loaded)
 */
#ifndef ROC_ROC_H
#define ROC_ROC_H

#include <roc/uapi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct roc_endpoint; /* an open /dev/rocN; owned by the caller from roc_open() to roc_close() */
struct roc_channel;  /* an open /dev/rocNchM; the same with roc_channel_open(), _close() */

/**
 * roc_version() - version of this library
 *
 * Return: text like "0.4.0", never freed.
 */
const char *roc_version(void);

/**
 * roc_error() - the last failure of this thread in words
 *
 * Return: one sentence that says what was refused, why, and what to do about it; "no error" if
 * nothing failed yet. Valid until the thread's next failing call of this library. A success
 * leaves it as it was.
 */
const char *roc_error(void);

#define ROC_ERROR_MAX 1024

/**
 * roc_fail() - say why something failed, as this library does
 * @err: errno, positive
 * @fmt: the thread's next roc_error(), as for printf(); cut at ROC_ERROR_MAX, and not made of the
 *	last roc_error() itself
 *
 * For libraries on top of this one, so that their users ask in one place.
 *
 * Return: -@err.
 */
int roc_fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * roc_why_text() - an enum roc_why in words
 * @why: of &struct roc_ready, &struct roc_ch_info, &struct roc_buf_register and its like
 *
 * Return: a sentence with the cure, never freed; for an unknown number one that says so.
 */
const char *roc_why_text(unsigned int why);

/**
 * struct roc_card - a card endpoint as found by enumeration
 * @sequence: n of "#n": 0 for the lowest PCI address, and so on
 * @minor: N of /dev/rocN: the lowest that was free when the card came, so that another may have it
 *	later
 * @type: enum roc_card_type; 0 if this library does not know the card
 * @serial: card serial number, -1 unknown
 * @endpoint: number of the endpoint on its card, -1 unknown
 * @numa_node: NUMA node of the slot, -1 unknown
 * @channels: number of DMA channels
 * @pci_address: "dddd:bb:dd.f"
 * @firmware: firmware version, hexadecimal git hash
 * @user_logic: user-logic version, empty if there is none
 * @node: "/dev/rocN"
 */
struct roc_card {
	int sequence;
	int minor;
	enum roc_card_type type;
	int serial;
	int endpoint;
	int numa_node;
	int channels;
	char pci_address[ROC_TEXT_MAX];
	char firmware[ROC_TEXT_MAX];
	char user_logic[ROC_TEXT_MAX];
	char node[32];
};

/**
 * roc_enumerate() - find all card endpoints
 * @cards: array of *@count endpoints in order of PCI address, NULL if there are none; the
 *	caller frees it with free()
 * @count: their number, which may be 0
 *
 * Reads sysfs only: no card is opened and no register is touched.
 *
 * Return: 0, -ENOMEM, or why the class, or a card in it, could not be read (-EMFILE): no card is
 * left out for that.
 */
int roc_enumerate(struct roc_card **cards, size_t *count);

/**
 * roc_find() - find the endpoint that an id means
 * @id: one of
 *	"[dddd:]bb:dd.f", a PCI address in hexadecimal; without the domain, any domain;
 *	"serial[:endpoint]", decimal, serial of 1 to 6 digits; without the endpoint, the card's
 *	lowest;
 *	"#n", decimal, the n-th endpoint of roc_enumerate(), which changes when cards are added
 * @card: filled in
 *
 * Return: 0; -EINVAL malformed id; -ENOENT no such card (the sentence lists those there are);
 * -ENOTUNIQ the id fits several; the errors of roc_enumerate().
 */
int roc_find(const char *id, struct roc_card *card);

#define ROC_CARD_NAME_MAX 128

/**
 * roc_card_name() - what a card is called in a sentence
 * @card: from roc_find() or roc_enumerate()
 * @id: what the user called it, or NULL
 * @text: the name: @id and the PCI address, as in "#2 (0000:3b:00.0)", or the address alone
 * @size: of @text; ROC_CARD_NAME_MAX is enough
 *
 * Sentences of this library call cards so. Ids come in several forms, and #n is not N of /dev/rocN.
 */
void roc_card_name(const struct roc_card *card, const char *id, char *text, size_t size);

/**
 * roc_card_type_name() - name of a kind of card
 * @type: enum roc_card_type
 *
 * Return: "CRU", "CRORC", "PCIe40", "RobinNP", or "unknown"; never freed.
 */
const char *roc_card_type_name(enum roc_card_type type);

/**
 * roc_open() - open an endpoint: information, registers, BARs
 * @id: as for roc_find()
 * @ep: the new handle
 *
 * Any number of processes may have the same endpoint open.
 *
 * Return: 0; the errors of roc_find(); -EACCES the user may not; -ENOENT also if the node is
 * missing; -ENOMEM.
 */
int roc_open(const char *id, struct roc_endpoint **ep);

/**
 * roc_open_card() - open an endpoint that was found before
 * @card: from roc_find() or roc_enumerate()
 * @id: what the user called it, for sentences, or NULL
 * @ep: the new handle
 *
 * Return: as roc_open(), without the errors of roc_find(); -ENODEV also if the
 * card has not kept its @minor since it was found: find it again.
 */
int roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep);

/**
 * roc_close() - close an endpoint
 * @ep: handle, or NULL
 *
 * BAR mappings stay valid until roc_bar_unmap().
 */
void roc_close(struct roc_endpoint *ep);

/**
 * roc_endpoint_fd() - file descriptor of an endpoint
 * @ep: handle; keeps the descriptor
 *
 * Return: the descriptor, for poll(): POLLERR | POLLHUP when the card goes.
 */
int roc_endpoint_fd(const struct roc_endpoint *ep);

/**
 * roc_endpoint_name() - what the card is called in sentences
 * @ep: handle
 *
 * Return: as roc_card_name() has it, valid until roc_close().
 */
const char *roc_endpoint_name(const struct roc_endpoint *ep);

/**
 * roc_info() - what an endpoint is
 * @ep: handle
 * @info: filled in; see &struct roc_ep_info
 *
 * Return: 0 or a negative errno.
 */
int roc_info(struct roc_endpoint *ep, struct roc_ep_info *info);

/**
 * roc_reg_read() - read one 32-bit register
 * @ep: handle
 * @bar: BAR number, 0 to 5
 * @offset: bytes from the start of the BAR, a multiple of 4
 * @value: what the card answered
 *
 * Return: 0; -ENOENT no such BAR; -EINVAL offset not a multiple of 4; -ERANGE offset beyond
 * the BAR; -EPERM a register that tells a bus address, or loses something by being read: needs
 * CAP_SYS_RAWIO.
 */
int roc_reg_read(struct roc_endpoint *ep, unsigned int bar, uint32_t offset, uint32_t *value);

/**
 * roc_reg_write() - write one 32-bit register
 * @ep: handle
 * @bar: BAR number, 0 to 5
 * @offset: bytes from the start of the BAR, a multiple of 4
 * @value: word to write
 *
 * Return: 0; the errors of roc_reg_read(); -EPERM protected register, needs CAP_SYS_RAWIO;
 * -EBUSY running channels need the bit as it is, or the register replaces firmware or changes
 * non-volatile memory, and a channel of the card runs.
 */
int roc_reg_write(struct roc_endpoint *ep, unsigned int bar, uint32_t offset, uint32_t value);

/**
 * roc_reg_modify() - change some bits of a register, atomically for the whole card
 * @ep: handle
 * @bar: BAR number, 0 to 5
 * @offset: bytes from the start of the BAR, a multiple of 4
 * @mask: bits to change, not 0
 * @value: what they become; no bit outside @mask
 * @before: the word found, or NULL
 * @after: the word written, or NULL
 *
 * Return: 0; the errors of roc_reg_write(); -EINVAL also if @mask is 0; -ERANGE also if @value
 * has bits outside @mask.
 */
int roc_reg_modify(struct roc_endpoint *ep, unsigned int bar, uint32_t offset, uint32_t mask,
		   uint32_t value, uint32_t *before, uint32_t *after);

/**
 * roc_card_lock() - keep other configurators off this card
 * @ep: handle, which owns the lock until roc_card_unlock() or roc_close()
 * @timeout_ms: milliseconds to wait if another handle has it, at least 0
 *
 * One lock for all endpoints of a card. It is advisory: single register accesses do not respect
 * it. It is for sequences of several, such as an I2C transaction. Library functions that say that
 * they take it do so by themselves, and also work when the caller has it already.
 *
 * Return: 0; -EBUSY another process has it (the sentence says its PID and program); -EDEADLK this
 * handle has it already; -EINTR a signal came; -EINVAL @timeout_ms below 0.
 */
int roc_card_lock(struct roc_endpoint *ep, int timeout_ms);

/**
 * roc_card_unlock() - let other configurators at this card
 * @ep: handle
 *
 * Return: 0; -EPERM this handle does not have the lock.
 */
int roc_card_unlock(struct roc_endpoint *ep);

/**
 * roc_card_running() - whether any channel of the card runs or is being started
 * @ep: handle
 *
 * Channels of all endpoints that have the card's serial number count. Reads sysfs only. The answer
 * may be out of date as soon as it is there. If a program writes a register and then gets 0, no
 * start in progress has read the old word.
 *
 * Return: 1; 0 none does; -ENODEV the card is not there any more; the errors of roc_enumerate(), or
 * why a channel's state could not be read.
 */
int roc_card_running(struct roc_endpoint *ep);

/**
 * roc_sleep() - give the card time between two accesses
 * @ep: handle
 * @us: microseconds; up to 20 are waited for without sleeping, which would take longer
 *
 * A signal does not shorten it.
 */
void roc_sleep(struct roc_endpoint *ep, unsigned int us);

/**
 * struct roc_bar - a BAR mapped into this process
 * @regs: registers; index is byte offset / 4
 * @length: bytes
 * @writable: whether @regs may be written
 * @pid: of this process: its children do not inherit the mapping
 */
struct roc_bar {
	volatile uint32_t *regs;
	size_t length;
	bool writable;
	int pid;
};

/**
 * roc_bar_info_get() - size of a BAR and what this process may do with it
 * @ep: handle
 * @bar: BAR number, 0 to 5
 * @info: filled in; see &struct roc_bar_info
 *
 * Return: 0; -ENOENT no such BAR.
 */
int roc_bar_info_get(struct roc_endpoint *ep, unsigned int bar, struct roc_bar_info *info);

/**
 * roc_bar_map() - map a whole BAR
 * @ep: handle; may be closed while the mapping stays
 * @bar: BAR number, 0 to 5
 * @write: map for writing too
 * @map: filled in
 *
 * Touching the mapping after the card was removed raises SIGBUS. So does a store to a page that
 * holds a register that replaces firmware or changes non-volatile memory, also by root: such
 * pages are written with roc_reg_write().
 *
 * Return: 0; -ENOENT no such BAR; -EACCES the BAR may not be mapped so by this process;
 * -ENOMEM.
 */
int roc_bar_map(struct roc_endpoint *ep, unsigned int bar, bool write, struct roc_bar *map);

/**
 * roc_bar_unmap() - end a mapping
 * @map: from roc_bar_map(); zeroed. One that is zeroed already is left alone
 *
 * A child of the process that has it may call this, too: it has nothing to unmap.
 */
void roc_bar_unmap(struct roc_bar *map);

/**
 * enum roc_memory_flags - flags of roc_memory_alloc()
 * @ROC_MEMORY_PLAIN_OK: fall back to pages of the system's base size (needs an IOMMU)
 * @ROC_MEMORY_PLAIN: base pages at once, no hugepages
 */
enum roc_memory_flags {
	ROC_MEMORY_PLAIN_OK = 1 << 0,
	ROC_MEMORY_PLAIN = 1 << 1,
};

/**
 * struct roc_memory - memory for DMA
 * @addr: start, aligned to @page_size
 * @length: bytes, rounded up to @page_size
 * @page_size: 1 GiB, 2 MiB, or the base page size
 * @numa_node: where it is, -1 unknown
 * @pid: of the process that it is mapped in, and not in its children
 *
 * Owned by the caller until roc_memory_free(). The driver keeps its own hold on memory that is
 * registered with a channel, so freeing early is safe for the card and useless for the owner.
 */
struct roc_memory {
	void *addr;
	size_t length;
	size_t page_size;
	int numa_node;
	int pid;
};

/**
 * roc_memory_alloc() - shared hugepages on a NUMA node, ready for DMA
 * @length: bytes wanted, not 0
 * @numa_node: node that every page must be on, as &roc_card.numa_node; -1: no matter
 * @flags: bits of enum roc_memory_flags
 * @mem: filled in
 *
 * From 1 GiB on, pages of 1 GiB are tried before those of 2 MiB; below, after them, so that a
 * small buffer does not take a large page when it can do without. All pages are there and
 * zeroed when it returns. A child process does not inherit the mapping.
 *
 * Plain memory is taken only from what is available, so that no other process is ended for it.
 *
 * Return: 0; -EINVAL length 0, unknown flag, no such node; -ENOMEM not enough (the sentence says
 * which node has how many pages free, and the command that reserves more); -EMFILE, -ENFILE too
 * many open files, of which it takes one for a moment.
 */
int roc_memory_alloc(size_t length, int numa_node, unsigned int flags, struct roc_memory *mem);

/**
 * roc_memory_free() - give memory back
 * @mem: from roc_memory_alloc(); zeroed. One that is zeroed already is left alone
 *
 * A child of the process that has it may call this, too: it has nothing to give back.
 */
void roc_memory_free(struct roc_memory *mem);

/**
 * roc_channel_open() - become the owner of a DMA channel
 * @id: as for roc_find()
 * @channel: M of /dev/rocNchM
 * @ch: the new handle
 *
 * Open after fork(), in the process that takes the data. A child inherits the descriptor until
 * exec(), but its copy does not keep the channel: when the opener closes it or ends, the card is
 * stopped and the channel is free. A child does not inherit the rings, and what it did through the
 * descriptor would act on its parent's run: there each function of the channel, and of a lender of
 * it, returns -EPERM, and roc_channel_ring() returns NULL. Rings that the parent got before from
 * roc_channel_ring() must not be used in the child. roc_channel_close() is for a child, too: of its
 * memory it frees the handle alone.
 *
 * Return: 0; the errors of roc_open(); -ENOENT also if the card has no such channel; -EBUSY
 * somebody else owns it (the sentence says PID and program).
 */
int roc_channel_open(const char *id, unsigned int channel, struct roc_channel **ch);

/**
 * roc_channel_open_card() - the same of an endpoint that was found before
 * @card: from roc_find() or roc_enumerate()
 * @id: what the user called it, for sentences, or NULL
 * @channel: M of /dev/rocNchM
 * @ch: the new handle
 *
 * Return: as roc_channel_open(), without the errors of roc_find(); -ENODEV also if the
 * card has not kept its @minor since it was found: find it again.
 */
int roc_channel_open_card(const struct roc_card *card, const char *id, unsigned int channel,
			  struct roc_channel **ch);

/**
 * roc_channel_close() - stop the card, unpin all buffers, give the channel up
 * @ch: handle, or NULL
 *
 * When it returns the card writes no more to the process's buffers, which stay as they are, and the
 * next open succeeds, also if a child has a copy of the descriptor. A duplicate that this process
 * made of roc_channel_fd() keeps the channel until it is closed, too. The rings are gone.
 */
void roc_channel_close(struct roc_channel *ch);

/**
 * roc_channel_fd() - file descriptor of a channel
 * @ch: handle; keeps the descriptor
 *
 * Return: the descriptor, for poll(): POLLIN when superpages are ready, POLLERR when the channel
 * failed, POLLERR | POLLHUP when the card is gone.
 */
int roc_channel_fd(const struct roc_channel *ch);

/**
 * roc_channel_name() - what the channel is called in sentences
 * @ch: handle
 *
 * Return: as roc_card_name() has it, and the channel; valid until roc_channel_close().
 */
const char *roc_channel_name(const struct roc_channel *ch);

/**
 * roc_channel_card_type() - which kind of card the channel is of
 * @ch: handle
 *
 * Return: as &roc_card.type.
 */
enum roc_card_type roc_channel_card_type(const struct roc_channel *ch);

/**
 * roc_channel_info() - state and counters
 * @ch: handle
 * @info: filled in; see &struct roc_ch_info
 *
 * Return: 0 or a negative errno.
 */
int roc_channel_info(struct roc_channel *ch, struct roc_ch_info *info);

/**
 * roc_channel_losses() - superpages that are not as they should be
 * @ch: handle
 * @losses: filled in, up to its @size, which the caller sets; see &struct roc_ch_losses
 *
 * Return: 0; -EINVAL its @size is smaller than 32; or another negative errno, -ENOTTY of a module
 * before 0.4.0.
 */
int roc_channel_losses(struct roc_channel *ch, struct roc_ch_losses *losses);

/**
 * roc_channel_owner() - who has a channel open
 * @id: as for roc_find()
 * @channel: M of /dev/rocNchM
 * @pid: process that opened it; 0 if it is in a container whose processes we do not see
 * @name: its program name, '?' for what is no printable ASCII in it, always NUL terminated; or NULL
 * @size: size of @name
 *
 * Reads sysfs only. The answer may be out of date as soon as it is there.
 *
 * Return: 0; -ENOENT nobody has it, or there is no such channel (roc_error() says which); the
 * errors of roc_find().
 */
int roc_channel_owner(const char *id, unsigned int channel, int *pid, char *name, size_t size);

/**
 * struct roc_channel_config - what the next start will do
 * @source: where the data comes from
 * @mode: who looks for finished superpages
 * @links: bit per link slot; 0 = all that are enabled in the card
 * @page_size: DMA page size; 0 = the card's
 * @flags: bits of enum roc_configure_flags
 */
struct roc_channel_config {
	enum roc_source source;
	enum roc_mode mode;
	uint32_t links;
	uint32_t page_size;
	uint32_t flags;
};

/**
 * roc_channel_configure() - choose source, links and mode for the next start
 * @ch: handle
 * @config: all of it; zeroed means internal generator, timer, all enabled links
 *
 * Return: 0; -EBUSY running; -EOPNOTSUPP the card does not have this source, mode, page size or
 * flag; -ENOLINK a link that is not enabled in the card; -EINVAL.
 */
int roc_channel_configure(struct roc_channel *ch, const struct roc_channel_config *config);

/**
 * roc_channel_mode() - choose who looks for finished superpages, also while running
 * @ch: handle
 * @mode: from now on
 *
 * Nothing is lost or stopped by a change. After one to ROC_MODE_BUSY call roc_channel_look().
 *
 * Return: 0; -EOPNOTSUPP ROC_MODE_EVENT and the card has no events (no ROC_CAP_EVENTS); -EINVAL.
 */
int roc_channel_mode(struct roc_channel *ch, enum roc_mode mode);

/**
 * roc_channel_rings() - make the two rings
 * @ch: handle
 * @fill: entries of the fill ring, a power of two from ROC_RING_MIN to ROC_RING_MAX; 0 = default
 * @ready: the same for the ready ring
 *
 * Once per open. roc_channel_start() does it with the defaults if it was not done. Call it first
 * to put free superpages into the fill ring before the start.
 *
 * Return: 0; -EBUSY they exist already; -EINVAL not such a number; -ENOMEM; -EPERM another process
 * opened the channel: open it after fork(), not before. If the sentence says that they cannot be
 * mapped they are made, and the next call maps them as they are.
 */
int roc_channel_rings(struct roc_channel *ch, unsigned int fill, unsigned int ready);

/**
 * roc_channel_start() - set the card going
 * @ch: handle
 *
 * Sleeps for the card's start-up time (CRU: 210 ms, C-RORC: 100 ms). Superpages in the fill ring
 * are given to the card at once.
 *
 * Return: 0; -EBUSY running already; -ENOLINK no links are enabled in the card (CRU), or the
 * channel's link is down (C-RORC); -ETIME the far end of the link does not answer (C-RORC); the
 * errors of roc_channel_rings().
 */
int roc_channel_start(struct roc_channel *ch);

/**
 * roc_channel_stop() - stop the card and get every superpage back
 * @ch: handle
 * @reclaimed: superpages that the card handed back unfilled, or NULL
 *
 * When it returns 0 the card does not write any more, and every superpage it held is in the ready
 * ring. Entries still in the fill ring stay there for the next start.
 *
 * Return: 0; -EALREADY not running; -EIO the card broke its contract meanwhile, or does not answer,
 * and the channel is ROC_CH_FAILED; or it is ROC_CH_STOPPED and the card could not be stopped: then
 * it may still write into the superpages that came back, until a start succeeds or it is reset.
 */
int roc_channel_stop(struct roc_channel *ch, unsigned int *reclaimed);

/**
 * roc_channel_reset() - reset the card's side of a stopped channel
 * @ch: handle
 * @level: how much; see enum roc_reset_level
 *
 * Return: 0; -EBUSY running; -EOPNOTSUPP the card does not have this level; -EINVAL; for
 * ROC_RESET_INTERNAL_SIU -ENOLINK the link is down, -ETIME its far end does not answer.
 */
int roc_channel_reset(struct roc_channel *ch, enum roc_reset_level level);

/**
 * roc_channel_command() - send one command over the channel's detector data link
 * @ch: handle of a stopped channel
 * @command: command word, as the link's protocol has it
 * @reply: room for *@count reply words, or NULL if that is 0
 * @count: in: reply words to wait for, 0 to ROC_COMMAND_REPLIES; out: how many came; also written,
 *	with @reply, on -ETIME
 *
 * Words that wait from an earlier command are thrown away first. Each reply has 100 ms.
 *
 * Return: 0; -EOPNOTSUPP the card has no such link (no ROC_CAP_DDL); -EBUSY running; -ENOLINK the
 * link is down, for a command to its far end; -ETIME a reply did not come; -EINVAL more replies
 * than there can be.
 */
int roc_channel_command(struct roc_channel *ch, uint32_t command, uint32_t *reply,
			unsigned int *count);

/**
 * roc_channel_eventfd() - signal an eventfd whenever there is something to see
 * @ch: handle
 * @eventfd: descriptor from eventfd(), which the caller may close; -1 ends the signals
 *
 * Signalled when superpages become ready, and when the channel stops, fails, or loses its card; at
 * once if superpages are ready, or the channel has failed, already.
 *
 * Return: 0; -EBADF; -EINVAL not an eventfd.
 */
int roc_channel_eventfd(struct roc_channel *ch, int eventfd);

/**
 * roc_channel_look() - look at the card now, in this call
 * @ch: handle
 *
 * For ROC_MODE_BUSY; allowed in every mode. A look ends after some milliseconds and leaves to the
 * next one what is not found by then.
 *
 * Return: number of superpages found finished; -EPIPE no rings; -EALREADY not running.
 */
int roc_channel_look(struct roc_channel *ch);

/**
 * roc_channel_kick() - wake the driver's thread to see new fill entries
 * @ch: handle
 *
 * Needed when roc_fill_publish() returns true.
 *
 * Return: 0, also if the channel is not running: the next start finds the entries; -EPIPE no rings;
 * -ENODEV the card is gone; -EPERM in a child of the process that opened the channel.
 */
int roc_channel_kick(struct roc_channel *ch);

/**
 * roc_channel_wait() - sleep until superpages are ready
 * @ch: handle
 * @min_ready: return when that many entries are in the ready ring; 0 does not sleep
 * @timeout_ms: milliseconds to wait at most; -1: no limit
 *
 * No system call if they are there already. Returns early, with fewer entries and maybe none, if
 * the channel is not running, stops or loses its card.
 *
 * Drain the ready ring before you close the handle: if the call returns fewer than @min_ready, take
 * them with roc_pop() and call again, until it returns 0 (the channel stopped) or -ENODEV.
 *
 * Return: number of entries in the ready ring; -ETIME fewer than @min_ready after @timeout_ms;
 * -ENODEV the card is gone and the ready ring is empty; -EINTR a signal handler ran; -EPIPE no
 * rings; -EINVAL more than the ready ring holds, or @timeout_ms below -1.
 */
int roc_channel_wait(struct roc_channel *ch, unsigned int min_ready, int timeout_ms);

/**
 * roc_buffer_register() - pin memory and map it for the card
 * @ch: handle
 * @addr: start, page aligned
 * @length: bytes, a multiple of the page size
 * @granule: superpage size that will be used, a multiple of &roc_ep_info.superpage_align; 0 = the
 *	smallest. Every granule-sized piece, counted from @addr, must be contiguous for the card
 * @handle: for &roc_fill.buffer
 *
 * The memory stays pinned until roc_buffer_unregister() or roc_channel_close(), and counts against
 * RLIMIT_MEMLOCK of the process that opened the channel. Only that process can register: not a
 * child of fork() with the inherited handle.
 *
 * Return: 0; -EPERM another process opened the channel; -EINVAL alignment or granule; -EOVERFLOW
 * beyond the address space; -EFAULT it cannot be pinned; -ENOMEM above RLIMIT_MEMLOCK, or no
 * memory; -EOPNOTSUPP the card cannot use it (not contiguous, out of its reach, or would be
 * bounced); -ENOSPC too many buffers; -EBUSY running. The sentence says which, with the limit that
 * was hit.
 */
int roc_buffer_register(struct roc_channel *ch, void *addr, size_t length, uint32_t granule,
			uint32_t *handle);

/**
 * roc_buffer_unregister() - unmap and unpin a buffer
 * @ch: handle
 * @handle: from roc_buffer_register() or roc_buffer_import()
 *
 * Return: 0; -ENOENT no such buffer; -EBUSY running.
 */
int roc_buffer_unregister(struct roc_channel *ch, uint32_t handle);

/**
 * roc_buffer_export() - a dma-buf of a registered buffer, for other devices and processes
 * @ch: handle
 * @handle: from roc_buffer_register(); 0: the ring of a stream
 * @flags: bits of enum roc_export_flags; ROC_EXPORT_CLOEXEC where you do not know better
 * @fd: the dma-buf, as long as the buffer; the caller's to close
 *
 * Other devices import it (RDMA: ibv_reg_dmabuf_mr(), a GPU's driver, another card:
 * roc_buffer_import()), processes map it. Also while the channel runs. Which superpage has been
 * filled only the ready ring says. It keeps the memory beyond roc_channel_close(), pinned, but not
 * beyond the card: when that is removed or reset importers are told, and whoever comes later gets
 * ENODEV.
 *
 * Return: 0; -ENOENT no such buffer; -EPIPE the stream has no ring yet; -EOPNOTSUPP it was
 * imported, or the kernel has no dma-bufs; -ENOMEM above RLIMIT_MEMLOCK of the user, or no memory;
 * -EMFILE too many open files.
 */
int roc_buffer_export(struct roc_channel *ch, uint32_t handle, unsigned int flags, int *fd);

/**
 * roc_buffer_import() - map a dma-buf of somebody else's for the card
 * @ch: handle
 * @fd: a dma-buf, open for writing; may be closed afterwards
 * @offset: where the buffer begins in it, a multiple of the page size
 * @length: bytes, a multiple of the page size; 0 = all from @offset on
 * @granule: as of roc_buffer_register(), counted from @offset
 * @handle: for &roc_fill.buffer; roc_buffer_unregister() undoes it
 *
 * The card then writes straight into the memory of a GPU or another device, or into what another
 * driver allocated. Its exporter has to keep it in place. It counts against no limit of ours.
 *
 * Return: 0; -EBADF, -EINVAL not a dma-buf, alignment or granule; -EACCES @fd is not open for
 * writing; -ERANGE outside the dma-buf; -EOPNOTSUPP the card cannot use it: not contiguous, out of
 * its reach, a peer that it cannot reach, an exporter that does not pin; -ENOMEM; -ENOSPC too many
 * buffers; -EBUSY running. The sentence says which.
 */
int roc_buffer_import(struct roc_channel *ch, int fd, uint64_t offset, uint64_t length,
		      uint32_t granule, uint32_t *handle);

/**
 * struct roc_rings - the reader's side of the two rings
 * @user: indices that we write
 * @kernel: indices that the kernel writes, read-only
 * @fill: entries of the fill ring, we write
 * @ready: entries of the ready ring, read-only
 * @fill_mask: entries of the fill ring - 1
 * @ready_mask: entries of the ready ring - 1
 * @fill_prod: entries published since open
 * @fill_cons: last seen of the kernel's index
 * @ready_prod: last seen of the kernel's index
 * @ready_cons: entries released since open
 * @filled: entries handed out by roc_fill_next() and not yet published
 *
 * Private to the reader and public only so that the fast path can be inline: read it if you like,
 * change it through the functions below. Owned by its channel. See Documentation/rings.md for
 * the protocol.
 */
struct roc_rings {
	struct roc_ring_user *user;
	const struct roc_ring_kernel *kernel;
	struct roc_fill *fill;
	const struct roc_ready *ready;
	uint32_t fill_mask, ready_mask;
	uint32_t fill_prod, fill_cons;
	uint32_t ready_prod, ready_cons;
	uint32_t filled;
};

/**
 * roc_channel_ring() - the rings of a channel
 * @ch: handle
 *
 * Return: the rings, valid until roc_channel_close(); NULL before roc_channel_rings(), and in a
 * child of the process that opened the channel.
 */
struct roc_rings *roc_channel_ring(struct roc_channel *ch);

/**
 * roc_fill_room() - free entries in the fill ring
 * @r: rings
 *
 * Return: how often roc_fill_next() will give an entry, at least.
 */
static inline uint32_t roc_fill_room(struct roc_rings *r);

/**
 * roc_fill_next() - next entry of the fill ring to write
 * @r: rings
 *
 * The caller sets all members, and reserved to 0. The kernel sees the entry after
 * roc_fill_publish().
 *
 * Return: the entry, or NULL if the ring is full.
 */
static inline struct roc_fill *roc_fill_next(struct roc_rings *r);

/**
 * roc_fill_publish() - let the kernel see all entries written since the last time
 * @r: rings
 *
 * Return: true if the kernel sleeps and roc_channel_kick() must be called.
 */
static inline bool roc_fill_publish(struct roc_rings *r);

/**
 * roc_ready_count() - entries of the ready ring that can be read now
 * @r: rings
 *
 * Return: the number.
 */
static inline uint32_t roc_ready_count(struct roc_rings *r);

/**
 * roc_ready_at() - look at a ready entry without taking it
 * @r: rings
 * @i: 0 for the oldest, 1 for the next, ...
 *
 * Return: the entry, valid until it is released; NULL if there are not that many.
 */
static inline const struct roc_ready *roc_ready_at(struct roc_rings *r, uint32_t i);

/**
 * roc_ready_peek() - look at the oldest ready entry without taking it
 * @r: rings
 *
 * Return: the entry, valid until it is released; NULL if the ring is empty.
 */
static inline const struct roc_ready *roc_ready_peek(struct roc_rings *r);

/**
 * roc_ready_release() - give the oldest ready entries back to the kernel
 * @r: rings
 * @n: how many; more than were seen (by the three functions above) means all that were seen
 */
static inline void roc_ready_release(struct roc_rings *r, uint32_t n);

/* The bodies. */
#include <roc/rings.h>

/**
 * roc_push() - put one superpage into the fill ring, and kick if needed
 * @ch: handle
 * @handle: from roc_buffer_register()
 * @offset: bytes from the start of the buffer, a multiple of 4
 * @length: bytes, a multiple of &roc_ep_info.superpage_align, at most &roc_ep_info.superpage_max
 * @cookie: comes back with the superpage
 *
 * The entry is checked by the kernel when it takes it: a bad one comes back through the ready ring
 * with ROC_READY_REFUSED. Also publishes entries of roc_fill_next() that were not published yet.
 *
 * Return: 0; -EAGAIN the ring is full; -EPIPE no rings; the errors of roc_channel_kick(), with
 * the entry in the ring.
 */
int roc_push(struct roc_channel *ch, uint32_t handle, uint64_t offset, uint32_t length,
	     uint64_t cookie);

/**
 * roc_pop() - take the oldest entry out of the ready ring
 * @ch: handle
 * @ready: copy of the entry
 *
 * Return: 1 if there was one, 0 if not; -EPIPE no rings.
 */
int roc_pop(struct roc_channel *ch, struct roc_ready *ready);

#ifdef __cplusplus
}
#endif

#endif /* ROC_ROC_H */
