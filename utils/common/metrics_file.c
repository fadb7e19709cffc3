// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replace a metrics file periodically in a writer process, so that a file system that does not
 * respond delays neither the data nor the end of the tool.
 */
#include "prometheus.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "writer_process.h"
#include "clock.h"
#include "output.h"
#include "tool.h"

#define REPORT_MS 250
#define FINISH_MS 5000

/* Allocated until the tool ends. */
struct metrics_writer {
	struct metrics_writer *next;
	struct writer_process process;
	bool stopped; /* its last start failed */
	const char *path;
	int done_fd, work_fd; /* eventfds: file written, text posted */
	_Atomic unsigned int posted, written;
	char *text; /* the posted text */
	size_t length;
	char *newest; /* text that arrived while the posted one was being written; NULL: none */
	size_t newest_length;
	int code;
	char reason[OUTPUT_REASON];
};

/*
 * Return the path in the form that node_exporter uses for it, provided that its folder is spelled
 * alike. NULL: out of memory.
 */
static char *absolute(const char *path)
{
	char *folder = *path == '/' ? NULL : getcwd(NULL, 0), *all = NULL;

	if (!folder)
		return strdup(path);
	if (asprintf(&all, "%s/%s", folder, path) < 0)
		all = NULL;
	free(folder);
	return all;
}

/* Return the metrics as text; NULL: out of memory. */
static char *render(const char *path, void (*print)(struct prometheus *p, void *what), void *what,
		    size_t *length)
{
	char *text = NULL, *file = absolute(path);
	FILE *out = open_memstream(&text, length);
	struct prometheus p;
	bool bad = !out || !file;

	if (!bad) {
		prometheus_start_file(&p, out, file);
		print(&p, what);
		bad = ferror(out);
	}
	if (out)
		bad |= fclose(out) != 0;
	free(file);
	if (!bad)
		return text;
	free(text);
	return NULL;
}

static void run(void *context)
{
	struct metrics_writer *w = context;
	struct pollfd fd = {.fd = w->work_fd, .events = POLLIN};
	uint64_t count;

	for (;;) {
		poll(&fd, 1, -1);
		if (read(w->work_fd, &count, sizeof(count)) < 0 || w->posted == w->written)
			continue;
		/* No fsync: the next replacement follows soon. */
		w->code = output_replace(w->path, w->text, w->length, true, w->reason);
		w->written++;
		if (write(w->done_fd, &(uint64_t){1}, sizeof(uint64_t)) < 0)
			continue; /* the counter is not zero, so the reader wakes up anyway */
	}
}

static int start(struct metrics_writer *w)
{
	w->process = (struct writer_process){.run = run, .context = w, .wake = w->done_fd};
	w->posted = w->written = 0;
	return writer_process_start(&w->process, (int[]){w->done_fd, w->work_fd}, 2);
}

static struct metrics_writer *writers;

/* Wait for a report of the writer process and clear it; poll() would return at once otherwise. */
static void wait_for_report(struct metrics_writer *w)
{
	struct pollfd fd = {.fd = w->done_fd, .events = POLLIN};
	uint64_t count;

	if (poll(&fd, 1, REPORT_MS / 10) > 0 && read(w->done_fd, &count, sizeof(count)) < 0)
		return; /* cleared already */
}

/* Post @text to the writer process and take ownership of it. Drops a text that waits. */
static void post(struct metrics_writer *w, char *text, size_t length)
{
	free(w->newest);
	w->newest = NULL;
	free(w->text);
	w->text = text;
	w->length = length;
	w->posted++;
	if (write(w->work_fd, &(uint64_t){1}, sizeof(uint64_t)) < 0)
		w->posted--;
}

static bool wait_until_written(struct metrics_writer *w, uint64_t until)
{
	while (w->posted != w->written && !w->process.ended && !stop_requested_twice() &&
	       now_ns() < until)
		wait_for_report(w);
	return w->posted == w->written;
}

/* The kernel kills the writer process when the tool ends, so wait for the newest metrics. */
static void finish_writers(void)
{
	uint64_t until = now_ns() + FINISH_MS * UINT64_C(1000000);
	struct metrics_writer *w;
	char *text;

	for (w = writers; w; w = w->next) {
		if (!wait_until_written(w, until) || !w->newest)
			continue;
		text = w->newest;
		w->newest = NULL;
		post(w, text, w->newest_length);
		wait_until_written(w, until);
	}
}

static struct metrics_writer *open_writer(const char *path)
{
	struct metrics_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->path = path;
	w->done_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	w->work_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (w->done_fd >= 0 && w->work_fd >= 0 && !start(w)) {
		if (!writers)
			atexit(finish_writers);
		w->next = writers;
		writers = w;
		return w;
	}
	if (w->done_fd >= 0)
		close(w->done_fd);
	if (w->work_fd >= 0)
		close(w->work_fd);
	free(w);
	return NULL;
}

/* A path that names a descriptor of the tool, which the writer process has closed. */
static bool is_descriptor(const char *path)
{
	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
}

/*
 * Takes ownership of @text. If it is not written within REPORT_MS, return @broken: the write may
 * only be late.
 */
static int write_in_process(struct metrics_writer *w, char *text, size_t length, int broken,
			    char reason[OUTPUT_REASON])
{
	uint64_t until = now_ns() + REPORT_MS * 1000000;
	int err;

	if (w->stopped || (w->process.ended && writer_process_wait(&w->process, 0))) {
		err = start(w);
		w->stopped = err;
		if (err) {
			free(text);
			snprintf(reason, OUTPUT_REASON,
				 "Cannot write %.4000s: cannot start the writer process: %s.",
				 w->path, strerror(-err));
			return TOOL_FAILED;
		}
	}
	if (w->posted != w->written) {
		free(w->newest);
		w->newest = text;
		w->newest_length = length;
	} else {
		post(w, text, length);
		while (w->posted != w->written && !w->process.ended && now_ns() < until)
			wait_for_report(w);
		if (w->posted != w->written)
			return broken;
	}
	if (w->posted == w->written) {
		memcpy(reason, w->reason, OUTPUT_REASON);
		return w->code;
	}
	snprintf(
		reason, OUTPUT_REASON,
		"Cannot write %.4000s: its file system does not answer (frozen, or its device or server is gone).",
		w->path);
	return TOOL_FAILED;
}

static int attempt(struct metrics_file *m, void (*print)(struct prometheus *p, void *what),
		   void *what, char reason[OUTPUT_REASON])
{
	size_t length;
	char *text = render(m->path, print, what, &length);
	int code;

	if (!text) {
		snprintf(reason, OUTPUT_REASON, "Cannot allocate the text of the metrics.");
		return TOOL_FAILED;
	}
	if (!m->writer && !is_descriptor(m->path))
		m->writer = open_writer(m->path);
	if (m->writer)
		return write_in_process(m->writer, text, length, m->broken, reason);
	code = output_replace(m->path, text, length, true, reason);
	free(text);
	return code;
}

const char *metrics_file_write(struct metrics_file *m,
			       void (*print)(struct prometheus *p, void *what), void *what)
{
	char reason[OUTPUT_REASON];
	bool was = m->broken;

	if (!m->path)
		return NULL;
	m->broken = attempt(m, print, what, reason);
	if (m->broken == was)
		return NULL;
	if (m->broken)
		snprintf(m->note, sizeof(m->note), "%s The next update tries again.", reason);
	else
		snprintf(m->note, sizeof(m->note), "Writing %s works again.", m->path);
	return m->note;
}
