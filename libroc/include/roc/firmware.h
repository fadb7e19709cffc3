/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-board: list of known firmware versions, and of those accepted for data taking.
 *
 * The list is a data file, not part of a program: see Documentation/configuration.md. Conventions
 * are those of <roc/roc.h>.
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

/* A list in memory. The caller owns it until roc_firmware_close(); it never changes. */
struct roc_firmware_list;

/**
 * enum roc_firmware_state - State of a version in a list
 * @ROC_FIRMWARE_UNKNOWN: not in the list
 * @ROC_FIRMWARE_ACCEPTED: accepted for data taking
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
 * struct roc_firmware_paths - Files of a list
 * @installed: list that comes with the library; a missing file is an error
 * @override: used instead of @installed if it exists
 * @site: flat object hash -> tag, whose versions are accepted independently of their state in the
 *	list; may be missing
 *
 * NULL selects the default path of each; an empty text selects no file.
 */
struct roc_firmware_paths {
	const char *installed;
	const char *override;
	const char *site;
};

/**
 * roc_firmware_open() - Read the list
 * @paths: files, or NULL for the default paths
 * @list: the new handle
 *
 * Return: 0 on success; -ENOENT if the installed list is missing; -EINVAL if a file is not such a
 * list (roc_error() names the file, and the line or entry); -ENOMEM.
 */
int roc_firmware_open(const struct roc_firmware_paths *paths, struct roc_firmware_list **list);

/**
 * roc_firmware_close() - Free a list
 * @list: or NULL
 */
void roc_firmware_close(struct roc_firmware_list *list);

/**
 * roc_firmware_version() - Return the version of a list
 * @list: list
 *
 * Return: text such as "2026-03-31", valid until the list is closed.
 */
const char *roc_firmware_version(const struct roc_firmware_list *list);

/**
 * roc_firmware_source() - Return the file that a list was read from (not the site file)
 * @list: list
 *
 * Return: path, valid until the list is closed.
 */
const char *roc_firmware_source(const struct roc_firmware_list *list);

/**
 * roc_firmware_find_for() - Find the state of a version for a card type
 * @list: list
 * @type: card type that has the version, because each type has its own versions; 0 for any
 * @hash: hash as in &roc_card.firmware; case and leading zeros are ignored
 * @tag: receives the name of the version, valid until the list is closed, or NULL if unknown; may
 *	be NULL
 *
 * Return: the state.
 */
enum roc_firmware_state roc_firmware_find_for(const struct roc_firmware_list *list,
					      enum roc_card_type type, const char *hash,
					      const char **tag);

/**
 * roc_firmware_find() - Find the state of a version for any card type
 * @list: list
 * @hash: as for roc_firmware_find_for()
 * @tag: as for roc_firmware_find_for()
 *
 * Two card types may have the same version: callers that know the card type should use
 * roc_firmware_find_for().
 *
 * Return: the state.
 */
enum roc_firmware_state roc_firmware_find(const struct roc_firmware_list *list, const char *hash,
					  const char **tag);

/**
 * roc_firmware_text_for() - Format a version of a card type for users
 * @list: list
 * @type: as for roc_firmware_find_for()
 * @hash: as for roc_firmware_find_for()
 * @text: "v3.19.4", "v3.10.0 (old)", "... (denied)", or the hash itself
 * @size: size of @text in bytes
 */
void roc_firmware_text_for(const struct roc_firmware_list *list, enum roc_card_type type,
			   const char *hash, char *text, size_t size);

/**
 * roc_firmware_text() - Format a version of any card type for users
 * @list: list
 * @hash: as for roc_firmware_find_for()
 * @text: as for roc_firmware_text_for()
 * @size: size of @text in bytes
 */
void roc_firmware_text(const struct roc_firmware_list *list, const char *hash, char *text,
		       size_t size);

/**
 * roc_firmware_covers() - Check whether the list has any version of a card type
 * @list: list
 * @type: card type
 *
 * The site's file has no card types, so it is not checked.
 *
 * Return: false if the list has no version of @type: the state of such a version is then
 * meaningless.
 */
bool roc_firmware_covers(const struct roc_firmware_list *list, enum roc_card_type type);

/**
 * roc_firmware_check() - Check whether a version is accepted for data taking
 * @list: list
 * @type: as for roc_firmware_find_for()
 * @hash: as for roc_firmware_find_for()
 *
 * Return: 0 if it is; -EPERM if not (roc_error() states the reason and the accepted versions).
 */
int roc_firmware_check(const struct roc_firmware_list *list, enum roc_card_type type,
		       const char *hash);

#ifdef __cplusplus
}
#endif

#endif /* ROC_FIRMWARE_H */
