/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers in processes of their own, one per channel: what they found comes back in shared memory.
 */
#ifndef CASE_PLAYER_H
#define CASE_PLAYER_H

#include "rig.h"

#include <sys/types.h>

/**
 * struct player - a reader that takes data until it is told to leave
 * @id: endpoint
 * @channel: of it
 * @source: of its data
 * @superpage: bytes
 * @tf_length: orbits of a C-RORC's time frame; 0: 256
 * @filled: superpages so far
 * @leave: set by the parent: stop in good order
 * @over: it takes no more
 * @failed: something was wrong; @end has it
 * @end: the rig at the end, with its counts
 * @info: the driver's counts at the end
 * @pid: of the process
 */
struct player {
	const char *id;
	unsigned int channel;
	enum roc_source source;
	uint32_t superpage;
	uint32_t tf_length;
	volatile uint64_t filled;
	volatile bool leave, over, failed;
	struct rig end;
	struct roc_ch_info info;
	pid_t pid;
};

/* Shared memory for @count of them; the caller fills in what comes before @filled. */
struct player *players_make(unsigned int count);
void players_free(struct player *p, unsigned int count);

void player_start(struct player *p);
/* Did each take @n superpages more, within @ms? A player that has been told to leave is left out.
 */
bool players_advance(struct player *p, unsigned int count, uint64_t n, unsigned int ms);
/* All that are still there leave in good order; false if one found something wrong (noted). */
bool players_leave(struct player *p, unsigned int count, unsigned int ms);

#endif /* CASE_PLAYER_H */
