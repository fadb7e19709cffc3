// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simulate a bad network in user space, for kernels without tc netem: a tap device in this network
 * namespace and one in another namespace. Frames between them are delayed, lost, or not carried at
 * all.
 *
 *	bad_link HERE NAMESPACE THERE
 *
 * Lines "DELAY JITTER LOSS" on standard input set the delay and the jitter in ms, and the loss in
 * parts of 100000; 100000 is a cut link. The program prints "ready" when the devices exist, "set"
 * after each line, and ends with its input.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define FRAME 9216
#define FRAMES 4096 /* in flight in one direction; more frames are lost, as in a real network */
#define WHOLE 100000

struct frame {
	uint64_t due;
	size_t bytes;
	unsigned char data[FRAME];
};

struct direction {
	int from, to;
	struct frame *frames;
	unsigned int head, count;
	uint64_t last; /* due time of the newest frame: frames do not overtake each other */
};

static unsigned long delay, jitter, loss;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "bad_link: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int tap(const char *name)
{
	struct ifreq r = {.ifr_flags = IFF_TAP | IFF_NO_PI};
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &r))
		die(name);
	return fd;
}

static void receive_frames(struct direction *w)
{
	for (;;) {
		struct frame *f = &w->frames[(w->head + w->count) % FRAMES];
		static unsigned char discarded[FRAME];
		unsigned char *to = w->count < FRAMES ? f->data : discarded;
		ssize_t n = read(w->from, to, FRAME);

		if (n <= 0)
			return;
		if (w->count == FRAMES || (unsigned long)(random() % WHOLE) < loss)
			continue;
		f->bytes = (size_t)n;
		f->due = now_ns() +
			 (delay + (jitter ? (unsigned long)random() % jitter : 0)) * 1000000;
		f->due = f->due > w->last ? f->due : w->last;
		w->last = f->due;
		w->count++;
	}
}

/* Send all frames that are due; return the ns until the next one is due. */
static uint64_t send_due_frames(struct direction *w)
{
	uint64_t now = now_ns();

	while (w->count && w->frames[w->head].due <= now) {
		struct frame *f = &w->frames[w->head];

		/* A device that is down or full loses the frame. */
		if (write(w->to, f->data, f->bytes) < 0 && errno != EIO && errno != EAGAIN &&
		    errno != ENOBUFS)
			die("write");
		w->head = (w->head + 1) % FRAMES;
		w->count--;
	}
	return w->count ? w->frames[w->head].due - now : 1000000000;
}

static void read_settings(void)
{
	char line[128];

	if (!fgets(line, sizeof(line), stdin))
		exit(0);
	if (sscanf(line, "%lu %lu %lu", &delay, &jitter, &loss) != 3)
		fprintf(stderr, "bad_link: invalid line: %s", line);
	printf("set\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct direction there = {0}, back = {0};
	struct pollfd fds[3] = {
		{.fd = 0, .events = POLLIN}, {.events = POLLIN}, {.events = POLLIN}};
	int ns;

	if (argc != 4) {
		fprintf(stderr, "bad_link HERE NAMESPACE THERE\n");
		return 2;
	}
	setvbuf(stdin, NULL, _IONBF, 0);
	there.frames = malloc(FRAMES * sizeof(struct frame));
	back.frames = malloc(FRAMES * sizeof(struct frame));
	there.from = back.to = tap(argv[1]);
	ns = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (!there.frames || !back.frames || ns < 0 || setns(ns, CLONE_NEWNET))
		die(argv[2]);
	there.to = back.from = tap(argv[3]);
	fds[1].fd = there.from;
	fds[2].fd = back.from;
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		uint64_t a = send_due_frames(&there), b = send_due_frames(&back);
		uint64_t ns_left = a < b ? a : b;
		struct timespec t = {.tv_nsec = (long)(ns_left < 999999999 ? ns_left : 999999999)};

		ppoll(fds, 3, &t, NULL);
		if (fds[0].revents)
			read_settings();
		receive_frames(&there);
		receive_frames(&back);
	}
}
