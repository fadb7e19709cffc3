// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The manager of static:FILE: the central end of the connections of all nodes.
 */
#include "static.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "coordinator.h"
#include "libroc/fabric/base.h"
#include "libroc/fabric/control.h"

#define PEERS (EVB_MEMBERS_MAX + 64) /* members and watchers */
#define HELLO_NS (2 * FABRIC_NS_PER_S)
#define RETURN_NS (FABRIC_NS_PER_S / 2) /* interval in which nodes try to connect */

struct peer {
	struct line line;
	bool member, watcher;
	bool refused;
	struct roc_evb_member m;
	uint64_t heard;
	char status[EVB_STATUS_MAX];
	size_t status_bytes;
};

struct star {
	const struct evb_static_file *file;
	int fd;
	struct peer *peers[PEERS];
	unsigned int count;
	bool changed;  /* the list of members */
	bool no_files; /* no file descriptor is free for a waiting connection */
	uint64_t lease_ns, beat;
	uint64_t found; /* time when a node reported the table of an earlier manager; 0: none did */
	struct manage manage;
	struct roc_evb_table table;
	void (*log)(void *self, const char *message);
	void *log_self;
	struct rate_limit log_limit;
};

static void log_message(struct star *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void log_message(struct star *s, const char *fmt, ...)
{
	char text[EVB_MESSAGE_MAX];
	unsigned int left_out;
	va_list ap;

	if (!s->log)
		return;
	left_out = rate_limit_dropped(&s->log_limit, fabric_now());
	if (left_out) {
		snprintf(text, sizeof(text), RATE_LIMIT_DROPPED, left_out);
		s->log(s->log_self, text);
	}
	if (!rate_limit_admits(&s->log_limit))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->log(s->log_self, text);
}

int star_open(const struct evb_static_file *file, const struct roc_evb_manager_config *times,
	      void (*log_fn)(void *self, const char *message), void *log_self, struct star **star,
	      char reason[ROC_EVB_REASON])
{
	const struct evb_static_node *n = file->manager;
	struct roc_evb_manager_config cfg = *times;
	struct roc_evb_table none = {0};
	struct star *s = calloc(1, sizeof(*s));
	int ret;

	if (!s) {
		snprintf(reason, ROC_EVB_REASON, "Cannot allocate the state of the manager.");
		return -ENOMEM;
	}
	cfg.policy = file->policy;
	cfg.seed = file->seed;
	cfg.readouts = (uint32_t)file->readouts;
	cfg.builders = (uint32_t)file->builders;
	s->file = file;
	s->lease_ns = cfg.lease_ns = file->lease_ms * 1000000;
	s->log = log_fn;
	s->log_self = log_self;
	s->manage.log = log_fn;
	s->manage.log_self = log_self;
	s->fd = control_listen(n->m.host, n->manager_port, reason);
	if (s->fd < 0) {
		ret = s->fd;
		if (ret == -EADDRINUSE)
			snprintf(
				reason, ROC_EVB_REASON,
				"The manager cannot listen at %s port %s, which is in use: check that no second manager runs there.",
				n->m.host, n->manager_port);
		goto fail;
	}
	/* The term is seconds since 1970, so a restarted manager has a higher term. */
	ret = manage_begin(&s->manage, &cfg, fabric_realtime() / FABRIC_NS_PER_S, &none);
	if (ret) {
		snprintf(reason, ROC_EVB_REASON, "Cannot start the manager %s: %s.", n->m.name,
			 strerror(-ret));
		goto fail;
	}
	*star = s;
	return 0;
fail:
	star_close(s);
	return ret;
}

static void drop(struct star *s, unsigned int i)
{
	struct peer *p = s->peers[i];

	s->changed |= p->member;
	line_close(&p->line);
	free(p);
	s->peers[i] = s->peers[--s->count];
}

void star_close(struct star *s)
{
	if (!s)
		return;
	while (s->count)
		drop(s, s->count - 1);
	if (s->fd >= 0)
		close(s->fd);
	if (s->manage.m)
		manage_end(&s->manage);
	free(s);
}

const struct manage *star_manage(const struct star *s)
{
	return &s->manage;
}

static struct json_object *with(const char *key, struct json_object *value)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, key, value);
	return o;
}

static void refuse(struct star *s, struct peer *p, bool taken, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void refuse(struct star *s, struct peer *p, bool taken, const char *fmt, ...)
{
	char text[EVB_MESSAGE_MAX];
	struct json_object *o;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	o = with("refused", json_object_new_string(text));
	json_object_object_add(o, "taken", json_object_new_boolean(taken));
	line_send(&p->line, o);
	p->refused = true;
	if (!taken) /* a node with a name in use tries repeatedly: do not log each attempt */
		log_message(s, "A node was refused: %s", text);
}

static struct json_object *members(const struct star *s)
{
	struct json_object *all = json_object_new_array();
	unsigned int i;

	for (i = 0; i < s->count; i++) {
		if (s->peers[i]->member)
			json_object_array_add(all, evb_member_record(&s->peers[i]->m));
	}
	return with("members", all);
}

static struct json_object *status_of(const struct peer *p)
{
	struct json_object *o = with("node", json_object_new_string(p->m.name));

	json_object_object_add(o, "status", json_tokener_parse(p->status));
	return o;
}

/* Send the present state to a node or watcher that connected. */
static void welcome(struct star *s, struct peer *p)
{
	struct json_object *o = with("welcome", json_object_new_boolean(true));
	unsigned int i;

	json_object_object_add(o, "manager", json_object_new_string(s->file->manager->m.name));
	line_send(&p->line, o);
	if (s->table.epoch)
		line_send(&p->line, with("table", evb_table_record(&s->table)));
	if (!p->watcher)
		return;
	line_send(&p->line, members(s));
	for (i = 0; i < s->count; i++) {
		if (s->peers[i]->status_bytes)
			line_send(&p->line, status_of(s->peers[i]));
	}
}

/* Send an object to all members and watchers, and put it. */
static void send_all(struct star *s, struct json_object *o)
{
	unsigned int i;

	for (i = 0; i < s->count; i++) {
		if (s->peers[i]->member || s->peers[i]->watcher)
			line_send(&s->peers[i]->line, json_object_get(o));
	}
	json_object_put(o);
}

/* The table of a node may be newer than ours: an earlier manager wrote it. */
static void adopt_table(struct star *s, struct json_object *have, uint64_t now)
{
	static struct roc_evb_table t; /* too large for the stack; one thread */
	char reason[ROC_EVB_REASON];

	if (!have || evb_table_read(have, &t, reason) || t.epoch <= s->table.epoch)
		return;
	s->table = t;
	s->found = s->found ? s->found : now;
	manage_found(&s->manage, &t);
	send_all(s, with("table", evb_table_record(&t)));
}

static bool same_system(struct star *s, struct peer *p, struct json_object *o)
{
	const char *system = json_object_get_string(json_object_object_get(o, "system"));

	if (json_object_get_int64(json_object_object_get(o, "version")) != STAR_VERSION) {
		refuse(s, p, false,
		       "the node has another protocol version than %d: the manager and all nodes need the same version of roc.",
		       STAR_VERSION);
		return false;
	}
	if (!system || strcmp(system, s->file->system)) {
		refuse(s, p, false,
		       "the node belongs to system %.40s, but this manager to system %s.",
		       system ? system : "(none)", s->file->system);
		return false;
	}
	return true;
}

static void handle_join(struct star *s, struct peer *p, struct json_object *o, uint64_t now)
{
	const struct evb_static_node *known;
	struct roc_evb_member m;
	char reason[ROC_EVB_REASON];
	unsigned int i;

	if (!same_system(s, p, o))
		return;
	if (evb_member_read(json_object_object_get(o, "join"), &m, reason))
		return refuse(s, p, false, "the member record of the node is invalid: %.200s.",
			      reason);
	known = evb_static_find(s->file, m.name);
	if (!known)
		return refuse(s, p, false, "node %s is not in the file of system %s.", m.name,
			      s->file->system);
	if (m.roles & ~known->m.roles)
		return refuse(
			s, p, false,
			"node %s has a role that the file of system %s does not list for this node.",
			m.name, s->file->system);
	for (i = 0; i < s->count; i++) {
		struct peer *other = s->peers[i];

		if (other != p && other->member && !strcmp(other->m.name, m.name))
			return refuse(
				s, p, true,
				"the name %s is already in use by another node: set another --name for each node.",
				m.name);
	}
	p->m = m;
	p->member = true;
	s->changed = true;
	adopt_table(s, json_object_object_get(o, "have"), now);
	welcome(s, p);
}

static void handle_report(struct star *s, struct peer *p, struct json_object *record, uint64_t now)
{
	struct roc_evb_report r;
	char reason[ROC_EVB_REASON];

	if (evb_report_read(record, &r, reason))
		refuse(s, p, false, "the report of node %s is invalid: %.200s.", p->m.name, reason);
	else
		roc_evb_manager_report(s->manage.m, p->m.name, &r, now);
}

static void handle_status(struct star *s, struct peer *p, struct json_object *status)
{
	const char *text = json_object_to_json_string_ext(status, JSON_C_TO_STRING_PLAIN);
	unsigned int i;

	if (strlen(text) >= sizeof(p->status))
		return refuse(s, p, false,
			      "the status line of node %s has %zu bytes, the limit is %d.",
			      p->m.name, strlen(text), EVB_STATUS_MAX - 1);
	strcpy(p->status, text);
	p->status_bytes = strlen(text);
	for (i = 0; i < s->count; i++) {
		if (s->peers[i]->watcher)
			line_send(&s->peers[i]->line, status_of(p));
	}
}

static void handle_message(struct star *s, struct peer *p, struct json_object *o, uint64_t now)
{
	struct json_object *v = NULL;

	if (json_object_object_get_ex(o, "join", &v)) {
		handle_join(s, p, o, now);
	} else if (json_object_object_get_ex(o, "watch", &v) && !p->watcher) {
		p->watcher = same_system(s, p, o);
		if (p->watcher)
			welcome(s, p);
	} else if (!p->member && !p->watcher) {
		refuse(s, p, false, "the node sent no join or watch request first.");
	} else if (p->member && json_object_object_get_ex(o, "report", &v)) {
		handle_report(s, p, v, now);
	} else if (p->member && json_object_object_get_ex(o, "status", &v)) {
		handle_status(s, p, v);
	}
}

/* Handle the input of a connection; false: drop the connection. */
static bool serve(struct star *s, struct peer *p, uint64_t now)
{
	uint64_t patience = p->member || p->watcher ? s->lease_ns : HELLO_NS;
	struct json_object *o;
	int ret = line_read(&p->line);
	bool bad = false;

	while (!p->refused && (o = line_next(&p->line, &bad))) {
		p->heard = now;
		handle_message(s, p, o, now);
		json_object_put(o);
	}
	if (bad)
		refuse(s, p, false, "%s sent a line that is not a JSON object.",
		       p->member ? p->m.name : "the node");
	if (!ret)
		ret = line_flush(&p->line);
	return !ret && !p->refused && now - p->heard <= patience;
}

static void accept_all(struct star *s, uint64_t now)
{
	struct peer *p;
	int fd;

	while ((fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		p = s->count < PEERS ? calloc(1, sizeof(*p)) : NULL;
		if (!p) {
			close(fd);
			return;
		}
		line_open(&p->line, fd);
		p->heard = now;
		s->peers[s->count++] = p;
	}
	s->no_files = accept_no_files(errno);
}

static void update_manager(struct star *s, uint64_t now)
{
	static struct roc_evb_member all[EVB_MEMBERS_MAX]; /* too large for the stack; one thread */
	unsigned int i, count = 0;

	for (i = 0; i < s->count; i++) {
		if (s->peers[i]->member && count < EVB_MEMBERS_MAX)
			all[count++] = s->peers[i]->m;
	}
	roc_evb_manager_members(s->manage.m, all, count, now);
}

void star_turn(struct star *s, uint64_t now)
{
	const struct roc_evb_table *t;
	unsigned int i;

	accept_all(s, now);
	for (i = s->count; i-- > 0;) {
		if (!serve(s, s->peers[i], now))
			drop(s, i);
	}
	if (s->changed) {
		s->changed = false;
		update_manager(s, now);
		send_all(s, members(s));
	}
	if (now - s->beat > s->lease_ns / 4) {
		s->beat = now;
		send_all(s, with("beat", json_object_new_boolean(true)));
	}
	/* Nodes of an earlier manager may not have reconnected yet: wait before the first table. */
	if (s->found && now - s->found < s->lease_ns + RETURN_NS)
		return;
	t = manage_step(&s->manage, now);
	if (!t)
		return;
	s->table = *t;
	send_all(s, with("table", evb_table_record(t)));
	manage_published(&s->manage);
}

void star_idle(const struct star *s, struct roc_idle *idle)
{
	unsigned int i;

	if (!s->no_files)
		roc_idle_fd(idle, s->fd, POLLIN);
	for (i = 0; i < s->count; i++)
		roc_idle_fd(idle, s->peers[i]->line.fd,
			    line_waits(&s->peers[i]->line) ? POLLIN | POLLOUT : POLLIN);
	roc_idle_ns(idle, ACCEPT_AGAIN_NS);
}
