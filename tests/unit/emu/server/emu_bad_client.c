// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clients that withdraw resources: a full eventfd, truncated memory. They must neither stop the
 * card nor cause errors that count as the card's.
 */
#include <fcntl.h>
#include <sys/eventfd.h>

#include "emu_client.h"

static int set_trigger(int fd)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		.count = 1,
	};

	return ask(VU_SET_IRQS, &set, sizeof(set), fd);
}

/* Raise an interrupt through the loop-back trigger. */
static int fire(void)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER,
		.count = 1,
	};

	return ask(VU_SET_IRQS, &set, sizeof(set), -1);
}

/*
 * @extra: EFD_NONBLOCK or 0; the card must not change this flag of the client. @later: the client
 * changes the flag after it has passed the eventfd.
 */
static void full_eventfd(int extra, bool later)
{
	int fd = eventfd(0, later ? extra ^ EFD_NONBLOCK : extra), flags;
	eventfd_t value;
	unsigned int i;

	begin();
	UNIT_EQ(set_trigger(fd), 0);
	if (later)
		UNIT_NEED(!fcntl(fd, F_SETFL, extra & EFD_NONBLOCK ? O_NONBLOCK : 0));
	flags = fcntl(fd, F_GETFL);
	UNIT_NEED(!eventfd_write(fd, UINT64_MAX - 1));
	for (i = 0; i < 3; i++)
		UNIT_EQ(fire(), 0);
	UNIT_EQ(counted("mmio_reads"), 0);
	UNIT_EQ(fcntl(fd, F_GETFL), flags);
	UNIT_EQ(eventfd_read(fd, &value), 0);
	CU_ASSERT(value == UINT64_MAX - 1);
	UNIT_EQ(fire(), 0);
	UNIT_EQ(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0), 1);
	UNIT_EQ(eventfd_read(fd, &value), 0);
	UNIT_EQ(value, 1);
	end();
	close(fd);
}

static void full_eventfds(void)
{
	full_eventfd(EFD_NONBLOCK, false);
	full_eventfd(0, false);
}

static void full_eventfds_later(void)
{
	full_eventfd(EFD_NONBLOCK, true);
	full_eventfd(0, true);
}

/* A pipe in place of an eventfd: invalid, but possible. */
static void full_pipe(void)
{
	static const uint8_t zeros[4096];
	int fds[2];

	UNIT_NEED(!pipe(fds));
	UNIT_NEED(!fcntl(fds[1], F_SETFL, O_NONBLOCK));
	while (write(fds[1], zeros, sizeof(zeros)) > 0)
		;
	UNIT_NEED(!fcntl(fds[1], F_SETFL, 0));
	begin();
	UNIT_EQ(set_trigger(fds[1]), 0);
	UNIT_EQ(fire(), 0);
	UNIT_EQ(fire(), 0);
	end();
	close(fds[0]);
	close(fds[1]);
}

static uint64_t cleared(const char *name)
{
	struct json j = {0};

	control_run(vu.emu, "clear", &j);
	json_free(&j);
	return counted(name);
}

static void memory_is_cut_off(void)
{
	uint32_t word;

	begin_dma();
	push(BASE + 0x100000, PAGES);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 1, LIMIT_MS));
	UNIT_EQ(counted("memory_lost"), 0);
	UNIT_NEED(!ftruncate(vu.memory_fd, 0x200000));
	push(BASE + 0x300000, PAGES);
	push(BASE + 0x180000, PAGES);
	push(BASE + 0x300000, PAGES);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 4, LIMIT_MS));
	/* The card carried out the command. */
	CU_ASSERT(counted("memory_lost") >= 2 * PAGES);
	UNIT_EQ(counted("dma_outside"), 0);
	UNIT_EQ(counted("dma_writes"), 4 * PAGES);
	memcpy(&word, vu.memory + 0x180000 + BYTES - 4, 4);
	UNIT_EQ(word, 3 * BYTES / 32 - 1);
	UNIT_EQ(cleared("memory_lost"), 0);
	/* After another map the memory is usable again. */
	UNIT_NEED(!ftruncate(vu.memory_fd, MEMORY));
	UNIT_EQ(unmap_region(BASE, MEMORY, 0), 0);
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	push(BASE + 0x300000, PAGES);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 5, LIMIT_MS));
	memcpy(&word, vu.memory + 0x300000 + BYTES - 4, 4);
	UNIT_EQ(word, 5 * BYTES / 32 - 1);
	UNIT_EQ(counted("memory_lost"), 0);
	end();
}

/* Truncate at any moment of the card's copying. */
static void cut_off_while_data_flow(void)
{
	unsigned int round, i;

	begin_dma();
	for (round = 0; round < 20; round++) {
		bar_write(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
		for (i = 0; i < 100; i++)
			push(BASE + i % 8 * (1 << 20), (1 << 20) / CRU_PAGE_SIZE);
		UNIT_EQ(bar_read(0, CRU_DMA_CONTROL), CRU_DMA_CONTROL_START);
		usleep(100 * round);
		UNIT_NEED(!ftruncate(vu.memory_fd, 0));
		UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 100, 10 * LIMIT_MS));
		UNIT_NEED(!ftruncate(vu.memory_fd, MEMORY));
		UNIT_EQ(unmap_region(BASE, MEMORY, 0), 0);
		UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	}
	CU_ASSERT(counted("memory_lost") > 0);
	UNIT_EQ(counted("dma_outside"), 0);
	end();
}

int main(int argc, char **argv)
{
	static const struct unit_test tests[] = {
		{"a full eventfd", full_eventfds},
		{"a full eventfd whose flags change", full_eventfds_later},
		{"a full pipe", full_pipe},
		{"memory is cut off", memory_is_cut_off},
		{"memory is truncated while data flow", cut_off_while_data_flow},
	};

	freopen("/dev/null", "w", stderr); /* its log lines are expected here */
	return unit_run("bad clients", tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
