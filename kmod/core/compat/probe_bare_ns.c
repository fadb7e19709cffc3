// SPDX-License-Identifier: GPL-2.0-only
/* MODULE_IMPORT_NS() with a bare name: until 6.12; then it is a string. */
#include <linux/module.h>

MODULE_IMPORT_NS(DMA_BUF);
