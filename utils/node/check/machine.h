/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a server reports: its cards and NUMA nodes from sysfs, PCI Express capabilities from the
 * configuration space, memory modules from DMI. Each reader works below the root directory of a
 * struct tree, so that tests and copies of another server's files work as the server itself does.
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
 * The endpoints of a tree: those that the driver has, from its class in sysfs, and boards that lie
 * in a slot without it.
 */

#define NODE_CHANNELS 64

struct node_card {
	char name[16];		      /* "roc0" */
	char address[16];	      /* "0000:3b:00.0" */
	char subject[24];	      /* for findings: "245:1", or the address */
	const struct card_type *kind; /* NULL: newer than this program */
	int serial, endpoint, node;   /* -1: unknown */
	int channels, pools;	      /* all of them; those that take superpages */
	char firmware[ROC_TEXT_MAX];
};

/* A board of ours that the driver does not have. */
struct node_board {
	char address[16];
	const struct card_type *kind;
	bool shared_id;		    /* it may be no readout card */
	char driver[TREE_NAME_MAX]; /* that has it; empty: none */
};

struct node_cards {
	struct node_card *card;
	size_t count;
	struct node_board *board;
	size_t boards;
};

int node_cards_read(const struct tree *t, struct node_cards *cards);
void node_cards_free(struct node_cards *cards);
/* Endpoints of one board? A CRU and a C-RORC may have the same serial number. */
bool node_same_board(const struct node_card *a, const struct node_card *b);
/* Is this the first endpoint in the list of its board? */
bool node_card_first(const struct node_cards *cards, size_t i);

/*
 * The NUMA nodes of a tree, from sysfs: their processors, sockets and huge pages.
 */

#define NUMA_NODES 64

struct numa_node {
	int number;
	struct tree_set cpus;
	bool has_cpus;
	int socket;		  /* of its first processor, -1: not known */
	uint64_t huge, huge_free; /* bytes, of all sizes */
	int huge_err;		  /* they could not be read */
};

struct numa {
	struct numa_node node[NUMA_NODES];
	size_t count;
};

/* A kernel without NUMA has one node, 0, with all processors. */
int numa_read(const struct tree *t, struct numa *numa);
/* The only node for a negative @number, which the kernel may report there. NULL: none. */
const struct numa_node *numa_find(const struct numa *numa, int number);

/*
 * The PCI Express capability of a function, by libpci: what the kernel does not show in sysfs. And
 * of its link what the kernel shows.
 */

struct node_pci {
	uint32_t device_cap;
	uint16_t device_control;
	uint16_t link_control;
};

/* -ENOENT: no such function, or it has no such capability; -EACCES: not for us to read. */
int node_pci_read(const struct tree *t, const char *address, struct node_pci *pci);
/* The port that the function hangs on; -ENOENT: it hangs on the root of the bus. */
int node_pci_port(const struct tree *t, const char *address, char *port, size_t size);
/* Bytes of the codes of device control and device capability. */
unsigned int node_pci_payload(const struct node_pci *pci);
unsigned int node_pci_payload_max(const struct node_pci *pci);
unsigned int node_pci_read_request(const struct node_pci *pci);
/* The smallest code of a read request of @wanted bytes, at most 5 (4096 bytes). */
unsigned int node_pci_request_code(long size);

/* current_link_speed, max_link_speed: "8.0 GT/s PCIe" is 800, hundredths. -ENODATA: unknown. */
int node_pci_speed(const struct tree *t, const char *address, const char *file, long *speed);
/* current_link_width, max_link_width: lanes. -ENODATA: unknown. */
int node_pci_width(const struct tree *t, const char *address, const char *file, long *width);

/*
 * Memory modules and processors of the DMI table, as the machine's firmware wrote it. The table is
 * not trusted: every offset in it is compared with its length first.
 */

#define DMI_TEXT_MAX 64
#define DMI_SIZE_UNKNOWN UINT64_MAX

struct dmi_module {
	uint64_t bytes;			/* 0: the slot is empty */
	unsigned int speed, configured; /* MT/s, 0: not known */
	char locator[DMI_TEXT_MAX], bank[DMI_TEXT_MAX];
};

struct dmi {
	struct dmi_module *module; /* and slots */
	size_t modules;
	unsigned int processors; /* sockets that have one; 0: not known */
	bool damaged;		 /* it ended, or did not fit, before its end */
};

/* The caller ends it with dmi_free(), whatever came of it. 0 or -ENOMEM. */
int dmi_parse(const uint8_t *table, size_t length, struct dmi *dmi);
void dmi_free(struct dmi *dmi);

/*
 * Which socket and which channel a memory slot belongs to. DMI has only what the makers print on
 * their boards, and each maker prints something else.
 */

#define LOCATOR_MAX 32

struct slot {
	char socket[LOCATOR_MAX];
	char channel[LOCATOR_MAX];
};

/* False: no pattern fits; of the limits or of those that are built in. */
bool locator_read(const struct dmi_module *module, const struct limits *limits, struct slot *slot);

#endif
