// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * etcd:URL with a real etcd that wants to know who asks: name and password come from a file, who
 * has none or wrong ones is told so, and a token that is known no more is asked for anew.
 */
#include "unit.h"

#include <json-c/json.h>
#include <sys/stat.h>

#include "tests/unit/utils/evb/etcd_run.h"
#include "tests/unit/utils/evb/evb_nodes.h"
#include "utils/evb/etcd.h"

static int answered; /* 1: well, 2: not */

static void take_answer(void *self, unsigned int place, int result, struct json_object *answer,
			const char *text)
{
	answered = result ? 2 : 1;
	if (result)
		unit_note("%s", text);
}

static bool turn_http(struct http *h)
{
	http_turn(h);
	return answered;
}

/* What an administrator does, once. */
static void tell_etcd(const char *path, const char *body)
{
	const struct http_tls none = {.ca = NULL};
	struct http *h = http_open(&none, take_answer, NULL, reason);
	char url[128];

	UNIT_NEED(h);
	answered = 0;
	snprintf(url, sizeof(url), "%s/v3/%s", strchr(etcd_text, ':') + 1, path);
	UNIT_EQ(http_post(h, 0, url, json_tokener_parse(body), 20000), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(turn_http(h), 20000));
	UNIT_EQ(answered, 1);
	http_close(h);
}

/* Of the coordinator, with a file of this content. */
static const char *with(const char *content, mode_t mode)
{
	static char path[64], text[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/auth", etcd_dir);
	unlink(path);
	f = fopen(path, "w");
	UNIT_NEED(f);
	fputs(content, f);
	UNIT_EQ(fchmod(fileno(f), mode), 0);
	fclose(f);
	snprintf(text, sizeof(text), "%s?auth=%s", etcd_text, path);
	return text;
}

static bool closed_etcd(void)
{
	static const char role[] =
		"{\"name\":\"evb\",\"perm\":{\"permType\":\"READWRITE\",\"key\":\"L3JvYy1ldmI=\",\"range_end\":\"L3JvYy1ldmM=\"}}";

	if (!etcd_started(true))
		return false;
	tell_etcd("auth/user/add", "{\"name\":\"root\",\"password\":\"r\"}");
	tell_etcd("auth/role/add", "{\"name\":\"root\"}");
	tell_etcd("auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
	tell_etcd("auth/role/add", "{\"name\":\"evb\"}");
	tell_etcd("auth/role/grant", role); /* from /roc-evb to before /roc-evc */
	tell_etcd("auth/user/add", "{\"name\":\"daq\",\"password\":\"a:b c\"}");
	tell_etcd("auth/user/grant", "{\"user\":\"daq\",\"role\":\"evb\"}");
	tell_etcd("auth/user/add", "{\"name\":\"guest\",\"password\":\"g\"}");
	tell_etcd("auth/enable", "{}");
	return true;
}

static void is_refused(const char *text, const char *says)
{
	UNIT_EQ(node_open(&nodes[0], "r1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].ended, 20000));
	UNIT_EQ(nodes[0].ended, -EACCES);
	if (!strstr(nodes[0].c.ops->reason(nodes[0].c.self), says)) {
		unit_note("not \"%s\" but \"%s\"", says, nodes[0].c.ops->reason(nodes[0].c.self));
		CU_FAIL("another sentence");
	}
	close_all();
}

static void refused(void)
{
	if (!closed_etcd())
		return;
	is_refused(etcd_text, "etcd requires a user and a password");
	is_refused(with("daq:wrong\n", 0600), "rejects the password of the user daq");
	is_refused(with("guest:g\n", 0640), "denies the user guest access to the keys");
}

static void let_in(void)
{
	static const char *const names[] = {"m1", "r1", "b1"};
	const char *text = with("daq:a:b c\n", 0600);
	unsigned int i;

	for (i = 0; i < 3; i++)
		UNIT_EQ(node_open(&nodes[i], names[i], text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 | b1"), 20000));
	/* Its tokens are lost with it, what it has written is not. */
	etcd_end(SIGKILL);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[1].lost && nodes[0].lost, 20000));
	if (!etcd_start(false))
		return;
	CU_ASSERT_TRUE(TURN_UNTIL(!nodes[1].lost && !nodes[0].lost, 30000));
	UNIT_EQ(node_open(&nodes[3], "b2", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 | b1 b2"), 30000));
	UNIT_EQ(nodes[1].outs, 0);
	close_all();
	etcd_end(SIGKILL);
}

static void files(void)
{
	static const struct {
		const char *content;
		mode_t mode;
		const char *says;
	} faults[] = {
		{"daq:x\n", 0644, "other users can access the password"},
		{"daq\n", 0600, "has no line USER:PASSWORD"},
		{":x\n", 0600, "has no line USER:PASSWORD"},
		{"daq:\n", 0600, "has no line USER:PASSWORD"},
		{"", 0600, "has no line USER:PASSWORD"},
	};
	char text[128];
	size_t i;

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		CU_ASSERT_TRUE(node_open(&nodes[0], "r1", with(faults[i].content, faults[i].mode)) <
			       0);
		if (!strstr(reason, faults[i].says))
			unit_note("not \"%s\" but \"%s\"", faults[i].says, reason);
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, faults[i].says));
	}
	snprintf(text, sizeof(text), "%s?auth=%s/no-such", etcd_text, etcd_dir);
	UNIT_EQ(node_open(&nodes[0], "r1", text), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "No such file"));
}

/* A file for an etcd that asks nobody does no harm. */
static void not_asked(void)
{
	if (!etcd_started(true))
		return;
	UNIT_EQ(node_open(&nodes[0], "m1", with("daq:x\n", 0600)), 0);
	UNIT_EQ(node_open(&nodes[1], "rb1", with("daq:x\n", 0600)), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("rb1 | rb1"), 20000));
	close_all();
	etcd_end(SIGKILL);
}

UNIT_MAIN("event building: an etcd that asks who it is", {"refused", refused}, {"let in", let_in},
	  {"files", files}, {"not asked", not_asked})
