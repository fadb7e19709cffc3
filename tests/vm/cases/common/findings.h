/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors that a test's reader found: their number and the first message. Uses no CUnit, because
 * readers also run in child processes.
 */
#ifndef CASE_FINDINGS_H
#define CASE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct findings {
	unsigned int count;
	char first[200];
};

void find_wrong(struct findings *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Report that @what failed with -errno. Returns false. */
bool find_failed(struct findings *f, const char *what, int err);
/* Map an area of a channel; NULL: it failed, which is reported in @f. */
void *find_map(struct findings *f, int fd, uint64_t length, int prot, uint64_t offset);

/* Assert that no error was found; else print the first one. */
#define FOUND_NOTHING(f)                                                                           \
	do {                                                                                       \
		if ((f)->count)                                                                    \
			unit_note("%s:%d: %u errors, first: %s", __FILE__, __LINE__, (f)->count,   \
				  (f)->first);                                                     \
		CU_ASSERT_EQUAL((f)->count, 0);                                                    \
	} while (0)

#endif /* CASE_FINDINGS_H */
