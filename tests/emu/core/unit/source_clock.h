/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a generator's next event is due: it stands still as long as it may not go on, and begins
 * anew with its rate then.
 */
#ifndef EMU_SOURCE_CLOCK_H
#define EMU_SOURCE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define SOURCE_LAG 100 /* a source that is late makes up for 1/SOURCE_LAG second */

struct source_clock {
	bool flows;	  /* since: */
	uint64_t base_ns; /* and this many events were taken of what was due: */
	uint64_t taken;
};

/*
 * Events that it has by now, at most @left; if none, @when it will. @rate: per second, 0: no limit.
 * @waits: what is due for long is lost, else it waits.
 */
uint64_t source_clock_due(struct source_clock *c, uint64_t now, uint32_t rate, uint64_t left,
			  bool waits, uint64_t *when);

#endif /* EMU_SOURCE_CLOCK_H */
