/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: an etcd that wants to know who asks. Name and password are in a file, where no list of
 * processes shows them; for them etcd gives a token, which goes with everything that is asked.
 */
#ifndef ROC_UTILS_EVB_ETCD_AUTH_H
#define ROC_UTILS_EVB_ETCD_AUTH_H

#include <roc/evb.h>

#define ETCD_WORD 256

struct json_object;

struct etcd_auth {
	char user[ETCD_WORD], password[ETCD_WORD]; /* "": nobody asks */
	bool known;				   /* etcd has given a token, or wants none */
};

enum etcd_auth_wrong {
	ETCD_AUTH_OTHER, /* it is not about that */
	ETCD_AUTH_AGAIN, /* the token is known no more: another is asked for */
	ETCD_AUTH_OFF,	 /* etcd asks nobody */
	ETCD_AUTH_REFUSED,
};

/* A line USER:PASSWORD that only its owner, and his group, can read. 0, or -errno with a sentence.
 */
int etcd_auth_read(struct etcd_auth *a, const char *path, char why[ROC_EVB_WHY]);
struct json_object *etcd_auth_body(const struct etcd_auth *a);
/* The token in the answer; NULL: there is none. */
const char *etcd_auth_token(struct json_object *answer);
/* What an answer that is none says; when it refuses, @why is the sentence. */
enum etcd_auth_wrong etcd_auth_judge(struct etcd_auth *a, const char *says, char why[ROC_EVB_WHY]);

#endif
