/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EMU_UTF8_H
#define EMU_UTF8_H

#include <stddef.h>

/*
 * Length in bytes of the UTF-8 character at the beginning of @text, which ends with a NUL; 0:
 * invalid.
 */
size_t utf8_length(const char *text);

#endif /* EMU_UTF8_H */
