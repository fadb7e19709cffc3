// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test enumeration with the real libudev, and the udev rules with the real udevadm, in a sysfs that
 * this test writes.
 */
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "libroc/core/libroc.h"
#include "tests/unit/libroc/libroc_error.h"
#include "unit.h"

#include "tests/unit/fake_sysfs.h"
#include "tests/unit/libroc/core/few_files.h"

static void no_module(void)
{
	struct roc_card *cards = (void *)1;
	struct roc_card card;
	size_t count = 5;

	if (!fresh_sysfs())
		return;
	rmdir("/sys/class/roc");
	errno = 77;
	UNIT_EQ(roc_enumerate(&cards, &count), 0);
	UNIT_EQ(count, 0);
	CU_ASSERT_PTR_NULL(cards);
	UNIT_EQ(roc_find("#0", &card), -ENOENT);
	ERROR_HAS("modprobe roc");
	UNIT_EQ(errno, 77);
	mkdir("/sys/class/roc", 0755);
	UNIT_EQ(roc_find("#0", &card), -ENOENT);
	ERROR_HAS("has found no other");
	UNIT_EQ(roc_find("junk", &card), -EINVAL);
	ERROR_HAS("serial[:endpoint]");
}

static void finds_endpoints_in_order(void)
{
	struct roc_card *cards = NULL;
	struct roc_card card;
	size_t count = 0;

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:af:00.0", "246", "0");
	endpoint(1, "0000:3b:00.0", "245", "1");
	endpoint(10, "0000:3a:00.0", "-1", "-1");
	errno = 77;
	UNIT_NEED(!roc_enumerate(&cards, &count));
	UNIT_EQ(errno, 77);
	UNIT_NEED(count == 3); /* channels are no endpoints */
	UNIT_STR(cards[0].pci_address, "0000:3a:00.0");
	UNIT_EQ(cards[0].serial, -1);
	UNIT_STR(cards[0].node, "/dev/roc10");
	UNIT_STR(cards[1].pci_address, "0000:3b:00.0");
	UNIT_EQ(cards[1].sequence, 1);
	UNIT_EQ(cards[1].minor, 1);
	UNIT_EQ(cards[1].type, ROC_CARD_CRU);
	UNIT_EQ(cards[1].serial, 245);
	UNIT_EQ(cards[1].endpoint, 1);
	UNIT_EQ(cards[1].numa_node, 1);
	UNIT_EQ(cards[1].channels, 1);
	UNIT_STR(cards[1].firmware, "d1c9f4b");
	UNIT_STR(cards[1].user_logic, "");
	UNIT_STR(cards[2].node, "/dev/roc0");
	free(cards);

	UNIT_EQ(roc_find("246:0", &card), 0);
	UNIT_STR(card.node, "/dev/roc0");
	UNIT_EQ(roc_find("#2", &card), 0);
	UNIT_STR(card.node, "/dev/roc0");
	UNIT_EQ(roc_find("247", &card), -ENOENT);
	ERROR_HAS("there are #0 CRU without serial at 0000:3a:00.0, #1 CRU 245:1 at 0000:3b:00.0");
}

/* Return the CPU time of one run of the tool in us, or -1. */
static long list_cards_us(const char *tool)
{
	struct rusage use;
	pid_t child = fork();
	int status = -1;

	if (!child) {
		freopen("/dev/null", "w", stdout);
		execl(tool, tool, "list-cards", (char *)NULL);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &use) != child || status)
		return -1;
	return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000L + use.ru_utime.tv_usec +
	       use.ru_stime.tv_usec;
}

/* Every tool starts with a scan of all cards, so the scan must be fast. */
static void lists_six_endpoints_quickly(void)
{
	const char *tool = getenv("ROC_TOOL");
	long best = -1;
	int i;

	if (!fresh_sysfs())
		return;
	UNIT_NEED(tool != NULL);
	endpoint(0, "0000:3a:00.0", "245", "0");
	endpoint(1, "0000:3b:00.0", "245", "1");
	endpoint(2, "0000:5a:00.0", "246", "0");
	endpoint(3, "0000:5b:00.0", "246", "1");
	endpoint(4, "0000:af:00.0", "247", "0");
	endpoint(5, "0000:b0:00.0", "247", "1");
	/* Use the best of a few runs, because other programs affect the caches. */
	for (i = 0; i < 5; i++) {
		long us = list_cards_us(tool);

		UNIT_NEED(us >= 0);
		if (best < 0 || us < best)
			best = us;
	}
	printf("# list-cards, six endpoints: %.1f ms of CPU\n", (double)best / 1000);
	CU_ASSERT(best < 20000);
}

static void names_the_owner(void)
{
	char name[32] = "untouched";
	int pid = 5;

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:3b:00.0", "245", "0");
	UNIT_EQ(roc_channel_owner("245", 0, &pid, name, sizeof(name)), -ENOENT);
	ERROR_HAS("channel 0 of");
	UNIT_EQ(pid, 5);
	UNIT_STR(name, "untouched");
	attribute(PCI "0000:3b:00.0/roc/roc0/roc0ch0", "owner_pid", "4711");
	attribute(PCI "0000:3b:00.0/roc/roc0/roc0ch0", "owner_name", "roc-bench-dma");
	UNIT_EQ(roc_channel_owner("245", 0, &pid, name, sizeof(name)), 0);
	UNIT_EQ(pid, 4711);
	UNIT_STR(name, "roc-bench-dma");
	UNIT_EQ(roc_channel_owner("245", 0, &pid, NULL, 0), 0);
	UNIT_EQ(roc_channel_owner("245", 0, &pid, name, 4), 0);
	UNIT_STR(name, "roc");
	UNIT_EQ(roc_channel_owner("245", 3, &pid, name, sizeof(name)), -ENOENT);
	ERROR_HAS("no channel 3");
	/* A program can set its name to any bytes. */
	attribute(PCI "0000:3b:00.0/roc/roc0/roc0ch0", "owner_name", "\n\033[2Jr\xc3");
	UNIT_EQ(roc_channel_owner("245", 0, &pid, name, sizeof(name)), 0);
	UNIT_STR(name, "??[2Jr?");
	attribute(PCI "0000:3b:00.0/roc/roc0/roc0ch0", "owner_name", "roc-bench-dma");
	/* An owner in an invisible PID namespace has only a name. */
	attribute(PCI "0000:3b:00.0/roc/roc0/roc0ch0", "owner_pid", "0");
	UNIT_EQ(roc_channel_owner("245", 0, &pid, name, sizeof(name)), 0);
	UNIT_EQ(pid, 0);
	UNIT_STR(name, "roc-bench-dma");
}

/* If libudev cannot open more files, enumeration fails instead of skipping a card. */
static void too_few_files(void)
{
	struct roc_card *cards, card;
	unsigned int failed[3] = {0};
	size_t count = 0;
	char name[32];
	int files, pid;
	int ret[3] = {-1, -1, -1};

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:3b:00.0", "245", "0");
	endpoint(1, "0000:3c:00.0", "245", "1");
	attribute(PCI "0000:3b:00.0/roc/roc0/roc0ch0", "owner_pid", "4711");
	for (files = 0; files <= FEW_FILES_ENOUGH; files++) {
		cards = NULL;
		memset(&card, 0, sizeof(card));
		pid = 0;
		few_files(files);
		errno = 77;
		ret[0] = roc_enumerate(&cards, &count);
		ret[1] = roc_find("245:1", &card);
		ret[2] = roc_channel_owner("245", 0, &pid, name, sizeof(name));
		UNIT_EQ(errno, 77);
		few_files(-1);
		if (ret[0])
			UNIT_EQ(ret[0], -EMFILE);
		else
			CU_ASSERT(count == 2 && cards[0].serial == 245 && cards[1].channels == 1 &&
				  cards[1].type == ROC_CARD_CRU);
		free(cards);
		if (ret[1])
			UNIT_EQ(ret[1], -EMFILE);
		else
			CU_ASSERT(card.endpoint == 1 && card.channels == 1 && card.numa_node == 1);
		if (ret[2])
			FAILS(ret[2], -EMFILE, "Too many open files");
		else
			UNIT_EQ(pid, 4711);
		failed[0] += !!ret[0];
		failed[1] += !!ret[1];
		failed[2] += !!ret[2];
	}
	CU_ASSERT(failed[0] && failed[1] && failed[2]);
	CU_ASSERT(!ret[0] && !ret[1] && !ret[2]);
}

static void pool(int node, unsigned int total, unsigned int nr_free)
{
	char path[128], number[16];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/hugepages/hugepages-2048kB",
		 node);
	make_folders(path);
	snprintf(number, sizeof(number), "%u", total);
	attribute(path, "nr_hugepages", number);
	snprintf(number, sizeof(number), "%u", nr_free);
	attribute(path, "free_hugepages", number);
}

/* 8 MiB need 4 pages; the command must name the total that leaves 4 free. */
static void hugepage_sentences(void)
{
	if (!fresh_sysfs())
		return;
	UNIT_EQ(libroc_fail_hugepages(8 << 20, 2 << 20, 0), -ENOMEM);
	ERROR_HAS("has no hugepages of 2 MiB");
	pool(0, 16, 3);
	UNIT_EQ(libroc_fail_hugepages(8 << 20, 2 << 20, 0), -ENOMEM);
	ERROR_HAS("cannot allocate 8 MiB of hugepages on NUMA node 0: 4 pages of 2 MiB are needed");
	ERROR_HAS("node 0 has 3 of 16 free");
	ERROR_HAS(
		"echo 17 | sudo tee /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages");
	pool(0, 16, 4);
	UNIT_EQ(libroc_fail_hugepages(8 << 20, 2 << 20, 0), -ENOMEM);
	ERROR_HAS("reserved by other programs");
	pool(0, 16, 3);
	UNIT_EQ(libroc_fail_hugepages((8 << 20) + 1, 2 << 20, 0), -ENOMEM);
	ERROR_HAS("cannot allocate 8388609 bytes");
	ERROR_HAS("5 pages of 2 MiB are needed");
}

/*
 * Check the result of the udev rules for a device: DEVLINKS, GROUP and MODE as udevadm prints them.
 */
static void rules_say(const char *device, const char *const *want, size_t count)
{
	static char output[65536];
	char command[512];
	size_t used = 0, n, i;
	FILE *f;

	snprintf(command, sizeof(command), "udevadm test --action=add %s 2>&1", device);
	f = popen(command, "re");
	UNIT_NEED(f);
	while (used < sizeof(output) - 1 &&
	       (n = fread(output + used, 1, sizeof(output) - 1 - used, f)) > 0)
		used += n;
	output[used] = '\0';
	pclose(f);
	for (i = 0; i < count; i++) {
		const char *text = want[i] + (want[i][0] == '!');

		if (!strstr(output, text) != (want[i][0] == '!'))
			CU_assertImplementation(CU_FALSE, __LINE__, want[i], device, "", CU_FALSE);
	}
}

/*
 * udevadm reads rules from fixed directories and makes links in /dev even in a test: cover all of
 * them with empty ones, which contain only the tested rules and /dev/null.
 */
static bool only_our_rules(void)
{
	static const char *const folders[] = {"/usr/lib/udev/rules.d", "/lib/udev/rules.d",
					      "/etc/udev/rules.d"};
	char rules[4096];
	FILE *f = fopen("udev/60-roc.rules", "re");
	size_t i, n;

	UNIT_NEED(f);
	n = fread(rules, 1, sizeof(rules) - 1, f);
	rules[n] = '\0';
	fclose(f);
	for (i = 0; i < 3; i++)
		mount("roc-test", folders[i], "tmpfs", 0, NULL);
	return !mount("roc-test", "/run", "tmpfs", 0, NULL) && write_file("/run/null", "") &&
	       !mount("/dev/null", "/run/null", "none", MS_BIND, NULL) &&
	       !mount("roc-test", "/dev", "tmpfs", 0, NULL) && write_file("/dev/null", "") &&
	       !mount("/run/null", "/dev/null", "none", MS_BIND, NULL) &&
	       write_file("/usr/lib/udev/rules.d/60-roc.rules", rules);
}

static void udev_rules(void)
{
	static const char *const of_endpoint[] = {
		"roc/by-serial/245:1",
		"roc/by-path/pci-0000:3b:00.0",
		"GROUP",
		"MODE 0660",
		"!by-serial/245:1ch",
		"!nvalid", /* a warning about the rules */
	};
	static const char *const of_channel[] = {
		"roc/by-serial/245:1ch0",
		"roc/by-path/pci-0000:3b:00.0-ch0",
		"GROUP",
		"MODE 0660",
	};
	static const char *const of_nameless[] = {
		"roc/by-path/pci-0000:3c:00.0",
		"!by-serial",
		"MODE 0660",
	};
	static const char *const of_nameless_channel[] = {
		"roc/by-path/pci-0000:3c:00.0-ch0",
		"!by-serial",
	};

	if (system("command -v udevadm >/dev/null")) {
		unit_skip("udevadm is not installed");
		return;
	}
	if (!fresh_sysfs())
		return;
	UNIT_NEED(only_our_rules());
	endpoint(0, "0000:3b:00.0", "245", "1");
	endpoint(1, "0000:3c:00.0", "-1", "0");
	endpoint(2, "0000:3d:00.0", "246", "-1");
	rules_say(PCI "0000:3b:00.0/roc/roc0", of_endpoint, 6);
	rules_say(PCI "0000:3b:00.0/roc/roc0/roc0ch0", of_channel, 4);
	rules_say(PCI "0000:3c:00.0/roc/roc1", of_nameless, 3);
	rules_say(PCI "0000:3c:00.0/roc/roc1/roc1ch0", of_nameless_channel, 2);
	rules_say(PCI "0000:3d:00.0/roc/roc2", &of_nameless[1], 2);
	rules_say(PCI "0000:3d:00.0/roc/roc2/roc2ch0", &of_nameless_channel[1], 1);
}

UNIT_MAIN("libroc_enumerate", {"no module", no_module},
	  {"finds endpoints in order", finds_endpoints_in_order},
	  {"lists six endpoints in under 20 ms of CPU", lists_six_endpoints_quickly},
	  {"names the owner of a channel", names_the_owner},
	  {"fails if no more files can be opened", too_few_files},
	  {"error texts about hugepages", hugepage_sentences}, {"udev rules", udev_rules})
