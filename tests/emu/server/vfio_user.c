// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The vfio-user server of one function: one client at a time, one message after the other.
 */
#include "emu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/emu/log.h"
#include "version.h"
#include "wire.h"

#define REFUSED_LOG_NS 1000000000ull /* one log line for all refusals within this time */

/* The connected client. */
struct client {
	struct function *f;
	struct wire wire;
	bool agreed;	   /* on a version: all other commands are refused before */
	bool over;	   /* disconnect after this answer */
	uint32_t max_read; /* bytes of a region that it accepts in one answer */
	uint64_t logged_ns;
};

/* Returns the answer's body, zeroed. */
static void *reply(struct message *m, uint32_t len)
{
	void *body = m->reply + sizeof(struct vu_header);

	m->reply_len = len;
	memset(body, 0, len);
	return body;
}

/*
 * Disconnect a client with another version or an invalid proposal: its later messages could not be
 * interpreted.
 */
static int do_version(struct client *c, struct message *m)
{
	struct vu_version *answer;
	char text[VERSION_TEXT];
	int rc = -EINVAL;
	size_t len;

	if (!c->agreed)
		rc = version_agree((const void *)m->body, m->len, text, &c->max_read);
	if (rc) {
		c->over = true;
		return rc;
	}
	c->agreed = true;
	len = strlen(text) + 1;
	answer = reply(m, sizeof(*answer) + len);
	memcpy(answer->json, text, len);
	return 0;
}

static int do_map(struct client *c, struct message *m)
{
	const struct vu_dma_map *map = (const void *)m->body;

	if (m->len != sizeof(*map) || map->argsz < sizeof(*map) || m->along.count > 1)
		return -EINVAL;
	if (m->along.lost)
		return -EMFILE;
	return function_map(c->f, map, m->along.count ? m->along.fd[0] : -1);
}

static int do_unmap(struct client *c, struct message *m)
{
	struct vu_dma_unmap *unmap = (void *)m->body;

	if (m->len != sizeof(*unmap) || unmap->argsz < sizeof(*unmap))
		return -EINVAL;
	memcpy(reply(m, sizeof(*unmap)), unmap, sizeof(*unmap));
	return function_unmap(c->f, unmap);
}

/* A request for information is a structure in which only argsz and, if any, the index are set. */
static bool is_info_request(const struct message *m, uint32_t size, uint32_t index_at)
{
	uint32_t argsz, i;

	if (m->len != size)
		return false;
	memcpy(&argsz, m->body, sizeof(argsz));
	for (i = sizeof(argsz); i < size; i++) {
		if (m->body[i] && (!index_at || i < index_at || i >= index_at + sizeof(uint32_t)))
			return false;
	}
	return argsz >= size;
}

static int do_device_info(struct client *c, struct message *m)
{
	struct vu_device_info *info;

	if (!is_info_request(m, sizeof(*info), 0))
		return -EINVAL;
	info = reply(m, sizeof(*info));
	info->argsz = sizeof(*info);
	info->flags = VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI;
	info->regions = VU_REGIONS;
	info->irqs = VU_IRQS;
	return 0;
}

static uint64_t region_size(struct function *f, uint32_t region)
{
	if (region < CARD_BARS)
		return f->emu->ops->bar_size[region];
	return region == VFIO_PCI_CONFIG_REGION_INDEX ? VU_CONFIG_SIZE : 0;
}

static int do_region_info(struct client *c, struct message *m)
{
	const struct vfio_region_info *ask = (const void *)m->body;
	struct vfio_region_info *info;

	if (!is_info_request(m, sizeof(*ask), offsetof(struct vfio_region_info, index)) ||
	    ask->index >= VU_REGIONS)
		return -EINVAL;
	info = reply(m, sizeof(*info));
	info->argsz = sizeof(*info);
	info->index = ask->index;
	info->size = region_size(c->f, ask->index);
	if (info->size)
		info->flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	return 0;
}

static int do_irq_info(struct client *c, struct message *m)
{
	const struct vfio_irq_info *ask = (const void *)m->body;
	struct vfio_irq_info *info;

	if (!is_info_request(m, sizeof(*ask), offsetof(struct vfio_irq_info, index)) ||
	    ask->index >= VU_IRQS)
		return -EINVAL;
	info = reply(m, sizeof(*info));
	info->argsz = sizeof(*info);
	info->index = ask->index;
	info->count = irq_count(c->f, ask->index);
	info->flags = VFIO_IRQ_INFO_EVENTFD;
	if (ask->index == VFIO_PCI_INTX_IRQ_INDEX)
		info->flags |= VFIO_IRQ_INFO_MASKABLE | VFIO_IRQ_INFO_AUTOMASKED;
	return 0;
}

static int do_set_irqs(struct client *c, struct message *m)
{
	const struct vfio_irq_set *set = (const void *)m->body;
	int rc;

	if (m->len < sizeof(*set) || set->argsz != m->len)
		return -EINVAL;
	if (m->along.lost)
		return -EMFILE;
	function_lock(c->f);
	rc = irq_set(c->f, set, m->len - sizeof(*set), m->along.fd, m->along.count);
	function_unlock(c->f, false);
	return rc;
}

static bool access_ok(struct function *f, const struct vu_region_access *a)
{
	uint64_t size = a->region < VU_REGIONS ? region_size(f, a->region) : 0;

	return a->count && a->count <= VU_MAX_XFER && a->offset < size &&
	       a->count <= size - a->offset;
}

static int do_read(struct client *c, struct message *m)
{
	const struct vu_region_access *ask = (const void *)m->body;
	struct vu_region_access *answer;

	if (m->len != sizeof(*ask) || !access_ok(c->f, ask) || ask->count > c->max_read)
		return -EINVAL;
	answer = reply(m, sizeof(*ask) + ask->count);
	memcpy(answer, ask, sizeof(*ask));
	if (ask->region == VFIO_PCI_CONFIG_REGION_INDEX)
		function_config_read(c->f, ask->offset, answer->data, ask->count);
	else
		function_bar_read(c->f, ask->region, ask->offset, answer->data, ask->count);
	return 0;
}

static int do_write(struct client *c, struct message *m)
{
	const struct vu_region_access *ask = (const void *)m->body;

	if (m->len < sizeof(*ask) || !access_ok(c->f, ask) || m->len - sizeof(*ask) != ask->count)
		return -EINVAL;
	if (ask->region == VFIO_PCI_CONFIG_REGION_INDEX)
		function_config_write(c->f, ask->offset, ask->data, ask->count);
	else
		function_bar_write(c->f, ask->region, ask->offset, ask->data, ask->count);
	memcpy(reply(m, sizeof(*ask)), ask, sizeof(*ask));
	return 0;
}

static int do_reset(struct client *c, struct message *m)
{
	if (m->len)
		return -EINVAL;
	function_reset(c->f);
	return 0;
}

static int (*const handlers[])(struct client *, struct message *) = {
	[VU_VERSION] = do_version,
	[VU_DMA_MAP] = do_map,
	[VU_DMA_UNMAP] = do_unmap,
	[VU_DEVICE_GET_INFO] = do_device_info,
	[VU_GET_REGION_INFO] = do_region_info,
	[VU_GET_IRQ_INFO] = do_irq_info,
	[VU_SET_IRQS] = do_set_irqs,
	[VU_REGION_READ] = do_read,
	[VU_REGION_WRITE] = do_write,
	[VU_DEVICE_RESET] = do_reset,
};

static int run(struct client *c, struct message *m)
{
	unsigned int command = m->head.command;

	if (m->head.flags & ~VU_NO_REPLY)
		return -EINVAL; /* not a command, or undefined flags */
	if (!c->agreed && command != VU_VERSION)
		return -EINVAL;
	if (command >= sizeof(handlers) / sizeof(handlers[0]) || !handlers[command])
		return -EOPNOTSUPP;
	return handlers[command](c, m);
}

/* Log a refusal that has no answer; the client would not see it otherwise. */
static void log_refused(struct client *c, const struct message *m, int rc)
{
	uint64_t now = emu_now();

	if (!c->logged_ns || now - c->logged_ns > REFUSED_LOG_NS)
		emu_log("roc-emu: function %u: command %u refused without an answer: %s", c->f->nr,
			m->head.command, strerror(-rc));
	c->logged_ns = now;
}

/* Returns 0, or -1 if the client must be disconnected. */
static int handle(struct client *c, struct message *m)
{
	struct vu_header *head = (struct vu_header *)m->reply;
	int rc;

	if ((m->head.flags & VU_TYPE) == VU_REPLY)
		return 0; /* the server sends no commands, so a reply answers none */
	m->reply_len = 0;
	rc = run(c, m);
	if (m->head.flags & VU_NO_REPLY) {
		if (rc)
			log_refused(c, m, rc);
		return c->over ? -1 : 0;
	}
	if (rc)
		m->reply_len = 0;
	head->id = m->head.id;
	head->command = m->head.command;
	head->size = sizeof(*head) + m->reply_len;
	head->flags = VU_REPLY | (rc ? VU_ERROR : 0);
	head->error = -rc;
	return wire_send(c->wire.fd, m->reply, head->size) || c->over ? -1 : 0;
}

void vfio_user_serve(struct function *f, int fd)
{
	struct client c = {.f = f, .wire.fd = fd};
	struct message m = {0};
	int rc = -1;

	m.body = malloc(VU_MAX_MESSAGE);
	m.reply = malloc(VU_MAX_MESSAGE);
	while (m.body && m.reply) {
		rc = wire_next(&c.wire, &m);
		if (!rc)
			rc = handle(&c, &m);
		descriptors_close(&m.along);
		if (rc)
			break;
	}
	if (rc == -EPROTO)
		emu_log("roc-emu: function %u: invalid vfio-user message, client disconnected",
			f->nr);
	descriptors_close(&c.wire.along);
	free(m.body);
	free(m.reply);
	function_disconnected(f);
	function_lock(f);
	f->client_fd = -1;
	function_unlock(f, false);
	close(fd);
}

static void *server(void *arg)
{
	struct function *f = arg;
	int fd;

	pthread_setname_np(pthread_self(), "server");
	while ((fd = emu_accept(f->emu, f->listen_fd)) >= 0) {
		bool accepting;

		function_lock(f);
		accepting = !f->vanished && !atomic_load(&f->emu->quit);
		if (accepting)
			f->client_fd = fd;
		function_unlock(f, false);
		if (accepting)
			vfio_user_serve(f, fd);
		else
			close(fd);
	}
	return NULL;
}

int vfio_user_listen(struct function *f, const char *path)
{
	int rc, fd = emu_listen(path, 1);

	if (fd < 0)
		return fd;
	f->listen_fd = fd;
	rc = -pthread_create(&f->server, NULL, server, f);
	if (!rc) {
		f->server_runs = true;
		return 0;
	}
	f->listen_fd = -1;
	close(fd);
	return rc;
}

void vfio_user_vanish(struct function *f)
{
	f->vanished = true;
	if (f->client_fd >= 0)
		shutdown(f->client_fd, SHUT_RDWR);
}

void vfio_user_stop(struct function *f)
{
	if (!f->server_runs)
		return;
	function_lock(f);
	shutdown(f->listen_fd, SHUT_RDWR);
	if (f->client_fd >= 0)
		shutdown(f->client_fd, SHUT_RDWR);
	function_unlock(f, false);
	pthread_join(f->server, NULL);
	close(f->listen_fd);
	f->listen_fd = -1;
	f->server_runs = false;
}
