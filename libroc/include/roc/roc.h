/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: C interface to the readout cards driven by roc.ko.
 *
 * Functions return 0 (or a count) on success and a negative errno on failure. They never set errno
 * and never print. After a failure roc_error() returns one sentence with the reason and the remedy,
 * for the calling thread. Handles are not locked: at most one thread at a time may use a handle. A
 * process may have any number of handles. The ring functions at the end of this file are inline and
 * make no system call.
 *
 * All sizes and offsets are in bytes. All times are nanoseconds of CLOCK_MONOTONIC unless stated
 * otherwise. Functions write their results only on success, unless stated otherwise.
 *
 * Errors of every function that calls the driver, not repeated below:
 *   -ENODEV  the card was removed or reset: close the handle and open it again
 *   -ENOTTY, -E2BIG  the loaded roc module is older than this library and lacks this function
 *   -EIO     the card reads as all ones (it is off the bus, or its firmware is being loaded)
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

struct roc_endpoint; /* an open /dev/rocN; the caller owns it from roc_open() to roc_close() */
struct roc_channel;  /* an open /dev/rocNchM; from roc_channel_open() to _close() */

/**
 * roc_version() - Return the version of this library
 *
 * Return: text such as "0.4.0"; never freed.
 */
const char *roc_version(void);

/**
 * roc_error() - Describe the last failure of the calling thread
 *
 * Return: one sentence that states what failed, why, and the remedy; "no error" if no call has
 * failed yet. The text is valid until the thread's next failing call of this library. A successful
 * call does not change it.
 */
const char *roc_error(void);

#define ROC_ERROR_MAX 1024

/**
 * roc_fail() - Record an error message for roc_error()
 * @err: errno, positive
 * @fmt: printf() format of the thread's next roc_error() text, which is cut at ROC_ERROR_MAX. The
 *	arguments must not include the text of the last roc_error()
 *
 * Libraries on top of this one use it, so that their users get all messages from roc_error().
 *
 * Return: -@err.
 */
int roc_fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * roc_reason_text() - Describe a failure reason (enum roc_reason)
 * @reason: reason of &struct roc_ready, &struct roc_ch_info, &struct roc_buf_register and
 *	similar structures
 *
 * Return: a sentence with the remedy; for an unknown number, a sentence that states so. Never
 * freed.
 */
const char *roc_reason_text(unsigned int reason);

/**
 * roc_why_text() - Deprecated name of roc_reason_text()
 * @reason: as for roc_reason_text()
 *
 * Return: as roc_reason_text().
 */
const char *roc_why_text(unsigned int reason);

/**
 * struct roc_card - A card endpoint found by enumeration
 * @sequence: n of "#n": 0 for the lowest PCI address, and so on
 * @minor: N of /dev/rocN: the lowest number that was free when the driver bound the card. The
 *	driver may later assign it to another card
 * @type: enum roc_card_type; 0 if this library does not know the card
 * @serial: card serial number, -1 if unknown
 * @endpoint: number of the endpoint on its card, -1 if unknown
 * @numa_node: NUMA node of the slot, -1 if unknown
 * @channels: number of DMA channels
 * @pci_address: "dddd:bb:dd.f"
 * @firmware: firmware version, hexadecimal git hash
 * @user_logic: user-logic version, empty if the card has none
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
 * roc_enumerate() - Find all card endpoints
 * @cards: array of *@count endpoints in order of PCI address, NULL if there are none; the caller
 *	frees it with free()
 * @count: number of endpoints, may be 0
 *
 * The function reads sysfs only. It opens no card and accesses no register.
 *
 * Return: 0 on success; -ENOMEM; another errno if the device class or a card in it cannot be read
 * (such as -EMFILE). The function never leaves out an unreadable card silently.
 */
int roc_enumerate(struct roc_card **cards, size_t *count);

/**
 * roc_find() - Find the endpoint that an id names
 * @id: id of the endpoint, in one of the forms below
 * @card: filled in on success
 *
 * An id has one of these forms:
 *   "[dddd:]bb:dd.f"       a PCI address in hexadecimal; without the domain, any domain matches
 *   "serial[:endpoint]"    decimal, with a serial number of 1 to 6 digits; without the endpoint,
 *                          the lowest endpoint of the card
 *   "#n"                   decimal, the n-th endpoint of roc_enumerate(), from 0, which changes
 *                          when cards are added
 *
 * Return: 0 on success; -EINVAL if @id is malformed; -ENOENT if there is no such card (roc_error()
 * lists the cards that exist); -ENOTUNIQ if @id matches several cards; the errors of
 * roc_enumerate().
 */
int roc_find(const char *id, struct roc_card *card);

#define ROC_CARD_NAME_MAX 128

/**
 * roc_card_name() - Format the name of a card for messages
 * @card: from roc_find() or roc_enumerate()
 * @id: id that the user gave, or NULL
 * @text: the name: @id and the PCI address, such as "#2 (0000:3b:00.0)", or the address alone
 * @size: size of @text in bytes; ROC_CARD_NAME_MAX is enough
 *
 * The messages of this library name cards in this form, because an id has several forms and the n
 * of "#n" is not the N of /dev/rocN.
 */
void roc_card_name(const struct roc_card *card, const char *id, char *text, size_t size);

/**
 * roc_card_type_name() - Return the name of a card type
 * @type: enum roc_card_type
 *
 * Return: "CRU", "CRORC", "PCIe40", "RobinNP", or "unknown"; never freed.
 */
const char *roc_card_type_name(enum roc_card_type type);

/**
 * roc_open() - Open an endpoint for information, registers and BARs
 * @id: as for roc_find()
 * @ep: the new handle
 *
 * Any number of processes may open the same endpoint.
 *
 * Return: 0 on success; the errors of roc_find(); -EACCES if the user lacks permission; -ENOENT
 * also if the device node is missing; -ENOMEM.
 */
int roc_open(const char *id, struct roc_endpoint **ep);

/**
 * roc_open_card() - Open an endpoint found before
 * @card: from roc_find() or roc_enumerate()
 * @id: id that the user gave, for messages, or NULL
 * @ep: the new handle
 *
 * Return: as roc_open(), without the errors of roc_find(); -ENODEV also if the card no longer has
 * its @minor: find the card again.
 */
int roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep);

/**
 * roc_close() - Close an endpoint
 * @ep: handle, or NULL
 *
 * BAR mappings remain valid until roc_bar_unmap().
 */
void roc_close(struct roc_endpoint *ep);

/**
 * roc_endpoint_fd() - Return the file descriptor of an endpoint
 * @ep: handle, which still owns the descriptor
 *
 * Return: the descriptor, for poll(): it reports POLLERR | POLLHUP when the card is removed or
 * reset.
 */
int roc_endpoint_fd(const struct roc_endpoint *ep);

/**
 * roc_endpoint_name() - Return the name of the card for messages
 * @ep: handle
 *
 * Return: the name in the form of roc_card_name(), valid until roc_close().
 */
const char *roc_endpoint_name(const struct roc_endpoint *ep);

/**
 * roc_info() - Read the properties of an endpoint
 * @ep: handle
 * @info: filled in; see &struct roc_ep_info
 *
 * Return: 0 or a negative errno.
 */
int roc_info(struct roc_endpoint *ep, struct roc_ep_info *info);

/**
 * roc_reg_read() - Read one 32-bit register
 * @ep: handle
 * @bar: BAR number, 0 to 5
 * @offset: bytes from the start of the BAR, a multiple of 4
 * @value: value that the card returned
 *
 * Return: 0 on success; -ENOENT if there is no such BAR; -EINVAL if @offset is not a multiple of 4;
 * -ERANGE if @offset is beyond the BAR; -EPERM if the register contains a bus address or loses
 * content on a read, and the caller lacks CAP_SYS_RAWIO.
 */
int roc_reg_read(struct roc_endpoint *ep, unsigned int bar, uint32_t offset, uint32_t *value);

/**
 * roc_reg_write() - Write one 32-bit register
 * @ep: handle
 * @bar: BAR number, 0 to 5
 * @offset: bytes from the start of the BAR, a multiple of 4
 * @value: value to write
 *
 * Return: 0 on success; the errors of roc_reg_read(); -EPERM if the register is protected and the
 * caller lacks CAP_SYS_RAWIO; -EBUSY if running channels depend on the current value of a bit, or
 * if the register replaces firmware or changes non-volatile memory while a channel of the card
 * runs.
 */
int roc_reg_write(struct roc_endpoint *ep, unsigned int bar, uint32_t offset, uint32_t value);

/**
 * roc_reg_modify() - Change bits of a register, atomically for the whole card
 * @ep: handle
 * @bar: BAR number, 0 to 5
 * @offset: bytes from the start of the BAR, a multiple of 4
 * @mask: bits to change, not 0
 * @value: new value of these bits; no bit outside @mask
 * @before: value before the change, or NULL
 * @after: value written, or NULL
 *
 * Return: 0 on success; the errors of roc_reg_write(); -EINVAL also if @mask is 0; -ERANGE also if
 * @value has bits outside @mask.
 */
int roc_reg_modify(struct roc_endpoint *ep, unsigned int bar, uint32_t offset, uint32_t mask,
		   uint32_t value, uint32_t *before, uint32_t *after);

/**
 * roc_card_lock() - Lock the card against other configuration programs
 * @ep: handle, which owns the lock until roc_card_unlock() or roc_close()
 * @timeout_ms: milliseconds to wait while another handle holds the lock, at least 0
 *
 * One lock covers all endpoints of a card. It is advisory: single register accesses do not respect
 * it. Callers hold it across sequences of accesses, such as an I2C transaction. Library functions
 * that are documented to take the lock take it themselves. They also work if the caller already
 * holds it.
 *
 * Context: May sleep for up to @timeout_ms.
 *
 * Return: 0 on success; -EBUSY if another process holds the lock (roc_error() names its PID and
 * program); -EDEADLK if this handle already holds it; -EINTR if a signal interrupted the wait;
 * -EINVAL if @timeout_ms is below 0.
 */
int roc_card_lock(struct roc_endpoint *ep, int timeout_ms);

/**
 * roc_card_unlock() - Release the lock of the card
 * @ep: handle
 *
 * Return: 0 on success; -EPERM if this handle does not hold the lock.
 */
int roc_card_unlock(struct roc_endpoint *ep);

/**
 * roc_card_running() - Check whether any channel of the card runs or is starting
 * @ep: handle
 *
 * The check covers the channels of all endpoints with the card's serial number. It reads sysfs
 * only. The answer can be out of date when the function returns. If a program writes a register and
 * this function then returns 0, no start in progress has read the old value.
 *
 * Return: 1 if a channel runs or is starting; 0 if none is; -ENODEV if the card is no longer
 * present; the errors of roc_enumerate(); another errno if the state of a channel cannot be read.
 */
int roc_card_running(struct roc_endpoint *ep);

/**
 * roc_sleep() - Wait between two accesses to the card
 * @ep: handle
 * @us: microseconds to wait; up to 20 the function polls the clock, because a sleep would take
 *	longer
 *
 * A signal does not shorten the wait.
 */
void roc_sleep(struct roc_endpoint *ep, unsigned int us);

/**
 * struct roc_bar - A BAR mapped into this process
 * @regs: registers; the index is the byte offset / 4
 * @length: length in bytes
 * @writable: whether @regs may be written
 * @pid: PID of this process; its children do not inherit the mapping
 */
struct roc_bar {
	volatile uint32_t *regs;
	size_t length;
	bool writable;
	int pid;
};

/**
 * roc_bar_info_get() - Read the size of a BAR and the access that this process has
 * @ep: handle
 * @bar: BAR number, 0 to 5
 * @info: filled in; see &struct roc_bar_info
 *
 * Return: 0 on success; -ENOENT if there is no such BAR.
 */
int roc_bar_info_get(struct roc_endpoint *ep, unsigned int bar, struct roc_bar_info *info);

/**
 * roc_bar_map() - Map a whole BAR
 * @ep: handle; may be closed while the mapping exists
 * @bar: BAR number, 0 to 5
 * @write: true to map for writing as well
 * @map: filled in
 *
 * An access to the mapping after the card was removed raises SIGBUS. A store to a page with a
 * register that replaces firmware or changes non-volatile memory also raises SIGBUS, even for root.
 * Use roc_reg_write() for such pages.
 *
 * Return: 0 on success; -ENOENT if there is no such BAR; -EACCES if this process may not map the
 * BAR in this way; -ENOMEM.
 */
int roc_bar_map(struct roc_endpoint *ep, unsigned int bar, bool write, struct roc_bar *map);

/**
 * roc_bar_unmap() - Unmap a BAR
 * @map: from roc_bar_map(); zeroed on return. A zeroed structure is ignored
 *
 * A child of the process that mapped the BAR may call this function. It then has no effect on the
 * mapping.
 */
void roc_bar_unmap(struct roc_bar *map);

/**
 * enum roc_memory_flags - Flags of roc_memory_alloc()
 * @ROC_MEMORY_PLAIN_OK: fall back to pages of the system's base size (needs an IOMMU)
 * @ROC_MEMORY_PLAIN: use base pages at once, no hugepages
 */
enum roc_memory_flags {
	ROC_MEMORY_PLAIN_OK = 1 << 0,
	ROC_MEMORY_PLAIN = 1 << 1,
};

/**
 * struct roc_memory - Memory for DMA
 * @addr: start address, aligned to @page_size
 * @length: length in bytes, rounded up to @page_size
 * @page_size: 1 GiB, 2 MiB, or the base page size
 * @numa_node: NUMA node of the memory, -1 if unknown
 * @pid: PID of the process that mapped it; its children do not inherit the mapping
 *
 * The caller owns it until roc_memory_free(). The driver keeps its own reference to memory that is
 * registered with a channel. Freeing such memory early is safe for the card, but the caller can no
 * longer read the data.
 */
struct roc_memory {
	void *addr;
	size_t length;
	size_t page_size;
	int numa_node;
	int pid;
};

/**
 * roc_memory_alloc() - Allocate shared hugepages on a NUMA node, ready for DMA
 * @length: bytes to allocate, not 0
 * @numa_node: node that must hold every page, as in &roc_card.numa_node; -1 for any node
 * @flags: bits of enum roc_memory_flags
 * @mem: filled in
 *
 * For 1 GiB or more, the function tries pages of 1 GiB before pages of 2 MiB. For less, it tries 2
 * MiB first, so that a small buffer takes a large page only if it must. All pages are present and
 * zeroed on return. A child process does not inherit the mapping.
 *
 * The function takes plain memory only up to what is available, so that the kernel does not kill
 * another process to provide it.
 *
 * Return: 0 on success; -EINVAL if the length is 0, a flag is unknown, or there is no such node;
 * -ENOMEM if there are too few pages (roc_error() lists the free pages of each node and the command
 * that reserves more); -EMFILE, -ENFILE if too many files are open, because the function opens one
 * temporarily.
 */
int roc_memory_alloc(size_t length, int numa_node, unsigned int flags, struct roc_memory *mem);

/**
 * roc_memory_free() - Free memory for DMA
 * @mem: from roc_memory_alloc(); zeroed on return. A zeroed structure is ignored
 *
 * A child of the process that allocated the memory may call this function. It then has no effect on
 * the memory.
 */
void roc_memory_free(struct roc_memory *mem);

/**
 * roc_channel_open() - Open a DMA channel and become its owner
 * @id: as for roc_find()
 * @channel: M of /dev/rocNchM
 * @ch: the new handle
 *
 * Call it after fork(), in the process that takes the data. A child inherits the descriptor until
 * exec(), but its copy does not keep the channel open. When the opener closes the channel or ends,
 * the driver stops the card and frees the channel. A child does not inherit the rings.
 *
 * Calls of a child would act on the run of its parent. Each function of the channel, and of a
 * lender of it, therefore returns -EPERM in a child, and roc_channel_ring() returns NULL. A child
 * must not use rings that the parent got from roc_channel_ring() before. A child may call
 * roc_channel_close(), which then only frees the child's copy of the handle.
 *
 * Return: 0 on success; the errors of roc_open(); -ENOENT also if the card has no such channel;
 * -EBUSY if another process owns the channel (roc_error() names its PID and program).
 */
int roc_channel_open(const char *id, unsigned int channel, struct roc_channel **ch);

/**
 * roc_channel_open_card() - Open a DMA channel of an endpoint found before
 * @card: from roc_find() or roc_enumerate()
 * @id: id that the user gave, for messages, or NULL
 * @channel: M of /dev/rocNchM
 * @ch: the new handle
 *
 * Return: as roc_channel_open(), without the errors of roc_find(); -ENODEV also if the card no
 * longer has its @minor: find the card again.
 */
int roc_channel_open_card(const struct roc_card *card, const char *id, unsigned int channel,
			  struct roc_channel **ch);

/**
 * roc_channel_close() - Stop the card, unpin all buffers and release the channel
 * @ch: handle, or NULL
 *
 * After the call the card no longer writes to the process's buffers, whose contents remain. The
 * next open succeeds, even if a child has a copy of the descriptor. A duplicate of roc_channel_fd()
 * that this process made keeps the channel until it is closed as well. The call removes the rings.
 */
void roc_channel_close(struct roc_channel *ch);

/**
 * roc_channel_fd() - Return the file descriptor of a channel
 * @ch: handle, which still owns the descriptor
 *
 * Return: the descriptor, for poll(): POLLIN when superpages are ready, POLLERR when the channel
 * has failed, POLLERR | POLLHUP when the card was removed or reset.
 */
int roc_channel_fd(const struct roc_channel *ch);

/**
 * roc_channel_name() - Return the name of the channel for messages
 * @ch: handle
 *
 * Return: the card in the form of roc_card_name(), and the channel; valid until
 * roc_channel_close().
 */
const char *roc_channel_name(const struct roc_channel *ch);

/**
 * roc_channel_card_type() - Return the card type of a channel
 * @ch: handle
 *
 * Return: as &roc_card.type.
 */
enum roc_card_type roc_channel_card_type(const struct roc_channel *ch);

/**
 * roc_channel_info() - Read state and counters of a channel
 * @ch: handle
 * @info: filled in; see &struct roc_ch_info
 *
 * Return: 0 or a negative errno.
 */
int roc_channel_info(struct roc_channel *ch, struct roc_ch_info *info);

/**
 * roc_channel_losses() - Count damaged, short and lost superpages
 * @ch: handle
 * @losses: filled in up to its @size, which the caller sets; see &struct roc_ch_losses
 *
 * Return: 0 on success; -EINVAL if its @size is below 32; another negative errno, such as -ENOTTY
 * from a module before 0.4.0.
 */
int roc_channel_losses(struct roc_channel *ch, struct roc_ch_losses *losses);

/**
 * roc_channel_owner() - Find the process that has a channel open
 * @id: as for roc_find()
 * @channel: M of /dev/rocNchM
 * @pid: process that opened the channel; 0 if it is in a PID namespace that the caller cannot see
 * @name: program name of the process, or NULL. Characters other than printable ASCII are replaced
 *	by '?'. The text is always NUL terminated
 * @size: size of @name in bytes
 *
 * The function reads sysfs only. The answer can be out of date when the function returns.
 *
 * Return: 0 on success; -ENOENT if no process has the channel open or there is no such channel
 * (roc_error() states which); the errors of roc_find().
 */
int roc_channel_owner(const char *id, unsigned int channel, int *pid, char *name, size_t size);

/**
 * struct roc_channel_config - Configuration of the next start
 * @source: data source
 * @mode: method of detecting finished superpages
 * @links: one bit per link slot; 0 selects all links that are enabled in the card
 * @page_size: DMA page size in bytes; 0 selects that of the card
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
 * roc_channel_configure() - Configure source, links and mode of the next start
 * @ch: handle
 * @config: the whole configuration; zeroed selects the internal generator, timer mode and all
 *	enabled links
 *
 * Return: 0 on success; -EBUSY if the channel runs; -EOPNOTSUPP if the card does not support the
 * source, mode, page size or flag; -ENOLINK if a selected link is not enabled in the card; -EINVAL.
 */
int roc_channel_configure(struct roc_channel *ch, const struct roc_channel_config *config);

/**
 * roc_channel_mode() - Change the method of detecting finished superpages
 * @ch: handle
 * @mode: new mode
 *
 * The channel may be running. A change neither loses data nor stops the card. After a change to
 * ROC_MODE_BUSY, call roc_channel_poll().
 *
 * Return: 0 on success; -EOPNOTSUPP for ROC_MODE_EVENT if the card has no events (no
 * ROC_CAP_EVENTS); -EINVAL.
 */
int roc_channel_mode(struct roc_channel *ch, enum roc_mode mode);

/**
 * roc_channel_rings() - Create and map the two rings
 * @ch: handle
 * @fill: entries of the fill ring, a power of two from ROC_RING_MIN to ROC_RING_MAX; 0 for the
 *	default
 * @ready: the same for the ready ring
 *
 * Call it once per open. roc_channel_start() creates rings of the default size if the caller did
 * not. Call it first to put free superpages into the fill ring before the start.
 *
 * Return: 0 on success; -EBUSY if the rings already exist; -EINVAL if a number is not such a power
 * of two; -ENOMEM; -EPERM if another process opened the channel: open it after fork(), not before.
 * If roc_error() reports that the rings cannot be mapped, the rings exist, and the next call maps
 * them unchanged.
 */
int roc_channel_rings(struct roc_channel *ch, unsigned int fill, unsigned int ready);

/**
 * roc_channel_start() - Start the card
 * @ch: handle
 *
 * The function sleeps for the start-up time of the card (CRU: 210 ms, C-RORC: 100 ms). The driver
 * pushes superpages of the fill ring to the card at once.
 *
 * Return: 0 on success; -EBUSY if the channel already runs; -ENOLINK if no links are enabled in the
 * card (CRU) or the link of the channel is down (C-RORC); -ETIME if the far end of the link does
 * not answer (C-RORC); -EIO also if the card cannot be quiesced, does not complete its reset,
 * refuses its setup, or does not accept a superpage (roc_error() states the reason); the errors of
 * roc_channel_rings().
 */
int roc_channel_start(struct roc_channel *ch);

/**
 * roc_channel_stop() - Stop the card and reclaim every superpage
 * @ch: handle
 * @reclaimed: number of superpages that came back unfilled, or NULL
 *
 * After a return of 0 the card no longer writes, and every superpage that it held is in the ready
 * ring. Entries still in the fill ring remain there for the next start.
 *
 * Return: 0 on success; -EALREADY if the channel is not running; -EIO in two cases. If the card
 * violated the protocol or did not answer, the channel is ROC_CH_FAILED. If the card could not be
 * stopped, the channel is ROC_CH_STOPPED. In this case the card may still write into the returned
 * superpages until a start succeeds or the card is reset.
 */
int roc_channel_stop(struct roc_channel *ch, unsigned int *reclaimed);

/**
 * roc_channel_reset() - Reset the card's side of a stopped channel
 * @ch: handle
 * @level: extent of the reset; see enum roc_reset_level
 *
 * Return: 0 on success; -EBUSY if the channel runs; -EOPNOTSUPP if the card does not have this
 * level; -EINVAL; for ROC_RESET_INTERNAL_SIU also -ENOLINK if the link is down and -ETIME if its
 * far end does not answer.
 */
int roc_channel_reset(struct roc_channel *ch, enum roc_reset_level level);

/**
 * roc_channel_command() - Send one command over the channel's detector data link
 * @ch: handle of a stopped channel
 * @command: command word as defined by the protocol of the link
 * @reply: space for *@count reply words, or NULL if that is 0
 * @count: in: reply words to wait for, 0 to ROC_COMMAND_REPLIES; out: words received. On -ETIME the
 *	function also writes @count and @reply
 *
 * The driver first discards words that wait from an earlier command. The timeout of each reply is
 * 100 ms.
 *
 * Return: 0 on success; -EOPNOTSUPP if the card has no such link (no ROC_CAP_DDL); -EBUSY if the
 * channel runs; -ENOLINK if the link is down and the command addresses its far end; -ETIME if a
 * reply did not arrive; -EINVAL if @count is above the maximum.
 */
int roc_channel_command(struct roc_channel *ch, uint32_t command, uint32_t *reply,
			unsigned int *count);

/**
 * roc_channel_eventfd() - Signal an eventfd on events of the channel
 * @ch: handle
 * @eventfd: descriptor from eventfd(), which the caller may close afterwards; -1 ends the signals
 *
 * The driver signals when superpages become ready, and when the channel stops, fails or loses its
 * card. It signals at once if superpages are already ready or the channel has already failed.
 *
 * Return: 0 on success; -EBADF if @eventfd is not open; -EINVAL if it is not an eventfd.
 */
int roc_channel_eventfd(struct roc_channel *ch, int eventfd);

/**
 * roc_channel_poll() - Poll the card for finished superpages now
 * @ch: handle
 *
 * ROC_MODE_BUSY needs it; every mode allows it. A poll ends after some milliseconds. The next poll
 * finds the remaining superpages.
 *
 * Return: number of superpages found finished; -EPIPE if there are no rings; -EALREADY if the
 * channel is not running.
 */
int roc_channel_poll(struct roc_channel *ch);

/**
 * roc_channel_look() - Deprecated name of roc_channel_poll()
 * @ch: as for roc_channel_poll()
 *
 * Return: as roc_channel_poll().
 */
int roc_channel_look(struct roc_channel *ch);

/**
 * roc_channel_kick() - Wake the driver's thread for new fill entries
 * @ch: handle
 *
 * Call it when roc_fill_publish() returns true.
 *
 * Return: 0 on success, also if the channel is not running, because the next start finds the
 * entries; -EPIPE if there are no rings; -ENODEV if the card was removed or reset; -EPERM in a
 * child of the process that opened the channel.
 */
int roc_channel_kick(struct roc_channel *ch);

/**
 * roc_channel_wait() - Sleep until superpages are ready
 * @ch: handle
 * @min_ready: entries in the ready ring to wait for; 0 does not sleep
 * @timeout_ms: milliseconds to wait at most; -1: no limit
 *
 * The function makes no system call if the entries are already there. It returns early, with fewer
 * entries and possibly none, if the channel is not running, stops or loses its card.
 *
 * Drain the ready ring before closing the handle. If the call returns fewer than @min_ready, take
 * the entries with roc_pop() and call again, until it returns 0 (the channel stopped) or -ENODEV.
 *
 * Return: number of entries in the ready ring; -ETIME if there are fewer than @min_ready after
 * @timeout_ms; -ENODEV if the card was removed or reset and the ready ring is empty; -EINTR if a
 * signal handler ran; -EPIPE if there are no rings; -EINVAL if @min_ready exceeds the size of the
 * ready ring or @timeout_ms is below -1.
 */
int roc_channel_wait(struct roc_channel *ch, unsigned int min_ready, int timeout_ms);

/**
 * roc_buffer_register() - Pin memory and map it for the card
 * @ch: handle
 * @addr: start address, page aligned
 * @length: length in bytes, a multiple of the page size
 * @granule: size in bytes of the superpages to be used, a multiple of &roc_ep_info.superpage_align;
 *	0 for the smallest. Every piece of this size, counted from @addr, must be contiguous for the
 *	card
 * @handle: handle of the buffer, for &roc_fill.buffer
 *
 * The memory remains pinned until roc_buffer_unregister() or roc_channel_close(). It counts against
 * RLIMIT_MEMLOCK of the process that opened the channel. Only that process can register memory. A
 * child that inherited the handle through fork() cannot.
 *
 * Return: 0 on success; -EPERM if another process opened the channel; -EINVAL if the alignment or
 * the granule is invalid; -EOVERFLOW if the range exceeds the address space; -EFAULT if the memory
 * cannot be pinned; -ENOMEM above RLIMIT_MEMLOCK or without free memory; -EOPNOTSUPP if the card
 * cannot use the memory (not contiguous, not addressable, or it would need bounce buffers); -ENOSPC
 * if there are too many buffers; -EBUSY if the channel runs. roc_error() states the cause with the
 * limit.
 */
int roc_buffer_register(struct roc_channel *ch, void *addr, size_t length, uint32_t granule,
			uint32_t *handle);

/**
 * roc_buffer_unregister() - Unmap and unpin a buffer
 * @ch: handle
 * @handle: from roc_buffer_register() or roc_buffer_import()
 *
 * Return: 0 on success; -ENOENT if there is no such buffer; -EBUSY if the channel runs.
 */
int roc_buffer_unregister(struct roc_channel *ch, uint32_t handle);

/**
 * roc_buffer_export() - Export a registered buffer as a dma-buf
 * @ch: handle
 * @handle: from roc_buffer_register(); 0 for the ring of a stream
 * @flags: bits of enum roc_export_flags; ROC_EXPORT_CLOEXEC is the usual choice
 * @fd: descriptor of the dma-buf, whose length is that of the buffer; the caller closes it
 *
 * Other devices import the dma-buf and processes map it. RDMA uses ibv_reg_dmabuf_mr(), a GPU its
 * driver, another card roc_buffer_import(). The channel may be running. Only the ready ring reports
 * which superpages are filled.
 *
 * The dma-buf keeps the memory pinned after roc_channel_close(). It does not outlive the card: when
 * the card is removed or reset, the driver notifies importers, and later accesses fail with ENODEV.
 *
 * Return: 0 on success; -ENOENT if there is no such buffer; -EPIPE if the stream has no ring yet;
 * -EOPNOTSUPP if the buffer was imported or the kernel has no dma-bufs; -ENOMEM above
 * RLIMIT_MEMLOCK of the user or without free memory; -EMFILE if too many files are open.
 */
int roc_buffer_export(struct roc_channel *ch, uint32_t handle, unsigned int flags, int *fd);

/**
 * roc_buffer_import() - Map the dma-buf of another exporter for the card
 * @ch: handle
 * @fd: a dma-buf, open for writing; the caller may close it afterwards
 * @offset: start of the buffer in the dma-buf in bytes, a multiple of the page size
 * @length: length in bytes, a multiple of the page size; 0 for all from @offset on
 * @granule: as in roc_buffer_register(), counted from @offset
 * @handle: handle of the buffer, for &roc_fill.buffer and roc_buffer_unregister()
 *
 * The card then writes directly into the memory of a GPU or another device, or into memory of
 * another driver. The exporter must keep this memory in place. The buffer counts against no limit
 * of this driver.
 *
 * Return: 0 on success; -EBADF if @fd is not open; -EINVAL if @fd is not a dma-buf, or the
 * alignment or granule is invalid; -EACCES if @fd is not open for writing; -ERANGE if the range is
 * outside the dma-buf; -EOPNOTSUPP if the card cannot use it: the memory is not contiguous, not
 * addressable, on an unreachable peer, or not pinned by its exporter; -ENOMEM; -ENOSPC if there are
 * too many buffers; -EBUSY if the channel runs. roc_error() states the cause.
 */
int roc_buffer_import(struct roc_channel *ch, int fd, uint64_t offset, uint64_t length,
		      uint32_t granule, uint32_t *handle);

/**
 * struct roc_rings - The reader's side of the two rings
 * @user: indices that the reader writes
 * @kernel: indices that the kernel writes, read-only
 * @fill: entries of the fill ring, written by the reader
 * @ready: entries of the ready ring, read-only
 * @fill_mask: entries of the fill ring - 1
 * @ready_mask: entries of the ready ring - 1
 * @fill_prod: entries published since open
 * @fill_cons: last value read of the kernel's index
 * @ready_prod: last value read of the kernel's index
 * @ready_cons: entries released since open
 * @filled: entries returned by roc_fill_next() and not yet published
 *
 * The structure is private to the reader. It is public only so that the fast path can be inline.
 * Callers may read it and change it only through the functions below. The channel owns it.
 * Documentation/rings.md describes the protocol.
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
 * roc_channel_ring() - Return the rings of a channel
 * @ch: handle
 *
 * Return: the rings, valid until roc_channel_close(); NULL before roc_channel_rings(), and in a
 * child of the process that opened the channel.
 */
struct roc_rings *roc_channel_ring(struct roc_channel *ch);

/**
 * roc_fill_space() - Return the number of free entries in the fill ring
 * @r: rings
 *
 * Return: number of roc_fill_next() calls that will return an entry, at least.
 */
static inline uint32_t roc_fill_space(struct roc_rings *r);

/**
 * roc_fill_room() - Deprecated name of roc_fill_space()
 * @r: as for roc_fill_space()
 *
 * Return: as roc_fill_space().
 */
static inline uint32_t roc_fill_room(struct roc_rings *r);

/**
 * roc_fill_next() - Return the next entry of the fill ring to write
 * @r: rings
 *
 * The caller sets all members, with reserved set to 0. The kernel sees the entry after
 * roc_fill_publish().
 *
 * Return: the entry, or NULL if the ring is full.
 */
static inline struct roc_fill *roc_fill_next(struct roc_rings *r);

/**
 * roc_fill_publish() - Publish all entries written since the last call
 * @r: rings
 *
 * Return: true if the kernel sleeps and the caller must call roc_channel_kick().
 */
static inline bool roc_fill_publish(struct roc_rings *r);

/**
 * roc_ready_count() - Return the number of readable entries of the ready ring
 * @r: rings
 *
 * Return: number of entries that can be read now.
 */
static inline uint32_t roc_ready_count(struct roc_rings *r);

/**
 * roc_ready_at() - Return a ready entry without removing it
 * @r: rings
 * @i: 0 for the oldest, 1 for the next, ...
 *
 * Return: the entry, valid until it is released; NULL if the ring has fewer entries.
 */
static inline const struct roc_ready *roc_ready_at(struct roc_rings *r, uint32_t i);

/**
 * roc_ready_peek() - Return the oldest ready entry without removing it
 * @r: rings
 *
 * Return: the entry, valid until it is released; NULL if the ring is empty.
 */
static inline const struct roc_ready *roc_ready_peek(struct roc_rings *r);

/**
 * roc_ready_release() - Return the oldest ready entries to the kernel
 * @r: rings
 * @n: number of entries. A larger number than the three functions above have seen releases all that
 *	they have seen
 */
static inline void roc_ready_release(struct roc_rings *r, uint32_t n);

/* Bodies of the inline functions above. */
#include <roc/rings.h>

/**
 * roc_push() - Put one superpage into the fill ring, and kick if needed
 * @ch: handle
 * @handle: from roc_buffer_register()
 * @offset: start in the buffer in bytes, a multiple of 4
 * @length: length in bytes, a multiple of &roc_ep_info.superpage_align, at most
 *	&roc_ep_info.superpage_max
 * @cookie: value of the caller that comes back with the superpage
 *
 * The kernel checks the entry when it takes it. An invalid entry comes back through the ready ring
 * with ROC_READY_REFUSED. The call also publishes entries of roc_fill_next() that were not
 * published yet.
 *
 * Return: 0 on success; -EAGAIN if the ring is full; -EPIPE if there are no rings; the errors of
 * roc_channel_kick(), after which the entry is in the ring.
 */
int roc_push(struct roc_channel *ch, uint32_t handle, uint64_t offset, uint32_t length,
	     uint64_t cookie);

/**
 * roc_pop() - Take the oldest entry out of the ready ring
 * @ch: handle
 * @ready: receives a copy of the entry
 *
 * Return: 1 if there was an entry, 0 if not; -EPIPE if there are no rings.
 */
int roc_pop(struct roc_channel *ch, struct roc_ready *ready);

#ifdef __cplusplus
}
#endif

#endif /* ROC_ROC_H */
