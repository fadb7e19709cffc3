// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings of the C-RORC on the command line and the control socket. Most have a value per link,
 * that is, per channel; values.h describes the format.
 */
#include "crorc.h"
#include "tests/emu/core/values.h"

#include <stdio.h>
#include <string.h>

static int parse_packet(const char *text, uint64_t *value, char *err)
{
	if (value_number(text, value, err, CRORC_PAYLOAD_MAX))
		return -1;
	if (*value % 4) {
		snprintf(err, CARD_ERR, "the payload is a number of 4-byte words");
		return -1;
	}
	return 0;
}

static int parse_packets(const char *text, uint64_t *value, char *err)
{
	if (value_number(text, value, err, 0xffff))
		return -1;
	if (!*value) {
		snprintf(err, CARD_ERR, "an orbit has at least one packet");
		return -1;
	}
	return 0;
}

static int parse_counter(const char *text, uint64_t *value, char *err)
{
	return value_number(text, value, err, 0xff);
}

static int parse_state(const char *text, uint64_t *value, char *err)
{
	*value = !strcmp(text, "down");
	if (!*value && strcmp(text, "up")) {
		snprintf(err, CARD_ERR, "a link is up or down, not '%.40s'", text);
		return -1;
	}
	return 0;
}

static void print_state(uint64_t value, char *text, size_t size)
{
	snprintf(text, size, "%s", value ? "down" : "up");
}

static const struct value_kind packet_kind = {parse_packet, value_print};
static const struct value_kind packets_kind = {parse_packets, value_print};
static const struct value_kind counter_kind = {parse_counter, value_print};
static const struct value_kind state_kind = {parse_state, print_state};

/* A key with a value per channel, kept in @field of its settings. */
#define CHANNEL_KEY(field, kind)                                                                   \
	static int set_##field(void *card, unsigned int fn, const char *text, char *err)           \
	{                                                                                          \
		struct crorc *c = card;                                                            \
		uint64_t value[CRORC_CHANNELS];                                                    \
		unsigned int i;                                                                    \
		for (i = 0; i < CRORC_CHANNELS; i++)                                               \
			value[i] = c->ch[i].set.field;                                             \
		if (value_list_parse(&kind, text, value, CRORC_CHANNELS, err))                     \
			return -1;                                                                 \
		for (i = 0; i < CRORC_CHANNELS; i++)                                               \
			c->ch[i].set.field = value[i];                                             \
		return 0;                                                                          \
	}                                                                                          \
	static void get_##field(void *card, unsigned int fn, char *text, size_t size)              \
	{                                                                                          \
		struct crorc *c = card;                                                            \
		uint64_t value[CRORC_CHANNELS];                                                    \
		unsigned int i;                                                                    \
		for (i = 0; i < CRORC_CHANNELS; i++)                                               \
			value[i] = c->ch[i].set.field;                                             \
		value_list_print(&kind, value, CRORC_CHANNELS, text, size);                        \
	}

CHANNEL_KEY(rate, value_rate)
CHANNEL_KEY(packet, packet_kind)
CHANNEL_KEY(packets_per_orbit, packets_kind)
CHANNEL_KEY(orbit, value_count)
CHANNEL_KEY(link_down, state_kind)
CHANNEL_KEY(power, value_power)
CHANNEL_KEY(ddl_latency_us, value_time)
CHANNEL_KEY(count_start, counter_kind)

#define CRORC_KEY(key, kind, place) VALUE_KEY(key, kind, struct crorc, place)

CRORC_KEY(laser, value_on_off, c->laser)
CRORC_KEY(recycle, value_on_off, c->recycle)
CRORC_KEY(full_line, value_on_off, c->full_line)
CRORC_KEY(stamp, value_on_off, c->stamp)
CRORC_KEY(erase, value_time, c->flash.erase_us)
CRORC_KEY(program, value_time, c->flash.program_us)
CRORC_KEY(firmware, value_hex, c->firmware)

static void serial_set(struct crorc *c, unsigned int serial)
{
	char label[CRORC_LABEL];

	c->serial = value_serial_word(serial);
	crorc_label(label, "CRORC1", "1.0", -1, serial);
	crorc_flash_label(&c->flash, label, sizeof(label));
}

static int set_serial(void *card, unsigned int fn, const char *text, char *err)
{
	unsigned int serial;

	if (value_serial_parse(text, &serial, err))
		return -1;
	serial_set(card, serial);
	return 0;
}

static void get_serial(void *card, unsigned int fn, char *text, size_t size)
{
	value_serial_print(((struct crorc *)card)->serial, text, size);
}

/* Start-up settings of the event interface. Values that depend on them are computed again. */
#define EVENT_KEY(key)                                                                             \
	static int set_##key(void *card, unsigned int fn, const char *text, char *err)             \
	{                                                                                          \
		struct crorc *c = card;                                                            \
		int rc = event_set_##key(&c->event_setup, text, err);                              \
		event_reset_all(&c->events);                                                       \
		return rc;                                                                         \
	}                                                                                          \
	static void get_##key(void *card, unsigned int fn, char *text, size_t size)                \
	{                                                                                          \
		event_get_##key(&((struct crorc *)card)->event_setup, text, size);                 \
	}

EVENT_KEY(offered)
EVENT_KEY(interrupts)
EVENT_KEY(vectors)

#define PER_CARD false, false
#define AT_START false, true

const struct card_key crorc_keys[] = {
	{"rate", "bytes/s per channel, 0: no limit", PER_CARD, set_rate, get_rate},
	{"full-line", "on or off: a source does not catch up after XOFF", PER_CARD, set_full_line,
	 get_full_line},
	{"packet", "payload bytes of a packet", PER_CARD, set_packet, get_packet},
	{"packets-per-orbit", "packets of a channel in an orbit", PER_CARD, set_packets_per_orbit,
	 get_packets_per_orbit},
	{"orbit", "first orbit of a stream", PER_CARD, set_orbit, get_orbit},
	{"link-state", "up or down", PER_CARD, set_link_down, get_link_down},
	{"optical-power", "light on a link, uW", PER_CARD, set_power, get_power},
	{"ddl-latency-us", "from command to reply", PER_CARD, set_ddl_latency_us,
	 get_ddl_latency_us},
	{"count-start", "count of the first completion after a reset", PER_CARD, set_count_start,
	 get_count_start},
	{"laser", "on or off", PER_CARD, set_laser, get_laser},
	{"recycle", "on or off: superpages are reused and never reported", PER_CARD, set_recycle,
	 get_recycle},
	{"stamp", "on or off: finished superpages begin with the card's time", PER_CARD, set_stamp,
	 get_stamp},
	{"flash-erase-us", "time to erase a block", PER_CARD, set_erase, get_erase},
	{"flash-program-us", "time to program a word or a buffer", PER_CARD, set_program,
	 get_program},
	{"firmware", "git hash", PER_CARD, set_firmware, get_firmware},
	{"serial", "0 to 9999", AT_START, set_serial, get_serial},
	{"events", "on or off: the event interface", AT_START, set_offered, get_offered},
	{"interrupts", "with events: msix, msix-open, msi or none", AT_START, set_interrupts,
	 get_interrupts},
	{"vectors", "with events: 0 to 32", AT_START, set_vectors, get_vectors},
	{},
};

void crorc_keys_default(struct crorc *c)
{
	unsigned int i;

	c->firmware = CRORC_FW_DEFAULT;
	c->config_b = CRORC_CONFIG_B_DETECT | CRORC_CONFIG_B_LENGTH_MAX;
	c->flash.erase_us = 1000;
	c->flash.program_us = 10;
	serial_set(c, 1001);
	crorc_events_setup(&c->event_setup);
	for (i = 0; i < CRORC_CHANNELS; i++) {
		struct crorc_settings *s = &c->ch[i].set;

		s->packet = CRORC_PAYLOAD_MAX;
		s->packets_per_orbit = 4;
		s->power = 4000;
	}
}
