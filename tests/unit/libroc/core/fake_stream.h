/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fake the kernel and a card with streams: the linker redirects open(), ioctl(), mmap(), roc_find()
 * and roc_channel_owner() to these. The ring is memory that is mapped twice, as by the driver.
 * Included once by each program that needs them.
 */
#ifndef ROC_UNIT_LIBROC_FAKE_STREAM_H
#define ROC_UNIT_LIBROC_FAKE_STREAM_H

#include <roc/stream.h>

#include "libroc/core/stream.h"

#define RING ROC_ST_RING_MIN
#define LINES (RING / ROC_ST_LINE)
/* Offsets in the file that replaces the node */
#define CONTROL_AT RING
#define USER_AT (RING + 8192)
#define BELL_AT (RING + 12288)
#define FILE_END (RING + 16384)

#define FAKE_CARD ROC_CARD_P40
#define FAKE_CHANNELS 3
#define FAKE_OWNER "roc-stream"
#define FAKE_CAPS ROC_CAP_STREAMS
#define FAKE_INFO ROC_ST_INFO
#define FAKE_INFO_ARG roc_st_info
#include "fake_node.h"

static const char *const names[] = {"main", "meta", "odin0"};

static struct {
	union {
		struct roc_st_ring ring;
		struct roc_st_settings settings;
		struct roc_st_reset reset;
		struct roc_st_wait wait;
		struct roc_st_card card;
	} in, out;
	uint32_t arrive; /* lines that arrive at the start of a wait */
	uint32_t known;	 /* read position that the waits reported to the card */
	uint32_t state, reason;

	struct roc_st_kernel *kernel;
	struct roc_st_state *card;
	struct roc_st_user *user;
	uint32_t *bell;
} fake;

static void *on_mmap(void *at, size_t length, int prot, int flags, int fd, off_t offset)
{
	char *twice;

	if (flags != MAP_SHARED)
		return __real_mmap(at, length, prot, flags, fd, offset);
	if (offset)
		return __real_mmap(at, length, prot, flags, fd, offset);
	UNIT_EQ(length, 2 * RING);
	twice = __real_mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	UNIT_NEED(twice != MAP_FAILED);
	UNIT_NEED(__real_mmap(twice, RING, prot, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
	UNIT_NEED(__real_mmap(twice + RING, RING, prot, MAP_SHARED | MAP_FIXED, fd, 0) !=
		  MAP_FAILED);
	return twice;
}

static void make_ring(int fd, struct roc_st_ring *ring)
{
	node_map(fd);
	fake.kernel = (void *)(node.area + CONTROL_AT);
	fake.card = (void *)(node.area + CONTROL_AT + 4096);
	fake.user = (void *)(node.area + USER_AT);
	fake.bell = (void *)(node.area + BELL_AT);
	ring->ring_length = 2 * RING;
	ring->control_offset = CONTROL_AT;
	ring->control_length = 8192;
	ring->user_offset = USER_AT;
	ring->user_length = 4096;
	ring->bell_offset = BELL_AT;
	ring->bell_length = node.no_bell ? 0 : 4096;
}

static bool fake_info(struct roc_st_info *info)
{
	if (info->stream >= FAKE_CHANNELS)
		return false;
	strcpy(info->name, names[info->stream]);
	info->state = fake.state;
	info->reason = fake.reason;
	return true;
}

/*
 * Like the driver, report the whole position if the wait sleeps, otherwise only a large enough
 * step.
 */
static uint32_t unreported_by_wait(void)
{
	bool sleeps = (int32_t)(fake.card->written - fake.in.wait.position) < 0;

	if (sleeps || fake.user->read - fake.known >= LINES / 4)
		fake.known = fake.user->read;
	return fake.user->read - fake.known;
}

static void fake_refuse(unsigned long request, void *arg)
{
	const size_t at = offsetof(struct roc_st_ring, reason);

	if (request == ROC_ST_RING)
		memcpy((char *)arg + at, (char *)&fake.out.ring + at, sizeof(fake.out.ring) - at);
}

static int fake_ioctl(int fd, unsigned long request, void *arg)
{
	switch (request) {
	case ROC_ST_RING:
		fake.in.ring = *(struct roc_st_ring *)arg;
		make_ring(fd, arg);
		return 0;
	case ROC_ST_START:
		fake.user->read = ((struct roc_st_start *)arg)->position;
		fake.user->taken = fake.user->read;
		fake.card->written = fake.user->read;
		fake.known = fake.user->read;
		if (node.start_errno) {
			errno = node.start_errno;
			return -1;
		}
		fake.kernel->flags = 0;
		fake.kernel->run++;
		return 0;
	case ROC_ST_STOP:
		((struct roc_st_stop *)arg)->lost = 17;
		if (fake.kernel)
			fake.kernel->flags = ROC_ST_STOPPED;
		return 0;
	case ROC_ST_SETTINGS:
		fake.in.settings = *(struct roc_st_settings *)arg;
		*(struct roc_st_settings *)arg = fake.out.settings;
		return 0;
	case ROC_ST_RESET:
		fake.in.reset = *(struct roc_st_reset *)arg;
		return 0;
	case ROC_ST_CARD:
		fake.in.card = *(struct roc_st_card *)arg;
		((struct roc_st_card *)arg)->streams = 3;
		return 0;
	case ROC_ST_WAIT:
		fake.in.wait = *(struct roc_st_wait *)arg;
		fake.card->written += fake.arrive;
		fake.arrive = 0;
		((struct roc_st_wait *)arg)->unreported = unreported_by_wait();
		if ((int32_t)(fake.card->written - fake.in.wait.position) >= 0 ||
		    fake.state != ROC_CH_RUNNING)
			return 0;
		errno = ETIME;
		return -1;
	}
	errno = ENOTTY;
	return -1;
}

static struct roc_stream *stream(const char *name)
{
	struct roc_stream *s = NULL;

	memset(&fake, 0, sizeof(fake));
	memset(&node, 0, sizeof(node));
	fake.state = ROC_CH_RUNNING;
	UNIT_NEED(!roc_stream_open("245", name, &s));
	return s;
}

/* Open and start a stream with a ring at @position. */
__attribute__((unused)) static struct roc_stream *running(uint32_t position)
{
	struct roc_stream *s = stream("main");

	UNIT_NEED(!roc_stream_ring(s, RING));
	UNIT_NEED(!roc_stream_start(s, position));
	return s;
}

static void finish(struct roc_stream *s)
{
	roc_stream_close(s);
	node_unmap();
}

#endif
