// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test a stream's ring as a dma-buf: a second device reads the same bytes while the card writes.
 * The dma-buf outlives the close, but not the card.
 */
#include "common/case.h"
#include "common/dmabuf.h"

#include <endian.h>
#include <sys/mman.h>

#include "kmod/cards/p40/p40_regs.h"
#include "kmod/stream/stream_regs.h"

#define ID "4001:0"
#define PAGE 4096ul
#define RING (256ull * KIB)
#define LIMIT_MS 10000

/* Descriptor of the test module's node, for the whole program. */
static int node;

/* The main stream, and a second device that has its ring. */
struct shared {
	int ch;
	uint8_t *ring; /* twice */
	uint8_t *control;
	uint32_t read;	  /* lines */
	uint64_t wrapped; /* reads across the ring's end */
	int fd;
	int id;
	uint8_t *view;
	int64_t pinned;
};

/* Endless fragments of these sizes from a generator that was off; @max 0 leaves it off. */
static void generate(uint32_t min, uint32_t max)
{
	const struct {
		uint32_t offset, value;
	} settings[] = {
		{STREAM_SET_GENERATOR, 0},
		{STREAM_SET_RATE, 0},
		{STREAM_SET_LIMIT, 0},
		{STREAM_SET_LIMIT + 4, 0},
		{STREAM_SET_SIZE_MIN, min},
		{STREAM_SET_SIZE_MAX, max},
		{STREAM_SET_GENERATOR, STREAM_GENERATOR_RUN | STREAM_GENERATOR_DISTRIBUTED}};
	int ep = node_open(ID, -1);
	size_t i;

	for (i = 0; i < (max ? N(settings) : 1); i++)
		UNIT_EQ(reg_write(ep, P40_BAR_CARD, P40_SETTINGS(0) + settings[i].offset,
				  settings[i].value),
			0);
	close(ep);
}

static bool share(struct shared *s)
{
	struct roc_st_ring made = {.size = sizeof(made), .length = RING};
	struct roc_buf_export e;

	*s = (struct shared){.ch = node_open(ID, 0), .pinned = pinned_by(0), .view = malloc(RING)};
	generate(0, 0);
	if (abi(s->ch, ROC_ST_RING, &made))
		return false;
	s->ring = mmap(NULL, made.ring_length, PROT_READ, MAP_SHARED, s->ch, made.ring_offset);
	s->control =
		mmap(NULL, made.control_length, PROT_READ, MAP_SHARED, s->ch, made.control_offset);
	if (s->ring == MAP_FAILED || s->control == MAP_FAILED ||
	    buffer_export(s->ch, 0, ROC_EXPORT_CLOEXEC, &e))
		return false;
	s->fd = e.fd;
	s->id = dmabuf_take(node, dmabuf_device(), s->fd, true);
	return s->id > 0 && !dmabuf_map_for(node, s->id);
}

static void leave(struct shared *s)
{
	munmap(s->ring, 2 * RING);
	munmap(s->control, 2 * PAGE);
	close(s->ch);
	s->ch = -1;
}

/* No user is left: the ring is freed. */
static void unshare(struct shared *s)
{
	dmabuf_drop(node, s->id);
	close(s->fd);
	CU_ASSERT(UNIT_WAIT(pinned_by(0) == s->pinned, LIMIT_MS));
	free(s->view);
}

static bool start(struct shared *s)
{
	struct roc_st_start arg = {.size = sizeof(arg)};

	s->read = 0;
	return !abi(s->ch, ROC_ST_START, &arg);
}

/* Number of unread lines; sleeps until there are some. 0: none came. */
static uint32_t there(struct shared *s, unsigned int ms)
{
	struct roc_st_wait w = {.size = sizeof(w), .position = s->read + 1};
	const struct roc_st_state *state = (void *)(s->control + PAGE);

	w.deadline = now_ns() + limit_ms(ms) * 1000000ull;
	if (abi(s->ch, ROC_ST_WAIT, &w))
		return 0;
	return le32toh(__atomic_load_n(&state->written, __ATOMIC_ACQUIRE)) - s->read;
}

/* The device reads the same bytes of these lines as the test does, across the ring's end, too. */
static bool same(struct shared *s, uint32_t lines)
{
	uint64_t at = (uint64_t)s->read * ROC_ST_LINE % RING,
		 length = (uint64_t)lines * ROC_ST_LINE;
	uint64_t first = length < RING - at ? length : RING - at;

	memset(s->view, 0, length);
	s->wrapped += first < length;
	return !dmabuf_read(node, s->id, at, s->view, first) &&
	       (first == length || !dmabuf_read(node, s->id, 0, s->view + first, length - first)) &&
	       !memcmp(s->view, s->ring + at, length);
}

static bool give_back(struct shared *s, uint32_t lines)
{
	struct roc_st_consume c = {.size = sizeof(c), .lines = lines};

	s->read += lines;
	return !abi(s->ch, ROC_ST_CONSUME, &c);
}

/* Until so many lines came; the device must read each as the test does before it is consumed. */
static bool flows(struct shared *s, uint32_t lines)
{
	uint32_t n;

	while (s->read < lines) {
		n = there(s, LIMIT_MS);
		if (!n)
			break;
		if (!same(s, n)) {
			unit_note("the device reads other data in %u lines from %u on", n, s->read);
			return false;
		}
		if (!give_back(s, n))
			break;
	}
	return s->read >= lines;
}

static void ring_seen(void)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};
	struct shared s;

	UNIT_NEED(share(&s));
	UNIT_NEED(start(&s));
	generate(1, 3000);
	CU_ASSERT(flows(&s, 8 * RING / ROC_ST_LINE));
	UNIT_EQ(abi(s.ch, ROC_ST_STOP, &stop), 0);
	CU_ASSERT(flows(&s, stop.position));
	CU_ASSERT(s.wrapped > 0);
	UNIT_EQ(dmabuf_moves(node, s.id), 0);
	leave(&s);
	unshare(&s);
}

static void refused(void)
{
	struct roc_st_ring made = {.size = sizeof(made), .length = RING};
	struct roc_buf_export e;
	int ch = node_open(ID, 0);

	UNIT_EQ(buffer_export(ch, 0, 0, &e), -EPIPE);
	UNIT_EQ(buffer_export(ch, 1, 0, &e), -ENOENT);
	UNIT_EQ(abi(ch, ROC_ST_RING, &made), 0);
	UNIT_EQ(buffer_export(ch, 1, 0, &e), -ENOENT);
	UNIT_EQ(buffer_export(ch, 0, 4, &e), -EINVAL);
	UNIT_EQ(buffer_export(ch, 0, ROC_EXPORT_WRITE, &e), 0);
	close(e.fd);
	close(ch);
}

/* The stream is closed in full flow, and then the card is removed. */
static void ring_outlives_close(void)
{
	char address[ROC_TEXT_MAX];
	uint8_t *memory, *before = malloc(RING);
	struct shared s;

	strcpy(address, pci_address(ID));
	UNIT_NEED(share(&s));
	memory = mmap(NULL, RING, PROT_READ, MAP_SHARED, s.fd, 0);
	UNIT_NEED(memory != MAP_FAILED);
	UNIT_NEED(start(&s));
	generate(500, 501);
	CU_ASSERT(flows(&s, RING / ROC_ST_LINE));
	leave(&s);
	/*
	 * The stream is free and its ring still allocated, and the card does not write there any
	 * more.
	 */
	CU_ASSERT(pinned_by(0) - s.pinned >= (int64_t)(RING / PAGE));
	memcpy(before, memory, RING);
	UNIT_EQ(dmabuf_read(node, s.id, 0, s.view, RING), 0);
	CU_ASSERT(!memcmp(s.view, before, RING));
	sleep_ms(50);
	CU_ASSERT(!memcmp(memory, before, RING));
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(dmabuf_moves(node, s.id), 1);
	UNIT_EQ(dmabuf_read(node, s.id, 0, s.view, RING), -ENODEV);
	CU_ASSERT(!memcmp(memory, before, RING));
	munmap(memory, RING);
	unshare(&s);
	UNIT_NEED(driver_bind(address));
	free(before);
}

/* In full flow, with the ring open and mapped. */
static void ring_ends_with_card(void)
{
	char address[ROC_TEXT_MAX];
	struct shared s;

	strcpy(address, pci_address(ID));
	UNIT_NEED(share(&s));
	UNIT_NEED(start(&s));
	generate(500, 501);
	CU_ASSERT(flows(&s, RING / ROC_ST_LINE));
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(dmabuf_moves(node, s.id), 1);
	UNIT_EQ(dmabuf_read(node, s.id, 0, s.view, PAGE), -ENODEV);
	UNIT_EQ(dmabuf_take(node, dmabuf_device(), s.fd, false), -ENODEV);
	memcpy(s.view, s.ring, RING);
	sleep_ms(50);
	CU_ASSERT(!memcmp(s.view, s.ring, RING));
	leave(&s);
	unshare(&s);
	UNIT_NEED(driver_bind(address));
}

static void nothing_left(void)
{
	UNIT_EQ(dmabuf_living(node).imports, 0);
	close(node);
	UNIT_EQ(dmabuf_unload(), 0);
}

static void begin(void)
{
	node = dmabuf_open();
}

UNIT_MAIN("stream_dmabuf", {"begin", begin}, {"ring seen by another device", ring_seen},
	  {"what is refused", refused}, {"ring outlives close", ring_outlives_close},
	  {"ring ends with the card", ring_ends_with_card}, {"nothing is left", nothing_left})
