/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of a server: cards and NUMA nodes from sysfs, PCI Express capabilities from the
 * configuration space, memory modules from DMI. Each function reads below the root directory of a
 * struct tree, which may be a test or a copy of the files of another server.
 */
#ifndef ROC_UTILS_NODE_MACHINE_H
#define ROC_UTILS_NODE_MACHINE_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tree.h"

struct card_type;
struct limits;

/*
 * The endpoints of a tree: those with the driver, from its class in sysfs, and boards in a slot
 * without the driver.
 */

#define NODE_CHANNELS 64

struct node_card {
	char name[16];		      /* "roc0" */
	char address[16];	      /* "0000:3b:00.0" */
	char subject[24];	      /* for findings: "245:1", or the address */
	const struct card_type *kind; /* NULL: a type that this program does not support */
	int serial, endpoint, node;   /* -1: unknown */
	int channels, pools;	      /* number of channels; of those that are pools */
	char firmware[ROC_TEXT_MAX];
};

/* A readout card that is not bound to the driver. */
struct node_board {
	char address[16];
	const struct card_type *kind;
	bool shared_id;		    /* the ID is also that of other boards */
	char driver[TREE_NAME_MAX]; /* name of another driver; empty: none */
};

struct node_cards {
	struct node_card *card;
	size_t count;
	struct node_board *board;
	size_t boards;
};

int node_cards_read(const struct tree *t, struct node_cards *cards);
void node_cards_free(struct node_cards *cards);
/* Whether both are endpoints of one board. A CRU and a C-RORC may have the same serial number. */
bool node_same_board(const struct node_card *a, const struct node_card *b);
/* Whether @i is the first endpoint of its board in the list. */
bool node_card_first(const struct node_cards *cards, size_t i);

/*
 * The NUMA nodes of a tree, from sysfs: their processors, sockets and huge pages.
 */

#define NUMA_NODES 64

struct numa_node {
	int number;
	struct tree_set cpus;
	bool has_cpus;
	int socket;		  /* of the first processor, -1: unknown */
	uint64_t huge, huge_free; /* bytes, of all sizes */
	int huge_err;		  /* -errno if the huge pages could not be read */
};

struct numa {
	struct numa_node node[NUMA_NODES];
	size_t count;
};

/* Read the nodes. A kernel without NUMA has one node, 0, with all processors. */
int numa_read(const struct tree *t, struct numa *numa);
/* Find a node, or NULL. With only one node the kernel may report a negative @number for it. */
const struct numa_node *numa_find(const struct numa *numa, int number);

/*
 * The PCI Express capability of a function, by libpci, because sysfs does not have it; and the
 * attributes of its link in sysfs.
 */

struct node_pci {
	uint32_t device_cap;
	uint16_t device_control;
	uint16_t link_control;
};

/* -ENOENT: no such function, or it lacks the capability; -EACCES: no permission. */
int node_pci_read(const struct tree *t, const char *address, struct node_pci *pci);
/* The upstream port of the function; -ENOENT: the function is on the root bus. */
int node_pci_port(const struct tree *t, const char *address, char *port, size_t size);
/* Bytes that the fields of device control and device capability stand for. */
unsigned int node_pci_payload(const struct node_pci *pci);
unsigned int node_pci_payload_max(const struct node_pci *pci);
unsigned int node_pci_read_request(const struct node_pci *pci);
/* The smallest code for a read request of @size bytes, at most 5 (4096 bytes). */
unsigned int node_pci_request_code(long size);

/* @file: current_link_speed or max_link_speed. *@speed in units of 0.01 GT/s. -ENODATA: unknown. */
int node_pci_speed(const struct tree *t, const char *address, const char *file, long *speed);
/* @file: current_link_width or max_link_width. *@width in lanes. -ENODATA: unknown. */
int node_pci_width(const struct tree *t, const char *address, const char *file, long *width);

/*
 * Memory modules and processors in the DMI table, which the firmware of the machine writes. The
 * table is not trusted: each offset is compared with the length first.
 */

#define DMI_TEXT_MAX 64
#define DMI_SIZE_UNKNOWN UINT64_MAX

struct dmi_module {
	uint64_t bytes;			/* 0: the slot is empty */
	unsigned int speed, configured; /* MT/s, 0: unknown */
	char locator[DMI_TEXT_MAX], bank[DMI_TEXT_MAX];
};

struct dmi {
	struct dmi_module *module; /* modules and empty slots */
	size_t modules;
	unsigned int processors; /* sockets with a processor; 0: unknown */
	bool damaged;		 /* the table is truncated or inconsistent */
};

/* Parse the table: 0 or -ENOMEM. The caller must call dmi_free() in both cases. */
int dmi_parse(const uint8_t *table, size_t length, struct dmi *dmi);
void dmi_free(struct dmi *dmi);

/*
 * The socket and the channel of a memory slot. DMI has only the label on the board, and each
 * manufacturer uses other labels.
 */

#define LOCATOR_MAX 32

struct slot {
	char socket[LOCATOR_MAX];
	char channel[LOCATOR_MAX];
};

/* False: no pattern matches, neither of the limits nor built in. */
bool locator_read(const struct dmi_module *module, const struct limits *limits, struct slot *slot);

#endif
