// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-flash: write a firmware image or a serial number into a C-RORC's flash.
 *
 * The tool writes nothing before it has validated the image file and the user has confirmed the
 * card. A signal stops it between two flash commands. After every failure it reports the state of
 * the flash and the remedy.
 */
#include "flash.h"

#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/common/card.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

struct values {
	struct common_options common;
	const char *id;
	const char *file;
	uint32_t serial;
	const char *confirm;
	bool compare;
	bool dry;
	bool no_display;
	bool json;
};

#define AT(member) .offset = offsetof(struct values, member)

static const struct option_spec options[] = {
	FULL_ID_OPTION(struct values),
	{.name = "file",
	 .full = true,
	 .type = OPTION_TEXT,
	 AT(file),
	 .arg = "FILE",
	 .help = "Write this firmware image: one decimal 16-bit word per line"},
	{.name = "serial",
	 .full = true,
	 .type = OPTION_NUMBER,
	 AT(serial),
	 .arg = "N",
	 .min = 1,
	 .max = ROC_CRORC_SERIAL_MAX,
	 .help = "Write this serial number instead of an image"},
	FLAG_OPTION(struct values, "verify", compare,
		    "Compare the flash with the file without writing"),
	FLAG_OPTION(struct values, "dry-run", dry,
		    "Check the file, the card and the channels without writing"),
	{.name = "confirm",
	 .full = true,
	 .type = OPTION_TEXT,
	 AT(confirm),
	 .arg = "SERIAL",
	 .help = "Confirm the card by its present serial number instead of a prompt"},
	FLAG_OPTION(struct values, "no-display", no_display, "Do not show the progress"),
	JSON_OPTION(struct values),
};

/* State of the progress display. */
struct watch {
	bool show;
	unsigned int percent; /* last one shown */
	enum roc_crorc_flash_step step;
};

static bool progress(void *context, const struct roc_crorc_flash *now)
{
	static const char *const names[] = {
		[ROC_CRORC_FLASH_IDLE] = "",	       [ROC_CRORC_FLASH_ERASE] = "Erasing",
		[ROC_CRORC_FLASH_PROGRAM] = "Writing", [ROC_CRORC_FLASH_VERIFY] = "Reading back",
		[ROC_CRORC_FLASH_DONE] = "Done",
	};
	struct watch *w = context;
	uint64_t done = now->verified, all = now->words;
	unsigned int percent;

	if (now->step == ROC_CRORC_FLASH_ERASE) {
		done = now->erased;
		all = now->blocks;
	} else if (now->step == ROC_CRORC_FLASH_PROGRAM) {
		done = now->programmed;
	}
	percent = all ? (unsigned int)(done * 100 / all) : 0;
	if (w->show && (percent != w->percent || now->step != w->step)) {
		output_live(stderr, "%s: %u %%", names[now->step], percent);
		w->percent = percent;
		w->step = now->step;
	}
	/* After the last step there is nothing left to stop. */
	return now->step == ROC_CRORC_FLASH_DONE || !stop_requested();
}

static void confirm_name(const struct roc_card *card, char *text, size_t size)
{
	if (card->serial > 0)
		snprintf(text, size, "%d", card->serial);
	else
		snprintf(text, size, "%s", card->pci_address);
}

/* Compare card names; leading zeros of a serial number are ignored. */
static bool same_name(const char *a, const char *b)
{
	while (*a == '0' && isdigit((unsigned char)a[1]) && !strchr(a, ':'))
		a++;
	return !strcmp(a, b);
}

/* Let the user confirm the card that is to be written. Return an exit code. */
static int confirm(const struct values *v, const struct roc_card *card)
{
	char expected[32], answer[64];

	confirm_name(card, expected, sizeof(expected));
	if (v->confirm) {
		if (same_name(v->confirm, expected))
			return TOOL_OK;
		return tool_fail(
			"--confirm=%s does not match the card, which is %s. Nothing was written.",
			v->confirm, expected);
	}
	if (!isatty(STDIN_FILENO))
		return tool_fail(
			"Cannot ask for confirmation without a terminal: use --confirm=%s. Nothing was written.",
			expected);
	fprintf(stderr,
		"The flash of card %s will be %s. Type %s to continue: ", card_called(card, v->id),
		v->file ? "erased and written" : "given a new serial number", expected);
	if (!fgets(answer, sizeof(answer), stdin))
		answer[0] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	if (same_name(answer, expected))
		return TOOL_OK;
	return tool_fail("The answer does not match %s. Nothing was written.", expected);
}

static int check_options(const struct values *v)
{
	if (!v->file == !v->serial)
		return tool_usage("Use either --file or --serial.");
	if (v->compare && (v->serial || v->dry))
		return tool_usage("--verify is only valid with --file and without --dry-run.");
	return TOOL_OK;
}

/* Format the command that repeats the job; without quoting, for the user to read. */
static void repeat_text(const struct values *v, const struct roc_card *card, char *text,
			size_t size)
{
	if (v->file)
		snprintf(text, size, "roc-flash --id=%s --file=%s", card->pci_address, v->file);
	else
		snprintf(text, size, "roc-flash --id=%s --serial=%u", card->pci_address, v->serial);
}

static int work(const struct values *v, struct flash_card *f, const uint16_t *image)
{
	struct watch w = {.show = output_is_live(stderr) && !v->no_display};
	enum flash_job job = v->serial ? FLASH_SERIAL : v->compare ? FLASH_COMPARE : FLASH_IMAGE;
	struct roc_crorc_flash flash = {.step = ROC_CRORC_FLASH_IDLE};
	char reason[1024] = "", command[512], state[1024];
	int err;

	stop_in_order();
	/* A terminal that closes must not stop the job halfway. */
	signal(SIGHUP, SIG_IGN);
	if (job == FLASH_SERIAL)
		err = roc_crorc_serial_write(f->ep, v->serial, &flash);
	else if (job == FLASH_COMPARE)
		err = roc_crorc_flash_compare(f->ep, image, progress, &w, &flash);
	else
		err = roc_crorc_flash_write(f->ep, image, progress, &w, &flash);
	if (err)
		snprintf(reason, sizeof(reason), "%s", roc_error());
	if (w.show)
		output_live(stderr, "%s", "");
	repeat_text(v, &f->card, command, sizeof(command));
	flash_state_text(job, &flash, command, state, sizeof(state));
	if (v->json)
		flash_json(stdout, &f->card, job, &flash, false, err ? reason : NULL);
	else if (!err)
		puts(state);
	if (!err)
		return TOOL_OK;
	tool_note("%s.", reason);
	return tool_fail("%s", state);
}

/* Report that all checks without writing have passed. */
static int dry(const struct values *v, const struct flash_card *f)
{
	const struct roc_crorc_flash none = {.step = ROC_CRORC_FLASH_IDLE};

	if (v->json)
		flash_json(stdout, &f->card, v->serial ? FLASH_SERIAL : FLASH_IMAGE, &none, true,
			   NULL);
	else if (v->file)
		printf("%s is a valid image of %u words for card %s. Nothing was written.\n",
		       v->file, ROC_CRORC_IMAGE_WORDS, card_called(&f->card, v->id));
	else
		printf("Card %s can be given serial number %u. Nothing was written.\n",
		       card_called(&f->card, v->id), v->serial);
	return TOOL_OK;
}

static int run(const void *p)
{
	const struct values *v = p;
	uint16_t *image = NULL;
	struct flash_card f;
	int code;

	code = check_options(v);
	if (code)
		return code;
	if (v->file && roc_crorc_image_load(v->file, &image))
		return tool_fail("%s", roc_error());
	code = flash_card_open(v->id, &f);
	if (code)
		goto out;
	if (v->dry)
		code = dry(v, &f);
	else if (!v->compare)
		code = confirm(v, &f.card);
	if (!code && !v->dry)
		code = work(v, &f, image);
	if (!code && v->serial > 9999)
		tool_note(
			"Note: the card shows only four digits, but this serial number has five.");
	flash_card_close(&f);
out:
	free(image);
	return code;
}

const struct tool tool_flash = {
	.name = "flash",
	.summary = "Write a firmware image or a serial number to the flash of a C-RORC",
	.example = "--id=1001 --file=crorc.txt --dry-run",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
