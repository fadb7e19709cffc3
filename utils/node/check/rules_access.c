// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules for access: limits of resources, device nodes and their group. Device nodes are not opened.
 */
#include "check.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CAP_IPC_LOCK_BIT 14

/* Bytes of the soft limit; UINT64_MAX: unlimited. */
static int read_memlock(const struct check *c, uint64_t *bytes)
{
	static const char name[] = "Max locked memory";
	char text[TREE_TEXT_MAX], *p, *end;
	int err = tree_text(&c->tree, text, sizeof(text), "proc/self/limits");

	if (err)
		return err;
	p = strstr(text, name);
	if (!p)
		return -EINVAL;
	p += strlen(name);
	p += strspn(p, " ");
	if (!strncmp(p, "unlimited", 9)) {
		*bytes = UINT64_MAX;
		return 0;
	}
	*bytes = strtoull(p, &end, 10);
	return end == p ? -EINVAL : 0;
}

/* Whether this process may lock memory without a limit. Then its limit is not that of a reader. */
static bool may_lock(const struct check *c)
{
	char text[TREE_TEXT_MAX], *p;

	if (tree_text(&c->tree, text, sizeof(text), "proc/self/status"))
		return false;
	p = strstr(text, "CapEff:");
	return p && strtoull(p + strlen("CapEff:"), NULL, 16) >> CAP_IPC_LOCK_BIT & 1;
}

void rule_memlock(struct check *c)
{
	unsigned long long one = c->limits.memory_per_channel, all = 0;
	char expected[80], cure[192];
	uint64_t bytes;
	size_t i;
	int err;

	for (i = 0; i < c->cards.count; i++)
		all += (unsigned long long)c->cards.card[i].pools * one;
	snprintf(expected, sizeof(expected), "%llu MiB, for readers of all channels",
		 (all ? all : one) >> 20);
	snprintf(
		cure, sizeof(cure),
		"put '@%s - memlock unlimited' into /etc/security/limits.d/roc.conf and log in again (service: LimitMEMLOCK=infinity)",
		c->limits.group);
	err = read_memlock(c, &bytes);
	if (err)
		add_unread(c, NULL, expected, err, "/proc/self/limits");
	else if (bytes == UINT64_MAX)
		add_finding(c, VERDICT_PASS, NULL, expected, NULL, "unlimited");
	else if (may_lock(c))
		add_finding(c, VERDICT_UNKNOWN, NULL, expected,
			    "run roc-node-check again as the user that reads the cards",
			    "this process may lock without a limit (CAP_IPC_LOCK)");
	else if (bytes < one)
		add_finding(c, VERDICT_FAIL, NULL, expected, cure, "%" PRIu64 " MiB", bytes >> 20);
	else if (bytes < all)
		add_finding(c, VERDICT_WARN, NULL, expected, cure, "%" PRIu64 " MiB", bytes >> 20);
	else
		add_finding(c, VERDICT_PASS, NULL, expected, NULL, "%" PRIu64 " MiB", bytes >> 20);
}

/*
 * Find the group of this machine or of the copied tree, with its strings in @text. 0, -ENOENT or
 * -errno.
 */
static int find_group(const struct check *c, struct group *group, char *text, size_t size)
{
	char path[TREE_ROOT_MAX + 64];
	struct group *found;
	FILE *file;
	int err;

	if (!*c->tree.root) {
		err = getgrnam_r(c->limits.group, group, text, size, &found);
		return err ? -err : found ? 0 : -ENOENT;
	}
	err = tree_path(&c->tree, path, sizeof(path), "etc/group");
	if (err)
		return err;
	file = fopen(path, "re");
	if (!file)
		return -errno;
	do
		err = fgetgrent_r(file, group, text, size, &found);
	while (!err && strcmp(group->gr_name, c->limits.group));
	fclose(file);
	return -err;
}

/* udevd resolves group names when it loads its rules. */
#define APPLY_RULES "sudo udevadm control --reload && sudo udevadm trigger -s roc"

void rule_group(struct check *c)
{
	char expected[80], cure[192], text[16384];
	struct group group;
	size_t members = 0;
	int err = find_group(c, &group, text, sizeof(text));

	snprintf(expected, sizeof(expected), "group %s with the readers in it", c->limits.group);
	if (err == -ENOENT) {
		snprintf(cure, sizeof(cure), "sudo groupadd -r %s, then " APPLY_RULES,
			 c->limits.group);
		add_finding(c, VERDICT_FAIL, NULL, expected, cure, "no such group");
		return;
	}
	if (err) {
		add_unread(c, NULL, expected, err, "/etc/group");
		return;
	}
	while (group.gr_mem[members])
		members++;
	snprintf(cure, sizeof(cure), "sudo usermod -a -G %s NAME", c->limits.group);
	if (members)
		add_finding(c, VERDICT_PASS, NULL, expected, NULL, "%zu member%s", members,
			    members == 1 ? "" : "s");
	else
		add_finding(c, VERDICT_WARN, NULL, expected, cure,
			    "the group has no members, unless it is the primary group of a user");
}

/* @group_err: result of find_group() for @group. */
static void check_node(struct check *c, const char *name, const struct group *group, int group_err)
{
	char expected[80], subject[24], cure[256];
	struct stat st;
	int err = tree_stat(&c->tree, &st, "dev/%s", name);

	/* The installed rule names group roc. */
	if (strcmp(c->limits.group, "roc"))
		snprintf(
			cure, sizeof(cure),
			"copy 60-roc.rules to /etc/udev/rules.d and write GROUP=\"%s\" there, then " APPLY_RULES,
			c->limits.group);
	else
		snprintf(cure, sizeof(cure),
			 "install udev/60-roc.rules (make install), then " APPLY_RULES);
	snprintf(subject, sizeof(subject), "%s", name);
	snprintf(expected, sizeof(expected), "group %s, mode 0660", c->limits.group);
	if (err == -ENOENT)
		add_finding(c, VERDICT_FAIL, subject, expected, cure, "no device node /dev/%s",
			    name);
	else if (err)
		add_unread(c, subject, expected, err, "/dev/%s", name);
	else if (group_err == -ENOENT)
		add_finding(c, VERDICT_FAIL, subject, expected, "see the rule group",
			    "group %u, but the group %s does not exist", (unsigned int)st.st_gid,
			    c->limits.group);
	else if (group_err)
		add_unread(c, subject, expected, group_err, "/etc/group");
	else if (st.st_gid != group->gr_gid)
		add_finding(c, VERDICT_FAIL, subject, expected, cure, "group %u, not %u",
			    (unsigned int)st.st_gid, (unsigned int)group->gr_gid);
	else if ((st.st_mode & 0777) != 0660)
		add_finding(c, VERDICT_FAIL, subject, expected, cure, "mode 0%03o",
			    (unsigned int)st.st_mode & 0777);
	else
		add_finding(c, VERDICT_PASS, subject, expected, NULL, "%s, mode 0660",
			    c->limits.group);
}

void rule_permissions(struct check *c)
{
	struct group group;
	char text[16384];
	int err = find_group(c, &group, text, sizeof(text));
	size_t i;
	int k;

	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];
		char name[32];

		check_node(c, card->name, &group, err);
		for (k = 0; k < card->channels; k++) {
			snprintf(name, sizeof(name), "%sch%d", card->name, k);
			check_node(c, name, &group, err);
		}
	}
}
