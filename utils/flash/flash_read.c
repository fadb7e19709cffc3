// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-flash-read: print words of a C-RORC's flash, or write them to a file that roc-flash accepts.
 */
#include "flash.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "libroc/board/libroc_replace.h"
#include "utils/common/json.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

struct values {
	struct common_options common;
	const char *id;
	const char *file;
	uint32_t address;
	uint32_t words;
	bool image;
	bool no_display;
	bool json;
};

#define AT(member) .offset = offsetof(struct values, member)

static const struct option_spec options[] = {
	ID_OPTION(struct values),
	{.name = "address",
	 .type = OPTION_NUMBER,
	 AT(address),
	 .arg = "N",
	 .fallback = "0",
	 .help = "Set the first word, decimal or hexadecimal with 0x"},
	{.name = "words",
	 .type = OPTION_NUMBER,
	 AT(words),
	 .arg = "N",
	 .min = 1,
	 .max = ROC_CRORC_FLASH_WORDS,
	 .help = "Set the number of words"},
	FLAG_OPTION(struct values, "image", image, "Read all words of a firmware image"),
	{.name = "file",
	 .type = OPTION_TEXT,
	 AT(file),
	 .arg = "FILE",
	 .help = "Write the words to a file for roc-flash: one word per line"},
	FLAG_OPTION(struct values, "no-display", no_display, "Do not show the progress"),
	JSON_OPTION(struct values),
};

#define CHUNK 4096

/* Destination of the words. */
struct sink {
	const struct values *v;
	FILE *file; /* of --file, or NULL */
	struct json json;
};

static void put(struct sink *s, const uint16_t *words, const uint32_t *ready, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (s->file)
			fprintf(s->file, "%u\n", words[i]);
		else if (s->v->json)
			json_unsigned(&s->json, NULL, words[i]);
		else
			printf("%u %" PRIu32 "\n", words[i], ready[i]);
	}
}

static int copy(const struct values *v, struct flash_card *f, uint32_t total, struct sink *s)
{
	bool show = output_is_live(stderr) && !v->no_display && total > CHUNK;
	static uint32_t ready[CHUNK];
	static uint16_t words[CHUNK];
	uint32_t done, n;
	int code = TOOL_OK;

	for (done = 0; done < total && !code; done += n) {
		n = total - done < CHUNK ? total - done : CHUNK;
		if (stop_requested()) {
			code = tool_fail("Interrupted after %u of %u words.", done, total);
			break;
		}
		if (roc_crorc_flash_read(f->ep, v->address + done, words, ready, n)) {
			code = tool_fail("%s", roc_error());
			break;
		}
		put(s, words, ready, n);
		if (s->file && ferror(s->file)) {
			code = tool_fail("Cannot write %s: %s.", v->file, strerror(errno));
			break;
		}
		if (show)
			output_live(stderr, "Reading: %u %%",
				    (unsigned int)((uint64_t)(done + n) * 100 / total));
	}
	if (show)
		output_live(stderr, "%s", "");
	return code;
}

/*
 * Replace the file only when it is complete: a partial file could be taken for an image. Return an
 * exit code.
 */
static int read_to_file(const struct values *v, struct flash_card *f, uint32_t total)
{
	struct libroc_replacement r;
	struct sink s = {.v = v};
	int code, err = libroc_replace_begin(&r, v->file);

	if (err == -EINVAL)
		return tool_fail("Cannot write %s: not a regular file.", v->file);
	if (err)
		return tool_fail("Cannot write %s: %s.", v->file, strerror(-err));
	s.file = r.file;
	code = copy(v, f, total, &s);
	if (code) {
		libroc_replace_drop(&r);
		return code;
	}
	err = libroc_replace_end(&r);
	if (err)
		return tool_fail("Cannot write %s: %s.", v->file, strerror(-err));
	return TOOL_OK;
}

static int read_to_stdout(const struct values *v, struct flash_card *f, uint32_t total)
{
	struct sink s = {.v = v};
	int code;

	if (v->json) {
		json_start(&s.json, stdout);
		json_object(&s.json, NULL);
		json_unsigned(&s.json, "address", v->address);
		json_array(&s.json, "words");
	}
	code = copy(v, f, total, &s);
	if (v->json) {
		json_array_end(&s.json);
		json_object_end(&s.json);
	}
	return code;
}

static int run(const void *p)
{
	const struct values *v = p;
	uint32_t total = v->image ? ROC_CRORC_IMAGE_WORDS : v->words;
	struct flash_card f;
	int code;

	if (v->image == (v->words != 0) || (v->image && v->address))
		return tool_usage("Use either --words, optionally with --address, or --image.");
	if (v->json && v->file)
		return tool_usage("--file and --json are mutually exclusive.");
	if ((uint64_t)v->address + v->words > ROC_CRORC_FLASH_WORDS)
		return tool_usage(
			"--address and --words: the range exceeds the flash of 0x%x words.",
			ROC_CRORC_FLASH_WORDS);
	code = flash_card_open(v->id, &f);
	if (code)
		return code;
	stop_on_signals();
	code = v->file ? read_to_file(v, &f, total) : read_to_stdout(v, &f, total);
	flash_card_close(&f);
	return code;
}

const struct tool tool_flash_read = {
	.name = "flash-read",
	.summary = "Read words of the flash of a C-RORC",
	.example = "--id=1001 --image --file=backup.txt",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
