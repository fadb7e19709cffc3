// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-status: status of a card and its links; for a CRU also its ONU and PON.
 */
#include "status.h"

#include "utils/common/output.h"
#include "utils/common/tool.h"

struct status_options {
	struct common_options common;
	const char *id;
	struct output_options output;
	bool onu;
	bool fec;
	bool no_optical;
	uint32_t links;
};

static const struct option_spec options[] = {
	ID_OPTION(struct status_options),
	{.name = "links",
	 .type = OPTION_LINKS,
	 .offset = offsetof(struct status_options, links),
	 .arg = "LIST",
	 .max = ROC_CRU_LINKS - 1,
	 .help = "Show only these links (default: all)"},
	FLAG_OPTION(struct status_options, "onu-status", onu,
		    "Show the ONU as well; clears its sticky bits (CRU only)"),
	FLAG_OPTION(struct status_options, "fec-status", fec,
		    "Show the error correction of the PON as well (CRU only)"),
	FLAG_OPTION(struct status_options, "no-optical", no_optical,
		    "Do not read the optical power of the links, which takes the longest time"),
	OUTPUT_OPTIONS(struct status_options),
};

int status_show_cru(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		    const struct card_request *q)
{
	struct status_report r = {.card = *card};
	unsigned int flags = 0;

	if (!q->no_optical)
		flags |= ROC_CRU_STATUS_OPTICAL;
	if (q->onu)
		flags |= ROC_CRU_STATUS_ONU;
	if (q->fec)
		flags |= ROC_CRU_STATUS_FEC;
	/* The text output has packet counters only with --verbose. */
	if (q->format == OUTPUT_TEXT && !q->verbose)
		flags |= ROC_CRU_STATUS_NO_PACKETS;
	if (roc_cru_status_read(ep, q->links ? q->links : ROC_CRU_ALL_LINKS, flags, &r.cru))
		return tool_fail("%s", roc_error());
	if (channels_read(card, &r.channels))
		return TOOL_FAILED;
	r.time = output_time();
	output_show(out, q->format, &status_forms, &r, q->verbose, q->colours);
	return TOOL_OK;
}

static int run(const void *p)
{
	const struct status_options *v = p;
	struct card_request request = {
		.verbose = v->common.verbose,
		.links = v->links,
		.onu = v->onu,
		.fec = v->fec,
		.no_optical = v->no_optical,
	};
	const struct card_type *type;
	struct roc_endpoint *ep;
	struct output output;
	struct roc_card card;
	int code;

	code = output_begin(&v->output, &output);
	if (code)
		return code;
	request.format = output.format;
	request.colours = output_colours(output.out);
	code = card_open(v->id, &card, &ep, &type);
	if (code)
		goto out;
	if ((v->onu || v->fec) && !type->pon)
		code = tool_fail("%s is %s, which has no PON: omit --%s-status.",
				 card_called(&card, v->id), card_name(card.type),
				 v->onu ? "onu" : "fec");
	else if (v->links && !type->links)
		code = tool_fail("%s is %s, whose links cannot be selected: omit --links.",
				 card_called(&card, v->id), card_name(card.type));
	else
		code = type->status(output.out, ep, &card, &request);
	roc_close(ep);
out:
	return output_end(&output, code);
}

const struct tool tool_status = {
	.name = "status",
	.summary = "Show the state of a card and its links",
	.example = "--id=3b:00.0 --onu-status",
	TOOL_OPTIONS(options, struct status_options),
	.run = run,
};
