/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports of roc-flash, and the card that it shares with roc-flash-read. Access to the flash is in
 * libroc (roc/crorc.h).
 */
#ifndef ROC_UTILS_FLASH_H
#define ROC_UTILS_FLASH_H

#include <roc/crorc.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Job of the tool. */
enum flash_job {
	FLASH_IMAGE,
	FLASH_COMPARE,
	FLASH_SERIAL,
};

/*
 * Format the state in which the job left the flash, and what to do now. @command: repeats the job.
 */
void flash_state_text(enum flash_job job, const struct roc_crorc_flash *flash, const char *command,
		      char *text, size_t size);
/* Return the state as a word: "untouched", "incomplete", "different", "good", ... */
const char *flash_state(enum flash_job job, const struct roc_crorc_flash *flash);

void flash_json(FILE *out, const struct roc_card *card, enum flash_job job,
		const struct roc_crorc_flash *flash, bool dry, const char *failure);

/*
 * An open C-RORC with all its channels claimed: the driver rejects flash access while a channel
 * runs, and the claim prevents a start in between. Owned by its user from flash_card_open() to
 * flash_card_close().
 */
struct flash_card {
	struct roc_card card;
	struct roc_endpoint *ep;
	struct roc_channel *channels[ROC_CRORC_LINKS];
};

/* Return an exit code. On failure nothing stays open. */
int flash_card_open(const char *id, struct flash_card *f);
void flash_card_close(struct flash_card *f);

#endif
