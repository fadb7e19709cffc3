// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parse command lines. getopt_long() splits them and completes abbreviated names; the messages are
 * made here, because its own messages give no remedy.
 */
#include "options.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "numbers.h"
#include "tool.h"

enum {
	COMMON_HELP,
	COMMON_VERSION,
	COMMON_VERBOSE,
	COMMON_COUNT
};

static const struct {
	const char *name;
	char letter;
	const char *help;
} common[COMMON_COUNT] = {
	[COMMON_HELP] = {"help", 'h', "Show this help and exit"},
	[COMMON_VERSION] = {"version", 'V', "Show the version and exit"},
	[COMMON_VERBOSE] = {"verbose", 'v', "Show more details"},
};

/* getopt_long() returns this base plus the index in the tool's table. */
#define TOOL_OPTION_BASE 0x1000

static const char *dashes(const struct option_spec *spec)
{
	return spec->word ? "" : "--";
}

unsigned int options_choice(const char *const *choices, const char *text)
{
	unsigned int i;

	for (i = 0; choices[i] && strcasecmp(choices[i], text); i++)
		;
	return i;
}

static void list_choices(const struct option_spec *spec, char *out, size_t size)
{
	size_t used = 0;
	unsigned int i;

	out[0] = '\0';
	for (i = 0; spec->choices[i] && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
					 spec->choices[i]);
}

static bool set_value(const struct option_spec *spec, const char *text, void *values, char *reason,
		      size_t reason_size)
{
	void *value = (char *)values + spec->offset;
	const char *wrong = NULL;
	uint64_t number = 0;
	uint32_t word = 0;
	uint16_t port;
	char names[128];

	switch (spec->type) {
	case OPTION_FLAG:
		*(bool *)value = true;
		return true;
	case OPTION_TEXT:
		if (!*text)
			wrong = "is empty";
		else
			*(const char **)value = text;
		break;
	case OPTION_PORT:
		wrong = number_port(text, &port);
		if (!wrong)
			*(const char **)value = text;
		break;
	case OPTION_NUMBER:
		wrong = number_value(text, &number);
		if (!wrong && !spec->max && number > UINT32_MAX)
			wrong = "does not fit in 32 bits";
		break;
	case OPTION_SIZE:
		wrong = number_size(text, &number);
		break;
	case OPTION_TIME:
		wrong = number_time(text, &number);
		/* A script may pass the time that it has left; 0 would mean no limit. */
		if (!wrong && !spec->max && !number)
			wrong = "is not allowed: set at least 1s, or omit the option";
		break;
	case OPTION_HEX:
		wrong = number_hex32(text, &word);
		break;
	case OPTION_LINKS:
		/* Without 0x, 0 is the list with link 0. */
		if (spec->none && !strncasecmp(text, "0x", 2) && !number_hex32(text, &word) &&
		    !word)
			break;
		wrong = number_links(text, &word);
		if (!wrong && spec->max && word >> spec->max > 1) {
			snprintf(reason, reason_size, "--%s: invalid link, the highest is %u.",
				 spec->name, (unsigned int)spec->max);
			return false;
		}
		break;
	case OPTION_CHOICE:
		word = options_choice(spec->choices, text);
		if (spec->choices[word]) {
			*(unsigned int *)value = word;
			return true;
		}
		list_choices(spec, names, sizeof(names));
		snprintf(reason, reason_size, "%s%s: \"%s\" is not one of %s.", dashes(spec),
			 spec->name, text, names);
		return false;
	}
	if (wrong) {
		snprintf(reason, reason_size, "--%s: \"%s\" %s.", spec->name, text, wrong);
		return false;
	}
	if (spec->power && number & (number - 1)) {
		snprintf(reason, reason_size, "--%s: %s is not a power of two.", spec->name, text);
		return false;
	}
	/* A fallback outside the limits may also be given explicitly. */
	if (spec->max && spec->type != OPTION_LINKS && (number < spec->min || number > spec->max) &&
	    !(spec->fallback && !strcmp(text, spec->fallback))) {
		snprintf(reason, reason_size, "--%s: %s is outside %" PRIu64 "..%" PRIu64 ".",
			 spec->name, text, spec->min, spec->max);
		return false;
	}
	switch (spec->type) {
	case OPTION_NUMBER:
		*(uint32_t *)value = (uint32_t)number;
		break;
	case OPTION_SIZE:
	case OPTION_TIME:
		*(uint64_t *)value = number;
		break;
	case OPTION_HEX:
	case OPTION_LINKS:
		*(uint32_t *)value = word;
		break;
	default:
		break;
	}
	return true;
}

static bool set_fallbacks(const struct tool *tool, void *values, char *reason, size_t reason_size)
{
	size_t i;

	for (i = 0; i < tool->option_count; i++) {
		const struct option_spec *spec = &tool->options[i];

		if (spec->fallback && !set_value(spec, spec->fallback, values, reason, reason_size))
			return false;
	}
	return true;
}

/*
 * Append ", --@option" to @list if @option starts with the first @length characters of @name. An
 * exact match replaces the list.
 */
static void add_candidate(char *list, size_t size, const char *option, const char *name,
			  size_t length, bool *exact)
{
	size_t used;

	if (*exact || strncmp(option, name, length))
		return;
	*exact = !option[length];
	used = *exact ? 0 : strlen(list);
	snprintf(list + used, size - used, "%s--%s", used ? ", " : "", option);
}

/* List the options that start with the first @length characters of @name. */
static void find_candidates(const struct tool *tool, const char *name, size_t length, char *list,
			    size_t size)
{
	bool exact = false;
	size_t i;

	list[0] = '\0';
	for (i = 0; i < COMMON_COUNT; i++)
		add_candidate(list, size, common[i].name, name, length, &exact);
	for (i = 0; i < tool->option_count; i++) {
		if (!tool->options[i].word)
			add_candidate(list, size, tool->options[i].name, name, length, &exact);
	}
}

static void explain_long(const struct tool *tool, const char *text, char *reason,
			 size_t reason_size)
{
	size_t length = strcspn(text, "=");
	char list[256];

	find_candidates(tool, text + 2, length - 2, list, sizeof(list));
	if (strchr(list, ','))
		snprintf(reason, reason_size, "%.*s is ambiguous: it matches %s.", (int)length,
			 text, list);
	else if (*list && text[length])
		snprintf(reason, reason_size, "%s does not accept a value.", list);
	else
		snprintf(reason, reason_size, "Unknown option %.*s: see roc-%s --help.",
			 (int)length, text, tool->name);
}

/* @word contains the unknown letter; it may be a long name with one dash only. */
static void explain_letter(const struct tool *tool, const char *word, char letter, char *reason,
			   size_t reason_size)
{
	char list[256] = "";

	if (word[1] == letter)
		find_candidates(tool, word + 1, strcspn(word + 1, "="), list, sizeof(list));
	if (*list && !strchr(list, ','))
		snprintf(reason, reason_size, "Unknown option -%c: did you mean %s?", letter, list);
	else
		snprintf(reason, reason_size, "Unknown option -%c: see roc-%s --help.", letter,
			 tool->name);
}

static bool has_letter(const char *word, char letter)
{
	return word[0] == '-' && word[1] != '-' && word[strlen(word) - 1] == letter;
}

/*
 * Make the message for '?' from getopt_long(). It sets optopt to an unknown letter, to 0, or to the
 * value of a long option in getopt_table(). optind is beyond the word with the letter only if the
 * letter was its last one.
 */
static void explain(const struct tool *tool, char *const *argv, char *reason, size_t reason_size)
{
	const char *before = argv[optind - 1];
	char letter = (char)optopt;

	if (!optopt || optopt >= TOOL_OPTION_BASE || strchr("hVv", optopt))
		explain_long(tool, before, reason, reason_size);
	else
		explain_letter(tool, has_letter(before, letter) ? before : argv[optind], letter,
			       reason, reason_size);
}

static bool all_required(const struct tool *tool, const bool *given, char *reason,
			 size_t reason_size)
{
	size_t i;

	for (i = 0; i < tool->option_count; i++) {
		if (tool->options[i].required && !given[i]) {
			snprintf(reason, reason_size, "%s%s is missing. Example: roc-%s %s",
				 dashes(&tool->options[i]), tool->options[i].name, tool->name,
				 tool->example);
			return false;
		}
	}
	return true;
}

/* Index of the option that is a plain word; option_count: none. */
static size_t word_index(const struct tool *tool)
{
	size_t i;

	for (i = 0; i < tool->option_count && !tool->options[i].word; i++)
		;
	return i;
}

/* List the choices of the word whose bit is set in @only, as in "dump, follow". */
static void list_words(const struct option_spec *word, uint32_t only, char *out, size_t size)
{
	size_t used = 0;
	unsigned int i;

	out[0] = '\0';
	for (i = 0; word->choices[i] && used < size; i++) {
		if (only >> i & 1)
			used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
						 word->choices[i]);
	}
}

/* Reject options that have no effect with the chosen word. */
static bool all_for_word(const struct tool *tool, const bool *given, const void *values,
			 char *reason, size_t reason_size)
{
	const struct option_spec *word = &tool->options[word_index(tool)];
	unsigned int choice;
	char words[64];
	size_t i;

	for (i = 0; i < tool->option_count; i++) {
		if (!given[i] || !tool->options[i].only)
			continue;
		choice = *(const unsigned int *)((const char *)values + word->offset);
		if (tool->options[i].only >> choice & 1)
			continue;
		list_words(word, tool->options[i].only, words, sizeof(words));
		snprintf(reason, reason_size, "--%s is only for %s, not for %s.",
			 tool->options[i].name, words, word->choices[choice]);
		return false;
	}
	return true;
}

static bool is_given(const struct tool *tool, const bool *given, const char *name)
{
	size_t i;

	for (i = 0; i < tool->option_count; i++)
		if (given[i] && !strcmp(tool->options[i].name, name))
			return true;
	return false;
}

static bool all_belong(const struct tool *tool, const bool *given, char *reason, size_t reason_size)
{
	size_t i;

	for (i = 0; i < tool->option_count; i++) {
		const struct option_spec *spec = &tool->options[i];

		if (!given[i] || !spec->with || is_given(tool, given, spec->with))
			continue;
		snprintf(reason, reason_size, "--%s is only valid with --%s.", spec->name,
			 spec->with);
		return false;
	}
	return true;
}

static struct option *getopt_table(const struct tool *tool)
{
	struct option *table = calloc(COMMON_COUNT + tool->option_count + 1, sizeof(*table));
	size_t i, n = 0;

	if (!table)
		abort();
	for (i = 0; i < COMMON_COUNT; i++)
		table[n++] = (struct option){.name = common[i].name, .val = common[i].letter};
	for (i = 0; i < tool->option_count; i++) {
		if (tool->options[i].word)
			continue;
		table[n++] = (struct option){
			.name = tool->options[i].name,
			.has_arg = tool->options[i].type == OPTION_FLAG ? no_argument
									: required_argument,
			.val = TOOL_OPTION_BASE + (int)i,
		};
	}
	return table;
}

static bool is_list(const struct option_spec *spec)
{
	return spec->type == OPTION_LINKS || (spec->arg && !strcmp(spec->arg, "LIST"));
}

/*
 * Find an option that was given and sets the same member as option @index, which may be that option
 * itself.
 */
static const struct option_spec *given_as(const struct tool *tool, size_t index, const bool *given)
{
	size_t i;

	for (i = 0; i < tool->option_count; i++)
		if (given[i] && tool->options[i].type != OPTION_FLAG &&
		    tool->options[i].offset == tool->options[index].offset)
			return &tool->options[i];
	return NULL;
}

static bool store_option(const struct tool *tool, size_t index, const char *text, void *values,
			 bool *given, char *reason, size_t reason_size)
{
	const struct option_spec *spec = &tool->options[index], *before;

	before = spec->type == OPTION_FLAG ? NULL : given_as(tool, index, given);
	if (before && before != spec) {
		snprintf(reason, reason_size, "--%s and --%s are the same option: use only one.",
			 before->name, spec->name);
		return false;
	}
	if (before) {
		snprintf(reason, reason_size, "--%s is given twice%s.", spec->name,
			 is_list(spec) ? ": use one comma-separated list" : "");
		return false;
	}
	if (!set_value(spec, text, values, reason, reason_size))
		return false;
	given[index] = true;
	if (spec->given)
		*(bool *)((char *)values + spec->given) = true;
	return true;
}

/*
 * Reject an abbreviated name of an option that changes a card. @value: the value of the option that
 * getopt_long() returned last, in the same word or the next one; NULL: none.
 */
static bool full_name(const struct option_spec *spec, char *const *argv, const char *value,
		      char *reason, size_t reason_size)
{
	const char *typed = argv[optind - (value == argv[optind - 1] ? 2 : 1)];
	size_t length = strcspn(typed, "=");

	if (!spec->full || length == strlen(spec->name) + 2)
		return true;
	snprintf(reason, reason_size,
		 "%.*s is abbreviated: write --%s in full, because it changes a card.", (int)length,
		 typed, spec->name);
	return false;
}

/* A tool takes one word at most. */
static void note_word(const char *word, const char **first, const char **stray)
{
	if (!*first)
		*first = word;
	else if (!*stray)
		*stray = word;
}

enum options_result options_parse(const struct tool *tool, int argc, char **argv, void *values,
				  char *reason, size_t reason_size)
{
	struct option *table = getopt_table(tool);
	bool *given = calloc(tool->option_count + 1, sizeof(*given));
	enum options_result result = OPTIONS_WRONG;
	const char *text = NULL, *stray = NULL;
	int c, index;
	size_t word;

	if (!given)
		abort();
	reason[0] = '\0';
	if (!set_fallbacks(tool, values, reason, reason_size))
		goto out;
	opterr = 0;
	optind = 0; /* glibc: reset the parser */
	/*
	 * With "-", getopt_long() returns 1 for a word in any place, even if POSIXLY_CORRECT is
	 * set.
	 */
	while ((c = getopt_long(argc, argv, "-:hVv", table, NULL)) != -1) {
		switch (c) {
		case 1:
			note_word(optarg, &text, &stray);
			continue;
		case 'h':
			result = OPTIONS_HELP;
			goto out;
		case 'V':
			result = OPTIONS_VERSION;
			goto out;
		case 'v':
			((struct common_options *)values)->verbose = true;
			continue;
		case ':':
			snprintf(reason, reason_size, "%s needs a value.", argv[optind - 1]);
			goto out;
		case '?':
			explain(tool, argv, reason, reason_size);
			goto out;
		}
		index = c - TOOL_OPTION_BASE;
		if (!full_name(&tool->options[index], argv, optarg, reason, reason_size))
			goto out;
		if (!store_option(tool, (size_t)index, optarg, values, given, reason, reason_size))
			goto out;
	}
	while (optind < argc)
		note_word(argv[optind++], &text, &stray);
	word = word_index(tool);
	if (text && word == tool->option_count)
		stray = text;
	else if (text && !store_option(tool, word, text, values, given, reason, reason_size))
		goto out;
	if (stray) {
		snprintf(reason, reason_size, "Unexpected argument \"%s\": see roc-%s --help.",
			 stray, tool->name);
		goto out;
	}
	if (all_required(tool, given, reason, reason_size) &&
	    all_belong(tool, given, reason, reason_size) &&
	    all_for_word(tool, given, values, reason, reason_size))
		result = OPTIONS_RUN;
out:
	free(given);
	free(table);
	return result;
}

#define HELP_COLUMN 32

static void help_line(FILE *out, char letter, const char *name, const char *arg, const char *help)
{
	int width;

	if (letter)
		width = fprintf(out, "  -%c, --%s", letter, name);
	else
		width = fprintf(out, "      --%s", name);
	if (arg)
		width += fprintf(out, " %s", arg);
	if (width >= HELP_COLUMN)
		width = fprintf(out, "\n") - 1;
	fprintf(out, "%*s%s", HELP_COLUMN - width, "", help);
}

static void option_help(FILE *out, const struct tool *tool, const struct option_spec *spec)
{
	char words[64] = "";

	if (spec->only)
		list_words(&tool->options[word_index(tool)], spec->only, words, sizeof(words));
	help_line(out, 0, spec->name, spec->arg, words);
	fprintf(out, "%s%s", spec->only ? ": " : "", spec->help);
}

/* "64Ki" for 65536: exact, as the option accepts it. */
static void limit_help(FILE *out, enum option_type type, uint64_t limit)
{
	static const char *const units[] = {"", "Ki", "Mi", "Gi", "Ti"};
	unsigned int unit = 0;

	while (type == OPTION_SIZE && limit && limit % 1024 == 0 && unit < 4) {
		limit /= 1024;
		unit++;
	}
	fprintf(out, "%" PRIu64 "%s%s", limit, units[unit], type == OPTION_TIME ? "s" : "");
}

/* Range and default, as in " (1..255, default 1)". */
static void limits_help(FILE *out, const struct option_spec *spec)
{
	bool range = spec->max && spec->max != UINT32_MAX && spec->type != OPTION_LINKS;

	if (range) {
		fprintf(out, " (");
		limit_help(out, spec->type, spec->min);
		fprintf(out, "..");
		limit_help(out, spec->type, spec->max);
	}
	if (spec->fallback)
		fprintf(out, "%sdefault %s", range ? ", " : " (", spec->fallback);
	if (range || spec->fallback)
		fprintf(out, ")");
}

void options_help(const struct tool *tool, FILE *out)
{
	char names[128];
	size_t i;

	fprintf(out, "roc-%s: %s.\n\nUsage: roc-%s", tool->name, tool->summary, tool->name);
	for (i = 0; i < tool->option_count; i++) {
		if (tool->options[i].word)
			fprintf(out, " %s", tool->options[i].name);
		else if (tool->options[i].required)
			fprintf(out, " --%s %s", tool->options[i].name, tool->options[i].arg);
	}
	fprintf(out, " [OPTION]...\n");
	if (*tool->example)
		fprintf(out, "Example: roc-%s %s\n", tool->name, tool->example);
	fprintf(out, "\nOptions:\n");
	for (i = 0; i < tool->option_count; i++) {
		const struct option_spec *spec = &tool->options[i];

		if (spec->word)
			fprintf(out, "  %-*s%s", HELP_COLUMN - 2, spec->name, spec->help);
		else
			option_help(out, tool, spec);
		if (spec->type == OPTION_CHOICE) {
			list_choices(spec, names, sizeof(names));
			fprintf(out, ": %s", names);
		}
		limits_help(out, spec);
		fputc('\n', out);
	}
	for (i = 0; i < COMMON_COUNT; i++) {
		help_line(out, common[i].letter, common[i].name, NULL, common[i].help);
		fputc('\n', out);
	}
	fprintf(out,
		"\nSelect a card by PCI address ([dddd:]bb:dd.f), serial[:endpoint] or #number (see roc-list-cards).\nOptions can be abbreviated if they are unambiguous and do not change a card.\nExit status: 0 success, 1 refused, failed or wrong data, 2 wrong usage.\n");
}
