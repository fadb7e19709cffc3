/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roc-fw-check shows its verdict.
 */
#ifndef ROC_UTILS_FW_CHECK_H
#define ROC_UTILS_FW_CHECK_H

#include <roc/firmware.h>
#include <roc/roc.h>

#include <stdbool.h>
#include <stdio.h>

void fw_check_text(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		   size_t count, bool colours);
void fw_check_json(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		   size_t count);

#endif
