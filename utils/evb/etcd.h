/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client of etcd for one node.
 *
 *	coordinator_etcd.c	the functions of a coordinator; when to send which request
 *	etcd_receive.c		handle answers and watch events
 *	etcd_json.c		compose requests and parse answers
 *	etcd_auth.c		authentication
 *	etcd_call.c		calls: names of keys, addresses, failures
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
 * Authentication to etcd. User and password are in a file, because a command line is visible to
 * all users. etcd returns a token for them, which each call carries.
 */

#define ETCD_WORD 256

struct etcd_auth {
	char user[ETCD_WORD], password[ETCD_WORD]; /* "": no authentication */
	bool known;				   /* etcd returned a token, or requires none */
};

enum etcd_auth_wrong {
	ETCD_AUTH_OTHER, /* the error is not about authentication */
	ETCD_AUTH_AGAIN, /* the token has expired: request another */
	ETCD_AUTH_OFF,	 /* etcd has no authentication */
	ETCD_AUTH_REFUSED,
};

/*
 * Read a file with a line USER:PASSWORD, which other users must not be able to read. 0, or -errno
 * with the reason.
 */
int etcd_auth_read(struct etcd_auth *a, const char *path, char reason[ROC_EVB_REASON]);
struct json_object *etcd_auth_body(const struct etcd_auth *a);
/* The token in the answer, or NULL. */
const char *etcd_auth_token(struct json_object *answer);
/* Classify the text of an error answer. For ETCD_AUTH_REFUSED @reason has the message. */
enum etcd_auth_wrong etcd_auth_judge(struct etcd_auth *a, const char *error_text,
				     char reason[ROC_EVB_REASON]);

/*
 * Requests and answers of the JSON gateway of etcd (API v3): keys and values in base64, 64-bit
 * numbers as text. These functions have no state.
 */

#define ETCD_KEY_MAX 128

/* Requests. @lease 0: without a lease. */
struct json_object *etcd_grant(uint64_t seconds);
struct json_object *etcd_lease(uint64_t lease); /* for keepalive and revoke */
struct json_object *etcd_put(const char *key, const char *value, uint64_t lease);
/* All keys that begin with @prefix. */
struct json_object *etcd_list(const char *prefix);
struct json_object *etcd_watch(const char *prefix, uint64_t from_revision);
/* Put if the key does not exist; else etcd returns the present value. */
struct json_object *etcd_create(const char *key, const char *value, uint64_t lease);
/* Put if the key @guard still has the create revision @created. */
struct json_object *etcd_put_guarded(const char *guard, uint64_t created, const char *key,
				     const char *value);

/* Answers. A number in an object; 0: missing or not a number. */
uint64_t etcd_number(struct json_object *o, const char *key);
uint64_t etcd_revision(struct json_object *answer); /* of its header */

struct etcd_kv {
	char key[ETCD_KEY_MAX];
	char *value; /* text, not checked; NULL: the key was deleted */
	size_t length;
	uint64_t created, modified, lease;
};

/* False: @kv is invalid. The caller frees *@out with etcd_kv_free() in both cases. */
bool etcd_kv_read(struct json_object *kv, bool deleted, struct etcd_kv *out);
void etcd_kv_free(struct etcd_kv *kv);

/*
 * Keys in etcd whose invalid value was logged, so that each is logged once. Zeroed at the start.
 */

#define ETCD_BAD_KEYS 256

struct etcd_bad_keys {
	char keys[ETCD_BAD_KEYS][ETCD_KEY_MAX]; /* empty: free */
	unsigned int next;			/* entry to be replaced if none is free */
};

/* False: the key was logged before. */
bool etcd_bad_key_add(struct etcd_bad_keys *d, const char *key);
/* The value of the key is valid, or the key was deleted. */
void etcd_bad_key_clear(struct etcd_bad_keys *d, const char *key);

/*
 * Non-blocking HTTP client for JSON, by libcurl. Up to HTTP_PLACES calls run at the same time, each
 * in its own place. libcurl is loaded at run time, because only this coordinator needs it.
 */

#define HTTP_PLACES 8
#define HTTP_ANSWER_MAX (16 << 20) /* bytes; enough for the reports of all nodes */

struct http;
struct http_tls {
	const char *ca, *cert,
		*key; /* files; NULL: CA certificates of the system, no client certificate */
};

/*
 * Called with each answer; @answer is valid until the function returns. @result: 1 a line of a
 * stream, which continues; 0 the call succeeded; -errno the call failed, @answer is NULL and
 * @reason has the reason.
 */
typedef void http_fn(void *self, unsigned int place, int result, struct json_object *answer,
		     const char *reason);

/* NULL with the reason: libcurl cannot be loaded. */
struct http *http_open(const struct http_tls *tls, http_fn *fn, void *self,
		       char reason[ROC_EVB_REASON]);
void http_close(struct http *h);
/* Set the token for all later calls, or NULL for none. 0, or -EPROTO: the token is invalid. */
int http_authorize(struct http *h, const char *token);

/*
 * POST @body to @url, and drop the reference to @body. @timeout_ms 0: the answer is a stream of
 * lines without an end. The place must be free. 0, or -errno.
 */
int http_post(struct http *h, unsigned int place, const char *url, struct json_object *body,
	      unsigned int timeout_ms);
bool http_busy(const struct http *h, unsigned int place);
/* End the call in @place without calling the function. */
void http_cancel(struct http *h, unsigned int place);

/* Make progress, and call the function for all answers. */
void http_turn(struct http *h);
void http_idle(const struct http *h, struct roc_idle *idle);

#define MS UINT64_C(1000000)
#define ETCD_URLS 8
#define ETCD_URL_MAX 128
#define ETCD_CALL_MS 3000

enum etcd_place {
	ETCD_COMMAND, /* steps of enum etcd_step, one after the other */
	ETCD_KEEP,
	ETCD_WATCH,
	ETCD_REPORT,
	ETCD_PUBLISH,
	ETCD_REPORT_LIST,
	ETCD_REPORTS,
	ETCD_CONTACT, /* of a watcher, whose other calls are streams without a time limit */
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
	unsigned int call_url[HTTP_PLACES]; /* index of the address to which the call was sent */
	uint64_t call_time[HTTP_PLACES];    /* start of the call */
	struct http *http;
	struct etcd_auth auth;
	struct evb_view view;
	enum etcd_step step;
	uint64_t last_turn, again; /* no new request before @again */

	struct roc_evb_member me;
	bool joining, joined, candidate;
	uint64_t ttl, lease, old_lease; /* ttl in seconds; lease ids, 0: none */
	uint64_t granted, renewed;
	uint64_t name_taken; /* time since when another node has our name; 0: none */

	bool listed, reports_listed, contacted;
	struct etcd_bad_keys bad_keys;
	struct roc_evb_member members[EVB_MEMBERS_MAX];
	unsigned int count;
	uint64_t manager_created; /* create revision of the manager's key; 0: no manager */
	bool managing;		  /* this node is the manager */
	bool full;	  /* the database of etcd is full: etcd answers, but refuses writes */
	uint64_t refused; /* time when a table was last refused for that */
	struct manage manage;
	struct roc_evb_manager_config cfg;

	struct roc_evb_report report;
	bool has_report, urgent;
	uint64_t reported;
	char status[EVB_STATUS_MAX];
	struct etcd_status_line *statuses; /* newest status lines; NULL: not a watcher */
	unsigned int status_count;
	uint64_t contact_checked;

	int ended;
	char reason[ROC_EVB_REASON];
};

void etcd_post(struct etcd *e, enum etcd_place place, const char *path, struct json_object *body,
	       bool stream);
/* A call failed. @result: -EHOSTUNREACH, or another error if etcd was reached. */
void etcd_away(struct etcd *e, enum etcd_place place, int result, const char *reason);
const char *etcd_key(const struct etcd *e, const char *what, const char *name);
const char *etcd_report_key(const struct etcd *e, const char *name);
void etcd_manage(struct etcd *e, uint64_t now);
http_fn etcd_answer;

#endif
