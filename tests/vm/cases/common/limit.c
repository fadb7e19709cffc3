// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Time limits, and child processes with a time limit. See limit.h.
 */
#include "limit.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <slow.h>

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

int64_t now_ms(void)
{
	return now_ns() / 1000000;
}

void sleep_ms(unsigned int ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000l};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

unsigned int limit_ms(unsigned int ms)
{
	return ms * slowness();
}

unsigned int patience_ms(unsigned int ms)
{
	return limit_ms(ms) * UNIT_PATIENCE;
}

bool took_less(int64_t begin, unsigned int ms)
{
	return now_ms() - begin < patience_ms(ms);
}

static bool drop_caps(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {{0}};

	return !syscall(SYS_capset, &header, data);
}

bool change_user(enum run_as as)
{
	struct passwd *user;

	if (as == AS_ROOT)
		return true;
	if (as == AS_ROOT_NO_CAPS)
		return drop_caps();
	user = getpwnam(as == AS_READER ? "reader" : "stranger");
	return user && !initgroups(user->pw_name, user->pw_gid) && !setgid(user->pw_gid) &&
	       !setuid(user->pw_uid);
}

pid_t child_start(enum run_as as, int (*fn)(void *arg), void *arg)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	/* The child dies with its parent. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || !change_user(as)) {
		fprintf(stderr, "# a child could not change its user\n");
		_exit(254);
	}
	if (as != AS_ROOT) /* a change of user cleared it */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	_exit(fn(arg));
}

int child_wait(pid_t pid, unsigned int ms)
{
	int64_t end = now_ms() + patience_ms(ms);
	int status;

	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
		if (got < 0 && errno != EINTR)
			return -1;
		if (now_ms() > end) {
			child_kill(pid);
			return -1;
		}
		sleep_ms(1);
	}
}

void child_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* The state letter of /proc/PID/stat; 0: no such process. */
static char child_state(pid_t pid)
{
	char path[32], line[300] = "", *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	end = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return end && end[1] == ' ' ? end[2] : 0;
}

bool child_sleeps(pid_t pid)
{
	return child_state(pid) == 'S';
}

bool child_rests(pid_t pid)
{
	char state = child_state(pid);

	return state == 'S' || state == 'D';
}

int child_run(enum run_as as, int (*fn)(void *arg), void *arg, unsigned int ms)
{
	pid_t pid = child_start(as, fn, arg);

	return pid < 0 ? -1 : child_wait(pid, ms);
}

void *shared_alloc(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

void shared_free(void *p, size_t size)
{
	munmap(p, size);
}

static sigjmp_buf back;
static volatile sig_atomic_t caught;

static void on_fault(int number)
{
	caught = number;
	siglongjmp(back, 1);
}

int faults(void (*fn)(void *arg), void *arg)
{
	struct sigaction action = {.sa_handler = on_fault}, segv, bus;

	sigaction(SIGSEGV, &action, &segv);
	sigaction(SIGBUS, &action, &bus);
	caught = 0;
	if (!sigsetjmp(back, 1))
		fn(arg);
	sigaction(SIGSEGV, &segv, NULL);
	sigaction(SIGBUS, &bus, NULL);
	return caught;
}
