// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One PCI function: all accesses over the bus.
 */
#include "emu.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "tests/emu/log.h"

#define RESET_LOG_NS 1000000000ull /* one log line for all accesses within this time */

int function_init(struct function *f, struct emu *emu, unsigned int nr)
{
	pthread_condattr_t attr;

	f->emu = emu;
	f->nr = nr;
	f->listen_fd = -1;
	f->client_fd = -1;
	irq_init(f);
	if (mmio_log_init(&f->log, emu->ops->bar_size))
		return -ENOMEM;
	pthread_mutex_init(&f->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&f->wake, &attr);
	pthread_condattr_destroy(&attr);
	return 0;
}

void function_free(struct function *f)
{
	irq_release(f);
	dma_unmap_all(&f->dma);
	mmio_log_free(&f->log);
	pthread_cond_destroy(&f->wake);
	pthread_mutex_destroy(&f->lock);
}

static bool is_word(struct function *f, unsigned int bar, uint64_t off, uint32_t len)
{
	return config_memory_on(&f->config) && len == 4 && !(off % 4) &&
	       off + 4 <= f->emu->ops->bar_size[bar];
}

/* Take the locks that an access to this BAR needs. */
static void lock_bar(struct function *f, unsigned int bar)
{
	if (f->emu->ops->common_bars & 1u << bar)
		emu_lock_all(f->emu);
	else
		function_lock(f);
}

static void unlock_bar(struct function *f, unsigned int bar, bool kick)
{
	if (f->emu->ops->common_bars & 1u << bar)
		emu_unlock_all(f->emu, kick);
	else
		function_unlock(f, kick);
}

#define FOREIGN_REGISTERS 0x100 /* in each BAR; higher offsets are not decoded */

/* Registers of another design: each read takes an entry from a FIFO, so it cannot be repeated. */
static uint32_t foreign_read(struct function *f, unsigned int bar, uint32_t off)
{
	uint32_t word = f->foreign_seed;

	f->foreign_reads++;
	if (!word || word == ~0u)
		return word;
	if (off >= FOREIGN_REGISTERS)
		return 0;
	return (word ^ (bar << 16 | off)) * 2654435761u + f->foreign_reads;
}

static uint32_t read_register(struct function *f, unsigned int bar, uint32_t off)
{
	if (function_unreachable(f))
		return ~0u;
	if (f->foreign)
		return foreign_read(f, bar, off);
	return f->emu->ops->read(f->emu->card, f->nr, bar, off);
}

/*
 * A function in reset does not answer, and a machine whose firmware handles errors first may treat
 * that as fatal. The host must not access it before it has restored the configuration.
 */
static void bad_access(struct function *f, const char *what, unsigned int bar, uint64_t off)
{
	uint64_t now = emu_now();

	f->log.bad++;
	if (!f->in_reset)
		return;
	f->reset_hits++;
	if (!f->reset_ns || now - f->reset_ns > RESET_LOG_NS)
		emu_log("roc-emu: function %u: %s during a reset: BAR%u, 0x%" PRIx64, f->nr, what,
			bar, off);
	f->reset_ns = now;
}

void function_bar_read(struct function *f, unsigned int bar, uint64_t off, void *data, uint32_t len)
{
	memset(data, 0xff, len);
	lock_bar(f, bar);
	if (!is_word(f, bar, off, len)) {
		bad_access(f, "read", bar, off);
	} else {
		uint32_t value = read_register(f, bar, off);

		mmio_log_access(&f->log, false, bar, off, value, emu_now());
		memcpy(data, &value, sizeof(value));
	}
	unlock_bar(f, bar, false);
}

void function_bar_write(struct function *f, unsigned int bar, uint64_t off, const void *data,
			uint32_t len)
{
	const struct card_ops *ops = f->emu->ops;
	void *card = f->emu->card;
	bool wakes_engine = false;
	uint32_t value;

	lock_bar(f, bar);
	if (!is_word(f, bar, off, len)) {
		bad_access(f, "write", bar, off);
	} else {
		memcpy(&value, data, sizeof(value));
		mmio_log_access(&f->log, true, bar, off, value, emu_now());
		if (!function_unreachable(f) && !f->foreign) {
			ops->write(card, f->nr, bar, off, value);
			wakes_engine =
				!ops->wakes_engine || ops->wakes_engine(card, f->nr, bar, off);
		}
	}
	unlock_bar(f, bar, wakes_engine);
}

void function_config_read(struct function *f, uint32_t off, void *data, uint32_t len)
{
	function_lock(f);
	if (function_unreachable(f))
		memset(data, 0xff, len);
	else
		config_read(&f->config, off, data, len);
	function_unlock(f, false);
}

static void reset_locked(struct function *f)
{
	config_reset(&f->config);
	f->emu->ops->reset(f->emu->card, f->nr);
}

void function_power_on(struct function *f)
{
	reset_locked(f);
}

void function_config_write(struct function *f, uint32_t off, const void *data, uint32_t len)
{
	function_lock(f);
	if (!function_unreachable(f)) {
		bool asleep = !config_full_power(&f->config);
		bool reset = config_write(&f->config, off, data, len);

		if (asleep && config_full_power(&f->config))
			reset |= f->forgets || config_sleep_resets(&f->config);
		if (reset) {
			reset_locked(f);
			f->in_reset = true;
		}
		f->in_reset = f->in_reset && !config_memory_on(&f->config);
		irq_unmasked(f);
	}
	function_unlock(f, true);
}

int function_map(struct function *f, const struct vu_dma_map *map, int fd)
{
	const uint32_t access = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;
	int rc;

	if (map->flags & VU_MAP_FILE_IO)
		return -EOPNOTSUPP; /* the card must not wait for a system call */
	if (map->flags & ~(access | VU_MAP_MMAP) || !(map->flags & access) ||
	    (map->flags & VU_MAP_MMAP && fd < 0))
		return -EINVAL;
	function_lock(f);
	rc = dma_map(&f->dma, map->address, map->size, fd, map->offset,
		     map->flags & VFIO_DMA_MAP_FLAG_WRITE);
	function_unlock(f, false);
	return rc;
}

int function_unmap(struct function *f, const struct vu_dma_unmap *unmap)
{
	bool all = unmap->flags & VFIO_DMA_UNMAP_FLAG_ALL;
	int rc = 0;

	if (unmap->flags & VFIO_DMA_UNMAP_FLAG_GET_DIRTY_BITMAP)
		return -EOPNOTSUPP;
	if (unmap->flags & ~VFIO_DMA_UNMAP_FLAG_ALL || (all && (unmap->address || unmap->size)))
		return -EINVAL;
	function_lock(f);
	if (all)
		dma_unmap_all(&f->dma);
	else
		rc = dma_unmap(&f->dma, unmap->address, unmap->size);
	function_unlock(f, false);
	return rc;
}

void function_reset(struct function *f)
{
	function_lock(f);
	reset_locked(f);
	f->in_reset = true;
	function_unlock(f, true);
}

void function_disconnected(struct function *f)
{
	function_lock(f);
	reset_locked(f);
	f->in_reset = false;
	irq_release(f);
	dma_unmap_all(&f->dma);
	function_unlock(f, true);
}
