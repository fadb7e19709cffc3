/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Format of setting values on the command line and the control socket.
 *
 * A setting with a value per link takes one value for all links, a list of all (a,b,...), or single
 * ones (3=a,5=b), and reads as the list of all.
 */
#ifndef EMU_VALUES_H
#define EMU_VALUES_H

#include <stddef.h>
#include <stdint.h>

#define VALUES_LINKS_MAX 16

/* Format of one value; parse returns 0, or -1 and a sentence in @err (size CARD_ERR). */
struct value_kind {
	int (*parse)(const char *text, uint64_t *value, char *err);
	void (*print)(uint64_t value, char *text, size_t size);
};

int value_number(const char *text, uint64_t *value, char *err, uint64_t max);
void value_print(uint64_t value, char *text, size_t size);

extern const struct value_kind value_count; /* 32 bits */
extern const struct value_kind value_hex;   /* 32 bits, hexadecimal with or without 0x */
extern const struct value_kind value_rate;  /* bytes/s */
extern const struct value_kind value_time;  /* us */
extern const struct value_kind value_power; /* uW, kept in 0.1 uW, 16 bits */
extern const struct value_kind value_on_off;

/* The set and get of a key with one value, at @place, which may use c and fn. */
#define VALUE_KEY(key, kind, model, place)                                                         \
	static int set_##key(void *card, unsigned int fn, const char *text, char *err)             \
	{                                                                                          \
		model *c = card;                                                                   \
		uint64_t value;                                                                    \
		if ((kind).parse(text, &value, err))                                               \
			return -1;                                                                 \
		place = value;                                                                     \
		return 0;                                                                          \
	}                                                                                          \
	static void get_##key(void *card, unsigned int fn, char *text, size_t size)                \
	{                                                                                          \
		model *c = card;                                                                   \
		(kind).print(place, text, size);                                                   \
	}

/* A serial number, 0 to 9999, and the register that has it: four digits as characters. */
int value_serial_parse(const char *text, unsigned int *serial, char *err);
void value_serial_print(uint32_t word, char *text, size_t size);
uint32_t value_serial_word(unsigned int serial);
#define VALUE_SERIAL_WORD(a, b, c, d) ((a) | (b) << 8 | (c) << 16 | (d) << 24)

/* Parse one entry of @value for each of @links links; all are parsed before any is stored. */
int value_list_parse(const struct value_kind *kind, const char *text, uint64_t *value,
		     unsigned int links, char *err);
void value_list_print(const struct value_kind *kind, const uint64_t *value, unsigned int links,
		      char *text, size_t size);

#endif /* EMU_VALUES_H */
