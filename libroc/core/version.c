// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The version of the build, in a file of its own so that a new version recompiles only this file.
 */
#include "libroc.h"

const char *roc_version(void)
{
	return ROC_VERSION;
}
