/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vfio-user client over a socket pair that behaves as QEMU, for tests of the emulated card from
 * the socket to guest memory, including engine threads. One card at a time: begin() and end().
 */
#ifndef ROC_UNIT_EMU_CLIENT_H
#define ROC_UNIT_EMU_CLIENT_H

#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <linux/pci_regs.h>

#include "kmod/cards/cru/cru_regs.h"
#include "tests/emu/server/emu.h"
#include "unit.h"

#ifndef CLIENT_CARD
#define CLIENT_CARD cru_card
#endif

/* Limit for operations that take milliseconds, also on a busy machine. */
#define LIMIT_MS 15000
#define MEMORY (8u << 20)
#define BASE 0x180000000ull
#define PAGES 16
#define BYTES (PAGES * CRU_PAGE_SIZE)

static struct {
	struct emu *emu;
	struct function *f;
	pthread_t thread;
	int fd; /* the client's end */
	int server_fd;
	uint16_t id;
	int memory_fd;
	uint8_t *memory;
	struct vu_header head; /* of the last reply */
	uint8_t body[8192];
} vu;

__attribute__((unused)) static void *serve(void *arg)
{
	vfio_user_serve(vu.f, vu.server_fd);
	return NULL;
}

/* Create a client that has sent no message yet. */
__attribute__((unused)) static void connect_silent(void)
{
	int fds[2];

	UNIT_NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	vu.fd = fds[0];
	vu.server_fd = fds[1];
	UNIT_NEED(!pthread_create(&vu.thread, NULL, serve, NULL));
}

__attribute__((unused)) static void disconnect_client(void)
{
	close(vu.fd);
	pthread_join(vu.thread, NULL);
}

__attribute__((unused)) static void send_request(uint16_t command, uint32_t flags, const void *body,
						 uint32_t len, int fd)
{
	struct vu_header head = {
		.id = ++vu.id,
		.command = command,
		.size = sizeof(head) + len,
		.flags = flags,
	};
	char control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec iov[2] = {{&head, sizeof(head)}, {(void *)body, len}};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};

	if (fd >= 0) {
		struct cmsghdr *c;

		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	UNIT_NEED(sendmsg(vu.fd, &msg, MSG_NOSIGNAL) == (ssize_t)head.size);
}

__attribute__((unused)) static void take(void *data, size_t len)
{
	struct pollfd p = {.fd = vu.fd, .events = POLLIN};
	ssize_t n;

	while (len) {
		UNIT_NEED(poll(&p, 1, LIMIT_MS) == 1);
		n = recv(vu.fd, data, len, 0);
		UNIT_NEED(n > 0);
		data = (char *)data + n;
		len -= n;
	}
}

/* Send a command and wait for the answer. Returns 0 or its error number. The body is in vu.body. */
__attribute__((unused)) static int ask(uint16_t command, const void *body, uint32_t len, int fd)
{
	send_request(command, 0, body, len, fd);
	take(&vu.head, sizeof(vu.head));
	UNIT_NEED(vu.head.size >= sizeof(vu.head) &&
		  vu.head.size - sizeof(vu.head) <= sizeof(vu.body));
	take(vu.body, vu.head.size - sizeof(vu.head));
	UNIT_EQ(vu.head.id, vu.id);
	UNIT_EQ(vu.head.command, command);
	UNIT_EQ(vu.head.flags & VU_TYPE, VU_REPLY);
	return vu.head.flags & VU_ERROR ? vu.head.error : 0;
}

/* Send the version message, which every client sends first. */
__attribute__((unused)) static void connect_client(void)
{
	struct vu_version version = {0};

	connect_silent();
	UNIT_EQ(ask(VU_VERSION, &version, sizeof(version), -1), 0);
}

__attribute__((unused)) static int map_region(uint64_t addr, uint64_t size, uint64_t offset, int fd,
					      uint32_t flags)
{
	struct vu_dma_map map = {
		.argsz = sizeof(map),
		.flags = flags,
		.offset = offset,
		.address = addr,
		.size = size,
	};

	return ask(VU_DMA_MAP, &map, sizeof(map), fd);
}

__attribute__((unused)) static int unmap_region(uint64_t addr, uint64_t size, uint32_t flags)
{
	struct vu_dma_unmap unmap = {
		.argsz = sizeof(unmap),
		.flags = flags,
		.address = addr,
		.size = size,
	};

	return ask(VU_DMA_UNMAP, &unmap, sizeof(unmap), -1);
}

__attribute__((unused)) static int region_read(uint32_t region, uint64_t offset, void *data,
					       uint32_t count)
{
	struct vu_region_access a = {.offset = offset, .region = region, .count = count};
	int rc = ask(VU_REGION_READ, &a, sizeof(a), -1);

	if (!rc) {
		UNIT_EQ(vu.head.size, sizeof(vu.head) + sizeof(a) + count);
		memcpy(data, vu.body + sizeof(a), count);
	}
	return rc;
}

__attribute__((unused)) static void region_write(uint32_t flags, uint32_t region, uint64_t offset,
						 const void *data, uint32_t count)
{
	uint8_t buffer[sizeof(struct vu_region_access) + 64];
	struct vu_region_access a = {.offset = offset, .region = region, .count = count};

	memcpy(buffer, &a, sizeof(a));
	memcpy(buffer + sizeof(a), data, count);
	send_request(VU_REGION_WRITE, flags, buffer, sizeof(a) + count, -1);
	if (flags & VU_NO_REPLY)
		return;
	take(&vu.head, sizeof(vu.head));
	take(vu.body, vu.head.size - sizeof(vu.head));
	UNIT_EQ(vu.head.id, vu.id);
	UNIT_EQ(vu.head.flags, VU_REPLY);
}

__attribute__((unused)) static uint32_t bar_read(uint32_t bar, uint32_t off)
{
	uint32_t value = 0;

	UNIT_EQ(region_read(bar, off, &value, 4), 0);
	return value;
}

/* A posted write, as QEMU does it. */
__attribute__((unused)) static void bar_write(uint32_t bar, uint32_t off, uint32_t value)
{
	region_write(VU_NO_REPLY, bar, off, &value, 4);
}

__attribute__((unused)) static uint32_t config(uint32_t off, uint32_t len)
{
	uint32_t value = 0;

	UNIT_EQ(region_read(VFIO_PCI_CONFIG_REGION_INDEX, off, &value, len), 0);
	return value;
}

__attribute__((unused)) static void config_set(uint32_t off, uint32_t value, uint32_t len)
{
	region_write(0, VFIO_PCI_CONFIG_REGION_INDEX, off, &value, len);
}

/* Offset of a capability in the first 256 bytes; 0: the card has none of this id. */
__attribute__((unused)) static uint32_t old_capability(uint8_t id)
{
	uint32_t at = config(PCI_CAPABILITY_LIST, 1);

	for (; at; at = config(at + 1, 1)) {
		if (config(at, 1) == id)
			return at;
	}
	return 0;
}

/* Start the card in vu.emu; make guest memory and connect to the first function. */
__attribute__((unused)) static void begin_guest(void)
{
	UNIT_NEED(!emu_start(vu.emu));
	vu.f = &vu.emu->fn[0];
	vu.memory_fd = memfd_create("guest", 0);
	UNIT_NEED(vu.memory_fd >= 0 && !ftruncate(vu.memory_fd, MEMORY));
	vu.memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, vu.memory_fd, 0);
	UNIT_NEED(vu.memory != MAP_FAILED);
	connect_client();
}

__attribute__((unused)) static void begin(void)
{
	memset(&vu, 0, sizeof(vu));
	vu.emu = emu_create(&CLIENT_CARD);
	UNIT_NEED(vu.emu);
	begin_guest();
}

__attribute__((unused)) static void end(void)
{
	disconnect_client();
	emu_destroy(vu.emu);
	munmap(vu.memory, MEMORY);
	close(vu.memory_fd);
}

#define RW (VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE)

/* Map the memory, enable decoding and bus mastering, and start the internal generator. */
__attribute__((unused)) static void begin_dma(void)
{
	begin();
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	bar_write(0, CRU_DATA_SOURCE, CRU_DATA_SOURCE_INTERNAL);
	bar_write(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	bar_write(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
}

__attribute__((unused)) static void push(uint64_t addr, uint32_t pages)
{
	bar_write(0, CRU_SP_HIGH(0), addr >> 32);
	bar_write(0, CRU_SP_LOW(0), addr);
	bar_write(0, CRU_SP_PUSH(0), pages);
}

/* The descriptor with which the server signals a vector; -1: none. */
__attribute__((unused)) static int irq_fd(uint32_t index, unsigned int vector)
{
	int fd;

	function_lock(vu.f);
	fd = vu.f->irq[index][vector].fd;
	function_unlock(vu.f, false);
	return fd;
}

__attribute__((unused)) static uint64_t counted(const char *name)
{
	struct json j = {0};
	char find[40];
	const char *at;
	uint64_t value = -1;

	control_run(vu.emu, "counts 0", &j);
	snprintf(find, sizeof(find), "\"%s\":", name);
	at = strstr(j.text, find);
	if (at)
		value = strtoull(at + strlen(find), NULL, 10);
	json_free(&j);
	return value;
}

/* Check that the answer to a control line contains a text. */
__attribute__((unused)) static bool replies(const char *line, const char *text)
{
	struct json j = {0};
	bool found;

	control_run(vu.emu, line, &j);
	found = j.text && strstr(j.text, text);
	if (!found)
		unit_note("'%s' without '%s': %.300s", line, text, j.text);
	json_free(&j);
	return found;
}

#endif /* ROC_UNIT_EMU_CLIENT_H */
