// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print the frequency of this machine's time stamp counter in kHz, or nothing without one. QEMU
 * passes the counter to an emulated CPU, but the guest's kernel measures it with timers that are
 * late on a busy machine; then all its times are wrong by that factor.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#ifdef __x86_64__
#include <x86intrin.h>

#define TRIES 100
#define SPAN_NS 50000000

struct moment {
	uint64_t ns, ticks;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Of many pairs the one read in the shortest time: it was not interrupted. */
static struct moment moment(void)
{
	uint64_t shortest = UINT64_MAX;
	struct moment best = {};
	int i;

	for (i = 0; i < TRIES; i++) {
		uint64_t begin = __rdtsc(), ns = now_ns(), end = __rdtsc();

		if (end - begin < shortest) {
			shortest = end - begin;
			best = (struct moment){ns, begin + (end - begin) / 2};
		}
	}
	return best;
}

int main(void)
{
	struct timespec span = {.tv_nsec = SPAN_NS};
	struct moment a = moment(), b;

	nanosleep(&span, NULL);
	b = moment();
	printf("%.0f\n", (b.ticks - a.ticks) * 1e6 / (b.ns - a.ns));
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
