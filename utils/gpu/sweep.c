// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure copies over record sizes, memory types and streams. Each copy reads another piece of
 * device memory, so that a missing copy is detected when the records are checked. Checks run
 * outside the measured time.
 */
#include "sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "utils/common/tool.h"
#include "utils/node/check/machine.h"
#include "utils/units/content.h"

#define WORD 8
#define GIB ((double)(UINT64_C(1) << 30))
#define BUFFER_MAX (UINT64_C(1) << 30) /* bytes of the buffer, at least one record */
#define CHECK_MAX (UINT64_C(64) << 20) /* bytes of records to check, at least one record */
/* bytes; larger records are copied slowly enough to check for a signal after each */
#define SMALL 65536
#define SMALL_ONES 1024 /* small records between two checks for a signal */

struct times {
	uint64_t wall;
	double system, user;
};

/* Destinations of records of one size. */
struct slots {
	uint64_t record;
	uint64_t count; /* a multiple of the streams, so that no two streams write to one slot */
	uint64_t made;	/* copies started for this point */
	uint64_t first; /* number of the first one among all copies */
};

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static struct times now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (struct times){
		.wall = units_now(),
		.system = seconds(&usage.ru_stime),
		.user = seconds(&usage.ru_utime),
	};
}

/* Return the offset in device memory for copy @number. */
static uint64_t place(uint64_t number)
{
	return content_mix(number, 0) % CONTENT_PLACES * WORD;
}

static char *slot_of(const struct sweep *s, const struct slots *slots, uint64_t n)
{
	return (char *)s->memory.addr + n % slots->count * slots->record;
}

/* Check for a signal, rarely enough not to affect the rate and often enough for the user. */
static bool interrupted(const struct slots *slots, uint64_t i)
{
	return (slots->record > SMALL || !(i % SMALL_ONES)) && stop_requested();
}

/*
 * Wait for all streams, because copies write to the buffer until they are done. Return: the first
 * error.
 */
static int wait_for_all(struct copier *c, unsigned int streams, int failed)
{
	char reason[UNITS_REASON];
	unsigned int stream;
	int ret;

	for (stream = 0; stream < streams; stream++) {
		memcpy(reason, c->reason, sizeof(reason));
		ret = c->ops->wait(c, stream);
		if (failed)
			memcpy(c->reason, reason, sizeof(reason));
		else
			failed = ret;
	}
	return failed;
}

/* Copy @records records, fewer if a signal arrives. */
static int one_repeat(struct sweep *s, struct slots *slots, unsigned int streams, uint64_t records)
{
	struct copier *c = s->copier;
	uint64_t i;
	int ret = 0;

	for (i = 0; i < records && !ret && !interrupted(slots, i); i++) {
		ret = c->ops->copy(c, (unsigned int)(slots->made % streams),
				   slot_of(s, slots, slots->made),
				   place(slots->first + slots->made), slots->record);
		slots->made += !ret;
	}
	return wait_for_all(c, streams, ret);
}

/* Check the last records. */
static void check_records(struct sweep *s, const struct slots *slots, struct sweep_point *p)
{
	uint64_t n = CHECK_MAX / slots->record ? CHECK_MAX / slots->record : 1, i;
	struct content content;
	int64_t wrong;

	n = n < slots->count ? n : slots->count;
	n = n < slots->made ? n : slots->made;
	for (i = slots->made - n; i < slots->made; i++) {
		/* The record is a body without a head, so its counter starts there. */
		content = (struct content){.place = place(slots->first + i) / WORD -
						    CONTENT_HEAD / WORD};
		wrong = content_check(&content, CONTENT_HEAD, slot_of(s, slots, i), slots->record);
		if (wrong < 0)
			continue;
		units_fail(s->wrong, EBADMSG,
			   "A record of %" PRIu64 " bytes was copied wrongly: byte %" PRId64
			   " differs from the device memory.",
			   slots->record, wrong - CONTENT_HEAD);
		p->errors++;
	}
	s->errors += p->errors;
}

static void add_up(struct sweep_point *p, const double *rates, const struct times *used)
{
	double sum = 0, squares = 0;
	unsigned int i;

	p->least = p->most = rates[0];
	for (i = 0; i < p->repeats; i++) {
		sum += rates[i];
		p->least = fmin(p->least, rates[i]);
		p->most = fmax(p->most, rates[i]);
	}
	p->mean = sum / p->repeats;
	for (i = 0; i < p->repeats; i++)
		squares += (rates[i] - p->mean) * (rates[i] - p->mean);
	p->sigma = p->repeats > 1 ? sqrt(squares / (p->repeats - 1)) : NAN;
	p->system = used->system / ((double)p->bytes / GIB);
	p->user = used->user / ((double)p->bytes / GIB);
}

/* Return: 0, or -errno with the reason in the copier. */
static int measure(struct sweep *s, struct slots *slots, struct sweep_point *p)
{
	uint64_t records = s->opt->bytes / p->record ? s->opt->bytes / p->record : 1;
	struct times used = {0}, before, after;
	double rates[SWEEP_REPEATS];
	unsigned int i;
	int ret;

	/* Warm up: during the first copies, caches and tables of the device are cold. */
	ret = one_repeat(s, slots, p->streams, p->streams);
	for (i = 0; i < s->opt->repeats && !ret && !stop_requested(); i++) {
		before = now();
		ret = one_repeat(s, slots, p->streams, records);
		after = now();
		if (ret || stop_requested())
			break;
		rates[i] = (double)(records * p->record * 8) / (double)(after.wall - before.wall);
		used.system += after.system - before.system;
		used.user += after.user - before.user;
		p->repeats++;
		p->bytes += records * p->record;
	}
	if (ret || !p->repeats)
		return ret;
	add_up(p, rates, &used);
	if (!s->opt->no_check)
		check_records(s, slots, p);
	return 0;
}

static int sweep_sizes(struct sweep *s, unsigned int streams, uint64_t *number)
{
	double factor = pow(10, 1.0 / s->opt->steps), size = (double)s->opt->record_min;
	uint64_t record, last = 0;
	int ret;

	for (; last < s->opt->record_max && !stop_requested(); size *= factor) {
		struct sweep_point *p = &s->points[s->count];
		struct slots slots = {.first = *number};

		record = ((uint64_t)(size + 0.5) + WORD - 1) / WORD * WORD;
		record = record < s->opt->record_max ? record : s->opt->record_max;
		if (record == last)
			continue;
		last = record;
		slots.record = record;
		slots.count = s->memory.length / record / streams * streams;
		s->no_space += !slots.count;
		s->too_many += slots.count && s->count == SWEEP_POINTS;
		if (!slots.count || s->count == SWEEP_POINTS)
			continue;
		*p = (struct sweep_point){
			.record = record, .pinned = s->pinned, .streams = streams};
		ret = measure(s, &slots, p);
		if (ret)
			return ret;
		s->count += p->repeats > 0;
		*number += slots.made;
	}
	return 0;
}

static int sweep_memory(struct sweep *s, bool pinned, uint64_t *number)
{
	struct copier *c = s->copier;
	unsigned int streams;
	int ret = 0;

	if (pinned)
		ret = c->ops->pin(c, s->memory.addr, s->memory.length);
	if (ret)
		return ret;
	s->pinned = pinned;
	for (streams = 1; streams <= s->opt->streams && !ret; streams *= 2)
		ret = sweep_sizes(s, streams, number);
	if (pinned)
		c->ops->unpin(c, s->memory.addr, s->memory.length);
	return ret;
}

static void report_left_out(const struct sweep *s)
{
	if (s->no_space)
		tool_note(
			"%u point%s omitted: a record for each stream does not fit into %.3g GiB of host memory: set a smaller --record-max or fewer --streams.",
			s->no_space, s->no_space == 1 ? " is" : "s are",
			(double)s->memory.length / GIB);
	if (s->too_many)
		tool_note(
			"%u point%s omitted: the maximum is %d points: set fewer --steps, or a smaller range of records.",
			s->too_many, s->too_many == 1 ? " is" : "s are", SWEEP_POINTS);
}

int sweep_run(struct sweep *s)
{
	const struct sweep_options *o = s->opt;
	uint64_t length = o->record_max * o->streams, number = 0;
	int ret;

	length = length < BUFFER_MAX ? length : BUFFER_MAX;
	length = length > o->record_max ? length : o->record_max;
	if (roc_memory_alloc(length, -1, ROC_MEMORY_PLAIN_OK, &s->memory))
		return tool_fail("%s", roc_error());
	ret = copier_fill(s->copier, 0, stop_requested);
	if (!ret && o->memory != SWEEP_PAGEABLE)
		ret = sweep_memory(s, true, &number);
	if (!ret && o->memory != SWEEP_PINNED && !stop_requested())
		ret = sweep_memory(s, false, &number);
	report_left_out(s);
	if (!s->count && stop_requested())
		return tool_fail("Interrupted before any point was measured.");
	return ret ? tool_fail("%s", s->copier->reason) : TOOL_OK;
}

/*
 * Bytes around the payload of a write: 16 for the header with a 64-bit address, 4 for the link CRC,
 * and framing with sequence number: 4 from 8 GT/s on, 1 + 2 + 1 below.
 */
#define PACKET_OVERHEAD 24
#define PAYLOAD_USUAL 256 /* bytes: the setting of most machines */

static double encoding(double speed)
{
	if (speed < 7.5)
		return 8.0 / 10;
	if (speed < 48)
		return 128.0 / 130;
	/* Flits: 236 of 256 bytes carry packets. */
	return 236.0 / 256;
}

void gpu_link_set(struct gpu_link *l, double speed, unsigned int lanes, unsigned int payload)
{
	*l = (struct gpu_link){
		.known = true,
		.speed = speed,
		.lanes = lanes,
		.encoding = encoding(speed),
		.payload = payload,
		.efficiency = (double)payload / (payload + PACKET_OVERHEAD),
	};
	l->ceiling = l->speed * l->lanes * l->encoding * l->efficiency;
}

void gpu_link_read(struct gpu_link *l, const char *root, const char *address)
{
	struct node_pci pci;
	struct tree tree;
	long speed, width;
	bool assumed;

	*l = (struct gpu_link){0};
	if (!address[0] || tree_open(&tree, root) ||
	    node_pci_speed(&tree, address, "current_link_speed", &speed) ||
	    node_pci_width(&tree, address, "current_link_width", &width))
		return;
	assumed = node_pci_read(&tree, address, &pci) != 0;
	gpu_link_set(l, (double)speed / 100, (unsigned int)width,
		     assumed ? PAYLOAD_USUAL : node_pci_payload(&pci));
	l->payload_assumed = assumed;
}
