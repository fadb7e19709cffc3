/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parse the arguments of --source and --sink: TYPE, or TYPE:KEY=VALUE,KEY=VALUE. Each type has a
 * table of its keys. Values are stored in the structure of the type, which the caller sets to the
 * defaults before.
 */
#ifndef ROC_UTILS_EVB_TEXT_H
#define ROC_UTILS_EVB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum evb_key_type {    /* C type of the value */
	EVB_KEY_SIZE,  /* uint64_t: 64Ki, 1k, 5 */
	EVB_KEY_SHARE, /* double, 0 to 1: 1%, 0.01 */
	EVB_KEY_TIME,  /* uint64_t, ns: 200ms, 5s, 100us */
	EVB_KEY_TEXT,  /* char[EVB_TEXT_MAX] */
	EVB_KEY_NAME,  /* unsigned int, index into names, in upper or lower case */
	EVB_KEY_FLAG,  /* bool, given without a value */
};

#define EVB_TEXT_MAX 256

struct evb_key {
	const char *name;
	enum evb_key_type type;
	size_t offset;
	uint64_t min, max;	  /* EVB_KEY_SIZE; max 0: no limits */
	const char *const *names; /* EVB_KEY_NAME: ends with NULL */
	bool bare;		  /* EVB_KEY_TEXT: the first value may be given without its name */
};

/*
 * Whether @text is of the type @kind, in upper or lower case. *@values is the text behind the
 * colon, empty if there is none.
 */
bool evb_text_is(const char *text, const char *kind, const char **values);
/* 0, or -EINVAL with the reason in @reason, which has 512 bytes. */
int evb_text_parse(const char *kind, const char *values, const struct evb_key *keys, size_t count,
		   void *to, char *reason);

#endif
