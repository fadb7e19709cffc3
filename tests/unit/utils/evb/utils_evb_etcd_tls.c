// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test etcd:https://... with a real etcd and certificates of the test: a wrong certificate is
 * refused with a message, on both sides.
 */
#include "unit.h"

#include <sys/stat.h>

#include "tests/unit/utils/evb/evb_nodes.h"
#include "tests/unit/utils/evb/etcd_run.h"

#define OPENSSL "/usr/bin/openssl"

/* Two authorities. The first one signs the certificates of the etcd at 127.0.0.1 and of a node. */
static const char make_them[] =
	"cd %s && new='req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes' && for ca in ca other; do " OPENSSL
	" $new -x509 -days 2 -subj /CN=$ca -keyout $ca.key -out $ca.pem || exit 1; done && echo subjectAltName=IP:127.0.0.1 > names && for name in etcd node; do " OPENSSL
	" $new -subj /CN=$name -keyout $name.key -out $name.csr && " OPENSSL
	" x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out $name.pem || exit 1; done";

static bool has_certificates(void)
{
	char command[1024], redirected[1100];
	struct stat st;

	if (access(OPENSSL, X_OK)) {
		unit_skip("there is no " OPENSSL);
		return false;
	}
	etcd_make_dir();
	snprintf(command, sizeof(command), "%s/node.pem", etcd_dir);
	if (!stat(command, &st))
		return true;
	snprintf(command, sizeof(command), make_them, etcd_dir);
	snprintf(redirected, sizeof(redirected), "(%s) > %s/openssl 2>&1", command, etcd_dir);
	UNIT_EQ(system(redirected), 0);
	return true;
}

static bool started(const char *more)
{
	if (!has_certificates())
		return false;
	snprintf(etcd_tls, sizeof(etcd_tls), "--cert-file %s/etcd.pem --key-file %s/etcd.key %s%s",
		 etcd_dir, etcd_dir, more, more[0] ? etcd_dir : "");
	if (more[0])
		strcat(etcd_tls, "/ca.pem");
	return etcd_started(true);
}

/* The argument of --coordinator with these files. */
static const char *with(const char *ca, const char *client)
{
	static char text[512];
	int at = snprintf(text, sizeof(text), "%s", etcd_text);

	if (ca)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "?ca=%s/%s.pem", etcd_dir, ca);
	if (client)
		snprintf(text + at, sizeof(text) - (size_t)at, "&cert=%s/%s.pem&key=%s/%s.key",
			 etcd_dir, client, etcd_dir, client);
	return text;
}

static void works(const char *text)
{
	UNIT_EQ(node_open(&nodes[0], "m1", text), 0);
	UNIT_EQ(node_open(&nodes[1], "rb1", text), 0);
	/* On a busy machine a slow etcd may have been reported as lost meanwhile. */
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("rb1 | rb1") && !nodes[0].lost, 20000));
	close_all();
}

static void is_refused(const char *text, const char *expected)
{
	UNIT_EQ(node_open(&nodes[0], "m1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].lost, 20000));
	if (!strstr(nodes[0].lost_text, expected)) {
		unit_note("not \"%s\" but \"%s\"", expected, nodes[0].lost_text);
		CU_FAIL("another sentence");
	}
	UNIT_EQ(nodes[0].tables, 0);
	close_all();
}

static void known(void)
{
	if (!started(""))
		return;
	works(with("ca", NULL));
	etcd_end(SIGKILL);
}

static void strangers(void)
{
	char text[256];

	if (!started(""))
		return;
	is_refused(with("other", NULL), "certificate");
	/* No authority of this machine has signed the certificate. */
	is_refused(with(NULL, NULL), "certificate");
	/* A valid certificate, but for another name. */
	snprintf(text, sizeof(text), "etcd:https://localhost:%u?ca=%s/ca.pem", etcd_port, etcd_dir);
	is_refused(text, "subject name");
	snprintf(text, sizeof(text), "etcd:http://127.0.0.1:%u", etcd_port);
	is_refused(text, "cannot be reached");
	etcd_end(SIGKILL);
}

/*
 * An etcd that requires a client certificate. It may close the connection before it sends the
 * reason.
 */
static void both_ways(void)
{
	if (!started("--client-cert-auth --trusted-ca-file "))
		return;
	is_refused(with("ca", NULL), "cannot be reached");
	is_refused(with("ca", "other"), "cannot be reached");
	works(with("ca", "node"));
	etcd_end(SIGKILL);
}

static void files(void)
{
	static const char *const names[] = {"ca", "cert", "key"};
	char text[256];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "etcd:https://127.0.0.1:1?%s=/no/such", names[i]);
		UNIT_EQ(node_open(&nodes[0], "m1", text), -ENOENT);
		snprintf(text, sizeof(text), "etcd: %s=/no/such: No such file", names[i]);
		if (!strstr(reason, text))
			unit_note("not \"%s\" but \"%s\"", text, reason);
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, text));
	}
}

UNIT_MAIN("event building: etcd with TLS", {"valid certificate", known},
	  {"wrong certificates", strangers}, {"client certificate", both_ways}, {"files", files})
