// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Split the stream into messages.
 *
 * The kernel delivers descriptors with the first byte of the sendmsg() that carried them, and does
 * not report which byte of the read data that is. So a read never extends from a message that may
 * take descriptors into the next one: descriptors of a read belong to the message being read. From
 * a message that takes none, a read continues ahead, but not further than the shortest message that
 * takes descriptors. So a register access takes one system call. If one sendmsg() carries several
 * messages, its descriptors go to the first message that takes any.
 */
#include "wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

_Static_assert(WIRE_AHEAD >= sizeof(struct vu_header), "a header is read in one piece");
_Static_assert(WIRE_AHEAD < sizeof(struct vu_header) + sizeof(struct vu_dma_map) &&
		       WIRE_AHEAD < sizeof(struct vu_header) + sizeof(struct vfio_irq_set),
	       "a read ahead ends in the message that takes its descriptors");

/* May this message take descriptors? A message that is too short for its command takes none. */
static bool takes_descriptors(const struct vu_header *head)
{
	uint32_t body = head->size - sizeof(*head);

	return (head->command == VU_DMA_MAP && body >= sizeof(struct vu_dma_map)) ||
	       (head->command == VU_SET_IRQS && body >= sizeof(struct vfio_irq_set));
}

void descriptors_close(struct descriptors *d)
{
	while (d->count) {
		if (d->fd[--d->count] >= 0)
			close(d->fd[d->count]);
	}
	d->lost = false;
}

/* Returns 0, or -EPROTO if there are more descriptors than the agreed limit per message. */
static int take_descriptors(struct descriptors *d, struct msghdr *msg)
{
	struct cmsghdr *c;
	int rc = 0;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		unsigned int i, n;
		int fd;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (d->count < VU_MAX_FDS) {
				d->fd[d->count++] = fd;
			} else {
				close(fd);
				rc = -EPROTO;
			}
		}
	}
	if (msg->msg_flags & MSG_CTRUNC)
		d->lost = true;
	return rc;
}

/* Read once. Returns bytes, 0 or -1 if the client has disconnected, or -EPROTO. */
static ssize_t read_some(struct wire *w, struct iovec *iov, int pieces)
{
	char control[CMSG_SPACE(sizeof(int) * (VU_MAX_FDS + 1))];
	ssize_t n;

	do {
		struct msghdr msg = {
			.msg_iov = iov,
			.msg_iovlen = pieces,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};

		n = recvmsg(w->fd, &msg, MSG_CMSG_CLOEXEC);
		if (n > 0 && take_descriptors(&w->along, &msg))
			return -EPROTO;
	} while (n < 0 && errno == EINTR);
	return n;
}

static int header(struct wire *w, struct vu_header *head)
{
	memmove(w->ahead, w->ahead + w->at, w->end - w->at);
	w->end -= w->at;
	w->at = 0;
	while (w->end < sizeof(*head)) {
		struct iovec iov = {w->ahead + w->end, sizeof(w->ahead) - w->end};
		ssize_t n = read_some(w, &iov, 1);

		if (n <= 0)
			return n == -EPROTO ? n : -1;
		w->end += n;
	}
	memcpy(head, w->ahead, sizeof(*head));
	w->at = sizeof(*head);
	return 0;
}

static int body(struct wire *w, struct message *m)
{
	size_t have = w->end - w->at;

	if (have > m->len)
		have = m->len;
	memcpy(m->body, w->ahead + w->at, have);
	w->at += have;
	while (have < m->len) {
		struct iovec iov[2] = {{m->body + have, m->len - have},
				       {w->ahead, sizeof(w->ahead)}};
		ssize_t n = read_some(w, iov, takes_descriptors(&m->head) ? 1 : 2);

		if (n <= 0)
			return n == -EPROTO ? n : -1;
		have += n;
		w->at = 0;
		w->end = have > m->len ? have - m->len : 0;
	}
	return 0;
}

int wire_next(struct wire *w, struct message *m)
{
	int rc = header(w, &m->head);

	if (rc)
		return rc;
	if (m->head.size < sizeof(m->head) || m->head.size > VU_MAX_MESSAGE)
		return -EPROTO;
	m->len = m->head.size - sizeof(m->head);
	rc = body(w, m);
	if (rc)
		return rc;
	if (takes_descriptors(&m->head)) {
		m->along = w->along;
		w->along = (struct descriptors){0};
	}
	return 0;
}

int wire_send(int fd, const void *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		data = (const char *)data + n;
		len -= n;
	}
	return 0;
}
