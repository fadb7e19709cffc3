// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The coordinator static:FILE: the connection of a node to the manager that the file names. In the
 * node of the manager static_star.c is the other end of all connections. Without the manager a node
 * continues with its last table, and reconnects.
 */
#include "coordinator.h"

#include <errno.h>
#include <json-c/json.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libroc/fabric/control.h"
#include "static.h"

#define MS UINT64_C(1000000)
#define TURN_NS MS	       /* minimum interval of turns: a busy loop polls more often */
#define AGAIN_NS (500 * MS)    /* between two attempts to connect */
#define CONNECT_NS (2000 * MS) /* limit of one attempt to connect */
#define REPORT_NS (200 * MS)

struct status_line {
	char name[ROC_EVB_NAME];
	char line[EVB_STATUS_MAX];
};

struct spoke {
	struct evb_static_file file;
	struct star *star;     /* NULL: this node is not the manager */
	char host[NI_MAXHOST]; /* address of the manager: resolving its name may block */
	struct evb_view view;
	struct roc_evb_member me;
	bool watches, joined; /* a watcher; a member that called join() */
	struct control connecting;
	struct line line;
	bool welcome;
	uint64_t last_turn, last_try, received, sent, reported;
	uint64_t refused; /* since when the manager refuses our name as in use; 0: it does not */
	unsigned int suspects;
	struct status_line *statuses; /* newest status lines; NULL: not a watcher */
	unsigned int status_count;
	char reason[ROC_EVB_REASON];
};

static uint64_t lease(const struct spoke *s)
{
	return s->file.lease_ms * MS;
}

static const char *address(const struct spoke *s, char text[ROC_EVB_HOST + ROC_EVB_PORT + 1])
{
	snprintf(text, ROC_EVB_HOST + ROC_EVB_PORT + 1, "%s:%s", s->file.manager->m.host,
		 s->file.manager->manager_port);
	return text;
}

static void disconnect(struct spoke *s, const char *reason)
{
	char text[ROC_EVB_HOST + ROC_EVB_PORT + 1];

	line_close(&s->line);
	control_close(&s->connecting);
	s->welcome = false;
	evb_view_lost(
		&s->view,
		"The manager %s at %s cannot be reached (%s): the node continues with its last assignment table.",
		s->file.manager->m.name, address(s, text), reason);
}

static int send_object(struct spoke *s, struct json_object *o, uint64_t now)
{
	s->sent = now;
	return line_send(&s->line, o);
}

static struct json_object *message(const char *key, struct json_object *value)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, key, value);
	return o;
}

static void introduce(struct spoke *s, uint64_t now)
{
	struct json_object *o = s->watches ? message("watch", json_object_new_boolean(true))
					   : message("join", evb_member_record(&s->me));

	json_object_object_add(o, "system", json_object_new_string(s->file.system));
	json_object_object_add(o, "version", json_object_new_int(STAR_VERSION));
	if (s->view.table.epoch)
		json_object_object_add(o, "have", evb_table_record(&s->view.table));
	send_object(s, o, now);
}

/* Drop the status lines of nodes that left. */
static void drop_departed(struct spoke *s)
{
	unsigned int i, k;

	for (i = 0; i < s->status_count;) {
		for (k = 0; k < s->view.member_count; k++) {
			if (!strcmp(s->statuses[i].name, s->view.members[k].name))
				break;
		}
		if (k == s->view.member_count)
			s->statuses[i] = s->statuses[--s->status_count];
		else
			i++;
	}
}

static void handle_members(struct spoke *s, struct json_object *list)
{
	static struct roc_evb_member all[EVB_MEMBERS_MAX]; /* too large for the stack; one thread */
	size_t i,
		n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	unsigned int count = 0;
	char reason[ROC_EVB_REASON];

	for (i = 0; i < n && count < EVB_MEMBERS_MAX; i++) {
		if (!evb_member_read(json_object_array_get_idx(list, i), &all[count], reason))
			count++;
	}
	evb_view_members(&s->view, all, count);
	if (s->statuses)
		drop_departed(s);
}

static void handle_status(struct spoke *s, struct json_object *o)
{
	const char *name = json_object_get_string(json_object_object_get(o, "node"));
	const char *line = json_object_to_json_string_ext(json_object_object_get(o, "status"),
							  JSON_C_TO_STRING_PLAIN);
	unsigned int i;

	if (!s->statuses || !name || !roc_evb_name_valid(name) || strlen(line) >= EVB_STATUS_MAX)
		return;
	for (i = 0; i < s->status_count && strcmp(s->statuses[i].name, name); i++)
		;
	if (i == EVB_MEMBERS_MAX)
		return;
	s->status_count = i == s->status_count ? i + 1 : s->status_count;
	strcpy(s->statuses[i].name, name);
	strcpy(s->statuses[i].line, line);
}

/* Handle a message of the manager: 0, or -errno to end the node. */
static int handle_message(struct spoke *s, struct json_object *o, uint64_t now)
{
	static struct roc_evb_table t; /* too large for the stack; one thread */
	struct json_object *v = NULL;
	char reason[ROC_EVB_REASON];

	if (json_object_object_get_ex(o, "welcome", &v)) {
		s->welcome = true;
		s->refused = 0;
		evb_view_back(&s->view);
		evb_view_leader(&s->view, s->file.manager->m.name);
	} else if (json_object_object_get_ex(o, "refused", &v)) {
		const char *text = json_object_get_string(v);

		/*
		 * The name may be in use by this node before its restart: its lease has not
		 * expired.
		 */
		s->refused = s->refused ? s->refused : now;
		if (json_object_get_boolean(json_object_object_get(o, "taken")) &&
		    now - s->refused < 2 * lease(s)) {
			s->last_try = now;
			line_close(&s->line);
			return 0;
		}
		snprintf(s->reason, sizeof(s->reason), "The manager %s refuses this node: %.300s",
			 s->file.manager->m.name, text ? text : "");
		return json_object_get_boolean(json_object_object_get(o, "taken")) ? -EEXIST
										   : -EPERM;
	} else if (json_object_object_get_ex(o, "members", &v)) {
		handle_members(s, v);
	} else if (json_object_object_get_ex(o, "table", &v)) {
		if (evb_table_read(v, &t, reason))
			disconnect(s, reason);
		else if (evb_view_table(&s->view, &t))
			evb_view_older(&s->view, &t, !s->watches, "the manager");
	} else if (json_object_object_get_ex(o, "node", &v)) {
		handle_status(s, o);
	}
	return 0;
}

static void connect_again(struct spoke *s, uint64_t now)
{
	const struct evb_static_node *n = s->file.manager;
	char reason[FABRIC_REASON] = "";
	int done;

	if (s->connecting.fd < 0) {
		if (s->last_try && now - s->last_try < AGAIN_NS)
			return;
		s->last_try = now;
		if (control_connect(&s->connecting, s->host, n->manager_port, reason))
			return disconnect(s, reason);
	}
	done = control_connected(&s->connecting);
	if (done < 0 || (!done && now - s->last_try > CONNECT_NS))
		return disconnect(s, done ? strerror(-done) : "no answer within 2000 ms");
	if (!done)
		return;
	line_open(&s->line, s->connecting.fd);
	s->connecting.fd = -1;
	s->received = now;
	introduce(s, now);
}

static int receive_lines(struct spoke *s, uint64_t now)
{
	struct json_object *o;
	int ret = line_read(&s->line), end;
	bool bad = false;

	while (s->line.fd >= 0 && (o = line_next(&s->line, &bad))) {
		s->received = now;
		end = handle_message(s, o, now);
		json_object_put(o);
		if (end)
			return end;
	}
	if (s->line.fd < 0)
		return 0;
	if (!ret && now - s->sent > lease(s) / 4)
		ret = send_object(s, message("beat", json_object_new_boolean(true)), now);
	if (!ret)
		ret = line_flush(&s->line);
	if (ret || bad)
		disconnect(s, bad ? "the manager sent a line that is not a JSON object"
				  : strerror(-ret));
	else if (now - s->received > lease(s))
		disconnect(s, "no message for longer than lease-ms");
	return 0;
}

static int static_poll(void *self, struct roc_evb_news *news)
{
	struct spoke *s = self;
	uint64_t now = fabric_now();
	int ret = 0;

	if (now - s->last_turn >= TURN_NS && (s->joined || s->watches)) {
		s->last_turn = now;
		if (s->star)
			star_turn(s->star, now);
		if (s->line.fd < 0)
			connect_again(s, now);
		if (s->line.fd >= 0)
			ret = receive_lines(s, now);
	}
	return ret ? ret : evb_view_poll(&s->view, news);
}

static int static_join(void *self, const struct roc_evb_member *me)
{
	struct spoke *s = self;

	s->me = *me;
	s->joined = true;
	if (s->line.fd >= 0)
		introduce(s, fabric_now());
	return 0;
}

static int static_report(void *self, const struct roc_evb_report *r)
{
	struct spoke *s = self;
	uint64_t now = fabric_now();

	if (!s->welcome || (now - s->reported < REPORT_NS && r->suspect_count == s->suspects))
		return 0;
	s->reported = now;
	s->suspects = r->suspect_count;
	send_object(s, message("report", evb_report_record(r)), now);
	return 0;
}

static int static_leave(void *self)
{
	struct spoke *s = self;

	/* The manager treats the end of the connection as the departure of the node. */
	s->joined = false;
	line_close(&s->line);
	control_close(&s->connecting);
	if (s->star)
		star_turn(s->star, fabric_now());
	return 0;
}

static void static_idle(void *self, struct roc_idle *idle)
{
	struct spoke *s = self;

	if (s->view.news)
		roc_idle_ns(idle, 0);
	if (s->star)
		star_idle(s->star, idle);
	if (s->connecting.fd >= 0)
		roc_idle_fd(idle, s->connecting.fd, POLLOUT);
	if (s->line.fd >= 0)
		roc_idle_fd(idle, s->line.fd, line_waits(&s->line) ? POLLIN | POLLOUT : POLLIN);
	roc_idle_ns(idle, s->line.fd < 0 ? 50 * MS : lease(s) / 8);
}

static const char *static_reason(void *self)
{
	return ((struct spoke *)self)->reason;
}

static void static_status(void *self, const char *line, size_t length)
{
	struct spoke *s = self;
	struct json_object *o;

	if (!s->welcome || length >= EVB_STATUS_MAX)
		return;
	o = json_tokener_parse(line);
	if (o)
		send_object(s, message("status", o), fabric_now());
}

static void static_statuses(void *self, evb_status_fn *fn, void *fn_self)
{
	struct spoke *s = self;
	unsigned int i;

	for (i = 0; i < s->status_count; i++)
		fn(fn_self, s->statuses[i].name, s->statuses[i].line);
}

static void static_close(void *self)
{
	struct spoke *s = self;

	line_close(&s->line);
	control_close(&s->connecting);
	star_close(s->star);
	evb_static_free(&s->file);
	free(s->statuses);
	free(s);
}

static const struct roc_evb_coordinator_ops static_ops = {
	.name = "static",
	.join = static_join,
	.poll = static_poll,
	.report = static_report,
	.leave = static_leave,
	.idle = static_idle,
	.reason = static_reason,
};

/* Resolve the host of the manager once, before the loop, because getaddrinfo() blocks. */
static int resolve_manager(struct spoke *s, char reason[ROC_EVB_REASON])
{
	const struct evb_static_node *n = s->file.manager;
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *list;
	int ret = getaddrinfo(n->m.host, NULL, &hints, &list);

	if (!ret) {
		ret = getnameinfo(list->ai_addr, list->ai_addrlen, s->host, sizeof(s->host), NULL,
				  0, NI_NUMERICHOST);
		freeaddrinfo(list);
	}
	if (!ret)
		return 0;
	snprintf(reason, ROC_EVB_REASON,
		 "The host of the manager %s, \"%s\", cannot be resolved: %s.", n->m.name,
		 n->m.host, gai_strerror(ret));
	return -EHOSTUNREACH;
}

/* Find this node in the file, and start the manager if this node is the manager. */
static int find_me(struct spoke *s, const struct evb_coordinator_config *cfg, const char *path,
		   char reason[ROC_EVB_REASON])
{
	const struct evb_static_node *n;

	if (cfg->system && strcmp(cfg->system, s->file.system)) {
		snprintf(reason, ROC_EVB_REASON, "%s is for the system %s, but --system is %s.",
			 path, s->file.system, cfg->system);
		return -EINVAL;
	}
	if (!cfg->name) {
		s->watches = true;
		s->statuses = calloc(EVB_MEMBERS_MAX, sizeof(*s->statuses));
		return s->statuses ? 0 : -ENOMEM;
	}
	n = evb_static_find(&s->file, cfg->name);
	if (!n) {
		snprintf(reason, ROC_EVB_REASON,
			 "%s has no section [%s]: add this node to the file, or correct --name.",
			 path, cfg->name);
		return -EINVAL;
	}
	s->me = n->m;
	if (n != s->file.manager)
		return 0;
	return star_open(&s->file, &cfg->manager, cfg->log, cfg->log_self, &s->star, reason);
}

int evb_coordinator_static(const struct evb_coordinator_config *cfg, const char *where,
			   struct evb_coordinator *c, char reason[ROC_EVB_REASON])
{
	struct spoke *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->line.fd = -1;
	s->connecting.fd = -1;
	ret = evb_static_read(where, &s->file, reason);
	if (!ret)
		ret = resolve_manager(s, reason);
	if (!ret)
		ret = find_me(s, cfg, where, reason);
	if (ret) {
		static_close(s);
		return ret;
	}
	*c = (struct evb_coordinator){
		.ops = &static_ops,
		.self = s,
		.me = s->me,
		.lease_ns = lease(s),
		.view = &s->view,
		.manage = s->star ? star_manage(s->star) : NULL,
		.status = static_status,
		.statuses = static_statuses,
		.close = static_close,
	};
	strcpy(c->system, s->file.system);
	return 0;
}
