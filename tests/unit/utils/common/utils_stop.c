// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test which signals request a stop of a tool, and which ones end it.
 */
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>

#include "utils/common/tool.h"

enum {
	IGNORED = 10,
	REQUESTED,
	REQUESTED_TWICE
};

/* The clock stands still at this time. */
static volatile long clock_ms;

int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __real_clock_gettime(clockid_t id, struct timespec *t);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	if (!clock_ms)
		return __real_clock_gettime(id, t);
	*t = (struct timespec){.tv_sec = clock_ms / 1000, .tv_nsec = clock_ms % 1000 * 1000000};
	return 0;
}

/* Return how a process ends that gets these signals: -N by signal N, else its exit code. */
static int ends_ms(void (*catch)(void), void (*hangup)(int number), int first, int second, long ms)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(100);
		/* Independent of how the tests were started. */
		signal(SIGHUP, hangup);
		catch ();
		if (stop_requested())
			_exit(1);
		clock_ms = 1000000;
		raise(first);
		clock_ms += ms;
		if (second)
			raise(second);
		if (stop_requested_twice())
			_exit(REQUESTED_TWICE);
		_exit(stop_requested() ? REQUESTED : IGNORED);
	}
	UNIT_NEED(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int ends(void (*catch)(void), void (*hangup)(int number), int first, int second)
{
	return ends_ms(catch, hangup, first, second, 0);
}

static void requested(void)
{
	UNIT_EQ(ends(stop_on_signals, SIG_DFL, SIGINT, SIGINT), REQUESTED);
	UNIT_EQ(ends(stop_on_signals, SIG_DFL, SIGTERM, SIGTERM), REQUESTED);
	UNIT_EQ(ends(stop_on_signals, SIG_DFL, SIGHUP, SIGHUP), REQUESTED);
	UNIT_EQ(ends(stop_on_signals, SIG_DFL, SIGPIPE, 0), -SIGPIPE);
	UNIT_EQ(ends(stop_in_order, SIG_DFL, SIGPIPE, SIGHUP), REQUESTED);
}

/* A process and its group get the same signal: it counts once. */
static void requested_twice(void)
{
	UNIT_EQ(ends_ms(stop_on_signals, SIG_DFL, SIGINT, SIGINT, 1000), REQUESTED_TWICE);
	UNIT_EQ(ends_ms(stop_on_signals, SIG_DFL, SIGTERM, SIGINT, 1000), REQUESTED_TWICE);
	UNIT_EQ(ends_ms(stop_on_signals, SIG_DFL, SIGHUP, SIGTERM, 5000), REQUESTED_TWICE);
	UNIT_EQ(ends_ms(stop_on_signals, SIG_DFL, SIGTERM, SIGTERM, 999), REQUESTED);
	UNIT_EQ(ends_ms(stop_on_signals, SIG_DFL, SIGHUP, SIGHUP, 5000), REQUESTED);
	UNIT_EQ(ends_ms(stop_on_signals, SIG_DFL, SIGTERM, SIGHUP, 5000), REQUESTED);
}

static void requested_once(void)
{
	UNIT_EQ(ends(stop_on_first_signals, SIG_DFL, SIGINT, SIGTERM), REQUESTED);
	UNIT_EQ(ends(stop_on_first_signals, SIG_DFL, SIGINT, SIGINT), REQUESTED);
	UNIT_EQ(ends_ms(stop_on_first_signals, SIG_DFL, SIGTERM, SIGTERM, 999), REQUESTED);
	UNIT_EQ(ends_ms(stop_on_first_signals, SIG_DFL, SIGINT, SIGINT, 1000), -SIGINT);
	UNIT_EQ(ends_ms(stop_on_first_signals, SIG_DFL, SIGINT, SIGTERM, 1000), -SIGTERM);
}

/* At the end of a terminal, both the shell and the kernel send SIGHUP. */
static void terminal_goes(void)
{
	UNIT_EQ(ends_ms(stop_on_first_signals, SIG_DFL, SIGHUP, SIGHUP, 5000), REQUESTED);
	UNIT_EQ(ends(stop_on_first_signals, SIG_DFL, SIGHUP, SIGINT), REQUESTED);
}

/* As started by nohup. */
static void terminal_may_go(void)
{
	UNIT_EQ(ends(stop_on_signals, SIG_IGN, SIGHUP, 0), IGNORED);
	UNIT_EQ(ends(stop_on_first_signals, SIG_IGN, SIGHUP, 0), IGNORED);
}

/* As started by a script in the background. */
static void background(void)
{
	signal(SIGINT, SIG_IGN);
	UNIT_EQ(ends(stop_on_signals, SIG_DFL, SIGINT, 0), IGNORED);
	UNIT_EQ(ends(stop_on_first_signals, SIG_DFL, SIGINT, 0), IGNORED);
	UNIT_EQ(ends(stop_on_signals, SIG_DFL, SIGINT, SIGTERM), REQUESTED);
	signal(SIGINT, SIG_DFL);
}

UNIT_MAIN("signals", {"a signal requests a stop", requested},
	  {"two stop requests", requested_twice}, {"one stop request", requested_once},
	  {"closed terminal", terminal_goes}, {"closed terminal with nohup", terminal_may_go},
	  {"background job", background})
