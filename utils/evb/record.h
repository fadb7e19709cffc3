/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: members, tables and reports as JSON, in which coordinators keep and carry them. What is
 * read is looked at as a whole before anything of it is believed: sizes, names, numbers.
 */
#ifndef ROC_UTILS_EVB_RECORD_H
#define ROC_UTILS_EVB_RECORD_H

#include <roc/evb_manager.h>

struct json_object;

#define EVB_STATUS_MAX 4096 /* of a node's line, of which watchers get the newest */

/* NULL: no memory. */
struct json_object *evb_member_record(const struct roc_evb_member *m);
struct json_object *evb_table_record(const struct roc_evb_table *t);
struct json_object *evb_report_record(const struct roc_evb_report *r);

/* 0, or -EINVAL with a sentence. */
int evb_member_read(struct json_object *record, struct roc_evb_member *m, char why[ROC_EVB_WHY]);
int evb_table_read(struct json_object *record, struct roc_evb_table *t, char why[ROC_EVB_WHY]);
int evb_report_read(struct json_object *record, struct roc_evb_report *r, char why[ROC_EVB_WHY]);

/* Names, for options and files. */
extern const char *const evb_policies[ROC_EVB_POLICIES + 1];
extern const char *const evb_roles[4]; /* of the bits, from the lowest */

#endif
