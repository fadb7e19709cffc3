// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test configuration files of a CRU: templates, error messages of invalid files, and round trips.
 */
#include <errno.h>
#include <sys/stat.h>

#include "libroc/board/cru/libroc_cru.h"
#include "tests/unit/libroc/libroc_error.h"
#include "unit.h"

static char directory[] = "/tmp/roc-unit-XXXXXX";
static char path[128];

static void make_directory(void)
{
	static bool made;

	if (!made)
		UNIT_NEED(mkdtemp(directory));
	made = true;
}

static void remove_directory(void)
{
	rmdir(directory);
}

static const char *file(const char *name, const char *text)
{
	FILE *f;

	make_directory();
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "we");
	UNIT_NEED(f);
	UNIT_NEED(fputs(text, f) >= 0);
	UNIT_NEED(!fclose(f));
	return path;
}

static void same(const struct roc_cru_config *a, const struct roc_cru_config *b)
{
	struct roc_config_difference diffs[ROC_CONFIG_DIFFERENCES_MAX];
	unsigned int n = roc_cru_config_diff(a, b, diffs);

	if (n)
		CU_assertImplementation(CU_FALSE, __LINE__, diffs[0].name, diffs[0].have, "",
					CU_FALSE);
	UNIT_EQ(a->gbt_enabled, b->gbt_enabled);
	UNIT_EQ(a->pon_upstream, b->pon_upstream);
	UNIT_EQ(a->onu_address, b->onu_address);
}

static void templates_load(void)
{
	static const char *const names[] = {
		"Documentation/examples/cru_template.cfg",
		"ini://Documentation/examples/cru_template.cfg",
		"Documentation/examples/cru_template.json",
		"json://Documentation/examples/cru_template.json",
		"INI://Documentation/examples/cru_template.cfg",
		"Json://Documentation/examples/cru_template.json",
	};
	struct roc_cru_config wanted, got;
	size_t i, l;

	roc_cru_config_default(&wanted);
	for (l = 0; l < ROC_CRU_LINKS; l++)
		wanted.links[l].enabled = l != 4;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		memset(&got, 0, sizeof(got));
		got.cru_id = 0xabc; /* every value must come from the file */
		if (roc_cru_config_load(names[i], &got))
			CU_assertImplementation(CU_FALSE, __LINE__, names[i], roc_error(), "",
						CU_FALSE);
		same(&wanted, &got);
	}
}

#define CRU_KEYS                                                                                   \
	"allowRejection=true\nclock=ttc\ncruId=0xFED\ndatapathMode=streaming\nloopback=1\n"        \
	"gbtMode=wb\ndownstreamData=Midtrg\nponUpstream=true\nonuAddress=255\n"                    \
	"dynamicOffset=true\ntriggerWindowSize=65535\ngbtEnabled=true\n"                           \
	"userLogicEnabled=true\nrunStatsEnabled=true\nuserAndCommonLogicEnabled=true\n"            \
	"systemId=1f\ntimeFrameLength=0x80\n"
#define CRU CRU_KEYS "dropBadRdhEnabled=TRUE\n"
#define LINK "enabled=true\ngbtMux=swt\nfeeId=0xffff\n"

static void every_value_arrives(void)
{
	static const char text[] = "\xef\xbb\xbf; a comment\r\n [cru] # another\r\n" CRU
				   "\n[links]\n enabled = false \r\ngbtMux\t=\tDDG ; third\n"
				   "feeId=12\n[link0]\n" LINK "[link11]\n" LINK;
	struct roc_cru_config c;

	roc_cru_config_default(&c);
	UNIT_EQ(roc_cru_config_load(file("all.cfg", text), &c), 0);
	CU_ASSERT_TRUE(c.allow_rejection && c.loopback && c.pon_upstream && c.dynamic_offset);
	CU_ASSERT_TRUE(c.gbt_enabled && c.user_logic && c.run_stats && c.user_and_common_logic);
	CU_ASSERT_TRUE(c.drop_bad_rdh);
	UNIT_EQ(c.clock, ROC_CRU_CLOCK_TTC);
	UNIT_EQ(c.cru_id, 0xfed);
	UNIT_EQ(c.datapath_mode, ROC_CRU_STREAMING);
	UNIT_EQ(c.gbt_mode, ROC_CRU_WB);
	UNIT_EQ(c.downstream_data, ROC_CRU_DOWNSTREAM_MIDTRG);
	UNIT_EQ(c.onu_address, 255);
	UNIT_EQ(c.trigger_window_size, 65535);
	UNIT_EQ(c.system_id, 0x1f);
	UNIT_EQ(c.time_frame_length, 128);
	UNIT_EQ(c.links[5].enabled, false);
	UNIT_EQ(c.links[5].mux, ROC_CRU_MUX_DDG);
	UNIT_EQ(c.links[5].fee_id, 0x12);
	UNIT_EQ(c.links[0].enabled, true);
	UNIT_EQ(c.links[11].mux, ROC_CRU_MUX_SWT);
	UNIT_EQ(c.links[11].fee_id, 0xffff);
	unlink(path);
}

/* A missing section leaves its values unchanged. */
static void absent_sections_keep_values(void)
{
	struct roc_cru_config c, before;

	roc_cru_config_default(&c);
	c.cru_id = 7;
	c.links[3].fee_id = 9;
	before = c;
	UNIT_EQ(roc_cru_config_load(file("link.cfg", "[link0]\n" LINK), &c), 0);
	UNIT_EQ(c.cru_id, 7);
	UNIT_EQ(c.links[3].fee_id, 9);
	before.links[0] = (struct roc_cru_link_config){
		.enabled = true, .mux = ROC_CRU_MUX_SWT, .fee_id = 0xffff};
	same(&before, &c);
	unlink(path);
}

static const struct refusal {
	const char *text;
	int err;
	const char *error[3]; /* parts of the error text */
} ini_refusals[] = {
	{"", EINVAL, {":1: ", "no section"}},
	{"clock=TTC\n", EINVAL, {":1: clock", "precedes the first [section]"}},
	{"[cru]\nclock=TTC\n\n[links]\n", EINVAL, {":1: section [cru]", "'allowRejection'"}},
	{"[cru]\n" CRU_KEYS, EINVAL, {":1: section [cru]", "'dropBadRdhEnabled'"}},
	{"[cru]\n" CRU "colour=red\n", EINVAL, {":20: section [cru]", "'colour'"}},
	{"[links]\n" LINK "clock=TTC\n", EINVAL, {":5: section [links]", "'clock'"}},
	{"[cru]\n" CRU "clock=TTC\n", EINVAL, {":20: [cru] clock", "repeated"}},
	{"[link3]\n" LINK "\n[link3]\n" LINK, EINVAL, {":6: section [link3]", "repeated"}},
	{"[link3]\n" LINK "[links]\n" LINK, EINVAL, {":5: ", "[links] must precede [link3]"}},
	{"[link12]\n" LINK, EINVAL, {":1: unknown section [link12]"}},
	{"[link03]\n" LINK, EINVAL, {":1: unknown section [link03]"}},
	{"[Cru]\n" CRU, EINVAL, {":1: unknown section [Cru]"}},
	{"[crorc]\ndynamicOffset=true\n", EINVAL, {":1: ", "C-RORC"}},
	{"[links\n" LINK, EINVAL, {":1: ", "[name]"}},
	{"[]\n", EINVAL, {":1: ", "name of a section"}},
	{"[links]\nenabled\n", EINVAL, {":2: ", "key = value", "'enabled'"}},
	{"[links]\nenabled=yes\n", EINVAL, {":2: [links] enabled", "'yes'", "true"}},
	{"[links]\nenabled=true\ngbtMux=TCC\n", EINVAL, {":3: [links] gbtMux", "TTC, DDG, SWT"}},
	{"[links]\nenabled=true\ngbtMux=TTC\nfeeId=0x10000\n",
	 ERANGE,
	 {":4: [links] feeId", "0xffff"}},
	{"[links]\nfeeId=\n", EINVAL, {":2: [links] feeId", "hexadecimal"}},
	{"[links]\nfeeId=0x\n", EINVAL, {":2: [links] feeId", "hexadecimal"}},
	{"[links]\nfeeId=-1\n", EINVAL, {":2: [links] feeId", "hexadecimal"}},
	{"[cru]\ncruId=0x1000\n", ERANGE, {":2: [cru] cruId", "0xfff"}},
	{"[cru]\ncruId=10000000000000000\n", ERANGE, {":2: [cru] cruId", "0xfff"}},
	{"[cru]\nsystemId=100\n", ERANGE, {":2: [cru] systemId", "0xff"}},
	{"[cru]\ntriggerWindowSize=65536\n", ERANGE, {":2: [cru] triggerWindowSize", "65535"}},
	{"[cru]\ntriggerWindowSize=1e3\n", EINVAL, {":2: [cru] triggerWindowSize", "decimal"}},
	{"[cru]\ntimeFrameLength=4096\n", ERANGE, {":2: [cru] timeFrameLength", "4095"}},
	{"[cru]\nonuAddress=256\n", ERANGE, {":2: [cru] onuAddress", "255"}},
	{"[cru]\nclock=N/A\n", EINVAL, {":2: [cru] clock", "TTC, LOCAL"}},
};

static const struct refusal json_refusals[] = {
	{"", EINVAL, {":1: invalid JSON"}},
	{"{\n \"cru\": {\n \"clock\" \"TTC\"\n }\n}", EINVAL, {":3: invalid JSON"}},
	{"{}", EINVAL, {":1: ", "no section"}},
	{"{}\n x", EINVAL, {":2: invalid JSON"}},
	{"[]", EINVAL, {":1: invalid JSON: not an object"}},
	{"{\n\"cru\": 1\n}", EINVAL, {":2: section [cru]", "object"}},
	{"{\n\"links\": {\n\"enabled\": []\n}}", EINVAL, {":3: [links] enabled", "string"}},
	{"{\n\"links\": {\n\"enabled\": {\"x\": 1}\n}}", EINVAL, {":3: [links] enabled", "string"}},
	{"{\n\"links\": {\n\"enabled\": true}}", EINVAL, {":2: section [links]", "'gbtMux'"}},
	{"{\n\"links\": {\n\"enabled\": true,\n\"colour\": 1\n}}",
	 EINVAL,
	 {":4: section [links]", "'colour'"}},
	{"{\n\"links\": {\n\"enabled\": true,\n\"enabled\": true\n}}",
	 EINVAL,
	 {":4: [links] enabled", "repeated"}},
	{"{\n\"link3\": {\"enabled\": true, \"gbtMux\": \"TTC\", \"feeId\": \"0x1\"},\n"
	 "\"link3\": {\"enabled\": true, \"gbtMux\": \"TTC\", \"feeId\": \"0x1\"}}",
	 EINVAL,
	 {":3: section [link3]", "repeated"}},
	{"{\n\"crorc\": {}}", EINVAL, {":2: ", "C-RORC"}},
	{"{\n\"links\": {\n\"feeId\": \"0x1ffff\"\n}}", ERANGE, {":3: [links] feeId", "0xffff"}},
	{"{\n\"links\": {\n\"feeId\": -1\n}}", EINVAL, {":3: [links] feeId", "hexadecimal"}},
	{"{\n\"\\u0063ru\": {}}", EINVAL, {":2: unknown section"}},
};

static void refuse(const char *name, const struct refusal *r)
{
	struct roc_cru_config c, before;
	const char *error;
	size_t i;

	memset(&c, 0x5a, sizeof(c));
	before = c;
	UNIT_EQ(roc_cru_config_load(file(name, r->text), &c), -r->err);
	CU_ASSERT_FALSE(memcmp(&c, &before, sizeof(c)));
	error = roc_error();
	if (strncmp(error, path, strlen(path)))
		CU_assertImplementation(CU_FALSE, __LINE__, "does not name the file", error, "",
					CU_FALSE);
	for (i = 0; i < 3 && r->error[i]; i++)
		ERROR_HAS(r->error[i]);
	unlink(path);
}

static void faulty_ini_files_are_refused(void)
{
	size_t i;

	for (i = 0; i < sizeof(ini_refusals) / sizeof(ini_refusals[0]); i++)
		refuse("bad.cfg", &ini_refusals[i]);
}

static void faulty_json_files_are_refused(void)
{
	size_t i;

	for (i = 0; i < sizeof(json_refusals) / sizeof(json_refusals[0]); i++)
		refuse("bad.json", &json_refusals[i]);
}

static void other_places_are_refused(void)
{
	struct roc_cru_config c;

	roc_cru_config_default(&c);
	UNIT_EQ(roc_cru_config_load("consul://host:8500/path", &c), -EOPNOTSUPP);
	ERROR_HAS("Consul");
	UNIT_EQ(roc_cru_config_load("http://host/x.json", &c), -EOPNOTSUPP);
	ERROR_HAS("ini://");
	UNIT_EQ(roc_cru_config_load("ini:///nonexistent/x.cfg", &c), -ENOENT);
	ERROR_HAS("/nonexistent/x.cfg");
	UNIT_EQ(roc_cru_config_load("/tmp", &c), -EIO);
	UNIT_EQ(roc_cru_config_save("consul://host/x", &c), -EOPNOTSUPP);
	UNIT_EQ(roc_cru_config_save("/nonexistent/x.cfg", &c), -ENOENT);
	ERROR_HAS("/nonexistent/x.cfg");
}

/* An invalid combination is rejected in a file, too, with the name of the file. */
static void combinations_are_checked(void)
{
	char text[2048] = "[cru]\n" CRU, *at = strstr(text, "userLogicEnabled=true");
	struct roc_cru_config c;

	roc_cru_config_default(&c);
	memcpy(at, "userLogicEnabled=0\n  ", strlen("userLogicEnabled=true"));
	UNIT_EQ(roc_cru_config_load(file("both.cfg", text), &c), -EINVAL);
	ERROR_HAS(path);
	ERROR_HAS("userAndCommonLogicEnabled requires");
	unlink(path);
}

/* Special files and symbolic links are not replaced. */
static void names_stay(void)
{
	char link[sizeof(path) + 8];
	struct roc_cru_config c;
	mode_t mask = umask(027);
	struct stat st;

	roc_cru_config_default(&c);
	file("fifo", "");
	unlink(path);
	UNIT_NEED(!mkfifo(path, 0600));
	UNIT_EQ(roc_cru_config_save(path, &c), -EINVAL);
	ERROR_HAS("is not a regular file");
	UNIT_NEED(!lstat(path, &st));
	CU_ASSERT_TRUE(S_ISFIFO(st.st_mode));
	unlink(path);
	file("real.cfg", "what was there before");
	snprintf(link, sizeof(link), "%s.link", path);
	UNIT_NEED(!symlink("real.cfg", link));
	UNIT_EQ(roc_cru_config_save(link, &c), 0);
	UNIT_NEED(!lstat(link, &st));
	CU_ASSERT_TRUE(S_ISLNK(st.st_mode));
	UNIT_EQ(roc_cru_config_load(path, &c), 0);
	UNIT_NEED(!stat(path, &st));
	UNIT_EQ(st.st_mode & 07777, 0640);
	/* The link is dangling now. */
	unlink(path);
	UNIT_EQ(roc_cru_config_save(link, &c), -ENOENT);
	UNIT_NEED(!lstat(link, &st));
	CU_ASSERT_TRUE(S_ISLNK(st.st_mode));
	unlink(link);
	umask(mask);
}

static void round_trips(void)
{
	static const char *const names[] = {"trip.cfg", "trip.json"};
	struct roc_cru_config c, back;
	mode_t mask = umask(022);
	struct stat st;
	size_t i, l;

	roc_cru_config_default(&c);
	UNIT_EQ(roc_cru_config_load(file("all.cfg", "[cru]\n" CRU), &c), 0);
	unlink(path);
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		c.links[l].enabled = l % 3;
		c.links[l].mux = l % 5;
		c.links[l].fee_id = 0x100 * l;
	}
	for (i = 0; i < 2; i++) {
		memset(&back, 0, sizeof(back));
		file(names[i], "what was there before");
		UNIT_EQ(roc_cru_config_save(path, &c), 0);
		UNIT_EQ(roc_cru_config_load(path, &back), 0);
		CU_ASSERT_FALSE(memcmp(&c, &back, sizeof(c)));
		UNIT_NEED(!stat(path, &st));
		UNIT_EQ(st.st_mode & 07777, 0644);
		unlink(path);
	}
	c.cru_id = 0x1000;
	UNIT_EQ(roc_cru_config_save(path, &c), -ERANGE);
	ERROR_HAS("cru.cruId");
	CU_ASSERT_TRUE(access(path, F_OK));
	remove_directory();
	CU_ASSERT_TRUE(access(directory, F_OK)); /* no temporary file is left */
	umask(mask);
}

static void single_values(void)
{
	struct roc_cru_config c;
	size_t l;

	roc_cru_config_default(&c);
	UNIT_EQ(roc_cru_config_set(&c, "cru", "cruId", "0x12"), 0);
	UNIT_EQ(c.cru_id, 0x12);
	UNIT_EQ(roc_cru_config_set(&c, "links", "gbtMux", "ul"), 0);
	UNIT_EQ(roc_cru_config_set(&c, "link7", "gbtMux", "ddg"), 0);
	for (l = 0; l < ROC_CRU_LINKS; l++)
		UNIT_EQ(c.links[l].mux, l == 7 ? ROC_CRU_MUX_DDG : ROC_CRU_MUX_UL);
	UNIT_EQ(roc_cru_config_set(&c, "link12", "gbtMux", "ul"), -ENOENT);
	ERROR_HAS("link12");
	UNIT_EQ(roc_cru_config_set(&c, "cru", "gbtMux", "ul"), -ENOENT);
	ERROR_HAS("gbtMux");
	UNIT_EQ(roc_cru_config_set(&c, "cru", "clock", "moon"), -EINVAL);
	ERROR_HAS("cru.clock");
	UNIT_EQ(roc_cru_config_set(&c, "cru", "cruId", "1000"), -ERANGE);
	UNIT_EQ(c.cru_id, 0x12);
	c.links[3].mux = 9;
	UNIT_EQ(roc_cru_config_check(&c), -ERANGE);
	ERROR_HAS("link3.gbtMux");
	c.links[3].mux = 0;
	c.clock = 1;
	UNIT_EQ(roc_cru_config_check(&c), -ERANGE);
	ERROR_HAS("cru.clock");
}

static void differences_have_names(void)
{
	struct roc_config_difference d[ROC_CONFIG_DIFFERENCES_MAX];
	struct roc_cru_config a, b;

	roc_cru_config_default(&a);
	b = a;
	UNIT_EQ(roc_cru_config_diff(&a, &b, d), 0);
	a.cru_id = 0x1f;
	a.links[3].enabled = true;
	b.links[5].fee_id = 7; /* both links are disabled: ignored */
	b.onu_address = 3;     /* ignored without PON */
	UNIT_EQ(roc_cru_config_diff(&a, &b, d), 2);
	UNIT_STR(d[0].name, "cru.cruId");
	UNIT_STR(d[0].wanted, "0x1f");
	UNIT_STR(d[0].have, "0x0");
	UNIT_STR(d[1].name, "link3.enabled");
	UNIT_STR(d[1].wanted, "true");
	UNIT_STR(d[1].have, "false");
	a.gbt_enabled = false;
	UNIT_EQ(roc_cru_config_diff(&a, &b, d), 2);
	UNIT_STR(d[1].name, "link0.enabled");
	a.clock = ROC_CRU_CLOCK_TTC;
	a.pon_upstream = true;
	UNIT_EQ(roc_cru_config_diff(&a, &b, NULL), 5);
}

UNIT_MAIN("libroc_cru_file", {"templates load", templates_load},
	  {"every value is read", every_value_arrives},
	  {"absent sections keep values", absent_sections_keep_values},
	  {"invalid INI files are rejected", faulty_ini_files_are_refused},
	  {"invalid JSON files are rejected", faulty_json_files_are_refused},
	  {"other schemes are rejected", other_places_are_refused},
	  {"combinations are checked", combinations_are_checked}, {"single values", single_values},
	  {"differences have names", differences_have_names},
	  {"special files and links are kept", names_stay}, {"round trips", round_trips})
