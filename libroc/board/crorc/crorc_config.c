// SPDX-License-Identifier: LGPL-2.1-or-later
/* Configure a C-RORC: parameters, registers, files and the configuration pass. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libroc_crorc.h"

#define SECTION "crorc"
#define LASER_US 100000 /* maximum time until the laser is on */
#define LASER_STEP_US 1000

/* Existing templates have no crorcId, and no existing file has timeFrameDetection. */
static const struct libroc_param list[] = {
	LIBROC_PARAM("crorcId", LIBROC_P_HEX, roc_crorc_config, crorc_id, 0xfff, .optional = true),
	LIBROC_PARAM("dynamicOffset", LIBROC_P_BOOL, roc_crorc_config, dynamic_offset, 1),
	LIBROC_PARAM("timeFrameLength", LIBROC_P_DEC, roc_crorc_config, time_frame_length,
		     CRORC_CONFIG_B_LENGTH_MAX),
	LIBROC_PARAM("timeFrameDetection", LIBROC_P_BOOL, roc_crorc_config, time_frame_detection, 1,
		     .optional = true),
};

static const struct libroc_params params = {list, LIBROC_COUNT(list)};
static const struct libroc_params no_params;

#define C(m) offsetof(struct roc_crorc_config, m)

static const struct libroc_value values[] = {
	LIBROC_VALUE("dynamicOffset", LIBROC_CRORC_CARD, CRORC_CONFIG_A, CRORC_CONFIG_A_DYNAMIC,
		     C(dynamic_offset), .kind = LIBROC_BOOL),
	LIBROC_VALUE("crorcId", LIBROC_CRORC_CARD, CRORC_CONFIG_A, CRORC_CONFIG_A_ID, C(crorc_id)),
	LIBROC_VALUE("timeFrameLength", LIBROC_CRORC_CARD, CRORC_CONFIG_B, CRORC_CONFIG_B_LENGTH,
		     C(time_frame_length)),
	LIBROC_VALUE("timeFrameDetection", LIBROC_CRORC_CARD, CRORC_CONFIG_B, CRORC_CONFIG_B_DETECT,
		     C(time_frame_detection), .kind = LIBROC_BOOL),
};

void roc_crorc_config_default(struct roc_crorc_config *config)
{
	*config = (struct roc_crorc_config){
		.time_frame_length = CRORC_CONFIG_B_LENGTH_MAX,
		.time_frame_detection = true,
	};
}

int roc_crorc_config_set(struct roc_crorc_config *config, const char *section, const char *key,
			 const char *value)
{
	const struct libroc_param *p;
	uint32_t number;
	char reason[160];
	int ret;

	if (strcmp(section, SECTION))
		return roc_fail(ENOENT, "unknown section '%s': the only one is " SECTION, section);
	p = libroc_param_find(&params, key);
	if (!p)
		return roc_fail(ENOENT, "unknown key in section " SECTION ": '%s'", key);
	ret = libroc_param_parse(p, value, &number, reason, sizeof(reason));
	if (ret)
		return roc_fail(-ret, SECTION ".%s: %s", key, reason);
	libroc_param_put(p, config, number);
	return 0;
}

int roc_crorc_config_check(const struct roc_crorc_config *config)
{
	return libroc_params_check(SECTION, &params, config);
}

unsigned int roc_crorc_config_diff(const struct roc_crorc_config *target,
				   const struct roc_crorc_config *have,
				   struct roc_config_difference *diffs)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < params.count; i++)
		libroc_param_differ(SECTION, &list[i], libroc_param_get(&list[i], target),
				    libroc_param_get(&list[i], have), diffs, &n);
	return n;
}

static int section_number(const char *name)
{
	return strcmp(name, SECTION) ? -1 : 0;
}

static const struct libroc_params *section_params(unsigned int section)
{
	return &params;
}

static void put(void *config, unsigned int section, const struct libroc_param *p, uint32_t value)
{
	libroc_param_put(p, config, value);
}

static int check(const void *config)
{
	return roc_crorc_config_check(config);
}

const struct libroc_config_format libroc_crorc_format = {
	.type = ROC_CARD_CRORC,
	.card = "C-RORC",
	.sections = "there is only [" SECTION "]",
	.example = SECTION,
	.size = sizeof(struct roc_crorc_config),
	.section = section_number,
	.params = section_params,
	.put = put,
	.check = check,
};

static void write_config(struct libroc_config_writer *w, const void *config)
{
	libroc_config_section(w, SECTION, &params, config);
}

int roc_crorc_config_save(const char *uri, const struct roc_crorc_config *config)
{
	int ret = roc_crorc_config_check(config);

	return ret ? ret : libroc_config_save(uri, config, write_config);
}

int roc_crorc_config_read(struct roc_endpoint *ep, struct roc_crorc_config *config)
{
	struct roc_crorc_config now = {0};
	struct libroc_pass c;
	int ret;

	ret = libroc_crorc_begin(ep, &c, false);
	if (ret)
		return ret;
	libroc_values_read(&c, values, LIBROC_COUNT(values), 0, &now);
	ret = libroc_pass_end(&c);
	if (!ret)
		*config = now;
	return ret;
}

/* State of a call of roc_crorc_configure(), which allocates it */
struct pass {
	struct libroc_pass c;
	struct libroc_changes changes;
	bool laser; /* switch the laser on */
};

static bool laser_is_on(struct libroc_pass *c)
{
	return libroc_pass_read(c, CRORC_BAR_CARD, CRORC_LINK_STATUS) & CRORC_LINK_STATUS_LASER;
}

static void compare(struct pass *p, const struct roc_crorc_config *target, bool force)
{
	struct roc_config_result *result = p->changes.result;
	struct roc_crorc_config have = {0};
	size_t i;

	p->laser = !laser_is_on(&p->c);
	if (p->laser && !p->c.err) {
		struct roc_config_difference *d = libroc_difference(result);

		*d = (struct roc_config_difference){SECTION ".laser", "on", "off"};
	}
	libroc_values_read(&p->c, values, LIBROC_COUNT(values), 0, &have);
	for (i = 0; i < LIBROC_COUNT(values) && !p->c.err; i++) {
		uint32_t w = libroc_value_get(&values[i], target);
		uint32_t h = libroc_value_get(&values[i], &have);

		if (w != h)
			libroc_difference_add(result, SECTION, &params, &no_params, &values[i], w,
					      h);
		if (w != h || force)
			libroc_change_add(&p->changes, SECTION, &values[i], 0, w);
	}
}

static void switch_on(struct pass *p)
{
	struct roc_config_result *r = p->changes.result;
	struct libroc_pass *c = &p->c;
	unsigned int us;
	bool on;

	libroc_pass_write(c, CRORC_BAR_CARD, CRORC_I2C_COMMAND, CRORC_I2C_LASER_ON);
	on = laser_is_on(c);
	for (us = 0; us < LASER_US && !on && !c->err; us += LASER_STEP_US) {
		libroc_pass_sleep(c, LASER_STEP_US);
		on = laser_is_on(c);
	}
	if (on || c->err)
		return;
	snprintf(r->register_name, sizeof(r->register_name), SECTION ".laser");
	r->bar = CRORC_BAR_CARD;
	r->offset = CRORC_LINK_STATUS;
	r->wanted = CRORC_LINK_STATUS_LASER;
	r->got = 0;
	libroc_pass_fail(
		c,
		roc_fail(
			EBADMSG,
			"%s: the laser did not switch on within %u ms, and nothing was configured: check the optical modules",
			roc_endpoint_name(c->ep), LASER_US / 1000));
}

static void write_all(struct pass *p)
{
	struct roc_config_result *r = p->changes.result;
	struct libroc_pass *c = &p->c;
	unsigned int written, writes = c->writes;
	char reason[1024], outcome[192] = "all written registers were restored";

	r->reconfigured = true;
	if (p->laser)
		switch_on(p);
	if (c->err) {
		r->restored = true;
		return;
	}
	written = libroc_changes_apply(&p->changes);
	if (!c->err) {
		libroc_pass_still_stopped(c);
		return;
	}
	snprintf(reason, sizeof(reason), "%s", roc_error());
	if (libroc_changes_restorable(&p->changes, writes, outcome, sizeof(outcome))) {
		r->restored = libroc_changes_restore(&p->changes, written);
		if (!r->restored)
			snprintf(outcome, sizeof(outcome),
				 "not all registers could be restored: configure the card again");
	}
	libroc_changes_set_error(&p->changes, reason, outcome);
}

static void run(struct pass *p, const struct roc_crorc_config *config, unsigned int flags)
{
	bool force = flags & ROC_CONFIG_FORCE;

	compare(p, config, force);
	if (p->c.err || flags & ROC_CONFIG_COMPARE_ONLY || (!p->changes.result->count && !force))
		return;
	if (!libroc_pass_need_stopped(&p->c, "cannot configure the card"))
		write_all(p);
}

int roc_crorc_configure(struct roc_endpoint *ep, const struct roc_crorc_config *config,
			unsigned int flags, struct roc_config_result *result)
{
	struct roc_config_result unused;
	struct pass *p;
	int ret;

	if (!result)
		result = &unused;
	memset(result, 0, sizeof(*result));
	ret = roc_crorc_config_check(config);
	if (ret)
		return ret;
	p = calloc(1, sizeof(*p));
	if (!p)
		return roc_fail(ENOMEM, "cannot allocate the state of a configuration");
	p->changes.c = &p->c;
	p->changes.result = result;
	ret = libroc_config_begin(ep, ROC_CARD_CRORC, flags);
	if (!ret)
		ret = libroc_crorc_begin(ep, &p->c, true);
	if (!ret) {
		run(p, config, flags);
		ret = libroc_pass_end(&p->c);
		result->reads = p->c.reads;
		result->writes = p->c.writes;
	}
	free(p);
	return ret;
}
