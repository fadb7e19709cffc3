/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offline check of what sink_file.c wrote.
 */
#ifndef ROC_UTILS_EVB_CHECK_FILES_H
#define ROC_UTILS_EVB_CHECK_FILES_H

#include "sink.h"

/*
 * Look at a file, or at all *.mep of a folder, in the order of their names, and add up. 0; -errno
 * with the sentence: not all of it can be read, and @books has what could.
 */
int evb_check_files(const char *path, struct evb_sink_books *books, char why[UNITS_WHY]);

#endif
