/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assert that the library's last error text, roc_error(), contains @text. A failed assertion prints
 * both texts.
 */
#ifndef ROC_UNIT_LIBROC_ERROR_H
#define ROC_UNIT_LIBROC_ERROR_H

#include <roc/roc.h>

#include "unit.h"

#define ERROR_HAS(text)                                                                            \
	do {                                                                                       \
		const char *has_error = roc_error(), *has_text = (text);                           \
		char has_msg[512];                                                                 \
		snprintf(has_msg, sizeof(has_msg), "\"%.300s\" does not contain \"%.150s\"",       \
			 has_error, has_text);                                                     \
		CU_assertImplementation(!!strstr(has_error, has_text), __LINE__, has_msg,          \
					__FILE__, "", CU_FALSE);                                   \
	} while (0)

/* Assert that @call returns @err and that its error text contains @text. */
#define FAILS(call, err, text)                                                                     \
	do {                                                                                       \
		UNIT_EQ(call, err);                                                                \
		ERROR_HAS(text);                                                                   \
	} while (0)

#endif /* ROC_UNIT_LIBROC_ERROR_H */
