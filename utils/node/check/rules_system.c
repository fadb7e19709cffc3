// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules for settings of the machine's firmware and of the kernel.
 */
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whether a firmware setting means off. */
static bool is_off(const char *value)
{
	return !strncasecmp(value, "disable", 7) || !strcasecmp(value, "off") ||
	       !strcmp(value, "0");
}

/* Some manufacturers provide their firmware settings in the class firmware-attributes. */
static size_t check_setup(struct check *c, const char *vendor)
{
	static const char expected[] = "off";
	struct tree_names names;
	char value[64];
	size_t i, count = 0;
	int err;

	tree_list(&c->tree, &names, "sys/class/firmware-attributes/%s/attributes", vendor);
	for (i = 0; i < names.count; i++) {
		if (!strcasestr(names.name[i], "prefetch"))
			continue;
		count++;
		err = tree_text(&c->tree, value, sizeof(value),
				"sys/class/firmware-attributes/%s/attributes/%s/current_value",
				vendor, names.name[i]);
		if (err)
			add_unread(c, NULL, expected, err, "%s", names.name[i]);
		else
			add_finding(
				c, is_off(value) ? VERDICT_PASS : VERDICT_WARN, NULL, expected,
				is_off(value)
					? NULL
					: "switch it off in the setup of the machine's firmware",
				"%s: %s", names.name[i], value);
	}
	free(names.name);
	return count;
}

void rule_prefetchers(struct check *c)
{
	struct tree_names vendors;
	size_t i, count = 0;

	tree_list(&c->tree, &vendors, "sys/class/firmware-attributes");
	for (i = 0; i < vendors.count; i++)
		count += check_setup(c, vendors.name[i]);
	free(vendors.name);
	if (!count)
		add_finding(
			c, VERDICT_UNKNOWN, NULL, "all four off",
			"check the setup of the machine's firmware; on Intel sudo rdmsr -a 0x1a4 (msr-tools) prints f if all are off",
			"neither sysfs nor /proc reports them");
}

static bool allowed(const struct limits_texts *texts, const char *text)
{
	size_t i;

	for (i = 0; i < texts->count; i++)
		if (!strcmp(texts->text[i], text))
			return true;
	return false;
}

static void list(const struct limits_texts *texts, char *out, size_t size)
{
	size_t i, used = 0;

	out[0] = '\0';
	for (i = 0; i < texts->count && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
					 texts->text[i]);
}

void rule_iommu(struct check *c)
{
	char expected[256], type[32];
	size_t i;
	int err;

	list(&c->limits.iommu, expected, sizeof(expected));
	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];

		err = tree_text(&c->tree, type, sizeof(type),
				"sys/bus/pci/devices/%s/iommu_group/type", card->address);
		if (err == -ENOENT)
			strcpy(type, "none");
		if (err && err != -ENOENT)
			add_unread(c, card->subject, expected, err, "the card's IOMMU group");
		else if (!strcmp(type, "blocked"))
			add_finding(
				c, VERDICT_FAIL, card->subject, expected,
				"release the card from the program or guest that has its IOMMU group, and bind driver roc",
				"blocked");
		else if (!allowed(&c->limits.iommu, type))
			add_finding(
				c, VERDICT_WARN, card->subject, expected,
				"switch the IOMMU on in the setup of the machine's firmware, and boot with intel_iommu=on (iommu=pt to pass cards through); or allow \"none\" in iommu of the limits",
				"%s", type);
		else
			add_finding(c, VERDICT_PASS, card->subject, expected, NULL, "%s", type);
	}
}

void rule_governor(struct check *c)
{
	char expected[256], governor[32], other[32] = "";
	struct tree_names names;
	size_t i, count = 0, wrong = 0;
	int err = tree_list(&c->tree, &names, "sys/devices/system/cpu");

	list(&c->limits.governors, expected, sizeof(expected));
	for (i = 0; !err && i < names.count; i++) {
		if (strncmp(names.name[i], "cpu", 3) ||
		    !tree_exists(&c->tree, "sys/devices/system/cpu/%s/cpufreq/scaling_governor",
				 names.name[i]))
			continue;
		err = tree_text(&c->tree, governor, sizeof(governor),
				"sys/devices/system/cpu/%s/cpufreq/scaling_governor",
				names.name[i]);
		count++;
		if (!err && !allowed(&c->limits.governors, governor)) {
			wrong++;
			strcpy(other, governor);
		}
	}
	free(names.name);
	if (err || !count)
		add_unread(c, NULL, expected, err ? err : -ENOENT,
			   "the governor of the processors (cpufreq)");
	else if (wrong)
		add_finding(c, VERDICT_WARN, NULL, expected,
			    "cpupower frequency-set -g performance, in a unit that runs at boot",
			    "%s on %zu of %zu processors", other, wrong, count);
	else
		add_finding(c, VERDICT_PASS, NULL, expected, NULL, "on all %zu processors", count);
}

/* Read the state of Secure Boot: 1 on, 0 off or no EFI, or -errno. */
static int secure_boot(const struct check *c)
{
	uint8_t variable[8];
	ssize_t length;

	if (!tree_exists(&c->tree, "sys/firmware/efi"))
		return 0;
	/* The variable is four bytes of attributes and one byte of value. */
	length = tree_bytes(
		&c->tree, variable, sizeof(variable),
		"sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
	if (length == -ENOENT)
		return 0;
	if (length < 0)
		return (int)length;
	return length == 5 && variable[4] <= 1 ? variable[4] : -EINVAL;
}

/* Name of the mechanism that requires signed modules, or NULL. */
static const char *signature_enforcer(const struct check *c, int boot)
{
	char text[64];

	if (boot)
		return "Secure Boot";
	if (!tree_text(&c->tree, text, sizeof(text), "sys/module/module/parameters/sig_enforce") &&
	    *text == 'Y')
		return "module.sig_enforce";
	if (!tree_text(&c->tree, text, sizeof(text), "sys/kernel/security/lockdown") &&
	    strchr(text, '[') && !strstr(text, "[none]"))
		return "lockdown";
	return NULL;
}

void rule_secure_boot(struct check *c)
{
	static const char expected[] = "a signed module, or a kernel that accepts unsigned modules";
	static const char cure[] =
		"sudo mokutil --import /var/lib/dkms/mok.pub, reboot, and enrol the key; then sudo modprobe roc";
	bool loaded = tree_exists(&c->tree, "sys/module/roc");
	int boot = secure_boot(c);
	const char *enforcer;
	char taint[32];
	int err;

	if (boot < 0) {
		add_unread(c, NULL, expected, boot, "whether Secure Boot is on");
		return;
	}
	enforcer = signature_enforcer(c, boot);
	err = loaded ? tree_text(&c->tree, taint, sizeof(taint), "sys/module/roc/taint") : 0;
	if (err)
		add_unread(c, NULL, expected, err, "/sys/module/roc/taint");
	else if (enforcer && !loaded)
		add_finding(c, VERDICT_WARN, NULL, expected, cure,
			    "%s is on, and roc is not loaded", enforcer);
	else if (enforcer && strchr(taint, 'E'))
		add_finding(c, VERDICT_FAIL, NULL, expected, cure,
			    "%s is on, and roc, which was loaded before, is not signed", enforcer);
	else if (enforcer)
		add_finding(c, VERDICT_PASS, NULL, expected, NULL, "%s is on, roc is signed",
			    enforcer);
	else
		add_finding(c, VERDICT_PASS, NULL, expected, NULL,
			    "the kernel accepts unsigned modules");
}
