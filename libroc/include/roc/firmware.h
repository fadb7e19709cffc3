/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-board: which firmware versions are known, and which of them are good for data taking.
 *
 * The list is a data file, not part of a program: see Documentation/configuration.md.
 * Conventions are those of <roc/roc.h>.
 */
#ifndef ROC_FIRMWARE_H
#define ROC_FIRMWARE_H

#include <roc/roc.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_FIRMWARE_OVERRIDE "/etc/roc/firmware.json"
#define ROC_FIRMWARE_SITE "/etc/o2.d/readoutcard/o2-roc-fw-list.json"

/* A list that was read. Owned by the caller until roc_firmware_close(); never changes. */
struct roc_firmware_list;

/**
 * enum roc_firmware_state - what a list says of a version
 * @ROC_FIRMWARE_UNKNOWN: nothing
 * @ROC_FIRMWARE_ACCEPTED: good for data taking
 * @ROC_FIRMWARE_OLD: known, no longer accepted
 * @ROC_FIRMWARE_DENIED: known to be bad
 */
enum roc_firmware_state {
	ROC_FIRMWARE_UNKNOWN = 0,
	ROC_FIRMWARE_ACCEPTED = 1,
	ROC_FIRMWARE_OLD = 2,
	ROC_FIRMWARE_DENIED = 3,
};

/**
 * struct roc_firmware_paths - where a list is read from
 * @installed: list that comes with the library; a missing file is an error
 * @override: used in place of @installed if it exists
 * @site: flat object hash -> tag, whose versions are accepted, whatever the list says of
 *	them; may be missing
 *
 * NULL for the usual place of each; an empty text for none.
 */
struct roc_firmware_paths {
	const char *installed;
	const char *override;
	const char *site;
};

/**
 * roc_firmware_open() - read the list
 * @paths: where from, or NULL for the usual places
 * @list: the list
 *
 * Return: 0; -ENOENT the installed list is missing; -EINVAL a file is not such a list (the sentence
 * says file, and line or entry); -ENOMEM.
 */
int roc_firmware_open(const struct roc_firmware_paths *paths, struct roc_firmware_list **list);

/**
 * roc_firmware_close() - free a list
 * @list: or NULL
 */
void roc_firmware_close(struct roc_firmware_list *list);

/**
 * roc_firmware_version() - version of a list
 * @list: list
 *
 * Return: text like "2026-03-31", valid until the list is closed.
 */
const char *roc_firmware_version(const struct roc_firmware_list *list);

/**
 * roc_firmware_source() - file that a list was read from (the site file is not counted)
 * @list: list
 *
 * Return: path, valid until the list is closed.
 */
const char *roc_firmware_source(const struct roc_firmware_list *list);

/**
 * roc_firmware_find_for() - what the list says of a version in a kind of card
 * @list: list
 * @type: kind of card that has it, for each has its own versions; 0: any
 * @hash: as in &roc_card.firmware; case and leading zeros do not count
 * @tag: name for people, valid until the list is closed, or NULL when unknown; or NULL
 *
 * Return: the state.
 */
enum roc_firmware_state roc_firmware_find_for(const struct roc_firmware_list *list,
					      enum roc_card_type type, const char *hash,
					      const char **tag);

/**
 * roc_firmware_find() - what the list says of a version, in whichever kind of card
 * @list: list
 * @hash: as for roc_firmware_find_for()
 * @tag: as for roc_firmware_find_for()
 *
 * Two kinds of card may have the same version: who knows the card asks roc_firmware_find_for().
 *
 * Return: the state.
 */
enum roc_firmware_state roc_firmware_find(const struct roc_firmware_list *list, const char *hash,
					  const char **tag);

/**
 * roc_firmware_text_for() - a version in a kind of card, for people
 * @list: list
 * @type: as for roc_firmware_find_for()
 * @hash: as for roc_firmware_find_for()
 * @text: "v3.19.4", "v3.10.0 (old)", "... (denied)", or the hash itself
 * @size: of @text
 */
void roc_firmware_text_for(const struct roc_firmware_list *list, enum roc_card_type type,
			   const char *hash, char *text, size_t size);

/**
 * roc_firmware_text() - a version in whichever kind of card, for people
 * @list: list
 * @hash: as for roc_firmware_find_for()
 * @text: as for roc_firmware_text_for()
 * @size: of @text
 */
void roc_firmware_text(const struct roc_firmware_list *list, const char *hash, char *text,
		       size_t size);

/**
 * roc_firmware_covers() - whether the list knows of a kind of card at all
 * @list: list
 * @type: kind of card
 *
 * The site's file does not say of which cards its versions are, so it does not count.
 *
 * Return: false if no version in it is of @type: what it says of one means nothing then.
 */
bool roc_firmware_covers(const struct roc_firmware_list *list, enum roc_card_type type);

/**
 * roc_firmware_check() - whether a version is good for data taking
 * @list: list
 * @type: as for roc_firmware_find_for()
 * @hash: as for roc_firmware_find_for()
 *
 * Return: 0; -EPERM it is not; the sentence says why, and what is accepted.
 */
int roc_firmware_check(const struct roc_firmware_list *list, enum roc_card_type type,
		       const char *hash);

#ifdef __cplusplus
}
#endif

#endif /* ROC_FIRMWARE_H */
