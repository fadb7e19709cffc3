/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc, inside: reader of INI files. Needs roc_fail() and nothing else, so whoever reads such a
 * file is linked with the one object.
 */
#ifndef LIBROC_INI_H
#define LIBROC_INI_H

struct libroc_ini {
	const char *file;
	unsigned int line;
	char section[64];
	unsigned int section_line;
	/* A value: 0, or the -errno that ends the reading. */
	int (*value)(struct libroc_ini *ini, const char *key, const char *value);
	int (*begin)(struct libroc_ini *ini); /* a section begins */
	int (*end)(struct libroc_ini *ini);   /* it ends; also called when none is open */
};

/* @text: all of the file; it is cut up. */
int libroc_ini_read(struct libroc_ini *ini, char *text);

#endif /* LIBROC_INI_H */
