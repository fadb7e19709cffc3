/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run tools for which one system call fails, as under a seccomp profile: fsync() for tools that
 * must not wait for a disk. Included after tool_run.h.
 */
#ifndef ROC_UNIT_NO_FSYNC_H
#define ROC_UNIT_NO_FSYNC_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define NO_FSYNC_CANNOT 77

/* From now on, for this process and its children. */
static bool refuse_call(unsigned int number, unsigned int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Return the exit code of a tool; with NO_FSYNC_CANNOT the test is skipped. */
static int tool_without(unsigned int call, unsigned int error, const char *output,
			const char *arguments)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(refuse_call(call, error)
			      ? tool_wait(tool_start(output, "%s", arguments), 60000)
			      : NO_FSYNC_CANNOT);
	UNIT_NEED(pid > 0 && waitpid(pid, &status, 0) == pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FSYNC_CANNOT)
		unit_skip("system calls cannot be filtered here");
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int tool_without_fsync(const char *output, const char *arguments)
{
	return tool_without(SYS_fsync, EIO, output, arguments);
}

#endif
