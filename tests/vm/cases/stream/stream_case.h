/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common functions of the stream cases: begin and end one, and settings by the ABI. */
#ifndef CASE_STREAM_CASE_H
#define CASE_STREAM_CASE_H

#include "common/case.h"
#include "common/reader.h"

static inline void start(struct reader *r)
{
	emu_normal_p40(CARD0);
	UNIT_NEED(reader_open(r));
}

static inline void finish(struct reader *r)
{
	READER_OK(r);
	CU_ASSERT(reader_stop(r));
	reader_close(r);
	CU_ASSERT(emu_clean(CARD0));
}

static inline int set(int fd, uint32_t what, struct roc_st_settings s)
{
	s.size = sizeof(s);
	s.set = what;
	return abi(fd, ROC_ST_SETTINGS, &s);
}

#endif
