// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the checker of the internal generator's pages with generated superpages.
 */
#include "unit.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "utils/check/check.h"

#define PAGE 8192
#define WORDS (PAGE / 32)
#define PAGES 4
#define SUPERPAGE (PAGES * PAGE)

static uint32_t data[SUPERPAGE / 4] __attribute__((aligned(64)));
static struct error_log errors;
static struct checker checker;
static uint64_t number;

static struct check_config config(void)
{
	return (struct check_config){
		.data = CHECK_INTERNAL,
		.enabled = true,
		.payload = true,
		.resync = true,
		.tf_check = true,
		.page_size = PAGE,
		.frequency = 1,
		.packet_modulo = 256,
		.tf_length = 256,
	};
}

static void start(struct check_config c)
{
	memset(&errors, 0, sizeof(errors));
	number = 0;
	check_init(&checker, &c, &errors);
}

/* Act as the generator: fill the superpage with counter values from @first on. */
static void fill(uint32_t first)
{
	uint32_t i;

	for (i = 0; i < SUPERPAGE / 4; i++)
		data[i] = first + i / 8;
}

static uint64_t check(unsigned int link, uint32_t received)
{
	struct check_superpage sp = {
		.data = data,
		.received = received,
		.length = SUPERPAGE,
		.link = link,
		.number = number++,
	};

	return check_superpage(&checker, &sp);
}

static void good(void)
{
	uint32_t first = 0xfffffe00; /* the counter wraps */
	int i;

	start(config());
	for (i = 0; i < 8; i++, first += PAGES * WORDS) {
		fill(first);
		UNIT_EQ(check(0, SUPERPAGE), PAGES);
	}
	UNIT_EQ(errors.count, 0);
}

static void links_apart(void)
{
	uint32_t first[3] = {0, 5000, 77};
	unsigned int i, link;

	start(config());
	for (i = 0; i < 30; i++) {
		link = i * i % 3;
		fill(first[link]);
		check(link, SUPERPAGE);
		first[link] += PAGES * WORDS;
	}
	UNIT_EQ(errors.count, 0);
}

/* One flipped bit in any lane of any word is exactly one error. */
static void any_bit(void)
{
	uint32_t i;

	for (i = 0; i < SUPERPAGE / 4; i++) {
		start(config());
		fill(0);
		check(0, SUPERPAGE);
		fill(PAGES * WORDS);
		data[i] ^= 1u << i % 32;
		check(0, SUPERPAGE);
		fill(2 * PAGES * WORDS);
		check(0, SUPERPAGE);
		if (errors.count != 1) {
			UNIT_EQ(errors.count, 1);
			unit_note("word %u: %s", i, errors.last);
			break;
		}
	}
}

static void message(void)
{
	start(config());
	fill(0x100);
	data[(2 * PAGE + 17 * 32) / 4 + 5] = 0xdead;
	check(3, SUPERPAGE);
	UNIT_STR(
		errors.last,
		"link 3 superpage 0 page 2 (offset 0x4000): word 17 lane 5 is 0x0000dead, expected 0x00000311");
}

static void missing_superpage(void)
{
	start(config());
	fill(0);
	check(0, SUPERPAGE);
	fill(2 * PAGES * WORDS);
	check(0, SUPERPAGE);
	UNIT_EQ(errors.count, 1);
	fill(3 * PAGES * WORDS);
	check(0, SUPERPAGE);
	UNIT_EQ(errors.count, 1);
	/* A loss directly after a loss is a second error. */
	fill(6 * PAGES * WORDS);
	check(0, SUPERPAGE);
	UNIT_EQ(errors.count, 2);
}

static void loss_after_flip(void)
{
	start(config());
	fill(0);
	data[SUPERPAGE / 4 - 8] ^= 4; /* in the last word of the last page */
	check(0, SUPERPAGE);
	UNIT_EQ(errors.count, 1);
	fill(2 * PAGES * WORDS);
	check(0, SUPERPAGE);
	UNIT_EQ(errors.count, 2);
}

static void repeated_superpage(void)
{
	start(config());
	fill(0);
	check(0, SUPERPAGE);
	check(0, SUPERPAGE);
	UNIT_EQ(errors.count, 1);
}

static void unwritten_page(void)
{
	start(config());
	fill(0);
	memset((char *)data + PAGE, 0, PAGE);
	check(0, SUPERPAGE);
	UNIT_EQ(errors.count, 1);
	fill(PAGES * WORDS);
	check(0, SUPERPAGE);
	UNIT_EQ(errors.count, 1);
}

static void no_resync(void)
{
	struct check_config c = config();

	c.resync = false;
	start(c);
	fill(0);
	check(0, SUPERPAGE);
	fill(2 * PAGES * WORDS);
	check(0, SUPERPAGE);
	fill(3 * PAGES * WORDS);
	check(0, SUPERPAGE);
	UNIT_EQ(errors.count, 2 * PAGES);
}

static void frequency(void)
{
	struct check_config c = config();
	unsigned int i, page;

	c.frequency = 3;
	start(c);
	for (i = 0; i < 6; i++) {
		fill(i * PAGES * WORDS);
		for (page = 0; page < PAGES; page++) {
			/* Damage pages that are not checked. */
			if ((i * PAGES + page) % 3)
				data[page * PAGE / 4 + 99] ^= 1;
		}
		UNIT_EQ(check(0, SUPERPAGE), PAGES);
	}
	UNIT_EQ(errors.count, 0);
	fill(6 * PAGES * WORDS);
	data[99] ^= 1;
	check(0, SUPERPAGE);
	UNIT_EQ(errors.count, 1);
}

static void partial(void)
{
	start(config());
	fill(0);
	UNIT_EQ(check(0, PAGE), 1);
	UNIT_EQ(errors.count, 0);
	fill(WORDS);
	UNIT_EQ(check(0, PAGE + 32), 1);
	UNIT_EQ(errors.count, 1);
	UNIT_STR(errors.last,
		 "link 0 superpage 1 page 1 (offset 0x2000): the page has only 0x20 bytes");
	UNIT_EQ(check(0, 0), 0);
	UNIT_EQ(errors.count, 1);
}

static void bad_entry(void)
{
	start(config());
	fill(0);
	UNIT_EQ(check(0, SUPERPAGE + 32), 0);
	UNIT_EQ(errors.count, 1);
	UNIT_EQ(check(CHECK_LINKS, SUPERPAGE), 0);
	UNIT_EQ(errors.count, 2);
	UNIT_EQ(check(UINT32_MAX, SUPERPAGE), 0);
	UNIT_EQ(errors.count, 3);
}

static void disabled(void)
{
	struct check_config c = config();

	c.enabled = false;
	CU_ASSERT_TRUE(check_counts_pages(&c));
	start(c);
	memset(data, 0x5a, sizeof(data));
	UNIT_EQ(check(0, SUPERPAGE), PAGES);
	UNIT_EQ(errors.count, 0);
}

/* The vectorized comparison returns the first wrong word for every length and position. */
static void first_wrong_word(void)
{
	uint32_t words, bad;

	for (words = 0; words <= 70; words++) {
		fill(42);
		UNIT_EQ(check_counter_words(data, words, 42), words);
		for (bad = 0; bad < words; bad++) {
			data[bad * 8 + bad % 8] ^= 0x80000000;
			UNIT_EQ(check_counter_words(data, words, 42), bad);
			data[bad * 8 + bad % 8] ^= 0x80000000;
		}
	}
}

static void log_file(void)
{
	char dir[] = "/tmp/roc-unit-XXXXXX", path[64], line[300];
	struct error_log log = {.path = path, .card = "0000:3b:00.0"};
	unsigned int i, lines = 0;
	FILE *file;

	UNIT_NEED(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/errors.txt", dir);
	error_log_close(&log);
	CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0); /* no file without an error */
	for (i = 0; i < ERROR_LOG_MAX + 5; i++)
		error_log_add(&log, "error %u", i);
	error_log_close(&log);
	UNIT_EQ(log.count, ERROR_LOG_MAX + 5);
	CU_ASSERT_FALSE(log.broken);
	file = fopen(path, "r");
	UNIT_NEED(file);
	while (fgets(line, sizeof(line), file)) {
		if (!lines++)
			UNIT_STR(line, "0000:3b:00.0: error 0\n");
	}
	fclose(file);
	UNIT_EQ(lines, ERROR_LOG_MAX + 1);
	unlink(path);
	rmdir(dir);
	/* Without the directory, errors are counted and the failure is reported. */
	log = (struct error_log){.path = path, .card = "x"};
	error_log_add(&log, "error");
	UNIT_EQ(log.count, 1);
	CU_ASSERT_TRUE(log.broken);
	CU_ASSERT_TRUE(strlen(log.reason) > 10);
}

static unsigned int lines_of(const char *path)
{
	unsigned int lines = 0;
	char line[300];
	FILE *file = fopen(path, "r");

	UNIT_NEED(file);
	while (fgets(line, sizeof(line), file)) {
		lines++;
		/* A line never starts within another one. */
		CU_ASSERT_TRUE(!strncmp(line, "first: error ", 13) ||
			       !strncmp(line, "second: error ", 14));
	}
	fclose(file);
	return lines;
}

/* Lanes of a soak, or benches in one folder, share a log: a late error does not truncate it. */
static void shared_log(void)
{
	char dir[] = "/tmp/roc-unit-XXXXXX", path[64];
	struct error_log first = {.path = path, .card = "first"};
	struct error_log second = {.path = path, .card = "second"};
	unsigned int i;

	UNIT_NEED(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/errors.txt", dir);
	for (i = 0; i < 300; i++)
		error_log_add(&first, "error %u", i);
	error_log_add(&second, "error 0");
	error_log_add(&first, "error 300");
	UNIT_EQ(lines_of(path), 302);
	error_log_close(&first);
	error_log_close(&second);
	UNIT_EQ(lines_of(path), 302);
	/* A continued soak. */
	first = (struct error_log){.path = path, .card = "first", .keep = true};
	error_log_add(&first, "error 301");
	error_log_close(&first);
	UNIT_EQ(lines_of(path), 303);
	/* A new run. */
	second = (struct error_log){.path = path, .card = "second"};
	error_log_add(&second, "error 0");
	error_log_close(&second);
	UNIT_EQ(lines_of(path), 1);
	unlink(path);
	rmdir(dir);
}

/* A page size below one counter word is an error, and nothing after the data is read. */
static void no_word(void)
{
	struct check_config c = config();
	char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct check_superpage sp = {.data = memory + 4095, .received = 1, .length = 1};

	UNIT_NEED(memory != MAP_FAILED);
	UNIT_EQ(mprotect(memory + 4096, 4096, PROT_NONE), 0);
	for (c.page_size = 1; c.page_size < 32; c.page_size += 10) {
		start(c);
		UNIT_EQ(check_superpage(&checker, &sp), 0);
		UNIT_EQ(errors.count, 1);
	}
	munmap(memory, 8192);
}

/* If another process keeps the file locked, its contents stay and the checker does not wait. */
static void locked_log(void)
{
	char dir[] = "/tmp/roc-unit-XXXXXX", path[64];
	struct error_log log = {.path = path, .card = "first"};
	int fd;

	UNIT_NEED(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/errors.txt", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	UNIT_NEED(fd >= 0 && !flock(fd, LOCK_EX));
	error_log_add(&log, "error 0");
	error_log_close(&log);
	close(fd);
	UNIT_EQ(lines_of(path), 1);
	unlink(path);
	rmdir(dir);
}

/* Links of another user to our files, and pipes with and without a reader. */
static void other_than_files(void)
{
	char dir[] = "/tmp/roc-unit-XXXXXX", path[64], target[64];
	struct error_log log;
	int fd = -1, i;

	UNIT_NEED(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/errors.txt", dir);
	snprintf(target, sizeof(target), "%s/target", dir);
	fd = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	UNIT_NEED(fd >= 0 && write(fd, "first: error a\n", 15) == 15);
	close(fd);
	for (i = 0; i < 3; i++) {
		UNIT_EQ(i ? mkfifo(path, 0600) : symlink("target", path), 0);
		fd = i == 2 ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
		log = (struct error_log){.path = path, .card = "first"};
		error_log_add(&log, "error 0");
		CU_ASSERT_TRUE(log.broken);
		CU_ASSERT_PTR_NOT_NULL(strstr(log.reason, "is not a regular file: remove it"));
		error_log_close(&log);
		UNIT_EQ(lines_of(target), 1);
		if (fd >= 0)
			close(fd);
		unlink(path);
	}
	unlink(target);
	rmdir(dir);
}

UNIT_MAIN("utils check internal", {"good data with a wrapping counter", good},
	  {"links are independent", links_apart}, {"any wrong bit is detected", any_bit},
	  {"message", message}, {"missing superpage", missing_superpage},
	  {"loss directly after a flipped bit", loss_after_flip},
	  {"repeated superpage", repeated_superpage}, {"unwritten page", unwritten_page},
	  {"no resync", no_resync}, {"check frequency", frequency}, {"partial superpage", partial},
	  {"invalid entries", bad_entry}, {"check disabled", disabled},
	  {"page size below one word", no_word}, {"first wrong word", first_wrong_word},
	  {"error file", log_file}, {"log shared by several processes", shared_log},
	  {"log locked by another process", locked_log},
	  {"log path is not a regular file", other_than_files})
