/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The version message: what a client proposes, and what is agreed on.
 */
#ifndef EMU_VERSION_H
#define EMU_VERSION_H

#include <stddef.h>

#include "proto.h"

#define VERSION_TEXT 256

/*
 * @len bytes of a client's proposal. 0: @text is the answer's version data, and @max_read how many
 * bytes of a region the client takes in one reply. -EINVAL: nothing that a client of this version
 * says.
 */
int version_agree(const struct vu_version *ask, uint32_t len, char text[VERSION_TEXT],
		  uint32_t *max_read);

#endif /* EMU_VERSION_H */
