/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tools for a CRU have in common.
 */
#ifndef ROC_UTILS_CRU_TOOL_H
#define ROC_UTILS_CRU_TOOL_H

#include <roc/roc.h>

/*
 * Open the CRU that @id means. @card and @ep are filled in; the caller closes @ep. Exit code;
 * after a failure the message is out.
 */
int cru_open(const char *id, struct roc_card *card, struct roc_endpoint **ep);

/* Of the FPGA, degrees Celsius; NAN: the sensor does not say. */
double cru_temperature(struct roc_endpoint *ep);

#endif
