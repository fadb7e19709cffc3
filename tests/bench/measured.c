// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options, state and end of a measured process. See measured.h.
 */
#include "measured.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <numa.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "utils/common/clock.h"

#define OPTIONS 16

struct bench_state *state;

void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(state->reason, sizeof(state->reason), fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, state->reason);
	state->phase = BENCH_FAILED;
	_exit(1);
}

void mark(enum bench_mark m)
{
	state->marks[m] = now_ns();
}

void run_on_node(int node)
{
	if (node >= 0 && numa_available() >= 0 && numa_run_on_node(node))
		fail("node %d: %s", node, strerror(errno));
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (!*text || *end) {
		fprintf(stderr, "%s: '%s' is not a number\n", program_invocation_short_name, text);
		exit(2);
	}
	return value;
}

void measured_usage(const char *arguments)
{
	fprintf(stderr, "usage: %s %s\n", program_invocation_short_name, arguments);
	exit(2);
}

/* The ledger sets the flag before it sends the signal, which ends a sleep. */
static void on_term(int signal)
{
	state->stop = 1;
}

static void map_state(int fd, uint64_t begin)
{
	struct sigaction action = {.sa_handler = on_term};

	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE,
		     fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	if (state == MAP_FAILED) {
		fprintf(stderr, "%s: no state: %s\n", program_invocation_short_name,
			strerror(errno));
		exit(2);
	}
	state->marks[BENCH_MAIN] = begin;
	if (fd >= 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
}

bool measured_parse(int argc, char **argv, const struct measured_option *options)
{
	struct option known[OPTIONS + 2] = {{"state", required_argument, NULL, 0}};
	uint64_t begin = now_ns();
	int at, opt, fd = -1;
	unsigned int i;

	for (i = 0; options[i].name; i++) {
		assert(i < OPTIONS);
		known[i + 1] = (struct option){options[i].name, required_argument, NULL, 0};
	}
	while ((opt = getopt_long(argc, argv, "", known, &at)) != -1) {
		if (opt)
			exit(2);
		if (!at)
			fd = (int)number(optarg);
		else if (options[at - 1].number)
			*options[at - 1].number = number(optarg);
		else if (options[at - 1].text)
			*options[at - 1].text = optarg;
	}
	map_state(fd, begin);
	return fd >= 0;
}

const char *measured_channel(char *text, unsigned int *nr)
{
	char *slash = strchr(text, '/');

	if (!slash)
		return NULL;
	*slash = '\0';
	*nr = (unsigned int)number(slash + 1);
	return text;
}

const char *measured_parse_channel(int argc, char **argv, const struct measured_option *options,
				   unsigned int *nr)
{
	if (!measured_parse(argc, argv, options) || optind + 1 != argc)
		return NULL;
	return measured_channel(argv[optind], nr);
}
