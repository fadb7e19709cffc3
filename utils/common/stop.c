// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Handle signals that request a stop.
 */
#include "tool.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "clock.h"

static volatile sig_atomic_t requested, twice, twice_ends;
static bool report_optional;
static _Atomic uint64_t first; /* time of the first signal */

/*
 * A process can get the same signal twice, as by timeout(1), which signals the process and its
 * group. Signals within one second count as one. At the end of a terminal, both the shell and the
 * kernel send SIGHUP.
 */
static void on_signal(int number)
{
	/*
	 * Read @first before the clock: a signal that interrupts in between then has a time no
	 * later than @now.
	 */
	uint64_t since = first, now = now_ns();

	if (!since)
		first = now;
	else if (number != SIGHUP && now - since >= NS_PER_S)
		twice = 1;
	requested = 1;
	/* The signal is blocked here; it ends the process when this handler returns. */
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

/* Without SA_RESTART: a sleep must be interrupted. */
void stop_on_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	/* A shell script starts background jobs with SIGINT ignored: ^C is not for them. */
	if (!stop_is_ignored(SIGINT))
		sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* A tool started by nohup must outlive its terminal. */
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

bool stop_report_optional(void)
{
	return report_optional && requested;
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
	requested = 1;
}

bool stop_requested(void)
{
	return requested;
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
	/* Only SIGCONT or a debugger can cause EINTR without a stop request: sleep on. */
	while (!requested && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
	return requested;
}
