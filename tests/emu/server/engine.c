// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lock of a function, and the engine thread that runs the model under it.
 */
#include "emu.h"

#include <errno.h>
#include <time.h>

#include "tests/emu/log.h"

#define NS 1000000000ull

uint64_t emu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS + t.tv_nsec;
}

/* Spin for some ten microseconds: longer than the work under the lock, shorter than a wake-up. */
#define SPINS 400

static void pause_processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

static void lock_soon(struct function *f)
{
	unsigned int i;

	for (i = 0; i < SPINS; i++) {
		if (!pthread_mutex_trylock(&f->lock))
			return;
		pause_processor();
	}
	pthread_mutex_lock(&f->lock);
}

void function_lock(struct function *f)
{
	atomic_fetch_add(&f->waiting, 1);
	lock_soon(f);
	atomic_fetch_sub(&f->waiting, 1);
}

void function_unlock(struct function *f, bool kick)
{
	bool wake = f->yielded ? !atomic_load(&f->waiting) : f->idle && kick;

	pthread_mutex_unlock(&f->lock);
	if (wake)
		pthread_cond_signal(&f->wake);
}

void emu_lock_all(struct emu *emu)
{
	unsigned int i;

	for (i = 0; i < emu->ops->functions; i++)
		function_lock(&emu->fn[i]);
}

void emu_unlock_all(struct emu *emu, bool kick)
{
	unsigned int i = emu->ops->functions;

	while (i--)
		function_unlock(&emu->fn[i], kick);
}

static void wait_idle(struct function *f, uint64_t until)
{
	struct timespec t = {until / 1000000000, until % 1000000000};

	f->idle = true;
	f->idle_since = emu_now();
	if (until == CARD_STEP_IDLE)
		pthread_cond_wait(&f->wake, &f->lock);
	else
		pthread_cond_timedwait(&f->wake, &f->lock, &t);
	f->idle_ns += emu_now() - f->idle_since;
	f->idle_since = 0;
	f->idle = false;
}

/* A register access needs the lock for a moment. */
static void yield_lock(struct function *f)
{
	unsigned int i;

	pthread_mutex_unlock(&f->lock);
	for (i = 0; i < SPINS && atomic_load(&f->waiting); i++)
		pause_processor();
	lock_soon(f);
	if (!atomic_load(&f->waiting))
		return;
	f->yielded = true;
	pthread_cond_wait(&f->wake, &f->lock);
	f->yielded = false;
}

/* A card without power stays off even when it is cool enough. */
bool function_unreachable(struct function *f)
{
	struct emu *emu = f->emu;

	if (f->all_ones || atomic_load(&emu->off))
		return true;
	if (!emu->ops->off || !emu->ops->off(emu->card))
		return false;
	atomic_store(&emu->off, true);
	emu_log("%s: too hot, the card has cut its own power", emu->ops->name);
	return true;
}

static void *engine(void *arg)
{
	struct function *f = arg;
	struct emu *emu = f->emu;

	pthread_setname_np(pthread_self(), "engine");
	pthread_mutex_lock(&f->lock);
	while (!f->engine_quit) {
		uint64_t until = CARD_STEP_IDLE;

		if (!function_unreachable(f))
			until = emu->ops->step(emu->card, f->nr, EMU_STEP_BYTES);
		if (until != CARD_STEP_AGAIN)
			wait_idle(f, until);
		else if (atomic_load(&f->waiting))
			yield_lock(f);
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

int function_start(struct function *f)
{
	const struct card_ops *ops = f->emu->ops;
	void *card = f->emu->card;
	struct config_id id = {
		.vendor = ops->vendor(card),
		.device = ops->device(card),
		.bar_size = ops->bar_size,
		.bars_32bit = ops->bars_32bit,
		.pcie_gen = ops->pcie_gen,
	};
	int rc;

	if (ops->messages)
		ops->messages(card, &id.messages);
	config_init(&f->config, &id);
	rc = -pthread_create(&f->engine, NULL, engine, f);
	f->engine_runs = !rc;
	return rc;
}

void function_engine_times(struct function *f, uint64_t *run, uint64_t *idle)
{
	struct timespec t = {0};
	clockid_t clock;

	if (f->engine_runs && !pthread_getcpuclockid(f->engine, &clock))
		clock_gettime(clock, &t);
	*run = t.tv_sec * 1000000000ull + t.tv_nsec;
	*idle = f->idle_ns + (f->idle_since ? emu_now() - f->idle_since : 0);
}

void function_stop_engine(struct function *f)
{
	if (!f->engine_runs)
		return;
	function_lock(f);
	f->engine_quit = true;
	function_unlock(f, true);
	pthread_join(f->engine, NULL);
	f->engine_runs = false;
}
