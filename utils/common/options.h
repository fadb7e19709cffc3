/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command-line options from tables.
 *
 * A tool describes its options once, in a table; the parser, the help text and the test that
 * compares help with the manual page all read that table. Values go into a structure of the
 * tool, at each option's offset. Every such structure starts with struct common_options.
 */
#ifndef ROC_UTILS_OPTIONS_H
#define ROC_UTILS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct tool;

enum option_type {     /* C type of the value */
	OPTION_FLAG,   /* bool */
	OPTION_TEXT,   /* const char * */
	OPTION_PORT,   /* const char *, a number up to 65535 */
	OPTION_NUMBER, /* uint32_t, decimal, or hexadecimal with 0x */
	OPTION_HEX,    /* uint32_t, hexadecimal with or without 0x */
	OPTION_SIZE,   /* uint64_t */
	OPTION_TIME,   /* uint64_t, seconds, not 0 */
	OPTION_LINKS,  /* uint32_t, bit per link */
	OPTION_CHOICE, /* unsigned int, index into choices, in upper or lower case */
};

struct option_spec {
	const char *name; /* without the dashes */
	enum option_type type;
	size_t offset;	      /* of the value in the tool's structure */
	const char *arg;      /* name of the argument in the help text; LIST: commas between */
	const char *fallback; /* value if it is not given, as one would type it; NULL: zero */
	const char *help;
	const char *const *choices; /* OPTION_CHOICE: NULL-terminated */
	uint64_t min, max;	    /* OPTION_NUMBER, _SIZE, _TIME; max 0: no limits, also no min */
				    /* OPTION_LINKS: max is the highest link */
	/* OPTION_NUMBER, _SIZE: a power of two, or 0 if the limits, or fallback, have it */
	bool power;
	bool required;
	bool full;	  /* changes a card: its name may not be cut short */
	bool none;	  /* OPTION_LINKS: the mask 0x0 is taken, too */
	bool word;	  /* given without its name, as a word among the options; at most one */
	const char *with; /* the option that it says more about: alone it would do nothing */
	uint32_t only; /* for these choices of the word, bit per index; 0: for all. help says so */
	size_t given;  /* offset of a bool that says whether it was given; 0: there is none */
};

struct common_options {
	bool verbose;
};

/* A setting, and whether it was given. */
struct given_number {
	bool given;
	uint32_t value;
};

struct given_size {
	bool given;
	uint64_t value;
};

/* Entries that many tables have. @values: the tool's structure; the last two name their member. */
#define FLAG_OPTION(values, option_name, member, option_help)                                      \
	{                                                                                          \
		.name = (option_name), .type = OPTION_FLAG, .offset = offsetof(values, member),    \
		.help = (option_help)                                                              \
	}
/* A flag that changes a card. */
#define FULL_FLAG_OPTION(values, option_name, member, option_help)                                 \
	{                                                                                          \
		.name = (option_name), .type = OPTION_FLAG, .offset = offsetof(values, member),    \
		.help = (option_help), .full = true                                                \
	}
#define JSON_OPTION(values) FLAG_OPTION(values, "json", json, "Print JSON")
#define CARD_OPTION(values, is_full)                                                               \
	{                                                                                          \
		.name = "id", .type = OPTION_TEXT, .offset = offsetof(values, id), .arg = "ID",    \
		.required = true, .full = (is_full), .help = "Card"                                \
	}
#define ID_OPTION(values) CARD_OPTION(values, false)
/* Of a tool that changes the card. */
#define FULL_ID_OPTION(values) CARD_OPTION(values, true)

enum options_result {
	OPTIONS_RUN,
	OPTIONS_HELP,
	OPTIONS_VERSION,
	OPTIONS_WRONG, /* why has the sentence */
};

/* @values: the tool's structure, zeroed. @reason: at least 16 bytes for the sentence. */
enum options_result options_parse(const struct tool *tool, int argc, char **argv, void *values,
				  char *reason, size_t reason_size);
void options_help(const struct tool *tool, FILE *out);

/* Which of @choices, that end with NULL, in upper or lower case; where the NULL is: none. */
unsigned int options_choice(const char *const *choices, const char *text);

#endif
