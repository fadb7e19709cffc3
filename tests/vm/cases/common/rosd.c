// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-rosd in a guest. See rosd.h.
 */
#include "rosd.h"

#include <roc/roc.h>

#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "json.h"
#include "mem.h"
#include "kmod/fragment/fragment_regs.h"
#include "node.h"
#include "tool.h"

bool rosd_loopback(void)
{
	struct ifreq r = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	err = ioctl(fd, SIOCSIFFLAGS, &r);
	close(fd);
	return !err;
}

bool rosd_generate(const char *id, uint32_t min, uint32_t max, uint32_t rate, uint32_t first)
{
	const struct {
		uint32_t offset, value;
	} set[] = {
		{FRAGMENT_LINK_GENERATOR, 0},
		{FRAGMENT_LINK_SIZE_MIN, min},
		{FRAGMENT_LINK_SIZE_MAX, max},
		{FRAGMENT_LINK_RATE, rate},
		{FRAGMENT_LINK_FIRST, first},
		{FRAGMENT_LINK_LIMIT, 0},
		{FRAGMENT_LINK_GENERATOR, FRAGMENT_GENERATOR_RUN | FRAGMENT_GENERATOR_DISTRIBUTED},
	};
	struct roc_endpoint *ep;
	unsigned int link, i;
	bool good = true;

	if (roc_open(id, &ep))
		return false;
	for (link = 0; link < ROSD_LINKS; link++)
		for (i = 0; i < sizeof(set) / sizeof(set[0]); i++)
			good &= !roc_reg_write(ep, ROBINNP_BAR_CARD,
					       ROBINNP_LINK(link) + set[i].offset, set[i].value);
	roc_close(ep);
	return good;
}

#define WORDS                                                                                      \
	"cd /tmp/rosd; trap 'kill -9 $daemon 2> /dev/null' EXIT\n"                                 \
	"serve() {\n"                                                                              \
	"	local ids=$1; shift\n"                                                                   \
	"	roc-rosd --id=$ids --listen=127.0.0.1:9870 --pages=256 --wait=${patience:-3000} "        \
	"		--metrics=metrics --interval=1s --json \"$@\" > served 2> served.err & "                \
	"daemon=$!\n"                                                                              \
	"	for i in $(seq 1200); do grep -q Serving served.err && break; sleep 0.05; done\n"        \
	"	grep -q Serving served.err || { cat served.err; exit 90; }\n"                            \
	"}\n"                                                                                      \
	"LOAD='timeout 300 roc-ros-load --connect=127.0.0.1:9870 --json --size=400 "               \
	"	--size-max=1600 --clear=50'\n"                                                           \
	"request() { $LOAD \"$@\" > client 2> client.err; }\n"                                     \
	"begin() { $LOAD \"$@\" > client 2> client.err & load=$!; }\n"                             \
	"answers() {\n"                                                                            \
	"	cat metrics 2> /dev/null | awk '/^roc_rosd_replies/ {n = $2} END {print n + 0}'\n"       \
	"}\n"                                                                                      \
	"loaded() {\n"                                                                             \
	"	local i before=$(answers)\n"                                                             \
	"	for i in $(seq 600); do\n"                                                               \
	"		[ $(answers) -gt $before ] && return; sleep 0.1\n"                                      \
	"	done\n"                                                                                  \
	"	echo \"no answer in a minute, $before before\" >> client.err\n"                          \
	"	exit 95\n"                                                                               \
	"}\n"                                                                                      \
	"end() { kill $daemon; wait $daemon; }\n"

int rosd_script(int code, const char *text)
{
	int got;

	if (RUN("rm -rf /tmp/rosd && mkdir /tmp/rosd"))
		return -1;
	got = RUN(WORDS "%s", text);
	if (got != code) {
		printf("# exit %d: %.1000s\n", got, out);
		RUN("cat /tmp/rosd/*.err");
		printf("# %.1000s\n", out);
	}
	return got;
}

int64_t rosd_report(const char *file, const char *key)
{
	const char *value;

	/* The greeting precedes the object. */
	if (RUN("sed -n '/^{/,$p' /tmp/rosd/%s", file))
		return -1;
	value = json_get(out, key);
	return value ? (int64_t)json_number(value) : -1;
}

int64_t rosd_units(const char *key)
{
	const char *at = out;
	char name[64];
	int64_t sum = 0;

	if (RUN("sed -n '/^{/,$p' /tmp/rosd/served") || !strchr(out, '{'))
		return -1;
	snprintf(name, sizeof(name), "\"%s\": ", key);
	while ((at = strstr(at, name))) {
		at += strlen(name);
		sum += atoll(at);
	}
	return sum;
}
