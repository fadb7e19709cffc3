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

#include <roc/firmware.h>

#include "libroc_cru.h"

/* Bits that have to change, or, when forced, bits that have to be written. */
struct change {
	struct libroc_where at;
	uint32_t wanted; /* in place */
	uint32_t before; /* word found, valid after the write */
	bool nonzero;	 /* any bit set will do */
	char name[48];
};

#define CHANGES_MAX 192

/* One call of roc_cru_configure(). On the heap of that call. */
struct pass {
	struct libroc_cru c;
	const struct roc_cru_config *config;
	unsigned int flags;
	struct roc_cru_config_result *result;
	struct libroc_state wanted, have;
	bool clock, pon;      /* to be done */
	uint32_t onu_address; /* before; valid with pon */
	unsigned int count;
	struct change changes[CHANGES_MAX];
};

static void name_of(char *name, size_t size, int link, const struct libroc_value *v)
{
	if (link < 0)
		snprintf(name, size, "cru.%.40s", v->name);
	else
		snprintf(name, size, "link%d.%.38s", link, v->name);
}

/* As files write it: by the parameter of that name, if there is one. */
static void value_text(const struct libroc_value *v, bool link, uint32_t value, char *text,
		       size_t size)
{
	char key[32];
	const struct libroc_param *p;

	snprintf(key, sizeof(key), "%.*s", (int)strcspn(v->name, " "), v->name);
	p = libroc_param_find(link, key);
	if (!p)
		p = libroc_param_find(false, key);
	if (p)
		libroc_param_text(p, value, text, size);
	else
		snprintf(text, size, "0x%x", value);
}

static struct roc_cru_difference *new_difference(struct pass *p)
{
	struct roc_cru_config_result *r = p->result;

	if (r->count == ROC_CRU_DIFFERENCES_MAX)
		return &r->diffs[ROC_CRU_DIFFERENCES_MAX - 1];
	return &r->diffs[r->count++];
}

static void add_difference(struct pass *p, int link, const struct libroc_value *v, uint32_t wanted,
			   uint32_t have)
{
	struct roc_cru_difference *d = new_difference(p);
	char name[48];

	name_of(name, sizeof(name), link, v);
	snprintf(d->name, sizeof(d->name), "%.39s", name);
	value_text(v, link >= 0, wanted, d->wanted, sizeof(d->wanted));
	value_text(v, link >= 0, have, d->have, sizeof(d->have));
}

static void compare(struct pass *p, const struct libroc_value *table, size_t n, int link,
		    const void *wanted, const void *have, bool enabled)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct libroc_value *v = &table[i];
		uint32_t w = libroc_value_get(v, wanted), h = libroc_value_get(v, have);
		struct change *change = &p->changes[p->count];

		if (v->flags & LIBROC_V_ENABLED && !enabled)
			continue;
		if (v->flags & LIBROC_V_UL && !p->wanted.user_logic)
			continue;
		if (w == h && !(p->flags & ROC_CRU_FORCE))
			continue;
		if (w != h && !(v->flags & LIBROC_V_QUIET && !enabled))
			add_difference(p, link, v, w, h);
		if (p->count == CHANGES_MAX)
			continue;
		change->at = libroc_value_where(&p->c, v, link < 0 ? 0 : link);
		change->wanted = libroc_to_mask(change->at.mask, w);
		change->nonzero = v->kind == LIBROC_BOOL && change->at.mask == 0xffffffff && w;
		name_of(change->name, sizeof(change->name), link, v);
		p->count++;
	}
}

static void compare_clock(struct pass *p)
{
	bool pon = p->config->pon_upstream && p->wanted.clock == ROC_CRU_CLOCK_TTC;
	bool ready = pon && libroc_onu_ready(&p->c, p->config->onu_address);

	if (p->wanted.clock != p->have.clock) {
		struct roc_cru_difference *d = new_difference(p);

		snprintf(d->name, sizeof(d->name), "cru.clock");
		snprintf(d->wanted, sizeof(d->wanted), "%s", roc_cru_clock_name(p->wanted.clock));
		snprintf(d->have, sizeof(d->have), "%s", roc_cru_clock_name(p->have.clock));
	}
	if (pon && !ready) {
		struct roc_cru_difference *d = new_difference(p);

		snprintf(d->name, sizeof(d->name), "cru.ponUpstream");
		snprintf(d->wanted, sizeof(d->wanted), "up at %u", p->config->onu_address);
		snprintf(d->have, sizeof(d->have), "no");
	}
	p->clock = p->wanted.clock != p->have.clock || p->flags & ROC_CRU_FORCE;
	p->pon = pon && (!ready || p->clock);
	if (p->pon)
		p->onu_address = libroc_onu_address(&p->c);
}

static void compare_all(struct pass *p)
{
	unsigned int l;

	compare_clock(p);
	compare(p, libroc_state_first, libroc_state_first_count, -1, &p->wanted, &p->have, true);
	for (l = 0; l < ROC_CRU_LINKS; l++)
		if (p->c.links & 1u << l)
			compare(p, libroc_state_links, libroc_state_links_count, l,
				&p->wanted.links[l], &p->have.links[l], p->wanted.links[l].enabled);
	compare(p, libroc_state_last, libroc_state_last_count, -1, &p->wanted, &p->have, true);
}

static bool reads_back(const struct change *change, uint32_t word)
{
	if (change->nonzero)
		return word;
	return (word & change->at.mask) == change->wanted;
}

static void fail_read_back(struct pass *p, const struct change *change, uint32_t word)
{
	struct roc_cru_config_result *r = p->result;

	snprintf(r->register_name, sizeof(r->register_name), "%s", change->name);
	r->bar = change->at.bar;
	r->offset = change->at.offset;
	r->wanted = change->wanted;
	r->got = word & change->at.mask;
	libroc_cru_fail(&p->c, -EBADMSG);
}

/* Returns how many were written, the one that failed included. */
static unsigned int apply(struct pass *p)
{
	unsigned int i;

	for (i = 0; i < p->count && !p->c.err; i++) {
		struct change *change = &p->changes[i];
		uint32_t word;

		change->before = libroc_cru_modify(&p->c, change->at.bar, change->at.offset,
						   change->at.mask, change->wanted);
		word = libroc_cru_read(&p->c, change->at.bar, change->at.offset);
		if (!p->c.err && !reads_back(change, word))
			fail_read_back(p, change, word);
	}
	return i;
}

/* Errors of putting back do not hide the one that made it necessary. */
static void restore(struct pass *p, unsigned int written, bool clock)
{
	struct libroc_cru *c = &p->c;
	int err = c->err;
	bool right = true;

	c->err = 0;
	while (written-- > 0) {
		const struct change *change = &p->changes[written];
		uint32_t old = change->before & change->at.mask, word;

		libroc_cru_modify(c, change->at.bar, change->at.offset, change->at.mask, old);
		word = libroc_cru_read(c, change->at.bar, change->at.offset);
		right &= !c->err && (word & change->at.mask) == old;
		c->err = 0;
	}
	if (p->pon) {
		libroc_cru_modify(c, CRU_BAR_CARD, CRU_ONU_CONTROL, CRU_ONU_CONTROL_ADDRESS,
				  libroc_to_mask(CRU_ONU_CONTROL_ADDRESS, p->onu_address));
		right &= libroc_onu_address(c) == p->onu_address && !c->err;
		c->err = 0;
	}
	if (clock && p->have.clock != p->wanted.clock) {
		libroc_clock_select(c, p->have.clock, p->config->gbt_enabled);
		right &= !c->err && libroc_clock_read(c) == p->have.clock;
		c->err = 0;
		libroc_cru_modify(c, CRU_BAR_CARD, CRU_TTC_DATA, CRU_TTC_DATA_CLOCK,
				  p->have.trigger_source);
		right &= !c->err;
	}
	c->err = err;
	p->result->restored = right;
}

static void say_read_back(struct pass *p)
{
	struct roc_cru_config_result *r = p->result;

	libroc_fail(EBADMSG,
		    "%s: register 0x%x of BAR %u (%s) was written 0x%x and reads 0x%x; what had "
		    "been written before %s",
		    p->c.ep->node, r->offset, r->bar, r->register_name, r->wanted, r->got,
		    r->restored ? "was put back as it was"
				: "could not all be put back: configure the card again");
}

static void write_all(struct pass *p)
{
	struct libroc_cru *c = &p->c;
	unsigned int written = 0;
	char why[1024];

	p->result->reconfigured = true;
	/* The generator's state and a run enable that a crash left must not live on. */
	if (libroc_cru_read(c, CRU_BAR_CARD, CRU_USER_CONTROL) & CRU_USER_CONTROL_RUN)
		libroc_cru_modify(c, CRU_BAR_CARD, CRU_USER_CONTROL, CRU_USER_CONTROL_RUN, 0);
	if (p->clock) {
		libroc_clock_select(c, p->wanted.clock, p->config->gbt_enabled);
		p->result->clock_programmed = !c->err;
	}
	if (p->pon && !c->err)
		libroc_onu_connect(c, p->config->onu_address);
	if (!c->err)
		libroc_cru_pulse(c, CRU_BAR_CARD, CRU_DATAPATH(c->e) + CRU_DATAPATH_GENERATOR,
				 CRU_DATAPATH_GENERATOR_RESET);
	if (!c->err)
		written = apply(p);
	if (!c->err)
		return;
	/* Putting back may fail too, and must not take away the sentence of the first failure. */
	snprintf(why, sizeof(why), "%s", roc_error());
	restore(p, written, p->clock);
	if (c->err == -EBADMSG && p->result->register_name[0])
		say_read_back(p);
	else
		libroc_fail(-c->err, "%.900s%s", why,
			    p->result->restored ? " (the card was put back as it was)" : "");
}

static int check_firmware(struct roc_endpoint *ep)
{
	struct roc_firmware_list *list;
	struct roc_ep_info info;
	int ret;

	ret = roc_info(ep, &info);
	if (ret)
		return ret;
	ret = roc_firmware_open(NULL, &list);
	if (ret)
		return ret;
	ret = roc_firmware_check(list, info.card_type, info.firmware);
	roc_firmware_close(list);
	return ret;
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
	struct libroc_cru *c = &p->c;
	bool needed;

	if (libroc_cru_find_links(c, wanted_links(&p->wanted)))
		return c->err;
	libroc_state_read(c, &p->have);
	p->have.clock = p->wanted.clock;
	if (p->flags & ROC_CRU_FORCE ||
	    !libroc_clock_known(c, p->wanted.clock, p->have.trigger_source))
		p->have.clock = libroc_clock_read(c);
	compare_all(p);
	needed = p->result->count || p->flags & ROC_CRU_FORCE;
	if (c->err || !needed || p->flags & ROC_CRU_COMPARE_ONLY)
		return c->err;
	if (libroc_cru_need_stopped(c, "it cannot be configured"))
		return c->err;
	write_all(p);
	return c->err;
}

int roc_cru_configure(struct roc_endpoint *ep, const struct roc_cru_config *config,
		      unsigned int flags, struct roc_cru_config_result *result)
{
	struct roc_cru_config_result unwanted;
	struct pass *p;
	int ret;

	if (!result)
		result = &unwanted;
	memset(result, 0, sizeof(*result));
	if (flags & ~(ROC_CRU_FORCE | ROC_CRU_ANY_FIRMWARE | ROC_CRU_COMPARE_ONLY))
		return libroc_fail(EINVAL, "%s: unknown flags 0x%x for a configuration", ep->node,
				   flags);
	ret = roc_cru_config_check(config);
	if (ret)
		return ret;
	p = calloc(1, sizeof(*p));
	if (!p)
		return libroc_fail_text(ENOMEM, "no memory for a configuration");
	ret = libroc_cru_begin(ep, &p->c, false);
	if (!ret && !(flags & ROC_CRU_ANY_FIRMWARE))
		ret = check_firmware(ep);
	if (!ret)
		ret = libroc_cru_begin(ep, &p->c, true);
	if (!ret) {
		p->config = config;
		p->flags = flags;
		p->result = result;
		libroc_state_wanted(config, &p->wanted);
		libroc_cru_fail(&p->c, run(p));
		ret = libroc_cru_end(&p->c);
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
	struct libroc_cru c;
	int ret;

	ret = libroc_cru_begin(ep, &c, true);
	if (ret)
		return ret;
	libroc_cru_find_links(&c, 0);
	libroc_state_read(&c, &state);
	state.clock = libroc_clock_read(&c);
	libroc_state_config(&state, &now);
	now.onu_address = libroc_onu_address(&c);
	now.pon_upstream = now.clock == ROC_CRU_CLOCK_TTC && libroc_onu_ready(&c, now.onu_address);
	ret = libroc_cru_end(&c);
	if (!ret)
		*config = now;
	return ret;
}
