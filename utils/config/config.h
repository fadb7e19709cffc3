/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of roc-config: options, configurations, and the report of the outcome.
 */
#ifndef ROC_UTILS_CONFIG_H
#define ROC_UTILS_CONFIG_H

#include <roc/crorc.h>
#include <roc/cru.h>

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "utils/common/card.h"
#include "utils/common/options.h"

/* Parameters with an option of their own, in the order of the help text. */
enum config_parameter {
	CONFIG_CLOCK,
	CONFIG_DATAPATHMODE,
	CONFIG_DOWNSTREAMDATA,
	CONFIG_GBTMODE,
	CONFIG_GBTMUX,
	CONFIG_CRU_ID,
	CONFIG_SYSTEM_ID,
	CONFIG_FEE_ID,
	CONFIG_ONU_ADDRESS,
	CONFIG_TRIGGER_WINDOW_SIZE,
	CONFIG_TF_LENGTH,
	CONFIG_ALLOW_REJECTION,
	CONFIG_LOOPBACK,
	CONFIG_PON_UPSTREAM,
	CONFIG_DYN_OFFSET,
	CONFIG_NO_GBT,
	CONFIG_USER_LOGIC,
	CONFIG_RUN_STATS,
	CONFIG_USER_AND_COMMON_LOGIC,
	CONFIG_DROP_BAD_RDH,
	CONFIG_CRORC_ID,
	CONFIG_NO_TF_DETECTION,
	CONFIG_PARAMETERS
};

struct config_values {
	struct common_options common;
	const char *id;
	const char *uri;
	const char *set;
	const char *status_report;
	const char *gen_cfg_file;
	bool all;
	bool from_card;
	bool force;
	bool any_firmware;
	bool compare;
	bool json;
	uint32_t links;			     /* 0: not given */
	const char *text[CONFIG_PARAMETERS]; /* NULL: not given */
	bool flag[CONFIG_PARAMETERS];	     /* of parameters that are flags */
};

#define CONFIG_OPTIONS (CONFIG_PARAMETERS + 12) /* with those that are not parameters */

extern const struct option_spec config_options[CONFIG_OPTIONS];

/* A configuration of any card type. */
union config_any {
	struct roc_cru_config cru;
	struct roc_crorc_config crorc;
};

/* Section and key of an option's parameter in a configuration file. A flag sets @value. */
struct config_place {
	const char *section; /* NULL: this card type has no such parameter */
	const char *key;
	const char *value; /* NULL: the option has a value */
};

/* Configuration of one card type; referenced by cards.c. */
struct config_ops {
	struct config_place places[CONFIG_PARAMETERS];
	bool slow;	/* may take seconds */
	uint32_t links; /* links that can be enabled; 0: no --links */
	/* @file: defaults before a file is read. */
	void (*defaults)(union config_any *c, bool file);
	void (*set_links)(union config_any *c, uint32_t links);
	/* Functions of the library. */
	int (*set)(union config_any *c, const char *section, const char *key, const char *value);
	int (*check)(const union config_any *c);
	int (*load)(const char *uri, union config_any *c);
	int (*save)(const char *uri, const union config_any *c);
	int (*read)(struct roc_endpoint *ep, union config_any *c);
	int (*configure)(struct roc_endpoint *ep, const union config_any *c, unsigned int flags,
			 struct roc_config_result *result);
};

extern const struct config_ops config_cru, config_crorc;

/* Return the entry of cards.c with @ops. */
const struct card_type *config_card(const struct config_ops *ops);

/* Check which options can be combined. Return an exit code; a failure has been reported. */
int config_check_options(const struct config_values *v);

/*
 * Find the card type from the card, file or options, without changing anything. Return an exit
 * code.
 */
int config_choose(const struct config_values *v, const struct config_ops **ops);

/*
 * Set @config to its base, the file or the defaults, unless the card is the base. Return an exit
 * code.
 */
int config_base(const struct config_values *v, const struct config_ops *ops,
		union config_any *config);

/* Apply the options that were given to @config, unchecked. Return an exit code. */
int config_apply(const struct config_values *v, const struct config_ops *ops,
		 union config_any *config);

/* Outcome for one card. */
struct config_outcome {
	struct roc_card card;
	bool compare; /* nothing was to be written */
	bool failed;  /* see @reason */
	char reason[1024];
	struct roc_config_result result;
};

/* Return "configured", "configured already", "differs" or "failed". */
const char *config_word(const struct config_outcome *o);
void config_text(FILE *out, const struct config_outcome *o, bool verbose);
void config_summary(FILE *out, const struct config_outcome *o, size_t count, bool colours);
void config_json(FILE *out, const struct config_outcome *o, size_t count);

/*
 * Expand the name of a status report: %t seconds since 1970, %T local date and time, %i PCI
 * address, %%. Return false if it is too long or has another letter after a %.
 */
#define CONFIG_REPORT_NAME_MAX 512
bool config_report_name(const char *pattern, const struct roc_card *card, time_t now, char *name,
			size_t size);

/* Read the card and write its status report. Return an exit code. */
int config_report(const char *pattern, const struct roc_card *card, struct roc_endpoint *ep);

#endif
