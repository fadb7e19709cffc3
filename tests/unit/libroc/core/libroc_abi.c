// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Check the ABI and API: sizes of the shared structures, exported symbols, self-contained headers,
 * and a text for every failure reason.
 */
#include <ctype.h>
#include <glob.h>
#include <pthread.h>

#include <roc/crorc.h>
#include <roc/cru.h>
#include <roc/evb_manager.h>
#include <roc/filter.h>
#include <roc/firmware.h>
#include <roc/fragment.h>
#include <roc/fragment_index.h>
#include <roc/idle.h>
#include <roc/lend.h>
#include <roc/mep.h>
#include <roc/p40.h>
#include <roc/packet.h>
#include <roc/robinnp.h>
#include <roc/telemetry.h>

#include "libroc/core/libroc.h"
#include "unit.h"

/*
 * Sizes of the structures of the ABI. A structure of the ioctls may only grow. Then its size here
 * grows, too, but not the size first published, which is in the module's table. 64-bit members are
 * aligned for 32-bit programs as well (__aligned_u64). The structures that the library fills in for
 * programs (roc_ep_info, roc_bar_info, roc_ch_info) must never grow, because the program's may be
 * shorter.
 */
#define FROZEN(name, bytes) _Static_assert(sizeof(struct name) == (bytes), #name " changed")

FROZEN(roc_ep_info, 128);
FROZEN(roc_bar_info, 32);
FROZEN(roc_reg, 32);
FROZEN(roc_ch_info, 304);
FROZEN(roc_fill, 32);
FROZEN(roc_ready, 64);
FROZEN(roc_ring_user, 256);
FROZEN(roc_ring_kernel, 384);
FROZEN(roc_ch_rings, 56);
FROZEN(roc_ch_configure, 24);
FROZEN(roc_ch_control, 16);
FROZEN(roc_ch_wait, 24);
FROZEN(roc_ch_eventfd, 16);
FROZEN(roc_ch_command, 32);
FROZEN(roc_ch_mode, 16);
FROZEN(roc_ch_losses, 32);
FROZEN(roc_buf_register, 56);
FROZEN(roc_buf_unregister, 16);
FROZEN(roc_buf_export, 40);
FROZEN(roc_buf_import, 56);
FROZEN(roc_st_info, 304);
FROZEN(roc_st_user, 128);
FROZEN(roc_st_kernel, 8);
FROZEN(roc_st_card, 32);
FROZEN(roc_st_state, 64);
FROZEN(roc_st_counters, 152);
FROZEN(roc_st_ring, 104);
FROZEN(roc_st_settings, 72);
FROZEN(roc_st_start, 16);
FROZEN(roc_st_stop, 16);
FROZEN(roc_st_consume, 16);
FROZEN(roc_st_wait, 32);
FROZEN(roc_st_reset, 16);
FROZEN(roc_fr_bell, 8);
FROZEN(roc_fr_command, 16);
FROZEN(roc_fr_completion, 16);
FROZEN(roc_fr_descriptor, 16);
FROZEN(roc_fr_info, 192);
FROZEN(roc_fr_kernel, 8);
FROZEN(roc_fr_pages, 24);
FROZEN(roc_fr_reset, 16);
FROZEN(roc_fr_rings, 120);
FROZEN(roc_fr_settings, 40);
FROZEN(roc_fr_start, 32);
FROZEN(roc_fr_stop, 24);
FROZEN(roc_fr_doorbell, 24);
FROZEN(roc_fr_user, 128);
FROZEN(roc_fr_wait, 32);

/* Structures of the library that programs allocate */
FROZEN(roc_card, 108);
FROZEN(roc_bar, 24);
FROZEN(roc_memory, 32);
FROZEN(roc_channel_config, 20);
FROZEN(roc_rings, 64);
FROZEN(roc_packets, 24);
FROZEN(roc_packet, 48);
FROZEN(roc_fragment, 24);
FROZEN(roc_packet_meta, 24);
FROZEN(roc_packet_odin, 48);
FROZEN(roc_unit, 64);
FROZEN(roc_fragment_kept, 24);
FROZEN(roc_fragment_fetched, 48);
FROZEN(roc_fragments_counts, 96);
FROZEN(roc_fragments_damage, 40);
FROZEN(roc_stream_damage, 24);
FROZEN(roc_lent, 64);
FROZEN(roc_channel_telemetry, 440);
FROZEN(roc_card_telemetry, 128);
FROZEN(roc_channel_losses, 128);
FROZEN(roc_card_lock, 24);
FROZEN(roc_config_difference, 72);
FROZEN(roc_config_result, 9300);
FROZEN(roc_crorc_config, 16);
FROZEN(roc_crorc_flash, 36);
FROZEN(roc_crorc_link_status, 24);
FROZEN(roc_crorc_packets, 48);
FROZEN(roc_crorc_siu, 84);
FROZEN(roc_crorc_status, 160);
FROZEN(roc_cru_config, 204);
FROZEN(roc_cru_ctp, 64);
FROZEN(roc_cru_fec, 12);
FROZEN(roc_cru_link_config, 12);
FROZEN(roc_cru_link_status, 96);
FROZEN(roc_cru_loopback, 20);
FROZEN(roc_cru_loopback_link, 12);
FROZEN(roc_cru_loopback_saved, 200);
FROZEN(roc_cru_metrics, 32);
FROZEN(roc_cru_onu, 56);
FROZEN(roc_cru_packets, 204);
FROZEN(roc_cru_pattern, 12);
FROZEN(roc_cru_patterns, 92);
FROZEN(roc_cru_status, 1272);
FROZEN(roc_cru_trigger_rates, 32);
FROZEN(roc_cru_triggers, 32);
FROZEN(roc_cru_ul, 16);
FROZEN(roc_evb_config, 200);
FROZEN(roc_evb_coordinator_ops, 72);
FROZEN(roc_evb_counts, 1552);
FROZEN(roc_evb_flow, 16);
FROZEN(roc_evb_fragment, 56);
FROZEN(roc_evb_manager_config, 96);
FROZEN(roc_evb_member, 120);
FROZEN(roc_evb_news, 40);
FROZEN(roc_evb_part, 16);
FROZEN(roc_evb_peer, 104);
FROZEN(roc_evb_place, 48);
FROZEN(roc_evb_region, 16);
FROZEN(roc_evb_report, 864);
FROZEN(roc_evb_sink_ops, 72);
FROZEN(roc_evb_source_ops, 88);
FROZEN(roc_evb_suspect, 48);
FROZEN(roc_evb_table, 49200);
FROZEN(roc_evb_unit, 64);
FROZEN(roc_filter_block, 56);
FROZEN(roc_filter_hello, 24);
FROZEN(roc_filter_return, 16);
FROZEN(roc_filter_segment, 16);
FROZEN(roc_filter_source, 40);
FROZEN(roc_firmware_paths, 24);
FROZEN(roc_idle, 2064);
FROZEN(roc_mep, 56);
FROZEN(roc_mep_event, 24);
FROZEN(roc_mep_source, 112);
FROZEN(roc_mfp, 56);
FROZEN(roc_mfp_entry, 16);
FROZEN(roc_mfp_fragment, 56);
FROZEN(roc_mfp_view, 72);
FROZEN(roc_mfp_walk, 48);
FROZEN(roc_p40_generator, 48);
FROZEN(roc_p40_status, 104);
FROZEN(roc_robinnp_generator, 40);
FROZEN(roc_robinnp_link, 128);
FROZEN(roc_robinnp_status, 104);
FROZEN(roc_robinnp_sub, 152);
_Static_assert(offsetof(struct roc_bar, pid) == 20, "was padding");
_Static_assert(offsetof(struct roc_memory, pid) == 28, "was padding");
_Static_assert(offsetof(struct roc_channel_telemetry, error_interrupts) == 52, "was reserved");
_Static_assert(offsetof(struct roc_channel_telemetry, counter) == 56, "counters moved");

/* A function must keep its arguments: a change needs a new name. */
#define SAME(function, type)                                                                       \
	_Static_assert(__builtin_types_compatible_p(typeof(function), type), #function " changed")

SAME(roc_firmware_find, enum roc_firmware_state(const struct roc_firmware_list *list,
						const char *hash, const char **tag));
SAME(roc_firmware_text,
     void(const struct roc_firmware_list *list, const char *hash, char *text, size_t size));

/*
 * Members of different writers are two cache lines apart, because of the adjacent-line prefetcher.
 */
_Static_assert(offsetof(struct roc_ring_user, ready_cons) == 128, "cache lines");
_Static_assert(offsetof(struct roc_ring_kernel, ready_prod) == 128, "cache lines");
_Static_assert(offsetof(struct roc_ring_kernel, flags) == 256, "cache lines");

static const unsigned int every_reason[] = {
	ROC_REASON_NONE,     ROC_REASON_MEMLOCK,   ROC_REASON_CONTIGUITY, ROC_REASON_DMA_MASK,
	ROC_REASON_BOUNCE,   ROC_REASON_PIN,	   ROC_REASON_HANDLE,	  ROC_REASON_RANGE,
	ROC_REASON_LENGTH,   ROC_REASON_ALIGN,	   ROC_REASON_EXTENT,	  ROC_REASON_RESERVED,
	ROC_REASON_STOPPED,  ROC_REASON_COUNT,	   ROC_REASON_SIZE,	  ROC_REASON_LOST,
	ROC_REASON_REMOVED,  ROC_REASON_PUSH,	   ROC_REASON_RECORD,	  ROC_REASON_CARD,
	ROC_REASON_OWNER,    ROC_REASON_POSITION,  ROC_REASON_PEER,	  ROC_REASON_NO_P2P,
	ROC_REASON_EXPORTER, ROC_REASON_SUSPENDED, ROC_REASON_BYTES,	  ROC_REASON_SETUP,
	ROC_REASON_RESET,    ROC_REASON_NEIGHBOUR,
};

/* Number of enumerators in the header: a new one must also be added to every_reason[]. */
static size_t reasons_in_header(void)
{
	FILE *f = fopen("kmod/include/uapi/linux/roc_reason.h", "re");
	char line[256];
	size_t n = 0;

	UNIT_NEED(f);
	while (fgets(line, sizeof(line), f))
		n += !strncmp(line, "\tROC_REASON_", 12);
	fclose(f);
	return n;
}

static void every_reason_has_a_text(void)
{
	const char *unknown = roc_reason_text(12345);
	size_t i, j;

	UNIT_EQ(reasons_in_header(), sizeof(every_reason) / sizeof(every_reason[0]));
	for (i = 0; i < sizeof(every_reason) / sizeof(every_reason[0]); i++) {
		const char *text = roc_reason_text(every_reason[i]);

		UNIT_NEED(text);
		CU_ASSERT_TRUE(strlen(text) >= 10);
		CU_ASSERT_TRUE(strcmp(text, unknown));
		for (j = 0; j < i; j++)
			CU_ASSERT_TRUE(strcmp(text, roc_reason_text(every_reason[j])));
	}
	CU_ASSERT_PTR_NOT_NULL(strstr(unknown, "unknown reason"));
	UNIT_STR(roc_reason_text(i), unknown);
	UNIT_STR(roc_reason_text(-1), unknown);
}

/* A program that was written for the deprecated names still compiles and finds the same things. */
#define SAME_MEMBER(type, old, new)                                                                \
	_Static_assert(offsetof(type, old) == offsetof(type, new) &&                               \
			       sizeof(((type *)0)->old) == sizeof(((type *)0)->new),               \
		       #old)
SAME_MEMBER(struct roc_ch_info, why, reason);
SAME_MEMBER(struct roc_ch_info, looks, polls);
SAME_MEMBER(struct roc_ready, why, reason);
SAME_MEMBER(struct roc_buf_register, why, reason);
SAME_MEMBER(struct roc_buf_export, why, reason);
SAME_MEMBER(struct roc_buf_import, why, reason);
SAME_MEMBER(struct roc_fr_info, why, reason);
SAME_MEMBER(struct roc_fr_rings, why, reason);
SAME_MEMBER(struct roc_fr_start, why, reason);
SAME_MEMBER(struct roc_st_info, why, reason);
SAME_MEMBER(struct roc_st_ring, why, reason);
SAME_MEMBER(struct roc_fragments_counts, asked, requested);
SAME_MEMBER(struct roc_fragments_counts, tells, doorbell_calls);
SAME_MEMBER(struct roc_fragments_counts, room, space);
SAME_MEMBER(struct roc_evb_suspect, lied, protocol_error);
SAME_MEMBER(struct roc_evb_counts, liars, protocol_violations);
SAME_MEMBER(struct roc_evb_config, say, log);
SAME_MEMBER(struct roc_evb_config, say_self, log_self);
_Static_assert(ROC_WHY_NONE == ROC_REASON_NONE && ROC_WHY_NEIGHBOUR == ROC_REASON_NEIGHBOUR, "");
_Static_assert(ROC_KICK_LOOK == ROC_KICK_POLL && ROC_FR_TELL == ROC_FR_DOORBELL, "");
_Static_assert(ROC_FR_TELL_COMMAND == ROC_FR_DOORBELL_COMMAND, "");
_Static_assert(sizeof(struct roc_fr_tell) == sizeof(struct roc_fr_doorbell), "");
_Static_assert(ROC_COUNT_LOOKS == ROC_COUNT_POLLS && ROC_EVB_WHY == ROC_EVB_REASON, "");
_Static_assert(ROC_EVB_STATE_LIED == ROC_EVB_STATE_PROTOCOL_ERROR, "");

static void deprecated_names_work(void)
{
	enum roc_why reason = ROC_WHY_LOST;
	struct roc_ready ready = {.why = ROC_WHY_SIZE};

	CU_ASSERT_PTR_EQUAL(roc_why_text(reason), roc_reason_text(ROC_REASON_LOST));
	UNIT_EQ(ready.reason, ROC_REASON_SIZE);
}

static void *fail_elsewhere(void *unused)
{
	UNIT_STR(roc_error(), "no error");
	roc_fail(1, "of the other thread");
	return NULL;
}

static void error_texts_are_per_thread(void)
{
	pthread_t thread;
	char long_text[3000];

	UNIT_EQ(roc_fail(5, "of %s", "this thread"), -5);
	UNIT_NEED(!pthread_create(&thread, NULL, fail_elsewhere, NULL));
	pthread_join(thread, NULL);
	UNIT_STR(roc_error(), "of this thread");
	UNIT_EQ(libroc_fail_text(6, "fixed"), -6);
	UNIT_STR(roc_error(), "fixed");
	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	roc_fail(1, "%s", long_text);
	CU_ASSERT_TRUE(strlen(roc_error()) < sizeof(long_text));
}

#define HEADERS "libroc/include/roc/*.h"
#define SYMBOLS_MAX 512

struct symbols {
	char name[SYMBOLS_MAX][64];
	size_t count;
};

static const struct library {
	const char *map, *shared, *version;
	const char *needs[6]; /* beginnings of sonames */
} libraries[] = {
	/* ld-linux, which provides thread-local variables, belongs to the C library. */
	{"libroc/core/libroc.map",
	 LIBROC_BUILT "/libroc.so",
	 "@@ROC_0.",
	 {"libc.so.", "libudev.so.", "libnuma.so.", "ld-linux"}},
	{"libroc/board/libroc-board.map",
	 LIBROC_BUILT "/libroc-board.so",
	 "@@ROC_BOARD_0.",
	 {"libc.so.", "libjson-c.so.", "libm.so.", "libroc.so.", "ld-linux"}},
	/* libfabric is loaded when a node is created. */
	{"libroc/evb/libroc-evb.map",
	 LIBROC_BUILT "/libroc-evb.so",
	 "@@ROC_EVB_0.",
	 {"libc.so.", "libroc.so.", "ld-linux"}},
};
#define LIBROC (&libraries[0])
#define BOARD (&libraries[1])
#define EVB (&libraries[2])
#define LIBRARIES (sizeof(libraries) / sizeof(libraries[0]))

/* All other headers belong to libroc. */
static const char *const board_headers[] = {"board.h", "config.h",   "crorc.h",	 "cru.h",
					    "p40.h",   "firmware.h", "robinnp.h"};

static const struct library *library_of(const char *header)
{
	const char *name = strrchr(header, '/') + 1;
	size_t i;

	if (!strncmp(name, "evb", 3))
		return EVB;
	for (i = 0; i < sizeof(board_headers) / sizeof(board_headers[0]); i++)
		if (!strcmp(board_headers[i], name))
			return BOARD;
	return LIBROC;
}

static void complain(const char *what, const char *name)
{
	CU_assertImplementation(CU_FALSE, __LINE__, what, name, "", CU_FALSE);
}

static bool has_line(const char *path, const char *beginning)
{
	FILE *f = fopen(path, "re");
	bool found = false;
	char line[256];

	UNIT_NEED(f);
	while (!found && fgets(line, sizeof(line), f))
		found = !strncmp(line, beginning, strlen(beginning));
	fclose(f);
	return found;
}

/* Check that this file has a line for each structure that a header defines. */
static size_t frozen_structures(const char *header)
{
	char line[256], name[64], frozen[80];
	FILE *f = fopen(header, "re");
	size_t found = 0;

	UNIT_NEED(f);
	while (fgets(line, sizeof(line), f)) {
		if (!strchr(line, '{') || sscanf(line, "struct %63[a-z0-9_] {", name) != 1)
			continue;
		found++;
		snprintf(frozen, sizeof(frozen), "FROZEN(%s, ", name);
		if (!has_line("tests/unit/libroc/core/libroc_abi.c", frozen))
			complain(header, name);
	}
	fclose(f);
	return found;
}

static void all_structures_are_frozen(void)
{
	static const char *const patterns[] = {"kmod/include/uapi/linux/*.h", HEADERS};
	size_t i, p, found = 0;
	glob_t headers;

	for (p = 0; p < 2; p++) {
		UNIT_NEED(!glob(patterns[p], 0, NULL, &headers));
		for (i = 0; i < headers.gl_pathc; i++)
			found += frozen_structures(headers.gl_pathv[i]);
		globfree(&headers);
	}
	CU_ASSERT_TRUE(found > 100);
}

static void add_symbol(struct symbols *symbols, const char *name, size_t length)
{
	UNIT_NEED(symbols->count < SYMBOLS_MAX && length < sizeof(symbols->name[0]));
	memcpy(symbols->name[symbols->count], name, length);
	symbols->name[symbols->count++][length] = '\0';
}

static bool has_symbol(const struct symbols *symbols, const char *name)
{
	size_t i;

	for (i = 0; i < symbols->count; i++)
		if (!strcmp(symbols->name[i], name))
			return true;
	return false;
}

static void all_in(const struct symbols *some, const struct symbols *all, const char *what)
{
	size_t i;

	for (i = 0; i < some->count; i++)
		if (!has_symbol(all, some->name[i]))
			complain(what, some->name[i]);
}

/* Read the lines of the symbol map that are one name and a semicolon. */
static void read_map(const char *path, struct symbols *symbols)
{
	FILE *f = fopen(path, "re");
	char line[256];

	UNIT_NEED(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "\troc_", 5) && strchr(line, ';'))
			add_symbol(symbols, line + 1, strcspn(line + 1, ";"));
	fclose(f);
}

/* Read the functions that a header declares without defining them, and those that it documents. */
static void read_header(const char *path, struct symbols *symbols, struct symbols *described)
{
	FILE *f = fopen(path, "re");
	char line[256];

	UNIT_NEED(f);
	while (fgets(line, sizeof(line), f)) {
		char *bracket = strchr(line, '(');
		char *name = bracket;

		if (!strncmp(line, " * roc_", 7) && bracket && !strncmp(bracket, "() - ", 5))
			add_symbol(described, line + 3, bracket - line - 3);
		if (!isalpha(line[0]) || !bracket || !strncmp(line, "static", 6))
			continue;
		while (name > line && (isalnum(name[-1]) || name[-1] == '_'))
			name--;
		if (!strncmp(name, "roc_", 4))
			add_symbol(symbols, name, bracket - name);
	}
	fclose(f);
}

/*
 * Read the exported symbols of a shared library with their versions, all of which the map defines.
 */
static void read_versioned(const struct library *library, struct symbols *symbols)
{
	char line[256], name[128], kind;
	FILE *f;

	snprintf(line, sizeof(line), "nm -D --defined-only --with-symbol-versions %s",
		 library->shared);
	f = popen(line, "re");
	UNIT_NEED(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*x %c %127s", &kind, name) != 2 || kind == 'A')
			continue; /* A: the version itself */
		if (!strstr(name, library->version))
			complain("no version", name);
		add_symbol(symbols, name, strlen(name));
	}
	UNIT_EQ(pclose(f), 0);
}

static void read_library(const struct library *library, struct symbols *symbols)
{
	static struct symbols versioned;
	size_t i;

	versioned.count = 0;
	read_versioned(library, &versioned);
	for (i = 0; i < versioned.count; i++)
		add_symbol(symbols, versioned.name[i], strcspn(versioned.name[i], "@"));
}

static void read_headers(const struct library *library, struct symbols *declared,
			 struct symbols *described)
{
	glob_t headers;
	size_t i;

	UNIT_NEED(!glob(HEADERS, 0, NULL, &headers));
	for (i = 0; i < headers.gl_pathc; i++)
		if (library_of(headers.gl_pathv[i]) == library)
			read_header(headers.gl_pathv[i], declared, described);
	globfree(&headers);
}

static void exports_exactly_the_map(void)
{
	static struct symbols map[LIBRARIES], header[LIBRARIES], described[LIBRARIES],
		exported[LIBRARIES];
	size_t i, j;

	for (i = 0; i < LIBRARIES; i++) {
		read_map(libraries[i].map, &map[i]);
		read_headers(&libraries[i], &header[i], &described[i]);
		read_library(&libraries[i], &exported[i]);
		CU_ASSERT_TRUE(map[i].count > 10);
		all_in(&exported[i], &map[i], "exported but not in the map");
		all_in(&map[i], &exported[i], "in the map but not exported");
		all_in(&header[i], &exported[i], "declared but not exported");
		all_in(&exported[i], &header[i], "exported but not declared");
		all_in(&header[i], &described[i], "declared but not described");
	}
	for (j = 0; j < exported[0].count; j++)
		if (has_symbol(&exported[1], exported[0].name[j]))
			complain("in both libraries", exported[0].name[j]);
}

/* Symbols of 0.3.0 with their version nodes. A release appends its nodes here. */
#define PUBLISHED "tests/golden/libroc_symbols.txt"

static void read_published(struct symbols *published, struct symbols *nodes)
{
	FILE *f = fopen(PUBLISHED, "re");
	char line[256];

	UNIT_NEED(f);
	while (fgets(line, sizeof(line), f)) {
		char *node = strchr(line, '@');

		UNIT_NEED(node);
		line[strcspn(line, "\n")] = '\0';
		add_symbol(published, line, strlen(line));
		if (!has_symbol(nodes, node))
			add_symbol(nodes, node, strlen(node));
	}
	fclose(f);
}

/*
 * The loader checks that an older library has the version nodes, not each symbol. A symbol added to
 * a published node would only be missed in the middle of a run.
 */
static void published_nodes_stay(void)
{
	static struct symbols published, nodes, exported;
	size_t i;

	read_published(&published, &nodes);
	for (i = 0; i < LIBRARIES; i++)
		read_versioned(&libraries[i], &exported);
	CU_ASSERT_TRUE(nodes.count >= 2);
	all_in(&published, &exported, "has left its published node");
	for (i = 0; i < exported.count; i++)
		if (has_symbol(&nodes, strchr(exported.name[i], '@')) &&
		    !has_symbol(&published, exported.name[i]))
			complain("has come to a published node", exported.name[i]);
}

/* The headers of libroc must not include those of the other libraries. */
static void headers_of_libroc_alone(void)
{
	glob_t headers;
	char line[256];
	size_t i, j;

	UNIT_NEED(!glob(HEADERS, 0, NULL, &headers));
	for (i = 0; i < headers.gl_pathc; i++) {
		FILE *f = fopen(headers.gl_pathv[i], "re");

		UNIT_NEED(f);
		while (fgets(line, sizeof(line), f)) {
			if (strncmp(line, "#include <roc/", 14))
				continue;
			line[strcspn(line, ">")] = '\0';
			for (j = 0; j < sizeof(board_headers) / sizeof(board_headers[0]); j++)
				if (library_of(headers.gl_pathv[i]) == LIBROC &&
				    !strcmp(line + 14, board_headers[j]))
					complain(headers.gl_pathv[i], board_headers[j]);
		}
		fclose(f);
	}
	globfree(&headers);
}

/* Read the sonames that a program or library needs. */
static void read_needed(const char *path, struct symbols *needed)
{
	char line[256];
	FILE *f;

	snprintf(line, sizeof(line), "LC_ALL=C readelf -d %s", path);
	f = popen(line, "re");
	UNIT_NEED(f);
	while (fgets(line, sizeof(line), f)) {
		char *name = strchr(line, '[');

		if (strstr(line, "(NEEDED)") && name)
			add_symbol(needed, name + 1, strcspn(name + 1, "]"));
	}
	UNIT_EQ(pclose(f), 0);
}

static void needs_only(const char *path, const char *const *needs)
{
	static struct symbols needed;
	size_t i, j;

	needed.count = 0;
	read_needed(path, &needed);
	for (i = 0; i < needed.count; i++) {
		for (j = 0; needs[j] && strncmp(needed.name[i], needs[j], strlen(needs[j])); j++)
			;
		if (!needs[j])
			complain(path, needed.name[i]);
	}
	CU_ASSERT_TRUE(needed.count > 1);
}

/* libroc has few dependencies, and a reader needs only libroc. */
static void needs_little(void)
{
	static const char *const reader[] = {"libc.so.", "libroc.so.", "ld-linux", NULL};
	glob_t examples;
	size_t i;

	needs_only(LIBROC->shared, LIBROC->needs);
	needs_only(BOARD->shared, BOARD->needs);
	needs_only(EVB->shared, EVB->needs);
	UNIT_NEED(!glob("libroc/examples/*.c", 0, NULL, &examples));
	for (i = 0; i < examples.gl_pathc; i++) {
		char path[256];
		int length = strcspn(strrchr(examples.gl_pathv[i], '/'), ".");

		snprintf(path, sizeof(path), LIBROC_BUILT "/examples%.*s", length,
			 strrchr(examples.gl_pathv[i], '/'));
		needs_only(path, reader);
	}
	globfree(&examples);
}

static void version_is_the_packages(void)
{
	FILE *f = fopen("dkms.conf", "re");
	char line[256], version[64] = "";

	UNIT_NEED(f);
	while (fgets(line, sizeof(line), f))
		sscanf(line, "PACKAGE_VERSION=\"%63[^\"]", version);
	fclose(f);
	CU_ASSERT_TRUE(isdigit(version[0]));
	UNIT_STR(roc_version(), version);
}

/* Compile each header as a whole program, in C and in C++, with warnings as errors. */
static void headers_stand_alone(void)
{
	static const char *const languages[] = {"-std=c11 -Wstrict-prototypes -x c",
						"-std=c++17 -x c++"};
	size_t count = 2;
	char command[512];
	glob_t headers;
	size_t i, j;

	if (system("echo | " LIBROC_CC " -fsyntax-only -x c++ - 2>/dev/null")) {
		unit_skip("no C++ compiler is installed: the headers were tried in C only");
		count = 1;
	}
	UNIT_NEED(!glob(HEADERS, 0, NULL, &headers));
	CU_ASSERT_TRUE(headers.gl_pathc >= 3);
	for (i = 0; i < headers.gl_pathc; i++) {
		for (j = 0; j < count; j++) {
			snprintf(
				command, sizeof(command),
				"echo '#include <roc%s>' | %s -fsyntax-only -Wall -Wextra -pedantic -Werror -Ilibroc/include %s -",
				strrchr(headers.gl_pathv[i], '/'), LIBROC_CC, languages[j]);
			UNIT_EQ(system(command), 0);
		}
	}
	globfree(&headers);
}

/* Users copy the examples into projects that enable more warnings. */
static void examples_compile_cleanly(void)
{
	char command[512];
	glob_t examples;
	size_t i;

	UNIT_NEED(!glob("libroc/examples/*.c", 0, NULL, &examples));
	CU_ASSERT_TRUE(examples.gl_pathc >= 5);
	for (i = 0; i < examples.gl_pathc; i++) {
		snprintf(
			command, sizeof(command),
			"%s -std=gnu11 -fsyntax-only -Wall -Wextra -Wconversion -Werror -Ilibroc/include %s",
			LIBROC_CC, examples.gl_pathv[i]);
		UNIT_EQ(system(command), 0);
	}
	globfree(&examples);
}

UNIT_MAIN("libroc_abi", {"all structures of public headers are frozen", all_structures_are_frozen},
	  {"every failure reason has a text", every_reason_has_a_text},
	  {"deprecated names work", deprecated_names_work},
	  {"error texts are per thread", error_texts_are_per_thread},
	  {"each library exports exactly its map", exports_exactly_the_map},
	  {"version nodes of a published release do not change", published_nodes_stay},
	  {"headers of libroc include no others", headers_of_libroc_alone},
	  {"libroc has few dependencies, a reader needs only libroc", needs_little},
	  {"the version is that of the package", version_is_the_packages},
	  {"headers are self-contained in C and C++", headers_stand_alone},
	  {"examples compile without warnings", examples_compile_cleanly})
