/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tools know of each card type: one table (cards.c). What a card does not have is left
 * out there, and the tools say so. And how tools find a card and call it in their sentences.
 */
#ifndef ROC_UTILS_CARD_H
#define ROC_UTILS_CARD_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "output.h"

struct config_ops;

/* What of a card is to be shown, and how. */
struct card_request {
	enum output_format format;
	bool colours;
	bool verbose;
	uint32_t links; /* 0: all */
	bool onu, fec, no_optical;
};

/* Read a card and show it. Exit code; after a failure the message is out. */
typedef int (*card_show_fn)(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
			    const struct card_request *request);

/* What is in the pages that a source sends. */
enum check_data {
	CHECK_NONE,	/* the card has no such source */
	CHECK_INTERNAL, /* counter in all lanes, no header */
	CHECK_DDG,	/* header, and a counter that each packet starts anew */
	CHECK_RUNNING,	/* header, and a 32-bit counter that runs on from packet to packet */
	CHECK_HEADERS,	/* header, and whatever the front end sends */
};

struct roc_p40_generator;
struct roc_p40_status;
struct roc_robinnp_generator;
struct roc_robinnp_link;
struct roc_robinnp_status;
struct roc_robinnp_sub;

/* The registers of a card whose channels are streams. As the functions of roc/p40.h. */
struct stream_registers {
	int (*status_read)(struct roc_endpoint *ep, struct roc_p40_status *status);
	int (*generator_read)(struct roc_endpoint *ep, unsigned int stream,
			      struct roc_p40_generator *g);
	int (*generator_set)(struct roc_endpoint *ep, unsigned int stream,
			     const struct roc_p40_generator *g);
};

/* The same of sub-units, and of roc/robinnp.h. Links are numbered through the card. */
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

/* A board that carries the card, as the PCI bus shows it. */
struct card_board {
	unsigned int vendor, device; /* vendor 0: there is none */
	bool shared_id;		     /* devices that are no readout cards have this ID, too */
};

struct card_type {
	enum roc_card_type type;
	const char *name;  /* in sentences: "a CRU" */
	const char *sysfs; /* its card_type */
	struct card_board boards[CARD_BOARDS];
	int endpoints; /* of a board */
	bool sensor;   /* endpoint 0 has the board's temperature */
	/* roc-bench-dma: what each source sends, CHECK_NONE: there is no such source. */
	enum check_data data[CARD_SOURCES];
	bool any_link; /* the link in a header says nothing */
	bool hammer;   /* has a register that can be read beside the data */
	/* Degrees Celsius, NAN unknown; NULL: no sensor. */
	double (*temperature)(struct roc_endpoint *ep);
	bool pon;	      /* it hangs on a PON: roc-status can show it */
	bool links;	      /* roc-status can show some of its links alone */
	card_show_fn status;  /* roc-status */
	card_show_fn packets; /* roc-pkt-monitor; NULL: see @tool stats */
	bool ddl;	      /* roc-siu-status */
	bool flash;	      /* roc-flash, roc-flash-read */
	bool cru;   /* roc-ctp-emulator, roc-loopback, roc-pat-player, roc-trig-monitor, roc-ul */
	bool drops; /* loses data without a superpage: roc-node-check --find-latency */
	bool no_endpoint_tag;		 /* dashboards know no endpoint of it: it has only one */
	const struct config_ops *config; /* roc-config; NULL: see @tool set */
	/* Cards with streams or sub-units: their tool, and where it finds counts and generators. */
	const char *tool;
	const struct stream_registers *streams;
	const struct fragment_registers *fragments;
};

extern const struct card_type card_types[]; /* the table; ends with a type of 0 */

/* Report a card that these tools do not know. Exit code. */
int card_fail_unknown(const struct roc_card *card, const char *id);

/* The registers of a card with sub-units. Exit code; after a failure the message is out. */
int card_fragments(const struct roc_card *card, const char *id,
		   const struct fragment_registers **registers);

/* NULL: a card that these tools do not know. */
const struct card_type *card_type_find(enum roc_card_type type);

/*
 * Open the card that @id means. @card, @ep and @type are filled in; the caller closes @ep. Exit
 * code; after a failure the message is out.
 */
int card_open(const char *id, struct roc_card *card, struct roc_endpoint **ep,
	      const struct card_type **type);
/* The same, of any type. */
int card_open_any(const char *id, struct roc_card *card, struct roc_endpoint **ep);
/* card_open() without opening it: @card and @type only. */
int card_find(const char *id, struct roc_card *card, const struct card_type **type);

/*
 * All cards; the caller frees *@cards. Exit code: there being none is a failure, for which the
 * message says whether it is the driver or the hardware.
 */
int cards_list(struct roc_card **cards, size_t *count);

/* "a CRU", "a C-RORC": for sentences. */
const char *card_name(enum roc_card_type type);

/*
 * In sentences: what the user called it, NULL: nothing, and its PCI address, which the lists show.
 * Valid until the next call.
 */
const char *card_called(const struct roc_card *card, const char *id);

/*
 * A card that lost its serial number is in a bad state, and its figures cannot be told apart from
 * another's. Exit code; @force: only a note.
 */
int card_serial_check(const struct roc_card *card, const char *id, bool force);

/*
 * Open the CRU that @id means. @card and @ep are filled in; the caller closes @ep. Exit code;
 * after a failure the message is out.
 */
int cru_open(const char *id, struct roc_card *card, struct roc_endpoint **ep);

/* Of the FPGA, degrees Celsius; NAN: the sensor does not say. */
double cru_temperature(struct roc_endpoint *ep);

#endif
