// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The action watch: show the whole system on a terminal once per second, from the status lines that
 * the nodes send to the coordinator. A watcher is not a member of the system.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coordinator.h"
#include "evb_options.h"
#include "libroc/fabric/base.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

#define MS UINT64_C(1000000)
#define OLD_NS (3 * FABRIC_NS_PER_S) /* an older status line is out of date */
#define ONCE_NS (1500 * MS)	     /* --once: time to receive the status lines of all nodes */

struct watch {
	const struct evb_options *o;
	struct evb_coordinator c;
	struct roc_evb_table table;
	struct roc_evb_member *members;
	unsigned int count;
	bool lost, members_received;
	char text[EVB_MESSAGE_MAX]; /* the last message of the coordinator */
};

static void handle_news(struct watch *w, const struct roc_evb_news *news)
{
	switch (news->what) {
	case ROC_EVB_MEMBERS:
		memcpy(w->members, news->members, news->member_count * sizeof(*w->members));
		w->count = news->member_count;
		w->members_received = true;
		break;
	case ROC_EVB_TABLE:
		w->table = *news->table;
		break;
	case ROC_EVB_LOST:
		w->lost = true;
		break;
	case ROC_EVB_BACK:
		w->lost = false;
		break;
	default:
		break;
	}
	if (news->text)
		snprintf(w->text, sizeof(w->text), "%s", news->text);
}

static int step(struct watch *w)
{
	struct roc_idle idle = {.ns = 100 * MS};
	struct roc_evb_news news;
	int ret;

	while ((ret = w->c.ops->poll(w->c.self, &news)) == 1)
		handle_news(w, &news);
	if (ret < 0)
		return tool_fail("%s", w->c.ops->reason(w->c.self));
	w->c.ops->idle(w->c.self, &idle);
	poll(idle.fds, idle.count, (int)(idle.ns / MS) + 1);
	return TOOL_OK;
}

struct found {
	const char *name;
	struct watch_line *line;
	bool there;
};

static void find(void *self, const char *name, const char *line)
{
	struct found *f = self;

	if (!f->there && !strcmp(name, f->name))
		f->there = watch_line_read(line, f->line);
}

/* The newest status line of a node; false: none, and *@line is 0. */
static bool line_of(const struct watch *w, const char *name, struct watch_line *line)
{
	struct found f = {.name = name, .line = line};

	memset(line, 0, sizeof(*line));
	w->c.statuses(w->c.self, find, &f);
	return f.there;
}

static bool in_table(const struct watch *w, const char *name)
{
	unsigned int i;

	for (i = 0; i < w->table.ru_count; i++) {
		if (!strcmp(w->table.rus[i].name, name))
			return true;
	}
	for (i = 0; i < w->table.bu_count; i++) {
		if (!strcmp(w->table.bus[i].name, name))
			return true;
	}
	return false;
}

static void roles(const struct roc_evb_member *m, char text[4])
{
	snprintf(text, 4, "%s%s%s", m->roles & ROC_EVB_READOUT ? "R" : "",
		 m->roles & ROC_EVB_BUILDER ? "B" : "", m->roles & ROC_EVB_MANAGER ? "M" : "");
}

static void row(const struct watch *w, struct table *t, const struct roc_evb_member *m)
{
	bool works = m->roles & (ROC_EVB_READOUT | ROC_EVB_BUILDER), in = in_table(w, m->name);
	const char *state = !works ? "-" : in ? "in" : "out";
	struct watch_line l;
	bool fresh = line_of(w, m->name, &l) && fabric_realtime() < l.time + OLD_NS;
	char text[4];

	roles(m, text);
	table_cell(t, NULL, "%s", m->name);
	table_cell(t, NULL, "%s", text);
	table_cell(t, works && !in ? COLOUR_BAD : NULL, "%s", fresh ? state : "silent");
	table_cell(t, NULL, "%.1f", (double)l.in / 1e6);
	table_cell(t, NULL, "%.1f", (double)l.sent / 1e6);
	table_cell(t, NULL, "%.1f", (double)l.received / 1e6);
	table_cell(t, NULL, "%.1f", (double)l.out / 1e6);
	table_cell(t, NULL, "%" PRIu64, l.blocks);
	table_cell(t, NULL, "%.2f", (double)l.p99_ns / 1e6);
	table_cell(t, NULL, "%" PRIu64, l.queue);
	table_cell(t, NULL, "%" PRIu64, l.open_blocks);
	table_cell(t, NULL, "%" PRIu64 "/%" PRIu64, l.free_segments, l.all_segments);
	table_cell(t, l.incomplete ? COLOUR_WARN : NULL, "%" PRIu64, l.incomplete);
	table_cell(t, l.dropped ? COLOUR_WARN : NULL, "%" PRIu64, l.dropped);
}

static void show_text(const struct watch *w)
{
	static const char *const heads[] = {"Node",	   "Roles",	"State", ">In MB/s",
					    ">Sent",	   ">Received", ">Out",	 ">Blocks/s",
					    ">p99 ms",	   ">Queue",	">Open", ">Segments",
					    ">Incomplete", ">Dropped",	NULL};
	bool terminal = output_is_live(stdout) && !w->o->once && !w->o->no_display;
	struct table t;
	unsigned int i;

	if (terminal)
		printf("\033[H\033[2J");
	printf("System %s, table %" PRIu64
	       " (%s): %u readout units, %u builders, from block %" PRIu64 "%s\n",
	       w->c.system, w->table.epoch, evb_policies[w->table.policy], w->table.ru_count,
	       w->table.bu_count, w->table.from_block, w->lost ? "; NO CONTACT" : "");
	table_start(&t, heads);
	for (i = 0; i < w->count; i++)
		row(w, &t, &w->members[i]);
	table_print(&t, stdout, output_colours(stdout));
	if (w->text[0])
		printf("%s\n", w->text);
	fflush(stdout);
}

static void print_line(void *self, const char *name, const char *line)
{
	unsigned int *printed = self;

	printf("%s\"%s\":%s", (*printed)++ ? "," : "", name, line);
}

/* The coordinator has parsed the lines, and valid names need no escapes. */
static void show_json(const struct watch *w)
{
	unsigned int i, printed = 0;

	printf("{\"system\":\"%s\",\"contact\":%s,\"epoch\":%" PRIu64
	       ",\"policy\":\"%s\",\"members\":[",
	       w->c.system, w->lost ? "false" : "true", w->table.epoch,
	       evb_policies[w->table.policy]);
	for (i = 0; i < w->count; i++)
		printf("%s{\"name\":\"%s\",\"inTable\":%s}", i ? "," : "", w->members[i].name,
		       in_table(w, w->members[i].name) ? "true" : "false");
	printf("],\"lines\":{");
	w->c.statuses(w->c.self, print_line, &printed);
	printf("}}\n");
	fflush(stdout);
}

static int loop(struct watch *w)
{
	uint64_t began = fabric_now(), shown = began, now;
	int code = TOOL_OK;

	while (!code && !stop_requested()) {
		code = step(w);
		now = fabric_now();
		if (w->o->once && now - began < ONCE_NS)
			continue;
		if (w->o->time && now - began >= w->o->time * FABRIC_NS_PER_S)
			break;
		if (!w->o->once && now - shown < FABRIC_NS_PER_S)
			continue;
		shown = now;
		(w->o->json ? show_json : show_text)(w);
		if (w->o->once || ferror(stdout))
			break;
	}
	if (!code && !w->members_received)
		return tool_fail("%s", w->text[0] ? w->text
						  : "The coordinator reported no list of members.");
	return code;
}

int evb_watch(const struct evb_options *o)
{
	struct evb_coordinator_config cfg = {.text = o->coordinator, .system = o->system};
	struct watch *w = calloc(1, sizeof(*w));
	char reason[ROC_EVB_REASON];
	int ret, code;

	if (w)
		w->members = calloc(EVB_MEMBERS_MAX, sizeof(*w->members));
	if (!w || !w->members) {
		free(w);
		return tool_fail("Cannot allocate the list of members.");
	}
	w->o = o;
	stop_not_by_pipes();
	ret = evb_coordinator_open(&cfg, &w->c, reason);
	if (ret) {
		code = tool_fail_for(ret, reason);
	} else {
		stop_on_signals();
		code = loop(w);
		evb_coordinator_close(&w->c);
	}
	free(w->members);
	free(w);
	return code;
}
