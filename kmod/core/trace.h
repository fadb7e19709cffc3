/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the module: first those of all channels, then those of each channel type.
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

/* Pool: each superpage on its way in and out, the ends of a run, the sleep of the thread. */

TRACE_EVENT(roc_push,
	TP_PROTO(int minor, unsigned int channel, unsigned int link, const struct roc_fill *fill),
	TP_ARGS(minor, channel, link, fill),
	TP_STRUCT__entry(
		__field(int, minor)
		__field(unsigned int, channel)
		__field(unsigned int, link)
		__field(u32, buffer)
		__field(u32, length)
		__field(u64, offset)
		__field(u64, cookie)
	),
	TP_fast_assign(
		__entry->minor = minor;
		__entry->channel = channel;
		__entry->link = link;
		__entry->buffer = fill->buffer;
		__entry->length = fill->length;
		__entry->offset = fill->offset;
		__entry->cookie = fill->cookie;
	),
	TP_printk("roc%dch%u link=%u buffer=%u length=%u offset=%llu cookie=%llu",
		  __entry->minor, __entry->channel, __entry->link, __entry->buffer,
		  __entry->length, __entry->offset, __entry->cookie)
);

TRACE_EVENT(roc_ready,
	TP_PROTO(int minor, unsigned int channel, const struct roc_ready *ready),
	TP_ARGS(minor, channel, ready),
	TP_STRUCT__entry(
		__field(int, minor)
		__field(unsigned int, channel)
		__field(int, link)
		__field(u32, flags)
		__field(u32, why)
		__field(u32, received)
		__field(u64, cookie)
		__field(u64, sequence)
	),
	TP_fast_assign(
		__entry->minor = minor;
		__entry->channel = channel;
		__entry->link = ready->link;
		__entry->flags = ready->flags;
		__entry->why = ready->why;
		__entry->received = ready->received;
		__entry->cookie = ready->cookie;
		__entry->sequence = ready->sequence;
	),
	TP_printk("roc%dch%u link=%d flags=%#x why=%u received=%u cookie=%llu sequence=%llu",
		  __entry->minor, __entry->channel, __entry->link, __entry->flags, __entry->why,
		  __entry->received, __entry->cookie, __entry->sequence)
);

TRACE_EVENT(roc_start,
	TP_PROTO(int minor, unsigned int channel, unsigned int source, u32 links),
	TP_ARGS(minor, channel, source, links),
	TP_STRUCT__entry(
		__field(int, minor)
		__field(unsigned int, channel)
		__field(unsigned int, source)
		__field(u32, links)
	),
	TP_fast_assign(
		__entry->minor = minor;
		__entry->channel = channel;
		__entry->source = source;
		__entry->links = links;
	),
	TP_printk("roc%dch%u source=%u links=%#x",
		  __entry->minor, __entry->channel, __entry->source, __entry->links)
);

TRACE_EVENT(roc_stop,
	TP_PROTO(int minor, unsigned int channel, unsigned int why, u32 reclaimed),
	TP_ARGS(minor, channel, why, reclaimed),
	TP_STRUCT__entry(
		__field(int, minor)
		__field(unsigned int, channel)
		__field(unsigned int, why)
		__field(u32, reclaimed)
	),
	TP_fast_assign(
		__entry->minor = minor;
		__entry->channel = channel;
		__entry->why = why;
		__entry->reclaimed = reclaimed;
	),
	TP_printk("roc%dch%u why=%u reclaimed=%u",
		  __entry->minor, __entry->channel, __entry->why, __entry->reclaimed)
);

TRACE_EVENT(roc_sleep,
	TP_PROTO(int minor, unsigned int channel, u64 ns, u32 finished, u32 waiting),
	TP_ARGS(minor, channel, ns, finished, waiting),
	TP_STRUCT__entry(
		__field(int, minor)
		__field(unsigned int, channel)
		__field(u64, ns)
		__field(u32, finished)
		__field(u32, waiting)
	),
	TP_fast_assign(
		__entry->minor = minor;
		__entry->channel = channel;
		__entry->ns = ns;
		__entry->finished = finished;
		__entry->waiting = waiting;
	),
	TP_printk("roc%dch%u ns=%llu finished=%u waiting=%u",
		  __entry->minor, __entry->channel, __entry->ns, __entry->finished,
		  __entry->waiting)
);

/*
 * Stream: the ends of a run, the request for an interrupt, the interrupt. Positions are lines, as
 * in the user ABI.
 */

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

#endif /* ROC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH core
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
