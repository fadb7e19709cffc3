// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-emu: one emulated readout card as a process. See Documentation/emulator.md.
 */
#include "emu.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/emu/log.h"
#include "utils/common/files.h"

static const struct card_ops *const cards[] = {&cru_card, &crorc_card, &p40_card, &robinnp_card};

static void usage(FILE *to)
{
	fprintf(to, "usage: roc-emu --card CARD --dir DIR [--serial N] [--events] [--vectors N]\n"
		    "               [--set [EP.]KEY=VALUE]...\n"
		    "       roc-emu --speed [SECONDS]\n"
		    "Serves one emulated card, cru, crorc, p40 or robinnp: DIR/epN.sock for each "
		    "endpoint N (vfio-user), DIR/ctl.sock.\n");
}

static const struct card_ops *find_card(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(cards) / sizeof(cards[0]); i++) {
		if (!strcmp(cards[i]->name, name))
			return cards[i];
	}
	return NULL;
}

/* [EP.]KEY=VALUE */
static int set(struct emu *emu, const char *text)
{
	unsigned int first = 0, last = emu->ops->functions, e;
	char name[64], err[CARD_ERR];
	const struct card_key *key;
	const char *value;

	if (text[0] >= '0' && text[0] < '0' + (int)last && text[1] == '.') {
		first = text[0] - '0';
		last = first + 1;
		text += 2;
	}
	value = strchr(text, '=');
	if (!value || value - text >= (int)sizeof(name)) {
		fprintf(stderr, "roc-emu: '%s' is not KEY=VALUE\n", text);
		return -1;
	}
	memcpy(name, text, value - text);
	name[value - text] = '\0';
	key = emu_key(emu, name);
	if (!key) {
		fprintf(stderr, "roc-emu: unknown key '%s'; these exist:\n", name);
		for (key = emu->ops->keys; key->name; key++)
			fprintf(stderr, "  %-18s %s\n", key->name, key->help);
		return -1;
	}
	if (!key->per_function)
		last = first + 1;
	for (e = first; e < last; e++) {
		if (emu_set(emu, e, key, value + 1, err)) {
			fprintf(stderr, "roc-emu: %s: %s\n", name, err);
			return -1;
		}
	}
	return 0;
}

static int listen_all(struct emu *emu, const char *dir)
{
	char path[PATH_MAX];
	unsigned int e;
	int rc;

	for (e = 0; e < emu->ops->functions; e++) {
		snprintf(path, sizeof(path), "%s/ep%u.sock", dir, e);
		rc = vfio_user_listen(&emu->fn[e], path);
		if (rc)
			goto failed;
	}
	snprintf(path, sizeof(path), "%s/ctl.sock", dir);
	rc = control_listen(emu, path);
	if (!rc)
		return 0;
failed:
	fprintf(stderr, "roc-emu: %s: %s\n", path, strerror(-rc));
	return -1;
}

static void on_quit(struct emu *emu)
{
	kill(getpid(), SIGTERM);
}

/* Determine the exit status and log its reason. */
static int exit_status(struct emu *emu)
{
	uint64_t outside, lost = 0, in_reset = 0;
	unsigned int e;

	emu_lock_all(emu);
	outside = emu->ops->dma_outside(emu->card);
	for (e = 0; e < emu->ops->functions; e++) {
		lost += emu->fn[e].dma.files.lost;
		outside += emu->fn[e].nowhere;
		in_reset += emu->fn[e].reset_hits;
	}
	emu_unlock_all(emu, false);
	if (lost)
		emu_log("roc-emu: %" PRIu64
			" DMA accesses used memory that the client had truncated",
			lost);
	if (outside)
		emu_log("roc-emu: %" PRIu64 " DMA accesses went outside any mapping", outside);
	if (in_reset)
		emu_log("roc-emu: %" PRIu64 " register accesses met a function in reset", in_reset);
	return outside || in_reset ? 2 : lost ? 3 : 0;
}

static int serve(struct emu *emu, const char *dir)
{
	sigset_t signals;
	int sig, rc;

	/*
	 * Block the signals before any thread exists, so that all threads leave them to sigwait()
	 * below.
	 */
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	/* A client's eventfd may be a pipe whose reader has closed it. */
	signal(SIGPIPE, SIG_IGN);

	emu->on_quit = on_quit;
	rc = emu_start(emu);
	if (rc) {
		fprintf(stderr, "roc-emu: %s\n", strerror(-rc));
		return 1;
	}
	if (listen_all(emu, dir))
		return 1;
	printf("ready\n");
	fflush(stdout);
	sigwait(&signals, &sig);
	return exit_status(emu);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"card", required_argument, NULL, 'c'},
		{"dir", required_argument, NULL, 'd'},
		{"serial", required_argument, NULL, 'S'},
		{"set", required_argument, NULL, 's'},
		{"events", no_argument, NULL, 'e'},
		{"vectors", required_argument, NULL, 'v'},
		{"speed", optional_argument, NULL, 'b'},
		{"help", no_argument, NULL, 'h'},
		{},
	};
	const struct card_ops *ops = NULL;
	const char *dir = NULL;
	char text[32];
	struct emu *emu;
	int opt;

	if (descriptors_fill()) {
		fprintf(stderr, "roc-emu: /dev/null: %s\n", strerror(errno));
		return 1;
	}
	/* Select the card first: keys belong to it. */
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'c':
			ops = find_card(optarg);
			if (!ops) {
				fprintf(stderr, "roc-emu: unknown card '%s'\n", optarg);
				return 1;
			}
			break;
		case 'd':
			dir = optarg;
			break;
		case 'b':
			return speed_run(optarg		 ? atof(optarg)
					 : optind < argc ? atof(argv[optind])
							 : 1.0);
		case 'h':
			usage(stdout);
			return 0;
		case '?':
			usage(stderr);
			return 1;
		}
	}
	if (!ops || !dir || optind < argc) {
		usage(stderr);
		return 1;
	}
	emu = emu_create(ops);
	if (!emu) {
		fprintf(stderr, "roc-emu: out of memory\n");
		return 1;
	}
	optind = 1;
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == 'S') {
			snprintf(text, sizeof(text), "serial=%s", optarg);
			if (set(emu, text))
				return 1;
		} else if (opt == 'v') {
			snprintf(text, sizeof(text), "vectors=%s", optarg);
			if (set(emu, text))
				return 1;
		} else if (opt == 'e' && set(emu, "events=on")) {
			return 1;
		} else if (opt == 's' && set(emu, optarg)) {
			return 1;
		}
	}
	/* Control clients may still be served; they end with the process. */
	exit(serve(emu, dir));
}
