// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz the data that roc-evb reads from a manager, from nodes and from etcd: JSON of members,
 * tables, reports, keys and lines. The first byte selects the rest. Accepted input is written and
 * read again, and must be the same.
 */
#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "utils/evb/coordinator.h"
#include "utils/evb/etcd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char reason[ROC_EVB_REASON];

static void must(int condition)
{
	if (!condition)
		abort();
}

static void member(struct json_object *o)
{
	struct roc_evb_member a, b;
	struct json_object *again;

	if (evb_member_read(o, &a, reason)) {
		must(strlen(reason) > 0);
		return;
	}
	must(roc_evb_name_valid(a.name));
	again = evb_member_record(&a);
	must(!evb_member_read(again, &b, reason) && !memcmp(&a, &b, sizeof(a)));
	json_object_put(again);
}

static void table(struct json_object *o)
{
	static struct roc_evb_table a, b;
	struct json_object *again;

	if (evb_table_read(o, &a, reason)) {
		must(strlen(reason) > 0);
		return;
	}
	must(!roc_evb_table_check(&a, reason));
	if (a.bu_count) {
		must(roc_evb_builder(&a, a.from_block) < a.bu_count);
		must(roc_evb_turn(&a, 1, 5) < 5 + a.bu_count);
	}
	again = evb_table_record(&a);
	must(!evb_table_read(again, &b, reason) && !memcmp(&a, &b, sizeof(a)));
	json_object_put(again);
}

static void report(struct json_object *o)
{
	struct roc_evb_report a, b;
	struct json_object *again;

	if (evb_report_read(o, &a, reason)) {
		must(strlen(reason) > 0);
		return;
	}
	must(a.suspect_count <= ROC_EVB_SUSPECTS);
	again = evb_report_record(&a);
	must(!evb_report_read(again, &b, reason) && !memcmp(&a, &b, sizeof(a)));
	json_object_put(again);
}

static void key(struct json_object *o)
{
	struct etcd_kv kv;

	if (etcd_kv_read(o, false, &kv)) {
		must(strlen(kv.key) < ETCD_KEY_MAX && !kv.value[kv.length]);
		etcd_kv_free(&kv);
	}
	etcd_revision(o);
	etcd_number(o, "lease");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct watch_line line;
	struct json_object *o;
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	must(!!text);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	o = json_tokener_parse(text);
	switch (data[0]) {
	case 'm':
		member(o);
		break;
	case 't':
		table(o);
		break;
	case 'r':
		report(o);
		break;
	case 'k':
		if (json_object_is_type(o, json_type_object))
			key(o);
		break;
	default:
		watch_line_read(text, &line);
		break;
	}
	json_object_put(o);
	free(text);
	return 0;
}
