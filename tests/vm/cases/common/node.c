// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Device nodes and the ABI without the library. See node.h.
 */
#include "node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limit.h"

#define NODES_MS 10000

static void find(const char *id, struct roc_card *card)
{
	int ret = roc_find(id, card);

	if (!ret)
		return;
	printf("Bail out! %s: %s\n", id, roc_error());
	fflush(stdout);
	_exit(2);
}

bool card_there(const char *id)
{
	struct roc_card card;

	return !roc_find(id, &card);
}

const char *node_path(const char *id, int channel)
{
	static char path[48];
	struct roc_card card;

	find(id, &card);
	if (channel < 0)
		snprintf(path, sizeof(path), "%s", card.node);
	else
		snprintf(path, sizeof(path), "%sch%d", card.node, channel);
	return path;
}

int open_rw(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int node_open(const char *id, int channel)
{
	return open_rw(node_path(id, channel));
}

int abi(int fd, unsigned long nr, void *arg)
{
	return ioctl(fd, nr, arg) < 0 ? -errno : 0;
}

int reg_read(int fd, unsigned int bar, uint32_t offset, uint32_t *value)
{
	struct roc_reg reg = {.size = sizeof(reg), .bar = bar, .offset = offset};
	int err = abi(fd, ROC_REG_READ, &reg);

	*value = reg.value;
	return err;
}

int reg_write(int fd, unsigned int bar, uint32_t offset, uint32_t value)
{
	struct roc_reg reg = {.size = sizeof(reg), .bar = bar, .offset = offset, .value = value};

	return abi(fd, ROC_REG_WRITE, &reg);
}

int reg_modify(int fd, unsigned int bar, uint32_t offset, uint32_t mask, uint32_t value,
	       uint32_t *before)
{
	struct roc_reg reg = {
		.size = sizeof(reg), .bar = bar, .offset = offset, .value = value, .mask = mask};
	int err = abi(fd, ROC_REG_MODIFY, &reg);

	if (before)
		*before = reg.old;
	return err;
}

int endpoint_abi(const char *id, unsigned long nr, void *arg)
{
	int fd = node_open(id, -1), err;

	if (fd < 0)
		return fd;
	err = abi(fd, nr, arg);
	close(fd);
	return err;
}

int endpoint_write(const char *id, unsigned int bar, uint32_t offset, uint32_t value)
{
	struct roc_reg reg = {.size = sizeof(reg), .bar = bar, .offset = offset, .value = value};

	return endpoint_abi(id, ROC_REG_WRITE, &reg);
}

int control(int fd, unsigned long nr, uint32_t flags, uint32_t level)
{
	struct roc_ch_control c = {.size = sizeof(c), .flags = flags, .level = level};

	return abi(fd, nr, &c);
}

struct roc_ch_info ch_info(int fd)
{
	struct roc_ch_info info = {.size = sizeof(info)};

	if (abi(fd, ROC_CH_INFO, &info))
		memset(&info, 0xff, sizeof(info));
	return info;
}

static void read_line(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "re");

	text[0] = '\0';
	if (!f)
		return;
	if (!fgets(text, size, f))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	fclose(f);
}

const char *node_attr(const char *id, int channel, const char *name)
{
	static char text[4][256];
	static unsigned int turn;
	char path[128];

	turn = (turn + 1) % 4;
	snprintf(path, sizeof(path), "/sys/class/roc/%s/%s",
		 node_path(id, channel) + strlen("/dev/"), name);
	read_line(path, text[turn], sizeof(text[turn]));
	return text[turn];
}

int thread_pid(const char *id, int channel)
{
	char path[300], name[64], want[32];
	struct dirent *entry;
	int minor = -1, pid = 0;
	DIR *proc;

	if (sscanf(node_path(id, -1), "/dev/roc%d", &minor) != 1)
		return 0;
	snprintf(want, sizeof(want), "roc/%d.%d", minor, channel);
	proc = opendir("/proc");
	while (proc && !pid && (entry = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		read_line(path, name, sizeof(name));
		if (!strcmp(name, want))
			pid = atoi(entry->d_name);
	}
	if (proc)
		closedir(proc);
	return pid;
}

char thread_state(const char *id, int channel)
{
	char path[40], line[300], *end;
	int pid = thread_pid(id, channel);

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	read_line(path, line, sizeof(line));
	end = pid ? strrchr(line, ')') : NULL;
	return end && end[1] == ' ' ? end[2] : 0;
}

uint64_t node_count(const char *id, int channel, const char *name)
{
	return strtoull(node_attr(id, channel, name), NULL, 10);
}

struct counters counters(const char *id, int channel)
{
	return (struct counters){
		.interrupts = node_count(id, channel, "interrupts"),
		.missed = node_count(id, channel, "missed_interrupts"),
		.spurious = node_count(id, channel, "spurious_interrupts"),
		.reads = node_count(id, channel, "mmio_reads"),
		.retries = node_count(id, channel, "retries"),
	};
}

struct counters counters_since(const char *id, int channel, struct counters before)
{
	struct counters now = counters(id, channel);

	return (struct counters){
		.interrupts = now.interrupts - before.interrupts,
		.missed = now.missed - before.missed,
		.spurious = now.spurious - before.spurious,
		.reads = now.reads - before.reads,
		.retries = now.retries - before.retries,
	};
}

const char *pci_address(const char *id)
{
	static char address[4][ROC_TEXT_MAX];
	static unsigned int turn;
	struct roc_card card;

	find(id, &card);
	turn = (turn + 1) % 4;
	strcpy(address[turn], card.pci_address);
	return address[turn];
}

static bool capable_of(const char *id, uint64_t cap)
{
	struct roc_ep_info info = {.size = sizeof(info)};

	return !endpoint_abi(id, ROC_EP_INFO, &info) && info.caps & cap;
}

bool translated(const char *id)
{
	return capable_of(id, ROC_CAP_IOMMU);
}

bool has_events(const char *id)
{
	return capable_of(id, ROC_CAP_EVENTS);
}

bool has_streams(const char *id)
{
	return capable_of(id, ROC_CAP_STREAMS);
}

bool has_fragments(const char *id)
{
	return capable_of(id, ROC_CAP_FRAGMENTS);
}

bool bus_master(const char *id)
{
	char path[96];
	uint16_t command = 0;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", pci_address(id));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &command, 2, 4) != 2) {
		printf("Bail out! %s: %s\n", path, strerror(errno));
		fflush(stdout);
		_exit(2);
	}
	close(fd);
	return command & 4;
}

int put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	err = n < 0 ? -errno : 0;
	close(fd);
	return err;
}

int set_poll_interval(const char *id, unsigned int ms)
{
	return shell(NULL, 0, 5000,
		     "echo %u | tee /sys/bus/pci/devices/%s/hwmon/hwmon*/update_interval", ms,
		     pci_address(id));
}

int driver_unbind(const char *address)
{
	return put_text("/sys/bus/pci/drivers/roc/unbind", address);
}

static unsigned int links_made(void)
{
	struct roc_card *cards;
	unsigned int made = 0;
	char path[64];
	size_t count, i;

	if (roc_enumerate(&cards, &count))
		return 0;
	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "/dev/roc/by-serial/%d:%dch0", cards[i].serial,
			 cards[i].endpoint);
		made += !access(path, F_OK);
	}
	free(cards);
	return made;
}

unsigned int nodes_there(void)
{
	return links_made();
}

bool has_msix(const char *address)
{
	return !shell(NULL, 0, NODES_MS, "grep -rqx msix /sys/bus/pci/devices/%s/msi_irqs",
		      address);
}

bool wait_nodes(unsigned int count)
{
	int64_t end = now_ms() + patience_ms(NODES_MS);
	char out[256];

	while (links_made() < count) {
		if (now_ms() > end)
			return false;
		sleep_ms(10);
	}
	shell(out, sizeof(out), NODES_MS, "udevadm settle");
	return true;
}

bool driver_bind(const char *address)
{
	char path[64];
	int64_t end = now_ms() + patience_ms(NODES_MS);
	int err = put_text("/sys/bus/pci/drivers/roc/bind", address);

	if (err) {
		printf("# bind %s: %s\n", address, strerror(-err));
		return false;
	}
	snprintf(path, sizeof(path), "/dev/roc/by-path/pci-%s-ch0", address);
	while (access(path, F_OK)) {
		if (now_ms() > end)
			return false;
		sleep_ms(10);
	}
	/*
	 * The udev rules set group and mode before they make the link; other nodes may take longer.
	 */
	shell(NULL, 0, NODES_MS, "udevadm settle");
	return true;
}

bool rebind_card(unsigned int card)
{
	char address[2][ROC_TEXT_MAX];
	char id[16];
	int ep;

	for (ep = 0; ep < 2; ep++) {
		snprintf(id, sizeof(id), "%u:%d", 245 + card, ep);
		strcpy(address[ep], pci_address(id));
	}
	for (ep = 0; ep < 2; ep++)
		if (driver_unbind(address[ep]))
			return false;
	for (ep = 0; ep < 2; ep++)
		if (!driver_bind(address[ep]))
			return false;
	return true;
}

int shell(char *out, unsigned long size, unsigned int ms, const char *fmt, ...)
{
	char command[2048], waste[4096];
	int64_t end = now_ms() + patience_ms(ms);
	unsigned long used = 0;
	int fds[2], status;
	va_list ap;
	pid_t pid;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	if (pipe2(fds, O_CLOEXEC))
		return -1;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		dup2(fds[1], 1);
		dup2(fds[1], 2);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	close(fds[1]);
	for (;;) {
		struct pollfd p = {.fd = fds[0], .events = POLLIN};
		ssize_t n = 0;

		if (poll(&p, 1, 50) > 0) {
			bool fits = out && used + 1 < size;

			n = fits ? read(fds[0], out + used, size - used - 1)
				 : read(fds[0], waste, sizeof(waste));
			if (n <= 0)
				break;
			used += fits ? n : 0;
		}
		if (now_ms() > end) {
			kill(-pid, SIGKILL);
			end = INT64_MAX;
		}
	}
	close(fds[0]);
	if (out && size)
		out[used] = '\0';
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
