/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: what is said to etcd and what it answers, as its JSON gateway has it (API v3): keys and
 * values in base64, numbers of 64 bits as text. Nothing here keeps anything.
 */
#ifndef ROC_UTILS_EVB_ETCD_TALK_H
#define ROC_UTILS_EVB_ETCD_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

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

/* False: it cannot be one. Whoever reads one frees it. */
bool etcd_kv_read(struct json_object *kv, bool deleted, struct etcd_kv *out);
void etcd_kv_free(struct etcd_kv *kv);

#endif
