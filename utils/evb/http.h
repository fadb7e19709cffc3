/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: JSON to a server and back, by libcurl, without waiting. A few calls at the same time,
 * each in a place of its own. libcurl is loaded when it is needed: the other tools do without.
 */
#ifndef ROC_UTILS_EVB_HTTP_H
#define ROC_UTILS_EVB_HTTP_H

#include <roc/evb.h>

#define HTTP_PLACES 8
#define HTTP_ANSWER_MAX (16 << 20) /* reports of all nodes there can be */

struct http;
struct json_object;

struct http_tls {
	const char *ca, *cert, *key; /* files; NULL: the system's, none */
};

/*
 * What came: @answer is the function's to read until it returns. @result: 1 a line of a stream,
 * which goes on; 0 it is over, well; -errno it is over, @answer is NULL, @why is the sentence.
 */
typedef void http_fn(void *self, unsigned int place, int result, struct json_object *answer,
		     const char *why);

/* NULL and a sentence: libcurl is not there. */
struct http *http_open(const struct http_tls *tls, http_fn *fn, void *self, char why[ROC_EVB_WHY]);
void http_close(struct http *h);
/* Who asks, as a token that goes with every call from now on, or NULL. 0, or -EPROTO: it is none.
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

#endif
