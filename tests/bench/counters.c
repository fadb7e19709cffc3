// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read the kernel's counters: system calls by process and number, DMA mappings and bounces by
 * histograms of tracepoints (the kernel counts each event, without sampling or silent loss), CPU
 * time and context switches of processes and of the driver's threads, and interrupts.
 */
#include "ledger.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TRACING /* a test has another */
#define TRACING "/sys/kernel/tracing/events/"
#endif
#define FILE_MAX (1 << 18)

static const struct {
	const char *event;
	const char *keys;
	const char *filter;
} histograms[] = {
	{"raw_syscalls/sys_enter", "common_pid,id", ""},
	/* The driver's threads sleep with work left: see kmod/core/trace.h. */
	{"roc/roc_sleep", "common_pid", " if finished > 2 || waiting > 0"},
	{"dma/dma_map_sg", "common_pid", ""},	/* from kernel 6.12 on */
	{"dma/dma_map_page", "common_pid", ""}, /* the same; dma_map_phys in newer ones */
	{"dma/dma_map_phys", "common_pid", ""},
	{"swiotlb/swiotlb_bounced", "common_pid", ""},
};

static char text[FILE_MAX];

/* The whole file in @text, or NULL. */
static char *slurp(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t n = 0;

	if (fd < 0)
		return NULL;
	while (length < sizeof(text) - 1 &&
	       (n = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)n;
	close(fd);
	text[length] = '\0';
	return n < 0 ? NULL : text;
}

static bool trigger(unsigned int i, const char *sign)
{
	char path[120], line[120];
	bool done;
	int fd;

	snprintf(path, sizeof(path), TRACING "%s/trigger", histograms[i].event);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	snprintf(line, sizeof(line), "%shist:keys=%s:size=4096%s\n", sign, histograms[i].keys,
		 histograms[i].filter);
	done = write(fd, line, strlen(line)) == (ssize_t)strlen(line);
	close(fd);
	return done;
}

void counters_open(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(histograms) / sizeof(histograms[0]); i++)
		trigger(i, "!"); /* left by a killed process */
	/* Not every kernel has all DMA tracepoints. An absent one must not count as 0. */
	for (i = 0; i < sizeof(histograms) / sizeof(histograms[0]); i++)
		if (!trigger(i, "") && (!i || errno != ENOENT))
			die("%s cannot be counted: %s", histograms[i].event, strerror(errno));
}

void counters_close(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(histograms) / sizeof(histograms[0]); i++)
		trigger(i, "!");
}

/* Entries of a histogram; -1 if the kernel does not have the event. */
static long long histogram_sum(const char *event)
{
	char path[120], *line, *state;
	long long sum = 0;

	snprintf(path, sizeof(path), TRACING "%s/hist", event);
	if (!slurp(path))
		return -1;
	for (line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		char *hits = strstr(line, "} hitcount:");

		if (hits)
			sum += atoll(hits + strlen("} hitcount:"));
	}
	return sum;
}

/* "syscalls":{"16":3,...} of one process. */
static void system_calls(FILE *out, pid_t pid)
{
	const char *comma = "";
	char *line, *state;

	fprintf(out, "\"syscalls\":{");
	if (!slurp(TRACING "raw_syscalls/sys_enter/hist"))
		die("the histogram of system calls cannot be read");
	for (line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		unsigned long long hits, drops;
		int who, id;

		if (sscanf(line, "{ common_pid: %d, id: %d } hitcount: %llu", &who, &id, &hits) ==
		    3) {
			if (who != pid)
				continue;
			fprintf(out, "%s\"%d\":%llu", comma, id, hits);
			comma = ",";
		} else if (sscanf(line, " Dropped: %llu", &drops) == 1 && drops) {
			die("%llu system calls were not counted", drops);
		}
	}
	fprintf(out, "}");
}

static unsigned long long field(const char *file, const char *name)
{
	const char *at = strstr(file, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static void times(FILE *out, pid_t pid)
{
	unsigned long long user = 0, kernel = 0, voluntary = 0, involuntary = 0, run = 0;
	char path[60], *end;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	if (slurp(path))
		run = strtoull(text, NULL, 10);
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (slurp(path)) {
		end = strrchr(text, ')'); /* the name may hold anything */
		if (end)
			sscanf(end, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
			       &user, &kernel);
	}
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (slurp(path)) {
		involuntary = field(text, "nonvoluntary_ctxt_switches:");
		voluntary = field(text, "\nvoluntary_ctxt_switches:");
	}
	fprintf(out,
		"\"cpu_ns\":%llu,\"user_ticks\":%llu,\"kernel_ticks\":%llu,\"voluntary\":%llu,\"involuntary\":%llu",
		run, user, kernel, voluntary, involuntary);
}

void counters_process(FILE *out, pid_t pid)
{
	fprintf(out, "\"pid\":%d,", pid);
	system_calls(out, pid);
	fputc(',', out);
	times(out, pid);
}

static bool of_driver(const char *name)
{
	if (!strncmp(name, "roc/", 4))
		return true;
	if (strncmp(name, "irq/", 4))
		return false;
	for (name += 4; isdigit((unsigned char)*name); name++)
		;
	return !strncmp(name, "-roc", 4);
}

/* "threads":[...]: those of the driver. */
void counters_threads(FILE *out)
{
	const char *comma = "";
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	if (!proc)
		die("/proc cannot be read");
	fprintf(out, "\"threads\":[");
	while ((entry = readdir(proc))) {
		char path[300], name[32];

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		if (!slurp(path) || sscanf(text, "%31[^\n]", name) != 1 || !of_driver(name))
			continue;
		fprintf(out, "%s{\"name\":\"%s\",", comma, name);
		times(out, atoi(entry->d_name));
		fprintf(out, "}");
		comma = ",";
	}
	fprintf(out, "]");
	closedir(proc);
}

#define WORKER "roc-bar-stress"

/* Name of a process, and its parent; false if there is none. */
static bool who(const char *pid, char *name, size_t size, int *parent)
{
	char path[300], *begin, *end;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	if (!slurp(path))
		return false;
	begin = strchr(text, '(');
	end = strrchr(text, ')');
	if (!begin || !end || sscanf(end, ") %*c %d", parent) != 1)
		return false;
	*end = '\0';
	snprintf(name, size, "%s", begin + 1);
	return true;
}

void counters_workers(FILE *out)
{
	const char *comma = "";
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	if (!proc)
		die("/proc cannot be read");
	fprintf(out, "\"workers\":[");
	while ((entry = readdir(proc))) {
		char name[64], pid[16];
		int parent, none;

		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !who(entry->d_name, name, sizeof(name), &parent) || strcmp(name, WORKER))
			continue;
		snprintf(pid, sizeof(pid), "%d", parent);
		if (!who(pid, name, sizeof(name), &none) || strcmp(name, WORKER))
			continue;
		fprintf(out, "%s{", comma);
		counters_process(out, atoi(entry->d_name));
		fprintf(out, "}");
		comma = ",";
	}
	fprintf(out, "]");
	closedir(proc);
}

/* Interrupts of the driver's vectors, all processors. */
static unsigned long long interrupts(void)
{
	unsigned long long sum = 0;
	char *line, *state;

	if (!slurp("/proc/interrupts"))
		die("/proc/interrupts cannot be read");
	for (line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		char *at = strchr(line, ':'), *end, *name = strrchr(line, ' ');

		if (!at || !name || strncmp(name + 1, "roc", 3) || !isdigit((unsigned char)name[4]))
			continue;
		for (at++;; at = end) {
			unsigned long long n = strtoull(at, &end, 10);

			if (end == at)
				break;
			sum += n;
		}
	}
	return sum;
}

void counters_system(FILE *out)
{
	unsigned long long user, nice, kernel, idle, wait;
	unsigned int i;

	fprintf(out, "\"interrupts\":%llu", interrupts());
	if (!slurp("/proc/stat") ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu", &user, &nice, &kernel, &idle, &wait) != 5)
		die("/proc/stat cannot be read");
	fprintf(out, ",\"idle_ticks\":%llu,\"events\":{", idle + wait);
	for (i = 0; i < sizeof(histograms) / sizeof(histograms[0]); i++) {
		fprintf(out, "%s\"%s\":", i ? "," : "", histograms[i].event);
		if (access(TRACING, F_OK))
			die("there is no tracefs");
		fprintf(out, "%lld", histogram_sum(histograms[i].event));
	}
	fprintf(out, "}");
}
