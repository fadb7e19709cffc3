// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the list of firmware versions, a JSON file with its own version. An override replaces the
 * list, a site's file extends it. Without an installed file, the list built into the library is
 * used.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <roc/firmware.h>

#include "libroc_json.h"

#define FORMAT 1
#define BUILT_IN "built into libroc"

extern const char libroc_firmware_data[];

struct entry {
	char *hash;
	char *tag;
	enum roc_firmware_state state;
	enum roc_card_type type; /* 0: any card type */
};

/* Handle of roc_firmware_open(), which owns all strings. Constant after it was made. */
struct roc_firmware_list {
	char *version;
	char *source;
	struct entry *entries;
	size_t count, site; /* entries from @site on are from the site's file */
};

static const struct {
	const char *name;
	enum roc_firmware_state state;
} states[] = {
	{"accepted", ROC_FIRMWARE_ACCEPTED},
	{"old", ROC_FIRMWARE_OLD},
	{"denied", ROC_FIRMWARE_DENIED},
};

/* Keys of the lists, one for each card type */
static const struct {
	const char *name;
	enum roc_card_type type;
} lists[] = {
	{"cru", ROC_CARD_CRU},
	{"crorc", ROC_CARD_CRORC},
	{"p40", ROC_CARD_P40},
	{"robinnp", ROC_CARD_ROBINNP},
};

static const char *significant(const char *hash)
{
	const char *p = hash + strspn(hash, "0");

	return *p || p == hash ? p : p - 1;
}

static int no_memory(void)
{
	return roc_fail(ENOMEM, "cannot allocate the list of firmware versions");
}

static int add(struct roc_firmware_list *list, enum roc_card_type type, const char *hash,
	       const char *tag, enum roc_firmware_state state)
{
	struct entry *more;

	more = reallocarray(list->entries, list->count + 1, sizeof(*more));
	if (!more)
		return no_memory();
	list->entries = more;
	more += list->count;
	*more = (struct entry){strdup(significant(hash)), strdup(tag), state, type};
	list->count++;
	return more->hash && more->tag ? 0 : no_memory();
}

static const char *member(struct json_object *object, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, name, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

static int add_entry(struct roc_firmware_list *list, const char *path, enum roc_card_type type,
		     size_t n, struct json_object *object)
{
	const char *hash = member(object, "hash"), *tag = member(object, "tag");
	const char *state = member(object, "state");
	size_t i;

	if (!hash || !*hash || hash[strspn(hash, "0123456789abcdefABCDEF")] || !tag || !*tag)
		return roc_fail(EINVAL, "%s: entry %zu needs a hexadecimal \"hash\" and a \"tag\"",
				path, n + 1);
	for (i = 0; state && i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(states[i].name, state))
			return add(list, type, hash, tag, states[i].state);
	return roc_fail(EINVAL, "%s: entry %zu (%.20s) needs a \"state\" accepted, old or denied",
			path, n + 1, hash);
}

static int take_list(struct roc_firmware_list *list, const char *path, struct json_object *root)
{
	struct json_object *format, *entries;
	const char *version = member(root, "version");
	unsigned int found = 0;
	size_t i, l;
	int ret = 0;

	if (!json_object_object_get_ex(root, "format", &format) ||
	    json_object_get_int(format) != FORMAT)
		return roc_fail(EINVAL, "%s: the \"format\" must be %d", path, FORMAT);
	list->version = version ? strdup(version) : NULL;
	list->source = strdup(path);
	if ((version && !list->version) || !list->source)
		return no_memory();
	for (l = 0; l < sizeof(lists) / sizeof(lists[0]); l++) {
		if (!json_object_object_get_ex(root, lists[l].name, &entries))
			continue;
		found++;
		if (!json_object_is_type(entries, json_type_array))
			return roc_fail(EINVAL, "%s: \"%s\" is not a list", path, lists[l].name);
		for (i = 0; i < json_object_array_length(entries) && !ret; i++)
			ret = add_entry(list, path, lists[l].type, i,
					json_object_array_get_idx(entries, i));
	}
	if (!ret && (!version || !found))
		return roc_fail(
			EINVAL,
			"%s: the file needs a string \"version\" and a list \"cru\", \"crorc\", \"p40\" or \"robinnp\"",
			path);
	return ret;
}

/* Entries with an empty hash or tag are skipped, as in existing software. */
static int take_site(struct roc_firmware_list *list, const char *path, struct json_object *root)
{
	int ret = 0;

	list->site = list->count;
	json_object_object_foreach(root, hash, tag)
	{
		if (ret)
			break;
		if (!json_object_is_type(tag, json_type_string))
			return roc_fail(
				EINVAL,
				"%s: '%.40s': each entry must be \"hash\": \"tag\", both strings",
				path, hash);
		if (*hash && *json_object_get_string(tag))
			ret = add(list, 0, hash, json_object_get_string(tag),
				  ROC_FIRMWARE_ACCEPTED);
	}
	return ret;
}

typedef int (*take_fn)(struct roc_firmware_list *list, const char *path, struct json_object *root);

/* Check for an optional file before reading it, so that a missing one sets no error text. */
static bool is_missing(const char *path)
{
	return access(path, F_OK) && errno == ENOENT;
}

/* Read a list. Return -ENOENT without an error text if there is no file. */
static int read_list(struct roc_firmware_list *list, const char *path, take_fn take)
{
	struct json_object *root;
	char *text;
	int ret;

	if (!*path || is_missing(path))
		return -ENOENT;
	ret = libroc_text_read(path, &text);
	if (ret)
		return ret;
	ret = libroc_json_parse(path, text, &root);
	free(text);
	if (ret)
		return ret;
	ret = take(list, path, root);
	json_object_put(root);
	return ret;
}

static int read_built_in(struct roc_firmware_list *list)
{
	struct json_object *root;
	int ret = libroc_json_parse(BUILT_IN, libroc_firmware_data, &root);

	if (ret)
		return ret;
	ret = take_list(list, BUILT_IN, root);
	json_object_put(root);
	return ret;
}

/*
 * Find the list that was installed with this library, relative to the path of the library, which
 * may have been moved after the build. The path is empty if there is none.
 */
static void installed_list(char path[PATH_MAX])
{
	char folder[PATH_MAX], beside[PATH_MAX + 64];
	Dl_info library = {0};
	int saved = errno;
	char *slash;

	path[0] = '\0';
	dladdr(&libroc_firmware_data, &library);
	/* In a statically linked program dli_fname is argv[0], which may lack the path. */
	if (library.dli_fname && library.dli_fname[0] == '/')
		snprintf(folder, sizeof(folder), "%s", library.dli_fname);
	else if (!realpath("/proc/self/exe", folder))
		goto out;
	slash = strrchr(folder, '/');
	if (!slash)
		goto out;
	*slash = '\0';
	snprintf(beside, sizeof(beside), "%s/" LIBROC_TO_DATA "/firmware.json", folder);
	if (!realpath(beside, path))
		path[0] = '\0';
out:
	errno = saved;
}

int roc_firmware_open(const struct roc_firmware_paths *paths, struct roc_firmware_list **list)
{
	static const struct roc_firmware_paths usual;
	const char *installed, *override, *site;
	struct roc_firmware_list *new;
	char beside[PATH_MAX];
	int saved = errno;
	int ret;

	if (!paths)
		paths = &usual;
	installed = paths->installed;
	if (!installed) {
		installed_list(beside);
		installed = beside;
	}
	override = paths->override ? paths->override : ROC_FIRMWARE_OVERRIDE;
	site = paths->site ? paths->site : ROC_FIRMWARE_SITE;
	new = calloc(1, sizeof(*new));
	if (!new)
		return no_memory();
	ret = read_list(new, override, take_list);
	if (ret == -ENOENT)
		ret = read_list(new, installed, take_list);
	if (ret == -ENOENT && paths->installed && *installed)
		ret = roc_fail(ENOENT, "%s does not exist", installed);
	else if (ret == -ENOENT)
		ret = read_built_in(new);
	if (!ret) {
		new->site = new->count;
		ret = read_list(new, site, take_site);
		if (ret == -ENOENT)
			ret = 0;
	}
	errno = saved; /* the JSON parser changes errno */
	if (ret) {
		roc_firmware_close(new);
		return ret;
	}
	*list = new;
	return 0;
}

void roc_firmware_close(struct roc_firmware_list *list)
{
	size_t i;

	if (!list)
		return;
	for (i = 0; i < list->count; i++) {
		free(list->entries[i].hash);
		free(list->entries[i].tag);
	}
	free(list->entries);
	free(list->version);
	free(list->source);
	free(list);
}

const char *roc_firmware_version(const struct roc_firmware_list *list)
{
	return list->version;
}

const char *roc_firmware_source(const struct roc_firmware_list *list)
{
	return list->source;
}

static bool is_for(const struct entry *e, enum roc_card_type type)
{
	return !type || !e->type || e->type == type;
}

bool roc_firmware_covers(const struct roc_firmware_list *list, enum roc_card_type type)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->entries[i].type == type)
			return true;
	return false;
}

/* Search from the end: entries of the site take precedence. */
static const struct entry *find(const struct roc_firmware_list *list, enum roc_card_type type,
				const char *hash)
{
	size_t i;

	for (i = list->count; i-- > 0;)
		if (is_for(&list->entries[i], type) &&
		    !strcasecmp(list->entries[i].hash, significant(hash)))
			return &list->entries[i];
	return NULL;
}

enum roc_firmware_state roc_firmware_find_for(const struct roc_firmware_list *list,
					      enum roc_card_type type, const char *hash,
					      const char **tag)
{
	const struct entry *e = find(list, type, hash);

	if (tag)
		*tag = e ? e->tag : NULL;
	return e ? e->state : ROC_FIRMWARE_UNKNOWN;
}

enum roc_firmware_state roc_firmware_find(const struct roc_firmware_list *list, const char *hash,
					  const char **tag)
{
	return roc_firmware_find_for(list, 0, hash, tag);
}

void roc_firmware_text_for(const struct roc_firmware_list *list, enum roc_card_type type,
			   const char *hash, char *text, size_t size)
{
	const struct entry *e = find(list, type, hash);
	const char *mark = "";

	if (e && e->state == ROC_FIRMWARE_OLD)
		mark = " (old)";
	else if (e && e->state == ROC_FIRMWARE_DENIED)
		mark = " (denied)";
	snprintf(text, size, "%s%s", e ? e->tag : hash, mark);
}

void roc_firmware_text(const struct roc_firmware_list *list, const char *hash, char *text,
		       size_t size)
{
	roc_firmware_text_for(list, 0, hash, text, size);
}

static void accepted_text(const struct roc_firmware_list *list, enum roc_card_type type, char *text,
			  size_t size)
{
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < list->count && used < size; i++)
		if (list->entries[i].state == ROC_FIRMWARE_ACCEPTED &&
		    is_for(&list->entries[i], type))
			used += snprintf(text + used, size - used, "%s%s (%s)", used ? ", " : "",
					 list->entries[i].tag, list->entries[i].hash);
}

int roc_firmware_check(const struct roc_firmware_list *list, enum roc_card_type type,
		       const char *hash)
{
	const struct entry *e = find(list, type, hash);
	char accepted[640];

	if (e && e->state == ROC_FIRMWARE_ACCEPTED)
		return 0;
	accepted_text(list, type, accepted, sizeof(accepted));
	return roc_fail(
		EPERM,
		"firmware %s%s%s is %s in list %s of %s: %s%s%sadd this firmware to " ROC_FIRMWARE_SITE,
		*hash ? hash : "unknown", e ? " " : "", e ? e->tag : "",
		!e			       ? "not"
		: e->state == ROC_FIRMWARE_OLD ? "no longer accepted"
					       : "denied",
		list->version, list->source, *accepted ? "load an accepted version: " : "",
		accepted, *accepted ? "; or " : "");
}
