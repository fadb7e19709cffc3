// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the option parser: abbreviations, defaults, limits and the message for each mistake. Check
 * that each manual page has exactly the options of its tool.
 */
#include "unit.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>

#include "utils/tools.h"

struct values {
	struct common_options common;
	const char *id, *set;
	bool fast, faster;
	uint32_t count;
	uint32_t channel, depth;
	uint32_t address, lanes;
	uint64_t bytes;
	uint64_t within;
	unsigned int source;
	bool source_given;
	unsigned int verb;
};

static const char *const sources[] = {"INTERNAL", "DDG", NULL};

static const struct option_spec table[] = {
	{.name = "id",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct values, id),
	 .arg = "ID",
	 .required = true,
	 .help = "h"},
	{.name = "fast",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct values, faster),
	 .help = "h"},
	{.name = "fast-check",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct values, fast),
	 .help = "h"},
	{.name = "count",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, count),
	 .arg = "N",
	 .fallback = "7",
	 .min = 1,
	 .max = 255,
	 .help = "h"},
	{.name = "channel",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, channel),
	 .arg = "N",
	 .help = "h"},
	{.name = "depth",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, depth),
	 .with = "channel",
	 .arg = "N",
	 .fallback = "1",
	 .help = "h"},
	{.name = "with-channel",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, channel),
	 .arg = "N",
	 .help = "h"},
	{.name = "address",
	 .type = OPTION_HEX,
	 .offset = offsetof(struct values, address),
	 .arg = "HEX",
	 .help = "h"},
	{.name = "bytes",
	 .type = OPTION_SIZE,
	 .offset = offsetof(struct values, bytes),
	 .arg = "SIZE",
	 .fallback = "1Gi",
	 .help = "h"},
	{.name = "data-source",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct values, source),
	 .arg = "S",
	 .fallback = "DDG",
	 .choices = sources,
	 .given = offsetof(struct values, source_given),
	 .help = "h"},
	{.name = "set",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct values, set),
	 .arg = "LIST",
	 .help = "h"},
	{.name = "lanes",
	 .type = OPTION_LINKS,
	 .offset = offsetof(struct values, lanes),
	 .arg = "LIST",
	 .full = true,
	 .none = true,
	 .help = "h"},
	{.name = "within",
	 .type = OPTION_TIME,
	 .offset = offsetof(struct values, within),
	 .arg = "TIME",
	 .help = "h"},
};

static const char *const verbs[] = {"give", "take", "look", NULL};

/* The same options with a word in front. */
static const struct option_spec with_word[] = {
	{.name = "VERB",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct values, verb),
	 .word = true,
	 .required = true,
	 .choices = verbs,
	 .help = "h"},
	{.name = "count",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, count),
	 .arg = "N",
	 .fallback = "3",
	 .only = 1 << 1,
	 .help = "how many"},
	{.name = "slow",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct values, faster),
	 .only = 1 << 0 | 1 << 1,
	 .help = "not fast"},
	{.name = "fast-check",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct values, fast),
	 .help = "h"},
};

static const struct tool tool = {
	.name = "test",
	.summary = "Test",
	.example = "--id=1",
	TOOL_OPTIONS(table, struct values),
};

static const struct tool word_tool = {
	.name = "test",
	.summary = "Test",
	.example = "take",
	TOOL_OPTIONS(with_word, struct values),
};

static struct values v;
static char reason[256];

static enum options_result parse_for(const struct tool *t, const char *a, const char *b,
				     const char *c)
{
	char *argv[] = {"roc-test", (char *)a, (char *)b, (char *)c, NULL};
	int argc = 1;

	while (argv[argc])
		argc++;
	memset(&v, 0, sizeof(v));
	return options_parse(t, argc, argv, &v, reason, sizeof(reason));
}

static enum options_result parse(const char *a, const char *b, const char *c)
{
	return parse_for(&tool, a, b, c);
}

static void fallbacks(void)
{
	UNIT_EQ(parse("--id=a:b", NULL, NULL), OPTIONS_RUN);
	UNIT_STR(v.id, "a:b");
	UNIT_EQ(v.count, 7);
	UNIT_EQ(v.bytes, 1 << 30);
	UNIT_EQ(v.source, 1);
	CU_ASSERT_FALSE(v.source_given);
	UNIT_EQ(v.channel, 0);
	CU_ASSERT_FALSE(v.fast);
	CU_ASSERT_FALSE(v.common.verbose);
}

static void given(void)
{
	UNIT_EQ(parse("--id=#0", "--address=18", "--data-source=INTERNAL"), OPTIONS_RUN);
	UNIT_EQ(v.address, 0x18);
	UNIT_EQ(v.source, 0);
	CU_ASSERT_TRUE(v.source_given);
	UNIT_EQ(parse("--id=#0", "--channel", "4294967295"), OPTIONS_RUN);
	UNIT_EQ(v.channel, UINT32_MAX);
}

static void prefixes(void)
{
	UNIT_EQ(parse("--i=1", "--fast-c", "--verb"), OPTIONS_RUN);
	CU_ASSERT_TRUE(v.fast);
	CU_ASSERT_TRUE(v.common.verbose);
	UNIT_EQ(parse("--id=1", "--c=3", NULL), OPTIONS_WRONG);
	UNIT_STR(reason, "--c is ambiguous: it matches --count, --channel.");
	UNIT_EQ(parse("--id=1", "--ve", NULL), OPTIONS_WRONG);
	UNIT_STR(reason, "--ve is ambiguous: it matches --version, --verbose.");
}

/* An abbreviated name that meant another option must not change a card. */
static void full_names(void)
{
	UNIT_EQ(parse("--id=1", "--lane=1", NULL), OPTIONS_WRONG);
	UNIT_STR(reason,
		 "--lane is abbreviated: write --lanes in full, because it changes a card.");
	UNIT_EQ(parse("--id=1", "--lane", "--lanes"), OPTIONS_WRONG);
	UNIT_STR(reason,
		 "--lane is abbreviated: write --lanes in full, because it changes a card.");
	UNIT_EQ(parse("--id=1", "--lanes=1", NULL), OPTIONS_RUN);
	UNIT_EQ(v.lanes, 2);
	UNIT_EQ(parse("--id=1", "--lanes", "3"), OPTIONS_RUN);
	UNIT_EQ(v.lanes, 8);
}

/*
 * Tools that change a card, and those of their options that do not: only these can be abbreviated.
 */
static void options_that_change_a_card(void)
{
	static const struct {
		const char *tool, *cut;
	} changers[] = {
		{"reg-write", " json noread "},
		{"reg-modify", " json noread "},
		{"reset", " json "},
		{"config", " json "},
		{"loopback", " interval count expert-view json "},
		{"pat-player", " read-back json "},
		{"ctp-emulator", " status json "},
		{"ul", " status json "},
		{"flash", " verify dry-run no-display json "},
		{"bar-stress", " cycles time processes no-display json "},
		{"stream",
		 " json ring bytes packets time stall-limit busy no-errorcheck no-display to-file-bin live "},
		{"fragment",
		 " json percent events time stall-limit whole-within page pages host-page memory commands batch busy no-errorcheck no-display "},
	};
	size_t i, o;

	for (i = 0; i < sizeof(changers) / sizeof(changers[0]); i++) {
		const struct tool *t = tool_find(changers[i].tool);

		UNIT_NEED(t);
		for (o = 0; o < t->option_count; o++) {
			const struct option_spec *spec = &t->options[o];
			char name[64];
			bool cut;

			snprintf(name, sizeof(name), " %s ", spec->name);
			cut = strstr(changers[i].cut, name);
			if (!spec->word && spec->full == cut)
				unit_note("roc-%s --%s", t->name, spec->name);
			CU_ASSERT_TRUE(spec->word || spec->full != cut);
		}
	}
}

/* A mask may select no link; a list has at least one. */
static void no_link(void)
{
	UNIT_EQ(parse("--id=1", "--lanes=0x0", NULL), OPTIONS_RUN);
	UNIT_EQ(v.lanes, 0);
	UNIT_EQ(parse("--id=1", "--lanes=0", NULL), OPTIONS_RUN);
	UNIT_EQ(v.lanes, 1);
	UNIT_EQ(parse("--id=1", "--lanes=0x", NULL), OPTIONS_WRONG);
	UNIT_EQ(parse("--id=1", "--lanes=", NULL), OPTIONS_WRONG);
}

static void help_and_version(void)
{
	UNIT_EQ(parse("--help", NULL, NULL), OPTIONS_HELP);
	UNIT_EQ(parse("--id=1", "-h", NULL), OPTIONS_HELP);
	UNIT_EQ(parse("--vers", NULL, NULL), OPTIONS_VERSION);
	UNIT_EQ(parse("-V", NULL, NULL), OPTIONS_VERSION);
	UNIT_EQ(parse("-v", "--id=1", NULL), OPTIONS_RUN);
	CU_ASSERT_TRUE(v.common.verbose);
}

/* Expect a usage error with exactly this message. */
static void wrong(const char *a, const char *b, const char *sentence)
{
	UNIT_EQ(parse(a, b, NULL), OPTIONS_WRONG);
	UNIT_STR(reason, sentence);
}

static void mistakes(void)
{
	wrong("--fast-check", NULL, "--id is missing. Example: roc-test --id=1");
	wrong("--id=1", "--nope", "Unknown option --nope: see roc-test --help.");
	wrong("--id=1", "--nope=5", "Unknown option --nope: see roc-test --help.");
	wrong("--id=1", "-q", "Unknown option -q: see roc-test --help.");
	/* A word of letters is distinguished from the previous option and from a missing dash. */
	wrong("--id=1", "-json", "Unknown option -j: see roc-test --help.");
	wrong("--id=1", "-fast-check", "Unknown option -f: did you mean --fast-check?");
	wrong("--id=1", "-count=3", "Unknown option -c: did you mean --count?");
	wrong("--id=1", "-b", "Unknown option -b: did you mean --bytes?");
	wrong("-vq", "--id=1", "Unknown option -q: see roc-test --help.");
	wrong("-v", "-qv", "Unknown option -q: see roc-test --help.");
	wrong("-bytes=1", "--id=1", "Unknown option -b: did you mean --bytes?");
	/* A complete name is not the abbreviation of another one. */
	wrong("--id=1", "-fast", "Unknown option -f: did you mean --fast?");
	wrong("--id=1", "--fast=yes", "--fast does not accept a value.");
	wrong("--id=1", "--help=yes", "--help does not accept a value.");
	wrong("--id", NULL, "--id needs a value.");
	wrong("--id=", NULL, "--id: \"\" is empty.");
	wrong("--id=1", "--fast-check=yes", "--fast-check does not accept a value.");
	wrong("--id=1", "stray", "Unexpected argument \"stray\": see roc-test --help.");
	wrong("--id=1", "--count=0", "--count: 0 is outside 1..255.");
	wrong("--id=1", "--count=256", "--count: 256 is outside 1..255.");
	wrong("--id=1", "--count=x",
	      "--count: \"x\" is not a number (decimal, or hexadecimal with 0x).");
	wrong("--id=1", "--channel=4294967296",
	      "--channel: \"4294967296\" does not fit in 32 bits.");
	wrong("--id=1", "--address=0xz", "--address: \"0xz\" is not a hexadecimal number.");
	wrong("--id=1", "--bytes=1X",
	      "--bytes: \"1X\" has an unknown unit (valid: k M G T P E and Ki Mi Gi Ti Pi Ei).");
	wrong("--id=1", "--data-source=FEE", "--data-source: \"FEE\" is not one of INTERNAL, DDG.");
}

/* Two values of an option are ambiguous. */
static void twice(void)
{
	UNIT_EQ(parse("--id=1", "--count=2", "--cou=3"), OPTIONS_WRONG);
	UNIT_STR(reason, "--count is given twice.");
	UNIT_EQ(parse("--id=1", "--count=7", "--count=7"), OPTIONS_WRONG);
	UNIT_STR(reason, "--count is given twice.");
	UNIT_EQ(parse("--id=1", "--set=a,b", "--set=c"), OPTIONS_WRONG);
	UNIT_STR(reason, "--set is given twice: use one comma-separated list.");
	UNIT_EQ(parse("--id=1", "--lanes=1", "--lanes=2"), OPTIONS_WRONG);
	UNIT_STR(reason, "--lanes is given twice: use one comma-separated list.");
	UNIT_EQ(parse("--id=1", "--channel=1", "--with-channel=2"), OPTIONS_WRONG);
	UNIT_STR(reason, "--channel and --with-channel are the same option: use only one.");
	UNIT_EQ(parse("--id=1", "--fast", "--fast"), OPTIONS_RUN);
	CU_ASSERT_TRUE(v.faster);
}

/* An option that qualifies another one has no effect without it. */
static void with_another(void)
{
	const struct tool *const *t;
	unsigned int seen = 0;
	size_t i, k;

	UNIT_EQ(parse("--id=1", "--depth=4", "--channel=2"), OPTIONS_RUN);
	UNIT_EQ(v.depth, 4);
	UNIT_EQ(parse("--id=1", "--depth=4", NULL), OPTIONS_WRONG);
	UNIT_STR(reason, "--depth is only valid with --channel.");
	UNIT_EQ(parse("--id=1", NULL, NULL), OPTIONS_RUN);
	UNIT_EQ(v.depth, 1);
	for (t = tools; *t; t++) {
		for (i = 0; i < (*t)->option_count; i++) {
			const char *with = (*t)->options[i].with;

			for (k = 0; with && k < (*t)->option_count; k++)
				if (!strcmp((*t)->options[k].name, with))
					break;
			CU_ASSERT_TRUE(!with || k < (*t)->option_count);
			seen += with != NULL;
		}
	}
	CU_ASSERT_TRUE(seen > 10);
}

/* Without a maximum the minimum is ignored: no tool has only a minimum. */
static void limits_are_two(void)
{
	const struct tool *const *t;
	unsigned int seen = 0;
	size_t i;

	for (t = tools; *t; t++) {
		for (i = 0; i < (*t)->option_count; i++) {
			const struct option_spec *spec = &(*t)->options[i];

			if (spec->min > spec->max)
				unit_note("roc-%s --%s: %" PRIu64 "..%" PRIu64, (*t)->name,
					  spec->name, spec->min, spec->max);
			CU_ASSERT_TRUE(spec->min <= spec->max);
			seen += spec->min != 0;
		}
	}
	CU_ASSERT_TRUE(seen > 10);
}

/* The word can be in any place among the options, once. */
static void a_word(void)
{
	UNIT_EQ(parse_for(&word_tool, "take", "--fast-check", NULL), OPTIONS_RUN);
	UNIT_EQ(v.verb, 1);
	CU_ASSERT_TRUE(v.fast);
	UNIT_EQ(parse_for(&word_tool, "--fast-check", "GIVE", NULL), OPTIONS_RUN);
	UNIT_EQ(v.verb, 0);
	UNIT_EQ(parse_for(&word_tool, "--fast-check", NULL, NULL), OPTIONS_WRONG);
	UNIT_STR(reason, "VERB is missing. Example: roc-test take");
	UNIT_EQ(parse_for(&word_tool, "steal", NULL, NULL), OPTIONS_WRONG);
	UNIT_STR(reason, "VERB: \"steal\" is not one of give, take, look.");
	UNIT_EQ(parse_for(&word_tool, "take", "take", NULL), OPTIONS_WRONG);
	UNIT_STR(reason, "Unexpected argument \"take\": see roc-test --help.");
	UNIT_EQ(parse_for(&word_tool, "--VERB=take", NULL, NULL), OPTIONS_WRONG);
	UNIT_STR(reason, "Unknown option --VERB: see roc-test --help.");
}

/* The examples of the tools have the word first. */
static void a_word_of_posix(void)
{
	setenv("POSIXLY_CORRECT", "1", 1);
	UNIT_EQ(parse_for(&word_tool, "take", "--fast-check", NULL), OPTIONS_RUN);
	CU_ASSERT_TRUE(v.fast);
	a_word();
	unsetenv("POSIXLY_CORRECT");
	UNIT_EQ(parse_for(&word_tool, "--fast-check", "--", "take"), OPTIONS_RUN);
	UNIT_EQ(v.verb, 1);
	UNIT_EQ(parse_for(&word_tool, "take", "--", "--fast-check"), OPTIONS_WRONG);
	UNIT_STR(reason, "Unexpected argument \"--fast-check\": see roc-test --help.");
}

/* An option without effect is a mistake; the help names the actions that accept it. */
static void for_a_word(void)
{
	char *help;
	size_t length;
	FILE *out;

	UNIT_EQ(parse_for(&word_tool, "take", "--count=4", "--slow"), OPTIONS_RUN);
	UNIT_EQ(v.count, 4);
	UNIT_EQ(parse_for(&word_tool, "give", "--slow", "--fast-check"), OPTIONS_RUN);
	UNIT_EQ(v.count, 3);
	UNIT_EQ(parse_for(&word_tool, "--count=4", "give", NULL), OPTIONS_WRONG);
	UNIT_STR(reason, "--count is only for take, not for give.");
	UNIT_EQ(parse_for(&word_tool, "look", "--slow", NULL), OPTIONS_WRONG);
	UNIT_STR(reason, "--slow is only for give, take, not for look.");
	out = open_memstream(&help, &length);
	UNIT_NEED(out);
	options_help(&word_tool, out);
	fclose(out);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(help, "--count N                 take: how many (default 3)\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(help, "--slow                    give, take: not fast\n"));
	free(help);
}

/* Return true if @tool accepts the option @spec with @text. */
static bool taken(const struct tool *t, const struct option_spec *spec, const char *text,
		  uint32_t *value)
{
	char option[128], *argv[] = {"roc", "--id=1", option, NULL};
	struct option_spec alone[] = {*spec, {.name = "id", .type = OPTION_TEXT}};
	struct tool only = *t;
	char values[64] = {0};

	alone[0].required = false;
	alone[0].given = 0;
	alone[0].only = 0;
	alone[0].with = NULL;
	alone[0].offset = 8;
	alone[1].offset = 16;
	only.options = alone;
	only.option_count = 2;
	if (spec->word)
		snprintf(option, sizeof(option), "%s", text);
	else
		snprintf(option, sizeof(option), "--%s=%s", spec->name, text);
	if (options_parse(&only, 3, argv, values, reason, sizeof(reason)) != OPTIONS_RUN)
		return false;
	memcpy(value, values + 8, sizeof(*value));
	return true;
}

/* Compatibility with existing scripts: 15 is decimal everywhere, and hexadecimal needs 0x. */
static void numbers_are_decimal(void)
{
	static const char *const hex[] = {"address", "high-mask", "med-mask", "low-mask"};
	unsigned int seen = 0, hex_seen = 0;
	const struct tool *const *t;
	uint32_t value;
	size_t i, h;

	for (t = tools; *t; t++) {
		for (i = 0; i < (*t)->option_count; i++) {
			struct option_spec spec = (*t)->options[i];

			if (spec.type != OPTION_NUMBER && spec.type != OPTION_HEX)
				continue;
			spec.max = 0;
			spec.power = false;
			/*
			 * Register addresses are hexadecimal; words of a flash are counted in
			 * decimal.
			 */
			for (h = 0; h < 4 && strcmp(spec.name, hex[h]); h++)
				;
			if (h < 4 && strcmp((*t)->name, "flash-read")) {
				UNIT_EQ(spec.type, OPTION_HEX);
				hex_seen++;
				continue;
			}
			if (!taken(*t, &spec, "15", &value) || value != 15)
				unit_note("roc-%s --%s=15: 0x%x %s", (*t)->name, spec.name, value,
					  reason);
			CU_ASSERT_TRUE(taken(*t, &spec, "15", &value) && value == 15);
			CU_ASSERT_TRUE(taken(*t, &spec, "0x15", &value) && value == 0x15);
			CU_ASSERT_FALSE(taken(*t, &spec, "f", &value));
			seen++;
		}
	}
	CU_ASSERT_TRUE(seen > 30);
	UNIT_EQ(hex_seen, 8);
}

/* A script may have no time left: 0 must not mean "no limit". */
static void no_time_is_refused(void)
{
	const struct tool *const *t;
	unsigned int seen = 0;
	uint32_t value;
	size_t i;

	for (t = tools; *t; t++) {
		for (i = 0; i < (*t)->option_count; i++) {
			const struct option_spec *spec = &(*t)->options[i];

			if (spec->type != OPTION_TIME)
				continue;
			if (taken(*t, spec, "0s", &value))
				unit_note("roc-%s --%s=0s is accepted", (*t)->name, spec->name);
			CU_ASSERT_FALSE(taken(*t, spec, "0s", &value));
			CU_ASSERT_FALSE(taken(*t, spec, "0h0m", &value));
			CU_ASSERT_TRUE(taken(*t, spec, "1s", &value) && value == 1);
			seen++;
		}
	}
	CU_ASSERT_TRUE(seen > 10);
	wrong("--id=1", "--within=0s",
	      "--within: \"0s\" is not allowed: set at least 1s, or omit the option.");
}

/* Every tool with a live display accepts --no-display. */
static void all_have_no_display(void)
{
	static const char *const names[] = {
		"bench-dma", "record",	 "replay",   "send",  "recv",	    "evb",
		"stream",    "fragment", "ros-load", "flash", "flash-read", "bar-stress",
	};
	const struct tool *t;
	size_t i, k;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		t = tool_find(names[i]);
		UNIT_NEED(t);
		for (k = 0; k < t->option_count && strcmp(t->options[k].name, "no-display"); k++)
			;
		if (k == t->option_count)
			unit_note("roc-%s has no --no-display", names[i]);
		CU_ASSERT_TRUE(k < t->option_count);
	}
}

static void any_case(const char *from, char *to)
{
	for (; *from; from++)
		*to++ = isupper(*from) ? tolower(*from) : toupper(*from);
	*to = '\0';
}

static void choices_in_any_case(void)
{
	const struct tool *const *t;
	unsigned int seen = 0;
	uint32_t value;
	char text[32];
	size_t i, c;

	for (t = tools; *t; t++) {
		for (i = 0; i < (*t)->option_count; i++) {
			const struct option_spec *spec = &(*t)->options[i];

			for (c = 0; spec->choices && spec->choices[c]; c++) {
				any_case(spec->choices[c], text);
				CU_ASSERT_TRUE(taken(*t, spec, text, &value) && value == c);
				seen++;
			}
		}
	}
	CU_ASSERT_TRUE(seen > 15);
}

/* True if @text has the long option @name: "--name" without a word character before it. */
static bool names_option(const char *text, const char *name)
{
	size_t length = strlen(name);
	const char *p = text;

	while ((p = strstr(p, "--"))) {
		p += 2;
		if (!strncmp(p, name, length) && !strchr("abcdefghijklmnopqrstuvwxyz-", p[length]))
			return true;
	}
	return false;
}

/* Read a manual page without its \- escapes and comments. */
static char *read_page(const char *name)
{
	char path[128], line[512], *p, *text = NULL;
	size_t length;
	FILE *page, *out;

	snprintf(path, sizeof(path), "Documentation/man/%s.1", name);
	page = fopen(path, "r");
	if (!page)
		unit_note("%s: %s (the tests run at the top of the source tree)", path,
			  strerror(errno));
	UNIT_NEED(page);
	out = open_memstream(&text, &length);
	UNIT_NEED(out);
	while (fgets(line, sizeof(line), page)) {
		if (!strncmp(line, ".\\\"", 3))
			continue;
		for (p = line; *p; p++) {
			if (*p != '\\' || p[1] != '-')
				fputc(*p, out);
		}
	}
	fclose(out);
	fclose(page);
	return text;
}

/* Count the options in entries of @page that are not in @help. */
static unsigned int page_options_in_help(const char *page, const char *help)
{
	unsigned int missing = 0, n;
	const char *p = page;
	char name[64];

	while ((p = strstr(p, "\n.B"))) {
		const char *end;

		p += 3;
		end = strchr(p, '\n');
		p = strstr(p, "--");
		if (!p || !end || p > end) {
			p = end;
			continue;
		}
		for (n = 0, p += 2;
		     n < sizeof(name) - 1 && *p && strchr("abcdefghijklmnopqrstuvwxyz-", *p);)
			name[n++] = *p++;
		name[n] = '\0';
		if (names_option(help, name))
			continue;
		unit_note("the page has --%s, but the help does not", name);
		missing++;
	}
	return missing;
}

static void manual_pages(void)
{
	static const char *const common[] = {"help", "version", "verbose"};
	const struct tool *const *t;
	char name[64], *page, *help;
	size_t i, length;
	FILE *out;

	for (t = tools; *t; t++) {
		snprintf(name, sizeof(name), "roc-%s", (*t)->name);
		page = read_page(name);
		out = open_memstream(&help, &length);
		UNIT_NEED(out);
		options_help(*t, out);
		fclose(out);
		for (i = 0; i < (*t)->option_count; i++) {
			bool there = names_option(page, (*t)->options[i].name);

			if ((*t)->options[i].word)
				continue;
			if (!there)
				unit_note("%s.1 lacks --%s", name, (*t)->options[i].name);
			CU_ASSERT_TRUE(there);
			CU_ASSERT_TRUE(names_option(help, (*t)->options[i].name));
		}
		for (i = 0; i < 3; i++) {
			CU_ASSERT_TRUE(names_option(page, common[i]));
			CU_ASSERT_TRUE(names_option(help, common[i]));
		}
		UNIT_EQ(page_options_in_help(page, help), 0);
		free(page);
		free(help);
	}
}

/* Links are installed with the names of the pages, so each page must have a tool. */
/* The overview page lists all tools. */
static void page_of_all(void)
{
	const struct tool *const *t;
	char *page = read_page("roc"), name[64], *at;
	bool there;

	for (t = tools; *t; t++) {
		snprintf(name, sizeof(name), "roc-%s", (*t)->name);
		there = false;
		for (at = strstr(page, name); at && !there; at = strstr(at + 1, name))
			there = !isalnum((unsigned char)at[strlen(name)]) &&
				at[strlen(name)] != '-';
		if (!there)
			unit_note("roc.1 lacks %s", name);
		CU_ASSERT_TRUE(there);
	}
	free(page);
}

static void pages_have_tools(void)
{
	unsigned int pages = 0, count = 0;
	struct dirent *entry;
	DIR *dir = opendir("Documentation/man");

	UNIT_NEED(dir);
	while (tools[count])
		count++;
	while ((entry = readdir(dir))) {
		char *dot = strrchr(entry->d_name, '.');

		if (strncmp(entry->d_name, "roc-", 4) || !dot || strcmp(dot, ".1"))
			continue;
		*dot = '\0';
		if (!tool_find(entry->d_name))
			unit_note("%s.1 has no tool", entry->d_name);
		CU_ASSERT_PTR_NOT_NULL(tool_find(entry->d_name));
		pages++;
	}
	closedir(dir);
	UNIT_EQ(pages, count);
	CU_ASSERT_PTR_NOT_NULL(tool_find("bench-dma"));
	CU_ASSERT_PTR_NULL(tool_find("roc-"));
}

UNIT_MAIN("utils options", {"fallbacks", fallbacks}, {"options given", given},
	  {"prefixes", prefixes}, {"unabbreviated names", full_names},
	  {"options that change a card", options_that_change_a_card}, {"empty link mask", no_link},
	  {"help and version", help_and_version}, {"mistakes", mistakes},
	  {"option given twice", twice}, {"option that needs another one", with_another},
	  {"no minimum without a maximum", limits_are_two}, {"a word", a_word},
	  {"word with POSIXLY_CORRECT", a_word_of_posix}, {"options of an action", for_a_word},
	  {"numbers are decimal", numbers_are_decimal},
	  {"zero time is rejected", no_time_is_refused},
	  {"choices ignore case", choices_in_any_case},
	  {"all tools accept --no-display", all_have_no_display},
	  {"manual pages and help agree", manual_pages},
	  {"manual pages and tools agree", pages_have_tools},
	  {"the overview page lists all tools", page_of_all})
