// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test building events from three card types: a readout unit with a CRU's channel, one with a
 * PCIe40's stream, one with a RobinNP's sub-unit, and two builders. Each byte in their files must
 * be what the cards' generators make for that event, and each fragment must be in the files once.
 */
#include "common/case.h"

#include <roc/mep.h>

#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmod/fragment/fragment_data.h"
#include "kmod/stream/stream_packet.h"
#include "utils/check/rdh.h"

/* The cards of this guest, each with its number, which follows from its place. */
#define CRU "245"
#define P40 "4002"
#define ROBINNP "6003"
#define P40_CARD 1u
#define ROBINNP_CARD 2u

#define RATE 100	  /* events/s of the slowest source, at usual speed */
#define PAYLOAD 512u	  /* bytes of a CRU's packet that is not the last of its orbit */
#define ORBIT_PACKETS 2u  /* of a link; the last one is empty */
#define BLOCKS 25	  /* complete blocks that each builder must have */
#define PATIENCE_MS 30000 /* time limit for those */

/* The error in the data of a fragment, or NULL. */
typedef const char *check_fn(const struct roc_mfp_fragment *f);

static check_fn check_orbit, check_stream, check_links;

static struct source {
	const char *name;
	check_fn *look;
	uint64_t fragments, bytes, damaged;
	const char *wrong;
	uint64_t wrong_event;
} sources[] = {
	{.name = "cru", .look = check_orbit},
	{.name = "p40", .look = check_stream},
	{.name = "rob", .look = check_links},
};

/* In the order of their start: only a CRU does not wait for the builders. */
static struct {
	const char *name, *ends;
	pid_t pid;
} nodes[] = {
	{.name = "b1", .ends = "--sink=file:files"},
	{.name = "b2", .ends = "--sink=file:files"},
	{.name = "rob",
	 .ends = "--source=card:id=" ROBINNP ",sub=sub1,buffer=4Mi,links=6,hold=60s"},
	{.name = "p40", .ends = "--source=card:id=" P40 ",stream=main,buffer=4Mi,superpage=64Ki"},
	{.name = "cru",
	 .ends = "--source=card:id=" CRU ":0,buffer=64Mi,superpage=64Ki,links=4,hold=60s"},
};
#define BUILDERS 2

static int64_t source_of_stream;

static uint32_t word(const void *at)
{
	uint32_t w;

	memcpy(&w, at, sizeof(w));
	return le32toh(w);
}

/* Words that count up from @first; the last one may be incomplete. */
static bool counts(const unsigned char *at, uint64_t size, uint32_t first)
{
	uint64_t i;
	uint32_t w;

	for (i = 0; i < size; i += 4, first++) {
		w = htole32(first);
		if (memcmp(at + i, &w, size - i < 4 ? size - i : 4))
			return false;
	}
	return true;
}

/* Packets of an orbit, of all links: headers, and the generator's counter behind each. */
static const char *check_orbit(const struct roc_mfp_fragment *f)
{
	const unsigned char *at = f->data, *end = at + f->bytes;
	uint32_t size, i, counter;

	for (; at < end; at += rdh_offset_next(at)) {
		size = rdh_memory_size(at);
		if (end - at < RDH_SIZE || rdh_header_size(at) != RDH_SIZE || size < RDH_SIZE ||
		    size > end - at || rdh_offset_next(at) < size)
			return "no packet";
		if (rdh_orbit(at) != (uint32_t)f->event)
			return "a packet of another orbit";
		counter = rdh_orbit(at) * (PAYLOAD / 16);
		for (i = RDH_SIZE; i + 16 <= size; i += 16, counter++) {
			if (word(at + i) != counter || word(at + i + 4) != counter ||
			    word(at + i + 8) != (counter & 0xffff) || word(at + i + 12))
				return "a word of a packet";
		}
	}
	return NULL;
}

/* An event's data of a stream; its first fragment has the stream's number. */
static const char *check_stream(const struct roc_mfp_fragment *f)
{
	uint32_t source;

	if (f->bytes < 4)
		return NULL;
	for (source = 0; source_of_stream < 0 && source <= UINT16_MAX; source++) {
		if (stream_pattern((uint16_t)source, f->event) == word(f->data))
			source_of_stream = source;
	}
	return source_of_stream >= 0 && counts(f->data, f->bytes,
					       stream_pattern((uint16_t)source_of_stream, f->event))
		       ? NULL
		       : "a word of a fragment";
}

/* An event's fragments of a sub-unit's links, one behind the other. */
static const char *check_links(const struct roc_mfp_fragment *f)
{
	const unsigned char *at = f->data;
	uint64_t left = f->bytes;
	uint32_t size;

	for (; left; at += size, left -= size) {
		const struct fragment_header *h = (const void *)at;

		size = left < sizeof(*h) ? 0 : word(&h->size);
		if (size < sizeof(*h) || size > left || word(&h->magic) != FRAGMENT_MAGIC ||
		    word(&h->event) != (uint32_t)f->event)
			return "no fragment of a link";
		if (!counts(at + sizeof(*h), size - sizeof(*h),
			    fragment_pattern(word(&h->source), word(&h->event))))
			return "a word of a link's fragment";
	}
	return NULL;
}

static void check_fragment(struct source *s, const struct roc_mfp_fragment *f)
{
	const char *wrong;

	s->fragments++;
	s->bytes += f->bytes;
	/* The end may be in the middle of a link's data. */
	if (f->flags & ROC_MFP_DAMAGED) {
		s->damaged++;
		return;
	}
	wrong = f->data ? s->look(f) : "not in one piece";
	if (wrong && !s->wrong) {
		s->wrong = wrong;
		s->wrong_event = f->event;
	}
}

static void check_block(const struct roc_mep *mep)
{
	struct roc_mep_events *walk;
	struct roc_mep_event event;
	unsigned int i, k;

	UNIT_NEED(!roc_mep_events_new(N(sources), &walk));
	UNIT_EQ(roc_mep_events_begin(walk, mep), 0);
	while (roc_mep_events_next(walk, &event) == 1) {
		for (i = 0; i < event.count; i++) {
			for (k = 0; k < N(sources); k++) {
				if (event.fragments[i].view &&
				    !strcmp(mep->sources[i].name, sources[k].name))
					check_fragment(&sources[k], &event.fragments[i]);
			}
		}
	}
	roc_mep_events_free(walk);
}

static void check_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct roc_mep_source in[N(sources)];
	struct iovec segments[N(sources)];
	struct stat st;
	const char *data;
	uint64_t at = 0;
	struct roc_mep mep;

	UNIT_NEED(fd >= 0 && !fstat(fd, &st) && st.st_size > 0);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	UNIT_NEED(data != MAP_FAILED);
	while (at < (uint64_t)st.st_size &&
	       !roc_mep_open(&mep, data + at, (uint64_t)st.st_size - at, in, segments,
			     N(sources))) {
		check_block(&mep);
		at += roc_mep_bytes(&mep);
	}
	UNIT_EQ(at, st.st_size);
	munmap((void *)data, (size_t)st.st_size);
	close(fd);
}

/* Read all written files. */
static void check_files(void)
{
	glob_t found = {0};
	size_t i;

	source_of_stream = -1;
	for (i = 0; i < N(sources); i++) {
		sources[i].fragments = sources[i].bytes = sources[i].damaged = 0;
		sources[i].wrong = NULL;
	}
	UNIT_EQ(glob("files/*.mep", 0, NULL, &found), 0);
	CU_ASSERT(found.gl_pathc >= BUILDERS);
	for (i = 0; i < found.gl_pathc; i++)
		check_file(found.gl_pathv[i]);
	globfree(&found);
}

static int life(void *command)
{
	execl("/bin/sh", "sh", "-c", (const char *)command, NULL);
	return 127;
}

static bool up(unsigned int i)
{
	return !RUN("grep 'is up' %s.note", nodes[i].name);
}

static void begin(void)
{
	char command[512];
	unsigned int i;
	int code;

	code = RUN("printf '[system]\\nname = guest\\nreadouts = 3\\nbuilders = 2\\n"
		   "lease-ms = %u\\n[b1]\\nroles = builder manager\\nhost = 127.0.0.1\\n"
		   "[b2]\\nroles = builder\\nhost = 127.0.0.1\\n' > evb.conf && "
		   "for n in cru p40 rob; do printf \"[$n]\\nroles = readout\\n\" >> evb.conf; "
		   "done && mkdir files && ip link set lo up",
		   patience_ms(2000));
	UNIT_EQ(code, 0);
	for (i = 0; i < N(nodes); i++) {
		/*
		 * A readout unit can be ahead of the others by less than what becomes stale
		 * meanwhile.
		 */
		snprintf(command, sizeof(command),
			 "exec roc-evb node --name=%s --coordinator=static:evb.conf --events=4 "
			 "--fragment=256Ki --mfp=2Mi --in-flight=4 --blocks=8 --stale=20000 "
			 "--patience=60000 "
			 "--json --metrics=%s.prom %s > %s.json 2> %s.note",
			 nodes[i].name, nodes[i].name, nodes[i].ends, nodes[i].name, nodes[i].name);
		nodes[i].pid = child_start(AS_ROOT, life, command);
		UNIT_NEED(UNIT_WAIT(up(i), 10000));
	}
}

static unsigned int complete(unsigned int builder)
{
	return RUN("awk '/^roc_evb_complete_blocks/ {print $2}' %s.prom", nodes[builder].name)
		       ? 0
		       : (unsigned int)strtoul(out, NULL, 10);
}

/* Wait for so many more blocks, each with all of its sources. */
static void build(unsigned int blocks)
{
	unsigned int before[BUILDERS], i;

	for (i = 0; i < BUILDERS; i++)
		before[i] = complete(i);
	for (i = 0; i < BUILDERS; i++)
		CU_ASSERT(UNIT_WAIT(complete(i) >= before[i] + blocks, PATIENCE_MS));
}

/* Stop readout units first: the builders get their remaining data. */
static void end(void)
{
	unsigned int i;
	int code;

	for (i = N(nodes); i-- > 0;) {
		kill(nodes[i].pid, SIGTERM);
		code = child_wait(nodes[i].pid, 40000);
		UNIT_EQ(code, 0);
		if (code && !RUN("tail -n 20 %s.note", nodes[i].name))
			unit_note("%s: %.1000s", nodes[i].name, out);
	}
}

static uint64_t final_report(const char *key)
{
	return json_number(json_get(out, key));
}

static uint64_t counter(const char *key)
{
	return json_number(json_get(json_get(out, "sourceCounters"), key));
}

/* A source's data are in the files, or its node counts what happened to them. */
static void balances(const struct source *s)
{
	uint64_t lost;

	UNIT_EQ(RUN("tail -n 1 %s.json", s->name), 0);
	lost = final_report("droppedEvents") + final_report("unsureEvents") +
	       final_report("unassigned");
	unit_note("%s: %" PRIu64 " fragments, %" PRIu64 " bytes, %" PRIu64 " damaged, %" PRIu64
		  " lost",
		  s->name, s->fragments, s->bytes, s->damaged, lost);
	CU_ASSERT(s->fragments > s->damaged + 4 * BLOCKS);
	UNIT_EQ(s->fragments + lost, counter("events"));
	if (!lost)
		UNIT_EQ(s->bytes, counter("bytes"));
	UNIT_EQ(s->damaged, counter("damaged"));
}

static bool ready(void)
{
	unsigned int rate = (unsigned int)(RATE / slowness()) + 1;
	struct roc_card card;
	int code;

	if (roc_find(CRU, &card) || roc_find(P40, &card) || roc_find(ROBINNP, &card)) {
		unit_skip("this guest has not a card of each kind");
		return false;
	}
	tool_enter("/tmp/build_events");
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set all orbit 0");
	emu(CARD0, "set all packet %u", PAYLOAD);
	emu(CARD0, "set all packets-per-tf %u", ORBIT_PACKETS * CRU_TIME_FRAME_LENGTH_DEFAULT);
	/* A packet takes a page, whatever its size. */
	emu(CARD0, "set all rate %llu", emu_rate(RATE * 4 * ORBIT_PACKETS * CRU_PAGE_SIZE));
	code = RUN(
		"roc-stream reset --id=" P40 " --level=default && roc-stream set --id=" P40
		" --stream=main --generator=distributed --waiting --fragment-min=0 --fragment-max=3000 --first-event=0 --event-rate=%u",
		rate);
	UNIT_EQ(code, 0);
	code = RUN(
		"roc-fragment reset --id=" ROBINNP
		" --level=default && roc-fragment set --id=" ROBINNP
		" --sub=sub1 --generator=distributed --fragment-min=400 --fragment-max=1600 --first-event=0 --event-rate=%u",
		rate);
	UNIT_EQ(code, 0);
	return true;
}

/*
 * The sub-unit is ahead of the others, and keeps events without space: they are not lost. Nor does
 * a source count as lost what its card counted before the source began.
 */
static void nothing_dropped(void)
{
	UNIT_EQ(RUN("sed '$d' rob.json | tail -n 1"), 0); /* the last line may be incomplete */
	UNIT_EQ(counter("dropped"), 0);
	if (!RUN("grep -m 1 '\"epoch\":0' cru.json"))
		UNIT_EQ(counter("dropped"), 0);
}

static void as_sent(void)
{
	unsigned int i;

	if (!ready())
		return;
	begin();
	build(BLOCKS);
	nothing_dropped();
	end();
	check_files();
	for (i = 0; i < N(sources); i++) {
		balances(&sources[i]);
		if (sources[i].wrong)
			unit_note("%s, event %" PRIu64 ": %s", sources[i].name,
				  sources[i].wrong_event, sources[i].wrong);
		CU_ASSERT_PTR_NULL(sources[i].wrong);
	}
}

/* Flip one bit of a few units of each card; no node on the way checks or corrects it. */
static void wrong_bits(void)
{
	unsigned int i;

	if (!ready())
		return;
	begin();
	build(2);
	nothing_dropped();
	emu(CARD0, "fault 0 flip 3");
	emu(P40_CARD, "fault 0 flip 1 3");
	emu(ROBINNP_CARD, "fault 0 flip 2 3");
	build(BLOCKS);
	end();
	check_files();
	for (i = 0; i < N(sources); i++) {
		balances(&sources[i]);
		CU_ASSERT_PTR_NOT_NULL(sources[i].wrong);
	}
	emu_normal(CARD0, FOUR_LINKS);
}

UNIT_MAIN("build events", {"as sent", as_sent}, {"wrong bits", wrong_bits})
