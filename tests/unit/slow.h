/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How slow this machine is: the guest measures itself and says so in $ROC_SLOWNESS (1 is usual, 4
 * takes four times as long). Limits of time are stretched by it; what must last at least so long
 * is not.
 */
#ifndef ROC_UNIT_SLOW_H
#define ROC_UNIT_SLOW_H

#include <stdlib.h>

#define SLOWNESS_MAX 100.0

/*
 * Limits of waits say when to give up, not how long something may take: on a machine that does
 * other things, too, it takes a few times as long.
 */
#define UNIT_PATIENCE 5

__attribute__((unused)) static double slowness(void)
{
	static double known;
	const char *text;

	if (known)
		return known;
	text = getenv("ROC_SLOWNESS");
	known = text ? strtod(text, NULL) : 1;
	if (!(known >= 1)) /* nor is it a number */
		known = 1;
	if (known > SLOWNESS_MAX)
		known = SLOWNESS_MAX;
	return known;
}

#endif /* ROC_UNIT_SLOW_H */
