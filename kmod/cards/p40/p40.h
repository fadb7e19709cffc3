/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PCIe40: see p40.c.
 */
#ifndef P40_H
#define P40_H

#include "stream/stream.h"

extern const struct roc_stream_ops roc_p40_ops;

#endif /* P40_H */
