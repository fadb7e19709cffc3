/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EMU_UTF8_H
#define EMU_UTF8_H

#include <stddef.h>

/* Bytes of the UTF-8 character that @text, which ends with a NUL, begins with; 0: none does. */
size_t utf8_length(const char *text);

#endif /* EMU_UTF8_H */
