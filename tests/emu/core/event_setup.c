// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event interface: start-up settings, the configuration space that depends on them, faults, counts.
 */
#include "events.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int event_set_offered(struct event_setup *s, const char *text, char *err)
{
	uint64_t value;

	if (value_on_off.parse(text, &value, err))
		return -1;
	s->offered = value;
	return 0;
}

void event_get_offered(const struct event_setup *s, char *text, size_t size)
{
	value_on_off.print(s->offered, text, size);
}

static const char *const interrupts[] = {
	[EVENT_MSIX] = "msix",
	[EVENT_MSIX_OPEN] = "msix-open",
	[EVENT_MSI] = "msi",
	[EVENT_NO_INTERRUPTS] = "none",
};

int event_set_interrupts(struct event_setup *s, const char *text, char *err)
{
	unsigned int i;

	for (i = 0; i < sizeof(interrupts) / sizeof(interrupts[0]); i++) {
		if (strcmp(interrupts[i], text))
			continue;
		s->interrupts = i;
		return 0;
	}
	snprintf(err, CARD_ERR, "'%.40s' is none of msix, msix-open, msi, none", text);
	return -1;
}

void event_get_interrupts(const struct event_setup *s, char *text, size_t size)
{
	snprintf(text, size, "%s", interrupts[s->interrupts]);
}

int event_set_vectors(struct event_setup *s, const char *text, char *err)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!*text || *text == '-' || *end || n > CARD_VECTORS) {
		snprintf(err, CARD_ERR, "'%.40s' is not a number from 0 to %d", text, CARD_VECTORS);
		return -1;
	}
	s->vectors = n;
	return 0;
}

void event_get_vectors(const struct event_setup *s, char *text, size_t size)
{
	snprintf(text, size, "%u", s->vectors);
}

/* A position in the format of the capability. */
static uint32_t at(unsigned int bar, uint32_t off)
{
	return bar | off;
}

/* The part of the setup that concerns interrupts. */
void event_vectors(const struct event_setup *s, struct card_messages *m)
{
	memset(m, 0, sizeof(*m));
	if (s->interrupts == EVENT_NO_INTERRUPTS || !s->vectors)
		return;
	/* The number of MSI messages is a power of two. */
	for (m->msi = 1; m->msi * 2 <= s->vectors; m->msi *= 2)
		;
	if (s->interrupts == EVENT_MSI)
		return;
	m->msix = s->vectors;
	m->bar = s->interrupts == EVENT_MSIX_OPEN ? 2 : s->bar;
	m->table = s->table_offset;
	m->pending = s->pending_offset;
}

void event_messages(const struct event_card *e, struct card_messages *m)
{
	const struct event_setup *s = e->setup;
	const uint32_t words[] = {
		EVENT_VSEC_SIGNATURE_VALUE,    e->channels | EVENT_RING_MAX << 8 | s->vectors << 16,
		at(s->bar, s->channel_offset), at(s->bar_stride, 0),
		at(s->bar, s->card_offset),
	};

	memset(m, 0, sizeof(*m));
	if (!s->offered)
		return;
	event_vectors(s, m);
	m->vendor.id = EVENT_VSEC_ID;
	m->vendor.revision = EVENT_VSEC_REVISION;
	m->vendor.count = sizeof(words) / sizeof(words[0]);
	memcpy(m->vendor.word, words, sizeof(words));
	_Static_assert(sizeof(words) + VSEC_SIGNATURE == EVENT_VSEC_LENGTH, "all of it");
}

uint64_t *event_fault(struct event_card *e, const char *name)
{
	struct event_faults *f = &e->fault;
	const struct {
		const char *name;
		uint64_t *value;
	} faults[] = {
		{"irq-lost", &f->irq_lost},
		{"irq-spurious", &f->irq_spurious_ms},
		{"record-late", &f->record_late_us},
		{"record-twice", &f->record_twice},
		{"record-sequence", &f->record_sequence},
		{"record-overrun", &f->record_overrun},
		{"record-hole", &f->record_hole},
		{"flushed-missing", &f->flushed_missing},
		{"damaged", &f->damaged},
		{"short", &f->short_bytes},
		{"empty", &f->empty},
		{"end-missing", &f->end_missing},
		{"fetch-error", &f->fetch_error},
		{"never-quiet", &f->never_quiesced},
		{"quiet-late", &f->quiesced_late_us},
	};
	unsigned int i;

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (!strcmp(faults[i].name, name))
			return faults[i].value;
	}
	return NULL;
}

void event_fault_set(struct event_card *e, uint64_t *fault, uint64_t arg)
{
	*fault = arg;
	if (fault == &e->fault.irq_spurious_ms)
		e->fault.spurious_now = true;
}

static void count(struct json *j, const struct event_counts *n)
{
	json_uint(j, "doorbells", n->doorbells);
	json_uint(j, "arms", n->arms);
	json_uint(j, "fetches", n->fetches);
	json_uint(j, "descriptors", n->descriptors);
	json_uint(j, "records", n->records);
	json_uint(j, "refused", n->refused);
	json_uint(j, "ends", n->ends);
	json_uint(j, "interrupts", n->interrupts);
	json_uint(j, "unrouted", n->unrouted);
	json_uint(j, "fetch_waits", n->waits);
	json_uint(j, "record_stalls", n->stalls);
	json_uint(j, "host_errors", n->host_errors);
	json_uint(j, "fetch_errors", n->fetch_errors);
}

void event_counts(struct event_card *e, struct json *j)
{
	struct event_counts sum = {0};
	unsigned int c, i;

	for (c = 0; c < e->channels; c++) {
		const uint64_t *from = (const uint64_t *)&e->ch[c].n;
		uint64_t *to = (uint64_t *)&sum;

		for (i = 0; i < sizeof(sum) / sizeof(*to); i++)
			to[i] += from[i];
	}
	count(j, &sum);
	json_uint(j, "alarms", e->alarms);
	json_array(j, "channels");
	for (c = 0; c < e->channels; c++) {
		json_object(j, NULL);
		json_uint(j, "channel", c);
		json_bool(j, "enabled", event_enabled(e, c));
		count(j, &e->ch[c].n);
		json_end_object(j);
	}
	json_end_array(j);
}

void event_clear(struct event_card *e)
{
	unsigned int c;

	for (c = 0; c < e->channels; c++)
		memset(&e->ch[c].n, 0, sizeof(e->ch[c].n));
	e->alarms = 0;
	e->dma_outside = 0;
}
