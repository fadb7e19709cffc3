// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test a soak without cards: limits and verdicts, valid and damaged logs, and the final report,
 * byte for byte.
 */
#include "unit.h"

#include <endian.h>
#include <math.h>
#include <unistd.h>

#include "tests/unit/utils/golden.h"
#include "utils/dma/soak.h"
#include "utils/units/sources.h"

#define PACKETS 8

static const struct soak_limits limits = {.temperature = 60, .errors = 2, .dropped = 0};
static const char *const lanes[] = {"0245:0", "0245:1", "1003:0 channel 2"};

static enum soak_verdict verdict(double temperature, uint64_t errors, uint64_t dropped,
				 uint64_t units)
{
	struct soak_period p = {.seconds = 60,
				.temperature = temperature,
				.errors = errors,
				.dropped = dropped,
				.units = units};

	return soak_judge(&limits, &p);
}

static void verdicts(void)
{
	struct soak_counts total = {.errors = 2};
	char reason[SOAK_REASON] = "";

	UNIT_EQ(verdict(45, 0, 0, 9), SOAK_PASS);
	UNIT_EQ(verdict(NAN, 0, 0, 9), SOAK_PASS);
	UNIT_EQ(verdict(54.9, 0, 0, 9), SOAK_PASS);
	UNIT_EQ(verdict(55, 0, 0, 9), SOAK_WARN);
	UNIT_EQ(verdict(59.9, 0, 0, 9), SOAK_WARN);
	UNIT_EQ(verdict(60, 0, 0, 9), SOAK_FAIL);
	UNIT_EQ(verdict(45, 2, 0, 9), SOAK_WARN);
	UNIT_EQ(verdict(45, 3, 0, 9), SOAK_FAIL);
	UNIT_EQ(verdict(45, 0, 1, 9), SOAK_FAIL);
	UNIT_EQ(verdict(45, 0, 0, 0), SOAK_WARN);

	CU_ASSERT_FALSE(soak_broken(&limits, "x", 59.9, &total, reason));
	CU_ASSERT_FALSE(soak_broken(&limits, "x", NAN, &total, reason));
	CU_ASSERT_TRUE(soak_broken(&limits, "0245:1", 60, &total, reason));
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "0245:1 has 60.0 degrees"));
	total.errors = 3;
	CU_ASSERT_TRUE(soak_broken(&limits, "x", 20, &total, reason));
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "3 errors"));
	total = (struct soak_counts){.dropped = 1};
	CU_ASSERT_TRUE(soak_broken(&limits, "x", 20, &total, reason));
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "dropped 1"));
}

/* Two periods of three lanes; the third has no sensor and the second is slow. */
static void make_history(struct soak_history *h)
{
	unsigned int i;

	*h = (struct soak_history){0};
	for (i = 0; i < 6; i++) {
		struct soak_period p = {
			.lane = i % 3,
			.at = i < 3 ? 60 : 120,
			.seconds = 60,
			.units = i % 3 == 1 ? 1000 : 4000,
			.bytes = (i % 3 == 1 ? UINT64_C(1000) : UINT64_C(4000)) << 20,
			.errors = i == 4,
			.gap = i % 3 == 2 ? -1 : (int)i + 2,
			.temperature = i % 3 == 2 ? NAN
				       : i < 3	  ? 45.25
						  : 56.5,
		};

		p.verdict = soak_judge(&limits, &p);
		UNIT_EQ(soak_history_add(h, &p), 0);
	}
}

static void added_up(void)
{
	struct soak_sum one, two, three;
	struct soak_history h;

	make_history(&h);
	soak_add_up(&h, 0, &one);
	soak_add_up(&h, 1, &two);
	soak_add_up(&h, 2, &three);
	UNIT_EQ(one.periods, 2);
	UNIT_EQ(one.bytes, UINT64_C(8000) << 20);
	UNIT_EQ(one.gap, 5);
	UNIT_EQ(two.errors, 1);
	UNIT_EQ(one.verdict, SOAK_WARN);
	UNIT_EQ(three.verdict, SOAK_PASS);
	UNIT_EQ(three.gap, -1);
	CU_ASSERT_TRUE(isnan(three.temperature));
	CU_ASSERT_DOUBLE_EQUAL(one.temperature, 56.5, 0);
	CU_ASSERT_DOUBLE_EQUAL(one.seconds, 120, 0);
	CU_ASSERT_TRUE(soak_slow(&two, &one));
	CU_ASSERT_FALSE(soak_slow(&one, &one));
	CU_ASSERT_FALSE(soak_slow(&one, &two));
	free(h.period);
}

static char path[] = "/tmp/roc-soak-XXXXXX";

static void leave_nothing(void)
{
	unlink(path);
}

/* Replace the log with @text. */
static void put(const char *text, size_t length)
{
	FILE *f;

	if (strstr(path, "XXXXXX")) {
		int fd = mkstemp(path);

		UNIT_NEED(fd >= 0);
		close(fd);
		atexit(leave_nothing);
	}
	f = fopen(path, "w");
	UNIT_NEED(f);
	UNIT_EQ(fwrite(text, 1, length, f), length);
	fclose(f);
}

static bool no_locks;

int __wrap_flock(int fd, int operation);
int __real_flock(int fd, int operation);

int __wrap_flock(int fd, int operation)
{
	if (!no_locks)
		return __real_flock(fd, operation);
	errno = ENOLCK;
	return -1;
}

static struct soak_log *read_log(struct soak_history *h, char reason[SOAK_REASON])
{
	*h = (struct soak_history){0};
	reason[0] = '\0';
	return soak_log_open(path, lanes, 3, h, reason);
}

static void written_and_read(void)
{
	struct soak_history h, back;
	struct soak_log *log, *other;
	char reason[SOAK_REASON];
	size_t i;

	put("", 0);
	make_history(&h);
	log = read_log(&back, reason);
	UNIT_NEED(log);
	UNIT_EQ(back.count, 0);
	UNIT_EQ(soak_log_write(log, &h, 0), 0);
	other = read_log(&back, reason);
	CU_ASSERT_PTR_NULL(other);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "another soak"));
	/* As on NFS without a lock daemon. */
	no_locks = true;
	other = read_log(&back, reason);
	no_locks = false;
	CU_ASSERT_PTR_NULL(other);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "Cannot lock "));
	soak_log_close(log);

	log = read_log(&back, reason);
	UNIT_NEED(log);
	UNIT_EQ(back.count, 6);
	CU_ASSERT_DOUBLE_EQUAL(back.seconds, 120, 0);
	for (i = 0; i < back.count; i++) {
		const struct soak_period *a = &h.period[i], *b = &back.period[i];

		CU_ASSERT_TRUE(a->lane == b->lane && a->at == b->at && a->seconds == b->seconds);
		CU_ASSERT_TRUE(a->units == b->units && a->bytes == b->bytes);
		CU_ASSERT_TRUE(a->errors == b->errors && a->dropped == b->dropped);
		CU_ASSERT_TRUE(a->gap == b->gap && a->verdict == b->verdict);
		CU_ASSERT_TRUE(a->temperature == b->temperature ||
			       (isnan(a->temperature) && isnan(b->temperature)));
	}
	/* And the failure, whatever lines follow. */
	UNIT_EQ(soak_log_fail(log, "0245:1 has \"60.0\" degrees."), 0);
	UNIT_EQ(soak_log_write(log, &h, 5), 0);
	soak_log_close(log);
	free(back.period);
	log = read_log(&back, reason);
	UNIT_NEED(log);
	UNIT_STR(back.failed, "0245:1 has \"60.0\" degrees.");
	UNIT_EQ(back.count, 7);
	soak_log_close(log);
	free(back.period);
	free(h.period);
}

#define HEAD "{\"soak\":1,\"lanes\":[\"0245:0\",\"0245:1\",\"1003:0 channel 2\"]}\n"
#define LINE                                                                                       \
	"{\"lane\":1,\"at\":60.0,\"seconds\":60.0,\"units\":3,\"bytes\":9,\"errors\":0,"           \
	"\"dropped\":0,\"gap\":4,\"temperature\":45.5,\"verdict\":\"PASS\"}\n"

/* Wherever a writer was killed: complete lines count, and the next line is valid again. */
static void incomplete_line(void)
{
	static const char text[] = HEAD LINE LINE;
	size_t head = strlen(HEAD), line = strlen(LINE), cut;
	struct soak_history h, back;
	struct soak_log *log;
	char reason[SOAK_REASON];

	make_history(&h);
	for (cut = head; cut <= head + 2 * line; cut++) {
		put(text, cut);
		log = read_log(&back, reason);
		UNIT_NEED(log);
		UNIT_EQ(back.count, (cut - head) / line);
		/* The other lanes have no verdict yet. */
		CU_ASSERT_DOUBLE_EQUAL(back.seconds, 0, 0);
		free(back.period);
		UNIT_EQ(soak_log_write(log, &h, 5), 0);
		soak_log_close(log);
		log = read_log(&back, reason);
		UNIT_NEED(log);
		UNIT_EQ(back.count, (cut - head) / line + 1);
		soak_log_close(log);
		free(back.period);
	}
	free(h.period);
}

static void refused(const char *text, const char *sentence)
{
	struct soak_history h;
	char reason[SOAK_REASON];

	put(text, strlen(text));
	CU_ASSERT_PTR_NULL(read_log(&h, reason));
	if (!strstr(reason, sentence))
		unit_note("%s: %s", text, reason);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, sentence));
	free(h.period);
}

static void wrong(void)
{
	refused("hello\n", "is not the log of a soak");
	refused("hello", "is not the log of a soak");
	refused("{}\n", "is not the log of a soak");
	refused("[1]\n", "is not the log of a soak");
	refused("{\"soak\":2,\"lanes\":[]}\n", "format 2");
	refused("{\"soak\":1,\"lanes\":[\"0245:0\",\"0246:1\"]}\n", "(0246:1 instead of 0245:1)");
	refused("{\"soak\":1,\"lanes\":[\"0245:0\",\"0245:1\"]}\n",
		"(none instead of 1003:0 channel 2)");
	refused(HEAD "nonsense\n" LINE, "line 2 is not a line of a soak log");
	refused(HEAD LINE
		"{\"lane\":3,\"at\":60,\"seconds\":60,\"units\":3,\"bytes\":9,\"errors\":0,\"dropped\":0,\"verdict\":\"PASS\"}\n",
		"line 3 is not a line of a soak log");
	refused(HEAD
		"{\"lane\":1,\"at\":-1,\"seconds\":60,\"units\":3,\"bytes\":9,\"errors\":0,\"dropped\":0,\"verdict\":\"PASS\"}\n",
		"line 2 is not a line of a soak log");
	refused(HEAD
		"{\"lane\":1,\"at\":1,\"seconds\":60,\"units\":3,\"bytes\":9,\"errors\":0,\"dropped\":0,\"verdict\":\"GOOD\"}\n",
		"line 2 is not a line of a soak log");
	refused(HEAD
		"{\"lane\":1,\"at\":1,\"seconds\":60,\"units\":3,\"bytes\":9,\"gap\":99,\"errors\":0,\"dropped\":0,\"verdict\":\"PASS\"}\n",
		"line 2 is not a line of a soak log");
}

static void reports(void)
{
	static const struct bench_options options = {.soak = 120};
	static struct soak_lane lane[3];
	struct soak s = {.opt = &options, .limits = limits, .lanes = lane, .count = 3};
	unsigned int i;
	FILE *out;

	for (i = 0; i < 3; i++) {
		lane[i].card = golden_cards[i];
		lane[i].pool = true;
		snprintf(lane[i].name, sizeof(lane[i].name), "%s", lanes[i]);
	}
	lane[0].card.type = lane[1].card.type = ROC_CARD_CRU;
	lane[2].card.type = ROC_CARD_CRORC;
	make_history(&s.history);
	out = golden_begin();
	soak_report_lines(out, &s, 0, false);
	soak_report_text(out, &s, false);
	golden_end(out, "bench-dma-soak.txt");
	out = golden_begin();
	soak_report_json(out, &s);
	golden_end(out, "bench-dma-soak.json");
	out = golden_begin();
	soak_plot(out, &s);
	golden_end(out, "bench-dma-soak.svg");
	UNIT_EQ(soak_report_verdict(&s), SOAK_WARN);
	s.interrupted = true;
	strcpy(s.reason, "0245:1 has 60.0 degrees C.");
	UNIT_EQ(soak_report_verdict(&s), SOAK_FAIL);
	free(s.history.period);
}

int __wrap_source_card(const struct source_card_options *o, struct source **source);

/* A simulated card. */
int __wrap_source_card(const struct source_card_options *o, struct source **source)
{
	const struct synthetic_options synthetic = {.unit = PACKETS * SYNTHETIC_PACKET,
						    .total = PACKETS * SYNTHETIC_PACKET,
						    .links = 1};
	char reason[UNITS_REASON] = "";

	*source = source_synthetic(&synthetic, reason);
	UNIT_STR(reason, "");
	return *source ? 0 : 1;
}

/*
 * Return the errors that a lane finds in a superpage whose packet 3 has counter @counter and whose
 * last packet has orbit 256.
 */
static uint64_t found(const struct bench_options *o, unsigned char counter)
{
	struct soak_lane l = {.pool = true, .lock = PTHREAD_MUTEX_INITIALIZER};
	const uint32_t orbit = htole32(256);
	uint64_t errors;
	struct unit u;
	char *data;

	UNIT_NEED(!soak_lane_open(&l, o));
	l.errors.path = NULL;
	UNIT_EQ(l.source->ops->start(l.source), 0);
	UNIT_NEED(l.source->ops->take(l.source, &u) == 1);
	data = (char *)(uintptr_t)u.data;
	data[3 * SYNTHETIC_PACKET + 13] = (char)counter;
	memcpy(data + (PACKETS - 1) * SYNTHETIC_PACKET + 20, &orbit, sizeof(orbit));
	UNIT_EQ(l.sink->ops->put(l.sink, &u), 1);
	errors = l.sink->n.errors;
	soak_lane_close(&l);
	return errors;
}

/* The lane uses the check options, as a run of one channel does. */
static void checked(void)
{
	struct bench_options o = {.soak = 1, .frequency = 1, .max_packet = 255, .tf_length = 256};

	UNIT_EQ(found(&o, 3), 1);
	o.no_tf_check = true;
	UNIT_EQ(found(&o, 3), 0);
	o.no_tf_check = false;
	o.tf_length = 512;
	UNIT_EQ(found(&o, 3), 0);
	/* With resync, the following packet is wrong as well. */
	UNIT_EQ(found(&o, 9), 2);
	o.no_resync = true;
	UNIT_EQ(found(&o, 9), 1);
	/* Counters from 3 on are invalid. */
	o.max_packet = 2;
	UNIT_EQ(found(&o, 3), PACKETS - 3);
}

UNIT_MAIN("utils soak", {"check options are applied", checked}, {"limits and verdicts", verdicts},
	  {"totals", added_up}, {"a log is written and read", written_and_read},
	  {"log with an incomplete last line", incomplete_line}, {"invalid logs", wrong},
	  {"reports", reports})
