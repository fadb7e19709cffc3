/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run an etcd for the test: on the loopback, with its own ports and folder. Included after unit.h.
 */
#ifndef ROC_UNIT_ETCD_RUN_H
#define ROC_UNIT_ETCD_RUN_H

#include <json-c/json.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "port.h"
#include "utils/evb/etcd.h"

static char etcd_dir[] = "/tmp/roc-etcd-XXXXXX";
static pid_t etcd_pid;
static unsigned int etcd_port, etcd_peer_port;
static char etcd_text[64]; /* argument of --coordinator */
/* Options of etcd for certificates. With them the health check uses a port of its own. */
static char etcd_tls[512];
static unsigned int etcd_health_port;

static void etcd_end(int number)
{
	if (etcd_pid <= 0)
		return;
	kill(etcd_pid, number);
	waitpid(etcd_pid, NULL, 0);
	etcd_pid = 0;
}

static void etcd_leave_nothing(void)
{
	char command[64];

	etcd_end(SIGKILL);
	snprintf(command, sizeof(command), "rm -rf %s", etcd_dir);
	if (system(command))
		perror(command);
}

static bool etcd_listens(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	static const char get[] = "GET /health HTTP/1.0\r\n\r\n";
	char answer[512] = "";
	struct timeval t = {.tv_sec = 1};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	ssize_t n = -1;

	a.sin_port = htons((uint16_t)etcd_health_port);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	if (!connect(fd, (struct sockaddr *)&a, sizeof(a)) &&
	    send(fd, get, sizeof(get) - 1, MSG_NOSIGNAL) > 0)
		n = recv(fd, answer, sizeof(answer) - 1, MSG_WAITALL);
	close(fd);
	return n > 0 && strstr(answer, "\"true\"");
}

/* Write a value, which increments the revision of etcd. */
__attribute__((unused)) static void etcd_put_raw(const char *key, const char *value)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct json_object *o = etcd_put(key, value, 0);
	const char *body = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN);
	char request[8192], answer[1024] = "";
	int fd = socket(AF_INET, SOCK_STREAM, 0), length;

	a.sin_port = htons((uint16_t)etcd_port);
	length = snprintf(request, sizeof(request),
			  "POST /v3/kv/put HTTP/1.0\r\nContent-Type: application/json\r\n"
			  "Content-Length: %zu\r\n\r\n%s",
			  strlen(body), body);
	UNIT_NEED((size_t)length < sizeof(request));
	UNIT_NEED(!connect(fd, (struct sockaddr *)&a, sizeof(a)));
	UNIT_EQ(send(fd, request, (size_t)length, MSG_NOSIGNAL), length);
	CU_ASSERT_TRUE(recv(fd, answer, sizeof(answer) - 1, MSG_WAITALL) > 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(answer, " 200 "));
	close(fd);
	json_object_put(o);
}

static void etcd_make_dir(void)
{
	if (strstr(etcd_dir, "XXXXXX")) {
		UNIT_NEED(mkdtemp(etcd_dir));
		atexit(etcd_leave_nothing);
	}
}

/*
 * False: etcd did not start; without etcd the test is skipped. @empty: drop the data of an earlier
 * run.
 */
static bool etcd_start(bool empty)
{
	const char *scheme = etcd_tls[0] ? "https" : "http";
	char command[1280], health[64] = "";

	if (access("/usr/bin/etcd", X_OK)) {
		unit_skip("there is no /usr/bin/etcd: install etcd-server");
		return false;
	}
	etcd_make_dir();
	if (!etcd_port) {
		etcd_port = free_port();
		etcd_peer_port = free_port();
	}
	etcd_health_port = etcd_tls[0] ? free_port() : etcd_port;
	if (etcd_tls[0])
		snprintf(health, sizeof(health), "--listen-metrics-urls http://127.0.0.1:%u",
			 etcd_health_port);
	snprintf(etcd_text, sizeof(etcd_text), "etcd:%s://127.0.0.1:%u", scheme, etcd_port);
	snprintf(command, sizeof(command),
		 "%s exec /usr/bin/etcd --data-dir %s/data --unsafe-no-fsync "
		 "--heartbeat-interval 50 --election-timeout 250 "
		 "--auto-compaction-mode periodic --auto-compaction-retention 10m "
		 "%s %s --listen-client-urls %s://127.0.0.1:%u --advertise-client-urls "
		 "%s://127.0.0.1:%u --listen-peer-urls http://127.0.0.1:%u "
		 "--initial-advertise-peer-urls http://127.0.0.1:%u "
		 "--initial-cluster default=http://127.0.0.1:%u > %s/log 2>&1",
		 empty ? "rm -rf $0;" : "", etcd_dir, etcd_tls, health, scheme, etcd_port, scheme,
		 etcd_port, etcd_peer_port, etcd_peer_port, etcd_peer_port, etcd_dir);
	fflush(stdout);
	etcd_pid = fork();
	if (!etcd_pid) {
		char data[64];

		snprintf(data, sizeof(data), "%s/data", etcd_dir);
		/* etcd ends with the test. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/bin/sh", "sh", "-c", command, data, NULL);
		_exit(127);
	}
	UNIT_NEED(etcd_pid > 0);
	return true;
}

static bool etcd_started(bool empty)
{
	bool up;

	if (!etcd_start(empty))
		return false;
	up = UNIT_WAIT(etcd_listens(), 20000);
	CU_ASSERT_TRUE(up);
	return up;
}

#endif
