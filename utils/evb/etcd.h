/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: a node's business with etcd.
 *
 *	coordinator_etcd.c	the functions of a coordinator: what is asked, and when
 *	etcd_hear.c		what comes back
 *	etcd_talk.c		how both are written
 *	etcd_auth.c		who we are for it
 *	etcd_doubt.c		which of its keys were said to be wrong
 */
#ifndef ROC_UTILS_EVB_ETCD_H
#define ROC_UTILS_EVB_ETCD_H

#include <json-c/json.h>

#include "coordinator.h"
#include "etcd_auth.h"
#include "etcd_doubt.h"
#include "etcd_talk.h"
#include "http.h"
#include "record.h"

#define MS UINT64_C(1000000)
#define ETCD_URLS 8
#define ETCD_URL_MAX 128
#define ETCD_CALL_MS 3000

enum etcd_place {
	ETCD_COMMAND, /* one step after the other */
	ETCD_KEEP,
	ETCD_WATCH,
	ETCD_REPORT,
	ETCD_PUBLISH,
	ETCD_REPORT_LIST,
	ETCD_REPORTS,
	ETCD_LOOK, /* of who looks on: nothing else that it has asked has a limit of time */
};

enum etcd_step {
	STEP_NONE,
	STEP_AUTH,
	STEP_REVOKE,
	STEP_GRANT,
	STEP_JOIN,
	STEP_LIST,
	STEP_CAMPAIGN,
};

struct etcd_seen {
	char name[ROC_EVB_NAME];
	char line[EVB_STATUS_MAX];
};

struct etcd {
	char system[ROC_EVB_NAME];
	char urls[ETCD_URLS][ETCD_URL_MAX];
	unsigned int url, url_count;
	unsigned int asked[HTTP_PLACES]; /* the address that the call in a place went to */
	uint64_t posted[HTTP_PLACES];	 /* when */
	struct http *http;
	struct etcd_auth auth;
	struct evb_view view;
	enum etcd_step step;
	uint64_t turned, again; /* not before */

	struct roc_evb_member me;
	bool joining, joined, candidate;
	uint64_t ttl, lease, old_lease; /* seconds, numbers */
	uint64_t granted, kept;
	uint64_t taken; /* since when another has our name; 0: none */

	bool listed, reports_listed, heard;
	struct etcd_doubts doubts;
	struct roc_evb_member members[EVB_MEMBERS_MAX];
	unsigned int count;
	uint64_t manager_created; /* revision of the manager's key; 0: there is none */
	bool managing;		  /* it is ours */
	bool full;		  /* etcd's database; it answers, and takes nothing */
	uint64_t refused;	  /* when a table last was for that */
	struct manage manage;
	struct roc_evb_manager_config cfg;

	struct roc_evb_report report;
	bool has_report, urgent;
	uint64_t reported;
	char status[EVB_STATUS_MAX];
	struct etcd_seen *seen; /* of who looks on */
	unsigned int seen_count;
	uint64_t looked;

	int ended;
	char why[ROC_EVB_WHY];
};

void etcd_post(struct etcd *e, enum etcd_place place, const char *path, struct json_object *body,
	       bool stream);
/* @result: -EHOSTUNREACH, or another error if etcd was reached. */
void etcd_away(struct etcd *e, enum etcd_place place, int result, const char *why);
const char *etcd_key(const struct etcd *e, const char *what, const char *name);
const char *etcd_report_key(const struct etcd *e, const char *name);
void etcd_manage(struct etcd *e, uint64_t now);
http_fn etcd_answer;

#endif
