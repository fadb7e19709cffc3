/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * What a test asks of roc-test-dmabuf.ko: dma-bufs of all sorts as the driver's importer meets
 * them, and a second device that imports the driver's.
 *
 * The second device is a PCI function of the guest, named by its address. It does nothing: what it
 * would read and write is looked up with the bus addresses that it was given, through the IOMMU if
 * there is one. All ioctls go to /dev/roc-test-dmabuf; what an open file has imported goes with it.
 */
#ifndef DMABUF_TEST_H
#define DMABUF_TEST_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* How an exporter is. */
enum dmabuf_kind {
	DMABUF_SCATTERED = 1 << 0, /* single pages, no two neighbours; else pieces of 2 MiB */
	DMABUF_DYNAMIC = 1 << 1,   /* could move, and says so */
	DMABUF_NO_PIN = 1 << 2,	   /* and refuses to stay */
	DMABUF_PEER = 1 << 3,	   /* memory of a device that no other one reaches */
	DMABUF_NO_ATTACH = 1 << 4, /* as before, and says so at once */
	DMABUF_NO_PAGES = 1 << 5,  /* only bus addresses, as peer memory that can be reached */
	DMABUF_SHORT = 1 << 6,	   /* maps one page less than there is */
	DMABUF_READ_ONLY = 1 << 7, /* the descriptor is */
	DMABUF_NO_MEMORY = 1 << 8, /* cannot map for want of memory */
	DMABUF_BUSY = 1 << 9,	/* dynamic; moves its memory for DMABUF_BUSY_MS from the pin on */
	DMABUF_STUCK = 1 << 10, /* the same, until the pin is taken back */
	DMABUF_INTERRUPTED = 1 << 11, /* dynamic; a signal came while it was to be pinned */
};

#define DMABUF_BUSY_MS 500

struct dmabuf_export {
	__u64 size;
	__u32 kind;
	__s32 fd; /* out */
};

/* What has been done to an export of ours, and not been undone. */
struct dmabuf_use {
	__s32 fd;
	__s32 attached;
	__s32 pinned;
	__s32 mapped;
	__s32 moving; /* now */
};

/* All that live. */
struct dmabuf_alive {
	__s32 exports;
	__s32 imports;
};

struct dmabuf_attach {
	char device[16]; /* as lspci -D says it */
	__s32 fd;
	__u32 dynamic; /* wants to be told */
	__u32 id;      /* out: for the rest */
	__u32 bits;    /* of an address that the device can use; 0: as it is */
};

struct dmabuf_import {
	__u32 id;
	__u32 pieces; /* out of MAP: as the device sees it */
	__u32 moves;  /* out of STATE: how often it was told */
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
