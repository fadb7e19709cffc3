// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How a sub-unit comes to its end while fragments come and commands are out: its holder is killed,
 * the driver or the card is taken away, the function is reset. No write of the card's afterwards,
 * the memory back, and the mappings that stay do no harm. And a processor that goes and comes.
 */
#include "common/case.h"
#include "common/taker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/host.h"
#include "common/klog.h"
#include "common/way.h"

#define KERNEL_MS 30000

static void start(struct taker *t)
{
	UNIT_NEED(taker_open(t));
	taker_generate(t, TAKER_ALL_LINKS, 400, 1600, 2000, 0, 0);
	UNIT_NEED(taker_start(t, 0));
	CU_ASSERT(taker_run(t, 100, 10000));
	TAKER_OK(t);
	/* Some are out when it ends. */
	taker_pass(t);
}

static void works(void)
{
	struct taker t = {.percent = 50};

	emu_normal_robinnp(CARD0);
	start(&t);
	CU_ASSERT(taker_stop(&t));
	taker_close(&t);
	CU_ASSERT(emu_quiet(CARD0, 0, 30));
	CU_ASSERT(emu_clean(CARD0));
}

/* Nothing is left in the card's own registers. */
static bool card_is_off(void)
{
	unsigned int s;
	bool off = true;

	for (s = 0; s < ROBINNP_SUBS; s++) {
		uint32_t status =
			emu_peek(CARD0, 0, ROBINNP_BAR_DMA, ROBINNP_SUB(s) + FRAGMENT_STATUS);

		off &= !(status & (FRAGMENT_STATUS_ENABLED | FRAGMENT_STATUS_LOADING));
		off &= !!(status & FRAGMENT_STATUS_QUIET);
	}
	return off;
}

static int hold(void *arg)
{
	struct taker t = {.percent = 50, .host_pages = 8192, .pages = 1024};
	volatile int *flows = arg;

	if (!taker_open(&t))
		return 1;
	taker_generate(&t, TAKER_ALL_LINKS, 400, 1600, 2000, 0, 0);
	if (!taker_start(&t, 0) || !taker_run(&t, 500, 20000))
		return 2;
	*flows = 1;
	for (;;)
		taker_run(&t, t.fragments + 100, 1000);
}

/* In mid-request: pages unpinned, card off, and the next one has the sub-unit. */
static void holder_killed(void)
{
	volatile int *flows = shared_alloc(sizeof(*flows));
	int64_t before = pins();
	pid_t pid;

	emu_normal_robinnp(CARD0);
	pid = child_start(AS_ROOT, hold, (void *)flows);
	UNIT_NEED(UNIT_WAIT(*flows, 20000));
	UNIT_EQ(atoi(node_attr(ROBINNP_ID, 0, "owner_pid")), pid);
	UNIT_EQ(pins() - before, 4096);
	child_kill(pid);
	CU_ASSERT(UNIT_WAIT(!strcmp(node_attr(ROBINNP_ID, 0, "owner_pid"), "0"), 5000));
	CU_ASSERT(emu_quiet(CARD0, 0, 50));
	CU_ASSERT(card_is_off());
	UNIT_EQ(pins(), before);
	shared_free((void *)flows, sizeof(*flows));
	works();
}

/* The card is gone: the reader hears of it, whichever way it sleeps, and its mappings stay. */
static void told(struct taker *t)
{
	struct roc_fr_tell tell = {.size = sizeof(tell)};
	struct pollfd p = {.fd = t->fd, .events = POLLIN};
	struct held h;

	CU_ASSERT(UNIT_WAIT(t->kernel->flags & ROC_FR_GONE, 10000));
	CU_ASSERT(UNIT_WAIT(t->kernel->flags & ROC_FR_STOPPED, 10000));
	UNIT_EQ(poll(&p, 1, 0), 1);
	CU_ASSERT(p.revents & POLLERR && p.revents & POLLHUP);
	UNIT_EQ(taker_wait(t, ROC_FR_WAIT_DATA, 100), -ENODEV);
	UNIT_EQ(abi(t->fd, ROC_FR_TELL, &tell), -ENODEV);
	/* What was there still is, and the doorbell reaches nobody. */
	while (taker_next(t, &h))
		taker_free(t, h.page);
	TAKER_OK(t);
	taker_ring(t);
	CU_ASSERT(mmap(NULL, t->made.kernel_length, PROT_READ, MAP_SHARED, t->fd,
		       t->made.kernel_offset) == MAP_FAILED &&
		  errno == ENODEV);
}

static int sleeper(void *arg)
{
	struct taker *t = arg;
	struct roc_fr_wait w = {.size = sizeof(w), .mask = ROC_FR_WAIT_DATA};

	w.descriptors = t->data_count + t->made.descriptors;
	w.deadline = now_ns() + 60000000000ull;
	return abi(t->fd, ROC_FR_WAIT, &w) == -ENODEV ? 0 : 1;
}

static void driver_taken_off(void)
{
	struct taker t = {.percent = 50};
	int64_t before = pins();
	char address[32];
	pid_t pid;

	emu_normal_robinnp(CARD0);
	strcpy(address, pci_address(ROBINNP_ID));
	start(&t);
	t.user->descriptors = t.data_count;
	pid = child_start(AS_ROOT, sleeper, &t);
	sleep_ms(20);
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(child_wait(pid, 10000), 0);
	told(&t);
	CU_ASSERT(card_is_off());
	UNIT_EQ(pins(), before);
	UNIT_EQ(module_unload(0), -EWOULDBLOCK);
	CU_ASSERT(driver_bind(address));
	/* Another card by the same name is not this reader's. */
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA, 100), -ENODEV);
	works();
	taker_close(&t);
	CU_ASSERT(emu_quiet(CARD0, 0, 50));
}

static void function_reset(void)
{
	struct taker t = {.percent = 50};
	int64_t before = pins();
	char path[96];

	emu_normal_robinnp(CARD0);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", pci_address(ROBINNP_ID));
	start(&t);
	UNIT_EQ(put_text(path, "1"), 0);
	told(&t);
	UNIT_EQ(pins(), before);
	/* Until it is closed the sub-unit is this reader's, who can do nothing with it. */
	UNIT_EQ(node_open(ROBINNP_ID, 0), -EBUSY);
	taker_close(&t);
	works();
}

/* The module goes as soon as the last one does, in the middle of everything; and comes back. */
static void module_taken_out(void)
{
	volatile int *flows = shared_alloc(sizeof(*flows));
	pid_t pid;

	emu_normal_robinnp(CARD0);
	pid = child_start(AS_ROOT, hold, (void *)flows);
	UNIT_NEED(UNIT_WAIT(*flows, 20000));
	UNIT_EQ(module_unload(0), -EWOULDBLOCK);
	kill(pid, SIGKILL);
	UNIT_EQ(module_unload(10000), 0);
	child_wait(pid, 5000);
	CU_ASSERT(emu_quiet(CARD0, 0, 50));
	CU_ASSERT(card_is_off());
	UNIT_EQ(shell(NULL, 0, KERNEL_MS, "modprobe roc"), 0);
	CU_ASSERT(wait_nodes(1));
	shared_free((void *)flows, sizeof(*flows));
	works();
}

/* BAR 0 of a card that no driver has. */
static volatile uint32_t *bar_of(const char *address)
{
	char path[96];
	void *p;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource0", address);
	fd = open(path, O_RDWR | O_CLOEXEC);
	p = mmap(NULL, ROBINNP_BAR_DMA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

#define LEFT_LOG2 6 /* entries of each ring, and pages */

/* Sub-unit 0 as somebody's who crashed: rings at @bus, all links running. */
static void leave_running(volatile uint32_t *bar, uint8_t *memory, uint64_t bus)
{
	const uint32_t set[][2] = {
		{FRAGMENT_DATA_LOW, bus},
		{FRAGMENT_DATA_HIGH, bus >> 32},
		{FRAGMENT_FREE_LOW, bus + 0x1000},
		{FRAGMENT_FREE_HIGH, bus >> 32},
		{FRAGMENT_COMMAND_LOW, bus + 0x2000},
		{FRAGMENT_COMMAND_HIGH, bus >> 32},
		{FRAGMENT_DONE_LOW, bus + 0x3000},
		{FRAGMENT_DONE_HIGH, bus >> 32},
		{FRAGMENT_DATA_SIZE, LEFT_LOG2},
		{FRAGMENT_FREE_SIZE, LEFT_LOG2},
		{FRAGMENT_COMMAND_SIZE, 4},
		{FRAGMENT_PAGES, 8},
		{FRAGMENT_START, 0},
		{FRAGMENT_CONTROL, 1},
	};
	uint32_t *frees = (uint32_t *)(memory + 0x1000);
	size_t i;

	for (i = 0; i < 48; i++)
		frees[i] = ROC_FR_PAGE(i % 6, i / 6);
	for (i = 0; i < N(set); i++)
		bar[(ROBINNP_SUB(0) + set[i][0]) / 4] = set[i][1];
	CU_ASSERT(UNIT_WAIT(bar[(ROBINNP_SUB(0) + FRAGMENT_STATUS) / 4] & FRAGMENT_STATUS_ENABLED,
			    2000));
	bar[(ROBINNP_DOORBELL(0) + FRAGMENT_FREE) / 4] = 48;
}

/* The driver comes, and knows of nothing: it stops the card before anything else. */
static void card_left_running(void)
{
	struct taker t = {.percent = 50};
	volatile uint32_t *bar;
	uint8_t *memory;
	char address[32], seen[4096];

	if (translated(ROBINNP_ID)) {
		unit_skip("behind an IOMMU a card that nobody has reaches no memory");
		return;
	}
	emu_normal_robinnp(CARD0);
	memory = memory_make(HUGE, HUGE, LAYOUT_ASCENDING);
	strcpy(address, pci_address(ROBINNP_ID));
	UNIT_NEED(taker_open(&t));
	taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 100, 0, 0);
	taker_close(&t);
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(shell(NULL, 0, 5000,
		      "setpci -s %s COMMAND=6 2>/dev/null || printf '\\006' | "
		      "dd of=/sys/bus/pci/devices/%s/config bs=1 seek=4 conv=notrunc status=none",
		      address, address),
		0);
	bar = bar_of(address);
	UNIT_NEED(bar != NULL);
	leave_running(bar, memory, memory_physical(memory));
	CU_ASSERT(UNIT_WAIT(memory[15] & 0x80, 5000));
	CU_ASSERT(driver_bind(address));
	memcpy(seen, memory, sizeof(seen));
	CU_ASSERT(card_is_off());
	CU_ASSERT(emu_quiet(CARD0, 0, 50));
	CU_ASSERT(!memcmp(seen, memory, sizeof(seen)));
	munmap((void *)bar, ROBINNP_BAR_DMA_SIZE);
	munmap(memory, HUGE);
	works();
}

/* Its vectors are there while the driver has the card. */
static bool has_msix(void)
{
	return !shell(NULL, 0, 5000, "grep -rqx msix /sys/bus/pci/devices/%s/msi_irqs",
		      pci_address(ROBINNP_ID));
}

static void unplugged(void)
{
	struct taker t = {.percent = 50};
	int64_t before = pins();
	char address[32];
	int log;

	if (!host_there()) {
		unit_skip("nobody here can unplug a card");
		return;
	}
	if (has_msix()) {
		unit_skip("QEMU dies of an assertion when a function with MSI-X is unplugged");
		return;
	}
	emu_normal_robinnp(CARD0);
	strcpy(address, pci_address(ROBINNP_ID));
	start(&t);
	log = klog_open();
	CU_ASSERT(host_do("unplug 0 0"));
	CU_ASSERT(klog_wait(log, "will power off", KERNEL_MS) != NULL);
	UNIT_EQ(slot_off(address), 0);
	close(log);
	told(&t);
	UNIT_EQ(pins(), before);
	taker_close(&t);
	CU_ASSERT(host_do("plug 0 0"));
	CU_ASSERT(wait_nodes(1));
	works();
}

/* The bus reports that what came over it was not what was sent. */
static void bus_errors(void)
{
	static const char *const kinds[] = {"fatal", "nonfatal"};
	struct taker t = {.percent = 50};
	const char *line;
	int64_t before = pins();
	size_t i;
	int log;

	if (!host_there()) {
		unit_skip("nobody here can make errors of the bus");
		return;
	}
	for (i = 0; i < N(kinds); i++) {
		emu_normal_robinnp(CARD0);
		start(&t);
		log = klog_open();
		CU_ASSERT(host_do("aer 0 0 %s", kinds[i]));
		line = klog_wait(log, "AER: device recovery ", KERNEL_MS);
		CU_ASSERT(line && strstr(line, "successful"));
		close(log);
		if (i == 0) {
			told(&t);
			UNIT_EQ(pins(), before);
		} else {
			CU_ASSERT(taker_run(&t, t.fragments + 100, 10000));
			TAKER_OK(&t);
			CU_ASSERT(taker_stop(&t));
		}
		taker_close(&t);
		works();
	}
}

/* A processor goes, with the interrupts and the work that it had, and comes back. */
static void processor_goes(void)
{
	const char *online = "/sys/devices/system/cpu/cpu1/online";
	struct taker t = {.percent = 50};
	int i;

	emu_normal_robinnp(CARD0);
	start(&t);
	for (i = 0; i < 3; i++) {
		UNIT_EQ(put_text(online, "0"), 0);
		CU_ASSERT(taker_run(&t, t.fragments + 500, 20000));
		UNIT_EQ(put_text(online, "1"), 0);
		CU_ASSERT(taker_run(&t, t.fragments + 500, 20000));
	}
	TAKER_OK(&t);
	unit_note("%llu interrupts found missing",
		  (unsigned long long)taker_info(&t).missed_interrupts);
	CU_ASSERT(taker_stop(&t));
	taker_close(&t);
	CU_ASSERT(emu_quiet(CARD0, 0, 30));
}

UNIT_MAIN("fragment_ways_out", {"holder killed", holder_killed},
	  {"driver taken off", driver_taken_off}, {"function reset", function_reset},
	  {"module taken out", module_taken_out}, {"card left running", card_left_running},
	  {"unplugged", unplugged}, {"bus errors", bus_errors}, {"processor goes", processor_goes})
