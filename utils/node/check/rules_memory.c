// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules for memory modules, from the DMI table.
 */
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define TABLE_MAX (1 << 20)
#define SOCKETS 16
#define CHANNELS 64

struct channel {
	char name[LOCATOR_MAX];
	unsigned int modules;
	uint64_t bytes;
};

struct socket {
	char name[LOCATOR_MAX];
	struct channel channel[CHANNELS];
	size_t channels;
	size_t filled; /* channels with a module */
};

struct memory {
	struct socket socket[SOCKETS];
	size_t sockets;
};

/* Read the table. False: it is damaged or has no slots, and the finding was added. */
static bool read_table(struct check *c, const char *expected, struct dmi *dmi)
{
	static const char path[] = "sys/firmware/dmi/tables/DMI";
	uint8_t *table = malloc(TABLE_MAX);
	ssize_t length = table ? tree_bytes(&c->tree, table, TABLE_MAX, "%s", path) : -ENOMEM;
	int err = length < 0 ? (int)length : dmi_parse(table, (size_t)length, dmi);

	free(table);
	if (!err && !dmi->damaged && dmi->modules)
		return true;
	if (err)
		add_unread(c, NULL, expected, err, "/%s", path);
	else
		add_finding(
			c, VERDICT_UNKNOWN, NULL, expected,
			"update the machine's firmware; until then compare dmidecode -t memory with the board",
			dmi->damaged ? "the DMI table is damaged"
				     : "the DMI table has no memory slots");
	if (length >= 0)
		dmi_free(dmi);
	return false;
}

static struct socket *find_socket(struct memory *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->sockets; i++)
		if (!strcmp(m->socket[i].name, name))
			return &m->socket[i];
	if (m->sockets == SOCKETS)
		return NULL;
	strcpy(m->socket[m->sockets].name, name);
	return &m->socket[m->sockets++];
}

static struct channel *find_channel(struct socket *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->channels; i++)
		if (!strcmp(s->channel[i].name, name))
			return &s->channel[i];
	if (s->channels == CHANNELS)
		return NULL;
	strcpy(s->channel[s->channels].name, name);
	return &s->channel[s->channels++];
}

/*
 * Assign the slots to sockets and channels. Return the first slot that no pattern matches, or NULL.
 */
static const struct dmi_module *place(const struct dmi *dmi, const struct limits *limits,
				      struct memory *m)
{
	size_t i;

	for (i = 0; i < dmi->modules; i++) {
		const struct dmi_module *module = &dmi->module[i];
		struct channel *channel;
		struct socket *socket;
		struct slot slot;

		if (!locator_read(module, limits, &slot))
			return module;
		socket = find_socket(m, slot.socket);
		channel = socket ? find_channel(socket, slot.channel) : NULL;
		if (!channel)
			return module;
		if (!module->bytes)
			continue;
		socket->filled += !channel->modules++;
		channel->bytes += module->bytes == DMI_SIZE_UNKNOWN ? 0 : module->bytes;
	}
	return NULL;
}

static size_t channels_of(const struct check *c, const struct socket *s)
{
	size_t given = (size_t)c->limits.memory_channels;

	return given > s->channels ? given : s->channels;
}

/* Drop empty sockets if there are fewer processors than sockets: they need no memory. */
static void drop_empty(struct memory *m, unsigned int processors)
{
	size_t i, kept = 0;

	if (!processors || processors >= m->sockets)
		return;
	for (i = 0; i < m->sockets; i++)
		if (m->socket[i].filled)
			m->socket[kept++] = m->socket[i];
	m->sockets = kept;
}

static void judge_channels(struct check *c, const struct memory *m)
{
	static const char cure[] =
		"install a module of the same type in each channel of each socket, in the slots that the manual of the board specifies";
	char expected[80];
	size_t i;

	for (i = 0; i < m->sockets; i++) {
		const struct socket *s = &m->socket[i];
		size_t all = channels_of(c, s), filled = s->filled;
		enum verdict verdict = VERDICT_PASS;
		char subject[24];

		if (filled != m->socket[0].filled || (filled != all && 2 * filled != all))
			verdict = VERDICT_FAIL;
		else if (filled != all)
			verdict = VERDICT_WARN;
		snprintf(subject, sizeof(subject), "socket %.12s", s->name);
		snprintf(expected, sizeof(expected), "all %zu channels, as on each other socket",
			 all);
		add_finding(c, verdict, subject, expected, verdict ? cure : NULL,
			    "%zu of %zu channels have modules", filled, all);
	}
}

void rule_memory_channels(struct check *c)
{
	static const char expected[] = "modules in all channels of all sockets";
	struct memory *m = calloc(1, sizeof(*m));
	const struct dmi_module *strange;
	struct dmi dmi;

	if (!m) {
		add_unread(c, NULL, expected, -ENOMEM, "the DMI table");
		return;
	}
	if (!read_table(c, expected, &dmi))
		goto out;
	strange = place(&dmi, &c->limits, m);
	drop_empty(m, dmi.processors);
	if (strange)
		add_finding(
			c, VERDICT_UNKNOWN, NULL, expected,
			"add a pattern with the groups (socket) and (channel) to memoryLocators of the limits: see dmidecode -t 17 and the manual of the board",
			"no pattern matches the slot \"%s\", bank \"%s\"", strange->locator,
			strange->bank);
	else
		judge_channels(c, m);
	dmi_free(&dmi);
out:
	free(m);
}

/* The difference between a module and the first one, or that it is slow; NULL: none. */
static const char *unlike(const struct dmi_module *a, const struct dmi_module *b)
{
	if (a->bytes != b->bytes)
		return "modules of different size";
	if (a->speed != b->speed)
		return "modules of different speed";
	if (b->configured && b->configured < b->speed)
		return "a module below its rated speed";
	return NULL;
}

void rule_memory_modules(struct check *c)
{
	static const char expected[] = "modules of one size and speed, at their rated speed";
	const struct dmi_module *first = NULL;
	const char *wrong = NULL;
	size_t count = 0, i;
	struct dmi dmi;

	if (!read_table(c, expected, &dmi))
		return;
	for (i = 0; i < dmi.modules && !wrong; i++) {
		if (!dmi.module[i].bytes)
			continue;
		if (!first)
			first = &dmi.module[i];
		count++;
		wrong = unlike(first, &dmi.module[i]);
	}
	if (wrong) {
		const struct dmi_module *other = &dmi.module[i - 1];

		add_finding(
			c, VERDICT_WARN, NULL, expected,
			"use modules of one type; a low speed may be set in the setup of the machine's firmware, or be the limit of the processor",
			"%s: %s has %llu MiB at %u MT/s, %s %llu MiB at %u (configured: %u)", wrong,
			first->locator, (unsigned long long)(first->bytes >> 20), first->speed,
			other->locator, (unsigned long long)(other->bytes >> 20), other->speed,
			other->configured);
	} else if (first && !first->speed) {
		add_finding(c, VERDICT_PASS, NULL, expected, NULL, "%zu of %llu MiB", count,
			    (unsigned long long)(first->bytes >> 20));
	} else if (first) {
		add_finding(c, VERDICT_PASS, NULL, expected, NULL, "%zu of %llu MiB at %u MT/s",
			    count, (unsigned long long)(first->bytes >> 20), first->speed);
	} else {
		add_finding(c, VERDICT_UNKNOWN, NULL, expected,
			    "update the machine's firmware: its DMI table has no module",
			    "no modules");
	}
	dmi_free(&dmi);
}
