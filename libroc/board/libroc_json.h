/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internal readers of text files and JSON. */
#ifndef LIBROC_JSON_H
#define LIBROC_JSON_H

#include <json-c/json.h>

/* Read a whole file; the caller frees *@text. On failure return -errno and set the error text. */
int libroc_text_read(const char *path, char **text);

/*
 * Parse one JSON object strictly; the caller puts it. On failure return -EINVAL and set an error
 * text with @path and the line.
 */
int libroc_json_parse(const char *path, const char *text, struct json_object **root);

#endif /* LIBROC_JSON_H */
