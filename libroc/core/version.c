// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The version, from the build: in a file of its own, so that a new version compiles only this one.
 */
#include "libroc.h"

const char *roc_version(void)
{
	return ROC_VERSION;
}
