/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which firmware versions are known, and which of them are good for data taking.
 */
#ifndef ROC_UTILS_FIRMWARE_LIST_H
#define ROC_UTILS_FIRMWARE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct firmware {
	const char *hash; /* as the card reports it: lower-case hex without leading zeros */
	const char *tag;  /* for people */
	bool old;	  /* known, but no longer accepted for data taking */
};

/* A site's additions: one JSON object, hash -> tag. */
#define FIRMWARE_SITE_FILE "/etc/o2.d/readoutcard/o2-roc-fw-list.json"

/* NULL: unknown. Entries live until the next firmware_load(). */
const struct firmware *firmware_find(const char *hash);

/*
 * Add the entries of a site's file. A missing file is fine and adds nothing. Returns the number
 * of entries, or -1 and a sentence in @why; then nothing was added.
 */
int firmware_load(const char *path, char *why, size_t why_size);

/* "v3.19.4", "v3.10.0 (old)", or the hash itself. */
void firmware_text(const char *hash, char *text, size_t size);

#endif
