// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure libfabric alone, as a reference for roc-send and roc-evb: fabric PROVIDER BYTES COUNT
 * WINDOW spin|wait write|read. Two processes; one writes COUNT times BYTES into the memory of the
 * other, or reads them from there, with WINDOW operations outstanding, like fi_rma_bw of fabtests
 * (which no package contains; its -o), polling or sleeping (its -c spin, -c fd). The tools' own
 * code opens the endpoints; the loop makes bare calls, without credits, headers or counters. Prints
 * bytes per second.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libroc/fabric/fabric.h"

#define NODE "127.0.0.1"
#define LIMIT 120 /* seconds */

struct hello {
	uint64_t base, key, name_bytes;
	unsigned char name[FABRIC_NAME];
};

static char reason[FABRIC_REASON];
static uint64_t bytes, count, window;
static bool may_wait, reads;

static void check(int ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "fabric: %s: %s\n", what, reason[0] ? reason : strerror(-ret));
	exit(1);
}

static void transfer(int fd, void *data, size_t length, bool out)
{
	ssize_t n = out ? write(fd, data, length) : read(fd, data, length);

	check(n == (ssize_t)length ? 0 : -EPIPE, "the other process");
}

/* An endpoint with registered memory; the ends exchange names and keys. */
static void open_end(const char *provider, bool target, int in, int out, struct fabric *f,
		     struct fabric_end *e, struct hello *other)
{
	struct hello h = {0};
	void *memory = mmap(NULL, window * bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	check(memory == MAP_FAILED ? -ENOMEM : 0, "memory");
	check(fabric_open(f, provider, NODE, reason), "open");
	check(fabric_register_for(f, memory, window * bytes,
				  target ? FI_REMOTE_WRITE | FI_REMOTE_READ : FI_WRITE | FI_READ,
				  reason),
	      "register");
	check(fabric_end_open(f, e, reason), "endpoint");
	h = (struct hello){
		.base = fabric_base(f, 0), .key = fabric_key(f, 0), .name_bytes = e->name_bytes};
	memcpy(h.name, e->name, sizeof(h.name));
	transfer(out, &h, sizeof(h), true);
	transfer(in, other, sizeof(*other), false);
	check(fabric_end_peer(e, other->name, other->name_bytes, reason), "peer");
}

static void idle(const struct fabric *f, struct fabric_end *e)
{
	struct roc_idle s = {.ns = FABRIC_NS_PER_S / 10};
	struct timespec t = {0};

	if (!may_wait)
		return;
	fabric_end_sleep(f, e, &s);
	t.tv_nsec = (long)s.ns;
	if (s.ns)
		ppoll(s.fds, s.count, &t, NULL);
}

/* The target: makes progress until the last write has arrived. */
static int target(const char *provider, int in, int out)
{
	struct fi_cq_data_entry entry;
	struct fabric_end e;
	struct hello other;
	struct fabric f;
	ssize_t n;

	open_end(provider, true, in, out, &f, &e, &other);
	do {
		n = fi_cq_read(e.cq, &entry, 1);
		check(n < 0 && n != -FI_EAGAIN ? -EIO : 0, "events");
		if (n < 1)
			idle(&f, &e);
	} while (n < 1);
	transfer(out, &f.virt, 1, true);
	check(fabric_end_close(&e, reason), "endpoint");
	check(fabric_close(&f, reason), "close");
	return 0;
}

static void collect(const struct fabric *f, struct fabric_end *e, uint64_t *done)
{
	struct fi_cq_data_entry entries[64];
	ssize_t n = fi_cq_read(e->cq, entries, 64);

	check(n < 0 && n != -FI_EAGAIN ? -EIO : 0, "events");
	if (n > 0)
		*done += (uint64_t)n;
	else
		idle(f, e);
}

static double run(const char *provider, int in, int out)
{
	uint64_t posted = 0, done = 0, begin = 0;
	struct fabric_end e;
	struct hello other;
	struct fabric f;
	ssize_t ret;
	char byte;

	open_end(provider, false, in, out, &f, &e, &other);
	while (done < count) {
		/* The first operation makes the connection, and is not measured. */
		while (posted < count && posted - done < (begin ? window : 1)) {
			uint64_t at = posted % window * bytes;
			char *from = (char *)f.regions[0].iov_base + at;
			bool last = posted + 1 == count;

			/* The last one is a write, which lets the target end. */
			if (last && reads && done < posted)
				break;
			if (last)
				ret = fi_writedata(e.ep, from, bytes, fi_mr_desc(f.mr[0]), 1,
						   e.peer, other.base + at, other.key, NULL);
			else if (reads)
				ret = fi_read(e.ep, from, bytes, fi_mr_desc(f.mr[0]), e.peer,
					      other.base + at, other.key, NULL);
			else
				ret = fi_write(e.ep, from, bytes, fi_mr_desc(f.mr[0]), e.peer,
					       other.base + at, other.key, NULL);
			if (ret == -FI_EAGAIN)
				break;
			check(ret ? -EIO : 0, "write");
			posted++;
		}
		collect(&f, &e, &done);
		if (!begin && done)
			begin = fabric_now();
	}
	transfer(in, &byte, 1, false);
	return (double)((count - 1) * bytes) / ((double)(fabric_now() - begin) / 1e9);
}

int main(int argc, char **argv)
{
	int there[2], back[2], status = 0;
	double rate;
	pid_t pid;

	if (argc != 7) {
		fprintf(stderr, "Usage: fabric PROVIDER BYTES COUNT WINDOW spin|wait write|read\n");
		return 2;
	}
	bytes = strtoull(argv[2], NULL, 0);
	count = strtoull(argv[3], NULL, 0);
	window = strtoull(argv[4], NULL, 0);
	may_wait = !strcmp(argv[5], "wait");
	reads = !strcmp(argv[6], "read");
	check(pipe(there) || pipe(back) || !bytes || count < 2 || !window ? -EINVAL : 0,
	      "arguments");
	alarm(LIMIT);
	fabric_environment();
	pid = fork();
	if (!pid) {
		alarm(LIMIT);
		_exit(target(argv[1], there[0], back[1]));
	}
	rate = run(argv[1], back[0], there[1]);
	waitpid(pid, &status, 0);
	printf("%.0f\n", rate);
	return status ? 1 : 0;
}
