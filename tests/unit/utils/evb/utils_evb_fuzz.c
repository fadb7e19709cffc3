// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run the corpus of the fuzzer of the JSON parsers of roc-evb.
 */
#include "unit.h"

#include "tests/fuzz/evb_records.c"

#define CORPUS "tests/fuzz/corpus/evb_records/"

#include "tests/unit/fuzz_corpus.h"

static void corpus(void)
{
	corpus_is_run(9);
}

UNIT_MAIN("corpus of the fuzzer of records", {"corpus", corpus}, {"changed", changed})
