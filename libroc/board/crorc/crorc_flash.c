// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Access the C-RORC's flash, two NOR chips behind a command register. The command sequences and
 * time limits are those of the chips' documentation. struct roc_crorc_flash always holds the
 * progress made.
 *
 * A command is never interrupted in the middle: the caller's progress function is called only
 * between commands, and every return leaves the chips in read mode. The exception is a chip that
 * does not become ready for seconds. Then the progress function is called during the wait, and the
 * next call starts with abort_command() anyway.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "libroc_crorc.h"

/* Commands of the chips */
#define CLEAR_STATUS 0x50
#define SETUP 0x60 /* followed by the command for a block or the configuration */
#define SETUP_CONFIGURATION 0x03
#define SETUP_UNLOCK 0xd0
#define CONFIRM 0xd0
#define ERASE 0x20
#define BUFFER 0xe8
#define READ_STATUS 0x70
#define READ_ARRAY 0xff

#define ASYNCHRONOUS 0xbddf /* read configuration, put on the address lines */
#define STATUS_READY 0x80
#define STATUS_ERRORS 0x7f
#define BLOCK_WORDS 0x10000
#define BUFFER_WORDS 32
#define BLANK 0xffff
/* A chip that expects the number of words minus one interprets READ_STATUS as that. */
#define ABORT_WORDS (READ_STATUS + 1)

#define US_CLEAR 100
#define US_COMMAND 10
#define US_STATUS 1
#define US_SPIN 1000 /* poll every US_STATUS during this time, then every US_POLL */
#define US_POLL 100
#define US_ERASE_MAX 100000000
#define US_BUFFER_MAX 30000000
/* longer than a working chip takes: then call the progress function */
#define US_FIRST_REPORT 5000000
#define US_REPORT 100000
#define PROGRESS_WORDS 4096 /* words read between two calls of the progress function */

/* State of one call, on its stack */
struct job {
	struct libroc_pass c;
	roc_crorc_flash_fn progress;
	void *context;
	struct roc_crorc_flash *now;
};

/* State of a wait for the card, on the stack of its function */
struct wait {
	uint64_t start, slept, max; /* us */
	uint64_t report_at;	    /* time of the next call of the progress function */
	bool last;
};

static uint64_t clock_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

static void command(struct job *j, uint32_t word, unsigned int us)
{
	libroc_pass_write(&j->c, CRORC_BAR_CARD, CRORC_FLASH_COMMAND, word);
	libroc_pass_sleep(&j->c, us);
}

static void address(struct job *j, uint32_t at, unsigned int us)
{
	command(j, CRORC_FLASH_ADDRESS | at, us);
}

static void write_word(struct job *j, uint16_t value, unsigned int us)
{
	command(j, CRORC_FLASH_WRITE | value, us);
}

static uint16_t read_data(struct job *j, unsigned int us)
{
	command(j, CRORC_FLASH_READ, us);
	return libroc_pass_read(&j->c, CRORC_BAR_CARD, CRORC_FLASH_DATA);
}

static void read_array(struct job *j, uint32_t at)
{
	address(j, at, US_COMMAND);
	write_word(j, READ_ARRAY, US_COMMAND);
}

static void fail_status(struct job *j, uint32_t at, uint16_t status)
{
	libroc_pass_fail(&j->c,
			 roc_fail(EIO, "%s: the flash reports status 0x%02x at word 0x%x%s%s%s%s",
				  roc_endpoint_name(j->c.ep), status, at,
				  status & 0x20 ? ", erase failed" : "",
				  status & 0x10 ? ", programming failed" : "",
				  status & 0x08 ? ", no programming voltage" : "",
				  status & 0x02 ? ", block is locked" : ""));
}

/* Call the progress function. Return whether to continue. */
static bool report(struct job *j)
{
	if (j->progress && !j->c.err && !j->progress(j->context, j->now))
		libroc_pass_fail(&j->c, roc_fail(EINTR, "%s: stopped", roc_endpoint_name(j->c.ep)));
	return !j->c.err;
}

static struct wait wait_start(uint64_t us_max)
{
	return (struct wait){.start = clock_us(), .max = us_max, .report_at = US_FIRST_REPORT};
}

/*
 * Sleep between two polls. Return false when the wait is over. A sleep may take longer than
 * requested, so the caller polls once more after the limit.
 */
static bool wait_more(struct job *j, struct wait *w)
{
	uint64_t us = clock_us() - w->start;

	if (us < w->slept)
		us = w->slept;
	if (us >= w->report_at) {
		w->report_at = us + US_REPORT;
		report(j);
	}
	if (j->c.err || w->last)
		return false;
	w->last = us >= w->max;
	us = us < US_SPIN ? US_STATUS : US_POLL;
	libroc_pass_sleep(&j->c, us);
	w->slept += us;
	return true;
}

/* Wait until the chip is ready and return its status. */
static uint16_t wait_done(struct job *j, uint32_t at, uint64_t us_max)
{
	struct wait w = wait_start(us_max);
	uint16_t status;

	do {
		status = read_data(j, US_STATUS);
		if (j->c.err || status & STATUS_READY)
			return status;
	} while (wait_more(j, &w));
	if (!j->c.err)
		libroc_pass_fail(&j->c,
				 roc_fail(ETIME, "%s: timed out waiting for the flash at word 0x%x",
					  roc_endpoint_name(j->c.ep), at));
	return status;
}

/* Wait until the chip is ready and check its status. */
static void wait_ready(struct job *j, uint32_t at, uint64_t us_max)
{
	uint16_t status = wait_done(j, at, us_max);

	if (!j->c.err && status & STATUS_ERRORS)
		fail_status(j, at, status);
	if (j->c.err)
		j->now->address = at;
}

static void init(struct job *j, uint32_t at)
{
	write_word(j, CLEAR_STATUS, US_CLEAR);
	address(j, ASYNCHRONOUS, US_COMMAND);
	write_word(j, SETUP, US_COMMAND);
	write_word(j, SETUP_CONFIGURATION, US_COMMAND);
	address(j, at, US_COMMAND);
	write_word(j, READ_STATUS, US_COMMAND);
	read_data(j, US_STATUS);
}

static void erase_block(struct job *j, uint32_t at)
{
	address(j, ASYNCHRONOUS, US_COMMAND);
	address(j, at, US_COMMAND);
	write_word(j, SETUP, US_COMMAND);
	write_word(j, SETUP_UNLOCK, US_COMMAND);
	wait_ready(j, at, US_ERASE_MAX);
	if (j->c.err)
		return;
	address(j, at, US_COMMAND);
	address(j, at, US_COMMAND);
	write_word(j, ERASE, US_COMMAND);
	j->now->touched = true;
	write_word(j, CONFIRM, US_COMMAND);
	wait_ready(j, at, US_ERASE_MAX);
}

/* Write a word of a buffered command and wait until the port is ready for the next. */
static void port(struct job *j, uint32_t word)
{
	struct wait w = wait_start(US_BUFFER_MAX);

	libroc_pass_write(&j->c, CRORC_BAR_CARD, CRORC_FLASH_COMMAND, word);
	while (!libroc_pass_read(&j->c, CRORC_BAR_CARD, CRORC_FLASH_READY) && !j->c.err) {
		if (wait_more(j, &w) || j->c.err)
			continue;
		libroc_pass_fail(&j->c,
				 roc_fail(ETIME, "%s: timed out waiting for the flash's port",
					  roc_endpoint_name(j->c.ep)));
	}
	libroc_pass_sleep(&j->c, US_STATUS);
}

/* Program a whole buffer, padded with the value of erased flash. */
static void program_buffer(struct job *j, uint32_t at, const uint16_t *words, uint32_t count)
{
	uint32_t i;

	port(j, CRORC_FLASH_ADDRESS | at);
	port(j, CRORC_FLASH_WRITE | BUFFER);
	wait_ready(j, at, US_BUFFER_MAX);
	if (j->c.err)
		return;
	j->now->touched = true;
	port(j, CRORC_FLASH_WRITE | (BUFFER_WORDS - 1));
	for (i = 0; i < BUFFER_WORDS; i++) {
		port(j, CRORC_FLASH_ADDRESS | (at + i));
		port(j, CRORC_FLASH_WRITE | (i < count ? words[i] : BLANK));
	}
	port(j, CRORC_FLASH_WRITE | CONFIRM);
	wait_ready(j, at, US_BUFFER_MAX);
}

static uint16_t read_word(struct job *j, uint32_t at, uint32_t *ready)
{
	uint16_t word;

	read_array(j, at);
	word = read_data(j, US_COMMAND);
	if (ready)
		*ready = libroc_pass_read(&j->c, CRORC_BAR_CARD, CRORC_FLASH_READY);
	return word;
}

static void erase(struct job *j, uint32_t from, uint32_t blocks)
{
	j->now->step = ROC_CRORC_FLASH_ERASE;
	for (; j->now->erased < blocks && report(j); j->now->erased++) {
		erase_block(j, from + j->now->erased * BLOCK_WORDS);
		if (j->c.err)
			return;
	}
}

static void program(struct job *j, uint32_t from, const uint16_t *words, uint32_t count)
{
	if (j->c.err)
		return;
	j->now->step = ROC_CRORC_FLASH_PROGRAM;
	while (j->now->programmed < count && report(j)) {
		uint32_t done = j->now->programmed, n = count - done;

		if (n > BUFFER_WORDS)
			n = BUFFER_WORDS;
		program_buffer(j, from + done, words + done, n);
		if (j->c.err)
			return;
		j->now->programmed += n;
	}
	if (j->c.err)
		return;
	write_word(j, READ_STATUS, US_COMMAND);
	wait_ready(j, from + count - 1, US_BUFFER_MAX);
}

static void verify(struct job *j, uint32_t from, const uint16_t *words, uint32_t count)
{
	uint32_t i;

	if (j->c.err)
		return;
	j->now->step = ROC_CRORC_FLASH_VERIFY;
	for (i = 0; i < count; i++) {
		uint16_t word;

		if (i % PROGRESS_WORDS == 0 && !report(j))
			return;
		word = read_word(j, from + i, NULL);
		if (j->c.err)
			return;
		if (word != words[i]) {
			j->now->address = from + i;
			j->now->wanted = words[i];
			j->now->got = word;
			libroc_pass_fail(
				&j->c,
				roc_fail(
					EBADMSG,
					"%s: word 0x%x of the flash is 0x%04x, but should be 0x%04x",
					roc_endpoint_name(j->c.ep), from + i, word, words[i]));
			return;
		}
		j->now->verified = i + 1;
	}
	j->now->step = ROC_CRORC_FLASH_DONE;
	report(j);
}

/* Return the chips to read mode, even after an error, which is kept. */
static int end(struct job *j, uint32_t at)
{
	char reason[512];
	int err = j->c.err;

	snprintf(reason, sizeof(reason), "%s", roc_error());
	j->c.err = 0;
	if (err != -EPERM && err != -EBUSY && err != -ENODEV) {
		write_word(j, CLEAR_STATUS, US_CLEAR);
		read_array(j, at);
	}
	if (err) {
		j->c.err = err;
		roc_fail(-err, "%s", reason);
	}
	return libroc_pass_end(&j->c);
}

/*
 * Abort the command of a program that was killed. The chip may still erase, or may be in the middle
 * of a command of several words and would interpret the next write as a part of it. So write as
 * many words as it may still expect, and one more in place of its confirmation. READ_ARRAY is never
 * a confirmation: the chip aborts the command and reports that in its status. Write no address
 * before: the last address is one of that chip, and not every chip aborts if an address comes
 * first.
 */
static void abort_command(struct job *j)
{
	unsigned int i;

	write_word(j, READ_STATUS, US_COMMAND);
	wait_done(j, 0, US_ERASE_MAX);
	for (i = 0; i < ABORT_WORDS + 2; i++)
		write_word(j, READ_ARRAY, US_COMMAND);
	write_word(j, CLEAR_STATUS, US_CLEAR);
}

static int begin(struct job *j, struct roc_endpoint *ep, roc_crorc_flash_fn progress, void *context,
		 struct roc_crorc_flash *flash)
{
	int ret;

	*j = (struct job){.progress = progress, .context = context, .now = flash};
	memset(flash, 0, sizeof(*flash));
	ret = libroc_crorc_begin(ep, &j->c, true);
	if (!ret)
		abort_command(j);
	return ret;
}

int roc_crorc_flash_write(struct roc_endpoint *ep, const uint16_t *image,
			  roc_crorc_flash_fn progress, void *context, struct roc_crorc_flash *flash)
{
	struct job j;
	int ret;

	ret = begin(&j, ep, progress, context, flash);
	if (ret)
		return ret;
	flash->blocks = (ROC_CRORC_IMAGE_WORDS + BLOCK_WORDS - 1) / BLOCK_WORDS;
	flash->words = ROC_CRORC_IMAGE_WORDS;
	init(&j, 0);
	erase(&j, 0, flash->blocks);
	program(&j, 0, image, flash->words);
	verify(&j, 0, image, flash->words);
	return end(&j, 0);
}

int roc_crorc_flash_compare(struct roc_endpoint *ep, const uint16_t *image,
			    roc_crorc_flash_fn progress, void *context,
			    struct roc_crorc_flash *flash)
{
	struct job j;
	int ret;

	ret = begin(&j, ep, progress, context, flash);
	if (ret)
		return ret;
	flash->words = ROC_CRORC_IMAGE_WORDS;
	verify(&j, 0, image, flash->words);
	return end(&j, 0);
}

int roc_crorc_flash_read(struct roc_endpoint *ep, uint32_t at, uint16_t *words, uint32_t *ready,
			 size_t count)
{
	struct roc_crorc_flash unused;
	struct job j;
	size_t i;
	int ret;

	if (at >= ROC_CRORC_FLASH_WORDS || count > ROC_CRORC_FLASH_WORDS - at)
		return roc_fail(ERANGE,
				"%s: the flash has only %u words: cannot read %zu from word %u on",
				roc_endpoint_name(ep), ROC_CRORC_FLASH_WORDS, count, at);
	ret = begin(&j, ep, NULL, NULL, &unused);
	if (ret)
		return ret;
	for (i = 0; i < count && !j.c.err; i++)
		words[i] = read_word(&j, at + i, ready ? &ready[i] : NULL);
	return libroc_pass_end(&j.c);
}

/*
 * Make the label of a card: blanks, and the serial number at its offset, two characters per word.
 */
static void make_label(unsigned int serial, uint16_t words[BUFFER_WORDS])
{
	char text[2 * BUFFER_WORDS + 1], number[16];
	unsigned int i;

	memset(text, ' ', sizeof(text));
	snprintf(number, sizeof(number), "S/N: %05u", serial);
	memcpy(text + CRORC_LABEL_SERIAL, number, strlen(number));
	text[2 * BUFFER_WORDS - 1] = '\0';
	for (i = 0; i < BUFFER_WORDS; i++)
		words[i] = (uint8_t)text[2 * i] << 8 | (uint8_t)text[2 * i + 1];
}

int roc_crorc_serial_write(struct roc_endpoint *ep, unsigned int serial,
			   struct roc_crorc_flash *flash)
{
	uint16_t words[BUFFER_WORDS];
	struct job j;
	int ret;

	if (!serial || serial > ROC_CRORC_SERIAL_MAX)
		return roc_fail(ERANGE, "%s: the serial number must be from 1 to %u, not %u",
				roc_endpoint_name(ep), ROC_CRORC_SERIAL_MAX, serial);
	ret = begin(&j, ep, NULL, NULL, flash);
	if (ret)
		return ret;
	make_label(serial, words);
	flash->blocks = 1;
	flash->words = BUFFER_WORDS;
	init(&j, ROC_CRORC_FLASH_SERIAL);
	erase(&j, ROC_CRORC_FLASH_SERIAL, 1);
	program(&j, ROC_CRORC_FLASH_SERIAL, words, BUFFER_WORDS);
	verify(&j, ROC_CRORC_FLASH_SERIAL, words, BUFFER_WORDS);
	return end(&j, ROC_CRORC_FLASH_SERIAL);
}
