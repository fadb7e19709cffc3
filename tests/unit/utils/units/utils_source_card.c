// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Selection of a card's channel as a source: a card that lacks the requested channel reports it and
 * uses no other one. The card is simulated; its channels cannot be opened.
 */
#include "unit.h"

#include <roc/fragment.h>
#include <roc/roc.h>
#include <roc/stream.h>

#include <errno.h>

#include "tests/unit/utils/tool_fails.h"
#include "utils/evb/source.h"

static struct roc_ep_info info;

int __wrap_roc_find(const char *id, struct roc_card *c);
int __wrap_roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep);
int __wrap_roc_info(struct roc_endpoint *ep, struct roc_ep_info *i);
void __wrap_roc_close(struct roc_endpoint *ep);
int __wrap_roc_stream_open_card(const struct roc_card *c, const char *id, const char *stream,
				struct roc_stream **s);
int __wrap_roc_fragments_open_card(const struct roc_card *c, const char *id, const char *sub,
				   struct roc_fragments **f);

int __wrap_roc_find(const char *id, struct roc_card *c)
{
	*c = (struct roc_card){.type = (enum roc_card_type)info.card_type};
	return 0;
}

int __wrap_roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep)
{
	*ep = NULL;
	return 0;
}

int __wrap_roc_info(struct roc_endpoint *ep, struct roc_ep_info *i)
{
	*i = info;
	return 0;
}

void __wrap_roc_close(struct roc_endpoint *ep)
{
}

int __wrap_roc_stream_open_card(const struct roc_card *c, const char *id, const char *stream,
				struct roc_stream **s)
{
	fprintf(stderr, "stream %s ", stream);
	return -EIO;
}

int __wrap_roc_fragments_open_card(const struct roc_card *c, const char *id, const char *sub,
				   struct roc_fragments **f)
{
	fprintf(stderr, "sub-unit %s ", sub);
	return -EIO;
}

/* Return the output of roc-record with one or two options. */
static const char *record(const char *one, const char *two)
{
	char *argv[] = {"roc-record", "/dev/null/no-folder", "--id=1001",
			(char *)one,  (char *)two,	     NULL};

	return tool_fails("record", argv);
}

static void refused(const char *one, const char *two, const char *sentence)
{
	char expected[256];

	snprintf(expected, sizeof(expected), "roc: %s\n", sentence);
	UNIT_STR(record(one, two), expected);
}

static bool opens(const char *one, const char *what)
{
	return !strncmp(record(one, NULL), what, strlen(what));
}

static void streams(void)
{
	info = (struct roc_ep_info){.card_type = ROC_CARD_P40, .caps = ROC_CAP_STREAMS};
	CU_ASSERT_TRUE(opens("--stream=odin0", "stream odin0 "));
	CU_ASSERT_TRUE(opens("--dma-channel=0", "stream main "));
	refused("--dma-channel=3", NULL,
		"The channels of a PCIe40 are streams: use --stream instead of --dma-channel.");
	refused("--stream=odin0", "--dma-channel=3",
		"The channels of a PCIe40 are streams: use --stream instead of --dma-channel.");
	refused("--links=0-2", NULL,
		"The streams of a PCIe40 have no selectable links: omit --links, and select the stream with --stream.");
	refused("--data-source=INTERNAL", NULL,
		"The streams of a PCIe40 have no selectable data source: omit --data-source.");
	refused("--sub=1", NULL, "The channels of a PCIe40 are not sub-units: omit --sub.");
}

static void sub_units(void)
{
	info = (struct roc_ep_info){.card_type = ROC_CARD_ROBINNP, .caps = ROC_CAP_FRAGMENTS};
	CU_ASSERT_TRUE(opens("--sub=sub1", "sub-unit sub1 "));
	CU_ASSERT_TRUE(opens("--links=0-2", "sub-unit 0 "));
	refused("--dma-channel=1", NULL,
		"The channels of a RobinNP are sub-units: use --sub instead of --dma-channel.");
	refused("--data-source=FEE", NULL,
		"The sub-units of a RobinNP have no selectable data source: omit --data-source.");
	refused("--stream=main", NULL, "The channels of a RobinNP are not streams: omit --stream.");
}

/* Return the error of roc-evb with this source. */
static const char *evb(const char *text)
{
	static char printed[1024];
	int ends[2], status;
	pid_t pid;

	pid = child_begin(ends);
	if (!pid) {
		struct evb_source source = {0};
		char reason[UNITS_REASON];

		alarm(100);
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		_exit(evb_source_open(text, "ru1", &source, reason) ? TOOL_FAILED : TOOL_OK);
	}
	status = child_output(pid, ends, printed, sizeof(printed));
	UNIT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, TOOL_FAILED);
	return printed;
}

static void evb_refused(const char *text, const char *sentence)
{
	char expected[256];

	snprintf(expected, sizeof(expected), "roc: %s\n", sentence);
	UNIT_STR(evb(text), expected);
}

/* Messages name the keys of roc-evb, and not options that it does not have. */
static void keys(void)
{
	info = (struct roc_ep_info){.card_type = ROC_CARD_P40, .caps = ROC_CAP_STREAMS};
	evb_refused("card:1001,channel=3",
		    "The channels of a PCIe40 are streams: use stream= instead of channel=.");
	evb_refused("card:1001,data-source=FEE",
		    "The streams of a PCIe40 have no selectable data source: omit data-source=.");
	evb_refused("card:1001,sub=1", "The channels of a PCIe40 are not sub-units: omit sub=.");
	evb_refused("card:1001,superpage=0",
		    "superpage=: the size must be between 1 and 4294967295 bytes.");
	evb_refused("card:1001,buffer=1Ki",
		    "The buffer (buffer=) is smaller than one superpage (superpage=).");
}

static void firmware(void)
{
	const char *sentence;

	info = (struct roc_ep_info){.card_type = ROC_CARD_CRU};
	strcpy(info.firmware, "deadbeef");
	CU_ASSERT_TRUE(strstr(record(NULL, NULL), "(--bypass-fw-check skips this check)") != NULL);
	sentence = evb("card:1001");
	CU_ASSERT_TRUE(strstr(sentence, "(bypass-fw-check skips this check)") != NULL);
	/* It continues with the channel, which does not exist. */
	sentence = evb("card:1001,bypass-fw-check");
	CU_ASSERT_TRUE(sentence[0] && !strstr(sentence, "skips this"));
}

UNIT_MAIN("a channel of a card as a source", {"streams", streams}, {"sub-units", sub_units},
	  {"keys of roc-evb", keys}, {"firmware that is not in the list", firmware})
