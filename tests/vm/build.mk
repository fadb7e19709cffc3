# SPDX-License-Identifier: GPL-2.0-or-later
#
# The guest: its cases, the tree that is laid over its root, and the targets that boot it.
# Each tests/vm/cases/NAME.c is one CUnit program, $(O)/cases/NAME, linked with what is in
# tests/vm/cases/common/.

CASE_NAMES := $(patsubst tests/vm/cases/%.c,%,$(wildcard tests/vm/cases/*.c))
CASE_COMMON := $(patsubst %.c,$(O)/%.o,$(wildcard tests/vm/cases/common/*.c))
CASE_OBJS := $(CASE_NAMES:%=$(O)/tests/vm/cases/%.o)
VM_ROOT := $(O)/vm/root

.PHONY: cases vm-root shell demo check check-matrix packages

$(CASE_OBJS) $(CASE_COMMON): override CPPFLAGS += -Ilibroc/include -Ikmod -Itests/unit \
	-Itests/vm/cases/common
$(CASE_OBJS) $(CASE_COMMON): override CFLAGS += -pthread

$(CASE_NAMES:%=$(O)/cases/%): $(O)/cases/%: $(O)/tests/vm/cases/%.o $(CASE_COMMON) \
		$(O)/libroc/libroc.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $< $(CASE_COMMON) -L$(O)/libroc -lroc -lcunit

cases: $(CASE_NAMES:%=$(O)/cases/%)

$(O)/vm/tsc_khz: $(O)/tests/vm/tsc_khz.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $<

# Installed as on a server, so that every guest also tests `make install`.
vm-root: all $(O)/emu/roc-emu $(O)/vm/tsc_khz
	rm -rf $(VM_ROOT)
	$(MAKE) --no-print-directory install DESTDIR=$(VM_ROOT) PREFIX=/usr >/dev/null
	install -d $(VM_ROOT)/usr/lib/roc
	install -m 755 $(LIBROC_EXAMPLES) $(VM_ROOT)/usr/lib/roc

packages:
	@tests/vm/packages

shell: packages
	@O=$(O) tests/vm/guest

demo: packages
	@O=$(O) tests/vm/demo

check: packages
	@O=$(O) tests/vm/check

check-matrix: packages
	@O=$(O) tests/vm/matrix
