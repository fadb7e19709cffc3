// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A card with the event interface through vfio-user: the capability, MSI-X and MSI with their
 * eventfds, DMA reads of the rings through mappings, engine threads, and throughput.
 */
#include <endian.h>
#include <sys/eventfd.h>

#include "tests/unit/emu/server/emu_client.h"
#include "kmod/cards/crorc/crorc_regs.h"
#include "kmod/pool/event_regs.h"

#define BLOCK 0x1000
#define LOG2 8
#define SUBMIT 0x10000u /* in the memory; superpages follow the rings */
#define RECORD 0x20000u
#define DATA 0x100000u

static struct {
	uint32_t published, seen;
	int fd[CARD_VECTORS];
} host;

static void begin_card(const struct card_ops *ops, const char *const *settings)
{
	char err[CARD_ERR], name[32];

	memset(&vu, 0, sizeof(vu));
	memset(&host, 0, sizeof(host));
	vu.emu = emu_create(ops);
	UNIT_NEED(vu.emu);
	for (; settings && *settings; settings++) {
		const char *value = strchr(*settings, '=') + 1;

		snprintf(name, sizeof(name), "%.*s", (int)(value - 1 - *settings), *settings);
		UNIT_EQ(emu_set(vu.emu, 0, emu_key(vu.emu, name), value, err), 0);
	}
	begin_guest();
}

static const char *const on[] = {"events=on", NULL};

/* Find the capability as a driver does: walk the list, compare id and signature. 0: not found. */
static uint32_t capability(void)
{
	uint32_t at = 0x100, head;

	for (; at; at = head >> 20) {
		head = config(at, 4);
		if ((head & 0xffff) == PCI_EXT_CAP_ID_VNDR &&
		    (config(at + VSEC_HEADER, 4) & 0xffff) == EVENT_VSEC_ID &&
		    config(at + VSEC_SIGNATURE, 4) == EVENT_VSEC_SIGNATURE_VALUE)
			return at;
		UNIT_NEED(head >> 20 > at || !(head >> 20));
	}
	return 0;
}

static void capability_of_a_cru(void)
{
	uint32_t at, word;

	begin_card(&cru_card, on);
	at = capability();
	UNIT_NEED(at);
	CU_ASSERT(at != 0x100); /* the first belongs to another vendor */
	UNIT_EQ(config(0x100, 4) & 0xffff, PCI_EXT_CAP_ID_VNDR);
	word = config(at + VSEC_HEADER, 4);
	UNIT_EQ(EVENT_VSEC_HEADER_REVISION(word), EVENT_VSEC_REVISION);
	UNIT_EQ(EVENT_VSEC_HEADER_LENGTH(word), EVENT_VSEC_LENGTH);
	word = config(at + EVENT_VSEC_LIMITS, 4);
	UNIT_EQ(word & EVENT_VSEC_CHANNELS, 1);
	UNIT_EQ(word & EVENT_VSEC_RING_MAX, 16 << 8);
	UNIT_EQ(word & EVENT_VSEC_VECTORS, 8 << 16);
	UNIT_EQ(config(at + EVENT_VSEC_CHANNEL, 4), 0x1000);
	UNIT_EQ(config(at + EVENT_VSEC_STRIDE, 4), 0);
	UNIT_EQ(config(at + EVENT_VSEC_CARD, 4), 0x1080);
	/* Read-only. */
	config_set(at + EVENT_VSEC_LIMITS, 0, 4);
	UNIT_EQ(config(at + EVENT_VSEC_LIMITS, 4), word);
	/* Both MSI and MSI-X exist, and INTx as on a plain card. */
	word = old_capability(PCI_CAP_ID_MSIX);
	UNIT_NEED(word);
	UNIT_EQ(config(word + PCI_MSIX_FLAGS, 2), 7);
	UNIT_EQ(config(word + PCI_MSIX_TABLE, 4), 0x2000);
	UNIT_EQ(config(word + PCI_MSIX_PBA, 4), 0x3000);
	word = old_capability(PCI_CAP_ID_MSI);
	UNIT_NEED(word);
	UNIT_EQ(config(word + PCI_MSI_FLAGS, 2), PCI_MSI_FLAGS_64BIT | 3 << 1);
	UNIT_EQ(config(PCI_INTERRUPT_PIN, 1), 1);
	end();
}

static void capability_of_a_crorc(void)
{
	uint32_t at, word;

	begin_card(&crorc_card, on);
	at = capability();
	UNIT_NEED(at);
	word = config(at + EVENT_VSEC_LIMITS, 4);
	UNIT_EQ(word & EVENT_VSEC_CHANNELS, CRORC_CHANNELS);
	UNIT_EQ(config(at + EVENT_VSEC_CHANNEL, 4), 0x800);
	word = config(at + EVENT_VSEC_STRIDE, 4);
	UNIT_EQ(VSEC_BAR(word), 1);
	UNIT_EQ(VSEC_OFFSET(word), 0);
	UNIT_EQ(config(at + EVENT_VSEC_CARD, 4), 0x880);
	word = old_capability(PCI_CAP_ID_MSIX);
	UNIT_EQ(config(word + PCI_MSIX_TABLE, 4), 0xc00);
	UNIT_EQ(config(word + PCI_MSIX_PBA, 4), 0xe00);
	end();
}

static void plain_cards_have_none(void)
{
	begin_card(&cru_card, NULL);
	UNIT_EQ(config(0x100, 4), 0);
	UNIT_EQ(old_capability(PCI_CAP_ID_MSIX), 0);
	UNIT_EQ(old_capability(PCI_CAP_ID_MSI), 0);
	end();
	begin_card(&crorc_card, NULL);
	UNIT_EQ(config(0x100, 4), 0);
	UNIT_EQ(old_capability(PCI_CAP_ID_MSIX), 0);
	end();
}

static uint32_t irqs(uint32_t index)
{
	struct vfio_irq_info info = {.argsz = sizeof(info), .index = index};

	UNIT_EQ(ask(VU_GET_IRQ_INFO, &info, sizeof(info), -1), 0);
	memcpy(&info, vu.body, sizeof(info));
	return info.count;
}

static void fewer_or_none(void)
{
	static const char *const few[] = {"events=on", "vectors=3", NULL};
	static const char *const msi[] = {"events=on", "interrupts=msi", NULL};
	static const char *const none[] = {"events=on", "interrupts=none", NULL};

	begin_card(&cru_card, few);
	UNIT_EQ(irqs(VFIO_PCI_MSIX_IRQ_INDEX), 3);
	UNIT_EQ(irqs(VFIO_PCI_MSI_IRQ_INDEX), 2);
	UNIT_EQ(config(old_capability(PCI_CAP_ID_MSIX) + PCI_MSIX_FLAGS, 2), 2);
	UNIT_EQ(config(capability() + EVENT_VSEC_LIMITS, 4) & EVENT_VSEC_VECTORS, 3 << 16);
	end();
	begin_card(&cru_card, msi);
	UNIT_EQ(irqs(VFIO_PCI_MSIX_IRQ_INDEX), 0);
	UNIT_EQ(irqs(VFIO_PCI_MSI_IRQ_INDEX), 8);
	UNIT_EQ(old_capability(PCI_CAP_ID_MSIX), 0);
	end();
	begin_card(&cru_card, none);
	UNIT_EQ(irqs(VFIO_PCI_MSIX_IRQ_INDEX), 0);
	UNIT_EQ(irqs(VFIO_PCI_MSI_IRQ_INDEX), 0);
	UNIT_EQ(irqs(VFIO_PCI_INTX_IRQ_INDEX), 1);
	CU_ASSERT(capability());
	end();
}

/*
 * Set one eventfd for one vector, as QEMU does when vectors are enabled one by one; -1 removes it.
 */
static void set_vector(uint32_t index, unsigned int vector, int fd)
{
	struct {
		struct vfio_irq_set set;
	} req = {
		.set =
			{
				.argsz = sizeof(req),
				.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
				.index = index,
				.start = vector,
				.count = 1,
			},
	};

	UNIT_EQ(ask(VU_SET_IRQS, &req, sizeof(req), fd), 0);
}

static void vectors_begin(uint32_t index, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		host.fd[i] = eventfd(0, EFD_NONBLOCK);
		set_vector(index, i, host.fd[i]);
	}
}

static void vectors_end(unsigned int count)
{
	while (count--)
		close(host.fd[count]);
}

/* Count of the eventfd since the last read. */
static uint64_t came(unsigned int vector)
{
	eventfd_t n = 0;

	return eventfd_read(host.fd[vector], &n) ? 0 : n;
}

static void ev_wr(uint32_t off, uint32_t value)
{
	bar_write(0, BLOCK + off, value);
}

static uint32_t ev_rd(uint32_t off)
{
	return bar_read(0, BLOCK + off);
}

/* Map the memory, enable the channel, and start the internal generator. */
static void enable(void)
{
	memset(vu.memory + RECORD, 0, sizeof(struct event_record) << LOG2);
	host.published = 0;
	host.seen = 0;
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	bar_write(0, CRU_DATA_SOURCE, CRU_DATA_SOURCE_INTERNAL);
	bar_write(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	ev_wr(EVENT_SUBMIT_LOW, (uint32_t)(BASE + SUBMIT));
	ev_wr(EVENT_SUBMIT_HIGH, (BASE + SUBMIT) >> 32);
	ev_wr(EVENT_SUBMIT_SIZE, LOG2);
	ev_wr(EVENT_RECORD_LOW, (uint32_t)(BASE + RECORD));
	ev_wr(EVENT_RECORD_HIGH, (BASE + RECORD) >> 32);
	ev_wr(EVENT_RECORD_SIZE, LOG2);
	ev_wr(EVENT_CONTROL, EVENT_CONTROL_ENABLE);
	UNIT_EQ(ev_rd(EVENT_STATUS), EVENT_STATUS_ENABLED | EVENT_STATUS_QUIET);
	bar_write(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
}

static void give(unsigned int count, uint32_t bytes)
{
	struct event_descriptor *ring = (void *)(vu.memory + SUBMIT);

	for (; count; count--, host.published++)
		ring[host.published % (1u << LOG2)] = (struct event_descriptor){
			.address = htole64(BASE + DATA +
					   host.published % ((MEMORY - DATA) / bytes) * bytes),
			.length = htole32(bytes),
		};
	__atomic_thread_fence(__ATOMIC_RELEASE);
	ev_wr(EVENT_DOORBELL, host.published);
}

static unsigned int drain(void)
{
	const struct event_record *ring = (void *)(vu.memory + RECORD);
	unsigned int n = 0;

	for (;; n++, host.seen++) {
		const struct event_record *r = &ring[host.seen % (1u << LOG2)];
		uint32_t status = __atomic_load_n(&r->status, __ATOMIC_ACQUIRE);

		if ((le32toh(status) & EVENT_RECORD_PHASE) != EVENT_PHASE(host.seen, LOG2))
			return n;
		UNIT_EQ(le32toh(r->sequence), host.seen);
	}
}

static void messages(uint32_t index, uint32_t flags_at, uint32_t flags)
{
	vectors_begin(index, 4);
	config_set(flags_at, flags, 2);
	enable();
	ev_wr(EVENT_ARM, 0);
	give(3, BYTES);
	CU_ASSERT(UNIT_WAIT(drain() || host.seen == 3, LIMIT_MS));
	CU_ASSERT(UNIT_WAIT(host.seen + drain() == 3 || host.seen == 3, LIMIT_MS));
	ev_rd(EVENT_STATUS);
	UNIT_EQ(came(1), 1);
	UNIT_EQ(came(0) + came(2) + came(3), 0);
	/* Another vector. */
	ev_wr(EVENT_VECTOR, 3);
	ev_wr(EVENT_ARM, 3);
	give(1, BYTES);
	CU_ASSERT(UNIT_WAIT(came(3), LIMIT_MS));
	UNIT_EQ(came(1), 0);
	UNIT_EQ(drain(), 1);
}

static void by_msix(void)
{
	uint32_t at;

	begin_card(&cru_card, on);
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	at = old_capability(PCI_CAP_ID_MSIX) + PCI_MSIX_FLAGS;
	messages(VFIO_PCI_MSIX_IRQ_INDEX, at, PCI_MSIX_FLAGS_ENABLE);
	/*
	 * With the function masked the interrupt is kept, and sent once when the mask is cleared.
	 */
	config_set(at, PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL, 2);
	ev_wr(EVENT_ARM, 4);
	give(1, BYTES);
	CU_ASSERT(UNIT_WAIT(drain(), LIMIT_MS));
	ev_rd(EVENT_STATUS);
	UNIT_EQ(came(3), 0);
	config_set(at, PCI_MSIX_FLAGS_ENABLE, 2);
	UNIT_EQ(came(3), 1);
	/* Disabled: counted as unrouted. */
	config_set(at, 0, 2);
	ev_wr(EVENT_ARM, 5);
	give(1, BYTES);
	CU_ASSERT(UNIT_WAIT(drain(), LIMIT_MS));
	CU_ASSERT(UNIT_WAIT(counted("unrouted") == 1, LIMIT_MS));
	UNIT_EQ(came(3), 0);
	/* And a vector whose eventfd was removed. */
	config_set(at, PCI_MSIX_FLAGS_ENABLE, 2);
	set_vector(VFIO_PCI_MSIX_IRQ_INDEX, 3, -1);
	ev_wr(EVENT_ARM, 6);
	give(1, BYTES);
	CU_ASSERT(UNIT_WAIT(counted("unrouted") == 2, LIMIT_MS));
	vectors_end(4);
	end();
}

static void by_msi(void)
{
	uint32_t at;

	begin_card(&cru_card, on);
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	at = old_capability(PCI_CAP_ID_MSI) + PCI_MSI_FLAGS;
	config_set(at - PCI_MSI_FLAGS + PCI_MSI_ADDRESS_LO, 0xfee00000, 4);
	messages(VFIO_PCI_MSI_IRQ_INDEX, at, PCI_MSI_FLAGS_ENABLE | 2 << 4);
	/* The host has granted only one message: another is not sent. */
	config_set(at, PCI_MSI_FLAGS_ENABLE, 2);
	ev_wr(EVENT_ARM, 4);
	give(1, BYTES);
	CU_ASSERT(UNIT_WAIT(counted("unrouted") == 1, LIMIT_MS));
	UNIT_EQ(came(3), 0);
	UNIT_EQ(drain(), 1);
	ev_wr(EVENT_VECTOR, 0);
	ev_wr(EVENT_ARM, 5);
	give(1, BYTES);
	CU_ASSERT(UNIT_WAIT(came(0), LIMIT_MS));
	UNIT_EQ(counted("messages_outside"), 0);
	/* The host has cleared the address while removing the vector: a write to address 0. */
	config_set(at - PCI_MSI_FLAGS + PCI_MSI_ADDRESS_LO, 0, 4);
	ev_wr(EVENT_ARM, 6);
	give(1, BYTES);
	CU_ASSERT(UNIT_WAIT(counted("messages_outside") == 1, LIMIT_MS));
	vectors_end(4);
	end();
}

static void map_part(uint32_t at, uint32_t end, uint32_t flags)
{
	UNIT_EQ(map_region(BASE + at, end - at, at, vu.memory_fd, flags), 0);
}

/* Mapped for reading only: the ring can be read, but records cannot be written. */
static void mappings_are_checked(void)
{
	const uint32_t page = 0x1000;

	begin_card(&cru_card, on);
	map_part(SUBMIT, SUBMIT + page, VFIO_DMA_MAP_FLAG_READ);
	map_part(RECORD, RECORD + page, RW);
	map_part(RECORD + page, MEMORY, RW);
	enable();
	give(1, BYTES);
	CU_ASSERT(UNIT_WAIT(drain(), LIMIT_MS));
	UNIT_EQ(counted("dma_outside"), 0);
	UNIT_EQ(unmap_region(BASE + RECORD, page, 0), 0);
	map_part(RECORD, RECORD + page, VFIO_DMA_MAP_FLAG_READ);
	give(1, BYTES);
	CU_ASSERT(UNIT_WAIT(counted("dma_outside") == 1, LIMIT_MS));
	UNIT_EQ(drain(), 0);
	UNIT_EQ(unmap_region(BASE + SUBMIT, page, 0), 0);
	give(1, BYTES);
	CU_ASSERT(UNIT_WAIT(ev_rd(EVENT_STATUS) & EVENT_STATUS_FETCH_ERROR, LIMIT_MS));
	UNIT_EQ(counted("dma_outside"), 2);
	end();
}

static unsigned int kept(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < CARD_VECTORS; i++)
		n += irq_fd(VFIO_PCI_MSIX_IRQ_INDEX, i) >= 0;
	return n;
}

/* Several vectors in one message, and the ways to remove them. */
static void sets_of_vectors(void)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		.index = VFIO_PCI_MSIX_IRQ_INDEX,
		.start = 2,
		.count = 3,
	};

	begin_card(&cru_card, on);
	vectors_begin(VFIO_PCI_MSIX_IRQ_INDEX, 8);
	UNIT_EQ(kept(), 8);
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), -1), 0);
	UNIT_EQ(kept(), 5);
	UNIT_EQ(irq_fd(VFIO_PCI_MSIX_IRQ_INDEX, 5) >= 0, 1);
	/* More vectors than exist. */
	set.start = 6;
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), -1), EINVAL);
	UNIT_EQ(kept(), 5);
	set.flags = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER;
	set.start = 0;
	set.count = 0;
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), -1), 0);
	UNIT_EQ(kept(), 0);
	vectors_end(8);
	end();
}

static void host_goes(void)
{
	begin_card(&cru_card, on);
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	vectors_begin(VFIO_PCI_MSIX_IRQ_INDEX, 2);
	enable();
	disconnect_client();
	UNIT_EQ(irq_fd(VFIO_PCI_MSIX_IRQ_INDEX, 1), -1);
	connect_client();
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	UNIT_EQ(ev_rd(EVENT_STATUS), EVENT_STATUS_QUIET);
	vectors_end(2);
	end();
}

static double seconds(void)
{
	return emu_now() / 1e9;
}

/*
 * Measure GB/s over vfio-user, for a fraction of a second, with 32 KiB superpages that are returned
 * in groups of eight.
 */
static double speed(bool events)
{
	uint32_t bytes = 0x8000, ready = 0, seen = 0, depth = 128, given = 0;
	double begun, now;

	begin_card(&cru_card, on);
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	memset(vu.memory, 0, MEMORY);
	if (events) {
		enable();
		give(depth, bytes);
	} else {
		config_set(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
		bar_write(0, CRU_DATA_SOURCE, CRU_DATA_SOURCE_INTERNAL);
		bar_write(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
		bar_write(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
		for (; given < depth; given++)
			push(BASE + DATA + given % 200 * bytes, bytes / CRU_PAGE_SIZE);
	}
	begun = seconds();
	do {
		if (events) {
			uint32_t n = drain();

			if (n) {
				ev_wr(EVENT_CONSUMED, host.seen);
				give(n, bytes);
			}
			seen += n;
		} else {
			ready = bar_read(0, CRU_SP_READY(0));
			for (; seen != ready; seen++, given++) {
				bar_write(0, CRU_SP_SIZE(0), CRU_SP_SIZE_ADVANCE);
				bar_read(0, CRU_SP_SIZE(0));
				push(BASE + DATA + given % 200 * bytes, bytes / CRU_PAGE_SIZE);
			}
		}
		now = seconds();
	} while (now - begun < 0.4);
	end();
	return seen * (double)bytes / (now - begun) / 1e9;
}

static void not_slower(void)
{
	double plain, events;
	unsigned int round = 0;

	/*
	 * On a busy machine one mode may get less processor time than the other, but not in every
	 * attempt.
	 */
	do {
		plain = speed(false);
		events = speed(true);
	} while (events < plain && ++round < 5);
	unit_note("32 KiB superpages over the wire: plain %.2f GB/s, events %.2f GB/s", plain,
		  events);
	CU_ASSERT(events >= plain);
}

UNIT_MAIN("emulated event interface on the wire", {"capability of a CRU", capability_of_a_cru},
	  {"capability of a C-RORC", capability_of_a_crorc},
	  {"plain cards have none", plain_cards_have_none},
	  {"fewer vectors, or none", fewer_or_none}, {"MSI-X", by_msix}, {"MSI", by_msi},
	  {"mappings are checked", mappings_are_checked}, {"sets of vectors", sets_of_vectors},
	  {"the host goes", host_goes}, {"not slower than the plain card", not_slower})
