// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-emu as a process: its sockets, its clients, its exit. $ROC_EMU names the program.
 */
#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>

#include <linux/pci_regs.h>

#include "kmod/cards/cru/cru_regs.h"
#include "emu_process.h"

static void lives_and_quits(void)
{
	static const char *const extra[] = {"--serial", "250", "--set", "1.rate=77", NULL};
	int a, b;

	start(extra);
	UNIT_NEED(wait_ready());
	a = dial("ctl.sock");
	b = dial("ctl.sock");
	/* Two clients, lines in pieces, lines in one piece. */
	UNIT_STR(control(a, "get 1 rate\n"), "{\"ok\":true,\"key\":\"rate\",\"value\":\"77\"}");
	UNIT_EQ(send(b, "peek 0 2 0x30", 13, 0), 13);
	UNIT_STR(control(a, "get 0 rate\n"), "{\"ok\":true,\"key\":\"rate\",\"value\":\"0\"}");
	UNIT_STR(control(b, "818\nget serial\n"), "{\"ok\":true,\"value\":\"0x30353230\"}");
	UNIT_STR(control(b, NULL), "{\"ok\":true,\"key\":\"serial\",\"value\":\"0250\"}");
	/* Bytes after a NUL are lost. */
	UNIT_EQ(send(b, "set rate 5\0set rate 6\n", 22, 0), 22);
	UNIT_STR(control(b, NULL), "{\"ok\":false,\"error\":\"unknown command ''\"}");
	UNIT_STR(control(a, "get 0 rate\n"), "{\"ok\":true,\"key\":\"rate\",\"value\":\"0\"}");
	close(b);
	UNIT_STR(control(a, "quit\n"), "{\"ok\":true}");
	UNIT_EQ(ended(), 0);
	close(a);
	clean();
}

static void ends_on_signals(void)
{
	static const int signals[] = {SIGTERM, SIGINT};
	unsigned int i;

	for (i = 0; i < 2; i++) {
		start(NULL);
		UNIT_NEED(wait_ready());
		kill(emu.pid, signals[i]);
		UNIT_EQ(ended(), 0);
		clean();
	}
}

/* Its sockets must not have descriptors 0 to 2, to which it writes messages. */
static void closed_descriptors(void)
{
	char path[96], link[64], target[64];
	int fd;

	for (emu.closed = 1; emu.closed < 8; emu.closed++) {
		start(NULL);
		snprintf(path, sizeof(path), "%s/ctl.sock", emu.dir);
		CU_ASSERT_TRUE(UNIT_WAIT(!access(path, F_OK), LIMIT_MS));
		for (fd = 0; fd <= STDERR_FILENO; fd++) {
			if (!(emu.closed & 1u << fd))
				continue;
			snprintf(link, sizeof(link), "/proc/%d/fd/%d", emu.pid, fd);
			memset(target, 0, sizeof(target));
			CU_ASSERT_TRUE(readlink(link, target, sizeof(target) - 1) > 0);
			UNIT_STR(target, "/dev/null");
		}
		kill(emu.pid, SIGTERM);
		UNIT_EQ(ended(), 0);
		clean();
	}
	emu.closed = 0;
}

static void wrong_arguments(void)
{
	static const char *const extras[][4] = {
		{"--set", "nonsense=1"}, {"--set", "rate"},	    {"--set", "rate=fast"},
		{"--set", "5.rate=1"},	 {"--serial", "123456"},    {"--card", "nonsense"},
		{"--nonsense"},		 {"--dir", "/nonexistent"}, {"stray"},
	};
	unsigned int i;

	for (i = 0; i < sizeof(extras) / sizeof(extras[0]); i++) {
		start(extras[i]);
		CU_ASSERT(!wait_ready());
		UNIT_EQ(ended(), 1);
		clean();
	}
}

static void push(int fd, uint64_t addr)
{
	region(fd, 7, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	region(fd, 0, CRU_DATA_SOURCE, 1, 4);
	region(fd, 0, CRU_DMA_CONTROL, 1, 4);
	region(fd, 0, CRU_SP_HIGH(0), addr >> 32, 4);
	region(fd, 0, CRU_SP_LOW(0), addr, 4);
	region(fd, 0, CRU_SP_PUSH(0), 4, 4);
}

/* Any DMA outside every mapping is in the exit status. */
static void outside_is_remembered(void)
{
	int ep, ctl;

	start(NULL);
	UNIT_NEED(wait_ready());
	ep = dial_endpoint("ep1.sock");
	ctl = dial("ctl.sock");
	push(ep, 0x1000);
	UNIT_NEED(UNIT_WAIT(strstr(control(ctl, "counts 1\n"), "\"dma_outside\":4,"), LIMIT_MS));
	control(ctl, "clear\n");
	control(ctl, "quit\n");
	UNIT_EQ(ended(), 2);
	close(ep);
	close(ctl);
	clean();
}

/* Start it with a full pipe as stderr. The caller closes @fds. */
static void start_stderr_unread(int *fds)
{
	char page[4096] = "";

	UNIT_NEED(!pipe2(fds, O_NONBLOCK | O_CLOEXEC));
	while (write(fds[1], page, sizeof(page)) > 0)
		;
	UNIT_NEED(!fcntl(fds[1], F_SETFL, 0));
	emu.err = fds[1];
	start(NULL);
	emu.err = 0;
}

/* stderr is not read: the card continues all the same. */
static void stderr_unread(void)
{
	char page[4096];
	int fds[2], ep, ctl;

	start_stderr_unread(fds);
	UNIT_NEED(wait_ready());
	ep = dial_endpoint("ep1.sock");
	ctl = dial("ctl.sock");
	push(ep, 0x1000);
	CU_ASSERT(UNIT_WAIT(strstr(control(ctl, "counts 1\n"), "\"dma_outside\":4,"), LIMIT_MS));
	/* The line is not written later either. */
	UNIT_EQ(read(fds[0], page, sizeof(page)), sizeof(page));
	control(ctl, "quit\n");
	UNIT_EQ(ended(), 2);
	close(fds[0]);
	close(fds[1]);
	close(ep);
	close(ctl);
	clean();
}

/* The peer must close the connection; a missing answer is not enough. */
static bool disconnected(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char byte;

	return poll(&p, 1, LIMIT_MS) == 1 && recv(fd, &byte, 1, 0) <= 0;
}

static void vanish_and_return(void)
{
	struct vu_dma_map map = {
		.argsz = sizeof(map), .flags = 3, .address = 0x100000, .size = 1 << 20};
	int memory = memfd_create("guest", 0), ep, ctl;

	UNIT_NEED(memory >= 0 && !ftruncate(memory, 1 << 20));
	start(NULL);
	UNIT_NEED(wait_ready());
	ctl = dial("ctl.sock");
	ep = dial_endpoint("ep0.sock");
	request(ep, VU_DMA_MAP, 0, &map, sizeof(map), memory);
	push(ep, 0x100000);
	UNIT_NEED(UNIT_WAIT(strstr(control(ctl, "counts 0\n"), "\"superpages\":1,"), LIMIT_MS));
	UNIT_STR(control(ctl, "fault 0 vanish\n"), "{\"ok\":true}");
	CU_ASSERT(disconnected(ep));
	close(ep);
	/* No client is accepted. */
	ep = dial("ep0.sock");
	CU_ASSERT(disconnected(ep));
	close(ep);
	control(ctl, "fault 0 clear\n");
	ep = dial_endpoint("ep0.sock");
	request(ep, VU_DEVICE_RESET, 0, NULL, 0, -1);
	close(ep);
	control(ctl, "quit\n");
	UNIT_EQ(ended(), 0);
	close(ctl);
	close(memory);
	clean();
}

static int set_trigger(int ep, int fd)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		.count = 1,
	};

	return request(ep, VU_SET_IRQS, 0, &set, sizeof(set), fd);
}

static int fire(int ep)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER,
		.count = 1,
	};

	return request(ep, VU_SET_IRQS, 0, &set, sizeof(set), -1);
}

/* Run to the end of a card that was started. */
static void closes_a_pipe(void)
{
	int ep, ctl, fds[2];

	UNIT_NEED(!pipe2(fds, O_CLOEXEC));
	UNIT_NEED(wait_ready());
	ep = dial_endpoint("ep0.sock");
	ctl = dial("ctl.sock");
	UNIT_EQ(set_trigger(ep, fds[1]), 0);
	close(fds[0]);
	close(fds[1]);
	UNIT_EQ(fire(ep), 0);
	UNIT_EQ(fire(ep), 0);
	UNIT_STR(control(ctl, "get 0 rate\n"), "{\"ok\":true,\"key\":\"rate\",\"value\":\"0\"}");
	control(ctl, "quit\n");
	UNIT_EQ(ended(), 0);
	close(ep);
	close(ctl);
	clean();
}

static void closed_pipe(void)
{
	start(NULL);
	closes_a_pipe();
}

static void closed_pipe_stderr_unread(void)
{
	int fds[2];

	start_stderr_unread(fds);
	closes_a_pipe();
	close(fds[0]);
	close(fds[1]);
}

#define DESCRIPTORS 20

/*
 * Number of its descriptors below the given number, because inherited ones may be above. The spare
 * descriptor of a thread in accept() is not counted.
 */
static unsigned int descriptors(void)
{
	unsigned int n = 0;
	struct dirent *d;
	char path[40];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", emu.pid);
	dir = opendir(path);
	UNIT_NEED(dir);
	while ((d = readdir(dir)))
		n += d->d_name[0] != '.' && atoi(d->d_name) < DESCRIPTORS;
	closedir(dir);
	return n;
}

/* Connect clients until no descriptor is left: the next client must wait, without other effects. */
static void out_of_descriptors(void)
{
	static const char *const answer = "{\"ok\":true,\"key\":\"rate\",\"value\":\"0\"}";
	struct vu_dma_map map = {.argsz = sizeof(map), .flags = 3, .size = 4096};
	const struct rlimit few = {DESCRIPTORS, DESCRIPTORS};
	int memory = memfd_create("guest", 0), fd[DESCRIPTORS], ep, other, i, n = 0;
	struct pollfd p = {.events = POLLIN};

	UNIT_NEED(memory >= 0 && !ftruncate(memory, 4096));
	start(NULL);
	UNIT_NEED(wait_ready());
	UNIT_NEED(!prlimit(emu.pid, RLIMIT_NOFILE, &few, NULL));
	/*
	 * Connect at both endpoints, so that no thread there reserves a spare descriptor, now or
	 * later.
	 */
	ep = dial_endpoint("ep0.sock");
	other = dial_endpoint("ep1.sock");
	while (descriptors() < DESCRIPTORS) {
		UNIT_NEED(n < DESCRIPTORS - 1);
		fd[n] = dial("ctl.sock");
		UNIT_STR(control(fd[n++], "get 0 rate\n"), answer);
	}
	fd[n] = dial("ctl.sock");
	UNIT_NEED(send(fd[n], "get 0 rate\n", 11, MSG_NOSIGNAL) == 11);
	p.fd = fd[n++];
	UNIT_EQ(poll(&p, 1, 200), 0);
	/* A map without its file is refused; the client gets an error and stays connected. */
	UNIT_EQ(request(ep, VU_DMA_MAP, 0, &map, sizeof(map), memory), EMFILE);
	UNIT_EQ(set_trigger(ep, memory), EMFILE);
	UNIT_STR(control(fd[0], "get 0 rate\n"), answer);
	/* Clients that disconnect free descriptors. */
	for (i = 0; i < 4; i++)
		close(fd[i]);
	UNIT_STR(control(fd[n - 1], NULL), answer);
	UNIT_NEED(UNIT_WAIT(descriptors() < DESCRIPTORS - 2, LIMIT_MS));
	UNIT_EQ(request(ep, VU_DMA_MAP, 0, &map, sizeof(map), memory), 0);
	control(fd[n - 1], "quit\n");
	UNIT_EQ(ended(), 0);
	for (i = 4; i < n; i++)
		close(fd[i]);
	close(ep);
	close(other);
	close(memory);
	clean();
}

/* Run to the end of a card that was started. */
static void loses_memory(void)
{
	struct vu_dma_map map = {
		.argsz = sizeof(map), .flags = 3, .address = 0x100000, .size = 1 << 20};
	int memory = memfd_create("guest", 0), ep, ctl;

	UNIT_NEED(memory >= 0 && !ftruncate(memory, 1 << 20));
	UNIT_NEED(wait_ready());
	ctl = dial("ctl.sock");
	ep = dial_endpoint("ep0.sock");
	UNIT_EQ(request(ep, VU_DMA_MAP, 0, &map, sizeof(map), memory), 0);
	UNIT_NEED(!ftruncate(memory, 0));
	push(ep, 0x100000);
	UNIT_NEED(UNIT_WAIT(strstr(control(ctl, "counts 0\n"), "\"superpages\":1,"), LIMIT_MS));
	CU_ASSERT(!strstr(control(ctl, "counts 0\n"), "\"memory_lost\":0,"));
	CU_ASSERT(strstr(control(ctl, "counts 0\n"), "\"dma_outside\":0,") != NULL);
	control(ctl, "clear\n");
	control(ctl, "quit\n");
	UNIT_EQ(ended(), 3);
	close(ep);
	close(ctl);
	close(memory);
	clean();
}

/* Truncated memory is in the exit status, but not as an error of the card. */
static void lost_memory_is_remembered(void)
{
	start(NULL);
	loses_memory();
}

static void lost_memory_stderr_unread(void)
{
	int fds[2];

	start_stderr_unread(fds);
	loses_memory();
	close(fds[0]);
	close(fds[1]);
}

/* Out of memory for an answer ends the process, whether its message is read or not. */
static void out_of_memory_stderr_unread(void)
{
	const struct rlimit none = {0, 0};
	int fds[2], ep, ctl, i;

	start_stderr_unread(fds);
	UNIT_NEED(wait_ready());
	UNIT_NEED(!prlimit(emu.pid, RLIMIT_CORE, &none, NULL));
	ep = dial_endpoint("ep0.sock");
	ctl = dial("ctl.sock");
	region(ep, 7, PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	UNIT_STR(control(ctl, "trace 0 start\n"), "{\"ok\":true}");
	/* More than an arena of the C library has reserved. */
	for (i = 0; i < 10000; i++)
		region(ep, 0, CRU_DATA_SOURCE, 1, 4);
	UNIT_NEED(!prlimit(emu.pid, RLIMIT_DATA, &none, NULL));
	UNIT_STR(control(ctl, "trace 0 stop\n"), "connection lost");
	UNIT_EQ(ended(), 128 + SIGABRT);
	close(fds[0]);
	close(fds[1]);
	close(ep);
	close(ctl);
	clean();
}

UNIT_MAIN("roc-emu", {"lives and quits", lives_and_quits}, {"ends on signals", ends_on_signals},
	  {"descriptors 0 to 2 closed", closed_descriptors}, {"wrong arguments", wrong_arguments},
	  {"DMA outside mappings is in the exit status", outside_is_remembered},
	  {"stderr is not read", stderr_unread}, {"vanish and return", vanish_and_return},
	  {"a closed pipe", closed_pipe},
	  {"a closed pipe while stderr is not read", closed_pipe_stderr_unread},
	  {"out of descriptors", out_of_descriptors},
	  {"truncated memory is in the exit status", lost_memory_is_remembered},
	  {"truncated memory while stderr is not read", lost_memory_stderr_unread},
	  {"out of memory while stderr is not read", out_of_memory_stderr_unread})
