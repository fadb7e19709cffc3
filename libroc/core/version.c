// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The version, from the build.
 */
#include "libroc.h"

const char *roc_version(void)
{
	return ROC_VERSION;
}
