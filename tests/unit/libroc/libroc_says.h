/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library's last sentence has @text in it; both are shown when it has not.
 */
#ifndef ROC_UNIT_LIBROC_SAYS_H
#define ROC_UNIT_LIBROC_SAYS_H

#include <roc/roc.h>

#include "unit.h"

#define SAYS(text)                                                                                 \
	do {                                                                                       \
		const char *says_error = roc_error(), *says_text = (text);                         \
		char says_msg[512];                                                                \
		snprintf(says_msg, sizeof(says_msg), "\"%.300s\" does not say \"%.150s\"",         \
			 says_error, says_text);                                                   \
		CU_assertImplementation(!!strstr(says_error, says_text), __LINE__, says_msg,       \
					__FILE__, "", CU_FALSE);                                   \
	} while (0)

/* A call ends so, and says why. */
#define FAILS(call, err, text)                                                                     \
	do {                                                                                       \
		UNIT_EQ(call, err);                                                                \
		SAYS(text);                                                                        \
	} while (0)

#endif /* ROC_UNIT_LIBROC_SAYS_H */
