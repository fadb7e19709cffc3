// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU plugin: how many instructions the guest has executed, in its programs and in its kernel, and
 * how long its processors ran, and were kept from running.
 *
 *	-plugin file=insns.so,socket=PATH
 *
 * The socket is the other side of a virtio port, which QEMU listens at before it loads plugins:
 * each line from the guest is answered by one line, the four numbers. A block of code is the
 * kernel's when its address is in the upper half; its instructions are added when it is entered,
 * all at once, so a block that a fault ends early counts in full (rare where nothing faults, as in
 * steady readout). The times are those of the processors' threads, of all of them together, ns: a
 * guest's own clock goes on while other programs of the machine have its processor, and what it
 * calls CPU time has that in it.
 */
#include "qemu_plugin.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PROCESSORS 16

struct count {
	uint64_t user, kernel;
};

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct qemu_plugin_u64 user, kernel;
static atomic_int threads[PROCESSORS];

static void started(uint64_t id, unsigned int vcpu)
{
	if (vcpu < PROCESSORS)
		atomic_store(&threads[vcpu], gettid());
}

/* 0 where the kernel does not count it. */
static void add_times(int thread, uint64_t *run, uint64_t *wait)
{
	unsigned long long ran, waited;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", thread);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fscanf(f, "%llu %llu", &ran, &waited) == 2) {
		*run += ran;
		*wait += waited;
	}
	fclose(f);
}

static int answer(int fd)
{
	uint64_t run = 0, wait = 0;
	unsigned int i;

	for (i = 0; i < PROCESSORS && atomic_load(&threads[i]); i++)
		add_times(atomic_load(&threads[i]), &run, &wait);
	return dprintf(fd, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		       qemu_plugin_u64_sum(user), qemu_plugin_u64_sum(kernel), run, wait);
}

static void translated(struct qemu_plugin_tb *tb, void *userdata)
{
	bool high = qemu_plugin_tb_vaddr(tb) >> 63;

	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
		tb, QEMU_PLUGIN_INLINE_ADD_U64, high ? kernel : user, qemu_plugin_tb_n_insns(tb));
}

/* Until QEMU ends. */
static void *serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	char line[64], *c;
	ssize_t n;

	while ((n = read(fd, line, sizeof(line))) > 0) {
		for (c = line; c < line + n; c++) {
			if (*c == '\n' && answer(fd) < 0)
				return NULL;
		}
	}
	return NULL;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(address.sun_path, path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return -1;
	return fd;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	pthread_t thread;
	int fd;

	if (argc != 1 || strncmp(argv[0], "socket=", 7)) {
		fprintf(stderr, "insns: the option socket=PATH is required\n");
		return 1;
	}
	user.score = qemu_plugin_scoreboard_new(sizeof(struct count));
	kernel.score = user.score;
	user.offset = offsetof(struct count, user);
	kernel.offset = offsetof(struct count, kernel);
	fd = connect_to(argv[0] + 7);
	if (fd < 0 || pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd)) {
		fprintf(stderr, "insns: %s: %s\n", argv[0] + 7, strerror(errno));
		return 1;
	}
	pthread_detach(thread);
	qemu_plugin_register_vcpu_init_cb(id, started);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated, NULL);
	return 0;
}
