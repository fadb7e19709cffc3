// SPDX-License-Identifier: LGPL-2.1-or-later
/* Query the two ends of a C-RORC's link over its command channel, and decode their status. */
#include <errno.h>
#include <string.h>

#include "libroc_crorc.h"

static const char *const diu_bits[32] = {
	[31] = "error",
	[30] = "loop-back mode",
	[29] = "loss of synchronisation",
	[28] = "transmit overflow",
	[26] = "ordered set in a frame",
	[25] = "invalid character received",
	[24] = "CRC error",
	[22] = "data outside of a frame",
	[21] = "illegal frame delimiter",
	[20] = "frame too long",
	[19] = "receive overflow",
	[18] = "error in a received frame",
};

static const char *const siu_bits[32] = {
	[31] = "error",
	[30] = "event or read block too long",
	[29] = "illegal data or status of the front end",
	[28] = "transmit FIFO overflow",
	[27] = "illegal word in data to write",
	[26] = "ordered set in a frame",
	[25] = "invalid character in a frame",
	[24] = "CRC error",
	[23] = "DTCC or JTCC error",
	[22] = "data outside of a frame",
	[21] = "illegal frame delimiter",
	[20] = "frame too long",
	[19] = "receive FIFO overflow",
	[18] = "error in a received frame",
	[17] = "link protocol error",
	[16] = "loop-back mode",
	[15] = "a transaction of the front end is open",
};

static const char *const port_states[8] = {
	"power-on reset",
	"offline",
	"online",
	"waiting for power off",
	"offline, no signal",
	"offline, loss of synchronisation",
	"power off",
	"test mode",
};

static const char *const remote_states[8] = {
	"power-on reset",	   "offline",		"online",  "waiting", "no signal",
	"loss of synchronisation", "no optical signal", "unknown",
};

const char *roc_crorc_end_bit(enum roc_crorc_end end, unsigned int bit)
{
	if (bit > 31)
		return NULL;
	return end == ROC_CRORC_DIU ? diu_bits[bit] : siu_bits[bit];
}

const char *roc_crorc_port_state(enum roc_crorc_end end, uint32_t status)
{
	unsigned int state = CRORC_DDL_PORT_STATE(status);

	return state == 7 && end == ROC_CRORC_SIU ? "unknown" : port_states[state];
}

const char *roc_crorc_remote_state(uint32_t status)
{
	return remote_states[CRORC_DDL_REMOTE_STATE(status)];
}

/* Send a command and read the reply and its acknowledge; the reply must have this code. */
static int ask(struct roc_channel *ch, uint32_t command, unsigned int code, uint32_t *answer)
{
	uint32_t reply[2];
	unsigned int count = 2;
	int ret;

	ret = roc_channel_command(ch, command, reply, &count);
	if (ret)
		return ret;
	if (CRORC_DDL_CODE(reply[0]) != code || CRORC_DDL_END(reply[0]) != CRORC_DDL_END(command) ||
	    CRORC_DDL_CODE(reply[1]) > CRORC_DDL_ILCMD ||
	    CRORC_DDL_END(reply[1]) != CRORC_DDL_END(command))
		return roc_fail(
			EPROTO,
			"%s: invalid reply 0x%x 0x%x to command 0x%x: reset the link (roc-reset --reset=INTERNAL_SIU) and try again",
			roc_channel_name(ch), reply[0], reply[1], command);
	*answer = reply[0];
	return 0;
}

static int read_hardware_id(struct roc_channel *ch, char *text, size_t size)
{
	uint32_t word = 0; /* gcc 14 at -O3 does not detect that a failed ask() returns nonzero */
	size_t i;
	int ret;

	for (i = 0; i < size - 1; i++) {
		ret = ask(ch, CRORC_DDL_HARDWARE_ID(i), CRORC_DDL_HWSTW, &word);
		if (ret)
			return ret;
		text[i] = word >> CRORC_DDL_HWSTW_SHIFT & 0xff;
		if (!text[i])
			break;
	}
	text[i] = '\0';
	/* The text is padded with blanks. */
	while (i > 0 && text[i - 1] == ' ')
		text[--i] = '\0';
	return 0;
}

int roc_crorc_siu_read(struct roc_channel *ch, struct roc_crorc_siu *siu)
{
	int ret;

	memset(siu, 0, sizeof(*siu));
	if (roc_channel_card_type(ch) != ROC_CARD_CRORC)
		return roc_fail(
			EOPNOTSUPP, "%s belongs to a %s: only the link of a C-RORC has an SIU",
			roc_channel_name(ch), roc_card_type_name(roc_channel_card_type(ch)));
	/* Query the near end first: it replies even if the link is down. */
	ret = ask(ch, CRORC_DDL_READ_STATUS_DIU, CRORC_DDL_IFSTW, &siu->diu);
	if (ret)
		return ret;
	siu->has_diu = true;
	ret = read_hardware_id(ch, siu->hardware_id, sizeof(siu->hardware_id));
	if (!ret)
		ret = ask(ch, CRORC_DDL_READ_STATUS_SIU, CRORC_DDL_IFSTW, &siu->siu);
	siu->has_siu = !ret;
	return ret;
}
