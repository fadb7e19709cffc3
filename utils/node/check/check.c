// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Store, count and free the findings of the rules.
 */
#include "check.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/json.h"

static const char *const verdicts[] = {
	[VERDICT_PASS] = "PASS",
	[VERDICT_UNKNOWN] = "UNKNOWN",
	[VERDICT_WARN] = "WARN",
	[VERDICT_FAIL] = "FAIL",
};

const char *check_verdict(enum verdict verdict)
{
	return verdicts[verdict];
}

/* Append an empty finding; NULL: out of memory. */
static struct finding *more(struct check *c)
{
	struct finding *f;

	if (c->count == c->room) {
		size_t room = c->room ? 2 * c->room : 64;

		f = reallocarray(c->findings, room, sizeof(*f));
		if (!f)
			return NULL;
		c->findings = f;
		c->room = room;
	}
	f = &c->findings[c->count++];
	*f = (struct finding){.rule = c->rule};
	return f;
}

/*
 * Replace characters that are not printable: texts contain names and contents of files, which may
 * be from another machine.
 */
static void clean(char *text)
{
	while (text && *text) {
		unsigned int n = json_utf8_length(text);
		bool control = n == 2 && text[0] == '\xc2' && (unsigned char)text[1] < 0xa0;

		if (!n || control || iscntrl((unsigned char)*text))
			*text = '?';
		text += control || !n ? 1 : n;
	}
}

static void add_varargs(struct check *c, enum verdict verdict, const char *subject,
			const char *expected, const char *cure, const char *fmt, va_list ap)
{
	struct finding *f = more(c);

	if (!f) {
		c->out_of_memory = true;
		return;
	}
	f->verdict = verdict;
	if (subject)
		snprintf(f->subject, sizeof(f->subject), "%s", subject);
	f->expected = strdup(expected);
	f->cure = cure ? strdup(cure) : NULL;
	if (vasprintf(&f->found, fmt, ap) < 0)
		f->found = NULL;
	clean(f->subject);
	clean(f->found);
	clean(f->expected);
	clean(f->cure);
	if (!f->expected || !f->found || (cure && !f->cure))
		c->out_of_memory = true;
}

void add_finding(struct check *c, enum verdict verdict, const char *subject, const char *expected,
		 const char *cure, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_varargs(c, verdict, subject, expected, cure, fmt, ap);
	va_end(ap);
}

void add_unread(struct check *c, const char *subject, const char *expected, int err,
		const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	switch (err) {
	case -EACCES:
	case -EPERM:
		add_finding(c, VERDICT_UNKNOWN, subject, expected, "run roc-node-check as root",
			    "%s: permission denied", what);
		break;
	case -ENOENT:
		add_finding(
			c, VERDICT_UNKNOWN, subject, expected,
			"this machine or its kernel does not report this value; check the setup of the machine's firmware",
			"%s: does not exist", what);
		break;
	case -ENODATA:
		add_finding(c, VERDICT_UNKNOWN, subject, expected,
			    "a virtual machine may hide this value: check its host",
			    "%s: unknown to the kernel", what);
		break;
	case -EINVAL:
	case -EFBIG:
		add_finding(
			c, VERDICT_UNKNOWN, subject, expected,
			"report this as a bug, with the file: its content is invalid or too long",
			"%s: invalid content", what);
		break;
	default:
		add_finding(c, VERDICT_UNKNOWN, subject, expected, "see the kernel log", "%s: %s",
			    what, strerror(-err));
	}
}

void check_end(struct check *c)
{
	size_t i;

	for (i = 0; i < c->count; i++) {
		free(c->findings[i].found);
		free(c->findings[i].expected);
		free(c->findings[i].cure);
	}
	free(c->findings);
	node_cards_free(&c->cards);
}

enum verdict check_worst(const struct check *c, const struct rule *rule)
{
	enum verdict worst = VERDICT_PASS;
	size_t i;

	for (i = 0; i < c->count; i++)
		if ((!rule || c->findings[i].rule == rule) && c->findings[i].verdict > worst)
			worst = c->findings[i].verdict;
	return worst;
}
