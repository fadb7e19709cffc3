// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Configure a CRU: compare the card with the target configuration and write the differences.
 *
 * All checks precede the first write. Each register is read back after its write. If one differs,
 * all written registers are restored in reverse order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libroc_cru.h"

/* State of a call of roc_cru_configure(), which allocates it */
struct pass {
	struct libroc_pass c;
	const struct roc_cru_config *config;
	unsigned int flags;
	struct roc_config_result *result;
	struct libroc_state target, have;
	bool clock, pon;	     /* steps to do */
	bool half;		     /* TTC is selected, but is not the trigger source */
	bool unfinished;	     /* an earlier pass ended while it selected a clock */
	bool still;		     /* the clock of the GBT links has stopped */
	unsigned int clock_count;    /* number of differences of the clock, which come first */
	unsigned int writes;	     /* write count before the first change of the card */
	uint32_t onu_address;	     /* previous address; valid with pon */
	bool clock_begun, pon_begun; /* its registers may have been written */
	struct libroc_changes changes;
};

/*
 * Compare values. @skip: ignore values with these flags; @unreported: write values with these
 * flags, but do not report them as differences.
 */
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

	/*
	 * Only an interrupted pass leaves this state: it sets the PLLs first, then the trigger
	 * source.
	 */
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

/* Links to be disabled are handled as in existing software. */
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

/* This may be called again, and then drops the differences and changes of the previous call. */
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

/*
 * If @right is false or the pass has failed, append @what to the list of unrestored parts in @lost.
 */
static void note_lost(struct pass *p, bool right, const char *what, char *lost, size_t size)
{
	size_t used = strlen(lost);

	if (!right || p->c.err)
		snprintf(lost + used, size - used, "%s%s", used ? ", " : "", what);
	p->c.err = 0;
}

/*
 * Restore the clock. If the clock was selected again and the ONU did not come up, the PLLs are as
 * before, but the links have not been calibrated to them yet. After another failure the state of
 * the PLLs is unknown.
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
	/*
	 * An unfinished or stopped clock before this pass cannot be restored: the pass must be
	 * repeated.
	 */
	return right && !p->unfinished && !p->still;
}

/*
 * Restore the written registers. Errors of the restore do not replace the original one. @outcome:
 * resulting state of the card.
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
		snprintf(outcome, size, "not restored: %s; configure the card again", lost);
	else
		snprintf(outcome, size, "all written registers were restored");
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

/* Read the links, which could not be read while their clock was stopped. */
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
	/* Clear a run enable that a crashed program left, and the state of the generator. */
	if (libroc_pass_read(c, CRU_BAR_CARD, CRU_USER_CONTROL) & CRU_USER_CONTROL_RUN)
		libroc_pass_modify(c, CRU_BAR_CARD, CRU_USER_CONTROL, CRU_USER_CONTROL_RUN, 0);
	if (p->clock && !c->err) {
		select_clock(p);
		/* If readout runs, a restore would interrupt its clock once more. */
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
	/* Save the first error text: the restore may fail, too. */
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
	if (libroc_pass_need_stopped(c, "cannot configure the card"))
		return c->err;
	/* Check the files before anything stops the clock of the links. */
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
		return roc_fail(ENOMEM, "cannot allocate the state of a configuration");
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
