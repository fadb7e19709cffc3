// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-rosd with clients that follow the protocol: requests are answered, cleared fragments are
 * gone, many clients run at once.
 */
#include "unit.h"

#include "tests/unit/utils/ros/ros_daemon.h"

#define ALL UINT64_C(0xffffff)

static struct daemon d;
static struct client a;

static void welcome(void)
{
	UNIT_NEED(daemon_start(
		&d,
		"--max-requests=17 --max-clears=3 --max-events=50 --wait=70 --patience=4000 --max-backlog=128Ki --size=1600"));
	CU_ASSERT_TRUE(client_open(&a, &d, 0));
	CU_ASSERT_TRUE(a.limits.links == ALL);
	UNIT_EQ(a.limits.message, 24 + 8 * 50);
	UNIT_EQ(a.limits.requests, 17);
	UNIT_EQ(a.limits.clears, 3);
	UNIT_EQ(a.limits.events, 50);
	UNIT_EQ(a.limits.fragment, 2048);
	UNIT_EQ(a.limits.wait, 70);
	UNIT_EQ(a.limits.patience, 4000);
	UNIT_EQ(a.limits.backlog, 128 << 10);
	client_close(&a);
	daemon_ends_well(&d);
	daemon_forget(&d);
}

static void fragments(void)
{
	uint32_t event;

	UNIT_NEED(daemon_start(&d, "--rate=0 --size=16 --size-max=2048 --source-id=0x123"));
	UNIT_NEED(client_open(&a, &d, 0));
	for (event = 0; event < 200; event++)
		CU_ASSERT_TRUE(
			client_requests(&a, event, event % 3 ? UINT64_C(1) << event % 24 : ALL));
	/* Repeated requests, partly for links that do not exist. */
	CU_ASSERT_TRUE(client_requests(&a, 5, ALL));
	CU_ASSERT_TRUE(client_request(&a, 1, 5, 3 | UINT64_C(1) << 24 | UINT64_C(1) << 63));
	UNIT_NEED(client_hears(&a, ROS_REPLY));
	UNIT_EQ(a.m.flags, ROS_INCOMPLETE);
	UNIT_EQ(a.m.reply.count, 4);
	UNIT_EQ(a.m.reply.entries[2 * 8], 24);
	UNIT_EQ(a.m.reply.entries[2 * 8 + 1], ROS_NO_LINK);
	UNIT_EQ(a.m.reply.entries[3 * 8], 63);
	CU_ASSERT_TRUE(client_request(&a, 2, 5, UINT64_C(1) << 40));
	UNIT_NEED(client_hears(&a, ROS_REPLY));
	UNIT_EQ(a.m.flags, ROS_INCOMPLETE);
	UNIT_EQ(a.m.id, 2);
	client_close(&a);
	daemon_ends_well(&d);
	UNIT_EQ(daemon_figure(&d, "replies"), 203);
	daemon_forget(&d);
}

/* Answered after the wait, and not before; at once if there is none. */
static void unknown(int wait)
{
	char options[64];
	double begin;

	snprintf(options, sizeof(options), "--rate=0 --pages=64 --wait=%d", wait);
	UNIT_NEED(daemon_start(&d, options));
	UNIT_NEED(client_open(&a, &d, 0));
	begin = daemon_ms();
	CU_ASSERT_TRUE(client_request(&a, 7, 0x80000000, ALL));
	UNIT_NEED(client_hears(&a, ROS_REPLY));
	CU_ASSERT_TRUE(daemon_ms() - begin >= wait - 1);
	UNIT_EQ(a.m.flags, ROS_INCOMPLETE | ROS_UNKNOWN);
	UNIT_EQ(a.m.reply.entries[1], ROS_NOT_THERE);
	UNIT_EQ(a.m.length, 24 + 24 * 8);
	client_close(&a);
	daemon_ends_well(&d);
	UNIT_EQ(daemon_figure(&d, "unknown"), 1);
	UNIT_EQ(daemon_units(&d, "expired"), wait ? 4 : 0);
	daemon_forget(&d);
}

static void unknown_waits(void)
{
	unknown(150);
}

static void unknown_at_once(void)
{
	unknown(0);
}

/* Requested before they arrive, and across the wrap of event ids. */
static void early_and_wrap(void)
{
	static struct client other;
	uint32_t event = 0xffffffc0, i;
	double began = daemon_ms(), requested;

	UNIT_NEED(daemon_start(&d, "--rate=100 --wait=20000 --first-event=0xffffffc0"));
	UNIT_NEED(client_open(&other, &d, 0));
	UNIT_NEED(client_open(&a, &d, 0));
	for (i = 0; i < 8; i++)
		CU_ASSERT_TRUE(client_request(&a, i, event + 100 + i, ALL));
	/* The available event behind them shows that the workers have the requests. */
	CU_ASSERT_TRUE(client_requests(&other, event, ALL));
	client_close(&other);
	requested = daemon_ms();
	for (i = 0; i < 8; i++) {
		UNIT_NEED(client_hears(&a, ROS_REPLY));
		CU_ASSERT_TRUE(client_reply_good(&a, event + 100 + (uint32_t)a.m.id, ALL));
	}
	CU_ASSERT_TRUE(client_requests(&a, 0xffffffff, ALL));
	CU_ASSERT_TRUE(client_requests(&a, 0, ALL));
	client_close(&a);
	daemon_ends_well(&d);
	/* The first of them arrives a second after the start of the daemon. */
	CU_ASSERT_TRUE(requested - began >= 1000 || daemon_units(&d, "waited") >= 32);
	UNIT_EQ(daemon_units(&d, "expired"), 0);
	daemon_forget(&d);
}

static void is_cleared(uint32_t events, uint32_t none, uint32_t fragments)
{
	UNIT_EQ(a.m.cleared.events, events);
	UNIT_EQ(a.m.cleared.unknown, none);
	UNIT_EQ(a.m.cleared.fragments, fragments);
}

static void cleared(uint32_t events, uint32_t none, uint32_t fragments)
{
	UNIT_NEED(client_hears(&a, ROS_CLEARED));
	is_cleared(events, none, fragments);
}

/* 64 events fill all 64 pages: cleared events free space for as many. */
static void clears(void)
{
	uint32_t events[64], i;

	UNIT_NEED(daemon_start(&d, "--rate=0 --pages=64 --wait=2000"));
	UNIT_NEED(client_open(&a, &d, 0));
	CU_ASSERT_TRUE(client_requests(&a, 63, ALL));
	for (i = 0; i < 64; i++)
		events[i] = i;
	CU_ASSERT_TRUE(client_clear(&a, 1, events, 64));
	cleared(64, 0, 64 * 24);
	CU_ASSERT_TRUE(client_requests(&a, 127, ALL));
	/* Not available: cleared before, twice in a list, and far in the future. */
	events[0] = 64;
	events[1] = 64;
	events[2] = 5;
	events[3] = 0x80000000;
	CU_ASSERT_TRUE(client_clear(&a, 2, events, 4));
	cleared(1, 3, 24);
	CU_ASSERT_TRUE(client_request(&a, 3, 64, ALL));
	UNIT_NEED(client_hears(&a, ROS_REPLY));
	UNIT_EQ(a.m.flags, ROS_INCOMPLETE | ROS_UNKNOWN);
	client_close(&a);
	daemon_ends_well(&d);
	UNIT_EQ(daemon_units(&d, "cleared"), 65 * 24);
	UNIT_EQ(daemon_figure(&d, "clearedEvents"), 65);
	UNIT_EQ(daemon_figure(&d, "unknownEvents"), 3);
	daemon_forget(&d);
}

/* Replies are sent when they are ready: with available data, that to the clear may be the first. */
static void requested_and_cleared(const char *options, uint32_t first, unsigned int ms)
{
	unsigned int i, replies = 0, clears = 0;
	uint32_t events[20];

	UNIT_NEED(daemon_start(&d, options));
	UNIT_NEED(client_open(&a, &d, 0));
	usleep(1000 * ms);
	for (i = 0; i < 20; i++)
		events[i] = first + i;
	/* An earlier request gets the fragments all the same. */
	CU_ASSERT_TRUE(client_request(&a, 50, first + 10, ALL));
	CU_ASSERT_TRUE(client_clear(&a, 1, events, 20));
	for (i = 0; i < 2; i++) {
		UNIT_NEED(client_hear(&a, LIMIT_MS) == HEARD_MESSAGE);
		if (a.m.type == ROS_CLEARED) {
			clears++;
			is_cleared(20, 0, 20 * 24);
		} else {
			UNIT_EQ(a.m.type, ROS_REPLY);
			replies += client_reply_good(&a, first + 10, ALL);
		}
	}
	UNIT_EQ(replies, 1);
	UNIT_EQ(clears, 1);
	client_close(&a);
	daemon_ends_well(&d);
	daemon_forget(&d);
}

/* A decision before the data: they are cleared when they arrive. And one after the data. */
static void clear_before_data(void)
{
	requested_and_cleared("--rate=200 --pages=256 --wait=30000", 100, 0);
	requested_and_cleared("--rate=200 --pages=256 --wait=30000", 0, 200);
}

/* Without requests and clears, the links are throttled, or events are cleared by age. */
static void age(void)
{
	UNIT_NEED(daemon_start(&d, "--rate=0 --pages=64 --max-age=4s"));
	UNIT_NEED(client_open(&a, &d, 0));
	CU_ASSERT_TRUE(client_requests(&a, 0, ALL));
	CU_ASSERT_TRUE(UNIT_WAIT(client_request(&a, 1, 100, ALL) && client_hears(&a, ROS_REPLY) &&
					 !(a.m.flags & ROS_INCOMPLETE),
				 20000));
	client_close(&a);
	daemon_ends_well(&d);
	CU_ASSERT_TRUE(daemon_units(&d, "aged") >= 24 * 64);
	daemon_forget(&d);
}

/* Replies are sent when they are ready, each with its id. */
static void out_of_order(void)
{
	struct ros_request far = {.event = 1000000, .links = ALL}, near = {.event = 10, .links = 1};
	uint8_t out[2 * ROS_REQUEST_BYTES];
	size_t length;

	UNIT_NEED(daemon_start(&d, "--rate=0 --pages=64 --wait=200"));
	UNIT_NEED(client_open(&a, &d, 0));
	/* Both in one write, so that the second is there when the first one starts to wait. */
	length = ros_encode_request(out, 1, &far);
	length += ros_encode_request(out + length, 2, &near);
	CU_ASSERT_TRUE(client_send(&a, out, length));
	UNIT_NEED(client_hears(&a, ROS_REPLY));
	UNIT_EQ(a.m.id, 2);
	UNIT_NEED(client_hears(&a, ROS_REPLY));
	UNIT_EQ(a.m.id, 1);
	client_close(&a);
	daemon_ends_well(&d);
	daemon_forget(&d);
}

/* Run the load tool: exit status and output. */
static int load(struct daemon *daemon, const char *options, json_object **printed)
{
	static char text[1 << 16];
	char command[512];
	size_t length;
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command),
		 "exec timeout %d \"$ROC_TOOL\" ros-load --connect=127.0.0.1:%u --json %s",
		 (int)(50 * slowness() * UNIT_PATIENCE), daemon->port, options);
	pipe = popen(command, "r");
	UNIT_NEED(pipe);
	length = fread(text, 1, sizeof(text) - 1, pipe);
	text[length] = '\0';
	status = pclose(pipe);
	*printed = json_tokener_parse(text);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int64_t printed(json_object *o, const char *key)
{
	json_object *value;

	return o && json_object_object_get_ex(o, key, &value) ? json_object_get_int64(value) : -1;
}

static void farm(const char *serve, const char *request_at, int64_t events)
{
	json_object *o = NULL;

	UNIT_NEED(daemon_start(&d, serve));
	UNIT_EQ(load(&d, request_at, &o), 0);
	UNIT_EQ(printed(o, "errors"), 0);
	UNIT_EQ(printed(o, "incomplete"), 0);
	UNIT_EQ(printed(o, "events"), events);
	UNIT_EQ(printed(o, "requests"), printed(o, "replies"));
	UNIT_EQ(printed(o, "clearedEvents"), events);
	UNIT_EQ(printed(o, "clearedFragments"), events * 24);
	unit_note("%lld replies/s of %lld requests", (long long)printed(o, "repliesPerSecond"),
		  (long long)printed(o, "requests"));
	daemon_ends_well(&d);
	UNIT_EQ(daemon_figure(&d, "replies"), printed(o, "replies"));
	unit_note("%.2f system calls of the network's thread per reply",
		  (double)(daemon_figure(&d, "sends") + daemon_figure(&d, "receives") +
			   daemon_figure(&d, "polls") + daemon_figure(&d, "wakeups")) /
			  (double)daemon_figure(&d, "replies"));
	json_object_put(o);
	daemon_forget(&d);
}

static void many_clients(void)
{
	farm("--rate=0 --size=400 --size-max=1600 --wait=30000",
	     "--clients=200 --events=20000 --size=400 --size-max=1600", 20000);
}

static void fraction(void)
{
	farm("--rate=20000 --wait=30000", "--clients=50 --events=10000 --fraction=10 --all=50",
	     10000);
}

/*
 * A request that waits for a host page is served as soon as one is returned, also without other
 * events.
 */
static void pages_come_back(void)
{
	unsigned int i, replies = 0;
	double begin;

	UNIT_NEED(daemon_start(&d, "--rate=0 --host-pages=64"));
	UNIT_NEED(client_open(&a, &d, 0));
	CU_ASSERT_TRUE(client_requests(&a, 59, ALL)); /* all of them are available */
	begin = daemon_ms();
	for (i = 0; i < 60; i++)
		CU_ASSERT_TRUE(client_request(&a, i, i, ALL));
	for (i = 0; i < 60 && client_hear(&a, LIMIT_MS) == HEARD_MESSAGE; i++)
		replies += client_reply_good(&a, (uint32_t)a.m.id, ALL);
	UNIT_EQ(replies, 60);
	CU_ASSERT_TRUE(daemon_ms() - begin < 5000 * slowness());
	client_close(&a);
	daemon_ends_well(&d);
	CU_ASSERT_TRUE(daemon_units(&d, "blocked") > 0);
	daemon_forget(&d);
}

/* The load tool detects wrong sizes and events that never arrive. */
static void load_finds_out(void)
{
	json_object *o = NULL;

	UNIT_NEED(daemon_start(&d, "--rate=0 --pages=64 --size=400 --wait=50"));
	UNIT_EQ(load(&d, "--clients=2 --events=10 --size=404 2>/dev/null", &o), 1);
	CU_ASSERT_TRUE(printed(o, "errors") > 0);
	json_object_put(o);
	UNIT_EQ(load(&d, "--clients=2 --events=10 --first-event=1000000 --clear=0", &o), 0);
	UNIT_EQ(printed(o, "incomplete"), 10);
	UNIT_EQ(printed(o, "unknown"), 10);
	UNIT_EQ(printed(o, "fragments"), 0);
	json_object_put(o);
	daemon_ends_well(&d);
	daemon_forget(&d);
}

/* So few host pages that all clients wait for some. */
static void few_pages(void)
{
	farm("--rate=0 --host-pages=64 --patience=60000 --wait=30000",
	     "--clients=50 --events=5000 --all=100 --outstanding=16", 5000);
}

UNIT_MAIN("roc-rosd", {"welcome", welcome}, {"fragments", fragments},
	  {"unknown events wait", unknown_waits},
	  {"unknown events without a wait", unknown_at_once},
	  {"events before they arrive, and across the wrap", early_and_wrap}, {"clears", clears},
	  {"a clear before the data", clear_before_data}, {"age", age},
	  {"out of order", out_of_order}, {"200 clients", many_clients},
	  {"a tenth of the events", fraction}, {"few host pages", few_pages},
	  {"host pages are returned", pages_come_back},
	  {"the load tool detects errors", load_finds_out})
