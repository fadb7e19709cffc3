// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-status: how an endpoint of a CRU, its links, its ONU and its PON are.
 */
#include "status.h"

#include "cru_tool.h"
#include "output.h"
#include "tool.h"

struct values {
	struct common_options common;
	const char *id;
	struct output_options output;
	bool onu;
	bool fec;
	bool no_optical;
	uint32_t links;
};

static const struct option_spec options[] = {
	{.name = "id",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct values, id),
	 .arg = "ID",
	 .required = true,
	 .help = "Card"},
	{.name = "links",
	 .type = OPTION_LINKS,
	 .offset = offsetof(struct values, links),
	 .arg = "LIST",
	 .fallback = "0-11",
	 .help = "Links to show"},
	{.name = "onu-status",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct values, onu),
	 .help = "Show the ONU, too; clears its sticky bits"},
	{.name = "fec-status",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct values, fec),
	 .help = "Show the error correction of the PON, too"},
	{.name = "no-optical",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct values, no_optical),
	 .help = "Do not read the links' optical power, which takes longest"},
	OUTPUT_OPTIONS(struct values),
};

static int run(const void *p)
{
	unsigned int flags = ROC_CRU_STATUS_OPTICAL;
	const struct values *v = p;
	struct status_report r = {.time = 0};
	enum output_format format;
	struct roc_endpoint *ep;
	int code, err;

	code = output_choose(&v->output, &format);
	if (!code)
		code = cru_links_check(v->links);
	if (!code)
		code = cru_open(v->id, &r.card, &ep);
	if (code)
		return code;
	if (v->no_optical)
		flags = 0;
	if (v->onu)
		flags |= ROC_CRU_STATUS_ONU;
	if (v->fec)
		flags |= ROC_CRU_STATUS_FEC;
	err = roc_cru_status_read(ep, v->links, flags, &r.cru);
	roc_close(ep);
	if (err)
		return tool_fail("%s", roc_error());
	r.time = output_time();
	switch (format) {
	case OUTPUT_TEXT:
		status_text(stdout, &r, v->common.verbose, output_colours(stdout));
		break;
	case OUTPUT_JSON:
		status_json(stdout, &r);
		break;
	case OUTPUT_MONITORING:
		status_influx(stdout, &r);
		break;
	case OUTPUT_OPENMETRICS:
		status_openmetrics(stdout, &r);
		break;
	}
	return TOOL_OK;
}

const struct tool tool_status = {
	.name = "status",
	.summary = "Show how a card and its links are",
	.example = "--id=3b:00.0 --onu-status",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
