// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The coordinator etcd:URL,... Each node keeps a lease alive, and its member key exists as long as
 * the lease. The key of the manager depends on the lease of the manager in the same way. All nodes
 * watch members, manager and table; the manager and watchers also watch the reports. A table is
 * written in a transaction that requires the manager's key to be the one that the writer created,
 * so etcd refuses the older one of two managers. Without etcd a node continues with its last table.
 *
 *	/roc-evb/SYSTEM/members/NAME		member, with its lease
 *	/roc-evb/SYSTEM/manager			name of the manager, with its lease
 *	/roc-evb/SYSTEM/table			table
 *	/roc-evb-reports/SYSTEM/NAME		{"report": report, "status": line}, with its lease
 */
#include "etcd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coordinator.h"
#include "libroc/fabric/base.h"

#define TURN_NS (2 * MS)
#define SOON_NS (200 * MS) /* minimum interval of reports if the number of suspects changed */
#define LEAVE_NS (1000 * MS)

/* Authentication comes before all other requests. */
static void ask_for_token(struct etcd *e, uint64_t now)
{
	if (http_busy(e->http, ETCD_COMMAND) || now < e->again)
		return;
	e->step = STEP_AUTH;
	etcd_post(e, ETCD_COMMAND, "auth/authenticate", etcd_auth_body(&e->auth), false);
}

/* Start the next step: become a member, list the keys, become the manager. */
static void advance(struct etcd *e, uint64_t now)
{
	struct json_object *member;

	if (http_busy(e->http, ETCD_COMMAND) || now < e->again)
		return;
	if (e->joining && e->old_lease) {
		e->step = STEP_REVOKE;
		etcd_post(e, ETCD_COMMAND, "lease/revoke", etcd_lease(e->old_lease), false);
	} else if (e->joining && !e->lease) {
		e->step = STEP_GRANT;
		e->granted = now;
		etcd_post(e, ETCD_COMMAND, "lease/grant", etcd_grant(e->ttl), false);
	} else if (e->joining && !e->joined) {
		e->step = STEP_JOIN;
		member = evb_member_record(&e->me);
		etcd_post(
			e, ETCD_COMMAND, "kv/txn",
			etcd_create(etcd_key(e, "members/", e->me.name),
				    json_object_to_json_string_ext(member, JSON_C_TO_STRING_PLAIN),
				    e->lease),
			false);
		json_object_put(member);
	} else if (!e->listed) {
		e->step = STEP_LIST;
		etcd_post(e, ETCD_COMMAND, "kv/range", etcd_list(etcd_key(e, "", "")), false);
	} else if (e->candidate && e->joined && !e->manager_created) {
		e->step = STEP_CAMPAIGN;
		etcd_post(e, ETCD_COMMAND, "kv/txn",
			  etcd_create(etcd_key(e, "manager", ""), e->me.name, e->lease), false);
	}
}

static void keep_alive(struct etcd *e, uint64_t now)
{
	if (!e->lease || http_busy(e->http, ETCD_KEEP) || now < e->again ||
	    now - e->renewed < e->ttl * FABRIC_NS_PER_S / 4)
		return;
	e->renewed = now;
	etcd_post(e, ETCD_KEEP, "lease/keepalive", etcd_lease(e->lease), false);
}

/* Detect a lost etcd as a watcher. A watcher has no lease, so it reads a small key instead. */
static void check_contact(struct etcd *e, uint64_t now)
{
	if (!e->statuses || !e->listed || http_busy(e->http, ETCD_CONTACT) || now < e->again ||
	    now - e->contact_checked < ETCD_CALL_MS * MS)
		return;
	e->contact_checked = now;
	etcd_post(e, ETCD_CONTACT, "kv/range", etcd_list(etcd_key(e, "manager", "")), false);
}

static void send_report(struct etcd *e, uint64_t now)
{
	struct json_object *o, *status;

	if (!e->has_report || !e->joined || now < e->again || http_busy(e->http, ETCD_REPORT))
		return;
	if (now - e->reported < (e->urgent ? SOON_NS : FABRIC_NS_PER_S))
		return;
	e->reported = now;
	e->has_report = e->urgent = false;
	/* The report may have waited for a second, so set its clock now. */
	e->report.clock_ns = fabric_realtime();
	o = json_object_new_object();
	json_object_object_add(o, "report", evb_report_record(&e->report));
	status = e->status[0] ? json_tokener_parse(e->status) : NULL;
	json_object_object_add(o, "status", status);
	etcd_post(e, ETCD_REPORT, "kv/put",
		  etcd_put(etcd_report_key(e, e->me.name),
			   json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN), e->lease),
		  false);
	json_object_put(o);
}

static int etcd_poll(void *self, struct roc_evb_news *news)
{
	struct etcd *e = self;
	uint64_t now = fabric_now();

	if (now - e->last_turn >= TURN_NS && !e->ended) {
		e->last_turn = now;
		http_turn(e->http);
		if (e->auth.user[0] && !e->auth.known) {
			ask_for_token(e, now);
		} else {
			advance(e, now);
			keep_alive(e, now);
			check_contact(e, now);
			send_report(e, now);
			etcd_manage(e, now);
		}
	}
	return e->ended ? e->ended : evb_view_poll(&e->view, news);
}

static int etcd_join(void *self, const struct roc_evb_member *me)
{
	struct etcd *e = self;

	/* Revoking the old lease deletes the keys that depend on it. */
	if (e->lease)
		e->old_lease = e->lease;
	e->lease = 0;
	e->joined = false;
	e->name_taken = 0;
	e->me = *me;
	e->joining = true;
	e->candidate = me->roles & ROC_EVB_MANAGER;
	http_cancel(e->http, ETCD_KEEP);
	/* The answer to a pending request is for the old lease. */
	http_cancel(e->http, ETCD_COMMAND);
	e->step = STEP_NONE;
	/* etcd may have lost its data since the last list: list again. */
	http_cancel(e->http, ETCD_WATCH);
	e->listed = false;
	return 0;
}

static int etcd_report(void *self, const struct roc_evb_report *r)
{
	struct etcd *e = self;

	e->urgent |= r->suspect_count != e->report.suspect_count;
	e->report = *r;
	e->has_report = true;
	return 0;
}

static int etcd_leave(void *self)
{
	struct etcd *e = self;
	uint64_t until = fabric_now() + LEAVE_NS;
	struct roc_idle idle;
	unsigned int i;

	for (i = 0; i < HTTP_PLACES; i++)
		http_cancel(e->http, i);
	e->joining = false;
	if (!e->lease || e->view.lost || (e->auth.user[0] && !e->auth.known))
		return 0;
	/* Without the revocation all nodes would wait until the lease expires. */
	e->step = STEP_REVOKE;
	etcd_post(e, ETCD_COMMAND, "lease/revoke", etcd_lease(e->lease), false);
	while (http_busy(e->http, ETCD_COMMAND) && fabric_now() < until) {
		idle = (struct roc_idle){.ns = 10 * MS};
		http_idle(e->http, &idle);
		poll(idle.fds, idle.count, (int)(idle.ns / MS));
		http_turn(e->http);
	}
	e->lease = 0;
	return 0;
}

static void etcd_idle(void *self, struct roc_idle *idle)
{
	struct etcd *e = self;

	if (e->view.news)
		roc_idle_ns(idle, 0);
	http_idle(e->http, idle);
	roc_idle_ns(idle, 50 * MS);
}

static const char *etcd_reason(void *self)
{
	return ((struct etcd *)self)->reason;
}

static void etcd_status(void *self, const char *line, size_t length)
{
	struct etcd *e = self;

	if (length < sizeof(e->status))
		memcpy(e->status, line, length + 1);
	/* A node that is only the manager has no engine that reports. */
	if (!(e->me.roles & (ROC_EVB_READOUT | ROC_EVB_BUILDER))) {
		e->report.incarnation = e->me.incarnation;
		e->has_report = true;
	}
}

static void etcd_statuses(void *self, evb_status_fn *fn, void *fn_self)
{
	struct etcd *e = self;
	unsigned int i;

	for (i = 0; i < e->status_count; i++)
		fn(fn_self, e->statuses[i].name, e->statuses[i].line);
}

static void etcd_close(void *self)
{
	struct etcd *e = self;

	http_close(e->http);
	manage_end(&e->manage);
	explicit_bzero(&e->auth, sizeof(e->auth));
	free(e->statuses);
	free(e);
}

static const struct roc_evb_coordinator_ops etcd_ops = {
	.name = "etcd",
	.join = etcd_join,
	.poll = etcd_poll,
	.report = etcd_report,
	.leave = etcd_leave,
	.idle = etcd_idle,
	.reason = etcd_reason,
};

/* Whether the host of this URL is a link-local address without an interface. */
static bool unscoped(const char *url)
{
	const char *host = strstr(url, "://[");
	struct in6_addr address;
	char text[64];

	return host && sscanf(host, "://[%63[^]]", text) == 1 &&
	       inet_pton(AF_INET6, text, &address) == 1 && IN6_IS_ADDR_LINKLOCAL(&address);
}

/* Parse "http://a:2379,http://b:2379?ca=FILE&cert=FILE&key=FILE&auth=FILE"; modifies @text. */
static int parse_where(struct etcd *e, char *text, struct http_tls *tls, char *reason)
{
	char *options = strchr(text, '?'), *one;
	int ret;

	if (options)
		*options++ = '\0';
	while ((one = strsep(&options, "&"))) {
		if (!strncmp(one, "ca=", 3))
			tls->ca = one + 3;
		else if (!strncmp(one, "cert=", 5))
			tls->cert = one + 5;
		else if (!strncmp(one, "key=", 4))
			tls->key = one + 4;
		else if (!strncmp(one, "auth=", 5)) {
			ret = etcd_auth_read(&e->auth, one + 5, reason);
			if (ret)
				return ret;
		} else {
			snprintf(
				reason, ROC_EVB_REASON,
				"etcd: unknown option \"%.60s\": valid are ca=FILE, cert=FILE, key=FILE and auth=FILE.",
				one);
			return -EINVAL;
		}
	}
	while ((one = strsep(&text, ","))) {
		size_t length = strlen(one);

		while (length && one[length - 1] == '/')
			one[--length] = '\0';
		if (unscoped(one)) {
			snprintf(
				reason, ROC_EVB_REASON,
				"etcd: \"%.60s\" is a link-local address without an interface: write it as [ADDRESS%%25INTERFACE].",
				one);
			return -EINVAL;
		}
		if ((strncmp(one, "http://", 7) && strncmp(one, "https://", 8)) ||
		    length >= ETCD_URL_MAX || e->url_count == ETCD_URLS) {
			snprintf(
				reason, ROC_EVB_REASON,
				"etcd: \"%.60s\" is not http://HOST:PORT or https://HOST:PORT, or exceeds the limit of %d addresses.",
				one, ETCD_URLS);
			return -EINVAL;
		}
		strcpy(e->urls[e->url_count++], one);
	}
	return 0;
}

/* Check the files now: libcurl would fail each call, with a message that names no file. */
static int try_files(const struct http_tls *tls, char *reason)
{
	const char *const files[] = {tls->ca, tls->cert, tls->key};
	static const char *const names[] = {"ca", "cert", "key"};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (!files[i] || !access(files[i], R_OK))
			continue;
		snprintf(reason, ROC_EVB_REASON, "etcd: %s=%.200s: %s.", names[i], files[i],
			 strerror(errno));
		return -errno;
	}
	return 0;
}

static int set_up(struct etcd *e, const struct evb_coordinator_config *cfg, const char *where,
		  char reason[ROC_EVB_REASON])
{
	struct http_tls tls = {0};
	char *copy;
	int ret;

	if (!roc_evb_name_valid(e->system)) {
		snprintf(reason, ROC_EVB_REASON,
			 "--system: \"%.60s\" is not a name of 1 to %d letters, digits and ._-.",
			 cfg->system, ROC_EVB_NAME - 1);
		return -EINVAL;
	}
	if (!cfg->name) {
		e->statuses = calloc(EVB_MEMBERS_MAX, sizeof(*e->statuses));
		if (!e->statuses)
			return -ENOMEM;
	}
	copy = strdup(where);
	if (!copy)
		return -ENOMEM;
	ret = parse_where(e, copy, &tls, reason);
	if (!ret)
		ret = try_files(&tls, reason);
	if (!ret) {
		e->http = http_open(&tls, etcd_answer, e, reason);
		ret = e->http ? 0 : -ENOENT;
	}
	free(copy);
	return ret;
}

int evb_coordinator_etcd(const struct evb_coordinator_config *cfg, const char *where,
			 struct evb_coordinator *c, char reason[ROC_EVB_REASON])
{
	struct etcd *e = calloc(1, sizeof(*e));
	int ret;

	if (!e)
		return -ENOMEM;
	snprintf(e->system, sizeof(e->system), "%s", cfg->system ? cfg->system : "roc");
	/* etcd leases have whole seconds; the minimum is two. */
	e->ttl = (cfg->lease_ns + FABRIC_NS_PER_S - 1) / FABRIC_NS_PER_S;
	e->ttl = e->ttl < 2 ? 2 : e->ttl;
	e->cfg = cfg->manager;
	e->cfg.lease_ns = e->ttl * FABRIC_NS_PER_S;
	e->manage.log = cfg->log;
	e->manage.log_self = cfg->log_self;
	ret = set_up(e, cfg, where, reason);
	if (ret) {
		etcd_close(e);
		return ret;
	}
	*c = (struct evb_coordinator){
		.ops = &etcd_ops,
		.self = e,
		.lease_ns = e->ttl * FABRIC_NS_PER_S,
		.view = &e->view,
		.manage = &e->manage,
		.status = etcd_status,
		.statuses = etcd_statuses,
		.close = etcd_close,
	};
	strcpy(c->system, e->system);
	return 0;
}
