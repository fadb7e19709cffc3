// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Going on until a signal.
 */
#include "tool.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "clock.h"

static volatile sig_atomic_t asked, twice, twice_ends;
static bool report_optional;
static _Atomic uint64_t first; /* when the first signal came */

/*
 * Who ends a group of processes may tell one of them by itself as well, as timeout(1) does: what
 * comes within a second is one signal. That a terminal goes is said by the shell and by the kernel.
 */
static void on_signal(int number)
{
	/* In this order: a signal that comes in between is no younger than this one then. */
	uint64_t since = first, now = now_ns();

	if (!since)
		first = now;
	else if (number != SIGHUP && now - since >= NS_PER_S)
		twice = 1;
	asked = 1;
	/* It is blocked here, and ends the process when this returns. */
	if (twice && twice_ends) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

bool stop_is_ignored(int number)
{
	struct sigaction was;

	return !sigaction(number, NULL, &was) && was.sa_handler == SIG_IGN;
}

/* Not restarting: a sleep must end. */
void stop_on_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	/* As a shell starts a job in the background of a script: ^C is for others. */
	if (!stop_is_ignored(SIGINT))
		sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* A tool that was started by nohup outlives its terminal. */
	if (!stop_is_ignored(SIGHUP))
		sigaction(SIGHUP, &action, NULL);
}

void stop_not_by_pipes(void)
{
	signal(SIGPIPE, SIG_IGN);
}

void stop_not_by_readers(void)
{
	stop_not_by_pipes();
	report_optional = true;
}

bool stop_excuses_report(void)
{
	return report_optional && asked;
}

void stop_not_by_files(void)
{
	signal(SIGXFSZ, SIG_IGN);
}

void stop_in_order(void)
{
	stop_on_signals();
	stop_not_by_pipes();
}

void stop_on_first_signals(void)
{
	twice_ends = 1;
	stop_on_signals();
}

void stop_block_signals(sigset_t *before)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGHUP);
	sigprocmask(SIG_BLOCK, &blocked, before);
}

void stop_request(void)
{
	asked = 1;
}

bool stop_requested(void)
{
	return asked;
}

bool stop_requested_twice(void)
{
	return twice;
}

bool stop_sleep(double seconds)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (time_t)seconds;
	end.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
	if (end.tv_nsec >= 1000000000) {
		end.tv_sec++;
		end.tv_nsec -= 1000000000;
	}
	/* EINTR without our signal: a debugger or SIGCONT; sleep on. */
	while (!asked && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
	return asked;
}
