// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test packed blocks of events: written blocks read back, in one segment and in several, and
 * inconsistent ones are rejected. The fuzzer's corpus is made and run here.
 */
#include <dirent.h>
#include <errno.h>

#include "unit.h"

#include "tests/fuzz/mep.c"

#define CORPUS "tests/fuzz/corpus/mep/"
#define FRAGMENTS 5
#define BLOCK 7

static unsigned char mfp[4096], mep_text[16384];

static unsigned char byte_of(unsigned int source, unsigned int i, uint64_t at)
{
	return (unsigned char)(source * 31 + i * 7 + at);
}

/* Make an MFP with events 0, 2, 3, 6, 7 of eight; some fragments have odd sizes. */
static uint64_t make(unsigned char *to, uint32_t source)
{
	static const uint32_t offsets[FRAGMENTS] = {0, 2, 3, 6, 7};
	static const uint32_t bytes[FRAGMENTS] = {13, 0, 64, 129, 3};
	struct roc_mfp head = {.block = BLOCK,
			       .first_event = BLOCK * 8,
			       .time = 99,
			       .events = 8,
			       .count = FRAGMENTS,
			       .source = source,
			       .epoch = 4,
			       .flags = ROC_MFP_GAPS,
			       .content = 3};
	uint64_t at = roc_mfp_data(FRAGMENTS), k;
	unsigned int i;

	memset(to, 0, sizeof(mfp));
	for (i = 0; i < FRAGMENTS; i++) {
		struct roc_mfp_entry e = {.offset = offsets[i], .flags = i == 3, .bytes = bytes[i]};

		roc_mfp_put_entry(to, i, &e);
		for (k = 0; k < bytes[i]; k++)
			to[at + k] = byte_of(source, i, k);
		at += i + 1 < FRAGMENTS ? roc_mep_padded(bytes[i]) : bytes[i];
	}
	head.bytes = at;
	roc_mfp_put(to, &head);
	return at;
}

static void fragment_is(const struct roc_mfp_fragment *f, unsigned int source, unsigned int i)
{
	unsigned char text[256];
	uint64_t k;

	UNIT_NEED(f->bytes <= sizeof(text));
	UNIT_EQ(roc_mfp_copy(f, text, sizeof(text)), f->bytes);
	for (k = 0; k < f->bytes; k++)
		CU_ASSERT_EQUAL_FATAL(text[k], byte_of(source, i, k));
	if (f->data && f->bytes)
		UNIT_EQ(memcmp(f->data, text, f->bytes), 0);
}

static void in_pieces_of(uint64_t bytes, size_t piece)
{
	static const uint64_t events[FRAGMENTS] = {56, 58, 59, 62, 63};
	struct iovec segments[sizeof(mfp)];
	struct roc_mfp_view view;
	struct roc_mfp_walk walk;
	struct roc_mfp_fragment f;
	unsigned int n, i;

	for (n = 0; n * piece < bytes; n++)
		segments[n] = (struct iovec){
			.iov_base = mfp + n * piece,
			.iov_len = bytes - n * piece < piece ? bytes - n * piece : piece};
	UNIT_EQ(roc_mfp_open(&view, segments, n), 0);
	UNIT_EQ(view.head.block, BLOCK);
	UNIT_EQ(view.head.time, 99);
	UNIT_EQ(view.head.epoch, 4);
	UNIT_EQ(view.head.source, 1);
	UNIT_EQ(view.head.content, 3);
	roc_mfp_begin(&walk, &view);
	for (i = 0; roc_mfp_next(&walk, &f) > 0; i++) {
		UNIT_NEED(i < FRAGMENTS);
		UNIT_EQ(f.event, events[i]);
		UNIT_EQ(f.flags, i == 3);
		fragment_is(&f, 1, i);
	}
	UNIT_EQ(i, FRAGMENTS);
}

static void pieces(void)
{
	static const size_t sizes[] = {1, 3, 16, 64, 100, 128, 4096};
	uint64_t bytes = make(mfp, 1);
	size_t i;

	UNIT_EQ(memcmp(mfp, "RMFP\1\0\0\0\7\0\0\0\0\0\0\0\x38", 17), 0);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		in_pieces_of(bytes, sizes[i]);
}

static int open_with(size_t at, unsigned char value, uint64_t cut)
{
	uint64_t bytes = make(mfp, 1);
	struct iovec whole = {.iov_base = mfp, .iov_len = bytes - cut};
	struct roc_mfp_view view;
	int ret;

	mfp[at] = value;
	ret = roc_mfp_open(&view, &whole, 1);
	if (ret == -EPROTONOSUPPORT)
		UNIT_EQ(view.head.count, value);
	return ret;
}

static void contradictions(void)
{
	UNIT_EQ(open_with(0, 'X', 0), -EPROTO);
	UNIT_EQ(open_with(4, 2, 0), -EPROTONOSUPPORT);
	UNIT_EQ(open_with(0, 'R', 1), -EMSGSIZE);
	UNIT_EQ(open_with(0, 'R', 320), -EMSGSIZE);
	UNIT_EQ(open_with(39, 1, 0), -EBADMSG);		       /* bytes */
	UNIT_EQ(open_with(32, 63, 0), -EBADMSG);	       /* too few bytes */
	UNIT_EQ(open_with(40, 4, 0), -EBADMSG);		       /* fewer events than fragments */
	UNIT_EQ(open_with(44, 4, 0), -EBADMSG);		       /* data without a fragment */
	UNIT_EQ(open_with(ROC_MFP_HEAD + 16, 0, 0), -EBADMSG); /* the same event twice */
	UNIT_EQ(open_with(ROC_MFP_HEAD + 64, 8, 0), -EBADMSG); /* an event of the next block */
	UNIT_EQ(open_with(ROC_MFP_HEAD + 48 + 8, 255, 0), -EBADMSG); /* longer than the data */
	UNIT_EQ(open_with(ROC_MFP_HEAD + 48 + 15, 255, 0), -EBADMSG);
}

/* Make a MEP with three sources, one of which is missing; the third has its own events. */
static uint64_t make_mep(void)
{
	static struct roc_mep_source sources[3];
	static struct iovec segment;
	uint64_t bytes = make(mfp, 0), at;
	struct roc_mep m = {.block = BLOCK,
			    .first_event = BLOCK * 8,
			    .events = 8,
			    .epoch = 4,
			    .flags = ROC_MEP_INCOMPLETE,
			    .count = 3,
			    .sources = sources};
	unsigned int i;

	segment = (struct iovec){.iov_base = mfp, .iov_len = bytes};
	for (i = 0; i < 3; i++) {
		snprintf(sources[i].name, sizeof(sources[i].name), "node%u", i);
		sources[i].state = i == 1 ? ROC_MEP_MISSING : ROC_MEP_HERE;
		if (i != 1)
			UNIT_EQ(roc_mfp_open(&sources[i].view, &segment, 1), 0);
	}
	memset(mep_text, 0, sizeof(mep_text));
	at = roc_mep_put(mep_text, &m);
	for (i = 0; i < 3; i += 2) {
		make(mep_text + at, i);
		at += roc_mep_padded(bytes);
	}
	UNIT_EQ(at, roc_mep_bytes(&m));
	return at;
}

static void events_of_all_sources(void)
{
	static const uint64_t ids[FRAGMENTS] = {56, 58, 59, 62, 63};
	struct roc_mep_source sources[3];
	struct iovec segments[3];
	struct roc_mep_events *events;
	struct roc_mep_event e;
	struct roc_mep m;
	uint64_t bytes = make_mep();
	unsigned int i;

	UNIT_EQ(roc_mep_open(&m, mep_text, bytes, sources, segments, 2), -ENOSPC);
	UNIT_EQ(m.count, 3);
	UNIT_EQ(roc_mep_open(&m, mep_text, bytes - 1, sources, segments, 3), -EMSGSIZE);
	UNIT_EQ(m.handle, bytes);
	UNIT_EQ(roc_mep_open(&m, mep_text, bytes, sources, segments, 3), 0);
	UNIT_STR(m.sources[1].name, "node1");
	UNIT_EQ(m.sources[1].state, ROC_MEP_MISSING);
	UNIT_EQ(m.flags, ROC_MEP_INCOMPLETE);
	UNIT_EQ(roc_mep_events_new(0, &events), -EINVAL);
	UNIT_EQ(roc_mep_events_new(2, &events), 0);
	UNIT_EQ(roc_mep_events_begin(events, &m), -ENOSPC);
	roc_mep_events_free(events);
	UNIT_EQ(roc_mep_events_new(3, &events), 0);
	UNIT_EQ(roc_mep_events_begin(events, &m), 0);
	for (i = 0; roc_mep_events_next(events, &e) > 0; i++) {
		UNIT_NEED(i < FRAGMENTS);
		UNIT_EQ(e.event, ids[i]);
		UNIT_EQ(e.here, 2);
		UNIT_EQ(e.count, 3);
		CU_ASSERT_PTR_NULL(e.fragments[1].view);
		UNIT_EQ(e.fragments[2].source, 2);
		fragment_is(&e.fragments[0], 0, i);
		fragment_is(&e.fragments[2], 2, i);
	}
	UNIT_EQ(i, FRAGMENTS);
	roc_mep_events_free(events);
}

/* One source lacks event 58, the others have it. Event ids wrap around. */
static void gaps_and_wrap(void)
{
	struct roc_mep_source sources[3];
	struct iovec segments[3];
	struct roc_mep_events *events;
	struct roc_mep_event e;
	struct roc_mep m;
	uint64_t bytes = make_mep(), first = UINT64_MAX - 3;
	unsigned char *second =
		mep_text + ROC_MEP_HEAD + 3 * ROC_MEP_ENTRY + roc_mep_padded(make(mfp, 0));
	unsigned int i, two = 0, one = 0;

	second[ROC_MFP_HEAD + 16] = 1; /* 57 */
	memcpy(mep_text + 16, &first, 8);
	memcpy(second + 16, &first, 8);
	memcpy(mep_text + ROC_MEP_HEAD + 3 * ROC_MEP_ENTRY + 16, &first, 8);
	UNIT_EQ(roc_mep_open(&m, mep_text, bytes, sources, segments, 3), 0);
	UNIT_EQ(roc_mep_events_new(3, &events), 0);
	UNIT_EQ(roc_mep_events_begin(events, &m), 0);
	for (i = 0; roc_mep_events_next(events, &e) > 0; i++) {
		two += e.here == 2;
		one += e.here == 1;
		if (i == 1)
			CU_ASSERT_PTR_NULL(e.fragments[0].view);
		if (i == 2)
			CU_ASSERT_PTR_NULL(e.fragments[2].view);
		if (i == FRAGMENTS)
			UNIT_EQ(e.event, 3);
	}
	UNIT_EQ(two, 4);
	UNIT_EQ(one, 2);
	roc_mep_events_free(events);
}

static void wrong_meps(void)
{
	static const struct {
		size_t at;
		unsigned char value;
		int ret;
	} wrong[] = {
		{0, 'x', -EPROTO},
		{4, 9, -EPROTONOSUPPORT},
		{40, 9, -EBADMSG}, /* events */
		{8, 9, -EBADMSG},  /* block */
		{47, 1, -EBADMSG}, /* sources */
		{ROC_MEP_HEAD + ROC_MEP_NAME - 1, 'x', -EBADMSG},
		{ROC_MEP_HEAD + ROC_MEP_NAME, 3, -EBADMSG},
		{ROC_MEP_HEAD + ROC_MEP_NAME, 2, -EBADMSG},
		{ROC_MEP_HEAD + ROC_MEP_NAME + 10, 2, -EBADMSG},
		{ROC_MEP_HEAD + 3 * ROC_MEP_ENTRY + 4, 2, -EPROTONOSUPPORT},
	};
	struct roc_mep_source sources[3];
	struct iovec segments[3];
	struct roc_mep m;
	uint64_t bytes;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		bytes = make_mep();
		mep_text[wrong[i].at] = wrong[i].value;
		UNIT_EQ(roc_mep_open(&m, mep_text, bytes, sources, segments, 3), wrong[i].ret);
	}
	UNIT_EQ(roc_mep_open(&m, mep_text, 63, sources, segments, 3), -EMSGSIZE);
}

static void run_changed(const unsigned char *text, size_t size)
{
	static unsigned char work[sizeof(mep_text) + 1];
	unsigned int n, k;

	for (n = 0; n < 3000; n++) {
		size_t cut = size;

		memcpy(work, text, size);
		for (k = (unsigned int)random() % 4; k; k--)
			work[1 + (size_t)random() % (size < 400 ? size - 1 : 400)] =
				(unsigned char)random();
		if (!(random() % 4))
			cut = (size_t)random() % size + 1;
		LLVMFuzzerTestOneInput(work, cut);
	}
}

/* If $ROC_CORPUS is set, write the corpus there. */
static void keep(const char *name, const unsigned char *text, size_t size)
{
	char path[512];
	FILE *f;

	if (!getenv("ROC_CORPUS"))
		return;
	snprintf(path, sizeof(path), "%s/%s", getenv("ROC_CORPUS"), name);
	f = fopen(path, "wb");
	UNIT_NEED(f && fwrite(text, 1, size, f) == size && !fclose(f));
}

static void changed(void)
{
	static const unsigned char piece[] = {1, 16, 64, 100, 255};
	static unsigned char text[sizeof(mep_text) + 1];
	uint64_t bytes = make_mep();
	char name[32];
	size_t i;

	srandom(1);
	memcpy(text + 1, mep_text, bytes);
	text[0] = 0;
	keep("mep", text, bytes + 1);
	run_changed(text, bytes + 1);
	for (i = 0; i < sizeof(piece); i++) {
		bytes = make(text + 1, 1);
		text[0] = piece[i];
		snprintf(name, sizeof(name), "mfp_%u", piece[i]);
		keep(name, text, bytes + 1);
		run_changed(text, bytes + 1);
	}
}

static void corpus(void)
{
	static unsigned char text[65536];
	DIR *folder = opendir(CORPUS);
	struct dirent *entry;
	unsigned int count = 0;
	char path[512];
	size_t size;
	FILE *in;

	UNIT_NEED(folder);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), CORPUS "%s", entry->d_name);
		in = fopen(path, "rb");
		UNIT_NEED(in);
		size = fread(text, 1, sizeof(text), in);
		fclose(in);
		LLVMFuzzerTestOneInput(text, size);
		count++;
	}
	closedir(folder);
	CU_ASSERT_TRUE(count >= 6);
}

UNIT_MAIN("packed blocks of events", {"pieces", pieces}, {"contradictions", contradictions},
	  {"events_of_all_sources", events_of_all_sources}, {"gaps_and_wrap", gaps_and_wrap},
	  {"wrong_meps", wrong_meps}, {"changed", changed}, {"corpus", corpus})
