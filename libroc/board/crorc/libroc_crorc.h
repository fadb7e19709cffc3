/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internal interface to the C-RORC's registers. */
#ifndef LIBROC_CRORC_H
#define LIBROC_CRORC_H

#include <roc/crorc.h>

#include "kmod/cards/crorc/crorc_regs.h"
#include "libroc/board/libroc_pass.h"

/* Places of struct libroc_value */
enum libroc_crorc_place {
	LIBROC_CRORC_CARD,
	LIBROC_CRORC_CHANNEL, /* in the BAR of the link's channel */
	LIBROC_CRORC_POWER,   /* optical power of the link */
};

/* crorc.c */

/* Begin a pass: check that the card is a C-RORC. With @lock also lock the card. */
int libroc_crorc_begin(struct roc_endpoint *ep, struct libroc_pass *c, bool lock);

/* crorc_config.c */

extern const struct libroc_config_format libroc_crorc_format;

#endif /* LIBROC_CRORC_H */
