/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CRC-32C (Castagnoli), as iSCSI, ext4 and btrfs use it. Short: the interface of crc32c.c alone.
 */
#ifndef ROC_UTILS_CRC32C_H
#define ROC_UTILS_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Uses the instruction of the processor if there is one. */
uint32_t crc32c(const void *data, size_t length);
/* Uses a table, on every processor. */
uint32_t crc32c_by_table(const void *data, size_t length);

#endif
