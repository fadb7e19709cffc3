/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the module: for all channels, for pools, for runs. Minor and channel identify the
 * node: /dev/roc<minor>ch<channel>.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM roc

#if !defined(ROC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ROC_TRACE_H

#include <linux/tracepoint.h>
#include <uapi/linux/roc.h>

#include "core/run.h"

/* The layout of the macros is that of the kernel. */
/* clang-format off */

#define CHANNEL_ENTRY							\
	__field(int, minor)						\
	__field(unsigned int, channel)

#define CHANNEL_ASSIGN(_ch)						\
	do {								\
		__entry->minor = (_ch)->ep->minor;			\
		__entry->channel = (_ch)->number;			\
	} while (0)

#define CHANNEL_FMT "roc%dch%u"
#define CHANNEL_ARG __entry->minor, __entry->channel

/* An ioctl failed; @nr is the request. */
TRACE_EVENT(roc_ioctl_error,
	TP_PROTO(int minor, unsigned int nr, int err),
	TP_ARGS(minor, nr, err),
	TP_STRUCT__entry(
		__field(int, minor)
		__field(unsigned int, nr)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->minor = minor;
		__entry->nr = nr;
		__entry->err = err;
	),
	TP_printk("roc%d nr=%#x err=%d", __entry->minor, __entry->nr, __entry->err)
);

TRACE_EVENT(roc_buffer,
	TP_PROTO(const struct roc_channel *ch, u32 handle, u64 length, u32 extents),
	TP_ARGS(ch, handle, length, extents),
	TP_STRUCT__entry(
		CHANNEL_ENTRY
		__field(u32, handle)
		__field(u32, extents)
		__field(u64, length)
	),
	TP_fast_assign(
		CHANNEL_ASSIGN(ch);
		__entry->handle = handle;
		__entry->extents = extents;
		__entry->length = length;
	),
	TP_printk(CHANNEL_FMT " handle=%u extents=%u length=%llu",
		  CHANNEL_ARG, __entry->handle, __entry->extents,
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

/* Pool: a superpage is submitted or returned, and the thread sleeps. */

TRACE_EVENT(roc_push,
	TP_PROTO(const struct roc_channel *ch, unsigned int link, const struct roc_fill *fill),
	TP_ARGS(ch, link, fill),
	TP_STRUCT__entry(
		CHANNEL_ENTRY
		__field(unsigned int, link)
		__field(u32, buffer)
		__field(u32, length)
		__field(u64, offset)
		__field(u64, cookie)
	),
	TP_fast_assign(
		CHANNEL_ASSIGN(ch);
		__entry->link = link;
		__entry->buffer = fill->buffer;
		__entry->length = fill->length;
		__entry->offset = fill->offset;
		__entry->cookie = fill->cookie;
	),
	TP_printk(CHANNEL_FMT " link=%u buffer=%u length=%u offset=%llu cookie=%llu",
		  CHANNEL_ARG, __entry->link, __entry->buffer,
		  __entry->length, __entry->offset, __entry->cookie)
);

TRACE_EVENT(roc_ready,
	TP_PROTO(const struct roc_channel *ch, const struct roc_ready *ready),
	TP_ARGS(ch, ready),
	TP_STRUCT__entry(
		CHANNEL_ENTRY
		__field(int, link)
		__field(u32, flags)
		__field(u32, reason)
		__field(u32, received)
		__field(u64, cookie)
		__field(u64, sequence)
	),
	TP_fast_assign(
		CHANNEL_ASSIGN(ch);
		__entry->link = ready->link;
		__entry->flags = ready->flags;
		__entry->reason = ready->reason;
		__entry->received = ready->received;
		__entry->cookie = ready->cookie;
		__entry->sequence = ready->sequence;
	),
	TP_printk(CHANNEL_FMT " link=%d flags=%#x reason=%u received=%u cookie=%llu sequence=%llu",
		  CHANNEL_ARG, __entry->link, __entry->flags, __entry->reason,
		  __entry->received, __entry->cookie, __entry->sequence)
);

TRACE_EVENT(roc_sleep,
	TP_PROTO(const struct roc_channel *ch, u64 ns, u32 finished, u32 waiting),
	TP_ARGS(ch, ns, finished, waiting),
	TP_STRUCT__entry(
		CHANNEL_ENTRY
		__field(u64, ns)
		__field(u32, finished)
		__field(u32, waiting)
	),
	TP_fast_assign(
		CHANNEL_ASSIGN(ch);
		__entry->ns = ns;
		__entry->finished = finished;
		__entry->waiting = waiting;
	),
	TP_printk(CHANNEL_FMT " ns=%llu finished=%u waiting=%u",
		  CHANNEL_ARG, __entry->ns, __entry->finished,
		  __entry->waiting)
);

/* Start and end of a run, and the handling of each interrupt. Counts are those of the queue. */

DECLARE_EVENT_CLASS(roc_run,
	TP_PROTO(const struct roc_run *run, enum roc_reason reason),
	TP_ARGS(run, reason),
	TP_STRUCT__entry(
		CHANNEL_ENTRY
		__field(u32, run)
		__field(u32, reason)
		__field(u32, count)
	),
	TP_fast_assign(
		CHANNEL_ASSIGN(run->open.ch);
		__entry->run = run->number;
		__entry->reason = reason;
		__entry->count = run->queue[0].count;
	),
	TP_printk(CHANNEL_FMT " run=%u reason=%u count=%u", CHANNEL_ARG, __entry->run,
		  __entry->reason, __entry->count)
);

DEFINE_EVENT(roc_run, roc_run_start,
	TP_PROTO(const struct roc_run *run, enum roc_reason reason),
	TP_ARGS(run, reason)
);

DEFINE_EVENT(roc_run, roc_run_end,
	TP_PROTO(const struct roc_run *run, enum roc_reason reason),
	TP_ARGS(run, reason)
);

DECLARE_EVENT_CLASS(roc_queue,
	TP_PROTO(const struct roc_run *run, const struct roc_event_queue *q),
	TP_ARGS(run, q),
	TP_STRUCT__entry(
		CHANNEL_ENTRY
		__field(unsigned int, purpose)
		__field(u32, count)
		__field(u32, seen)
	),
	TP_fast_assign(
		CHANNEL_ASSIGN(run->open.ch);
		__entry->purpose = q->purpose;
		__entry->count = q->count;
		__entry->seen = q->seen;
	),
	TP_printk(CHANNEL_FMT " purpose=%u count=%u seen=%u", CHANNEL_ARG, __entry->purpose,
		  __entry->count, __entry->seen)
);

DEFINE_EVENT(roc_queue, roc_queue_arm,
	TP_PROTO(const struct roc_run *run, const struct roc_event_queue *q),
	TP_ARGS(run, q)
);

DEFINE_EVENT(roc_queue, roc_queue_interrupt,
	TP_PROTO(const struct roc_run *run, const struct roc_event_queue *q),
	TP_ARGS(run, q)
);

DEFINE_EVENT(roc_queue, roc_queue_missed,
	TP_PROTO(const struct roc_run *run, const struct roc_event_queue *q),
	TP_ARGS(run, q)
);

/* clang-format on */

#endif /* ROC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH core
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
