/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the link of a device can carry at most, and how that comes about: the number that a measured
 * rate is to be divided by.
 */
#ifndef ROC_UTILS_GPU_LINK_H
#define ROC_UTILS_GPU_LINK_H

#include <stdbool.h>

struct gpu_link {
	bool known;
	double speed; /* GT/s of a lane */
	unsigned int lanes;
	double encoding;      /* of the bits on a lane those that are not for the line itself */
	unsigned int payload; /* bytes in a packet */
	bool payload_assumed; /* the capability is root's to read, and we are not */
	double efficiency;    /* of a packet's bytes those that are payload */
	double ceiling;	      /* Gb/s */
};

/* Of the device at @address. Not known: there is no link, or the kernel does not say. */
void gpu_link_read(struct gpu_link *l, const char *root, const char *address);
/* The same from what it is made of. */
void gpu_link_set(struct gpu_link *l, double speed, unsigned int lanes, unsigned int payload);

#endif
