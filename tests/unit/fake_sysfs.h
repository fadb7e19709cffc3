/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fake sysfs: a tmpfs over /sys in a private mount namespace, with cards as the driver shows them.
 * Included after unit.h.
 */
#ifndef ROC_UNIT_FAKE_SYSFS_H
#define ROC_UNIT_FAKE_SYSFS_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define PCI "/sys/devices/pci0000:00/"

__attribute__((unused)) static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t length = strlen(text);
	bool ok = fd >= 0 && write(fd, text, length) == length;

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Create all directories of a path. */
__attribute__((unused)) static void make_folders(const char *path)
{
	char part[256];
	size_t i;

	for (i = 1; i <= strlen(path); i++) {
		if (path[i] != '/' && path[i])
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)i, path);
		mkdir(part, 0755);
	}
}

/* Enter private namespaces with an empty /sys, as root, or as a user if permitted. */
__attribute__((unused)) static bool own_sysfs(void)
{
	static int state; /* 1: done, -1: not possible */
	char users[32], groups[32];
	uid_t uid = getuid();

	if (state)
		return state > 0;
	state = -1;
	if (uid) {
		snprintf(users, sizeof(users), "0 %u 1", uid);
		snprintf(groups, sizeof(groups), "0 %u 1", getgid());
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS) ||
		    !write_file("/proc/self/setgroups", "deny") ||
		    !write_file("/proc/self/uid_map", users) ||
		    !write_file("/proc/self/gid_map", groups))
			return false;
	} else if (unshare(CLONE_NEWNS)) {
		return false;
	}
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("roc-test", "/sys", "tmpfs", 0, NULL))
		return false;
	/* Newer versions of libudev require that /sys is a sysfs. */
	setenv("SYSTEMD_DEVICE_VERIFY_SYSFS", "0", 1);
	state = 1;
	return true;
}

/* Empty the fake sysfs. Return false and skip the test if namespaces are not permitted. */
__attribute__((unused)) static bool fresh_sysfs(void)
{
	if (!own_sysfs()) {
		unit_skip("a mount namespace of our own is not permitted here");
		return false;
	}
	UNIT_EQ(umount2("/sys", MNT_DETACH), 0);
	UNIT_EQ(mount("roc-test", "/sys", "tmpfs", 0, NULL), 0);
	make_folders("/sys/class/roc");
	make_folders("/sys/bus/pci/devices");
	return true;
}

__attribute__((unused)) static void attribute(const char *device, const char *name,
					      const char *value)
{
	char path[256], line[128];

	snprintf(path, sizeof(path), "%s/%s", device, name);
	snprintf(line, sizeof(line), "%s\n", value);
	UNIT_NEED(write_file(path, line));
}

/* Create the common files of a device of class roc. */
__attribute__((unused)) static void class_device(const char *device, const char *name,
						 const char *type, int minor)
{
	char path[256], text[320];

	make_folders(device);
	snprintf(text, sizeof(text), "MAJOR=240\nMINOR=%d\nDEVNAME=%s\nDEVTYPE=%s", minor, name,
		 type);
	attribute(device, "uevent", text);
	snprintf(text, sizeof(text), "240:%d", minor);
	attribute(device, "dev", text);
	snprintf(path, sizeof(path), "%s/subsystem", device);
	UNIT_NEED(!symlink("/sys/class/roc", path));
	snprintf(path, sizeof(path), "/sys/class/roc/%s", name);
	UNIT_NEED(!symlink(device, path));
	make_folders("/sys/dev/char");
	snprintf(path, sizeof(path), "/sys/dev/char/240:%d", minor);
	UNIT_NEED(!symlink(device, path));
}

__attribute__((unused)) static void endpoint(int minor, const char *address, const char *serial,
					     const char *number)
{
	char pci[64], device[160], name[32], path[256];

	snprintf(pci, sizeof(pci), PCI "%s", address);
	make_folders(pci);
	attribute(pci, "uevent", "DRIVER=roc");
	snprintf(path, sizeof(path), "%s/subsystem", pci);
	UNIT_NEED(!symlink("/sys/bus/pci", path));

	snprintf(name, sizeof(name), "roc%d", minor);
	snprintf(device, sizeof(device), "%s/roc/%s", pci, name);
	class_device(device, name, "endpoint", 2 * minor);
	attribute(device, "card_type", "cru");
	attribute(device, "serial", serial);
	attribute(device, "endpoint", number);
	attribute(device, "firmware", "d1c9f4b");
	attribute(device, "user_logic", "");
	attribute(device, "pci_address", address);
	attribute(device, "numa_node", "1");
	attribute(device, "channels", "1");
	snprintf(path, sizeof(path), "%s/device", device);
	UNIT_NEED(!symlink(pci, path));

	snprintf(device, sizeof(device), "%s/roc/%s/%sch0", pci, name, name);
	snprintf(name, sizeof(name), "roc%dch0", minor);
	class_device(device, name, "channel", 2 * minor + 1);
	attribute(device, "owner_pid", "0");
	attribute(device, "owner_name", "");
}

/* Write a file of an endpoint ("roc0") or a channel ("roc0ch0"). */
__attribute__((unused)) static void show(const char *name, const char *file, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/class/roc/%s", name);
	attribute(path, file, value);
}

/* Write the temperature of the card of an endpoint. */
__attribute__((unused)) static void sensor(const char *address, const char *millidegrees)
{
	char path[128];

	snprintf(path, sizeof(path), PCI "%s/hwmon/hwmon3", address);
	make_folders(path);
	attribute(path, "temp1_input", millidegrees);
}

#endif /* ROC_UNIT_FAKE_SYSFS_H */
