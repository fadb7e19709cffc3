// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Send calls to etcd: names of keys, requests to the address in use, the switch to the next address
 * after a failure, and the list of keys whose invalid value was logged.
 */
#include "etcd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libroc/fabric/base.h"

#define PREFIX "/roc-evb/%s/"
#define REPORT_PREFIX "/roc-evb-reports/%s/"
#define AGAIN_NS (500 * MS)

/* The entry of @key; an empty @key finds a free entry. */
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
	static char keys[4][ETCD_KEY_MAX]; /* single-threaded; a caller uses few keys at once */
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
	/* If an address does not answer, the next one must be tried before the lease expires. */
	uint64_t ms = place == ETCD_KEEP ? e->ttl * 1000 / 4 : ETCD_CALL_MS;

	e->call_url[place] = e->url;
	e->call_time[place] = fabric_now();
	snprintf(url, sizeof(url), "%s/v3/%s", e->urls[e->url], path);
	if (http_post(e->http, place, url, body, stream ? 0 : (unsigned int)ms))
		etcd_away(e, place, -ENOMEM, "cannot allocate the request");
}

/* A 404 without JSON comes from a server without the gateway; etcd itself answers in JSON. */
static bool no_gateway(int result, const char *reason)
{
	static const char missing[] = "HTTP status 404: ";

	return result == -EPROTO && !strncmp(reason, missing, sizeof(missing) - 1) &&
	       reason[sizeof(missing) - 1] != '{';
}

void etcd_away(struct etcd *e, enum etcd_place place, int result, const char *reason)
{
	char url[ETCD_URL_MAX];

	/*
	 * All calls to a failed address fail. Only the first of them switches to the next address.
	 */
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
			"HTTP status 404: etcd has no gRPC gateway, start it with --enable-grpc-gateway=true, or upgrade to 3.4 or later";
	evb_view_lost(
		&e->view,
		"etcd at %s cannot be %s (%.120s): the node continues with its last assignment table.",
		url, result == -EHOSTUNREACH ? "reached" : "used", reason);
}
