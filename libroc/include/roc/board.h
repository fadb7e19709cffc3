/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-board: what the registers of a board mean. Configuration, status, counters, players,
 * flash, and the list of firmware versions.
 *
 * A library of its own (-lroc-board, pkg-config libroc-board) on top of libroc, which a reader of
 * data needs alone. Each header says what it has; this one has them all.
 */
#ifndef ROC_BOARD_H
#define ROC_BOARD_H

#include <roc/config.h>
#include <roc/crorc.h>
#include <roc/cru.h>
#include <roc/firmware.h>
#include <roc/p40.h>
#include <roc/robinnp.h>
#include <roc/roc.h>

#endif /* ROC_BOARD_H */
