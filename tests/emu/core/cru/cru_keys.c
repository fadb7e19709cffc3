// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings of the CRU on the command line and the control socket; values.h describes the format of
 * their values.
 */
#include "cru.h"
#include "tests/emu/core/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cru_ep *endpoint(void *card, unsigned int fn)
{
	return &((struct cru *)card)->ep[fn];
}

static int parse_packet(const char *text, uint64_t *value, char *err)
{
	if (value_number(text, value, err, CRU_PAYLOAD_MAX))
		return -1;
	if (*value % 16) {
		snprintf(err, CARD_ERR, "the payload is a number of 16-byte words");
		return -1;
	}
	return 0;
}

static int parse_packets(const char *text, uint64_t *value, char *err)
{
	if (value_number(text, value, err, 1000000))
		return -1;
	if (*value < 2) {
		snprintf(err, CARD_ERR, "a time frame has at least 2 packets");
		return -1;
	}
	return 0;
}

#define ORBIT_OF_CTP UINT64_MAX /* in the settings -1 */

static int parse_orbit(const char *text, uint64_t *value, char *err)
{
	if (strcmp(text, "ctp"))
		return value_count.parse(text, value, err);
	*value = ORBIT_OF_CTP;
	return 0;
}

static void print_orbit(uint64_t value, char *text, size_t size)
{
	if (value == ORBIT_OF_CTP)
		snprintf(text, size, "ctp");
	else
		value_print(value, text, size);
}

static const struct value_kind packet_kind = {parse_packet, value_print};
static const struct value_kind packets_kind = {parse_packets, value_print};
static const struct value_kind orbit_kind = {parse_orbit, print_orbit};

#define CRU_KEY(key, kind, place) VALUE_KEY(key, kind, struct cru, place)
/* A key whose value is a member of struct cru_settings. */
#define SETTING_KEY(key, kind, field) CRU_KEY(key, kind, c->ep[fn].set.field)

SETTING_KEY(rate, value_rate, rate)
SETTING_KEY(packet, packet_kind, packet)
SETTING_KEY(packets_per_tf, packets_kind, packets_per_tf)
SETTING_KEY(orbit, orbit_kind, orbit)
SETTING_KEY(depth_register, value_count, depth_register)
SETTING_KEY(refill, value_time, refill_us)
SETTING_KEY(count_start, value_count, count_start)
SETTING_KEY(recycle, value_on_off, recycle)
SETTING_KEY(stamp, value_on_off, stamp)
CRU_KEY(features, value_hex, c->ep[fn].features)
CRU_KEY(firmware, value_hex, *cru_bar2_word(c, CRU_FW_HASH))
CRU_KEY(user_logic, value_hex, *cru_bar2_word(c, CRU_UL_HASH))

static int set_depth(void *card, unsigned int fn, const char *text, char *err)
{
	uint64_t value;

	if (value_number(text, &value, err, CRU_DEPTH_MAX))
		return -1;
	if (!value) {
		snprintf(err, CARD_ERR, "a descriptor FIFO has at least one place");
		return -1;
	}
	endpoint(card, fn)->set.depth = value;
	endpoint(card, fn)->set.depth_register = value;
	return 0;
}

static void get_depth(void *card, unsigned int fn, char *text, size_t size)
{
	snprintf(text, size, "%u", endpoint(card, fn)->set.depth);
}

static int set_links(void *card, unsigned int fn, const char *text, char *err)
{
	uint32_t *enable = cru_bar2_word(card, CRU_DATAPATH(fn) + CRU_DATAPATH_ENABLE);
	uint64_t value;

	if (value_number(text, &value, err, CRU_DATAPATH_LINKS))
		return -1;
	*enable = (*enable & ~CRU_DATAPATH_LINKS) | value;
	cru_board_update(card);
	return 0;
}

static void get_links(void *card, unsigned int fn, char *text, size_t size)
{
	snprintf(text, size, "0x%x",
		 *cru_bar2_word(card, CRU_DATAPATH(fn) + CRU_DATAPATH_ENABLE) & CRU_DATAPATH_LINKS);
}

static int set_source_mode(void *card, unsigned int fn, const char *text, char *err)
{
	struct cru_ep *ep = endpoint(card, fn);

	if (strcmp(text, "free") && strcmp(text, "ctp")) {
		snprintf(err, CARD_ERR, "the source mode is free or ctp");
		return -1;
	}
	ep->set.ctp = !strcmp(text, "ctp");
	cru_ddg_restart(ep);
	return 0;
}

static void get_source_mode(void *card, unsigned int fn, char *text, size_t size)
{
	snprintf(text, size, "%s", endpoint(card, fn)->set.ctp ? "ctp" : "free");
}

static int set_pci_id(void *card, unsigned int fn, const char *text, char *err)
{
	struct cru *c = card;

	if (!strcasecmp(text, "10dc:0034")) {
		c->vendor = CRU_VENDOR_CERN;
		c->device = CRU_DEVICE;
	} else if (!strcasecmp(text, "1172:e001")) {
		c->vendor = CRU_VENDOR_ALTERA;
		c->device = CRU_DEVICE_ALTERA;
	} else {
		snprintf(err, CARD_ERR, "a CRU is 10dc:0034 or 1172:e001");
		return -1;
	}
	return 0;
}

static void get_pci_id(void *card, unsigned int fn, char *text, size_t size)
{
	struct cru *c = card;

	snprintf(text, size, "%04x:%04x", c->vendor, c->device);
}

static int set_serial(void *card, unsigned int fn, const char *text, char *err)
{
	unsigned int serial;

	if (value_serial_parse(text, &serial, err))
		return -1;
	cru_serial_set(card, serial);
	return 0;
}

static void get_serial(void *card, unsigned int fn, char *text, size_t size)
{
	value_serial_print(((struct cru *)card)->serial, text, size);
}

/* Start-up settings of the event interface. Values that depend on them are computed again. */
#define EVENT_KEY(key)                                                                             \
	static int set_##key(void *card, unsigned int fn, const char *text, char *err)             \
	{                                                                                          \
		struct cru *c = card;                                                              \
		unsigned int e;                                                                    \
		int rc = event_set_##key(&c->events, text, err);                                   \
		for (e = 0; e < CRU_ENDPOINTS; e++)                                                \
			event_reset_all(&c->ep[e].events);                                         \
		return rc;                                                                         \
	}                                                                                          \
	static void get_##key(void *card, unsigned int fn, char *text, size_t size)                \
	{                                                                                          \
		event_get_##key(&((struct cru *)card)->events, text, size);                        \
	}

EVENT_KEY(offered)
EVENT_KEY(interrupts)
EVENT_KEY(vectors)

#define PER_ENDPOINT true, false
#define PER_CARD false, false
#define AT_START false, true

const struct card_key cru_keys[] = {
	{"rate", "bytes/s, 0: no limit", PER_ENDPOINT, set_rate, get_rate},
	{"packet", "payload bytes of a packet", PER_ENDPOINT, set_packet, get_packet},
	{"packets-per-tf", "packets of a link in a time frame", PER_ENDPOINT, set_packets_per_tf,
	 get_packets_per_tf},
	{"orbit", "first orbit, or ctp", PER_ENDPOINT, set_orbit, get_orbit},
	{"fifo-depth", "descriptors a link holds", PER_ENDPOINT, set_depth, get_depth},
	{"depth-register", "what the depth register reads", PER_ENDPOINT, set_depth_register,
	 get_depth_register},
	{"refill-latency-us", "from push to first use", PER_ENDPOINT, set_refill, get_refill},
	{"count-start", "ready counts after a general reset", PER_ENDPOINT, set_count_start,
	 get_count_start},
	{"links-enabled", "link mask in the datapath wrapper", PER_ENDPOINT, set_links, get_links},
	{"source-mode", "free or ctp", PER_ENDPOINT, set_source_mode, get_source_mode},
	{"recycle", "on or off: superpages are reused and never reported", PER_ENDPOINT,
	 set_recycle, get_recycle},
	{"stamp", "on or off: finished superpages begin with the card's time", PER_ENDPOINT,
	 set_stamp, get_stamp},
	{"features", "firmware feature word", PER_ENDPOINT, set_features, get_features},
	{"temperature", "degC or none", PER_CARD, cru_set_temperature, cru_get_temperature},
	{"temperature-slope", "degC per second@degC, or 0", PER_CARD, cru_set_slope, cru_get_slope},
	{"temperature-cut", "degC without power, or none", PER_CARD, cru_set_cut, cru_get_cut},
	{"firmware", "git hash", PER_CARD, set_firmware, get_firmware},
	{"user-logic", "git hash", PER_CARD, set_user_logic, get_user_logic},
	{"link-state", "up, down or bad", PER_ENDPOINT, cru_set_link_state, cru_get_link_state},
	{"optical-power", "light on a link, uW", PER_ENDPOINT, cru_set_optical_power,
	 cru_get_optical_power},
	{"fec-rate", "corrected errors/s of a bad link", PER_ENDPOINT, cru_set_fec_rate,
	 cru_get_fec_rate},
	{"error-rate", "wrong data/s on a bad link", PER_ENDPOINT, cru_set_error_rate,
	 cru_get_error_rate},
	{"glitches", "glitch counter of a link", PER_ENDPOINT, cru_set_glitches, cru_get_glitches},
	{"clock-ctp", "Hz, 0: no clock from the TTC", PER_CARD, cru_set_clock_ctp,
	 cru_get_clock_ctp},
	{"clock-local", "Hz of the local clock", PER_CARD, cru_set_clock_local,
	 cru_get_clock_local},
	{"ttc-run", "on or off: a run in the central trigger", PER_CARD, cru_set_ttc_run,
	 cru_get_ttc_run},
	{"hb-rate", "heartbeats/s of the TTC", PER_CARD, cru_set_hb_rate, cru_get_hb_rate},
	{"phy-rate", "physics triggers/s", PER_CARD, cru_set_phy_rate, cru_get_phy_rate},
	{"cal-rate", "calibration triggers/s", PER_CARD, cru_set_cal_rate, cru_get_cal_rate},
	{"tof-rate", "TOF triggers/s", PER_CARD, cru_set_tof_rate, cru_get_tof_rate},
	{"onu", "up, down or a status byte", PER_CARD, cru_set_onu, cru_get_onu},
	{"onu-glitches", "ONU glitch counter", PER_CARD, cru_set_onu_glitches,
	 cru_get_onu_glitches},
	{"onu-fec-rate", "single errors/s on the PON", PER_CARD, cru_set_onu_fec_rate,
	 cru_get_onu_fec_rate},
	{"pon-power", "light on the PON, uW", PER_CARD, cru_set_pon_power, cru_get_pon_power},
	{"pon-error-rate", "TTC link errors/s", PER_CARD, cru_set_pon_error_rate,
	 cru_get_pon_error_rate},
	{"serial", "0 to 9999", AT_START, set_serial, get_serial},
	{"events", "on or off: the event interface", AT_START, set_offered, get_offered},
	{"interrupts", "with events: msix, msix-open, msi or none", AT_START, set_interrupts,
	 get_interrupts},
	{"vectors", "with events: 0 to 32", AT_START, set_vectors, get_vectors},
	{"pci-id", "10dc:0034 or 1172:e001", AT_START, set_pci_id, get_pci_id},
	{},
};

void cru_serial_set(struct cru *c, unsigned int serial)
{
	char text[8];

	c->serial = value_serial_word(serial);
	*cru_bar2_word(c, CRU_SERIAL) = c->serial;
	value_serial_print(c->serial, text, sizeof(text));
	cru_i2c_serial(c, text);
}

void cru_keys_default(struct cru *c)
{
	unsigned int e;

	c->vendor = CRU_VENDOR_CERN;
	c->device = CRU_DEVICE;
	cru_serial_set(c, 245);
	c->thermal.cut = THERMAL_NEVER;
	c->events = (struct event_setup){
		.vectors = 8,
		.bar = CRU_BAR_DMA,
		.channel_offset = 0x1000,
		.card_offset = 0x1080,
		.table_offset = 0x2000,
		.pending_offset = 0x3000,
	};
	for (e = 0; e < CRU_ENDPOINTS; e++) {
		struct cru_settings *s = &c->ep[e].set;

		s->packet = CRU_PAYLOAD_MAX;
		s->packets_per_tf = 1000;
		s->orbit = -1;
		s->depth = CRU_FIFO_DEPTH_DEFAULT;
		s->depth_register = CRU_FIFO_DEPTH_DEFAULT;
		c->ep[e].features = 0x40000000;
		*cru_bar2_word(c, CRU_DATAPATH(e) + CRU_DATAPATH_ENABLE) = 0xf;
	}
}
