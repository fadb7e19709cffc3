# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Build and install three libraries. libroc (core/) has cards, channels and memory. libroc-board (board/,
# with a folder for each card) has the registers of boards. libroc-evb (evb/) has event building. The last
# two use the public interface of libroc only. Each is a shared library with a pkg-config file; the first
# two are static libraries as well. Headers and examples follow.

LIBROC_ABI := 1
LIBROC_UAPI := $(addprefix kmod/include/uapi/linux/,roc_stream.h roc_fragment.h roc_reason.h)
LIBROC_LIBRARIES := roc roc-board roc-evb
LIBROC_OBJS_roc := $(patsubst %.c,$(O)/%.o,$(wildcard libroc/core/*.c))
LIBROC_OBJS_roc-board := $(patsubst %.c,$(O)/%.o,$(wildcard libroc/board/*.c libroc/board/*/*.c)) \
	$(O)/libroc/board/firmware_data.o
# The wrapper of libfabric is linked into the tools and into libroc-evb, which do not export it.
LIBROC_FABRIC_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard libroc/fabric/*.c))
LIBROC_OBJS_roc-evb := $(patsubst %.c,$(O)/%.o,$(wildcard libroc/evb/*.c)) $(LIBROC_FABRIC_OBJS)
LIBROC_OBJS := $(LIBROC_OBJS_roc) $(LIBROC_OBJS_roc-board) $(LIBROC_OBJS_roc-evb)
LIBROC_SO := $(O)/libroc/libroc.so.$(LIBROC_ABI)
LIBROC_BOARD_SO := $(O)/libroc/libroc-board.so.$(LIBROC_ABI)
LIBROC_EVB_SO := $(O)/libroc/libroc-evb.so.$(LIBROC_ABI)
LIBROC_A := $(O)/libroc/libroc.a
LIBROC_BOARD_A := $(O)/libroc/libroc-board.a
# For unit tests; not installed.
LIBROC_EVB_A := $(O)/libroc/libroc-evb.a
LIBROC_LIBS := -ludev -lnuma
LIBROC_BOARD_LIBS := -ljson-c -lm -ldl
# For programs of this tree. --as-needed: some need libroc only.
LIBROC_LINK := -L$(O)/libroc -Wl,--as-needed -lroc-evb -lroc-board -lroc
LIBROC_LINKED := $(LIBROC_LIBRARIES:%=$(O)/libroc/lib%.so)
LIBROC_CPPFLAGS := -Ilibroc/include
LIBROC_HEADERS := $(filter-out %/uapi.h,$(wildcard libroc/include/roc/*.h))
LIBROC_EXAMPLES := $(patsubst %.c,$(O)/%,$(wildcard libroc/examples/*.c))
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig

LIBROC_TO_DATA = $(call relative,$(LIBDIR),$(DATADIR)/roc)
# Write a pkg-config file, with folders relative to the prefix.
libroc_pc_dir = $(patsubst ^%,%,$(subst ^$(PREFIX)/,^$${prefix}/,^$(1)))
libroc_pc = sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(call libroc_pc_dir,$(LIBDIR))|' \
	-e 's|@INCLUDEDIR@|$(call libroc_pc_dir,$(INCLUDEDIR))|; s|@VERSION@|$(VERSION)|' \
	$(1).in > $(call installed,$(PKGCONFIGDIR),$(1)) && chmod 644 $(call installed,$(PKGCONFIGDIR),$(1))

.PHONY: install-libroc uninstall-libroc

libroc: $(LIBROC_LINKED) $(LIBROC_A) $(LIBROC_BOARD_A) $(LIBROC_EXAMPLES)

$(LIBROC_OBJS): override CPPFLAGS += $(LIBROC_CPPFLAGS) -fPIC

# The version comes from dkms.conf.
$(O)/libroc/core/version.o: override CPPFLAGS += -DROC_VERSION='"$(VERSION)"'
$(O)/libroc/core/version.o: dkms.conf

# The list of firmware versions is an installed file. The library has a copy as fallback.
$(O)/libroc/board/firmware.o: override CPPFLAGS += -DLIBROC_TO_DATA='"$(LIBROC_TO_DATA)"'
$(O)/libroc/board/firmware.o: $(O)/relative
$(O)/libroc/board/firmware_data.o: libroc/board/firmware_data.S libroc/board/data/firmware.json
	@mkdir -p $(@D)
	$(CC) -c -o $@ $<

libroc_shared = $(CC) $(CFLAGS) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(filter %.map,$^) \
	-Wl,-z,defs -Wl,--as-needed $(LDFLAGS) -o $@ $(filter %.o %.so,$^)

$(LIBROC_SO): $(LIBROC_OBJS_roc) libroc/core/libroc.map
	$(libroc_shared) $(LIBROC_LIBS)

# The run path selects the libroc that was installed with it.
$(LIBROC_BOARD_SO): $(LIBROC_OBJS_roc-board) libroc/board/libroc-board.map $(O)/libroc/libroc.so
	$(libroc_shared) -Wl,--enable-new-dtags,-rpath,'$$ORIGIN' $(LIBROC_BOARD_LIBS)

$(LIBROC_EVB_SO): $(LIBROC_OBJS_roc-evb) libroc/evb/libroc-evb.map $(O)/libroc/libroc.so
	$(libroc_shared) -Wl,--enable-new-dtags,-rpath,'$$ORIGIN' -pthread -ldl

$(LIBROC_LINKED): %.so: %.so.$(LIBROC_ABI)
	ln -sf $(<F) $@

$(LIBROC_A): $(LIBROC_OBJS_roc)
$(LIBROC_BOARD_A): $(LIBROC_OBJS_roc-board)
$(LIBROC_EVB_A): $(LIBROC_OBJS_roc-evb)
$(LIBROC_A) $(LIBROC_BOARD_A) $(LIBROC_EVB_A):
	rm -f $@
	$(AR) rcs $@ $^

$(LIBROC_EXAMPLES:%=%.o): override CPPFLAGS += $(LIBROC_CPPFLAGS)

$(LIBROC_EXAMPLES): %: %.o $(O)/libroc/libroc.so
	$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $< -L$(O)/libroc -lroc

# The installed roc/uapi.h is the kernel's header itself, as there is no source tree.
install-libroc: libroc
	install -d "$(DESTDIR)$(LIBDIR)" "$(DESTDIR)$(PKGCONFIGDIR)" "$(DESTDIR)$(INCLUDEDIR)/roc" \
		"$(DESTDIR)$(DATADIR)/roc"
	install -m 755 $(LIBROC_SO) $(LIBROC_BOARD_SO) $(LIBROC_EVB_SO) "$(DESTDIR)$(LIBDIR)"
	ln -sf $(notdir $(LIBROC_SO)) "$(DESTDIR)$(LIBDIR)/libroc.so"
	ln -sf $(notdir $(LIBROC_BOARD_SO)) "$(DESTDIR)$(LIBDIR)/libroc-board.so"
	ln -sf $(notdir $(LIBROC_EVB_SO)) "$(DESTDIR)$(LIBDIR)/libroc-evb.so"
	install -m 644 $(LIBROC_A) $(LIBROC_BOARD_A) "$(DESTDIR)$(LIBDIR)"
	install -m 644 $(LIBROC_HEADERS) "$(DESTDIR)$(INCLUDEDIR)/roc"
	install -m 644 kmod/include/uapi/linux/roc.h "$(DESTDIR)$(INCLUDEDIR)/roc/uapi.h"
	install -m 644 $(LIBROC_UAPI) "$(DESTDIR)$(INCLUDEDIR)/roc"
	install -m 644 libroc/board/data/firmware.json "$(DESTDIR)$(DATADIR)/roc"
	$(call libroc_pc,libroc/core/libroc.pc)
	$(call libroc_pc,libroc/board/libroc-board.pc)
	$(call libroc_pc,libroc/evb/libroc-evb.pc)
	$(if $(DESTDIR),,ldconfig || true)

uninstall-libroc:
	rm -f $(call installed,$(LIBDIR),$(LIBROC_SO) $(LIBROC_BOARD_SO) $(LIBROC_EVB_SO) $(LIBROC_LINKED) $(LIBROC_A) \
		$(LIBROC_BOARD_A))
	rm -f $(call installed,$(PKGCONFIGDIR),$(LIBROC_LIBRARIES:%=lib%.pc))
	rm -f $(call installed,$(INCLUDEDIR)/roc,$(LIBROC_HEADERS) $(LIBROC_UAPI) uapi.h)
	rm -f "$(DESTDIR)$(DATADIR)/roc/firmware.json"
	rmdir "$(DESTDIR)$(INCLUDEDIR)/roc" "$(DESTDIR)$(DATADIR)/roc" 2>/dev/null || true

# Unit tests (tests/unit/build.mk) link the static library, to reach internal functions.
$(O)/tests/unit/libroc/%.o: override CPPFLAGS += $(LIBROC_CPPFLAGS)

# The test of the rings uses the module's own code for the kernel side.
UNIT_LIBS_libroc_rings := $(O)/tests/unit/kernel/ring_loop.o $(O)/tests/unit/kernel/kmod_ring.o
$(UNIT_LIBS_libroc_rings): override CPPFLAGS += -Itests/unit/kernel -Ikmod/include -Ikmod
$(O)/tests/unit/kernel/kmod_ring.o: kmod/pool/ring.c $(RULES)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# These tests replace the calls of the library to the kernel.
LIBROC_WRAPPED := open openat ioctl mmap stat roc_find roc_channel_owner \
	udev_device_new_from_devnum udev_device_get_is_initialized udev_device_unref
$(O)/unit/libroc_calls $(O)/unit/libroc_buffers: private override CFLAGS += $(LIBROC_WRAPPED:%=-Wl,--wrap=%)

LIBROC_STREAM_WRAPPED := open openat ioctl mmap roc_find roc_channel_owner
$(O)/unit/libroc_stream $(O)/unit/libroc_stream_end $(O)/unit/libroc_stream_lend: \
	private override CFLAGS += $(LIBROC_STREAM_WRAPPED:%=-Wl,--wrap=%)

LIBROC_FRAGMENT_WRAPPED := open openat ioctl mmap roc_find roc_channel_owner
$(O)/unit/libroc_fragment $(O)/unit/libroc_fragment_run $(O)/unit/libroc_fragment_hole: \
	private override CFLAGS += $(LIBROC_FRAGMENT_WRAPPED:%=-Wl,--wrap=%)

# To fail the allocations of a filter.
$(O)/unit/libroc_filter: private override CFLAGS += -Wl,--wrap=calloc

$(O)/unit/libroc_lend: private override CFLAGS += -Wl,--wrap=ioctl

$(O)/unit/libroc_crorc_siu: private override CFLAGS += -Wl,--wrap=roc_channel_command

# Tests of registers run on the model of the emulated card.
UNIT_LIBS_libroc_cru_config = $(EMU_OBJS)
UNIT_LIBS_libroc_cru_killed = $(EMU_OBJS)
UNIT_LIBS_libroc_cru_status = $(EMU_OBJS)
UNIT_LIBS_libroc_cru_players = $(EMU_OBJS)
UNIT_LIBS_libroc_crorc_config = $(EMU_OBJS)
UNIT_LIBS_libroc_crorc_flash = $(EMU_OBJS)
UNIT_LIBS_libroc_crorc_siu = $(EMU_OBJS)
UNIT_LIBS_libroc_p40 = $(EMU_OBJS)
UNIT_LIBS_libroc_robinnp = $(EMU_OBJS)

# libroc_abi checks the built libraries and compiles the headers.
$(O)/unit/libroc_abi: $(LIBROC_LINKED) $(LIBROC_EXAMPLES)
$(O)/tests/unit/libroc/core/libroc_abi.o: override CPPFLAGS += -DLIBROC_BUILT='"$(O)/libroc"' \
	-DLIBROC_CC='"$(CC)"'
