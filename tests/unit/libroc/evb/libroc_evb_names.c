// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members whose host is a name: a node continues while the lookup of the name takes long. The test
 * replaces getaddrinfo().
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdatomic.h>

#include "tests/unit/libroc/evb/evb_system.h"

#define STEPS 50 /* steps of a node while it waits for a name */

static atomic_bool name_server_answers;	  /* the name server responds */
static atomic_uint lookups, lookups_done; /* lookups that need the name server */

static int add_before(struct addrinfo **list)
{
	static struct sockaddr_in unused_address = {.sin_family = AF_INET};
	struct addrinfo *a = calloc(1, sizeof(*a));

	if (!a)
		return EAI_MEMORY;
	unused_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
	*a = **list;
	a->ai_addr = (struct sockaddr *)&unused_address;
	a->ai_next = *list;
	*list = a;
	return 0;
}

/*
 * Resolve *.test, two.test with an unused address before the right one. Names *.nowhere do not
 * exist.
 */
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		struct addrinfo **list)
{
	static struct sockaddr_in here[64];
	static atomic_uint used;
	struct addrinfo *a;
	struct sockaddr_in *to = &here[atomic_fetch_add(&used, 1) % 64];
	const char *number = host && strchr(host, '.') ? host : "127.0.0.1";
	bool name = host && (strstr(host, ".test") || strstr(host, ".nowhere"));
	double end = unit_seconds() + 5 * slowness();

	if (name && hints->ai_flags & AI_NUMERICHOST)
		return EAI_NONAME;
	if (name) {
		atomic_fetch_add(&lookups, 1);
		while (!atomic_load(&name_server_answers) && unit_seconds() < end)
			usleep(1000);
		atomic_fetch_add(&lookups_done, 1);
		if (!atomic_load(&name_server_answers))
			return EAI_AGAIN;
		if (strstr(host, ".nowhere"))
			return EAI_NONAME;
		number = "127.0.0.1";
	}
	*to = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)(service ? atoi(service) : 0)),
	};
	if (inet_pton(AF_INET, number, &to->sin_addr) != 1)
		return EAI_NONAME;
	a = calloc(1, sizeof(*a));
	if (!a)
		return EAI_MEMORY;
	*a = (struct addrinfo){
		.ai_family = AF_INET,
		.ai_socktype = SOCK_STREAM,
		.ai_addrlen = sizeof(*to),
		.ai_addr = (struct sockaddr *)to,
	};
	*list = a;
	if (name && strstr(host, "two.test"))
		return add_before(list);
	return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
	struct addrinfo *next;

	for (; list; list = next) {
		next = list->ai_next;
		free(list);
	}
}

/* Start a readout unit, and a builder that advertises this host name. */
static void open_two(const char *host)
{
	reset_system();
	atomic_store(&name_server_answers, false);
	atomic_store(&lookups, 0);
	atomic_store(&lookups_done, 0);
	node_new(0, ROC_EVB_READOUT);
	node_new(1, ROC_EVB_BUILDER)->cfg.advertise = host;
	/* The readout unit begins when its builder is connected, or after this time. */
	nodes[0].cfg.stale_ns = UINT64_C(60000000000);
	node_open(&nodes[0]);
	node_open(&nodes[1]);
	publish(ROC_EVB_ROUND_ROBIN, 0);
}

static bool lookup_has_started(void)
{
	return atomic_load(&lookups) > 0;
}

static void slow(void)
{
	unsigned int i;

	open_two("slow.test");
	CU_ASSERT_TRUE(run_until(lookup_has_started, 10000));
	for (i = 0; i < STEPS && !atomic_load(&lookups_done); i++)
		step_all();
	/* All steps were made before the lookup completed. */
	UNIT_EQ(atomic_load(&lookups_done), 0);
	UNIT_EQ(atomic_load(&lookups), 1);
	atomic_store(&name_server_answers, true);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	UNIT_EQ(counts_of(&nodes[1]).complete, 200);
	UNIT_EQ(nodes[1].sink.wrong, 0);
	node_close(&nodes[0]);
	node_close(&nodes[1]);
}

/* A node can be closed during a lookup; the result is discarded. */
static void closed_during_lookup(void)
{
	open_two("never.test");
	CU_ASSERT_TRUE(run_until(lookup_has_started, 10000));
	node_close(&nodes[0]);
	node_close(&nodes[1]);
	UNIT_EQ(atomic_load(&lookups_done), 0);
	atomic_store(&name_server_answers, true);
	CU_ASSERT_TRUE(UNIT_WAIT(atomic_load(&lookups_done) == 1, 10000));
}

static bool is_logged(void)
{
	return strstr(nodes[0].log, "Builder node1 cannot be reached");
}

static void unknown(void)
{
	open_two("no.nowhere");
	atomic_store(&name_server_answers, true);
	CU_ASSERT_TRUE(run_until(is_logged, 10000));
	CU_ASSERT_TRUE(strstr(nodes[0].log, "Cannot resolve host \"no.nowhere\": ") != NULL);
	node_close(&nodes[0]);
	node_close(&nodes[1]);
}

/* The first address of a name may be one at which the builder does not listen. */
static void two_addresses(void)
{
	open_two("two.test");
	atomic_store(&name_server_answers, true);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	UNIT_EQ(counts_of(&nodes[1]).complete, 200);
	node_close(&nodes[0]);
	node_close(&nodes[1]);
}

UNIT_MAIN("event building: names of members", {"slow lookup", slow},
	  {"close during a lookup", closed_during_lookup}, {"unknown name", unknown},
	  {"two addresses", two_addresses})
