// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets with raw data headers, as the datapath delivers them from front ends or from the detector
 * data generator.
 *
 * A link sends time frames of (length in the time-frame register) orbits; a time frame is
 * `packets-per-tf` packets, spread evenly over heartbeat frames at evenly spread orbits; the last
 * packet of a heartbeat frame is a bare header with the stop bit. Without a rate a link waits for
 * superpages; with one, packets come when the clock says, and those without a place are dropped and
 * counted. A dropped packet consumes its packet counter, so a reader detects the gap.
 */
#include "cru.h"

#define ALIGN 32 /* packed packets: the datapath is 256 bits wide */

/* States at the end of a CTP run: finish the heartbeat frame, send one with EOX, stop. */
enum cru_eox {
	EOX_NONE,
	EOX_FINISH,
	EOX_FRAME,
	EOX_STOP,
	EOX_DONE,
};

struct packet {
	uint32_t header[RDH_BYTES / 4];
	struct page page;
	uint32_t step; /* bytes to the next packet */
	bool last;     /* of its heartbeat frame */
};

bool cru_ctp_running(struct cru *c)
{
	return !(*cru_bar2_word(c, CRU_CTP_CONTROL) & CRU_CTP_CONTROL_RESET) &&
	       (*cru_bar2_word(c, CRU_CTP_RUN_MODE) & 3) != CRU_CTP_IDLE;
}

uint32_t cru_ddg_links(struct cru_ep *ep)
{
	uint32_t enable = *cru_bar2_word(ep->card, CRU_DATAPATH(ep->nr) + CRU_DATAPATH_ENABLE);
	uint32_t links = enable & CRU_DATAPATH_LINKS;

	/* User logic alone replaces the single links. */
	if (links & 1u << CRU_LINK_USER_LOGIC && !(enable & CRU_DATAPATH_USER_COMMON))
		links &= ~((1u << CRU_GBT_LINKS) - 1);
	return links & ~ep->links_down;
}

void cru_ddg_restart(struct cru_ep *ep)
{
	unsigned int l;

	for (l = 0; l < CRU_LINK_SLOTS; l++)
		ep->link[l].ddg.started = false;
}

void cru_ddg_gate_changed(struct cru *c)
{
	bool running = cru_ctp_running(c);
	unsigned int e, l;

	for (e = 0; e < CRU_ENDPOINTS; e++) {
		struct cru_ep *ep = &c->ep[e];

		if (ep->ctp_was == running)
			continue;
		ep->ctp_was = running;
		if (!ep->set.ctp)
			continue;
		if (running)
			cru_ddg_restart(ep);
		for (l = 0; l < CRU_LINK_SLOTS && !running; l++) {
			struct cru_ddg *g = &ep->link[l].ddg;

			if (g->started && !g->eox)
				g->eox = g->page ? EOX_FINISH : EOX_FRAME;
		}
	}
}

static void begin_tf(struct cru_ep *ep, struct cru_ddg *g)
{
	uint32_t spread;

	g->tf_length = ep->tf_reg >> CRU_TIME_FRAME_LENGTH_SHIFT;
	g->tf_packets = ep->set.packets_per_tf;
	/* With length 0 there are no time frames, but orbits must still advance. */
	spread = g->tf_length ? g->tf_length : CRU_TIME_FRAME_LENGTH_DEFAULT;
	g->tf_hbfs = g->tf_packets / 2 < spread ? g->tf_packets / 2 : spread;
	g->index = 0;
	g->hbf = 0;
	g->page = 0;
	if (g->tf_length || g->first)
		g->tf_id++;
}

static void start(struct cru_ep *ep, struct cru_ddg *g)
{
	g->started = true;
	g->first = true;
	g->packet_counter = 0;
	g->eox = EOX_NONE;
	g->payload = 0;
	g->tf_orbit =
		ep->set.orbit >= 0 ? ep->set.orbit : *cru_bar2_word(ep->card, CRU_CTP_INIT_ORBIT);
	begin_tf(ep, g);
}

static uint32_t spread_orbits(const struct cru_ddg *g)
{
	return g->tf_length ? g->tf_length : CRU_TIME_FRAME_LENGTH_DEFAULT;
}

static uint32_t orbit(const struct cru_ddg *g)
{
	return g->tf_orbit + (uint64_t)g->hbf * spread_orbits(g) / g->tf_hbfs;
}

static uint32_t hbf_end(const struct cru_ddg *g)
{
	return (uint64_t)(g->hbf + 1) * g->tf_packets / g->tf_hbfs;
}

static uint32_t trigger(const struct cru_ddg *g)
{
	uint32_t t = RDH_TRIGGER_ORBIT | RDH_TRIGGER_HB;

	if (g->first)
		t |= RDH_TRIGGER_SOC;
	if (!g->index && g->tf_length)
		t |= RDH_TRIGGER_TF;
	if (g->eox == EOX_FRAME || g->eox == EOX_STOP)
		t |= RDH_TRIGGER_EOC;
	return t;
}

/* Describe the next packet of a link without consuming it. */
static void build(struct cru_ep *ep, unsigned int l, struct packet *p)
{
	struct cru_ddg *g = &ep->link[l].ddg;
	struct cru *c = ep->card;
	uint32_t ids = *cru_bar2_word(c, CRU_DATAPATH_LINK(ep->nr, l) + CRU_DPL_IDS);
	uint32_t enable = *cru_bar2_word(c, CRU_DATAPATH(ep->nr) + CRU_DATAPATH_ENABLE);
	uint32_t cru_id =
		*cru_bar2_word(c, CRU_USER_CONTROL) >> CRU_USER_CONTROL_CRU_ID_SHIFT & 0xfff;
	struct rdh rdh = {
		.fee_id = ids,
		.system_id = ids >> 16,
		.link = ep->fault.bad_link ? (l + 1) % CRU_LINK_SLOTS : l,
		.packet_counter = g->packet_counter + ep->fault.skip_packet,
		.card_id = cru_id,
		.endpoint = ep->nr,
		.orbit = orbit(g),
		.trigger = trigger(g),
		.page = g->page,
	};

	p->last = g->index + 1 == hbf_end(g) || g->eox == EOX_FINISH || g->eox == EOX_STOP;
	memset(&p->page, 0, sizeof(p->page));
	p->page.header = p->header;
	p->page.pattern = PATTERN_DDG;
	p->page.counter = g->payload;
	p->page.payload = p->last || g->eox == EOX_FRAME ? 0 : ep->set.packet;
	rdh.bytes = page_bytes(&p->page);
	p->step = enable & CRU_DATAPATH_DYNAMIC_OFFSET ? (rdh.bytes + ALIGN - 1u) / ALIGN * ALIGN
						       : CRU_PAGE_SIZE;
	rdh.offset = ep->fault.offset_zero ? 0 : p->step;
	rdh.stop = p->last;
	rdh_build(p->header, &rdh);
}

static void use_up(struct cru_ep *ep, unsigned int l, const struct packet *p)
{
	struct cru_ddg *g = &ep->link[l].ddg;

	cru_fault_take(&ep->fault.offset_zero);
	cru_fault_take(&ep->fault.bad_link);
	g->packet_counter += ep->fault.skip_packet + 1;
	ep->fault.skip_packet = 0;
	g->payload += p->page.payload / 16;
	g->first = false;
	g->index++;
	g->page++;
	if (g->eox == EOX_STOP)
		g->eox = EOX_DONE;
	else if (g->eox == EOX_FRAME)
		g->eox = EOX_STOP;
	else if (g->eox == EOX_FINISH)
		g->eox = EOX_FRAME;
	if (!p->last)
		return;
	g->index = hbf_end(g);
	g->hbf++;
	g->page = 0;
	if (g->hbf == g->tf_hbfs) {
		g->tf_orbit += spread_orbits(g);
		begin_tf(ep, g);
	}
}

/* A new time frame needs a new superpage. The fault skips that switch. */
static void switch_superpage(struct cru_ep *ep, unsigned int l, uint64_t now)
{
	struct cru_link *k = &ep->link[l];

	if (!k->open || !k->used || k->cur_tf == k->ddg.tf_id)
		return;
	if (!cru_fault_take(&ep->fault.bad_tf))
		cru_link_close(ep, l, now);
}

static void note_orbits(struct cru_ep *ep, unsigned int l)
{
	const struct cru_ddg *g = &ep->link[l].ddg;

	if (!g->first)
		return;
	*cru_bar2_word(ep->card, CRU_DATAPATH_LINK(ep->nr, l) + CRU_DPL_ORBIT_SOR) = orbit(g);
	if (l == 0)
		*cru_bar2_word(ep->card, CRU_DATAPATH_LINK(ep->nr, 0) + CRU_DPL_FIRST_ORBIT) =
			orbit(g);
}

enum sent {
	SENT,
	NOTHING, /* no data, or no space for it: *when is the time of the next try */
	NO_MASTER,
};

static enum sent send(struct cru_ep *ep, unsigned int l, uint64_t now, uint32_t *bytes,
		      uint64_t *when)
{
	struct cru_link *k = &ep->link[l];
	struct packet p;

	/*
	 * In free-running mode a link starts with its first superpage, so that no run begins with
	 * drops. If the CTP emulator controls the run, its start is the start of all links.
	 */
	if (!k->ddg.started) {
		if (ep->set.ctp ? !ep->ctp_was : !cru_link_open(ep, l, now, when))
			return NOTHING;
		start(ep, &k->ddg);
	}
	if (k->ddg.eox == EOX_DONE)
		return NOTHING;
	switch_superpage(ep, l, now);
	build(ep, l, &p);
	*bytes = p.step;
	if (!cru_link_open(ep, l, now, when)) {
		if (!ep->set.rate)
			return NOTHING;
		note_orbits(ep, l);
		use_up(ep, l, &p);
		k->n.generated++;
		k->n.dropped++;
		cru_bar2_count(ep, l, true);
		return SENT;
	}
	if (cru_put_page(ep, l, &p.page, p.step) == CRU_PUT_WAIT)
		return NO_MASTER;
	k->cur_tf = k->ddg.tf_id;
	note_orbits(ep, l);
	use_up(ep, l, &p);
	k->n.generated++;
	cru_bar2_count(ep, l, false);
	if (k->cur.size - k->used < CRU_PAGE_SIZE)
		cru_link_close(ep, l, now);
	return SENT;
}

uint64_t cru_ddg_step(struct cru_ep *ep, uint64_t now, size_t budget)
{
	uint64_t soonest = CARD_STEP_IDLE, when;
	unsigned int idle = 0; /* links in a row that sent nothing */
	size_t moved = 0;
	uint32_t links, bytes;

	if (!(*cru_bar2_word(ep->card, CRU_USER_CONTROL) & CRU_USER_CONTROL_RUN))
		return CARD_STEP_IDLE;
	links = cru_ddg_links(ep);
	while (moved < budget && idle < CRU_LINK_SLOTS) {
		unsigned int l = ep->turn;

		if (!(links & 1u << l)) {
			ep->turn = (l + 1) % CRU_LINK_SLOTS;
			idle++;
			continue;
		}
		if (!cru_pace(ep, now, &when))
			return when;
		when = CARD_STEP_IDLE;
		switch (send(ep, l, now, &bytes, &when)) {
		case SENT:
			cru_pace_spend(ep, bytes);
			moved += bytes;
			idle = 0;
			break;
		case NO_MASTER:
			return CARD_STEP_IDLE;
		case NOTHING:
			idle++;
			break;
		}
		if (when < soonest)
			soonest = when;
		ep->turn = (l + 1) % CRU_LINK_SLOTS;
	}
	return idle < CRU_LINK_SLOTS ? CARD_STEP_AGAIN : soonest;
}
