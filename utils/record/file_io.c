// SPDX-License-Identifier: GPL-2.0-or-later
#include "file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording.h"

#define PART_MAX (UINT64_C(1) << 30) /* limit of io_uring for one registered buffer */
#define PARTS 1024

/*
 * 0: allowed for all processes, 1: for a group and root, 2: for none. Kernels before 6.6 do not
 * have the file.
 */
static int disabled(void)
{
	FILE *f = fopen("/proc/sys/kernel/io_uring_disabled", "re");
	int value = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%d", &value) != 1)
		value = 0;
	fclose(f);
	return value;
}

static int refused(char reason[UNITS_REASON])
{
	int value = disabled();

	if (value)
		return units_fail(
			reason, EPERM,
			"io_uring is disabled for this process: set the sysctl kernel.io_uring_disabled to 0 (it is %d).",
			value);
	return units_fail(
		reason, EPERM,
		"A seccomp profile blocks io_uring, as in most containers: allow io_uring_setup, io_uring_enter and io_uring_register in it.");
}

int uring_open(struct io_uring *ring, unsigned int entries, char reason[UNITS_REASON])
{
	int ret = io_uring_queue_init(entries, ring, 0);

	switch (-ret) {
	case 0:
		return 0;
	case EPERM:
		return refused(reason);
	case ENOSYS:
		return units_fail(
			reason, ENOSYS,
			"This kernel has no io_uring, or a seccomp profile blocks the calls: use a kernel built with CONFIG_IO_URING, or allow the calls.");
	case ENOMEM:
		return units_fail(
			reason, ENOMEM,
			"Cannot allocate an io_uring: raise the limit of locked memory (ulimit -l), to which kernels before 5.12 charge it.");
	default:
		return units_fail(reason, -ret, "Cannot create an io_uring: %s.", strerror(-ret));
	}
}

void pinned_register(struct pinned *p, struct io_uring *ring, const struct source *source)
{
	unsigned int i;

	p->parts = calloc(PARTS, sizeof(*p->parts));
	if (!p->parts)
		return;
	for (i = 0; i < source->region_count; i++) {
		char *addr = source->regions[i].addr;
		size_t left = source->regions[i].length;

		while (left && p->count < PARTS) {
			size_t part = left < PART_MAX ? left : PART_MAX;

			p->parts[p->count++] = (struct iovec){.iov_base = addr, .iov_len = part};
			addr += part;
			left -= part;
		}
	}
	if (p->count && io_uring_register_buffers(ring, p->parts, p->count))
		p->count = 0;
}

int pinned_find(const struct pinned *p, const char *from, uint64_t length)
{
	unsigned int i;

	for (i = 0; i < p->count; i++) {
		const char *base = p->parts[i].iov_base;

		if (from >= base && from + length <= base + p->parts[i].iov_len)
			return (int)i;
	}
	return -1;
}

void pinned_free(struct pinned *p)
{
	free(p->parts);
}

/* Return the block size for direct I/O. 0: the file system does not support it; -1: unknown. */
static int64_t blocks_of(int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &st) || !(st.stx_mask & STATX_DIOALIGN))
		return -1;
	return st.stx_dio_mem_align > st.stx_dio_offset_align && st.stx_dio_offset_align
		       ? st.stx_dio_mem_align
		       : st.stx_dio_offset_align;
}

/* Try direct I/O with one block. Errors other than EINVAL are reported by the I/O that follows. */
static bool takes_block(int fd, int flags)
{
	static unsigned char memory[3 * RECORDING_ALIGN]
		__attribute__((aligned(2 * RECORDING_ALIGN)));
	/* aligned to RECORDING_ALIGN, and not to more */
	unsigned char *block = memory + RECORDING_ALIGN;
	struct stat st;
	bool takes;

	if (fstat(fd, &st))
		return true;
	if (st.st_size || (flags & O_ACCMODE) == O_RDONLY)
		return pread(fd, block, RECORDING_ALIGN, 0) >= 0 || errno != EINVAL;
	takes = pwrite(fd, block, RECORDING_ALIGN, 0) >= 0 || errno != EINVAL;
	return !ftruncate(fd, 0) && takes;
}

/* Set O_DIRECT. Return: whether it is set; if not, the reason is in @note. */
static bool set_direct(struct direct *d, int fd, int flags, const char *name,
		       char note[UNITS_REASON])
{
	int64_t blocks = blocks_of(fd);

	if (blocks > RECORDING_ALIGN)
		units_fail(
			note, 0,
			"%s: direct I/O needs blocks of %" PRId64
			" bytes here, and a recording has blocks of %d: the kernel copies the data.",
			name, blocks, RECORDING_ALIGN);
	else if (!blocks || fcntl(fd, F_SETFL, flags | O_DIRECT))
		units_fail(note, 0,
			   "%s: this file system has no direct I/O: the kernel copies the data.",
			   name);
	else if (blocks < 0 && !d->probed && !takes_block(fd, flags))
		units_fail(
			note, 0,
			"%s: this file system refuses direct I/O in blocks of %d bytes: the kernel copies the data.",
			name, RECORDING_ALIGN);
	else
		return true;
	return false;
}

void direct_begin(struct direct *d, int fd, const char *name, char note[UNITS_REASON])
{
	int flags = fcntl(fd, F_GETFL);

	if (d->buffered)
		return;
	d->probed = set_direct(d, fd, flags, name, note);
	if (d->probed)
		return;
	d->buffered = true;
	fcntl(fd, F_SETFL, flags);
}
