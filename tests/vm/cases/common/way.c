// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every way to end the use of a channel. See way.h.
 */
#include "way.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emu.h"
#include "host.h"
#include "klog.h"
#include "limit.h"
#include "node.h"

#define KERNEL_MS 20000
#define OWNERS_HAND 1

const char *const way_names[WAY_COUNT] = {
	[WAY_CLOSE] = "close",
	[WAY_KILL] = "kill",
	[WAY_STOP] = "stop",
	[WAY_UNBIND] = "unbind",
	[WAY_REMOVE] = "remove",
	[WAY_FLR] = "flr",
	[WAY_AER_FATAL] = "aer-fatal",
	[WAY_AER_NONFATAL] = "aer-nonfatal",
	[WAY_UNPLUG] = "unplug",
	[WAY_ALL_ONES] = "all-ones",
	[WAY_RMMOD] = "rmmod",
	[WAY_RELOAD] = "reload",
	[WAY_POWER] = "emulator-killed",
};

static size_t endpoints; /* of all cards in the guest */

void way_prepare(void)
{
	struct roc_card *cards;

	if (!roc_enumerate(&cards, &endpoints))
		free(cards);
}

bool way_of_owner(enum way way)
{
	return way == WAY_CLOSE || way == WAY_KILL || way == WAY_STOP;
}

bool way_shuts(enum way way)
{
	return way == WAY_UNBIND || way == WAY_REMOVE || way == WAY_FLR || way == WAY_AER_FATAL ||
	       way == WAY_UNPLUG || way == WAY_RMMOD;
}

bool way_at_once(enum way way)
{
	return way == WAY_AER_NONFATAL || way == WAY_ALL_ONES || way == WAY_POWER;
}

int module_unload(unsigned int ms)
{
	int64_t end = now_ms() + patience_ms(ms);

	while (syscall(SYS_delete_module, "roc", O_NONBLOCK)) {
		if (errno != EWOULDBLOCK || now_ms() >= end)
			return -errno;
		sleep_ms(10);
	}
	return 0;
}

static int device_file(const char *address, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", address, name);
	return put_text(path, "1");
}

/* Of the root port, which reports errors of devices below it. */
static int recover(const struct target *t, const char *kind)
{
	int log = klog_open();
	const char *line;
	int err = 0;

	if (!host_do("aer %u 0 %s", t->card, kind))
		err = -EIO;
	line = err ? NULL : klog_wait(log, "AER: device recovery ", KERNEL_MS);
	close(log);
	if (line && strstr(line, "successful"))
		return 0;
	printf("# aer: %s\n", line ? line : "no recovery");
	return -EIO;
}

static int unplug(const struct target *t, unsigned int ep)
{
	int log = klog_open();
	int err = 0;

	if (!host_do("unplug %u %u", t->card, ep) ||
	    !klog_wait(log, "will power off", KERNEL_MS)) /* after five seconds, or at once: */
		err = -EIO;
	close(log);
	return err ?: slot_off(t->address[ep]);
}

static int go(void *arg)
{
	const struct going *g = arg;

	switch (g->way) {
	case WAY_UNBIND:
		return -driver_unbind(g->t->address[0]);
	case WAY_REMOVE:
		return -device_file(g->t->address[0], "remove");
	case WAY_FLR:
		return -device_file(g->t->address[0], "reset");
	case WAY_AER_FATAL:
		return -recover(g->t, "fatal");
	case WAY_UNPLUG:
		return -unplug(g->t, 0);
	case WAY_RMMOD:
		/* If a file is open, it fails at once. */
		return -module_unload(g->s ? 0 : KERNEL_MS / 4);
	default:
		return EINVAL;
	}
}

void way_begin(struct going *g)
{
	g->pid = 0;
	g->status = 0;
	switch (g->way) {
	case WAY_CLOSE:
		subject_order(g->s, OWNERS_HAND, ORDER_CLOSE);
		break;
	case WAY_STOP:
		subject_order(g->s, OWNERS_HAND, ORDER_STOP);
		break;
	case WAY_KILL:
		subject_kill(g->s);
		break;
	case WAY_AER_NONFATAL:
		g->status = -recover(g->t, "nonfatal");
		break;
	case WAY_ALL_ONES:
		emu(g->t->card, "fault 0 all-ones");
		break;
	case WAY_POWER:
		g->status = host_do("kill %u", g->t->card) ? 0 : EIO;
		break;
	default:
		g->pid = child_start(AS_ROOT, go, g);
		break;
	}
}

bool way_done(struct going *g, unsigned int ms)
{
	int64_t end = now_ms() + patience_ms(ms);
	int status;

	if (g->way == WAY_CLOSE || g->way == WAY_STOP)
		return !g->s || subject_done(g->s, OWNERS_HAND, ms);
	while (g->pid) {
		if (waitpid(g->pid, &status, WNOHANG) == g->pid) {
			g->status = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
			g->pid = 0;
		} else if (now_ms() > end) {
			return false;
		} else {
			sleep_ms(1);
		}
	}
	return true;
}

static bool power_back(const struct target *t)
{
	unsigned int ep;

	for (ep = 0; ep < t->endpoints; ep++)
		if (unplug(t, ep))
			return false;
	if (!host_do("revive %u", t->card))
		return false;
	for (ep = 0; ep < t->endpoints; ep++)
		if (!host_do("plug %u %u", t->card, ep))
			return false;
	return true;
}

bool way_back(const struct going *g)
{
	bool good = true;

	switch (g->way) {
	case WAY_UNBIND:
		good = driver_bind(g->t->address[0]);
		break;
	case WAY_REMOVE:
		good = !put_text("/sys/bus/pci/rescan", "1");
		break;
	case WAY_UNPLUG:
		good = host_do("plug %u 0", g->t->card);
		break;
	case WAY_ALL_ONES:
		emu(g->t->card, "fault all clear");
		break;
	case WAY_RMMOD:
	case WAY_RELOAD:
		good = !shell(NULL, 0, KERNEL_MS, "modprobe roc");
		break;
	case WAY_POWER:
		good = power_back(g->t);
		break;
	default:
		break;
	}
	good = wait_nodes(endpoints) && good;
	if (!good)
		printf("# %s: failed to restore the card\n", way_names[g->way]);
	return good;
}
