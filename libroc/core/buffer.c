// SPDX-License-Identifier: LGPL-2.1-or-later
/* Register and unregister the buffers of a channel, and describe each failure. */
#include <errno.h>

#include "libroc.h"

/* Describe the reasons that come with a number: the number, then the remedy from reason_text[]. */
static int fail_reason(int err, const struct roc_channel *ch, const struct roc_buf_register *arg)
{
	char length[32], granule[32];

	libroc_size_text(arg->length, length, sizeof(length));
	switch (arg->reason) {
	case ROC_REASON_MEMLOCK:
		return roc_fail(
			err,
			"%s: cannot pin %s, the limit is %llu bytes and %llu of them are in use: %s",
			ch->name, length, (unsigned long long)arg->limit,
			(unsigned long long)arg->pinned, roc_reason_text(arg->reason));
	case ROC_REASON_CONTIGUITY:
		return roc_fail(
			err,
			"%s: cannot register superpages of %s, because the shortest extent of the %s has %llu bytes: %s",
			ch->name,
			arg->granule ? libroc_size_text(arg->granule, granule, sizeof(granule))
				     : "the smallest size",
			length, (unsigned long long)arg->limit, roc_reason_text(arg->reason));
	default:
		return roc_fail(err, "%s: cannot register %s: %s", ch->name, length,
				roc_reason_text(arg->reason));
	}
}

int roc_buffer_register(struct roc_channel *ch, void *addr, size_t length, uint32_t granule,
			uint32_t *handle)
{
	struct roc_buf_register arg = {
		.size = sizeof(arg),
		.addr = (uintptr_t)addr,
		.length = length,
		.granule = granule,
	};
	int ret = libroc_node_ioctl(&ch->node, ROC_BUF_REGISTER, &arg);

	if (!ret) {
		*handle = arg.handle;
		return 0;
	}
	if (arg.reason)
		return fail_reason(-ret, ch, &arg);
	switch (-ret) {
	case EINVAL:
		return roc_fail(
			EINVAL,
			"%s: cannot register %p + 0x%zx with superpages of 0x%x: start and length must be multiples of the page size, the superpage size one of roc_info()'s superpage_align",
			ch->name, addr, length, granule);
	case EOVERFLOW:
		return roc_fail(
			EOVERFLOW,
			"%s: cannot register %p + 0x%zx: it goes beyond the end of the address space",
			ch->name, addr, length);
	case ENOSPC:
		return roc_fail(
			ENOSPC,
			"%s: too many buffers: unregister some, or register fewer and larger ones",
			ch->name);
	case EBUSY:
		return roc_fail(EBUSY, "%s: cannot register while running: stop it first",
				ch->name);
	case ENOMEM:
		return roc_fail(ENOMEM, "%s: the kernel cannot allocate the tables of a buffer",
				ch->name);
	default:
		return libroc_fail_ioctl(-ret, ch->name, "cannot register a buffer");
	}
}

int roc_buffer_unregister(struct roc_channel *ch, uint32_t handle)
{
	struct roc_buf_unregister arg = {.size = sizeof(arg), .handle = handle};
	int ret = libroc_node_ioctl(&ch->node, ROC_BUF_UNREGISTER, &arg);

	switch (-ret) {
	case 0:
		return 0;
	case ENOENT:
		return roc_fail(ENOENT, "%s: no buffer has handle %u: %s", ch->name, handle,
				"use the one from roc_buffer_register() on this channel");
	case EBUSY:
		return roc_fail(EBUSY, "%s: cannot unregister while running: stop it first",
				ch->name);
	default:
		return libroc_fail_ioctl(-ret, ch->name, "cannot unregister a buffer");
	}
}
