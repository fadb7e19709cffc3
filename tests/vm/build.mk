# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build the cases and the files for the guest, and targets that boot it.
# Each NAME.c in a folder of tests/vm/cases/ is one CUnit program, $(O)/cases/NAME, linked with the
# objects of common/. The other folders are named after the code under test. `make cases` builds all
# cases, CASES="NAME ..." only some.

CASE_COMMON := $(patsubst %.c,$(O)/%.o,$(wildcard tests/vm/cases/common/*.c))
CASE_SRCS := $(filter-out tests/vm/cases/common/%,$(sort $(shell find tests/vm/cases -name '*.c')))
CASE_NAMES := $(basename $(notdir $(CASE_SRCS)))
CASE_OBJS := $(CASE_SRCS:%.c=$(O)/%.o)
VM_ROOT := $(O)/vm/root
DEBUG_MATRIX := 6.12,6.12-iommu,6.12-events,6.12-streams,new-streams,6.12-fragments,6.1-fragments

.PHONY: cases tsc_khz recorder vm-root shell demo check check-lint check-analysis check-compilers \
	check-matrix check-debug check-power check-service soak packages

$(CASE_OBJS) $(CASE_COMMON): override CPPFLAGS += -Ilibroc/include -Itests/unit \
	-Itests/vm/cases
$(CASE_OBJS) $(CASE_COMMON): override CFLAGS += -pthread

define case_program
$(O)/cases/$(1): $(filter %/$(1).o,$(CASE_OBJS)) $(CASE_COMMON) $(LIBROC_LINKED)
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(LDFLAGS) -pthread -o $$@ $$(filter %.o,$$^) $(LIBROC_LINK) -lcunit
endef
$(foreach name,$(CASE_NAMES),$(eval $(call case_program,$(name))))

CASES ?= $(CASE_NAMES)
cases: $(CASES:%=$(O)/cases/%)

tsc_khz: $(O)/vm/tsc_khz
$(O)/vm/tsc_khz: $(O)/tests/vm/tsc_khz.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $<

$(O)/tests/vm/recorder.o: override CPPFLAGS += -Ilibroc/include
recorder: $(O)/vm/recorder
$(O)/vm/recorder: $(O)/tests/vm/recorder.o $(O)/utils/libutils.a $(O)/libroc/libroc-evb.a \
		$(O)/libroc/libroc-board.a $(O)/libroc/libroc.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(UTILS_LIBS) -ludev -lnuma -ljson-c -lm -lpthread

# Installed as on a server, so that every guest also tests `make install`.
vm-root: all $(O)/emu/roc-emu $(O)/vm/tsc_khz $(O)/vm/recorder
	rm -rf $(VM_ROOT)
	$(MAKE) --no-print-directory install DESTDIR=$(VM_ROOT) PREFIX=/usr >/dev/null
	install -d $(VM_ROOT)/usr/lib/roc
	install -m 755 $(LIBROC_EXAMPLES) $(O)/vm/recorder $(VM_ROOT)/usr/lib/roc

packages:
	@tests/vm/packages

shell: packages
	@O=$(O) tests/vm/guest

# The demo of a CRU; with CARD=p40 of a PCIe40, with CARD=robinnp of a RobinNP; with EVB=1 of event
# building, on the host.
demo: packages $(if $(EVB),evb-programs)
	@O=$(O) $(if $(EVB),tests/evb/demo,tests/vm/demo$(addprefix -,$(filter p40 robinnp,$(CARD))))

check: packages
	@O=$(O) tests/vm/check

# Checks of the sources: a part of `make check`, and those that take minutes.
check-lint: packages
	@O=$(O) tests/vm/lint

check-analysis: packages
	@O=$(O) tests/vm/lint --analyze

check-compilers: packages
	@O=$(O) tests/vm/lint --compilers

check-matrix: packages
	@O=$(O) tests/vm/matrix

# Soak tests, which `make check` runs for two seconds, for hours.
SOAK_SECONDS ?= 60
soak: packages
	@O=$(O) tests/vm/guest --cards cru:2,crorc:1 --timeout $$(($(SOAK_SECONDS) + 300)) -- \
		env ROC_SOAK_SECONDS=$(SOAK_SECONDS) /usr/lib/roc/cases/soak

# Completeness of a recording after its receiver is killed, and after a power cut.
check-power: packages
	ROC_KILLS=20 $(MAKE) --no-print-directory unit UNIT=utils_send_lost
	@O=$(O) tests/vm/power

# In this guest systemd is the first process; it boots for as long as two cases may take.
check-service: packages
	@O=$(O) tests/vm/run --matrix 6.12-services

check-debug: packages
	@O=$(O) tests/vm/run --kernel debug --matrix $(DEBUG_MATRIX)
