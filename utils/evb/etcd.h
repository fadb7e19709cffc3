/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: a node's business with etcd.
 *
 *	coordinator_etcd.c	the functions of a coordinator: what is asked, and when
 *	etcd_receive.c		what comes back
 *	etcd_json.c		how both are written
 *	etcd_auth.c		who we are for it
 *	etcd_call.c		calls: keys, addresses, what a failure means
 */
#ifndef ROC_UTILS_EVB_ETCD_H
#define ROC_UTILS_EVB_ETCD_H

#include <json-c/json.h>
#include <roc/evb.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator.h"

/*
 * Authentication to etcd. Name and password are in a file, where no list of processes shows them;
 * for them etcd gives a token, which goes with every call.
 */

#define ETCD_WORD 256

struct etcd_auth {
	char user[ETCD_WORD], password[ETCD_WORD]; /* "": not needed */
	bool known;				   /* etcd has given a token, or wants none */
};

enum etcd_auth_wrong {
	ETCD_AUTH_OTHER, /* it is not about that */
	ETCD_AUTH_AGAIN, /* the token has expired: request another */
	ETCD_AUTH_OFF,	 /* etcd has no authentication */
	ETCD_AUTH_REFUSED,
};

/* A line USER:PASSWORD that only its owner, and his group, can read. 0, or -errno with a sentence.
 */
int etcd_auth_read(struct etcd_auth *a, const char *path, char reason[ROC_EVB_REASON]);
struct json_object *etcd_auth_body(const struct etcd_auth *a);
/* The token in the answer; NULL: there is none. */
const char *etcd_auth_token(struct json_object *answer);
/* What an answer that is none says; when it refuses, @reason is the sentence. */
enum etcd_auth_wrong etcd_auth_judge(struct etcd_auth *a, const char *error_text,
				     char reason[ROC_EVB_REASON]);

/*
 * Requests to etcd and its answers, as its JSON gateway has them (API v3): keys and values in
 * base64, numbers of 64 bits as text. Nothing here keeps anything.
 */

#define ETCD_KEY_MAX 128

/* Requests. @lease 0: none. */
struct json_object *etcd_grant(uint64_t seconds);
struct json_object *etcd_lease(uint64_t lease); /* keep alive, revoke */
struct json_object *etcd_put(const char *key, const char *value, uint64_t lease);
/* All keys that begin with @prefix. */
struct json_object *etcd_list(const char *prefix);
struct json_object *etcd_watch(const char *prefix, uint64_t from_revision);
/* Put if the key is not there; else what is there is answered. */
struct json_object *etcd_create(const char *key, const char *value, uint64_t lease);
/* Put if @guard is still the one that was created at that revision. */
struct json_object *etcd_put_guarded(const char *guard, uint64_t created, const char *key,
				     const char *value);

/* Answers. A number of an object; 0: it is not there, or is none. */
uint64_t etcd_number(struct json_object *o, const char *key);
uint64_t etcd_revision(struct json_object *answer); /* of its header */

struct etcd_kv {
	char key[ETCD_KEY_MAX];
	char *value; /* JSON text or whatever; NULL: the key was deleted */
	size_t length;
	uint64_t created, modified, lease;
};

/* False: it cannot be one. The reader frees it. */
bool etcd_kv_read(struct json_object *kv, bool deleted, struct etcd_kv *out);
void etcd_kv_free(struct etcd_kv *kv);

/*
 * Keys in etcd whose damage was reported. Zeroed at the start.
 */

#define ETCD_BAD_KEYS 256

struct etcd_bad_keys {
	char keys[ETCD_BAD_KEYS][ETCD_KEY_MAX]; /* empty: free */
	unsigned int next;			/* to be forgotten, if none is free */
};

/* False: the key was reported before. */
bool etcd_bad_key_add(struct etcd_bad_keys *d, const char *key);
/* Its value is valid, or it is gone. */
void etcd_bad_key_clear(struct etcd_bad_keys *d, const char *key);

/*
 * roc-evb: JSON to a server and back, by libcurl, without waiting. A few calls at the same time,
 * each in a place of its own. libcurl is loaded when it is needed: the other tools do without.
 */

#define HTTP_PLACES 8
#define HTTP_ANSWER_MAX (16 << 20) /* reports of all nodes there can be */

struct http;
struct http_tls {
	const char *ca, *cert, *key; /* files; NULL: the system's, none */
};

/*
 * What came: @answer is the function's to read until it returns. @result: 1 a line of a stream,
 * which goes on; 0 it is over, well; -errno it is over, @answer is NULL, @reason is the sentence.
 */
typedef void http_fn(void *self, unsigned int place, int result, struct json_object *answer,
		     const char *reason);

/* NULL and a sentence: libcurl is not there. */
struct http *http_open(const struct http_tls *tls, http_fn *fn, void *self,
		       char reason[ROC_EVB_REASON]);
void http_close(struct http *h);
/* The token that goes with every call from now on, or NULL. 0, or -EPROTO: it is none.
 */
int http_authorize(struct http *h, const char *token);

/*
 * POST @body, which is put, to @url. @timeout_ms 0: an answer of many lines that does not end by
 * itself. The place must be free. 0, or -errno.
 */
int http_post(struct http *h, unsigned int place, const char *url, struct json_object *body,
	      unsigned int timeout_ms);
bool http_busy(const struct http *h, unsigned int place);
/* Nothing more comes of it. */
void http_cancel(struct http *h, unsigned int place);

/* Calls the function for all that came. */
void http_turn(struct http *h);
void http_idle(const struct http *h, struct roc_idle *idle);

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
	ETCD_CONTACT, /* of who looks on: nothing else that it has asked has a limit of time */
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

struct etcd_status_line {
	char name[ROC_EVB_NAME];
	char line[EVB_STATUS_MAX];
};

struct etcd {
	char system[ROC_EVB_NAME];
	char urls[ETCD_URLS][ETCD_URL_MAX];
	unsigned int url, url_count;
	unsigned int call_url[HTTP_PLACES]; /* the address that the call in a place went to */
	uint64_t call_time[HTTP_PLACES];    /* when */
	struct http *http;
	struct etcd_auth auth;
	struct evb_view view;
	enum etcd_step step;
	uint64_t last_turn, again; /* not before */

	struct roc_evb_member me;
	bool joining, joined, candidate;
	uint64_t ttl, lease, old_lease; /* seconds, numbers */
	uint64_t granted, renewed;
	uint64_t name_taken; /* since when another has our name; 0: none */

	bool listed, reports_listed, contacted;
	struct etcd_bad_keys bad_keys;
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
	struct etcd_status_line *statuses; /* of who looks on */
	unsigned int status_count;
	uint64_t contact_checked;

	int ended;
	char reason[ROC_EVB_REASON];
};

void etcd_post(struct etcd *e, enum etcd_place place, const char *path, struct json_object *body,
	       bool stream);
/* @result: -EHOSTUNREACH, or another error if etcd was reached. */
void etcd_away(struct etcd *e, enum etcd_place place, int result, const char *reason);
const char *etcd_key(const struct etcd *e, const char *what, const char *name);
const char *etcd_report_key(const struct etcd *e, const char *name);
void etcd_manage(struct etcd *e, uint64_t now);
http_fn etcd_answer;

#endif
