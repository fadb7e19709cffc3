/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc, inside: text files and JSON.
 */
#ifndef LIBROC_JSON_H
#define LIBROC_JSON_H

#include <json-c/json.h>

/* The whole file, to be freed; -ENOENT and the like, with a sentence. */
int libroc_text_read(const char *path, char **text);

/*
 * One JSON object, strictly; the caller puts it. -EINVAL and a sentence with @path and the line.
 */
int libroc_json_parse(const char *path, const char *text, struct json_object **root);

#endif /* LIBROC_JSON_H */
