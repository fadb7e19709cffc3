// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse card ids: "[dddd:]bb:dd.f", "serial[:endpoint]", "#n".
 *
 * A dot makes an id a PCI address, a leading # a sequence number, anything else is a serial number.
 * So no text is ambiguous.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "libroc.h"

#define ID_FORMS "an id is a PCI address [dddd:]bb:dd.f, serial[:endpoint], or #n"

#define SERIAL_DIGITS 6
#define DOMAIN_DIGITS 8 /* virtual domains (VMD) have more than 4 */

/*
 * Parse a number of 1 to max_digits digits at *text and advance *text past it. Return false if
 * there is no such number.
 */
static bool number(const char **text, unsigned int base, size_t max_digits, unsigned long *value)
{
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
	size_t n = strspn(*text, digits);
	size_t i;

	if (!n || n > max_digits)
		return false;
	for (*value = 0, i = 0; i < n; i++) {
		char c = (*text)[i];

		*value = *value * base + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	*text += n;
	return true;
}

static int parse_pci(const char *text, struct libroc_id *id)
{
	unsigned long part[3] = {0};
	unsigned long function;
	const char *p = text;
	unsigned int n = 0;

	for (;;) {
		if (n == 3 || !number(&p, 16, DOMAIN_DIGITS, &part[n]))
			goto malformed;
		n++;
		if (*p == '.')
			break;
		if (*p++ != ':')
			goto malformed;
	}
	p++;
	if (n < 2 || !number(&p, 16, 1, &function) || *p)
		goto malformed;
	if (part[n - 2] > 0xff)
		return roc_fail(EINVAL, "card id '%s': PCI bus %lx is above ff", text, part[n - 2]);
	if (part[n - 1] > 0x1f)
		return roc_fail(EINVAL, "card id '%s': PCI device %lx is above 1f", text,
				part[n - 1]);
	if (function > 7)
		return roc_fail(EINVAL, "card id '%s': PCI function %lx is above 7", text,
				function);
	id->kind = LIBROC_ID_PCI;
	id->domain = n == 3 ? (long)part[0] : -1;
	id->bus = part[n - 2];
	id->device = part[n - 1];
	id->function = function;
	return 0;

malformed:
	return roc_fail(
		EINVAL,
		"card id '%s': not a PCI address: [domain:]bus:device.function in hexadecimal, such as 3b:00.0 or 0000:3b:00.0",
		text);
}

static int parse_sequence(const char *text, struct libroc_id *id)
{
	const char *p = text + 1;
	unsigned long n;

	if (!number(&p, 10, 10, &n) || *p)
		return roc_fail(
			EINVAL,
			"card id '%s': # must be followed by a decimal number and nothing else, such as #0",
			text);
	if (n > INT_MAX)
		return roc_fail(EINVAL, "card id '%s': the sequence number is above %d", text,
				INT_MAX);
	id->kind = LIBROC_ID_SEQUENCE;
	id->sequence = n;
	return 0;
}

static int parse_serial(const char *text, struct libroc_id *id)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long serial, endpoint;
	const char *p = text;

	if (digits > SERIAL_DIGITS && (!text[digits] || text[digits] == ':'))
		return roc_fail(EINVAL,
				"card id '%s': the serial number has %zu digits, more than %d",
				text, digits, SERIAL_DIGITS);
	if (!number(&p, 10, SERIAL_DIGITS, &serial))
		return roc_fail(EINVAL, "card id '%s': " ID_FORMS, text);
	id->kind = LIBROC_ID_SERIAL;
	id->serial = serial;
	id->endpoint = -1;
	if (!*p)
		return 0;
	if (*p != ':')
		return roc_fail(EINVAL, "card id '%s': " ID_FORMS, text);
	p++;
	if (!number(&p, 10, 2, &endpoint) || *p)
		return roc_fail(
			EINVAL,
			"card id '%s': the endpoint after ':' must be a decimal number of one or two digits (a PCI address needs its function too: bb:dd.f)",
			text);
	id->endpoint = endpoint;
	return 0;
}

int libroc_id_parse(const char *text, struct libroc_id *id)
{
	memset(id, 0, sizeof(*id));
	if (!text || !*text)
		return roc_fail(EINVAL, "the card id is empty: " ID_FORMS);
	if (strlen(text) > 64)
		return roc_fail(EINVAL, "card id '%.20s...' is too long: " ID_FORMS, text);
	if (text[0] == '#')
		return parse_sequence(text, id);
	if (strchr(text, '.'))
		return parse_pci(text, id);
	return parse_serial(text, id);
}

bool libroc_id_matches(const struct libroc_id *id, const struct roc_card *card)
{
	const char *p = card->pci_address;
	unsigned long domain, bus, device, function;

	switch (id->kind) {
	case LIBROC_ID_SEQUENCE:
		return card->sequence == id->sequence;
	case LIBROC_ID_SERIAL:
		return card->serial == id->serial &&
		       (id->endpoint < 0 || card->endpoint == id->endpoint);
	case LIBROC_ID_PCI:
		return number(&p, 16, DOMAIN_DIGITS, &domain) && *p++ == ':' &&
		       number(&p, 16, 2, &bus) && *p++ == ':' && number(&p, 16, 2, &device) &&
		       *p++ == '.' && number(&p, 16, 1, &function) &&
		       (id->domain < 0 || domain == (unsigned long)id->domain) && bus == id->bus &&
		       device == id->device && function == id->function;
	}
	return false;
}
