// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The list of cards that have a configuration. A new one needs its line here.
 */
#include "libroc/board/crorc/libroc_crorc.h"
#include "libroc/board/cru/libroc_cru.h"

const struct libroc_config_format *const libroc_config_formats[] = {
	&libroc_cru_format,
	&libroc_crorc_format,
	NULL,
};
