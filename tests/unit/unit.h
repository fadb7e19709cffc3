/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One CUnit suite per program, results as TAP: the frame of every test program, on the host
 * (tests/unit) and in the guest (tests/vm/cases).
 *
 *	static void adds(void)
 *	{
 *		CU_ASSERT_EQUAL(1 + 1, 2);
 *	}
 *
 *	UNIT_MAIN("arithmetic", {"adds", adds}, {"another", another})
 *
 * The program prints the plan and one `ok`/`not ok` line per test, each failed assertion after a
 * `#` with file, line and condition, and the time of a test that took a second or more. It exits 0
 * if nothing failed, 1 otherwise. Arguments select the tests whose names contain one of them. Link
 * with -lcunit.
 */
#ifndef ROC_UNIT_H
#define ROC_UNIT_H

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>

#include "slow.h"

struct unit_test {
	const char *name;
	void (*fn)(void);
};

static char unit_skip_reason[256];

/* Mark the test as skipped, with the reason; the test must return right after. */
__attribute__((unused, format(printf, 1, 2))) static void unit_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(unit_skip_reason, sizeof(unit_skip_reason), fmt, ap);
	va_end(ap);
	if (!unit_skip_reason[0])
		strcpy(unit_skip_reason, "no reason given");
}

/* Print a TAP comment, such as a measurement. */
__attribute__((unused, format(printf, 1, 2))) static void unit_note(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

/* Assert that two integers are equal; print both on a failure, and continue. */
#define UNIT_EQ(actual, expected)                                                                  \
	do {                                                                                       \
		long long unit_a = (long long)(actual), unit_e = (long long)(expected);            \
		char unit_msg[512];                                                                \
		snprintf(unit_msg, sizeof(unit_msg),                                               \
			 "%s is %lld (0x%llx), expected %lld (0x%llx)", #actual, unit_a,           \
			 (unsigned long long)unit_a, unit_e, (unsigned long long)unit_e);          \
		CU_assertImplementation(unit_a == unit_e, __LINE__, unit_msg, __FILE__, "",        \
					CU_FALSE);                                                 \
	} while (0)

/* Assert that two strings are equal; print both on a failure, and continue. */
#define UNIT_STR(actual, expected)                                                                 \
	do {                                                                                       \
		const char *unit_a = (actual), *unit_e = (expected);                               \
		char unit_msg[512];                                                                \
		snprintf(unit_msg, sizeof(unit_msg), "%s is \"%.200s\", expected \"%.200s\"",      \
			 #actual, unit_a ? unit_a : "(null)", unit_e);                             \
		CU_assertImplementation(unit_a && !strcmp(unit_a, unit_e), __LINE__, unit_msg,     \
					__FILE__, "", CU_FALSE);                                   \
	} while (0)

/* Assert a condition and end the test if it is false. */
#define UNIT_NEED(condition)                                                                       \
	do {                                                                                       \
		if (condition) {                                                                   \
			CU_PASS(#condition);                                                       \
			break;                                                                     \
		}                                                                                  \
		CU_assertImplementation(CU_FALSE, __LINE__, #condition, __FILE__, "", CU_TRUE);    \
		abort(); /* not reached: CUnit calls longjmp(), which gcc cannot detect */         \
	} while (0)

/* Declare @name, a structure that ends with a flexible array, with @bytes for that array. */
#define UNIT_WITH_BYTES(type, name, bytes)                                                         \
	union {                                                                                    \
		type name;                                                                         \
		unsigned char room[sizeof(type) + (bytes)];                                        \
	}

#define UNIT_POLL(condition, seconds)                                                              \
	({                                                                                         \
		struct timespec unit_pause = {0, 1000000};                                         \
		double unit_end = unit_seconds() + (seconds);                                      \
		int unit_ok;                                                                       \
		while (!(unit_ok = !!(condition)) && unit_seconds() < unit_end)                    \
			nanosleep(&unit_pause, NULL);                                              \
		unit_ok;                                                                           \
	})

/*
 * Poll a condition for @ms milliseconds, on a slow or busy machine longer; the value is whether it
 * became true.
 */
#define UNIT_WAIT(condition, ms) UNIT_POLL(condition, (ms)*slowness() * UNIT_PATIENCE / 1000.0)

/* Check that a condition stays true for @ms milliseconds, which are not scaled. */
#define UNIT_STAYS(condition, ms) (!UNIT_POLL(!(condition), (ms) / 1000.0))

__attribute__((unused)) static double unit_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int unit_selected(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (strstr(name, argv[i]))
			return 1;
	}
	return argc < 2;
}

static void unit_show_failures(void)
{
	CU_pFailureRecord f;

	for (f = CU_get_failure_list(); f; f = f->pNext)
		printf("# %s:%u: %s\n", f->strFileName ? f->strFileName : "?", f->uiLineNumber,
		       f->strCondition ? f->strCondition : "?");
}

__attribute__((unused)) static int unit_run(const char *suite_name, const struct unit_test *tests,
					    unsigned int count, int argc, char **argv)
{
	unsigned int i, number = 0, failed = 0, planned = 0;
	CU_pSuite suite;
	double begin;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (CU_initialize_registry() != CUE_SUCCESS ||
	    !(suite = CU_add_suite(suite_name, NULL, NULL))) {
		printf("Bail out! CUnit: %s\n", CU_get_error_msg());
		return 1;
	}
	CU_set_error_action(CUEA_IGNORE);
	/* A script may have started the tests in the background, which ignores SIGINT. */
	signal(SIGINT, SIG_DFL);
	for (i = 0; i < count; i++)
		planned += unit_selected(tests[i].name, argc, argv);
	printf("1..%u\n", planned);
	if (!planned) {
		printf("Bail out! no test of %s has such a name\n", suite_name);
		return 1;
	}
	for (i = 0; i < count; i++) {
		CU_pTest test;

		if (!unit_selected(tests[i].name, argc, argv))
			continue;
		unit_skip_reason[0] = '\0';
		begin = unit_seconds();
		test = CU_add_test(suite, tests[i].name, tests[i].fn);
		if (!test || CU_run_test(suite, test) != CUE_SUCCESS) {
			printf("Bail out! CUnit: %s\n", CU_get_error_msg());
			return 1;
		}
		number++;
		if (CU_get_number_of_failures()) {
			failed++;
			printf("not ok %u - %s\n", number, tests[i].name);
			unit_show_failures();
		} else if (unit_skip_reason[0]) {
			printf("ok %u - %s # SKIP %s\n", number, tests[i].name, unit_skip_reason);
		} else {
			printf("ok %u - %s\n", number, tests[i].name);
		}
		if (unit_seconds() - begin >= 1)
			printf("# %.1f s\n", unit_seconds() - begin);
		fflush(stdout);
	}
	CU_cleanup_registry();
	return failed ? 1 : 0;
}

#define UNIT_MAIN(suite_name, ...)                                                                 \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		static const struct unit_test unit_tests[] = {__VA_ARGS__};                        \
		return unit_run(suite_name, unit_tests,                                            \
				sizeof(unit_tests) / sizeof(unit_tests[0]), argc, argv);           \
	}

#endif /* ROC_UNIT_H */
