/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface of a fragment source of a worker: a table of functions, modelled on roc/fragment.h.
 *
 *	source_card.c		a sub-unit of a card
 *	source_synthetic.c	generated in memory, with the content of an emulated card, to
 *				measure and test the daemon without a card
 *
 * The worker's thread calls all functions except give_back, which the network thread calls.
 */
#ifndef ROC_UTILS_ROS_SOURCE_H
#define ROC_UTILS_ROS_SOURCE_H

#include <roc/fragment.h>

#include <stdbool.h>
#include <stdint.h>

#define ROS_SOURCE_LINKS_MAX ROC_FRAGMENTS_LINKS_MAX /* of a sub-unit */

struct ros_source;

struct ros_source_ops {
	/* Return: 0 or a negative errno, with the reason in roc_error(). */
	int (*start)(struct ros_source *s);
	/* After the return the card does not write into host pages any more. */
	int (*stop)(struct ros_source *s);
	void (*close)(struct ros_source *s);

	/* As the functions of the same name in roc/fragment.h. */
	int (*take)(struct ros_source *s, struct roc_fragment_kept *kept, unsigned int n);
	uint32_t (*find)(struct ros_source *s, uint32_t event);
	uint32_t (*oldest)(struct ros_source *s, uint32_t *event, uint64_t *age_ns);
	int (*request)(struct ros_source *s, uint32_t event, uint32_t links, uint64_t tag);
	unsigned int (*clear)(struct ros_source *s, const uint32_t *events, unsigned int n);
	int (*flush)(struct ros_source *s);
	int (*done)(struct ros_source *s, struct roc_fragment_fetched *fetched, unsigned int n);
	void (*give_back)(struct ros_source *s, uint64_t handle);
	bool (*running)(struct ros_source *s);
	void (*counts)(struct ros_source *s, struct roc_fragments_counts *counts);
	/*
	 * May be NULL: there is never damage. @lost: entries of the card's rings that could not be
	 * taken; known after the card has stopped.
	 */
	void (*damage)(struct ros_source *s, struct roc_fragments_damage *damage, uint64_t *lost);
	/* Return the reason of a stop that was not requested, NULL: unknown. */
	const char *(*reason)(struct ros_source *s);
	/*
	 * Sleep until there is something to take or done, @fd is readable, or @ms have passed (-1:
	 * no limit). Return: whether @fd is readable.
	 */
	bool (*wait)(struct ros_source *s, int fd, int ms);
};

struct ros_source {
	const struct ros_source_ops *ops;
	char name[64]; /* for messages and metrics: "0000:3b:00.0 sub0" */
	unsigned int link_count;
	uint32_t links;	   /* mask of enabled links */
	uint32_t fragment; /* bytes of the largest fragment */
	uint32_t pages;	   /* host pages */
};

/* Options of --source=synthetic. */
struct ros_synthetic {
	unsigned int unit;  /* its number */
	unsigned int links; /* of a unit */
	uint32_t source;    /* source id of the first card; two units are a card */
	uint32_t size_min, size_max;
	uint32_t rate; /* fragments per second and link, 0: as fast as there are pages */
	uint32_t first_event;
	uint32_t pages; /* of the card, for each link */
	uint32_t host_pages;
};

/* Return: NULL with the reason in roc_error() or errno. */
struct ros_source *ros_source_synthetic(const struct ros_synthetic *settings);
/*
 * Open sub-unit @sub of a card. Return: NULL with the reason in roc_error(); errno is ENOENT if
 * there is no such sub-unit.
 */
struct ros_source *ros_source_card(const struct roc_card *card, const char *id, unsigned int sub,
				   uint32_t host_pages, uint32_t page, uint32_t pages);

#endif
