// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test a second card type with sub-units, with another type, name and number of links than the
 * RobinNP. roc-fragment, roc-status, roc-rosd and the source of roc-record need only an entry for
 * it in the table of card types, which this file has instead of utils/cards.c.
 *
 * The library calls for the card are simulated with fragments in memory.
 */
#include "unit.h"

#include <roc/lend.h>
#include <roc/robinnp.h>

#include <errno.h>

#include "utils/common/card.h"
#include "utils/common/tool.h"
#include "utils/ros/fragment_check.h"
#include "utils/ros/server.h"
#include "utils/ros/worker.h"
#include "utils/status/status.h"
#include "utils/tools.h"
#include "utils/units/sources.h"

#define TYPE ((enum roc_card_type)77)
#define SUBS 2
#define LINKS 5
#define ALL_LINKS ((1u << LINKS) - 1)
#define SOURCE 0x123
#define BYTES 512 /* per fragment */

/* The handle of a sub-unit is its source. */
struct roc_fragments {
	unsigned int number;
	struct ros_source *source;
	uint64_t transfers, bytes;
	uint64_t notified[LINKS];
	bool running;
};

static struct roc_fragments subs[SUBS];
static struct roc_robinnp_generator generators[SUBS * LINKS];
static unsigned int resets;
static FILE *output;
static char *printed;

static int status_read(struct roc_endpoint *ep, struct roc_robinnp_status *s)
{
	*s = (struct roc_robinnp_status){.subs = SUBS, .links = LINKS, .source = SOURCE};
	strcpy(s->firmware, "9.8.7");
	return 0;
}

static int sub_read(struct roc_endpoint *ep, unsigned int sub, struct roc_robinnp_sub *s)
{
	UNIT_NEED(sub < SUBS);
	*s = (struct roc_robinnp_sub){.transfers = subs[sub].transfers, .bytes = subs[sub].bytes};
	return 0;
}

static int link_read(struct roc_endpoint *ep, unsigned int link, struct roc_robinnp_link *l)
{
	UNIT_NEED(link < SUBS * LINKS);
	*l = (struct roc_robinnp_link){.fragments = subs[link / LINKS].notified[link % LINKS]};
	return 0;
}

static int generator_read(struct roc_endpoint *ep, unsigned int link,
			  struct roc_robinnp_generator *g)
{
	UNIT_NEED(link < SUBS * LINKS);
	*g = generators[link];
	return 0;
}

static int generator_set(struct roc_endpoint *ep, unsigned int link,
			 const struct roc_robinnp_generator *g)
{
	UNIT_NEED(link < SUBS * LINKS);
	generators[link] = *g;
	return 0;
}

static const struct fragment_registers registers = {
	.status_read = status_read,
	.sub_read = sub_read,
	.link_read = link_read,
	.generator_read = generator_read,
	.generator_set = generator_set,
};

const struct card_type card_types[] = {
	{.type = TYPE,
	 .name = "a Mirror",
	 .tool = "roc-fragment",
	 .status = status_show_fragments,
	 .fragments = &registers},
	{0},
};

/* Replace a library function that the tools call. */
#define PLAY(type, name, ...)                                                                      \
	type __wrap_##name(__VA_ARGS__);                                                           \
	type __wrap_##name(__VA_ARGS__)

PLAY(int, roc_find, const char *id, struct roc_card *c)
{
	*c = (struct roc_card){.type = TYPE, .channels = SUBS, .numa_node = -1, .serial = 5};
	strcpy(c->pci_address, "0000:5e:00.0");
	return 0;
}

PLAY(int, roc_open_card, const struct roc_card *c, const char *id, struct roc_endpoint **ep)
{
	*ep = NULL;
	return 0;
}

PLAY(int, roc_open, const char *id, struct roc_endpoint **ep)
{
	*ep = NULL;
	return 0;
}

PLAY(void, roc_close, struct roc_endpoint *ep)
{
}

PLAY(int, roc_info, struct roc_endpoint *ep, struct roc_ep_info *info)
{
	*info = (struct roc_ep_info){.card_type = TYPE, .caps = ROC_CAP_FRAGMENTS};
	return 0;
}

PLAY(int, roc_card_fragments, struct roc_endpoint *ep, unsigned int sub, struct roc_fr_info *info)
{
	if (sub >= SUBS)
		return roc_fail(ENOENT, "there is no sub-unit %u", sub);
	*info = (struct roc_fr_info){.sub = sub,
				     .links = LINKS,
				     .mask = ALL_LINKS,
				     .page_size = 2048,
				     .host_pages_max = 4096};
	snprintf(info->name, sizeof(info->name), "sub%u", sub);
	return 0;
}

PLAY(int, roc_card_fragments_find, struct roc_endpoint *ep, const char *name, unsigned int *sub)
{
	*sub = (unsigned int)(name[strlen(name) - 1] - '0');
	return *sub < SUBS ? 0 : roc_fail(ENOENT, "there is no sub-unit %s", name);
}

PLAY(int, roc_card_fragments_settings, struct roc_endpoint *ep, unsigned int sub,
     struct roc_fr_settings *s)
{
	s->links = ALL_LINKS;
	return 0;
}

PLAY(int, roc_card_fragments_reset, struct roc_endpoint *ep, unsigned int sub,
     enum roc_fr_level level)
{
	resets++;
	return 0;
}

PLAY(int, roc_fragments_open_card, const struct roc_card *c, const char *id, const char *name,
     struct roc_fragments **f)
{
	unsigned int sub;

	if (__wrap_roc_card_fragments_find(NULL, name, &sub))
		return -ENOENT;
	*f = &subs[sub];
	return 0;
}

PLAY(void, roc_fragments_close, struct roc_fragments *f)
{
}

PLAY(unsigned int, roc_fragments_number, const struct roc_fragments *f)
{
	return f->number;
}

PLAY(unsigned int, roc_fragments_links, const struct roc_fragments *f)
{
	return LINKS;
}

PLAY(const char *, roc_fragments_name, const struct roc_fragments *f)
{
	return f->number ? "sub1" : "sub0";
}

PLAY(int, roc_fragments_fd, const struct roc_fragments *f)
{
	return -1;
}

PLAY(int, roc_fragments_info, struct roc_fragments *f, struct roc_fr_info *info)
{
	return __wrap_roc_card_fragments(NULL, f->number, info);
}

PLAY(int, roc_fragments_settings, struct roc_fragments *f, struct roc_fr_settings *s)
{
	return __wrap_roc_card_fragments_settings(NULL, f->number, s);
}

PLAY(int, roc_fragments_rings, struct roc_fragments *f, uint32_t page, uint32_t pages,
     uint32_t host_page, uint32_t commands)
{
	return 0;
}

PLAY(int, roc_fragments_add, struct roc_fragments *f, void *addr, size_t length)
{
	return 0;
}

PLAY(int, roc_fragments_start, struct roc_fragments *f)
{
	f->running = true;
	return f->source->ops->start(f->source);
}

PLAY(int, roc_fragments_stop, struct roc_fragments *f, bool now)
{
	f->running = false;
	return f->source->ops->stop(f->source);
}

PLAY(bool, roc_fragments_running, const struct roc_fragments *f)
{
	return f->running;
}

PLAY(int, roc_fragments_take, struct roc_fragments *f, struct roc_fragment_kept *kept,
     unsigned int n)
{
	struct roc_fragment_kept some[64];
	int i, got = f->source->ops->take(f->source, kept ? kept : some, n < 64 ? n : 64);

	for (i = 0; i < got; i++)
		f->notified[(kept ? kept : some)[i].link]++;
	return got;
}

PLAY(uint32_t, roc_fragments_find, const struct roc_fragments *f, uint32_t event)
{
	return f->source->ops->find(f->source, event);
}

PLAY(uint32_t, roc_fragments_oldest, const struct roc_fragments *f, uint32_t *event, uint64_t *age)
{
	return f->source->ops->oldest(f->source, event, age);
}

PLAY(int, roc_fragments_request, struct roc_fragments *f, uint32_t event, uint32_t links,
     uint64_t tag)
{
	return f->source->ops->request(f->source, event, links, tag);
}

PLAY(unsigned int, roc_fragments_clear, struct roc_fragments *f, const uint32_t *events,
     unsigned int n)
{
	return f->source->ops->clear(f->source, events, n);
}

PLAY(int, roc_fragments_flush, struct roc_fragments *f)
{
	return f->source->ops->flush(f->source);
}

PLAY(int, roc_fragments_done, struct roc_fragments *f, struct roc_fragment_fetched *got,
     unsigned int n)
{
	int i, done = f->source->ops->done(f->source, got, n);

	for (i = 0; i < done; i++)
		f->bytes += got[i].size;
	f->transfers += (unsigned int)done;
	return done;
}

PLAY(int, roc_fragments_return, struct roc_fragments *f, uint64_t handle)
{
	f->source->ops->give_back(f->source, handle);
	return 0;
}

PLAY(void, roc_fragments_counts, const struct roc_fragments *f, struct roc_fragments_counts *c)
{
	f->source->ops->counts(f->source, c);
}

PLAY(void, roc_fragments_damage, const struct roc_fragments *f, struct roc_fragments_damage *d)
{
	memset(d, 0, sizeof(*d));
}

PLAY(int, roc_fragments_wait, struct roc_fragments *f, unsigned int data, unsigned int done, int ms)
{
	f->source->ops->flush(f->source);
	return (data ? ROC_FRAGMENTS_DATA : 0) | (done ? ROC_FRAGMENTS_DONE : 0);
}

PLAY(int, roc_lender_fragments, struct roc_fragments *f, unsigned int most, struct roc_lender **l)
{
	*l = (struct roc_lender *)f;
	return 0;
}

PLAY(int, roc_lender_take, struct roc_lender *l, struct roc_unit *unit)
{
	struct roc_fragment_fetched got;
	int n = __wrap_roc_fragments_done((struct roc_fragments *)l, &got, 1);

	if (n > 0)
		*unit = (struct roc_unit){.data = got.data,
					  .length = got.size,
					  .offset = got.event,
					  .link = (int)got.link,
					  .handle = got.handle};
	return n;
}

PLAY(int, roc_lender_return, struct roc_lender *l, uint64_t handle)
{
	return __wrap_roc_fragments_return((struct roc_fragments *)l, handle);
}

PLAY(int, roc_lender_close, struct roc_lender *l)
{
	return 0;
}

static void plug_in(void)
{
	struct ros_synthetic set = {.links = LINKS,
				    .source = SOURCE,
				    .size_min = BYTES,
				    .size_max = BYTES,
				    .pages = 64,
				    .host_pages = 256};
	unsigned int i;

	memset(subs, 0, sizeof(subs));
	for (i = 0; i < SUBS * LINKS; i++)
		generators[i] = (struct roc_robinnp_generator){
			.running = true, .size_min = BYTES, .size_max = BYTES};
	for (set.unit = 0; set.unit < SUBS; set.unit++) {
		subs[set.unit].number = set.unit;
		subs[set.unit].source = ros_source_synthetic(&set);
		UNIT_NEED(subs[set.unit].source);
	}
}

static void pull_out(void)
{
	unsigned int i;

	for (i = 0; i < SUBS; i++)
		subs[i].source->ops->close(subs[i].source);
}

/* Run a tool with its arguments and keep its output. Return the exit code. */
static int run(const struct tool *tool, const char *arguments)
{
	char text[256], *rest = text, *argv[16] = {"roc"}, reason[512] = "";
	void *values = calloc(1, tool->values_size);
	FILE *out = stdout;
	size_t length;
	int argc = 1, code;

	UNIT_NEED(values);
	snprintf(text, sizeof(text), "%s", arguments);
	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	UNIT_EQ(options_parse(tool, argc, argv, values, reason, sizeof(reason)), OPTIONS_RUN);
	UNIT_STR(reason, "");
	free(printed);
	stdout = output = open_memstream(&printed, &length);
	code = tool->run(values);
	fclose(output);
	stdout = out;
	free(values);
	return code;
}

static void prints(const char *text)
{
	if (strstr(printed, text))
		return;
	unit_note("\"%s\" is not in: %s", text, printed);
	CU_FAIL("the output lacks a text");
}

extern const struct tool tool_fragment, tool_status, tool_pkt_monitor;

static void fragment(void)
{
	plug_in();
	UNIT_EQ(run(&tool_fragment, "run --id=5 --sub=sub1 --events=1000 --json"), 0);
	prints("\"sub\": \"sub1\"");
	prints("\"links\": 31");
	prints("\"end\": \"events\"");
	prints("\"errors\": 0");
	prints("\"sizesKnown\": true");
	CU_ASSERT_TRUE(subs[1].transfers >= 1000 * LINKS && !(subs[1].transfers % LINKS));
	UNIT_EQ(run(&tool_fragment, "run --id=5 --links=4 --events=10 --json"), 0);
	prints("\"links\": 16");
	UNIT_EQ(run(&tool_fragment, "run --id=5 --links=5 --events=10 --json"), 2);
	pull_out();
}

static void settings(void)
{
	plug_in();
	UNIT_EQ(run(&tool_fragment, "stats --id=5 --json"), 0);
	prints("\"sub\": \"sub1\"");
	prints("\"link\": 9");
	CU_ASSERT_PTR_NULL(strstr(printed, "\"link\": 10"));
	UNIT_EQ(run(&tool_fragment, "set --id=5 --sub=1 --links=4 --fragment-min=64"), 0);
	prints("  link 4: generator fixed, 64 bytes");
	CU_ASSERT_PTR_NULL(strstr(printed, "link 5"));
	UNIT_EQ(generators[9].size_min, 64);
	UNIT_EQ(generators[8].size_min, BYTES);
	UNIT_EQ(run(&tool_fragment, "set --id=5 --links=5"), 2);
	UNIT_EQ(run(&tool_fragment, "reset --id=5"), 0);
	UNIT_EQ(resets, 1);
	pull_out();
}

static void status(void)
{
	plug_in();
	UNIT_EQ(run(&tool_status, "--id=5"), 0);
	prints("Source 0x0123, 2 sub-units of 5 links");
	UNIT_EQ(run(&tool_status, "--id=5 --json"), 0);
	prints("\"link\": 9");
	UNIT_EQ(run(&tool_status, "--id=5 --monitoring"), 0);
	prints("sub=\"sub1\"");
	UNIT_EQ(run(&tool_status, "--id=5 --prometheus"), 0);
	prints("sub=\"sub1\",link=\"9\"");
	UNIT_EQ(run(&tool_pkt_monitor, "--id=5"), 1);
	pull_out();
}

/* The source of roc-record, roc-send and roc-evb. */
static void source(void)
{
	struct source_card_options o = {
		.id = "5", .sub = "1", .page = 2048, .buffer = 1 << 20, .unit = 1 << 20};
	uint32_t seen = 0, card = 0;
	struct source *s = NULL;
	unsigned int i, n = 0;
	struct unit u;

	plug_in();
	UNIT_NEED(!source_card(&o, &s));
	UNIT_EQ(s->ops->start(s), 0);
	for (i = 0; i < 1000 && n < 100; i++) {
		UNIT_EQ(s->ops->flush(s), 0);
		while (s->ops->take(s, &u) == 1) {
			n++;
			UNIT_NEED(u.link >= LINKS && u.link < 2 * LINKS);
			seen |= 1u << (u.link - LINKS);
			CU_ASSERT_PTR_NULL(ros_fragment_check(u.data, (uint32_t)u.bytes,
							      (uint32_t)u.first, (uint32_t)u.link,
							      &card));
			UNIT_EQ(s->ops->give_back(s, u.handle), 0);
		}
	}
	CU_ASSERT_TRUE(n >= 100);
	UNIT_EQ(seen, ALL_LINKS);
	UNIT_EQ(card, SOURCE);
	s->ops->close(s);
	pull_out();
}

/* The daemon numbers links over all sub-units. */
static void daemon_links(void)
{
	static struct ros_worker workers[SUBS];
	static struct ros_server server = {.workers = workers, .units = SUBS};
	struct ros_part part = {.event = 0, .links = ALL_LINKS};
	struct ros_bell network;
	uint32_t card = 0, link;
	struct roc_card c;
	unsigned int i;

	plug_in();
	UNIT_NEED(!__wrap_roc_find("5", &c) && ros_bell_init(&network));
	for (i = 0; i < SUBS; i++) {
		workers[i].source = ros_source_card(&c, "5", i, 64, 2048, 0);
		UNIT_NEED(workers[i].source);
	}
	CU_ASSERT_PTR_NULL(ros_source_card(&c, "5", SUBS, 64, 2048, 0));
	server.set.limits.requests = server.set.limits.events = 16;
	server.set.limits.message = 4096;
	server.set.listen = "127.0.0.1:0";
	UNIT_EQ(ros_server_init(&server), 0);
	UNIT_EQ(server.set.limits.links, (1u << SUBS * LINKS) - 1);
	UNIT_EQ(server.first_link[1], LINKS);
	UNIT_EQ(server.unit_of[LINKS - 1], 0);
	UNIT_EQ(server.unit_of[LINKS], 1);
	workers[1].network = &network;
	workers[1].set = (struct ros_worker_settings){.wait_ns = 1000000000, .jobs = 16};
	UNIT_NEED(!ros_worker_init(&workers[1]));
	UNIT_EQ(workers[1].source->ops->start(workers[1].source), 0);
	ros_worker_order(&workers[1], &part.job);
	CU_ASSERT_TRUE(UNIT_WAIT(
		ros_worker_turn(&workers[1]) && !ros_queue_empty(&workers[1].results), 5000));
	for (link = 0; link < LINKS; link++) {
		UNIT_EQ(part.pieces[link].status, ROS_OK);
		CU_ASSERT_PTR_NULL(ros_fragment_check(
			part.pieces[link].data, part.pieces[link].size, 0, LINKS + link, &card));
	}
	ros_server_free(&server);
	ros_worker_free(&workers[1]);
	workers[0].source->ops->close(workers[0].source);
	ros_bell_free(&network);
	pull_out();
	free(printed);
}

UNIT_MAIN("utils second card", {"roc-fragment run", fragment}, {"stats, set, reset", settings},
	  {"roc-status", status}, {"source of roc-record", source}, {"roc-rosd", daemon_links})
