// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read the file of static:FILE, which lists all nodes of a system.
 */
#include "static.h"

#include <errno.h>
#include <roc/evb_manager.h>
#include <roc/roc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator.h"
#include "libroc/board/libroc_ini.h"
#include "utils/common/numbers.h"
#include "utils/common/options.h"

#define FILE_MAX (1 << 20)
#define LEASE_MS 2000

/* @ini is first, for the callbacks. */
struct reader {
	struct libroc_ini ini;
	struct evb_static_file *f;
	struct evb_static_node *node; /* of the present section; NULL: section [system] */
	bool system;
};

static int wrong(const struct reader *r, const char *fmt, const char *a)
{
	char text[ROC_EVB_REASON];

	snprintf(text, sizeof(text), fmt, a);
	return roc_fail(EINVAL, "%s:%u: %s", r->ini.file, r->ini.line, text);
}

static int begin(struct libroc_ini *ini)
{
	struct reader *r = (struct reader *)ini;
	struct evb_static_file *f = r->f;
	const struct evb_static_node *other;

	if (!strcmp(ini->section, "system")) {
		if (r->system)
			return wrong(r, "section [%s] occurs twice", ini->section);
		r->system = true;
		r->node = NULL;
		return 0;
	}
	if (!roc_evb_name_valid(ini->section))
		return wrong(r,
			     "[%s] is not a name of a node: use up to 31 letters, digits and ._-",
			     ini->section);
	other = evb_static_find(f, ini->section);
	if (other)
		return roc_fail(
			EINVAL,
			"%s:%u: the name %s is used twice, first in line %u: each node needs its own name",
			ini->file, ini->line, ini->section, other->line);
	if (f->count == EVB_MEMBERS_MAX)
		return roc_fail(EINVAL, "%s:%u: [%s] exceeds the limit of %d nodes", ini->file,
				ini->line, ini->section, EVB_MEMBERS_MAX);
	r->node = &f->nodes[f->count++];
	memset(r->node, 0, sizeof(*r->node));
	strcpy(r->node->m.name, ini->section);
	r->node->line = ini->line;
	return 0;
}

static int parse_roles(struct reader *r, const char *value)
{
	char copy[128], *rest = copy, *word;
	unsigned int i;

	snprintf(copy, sizeof(copy), "%s", value);
	while ((word = strsep(&rest, " \t,"))) {
		if (!*word)
			continue;
		i = options_choice(evb_roles, word);
		if (!evb_roles[i])
			return wrong(r, "'%.40s' is not a role: use readout, builder or manager",
				     word);
		r->node->m.roles |= 1u << i;
	}
	return 0;
}

static int parse_text(struct reader *r, const char *key, const char *value, char *to, size_t size)
{
	if (!*value || strlen(value) >= size)
		return wrong(r, "the value of '%s' is empty or too long", key);
	strcpy(to, value);
	return 0;
}

static int parse_port(struct reader *r, const char *key, const char *value, char to[ROC_EVB_PORT])
{
	uint16_t port;

	if (number_port(value, &port))
		return wrong(r, "the value of '%s' is not a port number", key);
	if (port)
		snprintf(to, ROC_EVB_PORT, "%u", port);
	return 0;
}

static int parse_number(struct reader *r, const char *key, const char *value, uint64_t max,
			uint64_t *to)
{
	if (number_value(value, to) || *to > max)
		return roc_fail(EINVAL, "%s:%u: the value of '%s' is not a number from 0 to %llu",
				r->ini.file, r->ini.line, key, (unsigned long long)max);
	return 0;
}

static int parse_policy(struct reader *r, const char *value)
{
	r->f->policy = options_choice(evb_policies, value);
	if (evb_policies[r->f->policy])
		return 0;
	return wrong(
		r, "'%.40s' is not a policy: use round-robin, barrel-shift, random or least-loaded",
		value);
}

static int parse_value(struct libroc_ini *ini, const char *key, const char *value)
{
	struct reader *r = (struct reader *)ini;
	struct evb_static_file *f = r->f;

	if (r->node) {
		if (!strcmp(key, "roles"))
			return parse_roles(r, value);
		if (!strcmp(key, "host"))
			return parse_text(r, key, value, r->node->m.host, ROC_EVB_HOST);
		if (!strcmp(key, "port"))
			return parse_port(r, key, value, r->node->m.port);
		if (!strcmp(key, "manager-port"))
			return parse_port(r, key, value, r->node->manager_port);
		return wrong(
			r,
			"unknown key '%.40s' of a node: valid are roles, host, port and manager-port",
			key);
	}
	if (!strcmp(key, "name"))
		return roc_evb_name_valid(value)
			       ? parse_text(r, key, value, f->system, sizeof(f->system))
			       : wrong(r,
				       "'%.40s' is not a name of a system: use up to 31 letters, digits and ._-",
				       value);
	if (!strcmp(key, "policy"))
		return parse_policy(r, value);
	if (!strcmp(key, "seed"))
		return parse_number(r, key, value, UINT64_MAX, &f->seed);
	if (!strcmp(key, "readouts"))
		return parse_number(r, key, value, ROC_EVB_NODES_MAX, &f->readouts);
	if (!strcmp(key, "builders"))
		return parse_number(r, key, value, ROC_EVB_NODES_MAX, &f->builders);
	if (!strcmp(key, "lease-ms"))
		return parse_number(r, key, value, 600000, &f->lease_ms);
	return wrong(
		r,
		"unknown key '%.40s' of [system]: valid are name, policy, seed, readouts, builders and lease-ms",
		key);
}

static int end(struct libroc_ini *ini)
{
	struct reader *r = (struct reader *)ini;
	struct evb_static_file *f = r->f;
	struct evb_static_node *n = r->node;

	if (!n)
		return 0;
	r->node = NULL;
	if (!n->m.roles)
		return roc_fail(EINVAL, "%s:%u: node %s has no roles", ini->file, n->line,
				n->m.name);
	if (!n->m.host[0] && n->m.roles & (ROC_EVB_BUILDER | ROC_EVB_MANAGER))
		return roc_fail(EINVAL, "%s:%u: node %s has no host, but other nodes connect to it",
				ini->file, n->line, n->m.name);
	if (!(n->m.roles & ROC_EVB_MANAGER))
		return 0;
	if (f->manager)
		return roc_fail(
			EINVAL,
			"%s:%u: node %s is a second manager, beside %s in line %u: a file permits one, use etcd for several",
			ini->file, n->line, n->m.name, f->manager->m.name, f->manager->line);
	if (!n->manager_port[0])
		strcpy(n->manager_port, EVB_MANAGER_PORT);
	f->manager = n;
	return 0;
}

static int check(const char *path, struct evb_static_file *f)
{
	unsigned int i, readouts = 0, builders = 0;

	for (i = 0; i < f->count; i++) {
		readouts += !!(f->nodes[i].m.roles & ROC_EVB_READOUT);
		builders += !!(f->nodes[i].m.roles & ROC_EVB_BUILDER);
	}
	if (!f->manager)
		return roc_fail(EINVAL, "%s: no node has the role manager", path);
	if (!readouts || !builders)
		return roc_fail(EINVAL,
				"%s: no node has the role readout, or none has the role builder",
				path);
	if (f->readouts > readouts || f->builders > builders)
		return roc_fail(
			EINVAL,
			"%s: readouts or builders is larger than the number of nodes in the file (%u readout units, %u builders)",
			path, readouts, builders);
	if (f->lease_ms < 100)
		return roc_fail(EINVAL, "%s: lease-ms is %llu, the minimum is 100", path,
				(unsigned long long)f->lease_ms);
	return 0;
}

/* A missing or unreadable file may be there later, so its error is not -EINVAL. */
static int read_all(const char *path, char text[FILE_MAX + 1])
{
	FILE *in = fopen(path, "re");
	size_t length = in ? fread(text, 1, FILE_MAX + 1, in) : 0;
	int ret = 0;

	if (!in || ferror(in))
		ret = roc_fail(errno, "%s cannot be read: %s", path, strerror(errno));
	else if (length > FILE_MAX)
		ret = roc_fail(EINVAL, "%s exceeds the limit of 1 MiB", path);
	else
		text[length] = '\0';
	if (in)
		fclose(in);
	return ret;
}

int evb_static_read(const char *path, struct evb_static_file *f, char reason[ROC_EVB_REASON])
{
	struct reader r = {
		.ini = {.file = path, .value = parse_value, .begin = begin, .end = end},
		.f = f,
	};
	char *text = malloc(FILE_MAX + 1);
	int ret;

	*f = (struct evb_static_file){.system = "roc", .lease_ms = LEASE_MS};
	f->nodes = calloc(EVB_MEMBERS_MAX, sizeof(*f->nodes));
	ret = text && f->nodes ? read_all(path, text)
			       : roc_fail(ENOMEM, "cannot allocate the contents of %s", path);
	if (!ret)
		ret = libroc_ini_read(&r.ini, text);
	if (!ret)
		ret = check(path, f);
	free(text);
	if (!ret)
		return 0;
	snprintf(reason, ROC_EVB_REASON, "%s.", roc_error());
	evb_static_free(f);
	return ret;
}

void evb_static_free(struct evb_static_file *f)
{
	free(f->nodes);
	f->nodes = NULL;
}

const struct evb_static_node *evb_static_find(const struct evb_static_file *f, const char *name)
{
	unsigned int i;

	for (i = 0; i < f->count; i++) {
		if (!strcmp(f->nodes[i].m.name, name))
			return &f->nodes[i];
	}
	return NULL;
}
