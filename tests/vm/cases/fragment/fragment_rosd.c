// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-rosd on a RobinNP: the load of a trigger farm, and what may go wrong meanwhile. Everything
 * about its clients is tested on the host, without a card (tests/unit/utils/ros).
 */
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "kmod/cards/robinnp/robinnp_regs.h"
#include "kmod/fragment/fragment_regs.h"
#include "tests/vm/cases/common/case.h"

#define ID "6001"
#define LINKS (ROBINNP_SUBS * ROBINNP_LINKS)

/* A guest has no network, and the loopback is down. */
static bool loopback(void)
{
	struct ifreq r = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	err = ioctl(fd, SIOCSIFFLAGS, &r);
	close(fd);
	return !err;
}

static bool there(void)
{
	struct roc_card card;

	if (!roc_find(ID, &card)) {
		UNIT_NEED(loopback());
		return true;
	}
	unit_skip("there is no RobinNP in this guest");
	return false;
}

/* What all links send from the next start on. */
static void generate(uint32_t min, uint32_t max, uint32_t rate, uint32_t first)
{
	const struct {
		uint32_t offset, value;
	} set[] = {
		{FRAGMENT_LINK_GENERATOR, 0},
		{FRAGMENT_LINK_SIZE_MIN, min},
		{FRAGMENT_LINK_SIZE_MAX, max},
		{FRAGMENT_LINK_RATE, rate},
		{FRAGMENT_LINK_FIRST, first},
		{FRAGMENT_LINK_GENERATOR, FRAGMENT_GENERATOR_RUN | FRAGMENT_GENERATOR_DISTRIBUTED},
	};
	struct roc_endpoint *ep;
	unsigned int link, i;

	UNIT_NEED(!roc_open(ID, &ep));
	for (link = 0; link < LINKS; link++)
		for (i = 0; i < N(set); i++)
			UNIT_EQ(roc_reg_write(ep, ROBINNP_BAR_CARD,
					      ROBINNP_LINK(link) + set[i].offset, set[i].value),
				0);
	roc_close(ep);
}

/*
 * Words of the scripts below: serve begins the daemon and waits until it serves, ask loads it, end
 * is SIGTERM and what is said then. All of them have limits.
 */
#define WORDS                                                                                      \
	"cd /tmp/rosd; trap 'kill -9 $daemon 2> /dev/null' EXIT\n"                                 \
	"serve() {\n"                                                                              \
	"	roc-rosd --id=" ID " --listen=127.0.0.1:9870 --pages=256 --wait=3000 "             \
	"		--json \"$@\" > served 2> served.err & daemon=$!\n"                                     \
	"	for i in $(seq 200); do grep -q Serving served && break; sleep 0.05; done\n"             \
	"	grep -q Serving served || { cat served.err; exit 90; }\n"                                \
	"}\n"                                                                                      \
	"ask() {\n"                                                                                \
	"	timeout 40 roc-ros-load --connect=127.0.0.1:9870 --json --size=400 "                     \
	"--size-max=1600 "                                                                         \
	"		--clear=50 \"$@\" > asked 2> asked.err\n"                                               \
	"}\n"                                                                                      \
	"end() { kill $daemon; wait $daemon; }\n"

static int64_t said(const char *file, const char *key)
{
	/* What is before the object is the greeting. */
	UNIT_NEED(!RUN("sed -n '/^{/,$p' /tmp/rosd/%s", file));
	return (int64_t)json_number(json_get(out, key));
}

/* The sum over both sub-units. */
static int64_t units(const char *key)
{
	const char *at = out;
	char name[64];
	int64_t sum = 0;

	UNIT_NEED(!RUN("sed -n '/^{/,$p' /tmp/rosd/served"));
	snprintf(name, sizeof(name), "\"%s\": ", key);
	while ((at = strstr(at, name))) {
		at += strlen(name);
		sum += atoll(at);
	}
	return sum;
}

static void script(int code, const char *text)
{
	int got;

	UNIT_EQ(RUN("rm -rf /tmp/rosd && mkdir /tmp/rosd"), 0);
	got = RUN(WORDS "%s", text);
	if (got != code) {
		unit_note("exit %d: %.1000s", got, out);
		RUN("cat /tmp/rosd/*.err");
		unit_note("%.1000s", out);
	}
	UNIT_EQ(got, code);
}

/* Every byte, nothing lost, no register read and no system call for what came in. */
static void farm(void)
{
	int64_t events = 2000, taken;

	if (!there())
		return;
	generate(400, 1600, 0, 0xfffffc00);
	script(0, "serve\n"
		  "ask --clients=20 --events=2000 --first-event=0xfffffc00 || exit 91\n"
		  "end\n");
	UNIT_EQ(said("asked", "errors"), 0);
	UNIT_EQ(said("asked", "incomplete"), 0);
	UNIT_EQ(said("asked", "requests"), events);
	UNIT_EQ(said("asked", "clearedEvents"), events);
	UNIT_EQ(said("asked", "clearedFragments"), events * LINKS);
	UNIT_EQ(units("hostPagesFree"), units("hostPages"));
	UNIT_EQ(units("failed"), 0);
	UNIT_EQ(units("cleared"), events * LINKS);
	taken = units("taken");
	UNIT_EQ(taken - units("cleared"), units("kept"));
	CU_ASSERT(taken >= events * LINKS);
	/* Told of in batches. */
	unit_note("%lld fragments, %lld fetched, %lld doorbells, %lld sleeps", (long long)taken,
		  (long long)units("fetched"), (long long)units("doorbells"),
		  (long long)units("sleeps"));
	CU_ASSERT(units("doorbells") * 4 < units("fetched") + taken);
	UNIT_EQ(units("tells"), 0);
}

/* Killed with requests outstanding: what it had goes back, the next one is served. */
static void client_killed(void)
{
	if (!there())
		return;
	generate(400, 1600, 0, 0);
	script(0, "serve --host-pages=128 --max-age=1s\n"
		  "for i in 1 2 3; do\n"
		  "	roc-ros-load --connect=127.0.0.1:9870 --clients=20 --all=100 --json "
		  "--clear=0 > /dev/null 2>&1 & load=$!\n"
		  "	sleep 0.3; kill -9 $load; wait $load 2> /dev/null\n"
		  "done\n"
		  "end\n");
	CU_ASSERT(said("served", "requests") > 0);
	UNIT_EQ(units("hostPagesFree"), units("hostPages"));
	UNIT_EQ(units("outstanding"), 0);
}

/* With the card writing into its memory; the next one begins as if nothing had been. */
static void daemon_killed(void)
{
	if (!there())
		return;
	generate(400, 1600, 0, 0);
	script(0, "serve\n"
		  "ask --clients=20 --stall-limit=5 & load=$!\n"
		  "sleep 0.7; kill -9 $daemon; wait $daemon\n"
		  "wait $load && exit 92\n"
		  "serve\n"
		  "ask --clients=4 --events=300 || exit 93\n"
		  "end\n");
	UNIT_EQ(said("asked", "errors"), 0);
	UNIT_EQ(said("asked", "replies"), 300);
	UNIT_EQ(units("hostPagesFree"), units("hostPages"));
}

/* Under load: its links are answered as gone, and with both sub-units gone the daemon ends. */
static void card_gone(void)
{
	struct roc_card card;
	char text[512];

	if (!there())
		return;
	UNIT_NEED(!roc_find(ID, &card));
	generate(400, 1600, 0, 0);
	snprintf(text, sizeof(text),
		 "serve\n"
		 "ask --clients=20 --stall-limit=5 & load=$!\n"
		 "sleep 0.7\n"
		 "echo %s > /sys/bus/pci/drivers/roc/unbind\n"
		 "wait $daemon; code=$?\n"
		 "wait $load\n"
		 "echo %s > /sys/bus/pci/drivers/roc/bind\n"
		 "exit $code\n",
		 card.pci_address, card.pci_address);
	script(1, text);
	UNIT_EQ(RUN("cat /tmp/rosd/served.err"), 0);
	SAYS("serves no more");
	SAYS("No sub-unit is left");
	/* What the card was asked for in its last moment stays its own. */
	UNIT_EQ(units("hostPagesFree") + units("outstanding"), units("hostPages"));
	/* It is there again, and serves. */
	generate(400, 1600, 0, 0);
	script(0, "serve\nask --clients=4 --events=300 || exit 94\nend\n");
}

UNIT_MAIN("roc-rosd on a RobinNP", {"farm", farm}, {"client killed", client_killed},
	  {"daemon killed", daemon_killed}, {"card gone", card_gone})
