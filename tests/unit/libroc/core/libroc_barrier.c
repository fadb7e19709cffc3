// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Check the barrier before a doorbell in the library's files as compiled for arm64. On x86 the
 * processor keeps the order, so no run can show that the barrier is present.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

#define CROSS "aarch64-linux-gnu-gcc"
#define ASSEMBLE CROSS " -std=gnu11 -D_GNU_SOURCE -O2 -iquote . -Ilibroc/include -S -o - %s"

static bool no_compiler(void)
{
	if (!system("echo '#include <stdio.h>' | " CROSS " -fsyntax-only -x c - 2>/dev/null"))
		return false;
	unit_skip(
		"no compiler for arm64 is installed (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)");
	return true;
}

/* No other barrier in these files is for device memory. */
static void ordered(const char *source)
{
	char command[256];

	snprintf(command, sizeof(command),
		 ASSEMBLE " | grep -qE '^[[:space:]]*dmb[[:space:]]+osh$'", source);
	UNIT_EQ(system(command), 0);
}

static void fragments(void)
{
	if (!no_compiler())
		ordered("libroc/core/fragment_take.c");
}

static void streams(void)
{
	if (!no_compiler())
		ordered("libroc/core/stream_ring.c");
}

UNIT_MAIN("libroc_barrier", {"fragments", fragments}, {"streams", streams})
