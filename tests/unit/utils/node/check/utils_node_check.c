// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the rules of roc-node-check with servers that consist of files. For each possible WARN, FAIL
 * and UNKNOWN of a rule there is a server with only this fault, and all other rules must pass.
 */
#include "unit.h"

#include <ctype.h>

#include "tests/unit/utils/golden.h"
#include "tests/unit/utils/node/check/server.h"

#include "utils/node/check/check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

#define EP0 "sys/bus/pci/devices/0000:3b:00.0/"
#define CLASS0 "sys/class/roc/roc0/"
#define NODE "sys/devices/system/node/"
#define HUGE "hugepages/hugepages-1048576kB/"
#define SETUP "sys/class/firmware-attributes/maker/attributes/HardwarePrefetcher/current_value"
#define GOVERNOR "sys/devices/system/cpu/cpu20/cpufreq/scaling_governor"
#define DMI "sys/firmware/dmi/tables/DMI"

#define NO_NODES                                                                                   \
	CLASS0 "numa_node=-1;sys/class/roc/roc1/numa_node=-1;"                                     \
	       "sys/class/roc/roc2/numa_node=-1;sys/class/roc/roc3/numa_node=-1;"
#define ONE_NODE "-" NODE "node1;" NODE "node0/cpulist=0-39"
#define NO_NUMA                                                                                    \
	"-sys/devices/system/node;sys/devices/system/cpu/online=0-39;sys/kernel/mm/" HUGE          \
	"nr_hugepages=8;sys/kernel/mm/" HUGE "free_hugepages=8;"

#define P VERDICT_PASS
#define U VERDICT_UNKNOWN
#define W VERDICT_WARN
#define F VERDICT_FAIL

static const struct server {
	const char *rule;
	enum verdict verdict;
	const char *found; /* part of the finding of the rule */
	const char *changes;
	const char *also; /* other rules that must fail, too */
} servers[] = {
	{"driver", F, "not loaded", "-sys/module/roc", ""},
	{"driver", F, "version 0.0.9", "sys/module/roc/version=0.0.9", ""},
	{"driver", U, "does not exist", "-sys/module/roc/version", ""},

	{"cards", F, "a CRU with no driver", "-" EP0 "driver", ""},
	{"cards", F, "driver uio_pci_dma", "-" EP0 "driver;>" EP0 "driver=../uio_pci_dma", ""},
	{"cards", F, "no card", "-sys/class/roc;-sys/bus/pci/devices",
	 "endpoints firmware temperature link-speed link-width max-payload max-read-request aspm aer numa-node numa-balance hugepages irq-affinity iommu permissions"},
	{"cards", U, "do not support", CLASS0 "card_type=acme;sys/class/roc/roc1/card_type=acme",
	 "endpoints firmware"},

	{"cards", W, "an additional card", "limits.json={\"cards\": {\"245\": null}}", ""},
	{"cards", F, "not found",
	 "limits.json={\"cards\": {\"245\": 0, \"246\": 1, \"247\": null}}", ""},
	{"cards", P, "2", "limits.json={\"cards\": {\"245\": 0, \"246\": 1}}", ""},

	{"endpoints", F, "endpoint 1 is missing",
	 "-sys/class/roc/roc1;-sys/bus/pci/devices/0000:3c:00.0", ""},
	{"endpoints", F, "endpoint 0 is missing",
	 "-sys/class/roc/roc2;-sys/bus/pci/devices/0000:af:00.0", ""},
	/* A card of another type has the same serial number. */
	{"endpoints", F, "endpoint 0 is missing", CLASS0 "card_type=crorc", "firmware"},
	{"endpoints", F, "occurs twice", "sys/class/roc/roc1/endpoint=0", "temperature"},
	{"endpoints", F, "no serial number", CLASS0 "serial=-1", ""},
	{"endpoints", U, "do not support",
	 CLASS0 "card_type=acme;sys/class/roc/roc1/card_type=acme", "cards firmware"},

	{"firmware", F, "no longer accepted", CLASS0 "firmware=6a85d30c", ""},
	{"firmware", F, "not on the list", CLASS0 "firmware=1234567", ""},
	{"firmware", U, "o2-roc-fw-list.json", "etc/o2.d/readoutcard/o2-roc-fw-list.json=nonsense",
	 ""},
	{"firmware", U, "1234567: the list has no firmware for a PCIe40",
	 CLASS0
	 "card_type=p40;" CLASS0
	 "firmware=1234567;sys/class/roc/roc1/card_type=p40;sys/class/roc/roc1/firmware=1234567",
	 ""},
	{"firmware", P, "site f00d",
	 "etc/o2.d/readoutcard/o2-roc-fw-list.json={\"f00d\": \"site\"};" CLASS0 "firmware=f00d",
	 ""},

	/* Published: with fans at full speed three airflows gave 52, 53 and 68 C. */
	{"temperature", P, "52.0 C", EP0 "hwmon/hwmon3/temp1_input=52000", ""},
	{"temperature", P, "53.0 C", EP0 "hwmon/hwmon3/temp1_input=53000", ""},
	{"temperature", W, "55.0 C", EP0 "hwmon/hwmon3/temp1_input=55000", ""},
	{"temperature", F, "68.0 C", EP0 "hwmon/hwmon3/temp1_input=68000", ""},
	{"temperature", U, "does not exist", "-" EP0 "hwmon", ""},
	{"temperature", U, "invalid content", EP0 "hwmon/hwmon3/temp1_input=warm", ""},

	{"link-speed", F, "2.5 GT/s", EP0 "current_link_speed=2.5 GT/s PCIe", ""},
	{"link-speed", U, "unknown to the kernel", EP0 "current_link_speed=Unknown", ""},
	{"link-speed", U, "invalid content", EP0 "current_link_speed=fast", ""},
	{"link-width", F, "x4", EP0 "current_link_width=4", ""},
	{"link-width", U, "unknown to the kernel", EP0 "max_link_width=255", ""},
	{"link-width", U, "unknown to the kernel", EP0 "current_link_width=0", ""},
	{"link-width", U, "invalid content", EP0 "current_link_width=33", ""},
	{"max-payload", W, "128 bytes, the card supports 512", "@config=0000:3b:00.0 128 512 0",
	 ""},
	{"max-payload", F, "the port accepts 128", "@config=0000:3a:00.0 128 512 0", ""},
	{"max-payload", U, "permission denied", "@config=0000:3b:00.0 0 512 0",
	 "max-read-request aspm"},
	{"max-read-request", W, "128 bytes", "@config=0000:3b:00.0 256 128 0", ""},
	{"max-read-request", U, "does not exist", "-" EP0 "config", "max-payload aspm"},
	{"aspm", F, "L0s and L1 enabled", "@config=0000:3b:00.0 256 512 3", ""},
	{"aspm", F, "L1 enabled", "@config=0000:3a:00.0 256 512 2", ""},
	{"aspm", W, "powersave",
	 "sys/module/pcie_aspm/parameters/policy=default performance [powersave] powersupersave",
	 ""},
	{"aspm", U, "permission denied", "0" EP0 "config", "max-payload max-read-request"},
	{"aer", W, "card: 7 corrected", EP0 "aer_dev_correctable=RxErr 7\nTOTAL_ERR_COR 7", ""},
	{"aer", F, "port: 1 fatal",
	 "sys/bus/pci/devices/0000:3a:00.0/aer_dev_fatal=DLP 1\nTOTAL_ERR_FATAL 1", ""},
	{"aer", U, "card 0000:3b:00.0: does not exist", "-" EP0 "aer_dev_nonfatal", ""},
	{"aer", U, "invalid content", EP0 "aer_dev_fatal=TOTAL_ERR_FATAL -1", ""},

	{"numa-node", F, "the other endpoint", CLASS0 "numa_node=1", "numa-balance irq-affinity"},
	/* A board of another type may have the same serial number. */
	{"numa-node", P, "", CLASS0 "card_type=crorc;" CLASS0 "numa_node=1",
	 "endpoints firmware irq-affinity"},
	{"numa-node", F, "unknown", CLASS0 "numa_node=-1;sys/class/roc/roc1/numa_node=-1",
	 "irq-affinity"},
	{"numa-node", F, "no processors", NODE "node0/cpulist=", "irq-affinity"},
	{"numa-node", U, "invalid content", NODE "node1/cpulist=20-3",
	 "numa-balance sub-numa hugepages irq-affinity"},
	{"numa-balance", W, "2 on node 0, 0 on node 1",
	 "sys/class/roc/roc2/numa_node=0;sys/class/roc/roc3/numa_node=0", "irq-affinity"},
	{"numa-balance", U, "does not exist", "-sys/devices/system/node",
	 "numa-node sub-numa hugepages irq-affinity"},
	/* One node: the kernel does not know the node of a card, or has no NUMA at all. */
	{"numa-node", P, "the only node", NO_NODES ONE_NODE, ""},
	{"numa-balance", P, "2 on node 0", NO_NODES ONE_NODE, ""},
	{"numa-node", P, "the only node", NO_NODES NO_NUMA, ""},
	{"numa-balance", P, "2 on node 0", NO_NODES NO_NUMA, ""},
	{"irq-affinity", P, "1", NO_NODES NO_NUMA, ""},
	{"hugepages", P, "8192 MiB, 8192 MiB free", NO_NODES NO_NUMA, ""},
	{"hugepages", F, "0 MiB, 0 MiB free",
	 NO_NODES NO_NUMA
	 "sys/kernel/mm/" HUGE "nr_hugepages=0;sys/kernel/mm/" HUGE
	 "free_hugepages=0;sys/bus/pci/devices/0000:af:00.0/iommu_group/type=identity",
	 ""},
	{"sub-numa", W, "2",
	 NODE "node0/cpulist=0-9;" NODE
	      "node2/cpulist=10-19;sys/devices/system/cpu/cpu10/topology/physical_package_id=0",
	 ""},
	{"sub-numa", U, "does not exist", "-sys/devices/system/cpu/cpu20/topology", ""},
	{"numa-node", F, "node 0", "limits.json={\"cards\": {\"245\": 1, \"246\": 1}}", ""},
	{"hugepages", P, "0 MiB, 0 MiB free",
	 NODE "node1/" HUGE "nr_hugepages=0;" NODE "node1/" HUGE "free_hugepages=0", ""},
	{"hugepages", P, "0 MiB",
	 NODE
	 "node1/" HUGE "nr_hugepages=0;" NODE "node1/" HUGE
	 "free_hugepages=0;sys/bus/pci/devices/0000:af:00.0/iommu_group/type=identity;sys/class/roc/roc2ch0/kind=stream",
	 ""},
	{"cards", W, "the ID of an early CRU, with no driver",
	 "-" EP0 "driver;" EP0 "vendor=0x1172;" EP0 "device=0xe001", ""},
	{"cards", F, "a RobinNP with no driver", "-" EP0 "driver;" EP0 "device=0xe1a0", ""},
	{"hugepages", F, "0 MiB, 0 MiB free",
	 NODE "node1/" HUGE "nr_hugepages=0;" NODE "node1/" HUGE
	      "free_hugepages=0;sys/bus/pci/devices/0000:af:00.0/iommu_group/type=identity",
	 ""},
	{"hugepages", W, "1024 MiB free",
	 NODE
	 "node1/" HUGE
	 "free_hugepages=1;sys/bus/pci/devices/0000:af:00.0/iommu_group/type=identity;sys/bus/pci/devices/0000:b0:00.0/iommu_group/type=identity",
	 ""},
	{"hugepages", U, "invalid content", NODE "node0/" HUGE "free_hugepages=9", ""},
	{"irq-affinity", W, "1 of 1", "proc/irq/130/effective_affinity_list=21", ""},
	{"irq-affinity", U, "/proc/irq/130", "-proc/irq/130", ""},
	{"irq-affinity", P, "no interrupts", "-" EP0 "msi_irqs", ""},

	/* Published: Gb/s per endpoint. */
	{"memory-channels", P, "6 of 6", "@dmi=6 6", ""}, /* 55.6, 55.0, 55.4 */
	{"memory-channels", F, "4 of 6", "@dmi=6 4", ""}, /* 55.6, 30.0, 31.4 */
	{"memory-channels", F, "4 of 6", "@dmi=4 4", ""}, /* unstable */
	{"memory-channels", W, "3 of 6", "@dmi=3 3", ""}, /* 54, 52.5, 55.6 */
	{"memory-channels", F, "0 of 6", "@dmi=6 0", ""},
	{"memory-channels", P, "6 of 6", "@dmi=12 12", ""},
	{"memory-channels", P, "6 of 6", "@dmi=6", ""},
	{"memory-channels", U, "does not exist", "-" DMI, "memory-modules"},
	{"memory-channels", U, "permission denied", "0" DMI, "memory-modules"},
	{"memory-channels", U, "damaged", DMI "=nonsense", "memory-modules"},
	{"memory-channels", U, "no pattern matches", "@slots=8;@dmi=6 6", ""},
	{"memory-channels", F, "4 of 6",
	 "@slots=7;@dmi=6 4;limits.json={\"memoryLocators\": [\"^PROC ([0-9]) DIMM ([0-9]+)$\"], \"memoryChannels\": 6}",
	 ""},
	{"memory-modules", U, "no memory slots", "@dmi=", "memory-channels"},
	{"memory-modules", U, "no modules", "@dmi=0 0", "memory-channels"},

	{"memory-modules", W, "of different size: P1-DIMMA1 has 16384 MiB at 2666 MT/s, P1-DIMMD1",
	 "@module=3 64 2666 2666;@dmi=6 6", ""},
	{"memory-modules", W, "of different speed", "@module=3 16 2400 2400;@dmi=6 6", ""},
	{"memory-modules", W, "below its rated speed", "@module=0 16 2666 2400;@dmi=6 6", ""},
	{"memory-modules", P, "2 of 65536 MiB at 2666", "@module=0 64 2666 2666;@dmi=1 1",
	 "memory-channels"},

	{"prefetchers", W, "Enabled", SETUP "=Enabled", ""},
	{"prefetchers", U, "neither", "-sys/class/firmware-attributes", ""},
	{"iommu", P, "identity", EP0 "iommu_group/type=identity", ""},
	{"iommu", W, "none", "-" EP0 "iommu_group", ""},
	{"iommu", F, "blocked", EP0 "iommu_group/type=blocked", ""},
	{"iommu", U, "permission denied", "0" EP0 "iommu_group/type", ""},
	{"governor", W, "powersave on 1 of 2", GOVERNOR "=powersave", ""},
	{"governor", U, "does not exist",
	 "-sys/devices/system/cpu/cpu0/cpufreq;-sys/devices/system/cpu/cpu20/cpufreq", ""},
	{"secure-boot", P, "Secure Boot is on", "@secure=1", ""},
	{"secure-boot", P, "accepts unsigned", "@secure=0;sys/module/roc/taint=OE", ""},
	{"secure-boot", F, "not signed", "@secure=1;sys/module/roc/taint=OE", ""},
	{"secure-boot", F, "lockdown is on",
	 "sys/module/roc/taint=OE;sys/kernel/security/lockdown=none [integrity] confidentiality",
	 ""},
	{"secure-boot", W, "not loaded",
	 "sys/module/module/parameters/sig_enforce=Y;-sys/module/roc", "driver"},
	{"secure-boot", U, "whether",
	 "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c=long", ""},

	{"memlock", F, "0 MiB", "proc/self/limits=Max locked memory 65536 65536 bytes", ""},
	{"memlock", W, "2048 MiB", "proc/self/limits=Max locked memory 2147483648 2147483648 bytes",
	 ""},
	{"memlock", P, "4096 MiB", "proc/self/limits=Max locked memory 4294967296 4294967296 bytes",
	 ""},
	{"memlock", U, "CAP_IPC_LOCK",
	 "proc/self/limits=Max locked memory 65536 65536 bytes;proc/self/status=CapEff:\t000001ffffffffff",
	 ""},
	{"memlock", U, "invalid content", "proc/self/limits=Max nothing", ""},
	{"permissions", F, "no device node /dev/roc0ch0", "-dev/roc0ch0", ""},
	{"permissions", F, "mode 0000", "0dev/roc0", ""},
	{"permissions", F, "not 12345", "etc/group=roc:x:12345:anna", ""},
	{"permissions", U, "dev/roc0", "-dev;>dev=dev", ""},
	{"group", F, "no such group", "etc/group=root:x:0:", "permissions"},
	{"permissions", F, "but the group roc does not exist", "etc/group=root:x:0:", "group"},
	{"permissions", F, "not 12345",
	 "etc/group=daq:x:12345:anna;limits.json={\"group\": \"daq\"}", ""},
	{"group", W, "no members", "@no-members=", ""},
	{"group", U, "permission denied", "0etc/group", "permissions"},
	{"permissions", U, "/etc/group: permission denied", "0etc/group", "group"},
	{"group", F, "no such group", "-etc/group", "permissions"},
};

static void check(struct check *c, const struct limits *limits)
{
	*c = (struct check){.limits = *limits};
	UNIT_NEED(!tree_open(&c->tree, server_root));
	check_run(c);
	CU_ASSERT_FALSE(c->out_of_memory);
}

/* Read the limits of the server, if it has a file. */
static void read_limits(struct limits *limits)
{
	char path[96], reason[256] = "";

	limits_default(limits);
	snprintf(path, sizeof(path), "%s/limits.json", server_root);
	if (!access(path, F_OK))
		UNIT_EQ(limits_read(limits, path, reason, sizeof(reason)), 0);
	UNIT_STR(reason, "");
}

/* Check as an unprivileged user. */
static void check_unprivileged(struct check *c)
{
	struct limits limits;
	bool root = !geteuid();

	read_limits(&limits);
	if (root) {
		UNIT_NEED(!setegid(65534));
		UNIT_NEED(!seteuid(65534));
	}
	check(c, &limits);
	if (root) {
		UNIT_NEED(!seteuid(0));
		UNIT_NEED(!setegid(0));
	}
}

static bool found(const struct check *c, const char *rule, enum verdict verdict, const char *text)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		if (!strcmp(c->findings[i].rule->name, rule) && c->findings[i].verdict == verdict &&
		    strstr(c->findings[i].found, text))
			return true;
	return false;
}

static void show(const struct check *c, const struct server *s)
{
	size_t i;

	unit_note("%s %s \"%s\" by %s:", s->rule, check_verdict(s->verdict), s->found, s->changes);
	for (i = 0; i < c->count; i++)
		if (c->findings[i].verdict || !strcmp(c->findings[i].rule->name, s->rule))
			unit_note("  %s %s %s: %s", c->findings[i].rule->name,
				  c->findings[i].subject, check_verdict(c->findings[i].verdict),
				  c->findings[i].found);
}

/* Whether each finding other than PASS has a remedy. */
static bool all_cured(const struct check *c)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		if (c->findings[i].verdict && !c->findings[i].cure)
			return false;
	return true;
}

/* The rule must have the expected finding. The rules in @also must fail, and all others pass. */
static void judge(const struct check *c, const struct server *s)
{
	const struct rule *rule;
	bool right = found(c, s->rule, s->verdict, s->found) && all_cured(c);

	for (rule = check_rules; rule->name; rule++) {
		enum verdict worst = check_worst(c, rule);

		if (!strcmp(rule->name, s->rule))
			right &= worst == s->verdict;
		else
			right &= (worst != VERDICT_PASS) == (strstr(s->also, rule->name) != NULL);
	}
	if (!right)
		show(c, s);
	CU_ASSERT_TRUE(right);
}

static void as_it_should_be(void)
{
	static const struct server good = {"driver", P, "version", "", ""};
	struct check c;

	server_new();
	check_unprivileged(&c);
	judge(&c, &good);
	check_end(&c);
	server_end();
}

static void one_fault_each(void)
{
	struct check c;
	size_t i;

	for (i = 0; i < N(servers); i++) {
		server_new();
		server_change(servers[i].changes);
		check_unprivileged(&c);
		judge(&c, &servers[i]);
		check_end(&c);
		server_end();
	}
}

/* There is a server for each verdict of each rule, and for no other verdict. */
static void all_verdicts(void)
{
	const struct rule *rule;
	size_t i;

	for (rule = check_rules; rule->name; rule++) {
		unsigned int shown = 0;

		for (i = 0; i < N(servers); i++)
			if (!strcmp(servers[i].rule, rule->name))
				shown |= 1u << servers[i].verdict;
		shown &= ~(1u << VERDICT_PASS);
		if (shown != rule->can)
			unit_note("%s has servers for 0x%x, and can 0x%x", rule->name, shown,
				  rule->can);
		UNIT_EQ(shown, rule->can);
	}
}

static void forms(void)
{
	struct limits limits;
	struct check c;
	FILE *out;

	limits_default(&limits);
	limits.drivers.count = 1;
	strcpy(limits.drivers.text[0], "1.2.3");
	server_new();
	server_change("sys/module/roc/version=1.2.3;@dmi=6 4;-" EP0
		      "hwmon;@config=0000:3c:00.0 128 512 0;-sys/class/firmware-attributes;" EP0
		      "current_link_width=4");
	check(&c, &limits);
	out = golden_begin();
	check_text(out, &c, false, false);
	golden_end(out, "node-check.txt");
	out = golden_begin();
	check_text(out, &c, true, true);
	golden_end(out, "node-check-verbose.txt");
	out = golden_begin();
	check_json(out, &c);
	golden_end(out, "node-check.json");
	check_end(&c);
	server_end();
}

/* Neither format contains control characters for a terminal. */
static void harmless(const struct check *c)
{
	size_t length, i;
	char *text;
	FILE *out = open_memstream(&text, &length);

	UNIT_NEED(out);
	check_text(out, c, true, false);
	check_json(out, c);
	fclose(out);
	for (i = 0; i < length; i++) {
		const bool c1 = text[i] == '\xc2' && (unsigned char)text[i + 1] < 0xa0;

		if (c1 || (iscntrl((unsigned char)text[i]) && text[i] != '\n'))
			unit_note("%.60s", text + (i > 40 ? i - 40 : 0));
		CU_ASSERT_FALSE(c1 || (iscntrl((unsigned char)text[i]) && text[i] != '\n'));
	}
	free(text);
}

/*
 * Trees that are not a server, or have hostile files: the check ends, and the verdict is not PASS.
 */
static void hostile(void)
{
	static const char *const changes[] = {
		"sys/class/roc/roc9999999999999/serial=1",
		"sys/class/roc/roc1x/serial=1",
		CLASS0 "pci_address=../../../etc/passwd",
		CLASS0 "channels=99999999",
		CLASS0 "serial=99999999999999999999",
		CLASS0 "firmware=\x80\xff\x1b[31m",
		GOVERNOR "=\x1b[2J\xc2\x9b"
			 "1m\x7f",
		"sys/module/roc/version=\x1b]0\a",
		EP0 "msi_irqs/\x1b[2J=msix",
		"-" EP0 "config;>" EP0 "config=/dev/zero",
		EP0 "current_link_speed=1e999 GT/s",
		NODE "node0/cpulist=0-4294967295",
		NODE "node0/cpulist=0-18446744073709551616",
		NODE "node0/" HUGE "nr_hugepages=9223372036854775807",
		"-proc/irq/130/effective_affinity_list;-proc/irq/130/smp_affinity_list;>proc/irq/130/smp_affinity_list=smp_affinity_list",
		"etc/group=roc:x",
	};
	struct tree t;
	struct check c;
	size_t i;

	for (i = 0; i < N(changes); i++) {
		server_new();
		server_change(changes[i]);
		check_unprivileged(&c);
		CU_ASSERT(c.count >= 25);
		CU_ASSERT(all_cured(&c));
		harmless(&c);
		check_end(&c);
		server_end();
	}
	server_new();
	server_change("-sys");
	UNIT_EQ(tree_open(&t, server_root), -ENOENT);
	UNIT_EQ(tree_open(&t, "/proc/self/status"), -ENOTDIR);
	UNIT_EQ(tree_open(&t, "/nowhere"), -ENOENT);
	server_end();
}

static const char *cure_of(const struct check *c, const char *rule)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		if (!strcmp(c->findings[i].rule->name, rule) && c->findings[i].cure)
			return c->findings[i].cure;
	return "";
}

/* Texts that a remedy must contain, and must not contain. */
static void cures(void)
{
	static const char no_huge_pages[] =
		NODE "node0/" HUGE "nr_hugepages=0;" NODE "node0/" HUGE "free_hugepages=0;" NODE
		     "node1/" HUGE "nr_hugepages=0;" NODE "node1/" HUGE "free_hugepages=0;"
		     "sys/bus/pci/devices/0000:3b:00.0/iommu_group/type=identity;"
		     "sys/bus/pci/devices/0000:3c:00.0/iommu_group/type=identity;"
		     "sys/bus/pci/devices/0000:af:00.0/iommu_group/type=identity;";
	static const struct {
		const char *rule, *changes, *has, *lacks;
	} cures[] = {
		{"aspm", "@config=0000:3b:00.0 256 512 3", "pcie_aspm.policy=performance",
		 "pcie_aspm=off"},
		{"max-payload", "@config=0000:3b:00.0 128 512 0", "pci=pcie_bus_safe",
		 "pcie_bus_perf"},
		{"max-read-request", "@config=0000:3b:00.0 256 128 0",
		 "sudo setpci -s 0000:3b:00.0 CAP_EXP+8.w=2000:7000", "pcie_bus_perf"},
		{"max-read-request",
		 "@config=0000:3b:00.0 256 128 0;limits.json={\"maxReadRequest\": 4096}",
		 "CAP_EXP+8.w=5000:7000", "pcie_bus_perf"},
		{"hugepages", no_huge_pages, " hugepages=0:2,1:1,", "hugepages=0:2 "},
		{"hugepages",
		 NO_NODES ONE_NODE
		 ";" NODE "node0/" HUGE "nr_hugepages=0;" NODE "node0/" HUGE
		 "free_hugepages=0;sys/bus/pci/devices/0000:af:00.0/iommu_group/type=identity",
		 " hugepages=1, or write 1 to /sys/kernel/mm/hugepages/", "0:1"},
		{"memlock",
		 "proc/self/limits=Max locked memory 65536 65536 bytes;limits.json={\"group\": \"daq\"};etc/group=daq:x:0:anna",
		 "'@daq - memlock unlimited'", "@roc"},
		{"group", "limits.json={\"group\": \"daq\"}", "groupadd -r daq", "roc,"},
		{"group",
		 "limits.json={\"group\": \"daq\"};etc/group=daq:x:0:", "usermod -a -G daq", "roc"},
		{"permissions", "limits.json={\"group\": \"daq\"};etc/group=daq:x:12345:anna",
		 "GROUP=\"daq\"", "make install"},
		{"cards", "-sys/class/roc;-sys/bus/pci/devices", "-d 1172:e001", "reseat"},
	};
	struct limits limits;
	struct check c;
	size_t i;

	for (i = 0; i < N(cures); i++) {
		const char *cure;

		server_new();
		server_change(cures[i].changes);
		read_limits(&limits);
		check(&c, &limits);
		cure = cure_of(&c, cures[i].rule);
		if (!strstr(cure, cures[i].has) || strstr(cure, cures[i].lacks))
			unit_note("%s: %s", cures[i].rule, cure);
		CU_ASSERT_PTR_NOT_NULL(strstr(cure, cures[i].has));
		CU_ASSERT_PTR_NULL(strstr(cure, cures[i].lacks));
		check_end(&c);
		server_end();
	}
}

/* Ten modules are found with all naming schemes of slots. */
static void makers(void)
{
	struct limits limits;
	struct check c;
	char change[32];
	int maker;

	limits_default(&limits);
	for (maker = MAKER_LETTERS; maker <= MAKER_CHANNEL; maker++) {
		server_new();
		snprintf(change, sizeof(change), "@slots=%d;@dmi=6 4", maker);
		server_change(change);
		check(&c, &limits);
		if (!found(&c, "memory-channels", F, "4 of 6"))
			unit_note("of maker %d", maker);
		CU_ASSERT(found(&c, "memory-channels", F, "4 of 6"));
		CU_ASSERT(found(&c, "memory-channels", P, "6 of 6"));
		check_end(&c);
		server_end();
	}
}

UNIT_MAIN("rules of roc-node-check", {"server without faults", as_it_should_be},
	  {"servers with one fault each", one_fault_each},
	  {"server for each verdict", all_verdicts}, {"remedies", cures},
	  {"names of memory slots", makers}, {"formats", forms}, {"invalid trees", hostile})
