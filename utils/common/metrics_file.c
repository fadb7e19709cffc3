// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file for Prometheus, again and again.
 */
#include "prometheus.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "tool.h"

/* As node_exporter names the file, if its folder is spelled alike. NULL: no memory. */
static char *absolute(const char *path)
{
	char *folder = *path == '/' ? NULL : getcwd(NULL, 0), *all = NULL;

	if (!folder)
		return strdup(path);
	if (asprintf(&all, "%s/%s", folder, path) < 0)
		all = NULL;
	free(folder);
	return all;
}

static int attempt(const char *path, void (*print)(struct prometheus *p, void *what), void *what,
		   char why[OUTPUT_WHY])
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	char *file = absolute(path);
	struct prometheus p;
	bool bad = !out || !file;
	int code;

	if (!bad) {
		prometheus_start_file(&p, out, file);
		print(&p, what);
		bad = ferror(out);
	}
	if (out)
		bad |= fclose(out) != 0;
	if (bad) {
		snprintf(why, OUTPUT_WHY, "There is no memory for the metrics.");
		code = TOOL_FAILED;
	} else {
		/* The next one is due soon: nobody waits until it is on the disk. */
		code = output_replace(path, text, length, true, why);
	}
	free(file);
	free(text);
	return code;
}

const char *metrics_file_write(struct metrics_file *m,
			       void (*print)(struct prometheus *p, void *what), void *what)
{
	char why[OUTPUT_WHY];
	bool was = m->broken;

	if (!m->path)
		return NULL;
	m->broken = attempt(m->path, print, what, why);
	if (m->broken == was)
		return NULL;
	if (m->broken)
		snprintf(m->note, sizeof(m->note), "%s It is tried again.", why);
	else
		snprintf(m->note, sizeof(m->note), "%s is written again.", m->path);
	return m->note;
}
