/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Content of generated fragments; kmod/fragment/fragment_data.h has the layout. Short: the
 * interface of fragment_check.c for the daemon, the load generator and the sink that checks.
 */
#ifndef ROC_UTILS_ROS_FRAGMENT_CHECK_H
#define ROC_UTILS_ROS_FRAGMENT_CHECK_H

#include <stddef.h>
#include <stdint.h>

#define ROS_FRAGMENT_MIN 16 /* bytes of the header */

/* @link: in the card, not in the sub-unit. */
uint32_t ros_source_id(uint32_t card, uint32_t link);
uint32_t ros_fragment_size(uint32_t source, uint32_t event, uint32_t min, uint32_t max);
void ros_fragment_fill(void *at, uint32_t source, uint32_t event, uint32_t size);

/*
 * Check every byte of a fragment, of which the first @kept bytes are at @at. @link: in the card.
 * *@card: set to the source id of the card in the fragment. Return: NULL if it is right, else a
 * description of the error, valid until the next call.
 */
const char *ros_fragment_check(const void *at, uint32_t kept, uint32_t event, uint32_t link,
			       uint32_t *card);

#endif
