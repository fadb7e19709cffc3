// SPDX-License-Identifier: LGPL-2.1-or-later
/* A complete reader: reader ID [superpages] [source: 0 internal, 1 DDG, 2 front end] */
#include <roc/roc.h>
#include <stdio.h>
#include <stdlib.h>

#define SUPERPAGE (1 << 20)
#define SLOTS 64

/* However the process exits, the driver stops the card and unpins the memory. */
static int check(int ret, const char *text)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "reader: %s\n", text ? text : roc_error());
	exit(1);
}

/*
 * Count the packets from @at to @end; each begins with a header (RDH) with the offset of the next
 * at byte 8.
 */
static int walk(const uint8_t *data, size_t at, size_t end)
{
	int packets = 0;
	size_t next;

	for (; at + 64 <= end; at += next, packets++) {
		next = data[at + 8] | (size_t)data[at + 9] << 8;
		if (next < 64)
			return -1;
	}
	return packets;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 100, i, pkts = 0, bytes = 0;
	struct roc_channel_config config = {.source = argc > 3 ? atoi(argv[3]) : ROC_SOURCE_DDG};
	struct roc_channel *ch;
	struct roc_memory m;
	struct roc_card card;
	struct roc_ready sp;
	uint32_t buf;

	check(roc_find(argc > 1 ? argv[1] : "#0", &card), NULL);
	check(roc_channel_open(card.pci_address, 0, &ch), NULL);
	check(roc_memory_alloc(SLOTS * SUPERPAGE, card.numa_node, ROC_MEMORY_PLAIN_OK, &m), NULL);
	check(roc_buffer_register(ch, m.addr, m.length, SUPERPAGE, &buf), NULL);
	check(roc_channel_configure(ch, &config), NULL);
	check(roc_channel_start(ch), NULL);
	for (i = 0; i < SLOTS; i++)
		check(roc_push(ch, buf, i * SUPERPAGE, SUPERPAGE, i), NULL);
	for (i = 0; i < n; bytes += sp.received, i++) {
		check(roc_channel_wait(ch, 1, 10000), NULL);
		if (roc_pop(ch, &sp) != 1 || sp.flags != ROC_READY_FILLED)
			check(-1, "the channel stopped, or a superpage was refused or is damaged");
		if (config.source != ROC_SOURCE_INTERNAL)
			pkts += (unsigned long)check(
				walk(m.addr, sp.offset, sp.offset + sp.received), "bad RDH");
		check(roc_push(ch, buf, sp.offset, sp.length, sp.cookie), NULL);
	}
	check(roc_channel_stop(ch, NULL), NULL);
	printf("%lu packets in\n%lu superpages, %lu bytes\n", pkts, n, bytes);
}
