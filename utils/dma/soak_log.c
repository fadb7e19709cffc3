// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Log of a soak: a JSON line with the names of the lanes, then one line per lane and period. Lines
 * are only appended, and a later call continues the log. If the writer was killed in the middle of
 * a line, the incomplete last line is removed. Everything else must match the format.
 */
#include "soak_history.h"

#include <json-c/json.h>
#include <roc/roc.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "utils/units/units.h"

#define FORMAT 1
#define SIZE_MAX_LOG (UINT64_C(1) << 30)

struct soak_log {
	int fd;
};

__attribute__((format(printf, 2, 3))) static int wrong(char reason[SOAK_REASON], const char *fmt,
						       ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, SOAK_REASON, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static struct json_object *member(struct json_object *o, const char *key, enum json_type type)
{
	struct json_object *value;

	return json_object_object_get_ex(o, key, &value) && json_object_is_type(value, type) ? value
											     : NULL;
}

/* Read a count or a time: a finite number that is not negative. */
static bool number(struct json_object *o, const char *key, double *value)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) ||
	    !(json_object_is_type(v, json_type_int) || json_object_is_type(v, json_type_double)))
		return false;
	*value = json_object_get_double(v);
	return isfinite(*value) && *value >= 0 && *value < 1e18;
}

static bool count(struct json_object *o, const char *key, uint64_t *value)
{
	double d;

	if (!number(o, key, &d) || !member(o, key, json_type_int))
		return false;
	*value = (uint64_t)json_object_get_int64(member(o, key, json_type_int));
	return true;
}

/*
 * Check that the log has the same lanes in the same order, so that rates and sums are comparable.
 */
static int parse_head(struct json_object *o, const char *const *lanes, unsigned int n,
		      const char *path, char reason[SOAK_REASON])
{
	struct json_object *list = member(o, "lanes", json_type_array), *name;
	struct json_object *format = member(o, "soak", json_type_int);
	size_t i, listed = list ? json_object_array_length(list) : 0;

	if (!format || !list)
		return wrong(reason, "%s is not the log of a soak.", path);
	if (json_object_get_int(format) != FORMAT)
		return wrong(
			reason,
			"%s has format %d, but this tool supports only format %d: use the roc version that wrote it.",
			path, json_object_get_int(format), FORMAT);
	for (i = 0; i < listed || i < n; i++) {
		name = i < listed ? json_object_array_get_idx(list, i) : NULL;
		if (i < n && name && json_object_is_type(name, json_type_string) &&
		    !strcmp(json_object_get_string(name), lanes[i]))
			continue;
		return wrong(
			reason,
			"%s is the log of other channels (%s instead of %s): use another --log.",
			path,
			name && json_object_is_type(name, json_type_string)
				? json_object_get_string(name)
				: "none",
			i < n ? lanes[i] : "none");
	}
	return 0;
}

static bool parse_period(struct json_object *o, unsigned int lanes, struct soak_period *p)
{
	struct json_object *verdict = member(o, "verdict", json_type_string), *v;
	uint64_t lane, gap;
	unsigned int i;

	*p = (struct soak_period){.gap = -1, .temperature = NAN};
	if (!count(o, "lane", &lane) || lane >= lanes || !number(o, "at", &p->at) ||
	    !number(o, "seconds", &p->seconds) || !count(o, "units", &p->units) ||
	    !count(o, "bytes", &p->bytes) || !count(o, "errors", &p->errors) ||
	    !count(o, "dropped", &p->dropped) || !verdict)
		return false;
	p->lane = (unsigned int)lane;
	if (count(o, "gap", &gap)) {
		if (gap >= ROC_GAPS)
			return false;
		p->gap = (int)gap;
	}
	v = member(o, "temperature", json_type_double);
	if (v)
		p->temperature = json_object_get_double(v);
	for (i = SOAK_PASS; i <= SOAK_FAIL; i++) {
		if (!strcmp(json_object_get_string(verdict), soak_verdict_name(i))) {
			p->verdict = i;
			return true;
		}
	}
	return false;
}

static bool parse_failure(struct json_object *o, struct soak_history *h)
{
	struct json_object *reason = member(o, "failed", json_type_string);

	if (reason && !h->failed[0])
		snprintf(h->failed, sizeof(h->failed), "%s", json_object_get_string(reason));
	return reason;
}

/* Parse the lines of @text. Return the number of bytes in complete lines, or -errno. */
static ssize_t parse_lines(char *text, size_t length, const char *const *lanes, unsigned int n,
			   const char *path, struct soak_history *h, char reason[SOAK_REASON])
{
	size_t at = 0, line = 0;
	struct json_object *o;
	struct soak_period p;
	char *end;
	int ret;

	while (at < length && (end = memchr(text + at, '\n', length - at))) {
		*end = '\0';
		line++;
		o = json_tokener_parse(text + at);
		if (line == 1)
			ret = parse_head(o, lanes, n, path, reason);
		else if (o && json_object_is_type(o, json_type_object) && parse_failure(o, h))
			ret = 0;
		else if (o && json_object_is_type(o, json_type_object) && parse_period(o, n, &p))
			ret = soak_history_add(h, &p)
				      ? wrong(reason, "Cannot allocate the history of the soak.")
				      : 0;
		else
			ret = wrong(reason, "%s: line %zu is not a line of a soak log.", path,
				    line);
		json_object_put(o);
		if (ret)
			return ret;
		at = (size_t)(end + 1 - text);
	}
	return (ssize_t)at;
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

static int write_line(int fd, struct json_object *o)
{
	size_t length;
	const char *text = json_object_to_json_string_length(o, JSON_C_TO_STRING_PLAIN, &length);
	char *line = malloc(length + 1);
	int ret = -ENOMEM;

	if (line) {
		memcpy(line, text, length);
		line[length] = '\n';
		ret = write_all(fd, line, length + 1);
	}
	free(line);
	return ret;
}

static int write_head(int fd, const char *const *lanes, unsigned int n)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++)
		json_object_array_add(list, json_object_new_string(lanes[i]));
	json_object_object_add(o, "soak", json_object_new_int(FORMAT));
	json_object_object_add(o, "lanes", list);
	ret = write_line(fd, o);
	json_object_put(o);
	return ret;
}

/* Return the contents of the file; NULL with errno on failure. */
static char *read_all(int fd, size_t *length)
{
	struct stat st;
	char *text;
	ssize_t n;

	*length = 0;
	if (fstat(fd, &st))
		return NULL;
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > SIZE_MAX_LOG) {
		errno = S_ISREG(st.st_mode) ? EFBIG : EINVAL;
		return NULL;
	}
	text = malloc((size_t)st.st_size + 1);
	while (text && *length < (size_t)st.st_size) {
		n = pread(fd, text + *length, (size_t)st.st_size - *length, (off_t)*length);
		if (n <= 0) {
			/* A read error must not be taken for a truncated line. */
			errno = n ? errno : EIO;
			free(text);
			return NULL;
		}
		*length += (size_t)n;
	}
	return text;
}

/*
 * Last period that all lanes have: the writer may have been killed between the lines of a period.
 */
static double common_seconds(const struct soak_history *h, unsigned int lanes)
{
	double seconds = h->seconds, last;
	unsigned int lane;
	size_t i;

	for (lane = 0; lane < lanes; lane++) {
		last = 0;
		for (i = 0; i < h->count; i++) {
			if (h->period[i].lane == lane)
				last = fmax(last, h->period[i].at);
		}
		seconds = fmin(seconds, last);
	}
	return seconds;
}

static int resume(struct soak_log *log, const char *path, const char *const *lanes, unsigned int n,
		  struct soak_history *h, char reason[SOAK_REASON])
{
	size_t length;
	ssize_t complete;
	char *text;
	int ret;

	text = read_all(log->fd, &length);
	if (!text)
		return wrong(reason, "Cannot read %s: %s.", path, strerror(errno));
	complete = parse_lines(text, length, lanes, n, path, h, reason);
	free(text);
	if (complete < 0)
		return (int)complete;
	h->seconds = common_seconds(h, n);
	if (!complete && length)
		return wrong(reason, "%s is not the log of a soak.", path);
	if ((size_t)complete < length && ftruncate(log->fd, complete))
		return wrong(reason, "Cannot write %s: %s.", path, strerror(errno));
	ret = complete ? 0 : write_head(log->fd, lanes, n);
	return ret ? wrong(reason, "Cannot write %s: %s.", path, strerror(-ret)) : 0;
}

struct soak_log *soak_log_open(const char *path, const char *const *lanes, unsigned int n,
			       struct soak_history *h, char reason[SOAK_REASON])
{
	struct soak_log *log = calloc(1, sizeof(*log));

	if (!log) {
		wrong(reason, "Cannot allocate the log of the soak.");
		return NULL;
	}
	log->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (log->fd < 0) {
		wrong(reason, "Cannot open %s: %s.", path, strerror(errno));
	} else if (flock(log->fd, LOCK_EX | LOCK_NB)) {
		if (errno == EWOULDBLOCK)
			wrong(reason, "%s is in use by another soak.", path);
		else
			wrong(reason, "Cannot lock %s: %s.", path, strerror(errno));
	} else if (!resume(log, path, lanes, n, h, reason)) {
		return log;
	}
	soak_log_close(log);
	return NULL;
}

int soak_log_write(struct soak_log *log, const struct soak_history *h, size_t first)
{
	struct json_object *o;
	int ret = 0;

	for (; first < h->count && !ret; first++) {
		const struct soak_period *p = &h->period[first];

		o = json_object_new_object();
		json_object_object_add(o, "lane", json_object_new_int((int)p->lane));
		json_object_object_add(
			o, "time",
			json_object_new_int64((int64_t)(units_realtime() / UNITS_NS_PER_S)));
		json_object_object_add(o, "at", json_object_new_double(p->at));
		json_object_object_add(o, "seconds", json_object_new_double(p->seconds));
		json_object_object_add(o, "units", json_object_new_int64((int64_t)p->units));
		json_object_object_add(o, "bytes", json_object_new_int64((int64_t)p->bytes));
		json_object_object_add(o, "errors", json_object_new_int64((int64_t)p->errors));
		json_object_object_add(o, "dropped", json_object_new_int64((int64_t)p->dropped));
		json_object_object_add(o, "gap", p->gap < 0 ? NULL : json_object_new_int(p->gap));
		json_object_object_add(
			o, "temperature",
			isnan(p->temperature) ? NULL : json_object_new_double(p->temperature));
		json_object_object_add(o, "verdict",
				       json_object_new_string(soak_verdict_name(p->verdict)));
		ret = write_line(log->fd, o);
		json_object_put(o);
	}
	return ret;
}

int soak_log_fail(struct soak_log *log, const char *reason)
{
	struct json_object *o = json_object_new_object();
	int ret;

	json_object_object_add(o, "failed", json_object_new_string(reason));
	ret = write_line(log->fd, o);
	json_object_put(o);
	return ret;
}

void soak_log_close(struct soak_log *log)
{
	if (!log)
		return;
	if (log->fd >= 0)
		close(log->fd);
	free(log);
}
