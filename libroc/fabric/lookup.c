// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Resolve a host name in a thread of its own. A name server can block the lookup for any time and
 * it cannot be interrupted, so the thread may outlive its caller.
 */
#include "control.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct lookup {
	atomic_int users; /* the thread and the caller */
	atomic_bool over;
	unsigned int which;
	int result; /* of getaddrinfo() or getnameinfo(); valid if @over */
	char host[256];
	char address[CONTROL_ADDRESS];
};

static void put(struct lookup *l)
{
	if (atomic_fetch_sub(&l->users, 1) == 1)
		free(l);
}

/* Return 0 or an error of getaddrinfo() and getnameinfo(). @which: index of the address, modulo. */
static int resolve(const char *host, int flags, unsigned int which, char address[CONTROL_ADDRESS])
{
	struct addrinfo hints = {
		.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags};
	struct addrinfo *list, *a;
	int ret = getaddrinfo(host, NULL, &hints, &list);

	if (ret)
		return ret;
	for (a = list; which; which--)
		a = a->ai_next ? a->ai_next : list;
	ret = getnameinfo(a->ai_addr, a->ai_addrlen, address, CONTROL_ADDRESS, NULL, 0,
			  NI_NUMERICHOST);
	freeaddrinfo(list);
	return ret;
}

static void *resolve_thread(void *arg)
{
	struct lookup *l = arg;

	/*
	 * No AI_ADDRCONFIG: it ignores loopback addresses when it checks which families the host
	 * has, so glibc turns a name for ::1 into 127.0.0.1, and does not resolve one for
	 * 127.0.0.1 where only IPv6 is configured.
	 */
	l->result = resolve(l->host, 0, l->which, l->address);
	atomic_store(&l->over, true);
	put(l);
	return NULL;
}

static int begin(struct lookup *l)
{
	sigset_t all, before;
	pthread_t thread;
	int ret;

	/* Signals are delivered to threads of the caller only. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&thread, NULL, resolve_thread, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!ret)
		pthread_detach(thread);
	return ret;
}

static int start(struct lookup **lookup, const char *host, unsigned int which,
		 char reason[FABRIC_REASON])
{
	struct lookup *l = calloc(1, sizeof(*l));
	int ret = ENOMEM;

	if (l && strlen(host) < sizeof(l->host)) {
		strcpy(l->host, host);
		l->which = which;
		atomic_init(&l->users, 2);
		ret = begin(l);
	}
	if (!ret) {
		*lookup = l;
		return 0;
	}
	free(l);
	return fabric_fail(reason, ret, "Cannot start the lookup of host \"%.100s\": %s.", host,
			   strerror(ret));
}

int lookup_address(struct lookup **lookup, const char *host, unsigned int which,
		   char address[CONTROL_ADDRESS], char reason[FABRIC_REASON])
{
	struct lookup *l = *lookup;
	int result;

	if (!l && !resolve(host, AI_NUMERICHOST, 0, address))
		return 1;
	if (!l)
		return start(lookup, host, which, reason);
	if (!atomic_load(&l->over))
		return 0;
	result = l->result;
	memcpy(address, l->address, CONTROL_ADDRESS);
	lookup_drop(lookup);
	if (!result)
		return 1;
	address[0] = '\0';
	return fabric_fail(reason, EHOSTUNREACH, "Cannot resolve host \"%s\": %s.", host,
			   gai_strerror(result));
}

void lookup_drop(struct lookup **lookup)
{
	if (*lookup)
		put(*lookup);
	*lookup = NULL;
}
