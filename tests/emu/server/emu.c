// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Creation and destruction of a card, and the model's access to host memory.
 */
#include "emu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/emu/log.h"

#define NS 1000000000ull
#define OUTSIDE_LOG_NS NS /* one log line for all DMA outside within that time of each other */

static uint64_t host_now(void *ctx)
{
	return emu_now();
}

static enum card_dma outside(struct function *f, const char *what, uint64_t addr, size_t len)
{
	uint64_t now = emu_now();

	if (!f->outside_ns || now - f->outside_ns > OUTSIDE_LOG_NS)
		emu_log("roc-emu: function %u: DMA outside any %s mapping: 0x%" PRIx64
			", %zu bytes",
			f->nr, what, addr, len);
	f->outside_ns = now;
	return CARD_DMA_OUTSIDE;
}

/* Called from within the model's calls: the caller holds the function's lock. */
static enum card_dma host_dma(void *ctx, unsigned int fn, uint64_t addr, size_t *len, void **ptr)
{
	struct function *f = &((struct emu *)ctx)->fn[fn];

	if (!config_master_on(&f->config))
		return CARD_DMA_NO_MASTER;
	if (dma_lookup(&f->dma, addr, len, ptr))
		return CARD_DMA_OK;
	return outside(f, "writable", addr, *len);
}

static enum card_dma host_dma_read(void *ctx, unsigned int fn, uint64_t addr, size_t *len,
				   void **ptr)
{
	struct function *f = &((struct emu *)ctx)->fn[fn];

	if (!config_master_on(&f->config))
		return CARD_DMA_NO_MASTER;
	if (dma_lookup_read(&f->dma, addr, len, ptr))
		return CARD_DMA_OK;
	return outside(f, "readable", addr, *len);
}

static enum card_message host_message(void *ctx, unsigned int fn, unsigned int vector)
{
	struct function *f = &((struct emu *)ctx)->fn[fn];
	enum card_message how = irq_message(f, vector);

	/* A message is a memory write, so it needs bus mastering, too. */
	if (how == CARD_MESSAGE_SENT && config_msi_nowhere(&f->config)) {
		f->nowhere++;
		outside(f, "interrupt", 0, sizeof(uint32_t));
	}
	return how;
}

struct emu *emu_create(const struct card_ops *ops)
{
	struct emu *emu = calloc(1, sizeof(*emu));
	unsigned int i;

	if (!emu)
		return NULL;
	emu->ops = ops;
	emu->host = (struct card_host){
		.ctx = emu,
		.dma = host_dma,
		.now = host_now,
		.dma_read = host_dma_read,
		.message = host_message,
	};
	emu->card = ops->create(&emu->host);
	if (!emu->card)
		goto free_emu;
	for (i = 0; i < ops->functions; i++) {
		if (function_init(&emu->fn[i], emu, i))
			goto free_functions;
	}
	return emu;

free_functions:
	while (i--)
		function_free(&emu->fn[i]);
	ops->destroy(emu->card);
free_emu:
	free(emu);
	return NULL;
}

const struct card_key *emu_key(struct emu *emu, const char *name)
{
	const struct card_key *key;

	for (key = emu->ops->keys; key->name; key++) {
		if (!strcmp(key->name, name))
			return key;
	}
	return NULL;
}

int emu_set(struct emu *emu, unsigned int fn, const struct card_key *key, const char *value,
	    char *err)
{
	int rc;

	emu_lock_all(emu);
	rc = key->set(emu->card, fn, value, err);
	emu_unlock_all(emu, true);
	return rc;
}

int emu_start(struct emu *emu)
{
	unsigned int i;
	int rc;

	for (i = 0; i < emu->ops->functions; i++) {
		rc = function_start(&emu->fn[i]);
		if (rc)
			return rc;
	}
	return 0;
}

void emu_destroy(struct emu *emu)
{
	unsigned int i;

	atomic_store(&emu->quit, true);
	for (i = 0; i < emu->ops->functions; i++)
		vfio_user_stop(&emu->fn[i]);
	for (i = 0; i < emu->ops->functions; i++)
		function_stop_engine(&emu->fn[i]);
	for (i = 0; i < emu->ops->functions; i++)
		function_free(&emu->fn[i]);
	emu->ops->destroy(emu->card);
	free(emu);
}
