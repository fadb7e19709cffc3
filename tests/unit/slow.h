/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scale time limits by the slowness of this machine, which the guest measures and passes in
 * $ROC_SLOWNESS (1 is usual, 4 means four times as slow). Minimum times are not scaled.
 */
#ifndef ROC_UNIT_SLOW_H
#define ROC_UNIT_SLOW_H

#include <stdlib.h>

#define SLOWNESS_MAX 100.0

/*
 * The limit of a wait is when a test gives up, not a performance requirement: on a loaded machine
 * an operation takes a few times as long.
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
	if (!(known >= 1)) /* also true for NaN */
		known = 1;
	if (known > SLOWNESS_MAX)
		known = SLOWNESS_MAX;
	return known;
}

#endif /* ROC_UNIT_SLOW_H */
