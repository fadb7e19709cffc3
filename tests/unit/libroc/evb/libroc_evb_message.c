// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Encoding of messages between nodes: the layouts of the protocol page, and random input with the
 * fuzzer's own code. This program also writes the corpus of the fuzzer.
 */
#include <dirent.h>

#include "unit.h"

#include "tests/fuzz/evb_message.c"

#define CORPUS "tests/fuzz/corpus/evb_message/"

static struct evb_greeting valid_greeting(void)
{
	return (struct evb_greeting){
		.version = EVB_VERSION,
		.layout = ROC_MEP_VERSION,
		.events = 8,
		.in_flight = 4,
		.name_bytes = 16,
		.region_count = 2,
		.segments = 6,
		.per_region = 3,
		.segment = 4096,
		.mfp_max = 9000,
		.incarnation = 0x1122334455667788,
		.system = "roc",
		.name = "node1",
		.to = "node0",
		.provider = "tcp",
		.regions = {{1, 2, 12288}, {3, 4, 12288}},
	};
}

static void layouts(void)
{
	unsigned char text[EVB_GREETING];
	struct evb_greeting g = valid_greeting(), h;
	struct evb_message
		m = {.type = EVB_HAVE, .count = 1, .number = 7, .a = 1, .b = 2, .c = 3, .d = 4},
		n;
	struct evb_piece p = {.region = 5, .offset = 6, .bytes = 7}, q;
	struct evb_segment s = {.block = 9, .mfp_bytes = 5000, .bytes = 968, .part = 1, .parts = 2},
			   t;

	evb_put_greeting(text, &g);
	UNIT_EQ(memcmp(text, "ROC-EVB\0\1\0\0\0\0\x10\0\0", 16), 0);
	UNIT_EQ(text[72], 0x88);
	UNIT_EQ(memcmp(text + 160, "node1", 6), 0);
	UNIT_EQ(text[1024 + 24], 3);
	UNIT_EQ(evb_get_greeting(text, &h), EVB_GOOD);
	UNIT_EQ(memcmp(&g, &h, sizeof(g)), 0);
	g.segments = 7;
	evb_put_greeting(text, &g);
	UNIT_EQ(evb_get_greeting(text, &h), EVB_MALFORMED);
	g.segments = 6;
	g.regions[1].bytes--;
	evb_put_greeting(text, &g);
	UNIT_EQ(evb_get_greeting(text, &h), EVB_MALFORMED);
	/* Regions of commands cannot be accessed by a peer, but the greeting still lists them. */
	g = valid_greeting();
	g.protocol = ROC_EVB_COMMAND;
	g.regions[0].key = g.regions[1].key = 0;
	evb_put_greeting(text, &g);
	UNIT_EQ(evb_get_greeting(text, &h), EVB_GOOD);
	g.region_count = 0;
	evb_put_greeting(text, &g);
	UNIT_EQ(evb_get_greeting(text, &h), EVB_MALFORMED);
	g = valid_greeting();
	strcpy(g.name, "\033[2J");
	evb_put_greeting(text, &g);
	UNIT_EQ(evb_get_greeting(text, &h), EVB_MALFORMED);

	UNIT_EQ(evb_put_message(text, &m), EVB_HEAD + EVB_PIECE);
	evb_put_piece(text, 0, &p);
	CU_ASSERT_TRUE(evb_get_message(text, EVB_HEAD + EVB_PIECE, &n));
	UNIT_EQ(n.number, 7);
	UNIT_EQ(n.d, 4);
	evb_get_piece(&n, 0, &q);
	UNIT_EQ(memcmp(&p, &q, sizeof(p)), 0);
	CU_ASSERT_FALSE(evb_get_message(text, EVB_HEAD + EVB_PIECE - 1, &n));
	text[8] = 2;
	CU_ASSERT_FALSE(evb_get_message(text, EVB_HEAD + EVB_PIECE, &n));

	evb_put_segment(text, &s);
	CU_ASSERT_TRUE(evb_get_segment(text, 4032, &t));
	UNIT_EQ(memcmp(&s, &t, sizeof(s)), 0);
	CU_ASSERT_FALSE(evb_get_segment(text, 4031, &t));
	s.part = 2;
	evb_put_segment(text, &s);
	CU_ASSERT_FALSE(evb_get_segment(text, 4032, &t));
}

/* Write an entry of the corpus to the folder $ROC_CORPUS. */
static void write_corpus(const char *name, const unsigned char *text, size_t size)
{
	char path[512];
	FILE *f;

	if (!getenv("ROC_CORPUS"))
		return;
	snprintf(path, sizeof(path), "%s/%s", getenv("ROC_CORPUS"), name);
	f = fopen(path, "wb");
	UNIT_NEED(f && fwrite(text, 1, size, f) == size && !fclose(f));
}

static void fuzz_variants(const char *name, const unsigned char *text, size_t size, size_t heads)
{
	static unsigned char work[EVB_GREETING + 1];
	unsigned int n, k;

	write_corpus(name, text, size);
	for (n = 0; n < 4000; n++) {
		size_t cut = size;

		memcpy(work, text, size);
		for (k = (unsigned int)random() % 4; k; k--)
			work[1 + (size_t)random() % heads] = (unsigned char)random();
		if (!(random() % 4))
			cut = (size_t)random() % size + 1;
		LLVMFuzzerTestOneInput(work, cut);
	}
}

static void random_bytes(void)
{
	static unsigned char text[EVB_GREETING + 1];
	struct evb_greeting g = valid_greeting();
	struct evb_segment s = {.block = 9, .mfp_bytes = 5000, .bytes = 968, .part = 1, .parts = 2};
	unsigned int type;
	char name[32];

	srandom(1);
	text[0] = 0;
	evb_put_greeting(text + 1, &g);
	fuzz_variants("greeting", text, sizeof(text), 1072);
	memset(text, 0, sizeof(text));
	text[0] = 1;
	evb_put_segment(text + 1, &s);
	fuzz_variants("segment", text, 1 + EVB_SEGMENT_HEAD, EVB_SEGMENT_HEAD);
	for (type = EVB_BEAT; type < EVB_TYPES; type++) {
		struct evb_message m = {.type = type, .count = 3, .a = 5, .b = 6};
		size_t bytes = evb_put_message(text + 1, &m);

		text[0] = 2;
		snprintf(name, sizeof(name), "message_%u", type);
		fuzz_variants(name, text, 1 + bytes, bytes);
	}
}

static void corpus(void)
{
	static unsigned char text[65536];
	DIR *folder = opendir(CORPUS);
	struct dirent *entry;
	unsigned int count = 0;
	char path[512];
	FILE *in;

	UNIT_NEED(folder);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), CORPUS "%s", entry->d_name);
		in = fopen(path, "rb");
		UNIT_NEED(in);
		LLVMFuzzerTestOneInput(text, fread(text, 1, sizeof(text), in));
		fclose(in);
		count++;
	}
	closedir(folder);
	CU_ASSERT_TRUE(count >= 10);
}

UNIT_MAIN("event building, messages", {"layouts", layouts}, {"random bytes", random_bytes},
	  {"corpus", corpus})
