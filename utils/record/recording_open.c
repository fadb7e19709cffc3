// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open a recording: find its files by their numbers, and read the entries whose data are there.
 * Files may be truncated, partly copied, or left by a process that was killed. Everything that is
 * complete is read, and missing parts are reported.
 */
#include "recording.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

/* Numbers in file names have six digits, or more if necessary. */
static int by_name(const void *a, const void *b)
{
	const struct recording_part *p = a, *q = b;

	return strverscmp(p->index, q->index);
}

static int add_part(struct recording *r, const char *dir, const char *name)
{
	struct recording_part *parts, *p;
	size_t stem = strlen(name) - strlen(RECORDING_INDEX);

	parts = reallocarray(r->parts, r->count + 1, sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	r->parts = parts;
	p = &parts[r->count];
	*p = (struct recording_part){0};
	if (asprintf(&p->index, "%s%s%s", dir, dir[0] ? "/" : "", name) < 0)
		return -ENOMEM;
	r->count++;
	if (asprintf(&p->data, "%s%s%.*s%s", dir, dir[0] ? "/" : "", (int)stem, name,
		     RECORDING_DATA) < 0)
		return -ENOMEM;
	return 0;
}

static int find_parts(const char *path, struct recording *r, char reason[UNITS_REASON])
{
	struct dirent *entry;
	struct stat st;
	int ret = 0;
	DIR *dir;

	if (stat(path, &st))
		return units_fail(reason, errno, "%s cannot be read: %s.", path, strerror(errno));
	if (!S_ISDIR(st.st_mode)) {
		if (!ends_with(path, RECORDING_INDEX))
			return units_fail(
				reason, EINVAL,
				"%s is not a recording: use the directory of a recording, or one of its files *%s.",
				path, RECORDING_INDEX);
		ret = add_part(r, "", path);
		return ret ? units_fail(reason, -ret, "Cannot allocate the list of files of %s.",
					path)
			   : 0;
	}
	dir = opendir(path);
	if (!dir)
		return units_fail(reason, errno, "%s cannot be read: %s.", path, strerror(errno));
	while (!ret && (entry = readdir(dir))) {
		if (ends_with(entry->d_name, RECORDING_INDEX))
			ret = add_part(r, path, entry->d_name);
	}
	closedir(dir);
	if (ret)
		return units_fail(reason, -ret, "Cannot allocate the list of files of %s.", path);
	if (!r->count)
		return units_fail(reason, ENOENT, "There is no recording in %s: no file *%s.", path,
				  RECORDING_INDEX);
	qsort(r->parts, r->count, sizeof(*r->parts), by_name);
	return 0;
}

static int fail_header(const struct recording_part *p, enum recording_wrong wrong,
		       char reason[UNITS_REASON])
{
	switch (wrong) {
	case RECORDING_SHORT:
		return units_fail(reason, EINVAL,
				  "%s is truncated: its header is incomplete. Copy it again.",
				  p->index);
	case RECORDING_NO_INDEX:
		return units_fail(reason, EINVAL, "%s is not the index of a recording.", p->index);
	case RECORDING_FOREIGN:
		return units_fail(
			reason, EINVAL,
			"%s is big endian: an index is little endian on all machines, so it was swapped during a transfer. Copy it again.",
			p->index);
	case RECORDING_NEWER:
		return units_fail(
			reason, EINVAL,
			"%s has version %" PRIu32
			" of the index format, and this roc supports version %d: use the roc that wrote it, or a newer one.",
			p->index, p->header.version, RECORDING_VERSION);
	case RECORDING_PAGES:
		return units_fail(reason, EINVAL,
				  "%s has an invalid page size of %" PRIu32
				  " bytes: the program that wrote it is defective.",
				  p->index, p->header.page_bytes);
	default:
		return units_fail(
			reason, EINVAL,
			"%s is damaged: the checksum of its header is wrong. Copy it again.",
			p->index);
	}
}

static unsigned char *read_file(const char *name, size_t *length, char reason[UNITS_REASON])
{
	FILE *f = fopen(name, "re");
	unsigned char *text = NULL;
	struct stat st;

	if (!f || fstat(fileno(f), &st)) {
		units_fail(reason, errno, "%s cannot be read: %s.", name, strerror(errno));
	} else if (!(text = malloc((size_t)st.st_size + 1))) {
		units_fail(reason, ENOMEM, "Cannot allocate the entries of the index %s.", name);
	} else {
		*length = fread(text, 1, (size_t)st.st_size, f);
	}
	if (f)
		fclose(f);
	return text;
}

/* Read the entries that are complete and have their data. */
static int take_entries(struct recording *r, struct recording_part *p, const unsigned char *text,
			size_t length, uint64_t data_bytes)
{
	uint64_t capacity = (length - RECORDING_HEADER) / RECORDING_ENTRY, expected = capacity, i;

	if (p->header.flags & RECORDING_CLOSED)
		expected = p->header.entries;
	p->entries = calloc(capacity + 1, sizeof(*p->entries));
	if (!p->entries)
		return -ENOMEM;
	for (i = 0; i < capacity && i < expected; i++) {
		struct recording_entry *e = &p->entries[p->count];

		if (!recording_get_entry(text + RECORDING_HEADER + i * RECORDING_ENTRY, e)) {
			p->corrupt = true;
			break;
		}
		if (e->offset > data_bytes || e->bytes > data_bytes - e->offset) {
			p->cut = true;
			break;
		}
		if (e->bytes > r->unit_max)
			r->unit_max = e->bytes;
		p->count++;
		r->bytes += e->bytes;
	}
	p->lost = expected - p->count;
	r->units += p->count;
	return 0;
}

/*
 * The last file of a recording can have a name without content, if the machine stopped before the
 * writer had a unit for it. A partial header is an error: headers are written at once, so the index
 * was partly copied.
 */
static bool not_begun(const struct recording *r, const struct recording_part *p,
		      enum recording_wrong wrong, const unsigned char *text, size_t length)
{
	static const unsigned char nothing[8];

	if (r->count < 2 || p != &r->parts[r->count - 1])
		return false;
	if (wrong == RECORDING_GOOD)
		return length == RECORDING_HEADER && access(p->data, F_OK);
	return (wrong == RECORDING_SHORT && !length) ||
	       (wrong == RECORDING_NO_INDEX && !memcmp(text, nothing, sizeof(nothing)));
}

static void drop_last(struct recording *r)
{
	struct recording_part *p = &r->parts[--r->count];

	units_fail(r->note, 0, "%s has no unit: its writer ended before the first one.", p->index);
	free(p->data);
	free(p->index);
}

static int load_part(struct recording *r, struct recording_part *p, char reason[UNITS_REASON])
{
	enum recording_wrong wrong;
	unsigned char *text;
	struct stat st;
	size_t length;
	int ret;

	text = read_file(p->index, &length, reason);
	if (!text)
		return -EIO;
	wrong = recording_get_header(text, length, &p->header);
	if (not_begun(r, p, wrong, text, length)) {
		drop_last(r);
		ret = 0;
	} else if (wrong) {
		ret = fail_header(p, wrong, reason);
	} else if (stat(p->data, &st)) {
		ret = units_fail(reason, errno, "%s cannot be read: %s.", p->data, strerror(errno));
	} else {
		ret = take_entries(r, p, text, length, (uint64_t)st.st_size);
		if (ret)
			units_fail(reason, -ret, "Cannot allocate the entries of the index %s.",
				   p->index);
	}
	free(text);
	return ret;
}

/* Return the number of a part if all parts of its recording before it are there. */
static unsigned int number_of(const struct recording *r, unsigned int part)
{
	unsigned int i, number = 0;

	for (i = 0; i < part; i++)
		number += r->parts[i].header.run == r->parts[part].header.run;
	return number;
}

/* Report missing and damaged parts; the first one determines the reason. */
static void report_problems(struct recording *r)
{
	unsigned int i, number = 0;

	for (i = 0; i < r->count; i++) {
		const struct recording_part *p = &r->parts[i];

		if (p->cut)
			units_fail(r->reason, EIO,
				   "%s is truncated: %" PRIu64 " of %" PRIu64
				   " units are readable. Copy it again.",
				   p->data, p->count, p->count + p->lost);
		else if (p->lost && p->header.flags & RECORDING_CLOSED)
			units_fail(r->reason, EIO,
				   "%s is %s: %" PRIu64 " of %" PRIu64
				   " units are readable. Copy it again.",
				   p->index, p->corrupt ? "damaged" : "truncated", p->count,
				   p->count + p->lost);
		else if (!(p->header.flags & RECORDING_CLOSED))
			units_fail(r->note, 0,
				   "%s was not closed, because its writer was killed: %" PRIu64
				   " units are readable.",
				   p->index, p->count);
		if (p->header.run != r->parts[0].header.run)
			units_fail(r->note, 0, "%s belongs to another recording than %s.", p->index,
				   r->parts[0].index);
	}
	for (i = 0; i < r->count && r->count > 1; i++) {
		/*
		 * Count from the previous part if it is of the same recording: there may be a
		 * million parts.
		 */
		if (i && r->parts[i].header.run == r->parts[i - 1].header.run)
			number++;
		else
			number = number_of(r, i);
		if (r->parts[i].header.number != number)
			units_fail(r->reason, ENOENT,
				   "File %u of the recording is missing: the next one is %s.",
				   number, r->parts[i].index);
	}
}

int recording_open(const char *path, struct recording *r, char reason[UNITS_REASON])
{
	unsigned int i;
	int ret;

	*r = (struct recording){0};
	ret = find_parts(path, r, reason);
	for (i = 0; i < r->count && !ret; i++) {
		ret = load_part(r, &r->parts[i], reason);
		if (!ret && i < r->count &&
		    r->parts[i].header.content != r->parts[0].header.content)
			ret = units_fail(
				reason, EINVAL,
				"%s and %s have different content: use the index of one of them.",
				r->parts[i].index, r->parts[0].index);
	}
	if (ret)
		recording_close(r);
	else
		report_problems(r);
	return ret;
}

void recording_open_any(const char *dir, struct recording *r)
{
	char reason[UNITS_REASON];
	unsigned int i;

	*r = (struct recording){0};
	reason[0] = '\0';
	if (find_parts(dir, r, reason)) {
		recording_close(r);
		return;
	}
	for (i = 0; i < r->count; i++) {
		reason[0] = '\0';
		load_part(r, &r->parts[i], reason);
	}
}

void recording_close(struct recording *r)
{
	unsigned int i;

	for (i = 0; i < r->count; i++) {
		free(r->parts[i].data);
		free(r->parts[i].index);
		free(r->parts[i].entries);
	}
	free(r->parts);
	r->parts = NULL;
	r->count = 0;
}
