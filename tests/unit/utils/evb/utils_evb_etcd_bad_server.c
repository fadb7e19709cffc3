// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the coordinator etcd:URL with a server that is not etcd, or an etcd with invalid keys: a
 * node logs it, uses no invalid value, and continues.
 */
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "tests/unit/utils/evb/evb_nodes.h"

enum mode {
	SILENT,
	HANGS_UP,
	NO_HTTP,
	NO_GATEWAY,
	ERROR_500,
	NO_JSON,
	NO_OBJECT,
	ENDLESS,
	INVALID_KEYS,
	REFUSES,
	SLOW,
	CUTS, /* ends each watch at once */
	WELL
};

static atomic_int mode;
static atomic_bool stopping;
static atomic_bool unresponsive;  /* the first address does not answer any more */
static atomic_bool one_error;	  /* the next answer is an error */
static atomic_bool lease_unknown; /* the lease of the next candidate is unknown */
static atomic_bool database_full; /* all writes are refused */
static atomic_uint joins, campaigns, streams, reports, publishings, lists, report_lists;
static atomic_uint_fast64_t renewed, lease_ns = UINT64_MAX; /* time of the last renewal; duration */
static int listener, second = -1;
static char text[128];
static char table_text[64 << 10]; /* value of the key, before base64 */

static void base64(const char *in, char *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = strlen(in), i, k;

	for (i = 0; i < n; i += 3) {
		unsigned int word = 0;

		for (k = 0; k < 3; k++)
			word = word << 8 | (i + k < n ? (unsigned char)in[i + k] : 0);
		for (k = 0; k < 4; k++)
			*out++ = i + k > n ? '=' : digits[word >> (18 - 6 * k) & 63];
	}
	*out = '\0';
}

static void kv(FILE *out, const char *key, const char *value, unsigned int lease)
{
	static char code[128 << 10];

	base64(key, code);
	fprintf(out,
		"{\"key\":\"%s\",\"create_revision\":\"7\",\"mod_revision\":\"7\",\"lease\":\"%u\",",
		code, lease);
	base64(value, code);
	fprintf(out, "\"value\":\"%s\"}", code);
}

#define MEMBER(name, roles)                                                                        \
	"{\"name\":\"" name "\",\"host\":\"127.0.0.1\",\"port\":\"1\",\"incarnation\":1,"          \
	"\"roles\":" roles ",\"peers\":8}"

static void list(FILE *out, bool invalid)
{
	fprintf(out, "{\"header\":{\"revision\":\"9\"},\"kvs\":[");
	if (invalid) {
		kv(out, "/roc-evb/roc/members/r7", MEMBER("r8", "1"), 1);
		fputc(',', out);
		kv(out, "/roc-evb/roc/members/r9", "{}", 1);
		fputc(',', out);
		kv(out, "/roc-evb/roc/members/../x", MEMBER("../x", "1"), 1);
		fputc(',', out);
		kv(out, "/roc-evb/roc/members/r6", "[[[[", 1);
		fputc(',', out);
		kv(out, "/another/program", "1", 1);
		fprintf(out,
			",{\"key\":\"%%%%%%\",\"value\":\"AAAA\"},{\"value\":5},7,null,{\"key\":\"L3JvYw==\",\"value\":\"A\"},");
		kv(out, "/roc-evb/roc/members/r5", MEMBER("r5", "1"), 1);
		fputc(',', out);
		kv(out, "/roc-evb/roc/table", table_text, 0);
		fputc(',', out);
		kv(out, "/roc-evb/roc/manager", "a manager's name that is none", 77);
	} else {
		kv(out, "/roc-evb/roc/members/m1", MEMBER("m1", "4"), 5);
		fputc(',', out);
		kv(out, "/roc-evb/roc/members/r1", MEMBER("r1", "1"), 6);
		fputc(',', out);
		kv(out, "/roc-evb/roc/members/b1", MEMBER("b1", "2"), 6);
		if (mode != WELL) {
			fputc(',', out);
			kv(out, "/roc-evb/roc/manager", "m1", 5);
			fputc(',', out);
			kv(out, "/roc-evb-reports/roc/r9", "{}", 1);
		}
	}
	fprintf(out, "],\"count\":\"1\"}");
}

static bool has_key(const char *request, const char *key)
{
	char code[64];

	base64(key, code);
	return strstr(request, code);
}

static bool campaign(const char *request)
{
	return strstr(request, "/v3/kv/txn") && strstr(request, "failure") &&
	       has_key(request, "/roc-evb/roc/manager");
}

/* Answer like etcd; false: the connection stays open after the answer. */
static bool answer(FILE *out, const char *request)
{
	bool invalid = mode == INVALID_KEYS;

	if (strstr(request, "/v3/lease/grant"))
		fprintf(out, "{\"ID\":\"5\",\"TTL\":\"2\"}");
	else if (strstr(request, "/v3/lease/keepalive") && fabric_now() - renewed > lease_ns)
		fprintf(out, "{\"result\":{\"ID\":\"5\"}}");
	else if (strstr(request, "/v3/lease/keepalive"))
		fprintf(out, "{\"result\":{\"ID\":\"5\",\"TTL\":\"2\"}}");
	else if (campaign(request)) {
		campaigns++;
		fprintf(out, "{\"succeeded\":true}");
	} else if (strstr(request, "/v3/kv/txn") && strstr(request, "failure")) {
		joins++;
		if (mode == SLOW)
			usleep(400000);
		fprintf(out, "{\"succeeded\":true}");
	} else if (strstr(request, "/v3/kv/txn"))
		fprintf(out, "{\"header\":{}}");
	else if (strstr(request, "/v3/kv/range")) {
		*(has_key(request, "/roc-evb-reports/roc/") ? &report_lists : &lists) += 1;
		list(out, invalid);
	} else if (strstr(request, "/v3/watch") && ++streams)
		fprintf(out,
			"{\"result\":{\"created\":true}}\n{\"result\":{\"events\":[7,{\"kv\":5},{\"type\":9},null,{\"type\":\"DELETE\",\"kv\":{\"key\":\"/\"}}]}}\n");
	else
		fprintf(out, "{}");
	if (strstr(request, "/v3/lease/"))
		renewed = fabric_now();
	return mode == CUTS || !strstr(request, "/v3/watch");
}

static void respond(int fd, const char *request)
{
	static const char head[] = "HTTP/1.1 %s\r\nConnection: close\r\n\r\n";
	FILE *out = fdopen(dup(fd), "w");
	enum mode now = atomic_exchange(&one_error, false) ? ERROR_500 : mode;
	unsigned int i;

	if (now >= INVALID_KEYS && database_full && strstr(request, "/v3/kv/") &&
	    !strstr(request, "/v3/kv/range")) {
		reports += !!strstr(request, "/v3/kv/put");
		publishings += strstr(request, "/v3/kv/txn") && !strstr(request, "failure");
		fprintf(out, head, "429 Too Many Requests");
		fprintf(out,
			"{\"error\":\"etcdserver: mvcc: database space exceeded\",\"code\":8}");
		fclose(out);
		return;
	}
	if (now == WELL && campaign(request) && atomic_exchange(&lease_unknown, false)) {
		fprintf(out, head, "404 Not Found");
		fprintf(out, "{\"error\":\"etcdserver: requested lease not found\",\"code\":5}");
		fclose(out);
		return;
	}
	if (now >= ERROR_500)
		fprintf(out, head, now == ERROR_500 ? "500 Broken" : "200 OK");
	switch (now) {
	case NO_HTTP:
		fprintf(out, "220 mail.example.org ESMTP\r\n");
		break;
	case NO_GATEWAY:
		fprintf(out, head, "404 Not Found");
		fprintf(out, "404 page not found\n");
		break;
	case ERROR_500:
		fprintf(out, "the disk is full\n");
		break;
	case NO_JSON:
		fprintf(out, "<html>Welcome</html>");
		break;
	case NO_OBJECT:
		fprintf(out, "[1, 2, 3]");
		break;
	case ENDLESS:
		for (i = 0; i < 18 << 20 && !ferror(out); i += 64)
			fprintf(out, "%64s", "x");
		break;
	case INVALID_KEYS:
	case REFUSES:
	case SLOW:
	case CUTS:
	case WELL:
		if (!answer(out, request)) {
			fflush(out);
			/* Streams continue until the end of the test. */
			while (!stopping && mode >= INVALID_KEYS)
				usleep(20000);
		}
		break;
	default:
		break;
	}
	fclose(out);
}

static void *serve_one(void *context)
{
	int fd = (int)(intptr_t)context;
	char request[16384] = "", *body;
	size_t have = 0, length = 0;
	ssize_t n;

	while (have < sizeof(request) - 1 &&
	       (n = recv(fd, request + have, sizeof(request) - 1 - have, 0)) > 0) {
		have += (size_t)n;
		request[have] = '\0';
		body = strstr(request, "\r\n\r\n");
		if (body && strstr(request, "Content-Length: "))
			length = strtoul(strstr(request, "Content-Length: ") + 16, NULL, 10);
		if (body && have >= (size_t)(body + 4 - request) + length)
			break;
	}
	if (mode == SILENT) {
		while (!stopping && mode == SILENT)
			usleep(20000);
	} else {
		respond(fd, request);
	}
	close(fd);
	return NULL;
}

static void *serve(void *unused)
{
	pthread_t thread;
	int fd;

	while (!stopping) {
		/*
		 * The kernel accepts connections to the unresponsive address, but they are not
		 * read.
		 */
		struct pollfd p[] = {{.fd = unresponsive ? -1 : listener, .events = POLLIN},
				     {.fd = second, .events = POLLIN}};

		if (poll(p, 2, 50) < 1)
			continue;
		fd = accept(p[0].revents ? listener : second, NULL, NULL);
		if (fd < 0 || pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)fd))
			continue;
		pthread_detach(thread);
	}
	return NULL;
}

static pthread_t server;

/* Listen at one more address of the list. */
static int listens(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	unsigned int port = free_port();
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	a.sin_port = htons((uint16_t)port);
	UNIT_NEED(!bind(fd, (struct sockaddr *)&a, sizeof(a)) && !listen(fd, 64));
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "%shttp://127.0.0.1:%u",
		 text[0] ? "," : "etcd:", port);
	return fd;
}

static void serve_it(enum mode first)
{
	mode = first;
	stopping = unresponsive = one_error = lease_unknown = database_full = false;
	lease_ns = UINT64_MAX;
	UNIT_NEED(!pthread_create(&server, NULL, serve, NULL));
}

static void begin(enum mode first)
{
	/* The client may have closed the connection before the answer. */
	signal(SIGPIPE, SIG_IGN);
	text[0] = '\0';
	listener = listens();
	serve_it(first);
}

static void end(void)
{
	close_all();
	stopping = true;
	pthread_join(server, NULL);
	close(listener);
}

static unsigned int times_logged(const char *what)
{
	const char *at = sentences;
	unsigned int n = 0;

	while ((at = strstr(at, what))) {
		at++;
		n++;
	}
	return n;
}

/* For each invalid answer the node logs one message and retries. */
static void not_etcd(void)
{
	static const struct {
		enum mode mode;
		const char *expected;
	} modes[] = {
		{HANGS_UP, "the node continues with its last assignment table"},
		{NO_HTTP, "the node continues with its last assignment table"},
		{NO_GATEWAY, "cannot be used (HTTP status 404: etcd has no gRPC gateway"},
		{ERROR_500, "cannot be used (HTTP status 500: the disk is full"},
		{NO_JSON, "the answer is not a JSON object"},
		{NO_OBJECT, "the answer is not a JSON object"},
		{ENDLESS, "the answer exceeds the limit of 16 MiB"},
	};
	struct roc_evb_news news;
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		begin(modes[i].mode);
		UNIT_EQ(node_open(&nodes[0], "r1", text), 0);
		CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].lost, 3000));
		if (!strstr(nodes[0].lost_text, modes[i].expected))
			unit_note("%s: %s", modes[i].expected, nodes[0].lost_text);
		CU_ASSERT_PTR_NOT_NULL(strstr(nodes[0].lost_text, modes[i].expected));
		UNIT_EQ(nodes[0].ended, 0);
		UNIT_EQ(nodes[0].c.ops->poll(nodes[0].c.self, &news), 0);
		/* A repeated error is not reported again. */
		if (modes[i].mode == ERROR_500)
			CU_ASSERT_TRUE(TURN_WHILE(nodes[0].losts <= 1 && !nodes[0].ended, 700));
		end();
	}
	/* The gateway is enabled later. */
	begin(NO_GATEWAY);
	UNIT_EQ(node_open(&nodes[0], "r1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].lost, 3000));
	mode = WELL;
	CU_ASSERT_TRUE(TURN_UNTIL(joins && !nodes[0].lost, 10000));
	end();
	/* No server at all; and one of two addresses without a server. */
	UNIT_EQ(node_open(&nodes[0], "r1", "etcd:http://127.0.0.1:1"), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].lost, 3000));
	close_all();
}

/* A server that does not answer is detected by a timeout. */
static void silent(void)
{
	begin(SILENT);
	UNIT_EQ(node_open(&nodes[0], "r1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].lost, 6000));
	end();
}

static const char *const tables[] = {
	"nonsense",
	"{}",
	"{\"term\":1,\"epoch\":0,\"fromBlock\":0,\"seed\":0,\"policy\":0,\"readoutUnits\":[],\"builderUnits\":[]}",
	"{\"term\":1,\"epoch\":1,\"fromBlock\":0,\"seed\":0,\"policy\":4,\"readoutUnits\":[],\"builderUnits\":[]}",
	"{\"term\":-1,\"epoch\":1,\"fromBlock\":0,\"seed\":0,\"policy\":0,\"readoutUnits\":[],\"builderUnits\":[]}",
	"{\"term\":1,\"epoch\":1,\"fromBlock\":0,\"seed\":0,\"policy\":0,\"readoutUnits\":[],\"builderUnits\":[{\"name\":\"b\",\"incarnation\":1,\"weight\":0}]}",
	"{\"term\":1,\"epoch\":1,\"fromBlock\":0,\"seed\":0,\"policy\":0,\"readoutUnits\":[],"
	"\"builderUnits\":[{\"name\":\"b\",\"incarnation\":1,\"weight\":5},{\"name\":\"b\","
	"\"incarnation\":2,\"weight\":5}]}",
	"{\"term\":1,\"epoch\":1,\"fromBlock\":0,\"seed\":0,\"policy\":0,\"readoutUnits\":[],"
	"\"builderUnits\":[{\"name\":\"0123456789012345678901234567890123456789\","
	"\"incarnation\":1,\"weight\":5}]}",
	NULL, /* more nodes than the limit */
};

static void strange_keys(void)
{
	size_t i, k, at;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (tables[i]) {
			strcpy(table_text, tables[i]);
		} else {
			at = (size_t)sprintf(
				table_text,
				"{\"term\":1,\"epoch\":1,\"fromBlock\":0,\"seed\":0,\"policy\":0,\"readoutUnits\":[");
			for (k = 0; k <= ROC_EVB_NODES_MAX; k++)
				at += (size_t)sprintf(
					table_text + at,
					"%s{\"name\":\"n%zu\",\"incarnation\":1,\"weight\":1}",
					k ? "," : "", k);
			sprintf(table_text + at, "],\"builderUnits\":[]}");
		}
		begin(INVALID_KEYS);
		UNIT_EQ(node_open(&nodes[0], "r1", text), 0);
		CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].member_count, 5000));
		UNIT_EQ(nodes[0].member_count, 1);
		CU_ASSERT_STRING_EQUAL(nodes[0].members[0].name, "r5");
		UNIT_EQ(nodes[0].table.epoch, 0);
		UNIT_EQ(nodes[0].ended, 0);
		CU_ASSERT_TRUE(logged(
			"The member record of r7 in etcd is invalid and ignored: the name in the record differs"));
		CU_ASSERT_TRUE(logged("The member record of r9 in etcd is invalid"));
		CU_ASSERT_TRUE(logged("The assignment table in etcd is invalid"));
		end();
	}
}

/* The server returns the manager's key as ours, but refuses the table: there is a newer manager. */
static void refuses(void)
{
	begin(REFUSES);
	UNIT_EQ(node_open(&nodes[0], "m1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(!strcmp(nodes[0].leader, "m1 is the manager."), 5000));
	CU_ASSERT_TRUE(TURN_UNTIL(strstr(sentences, "etcd refused the assignment table of node m1"),
				  5000));
	CU_ASSERT_TRUE(logged("Node m1 is no longer the manager"));
	UNIT_EQ(nodes[0].table.epoch, 0);
	UNIT_EQ(nodes[0].ended, 0);
	close_all();
	end();
}

/* The invalid value of a key is logged once, however often it is read. */
static void logged_once(void)
{
	strcpy(table_text, "nonsense");
	begin(INVALID_KEYS);
	UNIT_EQ(node_open(&nodes[0], "r1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].member_count, 5000));
	one_error = true;
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].backs, 5000));
	UNIT_EQ(times_logged("The member record of r7 in etcd is invalid"), 1);
	UNIT_EQ(times_logged("The member record of r9 in etcd is invalid"), 1);
	UNIT_EQ(times_logged("The assignment table in etcd is invalid"), 1);
	end();

	begin(REFUSES);
	report_lists = 0;
	UNIT_EQ(node_open(&nodes[0], "m1", text), 0);
	/* After each refused table the manager lists all keys again. */
	CU_ASSERT_TRUE(TURN_UNTIL(report_lists >= 4, 15000));
	UNIT_EQ(times_logged("The report of node r9 in etcd is invalid"), 1);
	end();
}

/*
 * A node that joins again while the first answer is pending does not become a member by that
 * answer.
 */
static void late_answer(void)
{
	begin(SLOW);
	joins = 0;
	UNIT_EQ(node_open(&nodes[0], "r1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(joins == 1, 3000));
	nodes[0].me.incarnation++;
	UNIT_EQ(nodes[0].c.ops->join(nodes[0].c.self, &nodes[0].me), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(joins == 2, 3000));
	UNIT_EQ(nodes[0].ended, 0);
	end();
}

/* A proxy ends each watch: the node lists the keys again, but with a delay. */
static void cuts_watches(void)
{
	double began;

	begin(CUTS);
	UNIT_EQ(node_open(&nodes[0], "r1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].member_count == 3, 5000));
	began = unit_seconds();
	lists = report_lists = 0;
	CU_ASSERT_TRUE(TURN_UNTIL(lists >= 3 && report_lists >= 3, 10000));
	CU_ASSERT_TRUE(lists <= 2 * (unit_seconds() - began) + 1);
	CU_ASSERT_TRUE(report_lists <= 2 * (unit_seconds() - began) + 1);
	UNIT_EQ(nodes[0].losts, 0);
	UNIT_EQ(nodes[0].outs, 0);
	end();
}

/* A candidate learns from its campaign that its lease expired, and with it its member key. */
static void campaign_without_a_lease(void)
{
	begin(WELL);
	joins = campaigns = 0;
	lease_unknown = true;
	UNIT_EQ(node_open(&nodes[0], "m1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(campaigns, 5000));
	UNIT_EQ(joins, 2);
	UNIT_EQ(nodes[0].outs, 1);
	UNIT_EQ(nodes[0].losts, 0);
	UNIT_EQ(nodes[0].ended, 0);
	end();
}

/* The database of the server is full: logged once, and once when it accepts writes again. */
static void full_database(void)
{
	double began;

	begin(WELL);
	UNIT_EQ(node_open(&nodes[0], "r1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].member_count == 3, 5000));
	reports = 0;
	database_full = true;
	CU_ASSERT_TRUE(TURN_UNTIL(reports >= 3, 10000));
	UNIT_EQ(nodes[0].losts, 0);
	UNIT_EQ(times_logged("database space exceeded"), 1);
	UNIT_EQ(times_logged("accepts writes again"), 0);
	database_full = false;
	CU_ASSERT_TRUE(TURN_UNTIL(strstr(sentences, "accepts writes again"), 5000));
	UNIT_EQ(nodes[0].losts, 0);
	end();

	/* The manager remains the manager, and tries to write its table twice per second. */
	begin(REFUSES);
	database_full = true;
	publishings = 0;
	began = unit_seconds();
	UNIT_EQ(node_open(&nodes[0], "m1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(strstr(sentences, "database space exceeded"), 5000));
	UNIT_EQ(nodes[0].member_count, 0);
	database_full = false;
	CU_ASSERT_TRUE(TURN_UNTIL(!strcmp(nodes[0].leader, "m1 is the manager."), 5000));
	began = unit_seconds();
	database_full = true;
	CU_ASSERT_TRUE(TURN_UNTIL(publishings >= 3, 10000));
	CU_ASSERT_TRUE(publishings <= 2 * (unit_seconds() - began) + 1);
	UNIT_EQ(nodes[0].losts, 0);
	UNIT_EQ(nodes[0].ended, 0);
	end();
}

/* False: the lease of the node expired before it used the second address. */
static bool switches(void)
{
	uint64_t before;
	bool in;

	text[0] = '\0';
	listener = listens();
	second = listens();
	serve_it(WELL);
	nodes_lease = UINT64_C(4000000000);
	UNIT_EQ(node_open(&nodes[0], "r1", text), 0);
	nodes_lease = LEASE_LONG;
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].member_count == 3, 5000));
	lease_ns = (uint64_t)(4e9 * slowness());
	before = renewed;
	unresponsive = true;
	CU_ASSERT_TRUE(TURN_UNTIL(renewed != before, 10000));
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].backs, 10000));
	in = !nodes[0].outs;
	end();
	close(second);
	second = -1;
	return in;
}

/* One of two addresses hangs: the node uses the other one before a lease expires. */
static void one_hangs(void)
{
	unsigned int tries = 1;

	/* On a busy machine any step may be too late. */
	while (!switches() && tries++ < 4)
		;
	CU_ASSERT_TRUE(tries <= 4);
}

/* The same for a watcher, which has no lease. */
static void one_hangs_for_watcher(void)
{
	struct evb_coordinator_config cfg = {.text = text};

	text[0] = '\0';
	listener = listens();
	second = listens();
	serve_it(WELL);
	memset(&nodes[0], 0, sizeof(nodes[0]));
	UNIT_NEED(!evb_coordinator_open(&cfg, &nodes[0].c, reason));
	nodes[0].open = nodes[0].silent = true;
	streams = 0;
	CU_ASSERT_TRUE(TURN_UNTIL(streams == 2, 5000));
	UNIT_EQ(nodes[0].member_count, 3);
	unresponsive = true;
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].losts, 8000));
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].backs && !nodes[0].lost, 8000));
	end();
	close(second);
	second = -1;
}

/* Two of three addresses hang: the node returns to the one that works. */
static void two_hang(void)
{
	int dead[2];

	text[0] = '\0';
	listener = listens();
	dead[0] = listens();
	dead[1] = listens();
	serve_it(WELL);
	nodes_lease = LEASE_SHORT;
	UNIT_EQ(node_open(&nodes[0], "r1", text), 0);
	nodes_lease = LEASE_LONG;
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].member_count == 3, 5000));
	one_error = true;
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].lost, 5000));
	CU_ASSERT_TRUE(TURN_UNTIL(!nodes[0].lost, 15000));
	end();
	close(dead[0]);
	close(dead[1]);
}

static void wrong_options(void)
{
	static const struct {
		const char *text, *expected;
	} words[] = {
		{"etcd:", "is not http://HOST:PORT"},
		{"etcd:ftp://x", "is not http://HOST:PORT"},
		{"etcd:http://x:1,y", "\"y\" is not http://HOST:PORT"},
		{"etcd:http://x:1?colour=red", "unknown option \"colour=red\""},
		{"etcd:http://[fe80::1]:2379", "is a link-local address without an interface"},
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		UNIT_EQ(node_open(&nodes[0], "r1", words[i].text), -EINVAL);
		if (!strstr(reason, words[i].expected))
			unit_note("missing: \"%s\", but: %s", words[i].expected, reason);
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, words[i].expected));
	}
}

UNIT_MAIN("event building: invalid etcd servers", {"not etcd", not_etcd}, {"silent", silent},
	  {"invalid keys", strange_keys}, {"refused table", refuses}, {"logged once", logged_once},
	  {"late answer", late_answer}, {"each watch ends at once", cuts_watches},
	  {"campaign without a lease", campaign_without_a_lease}, {"full database", full_database},
	  {"one of two hangs", one_hangs},
	  {"one of two hangs for a watcher", one_hangs_for_watcher},
	  {"two of three hang", two_hang}, {"wrong options", wrong_options})
