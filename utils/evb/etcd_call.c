// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls to etcd: names of keys, requests to the address in use, the step to the next address after
 * a failure, and which keys were reported as damaged.
 */
#include "etcd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libroc/fabric/base.h"

#define PREFIX "/roc-evb/%s/"
#define REPORT_PREFIX "/roc-evb-reports/%s/"
#define AGAIN_NS (500 * MS)

/* Of the empty key: one that is free. */
static char *find(struct etcd_bad_keys *d, const char *key)
{
	unsigned int i;

	for (i = 0; i < ETCD_BAD_KEYS; i++) {
		if (!strcmp(d->keys[i], key))
			return d->keys[i];
	}
	return NULL;
}

bool etcd_bad_key_add(struct etcd_bad_keys *d, const char *key)
{
	char *place;

	if (find(d, key))
		return false;
	place = find(d, "");
	if (!place)
		place = d->keys[d->next++ % ETCD_BAD_KEYS];
	snprintf(place, ETCD_KEY_MAX, "%s", key);
	return true;
}

void etcd_bad_key_clear(struct etcd_bad_keys *d, const char *key)
{
	char *place = find(d, key);

	if (place)
		*place = '\0';
}

static const char *key_of(const char *format, const struct etcd *e, const char *what,
			  const char *name)
{
	static char keys[4][ETCD_KEY_MAX]; /* one thread, a few at once */
	static unsigned int n;
	char *key = keys[n++ % 4];
	int length = snprintf(key, ETCD_KEY_MAX, format, e->system);

	snprintf(key + length, ETCD_KEY_MAX - (size_t)length, "%s%s", what, name);
	return key;
}

const char *etcd_key(const struct etcd *e, const char *what, const char *name)
{
	return key_of(PREFIX, e, what, name);
}

const char *etcd_report_key(const struct etcd *e, const char *name)
{
	return key_of(REPORT_PREFIX, e, "", name);
}

void etcd_post(struct etcd *e, enum etcd_place place, const char *path, struct json_object *body,
	       bool stream)
{
	char url[ETCD_URL_MAX + 32];
	/* If an address does not answer, there must be time for the next before the lease ends. */
	uint64_t ms = place == ETCD_KEEP ? e->ttl * 1000 / 4 : ETCD_CALL_MS;

	e->call_url[place] = e->url;
	e->call_time[place] = fabric_now();
	snprintf(url, sizeof(url), "%s/v3/%s", e->urls[e->url], path);
	if (http_post(e->http, place, url, body, stream ? 0 : (unsigned int)ms))
		etcd_away(e, place, -ENOMEM, "there is no memory left");
}

/* A web server without this path answers so; etcd itself says what is missing, in JSON. */
static bool no_gateway(int result, const char *reason)
{
	static const char missing[] = "it answers 404: ";

	return result == -EPROTO && !strncmp(reason, missing, sizeof(missing) - 1) &&
	       reason[sizeof(missing) - 1] != '{';
}

void etcd_away(struct etcd *e, enum etcd_place place, int result, const char *reason)
{
	char url[ETCD_URL_MAX];

	/* All calls to an address that is away fail: that is one failure, one step on. */
	if (e->call_url[place] != e->url)
		return;
	snprintf(url, sizeof(url), "%.80s", e->urls[e->url]);
	e->listed = e->reports_listed = false;
	http_cancel(e->http, ETCD_WATCH);
	http_cancel(e->http, ETCD_REPORTS);
	e->again = fabric_now() + AGAIN_NS;
	e->url = (e->url + 1) % e->url_count;
	if (no_gateway(result, reason))
		reason =
			"it answers 404: its gRPC gateway is off (start it with --enable-grpc-gateway=true), or it is older than 3.4";
	evb_view_lost(&e->view,
		      "etcd at %s cannot be %s (%.120s): the node goes on with what it has.", url,
		      result == -EHOSTUNREACH ? "reached" : "used", reason);
}
