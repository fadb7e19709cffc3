/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures of a program that runs, for whoever collects them: on a Unix socket, by as much of HTTP
 * as a collector needs (telegraf's "unix://PATH", curl --unix-socket). Each connection gets one
 * snapshot, made when it asks.
 *
 * A thread of its own makes and sends them. Who asks for half, does not read or stays holds one of
 * few places for a short time, and nobody else.
 */
#ifndef ROC_UTILS_SCRAPE_H
#define ROC_UTILS_SCRAPE_H

#include <stdbool.h>

#include "prometheus.h"

struct scrape;

/* Whether a socket can have that path. */
bool scrape_path_fits(const char *path);

/*
 * The socket at @path is made, and may be connected to by everybody; one that nobody listens on any
 * more is taken over. @print is called by the thread. NULL after a message.
 */
struct scrape *scrape_start(const char *path, void (*print)(struct prometheus *p, void *what),
			    void *what);
/* Connections end as they are, and the socket is taken away. NULL is nothing. */
void scrape_stop(struct scrape *s);

#endif
