/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of roc-flash, and the card that it shares with roc-flash-read. Short: the flash itself
 * is libroc's (roc/crorc.h).
 */
#ifndef ROC_UTILS_FLASH_H
#define ROC_UTILS_FLASH_H

#include <roc/crorc.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What is done to the flash. */
enum flash_job {
	FLASH_IMAGE,
	FLASH_COMPARE,
	FLASH_SERIAL,
};

/*
 * In which state a job has left the flash, and what to do now; sentences for people. @command: that
 * repeats the job.
 */
void flash_state_text(enum flash_job job, const struct roc_crorc_flash *flash, const char *command,
		      char *text, size_t size);
/* The same in a word: "untouched", "incomplete", "different", "good". */
const char *flash_state(enum flash_job job, const struct roc_crorc_flash *flash);

void flash_json(FILE *out, const struct roc_card *card, enum flash_job job,
		const struct roc_crorc_flash *flash, bool dry, const char *failure);

/*
 * A C-RORC, open, with all of its channels claimed: the driver refuses the flash while a channel
 * runs; with the claim none can start halfway. Owned by its user from flash_card_open() to
 * flash_card_close().
 */
struct flash_card {
	struct roc_card card;
	struct roc_endpoint *ep;
	struct roc_channel *channels[ROC_CRORC_LINKS];
};

/* Exit code. After a failure nothing is open. */
int flash_card_open(const char *id, struct flash_card *f);
void flash_card_close(struct flash_card *f);

#endif
