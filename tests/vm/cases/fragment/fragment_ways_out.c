// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test how a sub-unit's use ends while fragments come and commands are outstanding: its opener is
 * killed, the driver or the card is removed, the function is reset. Afterwards the card writes no
 * more, memory is freed, and remaining mappings are harmless. And CPU hotplug.
 */
#include "common/case.h"
#include "common/taker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/host.h"
#include "common/klog.h"
#include "common/left.h"
#include "common/point.h"
#include "common/way.h"

#define KERNEL_MS 30000

static void start(struct taker *t)
{
	UNIT_NEED(taker_open(t));
	taker_generate(t, TAKER_ALL_LINKS, 400, 1600, 2000, 0, 0);
	UNIT_NEED(taker_start(t, 0));
	CU_ASSERT(taker_run(t, 100, 10000));
	TAKER_OK(t);
	/* Some commands are outstanding when it ends. */
	taker_pass(t);
}

static void works(void)
{
	struct taker t = {.percent = 50};

	emu_normal_robinnp(CARD0);
	start(&t);
	CU_ASSERT(taker_stop(&t));
	taker_close(&t);
	CU_ASSERT(emu_idle(CARD0, 0, 30));
	CU_ASSERT(emu_clean(CARD0));
}

/* The card's own registers must show no running sub-unit. */
static bool card_is_off(void)
{
	unsigned int s;
	bool off = true;

	for (s = 0; s < ROBINNP_SUBS; s++) {
		uint32_t status =
			emu_peek(CARD0, 0, ROBINNP_BAR_DMA, ROBINNP_SUB(s) + BLOCK_STATUS);

		off &= !(status & (BLOCK_STATUS_ENABLED | BLOCK_STATUS_LOADING));
		off &= !!(status & BLOCK_STATUS_QUIET);
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

/*
 * Killed in mid-request: pages are unpinned, the card is off, and the next opener has the sub-unit.
 */
static void opener_killed(void)
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
	CU_ASSERT(emu_idle(CARD0, 0, 50));
	CU_ASSERT(card_is_off());
	UNIT_EQ(pins(), before);
	shared_free((void *)flows, sizeof(*flows));
	works();
}

/* More pages than the kernel caches for stacks of ended processes: 52 KB were seen. */
#define OPENERS 31

static int hold_little(void *arg)
{
	struct taker t = {.percent = 50, .pages = 64};
	volatile int *flows = arg;

	if (cgroup_enter() || !taker_open(&t) || !taker_start(&t, 0))
		return 1;
	*flows = 1;
	for (;;)
		sleep_ms(100);
}

static void kill_little(volatile int *flows)
{
	pid_t pid;

	*flows = 0;
	pid = child_start(AS_ROOT, hold_little, (void *)flows);
	UNIT_NEED(UNIT_WAIT(*flows, 10000));
	child_kill(pid);
	CU_ASSERT(UNIT_WAIT(!strcmp(node_attr(ROBINNP_ID, 0, "owner_pid"), "0"), 5000));
}

/*
 * Rings and table are freed. Temporary leftovers are less than a page for each opener, so a leak of
 * one page each would show.
 */
static void memory_back(void)
{
	volatile int *flows = shared_alloc(sizeof(*flows));
	unsigned int i;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(cgroup_make());
	for (i = 0; i <= OPENERS; i++)
		kill_little(flows);
	CU_ASSERT(UNIT_WAIT(cgroup_left() < OPENERS * 4096, 5000));
	unit_note("%lld bytes are left", (long long)cgroup_bytes());
	CU_ASSERT(cgroup_end());
	shared_free((void *)flows, sizeof(*flows));
}

/* Open and close repeatedly; together they would exceed the limit: 8 pages each. */
static int open_and_close(void *arg)
{
	const struct rlimit limit = {16 * 4096, 16 * 4096};
	int i, fd, err;

	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		return 2;
	for (i = 0; i < 16; i++) {
		struct roc_fr_rings rings = {.size = sizeof(rings), .pages = 8, .commands = 16};
		struct roc_fr_start begin = {.size = sizeof(begin)};
		struct roc_fr_stop end = {.size = sizeof(end)};

		fd = node_open(ROBINNP_ID, 0);
		err = abi(fd, ROC_FR_RINGS, &rings);
		err = err ?: abi(fd, ROC_FR_START, &begin);
		err = err ?: abi(fd, ROC_FR_STOP, &end);
		close(fd);
		if (err) {
			printf("# round %d: %s, why %u and %u\n", i, strerror(-err), rings.reason,
			       begin.reason);
			return 1;
		}
	}
	return 0;
}

/* Freed memory is not charged any more. */
static void charge_back(void)
{
	emu_normal_robinnp(CARD0);
	UNIT_EQ(child_run(AS_READER, open_and_close, NULL, 20000), 0);
}

static int start_rings(int fd)
{
	struct roc_fr_start begin = {.size = sizeof(begin)};

	return abi(fd, ROC_FR_START, &begin);
}

/* Make rings within this memlock limit: returns a descriptor, or -1. */
static int small_rings(unsigned int pages)
{
	const struct rlimit limit = {pages * 4096, 32 * 4096};
	struct roc_fr_rings rings = {.size = sizeof(rings), .pages = 8, .commands = 16};
	int fd;

	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		return -1;
	fd = node_open(ROBINNP_ID, 0);
	if (!abi(fd, ROC_FR_RINGS, &rings))
		return fd;
	close(fd);
	return -1;
}

/* The table of host pages exceeds the limit, also when a child starts the run. */
static int start_in_a_child(void *arg)
{
	unsigned int pages = 1;
	int fd, status;
	pid_t pid;

	while ((fd = small_rings(pages)) < 0 && pages < 32)
		pages++;
	if (fd < 0 || start_rings(fd) != -ENOMEM)
		return 2;
	pid = fork();
	if (!pid)
		_exit(start_rings(fd) == -ENOMEM ? 0 : 1);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 1;
	close(fd);
	return 0;
}

static void charged_to_its_opener(void)
{
	emu_normal_robinnp(CARD0);
	UNIT_EQ(child_run(AS_READER, start_in_a_child, NULL, 20000), 0);
	CU_ASSERT(emu_idle(CARD0, 0, 30));
}

static int stop_now(void *arg)
{
	struct roc_fr_stop s = {.size = sizeof(s), .flags = ROC_FR_STOP_NOW};
	const struct taker *t = arg;
	int err = abi(t->fd, ROC_FR_STOP, &s);

	return err || s.lost != 0 || s.completions != 1;
}

/*
 * Completions between the last poll and the end, until the card is quiesced, do not count as lost.
 */
static void done_at(const char *point)
{
	struct taker t = {.pages = 64};
	struct taker_fragment h;
	pid_t pid;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 0, 0, 2);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(UNIT_WAIT(taker_next(&t, &h), 5000));
	emu(CARD0, "fault 0 done-late 1 60000000");
	taker_command(&t, h.page, 0, 0, ROC_FR_TRANSFER);
	taker_ring(&t);
	point_hold(point, ROBINNP_ID);
	pid = child_start(AS_ROOT, stop_now, &t);
	CU_ASSERT(point_reached(point, 5000));
	emu(CARD0, "fault all clear");
	CU_ASSERT(UNIT_WAIT(emu_sub(CARD0, 0, "completions") == 1, 5000));
	points_release();
	UNIT_EQ(child_wait(pid, 10000), 0);
	TAKER_OK(&t);
	taker_close(&t);
}

static void completed_before_quiescence(void)
{
	if (!points_there()) {
		unit_skip("needs --points");
		return;
	}
	done_at("stop");
	done_at("quiesce");
}

/* The card is gone: the reader wakes up from every wait, and its mappings stay. */
static void sees_removal(struct taker *t)
{
	struct roc_fr_doorbell doorbell = {.size = sizeof(doorbell)};
	struct pollfd p = {.fd = t->fd, .events = POLLIN};
	struct taker_fragment h;

	CU_ASSERT(UNIT_WAIT(t->kernel->flags & ROC_FR_GONE, 10000));
	CU_ASSERT(UNIT_WAIT(t->kernel->flags & ROC_FR_STOPPED, 10000));
	UNIT_EQ(poll(&p, 1, 0), 1);
	CU_ASSERT(p.revents & POLLERR && p.revents & POLLHUP);
	UNIT_EQ(taker_wait(t, ROC_FR_WAIT_DATA, 100), -ENODEV);
	UNIT_EQ(abi(t->fd, ROC_FR_DOORBELL, &doorbell), -ENODEV);
	/* Data in memory stay readable, and the doorbell has no effect. */
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

static void driver_unbound(void)
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
	sees_removal(&t);
	CU_ASSERT(card_is_off());
	UNIT_EQ(pins(), before);
	UNIT_EQ(module_unload(0), -EWOULDBLOCK);
	CU_ASSERT(driver_bind(address));
	/* Another card with the same name does not belong to this reader. */
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA, 100), -ENODEV);
	works();
	taker_close(&t);
	CU_ASSERT(emu_idle(CARD0, 0, 50));
}

/*
 * The driver disables interrupts last. Plain MSI has no mask: its address is 0 before it is
 * disabled, and a card with bus mastering writes its messages there in between.
 */
static void no_message_to_address_0(void)
{
	struct taker t = {.percent = 50};
	struct going g = {.way = WAY_UNBIND};
	struct target target = {.id = ROBINNP_ID};

	if (!points_there() || has_msix(pci_address(ROBINNP_ID))) {
		unit_skip("needs --points, and a function without MSI-X");
		return;
	}
	emu_normal_robinnp(CARD0);
	strcpy(target.address[0], pci_address(ROBINNP_ID));
	g.t = &target;
	way_prepare();
	start(&t);
	emu(CARD0, "fault 0 irq-spurious 1");
	point_hold("irqs_free", ROBINNP_ID);
	way_begin(&g);
	CU_ASSERT(point_reached("irqs_free", 5000));
	sleep_ms(30);
	UNIT_EQ(emu_count(CARD0, 0, "messages_outside"), 0);
	points_release();
	CU_ASSERT(way_done(&g, 10000));
	UNIT_EQ(g.status, 0);
	emu(CARD0, "fault all clear");
	taker_close(&t);
	CU_ASSERT(way_back(&g));
	works();
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
	sees_removal(&t);
	UNIT_EQ(pins(), before);
	/* Until close the sub-unit belongs to this reader, which can do nothing with it. */
	UNIT_EQ(node_open(ROBINNP_ID, 0), -EBUSY);
	taker_close(&t);
	works();
}

/*
 * Unload the module as soon as the last file is closed, in the middle of a run; then load it again.
 */
static void module_unloaded(void)
{
	volatile int *flows = shared_alloc(sizeof(*flows));
	unsigned int cards = nodes_there();
	pid_t pid;

	emu_normal_robinnp(CARD0);
	pid = child_start(AS_ROOT, hold, (void *)flows);
	UNIT_NEED(UNIT_WAIT(*flows, 20000));
	UNIT_EQ(module_unload(0), -EWOULDBLOCK);
	kill(pid, SIGKILL);
	UNIT_EQ(module_unload(10000), 0);
	child_wait(pid, 5000);
	CU_ASSERT(emu_idle(CARD0, 0, 50));
	CU_ASSERT(card_is_off());
	UNIT_EQ(shell(NULL, 0, KERNEL_MS, "modprobe roc"), 0);
	CU_ASSERT(wait_nodes(cards));
	shared_free((void *)flows, sizeof(*flows));
	works();
}

/* The driver is bound without knowledge of the run: it stops the card first. */
static void card_left_running(void)
{
	struct target target = {.type = ROC_CARD_ROBINNP, .id = ROBINNP_ID};
	uint8_t *memory, *frees, *seen;

	if (translated(ROBINNP_ID)) {
		unit_skip("behind an IOMMU a card without a driver reaches no memory");
		return;
	}
	emu_normal_robinnp(CARD0);
	memory = memory_make(HUGE, HUGE, LAYOUT_ASCENDING);
	frees = memory_make(HUGE, HUGE, LAYOUT_ASCENDING);
	seen = malloc(HUGE);
	strcpy(target.address[0], pci_address(ROBINNP_ID));
	UNIT_EQ(driver_unbind(target.address[0]), 0);
	UNIT_NEED(seen &&
		  !left_running(&target, memory_physical(memory), memory_physical(frees), frees));
	CU_ASSERT(UNIT_WAIT(((volatile uint8_t *)memory)[15] & 0x80, 5000));
	CU_ASSERT(driver_bind(target.address[0]));
	memcpy(seen, memory, HUGE);
	CU_ASSERT(card_is_off());
	CU_ASSERT(emu_idle(CARD0, 0, 50));
	CU_ASSERT(!memcmp(seen, memory, HUGE));
	free(seen);
	munmap(frees, HUGE);
	munmap(memory, HUGE);
	works();
}

static void unplugged(void)
{
	struct taker t = {.percent = 50};
	unsigned int cards = nodes_there();
	int64_t before = pins();
	char address[32];
	int log;

	if (!host_there()) {
		unit_skip("needs --host");
		return;
	}
	if (has_msix(pci_address(ROBINNP_ID))) {
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
	sees_removal(&t);
	UNIT_EQ(pins(), before);
	taker_close(&t);
	CU_ASSERT(host_do("plug 0 0"));
	CU_ASSERT(wait_nodes(cards));
	works();
}

/* The bus reports corrupted transfers. */
static void bus_errors(void)
{
	static const char *const kinds[] = {"fatal", "nonfatal"};
	struct taker t = {.percent = 50};
	const char *line;
	int64_t before = pins();
	size_t i;
	int log;

	if (!host_there()) {
		unit_skip("needs --host");
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
			sees_removal(&t);
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

/* A CPU goes offline, with its interrupts and work, and comes back. */
static void cpu_offline(void)
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
	CU_ASSERT(emu_idle(CARD0, 0, 30));
}

UNIT_MAIN("fragment_ways_out", {"opener killed", opener_killed}, {"memory back", memory_back},
	  {"charge back", charge_back}, {"charged to its opener", charged_to_its_opener},
	  {"completed before quiescence", completed_before_quiescence},
	  {"driver unbound", driver_unbound}, {"no message to address 0", no_message_to_address_0},
	  {"function reset", function_reset}, {"module unloaded", module_unloaded},
	  {"card left running", card_left_running}, {"unplugged", unplugged},
	  {"bus errors", bus_errors}, {"CPU offline", cpu_offline})
