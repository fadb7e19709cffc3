// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-config: configure one card, or all cards of one type.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "utils/common/output.h"
#include "utils/common/tool.h"

#define LOCK_MS 15000 /* same limit as in the library */

static void record_error(struct config_outcome *o)
{
	o->failed = true;
	snprintf(o->reason, sizeof(o->reason), "%s", roc_error());
}

/* --from-card: hold the lock from reading the card until writing it. */
static int card_base(struct roc_endpoint *ep, const struct config_ops *ops,
		     struct config_outcome *o, union config_any *config)
{
	if (roc_card_lock(ep, LOCK_MS) || ops->read(ep, config)) {
		record_error(o);
		return TOOL_FAILED;
	}
	return TOOL_OK;
}

/* Configure one card. Return an exit code; @o also has a failure of the card, for the summary. */
static int configure(const struct config_values *v, const struct config_ops *ops,
		     const struct roc_card *card, const union config_any *base,
		     struct config_outcome *o)
{
	union config_any config = *base;
	unsigned int flags = 0;
	struct roc_endpoint *ep;
	int code = TOOL_OK, err = 0;
	sigset_t before;

	*o = (struct config_outcome){.card = *card, .compare = v->compare};
	if (v->force)
		flags |= ROC_CONFIG_FORCE;
	if (v->any_firmware)
		flags |= ROC_CONFIG_ANY_FIRMWARE;
	if (v->compare)
		flags |= ROC_CONFIG_COMPARE_ONLY;
	if (roc_open_card(card, v->id, &ep)) {
		record_error(o);
		return tool_fail("%s", o->reason);
	}
	if (v->from_card) {
		code = card_base(ep, ops, o, &config);
		if (code)
			tool_fail("%s", o->reason);
		else
			code = config_apply(v, ops, &config);
		if (code)
			goto out;
	}
	if (isatty(STDERR_FILENO) && !v->compare && ops->slow)
		tool_note("%s: configuring; a change of the clock takes about 10 s.",
			  card_called(card, v->id));
	/* Wait for the lock before signals are blocked: nothing has been written yet. */
	if (!v->from_card)
		err = roc_card_lock(ep, LOCK_MS);
	/* Do not end in the middle of a pass. Signals are delivered after it. */
	stop_block_signals(&before);
	if (!err)
		err = ops->configure(ep, &config, flags, &o->result);
	if (err) {
		record_error(o);
		code = tool_fail("%s%s", o->reason,
				 err == -EPERM && !v->any_firmware
					 ? " (--bypass-fw-check configures it anyway)"
					 : "");
	} else if (v->compare && o->result.count) {
		code = TOOL_FAILED;
	}
	roc_card_unlock(ep);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!v->json)
		config_text(stdout, o, v->common.verbose);
	if (!err && v->status_report && config_report(v->status_report, card, ep))
		code = TOOL_FAILED;
out:
	roc_close(ep);
	return code;
}

static int configure_one(const struct config_values *v, const struct config_ops *ops,
			 const union config_any *config)
{
	struct config_outcome *o = calloc(1, sizeof(*o));
	const struct card_type *found;
	struct roc_card card;
	int code;

	if (!o)
		return tool_fail("Cannot allocate the result of the configuration.");
	code = card_find(v->id, &card, &found);
	if (!code)
		code = configure(v, ops, &card, config, o);
	if (v->json && *o->card.pci_address && code != TOOL_USAGE)
		config_json(stdout, o, 1);
	free(o);
	return code;
}

/*
 * Configure all cards. A card that fails does not prevent the others from being configured; the
 * exit code reports it.
 */
static int configure_all(const struct config_values *v, const struct config_ops *ops,
			 const union config_any *config)
{
	struct config_outcome *outcomes = NULL;
	struct roc_card *cards = NULL;
	size_t count, i, done = 0;
	int code, one;

	code = cards_list(&cards, &count);
	if (code)
		return code;
	outcomes = calloc(count + 1, sizeof(*outcomes));
	if (!outcomes) {
		code = tool_fail("Cannot allocate the results of all cards.");
		goto out;
	}
	for (i = 0; i < count; i++) {
		if (cards[i].type != config_card(ops)->type) {
			tool_note("%s is %s and was skipped: the configuration is for %s.",
				  cards[i].pci_address, card_name(cards[i].type),
				  config_card(ops)->name);
			continue;
		}
		one = configure(v, ops, &cards[i], config, &outcomes[done++]);
		if (one > code)
			code = one;
		if (one == TOOL_USAGE)
			goto out;
	}
	if (!done)
		code = tool_fail("No card found that is %s.", config_card(ops)->name);
	else if (v->json)
		config_json(stdout, outcomes, done);
	else
		config_summary(stdout, outcomes, done, output_colours(stdout));
out:
	free(outcomes);
	free(cards);
	return code;
}

/* Write a configuration file from the defaults, a file or a card. */
static int generate(const struct config_values *v, const struct config_ops *ops,
		    union config_any *config)
{
	const struct card_type *found;
	struct roc_endpoint *ep;
	struct roc_card card;
	int code = TOOL_OK;

	if (v->from_card) {
		code = card_open(v->id, &card, &ep, &found);
		if (code)
			return code;
		if (ops->read(ep, config))
			code = tool_fail("%s", roc_error());
		roc_close(ep);
		if (!code)
			code = config_apply(v, ops, config);
	}
	if (!code && ops->save(v->gen_cfg_file, config))
		code = tool_fail("%s", roc_error());
	return code;
}

static int run(const void *p)
{
	const struct config_values *v = p;
	const struct config_ops *ops;
	union config_any config;
	int code;

	code = config_check_options(v);
	if (!code)
		code = config_choose(v, &ops);
	if (!code)
		code = config_base(v, ops, &config);
	/*
	 * Check the options before any card is opened, even if the card's own values are the base.
	 */
	if (!code)
		code = config_apply(v, ops, &config);
	if (!code && !v->from_card && ops->check(&config))
		code = tool_usage("%s", roc_error());
	if (code)
		return code;
	if (v->gen_cfg_file)
		return generate(v, ops, &config);
	return v->all ? configure_all(v, ops, &config) : configure_one(v, ops, &config);
}

const struct tool tool_config = {
	.name = "config",
	.summary = "Configure a card or all cards",
	.example = "--id=3b:00.0 --config-uri=ini:///etc/roc/cru.cfg",
	TOOL_OPTIONS(config_options, struct config_values),
	.run = run,
};
