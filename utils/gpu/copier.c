// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What copiers share: the content of a device's memory.
 */
#include "copier.h"

#include <errno.h>
#include <stdlib.h>

#include "utils/units/content.h"

#define PIECE (1 << 20)

int copier_fill(struct copier *c, uint64_t source, bool (*enough)(void))
{
	char *piece = malloc(PIECE);
	uint64_t at;
	int ret = 0;

	if (!piece)
		return units_fail(c->why, ENOMEM, "There is no memory left.");
	for (at = 0; at < c->memory && !ret; at += PIECE) {
		size_t bytes = c->memory - at < PIECE ? (size_t)(c->memory - at) : PIECE;

		if (enough && enough()) {
			ret = units_fail(c->why, ECANCELED, "It was interrupted.");
			break;
		}
		content_body(source, at / 8, piece, bytes);
		ret = c->ops->upload(c, at, piece, bytes);
	}
	free(piece);
	return ret;
}
