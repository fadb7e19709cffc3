// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Readers in separate processes. See player.h.
 */
#include "player.h"

#include <stdio.h>

#include "limit.h"
#include "node.h"

#define SILENT_MS 30000

struct player *players_make(unsigned int count)
{
	return shared_alloc(count * sizeof(struct player));
}

void players_free(struct player *p, unsigned int count)
{
	shared_free(p, count * sizeof(*p));
}

static int play(void *arg)
{
	struct player *p = arg;
	struct rig r = {.id = p->id,
			.channel = p->channel,
			.source = p->source,
			.superpage = p->superpage,
			.tf_length = p->tf_length,
			.count = 32};

	p->failed = true;
	if (!rig_open(&r))
		goto end;
	rig_push(&r, RIG_MAX);
	if (!rig_start(&r))
		goto end;
	while (!p->leave && rig_run(&r, r.filled + 1, SILENT_MS))
		p->filled = r.filled;
	if (!rig_stop(&r))
		goto end;
	p->filled = r.filled;
	p->info = ch_info(rig_fd(&r));
	p->failed = r.found.count || rig_missing(&r);
end:
	p->end = r;
	p->over = true;
	if (r.ch)
		rig_close(&r);
	return p->failed;
}

void player_start(struct player *p)
{
	p->filled = 0;
	p->leave = false;
	p->over = false;
	p->failed = false;
	p->pid = child_start(AS_ROOT, play, p);
}

static bool advanced(struct player *p, unsigned int count, const uint64_t *target)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!p[i].leave && p[i].filled < target[i])
			return false;
	return true;
}

static bool over(const struct player *p, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!p[i].leave && p[i].over)
			return true;
	return false;
}

bool players_advance(struct player *p, unsigned int count, uint64_t n, unsigned int ms)
{
	uint64_t target[16] = {0};
	int64_t end = now_ms() + patience_ms(ms);
	unsigned int i;
	bool all;

	for (i = 0; i < count; i++)
		target[i] = p[i].filled + n;
	while (!(all = advanced(p, count, target)) && !over(p, count) && now_ms() < end)
		sleep_ms(1);
	for (i = 0; i < count; i++)
		if (!p[i].leave && p[i].filled < target[i])
			printf("# %s channel %u: %llu superpages more, not %llu\n", p[i].id,
			       p[i].channel, (unsigned long long)(p[i].filled + n - target[i]),
			       (unsigned long long)n);
	return all;
}

bool players_leave(struct player *p, unsigned int count, unsigned int ms)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < count; i++)
		if (p[i].leave)
			p[i].pid = 0;
		else
			p[i].leave = true;
	for (i = 0; i < count; i++) {
		int status = p[i].pid ? child_wait(p[i].pid, ms) : 0;

		if (status)
			printf("# %s channel %u: status %d: %s\n", p[i].id, p[i].channel, status,
			       p[i].end.found.first);
		good = good && !status;
	}
	return good;
}
