/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EMU_LOG_H
#define EMU_LOG_H

#include <stddef.h>

/*
 * Write a line to stderr. The line is lost if stderr takes no data: the caller may hold a lock, and
 * a full pipe must not stop the card.
 */
void emu_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Write a complete line, including its newline. A signal handler may call this. */
void emu_log_line(const char *line, size_t len);

#endif /* EMU_SAY_H */
