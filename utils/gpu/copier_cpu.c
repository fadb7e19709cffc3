// SPDX-License-Identifier: GPL-2.0-or-later
/* Use this machine's memory as device memory, and a thread for each stream. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "copier.h"
#include "utils/units/content.h"

#define JOBS 64

struct job {
	void *to;
	uint64_t from;
	size_t bytes;
};

struct stream {
	struct cpu *cpu;
	pthread_t thread;
	bool started;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job jobs[JOBS];
	uint64_t requested, finished;
	bool ended;
};

struct cpu {
	struct copier copier;
	char *memory;
	struct stream stream[COPIER_STREAMS];
};

static struct cpu *of(struct copier *c)
{
	return (struct cpu *)c;
}

static void *work(void *argument)
{
	struct stream *s = argument;
	struct job job;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (s->requested == s->finished && !s->ended)
			pthread_cond_wait(&s->changed, &s->lock);
		if (s->requested == s->finished)
			break;
		job = s->jobs[s->finished % JOBS];
		pthread_mutex_unlock(&s->lock);
		memcpy(job.to, s->cpu->memory + job.from, job.bytes);
		pthread_mutex_lock(&s->lock);
		s->finished++;
		pthread_cond_broadcast(&s->changed);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static int pin(struct copier *c, void *addr, size_t length)
{
	if (mlock(addr, length))
		return units_fail(
			c->reason, errno,
			"%zu bytes cannot be locked in memory: %s. Raise the limit of locked memory (ulimit -l), or omit pinned memory.",
			length, strerror(errno));
	return 0;
}

static void unpin(struct copier *c, void *addr, size_t length)
{
	munlock(addr, length);
}

static int upload(struct copier *c, uint64_t at, const void *data, size_t bytes)
{
	memcpy(of(c)->memory + at, data, bytes);
	return 0;
}

static int copy(struct copier *c, unsigned int stream, void *to, uint64_t from, size_t bytes)
{
	struct stream *s = &of(c)->stream[stream];

	if (from > c->memory || bytes > c->memory - from)
		return units_fail(c->reason, EINVAL,
				  "The range of the copy is outside the device memory.");
	pthread_mutex_lock(&s->lock);
	while (s->requested - s->finished == JOBS)
		pthread_cond_wait(&s->changed, &s->lock);
	s->jobs[s->requested++ % JOBS] = (struct job){.to = to, .from = from, .bytes = bytes};
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

static int done(struct copier *c, unsigned int stream)
{
	struct stream *s = &of(c)->stream[stream];
	int ret;

	pthread_mutex_lock(&s->lock);
	ret = s->requested == s->finished;
	pthread_mutex_unlock(&s->lock);
	return ret;
}

static int wait_for(struct copier *c, unsigned int stream)
{
	struct stream *s = &of(c)->stream[stream];

	pthread_mutex_lock(&s->lock);
	while (s->requested != s->finished)
		pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

static void close_cpu(struct copier *c)
{
	struct cpu *cpu = of(c);
	unsigned int i;

	for (i = 0; i < c->streams; i++) {
		struct stream *s = &cpu->stream[i];

		if (!s->started)
			continue;
		pthread_mutex_lock(&s->lock);
		s->ended = true;
		pthread_cond_broadcast(&s->changed);
		pthread_mutex_unlock(&s->lock);
		pthread_join(s->thread, NULL);
		pthread_cond_destroy(&s->changed);
		pthread_mutex_destroy(&s->lock);
	}
	if (cpu->memory)
		munmap(cpu->memory, c->memory);
	free(cpu);
}

static const struct copier_ops ops = {
	.name = "cpu",
	.pin = pin,
	.unpin = unpin,
	.upload = upload,
	.copy = copy,
	.done = done,
	.wait = wait_for,
	.close = close_cpu,
};

static int start(struct stream *s)
{
	int ret;

	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	ret = pthread_create(&s->thread, NULL, work, s);
	s->started = !ret;
	return ret;
}

struct copier *copier_cpu(const struct copier_options *o, char reason[UNITS_REASON])
{
	struct cpu *cpu = calloc(1, sizeof(*cpu));
	unsigned int i;
	void *memory;

	if (!cpu) {
		units_fail(reason, ENOMEM, "Cannot allocate the copier.");
		return NULL;
	}
	cpu->copier.ops = &ops;
	cpu->copier.streams = o->streams;
	strcpy(cpu->copier.device, "this machine's memory");
	memory = mmap(NULL, o->memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		units_fail(reason, ENOMEM, "Cannot allocate the device memory (%llu bytes).",
			   (unsigned long long)o->memory);
		goto fail;
	}
	cpu->memory = memory;
	cpu->copier.memory = o->memory;
	madvise(memory, o->memory, MADV_HUGEPAGE);
	for (i = 0; i < o->streams; i++) {
		cpu->stream[i].cpu = cpu;
		if (start(&cpu->stream[i])) {
			units_fail(reason, EAGAIN, "Cannot start a thread for stream %u.", i);
			goto fail;
		}
	}
	return &cpu->copier;

fail:
	close_cpu(&cpu->copier);
	return NULL;
}

#define PIECE (1 << 20)

int copier_fill(struct copier *c, uint64_t source, bool (*enough)(void))
{
	char *piece = malloc(PIECE);
	uint64_t at;
	int ret = 0;

	if (!piece)
		return units_fail(c->reason, ENOMEM, "Cannot allocate the buffer of an upload.");
	for (at = 0; at < c->memory && !ret; at += PIECE) {
		size_t bytes = c->memory - at < PIECE ? (size_t)(c->memory - at) : PIECE;

		if (enough && enough()) {
			ret = units_fail(c->reason, ECANCELED,
					 "Interrupted while the device memory was filled.");
			break;
		}
		content_body(source, at / 8, piece, bytes);
		ret = c->ops->upload(c, at, piece, bytes);
	}
	free(piece);
	return ret;
}
