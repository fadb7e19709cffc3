/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An accept() that failed.
 */
#ifndef LIBROC_ACCEPT_H
#define LIBROC_ACCEPT_H

#include <errno.h>
#include <stdbool.h>

#define ACCEPT_AGAIN_NS 50000000 /* until accept() is asked again that had no file left */

/*
 * There was no descriptor or no memory for one who waits, who waits on: poll() would tell of him
 * again and again. He is asked for anew after a while.
 */
static inline bool accept_no_files(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM;
}

#endif
