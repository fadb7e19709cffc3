/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-board: the registers of the boards: configuration, status, counters, players, flash, and
 * the list of firmware versions.
 *
 * A separate library (-lroc-board, pkg-config libroc-board) on top of libroc. A program that only
 * reads data needs libroc alone. This header includes all headers of libroc-board.
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
