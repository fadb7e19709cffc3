/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which socket and which channel a memory slot belongs to. DMI has only what the makers print on
 * their boards, and each maker prints something else.
 */
#ifndef ROC_UTILS_NODE_LOCATOR_H
#define ROC_UTILS_NODE_LOCATOR_H

#include "dmi.h"
#include "limits.h"

#define LOCATOR_MAX 32

struct slot {
	char socket[LOCATOR_MAX];
	char channel[LOCATOR_MAX];
};

/* False: no pattern fits; of the limits or of those that are built in. */
bool locator_read(const struct dmi_module *module, const struct limits *limits, struct slot *slot);

#endif
