/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User memory, pinned and charged: see pin.c.
 */
#ifndef ROC_PIN_H
#define ROC_PIN_H

#include <uapi/linux/roc.h>

struct roc_memory;

/*
 * Pin what @arg names, in pieces of at most @max_segment. Charged to the caller. With an error
 * @arg->why may say more. No lock of ours is held: whoever provides the memory may take for ever.
 */
struct roc_memory *roc_pin(struct roc_buf_register *arg, unsigned int max_segment);

#endif /* ROC_PIN_H */
