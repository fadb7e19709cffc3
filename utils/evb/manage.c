// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run the manager inside a coordinator.
 */
#include "coordinator.h"

#define STEP_NS UINT64_C(20000000)

int manage_begin(struct manage *m, const struct roc_evb_manager_config *cfg, uint64_t term,
		 const struct roc_evb_table *last)
{
	int ret = roc_evb_manager_new(cfg, &m->m);

	if (ret)
		return ret;
	m->term = term;
	m->stepped = 0;
	if (last->epoch)
		manage_found(m, last);
	return 0;
}

void manage_end(struct manage *m)
{
	roc_evb_manager_free(m->m);
	m->m = NULL;
}

void manage_found(struct manage *m, const struct roc_evb_table *table)
{
	if (table->term >= m->term)
		m->term = table->term + 1;
	roc_evb_manager_adopt(m->m, table);
	m->next = *table;
}

static void log_decisions(struct manage *m)
{
	const char *message;

	while ((message = roc_evb_manager_message(m->m))) {
		if (m->log)
			m->log(m->log_self, message);
	}
}

const struct roc_evb_table *manage_step(struct manage *m, uint64_t now)
{
	int changed;

	if (!m->m || now - m->stepped < STEP_NS)
		return NULL;
	m->stepped = now;
	changed = roc_evb_manager_step(m->m, m->term, now, &m->next);
	log_decisions(m);
	return changed ? &m->next : NULL;
}

void manage_published(struct manage *m)
{
	roc_evb_manager_adopt(m->m, &m->next);
}
