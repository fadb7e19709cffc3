// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a function in a process that shares the memory of the tool.
 *
 * A host thread clones the process with CLONE_VM and without CLONE_SETTLS: the process uses errno
 * and the malloc cache of the thread. Until the process ends, the thread stays in one wait4() with
 * all signals blocked and touches no libc state. CLONE_VFORK would suspend the thread as well, but
 * in state D, which adds 1 to the load average. A thread in wait4() can be killed, so the tool can
 * end before the writer process does.
 */
#include "writer_process.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK (1 << 20)
#define KEEP 8

struct start {
	struct writer_process *a;
	int keep[KEEP + 1]; /* sorted */
	unsigned int count;
	int error;
	pid_t parent;
	_Atomic int state; /* 0: unknown, 1: started, -1: failed */
};

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void close_others(const struct start *s)
{
	unsigned int i, from = 0;

	for (i = 0; i < s->count; i++) {
		if ((unsigned int)s->keep[i] > from)
			close_range(from, (unsigned int)s->keep[i] - 1, 0);
		from = (unsigned int)s->keep[i] + 1;
	}
	close_range(from, ~0U, 0);
}

static int child(void *arg)
{
	struct start *s = arg;
	struct writer_process *a = s->a;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* If the tool ended before prctl(), the kernel sends no death signal. */
	if (getppid() != s->parent)
		_exit(0);
	close_others(s);
	a->pid = getpid();
	s->state = 1; /* the caller may now return: do not access s any more */
	a->run(a->context);
	return 0;
}

static void *host(void *arg)
{
	struct start *s = arg;
	struct writer_process *a = s->a;
	pid_t pid = clone(child, (char *)a->stack + STACK, CLONE_VM | CLONE_PIDFD, s, &a->pidfd);

	if (pid < 0) {
		s->error = -errno;
		s->state = -1;
		return NULL;
	}
	/* waitpid() is a cancellation point. syscall() writes errno only if it fails. */
	while (syscall(SYS_wait4, pid, NULL, __WALL, NULL) != pid)
		;
	a->ended = true;
	if (write(a->wake, &(uint64_t){1}, sizeof(uint64_t)) < 0)
		return NULL; /* the counter is not zero, so the reader wakes up anyway */
	return NULL;
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

int writer_process_start(struct writer_process *a, const int *keep, unsigned int count)
{
	struct start s = {.a = a, .parent = getpid()};
	sigset_t all, before;
	int err;

	if (count > KEEP)
		return -EINVAL;
	for (; s.count < count; s.count++)
		s.keep[s.count] = keep[s.count];
	s.keep[s.count++] = STDERR_FILENO;
	qsort(s.keep, s.count, sizeof(s.keep[0]), compare);
	a->ended = false;
	a->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (a->stack == MAP_FAILED)
		return -ENOMEM;
	/*
	 * A terminal or a service manager signals the whole process group, including this process.
	 */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = -pthread_create(&a->thread, NULL, host, &s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err) {
		while (!s.state && !a->ended)
			pause_ms(1);
		err = s.state < 0 ? s.error : s.state ? 0 : -ECHILD;
		if (err)
			pthread_join(a->thread, NULL);
		if (err == -ECHILD)
			close(a->pidfd);
	}
	if (err)
		munmap(a->stack, STACK);
	return err;
}

bool writer_process_wait(struct writer_process *a, unsigned int ms)
{
	for (; !a->ended && ms; ms--)
		pause_ms(1);
	if (!a->ended)
		return false;
	pthread_join(a->thread, NULL);
	close(a->pidfd);
	munmap(a->stack, STACK);
	return true;
}

void writer_process_kill(struct writer_process *a)
{
	if (!a->ended)
		syscall(SYS_pidfd_send_signal, a->pidfd, SIGKILL, NULL, 0);
}
