// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the coordinator etcd:URL with a real etcd that requires authentication: user and password
 * come from a file, wrong ones are refused with a message, and an expired token is renewed.
 */
#include "unit.h"

#include <json-c/json.h>
#include <sys/stat.h>

#include "tests/unit/utils/evb/etcd_run.h"
#include "tests/unit/utils/evb/evb_nodes.h"
#include "utils/evb/etcd.h"

static int answer_status; /* 1: success, 2: failure */

static void take_answer(void *self, unsigned int place, int result, struct json_object *answer,
			const char *text)
{
	answer_status = result ? 2 : 1;
	if (result)
		unit_note("%s", text);
}

static bool turn_http(struct http *h)
{
	http_turn(h);
	return answer_status;
}

/* Send a request of an administrator. */
static void etcd_request(const char *path, const char *body)
{
	const struct http_tls none = {.ca = NULL};
	struct http *h = http_open(&none, take_answer, NULL, reason);
	char url[128];

	UNIT_NEED(h);
	answer_status = 0;
	snprintf(url, sizeof(url), "%s/v3/%s", strchr(etcd_text, ':') + 1, path);
	UNIT_EQ(http_post(h, 0, url, json_tokener_parse(body), 20000), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(turn_http(h), 20000));
	UNIT_EQ(answer_status, 1);
	http_close(h);
}

/* The argument of --coordinator, with an auth file of this content. */
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
	etcd_request("auth/user/add", "{\"name\":\"root\",\"password\":\"r\"}");
	etcd_request("auth/role/add", "{\"name\":\"root\"}");
	etcd_request("auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
	etcd_request("auth/role/add", "{\"name\":\"evb\"}");
	etcd_request("auth/role/grant", role); /* from /roc-evb to before /roc-evc */
	etcd_request("auth/user/add", "{\"name\":\"daq\",\"password\":\"a:b c\"}");
	etcd_request("auth/user/grant", "{\"user\":\"daq\",\"role\":\"evb\"}");
	etcd_request("auth/user/add", "{\"name\":\"guest\",\"password\":\"g\"}");
	etcd_request("auth/enable", "{}");
	return true;
}

static void is_refused(const char *text, const char *expected)
{
	UNIT_EQ(node_open(&nodes[0], "r1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].ended, 20000));
	UNIT_EQ(nodes[0].ended, -EACCES);
	if (!strstr(nodes[0].c.ops->reason(nodes[0].c.self), expected)) {
		unit_note("not \"%s\" but \"%s\"", expected,
			  nodes[0].c.ops->reason(nodes[0].c.self));
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
	/* The restart drops the tokens, but not the data. */
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
		const char *expected;
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
		if (!strstr(reason, faults[i].expected))
			unit_note("not \"%s\" but \"%s\"", faults[i].expected, reason);
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, faults[i].expected));
	}
	snprintf(text, sizeof(text), "%s?auth=%s/no-such", etcd_text, etcd_dir);
	UNIT_EQ(node_open(&nodes[0], "r1", text), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "No such file"));
}

/* An auth file has no effect on an etcd without authentication. */
static void no_authentication(void)
{
	if (!etcd_started(true))
		return;
	UNIT_EQ(node_open(&nodes[0], "m1", with("daq:x\n", 0600)), 0);
	UNIT_EQ(node_open(&nodes[1], "rb1", with("daq:x\n", 0600)), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("rb1 | rb1"), 20000));
	close_all();
	etcd_end(SIGKILL);
}

UNIT_MAIN("event building: etcd with authentication", {"refused", refused}, {"accepted", let_in},
	  {"files", files}, {"no authentication", no_authentication})
