// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The measured processes of a scenario: one for each endpoint, or one for all.
 */
#include "ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define READER "/usr/lib/roc/bench/roc-bench-reader"
#define START_LIMIT 60.0 /* four times 1 GiB may have to be zeroed */
#define STOP_LIMIT 20.0

bool scenario_uses(const struct scenario *s, unsigned int card)
{
	unsigned int i;

	for (i = 0; i < s->count; i++) {
		if (s->endpoints[i].card == card)
			return true;
	}
	return false;
}

static void start(const struct scenario *s, struct reader *r, unsigned int first)
{
	char fd_text[16], channels[LEDGER_ENDPOINTS][80];
	const char *argv[20 + LEDGER_ENDPOINTS] = {
		READER,	   "--state", fd_text,	"--mode",      s->mode,	     "--source",
		s->source, "--rest",  s->rest,	"--superpage", s->superpage, "--buffer",
		s->buffer, "--batch", s->batch, "--limit-ms",  s->limit};
	unsigned int i, n = 17;
	int fd = memfd_create("bench", 0);

	if (fd < 0 || ftruncate(fd, sizeof(*r->state)))
		die("shared memory: %s", strerror(errno));
	r->state = mmap(NULL, sizeof(*r->state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r->state == MAP_FAILED)
		die("shared memory: %s", strerror(errno));
	snprintf(fd_text, sizeof(fd_text), "%d", fd);
	for (i = 0; i < r->channels; i++) {
		snprintf(channels[i], sizeof(channels[i]), "%s", s->endpoints[first + i].channel);
		argv[n++] = channels[i];
	}
	r->state->stamped = s->stamp;
	r->pid = fork();
	if (r->pid < 0)
		die("fork: %s", strerror(errno));
	if (!r->pid) {
		r->state->marks[BENCH_EXEC] = now_ns();
		execv(READER, (char **)argv);
		_exit(127);
	}
	close(fd);
}

void readers_start(struct scenario *s)
{
	unsigned int i;

	s->reader_count = s->one_process ? 1 : s->count;
	for (i = 0; i < s->reader_count; i++) {
		s->readers[i].channels = s->one_process ? s->count : 1;
		start(s, &s->readers[i], i);
	}
}

static void check(const struct reader *r)
{
	int status;

	if (r->state->phase == BENCH_FAILED)
		die("reader: %s", r->state->why);
	if (waitpid(r->pid, &status, WNOHANG) == r->pid)
		die("a reader ended by itself, status 0x%x", (unsigned int)status);
}

void readers_wait(struct scenario *s, double limit)
{
	uint64_t begin = now_ns();
	unsigned int i;

	for (i = 0; i < s->reader_count; i++) {
		struct reader *r = &s->readers[i];

		while (r->state->phase == BENCH_STARTING ||
		       (!r->state->marks[BENCH_FIRST] && now_ns() < begin + limit * 1e9)) {
			check(r);
			if (now_ns() > begin + (START_LIMIT + limit) * 1e9)
				die("a reader did not start");
			usleep(2000);
		}
		check(r);
	}
}

void readers_stop(struct scenario *s)
{
	uint64_t begin = now_ns();
	unsigned int i;
	int status;

	for (i = 0; i < s->reader_count; i++) {
		check(&s->readers[i]);
		s->readers[i].state->stop = 1;
		kill(s->readers[i].pid, SIGTERM);
	}
	for (i = 0; i < s->reader_count; i++) {
		struct reader *r = &s->readers[i];

		while (waitpid(r->pid, &status, WNOHANG) != r->pid) {
			/* The signal may have come between its look at the flag and its sleep. */
			kill(r->pid, SIGTERM);
			if (now_ns() > begin + STOP_LIMIT * 1e9)
				die("a reader does not stop");
			usleep(2000);
		}
		if (status || r->state->phase != BENCH_ENDED)
			die("reader: status 0x%x, %s", (unsigned int)status, r->state->why);
	}
}
