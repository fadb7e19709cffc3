// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the installed units in a guest whose first process is systemd: readiness, the sandbox, and
 * the units' behaviour when stopped, killed or hanging, without their card, and with invalid
 * options.
 */
#include "common/case.h"
#include "common/rosd.h"

#include <string.h>
#include <unistd.h>

#define UNITS "/etc/systemd/system"
#define ROSD "roc-rosd"
#define EVB "roc-evb@n1"
#define ROSD_CONF "/etc/default/roc-rosd"
#define ROSD_USUAL "--id=%s --listen=127.0.0.1:9870 --pages=256 --wait=3000 --interval=1s --json"
#define LOAD                                                                                       \
	"timeout 300 roc-ros-load --connect=127.0.0.1:9870 --json --size=400 --size-max=1600 "     \
	"--clear=50 --clients=4 "
/* In tenths; 10 is the least protected, this unit has 1.7. */
#define EXPOSED_MOST "20"
/* More often than systemd's own limit permits if restarts are fast: five times in 10 s. */
#define RESTARTS_MANY 6

static char card[16];

/* A RobinNP, at any place among the guest's cards. */
static bool there(void)
{
	struct roc_card found;
	unsigned int k;

	for (k = 0; !card[0] && k < 3; k++) {
		snprintf(card, sizeof(card), "%u", 6001 + k);
		if (roc_find(card, &found))
			card[0] = '\0';
	}
	if (access("/run/systemd/system", F_OK))
		unit_skip("systemd is not the first process of this guest");
	else if (!card[0])
		unit_skip("there is no RobinNP in this guest");
	else
		return true;
	return false;
}

static bool shows(const char *unit, const char *property, const char *value)
{
	return !RUN("systemctl show -P %s %s", property, unit) &&
	       !strncmp(out, value, strlen(value)) && out[strlen(value)] == '\n';
}

static unsigned int restarts(const char *unit)
{
	return RUN("systemctl show -P NRestarts %s", unit) ? 0
							   : (unsigned int)strtoul(out, NULL, 10);
}

/* The unit is up, with more restarts than @before. */
static bool up_again(const char *unit, unsigned int before)
{
	return restarts(unit) > before && shows(unit, "ActiveState", "active");
}

/* Search the log of the unit and of systemd since its last start. */
static bool journal_has(const char *unit, const char *text)
{
	return !RUN("journalctl --sync; journalctl --invocation=0 -o cat --no-pager -u %s", unit) &&
	       strstr(out, text);
}

static void conf(const char *options)
{
	UNIT_EQ(RUN("mkdir -p /etc/default && echo ROSD_OPTIONS='%s' > " ROSD_CONF, options), 0);
}

static void usual(void)
{
	char options[160];

	snprintf(options, sizeof(options), ROSD_USUAL, card);
	conf(options);
}

/* Time limits of a unit, in ms; 0: none. */
static void limits(const char *unit, unsigned int watchdog, unsigned int stop)
{
	UNIT_EQ(RUN("mkdir -p " UNITS "/%s.service.d && printf '[Service]\\nWatchdogSec=%ums\\n"
		    "TimeoutStopSec=%ums\\n' > " UNITS
		    "/%s.service.d/limits.conf && systemctl daemon-reload",
		    unit, watchdog, stop, unit),
		0);
}

/* Load with so many events; every byte is checked. */
static void request_events(const char *events)
{
	UNIT_EQ(RUN(LOAD
		    "--stall-limit=%u --events=%s > /tmp/client 2> /tmp/client.err || { code=$?; cat /tmp/client.err; exit $code; }",
		    patience_ms(10000) / 1000, events),
		0);
	UNIT_EQ(RUN("sed -n '/^{/,$p' /tmp/client"), 0);
	UNIT_EQ(json_number(json_get(out, "errors")), 0);
	UNIT_EQ(json_number(json_get(out, "incomplete")), 0);
	UNIT_EQ(json_number(json_get(out, "replies")), strtol(events, NULL, 10));
}

/* The unit's own limits. Restarts have no limit: see "card removed". */
static void own_limits(const char *unit, const char *stop)
{
	/* systemd shows this property only while it runs. */
	UNIT_EQ(RUN("systemctl cat %s | grep -x WatchdogSec=10", unit), 0);
	CU_ASSERT(shows(unit, "TimeoutStopUSec", stop));
	CU_ASSERT(shows(unit, "StartLimitIntervalUSec", "0"));
}

/* From here on the units have limits for a slow machine. */
static void installed(void)
{
	if (!there())
		return;
	UNIT_NEED(rosd_loopback() && rosd_generate(card, 400, 1600, 0, 0));
	ends(0, "systemd-analyze verify --man=no " ROSD ".service " EVB ".service");
	UNIT_STR(out, "");
	CU_ASSERT(shows(ROSD, "MemoryMax", "4294967296"));
	CU_ASSERT(shows(ROSD, "LimitNOFILE", "65536"));
	own_limits(ROSD, "20s");
	own_limits(EVB, "40s");
	limits(ROSD, patience_ms(10000), patience_ms(20000));
	limits("roc-evb@", patience_ms(10000), patience_ms(40000));
}

/* The unit counts as started when it serves, and is enabled at boot. */
static void serves(void)
{
	if (!there())
		return;
	usual();
	ends(0, "systemctl enable --now " ROSD);
	CU_ASSERT(shows(ROSD, "ActiveState", "active"));
	request_events("300");
	ends(0, "systemctl is-enabled " ROSD);
	/* Metrics are world-readable for collectors. */
	CU_ASSERT(UNIT_WAIT(
		!RUN("as-user stranger grep '^roc_rosd_replies' /run/roc-rosd/metrics.prom"),
		10000));
	ends(0, "as-user stranger test -w /run/roc-rosd/metrics.sock");
}

/*
 * It runs as an unprivileged user, without capabilities, writable files or devices other than the
 * cards.
 */
static void sandboxed(void)
{
	if (!there())
		return;
	ends(0, "cat /proc/$(systemctl show -P MainPID " ROSD ")/status");
	OUTPUT_HAS("NoNewPrivs:\t1");
	OUTPUT_HAS("Seccomp:\t2");
	OUTPUT_HAS("CapPrm:\t0000000000000000");
	CU_ASSERT_PTR_NULL(strstr(out, "Uid:\t0"));
	UNIT_EQ(RUN("nsenter -t $(systemctl show -P MainPID " ROSD ") -m touch /etc/of-roc-rosd"),
		1);
	OUTPUT_HAS("Read-only file system");
	ends(0,
	     "nsenter -t $(systemctl show -P MainPID " ROSD ") -m touch /run/roc-rosd/of-roc-rosd");
	/* Even root cannot open another device in its cgroup. */
	ends(0, ": < /dev/kmsg");
	UNIT_EQ(RUN("echo $$ > /sys/fs/cgroup/system.slice/" ROSD
		    ".service/cgroup.procs && : < /dev/roc0 && : < /dev/kmsg"),
		1);
	OUTPUT_HAS("/dev/kmsg: Operation not permitted");
	ends(0, "systemd-analyze security --threshold=" EXPOSED_MOST " --no-pager " ROSD);
}

static int load(void *unused)
{
	return RUN(LOAD "--time=600s > /tmp/client 2> /tmp/client.err");
}

static uint64_t replies(void)
{
	return RUN("awk '/^roc_rosd_replies/ {print $2}' /run/roc-rosd/metrics.prom")
		       ? 0
		       : strtoull(out, NULL, 10);
}

/* Stopped under load it answers outstanding requests, and ends by itself. */
static void stops(void)
{
	uint64_t before;
	pid_t pid;

	if (!there())
		return;
	before = replies();
	pid = child_start(AS_ROOT, load, NULL);
	CU_ASSERT(UNIT_WAIT(replies() > before, 20000));
	ends(0, "systemctl stop " ROSD);
	CU_ASSERT(shows(ROSD, "Result", "success"));
	CU_ASSERT(shows(ROSD, "ActiveState", "inactive"));
	CU_ASSERT(child_wait(pid, 30000) >= 0);
	UNIT_EQ(RUN("test -e /run/roc-rosd"), 1);
	/* No fragment was lost. */
	CU_ASSERT(UNIT_WAIT(journal_has(ROSD, "\"clients\""), 10000));
	ends(0, "journalctl --invocation=0 -o cat --no-pager -u " ROSD " | sed -n '/^{/,/^}/p'");
	CU_ASSERT(json_number(json_get(out, "requests")) > 0);
	UNIT_EQ(json_number(json_get(out, "replies")), json_number(json_get(out, "requests")));
}

/* The card has written nothing for it since, and the next start is a normal one. */
static void killed(void)
{
	unsigned int before;

	if (!there())
		return;
	ends(0, "systemctl start " ROSD);
	before = restarts(ROSD);
	ends(0, "systemctl kill -s KILL " ROSD);
	CU_ASSERT(UNIT_WAIT(up_again(ROSD, before), 20000));
	request_events("100");
}

/*
 * systemd kills a unit that is silent for the watchdog's time, which is shorter than the unit's
 * own.
 */
static void hangs(void)
{
	unsigned int before;

	if (!there())
		return;
	limits(ROSD, limit_ms(4000), patience_ms(20000));
	ends(0, "systemctl restart " ROSD);
	before = restarts(ROSD);
	ends(0, "systemctl kill -s STOP " ROSD);
	CU_ASSERT(UNIT_WAIT(restarts(ROSD) > before, 30000));
	CU_ASSERT(UNIT_WAIT(
		!RUN("journalctl --no-pager -o cat -u " ROSD " | grep 'Watchdog timeout'"), 10000));
	limits(ROSD, patience_ms(10000), patience_ms(20000));
	ends(0, "systemctl restart " ROSD);
	request_events("100");
}

/* It is restarted until the card is there again, without a limit. */
static void card_removed(void)
{
	char address[32];

	if (!there())
		return;
	ends(0, "systemctl reset-failed " ROSD "; systemctl restart " ROSD);
	UNIT_EQ(restarts(ROSD), 0);
	snprintf(address, sizeof(address), "%s", pci_address(card));
	UNIT_EQ(driver_unbind(address), 0);
	CU_ASSERT(UNIT_WAIT(restarts(ROSD) >= RESTARTS_MANY, 60000));
	CU_ASSERT(!shows(ROSD, "ActiveState", "active"));
	ends(0, "journalctl --no-pager -o cat -u " ROSD);
	OUTPUT_HAS("is out of service");
	OUTPUT_HAS("No sub-unit is in service.");
	UNIT_NEED(driver_bind(address));
	CU_ASSERT(UNIT_WAIT(shows(ROSD, "ActiveState", "active"), 20000));
	UNIT_NEED(rosd_generate(card, 400, 1600, 0, 0));
	ends(0, "systemctl restart " ROSD);
	request_events("100");
	ends(0, "systemctl stop " ROSD);
}

/* An invalid command line is not tried again. */
static void rejects_options(const char *unit, const char *sentence)
{
	CU_ASSERT(RUN("systemctl start %s", unit) > 0);
	CU_ASSERT(UNIT_WAIT(shows(unit, "ActiveState", "failed"), 10000));
	UNIT_EQ(restarts(unit), 0);
	CU_ASSERT(UNIT_WAIT(journal_has(unit, sentence), 10000));
	tool_printed(sentence);
	RUN("systemctl reset-failed %s", unit);
}

static void bad_options(void)
{
	if (!there())
		return;
	conf("--id=nonsense --listen=127.0.0.1:9870");
	rejects_options(ROSD, "nonsense");
	conf("--speed=high");
	rejects_options(ROSD, "--speed");
	/* Without a configuration file, as after the installation. */
	UNIT_EQ(RUN("rm " ROSD_CONF), 0);
	rejects_options(ROSD, "--id is missing");
	usual();
}

static void evb_conf(const char *options)
{
	int code = RUN("mkdir -p /etc/roc/evb && printf '[system]\\nreadouts = 1\\nbuilders = 1\\n"
		       "lease-ms = %u\\n[n1]\\nroles = readout builder manager\\n"
		       "host = 127.0.0.1\\n' > /etc/roc/evb.conf && echo "
		       "EVB_OPTIONS='--coordinator=static:/etc/roc/evb.conf %s' > "
		       "/etc/roc/evb/n1.env",
		       patience_ms(2000), options);

	UNIT_EQ(code, 0);
}

/* Wait for complete blocks since its last start. */
static void builds(void)
{
	CU_ASSERT(UNIT_WAIT(
		!RUN("awk '/^roc_evb_complete_blocks/ && $2 > 25 {n = 1} END {exit !n}' /run/roc-evb-n1/metrics.prom"),
		30000));
}

/* A node that is a whole system: from a card into files, in the same sandbox. */
static void event_building(void)
{
	char options[320];
	unsigned int before;

	if (!there())
		return;
	UNIT_NEED(rosd_generate(card, 400, 1600, 200, 0));
	snprintf(
		options, sizeof(options),
		"--source=card:id=%s,sub=sub0,buffer=4Mi,links=6,hold=%ums --sink=file:/var/lib/roc-evb-n1 --events=4 --fragment=64Ki --memory=32Mi --peers=1 --stale=%u",
		card, patience_ms(2000), limit_ms(4000));
	evb_conf(options);
	ends(0, "systemctl start " EVB);
	builds();
	before = restarts(EVB);
	ends(0, "systemctl kill -s KILL " EVB);
	CU_ASSERT(UNIT_WAIT(up_again(EVB, before), 20000));
	builds();
	ends(0, "systemctl stop " EVB);
	CU_ASSERT(shows(EVB, "Result", "success"));
	/* After a reset the generators begin anew: earlier files have the same events. */
	ends(0, "roc-evb check --path=$(ls -t /var/lib/roc-evb-n1/*.mep | head -n 1) --json");
	CU_ASSERT(json_number(json_get(out, "events")) > 100);
	evb_conf("--source=nonsense");
	rejects_options(EVB, "nonsense");
	UNIT_EQ(RUN("rm /etc/roc/evb/n1.env"), 0);
	UNIT_EQ(RUN("systemctl start " EVB), 1);
}

/* True if a process in the unit's sandbox can open a character device: then the unit starts. */
static bool may_open(const char *node)
{
	bool started;

	UNIT_EQ(RUN("mkdir -p " UNITS "/" EVB
		    ".service.d && printf '[Service]\nExecStartPre=/bin/sh -c \"exec 3<> %s\"\n' > " UNITS
		    "/" EVB ".service.d/open.conf && systemctl daemon-reload",
		    node),
		0);
	started = !RUN("systemctl start " EVB);
	RUN("systemctl stop " EVB "; systemctl reset-failed " EVB);
	UNIT_EQ(RUN("rm " UNITS "/" EVB ".service.d/open.conf && systemctl daemon-reload"), 0);
	return started;
}

/* The connection manager of verbs is a misc device: only that one is in the sandbox. */
static void verbs_devices(void)
{
	if (!there())
		return;
	evb_conf("--source=synthetic --sink=count");
	UNIT_EQ(RUN("m=$(awk '$2 == \"vga_arbiter\" {print $1}' /proc/misc) && "
		    "n=$(awk '$2 == \"cpu_dma_latency\" {print $1}' /proc/misc) && "
		    "mkdir -p /dev/infiniband && mknod -m 666 /dev/infiniband/rdma_cm c 10 $m && "
		    "mknod -m 666 /dev/infiniband/other c 10 $n"),
		0);
	CU_ASSERT_TRUE(may_open("/dev/infiniband/rdma_cm"));
	CU_ASSERT_FALSE(may_open("/dev/infiniband/other"));
	UNIT_EQ(RUN("rm -r /dev/infiniband"), 0);
	/* Without the node the unit starts, too. */
	CU_ASSERT_TRUE(may_open("/dev/null"));
	UNIT_EQ(RUN("rm /etc/roc/evb/n1.env"), 0);
}

static void leave(void)
{
	if (!there())
		return;
	ends(0, "systemctl disable --now " ROSD);
	UNIT_EQ(RUN("rm -rf " UNITS "/roc-*.d /etc/roc/evb /etc/roc/evb.conf " ROSD_CONF
		    " && systemctl daemon-reload && ! systemctl --failed -q | grep roc-"),
		0);
}

UNIT_MAIN("units under systemd", {"installed", installed}, {"serves", serves},
	  {"sandboxed", sandboxed}, {"stops", stops}, {"killed", killed}, {"hangs", hangs},
	  {"card removed", card_removed}, {"bad options", bad_options},
	  {"event building", event_building}, {"devices of verbs", verbs_devices}, {"leave", leave})
