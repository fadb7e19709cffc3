/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Choose a free port for a server on the loopback interface. Included after unit.h. */
#ifndef ROC_UNIT_PORT_H
#define ROC_UNIT_PORT_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/*
 * Return a free port below the range of ephemeral ports. Other callers of this function do not get
 * the port until this process ends, because it keeps a UDP socket on the same number, which no test
 * uses otherwise. Each process starts the search at another number.
 */
#define PORTS_FIRST 10240
#define PORTS 22000 /* ephemeral ports begin at 32768 */
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
			close(hold); /* otherwise the socket stays open and reserves the number */
	}
	UNIT_NEED(!err);
	return port;
}

#endif
