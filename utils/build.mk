# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build and install the tools: one binary, $(O)/utils/roc, and a link per tool. libutils.a is the binary
# without main(), for unit tests. Each subject has a folder; common/ is shared by all tools.

UTILS_SRCS := $(filter-out utils/main.c,$(wildcard utils/*.c utils/*/*.c utils/*/*/*.c))
UTILS_OBJS := $(UTILS_SRCS:%.c=$(O)/%.o)
# Objects of libraries that the libraries do not export.
UTILS_SHARED := $(LIBROC_FABRIC_OBJS) $(addprefix $(O)/libroc/board/,ini.o replace.o)
# libfabric is loaded on first use (libroc/fabric/).
UTILS_LIBS := -luring -lpci -ljson-c -lnuma -ldl
# Each roc-*.1 is the page of a tool; a unit test compares pages and tools.
UTILS_LINKS := $(patsubst Documentation/man/%.1,%,$(wildcard Documentation/man/roc-*.1))

SYSTEMDDIR ?= /usr/lib/systemd/system
# Units of services, each made from FILE.in.
UTILS_UNITS := utils/ros/roc-rosd.service utils/evb/roc-evb@.service

.PHONY: install-utils uninstall-utils

utils: $(O)/utils/roc

$(O)/utils/%.o $(O)/tests/unit/utils/%.o: override CPPFLAGS += -Ilibroc/include

$(O)/utils/libutils.a: $(UTILS_OBJS) $(UTILS_SHARED)
	rm -f $@
	$(AR) rcs $@ $^

# The run path is needed if the loader does not search the folder of the libraries (PREFIX=/opt/roc).
UTILS_RPATH = -Wl,--enable-new-dtags,-rpath,'$$ORIGIN/$(call relative,$(BINDIR),$(LIBDIR))'

$(O)/utils/roc: $(O)/utils/main.o $(O)/utils/libutils.a $(LIBROC_LINKED) $(O)/relative
	$(CC) $(CFLAGS) $(LDFLAGS) $(UTILS_RPATH) -pthread -o $@ $(filter %.o %.a,$^) \
		$(LIBROC_LINK) $(UTILS_LIBS) -lm

install-utils: $(O)/utils/roc
	install -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(MANDIR)/man1" "$(DESTDIR)$(SYSTEMDDIR)"
	install -m 755 $(O)/utils/roc "$(DESTDIR)$(BINDIR)/roc"
	for link in $(UTILS_LINKS); do ln -sf roc "$(DESTDIR)$(BINDIR)/$$link" || exit 1; done
	install -m 644 Documentation/man/*.1 "$(DESTDIR)$(MANDIR)/man1"
	sed -i '/^\.TH /s/ "roc" / "roc $(VERSION)" /' $(call installed,$(MANDIR)/man1,$(wildcard Documentation/man/*.1))
	for unit in $(UTILS_UNITS); do \
		sed 's|@BINDIR@|$(BINDIR)|' $$unit.in > "$(DESTDIR)$(SYSTEMDDIR)/$${unit##*/}" && \
		chmod 644 "$(DESTDIR)$(SYSTEMDDIR)/$${unit##*/}" || exit 1; done

uninstall-utils:
	rm -f $(call installed,$(BINDIR),roc $(UTILS_LINKS))
	rm -f $(call installed,$(MANDIR)/man1,$(wildcard Documentation/man/*.1))
	rm -f $(call installed,$(SYSTEMDDIR),$(UTILS_UNITS))
