/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run tools as a user does, and check their output: text and JSON. Included after unit.h by tests
 * with ROC_TOOL in their environment.
 */
#ifndef ROC_UNIT_TOOL_RUN_H
#define ROC_UNIT_TOOL_RUN_H

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <json-c/json.h>

static char tool_output[1 << 20];     /* a node prints a line of JSON every second */
static struct json_object *tool_json; /* of the last run; NULL: none */

/* Run a tool. Return its exit code; tool_output has stdout and stderr, tool_json the JSON in it. */
__attribute__((unused, format(printf, 1, 2))) static int tool_run(const char *fmt, ...)
{
	char arguments[1024], command[1280];
	const char *begin;
	size_t length;
	FILE *pipe;
	va_list ap;
	int status;

	va_start(ap, fmt);
	vsnprintf(arguments, sizeof(arguments), fmt, ap);
	va_end(ap);
	snprintf(command, sizeof(command), "timeout 250 \"$ROC_TOOL\" %s 2>&1 < /dev/null",
		 arguments);
	pipe = popen(command, "r");
	UNIT_NEED(pipe);
	length = fread(tool_output, 1, sizeof(tool_output) - 1, pipe);
	tool_output[length] = '\0';
	status = pclose(pipe);
	json_object_put(tool_json);
	begin = strstr(tool_output, "{\n");
	tool_json = begin ? json_tokener_parse(begin) : NULL;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Return a number by its path, as in "sent.bytes"; -1: missing. */
__attribute__((unused)) static int64_t tool_number(const char *way)
{
	struct json_object *at = tool_json;
	char copy[128], *rest = copy, *key;

	snprintf(copy, sizeof(copy), "%s", way);
	while (at && (key = strsep(&rest, ".")))
		at = json_object_object_get(at, key);
	return at ? json_object_get_int64(at) : -1;
}

__attribute__((unused)) static bool tool_printed(const char *text)
{
	if (strstr(tool_output, text))
		return true;
	unit_note("expected output \"%s\", got: %.400s", text, tool_output);
	return false;
}

/* Start a tool whose stdout and stderr go to @output; end it by its process id. */
__attribute__((unused, format(printf, 2, 3))) static pid_t tool_start(const char *output,
								      const char *fmt, ...)
{
	char arguments[1024], command[1400];
	va_list ap;
	pid_t pid;

	va_start(ap, fmt);
	vsnprintf(arguments, sizeof(arguments), fmt, ap);
	va_end(ap);
	snprintf(command, sizeof(command),
		 "exec timeout 250 \"$ROC_TOOL\" %s > %s 2>&1 < /dev/null", arguments, output);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		/* Independent of how the tests were started. */
		signal(SIGHUP, SIG_DFL);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	UNIT_NEED(pid > 0);
	setpgid(pid, pid);
	return pid;
}

/* Return the tool that was started as @pid, which is its timeout(1); 0: not started yet. */
__attribute__((unused)) static pid_t tool_child(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "r");
	UNIT_NEED(f);
	if (fscanf(f, "%d", &child) != 1)
		child = 0;
	fclose(f);
	return child;
}

/* Print the state of processes that did not end; their stack only with permission. */
__attribute__((unused)) static void tool_where(pid_t pid)
{
	char command[256];

	snprintf(
		command, sizeof(command),
		"for p in $(pgrep -g %d); do cd /proc/$p && grep -h . comm wchan syscall stack && grep State status; done 2> /dev/null | sed 's/^/# /'",
		pid);
	fflush(stdout);
	if (system(command))
		unit_note("the state of its processes is unknown");
}

/*
 * Wait at most @ms. Return the exit code, or -1 if the tool was killed, by this function after @ms.
 */
__attribute__((unused)) static int tool_wait(pid_t pid, int ms)
{
	int status = 0;
	bool ended = UNIT_WAIT(waitpid(pid, &status, WNOHANG) == pid, ms);

	if (!ended) {
		unit_note("process %d did not end", pid);
		tool_where(pid);
		kill(-pid, SIGKILL);
		waitpid(pid, &status, 0);
		return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Read the output of a started tool into tool_output and tool_json. */
__attribute__((unused)) static void tool_read(const char *output)
{
	FILE *f = fopen(output, "r");
	const char *begin;
	size_t length = 0;

	if (f) {
		length = fread(tool_output, 1, sizeof(tool_output) - 1, f);
		fclose(f);
	}
	tool_output[length] = '\0';
	json_object_put(tool_json);
	begin = strstr(tool_output, "{\n");
	tool_json = begin ? json_tokener_parse(begin) : NULL;
}

/* Count how often the tool has printed @text so far. */
__attribute__((unused)) static unsigned int tool_printed_times(const char *output, const char *text)
{
	unsigned int count = 0;
	const char *at;

	tool_read(output);
	for (at = tool_output; (at = strstr(at, text)); at++)
		count++;
	return count;
}

#endif
