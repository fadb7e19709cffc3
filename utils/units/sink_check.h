/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sinks that keep no unit: one looks at every byte as roc-bench-dma and roc-stream do, one counts.
 */
#ifndef ROC_UTILS_SINK_CHECK_H
#define ROC_UTILS_SINK_CHECK_H

#include "units.h"
#include "utils/check/check.h"

/*
 * @format: of the source, whose content is known by the first unit at the latest; must outlive the
 * sink. @config: how to look; what is in the data the format says. @errors: where they are counted;
 * the caller's. NULL: no memory.
 */
struct sink *sink_check(const struct unit_format *format, const struct check_config *config,
			struct error_log *errors);
struct sink *sink_count(void);

#endif
