/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A port for who listens on the loopback. Included after unit.h.
 */
#ifndef ROC_UNIT_EVB_PORT_H
#define ROC_UNIT_EVB_PORT_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* A port that is free now. */
__attribute__((unused)) static unsigned int free_port(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	UNIT_NEED(!bind(fd, (struct sockaddr *)&a, sizeof(a)));
	UNIT_NEED(!getsockname(fd, (struct sockaddr *)&a, &size));
	close(fd);
	return ntohs(a.sin_port);
}

#endif
