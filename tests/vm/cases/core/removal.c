// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test unbinding the driver and resetting the card while both are in use.
 */
#include "common/case.h"
#include "common/klog.h"
#include "common/way.h"

#include <fcntl.h>
#include <linux/pci_regs.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define KEPT "of DMA memory stay allocated"
#define KEPT_FREED "of DMA memory kept since"
#define KEPT_MS 20000 /* the driver polls every five seconds */
#define KEPT_LOGGED_MS 1000
#define LOOPS 2 /* the second test checks what the first one left */

static void touch(void *p)
{
	(void)*(volatile uint32_t *)p;
}

static int revents(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1 ? p.revents : 0;
}

/* A user with an open file of each kind. */
struct user {
	struct rig r;
	struct roc_bar bar;
	int ep;
	int64_t pins;
};

static bool user_open(struct user *u)
{
	struct roc_endpoint *ep;

	memset(u, 0, sizeof(*u));
	u->r = (struct rig){.id = EP0, .source = ROC_SOURCE_DDG, .count = 8};
	u->pins = pins();
	emu_normal(CARD0, FOUR_LINKS);
	u->ep = node_open(EP0, -1);
	if (u->ep < 0 || roc_open(EP0, &ep) || roc_bar_map(ep, CRU_BAR_CARD, true, &u->bar))
		return false;
	roc_close(ep);
	if (!rig_open(&u->r))
		return false;
	rig_push(&u->r, RIG_MAX);
	return rig_start(&u->r) && rig_run(&u->r, 20, 5000) && !faults(touch, (void *)u->bar.regs);
}

/* All open files report the loss of the card, and the memory is free. */
static void user_is_out(struct user *u)
{
	int fd = rig_fd(&u->r);
	struct roc_ch_info info = {.size = sizeof(info)};
	struct roc_ep_info ep = {.size = sizeof(ep)};
	struct roc_ch_wait w = {.size = sizeof(w), .min_ready = 1, .deadline = UINT64_MAX};
	struct roc_buf_register reply;
	uint32_t v;
	void *p;

	UNIT_EQ(abi(fd, ROC_CH_INFO, &info), -ENODEV);
	UNIT_EQ(control(fd, ROC_CH_START, 0, 0), -ENODEV);
	UNIT_EQ(control(fd, ROC_CH_STOP, 0, 0), -ENODEV);
	UNIT_EQ(control(fd, ROC_CH_KICK, 0, 0), -ENODEV);
	UNIT_EQ(control(fd, ROC_CH_KICK, ROC_KICK_POLL, 0), -ENODEV);
	UNIT_EQ(abi(fd, ROC_CH_WAIT, &w), -ENODEV);
	UNIT_EQ(buffer_register(fd, u->r.base, HUGE, 0, &reply), -ENODEV);
	UNIT_EQ(buffer_unregister(fd, u->r.handle), -ENODEV);
	UNIT_EQ(revents(fd) & (POLLERR | POLLHUP), POLLERR | POLLHUP);
	UNIT_EQ(abi(u->ep, ROC_EP_INFO, &ep), -ENODEV);
	UNIT_EQ(reg_read(u->ep, CRU_BAR_CARD, 0, &v), -ENODEV);
	UNIT_EQ(reg_write(u->ep, CRU_BAR_CARD, CRU_CTP_INIT_ORBIT, 0), -ENODEV);
	UNIT_EQ(revents(u->ep) & (POLLERR | POLLHUP), POLLERR | POLLHUP);
	UNIT_EQ(faults(touch, (void *)u->bar.regs), SIGBUS);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, u->ep, 3ull << 32);
	CU_ASSERT(p == MAP_FAILED && errno == ENODEV);
	CU_ASSERT(u->r.rings->kernel->flags & ROC_RING_GONE);
	UNIT_EQ(roc_push(u->r.ch, u->r.handle, 0, MIB, 0), -ENODEV);
	/* Superpages of the card were returned. */
	rig_take(&u->r, false);
	UNIT_EQ(rig_missing(&u->r), 0);
	RIG_OK(&u->r);
	UNIT_EQ(pins(), u->pins);
	UNIT_EQ(pinned_by(0), 0);
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
}

static void user_close(struct user *u)
{
	roc_bar_unmap(&u->bar);
	close(u->ep);
	rig_close(&u->r);
}

static void works(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 8};

	CU_ASSERT(rig_once(&r, 20, 5000));
	RIG_OK(&r);
	rig_close(&r);
}

static void unbound_while_running(void)
{
	char address[ROC_TEXT_MAX], path[64];
	struct user u;

	strcpy(address, pci_address(EP0));
	strcpy(path, node_path(EP0, 0));
	UNIT_NEED(user_open(&u));
	UNIT_EQ(driver_unbind(address), 0);
	CU_ASSERT(emu_idle(CARD0, 0, 500));
	user_is_out(&u);
	UNIT_EQ(open_rw(path), -ENOENT);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL) & 1, 0);
	/* Bound again, while the old descriptors are still open. */
	UNIT_NEED(driver_bind(address));
	works();
	user_is_out(&u);
	user_close(&u);
	works();
}

static int wait_for_data(void *arg)
{
	struct roc_ch_wait w = {.size = sizeof(w), .min_ready = 1000};
	struct user *u = arg;
	int err;

	w.deadline = now_ns() + limit_ms(20000) * 1000000ull;
	err = abi(rig_fd(&u->r), ROC_CH_WAIT, &w);
	return -err;
}

static int poll_for_data(void *arg)
{
	struct user *u = arg;
	struct pollfd p = {.fd = rig_fd(&u->r), .events = 0};

	return poll(&p, 1, limit_ms(20000)) == 1 ? p.revents : 0;
}

/* Wait until the eventfd is signalled, with a limit. */
static bool signalled(int event)
{
	struct pollfd p = {.fd = event, .events = POLLIN};
	uint64_t count;

	return poll(&p, 1, limit_ms(5000)) == 1 && read(event, &count, 8) == 8;
}

/* An eventfd alone is signalled at a stop, at a failure and at the removal. */
static void eventfd_signalled(void)
{
	int event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	struct rig r = {.id = EP0, .count = 4};
	char address[ROC_TEXT_MAX];

	strcpy(address, pci_address(EP0));
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	UNIT_EQ(roc_channel_eventfd(r.ch, event), 0);
	UNIT_NEED(rig_start(&r));
	rig_stop(&r);
	CU_ASSERT(signalled(event));
	UNIT_NEED(rig_start(&r));
	UNIT_EQ(driver_unbind(address), 0);
	CU_ASSERT(signalled(event));
	rig_close(&r);
	close(event);
	UNIT_NEED(driver_bind(address));
	works();
}

/* driver_override matches a device without an entry in the driver's ID table. */
static void foreign_device(void)
{
	const char *bridge = "/sys/bus/pci/devices/0000:00:00.0/";
	char path[96];

	snprintf(path, sizeof(path), "%sdriver", bridge);
	UNIT_NEED(access(path, F_OK)); /* no driver's */
	snprintf(path, sizeof(path), "%sdriver_override", bridge);
	UNIT_EQ(put_text(path, "roc"), 0);
	UNIT_EQ(put_text("/sys/bus/pci/drivers/roc/bind", "0000:00:00.0"), -ENODEV);
	UNIT_EQ(put_text(path, "\n"), 0);
	works();
}

/* Waiters are woken. */
static void waiters_wake(void)
{
	char address[ROC_TEXT_MAX];
	pid_t waiting, polling;
	struct user u;
	int64_t begin;

	strcpy(address, pci_address(EP0));
	UNIT_NEED(user_open(&u));
	waiting = child_start(AS_ROOT, wait_for_data, &u);
	polling = child_start(AS_ROOT, poll_for_data, &u);
	sleep_ms(300);
	begin = now_ms();
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(child_wait(waiting, 5000), ENODEV);
	UNIT_EQ(child_wait(polling, 5000), POLLERR | POLLHUP);
	CU_ASSERT(took_less(begin, 5000));
	user_is_out(&u);
	user_close(&u);
	UNIT_NEED(driver_bind(address));
	works();
}

/* Unbinding one endpoint does not affect the other one. */
static void other_endpoint_runs_on(void)
{
	struct rig other = {.id = EP1, .source = ROC_SOURCE_DDG, .count = 8};
	char address[ROC_TEXT_MAX];
	struct user u;

	strcpy(address, pci_address(EP0));
	UNIT_NEED(user_open(&u));
	UNIT_NEED(rig_open(&other));
	rig_push(&other, RIG_MAX);
	UNIT_NEED(rig_start(&other) && rig_run(&other, 10, 5000));
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL) & 1, 1);
	CU_ASSERT(rig_run(&other, other.filled + 20, 5000));
	user_close(&u);
	UNIT_NEED(driver_bind(address));
	CU_ASSERT(rig_run(&other, other.filled + 20, 5000));
	rig_stop(&other);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL) & 1, 0);
	RIG_OK(&other);
	rig_close(&other);
	works();
}

/* The function is reset through sysfs. */
static void function_reset(void)
{
	char path[96];
	struct user u;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", pci_address(EP0));
	if (access(path, W_OK)) {
		unit_skip("this card has no function-level reset");
		return;
	}
	UNIT_NEED(user_open(&u));
	UNIT_EQ(put_text(path, "1"), 0);
	CU_ASSERT(emu_idle(CARD0, 0, 300));
	user_is_out(&u);
	CU_ASSERT(emu_count(CARD0, 0, "function_resets") > 0);
	/* The node stays, with a new epoch: a new open gets a usable card. */
	user_close(&u);
	works();
	/* And without any opener. */
	UNIT_EQ(put_text(path, "1"), 0);
	works();
}

static int unload(void)
{
	return syscall(SYS_delete_module, "roc", O_NONBLOCK) ? -errno : 0;
}

static void unload_in_use(void)
{
	int fd = node_open(EP0, -1);

	UNIT_EQ(unload(), -EWOULDBLOCK);
	close(fd);
	fd = node_open(EP0, 0);
	UNIT_EQ(unload(), -EWOULDBLOCK);
	close(fd);
	works();
}

/*
 * The number N of /dev/rocN belongs to the PCI function, in whatever order functions are bound
 * again.
 */
static void numbers_stay(void)
{
	char address[2][24], path[2][64], now[64];
	int fd, i;

	for (i = 0; i < 2; i++) {
		snprintf(address[i], sizeof(address[i]), "%s", pci_address(i ? EP1 : EP0));
		snprintf(path[i], sizeof(path[i]), "%s", node_path(i ? EP1 : EP0, -1));
	}
	fd = node_open(EP0, -1); /* the old structure still exists */
	UNIT_NEED(fd >= 0);
	for (i = 0; i < 2; i++)
		UNIT_EQ(driver_unbind(address[i]), 0);
	for (i = 1; i >= 0; i--)
		CU_ASSERT(driver_bind(address[i]));
	for (i = 0; i < 2; i++) {
		snprintf(now, sizeof(now), "%s", node_path(i ? EP1 : EP0, -1));
		UNIT_STR(now, path[i]);
	}
	close(fd);
	works();
}

/*
 * Unbind a C-RORC while it reads all ones, so that disabling its bus mastering cannot be verified.
 */
static char deaf[ROC_TEXT_MAX];
static uint64_t mappings; /* log text if no memory is kept */

static bool unbind_silent(int log)
{
	emu(CRORC0, "fault 0 all-ones");
	UNIT_EQ(driver_unbind(deaf), 0);
	if (translated(EP0))
		CU_ASSERT(emu_count(CRORC0, 0, "mappings") > mappings);
	return klog_wait(log, KEPT, KEPT_LOGGED_MS);
}

static void kept_is_freed(int log)
{
	CU_ASSERT(klog_wait(log, KEPT_FREED, KEPT_MS) != NULL);
	if (translated(EP0))
		UNIT_EQ(emu_count(CRORC0, 0, "mappings"), mappings);
}

static bool crorc_back(void)
{
	struct rig r = {.id = CRORC_ID};
	bool good = rig_once(&r, 20, 5000);

	RIG_OK(&r);
	rig_close(&r);
	return good;
}

/*
 * Memory that it could write to stays allocated, which is logged, until it is reset or answers
 * again.
 */
static void kept_until_reset(void)
{
	char path[96];
	int log = klog_open();

	emu_normal_crorc(CRORC0);
	strcpy(deaf, pci_address(CRORC_ID));
	UNIT_EQ(driver_unbind(deaf), 0);
	mappings = emu_count(CRORC0, 0, "mappings");
	UNIT_NEED(driver_bind(deaf));

	UNIT_NEED(unbind_silent(log));
	emu(CRORC0, "fault 0 clear");
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", deaf);
	UNIT_EQ(put_text(path, "1"), 0);
	kept_is_freed(log);
	UNIT_NEED(driver_bind(deaf));
	CU_ASSERT(crorc_back());

	/* If the card answers again, bus mastering is disabled at last. */
	UNIT_NEED(unbind_silent(log));
	emu(CRORC0, "fault 0 clear");
	kept_is_freed(log);
	CU_ASSERT(!(emu_config(CRORC0, 0, PCI_COMMAND) & PCI_COMMAND_MASTER));
	UNIT_NEED(driver_bind(deaf));

	UNIT_NEED(unbind_silent(log));
	emu(CRORC0, "fault 0 clear");
	UNIT_NEED(driver_bind(deaf));
	CU_ASSERT(klog_wait(log, KEPT_FREED, KEPT_MS) != NULL);
	CU_ASSERT(crorc_back());
	close(log);
}

/* The removal itself frees it behind an IOMMU; otherwise it is freed when the card is back. */
static void kept_until_removed(void)
{
	char path[96];
	int log = klog_open();

	emu_normal_crorc(CRORC0);
	UNIT_NEED(unbind_silent(log));
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", deaf);
	UNIT_EQ(put_text(path, "1"), 0);
	if (translated(EP0))
		CU_ASSERT(klog_wait(log, KEPT_FREED, KEPT_MS) != NULL);
	emu(CRORC0, "fault 0 clear");
	UNIT_EQ(put_text("/sys/bus/pci/rescan", "1"), 0);
	if (!translated(EP0))
		CU_ASSERT(klog_wait(log, KEPT_FREED, KEPT_MS) != NULL);
	UNIT_NEED(wait_nodes(5));
	CU_ASSERT(crorc_back());
	close(log);
}

static void load_and_unload(void)
{
	int64_t before = pins();
	int i, bad = 0;

	for (i = 0; i < LOOPS; i++) {
		bad |= module_unload(5000);
		bad |= shell(NULL, 0, 20000, "modprobe roc");
		bad |= !wait_nodes(4);
	}
	UNIT_EQ(bad, 0);
	UNIT_EQ(pins(), before);
	works();
	CU_ASSERT(emu_clean(CARD0));
}

UNIT_MAIN("removal", {"unbound while running", unbound_while_running},
	  {"waiters wake", waiters_wake}, {"eventfd signalled", eventfd_signalled},
	  {"foreign device", foreign_device}, {"other endpoint runs on", other_endpoint_runs_on},
	  {"function reset", function_reset}, {"unload in use", unload_in_use},
	  {"numbers stay", numbers_stay}, {"kept until reset", kept_until_reset},
	  {"kept until removed", kept_until_removed}, {"load and unload", load_and_unload})
