// SPDX-License-Identifier: GPL-2.0-or-later
/* Corpus of the fuzzer for the messages of roc-rosd and its clients. */
#include "unit.h"

#include "tests/fuzz/ros_protocol.c"

#define CORPUS "tests/fuzz/corpus/ros_protocol/"

#include "tests/unit/fuzz_corpus.h"

static void corpus(void)
{
	corpus_is_run(30);
}

UNIT_MAIN("corpus of the fuzzer of the protocol", {"corpus", corpus}, {"changed", changed})
