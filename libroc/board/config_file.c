// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read and write configuration files in INI and JSON format. Both consist of sections of keys and
 * share one reader, which tracks the section, key and line of each value for error messages. Each
 * card type has a table of its sections and keys.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libroc_ini.h"
#include "libroc_json.h"
#include "libroc_pass.h"
#include "libroc_replace.h"

/* A file being read, on the stack of libroc_config_load(); @ini is first, for the callbacks. */
struct reader {
	struct libroc_ini ini;
	const struct libroc_config_format *const *formats; /* of all card types, NULL-terminated */
	const struct libroc_config_format *format;	   /* of this card type */
	void *config;
	uint32_t seen;	  /* mask of sections read */
	uint32_t keys;	  /* mask of keys read in the current section */
	uint32_t missing; /* mask of optional keys missing in section 0 */
	int section;	  /* current section, -1: none */
};

/* Return the format that has this section; NULL if no card type has it. */
static const struct libroc_config_format *format_of(const struct reader *r, const char *section)
{
	const struct libroc_config_format *const *f;

	for (f = r->formats; *f; f++)
		if ((*f)->section(section) >= 0)
			return *f;
	return NULL;
}

/* Existing files have every key in each of their sections, so a missing key is an error. */
static int end_section(struct libroc_ini *ini)
{
	struct reader *r = (struct reader *)ini;
	const struct libroc_params *params;
	size_t i;

	if (r->section < 0)
		return 0;
	params = r->format->params(r->section);
	for (i = 0; i < params->count; i++) {
		if (r->keys & 1u << i)
			continue;
		if (!params->list[i].optional)
			return roc_fail(
				EINVAL,
				"%s:%u: section [%s] lacks the key '%s': set all keys of a section, or omit the section",
				r->ini.file, r->ini.section_line, r->ini.section,
				params->list[i].key);
		if (!r->section)
			r->missing |= 1u << i;
	}
	r->section = -1;
	return 0;
}

static int begin_section(struct libroc_ini *ini)
{
	struct reader *r = (struct reader *)ini;
	int section = r->format->section(ini->section), ret;
	const struct libroc_config_format *other = format_of(r, ini->section);

	if (section < 0 && other)
		return roc_fail(EINVAL,
				"%s:%u: section [%s]: the file is for a %s, but the card is a %s",
				ini->file, ini->line, ini->section, other->card, r->format->card);
	if (section < 0)
		return roc_fail(EINVAL, "%s:%u: unknown section [%s]: %s", ini->file, ini->line,
				ini->section, r->format->sections);
	if (r->seen & 1u << section)
		return roc_fail(EINVAL, "%s:%u: section [%s] is repeated", ini->file, ini->line,
				ini->section);
	ret = r->format->order ? r->format->order(ini->file, ini->line, section, r->seen) : 0;
	if (ret)
		return ret;
	r->seen |= 1u << section;
	r->section = section;
	r->keys = 0;
	return 0;
}

static int take_value(struct libroc_ini *ini, const char *key, const char *value)
{
	struct reader *r = (struct reader *)ini;
	const struct libroc_params *params = r->format->params(r->section);
	const struct libroc_param *p = libroc_param_find(params, key);
	uint32_t number;
	char reason[160];
	int ret;

	if (!p)
		return roc_fail(EINVAL, "%s:%u: section [%s]: unknown key '%.60s'", ini->file,
				ini->line, ini->section, key);
	if (r->keys & 1u << (p - params->list))
		return roc_fail(EINVAL, "%s:%u: [%s] %s is repeated", ini->file, ini->line,
				ini->section, key);
	r->keys |= 1u << (p - params->list);
	ret = libroc_param_parse(p, value, &number, reason, sizeof(reason));
	if (ret)
		return roc_fail(-ret, "%s:%u: [%s] %s: %s", ini->file, ini->line, ini->section, key,
				reason);
	r->format->put(r->config, r->section, p, number);
	return 0;
}

static int json_value(struct reader *r, struct json_object *object, const char *key)
{
	struct json_object *value;
	char text[128];

	if (!json_object_object_get_ex(object, key, &value))
		return roc_fail(EINVAL, "%s:%u: section [%s]: unknown key '%.60s'", r->ini.file,
				r->ini.line, r->ini.section, key);
	switch (json_object_get_type(value)) {
	case json_type_string:
	case json_type_boolean:
	case json_type_int:
		break;
	default:
		return roc_fail(
			EINVAL,
			"%s:%u: [%s] %.60s: the value must be a string, an integer, true or false",
			r->ini.file, r->ini.line, r->ini.section, key);
	}
	snprintf(text, sizeof(text), "%s", json_object_get_string(value));
	return r->ini.value(&r->ini, key, text);
}

/*
 * Skip the string that begins at p[0] == '"'; store its length in *length. The text is valid JSON.
 */
static const char *skip_string(const char *p, size_t *length)
{
	const char *start = ++p;

	while (*p && *p != '"')
		p += *p == '\\' && p[1] ? 2 : 1;
	*length = p - start;
	return *p ? p + 1 : p;
}

static int json_key(struct reader *r, struct json_object *root, unsigned int depth,
		    const char *name, size_t length)
{
	struct json_object *section;
	char key[64];
	int ret;

	snprintf(key, sizeof(key), "%.*s", (int)length, name);
	if (depth == 1) {
		ret = r->ini.end(&r->ini);
		if (ret)
			return ret;
		strcpy(r->ini.section, key);
		r->ini.section_line = r->ini.line;
		ret = r->ini.begin(&r->ini);
		if (ret)
			return ret;
	}
	json_object_object_get_ex(root, r->ini.section, &section);
	if (!json_object_is_type(section, json_type_object))
		return roc_fail(EINVAL, "%s:%u: section [%s] must be an object", r->ini.file,
				r->ini.line, r->ini.section);
	return depth == 1 ? 0 : json_value(r, section, key);
}

/*
 * json-c checks the syntax and provides the values. It keeps neither line numbers nor repeated
 * keys, so this scans the text for the keys once more.
 */
static int walk_json(struct reader *r, struct json_object *root, const char *p)
{
	unsigned int depth = 0;
	int ret = 0;

	r->ini.line = 1;
	while (*p && !ret) {
		const char *name = p;
		size_t length;

		switch (*p) {
		case '\n':
			r->ini.line++;
			break;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			depth--;
			break;
		case '"':
			p = skip_string(p, &length);
			if (p[strspn(p, " \t\r\n")] == ':' && depth <= 2)
				ret = json_key(r, root, depth, name + 1, length);
			continue;
		}
		p++;
	}
	return ret ? ret : r->ini.end(&r->ini);
}

static int read_json(struct reader *r, const char *text)
{
	struct json_object *root;
	int ret = libroc_json_parse(r->ini.file, text, &root);

	if (ret)
		return ret;
	ret = walk_json(r, root, text);
	json_object_put(root);
	return ret;
}

/* Determine the format, and the path without the scheme. */
static int split_uri(const char *uri, const char **path, bool *json)
{
	const char *scheme = strstr(uri, "://");
	size_t length;

	*path = uri;
	if (!scheme) {
		length = strlen(uri);
		*json = length >= 5 && !strcasecmp(uri + length - 5, ".json");
		return 0;
	}
	*path = scheme + 3;
	*json = !strncasecmp(uri, "json://", 7);
	if (*json || !strncasecmp(uri, "ini://", 6))
		return 0;
	if (!strncasecmp(uri, "consul://", 9))
		return roc_fail(
			EOPNOTSUPP,
			"%s: Consul servers are not supported: save the value to a file and use ini://FILE or json://FILE",
			uri);
	return roc_fail(EOPNOTSUPP,
			"%s: unknown scheme: use ini://FILE, json://FILE or a plain path", uri);
}

/* Read a file through the callbacks in @r. */
static int read_file(struct reader *r, const char *uri)
{
	char *text;
	bool json;
	int ret;

	ret = split_uri(uri, &r->ini.file, &json);
	if (!ret)
		ret = libroc_text_read(r->ini.file, &text);
	if (ret)
		return ret;
	ret = json ? read_json(r, text) : libroc_ini_read(&r->ini, text);
	free(text);
	return ret;
}

int libroc_config_load(const struct libroc_config_format *format,
		       const struct libroc_config_format *const *formats, const char *uri,
		       void *config, uint32_t *missing)
{
	struct reader r = {
		.ini = {.begin = begin_section, .value = take_value, .end = end_section},
		.formats = formats,
		.format = format,
		.section = -1,
	};
	char reason[512];
	int ret;

	r.config = malloc(format->size);
	if (!r.config)
		return roc_fail(ENOMEM, "cannot allocate a configuration");
	memcpy(r.config, config, format->size);
	ret = read_file(&r, uri);
	if (!ret && !r.seen)
		ret = roc_fail(EINVAL, "%s:1: the file has no section, such as [%s]", r.ini.file,
			       format->example);
	if (!ret) {
		ret = format->check(r.config);
		if (ret) {
			snprintf(reason, sizeof(reason), "%s", roc_error());
			ret = roc_fail(-ret, "%s: %s", r.ini.file, reason);
		}
	}
	if (!ret) {
		memcpy(config, r.config, format->size);
		if (missing)
			*missing = r.missing;
	}
	free(r.config);
	return ret;
}

/* Stop at the first section with a known name. */
static int find_card(struct libroc_ini *ini)
{
	const struct libroc_config_format *format = format_of((struct reader *)ini, ini->section);

	return format ? format->type : 0;
}

static int skip_value(struct libroc_ini *ini, const char *key, const char *value)
{
	return 0;
}

static int skip_end(struct libroc_ini *ini)
{
	return 0;
}

int libroc_config_card(const struct libroc_config_format *const *formats, const char *uri,
		       enum roc_card_type *type)
{
	struct reader r = {
		.ini = {.begin = find_card, .value = skip_value, .end = skip_end},
		.formats = formats,
	};
	int ret = read_file(&r, uri);

	if (!ret)
		ret = roc_fail(EINVAL,
			       "%s: the file has no section of a card, such as [cru] or [crorc]",
			       r.ini.file);
	if (ret < 0)
		return ret;
	*type = ret;
	return 0;
}

void libroc_config_section(struct libroc_config_writer *w, const char *name,
			   const struct libroc_params *params, const void *from)
{
	char text[32];
	size_t i;

	if (w->json)
		fprintf(w->file, "%s  \"%s\": {\n", w->any ? "\n  },\n" : "{\n", name);
	else
		fprintf(w->file, "%s[%s]\n", w->any ? "\n" : "", name);
	w->any = true;
	for (i = 0; i < params->count; i++) {
		const struct libroc_param *p = &params->list[i];

		libroc_param_text(p, libroc_param_get(p, from), text, sizeof(text));
		if (w->json)
			fprintf(w->file, "%s    \"%s\": \"%s\"", i ? ",\n" : "", p->key, text);
		else
			fprintf(w->file, "%s=%s\n", p->key, text);
	}
}

int libroc_config_save(const char *uri, const void *config,
		       void (*write)(struct libroc_config_writer *w, const void *config))
{
	struct libroc_config_writer w = {.any = false};
	struct libroc_replacement r;
	int saved = errno, ret;
	const char *path;

	ret = split_uri(uri, &path, &w.json);
	if (ret)
		return ret;
	ret = libroc_replace_begin(&r, path);
	if (!ret) {
		w.file = r.file;
		write(&w, config);
		if (w.json)
			fputs("\n  }\n}\n", r.file);
		ret = libroc_replace_end(&r);
		if (ret)
			ret = roc_fail(-ret, "cannot write %s: %s", path, strerror(-ret));
	} else if (ret == -EINVAL) {
		ret = roc_fail(EINVAL, "cannot write %s: it is not a regular file", path);
	} else {
		ret = roc_fail(-ret, "cannot write %s: %s", path, strerror(-ret));
	}
	errno = saved;
	return ret;
}
