// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bodies of the tracepoints in trace.h: a compilation unit of its own, because nothing else may
 * include that header before CREATE_TRACE_POINTS is defined.
 */
#define CREATE_TRACE_POINTS
#include "core/trace.h"
