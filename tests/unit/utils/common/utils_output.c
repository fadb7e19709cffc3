// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the writers of InfluxDB lines, Prometheus text and tables: escapes, values without
 * representation, alignment.
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pty.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "child.h"
#include "utils/common/output.h"
#include "utils/common/prometheus.h"
#include "utils/common/tool.h"

static char *text;
static size_t length;

static FILE *begin(void)
{
	FILE *out = open_memstream(&text, &length);

	UNIT_NEED(out);
	return out;
}

static void expect(FILE *out, const char *expected)
{
	fclose(out);
	UNIT_STR(text, expected);
	free(text);
}

static void influx_escapes(void)
{
	FILE *out = begin();
	struct influx l;

	influx_start(&l, out, "a b,c");
	influx_tag(&l, "k=1", "v w,x=y");
	influx_tag_number(&l, "n", 12);
	influx_tag_number(&l, "u", -1);
	influx_text(&l, "t", "say \"no\" \\ yes, a=b");
	influx_signed(&l, "i", INT64_MIN);
	influx_real(&l, "r", 0.5);
	influx_end(&l, UINT64_MAX);
	expect(out,
	       "a\\ b\\,c,k\\=1=v\\ w\\,x\\=y,n=12,u=unknown t=\"say \\\"no\\\" \\\\ yes, a=b\",i=-9223372036854775808i,r=0.5 18446744073709551615\n");
}

/* InfluxDB has no NaN: the field is omitted in any place. */
static void influx_not_finite(void)
{
	FILE *out = begin();
	struct influx l;

	influx_start(&l, out, "m");
	influx_real(&l, "a", NAN);
	influx_real(&l, "b", 1e10);
	influx_real(&l, "c", -INFINITY);
	influx_signed(&l, "d", 0);
	influx_end(&l, 1);
	expect(out, "m b=1e+10,d=0i 1\n");
}

/*
 * Tags and addresses match the existing dashboards; only an address outside domain 0000 keeps its
 * domain.
 */
static void influx_cards(void)
{
	struct roc_card cru = {.type = ROC_CARD_CRU,
			       .serial = 245,
			       .endpoint = 1,
			       .sequence = 3,
			       .pci_address = "0000:3c:00.0"},
			crorc = {.type = ROC_CARD_CRORC,
				 .serial = -1,
				 .sequence = 4,
				 .pci_address = "10000:01:00.0"};
	FILE *out = begin();
	struct influx l;

	influx_start_card(&l, out, "m", &cru, -1);
	influx_end(&l, 1);
	influx_start_card(&l, out, "m", &cru, 11);
	influx_end(&l, 2);
	influx_start_card(&l, out, "m", &crorc, 5);
	influx_end(&l, 3);
	expect(out, "m,serialId=245,endpoint=1,id=3,type=CRU pciAddress=\"3c:00.0\" 1\n"
		    "m,serialId=245,endpoint=1,CRU=3,id=11,type=CRU pciAddress=\"3c:00.0\" 2\n"
		    "m,serialId=unknown,CRORC=4,id=5,type=CRORC pciAddress=\"10000:01:00.0\" 3\n");
}

/* TYPE and HELP have the names of the samples; the only types are counter and gauge. */
static void prometheus_forms(void)
{
	struct prometheus_labels labels = {.text = ""};
	FILE *out = begin();
	struct prometheus m;

	prometheus_label(&labels, "a", "x\"y\\z\nw");
	prometheus_label(&labels, "b", "");
	prometheus_start(&m, out);
	prometheus_family(&m, "f", PROMETHEUS_COUNTER, "Help.");
	prometheus_sample(&m, &labels, 4294967295.0);
	prometheus_sample(&m, &labels, 9007199254740991.0);
	prometheus_family(&m, "g", PROMETHEUS_GAUGE, "Help.");
	prometheus_sample(&m, &labels, NAN);
	prometheus_sample(&m, &labels, -INFINITY);
	prometheus_sample(&m, &labels, 0.0025);
	prometheus_sample(&m, &labels, -3);
	prometheus_family(&m, "h", PROMETHEUS_INFO, "Help.");
	prometheus_sample(&m, &labels, 1);
	expect(out, "# HELP f_total Help.\n# TYPE f_total counter\n"
		    "f_total{a=\"x\\\"y\\\\z\\nw\",b=\"\"} 4294967295\n"
		    "f_total{a=\"x\\\"y\\\\z\\nw\",b=\"\"} 9007199254740991\n"
		    "# HELP g Help.\n# TYPE g gauge\n"
		    "g{a=\"x\\\"y\\\\z\\nw\",b=\"\"} NaN\n"
		    "g{a=\"x\\\"y\\\\z\\nw\",b=\"\"} -Inf\n"
		    "g{a=\"x\\\"y\\\\z\\nw\",b=\"\"} 0.0025\n"
		    "g{a=\"x\\\"y\\\\z\\nw\",b=\"\"} -3\n"
		    "# HELP h_info Help.\n# TYPE h_info gauge\n"
		    "h_info{a=\"x\\\"y\\\\z\\nw\",b=\"\"} 1\n");
}

/* Any file name is complete in the label, and a sum is a number. */
static void prometheus_file(void)
{
	static const double limits[] = {0.5, 1};
	static const uint64_t counts[] = {1, 2, 4};
	struct prometheus_labels none = {.text = ""}, labels = {.text = ""};
	FILE *out = begin();
	struct prometheus m;

	/* Invalid UTF-8 in either label, for which node_exporter would reject the file. */
	prometheus_label(&labels, "a", "b\xff");
	prometheus_start_file(&m, out, "/x\xfe/\"y\\.prom");
	prometheus_family(&m, "f", PROMETHEUS_GAUGE, "Help.");
	prometheus_sample(&m, &none, 1);
	prometheus_sample(&m, &labels, 2);
	prometheus_family(&m, "h", PROMETHEUS_HISTOGRAM, "Help.");
	prometheus_histogram(&m, &none, limits, counts, 3,
			     prometheus_estimate_sum(limits, counts, 3));
#define FILE_LABEL "file=\"/x\xef\xbf\xbd/\\\"y\\\\.prom\""
	expect(out, "# HELP f Help.\n# TYPE f gauge\n"
		    "f{" FILE_LABEL "} 1\n"
		    "f{a=\"b\xef\xbf\xbd\"," FILE_LABEL "} 2\n"
		    "# HELP h Help.\n# TYPE h histogram\n"
		    "h_bucket{" FILE_LABEL ",le=\"0.5\"} 1\n"
		    "h_bucket{" FILE_LABEL ",le=\"1\"} 3\n"
		    "h_bucket{" FILE_LABEL ",le=\"+Inf\"} 7\n"
		    "h_sum{" FILE_LABEL "} 5.75\n"
		    "h_count{" FILE_LABEL "} 7\n");
}

/* A label that does not fit is truncated and still terminated. */
static void labels_full(void)
{
	struct prometheus_labels labels = {.text = ""};
	unsigned int i;

	for (i = 0; i < 100; i++)
		prometheus_label(&labels, "label", "value");
	CU_ASSERT(strlen(labels.text) < sizeof(labels.text));
	UNIT_EQ(labels.text[strlen(labels.text) - 1], '"');
}

/* With any available space, a label keeps its quotes, escapes and characters complete. */
static void label_cut(void)
{
	static const char *const parts[] = {"x", "\"", "\n", "\xc3\xa9", "\xe2\x82\xac"};
	struct prometheus_labels labels;
	char value[1024];
	size_t before, i, k;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		for (before = 0; before < 16; before++) {
			memset(&labels, 0, sizeof(labels));
			/* Truncate at each byte of a part. */
			memset(value, 'a', before);
			for (k = before; k < sizeof(value) - 4;)
				k += (size_t)sprintf(value + k, "%s", parts[i]);
			prometheus_label(&labels, "k", value);
			k = strlen(labels.text);
			CU_ASSERT(k < sizeof(labels.text) && k > sizeof(labels.text) - 8);
			UNIT_EQ(labels.text[k - 1], '"');
			CU_ASSERT(labels.text[k - 2] == parts[i][strlen(parts[i]) - 1] ||
				  (parts[i][0] == '\n' && labels.text[k - 2] == 'n'));
			if (parts[i][0] == '"')
				UNIT_EQ(labels.text[k - 3], '\\');
			/* No other label fits after it. */
			prometheus_label(&labels, "another", "value");
			UNIT_EQ(strlen(labels.text), k);
		}
	}
}

static void columns(void)
{
	static const char *const heads[] = {">N", "Name", ">Last", NULL};
	unsigned int i;
	struct table t;
	FILE *out = begin();

	table_start(&t, heads);
	table_cell(&t, NULL, "%d", 1);
	table_cell(&t, NULL, "a long name");
	table_cell(&t, COLOUR_BAD, "%d", 5);
	table_cell(&t, NULL, "%d", 100);
	table_cell(&t, NULL, "b");
	table_cell(&t, NULL, "123456");
	table_print(&t, out, false);
	for (i = 0; i < 300; i++)
		table_cell(&t, NULL, "x");
	table_print(&t, out, false);
	fclose(out);
	UNIT_EQ(strncmp(text,
			"  N  Name           Last\n"
			"  1  a long name       5\n"
			"100  b            123456\n"
			"N  Name  Last\n"
			"x  x        x\n",
			73 + 14 + 14),
		0);
	free(text);
}

static void choice(void)
{
	struct output_options none = {.json = false}, json = {.json_out = true},
			      old = {.openmetrics = true}, both = {.json = true, .json_out = true},
			      two = {.monitoring = true, .prometheus = true};
	enum output_format format;

	UNIT_EQ(output_choose(&none, &format), TOOL_OK);
	UNIT_EQ(format, OUTPUT_TEXT);
	UNIT_EQ(output_choose(&json, &format), TOOL_OK);
	UNIT_EQ(format, OUTPUT_JSON);
	UNIT_EQ(output_choose(&both, &format), TOOL_OK);
	UNIT_EQ(format, OUTPUT_JSON);
	UNIT_EQ(output_choose(&two, &format), TOOL_USAGE);
	UNIT_EQ(output_choose(&old, &format), TOOL_OK);
	UNIT_EQ(format, OUTPUT_PROMETHEUS);
}

static char folder[64];

/* Count the files in the folder; each must have @name. */
static unsigned int files(const char *name)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	unsigned int count = 0;

	UNIT_NEED(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		count++;
		UNIT_STR(entry->d_name, name);
	}
	closedir(dir);
	return count;
}

static void expect_contents(const char *path, const char *expected)
{
	char got[256] = "";
	FILE *file = fopen(path, "r");

	UNIT_NEED(file);
	got[fread(got, 1, sizeof(got) - 1, file)] = '\0';
	fclose(file);
	UNIT_STR(got, expected);
}

/* Run a tool once with --output. */
static int write_one(const char *path, const char *printed, int code)
{
	struct output_options options = {.prometheus = true, .file = path};
	struct output o;

	UNIT_EQ(output_begin(&options, &o), TOOL_OK);
	UNIT_EQ(o.format, OUTPUT_PROMETHEUS);
	fputs(printed, o.out);
	return output_end(&o, code);
}

static void whole_files(void)
{
	char path[128], link[128];
	struct stat first, second;
	mode_t mask = umask(022);
	FILE *reader;

	strcpy(folder, "/tmp/roc-output-XXXXXX");
	UNIT_NEED(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/roc.prom", folder);
	UNIT_EQ(write_one(path, "one\n", TOOL_OK), TOOL_OK);
	expect_contents(path, "one\n");
	UNIT_EQ(stat(path, &first), 0);
	/* Readable for a collector of another user. */
	UNIT_EQ(first.st_mode & 0777, 0644);
	/*
	 * A process with the old file open continues to read it, because the name refers to a new
	 * file.
	 */
	reader = fopen(path, "r");
	UNIT_NEED(reader);
	UNIT_EQ(write_one(path, "two\n", TOOL_FAILED), TOOL_FAILED);
	UNIT_EQ(fgetc(reader), 'o');
	fclose(reader);
	expect_contents(path, "two\n");
	UNIT_EQ(stat(path, &second), 0);
	CU_ASSERT_NOT_EQUAL(first.st_ino, second.st_ino);
	/* Without output the file stays. */
	UNIT_EQ(write_one(path, "", TOOL_FAILED), TOOL_FAILED);
	expect_contents(path, "two\n");
	UNIT_EQ(files("roc.prom"), 1);
	/* A symbolic link stays a link. */
	snprintf(link, sizeof(link), "%s.link", folder);
	UNIT_EQ(symlink(path, link), 0);
	UNIT_EQ(write_one(link, "three\n", TOOL_OK), TOOL_OK);
	expect_contents(path, "three\n");
	UNIT_EQ(lstat(link, &first), 0);
	CU_ASSERT(S_ISLNK(first.st_mode));
	UNIT_EQ(unlink(link), 0);
	UNIT_EQ(unlink(path), 0);
	UNIT_EQ(rmdir(folder), 0);
	umask(mask);
}

/* The readers of the old file can read the new one. */
static void mode_and_owner(void)
{
	char path[128];
	struct stat st;

	strcpy(folder, "/tmp/roc-output-XXXXXX");
	UNIT_NEED(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/roc.prom", folder);
	UNIT_EQ(write_one(path, "one\n", TOOL_OK), TOOL_OK);
	UNIT_EQ(chmod(path, 0604), 0);
	UNIT_EQ(write_one(path, "two\n", TOOL_OK), TOOL_OK);
	UNIT_EQ(stat(path, &st), 0);
	UNIT_EQ(st.st_mode & 07777, 0604);
	if (!getuid()) {
		UNIT_EQ(chown(path, 12, 34), 0);
		UNIT_EQ(write_one(path, "three\n", TOOL_OK), TOOL_OK);
		UNIT_EQ(stat(path, &st), 0);
		UNIT_EQ(st.st_uid, 12);
		UNIT_EQ(st.st_gid, 34);
		UNIT_EQ(st.st_mode & 07777, 0604);
	}
	expect_contents(path, getuid() ? "two\n" : "three\n");
	UNIT_EQ(files("roc.prom"), 1);
	UNIT_EQ(unlink(path), 0);
	UNIT_EQ(rmdir(folder), 0);
}

/* Write as a user that may write to the folder but is not in the group of the file. */
static int write_as_other(const char *path)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (setgid(56) || setuid(57))
			_exit(126);
		_exit(write_one(path, "other\n", TOOL_OK));
	}
	UNIT_NEED(waitpid(pid, &status, 0) == pid);
	return WEXITSTATUS(status);
}

/* If the group cannot be kept, it gets no permission that others did not have. */
static void another_group(void)
{
	char path[128];
	struct stat st;

	if (getuid()) {
		unit_skip("needs root to switch to another user");
		return;
	}
	strcpy(folder, "/tmp/roc-output-XXXXXX");
	UNIT_NEED(mkdtemp(folder));
	UNIT_EQ(chmod(folder, 0777), 0);
	snprintf(path, sizeof(path), "%s/roc.prom", folder);
	UNIT_EQ(write_one(path, "one\n", TOOL_OK), TOOL_OK);
	UNIT_EQ(chown(path, 12, 34), 0);
	UNIT_EQ(chmod(path, 0664), 0);
	UNIT_EQ(write_as_other(path), TOOL_OK);
	UNIT_EQ(stat(path, &st), 0);
	UNIT_EQ(st.st_uid, 57);
	UNIT_EQ(st.st_gid, 56);
	UNIT_EQ(st.st_mode & 07777, 0644);
	expect_contents(path, "other\n");
	UNIT_EQ(unlink(path), 0);
	UNIT_EQ(rmdir(folder), 0);
}

/* @path is standard output: a log that a shell appends to. */
static void log_stays(const char *log, const char *path)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644), STDOUT_FILENO);
		printf("before\n");
		status = write_one(path, "one\n", TOOL_OK);
		printf("after\n");
		fflush(stdout);
		_exit(status);
	}
	UNIT_NEED(waitpid(pid, &status, 0) == pid);
	UNIT_EQ(WEXITSTATUS(status), TOOL_OK);
}

static void standard_output(void)
{
	static const char *const names[] = {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", NULL};
	struct stat before, after;
	char path[128];
	unsigned int i;
	FILE *file;

	strcpy(folder, "/tmp/roc-output-XXXXXX");
	UNIT_NEED(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/log", folder);
	/* Last, by its own name. */
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		file = fopen(path, "w");
		UNIT_NEED(file);
		fputs("old\n", file);
		fclose(file);
		UNIT_EQ(stat(path, &before), 0);
		log_stays(path, names[i] ? names[i] : path);
		UNIT_EQ(stat(path, &after), 0);
		UNIT_EQ(before.st_ino, after.st_ino);
		expect_contents(path, "old\nbefore\none\nafter\n");
		UNIT_EQ(files("log"), 1);
	}
	UNIT_EQ(unlink(path), 0);
	UNIT_EQ(rmdir(folder), 0);
}

/* A file in memory is a file like others. */
static void shared_memory(void)
{
	struct stat before, after;
	char path[128];

	strcpy(folder, "/dev/shm/roc-output-XXXXXX");
	if (!mkdtemp(folder)) {
		unit_skip("there is no /dev/shm");
		return;
	}
	snprintf(path, sizeof(path), "%s/roc.prom", folder);
	UNIT_EQ(write_one(path, "long before\n", TOOL_OK), TOOL_OK);
	UNIT_EQ(stat(path, &before), 0);
	UNIT_EQ(write_one(path, "one\n", TOOL_OK), TOOL_OK);
	UNIT_EQ(stat(path, &after), 0);
	CU_ASSERT_NOT_EQUAL(before.st_ino, after.st_ino);
	expect_contents(path, "one\n");
	UNIT_EQ(unlink(path), 0);
	UNIT_EQ(rmdir(folder), 0);
}

/* A device is written to and stays a device; a missing folder is an error. */
static void no_file(void)
{
	struct stat st;

	UNIT_EQ(write_one("/dev/null", "one\n", TOOL_OK), TOOL_OK);
	UNIT_EQ(stat("/dev/null", &st), 0);
	CU_ASSERT(S_ISCHR(st.st_mode));
	UNIT_EQ(write_one("/dev/full", "one\n", TOOL_OK), TOOL_FAILED);
	UNIT_EQ(write_one("/dev", "one\n", TOOL_OK), TOOL_FAILED);
	UNIT_EQ(write_one("/nowhere/roc.prom", "one\n", TOOL_OK), TOOL_FAILED);
}

static void print_text(struct prometheus *p, void *what)
{
	fputs(what, p->out);
}

static void print_sample(struct prometheus *p, void *what)
{
	struct prometheus_labels none = {.text = ""};

	prometheus_family(p, "f", PROMETHEUS_GAUGE, "Help.");
	prometheus_sample(p, &none, 1);
}

/*
 * A metrics file that is written periodically: a failure is reported once, and so is the recovery.
 */
static void metrics_file(void)
{
	struct metrics_file none = {.path = NULL}, device = {.path = "/"}, m = {0};
	struct metrics_file relative = {.path = "roc.prom"};
	char path[128], sentence[256], before[PATH_MAX];
	int turn;

	CU_ASSERT_PTR_NULL(metrics_file_write(&none, print_text, "one\n"));
	strcpy(folder, "/tmp/roc-output-XXXXXX");
	UNIT_NEED(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/roc.prom", folder);
	m.path = path;
	CU_ASSERT_PTR_NULL(metrics_file_write(&m, print_text, "one\n"));
	expect_contents(path, "one\n");
	for (turn = 0; turn < 2; turn++) {
		UNIT_EQ(unlink(path), 0);
		UNIT_EQ(rmdir(folder), 0);
		snprintf(sentence, sizeof(sentence),
			 "Cannot write %s: No such file or directory. The next update tries again.",
			 path);
		UNIT_STR(metrics_file_write(&m, print_text, "two\n"), sentence);
		CU_ASSERT_PTR_NULL(metrics_file_write(&m, print_text, "two\n"));
		UNIT_EQ(mkdir(folder, 0755), 0);
		snprintf(sentence, sizeof(sentence), "Writing %s works again.", path);
		UNIT_STR(metrics_file_write(&m, print_text, "three\n"), sentence);
		expect_contents(path, "three\n");
		CU_ASSERT_PTR_NULL(metrics_file_write(&m, print_text, "four\n"));
		expect_contents(path, "four\n");
	}
	UNIT_EQ(files("roc.prom"), 1);
	/* A relative path becomes absolute, as node_exporter names the file. */
	UNIT_NEED(getcwd(before, sizeof(before)));
	UNIT_EQ(chdir(folder), 0);
	CU_ASSERT_PTR_NULL(metrics_file_write(&relative, print_sample, NULL));
	UNIT_EQ(chdir(before), 0);
	snprintf(sentence, sizeof(sentence), "# HELP f Help.\n# TYPE f gauge\nf{file=\"%s\"} 1\n",
		 path);
	expect_contents(path, sentence);
	UNIT_EQ(unlink(path), 0);
	UNIT_EQ(rmdir(folder), 0);
	UNIT_STR(metrics_file_write(&device, print_text, "one\n"),
		 "Cannot write /: not a regular file. The next update tries again.");
	CU_ASSERT_PTR_NULL(metrics_file_write(&device, print_text, "one\n"));
}

/*
 * Return the messages of a tool whose output went to a full disk. @early: a write fails before the
 * end.
 */
static const char *messages_at_end(bool early)
{
	static char printed[256];
	int ends[2], status;
	pid_t pid;

	pid = child_begin(ends);
	if (!pid) {
		dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		printf("a line");
		if (early)
			fflush(stdout);
		errno = ENOTCONN;
		_exit(tool_finish());
	}
	status = child_output(pid, ends, printed, sizeof(printed));
	UNIT_EQ(WEXITSTATUS(status), TOOL_FAILED);
	return printed;
}

static void full_disk(void)
{
	CU_ASSERT_PTR_NOT_NULL(strstr(messages_at_end(false), "No space left"));
	CU_ASSERT_PTR_NOT_NULL(strstr(messages_at_end(true), "Cannot write the output"));
	CU_ASSERT_PTR_NULL(strstr(messages_at_end(true), "not connected"));
}

/* Return what a terminal with @columns columns gets of a live line. */
static const char *live_line(unsigned short columns, const char *line)
{
	static char got[256];
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	struct termios raw;
	int master, slave;
	ssize_t n;
	FILE *out;

	UNIT_EQ(openpty(&master, &slave, NULL, NULL, &size), 0);
	UNIT_EQ(tcgetattr(slave, &raw), 0);
	cfmakeraw(&raw);
	UNIT_EQ(tcsetattr(slave, TCSANOW, &raw), 0);
	out = fdopen(slave, "w");
	UNIT_NEED(out);
	setenv("TERM", "dumb", 1);
	CU_ASSERT_FALSE(output_is_live(out));
	CU_ASSERT_FALSE(output_colours(out));
	unsetenv("TERM");
	CU_ASSERT_FALSE(output_is_live(out));
	setenv("TERM", "xterm", 1);
	CU_ASSERT_TRUE(output_is_live(out));
	output_live(out, "%s", line);
	n = read(master, got, sizeof(got) - 1);
	UNIT_NEED(n > 0);
	got[n] = '\0';
	fclose(out);
	close(master);
	return got;
}

static void live_lines(void)
{
	UNIT_STR(live_line(80, "twenty columns of it"), "\rtwenty columns of it\033[K");
	UNIT_STR(live_line(21, "twenty columns of it"), "\rtwenty columns of it\033[K");
	UNIT_STR(live_line(20, "twenty columns of it"), "\rtwenty columns of i\033[K");
	/* A character of two bytes has one column and is not split. */
	UNIT_STR(live_line(5, "45 \302\260C"), "\r45 \302\260\033[K");
	UNIT_STR(live_line(4, "45 \302\260C"), "\r45 \033[K");
	/* A terminal of unknown size. */
	UNIT_STR(live_line(0, "twenty columns of it"), "\rtwenty columns of it\033[K");
	CU_ASSERT_FALSE(output_is_live(begin()));
}

UNIT_MAIN("output", {"InfluxDB: escapes", influx_escapes},
	  {"InfluxDB: values that are not finite", influx_not_finite},
	  {"InfluxDB: cards", influx_cards}, {"Prometheus", prometheus_forms},
	  {"file label", prometheus_file}, {"labels that do not fit", labels_full},
	  {"truncated label", label_cut}, {"columns", columns}, {"one format at a time", choice},
	  {"files are complete", whole_files}, {"mode and owner of a file", mode_and_owner},
	  {"group of a file", another_group}, {"standard output is not replaced", standard_output},
	  {"files in /dev/shm", shared_memory}, {"output to other file types", no_file},
	  {"metrics file", metrics_file}, {"full disk", full_disk}, {"live lines", live_lines})
