/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration flash of the C-RORC: two chips of 8 Mi words of 16 bits behind one command
 * port.
 *
 * The cells belong to struct crorc_flash and outlive every reset; a page of them costs memory once
 * something is programmed there.
 */
#ifndef EMU_CRORC_FLASH_H
#define EMU_CRORC_FLASH_H

#include <stdbool.h>
#include <stdint.h>

#define FLASH_CHIPS 2
#define FLASH_CHIP_WORDS (8u << 20)
#define FLASH_BLOCK_WORDS 0x10000u
#define FLASH_MAIN_BLOCKS 127
#define FLASH_TOP_BLOCKS 4 /* where one more main block would be */
#define FLASH_TOP_WORDS (FLASH_BLOCK_WORDS / FLASH_TOP_BLOCKS)
#define FLASH_BLOCKS (FLASH_MAIN_BLOCKS + FLASH_TOP_BLOCKS)
#define FLASH_BUFFER_WORDS 32
#define FLASH_MANUFACTURER 0x0049
#define FLASH_SERIAL 0x470000u /* word address of the block with the serial number */

/* Status register of a chip. */
#define FLASH_STATUS_READY 0x80
#define FLASH_STATUS_ERASE_ERROR 0x20
#define FLASH_STATUS_PROGRAM_ERROR 0x10
#define FLASH_STATUS_SEQUENCE_ERROR 0x30
#define FLASH_STATUS_LOCKED 0x02

struct crorc;

struct flash_chip {
	uint16_t *cells; /* inverted: 0 is erased */
	bool unlocked[FLASH_BLOCKS];
	enum {
		FLASH_READ_ARRAY,
		FLASH_READ_STATUS,
		FLASH_READ_ID,
	} mode;
	enum {
		FLASH_IDLE,
		FLASH_SETUP,   /* 0x60: the next cycle selects the operation */
		FLASH_ERASE,   /* 0x20 */
		FLASH_PROGRAM, /* 0x40 */
		FLASH_LENGTH,  /* 0xe8 */
		FLASH_DATA,    /* words of the buffer, then the confirmation */
	} state;
	uint8_t status; /* without the ready bit */
	uint64_t busy_until;
	bool hung; /* fault: an operation that does not end while it is on */
	uint16_t configuration;
	uint32_t first, announced, filled; /* of the buffer */
	uint32_t address[FLASH_BUFFER_WORDS];
	uint16_t word[FLASH_BUFFER_WORDS];
	bool bad_buffer; /* a word in it cannot be programmed */
};

struct crorc_flash {
	struct flash_chip chip[FLASH_CHIPS];
	uint32_t address; /* latched, bit 23 selects the chip */
	bool addressed;	  /* since the last write */
	uint16_t data;	  /* of the last read */
	uint32_t erase_us, program_us;
	uint64_t erases, programs, errors; /* words programmed; operations that failed */
};

/* Returns false if out of memory. */
bool crorc_flash_create(struct crorc_flash *f);
void crorc_flash_destroy(struct crorc_flash *f);
void crorc_flash_command(struct crorc *c, uint32_t command);
/* Store a text in the block of the serial number, as the programming tool of the board does. */
void crorc_flash_label(struct crorc_flash *f, const char *label, unsigned int bytes);

#endif /* EMU_CRORC_FLASH_H */
