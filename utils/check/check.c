// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checking of superpages: the part that all sources share.
 */
#include "check.h"

void check_init(struct checker *c, const struct check_config *config, struct error_log *errors)
{
	*c = (struct checker){.config = *config, .errors = errors};
}

bool check_counts_pages(const struct check_config *config)
{
	return config->enabled || config->data == CHECK_INTERNAL;
}

uint64_t check_superpage(struct checker *c, const struct check_superpage *sp)
{
	if (sp->link >= CHECK_LINKS) {
		error_log_add(c->errors, "superpage %llu: there is no link %u",
			      (unsigned long long)sp->number, sp->link);
		return 0;
	}
	if (sp->received > sp->length) {
		error_log_add(c->errors,
			      "link %u superpage %llu: 0x%x bytes received in a superpage of 0x%x",
			      sp->link, (unsigned long long)sp->number, sp->received, sp->length);
		return 0;
	}
	if (!c->config.enabled)
		return check_counts_pages(&c->config) ? sp->received / c->config.page_size : 0;
	if (c->config.data == CHECK_INTERNAL)
		return check_internal(c, sp);
	return check_rdh(c, sp);
}
