/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Going on until a signal.
 */
#ifndef ROC_UTILS_STOP_H
#define ROC_UTILS_STOP_H

#include <signal.h>
#include <stdbool.h>

/* From now on SIGTERM, and SIGINT and SIGHUP unless they are ignored, do not end the process:
 * stop_asked() reports them. */
void stop_on_signals(void);
/* @number is ignored, as nohup or the shell that started the process set it. */
bool stop_is_ignored(int number);
/* From now on SIGPIPE ends nothing: look at what is written. */
void stop_not_by_pipes(void);
/* The same for tools whose data count, and not what they print: after a signal, a report that
 * cannot be written changes no status, either. */
void stop_not_by_readers(void);
/* There was a signal, and stop_not_by_readers() is in effect. */
bool stop_excuses_report(void);
/* From now on a file that may not be longer (ulimit -f) ends nothing: the write says so. */
void stop_not_by_files(void);
/* stop_on_signals() and stop_not_by_pipes(): for what has to be ended in order. */
void stop_in_order(void);
/* As stop_on_signals(), but what stop_asked_twice() speaks of ends the process. */
void stop_on_first_signals(void);
bool stop_asked(void);
/* A SIGINT or SIGTERM came a second after the first signal or later: the end takes too long. */
bool stop_asked_twice(void);
/* From now on SIGINT, SIGTERM and SIGHUP wait, until @before (if not NULL) is the mask again. */
void stop_hold(sigset_t *before);
/* As the signal does, from any thread. */
void stop_ask(void);
/* Sleep until the signal or for so long; true: the signal came. */
bool stop_sleep(double seconds);

#endif
