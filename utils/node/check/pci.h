/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PCI Express capability of a function, by libpci: what the kernel does not show in sysfs. And
 * of its link what the kernel shows.
 */
#ifndef ROC_UTILS_NODE_PCI_H
#define ROC_UTILS_NODE_PCI_H

#include <stdint.h>

#include "tree.h"

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
unsigned int node_pci_request_code(long wanted);

/* current_link_speed, max_link_speed: "8.0 GT/s PCIe" is 800, hundredths. -ENODATA: unknown. */
int node_pci_speed(const struct tree *t, const char *address, const char *file, long *speed);
/* current_link_width, max_link_width: lanes. -ENODATA: unknown. */
int node_pci_width(const struct tree *t, const char *address, const char *file, long *width);

#endif
