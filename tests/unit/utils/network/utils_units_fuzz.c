// SPDX-License-Identifier: GPL-2.0-or-later
/* Corpus of the fuzzer for the input of roc-send, roc-recv and roc-replay. */
#include "unit.h"

#include "tests/fuzz/units.c"

#define CORPUS "tests/fuzz/corpus/units/"

#include "tests/unit/fuzz_corpus.h"

static void corpus(void)
{
	corpus_is_run(20);
}

UNIT_MAIN("corpus of the fuzzer of units", {"corpus", corpus}, {"changed", changed})
