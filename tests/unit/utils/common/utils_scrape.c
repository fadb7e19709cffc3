// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the path of a metrics socket: which sockets are replaced, and what stays. utils_rosd_life
 * tests the output of a socket.
 */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "utils/common/prometheus.h"

static char folder[] = "/tmp/roc-scrape-XXXXXX";
static char path[64];

static void begin(void)
{
	strcpy(folder, "/tmp/roc-scrape-XXXXXX");
	UNIT_NEED(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/name", folder);
}

static void end(void)
{
	unlink(path);
	UNIT_EQ(rmdir(folder), 0);
}

static void put_file(void)
{
	FILE *f = fopen(path, "we");

	UNIT_NEED(f);
	fputs("another's", f);
	fclose(f);
}

static bool is(mode_t type)
{
	struct stat st;

	return !lstat(path, &st) && (st.st_mode & S_IFMT) == type;
}

static void print(struct prometheus *p, void *what)
{
}

static void deserted(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct scrape *s;

	begin();
	strcpy(address.sun_path, path);
	UNIT_NEED(!bind(fd, (struct sockaddr *)&address, sizeof(address)));
	close(fd);
	s = scrape_start(path, print, NULL);
	UNIT_NEED(s);
	CU_ASSERT_TRUE(is(S_IFSOCK));
	/* A socket with a listener is not replaced. */
	CU_ASSERT_PTR_NULL(scrape_start(path, print, NULL));
	scrape_stop(s);
	CU_ASSERT_FALSE(is(S_IFSOCK));
	end();
}

static volatile sig_atomic_t late;

static void is_late(int sig)
{
	late = 1;
}

/* The listener does not accept, and its backlog is full. */
static void no_answer(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct sigaction limit = {.sa_handler = is_late};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), waits[16];
	unsigned int count = 0;
	struct sigaction before;
	bool full = false;

	begin();
	strcpy(address.sun_path, path);
	UNIT_NEED(!bind(fd, (struct sockaddr *)&address, sizeof(address)) && !listen(fd, 0));
	while (!full && count < 16) {
		waits[count] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		full = connect(waits[count++], (struct sockaddr *)&address, sizeof(address)) &&
		       errno == EAGAIN;
	}
	CU_ASSERT_TRUE(full);
	late = 0;
	sigaction(SIGALRM, &limit, &before);
	alarm(20);
	CU_ASSERT_PTR_NULL(scrape_start(path, print, NULL));
	alarm(0);
	sigaction(SIGALRM, &before, NULL);
	CU_ASSERT_FALSE(late);
	CU_ASSERT_TRUE(is(S_IFSOCK));
	while (count)
		close(waits[--count]);
	close(fd);
	end();
}

#define FILES 32

static _Atomic unsigned int looks;

int __real_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	looks++;
	return __real_accept4(fd, address, size, flags);
}

/*
 * At the limit of open files, accept() is retried periodically, and a waiting client is accepted
 * later.
 */
static void no_files(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct rlimit limit, none;
	char answer[16] = "";
	struct scrape *s;
	int fd, last, files[FILES];
	unsigned int count = 0;
	double since;

	begin();
	s = scrape_start(path, print, NULL);
	UNIT_NEED(s);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* poll() accepts no more descriptors than the limit of open files. */
	while (count < FILES)
		files[count++] = dup(fd);
	last = files[count - 1];
	UNIT_NEED(last >= FILES && !getrlimit(RLIMIT_NOFILE, &limit));
	none = limit;
	none.rlim_cur = (rlim_t)last + 1;
	UNIT_NEED(!setrlimit(RLIMIT_NOFILE, &none));
	looks = 0;
	since = unit_seconds();
	strcpy(address.sun_path, path);
	UNIT_EQ(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(looks > 2, 5000));
	CU_ASSERT_TRUE(looks <= (unit_seconds() - since) * 20 + 2);
	UNIT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	UNIT_EQ(send(fd, "GET /\n\n", 7, 0), 7);
	CU_ASSERT_TRUE(UNIT_WAIT(recv(fd, answer, 12, MSG_DONTWAIT) > 0, 5000));
	UNIT_STR(answer, "HTTP/1.0 200");
	while (count)
		close(files[--count]);
	close(fd);
	scrape_stop(s);
	end();
}

/* A regular file has no listener either. */
static void a_file(void)
{
	struct scrape *s;

	begin();
	put_file();
	s = scrape_start(path, print, NULL);
	CU_ASSERT_PTR_NULL(s);
	CU_ASSERT_TRUE(is(S_IFREG));
	scrape_stop(s);
	end();
}

/* Another program has replaced our socket at its path. */
static void another(void)
{
	struct scrape *s;

	begin();
	s = scrape_start(path, print, NULL);
	UNIT_NEED(s);
	UNIT_EQ(unlink(path), 0);
	put_file();
	scrape_stop(s);
	CU_ASSERT_TRUE(is(S_IFREG));
	end();
}

UNIT_MAIN("metrics socket", {"stale socket is replaced", deserted},
	  {"socket with a busy listener stays", no_answer}, {"out of descriptors", no_files},
	  {"regular file stays", a_file}, {"socket of another program stays", another})
