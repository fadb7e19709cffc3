/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Find out from the kernel at which address a port is listened on.
 */
#ifndef ROC_UNIT_LISTENS_H
#define ROC_UNIT_LISTENS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum listens {
	LISTENS_NOWHERE,
	LISTENS_LOOPBACK, /* 127.0.0.1 only */
	LISTENS_ELSEWHERE,
};

static enum listens listens(unsigned int number)
{
	static const char *const tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};
	enum listens found = LISTENS_NOWHERE;
	char line[512], address[64];
	unsigned int i, at, state;
	FILE *f;

	for (i = 0; i < 2; i++) {
		f = fopen(tables[i], "r");
		while (f && fgets(line, sizeof(line), f)) {
			if (sscanf(line, " %*u: %63[0-9A-F]:%x %*s %x", address, &at, &state) !=
				    3 ||
			    at != number || state != 0x0a)
				continue;
			if (!strcmp(address, "0100007F") && found != LISTENS_ELSEWHERE)
				found = LISTENS_LOOPBACK;
			else
				found = LISTENS_ELSEWHERE;
		}
		if (f)
			fclose(f);
	}
	return found;
}

#endif
