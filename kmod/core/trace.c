// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bodies of the tracepoints in trace.h: CREATE_TRACE_POINTS has to be defined in one compilation
 * unit, before anything includes that header.
 */
#define CREATE_TRACE_POINTS
#include "core/trace.h"
