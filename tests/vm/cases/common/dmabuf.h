/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dma-bufs: udmabuf's, those of the test module (tests/vm/modules/dmabuf_test.h), and a second
 * device that imports the driver's.
 */
#ifndef CASE_DMABUF_H
#define CASE_DMABUF_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/vm/modules/dmabuf_test.h"

/* Load the test module and open its node; ends the program on failure. */
int dmabuf_open(void);
/* Unload the module: 0 or -errno. */
int dmabuf_unload(void);

/* Make a dma-buf of a kind (enum dmabuf_kind): a descriptor or -errno. */
int dmabuf_make(int node, uint64_t size, uint32_t kind);
/* Its current attachments, mappings and pins. */
struct dmabuf_use dmabuf_in_use(int node, int fd);
struct dmabuf_alive dmabuf_living(int node);

/* Memory of @memfd as a dma-buf by the kernel's udmabuf; -ENOENT: the kernel has none. */
int dmabuf_of_memfd(int memfd, uint64_t size);

/* A device that roc does not drive and that no test uses: the console's. */
const char *dmabuf_device(void);

/* Import @fd for the second device, of PCI address @device: its id, or -errno. */
int dmabuf_take(int node, const char *device, int fd, bool dynamic);
/*
 * The same for a dynamic importer whose DMA addresses have @bits bits meanwhile. For other
 * importers the kernel may map at the attachment.
 */
int dmabuf_take_limited(int node, const char *device, int fd, unsigned int bits);
void dmabuf_drop(int node, int id);
int dmabuf_map_for(int node, int id);
/* Number of move notifications that the importer got. */
unsigned int dmabuf_moves(int node, int id);
/* Let the device read and write: 0 or -errno. */
int dmabuf_read(int node, int id, uint64_t offset, void *to, uint64_t length);
int dmabuf_write(int node, int id, uint64_t offset, const void *from, uint64_t length);

/* Import and export by the driver's ioctls: 0 or -errno; *reply is always filled. */
struct roc_buf_import;
struct roc_buf_export;
int buffer_import(int fd, struct roc_buf_import *reply);
int buffer_export(int fd, uint32_t handle, uint32_t flags, struct roc_buf_export *reply);

/* Begin or end a process's access to a mapping: 0 or -errno. */
int dmabuf_sync(int fd, bool begin);

#endif /* CASE_DMABUF_H */
