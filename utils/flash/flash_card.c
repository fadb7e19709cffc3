// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A C-RORC whose flash is worked on: all channels are claimed. The driver refuses the flash while a
 * channel runs; with the claim none can start halfway.
 */
#include "flash.h"

#include "utils/common/card.h"
#include "utils/common/tool.h"

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
	const struct card_kind *kind;
	unsigned int i;
	int code;

	*f = (struct flash_card){.ep = NULL};
	code = card_open(id, &f->card, &f->ep, &kind);
	if (code)
		return code;
	if (!kind->flash) {
		code = tool_fail("%s is %s; this tool is for the flash of a C-RORC.",
				 card_called(&f->card, id), card_name(f->card.type));
		goto fail;
	}
	for (i = 0; i < ROC_CRORC_LINKS; i++) {
		if (roc_channel_open_card(&f->card, id, i, &f->channels[i])) {
			code = tool_fail("The flash needs all channels of the card to be unused: "
					 "%s",
					 roc_error());
			goto fail;
		}
	}
	return TOOL_OK;
fail:
	flash_card_close(f);
	return code;
}
