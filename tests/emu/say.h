/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EMU_SAY_H
#define EMU_SAY_H

/*
 * A line on stderr, lost when nobody takes it: who says it may hold a lock, and a full pipe must
 * not stop the card.
 */
void emu_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* EMU_SAY_H */
