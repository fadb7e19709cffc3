// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compose requests to etcd and parse its answers.
 */
#include "etcd.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/numbers.h"

#define VALUE_MAX (1 << 20)

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *encode(const char *text, size_t length)
{
	char *out = malloc(4 * ((length + 2) / 3) + 1), *p = out;
	size_t i, k;

	for (i = 0; out && i < length; i += 3) {
		uint32_t word = 0;

		for (k = 0; k < 3; k++)
			word = word << 8 | (i + k < length ? (unsigned char)text[i + k] : 0);
		for (k = 0; k < 4; k++)
			*p++ = i + k > length ? '=' : digits[word >> (18 - 6 * k) & 63];
	}
	if (out)
		*p = '\0';
	return out;
}

/* Decode base64 and append a 0; NULL: invalid or too long. */
static char *decode(const char *text, size_t *length)
{
	size_t n = strlen(text), i, k, have = 0;
	char *out;

	if (n % 4 || n / 4 * 3 > VALUE_MAX)
		return NULL;
	out = malloc(n / 4 * 3 + 1);
	for (i = 0; out && i < n; i += 4) {
		uint32_t word = 0;
		unsigned int pad = 0;

		for (k = 0; k < 4; k++) {
			const char *at = text[i + k] ? strchr(digits, text[i + k]) : NULL;

			if (!at && (text[i + k] != '=' || i + 4 < n || k < 2))
				goto bad;
			if (at && pad)
				goto bad;
			pad += !at;
			word = word << 6 | (at ? (uint32_t)(at - digits) : 0);
		}
		for (k = 0; k < 3 - pad; k++)
			out[have++] = (char)(word >> (16 - 8 * k));
	}
	if (out)
		out[have] = '\0';
	*length = have;
	return out;
bad:
	free(out);
	return NULL;
}

static void add_bytes(struct json_object *o, const char *name, const char *text)
{
	char *code = encode(text, strlen(text));

	json_object_object_add(o, name, code ? json_object_new_string(code) : NULL);
	free(code);
}

/* The gateway has 64-bit numbers as text, because many JSON parsers use doubles. */
static void add_number(struct json_object *o, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	json_object_object_add(o, name, json_object_new_string(text));
}

static struct json_object *one(const char *name, struct json_object *value)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, name, value);
	return o;
}

static struct json_object *listed(struct json_object *value)
{
	struct json_object *a = json_object_new_array();

	json_object_array_add(a, value);
	return a;
}

struct json_object *etcd_grant(uint64_t seconds)
{
	struct json_object *o = json_object_new_object();

	add_number(o, "TTL", seconds);
	return o;
}

struct json_object *etcd_lease(uint64_t lease)
{
	struct json_object *o = json_object_new_object();

	add_number(o, "ID", lease);
	return o;
}

struct json_object *etcd_put(const char *key, const char *value, uint64_t lease)
{
	struct json_object *o = json_object_new_object();

	add_bytes(o, "key", key);
	add_bytes(o, "value", value);
	if (lease)
		add_number(o, "lease", lease);
	return o;
}

/* A range is from the prefix to the first key that does not begin with it. */
static void add_range(struct json_object *o, const char *prefix)
{
	char end[ETCD_KEY_MAX];
	size_t length = strlen(prefix);

	snprintf(end, sizeof(end), "%s", prefix);
	end[length - 1]++;
	add_bytes(o, "key", prefix);
	add_bytes(o, "range_end", end);
}

struct json_object *etcd_list(const char *prefix)
{
	struct json_object *o = json_object_new_object();

	add_range(o, prefix);
	return o;
}

struct json_object *etcd_watch(const char *prefix, uint64_t from_revision)
{
	struct json_object *o = json_object_new_object();

	add_range(o, prefix);
	add_number(o, "start_revision", from_revision);
	return one("create_request", o);
}

static struct json_object *created_at(const char *key, uint64_t revision)
{
	struct json_object *o = json_object_new_object();

	add_bytes(o, "key", key);
	json_object_object_add(o, "target", json_object_new_string("CREATE"));
	json_object_object_add(o, "result", json_object_new_string("EQUAL"));
	add_number(o, "create_revision", revision);
	return listed(o);
}

struct json_object *etcd_create(const char *key, const char *value, uint64_t lease)
{
	struct json_object *o = one("compare", created_at(key, 0)), *get = json_object_new_object();

	add_bytes(get, "key", key);
	json_object_object_add(o, "success",
			       listed(one("request_put", etcd_put(key, value, lease))));
	json_object_object_add(o, "failure", listed(one("request_range", get)));
	return o;
}

struct json_object *etcd_put_guarded(const char *guard, uint64_t created, const char *key,
				     const char *value)
{
	struct json_object *o = one("compare", created_at(guard, created));

	json_object_object_add(o, "success", listed(one("request_put", etcd_put(key, value, 0))));
	return o;
}

uint64_t etcd_number(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;
	uint64_t value;

	if (!json_object_is_type(o, json_type_object) || !json_object_object_get_ex(o, key, &v) ||
	    !v)
		return 0;
	return number_value(json_object_get_string(v), &value) ? 0 : value;
}

uint64_t etcd_revision(struct json_object *answer)
{
	return etcd_number(json_object_object_get(answer, "header"), "revision");
}

bool etcd_kv_read(struct json_object *kv, bool deleted, struct etcd_kv *out)
{
	struct json_object *key = NULL, *value = NULL;
	size_t length;
	char *text;

	memset(out, 0, sizeof(*out));
	if (!json_object_is_type(kv, json_type_object) ||
	    !json_object_object_get_ex(kv, "key", &key) ||
	    !json_object_is_type(key, json_type_string))
		return false;
	text = decode(json_object_get_string(key), &length);
	if (!text || length >= ETCD_KEY_MAX || strlen(text) != length) {
		free(text);
		return false;
	}
	strcpy(out->key, text);
	free(text);
	out->created = etcd_number(kv, "create_revision");
	out->modified = etcd_number(kv, "mod_revision");
	out->lease = etcd_number(kv, "lease");
	if (deleted)
		return true;
	/* etcd omits an empty value. */
	json_object_object_get_ex(kv, "value", &value);
	out->value = decode(
		json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "",
		&out->length);
	return out->value;
}

void etcd_kv_free(struct etcd_kv *kv)
{
	free(kv->value);
	kv->value = NULL;
}
