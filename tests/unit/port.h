/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A port for who listens on the loopback. Included after unit.h.
 */
#ifndef ROC_UNIT_PORT_H
#define ROC_UNIT_PORT_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/*
 * A port that is free now. It is below those that the kernel gives to whoever asks for any, and
 * nobody else who asks here takes it till this process ends: the number is held as one of UDP, of
 * which nobody here makes use. Each process begins to look at another place.
 */
#define PORTS_FIRST 10240
#define PORTS 22000 /* the kernel's begin at 32768 */
#define PORTS_EACH 16

__attribute__((unused)) static unsigned int free_port(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	static unsigned int next;
	unsigned int port = 0, i;
	int fd, hold, err = -1;

	for (i = 0; err && i < PORTS; i++) {
		port = PORTS_FIRST + ((unsigned int)getpid() * PORTS_EACH + next++) % PORTS;
		a.sin_port = htons((uint16_t)port);
		hold = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		err = bind(hold, (struct sockaddr *)&a, sizeof(a));
		if (!err) {
			fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
			err = bind(fd, (struct sockaddr *)&a, sizeof(a));
			close(fd);
		}
		if (err)
			close(hold); /* else it stays open: that holds the number */
	}
	UNIT_NEED(!err);
	return port;
}

#endif
