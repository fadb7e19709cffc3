/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Open a filter in a separate thread while the test acts as the builder. Included after unit.h. */
#ifndef ROC_UNIT_FILTER_OPENING_H
#define ROC_UNIT_FILTER_OPENING_H

#include <stdatomic.h>

#include <roc/filter.h>
#include <roc/roc.h>

struct opening {
	const char *path;
	struct roc_filter *filter;
	int ret;
	atomic_bool over;
};

__attribute__((unused)) static void *open_in_thread(void *argument)
{
	struct opening *o = argument;

	o->ret = roc_filter_open(o->path, &o->filter);
	if (o->ret)
		unit_note("%s", roc_error());
	o->over = true;
	return NULL;
}

#endif /* ROC_UNIT_FILTER_OPENING_H */
