// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test a call to a server whose host is a name, while the name server does not answer. The resolver
 * of glibc runs in a network namespace whose name server is a socket that is never read.
 */
#include "unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <json-c/json.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libroc/fabric/base.h"
#include "utils/evb/etcd.h"

/* Timeout of the resolver in seconds; a turn may take only a small part of it. */
#define RESOLVER_S 25
#define TURN_S 5

static struct {
	unsigned int calls;
	int result;
	char reason[ROC_EVB_REASON];
} answered;

static void answer(void *self, unsigned int place, int result, struct json_object *o,
		   const char *reason)
{
	answered.calls++;
	answered.result = result;
	snprintf(answered.reason, sizeof(answered.reason), "%s", reason ? reason : "");
}

static bool put_file(const char *path, const char *text, const char *over)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return false;
	fputs(text, f);
	fclose(f);
	return !mount(path, over, "none", MS_BIND, NULL);
}

/* Create the socket of the name server; -1: the test is skipped. */
static int silent_server(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons(53),
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char dir[] = "/tmp/roc-http-XXXXXX", path[64], conf[128];
	bool done;
	int fd;

	UNIT_NEED(mkdtemp(dir));
	done = !unshare(CLONE_NEWNS | CLONE_NEWNET) &&
	       !mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) &&
	       !system("ip link set lo up");
	snprintf(conf, sizeof(conf), "nameserver 127.0.0.1\noptions timeout:%d attempts:1\n",
		 RESOLVER_S);
	snprintf(path, sizeof(path), "%s/resolv.conf", dir);
	done = done && put_file(path, conf, "/etc/resolv.conf");
	snprintf(path, sizeof(path), "%s/hosts", dir);
	done = done && put_file(path, "127.0.0.1 known.test\n", "/etc/hosts");
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (done && !bind(fd, (struct sockaddr *)&a, sizeof(a)))
		return fd;
	unit_skip("needs root for a mount and a network namespace");
	close(fd);
	return -1;
}

static double turn(struct http *h)
{
	double begin = unit_seconds();

	http_turn(h);
	return unit_seconds() - begin;
}

/* Start a server that answers one request with an empty object. */
static pid_t one_answer(int listener)
{
	static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
	char request[1024];
	pid_t pid;
	int peer;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(60);
		peer = accept(listener, NULL, NULL);
		if (recv(peer, request, sizeof(request), 0) > 0)
			send(peer, text, strlen(text), MSG_NOSIGNAL);
		_exit(0);
	}
	UNIT_NEED(pid > 0);
	return pid;
}

static void known_name(struct http *h)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(a);
	char url[64];
	pid_t pid;

	UNIT_NEED(fd >= 0 && !bind(fd, (struct sockaddr *)&a, sizeof(a)) && !listen(fd, 4));
	UNIT_EQ(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	snprintf(url, sizeof(url), "http://known.test:%u/v3/x", ntohs(a.sin_port));
	memset(&answered, 0, sizeof(answered));
	pid = one_answer(fd);
	UNIT_EQ(http_post(h, 1, url, json_object_new_object(), 30000), 0);
	CU_ASSERT_TRUE(UNIT_WAIT((turn(h), answered.calls), 10000));
	UNIT_EQ(answered.result, 0);
	UNIT_STR(answered.reason, "");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
}

static void silent(void)
{
	const struct http_tls tls = {0};
	char reason[ROC_EVB_REASON] = "";
	double longest = 0, begin, took;
	struct http *h;
	int server;

	server = silent_server();
	if (server < 0)
		return;
	h = http_open(&tls, answer, NULL, reason);
	if (!h) {
		unit_skip("%.200s", reason);
		close(server);
		return;
	}
	UNIT_EQ(http_post(h, 0, "http://nowhere.test:2379/v3/x", json_object_new_object(), 60000),
		0);
	/* The call ends long before the resolver, and no turn waits for the resolver. */
	begin = unit_seconds();
	while (!answered.calls && unit_seconds() - begin < RESOLVER_S) {
		took = turn(h);
		longest = took > longest ? took : longest;
		usleep(1000);
	}
	UNIT_EQ(answered.calls, 1);
	UNIT_EQ(answered.result, -EHOSTUNREACH);
	CU_ASSERT_TRUE(longest < TURN_S);
	/* Meanwhile other servers can be reached. */
	known_name(h);
	begin = unit_seconds();
	http_close(h);
	CU_ASSERT_TRUE(unit_seconds() - begin < TURN_S);
	unit_note("the longest turn took %.3f s", longest);
	close(server);
}

UNIT_MAIN("calls to named servers", {"name server does not answer", silent})
