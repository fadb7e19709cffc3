/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal reader of INI files. It depends only on roc_fail(), so that tools can link this object
 * alone.
 */
#ifndef LIBROC_INI_H
#define LIBROC_INI_H

struct libroc_ini {
	const char *file;
	unsigned int line;
	char section[64];
	unsigned int section_line;
	/* Handle a value. Return 0, or -errno to stop reading. */
	int (*value)(struct libroc_ini *ini, const char *key, const char *value);
	int (*begin)(struct libroc_ini *ini); /* start of a section */
	int (*end)(struct libroc_ini *ini);   /* end of a section; also called if there was none */
};

/* @text: the complete file, which is modified */
int libroc_ini_read(struct libroc_ini *ini, char *text);

#endif /* LIBROC_INI_H */
