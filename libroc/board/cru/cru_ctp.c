// SPDX-License-Identifier: LGPL-2.1-or-later
/* Set up the CTP emulator, which generates triggers without the experiment. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "libroc_cru.h"

#define P(m) offsetof(struct roc_cru_ctp, m)
#define DIVIDER_OFF 5 /* too small for all three dividers, so it disables them */

static const char *const names[] = {"manual", "periodic", "continuous", "fixed", "hc", "cal"};

static const struct libroc_value parameters[] = {
	LIBROC_VALUE("bcmax", LIBROC_CARD, CRU_CTP_BCMAX, 0xffffffff, P(bcmax),
		     .last = CRU_CTP_BCMAX_LAST),
	LIBROC_VALUE("hbmax", LIBROC_CARD, CRU_CTP_HBMAX, 0xffff, P(hbmax)),
	LIBROC_VALUE("hb-keep", LIBROC_CARD, CRU_CTP_PRESCALER, CRU_CTP_PRESCALER_KEEP, P(hb_keep),
		     .first = 2),
	LIBROC_VALUE("hb-drop", LIBROC_CARD, CRU_CTP_PRESCALER,
		     0xffffu << CRU_CTP_PRESCALER_DROP_SHIFT, P(hb_drop), .first = 2),
};

static const struct libroc_value orbit[] = {
	LIBROC_VALUE("init-orbit", LIBROC_CARD, CRU_CTP_INIT_ORBIT, 0xffffffff, P(init_orbit)),
};

/* Divider of each mode, its range that triggers, and the card's run mode */
static const struct mode {
	uint32_t divider; /* 0: none */
	uint32_t first;
	uint32_t run;
} modes[] = {
	[ROC_CRU_CTP_MANUAL] = {0, 0, CRU_CTP_MANUAL},
	[ROC_CRU_CTP_PERIODIC] = {CRU_CTP_PHYSDIV, CRU_CTP_PHYSDIV_OFF + 1, CRU_CTP_PERIODIC},
	[ROC_CRU_CTP_CONTINUOUS] = {0, 0, CRU_CTP_CONTINUOUS},
	[ROC_CRU_CTP_FIXED] = {0, 0, CRU_CTP_PERIODIC},
	[ROC_CRU_CTP_HC] = {CRU_CTP_HCDIV, CRU_CTP_HCDIV_OFF + 1, CRU_CTP_PERIODIC},
	[ROC_CRU_CTP_CAL] = {CRU_CTP_CALDIV, CRU_CTP_CALDIV_OFF + 1, CRU_CTP_PERIODIC},
};

static const uint32_t dividers[] = {CRU_CTP_PHYSDIV, CRU_CTP_HCDIV, CRU_CTP_CALDIV};

_Static_assert(ROC_CRU_CTP_FIXED_BCS == CRU_CTP_FIXED_BCS, "slots of the card");

const char *roc_cru_ctp_mode_name(enum roc_cru_ctp_mode mode)
{
	return mode < LIBROC_COUNT(names) ? names[mode] : "N/A";
}

void roc_cru_ctp_default(struct roc_cru_ctp *ctp)
{
	*ctp = (struct roc_cru_ctp){
		.mode = ROC_CRU_CTP_PERIODIC,
		.bcmax = CRU_CTP_BCMAX_LAST,
		.hbmax = CRU_TIME_FRAME_LENGTH_DEFAULT - 1,
		.hb_keep = 15000,
		.hb_drop = 15000,
		.divider = 8,
	};
}

/*
 * Convert a bunch crossing to the value of a slot. The card triggers two crossings after that
 * value, so it is two crossings earlier, modulo the orbit of bcmax + 1 crossings. 0 disables the
 * slot.
 */
static uint32_t two_early(const struct roc_cru_ctp *ctp, uint32_t bc)
{
	return bc ? (bc + ctp->bcmax - 1) % (ctp->bcmax + 1) : 0;
}

int roc_cru_ctp_check(const struct roc_cru_ctp *ctp)
{
	bool fixed = ctp->mode == ROC_CRU_CTP_FIXED;
	uint32_t last = fixed ? ctp->bcmax : CRU_CTP_BCMAX_LAST;
	const struct mode *m;
	unsigned int i;
	int ret;

	if (ctp->mode >= LIBROC_COUNT(modes))
		return roc_fail(ERANGE, "CTP emulator: unknown mode %u", ctp->mode);
	ret = libroc_values_check("CTP emulator", parameters, LIBROC_COUNT(parameters), ctp);
	if (ret)
		return ret;
	m = &modes[ctp->mode];
	if (m->divider && (ctp->divider < m->first || ctp->divider > CRU_CTP_DIV_MASK))
		return roc_fail(
			ERANGE,
			"CTP emulator: the divider is %u, but in mode %s must be from %u to %u",
			ctp->divider, names[ctp->mode], m->first, CRU_CTP_DIV_MASK);
	for (i = 0; i < CRU_CTP_FIXED_BCS; i++) {
		uint32_t bc = ctp->fixed_bc[i];

		if (bc > last)
			return roc_fail(
				ERANGE,
				"CTP emulator: bunch crossing %u does not exist: the last is %u",
				bc, last);
		if (fixed && bc && !two_early(ctp, bc))
			return roc_fail(
				ERANGE,
				"CTP emulator: bunch crossing %u cannot be fixed, because its slot value is 0, which disables the slot",
				bc);
	}
	return 0;
}

static void set_run_mode(struct libroc_pass *c, uint32_t mode)
{
	libroc_pass_modify(c, CRU_BAR_CARD, CRU_CTP_RUN_MODE, CRU_CTP_MODE, CRU_CTP_IDLE);
	libroc_pass_modify(c, CRU_BAR_CARD, CRU_CTP_RUN_MODE, CRU_CTP_MODE, mode);
}

int roc_cru_ctp_start(struct roc_endpoint *ep, const struct roc_cru_ctp *ctp)
{
	const struct mode *m;
	struct libroc_pass c;
	unsigned int i;
	int ret;

	ret = roc_cru_ctp_check(ctp);
	if (ret)
		return ret;
	ret = libroc_cru_begin(ep, &c, true);
	if (ret)
		return ret;
	m = &modes[ctp->mode];
	libroc_pass_write(&c, CRU_BAR_CARD, CRU_CTP_RUN_MODE, CRU_CTP_IDLE);
	libroc_pass_modify(&c, CRU_BAR_CARD, CRU_CTP_CONTROL, CRU_CTP_CONTROL_RESET,
			   CRU_CTP_CONTROL_RESET);
	libroc_values_write(&c, "CTP emulator", orbit, LIBROC_COUNT(orbit), ctp);
	for (i = 0; i < LIBROC_COUNT(dividers); i++)
		libroc_pass_write(&c, CRU_BAR_CARD, dividers[i],
				  dividers[i] == m->divider ? ctp->divider : DIVIDER_OFF);
	for (i = 0; i < CRU_CTP_FIXED_BCS; i++)
		libroc_pass_write(&c, CRU_BAR_CARD, CRU_CTP_FIXED_BC,
				  ctp->mode == ROC_CRU_CTP_FIXED ? two_early(ctp, ctp->fixed_bc[i])
								 : 0);
	set_run_mode(&c, m->run);
	libroc_values_write(&c, "CTP emulator", parameters, LIBROC_COUNT(parameters), ctp);
	/* After an error, leave the emulator idle: it must not trigger with a partial set-up. */
	if (c.err)
		libroc_pass_modify_anyway(&c, CRU_BAR_CARD, CRU_CTP_RUN_MODE, CRU_CTP_MODE,
					  CRU_CTP_IDLE);
	libroc_pass_modify_anyway(&c, CRU_BAR_CARD, CRU_CTP_CONTROL, CRU_CTP_CONTROL_RESET, 0);
	return libroc_pass_end(&c);
}

int roc_cru_ctp_stop(struct roc_endpoint *ep)
{
	struct libroc_pass c;
	int ret;

	ret = libroc_cru_begin(ep, &c, true);
	if (ret)
		return ret;
	libroc_pass_modify(&c, CRU_BAR_CARD, CRU_CTP_RUN_MODE, CRU_CTP_MODE, CRU_CTP_IDLE);
	return libroc_pass_end(&c);
}

int roc_cru_ctp_trigger(struct roc_endpoint *ep)
{
	struct libroc_pass c;
	uint32_t mode;
	int ret;

	ret = libroc_cru_begin(ep, &c, true);
	if (ret)
		return ret;
	mode = libroc_pass_read(&c, CRU_BAR_CARD, CRU_CTP_RUN_MODE) & CRU_CTP_MODE;
	if (!c.err && mode != CRU_CTP_MANUAL)
		libroc_pass_fail(
			&c,
			roc_fail(
				EINVAL,
				"%s: cannot trigger, because the CTP emulator is not in manual mode: start it in manual mode first",
				roc_endpoint_name(ep)));
	libroc_pass_pulse(&c, CRU_BAR_CARD, CRU_CTP_RUN_MODE, CRU_CTP_TRIGGER);
	return libroc_pass_end(&c);
}

int roc_cru_ctp_running(struct roc_endpoint *ep, bool *running)
{
	struct libroc_pass c;
	uint32_t mode;
	int ret;

	ret = libroc_cru_begin(ep, &c, false);
	if (ret)
		return ret;
	mode = libroc_pass_read(&c, CRU_BAR_CARD, CRU_CTP_RUN_MODE) & CRU_CTP_MODE;
	ret = libroc_pass_end(&c);
	if (!ret)
		*running = mode != CRU_CTP_IDLE;
	return ret;
}
