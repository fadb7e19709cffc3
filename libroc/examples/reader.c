// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A complete reader: takes N superpages and adds up the packets in them.
 * Usage: reader ID [superpages] [source: 0 internal, 1 DDG, 2 front end]
 */
#include <roc/roc.h>
#include <stdio.h>
#include <stdlib.h>

#define SUPERPAGE (1 << 20)
#define SLOTS 64
#define TRY(call) do { if ((call) < 0) goto fail; } while (0)

/* Bytes of a superpage that are covered by its packets: an RDH has its offset to the next at 8. */
static size_t walk(const uint8_t *page, size_t received)
{
	size_t at = 0, next;

	for (; at + 64 <= received; at += next) {
		next = page[at + 8] | page[at + 9] << 8;
		if (next < 64 || next > received - at) /* also 0: never go round for ever */
			break;
	}
	return at;
}

int main(int argc, char **argv)
{
	unsigned long wanted = argc > 2 ? strtoul(argv[2], NULL, 0) : 100, superpages = 0, i;
	struct roc_channel_config config = { .source = argc > 3 ? atoi(argv[3]) : ROC_SOURCE_DDG };
	struct roc_channel *ch = NULL;
	struct roc_memory mem = { 0 };
	struct roc_card card;
	struct roc_ready sp;
	uint64_t bytes = 0;
	uint32_t buffer;
	int bad = 0;

	TRY(roc_find(argc > 1 ? argv[1] : "#0", &card));
	TRY(roc_channel_open(card.pci_address, 0, &ch));
	TRY(roc_memory_alloc(SLOTS * SUPERPAGE, card.numa_node, ROC_MEMORY_PLAIN_OK, &mem));
	TRY(roc_buffer_register(ch, mem.addr, mem.length, SUPERPAGE, &buffer));
	TRY(roc_channel_configure(ch, &config));
	TRY(roc_channel_rings(ch, 0, 0));
	for (i = 0; i < SLOTS; i++)
		TRY(roc_push(ch, buffer, i * SUPERPAGE, SUPERPAGE, i));
	TRY(roc_channel_start(ch));
	while (superpages < wanted && !bad) {
		TRY(roc_channel_wait(ch, 1, 10000));
		while (superpages < wanted && roc_pop(ch, &sp) == 1) {
			bytes += sp.received;
			superpages++;
			bad |= config.source != ROC_SOURCE_INTERNAL &&
			       walk((uint8_t *)mem.addr + sp.offset, sp.received) != sp.received;
			TRY(roc_push(ch, sp.buffer, sp.offset, sp.length, sp.cookie));
		}
	}
	TRY(roc_channel_stop(ch, NULL));
	printf("%lu superpages, %llu bytes\n", superpages, (unsigned long long)bytes);
	roc_channel_close(ch);
	roc_memory_free(&mem);
	return bad;
fail:
	fprintf(stderr, "reader: %s\n", roc_error());
	roc_channel_close(ch);
	roc_memory_free(&mem);
	return 1;
}
