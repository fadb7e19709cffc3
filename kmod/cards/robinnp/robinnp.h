/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RobinNP: see robinnp.c.
 */
#ifndef ROBINNP_H
#define ROBINNP_H

#include "fragment/fragment.h"

extern const struct roc_fragment_ops roc_robinnp_ops;

#endif /* ROBINNP_H */
