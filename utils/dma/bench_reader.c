// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reader loop: sleep until superpages are ready, check them and return them to the card. The loop
 * runs in one thread; meanwhile the kernel refills the card from the fill ring.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "utils/common/clock.h"
#include "utils/common/tool.h"

#define TICK_NS NS_PER_S	 /* live line and temperature */
#define WAIT_MS 100		 /* longest sleep, also if a signal comes just before it */
#define BATCH 32		 /* superpages between two refills */
#define WAKE_NS (20 * NS_PER_MS) /* sleep until the data of this time are ready */
#define WAKE_SUPERPAGES_MAX 64	 /* but at most until this many superpages are ready */

static uint32_t ring_size(uint32_t entries)
{
	uint32_t size = ROC_RING_MIN;

	while (size < entries && size < ROC_RING_MAX)
		size *= 2;
	return size;
}

int bench_reader_prepare(struct bench *b)
{
	uint32_t i, size = ring_size(b->count);

	if (b->opt->buffer_full_check && b->count > size) {
		bench_fail(
			b,
			"The buffer has %u superpages, but --buffer-full-check supports at most %u: set a larger --superpage-size.",
			b->count, size);
		return -E2BIG;
	}
	if (roc_channel_rings(b->ch, size, size)) {
		bench_fail(b, "%s", roc_error());
		return -EIO;
	}
	b->rings = roc_channel_ring(b->ch);
	b->free_list = calloc(b->count, sizeof(*b->free_list));
	b->lent = calloc(b->count, sizeof(*b->lent));
	if (!b->free_list || !b->lent) {
		bench_fail(b, "Cannot allocate the list of %u superpages.", b->count);
		return -ENOMEM;
	}
	for (i = 0; i < b->count; i++)
		b->free_list[i] = i;
	b->free_count = b->count;
	return 0;
}

void bench_reader_release(struct bench *b)
{
	free(b->free_list);
	free(b->lent);
}

void bench_reader_fill(struct bench *b)
{
	struct roc_fill *fill;
	uint32_t index;

	while (b->free_count && (fill = roc_fill_next(b->rings))) {
		index = b->free_list[b->free_head];
		b->free_head = b->free_head + 1 == b->count ? 0 : b->free_head + 1;
		b->free_count--;
		b->lent[index] = true;
		*fill = (struct roc_fill){
			.buffer = b->handle,
			.length = b->superpage,
			.offset = (uint64_t)index * b->superpage,
			.cookie = index,
		};
		b->counts.pushed++;
	}
	if (!roc_fill_publish(b->rings))
		return;
	b->counts.kicks++;
	if (roc_channel_kick(b->ch))
		bench_fail(b, "%s", roc_error());
}

static void return_superpage(struct bench *b, uint32_t index)
{
	uint32_t tail = b->free_head + b->free_count;

	b->lent[index] = false;
	b->free_list[tail >= b->count ? tail - b->count : tail] = index;
	b->free_count++;
}

static void dump(struct bench *b, const struct roc_ready *e, const uint32_t *data)
{
	uint32_t words = e->received / 4, i;

	if (b->bin && fwrite(data, 1, e->received, b->bin) != e->received)
		bench_fail(b, "Cannot write %s: %s.", b->opt->bin_file, strerror(errno));
	if (!b->ascii)
		return;
	fprintf(b->ascii, "# superpage %" PRIu64 " link %d bytes %u\n", b->counts.superpages,
		e->link, e->received);
	for (i = 0; i < words; i++)
		fprintf(b->ascii, "%08x%c", data[i], i % 8 == 7 || i == words - 1 ? '\n' : ' ');
	if (ferror(b->ascii))
		bench_fail(b, "Cannot write %s: %s.", b->opt->ascii_file, strerror(errno));
}

/*
 * Check the contract of the driver: it returns each superpage once, with the values that were
 * pushed.
 */
static bool entry_is_ours(struct bench *b, const struct roc_ready *e)
{
	bool ours = e->cookie < b->count && b->lent[e->cookie] && e->buffer == b->handle &&
		    e->offset == e->cookie * b->superpage && e->length == b->superpage;

	if (e->sequence != b->sequence)
		error_log_add(&b->errors,
			      "driver: returned ready entry %" PRIu64 " instead of %" PRIu64,
			      (uint64_t)e->sequence, b->sequence);
	b->sequence = e->sequence + 1;
	if (!ours)
		error_log_add(&b->errors,
			      "driver: superpage with cookie %" PRIu64 " offset 0x%" PRIx64
			      " was not pushed to the card",
			      (uint64_t)e->cookie, (uint64_t)e->offset);
	return ours;
}

static void handle_filled(struct bench *b, const struct roc_ready *e)
{
	struct bench_counts *n = &b->counts;
	const void *data = (const char *)b->memory.addr + e->offset;
	struct check_superpage sp = {
		.data = data,
		.received = e->received,
		.length = e->length,
		.link = e->link >= 0 ? (unsigned int)e->link : UINT32_MAX,
		.number = n->superpages,
	};
	uint64_t pages = check_superpage(&b->checker, &sp);

	if (b->ascii || b->bin)
		dump(b, e, data);
	if (b->opt->print_sp_change) {
		bench_live_end(b);
		fprintf(b->opt->json ? stderr : stdout,
			"superpage %" PRIu64 " link %d offset 0x%" PRIx64 " bytes %u",
			n->superpages, e->link, (uint64_t)e->offset, e->received);
		if (check_counts_pages(&b->checker.config))
			fprintf(b->opt->json ? stderr : stdout, " pages %" PRIu64, pages);
		fputc('\n', b->opt->json ? stderr : stdout);
	}
	n->superpages++;
	n->damaged += !!(e->flags & ROC_READY_DAMAGED);
	n->short_ += !!(e->flags & ROC_READY_SHORT);
	n->bytes += e->received;
	n->pages += pages;
	if (sp.link < CHECK_LINKS) {
		n->links[sp.link].superpages++;
		n->links[sp.link].bytes += e->received;
		n->links[sp.link].pages += pages;
	}
	if (e->time > n->last_data)
		n->last_data = e->time;
}

static void handle_entry(struct bench *b, const struct roc_ready *e)
{
	if (!entry_is_ours(b, e))
		return;
	if (e->flags & ROC_READY_FILLED) {
		handle_filled(b, e);
	} else if (e->flags & ROC_READY_REFUSED) {
		b->counts.refused++;
		bench_fail(b, "The driver refused a superpage: %s", roc_reason_text(e->reason));
	} else {
		b->counts.reclaimed++;
	}
	return_superpage(b, (uint32_t)e->cookie);
}

/* Reap at most @max entries; return their number. */
static unsigned int reap(struct bench *b, unsigned int max)
{
	const struct roc_ready *e;
	unsigned int n;

	for (n = 0; n < max && (e = roc_ready_peek(b->rings)); n++) {
		handle_entry(b, e);
		roc_ready_release(b->rings, 1);
	}
	return n;
}

/* Record why the channel delivers no more data. */
static void explain(struct bench *b)
{
	struct roc_ch_info info = {0};

	if (roc_channel_info(b->ch, &info))
		bench_fail(b, "%s", roc_error());
	else if (info.state == ROC_CH_FAILED)
		bench_fail(b, "The channel failed: %s", roc_reason_text(info.reason));
	else if (info.state != ROC_CH_RUNNING)
		bench_fail(b, "The channel was stopped, but not by this tool.");
}

void bench_reader_stop(struct bench *b)
{
	struct roc_ch_info info = {0};
	int err = roc_channel_stop(b->ch, NULL);

	/* A failed channel has stopped already; its superpages are in the ready ring anyway. */
	if (!err || b->end == BENCH_END_FAILED)
		return;
	/*
	 * The card did not quiesce and may still write. The state shows that no other process
	 * stopped the channel.
	 */
	if (err == -EIO && !roc_channel_info(b->ch, &info) && info.state == ROC_CH_STOPPED)
		bench_fail(b, "%s", roc_error());
	else
		explain(b);
}

static void pause_us(uint32_t us)
{
	struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L};

	if (us)
		nanosleep(&t, NULL);
}

/*
 * Number of ready superpages that are worth a wakeup, from the rate since the last time. Most of
 * the buffer stays with the card.
 */
static unsigned int wake_threshold(struct bench *b)
{
	uint64_t now = now_ns(), slept = now - b->wake_time;
	uint64_t most = b->count / 4 < WAKE_SUPERPAGES_MAX ? b->count / 4 : WAKE_SUPERPAGES_MAX, n;

	if (slept >= WAKE_NS) {
		n = (b->counts.superpages - b->wake_superpages) * WAKE_NS / slept;
		n = n < most ? n : most;
		b->wake_threshold = n ? (unsigned int)n : 1;
		b->wake_time = now;
		b->wake_superpages = b->counts.superpages;
	}
	return b->wake_threshold;
}

/* Nothing is ready: sleep, or poll the card in busy mode. */
static void idle(struct bench *b, unsigned int min_ready)
{
	int n;

	if (b->opt->mode == ROC_MODE_BUSY) {
		b->counts.polls++;
		n = roc_channel_poll(b->ch);
		if (n < 0 && n != -EINTR)
			bench_fail(b, "%s", roc_error());
		else if (!n)
			pause_us(b->opt->pause_read + (b->free_count ? 0 : b->opt->pause_push));
		return;
	}
	b->counts.waits++;
	n = roc_channel_wait(b->ch, min_ready, WAIT_MS);
	if (n == -EINTR || n == -ETIME)
		return;
	if (n < 0)
		bench_fail(b, "%s", roc_error());
	else if ((unsigned int)n < min_ready)
		explain(b);
}

/* --random-pause: pause when the time @next is reached, and set the next time. */
static void random_pause(uint64_t now, uint64_t *next)
{
	if (now < *next)
		return;
	if (*next)
		pause_us((uint32_t)(1 + random() % 500) * 1000);
	*next = now_ns() + (uint64_t)(10 + random() % 1990) * NS_PER_MS;
}

/* Check the end conditions and set b->end. */
static bool finished(struct bench *b, uint64_t now, uint64_t last_progress)
{
	const struct bench_options *o = b->opt;

	if (b->failure[0])
		b->end = BENCH_END_FAILED;
	else if (stop_requested())
		b->end = BENCH_END_SIGNAL;
	else if (o->bytes && b->counts.bytes >= o->bytes)
		b->end = BENCH_END_BYTES;
	else if (o->time && now - b->counts.start >= o->time * NS_PER_S)
		b->end = BENCH_END_TIME;
	else if (o->stall_limit && now - last_progress >= o->stall_limit * NS_PER_S)
		b->end = BENCH_END_STALL;
	else
		return false;
	return true;
}

/* --buffer-full-check: reap nothing until the buffer is full. */
static bool buffer_full(struct bench *b, uint32_t *seen)
{
	const struct roc_ready *last;
	uint32_t ready = roc_ready_count(b->rings);
	bool progress = ready != *seen;

	*seen = ready;
	if (ready == b->count) {
		last = roc_ready_at(b->rings, ready - 1);
		if (last && last->time > b->counts.start)
			b->counts.filled_ns = last->time - b->counts.start;
		b->end = BENCH_END_FULL;
	} else if (!progress) {
		idle(b, b->count);
	}
	return progress;
}

void bench_reader_run(struct bench *b)
{
	uint64_t now = now_ns(), progress = now, tick = now + TICK_NS, next_pause = 0;
	uint32_t seen = 0;

	b->counts.start = now;
	b->end = BENCH_END_FAILED;
	b->wake_threshold = 1;
	b->wake_time = now;
	while (!finished(b, now, progress)) {
		if (b->free_count && !b->opt->buffer_full_check)
			bench_reader_fill(b);
		if (b->opt->buffer_full_check) {
			if (buffer_full(b, &seen))
				progress = now;
			if (b->end == BENCH_END_FULL)
				break;
		} else if (reap(b, BATCH)) {
			progress = now;
		} else {
			idle(b, wake_threshold(b));
		}
		if (b->opt->random_pause)
			random_pause(now, &next_pause);
		now = now_ns();
		if (now >= tick) {
			bench_live(b);
			tick = now + TICK_NS;
		}
	}
	b->counts.end = now_ns();
}

void bench_reader_drain(struct bench *b)
{
	while (reap(b, BATCH))
		;
	if (b->counts.last_data > b->counts.end)
		b->counts.end = b->counts.last_data;
}

void bench_fail(struct bench *b, const char *fmt, ...)
{
	va_list ap;

	if (b->failure[0])
		return;
	va_start(ap, fmt);
	vsnprintf(b->failure, sizeof(b->failure), fmt, ap);
	va_end(ap);
}
