// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parse, format, check and compare parameters by the names of configuration files and tools. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libroc_pass.h"

uint32_t libroc_param_get(const struct libroc_param *p, const void *from)
{
	const char *at = (const char *)from + p->member;

	return p->kind == LIBROC_P_BOOL ? *(const bool *)at : *(const uint32_t *)at;
}

void libroc_param_put(const struct libroc_param *p, void *to, uint32_t value)
{
	char *at = (char *)to + p->member;

	if (p->kind == LIBROC_P_BOOL)
		*(bool *)at = value;
	else
		*(uint32_t *)at = value;
}

void libroc_param_text(const struct libroc_param *p, uint32_t value, char *text, size_t size)
{
	switch (p->kind) {
	case LIBROC_P_BOOL:
		snprintf(text, size, "%s", value ? "true" : "false");
		break;
	case LIBROC_P_NAME:
		snprintf(text, size, "%s",
			 value <= p->last && p->names[value] ? p->names[value] : "N/A");
		break;
	case LIBROC_P_DEC:
		snprintf(text, size, "%u", value);
		break;
	case LIBROC_P_HEX:
		snprintf(text, size, "0x%x", value);
		break;
	}
}

const struct libroc_param *libroc_param_find(const struct libroc_params *params, const char *key)
{
	size_t i;

	for (i = 0; i < params->count; i++)
		if (!strcmp(params->list[i].key, key))
			return &params->list[i];
	return NULL;
}

static int parse_bool(const char *text, uint32_t *value)
{
	if (!strcasecmp(text, "true") || !strcmp(text, "1"))
		*value = 1;
	else if (!strcasecmp(text, "false") || !strcmp(text, "0"))
		*value = 0;
	else
		return -EINVAL;
	return 0;
}

/* Parse a number that ends the text; 0x is allowed in either base. */
static int parse_number(const char *text, bool hex, uint32_t last, uint32_t *value)
{
	bool prefix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = prefix ? text + 2 : text;
	unsigned long long number;

	if (!*digits ||
	    digits[strspn(digits, hex || prefix ? "0123456789abcdefABCDEF" : "0123456789")])
		return -EINVAL;
	digits += strspn(digits, "0");
	if (strlen(digits) > 10)
		return -ERANGE;
	number = strtoull(*digits ? digits : "0", NULL, hex || prefix ? 16 : 10);
	if (number > last)
		return -ERANGE;
	*value = number;
	return 0;
}

static void names_text(const struct libroc_param *p, char *text, size_t size)
{
	size_t used = 0;
	uint32_t i;

	text[0] = '\0';
	for (i = 0; i <= p->last; i++)
		if (p->names[i] && used < size)
			used += snprintf(text + used, size - used, "%s%s", used ? ", " : "",
					 p->names[i]);
}

int libroc_param_parse(const struct libroc_param *p, const char *text, uint32_t *value,
		       char *reason, size_t size)
{
	char names[64], last[16];
	uint32_t i;
	int ret;

	switch (p->kind) {
	case LIBROC_P_BOOL:
		ret = parse_bool(text, value);
		if (ret)
			snprintf(reason, size, "'%.40s' is neither true nor false", text);
		return ret;
	case LIBROC_P_NAME:
		for (i = 0; i <= p->last; i++) {
			if (p->names[i] && !strcasecmp(p->names[i], text)) {
				*value = i;
				return 0;
			}
		}
		names_text(p, names, sizeof(names));
		snprintf(reason, size, "'%.40s' is not one of %s", text, names);
		return -EINVAL;
	default:
		ret = parse_number(text, p->kind == LIBROC_P_HEX, p->last, value);
		libroc_param_text(p, p->last, last, sizeof(last));
		if (ret == -ERANGE)
			snprintf(reason, size, "%.40s is out of range: the maximum is %s", text,
				 last);
		else if (ret)
			snprintf(reason, size, "'%.40s' is not a %s number", text,
				 p->kind == LIBROC_P_HEX ? "hexadecimal" : "decimal");
		return ret;
	}
}

static int check_param(const char *section, const struct libroc_param *p, const void *from)
{
	uint32_t value = libroc_param_get(p, from);
	char last[16];

	libroc_param_text(p, p->last, last, sizeof(last));
	if (p->kind == LIBROC_P_NAME && (value > p->last || !p->names[value]))
		return roc_fail(ERANGE, "%s.%s: %u is not a valid value", section, p->key, value);
	if (value > p->last)
		return roc_fail(ERANGE, "%s.%s: %u is out of range: the maximum is %s", section,
				p->key, value, last);
	return 0;
}

int libroc_params_check(const char *section, const struct libroc_params *params, const void *from)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < params->count && !ret; i++)
		ret = check_param(section, &params->list[i], from);
	return ret;
}

void libroc_param_differ(const char *section, const struct libroc_param *p, uint32_t target,
			 uint32_t have, struct roc_config_difference *diffs, unsigned int *n)
{
	if (target == have)
		return;
	if (diffs && *n < ROC_CONFIG_DIFFERENCES_MAX) {
		struct roc_config_difference *d = &diffs[*n];

		snprintf(d->name, sizeof(d->name), "%s.%.31s", section, p->key);
		libroc_param_text(p, target, d->wanted, sizeof(d->wanted));
		libroc_param_text(p, have, d->have, sizeof(d->have));
	}
	(*n)++;
}
