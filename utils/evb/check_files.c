// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Check files of blocks. They are mapped, and their contents are checked completely. The files must
 * not be truncated during the check.
 */
#include "sink.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct reader {
	struct inspect inspect;
	struct roc_mep_source *sources;
	struct iovec *segments;
	unsigned int room;
};

static int grow(struct reader *r, unsigned int count, char reason[UNITS_REASON])
{
	free(r->sources);
	free(r->segments);
	r->sources = calloc(count, sizeof(*r->sources));
	r->segments = calloc(count, sizeof(*r->segments));
	r->room = r->sources && r->segments ? count : 0;
	return r->room ? 0
		       : units_fail(reason, ENOMEM, "Cannot allocate the tables of %u sources.",
				    count);
}

static const char *words(int err)
{
	switch (err) {
	case -EPROTO:
		return "no block begins here";
	case -EPROTONOSUPPORT:
		return "the block has an unknown version";
	case -EMSGSIZE:
		return "the file ends inside a block";
	default:
		return "the block is inconsistent";
	}
}

static int read_blocks(struct reader *r, const char *path, const char *data, uint64_t bytes,
		       char reason[UNITS_REASON])
{
	struct roc_mep mep;
	uint64_t at = 0;
	int ret;

	while (at < bytes) {
		ret = roc_mep_open(&mep, data + at, bytes - at, r->sources, r->segments, r->room);
		if (ret == -ENOSPC && mep.count <= ROC_MEP_SOURCES_MAX) {
			ret = grow(r, mep.count, reason);
			if (ret)
				return ret;
			continue;
		}
		if (ret)
			return units_fail(reason, -ret, "%s: byte %" PRIu64 ": %s.", path, at,
					  words(ret));
		ret = inspect_block(&r->inspect, &mep);
		if (ret)
			return units_fail(reason, -ret, "%s", r->inspect.reason);
		at += roc_mep_bytes(&mep);
	}
	return 0;
}

static int read_file(struct reader *r, const char *path, char reason[UNITS_REASON])
{
	struct stat st;
	int fd, ret = 0;
	void *data;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		ret = units_fail(reason, fd < 0 ? errno : EINVAL, "%s cannot be read: %s.", path,
				 fd < 0 ? strerror(errno) : "not a regular file");
		goto out;
	}
	if (!st.st_size)
		goto out;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED) {
		ret = units_fail(reason, errno, "%s cannot be mapped: %s.", path, strerror(errno));
		goto out;
	}
	madvise(data, (size_t)st.st_size, MADV_SEQUENTIAL);
	r->inspect.n.files++;
	ret = read_blocks(r, path, data, (uint64_t)st.st_size, reason);
	munmap(data, (size_t)st.st_size);
out:
	if (fd >= 0)
		close(fd);
	return ret;
}

static int is_blocks(const struct dirent *entry)
{
	return !fnmatch("*.mep", entry->d_name, FNM_PERIOD);
}

static int read_named(struct reader *r, const char *path, const char *name,
		      char reason[UNITS_REASON])
{
	char *file;
	int ret;

	if (asprintf(&file, "%s/%s", path, name) < 0)
		return units_fail(reason, ENOMEM, "Cannot allocate the path of %s.", name);
	ret = read_file(r, file, reason);
	free(file);
	return ret;
}

static int read_all(struct reader *r, const char *path, char reason[UNITS_REASON])
{
	struct dirent **found;
	int ret = 0, one, count, i;
	struct stat st;

	if (stat(path, &st))
		return units_fail(reason, errno, "%s cannot be read: %s.", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return read_file(r, path, reason);
	/* Numbers in names have six digits, and more from 1000000 on. */
	count = scandir(path, &found, is_blocks, versionsort);
	if (count < 0)
		return units_fail(reason, errno, "%s cannot be read: %s.", path, strerror(errno));
	if (!count)
		ret = units_fail(reason, ENOENT, "%s has no files *.mep.", path);
	for (i = 0; i < count; i++) {
		one = read_named(r, path, found[i]->d_name, reason);
		ret = ret ? ret : one;
		free(found[i]);
	}
	free(found);
	return ret;
}

int evb_check_files(const char *path, struct evb_sink_counters *counters, char reason[UNITS_REASON])
{
	struct reader *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return units_fail(reason, ENOMEM, "Cannot allocate the state of the check.");
	ret = grow(r, 64, reason);
	if (!ret)
		ret = read_all(r, path, reason);
	*counters = r->inspect.n;
	inspect_end(&r->inspect);
	free(r->sources);
	free(r->segments);
	free(r);
	return ret;
}
