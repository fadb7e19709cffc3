/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-node-check, inside: a table of rules (rules.c), each of which looks at one matter of a server
 * below a root directory and says what it found. No rule writes anything, opens a device, or knows
 * another rule.
 */
#ifndef ROC_UTILS_NODE_CHECK_H
#define ROC_UTILS_NODE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "machine.h"
#include "tree.h"

/*
 * What roc-node-check expects of a server: built in, and changed by a file, one JSON object. The
 * example in Documentation/examples/node-check.json has all members, with what is built in.
 */

#define LIMITS_FILE "/etc/roc/node-check.json"
#define LIMITS_TEXTS 16
#define LIMITS_TEXT_MAX 128
#define LIMITS_CARDS 32

struct limits_texts {
	char text[LIMITS_TEXTS][LIMITS_TEXT_MAX];
	size_t count;
};

struct limits {
	/* The cards that have to be here, and the NUMA node of each; -1: any. */
	struct {
		int serial, node;
	} card[LIMITS_CARDS];
	size_t cards;
	struct limits_texts drivers; /* versions; none: the one of the tools */
	int64_t temperature_warn;    /* degrees Celsius */
	int64_t temperature_fail;
	int64_t max_payload; /* bytes */
	int64_t max_read_request;
	int64_t correctable_errors;
	int64_t node_imbalance; /* cards */
	int64_t nodes_per_socket;
	uint64_t memory_per_channel; /* bytes that a reader lends to one channel of a card */
	struct limits_texts iommu;   /* types of default domain */
	struct limits_texts governors;
	int64_t memory_channels;	     /* of a socket; 0: as many as DMI names */
	struct limits_texts memory_locators; /* patterns, tried before those that are built in */
	char group[32];
	char source[256]; /* file, empty: built in */
};

void limits_default(struct limits *limits);
/*
 * On top of what is in @limits. NULL: LIMITS_FILE if there is one. Return: 0, or -errno with the
 * message in @reason.
 */
int limits_read(struct limits *limits, const char *path, char *reason, size_t reason_size);

/* From good to bad: a rule is as bad as the worst that it found. */
enum verdict {
	VERDICT_PASS,
	VERDICT_UNKNOWN,
	VERDICT_WARN,
	VERDICT_FAIL,
};
#define VERDICTS (VERDICT_FAIL + 1)

struct check;

struct rule {
	const char *name;
	const char *reason; /* it matters: a sentence */
	void (*run)(struct check *c);
	/* Verdicts that it can come to beside PASS, a bit each: there is a fixture for every one.
	 */
	unsigned int can;
};

#define CAN_UNKNOWN (1u << VERDICT_UNKNOWN)
#define CAN_WARN (1u << VERDICT_WARN)
#define CAN_FAIL (1u << VERDICT_FAIL)

extern const struct rule check_rules[]; /* the table; ends with a name of NULL */

struct finding {
	const struct rule *rule;
	enum verdict verdict;
	char subject[24]; /* card, endpoint, node; empty: the machine */
	char *found;
	char *expected;
	char *cure;   /* NULL: nothing to cure */
	bool nothing; /* to look at */
};

struct check {
	struct tree tree;
	struct limits limits;
	struct node_cards cards;
	const struct rule *rule; /* the one that looks now */
	struct finding *findings;
	size_t count, room;
	bool out_of_memory;
};

/* All rules, on @c with its tree and its limits and nothing else. check_end() must follow. */
void check_run(struct check *c);
void check_end(struct check *c);
const char *check_verdict(enum verdict verdict);
/* What came of a rule; NULL: of all of them. */
enum verdict check_worst(const struct check *c, const struct rule *rule);
unsigned int check_count(const struct check *c, enum verdict verdict); /* of rules */

/*
 * A rule says what it found. @expected and @cure are sentences without a full stop, @cure NULL if
 * all is well; @subject NULL for the machine.
 */
void add_finding(struct check *c, enum verdict verdict, const char *subject, const char *expected,
		 const char *cure, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* A file could not be read, or has nonsense in it: @err as tree.h gives it. */
void add_unread(struct check *c, const char *subject, const char *expected, int err,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* The forms. */
void check_text(FILE *out, const struct check *c, bool verbose, bool colours);
void check_json(FILE *out, const struct check *c);

/* The rules, by the file that they are in. */
void rule_driver(struct check *c); /* rules_cards.c */
void rule_cards(struct check *c);
void rule_endpoints(struct check *c);
void rule_firmware(struct check *c);
void rule_temperature(struct check *c);
void rule_link_speed(struct check *c); /* rules_pci.c */
void rule_link_width(struct check *c);
void rule_max_payload(struct check *c);
void rule_max_read_request(struct check *c);
void rule_aspm(struct check *c);
void rule_aer(struct check *c);
void rule_numa_node(struct check *c); /* rules_numa.c */
void rule_numa_balance(struct check *c);
void rule_sub_numa(struct check *c);
void rule_hugepages(struct check *c);
void rule_irq_affinity(struct check *c);
void rule_memory_channels(struct check *c); /* rules_memory.c */
void rule_memory_modules(struct check *c);
void rule_prefetchers(struct check *c); /* rules_system.c */
void rule_iommu(struct check *c);
void rule_governor(struct check *c);
void rule_secure_boot(struct check *c);
void rule_memlock(struct check *c); /* rules_access.c */
void rule_permissions(struct check *c);
void rule_group(struct check *c);

#endif
