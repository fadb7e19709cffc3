// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Non-blocking TCP connections for control messages.
 */
#include "control.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool control_unscoped(const struct addrinfo *a)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)a->ai_addr;

	return !a->ai_next && a->ai_family == AF_INET6 && !in6->sin6_scope_id &&
	       IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr);
}

static int resolve(const char *host, const char *port, int flags, struct addrinfo **list,
		   char reason[FABRIC_REASON])
{
	struct addrinfo hints = {
		.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags};
	int ret = getaddrinfo(host, port, &hints, list);

	if (!ret && control_unscoped(*list)) {
		freeaddrinfo(*list);
		return fabric_fail(reason, EHOSTUNREACH, "\"%s\" port %s " CONTROL_UNSCOPED, host,
				   port, host);
	}
	if (!ret)
		return 0;
	return fabric_fail(reason, EHOSTUNREACH, "Cannot resolve host \"%s\" port %s: %s.",
			   host ? host : "*", port, gai_strerror(ret));
}

static int listen_on(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1, off = 0, err;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* "::" accepts connections of both families, regardless of net.ipv6.bindv6only. */
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, SOMAXCONN))
		return fd;
	err = errno;
	close(fd);
	return -err;
}

static void set_up(int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int control_listen(const char *host, const char *port, char reason[FABRIC_REASON])
{
	struct addrinfo *list, *a;
	int fd = -EAFNOSUPPORT, ret;

	ret = resolve(host, port, AI_PASSIVE, &list, reason);
	if (ret)
		return ret;
	/* glibc returns 0.0.0.0 before "::". */
	for (a = list; a && fd < 0 && !host; a = a->ai_next) {
		if (a->ai_family == AF_INET6)
			fd = listen_on(a);
	}
	for (a = list; a && fd < 0; a = a->ai_next)
		fd = listen_on(a);
	freeaddrinfo(list);
	if (fd < 0)
		return fabric_fail(reason, -fd, "Cannot listen at %s port %s: %s.",
				   host ? host : "all addresses,", port, strerror(-fd));
	return fd;
}

int control_connect(struct control *c, const char *host, const char *port,
		    char reason[FABRIC_REASON])
{
	struct addrinfo *list, *a;
	unsigned int i = 0, count = 0;
	int err = 0, ret;

	control_close(c);
	ret = resolve(host, port, 0, &list, reason);
	if (ret)
		return ret;
	for (a = list; a; a = a->ai_next)
		count++;
	if (c->next >= count)
		c->next = 0;
	for (a = list; a && c->fd < 0; a = a->ai_next, i++) {
		if (i < c->next)
			continue;
		c->fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (c->fd < 0) {
			err = errno;
			continue;
		}
		if (connect(c->fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS) {
			err = errno;
			close(c->fd);
			c->fd = -1;
		}
	}
	freeaddrinfo(list);
	c->next = a ? i : 0;
	if (c->fd < 0)
		return fabric_fail(reason, err, "Cannot connect to %s port %s: %s.", host, port,
				   strerror(err));
	set_up(c->fd);
	c->received_at = c->sent_at = fabric_now();
	return 0;
}

int control_connected(struct control *c)
{
	struct pollfd p = {.fd = c->fd, .events = POLLOUT};
	socklen_t size = sizeof(int);
	int err = 0;

	if (poll(&p, 1, 0) < 1)
		return 0;
	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &size))
		err = errno;
	return err ? -err : 1;
}

void control_accepted(struct control *c, int fd)
{
	c->fd = fd;
	c->in_bytes = c->out_bytes = 0;
	c->received_at = c->sent_at = fabric_now();
	set_up(fd);
}

void control_close(struct control *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	c->in_bytes = c->out_bytes = 0;
}

/* Convert an IPv4-mapped IPv6 address to IPv4, as libfabric needs it. */
static void unmap(struct sockaddr_storage *a, socklen_t *size)
{
	const struct sockaddr_in6 *mapped = (const struct sockaddr_in6 *)a;
	struct sockaddr_in plain = {.sin_family = AF_INET};

	if (a->ss_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&mapped->sin6_addr))
		return;
	plain.sin_port = mapped->sin6_port;
	memcpy(&plain.sin_addr, &mapped->sin6_addr.s6_addr[12], sizeof(plain.sin_addr));
	memcpy(a, &plain, sizeof(plain));
	*size = sizeof(plain);
}

bool control_address(const struct control *c, bool other, char text[CONTROL_ADDRESS])
{
	struct sockaddr_storage address = {0};
	socklen_t size = sizeof(address);
	struct sockaddr *a = (struct sockaddr *)&address;

	if (other ? getpeername(c->fd, a, &size) : getsockname(c->fd, a, &size))
		return false;
	unmap(&address, &size);
	return !getnameinfo(a, size, text, CONTROL_ADDRESS, NULL, 0, NI_NUMERICHOST);
}

int control_receive(struct control *c)
{
	ssize_t n;

	if (c->fd < 0)
		return -ENOTCONN;
	if (c->in_bytes == sizeof(c->in))
		return 0;
	n = recv(c->fd, c->in + c->in_bytes, sizeof(c->in) - c->in_bytes, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!n)
		return -ECONNRESET;
	c->in_bytes += (size_t)n;
	c->received_at = fabric_now();
	return 0;
}

void control_drop(struct control *c, size_t bytes)
{
	c->in_bytes -= bytes;
	memmove(c->in, c->in + bytes, c->in_bytes);
}

bool control_queue(struct control *c, const void *data, size_t bytes)
{
	if (c->fd < 0 || bytes > sizeof(c->out) - c->out_bytes)
		return false;
	memcpy(c->out + c->out_bytes, data, bytes);
	c->out_bytes += bytes;
	return true;
}

int control_flush(struct control *c)
{
	ssize_t n;

	if (!c->out_bytes || c->fd < 0)
		return 0;
	n = send(c->fd, c->out, c->out_bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	c->out_bytes -= (size_t)n;
	memmove(c->out, c->out + n, c->out_bytes);
	c->sent_at = fabric_now();
	return 0;
}

void control_sleep(const struct control *c, struct roc_idle *idle)
{
	if (c->fd >= 0)
		roc_idle_fd(idle, c->fd, POLLIN | (c->out_bytes ? POLLOUT : 0));
}
