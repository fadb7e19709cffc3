/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Interface of roc-test-dmabuf.ko: dma-bufs of all kinds for the driver's importer, and a second
 * device that imports the driver's dma-bufs.
 *
 * The second device is a PCI function of the guest, named by its address, which does no DMA. The
 * module reads and writes the memory at its DMA addresses instead, translated by the IOMMU if there
 * is one. All ioctls go to /dev/roc-test-dmabuf; closing a file detaches its imports.
 */
#ifndef DMABUF_TEST_H
#define DMABUF_TEST_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Behaviour of an exporter. */
enum dmabuf_kind {
	DMABUF_SCATTERED = 1 << 0, /* single pages, none adjacent; otherwise pieces of 2 MiB */
	DMABUF_DYNAMIC = 1 << 1,   /* could move, and notifies importers */
	DMABUF_NO_PIN = 1 << 2,	   /* and fails to pin */
	DMABUF_PEER = 1 << 3,	   /* memory of a device that no other device reaches */
	DMABUF_NO_ATTACH = 1 << 4, /* the same, and fails at the attachment */
	DMABUF_NO_PAGES = 1 << 5,  /* only bus addresses, like reachable peer memory */
	DMABUF_SHORT = 1 << 6,	   /* maps one page less than there is */
	DMABUF_READ_ONLY = 1 << 7, /* the descriptor is */
	DMABUF_NO_MEMORY = 1 << 8, /* fails to map with ENOMEM */
	DMABUF_BUSY = 1 << 9,	   /* dynamic; moves its memory for DMABUF_BUSY_MS after the pin */
	DMABUF_STUCK = 1 << 10,	   /* the same, until the unpin */
	DMABUF_INTERRUPTED = 1 << 11, /* dynamic; a signal interrupts the pin */
};

#define DMABUF_BUSY_MS 500

struct dmabuf_export {
	__u64 size;
	__u32 kind;
	__s32 fd; /* out */
};

/* Operations on an export of roc that are not undone. */
struct dmabuf_use {
	__s32 fd;
	__s32 attached;
	__s32 pinned;
	__s32 mapped;
	__s32 moving; /* now */
};

/* All live objects. */
struct dmabuf_alive {
	__s32 exports;
	__s32 imports;
};

struct dmabuf_attach {
	char device[16]; /* as lspci -D prints it */
	__s32 fd;
	__u32 dynamic; /* accepts move notifications */
	__u32 id;      /* out: for the rest */
	__u32 bits;    /* bits of the device's DMA addresses; 0: unchanged */
};

struct dmabuf_import {
	__u32 id;
	__u32 pieces; /* out of MAP: as the device reads it */
	__u32 moves;  /* out of STATE: move notifications */
	__u32 mapped; /* out of STATE */
};

/* The device reads or writes. */
struct dmabuf_copy {
	__u32 id;
	__u32 write;
	__u64 offset;
	__u64 length;
	__u64 memory; /* of the caller */
};

#define DMABUF_EXPORT _IOWR(0xBA, 0, struct dmabuf_export)
#define DMABUF_USE _IOWR(0xBA, 1, struct dmabuf_use)
#define DMABUF_ALIVE _IOR(0xBA, 2, struct dmabuf_alive)
#define DMABUF_ATTACH _IOWR(0xBA, 3, struct dmabuf_attach)
#define DMABUF_DETACH _IOW(0xBA, 4, struct dmabuf_import)
#define DMABUF_MAP _IOWR(0xBA, 5, struct dmabuf_import)
#define DMABUF_UNMAP _IOW(0xBA, 6, struct dmabuf_import)
#define DMABUF_STATE _IOWR(0xBA, 7, struct dmabuf_import)
#define DMABUF_COPY _IOW(0xBA, 8, struct dmabuf_copy)

#endif /* DMABUF_TEST_H */
