/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of a stream: the run's boundaries, when the card is asked for an interrupt, and what
 * was there when it came. Positions are lines, as in the user ABI.
 * Minor and channel name the node: /dev/roc<minor>ch<channel>.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM roc

#if !defined(ROC_STREAM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ROC_STREAM_TRACE_H

#include <linux/tracepoint.h>

/* The macros are laid out as everywhere in the kernel. */
/* clang-format off */

TRACE_EVENT(roc_stream_start,
	TP_PROTO(int minor, unsigned int channel, u32 run, u32 position),
	TP_ARGS(minor, channel, run, position),
	TP_STRUCT__entry(
		__field(int, minor)
		__field(unsigned int, channel)
		__field(u32, run)
		__field(u32, position)
	),
	TP_fast_assign(
		__entry->minor = minor;
		__entry->channel = channel;
		__entry->run = run;
		__entry->position = position;
	),
	TP_printk("roc%dch%u run=%u position=%u",
		  __entry->minor, __entry->channel, __entry->run, __entry->position)
);

TRACE_EVENT(roc_stream_end,
	TP_PROTO(int minor, unsigned int channel, unsigned int why, u32 written, u32 read),
	TP_ARGS(minor, channel, why, written, read),
	TP_STRUCT__entry(
		__field(int, minor)
		__field(unsigned int, channel)
		__field(unsigned int, why)
		__field(u32, written)
		__field(u32, read)
	),
	TP_fast_assign(
		__entry->minor = minor;
		__entry->channel = channel;
		__entry->why = why;
		__entry->written = written;
		__entry->read = read;
	),
	TP_printk("roc%dch%u why=%u written=%u read=%u",
		  __entry->minor, __entry->channel, __entry->why, __entry->written,
		  __entry->read)
);

TRACE_EVENT(roc_stream_arm,
	TP_PROTO(int minor, unsigned int channel, u32 seen, u32 read),
	TP_ARGS(minor, channel, seen, read),
	TP_STRUCT__entry(
		__field(int, minor)
		__field(unsigned int, channel)
		__field(u32, seen)
		__field(u32, read)
	),
	TP_fast_assign(
		__entry->minor = minor;
		__entry->channel = channel;
		__entry->seen = seen;
		__entry->read = read;
	),
	TP_printk("roc%dch%u seen=%u read=%u",
		  __entry->minor, __entry->channel, __entry->seen, __entry->read)
);

TRACE_EVENT(roc_stream_interrupt,
	TP_PROTO(int minor, unsigned int channel, u32 written, u32 seen),
	TP_ARGS(minor, channel, written, seen),
	TP_STRUCT__entry(
		__field(int, minor)
		__field(unsigned int, channel)
		__field(u32, written)
		__field(u32, seen)
	),
	TP_fast_assign(
		__entry->minor = minor;
		__entry->channel = channel;
		__entry->written = written;
		__entry->seen = seen;
	),
	TP_printk("roc%dch%u written=%u seen=%u",
		  __entry->minor, __entry->channel, __entry->written, __entry->seen)
);

/* clang-format on */

#endif /* ROC_STREAM_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH stream
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
