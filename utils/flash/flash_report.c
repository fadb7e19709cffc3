// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports of roc-flash about the state of the flash; the card with all its channels claimed.
 */
#include "flash.h"

#include "utils/common/card.h"
#include "utils/common/json.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

static const char *const steps[] = {
	[ROC_CRORC_FLASH_IDLE] = "idle",       [ROC_CRORC_FLASH_ERASE] = "erase",
	[ROC_CRORC_FLASH_PROGRAM] = "program", [ROC_CRORC_FLASH_VERIFY] = "verify",
	[ROC_CRORC_FLASH_DONE] = "done",
};

static const char *const jobs[] = {
	[FLASH_IMAGE] = "image",
	[FLASH_COMPARE] = "compare",
	[FLASH_SERIAL] = "serial",
};

const char *flash_state(enum flash_job job, const struct roc_crorc_flash *flash)
{
	if (flash->step == ROC_CRORC_FLASH_DONE)
		return "good";
	if (job == FLASH_COMPARE)
		return flash->wanted != flash->got ? "different" : "unknown";
	if (!flash->touched)
		return "untouched";
	if (flash->step == ROC_CRORC_FLASH_VERIFY)
		return flash->wanted != flash->got ? "different" : "not verified";
	return "incomplete";
}

static void format_good(enum flash_job job, const struct roc_crorc_flash *flash, char *text,
			size_t size)
{
	switch (job) {
	case FLASH_IMAGE:
		snprintf(
			text, size,
			"The flash contains the image: all %u words were verified. The card runs its old firmware until its next power cycle.",
			flash->verified);
		break;
	case FLASH_COMPARE:
		snprintf(text, size, "The flash contains this image: all %u words match.",
			 flash->verified);
		break;
	case FLASH_SERIAL:
		snprintf(
			text, size,
			"The flash contains the serial number, which was verified. The card uses it after its next power cycle.");
		break;
	}
}

static void format_image(const struct roc_crorc_flash *flash, const char *command, char *text,
			 size_t size)
{
	char what[160];

	if (flash->step == ROC_CRORC_FLASH_VERIFY && flash->wanted == flash->got)
		snprintf(what, sizeof(what),
			 "all words were written, but only %u of %u were verified", flash->verified,
			 flash->words);
	else if (flash->step == ROC_CRORC_FLASH_VERIFY)
		snprintf(what, sizeof(what), "different from the image at word 0x%x",
			 flash->address);
	else
		snprintf(what, sizeof(what), "%u of %u blocks erased, %u of %u words written",
			 flash->erased, flash->blocks, flash->programmed, flash->words);
	snprintf(
		text, size,
		"State of the flash: %s. The flash has lost the old firmware, which still runs in the card: DO NOT power off the server or reset the card. Run this command now: %s",
		what, command);
}

static void format_serial(const struct roc_crorc_flash *flash, const char *command, char *text,
			  size_t size)
{
	const char *what = "incomplete";

	if (flash->step == ROC_CRORC_FLASH_VERIFY)
		what = flash->wanted == flash->got ? "written but not verified"
						   : "different from what was written";
	snprintf(
		text, size,
		"State of the flash: the block of the serial number is %s. The firmware is unchanged, but the card may have no serial number after its next power-on. Run this command now: %s",
		what, command);
}

/* Once all words were read back without a difference, a later failure does not affect the flash. */
void flash_state_text(enum flash_job job, const struct roc_crorc_flash *flash, const char *command,
		      char *text, size_t size)
{
	if (flash->step == ROC_CRORC_FLASH_DONE)
		format_good(job, flash, text, size);
	else if (job == FLASH_COMPARE)
		snprintf(text, size, "Nothing was written. %u of %u words match.", flash->verified,
			 flash->words);
	else if (!flash->touched)
		snprintf(text, size,
			 "State of the flash: unchanged, nothing was erased or written.");
	else if (job == FLASH_IMAGE)
		format_image(flash, command, text, size);
	else
		format_serial(flash, command, text, size);
}

void flash_json(FILE *out, const struct roc_card *card, enum flash_job job,
		const struct roc_crorc_flash *flash, bool dry, const char *failure)
{
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, card);
	json_text(&j, "job", jobs[job]);
	json_bool(&j, "dryRun", dry);
	json_text(&j, "state", dry ? "untouched" : flash_state(job, flash));
	json_text(&j, "step", steps[flash->step]);
	json_unsigned(&j, "blocks", flash->blocks);
	json_unsigned(&j, "erased", flash->erased);
	json_unsigned(&j, "words", flash->words);
	json_unsigned(&j, "programmed", flash->programmed);
	json_unsigned(&j, "verified", flash->verified);
	json_text(&j, "failure", failure);
	json_object_end(&j);
}

void flash_card_close(struct flash_card *f)
{
	unsigned int i;

	for (i = ROC_CRORC_LINKS; i-- > 0;) {
		roc_channel_close(f->channels[i]);
		f->channels[i] = NULL;
	}
	roc_close(f->ep);
	f->ep = NULL;
}

int flash_card_open(const char *id, struct flash_card *f)
{
	const struct card_type *type;
	unsigned int i;
	int code;

	*f = (struct flash_card){.ep = NULL};
	code = card_open(id, &f->card, &f->ep, &type);
	if (code)
		return code;
	if (!type->flash) {
		code = tool_fail("%s is %s: this tool supports only the flash of a C-RORC.",
				 card_called(&f->card, id), card_name(f->card.type));
		goto fail;
	}
	for (i = 0; i < ROC_CRORC_LINKS; i++) {
		if (roc_channel_open_card(&f->card, id, i, &f->channels[i])) {
			code = tool_fail(
				"Cannot access the flash while a channel of the card is in use: %s",
				roc_error());
			goto fail;
		}
	}
	return TOOL_OK;
fail:
	flash_card_close(f);
	return code;
}
