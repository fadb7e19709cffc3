// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read counters and values of cards and channels from sysfs and hwmon, which needs no access
 * rights.
 */
#include <roc/telemetry.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmod/cards/cru/cru_regs.h"
#include "libroc.h"

/* Names of the sysfs files, by enum roc_counter */
static const char *const counter_files[ROC_COUNTERS] = {
	[ROC_COUNT_SUPERPAGES] = "superpages",
	[ROC_COUNT_BYTES] = "bytes",
	[ROC_COUNT_PUSHED] = "pushed",
	[ROC_COUNT_RECLAIMED] = "reclaimed",
	[ROC_COUNT_REFUSED] = "refused",
	[ROC_COUNT_RETRIES] = "retries",
	[ROC_COUNT_FIFO_EMPTY] = "fifo_empty",
	[ROC_COUNT_BAD_INDEX] = "bad_index",
	[ROC_COUNT_POLLS] = "looks",
	[ROC_COUNT_TURNS] = "turns",
	[ROC_COUNT_MMIO_READS] = "mmio_reads",
	[ROC_COUNT_MMIO_WRITES] = "mmio_writes",
	[ROC_COUNT_INTERRUPTS] = "interrupts",
	[ROC_COUNT_MISSED_INTERRUPTS] = "missed_interrupts",
	[ROC_COUNT_SPURIOUS_INTERRUPTS] = "spurious_interrupts",
	[ROC_COUNT_PACKETS] = "units",
	[ROC_COUNT_OFFERED] = "offered",
	[ROC_COUNT_EVENTS] = "events",
	[ROC_COUNT_DISCARDED] = "discarded",
	[ROC_COUNT_THROTTLES] = "throttles",
	[ROC_COUNT_THROTTLED] = "throttled",
	[ROC_COUNT_TRUNCATIONS] = "truncations",
	[ROC_COUNT_TRUNCATED] = "truncated",
	[ROC_COUNT_TRUNCATED_BYTES] = "truncated_bytes",
	[ROC_COUNT_ARMS] = "arms",
	[ROC_COUNT_DOORBELLS] = "doorbells",
	[ROC_COUNT_WAKES] = "wakes",
	[ROC_COUNT_TRANSFERS] = "transfers",
	[ROC_COUNT_RELEASES] = "releases",
	[ROC_COUNT_FREED] = "freed",
	[ROC_COUNT_DATA_INTERRUPTS] = "data_interrupts",
	[ROC_COUNT_DONE_INTERRUPTS] = "done_interrupts",
};

/* Check for a failure of this process or machine, which does not concern the card. */
static bool is_local_error(int ret)
{
	return ret == -EMFILE || ret == -ENFILE || ret == -ENOMEM;
}

/* Keep the first serious error in *@err. Any other error only makes this one value unknown. */
static void keep_reason(int ret, int *err)
{
	if (!*err && (ret == -ENODEV || ret == -EIO || is_local_error(ret)))
		*err = ret;
}

/* Read an attribute; the text is empty if unknown. */
static void read_text(int dir, const char *name, char *text, size_t size, int *err)
{
	keep_reason(libroc_sysfs_read(dir, name, text, size), err);
}

/* Read a signed number; return false if unknown. */
static bool read_signed(int dir, const char *name, int64_t *value, int *err)
{
	char text[32], *end;

	read_text(dir, name, text, sizeof(text), err);
	errno = 0;
	*value = strtoll(text, &end, 10);
	return !errno && end != text && !*end;
}

/* Read a non-negative number; return -1 if unknown. */
static int64_t read_number(int dir, const char *name, int *err)
{
	int64_t value;

	return read_signed(dir, name, &value, err) && value >= 0 ? value : -1;
}

static void read_gaps(int dir, int64_t *gaps, int *err)
{
	char text[32 * ROC_GAPS], *p = text, *end;
	unsigned int i;

	for (i = 0; i < ROC_GAPS; i++)
		gaps[i] = -1;
	read_text(dir, "gaps", text, sizeof(text), err);
	for (i = 0; i < ROC_GAPS; i++, p = end) {
		gaps[i] = strtoll(p, &end, 10);
		if (end == p) {
			gaps[0] = -1;
			return;
		}
	}
}

/*
 * Open a directory and check that it belongs to the card: its file @address has the card's address.
 */
static int open_dir(const struct roc_card *card, const char *path, const char *address)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = libroc_sysfs_is(fd, address, card);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static int fail_removed(const struct roc_card *card)
{
	return roc_fail(ENODEV, "%s: the card was removed: list the cards with roc-list-cards",
			card->pci_address);
}

static int fail_read(const struct roc_card *card, int ret)
{
	if (ret == -ENODEV || ret == -ENOENT)
		return fail_removed(card);
	return roc_fail(-ret, "%s: cannot read the card's attributes: %s", card->pci_address,
			strerror(-ret));
}

/* Read the endpoint's temperature in degC; NaN if it has no sensor. */
static double hwmon_temperature(int minor, int *err)
{
	char path[sizeof(LIBROC_CLASS_PATH) + 64];
	struct dirent *entry;
	bool known = false;
	int64_t value;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), LIBROC_CLASS_PATH "/roc%d/device/hwmon", minor);
	dir = opendir(path);
	if (!dir)
		keep_reason(-errno, err);
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "hwmon", 5))
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0) {
			keep_reason(-errno, err);
			continue;
		}
		known = read_signed(fd, "temp1_input", &value, err);
		close(fd);
		break;
	}
	if (dir)
		closedir(dir);
	return known ? (double)value / 1000 : NAN;
}

/*
 * sysfs has 1/1000 degC, but the resolution of a CRU's sensor is coarser: round to the nearest
 * step.
 */
static double cru_step(double celsius)
{
	const double step = CRU_TEMPERATURE_RANGE / 1024.0;

	if (isnan(celsius))
		return celsius;
	return (int)((celsius + CRU_TEMPERATURE_ZERO) / step + 0.5) * step - CRU_TEMPERATURE_ZERO;
}

/*
 * A card has one sensor, at endpoint 0. Return the number of that endpoint; -ENOENT if it is
 * missing or cannot be identified.
 */
static int sensor_minor(const struct roc_card *card)
{
	struct roc_card *cards;
	int found = -ENOENT;
	size_t count, i;
	int ret;

	if (!card->endpoint)
		return card->minor;
	if (card->serial < 0)
		return -ENOENT;
	ret = roc_enumerate(&cards, &count);
	if (ret)
		return ret;
	for (i = 0; i < count; i++) {
		if (cards[i].type != card->type || cards[i].serial != card->serial ||
		    cards[i].endpoint)
			continue;
		if (found >= 0) { /* two cards with the same serial number */
			found = -ENOENT;
			break;
		}
		found = cards[i].minor;
	}
	free(cards);
	return found;
}

int roc_card_telemetry_read(const struct roc_card *card, struct roc_card_telemetry *telemetry)
{
	struct roc_card_telemetry now = {.temperature = NAN};
	char path[sizeof(LIBROC_CLASS_PATH) + 32];
	int saved = errno;
	int dir, sensor, err = 0;

	snprintf(path, sizeof(path), LIBROC_CLASS_PATH "/roc%d", card->minor);
	dir = open_dir(card, path, "pci_address");
	if (dir < 0) {
		errno = saved;
		return fail_read(card, dir);
	}
	now.dropped_packets = read_number(dir, "dropped_packets", &err);
	now.packets_per_second = read_number(dir, "packets_per_second", &err);
	now.ctp_hz = read_number(dir, "ctp_clock_hz", &err);
	now.local_hz = read_number(dir, "local_clock_hz", &err);
	close(dir);
	sensor = sensor_minor(card);
	if (sensor >= 0)
		now.temperature = hwmon_temperature(sensor, &err);
	if (card->type == ROC_CARD_CRU)
		now.temperature = cru_step(now.temperature);
	errno = saved;
	if (sensor < 0 && sensor != -ENOENT)
		return sensor;
	if (is_local_error(err))
		return fail_read(card, err);
	*telemetry = now;
	if (err == -ENODEV)
		return fail_removed(card);
	if (err == -EIO)
		return roc_fail(
			EIO,
			"%s: the card answers all ones, because it is off the bus or its firmware is being loaded: wait for the load to finish, or power-cycle the server",
			card->pci_address);
	return 0;
}

static int fail_channel(const struct roc_card *card, unsigned int channel, int ret)
{
	if (channel < (unsigned int)card->channels || (ret != -ENOENT && ret != -ENODEV))
		return fail_read(card, ret);
	return roc_fail(ENOENT, "%s has no channel %u: it has %d, from 0", card->pci_address,
			channel, card->channels);
}

/* Open the directory of a channel. Return -errno with the error text set on failure. */
static int open_channel(const struct roc_card *card, unsigned int channel)
{
	char path[sizeof(LIBROC_CLASS_PATH) + 48];
	int dir;

	snprintf(path, sizeof(path), LIBROC_CLASS_PATH "/roc%dch%u", card->minor, channel);
	dir = open_dir(card, path, "../pci_address");
	if (dir >= 0)
		return dir;
	return fail_channel(card, channel, dir);
}

int roc_channel_stream(const struct roc_card *card, unsigned int channel, char *name)
{
	int saved = errno;
	int dir = open_channel(card, channel);
	char text[ROC_TEXT_MAX];
	int ret;

	if (dir < 0) {
		errno = saved;
		return dir;
	}
	ret = libroc_sysfs_read(dir, "stream", text, sizeof(text));
	close(dir);
	errno = saved;
	/* The attribute is missing for a pool, and in drivers older than streams. */
	if (ret && ret != -ENOENT)
		return fail_read(card, ret);
	strcpy(name, text);
	return 0;
}

int roc_channel_losses_read(const struct roc_card *card, unsigned int channel,
			    struct roc_channel_losses *losses)
{
	struct roc_channel_losses now = {.damaged = 0};
	int saved = errno;
	int dir = open_channel(card, channel), err = 0;

	if (dir >= 0) {
		now.damaged = read_number(dir, "damaged", &err);
		now.short_ = read_number(dir, "short", &err);
		now.lost = read_number(dir, "lost", &err);
		close(dir);
	}
	errno = saved;
	if (dir < 0)
		return dir;
	if (is_local_error(err))
		return fail_read(card, err);
	*losses = now;
	return 0;
}

int roc_channel_telemetry_read(const struct roc_card *card, unsigned int channel,
			       struct roc_channel_telemetry *telemetry)
{
	struct roc_channel_telemetry now = {.owner_pid = 0};
	int saved = errno;
	int64_t errors;
	int dir, ret, err = 0;
	unsigned int i;
	char text[32];

	dir = open_channel(card, channel);
	if (dir < 0) {
		errno = saved;
		return dir;
	}
	ret = libroc_sysfs_read(dir, "state", now.state, sizeof(now.state));
	if (ret) {
		close(dir);
		errno = saved;
		return fail_channel(card, channel, ret);
	}
	read_text(dir, "mode", now.mode, sizeof(now.mode), &err);
	read_text(dir, "owner_name", now.owner_name, sizeof(now.owner_name), &err);
	libroc_program_name(now.owner_name);
	read_text(dir, "owner_pid", text, sizeof(text), &err);
	now.owner_pid = atoi(text);
	for (i = 0; i < ROC_COUNTERS; i++)
		now.counter[i] = read_number(dir, counter_files[i], &err);
	errors = read_number(dir, "error_interrupts", &err);
	if (errors > 0)
		now.error_interrupts = errors < UINT32_MAX ? (uint32_t)errors : UINT32_MAX;
	read_gaps(dir, now.gaps, &err);
	close(dir);
	errno = saved;
	if (is_local_error(err))
		return fail_read(card, err);
	*telemetry = now;
	return 0;
}
