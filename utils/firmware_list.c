// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The firmware versions of the CRU that are known, as data, and the reader of a site's own list.
 */
#include "firmware_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct firmware built_in[] = {
	{"f6b5d742", "v3.19.4", false}, {"b0332f4e", "v3.19.3", false},
	{"641a503d", "v3.19.2", false}, {"adc37d07", "v3.19.0", false},
	{"47df4106", "v3.19.0", false}, {"9052c0dd", "v3.18.1", false},
	{"8e74a7f8", "v3.17.1", false}, {"6838510f", "v3.17.0", false},
	{"e64b97b1", "v3.15.0", false}, {"14ccd414", "v3.14.1", false},
	{"2058c933", "v3.14.0", false}, {"4a412c71", "v3.13.0", false},
	{"82b4662d", "MFT PSU", false}, {"6a85d30c", "v3.12.0", true},
	{"7be5aa1c", "v3.11.0", true},	{"e4a5a46e", "v3.10.0", true},
	{"f71faa86", "v3.9.1", true},	{"8e0d2ffa", "v3.9.0", true},
	{"e8e58cff", "v3.8.0", true},	{"f8cecade", "v3.7.0", true},
	{"75b96268", "v3.6.1", true},	{"6955404", "v3.6.0", true},
	{"d458317e", "v3.5.2", true},	{"6baf11da", "v3.5.1", true},
};

#define SITE_MAX 256
#define SITE_FILE_MAX 65536

/* Filled by firmware_load(); the strings point into the file's text. */
static struct firmware site[SITE_MAX];
static char *site_text;
static size_t site_count;

const struct firmware *firmware_find(const char *hash)
{
	size_t i;

	/* The site's word counts more than ours. */
	for (i = site_count; i-- > 0;) {
		if (!strcmp(site[i].hash, hash))
			return &site[i];
	}
	for (i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++) {
		if (!strcmp(built_in[i].hash, hash))
			return &built_in[i];
	}
	return NULL;
}

void firmware_text(const char *hash, char *text, size_t size)
{
	const struct firmware *f = firmware_find(hash);

	snprintf(text, size, "%s%s", f ? f->tag : hash, f && f->old ? " (old)" : "");
}

static char *skip_blanks(char *p)
{
	return p + strspn(p, " \t\r\n");
}

/* A JSON string without escapes at *p, cut out in place. NULL: there is none. */
static const char *take_string(char **p)
{
	char *start, *end;

	*p = skip_blanks(*p);
	if (**p != '"')
		return NULL;
	start = *p + 1;
	end = start + strcspn(start, "\"\\\n");
	if (*end != '"')
		return NULL;
	*end = '\0';
	*p = end + 1;
	return start;
}

static bool take_char(char **p, char c)
{
	*p = skip_blanks(*p);
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

/* The whole object; the number of entries put into @list, or -1. */
static int parse(char *p, struct firmware *list)
{
	int n = 0;

	if (!take_char(&p, '{'))
		return -1;
	if (take_char(&p, '}'))
		return *skip_blanks(p) ? -1 : 0;
	do {
		const char *hash = take_string(&p), *tag;

		if (!hash || !take_char(&p, ':'))
			return -1;
		tag = take_string(&p);
		if (!tag || n == SITE_MAX)
			return -1;
		if (*hash && *tag)
			list[n++] = (struct firmware){hash, tag, false};
	} while (take_char(&p, ','));
	return take_char(&p, '}') && !*skip_blanks(p) ? n : -1;
}

int firmware_load(const char *path, char *why, size_t why_size)
{
	struct firmware *list = NULL;
	char *text = NULL;
	int result = -1;
	size_t length;
	FILE *file;

	file = fopen(path, "re");
	if (!file) {
		if (errno == ENOENT)
			return 0;
		snprintf(why, why_size, "%s cannot be read: %s.", path, strerror(errno));
		return -1;
	}
	text = malloc(SITE_FILE_MAX + 1);
	list = calloc(SITE_MAX, sizeof(*list));
	if (!text || !list) {
		snprintf(why, why_size, "There is no memory left.");
		goto out;
	}
	length = fread(text, 1, SITE_FILE_MAX + 1, file);
	if (ferror(file)) {
		snprintf(why, why_size, "%s cannot be read: %s.", path, strerror(errno));
		goto out;
	}
	result = -1;
	if (length <= SITE_FILE_MAX) {
		text[length] = '\0';
		result = parse(text, list);
	}
	if (result < 0) {
		snprintf(why, why_size,
			 "%s is not one JSON object of at most %d pairs \"hash\": \"tag\".", path,
			 SITE_MAX);
		goto out;
	}
	memcpy(site, list, (size_t)result * sizeof(*list));
	site_count = (size_t)result;
	free(site_text);
	site_text = text;
	text = NULL;
out:
	free(list);
	free(text);
	fclose(file);
	return result;
}
