/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The endpoints of a tree: those that the driver has, from its class in sysfs, and boards that lie
 * in a slot without it.
 */
#ifndef ROC_UTILS_NODE_CARDS_H
#define ROC_UTILS_NODE_CARDS_H

#include <roc/roc.h>

#include "tree.h"

#define NODE_CHANNELS 64

/* What is known of a kind before one is seen. */
struct node_kind {
	const char *name;	 /* as sysfs has it */
	const char *text;	 /* for people */
	enum roc_card_type type; /* of the firmware list */
	unsigned int vendor, device;
	int endpoints;
	bool sensor;	/* endpoint 0 has the board's temperature */
	bool shared_id; /* devices that are no readout cards have this ID, too */
};

struct node_card {
	char name[16];		      /* "roc0" */
	char address[16];	      /* "0000:3b:00.0" */
	char subject[24];	      /* for findings: "245:1", or the address */
	const struct node_kind *kind; /* NULL: newer than this program */
	int serial, endpoint, node;   /* -1: unknown */
	int channels, pools;	      /* all of them; those that take superpages */
	char firmware[ROC_TEXT_MAX];
};

/* A board of ours that the driver does not have. */
struct node_board {
	char address[16];
	const struct node_kind *kind;
	char driver[TREE_NAME_MAX]; /* who has it; empty: nobody */
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

#endif
