/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-board: what a C-RORC is told and what it says, beyond DMA. Configuration, status,
 * counters, the ends of its links, and its flash.
 *
 * Conventions are those of <roc/roc.h>: 0 or a negative errno, and roc_error() has one sentence.
 * Every function with an endpoint also fails with -EOPNOTSUPP if the card is not a C-RORC, with the
 * errors of roc_reg_read() and roc_reg_write(), and, where it says "takes the card lock", with
 * those of roc_card_lock().
 *
 * A card has one endpoint and six channels, each with one link. Links are numbered as channels.
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
 * struct roc_crorc_config - all parameters of a card
 * @crorc_id: 12 bits, for headers
 * @dynamic_offset: packets are packed, not one in each 8 KiB
 * @time_frame_length: orbits, 0 to 256
 * @time_frame_detection: a time frame begins a superpage
 *
 * A card that is configured has its laser on; there is no parameter for it.
 */
struct roc_crorc_config {
	uint32_t crorc_id;
	bool dynamic_offset;
	uint32_t time_frame_length;
	bool time_frame_detection;
};

/**
 * roc_crorc_config_default() - what roc-config does when told nothing
 * @config: filled in: id 0, fixed offset, 256 orbits, detection on
 */
void roc_crorc_config_default(struct roc_crorc_config *config);

/**
 * roc_crorc_config_set() - set one parameter by its name in a configuration file
 * @config: changed on success
 * @section: "crorc"
 * @key: "crorcId", "dynamicOffset", ...; case counts
 * @value: as in a file
 *
 * Return: 0; -ENOENT no such section or key; -EINVAL the value is none of this key's; -ERANGE it
 * is out of range.
 */
int roc_crorc_config_set(struct roc_crorc_config *config, const char *section, const char *key,
			 const char *value);

/**
 * roc_crorc_config_check() - ranges, without a card
 * @config: to check
 *
 * Return: 0; -ERANGE a number does not fit; the sentence names the parameter as files do.
 */
int roc_crorc_config_check(const struct roc_crorc_config *config);

/**
 * roc_crorc_config_read() - what the card has now
 * @ep: handle
 * @config: filled in
 *
 * Return: 0 or a negative errno.
 */
int roc_crorc_config_read(struct roc_endpoint *ep, struct roc_crorc_config *config);

/**
 * roc_crorc_config_diff() - compare two configurations
 * @wanted: one
 * @have: the other
 * @diffs: room for ROC_CONFIG_DIFFERENCES_MAX, or NULL to count only
 *
 * Return: number of differences.
 */
unsigned int roc_crorc_config_diff(const struct roc_crorc_config *wanted,
				   const struct roc_crorc_config *have,
				   struct roc_config_difference *diffs);

/**
 * roc_crorc_config_load() - read a configuration file
 * @uri: as for roc_config_card()
 * @config: in: values of what the file does not have; out: changed only on success
 * @no_id: the file has no crorcId (today's template has none), so @config kept its own; or NULL
 *
 * Everything is checked before anything is delivered.
 *
 * Return: 0; -EINVAL, -ERANGE something in the file; the sentence says file, line, section and
 * key; -EOPNOTSUPP consul:// or another scheme; the error of opening the file.
 */
int roc_crorc_config_load(const char *uri, struct roc_crorc_config *config, bool *no_id);

/**
 * roc_crorc_config_save() - write a configuration file that roc_crorc_config_load() reads back
 * @uri: as for roc_config_card(). A file of that name is replaced, whole or not at all, and
 *	keeps its mode and, if possible, its owner; a link stays, what it leads to is replaced. A
 *	device, and a standard descriptor of the process, is written in place
 * @config: to write
 *
 * Return: 0; the errors of roc_crorc_config_check(); -EINVAL what is there cannot be replaced; the
 * error of writing.
 */
int roc_crorc_config_save(const char *uri, const struct roc_crorc_config *config);

/**
 * roc_crorc_configure() - make the card be as wanted, with its laser on
 * @ep: handle
 * @config: wanted
 * @flags: bits of enum roc_config_flags
 * @result: filled in, on failure too; or NULL
 *
 * Checks everything, compares with the card, and writes only if something differs or it is forced.
 * Every word written is read back; when one does not, all are put back as they were, but not the
 * laser, which can only be switched on. Refuses to change a card while one of its channels runs.
 * Takes the card lock for the whole pass and waits for it for up to 15 s.
 *
 * Return: 0; the errors of roc_crorc_config_check(); -EPERM firmware not accepted; -EBUSY a channel
 * of the card runs, or was started meanwhile (then nothing is put back), or another process holds
 * the card lock; -EBADMSG a register did not read back, or the laser is not on.
 */
int roc_crorc_configure(struct roc_endpoint *ep, const struct roc_crorc_config *config,
			unsigned int flags, struct roc_config_result *result);

/*
 * Status and counters: plain register reads.
 */

/**
 * struct roc_crorc_link_status - one link
 * @up: the link is up
 * @receiving: its channel may write into memory
 * @loopback: the generator is looped back inside the card
 * @optical_power: uW received
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
 * struct roc_crorc_status - a card
 * @crorc_id: for headers
 * @laser: the optical modules are switched on
 * @dynamic_offset: packets are packed
 * @time_frame_detection: a time frame begins a superpage
 * @time_frame_length: orbits
 * @link_mask: links that were asked for; the others are 0
 * @links: each
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
 * roc_crorc_status_read() - read the status of a card
 * @ep: handle
 * @links: bit per link; 0: none
 * @status: filled in
 *
 * Return: 0; -ERANGE @links has one that no card has.
 */
int roc_crorc_status_read(struct roc_endpoint *ep, uint32_t links, struct roc_crorc_status *status);

/**
 * struct roc_crorc_packets - packet counters of all links
 * @rate: acquisition rate; the card's unit is not documented
 * @received: packets
 */
struct roc_crorc_packets {
	uint32_t rate[ROC_CRORC_LINKS];
	uint32_t received[ROC_CRORC_LINKS];
};

/**
 * roc_crorc_packets_read() - read the packet counters
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
 * enum roc_crorc_end - an end of a link
 * @ROC_CRORC_DIU: the card's
 * @ROC_CRORC_SIU: the detector's
 */
enum roc_crorc_end {
	ROC_CRORC_DIU = 1,
	ROC_CRORC_SIU = 2,
};

/**
 * struct roc_crorc_siu - what both ends of a link say
 * @has_diu: the DIU answered, @diu is its interface status word
 * @diu: bits as roc_crorc_end_bit() names them
 * @has_siu: the SIU answered: the rest is valid
 * @siu: the SIU's interface status word
 * @hardware_id: its name, version and serial number, as it spells them
 */
struct roc_crorc_siu {
	bool has_diu;
	uint32_t diu;
	bool has_siu;
	uint32_t siu;
	char hardware_id[65];
};

/**
 * roc_crorc_siu_read() - ask both ends of a channel's link
 * @ch: handle of a stopped channel
 * @siu: filled in, with what there was, also on -ENOLINK, -ETIME and -EPROTO
 *
 * Reading clears the error bits of both status words.
 *
 * Return: 0; -ENOLINK the link is down, so the SIU cannot be asked; the errors of
 * roc_channel_command(); -EPROTO an answer is none to the question.
 */
int roc_crorc_siu_read(struct roc_channel *ch, struct roc_crorc_siu *siu);

/**
 * roc_crorc_end_bit() - a bit of an interface status word in words
 * @end: whose
 * @bit: 0 to 31
 *
 * Return: text, never freed; NULL if the bit means nothing by itself.
 */
const char *roc_crorc_end_bit(enum roc_crorc_end end, unsigned int bit);

/**
 * roc_crorc_port_state() - state of an end's port in words
 * @end: whose
 * @status: interface status word
 *
 * Return: "online", "offline", ..., never freed.
 */
const char *roc_crorc_port_state(enum roc_crorc_end end, uint32_t status);

/**
 * roc_crorc_remote_state() - what the DIU sees of the other end
 * @status: interface status word of the DIU
 *
 * Return: "online", "no signal", ..., never freed.
 */
const char *roc_crorc_remote_state(uint32_t status);

/*
 * The flash: the FPGA's configuration, which it loads at power-on, and behind that the serial
 * number. All functions take the card lock, and need CAP_SYS_RAWIO and that no channel of the card
 * runs; it is the caller's part to keep others from starting one, by having them open.
 */

#define ROC_CRORC_FLASH_WORDS 0x1000000 /* of 16 bits */
#define ROC_CRORC_IMAGE_WORDS 4616222
#define ROC_CRORC_FLASH_SERIAL 0x470000 /* block with the serial number, behind the image */
#define ROC_CRORC_SERIAL_MAX 99999

/**
 * roc_crorc_image_load() - read and check an image file
 * @path: text, one decimal 16-bit word in each line, ROC_CRORC_IMAGE_WORDS lines
 * @image: the words; the caller frees them with free()
 *
 * Return: 0; -EINVAL it is not such a file, or a blank one; the sentence says the line; -ENOMEM;
 * the error of opening it.
 */
int roc_crorc_image_load(const char *path, uint16_t **image);

/**
 * enum roc_crorc_flash_step - what is being done to the flash
 * @ROC_CRORC_FLASH_IDLE: nothing yet
 * @ROC_CRORC_FLASH_ERASE: erasing blocks: from its first one on the old content is lost
 * @ROC_CRORC_FLASH_PROGRAM: writing words
 * @ROC_CRORC_FLASH_VERIFY: reading back
 * @ROC_CRORC_FLASH_DONE: all read back right
 */
enum roc_crorc_flash_step {
	ROC_CRORC_FLASH_IDLE = 0,
	ROC_CRORC_FLASH_ERASE = 1,
	ROC_CRORC_FLASH_PROGRAM = 2,
	ROC_CRORC_FLASH_VERIFY = 3,
	ROC_CRORC_FLASH_DONE = 4,
};

/**
 * struct roc_crorc_flash - how far it is, and, after a failure, in which state the flash was left
 * @step: enum roc_crorc_flash_step that goes on or failed
 * @blocks: blocks to erase
 * @erased: blocks that are erased, in order
 * @words: words to write, to read back or to compare
 * @programmed: words that are written, in order
 * @verified: words that were read back right, in order
 * @touched: a command that changes the content was sent
 * @address: word address at which it failed
 * @wanted: word that should be there; valid with -EBADMSG
 * @got: word that is there
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
 * typedef roc_crorc_flash_fn - called often while a function works on the flash
 * @context: of the caller
 * @now: how far it is
 *
 * Return: false to stop, in order, as soon as no command is half given: -EINTR. When the flash
 * takes more than 5 s for one command, which a good one does not, it stops there.
 */
typedef bool (*roc_crorc_flash_fn)(void *context, const struct roc_crorc_flash *now);

/**
 * roc_crorc_flash_write() - write an image: erase, program, read back
 * @ep: handle
 * @image: ROC_CRORC_IMAGE_WORDS words
 * @progress: or NULL
 * @context: for @progress
 * @flash: state in which the flash is, on failure too
 *
 * Takes minutes. The block of the serial number is not touched. The card goes on with the firmware
 * that it runs until it is switched off. Whatever happens on the way, the function can be called
 * again and starts from the beginning.
 *
 * Return: 0: all words read back right; -EBADMSG one does not; -EIO the flash reports an error;
 * -ETIME it does not come ready; -EINTR @progress stopped it; -EPERM not CAP_SYS_RAWIO; -EBUSY a
 * channel runs.
 */
int roc_crorc_flash_write(struct roc_endpoint *ep, const uint16_t *image,
			  roc_crorc_flash_fn progress, void *context,
			  struct roc_crorc_flash *flash);

/**
 * roc_crorc_flash_compare() - compare the flash with an image, write nothing
 * @ep: handle
 * @image: ROC_CRORC_IMAGE_WORDS words
 * @progress: or NULL
 * @context: for @progress
 * @flash: how far it came
 *
 * Return: 0: they are the same; the errors of roc_crorc_flash_write().
 */
int roc_crorc_flash_compare(struct roc_endpoint *ep, const uint16_t *image,
			    roc_crorc_flash_fn progress, void *context,
			    struct roc_crorc_flash *flash);

/**
 * roc_crorc_flash_read() - read words
 * @ep: handle
 * @address: of the first word
 * @words: room for @count
 * @ready: ready register after each word, room for @count; or NULL
 * @count: how many
 *
 * Return: 0; -ERANGE beyond the flash; -EPERM; -EBUSY.
 */
int roc_crorc_flash_read(struct roc_endpoint *ep, uint32_t address, uint16_t *words,
			 uint32_t *ready, size_t count);

/**
 * roc_crorc_serial_write() - write the card's serial number into its flash
 * @ep: handle
 * @serial: 1 to ROC_CRORC_SERIAL_MAX
 * @flash: state in which the block is, on failure too
 *
 * The card has it when it is switched on the next time.
 *
 * Return: 0: all words read back right; -ERANGE; the errors of roc_crorc_flash_write().
 */
int roc_crorc_serial_write(struct roc_endpoint *ep, unsigned int serial,
			   struct roc_crorc_flash *flash);

#ifdef __cplusplus
}
#endif

#endif /* ROC_CRORC_H */
