/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-board: what configuring any kind of card has in common. The parameters are those of the
 * card: <roc/cru.h>, <roc/crorc.h>.
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
 * roc_config_card() - which kind of card a configuration file is for
 * @uri: path, "ini://path" or "json://path". A bare path ending in ".json" is JSON, any other INI
 * @type: the card that the file's first section belongs to
 *
 * Only the names of sections are looked at.
 *
 * Return: 0; -EINVAL not such a file; -EOPNOTSUPP consul:// or another scheme; the error of opening
 * the file.
 */
int roc_config_card(const char *uri, enum roc_card_type *type);

/**
 * struct roc_config_difference - a parameter that is not as wanted
 * @name: section and key as in a file: "cru.clock", "link3.feeId", "crorc.crorcId", ...
 * @wanted: value as in a file
 * @have: value as in a file
 */
struct roc_config_difference {
	char name[40];
	char wanted[16];
	char have[16];
};

#define ROC_CONFIG_DIFFERENCES_MAX 128

/**
 * enum roc_config_flags - how to configure a card
 * @ROC_CONFIG_FORCE: write everything (CRU: and program the clock), also if nothing
 *	differs
 * @ROC_CONFIG_ANY_FIRMWARE: do not ask the firmware list
 * @ROC_CONFIG_COMPARE_ONLY: find the differences, write nothing
 */
enum roc_config_flags {
	ROC_CONFIG_FORCE = 1 << 0,
	ROC_CONFIG_ANY_FIRMWARE = 1 << 1,
	ROC_CONFIG_COMPARE_ONLY = 1 << 2,
};

/**
 * struct roc_config_result - what configuring a card found and did; valid on failure too
 * @reconfigured: something was written; false: the card was configured already, or it failed
 *	before the first write
 * @clock_programmed: CRU: the clock was selected anew (takes seconds)
 * @reads: register reads, without those of read-modify-writes
 * @writes: register writes
 * @restored: after a failure: what had been written was put back and read back right, or nothing
 *	had been written
 * @register_name: register that did not read back, empty if that was not the failure
 * @bar: its BAR
 * @offset: its offset
 * @wanted: bits written
 * @got: bits read back
 * @count: number of @diffs
 * @diffs: what was not as wanted, before
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
