/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-emu as a process, and clients of its sockets. $ROC_EMU names the program. Only one runs at a
 * time: start() or start_card(), finally ended() and clean().
 */
#ifndef ROC_UNIT_EMU_PROCESS_H
#define ROC_UNIT_EMU_PROCESS_H

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "tests/emu/server/proto.h"
#include "unit.h"

/* Limit for operations that take milliseconds, also on a busy machine. */
#define LIMIT_MS 15000

static struct {
	char dir[64];
	pid_t pid;
	int out;	     /* its stdout */
	int err;	     /* its stderr, discarded if 0 */
	unsigned int closed; /* bit N: it starts without descriptor N */
} emu;

/* Wait for its end. Returns -1 if it does not end, else its exit status, 128 + signal if killed. */
__attribute__((unused)) static int ended(void)
{
	int status;

	if (!UNIT_WAIT(waitpid(emu.pid, &status, WNOHANG) == emu.pid, LIMIT_MS)) {
		kill(emu.pid, SIGKILL);
		waitpid(emu.pid, &status, 0);
		return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

__attribute__((unused)) static void start_card(const char *card, const char *const *extra)
{
	const char *argv[16] = {getenv("ROC_EMU"), "--card", card, "--dir", emu.dir};
	unsigned int n = 5;
	int fds[2];

	UNIT_NEED(argv[0]);
	strcpy(emu.dir, "/tmp/roc-unit-XXXXXX");
	UNIT_NEED(mkdtemp(emu.dir));
	while (extra && *extra)
		argv[n++] = *extra++;
	UNIT_NEED(!pipe(fds));
	emu.pid = fork();
	if (!emu.pid) {
		dup2(fds[1], STDOUT_FILENO);
		dup2(emu.err ? emu.err : open("/dev/null", O_WRONLY), STDERR_FILENO);
		close(fds[0]);
		for (n = 0; n <= STDERR_FILENO; n++) {
			if (emu.closed & 1u << n)
				close((int)n);
		}
		execv(argv[0], (char **)argv);
		_exit(127);
	}
	close(fds[1]);
	emu.out = fds[0];
}

__attribute__((unused)) static void start(const char *const *extra)
{
	start_card("cru", extra);
}

__attribute__((unused)) static bool wait_ready(void)
{
	struct pollfd p = {.fd = emu.out, .events = POLLIN};
	char text[16] = "";

	return poll(&p, 1, LIMIT_MS) == 1 && read(emu.out, text, sizeof(text) - 1) > 0 &&
	       !strcmp(text, "ready\n");
}

__attribute__((unused)) static void clean(void)
{
	static const char *const names[] = {"ep0.sock", "ep1.sock", "ctl.sock"};
	char path[128];
	unsigned int i;

	close(emu.out);
	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", emu.dir, names[i]);
		unlink(path);
	}
	rmdir(emu.dir);
}

__attribute__((unused)) static int dial(const char *name)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct timeval limit = {.tv_sec = LIMIT_MS / 1000};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/%s", emu.dir, name);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	UNIT_NEED(!connect(fd, (struct sockaddr *)&addr, sizeof(addr)));
	return fd;
}

/* Send one control line. Returns the answer without its newline. */
__attribute__((unused)) static const char *control(int fd, const char *line)
{
	static char text[65536];
	size_t len = 0;

	text[0] = '\0';
	if (line)
		UNIT_NEED(send(fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line));
	while (len < sizeof(text) - 1) {
		if (recv(fd, text + len, 1, 0) != 1)
			return "connection lost";
		if (text[len] == '\n') {
			text[len] = '\0';
			return text;
		}
		len++;
	}
	return "answer too long";
}

/* Returns 0 or the error of the answer. */
__attribute__((unused)) static int request(int fd, uint16_t command, uint32_t flags,
					   const void *body, uint32_t len, int pass)
{
	struct vu_header head = {.command = command, .size = sizeof(head) + len, .flags = flags};
	char space[CMSG_SPACE(sizeof(int))] = {0}, answer[256];
	struct iovec iov[2] = {{&head, sizeof(head)}, {(void *)body, len}};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};

	if (pass >= 0) {
		struct cmsghdr *c;

		msg.msg_control = space;
		msg.msg_controllen = sizeof(space);
		c = CMSG_FIRSTHDR(&msg);
		*c = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(c), &pass, sizeof(pass));
	}
	UNIT_NEED(sendmsg(fd, &msg, MSG_NOSIGNAL) == (ssize_t)head.size);
	UNIT_NEED(recv(fd, answer, sizeof(answer), 0) >= (ssize_t)sizeof(head));
	memcpy(&head, answer, sizeof(head));
	return head.error;
}

/* Connect a client to an endpoint and agree on the version. */
__attribute__((unused)) static int dial_endpoint(const char *name)
{
	struct vu_version version = {0};
	int fd = dial(name);

	request(fd, VU_VERSION, 0, &version, sizeof(version), -1);
	return fd;
}

__attribute__((unused)) static void region(int fd, uint32_t index, uint64_t off, uint32_t value,
					   uint32_t count)
{
	uint8_t body[sizeof(struct vu_region_access) + 4];
	struct vu_region_access a = {.offset = off, .region = index, .count = count};

	memcpy(body, &a, sizeof(a));
	memcpy(body + sizeof(a), &value, count);
	request(fd, VU_REGION_WRITE, 0, body, sizeof(a) + count, -1);
}

#endif /* ROC_UNIT_EMU_PROCESS_H */
