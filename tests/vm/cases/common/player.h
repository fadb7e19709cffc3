/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers in separate processes, one per channel. They return their results in shared memory.
 */
#ifndef CASE_PLAYER_H
#define CASE_PLAYER_H

#include "rig.h"

#include <sys/types.h>

/**
 * struct player - a reader that takes data until it is requested to end
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

/* Shared memory for @count of them; the caller fills in the members before @filled. */
struct player *players_make(unsigned int count);
void players_free(struct player *p, unsigned int count);

void player_start(struct player *p);
/*
 * Wait until each took @n superpages more, at most @ms. Skips players that were requested to end.
 */
bool players_advance(struct player *p, unsigned int count, uint64_t n, unsigned int ms);
/* End all running players with a stop; false, with a note, if one found an error. */
bool players_leave(struct player *p, unsigned int count, unsigned int ms);

#endif /* CASE_PLAYER_H */
