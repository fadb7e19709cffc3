/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library's last sentence has @text in it; if not, the failure shows the sentence in place of
 * the file.
 */
#ifndef ROC_UNIT_LIBROC_SAYS_H
#define ROC_UNIT_LIBROC_SAYS_H

#include <roc/roc.h>

#include "unit.h"

#define SAYS(text)                                                                                 \
	do {                                                                                       \
		if (!strstr(roc_error(), text))                                                    \
			CU_assertImplementation(CU_FALSE, __LINE__, "does not say: " #text,        \
						roc_error(), "", CU_FALSE);                        \
	} while (0)

#endif /* ROC_UNIT_LIBROC_SAYS_H */
