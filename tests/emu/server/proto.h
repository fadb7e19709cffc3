/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vfio-user on the wire: message layouts and numbers, little endian, for the server and for the
 * test client. Structures of vfio itself come from <linux/vfio.h>.
 */
#ifndef EMU_PROTO_H
#define EMU_PROTO_H

#include <stdint.h>

#include <linux/vfio.h>

enum vu_command {
	VU_VERSION = 1,
	VU_DMA_MAP = 2,
	VU_DMA_UNMAP = 3,
	VU_DEVICE_GET_INFO = 4,
	VU_GET_REGION_INFO = 5,
	VU_GET_REGION_IO_FDS = 6,
	VU_GET_IRQ_INFO = 7,
	VU_SET_IRQS = 8,
	VU_REGION_READ = 9,
	VU_REGION_WRITE = 10,
	VU_DEVICE_RESET = 13,
};

#define VU_TYPE 0xf /* 0: a command */
#define VU_REPLY 0x1
#define VU_NO_REPLY 0x10
#define VU_ERROR 0x20

#define VU_MAX_FDS 8
#define VU_MAX_XFER (1024 * 1024)
#define VU_MAX_MAPS 65535
#define VU_PAGE 4096 /* mappings are multiples of this size */
#define VU_MAX_MESSAGE (VU_MAX_XFER + 4096)

#define VU_REGIONS VFIO_PCI_NUM_REGIONS
#define VU_IRQS VFIO_PCI_NUM_IRQS
#define VU_CONFIG_SIZE 4096

struct vu_header {
	uint16_t id;
	uint16_t command;
	uint32_t size; /* with this header */
	uint32_t flags;
	uint32_t error;
};

struct vu_version {
	uint16_t major;
	uint16_t minor;
	char json[]; /* NUL at the end */
};

#define VU_MAP_MMAP 0x4	   /* the file must be mapped */
#define VU_MAP_FILE_IO 0x8 /* the file must be read and written */

struct vu_dma_map {
	uint32_t argsz;
	uint32_t flags;	 /* VFIO_DMA_MAP_FLAG_READ, _WRITE, VU_MAP_MMAP */
	uint64_t offset; /* in the file of the message */
	uint64_t address;
	uint64_t size;
};

struct vu_dma_unmap {
	uint32_t argsz;
	uint32_t flags; /* VFIO_DMA_UNMAP_FLAG_ALL */
	uint64_t address;
	uint64_t size;
};

struct vu_device_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t regions;
	uint32_t irqs;
};

struct vu_region_access {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
	uint8_t data[];
};

#endif /* EMU_PROTO_H */
