// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Authenticate to etcd with the user and password of a file.
 */
#include "etcd.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int wrong(char *reason, int err, const char *path, const char *what)
{
	snprintf(reason, ROC_EVB_REASON, "etcd: auth=%.200s: %s.", path, what);
	return -err;
}

int etcd_auth_read(struct etcd_auth *a, const char *path, char reason[ROC_EVB_REASON])
{
	char line[2 * ETCD_WORD] = "", *end, *colon;
	struct stat st = {0};
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return wrong(reason, errno, path, strerror(errno));
	if (!fstat(fd, &st) && !(st.st_mode & S_IRWXO))
		n = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (st.st_mode & S_IRWXO)
		return wrong(
			reason, EPERM, path,
			"other users can access the password in this file: run chmod o= on it");
	end = line + strcspn(line, "\r\n");
	*end = '\0';
	colon = strchr(line, ':');
	if (n < 1 || !colon || colon == line || !colon[1] || colon - line >= ETCD_WORD ||
	    end - colon > ETCD_WORD)
		return wrong(reason, EINVAL, path, "the file has no line USER:PASSWORD");
	*colon = '\0';
	strcpy(a->user, line);
	strcpy(a->password, colon + 1);
	explicit_bzero(line, sizeof(line));
	return 0;
}

struct json_object *etcd_auth_body(const struct etcd_auth *a)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "name", json_object_new_string(a->user));
	json_object_object_add(o, "password", json_object_new_string(a->password));
	return o;
}

const char *etcd_auth_token(struct json_object *answer)
{
	struct json_object *token = json_object_object_get(answer, "token");

	return json_object_is_type(token, json_type_string) ? json_object_get_string(token) : NULL;
}

enum etcd_auth_wrong etcd_auth_judge(struct etcd_auth *a, const char *error_text,
				     char reason[ROC_EVB_REASON])
{
	if (strstr(error_text, "invalid auth token") && a->user[0]) {
		a->known = false;
		return ETCD_AUTH_AGAIN;
	}
	if (strstr(error_text, "authentication is not enabled")) {
		a->known = true;
		return ETCD_AUTH_OFF;
	}
	if (strstr(error_text, "user name is empty") || strstr(error_text, "invalid auth token"))
		snprintf(
			reason, ROC_EVB_REASON,
			"etcd requires a user and a password: put USER:PASSWORD into a file that other users cannot read, and append ?auth=FILE to the last address.");
	else if (strstr(error_text, "authentication failed"))
		snprintf(reason, ROC_EVB_REASON,
			 "etcd rejects the password of the user %.60s: correct the file of auth=.",
			 a->user);
	else if (strstr(error_text, "permission denied"))
		snprintf(
			reason, ROC_EVB_REASON,
			"etcd denies the user %.60s access to the keys: grant the user a role with read and write permission for the prefixes /roc-evb/ and /roc-evb-reports/.",
			a->user);
	else
		return ETCD_AUTH_OTHER;
	return ETCD_AUTH_REFUSED;
}
