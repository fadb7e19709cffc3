// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The measured processes of a scenario: one for each endpoint, or one for all. They are the
 * ledger's reader of pools or streams, the installed roc-bench-dma, or the stand-in for a reader
 * without a driver.
 */
#include "ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define READER "/usr/lib/roc/bench/roc-bench-reader"
#define STANDIN "/usr/lib/roc/bench/roc-bench-standin"
#define STREAM "/usr/lib/roc/bench/roc-bench-stream"
#define FRAGMENT "/usr/lib/roc/bench/roc-bench-fragment"
#define TOOL "roc-bench-dma"
#define TOOL_REPORT "/run/roc-ledger-tool-%u.json"
#define WORDS 40
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

static bool is_tool(const struct scenario *s)
{
	return !strcmp(s->rest, "tool");
}

struct words {
	char *argv[WORDS];
	unsigned int count;
};

/* NAME and, if given, VALUE right behind it. In a child before its exec. */
static void word(struct words *w, const char *name, const char *value)
{
	size_t length = strlen(name) + (value ? strlen(value) : 0) + 1;
	char *text = malloc(length);

	if (!text || w->count == WORDS - 1)
		_exit(127);
	snprintf(text, length, "%s%s", name, value ? value : "");
	w->argv[w->count++] = text;
}

/* Count in the memory behind @fd. */
static void program_words(struct words *w, const struct scenario *s, const char *program, int fd)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", fd);
	word(w, program, NULL);
	word(w, "--state=", text);
	word(w, "--source=", s->source);
	word(w, "--rest=", s->rest);
}

static void reader_words(struct words *w, const struct scenario *s, const struct reader *r, int fd)
{
	unsigned int i;

	program_words(w, s, strcmp(s->rest, "standin") ? READER : STANDIN, fd);
	word(w, "--mode=", s->mode);
	word(w, "--superpage=", s->superpage);
	word(w, "--buffer=", s->buffer);
	word(w, "--batch=", s->batch);
	word(w, "--limit-ms=", s->limit);
	for (i = 0; i < r->channels; i++)
		word(w, s->endpoints[r->first + i].channel, NULL);
}

static void stream_words(struct words *w, const struct scenario *s, const struct reader *r, int fd)
{
	program_words(w, s, STREAM, fd);
	word(w, "--packet=", s->superpage);
	word(w, "--ring=", s->buffer);
	word(w, "--batch=", s->batch);
	word(w, "--limit-ms=", s->limit);
	word(w, s->endpoints[r->first].channel, NULL);
}

static void fragment_words(struct words *w, const struct scenario *s, const struct reader *r,
			   int fd)
{
	program_words(w, s, FRAGMENT, fd);
	word(w, "--size=", s->superpage);
	word(w, "--percent=", s->percent);
	word(w, "--rate=", s->batch);
	word(w, s->endpoints[r->first].channel, NULL);
}

/* Switch off the card's events, unless they are measured. */
static void tool_words(struct words *w, const struct scenario *s, const struct reader *r)
{
	char id[80], *slash;

	snprintf(id, sizeof(id), "%s", s->endpoints[r->first].channel);
	slash = strchr(id, '/');
	word(w, TOOL, NULL);
	if (slash) {
		*slash = '\0';
		word(w, "--channel=", slash + 1);
	}
	word(w, "--id=", id);
	word(w, "--mode=", s->mode);
	word(w, "--data-source=", s->source);
	word(w, "--superpage-size=", s->superpage);
	word(w, "--buffer-size=", s->buffer);
	word(w, "--stall-limit=0", NULL);
	word(w, "--no-errorcheck", NULL);
	word(w, "--no-display", NULL);
	word(w, "--no-temperature", NULL);
	word(w, "--bypass-fw-check", NULL);
	word(w, "--json", NULL);
	if (strcmp(s->mode, "event"))
		word(w, "--no-events", NULL);
}

static void tool_path(const struct reader *r, char *path, size_t size)
{
	snprintf(path, size, TOOL_REPORT, r->first);
}

static void become(const struct scenario *s, const struct reader *r, int fd)
{
	struct words w = {0};
	char path[60];

	if (is_tool(s)) {
		tool_words(&w, s, r);
		tool_path(r, path, sizeof(path));
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM))
			_exit(127);
	} else if (!strcmp(s->mode, "stream")) {
		stream_words(&w, s, r, fd);
	} else if (!strcmp(s->mode, "fragment")) {
		fragment_words(&w, s, r, fd);
	} else {
		reader_words(&w, s, r, fd);
	}
	r->state->marks[BENCH_EXEC] = now_ns();
	execvp(w.argv[0], w.argv);
	_exit(127);
}

static void start(const struct scenario *s, struct reader *r)
{
	int fd = memfd_create("bench", 0);

	if (fd < 0 || ftruncate(fd, sizeof(*r->state)))
		die("shared memory: %s", strerror(errno));
	r->state = mmap(NULL, sizeof(*r->state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r->state == MAP_FAILED)
		die("shared memory: %s", strerror(errno));
	r->state->stamped = s->stamp;
	r->pid = fork();
	if (r->pid < 0)
		die("fork: %s", strerror(errno));
	if (!r->pid)
		become(s, r, fd);
	close(fd);
}

void readers_start(struct scenario *s)
{
	unsigned int i;

	s->reader_count = s->one_process ? 1 : s->count;
	for (i = 0; i < s->reader_count; i++) {
		s->readers[i].first = i;
		s->readers[i].channels = s->one_process ? s->count : 1;
		start(s, &s->readers[i]);
	}
}

static void check(const struct reader *r)
{
	int status;

	if (r->state->phase == BENCH_FAILED)
		die("reader: %s", r->state->reason);
	if (waitpid(r->pid, &status, WNOHANG) == r->pid)
		die("a reader ended by itself, status 0x%x", (unsigned int)status);
}

/* The tool does not report its progress: use its endpoint's counts. */
static void watch_tool(const struct scenario *s, struct reader *r)
{
	const struct endpoint *e = &s->endpoints[r->first];
	const char *at = strstr(card_ask(e->card, "counts %u", e->fn), "\"superpages\":");

	if (!at || !strtoull(at + strlen("\"superpages\":"), NULL, 10))
		return;
	r->state->phase = BENCH_RUNNING;
	r->state->marks[BENCH_FIRST] = now_ns();
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
			if (is_tool(s))
				watch_tool(s, r);
			usleep(2000);
		}
		check(r);
	}
}

/* The tool's own counts. */
static void read_tool(struct reader *r)
{
	static const char *const names[] = {"superpages", "bytes", "dropped"};
	unsigned long long values[3];
	char path[60], text[4096], key[40];
	const char *at;
	unsigned int i;
	size_t length;
	FILE *file;

	tool_path(r, path, sizeof(path));
	file = fopen(path, "re");
	length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	text[length] = '\0';
	if (file)
		fclose(file);
	for (i = 0; i < 3; i++) {
		snprintf(key, sizeof(key), "\"%s\":", names[i]);
		at = strstr(text, key);
		if (!at)
			die("the tool does not say its %s", names[i]);
		values[i] = strtoull(at + strlen(key), NULL, 10);
	}
	r->state->channels[0].superpages = values[0];
	r->state->channels[0].bytes = values[1];
	r->state->channels[0].dropped = values[2];
	r->state->phase = BENCH_ENDED;
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
			/*
			 * The signal may come between the process's check of the flag and its
			 * sleep.
			 */
			if (!is_tool(s))
				kill(r->pid, SIGTERM);
			if (now_ns() > begin + STOP_LIMIT * 1e9)
				die("a reader does not stop");
			usleep(2000);
		}
		if (is_tool(s) && !status)
			read_tool(r);
		if (status || r->state->phase != BENCH_ENDED)
			die("reader: status 0x%x, %s", (unsigned int)status, r->state->reason);
	}
}
