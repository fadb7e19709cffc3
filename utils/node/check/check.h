/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of roc-node-check: a table of rules (rules.c). Each rule checks one property of a
 * server below a root directory, and adds its findings. A rule does not write, does not open
 * devices, and does not depend on other rules.
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
 * The limits of roc-node-check. A file with one JSON object can override the built-in values.
 * Documentation/examples/node-check.json has all members with their built-in values.
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
	/* The cards that must be present, and the NUMA node of each; -1: any. */
	struct {
		int serial, node;
	} card[LIMITS_CARDS];
	size_t cards;
	struct limits_texts drivers; /* versions; none: the version of the tools */
	int64_t temperature_warn;    /* degrees Celsius */
	int64_t temperature_fail;
	int64_t max_payload; /* bytes */
	int64_t max_read_request;
	int64_t correctable_errors;
	int64_t node_imbalance; /* cards */
	int64_t nodes_per_socket;
	uint64_t memory_per_channel; /* bytes of the buffers of one channel */
	struct limits_texts iommu;   /* types of default domain */
	struct limits_texts governors;
	int64_t memory_channels;	     /* of a socket; 0: the number in DMI */
	struct limits_texts memory_locators; /* patterns, tried before the built-in ones */
	char group[32];
	char source[256]; /* file, empty: built in */
};

void limits_default(struct limits *limits);
/*
 * Override values in @limits by a file. NULL: LIMITS_FILE if it exists. Return: 0, or -errno with
 * the message in @reason.
 */
int limits_read(struct limits *limits, const char *path, char *reason, size_t reason_size);

/* In increasing severity: the verdict of a rule is the worst of its findings. */
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
	const char *reason; /* why the rule matters: a sentence */
	void (*run)(struct check *c);
	/* Bit mask of the possible verdicts besides PASS; each has a test fixture. */
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
	char *cure;   /* NULL: no remedy needed */
	bool nothing; /* the rule applies to no card */
};

struct check {
	struct tree tree;
	struct limits limits;
	struct node_cards cards;
	const struct rule *rule; /* the rule that runs now */
	struct finding *findings;
	size_t count, room;
	bool out_of_memory;
};

/* Run all rules. The caller sets only tree and limits of @c, and calls check_end() afterwards. */
void check_run(struct check *c);
void check_end(struct check *c);
const char *check_verdict(enum verdict verdict);
/* The verdict of a rule; NULL: of all rules. */
enum verdict check_worst(const struct check *c, const struct rule *rule);
unsigned int check_count(const struct check *c, enum verdict verdict); /* number of rules */

/*
 * Add a finding of the present rule. @expected and @cure are sentences without a full stop; @cure
 * is NULL if nothing is wrong. @subject NULL: the machine.
 */
void add_finding(struct check *c, enum verdict verdict, const char *subject, const char *expected,
		 const char *cure, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* Add the finding that a file could not be read or is invalid. @err: from a function of tree.h. */
void add_unread(struct check *c, const char *subject, const char *expected, int err,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* The output formats. */
void check_text(FILE *out, const struct check *c, bool verbose, bool colours);
void check_json(FILE *out, const struct check *c);

/* The rules, grouped by file. */
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
