/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command-line options from tables.
 *
 * A tool describes its options once, in a table. The parser, the help text and the test that
 * compares the help with the manual page use that table. Values are stored in a structure of the
 * tool, at the offset of each option. Every such structure starts with struct common_options.
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
	OPTION_CHOICE, /* unsigned int, index into choices; upper or lower case */
};

struct option_spec {
	const char *name; /* without the dashes */
	enum option_type type;
	size_t offset;	      /* of the value in the tool's structure */
	const char *arg;      /* argument name in the help; LIST: comma-separated */
	const char *fallback; /* default value as typed by a user; NULL: zero */
	const char *help;
	const char *const *choices; /* OPTION_CHOICE: NULL-terminated */
	uint64_t min, max;	    /* OPTION_NUMBER, _SIZE, _TIME; max 0: no limits */
				    /* OPTION_LINKS: max is the highest link */
	/* OPTION_NUMBER, _SIZE: must be a power of two; 0 if allowed by limits or fallback */
	bool power;
	bool required;
	bool full;	  /* changes a card: the name must not be abbreviated */
	bool none;	  /* OPTION_LINKS: the mask 0x0 is allowed */
	bool word;	  /* a plain word without option name; at most one per tool */
	const char *with; /* name of the option that this one needs */
	uint32_t only;	  /* allowed with these choices of the word, bit per index; 0: all */
	size_t given;	  /* offset of a bool that is set if the option is given; 0: none */
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

/* Common table entries. @values: the tool's structure, @member: its member. */
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
#define JSON_OPTION(values) FLAG_OPTION(values, "json", json, "Print the output as JSON")
#define CARD_OPTION(values, is_full)                                                               \
	{                                                                                          \
		.name = "id", .type = OPTION_TEXT, .offset = offsetof(values, id), .arg = "ID",    \
		.required = true, .full = (is_full), .help = "Select the card"                     \
	}
#define ID_OPTION(values) CARD_OPTION(values, false)
/* For a tool that changes the card. */
#define FULL_ID_OPTION(values) CARD_OPTION(values, true)

enum options_result {
	OPTIONS_RUN,
	OPTIONS_HELP,
	OPTIONS_VERSION,
	OPTIONS_WRONG, /* @reason has the message */
};

/* @values: the tool's structure, zeroed. @reason: buffer of at least 16 bytes for the message. */
enum options_result options_parse(const struct tool *tool, int argc, char **argv, void *values,
				  char *reason, size_t reason_size);
void options_help(const struct tool *tool, FILE *out);

/*
 * Return the index of @text in the NULL-terminated @choices, ignoring case; the index of the NULL
 * if there is none.
 */
unsigned int options_choice(const char *const *choices, const char *text);

#endif
