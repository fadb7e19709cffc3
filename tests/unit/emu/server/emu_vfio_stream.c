// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stream of vfio-user messages: however it is split, each message is read whole and gets the
 * file descriptors that it was sent with.
 */
#include "emu_client.h"

#define FILES 4
#define CAPACITY 32768
#define MAPS 64
#define PAGE 4096u
#define SCRATCH 0xff /* bits of that register */

/* Messages to be sent, and the bytes with which descriptors go. */
static struct {
	uint8_t bytes[CAPACITY];
	size_t len;
	struct {
		size_t at; /* the message begins there */
		int file;  /* -1: none */
		uint64_t address;
	} map[MAPS];
	unsigned int maps;
	uint64_t writes;
	int file[FILES];
} stream;

static void stream_begin(void)
{
	const struct timeval limit = {.tv_sec = LIMIT_MS / 1000};
	unsigned int i;

	memset(&stream, 0, sizeof(stream));
	for (i = 0; i < FILES; i++) {
		stream.file[i] = memfd_create("file", 0);
		UNIT_NEED(stream.file[i] >= 0 && !ftruncate(stream.file[i], PAGE));
		UNIT_NEED(pwrite(stream.file[i], &i, sizeof(i), 0) == sizeof(i));
	}
	begin();
	/* A server that waits for more bytes would wait forever. */
	UNIT_NEED(!setsockopt(vu.fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)));
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
}

static void stream_end(void)
{
	unsigned int i;

	end();
	for (i = 0; i < FILES; i++)
		close(stream.file[i]);
}

static void add(uint16_t command, uint32_t flags, const void *body, uint32_t len)
{
	struct vu_header head = {
		.id = ++vu.id,
		.command = command,
		.size = sizeof(head) + len,
		.flags = flags,
	};

	UNIT_NEED(stream.len + head.size <= CAPACITY);
	memcpy(stream.bytes + stream.len, &head, sizeof(head));
	if (len)
		memcpy(stream.bytes + stream.len + sizeof(head), body, len);
	stream.len += head.size;
}

static void add_write(void)
{
	UNIT_WITH_BYTES(struct vu_region_access, a, 4)
	w = {.a = {.offset = CRU_SCRATCH, .count = 4}};
	const uint32_t value = ++stream.writes & SCRATCH;

	memcpy(w.a.data, &value, sizeof(value));
	add(VU_REGION_WRITE, VU_NO_REPLY, &w, sizeof(w.a) + 4);
}

static void add_map(int file)
{
	struct vu_dma_map map = {
		.argsz = sizeof(map),
		.flags = RW,
		.address = BASE + stream.maps * 2ull * PAGE,
		.size = PAGE,
	};

	UNIT_NEED(stream.maps < MAPS);
	stream.map[stream.maps].at = stream.len;
	stream.map[stream.maps].file = file;
	stream.map[stream.maps++].address = map.address;
	add(VU_DMA_MAP, VU_NO_REPLY, &map, sizeof(map));
}

static void add_irqs_off(void)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER,
	};

	add(VU_SET_IRQS, VU_NO_REPLY, &set, sizeof(set));
}

static void send_bytes(size_t from, size_t to, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec iov = {stream.bytes + from, to - from};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		struct cmsghdr *c;

		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		*c = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	UNIT_NEED(sendmsg(vu.fd, &msg, MSG_NOSIGNAL) == (ssize_t)(to - from));
}

/* The descriptor that goes with the bytes from @at on, and the position of the next one. */
static int file_at(size_t at, size_t *next)
{
	unsigned int i;
	int fd = -1;

	*next = stream.len;
	for (i = 0; i < stream.maps; i++) {
		if (stream.map[i].at == at && stream.map[i].file >= 0)
			fd = stream.file[stream.map[i].file];
		if (stream.map[i].at > at && stream.map[i].at < *next)
			*next = stream.map[i].at;
	}
	return fd;
}

/* Send in pieces of @pieces bytes each, one after the other; descriptors go with their messages. */
static void send_stream(const size_t *pieces, unsigned int count)
{
	size_t at = 0, next;
	unsigned int i;

	for (i = 0; at < stream.len; i++) {
		size_t to = at + pieces[i % count];
		int fd = file_at(at, &next);

		if (to > next)
			to = next;
		send_bytes(at, to, fd);
		at = to;
	}
}

/* The content identifies the mapped file; -1: not accessible. */
static int file_mapped(uint64_t address)
{
	size_t len = sizeof(uint32_t);
	void *ptr;

	if (!dma_lookup_read(&vu.f->dma, address, &len, &ptr))
		return -1;
	return *(uint32_t *)ptr;
}

/* Every map of the stream exists with its own memory, and every write was done in order. */
static void arrived(void)
{
	unsigned int i, wrong = 0;

	UNIT_EQ(bar_read(0, CRU_SCRATCH), stream.writes & SCRATCH);
	UNIT_EQ(counted("mmio_writes"), stream.writes);
	UNIT_EQ(counted("mappings"), stream.maps);
	function_lock(vu.f);
	for (i = 0; i < stream.maps; i++)
		wrong += file_mapped(stream.map[i].address) != stream.map[i].file;
	function_unlock(vu.f, false);
	UNIT_EQ(wrong, 0);
	UNIT_EQ(unmap_region(0, 0, VFIO_DMA_UNMAP_FLAG_ALL), 0);
	stream.len = 0;
	stream.maps = 0;
}

/*
 * All at once: the server's handling of the first message is delayed until the last has been sent.
 */
static void gather(const size_t *pieces, unsigned int count)
{
	function_lock(vu.f);
	send_stream(pieces, count);
	function_unlock(vu.f, false);
	arrived();
}

static const size_t whole[] = {CAPACITY};

/* Any number of posted writes, then a map, then more: wherever a read ends, the file is the map's.
 */
static void file_between_writes(void)
{
	unsigned int before, i;

	stream_begin();
	for (before = 1; before <= 130; before++) {
		for (i = 0; i < before; i++)
			add_write();
		add_map(before % FILES);
		for (i = 0; i < 20; i++)
			add_write();
		gather(whole, 1);
	}
	stream_end();
}

/* A map that lost its file would cause DMA outside. */
static void dma_after_it(void)
{
	struct vu_dma_map map = {
		.argsz = sizeof(map), .flags = RW, .address = BASE, .size = MEMORY};
	uint32_t word;
	unsigned int i;

	begin_dma();
	UNIT_EQ(unmap_region(BASE, MEMORY, 0), 0);
	function_lock(vu.f);
	for (i = 0; i < 113; i++)
		bar_write(0, CRU_SCRATCH, i);
	send_request(VU_DMA_MAP, VU_NO_REPLY, &map, sizeof(map), vu.memory_fd);
	push(BASE, PAGES);
	function_unlock(vu.f, false);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 1, LIMIT_MS));
	UNIT_EQ(counted("dma_outside"), 0);
	memcpy(&word, vu.memory + BYTES - 4, 4);
	UNIT_EQ(word, BYTES / 32 - 1);
	end();
}

/* Maps with files, maps without, messages that are shorter than what is read ahead. */
static void each_its_own(void)
{
	unsigned int i;

	stream_begin();
	for (i = 0; i < MAPS; i++) {
		add_map(i % 3 ? (int)(i % FILES) : -1);
		if (i % 2)
			add(VU_DMA_MAP, VU_NO_REPLY, NULL, 0); /* no map: too short */
		if (i % 5 == 0)
			add_irqs_off();
		if (i % 7 == 0)
			add(99, VU_NO_REPLY, NULL, 0);
	}
	gather(whole, 1);
	stream_end();
}

static void in_pieces(void)
{
	static const size_t apart[] = {16, 32}, bytes[] = {1}, odd[] = {3, 50, 7, 31, 1, 100, 17};
	static const struct {
		const size_t *pieces;
		unsigned int count;
	} ways[] = {{apart, 2}, {bytes, 1}, {odd, 7}};
	unsigned int way, i;

	stream_begin();
	for (way = 0; way < 3; way++) {
		for (i = 0; i < 20; i++) {
			add_map(i % 3 ? (int)(i % FILES) : -1);
			add_map((i + 1) % FILES);
			if (i % 2)
				add_write();
		}
		add_write();
		/* Sent as a stream, and completely queued before it is read. */
		send_stream(ways[way].pieces, ways[way].count);
		arrived();
		/* Each piece takes much more space in the socket than its bytes. */
		for (i = 0; i < 2; i++) {
			add_write();
			add_map(i % FILES);
		}
		add_write();
		gather(ways[way].pieces, ways[way].count);
	}
	stream_end();
}

/* The descriptor with a later byte of its message: with the body, with the last byte. */
static void file_with_the_rest(void)
{
	static const size_t splits[] = {1, 15, 16, 17, 31, 32, 33, 47};
	unsigned int i;

	stream_begin();
	for (i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
		size_t from, to;

		add_write();
		add_map(-1);
		add_map(i % FILES);
		add_write();
		from = stream.map[1].at + splits[i];
		to = stream.map[1].at + sizeof(struct vu_header) + sizeof(struct vu_dma_map);
		function_lock(vu.f);
		send_bytes(0, from, -1);
		send_bytes(from, to, stream.file[i % FILES]);
		send_bytes(to, stream.len, -1);
		function_unlock(vu.f, false);
		arrived();
	}
	stream_end();
}

/* One sendmsg() for all of it: the descriptor is for the first message that takes any. */
static void one_for_all(void)
{
	unsigned int i, before;

	stream_begin();
	for (before = 0; before < 120; before += 7) {
		for (i = 0; i < before; i++)
			add_write();
		add_map(1);
		for (i = 0; i < 30; i++)
			add_write();
		add_map(-1);
		function_lock(vu.f);
		send_bytes(0, stream.len, stream.file[1]);
		function_unlock(vu.f, false);
		arrived();
	}
	stream_end();
}

static uint32_t state;

static uint32_t any(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

static void any_stream(void)
{
	unsigned int round, i, n;
	size_t pieces[16];

	state = 1;
	stream_begin();
	for (round = 0; round < 300; round++) {
		n = 1 + any(60);
		for (i = 0; i < n; i++) {
			switch (any(6)) {
			case 0:
				add_map(any(FILES));
				break;
			case 1:
				add_map(-1);
				break;
			case 2:
				add(99, VU_NO_REPLY, NULL, 0);
				break;
			case 3:
				add_irqs_off();
				break;
			default:
				add_write();
			}
		}
		add_write();
		for (i = 0; i < 16; i++)
			pieces[i] = any(3) ? 1 + any(120) : CAPACITY;
		if (any(2)) {
			gather(pieces, 16);
		} else {
			send_stream(pieces, 16);
			arrived();
		}
	}
	stream_end();
}

/* More descriptors than the agreed limit per message: they cannot be assigned. */
static void too_many(void)
{
	struct vu_region_access a = {.count = 4};
	struct vu_header head = {.command = VU_REGION_READ, .size = sizeof(head) + sizeof(a)};
	char control[CMSG_SPACE(sizeof(int) * (VU_MAX_FDS + 1))] = {0};
	struct iovec iov[2] = {{&head, sizeof(head)}, {&a, sizeof(a)}};
	struct msghdr msg = {
		.msg_iov = iov,
		.msg_iovlen = 2,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	unsigned int i;
	char byte;

	begin();
	*c = (struct cmsghdr){CMSG_LEN(sizeof(int) * (VU_MAX_FDS + 1)), SOL_SOCKET, SCM_RIGHTS};
	for (i = 0; i <= VU_MAX_FDS; i++)
		memcpy(CMSG_DATA(c) + i * sizeof(int), &vu.memory_fd, sizeof(int));
	UNIT_NEED(sendmsg(vu.fd, &msg, MSG_NOSIGNAL) == (ssize_t)head.size);
	UNIT_EQ(poll(&(struct pollfd){.fd = vu.fd, .events = POLLIN}, 1, LIMIT_MS), 1);
	CU_ASSERT(recv(vu.fd, &byte, 1, 0) <= 0);
	end();
}

static void discard_stderr(void)
{
	freopen("/dev/null", "w", stderr); /* refusals are logged; the test discards the lines */
}

int main(int argc, char **argv)
{
	static const struct unit_test tests[] = {
		{"a file between writes, wherever a read ends", file_between_writes},
		{"DMA after such a map", dma_after_it},
		{"each map has its own file", each_its_own},
		{"messages in pieces", in_pieces},
		{"a file that comes with the rest of its message", file_with_the_rest},
		{"one sendmsg() for many messages", one_for_all},
		{"any messages in any pieces", any_stream},
		{"too many descriptors", too_many},
	};

	discard_stderr();
	return unit_run("vfio-user stream", tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
