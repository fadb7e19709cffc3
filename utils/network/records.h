/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records on a control connection, and the signs of life among them.
 */
#ifndef ROC_UTILS_RECORDS_H
#define ROC_UTILS_RECORDS_H

#include "libroc/fabric/control.h"
#include "wire.h"

/* A whole record at the front of what came, with its slots behind it: 1; 0 not yet; -EPROTO. */
int control_record(const struct control *c, struct wire_record *r);
void control_drop_record(struct control *c, const struct wire_record *r);
/*
 * Say that we are there, if nothing was said for a while; -ETIMEDOUT: the other end has said
 * nothing for @silence seconds.
 */
int control_beat(struct control *c, uint64_t now, uint32_t silence);

#endif
