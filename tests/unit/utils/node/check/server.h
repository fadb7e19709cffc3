/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a server: two sockets with six memory channels each, a CRU with two endpoints on
 * each socket, and no faults. A test changes it by a text with changes, separated by ';':
 *
 *
 *	PATH=TEXT		the file has this text
 *	-PATH			remove the file, folder or link
 *	0PATH			make the file unreadable
 *	>PATH=TARGET		a symbolic link
 *	@config=ADDRESS PAYLOAD REQUEST ASPM
 *				configuration space; PAYLOAD 0: its first 64 bytes only
 *	@dmi=N N ...		memory modules on each socket
 *	@module=N GIB SPEED SET	the tables of @dmi that follow have such a module in slot N
 *	@slots=MAKER		the same, with other names of slots (enum server_maker)
 *	@secure=0 or 1		the variable of Secure Boot
 *	@no-members=		no members in group roc
 *
 * Included after unit.h.
 */
#ifndef ROC_UNIT_NODE_SERVER_H
#define ROC_UNIT_NODE_SERVER_H

#include <fcntl.h>
#include <ftw.h>
#include <linux/pci_regs.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <roc/roc.h>

#include "server_dmi.h"

static char server_root[64]; /* of the present test */
static void server_folders(const char *path)
{
	char part[512];
	size_t i;

	for (i = 1; path[i]; i++) {
		if (path[i] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)i, path);
		mkdir(part, 0755);
	}
}

static void server_bytes(const char *path, const void *bytes, size_t length)
{
	char whole[512];
	int fd;

	snprintf(whole, sizeof(whole), "%s/%s", server_root, path);
	server_folders(whole);
	fd = open(whole, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		unit_note("%s: %m", whole);
	UNIT_NEED(fd >= 0);
	UNIT_EQ(write(fd, bytes, length), length);
	close(fd);
}

__attribute__((format(printf, 2, 3))) static void server_file(const char *text, const char *fmt,
							      ...)
{
	char path[384], line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line), "%s\n", text);
	server_bytes(path, line, strlen(line));
}

static void server_link(const char *target, const char *path)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "%s/%s", server_root, path);
	server_folders(whole);
	UNIT_EQ(symlink(target, whole), 0);
}

/* Write the configuration space of a function with the PCI Express capability. */
static void server_config(const char *path, unsigned int payload, unsigned int request,
			  unsigned int aspm)
{
	enum {
		CAP = 0x50
	};
	uint8_t config[256] = {0xdc, 0x10, [PCI_STATUS] = PCI_STATUS_CAP_LIST};
	unsigned int code = 0, read = 0;

	while (128u << code < payload)
		code++;
	while (128u << read < request)
		read++;
	config[PCI_CAPABILITY_LIST] = CAP;
	config[CAP] = PCI_CAP_ID_EXP;
	config[CAP + PCI_EXP_FLAGS] = 2;
	config[CAP + PCI_EXP_DEVCAP] = 2;
	config[CAP + PCI_EXP_DEVCTL] = (uint8_t)(code << 5);
	config[CAP + PCI_EXP_DEVCTL + 1] = (uint8_t)(read << 4);
	config[CAP + PCI_EXP_LNKCTL] = (uint8_t)aspm;
	server_bytes(path, config, payload ? sizeof(config) : 64);
}

static void server_dmi(const unsigned int *filled, unsigned int sockets)
{
	uint8_t table[8192];
	size_t length = server_dmi_table(table, filled, sockets);

	server_bytes("sys/firmware/dmi/tables/DMI", table, length);
}

static const struct server_endpoint {
	const char *name, *port, *address;
	int serial, endpoint, node;
} server_endpoints[] = {
	{"roc0", "0000:3a:00.0", "0000:3b:00.0", 245, 0, 0},
	{"roc1", "0000:3a:01.0", "0000:3c:00.0", 245, 1, 0},
	{"roc2", "0000:ae:00.0", "0000:af:00.0", 246, 0, 1},
	{"roc3", "0000:ae:01.0", "0000:b0:00.0", 246, 1, 1},
};

static void server_errors(const char *folder)
{
	server_file("RxErr 0\nBadTLP 0\nTOTAL_ERR_COR 0", "%s/aer_dev_correctable", folder);
	server_file("Undefined 0\nTOTAL_ERR_FATAL 0", "%s/aer_dev_fatal", folder);
	server_file("Undefined 0\nTOTAL_ERR_NONFATAL 0", "%s/aer_dev_nonfatal", folder);
}

static void server_node_file(const char *name)
{
	char path[128];

	server_file("", "dev/%s", name);
	snprintf(path, sizeof(path), "%s/dev/%s", server_root, name);
	UNIT_EQ(chmod(path, 0660), 0);
}

static void server_endpoint(const struct server_endpoint *e, int irq)
{
	char folder[160], path[256], text[192];
	const char *root = e->node ? "sys/devices/pci0000:ae" : "sys/devices/pci0000:3a";

	snprintf(folder, sizeof(folder), "%s/%s", root, e->port);
	server_errors(folder);
	snprintf(path, sizeof(path), "%s/config", folder);
	server_config(path, 256, 512, 0);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", e->port);
	snprintf(text, sizeof(text), "../../../../%s", folder);
	server_link(text, path);

	snprintf(folder, sizeof(folder), "%s/%s/%s", root, e->port, e->address);
	server_errors(folder);
	snprintf(path, sizeof(path), "%s/config", folder);
	server_config(path, 256, 512, 0);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", e->address);
	snprintf(text, sizeof(text), "../../../../%s", folder);
	server_link(text, path);
	snprintf(path, sizeof(path), "%s/driver", folder);
	server_link("../../../../../bus/pci/drivers/roc", path);
	server_file("0x10dc", "%s/vendor", folder);
	server_file("0x0034", "%s/device", folder);
	server_file("8.0 GT/s PCIe", "%s/current_link_speed", folder);
	server_file("8.0 GT/s PCIe", "%s/max_link_speed", folder);
	server_file("8", "%s/current_link_width", folder);
	server_file("8", "%s/max_link_width", folder);
	server_file("DMA-FQ", "%s/iommu_group/type", folder);
	server_file("msix", "%s/msi_irqs/%d", folder, irq);
	server_file(e->node ? "20-39" : "0-19", "proc/irq/%d/smp_affinity_list", irq);
	server_file(e->node ? "21" : "3", "proc/irq/%d/effective_affinity_list", irq);
	if (!e->endpoint)
		server_file("45500", "%s/hwmon/hwmon%d/temp1_input", folder, 3 + e->node);

	snprintf(folder, sizeof(folder), "sys/class/roc/%s", e->name);
	server_file("cru", "%s/card_type", folder);
	snprintf(text, sizeof(text), "%d", e->serial);
	server_file(text, "%s/serial", folder);
	server_file(e->endpoint ? "1" : "0", "%s/endpoint", folder);
	server_file(e->node ? "1" : "0", "%s/numa_node", folder);
	server_file("f6b5d742", "%s/firmware", folder);
	server_file(e->address, "%s/pci_address", folder);
	server_file("1", "%s/channels", folder);
	snprintf(path, sizeof(path), "%sch0", e->name);
	server_file("stopped", "sys/class/roc/%s/state", path);
	server_node_file(path);
	server_node_file(e->name);
}

static void server_group(const char *members)
{
	char text[64];

	snprintf(text, sizeof(text), "root:x:0:\nroc:x:%u:%s", (unsigned int)getegid(), members);
	server_file(text, "etc/group");
}

static void server_new(void)
{
	static const unsigned int full[] = {6, 6};
	unsigned int i;

	/* A server has two hundred files: put them into memory if possible. */
	snprintf(server_root, sizeof(server_root), "%s/roc-server-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	UNIT_NEED(mkdtemp(server_root));
	UNIT_EQ(chmod(server_root, 0755), 0);
	for (i = 0; i < 4; i++)
		server_endpoint(&server_endpoints[i], 130 + (int)i);
	for (i = 0; i < 2; i++) {
		server_file(i ? "20-39" : "0-19", "sys/devices/system/node/node%u/cpulist", i);
		server_file(i ? "1" : "0",
			    "sys/devices/system/cpu/cpu%u/topology/physical_package_id", 20 * i);
		server_file("performance", "sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor",
			    20 * i);
		server_file(
			"4",
			"sys/devices/system/node/node%u/hugepages/hugepages-1048576kB/nr_hugepages",
			i);
		server_file(
			"4",
			"sys/devices/system/node/node%u/hugepages/hugepages-1048576kB/free_hugepages",
			i);
	}
	server_dmi(full, 2);
	server_file(roc_version(), "sys/module/roc/version");
	server_file("O", "sys/module/roc/taint");
	server_file("N", "sys/module/module/parameters/sig_enforce");
	server_file("[default] performance powersave powersupersave",
		    "sys/module/pcie_aspm/parameters/policy");
	server_file("[none] integrity confidentiality", "sys/kernel/security/lockdown");
	server_file(
		"Disabled",
		"sys/class/firmware-attributes/maker/attributes/HardwarePrefetcher/current_value");
	server_file("Limit                     Soft Limit           Hard Limit           Units\n"
		    "Max locked memory         unlimited            unlimited            bytes",
		    "proc/self/limits");
	server_file("Name:\troc\nCapEff:\t0000000000000000", "proc/self/status");
	server_group("anna,berta");
}

static int server_remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	return remove(path);
}

static void server_remove(const char *path)
{
	if (nftw(path, server_remove_one, 16, FTW_DEPTH | FTW_PHYS))
		unit_note("%s: %m", path);
}

static void server_end(void)
{
	server_odd.gib = 0;
	server_maker = MAKER_LETTERS;
	server_remove(server_root);
}

static void server_special(const char *change)
{
	unsigned int payload, request, aspm, maker, filled[4], sockets = 0;
	uint8_t secure[5] = {6};
	char address[16], path[128];
	int used;

	if (sscanf(change, "@config=%15s %u %u %u", address, &payload, &request, &aspm) == 4) {
		snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/config", address);
		server_config(path, payload, request, aspm);
	} else if (sscanf(change, "@slots=%u", &maker) == 1) {
		server_maker = maker;
	} else if (!strncmp(change, "@module=", 8)) {
		UNIT_NEED(sscanf(change, "@module=%u %u %u %u", &server_odd.slot, &server_odd.gib,
				 &server_odd.speed, &server_odd.configured) == 4);
	} else if (!strcmp(change, "@no-members=")) {
		server_group("");
	} else if (!strncmp(change, "@dmi=", 5)) {
		change += 5;
		while (sockets < 4 && sscanf(change, "%u%n", &filled[sockets], &used) == 1) {
			sockets++;
			change += used;
		}
		server_dmi(filled, sockets);
	} else {
		UNIT_NEED(sscanf(change, "@secure=%hhu", &secure[4]) == 1);
		server_bytes(
			"sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
			secure, sizeof(secure));
	}
}

static void server_change_one(char *change)
{
	char whole[512], *equal = strchr(change, '=');

	snprintf(whole, sizeof(whole), "%s/%s", server_root, change + 1);
	switch (*change) {
	case '@':
		server_special(change);
		break;
	case '-':
		server_remove(whole);
		break;
	case '0':
		UNIT_EQ(chmod(whole, 0), 0);
		break;
	case '>':
		*equal = '\0';
		server_link(equal + 1, change + 1);
		break;
	default:
		UNIT_NEED(equal);
		*equal = '\0';
		server_file(equal + 1, "%s", change);
	}
}

static void server_change(const char *changes)
{
	char text[1024], *rest = NULL, *change;

	snprintf(text, sizeof(text), "%s", changes);
	for (change = strtok_r(text, ";", &rest); change; change = strtok_r(NULL, ";", &rest))
		server_change_one(change);
}

#endif
