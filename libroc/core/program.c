// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of programs. A program calls itself what it likes (prctl(2)), and the kernel cuts the name
 * where it gets too long, maybe within a character.
 */
#include "libroc.h"

void libroc_program_name(char *name)
{
	for (; *name; name++) {
		if (*name < ' ' || *name > '~')
			*name = '?';
	}
}
