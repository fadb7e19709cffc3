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
	struct libroc_state target, have;
	bool clock, pon;	     /* to be done */
	bool half;		     /* TTC is selected, but is not the source of triggers */
	bool unfinished;	     /* a pass ended while it selected a clock */
	bool still;		     /* the clock of the GBT links stands still */
	unsigned int clock_count;    /* differences of the clock, which come first */
	unsigned int writes;	     /* of before the first register that changes the card */
	uint32_t onu_address;	     /* before; valid with pon */
	bool clock_begun, pon_begun; /* registers of it may have been written */
	struct libroc_changes changes;
};

/* @skip: flags of values that do not count; @unreported: of those that are no reason for a pass. */
static void compare(struct pass *p, const struct libroc_value *table, size_t n, int link,
		    const void *target, const void *have, unsigned int skip,
		    unsigned int unreported)
{
	char section[16] = "cru";
	size_t i;

	if (link >= 0)
		snprintf(section, sizeof(section), "link%d", link);
	for (i = 0; i < n; i++) {
		const struct libroc_value *v = &table[i];
		uint32_t w = libroc_value_get(v, target), h = libroc_value_get(v, have);

		if (v->flags & skip)
			continue;
		if (w == h && !(p->flags & ROC_CONFIG_FORCE))
			continue;
		if (w != h && !(v->flags & unreported))
			libroc_difference_add(p->result, section,
					      link < 0 ? &libroc_cru_params
						       : &libroc_cru_link_params,
					      &libroc_cru_params, v, w, h);
		libroc_change_add(&p->changes, section, v, link < 0 ? 0 : link, w);
	}
}

static void compare_clock(struct pass *p)
{
	bool pon = p->config->pon_upstream && p->target.clock == ROC_CRU_CLOCK_TTC;
	bool ready = pon && libroc_onu_ready(&p->c, p->config->onu_address);
	bool differs = p->target.clock != p->have.clock;

	/* What only a pass leaves that ended in its middle: the PLLs first, then the source. */
	p->half = !differs && p->target.clock == ROC_CRU_CLOCK_TTC &&
		  p->have.trigger_source != p->target.trigger_source;
	differs |= p->unfinished || p->still;
	if (differs) {
		struct roc_config_difference *d = libroc_difference(p->result);

		snprintf(d->name, sizeof(d->name), "cru.clock");
		snprintf(d->wanted, sizeof(d->wanted), "%s", roc_cru_clock_name(p->target.clock));
		snprintf(d->have, sizeof(d->have), "%s",
			 p->still	 ? "stands still"
			 : p->unfinished ? "unfinished"
					 : roc_cru_clock_name(p->have.clock));
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
	const struct libroc_link_state *target = &p->target.links[l], *have = &p->have.links[l];
	size_t i;

	if (!target->enabled)
		return have->enabled;
	for (i = 0; i < libroc_state_links_count; i++)
		if (libroc_value_get(&libroc_state_links[i], target) !=
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
		unsigned int skip = 0, unreported = 0;

		if (!(p->c.links & 1u << l))
			continue;
		if (!p->target.links[l].enabled) {
			skip = LIBROC_V_ENABLED;
			if (!p->config->gbt_enabled || !(all || p->have.links[l].enabled))
				skip |= LIBROC_V_MODE;
			if (!p->config->gbt_enabled || !any)
				skip |= LIBROC_V_IDS;
			unreported = LIBROC_V_OFF_ALWAYS | LIBROC_V_MODE | LIBROC_V_IDS;
		}
		compare(p, libroc_state_links, libroc_state_links_count, l, &p->target.links[l],
			&p->have.links[l], skip, unreported);
	}
}

/* May be repeated: the differences and changes of the call before are dropped. */
static void compare_registers(struct pass *p)
{
	unsigned int skip = 0;

	p->result->count = p->clock_count;
	p->changes.count = 0;
	if (!p->clock)
		skip |= LIBROC_V_CLOCK;
	if (!p->target.user_logic)
		skip |= LIBROC_V_UL;
	compare(p, libroc_state_first, libroc_state_first_count, -1, &p->target, &p->have, skip,
		p->half ? 0 : LIBROC_V_CLOCK);
	compare_links(p);
	compare(p, libroc_state_last, libroc_state_last_count, -1, &p->target, &p->have, skip, 0);
}

/* Add what could not be put back to the list in @lost. */
static void note_lost(struct pass *p, bool right, const char *what, char *lost, size_t size)
{
	size_t used = strlen(lost);

	if (!right || p->c.err)
		snprintf(lost + used, size - used, "%s%s", used ? ", " : "", what);
	p->c.err = 0;
}

/*
 * The clock goes back to what it was. If it was selected again and the ONU did not come up, the
 * PLLs are as they were, and the links have not followed them yet; after another failure the state
 * of the PLLs is unknown.
 */
static bool restore_clock(struct pass *p, int err)
{
	struct libroc_pass *c = &p->c;
	bool right = true;

	if (p->have.clock != p->target.clock) {
		libroc_clock_select(c, p->have.clock, &p->clock_begun);
		right = !c->err && libroc_clock_read(c, NULL) == p->have.clock;
	} else if (!p->result->clock_programmed) {
		right = err == -ETIME;
		if (right)
			libroc_clock_calibrate_gbt(c);
	}
	if (right)
		libroc_clock_finish(c);
	libroc_pass_modify(c, CRU_BAR_CARD, CRU_TTC_DATA, CRU_TTC_DATA_CLOCK,
			   p->have.trigger_source);
	/* What was unfinished before is finished now, and the failed pass has to be repeated. */
	return right && !p->unfinished && !p->still;
}

/*
 * Put back what was written. Errors of that do not hide the one that made it necessary. @outcome:
 * what became of the card.
 */
static void restore(struct pass *p, unsigned int written, char *outcome, size_t size)
{
	struct libroc_pass *c = &p->c;
	int err = c->err;
	char lost[128] = "";

	if (!libroc_changes_restorable(&p->changes, p->writes, outcome, size))
		return;
	c->err = 0;
	note_lost(p, libroc_changes_restore(&p->changes, written), "registers", lost, sizeof(lost));
	if (p->pon_begun) {
		libroc_pass_modify(c, CRU_BAR_CARD, CRU_ONU_CONTROL, CRU_ONU_CONTROL_ADDRESS,
				   libroc_to_mask(CRU_ONU_CONTROL_ADDRESS, p->onu_address));
		note_lost(p, libroc_onu_address(c) == p->onu_address, "ONU address", lost,
			  sizeof(lost));
	}
	if (p->clock_begun)
		note_lost(p, restore_clock(p, err), "clock", lost, sizeof(lost));
	c->err = err;
	p->result->restored = !lost[0];
	if (lost[0])
		snprintf(outcome, size, "not put back: %s; configure the card again", lost);
	else
		snprintf(outcome, size, "what had been written was put back as it was");
}

static uint32_t target_links(const struct libroc_state *state)
{
	uint32_t mask = 0;
	unsigned int l;

	for (l = 0; l < ROC_CRU_LINKS; l++)
		mask |= (uint32_t)state->links[l].enabled << l;
	return mask;
}

static void read_state(struct pass *p)
{
	enum roc_cru_clock clock = p->have.clock;

	libroc_state_read(&p->c, &p->have);
	p->have.clock = clock;
}

/* The links could not be read while their clock stood still. */
static void find_links_again(struct pass *p)
{
	struct libroc_pass *c = &p->c;

	if (libroc_cru_find_links(c, target_links(&p->target), NULL))
		return;
	c->cached = 0;
	read_state(p);
	compare_registers(p);
}

static void select_clock(struct pass *p)
{
	struct libroc_pass *c = &p->c;

	libroc_clock_select(c, p->target.clock, &p->clock_begun);
	if (!c->err && p->still)
		find_links_again(p);
	p->result->clock_programmed = !c->err;
}

static void write_all(struct pass *p)
{
	struct libroc_pass *c = &p->c;
	unsigned int written = 0;
	char reason[1024], outcome[192];

	p->result->reconfigured = true;
	p->writes = c->writes;
	/* The generator's state and a run enable that a crash left must not live on. */
	if (libroc_pass_read(c, CRU_BAR_CARD, CRU_USER_CONTROL) & CRU_USER_CONTROL_RUN)
		libroc_pass_modify(c, CRU_BAR_CARD, CRU_USER_CONTROL, CRU_USER_CONTROL_RUN, 0);
	if (p->clock && !c->err) {
		select_clock(p);
		/* Putting back would take the clock from that readout once more. */
		if (!c->err && libroc_pass_still_stopped(c))
			return;
	}
	if (p->pon && !c->err) {
		p->pon_begun = true;
		libroc_onu_connect(c, p->config->onu_address);
	}
	if (p->clock && !c->err)
		libroc_clock_finish(c);
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
	snprintf(reason, sizeof(reason), "%s", roc_error());
	restore(p, written, outcome, sizeof(outcome));
	libroc_changes_set_error(&p->changes, reason, outcome);
}

static int run(struct pass *p)
{
	struct libroc_pass *c = &p->c;
	bool needed;

	if (libroc_cru_find_links(c, target_links(&p->target), &p->still))
		return c->err;
	p->have.clock = p->target.clock;
	read_state(p);
	if (p->flags & ROC_CONFIG_FORCE || !libroc_clock_known(c, p->target.clock))
		p->have.clock = libroc_clock_read(c, &p->unfinished);
	p->unfinished |= libroc_clock_unfinished(c);
	compare_clock(p);
	p->clock_count = p->result->count;
	compare_registers(p);
	needed = p->result->count || p->flags & ROC_CONFIG_FORCE;
	if (c->err || !needed || p->flags & ROC_CONFIG_COMPARE_ONLY)
		return c->err;
	if (libroc_pass_need_stopped(c, "it cannot be configured"))
		return c->err;
	/* What is wrong with a file must not cost the links their clock. */
	if (p->clock && libroc_clock_check(c, p->target.clock))
		return c->err;
	write_all(p);
	return c->err;
}

int roc_cru_configure(struct roc_endpoint *ep, const struct roc_cru_config *config,
		      unsigned int flags, struct roc_config_result *result)
{
	struct roc_config_result unused;
	struct pass *p;
	int ret;

	if (!result)
		result = &unused;
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
		libroc_state_target(config, &p->target);
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
	libroc_cru_find_links(&c, 0, NULL);
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
