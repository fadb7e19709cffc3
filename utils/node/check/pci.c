// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read the configuration space with the sysfs back end of libpci, below the root directory of the
 * tree. libpci exits on errors, so it is used only for single existing functions, with paths that
 * fit, and never to scan a bus.
 */
#include "machine.h"

#include <pci/pci.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG_HEADER 64 /* bytes that users other than root may read */
#define PCI_CFG_SPACE_SIZE 256

static void discard_message(char *msg, ...)
{
}

static int read_function(struct pci_access *access, unsigned int domain, unsigned int bus,
			 unsigned int device, unsigned int function, struct node_pci *pci)
{
	struct pci_dev *dev =
		pci_get_dev(access, (int)domain, (int)bus, (int)device, (int)function);
	struct pci_cap *cap;
	int err = -ENOENT;

	/* A function that left the bus reads as all ones. */
	if (pci_read_word(dev, PCI_VENDOR_ID) == 0xffff)
		goto out;
	cap = pci_find_cap(dev, PCI_CAP_ID_EXP, PCI_CAP_NORMAL);
	if (!cap || cap->addr + PCI_EXP_LNKCTL + 2 > PCI_CFG_SPACE_SIZE)
		goto out;
	pci->device_cap = pci_read_long(dev, (int)cap->addr + PCI_EXP_DEVCAP);
	pci->device_control = pci_read_word(dev, (int)cap->addr + PCI_EXP_DEVCTL);
	pci->link_control = pci_read_word(dev, (int)cap->addr + PCI_EXP_LNKCTL);
	err = 0;
out:
	pci_free_dev(dev);
	return err;
}

int node_pci_read(const struct tree *t, const char *address, struct node_pci *pci)
{
	unsigned int domain, bus, device, function;
	char path[TREE_ROOT_MAX + 64];
	uint8_t header[CONFIG_HEADER + 1];
	struct pci_access *access;
	ssize_t length;
	int err;

	if (sscanf(address, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
		return -EINVAL;
	length = tree_bytes(t, header, sizeof(header), "sys/bus/pci/devices/%s/config", address);
	if (length < 0 && length != -EFBIG)
		return (int)length;
	if (length >= 0 && length <= CONFIG_HEADER)
		return -EACCES;
	err = tree_path(t, path, sizeof(path), "sys/bus/pci");
	if (err)
		return err;
	access = pci_alloc();
	access->method = PCI_ACCESS_SYS_BUS_PCI;
	access->warning = discard_message;
	access->debug = discard_message;
	pci_set_param(access, "sysfs.path", path);
	pci_init(access);
	err = read_function(access, domain, bus, device, function, pci);
	pci_cleanup(access);
	return err;
}

int node_pci_port(const struct tree *t, const char *address, char *port, size_t size)
{
	unsigned int domain, bus, device, function;
	char path[TREE_ROOT_MAX + 64], real[PATH_MAX];
	int err, end = 0;
	char *slash;

	err = tree_path(t, path, sizeof(path), "sys/bus/pci/devices/%s", address);
	if (err)
		return err;
	if (!realpath(path, real))
		return -errno;
	slash = strrchr(real, '/');
	if (slash)
		*slash = '\0';
	slash = strrchr(real, '/');
	if (!slash || strlen(slash + 1) >= size ||
	    sscanf(slash + 1, "%x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) != 4 ||
	    slash[1 + end])
		return -ENOENT;
	strcpy(port, slash + 1);
	return 0;
}

static unsigned int bytes(unsigned int code)
{
	return 128u << code;
}

unsigned int node_pci_payload(const struct node_pci *pci)
{
	return bytes((pci->device_control & PCI_EXP_DEVCTL_PAYLOAD) >> 5);
}

unsigned int node_pci_payload_max(const struct node_pci *pci)
{
	return bytes(pci->device_cap & PCI_EXP_DEVCAP_PAYLOAD);
}

unsigned int node_pci_read_request(const struct node_pci *pci)
{
	return bytes((pci->device_control & PCI_EXP_DEVCTL_READRQ) >> 12);
}

unsigned int node_pci_request_code(long size)
{
	unsigned int code = 0;

	while (code < 5 && bytes(code) < size)
		code++;
	return code;
}

int node_pci_speed(const struct tree *t, const char *address, const char *file, long *speed)
{
	char text[64], *end;
	double value;
	int err = tree_text(t, text, sizeof(text), "sys/bus/pci/devices/%s/%s", address, file);

	if (err)
		return err;
	if (!strncmp(text, "Unknown", 7))
		return -ENODATA;
	value = strtod(text, &end);
	if (end == text || strncmp(end, " GT/s", 5) || value <= 0 || value > 1000)
		return -EINVAL;
	*speed = (long)(value * 100 + 0.5);
	return 0;
}

int node_pci_width(const struct tree *t, const char *address, const char *file, long *width)
{
	long long value;
	int err = tree_number(t, &value, "sys/bus/pci/devices/%s/%s", address, file);

	if (!err && (value == 0 || value == 255))
		err = -ENODATA;
	else if (!err && (value < 1 || value > 32))
		err = -EINVAL;
	*width = err ? 0 : (long)value;
	return err;
}
