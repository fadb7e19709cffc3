// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A configuration pass: compare the card with what is wanted, and write what differs.
 *
 * Nothing is written before everything is known to be possible. Each register is read back after
 * its write; when one is wrong, all that were written are put back in reverse order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libroc_cru.h"

/* One call of roc_cru_configure(). On the heap of that call. */
struct pass {
	struct libroc_pass c;
	const struct roc_cru_config *config;
	unsigned int flags;
	struct roc_config_result *result;
	struct libroc_state wanted, have;
	bool clock, pon;	     /* to be done */
	bool half;		     /* TTC is selected, but is not the source of triggers */
	bool unfinished;	     /* a pass ended while it programmed the PLL */
	uint32_t onu_address;	     /* before; valid with pon */
	bool clock_begun, pon_begun; /* registers of it may have been written */
	struct libroc_changes changes;
};

/* @skip: flags of values that do not count; @quiet: of those that are no reason for a pass. */
static void compare(struct pass *p, const struct libroc_value *table, size_t n, int link,
		    const void *wanted, const void *have, unsigned int skip, unsigned int quiet)
{
	char section[16] = "cru";
	size_t i;

	if (link >= 0)
		snprintf(section, sizeof(section), "link%d", link);
	for (i = 0; i < n; i++) {
		const struct libroc_value *v = &table[i];
		uint32_t w = libroc_value_get(v, wanted), h = libroc_value_get(v, have);

		if (v->flags & skip)
			continue;
		if (w == h && !(p->flags & ROC_CONFIG_FORCE))
			continue;
		if (w != h && !(v->flags & quiet))
			libroc_difference_add(p->result, section,
					      link < 0 ? &libroc_cru_params
						       : &libroc_cru_link_params,
					      &libroc_cru_params, v, w, h);
		libroc_change_add(&p->changes, section, v, link < 0 ? 0 : link, w);
	}
}

static void compare_clock(struct pass *p)
{
	bool pon = p->config->pon_upstream && p->wanted.clock == ROC_CRU_CLOCK_TTC;
	bool ready = pon && libroc_onu_ready(&p->c, p->config->onu_address);
	bool differs = p->wanted.clock != p->have.clock;

	/* What only a pass leaves that ended in its middle: the PLLs first, then the source. */
	p->half = !differs && p->wanted.clock == ROC_CRU_CLOCK_TTC &&
		  p->have.trigger_source != p->wanted.trigger_source;
	differs |= p->unfinished;
	if (differs) {
		struct roc_config_difference *d = libroc_difference(p->result);

		snprintf(d->name, sizeof(d->name), "cru.clock");
		snprintf(d->wanted, sizeof(d->wanted), "%s", roc_cru_clock_name(p->wanted.clock));
		snprintf(d->have, sizeof(d->have), "%s",
			 p->unfinished ? "unfinished" : roc_cru_clock_name(p->have.clock));
	}
	if (pon && !ready) {
		struct roc_config_difference *d = libroc_difference(p->result);

		snprintf(d->name, sizeof(d->name), "cru.ponUpstream");
		snprintf(d->wanted, sizeof(d->wanted), "up at %u", p->config->onu_address);
		snprintf(d->have, sizeof(d->have), "no");
	}
	p->clock = differs || p->half || p->flags & ROC_CONFIG_FORCE;
	p->pon = pon && (!ready || p->clock);
	if (p->pon)
		p->onu_address = libroc_onu_address(&p->c);
}

static bool link_differs(const struct pass *p, unsigned int l)
{
	const struct libroc_link_state *wanted = &p->wanted.links[l], *have = &p->have.links[l];
	size_t i;

	if (!wanted->enabled)
		return have->enabled;
	for (i = 0; i < libroc_state_links_count; i++)
		if (libroc_value_get(&libroc_state_links[i], wanted) !=
		    libroc_value_get(&libroc_state_links[i], have))
			return true;
	return false;
}

/* Links that are off, and stay off or go off, are treated as today's software treats them. */
static void compare_links(struct pass *p)
{
	bool all = p->flags & ROC_CONFIG_FORCE, any = all;
	unsigned int l;

	for (l = 0; l < ROC_CRU_LINKS; l++)
		any |= p->c.links & 1u << l && link_differs(p, l);
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		unsigned int skip = 0, quiet = 0;

		if (!(p->c.links & 1u << l))
			continue;
		if (!p->wanted.links[l].enabled) {
			skip = LIBROC_V_ENABLED;
			if (!p->config->gbt_enabled || !(all || p->have.links[l].enabled))
				skip |= LIBROC_V_MODE;
			if (!p->config->gbt_enabled || !any)
				skip |= LIBROC_V_IDS;
			quiet = LIBROC_V_QUIET | LIBROC_V_MODE | LIBROC_V_IDS;
		}
		compare(p, libroc_state_links, libroc_state_links_count, l, &p->wanted.links[l],
			&p->have.links[l], skip, quiet);
	}
}

static void compare_all(struct pass *p)
{
	unsigned int skip = 0;

	compare_clock(p);
	if (!p->clock)
		skip |= LIBROC_V_CLOCK;
	if (!p->wanted.user_logic)
		skip |= LIBROC_V_UL;
	compare(p, libroc_state_first, libroc_state_first_count, -1, &p->wanted, &p->have, skip,
		p->half ? 0 : LIBROC_V_CLOCK);
	compare_links(p);
	compare(p, libroc_state_last, libroc_state_last_count, -1, &p->wanted, &p->have, skip, 0);
}

/* Errors of putting back do not hide the one that made it necessary. */
static void restore(struct pass *p, unsigned int written)
{
	struct libroc_pass *c = &p->c;
	int err = c->err;
	bool clock = p->clock_begun;
	bool right;

	c->err = 0;
	right = libroc_changes_restore(&p->changes, written);
	if (p->pon_begun) {
		libroc_pass_modify(c, CRU_BAR_CARD, CRU_ONU_CONTROL, CRU_ONU_CONTROL_ADDRESS,
				   libroc_to_mask(CRU_ONU_CONTROL_ADDRESS, p->onu_address));
		right &= libroc_onu_address(c) == p->onu_address && !c->err;
		c->err = 0;
	}
	if (clock && p->have.clock != p->wanted.clock) {
		libroc_clock_select(c, p->have.clock, p->config->gbt_enabled, &p->clock_begun);
		right &= !c->err && libroc_clock_read(c, NULL) == p->have.clock;
		c->err = 0;
	}
	/*
	 * The clock that it has was selected again, and that was not finished. If the ONU did not
	 * come up, the PLLs are as they were, and the links have not followed them yet; after
	 * another failure nobody knows what the PLLs have.
	 */
	if (clock && p->have.clock == p->wanted.clock && !p->result->clock_programmed) {
		if (err == -ETIME && p->config->gbt_enabled)
			libroc_clock_calibrate_gbt(c);
		right &= err == -ETIME && !c->err;
		c->err = 0;
	}
	if (clock) {
		libroc_pass_modify(c, CRU_BAR_CARD, CRU_TTC_DATA, CRU_TTC_DATA_CLOCK,
				   p->have.trigger_source);
		right &= !c->err;
	}
	c->err = err;
	p->result->restored = right;
}

static void write_all(struct pass *p)
{
	struct libroc_pass *c = &p->c;
	unsigned int written = 0;
	char why[1024];

	p->result->reconfigured = true;
	/* The generator's state and a run enable that a crash left must not live on. */
	if (libroc_pass_read(c, CRU_BAR_CARD, CRU_USER_CONTROL) & CRU_USER_CONTROL_RUN)
		libroc_pass_modify(c, CRU_BAR_CARD, CRU_USER_CONTROL, CRU_USER_CONTROL_RUN, 0);
	if (p->clock) {
		libroc_clock_select(c, p->wanted.clock, p->config->gbt_enabled, &p->clock_begun);
		p->result->clock_programmed = !c->err;
		/* Putting back would take the clock from that readout once more. */
		if (!c->err && libroc_pass_still_stopped(c))
			return;
	}
	if (p->pon && !c->err) {
		p->pon_begun = true;
		libroc_onu_connect(c, p->config->onu_address);
	}
	if (!c->err)
		libroc_pass_pulse(c, CRU_BAR_CARD, CRU_DATAPATH(c->e) + CRU_DATAPATH_GENERATOR,
				  CRU_DATAPATH_GENERATOR_RESET);
	if (!c->err)
		written = libroc_changes_apply(&p->changes);
	if (!c->err) {
		libroc_pass_still_stopped(c);
		return;
	}
	/* Putting back may fail too, and must not take away the sentence of the first failure. */
	snprintf(why, sizeof(why), "%s", roc_error());
	restore(p, written);
	libroc_changes_say(&p->changes, why);
}

static uint32_t wanted_links(const struct libroc_state *state)
{
	uint32_t mask = 0;
	unsigned int l;

	for (l = 0; l < ROC_CRU_LINKS; l++)
		mask |= (uint32_t)state->links[l].enabled << l;
	return mask;
}

static int run(struct pass *p)
{
	struct libroc_pass *c = &p->c;
	bool needed;

	if (libroc_cru_find_links(c, wanted_links(&p->wanted)))
		return c->err;
	libroc_state_read(c, &p->have);
	p->have.clock = p->wanted.clock;
	if (p->flags & ROC_CONFIG_FORCE ||
	    !libroc_clock_known(c, p->wanted.clock, p->have.trigger_source))
		p->have.clock = libroc_clock_read(c, &p->unfinished);
	compare_all(p);
	needed = p->result->count || p->flags & ROC_CONFIG_FORCE;
	if (c->err || !needed || p->flags & ROC_CONFIG_COMPARE_ONLY)
		return c->err;
	if (libroc_pass_need_stopped(c, "it cannot be configured"))
		return c->err;
	/* What is wrong with a file must not cost the links their clock. */
	if (p->clock && libroc_clock_check(c, p->wanted.clock))
		return c->err;
	write_all(p);
	return c->err;
}

int roc_cru_configure(struct roc_endpoint *ep, const struct roc_cru_config *config,
		      unsigned int flags, struct roc_config_result *result)
{
	struct roc_config_result unwanted;
	struct pass *p;
	int ret;

	if (!result)
		result = &unwanted;
	memset(result, 0, sizeof(*result));
	ret = roc_cru_config_check(config);
	if (ret)
		return ret;
	p = calloc(1, sizeof(*p));
	if (!p)
		return roc_fail(ENOMEM, "no memory for a configuration");
	ret = libroc_config_begin(ep, ROC_CARD_CRU, flags);
	if (!ret)
		ret = libroc_cru_begin(ep, &p->c, true);
	if (!ret) {
		p->config = config;
		p->flags = flags;
		p->result = result;
		p->changes.c = &p->c;
		p->changes.result = result;
		libroc_state_wanted(config, &p->wanted);
		libroc_pass_fail(&p->c, run(p));
		ret = libroc_pass_end(&p->c);
		result->reads = p->c.reads;
		result->writes = p->c.writes;
	}
	free(p);
	return ret;
}

int roc_cru_config_read(struct roc_endpoint *ep, struct roc_cru_config *config)
{
	struct libroc_state state;
	struct roc_cru_config now;
	struct libroc_pass c;
	int ret;

	ret = libroc_cru_begin(ep, &c, true);
	if (ret)
		return ret;
	libroc_cru_find_links(&c, 0);
	libroc_state_read(&c, &state);
	state.clock = libroc_clock_read(&c, NULL);
	libroc_state_config(&state, &now);
	now.onu_address = libroc_onu_address(&c);
	now.pon_upstream = now.clock == ROC_CRU_CLOCK_TTC && libroc_onu_ready(&c, now.onu_address);
	ret = libroc_pass_end(&c);
	if (!ret)
		*config = now;
	return ret;
}
