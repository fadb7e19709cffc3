// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test how roc-config handles its options and signals, without a card: the linker replaces the
 * functions of the library.
 */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "child.h"
#include "utils/config/config.h"
#include "utils/tools.h"

static struct config_values v;
static union config_any any;
static const struct config_ops *ops = &config_cru; /* of the selected card type */
#define config (any.cru)

/* Parse up to three options and apply them. Return an exit code. */
static int apply(const char *a, const char *b, const char *c)
{
	char *argv[] = {"roc-config", (char *)a, (char *)b, (char *)c, NULL};
	int argc = 1, code;
	char reason[256];

	while (argv[argc])
		argc++;
	memset(&v, 0, sizeof(v));
	if (options_parse(tool_find("config"), argc, argv, &v, reason, sizeof(reason)) !=
	    OPTIONS_RUN) {
		unit_note("%s", reason);
		return TOOL_USAGE;
	}
	code = config_check_options(&v);
	if (!code)
		code = config_base(&v, ops, &any);
	if (!code)
		code = config_apply(&v, ops, &any);
	return code;
}

static unsigned int differences(const char *option, struct roc_config_difference *diffs)
{
	struct roc_cru_config defaults;

	roc_cru_config_default(&defaults);
	if (apply("--id=#0", option, NULL))
		return 0;
	return roc_cru_config_diff(&config, &defaults, diffs);
}

/* Every option changes only its own parameter. */
static void one_each(void)
{
	static const struct {
		const char *option, *name, *value;
	} all[] = {
		{"--clock=TTC", "cru.clock", "TTC"},
		{"--clock=ttc", "cru.clock", "TTC"},
		{"--datapathmode=STREAMING", "cru.datapathMode", "STREAMING"},
		{"--downstreamdata=MIDTRG", "cru.downstreamData", "MIDTRG"},
		{"--gbtmode=WB", "cru.gbtMode", "WB"},
		{"--gbtmux=SWT", "link0.gbtMux", "SWT"},
		{"--cru-id=0xfff", "cru.cruId", "0xfff"},
		{"--system-id=0x21", "cru.systemId", "0x21"},
		{"--fee-id=0xffff", "link0.feeId", "0xffff"},
		{"--trigger-window-size=65535", "cru.triggerWindowSize", "65535"},
		{"--tf-length=4095", "cru.timeFrameLength", "4095"},
		{"--allow-rejection", "cru.allowRejection", "true"},
		{"--loopback", "cru.loopback", "true"},
		{"--dyn-offset", "cru.dynamicOffset", "true"},
		{"--user-logic", "cru.userLogicEnabled", "true"},
		{"--run-stats", "cru.runStatsEnabled", "true"},
		{"--user-and-common-logic", "cru.userAndCommonLogicEnabled", "true"},
		{"--drop-bad-rdh", "cru.dropBadRdhEnabled", "true"},
		{"--set=link0.gbtMux=DDG", "link0.gbtMux", "DDG"},
		{"--set=cru.onuAddress=3,cru.onuAddress=0,cru.cruId=1", "cru.cruId", "0x1"},
	};
	struct roc_config_difference diffs[ROC_CONFIG_DIFFERENCES_MAX];
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		unsigned int n = differences(all[i].option, diffs);

		if (n != 1)
			unit_note("%s: %u differences", all[i].option, n);
		UNIT_EQ(n, 1);
		if (!n)
			continue;
		UNIT_STR(diffs[0].name, all[i].name);
		UNIT_STR(diffs[0].wanted, all[i].value);
	}
}

static void links(void)
{
	unsigned int i;

	UNIT_EQ(apply("--id=#0", NULL, NULL), TOOL_OK);
	for (i = 0; i < ROC_CRU_LINKS; i++)
		UNIT_EQ(config.links[i].enabled, i == 0);
	UNIT_EQ(apply("--id=#0", "--links=1,10-11", NULL), TOOL_OK);
	for (i = 0; i < ROC_CRU_LINKS; i++)
		UNIT_EQ(config.links[i].enabled, i == 1 || i >= 10);
	UNIT_EQ(apply("--id=#0", "--links=1", "--set=link4.enabled=true"), TOOL_OK);
	CU_ASSERT_TRUE(config.links[4].enabled);
	UNIT_EQ(apply("--id=#0", "--no-gbt", "--onu-address=255"), TOOL_OK);
	CU_ASSERT_FALSE(config.gbt_enabled);
	UNIT_EQ(config.onu_address, 255);
	/* Only effective with this clock. */
	UNIT_EQ(apply("--id=#0", "--clock=TTC", "--pon-upstream"), TOOL_OK);
	CU_ASSERT_TRUE(config.pon_upstream);
}

static void mistakes(void)
{
	static const char *const usage[] = {
		"--clock=NONE",
		"--cru-id=0x1000",
		"--system-id=0x100",
		"--fee-id=0x10000",
		"--onu-address=256",
		"--trigger-window-size=65536",
		"--tf-length=4096",
		"--gbtmux=PIGEON",
		"--links=12",
		"--set=cru.nothing=1",
		"--set=cru=1",
		"--set=link12.enabled=true",
		"--config-all",
		"--status-report=infologger",
		"--set=,",
		"--set=,,",
		"--all",
		"--allow",
		"--cloc=TTC",
		"--force",
	};
	size_t i;

	for (i = 0; i < sizeof(usage) / sizeof(usage[0]); i++) {
		int code = apply("--id=#0", usage[i], NULL);

		if (code != TOOL_USAGE)
			unit_note("%s: %d", usage[i], code);
		UNIT_EQ(code, TOOL_USAGE);
	}
	UNIT_EQ(apply("--clock=LOCAL", NULL, NULL), TOOL_USAGE);
	UNIT_EQ(apply("--config-all", NULL, NULL), TOOL_USAGE);
	UNIT_EQ(apply("--id=#0", "--compare", "--force-config"), TOOL_USAGE);
	UNIT_EQ(apply("--id=#0", "--from-card", "--config-uri=x"), TOOL_USAGE);
	UNIT_EQ(apply("--from-card", "--gen-cfg-file=x", NULL), TOOL_USAGE);
	UNIT_EQ(apply("--gen-cfg-file=x", "--compare", NULL), TOOL_USAGE);
	UNIT_EQ(apply("--gen-cfg-file=x", "--json", NULL), TOOL_USAGE);
	UNIT_EQ(apply("--config-all", "--from-card", "--status-report=x"), TOOL_USAGE);
	UNIT_EQ(apply("--config-all", "--from-card", "--status-report=x%i"), TOOL_OK);
	UNIT_EQ(apply("--gen-cfg-file=x", NULL, NULL), TOOL_OK);
	/* Not supported by the card: not a usage error. */
	UNIT_EQ(apply("--id=#0", "--crorc-id=1", NULL), TOOL_FAILED);
	UNIT_EQ(apply("--id=#0", "--no-tf-detection", NULL), TOOL_FAILED);
	UNIT_EQ(apply("--id=#0", "--set=crorc.crorcId=1", NULL), TOOL_FAILED);
	UNIT_EQ(apply("--id=#0", "--crorc-id=1000", NULL), TOOL_USAGE);
	UNIT_EQ(apply("--id=#0", "--config-uri=/nowhere/x", NULL), TOOL_FAILED);
	UNIT_EQ(apply("--id=#0", "--config-uri=consul://host/x", NULL), TOOL_USAGE);
}

/* Site files load in both formats, and options override them. */
static void templates(void)
{
	struct roc_cru_config ini;

	UNIT_EQ(apply("--id=#0", "--config-uri=ini://Documentation/examples/cru_template.cfg",
		      NULL),
		TOOL_OK);
	ini = config;
	UNIT_EQ(apply("--id=#0", "--config-uri=Documentation/examples/cru_template.json", NULL),
		TOOL_OK);
	UNIT_EQ(roc_cru_config_diff(&ini, &config, NULL), 0);
	UNIT_EQ(apply("--id=#0", "--config-uri=Documentation/examples/cru_template.json",
		      "--links=5"),
		TOOL_OK);
	CU_ASSERT_TRUE(config.links[5].enabled);
	CU_ASSERT_FALSE(config.links[0].enabled);
}

/* The C-RORC has four parameters, and none of the CRU. */
static void crorc(void)
{
	static const struct {
		const char *option, *name, *value;
	} all[] = {
		{"--crorc-id=0xfff", "crorc.crorcId", "0xfff"},
		{"--tf-length=0x80", "crorc.timeFrameLength", "128"},
		{"--no-tf-detection", "crorc.timeFrameDetection", "false"},
		{"--dyn-offset", "crorc.dynamicOffset", "true"},
		{"--set=crorc.crorcId=3", "crorc.crorcId", "0x3"},
	};
	static const char *const not_its[] = {
		"--clock=TTC", "--gbtmux=DDG",	    "--cru-id=1",
		"--no-gbt",    "--user-logic",	    "--drop-bad-rdh",
		"--links=0-3", "--allow-rejection", "--system-id=1",
	};
	struct roc_config_difference diffs[ROC_CONFIG_DIFFERENCES_MAX];
	struct roc_crorc_config defaults;
	size_t i;

	ops = &config_crorc;
	roc_crorc_config_default(&defaults);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		UNIT_EQ(apply("--id=#0", all[i].option, NULL), TOOL_OK);
		UNIT_EQ(roc_crorc_config_diff(&any.crorc, &defaults, diffs), 1);
		UNIT_STR(diffs[0].name, all[i].name);
		UNIT_STR(diffs[0].wanted, all[i].value);
	}
	for (i = 0; i < sizeof(not_its) / sizeof(not_its[0]); i++) {
		int code = apply("--id=#0", not_its[i], NULL);

		if (code != TOOL_FAILED)
			unit_note("%s: %d", not_its[i], code);
		UNIT_EQ(code, TOOL_FAILED);
	}
	UNIT_EQ(apply("--id=#0", "--crorc-id=1000", NULL), TOOL_USAGE);
	/* A CRU accepts the first ones, no card accepts the others. */
	UNIT_EQ(apply("--id=#0", "--tf-length=257", NULL), TOOL_FAILED);
	UNIT_EQ(apply("--id=#0", "--set=cru.cruId=1", NULL), TOOL_FAILED);
	UNIT_EQ(apply("--id=#0", "--tf-length=4096", NULL), TOOL_USAGE);
	UNIT_EQ(apply("--id=#0", "--set=cru.cruId=1000", NULL), TOOL_USAGE);
	UNIT_EQ(apply("--id=#0", "--set=cru.crorcId=1", NULL), TOOL_USAGE);
	UNIT_EQ(apply("--id=#0", "--clock=NONE", NULL), TOOL_USAGE);
	/* The existing site template without an id, and one with an id. */
	UNIT_EQ(apply("--id=#0", "--config-uri=ini://Documentation/examples/crorc_template.cfg",
		      NULL),
		TOOL_OK);
	UNIT_EQ(any.crorc.crorc_id, 0);
	UNIT_EQ(any.crorc.time_frame_length, 255);
	CU_ASSERT_TRUE(any.crorc.time_frame_detection);
	UNIT_EQ(apply("--id=#0", "--config-uri=Documentation/examples/crorc_template.json",
		      "--crorc-id=2a"),
		TOOL_OK);
	UNIT_EQ(any.crorc.crorc_id, 0x2a);
	UNIT_EQ(any.crorc.time_frame_length, 255);
	/* A file for the other card type. */
	UNIT_EQ(apply("--id=#0", "--config-uri=Documentation/examples/cru_template.cfg", NULL),
		TOOL_FAILED);
	ops = &config_cru;
	UNIT_EQ(apply("--id=#0", "--config-uri=Documentation/examples/crorc_template.cfg", NULL),
		TOOL_FAILED);
}

/* Without a card, the file and the options select the card type. */
static void which_card(void)
{
	static const struct {
		const char *option;
		const struct config_ops *ops;
	} all[] = {
		{NULL, &config_cru},
		{"--cru-id=1", &config_cru},
		{"--crorc-id=1", &config_crorc},
		{"--no-tf-detection", &config_crorc},
		{"--config-uri=Documentation/examples/crorc_template.cfg", &config_crorc},
		{"--config-uri=json://Documentation/examples/crorc_template.json", &config_crorc},
		{"--config-uri=Documentation/examples/cru_template.json", &config_cru},
	};
	const struct config_ops *chosen;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		apply("--gen-cfg-file=x", all[i].option, NULL);
		chosen = NULL;
		UNIT_EQ(config_choose(&v, &chosen), TOOL_OK);
		CU_ASSERT_PTR_EQUAL(chosen, all[i].ops);
	}
	apply("--gen-cfg-file=x", "--config-uri=/nonexistent", NULL);
	UNIT_EQ(config_choose(&v, &chosen), TOOL_FAILED);
}

static int pending_signal; /* this signal arrives during ... */
static bool signal_early;  /* the wait for the card's lock, else during a pass */

int __wrap_roc_find(const char *id, struct roc_card *card);
int __wrap_roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep);
void __wrap_roc_close(struct roc_endpoint *ep);
int __wrap_roc_card_lock(struct roc_endpoint *ep, int timeout_ms);
int __wrap_roc_card_unlock(struct roc_endpoint *ep);
int __wrap_roc_cru_configure(struct roc_endpoint *ep, const struct roc_cru_config *c,
			     unsigned int flags, struct roc_config_result *result);
int __real_roc_find(const char *id, struct roc_card *card);

int __wrap_roc_find(const char *id, struct roc_card *card)
{
	if (!pending_signal)
		return __real_roc_find(id, card);
	*card = (struct roc_card){.type = ROC_CARD_CRU, .pci_address = "0000:3b:00.0"};
	return 0;
}

int __wrap_roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep)
{
	*ep = NULL;
	return 0;
}

void __wrap_roc_close(struct roc_endpoint *ep)
{
}

int __wrap_roc_card_lock(struct roc_endpoint *ep, int timeout_ms)
{
	if (signal_early)
		raise(pending_signal);
	return 0;
}

int __wrap_roc_card_unlock(struct roc_endpoint *ep)
{
	return 0;
}

int __wrap_roc_cru_configure(struct roc_endpoint *ep, const struct roc_cru_config *c,
			     unsigned int flags, struct roc_config_result *result)
{
	fputs("begun ", stderr);
	raise(pending_signal);
	fputs("finished ", stderr);
	return roc_fail(EBADMSG, "all was put back");
}

/* Return the messages of roc-config until it is ended by this signal. */
static const char *interrupted(int signal_number, bool early)
{
	static char text[512];
	int ends[2], status;
	pid_t pid;

	UNIT_EQ(apply("--id=#0", "--clock=TTC", NULL), TOOL_OK);
	pid = child_begin(ends);
	if (!pid) {
		signal(signal_number, SIG_DFL);
		dup2(ends[1], STDERR_FILENO);
		pending_signal = signal_number;
		signal_early = early;
		_exit(tool_config.run(&v));
	}
	status = child_output(pid, ends, text, sizeof(text));
	CU_ASSERT_TRUE(WIFSIGNALED(status));
	UNIT_EQ(WTERMSIG(status), signal_number);
	return text;
}

/* A pass is always completed, and its result is reported. */
static void not_in_the_middle(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		UNIT_STR(interrupted(signals[i], false), "begun finished roc: all was put back\n");
		/* Nothing has been written. */
		UNIT_STR(interrupted(signals[i], true), "");
	}
}

UNIT_MAIN("config options", {"each option sets its parameter", one_each}, {"links", links},
	  {"mistakes", mistakes}, {"templates", templates}, {"C-RORC", crorc},
	  {"selection of the card type", which_card}, {"signal during a pass", not_in_the_middle})
