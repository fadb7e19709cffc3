// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version data is a JSON object with an optional object `capabilities`, which lists the features of
 * the sender. Members of later minor versions are ignored.
 */
#include "version.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "tests/emu/utf8.h"

#define MAJOR 0

/* Numbers that both sides propose. An answer has only those that the client proposed. */
static const struct {
	const char *name;
	uint64_t least; /* smallest valid value */
	uint64_t ours;
} limits[] = {
	{"max_msg_fds", 0, VU_MAX_FDS},
	{"max_data_xfer_size", 1, VU_MAX_XFER},
	{"pgsizes", VU_PAGE, VU_PAGE},
	{"max_dma_maps", 0, VU_MAX_MAPS},
};

#define LIMITS (sizeof(limits) / sizeof(limits[0]))

/* Get member @name of @o, NULL if it is missing. Returns false if it has another type. */
static bool member(struct json_object *o, const char *name, enum json_type type,
		   struct json_object **value)
{
	*value = NULL;
	if (!json_object_object_get_ex(o, name, value))
		return true;
	return json_object_is_type(*value, type);
}

static bool number(struct json_object *o, const char *name, uint64_t *value, bool *there)
{
	struct json_object *v;

	if (!member(o, name, json_type_int, &v))
		return false;
	*there = v;
	*value = v ? json_object_get_uint64(v) : 0;
	return !v || json_object_get_int64(v) >= 0;
}

/* Known capabilities that this server does not support: they must be well-formed all the same. */
static bool optional_well_formed(struct json_object *o)
{
	static const char *const sizes[] = {"pgsize", "max_bitmap_size"};
	struct json_object *twin, *migration, *v;
	uint64_t ignored;
	unsigned int i;
	bool there;

	if (!member(o, "write_multiple", json_type_boolean, &v) ||
	    !member(o, "twin_socket", json_type_object, &twin) ||
	    !member(o, "migration", json_type_object, &migration))
		return false;
	if (twin && (!member(twin, "supported", json_type_boolean, &v) ||
		     !number(twin, "fd_index", &ignored, &there)))
		return false;
	for (i = 0; migration && i < 2; i++) {
		if (!number(migration, sizes[i], &ignored, &there))
			return false;
	}
	return true;
}

static bool agree(struct json_object *proposal, struct json_object *answer, uint32_t *max_read)
{
	struct json_object *caps;
	unsigned int i;

	if (!json_object_is_type(proposal, json_type_object) ||
	    !member(proposal, "capabilities", json_type_object, &caps))
		return false;
	if (!caps)
		return true;
	for (i = 0; i < LIMITS; i++) {
		uint64_t value;
		bool there;

		if (!number(caps, limits[i].name, &value, &there) ||
		    (there && value < limits[i].least))
			return false;
		if (!there)
			continue;
		json_object_object_add(answer, limits[i].name,
				       json_object_new_uint64(limits[i].ours));
		if (limits[i].ours == VU_MAX_XFER && value < VU_MAX_XFER)
			*max_read = value;
	}
	return optional_well_formed(caps);
}

/* json-c accepts more than JSON: other quotes, other numbers, any bytes in a string. */
static bool is_json_alphabet(const char *text)
{
	static const char outside[] = " \t\r\n{}[]:,\"+-.0123456789eEtrufalsn";
	bool string = false;
	size_t len;

	for (; *text; text += len) {
		len = utf8_length(text);
		if (!len || (string ? (unsigned char)*text < ' ' : !strchr(outside, *text)))
			return false;
		if (*text == '"')
			string = !string;
		else if (string && *text == '\\' && text[1])
			len = 2;
	}
	return true;
}

static struct json_object *parse(const char *text, uint32_t len)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *o = NULL;

	if (!tokener)
		return NULL;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	/* Parse with the final NUL, which marks the end of the input and is not consumed. */
	o = json_tokener_parse_ex(tokener, text, len);
	if (json_tokener_get_error(tokener) != json_tokener_success ||
	    json_tokener_get_parse_end(tokener) != len - 1) {
		json_object_put(o);
		o = NULL;
	}
	json_tokener_free(tokener);
	return o;
}

static bool agree_on_text(const char *text, uint32_t len, struct json_object *answer,
			  uint32_t *max_read)
{
	struct json_object *proposal;
	bool good;

	if (text[len - 1] || strlen(text) != len - 1 || !is_json_alphabet(text))
		return false;
	proposal = parse(text, len);
	good = proposal && agree(proposal, answer, max_read);
	json_object_put(proposal);
	return good;
}

int version_agree(const struct vu_version *ask, uint32_t len, char text[VERSION_TEXT],
		  uint32_t *max_read)
{
	struct json_object *answer;
	bool good;

	if (len < sizeof(*ask) || ask->major != MAJOR)
		return -EINVAL;
	answer = json_object_new_object();
	if (!answer)
		return -ENOMEM;
	*max_read = VU_MAX_XFER;
	len -= sizeof(*ask);
	good = !len || agree_on_text(ask->json, len, answer, max_read);
	if (good)
		snprintf(text, VERSION_TEXT, "{\"capabilities\":%s}",
			 json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN));
	json_object_put(answer);
	return good ? 0 : -EINVAL;
}
