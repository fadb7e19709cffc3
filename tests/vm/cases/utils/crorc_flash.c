// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test roc-flash and roc-flash-read on an emulated C-RORC: serial number, refusals before any
 * write, and messages when it stops half-way.
 */
#include "common/case.h"

#include <sys/stat.h>

#define ID "--id=1003 "
#define IMAGE_WORDS 4616222

static uint64_t writes(void)
{
	return emu_count(CRORC0, 0, "mmio_writes");
}

static void enter(void)
{
	tool_enter("/tmp/crorc");
	emu(CRORC0, "fault all clear");
	emu(CRORC0, "set link-state up");
	emu(CRORC0, "clear");
}

static void make_image(void)
{
	FILE *f = fopen("image.txt", "we");
	uint32_t i;

	UNIT_NEED(f);
	for (i = 0; i < IMAGE_WORDS; i++)
		fprintf(f, "%u\n", i % 7);
	UNIT_EQ(fclose(f), 0);
}

static void flash_serial(void)
{
	uint64_t erases = emu_count(CRORC0, 0, "flash_erases");

	ends(0, "roc-flash-read " ID "--address=0x470010 --words=3");
	OUTPUT_HAS("8240 1\n"); /* " 0" and ready */
	ends(1, "roc-flash " ID "--serial=1234 < /dev/null");
	OUTPUT_HAS("use --confirm=1003");
	ends(1, "roc-flash " ID "--serial=1234 --confirm=1002");
	OUTPUT_HAS("Nothing was written");
	ends(0, "roc-flash " ID "--serial=1234 --dry-run");
	UNIT_EQ(emu_count(CRORC0, 0, "flash_erases"), erases);
	ends(0, "roc-flash " ID "--serial=1234 --confirm=1003 --json");
	CU_ASSERT(json_is(json_get(out, "state"), "good"));
	UNIT_EQ(emu_count(CRORC0, 0, "flash_erases"), erases + 1);
	ends(0, "roc-flash-read " ID "--address=0x470010 --words=3 --json");
	CU_ASSERT(json_valid(out));
	UNIT_EQ(json_number(json_at(json_get(out, "words"), 1)), '1' << 8 | '2');
	UNIT_EQ(json_number(json_at(json_get(out, "words"), 2)), '3' << 8 | '4');
	ends(1, "as-user reader roc-flash " ID "--serial=1 --confirm=1003");
	OUTPUT_HAS("CAP_SYS_RAWIO");
	OUTPUT_HAS("unchanged, nothing was erased or written");
	ends(0, "roc-flash " ID "--serial=1003 --confirm=1003");
}

/* True if the file exists and is not empty. */
static bool written(const char *file)
{
	struct stat st;

	return !stat(file, &st) && st.st_size > 0;
}

static void flash_image(void)
{
	uint64_t before, erases;

	make_image();
	emu(CRORC0, "clear");
	before = emu_count(CRORC0, 0, "flash_erases");
	ends(0, "roc-flash " ID "--file=image.txt --dry-run");
	ends(1,
	     "head -1000 image.txt > short.txt; roc-flash " ID "--file=short.txt --confirm=1003");
	OUTPUT_HAS("has 1000 words, but an image of this card has 4616222");
	ends(1, "roc-flash " ID "--file=/bin/sh --confirm=1003");
	OUTPUT_HAS("not a number");
	UNIT_EQ(emu_count(CRORC0, 0, "flash_erases"), before);
	UNIT_EQ(writes(), 0);
	/* Stopped in the middle: it reports that, and leaves the chips readable. */
	ends(0,
	     "{ roc-flash " ID
	     "--file=image.txt --confirm=1003 & echo $! > pid; wait $!; echo $? > code; } > output.txt 2>&1 &");
	CU_ASSERT(UNIT_WAIT(emu_count(CRORC0, 0, "flash_erases") > before, TOOL_LIMIT));
	CU_ASSERT(UNIT_WAIT(written("pid"), TOOL_LIMIT));
	ends(0, "kill -TERM $(cat pid)");
	CU_ASSERT(UNIT_WAIT(written("code"), TOOL_LIMIT));
	ends(1, "cat output.txt; exit $(cat code)");
	OUTPUT_HAS("State of the flash: ");
	OUTPUT_HAS("DO NOT power off the server");
	OUTPUT_HAS("roc-flash --id=");
	erases = emu_count(CRORC0, 0, "flash_erases");
	CU_ASSERT(erases > before);
	ends(0, "roc-flash-read " ID "--words=1");
	ends(1, "roc-flash " ID "--file=image.txt --verify");
	UNIT_EQ(emu_count(CRORC0, 0, "flash_erases"), erases);
	/* A failing chip is reported. */
	emu(CRORC0, "fault 0 flash-fail 0 1");
	ends(1, "roc-flash " ID "--file=image.txt --confirm=1003");
	OUTPUT_HAS("erase failed");
	OUTPUT_HAS("DO NOT power off the server");
	emu(CRORC0, "fault 0 clear");
	unlink("image.txt");
}

UNIT_MAIN("crorc_flash", {"enter", enter}, {"serial number", flash_serial}, {"image", flash_image})
