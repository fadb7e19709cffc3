/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Record the last data error of a run instead of writing it to a file. For programs linked with
 * --wrap=error_log_add.
 */
#ifndef ROC_UNIT_ERROR_LOGGED_H
#define ROC_UNIT_ERROR_LOGGED_H

#include <stdarg.h>
#include <stdio.h>

#include "utils/check/check.h"

#define COUNTERS_RESET                                                                             \
	"the card's counters were reset during the run: the received data cannot be compared with them"

static char error_logged[256];

void __wrap_error_log_add(struct error_log *log, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void __wrap_error_log_add(struct error_log *log, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error_logged, sizeof(error_logged), fmt, ap);
	va_end(ap);
	log->count++;
}

#endif
