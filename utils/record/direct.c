// SPDX-License-Identifier: GPL-2.0-or-later
#include "direct.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording.h"

/* Bytes of the blocks that the file system needs, 0: it has no direct I/O; -1: not known. */
static int64_t blocks_of(int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &st) || !(st.stx_mask & STATX_DIOALIGN))
		return -1;
	return st.stx_dio_mem_align > st.stx_dio_offset_align && st.stx_dio_offset_align
		       ? st.stx_dio_mem_align
		       : st.stx_dio_offset_align;
}

/* An attempt at one block. Any other error than EINVAL is for the I/O that follows to report. */
static bool takes_block(int fd, int flags)
{
	static unsigned char memory[3 * RECORDING_ALIGN]
		__attribute__((aligned(2 * RECORDING_ALIGN)));
	unsigned char *block = memory + RECORDING_ALIGN; /* aligned to no more than that */
	struct stat st;
	bool takes;

	if (fstat(fd, &st))
		return true;
	if (st.st_size || (flags & O_ACCMODE) == O_RDONLY)
		return pread(fd, block, RECORDING_ALIGN, 0) >= 0 || errno != EINVAL;
	takes = pwrite(fd, block, RECORDING_ALIGN, 0) >= 0 || errno != EINVAL;
	return !ftruncate(fd, 0) && takes;
}

/* Whether O_DIRECT is set now; else why not, in @note. */
static bool set_direct(struct direct *d, int fd, int flags, const char *name, char note[UNITS_WHY])
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

void direct_begin(struct direct *d, int fd, const char *name, char note[UNITS_WHY])
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
