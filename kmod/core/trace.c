// SPDX-License-Identifier: GPL-2.0-only
/*
 * Define the tracepoints of trace.h. This is a separate compilation unit, because no header may
 * include trace.h before CREATE_TRACE_POINTS is defined.
 */
#define CREATE_TRACE_POINTS
#include "core/trace.h"
