/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running emulated card: the model and, for each function, a PCI front end, a data engine thread
 * and a vfio-user thread.
 *
 * Locks. Each function has one lock; it protects all members of that function here and the
 * function's part of the model. Data common to the card need all locks, taken in order of function
 * number (emu_lock_all()). The engine thread holds its function's lock while it copies and releases
 * it as soon as another thread waits, so register accesses are served within one step. While
 * another thread holds the lock, no DMA is in flight: reset, unmap and bus-master changes are
 * synchronous.
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

#define EMU_STEP_BYTES 16384 /* copied under the lock; takes less time than a spin for it */

struct irq {
	int fd;	     /* eventfd or -1 */
	bool failed; /* the failure was logged */
	bool masked;
	bool pending; /* of MSI-X: delayed by the mask of the function */
};

struct function {
	struct emu *emu;
	unsigned int nr;

	pthread_mutex_t lock;
	pthread_cond_t wake; /* the engine waits on it */
	atomic_uint waiting; /* threads that wait for the lock */
	bool idle, yielded;  /* the engine waits on @wake: until kicked, until no waiter */
	bool engine_quit;
	pthread_t engine;
	bool engine_runs;
	uint64_t idle_ns, idle_since; /* time without work; its present start, 0: busy */

	struct config_space config;
	struct dma_table dma;
	struct mmio_log log;
	struct irq irq[VU_IRQS][CARD_VECTORS]; /* INTx and the error interrupt use only the first */
	bool all_ones;			       /* fault: the link is down */
	bool vanished;			       /* fault: no server */
	bool forgets;			       /* fault: D3hot loses the state */
	bool foreign;			       /* fault: another design's registers */
	uint32_t foreign_seed;		       /* determines their values */
	uint32_t foreign_reads;		       /* each read changes the next value */
	uint64_t outside_ns;		       /* last DMA outside any mapping, for the log */
	uint64_t lost_before;		       /* memory lost before the counts were cleared */
	uint64_t nowhere, nowhere_before;      /* messages to bus address 0; the same */
	bool in_reset;	   /* from a reset until memory decoding is enabled again */
	uint64_t reset_ns; /* last access during a reset, for the log */
	uint64_t reset_hits, reset_hits_before; /* accesses during a reset; the same */

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

/* emu.c. @ops selects the card; keys are set between create and start. */
struct emu *emu_create(const struct card_ops *ops);
int emu_set(struct emu *emu, unsigned int fn, const struct card_key *key, const char *value,
	    char *err);
const struct card_key *emu_key(struct emu *emu, const char *name);
/* Fix the PCI identity and start the engines. Returns 0 or -errno. */
int emu_start(struct emu *emu);
/* Stop every thread that emu_start() and vfio_user_listen() started; free everything. */
void emu_destroy(struct emu *emu);

/* sockets.c: returns a file descriptor or -errno. */
int emu_listen(const char *path, int backlog);
/* Accept the next client of a socket; -1 if the socket is closed or the card ends. */
int emu_accept(struct emu *emu, int listen_fd);

/* engine.c */
uint64_t emu_now(void);
void function_lock(struct function *f);
/* @kick: an event that the engine may wait for could have happened. */
void function_unlock(struct function *f, bool kick);
void emu_lock_all(struct emu *emu);
void emu_unlock_all(struct emu *emu, bool kick);
/* Is the link down, or the card without power? Then nothing is answered and nothing is sent. */
bool function_unreachable(struct function *f);
int function_start(struct function *f);
void function_stop_engine(struct function *f);
/*
 * Times of the engine in ns, under the lock: processor time, and time without work. The rest of the
 * time the engine was delayed by other programs of this machine, or by register accesses.
 */
void function_engine_times(struct function *f, uint64_t *run, uint64_t *idle);

/* function.c */
int function_init(struct function *f, struct emu *emu, unsigned int nr);
void function_free(struct function *f);
/* Accesses over PCI: @len bytes at @off of a BAR. Anything but aligned words is a bad access. */
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
/* Restore power; under the lock. */
void function_power_on(struct function *f);
/* Handle the host's disconnect: no mappings, no interrupts, power-on state. */
void function_disconnected(struct function *f);

/* irq.c: under the function's lock */
void irq_init(struct function *f);
unsigned int irq_count(const struct function *f, unsigned int index);
/* Descriptors that it keeps are set to -1 in @fds. */
int irq_set(struct function *f, const struct vfio_irq_set *set, uint32_t data_bytes, int *fds,
	    unsigned int fd_count);
void irq_release(struct function *f);
/* Send the message of a vector by MSI-X or MSI. */
enum card_message irq_message(struct function *f, unsigned int vector);
/* Send pending messages if the function's mask was cleared. */
void irq_unmasked(struct function *f);

/* vfio_user.c */
int vfio_user_listen(struct function *f, const char *path);
/* Serve one connected client until it disconnects; closes @fd. */
void vfio_user_serve(struct function *f, int fd);
/* Break the connection and refuse clients until @vanished is false again; under the lock. */
void vfio_user_vanish(struct function *f);
void vfio_user_stop(struct function *f);

/* control.c: one command line, one JSON object. */
struct json;
void control_run(struct emu *emu, const char *line, struct json *reply);
/* control_socket.c */
int control_listen(struct emu *emu, const char *path);

/* speed.c: measure and print the speed of the copy loops. */
int speed_run(double seconds);

#endif /* EMU_EMU_H */
