// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Common part of the configuration passes: collect differences and changes, write the changes, and
 * restore the registers if one does not read back.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <roc/firmware.h>

#include "libroc_pass.h"

static int check_firmware(struct roc_endpoint *ep, const struct roc_ep_info *info)
{
	struct roc_firmware_list *list;
	char reason[960];
	int ret;

	ret = roc_firmware_open(NULL, &list);
	if (ret)
		return ret;
	ret = roc_firmware_check(list, info->card_type, info->firmware);
	roc_firmware_close(list);
	if (ret) {
		snprintf(reason, sizeof(reason), "%s", roc_error());
		roc_fail(-ret, "%s: %s", roc_endpoint_name(ep), reason);
	}
	return ret;
}

int libroc_config_begin(struct roc_endpoint *ep, enum roc_card_type type, unsigned int flags)
{
	struct roc_ep_info info;
	struct libroc_pass c;
	int ret;

	if (flags & ~(ROC_CONFIG_FORCE | ROC_CONFIG_ANY_FIRMWARE | ROC_CONFIG_COMPARE_ONLY))
		return roc_fail(EINVAL, "%s: unknown flags 0x%x for a configuration",
				roc_endpoint_name(ep), flags);
	ret = libroc_pass_begin(ep, &c, type, false, &info);
	if (!ret && !(flags & ROC_CONFIG_ANY_FIRMWARE))
		ret = check_firmware(ep, &info);
	return ret;
}

/* Format a value as in configuration files if a parameter has its name, otherwise as a number. */
static void value_text(const struct libroc_params *first, const struct libroc_params *second,
		       const struct libroc_value *v, uint32_t value, char *text, size_t size)
{
	const struct libroc_param *p;
	char key[32];

	snprintf(key, sizeof(key), "%.*s", (int)strcspn(v->name, " "), v->name);
	p = libroc_param_find(first, key);
	if (!p)
		p = libroc_param_find(second, key);
	if (p)
		libroc_param_text(p, value, text, size);
	else
		snprintf(text, size, "0x%x", value);
}

struct roc_config_difference *libroc_difference(struct roc_config_result *r)
{
	if (r->count == ROC_CONFIG_DIFFERENCES_MAX)
		return &r->diffs[ROC_CONFIG_DIFFERENCES_MAX - 1];
	return &r->diffs[r->count++];
}

void libroc_difference_add(struct roc_config_result *r, const char *section,
			   const struct libroc_params *first, const struct libroc_params *second,
			   const struct libroc_value *v, uint32_t target, uint32_t have)
{
	struct roc_config_difference *d = libroc_difference(r);

	snprintf(d->name, sizeof(d->name), "%.8s.%.30s", section, v->name);
	value_text(first, second, v, target, d->wanted, sizeof(d->wanted));
	value_text(first, second, v, have, d->have, sizeof(d->have));
}

void libroc_change_add(struct libroc_changes *changes, const char *section,
		       const struct libroc_value *v, unsigned int link, uint32_t target)
{
	struct libroc_change *change = &changes->list[changes->count];

	if (changes->count == LIBROC_CHANGES_MAX)
		return;
	change->at = changes->c->where(changes->c, v, link);
	change->target = libroc_to_mask(change->at.mask, target);
	change->nonzero = v->kind == LIBROC_BOOL && change->at.mask == 0xffffffff && target;
	snprintf(change->name, sizeof(change->name), "%.8s.%.38s", section, v->name);
	changes->count++;
}

static bool reads_back(const struct libroc_change *change, uint32_t word)
{
	if (change->nonzero)
		return word;
	return (word & change->at.mask) == change->target;
}

static void fail_read_back(struct libroc_changes *changes, const struct libroc_change *change,
			   uint32_t word)
{
	struct roc_config_result *r = changes->result;

	snprintf(r->register_name, sizeof(r->register_name), "%s", change->name);
	r->bar = change->at.bar;
	r->offset = change->at.offset;
	r->wanted = change->target;
	r->got = word & change->at.mask;
	libroc_pass_fail(changes->c, -EBADMSG);
}

unsigned int libroc_changes_apply(struct libroc_changes *changes)
{
	struct libroc_pass *c = changes->c;
	unsigned int i;

	for (i = 0; i < changes->count && !c->err; i++) {
		struct libroc_change *change = &changes->list[i];
		uint32_t word;

		change->before = libroc_pass_modify(c, change->at.bar, change->at.offset,
						    change->at.mask, change->target);
		/* The modify failed, so there is no previous value to restore. */
		if (c->err)
			break;
		word = libroc_pass_read(c, change->at.bar, change->at.offset);
		if (!c->err && !reads_back(change, word))
			fail_read_back(changes, change, word);
	}
	return i;
}

bool libroc_changes_restore(struct libroc_changes *changes, unsigned int written)
{
	struct libroc_pass *c = changes->c;
	int err = c->err;
	bool right = true;

	while (written-- > 0) {
		const struct libroc_change *change = &changes->list[written];
		uint32_t old = change->before & change->at.mask, word;

		c->err = 0;
		libroc_pass_modify(c, change->at.bar, change->at.offset, change->at.mask, old);
		word = libroc_pass_read(c, change->at.bar, change->at.offset);
		right &= !c->err && (word & change->at.mask) == old;
	}
	c->err = err;
	return right;
}

bool libroc_changes_restorable(struct libroc_changes *changes, unsigned int writes, char *outcome,
			       size_t size)
{
	struct libroc_pass *c = changes->c;

	changes->result->restored = c->writes == writes;
	if (changes->result->restored) {
		snprintf(outcome, size, "nothing was written");
		return false;
	}
	/*
	 * Restoring would change the clock and registers of a readout that was started meanwhile.
	 */
	if (roc_card_running(c->ep) > 0) {
		snprintf(
			outcome, size,
			"nothing was restored, because readout was started meanwhile: stop it and configure the card again");
		return false;
	}
	return true;
}

void libroc_changes_set_error(const struct libroc_changes *changes, const char *reason,
			      const char *outcome)
{
	const struct roc_config_result *r = changes->result;
	const struct libroc_pass *c = changes->c;

	if (c->err != -EBADMSG || !r->register_name[0]) {
		roc_fail(-c->err, "%.800s (%s)", reason, outcome);
		return;
	}
	roc_fail(EBADMSG, "%s: register 0x%x of BAR %u (%s) was written 0x%x and reads 0x%x (%s)",
		 roc_endpoint_name(c->ep), r->offset, r->bar, r->register_name, r->wanted, r->got,
		 outcome);
}
