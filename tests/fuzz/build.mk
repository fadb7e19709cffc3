# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fuzz parsers with clang's libFuzzer. Each NAME.c here is a target, corpus/NAME/ its initial corpus. New
# inputs go to $(O)/fuzz/. A unit test runs the corpus with any compiler.

FUZZ_CC ?= clang-14
FUZZ_TIME ?= 60
FUZZ_NAMES := $(basename $(notdir $(wildcard tests/fuzz/*.c)))
FUZZ_SOURCES_ros_protocol := utils/ros/protocol.c
FUZZ_SOURCES_units := utils/network/wire.c utils/record/recording_format.c utils/record/crc32c.c \
	utils/units/outside.c libroc/fabric/control.c libroc/fabric/base.c
FUZZ_SOURCES_mep := libroc/core/mep.c
FUZZ_SOURCES_evb_message := libroc/evb/message.c libroc/evb/table.c
FUZZ_SOURCES_evb_records := utils/evb/record.c utils/evb/etcd_json.c \
	utils/common/numbers.c libroc/evb/table.c
FUZZ_LIBS_evb_records := -ljson-c
FUZZ_FLAGS := -std=gnu11 -D_GNU_SOURCE -iquote . -Ilibroc/include -g -O1 -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=undefined

.PHONY: fuzz $(FUZZ_NAMES:%=fuzz-%)

fuzz: $(FUZZ_NAMES:%=fuzz-%)

# A compiler call with several sources reports the headers of one only, so all headers are listed.
FUZZ_HEADERS := $(wildcard libroc/*/*.h libroc/include/roc/*.h utils/*/*.h)

define fuzz_program
$(O)/fuzz/$(1): tests/fuzz/$(1).c $(FUZZ_SOURCES_$(1)) $(FUZZ_HEADERS) $(RULES)
	@command -v $(FUZZ_CC) >/dev/null || { echo "make fuzz: there is no $(FUZZ_CC): install clang-14" \
		"and libclang-rt-14-dev, or give FUZZ_CC=" >&2; exit 1; }
	@mkdir -p $$(@D)
	$(FUZZ_CC) $(FUZZ_FLAGS) -o $$@ $$(filter %.c,$$^) $(FUZZ_LIBS_$(1))

fuzz-$(1): $(O)/fuzz/$(1)
	@mkdir -p $(O)/fuzz/corpus/$(1)
	$(O)/fuzz/$(1) -max_total_time=$(FUZZ_TIME) -max_len=8192 -print_final_stats=1 \
		-artifact_prefix=$(O)/fuzz/$(1)- $(O)/fuzz/corpus/$(1) tests/fuzz/corpus/$(1)
endef
$(foreach name,$(FUZZ_NAMES),$(eval $(call fuzz_program,$(name))))
