// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lend a pool's superpages to threads, which return them in any order: lend ID [superpages]
 * [threads]. The threads are placeholders for a network or a disk.
 */
#include <roc/lend.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SUPERPAGE (1 << 20)
#define SLOTS 64

static struct roc_lender *lender;
static int queue[2]; /* pipe of struct roc_unit, which are written as a whole */

/* However the process exits, the driver stops the card and unpins the memory. */
static int check(int ret, const char *text)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "lend: %s\n", text ? text : roc_error());
	exit(1);
}

/* Sum up the data of each unit in place and return the unit. */
static void *consumer(void *sum)
{
	const uint64_t *word;
	struct roc_unit unit;

	while (read(queue[0], &unit, sizeof(unit)) == sizeof(unit)) {
		for (word = unit.data; (char *)word < (char *)unit.data + unit.length; word++)
			*(uint64_t *)sum += *word;
		check(roc_lender_return(lender, unit.handle), NULL);
	}
	return NULL;
}

/* Take the next unit; sleep if there is none. */
static struct roc_unit take(void)
{
	struct roc_unit unit;

	while (!check(roc_lender_take(lender, &unit), NULL))
		check(roc_lender_wait(lender, 10000), NULL);
	return unit;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 100, i, bytes = 0, most = 0;
	unsigned long count = argc > 3 ? strtoul(argv[3], NULL, 0) : 2;
	struct roc_channel_config config = {.source = ROC_SOURCE_INTERNAL};
	uint64_t sums[16] = {0}, oldest = 0, sum = 0;
	pthread_t threads[16];
	struct roc_channel *ch;
	struct roc_memory m;
	struct roc_lent lent;
	struct roc_unit unit;
	struct roc_card card;

	check(count && count <= 16 ? 0 : -1, "the number of threads must be from 1 to 16");
	check(roc_find(argc > 1 ? argv[1] : "#0", &card), NULL);
	check(roc_channel_open(card.pci_address, 0, &ch), NULL);
	check(roc_memory_alloc(SLOTS * SUPERPAGE, card.numa_node, ROC_MEMORY_PLAIN_OK, &m), NULL);
	check(roc_channel_configure(ch, &config), NULL);
	check(roc_channel_rings(ch, 0, 0), NULL);
	check(roc_lender_pool(ch, SLOTS, &lender), NULL);
	check(roc_lender_add(lender, m.addr, m.length, SUPERPAGE), NULL);
	check(pipe(queue), "no pipe");
	for (i = 0; i < count; i++)
		check(-pthread_create(&threads[i], NULL, consumer, &sums[i]), "no thread");
	check(roc_channel_start(ch), NULL);
	for (i = 0; i < n; i++) {
		unit = take();
		bytes += unit.length;
		check(write(queue[1], &unit, sizeof(unit)) > 0 ? 0 : -1,
		      "cannot write to the queue");
		roc_lender_lent(lender, &lent);
		most = lent.count > most ? lent.count : most;
		oldest = lent.oldest_ns > oldest ? lent.oldest_ns : oldest;
	}
	check(roc_channel_stop(ch, NULL), NULL);
	close(queue[1]); /* the threads process the remaining units, and end */
	for (i = 0; i < count; sum += sums[i++])
		pthread_join(threads[i], NULL);
	check(roc_lender_close(lender), NULL);
	printf("%lu superpages, %lu bytes, sum %llx\nat most %lu lent, the oldest for %.3f ms\n", n,
	       bytes, (unsigned long long)sum, most, (double)oldest / 1e6);
}
