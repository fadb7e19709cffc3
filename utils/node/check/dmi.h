/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory modules and processors of the DMI table, as the machine's firmware wrote it. The table is
 * bytes of somebody else: nothing in it is believed before it was compared with its length.
 */
#ifndef ROC_UTILS_NODE_DMI_H
#define ROC_UTILS_NODE_DMI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DMI_TEXT_MAX 64
#define DMI_SIZE_UNKNOWN UINT64_MAX

struct dmi_module {
	uint64_t bytes;			/* 0: the slot is empty */
	unsigned int speed, configured; /* MT/s, 0: not known */
	char locator[DMI_TEXT_MAX], bank[DMI_TEXT_MAX];
};

struct dmi {
	struct dmi_module *module; /* and slots */
	size_t modules;
	unsigned int processors; /* sockets that have one; 0: not known */
	bool damaged;		 /* it ended, or did not fit, before its end */
};

/* The caller ends it with dmi_free(), whatever came of it. 0 or -ENOMEM. */
int dmi_parse(const uint8_t *table, size_t length, struct dmi *dmi);
void dmi_free(struct dmi *dmi);

#endif
