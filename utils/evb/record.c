// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Convert members, tables and reports to JSON and back. 64-bit numbers are decimal numbers in JSON,
 * so a parser must not convert them to double.
 */
#include <json-c/json.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "coordinator.h"

const char *const evb_policies[ROC_EVB_POLICIES + 1] = {
	[ROC_EVB_ROUND_ROBIN] = "round-robin",
	[ROC_EVB_BARREL_SHIFT] = "barrel-shift",
	[ROC_EVB_RANDOM] = "random",
	[ROC_EVB_LEAST_LOADED] = "least-loaded",
};

const char *const evb_roles[4] = {"readout", "builder", "manager"};

static int wrong(char *reason, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int wrong(char *reason, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, ROC_EVB_REASON, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static void add_number(struct json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_uint64(value));
}

static void add_text(struct json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

static void add_bool(struct json_object *o, const char *key, bool value)
{
	json_object_object_add(o, key, json_object_new_boolean(value));
}

/* Read a number from 0 to @max. */
static int read_number(struct json_object *o, const char *key, uint64_t max, uint64_t *value,
		       char *reason)
{
	struct json_object *v = NULL;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_int))
		return wrong(reason, "\"%s\" is missing or not a number", key);
	/* json_object_get_uint64() returns 0 for a negative number. */
	if (json_object_get_string(v)[0] == '-')
		return wrong(reason, "\"%s\" is negative", key);
	*value = json_object_get_uint64(v);
	if (*value > max)
		return wrong(reason, "\"%s\" is %llu, the limit is %llu", key,
			     (unsigned long long)*value, (unsigned long long)max);
	return 0;
}

static int read_u32(struct json_object *o, const char *key, uint32_t max, uint32_t *value,
		    char *reason)
{
	uint64_t number = 0;
	int ret = read_number(o, key, max, &number, reason);

	if (!ret)
		*value = (uint32_t)number;
	return ret;
}

/* Read text of printable characters without spaces; the rest of @value is set to 0. */
static int read_text(struct json_object *o, const char *key, size_t size, char *value, char *reason)
{
	struct json_object *v = NULL;
	const char *text;
	size_t length, i;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
		return wrong(reason, "\"%s\" is missing or not a string", key);
	text = json_object_get_string(v);
	length = (size_t)json_object_get_string_len(v);
	if (length >= size)
		return wrong(reason, "\"%s\" has %zu characters, the limit is %zu", key, length,
			     size - 1);
	for (i = 0; i < length; i++) {
		if (text[i] <= ' ' || text[i] > '~')
			return wrong(
				reason,
				"\"%s\" has a space or a character that is not printable ASCII",
				key);
	}
	memset(value, 0, size);
	memcpy(value, text, length);
	return 0;
}

static int read_name(struct json_object *o, char name[ROC_EVB_NAME], char *reason)
{
	if (read_text(o, "name", ROC_EVB_NAME, name, reason))
		return -EINVAL;
	return roc_evb_name_valid(name)
		       ? 0
		       : wrong(reason, "\"%s\" is not a name of 1 to %d letters, digits and ._-",
			       name, ROC_EVB_NAME - 1);
}

static bool read_bool(struct json_object *o, const char *key)
{
	return json_object_get_boolean(json_object_object_get(o, key));
}

struct json_object *evb_member_record(const struct roc_evb_member *m)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	add_text(o, "name", m->name);
	add_text(o, "host", m->host);
	add_text(o, "port", m->port);
	add_number(o, "incarnation", m->incarnation);
	add_number(o, "roles", m->roles);
	add_number(o, "peers", m->peers);
	return o;
}

int evb_member_read(struct json_object *record, struct roc_evb_member *m,
		    char reason[ROC_EVB_REASON])
{
	memset(m, 0, sizeof(*m));
	if (!json_object_is_type(record, json_type_object))
		return wrong(reason, "the member is not a JSON object");
	if (read_name(record, m->name, reason) ||
	    read_text(record, "host", sizeof(m->host), m->host, reason) ||
	    read_text(record, "port", sizeof(m->port), m->port, reason) ||
	    read_number(record, "incarnation", UINT64_MAX, &m->incarnation, reason) ||
	    read_u32(record, "roles", ROC_EVB_READOUT | ROC_EVB_BUILDER | ROC_EVB_MANAGER,
		     &m->roles, reason) ||
	    read_u32(record, "peers", ROC_EVB_NODES_MAX, &m->peers, reason))
		return -EINVAL;
	return 0;
}

static struct json_object *places(const struct roc_evb_place *p, uint32_t count)
{
	struct json_object *all = json_object_new_array();
	uint32_t i;

	for (i = 0; all && i < count; i++) {
		struct json_object *o = json_object_new_object();

		add_text(o, "name", p[i].name);
		add_number(o, "incarnation", p[i].incarnation);
		add_number(o, "weight", p[i].weight);
		json_object_array_add(all, o);
	}
	return all;
}

struct json_object *evb_table_record(const struct roc_evb_table *t)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	add_number(o, "term", t->term);
	add_number(o, "epoch", t->epoch);
	add_number(o, "fromBlock", t->from_block);
	add_number(o, "seed", t->seed);
	add_number(o, "policy", t->policy);
	json_object_object_add(o, "readoutUnits", places(t->rus, t->ru_count));
	json_object_object_add(o, "builderUnits", places(t->bus, t->bu_count));
	return o;
}

static int read_places(struct json_object *o, const char *key, struct roc_evb_place *p,
		       uint32_t *count, char *reason)
{
	struct json_object *all = json_object_object_get(o, key);
	size_t i, n;

	if (!json_object_is_type(all, json_type_array))
		return wrong(reason, "\"%s\" is missing or not a list", key);
	n = json_object_array_length(all);
	if (n > ROC_EVB_NODES_MAX)
		return wrong(reason, "\"%s\" has %zu nodes, the limit is %d", key, n,
			     ROC_EVB_NODES_MAX);
	for (i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(all, i);

		if (!json_object_is_type(one, json_type_object))
			return wrong(reason, "\"%s\" has an element that is not an object", key);
		if (read_name(one, p[i].name, reason) ||
		    read_number(one, "incarnation", UINT64_MAX, &p[i].incarnation, reason) ||
		    read_u32(one, "weight", UINT32_MAX, &p[i].weight, reason))
			return -EINVAL;
	}
	*count = (uint32_t)n;
	return 0;
}

int evb_table_read(struct json_object *record, struct roc_evb_table *t, char reason[ROC_EVB_REASON])
{
	memset(t, 0, sizeof(*t));
	if (!json_object_is_type(record, json_type_object))
		return wrong(reason, "the table is not a JSON object");
	/* The limit leaves room for later terms and epochs. */
	if (read_number(record, "term", UINT64_MAX / 2, &t->term, reason) ||
	    read_number(record, "epoch", UINT64_MAX / 2, &t->epoch, reason) ||
	    read_number(record, "fromBlock", UINT64_MAX, &t->from_block, reason) ||
	    read_number(record, "seed", UINT64_MAX, &t->seed, reason) ||
	    read_u32(record, "policy", UINT32_MAX, &t->policy, reason) ||
	    read_places(record, "readoutUnits", t->rus, &t->ru_count, reason) ||
	    read_places(record, "builderUnits", t->bus, &t->bu_count, reason))
		return -EINVAL;
	return roc_evb_table_check(t, reason);
}

struct json_object *evb_report_record(const struct roc_evb_report *r)
{
	struct json_object *o = json_object_new_object(), *all;
	unsigned int i;

	if (!o)
		return NULL;
	add_number(o, "incarnation", r->incarnation);
	add_number(o, "epoch", r->epoch);
	add_bool(o, "hasNewest", r->has_newest);
	add_number(o, "newestBlock", r->newest_block);
	add_number(o, "blocksPerSecond", r->blocks_per_s);
	add_number(o, "openBlocks", r->open_blocks);
	add_number(o, "readyBlocks", r->ready_blocks);
	add_number(o, "freeSegments", r->free_segments);
	add_number(o, "allSegments", r->all_segments);
	add_number(o, "backlogBytes", r->backlog_bytes);
	add_bool(o, "ended", r->ended);
	add_bool(o, "hasBuilt", r->has_built);
	add_number(o, "builtBlock", r->built_block);
	all = json_object_new_array();
	for (i = 0; i < r->suspect_count && i < ROC_EVB_SUSPECTS; i++) {
		struct json_object *s = json_object_new_object();

		add_text(s, "name", r->suspects[i].name);
		add_number(s, "incarnation", r->suspects[i].incarnation);
		add_number(s, "stale", r->suspects[i].stale);
		add_bool(s, "gone", r->suspects[i].gone);
		add_bool(s, "protocolViolation", r->suspects[i].protocol_error);
		add_bool(s, "lied",
			 r->suspects[i].protocol_error); /* deprecated, for earlier versions */
		add_bool(s, "early", r->suspects[i].early);
		json_object_array_add(all, s);
	}
	json_object_object_add(o, "suspects", all);
	add_number(o, "clock", r->clock_ns);
	return o;
}

static int read_suspects(struct json_object *record, struct roc_evb_report *r, char *reason)
{
	struct json_object *all = json_object_object_get(record, "suspects");
	size_t i, n;

	if (!json_object_is_type(all, json_type_array))
		return wrong(reason, "\"suspects\" is missing or not a list");
	n = json_object_array_length(all);
	if (n > ROC_EVB_SUSPECTS)
		return wrong(reason, "\"suspects\" has %zu nodes, the limit is %d", n,
			     ROC_EVB_SUSPECTS);
	for (i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(all, i);
		struct roc_evb_suspect *s = &r->suspects[i];

		if (!json_object_is_type(one, json_type_object))
			return wrong(reason, "\"suspects\" has an element that is not an object");
		if (read_name(one, s->name, reason) ||
		    read_number(one, "incarnation", UINT64_MAX, &s->incarnation, reason) ||
		    read_u32(one, "stale", UINT32_MAX, &s->stale, reason))
			return -EINVAL;
		s->gone = read_bool(one, "gone");
		s->protocol_error = read_bool(one, "protocolViolation") || read_bool(one, "lied");
		s->early = read_bool(one, "early");
	}
	r->suspect_count = (unsigned int)n;
	return 0;
}

int evb_report_read(struct json_object *record, struct roc_evb_report *r,
		    char reason[ROC_EVB_REASON])
{
	memset(r, 0, sizeof(*r));
	if (!json_object_is_type(record, json_type_object))
		return wrong(reason, "the report is not a JSON object");
	if (read_number(record, "incarnation", UINT64_MAX, &r->incarnation, reason) ||
	    read_number(record, "epoch", UINT64_MAX, &r->epoch, reason) ||
	    read_number(record, "newestBlock", UINT64_MAX, &r->newest_block, reason) ||
	    read_number(record, "blocksPerSecond", UINT64_MAX, &r->blocks_per_s, reason) ||
	    read_u32(record, "openBlocks", UINT32_MAX, &r->open_blocks, reason) ||
	    read_u32(record, "readyBlocks", UINT32_MAX, &r->ready_blocks, reason) ||
	    read_u32(record, "freeSegments", UINT32_MAX, &r->free_segments, reason) ||
	    read_u32(record, "allSegments", UINT32_MAX, &r->all_segments, reason) ||
	    read_number(record, "backlogBytes", UINT64_MAX, &r->backlog_bytes, reason) ||
	    read_number(record, "builtBlock", UINT64_MAX, &r->built_block, reason) ||
	    read_suspects(record, r, reason))
		return -EINVAL;
	/* Nodes of earlier versions do not report their clock. */
	if (json_object_object_get_ex(record, "clock", NULL) &&
	    read_number(record, "clock", UINT64_MAX, &r->clock_ns, reason))
		return -EINVAL;
	r->has_newest = read_bool(record, "hasNewest");
	r->ended = read_bool(record, "ended");
	r->has_built = read_bool(record, "hasBuilt");
	return 0;
}

/* The number @b in the object @a, or @a itself if @b is NULL; 0 if it is not a number. */
static uint64_t number(struct json_object *o, const char *a, const char *b)
{
	struct json_object *v = json_object_object_get(o, a);

	if (b)
		v = json_object_is_type(v, json_type_object) ? json_object_object_get(v, b) : NULL;
	return json_object_is_type(v, json_type_int) ? json_object_get_uint64(v) : 0;
}

bool watch_line_read(const char *text, struct watch_line *line)
{
	struct json_object *o = json_tokener_parse(text);
	bool good = json_object_is_type(o, json_type_object);

	memset(line, 0, sizeof(*line));
	if (good)
		*line = (struct watch_line){
			.time = number(o, "time", NULL),
			.in = number(o, "sourceIn", "bytesPerSecond"),
			.sent = number(o, "sent", "bytesPerSecond"),
			.received = number(o, "received", "bytesPerSecond"),
			.out = number(o, "sinkOut", "bytesPerSecond"),
			.blocks = number(o, "sinkOut", "countPerSecond"),
			.p99_ns = number(o, "latency", "p99Ns"),
			.queue = number(o, "queue", NULL),
			.open_blocks = number(o, "openBlocks", NULL),
			.free_segments = number(o, "freeSegments", NULL),
			.all_segments = number(o, "allSegments", NULL),
			.incomplete = number(o, "incomplete", NULL),
			.dropped = number(o, "dropped", NULL),
		};
	json_object_put(o);
	return good;
}
