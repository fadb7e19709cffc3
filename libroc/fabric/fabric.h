/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wrapper of the used part of libfabric: reliable datagram endpoints, memory that is registered
 * once, and remote writes that carry a number for the completion queue of the peer.
 *
 * libfabric is loaded on first use, so tools that do not use it run without it. Several threads may
 * call fabric_open() at once; each struct belongs to one thread.
 */
#ifndef LIBROC_FABRIC_H
#define LIBROC_FABRIC_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include "base.h"

#define FABRIC_NAME 256 /* maximum size of an endpoint's name in bytes */
#define FABRIC_REGIONS 80

/* Domain and registered memory of one end. */
struct fabric {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct iovec regions[FABRIC_REGIONS];
	struct fid_mr *mr[FABRIC_REGIONS];
	unsigned int region_count;
	unsigned int iov_limit; /* local pieces in one write */
	unsigned int rma_limit; /* remote pieces in one read */
	bool virt;    /* remote addresses are virtual addresses of the peer, else offsets from 0 */
	bool shm;     /* provider shm: an endpoint is a file in SHM_FOLDER */
	bool wait_fd; /* the completion queue has a descriptor for poll() */
	bool number_separate; /* the number of a write follows in a separate write */
};

struct fabric_write {
	const void *head, *data; /* contiguous in the memory of the peer */
	size_t head_bytes, data_bytes;
	uint64_t to, key, number;
	void *context;
	bool more; /* another write follows at once: the provider may combine doorbells */
};

/* One end of a connection. */
struct fabric_end {
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	fi_addr_t peer;
	int fd; /* for poll(), -1: none */
	bool has_unsent;
	struct fabric_write unsent; /* a write whose number was not posted yet */
	void *unsent_desc;
	size_t name_bytes;
	unsigned char name[FABRIC_NAME];
};

struct fabric_event {
	void *context; /* of the local operation; NULL: the peer wrote */
	uint64_t data; /* the number of the peer's write */
	bool received; /* a message arrived in memory of fabric_end_receive() */
	size_t bytes;  /* of the message */
};

/*
 * Set environment variables that make libfabric use less memory, unless they are set, and remove
 * the one that breaks the order of writes. For programs of roc only, before they start threads or
 * call fabric_open(): a library must not change the environment of its caller.
 */
void fabric_environment(void);

/* Return libfabric's name of a provider ("tcp": "tcp;ofi_rxm"). */
const char *fabric_provider(const char *name);

/* Check that the provider is supported. Return 0, or -EINVAL with @reason. */
int fabric_usage(const char *provider, char reason[FABRIC_REASON]);

/* @node: local address, or NULL. These functions return 0, or -errno with @reason. */
int fabric_open(struct fabric *f, const char *provider, const char *node,
		char reason[FABRIC_REASON]);
int fabric_register(struct fabric *f, void *addr, size_t length, bool remote,
		    char reason[FABRIC_REASON]);
/* As fabric_register() with other access: FI_REMOTE_READ, FI_READ, FI_SEND | FI_RECV, ... */
int fabric_register_for(struct fabric *f, void *addr, size_t length, uint64_t access,
			char reason[FABRIC_REASON]);
/*
 * Close everything that can be closed. Return 0, or -errno with @reason if libfabric failed to
 * close an object: it may still access registered memory and buffers of pending operations.
 */
int fabric_close(struct fabric *f, char reason[FABRIC_REASON]);

/* Key and base address of region @i, which the peer needs for writes. */
uint64_t fabric_key(const struct fabric *f, unsigned int i);
uint64_t fabric_base(const struct fabric *f, unsigned int i);

int fabric_end_open(struct fabric *f, struct fabric_end *e, char reason[FABRIC_REASON]);
int fabric_end_peer(struct fabric_end *e, const unsigned char *name, size_t bytes,
		    char reason[FABRIC_REASON]);
int fabric_end_close(struct fabric_end *e, char reason[FABRIC_REASON]);

/* Return 0, -EAGAIN if the queue is full, or -errno. */
int fabric_end_write(const struct fabric *f, struct fabric_end *e, const struct fabric_write *w);

/* Write @count local pieces, at most FABRIC_IOV, to contiguous memory of the peer. */
#define FABRIC_IOV 8
int fabric_end_gather(const struct fabric *f, struct fabric_end *e, const struct iovec *pieces,
		      unsigned int count, const struct fabric_write *w);
/*
 * Read @count pieces of the peer's memory, at most f->rma_limit, into contiguous memory at @into.
 */
int fabric_end_read(const struct fabric *f, struct fabric_end *e, void *into,
		    const struct fi_rma_iov *from, unsigned int count, void *context);
/* Send a message; post memory for a received one. */
int fabric_end_send(const struct fabric *f, struct fabric_end *e, const void *data, size_t bytes,
		    void *context);
int fabric_end_receive(const struct fabric *f, struct fabric_end *e, void *into, size_t bytes,
		       void *context);

/* Return the number of completed @events, or -errno with @reason if the connection is broken. */
int fabric_end_events(struct fabric_end *e, struct fabric_event *events, unsigned int room,
		      char reason[FABRIC_REASON]);
void fabric_end_sleep(const struct fabric *f, struct fabric_end *e, struct roc_idle *idle);

#endif
