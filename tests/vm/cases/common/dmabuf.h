/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dma-bufs: udmabuf's, those of the module for tests (tests/vm/modules/dmabuf_test.h), and a second
 * device that imports ours.
 */
#ifndef CASE_DMABUF_H
#define CASE_DMABUF_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/vm/modules/dmabuf_test.h"

/* Load the module for tests; a descriptor of its node, or the program ends. */
int dmabuf_open(void);
/* Unload it: 0 or -errno. */
int dmabuf_unload(void);

/* A dma-buf of a sort (enum dmabuf_kind): a descriptor or -errno. */
int dmabuf_make(int node, uint64_t size, uint32_t kind);
/* What is done to it now. */
struct dmabuf_use dmabuf_in_use(int node, int fd);
struct dmabuf_alive dmabuf_living(int node);

/* Memory of @memfd as a dma-buf by the kernel's udmabuf; -ENOENT: there is none. */
int dmabuf_of_memfd(int memfd, uint64_t size);

/* A function that is neither ours nor at work for us: of the console. */
const char *dmabuf_device(void);

/* The second device, of PCI address @device, has @fd: its id, or -errno. */
int dmabuf_take(int node, const char *device, int fd, bool dynamic);
/*
 * The same of a dynamic importer whose addresses have @bits bits meanwhile. For others the kernel
 * may map when they attach.
 */
int dmabuf_take_limited(int node, const char *device, int fd, unsigned int bits);
void dmabuf_drop(int node, int id);
int dmabuf_map_for(int node, int id);
/* How often it was told that the memory moves. */
unsigned int dmabuf_moves(int node, int id);
/* What it reads, and writes: 0 or -errno. */
int dmabuf_read(int node, int id, uint64_t offset, void *to, uint64_t length);
int dmabuf_write(int node, int id, uint64_t offset, const void *from, uint64_t length);

/* Raw import and export by the driver: 0 or -errno; *reply always filled. */
struct roc_buf_import;
struct roc_buf_export;
int buffer_import(int fd, struct roc_buf_import *reply);
int buffer_export(int fd, uint32_t handle, uint32_t flags, struct roc_buf_export *reply);

/* A process's access to a mapping begins, ends: 0 or -errno. */
int dmabuf_sync(int fd, bool begin);

#endif /* CASE_DMABUF_H */
