/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One emulated card as a running thing: the model, and per function a PCI front, a data engine
 * thread and a vfio-user thread.
 *
 * Locks. Each function has one lock; it guards everything of that function in here and the
 * function's part of the model. What is common to the card needs all of them, taken in order of
 * function number (emu_lock_all). The engine thread holds its function's lock while it copies and
 * lets go as soon as anybody waits, so register accesses are served within one step, and when the
 * lock is held no DMA is in flight: reset, unmap and bus-master changes are synchronous.
 */
#ifndef EMU_EMU_H
#define EMU_EMU_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "tests/emu/core/card.h"
#include "config_space.h"
#include "dma_table.h"
#include "mmio_log.h"
#include "proto.h"

#define EMU_STEP_BYTES 16384 /* copied under the lock, in less time than an access spins for it */

struct irq {
	int fd;	     /* eventfd or -1 */
	bool failed; /* that was said */
	bool masked;
	bool pending; /* of MSI-X: held back by the mask of the function */
};

struct function {
	struct emu *emu;
	unsigned int nr;

	pthread_mutex_t lock;
	pthread_cond_t wake; /* the engine waits here */
	atomic_uint waiting; /* threads that want the lock */
	bool idle, gave_way; /* the engine is at @wake: until kicked, until nobody waits */
	bool engine_quit;
	pthread_t engine;
	bool engine_runs;
	uint64_t idle_ns, idle_since; /* how long the engine has had nothing to do; 0: it has */

	struct config_space config;
	struct dma_table dma;
	struct mmio_log log;
	struct irq irq[VU_IRQS][CARD_VECTORS];	/* of INTx and the error interrupt only the first */
	bool all_ones;				/* fault: the link is down */
	bool vanished;				/* fault: no server */
	bool forgets;				/* fault: sleep takes its state */
	bool foreign;				/* fault: another design's registers */
	uint32_t foreign_seed;			/* decides their values */
	uint32_t foreign_reads;			/* each changes what the next one reads */
	uint64_t outside_ns;			/* last DMA outside any mapping, for the log */
	uint64_t lost_before;			/* memory lost before the counts were cleared */
	uint64_t nowhere, nowhere_before;	/* messages to bus address 0; the same */
	bool in_reset;				/* from a reset until memory decoding is on again */
	uint64_t reset_ns;			/* last access in there, for the log */
	uint64_t reset_hits, reset_hits_before; /* accesses in there; the same */

	/* vfio-user side: owned by its thread; fds are written under the lock */
	int listen_fd, client_fd;
	pthread_t server;
	bool server_runs;
};

struct emu {
	const struct card_ops *ops;
	void *card;
	struct card_host host;
	struct function fn[CARD_FUNCTIONS];
	atomic_bool off; /* the card has no power */
	atomic_bool quit;
	atomic_bool quit_requested; /* by the control command; on_quit follows its answer */
	void (*on_quit)(struct emu *emu);
};

/* emu.c. @ops decides the card; keys are set between create and start. */
struct emu *emu_create(const struct card_ops *ops);
int emu_set(struct emu *emu, unsigned int fn, const struct card_key *key, const char *value,
	    char *err);
const struct card_key *emu_key(struct emu *emu, const char *name);
/* PCI identity is final; engines run. 0 or -errno. */
int emu_start(struct emu *emu);
/* Ends every thread that emu_start and vfio_user_listen began; frees all. */
void emu_destroy(struct emu *emu);

/* sockets.c: a file descriptor, or -errno. */
int emu_listen(const char *path, int backlog);
/* The next client of a socket; -1 when it is no more or the card ends. */
int emu_accept(struct emu *emu, int listen_fd);

/* engine.c */
uint64_t emu_now(void);
void function_lock(struct function *f);
/* @kick: something an engine may wait for could have changed. */
void function_unlock(struct function *f, bool kick);
void emu_lock_all(struct emu *emu);
void emu_unlock_all(struct emu *emu, bool kick);
/* The link is down, or the card has no power: nothing answers, nothing is sent. */
bool function_dark(struct function *f);
int function_start(struct function *f);
void function_stop_engine(struct function *f);
/*
 * Times of the engine, ns, under the lock: of a processor that it had, and without anything to do.
 * In the rest of the time it was kept from working: by other programs of this machine, or to let
 * register accesses pass.
 */
void function_engine_times(struct function *f, uint64_t *run, uint64_t *idle);

/* function.c */
int function_init(struct function *f, struct emu *emu, unsigned int nr);
void function_free(struct function *f);
/* What comes over PCI. @len bytes at @off of a BAR; anything but aligned words is a bad access. */
void function_bar_read(struct function *f, unsigned int bar, uint64_t off, void *data,
		       uint32_t len);
void function_bar_write(struct function *f, unsigned int bar, uint64_t off, const void *data,
			uint32_t len);
void function_config_read(struct function *f, uint32_t off, void *data, uint32_t len);
void function_config_write(struct function *f, uint32_t off, const void *data, uint32_t len);
int function_map(struct function *f, const struct vu_dma_map *map, int fd);
int function_unmap(struct function *f, const struct vu_dma_unmap *unmap);
/* Function-level reset. */
void function_reset(struct function *f);
/* Power is there again; under the lock. */
void function_power_on(struct function *f);
/* The host is gone: no mappings, no interrupts, power-on state. */
void function_disconnected(struct function *f);

/* irq.c: under the function's lock */
void irq_init(struct function *f);
unsigned int irq_count(const struct function *f, unsigned int index);
/* What it keeps of @fds is -1 there afterwards. */
int irq_set(struct function *f, const struct vfio_irq_set *set, uint32_t data_bytes, int *fds,
	    unsigned int fd_count);
void irq_release(struct function *f);
/* Message of a vector: by MSI-X, or by MSI. */
enum card_message irq_message(struct function *f, unsigned int vector);
/* The function's mask may have gone: what it held back goes out. */
void irq_unmasked(struct function *f);

/* vfio_user.c */
int vfio_user_listen(struct function *f, const char *path);
/* Serve one connected client until it leaves; closes @fd. */
void vfio_user_serve(struct function *f, int fd);
/* Break the connection and let nobody in until @vanished is false again; under the lock. */
void vfio_user_vanish(struct function *f);
void vfio_user_stop(struct function *f);

/* control.c: one command line, one JSON object. */
struct json;
void control_run(struct emu *emu, const char *line, struct json *reply);
/* control_socket.c */
int control_listen(struct emu *emu, const char *path);

/* speed.c: print how fast the copy loops are. */
int speed_run(double seconds);

#endif /* EMU_EMU_H */
