/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An accept() that failed.
 */
#ifndef ROC_UTILS_ACCEPT_H
#define ROC_UTILS_ACCEPT_H

#include <errno.h>
#include <stdbool.h>

/*
 * There was no descriptor or no memory for one who waits, who waits on: poll() would tell of him
 * again and again. He is asked for anew after a while.
 */
static inline bool accept_no_files(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM;
}

#endif
