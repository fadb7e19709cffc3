// SPDX-License-Identifier: GPL-2.0-only
/*
 * Define the tracepoints of trace.h. This is a separate compilation unit, because no other file may
 * define CREATE_TRACE_POINTS before it includes that header.
 */
#define CREATE_TRACE_POINTS
#include "core/trace.h"
