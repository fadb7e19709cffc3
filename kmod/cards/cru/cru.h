/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CRU as the driver's table of cards has it.
 */
#ifndef CRU_H
#define CRU_H

#include "pool/pool.h"

extern const struct roc_pool_ops roc_cru_ops;

#endif /* CRU_H */
