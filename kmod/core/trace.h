/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of every channel: buffers and register writes. A kind has its own beside these.
 * Minor and channel name the node: /dev/roc<minor>ch<channel>.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM roc

#if !defined(ROC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ROC_TRACE_H

#include <linux/tracepoint.h>
#include <uapi/linux/roc.h>

/* The macros are laid out as everywhere in the kernel. */
/* clang-format off */

TRACE_EVENT(roc_buffer,
	TP_PROTO(int minor, unsigned int channel, u32 handle, u64 length, u32 extents),
	TP_ARGS(minor, channel, handle, length, extents),
	TP_STRUCT__entry(
		__field(int, minor)
		__field(unsigned int, channel)
		__field(u32, handle)
		__field(u32, extents)
		__field(u64, length)
	),
	TP_fast_assign(
		__entry->minor = minor;
		__entry->channel = channel;
		__entry->handle = handle;
		__entry->extents = extents;
		__entry->length = length;
	),
	TP_printk("roc%dch%u handle=%u extents=%u length=%llu",
		  __entry->minor, __entry->channel, __entry->handle, __entry->extents,
		  __entry->length)
);

TRACE_EVENT(roc_reg_write,
	TP_PROTO(int minor, unsigned int bar, u32 offset, u32 value),
	TP_ARGS(minor, bar, offset, value),
	TP_STRUCT__entry(
		__field(int, minor)
		__field(unsigned int, bar)
		__field(u32, offset)
		__field(u32, value)
	),
	TP_fast_assign(
		__entry->minor = minor;
		__entry->bar = bar;
		__entry->offset = offset;
		__entry->value = value;
	),
	TP_printk("roc%d bar=%u offset=%#x value=%#x",
		  __entry->minor, __entry->bar, __entry->offset, __entry->value)
);

/* clang-format on */

#endif /* ROC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH core
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
