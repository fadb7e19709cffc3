// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ceiling of a PCI Express link for writes by the device.
 */
#include "link.h"

#include "utils/node/check/pci.h"

/*
 * Around the payload of a write, bytes: header with a 64-bit address 16, check of the link 4, and
 * start, number and end of the packet: 4 from 8 GT/s on, 1 + 2 + 1 below.
 */
#define PACKET_OVERHEAD 24
#define PAYLOAD_USUAL 256 /* bytes: what most machines set */

static double encoding(double speed)
{
	if (speed < 7.5)
		return 8.0 / 10;
	if (speed < 48)
		return 128.0 / 130;
	/* Flits: 236 of 256 bytes are for packets. */
	return 236.0 / 256;
}

void gpu_link_set(struct gpu_link *l, double speed, unsigned int lanes, unsigned int payload)
{
	*l = (struct gpu_link){
		.known = true,
		.speed = speed,
		.lanes = lanes,
		.encoding = encoding(speed),
		.payload = payload,
		.efficiency = (double)payload / (payload + PACKET_OVERHEAD),
	};
	l->ceiling = l->speed * l->lanes * l->encoding * l->efficiency;
}

void gpu_link_read(struct gpu_link *l, const char *root, const char *address)
{
	struct node_pci pci;
	struct tree tree;
	long speed, width;
	bool assumed;

	*l = (struct gpu_link){0};
	if (!address[0] || tree_open(&tree, root) ||
	    node_pci_speed(&tree, address, "current_link_speed", &speed) ||
	    node_pci_width(&tree, address, "current_link_width", &width))
		return;
	assumed = node_pci_read(&tree, address, &pci) != 0;
	gpu_link_set(l, (double)speed / 100, (unsigned int)width,
		     assumed ? PAYLOAD_USUAL : node_pci_payload(&pci));
	l->payload_assumed = assumed;
}
