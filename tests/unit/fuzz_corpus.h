/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run a fuzzer's corpus, unchanged and with some bytes changed; `make fuzz` does so for longer,
 * with clang. Included after unit.h and the fuzzer's target, with the directory of the corpus as
 * CORPUS.
 */
#ifndef ROC_UNIT_FUZZ_CORPUS_H
#define ROC_UNIT_FUZZ_CORPUS_H

#include <dirent.h>

#define FILES_MAX 256
#define FILE_MAX 4096
#define CHANGES 2000 /* of each file */

static struct {
	uint8_t bytes[FILE_MAX];
	size_t size;
} files[FILES_MAX];
static unsigned int count;

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Load the files sorted by name, so that the changes are reproducible. */
static void load(void)
{
	struct dirent **names;
	int found = scandir(CORPUS, &names, visible, alphasort), i;
	char path[512];
	FILE *in;

	UNIT_NEED(found >= 0 && found <= FILES_MAX);
	count = 0;
	for (i = 0; i < found; i++) {
		snprintf(path, sizeof(path), CORPUS "%s", names[i]->d_name);
		free(names[i]);
		in = fopen(path, "rb");
		UNIT_NEED(in);
		files[count].size = fread(files[count].bytes, 1, FILE_MAX, in);
		fclose(in);
		count++;
	}
	free(names);
}

/* Run the whole corpus, which must have at least @least files. */
static void corpus_is_run(unsigned int least)
{
	unsigned int i;

	load();
	CU_ASSERT_TRUE(count >= least);
	for (i = 0; i < count; i++)
		LLVMFuzzerTestOneInput(files[i].bytes, files[i].size);
}

static uint32_t seed = 1;

static uint32_t next(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

/* Change a few bytes, a length or a count by one, or truncate the data. */
static void changed(void)
{
	static const uint8_t values[] = {0, 1, 2, 3, 16, 24, 32, 63, 64, 127, 128, 254, 255};
	static uint8_t work[FILE_MAX];
	unsigned int i, n, k;
	size_t size;

	load();
	for (i = 0; i < count; i++) {
		for (n = 0; n < CHANGES && files[i].size; n++) {
			size = files[i].size;
			memcpy(work, files[i].bytes, size);
			for (k = next(4); k; k--) {
				uint8_t *at = &work[next((uint32_t)size)];

				*at = next(2) ? values[next(sizeof(values))]
					      : (uint8_t)(*at + next(3) - 1);
			}
			if (!next(4))
				size = next((uint32_t)size + 1);
			LLVMFuzzerTestOneInput(work, size);
		}
	}
	unit_note("%u files, %u inputs", count, count * CHANGES);
}

#endif
