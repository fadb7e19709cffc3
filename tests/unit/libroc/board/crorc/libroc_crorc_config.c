// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Configure an emulated C-RORC: check the resulting registers in the model, that nothing is written
 * when nothing differs, and that everything is restored after an error; test files.
 */
#include "libroc_crorc_card.h"

static struct roc_crorc_config config;
static struct roc_config_result result;

static int configure(unsigned int flags)
{
	return roc_crorc_configure(ep, &config, flags, &result);
}

static void unusual(void)
{
	config = (struct roc_crorc_config){
		.crorc_id = 0xabc, .dynamic_offset = true, .time_frame_length = 77};
}

/* The numbers are from the card's documentation, not from the library's tables. */
static void all_parameters_are_written(void)
{
	struct roc_crorc_config back;
	unsigned int bar;

	card_begin();
	UNIT_EQ(peek(0, 0x0a0), 0);
	unusual();
	UNIT_EQ(configure(0), 0);
	CU_ASSERT_TRUE(result.reconfigured);
	UNIT_EQ(result.count, 5);
	CU_ASSERT_TRUE(has_difference(&result, "crorc.laser", "on", "off"));
	CU_ASSERT_TRUE(has_difference(&result, "crorc.crorcId", "0xabc", "0x0"));
	CU_ASSERT_TRUE(has_difference(&result, "crorc.dynamicOffset", "true", "false"));
	CU_ASSERT_TRUE(has_difference(&result, "crorc.timeFrameLength", "77", "256"));
	CU_ASSERT_TRUE(has_difference(&result, "crorc.timeFrameDetection", "false", "true"));
	for (bar = 0; bar < 6; bar++) {
		UNIT_EQ(peek(bar, 0x1f0), 0xabc1);
		UNIT_EQ(peek(bar, 0x1f4), 77);
	}
	UNIT_EQ(peek(0, 0x0a0), 0x80000000);
	UNIT_EQ(roc_crorc_config_read(ep, &back), 0);
	UNIT_EQ(roc_crorc_config_diff(&config, &back, NULL), 0);
	UNIT_EQ(card.locks, 1);
	/* Back to the defaults */
	roc_crorc_config_default(&config);
	UNIT_EQ(configure(0), 0);
	UNIT_EQ(result.count, 4);
	UNIT_EQ(peek(0, 0x1f0), 0);
	UNIT_EQ(peek(0, 0x1f4), 0x1100);
	card_end();
}

static void nothing_to_do(void)
{
	card_begin();
	unusual();
	UNIT_EQ(configure(0), 0);
	card.reads = card.writes = 0;
	UNIT_EQ(configure(0), 0);
	CU_ASSERT_FALSE(result.reconfigured);
	UNIT_EQ(result.count, 0);
	UNIT_EQ(result.writes, 0);
	UNIT_EQ(card.writes, 0);
	UNIT_EQ(card.reads, 3);
	UNIT_EQ(result.reads, 3);
	/* A comparison alone also works while a channel runs. */
	card.running = true;
	UNIT_EQ(configure(0), 0);
	config.crorc_id = 1;
	UNIT_EQ(configure(ROC_CONFIG_COMPARE_ONLY), 0);
	UNIT_EQ(result.count, 1);
	CU_ASSERT_FALSE(result.reconfigured);
	UNIT_EQ(card.writes, 0);
	card.running = false;
	/* Only differences are written. */
	UNIT_EQ(configure(0), 0);
	UNIT_EQ(result.writes, 1);
	UNIT_EQ(card.writes, 1);
	config.crorc_id = 0xabc;
	UNIT_EQ(configure(0), 0);
	UNIT_EQ(configure(ROC_CONFIG_FORCE), 0);
	CU_ASSERT_TRUE(result.reconfigured);
	UNIT_EQ(result.writes, 4);
	UNIT_EQ(peek(0, 0x1f0), 0xabc1);
	card_end();
}

static void refusals(void)
{
	card_begin();
	unusual();
	card.running = true;
	UNIT_EQ(configure(0), -EBUSY);
	ERROR_HAS("#0 (0000:3b:00.0): cannot configure the card while a channel of the card runs");
	card.running = false;
	config.time_frame_length = 257;
	UNIT_EQ(configure(0), -ERANGE);
	ERROR_HAS("crorc.timeFrameLength: 257 is out of range: the maximum is 256");
	config.time_frame_length = 256;
	config.crorc_id = 0x1000;
	UNIT_EQ(configure(0), -ERANGE);
	ERROR_HAS("crorc.crorcId");
	unusual();
	UNIT_EQ(configure(8), -EINVAL);
	card.lock_errno = EBUSY;
	card.lock_owner = getpid();
	UNIT_EQ(configure(0), -EBUSY);
	ERROR_HAS("the card is locked by process");
	card.lock_errno = 0;
	card.card_type = ROC_CARD_CRU;
	UNIT_EQ(configure(ROC_CONFIG_ANY_FIRMWARE), -EOPNOTSUPP);
	ERROR_HAS("#0 (0000:3b:00.0) is a CRU: only a CRORC supports this");
	UNIT_EQ(card.writes, 0);
	card_end();
}

/* Nothing is restored while readout runs. */
static void started_meanwhile(void)
{
	card_begin();
	unusual();
	card.starts = 0x1f4;
	UNIT_EQ(configure(0), -EBUSY);
	ERROR_HAS("readout was started while the card was configured");
	CU_ASSERT_TRUE(result.reconfigured);
	CU_ASSERT_FALSE(result.restored);
	UNIT_EQ(peek(0, 0x1f0), 0xabc1);
	UNIT_EQ(peek(0, 0x1f4), 77);
	/* The remedy of the error text works: stop and configure again. */
	card.running = false;
	card.starts = 0;
	UNIT_EQ(configure(ROC_CONFIG_FORCE), 0);
	card_end();
}

static void firmware(void)
{
	card_begin();
	unusual();
	key(0, "firmware", "12345678");
	UNIT_EQ(configure(0), -EPERM);
	ERROR_HAS("firmware 12345678 is not in list");
	ERROR_HAS("v2.14.2 (828801a2)");
	UNIT_EQ(card.writes, 0);
	UNIT_EQ(configure(ROC_CONFIG_ANY_FIRMWARE), 0);
	UNIT_EQ(peek(0, 0x1f0), 0xabc1);
	card_end();
}

static void restored_after_an_error(void)
{
	card_begin();
	card.stuck = 0x1f4;
	unusual();
	UNIT_EQ(configure(0), -EBADMSG);
	ERROR_HAS(
		"register 0x1f4 of BAR 0 (crorc.timeFrameLength) was written 0x4d and reads 0x100");
	ERROR_HAS("all written registers were restored");
	CU_ASSERT_TRUE(result.restored);
	UNIT_STR(result.register_name, "crorc.timeFrameLength");
	UNIT_EQ(result.got, 0x100);
	UNIT_EQ(peek(0, 0x1f0), 0);
	UNIT_EQ(peek(0, 0x1f4), 0x1100);
	card_end();
}

static void laser_timeout(void)
{
	card_begin();
	card.stuck = 0x0d0;
	unusual();
	UNIT_EQ(configure(0), -EBADMSG);
	ERROR_HAS("the laser did not switch on within 100 ms");
	UNIT_EQ(peek(0, 0x1f0), 0);
	UNIT_EQ(peek(0, 0x1f4), 0x1100);
	UNIT_EQ(card.slept_us, 100000);
	card_end();
}

static void leave(unsigned int us)
{
	card.gone = true;
}

static void come_on(unsigned int us)
{
	if (card.slept_us == 100000)
		crorc_card.write(host.card, 0, 0, 0x0d0, CRORC_I2C_LASER_ON);
}

/*
 * The laser is checked once more at the end of the wait, and a removed card is not reported as a
 * dark laser.
 */
static void laser_check_at_the_end(void)
{
	card_begin();
	card.stuck = 0x0d0;
	card.asleep = come_on;
	unusual();
	UNIT_EQ(configure(0), 0);
	UNIT_EQ(peek(0, 0x0a0), 0x80000000);
	card_end();
	card_begin();
	card.stuck = 0x0d0;
	card.asleep = leave;
	UNIT_EQ(configure(0), -EIO);
	ERROR_HAS("answers all ones");
	UNIT_STR(result.register_name, "");
	card_end();
}

static char path[] = "/tmp/roc-unit-XXXXXX";
static char uri[64];

static void write_file(const char *scheme, const char *text)
{
	FILE *f;

	if (strstr(path, "XXXXXX")) {
		int fd = mkstemp(path);

		UNIT_NEED(fd >= 0);
		close(fd);
	}
	f = fopen(path, "we");
	UNIT_NEED(f);
	fputs(text, f);
	fclose(f);
	snprintf(uri, sizeof(uri), "%s%s", scheme, path);
}

/* Existing templates have neither crorcId nor timeFrameDetection. */
static void files(void)
{
	struct roc_crorc_config back;
	enum roc_card_type type;
	bool no_id = false;

	unusual();
	config.crorc_id = 0;
	write_file("ini://", "[crorc]\ndynamicOffset=false ; comment\ntimeFrameLength=255\n");
	UNIT_EQ(roc_config_card(uri, &type), 0);
	UNIT_EQ(type, ROC_CARD_CRORC);
	roc_crorc_config_default(&config);
	UNIT_EQ(roc_crorc_config_load(uri, &config, &no_id), 0);
	CU_ASSERT_TRUE(no_id);
	UNIT_EQ(config.crorc_id, 0);
	UNIT_EQ(config.time_frame_length, 255);
	CU_ASSERT_TRUE(config.time_frame_detection);
	write_file("json://",
		   "{\"crorc\": {\"dynamicOffset\": true, \"timeFrameLength\": \"128\",\n"
		   "\"crorcId\": \"0x12\", \"timeFrameDetection\": false}}");
	UNIT_EQ(roc_config_card(uri, &type), 0);
	UNIT_EQ(type, ROC_CARD_CRORC);
	UNIT_EQ(roc_crorc_config_load(uri, &config, &no_id), 0);
	CU_ASSERT_FALSE(no_id);
	UNIT_EQ(config.crorc_id, 0x12);
	UNIT_EQ(config.time_frame_length, 128);
	CU_ASSERT_TRUE(config.dynamic_offset);
	CU_ASSERT_FALSE(config.time_frame_detection);
	UNIT_EQ(roc_crorc_config_load(uri, &config, NULL), 0);
	/* Write and read a file in both formats. */
	for (no_id = true; no_id; no_id = uri[0] != 'i') {
		snprintf(uri, sizeof(uri), "%s://%s", uri[0] == 'j' ? "ini" : "json", path);
		UNIT_EQ(roc_crorc_config_save(uri, &config), 0);
		roc_crorc_config_default(&back);
		UNIT_EQ(roc_crorc_config_load(uri, &back, NULL), 0);
		UNIT_EQ(roc_crorc_config_diff(&config, &back, NULL), 0);
	}
	write_file("", "[links]\nenabled=true\n");
	UNIT_EQ(roc_config_card(uri, &type), 0);
	UNIT_EQ(type, ROC_CARD_CRU);
	UNIT_EQ(unlink(path), 0);
}

static void faulty_files(void)
{
	static const struct {
		const char *text, *error;
		int err;
	} faults[] = {
		{"[crorc]\ndynamicOffset=true\n",
		 ":1: section [crorc] lacks the key 'timeFrameLength'", EINVAL},
		{"[crorc]\ntimeFrameLength=257\n",
		 ":2: [crorc] timeFrameLength: 257 is out of range: the maximum is 256", ERANGE},
		{"[crorc]\ncruId=1\n", ":2: section [crorc]: unknown key 'cruId'", EINVAL},
		{"[cru]\ncruId=1\n",
		 ":1: section [cru]: the file is for a CRU, but the card is a C-RORC", EINVAL},
		{"\n[link3]\n", ":2: section [link3]: the file is for a CRU", EINVAL},
		{"[other]\n", ":1: unknown section [other]: there is only [crorc]", EINVAL},
		{"", ":1: the file has no section, such as [crorc]", EINVAL},
		{"[crorc]\ntimeFrameLength=1\ndynamicOffset=1\n[crorc]\n",
		 ":4: section [crorc] is repeated", EINVAL},
	};
	struct roc_crorc_config before;
	enum roc_card_type type;
	size_t i;

	strcpy(path + strlen(path) - 6, "XXXXXX");
	unusual();
	before = config;
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		write_file("", faults[i].text);
		UNIT_EQ(roc_crorc_config_load(uri, &config, NULL), -faults[i].err);
		ERROR_HAS(faults[i].error);
	}
	UNIT_EQ(roc_crorc_config_diff(&before, &config, NULL), 0);
	write_file("", "[other]\nx=y\n");
	UNIT_EQ(roc_config_card(uri, &type), -EINVAL);
	ERROR_HAS("no section of a card");
	UNIT_EQ(roc_config_card("consul://host/x", &type), -EOPNOTSUPP);
	UNIT_EQ(unlink(path), 0);
	UNIT_EQ(roc_config_card(uri, &type), -ENOENT);
}

static void by_name(void)
{
	roc_crorc_config_default(&config);
	UNIT_EQ(roc_crorc_config_set(&config, "crorc", "crorcId", "0x3a"), 0);
	UNIT_EQ(config.crorc_id, 0x3a);
	UNIT_EQ(roc_crorc_config_set(&config, "crorc", "timeFrameLength", "0x100"), 0);
	UNIT_EQ(roc_crorc_config_set(&config, "crorc", "timeFrameDetection", "false"), 0);
	CU_ASSERT_FALSE(config.time_frame_detection);
	UNIT_EQ(roc_crorc_config_set(&config, "cru", "cruId", "1"), -ENOENT);
	ERROR_HAS("the only one is crorc");
	UNIT_EQ(roc_crorc_config_set(&config, "crorc", "clock", "TTC"), -ENOENT);
	UNIT_EQ(roc_crorc_config_set(&config, "crorc", "dynamicOffset", "maybe"), -EINVAL);
	UNIT_EQ(roc_crorc_config_set(&config, "crorc", "crorcId", "1000"), -ERANGE);
}

/* Each link has other values; a dark link is down. */
static void status_of_it(void)
{
	struct roc_crorc_status s;
	unsigned int l;

	card_begin();
	unusual();
	UNIT_EQ(configure(0), 0);
	for (l = 0; l < 6; l++)
		poke(l, 0x060, 1000 + l);
	poke(0, 0x144, 0x00640fa3);
	poke(0, 0x148, 0x00020001);
	poke(0, 0x154, 0xffff0000);
	card.writes = 0;
	UNIT_EQ(roc_crorc_status_read(ep, ROC_CRORC_ALL_LINKS, &s), 0);
	UNIT_EQ(card.writes, 0);
	UNIT_EQ(s.crorc_id, 0xabc);
	UNIT_EQ(s.time_frame_length, 77);
	CU_ASSERT_TRUE(s.laser);
	CU_ASSERT_TRUE(s.dynamic_offset);
	CU_ASSERT_FALSE(s.time_frame_detection);
	UNIT_EQ(s.link_mask, 0x3f);
	for (l = 0; l < 6; l++) {
		UNIT_EQ(s.links[l].up, l != 4);
		UNIT_EQ(s.links[l].orbit_sor, 1000 + l);
		CU_ASSERT_FALSE(s.links[l].receiving);
	}
	CU_ASSERT_DOUBLE_EQUAL(s.links[0].optical_power, 400.3, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(s.links[1].optical_power, 10, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(s.links[2].optical_power, 0.1, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(s.links[3].optical_power, 0.2, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(s.links[4].optical_power, 0, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(s.links[5].optical_power, 6553.5, 1e-9);
	UNIT_EQ(roc_crorc_status_read(ep, 1 << 6, &s), -ERANGE);
	ERROR_HAS("link 6 does not exist: links are 0 to 5");
	crorc_card.write(host.card, 0, 2, 0x010, 0x1200);
	UNIT_EQ(roc_crorc_status_read(ep, 0xc, &s), 0);
	UNIT_EQ(s.link_mask, 0xc);
	CU_ASSERT_TRUE(s.links[2].receiving);
	CU_ASSERT_TRUE(s.links[2].loopback);
	CU_ASSERT_FALSE(s.links[3].receiving);
	card_end();
}

static void packets(void)
{
	struct roc_crorc_packets p;
	unsigned int l;

	card_begin();
	for (l = 0; l < 6; l++)
		poke(l, 0x054, 4294967290u + l);
	UNIT_EQ(roc_crorc_packets_read(ep, &p), 0);
	for (l = 0; l < 6; l++) {
		UNIT_EQ(p.rate[l], peek(l, 0x050));
		UNIT_EQ(p.received[l], 4294967290u + l);
	}
	UNIT_EQ(card.reads, 12);
	UNIT_EQ(card.writes, 0);
	card_end();
}

UNIT_MAIN("libroc_crorc_config", {"all parameters are written", all_parameters_are_written},
	  {"nothing to do, nothing written", nothing_to_do}, {"refusals", refusals},
	  {"started meanwhile", started_meanwhile}, {"firmware", firmware},
	  {"restored after an error", restored_after_an_error}, {"laser timeout", laser_timeout},
	  {"laser check at the end of the wait", laser_check_at_the_end}, {"files", files},
	  {"faulty files", faulty_files}, {"by name", by_name}, {"status", status_of_it},
	  {"packets", packets})
