// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names and addresses of hosts with only one address family: glibc's getaddrinfo() in a network
 * namespace with addresses of that family, and with a hosts file of the test.
 */
#include "unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libroc/fabric/control.h"

/* Add @address to the loopback interface, and use @hosts as the only names. */
static bool set_up_host(const char *address, const char *hosts)
{
	char path[] = "/tmp/roc-names-XXXXXX", command[128];
	int fd = mkstemp(path);
	bool done;

	UNIT_NEED(fd >= 0);
	UNIT_EQ(write(fd, hosts, strlen(hosts)), strlen(hosts));
	close(fd);
	snprintf(command, sizeof(command), "ip link set lo up && ip addr add %s dev lo", address);
	done = !unshare(CLONE_NEWNS | CLONE_NEWNET) &&
	       !mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) &&
	       !mount(path, "/etc/hosts", "none", MS_BIND, NULL) && !system(command);
	unlink(path);
	if (!done)
		unit_skip("needs root for a mount and a network namespace");
	return done;
}

/* Check the first address of @host. */
static void check_resolution(const char *host, const char *wanted)
{
	char address[CONTROL_ADDRESS] = "", reason[FABRIC_REASON] = "";
	struct lookup *lookup = NULL;
	int ret = 0;

	CU_ASSERT_TRUE(
		UNIT_WAIT((ret = lookup_address(&lookup, host, 0, address, reason)) != 0, 10000));
	UNIT_EQ(ret, 1);
	UNIT_STR(reason, "");
	UNIT_STR(address, wanted);
	lookup_drop(&lookup);
}

static void no_ipv6(void)
{
	if (!set_up_host("10.1.2.3/32", "::1 six.test\n"))
		return;
	check_resolution("six.test", "::1");
	UNIT_EQ(umount2("/etc/hosts", MNT_DETACH), 0);
}

static void no_ipv4(void)
{
	if (!set_up_host("fd00::5/128", "127.0.0.1 four.test\n"))
		return;
	check_resolution("four.test", "127.0.0.1");
	UNIT_EQ(umount2("/etc/hosts", MNT_DETACH), 0);
}

/* Connect to @host, port @port, and check both addresses as listener @fd accepts them. */
static void check_accept(int fd, const char *host, const char *port)
{
	char reason[FABRIC_REASON] = "", text[CONTROL_ADDRESS] = "";
	struct control from = {.fd = -1}, to = {.fd = -1};
	int peer = -1;

	UNIT_EQ(control_connect(&from, host, port, reason), 0);
	UNIT_STR(reason, "");
	CU_ASSERT_TRUE(UNIT_WAIT((peer = accept(fd, NULL, NULL)) >= 0, 10000));
	control_accepted(&to, peer);
	CU_ASSERT_TRUE(control_address(&to, true, text));
	UNIT_STR(text, host);
	CU_ASSERT_TRUE(control_address(&to, false, text));
	UNIT_STR(text, host);
	control_close(&from);
	control_close(&to);
}

static void both_families(void)
{
	struct sockaddr_storage a;
	socklen_t size = sizeof(a);
	char port[16], reason[FABRIC_REASON] = "";
	int fd = control_listen(NULL, "0", reason);

	UNIT_STR(reason, "");
	UNIT_NEED(fd >= 0);
	UNIT_EQ(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	/* The port is at the same offset in both families. */
	snprintf(port, sizeof(port), "%u", ntohs(((struct sockaddr_in *)&a)->sin_port));
	check_accept(fd, "127.0.0.1", port);
	if (access("/proc/net/if_inet6", R_OK))
		unit_skip("this host has no IPv6");
	else
		check_accept(fd, "::1", port);
	close(fd);
}

UNIT_MAIN("names and addresses", {"all addresses of both families", both_families},
	  {"::1 without an IPv6 address", no_ipv6}, {"127.0.0.1 without an IPv4 address", no_ipv4})
