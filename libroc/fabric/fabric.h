/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What of libfabric is used: reliable datagram endpoints, memory that is registered once, and
 * writes into the other end's memory that tell it by a number that they are there.
 *
 * libfabric is loaded when it is first needed: the other tools do without. Several threads may call
 * fabric_open() at once; each struct belongs to one of them.
 */
#ifndef LIBROC_FABRIC_H
#define LIBROC_FABRIC_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include "base.h"

#define FABRIC_NAME 256 /* bytes of an endpoint's name at most */
#define FABRIC_REGIONS 80

/* Domain and memory of one side. */
struct fabric {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct iovec regions[FABRIC_REGIONS];
	struct fid_mr *mr[FABRIC_REGIONS];
	unsigned int region_count;
	unsigned int iov_limit; /* pieces of our memory in one write */
	unsigned int rma_limit; /* pieces of the other's memory in one read */
	bool virt;		/* remote addresses are those of the other process, else from 0 */
	bool shm;		/* provider shm: an endpoint is a file in SHM_FOLDER */
	bool wait_fd;		/* there is a descriptor to wait for */
	bool number_separate;	/* a write's number follows it in a write of its own */
};

struct fabric_write {
	const void *head, *data; /* one behind the other at the other end */
	size_t head_bytes, data_bytes;
	uint64_t to, key, number;
	void *context;
	bool more; /* another write follows at once: a provider that heeds it tells its card once */
};

/* One end of a connection. */
struct fabric_end {
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	fi_addr_t peer;
	int fd; /* to wait for, -1 */
	bool has_unsent;
	struct fabric_write unsent; /* data that were handed over, their number not yet */
	void *unsent_desc;
	size_t name_bytes;
	unsigned char name[FABRIC_NAME];
};

struct fabric_event {
	void *context; /* of our write, read, message; NULL: the other end wrote */
	uint64_t data; /* its number */
	bool received; /* a message came, into the memory that fabric_end_receive() was given */
	size_t bytes;  /* of it */
};

/*
 * For a program that is roc's own, before it has threads and before fabric_open(): have libfabric
 * use less memory, by variables of the environment that are not set yet, and remove the one that
 * breaks the order of writes. A library leaves its caller's environment alone.
 */
void fabric_environment(void);

/* "tcp" as users say it, and what libfabric calls it. */
const char *fabric_provider(const char *name);

/* Whether the provider can be used, before anything is opened. 0, or -EINVAL with the sentence. */
int fabric_usage(const char *provider, char reason[FABRIC_REASON]);

/* @node: local address, or NULL. Each: 0, or -errno with the sentence. */
int fabric_open(struct fabric *f, const char *provider, const char *node,
		char reason[FABRIC_REASON]);
int fabric_register(struct fabric *f, void *addr, size_t length, bool remote,
		    char reason[FABRIC_REASON]);
/* For something else: FI_REMOTE_READ, FI_READ, FI_SEND | FI_RECV and the like. */
int fabric_register_for(struct fabric *f, void *addr, size_t length, uint64_t access,
			char reason[FABRIC_REASON]);
/*
 * 0, or -errno with the sentence: libfabric did not close something, so it may still use memory
 * that was registered or handed over. What can be closed is closed.
 */
int fabric_close(struct fabric *f, char reason[FABRIC_REASON]);

/* Of region @i: what the other side must say to write there. */
uint64_t fabric_key(const struct fabric *f, unsigned int i);
uint64_t fabric_base(const struct fabric *f, unsigned int i);

int fabric_end_open(struct fabric *f, struct fabric_end *e, char reason[FABRIC_REASON]);
int fabric_end_peer(struct fabric_end *e, const unsigned char *name, size_t bytes,
		    char reason[FABRIC_REASON]);
int fabric_end_close(struct fabric_end *e, char reason[FABRIC_REASON]);

/* 0; -EAGAIN later; -errno. */
int fabric_end_write(const struct fabric *f, struct fabric_end *e, const struct fabric_write *w);

/* Write @count pieces of our memory, at most FABRIC_IOV, one behind the other. */
#define FABRIC_IOV 8
int fabric_end_gather(const struct fabric *f, struct fabric_end *e, const struct iovec *pieces,
		      unsigned int count, const struct fabric_write *w);
/*
 * Read @count pieces of the other's memory, at most f->rma_limit, to @into, one behind the other.
 */
int fabric_end_read(const struct fabric *f, struct fabric_end *e, void *into,
		    const struct fi_rma_iov *from, unsigned int count, void *context);
/* A message, and memory for one that comes. */
int fabric_end_send(const struct fabric *f, struct fabric_end *e, const void *data, size_t bytes,
		    void *context);
int fabric_end_receive(const struct fabric *f, struct fabric_end *e, void *into, size_t bytes,
		       void *context);

/* What happened: how many; -errno: the connection is of no more use, with the sentence. */
int fabric_end_events(struct fabric_end *e, struct fabric_event *events, unsigned int room,
		      char reason[FABRIC_REASON]);
void fabric_end_sleep(const struct fabric *f, struct fabric_end *e, struct roc_idle *idle);

#endif
