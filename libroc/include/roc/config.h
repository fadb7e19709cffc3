/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-board: common parts of the configuration of all card types. <roc/cru.h> and <roc/crorc.h>
 * have the parameters of each card type.
 *
 * Conventions are those of <roc/roc.h>.
 */
#ifndef ROC_CONFIG_H
#define ROC_CONFIG_H

#include <roc/roc.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * roc_config_card() - Find the card type of a configuration file
 * @uri: path, "ini://path" or "json://path". A bare path ending in ".json" is JSON, any other INI
 * @type: receives the card type that the file's first section belongs to
 *
 * The function checks only the names of sections.
 *
 * Return: 0 on success; -EINVAL if the file is not a configuration file; -EOPNOTSUPP for consul://
 * or another scheme; the errors of opening the file.
 */
int roc_config_card(const char *uri, enum roc_card_type *type);

/**
 * struct roc_config_difference - Parameter that differs from the requested value
 * @name: section and key as in a file: "cru.clock", "link3.feeId", "crorc.crorcId", ...
 * @wanted: requested value, as in a file
 * @have: value of the card, as in a file
 */
struct roc_config_difference {
	char name[40];
	char wanted[16];
	char have[16];
};

#define ROC_CONFIG_DIFFERENCES_MAX 128

/**
 * enum roc_config_flags - Flags of the functions that configure a card
 * @ROC_CONFIG_FORCE: write everything (CRU: and program the clock), even if nothing differs
 * @ROC_CONFIG_ANY_FIRMWARE: do not check the firmware list
 * @ROC_CONFIG_COMPARE_ONLY: find the differences and write nothing
 */
enum roc_config_flags {
	ROC_CONFIG_FORCE = 1 << 0,
	ROC_CONFIG_ANY_FIRMWARE = 1 << 1,
	ROC_CONFIG_COMPARE_ONLY = 1 << 2,
};

/**
 * struct roc_config_result - Result of configuring a card; valid on failure too
 * @reconfigured: the function wrote to the card; false if the card had the configuration already,
 *	or if the function failed before the first write
 * @clock_programmed: CRU: the function selected the clock again (takes seconds)
 * @reads: register reads, without those of read-modify-writes
 * @writes: register writes
 * @restored: after a failure: all written registers have their old values again, verified by
 *	reading back, or nothing had been written
 * @register_name: register whose value did not read back, empty if that was not the failure
 * @bar: BAR of this register
 * @offset: offset of this register in bytes
 * @wanted: bits written
 * @got: bits read back
 * @count: number of @diffs
 * @diffs: parameters that differed before
 */
struct roc_config_result {
	bool reconfigured;
	bool clock_programmed;
	unsigned int reads;
	unsigned int writes;
	bool restored;
	char register_name[48];
	uint32_t bar;
	uint32_t offset;
	uint32_t wanted;
	uint32_t got;
	unsigned int count;
	struct roc_config_difference diffs[ROC_CONFIG_DIFFERENCES_MAX];
};

#ifdef __cplusplus
}
#endif

#endif /* ROC_CONFIG_H */
