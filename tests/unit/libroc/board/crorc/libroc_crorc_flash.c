// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the flash of an emulated C-RORC: write and read an image, the serial number, errors, and
 * invalid image files.
 */
#include "libroc_crorc_card.h"

#define WORDS ROC_CRORC_IMAGE_WORDS

static uint16_t *image;
static struct roc_crorc_flash flash;

/* Make pseudo-random words; no word equals its neighbour. */
static void make_image(uint32_t seed)
{
	uint32_t i;

	if (!image)
		image = malloc(WORDS * sizeof(*image));
	UNIT_NEED(image);
	for (i = 0; i < WORDS; i++)
		image[i] = (i * 2654435761u + seed) >> 13;
}

/* Read a word of the flash as documented, without the library. */
static uint16_t cell(uint32_t at)
{
	const struct card_ops *o = &crorc_card;

	o->write(host.card, 0, 0, 0x0f0, 0x01000000 | at);
	o->write(host.card, 0, 0, 0x0f0, 0x030000ff);
	o->write(host.card, 0, 0, 0x0f0, 0x04000000);
	return o->read(host.card, 0, 0, 0x0f4);
}

/* Check that the chips are in read mode, so that plain reads work. */
static bool readable(uint32_t at, uint16_t word)
{
	const struct card_ops *o = &crorc_card;

	o->write(host.card, 0, 0, 0x0f0, 0x01000000 | at);
	o->write(host.card, 0, 0, 0x0f0, 0x04000000);
	return o->read(host.card, 0, 0, 0x0f4) == word;
}

struct watch {
	unsigned int calls;
	enum roc_crorc_flash_step stop_at;
	uint32_t stop_words; /* words programmed or verified at which to stop */
	uint32_t last;
	bool forward;
};

static bool watch(void *context, const struct roc_crorc_flash *now)
{
	struct watch *w = context;
	uint32_t done = now->erased + now->programmed + now->verified;

	w->calls++;
	w->forward &= done >= w->last;
	w->last = done;
	return now->step != w->stop_at || now->programmed + now->verified < w->stop_words;
}

static void whole_image(void)
{
	struct watch w = {.stop_at = 99, .forward = true};
	uint16_t serial;
	uint32_t i;

	card_begin();
	key(0, "flash-erase-us", "500000");
	make_image(1);
	serial = cell(0x47000e);
	CU_ASSERT_TRUE(serial != 0xffff);
	UNIT_EQ(roc_crorc_flash_write(ep, image, watch, &w, &flash), 0);
	UNIT_EQ(flash.step, ROC_CRORC_FLASH_DONE);
	UNIT_EQ(flash.blocks, 71);
	UNIT_EQ(flash.erased, 71);
	UNIT_EQ(flash.programmed, WORDS);
	UNIT_EQ(flash.verified, WORDS);
	CU_ASSERT_TRUE(flash.touched);
	CU_ASSERT_TRUE(w.forward);
	CU_ASSERT_TRUE(w.calls > 1000);
	for (i = 0; i < WORDS; i += 4099)
		UNIT_EQ(cell(i), image[i]);
	UNIT_EQ(cell(WORDS - 1), image[WORDS - 1]);
	UNIT_EQ(cell(WORDS), 0xffff);
	UNIT_EQ(cell(0x46ffff), 0xffff);
	UNIT_EQ(cell(0x47000e), serial);
	CU_ASSERT_TRUE(readable(0, image[0]));
	UNIT_EQ(card.locks, 1);
	unit_note("%.0f s of the card's and the library's waits", card.slept_us / 1e6);
	/* The written image compares equal; a different one does not. */
	UNIT_EQ(roc_crorc_flash_compare(ep, image, NULL, NULL, &flash), 0);
	UNIT_EQ(flash.step, ROC_CRORC_FLASH_DONE);
	CU_ASSERT_FALSE(flash.touched);
	image[77777] ^= 4;
	UNIT_EQ(roc_crorc_flash_compare(ep, image, NULL, NULL, &flash), -EBADMSG);
	ERROR_HAS("#0 (0000:3b:00.0): word 0x12fd1 of the flash is 0x");
	UNIT_EQ(flash.address, 77777);
	UNIT_EQ(flash.wanted, image[77777]);
	UNIT_EQ(flash.got, image[77777] ^ 4);
	UNIT_EQ(flash.verified, 77777);
	UNIT_EQ(flash.step, ROC_CRORC_FLASH_VERIFY);
	CU_ASSERT_FALSE(flash.touched);
	card_end();
}

/* Stop at each step: the progress is reported, and the next call starts over. */
static void stopped(void)
{
	struct watch w = {.stop_at = ROC_CRORC_FLASH_ERASE};
	unsigned int writes;

	card_begin();
	make_image(2);
	UNIT_EQ(roc_crorc_flash_write(ep, image, watch, &w, &flash), -EINTR);
	UNIT_EQ(flash.step, ROC_CRORC_FLASH_ERASE);
	UNIT_EQ(flash.erased, 0);
	CU_ASSERT_FALSE(flash.touched);
	w = (struct watch){.stop_at = ROC_CRORC_FLASH_PROGRAM, .stop_words = 6400};
	UNIT_EQ(roc_crorc_flash_write(ep, image, watch, &w, &flash), -EINTR);
	ERROR_HAS("stopped");
	UNIT_EQ(flash.step, ROC_CRORC_FLASH_PROGRAM);
	UNIT_EQ(flash.erased, 71);
	UNIT_EQ(flash.programmed, 6400);
	CU_ASSERT_TRUE(flash.touched);
	CU_ASSERT_TRUE(readable(0, image[0]));
	UNIT_EQ(cell(6399), image[6399]);
	UNIT_EQ(cell(6400), 0xffff);
	writes = card.writes;
	w = (struct watch){.stop_at = ROC_CRORC_FLASH_VERIFY};
	UNIT_EQ(roc_crorc_flash_compare(ep, image, watch, &w, &flash), -EINTR);
	CU_ASSERT_TRUE(card.writes < writes + 200);
	card_end();
}

static void fails(uint64_t arg, const char *sentence, enum roc_crorc_flash_step step)
{
	crorc_card.fault_set(host.card, 0, "flash-fail", arg);
	UNIT_EQ(roc_crorc_flash_write(ep, image, NULL, NULL, &flash), -EIO);
	ERROR_HAS(sentence);
	UNIT_EQ(flash.step, step);
	CU_ASSERT_TRUE(flash.touched);
	crorc_card.fault_clear(host.card, 0, "flash-fail");
}

static void the_chip_fails(void)
{
	card_begin();
	make_image(3);
	fails(5ull << 32 | 1, "the flash reports status 0xa0 at word 0x50000, erase failed",
	      ROC_CRORC_FLASH_ERASE);
	UNIT_EQ(flash.erased, 5);
	UNIT_EQ(flash.address, 0x50000);
	fails((71ull + 3) << 32 | 1,
	      "the flash reports status 0x90 at word 0x60, programming failed",
	      ROC_CRORC_FLASH_PROGRAM);
	UNIT_EQ(flash.erased, 71);
	UNIT_EQ(flash.programmed, 96);
	UNIT_EQ(flash.address, 96);
	CU_ASSERT_TRUE(readable(0, image[0]));
	crorc_card.fault_set(host.card, 0, "flash-busy", 1);
	UNIT_EQ(roc_crorc_serial_write(ep, 1002, &flash), -ETIME);
	ERROR_HAS("timed out waiting for the flash at word 0x470000");
	UNIT_EQ(flash.step, ROC_CRORC_FLASH_ERASE);
	crorc_card.fault_clear(host.card, 0, "flash-busy");
	card_end();
}

/* Stop when the chip hangs, from @step on. */
struct hang {
	enum roc_crorc_flash_step step;
	uint64_t since;
};

static bool hang(void *context, const struct roc_crorc_flash *now)
{
	struct hang *h = context;

	if (now->step != h->step)
		return true;
	if (!h->since) {
		crorc_card.fault_set(host.card, 0, "flash-busy", 1);
		h->since = card.slept_us;
		card.reads = 0;
	}
	return card.slept_us - h->since < 5500000;
}

static void stopped_while_the_chip_hangs(void)
{
	static const enum roc_crorc_flash_step steps[] = {ROC_CRORC_FLASH_ERASE,
							  ROC_CRORC_FLASH_PROGRAM};
	size_t i;

	for (i = 0; i < 2; i++) {
		struct hang h = {.step = steps[i]};

		card_begin();
		make_image(6);
		UNIT_EQ(roc_crorc_flash_write(ep, image, hang, &h, &flash), -EINTR);
		ERROR_HAS("stopped");
		CU_ASSERT_TRUE(flash.touched);
		CU_ASSERT_TRUE(card.slept_us - h.since < 10000000);
		/* The wait must not poll every microsecond. */
		CU_ASSERT_TRUE(card.reads < 200000);
		crorc_card.fault_clear(host.card, 0, "flash-busy");
		h.step = ROC_CRORC_FLASH_IDLE;
		UNIT_EQ(roc_crorc_flash_write(ep, image, hang, &h, &flash), 0);
		card_end();
	}
}

static void serial_number(void)
{
	static const char wanted[] =
		"                            S/N: 01002                         ";
	uint32_t ready[32];
	uint16_t words[32];
	unsigned int i;

	card_begin();
	UNIT_EQ(roc_crorc_serial_write(ep, 0, &flash), -ERANGE);
	UNIT_EQ(roc_crorc_serial_write(ep, 100000, &flash), -ERANGE);
	ERROR_HAS("from 1 to 99999, not 100000");
	UNIT_EQ(card.writes, 0);
	UNIT_EQ(roc_crorc_serial_write(ep, 1002, &flash), 0);
	UNIT_EQ(flash.step, ROC_CRORC_FLASH_DONE);
	UNIT_EQ(flash.words, 32);
	UNIT_EQ(flash.erased, 1);
	UNIT_EQ(roc_crorc_flash_read(ep, 0x470000, words, ready, 32), 0);
	for (i = 0; i < 32; i++) {
		UNIT_EQ(words[i], wanted[2 * i] << 8 | wanted[2 * i + 1]);
		UNIT_EQ(ready[i], 1);
	}
	UNIT_EQ(cell(0x46ffff), 0xffff);
	/* In the format that the card reads at power-on: digits from the third word on. */
	UNIT_EQ(cell(0x470010), ' ' << 8 | '0');
	UNIT_EQ(cell(0x470011), '1' << 8 | '0');
	UNIT_EQ(cell(0x470012), '0' << 8 | '2');
	card_end();
}

static void reading(void)
{
	uint16_t word[2] = {1, 2};
	unsigned int settles;

	card_begin();
	UNIT_EQ(roc_crorc_flash_read(ep, 0xffffff, word, NULL, 1), 0);
	UNIT_EQ(word[0], 0xffff);
	UNIT_EQ(word[1], 2);
	settles = card.writes - 3;
	UNIT_EQ(roc_crorc_flash_read(ep, 0xffffff, word, NULL, 1), 0);
	UNIT_EQ(card.writes, 2 * (settles + 3));
	UNIT_EQ(roc_crorc_flash_read(ep, 0xffffff, word, NULL, 2), -ERANGE);
	UNIT_EQ(roc_crorc_flash_read(ep, 0x1000000, word, NULL, 1), -ERANGE);
	UNIT_EQ(roc_crorc_flash_read(ep, 0, word, NULL, SIZE_MAX), -ERANGE);
	ERROR_HAS("the flash has only 16777216 words");
	card.card_type = ROC_CARD_CRU;
	UNIT_EQ(roc_crorc_flash_read(ep, 0, word, NULL, 1), -EOPNOTSUPP);
	UNIT_EQ(roc_crorc_flash_write(ep, image, NULL, NULL, &flash), -EOPNOTSUPP);
	UNIT_EQ(roc_crorc_serial_write(ep, 1, &flash), -EOPNOTSUPP);
	UNIT_EQ(card.writes, 2 * (settles + 3));
	card_end();
}

/* States after a killed program: a chip in the middle of a command. 0x01: address, 0x03: write. */
static const struct {
	const char *where;
	uint32_t commands[7];
} killed[] = {
	{"after the setup of a block", {0x01000000, 0x03000060}},
	{"after the setup of an erase", {0x01000000, 0x03000020}},
	{"before the number of words", {0x01000000, 0x030000e8}},
	{"before the first word", {0x01000000, 0x030000e8, 0x0300001f}},
	{"before a word", {0x01000000, 0x030000e8, 0x0300001f, 0x01000000}},
	{"after a word", {0x01000000, 0x030000e8, 0x0300001f, 0x01000000, 0x03000001}},
	{"before the confirmation",
	 {0x01000000, 0x030000e8, 0x03000001, 0x01000000, 0x03001234, 0x01000001, 0x03005678}},
};

static void unlock(void)
{
	static const uint32_t commands[] = {0x0100bddf, 0x01000000, 0x03000060, 0x030000d0};
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		crorc_card.write(host.card, 0, 0, 0x0f0, commands[i]);
}

static void kill_in(size_t k)
{
	size_t i;

	unlock();
	for (i = 0; i < 7 && killed[k].commands[i]; i++)
		crorc_card.write(host.card, 0, 0, 0x0f0, killed[k].commands[i]);
}

static void after_a_kill(void)
{
	uint16_t words[4];
	size_t k;

	card_begin();
	make_image(5);
	UNIT_EQ(roc_crorc_flash_write(ep, image, NULL, NULL, &flash), 0);
	for (k = 0; k < sizeof(killed) / sizeof(killed[0]); k++) {
		unit_note("killed %s", killed[k].where);
		kill_in(k);
		UNIT_EQ(roc_crorc_flash_read(ep, 0, words, NULL, 4), 0);
		UNIT_EQ(memcmp(words, image, sizeof(words)), 0);
		kill_in(k);
		UNIT_EQ(roc_crorc_serial_write(ep, 1002, &flash), 0);
	}
	kill_in(4);
	UNIT_EQ(roc_crorc_flash_compare(ep, image, NULL, NULL, &flash), 0);
	kill_in(4);
	UNIT_EQ(roc_crorc_flash_write(ep, image, NULL, NULL, &flash), 0);
	/* During an erase, the read waits until the block is erased. */
	key(0, "flash-erase-us", "500000");
	unlock();
	crorc_card.write(host.card, 0, 0, 0x0f0, 0x03000020);
	crorc_card.write(host.card, 0, 0, 0x0f0, 0x030000d0);
	UNIT_EQ(roc_crorc_flash_read(ep, 0x10000 - 2, words, NULL, 4), 0);
	UNIT_EQ(words[0], 0xffff);
	UNIT_EQ(words[1], 0xffff);
	UNIT_EQ(words[2], image[0x10000]);
	UNIT_EQ(words[3], image[0x10001]);
	card_end();
}

static char path[] = "/tmp/roc-unit-XXXXXX";

static char *text;     /* all lines of the image file */
static uint32_t *ends; /* end of each line */

static void make_text(void)
{
	uint32_t i, used = 0;

	text = malloc(WORDS * 6);
	ends = malloc((WORDS + 1) * sizeof(*ends));
	UNIT_NEED(text && ends);
	ends[0] = 0;
	for (i = 0; i < WORDS; i++) {
		used += sprintf(text + used, "%u\n", image[i]);
		ends[i + 1] = used;
	}
}

/* Write a file of @begin, @count lines of the text, and @end. */
static void write_image(const char *begin, uint32_t count, const char *end)
{
	FILE *f = fopen(path, "we");

	UNIT_NEED(f);
	fputs(begin, f);
	UNIT_EQ(fwrite(text, 1, ends[count], f), ends[count]);
	fputs(end, f);
	UNIT_EQ(fclose(f), 0);
}

static void refuses(const char *sentence)
{
	uint16_t *words = NULL;

	UNIT_EQ(roc_crorc_image_load(path, &words), -EINVAL);
	ERROR_HAS(sentence);
	ERROR_HAS(path);
	CU_ASSERT_PTR_NULL(words);
}

static void image_files(void)
{
	uint16_t *words;
	int fd = mkstemp(path);
	uint32_t i;

	UNIT_NEED(fd >= 0);
	close(fd);
	make_image(4);
	make_text();
	write_image("", WORDS, "");
	UNIT_EQ(roc_crorc_image_load(path, &words), 0);
	UNIT_EQ(memcmp(words, image, WORDS * sizeof(*image)), 0);
	free(words);
	/* CR LF line ends, and a last line without end. */
	write_image("65535\r\n00012\r\n", WORDS - 3, "17");
	UNIT_EQ(roc_crorc_image_load(path, &words), 0);
	UNIT_EQ(words[0], 65535);
	UNIT_EQ(words[1], 12);
	UNIT_EQ(words[2], image[0]);
	UNIT_EQ(words[WORDS - 1], 17);
	free(words);
	write_image("", WORDS - 1, "");
	refuses("has 4616221 words, but an image of this card has 4616222");
	write_image("", WORDS, "5\n");
	refuses("has more words than an image of this card, which has 4616222");
	write_image("", 0, "");
	refuses("has 0 words");
	write_image("", 3, "65536\n");
	refuses(":4: the number is too large");
	write_image("", 3, "999999999999\n");
	refuses(":4: the number is too large");
	write_image("", 3, "0x12\n");
	refuses(":4: text after the number");
	write_image("", 3, "-1\n");
	refuses(":4: not a number");
	write_image("", 3, "\n1\n");
	refuses(":4: not a number");
	write_image("", 2,
		    "\x7f"
		    "ELF");
	refuses(":3: not a number");
	write_image("", 2, "12 13\n");
	refuses(":3: text after the number");
	for (i = 0; i < WORDS; i++) {
		memcpy(text + 2 * i, "7\n", 2);
		ends[i + 1] = 2 * i + 2;
	}
	write_image("", WORDS, "");
	refuses("all of its words are 7");
	free(text);
	free(ends);
	unlink(path);
	UNIT_EQ(roc_crorc_image_load(path, &words), -ENOENT);
	free(image);
	image = NULL;
}

UNIT_MAIN("libroc_crorc_flash", {"a whole image", whole_image}, {"stopped", stopped},
	  {"the chip fails", the_chip_fails},
	  {"stopped while the chip hangs", stopped_while_the_chip_hangs},
	  {"serial number", serial_number}, {"reading", reading}, {"after a kill", after_a_kill},
	  {"image files", image_files})
