// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Configuration files of a CRU, INI and JSON: both are sections of keys and go through one reader,
 * which knows section, key and line of each value and so can say where a fault is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libroc_cru.h"
#include "libroc_json.h"

#define SECTIONS (2 + ROC_CRU_LINKS) /* cru, links, link0 to link11 */
#define CRU_SECTION 0
#define LINKS_SECTION 1
#define LINK_SECTION(l) (2 + (l))

/* A file being read. On the stack of roc_cru_config_load(); @ini is first, for the callbacks. */
struct reader {
	struct libroc_ini ini;
	struct roc_cru_config config;
	bool seen[SECTIONS];
	unsigned int keys; /* bit per key of the open section that was there */
	int section;	   /* open one, -1 none */
};

static bool is_link_section(int section)
{
	return section != CRU_SECTION;
}

/* Today's files have every key in each section they have; so a missing one is a slip. */
static int end_section(struct libroc_ini *ini)
{
	struct reader *r = (struct reader *)ini;
	const struct libroc_param *p = libroc_cru_params;
	size_t n = libroc_cru_param_count, i;

	if (r->section < 0)
		return 0;
	if (is_link_section(r->section)) {
		p = libroc_cru_link_params;
		n = libroc_cru_link_param_count;
	}
	for (i = 0; i < n; i++)
		if (!(r->keys & 1u << i))
			return libroc_fail(EINVAL,
					   "%s:%u: section [%s] has no key '%s': a section has "
					   "all of its keys or is left out",
					   r->ini.file, r->ini.section_line, r->ini.section,
					   p[i].key);
	r->section = -1;
	return 0;
}

static int section_number(const char *name)
{
	int link = libroc_param_link(name);

	if (!strcmp(name, "cru"))
		return CRU_SECTION;
	if (!strcmp(name, "links"))
		return LINKS_SECTION;
	return link < 0 ? -1 : LINK_SECTION(link);
}

static int begin_section(struct libroc_ini *ini)
{
	struct reader *r = (struct reader *)ini;
	int section = section_number(ini->section);
	int l;

	if (!strcmp(ini->section, "crorc"))
		return libroc_fail(EINVAL,
				   "%s:%u: section [crorc]: this is a file for a C-RORC, and the "
				   "card is a CRU",
				   ini->file, ini->line);
	if (section < 0)
		return libroc_fail(EINVAL,
				   "%s:%u: unknown section [%s]: there are [cru], [links], and "
				   "[link0] to [link%d]",
				   ini->file, ini->line, ini->section, ROC_CRU_LINKS - 1);
	if (r->seen[section])
		return libroc_fail(EINVAL, "%s:%u: section [%s] is there twice", ini->file,
				   ini->line, ini->section);
	for (l = 0; section == LINKS_SECTION && l < ROC_CRU_LINKS; l++)
		if (r->seen[LINK_SECTION(l)])
			return libroc_fail(EINVAL,
					   "%s:%u: section [links] must stand before [link%d], "
					   "which it would undo",
					   ini->file, ini->line, l);
	r->seen[section] = true;
	r->section = section;
	r->keys = 0;
	return 0;
}

static int take_value(struct libroc_ini *ini, const char *key, const char *value)
{
	struct reader *r = (struct reader *)ini;
	bool link = is_link_section(r->section);
	const struct libroc_param *p = libroc_param_find(link, key);
	uint32_t number;
	char why[160];
	size_t n;
	int l, ret;

	if (!p)
		return libroc_fail(EINVAL, "%s:%u: section [%s] has no key '%.60s'", ini->file,
				   ini->line, ini->section, key);
	n = p - (link ? libroc_cru_link_params : libroc_cru_params);
	if (r->keys & 1u << n)
		return libroc_fail(EINVAL, "%s:%u: [%s] %s is there twice", ini->file, ini->line,
				   ini->section, key);
	r->keys |= 1u << n;
	ret = libroc_param_parse(p, value, &number, why, sizeof(why));
	if (ret)
		return libroc_fail(-ret, "%s:%u: [%s] %s: %s", ini->file, ini->line, ini->section,
				   key, why);
	if (!link)
		libroc_param_put(p, &r->config, number);
	for (l = 0; l < ROC_CRU_LINKS; l++)
		if (r->section == LINKS_SECTION || r->section == LINK_SECTION(l))
			libroc_param_put(p, &r->config.links[l], number);
	return 0;
}

static int read_ini(struct reader *r, char *text)
{
	r->ini.begin = begin_section;
	r->ini.value = take_value;
	r->ini.end = end_section;
	return libroc_ini_read(&r->ini, text);
}

static int json_value(struct reader *r, struct json_object *object, const char *key)
{
	struct json_object *value;
	char text[128];

	if (!json_object_object_get_ex(object, key, &value))
		return libroc_fail(EINVAL, "%s:%u: section [%s] has no key '%.60s'", r->ini.file,
				   r->ini.line, r->ini.section, key);
	switch (json_object_get_type(value)) {
	case json_type_string:
	case json_type_boolean:
	case json_type_int:
		break;
	default:
		return libroc_fail(EINVAL,
				   "%s:%u: [%s] %.60s: the value must be a text, a whole number, "
				   "true or false",
				   r->ini.file, r->ini.line, r->ini.section, key);
	}
	snprintf(text, sizeof(text), "%s", json_object_get_string(value));
	return take_value(&r->ini, key, text);
}

/* Past a string that begins at p[0] == '"'; its length in *length. The text is known to be JSON. */
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
		ret = end_section(&r->ini);
		if (ret)
			return ret;
		strcpy(r->ini.section, key);
		r->ini.section_line = r->ini.line;
		ret = begin_section(&r->ini);
		if (ret)
			return ret;
	}
	json_object_object_get_ex(root, r->ini.section, &section);
	if (!json_object_is_type(section, json_type_object))
		return libroc_fail(EINVAL, "%s:%u: section [%s] must be an object", r->ini.file,
				   r->ini.line, r->ini.section);
	return depth == 1 ? 0 : json_value(r, section, key);
}

/*
 * json-c checks the syntax and has the values. It keeps neither lines nor keys that are there
 * twice, so the keys are found once more in the text.
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
	return ret ? ret : end_section(&r->ini);
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

/* Which format, and the path without the scheme. */
static int split_uri(const char *uri, const char **path, bool *json)
{
	const char *scheme = strstr(uri, "://");
	size_t length;

	*path = uri;
	if (!scheme) {
		length = strlen(uri);
		*json = length >= 5 && !strcmp(uri + length - 5, ".json");
		return 0;
	}
	*path = scheme + 3;
	*json = !strncmp(uri, "json://", 7);
	if (*json || !strncmp(uri, "ini://", 6))
		return 0;
	if (!strncmp(uri, "consul://", 9))
		return libroc_fail(EOPNOTSUPP,
				   "%s: this library does not ask a Consul server: save its value "
				   "to a file and give ini://FILE or json://FILE",
				   uri);
	return libroc_fail(EOPNOTSUPP, "%s: only ini://FILE, json://FILE or a plain path", uri);
}

int roc_cru_config_load(const char *uri, struct roc_cru_config *config)
{
	struct reader r = {.section = -1};
	char why[512];
	char *text;
	bool json, any = false;
	size_t i;
	int ret;

	ret = split_uri(uri, &r.ini.file, &json);
	if (ret)
		return ret;
	ret = libroc_text_read(r.ini.file, &text);
	if (ret)
		return ret;
	r.config = *config;
	ret = json ? read_json(&r, text) : read_ini(&r, text);
	free(text);
	if (ret)
		return ret;
	for (i = 0; i < SECTIONS; i++)
		any |= r.seen[i];
	if (!any)
		return libroc_fail(EINVAL, "%s:1: there is no section in it, [cru] for example",
				   r.ini.file);
	ret = roc_cru_config_check(&r.config);
	if (ret) {
		snprintf(why, sizeof(why), "%s", roc_error());
		return libroc_fail(-ret, "%s: %s", r.ini.file, why);
	}
	*config = r.config;
	return 0;
}

typedef void (*section_fn)(FILE *f, bool first, const char *name);
typedef void (*value_fn)(FILE *f, bool first, const char *key, const char *value);

static void ini_section(FILE *f, bool first, const char *name)
{
	fprintf(f, "%s[%s]\n", first ? "" : "\n", name);
}

static void ini_value(FILE *f, bool first, const char *key, const char *value)
{
	fprintf(f, "%s=%s\n", key, value);
}

static void json_section(FILE *f, bool first, const char *name)
{
	fprintf(f, "%s  \"%s\": {\n", first ? "{\n" : "\n  },\n", name);
}

static void json_member(FILE *f, bool first, const char *key, const char *value)
{
	fprintf(f, "%s    \"%s\": \"%s\"", first ? "" : ",\n", key, value);
}

static void write_values(FILE *f, value_fn write, const struct libroc_param *p, size_t n,
			 const void *from)
{
	char text[32];
	size_t i;

	for (i = 0; i < n; i++) {
		libroc_param_text(&p[i], libroc_param_get(&p[i], from), text, sizeof(text));
		write(f, !i, p[i].key, text);
	}
}

static bool same_link(const struct roc_cru_link_config *a, const struct roc_cru_link_config *b)
{
	return a->enabled == b->enabled && a->mux == b->mux && a->fee_id == b->fee_id;
}

/* [links] is what the last link has; those that differ get a section of their own. */
static void write_config(FILE *f, const struct roc_cru_config *config, bool json)
{
	const struct roc_cru_link_config *common = &config->links[ROC_CRU_LINKS - 1];
	section_fn section = json ? json_section : ini_section;
	value_fn value = json ? json_member : ini_value;
	char name[16];
	unsigned int l;

	section(f, true, "cru");
	write_values(f, value, libroc_cru_params, libroc_cru_param_count, config);
	section(f, false, "links");
	write_values(f, value, libroc_cru_link_params, libroc_cru_link_param_count, common);
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		if (same_link(&config->links[l], common))
			continue;
		snprintf(name, sizeof(name), "link%u", l);
		section(f, false, name);
		write_values(f, value, libroc_cru_link_params, libroc_cru_link_param_count,
			     &config->links[l]);
	}
	if (json)
		fputs("\n  }\n}\n", f);
}

int roc_cru_config_save(const char *uri, const struct roc_cru_config *config)
{
	char *temporary = NULL;
	int saved = errno;
	const char *path;
	bool json;
	int fd, ret;
	FILE *f;

	ret = split_uri(uri, &path, &json);
	if (!ret)
		ret = roc_cru_config_check(config);
	if (ret)
		return ret;
	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return libroc_fail_text(ENOMEM, "no memory for a file's name");
	fd = mkstemp(temporary);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f) {
		ret = libroc_fail(errno, "%s cannot be written: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		goto out;
	}
	write_config(f, config, json);
	fchmod(fd, 0644);
	ret = ferror(f) ? EIO : 0;
	if (fclose(f))
		ret = errno;
	if (!ret && rename(temporary, path))
		ret = errno;
	if (ret)
		ret = libroc_fail(ret, "%s cannot be written: %s", path, strerror(ret));
out:
	if (ret && fd >= 0)
		unlink(temporary);
	free(temporary);
	errno = saved;
	return ret;
}
