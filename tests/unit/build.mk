# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build and run the unit tests on the host. Each NAME.c in a folder here is one CUnit program,
# $(O)/unit/NAME. The folders are named after the tested code; kernel/ and libraries/ replace the kernel
# and the libraries of vendors. A program links the libraries of its folder (UNIT_FOLDER_LIBS) and
# UNIT_LIBS_NAME: objects, archives or -l flags. --wrap replaces functions by those of the test.
# `make unit` runs all programs, UNIT="NAME ..." only some.

UNIT_SRCS := $(filter-out tests/unit/kernel/% tests/unit/libraries/%,$(sort $(shell find tests/unit -name '*.c')))
UNIT_NAMES := $(basename $(notdir $(UNIT_SRCS)))
UNIT_OBJS := $(UNIT_SRCS:%.c=$(O)/%.o)
UNIT_TIMEOUT ?= 300
# Parallel programs: most of them wait more than they compute. The longest ones start first.
UNIT_JOBS ?= $(shell expr 2 '*' $$(nproc))
UNIT_LONG := utils_send_lost utils_evb_etcd utils_evb_node libroc_evb_fail libroc_evb_stuck utils_bad_peers utils_evb_static
UNIT ?= $(UNIT_LONG) $(filter-out $(UNIT_LONG),$(UNIT_NAMES))

UNIT_FOLDER_LIBS_emu = $(EMU_OBJS)
# Files of the module that use integer types only; kernel/ has the headers that they include.
# libroc/build.mk builds kmod_ring.o, because the test of the library's rings needs it too.
UNIT_KMOD_SOURCES := $(addprefix kmod/,core/extent.c core/vsec.c pool/event_vsec.c pool/pace.c \
	stream/position.c stream/stream_vsec.c fragment/count.c fragment/fragment_vsec.c)
UNIT_KMOD_OBJS := $(patsubst %.c,$(O)/tests/unit/kernel/kmod_%.o,$(notdir $(UNIT_KMOD_SOURCES)))
UNIT_FOLDER_LIBS_kmod = $(UNIT_KMOD_OBJS) $(O)/tests/unit/kernel/kmod_ring.o
UNIT_FOLDER_LIBS_libroc = $(O)/libroc/libroc.a
UNIT_FOLDER_LIBS_libroc_board = $(O)/libroc/libroc-board.a
UNIT_FOLDER_LIBS_libroc_evb = $(O)/libroc/libroc-evb.a
UNIT_FOLDER_LIBS_libroc_fabric = $(LIBROC_FABRIC_OBJS)
UNIT_FOLDER_LIBS_utils = $(O)/utils/libutils.a $(O)/libroc/libroc-evb.a $(O)/libroc/libroc-board.a \
	$(O)/libroc/libroc.a $(UTILS_LIBS)

# Libraries by subfolder, by folder, and by name.
unit_folders = $(subst /, ,$(patsubst tests/unit/%,%,$(filter %/$(1).c,$(UNIT_SRCS))))
unit_folder_libs = $(UNIT_FOLDER_LIBS_$(word 1,$(1))_$(word 2,$(1))) $(UNIT_FOLDER_LIBS_$(word 1,$(1)))
unit_libs = $(call unit_folder_libs,$(call unit_folders,$(1))) $(UNIT_LIBS_$(1))

UNIT_LDLIBS ?= -lcunit -ludev -lnuma -ljson-c -lm

$(UNIT_OBJS): CFLAGS += -pthread
$(UNIT_OBJS): override CPPFLAGS += -Itests/unit

define unit_program
$(O)/unit/$(1): $(filter %/$(1).o,$(UNIT_OBJS)) $(filter-out -l%,$(call unit_libs,$(1)))
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) -pthread -o $$@ $$(filter %.o %.a,$$^) $(filter -l%,$(call unit_libs,$(1))) $$(UNIT_LDLIBS)
endef

$(UNIT_KMOD_OBJS) $(filter $(O)/tests/unit/kmod/%,$(UNIT_OBJS)): \
	override CPPFLAGS += -Itests/unit/kernel -Ikmod/include -Ikmod
define unit_kmod_object
$(O)/tests/unit/kernel/kmod_$(basename $(notdir $(1))).o: $(1) $(RULES)
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) -c -o $$@ $$<
endef
$(foreach source,$(UNIT_KMOD_SOURCES),$(eval $(call unit_kmod_object,$(source))))

$(foreach name,$(UNIT_NAMES),$(eval $(call unit_program,$(name))))

# Memory whose pages are not populated.
$(O)/unit/libroc_memory: private override CFLAGS += -Wl,--wrap=madvise

# A disk that fails to sync, and a kernel that accepts no writes.
UNIT_RECORDING_WRAPPED := fabric_now fsync io_uring_submit
$(O)/unit/utils_recording_fails: private override CFLAGS += $(UNIT_RECORDING_WRAPPED:%=-Wl,--wrap=%)
$(O)/unit/utils_record_durable: private override CFLAGS += -Wl,--wrap=io_uring_submit

# A writer process that survives signals.
UNIT_PROCESS_WRAPPED := fabric_now writer_process_kill
$(O)/unit/utils_sink_process: private override CFLAGS += $(UNIT_PROCESS_WRAPPED:%=-Wl,--wrap=%)

# A file system with a quota, or with larger blocks.
UNIT_DISK_WRAPPED := fstatvfs statx pread pwrite
$(O)/unit/utils_record_disk: private override CFLAGS += $(UNIT_DISK_WRAPPED:%=-Wl,--wrap=%)

# A file name that is taken meanwhile, and a failed allocation.
$(O)/unit/utils_evb_sinks: private override CFLAGS += -Wl,--wrap=open -Wl,--wrap=calloc

# A disk without space for another file, a kernel that accepts no writes, the messages meanwhile.
UNIT_FILES_FAIL_WRAPPED := open io_uring_submit tool_note
$(O)/unit/utils_evb_files_fail: private override CFLAGS += $(UNIT_FILES_FAIL_WRAPPED:%=-Wl,--wrap=%)

# A slow disk, and a clock that is set ahead.
UNIT_NODE_END_WRAPPED := fabric_now io_uring_submit
$(O)/unit/utils_evb_node_end: private override CFLAGS += $(UNIT_NODE_END_WRAPPED:%=-Wl,--wrap=%)

# A clock that the test sets.
$(O)/unit/utils_stop: private override CFLAGS += -Wl,--wrap=clock_gettime

# The test counts the calls that poll for connections.
$(O)/unit/utils_scrape: private override CFLAGS += -Wl,--wrap=accept4

# A clock that the test sets.
$(O)/unit/utils_evb_sources: private override CFLAGS += -Wl,--wrap=fabric_realtime

# The contents of a flash, without a card.
UNIT_FLASH_WRAPPED := flash_card_open flash_card_close roc_crorc_flash_read
$(O)/unit/utils_flash_read: private override CFLAGS += $(UNIT_FLASH_WRAPPED:%=-Wl,--wrap=%)

# Triggers and sleeps that the test controls.
UNIT_TRIGGERS_WRAPPED := roc_cru_triggers_read stop_sleep
$(O)/unit/utils_trig_monitor: private override CFLAGS += $(UNIT_TRIGGERS_WRAPPED:%=-Wl,--wrap=%)

# A stand-in for a card, with the name that the user gave.
UNIT_STATUS_WRAPPED := roc_find roc_open_card roc_close roc_endpoint_name
$(O)/unit/utils_status: private override CFLAGS += $(UNIT_STATUS_WRAPPED:%=-Wl,--wrap=%)

# A stream of a stand-in for a card.
UNIT_STREAM_WRAPPED := roc_find error_log_add
$(O)/unit/utils_stream_take: private override CFLAGS += $(UNIT_STREAM_WRAPPED:%=-Wl,--wrap=%)

# A sub-unit of a stand-in for a card, and a clock that the test controls.
UNIT_FRAGMENT_WRAPPED := clock_gettime roc_find roc_open_card roc_close error_log_add
$(O)/unit/utils_fragment_run: private override CFLAGS += $(UNIT_FRAGMENT_WRAPPED:%=-Wl,--wrap=%)

# A stand-in for a card type that the library does not support.
UNIT_SECOND_WRAPPED := roc_find roc_open roc_open_card roc_close roc_info roc_card_fragments \
	$(addprefix roc_card_fragments_,find settings reset) \
	$(addprefix roc_fragments_,open_card close number links name fd info settings rings add start \
		stop running take find oldest request clear flush done return counts damage wait) \
	$(addprefix roc_lender_,fragments take return close)
$(O)/unit/utils_second_card: private override CFLAGS += $(UNIT_SECOND_WRAPPED:%=-Wl,--wrap=%)

# A configuration pass over a stand-in for a card.
UNIT_CONFIG_WRAPPED := roc_find roc_open_card roc_close roc_card_lock roc_card_unlock roc_cru_configure
$(O)/unit/utils_config: private override CFLAGS += $(UNIT_CONFIG_WRAPPED:%=-Wl,--wrap=%)

# A lane of a stand-in for a card, and a file system without locks.
UNIT_SOAK_WRAPPED := source_card flock
$(O)/unit/utils_soak: private override CFLAGS += $(UNIT_SOAK_WRAPPED:%=-Wl,--wrap=%)

# Channels of a stand-in for a card.
UNIT_SOURCE_CARD_WRAPPED := roc_find roc_open_card roc_info roc_close roc_stream_open_card \
	roc_fragments_open_card
$(O)/unit/utils_source_card: private override CFLAGS += $(UNIT_SOURCE_CARD_WRAPPED:%=-Wl,--wrap=%)

# Links of a stand-in for a card.
UNIT_LOOPBACK_WRAPPED := roc_find roc_open_card roc_close roc_card_lock roc_card_unlock \
	$(addprefix roc_cru_loopback_,start clear read stop)
$(O)/unit/utils_loopback: private override CFLAGS += $(UNIT_LOOPBACK_WRAPPED:%=-Wl,--wrap=%)

# Registers of a stand-in for a card.
UNIT_BAR_WRAPPED := roc_find roc_open_card roc_close roc_bar_map roc_bar_unmap roc_reg_read
$(O)/unit/utils_bar_stress: private override CFLAGS += $(UNIT_BAR_WRAPPED:%=-Wl,--wrap=%)

# Memory of any requested size, which is never written.
$(O)/unit/utils_gpu_sweep: private override CFLAGS += -Wl,--wrap=roc_memory_alloc

.PHONY: unit unit-programs
unit-programs: $(UNIT:%=$(O)/unit/%)

unit: unit-programs $(O)/emu/roc-emu $(O)/utils/roc
	ROC_EMU=$(abspath $(O))/emu/roc-emu ROC_TOOL=$(abspath $(O))/utils/roc JOBS=$(UNIT_JOBS) \
	LD_LIBRARY_PATH=$(abspath $(O))/libroc tests/unit/run $(UNIT_TIMEOUT) $(UNIT:%=$(O)/unit/%)

# Stand-ins for libraries that the tools load at run time and that a machine may lack.
UNIT_LIBRARIES := $(O)/unit/libraries
$(UNIT_LIBRARIES)/libcuda.so.1: tests/unit/libraries/cuda.c $(RULES)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -shared -fPIC -fvisibility=hidden -Wl,-soname,$(@F) -o $@ $<
UNIT_OF_LIBRARIES := utils/gpu/utils_gpu_src utils/evb/utils_evb_sources
$(UNIT_OF_LIBRARIES:utils/%=$(O)/tests/unit/utils/%.o): $(UNIT_LIBRARIES)/libcuda.so.1
$(UNIT_OF_LIBRARIES:utils/%=$(O)/tests/unit/utils/%.o): override CPPFLAGS += \
	-DFAKE_LIBRARIES='"$(abspath $(UNIT_LIBRARIES))"' -DBUILT_LIBRARIES='"$(abspath $(O)/libroc)"'

# libroc-evb and its tests with the address, undefined behaviour and thread sanitizers. libfabric is not
# built with them, so errors inside it are not detected.
SANITIZED := $(filter libroc_mep libroc_evb_%,$(UNIT_NAMES))
.PHONY: check-sanitizers
check-sanitizers:
	$(MAKE) O=$(O)/asan CFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined' \
		UNIT='$(SANITIZED)' unit-programs
	ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions=tests/unit/libroc/evb/lsan.supp:print_suppressions=0 \
		ROC_SLOWNESS=4 tests/unit/run 300 $(SANITIZED:%=$(O)/asan/unit/%)
	$(MAKE) O=$(O)/tsan CFLAGS='-O1 -g -fsanitize=thread' UNIT='$(SANITIZED)' unit-programs
	TSAN_OPTIONS=suppressions=tests/unit/libroc/evb/tsan.supp ROC_SLOWNESS=6 \
		tests/unit/run 300 $(SANITIZED:%=$(O)/tsan/unit/%)
