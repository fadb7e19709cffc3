// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Concurrent load: clients of both endpoints map, access, reset, disconnect and reconnect; control
 * clients set keys and faults and read counts; engines write. The card must answer all of them, and
 * end on request. Built with the thread sanitizer the test detects races as well:
 *
 *	make unit O=build/tsan CFLAGS='-O1 -g -fsanitize=thread' UNIT=emu_storm
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include <linux/pci_regs.h>

#include "kmod/cards/crorc/crorc_regs.h"
#include "kmod/cards/cru/cru_regs.h"
#include "emu_process.h"

#define SECONDS 0.8
#define CONTROLLERS 3
#define MEMORY (8u << 20)
#define BASE 0x180000000ull
#define LINE 64

/* Errors are counted, because CUnit supports one thread only. */
static struct {
	unsigned int endpoints;
	int memory;
	atomic_bool over;
	atomic_uint answers, lines, unanswered, wrong;
} storm;

static uint32_t any(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525 + 1013904223;
	return (uint64_t)*state * below >> 32;
}

struct caller {
	uint32_t state; /* of its dice */
	unsigned int ep;
	int fd;
	pthread_t thread;
	uint16_t id;
};

static bool read_all(int fd, void *data, size_t len)
{
	while (len) {
		ssize_t n = recv(fd, data, len, 0);

		if (n <= 0) {
			if (n < 0 && errno == EAGAIN)
				atomic_fetch_add(&storm.unanswered, 1);
			return false;
		}
		data = (char *)data + n;
		len -= n;
	}
	return true;
}

/* False: the connection is closed, as after the fault vanish. */
static bool call(struct caller *c, uint16_t command, const void *body, uint32_t len, int pass)
{
	struct vu_header head = {.id = ++c->id, .command = command, .size = sizeof(head) + len};
	char space[CMSG_SPACE(sizeof(int))] = {0}, answer[256];
	struct iovec iov[2] = {{&head, sizeof(head)}, {(void *)body, len}};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};

	if (pass >= 0) {
		struct cmsghdr *m;

		msg.msg_control = space;
		msg.msg_controllen = sizeof(space);
		m = CMSG_FIRSTHDR(&msg);
		*m = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(m), &pass, sizeof(pass));
	}
	if (sendmsg(c->fd, &msg, MSG_NOSIGNAL) != (ssize_t)head.size ||
	    !read_all(c->fd, &head, sizeof(head)))
		return false;
	atomic_fetch_add(&storm.answers, 1);
	if (head.id != c->id || head.command != command ||
	    head.size - sizeof(head) > sizeof(answer)) {
		atomic_fetch_add(&storm.wrong, 1);
		return false;
	}
	return read_all(c->fd, answer, head.size - sizeof(head));
}

static bool access_region(struct caller *c, uint32_t index, uint64_t off, const uint32_t *value,
			  uint32_t count)
{
	UNIT_WITH_BYTES(struct vu_region_access, a, 4)
	m = {.a = {.offset = off, .region = index, .count = count}};

	if (value)
		memcpy(m.a.data, value, sizeof(*value));
	return call(c, value ? VU_REGION_WRITE : VU_REGION_READ, &m,
		    sizeof(m.a) + (value ? count : 0), -1);
}

static bool map(struct caller *c, bool there)
{
	struct vu_dma_map m = {.argsz = sizeof(m), .flags = 3, .address = BASE, .size = MEMORY};
	struct vu_dma_unmap u = {.argsz = sizeof(u), .address = BASE, .size = MEMORY};

	return there ? call(c, VU_DMA_MAP, &m, sizeof(m), storm.memory)
		     : call(c, VU_DMA_UNMAP, &u, sizeof(u), -1);
}

static bool trigger(struct caller *c)
{
	struct vfio_irq_set set = {.argsz = sizeof(set), .count = 1};
	int fd = -1;
	bool ok;

	set.index = any(&c->state, 2) ? VFIO_PCI_INTX_IRQ_INDEX : VFIO_PCI_MSIX_IRQ_INDEX;
	set.flags = VFIO_IRQ_SET_ACTION_TRIGGER | VFIO_IRQ_SET_DATA_NONE;
	if (any(&c->state, 2)) {
		set.flags = VFIO_IRQ_SET_ACTION_TRIGGER | VFIO_IRQ_SET_DATA_EVENTFD;
		fd = eventfd(0, any(&c->state, 2) ? EFD_NONBLOCK : 0);
	}
	ok = call(c, VU_SET_IRQS, &set, sizeof(set), fd);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Superpages of a CRU and of a C-RORC; a few are outside every mapping. */
static bool push_some(struct caller *c)
{
	uint64_t addr = BASE + any(&c->state, 66) * 0x20000ull;
	uint32_t link = any(&c->state, 4);
	uint32_t words[4] = {addr >> 32, (uint32_t)addr, 16, 1};

	if (storm.endpoints == 2)
		return access_region(c, 0, CRU_SP_HIGH(link), &words[0], 4) &&
		       access_region(c, 0, CRU_SP_LOW(link), &words[1], 4) &&
		       access_region(c, 0, CRU_SP_PUSH(link), &words[2], 4);
	words[2] = 0x20000;
	return access_region(c, link, CRORC_SP_HIGH, &words[0], 4) &&
	       access_region(c, link, CRORC_SP_LOW, &words[1], 4) &&
	       access_region(c, link, CRORC_SP_SIZE, &words[2], 4);
}

static bool begin_dma(struct caller *c)
{
	uint32_t source = any(&c->state, 2) ? CRU_DATA_SOURCE_INTERNAL : CRU_DATA_SOURCE_DATAPATH;
	uint32_t go = CRU_DMA_CONTROL_START, reset = CRU_RESET_GENERAL;
	uint32_t csr = CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK, run = CRORC_GENERATOR_RUN;
	uint32_t channel = any(&c->state, 4), done[2] = {BASE >> 32, (uint32_t)BASE};

	if (storm.endpoints == 1)
		return access_region(c, channel, CRORC_DONE_HIGH, &done[0], 4) &&
		       access_region(c, channel, CRORC_DONE_LOW, &done[1], 4) &&
		       access_region(c, channel, CRORC_CHAN_CSR, &csr, 4) &&
		       access_region(c, channel, CRORC_GENERATOR, &run, 4);
	return access_region(c, 0, CRU_DATA_SOURCE, &source, 4) &&
	       access_region(c, 0, CRU_RESET_CONTROL, &reset, 4) &&
	       access_region(c, 0, CRU_DMA_CONTROL, &go, 4);
}

static bool do_something(struct caller *c)
{
	uint32_t value = any(&c->state, ~0u);
	uint32_t on = PCI_COMMAND_MEMORY | (any(&c->state, 4) ? PCI_COMMAND_MASTER : 0);
	uint32_t bar = storm.endpoints == 2 ? 2 * any(&c->state, 2) : any(&c->state, 6);
	uint32_t size = storm.endpoints == 1 ? 0x1000 : bar ? 0x1000000 : 0x10000;

	switch (any(&c->state, 40)) {
	case 0:
		return access_region(c, VFIO_PCI_CONFIG_REGION_INDEX, PCI_COMMAND, &on, 2);
	case 1:
		return map(c, false);
	case 2:
		return map(c, true);
	case 3:
		return trigger(c);
	case 4:
		return any(&c->state, 8) || call(c, VU_DEVICE_RESET, NULL, 0, -1);
	case 5:
		if (any(&c->state, 8))
			return true;
		return !ftruncate(storm.memory, any(&c->state, 3) ? MEMORY : 0);
	case 6 ... 8:
		return begin_dma(c);
	case 9 ... 20:
		return push_some(c);
	case 21 ... 24:
		return access_region(c, bar, any(&c->state, 0x1000) & ~3u, &value, 4);
	case 25 ... 27:
		return access_region(c, bar, any(&c->state, size) & ~3u, &value, 4);
	default:
		return access_region(c, bar, any(&c->state, size) & ~3u, NULL, 4);
	}
}

static int try_dial(const char *name)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct timeval limit = {.tv_sec = LIMIT_MS / 1000};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/%s", emu.dir, name);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		atomic_fetch_add(&storm.unanswered, 1);
		close(fd);
		return -1;
	}
	return fd;
}

/* A guest that connects, works for a while, and disconnects. */
static void *guest(void *arg)
{
	const uint32_t on = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
	struct caller *c = arg;
	char name[16];
	unsigned int i, n;

	snprintf(name, sizeof(name), "ep%u.sock", c->ep);
	while (!atomic_load(&storm.over)) {
		struct vu_version version = {0};

		c->fd = try_dial(name);
		if (c->fd < 0)
			return NULL;
		n = any(&c->state, 2000);
		if (call(c, VU_VERSION, &version, sizeof(version), -1) && map(c, true) &&
		    access_region(c, VFIO_PCI_CONFIG_REGION_INDEX, PCI_COMMAND, &on, 2)) {
			for (i = 0; i < n && !atomic_load(&storm.over) && do_something(c); i++)
				;
		}
		/* Disconnect in the middle of a message. */
		send(c->fd, &version, any(&c->state, sizeof(version)), MSG_NOSIGNAL);
		close(c->fd);
	}
	return NULL;
}

static const char *const lines[] = {
	"info",
	"counts",
	"counts 0",
	"clear",
	"mmio 0",
	"trace 0 start",
	"trace 0 stop",
	"faults",
	"peek 0 0 0x200",
	"poke 0 0 0x410 7",
	"get rate",
	"set rate 100000000",
	"set rate 0",
	"set packet 4096",
	"set packet 8128",
	"fault 0 stall 1",
	"fault 0 clear",
	"fault 0 vanish",
	"fault 0 clear",
	"fault 0 all-ones",
	"fault 0 clear",
	"set recycle on",
	"set recycle off",
	"set stamp on",
	"set stamp off",
	"fault 0 late-completion 1 1",
	"fault 0 reset-ignored 1",
	"fault 0 flip 1 3",
	"fault 0 clear",
	"counts",
	"nonsense \xff",
};

/* The answer is an object on one line. */
static bool one_line(struct caller *c)
{
	static const unsigned int count = sizeof(lines) / sizeof(lines[0]);
	char line[LINE], first, last, byte;
	int n = snprintf(line, sizeof(line), "%s\n", lines[any(&c->state, count)]);

	if (send(c->fd, line, n, MSG_NOSIGNAL) != n || !read_all(c->fd, &first, 1)) {
		atomic_fetch_add(&storm.wrong, 1);
		return false;
	}
	for (last = byte = first; byte != '\n';) {
		last = byte;
		if (!read_all(c->fd, &byte, 1))
			return false;
	}
	atomic_fetch_add(&storm.wrong, first != '{' || last != '}');
	atomic_fetch_add(&storm.lines, 1);
	return true;
}

/* A control client. */
static void *controller(void *arg)
{
	struct caller *c = arg;

	while (!atomic_load(&storm.over)) {
		unsigned int i, n = any(&c->state, 500);

		c->fd = try_dial("ctl.sock");
		if (c->fd < 0)
			return NULL;
		for (i = 0; i < n && !atomic_load(&storm.over) && one_line(c); i++)
			;
		close(c->fd);
	}
	return NULL;
}

static void all_at_once(const char *card, unsigned int endpoints, const char *const *extra)
{
	struct caller callers[2 + CONTROLLERS] = {0};
	unsigned int i, n = endpoints + CONTROLLERS;
	int ctl, status;

	memset(&storm, 0, sizeof(storm));
	storm.endpoints = endpoints;
	storm.memory = memfd_create("guest", MFD_CLOEXEC);
	UNIT_NEED(storm.memory >= 0 && !ftruncate(storm.memory, MEMORY));
	start_card(card, extra);
	UNIT_NEED(wait_ready());
	for (i = 0; i < n; i++) {
		callers[i].state = i + 1;
		callers[i].ep = i;
		UNIT_NEED(!pthread_create(&callers[i].thread, NULL,
					  i < endpoints ? guest : controller, &callers[i]));
	}
	usleep(SECONDS * 1e6);
	/* Run longer on machines where too little happened. */
	UNIT_WAIT(storm.answers > 100 && storm.lines > 10, LIMIT_MS);
	atomic_store(&storm.over, true);
	for (i = 0; i < n; i++)
		pthread_join(callers[i].thread, NULL);
	unit_note("%u messages, %u lines", storm.answers, storm.lines);
	CU_ASSERT(storm.answers > 100);
	CU_ASSERT(storm.lines > 10);
	UNIT_EQ(storm.unanswered, 0);
	UNIT_EQ(storm.wrong, 0);
	ctl = dial("ctl.sock");
	UNIT_STR(control(ctl, "quit\n"), "{\"ok\":true}");
	/* DMA may have been outside, or in truncated memory. */
	status = ended();
	CU_ASSERT(status == 0 || status == 2 || status == 3);
	unit_note("it ended with %d", status);
	close(ctl);
	close(storm.memory);
	clean();
}

static void cru(void)
{
	all_at_once("cru", 2, NULL);
}

static void cru_with_events(void)
{
	static const char *const extra[] = {"--events", NULL};

	all_at_once("cru", 2, extra);
}

static void crorc(void)
{
	all_at_once("crorc", 1, NULL);
}

UNIT_MAIN("everybody at once", {"CRU", cru}, {"CRU with events", cru_with_events},
	  {"C-RORC", crorc})
