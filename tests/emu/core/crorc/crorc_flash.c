// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The C-RORC's flash: the command port in BAR 0 and the two chips behind it.
 *
 * A chip behaves as parallel NOR flash does: programming only clears bits, erasing sets a whole
 * block, blocks are locked at power-on, errors stay in the status register until it is cleared, and
 * a busy chip ignores commands.
 */
#include "crorc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define OPCODE(command) ((command)&0xff000000u)
#define OPERAND(command) ((command)&0x00ffffffu)
#define CHIP_BYTES (FLASH_CHIP_WORDS * sizeof(uint16_t))
#define US 1000ull

enum chip_command {
	CMD_LOCK = 0x01,
	CMD_CONFIGURE = 0x03,
	CMD_PROGRAM_ALT = 0x10,
	CMD_ERASE = 0x20,
	CMD_PROGRAM = 0x40,
	CMD_CLEAR_STATUS = 0x50,
	CMD_SETUP = 0x60,
	CMD_READ_STATUS = 0x70,
	CMD_READ_ID = 0x90,
	CMD_CONFIRM = 0xd0,
	CMD_BUFFER = 0xe8,
	CMD_READ_ARRAY = 0xff,
};

bool crorc_flash_create(struct crorc_flash *f)
{
	unsigned int i;

	for (i = 0; i < FLASH_CHIPS; i++) {
		/* The cells are stored inverted, so that erased cells are untouched pages. */
		void *cells = mmap(NULL, CHIP_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (cells == MAP_FAILED)
			return false;
		f->chip[i].cells = cells;
	}
	return true;
}

void crorc_flash_destroy(struct crorc_flash *f)
{
	unsigned int i;

	for (i = 0; i < FLASH_CHIPS; i++) {
		if (f->chip[i].cells)
			munmap(f->chip[i].cells, CHIP_BYTES);
	}
}

void crorc_flash_label(struct crorc_flash *f, const char *label, unsigned int bytes)
{
	uint16_t *to = f->chip[0].cells + FLASH_SERIAL;
	unsigned int i;

	/* Each word has two characters, the first one in the high byte. */
	for (i = 0; i < bytes / 2; i++)
		to[i] = ~((uint8_t)label[2 * i] << 8 | (uint8_t)label[2 * i + 1]);
}

static unsigned int block_of(uint32_t at)
{
	unsigned int block = at / FLASH_BLOCK_WORDS;

	if (block < FLASH_MAIN_BLOCKS)
		return block;
	return FLASH_MAIN_BLOCKS + at % FLASH_BLOCK_WORDS / FLASH_TOP_WORDS;
}

static uint32_t block_start(unsigned int block)
{
	if (block < FLASH_MAIN_BLOCKS)
		return block * FLASH_BLOCK_WORDS;
	return FLASH_MAIN_BLOCKS * FLASH_BLOCK_WORDS +
	       (block - FLASH_MAIN_BLOCKS) * FLASH_TOP_WORDS;
}

static bool busy(struct crorc *c, const struct flash_chip *chip)
{
	return crorc_now(c) < chip->busy_until || (chip->hung && c->fault[CRORC_FLASH_BUSY]);
}

static void fail(struct crorc *c, struct flash_chip *chip, uint8_t status)
{
	chip->status |= status;
	c->flash.errors++;
}

/* Fault flash-fail: the given number of operations succeeds, then some fail. */
static bool fault_hits(struct crorc *c)
{
	uint64_t *fault = &c->fault[CRORC_FLASH_FAIL];

	if (!(uint32_t)*fault)
		return false;
	if (*fault >> 32) {
		*fault -= 1ull << 32;
		return false;
	}
	--*fault;
	return true;
}

/* Start the operation's duration, whether it succeeds or not. False: it fails. */
static bool begin(struct crorc *c, struct flash_chip *chip, uint32_t at, uint8_t error, uint32_t us)
{
	chip->mode = FLASH_READ_STATUS;
	chip->hung = false;
	if (!chip->unlocked[block_of(at)]) {
		fail(c, chip, error | FLASH_STATUS_LOCKED);
		return false;
	}
	if (c->fault[CRORC_FLASH_BUSY]) {
		chip->hung = true;
		return false;
	}
	chip->busy_until = crorc_now(c) + us * US;
	if (fault_hits(c)) {
		fail(c, chip, error);
		return false;
	}
	return true;
}

static void erase(struct crorc *c, struct flash_chip *chip, uint32_t at)
{
	unsigned int block = block_of(at);
	uint32_t words = block < FLASH_MAIN_BLOCKS ? FLASH_BLOCK_WORDS : FLASH_TOP_WORDS;
	uint16_t *cells = chip->cells + block_start(block);

	if (!begin(c, chip, at, FLASH_STATUS_ERASE_ERROR, c->flash.erase_us))
		return;
	/* Release the memory of the cells, too. */
	if (madvise(cells, words * sizeof(*cells), MADV_DONTNEED))
		memset(cells, 0, words * sizeof(*cells));
	c->flash.erases++;
}

/* The cells are inverted: 0 bits of the word become 1 here. Programming never clears a bit here. */
static void program(struct crorc *c, struct flash_chip *chip, uint32_t at, uint16_t word)
{
	uint16_t want = ~word;

	if (want & ~chip->cells[at])
		chip->cells[at] |= want;
	c->flash.programs++;
}

static void program_word(struct crorc *c, struct flash_chip *chip, uint32_t at, uint16_t word)
{
	if (begin(c, chip, at, FLASH_STATUS_PROGRAM_ERROR, c->flash.program_us))
		program(c, chip, at, word);
}

static void program_buffer(struct crorc *c, struct flash_chip *chip)
{
	uint32_t i;

	if (chip->bad_buffer || !chip->filled) {
		chip->mode = FLASH_READ_STATUS;
		fail(c, chip, FLASH_STATUS_SEQUENCE_ERROR);
		return;
	}
	if (!begin(c, chip, chip->first, FLASH_STATUS_PROGRAM_ERROR, c->flash.program_us))
		return;
	for (i = 0; i < chip->filled; i++)
		program(c, chip, chip->address[i], chip->word[i]);
}

static void fill_buffer(struct flash_chip *chip, uint32_t at, uint16_t word)
{
	/* All words of a buffer must be contiguous and in the block that the command named. */
	if (chip->filled == chip->announced || block_of(at) != block_of(chip->first) ||
	    (chip->filled && at - chip->address[0] >= FLASH_BUFFER_WORDS)) {
		chip->bad_buffer = true;
		return;
	}
	chip->address[chip->filled] = at;
	chip->word[chip->filled++] = word;
}

static void sequence_error(struct crorc *c, struct flash_chip *chip)
{
	chip->mode = FLASH_READ_STATUS;
	fail(c, chip, FLASH_STATUS_SEQUENCE_ERROR);
}

/* Second cycle of a command with two cycles. */
static void second(struct crorc *c, struct flash_chip *chip, uint32_t at, uint16_t value)
{
	unsigned int state = chip->state;

	chip->state = FLASH_IDLE;
	if (state == FLASH_PROGRAM) {
		program_word(c, chip, at, value);
		return;
	}
	if (state == FLASH_LENGTH) {
		if (value >= FLASH_BUFFER_WORDS) {
			sequence_error(c, chip);
			return;
		}
		chip->announced = value + 1;
		chip->filled = 0;
		chip->bad_buffer = false;
		chip->state = FLASH_DATA;
		return;
	}
	if (state == FLASH_ERASE && value == CMD_CONFIRM) {
		erase(c, chip, at);
		return;
	}
	if (state == FLASH_SETUP && (value == CMD_CONFIRM || value == CMD_LOCK)) {
		chip->unlocked[block_of(at)] = value == CMD_CONFIRM;
		chip->mode = FLASH_READ_STATUS;
		return;
	}
	if (state == FLASH_SETUP && value == CMD_CONFIGURE) {
		chip->configuration = at; /* the value is on the address lines */
		return;
	}
	sequence_error(c, chip);
}

static void first(struct flash_chip *chip, uint32_t at, uint16_t value)
{
	switch (value & 0xff) {
	case CMD_READ_ARRAY:
		chip->mode = FLASH_READ_ARRAY;
		break;
	case CMD_READ_STATUS:
		chip->mode = FLASH_READ_STATUS;
		break;
	case CMD_READ_ID:
		chip->mode = FLASH_READ_ID;
		break;
	case CMD_CLEAR_STATUS:
		chip->status = 0;
		break;
	case CMD_SETUP:
		chip->state = FLASH_SETUP;
		break;
	case CMD_ERASE:
		chip->state = FLASH_ERASE;
		break;
	case CMD_PROGRAM:
	case CMD_PROGRAM_ALT:
		chip->state = FLASH_PROGRAM;
		break;
	case CMD_BUFFER:
		chip->state = FLASH_LENGTH;
		chip->mode = FLASH_READ_STATUS;
		chip->first = at;
		break;
	}
}

static void chip_write(struct crorc *c, struct flash_chip *chip, uint32_t at, uint16_t value)
{
	bool confirms = !c->flash.addressed;

	if (busy(c, chip))
		return;
	if (chip->state == FLASH_IDLE) {
		first(chip, at, value);
	} else if (chip->state != FLASH_DATA) {
		second(c, chip, at, value);
	} else if (!confirms) {
		fill_buffer(chip, at, value);
	} else {
		/*
		 * A write without a preceding address is not data, even if words are still missing.
		 */
		chip->state = FLASH_IDLE;
		if (value == CMD_CONFIRM)
			program_buffer(c, chip);
		else
			sequence_error(c, chip);
	}
}

static uint16_t identity(const struct flash_chip *chip, uint32_t at)
{
	unsigned int block = block_of(at);

	if (at == 0)
		return FLASH_MANUFACTURER;
	if (at == block_start(block) + 2)
		return !chip->unlocked[block];
	return at == 5 ? chip->configuration : 0;
}

static uint16_t chip_read(struct crorc *c, const struct flash_chip *chip, uint32_t at)
{
	if (busy(c, chip))
		return 0;
	switch (chip->mode) {
	case FLASH_READ_STATUS:
		return FLASH_STATUS_READY | chip->status;
	case FLASH_READ_ID:
		return identity(chip, at);
	case FLASH_READ_ARRAY:
		break;
	}
	return ~chip->cells[at];
}

void crorc_flash_command(struct crorc *c, uint32_t command)
{
	struct crorc_flash *f = &c->flash;
	struct flash_chip *chip = &f->chip[f->address / FLASH_CHIP_WORDS];
	uint32_t at = f->address % FLASH_CHIP_WORDS;

	switch (OPCODE(command)) {
	case CRORC_FLASH_ADDRESS:
		f->address = OPERAND(command);
		f->addressed = true;
		break;
	case CRORC_FLASH_WRITE:
		chip_write(c, chip, at, command);
		f->addressed = false;
		break;
	case CRORC_FLASH_READ:
		f->data = chip_read(c, chip, at);
		break;
	}
}
