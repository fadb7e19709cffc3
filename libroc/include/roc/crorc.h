/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-board: the registers of a C-RORC beyond DMA: configuration, status, counters, the ends of
 * its links, and its flash.
 *
 * Conventions are those of <roc/roc.h>: functions return 0 or a negative errno, and roc_error()
 * describes the failure. Every function with an endpoint also fails with -EOPNOTSUPP if the card is
 * not a C-RORC, and with the errors of roc_reg_read() and roc_reg_write(). Functions documented to
 * take the card lock also fail with the errors of roc_card_lock().
 *
 * A card has one endpoint and six channels, each with one link. Links have the numbers of their
 * channels.
 */
#ifndef ROC_CRORC_H
#define ROC_CRORC_H

#include <roc/config.h>
#include <roc/roc.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_CRORC_LINKS 6
#define ROC_CRORC_ALL_LINKS ((1u << ROC_CRORC_LINKS) - 1)

/*
 * Configuration. See Documentation/configuration.md for each parameter and the file formats.
 */

/**
 * struct roc_crorc_config - All parameters of a card
 * @crorc_id: 12 bits, for headers
 * @dynamic_offset: packets are packed, instead of one in each 8 KiB
 * @time_frame_length: orbits, 0 to 256
 * @time_frame_detection: each time frame begins a new superpage
 *
 * Configuring a card always switches its laser on; there is no parameter for it.
 */
struct roc_crorc_config {
	uint32_t crorc_id;
	bool dynamic_offset;
	uint32_t time_frame_length;
	bool time_frame_detection;
};

/**
 * roc_crorc_config_default() - Return the default configuration of roc-config
 * @config: filled in: id 0, fixed offset, 256 orbits, detection on
 */
void roc_crorc_config_default(struct roc_crorc_config *config);

/**
 * roc_crorc_config_set() - Set one parameter by its name in a configuration file
 * @config: changed on success
 * @section: "crorc"
 * @key: "crorcId", "dynamicOffset", ...; case-sensitive
 * @value: value as in a file
 *
 * Return: 0 on success; -ENOENT if there is no such section or key; -EINVAL if the key does not
 * have this value; -ERANGE if the value is out of range.
 */
int roc_crorc_config_set(struct roc_crorc_config *config, const char *section, const char *key,
			 const char *value);

/**
 * roc_crorc_config_check() - Check the ranges of a configuration, without a card
 * @config: configuration to check
 *
 * Return: 0 on success; -ERANGE if a number is out of range. roc_error() names the parameter as in
 * files.
 */
int roc_crorc_config_check(const struct roc_crorc_config *config);

/**
 * roc_crorc_config_read() - Read the configuration of a card
 * @ep: handle
 * @config: filled in
 *
 * Return: 0 or a negative errno.
 */
int roc_crorc_config_read(struct roc_endpoint *ep, struct roc_crorc_config *config);

/**
 * roc_crorc_config_diff() - Compare two configurations
 * @target: requested configuration
 * @have: present configuration
 * @diffs: space for ROC_CONFIG_DIFFERENCES_MAX differences, or NULL to only count
 *
 * Return: number of differences.
 */
unsigned int roc_crorc_config_diff(const struct roc_crorc_config *target,
				   const struct roc_crorc_config *have,
				   struct roc_config_difference *diffs);

/**
 * roc_crorc_config_load() - Read a configuration file
 * @uri: as for roc_config_card()
 * @config: in: values of parameters that the file does not have; out: changed only on success
 * @no_id: receives true if the file has no crorcId (as the current template), so that @config keeps
 *	its own; or NULL
 *
 * The function checks the whole file before it changes @config.
 *
 * Return: 0 on success; -EINVAL, -ERANGE for an error in the file (roc_error() names file, line,
 * section and key); -EOPNOTSUPP for consul:// or another scheme; the errors of opening the file.
 */
int roc_crorc_config_load(const char *uri, struct roc_crorc_config *config, bool *no_id);

/**
 * roc_crorc_config_save() - Write a configuration file for roc_crorc_config_load()
 * @uri: as for roc_config_card(). The function replaces an existing file as a whole or not at all,
 *	and keeps its mode and, if possible, its owner. It keeps a symbolic link and replaces its
 *	target. It writes a device, or a standard descriptor of the process, in place
 * @config: configuration to write
 *
 * Return: 0 on success; the errors of roc_crorc_config_check(); -EINVAL if the existing file cannot
 * be replaced; the errors of writing.
 */
int roc_crorc_config_save(const char *uri, const struct roc_crorc_config *config);

/**
 * roc_crorc_configure() - Configure the card and switch its laser on
 * @ep: handle
 * @config: requested configuration
 * @flags: bits of enum roc_config_flags
 * @result: filled in, on failure too; or NULL
 *
 * The function checks the configuration, compares it with the card, and writes only if something
 * differs or @flags force it. It reads every written register back. If one does not read back, it
 * restores all of them except the laser, which can only be switched on. It does not change a card
 * while one of its channels runs. It takes the card lock for the whole time and waits up to 15 s
 * for it.
 *
 * Return: 0 on success; the errors of roc_crorc_config_check(); -EPERM if the firmware is not
 * accepted; -EBUSY if a channel of the card runs, or was started meanwhile (then nothing is
 * restored), or if another process holds the card lock; -EBADMSG if a register did not read back,
 * or the laser is not on.
 */
int roc_crorc_configure(struct roc_endpoint *ep, const struct roc_crorc_config *config,
			unsigned int flags, struct roc_config_result *result);

/*
 * Status and counters: plain register reads.
 */

/**
 * struct roc_crorc_link_status - Status of one link
 * @up: the link is up
 * @receiving: the channel of the link may write into memory
 * @loopback: the generator is looped back inside the card
 * @optical_power: received optical power in uW
 * @orbit_sor: orbit at the start of the run
 */
struct roc_crorc_link_status {
	bool up;
	bool receiving;
	bool loopback;
	double optical_power;
	uint32_t orbit_sor;
};

/**
 * struct roc_crorc_status - Status of a card
 * @crorc_id: for headers
 * @laser: the optical modules are switched on
 * @dynamic_offset: packets are packed, instead of one in each 8 KiB
 * @time_frame_detection: each time frame begins a new superpage
 * @time_frame_length: orbits
 * @link_mask: links that the caller requested; the others are 0
 * @links: status of each link
 */
struct roc_crorc_status {
	uint32_t crorc_id;
	bool laser;
	bool dynamic_offset;
	bool time_frame_detection;
	uint32_t time_frame_length;
	uint32_t link_mask;
	struct roc_crorc_link_status links[ROC_CRORC_LINKS];
};

/**
 * roc_crorc_status_read() - Read the status of a card
 * @ep: handle
 * @links: one bit per link; 0 for none
 * @status: filled in
 *
 * Return: 0 on success; -ERANGE if @links has a link that no card has.
 */
int roc_crorc_status_read(struct roc_endpoint *ep, uint32_t links, struct roc_crorc_status *status);

/**
 * struct roc_crorc_packets - Packet counters of all links
 * @rate: acquisition rate; the card's unit is not documented
 * @received: received packets
 */
struct roc_crorc_packets {
	uint32_t rate[ROC_CRORC_LINKS];
	uint32_t received[ROC_CRORC_LINKS];
};

/**
 * roc_crorc_packets_read() - Read the packet counters
 * @ep: handle
 * @packets: filled in
 *
 * Return: 0 or a negative errno.
 */
int roc_crorc_packets_read(struct roc_endpoint *ep, struct roc_crorc_packets *packets);

/*
 * The two ends of a link: the DIU on the card, the SIU at the detector.
 */

/**
 * enum roc_crorc_end - End of a link
 * @ROC_CRORC_DIU: the end at the card
 * @ROC_CRORC_SIU: the end at the detector
 */
enum roc_crorc_end {
	ROC_CRORC_DIU = 1,
	ROC_CRORC_SIU = 2,
};

/**
 * struct roc_crorc_siu - Status of both ends of a link
 * @has_diu: the DIU answered, @diu is its interface status word
 * @diu: bits as roc_crorc_end_bit() names them
 * @has_siu: the SIU answered: the rest is valid
 * @siu: interface status word of the SIU
 * @hardware_id: name, version and serial number of the SIU, as it reports them
 */
struct roc_crorc_siu {
	bool has_diu;
	uint32_t diu;
	bool has_siu;
	uint32_t siu;
	char hardware_id[65];
};

/**
 * roc_crorc_siu_read() - Read the status of both ends of a channel's link
 * @ch: handle of a stopped channel
 * @siu: filled in with the available data, also on -ENOLINK, -ETIME and -EPROTO
 *
 * The read clears the error bits of both status words.
 *
 * Return: 0 on success; -ENOLINK if the link is down, so that the SIU cannot answer; the errors of
 * roc_channel_command(); -EPROTO if a reply does not belong to the request.
 */
int roc_crorc_siu_read(struct roc_channel *ch, struct roc_crorc_siu *siu);

/**
 * roc_crorc_end_bit() - Describe a bit of an interface status word
 * @end: end of the link
 * @bit: 0 to 31
 *
 * Return: text, never freed; NULL if the bit has no meaning by itself.
 */
const char *roc_crorc_end_bit(enum roc_crorc_end end, unsigned int bit);

/**
 * roc_crorc_port_state() - Describe the port state of an end
 * @end: end of the link
 * @status: interface status word
 *
 * Return: "online", "offline", ..., never freed.
 */
const char *roc_crorc_port_state(enum roc_crorc_end end, uint32_t status);

/**
 * roc_crorc_remote_state() - Describe the state of the remote end as seen by the DIU
 * @status: interface status word of the DIU
 *
 * Return: "online", "no signal", ..., never freed.
 */
const char *roc_crorc_remote_state(uint32_t status);

/*
 * The flash: the FPGA's configuration, which it loads at power-on, and behind that the serial
 * number. All functions take the card lock, need CAP_SYS_RAWIO, and fail while a channel of the
 * card runs. The caller must prevent starts by other processes, by having all channels open.
 */

#define ROC_CRORC_FLASH_WORDS 0x1000000 /* words of 16 bits */
#define ROC_CRORC_IMAGE_WORDS 4616222
#define ROC_CRORC_FLASH_SERIAL 0x470000 /* block with the serial number, behind the image */
#define ROC_CRORC_SERIAL_MAX 99999

/**
 * roc_crorc_image_load() - Read and check an image file
 * @path: text file with one decimal 16-bit word per line, ROC_CRORC_IMAGE_WORDS lines
 * @image: receives the words; the caller frees them with free()
 *
 * Return: 0 on success; -EINVAL if the file is not an image, or a blank one (roc_error() names the
 * line); -ENOMEM; the errors of opening it.
 */
int roc_crorc_image_load(const char *path, uint16_t **image);

/**
 * enum roc_crorc_flash_step - Step of a flash operation
 * @ROC_CRORC_FLASH_IDLE: not started
 * @ROC_CRORC_FLASH_ERASE: erasing blocks: the old content is lost from the first block on
 * @ROC_CRORC_FLASH_PROGRAM: writing words
 * @ROC_CRORC_FLASH_VERIFY: reading back
 * @ROC_CRORC_FLASH_DONE: all words read back correctly
 */
enum roc_crorc_flash_step {
	ROC_CRORC_FLASH_IDLE = 0,
	ROC_CRORC_FLASH_ERASE = 1,
	ROC_CRORC_FLASH_PROGRAM = 2,
	ROC_CRORC_FLASH_VERIFY = 3,
	ROC_CRORC_FLASH_DONE = 4,
};

/**
 * struct roc_crorc_flash - Progress of a flash operation, and state of the flash after a failure
 * @step: enum roc_crorc_flash_step: current or failed step
 * @blocks: blocks to erase
 * @erased: blocks that are erased, in ascending order
 * @words: words to write, to read back or to compare
 * @programmed: words that are written, in ascending order
 * @verified: words that were read back correctly, in ascending order
 * @touched: the function sent a command that changes the content
 * @address: word address of the failure
 * @wanted: expected word; valid with -EBADMSG
 * @got: word read
 */
struct roc_crorc_flash {
	enum roc_crorc_flash_step step;
	uint32_t blocks;
	uint32_t erased;
	uint32_t words;
	uint32_t programmed;
	uint32_t verified;
	bool touched;
	uint32_t address;
	uint16_t wanted;
	uint16_t got;
};

/**
 * typedef roc_crorc_flash_fn - Progress callback of the flash functions
 * @context: context of the caller
 * @now: current progress
 *
 * Return: false to stop. The flash function then returns -EINTR as soon as no command is partly
 * sent. If the flash takes more than 5 s for one command, which an intact one does not, it stops
 * there.
 */
typedef bool (*roc_crorc_flash_fn)(void *context, const struct roc_crorc_flash *now);

/**
 * roc_crorc_flash_write() - Erase the flash, program an image and read it back
 * @ep: handle
 * @image: ROC_CRORC_IMAGE_WORDS words
 * @progress: progress callback, or NULL
 * @context: for @progress
 * @flash: filled in with the state of the flash, on failure too
 *
 * The operation takes minutes. It does not change the block of the serial number. The card runs its
 * present firmware until it is switched off. After any failure the function can be called again and
 * starts from the beginning.
 *
 * Return: 0 if all words read back correctly; -EBADMSG if one does not; -EIO if the flash reports
 * an error; -ETIME if it does not become ready; -EINTR if @progress stopped the operation; -EPERM
 * without CAP_SYS_RAWIO; -EBUSY if a channel runs.
 */
int roc_crorc_flash_write(struct roc_endpoint *ep, const uint16_t *image,
			  roc_crorc_flash_fn progress, void *context,
			  struct roc_crorc_flash *flash);

/**
 * roc_crorc_flash_compare() - Compare the flash with an image, without writing
 * @ep: handle
 * @image: ROC_CRORC_IMAGE_WORDS words
 * @progress: progress callback, or NULL
 * @context: for @progress
 * @flash: filled in with the progress
 *
 * Return: 0 if they are the same; the errors of roc_crorc_flash_write().
 */
int roc_crorc_flash_compare(struct roc_endpoint *ep, const uint16_t *image,
			    roc_crorc_flash_fn progress, void *context,
			    struct roc_crorc_flash *flash);

/**
 * roc_crorc_flash_read() - Read words of the flash
 * @ep: handle
 * @address: word address of the first word
 * @words: space for @count words
 * @ready: receives the ready register after each word, space for @count; or NULL
 * @count: number of words
 *
 * Return: 0 on success; -ERANGE if the range is beyond the flash; -EPERM without CAP_SYS_RAWIO;
 * -EBUSY if a channel runs.
 */
int roc_crorc_flash_read(struct roc_endpoint *ep, uint32_t address, uint16_t *words,
			 uint32_t *ready, size_t count);

/**
 * roc_crorc_serial_write() - Write the card's serial number into its flash
 * @ep: handle
 * @serial: serial number, 1 to ROC_CRORC_SERIAL_MAX
 * @flash: filled in with the state of the block, on failure too
 *
 * The card uses the number from its next power-on.
 *
 * Return: 0 if all words read back correctly; -ERANGE if @serial is out of range; the errors of
 * roc_crorc_flash_write().
 */
int roc_crorc_serial_write(struct roc_endpoint *ep, unsigned int serial,
			   struct roc_crorc_flash *flash);

#ifdef __cplusplus
}
#endif

#endif /* ROC_CRORC_H */
