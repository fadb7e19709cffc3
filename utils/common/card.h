/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties and operations of each card type that the tools support (table in cards.c), and lookup
 * of cards. An operation that a card type lacks is NULL; the tools then fail with a message.
 */
#ifndef ROC_UTILS_CARD_H
#define ROC_UTILS_CARD_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "output.h"

struct config_ops;

/* Which parts of a card to show, and in which format. */
struct card_request {
	enum output_format format;
	bool colours;
	bool verbose;
	uint32_t links; /* 0: all */
	bool onu, fec, no_optical;
};

/* Read a card and print it. Return an exit code; a failure has been reported. */
typedef int (*card_show_fn)(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
			    const struct card_request *request);

/* Contents of the pages that a data source sends. */
enum check_data {
	CHECK_NONE,	/* the card has no such source */
	CHECK_INTERNAL, /* a counter in all lanes, no header */
	CHECK_DDG,	/* a header, and a counter that restarts in each packet */
	CHECK_RUNNING,	/* a header, and a 32-bit counter that continues from packet to packet */
	CHECK_HEADERS,	/* a header, and any front-end data */
};

struct roc_p40_generator;
struct roc_p40_status;
struct roc_robinnp_generator;
struct roc_robinnp_link;
struct roc_robinnp_status;
struct roc_robinnp_sub;

/* Register access for a card with streams; see the functions of roc/p40.h. */
struct stream_registers {
	int (*status_read)(struct roc_endpoint *ep, struct roc_p40_status *status);
	int (*generator_read)(struct roc_endpoint *ep, unsigned int stream,
			      struct roc_p40_generator *g);
	int (*generator_set)(struct roc_endpoint *ep, unsigned int stream,
			     const struct roc_p40_generator *g);
};

/* Register access for a card with sub-units; see roc/robinnp.h. Links are numbered per card. */
struct fragment_registers {
	int (*status_read)(struct roc_endpoint *ep, struct roc_robinnp_status *status);
	int (*sub_read)(struct roc_endpoint *ep, unsigned int sub, struct roc_robinnp_sub *counts);
	int (*link_read)(struct roc_endpoint *ep, unsigned int link,
			 struct roc_robinnp_link *counts);
	int (*generator_read)(struct roc_endpoint *ep, unsigned int link,
			      struct roc_robinnp_generator *g);
	int (*generator_set)(struct roc_endpoint *ep, unsigned int link,
			     const struct roc_robinnp_generator *g);
};

#define CARD_SOURCES (ROC_SOURCE_SIU + 1)
#define CARD_BOARDS 2

/* PCI IDs of a board that carries the card. */
struct card_board {
	unsigned int vendor, device; /* vendor 0: unused entry */
	bool shared_id;		     /* other devices, no readout cards, have this ID as well */
};

struct card_type {
	enum roc_card_type type;
	const char *name;  /* with its article, for messages: "a CRU" */
	const char *sysfs; /* value of the card_type attribute */
	struct card_board boards[CARD_BOARDS];
	int endpoints; /* per board */
	bool sensor;   /* endpoint 0 has the temperature sensor of the board */
	/* roc-bench-dma: contents of each source; CHECK_NONE: the card has no such source. */
	enum check_data data[CARD_SOURCES];
	bool any_link; /* the link number in a header is undefined */
	bool hammer;   /* has a register that can be read while data are taken */
	/* Degrees Celsius, NAN: unknown; NULL: no sensor. */
	double (*temperature)(struct roc_endpoint *ep);
	bool pon;	      /* roc-status: connected to a PON */
	bool links;	      /* roc-status: supports --links */
	card_show_fn status;  /* roc-status */
	card_show_fn packets; /* roc-pkt-monitor; NULL: use @tool stats */
	bool ddl;	      /* roc-siu-status */
	bool flash;	      /* roc-flash, roc-flash-read */
	bool cru;   /* roc-ctp-emulator, roc-loopback, roc-pat-player, roc-trig-monitor, roc-ul */
	bool drops; /* can drop data without filling a superpage: roc-node-check --find-latency */
	bool no_endpoint_tag;		 /* dashboards have no endpoint tag for it */
	const struct config_ops *config; /* roc-config; NULL: use @tool set */
	/* Cards with streams or sub-units: their tool and their register access. */
	const char *tool;
	const struct stream_registers *streams;
	const struct fragment_registers *fragments;
};

extern const struct card_type card_types[]; /* ends with an entry of type 0 */

/* Report a card of an unsupported type. Return an exit code. */
int card_fail_unknown(const struct roc_card *card, const char *id);

/*
 * Get the register access of a card with sub-units. Return an exit code; a failure has been
 * reported.
 */
int card_fragments(const struct roc_card *card, const char *id,
		   const struct fragment_registers **registers);

/* Return the entry of a card type, NULL: unsupported. */
const struct card_type *card_type_find(enum roc_card_type type);

/*
 * Open card @id. Fills in @card, @ep and @type; the caller closes @ep. Return an exit code; a
 * failure has been reported.
 */
int card_open(const char *id, struct roc_card *card, struct roc_endpoint **ep,
	      const struct card_type **type);
/* As card_open(), for a card of any type, even an unsupported one. */
int card_open_any(const char *id, struct roc_card *card, struct roc_endpoint **ep);
/* As card_open(), without opening the card. */
int card_find(const char *id, struct roc_card *card, const struct card_type **type);

/*
 * List all cards; the caller frees *@cards. Return an exit code. It is a failure if there is none;
 * the message distinguishes a missing driver from missing hardware.
 */
int cards_list(struct roc_card **cards, size_t *count);

/* "a CRU", "a C-RORC", for messages. */
const char *card_name(enum roc_card_type type);

/*
 * Name of a card for messages: @id, the name that the user gave (may be NULL), and the PCI address.
 * Valid until the next call.
 */
const char *card_called(const struct roc_card *card, const char *id);

/*
 * Check that the card has a valid serial number: without one, its metrics cannot be attributed to a
 * card. Return an exit code. With @force, the failure is only a note.
 */
int card_serial_check(const struct roc_card *card, const char *id, bool force);

/*
 * Open CRU @id. Fills in @card and @ep; the caller closes @ep. Return an exit code; a failure has
 * been reported.
 */
int cru_open(const char *id, struct roc_card *card, struct roc_endpoint **ep);

/* Temperature of the FPGA in degrees Celsius; NAN: the sensor has no valid reading. */
double cru_temperature(struct roc_endpoint *ep);

#endif
