// SPDX-License-Identifier: GPL-2.0-only
/* The bodies of the tracepoints in trace.h. */
#define CREATE_TRACE_POINTS
#include "stream/trace.h"
