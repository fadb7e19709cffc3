// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-ctp-emulator: start and stop the trigger emulator of a CRU, and send single triggers.
 */
#include "players.h"

#include <string.h>

#include "kmod/cards/cru/cru_regs.h"
#include "utils/common/card.h"
#include "utils/common/json.h"
#include "utils/common/numbers.h"
#include "utils/common/tool.h"

struct values {
	struct common_options common;
	const char *id;
	const char *fixed_bc;
	uint32_t bcmax, hbmax, hbdrop, hbkeep, init_orbit, divider;
	unsigned int mode; /* enum roc_cru_ctp_mode */
	bool eox;
	bool trigger;
	bool status;
	bool json;
};

static const char *const modes[] = {
	[ROC_CRU_CTP_MANUAL] = "manual",
	[ROC_CRU_CTP_PERIODIC] = "periodic",
	[ROC_CRU_CTP_CONTINUOUS] = "continuous",
	[ROC_CRU_CTP_FIXED] = "fixed",
	[ROC_CRU_CTP_HC] = "hc",
	[ROC_CRU_CTP_CAL] = "cal",
	NULL,
};

static const struct option_spec options[] = {
	FULL_ID_OPTION(struct values),
	{.name = "trigger-mode",
	 .full = true,
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct values, mode),
	 .arg = "MODE",
	 .fallback = "periodic",
	 .choices = modes,
	 .help = "Select the trigger mode"},
	{.name = "trigger-freq",
	 .full = true,
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, divider),
	 .arg = "TICKS",
	 .fallback = "8",
	 .help = "Set the clock ticks between two triggers"},
	{.name = "bcmax",
	 .full = true,
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, bcmax),
	 .arg = "N",
	 .fallback = "3563",
	 .help = "Set the last bunch crossing of an orbit"},
	{.name = "hbmax",
	 .full = true,
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, hbmax),
	 .arg = "N",
	 .fallback = "255",
	 .help = "Set the heartbeats per time frame minus 1"},
	{.name = "hbkeep",
	 .full = true,
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, hbkeep),
	 .arg = "N",
	 .fallback = "15000",
	 .help = "Set the number of heartbeats to accept"},
	{.name = "hbdrop",
	 .full = true,
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, hbdrop),
	 .arg = "N",
	 .fallback = "15000",
	 .help = "Set the number of heartbeats to reject after these"},
	{.name = "init-orbit",
	 .full = true,
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, init_orbit),
	 .arg = "N",
	 .fallback = "0",
	 .help = "Set the first orbit"},
	{.name = "fixed-bc",
	 .full = true,
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct values, fixed_bc),
	 .arg = "LIST",
	 .help = "Set up to 9 bunch crossings for mode fixed (1..3563)"},
	FULL_FLAG_OPTION(struct values, "eox", eox, "Send the end of run and stop"),
	FULL_FLAG_OPTION(struct values, "single-trigger", trigger,
			 "Send one trigger; the emulator must run in mode manual"),
	FLAG_OPTION(struct values, "status", status,
		    "Show whether the emulator runs, without changing it"),
	JSON_OPTION(struct values),
};

/* Parse "1,20,300" into slots. Return an exit code. */
static int parse_fixed(const char *list, struct roc_cru_ctp *ctp)
{
	char copy[256], *save, *word;
	unsigned int n = 0;
	uint64_t value;

	if (!list)
		return TOOL_OK;
	if (ctp->mode != ROC_CRU_CTP_FIXED)
		return tool_usage("--fixed-bc is only valid with --trigger-mode=fixed.");
	if (strlen(list) >= sizeof(copy))
		return tool_usage("--fixed-bc: the list is longer than 255 characters.");
	strcpy(copy, list);
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (n == ROC_CRU_CTP_FIXED_BCS)
			return tool_usage("--fixed-bc: more than %d bunch crossings.",
					  ROC_CRU_CTP_FIXED_BCS);
		if (number_value(word, &value) || !value || value > 3563)
			return tool_usage("--fixed-bc: \"%s\" is not a number from 1 to 3563.",
					  word);
		ctp->fixed_bc[n++] = (uint32_t)value;
	}
	return n ? TOOL_OK : tool_usage("--fixed-bc: the list is empty.");
}

static void print_parameters(struct json *j, const struct roc_cru_ctp *ctp)
{
	unsigned int i;

	json_text(j, "triggerMode", roc_cru_ctp_mode_name(ctp->mode));
	json_unsigned(j, "triggerFreq", ctp->divider);
	json_unsigned(j, "bcMax", ctp->bcmax);
	json_unsigned(j, "hbMax", ctp->hbmax);
	json_unsigned(j, "hbKeep", ctp->hb_keep);
	json_unsigned(j, "hbDrop", ctp->hb_drop);
	json_unsigned(j, "initOrbit", ctp->init_orbit);
	if (ctp->mode != ROC_CRU_CTP_FIXED)
		return;
	json_array(j, "fixedBc");
	for (i = 0; i < ROC_CRU_CTP_FIXED_BCS; i++) {
		if (ctp->fixed_bc[i])
			json_unsigned(j, NULL, ctp->fixed_bc[i]);
	}
	json_array_end(j);
}

void ctp_text(FILE *out, const struct ctp_report *r)
{
	fprintf(out, "The CTP emulator %s.\n", r->running ? "runs" : "is idle");
}

void ctp_json(FILE *out, const struct ctp_report *r)
{
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	json_text(&j, "action", r->action);
	json_bool(&j, "running", r->running);
	if (r->ctp)
		print_parameters(&j, r->ctp);
	json_object_end(&j);
}

static void print(const struct values *v, const struct roc_cru_ctp *ctp, bool running)
{
	const struct ctp_report r = {
		.action = v->status    ? "status"
			  : v->eox     ? "eox"
			  : v->trigger ? "single-trigger"
				       : "start",
		.running = running,
		.ctp = ctp,
	};

	if (v->json)
		ctp_json(stdout, &r);
	else if (v->status || v->common.verbose)
		ctp_text(stdout, &r);
}

/*
 * The source is set when the clock is selected, so a card with a local clock may still receive its
 * triggers from the PON.
 */
static void check_source(struct roc_endpoint *ep)
{
	uint32_t word;

	if (!roc_reg_read(ep, CRU_BAR_CARD, CRU_TTC_DATA, &word) &&
	    (word & CRU_TTC_DATA_CLOCK) != CRU_TTC_DATA_CLOCK_LOCAL)
		tool_note(
			"The card takes its triggers from the TTC-PON and not from this emulator: select its clock with roc-config --clock=LOCAL --force-config.");
}

static int run(const void *p)
{
	const struct values *v = p;
	struct roc_cru_ctp ctp;
	struct roc_endpoint *ep;
	struct roc_card card;
	bool running = false, start = !v->eox && !v->trigger && !v->status;
	int code, err = 0;

	if (v->eox + v->trigger + v->status > 1)
		return tool_usage("--eox, --single-trigger and --status are mutually exclusive.");
	roc_cru_ctp_default(&ctp);
	ctp.mode = (enum roc_cru_ctp_mode)v->mode;
	ctp.bcmax = v->bcmax;
	ctp.hbmax = v->hbmax;
	ctp.hb_keep = v->hbkeep;
	ctp.hb_drop = v->hbdrop;
	ctp.init_orbit = v->init_orbit;
	ctp.divider = v->divider;
	code = parse_fixed(v->fixed_bc, &ctp);
	if (code)
		return code;
	if (start && roc_cru_ctp_check(&ctp))
		return tool_usage("%s", roc_error());
	code = cru_open(v->id, &card, &ep);
	if (code)
		return code;
	if (v->eox)
		err = roc_cru_ctp_stop(ep);
	else if (v->trigger)
		err = roc_cru_ctp_trigger(ep);
	else if (start)
		err = roc_cru_ctp_start(ep, &ctp);
	if (!err && (v->trigger || start))
		check_source(ep);
	if (err || roc_cru_ctp_running(ep, &running))
		code = tool_fail("%s", roc_error());
	else
		print(v, start ? &ctp : NULL, running);
	roc_close(ep);
	return code;
}

const struct tool tool_ctp_emulator = {
	.name = "ctp-emulator",
	.summary = "Start and stop the trigger emulator of a card",
	.example = "--id=3b:00.0 --trigger-mode=continuous",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
