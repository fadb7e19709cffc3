/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-board: the registers of a CRU beyond DMA: configuration, status, metrics, test and trigger
 * blocks, each as a typed structure.
 *
 * Conventions are those of <roc/roc.h>: functions return 0 or a negative errno, and roc_error()
 * describes the failure. Every function with an endpoint also fails with -EOPNOTSUPP if the card is
 * not a CRU, and with the errors of roc_reg_read() and roc_reg_write(). Functions documented to
 * take the card lock also fail with the errors of roc_card_lock().
 *
 * The two endpoints of a card share one register space. Links have the numbers 0 to 11 inside an
 * endpoint.
 */
#ifndef ROC_CRU_H
#define ROC_CRU_H

#include <roc/config.h>
#include <roc/roc.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_CRU_LINKS 12
#define ROC_CRU_ALL_LINKS ((1u << ROC_CRU_LINKS) - 1)
#define ROC_CRU_SLOTS 16
#define ROC_CRU_UL_SLOT 15

/**
 * enum roc_cru_clock - Source of the card's 240 MHz clock
 * @ROC_CRU_CLOCK_TTC: the experiment's clock, through the PON
 * @ROC_CRU_CLOCK_LOCAL: the oscillator on the card
 */
enum roc_cru_clock {
	ROC_CRU_CLOCK_TTC = 0,
	ROC_CRU_CLOCK_LOCAL = 2,
};

/**
 * enum roc_cru_datapath_mode - Method of finding packets in the datapath
 * @ROC_CRU_STREAMING: the datapath cuts the stream into packets
 * @ROC_CRU_PACKET: the front end sends packets
 */
enum roc_cru_datapath_mode {
	ROC_CRU_STREAMING = 0,
	ROC_CRU_PACKET = 1,
};

/**
 * enum roc_cru_gbt_mode - Encoding on a GBT link
 * @ROC_CRU_GBT: 80 bits of payload, with error correction
 * @ROC_CRU_WB: wide bus: 112 bits of payload, without error correction
 */
enum roc_cru_gbt_mode {
	ROC_CRU_GBT = 0,
	ROC_CRU_WB = 1,
};

/**
 * enum roc_cru_mux - Downstream data source of a link
 * @ROC_CRU_MUX_TTC: trigger and timing, as selected by &roc_cru_config.downstream_data
 * @ROC_CRU_MUX_DDG: the data generator
 * @ROC_CRU_MUX_SWT: single-word transactions
 * @ROC_CRU_MUX_TTCUP: the upstream of the TTC
 * @ROC_CRU_MUX_UL: user logic
 *
 * The register field has 4 bits: roc_cru_config_read() and the status may return other numbers.
 */
enum roc_cru_mux {
	ROC_CRU_MUX_TTC = 0,
	ROC_CRU_MUX_DDG = 1,
	ROC_CRU_MUX_SWT = 2,
	ROC_CRU_MUX_TTCUP = 3,
	ROC_CRU_MUX_UL = 4,
};

/**
 * enum roc_cru_downstream - Source of ROC_CRU_MUX_TTC
 * @ROC_CRU_DOWNSTREAM_CTP: data of the trigger processor
 * @ROC_CRU_DOWNSTREAM_PATTERN: the pattern player
 * @ROC_CRU_DOWNSTREAM_MIDTRG: the muon identifier's trigger
 */
enum roc_cru_downstream {
	ROC_CRU_DOWNSTREAM_CTP = 0,
	ROC_CRU_DOWNSTREAM_PATTERN = 1,
	ROC_CRU_DOWNSTREAM_MIDTRG = 2,
};

/* Names of enumerators in configuration files and tools. */

/**
 * roc_cru_clock_name() - Return the name "TTC" or "LOCAL"
 * @value: enumerator
 *
 * Return: text, never freed; "N/A" for an unknown number.
 */
const char *roc_cru_clock_name(enum roc_cru_clock value);

/**
 * roc_cru_datapath_mode_name() - Return the name "STREAMING" or "PACKET"
 * @value: enumerator
 *
 * Return: text, never freed; "N/A" for an unknown number.
 */
const char *roc_cru_datapath_mode_name(enum roc_cru_datapath_mode value);

/**
 * roc_cru_gbt_mode_name() - Return the name "GBT" or "WB"
 * @value: enumerator
 *
 * Return: text, never freed; "N/A" for an unknown number.
 */
const char *roc_cru_gbt_mode_name(enum roc_cru_gbt_mode value);

/**
 * roc_cru_mux_name() - Return the name "TTC", "DDG", "SWT", "TTCUP" or "UL"
 * @value: enumerator
 *
 * Return: text, never freed; "N/A" for an unknown number.
 */
const char *roc_cru_mux_name(enum roc_cru_mux value);

/**
 * roc_cru_downstream_name() - Return the name "CTP", "PATTERN" or "MIDTRG"
 * @value: enumerator
 *
 * Return: text, never freed; "N/A" for an unknown number.
 */
const char *roc_cru_downstream_name(enum roc_cru_downstream value);

/*
 * Configuration. See Documentation/configuration.md for each parameter and the file formats.
 */

/**
 * struct roc_cru_link_config - Parameters of one link
 * @enabled: the link takes part in data taking
 * @mux: downstream data source
 * @fee_id: 16 bits, for headers
 */
struct roc_cru_link_config {
	bool enabled;
	enum roc_cru_mux mux;
	uint32_t fee_id;
};

/**
 * struct roc_cru_config - All parameters of one endpoint
 * @allow_rejection: heartbeat frames may be rejected
 * @clock: clock source of the card
 * @cru_id: 12 bits, for headers
 * @datapath_mode: mode of all links
 * @loopback: the links' transmitters feed their own receivers
 * @gbt_mode: encoding of the receivers; transmitters are always in GBT mode
 * @downstream_data: source of the TTC multiplexer input
 * @pon_upstream: the ONU must be up and have @onu_address
 * @onu_address: 8 bits
 * @dynamic_offset: packets are packed, instead of one in each 8 KiB
 * @trigger_window_size: GBT words, 0 to 65535
 * @gbt_enabled: false switches all links off, independently of @links
 * @user_logic: user logic's slot takes part
 * @run_stats: the run statistics' slot takes part
 * @user_and_common_logic: links take part in addition to user logic; needs @user_logic
 * @system_id: 8 bits, for headers
 * @time_frame_length: orbits, 0 to 4095
 * @drop_bad_rdh: drop packets whose header is corrupt
 * @links: parameters of each link
 */
struct roc_cru_config {
	bool allow_rejection;
	enum roc_cru_clock clock;
	uint32_t cru_id;
	enum roc_cru_datapath_mode datapath_mode;
	bool loopback;
	enum roc_cru_gbt_mode gbt_mode;
	enum roc_cru_downstream downstream_data;
	bool pon_upstream;
	uint32_t onu_address;
	bool dynamic_offset;
	uint32_t trigger_window_size;
	bool gbt_enabled;
	bool user_logic;
	bool run_stats;
	bool user_and_common_logic;
	uint32_t system_id;
	uint32_t time_frame_length;
	bool drop_bad_rdh;
	struct roc_cru_link_config links[ROC_CRU_LINKS];
};

/**
 * roc_cru_config_default() - Return the default configuration of roc-config
 * @config: filled in: local clock, packet mode, GBT, TTC, link 0 enabled, window 1000, 256 orbits
 */
void roc_cru_config_default(struct roc_cru_config *config);

/**
 * roc_cru_config_set() - Set one parameter by its name in a configuration file
 * @config: changed on success
 * @section: "cru", "links" (all links) or "linkN"; case-sensitive
 * @key: "cruId", "enabled", ...; case-sensitive
 * @value: value as in a file
 *
 * Return: 0 on success; -ENOENT if there is no such section or key; -EINVAL if the key does not
 * have this value; -ERANGE if the value is out of range.
 */
int roc_cru_config_set(struct roc_cru_config *config, const char *section, const char *key,
		       const char *value);

/**
 * roc_cru_config_check() - Check ranges and combinations of a configuration, without a card
 * @config: configuration to check
 *
 * Return: 0 on success; -ERANGE if a number does not fit its register; -EINVAL if a combination is
 * invalid. roc_error() names the parameter as in files.
 */
int roc_cru_config_check(const struct roc_cru_config *config);

/**
 * roc_cru_config_read() - Read the configuration of a card
 * @ep: handle
 * @config: filled in
 *
 * The card holds some parameters for each link that files have for all links: loopback, gbt_mode,
 * datapath_mode, system_id. Their values are those of the lowest enabled link, or of link 0 if none
 * is enabled. The card does not store pon_upstream: its value is the state of the ONU (up, 1). The
 * function takes the card lock, because it reads the clock selection over I2C.
 *
 * Return: 0 or a negative errno.
 */
int roc_cru_config_read(struct roc_endpoint *ep, struct roc_cru_config *config);

/**
 * roc_cru_config_diff() - Compare two configurations
 * @target: requested configuration
 * @have: present configuration
 * @diffs: space for ROC_CONFIG_DIFFERENCES_MAX differences, or NULL to only count
 *
 * Two disabled links are equal, independently of their other parameters.
 *
 * Return: number of differences.
 */
unsigned int roc_cru_config_diff(const struct roc_cru_config *target,
				 const struct roc_cru_config *have,
				 struct roc_config_difference *diffs);

/**
 * roc_cru_config_load() - Read a configuration file
 * @uri: path, "ini://path" or "json://path". A bare path ending in ".json" is JSON, any other INI
 * @config: in: values of parameters that the file does not have; out: changed only on success
 *
 * The formats are those of the present site files. The function checks the whole file, also with
 * roc_cru_config_check(), before it changes @config.
 *
 * Return: 0 on success; -EINVAL, -ERANGE for an error in the file (roc_error() names file, line,
 * section and key); -EOPNOTSUPP for consul:// or another scheme; the errors of opening the file.
 */
int roc_cru_config_load(const char *uri, struct roc_cru_config *config);

/**
 * roc_cru_config_save() - Write a configuration file for roc_cru_config_load()
 * @uri: as for roc_cru_config_load(). The function replaces an existing file as a whole or not at
 *	all, and keeps its mode and, if possible, its owner. It keeps a symbolic link and replaces
 *	its target. It writes a device, or a standard descriptor of the process, in place
 * @config: configuration to write
 *
 * Return: 0 on success; the errors of roc_cru_config_check(); -EINVAL if the existing file cannot
 * be replaced; the errors of writing.
 */
int roc_cru_config_save(const char *uri, const struct roc_cru_config *config);

/**
 * roc_cru_configure() - Configure the card
 * @ep: handle
 * @config: requested configuration
 * @flags: bits of enum roc_config_flags
 * @result: filled in, on failure too; or NULL
 *
 * The function checks the configuration, compares it with the card, and writes only if something
 * differs or @flags force it. It reads every written register back. If one does not read back, it
 * restores all of them. It does not change a card while one of its channels runs. It takes the card
 * lock for the whole time and waits up to 15 s for it. A process that ends during the call leaves
 * the card partly configured: block signals.
 *
 * Return: 0 on success; the errors of roc_cru_config_check(); -EPERM if the firmware is not
 * accepted; -EBUSY if a channel of the card runs, or was started meanwhile (then nothing is
 * restored), or if another process holds the card lock; -ENOLINK if the card has fewer links than
 * are enabled; -EBADMSG if a register did not read back; -ETIME if the clock did not lock, or the
 * ONU did not come up.
 */
int roc_cru_configure(struct roc_endpoint *ep, const struct roc_cru_config *config,
		      unsigned int flags, struct roc_config_result *result);

/*
 * Status and counters. All are plain reads unless stated otherwise.
 */

/**
 * enum roc_cru_link_state - State of a GBT link
 * @ROC_CRU_LINK_DOWN: down now
 * @ROC_CRU_LINK_UP: up, and was up since the last read
 * @ROC_CRU_LINK_WAS_DOWN: up now, but was down since the last read
 */
enum roc_cru_link_state {
	ROC_CRU_LINK_DOWN = 0,
	ROC_CRU_LINK_UP = 1,
	ROC_CRU_LINK_WAS_DOWN = 2,
};

/**
 * struct roc_cru_link_status - Status of one link
 * @present: the card has this link; otherwise the other members are 0
 * @enabled: takes part in data taking ("datapath")
 * @tx_mode: encoding of the transmitter
 * @rx_mode: encoding of the receiver
 * @loopback: the transmitter feeds the receiver
 * @mux: downstream data source
 * @downstream: source of ROC_CRU_MUX_TTC
 * @datapath_mode: streaming or packet
 * @rx_hz: receiver clock in Hz
 * @tx_hz: transmitter clock in Hz
 * @state: enum roc_cru_link_state. The read clears the card's sticky bits if they are set
 * @optical_power: optical power in uW; 0 unless &roc_cru_status.has_optical
 * @system_id: for headers
 * @fee_id: for headers
 * @glitches: glitch counter
 * @fec_errors: error-correction counter
 * @processed: processed packets
 * @error_protocol: packets with protocol errors
 * @error_check1: whole register; has @rdh_corrupted in bits 23 to 16
 * @error_check2: packets failing the second check
 * @error_oversize: oversize packets
 * @orbit_sor: orbit at the start of the run
 * @rdh_corrupted: packets dropped because of a corrupt header
 */
struct roc_cru_link_status {
	bool present;
	bool enabled;
	enum roc_cru_gbt_mode tx_mode;
	enum roc_cru_gbt_mode rx_mode;
	bool loopback;
	enum roc_cru_mux mux;
	enum roc_cru_downstream downstream;
	enum roc_cru_datapath_mode datapath_mode;
	uint32_t rx_hz;
	uint32_t tx_hz;
	enum roc_cru_link_state state;
	double optical_power;
	uint32_t system_id;
	uint32_t fee_id;
	uint32_t glitches;
	uint32_t fec_errors;
	uint32_t processed;
	uint32_t error_protocol;
	uint32_t error_check1;
	uint32_t error_check2;
	uint32_t error_oversize;
	uint32_t orbit_sor;
	uint32_t rdh_corrupted;
};

/**
 * roc_cru_link_mux_text() - Format a link's multiplexer for users
 * @link: status
 *
 * Return: "TTC:CTP", "TTC:PATTERN", "TTC:MIDTRG", "DDG", "SWT", "TTCUP", "UL" or "N/A".
 */
const char *roc_cru_link_mux_text(const struct roc_cru_link_status *link);

/**
 * struct roc_cru_onu - Status of the receiver of the experiment's clock and triggers
 * @upstream_up: the upstream was up since the sticky bits were cleared
 * @downstream_up: the downstream was up since the sticky bits were cleared
 * @sticky: sticky error byte after clearing: present errors
 * @sticky_before: sticky error byte before clearing: errors since the previous clearing
 * @address: ONU address
 * @status: whole status byte; its bits are the next members
 * @rx40_locked: bit 0
 * @phase_good: bit 1
 * @rx_locked: bit 2
 * @operational: bit 3
 * @mgt_tx_ready: bit 4
 * @mgt_rx_ready: bit 5
 * @mgt_tx_pll_locked: bit 6
 * @mgt_rx_pll_locked: bit 7
 * @glitches: glitch counter
 * @pon_quality: raw error counter
 * @pon_quality_good: the error counter did not change for 10 ms
 * @has_power: the transceiver answered, so that the two members below are valid
 * @rx_power_uw: optical power in uW
 * @rx_power_dbm: optical power in dBm; minus infinity for 0 uW
 */
struct roc_cru_onu {
	bool upstream_up;
	bool downstream_up;
	uint32_t sticky;
	uint32_t sticky_before;
	uint32_t address;
	uint32_t status;
	bool rx40_locked;
	bool phase_good;
	bool rx_locked;
	bool operational;
	bool mgt_tx_ready;
	bool mgt_rx_ready;
	bool mgt_tx_pll_locked;
	bool mgt_rx_pll_locked;
	uint32_t glitches;
	uint32_t pon_quality;
	bool pon_quality_good;
	bool has_power;
	double rx_power_uw;
	double rx_power_dbm;
};

/**
 * struct roc_cru_fec - Error correction of the PON
 * @clear_errors: flag that clears the counters
 * @latch_errors: flag that latches them
 * @single_errors: corrected errors, low 8 bits
 * @double_errors: detected errors, low 8 bits
 */
struct roc_cru_fec {
	bool clear_errors;
	bool latch_errors;
	uint32_t single_errors;
	uint32_t double_errors;
};

/**
 * struct roc_cru_status - Status of endpoint, links and ONU
 * @cru_id: for headers
 * @clock: selected clock, read from the PLL
 * @dynamic_offset: packets are packed, instead of one in each 8 KiB
 * @user_logic: user logic's slot is enabled
 * @run_stats: run statistics' slot is enabled
 * @user_and_common_logic: links take part in addition to user logic
 * @time_frame_length: orbits
 * @run_enabled: data may flow ("DMA enabled")
 * @drop_bad_rdh: packets with corrupt headers are dropped
 * @trigger_window_size: GBT words
 * @allow_rejection: heartbeat frames may be rejected
 * @downstream: source of ROC_CRU_MUX_TTC
 * @link_mask: links that were read: requested and present
 * @links: status of each link; valid where @link_mask has a bit
 * @ul_orbit_sor: orbit at start of run of user logic; valid if @user_logic
 * @has_optical: the optical receivers answered
 * @has_onu: @onu was read
 * @onu: ONU
 * @has_fec: @fec was read
 * @fec: error correction
 */
struct roc_cru_status {
	uint32_t cru_id;
	enum roc_cru_clock clock;
	bool dynamic_offset;
	bool user_logic;
	bool run_stats;
	bool user_and_common_logic;
	uint32_t time_frame_length;
	bool run_enabled;
	bool drop_bad_rdh;
	uint32_t trigger_window_size;
	bool allow_rejection;
	enum roc_cru_downstream downstream;
	uint32_t link_mask;
	struct roc_cru_link_status links[ROC_CRU_LINKS];
	uint32_t ul_orbit_sor;
	bool has_optical;
	bool has_onu;
	struct roc_cru_onu onu;
	bool has_fec;
	struct roc_cru_fec fec;
};

/**
 * enum roc_cru_status_flags - Additional data to read in roc_cru_status_read()
 * @ROC_CRU_STATUS_OPTICAL: optical power of the links, over I2C; takes some 10 ms
 * @ROC_CRU_STATUS_ONU: ONU; the read clears its sticky bits
 * @ROC_CRU_STATUS_FEC: error correction of the PON
 * @ROC_CRU_STATUS_NO_PACKETS: do not read the links' packet counters and start orbit, which stay
 *	zero
 */
enum roc_cru_status_flags {
	ROC_CRU_STATUS_OPTICAL = 1 << 0,
	ROC_CRU_STATUS_ONU = 1 << 1,
	ROC_CRU_STATUS_FEC = 1 << 2,
	ROC_CRU_STATUS_NO_PACKETS = 1 << 3,
};

/**
 * roc_cru_status_read() - Read the status of an endpoint and its links
 * @ep: handle
 * @links: one bit per link to read; others stay zero
 * @flags: bits of enum roc_cru_status_flags
 * @status: filled in
 *
 * The function takes the card lock, because it reads the clock selection over I2C. See
 * Documentation/configuration.md for the number of register reads.
 *
 * Return: 0 on success; -ERANGE if @links has a bit that is no link.
 */
int roc_cru_status_read(struct roc_endpoint *ep, uint32_t links, unsigned int flags,
			struct roc_cru_status *status);

#define ROC_CRU_METRICS_READS 5 /* register reads of roc_cru_metrics_read() */

/**
 * struct roc_cru_metrics - Metrics that a monitoring agent reads every few seconds
 * @has_temperature: @temperature is valid
 * @temperature: temperature in degrees Celsius
 * @dropped_packets: packets dropped by this endpoint's datapath
 * @ctp_hz: frequency of the experiment's clock in Hz
 * @local_hz: frequency of the local clock in Hz
 * @packets_per_second: packet rate of this endpoint's datapath
 */
struct roc_cru_metrics {
	bool has_temperature;
	double temperature;
	uint32_t dropped_packets;
	uint32_t ctp_hz;
	uint32_t local_hz;
	uint32_t packets_per_second;
};

/**
 * roc_cru_metrics_read() - Read the metrics
 * @ep: handle
 * @metrics: filled in
 *
 * The function makes ROC_CRU_METRICS_READS register reads and no write, and takes no lock.
 *
 * Return: 0 or a negative errno.
 */
int roc_cru_metrics_read(struct roc_endpoint *ep, struct roc_cru_metrics *metrics);

/**
 * struct roc_cru_packets - Packet counters of the datapath
 * @slots: one bit per valid slot: 0 to 11 (none of these if only user logic is enabled), 13 or 14
 *	run statistics, 15 user logic
 * @accepted: accepted packets of each slot
 * @rejected: rejected packets of each slot
 * @forced: packets of each slot that the datapath closed because their end was missing
 * @dropped: packets dropped by the endpoint's datapath
 * @packets_per_second: packet rate of the endpoint's datapath
 */
struct roc_cru_packets {
	uint32_t slots;
	uint32_t accepted[ROC_CRU_SLOTS];
	uint32_t rejected[ROC_CRU_SLOTS];
	uint32_t forced[ROC_CRU_SLOTS];
	uint32_t dropped;
	uint32_t packets_per_second;
};

/**
 * roc_cru_packets_read() - Read the packet counters
 * @ep: handle
 * @packets: filled in
 *
 * Return: 0 or a negative errno.
 */
int roc_cru_packets_read(struct roc_endpoint *ep, struct roc_cru_packets *packets);

/**
 * struct roc_cru_triggers - Trigger counters of the card
 * @time: CLOCK_MONOTONIC ns of the reading
 * @hb: heartbeats, 32 bits
 * @phy: physics triggers, 32 bits
 * @cal: calibration triggers, 16 bits
 * @tof: TOF triggers, 16 bits
 * @sox: starts of run, 4 bits
 * @eox: ends of run, 4 bits
 */
struct roc_cru_triggers {
	uint64_t time;
	uint32_t hb, phy, cal, tof, sox, eox;
};

/**
 * struct roc_cru_trigger_rates - Trigger rates between two readings, in kHz
 * @hb: heartbeats
 * @phy: physics triggers
 * @cal: calibration triggers
 * @tof: TOF triggers
 */
struct roc_cru_trigger_rates {
	double hb, phy, cal, tof;
};

/**
 * roc_cru_triggers_read() - Read the trigger counters
 * @ep: handle
 * @triggers: filled in
 *
 * Return: 0 or a negative errno.
 */
int roc_cru_triggers_read(struct roc_endpoint *ep, struct roc_cru_triggers *triggers);

/**
 * roc_cru_trigger_rates() - Compute rates from two readings; counters may have wrapped once
 * @before: earlier reading
 * @after: later reading
 * @rates: filled in; all 0 if no time passed between the readings
 */
void roc_cru_trigger_rates(const struct roc_cru_triggers *before,
			   const struct roc_cru_triggers *after,
			   struct roc_cru_trigger_rates *rates);

/*
 * Test of links in loopback.
 */

/**
 * struct roc_cru_loopback - Parameters of a loopback test
 * @links: one bit per link
 * @static_pattern: true for a static test pattern, false for a counter
 * @counter_8bit: true for a counter of 8 bits, false for 30
 * @mask_high: compared bits of the high word; the default is all ones
 * @mask_medium: compared bits of the medium word
 * @mask_low: compared bits of the low word
 */
struct roc_cru_loopback {
	uint32_t links;
	bool static_pattern;
	bool counter_8bit;
	uint32_t mask_high, mask_medium, mask_low;
};

/**
 * struct roc_cru_loopback_saved - Settings of the links before the test. Private
 * @links: links in the test
 * @source: source select of each link
 * @masks: masks of each link
 * @wrapper: test control of the wrapper
 */
struct roc_cru_loopback_saved {
	uint32_t links;
	uint32_t source[ROC_CRU_LINKS];
	uint32_t masks[ROC_CRU_LINKS][3];
	uint32_t wrapper;
};

/**
 * struct roc_cru_loopback_link - Test result of one link
 * @pll_locked: the transmitter PLL is locked
 * @rx_locked: the receiver is locked to data
 * @data_layer_up: the data layer is up
 * @gbt_phy_up: the GBT layer is up
 * @rx_errors: pattern errors
 * @fec_errors: error-correction counter
 */
struct roc_cru_loopback_link {
	bool pll_locked;
	bool rx_locked;
	bool data_layer_up;
	bool gbt_phy_up;
	uint32_t rx_errors;
	uint32_t fec_errors;
};

/**
 * roc_cru_loopback_default() - Return the default test: a 30-bit counter, all bits compared, all
 *	links
 * @test: filled in
 */
void roc_cru_loopback_default(struct roc_cru_loopback *test);

/**
 * roc_cru_loopback_start() - Start to send test patterns
 * @ep: handle
 * @test: parameters of the test
 * @saved: filled in, for roc_cru_loopback_stop()
 *
 * The generator replaces the data of the links. The function does not set the loopback of the
 * links: configure it, or connect fibres. The function takes the card lock while it writes.
 *
 * Return: 0 on success; -ENOLINK if the card does not have a link; -ERANGE if there is no such
 * link; -EBUSY if a channel of the card runs.
 */
int roc_cru_loopback_start(struct roc_endpoint *ep, const struct roc_cru_loopback *test,
			   struct roc_cru_loopback_saved *saved);

/**
 * roc_cru_loopback_clear() - Clear the error counters
 * @ep: handle
 * @links: one bit per link
 *
 * Return: as roc_cru_loopback_start().
 */
int roc_cru_loopback_clear(struct roc_endpoint *ep, uint32_t links);

/**
 * roc_cru_loopback_read() - Read the results
 * @ep: handle
 * @links: one bit per link
 * @results: array of ROC_CRU_LINKS; the function fills in the elements of @links
 *
 * Return: 0 on success; -ENOLINK, -ERANGE as for roc_cru_loopback_start().
 */
int roc_cru_loopback_read(struct roc_endpoint *ep, uint32_t links,
			  struct roc_cru_loopback_link *results);

/**
 * roc_cru_loopback_stop() - Restore the settings of the links
 * @ep: handle
 * @saved: from roc_cru_loopback_start()
 *
 * Return: 0 or a negative errno.
 */
int roc_cru_loopback_stop(struct roc_endpoint *ep, const struct roc_cru_loopback_saved *saved);

/*
 * Pattern player.
 */

/**
 * struct roc_cru_pattern - Pattern of 80 bits
 * @word: bits 31 to 0, 63 to 32, 79 to 64
 */
struct roc_cru_pattern {
	uint32_t word[3];
};

/**
 * roc_cru_pattern_parse() - Parse a pattern of 80 bits
 * @text: decimal number, or hexadecimal with the prefix 0x
 * @pattern: filled in
 *
 * Return: 0 on success; -EINVAL if the text is not a number; -ERANGE if it has more than 80 bits.
 */
int roc_cru_pattern_parse(const char *text, struct roc_cru_pattern *pattern);

/**
 * struct roc_cru_patterns - Parameters of the pattern player
 * @pat: pat0 idle, pat1 sync, pat2 reset, pat3
 * @pat1_length: clock cycles
 * @pat1_delay: clock cycles
 * @pat2_length: clock cycles
 * @pat3_length: clock cycles
 * @pat1_trigger: bit of the TTC word that starts pat1; default 29
 * @pat2_trigger: bit that starts pat2; default 30
 * @pat3_trigger: bit that starts pat3; default 0
 * @pat2_trigger_tf: pat2's trigger counter: time frames, 12 bits
 * @pat2_trigger_orbit: orbits, 8 bits
 * @pat2_trigger_bc: bunch crossings, 12 bits
 * @pat1_at_start: run pat1 when run enable goes high
 */
struct roc_cru_patterns {
	struct roc_cru_pattern pat[4];
	uint32_t pat1_length, pat1_delay, pat2_length, pat3_length;
	uint32_t pat1_trigger, pat2_trigger, pat3_trigger;
	uint32_t pat2_trigger_tf, pat2_trigger_orbit, pat2_trigger_bc;
	bool pat1_at_start;
};

/**
 * enum roc_cru_pattern_flags - Flags of roc_cru_patterns_set()
 * @ROC_CRU_PAT1_NOW: run pat1 at the end
 * @ROC_CRU_PAT2_NOW: run pat2 at the end
 */
enum roc_cru_pattern_flags {
	ROC_CRU_PAT1_NOW = 1 << 0,
	ROC_CRU_PAT2_NOW = 1 << 1,
};

/**
 * roc_cru_patterns_default() - Return the default: patterns 0, lengths 1, delay 0, trigger bits 29,
 *	30, 0
 * @patterns: filled in
 */
void roc_cru_patterns_default(struct roc_cru_patterns *patterns);

/**
 * roc_cru_patterns_set() - Select PATTERN as downstream data and program the player
 * @ep: handle
 * @patterns: parameters
 * @flags: bits of enum roc_cru_pattern_flags
 *
 * The function takes the card lock and reads every register back.
 *
 * Return: 0 on success; -ERANGE if a parameter does not fit; -EBADMSG if a register did not read
 * back.
 */
int roc_cru_patterns_set(struct roc_endpoint *ep, const struct roc_cru_patterns *patterns,
			 unsigned int flags);

/**
 * roc_cru_patterns_read() - Read the parameters of the player
 * @ep: handle
 * @patterns: filled in
 *
 * Return: 0 or a negative errno.
 */
int roc_cru_patterns_read(struct roc_endpoint *ep, struct roc_cru_patterns *patterns);

/*
 * CTP emulator.
 */

/**
 * enum roc_cru_ctp_mode - Trigger source
 * @ROC_CRU_CTP_MANUAL: triggers by roc_cru_ctp_trigger()
 * @ROC_CRU_CTP_PERIODIC: a physics trigger every &roc_cru_ctp.divider ticks
 * @ROC_CRU_CTP_CONTINUOUS: heartbeats only
 * @ROC_CRU_CTP_FIXED: at fixed bunch crossings
 * @ROC_CRU_CTP_HC: health checks every divider ticks
 * @ROC_CRU_CTP_CAL: calibration triggers every divider ticks
 */
enum roc_cru_ctp_mode {
	ROC_CRU_CTP_MANUAL = 0,
	ROC_CRU_CTP_PERIODIC = 1,
	ROC_CRU_CTP_CONTINUOUS = 2,
	ROC_CRU_CTP_FIXED = 3,
	ROC_CRU_CTP_HC = 4,
	ROC_CRU_CTP_CAL = 5,
};

#define ROC_CRU_CTP_FIXED_BCS 9

/**
 * struct roc_cru_ctp - Parameters of the CTP emulator
 * @mode: enum roc_cru_ctp_mode
 * @bcmax: last bunch crossing of an orbit, 0 to 3563
 * @hbmax: heartbeats of a time frame minus 1, 16 bits
 * @hb_keep: heartbeats to accept at the start of each cycle, 2 to 65535
 * @hb_drop: heartbeats to reject after these, 2 to 65535
 * @init_orbit: first orbit
 * @divider: ticks between triggers, 28 bits; periodic above 7, health check above 10, calibration
 *	above 18
 * @fixed_bc: bunch crossings of ROC_CRU_CTP_FIXED, from 1 to @bcmax, except 2, which the registers
 *	cannot express; 0: slot unused
 */
struct roc_cru_ctp {
	enum roc_cru_ctp_mode mode;
	uint32_t bcmax, hbmax, hb_keep, hb_drop, init_orbit, divider;
	uint32_t fixed_bc[ROC_CRU_CTP_FIXED_BCS];
};

/**
 * roc_cru_ctp_default() - Return the default: periodic, 3563, 255, keep and drop 15000, orbit 0,
 *	divider 8
 * @ctp: filled in
 */
void roc_cru_ctp_default(struct roc_cru_ctp *ctp);

/**
 * roc_cru_ctp_check() - Check the ranges of the parameters, without a card
 * @ctp: parameters to check
 *
 * Return: 0 on success; -ERANGE if a parameter is out of range.
 */
int roc_cru_ctp_check(const struct roc_cru_ctp *ctp);

/**
 * roc_cru_ctp_mode_name() - Return the name "manual", "periodic", "continuous", "fixed", "hc" or
 *	"cal"
 * @mode: enumerator
 *
 * Return: text, never freed; "N/A" for an unknown number.
 */
const char *roc_cru_ctp_mode_name(enum roc_cru_ctp_mode mode);

/**
 * roc_cru_ctp_start() - Program the emulator and start triggers, beginning with SOX
 * @ep: handle
 * @ctp: parameters
 *
 * The function takes the card lock. The triggers have an effect only if roc_cru_config.clock is
 * local.
 *
 * Return: 0 on success; -ERANGE if a parameter is out of range; -EBADMSG if a register did not read
 * back.
 */
int roc_cru_ctp_start(struct roc_endpoint *ep, const struct roc_cru_ctp *ctp);

/**
 * roc_cru_ctp_stop() - Stop triggers, which sends EOX
 * @ep: handle
 *
 * Return: 0 or a negative errno.
 */
int roc_cru_ctp_stop(struct roc_endpoint *ep);

/**
 * roc_cru_ctp_trigger() - Send one physics trigger
 * @ep: handle
 *
 * Return: 0 on success; -EINVAL if the emulator is not in manual mode.
 */
int roc_cru_ctp_trigger(struct roc_endpoint *ep);

/**
 * roc_cru_ctp_running() - Check whether triggers run
 * @ep: handle
 * @running: receives false if the emulator is idle
 *
 * Return: 0 or a negative errno.
 */
int roc_cru_ctp_running(struct roc_endpoint *ep, bool *running);

/*
 * User logic (the example generator that comes with the firmware).
 */

/**
 * struct roc_cru_ul - Parameters of user logic
 * @event_size: size of an event in 128-bit words
 * @random_size: sizes are random
 * @system_id: 8 bits
 * @link_id: 8 bits
 */
struct roc_cru_ul {
	uint32_t event_size;
	bool random_size;
	uint32_t system_id;
	uint32_t link_id;
};

/**
 * roc_cru_ul_default() - Return the default: event size 100, fixed, system id 0xff, link id 0xf
 * @ul: filled in
 */
void roc_cru_ul_default(struct roc_cru_ul *ul);

/**
 * roc_cru_ul_set() - Reset user logic and set its parameters
 * @ep: handle
 * @ul: parameters
 *
 * The function takes the card lock and reads every register back.
 *
 * Return: 0 on success; -ERANGE if a parameter is out of range; -EBADMSG if a register did not read
 * back.
 */
int roc_cru_ul_set(struct roc_endpoint *ep, const struct roc_cru_ul *ul);

/**
 * roc_cru_ul_read() - Read the parameters of user logic
 * @ep: handle
 * @ul: filled in
 *
 * Return: 0 or a negative errno.
 */
int roc_cru_ul_read(struct roc_endpoint *ep, struct roc_cru_ul *ul);

#ifdef __cplusplus
}
#endif

#endif /* ROC_CRU_H */
