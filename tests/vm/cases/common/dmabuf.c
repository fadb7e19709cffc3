// SPDX-License-Identifier: GPL-2.0-or-later
#include "dmabuf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <roc/roc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "node.h"

#define MODULE "/usr/lib/roc/modules/roc-test-dmabuf.ko"
#define NODE "/dev/roc-test-dmabuf"

static int call(int fd, unsigned long nr, void *arg)
{
	return ioctl(fd, nr, arg) ? -errno : 0;
}

int dmabuf_open(void)
{
	int module = open(MODULE, O_RDONLY | O_CLOEXEC), node;

	if (module < 0 || (syscall(SYS_finit_module, module, "", 0) && errno != EEXIST)) {
		printf("Bail out! %s: %s\n", MODULE, strerror(errno));
		exit(1);
	}
	close(module);
	node = open_rw(NODE);
	if (node < 0) {
		printf("Bail out! %s: %s\n", NODE, strerror(-node));
		exit(1);
	}
	return node;
}

int dmabuf_unload(void)
{
	return syscall(SYS_delete_module, "roc_test_dmabuf", O_NONBLOCK) ? -errno : 0;
}

int dmabuf_make(int node, uint64_t size, uint32_t kind)
{
	struct dmabuf_export arg = {.size = size, .kind = kind};
	int err = call(node, DMABUF_EXPORT, &arg);

	return err ? err : arg.fd;
}

struct dmabuf_use dmabuf_in_use(int node, int fd)
{
	struct dmabuf_use arg = {.fd = fd};

	if (call(node, DMABUF_USE, &arg))
		arg.attached = arg.pinned = arg.mapped = -1;
	return arg;
}

struct dmabuf_alive dmabuf_living(int node)
{
	struct dmabuf_alive arg = {-1, -1};

	call(node, DMABUF_ALIVE, &arg);
	return arg;
}

int dmabuf_of_memfd(int memfd, uint64_t size)
{
	struct udmabuf_create arg = {
		.memfd = memfd, .flags = UDMABUF_FLAGS_CLOEXEC, .offset = 0, .size = size};
	int node = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), fd;

	if (node < 0)
		return -errno;
	fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK);
	fd = ioctl(node, UDMABUF_CREATE, &arg);
	if (fd < 0)
		fd = -errno;
	close(node);
	return fd;
}

const char *dmabuf_device(void)
{
	static char path[PATH_MAX];

	/* .../0000:00:03.0/virtio0 */
	if (!realpath("/sys/bus/virtio/devices/virtio0", path)) {
		printf("Bail out! no virtio0\n");
		exit(1);
	}
	*strrchr(path, '/') = 0;
	return strrchr(path, '/') + 1;
}

static int take(int node, const char *device, struct dmabuf_attach arg)
{
	int err;

	snprintf(arg.device, sizeof(arg.device), "%s", device);
	err = call(node, DMABUF_ATTACH, &arg);
	return err ? err : (int)arg.id;
}

int dmabuf_take(int node, const char *device, int fd, bool dynamic)
{
	return take(node, device, (struct dmabuf_attach){.fd = fd, .dynamic = dynamic});
}

int dmabuf_take_limited(int node, const char *device, int fd, unsigned int bits)
{
	return take(node, device, (struct dmabuf_attach){.fd = fd, .dynamic = true, .bits = bits});
}

void dmabuf_drop(int node, int id)
{
	struct dmabuf_import arg = {.id = id};

	call(node, DMABUF_DETACH, &arg);
}

int dmabuf_map_for(int node, int id)
{
	struct dmabuf_import arg = {.id = id};

	return call(node, DMABUF_MAP, &arg);
}

unsigned int dmabuf_moves(int node, int id)
{
	struct dmabuf_import arg = {.id = id};

	return call(node, DMABUF_STATE, &arg) ? -1u : arg.moves;
}

static int copy(int node, int id, bool write, uint64_t offset, const void *memory, uint64_t length)
{
	struct dmabuf_copy arg = {.id = id,
				  .write = write,
				  .offset = offset,
				  .length = length,
				  .memory = (uintptr_t)memory};

	return call(node, DMABUF_COPY, &arg);
}

int dmabuf_read(int node, int id, uint64_t offset, void *to, uint64_t length)
{
	return copy(node, id, false, offset, to, length);
}

int dmabuf_write(int node, int id, uint64_t offset, const void *from, uint64_t length)
{
	return copy(node, id, true, offset, from, length);
}

int buffer_import(int fd, struct roc_buf_import *reply)
{
	reply->size = sizeof(*reply);
	return abi(fd, ROC_BUF_IMPORT, reply);
}

int buffer_export(int fd, uint32_t handle, uint32_t flags, struct roc_buf_export *reply)
{
	*reply = (struct roc_buf_export){.size = sizeof(*reply), .flags = flags, .handle = handle};
	return abi(fd, ROC_BUF_EXPORT, reply);
}

int dmabuf_sync(int fd, bool begin)
{
	struct dma_buf_sync arg = {.flags = DMA_BUF_SYNC_READ |
					    (begin ? DMA_BUF_SYNC_START : DMA_BUF_SYNC_END)};

	return call(fd, DMA_BUF_IOCTL_SYNC, &arg);
}
