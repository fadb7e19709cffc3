// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Handle answers and watch events of etcd. Any client of etcd may have written a value, so each
 * value is checked completely.
 */
#include "etcd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libroc/fabric/base.h"

#define FULL_AGAIN_NS (500 * MS)
#define WATCH_MIN_NS (1000 * MS) /* a watch that ends earlier is restarted with a delay */
#define RATE_MAX 10000000	 /* blocks per second; the manager has the same limit */

static struct json_object *value_of(const struct etcd_kv *kv)
{
	return kv->value ? json_tokener_parse(kv->value) : NULL;
}

static void log_message(struct etcd *e, const char *fmt, const char *a, const char *b)
{
	char text[EVB_MESSAGE_MAX];

	if (!e->manage.log)
		return;
	snprintf(text, sizeof(text), fmt, a, b);
	e->manage.log(e->manage.log_self, text);
}

/* Log the invalid value of @key once: the value may be written or read repeatedly. */
static void log_bad_key(struct etcd *e, const char *key, const char *fmt, const char *a,
			const char *b)
{
	if (etcd_bad_key_add(&e->bad_keys, key))
		log_message(e, fmt, a, b);
}

static void update_members(struct etcd *e)
{
	evb_view_members(&e->view, e->members, e->count);
	if (e->managing)
		roc_evb_manager_members(e->manage.m, e->members, e->count, fabric_now());
}

static void remove_member(struct etcd *e, const char *name)
{
	unsigned int i;

	for (i = 0; i < e->count; i++) {
		if (!strcmp(e->members[i].name, name)) {
			e->members[i] = e->members[--e->count];
			return;
		}
	}
}

static void handle_member(struct etcd *e, const struct etcd_kv *kv, const char *name)
{
	struct json_object *o = value_of(kv);
	struct roc_evb_member m;
	char reason[ROC_EVB_REASON] = "the name in the record differs from the name of the key";

	remove_member(e, name);
	if (kv->value && (evb_member_read(o, &m, reason) || strcmp(m.name, name))) {
		log_bad_key(e, kv->key,
			    "The member record of %.40s in etcd is invalid and ignored: %.130s.",
			    name, reason);
	} else {
		etcd_bad_key_clear(&e->bad_keys, kv->key);
		if (kv->value && e->count < EVB_MEMBERS_MAX)
			e->members[e->count++] = m;
	}
	json_object_put(o);
}

/* Whether @places has a present member. Otherwise the table is of an earlier run. */
static bool names_members(const struct etcd *e, const struct roc_evb_place *places,
			  unsigned int count)
{
	unsigned int i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < e->count; k++) {
			if (!strcmp(e->members[k].name, places[i].name) &&
			    e->members[k].incarnation == places[i].incarnation)
				return true;
		}
	}
	return false;
}

/*
 * etcd accepts a table only from the newest manager, and a node receives tables in the order of
 * their revisions. So a table that is older than ours shows that etcd lost data.
 */
static void handle_older_table(struct etcd *e, const struct roc_evb_table *t)
{
	bool joined = e->joined;

	evb_view_older(&e->view, t, joined, "etcd");
	if (joined)
		e->joined = e->joining = false;
}

static void accept_table(struct etcd *e, const struct roc_evb_table *t)
{
	/* Our own table was published, but the answer to the request was lost. */
	if (e->managing && t->term == e->manage.term)
		roc_evb_manager_adopt(e->manage.m, t);
	if (names_members(e, t->rus, t->ru_count) || names_members(e, t->bus, t->bu_count) ||
	    !(t->ru_count + t->bu_count)) {
		if (evb_view_table(&e->view, t))
			handle_older_table(e, t);
	} else {
		evb_view_found(&e->view, t);
	}
}

static void handle_table(struct etcd *e, const struct etcd_kv *kv)
{
	static struct roc_evb_table t; /* too large for the stack; one thread */
	struct json_object *o = value_of(kv);
	char reason[ROC_EVB_REASON];

	if (kv->value && evb_table_read(o, &t, reason)) {
		log_bad_key(e, kv->key,
			    "The assignment table in %s is invalid and ignored: %.150s.", "etcd",
			    reason);
	} else {
		etcd_bad_key_clear(&e->bad_keys, kv->key);
		if (kv->value)
			accept_table(e, &t);
	}
	json_object_put(o);
}

static void become_manager(struct etcd *e)
{
	if (manage_begin(&e->manage, &e->cfg, e->manager_created, &e->view.table))
		return;
	e->managing = true;
	e->reports_listed = false;
	update_members(e);
}

static void resign(struct etcd *e)
{
	if (!e->managing)
		return;
	e->managing = false;
	manage_end(&e->manage);
	http_cancel(e->http, ETCD_PUBLISH);
	if (!e->statuses) {
		http_cancel(e->http, ETCD_REPORTS);
		http_cancel(e->http, ETCD_REPORT_LIST);
	}
	log_message(e, "Node %s is no longer the manager: %s.", e->me.name,
		    "its key in etcd was deleted or belongs to another node");
}

static void handle_manager(struct etcd *e, const struct etcd_kv *kv)
{
	bool ours = kv->value && e->joined && kv->lease == e->lease && e->lease;

	e->manager_created = kv->value ? kv->created : 0;
	evb_view_leader(&e->view, kv->value && roc_evb_name_valid(kv->value) ? kv->value : "");
	if (ours && !e->managing)
		become_manager(e);
	else if (!ours)
		resign(e);
}

static void handle_kv(struct etcd *e, const struct etcd_kv *kv)
{
	size_t length = strlen(etcd_key(e, "", ""));
	const char *what = kv->key + length;

	if (strncmp(kv->key, etcd_key(e, "", ""), length))
		return;
	if (!strncmp(what, "members/", 8))
		handle_member(e, kv, what + 8);
	else if (!strcmp(what, "manager"))
		handle_manager(e, kv);
	else if (!strcmp(what, "table"))
		handle_table(e, kv);
}

static void update_status(struct etcd *e, const char *name, struct json_object *status)
{
	const char *line = json_object_to_json_string_ext(status, JSON_C_TO_STRING_PLAIN);
	unsigned int i;

	for (i = 0; i < e->status_count && strcmp(e->statuses[i].name, name); i++)
		;
	if (!status) {
		if (i < e->status_count)
			e->statuses[i] = e->statuses[--e->status_count];
		return;
	}
	if (i == EVB_MEMBERS_MAX || strlen(line) >= EVB_STATUS_MAX)
		return;
	e->status_count = i == e->status_count ? i + 1 : e->status_count;
	strcpy(e->statuses[i].name, name);
	strcpy(e->statuses[i].line, line);
}

/*
 * Extrapolate a report that was found in etcd. Its age is unknown, but reports are written once per
 * second, so the node is at most one second of blocks further. A table that begins a little later
 * does no harm. If a table begins before a block that a node has packed, parts of this block go to
 * different builders.
 */
static void extrapolate(struct roc_evb_report *r)
{
	uint64_t blocks = r->blocks_per_s < RATE_MAX ? r->blocks_per_s : RATE_MAX;

	r->newest_block += r->newest_block <= UINT64_MAX - blocks ? blocks : 0;
	r->clock_ns = 0;
}

static void handle_report(struct etcd *e, const struct etcd_kv *kv, bool found)
{
	size_t length = strlen(etcd_report_key(e, ""));
	const char *name = kv->key + length;
	struct json_object *o;
	struct roc_evb_report r;
	char reason[ROC_EVB_REASON];

	if (strncmp(kv->key, etcd_report_key(e, ""), length) || !roc_evb_name_valid(name))
		return;
	o = value_of(kv);
	if (e->managing && kv->value) {
		if (evb_report_read(json_object_object_get(o, "report"), &r, reason)) {
			log_bad_key(e, kv->key,
				    "The report of node %s in etcd is invalid and ignored: %.130s.",
				    name, reason);
		} else {
			etcd_bad_key_clear(&e->bad_keys, kv->key);
			if (found)
				extrapolate(&r);
			roc_evb_manager_report(e->manage.m, name, &r, fabric_now());
		}
	}
	if (!kv->value)
		etcd_bad_key_clear(&e->bad_keys, kv->key);
	if (e->statuses)
		update_status(e, name,
			      json_object_is_type(o, json_type_object)
				      ? json_object_object_get(o, "status")
				      : NULL);
	json_object_put(o);
}

static void handle_watched_report(struct etcd *e, const struct etcd_kv *kv)
{
	handle_report(e, kv, false);
}

static void handle_listed_report(struct etcd *e, const struct etcd_kv *kv)
{
	handle_report(e, kv, true);
}

typedef void kv_fn(struct etcd *e, const struct etcd_kv *kv);

static void handle_list(struct etcd *e, struct json_object *answer, kv_fn *fn)
{
	struct json_object *list = json_object_object_get(answer, "kvs");
	size_t i,
		n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	struct etcd_kv kv;

	for (i = 0; i < n; i++) {
		if (etcd_kv_read(json_object_array_get_idx(list, i), false, &kv))
			fn(e, &kv);
		etcd_kv_free(&kv);
	}
}

/* Handle a line of a watch; false: etcd cancelled the watch. */
static bool handle_events(struct etcd *e, struct json_object *line, kv_fn *fn)
{
	struct json_object *result = json_object_object_get(line, "result");
	struct json_object *list, *type;
	struct etcd_kv kv;
	size_t i, n;

	if (!json_object_is_type(result, json_type_object) ||
	    json_object_get_boolean(json_object_object_get(result, "canceled")))
		return false;
	list = json_object_object_get(result, "events");
	n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	for (i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		bool deleted;

		if (!json_object_is_type(one, json_type_object))
			continue;
		type = json_object_object_get(one, "type");
		deleted = type && !strcmp(json_object_get_string(type), "DELETE");
		if (etcd_kv_read(json_object_object_get(one, "kv"), deleted, &kv))
			fn(e, &kv);
		etcd_kv_free(&kv);
	}
	return true;
}

static void handle_state(struct etcd *e, struct json_object *answer)
{
	uint64_t revision = etcd_revision(answer);
	const struct etcd_kv none = {.value = NULL};
	uint64_t before = e->manager_created;

	e->count = 0;
	e->manager_created = 0;
	handle_list(e, answer, handle_kv);
	if (!e->manager_created && before)
		handle_manager(e, &none);
	update_members(e);
	e->listed = e->contacted = true;
	etcd_post(e, ETCD_WATCH, "watch", etcd_watch(etcd_key(e, "", ""), revision + 1), true);
	if (e->listed)
		evb_view_back(&e->view);
}

static void handle_join(struct etcd *e, struct json_object *answer)
{
	struct json_object *list, *range = NULL;
	struct roc_evb_member m = {0};
	uint64_t now = fabric_now();
	char reason[ROC_EVB_REASON];
	struct etcd_kv kv = {.value = NULL};

	if (json_object_get_boolean(json_object_object_get(answer, "succeeded"))) {
		e->joined = true;
		e->name_taken = 0;
		return;
	}
	list = json_object_object_get(answer, "responses");
	if (json_object_is_type(list, json_type_array) && json_object_array_length(list))
		range = json_object_object_get(json_object_array_get_idx(list, 0),
					       "response_range");
	list = range ? json_object_object_get(range, "kvs") : NULL;
	if (json_object_is_type(list, json_type_array) && json_object_array_length(list) &&
	    etcd_kv_read(json_object_array_get_idx(list, 0), false, &kv)) {
		struct json_object *o = value_of(&kv);

		evb_member_read(o, &m, reason);
		json_object_put(o);
	}
	/* The key is ours if the answer to our request was lost. */
	e->joined = kv.lease && kv.lease == e->lease && m.incarnation == e->me.incarnation;
	etcd_kv_free(&kv);
	if (e->joined)
		return;
	/* The key may be of this node before its restart: then its lease expires. */
	e->name_taken = e->name_taken ? e->name_taken : now;
	e->again = now + 300 * MS;
	if (now - e->name_taken < (2 * e->ttl + 1) * FABRIC_NS_PER_S)
		return;
	snprintf(
		e->reason, sizeof(e->reason),
		"The name %s is already in use by another node of system %s, which is alive: set another --name for each node.",
		e->me.name, e->system);
	e->ended = -EEXIST;
}

static void handle_token(struct etcd *e, struct json_object *answer)
{
	const char *token = etcd_auth_token(answer);

	e->auth.known = token && !http_authorize(e->http, token);
	if (!e->auth.known)
		etcd_away(e, ETCD_COMMAND, -EPROTO,
			  "the answer to the authentication has no token");
}

static void handle_command(struct etcd *e, struct json_object *answer)
{
	switch (e->step) {
	case STEP_AUTH:
		handle_token(e, answer);
		break;
	case STEP_REVOKE:
		e->old_lease = 0;
		break;
	case STEP_GRANT:
		e->lease = etcd_number(answer, "ID");
		e->renewed = e->granted;
		break;
	case STEP_JOIN:
		handle_join(e, answer);
		break;
	case STEP_LIST:
		handle_state(e, answer);
		break;
	default:
		/* The watch reports the new manager. Do not try again before that. */
		e->again = fabric_now() + 200 * MS;
		break;
	}
}

/* etcd deleted the keys with the lease: the member's key, and the manager's key if it was ours. */
static void lease_expired(struct etcd *e)
{
	e->lease = 0;
	e->joined = e->joining = false;
	resign(e);
	evb_view_out(&e->view, "The lease of node %s in etcd expired: the node joins again.",
		     e->me.name);
}

static void handle_keepalive(struct etcd *e, struct json_object *answer)
{
	if (!etcd_number(json_object_object_get(answer, "result"), "TTL"))
		lease_expired(e);
}

static void handle_publish(struct etcd *e, struct json_object *answer)
{
	if (!e->managing)
		return;
	if (json_object_get_boolean(json_object_object_get(answer, "succeeded"))) {
		manage_published(&e->manage);
		return;
	}
	log_message(e, "etcd refused the assignment table of node %s: %s.", e->me.name,
		    "another node is the manager now");
	e->listed = false;
	http_cancel(e->http, ETCD_WATCH);
	resign(e);
}

void etcd_manage(struct etcd *e, uint64_t now)
{
	const struct roc_evb_table *t;
	struct json_object *o;

	if ((e->managing || e->statuses) && e->listed && !e->reports_listed && now >= e->again &&
	    !http_busy(e->http, ETCD_REPORT_LIST) && !http_busy(e->http, ETCD_REPORTS))
		etcd_post(e, ETCD_REPORT_LIST, "kv/range", etcd_list(etcd_report_key(e, "")),
			  false);
	if (!e->managing || !e->listed || e->view.lost || http_busy(e->http, ETCD_PUBLISH) ||
	    (e->full && now - e->refused < FULL_AGAIN_NS))
		return;
	t = manage_step(&e->manage, now);
	if (!t)
		return;
	o = evb_table_record(t);
	etcd_post(e, ETCD_PUBLISH, "kv/txn",
		  etcd_put_guarded(etcd_key(e, "manager", ""), e->manager_created,
				   etcd_key(e, "table", ""),
				   json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN)),
		  false);
	json_object_put(o);
}

/* An unknown lease is not a failure of the connection to etcd. */
static bool unknown_lease(struct etcd *e, unsigned int place, int result, const char *reason)
{
	if (result != -EPROTO || !strstr(reason, "lease not found"))
		return false;
	if (place == ETCD_COMMAND && e->step == STEP_REVOKE)
		e->old_lease = 0;
	else if (place == ETCD_COMMAND && e->joined)
		lease_expired(e);
	else if (place == ETCD_COMMAND)
		e->lease = 0;
	return true;
}

/* A full database is not a failure of the connection either: reads and watches continue. */
static bool is_full(struct etcd *e, unsigned int place, int result, const char *reason)
{
	if (result != -EPROTO || !strstr(reason, "database space exceeded"))
		return false;
	if (!e->full)
		log_message(
			e,
			"etcd at %.60s refuses all writes (%.120s): enable its compaction, see roc-evb(1).",
			e->urls[e->call_url[place]], reason);
	e->full = true;
	if (place == ETCD_COMMAND)
		e->again = fabric_now() + FULL_AGAIN_NS;
	else if (place == ETCD_PUBLISH)
		e->refused = fabric_now();
	return true;
}

/* Called when a report was written: members write reports more often than anything else. */
static void clear_full(struct etcd *e)
{
	if (e->full)
		log_message(e, "etcd at %.60s %s.", e->urls[e->call_url[ETCD_REPORT]],
			    "accepts writes again");
	e->full = false;
}

/*
 * Handle an authentication error. At the start it ends the node; later the node retries. False:
 * another error.
 */
static bool auth_failed(struct etcd *e, unsigned int place, int result, const char *reason)
{
	char message[ROC_EVB_REASON];

	switch (result == -EPROTO ? etcd_auth_judge(&e->auth, reason, message) : ETCD_AUTH_OTHER) {
	case ETCD_AUTH_AGAIN:
		/* The request for a new token must not carry the expired one. */
		http_authorize(e->http, NULL);
		e->again = fabric_now() + 100 * MS;
		e->listed &= place != ETCD_WATCH;
		e->reports_listed &= place != ETCD_REPORTS;
		return true;
	case ETCD_AUTH_OFF:
		return true;
	case ETCD_AUTH_REFUSED:
		if (e->contacted)
			return false;
		memcpy(e->reason, message, sizeof(e->reason));
		e->ended = -EACCES;
		return true;
	default:
		return false;
	}
}

/*
 * A watch ended: list its keys again, so that no change is lost. A proxy may end each watch after a
 * minute. If a watch ends soon after its start, delay the next one to limit the load of etcd.
 */
static void watch_ended(struct etcd *e, unsigned int place)
{
	uint64_t now = fabric_now();

	if (place == ETCD_WATCH)
		e->listed = false;
	else
		e->reports_listed = false;
	if (now - e->call_time[place] < WATCH_MIN_NS)
		e->again = now + WATCH_MIN_NS / 2;
}

static void call_done(struct etcd *e, unsigned int place, struct json_object *answer)
{
	uint64_t revision;

	switch ((enum etcd_place)place) {
	case ETCD_COMMAND:
		handle_command(e, answer);
		break;
	case ETCD_KEEP:
		handle_keepalive(e, answer);
		break;
	case ETCD_PUBLISH:
		handle_publish(e, answer);
		break;
	case ETCD_REPORT_LIST:
		revision = etcd_revision(answer);
		handle_list(e, answer, handle_listed_report);
		e->reports_listed = true;
		etcd_post(e, ETCD_REPORTS, "watch",
			  etcd_watch(etcd_report_key(e, ""), revision + 1), true);
		break;
	case ETCD_WATCH:
	case ETCD_REPORTS:
		watch_ended(e, place);
		break;
	case ETCD_REPORT:
		clear_full(e);
		break;
	case ETCD_CONTACT:
		break;
	}
}

void etcd_answer(void *self, unsigned int place, int result, struct json_object *answer,
		 const char *reason)
{
	struct etcd *e = self;

	if (result < 0) {
		if (!auth_failed(e, place, result, reason) &&
		    !unknown_lease(e, place, result, reason) && !is_full(e, place, result, reason))
			etcd_away(e, (enum etcd_place)place, result, reason);
	} else if (!result) {
		call_done(e, place, answer);
	} else if (place == ETCD_WATCH) {
		if (handle_events(e, answer, handle_kv)) {
			update_members(e);
		} else {
			/*
			 * etcd cancelled the watch, for example because it is too far behind: list
			 * all keys again.
			 */
			http_cancel(e->http, place);
			watch_ended(e, place);
		}
	} else if (!handle_events(e, answer, handle_watched_report)) {
		http_cancel(e->http, place);
		watch_ended(e, place);
	}
}
