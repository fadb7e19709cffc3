/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The version message: the client's proposal and the agreed values.
 */
#ifndef EMU_VERSION_H
#define EMU_VERSION_H

#include <stddef.h>

#include "proto.h"

#define VERSION_TEXT 256

/*
 * Check @len bytes of a client's proposal. Returns 0 with the answer's version data in @text and,
 * in @max_read, the bytes of a region that the client accepts in one reply. Returns -EINVAL if the
 * proposal is invalid in this version.
 */
int version_agree(const struct vu_version *ask, uint32_t len, char text[VERSION_TEXT],
		  uint32_t *max_read);

#endif /* EMU_VERSION_H */
