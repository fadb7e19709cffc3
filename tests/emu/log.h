/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EMU_LOG_H
#define EMU_LOG_H

#include <stddef.h>

/*
 * A line on stderr, lost when nobody takes it: who says it may hold a lock, and a full pipe must
 * not stop the card.
 */
void emu_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same of a line that is made already, its newline included: a signal handler may do this. */
void emu_log_line(const char *line, size_t len);

#endif /* EMU_SAY_H */
