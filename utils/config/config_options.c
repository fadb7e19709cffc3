// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of roc-config. libroc checks the values as it checks those of files, so that an option
 * and a key of a file accept the same values.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "utils/common/tool.h"

#define AT(member) .offset = offsetof(struct config_values, member)
#define TEXT(option_name, member, option_arg, text_help)                                           \
	{                                                                                          \
		.name = (option_name), .type = OPTION_TEXT, AT(member), .arg = (option_arg),       \
		.help = (text_help), .full = true                                                  \
	}
#define FLAG(option_name, member, text)                                                            \
	FULL_FLAG_OPTION(struct config_values, option_name, member, text)

const struct option_spec config_options[CONFIG_OPTIONS] = {
	TEXT("id", id, "ID", "Select the card"),
	FLAG("config-all", all, "Configure all cards of the type that the file is for"),
	TEXT("config-uri", uri, "URI",
	     "Read the configuration from a file: PATH, ini://PATH or json://PATH"),
	FLAG("from-card", from_card,
	     "Start from the configuration of the card instead of the defaults"),
	TEXT("set", set, "LIST", "Set parameters as a comma-separated list of SECTION.KEY=VALUE"),
	FLAG("force-config", force, "Write all registers even if the card is already configured"),
	FLAG("bypass-fw-check", any_firmware, "Accept any firmware"),
	FLAG("compare", compare, "Write nothing; report the differences"),
	TEXT("status-report", status_report, "FILE",
	     "Write a status report to stdout or a file; +FILE appends; %t, %T, %i are expanded"),
	TEXT("gen-cfg-file", gen_cfg_file, "FILE",
	     "Write a configuration file instead of configuring the card; JSON if it ends in .json"),
	JSON_OPTION(struct config_values),
	TEXT("clock", text[CONFIG_CLOCK], "SOURCE",
	     "Select the clock: LOCAL or TTC (default LOCAL)"),
	TEXT("datapathmode", text[CONFIG_DATAPATHMODE], "MODE",
	     "Select the datapath mode: PACKET or STREAMING (default PACKET)"),
	TEXT("downstreamdata", text[CONFIG_DOWNSTREAMDATA], "DATA",
	     "Select the downstream data: CTP, PATTERN or MIDTRG (default CTP)"),
	TEXT("gbtmode", text[CONFIG_GBTMODE], "MODE",
	     "Select the GBT mode of the receivers: GBT or WB (default GBT)"),
	TEXT("gbtmux", text[CONFIG_GBTMUX], "MUX",
	     "Select the multiplexer of all links: TTC, DDG, SWT, TTCUP or UL (default TTC)"),
	{.name = "links",
	 .type = OPTION_LINKS,
	 AT(links),
	 .arg = "LIST",
	 .max = ROC_CRU_LINKS - 1,
	 .full = true,
	 .help = "Enable these links and disable all others (default 0)"},
	TEXT("cru-id", text[CONFIG_CRU_ID], "HEX",
	     "Set the CRU id in headers, 12 bits (default 0x0)"),
	TEXT("system-id", text[CONFIG_SYSTEM_ID], "HEX",
	     "Set the system id in headers, 8 bits (default 0x0)"),
	TEXT("fee-id", text[CONFIG_FEE_ID], "HEX",
	     "Set the FEE id in headers for all links, 16 bits (default 0x0)"),
	TEXT("onu-address", text[CONFIG_ONU_ADDRESS], "N",
	     "Set the address on the PON (0..255, default 0)"),
	TEXT("trigger-window-size", text[CONFIG_TRIGGER_WINDOW_SIZE], "N",
	     "Set the trigger window in GBT words (0..65535, default 1000)"),
	TEXT("tf-length", text[CONFIG_TF_LENGTH], "N",
	     "Set the orbits per time frame (0..4095, C-RORC 0..256, default 256)"),
	FLAG("allow-rejection", flag[CONFIG_ALLOW_REJECTION],
	     "Allow the rejection of heartbeat frames"),
	FLAG("loopback", flag[CONFIG_LOOPBACK], "Loop the links back"),
	FLAG("pon-upstream", flag[CONFIG_PON_UPSTREAM], "Require a working PON upstream"),
	FLAG("dyn-offset", flag[CONFIG_DYN_OFFSET],
	     "Pack packets instead of storing one per 8 KiB"),
	FLAG("no-gbt", flag[CONFIG_NO_GBT], "Disable all links"),
	FLAG("user-logic", flag[CONFIG_USER_LOGIC], "Enable the user logic"),
	FLAG("run-stats", flag[CONFIG_RUN_STATS], "Enable the run statistics"),
	FLAG("user-and-common-logic", flag[CONFIG_USER_AND_COMMON_LOGIC],
	     "Enable the links in addition to the user logic"),
	FLAG("drop-bad-rdh", flag[CONFIG_DROP_BAD_RDH], "Drop packets with corrupt headers"),
	TEXT("crorc-id", text[CONFIG_CRORC_ID], "HEX",
	     "C-RORC: set the id in headers, 12 bits (default 0x0)"),
	FLAG("no-tf-detection", flag[CONFIG_NO_TF_DETECTION],
	     "C-RORC: do not start a superpage with each time frame"),
};

/* Return the option name of a parameter, for messages. */
static const char *option_of(unsigned int parameter)
{
	size_t text = offsetof(struct config_values, text[0]) + parameter * sizeof(const char *);
	size_t flag = offsetof(struct config_values, flag[0]) + parameter * sizeof(bool);
	size_t i;

	for (i = 0; i < CONFIG_OPTIONS; i++)
		if (config_options[i].offset == text || config_options[i].offset == flag)
			return config_options[i].name;
	return "?";
}

static bool given(const struct config_values *v, unsigned int parameter)
{
	return v->text[parameter] || v->flag[parameter];
}

int config_check_options(const struct config_values *v)
{
	const struct roc_card any = {.pci_address = "0000:00:00.0"};
	const char *report = v->status_report;
	char name[CONFIG_REPORT_NAME_MAX];
	enum roc_card_type type;

	if (v->all && v->id)
		return tool_usage("--id and --config-all are mutually exclusive.");
	if (v->from_card && v->uri)
		return tool_usage("--from-card and --config-uri are mutually exclusive.");
	if (v->all && !v->uri && !v->from_card)
		return tool_usage("--config-all needs --config-uri or --from-card.");
	if (!v->all && !v->id && (!v->gen_cfg_file || v->from_card))
		return tool_usage("--id is missing. Example: roc-config --id=3b:00.0 --links=0-3");
	if (v->gen_cfg_file && (v->all || v->compare || v->force || v->json || report))
		return tool_usage(
			"--gen-cfg-file does not access the card and cannot be combined with --config-all, --compare, --force-config, --json or --status-report.");
	if (v->compare && v->force)
		return tool_usage("--compare and --force-config are mutually exclusive.");
	if (report && !strcmp(report, "infologger"))
		return tool_usage(
			"--status-report: infologger is not supported; use stdout and pipe it there.");
	if (report && v->json && !strcmp(report, "stdout"))
		return tool_usage(
			"--status-report=stdout cannot be combined with --json: use a file.");
	if (report && v->all && strcmp(report, "stdout") && *report != '+' && !strstr(report, "%i"))
		return tool_usage(
			"--status-report: with --config-all the name must contain %%i or start with +, so that the reports of the cards do not overwrite each other.");
	if (report && strcmp(report, "stdout") &&
	    !config_report_name(report, &any, 0, name, sizeof(name)))
		return tool_usage(
			"--status-report: \"%s\" is too long, or has a %% that is not followed by t, T, i or %%.",
			report);
	if (v->uri && roc_config_card(v->uri, &type) == -EOPNOTSUPP)
		return tool_usage("--config-uri: %s", roc_error());
	return TOOL_OK;
}

const struct card_type *config_card(const struct config_ops *ops)
{
	const struct card_type *card;

	for (card = card_types; card->config != ops; card++)
		;
	return card;
}

/* Return the first card type, unless an option was given that only another one has. */
static const struct config_ops *by_parameters(const struct config_values *v)
{
	const struct config_ops *first = NULL;
	const struct card_type *card;
	unsigned int i;

	for (card = card_types; card->type; card++) {
		if (!first)
			first = card->config;
		for (i = 0; card->config && i < CONFIG_PARAMETERS; i++)
			if (given(v, i) && card->config->places[i].section &&
			    !first->places[i].section)
				return card->config;
	}
	return first;
}

int config_choose(const struct config_values *v, const struct config_ops **ops)
{
	const struct card_type *found;
	enum roc_card_type type;
	struct roc_card card;
	int code;

	if (v->id) {
		code = card_find(v->id, &card, &found);
		if (code)
			return code;
		*ops = found->config;
		if (!*ops)
			return tool_fail("%s is %s, which roc-config does not support: use %s set.",
					 card_called(&card, v->id), found->name, found->tool);
	} else if (v->uri) {
		if (roc_config_card(v->uri, &type))
			return tool_fail("%s", roc_error());
		*ops = card_type_find(type)->config;
	} else {
		*ops = by_parameters(v);
	}
	return TOOL_OK;
}

int config_base(const struct config_values *v, const struct config_ops *ops,
		union config_any *config)
{
	ops->defaults(config, v->uri != NULL);
	if (v->uri && ops->load(v->uri, config))
		return tool_fail("%s", roc_error());
	return TOOL_OK;
}

/*
 * Return the text of parameter @i. A flag stands for the value that the card type with this flag
 * defines.
 */
static const char *text_of(const struct config_values *v, const struct config_ops *ops,
			   unsigned int i)
{
	const char *value = ops->places[i].value;
	const struct card_type *card;

	for (card = card_types; card->type && !value; card++)
		value = card->config ? card->config->places[i].value : NULL;
	return value ? value : v->text[i];
}

/* Find another card type that accepts @value for parameter @i; NULL: none. */
static const struct card_type *other_card_with(const struct config_ops *ops, unsigned int i,
					       const struct config_place *place, const char *value)
{
	const struct config_place *its;
	const struct card_type *card;
	union config_any any;

	for (card = card_types; card->type; card++) {
		if (!card->config || card->config == ops)
			continue;
		its = i < CONFIG_PARAMETERS ? &card->config->places[i] : place;
		card->config->defaults(&any, false);
		if (its->section && !card->config->set(&any, its->section, its->key, value))
			return card;
	}
	return NULL;
}

/*
 * Set a parameter. A value that no card type accepts is wrong usage; one that only other card types
 * accept is a failure. @i: the parameter at @place; CONFIG_PARAMETERS: @place is the same for all
 * card types. Return an exit code.
 */
static int set_parameter(const char *option, const struct config_ops *ops, unsigned int i,
			 const struct config_place *place, const char *value,
			 union config_any *config)
{
	const struct card_type *other = other_card_with(ops, i, place, value);

	if (place->section && !ops->set(config, place->section, place->key, value))
		return TOOL_OK;
	if (!other)
		return tool_usage("--%s: %s", option, roc_error());
	if (place->section)
		return tool_fail("--%s: %s", option, roc_error());
	return tool_fail("--%s is only for %s; %s has no such parameter.", option, other->name,
			 config_card(ops)->name);
}

/* Apply "section.key=value,...". Return an exit code. */
static int apply_list(const char *list, const struct config_ops *ops, union config_any *config)
{
	char copy[1024], *save, *word, *dot, *equal;
	struct config_place place = {0};
	int code;

	if (!list[strspn(list, ",")])
		return tool_usage("--set: \"%s\" has no parameter.", list);

	if (strlen(list) >= sizeof(copy))
		return tool_usage("--set: the list is longer than %zu characters.",
				  sizeof(copy) - 1);
	strcpy(copy, list);
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		dot = strchr(word, '.');
		equal = dot ? strchr(dot, '=') : NULL;
		if (!equal)
			return tool_usage(
				"--set: \"%s\" is not of the form SECTION.KEY=VALUE, as in link3.gbtMux=DDG.",
				word);
		*dot = *equal = '\0';
		place.section = word;
		place.key = dot + 1;
		code = set_parameter("set", ops, CONFIG_PARAMETERS, &place, equal + 1, config);
		if (code)
			return code;
	}
	return TOOL_OK;
}

int config_apply(const struct config_values *v, const struct config_ops *ops,
		 union config_any *config)
{
	unsigned int i;
	int code;

	for (i = 0; i < CONFIG_PARAMETERS; i++) {
		if (!given(v, i))
			continue;
		code = set_parameter(option_of(i), ops, i, &ops->places[i], text_of(v, ops, i),
				     config);
		if (code)
			return code;
	}
	if (v->links && !ops->links)
		return tool_fail("--links: the links of %s cannot be enabled or disabled.",
				 config_card(ops)->name);
	if (v->links)
		ops->set_links(config, v->links);
	return v->set ? apply_list(v->set, ops, config) : TOOL_OK;
}
