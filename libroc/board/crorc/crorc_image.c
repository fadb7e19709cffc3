// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Load image files for a C-RORC's flash: text with one decimal 16-bit word per line. Any other file
 * is rejected before the card is accessed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libroc_crorc.h"

/* A file being read, on the stack of roc_crorc_image_load() */
struct reader {
	FILE *file;
	const char *path;
	uint16_t *words;
	uint32_t count;
};

static int fail_line(const struct reader *r, const char *what)
{
	return roc_fail(EINVAL,
			"%s:%u: %s: an image must have one decimal number from 0 to 65535 per line",
			r->path, r->count + 1, what);
}

/* Read one line. Return 1, 0 at the end of the file, or -errno. */
static int read_word(struct reader *r)
{
	unsigned int value = 0, digits = 0;
	int ch = getc_unlocked(r->file);

	if (ch == EOF)
		return 0;
	for (; ch >= '0' && ch <= '9'; ch = getc_unlocked(r->file)) {
		value = value * 10 + ch - '0';
		if (++digits > 5 || value > UINT16_MAX)
			return fail_line(r, "the number is too large");
	}
	if (ch == '\r')
		ch = getc_unlocked(r->file);
	if (!digits || (ch != '\n' && ch != EOF))
		return fail_line(r, digits ? "text after the number" : "not a number");
	if (r->count == ROC_CRORC_IMAGE_WORDS)
		return roc_fail(
			EINVAL,
			"%s has more words than an image of this card, which has %u: use an image for this card",
			r->path, ROC_CRORC_IMAGE_WORDS);
	r->words[r->count++] = value;
	return 1;
}

static int read_all(struct reader *r)
{
	uint32_t i;
	int ret;

	do {
		ret = read_word(r);
	} while (ret > 0);
	if (ret)
		return ret;
	if (ferror(r->file))
		return roc_fail(EIO, "cannot read %s: %s", r->path, strerror(errno));
	if (r->count != ROC_CRORC_IMAGE_WORDS)
		return roc_fail(
			EINVAL,
			"%s has %u words, but an image of this card has %u: use a complete image for this card",
			r->path, r->count, ROC_CRORC_IMAGE_WORDS);
	for (i = 1; i < r->count && r->words[i] == r->words[0]; i++)
		;
	if (i == r->count)
		return roc_fail(EINVAL, "%s is not an image: all of its words are %u", r->path,
				r->words[0]);
	return 0;
}

int roc_crorc_image_load(const char *path, uint16_t **image)
{
	int saved = errno, ret;
	struct reader r = {.path = path};

	r.file = fopen(path, "re");
	if (!r.file) {
		ret = roc_fail(errno, "cannot read %s: %s", path, strerror(errno));
		errno = saved;
		return ret;
	}
	r.words = calloc(ROC_CRORC_IMAGE_WORDS, sizeof(*r.words));
	ret = r.words ? read_all(&r) : roc_fail(ENOMEM, "cannot allocate an image");
	fclose(r.file);
	errno = saved;
	if (ret)
		free(r.words);
	else
		*image = r.words;
	return ret;
}
