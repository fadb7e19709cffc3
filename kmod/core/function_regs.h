/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The block of a function whose channels raise interrupts: its errors and alarms. One layout for
 * all our interfaces, see Documentation/hardware/event-interface.md; for the driver, the emulated
 * cards and the tests. Offsets are bytes, registers 32 bit.
 */
#ifndef FUNCTION_REGS_H
#define FUNCTION_REGS_H

#define EVENT_CARD_SIZE 0x20
#define EVENT_CARD_ID 0x00    /* [31:16] EVENT_ID_CARD, [15:8] revision, [7:0] channels */
#define EVENT_CARD_CAUSE 0x04 /* a written 1 clears */
#define EVENT_CARD_ENABLE 0x08
#define EVENT_CARD_VECTOR 0x0c
#define EVENT_VECTOR_NONE 0xffff
#define EVENT_CARD_CHANNELS 0x10    /* bit per channel whose STATUS has an error or STALLED */
#define EVENT_CARD_NOTICE_LOW 0x14  /* bus address of the notice; write only */
#define EVENT_CARD_NOTICE_HIGH 0x18 /* this write makes the pair take effect */

#define EVENT_CAUSE_TEMPERATURE (1u << 0) /* rose above EVENT_TEMPERATURE_HIGH */
#define EVENT_CAUSE_CRITICAL (1u << 1)	  /* rose above EVENT_TEMPERATURE_CRITICAL */
#define EVENT_CAUSE_LINK (1u << 2)	  /* a link went up or down */
#define EVENT_CAUSE_FETCH (1u << 8)	  /* a channel: FETCH_ERROR */
#define EVENT_CAUSE_STALL (1u << 9)	  /* a channel: STALLED */
#define EVENT_CAUSE_HOST (1u << 10)	  /* a channel: HOST_ERROR or SETUP_ERROR */
#define EVENT_CAUSE_ALL 0x707u

#define EVENT_TEMPERATURE_HIGH 60 /* degC */
#define EVENT_TEMPERATURE_CRITICAL 80
#define EVENT_TEMPERATURE_HYSTERESIS 2

#endif /* FUNCTION_REGS_H */
