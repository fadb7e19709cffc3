// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test roc-flash-read --file without a card: the linker replaces the flash. An interrupted read
 * must not leave or change a file.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "utils/flash/flash.h"
#include "utils/tools.h"

static char folder[] = "/tmp/roc-flash-XXXXXX";
static char path[64];
static uint32_t fails_at; /* word that cannot be read */
static unsigned int reads;
static int comes; /* a signal during each read */

int __wrap_flash_card_open(const char *id, struct flash_card *f);
void __wrap_flash_card_close(struct flash_card *f);
int __wrap_roc_crorc_flash_read(struct roc_endpoint *ep, uint32_t at, uint16_t *words,
				uint32_t *ready, size_t count);

int __wrap_flash_card_open(const char *id, struct flash_card *f)
{
	*f = (struct flash_card){.ep = NULL};
	return TOOL_OK;
}

void __wrap_flash_card_close(struct flash_card *f)
{
}

int __wrap_roc_crorc_flash_read(struct roc_endpoint *ep, uint32_t at, uint16_t *words,
				uint32_t *ready, size_t count)
{
	size_t i;

	reads++;
	if (comes)
		raise(comes);
	if (fails_at >= at && fails_at < at + count)
		return roc_fail(EIO, "the flash does not answer");
	for (i = 0; i < count; i++) {
		words[i] = (uint16_t)(at + i);
		ready[i] = 1;
	}
	return 0;
}

static void begin(const char *name)
{
	strcpy(folder, "/tmp/roc-flash-XXXXXX");
	UNIT_NEED(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fails_at = UINT32_MAX;
}

/* No other file is left in the folder. */
static void end(void)
{
	unlink(path);
	UNIT_EQ(rmdir(folder), 0);
}

static int read_words(const char *words)
{
	const struct tool *tool = tool_find("flash-read");
	char file[80], reason[256];
	char *argv[] = {"roc-flash-read", "--id=1001", (char *)words, file, NULL};
	void *values = calloc(1, tool->values_size);
	int code = TOOL_USAGE;

	UNIT_NEED(values);
	snprintf(file, sizeof(file), "--file=%s", path);
	UNIT_EQ(options_parse(tool, 4, argv, values, reason, sizeof(reason)), OPTIONS_RUN);
	code = tool->run(values);
	free(values);
	return code;
}

static void expect_contents(const char *expected)
{
	char got[64] = "";
	FILE *file = fopen(path, "re");

	UNIT_NEED(file);
	got[fread(got, 1, sizeof(got) - 1, file)] = '\0';
	fclose(file);
	UNIT_STR(got, expected);
}

static void whole(void)
{
	begin("backup.txt");
	UNIT_EQ(read_words("--words=3"), TOOL_OK);
	expect_contents("0\n1\n2\n");
	UNIT_EQ(read_words("--words=2"), TOOL_OK);
	expect_contents("0\n1\n");
	end();
}

/* An incomplete read does not replace an earlier backup. */
static void halfway(void)
{
	begin("backup.txt");
	UNIT_EQ(read_words("--words=2"), TOOL_OK);
	fails_at = 5000;
	UNIT_EQ(read_words("--words=9000"), TOOL_FAILED);
	expect_contents("0\n1\n");
	end();
	begin("other.txt");
	fails_at = 5000;
	UNIT_EQ(read_words("--words=9000"), TOOL_FAILED);
	UNIT_EQ(access(path, F_OK), -1);
	end();
}

static void no_file(void)
{
	struct stat st;
	int fd;

	begin("fifo");
	UNIT_NEED(!mkfifo(path, 0600));
	/* The writer of the pipe continues. */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	fails_at = 1;
	UNIT_EQ(read_words("--words=2"), TOOL_FAILED);
	UNIT_NEED(!lstat(path, &st));
	CU_ASSERT_TRUE(S_ISFIFO(st.st_mode));
	close(fd);
	end();
}

/* A full disk fails before the end of the read, which takes minutes. */
static void full(void)
{
	struct rlimit limit, before;

	begin("backup.txt");
	UNIT_EQ(read_words("--words=2"), TOOL_OK);
	signal(SIGXFSZ, SIG_IGN);
	UNIT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 4096;
	UNIT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	reads = 0;
	UNIT_EQ(read_words("--words=1000000"), TOOL_FAILED);
	UNIT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
	CU_ASSERT_TRUE(reads < 10);
	expect_contents("0\n1\n");
	end();
}

/*
 * A closed terminal leaves no partial file. In a child process, because a stop request cannot be
 * undone.
 */
static void terminal_goes(void)
{
	int status = 0;
	pid_t pid;

	begin("backup.txt");
	UNIT_EQ(read_words("--words=2"), TOOL_OK);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		signal(SIGHUP, SIG_DFL);
		alarm(100);
		comes = SIGHUP;
		_exit(read_words("--words=1000000"));
	}
	UNIT_EQ(waitpid(pid, &status, 0), pid);
	CU_ASSERT_TRUE(WIFEXITED(status));
	UNIT_EQ(WEXITSTATUS(status), TOOL_FAILED);
	expect_contents("0\n1\n");
	end();
}

UNIT_MAIN("roc-flash-read", {"closed terminal", terminal_goes}, {"complete read", whole},
	  {"halfway", halfway}, {"path is not a regular file", no_file}, {"full disk", full})
