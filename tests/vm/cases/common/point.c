// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stop threads at points in the module. See point.h.
 */
#include "point.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limit.h"
#include "node.h"

#define POINTS "/sys/kernel/debug/roc/points"
#define HOLD_MS 20000
#define EVERY_MINOR "0xffffffff"

bool points_there(void)
{
	return !access(POINTS, F_OK);
}

static int try_set(const char *name, const char *what, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), POINTS "/%.31s/%s", name, what);
	return put_text(path, text);
}

static void set(const char *name, const char *what, const char *text)
{
	int err = try_set(name, what, text);

	if (!err)
		return;
	printf("Bail out! point %s, %s: %s\n", name, what, strerror(-err));
	fflush(stdout);
	_exit(2);
}

static void set_number(const char *name, const char *what, unsigned int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	set(name, what, text);
}

static unsigned int get(const char *name, const char *what)
{
	unsigned int value = 0;
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), POINTS "/%s/%s", name, what);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%u", &value) != 1) {
		printf("Bail out! %s cannot be read\n", path);
		fflush(stdout);
		_exit(2);
	}
	fclose(f);
	return value;
}

void point_watch(const char *name, const char *id)
{
	set(name, "delay_ms", "0");
	set(name, "minor", id ? node_path(id, -1) + strlen("/dev/roc") : EVERY_MINOR);
}

void point_hold(const char *name, const char *id)
{
	point_watch(name, id);
	set_number(name, "delay_ms", limit_ms(HOLD_MS));
}

bool point_holds(const char *name)
{
	return get(name, "sleeping");
}

bool point_reached(const char *name, unsigned int ms)
{
	int64_t end = now_ms() + patience_ms(ms);

	while (!point_holds(name)) {
		if (now_ms() > end)
			return false;
		sleep_ms(1);
	}
	return true;
}

void point_release(const char *name)
{
	set(name, "delay_ms", "0");
}

void points_release(void)
{
	DIR *dir = opendir(POINTS);
	struct dirent *entry;

	if (!dir)
		return;
	/* The module may be being unloaded. */
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			try_set(entry->d_name, "delay_ms", "0");
	closedir(dir);
}

unsigned int point_hits(const char *name)
{
	return get(name, "hits");
}

void point_fail(const char *name, unsigned int count)
{
	set_number(name, "fail", count);
}
